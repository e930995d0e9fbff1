"""The signed-rank test against all signs, scipy, R's figures, and order statistics by sorting."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from reference import paired_tests_oracle as oracle

ALTERNATIVES = ("two-sided", "less", "greater")
ZEROS = ("wilcox", "pratt", "zsplit")

# Hollander & Wolfe (1973), depression before and after; R: wilcox.test(x, y, paired = TRUE,
# alternative = "greater") gives V = 40, p = 0.01953.
DEPRESSION_X = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
DEPRESSION_Y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]


def test_the_example_of_hollander_and_wolfe():
    test = fm.comparison.wilcoxon_signed_rank_test(
        DEPRESSION_X, DEPRESSION_Y, alternative="greater", higher_is_better=False
    )
    assert (test.statistic, round(test.pvalue, 5)) == (40, 0.01953)
    assert test.details["w_minus"] == 5
    assert test.details["rank_biserial"] == pytest.approx(35 / 45)


def test_demsars_example():
    """C4.5 and C4.5+m on 14 data sets (Demsar 2006, table 2): R+ 93, R- 12, p below .05.

    The ranks of its two zeros are split between the sums.
    """
    plain = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619]
    tuned = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666]
    plain, tuned = [*plain, 0.972, 0.957], [*tuned, 0.981, 0.978]
    test = fm.comparison.wilcoxon_signed_rank_test(
        tuned, plain, zero_method="zsplit", higher_is_better=True, names=("C4.5+m", "C4.5")
    )
    assert (test.details["w_plus"], test.details["w_minus"]) == (93, 12)
    assert test.reject
    assert test.better == "C4.5+m"


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=9),
    st.sampled_from([1, 10, 100]),
    st.sampled_from(ZEROS),
    st.sampled_from(ALTERNATIVES),
)
def test_every_choice_of_signs(values, divisor, zero_method, alternative):
    if not any(values):
        return
    exact = [Fraction(v) for v in values]
    plus, minus, pvalue = oracle.wilcoxon(exact, zero_method, alternative)
    test = fm.comparison.wilcoxon_signed_rank_test(
        np.array(values) / divisor,
        zero_method=zero_method,
        alternative=alternative,
        higher_is_better=False,
    )
    assert (test.details["w_plus"], test.details["w_minus"]) == (plus, minus)
    assert test.statistic == (min(plus, minus) if alternative == "two-sided" else plus)
    assert test.pvalue == pytest.approx(float(pvalue), rel=1e-12)
    assert test.details["rank_biserial"] == pytest.approx(float((plus - minus) / (plus + minus)))
    median = np.median([float(w) for w in oracle.walsh_averages(exact)]) / divisor
    assert test.effect_size == pytest.approx(median, abs=1e-12)


def test_differences_that_tie_but_for_rounding():
    a, b = [0.3, 0.4, 0.7, 0.8], [0.2, 0.5, 0.6, 0.7]
    test = fm.comparison.wilcoxon_signed_rank_test(a, b, higher_is_better=False)
    assert (test.details["w_plus"], test.details["w_minus"]) == (7.5, 2.5)


def test_small_differences_count_beside_huge_ones():
    test = fm.comparison.wilcoxon_signed_rank_test([1e20, 1e-20, -2.0, 3.0], higher_is_better=False)
    assert (test.details["w_plus"], test.details["w_minus"]) == (8, 2)
    paired = fm.comparison.wilcoxon_signed_rank_test(
        [1e20, 1e-20, 0.3], [0.0, 0.0, 0.1 + 0.2], higher_is_better=False
    )
    assert (paired.details["w_plus"], paired.details["n_zero"]) == (3, 1)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [3, 20, 50, 51, 200])
def test_exact_is_scipys_without_ties(n, alternative, rng):
    values = rng.normal(0.2, 1, n)
    peer = stats.wilcoxon(values, alternative=alternative, method="exact")
    test = fm.comparison.wilcoxon_signed_rank_test(
        values, alternative=alternative, higher_is_better=False
    )
    assert (test.statistic, test.pvalue) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-9)


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("correction", [True, False])
def test_normal_is_scipys_with_ties_and_zeros(zero_method, alternative, correction, rng):
    values = rng.integers(-6, 9, 120)
    options = {"zero_method": zero_method, "alternative": alternative}
    peer = stats.wilcoxon(values, method="asymptotic", correction=correction, **options)
    test = fm.comparison.wilcoxon_signed_rank_test(
        values, method="normal", continuity_correction=correction, **options, higher_is_better=False
    )
    assert test.statistic == peer.statistic
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-9)
    assert abs(test.details["z"]) == pytest.approx(abs(peer.zstatistic))


def test_scipys_normal_p_counts_the_zeros_it_splits_as_if_they_had_signs(rng):
    """Half of a zero's rank goes to either sum for sure: it adds nothing to the variance.

    The variance of all choices of signs says which of the two is right.
    """
    values = np.concatenate((np.zeros(12), rng.integers(1, 6, 6) * np.array([1, 1, 1, 1, -1, 1])))
    options = {"zero_method": "zsplit"}
    peer = stats.wilcoxon(values, method="asymptotic", **options)
    test = fm.comparison.wilcoxon_signed_rank_test(
        values, method="normal", continuity_correction=False, **options, higher_is_better=False
    )
    ranks = [rank for rank, sign in oracle.signed_ranks(values.tolist(), "zsplit") if sign]
    null = [
        sum(r for s, r in zip(signs, ranks, strict=True) if s > 0)
        for signs in oracle.sign_choices(len(ranks))
    ]
    deviation = np.std([float(one) for one in null])
    above = (test.details["w_plus"] - test.details["w_minus"]) / 2
    assert test.details["z"] == pytest.approx(above / deviation)
    assert abs(peer.zstatistic) < 0.95 * abs(test.details["z"])


def test_scipys_exact_p_ignores_ties():
    """Asked for "exact", scipy takes the ranks as 1 ... n; all signs say what is exact."""
    values = [1, 2, 2, 2, 3, -2]
    *_, pvalue = oracle.wilcoxon([Fraction(v) for v in values], "wilcox", "two-sided")
    assert fm.comparison.wilcoxon_signed_rank_test(
        values, higher_is_better=False
    ).pvalue == pytest.approx(float(pvalue))
    assert stats.wilcoxon(values, method="exact").pvalue != pytest.approx(float(pvalue))


def test_exact_and_normal_agree_for_many(rng):
    values = np.round(rng.normal(0.08, 1, 700), 1)
    exact = fm.comparison.wilcoxon_signed_rank_test(values, method="exact", higher_is_better=False)
    normal = fm.comparison.wilcoxon_signed_rank_test(values, higher_is_better=False)
    assert normal.method.endswith("normal")
    assert exact.pvalue == pytest.approx(normal.pvalue, rel=0.02)


@pytest.mark.parametrize("zero_method", ZEROS)
@pytest.mark.parametrize("method", ["auto", "exact", "normal"])
def test_models_that_do_not_differ(method, zero_method):
    with pytest.warns(DegenerateDataWarning, match="W is 0 and p is 1"):
        test = fm.comparison.wilcoxon_signed_rank_test(
            [0.2] * 6, [0.2] * 6, method=method, zero_method=zero_method, higher_is_better=False
        )
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)
    assert (test.effect_size, test.details["rank_biserial"]) == (0, 0)


def test_one_difference():
    test = fm.comparison.wilcoxon_signed_rank_test([0.2], higher_is_better=False)
    assert (test.pvalue, test.effect_size) == (1, 0.2)
    assert (test.confidence_interval.low, test.confidence_interval.high) == (-math.inf, math.inf)


# --- Hodges and Lehmann --------------------------------------------------------------------------


def test_a_hundred_thousand_differences(rng):
    values = rng.normal(0.01, 1, 100_000)
    test = fm.comparison.wilcoxon_signed_rank_test(values, higher_is_better=False)
    assert test.confidence_interval.low < 0.01 < test.confidence_interval.high


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [6, 9, 25])
def test_the_interval_holds_what_the_test_does_not_reject(n, alternative, rng):
    values = rng.normal(0.5, 1, n)
    test = fm.comparison.wilcoxon_signed_rank_test(
        values, alternative=alternative, higher_is_better=False
    )
    low, high = test.confidence_interval.low, test.confidence_interval.high
    for limit, inwards in ((low, 1), (high, -1)):
        if math.isinf(limit):
            continue
        for step, rejected in ((inwards * 1e-9, False), (-inwards * 1e-9, True)):
            shifted = fm.comparison.wilcoxon_signed_rank_test(
                values - limit - step, alternative=alternative, higher_is_better=False
            )
            assert shifted.reject == rejected
    assert (low == -math.inf) == (alternative == "less")
    assert (high == math.inf) == (alternative == "greater")


def test_the_interval_of_r():
    """R: wilcox.test(x, y, paired = TRUE, conf.int = TRUE) inverts the same distribution."""
    test = fm.comparison.wilcoxon_signed_rank_test(
        DEPRESSION_X, DEPRESSION_Y, higher_is_better=False
    )
    averages = [
        float(w)
        for w in oracle.walsh_averages(
            [
                a - b
                for a, b in zip(
                    oracle.fractions(DEPRESSION_X), oracle.fractions(DEPRESSION_Y), strict=True
                )
            ]
        )
    ]
    # P(W <= 5) = 10 / 512 and P(W <= 6) = 14 / 512: the sixth from either end
    assert test.confidence_interval.low == pytest.approx(averages[5])
    assert test.confidence_interval.high == pytest.approx(averages[-6])
    assert test.effect_size == pytest.approx(0.46, abs=5e-4)


def test_few_differences_have_no_limits_at_a_high_level():
    test = fm.comparison.wilcoxon_signed_rank_test([1, 2, 3, 4, 5], higher_is_better=False)
    assert (test.confidence_interval.low, test.confidence_interval.high) == (-math.inf, math.inf)
    test = fm.comparison.wilcoxon_signed_rank_test(
        [1, 2, 3, 4, 5], confidence_level=0.9, higher_is_better=False
    )
    assert (test.confidence_interval.low, test.confidence_interval.high) == (1, 5)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=30), st.sampled_from(ZEROS))
def test_swapping_the_models(values, zero_method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        test = fm.comparison.wilcoxon_signed_rank_test(
            values, zero_method=zero_method, higher_is_better=False
        )
        swapped = fm.comparison.wilcoxon_signed_rank_test(
            [0] * len(values), values, zero_method=zero_method, higher_is_better=False
        )
    assert swapped.pvalue == pytest.approx(test.pvalue, rel=1e-12)
    assert swapped.effect_size == -test.effect_size
    interval, other = test.confidence_interval, swapped.confidence_interval
    assert (other.low, other.high) == (-interval.high, -interval.low)


@pytest.mark.parametrize(
    ("values", "options", "match"),
    [
        (
            np.arange(1, 1500),
            {"method": "exact"},
            "`method='exact'` is for at most 1,000 differences other than 0: got",
        ),
    ],
)
def test_faults(values, options, match):
    with pytest.raises(ValueError, match=match):
        fm.comparison.wilcoxon_signed_rank_test(values, **options, higher_is_better=False)


@pytest.mark.parametrize("size", [1e308, -1e308, 1.7e308])
def test_the_largest_numbers(size):
    """Twice one of them is none."""
    options = {"higher_is_better": True, "confidence_level": 0.1}
    same = fm.comparison.wilcoxon_signed_rank_test([size] * 5, **options)
    assert same.effect_size == size
    assert (same.confidence_interval.low, same.confidence_interval.high) == (size, size)
    values = np.array([1.0, -0.5, 0.25, 0.75, 1.0, 0.3])
    usual = fm.comparison.wilcoxon_signed_rank_test(values, **options)
    large = fm.comparison.wilcoxon_signed_rank_test(values * size, **options)
    assert large.effect_size == pytest.approx(usual.effect_size * size)
    assert large.pvalue == usual.pvalue
