"""The cheapest threshold for prices and a prevalence, and the precision at that prevalence."""

import itertools
import math

import numpy as np
import pytest

import fastmetrics as fm

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0])
S = np.array([0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15])


def test_the_place_on_the_axis() -> None:
    point = fm.costs.cost_curve(Y, S).operating_point(cost_fn=4, cost_fp=1, prevalence=0.2)
    assert point.probability_cost == 0.5
    assert (point.threshold, point.false_positive_rate, point.true_positive_rate) == (0.77, 0, 0.25)
    assert point.normalized_cost == 3 / 8
    assert point.expected_cost == pytest.approx(0.2 * 0.75 * 4)
    assert point.trivial_cost == pytest.approx(0.8)
    assert point.precision == 1


def test_it_is_the_cheapest_of_all_thresholds(rng) -> None:
    labels = rng.integers(0, 2, 60)
    scores = np.round(rng.normal(size=60) + labels, 1)
    curve = fm.costs.cost_curve(labels, scores)
    grid = itertools.product((0.001, 0.3, 0.97), (0, 1, 7.5), (0.25, 3, 1e200))
    for prevalence, cost_fn, cost_fp in grid:
        given = {"cost_fn": cost_fn, "cost_fp": cost_fp, "prevalence": prevalence}
        point = curve.operating_point(**given)
        costs = [
            fm.costs.expected_cost(labels, (scores >= t).astype(int), **given)
            for t in [math.inf, *np.unique(scores)]
        ]
        assert point.expected_cost == pytest.approx(min(costs))
        assert point.trivial_cost == pytest.approx(min(costs[0], costs[1]))
        whole = prevalence * cost_fn + (1 - prevalence) * cost_fp
        assert point.normalized_cost == pytest.approx(point.expected_cost / whole)


def test_the_prevalence_is_that_of_the_data_by_default() -> None:
    curve = fm.costs.cost_curve([1, 0, 0, 0], [4, 3, 2, 1])
    default = curve.operating_point(cost_fn=1, cost_fp=1)
    assert default == curve.operating_point(cost_fn=1, cost_fp=1, prevalence=0.25)
    assert default.probability_cost == 0.25


def test_only_the_ratio_of_prices_decides() -> None:
    curve = fm.costs.cost_curve(Y, S)
    prices = [(3, 2), (3e-320, 2e-320), (1.5e308, 1e308)]
    points = [curve.operating_point(cost_fn=fn, cost_fp=fp) for fn, fp in prices]
    for point in points[1:]:
        assert point.threshold == points[0].threshold
        assert point.probability_cost == pytest.approx(0.6, rel=1e-3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cost_fn": -1}, r"`cost_fn` must lie in \[0, inf\): got -1"),
        ({"cost_fp": math.nan}, r"`cost_fp` must lie in \[0, inf\): got nan"),
        ({"cost_fp": math.inf}, r"`cost_fp` must lie in \[0, inf\): got inf"),
        ({"cost_fn": 0, "cost_fp": 0}, "`cost_fn` and `cost_fp` must not both be 0"),
        ({"prevalence": 0}, r"`prevalence` must lie in \(0, 1\): got 0"),
        ({"prevalence": 1}, r"`prevalence` must lie in \(0, 1\): got 1"),
        ({"prevalence": math.nan}, r"`prevalence` must lie in \(0, 1\): got nan"),
    ],
)
def test_faults(given, said) -> None:
    curve = fm.costs.cost_curve(Y, S)
    with pytest.raises(ValueError, match=said):
        curve.operating_point(**{"cost_fn": 1, "cost_fp": 1, **given})
