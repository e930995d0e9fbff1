"""Areas under the ROC curve: whole, partial, of several classes; and the rank loss."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import (
    check_class_labels,
    check_multilabel_indicator,
    class_codes,
    in_class_order,
)
from fastmetrics._input.containers import column_count
from fastmetrics._input.device import DeviceCounts
from fastmetrics._input.regression_targets import check_sums
from fastmetrics._input.rows import BinaryRows, check_binary, check_rows
from fastmetrics._input.scalars import (
    check_choice,
    check_flag,
    check_fraction,
    check_real,
    check_same_length,
)
from fastmetrics._input.scores import check_finite, check_score_matrix, check_weights, score_matrix
from fastmetrics._kernels.curve_kernels import concordant_pairs_by_row
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.metrics.curves._averaging import AVERAGES, average_metric, binarize
from fastmetrics.tables.ordering import row_order, sort_bucket
from fastmetrics.tables.pairs import (
    PairCounts,
    count_pairs,
    exact_dot,
    pairs_of_sorted,
    pairs_of_weights,
)
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED,
    SCORED_BINARY,
    Floats,
    ScoreTable,
    as_table,
    lacks_a_class,
)

#: Rows that are transposed at a time.
_BLOCK = 4_096
_AVERAGES = ("macro", "weighted", None)


def _multiclass(
    y_true: Any,
    y_score: Any,
    *,
    labels: Any,
    multi_class: str,
    average: str | None,
    sample_weight: Any,
) -> float | NDArray[np.float64]:
    """Return the AUC of class labels beside a matrix of class probabilities."""
    scores = class_scores(in_class_order(y_score, y_true, labels), sum_to_1=True)
    averages = _AVERAGES if multi_class == "ovo" else ("micro", *_AVERAGES)
    if average not in averages:
        raise InputError(f"average must be one of {averages} for multiclass problems")
    if multi_class == "ovo" and average is None:
        raise NotImplementedError("`average` must not be None with `multi_class`='ovo'")
    codes = class_codes(y_true, labels, scores.shape[1])
    check_same_length(y_true=codes, y_score=scores)
    if multi_class == "ovo":
        return _one_vs_one(codes, scores, average, sample_weight)
    indicator = binarize(codes, scores.shape[1])
    return average_metric(
        _auc_of_column, indicator, scores, average=average, sample_weight=sample_weight
    )


def _auc_of_column(labels: Any, scores: Any, weights: Any, max_fpr: float | None = None) -> float:
    rows = check_binary(labels, scores, sample_weight=weights, label_rule="curve")
    return _binary_auc(rows, max_fpr=max_fpr)


def class_scores(y_score: Any, name: str = "y_score", *, sum_to_1: bool = False) -> NDArray[Any]:
    """Return the matrix of class scores with contiguous columns; check values and row sums.

    Blocks of rows are transposed and summed while they are in cache: going column by column would
    read the whole matrix each time.
    """
    matrix = score_matrix(y_score, name)
    is_by_column = matrix.flags.f_contiguous
    columns = matrix.T if is_by_column else np.empty(matrix.shape[::-1], matrix.dtype)

    def read(start: int) -> tuple[Any, Any]:
        block = columns[:, start : start + _BLOCK]
        if not is_by_column:
            block[:] = matrix[start : start + _BLOCK].T
        with np.errstate(invalid="ignore", over="ignore"):  # checked below
            sums = block.sum(axis=0)
        return sums.min(), sums.max()

    ends = run([partial(read, start) for start in range(0, len(matrix), _BLOCK)])
    if not np.allclose(1, ends):
        check_finite(matrix, name)
        if sum_to_1:
            check_sums(columns.T, name)
    return columns.T


def _one_vs_one(
    codes: NDArray[np.int64], scores: NDArray[Any], average: str | None, sample_weight: Any
) -> float:
    """Return the mean over the pairs of classes of the mean of their two areas.

    Rows are grouped by class once: a pair is two slices of a column, not a mask over all rows.
    Without weights each slice is sorted once for all its pairs.
    """
    checked = None if sample_weight is None else check_weights(sample_weight, len(codes))
    rows = row_order(codes).rows
    weights = None if checked is None else checked.values[rows]
    sizes = np.bincount(codes, minlength=scores.shape[1])
    ends = np.cumsum(sizes).tolist()
    groups = [slice(low, high) for low, high in pairwise([0, *ends])]
    size = sizes.tolist() if weights is None else [float(weights[group].sum()) for group in groups]
    # A class without weight forms no pair.
    present = [code for code, total in enumerate(size) if total > 0]

    def compute_areas(code: int) -> dict[int, float]:
        """Return the areas of a class against each other class, by its column."""
        column = scores[:, code][rows]
        others = [other for other in present if other != code]
        if weights is None:
            ordered = [sort_bucket(column[group]) for group in groups]
            return {b: pairs_of_sorted(ordered[code], ordered[b]).auc for b in others}
        areas = {}
        for other in others:
            both = groups[code], groups[other]
            labels = np.repeat(np.array([1, 0], np.int8), [sizes[code], sizes[other]])
            pair_scores, pair_weights = (
                np.concatenate([values[group] for group in both]) for values in (column, weights)
            )
            counts = checked is not None and checked.is_integer
            rows_of_pair = BinaryRows(labels, 0, pair_scores, pair_weights, counts, False)
            areas[other] = _binary_auc(rows_of_pair)
        return areas

    areas_by_class = run([partial(compute_areas, code) for code in present])
    areas = dict(zip(present, areas_by_class, strict=True))
    pairs = list(combinations(present, 2))
    if not pairs:
        warn_user(ONE_CLASS, UndefinedMetricWarning)
        return float("nan")
    means = [(areas[a][b] + areas[b][a]) / 2 for a, b in pairs]
    pair_sizes = [float(size[a] + size[b]) for a, b in pairs]
    return float(np.average(means, weights=pair_sizes if average == "weighted" else None))


@documented(SCORED)
def partial_auc(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    false_positive_rate_range: tuple[float, float] | None = None,
    true_positive_rate_range: tuple[float, float] | None = None,
    standardized: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the area under the part of the ROC curve between two FPRs or two TPRs.

    Parameters
    ----------
    false_positive_rate_range : (float, float), optional
        The lowest and highest false positive rate: pROC's focus on specificity, with the
        specificities 1 - high to 1 - low. (0, 1) when no range is given.
    true_positive_rate_range : (float, float), optional
        The lowest and highest true positive rate: pROC's focus on sensitivity.
    standardized : bool, default=False
        Whether the area is rescaled so that the diagonal has .5 and a perfect curve 1.

    Returns
    -------
    float
        The area, at most high - low; nan where a class is missing, or where the corrected area
        is not defined.

    Raises
    ------
    ValueError
        If both ranges are given, a range is not 0 <= low < high <= 1, `standardized` is no bool, or
        the data are not binary labels and finite scores.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present; or, standardized, if the area is below the diagonal's,
        where the correction is not defined (pROC does the same).

    Notes
    -----
    The raw area is the integral of TPR over FPR for `false_positive_rate_range`, and of 1 - FPR
    over TPR for `true_positive_rate_range`. Ties are diagonals, and the curve is cut inside them at
    the ends of the range.
    McClish's correction is ``(1 + (area - diagonal) / (perfect - diagonal)) / 2`` with
    ``perfect = high - low`` and ``diagonal = (high - low) * (low + high) / 2`` over FPRs,
    ``(high - low) * (2 - low - high) / 2`` over TPRs. From FPR 0 to max_fpr it is the number of
    ``roc_auc_score(max_fpr=)``, which scikit-learn gives below the diagonal too.

    One sort, then a few passes over the distinct scores. Without weights everything is
    rational arithmetic (the ends of the range are taken as the doubles they are), rounded once.

    References
    ----------
    McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9(3).
    Robin et al. (2011), pROC: an open-source package for R and S+ to analyze and compare ROC
    curves, BMC Bioinformatics 12:77.

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> partial_auc(y_true, y_score, false_positive_rate_range=(0, 0.5))
    0.25
    >>> partial_auc(y_true, y_score, true_positive_rate_range=(0.5, 1), standardized=True)
    0.6666666666666666
    """
    over_tpr, low, high = _checked_range(false_positive_rate_range, true_positive_rate_range)
    check_flag("standardized", standardized)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if lacks_a_class(table, "the partial AUC"):
        return float("nan")
    area = area_between(table, low, high, over_tpr=over_tpr)
    if not standardized:
        return float(area)
    corrected = mcclish(area, low, high, over_tpr=over_tpr)
    if corrected < Fraction(1, 2):
        message = "the corrected partial AUC is not defined for an area below the diagonal's"
        warn_user(message, UndefinedMetricWarning)
        return float("nan")
    return float(corrected)


