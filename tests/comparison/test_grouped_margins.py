"""Equivalence and non-inferiority by the variance between groups: fractions, statsmodels, size."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from grouped_pairs import (
    ROWS,
    alike_in_groups,
    sizes_of_tests,
)
from hypothesis import given
from scipy import stats
from statsmodels.regression.linear_model import OLS

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, SmallSampleWarning

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")


@given(ROWS)
def test_variance_between_groups(rows):
    values, groups = zip(*rows, strict=True)
    n = len(rows)
    mean = Fraction(sum(values), n)
    counts = {name: groups.count(name) for name in groups}
    variance = sum(
        sum(v - mean for v, g in rows if g == name) ** 2 / (1 - Fraction(count, n))
        for name, count in counts.items()
    )
    variance /= n**2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        test = fm.comparison.equivalence_test(
            values, groups=groups, margin=0.5, higher_is_better=True
        )
    assert test.effect_size == pytest.approx(float(mean), rel=1e-12)
    assert test.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert test.df == pytest.approx(n**2 / sum(k**2 for k in counts.values()) - 1, rel=1e-12)
    if variance:
        t = (float(mean) + 0.5) / math.sqrt(variance)
        assert test.details["statistic_low"] == pytest.approx(t, rel=1e-9, abs=1e-12)
        expected = stats.t.sf(t, test.df)
        assert test.details["pvalue_low"] == pytest.approx(expected, rel=1e-9)


def test_statsmodels_error_of_clusters(rng):
    values, groups = rng.normal(size=200), np.arange(200) % 40  # of equal groups it is the same
    fitted = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    test = fm.comparison.non_inferiority_test(
        values * 1e200, groups=groups, margin=1e199, higher_is_better=True
    )
    # its factor is m / (m - 1) (n - 1) / (n - k), with one column
    assert test.standard_error / 1e200 == pytest.approx(fitted.bse[0], rel=1e-12)


@pytest.mark.parametrize("name", ["equivalence_test", "non_inferiority_test"])
def test_margins_of_rows_that_are_groups_of_their_own(rng, name):
    a, b = rng.normal(0.1, 1, (2, 50))
    function = getattr(fm.comparison, name)
    plain = function(a, b, margin=0.5, rho=0, higher_is_better=False)
    own = function(a, b, margin=0.5, groups=rng.permutation(50), higher_is_better=False)
    assert own.statistic == pytest.approx(plain.statistic, rel=1e-12)
    assert own.pvalue == pytest.approx(plain.pvalue, rel=1e-12)
    assert own.df == pytest.approx(plain.df, rel=1e-12)
    assert own.confidence_interval == pytest.approx(plain.confidence_interval, rel=1e-12)
    assert own.method.endswith("paired t by groups")


def test_size_at_a_margin():
    """Model A is worse by the margin exactly."""
    options = {"margin": 0.25, "higher_is_better": True}
    ungrouped, grouped = sizes_of_tests(
        lambda rng: alike_in_groups(rng, 40),
        [
            lambda d, groups: fm.comparison.non_inferiority_test(d - 0.25, rho=0, **options),
            lambda d, groups: fm.comparison.non_inferiority_test(
                d - 0.25, groups=groups, **options
            ),
        ],
        400,
    )
    assert ungrouped > 0.12
    assert 0.02 < grouped < 0.08


def test_groups_of_a_margin_are_of_rows():
    options = {"margin": 0.1, "groups": [1, 1, 2, 2]}
    for test in (fm.comparison.equivalence_test, fm.comparison.non_inferiority_test):
        with pytest.raises(TypeError, match="`groups` are of rows: pass right answers"):
            test(counts=(1, 2, 4), **options)
        with pytest.raises(TypeError, match="`n_folds` are of folds: got `groups` too"):
            test([0.1, 0.2, 0.3, 0.4], n_folds=4, higher_is_better=True, **options)
        with pytest.raises(ValueError, match="`scores_a` must be 1-dimensional"):
            test([[0.1, 0.2], [0.3, 0.4]], higher_is_better=True, **options)


def test_means_of_groups_that_do_not_vary():
    options = {"groups": [1, 1, 1, 2, 2], "margin": 0.1, "higher_is_better": True}
    with pytest.warns(DegenerateDataWarning, match="do not vary between groups"):
        test = fm.comparison.equivalence_test([0.1, 0.2, -0.3, 0.5, -0.5], **options)
    assert (test.effect_size, test.standard_error, test.pvalue) == (0, 0, 0)
    with pytest.warns(SmallSampleWarning, match="there are 2 groups"):
        fm.comparison.equivalence_test([0.1, 0.2, -0.3, 0.5, -0.6], **options)


def test_faults_of_groups():
    def call(groups):
        return fm.comparison.equivalence_test(
            [1, 0, 1, 0], groups=groups, margin=1, higher_is_better=True
        )

    with pytest.raises(ValueError, match="`groups` must name at least two groups: got one"):
        call(["a"] * 4)
    with pytest.raises(ValueError, match=r"lengths differ: .*`scores_a` has 4 rows"):
        call(["a", "b", "c"])
    with pytest.raises(ValueError, match="`groups`"):
        call(["a", "b", None, "c"])
