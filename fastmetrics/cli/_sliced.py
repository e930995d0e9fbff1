"""Slices of rows that are not all in memory: counted first, then sorted by score in a reading."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.scalars import check_integer
from fastmetrics._report.evaluation_result import AUC
from fastmetrics._report.slices import (
    MOST_ROWS,
    NO_GAP,
    Conditions,
    SliceEstimate,
    Slices,
    named,
    slice_estimate,
    together,
)
from fastmetrics.cli._options import parse_metrics
from fastmetrics.errors import InputError
from fastmetrics.inference.samples import request_metrics
from fastmetrics.inference.table_estimates import estimate_from_summary, summarize_runs
from fastmetrics.inference.units import Variance
from fastmetrics.io.reader import as_names
from fastmetrics.metrics.asking import MetricRequest
from fastmetrics.tables.score_runs import LEAST_MEMORY, ScoreRuns

#: Rows of a slice, unless there is another number.
_LEAST_ROWS: Final = 30
#: Values of a column, and runs of scores, at most: each of these may have a file.
_MOST_VALUES: Final = 10_000
_MOST_RUNS: Final = 400
_SLICES: Final = "so many slices: give more"
#: The golden ratio times 2**64, whose multiples mark rows by their numbers.
_WEYL: Final = np.uint64(0x9E3779B97F4A7C15)


class RowsNeededError(Exception):
    """All rows are needed in memory: there are many labels, groups or slices."""


def lack_memory(options: argparse.Namespace, what: str) -> NoReturn:
    """Raise where the memory is too little; if none was given, so that all rows are loaded."""
    if options.memory is None:
        raise RowsNeededError
    raise ValueError(f"--memory {options.memory} is too little for {what}")


def slice_requests(options: argparse.Namespace) -> tuple[MetricRequest, ...]:
    """Return the metrics of slices."""
    return request_metrics(parse_metrics(options.metrics) or AUC, None, None)


def _marks(start: int, n: int) -> NDArray[np.uint64]:
    """Return a number for each row from ``start`` on; equal sums tell equal rows."""
    marks = (np.arange(start, start + n, dtype=np.uint64) + np.uint64(1)) * _WEYL
    marks ^= marks >> np.uint64(32)
    marks *= _WEYL
    marks ^= marks >> np.uint64(29)
    return marks


class SliceCounts:
    """Counts the rows of each value of columns, with the sum of their marks."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._rows: dict[str, dict[Any, tuple[int, int]]] = {
            name: {} for name in options.slice or ()
        }
        self.n_rows = 0
        #: Slices of enough rows; names of smaller ones, and of those that have another one's rows.
        self.slices: list[Cut] = []
        self.small: list[str] = []
        self.same: dict[str, str] = {}

    def add(self, columns: dict[str, NDArray[Any]]) -> None:
        """Count the rows of a batch."""
        for name, rows in self._rows.items():
            values, codes, counts = np.unique(
                columns[name], return_inverse=True, return_counts=True
            )
            order = np.argsort(codes, kind="stable")
            marks = _marks(self.n_rows, len(codes))[order]
            sums = np.add.reduceat(marks, np.cumsum(counts) - counts)
            each = zip(values.tolist(), counts.tolist(), sums.tolist(), strict=True)
            for value, count, mark in each:
                n, before = rows.get(value, (0, 0))
                rows[value] = n + count, (before + mark) % 2**64
            if len(rows) > _MOST_VALUES:
                lack_memory(self._options, _SLICES)
        self.n_rows += len(codes)

    def cut(self, names: Mapping[str, NDArray[Any]]) -> None:
        """Find the slices of enough rows; ``names`` has the texts of columns."""
        options = self._options
        min_n = _LEAST_ROWS if options.min_n is None else options.min_n
        check_integer("min_n", min_n, low=1)
        seen: dict[tuple[int, int], str] = {}
        for column, rows in self._rows.items():
            values = np.array(list(rows))
            labels = check_class_labels(
                names[column][values] if len(names[column]) else as_names(values)
            )
            for code in np.argsort(labels.codes).tolist():
                value = np.asarray(labels.classes).tolist()[labels.codes[code]]
                conditions = ((column, value),)
                name = named(conditions)
                count = rows[values[code].item()]
                if count[0] < min_n:
                    self.small.append(name)
                elif seen.setdefault(count, name) != name:
                    self.same[name] = seen[count]
                else:
                    self.slices.append(Cut(conditions, column, values[code].item(), count[0]))
        if not self.slices:
            raise InputError(f"no slice has {min_n} rows: {', '.join(self.small[:5])}")


