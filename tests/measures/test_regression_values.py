"""Regression measures by their definitions, and what must not change them."""

import math
from fractions import Fraction

import numpy as np
import pytest

import fastmetrics as fm
from measure_names import MEASURES as REGISTRY


def test_max_error_of_a_table_leaves_rows_of_no_weight_out():
    table = fm.RegressionTable.from_arrays([1, 2, 9], [1, 3, 0], sample_weight=[1, 1, 0])
    assert fm.max_error(table) == 1.0


@pytest.mark.parametrize("n", [10, 14])
def test_a_median_between_rows_of_equal_weight(n):
    """Ten running sums of 0.1 pass the middle above it, fourteen below it: rounding, not weight."""
    errors, weights = np.arange(n), np.full(n, 0.1)
    assert fm.median_absolute_error(errors, np.zeros(n), sample_weight=weights) == (n - 1) / 2


def test_the_quantile_of_level_zero_is_the_least_target_however_light():
    y, p, w = [1.0, 2.0, 3.0], [1.0, 3.0, 3.0], [1e-20, 1.0, 1.0]
    assert fm.d2_pinball_score(y, p, sample_weight=w, alpha=0) == 0.0  # 1 itself has no loss


def test_a_median_of_numbers_whose_sum_overflows():
    assert fm.median_absolute_error([1.75e308, 1.25e308], [0, 0]) == 1.5e308


def test_published_values():
    """R's `anscombe` data (Anscombe 1973): every regression has R² of 0.67 (0.6665 to 0.6667)."""
    x = np.array([10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5])
    y = np.array([8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68])
    assert fm.r2_score(y, 3.0001 + 0.5001 * x) == pytest.approx(0.6665, abs=5e-5)


_SCALES = [2.0**e for e in (-1000, -560, -480, 0, 480, 530, 1000)]
_TRUE, _PREDICTED, _WEIGHTS = [1, 2, 3, 5], [4, 3, 2, 1], [1, 2, 3, 1]


def _shares(y, p, w, alpha):
    """Return R², explained variance and D² of the pinball loss, by fractions."""
    y, p, w = ([Fraction(x) for x in each] for each in (y, p, w))

    def mean(values):
        return sum(a * b for a, b in zip(w, values, strict=True)) / sum(w)

    def variance(values):
        return mean([(x - mean(values)) ** 2 for x in values])

    def pinball(q):
        pairs = zip(y, q, strict=True)
        return mean([alpha * (a - b) if a >= b else (1 - alpha) * (b - a) for a, b in pairs])

    errors = [a - b for a, b in zip(y, p, strict=True)]
    best = min(pinball([constant] * len(y)) for constant in y)
    return (
        1 - mean([e * e for e in errors]) / variance(y),
        1 - variance(errors) / variance(y),
        1 - pinball(p) / best,
    )


@pytest.mark.parametrize("weights", [None, _WEIGHTS])
@pytest.mark.parametrize("scale", _SCALES)
@pytest.mark.filterwarnings("ignore:the weights leave", "ignore::fastmetrics.DegenerateDataWarning")
def test_scores_of_extreme_numbers_at_every_entry_point(scale, weights):
    y, p = np.multiply(_TRUE, scale), np.multiply(_PREDICTED, scale)
    values = _shares(_TRUE, _PREDICTED, weights or [1] * 4, Fraction(3, 4))
    metrics = {"r2": "r2", "explained_variance": "explained_variance"}
    metrics |= {"d2_pinball_score": ("d2_pinball_score", {"alpha": 0.75})}
    given = {"sample_weight": weights, "metrics": metrics}
    found = [fm.regression_measures(y, p, **given).values, fm.estimate(y, p, **given)]
    pairs = fm.compare(y, {"a": p, "b": p}, **given)
    found += [{name: one.models[1] for name, one in pairs.items()}]
    for each in found:
        numbers = [getattr(each[name], "estimate", each[name]) for name in metrics]
        assert numbers == pytest.approx([*map(float, values)], rel=1e-14)
    assert fm.root_mean_squared_error(y, p) == pytest.approx(6.75**0.5 * scale, rel=1e-14)


@pytest.mark.parametrize("weights", [None, [1.0, 2.5, 0.5]])
@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        *((name, {}, 0.0) for name in ("r2", "explained_variance", "d2_absolute_error_score")),
        ("d2_pinball_score", {"alpha": 0.9}, 0.0),
        ("r2", {"force_finite": False}, -math.inf),
        ("d2_tweedie_score", {"power": 0.0}, math.nan),
        ("d2_tweedie_score", {"power": 1.5}, math.nan),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_constant_targets_at_every_entry_point(name, given, value, weights):
    y, p = [0.7] * 3, [0.5, 0.6, 0.8]  # the rounded mean of y is another number
    metrics = {name: (name, given)}
    one = fm.estimate(y, p, metrics=metrics, sample_weight=weights)[name]
    pair = fm.compare(y, {"a": p, "b": p[::-1]}, metrics=metrics, sample_weight=weights)[name]
    function = REGISTRY[name].value(y, p, sample_weight=weights, **given)
    for found in (function, one.estimate, pair.models[0].estimate):
        np.testing.assert_equal(found, value)
    assert math.isnan(one.standard_error)
    assert pair.pairs[0].better is None
    assert one.note in str(fm.evaluate(y, p, metrics=metrics, task="values"))
