"""ROC and DET curves, counts and metrics at every threshold, the Kolmogorov-Smirnov distance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_flag, check_same_length
from fastmetrics._input.scores import (
    as_given,
    check_finite,
    check_float_thresholds,
    check_scores_array,
    check_weights,
)
from fastmetrics._kernels.curve_kernels import corner_count, gap_ends, write_roc
from fastmetrics._results import OneNumber
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
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
    running_sum,
)


@documented(SCORED_BINARY)
def confusion_matrix_at_thresholds(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> tuple[Floats, Floats, Floats, Floats, NDArray[Any]]:
    """Count true and false negatives and positives at every distinct score.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Binary labels, and scores: the greater, the more positive; or a ScoreTable alone.

    Returns
    -------
    tns, fps, fns, tps : ndarray of shape (n_thresholds,)
        Counts (or sums of weights) of the decision score >= threshold, as float64.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, falling.

    Notes
    -----
    One sort of O(n log n), then passes over the distinct scores. A missing class is no error:
    its counts are 0. Counts above 2**53 are rounded to float64; a `ScoreTable` holds them whole.

    Examples
    --------
    >>> counts = confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> [column.tolist() for column in counts[:4]]
    [[2.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 2.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 2.0, 2.0]]
    >>> counts[4].tolist()
    [0.8, 0.4, 0.35, 0.1]
    """
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule="curve"
    )
    tp, fp = table.true_positives, table.false_positives
    tn = fp[-1:] - fp  # slices: an empty table has no last row
    fn = tp[-1:] - tp
    exponent = table.weight_exponent
    columns = tuple(
        np.array(as_given(column, exponent), dtype=np.float64) for column in (tn, fp, fn, tp)
    )
    # A copy: a table is frozen, and the caller may write into what a drop-in returns.
    return columns[0], columns[1], columns[2], columns[3], table.scores.copy()


def metric_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric_func: Callable[..., Any],
    *,
    sample_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Compute any metric of labels and predictions at every distinct score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, handed to `metric_func` as they are, sorted by falling score.
    y_score : array-like of shape (n_samples,)
        Scores; the greater, the more positive.
    metric_func : callable
        ``metric_func(y_true, y_pred, **metric_params)``, where ``y_pred`` is an int32 array of
        ``score >= threshold``; it returns a number, or a collection of one fixed shape.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative, handed to `metric_func` under that name. Rows of weight 0 are
        left out.
    metric_params : mapping, optional
        Further keywords of `metric_func`.

    Returns
    -------
    metric_values : ndarray of shape (n_thresholds,) or (n_thresholds, ...)
        The value at each threshold.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, falling.

    Raises
    ------
    TypeError
        If `metric_func` is not callable, or a `ScoreTable` is given: the metric needs rows.
    ValueError
        If the lengths differ, or a score, label or weight is not finite.

    Notes
    -----
    One call of `metric_func` on n rows for each distinct score, O(n * n_thresholds) as the
    interface demands. What follows from counts alone is had at all thresholds at once from
    `confusion_matrix_at_thresholds`.

    Examples
    --------
    >>> def accuracy(y_true, y_pred):
    ...     return float((y_true == y_pred).mean())
    >>> values, thresholds = metric_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], accuracy)
    >>> values.tolist(), thresholds.tolist()
    ([0.75, 0.5, 0.75, 0.5], [0.8, 0.4, 0.35, 0.1])
    """
    if isinstance(y_true, ScoreTable):
        raise InputTypeError("`metric_func` is called on rows, and a ScoreTable has none")
    if not callable(metric_func):
        raise InputTypeError(f"`metric_func` must be callable, got {type(metric_func).__name__}")
    labels, scores, weights = _sorted_rows(y_true, y_score, sample_weight)
    keywords = dict(metric_params or {})
    if weights is not None:
        keywords["sample_weight"] = weights
    ends = np.append(np.flatnonzero(scores[1:] != scores[:-1]) + 1, len(scores))
    values = []
    for end in ends.tolist():
        predictions = np.zeros(len(scores), dtype=np.int32)
        predictions[:end] = 1
        values.append(metric_func(labels, predictions, **keywords))
    return np.asarray(values), scores[ends - 1]