def _checked_range(
    false_positive_rate_range: Any, true_positive_rate_range: Any
) -> tuple[bool, Fraction, Fraction]:
    """Return True for a range of TPRs, and the ends of the range."""
    if false_positive_rate_range is not None and true_positive_rate_range is not None:
        raise InputError("give `false_positive_rate_range` or `true_positive_rate_range`, not both")
    over_tpr = true_positive_rate_range is not None
    name, given = (
        ("true_positive_rate_range", true_positive_rate_range)
        if over_tpr
        else ("false_positive_rate_range", false_positive_rate_range)
    )
    if given is None:
        return False, Fraction(0), Fraction(1)
    try:
        low, high = given
    except (TypeError, ValueError):
        raise InputError(f"`{name}` must be a pair (low, high): got {given!r}") from None
    low, high = check_real(name, low), check_real(name, high)
    if not 0 <= low < high <= 1:
        raise InputError(f"`{name}` must satisfy 0 <= low < high <= 1: got {given!r}")
    return over_tpr, Fraction(low), Fraction(high)


def mcclish(area: Fraction, low: Fraction, high: Fraction, *, over_tpr: bool) -> Fraction:
    """Return the area rescaled so that the diagonal's is 1/2 and the largest is 1."""
    perfect = high - low
    diagonal = perfect * (2 - low - high if over_tpr else low + high) / 2
    return (1 + (area - diagonal) / (perfect - diagonal)) / 2


