"""Keys in the order of floats, words of key and place, and what sorted words say: by definition."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import merges


@pytest.fixture(autouse=True)
def _numbers_as_in_machine_code():
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
def test_ascends(dtype) -> None:
    for values in ([], [3], [1, 1], [1, 2, 2, 9], [2, 1], [1, 2, 3, 2], [0, 2**62, 2**61]):
        assert merges.ascends(np.array(values, dtype)) == (values == sorted(values))


def test_keys_are_in_the_order_of_the_floats(rng) -> None:
    steps = np.array([-np.inf, -1.8e308, -2.0, -1.0, -5e-324, 0.0, 5e-324, 2.2e-308, 1.0, np.inf])
    floats = np.sort(np.concatenate([steps, np.nextafter(steps, 0), rng.standard_normal(200)]))
    keys = floats.copy().view(np.uint64)
    ends = merges.order_floats(keys)
    actual = keys.tolist()
    assert list(map(int, ends)) == [actual[0], actual[-1]]
    for i in range(1, len(floats)):
        assert (actual[i] > actual[i - 1]) == (floats[i] > floats[i - 1])
        assert (actual[i] == actual[i - 1]) == (floats[i] == floats[i - 1])


def test_zeros_have_one_key() -> None:
    keys = np.array([0.0, -0.0]).view(np.uint64).copy()
    merges.order_floats(keys)
    assert keys[0] == keys[1]


@pytest.mark.parametrize("shift", [0, 3, 40])
def test_words_hold_a_shortened_key_and_a_place(rng, shift: int) -> None:
    base = 2**63 + 11
    keys = base + rng.integers(0, 2**56, 20, dtype=np.uint64)
    words = np.empty(20, np.uint64)
    merges.pack(keys, np.uint64(base), np.uint64(shift), np.uint64(5), words)
    expected = [
        (((key - base) >> shift) << 5 | place) % 2**64 for place, key in enumerate(keys.tolist())
    ]
    assert words.tolist() == expected


def test_sorted_words_say_which_rows_and_runs() -> None:
    keys = np.array([40, 20, 40, 10, 20, 20], np.uint64)
    numbers = np.array([3, 5, 6, 8, 9, 11], np.int32)
    words = np.array([3, 1, 4, 5, 0, 2], np.uint64)  # places alone: the keys are all shortened off
    rows, ends = np.zeros((2, 6), np.int32)
    bits = np.uint64(3)
    assert merges.unpack(words, bits, keys, numbers, 100, rows, ends) == 3
    assert rows.tolist() == [8, 5, 9, 11, 3, 6]
    assert ends[:3].tolist() == [101, 104, 106]
    words[[0, 5]] = words[[5, 0]]
    assert merges.unpack(words, bits, keys, numbers, 100, rows, ends) == -1
    assert merges.unpack(words[:0], bits, keys, numbers, 100, rows, ends) == 0


def runs_of(rng: np.random.Generator, n: int, n_distinct: int) -> tuple[Any, Any, Any]:
    """Return scores, their rows in order, and where each run starts."""
    scores = rng.permutation(np.arange(n) % n_distinct).astype(np.float64)
    rows = np.argsort(scores, kind="stable").astype(np.int32)
    return scores, rows, np.searchsorted(scores[rows], np.arange(n_distinct + 1)).astype(np.int32)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
@pytest.mark.parametrize("n_distinct", [1, 7, 60])
def test_spread(rng, dtype, n_distinct: int) -> None:
    scores, rows, starts = runs_of(rng, 60, n_distinct)
    labels = rng.integers(0, 2, 60).astype(np.int8)
    for first, stop in ((0, n_distinct), (n_distinct // 3, n_distinct // 2), (0, 0)):
        ones, others = (np.arange(n_distinct, dtype=dtype) + more for more in (100, 500))
        out, by_class = np.full((2, 60), -1, dtype)
        merges.spread(rows, starts, first, stop, ones, out)
        columns = others[first:stop], ones[first:stop]
        merges.spread_by_class(rows, starts, first, stop, labels, *columns, by_class)
        mine = (scores >= first) & (scores < stop)
        assert out.tolist() == np.where(mine, scores + 100, -1).tolist()
        expected = np.where(labels == 1, scores + 100, scores + 500)
        assert by_class.tolist() == np.where(mine, expected, -1).tolist()


@pytest.mark.parametrize("negative", [0, -1])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_distinct", [1, 7, 60])
def test_weigh_runs(rng, n_distinct: int, is_weighted: bool, negative: int) -> None:
    scores, rows, starts = runs_of(rng, 60, n_distinct)
    labels = rng.choice([1, negative], 60).astype(np.int8)
    weights = np.exp2(rng.uniform(-60, 60, 60)) * (rng.random(60) < 0.8)
    exact = [Fraction(weight) if is_weighted else 1 for weight in weights.tolist()]
    for first, stop in ((0, n_distinct), (n_distinct // 3, n_distinct // 2), (0, 0)):
        actual = np.full((3, stop - first), np.nan)
        arguments = rows, starts, first, stop, scores, labels, negative
        labelled = merges.weigh_runs(*arguments, weights[: 60 * is_weighted], *actual)
        assert labelled == ((scores >= first) & (scores < stop)).sum()
        assert actual[0].tolist() == list(range(stop - 1, first - 1, -1))
        for label, column in ((1, actual[1]), (negative, actual[2])):
            for score, value in zip(actual[0].tolist(), column.tolist(), strict=True):
                mine = (scores == score) & (labels == label)
                truth = sum((exact[row] for row in np.flatnonzero(mine)), Fraction(0))
                assert abs(Fraction(value) - truth) <= truth * Fraction(2, 2**53)


def test_rows_of_neither_class_are_not_labelled(rng) -> None:
    scores, rows, starts = runs_of(rng, 60, 7)
    labels = np.zeros(60, np.int8)
    labels[:5] = 3
    sums = np.empty((2, 7))
    arguments = rows, starts, 0, 7, scores, labels, 0, np.empty(0), np.empty(7)
    assert merges.weigh_runs(*arguments, *sums) == 55


@pytest.mark.parametrize("is_counted", [False, True])
@pytest.mark.parametrize("n_distinct", [1, 7, 60, 2**40])
def test_place_words(rng, n_distinct: int, is_counted: bool) -> None:
    keys = rng.integers(0, n_distinct, 60).astype(np.uint64)
    is_positive = np.arange(60) >= 35
    counts = rng.integers(1, 2**40, 60) if is_counted else np.ones(60, np.int64)
    twice = np.sign(keys[:, None].astype(np.int64) - keys.astype(np.int64)) + 1
    below = (twice * ~is_positive * counts).sum(axis=1) + 2 * 11
    above = ((2 - twice) * is_positive * counts).sum(axis=1) + 2 * 13
    numbers = rng.permutation(60).astype(np.int32)
    by_row = np.empty(60, np.int64)
    by_row[numbers] = counts
    words = np.sort(keys << np.uint64(6) | np.arange(60, dtype=np.uint64))
    doubled = np.empty(60, np.int64)
    positives = int(counts[is_positive].sum()) + 13
    arguments = numbers, 35, by_row[: 60 * is_counted], positives, 11, doubled
    assert merges.place_rows(words, np.uint64(6), keys, *arguments) == 0
    assert doubled[numbers].tolist() == np.where(is_positive, below, above).tolist()


def test_place_words_notices_what_cut_bits_hide() -> None:
    keys = np.array([3, 2, 9], np.uint64)  # the last bit of each is cut off
    words = np.sort((keys >> np.uint64(1)) << np.uint64(2) | np.arange(3, dtype=np.uint64))
    arguments = np.arange(3, dtype=np.int32), 1, np.empty(0, np.int64), 2, 0, np.empty(3, np.int64)
    assert merges.place_rows(words, np.uint64(2), keys, *arguments) == -1
