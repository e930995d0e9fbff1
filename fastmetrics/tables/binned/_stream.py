"""What streams of scores have in common: first rows, and who has measures."""

from __future__ import annotations

from typing import ClassVar, Never

from fastmetrics.errors import InputTypeError
from fastmetrics.tables._streams import Stream


class ScoreStream(Stream):
    """A stream of scores."""

    __slots__ = ("_first_rows",)
    _first_rows: int
    #: What has measures, as messages write it.
    _ASK: ClassVar[str] = "`stream.table.roc_auc()`, of this moment,"

    @property
    def first_rows(self) -> int:
        """How many rows there are before they are counted in bins."""
        return self._first_rows

    def __array__(self, *_: object, **__: object) -> Never:
        """Tell who takes the stream for rows, as a function of labels and scores, what to do."""
        raise InputTypeError(
            f"a {type(self).__name__} has measures of its own, with limits: call {self._ASK} "
            "which is a Bracket"
        )
