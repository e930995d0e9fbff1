"""The calibration line where rows say little of it."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning

VALUES = ("slope", "intercept", "in_the_large")


def right(y, p):
    """Return estimates from the likelihood of each row, by nested searches."""
    x = np.log(p) - np.log1p(-p)
    rows = np.concatenate((x[y == 1], x[y == 0]))
    sign = np.repeat([1.0, -1.0], [np.sum(y == 1), np.sum(y == 0)])

    def gradient(a, b, of):
        return math.fsum(sign * expit(-sign * (a + b * rows)) * of)

    def falls_to_zero(function):
        low, high = -1.0, 1.0
        while function(low) < 0.0:
            low *= 2.0
        while function(high) > 0.0:
            high *= 2.0
        return brentq(function, low, high, xtol=1e-14, rtol=1e-14, maxiter=5_000)

    def intercept(slope):
        return falls_to_zero(lambda a: gradient(a, slope, 1.0))

    best = falls_to_zero(lambda b: gradient(intercept(b), b, rows))
    return {"slope": best, "intercept": intercept(best), "in_the_large": intercept(1.0)}


def assert_right(y, p):
    found, wanted = fm.calibration.logistic_calibration(y, p), right(y, p)
    for name in VALUES:
        ours = getattr(found, name)
        low, high = getattr(found, f"{name}_interval")
        assert ours == pytest.approx(wanted[name], rel=1e-7, abs=1e-9 * (high - low)), name
        assert low < ours < high


def labelled(n, positives):
    return np.isin(np.arange(n), positives).astype(int)


def overlap(y, p):
    ones, zeros = p[y == 1], p[y == 0]
    return ones.min() < zeros.max() and zeros.min() < ones.max()


@pytest.mark.parametrize("n_positive", [1, 2, 3])
def test_few_positives(rng, n_positive):
    for _ in range(3):
        p = rng.beta(0.5, 24.5, 200)
        y = labelled(200, rng.choice(200, n_positive, replace=False))
        if overlap(y, p):
            assert_right(y, p)
            assert_right(1 - y, 1 - np.maximum(p, 1e-9))


@pytest.mark.parametrize("spread", [0.1, 2.0, 8.0])
def test_few_rows(rng, spread):
    seen = 0
    for _ in range(25):
        n = int(rng.integers(3, 9))
        p = expit(rng.normal(-1, spread, n))
        y = labelled(n, rng.choice(n, int(rng.integers(1, n)), replace=False))
        if overlap(y, p):
            assert_right(y, p)
            seen += 1
    assert seen > 5


@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-7])
@pytest.mark.parametrize("centre", [0.5, 0.03])
def test_classes_that_hardly_overlap(rng, gap, centre):
    low, high = centre * rng.random(9), centre + (1 - centre) * rng.random(9)
    p = np.concatenate((low, [centre * (1 + gap), centre], high))
    y = np.repeat([0, 1], 10)
    assert_right(y, p)
    assert_right(1 - y, p)


def test_no_data_end_in_an_exception(rng):
    """Probabilities as far out and as near to one another as doubles are."""
    kinds = (
        lambda n: 10.0 ** -(300 * rng.random(n)),
        lambda n: np.where(rng.random(n) < 0.5, 10.0 ** -(300 * rng.random(n)), 1 - 1e-15),
        lambda n: 0.3 + np.spacing(0.3) * rng.integers(0, 9, n),
        lambda n: 0.5 + 1e-12 * rng.normal(size=n),
        lambda n: rng.choice([5e-324, 1e-308, 0.1, 0.5, 1 - 2.0**-53], n),
    )
    for kind in kinds * 3:
        n = int(rng.integers(3, 12))
        p, y = kind(n).clip(5e-324, 1 - 2.0**-53), rng.integers(0, 2, n)
        y[:2] = 0, 1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = fm.calibration.logistic_calibration(y, p)
        assert all(issubclass(each.category, UndefinedMetricWarning) for each in caught)
        names = VALUES[2:] if caught else VALUES
        for name in names:
            low, high = getattr(found, f"{name}_interval")
            assert -math.inf < low < getattr(found, name) < high < math.inf


def test_separated_classes_have_no_slope():
    """As for distinct probabilities whose logits round to the same double."""
    p = np.array([0.004, 0.01, np.nextafter(0.01, 1), 0.2])
    assert np.ptp(np.log(p[1:3]) - np.log1p(-p[1:3])) == 0
    for chances in (p, np.array([0.1, 0.2, 0.2, 0.3]), np.array([0.1, 0.2, 0.3, 0.4])):
        for y in ([0, 1, 0, 1], [1, 0, 1, 0]):
            y = np.array(y) if chances[1] == chances[2] or chances is p else np.sort(y)
            with pytest.warns(UndefinedMetricWarning, match="separate the classes, so that the sl"):
                found = fm.calibration.logistic_calibration(y, chances)
            assert math.isnan(found.slope)
            assert np.isnan(found.slope_interval).all()
            assert np.isnan(found.intercept_interval).all()
            low, high = found.in_the_large_interval
            assert low < found.in_the_large < high


def test_many_rows_with_one_positive(rng):
    """Runs of rows stand for the rows, steep lines included."""
    p = rng.beta(0.5, 24.5, 5_000)
    y = labelled(5_000, [int(np.argsort(p)[3_000])])
    assert_right(y, p)


def test_the_oracle_finds_the_top(rng):
    y, p = labelled(9, [1, 5]), expit(rng.normal(size=9))
    x = np.log(p) - np.log1p(-p)

    def lost(a):
        return np.logaddexp(0.0, np.where(y == 1, -1, 1) * (a + x)).sum()

    assert right(y, p)["in_the_large"] == pytest.approx(minimize_scalar(lost).x, abs=1e-6)
