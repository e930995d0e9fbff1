"""Rankings of 100,000 queries beside ranx and pytrec_eval; ten million rows of groups by pandas.

Ratios of processor time in one run, the least of several: all cores are counted on either side.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import fastmetrics as fm

pytestmark = pytest.mark.bench

N_QUERIES, N_ITEMS = 100_000, 100
#: Queries of which the slow peers are timed, and their time multiplied.
SAMPLE = 1_000


def seconds(call: Callable[[], Any], rounds: int = 4) -> float:
    """Return the least processor time of a warm call."""
    call()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def data(share: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    relevance = (rng.random((N_QUERIES, N_ITEMS)) < share).astype(np.int64)
    relevance[:, 0] |= relevance.sum(axis=1) == 0  # ranx has no query without relevant items
    return relevance, rng.random((N_QUERIES, N_ITEMS))


def three(relevance: Any, score: Any) -> tuple[float, float, float]:
    table = fm.RankingTable.from_scores(relevance, score)
    return (
        fm.ranking.ndcg(table, k=10),
        fm.ranking.mean_average_precision(table),
        fm.ranking.mean_reciprocal_rank(table),
    )


def dictionaries(relevance: Any, score: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    names = [f"d{number:02}" for number in range(N_ITEMS)]
    judged = {
        f"q{q:06}": {name: int(g) for name, g in zip(names, row.tolist(), strict=True) if g}
        for q, row in enumerate(relevance)
    }
    run = {f"q{q:06}": dict(zip(names, row.tolist(), strict=True)) for q, row in enumerate(score)}
    return judged, run


@pytest.mark.parametrize(("share", "target"), [(0.05, 4.0), (0.5, 2.5)])
def test_beside_ranx_on_its_own_arrays(share: float, target: float) -> None:
    ranx = pytest.importorskip("ranx")
    from numba.typed import List

    relevance, score = data(share)
    judged, run = List(), List()
    for grades, values in zip(relevance, score, strict=True):
        (found,) = np.nonzero(grades)
        judged.append(np.column_stack([found, grades[found]]).astype(np.float64))
        order = np.argsort(-values)
        run.append(np.column_stack([order, values[order]]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = seconds(lambda: ranx.evaluate(judged, run, ["ndcg@10", "map", "mrr"]))
        expected = ranx.evaluate(judged, run, ["ndcg@10", "map", "mrr"])
    assert three(relevance, score) == pytest.approx(list(expected.values()), rel=1e-9)
    ratio = theirs / seconds(lambda: three(relevance, score))
    print(f"{share:.0%} relevant: {ratio:.1f} x")
    assert ratio > target


def test_beside_ranx_from_dictionaries() -> None:
    ranx = pytest.importorskip("ranx")
    relevance, score = data(0.05)
    judged, run = dictionaries(relevance[: 10 * SAMPLE], score[: 10 * SAMPLE])

    def theirs() -> Any:
        return ranx.evaluate(ranx.Qrels(judged), ranx.Run(run), ["ndcg@10", "map", "mrr"])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = list(theirs().values())
        their_time = N_QUERIES / (10 * SAMPLE) * seconds(theirs, rounds=2)
    found = three(relevance[: 10 * SAMPLE], score[: 10 * SAMPLE])
    assert found == pytest.approx(expected, rel=1e-9)
    ratio = their_time / seconds(lambda: three(relevance, score))
    print(f"ranx from dictionaries: {ratio:.0f} x")
    assert ratio > 100


def test_the_first_answer_of_a_process_that_has_to_compile(tmp_path: Path) -> None:
    code = (
        "from benchmarks.speed.bench_rankings import data, three\n"
        "import time; three(*data(0.05)); print(time.process_time())"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", code], env=environment, check=True, capture_output=True
            ).stdout
        )
        for _ in range(2)
    ]
    print(f"with nothing compiled: {times[0]:.1f} s, with all: {times[1]:.1f} s")
    assert times[0] - times[1] < 3.0


def test_beside_pytrec_eval() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    relevance, score = data(0.05)
    judged, run = dictionaries(relevance[:SAMPLE], score[:SAMPLE])

    def theirs() -> Any:
        metrics = {"ndcg_cut.10", "map", "recip_rank"}
        return pytrec_eval.RelevanceEvaluator(judged, metrics).evaluate(run)

    values = theirs().values()
    names = ("ndcg_cut_10", "map", "recip_rank")
    expected = [np.mean([each[name] for each in values]) for name in names]
    assert three(relevance[:SAMPLE], score[:SAMPLE]) == pytest.approx(expected, rel=1e-9)
    ratio = N_QUERIES / SAMPLE * seconds(theirs) / seconds(lambda: three(relevance, score))
    print(f"pytrec_eval: {ratio:.0f} x")
    assert ratio > 50


def test_groups_beside_pandas_and_scikit_learn() -> None:
    import pandas as pd

    rng = np.random.default_rng(1)
    n, n_groups = N_QUERIES * N_ITEMS, 100_000
    group, label, score = rng.integers(0, n_groups, n), rng.random(n) < 0.05, rng.random(n)
    some = group < 300
    frame = pd.DataFrame({"group": group[some], "y": label[some], "score": score[some]})

    def theirs() -> list[float]:
        parts = (part for _, part in frame.groupby("group") if part.y.nunique() == 2)
        return [roc_auc_score(part.y, part.score) for part in parts]

    found = fm.ranking.group_auc(label, score, query=group)
    values = found.per_query[:300]
    assert values[~np.isnan(values)] == pytest.approx(theirs(), rel=1e-12)
    ours = seconds(lambda: fm.ranking.group_auc(label, score, query=group), rounds=2)
    ratio = n_groups / 300 * seconds(theirs, rounds=2) / ours
    print(f"group AUC: {ratio:.0f} x")
    assert ratio > 50
