"""Keys in the order of floats, words of key and place, and what sorted words say: by definition."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_forms import FORMS

from fastmetrics._kernels import orders

pytestmark = pytest.mark.parametrize("form", FORMS)


@pytest.fixture(autouse=True)
def _numbers_as_in_machine_code():
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
def test_ascends(form, dtype) -> None:
    for values in ([], [3], [1, 1], [1, 2, 2, 9], [2, 1], [1, 2, 3, 2], [0, 2**62, 2**61]):
        array = np.array(values, dtype)
        assert form(orders.ascends)(array) == (values == sorted(values))


def test_keys_are_in_the_order_of_the_floats(rng, form) -> None:
    steps = np.array([-np.inf, -1.8e308, -2.0, -1.0, -5e-324, 0.0, 5e-324, 2.2e-308, 1.0, np.inf])
    floats = np.sort(np.concatenate([steps, np.nextafter(steps, 0), rng.standard_normal(200)]))
    keys = floats.copy().view(np.uint64)
    ends = form(orders.order_floats)(keys)
    found = keys.tolist()
    assert list(map(int, ends)) == [found[0], found[-1]]
    for i in range(1, len(floats)):
        assert (found[i] > found[i - 1]) == (floats[i] > floats[i - 1])
        assert (found[i] == found[i - 1]) == (floats[i] == floats[i - 1])


def test_zeros_have_one_key(form) -> None:
    keys = np.array([0.0, -0.0]).view(np.uint64).copy()
    form(orders.order_floats)(keys)
    assert keys[0] == keys[1]


@pytest.mark.parametrize("shift", [0, 3, 40])
def test_words_hold_a_shortened_key_and_a_place(rng, form, shift: int) -> None:
    base = 2**63 + 11
    keys = base + rng.integers(0, 2**56, 20, dtype=np.uint64)
    words = np.empty(20, np.uint64)
    form(orders.pack)(keys, np.uint64(base), np.uint64(shift), np.uint64(5), words)
    expected = [
        (((key - base) >> shift) << 5 | place) % 2**64 for place, key in enumerate(keys.tolist())
    ]
    assert words.tolist() == expected


def test_sorted_words_say_which_rows_and_runs(form) -> None:
    keys = np.array([40, 20, 40, 10, 20, 20], np.uint64)
    numbers = np.array([3, 5, 6, 8, 9, 11], np.int32)
    words = np.array([3, 1, 4, 5, 0, 2], np.uint64)  # places alone: the keys are all shortened off
    rows, ends = np.zeros(6, np.int32), np.zeros(6, np.int32)
    bits = np.uint64(3)
    assert form(orders.unpack)(words, bits, keys, numbers, 100, rows, ends) == 3
    assert rows.tolist() == [8, 5, 9, 11, 3, 6]
    assert ends[:3].tolist() == [101, 104, 106]
    words[[0, 5]] = words[[5, 0]]
    assert form(orders.unpack)(words, bits, keys, numbers, 100, rows, ends) == -1
    assert form(orders.unpack)(words[:0], bits, keys, numbers, 100, rows, ends) == 0


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
def test_spread(form, dtype) -> None:
    rows = np.array([4, 0, 2, 1, 3], np.int32)
    starts = np.array([0, 2, 3, 5], np.int32)
    out = np.full(5, -1, dtype)
    form(orders.spread)(rows, starts, 0, 1, np.array([7, 8, 9], dtype), out)
    assert out.tolist() == [7, -1, -1, -1, 7]
    form(orders.spread)(rows, starts, 1, 3, np.array([7, 8, 9], dtype), out)
    assert out.tolist() == [7, 9, 8, 9, 7]
