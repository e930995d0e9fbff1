"""Intervals for proportions and their differences, and sizes of samples."""

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from scipy.stats import norm, t as student

import fastmetrics as fm
from fastmetrics.comparison import effective_sample_size, proportion_interval
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


@given(COUNTS, LEVELS, st.sampled_from(["two-sided", "less", "greater"]))
def test_scipy_agrees(counts: tuple[int, int], level: float, alternative: str) -> None:
    test = stats.binomtest(*counts, alternative=alternative)
    for ours, theirs in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        expected = test.proportion_ci(confidence_level=level, method=theirs)
        actual = limits(*counts, confidence_level=level, method=ours, alternative=alternative)
        assert actual == pytest.approx((expected.low, expected.high), abs=1e-11)


@given(COUNTS, LEVELS)
def test_exact_limits_solve_their_equations(counts: tuple[int, int], level: float) -> None:
    """In fractions: the tail is passed between the limit less and plus one in 10^12."""
    k, n = counts
    tail = Fraction((1 - level) / 2)
    above = oracle.at_least
    low, high = map(Fraction, limits(k, n, confidence_level=level, method="clopper-pearson"))
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
    actual = limits(*counts, confidence_level=level)
    assert actual == pytest.approx(oracle.wilson(*counts, z), abs=1e-14)


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
            actual = [limits(k, n, confidence_level=level, method=method) for k in range(n + 1)]
            covered = [oracle.coverage(actual, t) for t in truths]
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


B = 299


def users(sizes: Any) -> tuple[Any, Any, Any]:
    """Labels, scores and groups of the sizes given, each with rows of both classes."""
    rng = np.random.default_rng(len(sizes))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    labels = np.arange(len(groups)) % 2
    level = rng.normal(size=len(sizes))[groups]
    return labels, labels + level + rng.normal(size=len(groups)), groups


def quietly(function: Any, *data: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*data, **options)


@pytest.mark.parametrize("sizes", [[4] * 12, [40, 3, 3, 2, 2, 2], [7, 5, 4, 9, 12, 3, 2]])
def test_every_result_has_the_effective_number_of_groups(sizes: list[int]) -> None:
    wanted = float(Fraction(sum(sizes) ** 2, sum(m * m for m in sizes)))
    y, s, groups = users(sizes)
    options = {"groups": groups, "n_resamples": B, "rng": 1}
    models = {"a": s, "b": s + y}
    actual = [
        quietly(fm.bootstrap, y, s, **options)["roc_auc"],
        quietly(fm.paired_bootstrap, y, models, **options)["roc_auc"].pairs[0],
        quietly(fm.evaluate, y, models, **options).bootstrap,
    ]
    for result in actual:
        details = getattr(result, "details", result)
        own = getattr(details, "effective_n_groups", None) or details["effective_n_groups"]
        assert own == pytest.approx(wanted, rel=1e-14)
    assert fm.bootstrap(y, s, n_resamples=B, rng=1)["roc_auc"].details.effective_n_groups is None


def test_weights_count_in_the_sizes_of_groups() -> None:
    y, s, groups = users([2, 4, 6, 2])
    times = np.arange(len(y)) % 3 + 1
    sizes = np.bincount(groups, times)
    wanted = sizes.sum() ** 2 / (sizes**2).sum()
    for read, weights in (("frequencies", times), ("importances", times / 7)):
        given = {"groups": groups, "sample_weight": weights, "weights_are": read}
        one = quietly(fm.bootstrap, y, s, n_resamples=B, rng=1, **given)["roc_auc"]
        assert one.details.effective_n_groups == pytest.approx(wanted)


@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_quantiles_of_replicates_move_out(method: Any) -> None:
    """By the ratio of Student's t and of I / (I - 1): Hesterberg (2015)."""
    y, s, groups = users([12, 4, 6, 8, 9, 30, 4, 20, 5])
    options = {"groups": groups, "n_resamples": 1999, "rng": 1, "method": method}
    one = quietly(fm.bootstrap, y, s, **options)["roc_auc"]
    n = one.details.effective_n_groups
    level = norm.cdf(student.ppf(0.025, n - 1) * math.sqrt(n / (n - 1)))
    assert level < 0.02
    low, high = np.nanquantile(one.details.distribution, (level, 1 - level))
    if method == "basic":
        low, high = 2 * one.estimate - high, 2 * one.estimate - low
    assert tuple(one.confidence_interval) == pytest.approx((low, high), rel=1e-12)
    pair = quietly(fm.paired_bootstrap, y, {"a": s, "b": np.round(s)}, **options)
    difference = pair["roc_auc"].pairs[0]
    inside = difference.confidence_interval.low <= 0 <= difference.confidence_interval.high
    assert inside == (difference.pvalue > 0.05)


