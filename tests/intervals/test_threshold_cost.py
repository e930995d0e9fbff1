"""The cheapest threshold and its cost: rows left out, limits, weights; a small simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import row_cost_oracle as oracle

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(1, 9), st.integers(1, 9)),
    min_size=3,
    max_size=25,
).filter(lambda rows: {row[0] for row in rows} == {0, 1})


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@given(rows=ROWS)
def test_each_row_is_left_out(rows: list[tuple[int, ...]]) -> None:
    y, s, fn, fp = (np.array(column) for column in zip(*rows, strict=True))
    found = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp)
    true = [oracle.Row(a, b, Fraction(c), Fraction(d)) for a, b, c, d in rows]
    assert (found.threshold, found.cost) == pytest.approx(oracle.cheapest(true), rel=1e-15)
    assert found.left_out_cost == pytest.approx(float(oracle.left_out(true)), rel=1e-13)
    assert found.threshold_interval.low <= found.threshold <= found.threshold_interval.high
    low, high = found.confidence_interval
    assert low <= found.cost * (1 + 1e-12)
    assert found.left_out_cost <= high * (1 + 1e-12)
    costs = fm.costs.threshold_costs(y, s, cost_fn=fn, cost_fp=fp)
    for name in ("threshold", "cost", "cost_all_positive", "cost_all_negative"):
        assert getattr(found, name) == pytest.approx(getattr(costs, name), rel=1e-15)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@given(rows=ROWS)
def test_tenths_are_left_out_as_whole_numbers_are(rows: list[tuple[int, ...]]) -> None:
    y, s, fn, fp = (np.array(column) for column in zip(*rows, strict=True))
    found = fm.costs.threshold_cost_interval(y, s, cost_fn=fn / 10, cost_fp=fp / 10)
    true = [oracle.Row(a, b, Fraction(int(c)), Fraction(int(d))) for a, b, c, d in rows]
    assert found.left_out_cost == pytest.approx(float(oracle.left_out(true) / 10), rel=1e-13)


def data(n: int = 400, seed: int = 1) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    s = np.round(y + rng.normal(size=n), 1)
    return y, s, rng.integers(1, 100, n), rng.integers(1, 20, n)


def test_limits_of_a_given_threshold_are_those_of_a_mean() -> None:
    y, s, fn, fp = data()
    found = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, threshold=0.5)
    losses = np.where(y == 1, fn * (s < 0.5), fp * (s >= 0.5))
    mean, error = losses.mean(), losses.std(ddof=1) / math.sqrt(len(y))
    factor = math.exp(norm.ppf(0.975) * error / mean)
    assert found.confidence_interval.low == pytest.approx(mean / factor, rel=1e-12)
    assert found.confidence_interval.high == pytest.approx(mean * factor, rel=1e-12)
    assert found.cost == found.left_out_cost == pytest.approx(mean, rel=1e-14)
    assert tuple(found.threshold_interval) == (0.5, 0.5)


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_measure_of_two_prices_has_the_same_error(prevalence: float | None) -> None:
    y, s, _, _ = data()
    prices = {"cost_fn": 5.0, "cost_fp": 1.0, "prevalence": prevalence}
    found = fm.costs.threshold_cost_interval(y, s, **prices, threshold=0.5)
    one = fm.estimate(y, s, metrics=[("expected_cost", prices)], threshold=0.5)["expected_cost"]
    low, high = found.confidence_interval
    assert one.estimate == pytest.approx(found.cost, rel=1e-12)
    error = math.log(high / low) / 2 / norm.ppf(0.975) * found.cost
    assert one.standard_error == pytest.approx(error, rel=1e-12)
    if prevalence is None:  # on the same scale, by Student's t
        low, high = one.confidence_interval
        assert low * high == pytest.approx(found.cost**2, rel=1e-12)


def test_thresholds_that_are_not_dearer() -> None:
    """A threshold is inside when the rows between it and the best do not tell them apart."""
    y, s, fn, fp = data()
    found = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp)
    candidates = np.array([math.inf, *np.unique(s)[::-1]])
    inside = []
    for t in candidates:
        sign = (s >= t).astype(int) - (s >= found.threshold)
        change = np.where(y == 1, -fn * sign, fp * sign)
        if change.sum() <= norm.ppf(0.975) * math.sqrt(np.square(change).sum()):
            inside.append(t)
    assert found.threshold_interval.high == max(inside)
    lower = np.unique(s)
    assert found.threshold_interval.low == lower[lower < min(inside)].max()


def test_equal_importances_are_no_weights() -> None:
    y, s, fn, fp = data()
    weighted = fm.costs.threshold_cost_interval(
        y, s, cost_fn=fn, cost_fp=fp, sample_weight=np.full(len(y), 0.5)
    )
    plain = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp)
    for name in ("threshold", "cost", "left_out_cost", "confidence_interval", "threshold_interval"):
        got, expected = getattr(weighted, name), getattr(plain, name)
        assert np.ravel(got) == pytest.approx(np.ravel(expected), rel=1e-12), name


def test_a_table_of_counts_holds_rows_enough() -> None:
    y, s, _, _ = data()
    for prevalence in (None, 0.1):
        costs = {"cost_fn": 7, "cost_fp": 2, "prevalence": prevalence}
        of_rows = fm.costs.threshold_cost_interval(y, s, **costs)
        of_table = fm.costs.threshold_cost_interval(fm.ScoreTable.from_scores(y, s), **costs)
        for name in ("threshold", "cost", "left_out_cost", "savings", "cost_at_half"):
            expected = pytest.approx(getattr(of_rows, name), rel=1e-12, nan_ok=True)
            assert getattr(of_table, name) == expected, name
        for name in ("confidence_interval", "threshold_interval"):
            got = tuple(getattr(of_table, name))
            assert got == pytest.approx(tuple(getattr(of_rows, name)), rel=1e-12), name
    with pytest.raises(TypeError, match="a ScoreTable has no rows, which importances, groups"):
        fm.costs.threshold_cost_interval(
            fm.ScoreTable.from_scores(y, s, sample_weight=y + 0.5), **costs
        )
    with pytest.raises(TypeError, match="a ScoreTable comes alone"):
        fm.costs.threshold_cost_interval(fm.ScoreTable.from_scores(y, s), s, **costs)


def test_no_mistake_is_told() -> None:
    with pytest.warns(DegenerateDataWarning, match="no mistake costs anything on these data"):
        found = fm.costs.threshold_cost_interval(
            [0, 0, 1, 1], [1, 2, 3, 4], cost_fn=1, cost_fp=0.001, threshold=3
        )
    assert tuple(found.confidence_interval) == (0.0, 0.0)


@pytest.mark.parametrize("y", [[0, 0, 0, 1], [1, 1, 1, 0]])
@pytest.mark.parametrize("weights", [None, "importances", "frequencies"])
def test_one_row_of_a_class_has_no_spread(y, weights) -> None:
    options = {} if weights is None else {"sample_weight": [1] * 4, "weights_are": weights}
    options |= {"cost_fn": 1, "cost_fp": 1, "prevalence": 0.2}
    missing = "positive" if sum(y) == 1 else "negative"
    for threshold in (None, 2):
        with pytest.warns(UndefinedMetricWarning, match=f"cost is not defined: .* one {missing} "):
            found = fm.costs.threshold_cost_interval(
                y, [1, 2, 3, 4 if sum(y) == 1 else 0], threshold=threshold, **options
            )
        assert found.left_out_cost > 0
        assert np.isnan(tuple(found.confidence_interval)).all()
