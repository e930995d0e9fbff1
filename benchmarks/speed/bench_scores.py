"""Areas, tables and curves by size, ties, dtypes and balance: against peers, all pairs, a sort."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import fastmetrics
from benchmarks.speed import naive
from benchmarks.speed.contests import CHECKS, PEERS, TOLERANCE, WORKS, YARDSTICKS, assert_agree
from benchmarks.speed.data import ANY_DATA, Spec, make

pytestmark = pytest.mark.bench

ties = pytest.mark.parametrize("kind", ["continuous", "tied"])
floats = pytest.mark.parametrize("scores", ["float32", "float64"])
shares = pytest.mark.parametrize("share", [0.5, 0.01], ids=["balanced", "rare"])


def group(what: str, spec: Spec) -> str:
    """Rows that answer the same question are listed together, whatever the labels' dtype."""
    return f"{what}: {spec.title}".replace(f", {spec.labels} labels", "")


def checked(work: str, data):
    return partial(CHECKS[work], data)


def nearly(right):
    def check(answer):
        assert answer == pytest.approx(right, rel=TOLERANCE)

    return check


def is_sorted(answer):
    assert np.all(answer[1:] >= answer[:-1])


@shares
@floats
@ties
def test_sort(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)
    timed(YARDSTICKS["sort"](make(spec)), is_sorted, group("AUC", spec))


# --- the area ------------------------------------------------------------------------------------


@shares
@floats
@ties
@pytest.mark.parametrize("labels", ["int8", "bool", "int64"])
def test_auc(timed, rows, kind, scores, labels, share):
    spec = Spec(kind, rows, share, scores, labels)
    data = make(spec)
    timed(WORKS["auc"](data), checked("auc", data), group("AUC", spec))


@shares
@floats
@ties
def test_auc_on_one_thread(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)
    data = make(spec)
    timed(WORKS["auc, one thread"](data), checked("auc", data), group("AUC", spec))


@pytest.mark.sizes(100_000, 10_000_000)
@pytest.mark.parametrize("kind", ANY_DATA)
def test_auc_of_any_data(timed, rows, kind):
    data = make(Spec(kind, rows))
    timed(WORKS["auc"](data), checked("auc", data), f"AUC: any data, {rows:,} rows")


@shares
@floats
@ties
def test_auc_of_sklearn(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)
    right = nearly(naive.exact_auc(spec))
    timed(PEERS["sklearn auc"](make(spec)), right, group("AUC", spec), rounds=2)


@shares
@ties
def test_mannwhitneyu(timed, rows, kind, share):
    spec = Spec(kind, rows, share)
    right = nearly(naive.exact_auc(spec))
    timed(PEERS["mannwhitneyu"](make(spec)), right, group("AUC", spec), rounds=2)


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
    work = all_pairs(spec, naive.pairs_by_loop)
    timed(work, checked("auc", make(spec)), group("AUC", spec), rounds=2)


@pytest.mark.sizes(0, naive.BROADCAST_ROWS)
@shares
@ties
def test_all_pairs_by_numpy(timed, rows, kind, share):
    spec = Spec(kind, rows, share)
    work = all_pairs(spec, naive.pairs_by_broadcast)
    timed(work, checked("auc", make(spec)), group("AUC", spec), rounds=2)


@pytest.mark.sizes(0, naive.COMPILED_ROWS)
@shares
@ties
def test_all_pairs_compiled(timed, rows, kind, share):
    data = make(Spec(kind, rows, share))
    timed(PEERS["all pairs"](data), checked("auc", data), group("AUC", data.spec), rounds=1)


# --- tables and curves ---------------------------------------------------------------------------


@shares
@floats
@ties
@pytest.mark.parametrize("work", ["table", "roc_curve"])
def test_table_and_curve(timed, rows, kind, scores, share, work):
    spec = Spec(kind, rows, share, scores)
    data = make(spec)
    timed(WORKS[work](data), checked(work, data), group("table", spec))


@ties
def test_adding_tables(timed, rows, kind):
    """Counting in two halves and adding gives the table of the whole."""
    spec = Spec(kind, rows)
    data = make(spec)
    halves = [
        fastmetrics.ScoreTable.from_scores(data.labels[half], data.scores[half])
        for half in (slice(None, rows // 2), slice(rows // 2, None))
    ]
    timed(lambda: halves[0] + halves[1], checked("table", data), group("table", spec))


@shares
@floats
@ties
def test_curve_of_sklearn(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)
    data = make(spec)
    right = naive.roc_corners(*naive.table(data))
    work = PEERS["sklearn roc_curve"](data)
    timed(work, lambda answer: assert_agree(answer, right), group("table", spec), rounds=2)


# --- weighted rows -------------------------------------------------------------------------------


@floats
@ties
def test_fractional_weights(timed, rows, kind, scores):
    data = make(Spec(kind, rows, scores=scores))
    right = checked("weighted auc", data)
    timed(WORKS["weighted auc"](data), right, group("weighted AUC", data.spec))


@floats
@ties
def test_counts_as_weights(timed, rows, kind, scores):
    """Integer weights are counts: the answer is exact."""
    spec = Spec(kind, rows, scores=scores)
    data = make(spec)
    counts = (3 * data.weights).astype(np.int64)
    repeated = [np.sort(np.repeat(data.scores, counts * (data.labels == c))) for c in (0, 1)]
    twice = sum(
        int(np.searchsorted(repeated[0], repeated[1], side).sum(dtype=np.int64))
        for side in ("left", "right")
    )
    right = twice / (2 * len(repeated[0]) * len(repeated[1]))

    def check(answer):
        assert answer == right

    timed(
        lambda: fastmetrics.roc_auc_score(data.labels, data.scores, sample_weight=counts),
        check,
        group("weighted AUC", spec) + ", counts",
    )


@floats
@ties
def test_weights_by_sklearn(timed, rows, kind, scores):
    data = make(Spec(kind, rows, scores=scores))
    right = nearly(naive.weighted_auc(data, data.weights))
    timed(PEERS["sklearn weighted"](data), right, group("weighted AUC", data.spec), rounds=2)


@floats
@ties
def test_argsort(timed, rows, kind, scores):
    data = make(Spec(kind, rows, scores=scores))

    def sorts(order):
        is_sorted(data.scores[order])

    timed(YARDSTICKS["argsort"](data), sorts, group("weighted AUC", data.spec))


@pytest.mark.sizes(0, naive.BROADCAST_ROWS)
@ties
def test_all_weighted_pairs(timed, rows, kind):
    data = make(Spec(kind, rows))
    weights, is_positive = data.weights, data.labels == 1
    pairs = 2 * weights[is_positive].sum() * weights[~is_positive].sum()
    right = naive.weighted_auc(data, weights)

    def check(answer):
        assert answer[0] / pairs == pytest.approx(right, rel=TOLERANCE)

    work = partial(naive.weighted_pairs_by_broadcast, data, weights)
    timed(work, check, group("weighted AUC", data.spec), rounds=2)