def _sorted_rows(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Return labels, scores and weights by falling score, ties in their order."""
    labels = as_vector(y_true, "y_true")
    scores = check_scores_array(y_score)
    check_same_length(y_true=labels, y_score=scores)
    if labels.dtype.kind == "f":
        check_finite(labels, "y_true")
    order = (len(scores) - 1 - np.argsort(scores[::-1], kind="stable"))[::-1]
    if sample_weight is None:
        return labels[order], scores[order], None
    weights = as_array(sample_weight, "sample_weight")
    check_weights(weights, len(labels))
    order = order[weights[order] != 0]
    return labels[order], scores[order], weights[order]


# Error bound of |tp / n_positive - fp / n_negative| in float64: four counts, both quotients (up to
# 1) and the difference are rounded, seven roundings of 2**-53.
_GAP_ERROR = 8 * 2.0**-53


@dataclass(frozen=True, slots=True, repr=False)
class KolmogorovSmirnov(OneNumber):
    """The largest distance between true and false positive rate, and where it lies.

    Attributes
    ----------
    statistic : float
        The largest ``|TPR - FPR|``, in [0, 1].
    threshold : float or int
        The highest threshold (a score) that has it; an int when the scores are integers.
    sign : int
        1 where the positives lie higher (TPR > FPR), -1 where they lie lower, 0 when the
        statistic is 0.
    true_positive_rate, false_positive_rate : float
        The rates at that threshold.

    Examples
    --------
    >>> KolmogorovSmirnov(0.5, 0.35, 1, true_positive_rate=1.0, false_positive_rate=0.5)
    KolmogorovSmirnov(statistic=0.5, threshold=0.35, sign=1, true_positive_rate=1,
    false_positive_rate=0.5)
    """

    _number = "statistic"

    statistic: float
    threshold: float | int
    sign: int
    true_positive_rate: float
    false_positive_rate: float


@documented(SCORED_BINARY, BOTH_CLASSES)
def ks_statistic(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> KolmogorovSmirnov:
    """Compute the two-sided Kolmogorov-Smirnov distance between the classes' scores.

    Returns
    -------
    KolmogorovSmirnov
        The largest ``|TPR - FPR|`` of the decision score >= threshold, the highest threshold
        that has it, the sign of the difference there, and both rates. Every number is nan, and
        the sign 0, where a class is missing.

    Notes
    -----
    One sort, then one pass over the distinct scores. Unweighted gaps are compared as the
    integers ``tp * n_negative - fp * n_positive``, of any size: the threshold is exact, and the
    statistic is the double nearest to the rational. The largest positive gap is Youden's J.

    References
    ----------
    Smirnov (1948), Table for estimating the goodness of fit of empirical distributions, Annals
    of Mathematical Statistics 19(2).

    Examples
    --------
    >>> ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    KolmogorovSmirnov(statistic=0.5, threshold=0.8, sign=1, true_positive_rate=0.5,
    false_positive_rate=0)
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the Kolmogorov-Smirnov statistic"):
        nan = float("nan")
        return KolmogorovSmirnov(nan, nan, 0, nan, nan)
    return ks_of_table(table)


def ks_of_table(table: ScoreTable) -> KolmogorovSmirnov:
    """Return the statistic of a table that has both classes."""
    if not table.is_weighted:
        n_positive, n_negative = int(table.n_positive), int(table.n_negative)
        row, tp, fp = _integer_gap(table, n_positive, n_negative)
        return ks_at(table.scores[row].item(), tp, fp, n_positive, n_negative)
    tprs, fprs = (sums / sums[-1] for sums in (table.true_positives, table.false_positives))
    row = int(np.argmax(np.abs(tprs - fprs)))
    tpr, fpr = (float(rates[row]) for rates in (tprs, fprs))
    return _ks(table.scores[row].item(), tpr - fpr, tpr, fpr)


def ks_at(
    threshold: int | float, tp: Any, fp: Any, n_positive: Any, n_negative: Any
) -> KolmogorovSmirnov:
    """Return the statistic at a known threshold, from the counts there, or exact fractions."""
    gap = (tp * n_negative - fp * n_positive) / (n_positive * n_negative)
    return _ks(threshold, float(gap), float(tp / n_positive), float(fp / n_negative))


def _ks(threshold: int | float, gap: float, tpr: float, fpr: float) -> KolmogorovSmirnov:
    return KolmogorovSmirnov(abs(gap), threshold, (gap > 0) - (gap < 0), tpr, fpr)


def _integer_gap(table: ScoreTable, n_positive: int, n_negative: int) -> tuple[int, int, int]:
    def find_extremes(piece: Piece) -> list[tuple[int, int, int]]:
        ends = extreme_gaps(*piece.columns, n_positive, n_negative)
        return [(piece.start + row, piece.tp + tp, piece.fp + fp) for row, tp, fp in ends]

    counts = chain.from_iterable(by_pieces(table, find_extremes))
    # The first of equal gaps, at the highest threshold.
    return max(counts, key=lambda c: (abs(c[1] * n_negative - c[2] * n_positive), -c[0]))


def extreme_gaps(
    positives: NDArray[Any], negatives: NDArray[Any], n_positive: Any, n_negative: Any
) -> list[tuple[int, Any, Any]]:
    """Return row, TP and FP of the largest and of the smallest TPR - FPR in a piece of a table.

    TP and FP are counted from the start of the piece; the first of equal gaps counts.
    """
    if positives.dtype.kind == "i" and n_positive * n_negative < INT64_BOUND:
        ends = np.empty(6, np.int64)
        gap_ends(positives, negatives, n_positive, n_negative, ends)
        return [(row, tp, fp) for row, tp, fp in ends.reshape(2, 3).tolist()]
    # Weights, or the products overflow: floats select candidates, Python integers decide.
    tp, fp = running_sum(positives), running_sum(negatives)
    gaps = tp / n_positive - fp / n_negative
    extremes = []
    for sign in (1, -1):
        rows = np.flatnonzero(sign * gaps >= (sign * gaps).max() - 2 * _GAP_ERROR)
        counts = zip(rows.tolist(), tp[rows].tolist(), fp[rows].tolist(), strict=True)
        extremes.append(max(counts, key=lambda c: sign * (c[1] * n_negative - c[2] * n_positive)))
    return extremes


# scikit-learn's messages, so that warning filters for them still work.
NO_NEGATIVE = "No negative samples in y_true, false positive value should be meaningless"
NO_POSITIVE = "No positive samples in y_true, true positive value should be meaningless"


@documented(SCORED_BINARY)
def roc_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
    n_threads: int | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Compute the ROC curve: false and true positive rate at every distinct score.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Binary labels, and scores: the greater, the more positive; or a ScoreTable alone.
    drop_intermediate : bool, default=True
        Leave out the thresholds that lie inside a straight piece of the curve, as scikit-learn
        does: a row of the table whose counts equal those of the next one.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_thresholds,)
        Rates of the decision score >= threshold, rising from 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        Falling; the first is inf, where nothing is called positive.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing; the rate of that class is nan throughout.

    Notes
    -----
    One sort of O(n log n), then one pass of O(distinct scores) that counts the corners and one
    that writes them: no temporary of the table's length. Unweighted counts are integers and
    each rate is one division, so that the three arrays equal scikit-learn's bit for bit up to
    2**53 rows. With weights, "straight" compares the weights themselves; scikit-learn compares
    rounded sums of them and keeps more points of the same curve.

    References
    ----------
    Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> thresholds.tolist()
    [inf, 0.8, 0.4, 0.35, 0.1]
    """
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule="curve"
    )
    check_float_thresholds(table.scores)
    drop_intermediate = check_flag("drop_intermediate", drop_intermediate)
    fpr, tpr, thresholds = roc_of_table(table, drop_intermediate=drop_intermediate)
    if math.isnan(fpr[-1]):
        warn_user(NO_NEGATIVE, UndefinedMetricWarning)
    if math.isnan(tpr[-1]):
        warn_user(NO_POSITIVE, UndefinedMetricWarning)
    return fpr, tpr, thresholds


def roc_of_table(
    table: ScoreTable, *, drop_intermediate: bool = True
) -> tuple[Floats, Floats, Floats]:
    """Return the ROC curve of a table; the rate of a class without weight is nan."""
    if len(table) == 0:
        return np.array([np.nan]), np.array([np.nan]), np.array([np.inf])
    if table.is_weighted:
        return _weighted_roc(table, drop_intermediate)
    n_positive, n_negative = float(table.n_positive), float(table.n_negative)
    columns = table.positives, table.negatives
    ends = [*range(0, len(table), PIECE_ROWS), len(table)]
    offsets = [1 + end for end in ends]
    if drop_intermediate:
        jobs = [partial(corner_count, *columns, *piece) for piece in pairwise(ends)]
        corners = run(jobs) if len(jobs) > 1 else [jobs[0]()]
        offsets = [*accumulate(corners, initial=1)]
    fpr, tpr, thresholds = (np.empty(offsets[-1]) for _ in range(3))
    fpr[0] = tpr[0] = 0.0
    thresholds[0] = np.inf

    def write(piece: Piece) -> None:
        number = piece.start // PIECE_ROWS
        here = slice(offsets[number], offsets[number + 1])
        start = piece.start, piece.stop, piece.tp, piece.fp
        totals = n_positive or 1.0, n_negative or 1.0
        out = fpr[here], tpr[here], thresholds[here]
        write_roc(table.scores, *columns, *start, *totals, bool(drop_intermediate), *out)

    by_pieces(table, write)
    if not n_negative > 0:
        fpr.fill(np.nan)
    if not n_positive > 0:
        tpr.fill(np.nan)
    return fpr, tpr, thresholds


def _weighted_roc(table: ScoreTable, drop_intermediate: bool) -> tuple[Floats, Floats, Floats]:
    tp, fp = table.true_positives, table.false_positives
    scores: NDArray[Any] = table.scores
    if drop_intermediate and len(table) > 2:
        kept = _bends(table.positives) | _bends(table.negatives)
        tp, fp, scores = (column[kept] for column in (tp, fp, scores))
    thresholds = np.concatenate(([np.inf], scores.astype(np.float64)))
    return _rates(fp), _rates(tp), thresholds


def _bends(weights: Floats) -> NDArray[np.bool_]:
    """Return True at both ends and where the next row's weight differs."""
    bends = np.ones(len(weights), dtype=np.bool_)
    bends[1:-1] = weights[2:] != weights[1:-1]
    return bends


