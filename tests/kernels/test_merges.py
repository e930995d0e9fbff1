"""Walks over sorted runs and tables, by exact arithmetic."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import merges
from reference import pair_oracle as oracle

UNIT = Fraction(1, 2**53)
DTYPES = [np.float64, np.float32, np.int64, np.uint64]
SIZES = [(0, 0), (0, 3), (3, 0), (1, 1), (1, 40), (40, 1), (60, 60), (17, 80)]


def runs(rng, sizes, dtype, distinct: int) -> tuple[Any, Any]:
    """Return two ascending runs with ties inside and between them."""
    steps = [np.sort(rng.integers(0, distinct, size)) for size in sizes]
    if np.dtype(dtype).kind == "f":
        return tuple((step / 8 - 1).astype(dtype) for step in steps)
    high = dtype(2**62 if dtype == np.int64 else 2**63)
    return tuple(step.astype(dtype) + high for step in steps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_pairs_of_sorted(rng, dtype, sizes) -> None:
    for distinct in (1, 2, 9, 500):
        positive, negative = runs(rng, sizes, dtype, distinct)
        above = (positive[:, None] > negative).sum()
        tied = (positive[:, None] == negative).sum()
        assert merges.pairs_of_sorted(positive, negative) == 2 * above + tied


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("negative", [0, -1])
def test_pairs_of_few(rng, dtype, negative) -> None:
    for n, distinct in ((1, 1), (2, 1), (7, 3), (40, 9), (60, 500)):
        (scores, _) = runs(rng, (n, 0), dtype, distinct)
        labels = rng.choice(np.array([negative, 1, 5], np.int8), n, p=[0.5, 0.4, 0.1])
        p, q = scores[labels == 1], scores[labels == negative]
        above, tied = (p[:, None] > q).sum(), (p[:, None] == q).sum()
        buffers, found = np.empty((2, n + 1), dtype), np.full(4, -7)
        merges.pairs_of_few(scores, labels, negative, *buffers, found)
        assert found.tolist() == [len(p), len(q), 2 * above + tied, 0]


def test_pairs_of_few_that_are_not_finite() -> None:
    scores, labels = np.array([np.nan, 1.0, np.inf, -np.inf]), np.array([0, 1, 0, 1], np.int8)
    found = np.zeros(4, np.int64)
    merges.pairs_of_few(scores, labels, 0, *np.empty((2, 5)), found)
    assert found[[0, 1, 3]].tolist() == [2, 2, 3]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_merge_descending(rng, dtype, sizes) -> None:
    for distinct in (1, 2, 9, 500):
        positive, negative = runs(rng, sizes, dtype, distinct)
        labels = np.repeat([1, 0], sizes)
        truth = oracle.counted(labels == 1, np.concatenate([positive, negative]))
        scores, counts = np.empty(sum(sizes), dtype), np.full((2, sum(sizes)), -1)
        k = merges.merge_descending(positive, negative, scores, *counts)
        assert k == len(truth)
        assert list(zip(scores[:k].tolist(), *counts[:, :k].tolist(), strict=True)) == truth
        assert (counts[:, k:] == -1).all()


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_merge_tables(rng, dtype, kind, sizes) -> None:
    tables, truth = [], {}
    for run in runs(rng, sizes, dtype, 70):
        scores = np.unique(run)[::-1]
        counts = (rng.integers(0, 9, (2, len(scores))) / (2 if kind is np.float64 else 1)).astype(
            kind
        )
        tables.append((scores, *counts))
        for score, *both in zip(scores.tolist(), *counts.tolist(), strict=True):
            truth[score] = [a + b for a, b in zip(both, truth.get(score, (0, 0)), strict=True)]
    n = sum(len(table[0]) for table in tables)
    scores, counts = np.empty(n, dtype), np.full((2, n), -1, kind)
    k = merges.merge_tables(*tables[0], *tables[1], scores, *counts)
    assert scores[:k].tolist() == sorted(truth, reverse=True)
    assert counts[:, :k].T.tolist() == [truth[score] for score in scores[:k].tolist()]
    assert (counts[:, k:] == -1).all()


@pytest.mark.parametrize("n", [0, 1, 2, 300])
def test_lost_pairs(rng, n: int) -> None:
    positives, negatives = rng.integers(0, 2**20, (2, n))
    table = [(n - i, p, w) for i, (p, w) in enumerate(zip(positives, negatives, strict=True))]
    assert merges.lost_pairs(positives, negatives) == oracle.twice_concordant(table[::-1])


def weighted_table(rng, n: int) -> list[oracle.Row]:
    columns = np.exp2(rng.uniform(-53, 53, (2, n))) * (rng.random((2, n)) < 0.7)
    return [(n - i, Fraction(p), Fraction(w)) for i, (p, w) in enumerate(columns.T.tolist())]


def columns_of(table: list[oracle.Row]) -> tuple[Any, Any]:
    return tuple(np.array([float(row[k]) for row in table]) for k in (1, 2))


@pytest.mark.parametrize("n", [0, 1, 2, 300])
def test_weigh_pairs(rng, n: int) -> None:
    table, found = weighted_table(rng, n), np.empty(4)
    merges.weigh_pairs(*columns_of(table), found)
    exact = (
        *oracle.totals(table),
        oracle.twice_concordant(table),
        oracle.twice_concordant(table[::-1]),
    )
    for value, truth in zip(found.tolist(), exact, strict=True):
        assert abs(Fraction(value) - truth) <= 8 * UNIT * truth


def test_whole_weights_are_weighed_exactly(rng) -> None:
    counts, found = rng.integers(0, 2**20, (2, 50)), np.empty(4)
    table = [(50 - i, p, w) for i, (p, w) in enumerate(counts.T.tolist())]
    exact = oracle.twice_concordant(table), oracle.twice_concordant(table[::-1])
    assert max(exact) < 2**53
    merges.weigh_pairs(*counts.astype(np.float64), found)
    assert tuple(found[2:]) == exact


@pytest.mark.parametrize("n", [0, 1, 300])
def test_cumulative_weights(rng, n: int) -> None:
    weights = np.exp2(rng.uniform(-53, 53, n)) * (rng.random(n) < 0.7)
    out = np.full(n, np.nan)
    merges.cumulative_weights(weights, out)
    assert (np.diff(out) >= 0).all()
    total = Fraction(0)
    for weight, value in zip(weights.tolist(), out.tolist(), strict=True):
        total += Fraction(weight)
        assert abs(Fraction(value) - total) <= 4 * UNIT * total


@pytest.mark.parametrize("n", [0, 1, 300])
def test_cumulative_pair(rng, n: int) -> None:
    columns = np.exp2(rng.uniform(-53, 53, (2, n))) * (rng.random((2, n)) < 0.7)
    found, alone = np.full((2, n), np.nan), np.empty((2, n))
    merges.cumulative_pair(*columns, *found)
    for weights, sums in zip(columns, alone, strict=True):
        merges.cumulative_weights.py_func(weights, sums)
    np.testing.assert_array_equal(found, alone)


def test_cumulative_weights_keep_what_is_small() -> None:
    out = np.empty(1_001)
    merges.cumulative_weights(np.array([1.0, *[1e-16] * 1_000]), out)
    assert out[-1] == 1 + 1e-13


def test_cumulative_weights_never_fall() -> None:
    """A weight of 0 after a sum that was rounded up: what was lost is more than what comes."""
    unit, out = float(UNIT), np.empty(4)
    merges.cumulative_weights(np.array([unit, 1.5 * unit, 1 - unit, 0.0]), out)
    assert out.tolist() == [unit, 2.5 * unit, 1 + 2 * unit, 1 + 2 * unit]


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("negative", [0, -1])
@pytest.mark.parametrize("n", [0, 1, 2, 90])
def test_split_classes(rng, dtype, negative: int, n: int) -> None:
    scores = rng.integers(0, 50, n).astype(dtype)
    for values in ([1], [negative], [1, negative], [1, negative, 3]):
        labels = rng.choice(values, n).astype(np.int8)
        ones, others = np.zeros((2, n + 1), dtype)
        p, m = merges.split_classes(scores, labels, negative, ones, others)
        np.testing.assert_array_equal(ones[:p], scores[labels == 1])
        np.testing.assert_array_equal(others[:m], scores[labels == negative])
        assert p + m == np.isin(labels, [1, negative]).sum()
