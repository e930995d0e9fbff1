"""Ranges of the scores of several runs: where to cut, and the table of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.tables.runs._columns import BLOCK, Side, SortedColumn, counted, counts_of
from fastmetrics.tables.runs._counted_keys import CountedKeys
from fastmetrics.tables.scores._distinct import merged_classes
from fastmetrics.tables.scores.score_table import ScoreTable


class Cut(NamedTuple):
    """A place between two scores: before or after all entries of one."""

    score: Any
    side: Side


@dataclass(frozen=True, slots=True)
class AllRows:
    """The columns of both classes, positives first, of every run; and what is counted beside."""

    columns: tuple[Sequence[SortedColumn], Sequence[SortedColumn]]
    keys: CountedKeys | None

    @property
    def size(self) -> int:
        """Entries of columns, and places of keys."""
        return sum(column.size for each in self.columns for column in each) + self.n_places

    @property
    def n_places(self) -> int:
        return 0 if self.keys is None else self.keys.size

    def rows_of(self, where: Range) -> tuple[int, int]:
        """Return how many rows of either class a range has."""
        positives, negatives = (
            sum(column.rows(*span) for column, span in zip(each, spans, strict=True))
            for each, spans in zip(self.columns, where.spans, strict=True)
        )
        if self.keys is None:
            return positives, negatives
        of_keys = self.keys.rows(*where.places)
        return positives + of_keys[0], negatives + of_keys[1]


class Range(NamedTuple):
    """Where a range of scores begins and ends in each column, positives first, and in places."""

    spans: tuple[list[tuple[int, int]], list[tuple[int, int]]]
    places: tuple[int, int]
    #: The score, where there is but one.
    only: Any = None


def ranges_of(rows: AllRows, most: int) -> list[Range]:
    """Return consecutive ranges, the highest first, of about ``most`` entries at most each.

    A score with more entries than that is a range of its own.
    """
    cuts = _cuts(rows, most)
    positions = [
        [[0, *(column.position(*cut) for cut in cuts), column.size] for column in each]
        for each in rows.columns
    ]
    keys = rows.keys
    places = [0, *(0 if keys is None else keys.position(*cut) for cut in cuts), rows.n_places]
    found = []
    for k in range(len(cuts), -1, -1):
        spans = tuple([(ends[k], ends[k + 1]) for ends in each] for each in positions)
        is_one = 0 < k < len(cuts) and cuts[k - 1].score == cuts[k].score
        between, only = (places[k], places[k + 1]), cuts[k].score if is_one else None
        found.append(Range(spans, between, only))  # type: ignore[arg-type]
    return found


def _cuts(rows: AllRows, most: int) -> list[Cut]:
    """Return the cuts, ascending: known to a block of entries of each column."""
    if rows.size <= most:
        return []
    marks = [column.index for each in rows.columns for column in each]
    if rows.keys is not None:
        marks.append(rows.keys.marks())
    step = max(most // BLOCK, 1)
    values, times = np.unique(np.sort(np.concatenate(marks))[step - 1 :: step], return_counts=True)
    cuts = []
    for value, count in zip(values, times.tolist(), strict=True):
        cuts.append(Cut(value, "left"))
        if count > 1:
            cuts.append(Cut(value, "right"))
    return cuts


def table_of(rows: AllRows, where: Range) -> ScoreTable:
    if where.only is not None:
        positives, negatives = (np.array([count]) for count in rows.rows_of(where))
        return ScoreTable._of_columns(np.array([where.only]), positives, negatives)
    of_columns = _table_of_columns(rows.columns, where)
    if rows.keys is None:
        return of_columns
    return rows.keys.table(*where.places) + of_columns


def _table_of_columns(
    columns: tuple[Sequence[SortedColumn], Sequence[SortedColumn]], where: Range
) -> ScoreTable:
    parts = [
        [column.read(*span) for column, span in zip(each, spans, strict=True) if span[0] < span[1]]
        for each, spans in zip(columns, where.spans, strict=True)
    ]
    if not any(parts):
        return ScoreTable.from_counts([], [], [])
    kind = np.result_type(*(column.dtype for each in columns for column in each))
    if any(counts is not None for each in parts for _, counts in each):
        return _counted_table(parts, kind)
    positive, negative = (
        np.concatenate([np.empty(0, kind), *(s for s, _ in each)]) for each in parts
    )
    del parts
    positive.sort()
    negative.sort()
    return ScoreTable._of_columns(*merged_classes(positive, negative))


def _counted_table(
    parts: list[list[tuple[NDArray[Any], NDArray[np.int64] | None]]], kind: np.dtype[Any]
) -> ScoreTable:
    sides = []
    for each in parts:
        scores = [np.empty(0, kind), *(s for s, _ in each)]
        counts = [np.empty(0, np.int64), *starmap(counts_of, each)]
        found = counted(np.concatenate(scores), np.concatenate(counts))
        sides.append([column[::-1].copy() for column in found])
    (those_of_p, p), (those_of_n, n) = sides
    of_positives = ScoreTable._of_columns(those_of_p, p, np.zeros_like(p))
    return of_positives + ScoreTable._of_columns(those_of_n, np.zeros_like(n), n)