def area_between(table: ScoreTable, low: Fraction, high: Fraction, *, over_tpr: bool) -> Fraction:
    """Return the area of a table that has both classes; exact when its counts are integers.

    Each row of the table is a piece of curve with a width along the axis of the range, a height
    where it starts (from the worst corner of the other axis) and a rise.
    """
    above = table.true_positives
    false_alarms = table.false_positives
    n_positive, n_negative = above[-1].item(), false_alarms[-1].item()
    if over_tpr:
        ends = above
        widths = table.positives
        drops = table.negatives
        # 1 - FPR falls by the negatives: in counts, n_negative - FP at the end of each row.
        floors = n_negative - false_alarms
    else:
        ends = false_alarms
        widths = table.negatives
        drops = table.positives
        floors = above - table.positives

    def cut(fraction: Fraction) -> tuple[int, Fraction]:
        """Return the number of rows before a fraction of the axis, and twice the rest area."""
        position = fraction * Fraction(ends[-1].item())
        # Compare integers with the whole part, which int64 holds; floats with the nearest double.
        key = ends.dtype.type(position.__floor__() if ends.dtype.kind == "i" else float(position))
        row = int(np.searchsorted(ends, key, side="right"))
        start = Fraction(ends[row - 1].item()) if row > 0 else Fraction(0)
        depth = max(position - start, Fraction(0))
        if depth == 0 or row == len(ends):
            return row, Fraction(0)
        drop = Fraction(drops[row].item())
        base = Fraction(floors[row].item())
        slope = drop / Fraction(widths[row].item())
        if over_tpr:  # the height falls along the axis
            return row, depth * (2 * (base + drop) - slope * depth)
        return row, depth * (2 * base + slope * depth)

    first, before = cut(low)
    last, behind = cut(high)
    rows = slice(first, last)
    # Twice a trapezoid is its width times (2 * the lower side + the difference of its sides).
    twice = Fraction(
        2 * exact_dot(widths[rows], floors[rows]) + exact_dot(widths[rows], drops[rows])
    )
    area = (twice + behind - before) / (2 * Fraction(n_positive) * Fraction(n_negative))
    return min(max(area, Fraction(0)), high - low)  # sums of weights are rounded


