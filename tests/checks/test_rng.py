"""What ``rng=`` accepts, and the key that comes of it."""

import re
import threading
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

MATRIX = fm.ConfusionMatrix.binary(tp=40, fp=9, fn=11, tn=50)


def keys_of(*sources: Any) -> list[str]:
    options: dict[str, Any] = {"metrics": "accuracy", "n_resamples": 20}
    found = [fm.bootstrap(MATRIX, rng=source, **options)["accuracy"] for source in sources]
    return [each.details.key for each in found]


def halves_of(source: Any) -> list[int]:
    (text,) = keys_of(source)
    return [int(text[:8], 16), int(text[8:], 16)]


def test_a_seed_is_numpys() -> None:
    """One number is drawn from ``default_rng``: it moves on by what two of 32 bits take."""
    for source in (0, 7, 2**100, [1, 2], (3, 4), np.int64(5), np.uint8(6)):
        expected = np.random.default_rng(source).integers(0, 2**32, size=2, dtype=np.uint64)
        assert halves_of(source) == expected.tolist()
    bits = np.random.PCG64(3)
    assert keys_of(bits) == keys_of(3)
    assert keys_of(np.random.SeedSequence(3)) == keys_of(3)
    assert keys_of(np.random.Generator(np.random.MT19937(3))) != keys_of(3)


def test_a_generator_moves_on_and_a_seed_does_not() -> None:
    generator = np.random.default_rng(1)
    first, second = keys_of(generator, generator)
    assert first != second
    assert keys_of(1, 1) == [first, first]


def test_no_seed_is_new_each_time() -> None:
    assert len(set(keys_of(*[None] * 20))) == 20


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (np.random, TypeError, "got module"),
        (b"0" * 16, TypeError, "got bytes"),
        ([1.5], TypeError, "got list"),
    ],
)
def test_what_is_no_source_of_keys(source: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        keys_of(source)


def test_neighbouring_seeds_share_no_half() -> None:
    halves = [half for seed in range(200) for half in halves_of(seed)]
    # 400 numbers of 32 bits: two are equal with probability 0.00002.
    assert len(set(halves)) == len(halves)


def test_text_is_a_key() -> None:
    for seed in range(20):
        (text,) = keys_of(seed)
        assert re.fullmatch("[0-9a-f]{16}", text)
        assert keys_of(text, text.upper()) == [text, text]
    assert keys_of("00000000ffffffff") == ["00000000ffffffff"]


@pytest.mark.parametrize(
    "text", ["", "g" * 16, "0" * 17, "0x00000000000000", "0000_0000000_000", "000000000000000\n"]
)
def test_text_that_is_no_key(text: str) -> None:
    with pytest.raises(ValueError, match="`rng` as text must be the key of a result, 16 hexadec"):
        keys_of(text)


def test_one_generator_of_many_threads() -> None:
    generator = np.random.default_rng(5)
    found: list[str] = []

    def work() -> None:
        found.extend(keys_of(*[generator] * 20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = np.random.default_rng(5)
    assert sorted(found) == sorted(keys_of(*[again] * 80))
