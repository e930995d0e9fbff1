"""Cells, margins and codes of texts, by NumPy."""

import itertools
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import cells as kernels

BLOCK = kernels.BLOCK
DTYPES = [np.int8, np.int32, np.int64]
SIZES = [0, 1, 3, 5, BLOCK - 1, BLOCK, 2 * BLOCK + 7]
#: Rows at and around the edges of blocks, of a last block that is short.
N = 2 * BLOCK + 7
EDGES = [0, 3, 4, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK, N - 1]


@pytest.fixture(autouse=True)
def _numbers_as_in_machine_code():
    """Plain Python warns where machine code wraps, which these kernels reckon with."""
    with np.errstate(all="ignore"):
        yield


def columns(rng: Any, n: int, low: int, width: int, dtype: Any) -> tuple[Any, Any]:
    return tuple(rng.integers(low, low + width, n).astype(dtype) for _ in range(2))


def cells_of(true: Any, predicted: Any, low: int, width: int) -> Any:
    actual = np.zeros((width, width), np.int64)
    np.add.at(actual, (true.astype(np.int64) - low, predicted.astype(np.int64) - low), 1)
    return actual


# --- two classes -------------------------------------------------------------------------------


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("low", [0, -1, 5, -128])
@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_two(rng, dtype, low, n) -> None:
    true, predicted = columns(rng, n, low, 2, dtype)
    sums = np.full(3, 77, np.int64)
    assert kernels.count_two(true, predicted, low, sums) in (0, 1)
    right = cells_of(true, predicted, low, 2)
    assert sums.tolist() == [right[1].sum(), right[:, 1].sum(), right[1, 1]]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("at", [0, 1, 63, 64, 98])
def test_two_see_every_label_outside(dtype, at) -> None:
    limits = np.iinfo(dtype)
    for low, bad, which in itertools.product((0, -1), (2, 3, -2, limits.min, limits.max), (0, 1)):
        both = np.full((2, 99), low, dtype)
        both[which, at] = bad
        assert kernels.count_two(*both, low, np.zeros(3, np.int64)) not in (0, 1)


# --- few or many classes -----------------------------------------------------------------------


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("table", [np.int32, np.int64])
@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("n", SIZES)
def test_cells(rng, dtype, table, lanes, n) -> None:
    for low, width in ((0, 1), (-3, 7), (100, 27)):
        true, predicted = columns(rng, n, low, width, dtype)
        actual = np.ones(lanes * width * width, table)  # what is there already is added to
        assert kernels.count_cells(true, predicted, low, width, lanes, actual) == n
        summed = actual.reshape(width, width, lanes).sum(axis=2) - lanes
        assert summed.tolist() == cells_of(true, predicted, low, width).tolist()


def test_cells_of_very_many_classes() -> None:
    width = 1 << 14  # the most there may be: codes reach 2**28
    true = np.array([0, width - 1, 5, width - 1])
    predicted = np.array([0, width - 1, 9, 0])
    actual = np.zeros(width * width, np.int32)
    assert kernels.count_cells(true, predicted, 0, width, 1, actual) == 4
    assert np.flatnonzero(actual).tolist() == [
        0, 5 * width + 9, (width - 1) * width, width * width - 1,
    ]  # fmt: skip


def outside(dtype: Any, low: int, width: int) -> list[int]:
    """Return labels just outside a range, and as far from it as they can be."""
    limits = np.iinfo(dtype)
    return [low - 1, low + width, int(limits.min), int(limits.max)]


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("at", EDGES)
def test_counting_stops_before_a_block_with_a_label_outside(rng, dtype, at) -> None:
    low = -3
    width = 7
    for which, bad in zip((0, 1, 1, 0), outside(dtype, low, width), strict=True):
        both = columns(rng, N, low, width, dtype)
        both[which][at] = bad
        table = np.zeros(4 * width * width, np.int32)
        counted = kernels.count_cells(*both, low, width, 4, table)
        assert counted == at // BLOCK * BLOCK
        right = cells_of(both[0][:counted], both[1][:counted], low, width)
        assert table.reshape(width, width, 4).sum(axis=2).tolist() == right.tolist()
        sums = np.zeros((3, width), np.int64)
        assert kernels.count_margins(*both, low, width, *sums) == counted
        assert sums[1:].sum(axis=1).tolist() == [counted, counted]