# scikit-learn's message, so that warning filters for it still work.
ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."


@documented(SCORED, BOTH_CLASSES)
def roc_auc_score(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    average: Literal["macro", "micro", "samples", "weighted"] | None = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float | Floats:
    """Compute the area under the ROC curve (AUC), exactly.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), or ScoreTable
        Labels of two classes (of any kind; the greater is the positive one), of more classes,
        or a multilabel indicator matrix. Or a table, and then `y_score` is left out.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        Scores; the greater, the more positive. With more than two classes one column of
        probabilities for each class, in the order of the labels.
    average : {"macro", "micro", "samples", "weighted"} or None, default="macro"
        How the columns of a matrix are summed up; None returns the value of each. Several
        classes know "macro", "weighted" and, one-vs-rest, "micro" and None.
    max_fpr : float, optional
        In (0, 1]: the area up to this false positive rate with McClish's correction, as
        `partial_auc` defines it, below the diagonal too. Not for several classes.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        Each class against the rest, or against each other class (Hand & Till).
    labels : array-like of shape (n_classes,), optional
        The classes in the order of the columns, sorted; for several classes only.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        The area; nan where only one class is present.

    Raises
    ------
    ValueError
        If an option is unknown or does not go with the data, or the data are not labels and
        finite scores.

    Notes
    -----
    The area of two classes is the share of pairs that the positive example wins, ties counted
    half: pairs are counted in integers of any size without building the curve, and divided
    once, so that the unweighted area is the double nearest to the true rational number. One
    sort of O(n log n) for each column, one-vs-one for each ordered pair of classes. Two classes
    whose scores are on a GPU (PyTorch, CuPy) are counted there, with the extra `device`.

    scikit-learn has no weights for one-vs-one. Here each pair's area is the weighted one of its
    two classes, and ``average="weighted"`` takes a pair's share of the total weight where the
    unweighted form takes its share of the rows: an integer weight equals that many copies.

    References
    ----------
    Hanley & McNeil (1982), The meaning and use of the area under a ROC curve, Radiology 143(1).
    Hand & Till (2001), A simple generalisation of the area under the ROC curve for multiple
    class classification problems, Machine Learning 45(2).

    Examples
    --------
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    >>> roc_auc_score([0, 1, 1], [0.5, 0.9, 0.5])
    0.75
    """
    check_choice("average", average, AVERAGES)
    check_choice("multi_class", multi_class, ("raise", "ovr", "ovo"))
    if max_fpr is not None:
        check_fraction("max_fpr", max_fpr, include_high=True)
    if not isinstance(y_true, ScoreTable):
        if column_count(y_true) > 1:
            return average_metric(
                partial(_auc_of_column, max_fpr=max_fpr),
                check_multilabel_indicator(y_true),
                check_score_matrix(in_class_order(y_score, y_true)),
                average=average,
                sample_weight=sample_weight,
                by_row=_auc_by_row if max_fpr in (None, 1) else None,
            )
        # Two columns beside two classes are `predict_proba` unsliced: the binary check says so.
        columns = column_count(y_score)
        if columns > 2 or (columns == 2 and len(check_class_labels(y_true).classes) > 2):
            if max_fpr not in (None, 1):
                raise InputError(
                    f"`max_fpr` must be None or 1 beside three classes or more: got {max_fpr!r}"
                )
            if multi_class == "raise":
                raise InputError("multi_class must be in ('ovo', 'ovr')")
            return _multiclass(
                y_true,
                y_score,
                labels=labels,
                multi_class=multi_class,
                average=average,
                sample_weight=sample_weight,
            )
    data = _rows_or_table(y_true, y_score, sample_weight, label_rule="sorted")
    return _binary_auc(data, max_fpr=max_fpr)


def _auc_by_row(labels: NDArray[Any], scores: NDArray[Any]) -> Floats:
    """Return the AUC of each row of a matrix; one warning for those of one class."""
    # One layout, so that the kernel is compiled for one.
    labels, scores = map(np.ascontiguousarray, (labels, scores))
    order = np.argsort(scores, axis=1)
    n_positive, n_negative, twice = np.zeros((3, len(labels)), dtype=np.int64)
    concordant_pairs_by_row(
        np.take_along_axis(labels, order, axis=1),
        np.take_along_axis(scores, order, axis=1),
        n_positive,
        n_negative,
        twice,
    )
    pairs = n_positive * n_negative
    if not pairs.all():
        warn_user(ONE_CLASS, UndefinedMetricWarning)
    values = np.full(len(pairs), np.nan)
    np.divide(twice, 2 * pairs, out=values, where=pairs > 0)
    return values


def _binary_auc(
    data: BinaryRows | DeviceCounts | ScoreTable, *, max_fpr: float | None = None
) -> float:
    """Return the AUC of two classes, or the standardised area up to ``max_fpr``."""
    if max_fpr is None or max_fpr == 1:
        counts = _count_pairs(data)
        undefined = not (counts.n_positive > 0 and counts.n_negative > 0)
        area = float("nan") if undefined else float(counts.auc)
    else:
        table = data if isinstance(data, ScoreTable) else ScoreTable.from_rows(data)
        undefined = not (table.n_positive > 0 and table.n_negative > 0)
        area = float("nan")
        if not undefined:
            ends = Fraction(0), Fraction(float(max_fpr))
            inside = area_between(table, *ends, over_tpr=False)
            area = float(mcclish(inside, *ends, over_tpr=False))
    if undefined:
        warn_user(ONE_CLASS, UndefinedMetricWarning)
    return area


def _count_pairs(data: BinaryRows | DeviceCounts | ScoreTable) -> PairCounts:
    """Count the pairs of a table, or of rows without building their table."""
    if isinstance(data, ScoreTable):
        return pairs_of_weights(data.positives, data.negatives)
    return count_pairs(data)


def _rows_or_table(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any = None, label_rule: str = "strict"
) -> BinaryRows | DeviceCounts | ScoreTable:
    """Return the given table, or the validated rows."""
    if isinstance(y_true, ScoreTable):
        return as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    return check_rows(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule=label_rule
    )


@documented(SCORED_BINARY, BOTH_CLASSES)
def rank_loss(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the proportion of pairs of a positive and a negative that are ranked wrongly.

    Returns
    -------
    float
        The loss, ties counted half; nan where only one class is present.

    See Also
    --------
    gini_coefficient : 1 - 2 rank loss.

    Notes
    -----
    1 - AUC between the rationals; each of the two is the double nearest to its own, so that
    ``1 - roc_auc_score(...)`` may differ in the last place. Counted as the AUC is.

    References
    ----------
    Zhou (2021), Machine Learning, section 2.3.3.

    Examples
    --------
    >>> rank_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.25
    """
    counts = _count_pairs(_rows_or_table(y_true, y_score, sample_weight, pos_label))
    if not (counts.n_positive > 0 and counts.n_negative > 0):
        message = "the rank loss is not defined: only one class is present in y_true"
        warn_user(message, UndefinedMetricWarning)
        return float("nan")
    return float(counts.rank_loss)
