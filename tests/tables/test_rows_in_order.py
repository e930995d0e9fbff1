"""Rows in the order of their scores: what a stable argsort finds, on every path."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from table_samples import KINDS, PATHS, thresholds

from fastmetrics.tables import ordering
from fastmetrics.tables.ordering import RowOrder, row_order

#: Small steps in a wide range: a bucket's keys cannot hold them all.
WIDE = {
    "wide_and_one_ulp_apart": lambda rng, n: np.where(
        rng.random(n) < 0.5, 1.0 + rng.integers(0, 900, n) * 2.0**-52, rng.standard_normal(n)
    ),
    "wide_and_subnormal": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(-9, 9, n) * 5e-324, rng.standard_normal(n)
    ),
    "int64_wide_and_near": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(-(2**63), 2**63 - 1, n), rng.integers(0, 99, n)
    ),
}


def expected(scores: NDArray[Any]) -> tuple[list[int], list[int]]:
    rows = np.argsort(scores, kind="stable")
    ordered = scores[rows].tolist()
    starts = [i for i in range(len(ordered)) if i == 0 or ordered[i] != ordered[i - 1]]
    return rows.tolist(), [*starts, len(ordered)]


def assert_order(order: RowOrder, scores: NDArray[Any]) -> None:
    rows, starts = expected(scores)
    assert order.rows.tolist() == rows
    assert order.starts.tolist() == starts
    assert order.n_distinct == len(starts) - 1
    assert order.is_finite == bool(np.isfinite(scores).all())
    assert order.rows.dtype == order.starts.dtype == np.int32


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", [*KINDS, *WIDE])
def test_every_distribution(rng, kind: str, path: str) -> None:
    scores = (KINDS | WIDE)[kind](rng, 2_500)
    before = scores.copy()
    with thresholds(**PATHS[path]):
        assert_order(row_order(scores), scores)
    np.testing.assert_array_equal(scores, before)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 1_000, 1_001, 65_535, 65_536, 200_003])
@pytest.mark.parametrize("decimals", [0, 2, 17])
def test_every_size(rng, n: int, decimals: int) -> None:
    scores = np.round(rng.standard_normal(n), decimals)
    for some in (scores, np.sort(scores), np.sort(scores)[::-1].copy()):
        assert_order(row_order(some), some)


@given(
    scores=st.lists(
        st.sampled_from([0.0, -0.0, 1.0, 1 + 2**-52, 1 + 2**-51, -1e308, 5e-324, np.inf, -np.inf])
    ),
    dtype=st.sampled_from([np.float32, np.float64]),
    bucket_rows=st.integers(1, 40),
    part_rows=st.integers(1, 60),
    seed=st.integers(0, 9),
)
def test_ties_at_every_cut(scores, dtype, bucket_rows, part_rows, seed) -> None:
    times = np.random.default_rng(seed).integers(1, 9, len(scores))
    with np.errstate(over="ignore"):
        repeated = np.repeat(np.array(scores, np.float64).astype(dtype), times)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordering, "_FEW", 0)
        with thresholds(bucket_rows=bucket_rows, part_rows=part_rows):
            assert_order(row_order(repeated), repeated)
        with thresholds(plain_rows=1 << 40):
            assert_order(row_order(repeated), repeated)


@pytest.mark.parametrize("kind", WIDE)
def test_what_the_shortened_keys_confuse_is_put_right(rng, monkeypatch, kind: str) -> None:
    calls = []

    def spied(*args: Any) -> Any:
        calls.append(args)
        return original(*args)

    original = ordering._ordered_twice
    monkeypatch.setattr(ordering, "_ordered_twice", spied)
    scores = WIDE[kind](rng, 5_000)
    assert_order(row_order(scores), scores)
    assert calls
    calls.clear()
    for exact in ("three_decimals", "float32", "one_ulp_apart", "subnormals"):
        row_order(KINDS[exact](rng, 5_000))
    assert not calls


def test_more_rows_than_four_bytes_number(rng, monkeypatch) -> None:
    monkeypatch.setattr(ordering, "MOST_SHORT", 999)
    for n in (500, 1_500, 70_000):
        scores = np.round(rng.standard_normal(n), 2)
        order = row_order(scores)
        assert order.rows.dtype == order.starts.dtype == (np.int64 if n > 999 else np.int32)
        assert (order.rows.tolist(), order.starts.tolist()) == expected(scores)


@pytest.mark.parametrize("n", [0, 1, 700, 150_000, 400_000])
@pytest.mark.parametrize("n_distinct", [1, 30, 10**9])
def test_values_are_spread_over_the_rows(rng, n: int, n_distinct: int) -> None:
    scores = rng.integers(0, n_distinct, n)
    order = row_order(scores)
    distinct, rank = np.unique(scores, return_inverse=True)
    assert order.n_distinct == len(distinct)
    np.testing.assert_array_equal(order.spread(distinct), scores)
    np.testing.assert_array_equal(order.spread(np.arange(len(distinct), dtype=np.int32)), rank)
    below = order.spread(order.starts[:-1])
    np.testing.assert_array_equal(below, np.searchsorted(np.sort(scores), scores))
    labels = rng.integers(0, 2, n).astype(np.int8)
    both = order.spread_by_class(labels, distinct[::-1], -distinct[::-1])
    np.testing.assert_array_equal(both, np.where(labels == 1, -scores, scores))
    cuts = [0, *(stop for _, stop in order.jobs())]
    assert order.jobs() == list(pairwise(cuts))
    assert cuts[-1] == order.n_distinct


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [10, 5_000, 200_000])
def test_what_is_not_finite_is_noticed(rng, n: int, value: float) -> None:
    for scores in (rng.standard_normal(n), np.sort(rng.standard_normal(n))):
        assert row_order(scores).is_finite
        scores[rng.integers(n)] = value
        order = row_order(scores)
        assert not order.is_finite
        np.testing.assert_array_equal(np.sort(order.rows), np.arange(n))
