"""Weighted AUC, with fractional weights and with counts, against argsort and scikit-learn."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import fastmetrics
from benchmarks import naive
from benchmarks.contests import CHECKS, PEERS, TOLERANCE, WORKS, YARDSTICKS
from benchmarks.data import Spec, make

pytestmark = pytest.mark.bench

ties = pytest.mark.parametrize("kind", ["continuous", "tied"])
floats = pytest.mark.parametrize("scores", ["float32", "float64"])


def group(spec: Spec) -> str:
    return f"weighted AUC: {spec.title}"


@floats
@ties
def test_fractional_weights(timed, rows, kind, scores):
    spec = Spec(kind, rows, scores=scores)
    data = make(spec)
    right = naive.weighted_auc(data, data.weights)

    def check(answer):
        assert answer == pytest.approx(right, rel=1e-12)

    timed(WORKS["weighted auc"](data), check, group(spec))


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
        group(spec) + ", counts",
    )


@floats
@ties
def test_sklearn(timed, rows, kind, scores):
    spec = Spec(kind, rows, scores=scores)
    data = make(spec)
    right = naive.weighted_auc(data, data.weights)

    def check(answer):
        assert answer == pytest.approx(right, rel=TOLERANCE)

    timed(PEERS["sklearn weighted"](data), check, group(spec), rounds=2)


@floats
@ties
def test_argsort(timed, rows, kind, scores):
    spec = Spec(kind, rows, scores=scores)
    data = make(spec)

    def sorts(order):
        assert np.all(data.scores[order][1:] >= data.scores[order][:-1])

    timed(YARDSTICKS["argsort"](data), sorts, group(spec))


@pytest.mark.sizes(0, naive.BROADCAST_ROWS)
@ties
def test_all_pairs(timed, rows, kind):
    spec = Spec(kind, rows)
    data = make(spec)
    weights = data.weights
    is_positive = data.labels == 1
    pairs = 2 * weights[is_positive].sum() * weights[~is_positive].sum()
    right = naive.weighted_auc(data, weights)

    def check(answer):
        assert answer[0] / pairs == pytest.approx(right, rel=TOLERANCE)

    work = partial(naive.weighted_pairs_by_broadcast, data, weights)
    timed(work, check, group(spec), rounds=2)
    assert CHECKS["weighted auc"](data, right) is None
