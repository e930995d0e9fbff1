"""Scalar options: one check a kind, one wording each; and the one key that `rng` gives."""

from __future__ import annotations

import math
import numbers
import operator
import re
import threading
from collections.abc import Iterable, Sized
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError, InputTypeError, did_you_mean

#: What an alternative hypothesis says of a difference; which limit of an interval is infinite.
Alternative = Literal["two-sided", "less", "greater"]
#: How much a row matters, or how many rows it stands for.
WeightsAre = Literal["importances", "frequencies"]

#: Of all draws that one call keeps.
MAX_BYTES: Final = 4 << 30
#: An exbibyte: more than any machine has, and no engine's arithmetic overflows.
_MOST_MEMORY: Final = 1 << 60
_UNITS: Final = {
    "": 1,
    **{unit + "b": 1000**power for power, unit in enumerate(("", "k", "m", "g", "t"))},
    **{unit + "ib": 1024**power for power, unit in enumerate(("k", "m", "g", "t"), start=1)},
}


def check_same_length(**arrays: Sized | None) -> int:
    """Return the common number of rows of the arrays given by name (None is left out)."""
    lengths = {name: len(array) for name, array in arrays.items() if array is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"`{name}` has {length:,} rows" for name, length in lengths.items())
        raise InputError(f"lengths differ: {listed}")
    return next(iter(lengths.values()), 0)


def check_same_shape(**arrays: Any) -> None:
    """Raise unless two arrays, or shapes, given by name are of one shape."""
    shapes = [getattr(each, "shape", each) for each in arrays.values()]
    if shapes[0] != shapes[1]:
        names = " and ".join(f"`{name}`" for name in arrays)
        raise InputError(f"{names} must have the same shape: got {shapes[0]} and {shapes[1]}")


