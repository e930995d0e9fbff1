"""Numbers as readers see them: digits, limits, p-values and thresholds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Self

import numpy as np


class Limits:
    """Base of what has limits `low` and `high`: one cell for readers, two columns of a frame."""

    __slots__ = ()
    low: float
    high: float


DASH: Final = "–"
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
#: More elements than this are counted, not listed.
_MOST_LISTED: Final = 8
#: A p-value is never rounded to one of these, which decide.
_LEVELS: Final = (0.001, 0.01, 0.05, 0.1)


def common_decimals(
    values: Iterable[float], intervals: Iterable[Limits] = (), *, as_are: bool = True
) -> int:
    """Return the decimals that numbers of one kind share; -1 where none would do.

    The narrowest interval is shown to two figures, the largest number to four. Without intervals
    whole numbers stay whole and, ``as_are``, numbers that end sooner are not drawn out.
    """
    values = [value for value in values if math.isfinite(value)]
    limits = [(each.low, each.high) for each in intervals]
    sizes = [abs(each) for each in (*values, *itertools.chain(*limits))]
    top = max((size for size in sizes if 0 < size < math.inf), default=1.0)
    if not 1e-9 < top < 1e15:
        return -1
    size = math.floor(math.log10(top))
    fewest = 3 - size if size < -3 else max(0, 4 - max(size, 0))
    if not limits:
        tried = range(fewest) if as_are else range(min(1, fewest))
        ends = (d for d in tried if all(round(value, d) == value for value in values))
        return next(ends, fewest)
    halves = [(high - low) / 2 for low, high in limits if 0 < high - low < math.inf]
    return max([fewest, *(min(1 - math.floor(math.log10(h)), fewest + 2) for h in halves)])


def number(value: float, decimals: int) -> str:
    """Return a number with so many decimals, a dash for nan."""
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.4g}" if decimals < 0 else f"{value:z,.{decimals}f}"
    return text.replace("-", "−")


class MonteCarloPValue(float):
    """A p-value of replicates: an upper bound, shown as "≤ .002", if none was as extreme."""

    __slots__ = ("is_bound",)
    is_bound: bool

    def __new__(cls, value: float, is_bound: bool = False) -> Self:
        """Return the number; that p is at most 1 is no bound."""
        self = super().__new__(cls, value)
        self.is_bound = is_bound and value < 1.0
        return self

    @classmethod
    def of(cls, n_extreme: int, n_replicates: int) -> Self:
        """Return the proportion of replicates as extreme, the data themselves counted in."""
        return cls((1 + n_extreme) / (1 + n_replicates), n_extreme == 0)


def is_bound(value: Any) -> bool | None:
    """Return whether a p-value is but a bound; None of what is no p-value of replicates."""
    return value.is_bound if isinstance(value, MonteCarloPValue) else None


def pvalue(value: float | None) -> str:
    """Return a p-value: three decimals, or more where these would seem to decide."""
    if value is None or math.isnan(value):
        return DASH
    if value < 0.001:
        return "< .001"
    decimals = 3
    while decimals < 9 and _round_pvalue(value, decimals) in _LEVELS and value not in _LEVELS:
        decimals += 1
    digits = f"{_round_pvalue(value, decimals):.{decimals}f}".removeprefix("0")
    return f"≤ {digits}" if is_bound(value) else digits


def _round_pvalue(value: float, decimals: int) -> float:
    """Return a p-value rounded, a bound upwards: it would not hold below."""
    nearest = round(float(value), decimals)
    is_below = is_bound(value) and nearest < value * (1.0 - 1e-12)
    return round(nearest + 10.0**-decimals, decimals) if is_below else nearest


def as_p(value: float) -> str:
    """Return a p-value for a sentence: "p = .012", "p < .001", "p ≤ .002"."""
    formatted = pvalue(value)
    return f"p {formatted}" if formatted.startswith(("<", "≤")) else f"p = {formatted}"


def percent_text(level: float) -> str:
    """Return a confidence level in percent: "95 %", "99.9999999 %"."""
    return f"{100.0 * level:.12g} %"


def threshold(value: Any) -> str:
    """Return a threshold: a score, which has a scale of its own."""
    is_plain = isinstance(value, float) and math.isfinite(value)
    return f"{value:.5g}".replace("-", "−") if is_plain else value_text(value)


def limits(interval: Limits, decimals: int) -> str:
    """Return an interval in brackets, which nobody folds."""
    return f"[{number(interval.low, decimals)},\N{NO-BREAK SPACE}{number(interval.high, decimals)}]"


def with_limits(value: float, interval: Limits) -> str:
    """Return a number and its interval, to the same decimals."""
    decimals = common_decimals([value], [interval])
    return f"{number(value, decimals)} {limits(interval, decimals)}"


def value_text(value: Any) -> str:
    """Return one value by itself."""
    if value is None:
        return DASH
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    if isinstance(value, float):
        return number(value, common_decimals([value]))
    if isinstance(value, np.generic):
        return value_text(value.item())
    if isinstance(value, Limits):
        decimals = common_decimals([value.low, value.high])
        if value.low < value.high and number(value.low, decimals) == number(value.high, decimals):
            decimals = common_decimals([], [value])
        return limits(value, decimals)
    if isinstance(value, np.ndarray):
        return value_text(value.item()) if value.size == 1 else _summary(value)
    if isinstance(value, Mapping):
        return _listed([f"{value_text(key)}: {value_text(item)}" for key, item in value.items()])
    if isinstance(value, tuple | list):
        texts = [(value_text(each), isinstance(each, tuple)) for each in value]
        return _listed([f"({each})" if is_tuple else each for each, is_tuple in texts])
    return "".join(c if c.isprintable() or c == _NO_BREAK else " " for c in str(value))


def _summary(array: Any) -> str:
    """Return how many values an array has, and between what they lie."""
    size = " × ".join(f"{n:,}" for n in array.shape) + " values"
    if array.dtype.kind not in "iuf" or not np.isfinite(array).any():
        return size
    known = array[np.isfinite(array)]
    return f"{size} from {value_text(known.min())} to {value_text(known.max())}"


def _listed(inside: Sequence[str]) -> str:
    if len(inside) <= _MOST_LISTED:
        return ", ".join(inside) or DASH
    return f"{', '.join(inside[: _MOST_LISTED - 1])}, … ({len(inside):,} in all)"
