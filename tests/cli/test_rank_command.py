"""`fastmetrics rank`: rankings of the library, of files; what is counted, drawn and refused."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastmetrics as fm
from fastmetrics.cli import main

RNG = np.random.default_rng(11)
N_QUERIES, N_ITEMS = 40, 8
USER = RNG.permutation(np.repeat(np.arange(N_QUERIES), N_ITEMS))
CLICKED = (RNG.random(len(USER)) < 0.3).astype(np.int8)
SCORES = {"new": CLICKED + RNG.normal(size=len(USER)), "old": RNG.normal(size=len(USER))}
COLUMNS = {
    "user": USER,
    "name": [f"u{i}" for i in USER],
    "clicked": CLICKED,
    **SCORES,
    "row": np.arange(len(USER)),
    "house": USER % 36,
    "street": [f"s{i % 36}" for i in USER],
}
GIVEN = ("x.parquet", "--query", "user", "--score", "new", "--score", "old")
ROWS = (*GIVEN, "--relevance", "clicked")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(COLUMNS), "x.parquet")
    with open("x.csv", "w") as file:
        rows = zip(*COLUMNS.values(), strict=True)
        file.writelines(
            [",".join(COLUMNS) + "\n", *(",".join(map(str, row)) + "\n" for row in rows)]
        )
    Path("q.txt").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d2 1\n")
    Path("a.run").write_text("q1 Q0 d2 1 2 a\nq1 Q0 d1 2 1 a\nq2 Q0 d1 1 1 a\nq3 Q0 d1 1 1 a\n")
    Path("b.run").write_text("q1 Q0 d1 1 2 b\n")
    return tmp_path


def run(capsys: Any, *arguments: str, code: int = 0) -> Any:
    assert main(["rank", *arguments]) == code
    return capsys.readouterr()


def evaluated(**options: Any) -> fm.results.RankingEvaluation:
    return fm.ranking.evaluate_rankings(CLICKED, SCORES, query=USER, **options)


@pytest.mark.parametrize("query", ["user", "name"])
@pytest.mark.parametrize("file", ["x.parquet", "x.csv"])
def test_the_numbers_are_the_librarys(capsys: Any, file: str, query: str) -> None:
    scores = ("--score", "new", "--score", "old", "--relevance", "clicked")
    given = (file, "--query", query, *scores, "--k", "3,5", "--format", "json", "--seed", "1")
    found = json.loads(run(capsys, *given).out)
    own = evaluated(k=(3, 5), rng=1)
    assert [each["metric"] for each in found["means"]][::2] == list(own.metrics)
    for each, mean in zip(found["means"], own.means, strict=True):
        assert each["estimate"] == pytest.approx(mean.estimate, rel=1e-12)
    for each, pair in zip(found["differences"], own.differences, strict=True):
        assert each["pvalue_holm"] == pytest.approx(pair.pvalue_holm, rel=1e-9)
        assert (each["a"], each["b"], each["better"]) == (pair.a, pair.b, pair.better)
    assert [each["model"] for each in found["means"]] == ["new", "old"] * len(own.metrics)
    assert found["verdict"] == own.verdict
    assert found["n_left_out"] == dict(own.n_left_out)


def test_options_reach_the_library(capsys: Any) -> None:
    given = (
        *("--metrics", "map@2:divide_by=reachable", "rbp:persistence=0.8"),
        *("--ties", "pessimistic", "--control", "old"),
        *("--test", "randomization", "--adjustment", "max-t", "--resamples", "200", "--seed", "3"),
        *("--confidence-level", "0.9", "--no-relevant", "0"),
        *("--relevant-from", "1", "--format", "csv"),
    )
    rows = list(csv.DictReader(io.StringIO(run(capsys, *ROWS, *given).out)))
    own = evaluated(
        metrics=[("map@2", {"divide_by": "reachable"}), ("rbp", {"persistence": 0.8})],
        ties="pessimistic",
        control="old",
        test="randomization",
        rng=3,
        adjustment="max-t",
        n_resamples=200,
        confidence_level=0.9,
        no_relevant=0.0,
    )
    assert len(rows) == 6
    for row, mean in zip(rows, own.means, strict=False):
        assert float(row["low"]) == mean.confidence_interval.low
        assert (row["minus_model"], row["method"]) == ("", mean.method)
    assert [row["model"] for row in rows[:4]] == ["new", "old"] * 2
    for row, pair, p in zip(rows[4:], own.differences, own.pvalues_max_t, strict=True):
        assert (row["model"], row["minus_model"]) == ("new", "old")
        assert float(row["pvalue"]) == pair.pvalue
        assert float(row["pvalue_max_t"]) == p
        assert row["better"] == (pair.better or "")
    assert {row["key"] for row in rows} == {own.key}


@pytest.mark.parametrize("file", ["x.parquet", "x.csv"])
@pytest.mark.parametrize("column", ["house", "street"])
def test_groups_of_queries(capsys: Any, file: str, column: str) -> None:
    given = (file, *ROWS[1:], "--groups", column, "--seed", "1", "--metrics", "mrr")
    found = json.loads(run(capsys, *given, "--format", "json").out)
    own = evaluated(metrics="mrr", groups=np.arange(N_QUERIES) % 36, rng=1)
    assert found["n_groups"] == own.n_groups == 36
    assert found["differences"][0]["pvalue"] == pytest.approx(own.differences[0].pvalue, rel=1e-9)
    assert found["means"][0]["confidence_interval"] == pytest.approx(
        own.means[0].to_dict()["confidence_interval"], rel=1e-9
    )


def test_tables(capsys: Any) -> None:
    given = ("--metrics", "ndcg@5", "--test", "randomization", "--seed", "1")
    text = run(capsys, *ROWS, *given).out
    assert "¹ new" in text
    assert "new − old" in text
    assert "new is better in ndcg@5, by 0." in text
    assert "--seed " in text
    assert "rng=" not in text
    markdown = run(capsys, *ROWS, "--metrics", "ndcg@5", "--format", "markdown").out
    assert markdown.startswith("| system | ndcg@5 |\n")


def test_trec_files(capsys: Any) -> None:
    given = ("--qrels", "q.txt", "--run", "a.run", "--run", "b.run", "--metrics", "map")
    shown = run(capsys, *given, "--format", "json")
    found = {each["model"]: each["estimate"] for each in json.loads(shown.out)["means"]}
    assert found == {"a": (0.5 + 0.5) / 2, "b": 0.5}
    assert "a.run: 1 query without judgments left out: 'q3'" in shown.err
    assert "b.run: no document for 1 query with judgments, which count as nothing" in shown.err
    omitted = run(capsys, *given, "--missing-queries", "omit", "--format", "json")
    assert json.loads(omitted.out)["n_queries"] == 1
    by_name = run(capsys, *given, "--ties", "trec_eval", "--no-relevant", "0")
    assert "map" in by_name.out


def test_a_picture(capsys: Any, folder: Path) -> None:
    run(capsys, *ROWS, "--metrics", "ndcg", "--k", "1,2,5", "--plot", "o.svg")
    assert (folder / "o.svg").read_text().startswith("<?xml")
    assert "must end in one of" in run(capsys, *ROWS, "--plot", "o.doc", code=2).err


def test_bad_rows_are_counted(capsys: Any) -> None:
    Path("gap.csv").write_text("q,r,s\n1,1,0.5\n1,0,\n1,0,0.7\n")
    given = ("gap.csv", "--query", "q", "--score", "s", "--relevance", "r", "--metrics", "mrr")
    assert "gap.csv" in run(capsys, *given, code=2).err
    shown = run(capsys, *given, "--on-bad-row", "skip", "--format", "json")
    assert "1 bad row skipped" in shown.err
    assert json.loads(shown.out)["means"][0]["estimate"] == 0.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (GIVEN, "--relevance missing: rank takes FILE"),
        ((), "FILE, --query, --score, --relevance missing"),
        (("--qrels", "q.txt"), "--run missing"),
        (("--qrels", "q.txt", "--run", "a.run", "--query", "user"), "--query is of files of items"),
        ((*ROWS, "--groups", "row"), "--groups must have one group for all items of a query"),
        (("--qrels", "q.txt", "--run", "a.run", "--groups", "u"), "--groups is of files of items"),
        (("--qrels", "q.txt", "--run", "a.run", "--where", "1"), "--where is of files of items"),
        ((*ROWS, "--missing-queries", "omit"), "--missing-queries is of TREC's files"),
        ((*ROWS, "--ties", "trec_eval"), "it is of --qrels"),
        ((*ROWS, "--resamples", "0"), "argument --resamples: must be an integer of at least 1"),
        ((*ROWS, "--metrics", "ngdc@3"), "--metrics names 'ngdc@3', which is no measure of rank"),
        ((*ROWS, "--metrics", "precision"), "needs its parameter 'k'"),
        ((*ROWS, "--metrics", "map", "map"), "--metrics names 'map' more than once"),
        ((*ROWS, "--k", "5,x"), "argument --k: must be an integer of at least 1: got 'x'"),
        ((*ROWS, "--k", "5,5"), "--k must be one cut-off or several that differ"),
        ((*ROWS, "--control", "none"), "--control must be one of 'new', 'old'"),
        ((*ROWS, "--relevant-from", "0"), "--relevant-from must be positive"),
        ((*ROWS, "--no-relevant", "7"), "--no-relevant must"),
        ((*GIVEN, "--relevance", "name"), "column 'name' must be numbers: got 'u"),
        ((*GIVEN, "--relevance", "no"), "no column 'no'"),
        (("--qrels", "a.run", "--run", "b.run"), "a.run: line 1: 6 fields where there are 4"),
        (("--qrels", "q.txt", "--run", "c.run"), "c.run: no such file"),
        (("--qrels", "q.txt", "--run", "a.run", "--run", "./a.run"), "--run has two files called"),
    ],
)
def test_what_is_refused(capsys: Any, arguments: tuple[str, ...], message: str) -> None:
    shown = run(capsys, *arguments, code=2)
    assert shown.out == ""
    assert shown.err.startswith("fastmetrics: error: ")
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1


#: Row 96 of the list of faults: a file, what it holds, and what is printed of it.
ROW_96 = {
    "a document twice in the qrels": (
        *("q.txt", "q1 0 d1 1\nq2 0 d1 0\nq1 0 d1 0\n"),
        "q.txt: line 3: query 'q1' has document 'd1' twice, first in line 1",
    ),
    "a document twice in a run": (
        *("a.run", "q1 Q0 d1 1 2 a\n\nq1 Q0 d1 2 1 a\n"),
        "a.run: line 3: query 'q1' has document 'd1' twice, first in line 1",
    ),
    "a field is missing in the qrels": (
        *("q.txt", "q1 0 d1 1\nq1 0 d2\n"),
        "q.txt: line 2: 3 fields where there are 4: query, iteration, document, relevance",
    ),
    "a field is missing in a run": (
        *("a.run", "q1 Q0 d1 1 2\n"),
        "a.run: line 1: 5 fields where there are 6: query, Q0, document, rank, score, tag",
    ),
    "a score is no number": (
        *("a.run", "q1 Q0 d1 1 high a\n"),
        "a.run: line 1: the score 'high' is no finite number",
    ),
    "no query is known": (
        *("a.run", "q7 Q0 d1 1 2 a\n"),
        "a.run: no query has judgments and documents of every run",
    ),
}


@pytest.mark.parametrize("fault", ROW_96)
def test_row_96_of_the_faults(capsys: Any, fault: str) -> None:
    name, text, printed = ROW_96[fault]
    Path(name).write_text(text)
    given = ("--qrels", "q.txt", "--run", "a.run", "--missing-queries", "omit")
    shown = run(capsys, *given, code=2)
    assert shown.out == ""
    assert printed in shown.err


def test_row_96_unknown_queries_are_counted(capsys: Any) -> None:
    Path("a.run").write_text("q1 Q0 d1 1 2 a\n" + "".join(f"x{i} Q0 d1 1 1 a\n" for i in range(7)))
    shown = run(capsys, "--qrels", "q.txt", "--run", "a.run", "--metrics", "map")
    assert (
        "a.run: 7 queries without judgments left out: 'x0', 'x1', 'x2', 'x3', 'x4', …" in shown.err
    )
    assert "a.run: no document for 1 query with judgments, which count as nothing" in shown.err
    assert "0.5" in shown.out


def test_help_imports_no_numpy() -> None:
    code = (
        "import sys; from fastmetrics.cli import main\n"
        "assert main(['rank', '--help']) == 0; assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