@pytest.mark.parametrize("low", [2**62, -(2**63), 2**63 - 9])
def test_cells_far_from_zero(rng, low) -> None:
    true, predicted = (rng.integers(0, 9, 500) + low for _ in range(2))
    table = np.zeros(81, np.int64)
    assert kernels.count_cells(true, predicted, low, 9, 1, table) == 500
    assert table.reshape(9, 9).tolist() == cells_of(true, predicted, low, 9).tolist()
    for bad in (0, -1, 2**61, low - 1 if low > -(2**63) else 2**63 - 1):
        true[77] = bad
        assert kernels.count_cells(true, predicted, low, 9, 1, table) == 0


# --- scores of 16 bits -------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("negative", [0, -1])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_narrow_scores(rng, n, negative, is_weighted) -> None:
    bits = rng.integers(0, 1 << 16, n).astype(np.uint16)
    labels = rng.choice(np.array([negative, 1, 2], np.int8), n)
    weights = rng.integers(0, 9, n * is_weighted).astype(np.float64)
    right = np.zeros((2, 1 << 16), np.int64)
    np.add.at(
        right, ((labels == 1).astype(int), bits), weights.astype(int) if n and is_weighted else 1
    )
    for count in (kernels.count_narrow_scores, kernels.count_narrow_scores.py_func):
        # what is there already is added to
        table = np.ones((2, 1 << 17), np.float64 if is_weighted else np.uint32)
        assert count(bits, labels, negative, weights, table) == (labels < 2).sum()
        assert (table.sum(axis=0, dtype=np.int64) - 2).tolist() == right.ravel().tolist()


# --- margins -----------------------------------------------------------------------------------


@pytest.mark.pairwise
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_margins(rng, dtype, n) -> None:
    for low, width in ((0, 1), (-3, 7), (27, 100)):
        true, predicted = columns(rng, n, low, width, dtype)
        sums = np.ones((3, width), np.int64)
        assert kernels.count_margins(true, predicted, low, width, *sums) == n
        right = cells_of(true, predicted, low, width)
        wanted = [np.diagonal(right), right.sum(axis=1), right.sum(axis=0)]
        assert (sums - 1).tolist() == [each.tolist() for each in wanted]


# --- texts -------------------------------------------------------------------------------------


def coded(number: Any, texts: list[str], most: int = 64, slots: int = 256) -> tuple[int, Any, Any]:
    y = np.array(texts)
    words = y.view(np.uint32).reshape(len(y), -1)
    table = np.full(slots, -1, np.int32)
    firsts = np.full(most, -1, np.int64)
    codes = np.full(len(y), -1, np.int32)
    return number(words, table, firsts, codes), firsts, codes


TEXTS = {
    "one": ["a"] * 9,
    "prefixes": ["a", "ab", "abc", "a", "", "abc", "abcd", ""],
    "the same letters": ["ab", "ba", "aab", "aba", "baa", "ab", "baa"],
    "NUL inside": ["a\0b", "a", "a\0c", "\0b", "b", "a\0b", "\0\0b"],
    "wide": ["\U0001f600", "é", "\uffff", "\U00010000", "é", "\ud800"],
    "last letter": ["x" * 40 + last for last in "abcab"],
    "first letter": [first + "x" * 40 for first in "abcab"],
    "spaces": [" a", "a ", "a", " a ", "a ", "  a"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_numbered_by_first_appearance(name) -> None:
    texts = TEXTS[name]
    order = list(dict.fromkeys(texts))
    actual, firsts, codes = coded(kernels.text_codes, texts)
    assert actual == len(order)
    assert codes.tolist() == [order.index(text) for text in texts]
    assert firsts[:actual].tolist() == [texts.index(text) for text in order]


def test_texts_that_share_a_slot_are_told_apart(rng) -> None:
    texts = [str(k) for k in rng.permutation(np.repeat(np.arange(60), 4))]
    for slots in (64, 1024):  # nearly full: most searches meet another text, and wrap around
        actual, firsts, codes = coded(kernels.text_codes, texts, 60, slots)
        assert actual == 60
        assert [texts[row] for row in firsts[codes]] == texts


def test_too_many_texts() -> None:
    texts = [str(k) for k in range(65)]
    assert coded(kernels.text_codes, texts[:64] * 2)[0] == 64
    assert coded(kernels.text_codes, texts)[0] == -1


def test_no_texts() -> None:
    none = np.empty((0, 3), np.uint32)
    slots = np.full(4, -1, np.int32)
    assert kernels.text_codes(none, slots, np.empty(2, np.int64), np.empty(0, np.int32)) == 0
