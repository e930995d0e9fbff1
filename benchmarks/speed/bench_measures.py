"""Every measure of the registry by size, ties and dtype: nothing is timed that is not tested.

The answer on tied data is the oracle's, in rational numbers: rows of one score and class are one
row with a count, so that it ends at any size. On continuous data it is the peer's; a measure that
nobody else computes must give what it gives for a table that NumPy counted.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.speed import naive
from benchmarks.speed.data import Data, Spec, make
from fastmetrics import ScoreTable
from reference.oracles import Sample
from registry import MEASURES, Measure

pytestmark = pytest.mark.bench

every = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
with_peer = pytest.mark.parametrize(
    "measure", [m for m in MEASURES if m.peer is not None], ids=lambda measure: measure.name
)
floats = pytest.mark.parametrize("scores", ["float32", "float64"])
ties = pytest.mark.parametrize("kind", ["continuous", "tied"])


#: Measures whose oracle visits every row even where rows are tied, by NumPy.
BY_NUMPY = {"delong": naive.delong}


def counted(data: Data) -> Sample:
    """Return the data as one row for each score and class, weighted by its count."""
    scores, *columns = naive.table(data)
    rows = [
        (label, float(score), Fraction(int(count)))
        for label, counts in zip((1, 0), columns, strict=True)
        for score, count in zip(scores, counts, strict=True)
        if count
    ]
    labels, values, weights = zip(*rows, strict=True)
    return Sample(labels, values, weights)


def same(measure: Measure, right, *, exact: bool):
    """Return the check: thresholds and exact values bit by bit, the rest up to rounding."""

    def check(answer):
        assert len(answer) == len(right)
        for k, (mine, theirs) in enumerate(zip(answer, right, strict=True)):
            pair = [np.asarray(value, dtype=np.float64) for value in (mine, theirs)]
            if exact and (measure.exact or k in measure.thresholds):
                np.testing.assert_array_equal(*pair)
            else:
                np.testing.assert_allclose(*pair, rtol=1e-9, atol=1e-12)

    return check


def doubles(value):
    """Return an oracle's value, a number or a list of them, as the nearest doubles."""
    return [float(item) for item in value] if isinstance(value, list) else float(value)


def right_answer(measure: Measure, data: Data):
    """Return what the oracle, the peer, or a table counted by NumPy says; and whether exactly."""
    if measure.name in BY_NUMPY:
        return BY_NUMPY[measure.name](data), False
    if data.spec.kind == "tied":
        return [doubles(value) for value in measure.oracle(counted(data))], True
    if measure.peer is not None:
        return measure.by_peer(data.labels, data.scores), False
    return measure.fast(ScoreTable.from_counts(*naive.table(data))), True


def group(measure: Measure, spec: Spec) -> str:
    return f"{measure.name}: {spec.title}"


@every
@floats
@ties
@pytest.mark.sizes(1_000, 10_000_000)
def test_fastmetrics(timed, rows, measure, kind, scores):
    data = make(Spec(kind, rows, scores=scores))
    right, exact = right_answer(measure, data)
    check = same(measure, right, exact=exact)
    timed(lambda: measure.fast(data.labels, data.scores), check, group(measure, data.spec))


@every
@ties
def test_from_a_table(timed, rows, measure, kind):
    """What a measure costs once the table is there."""
    spec = Spec(kind, rows)
    data = make(spec)
    table = ScoreTable.from_scores(data.labels, data.scores)
    right, exact = right_answer(measure, data)
    check = same(measure, right, exact=exact)
    timed(lambda: measure.fast(table), check, group(measure, spec))


@with_peer
@ties
def test_peer(timed, rows, measure, kind):
    spec = Spec(kind, rows)
    data = make(spec)
    right = measure.fast(data.labels, data.scores)
    timed(
        lambda: measure.by_peer(data.labels, data.scores),
        same(measure, right, exact=False),
        group(measure, spec),
        rounds=2,
    )


def test_tied_data_has_few_scores():
    """The oracle's cost depends on it."""
    assert len(counted(make(Spec("tied", 1_000))).labels) <= 80
    assert math.isfinite(naive.exact_auc(Spec("tied", 1_000)))
