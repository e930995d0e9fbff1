"""`--where` is one boolean expression; whatever else it tries is refused or does nothing."""

import json

import pytest

from fastmetrics.cli import main

ROWS = "label,score,age,country\n1,0.9,70,NO\n0,0.2,30,SE\n1,0.8,50,NO\n0,0.4,20,NO\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(ROWS)
    (tmp_path / "secret.csv").write_text("password\nhunter2\n")
    return tmp_path


def evaluate(where, output="json"):
    columns = ["--label", "label", "--score", "score"]
    return main(["evaluate", "data.csv", *columns, "--where", where, "--format", output])


@pytest.mark.parametrize(
    ("where", "n_rows"),
    [
        ("age >= 30", 3),
        ("country = 'NO' AND NOT (age < 30)", 2),
        ("age BETWEEN 20 AND 50", 3),
        ("age IN (20, 70)", 2),
        ("country LIKE 'N%' OR age > 100", 3),
        ("CASE WHEN country = 'SE' THEN true ELSE age > 60 END", 2),
        ("upper(country) = 'NO'", 3),
        ("age::DOUBLE / 10 > 4.5", 2),
        ("length(country) = 2", 4),
        ("list_contains([30, 50], age)", 2),
        ("coalesce(age, 0) > 0 -- a comment", 4),
        ("age > 20 /* and */ AND age < 70", 2),
        ('"age" > 20', 3),
        ("true", 4),
    ],
)
def test_expressions_select(folder, capsys, where, n_rows):
    assert evaluate(where) == 0
    assert json.loads(capsys.readouterr().out)["n_rows"] == n_rows


HOSTILE = [
    "1=1; DROP TABLE t",
    "1=1; COPY (SELECT 42) TO 'stolen.csv'",
    "1=1;",
    ";",
    "1=1) UNION SELECT (1",
    "1=1) UNION ALL SELECT password, 1 FROM read_csv('secret.csv') WHERE (1=1",
    "1=1 UNION SELECT 1",
    "1=1 FROM read_csv('secret.csv')",
    "EXISTS (SELECT * FROM read_csv('secret.csv'))",
    "EXISTS (FROM 'secret.csv')",
    "age IN (SELECT 1)",
    "age = (SELECT count(*) FROM read_text('/etc/passwd'))",
    "age = (SELECT max(age) FROM read_csv('data.csv'))",
    "(SELECT true)",
    "(VALUES (true))",
    "(TABLE x)",
    "age = ANY([20])",
    "age = ANY(SELECT 1)",
    "read_csv('secret.csv')",
    "read_text('/etc/passwd') = ''",
    "glob('/etc/*') IS NOT NULL",
    "unnest([true])",
    "query('SELECT true')",
    "1=1) OR (1=1",
    "1=1 /*",
    "/* 1=1",
    "-- nothing",
    "(1=1",
    "1=1)",
    "((age > 1)",
    "'unclosed",
    '"unclosed',
    "",
    "   ",
    "1=1 AS x",
    "1=1 x",
    "1=1, 2=2",
    "1=1 LIMIT 1",
    "1=1 ORDER BY age",
    "1=1 GROUP BY age",
    "1=1 HAVING true",
    "1=1 QUALIFY true",
    "1=1 WINDOW w AS ()",
    "1=1 WHERE 2=2",
    "DISTINCT age > 1",
    "*",
    "COLUMNS(*) > 1",
    "#1 > 0",
    "age = ?",
    "age = $1",
    "age = $x",
    "COPY data TO 'stolen.csv'",
    "ATTACH 'stolen.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA database_list",
    "SET threads = 1",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "CALL pragma_version()",
    "EXPORT DATABASE 'stolen'",
    "CREATE TABLE stolen AS SELECT 1",
    "getenv('HOME') = 'x'",
    "write_log('x') IS NULL",
    "nextval('s') > 0",
    "random() > 0.5",
    "uuid() IS NOT NULL",
    "sleep_ms(60000) IS NULL",
    "pg_sleep(60) IS NULL",
    "error('x')",
    "count(*) > 0",
    "sum(age) > 0",
    "sum(age) OVER () > 0",
    "row_number() OVER () = 1",
    "get_block_size('memory') > 0",
    "age",
    "country",
    "1",
    "'true'",
    "nope > 1",
    "secret.password = 'x'",
    "\0",
    "1=1\0",
]


@pytest.mark.parametrize("where", HOSTILE)
def test_hostile_expressions_are_refused(folder, capsys, where):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert evaluate(where) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fastmetrics: error: ")
    assert err.count("\n") == 1
    assert "hunter2" not in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_error_lists_why(folder, capsys):
    evaluate("age IN (SELECT 1)")
    assert "it contains a subquery" in capsys.readouterr().err
    evaluate("age")
    assert "this one is BIGINT" in capsys.readouterr().err
    evaluate("nope > 1")
    assert "nope" in capsys.readouterr().err


def test_no_row_satisfies(folder, capsys):
    assert evaluate("age > 1000") == 2
    assert "no row satisfies the condition" in capsys.readouterr().err


def test_a_late_fraction_is_not_rounded_inside_the_condition(folder, capsys):
    # The first 20,480 rows look like integers; 17.6 must not become 18 and pass.
    rows = ["label,score,age"] + [f"{i % 2},{i},40" for i in range(30_000)] + ["1,5,17.6"]
    (folder / "data.csv").write_text("\n".join(rows))
    assert evaluate("age >= 18") == 0
    assert json.loads(capsys.readouterr().out)["n_rows"] == 30_000
