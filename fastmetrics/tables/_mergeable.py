"""Base classes of tables that add up and merge: sums, equality, updates in place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from fastmetrics._display import Shown
from fastmetrics._files import Saved
from fastmetrics._results import same
from fastmetrics.errors import InputTypeError


class Summed(ABC):
    """Base of tables that add up with ``+`` and with ``sum``, which starts from 0."""

    __slots__ = ()

    @abstractmethod
    def _plus(self, other: Self) -> Self:
        """Return the sum of both, which stay what they are; or raise where they do not fit."""

    def __add__(self, other: Self) -> Self:
        return self._plus(other) if _are_kin(self, other) else NotImplemented

    def __radd__(self, other: object) -> Self:
        return self._detached() if isinstance(other, int) and other == 0 else NotImplemented

    def _detached(self) -> Self:
        """Return the table itself, or a copy where it may change in place."""
        return self


class Frozen(Shown):
    """A dataclass that is never modified: its fields are all there is, its arrays read-only."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]]  # the fields that its constructor takes

    @classmethod
    def _of(cls, *values: Any) -> Self:
        """Return an instance of fields that need no check and that nothing else writes to."""
        made = object.__new__(cls)
        made._set(*values)
        return made

    def _set(self, *values: Any) -> None:
        for name, value in zip(self.__match_args__, values, strict=True):
            if isinstance(value, np.ndarray):
                value = value.view()  # the memory stays writable: kernels take it without a copy
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frozen) or not _are_kin(self, other):
            return NotImplemented
        return same(self._values(), other._values())

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the fields; the copy is read-only again."""
        return type(self)._of, self._values()


class Merging(ABC):
    """Base of tables that take the rows of another of their kind, in place."""

    __slots__ = ()

    @abstractmethod
    def _join(self, other: Self) -> None:
        """Take the rows of another one, which may change meanwhile."""

    def merge(self, *others: Self) -> None:
        """Add others to this one, in place.

        Parameters
        ----------
        *others : objects of this class
            They stay as they are.

        Raises
        ------
        TypeError, ValueError
            For what is of another class, or does not fit: other bins, other given labels, ids or
            scores of another sort, no room in memory. What precedes it is counted.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> total = ConfusionMatrix()
        >>> total.merge(*(ConfusionMatrix.from_labels([0, 1], [0, 0]) for _ in range(3)))
        >>> total
        ConfusionMatrix(tp=0, fp=0, fn=3, tn=3, labels=(0, 1))
        """
        for other in others:
            if not isinstance(other, type(self)):
                raise InputTypeError(
                    f"a {type(self).__name__} is needed: got {type(other).__qualname__}"
                )
        for other in others:
            self._join(other)


class Mergeable(Merging, Summed, Saved):
    """Base of mergeable streams, which are copied by way of the arguments of ``_of``."""

    __slots__ = ()

    @classmethod
    @abstractmethod
    def _of(cls, *state: Any) -> Self:
        """Return an instance of a state that nothing else refers to."""

    @abstractmethod
    def _copied_state(self) -> tuple[Any, ...]:
        """Return a consistent copy of the state: the arguments of `_of`."""

    def copy(self) -> Self:
        """Return one of the same rows that changes on its own.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> matrix = ConfusionMatrix()
        >>> other = matrix.copy()
        >>> other.update([0, 1], [0, 0])
        >>> matrix.n, other.n
        (0, 2)
        """
        return self._of(*self._copied_state())

    def _plus(self, other: Self) -> Self:
        both = self.copy()
        both._join(other)
        return both

    def _detached(self) -> Self:
        return self.copy()


def _are_kin(one: object, other: object) -> bool:
    """Return whether one is of the other's class, or of one derived from it."""
    return isinstance(other, type(one)) or isinstance(one, type(other))
