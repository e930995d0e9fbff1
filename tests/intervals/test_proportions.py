"""Intervals for a proportion: definitions in fractions, scipy, and published figures."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from fastmetrics.comparison import proportion_interval
from fastmetrics.errors import UndefinedMetricWarning
from reference import proportion_oracle as oracle

METHODS = ("wilson", "clopper-pearson", "jeffreys")
LEVELS = st.sampled_from([0.5, 0.8, 0.95, 0.999])
COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TINY = Fraction(1, 10**12)


def limits(k: float, n: float, **options: Any) -> tuple[float, float]:
    interval = proportion_interval(k, n, **options).confidence_interval
    return interval.low, interval.high


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (3, 5, 0.230724281276, 0.8823792257674),
        (8, 9, 0.5650002944233, 0.9801091123615),
        (6, 6, 0.6096657120978, 1.0),
    ],
)
def test_known_figures_of_wilson(k: int, n: int, low: float, high: float) -> None:
    assert limits(k, n) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize(
    ("k", "n", "method", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17:857-872, table I, methods 3 and 5
        (81, 263, "wilson", 0.2553, 0.3662),
        (81, 263, "clopper-pearson", 0.2527, 0.3676),
        (15, 148, "wilson", 0.0624, 0.1605),
        (15, 148, "clopper-pearson", 0.0578, 0.1617),
        (0, 20, "wilson", 0.0, 0.1611),
        (0, 20, "clopper-pearson", 0.0, 0.1684),
        (1, 29, "wilson", 0.0061, 0.1718),
        (1, 29, "clopper-pearson", 0.0009, 0.1776),
        # Fagerland, Lydersen & Laake, Statistical Analysis of Contingency Tables, chapter 2
        (13, 16, "clopper-pearson", 0.5435, 0.9595),
        (13, 16, "jeffreys", 0.5792, 0.9442),
        (13, 16, "wilson", 0.5699, 0.9341),
    ],
)
def test_published_figures(k: int, n: int, method: str, low: float, high: float) -> None:
    assert limits(k, n, method=method) == pytest.approx((low, high), abs=5.1e-5)


@pytest.mark.parametrize(
    ("k", "n", "level", "method", "low", "high"),
    [
        # statsmodels 0.15, proportion_confint
        (3, 20, 0.95, "jeffreys", 0.04413134197515587, 0.348577710858454),
        (17, 40, 0.9, "jeffreys", 0.30318990087592473, 0.5545788114016429),
        (17, 40, 0.9, "clopper-pearson", 0.29184657878614506, 0.5668609107163234),
        (1, 50, 0.99, "jeffreys", 0.0007205775005264443, 0.12105801455526616),
        (1, 50, 0.99, "wilson", 0.002352480614833355, 0.15011352743408957),
        # its Jeffreys does not put the limits 0 and 1 at 0 and n successes; the other one agrees
        (0, 12, 0.95, "jeffreys", 0.0, 0.1853059383124851),
        (12, 12, 0.95, "jeffreys", 0.8146940616875149, 1.0),
    ],
)
def test_figures_of_a_peer(
    k: int, n: int, level: float, method: str, low: float, high: float
) -> None:
    found = limits(k, n, confidence_level=level, method=method)
    assert found == pytest.approx((low, high), rel=1e-12)


@given(COUNTS, LEVELS, st.sampled_from(["two-sided", "less", "greater"]))
def test_scipy_agrees(counts: tuple[int, int], level: float, alternative: str) -> None:
    test = stats.binomtest(*counts, alternative=alternative)
    for ours, theirs in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        expected = test.proportion_ci(confidence_level=level, method=theirs)
        found = limits(*counts, confidence_level=level, method=ours, alternative=alternative)
        assert found == pytest.approx((expected.low, expected.high), abs=1e-11)


@given(COUNTS, LEVELS)
def test_exact_limits_solve_their_equations(counts: tuple[int, int], level: float) -> None:
    """In fractions: the tail is passed between the limit less and plus one in 10^12."""
    k, n = counts
    tail = Fraction((1 - level) / 2)
    above = oracle.at_least
    found = limits(k, n, confidence_level=level, method="clopper-pearson")
    low, high = map(Fraction, found)
    if k > 0:
        assert above(k, n, low * (1 - TINY)) < tail < above(k, n, low + (1 - low) * TINY)
    else:
        assert low == 0
    if k < n:  # the upper limit is the lower one of the failures, mirrored
        low = 1 - high
        assert above(n - k, n, max(low - TINY, Fraction(0))) < tail
        assert tail < above(n - k, n, low + TINY)
    else:
        assert high == 1


@given(COUNTS, LEVELS)
def test_limits_of_jeffreys_are_quantiles(counts: tuple[int, int], level: float) -> None:
    k, n = counts
    low, high = limits(k, n, confidence_level=level, method="jeffreys")
    tail = (1 - level) / 2
    if k == 0:
        assert low == 0
    else:
        assert oracle.jeffreys_below(k, n, low) == pytest.approx(tail, rel=1e-9)
    if k == n:
        assert high == 1
    else:
        assert oracle.jeffreys_below(k, n, high) == pytest.approx(1 - tail, rel=1e-9)


@given(COUNTS, LEVELS)
def test_closed_forms(counts: tuple[int, int], level: float) -> None:
    z = oracle.z_of((1 - level) / 2)
    found = limits(*counts, confidence_level=level)
    assert found == pytest.approx(oracle.wilson(*counts, z), abs=1e-14)


@pytest.mark.parametrize("n", [10**7, 10**9, 10**12])
@pytest.mark.parametrize("k", [1, 10, 1000])
def test_few_successes_in_very_many_trials(k: int, n: int) -> None:
    """Where scipy's inverse of the incomplete beta function returns limits that are far off."""
    low, high = limits(k, n, method="clopper-pearson")
    assert oracle.few(k, n, high) == pytest.approx(0.025, rel=1e-10)
    assert 1 - oracle.few(k - 1, n, low) == pytest.approx(0.025, rel=1e-10)
    mirrored = limits(n - k, n, method="clopper-pearson")
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=2e-16)


