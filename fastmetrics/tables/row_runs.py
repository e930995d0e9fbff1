"""Scored rows of any number with their columns, in the order of the scores: sorted runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.buckets import assign_codes
from fastmetrics.errors import InputError
from fastmetrics.tables.ordering import row_order
from fastmetrics.tables.score_runs import AllRows, RunRange, split_ranges
from fastmetrics.tables.sorted_columns import SortedColumn, SpillFile

#: Fractions 1/k of the memory: rows not sorted yet and their sorted copy; runs kept in memory;
#: rows of the ranges that are read.
_WAITING: Final = 3
_KEPT: Final = 3
_RANGES: Final = 3
#: Bytes that a row of a range takes while it is read and used.
_OF_ROW: Final = 500
#: Rows of a run and of a range where memory is plenty.
_RUN_ROWS: Final = 1 << 22
_RANGE_ROWS: Final = 1 << 19
_LEAST_ROWS: Final = 1 << 13
#: Bytes of a row while it is put in order.
_OF_ORDER: Final = 20
#: Of a run in the file, every so many scores one stays in memory: ranges are as precise.
_BLOCK: Final = 128

#: Least cells of the table of group codes.
_CELLS: Final = 1 << 16

#: Part of a run: its number, start and end.
_Span = tuple[int, int, int]


class GroupCodes:
    """Codes of groups, in the order in which they first appear."""

    def __init__(self) -> None:
        self._set_table(_CELLS)
        self.n_groups = 0

    def _set_table(self, n_cells: int) -> None:
        self._keys = np.zeros(n_cells, np.int64)
        self._codes = np.full(n_cells, -1, np.int32)

    def encode(self, groups: NDArray[Any]) -> NDArray[np.int32]:
        """Return the codes of numbers; new ones are added."""
        if groups.dtype.kind == "f":
            values = (groups.astype(np.float64) + 0.0).view(np.int64)  # -0.0 becomes 0.0
        else:
            values = groups.astype(np.int64)  # of unsigned numbers too: each has its own bits
        if 2 * (self.n_groups + len(values)) > len(self._keys):
            used = self._codes >= 0
            keys, codes = self._keys[used], self._codes[used]
            self._set_table(2 << (self.n_groups + len(values)).bit_length())
            ordered = keys[np.argsort(codes)]
            assign_codes(ordered, self._keys, self._codes, 0, np.empty(len(keys), np.int32))
        out = np.empty(len(values), np.int32)
        self.n_groups = assign_codes(values, self._keys, self._codes, self.n_groups, out)
        return out


class RowRuns:
    """Scores of rows, and columns that go with them, as sorted runs.

    Rows wait until there are enough for a run. Beyond a third of ``memory`` runs go to a file of
    ``folder``, which has no name and disappears with the object or the process.
    """

    def __init__(self, memory: int, folder: str) -> None:
        self._memory = memory
        self._file = SpillFile(folder)
        self._waiting: list[dict[str, NDArray[Any]]] = []
        self._n_waiting = 0
        #: The columns of each run, of which the scores are sorted.
        self._runs: list[dict[str, SortedColumn]] = []
        self._kept = 0

    @property
    def spilled_bytes(self) -> int:
        """Bytes in the file."""
        return self._file.size

    @property
    def _most(self) -> int:
        """Rows of a range."""
        return max(min(self._memory // (_RANGES * _OF_ROW), _RANGE_ROWS), _LEAST_ROWS)

    def add(self, scores: NDArray[Any], **columns: NDArray[Any]) -> None:
        """Add rows; a copy of the scores is kept, and the columns as they are."""
        columns["scores"] = scores + 0  # -0.0 becomes 0.0
        self._waiting.append(columns)
        self._n_waiting += len(scores)
        of_row = 3 * sum(each.itemsize for each in columns.values()) + _OF_ORDER
        most = min(self._memory // (_WAITING * of_row), _RUN_ROWS)
        if self._n_waiting >= max(most, _LEAST_ROWS):
            self._sort_waiting()

    def _sort_waiting(self) -> None:
        if not self._waiting:
            return
        waiting, self._waiting, self._n_waiting = self._waiting, [], 0
        scores = np.concatenate([each.pop("scores") for each in waiting])
        order = row_order(scores).rows
        run = {"scores": SortedColumn.of_sorted(scores[order], block=_BLOCK)}
        for name in [*waiting[0]]:
            values = np.concatenate([each.pop(name) for each in waiting])[order]
            run[name] = SortedColumn.of_sorted(values, block=len(values))
        size = sum(column.nbytes for column in run.values())
        if self._kept + size <= self._memory // _KEPT:
            self._kept += size
        else:
            for column in run.values():
                column.spill(self._file)
        self._runs.append(run)

    def ranges(self) -> list[RunRange]:
        """Return consecutive ranges of scores, the highest first, that are read one by one.

        A score with more rows than a range should have is a range of its own.
        """
        self._sort_waiting()
        rows = AllRows(([run["scores"] for run in self._runs], ()), None)
        if len(self._runs) * _BLOCK > self._most:
            raise InputError(
                f"`memory` is too little for the order of {rows.size:,} rows with what belongs to "
                "them: give more"
            )
        ranges = split_ranges(rows, self._most) if rows.size else []
        return [where for where in ranges if any(rows.count_rows(where))]

    def read(self, ranges: Sequence[RunRange]) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
        """Give the number of each range, and the columns of its rows, the highest scores first.

        The rows of a range of one score come in several batches if they are many. The next batch
        is read and sorted while one is worked on.
        """
        jobs = [(k, spans) for k, where in enumerate(ranges) for spans in self._batches(where)]
        with ThreadPoolExecutor(1) as pool:
            ahead: Future[dict[str, NDArray[Any]]] | None = None
            for at, (k, spans) in enumerate(jobs):
                columns = self._read(spans) if ahead is None else ahead.result()
                ahead = pool.submit(self._read, jobs[at + 1][1]) if at + 1 < len(jobs) else None
                yield k, columns

    def _batches(self, where: RunRange) -> list[list[_Span]]:
        spans = [(run, *span) for run, span in enumerate(where.spans[0]) if span[0] < span[1]]
        if where.only is None or sum(stop - start for _, start, stop in spans) <= self._most:
            return [spans] if spans else []
        return [
            [(run, at, min(at + self._most, stop))]
            for run, start, stop in spans
            for at in range(start, stop, self._most)
        ]

    def _read(self, spans: Sequence[_Span]) -> dict[str, NDArray[Any]]:
        columns = {
            name: np.concatenate([self._runs[k][name].read(*span)[0] for k, *span in spans])
            for name in self._runs[0]
        }
        order = np.argsort(columns["scores"], kind="stable")[::-1]  # of runs: they are merged
        return {name: column[order] for name, column in columns.items()}
