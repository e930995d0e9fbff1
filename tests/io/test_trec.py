"""TREC's files: what they hold, what is counted, what is refused with file and line."""

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm
from fastmetrics.errors import FileError

QRELS = """\
q1 0 d1 1
q1 0 d2 0
q1 0 d3 2
q1 0 d7 -1
q2 0 d1 1
q3 0 d9 0
"""
RUN = """\
q1 Q0 d2 1 9.5 mine
q1 Q0 d4 2 9.5 mine
q1\tQ0   d1  3 2.25 mine\x20

q3 Q0 d9 1 1e-3 mine
q9 Q0 d1 1 5 mine
"""
#: Metrics by trec_eval's names, and by ours.
ZERO = {"no_relevant": 0.0}
METRICS: dict[str, Any] = {
    "map": (fm.ranking.mean_average_precision, ZERO),
    "recip_rank": (fm.ranking.mean_reciprocal_rank, ZERO),
    "Rprec": (fm.ranking.r_precision, ZERO),
    "bpref": (fm.ranking.bpref, ZERO),
    "P_5": (fm.ranking.precision_at_k, {"k": 5}),
    "recall_5": (fm.ranking.recall_at_k, {"k": 5} | ZERO),
    "success_1": (fm.ranking.hit_rate_at_k, {"k": 1} | ZERO),
    "ndcg": (fm.ranking.ndcg, ZERO),
    "ndcg_cut_5": (fm.ranking.ndcg, {"k": 5} | ZERO),
    "map_cut_5": (fm.ranking.mean_average_precision, {"k": 5} | ZERO),
}
#: Means over `random_files(…, 0)`, of pytrec_eval-terrier 0.5.11 (trec_eval 9).
STORED = {
    "map": "0.0995",
    "recip_rank": "0.3079",
    "Rprec": "0.1273",
    "bpref": "0.3623",
    "P_5": "0.1100",
    "recall_5": "0.0434",
    "success_1": "0.1750",
    "ndcg": "0.2856",
    "ndcg_cut_5": "0.1039",
    "map_cut_5": "0.0243",
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "mine.run"
    qrels.write_text(QRELS)
    run.write_text(RUN)
    return qrels, run


def test_what_is_read(files: tuple[Path, Path]) -> None:
    with pytest.warns(fm.DataConversionWarning) as caught:
        columns = fm.io.read_trec(*files)
    assert columns["query"].tolist() == ["q1"] * 5 + ["q2", "q3"]
    assert columns["document"].tolist() == ["d1", "d2", "d3", "d4", "d7", "d1", "d9"]
    np.testing.assert_array_equal(columns["relevance"], [1, 0, 2, math.nan, -1, 1, 0])
    none = -math.inf
    assert columns["score"].tolist() == [2.25, 9.5, none, 9.5, none, none, 1e-3]
    texts = sorted(str(each.message) for each in caught)
    assert len(texts) == 2
    assert "mine.run: 1 query without judgments left out: 'q9'" in texts[0]
    assert "no document for 1 query with judgments, which count as nothing found: 'q2'" in texts[1]
    options = {"query": columns["query"], "ids": columns["document"]}
    table = fm.RankingTable.from_scores(columns["relevance"], columns["score"], **options)
    assert table.sizes.tolist() == [3, 0, 1]
    assert np.diff(table.item_starts).tolist() == [2, 1, 0]
    assert table.grades.tolist() == [1.0, 2.0, 1.0]
    assert table.above.tolist() == [2, 3, 0]  # d3 was not retrieved, nor was q2's d1
    assert table.tied.tolist() == [1, 0, 0]
    assert table.places[0] == 2
    assert table.judged.tolist() == [3, 1, 1]  # d7's -1 is no judgment, nor is d4 judged
    values = fm.ranking.mean_average_precision(table, per_query=True)
    np.testing.assert_allclose(values, [1 / 3 / 2, 0.0, math.nan])


@pytest.mark.filterwarnings("ignore::fastmetrics.DataConversionWarning")
def test_several_runs_have_the_rows_of_all(files: tuple[Path, Path]) -> None:
    qrels, run = files
    other = run.with_name("other.run.gz")
    other.write_bytes(gzip.compress(b"q1 Q0 d1 1 1 o\nq2 Q0 d1 1 1 o\nq2 Q0 d5 1 0 o\n"))
    columns = fm.io.read_trec(qrels, {"a": run, "b": other})
    assert len(columns["query"]) == 8
    evaluation = fm.evaluate(
        columns["relevance"], columns["score"], query=columns["query"], metrics=["map"]
    )
    assert float(evaluation["a"]["map"]) == pytest.approx((1 / 3 / 2 + 0) / 2)
    assert float(evaluation["b"]["map"]) == pytest.approx((1 / 2 + 1) / 2)
    assert evaluation.n_left_out == {"map": 1}


def random_files(folder: Path, seed: int) -> tuple[Path, Path]:
    rng = np.random.default_rng(seed)
    judged = []
    retrieved = []
    for q in range(40):
        documents = [f"d{x}" for x in rng.permutation(200)]
        grades = rng.choice([-1, 0, 0, 0, 1, 2, 3], 30)
        judged += [f"q{q} 0 {d} {g}" for d, g in zip(documents, grades, strict=False)]
        pairs = zip(documents[15:], np.round(rng.normal(size=50), 1), strict=False)
        retrieved += [f"q{q} Q0 {d} {i} {s} t" for i, (d, s) in enumerate(pairs)]
    qrels, run = folder / "qrels", folder / "random.run"
    qrels.write_text("\n".join(rng.permutation(judged).tolist()))
    run.write_text("\n".join(rng.permutation(retrieved).tolist()) + "\n")
    return qrels, run


def evaluated(qrels: Path, run: Path, **options: Any) -> dict[str, Any]:
    columns = fm.io.read_trec(qrels, run)
    rows = {"query": columns["query"], "ids": columns["document"]}
    table = fm.RankingTable.from_scores(columns["relevance"], columns["score"], **rows)
    return {
        name: function(table, ties="trec_eval", **given | options)
        for name, (function, given) in METRICS.items()
    }


@pytest.mark.parametrize("seed", range(3))
def test_values_are_trec_evals(tmp_path: Path, seed: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_files(tmp_path, seed)
    with qrels.open() as judged, run.open() as retrieved:
        qrel = pytrec_eval.parse_qrel(judged)
        theirs = pytrec_eval.parse_run(retrieved)
    names = {name.replace("_cut_", "_cut.") for name in METRICS}
    names = {f"{name[:-2]}.{name[-1]}" if name[-2] == "_" else name for name in names}
    values = pytrec_eval.RelevanceEvaluator(qrel, names).evaluate(theirs)
    for name, own in evaluated(qrels, run, per_query=True).items():
        expected = [values[query][name] for query in sorted(values)]
        np.testing.assert_allclose(own, expected, rtol=0, atol=1e-14, err_msg=name)


def test_means_are_those_that_trec_eval_prints(tmp_path: Path) -> None:
    printed = {
        name: f"{value:.4f}" for name, value in evaluated(*random_files(tmp_path, 0)).items()
    }
    assert printed == STORED


@pytest.mark.parametrize(
    ("which", "text", "message"),
    [
        (0, "q1 0 d1 1\nq1 0 d2\n", r"qrels\.txt: line 2: 3 fields where there are 4: query, it"),
        (0, "q1 0 d1 1\n\nq1 0 d2 1 x\n", r"line 3: 5 fields"),
        (0, "q1 0 d1 high\n", r"line 1: the relevance 'high' is no finite number"),
        (0, "q1 0 d1 1\nq1 0 d2 1_0\n", r"qrels\.txt: line 2: the relevance '1_0' is no fin"),
        (1, "q1 Q0 d1 1 1e1_0 t\n", r"mine\.run: line 1: the score '1e1_0' is no finite number"),
        (0, "q1 0 d1 nan\n", r"line 1: the relevance 'nan' is no finite number"),
        (0, "q1 0 d1 1\nq2 0 d1 0\nq1 0 d1 0\n", r"line 3: query 'q1' has document 'd1' twice, fi"),
        (0, "", r"qrels\.txt: the file is empty"),
        (0, "\n \n", r"qrels\.txt: the file is empty"),
        (1, "q1 Q0 d1 1 2.0\n", r"mine\.run: line 1: 5 fields where there are 6"),
        (1, "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 inf t\n", r"mine\.run: line 2: the score 'inf'"),
        (
            1,
            "q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n",
            r"line 2: query 'q1' has document 'd1' twice, .* 1$",
        ),
        (1, b"q1 Q0 d\xff 1 2 t\n", r"mine\.run: "),
        (0, b"\x00\x01\x02", r"qrels\.txt: "),
    ],
)
@pytest.mark.filterwarnings("ignore::fastmetrics.DataConversionWarning")
def test_what_is_refused(files: tuple[Path, Path], which: int, text: Any, message: Any) -> None:
    files[which].write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileError, match=message):
        fm.io.read_trec(*files)


def test_arguments_that_are_refused(files: tuple[Path, Path]) -> None:
    qrels, run = files
    with pytest.raises(FileError, match="no such file"):
        fm.io.read_trec(qrels, run.with_name("none.run"))
    with pytest.raises(FileError, match="named twice"):
        fm.io.read_trec(qrels, {"a": run, "b": qrels})
    with pytest.raises(ValueError, match="at least one file"):
        fm.io.read_trec(qrels, {})
