"""Scores of two classes on Dask: tables of them, AUC, average precision, the ROC curve."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics._input.scores import check_float_thresholds, float_thresholds
from fastmetrics.dask._partitions import COLUMNS, computed, one_thread, partitions, summed
from fastmetrics.dask._ranges import RANGE_SCORES, Range, Ranges
from fastmetrics.dask._scored import frequencies, sum_of
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.range_summary import (
    RangeSummary,
    average_precision_of,
    summary_of,
)
from fastmetrics.measures.curves.precision_recall import NO_POSITIVE as NO_RECALL
from fastmetrics.measures.curves.roc import NO_NEGATIVE, NO_POSITIVE, roc_of_table
from fastmetrics.measures.curves.roc_auc import ONE_CLASS
from fastmetrics.tables.bin_layout import BinLayout
from fastmetrics.tables.binned_score_table import BinnedScoreTable
from fastmetrics.tables.score_table import ScoreTable

Floats = NDArray[np.float64]

#: Rows of a partition of which bins are learnt, at most, and of all.
_SAMPLE, _SAMPLES = 1 << 16, 1 << 20


@documented(COLUMNS)
def score_table(
    y_true: Any, y_score: Any = None, *, sample_weight: Any = None, pos_label: Any = None
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
    Integers of several dtypes stay integers.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([0, 1, 1, 0], chunks=2)
    >>> fmd.score_table(y_true, da.from_array([0.1, 0.8, 0.4, 0.4], chunks=2))
    ScoreTable(3 distinct scores from 0.1 to 0.8, 2 positive, 2 negative)
    """
    runs = Ranges(_parts(y_true, y_score, sample_weight), pos_label=pos_label, range_scores=2**62)
    return runs.table()


