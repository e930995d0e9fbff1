"""`counts_query`: run by the engines that can be installed, parsed for the others."""

import math
from collections import Counter
from typing import get_args, get_type_hints

import engines
import numpy as np
import pytest

import spark
from commands import error_of, output_of
from fastmetrics import ScoreTable, roc_auc_score
from fastmetrics.io import counts_query

sqlglot = pytest.importorskip("sqlglot")

DIALECTS = get_args(get_type_hints(counts_query)["dialect"])
pytestmark = pytest.mark.filterwarnings(spark.QUIET)


@pytest.fixture(scope="module", params=engines.NAMES)
def engine(request):
    with engines.engine(request.param) as run:
        yield request.param, run


def rows_of(seed, n=2_000):
    rng = np.random.default_rng(seed)
    score = np.round(rng.normal(size=n), 2) * 10.0 ** rng.integers(-3, 4, n)
    label = rng.integers(0, 2, n)
    weight = rng.integers(0, 4, n).astype(float)
    country = rng.choice(["NO", "SE"], n)
    return [
        (int(y), float(s), float(w), str(c))
        for y, s, w, c in zip(label, score, weight, country, strict=True)
    ]


def query(name, **options):
    return counts_query("t", "label", "score", dialect=name, **options)


def test_counts_of_distinct_scores(engine):
    name, run = engine
    rows = rows_of(0)
    table = run(query(name), rows)
    positives, negatives = (Counter(s for y, s, *_ in rows if y == label) for label in (1, 0))
    expected = [(s, positives[s], negatives[s], 0) for s in sorted(positives | negatives)]
    assert [tuple(row.values()) for row in table] == expected
    columns = [[row[column] for row in table] for column in ("score", "positives", "negatives")]
    y, s = ([row[i] for row in rows] for i in (0, 1))
    assert roc_auc_score(ScoreTable.from_counts(*columns)) == roc_auc_score(y, s)


def test_weights_conditions_and_columns_apart(engine):
    name, run = engine
    rows = rows_of(1)
    sql = query(name, weight="weight", by=["country"], where="score > 0 OR country = 'SE'")
    by_key = {(row["country"], row["score"]): row for row in run(sql, rows)}
    expected: dict[tuple[str, float], list[float]] = {}
    for y, s, w, c in rows:
        if s > 0 or c == "SE":
            expected.setdefault((c, s), [0, 0])[1 - y] += w
    assert by_key.keys() == expected.keys()
    for key, counts in expected.items():
        assert [by_key[key]["positive_weight"], by_key[key]["negative_weight"]] == counts
        assert by_key[key]["unusable"] == 0


@pytest.mark.parametrize("bits", [0, 3, 12, 40])
def test_ranges_follow_the_first_bits_of_a_score(engine, bits):
    name, run = engine
    powers = [math.ldexp(1.0, e) for e in (-1000, -60, -3, -1, 0, 1, 2, 29, 60, 1000)]
    near = [v for p in powers for v in (np.nextafter(p, 0.0), p, np.nextafter(p, math.inf))]
    near += [3.0, 5.0, 1000.0, 0.1, 0.7, 1 / 3]
    scores = [0.0, -0.0, *(float(v) for v in near), *(-float(v) for v in near)]
    rows = [(i % 2, s, 1.0, "NO") for i, s in enumerate(scores)]
    table = run(query(name, bits=bits), rows)

    def place(s):  # by the bits of the number itself
        sign = -1 if s < 0 else 1
        return (0,) if s == 0 else (sign * (np.float64(abs(s)).view(np.int64) >> (52 - bits)),)

    ranges: dict[object, list[float]] = {}
    for s in scores:
        ranges.setdefault((*place(s), s == 0), []).append(s)
    expected = sorted((min(values), max(values)) for values in ranges.values())
    assert [(row["score_low"], row["score_high"]) for row in table] == expected
    assert sum(row["positives"] + row["negatives"] for row in table) == len(rows)


@pytest.mark.parametrize("bits", [None, 5])
def test_scores_of_several_models(engine, bits):
    name, run = engine
    rows = rows_of(3, 300)
    models = {"it's ä": "score", "b": "0 - score", "weight": "weight"}
    options = {"dialect": name, "bits": bits, "where": "weight > 0"}
    options |= {"label": "label = 1", "pos_label": True, "neg_label": False}
    table = run(counts_query("t", score=models, by=["country"], **options), rows)
    assert [*table[0]][:2] == ["country", "model"]
    for model, score in models.items():
        expected = run(counts_query("t", score=score, by=["country"], **options), rows)
        mine = [{k: v for k, v in row.items() if k != "model"} for row in table]
        assert [mine[i] for i, row in enumerate(table) if row["model"] == model] == expected
    assert len({row["model"] for row in table}) == 3
    alone = run(counts_query("t", score=["score"], **options), rows)
    assert {row["model"] for row in alone} == {"score"}


