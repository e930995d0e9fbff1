"""The cost curve: its vertices and area by definition, what is read off it, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics import ScoreTable
from reference import hull_oracle
from reference.roc_oracle import rows_of

# The eight examples of the textbook, and one of them with the coordinates of ROC swapped.
Y = [1, 0, 1, 1, 0, 0, 1, 0]
S = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 7)), min_size=2, max_size=25).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)
PLACES = np.linspace(0, 1, 41)


def test_the_textbooks_eight_examples() -> None:
    curve = fm.costs.cost_curve(Y, S)
    assert curve.expected_total_cost == fm.costs.expected_total_cost(Y, S) == 3 / 16
    assert float(curve) == 3 / 16
    assert curve.relative_cost == 3 / 4
    assert curve.prevalence == 0.5


def test_coordinates_in_the_other_order_have_another_area() -> None:
    """Lines from (0, TPR) to (1, 1 - FPR), as some printings have them, enclose 1/4."""
    points = [(fpr, tpr) for fpr, tpr in hull_oracle._points(rows_of(Y, S))]
    swapped = [
        (float(x), float(min((1 - fpr) * x + tpr * (1 - x) for fpr, tpr in points)))
        for x in (Fraction(k, 1000) for k in range(1001))
    ]
    x, y = np.array(swapped).T
    assert fm.auc(x, y) == pytest.approx(1 / 4)
    found = fm.costs.cost_curve(Y, S).cost_at(x)
    right = [float(hull_oracle.cheapest(rows_of(Y, S), Fraction(k, 1000))) for k in range(1001)]
    np.testing.assert_allclose(found, right, atol=1e-15)


@given(ROWS)
def test_vertices_are_those_of_all_pairs_of_lines(rows) -> None:
    labels, scores = zip(*rows, strict=True)
    curve = fm.costs.cost_curve(labels, scores)
    right = hull_oracle.envelope(rows_of(labels, scores))
    assert curve.probability_cost.tolist() == [float(x) for x, _ in right]
    assert curve.normalized_cost.tolist() == [float(y) for _, y in right]
    assert curve.expected_total_cost == float(hull_oracle.total_cost(rows_of(labels, scores)))


@given(ROWS)
def test_each_threshold_is_best_where_it_is_said_to_be(rows) -> None:
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    curve = fm.costs.cost_curve(labels, scores)
    definition = rows_of(labels, scores)
    assert (curve.probability_cost[0], curve.probability_cost[-1]) == (0, 1)
    ends = curve.probability_cost
    rates = curve.false_positive_rate, curve.true_positive_rate
    for low, high, threshold, fpr, tpr in zip(
        ends[:-1], ends[1:], curve.thresholds, *rates, strict=True
    ):
        assert low < high
        called = scores >= threshold
        assert fpr == called[labels == 0].mean()
        assert tpr == called[labels == 1].mean()
        middle = (Fraction(low) + Fraction(high)) / 2
        cost = (1 - Fraction(tpr)) * middle + Fraction(fpr) * (1 - middle)
        assert float(cost) == pytest.approx(
            float(hull_oracle.cheapest(definition, middle)), abs=1e-15
        )
    costs = [float(hull_oracle.cheapest(definition, Fraction(x))) for x in PLACES]
    np.testing.assert_allclose(curve.cost_at(PLACES), costs, atol=1e-15)


@pytest.mark.parametrize("scale", [1, 2**58])
def test_perfect_useless_and_reversed_scores(scale) -> None:
    counts = np.array([1, 0]) * scale, np.array([0, 1]) * scale
    perfect = fm.costs.cost_curve(ScoreTable.from_counts([2, 1], *counts))
    assert perfect.expected_total_cost == 0
    assert perfect.thresholds.tolist() == [2]
    assert perfect.normalized_cost.tolist() == [0, 0]
    for table in (
        ScoreTable.from_counts([1, 2], *counts),
        ScoreTable.from_counts([1], *(column[column > 0] for column in counts)),
    ):
        trivial = fm.costs.cost_curve(table)
        assert trivial.expected_total_cost == 1 / 4
        assert trivial.thresholds.tolist() == [math.inf, 1]
        assert trivial.probability_cost.tolist() == [0, 0.5, 1]
        assert trivial.normalized_cost.tolist() == [0, 0.5, 0]


@pytest.mark.parametrize(("place", "error"), [(-0.1, ValueError), (math.nan, ValueError)])
def test_places_outside_the_axis_are_refused(place, error) -> None:
    with pytest.raises(error, match=r"`probability_cost` must lie in \[0, 1\]"):
        fm.costs.cost_curve(Y, S).cost_at(place)
    with pytest.raises(TypeError, match="`probability_cost` must hold real numbers"):
        fm.costs.cost_curve(Y, S).cost_at("x")
