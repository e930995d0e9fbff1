"""Equivalence and non-inferiority: statsmodels, constrained likelihood, degenerate cases."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

import fastmetrics as fm
from fastmetrics.comparison.samples.equivalence import (
    PairedCounts,
    score_interval,
    score_statistic,
)
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import rank_oracle as oracle

RNG = np.random.default_rng(12)
A = RNG.normal(0.8, 0.02, 15)
B = A + RNG.normal(0.002, 0.01, 15)

COUNTS = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 30)).filter(sum)


@pytest.mark.parametrize("margin", [0.003, 0.01])
def test_statsmodels(margin):
    pvalue, low, high = ttost_paired(A, B, -margin, margin)
    test = fm.comparison.equivalence_test(A, B, margin=margin, rho=0, higher_is_better=True)
    assert test.pvalue == pytest.approx(pvalue, rel=1e-9)
    assert test.details["statistic_low"] == pytest.approx(low[0], rel=1e-9)
    assert test.details["pvalue_high"] == pytest.approx(high[1], rel=1e-9)
    assert test.df == low[2]
    # The decision is that of the interval.
    interval = stats.ttest_rel(A, B).confidence_interval(0.9)
    assert test.confidence_interval.low == pytest.approx(interval.low, rel=1e-9)
    assert test.reject == (-margin < interval.low and interval.high < margin)


@pytest.mark.parametrize("higher", [True, False])
def test_non_inferiority_of_means(higher):
    margin = 0.004
    test = fm.comparison.non_inferiority_test(A, B, margin=margin, rho=0, higher_is_better=higher)
    edge, side = (-margin, "greater") if higher else (margin, "less")
    expected = stats.ttest_1samp(A - B, edge, alternative=side)
    assert test.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert test.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    interval = expected.confidence_interval(0.95)
    assert test.confidence_interval.low == pytest.approx(interval.low, rel=1e-9)
    assert test.confidence_interval.high == pytest.approx(interval.high, rel=1e-9)
    beyond = (
        test.statistic >= test.critical_value if higher else test.statistic <= test.critical_value
    )
    assert test.reject == beyond


def test_correlated_folds_are_wider():
    plain = fm.comparison.equivalence_test(A, B, margin=0.01, rho=0, higher_is_better=True)
    folds = fm.comparison.equivalence_test(A, B, margin=0.01, rho=0.2, higher_is_better=True)
    assert folds.pvalue > plain.pvalue
    ratio = math.sqrt((1 / 15 + 0.25) * 15)
    assert plain.details["statistic_low"] / folds.details["statistic_low"] == pytest.approx(ratio)


@given(counts=COUNTS, difference=st.sampled_from([-0.6, -0.1, -0.02, 0.03, 0.2, 0.7]))
def test_tango_is_the_constrained_likelihood(counts, difference):
    a, b, rest = counts
    n = a + b + rest
    found = score_statistic(PairedCounts(a, b, n), difference)
    assert found == pytest.approx(oracle.tango_statistic(a, b, n, difference), rel=1e-5, abs=1e-6)


@given(counts=COUNTS)
def test_tango_at_no_difference_is_mcnemar(counts):
    a, b, rest = counts
    found = score_statistic(PairedCounts(a, b, a + b + rest), 0.0)
    assert found == pytest.approx((a - b) / math.sqrt(a + b) if a + b else 0.0)


@given(counts=COUNTS)
def test_the_interval_holds_what_the_statistic_does_not_reject(counts):
    a, b, rest = counts
    n = a + b + rest
    pair = PairedCounts(a, b, n)
    found = score_interval(pair, 1.645)
    assert -1 <= found.low <= pair.difference <= found.high <= 1
    for limit, z in ((found.low, 1.645), (found.high, -1.645)):
        if abs(limit) < 1 and limit != 0:
            assert score_statistic(pair, limit) == pytest.approx(z, abs=1e-6)
    mirror = score_interval(PairedCounts(b, a, n), 1.645)
    assert mirror.low == pytest.approx(-found.high, abs=1e-9)


@given(counts=COUNTS, margin=st.sampled_from([0.05, 0.2, 0.5]))
def test_decisions_on_counts_are_those_of_the_interval(counts, margin):
    a, b, rest = counts
    test = fm.comparison.equivalence_test(counts=(a, b, a + b + rest), margin=margin)
    low, high = test.confidence_interval.low, test.confidence_interval.high
    if min(abs(abs(low) - margin), abs(abs(high) - margin)) > 1e-6:
        assert test.reject == (-margin < low and high < margin)
    one = fm.comparison.non_inferiority_test(counts=(a, b, a + b + rest), margin=margin)
    assert one.pvalue == test.details["pvalue_low"]
    assert one.pvalue <= test.pvalue
    assert one.confidence_interval.high == math.inf


def test_better():
    assert (
        fm.comparison.equivalence_test(counts=(9, 3, 100), margin=0.2, names=("x", "y")).better
        == "x"
    )
    assert fm.comparison.equivalence_test(A, B, margin=1, rho=0, higher_is_better=False).better == (
        "A" if A.mean() < B.mean() else "B"
    )


@pytest.mark.parametrize(
    ("value", "pvalue", "statistic"), [(0.0, 0, None), (0.5, 1, None), (0.1, 1, 0)]
)
def test_where_nothing_varies(value, pvalue, statistic):
    with pytest.warns(DegenerateDataWarning, match="do not vary"):
        test = fm.comparison.equivalence_test([value] * 4, margin=0.1, higher_is_better=True)
    assert test.pvalue == pvalue
    assert test.reject == (pvalue == 0)
    if statistic is None:
        assert math.isinf(test.statistic)
    else:
        assert test.statistic == statistic
    with pytest.warns(DegenerateDataWarning):
        fm.comparison.non_inferiority_test([value] * 4, margin=0.1, higher_is_better=True)


def test_one_difference():
    for function in (fm.comparison.equivalence_test, fm.comparison.non_inferiority_test):
        with pytest.warns(UndefinedMetricWarning, match="one number has no variance"):
            test = function([0.1], margin=0.2, higher_is_better=True)
        assert math.isnan(test.pvalue)
        assert not test.reject


def test_no_discordant_example():
    test = fm.comparison.equivalence_test(counts=(0, 0, 400), margin=0.02)
    assert test.reject
    assert 0 < test.pvalue < 0.05
    # z at the margin: n delta / sqrt(n delta (1 - delta))
    assert test.statistic == pytest.approx(-math.sqrt(400 * 0.02 / 0.98))


TWO = {"scores_a": [1.0, 2.0], "higher_is_better": True}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"margin": 0.1}, TypeError, "pass either `scores_a` or `counts`: got neither"),
        ({"scores_a": [1.0], "counts": (1, 1, 2), "margin": 0.1}, TypeError, "got both"),
        ({"counts": (1, 2), "margin": 0.1}, ValueError, "`counts` must be .only A right"),
        ({"counts": (3, 8, 10), "margin": 0.1}, ValueError, "`counts.1.` must be at most 7"),
        ({"counts": (1.5, 8, 10), "margin": 0.1}, TypeError, "`counts.0.` must be an integer"),
        ({"counts": (1, 1, 10), "margin": 1}, ValueError, "`margin` must lie in .0, 1."),
        (
            {**TWO, "margin": 0},
            ValueError,
            "`margin` must be positive",
        ),
        (
            {**TWO, "margin": 1, "rho": 1},
            ValueError,
            "`rho` must lie in",
        ),
        (
            {**TWO, "scores_b": [1.0], "margin": 1},
            ValueError,
            "one shape",
        ),
    ],
)
def test_faults(arguments, error, message):
    for function in (fm.comparison.equivalence_test, fm.comparison.non_inferiority_test):
        with pytest.raises(error, match=message):
            function(**arguments)


def test_counts_are_of_what_is_right():
    with pytest.raises(ValueError, match="`higher_is_better` must be True with `counts`"):
        fm.comparison.non_inferiority_test(counts=(1, 1, 10), margin=0.1, higher_is_better=False)


# --- repeated cross-validation ------------------------------------------------------------------


@pytest.mark.parametrize(
    "test", [fm.comparison.equivalence_test, fm.comparison.non_inferiority_test]
)
def test_repetitions_are_said(rng, test):
    run = partial(test, margin=1, higher_is_better=True)
    table = rng.normal(size=(3, 5))
    found = run(table)
    assert found.to_dict() == run(table, rho=0.2).to_dict()
    for said in ({"n_folds": 5}, {"n_repeats": 3}, {"rho": 0.2}):
        assert run(table.ravel(), **said).to_dict() == found.to_dict()
    with pytest.raises(ValueError, match=r"`n_folds` and `n_repeats` are needed .*or `rho`, 0 for"):
        run(table.ravel())
    few = table.ravel()[:10]
    assert run(few).to_dict() == run(few, rho=0).to_dict()  # data sets, of which there are few
    assert run(table.ravel(), rho=0).statistic != found.statistic
    with pytest.warns(DegenerateDataWarning, match="3 repetitions correlate.* in place of `rho=0`"):
        run(table, rho=0)
    with pytest.raises(ValueError, match="`rho` is needed where there is one fold"):
        run(few, n_folds=1)
    with pytest.raises(TypeError, match="are about scores: got `counts` too"):
        test(counts=(1, 1, 10), margin=0.1, n_folds=10)
