"""The cheapest threshold of rows that come in groups: groups left out, and what varies."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import t as student

import fastmetrics as fm
from reference import row_cost_oracle as oracle

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning")

ROWS = st.lists(
    st.tuples(
        *(st.integers(0, 1), st.integers(0, 6), st.integers(1, 9), st.integers(1, 9)),
        *(st.integers(0, 5), st.integers(1, 3)),
    ),
    min_size=3,
    max_size=30,
).filter(lambda rows: len({row[0] for row in rows}) == 2 <= len({row[4] for row in rows}))


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("weights_are", [None, "importances", "frequencies"])
@pytest.mark.parametrize("unit", [1, 10])
@given(rows=ROWS)
def test_each_group_is_left_out(unit, weights_are, rows) -> None:
    y, s, fn, fp, groups, w = (np.array(column) for column in zip(*rows, strict=True))
    weights = {} if weights_are is None else {"sample_weight": w, "weights_are": weights_are}
    found = fm.costs.threshold_cost_interval(
        y, s, cost_fn=fn / unit, cost_fp=fp / unit, groups=groups, **weights
    )
    used = w if weights else np.ones(len(y), int)
    rows_of = zip(y, s, fn, fp, used, strict=True)
    true = [
        oracle.Row(a, b, Fraction(int(c)), Fraction(int(d)), int(e)) for a, b, c, d, e in rows_of
    ]
    expected = float(oracle.left_out(true, groups.tolist()) / unit)
    assert found.left_out_cost == pytest.approx(expected, rel=1e-12)
    threshold, cost = oracle.cheapest(true)
    assert (found.threshold, found.cost * unit) == pytest.approx((threshold, cost), rel=1e-13)


def data(n: int = 400, seed: int = 1) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.integers(0, 60, n))
    y = (rng.random(n) < 0.3).astype(int)
    s = np.round(y + rng.normal(size=60)[groups] + rng.normal(size=n), 1)
    return y, s, rng.integers(1, 100, n), rng.integers(1, 20, n), groups


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_a_given_threshold_has_the_interval_of_the_measure(prevalence) -> None:
    """What `estimate` says of the expected cost at a threshold, on the scale of the logarithm."""
    y, s, _, _, groups = data()
    prices = {"cost_fn": 5.0, "cost_fp": 1.0, "prevalence": prevalence}
    found = fm.costs.threshold_cost_interval(y, s, **prices, threshold=0.5, groups=groups)
    asked = [("expected_cost", prices)]
    one = fm.estimate(y, s, metrics=asked, threshold=0.5, groups=groups)["expected_cost"]
    assert found.cost == found.left_out_cost == pytest.approx(one.estimate, rel=1e-12)
    low, high = found.confidence_interval
    half = student.ppf(0.975, one.df) * one.standard_error / one.estimate
    assert (low, high) == pytest.approx(
        (one.estimate * math.exp(-half), one.estimate * math.exp(half)), rel=1e-12
    )
    if prevalence is None:
        assert (low, high) == pytest.approx(tuple(one.confidence_interval), rel=1e-12)


def test_repeated_rows_say_no_more() -> None:
    y, s, fn, fp, _ = data()
    once = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, groups=np.arange(len(y)))
    y, s, fn, fp, groups = (np.repeat(each, 3) for each in (y, s, fn, fp, np.arange(len(y))))
    thrice = fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, groups=groups)
    for name in ("threshold", "cost", "left_out_cost", "confidence_interval", "threshold_interval"):
        got, expected = getattr(thrice, name), getattr(once, name)
        assert np.ravel(got) == pytest.approx(np.ravel(expected), rel=1e-9), name


def test_few_groups_are_told() -> None:
    y, s, fn, fp, groups = data()
    with pytest.warns(fm.SmallSampleWarning, match="there are 4 groups"):
        fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, groups=groups // 15)
    with pytest.raises(ValueError, match="`groups` must name at least two groups"):
        fm.costs.threshold_cost_interval(y, s, cost_fn=fn, cost_fp=fp, groups=groups * 0)
    with pytest.warns(fm.UndefinedMetricWarning, match="one positive example only"):
        found = fm.costs.threshold_cost_interval(
            y, s, cost_fn=1, cost_fp=1, prevalence=0.1, groups=np.where(y == 1, 99, groups)
        )
    assert np.isnan(tuple(found.confidence_interval)).all()