class Cut(NamedTuple):
    """A slice: the rows in which a column has this value, as the files or codes have it."""

    conditions: Conditions
    column: str
    value: Any
    n_rows: int


class SlicedRuns:
    """The runs of scores of each slice, model by model; of each column the other rows too."""

    def __init__(self, options: argparse.Namespace, counts: SliceCounts, memory: int) -> None:
        self._options = options
        self._counts = counts
        columns = {cut.column for cut in counts.slices}
        self._keys = [*range(len(counts.slices)), *columns]
        n_runs = (len(self._keys) + 1) * len(options.score)
        self._memory = memory // n_runs
        if self._memory < LEAST_MEMORY or n_runs > _MOST_RUNS:
            lack_memory(options, _SLICES)
        self._numbers = {
            column: {cut.value: k for k, cut in enumerate(counts.slices) if cut.column == column}
            for column in columns
        }
        self.clear()

    def _new(self) -> ScoreRuns:
        return ScoreRuns(self._memory, self._options.spill_dir or tempfile.gettempdir())

    def clear(self) -> None:
        """Forget all rows."""
        self._runs = {
            (key, name): self._new() for key in self._keys for name in self._options.score
        }

    def add(self, labels: NDArray[np.bool_], columns: dict[str, NDArray[Any]]) -> None:
        """Take the rows of a batch."""
        for column, numbers in self._numbers.items():
            values, codes = np.unique(columns[column], return_inverse=True)
            order = np.argsort(codes, kind="stable")
            ends = np.cumsum(np.bincount(codes, minlength=len(values)))[:-1]
            for value, rows in zip(values.tolist(), np.split(order, ends), strict=True):
                key = numbers.get(value, column)
                for name in self._options.score:
                    self._runs[key, name].update(labels[rows], columns[name][rows])

    def _outside(self, number: int, name: str) -> ScoreRuns:
        """Return the rows of other values of the column of a slice."""
        column = self._counts.slices[number].column
        outside = self._new()
        for key in [*self._numbers[column].values(), column]:
            if key != number:
                outside.merge(self._runs[key, name])
        return outside

    def estimate(self) -> Slices:
        """Return the metrics of each slice, and how far they are from those of other rows."""
        options = self._options
        n_slices = len(self._counts.slices)
        level = options.confidence_level ** (1.0 / n_slices)
        has_rest = n_slices * self._counts.n_rows <= MOST_ROWS
        requests = slice_requests(options)
        rows: dict[tuple[str, str], list[SliceEstimate]] = {
            (one.label, name): [] for one in requests for name in options.score
        }
        for number, cut in enumerate(self._counts.slices):
            for name in options.score:
                inside = summarize_runs(self._runs[number, name])
                outside = summarize_runs(self._outside(number, name)) if has_rest else None
                for one in requests:
                    here = estimate_from_summary(one, inside, level)
                    gap = NO_GAP
                    if outside is not None and outside.n_positive + outside.n_negative:
                        there = estimate_from_summary(one, outside, level)
                        errors = [Variance(x.standard_error**2, x.df) for x in (here, there)]
                        gap = here.estimate - there.estimate, together(*errors)
                    row = slice_estimate(one, name, cut.conditions, here, gap)
                    rows[one.label, name].append(row)
        return Slices(
            rows=tuple(row for each in rows.values() for row in each),
            confidence_level=options.confidence_level,
            n_slices=n_slices,
            left_out=tuple(self._counts.small),
            same=self._counts.same,
            shared=(),
        )