def check_real(name: str, value: Any) -> float:
    """Return a real, non-boolean scalar as a float."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"`{name}` must be a number: got {type(value).__name__} {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"`{name}` is beyond the range of floats: at most 1.8e308") from None


def check_confidence_level(confidence_level: Any) -> float:
    """Return a confidence level strictly between 0 and 1."""
    level = check_real("confidence_level", confidence_level)
    if 0.0 < level < 1.0:
        return level
    hint = f"; did you mean {level / 100:g}?" if 1.0 < level < 100.0 else ""
    raise InputError(
        f"`confidence_level` must lie strictly between 0 and 1: got {confidence_level!r}{hint}"
    )


def check_decision_level(confidence_level: Any) -> float:
    """Return 1 - level without rounding error in its digits: 0.05 for 0.95."""
    return complement(check_confidence_level(confidence_level))


def complement(fraction: float) -> float:
    """Return 1 less a decimal fraction, as the decimal that it would be written as."""
    return round(1.0 - fraction, 15) or 1.0 - fraction


def check_fraction(
    name: str,
    value: Any,
    *,
    high: float = 1.0,
    include_low: bool = False,
    include_high: bool = False,
) -> float:
    """Return a number between 0 and ``high``; ends are included on request only."""
    number = check_real(name, value)
    above = number >= 0.0 if include_low else number > 0.0
    below = number <= high if include_high else number < high
    if above and below:
        return number
    interval = f"{'[' if include_low else '('}0, {high:g}{']' if include_high else ')'}"
    raise InputError(f"`{name}` must lie in {interval}: got {value!r}")


def check_positive(name: str, value: Any) -> float:
    """Return a finite number above zero (a cost, the beta of an F metric)."""
    number = check_real(name, value)
    if not (0.0 < number < math.inf):
        raise InputError(f"`{name}` must be positive and finite: got {value!r}")
    return number


def check_integer(name: str, value: Any, *, low: int | None = None, high: int | None = None) -> int:
    """Return an integer, booleans refused, within the bounds given (both included)."""
    if isinstance(value, bool | np.bool_):
        raise InputTypeError(f"`{name}` must be an integer: got {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise InputTypeError(
            f"`{name}` must be an integer: got {type(value).__name__} {value!r}"
        ) from None
    if low is not None and number < low:
        raise InputError(f"`{name}` must be at least {low:,}: got {value!r}")
    if high is not None and number > high:
        raise InputError(f"`{name}` must be at most {high:,}: got {value!r}")
    return number


def check_n_rows(number: int) -> int:
    """Return a number of rows, of which int64 holds the sum of two, or raise."""
    if number >= 2**62:
        raise InputError(f"a table counts fewer than 2**62 rows: got {number:,}")
    return number


def check_memory(number: int, n_values: int, hint: str) -> None:
    """Raise if so many replicates of so many numbers would take too much memory."""
    needed = 8 * number * n_values
    if needed > MAX_BYTES:
        gigabytes, most = (size // 10**9 for size in (needed, MAX_BYTES))  # integers of any size
        raise InputError(
            f"`n_resamples` of {number:,} would keep {gigabytes:,} GB of replicates, more than "
            f"{most} GB: {hint}"
        )


def check_memory_size(name: str, value: Any, *, low: int) -> int:
    """Return a number of bytes: an integer, or a text such as 1GB, 1.5 GiB or 500MB."""
    if not isinstance(value, str):
        return check_integer(name, value, low=low, high=_MOST_MEMORY)
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([a-z]*)\s*", value.lower())
    if match is None or match[2] not in _UNITS:
        raise InputError(f"`{name}` must be a size such as '1GB' or '500MB': got {value!r}")
    size = float(match[1]) * _UNITS[match[2]]
    if not low <= size <= _MOST_MEMORY:
        bound = f"at least {low:,}" if size < low else f"at most {_MOST_MEMORY:,}"
        raise InputError(f"`{name}` must be {bound} bytes: got {value!r}")
    return int(size)


def check_choice(name: str, value: Any, options: Iterable[Any]) -> Any:
    """Return ``value`` if it is one of the options, compared by type and value."""
    allowed = tuple(options)
    for option in allowed:
        if type(option) is type(value) and option == value:
            return option
    options_text = ", ".join(map(repr, allowed))
    advice = did_you_mean(value, allowed) if isinstance(value, str) else ""
    raise InputError(f"`{name}` must be one of {options_text}: got {value!r}{advice}")


def check_text(name: str, value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise InputTypeError(f"`{name}` must be a text: got {type(value).__name__}")
    return value


def check_flag(name: str, value: Any) -> bool:
    """Return a bool that is one."""
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"`{name}` must be True or False: got {value!r}")
    return bool(value)


def check_direction(higher_is_better: Any, what: str = "") -> bool:
    """Return whether the greater number is the better; ``what`` says of what, after the words."""
    if not isinstance(higher_is_better, bool | np.bool_):
        raise InputTypeError(
            f"`higher_is_better` must be True (accuracy, AUC) or False (errors, losses){what}: "
            f"got {higher_is_better!r}"
        )
    return bool(higher_is_better)


def check_alternative(alternative: Any) -> Alternative:
    """Return the checked alternative of a test or an interval."""
    chosen: Alternative = check_choice("alternative", alternative, get_args(Alternative))
    return chosen


def check_weights_are(sample_weight: Any, weights_are: Any) -> WeightsAre | None:
    """Return the checked meaning of weights; None where there are none."""
    chosen: WeightsAre = check_choice("weights_are", weights_are, get_args(WeightsAre))
    return None if sample_weight is None else chosen


_rng_lock = threading.Lock()


def seed_key(rng: Any) -> NDArray[np.uint64]:
    """Return the 64-bit key of a computation, as two 32-bit numbers.

    Of a Generator one number is drawn, so that the next call gets another key. A text is the key
    itself, as results show it. A ``RandomState`` is not a source of keys.
    """
    source = check_rng(rng)
    if isinstance(source, str):
        return _parse_key(source)
    with _rng_lock:  # a Generator may be shared by threads
        return source.integers(0, 2**32, size=2, dtype=np.uint64)


def check_rng(rng: Any) -> np.random.Generator | str:
    """Return the generator of a seed, or the key of a result, and draw nothing."""
    if isinstance(rng, str):
        _parse_key(rng)
        return rng
    if isinstance(rng, np.random.RandomState):
        raise InputTypeError(
            "`rng` must be None, a seed or a numpy Generator: got a RandomState; pass "
            "`numpy.random.default_rng(seed)` instead"
        )
    if isinstance(rng, bool | float):
        raise InputTypeError(f"`rng` must be None, a seed or a numpy Generator: got {rng!r}")
    try:
        return np.random.default_rng(rng)
    except TypeError as error:
        raise InputTypeError(
            f"`rng` must be None, a seed or a numpy Generator: got {type(rng).__name__}"
        ) from error
    except ValueError as error:
        raise InputError(f"`rng` must be a seed that is not negative: got {rng!r}") from error


def key_text(key: NDArray[np.uint64]) -> str:
    """Return the key as 16 hexadecimal digits, which `seed_key` takes back."""
    return f"{int(key[0]):08x}{int(key[1]):08x}"


def _parse_key(text: str) -> NDArray[np.uint64]:
    if re.fullmatch("[0-9a-fA-F]{16}", text) is None:
        raise InputError(
            f"`rng` as text must be the key of a result, 16 hexadecimal digits: got {text!r}"
        )
    return np.array([int(text[:8], 16), int(text[8:], 16)], dtype=np.uint64)
