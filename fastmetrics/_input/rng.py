"""Randomness: what ``rng=`` accepts, and the one key that is drawn from it."""

from __future__ import annotations

import re
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError, InputTypeError

_lock = threading.Lock()


def seed_key(rng: Any) -> NDArray[np.uint64]:
    """Return the 64-bit key of a computation, as two 32-bit numbers.

    Parameters
    ----------
    rng : None, int, Generator, BitGenerator, SeedSequence, or str
        What ``numpy.random.default_rng`` takes; one number is drawn from a Generator, so that
        the next call gets another key. A string is the key itself, as results show it.

    Raises
    ------
    TypeError
        For a ``RandomState``, which is not a source of keys.
    ValueError
        For a string that is no key, or a negative seed.
    """
    if isinstance(rng, str):
        return _parsed(rng)
    if isinstance(rng, np.random.RandomState):
        raise InputTypeError(
            "`rng` must be None, a seed or a numpy Generator: got a RandomState; pass "
            "`numpy.random.default_rng(seed)` instead"
        )
    if isinstance(rng, bool | float):
        raise InputTypeError(f"`rng` must be None, a seed or a numpy Generator: got {rng!r}")
    try:
        generator = np.random.default_rng(rng)
    except TypeError as error:
        raise InputTypeError(
            f"`rng` must be None, a seed or a numpy Generator: got {type(rng).__name__}"
        ) from error
    except ValueError as error:
        raise InputError(f"`rng` must be a seed that is not negative: got {rng!r}") from error
    with _lock:  # a Generator may be shared by threads
        return generator.integers(0, 2**32, size=2, dtype=np.uint64)


def key_text(key: NDArray[np.uint64]) -> str:
    """Return the key as 16 hexadecimal digits, which `seed_key` takes back."""
    return f"{int(key[0]):08x}{int(key[1]):08x}"


def _parsed(text: str) -> NDArray[np.uint64]:
    if re.fullmatch("[0-9a-fA-F]{16}", text) is None:
        raise InputError(
            f"`rng` as text must be the key of a result, 16 hexadecimal digits: got {text!r}"
        )
    return np.array([int(text[:8], 16), int(text[8:], 16)], dtype=np.uint64)