@given(COUNTS, LEVELS, st.sampled_from(METHODS))
def test_properties(counts: tuple[int, int], level: float, method: str) -> None:
    k, n = counts
    low, high = limits(k, n, confidence_level=level, method=method)
    assert 0 <= low < high <= 1
    if method != "jeffreys":  # its limits are those of a posterior, whatever was observed
        assert low <= k / n <= high
    mirrored = limits(n - k, n, confidence_level=level, method=method)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-15)
    wider = limits(k, n, confidence_level=(1 + level) / 2, method=method)
    assert wider[0] <= low
    assert high <= wider[1]
    assert (wider[0] < low) or (wider[0] == 0)
    assert (high < wider[1]) or (wider[1] == 1)
    # One bound leaves in its tail what the two limits leave in each of theirs.
    half = {"confidence_level": (1 + level) / 2, "method": method}
    upper, lower = (limits(k, n, alternative=side, **half) for side in ("less", "greater"))
    assert upper == pytest.approx((0.0, high), rel=1e-9, abs=1e-15)
    assert lower == pytest.approx((low, 1.0), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("k", "n"), [(0, 7), (3, 7), (7, 7)])
def test_levels_at_their_ends(k: int, n: int, method: str) -> None:
    low, high = limits(k, n, confidence_level=1e-300, method=method)
    assert 0 <= low <= 1
    assert low == pytest.approx(high, abs=0.15)
    bounds = [
        limits(k, n, confidence_level=0.5, method=method, alternative="greater")[0],
        limits(k, n, confidence_level=0.5, method=method, alternative="less")[1],
    ]
    assert bounds == pytest.approx([low, high], abs=1e-12)
    low, high = limits(k, n, confidence_level=1 - 2**-53, method=method)
    assert 0 <= low < 0.1
    assert 0.9 < high <= 1


@pytest.mark.parametrize("n", [5, 20, 50])
def test_coverage_by_enumeration(n: int) -> None:
    """Clopper-Pearson never covers less than the level; the others as far as their Notes say."""
    worst = {"wilson": 0.83, "jeffreys": 0.86}
    truths = np.r_[np.linspace(0.001, 0.999, 333), np.geomspace(1e-4, 0.02, 40)].tolist()
    for level, methods in ((0.9, ()), (0.95, tuple(worst)), (0.99, ())):
        for method in ("clopper-pearson", *methods):
            found = [limits(k, n, confidence_level=level, method=method) for k in range(n + 1)]
            covered = [oracle.coverage(found, t) for t in truths]
            assert min(covered) >= (worst.get(method, level))
            if method in worst:
                assert np.mean(covered[:333]) == pytest.approx(level, abs=0.01)
                assert min(covered) < level - 0.02  # the enumeration can tell


@pytest.mark.parametrize("method", METHODS)
def test_effective_counts(method: str) -> None:
    """Limits of counts that are not whole lie between those of their neighbours."""
    below, at, above = (limits(k, 12.5, method=method) for k in (3, 3.5, 4))
    assert below[0] < at[0] < above[0]
    assert below[1] < at[1] < above[1]


def test_effective_counts_by_the_beta_distribution() -> None:
    k, n = 2.25, 9.5
    expected = stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)
    assert limits(k, n, method="clopper-pearson") == pytest.approx(expected, rel=1e-12)
    expected = tuple(stats.beta.ppf([0.025, 0.975], k + 0.5, n - k + 0.5))
    assert limits(k, n, method="jeffreys") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_no_trials(method: str, alternative: str) -> None:
    with pytest.warns(UndefinedMetricWarning, match="not defined: `n` is 0") as record:
        result = proportion_interval(0, 0, method=method, alternative=alternative)
    assert record[0].filename == __file__
    interval = result.confidence_interval
    assert math.isnan(result.estimate)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "match"),
    [
        ((5, 4), {}, ValueError, "`successes` must be at most `n`: got 5 of 4"),
        (
            (1, 4),
            {"alternative": "less", "confidence_level": 0.4},
            ValueError,
            "one-sided bound must be at least 0.5: got 0.4 with alternative='less'",
        ),
    ],
)
def test_refused(
    arguments: tuple[Any, Any], options: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        proportion_interval(*arguments, **options)
