"""McNemar's test of examples in groups: Obuchowski's, from its definition; size by simulation."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from grouped_pairs import (
    sizes_of_tests,
)
from hypothesis import given, strategies as st
from scipy import stats

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning, SmallSampleWarning

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

TWO = [1, 0, 1, 0]

#: Rows of: is A right, is B right, and a group.
ANSWERS = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.sampled_from("abcdef")), min_size=2, max_size=30
).filter(lambda rows: len({row[2] for row in rows}) > 1)


def right_answers(rng, sizes, correlation):
    """Return y, two models' labels and groups: equally often right, alike in a group."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.normal(size=len(sizes))[groups] * math.sqrt(correlation)
    lead = shared + rng.normal(size=len(groups)) * math.sqrt(1 - correlation)
    only_a, only_b = lead < stats.norm.ppf(0.2), lead > stats.norm.ppf(0.8)
    y = np.ones(len(groups), int)
    return y, (~only_b).astype(int), (~only_a).astype(int), groups


@given(ANSWERS)
def test_obuchowski(rows):
    """(p_a - p_b)^2 over var(p_a) + var(p_b) - 2 cov(p_a, p_b), with p the mean of both rates."""
    a, b, groups = zip(*rows, strict=True)
    n, names = len(rows), sorted(set(groups))
    m = len(names)
    pooled = Fraction(sum(a) + sum(b), 2 * n)
    residuals = [
        [
            sum(Fraction(int(right[k])) - pooled for k in range(n) if groups[k] == name)
            for name in names
        ]
        for right in (a, b)
    ]
    products = [
        [sum(x * z for x, z in zip(one, two, strict=True)) for two in residuals]
        for one in residuals
    ]
    variance = Fraction(m, m - 1) * (products[0][0] + products[1][1] - 2 * products[0][1]) / n**2
    difference = Fraction(sum(a) - sum(b), n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        test = fm.comparison.mcnemar_test(np.ones(n), np.array(a), np.array(b), groups=groups)
    if variance == 0:
        assert (test.statistic, test.pvalue) == (0, 1)
        return
    assert test.statistic == pytest.approx(float(difference**2 / variance), rel=1e-12)
    assert test.pvalue == pytest.approx(stats.chi2.sf(test.statistic, 1), rel=1e-12)
    assert test.details["n_groups"] == m


def test_rows_that_are_groups_of_their_own(rng):
    y, a, b = (rng.integers(0, 2, 80) for _ in range(3))
    own = fm.comparison.mcnemar_test(y, a, b, groups=np.arange(80))
    plain = fm.comparison.mcnemar_test(y, a, b, method="uncorrected")
    assert own.statistic == pytest.approx(plain.statistic * 79 / 80, rel=1e-12)
    assert (own.effect_size, own.better) == (plain.effect_size, plain.better)
    # the textbook's error of a log odds ratio of pairs, with the factor of 80 groups
    error = math.sqrt((1 / plain.details["e01"] + 1 / plain.details["e10"]) * 80 / 79)
    half = stats.t.ppf(0.975, 79) * error
    low, high = own.confidence_interval
    assert math.log(low) == pytest.approx(math.log(own.effect_size) - half, rel=1e-9)
    assert math.log(high) == pytest.approx(math.log(own.effect_size) + half, rel=1e-9)


def test_copies_of_rows_tell_nothing(rng):
    y, a, b = np.ones(60), rng.random(60) < 0.9, rng.random(60) < 0.5
    once = fm.comparison.mcnemar_test(y, a, b, groups=np.arange(60))
    copies = [np.repeat(one, 7) for one in (y, a, b, np.arange(60))]
    found = fm.comparison.mcnemar_test(*copies[:3], groups=copies[3])
    assert found.statistic == pytest.approx(once.statistic, rel=1e-12)
    assert found.confidence_interval.low == pytest.approx(once.confidence_interval.low, rel=1e-12)
    assert fm.comparison.mcnemar_test(*copies[:3]).statistic > 5 * once.statistic


def test_size_of_mcnemar():
    """Groups of 8 alike: rows taken for independent reject equal models far too often."""
    ungrouped, grouped = sizes_of_tests(
        lambda rng: right_answers(rng, np.arange(40) % 15 + 1, 0.5),
        [
            lambda y, a, b, groups: fm.comparison.mcnemar_test(y, a, b),
            lambda y, a, b, groups: fm.comparison.mcnemar_test(y, a, b, groups=groups),
        ],
        400,
    )
    assert ungrouped > 0.15
    assert 0.02 < grouped < 0.08


def test_degenerate_groups():
    y, a, b = [1, 1, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]
    with pytest.warns(DegenerateDataWarning, match="in each group as many"):
        test = fm.comparison.mcnemar_test(y, a, b, groups=[1, 1, 2, 2])
    assert (test.statistic, test.pvalue, test.effect_size) == (0, 1, 1)
    assert tuple(test.confidence_interval) == (0, math.inf)  # says nothing
    test = fm.comparison.mcnemar_test(y, a, [0, 0, 0, 0], groups=[1, 1, 2, 2])
    assert (test.effect_size, test.better) == (0, "A")
    assert tuple(test.confidence_interval) == (0, math.inf)
    with pytest.warns(SmallSampleWarning, match="there are 2 groups"):
        fm.comparison.mcnemar_test(y, a, [0, 0, 0, 0], groups=[1, 1, 2, 2])


@pytest.mark.parametrize("method", ["corrected", "exact", "mid-p"])
def test_mcnemar_has_one_method_of_groups(method):
    with pytest.raises(ValueError, match="`groups` have `method='uncorrected'` alone"):
        fm.comparison.mcnemar_test(TWO, TWO, TWO, groups=TWO, method=method)
    with pytest.raises(ValueError, match="`groups` are of rows: pass labels"):
        fm.comparison.mcnemar_test(e01=1, e10=2, groups=TWO)


def test_faults_of_groups():
    def call(groups):
        return fm.comparison.mcnemar_test(TWO, TWO, [0, 0, 1, 1], groups=groups)

    with pytest.raises(ValueError, match="`groups` must name at least two groups: got one"):
        call(["a"] * 4)
