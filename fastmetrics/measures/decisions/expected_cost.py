"""The cost to expect of a classifier of two classes where a given share is positive."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._input.scalars import check_fraction
from fastmetrics.measures.decisions._count_formulas import expected_cost_of, tally
from fastmetrics.measures.decisions._count_parameters import check_cost
from fastmetrics.measures.decisions._matrix_input import binary_counts, defined
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


def expected_cost(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    cost_fn: float,
    cost_fp: float,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the cost to expect of an example where a share of them is positive.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfusionMatrix
        Labels of two classes; or a matrix of two, and then `y_pred` is left out.
    y_pred : array-like of shape (n_samples,), optional
        Predicted labels.
    cost_fn, cost_fp : float
        What a false negative and a false positive cost, both >= 0.
    prevalence : float, optional
        The share p of positives, in [0, 1], where the classifier will be used; that of the data by
        default.
    pos_label : int, float, bool or str, optional
        The positive label; {0, 1}, {-1, 1} and booleans need none, and of a matrix it is the last.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, not negative.

    Returns
    -------
    float
        ``cost_fp (1 - p) FPR + cost_fn p FNR``, not normalized; nan where a rate that it needs
        has no example.

    Raises
    ------
    TypeError, ValueError
        If a cost is negative or not finite, the prevalence is outside [0, 1], or the data are not
        labels of two classes.

    Warns
    -----
    UndefinedMetricWarning
        If a class that counts has no example.

    Notes
    -----
    O(n) to count, O(1) from a matrix. Without `prevalence` it equals `cost_sensitive_error`, where
    a class may be missing.

    References
    ----------
    Drummond, C. & Holte, R. (2006). Cost curves: an improved method for visualizing classifier
    performance. Machine Learning 65(1), 95-130.

    Examples
    --------
    >>> expected_cost([0, 0, 1, 1], [0, 1, 0, 1], cost_fn=4, cost_fp=1, prevalence=0.2)
    0.8
    """
    on_fn, on_fp = check_cost("cost_fn", cost_fn), check_cost("cost_fp", cost_fp)
    if prevalence is not None:
        prevalence = check_fraction("prevalence", prevalence, include_low=True, include_high=True)
    found = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    sums = tally(found.counts.astype(np.float64))
    reason = "the expected cost is not defined: a class that counts has no example"
    return defined(expected_cost_of(sums, on_fn, on_fp, prevalence), reason)
