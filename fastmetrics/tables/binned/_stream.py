"""What streams of scores have in common: first rows, a layout, and who has measures."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Never, Self

from fastmetrics._files import Members
from fastmetrics.errors import InputTypeError
from fastmetrics.tables._streams import Recent, Stream
from fastmetrics.tables.binned.bin_layout import BinLayout


class ScoreStream(Stream):
    """A stream of scores; ``_now`` has a ``layout``."""

    __slots__ = ()
    _first_rows: int
    _now: Any
    #: What has measures, as messages write it.
    _ASK: ClassVar[str] = "`stream.table.roc_auc()`, of this moment,"

    @property
    def layout(self) -> BinLayout | None:
        """The bins; None until they are learnt."""
        layout: BinLayout | None = self._now.layout
        return layout

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


def layout_of(found: Members) -> BinLayout | None:
    """Return the layout among members, None where there is none yet, or raise."""
    return BinLayout(found["edges"]) if "edges" in found else None


def edges_of(layout: BinLayout | None) -> Members:
    """Return the member that `layout_of` reads."""
    return {} if layout is None else {"edges": layout.edges}


class RecentScores(Recent, ScoreStream):
    """A stream of scores in order, of which those of late count."""

    __slots__ = ()

    def _kept(self) -> Members:
        return edges_of(self.layout) | {k: each.copy() for k, each in self._columns().items()}

    @abstractmethod
    def _columns(self) -> Members:
        """Return the columns of first rows, or of bins."""

    @classmethod
    def _like(cls, found: Members, **options: Any) -> Self:
        return super()._like(found, layout=layout_of(found), **options)
