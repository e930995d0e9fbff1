"""Precision-recall curves, areas under them, average precision and the break-even point."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

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
from fastmetrics._results import OneNumber
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.metrics.curves._averaging import AVERAGES, average_metric, binarize
from fastmetrics.tables.pairs import INT64_BOUND
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    PIECE_ROWS,
    SCORED,
    SCORED_BINARY,
    Floats,
    Piece,
    ScoreTable,
    as_table,
    by_pieces,
    lacks_a_class,
    running_sums,
)

#: scikit-learn's message, so that warning filters for it still work.
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
    tp = table.true_positives
    fp = table.false_positives
    scores = table.scores
    predicted = tp + fp if table.is_weighted or not _may_overflow(table) else fp + 1.0 * tp
    if drop_intermediate and len(tp) > 2:
        step = tp[1:] != tp[:-1]
        kept = np.concatenate(([True], step[:-1] | step[1:], [True]))
        tp, predicted, scores = (column[kept] for column in (tp, predicted, scores))
    precision, recall = (np.ones(len(tp) + 1) for _ in range(2))
    np.divide(tp[::-1], predicted[::-1], out=precision[:-1])  # no row of a table weighs 0
    if len(tp) and tp[-1] > 0:
        np.divide(tp[::-1], tp[-1], out=recall[:-1])
    recall[-1] = 0.0
    return precision, recall, scores[::-1].copy()


def _curve_of_counts(table: ScoreTable) -> tuple[Floats, Floats, NDArray[Any]]:
    """Return the whole curve of a table without weights, on all threads."""
    n = len(table)
    n_positive = float(table.n_positive)
    precision, recall = (np.ones(n + 1) for _ in range(2))
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
    """Return the average precision; 0 without positives, as in scikit-learn, nan without rows.

    It is sum (R_k - R_{k-1}) P_k, in scikit-learn's order of summation for identical bits.
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
        How columns are average_metric; None returns one value a column. Ignored for binary labels.
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
    positive: 0.0001 here, 0.00098 there), computed by the ranking metric `average_precision`.
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
    # One column of scores means two classes: labels are not read here.
    elif column_count(y_score) > 1 and len(check_class_labels(y_true).classes) > 2:
        _only_one(pos_label, "a `y_true` of several classes")
        classes, codes = check_class_labels(y_true)
        indicator = binarize(codes, len(classes))
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
    return average_metric(column, indicator, scores, average=average, sample_weight=sample_weight)


def _has_many_classes(y_true: Any) -> bool:
    try:
        return len(check_class_labels(y_true).classes) > 2
    except (TypeError, ValueError):
        return False


def _only_one(pos_label: Any, kind: str) -> None:
    if pos_label != 1:
        raise InputError(f"`pos_label` must be 1 with {kind}, got {pos_label!r}")


Interpolation = Literal["step", "trapezoid", "continuous"]


# x - log1p(x) = x r - 2 (r^3/3 + r^5/5 + ...) with r = x / (2 + x). For x <= 1/2, r <= 1/5 and
# the first omitted term, 2 r^25/25, is below 2^-53 of the sum.
_SERIES = tuple(2.0 / k for k in range(3, 25, 2))
_SERIES_LIMIT = 0.5


