"""The binomial test against enumeration, published figures, scipy and statsmodels."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import fastmetrics as fm
from reference import paired_tests_oracle as oracle

FIGURES = json.loads(
    (Path(__file__).parents[1] / "reference" / "reference_values.json").read_text("utf-8")
)["binomial"]
ALTERNATIVES = ("greater", "less", "two-sided")


@pytest.mark.parametrize(("n", "rate", "alpha", "count"), FIGURES["cases_m_eps0_alpha_C"])
def test_published_critical_counts(n, rate, alpha, count):
    test = fm.comparison.binomial_test(count, n, error_rate=rate, confidence_level=1 - alpha)
    assert test.critical_value == count
    assert not test.reject
    assert fm.comparison.binomial_test(
        count + 1, n, error_rate=rate, confidence_level=1 - alpha
    ).reject


def test_rejecting_at_the_critical_count_has_too_large_a_size():
    assert fm.comparison.binomial_test(6, 10, error_rate=0.3).pvalue == pytest.approx(
        FIGURES["tail_10_0.3_C5"], rel=1e-12
    )
    assert round(fm.comparison.binomial_test(5, 10, error_rate=0.3).pvalue, 3) == 0.150


def test_a_tail_of_exactly_alpha_does_not_reject():
    edge = FIGURES["strict_vs_qbinom_edge"]
    n, rate, alpha = edge["m"], edge["eps0"], edge["alpha"]
    test = fm.comparison.binomial_test(1, n, error_rate=rate, confidence_level=1 - alpha)
    assert (test.critical_value, test.reject) == (edge["strict"], False)
    assert stats.binom.ppf(1 - alpha, n, rate) == edge["qbinom"]  # rejects more than 0 errors


def test_figures_of_scipy_and_r():
    doc = FIGURES["scipy_doc"]
    test = fm.comparison.binomial_test(doc["k"], doc["n"], error_rate=doc["p0"])
    assert test.pvalue == pytest.approx(doc["greater_p"], rel=1e-12)
    assert test.confidence_interval.low == pytest.approx(doc["ci_low"], rel=1e-9)
    assert test.confidence_interval.high == 1
    r = FIGURES["R_binom_test_682_925_0.75"]
    test = fm.comparison.binomial_test(682, 925, error_rate=0.75, alternative="two-sided")
    assert test.pvalue == pytest.approx(r["p"], rel=1e-9)
    found = (test.confidence_interval.low, test.confidence_interval.high)
    assert found == pytest.approx(r["ci"], rel=1e-7)


@given(
    st.integers(1, 25),
    st.data(),
    st.integers(0, 20).map(lambda i: Fraction(i, 20)),
    st.sampled_from(["0.01", "0.05", "0.1", "0.25"]),
    st.sampled_from(ALTERNATIVES),
)
def test_enumeration(n, data, rate, alpha, alternative):
    errors = data.draw(st.integers(0, n))
    test = fm.comparison.binomial_test(
        errors,
        n,
        error_rate=float(rate),
        confidence_level=1 - float(alpha),
        alternative=alternative,
    )
    level = Fraction(alpha)
    pvalues = [oracle.binomial_pvalue(i, n, rate, alternative) for i in range(n + 1)]
    assert test.pvalue == pytest.approx(float(pvalues[errors]), rel=1e-9, abs=1e-300)
    assert test.reject == (pvalues[errors] < level)
    rejected = [i for i in range(n + 1) if pvalues[i] < level]
    if alternative == "greater":
        assert test.critical_value == oracle.critical_count(n, rate, level)
        assert rejected == [i for i in range(n + 1) if i > test.critical_value]
    elif alternative == "less":
        assert rejected == [i for i in range(n + 1) if i < test.critical_value]
    else:
        low, high = test.details["critical_low"], test.details["critical_high"]
        assert rejected == [i for i in range(n + 1) if not low <= i <= high]
        assert math.isnan(test.critical_value)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("errors", "n", "rate"), [(0, 7, 0.2), (7, 7, 0.9), (130, 1000, 0.1)])
def test_scipy(errors, n, rate, alternative):
    peer = stats.binomtest(errors, n, rate, alternative=alternative)
    test = fm.comparison.binomial_test(errors, n, error_rate=rate, alternative=alternative)
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-10)
    interval = peer.proportion_ci(0.95)
    found = (test.confidence_interval.low, test.confidence_interval.high)
    assert found == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-12)
    assert test.effect_size == errors / n


@given(st.integers(1, 300_000), st.floats(0.001, 0.999), st.floats(-5, 5))
def test_two_sided_is_scipys(n, rate, deviations):
    errors = round(n * rate + deviations * math.sqrt(n * rate * (1 - rate)))
    errors = min(n, max(0, errors))
    peer = stats.binomtest(errors, n, rate)
    test = fm.comparison.binomial_test(errors, n, error_rate=rate, alternative="two-sided")
    assert test.pvalue == pytest.approx(peer.pvalue, rel=1e-8)
    low, high = test.details["critical_low"], test.details["critical_high"]
    assert test.reject == (not low <= errors <= high)


def test_the_interval_is_the_one_of_proportion_interval_and_statsmodels():
    test = fm.comparison.binomial_test(
        9, 60, error_rate=0.1, confidence_level=0.9, alternative="two-sided"
    )
    ours = fm.comparison.proportion_interval(9, 60, method="clopper-pearson", confidence_level=0.9)
    low, high = test.confidence_interval.low, test.confidence_interval.high
    assert (low, high) == (ours.confidence_interval.low, ours.confidence_interval.high)
    assert (low, high) == pytest.approx(proportion_confint(9, 60, 0.1, method="beta"), rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("rate", "expected"), [(0, 0), (1, 5)])
def test_error_rates_without_chance(rate, expected, alternative):
    for errors in range(6):
        test = fm.comparison.binomial_test(errors, 5, error_rate=rate, alternative=alternative)
        pvalue = float(oracle.binomial_pvalue(errors, 5, Fraction(rate), alternative))
        assert test.pvalue == pvalue
        assert test.reject == (pvalue == 0)
    assert (
        fm.comparison.binomial_test(expected, 5, error_rate=rate, alternative=alternative).pvalue
        == 1
    )


def test_millions_of_examples():
    test = fm.comparison.binomial_test(10**5 + 600, 10**6, error_rate=0.1, alternative="two-sided")
    assert test.pvalue == pytest.approx(stats.binomtest(100_600, 10**6, 0.1).pvalue)
    one_sided = fm.comparison.binomial_test(10**5 + 600, 10**6, error_rate=0.1)
    count = one_sided.critical_value
    assert stats.binom.sf(count, 10**6, 0.1) < 0.05 <= stats.binom.sf(count - 1, 10**6, 0.1)


def test_more_examples_than_32_bits_count():
    n = 2**33
    test = fm.comparison.binomial_test(n // 2 + 60_000, n, error_rate=0.5)
    assert test.pvalue == pytest.approx(stats.binom.sf(n // 2 + 59_999, n, 0.5), rel=1e-9)
    assert stats.binom.sf(test.critical_value, n, 0.5) < 0.05
    both = fm.comparison.binomial_test(n // 2 - 60_000, n, error_rate=0.5, alternative="two-sided")
    assert both.pvalue == pytest.approx(2 * test.pvalue, rel=1e-9)


def test_likelihood():
    rates = np.linspace(0, 1, 11)
    found = fm.comparison.binomial_likelihood(0.3, 10, rates)
    assert found == pytest.approx([float(oracle.pmf(3, 10, Fraction(i, 10))) for i in range(11)])
    assert np.argmax(found) == 3  # largest where the true rate is the observed one
    one = fm.comparison.binomial_likelihood(0.6, 10, 0.3)
    assert isinstance(one, float)
    assert one == pytest.approx(float(oracle.pmf(6, 10, Fraction(3, 10))))
    assert sum(
        fm.comparison.binomial_likelihood(i / 30, 30, 0.2) for i in range(31)
    ) == pytest.approx(1)


def test_faults_of_the_likelihood():
    with pytest.raises(ValueError, match="`observed_error_rate` times `n` must be whole"):
        fm.comparison.binomial_likelihood(0.35, 10, 0.3)
    with pytest.raises(ValueError, match=r"`error_rate` must lie in \[0, 1\]"):
        fm.comparison.binomial_likelihood(0.3, 10, [0.3, 1.2])
    with pytest.raises(ValueError, match=r"`observed_error_rate` must lie in \[0, 1\]"):
        fm.comparison.binomial_likelihood(1.3, 10, 0.3)
