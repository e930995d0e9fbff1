"""Of each row the rows before it of lower rank, beside every pair."""

from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import concordance as kernels


def coded(rng: np.random.Generator, n: int, n_ranks: int) -> Any:
    return (rng.integers(0, n_ranks, n) << 1 | rng.integers(0, 2, n)).astype(np.uint32)


def before(codes: Any) -> Any:
    """Return the rows before each one of lower rank, and 2**32 times those that lead."""
    ranks, leads = codes >> 1, codes & 1
    return np.array(
        [
            int((ranks[:i] < ranks[i]).sum()) + (int(leads[:i][ranks[:i] < ranks[i]].sum()) << 32)
            for i in range(len(codes))
        ],
        np.int64,
    )


@pytest.mark.parametrize("shift", [1, 9])
def test_rows_of_a_lower_digit(rng, monkeypatch, shift) -> None:
    codes = coded(rng, 120, 256)
    shifted = (codes >> 1 << shift | codes & 1).astype(np.uint32)
    sums, counts = np.zeros(120, np.int64), np.zeros(256, np.int64)
    kernels.lower_by_digit(shifted, 20, 60, shift, sums, counts)
    kernels.lower_by_digit(
        shifted, 60, 110, shift, sums, counts
    )  # which adds the digits counted so far
    assert sums[20:110].tolist() == before(codes[20:110]).tolist()
    assert not sums[:20].any()
    digits, leads = codes[20:110] >> 1, codes[20:110] & 1
    assert (counts & 0xFFFFFFFF).tolist() == np.bincount(digits, minlength=256).tolist()
    assert (counts >> 32).tolist() == np.bincount(digits, leads, minlength=256).tolist()


def test_more_rows_than_a_block_holds(rng) -> None:
    """Counters have 16 bits: every row leads, and the last ones are higher than all."""
    codes = np.concatenate((np.ones(70_000), np.full(3, 255 << 1 | 1))).astype(np.uint32)
    sums, counts = np.zeros(70_003, np.int64), np.zeros(256, np.int64)
    kernels.lower_by_digit(codes, 0, 70_003, 1, sums, counts)
    assert not sums[:70_000].any()
    assert sums[70_000:].tolist() == [70_000 * (1 + 2**32)] * 3


def test_rows_go_where_their_digit_goes_with_their_sums(rng) -> None:
    codes, sums = coded(rng, 90, 1 << 12), rng.integers(0, 99, 90)
    digits = codes >> 5 & 15
    places = np.cumsum(np.bincount(digits, minlength=16)) - np.bincount(digits, minlength=16)
    more, out, sums_out = np.arange(16) * 100, np.empty_like(codes), np.empty_like(sums)
    kernels.scatter_with_sums(codes, sums, 0, 90, 5, 15, places, more, out, sums_out)
    order = np.argsort(digits, kind="stable")
    assert out.tolist() == codes[order].tolist()
    assert sums_out.tolist() == (sums + more[digits])[order].tolist()


@pytest.mark.parametrize("bits", [1, 5, 13])
def test_segments_are_sorted_and_each_row_knows_those_before(rng, bits) -> None:
    codes, starts = coded(rng, 900, 1 << bits), np.array([0, 5, 5, 40, 800, 900])
    found, sums = codes.copy(), np.zeros(900, np.int64)
    kernels.lower_in_segments(
        found, sums, np.empty_like(codes), np.empty_like(sums), starts, 0, 5, bits
    )
    for low, high in ((0, 5), (5, 40), (40, 800), (800, 900)):
        order = np.argsort(codes[low:high] >> 1, kind="stable")
        assert found[low:high].tolist() == codes[low:high][order].tolist()
        assert sums[low:high].tolist() == before(codes[low:high])[order].tolist()


@pytest.mark.parametrize("n_keys", [3, 40])
def test_partners_of_every_kind(rng, n_keys) -> None:
    n = 60
    ranks, keys = rng.integers(0, 12, n), rng.integers(0, n_keys, n)
    lead_of_key = rng.random(n_keys) < 0.6
    rows = np.lexsort((keys, ranks)).astype(np.int32)
    starts = np.append(np.flatnonzero(np.diff(ranks[rows], prepend=-1)), n)
    below = np.array(
        [[(keys < k).sum(), (lead_of_key[keys] & (keys < k)).sum()] for k in range(n_keys + 1)]
    )
    lower, not_later = ranks[None, :] < ranks[:, None], keys[None, :] <= keys[:, None]
    leading = lead_of_key[keys][None, :] & (keys[None, :] < keys[:, None])
    sums = (lower & not_later).sum(axis=1) + ((lower & leading).sum(axis=1) << 32)
    first = keys[:, None] < keys[None, :]  # the row itself has the lower key
    pairs = (first & lead_of_key[keys][:, None]) | leading
    by_score = np.sign(ranks[None, :] - ranks[:, None]) * np.where(first, 1, -1)
    kinds = [(pairs & (by_score == way)).sum(axis=1) for way in (1, -1, 0)]
    alike = keys[None, :] == keys[:, None]
    kinds.append((alike & (ranks[None, :] != ranks[:, None])).sum(axis=1))
    slopes, out = np.array([1.0, 100.0, 1e4, 1e6, 0.5]), np.empty(n)
    given = (sums[rows], keys[rows].astype(np.int32), rows, starts)
    kernels.combine_partners(*given, 0, 4, below.astype(np.int32), slopes, out)
    kernels.combine_partners(*given, 4, len(starts) - 1, below.astype(np.int32), slopes, out)
    assert out.tolist() == (slopes[:4] @ np.array(kinds) + 0.5).tolist()