def test_what_cannot_be_used_is_counted(engine):
    name, run = engine
    rows = [(1, 0.5, 1.0, "NO"), (0, 0.5, 1.0, "NO"), (2, 0.5, 1.0, "NO"), (None, 0.5, 1.0, "NO")]
    rows += [(1, 0.5, None, "NO"), (0, 0.5, -1.0, "NO"), (1, None, 1.0, "NO")]
    by_score = {row["score"]: row for row in run(query(name), rows)}
    assert [by_score[0.5][key] for key in ("positives", "negatives", "unusable")] == [2, 2, 2]
    assert by_score[None]["positives"] == 1  # what reads a missing score refuses it
    weighted = {row["score"]: row for row in run(query(name, weight="weight"), rows)}
    assert weighted[0.5]["unusable"] == 4
    assert [dict(row) for row in run(query(name), [])] == []


@pytest.mark.parametrize("models", [False, True])
def test_integers_that_a_double_would_round_cannot_be_used(engine, models):
    name, run = engine
    rows = [(label, 0.5, 1.0, "NO") for label in (0, 1, 1)]
    score = f"label + {2**53}"
    score = {"a": "score", "b": score} if models else score
    table = run(counts_query("t", "label", score, dialect=name), rows)
    assert sum(row["unusable"] for row in table) == 2  # 2**53 itself is a double


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("models", [False, True])
def test_texts_among_the_numbers_of_sqlite_cannot_be_used(weight, models):
    rows = [(1, 0.5, 2.0, "NO"), (0, "", 1.0, "NO"), (1, "high", 1.0, "NO")]
    rows += [(1, 0.5, "", "NO")] if weight else []
    score = ["score", "0.25"] if models else "score"
    sql = counts_query("t", "label", score, dialect="sqlite", weight=weight)
    with engines.engine("sqlite") as run:
        table = [row for row in run(sql, rows) if row.get("model") != "0.25"]
    assert [(row["score"], row["unusable"]) for row in table] == [(None, 2), (0.5, bool(weight))]


def test_labels_of_other_kinds(engine):
    name, run = engine
    rows = rows_of(2, 50)
    sql = counts_query("t", "country", "0 - score", dialect=name, pos_label="SE", neg_label="NO")
    table = run(sql, rows)
    assert sum(row["positives"] for row in table) == sum(c == "SE" for *_, c in rows)
    assert [row["score"] for row in table] == sorted({0.0 - s for _, s, *_ in rows})
    whole = counts_query(
        "t", "label > 0 OR label > 5", "score", dialect=name, pos_label=True, neg_label=False
    )
    assert sum(row["positives"] for row in run(whole, rows)) == sum(y for y, *_ in rows)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("score", ["1 - p", ["p", "1 - q"]])
@pytest.mark.parametrize("options", [{}, {"bits": 12}, {"weight": "w", "by": ["a", "b"]}])
def test_every_dialect_reads_its_own_statement(dialect, options, score):
    statement = counts_query("shop.t", "y", score, dialect=dialect, where="d > 3", **options)
    parsed = sqlglot.parse_one(statement, dialect=dialect)
    assert parsed.sql(dialect=dialect, pretty=True) == statement
    assert {table.name for table in parsed.find_all(sqlglot.exp.Table)} >= {"t", "scored"}


