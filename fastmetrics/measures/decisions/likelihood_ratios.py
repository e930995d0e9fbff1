"""The likelihood ratios of a test with two outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_real
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.decisions._count_formulas import (
    negative_likelihood_ratio,
    positive_likelihood_ratio,
    tally,
)
from fastmetrics.measures.decisions._matrix_input import (
    CLASSES,
    check_some_label,
    drop_in_counts,
    picked,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


@documented(CLASSES)
def class_likelihood_ratios(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float | Mapping[str, float] = math.nan,
) -> tuple[float, float]:
    """Compute the positive and the negative likelihood ratio of two classes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfusionMatrix
        Labels of two classes; or a matrix of two, and then `y_pred` is left out.
    labels : array-like of shape (2,), optional
        The two classes, the positive one last; by default those that occur, sorted.
    replace_undefined_by : nan, 1.0 or dict, default=nan
        What to return where a ratio is divided by 0: nan or 1 for both, or a dictionary of
        "LR+" (at least 1, or nan) and "LR-" (in [0, 1], or nan).

    Returns
    -------
    tuple of two floats
        LR+ = TPR / FPR and LR- = FNR / TNR: what the odds of the positive class are multiplied by
        after a positive and after a negative prediction. Both are nan where there is no positive
        example, unless their own denominator is 0 too.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of two classes, or `replace_undefined_by` is none of the above.

    Warns
    -----
    UndefinedMetricWarning
        For each of: no positive example, no false positive, no true negative.

    References
    ----------
    Altman, D. & Bland, J. (1994). Diagnostic tests 4: likelihood ratios. BMJ 329, 168-169.

    Examples
    --------
    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    on_positive, on_negative = _replacements(replace_undefined_by)
    found = drop_in_counts(y_true, y_pred, sample_weight=sample_weight)
    if len(found.labels) > 2:
        raise InputError(
            f"`y_true` and `y_pred` must hold two classes: got {len(found.labels):,}; see "
            "ConfusionMatrixStack.one_vs_rest"
        )
    if labels is not None:
        whole, found = found, picked(found, labels)
        check_some_label(whole, found.labels, y_true, y_pred, "y_true")
    if len(found.labels) != 2:
        raise InputError(
            f"two classes are needed, and there is {len(found.labels)}, {found.labels}: pass "
            "`labels` of two, the positive one last"
        )
    sums = tally(found.counts.astype(np.float64))
    ratios = [float(positive_likelihood_ratio(sums)), float(negative_likelihood_ratio(sums))]
    if sums.true[1] == 0:
        _warn("No samples of the positive class are present in `y_true`: both ratios are nan")
        ratios = [math.nan, math.nan]
    if sums.fp == 0:
        why = "is ill-defined: no false positive"
        if sums.tp == 0:
            why = "is ill-defined: No samples were predicted for the positive class"
        _warn(f"`positive_likelihood_ratio` {why}; it is set to {on_positive!r}")
        ratios[0] = on_positive
    if sums.tn == 0:
        why = "is ill-defined: no true negative"
        _warn(f"`negative_likelihood_ratio` {why}; it is set to {on_negative!r}")
        ratios[1] = on_negative
    return ratios[0], ratios[1]


def _warn(message: str) -> None:
    warn_user(f"{message}. See `replace_undefined_by`.", UndefinedMetricWarning)


def _replacements(setting: Any) -> tuple[float, float]:
    """Return what stands for an undefined LR+ and LR-."""
    if not isinstance(setting, Mapping):
        number = check_real("replace_undefined_by", setting)
        if not (number == 1.0 or math.isnan(number)):
            raise InputError(
                f"`replace_undefined_by` must be 1.0, nan, or a dictionary of 'LR+' and 'LR-': got "
                f"{setting!r}"
            )
        return number, number
    if not {"LR+", "LR-"} <= set(setting):
        raise InputError(f"`replace_undefined_by` must have both 'LR+' and 'LR-': got {setting!r}")
    positive, negative = (
        _checked(setting[name], name, low, high)
        for name, low, high in (("LR+", 1.0, math.inf), ("LR-", 0.0, 1.0))
    )
    return positive, negative


def _checked(value: Any, name: str, low: float, high: float) -> float:
    number = check_real(f"replace_undefined_by[{name!r}]", value)
    if math.isnan(number) or low <= number <= high:
        return number
    raise InputError(
        f"`replace_undefined_by[{name!r}]` must lie in [{low:g}, {high:g}] or be nan: got {value!r}"
    )
