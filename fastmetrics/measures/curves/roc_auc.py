"""The area under the ROC curve, and its complement, the rank loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import (
    check_class_labels,
    check_multilabel_indicator,
    in_class_order,
)
from fastmetrics._input.containers import column_count
from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import check_choice, check_fraction
from fastmetrics._input.scores import check_score_matrix
from fastmetrics._kernels.curve_kernels import concordant_pairs_by_row
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.curves._averaging import AVERAGES, averaged
from fastmetrics.measures.curves.partial_auc import area_between, mcclish
from fastmetrics.measures.curves.roc_multiclass import multiclass_roc_auc
from fastmetrics.tables.pairs import PairCounts, count_pairs, pairs_of_weights
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    SCORED,
    SCORED_BINARY,
    Floats,
    ScoreTable,
    as_table,
)

# scikit-learn's words, so that a filter on them still works.
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
    sort of O(n log n) for each column, one-vs-one for each ordered pair of classes.

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
            return _multilabel(y_true, y_score, average, sample_weight, max_fpr)
        # Two columns beside two classes are `predict_proba` unsliced: the binary check says so.
        columns = column_count(y_score)
        if columns > 2 or (columns == 2 and len(check_class_labels(y_true).classes) > 2):
            if max_fpr not in (None, 1):
                raise InputError(
                    f"`max_fpr` must be None or 1 beside three classes or more: got {max_fpr!r}"
                )
            if multi_class == "raise":
                raise InputError("multi_class must be in ('ovo', 'ovr')")
            return multiclass_roc_auc(
                y_true,
                y_score,
                _binary_auc,
                labels=labels,
                multi_class=multi_class,
                average=average,
                sample_weight=sample_weight,
            )
    data = _rows_or_table(y_true, y_score, sample_weight=sample_weight, label_rule="sorted")
    return _binary_auc(data, max_fpr=max_fpr)


def _multilabel(
    y_true: Any, y_score: Any, average: str | None, sample_weight: Any, max_fpr: float | None
) -> float | Floats:
    def measure(labels: NDArray[Any], scores: NDArray[Any], weights: Any) -> float:
        rows = _rows_or_table(labels, scores, sample_weight=weights, label_rule="curve")
        return _binary_auc(rows, max_fpr=max_fpr)

    by_row = _auc_by_row if max_fpr in (None, 1) else None
    return averaged(
        measure,
        check_multilabel_indicator(y_true),
        check_score_matrix(in_class_order(y_score, y_true)),
        average=average,
        sample_weight=sample_weight,
        by_row=by_row,
    )


def _auc_by_row(labels: NDArray[Any], scores: NDArray[Any]) -> Floats:
    """Return the AUC of each row of a matrix; one warning for those of one class."""
    # One layout, so that the kernel is compiled for one.
    labels, scores = np.ascontiguousarray(labels), np.ascontiguousarray(scores)
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


def _binary_auc(data: BinaryRows | ScoreTable, *, max_fpr: float | None = None) -> float:
    """Return the AUC of two classes, or the standardised area up to ``max_fpr``."""
    if max_fpr is None or max_fpr == 1:
        counts = _pairs_of(data)
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


def _pairs_of(data: BinaryRows | ScoreTable) -> PairCounts:
    """Count the pairs of rows without building their table, or those of a table."""
    if isinstance(data, ScoreTable):
        return pairs_of_weights(data.positives, data.negatives)
    return count_pairs(data)


def _rows_or_table(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any,
    pos_label: Any = None,
    label_rule: str = "strict",
) -> BinaryRows | ScoreTable:
    """Return the table that was given in place of the labels, else the checked rows."""
    if isinstance(y_true, ScoreTable):
        return as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    return check_binary(
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
    """Compute the share of pairs of a positive and a negative that are ranked wrongly.

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
    data = _rows_or_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    counts = _pairs_of(data)
    if not (counts.n_positive > 0 and counts.n_negative > 0):
        message = "the rank loss is not defined: only one class is present in y_true"
        warn_user(message, UndefinedMetricWarning)
        return float("nan")
    return float(counts.rank_loss)
