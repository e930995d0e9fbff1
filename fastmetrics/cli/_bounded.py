"""``fastmetrics evaluate`` of files of any size, in bounded memory.

A few rows are kept and evaluated as `evaluate` does. More are sorted in runs, in memory and on
disk, for sums over ranges of scores: rows that count alike as numbers of scores, others with their
weights, groups and costs. Several models are read twice: how far a row moves each is known once all
rows have been counted.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import distinct, encode_labels
from fastmetrics._input.rows import model_pairs
from fastmetrics._input.scalars import WeightsAre, check_confidence_level, check_memory_size
from fastmetrics._input.scores import check_costs, check_weights
from fastmetrics._report.evaluation_result import (
    LIMITED,
    SMOOTH,
    Evaluation,
    ModelEvaluation,
    get_estimates,
)
from fastmetrics._report.score_evaluation import (
    MEAN_ERROR,
    EvaluateOptions,
    evaluate_tables,
    has_losses,
    named_metrics,
    said_in_notes,
)
from fastmetrics._threads.workers import at_most, thread_count
from fastmetrics.cli._options import first_option, number_of, parse_metrics
from fastmetrics.cli._session import in_words, labels_of, names_here, progress_bar, read_rows
from fastmetrics.cli._sliced import (
    RowsNeededError,
    SliceCounts,
    SlicedRuns,
    lack_memory,
    slice_requests,
)
from fastmetrics.errors import InputError
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate import PairOptions, compare_by_sums, compare_models
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import join_models
from fastmetrics.inference.ordered_rows import RowCosts, RowTotals, ScoredRows
from fastmetrics.inference.range_summary import Lookup, ProductSums, RangeSummary
from fastmetrics.inference.samples import request_metrics
from fastmetrics.inference.table_estimates import (
    DecisionCounts,
    estimate_from_summary,
    ranges_have,
    summarize_runs,
)
from fastmetrics.inference.threshold_cost import ThresholdCostInterval
from fastmetrics.inference.units import Units
from fastmetrics.io._session import require_duckdb
from fastmetrics.io.reader import FileColumns, Sink, TextColumn
from fastmetrics.metrics.asking import MetricRequest, ask
from fastmetrics.metrics.registry import LOSSES, OF_RANGES
from fastmetrics.tables.row_runs import GroupCodes, RowRuns
from fastmetrics.tables.score_runs import LEAST_MEMORY, ScoreRuns
from fastmetrics.tables.score_table import is_called_positive

#: Options that need all rows at once.
_OF_ROWS: Final = ("bootstrap", "guarantee", "method", "stratified", "seed")
#: Options of rows that count alike.
_OF_COUNTS: Final = ("metrics", "threshold", "slice")
_WHY: Final = "needs all rows in memory: leave out --memory, or take fewer rows with --where"
#: Models at most whose decisions are counted together.
_DECIDING: Final = 8
#: So many rows are kept, and evaluated as in memory; fewer if they take too much of it.
_KEPT_ROWS: Final = 1 << 18
_OF_KEPT: Final = 128
#: Folders of control groups, of both versions, with the files of the limit and of the usage, and
#: what of that is files, which give way; memory that is free where no system tells.
_GROUPS: Final = (
    ("/sys/fs/cgroup", "memory.max", "memory.current"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
)
_CACHED: Final = "inactive_file"
_UNKNOWN: Final = 4 * 10**9
#: Fraction 1/k of the free memory that is taken where no size is given.
_OF_FREE: Final = 2
#: Memory of reading beside the rows: the divisor of all memory, and the least number of bytes.
_READING: Final = 5, 64 * 10**6
#: Memory of the program itself: all that is loaded, kernels as they are compiled, batches of rows.
#: A constant, so that what is enough once is always enough.
_PROGRAM: Final = 290 * 10**6
#: Memory for the rows of a model at least, and of that for each thread, which has heaps of its own.
_LEAST: Final = 20 * 10**6
_OF_THREAD: Final = 32 * 10**6
#: Cells of scores by which rows of several models are looked up, of 40 bytes each: fewer than
#: `MOST_BINS`, however many ranges of scores add one.
CELLS: Final = 3 << 14
#: Bytes of a group and its name at most; and for each model. Part of the memory for groups, where
#: there are some.
_OF_GROUP: Final = 450
_OF_GROUP_AND_MODEL: Final = 100
_FOR_GROUPS: Final = 2 / 3
#: Weights whose cubes and sums stay in the range of doubles.
_LIGHTEST: Final = 2.0**-300
_HEAVIEST: Final = 2.0**300


Columns = dict[str, NDArray[Any]]
#: An evaluation, the warnings of it, and the columns read.
Evaluated = tuple[Evaluation, list[tuple[type[Warning], str]], FileColumns]


def _are_importances(options: argparse.Namespace) -> bool:
    return bool(options.weight) and options.weights_are != "frequencies"


def _are_ordered(options: argparse.Namespace) -> bool:
    """Return whether rows have importances, groups or costs, which are kept with their scores."""
    costs = options.cost_fn, options.cost_fp
    return bool(options.groups) or _are_importances(options) or costs != (None, None)


def reason_to_load(options: argparse.Namespace) -> str:
    """Return which option needs all rows in memory; or nothing."""
    others = (options.class_score, options.label_score, options.query)
    if options.task not in (None, "binary") or any(others):
        return "--memory is for scores of two classes: leave it out"
    refused = [*_OF_ROWS, *(_OF_COUNTS if _are_ordered(options) else ())]
    refused += ["prevalence"] if options.cost_fn is None else []
    if name := first_option(options, refused):
        return f"{name} {_WHY}"
    if options.slice and (options.weight or (options.intersections or 1) > 1):
        return f"--slice with --weight or --intersections {_WHY}"
    return _metrics_to_load(options)


def _metrics_to_load(options: argparse.Namespace) -> str:
    """Return which of the requested metrics needs all rows in memory; or nothing."""
    if options.metrics is None:
        return "" if options.threshold is None else f"--threshold {_WHY}"
    several = len(options.score) > 1
    try:
        requests = _requests(options)
        if options.slice and not all(one.is_of_bins for one in slice_requests(options)):
            return f"--metrics with --slice {_WHY}, but for the AUC, its kin and average precision"
    except (InputError, ValueError):  # is told where rows are loaded
        return f"--metrics {_WHY}"
    for one in requests:
        if one.entry.needs == "labels":
            can = options.threshold is not None and len(options.score) <= _DECIDING
        else:
            can = one.name in OF_RANGES if several else ranges_have(one)
        if not can or (one.parameters and one.entry.needs != "labels"):
            return f"--metrics {one.label} {_WHY}"
    return ""


def _requests(options: argparse.Namespace) -> tuple[MetricRequest, ...]:
    """Return the requested metrics beside those that there always are."""
    named = named_metrics(parse_metrics(options.metrics))
    return request_metrics(named, None, None) if named else ()


def evaluate_streamed(
    options: argparse.Namespace, evaluate_kept: Callable[[FileColumns], Evaluated]
) -> Evaluated:
    """Read the files in bounded memory; return the evaluation, warnings and columns.

    ``evaluate_kept`` evaluates the columns of all rows if these are few.
    """
    names = names_here(options)
    with in_words(names):
        check_confidence_level(options.confidence_level)
        total = memory_in_all(options)
        if options.spill_dir is not None:  # or it raises once there are many rows
            ScoreRuns(LEAST_MEMORY, options.spill_dir)
        each = memory_of_rows(total, options)
        taker = (OrderTaker if _are_ordered(options) else RowTaker)(options, each)
    require_duckdb()
    most = max(each * len(options.score) // _OF_THREAD, 1)
    with at_most(min(thread_count(), most)), in_words(names) as texts:
        sink = {"into": taker.start, "keep": min(_KEPT_ROWS, each // _OF_KEPT)}
        sink |= {"named": options.slice or (), "coded": [options.groups]}
        sink |= {"memory": for_reading(total)}
        columns = read_rows(options, options.label, taker.columns, **sink)
        if len(columns.scores[options.score[0]]) == columns.n_rows:
            return evaluate_kept(columns)
        taker.check(columns.n_rows)
        evaluation, lookups = _evaluate(options, taker)
        if len(options.score) > 1 and not options.groups:
            comparisons = _comparisons(options, taker, [*evaluation], lookups, total)
            evaluation = replace(evaluation, comparisons=comparisons)
        if options.slice:
            taker.slices.cut(columns.named)
            runs = SlicedRuns(options, taker.slices, each * len(options.score))
            _read_again(options, runs.clear, runs.add, total, options.slice)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of slices without an interval
                evaluation = replace(evaluation, slices=runs.estimate())
    return evaluation, texts, columns


def _evaluate(options: argparse.Namespace, taker: RowTaker) -> tuple[Evaluation, list[Lookup]]:
    """Evaluate each model, by the requested metrics too; return lookups of several as well.

    The rows are gone then.
    """
    level = options.confidence_level
    read: WeightsAre | None = None
    if options.weight:
        read = "importances" if _are_importances(options) else "frequencies"
    n_cells = CELLS if len(options.score) > 1 and not options.groups else 0
    are_spilled = any(runs.spilled_bytes for runs in taker.runs.values())
    fit = options.memory is None and not are_spilled  # rows may be loaded instead
    summaries = taker.summarize(n_cells)
    has_both = all(taker.sizes)
    lookups: list[Lookup] = []
    known = None
    pairs: dict[str, Comparison] = {}
    if options.groups or _are_importances(options):
        known, pairs, lookups = estimate_rows(taker.rows, summaries, level, n_cells)
    elif n_cells and all(summary.metrics for summary in summaries.values()):
        lookups = [summary.lookup() for summary in summaries.values()]
    added: dict[str, dict[str, Estimate]] = {name: {} for name in summaries}
    with said_in_notes():
        for one in _requests(options):
            if one.entry.needs == "labels":
                measured = taker.decisions.measure(one)
            for k, (name, summary) in enumerate(summaries.items()):
                if one.entry.needs == "labels":
                    added[name][one.label] = make_estimate(
                        one, measured, k, level, weights_are=read
                    )
                elif summary.n_positive and summary.n_negative:
                    if fit and one.name in LOSSES and one.name not in summary.metrics:
                        raise RowsNeededError  # of scores 0 and 1 there are losses too
                    added[name][one.label] = estimate_from_summary(one, summary, level)
    evaluation = evaluate_tables(summaries, level, read, added, known)
    costs = taker.costs() if isinstance(taker, OrderTaker) and has_both else {}
    models = {model.name: replace(model, costs=costs.get(model.name)) for model in evaluation}
    taker.runs, taker.rows = {}, {}
    comparisons = Comparisons(pairs) if pairs else None
    return replace(evaluation, models=models, comparisons=comparisons), lookups


def estimate_rows(
    rows: Mapping[str, ScoredRows],
    summaries: Mapping[str, RangeSummary],
    level: float,
    n_cells: int = 0,
) -> tuple[dict[str, dict[str, Estimate]], dict[str, Comparison], list[Lookup]]:
    """Estimate metrics of models of the same rows, with groups or importances.

    Returns the estimates of each model, comparisons of several by their groups, and lookups of
    about ``n_cells`` cells.
    """
    names = tuple(rows)
    totals = rows[names[0]].totals
    read = totals.weights_are
    has_both = all(totals.sizes)
    requests = ask([*LIMITED]) if has_both else ()
    if all(map(has_losses, summaries.values())):
        requests += ask([*LOSSES, *([MEAN_ERROR] if has_both else [])])
    measured = [rows[name].measure(summaries[name], requests, n_cells) for name in names]
    estimates: dict[str, dict[str, Estimate]] = {name: {} for name in names}
    pairs: dict[str, Comparison] = {}
    chosen = PairOptions(names, model_pairs(names), None, level, "two-sided")
    with said_in_notes():
        for m, one in enumerate(requests):
            joined = join_models([each[m] for each, _ in measured])
            if m == 0:
                joined.units.warn_small_samples(read)
            if totals.n_groups and len(names) > 1 and one.label in (*SMOOTH, *LOSSES):
                pairs[one.label] = compare_models(one, joined, chosen, read)
            for k, name in enumerate(names):
                estimates[name][one.label] = (
                    pairs[one.label].models[k]
                    if one.label in pairs
                    else make_estimate(one, joined, k, level, weights_are=read)
                )
    return estimates, pairs, [lookup for _, lookup in measured if lookup is not None]


def _read_again(
    options: argparse.Namespace,
    clear: Callable[[], None],
    add: Callable[[NDArray[np.bool_], Columns], None],
    total: int,
    named: Sequence[str] = (),
) -> None:
    """Read the files once more, and add each batch of rows: which are positive, and columns."""

    def take(columns: Columns, texts: tuple[str, ...] | None) -> None:
        add(_labels(options, columns, texts)[1], columns)

    def start(*_: object) -> Sink:
        clear()
        return take

    more: dict[str, Any] = {"into": start, "memory": for_reading(total), "named": named}
    read_rows(options, options.label, options.score, **more)


def memory_in_all(options: argparse.Namespace) -> int:
    """Return the memory that the program may take."""
    if options.memory is None:
        return free_memory() // _OF_FREE
    return check_memory_size("memory", options.memory, low=0)


def free_memory() -> int:
    """Return the memory that is free, by the system and the control group of the process."""
    free = []
    with suppress(OSError, KeyError):
        free.append(1024 * _numbers("/proc/meminfo")["MemAvailable"])
    for folder, limit, usage in _GROUPS:
        with suppress(OSError, KeyError, ValueError):
            used = int(Path(folder, usage).read_text()) - _numbers(f"{folder}/memory.stat")[_CACHED]
            free.append(int(Path(folder, limit).read_text()) - used)
    return min(free, default=_UNKNOWN)


def _numbers(path: str) -> dict[str, int]:
    """Return the numbers of a file of the system, one a line behind its name."""
    lines = [line.split() for line in Path(path).read_text().splitlines()]
    return {line[0].rstrip(":"): int(line[1]) for line in lines}


def memory_of_rows(total: int, options: argparse.Namespace) -> int:
    """Return the memory of each model's rows, of that which reading leaves to the program."""
    n_models = len(options.score)
    each = (total - for_reading(total) - _PROGRAM) // n_models
    if options.memory is None:
        return max(each, _LEAST)
    if each < _LEAST:
        divisor = _READING[0]
        least = (_PROGRAM + _LEAST * n_models) * divisor // (divisor - 1)
        raise ValueError(
            f"--memory {options.memory} is too little for {n_models:,} "
            f"{'model' if n_models == 1 else 'models'}: give at least {-(-least // 10**6):,} MB"
        )
    return each


