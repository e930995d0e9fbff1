"""Agreement of two columns of labels beyond chance: Matthews' coefficient and Cohen's kappa."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_real
from fastmetrics.errors import InputError, UndefinedMetricWarning, renamed, warn_user
from fastmetrics.measures.decisions._matrix_input import (
    CLASSES,
    defined,
    drop_in_counts,
    drop_in_sums,
    picked,
    warn_single_label,
)
from fastmetrics.measures.decisions.count_measures import value, value_of_sums
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_NONE_IN_COMMON: Final = "`y2` contains no labels that are present in both `y1` and `labels`."
_ONE_IN_COMMON: Final = "`y1`, `y2` and `labels` have only one label in common."


@documented(CLASSES)
def matthews_corrcoef(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute Matthews' correlation coefficient of true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any number of classes; or a ConfusionMatrix alone.

    Returns
    -------
    float
        1 for perfect prediction, 0 for no relation, at least -1; 0 where one of the columns has a
        single label, though it is 0/0 there.

    Warns
    -----
    UserWarning
        If only one label occurs.
    UndefinedMetricWarning
        If a matrix has no example: nan.

    Notes
    -----
    `count_measure` with "matthews_corrcoef" is strict instead:
    nan where it is 0/0.

    References
    ----------
    Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation
    coefficient. Computational Biology and Chemistry 28(5-6), 367-374.

    Examples
    --------
    >>> matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1])
    -0.3333333333333333
    """
    labels, sums = drop_in_sums(y_true, y_pred, sample_weight=sample_weight)
    warn_single_label(labels)
    if not sums.total > 0:
        return defined(np.nan, "Matthews' coefficient is not defined: there is no example")
    coefficient = value_of_sums("matthews_corrcoef", sums)
    return 0.0 if math.isnan(coefficient) else coefficient


@documented(CLASSES)
def cohen_kappa_score(
    y1: ArrayLike | ConfusionMatrix,
    y2: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    weights: str | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float = math.nan,
) -> float:
    """Compute Cohen's kappa, the agreement of two annotators beyond chance.

    Parameters
    ----------
    y1, y2 : array-like of shape (n_samples,)
        Labels by two annotators, whose exchange changes nothing; or a ConfusionMatrix alone.
    labels : array-like of shape (K,), optional
        The classes that count, in their order: pairs with another label are left out. By default
        all that occur, sorted.
    weights : {"linear", "quadratic"}, optional
        How much a disagreement counts: the distance of the two classes in the order of the labels,
        or its square; None counts all alike.
    replace_undefined_by : float, default=nan
        In [-1, 1] or nan: what to return where kappa is 0/0.

    Returns
    -------
    float
        At most 1; 0 is chance.

    Warns
    -----
    UndefinedMetricWarning
        If no pair is left, or both columns have the same single label: `replace_undefined_by` is
        returned.
    UserWarning
        If there is one label only.

    Notes
    -----
    It is 1 - observed / expected disagreement.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological
    Measurement 20(1); (1968). Weighted kappa. Psychological Bulletin 70(4).

    Examples
    --------
    >>> cohen_kappa_score(["no", "yes", "no", "perhaps"], ["no", "yes", "yes", "perhaps"])
    0.6363636363636364
    >>> cohen_kappa_score([1, 2, 3, 3], [1, 2, 2, 3], weights="linear")
    0.7142857142857143
    """
    check_choice("weights", weights, (None, "linear", "quadratic"))
    otherwise = check_real("replace_undefined_by", replace_undefined_by)
    if not (math.isnan(otherwise) or -1.0 <= otherwise <= 1.0):
        raise InputError(
            f"`replace_undefined_by` must lie in [-1, 1] or be nan: got {replace_undefined_by!r}"
        )
    if labels is None and weights is None:
        with renamed(y_true="y1", y_pred="y2"):
            own, sums = drop_in_sums(y1, y2, sample_weight=sample_weight, name="y2")
        kappa, is_empty = value_of_sums("cohen_kappa", sums, weights=None), not sums.total > 0
    else:
        with renamed(y_true="y1", y_pred="y2"):
            found = drop_in_counts(y1, y2, sample_weight=sample_weight, name="y2")
        if labels is not None:
            found = picked(found, labels, y1, y2, "y1")
        own, is_empty = found.labels, not found.counts.any()
        kappa = float(value("cohen_kappa", found.counts, weights=weights))
    warn_single_label(own)
    if math.isnan(kappa):
        reason = _NONE_IN_COMMON if is_empty else _ONE_IN_COMMON
        warn_user(
            f"{reason} `cohen_kappa_score` is undefined and set to the value defined by the "
            f"`replace_undefined_by` param, which is set to {otherwise}.",
            UndefinedMetricWarning,
        )
        return otherwise
    return kappa
