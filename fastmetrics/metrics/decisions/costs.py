"""Costs of errors: mean and expected ones."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.metrics.decisions import _count_formulas as formulas
from fastmetrics.metrics.decisions.count_metrics import (
    NAN,
    binary_counts,
    strict_counts,
    warn_if_nan,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_DATA: Final = """
Parameters
----------
y_true, y_pred : array-like of shape (n_samples,)
    Labels (of two classes, unless there is a `cost_matrix`); or a ConfusionMatrix alone.
cost_matrix : array-like of shape (K, K), optional
    ``cost_matrix[i, j]`` is what an example of class i taken for class j costs, in the order of
    the labels; negative costs are gains.
cost_fn, cost_fp : float, optional
    In place of a matrix, for two classes: what a false negative and a false positive cost, both
    >= 0.
labels : array-like of shape (K,), optional
    The classes in the order of `cost_matrix`; by default those that occur, sorted.
pos_label : int, float, bool or str, optional
    The positive label, for `cost_fn` and `cost_fp`; {0, 1}, {-1, 1} and booleans need none, and
    of a matrix it is the last.

Notes
-----
O(n) to count, O(K²) from a matrix.
"""

_COSTS: Final = """
Raises
------
TypeError
    If the costs are not given in one of the two ways, or are no real numbers.
ValueError
    If a cost is not finite, or shapes or labels do not fit.

References
----------
Zhou (2021), Machine Learning, section 2.3.4.
"""


@documented(_DATA, _COSTS, NAN)
def cost_sensitive_error(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    cost_matrix: ArrayLike | None = None,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compute the mean cost of an example, given what each confusion of classes costs.

    Returns
    -------
    float
        The sum of weight times cost over the sum of weights; nan where there is no example.

    Notes
    -----
    With all costs 1 it is the error rate. Multiplying the costs
    by a number multiplies it; adding a constant to row i adds that constant times the share of
    class i, whatever the classifier: neither changes which of two classifiers is cheaper.

    Examples
    --------
    >>> cost_sensitive_error([0, 0, 1, 1], [0, 1, 0, 1], cost_fn=4, cost_fp=1)
    1.25
    >>> costs = [[0, 1, 2], [1, 0, 1], [6, 3, 0]]
    >>> cost_sensitive_error(["a", "b", "c", "c"], ["b", "b", "a", "c"], cost_matrix=costs)
    1.75
    """
    if cost_matrix is None:
        if cost_fn is None or cost_fp is None:
            raise InputTypeError("costs are needed: `cost_matrix`, or `cost_fn` and `cost_fp`")
        if labels is not None:
            raise InputTypeError("`labels` go with `cost_matrix`: pass `pos_label` with `cost_fn`")
        cost_fn = formulas.check_cost("cost_fn", cost_fn)
        cost_fp = formulas.check_cost("cost_fp", cost_fp)
        cells = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    else:
        if pos_label is not None:
            raise InputTypeError(
                "`pos_label` goes with `cost_fn`: pass `labels` with `cost_matrix`"
            )
        cost_matrix = formulas.check_cost_matrix("cost_matrix", cost_matrix)
        cells = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        if labels is None and len(cells.labels) < len(cost_matrix):
            raise InputError(
                f"`cost_matrix` is of {len(cost_matrix):,} classes, and only "
                f"{len(cells.labels):,} occur, {cells.labels}: pass `labels`, all of them"
            )
    costs: dict[str, Any] = {"cost_matrix": cost_matrix, "cost_fn": cost_fn, "cost_fp": cost_fp}
    coefficients = formulas.cost_coefficients(len(cells.labels), **costs)
    sums = formulas.tally(cells.counts.astype(np.float64), coefficients)
    reason = "the cost is not defined: there is no example"
    return warn_if_nan(formulas.mean_cost(sums, **costs), reason)


@documented(_DATA, NAN)
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
    """Compute the expected cost of an example at a prevalence.

    Parameters
    ----------
    cost_fn, cost_fp : float
        What a false negative and a false positive cost, both >= 0.
    prevalence : float, optional
        The share p of positives, in [0, 1], where the classifier will be used; that of the data by
        default.

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
    cost_fn = formulas.check_cost("cost_fn", cost_fn)
    cost_fp = formulas.check_cost("cost_fp", cost_fp)
    if prevalence is not None:
        prevalence = check_fraction("prevalence", prevalence, include_low=True, include_high=True)
    cells = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    sums = formulas.tally(cells.counts.astype(np.float64))
    cost = formulas.expected_cost(sums, cost_fn=cost_fn, cost_fp=cost_fp, prevalence=prevalence)
    reason = "the expected cost is not defined: a class that counts has no example"
    return warn_if_nan(cost, reason)
