"""What streams of scores have in common: first rows, copies and equality by what is saved."""

from __future__ import annotations

from typing import ClassVar, Never, Self

import numpy as np

from fastmetrics._display.shown import Shown
from fastmetrics._files import Members, Saved
from fastmetrics.errors import InputTypeError


class ScoreStream(Saved, Shown):
    """A stream of scores, of which all that matters is in its members."""

    __slots__ = ("_first_rows",)
    _first_rows: int
    #: What has measures, as messages write it.
    _ASK: ClassVar[str] = "`stream.table.roc_auc()`, of this moment,"

    @property
    def first_rows(self) -> int:
        """How many rows there are before they are counted in bins."""
        return self._first_rows

    def copy(self) -> Self:
        """Return a table of the same past that goes on by itself."""
        return self._of_members(self._members())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return same_members(self._members(), other._members())

    def __array__(self, *_: object, **__: object) -> Never:
        """Tell who takes the stream for rows, as a function of labels and scores, what to do."""
        raise InputTypeError(
            f"a {type(self).__name__} has measures of its own, with limits: call {self._ASK} "
            "which is a Bracket"
        )

    __hash__ = None  # type: ignore[assignment]


def same_members(one: Members, other: Members) -> bool:
    """Return whether tables of these members have the same rows."""
    return one.keys() == other.keys() and all(
        np.array_equal(one[name], other[name], equal_nan=name == "seen")
        and one[name].dtype == other[name].dtype
        for name in one
        if name != "n_roundings"
    )
