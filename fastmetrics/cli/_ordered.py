"""``fastmetrics evaluate --memory`` with groups or importances: rows in the order of their scores.

Rows are read once, with what belongs to them, into sorted runs in memory and on disk.
"""

from __future__ import annotations

import argparse
import tempfile
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import WeightsAre
from fastmetrics._input.scores import check_weights
from fastmetrics._report.row_evaluation import evaluate_one_class, evaluate_rows
from fastmetrics.cli import _bounded
from fastmetrics.cli._bounded import (
    Evaluated,
    RowTaker,
    for_reading,
    memory_in_all,
    reason_to_load,
)
from fastmetrics.cli._session import in_words, names_here, read_rows
from fastmetrics.errors import InputError
from fastmetrics.inference.row_sums import RowSums, RowTotals, ScoredRows
from fastmetrics.io._session import require_duckdb
from fastmetrics.io.reader import Sink
from fastmetrics.tables.row_runs import GroupCodes, RowRuns

#: Bytes of a group and its name at most; and for each model.
_OF_GROUP: Final = 450
_OF_GROUP_AND_MODEL: Final = 100
#: Part of the memory for groups, where there are some.
_GROUPS: Final = 2 / 3
#: Weights whose cubes and sums stay in the range of doubles.
_LIGHTEST: Final = 2.0**-300
_HEAVIEST: Final = 2.0**300


def are_ordered(options: argparse.Namespace) -> bool:
    """Return whether rows have weights or groups, and are kept in the order of their scores."""
    return bool(options.groups or (options.weight and options.weights_are != "frequencies"))


def evaluate_ordered(options: argparse.Namespace) -> Evaluated:
    """Read the files in the memory given; return the evaluation, warnings and columns."""
    if reason := reason_to_load(options, ("groups", "weight")):
        raise ValueError(reason)
    if len(options.score) > 1 and not options.groups:
        raise ValueError(
            "several --score with --weight need all rows in memory, where weights are importances: "
            "leave out --memory, name clusters of rows with --groups, or take one --score at a time"
        )
    names = names_here(options)
    with in_words(names):
        total = memory_in_all(options)
    require_duckdb()
    for_models = _bounded.memory_of_rows(total, options) * len(options.score)
    for_groups = int(for_models * _GROUPS) if options.groups else 0
    taker = _OrderTaker(options, (for_models - for_groups) // len(options.score), for_groups)
    read_options = {"into": taker.start, "memory": for_reading(total), "coded": [options.groups]}
    with in_words(names) as texts:
        columns = read_rows(options, options.label, options.score, **read_options)
        taker.check_labels()
        taker.check_all(columns.n_rows)
        level = options.confidence_level
        if not all(taker.totals.sizes):
            return evaluate_one_class(options.score, taker.totals, level), texts, columns
        evaluation = evaluate_rows(taker.sum_rows(), level)
    return evaluation, texts, columns


class _OrderTaker(RowTaker):
    """Takes batches of rows with weights and groups, and sorts them by the score of each model."""

    def __init__(self, options: argparse.Namespace, memory: int, for_groups: int) -> None:
        super().__init__(options, memory)
        of_group = _OF_GROUP + _OF_GROUP_AND_MODEL * len(options.score)
        self._most_groups = for_groups // of_group

    def start(self, *_: object) -> Sink:
        """Forget all rows, and return what takes those of a new start."""
        options = self.options
        self.seen = None
        self.n_rows = 0
        read: WeightsAre | None = options.weights_are or "importances" if options.weight else None
        self.totals = RowTotals(read)
        self._codes = GroupCodes()
        #: The lowest and the highest score of each model, and whether one is between 0 and 1.
        self._spans: dict[str, tuple[float, float, bool]] = {}
        with in_words(names_here(options)):
            folder = options.spill_dir or tempfile.gettempdir()
            self._rows = {name: RowRuns(self.memory, folder) for name in options.score}
        return self.take

    def take(self, columns: dict[str, NDArray[Any]], texts: tuple[str, ...] | None) -> None:
        """Take the rows of a batch."""
        options = self.options
        positive = self.labels(columns, texts)
        n = len(positive)
        kept: Any = slice(None)
        signed: NDArray[Any] = np.where(positive, np.int8(1), np.int8(-1))
        weights = np.ones(n)
        if options.weight:
            weights = self._weights(columns[options.weight])
            kept = weights > 0.0
            positive, weights = positive[kept], weights[kept]
            signed = np.where(positive, weights, -weights)
        self.n_rows += n
        others = []
        if options.groups:
            others.append(self._codes.encode(columns[options.groups][kept]))
            self._check_groups()
        self.totals.add(positive, weights)
        for name, rows in self._rows.items():
            scores = columns[name][kept]
            if len(scores):
                self._span(name, scores)
                rows.add(scores, signed, *others)

    def _weights(self, column: NDArray[Any]) -> NDArray[np.float64]:
        """Return the weights of a batch, which may all be 0."""
        if not column.any():
            return np.zeros(len(column))
        try:
            weights = check_weights(column, len(column), weights_are=self.totals.weights_are).values
            if not _LIGHTEST < weights[weights > 0.0].min() <= weights.max() < _HEAVIEST:
                raise InputError(
                    f"`sample_weight` must be 0 or lie between {_LIGHTEST:.1g} and "
                    f"{_HEAVIEST:.1g} where not all rows are in memory"
                )
        except InputError as error:
            raise type(error)(f"{error}, of the rows from {self.n_rows:,} on") from error
        self.totals.are_whole &= column.dtype.kind in "iu" or not self.totals.are_importances
        return weights

    def _check_groups(self) -> None:
        if self._codes.n_groups > self._most_groups:
            raise ValueError(
                f"--memory {self.options.memory} is too little for {self._codes.n_groups:,} groups "
                "and more: their sums stay in memory; give more, or fewer groups with --where"
            )

    def _span(self, name: str, scores: NDArray[Any]) -> None:
        """Note the lowest and highest score, and whether one lies between."""
        low, high, has_inner = self._spans.get(name, (np.inf, -np.inf, False))
        has_inner = has_inner or bool(((scores > 0) & (scores < 1)).any())
        self._spans[name] = min(low, scores.min()), max(high, scores.max()), has_inner
        self._are_floats = scores.dtype.kind == "f"

    def check_all(self, n_rows: int) -> None:
        """Raise where no row counts."""
        if not any(self.totals.sizes):
            raise InputError(
                f"`sample_weight` must not be all zero: {n_rows:,} rows, no positive weight"
            )
        self.totals.n_groups = self._codes.n_groups

    def sum_rows(self) -> dict[str, RowSums]:
        """Sum up the rows of each model."""
        del self._codes
        are_probabilities = self._are_floats and all(
            low >= 0.0 and high <= 1.0 and has_inner
            for low, high, has_inner in self._spans.values()
        )
        return {
            name: RowSums(ScoredRows(rows, self.totals), are_probabilities=are_probabilities)
            for name, rows in self._rows.items()
        }
