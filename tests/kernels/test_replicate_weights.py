"""Replicates of weighted rows: pairs and points, against exact sums."""

import numpy as np
import pytest
from kernel_forms import IS_COMPILED

from fastmetrics._kernels import replicates as kernels
from reference.replicate_oracle import Rows, twice_pairs_won

BLOCK = kernels.BLOCK
SIZES = [1, 2, 3, 5, 8, 61, 513]


@pytest.mark.parametrize("n", [1, 2, 700])
def test_weighed_rows(rng, n):
    weights = rng.random(n)
    for drawn in (rng.integers(0, 9, (2, n + 3)).astype(np.uint8), rng.random((2, n + 3))):
        found = np.full((2, n + 3), -1.0)
        kernels.weigh_rows(drawn, weights, found)
        assert (found[:, :n] == drawn[:, :n] * weights).all()
        assert (found[:, n:] == -1.0).all()


def case(rng, n, kind):
    """Return sorted rows and two replicates of whole weights, whose sums are exact."""
    labels = (rng.random(n) < 0.4).astype(int)
    if kind == "one class":
        labels[:] = 1
    scores = rng.permutation(n) if kind == "distinct" else rng.integers(0, max(2, n // 5), n)
    return Rows.of(labels, scores), rng.integers(0, 9, (2, n)).astype(np.float64)


def counted(rows, weights, first=0, state=None):
    state = np.zeros((len(weights), 6)) if state is None else state
    stop = first + weights.shape[1]
    masks = rows.masks()[first:stop]
    kernels.weighted_pairs(weights, masks, rows.pieces(first, stop), state)
    return state


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", ["distinct", "tied", "one class"])
@pytest.mark.parametrize("n", SIZES)
def test_weighted_pairs(rng, n, kind):
    rows, weights = case(rng, n, kind)
    state = counted(rows, weights)
    for r, row in enumerate(weights.astype(int).tolist()):
        cells = rows.resampled(row)
        totals = [sum(column) for column in zip(*cells, strict=True)]
        assert state[r, :2].tolist() == totals
        assert state[r, 2] - state[r, 3] == twice_pairs_won(cells)
        assert not state[r, 4:].any()


@pytest.mark.skipif(not IS_COMPILED, reason="too many rows for plain Python")
@pytest.mark.parametrize("kind", ["distinct", "tied"])
def test_parts_of_whole_blocks_leave_no_trace(rng, kind):
    """Nor do points differ from totals: fractional weights, to the last bit."""
    rows, _ = case(rng, 2 * BLOCK + 777, kind)
    weights = rng.exponential(size=(2, rows.n))
    state = counted(rows, weights)
    parts = None
    for first in range(0, rows.n, BLOCK):
        part = np.ascontiguousarray(weights[:, first : first + BLOCK])
        parts = counted(rows, part, first, parts)
    assert parts.tolist() == state.tolist()
    tp, fp, at = points(rows, weights[0])
    assert (tp[-1], fp[-1]) == (state[0, 0], state[0, 1])
    assert (np.diff(tp) >= 0).all()
    assert (np.diff(fp) >= 0).all()
    positive = np.where(rows.masks()[: rows.n] > 0, weights[0], 0.0)
    np.testing.assert_allclose(tp[1:], np.cumsum(positive)[at], rtol=1e-12)
    np.testing.assert_allclose(fp[1:], np.cumsum(weights[0] - positive)[at], rtol=1e-12)


def points(rows, weights):
    n = rows.n
    tp, fp, at = np.full(n + 1, -1.0), np.full(n + 1, -1.0), np.full(n, -1)
    masks, ends = rows.masks()[:n], rows.ends()[:n]
    count = kernels.weighted_points(weights, masks, ends, tp, fp, at)
    return tp[: count + 1], fp[: count + 1], at[:count]


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", ["distinct", "tied", "one class"])
@pytest.mark.parametrize("n", SIZES)
def test_weighted_points(rng, n, kind):
    rows, weights = case(rng, n, kind)
    tp, fp, at = points(rows, weights[0])
    sums = [(0, 0)]
    for p, q in rows.resampled(weights[0].astype(int).tolist()):
        sums.append((sums[-1][0] + p, sums[-1][1] + q))
    assert list(zip(tp.tolist(), fp.tolist(), strict=True)) == sums
    assert at.tolist() == [end - 1 for _, _, end in rows.ties()]
