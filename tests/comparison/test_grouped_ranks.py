"""Signed ranks that flip by whole groups: the definition in fractions, rows of their own, size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from grouped_pairs import (
    ALTERNATIVES,
    ROWS,
    alike_in_groups,
    sizes_of_tests,
    sums_by_group,
)
from hypothesis import given, strategies as st

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from reference import paired_tests_oracle as oracle


def sums_of_signed_ranks(values, groups, zero_method):
    """Return the sums by group, from the definition; a split zero goes to both sides."""
    ranked = [v for v in values if v != 0 or zero_method != "wilcox"]
    signed = []
    for value in values:
        below = sum(abs(other) < abs(value) for other in ranked)
        equal = sum(abs(other) == abs(value) for other in ranked)
        sign = (value > 0) - (value < 0)
        signed.append(sign * Fraction(2 * below + equal + 1, 2))
    return sums_by_group(signed, groups)


@given(
    ROWS,
    st.sampled_from([1, 10]),
    st.sampled_from(["wilcox", "pratt", "zsplit"]),
    st.sampled_from(ALTERNATIVES),
)
def test_signed_ranks_of_groups(rows, divisor, zero_method, alternative):
    values, groups = zip(*rows, strict=True)
    sums = sums_of_signed_ranks(values, groups, zero_method)
    if not any(sums):
        return
    data, options = np.array(values) / divisor, {"groups": groups, "zero_method": zero_method}
    options |= {"alternative": alternative, "higher_is_better": True}
    test = fm.comparison.wilcoxon_signed_rank_test(data, **options)
    assert test.pvalue == pytest.approx(
        float(oracle.sign_flip_pvalue(sums, alternative)), rel=1e-12
    )
    assert test.details["w_plus"] - test.details["w_minus"] == sum(sums)
    assert test.confidence_interval is None
    normal = fm.comparison.wilcoxon_signed_rank_test(
        data, method="normal", continuity_correction=False, **options
    )
    z = float(sum(sums)) / math.sqrt(sum(one**2 for one in sums))  # Rosner, Glynn & Lee
    assert normal.details["z"] == pytest.approx(z, rel=1e-12)


@pytest.mark.parametrize("method", ["exact", "normal"])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_ranks_of_rows_that_are_groups_of_their_own(rng, method, zero_method):
    values = np.rint(rng.normal(0.4, 2, 30))
    options = {"method": method, "zero_method": zero_method, "higher_is_better": True}
    plain = fm.comparison.wilcoxon_signed_rank_test(values, **options)
    own = fm.comparison.wilcoxon_signed_rank_test(values, groups=rng.permutation(30), **options)
    assert own.pvalue == pytest.approx(plain.pvalue, rel=1e-12)
    assert own.statistic == plain.statistic
    assert own.estimate == plain.estimate


def test_size_of_signed_ranks():
    ungrouped, exact, normal = sizes_of_tests(
        lambda rng: alike_in_groups(rng, 20),
        [
            lambda d, groups: fm.comparison.wilcoxon_signed_rank_test(d, higher_is_better=True),
            *(
                lambda d, groups, method=method: fm.comparison.wilcoxon_signed_rank_test(
                    d, groups=groups, method=method, higher_is_better=True
                )
                for method in ("exact", "normal")
            ),
        ],
        300,
    )
    assert ungrouped > 0.2
    assert 0.02 < exact < 0.08
    assert 0.01 < normal < 0.08


def test_ranks_of_groups_that_cancel():
    with pytest.warns(DegenerateDataWarning, match="the signed ranks of each group sum to 0"):
        test = fm.comparison.wilcoxon_signed_rank_test(
            [0.1, 0.2, -0.3, 0.5, -0.5], groups=[1, 1, 1, 2, 2], higher_is_better=True
        )
    assert (test.statistic, test.pvalue, test.better) == (7.5, 1, None)


def test_faults_of_groups():
    def call(groups):
        return fm.comparison.wilcoxon_signed_rank_test(
            [1, 0, 1, 0], groups=groups, higher_is_better=True
        )

    with pytest.raises(ValueError, match="`groups` must name at least two groups: got one"):
        call(["a"] * 4)
