"""Precision and recall at every threshold, and average precision (scikit-learn's names)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import (
    check_class_labels,
    check_multilabel_indicator,
    in_class_order,
)
from fastmetrics._input.containers import column_count
from fastmetrics._input.scalars import check_choice, check_flag
from fastmetrics._input.scores import check_score_matrix
from fastmetrics._kernels import curve_kernels
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.curves._averaging import AVERAGES, averaged, binarized
from fastmetrics.measures.curves._pieces import PIECE_ROWS, Piece, by_pieces
from fastmetrics.tables.pairs import INT64_BOUND
from fastmetrics.tables.score_table import (
    SCORED,
    SCORED_BINARY,
    Floats,
    ScoreTable,
    as_table,
    running_sums,
)

#: scikit-learn's words, so that a filter on them still works.
NO_POSITIVE = "No positive class found in y_true, recall is set to one for all thresholds."
NEEDS_COLUMNS = (
    "`y_score` needs to be of shape `(n_samples, n_classes)`, one column a class or label, since "
    "`y_true` has more than two classes or one column a label"
)


@documented(SCORED_BINARY)
def precision_recall_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
    n_threads: int | None = None,
) -> tuple[Floats, Floats, NDArray[Any]]:
    """Compute precision and recall at every distinct score, as scikit-learn does.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Binary labels, and scores: the greater, the more positive; or a ScoreTable alone.
    drop_intermediate : bool, default=False
        Keep only the first and the last threshold of those with equal recall.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        Precision of the decision score >= threshold; the last element is 1.
    recall : ndarray of shape (n_thresholds + 1,)
        Recall of the same decision, falling; the last element is 0.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, rising.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive example: recall is then 1 at every threshold.

    Notes
    -----
    One sort, then O(distinct scores) time and memory. Without weights each value is the double
    nearest to its ratio of counts, bit for bit scikit-learn's.

    Examples
    --------
    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision
    array([0.5       , 0.66666667, 0.5       , 1.        , 1.        ])
    >>> recall
    array([1. , 1. , 0.5, 0.5, 0. ])
    >>> thresholds
    array([0.1 , 0.35, 0.4 , 0.8 ])
    """
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule="curve"
    )
    if not table.n_positive > 0:
        warn_user(NO_POSITIVE, UndefinedMetricWarning)
    drop_intermediate = check_flag("drop_intermediate", drop_intermediate)
    return curve_of_table(table, drop_intermediate=drop_intermediate)


def curve_of_table(
    table: ScoreTable, *, drop_intermediate: bool = False
) -> tuple[Floats, Floats, NDArray[Any]]:
    """Return precision, recall and thresholds of a table, in scikit-learn's order."""
    if not (drop_intermediate or table.is_weighted or _may_overflow(table)):
        return _curve_of_counts(table)
    tp, fp, scores = table.true_positives, table.false_positives, table.scores
    predicted = tp + fp if table.is_weighted or not _may_overflow(table) else fp + 1.0 * tp
    if drop_intermediate and len(tp) > 2:
        step = tp[1:] != tp[:-1]
        kept = np.concatenate(([True], step[:-1] | step[1:], [True]))
        tp, predicted, scores = tp[kept], predicted[kept], scores[kept]
    precision, recall = np.ones(len(tp) + 1), np.ones(len(tp) + 1)
    np.divide(tp[::-1], predicted[::-1], out=precision[:-1])  # no row of a table weighs 0
    if len(tp) and tp[-1] > 0:
        np.divide(tp[::-1], tp[-1], out=recall[:-1])
    recall[-1] = 0.0
    return precision, recall, scores[::-1].copy()


def _curve_of_counts(table: ScoreTable) -> tuple[Floats, Floats, NDArray[Any]]:
    """Return the whole curve of a table without weights, on all threads."""
    n, n_positive = len(table), float(table.n_positive)
    precision, recall = np.ones(n + 1), np.ones(n + 1)
    thresholds = np.empty(n, table.scores.dtype)

    def write(piece: Piece) -> None:
        here = slice(n - piece.stop, n - piece.start)
        counts = piece.positives, piece.negatives, piece.tp, piece.fp, n_positive or 1.0
        curve_kernels.write_precision_recall(*counts, precision[here], recall[here])
        thresholds[here] = table.scores[piece.start : piece.stop][::-1]

    by_pieces(table, write)
    if not n_positive:
        recall[:n] = 1.0
    recall[-1] = 0.0
    return precision, recall, thresholds