def for_reading(total: int) -> int:
    """Return the memory of reading, of that which the program may take."""
    return max(total // _READING[0], _READING[1])


def _labels(
    options: argparse.Namespace, columns: Columns, texts: tuple[str, ...] | None
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the labels of a batch, and which of them are positive."""
    labels_read: NDArray[Any] | TextColumn = columns[options.label]
    if texts is not None:
        labels_read = TextColumn(columns[options.label], texts)
    labels, pos_label = labels_of(labels_read, options.label, options.pos_label)
    return labels, labels == (1 if pos_label is None else pos_label)


class RowTaker:
    """Takes batches of rows: labels as they are in the files, the scores of each model."""

    def __init__(self, options: argparse.Namespace, memory: int) -> None:
        self.options = options
        self.memory = memory
        #: The columns of numbers to be read.
        self.columns: list[str] = options.score
        #: The rows of each model; and, if they have more than scores, in their order.
        self.runs: dict[str, Any] = {}
        self.rows: dict[str, ScoredRows] = {}

    def start(self, columns: Columns, texts: tuple[str, ...] | None) -> Sink | None:
        """Forget all rows; return the function that takes new ones, if there are two labels."""
        may_load = texts is None and self.options.memory is None
        if may_load and len(distinct(columns[self.options.label])) > 2:
            return None
        self.clear()
        return self.take

    def clear(self) -> None:
        """Forget all rows."""
        self.seen: NDArray[Any] | None = None
        self.n_rows = 0
        with in_words(names_here(self.options)):
            folder = self.options.spill_dir or tempfile.gettempdir()
            self.runs = {name: self.new_runs(folder) for name in self.options.score}
        self.slices = SliceCounts(self.options)
        self.decisions = DecisionCounts(
            0 if self.options.threshold is None else len(self.options.score)
        )

    def new_runs(self, folder: str) -> Any:
        """Return an empty store of a model's rows."""
        return ScoreRuns(self.memory, folder)

    def take(self, columns: Columns, texts: tuple[str, ...] | None) -> None:
        """Take the rows of a batch."""
        labels, is_positive = _labels(self.options, columns, texts)
        if texts is None:
            self._see(labels)
        weights = columns[self.options.weight] if self.options.weight else None
        try:
            self.add(is_positive, columns, weights)
        except InputError as error:  # of a weight, in this batch
            raise type(error)(f"{error}, of the rows from {self.n_rows:,} on") from error
        self.n_rows += len(is_positive)

    def add(
        self, is_positive: NDArray[np.bool_], columns: Columns, weights: NDArray[Any] | None
    ) -> None:
        """Add rows, of which some may have no weight."""
        if weights is not None and not weights.any():
            return
        for name, runs in self.runs.items():
            runs.update(is_positive, columns[name], weights)
        if (threshold := self.options.threshold) is not None:
            scores = [columns[name] for name in self.options.score]
            decisions = [is_called_positive(each, threshold) for each in scores]
            self.decisions.add(is_positive, decisions, weights)
        if self.options.slice:
            self.slices.add(columns)

    def _see(self, labels: NDArray[Any]) -> None:
        seen = labels[:0] if self.seen is None else self.seen
        if sum(np.count_nonzero(labels == each) for each in seen) < len(labels):
            self.seen = distinct(np.concatenate([seen, distinct(labels)]))
            if len(self.seen) > 2:
                if self.options.memory is None:
                    raise RowsNeededError
                self._check_labels()

    def _check_labels(self) -> None:
        if self.seen is not None:
            _, pos_label = labels_of(self.seen, self.options.label, self.options.pos_label)
            with in_words(names_here(self.options), self.seen, self.options.label):
                encode_labels(self.seen, pos_label, "strict", defer=False)

    @property
    def sizes(self) -> tuple[float, float]:
        """Positives and negatives."""
        runs = next(iter(self.runs.values()))
        return runs.n_positive, runs.n_negative

    def check(self, n_rows: int) -> None:
        """Raise unless labels are of two classes, one of them positive, and some rows count."""
        self._check_labels()
        if not any(self.sizes):
            raise InputError(
                f"`sample_weight` must not be all zero: {n_rows:,} rows, no positive weight"
            )

    def summarize(self, n_cells: int) -> dict[str, RangeSummary]:
        """Return the summary of each model, with about ``n_cells`` cells for its lookup."""
        summaries: dict[str, RangeSummary] = {}
        for position, name in enumerate(self.options.score):
            with progress_bar("evaluating") as progress:

                def move(done: float, at: int = position, show: Any = progress) -> None:
                    if show is not None:
                        show((at + done) / len(self.options.score), self.n_rows)

                summaries[name] = summarize_runs(self.runs[name], progress=move, n_cells=n_cells)
        return summaries


class OrderTaker(RowTaker):
    """Takes batches of rows with weights, groups and costs, and sorts them by each model's score.

    Costs are checked before rows are read.
    """

    def __init__(self, options: argparse.Namespace, memory: int) -> None:
        n_models = len(options.score)
        for_groups = int(memory * n_models * _FOR_GROUPS) if options.groups else 0
        super().__init__(options, memory - for_groups // n_models)
        given = {name: getattr(options, name) for name in ("cost_fn", "cost_fp")}
        by_row = {n: text for n, text in given.items() if text and number_of(text) is None}
        #: Costs that are numbers, None for a column of them.
        self._prices = {name: number_of(text) for name, text in given.items() if text is not None}
        checked: dict[str, Any] = self._prices | dict.fromkeys(by_row, 1)
        EvaluateOptions(**checked, prevalence=options.prevalence).checked(n_models)
        self.columns = [*dict.fromkeys([*options.score, *by_row.values()])]
        self._most_groups = for_groups // (_OF_GROUP + _OF_GROUP_AND_MODEL * n_models)

    def clear(self) -> None:
        """Forget all rows."""
        super().clear()
        read: WeightsAre | None = None
        if self.options.weight:
            read = self.options.weights_are or "importances"
        self.totals = RowTotals(read)
        self._codes = GroupCodes()
        self._largest = 0.0

    def new_runs(self, folder: str) -> RowRuns:
        """Return an empty store of a model's rows."""
        return RowRuns(self.memory, folder)

    def add(
        self, is_positive: NDArray[np.bool_], columns: Columns, weights: NDArray[Any] | None
    ) -> None:
        """Add rows, of which some may have no weight."""
        kept: Any = slice(None)
        signed: NDArray[Any] = np.where(is_positive, np.int8(1), np.int8(-1))
        if weights is None:
            weights = np.ones(len(is_positive))
        else:
            weights = self._check_weights(weights)
            kept = weights > 0.0
            is_positive, weights = is_positive[kept], weights[kept]
            signed = np.where(is_positive, weights, -weights)
        others: Columns = {}
        if self.options.groups:
            others["groups"] = self._codes.encode(columns[self.options.groups][kept])
            if (n_groups := self._codes.n_groups) > self._most_groups:
                lack_memory(
                    self.options,
                    f"{n_groups:,} groups and more: their sums stay in memory; give more, or "
                    "fewer groups with --where",
                )
        if self._prices:
            costs = self._row_costs(columns, kept, is_positive)
            self._largest = max(self._largest, float(costs.max(initial=0.0)))
            if None in self._prices.values():
                others["costs"] = costs
        self.totals.add(is_positive, weights)
        if len(weights):
            for name, runs in self.runs.items():
                runs.add(columns[name][kept], signed=signed, **others)

    def _check_weights(self, column: NDArray[Any]) -> NDArray[np.float64]:
        if not column.any():
            return np.zeros(len(column))
        weights = check_weights(column, len(column), weights_are=self.totals.weights_are).values
        if not _LIGHTEST < weights[weights > 0.0].min() <= weights.max() < _HEAVIEST:
            raise InputError(
                f"`sample_weight` must be 0 or lie between {_LIGHTEST:.1g} and {_HEAVIEST:.1g} "
                "where not all rows are in memory"
            )
        self.totals.are_whole &= column.dtype.kind in "iu" or not self.totals.are_importances
        return weights

    def _row_costs(
        self, columns: Columns, kept: Any, is_positive: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the cost of the mistake that each row's class allows."""
        values = []
        for name, number in self._prices.items():
            column = columns[getattr(self.options, name)] if number is None else number
            values.append(check_costs(name, column))
        missed, alarm = (each[kept] if isinstance(each, np.ndarray) else each for each in values)
        return np.where(is_positive, missed, alarm).astype(np.float64)

    @property
    def sizes(self) -> tuple[float, float]:
        """Weights of the positives and of the negatives."""
        return self.totals.sizes

    def summarize(self, n_cells: int) -> dict[str, RangeSummary]:
        """Return the summary of each model; no more rows can be taken."""
        self.totals.n_groups = self._codes.n_groups
        del self._codes
        self.rows = {name: ScoredRows(runs, self.totals) for name, runs in self.runs.items()}
        return {name: rows.summarize(n_cells) for name, rows in self.rows.items()}

    def costs(self) -> dict[str, ThresholdCostInterval]:
        """Return the cheapest threshold of each model, if there are costs."""
        if not self._prices:
            return {}
        fn, fp = self._prices.values()
        by_class = None if fn is None or fp is None else (float(fn), float(fp))
        given = by_class, self._largest, self.options.prevalence
        level = self.options.confidence_level
        return {name: RowCosts(rows, *given).cheapest(level) for name, rows in self.rows.items()}


def _comparisons(
    options: argparse.Namespace,
    taker: RowTaker,
    models: Sequence[ModelEvaluation],
    lookups: list[Lookup],
    total: int,
) -> Comparisons | None:
    """Return how the models differ: ``lookups`` are none where a class is missing."""
    names = tuple(options.score)
    level = options.confidence_level
    chosen = PairOptions(names, model_pairs(names, None), None, level, "two-sided")
    differences: dict[str, Comparison] = {}
    with said_in_notes():
        here = [name for name in OF_RANGES if name in get_estimates(models[0])]
        if lookups and here:
            given = None
            n_rows: Any = models[0].n_negative, models[0].n_positive
            if isinstance(taker, OrderTaker) and taker.totals.are_importances:
                given = taker.totals.units(False), taker.totals.units(True)
                n_rows = taker.totals.rows.tolist()
            sums = _product_sums(options, lookups, chosen.pairs, given, total)
            if sums is None or sums.n_rows.tolist() != [*n_rows]:
                raise ValueError(
                    "the files changed while they were read, which is done twice to compare "
                    "models: read them when nothing is written, or one --score at a time"
                )
            for m, one in enumerate(ask(here[: len(sums.models)])):
                by_model = [get_estimates(model)[one.label] for model in models]
                counts = [None] * len(models)
                differences[one.label] = compare_by_sums(one, m, by_model, sums, chosen, counts)
        for one in _requests(options):
            if one.entry.needs == "labels":
                measured = taker.decisions.measure(one)
                read: WeightsAre | None = "frequencies" if options.weight else None
                differences[one.label] = compare_models(one, measured, chosen, read)
    return Comparisons(differences) if differences else None


def _product_sums(
    options: argparse.Namespace,
    lookups: list[Lookup],
    pairs: list[tuple[int, int]],
    given: tuple[Units, Units] | None,
    total: int,
) -> ProductSums | None:
    """Read the files once more, and return how far rows move both models of each pair."""
    sums: list[ProductSums] = []

    def add(is_positive: NDArray[np.bool_], columns: Columns) -> None:
        weights = None
        scores = [columns[name] for name in options.score]
        if options.weight:
            weights = columns[options.weight]
            has = weights > 0
            is_positive, weights, *scores = (each[has] for each in (is_positive, weights, *scores))
        if len(is_positive):
            more = ProductSums.from_rows(is_positive, weights, scores, lookups, pairs, given)
            sums[:] = [sums[0] + more if sums else more]

    _read_again(options, sums.clear, add, total)
    return sums[0] if sums else None
