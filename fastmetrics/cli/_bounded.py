"""``fastmetrics evaluate`` of files of any size, in bounded memory.

A few rows are kept and evaluated as `evaluate` does. More are counted and sorted in runs, for sums
over ranges of scores. Several models are read twice: how far a row moves each is known once all
rows have been counted.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import distinct, encode_labels
from fastmetrics._input.rows import model_pairs
from fastmetrics._input.scalars import WeightsAre, check_confidence_level, check_memory_size
from fastmetrics._report.evaluation_result import Evaluation, ModelEvaluation, get_estimates
from fastmetrics._report.score_evaluation import evaluate_tables, named_metrics, said_in_notes
from fastmetrics._report.slices import Slices
from fastmetrics._threads.workers import at_most, thread_count
from fastmetrics.cli._options import first_option, parse_metrics
from fastmetrics.cli._session import in_words, labels_of, names_here, progress_bar, read_rows
from fastmetrics.cli._sliced import (
    SliceCounts,
    SlicedRuns,
    TooManySlicesError,
    min_rows,
    slice_requests,
)
from fastmetrics.errors import InputError
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate import PairOptions, compare_by_sums, compare_models
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.range_summary import Lookup, ProductSums, RangeSummary, summarize_runs
from fastmetrics.inference.samples import request_metrics
from fastmetrics.inference.table_estimates import (
    DecisionCounts,
    estimate_from_summary,
    ranges_have,
)
from fastmetrics.inference.units import Units
from fastmetrics.io._session import require_duckdb
from fastmetrics.io.reader import FileColumns, Sink, TextColumn
from fastmetrics.metrics.asking import MetricRequest, ask
from fastmetrics.metrics.registry import LOSSES, OF_RANGES
from fastmetrics.tables.score_runs import LEAST_MEMORY, ScoreRuns
from fastmetrics.tables.score_table import is_called_positive

#: Options that need all rows at once.
_OF_ROWS: Final = (
    *("bootstrap", "groups", "cost_fn", "cost_fp", "prevalence", "guarantee", "method"),
    *("stratified", "seed"),
)
#: Options of sums over ranges, which do not know what else belongs to a row.
_OF_SUMS: Final = ("metrics", "threshold", "slice")
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


Columns = dict[str, NDArray[Any]]
#: An evaluation, the warnings of it, and the columns read.
Evaluated = tuple[Evaluation, list[tuple[type[Warning], str]], FileColumns]


class RowsNeededError(Exception):
    """All rows are needed in memory: labels are of one or many classes, or slices are many."""


def reason_to_load(options: argparse.Namespace, allowed: Collection[str] = ()) -> str:
    """Return which option, but for those ``allowed``, needs all rows in memory; or nothing."""
    others = (options.class_score, options.label_score, options.query)
    if options.task not in (None, "binary") or any(others):
        return "--memory is for scores of two classes: leave it out"
    refused = [*_OF_ROWS, *(_OF_SUMS if allowed else ())]
    if name := first_option(options, [each for each in refused if each not in allowed]):
        return f"{name} {_WHY}"
    if "weight" not in allowed and options.weight and options.weights_are != "frequencies":
        return (
            "--weight needs all rows in memory, where weights are importances: leave out --memory, "
            "or say --weights-are frequencies where they are numbers of rows"
        )
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
    require_duckdb()
    each = memory_of_rows(total, options)
    most = max(each * len(options.score) // _OF_THREAD, 1)
    taker = RowTaker(options, each)
    n_cells = CELLS if len(options.score) > 1 else 0
    with at_most(min(thread_count(), most)), in_words(names) as texts:
        sink = {"into": taker.start, "keep": kept_rows(each), "memory": for_reading(total)}
        sink["named"] = options.slice or ()
        columns = read_rows(options, options.label, options.score, **sink)
        if len(columns.scores[options.score[0]]) == columns.n_rows:
            return evaluate_kept(columns)
        taker.check_labels()
        taker.check_weights(columns.n_rows)
        all_runs = [*taker.runs.values()]
        n_spilled = sum(each.spilled_bytes for each in all_runs)
        fit = options.memory is None and not n_spilled
        taker.check_classes(all_runs[0].n_positive, all_runs[0].n_negative, n_spilled)
        del all_runs
        summaries: dict[str, RangeSummary] = {}
        for position, name in enumerate(options.score):
            with progress_bar("evaluating") as progress:

                def move(done: float, at: int = position, show: Any = progress) -> None:
                    if show is not None:
                        show((at + done) / len(options.score), columns.n_rows)

                runs = taker.runs.pop(name)
                summaries[name] = summarize_runs(runs, progress=move, n_cells=n_cells)
            del runs
        evaluation = _evaluate_summaries(options, summaries, taker.decisions, fit=fit)
        lookups = []
        if n_cells and evaluation[0].n_positive and evaluation[0].n_negative:
            lookups = [summary.lookup() for summary in summaries.values()]
        summaries.clear()  # with the rows
        if n_cells:
            comparisons = _comparisons(options, [*evaluation], lookups, taker.decisions, total)
            evaluation = replace(evaluation, comparisons=comparisons)
        if options.slice:
            slices = _slices(options, taker.slices, columns, each * len(options.score), total)
            evaluation = replace(evaluation, slices=slices)
    return evaluation, texts, columns


def _slices(
    options: argparse.Namespace, counts: SliceCounts, columns: FileColumns, memory: int, total: int
) -> Slices:
    """Read the files once more, and return the metrics of each slice."""
    try:
        runs = SlicedRuns(options, counts.cut(dict(columns.named), min_rows(options)), memory)
    except TooManySlicesError:
        _refuse_slices(options)

    def take(columns: Columns, texts: tuple[str, ...] | None) -> None:
        runs.add(_labels(options, columns, texts)[1], columns)

    def start(*_: object) -> Sink:
        runs.clear()
        return take

    more: dict[str, Any] = {"into": start, "memory": for_reading(total), "named": options.slice}
    read_rows(options, options.label, options.score, **more)
    return runs.estimate(columns.n_rows)


def _refuse_slices(options: argparse.Namespace) -> NoReturn:
    """Raise where there is no room for the slices."""
    if options.memory is None:
        raise RowsNeededError
    raise ValueError(f"--memory {options.memory} is too little for so many slices: give more")


def _weights_are(options: argparse.Namespace) -> WeightsAre | None:
    return "frequencies" if options.weight else None


def _evaluate_summaries(
    options: argparse.Namespace,
    summaries: Mapping[str, RangeSummary],
    decisions: DecisionCounts,
    *,
    fit: bool,
) -> Evaluation:
    """Evaluate each model, by the requested metrics too; ``fit``: rows may be loaded instead."""
    level = options.confidence_level
    read = _weights_are(options)
    added: dict[str, dict[str, Estimate]] = {name: {} for name in summaries}
    with said_in_notes():
        for one in _requests(options):
            if one.entry.needs == "labels":
                measured = decisions.measure(one)
            for k, (name, summary) in enumerate(summaries.items()):
                if one.entry.needs == "labels":
                    added[name][one.label] = make_estimate(
                        one, measured, k, level, weights_are=read
                    )
                elif summary.n_positive and summary.n_negative:
                    if fit and one.name in LOSSES and one.name not in summary.metrics:
                        raise RowsNeededError  # of scores 0 and 1 there are losses too
                    added[name][one.label] = estimate_from_summary(one, summary, level)
    return evaluate_tables(summaries, level, read, added)


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


def kept_rows(memory: int) -> int:
    """Return how many rows are kept, and evaluated as in memory."""
    return min(_KEPT_ROWS, memory // _OF_KEPT)


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
        self.runs: dict[str, ScoreRuns] = {}
        self.decisions = DecisionCounts(0)
        self.slices = SliceCounts(())
        self.seen: NDArray[Any] | None = None
        self.n_rows = 0

    def start(self, columns: Columns, texts: tuple[str, ...] | None) -> Sink | None:
        """Forget all rows; return the function that takes new ones, if there are two labels."""
        self.seen = None
        self.runs = {}
        self.n_rows = 0
        if texts is None:
            labels = columns[self.options.label]
            first = labels == labels[0]
            others = labels[~first]
            if len(others) and (others != others[0]).any() and self.options.memory is None:
                return None
        folder = self.options.spill_dir
        if folder is None:
            folder = tempfile.gettempdir()
        with in_words(names_here(self.options)):
            self.runs = {name: ScoreRuns(self.memory, folder) for name in self.options.score}
        self.slices = SliceCounts(self.options.slice or ())
        if self.options.threshold is not None:
            self.decisions = DecisionCounts(len(self.options.score))
        return self.take

    def take(self, columns: Columns, texts: tuple[str, ...] | None) -> None:
        """Take the rows of a batch."""
        is_positive = self.labels(columns, texts)
        weights = columns[self.options.weight] if self.options.weight else None
        before = self.n_rows
        self.n_rows += len(is_positive)
        if weights is not None and not weights.any():
            return
        try:
            for name, runs in self.runs.items():
                runs.update(is_positive, columns[name], weights)
        except InputError as error:  # of a weight, in this batch
            raise type(error)(f"{error}, of the rows from {before:,} on") from error
        threshold = self.options.threshold
        if threshold is not None:
            scores = [columns[name] for name in self.options.score]
            decisions = [is_called_positive(each, threshold) for each in scores]
            self.decisions.add(is_positive, decisions, weights)
        if self.options.slice:
            try:
                self.slices.add(columns)
            except TooManySlicesError:
                _refuse_slices(self.options)

    def labels(self, columns: Columns, texts: tuple[str, ...] | None) -> NDArray[np.bool_]:
        """Return which rows of a batch are positive, and note the labels."""
        labels, is_positive = _labels(self.options, columns, texts)
        if texts is None:
            self._see(labels)
        return is_positive

    def _see(self, labels: NDArray[Any]) -> None:
        seen = labels[:0] if self.seen is None else self.seen
        if sum(np.count_nonzero(labels == each) for each in seen) < len(labels):
            self.seen = distinct(np.concatenate([seen, distinct(labels)]))
            if len(self.seen) > 2:
                if self.options.memory is None:
                    raise RowsNeededError
                self.check_labels()

    def check_classes(self, n_positive: float, n_negative: float, n_spilled: int) -> None:
        """Have rows of one class loaded, whose losses are known, if they fit: none is on disk."""
        has_both = n_positive > 0 and n_negative > 0
        if self.options.memory is None and not has_both and not n_spilled:
            raise RowsNeededError

    def check_labels(self) -> None:
        """Raise unless the labels of all rows are those of two classes, one of them positive."""
        if self.seen is not None:
            _, pos_label = labels_of(self.seen, self.options.label, self.options.pos_label)
            with in_words(names_here(self.options), self.seen, self.options.label):
                encode_labels(self.seen, pos_label, "strict", defer=False)

    def check_weights(self, n_rows: int) -> None:
        """Raise where no row stands for any."""
        if not any(runs.n_positive + runs.n_negative for runs in self.runs.values()):
            raise InputError(
                f"`sample_weight` must not be all zero: {n_rows:,} rows, no positive weight"
            )


def product_sums(
    options: argparse.Namespace,
    n_rows: Sequence[float],
    lookups: list[Lookup],
    pairs: list[tuple[int, int]],
    memory: int,
    given: tuple[Units, Units] | None = None,
) -> ProductSums:
    """Read the files once more, and return how far rows move both models of each pair.

    Raises where there are not ``n_rows`` negatives and positives. ``given`` are the units of all
    rows, if these have importances (`ProductSums`).
    """
    sums: ProductSums | None = None

    def take(columns: Columns, texts: tuple[str, ...] | None) -> None:
        nonlocal sums
        labels = _labels(options, columns, texts)[1]
        weights = None
        scores = [columns[name] for name in options.score]
        if options.weight:
            weights = columns[options.weight]
            has = weights > 0
            labels, weights, *scores = (each[has] for each in (labels, weights, *scores))
        if len(labels):
            more = ProductSums.from_rows(labels, weights, scores, lookups, pairs, given)
            sums = more if sums is None else sums + more

    def start(*_: object) -> Sink:
        nonlocal sums
        sums = None
        return take

    read_rows(options, options.label, options.score, into=start, memory=memory)
    if sums is None or sums.n_rows.tolist() != [*n_rows]:
        raise ValueError(
            "the files changed while they were read, which is done twice to compare models: "
            "read them when nothing is written, or one --score at a time"
        )
    return sums


def compare_products(
    models: Sequence[ModelEvaluation], sums: ProductSums, chosen: PairOptions
) -> dict[str, Comparison]:
    """Compare models by the metrics whose sums of products are there."""
    differences = {}
    for m, one in enumerate(ask(list(OF_RANGES)[: len(sums.models)])):
        by_model = [get_estimates(model)[one.label] for model in models]
        counts = [None] * len(models)
        differences[one.label] = compare_by_sums(one, m, by_model, sums, chosen, counts)
    return differences


def _comparisons(
    options: argparse.Namespace,
    models: Sequence[ModelEvaluation],
    lookups: list[Lookup],
    decisions: DecisionCounts,
    total: int,
) -> Comparisons | None:
    """Return how the models differ: ``lookups`` are none where a class is missing."""
    names = tuple(options.score)
    level = options.confidence_level
    chosen = PairOptions(names, model_pairs(names, None), None, level, "two-sided")
    differences: dict[str, Comparison] = {}
    with said_in_notes():
        if lookups:
            n_rows = models[0].n_negative, models[0].n_positive
            sums = product_sums(options, n_rows, lookups, chosen.pairs, for_reading(total))
            differences |= compare_products(models, sums, chosen)
        read = _weights_are(options)
        for one in _requests(options):
            if one.entry.needs == "labels":
                measured = decisions.measure(one)
                differences[one.label] = compare_models(one, measured, chosen, read)
    return Comparisons(differences) if differences else None