def average_precision_of_table(table: ScoreTable) -> float:
    """Return the average precision; without positives 0, as scikit-learn does, without rows nan.

    It is sum (R_k - R_{k-1}) P_k, in scikit-learn's order of summation: its bits.
    """
    n = len(table)
    if not (n and table.is_weighted) and not table.n_positive > 0:
        warn_user(NO_POSITIVE, UndefinedMetricWarning)
        return 0.0 if n else float("nan")
    steps = np.empty(n)
    if table.is_weighted or _may_overflow(table):
        tp, fp = (column.astype(np.float64, copy=False) for column in running_sums(table))
        if not tp[-1] > 0:
            warn_user(NO_POSITIVE, UndefinedMetricWarning)
            return 0.0

        def write_sums(start: int) -> None:
            here = slice(start, start + PIECE_ROWS)
            gains = np.diff(tp[here] / tp[-1], prepend=tp[start - 1] / tp[-1] if start else 0.0)
            gains *= tp[here] / (tp[here] + fp[here])
            steps[n - start - len(gains) : n - start] = gains[::-1]

        run([partial(write_sums, start) for start in range(0, n, PIECE_ROWS)])
        return float(np.add.reduce(steps))

    n_positive = float(table.n_positive)

    def write(piece: Piece) -> None:
        counts = piece.positives, piece.negatives, piece.tp, piece.fp
        here = steps[n - piece.stop : n - piece.start]
        curve_kernels.write_precision_steps(*counts, n_positive, here)

    by_pieces(table, write)
    return max(0.0, -float(np.add.reduce(steps)))


def _may_overflow(table: ScoreTable) -> bool:
    return int(table.n_positive) + int(table.n_negative) >= INT64_BOUND


@documented(SCORED)
def average_precision_score(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float | Floats:
    """Compute average precision, the area under the steps of precision over recall.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), or ScoreTable
        Binary labels, class labels (more than two), or a multilabel indicator matrix; or a
        table, and then `y_score` is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        Scores; the greater, the more positive. Columns follow the sorted class labels.
    average : {"micro", "macro", "weighted", "samples"} or None, default="macro"
        How columns are averaged; None returns one value a column. Ignored for binary labels.
    pos_label : int, float, bool or str, default=1
        The positive label of binary `y_true`; must be 1 otherwise.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        Average precision, in [0, 1].

    Raises
    ------
    ValueError
        If the shapes or labels do not fit, or `pos_label` is not a label.

    Warns
    -----
    UndefinedMetricWarning
        If a column has no positive example: its value is 0, as in scikit-learn.

    Notes
    -----
    sum over thresholds of (R_k - R_{k-1}) P_k. A tie is one step, as in scikit-learn; the
    expectation over the orders of a tie is another number (10,000 tied examples with one
    positive: 0.0001 here, 0.00098 there), computed by the ranking measure `average_precision`.
    One sort a column, then O(distinct scores) time and memory.

    Examples
    --------
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    check_choice("average", average, AVERAGES)
    if isinstance(y_true, ScoreTable):
        table = as_table(y_true, y_score, sample_weight=sample_weight)
        return average_precision_of_table(table)

    def column(labels: Any, scores: Any, weights: Any, pos_label: Any = 1) -> float:
        table = as_table(
            labels,
            scores,
            sample_weight=weights,
            pos_label=pos_label,
            label_rule="average_precision",
        )
        return average_precision_of_table(table)

    if column_count(y_true) > 1:
        indicator = check_multilabel_indicator(y_true)
        _only_one(pos_label, "a multilabel indicator `y_true`")
    # Flat scores never come with more than two classes: beside them labels are not read.
    elif column_count(y_score) > 1 and len(check_class_labels(y_true).classes) > 2:
        _only_one(pos_label, "a `y_true` of several classes")
        classes, codes = check_class_labels(y_true)
        indicator = binarized(codes, len(classes))
    else:
        try:
            return column(y_true, y_score, sample_weight, pos_label)
        except ValueError:
            if column_count(y_score) == 1 and _has_many_classes(y_true):
                raise InputError(NEEDS_COLUMNS) from None
            raise
    scores = check_score_matrix(in_class_order(y_score, y_true))
    if scores.shape != indicator.shape:
        raise InputError(f"{NEEDS_COLUMNS}: expected {indicator.shape}, got {scores.shape}")
    return averaged(column, indicator, scores, average=average, sample_weight=sample_weight)


def _has_many_classes(y_true: Any) -> bool:
    try:
        return len(check_class_labels(y_true).classes) > 2
    except (TypeError, ValueError):
        return False


def _only_one(pos_label: Any, kind: str) -> None:
    if pos_label != 1:
        raise InputError(f"`pos_label` must be 1 with {kind}, got {pos_label!r}")
