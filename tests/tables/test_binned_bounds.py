"""Brackets hold every arrangement of rows in their bins, and one attains each limit."""

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from fastmetrics.tables import bin_bounds
from fastmetrics.tables.bin_bounds import BinColumns
from reference import bin_oracle as oracle

BINS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()).filter(lambda bin: any(bin[:2])),
    min_size=1,
    max_size=4,
)


def columns_of(bins: list[Any], scale: int = 1, weighted: bool = False) -> BinColumns:
    positives, negatives, sure = (np.array(each) for each in zip(*bins, strict=True))
    kind = np.float64 if weighted else np.int64
    counts = (each.astype(kind) * kind(scale) for each in (positives, negatives))
    return BinColumns(*counts, sure, 0 if weighted else None)


def rows_of_both(bins: list[Any]) -> bool:
    """Return whether both classes are there, and few enough rows to try every order."""
    n_open = sum(math.comb(p + n, p) << (p + n) for p, n, sure in bins if not sure)
    return any(p for p, _, _ in bins) and any(n for _, n, _ in bins) and n_open < 400


@settings(max_examples=60)
@given(BINS, st.integers(0, 8))
def test_limits_are_those_of_every_order(bins: Any, eighths: int) -> None:
    assume(rows_of_both(bins))
    columns, alpha = columns_of(bins), Fraction(eighths, 8)
    for fast, slow in [
        (bin_bounds.auc_bracket, oracle.auc),
        (bin_bounds.ks_bracket, oracle.ks_statistic),
        (
            partial(bin_bounds.tpr_bracket, max_fpr=eighths / 8),
            partial(oracle.tpr_at_fpr, max_fpr=alpha),
        ),
    ]:
        found, limits = fast(columns), oracle.limits(bins, slow)
        assert (found.low, found.high) == tuple(map(float, limits))
    found, limits = (
        bin_bounds.precision_bracket(columns),
        oracle.limits(bins, oracle.average_precision),
    )
    assert found.low <= limits[0] <= found.low + 2**-48
    assert found.high - 2**-48 <= limits[1] <= found.high


@settings(max_examples=60)
@given(BINS, st.sampled_from([0.0, 0.19, 0.47, 1.0]), st.sampled_from([1, 3, 2**40]))
def test_weights_widen_the_limits_by_little(bins: Any, max_fpr: float, scale: int) -> None:
    """Rows of equal weights have the limits of counts, or wider ones.

    A limit of the FPR that is reached to the bit would be another matter: rounding decides.
    """
    assume(rows_of_both(bins))
    counts, weights = columns_of(bins), columns_of(bins, scale, weighted=True)
    for fast in (
        bin_bounds.auc_bracket,
        bin_bounds.ks_bracket,
        partial(bin_bounds.tpr_bracket, max_fpr=max_fpr),
    ):
        exact, found = fast(counts), fast(weights)
        assert found.low <= exact.low <= found.low + 1e-13
        assert exact.high <= found.high <= exact.high + 1e-13
    exact, found = bin_bounds.precision_bracket(counts), bin_bounds.precision_bracket(weights)
    assert found.low <= exact.low
    assert exact.high <= found.high <= exact.high + 1e-13


def test_weights_of_unlike_sizes_do_not_cancel() -> None:
    """A light positive between a light negative and a heavy one keeps its precision of one half."""
    sure = np.ones(3, np.bool_)
    columns = BinColumns(np.array([0, 1e-9, 1e-9]), np.array([1e-9, 0, 1e9]), sure, 0)
    found = bin_bounds.precision_bracket(columns)
    assert 0.25 in found
    assert found.width < 1e-13


@pytest.mark.parametrize("scale", [2**29, 2**32, 2**57])
def test_products_beyond_64_bits_are_exact(scale: int) -> None:
    bins = [(1, 3, False), (4, 2, True), (2, 5, False), (1, 1, True)]
    columns = columns_of(bins, scale)
    found = bin_bounds.auc_bracket(columns)
    twice = [2 * (1 * 8 + 4 * 6 + 2 * 1) + 4 * 2 + 1 * 1]
    twice.append(twice[0] + 2 * (1 * 3 + 2 * 5))
    assert tuple(found) == tuple(float(Fraction(each, 2 * 8 * 11)) for each in twice)
    assert bin_bounds.ks_bracket(columns) == bin_bounds.ks_bracket(columns_of(bins))


def test_average_precision_of_many_rows_in_few_bins() -> None:
    """Sums of a million terms, by the formula of harmonic numbers and one by one."""
    bins = [(10**6, 3, False), (5, 2 * 10**6, False), (10**5, 10**5, False)]
    found = bin_bounds.precision_bracket(columns_of(bins))
    low, high, tp, fp = 0.0, 0.0, 0, 0
    for p, n, _ in bins:
        i = np.arange(1, p + 1, dtype=np.longdouble)
        low += float(((tp + i) / (tp + i + fp + n)).sum())
        high += p * (tp + p) / (tp + p + fp)
        tp, fp = tp + p, fp + n
    assert found.low == pytest.approx(low / tp, abs=1e-14)
    assert found.high == pytest.approx(high / tp, abs=1e-14)
    assert found.low < low / tp + 1e-16


@pytest.mark.parametrize(("max_fpr", "tpr"), [(0.3, 3), (0.2999, 2), (0.7, 7), (0.1, 1), (0, 0)])
def test_a_limit_is_the_double_of_its_rate(max_fpr: float, tpr: int) -> None:
    columns = columns_of([(1, 1, False)] * 10)
    assert bin_bounds.tpr_bracket(columns, max_fpr).low == tpr / 10
    assert bin_bounds.tpr_bracket(columns, max_fpr).high == (tpr + 1) / 10


def test_a_threshold_of_every_corner() -> None:
    columns = columns_of([(2, 1, True), (3, 4, False), (1, 6, True)])
    first, both = np.array([True, False, False]), np.array([True, True, False])
    found = bin_bounds.threshold_brackets(0.5, columns, columns.where(first), columns.where(both))
    for tp in range(2, 6):
        for fp in range(1, 6):
            assert tp in found.tp
            assert 6 - tp in found.fn
            assert fp in found.fp
            assert 11 - fp in found.tn
            assert tp / 6 in found.true_positive_rate
            assert fp / 11 in found.false_positive_rate
            assert tp / (tp + fp) in found.precision
            assert (tp + 11 - fp) / 17 in found.accuracy
            assert 2 * tp / (tp + fp + 6) in found.f1
    assert tuple(found.precision) == (2 / 7, 5 / 6)
    assert tuple(found.f1) == (4 / 13, 10 / 12)
    assert tuple(found.accuracy) == (8 / 17, 15 / 17)
    assert tuple(found.tp) == (2, 5)
    assert tuple(found.tn) == (6, 10)


@pytest.mark.parametrize(
    ("inside", "limits"),
    [((0, 0), (math.nan, math.nan)), ((2, 0), (1, 1)), ((0, 2), (0, 0)), ((1, 2), (0, 1))],
)
def test_precision_where_perhaps_nothing_is_called(inside: Any, limits: Any) -> None:
    columns = columns_of([(*inside, False), (3, 3, True)])
    none, some = columns.where(np.zeros(len(columns[0]), bool)), columns.where(~columns.is_sure)
    found = bin_bounds.threshold_brackets(0.5, columns, none, some).precision
    assert tuple(found) == pytest.approx(limits, nan_ok=True)
