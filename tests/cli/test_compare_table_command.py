"""`fastmetrics compare-table`: the numbers of the library, its files, formats and faults."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastmetrics as fm
from fastmetrics.cli import main

TEXTBOOK = "name,A,B,C\nD1,0.9,0.8,0.7\nD2,0.9,0.7,0.7\nD3,0.9,0.8,0.7\nD4,0.9,0.8,0.7\n"
HIGHER = ("--datasets", "name", "--higher-is-better")


@pytest.fixture
def textbook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text(TEXTBOOK)
    return tmp_path


def run(capsys, *arguments, code=0):
    assert main(["compare-table", *map(str, arguments)]) == code
    return capsys.readouterr()


def table_of(path, n=130, k=4):
    """Write a table of more data sets than there may be classes."""
    scores = np.round(np.random.default_rng(3).random((n, k)) + 0.08 * np.arange(k), 3)
    columns = {"set": [f"data set {i}" for i in range(n)]}
    columns |= {f"alg {j}": scores[:, j] for j in range(k)}
    pq.write_table(pa.table(columns), path / "t.parquet")
    return scores, list(columns["set"])


def test_table(textbook, capsys):
    out, err = run(capsys, "x.csv", *HIGHER)
    assert err == ""
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "3 algorithms on 4 data sets, higher is better"
    for line in (
        "chi-square 7.125 2 .028",
        "chi-square, tie-corrected 7.600 2 .022",
        "F (Iman–Davenport) 24.429 2, 6 .0013",
        "F, tie-corrected 57.000 2, 6 < .001",
        "exact – – .009",
        "A 1.000 a",
        "B 2.125 ab",
        "C 2.875 b",
        "A − C −1.875 −2.6517 .022 yes A",
        "B − C −0.750 −1.0607 .539 no –",
        "Friedman: at level 0.05 the algorithms differ, by the exact p-value: p = .009.",
        "Nemenyi: mean ranks differ from 1.657 on (critical difference).",
    ):
        assert line in lines
    assert max(map(len, out.splitlines())) <= 100


def test_json_is_what_python_returns(tmp_path, capsys):
    scores, sets = table_of(tmp_path)
    given = ("--datasets", "set", "--lower-is-better", "--format", "json", "--seed", 5)
    found = json.loads(run(capsys, tmp_path / "t.parquet", *given).out)
    names = [f"alg {j}" for j in range(4)]
    expected = fm.comparison.compare_table(
        scores, higher_is_better=False, names=names, datasets=sets, rng=5
    )
    plain = json.loads(json.dumps(expected.to_dict()), parse_constant=lambda _: None)
    assert {name: found[name] for name in plain} == plain


def test_csv(textbook, capsys):
    out, _ = run(capsys, "x.csv", *HIGHER, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    test = fm.comparison.nemenyi_test(ranks=[[1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], [1, 2, 3]])
    rows = [row for row in rows if row["minus_model"]]
    assert [row["model"] + row["minus_model"] for row in rows] == ["AB", "AC", "BC"]
    assert [float(row["pvalue"]) for row in rows] == [pair.pvalue for pair in test]
    assert [row["reject"] for row in rows] == ["False", "True", "False"]


def test_markdown(textbook, capsys):
    out, _ = run(capsys, "x.csv", *HIGHER, "--format", "markdown")
    assert "| algorithm | mean rank | group |\n| --- | ---: | :--- |\n| A | 1.000 | a |" in out
    assert "by the exact p-value: p = .009." in out


@pytest.mark.parametrize(
    ("options", "head", "control"),
    [
        (("--control", "A"), "Bonferroni-Dunn", "not told from A"),
        (
            ("--control", "A", "--post-hoc", "wilcoxon-holm"),
            "Wilcoxon with Holm",
            "not told from A",
        ),
        (("--post-hoc", "wilcoxon-holm"), "Wilcoxon with Holm", "group"),
    ],
)
def test_post_hoc_tests(options, head, control, textbook, capsys):
    out, _ = run(capsys, "x.csv", *HIGHER, *options)
    assert head in out
    assert control in out
    assert ("critical difference" in out) == (head == "Bonferroni-Dunn")


def test_chosen_algorithms(textbook, capsys):
    out, _ = run(capsys, "x.csv", *HIGHER, "--algorithm", "C", "--algorithm", "A")
    assert "2 algorithms on 4 data sets" in out
    assert "C − A" in out
    assert "at level 0.05 no difference is shown" in out
    assert "not called for" in out


def test_many_algorithms_leave_the_pairs_to_csv(tmp_path, capsys):
    table_of(tmp_path, n=12, k=12)
    out, _ = run(
        capsys, tmp_path / "t.parquet", "--datasets", "set", "--higher-is-better", "--seed", 1
    )
    assert "… 36 rows more: --format csv has all." in out
    assert "9,999 permutations, key " in out
    assert "random permutations" in out


def test_plot(textbook, capsys):
    _, err = run(capsys, "x.csv", *HIGHER, "--plot", "d.svg")
    assert err == "fastmetrics: note: d.svg: the critical-difference diagram\n"
    assert (textbook / "d.svg").stat().st_size > 1000


def test_degenerate_tables_are_warned_about(textbook, capsys):
    (textbook / "same.csv").write_text("name,A,B\nx,1,2\ny,1,2\n")
    _, err = run(capsys, "same.csv", *HIGHER)
    assert err.startswith("fastmetrics: warning: the table: all 2 data sets rank the algorithms")
    (textbook / "tied.csv").write_text("name,A,B\nx,1,1\ny,2,2\n")
    out, err = run(capsys, "tied.csv", *HIGHER, "--format", "json")
    assert "all algorithms tie on every data set" in err
    assert json.loads(out)["friedman"]["pvalue"] == 1


def test_numbered_data_sets_and_bad_rows(textbook, capsys):
    (textbook / "n.csv").write_text("name,A,B\n1,0.5,0.6\n2,,0.4\n3,0.1,0.9\n")
    out, err = run(capsys, "n.csv", *HIGHER, "--on-bad-row", "skip", "--format", "json")
    assert json.loads(out)["datasets"] == ["1", "3"]
    assert json.loads(out)["n_skipped"] == 1
    assert "1 bad row skipped, 2 compared" in err


FAULTS = {
    "one algorithm": (("x.csv", *HIGHER, "--algorithm", "A"), "the table must have a column for"),
    "the names as an algorithm": (("x.csv", *HIGHER, "--algorithm", "name"), "named 2 times"),
    "unknown control": (
        ("x.csv", *HIGHER, "--control", "Z"),
        "--control must be one of 'A', 'B', 'C': got 'Z'",
    ),
    "control of all pairs": (
        ("x.csv", *HIGHER, "--control", "A", "--post-hoc", "nemenyi"),
        "--control is not for the post-hoc test nemenyi",
    ),
    "no control": (("x.csv", *HIGHER, "--post-hoc", "bonferroni-dunn"), "--control must name an"),
    "no side": (("x.csv", "--datasets", "name"), "--higher-is-better --lower-is-better is requ"),
    "both sides": (("x.csv", *HIGHER, "--lower-is-better"), "not allowed with argument"),
    "level": (("x.csv", *HIGHER, "--confidence-level", "5"), "must lie between 0 and 1"),
    "picture": (("x.csv", *HIGHER, "--plot", "d.jpeg"), "--plot: the name must end in one of .png"),
    "folder": (("x.csv", *HIGHER, "--plot", "no/d.png"), "there is no folder no"),
    "twice": (("twice.csv", *HIGHER), "column 'name' names the data set 'x' more than once"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault, textbook, capsys):
    (textbook / "twice.csv").write_text("name,A,B\nx,1,2\nx,1,3\n")
    arguments, message = FAULTS[fault]
    out, err = run(capsys, *arguments, code=2)
    assert out == ""
    assert err.startswith("fastmetrics: error: ")
    assert err.count("\n") == 1
    assert message in err
    assert not list(textbook.glob("*.png"))
