"""The table of distinct scores and the ROC curve, against NumPy's sort and scikit-learn."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from benchmarks import naive
from benchmarks.contests import CHECKS, PEERS, WORKS, YARDSTICKS, assert_agree
from benchmarks.data import Spec, make

pytestmark = pytest.mark.bench

ties = pytest.mark.parametrize("kind", ["continuous", "tied"])
floats = pytest.mark.parametrize("scores", ["float32", "float64"])
shares = pytest.mark.parametrize("share", [0.5, 0.01], ids=["balanced", "rare"])


def group(spec: Spec) -> str:
    return f"table: {spec.title}"


@shares
@floats
@ties
@pytest.mark.parametrize("work", ["table", "roc_curve"])
def test_fastmetrics(timed, rows, kind, scores, share, work):
    spec = Spec(kind, rows, share, scores)
    data = make(spec)
    timed(WORKS[work](data), partial(CHECKS[work], data), group(spec))


@ties
def test_adding_tables(timed, rows, kind):
    """Counting in two halves and adding gives the table of the whole."""
    import fastmetrics

    spec = Spec(kind, rows)
    data = make(spec)
    halves = [
        fastmetrics.ScoreTable.from_scores(data.labels[half], data.scores[half])
        for half in (slice(None, rows // 2), slice(rows // 2, None))
    ]
    timed(lambda: halves[0] + halves[1], partial(CHECKS["table"], data), group(spec))


@shares
@floats
@ties
def test_sklearn_roc_curve(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)
    data = make(spec)
    right = naive.roc_corners(*naive.table(data))
    timed(
        PEERS["sklearn roc_curve"](data),
        lambda answer: assert_agree(answer, right),
        group(spec),
        rounds=2,
    )


@shares
@floats
@ties
def test_sort(timed, rows, kind, scores, share):
    spec = Spec(kind, rows, share, scores)

    def is_sorted(answer):
        assert np.all(answer[1:] >= answer[:-1])

    timed(YARDSTICKS["sort"](make(spec)), is_sorted, group(spec))
