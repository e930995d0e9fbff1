"""What streams in order have in common: windows, and weights that fade.

Weights that fall by half are kept in units of the present that move by whole powers of two.
"""

from __future__ import annotations

import math
import threading
from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.shown import Shown
from fastmetrics._display.table import Display
from fastmetrics._files import Members, scalar
from fastmetrics._input.scalars import check_choice, check_integer, check_n_rows, check_positive
from fastmetrics.errors import InputError
from fastmetrics.tables._mergeable import ByMembers

#: Of a window, whose memory (4 or 8 bytes a row) is asked for at once.
MOST_ROWS: Final = 10**9
#: Sums lighter than this are shown as 0: products of four of them would lose bits.
FORGOTTEN: Final = 2.0**-250
#: Rows of one batch weigh no less than 2**-1000 inside, so that they are seen.
OLDEST: Final = 1000.0
#: Shifting by more than this leaves nothing of any double.
WHOLE_RANGE: Final = 4096


class Recent(ByMembers, Shown):
    """A stream of rows in order, of which those of late count: in its table, or matrix.

    All that changes is in ``_now``; it is replaced, or changed at one stroke.
    """

    __slots__ = ("_lock", "_now")
    _lock: threading.Lock
    _now: Any
    #: The attribute that has measures.
    _measured: ClassVar[str] = "table"
    #: Arguments of the constructor that are members, beside the number of rows.
    _options: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def n_seen(self) -> int:
        """Number of rows so far."""

    @abstractmethod
    def _cleared(self) -> Any:
        """Return what there is before the first row; what is known of the data stays."""

    @abstractmethod
    def _kept(self) -> Members:
        """Return the other members: arrays that do not change with the stream."""

    @classmethod
    def _like(cls, found: Members, **options: Any) -> Self:
        """Return a stream of these members without their rows, or raise."""
        return cls(**options)

    @abstractmethod
    def _of_kept(self, found: Members, n_seen: int) -> Any:
        """Return what there is after these rows, or raise what is wrong with them."""

    def reset(self) -> None:
        """Forget all rows, and what they have taught; a layout stays, given or learnt.

        Examples
        --------
        >>> from fastmetrics.streams import WindowedConfusionMatrix
        >>> last = WindowedConfusionMatrix(100)
        >>> last.update([0, 1], [0, 0])
        >>> last.reset()
        >>> last
        WindowedConfusionMatrix(window=100, n=0, n_seen=0)
        """
        with self._lock:
            self._now = self._cleared()

    def _members(self) -> Members:
        with self._lock:
            names = *self._options, "n_seen"
            return {name: np.array(getattr(self, name)) for name in names} | self._kept()

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        stream = cls._like(found, **{name: scalar(found, name) for name in cls._options})
        stream._now = stream._of_kept(found, rows_seen(found))
        return stream

    def _titled(self, title: str) -> Display:
        measured: Shown = getattr(self, self._measured)
        return replace(measured._shown(), title=title)


class Window(Recent):
    """A stream of which the last rows count."""

    __slots__ = ("_window",)
    _window: int

    def _begin(self, window: Any) -> None:
        self._window = check_integer("window", window, low=1, high=MOST_ROWS)
        self._lock = threading.Lock()

    @property
    def window(self) -> int:
        """The number of rows that count."""
        return self._window

    @property
    def n(self) -> int:
        """Number of rows in the window: `window` itself, or fewer at the start."""
        return min(self.n_seen, self._window)

    def _shown(self) -> Display:
        return self._titled(f"the last {self.n:,} of {self.n_seen:,} rows")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(window={self._window}, n={self.n}, n_seen={self.n_seen})"


class Clock(NamedTuple):
    """How old a fading stream has become: its rows, its steps, and the half-lives that these are.

    Its sums are weights times ``unit``, which is 2 to the part of a half-life beyond whole ones.
    """

    n_seen: int = 0
    n_steps: int = 0
    halvings: int = 0
    unit: float = 1.0


class Fading(Recent):
    """A stream in which old rows count ever less; ``_now`` has a ``clock``."""

    __slots__ = ("_half_life", "_per")
    _half_life: float
    _per: Literal["row", "batch"]

    def _begin(self, half_life: Any, per: Literal["row", "batch"]) -> None:
        check_choice("per", per, ("row", "batch"))
        self._half_life, self._per = check_positive("half_life", half_life), per
        self._lock = threading.Lock()

    @property
    def half_life(self) -> float:
        """The number of rows (or batches) after which a row weighs half."""
        return self._half_life

    @property
    def per(self) -> Literal["row", "batch"]:
        """What makes rows older: "row" or "batch"."""
        return self._per

    @property
    def n_seen(self) -> int:
        """Number of rows so far, each counted as 1."""
        clock: Clock = self._now.clock
        return clock.n_seen

    def _weights(self, n: int) -> NDArray[np.float64] | None:
        """Return the weights of the rows of a batch, the last of which weighs 1; None: all do."""
        return weights_at(np.arange(n)[::-1], self._half_life) if self._per == "row" else None

    def _later(self, n: int) -> tuple[Clock, int]:
        """Return the clock after a batch, and the power of two that the sums are to be scaled by.

        Whole powers are exact, and the part of a half-life, a rational number, is so too.
        """
        before: Clock = self._now.clock
        clock = self._at(before.n_seen + n, before.n_steps + (n if self._per == "row" else 1))
        return clock, -min(clock.halvings - before.halvings, WHOLE_RANGE)

    def _at(self, n_seen: int, n_steps: int) -> Clock:
        halvings, part = divmod(Fraction(n_steps) / Fraction(self._half_life), 1)
        return Clock(check_n_rows(n_seen), n_steps, halvings, math.exp2(part))

    def _clock_of(self, found: Members, n_seen: int) -> Clock:
        """Return the clock among members, or raise."""
        n_steps = rows_seen(found, "n_steps")
        if n_steps != n_seen if self._per == "row" else n_steps > n_seen:
            raise InputError(f"{n_steps:,} steps are not those of {n_seen:,} rows")
        return self._at(n_seen, n_steps)

    def _shown(self) -> Display:
        return self._titled(f"{self.n_seen:,} rows, of half-life {self.half_life:g}")

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(half_life={self._half_life!r}, per={self._per!r}, "
            f"n_seen={self.n_seen})"
        )


def rows_seen(found: Members, name: str = "n_seen") -> int:
    """Return a number of rows among members, or raise."""
    return check_n_rows(check_integer(name, scalar(found, name), low=0))


def weights_at(ages: NDArray[Any], half_life: float) -> NDArray[np.float64]:
    """Return the weights of rows of some ages, as small as 2**-1000.

    The quotient age / half_life would lose as many bits as its whole part has: so that part, which
    the exact remainder gives, is an exponent.
    """
    ages = ages.astype(np.float64)
    rest = np.fmod(ages, half_life)
    with np.errstate(over="ignore"):
        whole = np.minimum(np.rint((ages - rest) / half_life), OLDEST)
    return np.asarray(np.ldexp(np.exp2(-rest / half_life), -whole.astype(np.int64)))
