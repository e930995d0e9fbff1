"""Precision, recall and the F measure of decisions: of one class, of each, or averaged."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics.measures.decisions._class_scores import METRICS, checked_warn_for, scores_asked
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

Floats = NDArray[np.float64]
Average = Literal["binary", "micro", "macro", "weighted", "samples"]
Scores = float | Floats


def precision_recall_fscore_support(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    beta: float = 1.0,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average | None = None,
    warn_for: Collection[str] = METRICS,
    sample_weight: ArrayLike | None = None,
    zero_division: float | Literal["warn"] = "warn",
) -> tuple[Scores, Scores, Scores, NDArray[Any] | None]:
    """Compute precision, recall, F measure and support, of each class or averaged.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
        True labels of any kind, or a multilabel indicator matrix. Or a matrix of counts, and then
        `y_pred` and `sample_weight` are left out.
    y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
        Predicted labels, or indicators.
    beta : float, default=1.0
        Recall counts `beta` times as much as precision in F; 0 gives precision, inf recall.
    labels : array-like of shape (n_labels,), optional
        The classes (or numbers of columns) to measure, in this order; all by default, sorted.
        One that does not occur counts 0.
    pos_label : label, default=1
        The class measured by ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default=None
        None: each class. "binary": the class `pos_label` of two. "micro": of the counts summed
        over the classes. "macro": the mean over the classes. "weighted": that mean weighted by
        support. "samples": the mean over the rows of an indicator matrix.
    warn_for : list, tuple or set, default=("precision", "recall", "f-score")
        The measures that warn where they are undefined.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        What stands where a ratio is 0/0; "warn" is 0 with a warning. Averages leave nan out.

    Returns
    -------
    precision, recall, fbeta_score : float or ndarray of shape (n_labels,)
        The measures.
    support : ndarray of shape (n_labels,), or None for an average
        Examples (or weight) of each class: int64, float64 with weights.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown or does not go with the targets, or targets or weights are wrong:
        the message names the argument, the rule, what came and where.

    Warns
    -----
    UndefinedMetricWarning
        If a ratio is 0/0 and `zero_division` is "warn".
    UserWarning
        If `pos_label` is given and `average` is not "binary".

    Notes
    -----
    One pass over labels in O(n), memory O(number of classes); the rest works on the counts. A
    value of one class is the ratio of two whole numbers, divided once. Precision is 0/0 for a
    class never predicted, recall for one that never occurs, F where both is so.

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, 2nd ed., chapter 7.

    Examples
    --------
    >>> y_true, y_pred = ["a", "a", "b", "c"], ["a", "b", "b", "b"]
    >>> precision_recall_fscore_support(y_true, y_pred, average="micro")
    (0.5, 0.5, 0.5, None)
    >>> precision, recall, f, support = precision_recall_fscore_support(
    ...     y_true, y_pred, labels=["a", "b"]
    ... )
    >>> recall
    array([0.5, 1. ])
    >>> support
    array([2, 1])
    """
    warn_for = checked_warn_for(warn_for)
    scores, counts = scores_asked(
        y_true,
        y_pred,
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=warn_for,
        sample_weight=sample_weight,
        zero_division=zero_division,
    )
    return (*scores, counts.shown(counts.true) if average is None else None)


def precision_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: float | Literal["warn"] = "warn",
) -> Scores:
    """Compute precision: of the examples given to a class, the share that are of it.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
        True labels, an indicator matrix, or counts (`y_pred` is then left out).
    y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
        Predicted labels, or indicators.
    labels : array-like of shape (n_labels,), optional
        The classes to measure, in this order; all by default.
    pos_label : label, default=1
        The class measured by ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
        As in `precision_recall_fscore_support`.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        The value where nothing is given to the class; "warn" is 0 with a warning.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        TP / (TP + FP).

    Raises
    ------
    TypeError, ValueError
        As `precision_recall_fscore_support`.

    Warns
    -----
    UndefinedMetricWarning
        If nothing is given to a class and `zero_division` is "warn".

    Notes
    -----
    One pass over labels in O(n); a value of one class is divided once.

    Examples
    --------
    >>> precision_score([0, 1, 1, 0, 1], [0, 1, 0, 1, 1])
    0.6666666666666666
    >>> precision_score([0, 1, 2, 2], [0, 2, 2, 2], average=None, zero_division=0)
    array([1.        , 0.        , 0.66666667])
    """
    return _one(0, y_true, y_pred, 1.0, labels, pos_label, average, sample_weight, zero_division)


def recall_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: float | Literal["warn"] = "warn",
) -> Scores:
    """Compute recall: of the examples of a class, the share that are given to it.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
        True labels, an indicator matrix, or counts (`y_pred` is then left out).
    y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
        Predicted labels, or indicators.
    labels : array-like of shape (n_labels,), optional
        The classes to measure, in this order; all by default.
    pos_label : label, default=1
        The class measured by ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
        As in `precision_recall_fscore_support`.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        The value where the class does not occur; "warn" is 0 with a warning.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        TP / (TP + FN).

    Raises
    ------
    TypeError, ValueError
        As `precision_recall_fscore_support`.

    Warns
    -----
    UndefinedMetricWarning
        If a class does not occur and `zero_division` is "warn".

    Notes
    -----
    One pass over labels in O(n); a value of one class is divided once.

    Examples
    --------
    >>> recall_score([0, 1, 1, 0, 1], [0, 1, 0, 1, 1])
    0.6666666666666666
    >>> recall_score(["cat", "dog", "dog"], ["cat", "cat", "dog"], pos_label="dog")
    0.5
    """
    return _one(1, y_true, y_pred, 1.0, labels, pos_label, average, sample_weight, zero_division)


def f1_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: float | Literal["warn"] = "warn",
) -> Scores:
    """Compute F1, the harmonic mean of precision and recall.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
        True labels, an indicator matrix, or counts (`y_pred` is then left out).
    y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
        Predicted labels, or indicators.
    labels : array-like of shape (n_labels,), optional
        The classes to measure, in this order; all by default.
    pos_label : label, default=1
        The class measured by ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
        As in `precision_recall_fscore_support`. "macro" is the mean of the F1 of the classes, not
        the textbook's harmonic mean of macro-precision and macro-recall.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        The value where the class neither occurs nor is predicted; "warn" is 0 with a warning.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        2 TP / (2 TP + FP + FN).

    Raises
    ------
    TypeError, ValueError
        As `precision_recall_fscore_support`.

    Warns
    -----
    UndefinedMetricWarning
        If a class neither occurs nor is predicted and `zero_division` is "warn".

    Notes
    -----
    One pass over labels in O(n); a value of one class is divided once.

    Examples
    --------
    >>> f1_score([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
    0.8
    >>> from fastmetrics import ConfusionMatrix
    >>> f1_score(ConfusionMatrix.binary(tp=2, fp=0, fn=1, tn=2))
    0.8
    """
    return _one(2, y_true, y_pred, 1.0, labels, pos_label, average, sample_weight, zero_division)


def fbeta_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: float | Literal["warn"] = "warn",
) -> Scores:
    """Compute F_beta, the harmonic mean of precision and recall in which recall weighs beta².

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k), sparse matrix, or ConfusionMatrix
        True labels, an indicator matrix, or counts (`y_pred` is then left out).
    y_pred : array-like of shape (n,) or (n, k), or sparse matrix, optional
        Predicted labels, or indicators.
    beta : float
        Above 1 recall counts more than precision; 0 gives precision, inf recall.
    labels : array-like of shape (n_labels,), optional
        The classes to measure, in this order; all by default.
    pos_label : label, default=1
        The class measured by ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
        As in `precision_recall_fscore_support`.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        The value where the class neither occurs nor is predicted; "warn" is 0 with a warning.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        (1 + beta²) TP / ((1 + beta²) TP + beta² FN + FP).

    Raises
    ------
    TypeError, ValueError
        As `precision_recall_fscore_support`.

    Warns
    -----
    UndefinedMetricWarning
        If a class neither occurs nor is predicted and `zero_division` is "warn".

    Notes
    -----
    One pass over labels in O(n).

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, 2nd ed., chapter 7.

    Examples
    --------
    >>> fbeta_score([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], beta=2)
    0.7142857142857143
    """
    return _one(2, y_true, y_pred, beta, labels, pos_label, average, sample_weight, zero_division)


def _one(
    which: Literal[0, 1, 2],
    y_true: Any,
    y_pred: Any,
    beta: Any,
    labels: Any,
    pos_label: Any,
    average: Any,
    sample_weight: Any,
    zero_division: Any,
) -> Scores:
    scores, _ = scores_asked(
        y_true,
        y_pred,
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=METRICS[which : which + 1],
        sample_weight=sample_weight,
        zero_division=zero_division,
    )
    return scores[which]
