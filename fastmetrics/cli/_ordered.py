"""``fastmetrics evaluate`` with groups, importances or costs: rows in the order of their scores.

Rows are read once, with what belongs to them, into sorted runs in memory and on disk.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import WeightsAre
from fastmetrics._input.scores import check_costs, check_weights
from fastmetrics._report.evaluation_result import ModelEvaluation
from fastmetrics._report.row_evaluation import evaluate_one_class, evaluate_rows, with_costs
from fastmetrics._report.score_evaluation import EvaluateOptions
from fastmetrics.cli import _bounded
from fastmetrics.cli._bounded import (
    Evaluated,
    RowsNeededError,
    RowTaker,
    compare_products,
    for_reading,
    kept_rows,
    memory_in_all,
    product_sums,
)
from fastmetrics.cli._options import number_of
from fastmetrics.cli._session import in_words, names_here, read_rows
from fastmetrics.errors import InputError
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate import PairOptions
from fastmetrics.inference.ordered.row_costs import RowCosts
from fastmetrics.inference.ordered.row_sums import RowTotals, ScoredRows
from fastmetrics.inference.range_summary import Lookup
from fastmetrics.io._session import require_duckdb
from fastmetrics.io.reader import FileColumns, Sink
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
    """Return whether rows have weights, groups or costs, which are kept with their scores."""
    return bool(options.groups) or _has_importances(options) or _has_costs(options)


def _has_importances(options: argparse.Namespace) -> bool:
    return bool(options.weight) and options.weights_are != "frequencies"


def _has_costs(options: argparse.Namespace) -> bool:
    return options.cost_fn is not None or options.cost_fp is not None


def reason_to_load(options: argparse.Namespace) -> str:
    """Return which option needs all rows in memory; or nothing."""
    return _bounded.reason_to_load(options, ("groups", "weight", "cost_fn", "cost_fp"))


def evaluate_ordered(
    options: argparse.Namespace,
    evaluate_kept: Callable[[FileColumns], Evaluated],
    evaluate_plain: Callable[[argparse.Namespace], Evaluated],
) -> Evaluated:
    """Read the files in bounded memory; return the evaluation, warnings and columns.

    ``evaluate_kept`` evaluates the columns of all rows if these are few; ``evaluate_plain`` reads
    and evaluates rows that count alike, without costs.
    """
    names = names_here(options)
    with in_words(names):
        total = memory_in_all(options)
        prices = _prices(options)
    require_duckdb()
    each = _bounded.memory_of_rows(total, options)
    for_models = each * len(options.score)
    for_groups = int(for_models * _GROUPS) if options.groups else 0
    taker = _OrderTaker(
        options, prices, (for_models - for_groups) // len(options.score), for_groups
    )
    sink = {"into": taker.start, "keep": kept_rows(each), "memory": for_reading(total)}
    columns = [*options.score, *(name for name in taker.priced if name not in options.score)]
    with in_words(names) as texts:
        read = read_rows(options, options.label, columns, coded=[options.groups], **sink)
        if len(read.scores[options.score[0]]) == read.n_rows:
            return evaluate_kept(read)
        taker.check_labels()
        taker.check_all(read.n_rows)
        taker.check_classes(*taker.totals.sizes, taker.spilled_bytes)
        level = options.confidence_level
        models = taker.rows() if all(taker.totals.sizes) else {}
        costs = [taker.costs(rows).cheapest(level) for rows in models.values() if prices]
        if not models:
            evaluation = evaluate_one_class(options.score, taker.totals, level)
        elif options.groups or _has_importances(options):
            more: dict[str, Any] = {"are_probabilities": taker.are_probabilities}
            if len(models) > 1 and not options.groups:
                more |= {"n_cells": _bounded.CELLS}
                more["compare"] = partial(_compare, options, taker.totals, for_reading(total))
            evaluation = evaluate_rows(models, level, **more)
        else:
            del taker, models, sink
            without = argparse.Namespace(**{**vars(options), "cost_fn": None, "cost_fp": None})
            evaluation, others, read = evaluate_plain(without)
            texts += others
        if costs:
            evaluation = with_costs(evaluation, costs)
    return evaluation, texts, read


def _compare(
    options: argparse.Namespace,
    totals: RowTotals,
    memory: int,
    models: list[ModelEvaluation],
    lookups: list[Lookup],
    chosen: PairOptions,
) -> dict[str, Comparison]:
    """Compare models of rows with importances by one more reading of the files."""
    given = totals.units(False), totals.units(True)
    sums = product_sums(options, totals.rows.tolist(), lookups, chosen.pairs, memory, given)
    return compare_products(models, sums, chosen)


def _prices(options: argparse.Namespace) -> dict[str, int | float | None]:
    """Return the costs that are numbers, None for a column of them; or raise."""
    given = {name: getattr(options, name) for name in ("cost_fn", "cost_fp")}
    numbers = {name: None if each is None else number_of(each) for name, each in given.items()}
    fn, fp = (1 if given[name] and each is None else each for name, each in numbers.items())
    EvaluateOptions(cost_fn=fn, cost_fp=fp).checked(len(options.score))
    return {} if fn is None else numbers


class _OrderTaker(RowTaker):
    """Takes batches of rows with weights, groups and costs, and sorts them by each model's score.

    ``prices`` are costs by their names, None where a column has them.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        prices: dict[str, int | float | None],
        memory: int,
        for_groups: int,
    ) -> None:
        super().__init__(options, memory)
        self._prices = prices
        by_row = [getattr(options, name) for name, each in prices.items() if each is None]
        #: The columns of costs.
        self.priced: list[str] = [*dict.fromkeys(by_row)]
        of_group = _OF_GROUP + _OF_GROUP_AND_MODEL * len(options.score)
        self._most_groups = for_groups // of_group

    def start(self, *_: object) -> Sink:
        """Forget all rows, and return the function that takes new ones."""
        options = self.options
        self.seen = None
        self.n_rows = 0
        read: WeightsAre | None = options.weights_are or "importances" if options.weight else None
        self.totals = RowTotals(read)
        self._codes = GroupCodes()
        self._largest = 0.0
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
        others: list[NDArray[Any]] = []
        if options.groups:
            others.append(self._codes.encode(columns[options.groups][kept]))
            self._check_groups()
        if self._prices:
            costs = self._costs(columns, kept, positive)
            self._largest = max(self._largest, float(costs.max(initial=0.0)))
            if self.priced:
                others.append(costs)
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
            if self.options.memory is None:
                raise RowsNeededError
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

    @property
    def spilled_bytes(self) -> int:
        """Bytes of all rows on disk."""
        return sum(rows.spilled_bytes for rows in self._rows.values())

    def check_all(self, n_rows: int) -> None:
        """Raise where no row counts."""
        if not any(self.totals.sizes):
            raise InputError(
                f"`sample_weight` must not be all zero: {n_rows:,} rows, no positive weight"
            )
        self.totals.n_groups = self._codes.n_groups

    def _costs(
        self, columns: dict[str, NDArray[Any]], kept: Any, positive: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the cost of the mistake that each row's class allows."""
        values = []
        for name, number in self._prices.items():
            column = columns[getattr(self.options, name)] if number is None else number
            values.append(check_costs(name, column))
        missed, alarm = (each[kept] if isinstance(each, np.ndarray) else each for each in values)
        return np.where(positive, missed, alarm).astype(np.float64)

    @property
    def are_probabilities(self) -> bool:
        """True if the scores of all models may be probabilities."""
        return self._are_floats and all(
            low >= 0.0 and high <= 1.0 and has_inner
            for low, high, has_inner in self._spans.values()
        )

    def rows(self) -> dict[str, ScoredRows]:
        """Return the rows of each model; no more can be taken."""
        del self._codes
        has_costs = bool(self.priced)
        return {
            name: ScoredRows(rows, self.totals, has_costs=has_costs)
            for name, rows in self._rows.items()
        }

    def costs(self, rows: ScoredRows) -> RowCosts:
        """Sum up what thresholds of a model cost."""
        fn, fp = self._prices.values()
        by_class = None if fn is None or fp is None else (float(fn), float(fp))
        return RowCosts(rows, by_class, self._largest)
