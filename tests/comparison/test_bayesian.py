"""Bayesian tests: the definition, baycomp's figures, and what must hold of any posterior."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import engine_sizes
import fastmetrics as fm
from fastmetrics.comparison.samples._differences import Differences
from fastmetrics.comparison.samples.bayesian import _sampled_shares
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from reference import rank_oracle as oracle

A = [0.91, 0.93, 0.90, 0.92, 0.94, 0.91, 0.92, 0.93, 0.90, 0.92]
B = [0.90, 0.90, 0.89, 0.90, 0.91, 0.90, 0.89, 0.91, 0.89, 0.905]
#: Twenty differences, normal around .006.
SETS = [0.047, -0.045, 0.014, -0.005, -0.003, 0.002, -0.034, 0.001, -0.011, 0.072]
SETS += [0.011, -0.001, 0.0, -0.007, -0.015, -0.002, 0.016, 0.001, 0.025, 0.002]


@pytest.mark.parametrize(
    ("rho", "expected"),
    # baycomp 1.0.3, CorrelatedTTest.probs(B, A, .01, runs=1 and 2): left is "the first is better".
    [
        (0.1, (3.0906167755453705e-05, 0.03285066238530343, 0.9671184314469411)),
        (0.2, (0.00020213114262437204, 0.06896988945706617, 0.9308279794003095)),
    ],
)
def test_correlated_t_against_baycomp(rho, expected):
    test = fm.comparison.bayesian_correlated_t_test(A, B, rho=rho, rope=0.01, higher_is_better=True)
    assert (test.p_left, test.p_rope, test.p_right) == pytest.approx(expected, rel=1e-9)


def test_correlated_t_without_correlation_is_students_t():
    test = fm.comparison.bayesian_correlated_t_test(A, B, rho=0, rope=0, higher_is_better=True)
    p = stats.ttest_rel(A, B, alternative="greater").pvalue
    assert test.p_left == pytest.approx(p, rel=1e-9)
    assert test.p_rope == 0
    interval = stats.ttest_rel(A, B).confidence_interval(0.95)
    assert test.credible_interval.low == pytest.approx(interval.low, rel=1e-9)
    assert test.credible_interval.high == pytest.approx(interval.high, rel=1e-9)


def test_correlated_t_and_nadeau_bengio():
    test = fm.comparison.bayesian_correlated_t_test(A, B, rho=0.1, rope=0, higher_is_better=True)
    corrected = fm.comparison.kfold_paired_t_test(
        A, B, correction="nadeau-bengio", higher_is_better=False
    )
    assert 2 * test.p_left == pytest.approx(corrected.pvalue, rel=1e-9)


@given(
    values=st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=2, max_size=12).filter(
        lambda values: len(set(values)) > 1
    ),
    rope=st.sampled_from([0.0, 0.01, 0.3]),
    rho=st.sampled_from([0.0, 0.1, 0.5]),
)
def test_correlated_t_is_a_posterior(values, rope, rho):
    test = fm.comparison.bayesian_correlated_t_test(
        values, rho=rho, n_repeats=1, rope=rope, higher_is_better=True
    )
    assert test.p_left + test.p_rope + test.p_right == pytest.approx(1)
    mirror = fm.comparison.bayesian_correlated_t_test(
        [-v for v in values], rho=rho, n_repeats=1, rope=rope, higher_is_better=True
    )
    assert mirror.p_left == pytest.approx(test.p_right)
    posterior = stats.t(test.df, test.mean, test.scale)
    assert test.p_left == pytest.approx(posterior.cdf(-rope), abs=1e-12)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.02] * 3, (0, 0, 1)),
        ([0.0] * 3, (0, 1, 0)),
        ([-0.5] * 3, (1, 0, 0)),
        ([0.01] * 2, (0, 1, 0)),
    ],
)
def test_correlated_t_where_nothing_varies(values, expected):
    with pytest.warns(DegenerateDataWarning, match="the posterior is the point"):
        test = fm.comparison.bayesian_correlated_t_test(
            values, rho=0.1, rope=0.01, higher_is_better=True
        )
    assert (test.p_left, test.p_rope, test.p_right) == expected
    assert test.credible_interval.low == test.credible_interval.high == test.mean


def test_rounding_does_not_move_a_difference_off_the_limit():
    with pytest.warns(DegenerateDataWarning):  # .91 - .9 is above .01 as a double
        test = fm.comparison.bayesian_correlated_t_test(
            [0.91, 0.91], [0.9, 0.9], rho=0.1, rope=0.01, higher_is_better=True
        )
    assert test.p_rope == 1


def test_correlated_t_of_one_difference():
    with pytest.warns(UndefinedMetricWarning, match="one difference has no variance"):
        test = fm.comparison.bayesian_correlated_t_test([0.1], rho=0.1, higher_is_better=True)
    assert math.isnan(test.p_rope)
    assert test.decision == "none"


def test_signed_ranks_against_baycomp():
    # baycomp 1.0.3, SignedRankTest.probs(0, SETS, rope, nsamples=400000, random_state=1).
    test = fm.comparison.bayesian_signed_rank_test(
        SETS, rope=0.0052, n_resamples=100_000, rng=1, higher_is_better=True
    )
    expected = (0.15864, 0.3663425, 0.4750175)
    assert (test.p_left, test.p_rope, test.p_right) == pytest.approx(expected, abs=0.008)
    test = fm.comparison.bayesian_signed_rank_test(
        SETS, rope=0, n_resamples=100_000, rng=1, higher_is_better=True
    )
    assert (test.p_left, test.p_right) == pytest.approx((0.38157, 0.61843), abs=0.008)
    assert test.p_rope == 0
    assert test.monte_carlo_error < 0.002


@given(
    twice=st.lists(st.integers(-4, 4), min_size=1, max_size=8),
    rope=st.sampled_from([0.5, 1.0, 0.25]),
    place=st.sampled_from([-math.inf, 0.0, math.inf]),
)
def test_shares_are_the_double_sum(twice, rope, place):
    values = np.array(twice) / 2
    key = np.array([7, 8], np.uint64)
    shares = _sampled_shares(Differences(values, np.zeros(len(values))), rope, 0.5, place, 3, key)
    z = np.append(values, place)
    alpha = np.append(np.ones(len(values)), 0.5)
    order = np.argsort(z, kind="stable")
    for sample, weights in zip(
        shares, np.random.default_rng(key).dirichlet(alpha[order], 3), strict=True
    ):
        expected = oracle.signed_rank_shares(z[order].tolist(), weights.tolist(), rope)
        np.testing.assert_allclose(sample, expected, atol=1e-12)


def test_blocks_change_nothing(monkeypatch):
    whole = fm.comparison.bayesian_signed_rank_test(
        SETS, n_resamples=1000, rng=2, higher_is_better=True
    )
    engine_sizes.put(monkeypatch, bayesian_block=1000)
    assert (
        fm.comparison.bayesian_signed_rank_test(
            SETS, n_resamples=1000, rng=2, higher_is_better=True
        )
        == whole
    )
    assert (
        fm.comparison.bayesian_signed_rank_test(
            SETS, n_resamples=1000, rng=whole.key, higher_is_better=True
        )
        == whole
    )


def test_nothing_differs():
    for rope in (0.0, 0.01):
        test = fm.comparison.bayesian_signed_rank_test(
            [0.0] * 5, rope=rope, n_resamples=200, rng=0, higher_is_better=True
        )
        expected = (0.5, 0.0, 0.5) if rope == 0 else (0.0, 1.0, 0.0)
        assert (test.p_left, test.p_rope, test.p_right) == expected


def test_the_prior_pulls_to_its_side():
    tests = {
        place: fm.comparison.bayesian_signed_rank_test(
            SETS,
            prior_place=place,
            prior_strength=8,
            n_resamples=5000,
            rng=3,
            higher_is_better=True,
        )
        for place in ("left", "rope", "right")
    }
    assert tests["left"].theta_left > tests["rope"].theta_left
    assert tests["right"].theta_right > tests["rope"].theta_right
    assert tests["rope"].theta_rope > tests["left"].theta_rope


def test_ties_on_the_limit_count_half():
    test = fm.comparison.bayesian_signed_rank_test(
        [0.91], [0.9], rope=0.01, prior_strength=1e-9, n_resamples=50, rng=0, higher_is_better=True
    )
    assert test.theta_right == pytest.approx(0.5, abs=1e-3)
    assert test.theta_rope == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rope": -1}, "`rope` must be finite and not negative"),
        ({"rope": math.inf}, "`rope` must be finite"),
        ({"prior_strength": 0}, "`prior_strength` must be positive"),
        ({"prior_place": "up"}, "`prior_place` must be one of"),
        ({"n_resamples": 0}, "`n_resamples` must be at least 1"),
        (
            {"n_resamples": 10**9},
            "`n_resamples` of 1,000,000,000 would keep 24 GB .* than 4 GB: 50,",
        ),
        ({"n_resamples": 10**100}, "`n_resamples` of 10,0.* more than 4 GB"),
        ({"credible_level": 95}, "`credible_level` must lie .* did you mean 0.95"),
        ({"names": ("a", "a")}, "`names` must be 2 distinct texts"),
    ],
)
def test_faults_of_signed_ranks(options, message):
    with pytest.raises(ValueError, match=message):
        fm.comparison.bayesian_signed_rank_test(SETS, **options, higher_is_better=True)


@pytest.mark.parametrize("rho", [-0.1, 1])
def test_faults_of_correlated_t(rho):
    with pytest.raises(ValueError, match="`rho` must lie in"):
        fm.comparison.bayesian_correlated_t_test(A, B, rho=rho, higher_is_better=True)


def test_decisions_and_displays():
    test = fm.comparison.bayesian_correlated_t_test(
        A, B, rho=0.1, names=("new", "old"), higher_is_better=True
    )
    assert test.decision == "right"
    assert test.to_dict()["names"] == ["new", "old"]
    assert "p_rope" in repr(test)
    assert "p rope" in test._repr_html_()
    test = fm.comparison.bayesian_signed_rank_test(
        SETS, n_resamples=100, rng=1, higher_is_better=True
    )
    assert test.decision == "none"


def test_repetitions_are_said(rng):
    run = partial(fm.comparison.bayesian_correlated_t_test, higher_is_better=True)
    table = rng.normal(size=(3, 5))
    found = run(table)
    assert found.rho == 0.2
    for said in ({"n_folds": 5}, {"n_repeats": 3}, {"rho": 0.2}):
        assert run(table.ravel(), **said) == found
    with pytest.raises(ValueError, match="`n_folds` and `n_repeats` are needed"):
        run(table.ravel())
    with pytest.raises(ValueError, match="or another `rho` than 0"):
        run(table.ravel(), rho=0)
    with pytest.raises(TypeError, match="`rho` or `n_folds` must be given"):
        run(table[0])
    with pytest.warns(DegenerateDataWarning, match="3 repetitions correlate"):
        assert run(table.ravel(), rho=0, n_folds=5).rho == 0
    assert run(table.ravel(), rho=0, n_repeats=1).rho == 0


@pytest.mark.parametrize("place", ["left", "rope", "right"])
def test_the_largest_numbers(place):
    """Twice a region of practical equivalence, or twice a difference, may be no number."""
    options = {"prior_place": place, "n_resamples": 200, "rng": 1, "higher_is_better": True}
    values = np.array([1.0, -1.0, 0.5, 0.25])
    usual = fm.comparison.bayesian_signed_rank_test(values, rope=0.5, **options)
    large = fm.comparison.bayesian_signed_rank_test(values * 1.6e308, rope=0.8e308, **options)
    assert (large.p_left, large.p_rope, large.p_right) == (
        usual.p_left,
        usual.p_rope,
        usual.p_right,
    )
    wide = fm.comparison.bayesian_signed_rank_test(values, rope=1.7e308, **options)
    assert wide.theta_rope > 0.5