def test_tables_are_what_stands_after_from():
    sql = counts_query("read_parquet('s3://x/*.parquet')", "y", "p", dialect="duckdb")
    assert "FROM READ_PARQUET('s3://x/*.parquet')" in sql
    sql = counts_query("(SELECT * FROM z) AS q", "y", "p", dialect="postgres")
    assert "FROM z" in sql


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"label": "y; DROP TABLE t"}, "`label` must be a column or an expression"),
        ({"label": "SELECT 1"}, "`label` must be a column or an expression"),
        ({"label": ""}, "`label`"),
        ({"label": 3}, "`label` is no postgres SQL: got 3"),
        ({"score": "p +"}, r"`score` is no postgres SQL: got 'p \+'"),
        ({"score": "p AS q"}, "`score` must be a column or an expression"),
        ({"score": ["p", "p +"]}, r"`score` is no postgres SQL: got 'p \+'"),
        (
            {"score": ["p", "q", "p"]},
            r"`score` names a score more than once: got \['p', 'q', 'p'\]",
        ),
        ({"score": []}, r"`score` must have a text for each model: got \[\]"),
        ({"score": {3: "p"}}, "`score` must have a text for each model"),
        ({"score": {"a": 3}}, "`score` is no postgres SQL: got 3"),
        ({"score": 3}, "`score` must be a text, or several: got int"),
        ({"score": ["p", "q"], "by": ["Model"]}, "a name inside the statement"),
        ({"where": "DELETE FROM t"}, "`where` must be a column or an expression"),
        ({"table": "t; DROP TABLE t"}, "`table` must be one table"),
        ({"table": "t WHERE a = 1"}, "`table` must be one table"),
        ({"table": "t JOIN u"}, "`table` must be one table"),
        ({"by": ["a + 1"]}, "`by` must name columns"),
        ({"by": ["Score"]}, "a name inside the statement"),
        ({"neg_label": 1}, "`pos_label` and `neg_label` are the same: got 1"),
        ({"pos_label": "yes"}, "must both be texts, or neither: got 'yes' and 0"),
        ({"neg_label": math.nan}, "`neg_label` must be a finite number, a boolean or a text: g"),
        ({"pos_label": math.inf}, "`pos_label` must be a finite number, a boolean or a text: g"),
        ({"pos_label": -math.inf}, "`pos_label` must be a finite number"),
        ({"by": ["g", "g"]}, r"`by` names a column more than once: got \['g', 'g'\]"),
        ({"by": ["g", "h", "t.G"]}, "`by` names a column more than once"),
        ({"bits": 41}, "`bits`"),
        ({"dialect": "oracle"}, "`dialect`"),
    ],
)
def test_what_is_no_such_statement_is_refused(change, match):
    given = {"table": "t", "label": "y", "score": "p", "dialect": "postgres"} | change
    with pytest.raises(ValueError, match=match):
        counts_query(**given)


SQL = "sql --dialect sqlite --table t --label y".split()


def test_the_command_prints_the_statement(capsys):
    text = " ".join(output_of(capsys, "sql", "--help").split())
    assert "{" + ",".join(DIALECTS) + "} whose SQL" in text
    options = "--table t --label y --score p --bits 8 --by a --by b --weight w".split()
    labels = ["--pos-label", "'1'", "--neg-label", "no", "--where", "a = 1"]
    given = {"bits": 8, "by": ["a", "b"], "weight": "w", "where": "a = 1"}
    expected = counts_query("t", "y", "p", dialect="spark", pos_label="1", neg_label="no", **given)
    assert output_of(capsys, "sql", "--dialect", "spark", *options, *labels) == expected + ";\n"
    for scores, several in (("--score a", "a"), ("--score a --score 1-b", ["a", "1-b"])):
        expected = counts_query("t", "y", several, dialect="sqlite") + ";\n"
        assert output_of(capsys, *SQL, *scores.split()) == expected


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (["007", "001"], "y IN (7, 1)"),
        (["'007'", "'001'"], "y IN ('007', '001')"),
        (["''7''", "''"], "y IN ('''7''', '')"),
        (["TRUE", "false"], "y IN (TRUE, FALSE)"),
        (["1_0", "1_1"], "y IN ('1_0', '1_1')"),
    ],
)
def test_the_command_says_what_is_a_text(capsys, labels, text):
    options = ["--score", "a", "--pos-label", labels[0], "--neg-label", labels[1]]
    assert text in output_of(capsys, *SQL, *options)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--score=p +"], "--score is no sqlite SQL: got 'p +'"),
        (["--score=p", "--pos-label='true'"], "--pos-label and --neg-label must both be texts"),
        (["--score=p", "--pos-label=1e400"], "--pos-label must be a finite number, a boolean or"),
        (["--score=p", "--neg-label=-inf"], "--neg-label must be a finite number, a boolean or"),
        (["--score=p", "--pos-label=nan"], "--pos-label must be a finite number, a boolean or"),
        (["--score=p", "--by=g", "--by=g"], "--by names a column more than once: got ['g', 'g']"),
        (["--score=p", "--bits=1.5"], "--bits must be an integer: got float 1.5"),
        *(
            (["--score=p", f"--bits={bits}"], f"--bits: must be a number: got {bits!r}")
            for bits in ("1_2", "x", "٣")
        ),
    ],
)
def test_the_command_speaks_of_its_options(capsys, given, message):
    assert message in error_of(capsys, *SQL, *given)
