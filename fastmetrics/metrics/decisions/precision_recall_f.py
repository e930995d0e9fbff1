"""Precision, recall, F and the Jaccard index of decisions: of a class, of each, or averaged."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics.errors import InputTypeError
from fastmetrics.metrics.decisions._class_counts import AVERAGED, METRICS, Floats, compute_scores
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

Average = Literal["binary", "micro", "macro", "weighted", "samples"]
Scores = float | Floats


@documented(AVERAGED)
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
    """Compute precision, recall, F metric and support, of each class or averaged.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.
    beta : float, default=1.0
        Recall counts `beta` times as much as precision in F; 0 gives precision, inf recall.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default=None
        None: each class; the others are averages, as in `f1_score`.
    warn_for : list, tuple or set, default=("precision", "recall", "f-score")
        The metrics that warn where they are undefined.

    Returns
    -------
    precision, recall, fbeta_score : float or ndarray of shape (n_labels,)
        The metrics.
    support : ndarray of shape (n_labels,), or None for an average
        Examples (or weight) of each class: int64, float64 with weights.

    Notes
    -----
    Precision is 0/0 for a class never predicted, recall for one that never occurs, F where both is
    so.

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
    if not isinstance(warn_for, list | tuple | set):
        raise InputTypeError(f"`warn_for` must be a list, a tuple or a set: got {warn_for!r}")
    given = y_true, y_pred, beta, labels, pos_label, average, sample_weight, zero_division
    (precision, recall, f_score), counts = compute_scores(METRICS, *given, warn_for=warn_for)
    support = None if counts is None or average is not None else counts.to_reported(counts.true)
    return precision, recall, f_score, support


@documented(AVERAGED)
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
    """Compute precision: the proportion of examples predicted as a class that belong to it.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        TP / (TP + FP), 0/0 where nothing is given to a class.

    Examples
    --------
    >>> precision_score([0, 1, 1, 0, 1], [0, 1, 0, 1, 1])
    0.6666666666666666
    >>> precision_score([0, 1, 2, 2], [0, 2, 2, 2], average=None, zero_division=0)
    array([1.        , 0.        , 0.66666667])
    """
    given = y_true, y_pred, 1.0, labels, pos_label, average, sample_weight, zero_division
    return _one("precision", *given)


@documented(AVERAGED)
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
    """Compute recall: the proportion of examples of a class that are predicted as it.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        TP / (TP + FN), 0/0 where a class does not occur.

    Examples
    --------
    >>> recall_score([0, 1, 1, 0, 1], [0, 1, 0, 1, 1])
    0.6666666666666666
    >>> recall_score(["cat", "dog", "dog"], ["cat", "cat", "dog"], pos_label="dog")
    0.5
    """
    given = y_true, y_pred, 1.0, labels, pos_label, average, sample_weight, zero_division
    return _one("recall", *given)


@documented(AVERAGED)
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
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        2 TP / (2 TP + FP + FN), 0/0 for a class that neither occurs nor is predicted.

    Notes
    -----
    With "macro" it is the mean of the F1 of the classes, not the textbook's harmonic mean of macro
    precision and macro recall (`macro_f1_harmonic`).

    Examples
    --------
    >>> f1_score([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
    0.8
    >>> from fastmetrics import ConfusionMatrix
    >>> f1_score(ConfusionMatrix.binary(tp=2, fp=0, fn=1, tn=2))
    0.8
    """
    given = y_true, y_pred, 1.0, labels, pos_label, average, sample_weight, zero_division
    return _one("f-score", *given)


@documented(AVERAGED)
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
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.
    beta : float
        Above 1 recall counts more than precision; 0 gives precision, inf recall.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        (1 + beta²) TP / ((1 + beta²) TP + beta² FN + FP), 0/0 as F1.

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, 2nd ed., chapter 7.

    Examples
    --------
    >>> fbeta_score([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], beta=2)
    0.7142857142857143
    """
    given = y_true, y_pred, beta, labels, pos_label, average, sample_weight, zero_division
    return _one("f-score", *given)


def _one(name: str, *given: Any) -> Scores:
    value: Scores = compute_scores((name,), *given)[0][0]
    return value


@documented(AVERAGED)
def jaccard_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: float | Literal["warn"] = "warn",
) -> Scores:
    """Compute Jaccard's index: the intersection of two sets of examples over their union.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.
    zero_division : {"warn", 0, 1}, default="warn"
        What stands where it is 0/0; "warn" is 0 with a warning.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        TP / (TP + FP + FN), 0/0 where both sets are empty.

    Notes
    -----
    With Jaccard's index J, F1 is 2 J / (1 + J).

    References
    ----------
    Jaccard (1901), Étude comparative de la distribution florale dans une portion des Alpes et des
    Jura, Bulletin de la Société Vaudoise des Sciences Naturelles 37.

    Examples
    --------
    >>> jaccard_score([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
    0.6666666666666666
    >>> jaccard_score(["a", "b", "b"], ["a", "a", "b"], average=None)
    array([0.5, 0.5])
    """
    given = y_true, y_pred, 1.0, labels, pos_label, average, sample_weight, zero_division
    return _one("jaccard", *given)
