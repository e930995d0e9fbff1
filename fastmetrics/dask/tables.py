"""Tables of partitions, and what follows from all scores in order, though no task has them all.

Each partition is collapsed to the table of its distinct scores, which its worker keeps. Evenly
spaced scores of all partitions are the splitters of ranges, and the counts of each table in every
range are added up in a tree. The pieces of a range are sent to the one task that merges them.
Results do not depend on the splitters.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import encode_labels
from fastmetrics._input.containers import as_array, by_names, key_names
from fastmetrics._input.rows import BinaryRows, check_same_index
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_integer,
)
from fastmetrics._input.scores import check_weights
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.score_evaluation import evaluate_tables
from fastmetrics._threads.workers import at_most
from fastmetrics.dask._partitions import (
    COLUMNS,
    COUNTED,
    Seen,
    distinct_labels,
    over,
    partition_rows,
    partitions,
    total,
    weighs_nothing,
)
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.range_summary import RangeSummary, summarize_range
from fastmetrics.metrics.curves.precision_recall import NO_POSITIVE
from fastmetrics.metrics.curves.roc_auc import ONE_CLASS
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.pairs import PairCounts, count_pairs, pairs_of_weights
from fastmetrics.tables.score_table import ScoreTable, in_order

#: Distinct scores of a range, about: some 200 MB while its pieces are merged.
RANGE_SCORES: Final = 4_000_000
#: Scores that samples have in all, and of a partition at least and at most.
_SAMPLED: Final = 1 << 20
_FEWEST: Final = 64
_MOST: Final = 1 << 12
_EXACT: Final = 2**53


@documented(COLUMNS)
def score_table(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None
) -> ScoreTable:
    """Return the table of all distinct scores with the counts of both classes.

    Returns
    -------
    ScoreTable
        Here, in memory: 24 bytes a distinct score. All functions of `fastmetrics` take it.

    Notes
    -----
    For scores that repeat (ratings, three decimals). Tables of partitions are added up in a tree,
    and the last task holds the whole table; `roc_auc_score` and `evaluate` hold it nowhere.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([0, 1, 1, 0], chunks=2)
    >>> fmd.score_table(y_true, da.from_array([0.1, 0.8, 0.4, 0.4], chunks=2))
    ScoreTable(3 distinct scores from 0.1 to 0.8, 2 positive, 2 negative)
    """
    chunks = partitions(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    return score_runs(chunks, pos_label).table()


@documented(COLUMNS)
def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    range_scores: int = RANGE_SCORES,
) -> float:
    """Compute the area under the ROC curve, exactly: the double nearest to the ratio of counts.

    Returns
    -------
    float
        nan where a class is missing. The same bits as in memory, whatever the partitions; of
        weights that are no integers up to rounding.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present.

    Notes
    -----
    Each partition keeps the table of its distinct scores, 5 to 16 bytes each. Tables are cut into
    ranges of about `range_scores`, whose pieces are sent to one task each; pairs across ranges
    follow from counts. No task holds all scores, and the caller gets counts.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=3)
    >>> fmd.roc_auc_score(y_true, da.from_array([0.1, 0.4, 0.35, 0.8], chunks=3))
    0.75
    """
    chunks = partitions(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    runs = score_runs(chunks, pos_label, "sorted")
    counts = runs.ranges(range_scores).pairs()
    if not (counts.n_positive > 0 and counts.n_negative > 0):
        warn_user(ONE_CLASS, UndefinedMetricWarning)
        return math.nan
    return float(counts.auc)


@documented(COLUMNS)
def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = 1,
    sample_weight: Any = None,
    range_scores: int = RANGE_SCORES,
) -> float:
    """Compute average precision, the area under the steps of precision over recall.

    Returns
    -------
    float
        The same whatever the partitions, and nearer to the exact number than a sum of doubles in
        memory, whose last digits may differ. 0 without positives.

    Raises
    ------
    ValueError
        For weights of floats: take `score_table`, and the function in memory.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive example.

    Notes
    -----
    As `evaluate`: all scores are sent to the task of their range. Each range returns the sum of its
    precisions as a whole number, and one division is rounded.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=3)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=3)
    >>> round(fmd.average_precision_score(y_true, y_score), 4)
    0.8333
    """
    chunks = partitions(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    runs = score_runs(chunks, pos_label, "average_precision")
    ranges = runs.ranges(range_scores)
    if ranges.counts.dtype.kind == "f":
        raise InputError(
            "`sample_weight` must hold whole numbers here, of an integer dtype: others take "
            "`fastmetrics.average_precision_score` of `fastmetrics.dask.score_table(...)`"
        )
    if not ranges.totals[0] > 0:
        warn_user(NO_POSITIVE, UndefinedMetricWarning)
        return 0.0
    return ranges.summary().value("average_precision")


@documented(COUNTED, COLUMNS)
def evaluate(
    y_true: Any,
    scores: Any,
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    confidence_level: float = 0.95,
    range_scores: int = RANGE_SCORES,
) -> Evaluation:
    """Evaluate the scores of one or several models against the labels, from sorted ranges.

    Parameters
    ----------
    scores : Dask column, mapping of str to Dask column, or Dask dataframe
        The scores of one model, which is called "score"; or of several by name, of a dataframe one
        a column.
    confidence_level : float, default=0.95
        Of the interval of the AUC, which is that of `fastmetrics.evaluate`.

    Returns
    -------
    Evaluation
        As `fastmetrics.evaluate` returns it, the same bits for any partitions; the average
        precision is rounded once, and may differ from that in memory in its last digits, as may
        the Brier score and the log loss, which it has where all scores lie in [0, 1].

    Raises
    ------
    ValueError
        For importances.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present.

    Notes
    -----
    As `roc_auc_score`: an evaluation is a sum over ranges of whole numbers and moments. Models are
    evaluated one after the other. `estimate` has intervals of other metrics.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([1, 0, 1, 1, 0, 0, 1, 0], chunks=3)
    >>> y_score = da.from_array([0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15], chunks=3)
    >>> fmd.evaluate(y_true, {"a": y_score})
    Evaluation(a: roc_auc=0.65625)
    """
    level = check_confidence_level(confidence_level)
    summaries = {}
    for name, column in model_columns(scores).items():
        given = {"y_true": y_true, "y_score": column}
        read = check_counted(given, sample_weight, weights_are, "evaluate(y_true, scores")
        runs = score_runs(partitions(**given), pos_label, weights_are=read)
        summaries[name] = runs.ranges(range_scores).summary()
    return evaluate_tables(summaries, level, read)


def merged_matrix(chunks: Sequence[Delayed], weights_are: WeightsAre | None) -> ConfusionMatrix:
    """Return the confusion matrix of the labels of all partitions."""
    matrix: ConfusionMatrix = total(over(chunks, _matrix_of_rows, weights_are))
    if not matrix.counts.any():
        raise InputError("`y_true` has no row, or none that weighs anything, in any partition")
    return matrix


def _matrix_of_rows(columns: tuple[Any, ...], weights_are: WeightsAre | None) -> ConfusionMatrix:
    y_true, y_pred, weights = (*columns, None)[:3]
    check_same_index(y_true=y_true, y_pred=y_pred, sample_weight=weights)
    matrix = ConfusionMatrix()
    n = len(as_array(y_true, "y_true"))
    if n == 0 or weighs_nothing(weights, n):
        return matrix
    if weights is not None:
        checked = check_weights(weights, n, weights_are=weights_are)
        weights = checked.values.astype(np.int64)
    matrix.update(y_true, y_pred, weights)
    return matrix


# --- tables of partitions ------------------------------------------------------------------------


class ScoreRun(NamedTuple):
    """The columns of a `ScoreTable`, counts in as few bytes as hold them: it is sent, and kept."""

    scores: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]

    def __add__(self, other: tuple[Any, ...]) -> ScoreRun:
        """Return the run of the rows of both."""
        return _run_of_table(_merge([self, ScoreRun(*other)]))


def _run_of_table(table: ScoreTable) -> ScoreRun:
    """Return the run of a table, counts in a small dtype; uint64 and int64 would make float64."""
    narrow = []
    for counts in (table.positives, table.negatives):
        most = int(counts.max()) if len(counts) and counts.dtype.kind != "f" else 2**32
        narrow.append(counts if most >= 2**32 else counts.astype(np.min_scalar_type(most)))
    return ScoreRun(table.scores, *narrow)


class Ranges(NamedTuple):
    """The scores of all partitions, cut into ranges; the highest scores first.

    Attributes
    ----------
    runs : list of Delayed
        The table of each partition as a `ScoreRun`, or None; kept by the workers while this is
        there.
    splitters : ndarray
        The highest score of each range but the first, descending.
    counts : ndarray of shape (3, n_ranges)
        Entries of all tables, positives and negatives in each range.
    """

    runs: list[Delayed]
    splitters: NDArray[Any]
    counts: NDArray[Any]

    @property
    def totals(self) -> tuple[Any, Any]:
        """The numbers or the weights of all positives and negatives."""
        _, n_positive, n_negative = self.counts.sum(axis=1).tolist()
        return n_positive, n_negative

    @property
    def above(self) -> list[tuple[Any, Any]]:
        """The positives and negatives that score higher than each range."""
        positives, negatives = ([0, *np.cumsum(row)[:-1].tolist()] for row in self.counts[1:])
        return list(zip(positives, negatives, strict=True))

    def pairs(self) -> PairCounts:
        """Return how many pairs are concordant: those across ranges follow from their counts."""
        inside = dask.compute(*self._over_ranges(_pairs_inside))
        negatives = self.counts[2].tolist()
        across = [2 * above[0] * n for above, n in zip(self.above, negatives, strict=True)]
        is_weighted = self.counts.dtype.kind == "f"
        twice = (math.fsum if is_weighted else sum)([*inside, *across])
        return PairCounts.of(*self.totals, twice)

    def summary(self) -> RangeSummary:
        """Return the summary of all ranges: the sum of small numbers."""
        whole: RangeSummary = total(self._over_ranges(_summary, self.totals))
        return whole

    def _over_ranges(self, task: Callable[..., Any], *more: Any) -> list[Delayed]:
        """Return ``task(runs, above, *more)`` of each range: its pieces are sent to one task."""
        piece = delayed(_piece)
        call = delayed(_apply_to_pieces)
        splitters = delayed(self.splitters)
        return [
            call([piece(run, splitters, i) for run in self.runs], task, above, *more)
            for i, above in enumerate(self.above)
        ]


class Runs(NamedTuple):
    """The table of each partition: a delayed `ScoreRun` or None.

    ``positive`` has the positive label, if it occurs; ``samples`` are evenly spaced scores of
    tables, and how many scores each stands for.
    """

    runs: list[Delayed]
    positive: list[Any]
    samples: list[tuple[NDArray[Any], float]]

    def table(self) -> ScoreTable:
        """Return the table of all samples, which is summed up in a tree."""
        return _merge([total(self.runs)])

    def ranges(self, range_scores: Any) -> Ranges:
        """Cut all tables into ranges of about so many scores."""
        size = check_integer("range_scores", range_scores, low=1)
        samples, weights = zip(*self.samples, strict=True)
        scores, at = np.unique(np.concatenate(samples), return_inverse=True)
        sizes = np.bincount(at, np.repeat(weights, [len(each) for each in samples]))[::-1]
        number = (np.cumsum(sizes) - sizes) // size
        splitters = scores[::-1][1:][number[1:] > number[:-1]]
        return Ranges(self.runs, splitters, total(over(self.runs, _counts_in_ranges, splitters)))


def score_runs(
    chunks: Sequence[Delayed],
    pos_label: Any,
    rule: str = "strict",
    weights_are: WeightsAre | None = None,
) -> Runs:
    """Collapse each partition to the table of its scores; labels are judged with those of all.

    A table counts the rows of the partition's greatest label as positives until the labels of all
    partitions are known.
    """
    made = over(chunks, _run_of_rows, weights_are)
    n_sampled = min(max(_SAMPLED // len(chunks), _FEWEST), _MOST)
    look = delayed(_look)
    held = dask.persist(*made, *[look(each, n_sampled) for each in made])  # in one pass
    seen: list[Seen] = list(dask.compute(*held[len(made) :]))
    labels = distinct_labels(seen)
    positive = labels[encode_labels(labels, pos_label, rule, defer=False)[0] == 1].tolist()
    there = [one.state for one in seen if one.state is not None]
    dtype = np.result_type(*(sample for sample, _ in there))
    return Runs(over(held[: len(made)], _align, positive, dtype), positive, there)


def _run_of_rows(columns: tuple[Any, ...], weights_are: WeightsAre | None) -> Seen:
    seen = partition_rows(columns, weights_are)
    if seen.state is None:
        return seen
    return seen._replace(state=_run_of_table(ScoreTable.from_rows(seen.state)))


def _look(seen: Seen, n_sampled: int) -> Seen:
    if seen.state is None:
        return seen
    scores: NDArray[Any] = seen.state.scores
    at = np.linspace(0, len(scores) - 1, min(len(scores), n_sampled)).astype(np.intp)
    return seen._replace(state=(scores[at], len(scores) / len(at)))


def _align(seen: Seen, positive: list[Any], dtype: np.dtype[Any]) -> ScoreRun | None:
    """Return a table with the positives and the dtype of all."""
    if seen.state is None:
        return None
    scores, *counts = seen.state
    is_swapped = seen.labels[-1:].tolist() != positive
    return ScoreRun(cast_scores(scores, dtype), *(counts[::-1] if is_swapped else counts))


def cast_scores(scores: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return scores in another dtype, which holds each of them, or raise."""
    is_rounded = dtype.kind == "f" and scores.dtype.kind != "f"
    if is_rounded and max(-int(scores.min()), int(scores.max())) > _EXACT:
        raise InputError(
            "`y_score` holds integers beyond 2**53, and floats or other integers in other "
            "partitions: pass all of them in one dtype"
        )
    return scores.astype(dtype, copy=False)


