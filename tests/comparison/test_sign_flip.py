"""The sign-flip test against all signs, scipy's permutation test, and binomial special cases."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from reference import paired_tests_oracle as oracle

ALTERNATIVES = ("two-sided", "less", "greater")


@given(
    st.lists(st.integers(-6, 6), min_size=1, max_size=9),
    st.sampled_from([1, 10, 100]),
    st.sampled_from(ALTERNATIVES),
)
def test_every_choice_of_signs(values, divisor, alternative):
    if not any(values):
        return
    exact = oracle.sign_flip_pvalue(oracle.fractions(values), alternative)
    # decimals, whose sums round: 0.1 + 0.2 ties with 0.3
    test = fm.comparison.sign_flip_test(
        np.array(values) / divisor, alternative=alternative, higher_is_better=False
    )
    assert test.pvalue == pytest.approx(float(exact), rel=1e-12)
    assert test.effect_size == pytest.approx(sum(values) / len(values) / divisor, abs=1e-15)
    assert test.method.endswith("exact")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [5, 14])
def test_scipy(n, alternative, rng):
    values = rng.normal(0.4, 1, n)
    peer = stats.permutation_test(
        (values,),
        lambda v, axis: v.mean(axis=axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    )
    test = fm.comparison.sign_flip_test(
        values, alternative=alternative, method="exact", higher_is_better=False
    )
    assert (test.statistic, test.pvalue) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-12)


def test_more_differences_than_could_be_enumerated(rng):
    """30 differences: 2^30 choices. The tails of both sides and the atom add up."""
    values = rng.integers(1, 40, 30) * rng.choice([-1, 1], 30)
    total = int(values.sum())
    weights = {0: 1}
    for value in values.tolist():
        after: dict[int, int] = {}
        for at, ways in weights.items():
            for step in (value, -value):
                after[at + step] = after.get(at + step, 0) + ways
        weights = after
    extreme = sum(ways for at, ways in weights.items() if at >= total)
    test = fm.comparison.sign_flip_test(values, alternative="greater", higher_is_better=False)
    assert test.pvalue == pytest.approx(extreme / 2**30, rel=1e-12)


def test_zero_one_losses_are_mcnemars_exact_test(rng):
    a, b = rng.random(5000) < 0.30, rng.random(5000) < 0.28
    test = fm.comparison.sign_flip_test(a, b, higher_is_better=False)
    assert test.method.endswith("exact")
    e01, e10 = int(np.sum(a & ~b)), int(np.sum(b & ~a))
    assert test.details["n_zero"] == 5000 - e01 - e10
    expected = fm.comparison.mcnemar_test(e01=e01, e10=e10, method="exact").pvalue
    assert test.pvalue == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_signs(alternative, rng):
    values = rng.normal(0.25, 1, 35)
    exact = fm.comparison.sign_flip_test(values, alternative=alternative, higher_is_better=False)
    options = {"method": "monte-carlo", "n_resamples": 4999, "alternative": alternative}
    test = fm.comparison.sign_flip_test(values, rng=4, **options, higher_is_better=False)
    assert test.method.endswith("Monte Carlo")
    error = math.sqrt(exact.pvalue * (1 - exact.pvalue) / 4999)
    assert abs(test.pvalue - exact.pvalue) < 4 * error + 1 / 5000
    assert test.pvalue * 5000 == pytest.approx(round(test.pvalue * 5000))
    assert (
        fm.comparison.sign_flip_test(values, rng=4, **options, higher_is_better=False).pvalue
        == test.pvalue
    )
    assert (
        fm.comparison.sign_flip_test(values, rng=5, **options, higher_is_better=False).pvalue
        != test.pvalue
    )


def test_random_signs_are_never_sure(rng):
    test = fm.comparison.sign_flip_test(
        rng.random(300) + 1, rng=1, n_resamples=99, higher_is_better=False
    )
    assert test.pvalue == 1 / 100
    assert test.method.endswith("Monte Carlo")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_models_that_do_not_differ(alternative):
    with pytest.warns(DegenerateDataWarning, match="all differences are 0"):
        test = fm.comparison.sign_flip_test(
            [0.3, 0.2], [0.3, 0.2], alternative=alternative, higher_is_better=False
        )
    assert (test.statistic, test.pvalue, test.reject, test.better) == (0, 1, False, None)


def test_constant_differences_leave_one_choice_of_signs_on_each_side():
    test = fm.comparison.sign_flip_test([0.1] * 8, higher_is_better=False)
    assert test.pvalue == pytest.approx(2 / 2**8)
    assert test.better == "B"
    rounded = fm.comparison.sign_flip_test(
        [0.3, 0.4, 0.7, 0.8], [0.2, 0.3, 0.6, 0.7], higher_is_better=False
    )
    assert rounded.pvalue == pytest.approx(2 / 2**4)


def test_a_mean_of_zero_is_zero_in_spite_of_rounding():
    test = fm.comparison.sign_flip_test([0.1, 0.2, -0.3], higher_is_better=False)
    assert (test.statistic, test.pvalue, test.better) == (0, 1, None)


def test_small_differences_count_beside_large_ones():
    values = [10**12, 1, 2, -4]
    exact = oracle.sign_flip_pvalue(oracle.fractions(values), "two-sided")
    assert fm.comparison.sign_flip_test(values, higher_is_better=False).pvalue == float(exact)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_extreme_magnitudes(size):
    values = np.array([1.0, 2.0, -1.5, 3.0])
    usual, extreme = (
        fm.comparison.sign_flip_test(values, higher_is_better=False),
        fm.comparison.sign_flip_test(values * size, higher_is_better=False),
    )
    assert extreme.pvalue == usual.pvalue
    assert extreme.statistic == pytest.approx(usual.statistic * size)


@pytest.mark.parametrize(
    ("values", "options", "match"),
    [
        (
            np.sqrt(np.arange(1, 60)),
            {"method": "exact"},
            "^`method='exact'` is not feasible for these 59 differences: use `method='auto'`$",
        )
    ],
)
def test_faults(values, options, match):
    with pytest.raises(ValueError, match=match):
        fm.comparison.sign_flip_test(values, **options, higher_is_better=False)