def _rates(sums: Floats) -> Floats:
    """Return cumulative sums as fractions of the last, from 0; nan if that is 0."""
    if not sums[-1] > 0:
        return np.full(len(sums) + 1, np.nan)
    rates = np.zeros(len(sums) + 1)
    np.divide(sums, sums[-1], out=rates[1:])
    return rates


@documented(SCORED)
def det_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
    *,
    n_threads: int | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Compute the detection error tradeoff: false positive and false negative rates.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Binary labels, and scores: the greater, the more positive; or a ScoreTable alone.
    drop_intermediate : bool, default=False
        Keep only the first and the last threshold of those with equal true positives.

    Returns
    -------
    fpr, fnr : ndarray of shape (n_thresholds,)
        False positive rate of the decision score >= threshold, falling, and its false negative
        rate, rising. The curve starts at the highest threshold without a false negative and
        ends at the lowest without a false positive.
    thresholds : ndarray of shape (n_thresholds,)
        Rising; the last is inf where every finite threshold has a false positive.

    Raises
    ------
    ValueError
        If the data are not binary labels and finite scores, or one class is missing (as in
        scikit-learn, which returns no curve then).

    Notes
    -----
    One sort of O(n log n), then passes over the distinct scores.

    References
    ----------
    Martin, Doddington, Kamm, Ordowski & Przybocki (1997), The DET curve in assessment of
    detection task performance, Eurospeech.

    Examples
    --------
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist(), thresholds.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8])
    """
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule="curve"
    )
    if not (table.n_positive > 0 and table.n_negative > 0):
        raise InputError(
            "`y_true` must hold examples of both classes, of positive weight: without them there "
            f"are no two rates of error (positives {table.n_positive:g}, negatives "
            f"{table.n_negative:g})"
        )
    check_float_thresholds(table.scores)
    if not (check_flag("drop_intermediate", drop_intermediate) or table.is_weighted):
        return _det_from_counts(table)
    tp, fp = _from_zero(table.true_positives), _from_zero(table.false_positives)
    thresholds = np.concatenate(([np.inf], table.scores.astype(np.float64)))
    if drop_intermediate and len(tp) > 2:
        kept = np.ones(len(tp), dtype=np.bool_)
        gains = table.positives != 0
        kept[1:-1] = gains[:-1] | gains[1:]
        tp, fp, thresholds = (column[kept] for column in (tp, fp, thresholds))
    first = int(np.searchsorted(fp, 0, side="right")) - 1
    inner = slice(first, int(np.searchsorted(tp, tp[-1])) + 1)
    false_negatives = tp[-1] - tp[inner]
    return (
        fp[inner][::-1] / float(fp[-1]),
        false_negatives[::-1] / float(tp[-1]),
        thresholds[inner][::-1].copy(),
    )


def _det_from_counts(table: ScoreTable) -> tuple[Floats, Floats, Floats]:
    """Return the whole DET curve of a table without weights, on all threads."""
    n_positive, n_negative = int(table.n_positive), int(table.n_negative)
    first = int(np.argmax(table.negatives > 0))  # candidates: inf, then the scores
    last = len(table) + 1 - int(np.argmax(table.positives[::-1] > 0))
    fpr, fnr, thresholds = np.empty((3, last - first))

    def write(piece: Piece) -> None:
        low, high = max(piece.start, first - 1), min(piece.stop, last - 1)
        if low >= high:
            return
        here = slice(last - 1 - high, last - 1 - low)
        local = slice(low - piece.start, high - piece.start)
        fp, tp = (np.cumsum(each)[local][::-1] for each in (piece.negatives, piece.positives))
        np.divide(fp + piece.fp, float(n_negative), out=fpr[here])
        np.divide(n_positive - piece.tp - tp, float(n_positive), out=fnr[here])
        thresholds[here] = table.scores[low:high][::-1]

    by_pieces(table, write)
    if first == 0:
        fpr[-1] = 0.0
        fnr[-1] = 1.0
        thresholds[-1] = np.inf
    return fpr, fnr, thresholds


def _from_zero(sums: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((np.zeros(1, dtype=sums.dtype), sums))


def auc(x: ArrayLike, y: ArrayLike) -> float:
    """Compute the area under any curve by the trapezoidal rule.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Abscissas, nowhere falling or nowhere rising, and ordinates.

    Returns
    -------
    float
        The area, taken from the left to the right whichever way `x` runs.

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than two points, or `x` is not monotone.

    Notes
    -----
    O(n), in float64 whatever the type of the points (scikit-learn sums float32 in float32).
    For the area under an ROC curve use `roc_auc_score`, which rounds once.

    Examples
    --------
    >>> auc([0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    0.625
    """
    abscissas = _flat(x, "x")
    ordinates = _flat(y, "y")
    check_same_length(x=abscissas, y=ordinates)
    if len(abscissas) < 2:
        raise InputError(f"`x` and `y` must hold two points or more: got {len(abscissas)}")
    steps = np.diff(abscissas)
    direction = 1.0
    if np.any(steps < 0):
        if not np.all(steps <= 0):
            raise InputError(f"x is neither increasing nor decreasing : {np.asarray(x)}.")
        direction = -1.0
    return direction * float((steps * (ordinates[1:] + ordinates[:-1]) / 2.0).sum())


def _flat(values: ArrayLike, name: str) -> Floats:
    array = as_vector(values, name)
    if array.dtype.kind not in "biuf":
        raise InputTypeError(f"`{name}` must hold real numbers: got {array.dtype}")
    return array.astype(np.float64, copy=False)