def test_few_groups_warn_and_many_do_not() -> None:
    for sizes, worth in (([3] * 29, "there are 29 groups:"), ([60, *[2] * 40], "worth 5.21 of")):
        y, s, groups = users(sizes)
        models = {"a": s, "b": s * s}
        draws = {"n_resamples": B, "rng": 1}
        for function, scores, other in (
            (fm.bootstrap, s, draws),
            (fm.paired_bootstrap, models, draws),
            (fm.evaluate, s, draws),
        ):
            with pytest.warns(fm.SmallSampleWarning, match=worth) as caught:
                function(y, scores, groups=groups, **other)
            assert [one.filename for one in caught] == [__file__]
    y, s, groups = users([3] * 31)
    fm.bootstrap(y, s, groups=groups, n_resamples=B, rng=1)


def test_weights_that_leave_few_rows() -> None:
    y, s, _ = users([5] * 40)
    w = np.ones(200)
    w[:4] = 100.0
    size = fm.comparison.effective_sample_size(w)
    match = f"leave 200 rows worth {size:.3g} of equal weight.*`weights_are='frequencies'`"
    draws = {"n_resamples": B, "rng": 1, "sample_weight": w}
    for function, scores in ((fm.bootstrap, s), (fm.paired_bootstrap, {"a": s, "b": s * s})):
        with pytest.warns(fm.SmallSampleWarning, match=match):
            function(y, scores, **draws)
    with pytest.warns(fm.SmallSampleWarning, match="leave 200 rows worth"):
        fm.estimate(y, s, metrics="roc_auc", sample_weight=w)
    for fine in (w[:20] * 0 + 1, None):  # few rows, but none that the weights took
        fm.estimate(y[:20], s[:20], metrics="roc_auc", sample_weight=fine)
    fm.bootstrap(y, s, **draws | {"weights_are": "frequencies"})


@pytest.mark.parametrize("band", [fm.roc_band, fm.pr_band])
def test_bands_say_so_too(band: Any) -> None:
    labels, scores, groups = users([8] * 12)
    options = {"n_resamples": 99, "rng": 1, "points": 5}
    with pytest.warns(fm.SmallSampleWarning, match="there are 12 groups: below about 30"):
        band(labels, scores, groups=groups, **options)
    weights = np.random.default_rng(3).lognormal(0, 3, len(labels))
    with pytest.warns(fm.SmallSampleWarning, match="the weights leave 96 rows worth"):
        band(labels, scores, sample_weight=weights, **options)


WEIGHTS = st.lists(st.floats(0, 1e6) | st.integers(0, 50), min_size=1, max_size=30)


def kish(weights: Any) -> float:
    exact = [Fraction(w) for w in weights]
    return float(sum(exact) ** 2 / sum(w * w for w in exact))


@given(WEIGHTS.filter(lambda weights: max(weights) > 1e-60))
def test_the_definition(weights: list[float]) -> None:
    weights = [w if w > 1e-60 else 0.0 for w in weights]
    assert effective_sample_size(weights) == pytest.approx(kish(weights), rel=1e-13)


def test_many_rows(rng: np.random.Generator) -> None:
    weights = rng.lognormal(sigma=2, size=200_000)
    expected = math.fsum(weights) ** 2 / math.fsum(weights * weights)
    assert effective_sample_size(weights) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("weight", [1, 0.1, 3.7, 1e308, 5e-324, 2**60])
@pytest.mark.parametrize("n", [1, 7, 100_000])
def test_equal_weights_are_all_worth_one(weight: float, n: int) -> None:
    assert effective_sample_size(np.full(n, weight)) == n
    assert effective_sample_size(np.r_[np.full(n, weight), np.zeros(5)]) == n


@pytest.mark.parametrize("scale", [1e-323, 1e-200, 1e200, 4e307])
def test_the_scale_does_not_matter(scale: float) -> None:
    weights = np.array([1.0, 2.0, 3.0, 4.0]) * scale
    # the least weights are multiples of 5e-324: 2, 4, 6 and 8 of them
    assert effective_sample_size(weights) == pytest.approx(10**2 / 30, rel=1e-14)