@documented(SCORED, BOTH_CLASSES)
def pr_auc(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    interpolation: Interpolation = "continuous",
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the area under the precision-recall curve by a named estimator.

    Parameters
    ----------
    interpolation : {"step", "trapezoid", "continuous"}, default="continuous"
        What joins two thresholds. "step" is average precision, where a tie is one step.
        "trapezoid" joins the points of `precision_recall_curve`, the one at recall 0 and
        precision 1 included, by straight lines: too optimistic. "continuous" goes through the
        points that TP and FP reach in equal shares (Davis & Goadrich 2006), as a tie in random
        order does on average.

    Returns
    -------
    float
        The area, in [0, 1]; nan where a class is missing.

    Raises
    ------
    ValueError
        If `interpolation` is unknown, or the data are not binary labels and finite scores.

    Notes
    -----
    One sort, then O(distinct scores) time and memory. With s = dTP/(dTP + dFP) the precision
    inside a segment that starts at TP positives among n predicted ones and adds dn, and
    x = dn/n, the continuous area of the segment is

        s/P [TP log(1 + x) + s n (x - log(1 + x))],

    the integral of t/(t + FP(t)) dt in closed form, rearranged so that both terms are positive:
    nothing cancels. A segment from the origin has precision s throughout.

    References
    ----------
    Davis & Goadrich (2006), The relationship between precision-recall and ROC curves, ICML,
    section 4 (the interpolation). Boyd, Eng & Page (2013), Area under the precision-recall
    curve, ECML PKDD; Keilwagen, Grosse & Grau (2014), Area under precision-recall curves for
    weighted and unweighted data, PLoS ONE 9(3) e92209 (the continuous form, and weights).

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> [round(pr_auc(y_true, y_score, interpolation=kind), 4)
    ...  for kind in ("step", "trapezoid", "continuous")]
    [0.8333, 0.7917, 0.7973]
    """
    check_choice("interpolation", interpolation, get_args(Interpolation))
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the area under the precision-recall curve"):
        return float("nan")
    if interpolation == "continuous":
        return continuous_area(table)
    if interpolation == "step":
        return average_precision_of_table(table)
    precision, recall, _ = curve_of_table(table)
    return float(-np.trapezoid(precision, recall))


def continuous_area(table: ScoreTable) -> float:
    """Return the area under the continuous interpolation of a table that has both classes."""
    tp_end = table.true_positives.astype(np.float64, copy=False)
    fp_end = table.false_positives.astype(np.float64, copy=False)
    rising = np.flatnonzero(table.positives)  # a row without positives has no width
    gain = table.positives[rising].astype(np.float64, copy=False)
    added = gain + table.negatives[rising]
    tp, fp = np.zeros(len(rising)), np.zeros(len(rising))
    inner = rising > 0
    tp[inner] = tp_end[rising[inner] - 1]
    fp[inner] = fp_end[rising[inner] - 1]
    predicted = tp + fp
    slope = gain / added
    # The area of each segment over TP instead of recall.
    areas = slope * slope * added  # from the origin precision is `slope` over `slope * added`
    later = predicted > 0
    tp, predicted, added, slope = (column[later] for column in (tp, predicted, added, slope))
    log_part, remainder = _log1p_and_remainder(added / predicted)
    areas[later] = slope * (tp * log_part + slope * predicted * remainder)
    return min(float(np.sum(areas) / tp_end[-1]), 1.0)


def _log1p_and_remainder(x: Floats) -> tuple[Floats, Floats]:
    """Return log(1 + x) and x - log(1 + x), both to a few units in the last place."""
    log_part = np.log1p(x)
    remainder = x - log_part
    small = x <= _SERIES_LIMIT  # there the subtraction would cancel
    z = x[small]
    r = z / (2.0 + z)
    square = r * r
    tail = np.zeros_like(r)
    for coefficient in reversed(_SERIES):
        tail = tail * square + coefficient
    remainder[small] = r * (z - square * tail)
    return log_part, remainder


# Weighted counts are off by a few units in the last place: sums within this of m+ equal it.
_ROUNDING = 2.0**-50


@dataclass(frozen=True, slots=True, repr=False)
class BreakEvenPoint(OneNumber):
    """The point where precision equals recall.

    Attributes
    ----------
    value : float
        The common value of precision and recall; nan where there is none.
    threshold : int or float
        The highest threshold that calls at least as many positive as there are positives.
    interpolated : bool
        True when no threshold calls exactly as many positive as there are: `value` then lies
        inside the step at `threshold` (a tie, or with weights a single example), at the expected
        TP of a random order.
    """

    _number = "value"

    value: float
    threshold: float
    interpolated: bool


@documented(SCORED_BINARY)
def break_even_point(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> BreakEvenPoint:
    """Compute the value where precision equals recall, with at least one true positive.

    Returns
    -------
    BreakEvenPoint
        The value, its threshold, and whether it was interpolated inside a tie.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or the (expected) TP is 0 there; the value is nan.

    Notes
    -----
    Precision - recall = TP (1/predicted - 1/m+), so with TP > 0 they are equal where the number
    predicted positive is m+, and nowhere else: if TP is 0 there, no break-even point exists.
    Without weights the value is the double nearest to the true ratio. With weights, a sum of
    predicted weight within 2^-50 of m+, relative to the total weight, counts as equal to m+.
    One sort, then O(log(distinct scores)).

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0]
    >>> break_even_point(y_true, [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15])
    BreakEvenPoint(value=0.625, threshold=0.47, interpolated=True)
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the break-even point"):
        return BreakEvenPoint(float("nan"), float("nan"), False)
    return break_even_at(find_balance(table))


class Balance(NamedTuple):
    """The step where the number of predicted positives is that of positives, and its TP / m+."""

    threshold: int | float
    numerator: Any
    denominator: Any
    interpolated: bool


def break_even_at(balance: Balance) -> BreakEvenPoint:
    """Return the break-even point of a balance; warn where it is undefined."""
    threshold, numerator, denominator, interpolated = balance
    if not numerator > 0:
        message = (
            "the break-even point is not defined: as many examples as there are positives are "
            f"predicted positive near the threshold {threshold!r}, and none of them is one"
        )
        warn_user(message, UndefinedMetricWarning)
        return BreakEvenPoint(float("nan"), threshold, interpolated)
    return BreakEvenPoint(numerator / denominator, threshold, interpolated)


def find_balance(
    table: ScoreTable, n_positive: int | None = None, above: tuple[int, int] = (0, 0)
) -> Balance:
    """Return the balance of a table, or of the range of scores that contains it.

    A range comes with the total number of positives, and the counts of either class above it.
    """
    if n_positive is None and len(table) > PIECE_ROWS and not table.is_weighted:
        starts = np.arange(0, len(table), PIECE_ROWS)
        sums = [
            np.add.reduceat(column, starts).cumsum().tolist()
            for column in (table.positives, table.negatives)
        ]
        n_positive = sums[0][-1]
        called_at_ends = [*map(sum, zip(*sums, strict=True))]
        k = bisect_left(called_at_ends, n_positive)
        here = slice(k * PIECE_ROWS, (k + 1) * PIECE_ROWS)
        columns = table.scores[here], table.positives[here], table.negatives[here]
        higher = (sums[0][k - 1], sums[1][k - 1]) if k else (0, 0)
        return find_balance(ScoreTable._from_columns(*columns), n_positive, higher)
    tp, fp = table.true_positives, table.false_positives
    total = tp[-1].item() if n_positive is None else n_positive
    slack = _ROUNDING * (total + fp[-1].item()) if table.is_weighted else 0

    def called(row: int) -> tuple[Any, Any]:
        """Return TP and the number of predicted positives down to a row."""
        if row < 0:
            return above[0], sum(above)
        here = tp[row].item()
        return above[0] + here, sum(above) + (here + fp[row].item())

    row = bisect_left(range(len(tp)), total - slack, key=lambda row: called(row)[1])
    threshold = table.scores[row].item()
    stop, at_stop = called(row)
    if at_stop <= total + slack:
        return Balance(threshold, stop, total, False)
    start, before = called(row - 1)
    width = at_stop - before
    within = start * width + (total - before) * (stop - start)
    return Balance(threshold, within, total * width, True)
