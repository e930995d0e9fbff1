"""Means of the recalls of the classes: balanced accuracy (arithmetic) and the geometric mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.measures.decisions._dual import ratio
from fastmetrics.measures.decisions._matrix_input import (
    CLASSES,
    defined,
    drop_in_sums,
    strict_sums,
    warn_single_label,
)
from fastmetrics.measures.decisions.count_measures import value_of_sums
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


@documented(CLASSES)
def balanced_accuracy_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    adjusted: bool = False,
) -> float:
    """Compute the mean of the recalls of the classes that occur in the true labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfusionMatrix
        Labels of any number of classes; or a matrix, and then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    adjusted : bool, default=False
        Whether to rescale, so that chance is 0 and a perfect classifier 1.

    Returns
    -------
    float
        In [0, 1]; adjusted in [-1 / (K - 1), 1], and nan for a single class.

    Warns
    -----
    UserWarning
        If a predicted class has no true example: it is left out of the mean; and if only one label
        occurs.
    UndefinedMetricWarning
        If `adjusted` meets a single class, or a matrix has no example: nan.

    Notes
    -----
    It is the accuracy where each class has the same weight in
    all. `count_measure` with "balanced_accuracy" is strict instead: nan where a class has no true
    example.

    References
    ----------
    Brodersen, K. et al. (2010). The balanced accuracy and its posterior distribution. ICPR 20.

    Examples
    --------
    >>> balanced_accuracy_score([0, 0, 0, 1, 1], [0, 0, 0, 1, 0])
    0.75
    >>> balanced_accuracy_score([0, 0, 0, 1, 1], [0, 0, 0, 1, 0], adjusted=True)
    0.5
    """
    check_choice("adjusted", adjusted, (True, False))
    labels, sums = drop_in_sums(y_true, y_pred, sample_weight=sample_weight)
    warn_single_label(labels)
    present = sums.true > 0
    if not present.any():
        return defined(np.nan, "the balanced accuracy is not defined: there is no example")
    if not present.all():
        warn_user("y_pred contains classes not in y_true", UserWarning)
    recalls = ratio(sums.hits[present], sums.true[present])
    score = float(recalls.mean())
    if not adjusted:
        return score
    if len(recalls) == 1:
        warn_user(
            "the adjusted balanced accuracy is not defined: only one class is present in y_true",
            UndefinedMetricWarning,
        )
        return float("nan")
    chance = 1.0 / len(recalls)
    return (score - chance) / (1.0 - chance)


@documented(CLASSES)
def g_mean(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the geometric mean of the recalls of all classes.

    Returns
    -------
    float
        In [0, 1], 0 if one class is never found; nan where a class has no true example.

    Warns
    -----
    UndefinedMetricWarning
        If a class has no true example.

    Notes
    -----
    Of two classes it is the square root of recall times
    specificity; which of them is positive does not matter.

    References
    ----------
    Kubat, M. & Matwin, S. (1997). Addressing the curse of imbalanced training sets. ICML 14.

    Examples
    --------
    >>> g_mean([0, 0, 0, 0, 1], [0, 0, 0, 0, 1])
    1.0
    >>> g_mean([0, 0, 0, 0, 1], [0, 0, 0, 0, 0])
    0.0
    """
    found = strict_sums(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    reason = "the geometric mean of recalls is not defined: a class has no example in y_true"
    return defined(value_of_sums("g_mean", found.sums), reason)