def _merge(runs: Sequence[ScoreRun]) -> ScoreTable:
    """Return the table of some runs: scores put in order, equal ones added up."""
    scores, positives, negatives = (
        np.concatenate(columns[::-1]) for columns in zip(*runs, strict=True)
    )
    kind = np.float64 if positives.dtype.kind == "f" or negatives.dtype.kind == "f" else np.int64
    columns = scores, positives.astype(kind, copy=False), negatives.astype(kind, copy=False)
    if len(runs) > 1 and len(scores):
        columns = in_order(columns)
    return ScoreTable._from_columns(*columns)


# --- tasks of ranges -----------------------------------------------------------------------------


def _bounds(run: ScoreRun, splitters: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each range begins in the scores of a table, and where the last one ends."""
    n = len(run.scores)
    starts = n - np.searchsorted(run.scores[::-1], splitters, side="right")
    return np.concatenate([[0], starts, [n]])


def _counts_in_ranges(run: ScoreRun | None, splitters: NDArray[Any]) -> NDArray[Any] | None:
    """Return the entries, positives and negatives of a table in each range."""
    if run is None:
        return None
    bounds = _bounds(run, splitters)
    sums = [np.diff(bounds)]
    for column in run[1:]:
        kind = np.float64 if column.dtype.kind == "f" else np.int64
        pieces = itertools.pairwise(bounds.tolist())
        sums.append(np.array([column[start:stop].sum(dtype=kind) for start, stop in pieces]))
    return np.stack(sums)


def _piece(run: ScoreRun | None, splitters: NDArray[Any], number: int) -> ScoreRun | None:
    """Return the part of a table that lies in a range."""
    if run is None:
        return None
    start, stop = _bounds(run, splitters)[number : number + 2]
    return ScoreRun(*(column[start:stop] for column in run)) if stop > start else None


def _apply_to_pieces(pieces: list[ScoreRun | None], task: Callable[..., Any], *more: Any) -> Any:
    with at_most(1):  # a worker of Dask has other threads for other tasks
        return task([piece for piece in pieces if piece is not None], *more)


def _summary(runs: list[ScoreRun], above: tuple[int, int], totals: tuple[int, int]) -> RangeSummary:
    return summarize_range(_merge(runs), *above, *totals)


def _pairs_inside(runs: list[ScoreRun], _: tuple[Any, Any]) -> int | float:
    """Return twice the concordant pairs of a range."""
    columns = [column for run in runs for column in run[1:]]
    is_counted = all(column.dtype.kind != "f" for column in columns)
    n_scores = sum(len(run.scores) for run in runs)
    if is_counted and sum(int(column.sum()) for column in columns) <= 2 * n_scores:
        # Few scores recur: counting pairs of samples takes no sort.
        sides = [np.concatenate([np.repeat(run[0], run[side]) for run in runs]) for side in (1, 2)]
        labels = np.repeat(np.array([1, 0], np.int8), [len(side) for side in sides])
        rows = BinaryRows(labels, 0, np.concatenate(sides), None, False, False)
        return count_pairs(rows).twice_concordant
    table = _merge(runs)
    return pairs_of_weights(table.positives, table.negatives).twice_concordant


# --- columns -------------------------------------------------------------------------------------


def check_counted(
    columns: dict[str, Any], sample_weight: Any, weights_are: Any, call: str
) -> WeightsAre | None:
    """Add weights to columns where they are said to be numbers of rows; return how to read them."""
    check_choice("weights_are", weights_are, ("importances", "frequencies"))
    is_counted = weights_are == "frequencies"
    if sample_weight is not None and not is_counted:
        raise InputError(
            "`weights_are` must be 'frequencies' here: importances, of another interval, need "
            f"the rows in memory, `fastmetrics.{call}, sample_weight=...)`"
        )
    if is_counted:
        columns["sample_weight"] = sample_weight
    return "frequencies" if is_counted else None


def model_columns(scores: Any) -> Mapping[str, Any]:
    """Return the column of each model by name."""
    if isinstance(scores, Mapping):
        if not scores:
            raise InputError("`scores` must have at least one model: got none")
        return by_names(scores, "scores", "models")
    if hasattr(scores, "columns") and getattr(scores, "ndim", 1) == 2:
        names = key_names(scores.columns, "scores", "models")
        return {name: scores[key] for name, key in zip(names, scores.columns, strict=True)}
    return {"score": scores}
