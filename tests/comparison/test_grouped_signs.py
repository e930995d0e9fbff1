"""Signs that flip by whole groups: every choice in fractions, rows of their own, size."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from reference import paired_tests_oracle as oracle

ALTERNATIVES = ("two-sided", "less", "greater")
#: Rows of a difference, which is a whole number, and a group.
ROWS = st.lists(
    st.tuples(st.integers(-4, 4), st.sampled_from("abcde")), min_size=2, max_size=12
).filter(lambda rows: len({group for _, group in rows}) > 1)


def sums_by_group(values, groups):
    sums = defaultdict(Fraction)
    for value, group in zip(values, groups, strict=True):
        sums[group] += Fraction(value)
    return list(sums.values())


@given(ROWS, st.sampled_from([1, 10]), st.sampled_from(ALTERNATIVES))
def test_every_choice_of_signs_of_groups(rows, divisor, alternative):
    values, groups = zip(*rows, strict=True)
    sums = sums_by_group(values, groups)
    if not any(sums):
        return
    test = fm.comparison.sign_flip_test(
        np.array(values) / divisor, groups=groups, alternative=alternative, higher_is_better=True
    )
    exact = oracle.sign_flip_pvalue(sums, alternative)
    assert test.pvalue == pytest.approx(float(exact), rel=1e-12)
    assert test.effect_size == pytest.approx(sum(values) / len(values) / divisor, abs=1e-15)
    assert (test.details["n"], test.details["n_groups"]) == (len(rows), len(sums))
    assert test.details["n_zero"] == sums.count(0)
    assert test.method == "sign-flip test by groups, exact"


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
def test_flips_of_rows_that_are_groups_of_their_own(rng, method, scale):
    values = rng.normal(0.3, 1, 20) * scale
    options = {"method": method, "rng": 3, "n_resamples": 999, "higher_is_better": True}
    plain = fm.comparison.sign_flip_test(values, **options)
    own = fm.comparison.sign_flip_test(values, groups=np.arange(20), **options)
    assert own.pvalue == plain.pvalue
    assert own.effect_size == plain.effect_size


def test_large_sums_of_groups():
    test = fm.comparison.sign_flip_test(
        np.full(64, 1.5e308), groups=np.arange(64) // 8, higher_is_better=True
    )
    assert (test.pvalue, test.effect_size) == (2 / 2**8, 1.5e308)


def test_signs_of_groups_that_cancel():
    with pytest.warns(DegenerateDataWarning, match="all sums of groups are 0"):
        test = fm.comparison.sign_flip_test(
            [0.1, 0.2, -0.3, 0.5, -0.5], groups=[1, 1, 1, 2, 2], higher_is_better=True
        )
    assert (test.statistic, test.pvalue, test.better) == (0, 1, None)


def test_an_exact_test_of_many_groups(rng):
    with pytest.raises(ValueError, match="not feasible for these 100 groups"):
        fm.comparison.sign_flip_test(
            rng.random(200), groups=np.arange(200) // 2, method="exact", higher_is_better=True
        )


def test_faults_of_groups():
    def call(groups):
        return fm.comparison.sign_flip_test([1, 0, 1, 0], groups=groups, higher_is_better=True)

    with pytest.raises(ValueError, match="`groups` must name at least two groups: got one"):
        call(["a"] * 4)
