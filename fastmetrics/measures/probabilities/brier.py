"""The Brier score (squared error of probabilities), and the share of it that a model explains."""

from __future__ import annotations

import math
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.classes import in_class_order
from fastmetrics._input.scalars import check_choice
from fastmetrics.measures.probabilities._class_rows import LABELS
from fastmetrics.measures.probabilities._loss_sums import SQUARE, LossSums
from fastmetrics.measures.probabilities._probability_losses import (
    D2,
    LABELS_OR_INDICATOR,
    ProbabilityRows,
    too_few_for_d2,
    undefined_skill,
)

_PROBABILITIES: Final = """
Parameters
----------
pos_label : number, bool or str, optional
    The positive label beside one column: 1 for labels in {0, 1} or {-1, 1}, the greater of
    two other numbers, and needed for text. Not read beside several columns.
labels : array-like of shape (n_classes,), optional
    The classes beside several columns, sorted; needed when one has no row. Beside one column
    they choose nothing, and must name the labels that occur.

Raises
------
ValueError
    If a probability lies outside [0, 1], labels are text without `pos_label`, `pos_label` is
    none of two labels, or labels and columns do not match.
"""


#: Rounding of two sums takes the skill of the shares themselves so far from 0: 6 * 2**-53 seen.
_ROUNDING: Final = 2.0**-50


@documented(LABELS_OR_INDICATOR, _PROBABILITIES, LABELS)
def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: float | bool | str | None = None,
    labels: ArrayLike | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
    n_threads: int | None = None,
) -> float:
    """Compute the Brier score: the mean squared error of the probabilities of the classes.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the positive label,
        or one column for each class in the order of the sorted labels.
    scale_by_half : bool or "auto", default "auto"
        Whether to halve the sum over the classes, so that it lies in [0, 1] and not in [0, 2]:
        "auto" does for two classes.

    Returns
    -------
    float
        At least 0, the smaller the better.

    Notes
    -----
    One pass, O(n k) time, without a temporary of length n for integer labels. Summed in double
    precision; the sum is off by at most 2**-48 of itself, whatever its length.

    References
    ----------
    Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly
    Weather Review 78, 1-3.

    Examples
    --------
    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.0375
    >>> y_proba = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]
    >>> round(brier_score_loss(["a", "b", "c"], y_proba), 6)
    0.146667
    """
    choice: Any = scale_by_half
    choice = bool(choice) if isinstance(choice, np.bool_) else choice
    check_choice("scale_by_half", choice, (True, False, "auto"))
    y_proba = in_class_order(y_proba, y_true, labels, name="y_proba")
    rows = ProbabilityRows(y_true, y_proba, sample_weight)
    sums = _squares(rows, pos_label, labels)
    n_columns = 1 if rows.scores.ndim == 1 else rows.scores.shape[1]
    halved = n_columns <= 2 if choice == "auto" else choice
    # One column holds the error of one of the two classes, and the other's is the same.
    factor = (1.0 if n_columns == 1 else 0.5) if halved else (2.0 if n_columns == 1 else 1.0)
    return sums.mean * factor


@documented(LABELS_OR_INDICATOR, _PROBABILITIES, LABELS, D2)
def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: float | bool | str | None = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the Brier skill score: 1 - Brier score / that of the classes' shares.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the positive label,
        or one column for each class in the order of the sorted labels.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two rows (nan), or all rows belong to one class: the shares then
        make no error, and the result is -inf, or nan if the model makes none either.

    Notes
    -----
    One pass: the score of the shares p_c follows from the weights of the classes, it is the sum of
    p_c (1 - p_c).

    References
    ----------
    Murphy, A. H. (1973). A new vector partition of the probability score. Journal of Applied
    Meteorology 12, 595-600.

    Examples
    --------
    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.85
    """
    if too_few_for_d2(y_true, y_proba):
        return math.nan
    y_proba = in_class_order(y_proba, y_true, labels, name="y_proba")
    rows = ProbabilityRows(y_true, y_proba, sample_weight)
    sums = _squares(rows, pos_label, labels)
    return skill_of_squares(sums, is_one_column=rows.scores.ndim == 1)


def skill_of_squares(sums: LossSums, *, is_one_column: bool) -> float:
    """Return the Brier skill score of sums of squares, of the error of one class or of all."""
    mean = sums.mean * (2.0 if is_one_column else 1.0)
    shares = sums.class_shares
    null_mean = math.fsum(shares * (1.0 - shares))
    if null_mean > 0.0:
        score = 1.0 - mean / null_mean
        return 0.0 if abs(score) <= _ROUNDING else score
    return undefined_skill("Brier score", has_loss=mean > 0.0)


def _squares(rows: ProbabilityRows, pos_label: object, labels: object) -> LossSums:
    if rows.scores.ndim == 1:
        rows.check_named(labels)
        return rows.sums_by_pos_label(SQUARE, pos_label)
    return rows.sums_by_labels(SQUARE, labels)
