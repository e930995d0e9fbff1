"""TREC's files: what they hold, what is counted, what is refused with file and line."""

from __future__ import annotations

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
#: Measures by trec_eval's names, and by ours.
MEASURES: dict[str, Any] = {
    "map": "map",
    "recip_rank": "mrr",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "P_5": "P@5",
    "recall_5": "recall@5",
    "success_1": "success@1",
    "ndcg": "ndcg",
    "ndcg_cut_5": "ndcg@5",
    "map_cut_5": "map@5",
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


def read(*paths: Any, **options: Any) -> dict[str, fm.RankingTable]:
    with pytest.warns(fm.DataConversionWarning):
        return fm.io.read_trec(*paths, **options)


def test_what_is_read(files: tuple[Path, Path]) -> None:
    (table,) = read(*files).values()
    assert table.queries is not None
    assert table.queries.tolist() == ["q1", "q2", "q3"]
    assert table.sizes.tolist() == [3, 0, 1]
    assert np.diff(table.item_starts).tolist() == [2, 1, 0]
    assert table.grades.tolist() == [1.0, 2.0, 1.0]
    assert table.above.tolist() == [2, 3, 0]  # d3 was not retrieved, nor was q2's d1
    assert table.tied.tolist() == [1, 0, 0]
    assert table.places[0] == 2
    assert table.judged.tolist() == [3, 1, 1]  # d7's -1 is no judgment, nor is d4 judged
    values = fm.ranking.mean_average_precision(table, per_query=True)
    np.testing.assert_allclose(values, [1 / 3 / 2, 0.0, math.nan])


def test_what_is_counted(files: tuple[Path, Path]) -> None:
    with pytest.warns(fm.DataConversionWarning) as caught:
        fm.io.read_trec(*files)
    texts = sorted(str(each.message) for each in caught)
    assert len(texts) == 2
    assert "mine.run: 1 query without judgments left out: 'q9'" in texts[0]
    assert "no document for 1 query with judgments, which count as nothing found: 'q2'" in texts[1]


def test_omitted_queries_are_left_out_for_all_runs(files: tuple[Path, Path]) -> None:
    qrels, run = files
    other = run.with_name("other.run.gz")
    other.write_bytes(gzip.compress(b"q1 Q0 d1 1 1 o\nq2 Q0 d1 1 1 o\n"))
    tables = read(qrels, [run, other], missing_queries="omit")
    assert list(tables) == ["mine", "other"]
    for table in tables.values():
        assert table.queries is not None
        assert table.queries.tolist() == ["q1"]
    found = fm.ranking.evaluate_rankings(read(qrels, {"a": run, "b": other}), metrics="map")
    assert found.per_query("b", "map").tolist()[:2] == [0.5, 1.0]


def random_files(folder: Path, seed: int) -> tuple[Path, Path]:
    rng = np.random.default_rng(seed)
    judged, retrieved = [], []
    for q in range(40):
        documents = [f"d{x}" for x in rng.permutation(200)]
        grades = rng.choice([-1, 0, 0, 0, 1, 2, 3], 30)
        judged += [f"q{q} 0 {d} {g}" for d, g in zip(documents, grades, strict=False)]
        scores = np.round(rng.normal(size=50), 1)
        pairs = zip(documents[15:], scores, strict=False)
        retrieved += [f"q{q} Q0 {d} {i} {s} t" for i, (d, s) in enumerate(pairs)]
    qrels, run = folder / "qrels", folder / "random.run"
    qrels.write_text("\n".join(rng.permutation(judged).tolist()))
    run.write_text("\n".join(rng.permutation(retrieved).tolist()) + "\n")
    return qrels, run


def evaluated(tables: dict[str, fm.RankingTable]) -> fm.results.RankingEvaluation:
    return fm.ranking.evaluate_rankings(tables, metrics=MEASURES, ties="trec_eval", no_relevant=0.0)


@pytest.mark.parametrize("seed", range(3))
def test_values_are_trec_evals(tmp_path: Path, seed: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_files(tmp_path, seed)
    with qrels.open() as judged, run.open() as retrieved:
        qrel, theirs = pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(retrieved)
    names = {name.replace("_cut_", "_cut.") for name in MEASURES}
    names = {f"{name[:-2]}.{name[-1]}" if name[-2] == "_" else name for name in names}
    values = pytrec_eval.RelevanceEvaluator(qrel, names).evaluate(theirs)
    found = evaluated(fm.io.read_trec(qrels, run))
    assert found.queries is not None
    for name in MEASURES:
        own = found.per_query("random", name)
        expected = [values[query][name] for query in found.queries.tolist()]
        np.testing.assert_allclose(own, expected, rtol=0, atol=1e-14, err_msg=name)


def test_means_are_those_that_trec_eval_prints(tmp_path: Path) -> None:
    found = evaluated(fm.io.read_trec(*random_files(tmp_path, 0)))
    printed = {name: f"{found[name]['random'].estimate:.4f}" for name in MEASURES}
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
        (1, "q7 Q0 d1 1 2 t\n", None),
        (1, b"q1 Q0 d\xff 1 2 t\n", r"mine\.run: "),
        (0, b"\x00\x01\x02", r"qrels\.txt: "),
    ],
)
@pytest.mark.filterwarnings("ignore::fastmetrics.DataConversionWarning")
def test_what_is_refused(files: tuple[Path, Path], which: int, text: Any, message: Any) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    files[which].write_bytes(data)
    if message is None:
        assert fm.io.read_trec(*files)["mine"].sizes.tolist() == [0, 0, 0]
        with pytest.raises(FileError, match="no query has judgments and documents"):
            fm.io.read_trec(*files, missing_queries="omit")
        return
    with pytest.raises(FileError, match=message):
        fm.io.read_trec(*files)


def test_arguments_that_are_refused(files: tuple[Path, Path]) -> None:
    qrels, run = files
    with pytest.raises(FileError, match="no such file"):
        fm.io.read_trec(qrels, run.with_name("none.run"))
    with pytest.raises(FileError, match="named twice"):
        fm.io.read_trec(qrels, [run, qrels])
    with pytest.raises(ValueError, match="two files called 'mine'"):
        fm.io.read_trec(qrels, [run, run.with_name("mine.txt")])
    with pytest.raises(ValueError, match="at least one file"):
        fm.io.read_trec(qrels, [])
    with pytest.raises(TypeError, match="`runs` must be a path"):
        fm.io.read_trec(qrels, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`missing_queries`"):
        fm.io.read_trec(qrels, run, missing_queries="mean")  # type: ignore[arg-type]