@documented(COLUMNS)
def binned_score_table(
    y_true: Any,
    y_score: Any = None,
    *,
    layout: BinLayout | None = None,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> BinnedScoreTable:
    """Count all rows in bins of the score: a megabyte, and measures between limits that are sure.

    Parameters
    ----------
    layout : BinLayout, optional
        The bins; by default learnt from rows of every partition, which takes a pass of its own.

    Returns
    -------
    BinnedScoreTable
        Its `roc_auc`, `average_precision`, `ks_statistic`, ... are brackets.

    Notes
    -----
    One pass, a state of a megabyte a partition, added up in a tree: what to take where the exact
    numbers are not worth sending all scores between workers.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([0, 1, 1, 0], chunks=2)
    >>> fmd.binned_score_table(y_true, da.from_array([0.1, 0.8, 0.4, 0.4], chunks=2)).roc_auc()
    Bracket(low=0.875, high=0.875)
    """
    parts = _parts(y_true, y_score, sample_weight)
    if layout is None:
        n = min(_SAMPLE, max(_SAMPLES // len(parts), 256))
        samples = sum_of(parts, _sample, n, pos_label=pos_label)
        layout = BinLayout.learn(np.concatenate([np.frombuffer(each) for each in samples]))
    elif not isinstance(layout, BinLayout):
        raise InputTypeError(f"`layout` must be a BinLayout: got {type(layout).__qualname__}")
    shared = delayed(layout)  # sent to a worker once, which prepares its search once
    table: BinnedScoreTable = sum_of(parts, _binned, shared, pos_label=pos_label)
    return table


@documented(COLUMNS)
def roc_auc_score(
    y_true: Any,
    y_score: Any = None,
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
    counts = _runs(y_true, y_score, sample_weight, pos_label, range_scores, "sorted").pairs()
    if not (counts.n_positive > 0 and counts.n_negative > 0):
        warn_user(ONE_CLASS, UndefinedMetricWarning)
        return math.nan
    return float(counts.auc)


@documented(COLUMNS)
def average_precision_score(
    y_true: Any,
    y_score: Any = None,
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
    runs = _runs(y_true, y_score, sample_weight, pos_label, range_scores, "average_precision")
    if runs.counts.dtype.kind == "f":
        raise InputError(
            "`sample_weight` must hold whole numbers here, of an integer dtype: others take "
            "`fastmetrics.average_precision_score` of `fastmetrics.dask.score_table(...)`"
        )
    if not runs.n_positive > 0:
        warn_user(NO_RECALL, UndefinedMetricWarning)
        return 0.0
    return average_precision_of(summary(runs))


@documented(COLUMNS)
def roc_curve(
    y_true: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    n_points: int | None = 10_000,
    range_scores: int = RANGE_SCORES,
) -> tuple[Floats, Floats, Floats]:
    """Compute the ROC curve: of all its points those that are wide enough apart to be seen.

    Parameters
    ----------
    n_points : int or None, default=10000
        Steps in which either rate is followed: a point is left out while neither rate passes a
        multiple of 1 / `n_points`, so that at most twice as many points come back. None: every
        corner, as in memory, of the whole table, which comes here (`score_table`).

    Returns
    -------
    fpr, tpr : ndarray of shape (n_thresholds,)
        Rates of the decision score >= threshold, rising from 0 to 1: points of the exact curve.
    thresholds : ndarray of shape (n_thresholds,)
        Falling; the first is inf, where nothing is called positive.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing; the rate of that class is nan throughout.

    Notes
    -----
    As `evaluate`, but each range returns its points. Which points are left out hangs on the rows
    alone, not on partitions or ranges.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=3)
    >>> fpr, tpr, _ = fmd.roc_curve(y_true, da.from_array([0.1, 0.4, 0.35, 0.8], chunks=3))
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    n_points = None if n_points is None else check_integer("n_points", n_points, low=2)
    runs = _runs(y_true, y_score, sample_weight, pos_label, range_scores, "curve")
    if n_points is None:
        table = runs.table()
        check_float_thresholds(table.scores)
        fpr, tpr, thresholds = roc_of_table(table)
    else:
        totals = runs.n_positive, runs.n_negative
        found = computed(runs.over_ranges(_points, totals, n_points))
        scores, tp, fp = (np.concatenate(columns) for columns in zip(*found, strict=True))
        with np.errstate(invalid="ignore"):
            tpr, fpr = (np.append(0.0, c) / t for c, t in zip((tp, fp), totals, strict=True))
        thresholds = float_thresholds(scores)
    if not runs.n_negative > 0:
        fpr = np.full(len(fpr), np.nan)
        warn_user(NO_NEGATIVE, UndefinedMetricWarning)
    if not runs.n_positive > 0:
        tpr = np.full(len(tpr), np.nan)
        warn_user(NO_POSITIVE, UndefinedMetricWarning)
    return fpr, tpr, thresholds


def summary(runs: Ranges) -> RangeSummary:
    """Return the summary of all ranges: the sum of small numbers."""
    totals = runs.n_positive, runs.n_negative
    whole: RangeSummary = computed(summed(runs.over_ranges(_summary, totals)))
    return whole


def counted_parts(
    y_true: Any,
    y_score: Any,
    sample_weight: Any,
    weights_are: Any,
    instead: str,
    groups: Any = None,
) -> list[Delayed]:
    """Return partitions whose weights, if any, are said to be numbers of rows."""
    check_choice("weights_are", weights_are, ("importances", "frequencies"))
    columns = {"y_true": y_true, "y_score": y_score}
    if groups is not None or weights_are == "frequencies":
        columns["sample_weight"] = sample_weight
    if groups is not None:
        columns["groups"] = groups
    if weights_are == "frequencies":
        return frequencies(partitions(**columns))
    if sample_weight is not None:
        raise InputError(
            "`weights_are` must be 'frequencies' here: importances, of another interval, need "
            f"the rows in memory, `{instead}`"
        )
    return partitions(**columns)


def _parts(y_true: Any, y_score: Any, sample_weight: Any) -> list[Delayed]:
    parts = partitions(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    if y_score is None and not (isinstance(y_true, list | tuple)):
        raise InputTypeError(
            "`y_score` is missing: pass labels and scores, or a list of delayed tuples of both"
        )
    return parts


def _runs(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, range_scores: Any, rule: str
) -> Ranges:
    return Ranges(
        _parts(y_true, y_score, sample_weight),
        pos_label=pos_label,
        rule=rule,
        range_scores=check_integer("range_scores", range_scores, low=1),
    )


def _sample(rows: BinaryRows, n: int) -> tuple[bytes]:
    """Return scores of n rows, or of all: the same ones whenever the task is run."""
    scores, rng = rows.scores.astype(np.float64), np.random.default_rng(len(rows.scores))
    at = rng.permutation(len(scores)) if len(scores) <= n else rng.integers(len(scores), size=n)
    return (scores[at].tobytes(),)


def _binned(rows: BinaryRows, layout: BinLayout) -> BinnedScoreTable:
    table = BinnedScoreTable(layout, first_rows=0)
    table.update(rows.labels, rows.scores, rows.typed_weights())
    return table


@one_thread
def _summary(table: ScoreTable, here: Range, totals: tuple[int, int]) -> RangeSummary:
    return summary_of(table, *here.above, *totals)


def _points(
    table: ScoreTable, here: Range, totals: tuple[Any, Any], n_points: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the points at which a rate passes a step, and the last one of all."""
    up_to = table.true_positives, table.false_positives
    columns = [above + counts for above, counts in zip(here.above, up_to, strict=True)]
    passes = np.zeros(len(table), np.bool_)
    for above, column, total in zip(here.above, columns, totals, strict=True):
        if total > 0:
            steps = np.floor(np.append(above, column) / total * n_points)
            passes |= steps[1:] != steps[:-1]
    ends = [above + inside for above, inside in zip(here.above, here.inside, strict=True)]
    passes[-1] |= ends == list(totals)
    return (table.scores[passes], *(column[passes] for column in columns))
