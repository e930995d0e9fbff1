"""AUC by size, ties, dtypes and balance: fastmetrics, its peers, all pairs, and one sort."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import naive
from benchmarks.contests import PEERS, TOLERANCE, WORKS, YARDSTICKS
from benchmarks.data import ANY_DATA, Spec, make

pytestmark = pytest.mark.bench

ties = pytest.mark.parametrize("kind", ["continuous", "tied"])
floats = pytest.mark.parametrize("scores", ["float32", "float64"])
shares = pytest.mark.parametrize("share", [0.5, 0.01], ids=["balanced", "rare"])


def group(spec: Spec) -> str:
    """Rows that answer the same question are listed together, whatever the labels' dtype."""
    return f"AUC: {spec.title}".replace(f", {spec.labels} labels", "")


def exactly(spec: Spec):
    def check(answer):
        assert answer == naive.exact_auc(spec)

    return check


def nearly(spec: Spec):
    def check(answer):
        assert answer == pytest.approx(naive.exact_auc(spec), rel=TOLERANCE)

    return check


@shares
@floats
@ties
@pytest.mark.parametrize("labels", ["int8", "bool", "int64"])
def test_fastmetrics(timed, rows, kind, scores, labels, share):
    spec = Spec(kind, rows, share, scores, labels)
    timed(WORKS["auc"](make(spec)), exactly(spec), group(spec))


@shares
@floats
@ties
def test_one_thread(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)
    timed(WORKS["auc, one thread"](make(spec)), exactly(spec), group(spec))


@pytest.mark.sizes(100_000, 10_000_000)
@pytest.mark.parametrize("kind", ANY_DATA)
def test_any_data(timed, rows, kind):
    spec = Spec(kind, rows)
    timed(WORKS["auc"](make(spec)), exactly(spec), f"AUC: any data, {rows:,} rows")


@shares
@floats
@ties
def test_sort(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)
    data = make(spec)

    def is_sorted(answer):
        assert np.all(answer[1:] >= answer[:-1])

    timed(YARDSTICKS["sort"](data), is_sorted, group(spec))


@shares
@floats
@ties
def test_sklearn(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)
    timed(PEERS["sklearn auc"](make(spec)), nearly(spec), group(spec), rounds=2)


@shares
@ties
def test_mannwhitneyu(timed, rows, kind, share):
    spec = Spec(kind, rows, share)
    timed(PEERS["mannwhitneyu"](make(spec)), nearly(spec), group(spec), rounds=2)


def all_pairs(spec: Spec, count):
    data = make(spec)

    def auc():
        positive, negative = naive.split(data)
        return count(positive, negative) / (2 * len(positive) * len(negative))

    return auc


@pytest.mark.sizes(0, naive.LOOP_ROWS)
@shares
@ties
def test_all_pairs_in_a_loop(timed, rows, kind, share):
    spec = Spec(kind, rows, share)
    timed(all_pairs(spec, naive.pairs_by_loop), exactly(spec), group(spec), rounds=2)


@pytest.mark.sizes(0, naive.BROADCAST_ROWS)
@shares
@ties
def test_all_pairs_by_numpy(timed, rows, kind, share):
    spec = Spec(kind, rows, share)
    timed(all_pairs(spec, naive.pairs_by_broadcast), exactly(spec), group(spec), rounds=2)


@pytest.mark.sizes(0, naive.COMPILED_ROWS)
@shares
@ties
def test_all_pairs_compiled(timed, rows, kind, share):
    spec = Spec(kind, rows, share)
    timed(PEERS["all pairs"](make(spec)), exactly(spec), group(spec), rounds=1)
