"""What the errors of a classifier cost: mean, total, share of the largest possible, expected."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_fraction
from fastmetrics._input.weights import as_given
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.decisions._count_formulas import (
    Tally,
    cost_share,
    expected_cost_of,
    mean_cost,
    tally,
)
from fastmetrics.measures.decisions._count_parameters import (
    check_cost,
    check_cost_matrix,
    cost_coefficients,
    cost_exponent,
)
from fastmetrics.measures.decisions._dual import Array
from fastmetrics.measures.decisions._matrix_input import NAN, binary_counts, defined, strict_counts
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_EMPTY: Final = "the cost is not defined: there is no example"

_DATA: Final = """
Parameters
----------
y_true, y_pred : array-like of shape (n_samples,)
    Labels (of two classes, unless there is a `cost_matrix`); or a ConfusionMatrix alone.
cost_matrix : array-like of shape (K, K), optional
    ``cost_matrix[i, j]`` is what an example of class i taken for class j costs, in the order of
    the labels; negative costs are gains, where no share of the largest cost is asked.
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
    If a cost is not finite (or negative, where a share is asked), or shapes or labels do not fit.

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
    asked = _costed(y_true, y_pred, cost_matrix, cost_fn, cost_fp, labels, pos_label, sample_weight)
    return defined(np.ldexp(mean_cost(asked.tally), -asked.cost_exponent), _EMPTY)


@documented(_DATA, _COSTS)
def total_cost(
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
    """Compute the sum of the costs of all examples.

    Returns
    -------
    float
        The sum of weight times cost; 0 where there is no example.

    Warns
    -----
    UndefinedMetricWarning
        If it is beyond the largest double: inf, or -inf of gains.

    Examples
    --------
    >>> total_cost([0, 0, 1, 1], [0, 1, 0, 1], cost_fn=4, cost_fp=1)
    5.0
    """
    asked = _costed(y_true, y_pred, cost_matrix, cost_fn, cost_fp, labels, pos_label, sample_weight)
    total = float(as_given(float(asked.tally.linear), asked.exponent + asked.cost_exponent))
    if math.isinf(total):
        warn_user(
            f"the total cost is beyond the largest double: set to {total}", UndefinedMetricWarning
        )
    return total


@documented(_DATA, _COSTS, NAN)
def normalized_cost(
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
    """Compute the total cost as a share of the largest that is possible on these labels.

    Returns
    -------
    float
        In [0, 1]; nan where nothing can cost anything.

    Notes
    -----
    The largest possible cost takes each example for the class that is dearest for it:
    ``sum_i n_i max_j cost[i, j]``. It is 1 - `cost_sensitive_accuracy`. Multiplying the costs by
    a number does not change it. (The y axis of a cost curve is normalized otherwise.)

    Examples
    --------
    >>> normalized_cost([0, 0, 1, 1], [0, 1, 0, 1], cost_fn=4, cost_fp=1)
    0.5
    """
    asked = _costed(y_true, y_pred, cost_matrix, cost_fn, cost_fp, labels, pos_label, sample_weight)
    return _share(asked, saved=False)


@documented(_DATA, _COSTS, NAN)
def cost_sensitive_accuracy(
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
    """Compute the share of the largest possible cost that was saved.

    Returns
    -------
    float
        In [0, 1]: 1 - total cost / the largest total cost possible on these labels; nan where
        nothing can cost anything.

    Notes
    -----
    What was saved is summed up, not subtracted. With all costs 1 it is the accuracy. See
    `normalized_cost`.

    Examples
    --------
    >>> cost_sensitive_accuracy([0, 0, 1, 1], [0, 0, 0, 1], cost_fn=4, cost_fp=1)
    0.6
    """
    asked = _costed(y_true, y_pred, cost_matrix, cost_fn, cost_fp, labels, pos_label, sample_weight)
    return _share(asked, saved=True)


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
    """Compute the cost to expect of an example where a share of them is positive.

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
    on_fn, on_fp = check_cost("cost_fn", cost_fn), check_cost("cost_fp", cost_fp)
    if prevalence is not None:
        prevalence = check_fraction("prevalence", prevalence, include_low=True, include_high=True)
    sums = tally(
        binary_counts(
            y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight
        ).counts.astype(np.float64)
    )
    reason = "the expected cost is not defined: a class that counts has no example"
    exponent = cost_exponent(None, on_fn, on_fp)
    on_fn, on_fp = math.ldexp(on_fn, exponent), math.ldexp(on_fp, exponent)
    value = expected_cost_of(sums, on_fn, on_fp, prevalence)
    return defined(np.ldexp(value, -exponent), reason)


class _Costed(NamedTuple):
    """Counts, what each cell costs, and the sums of both: each scaled by a power of two."""

    counts: Array
    costs: Array
    tally: Tally
    exponent: int
    cost_exponent: int


def _costed(
    y_true: Any,
    y_pred: Any,
    cost_matrix: Any,
    cost_fn: Any,
    cost_fp: Any,
    labels: Any,
    pos_label: Any,
    sample_weight: Any,
) -> _Costed:
    if cost_matrix is None:
        if cost_fn is None or cost_fp is None:
            raise InputTypeError("costs are needed: `cost_matrix`, or `cost_fn` and `cost_fp`")
        if labels is not None:
            raise InputTypeError("`labels` go with `cost_matrix`: pass `pos_label` with `cost_fn`")
        cost_fn, cost_fp = check_cost("cost_fn", cost_fn), check_cost("cost_fp", cost_fp)
        found = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    else:
        if pos_label is not None:
            raise InputTypeError(
                "`pos_label` goes with `cost_fn`: pass `labels` with `cost_matrix`"
            )
        cost_matrix = check_cost_matrix("cost_matrix", cost_matrix)
        found = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        if labels is None and len(found.labels) < len(cost_matrix):
            raise InputError(
                f"`cost_matrix` is of {len(cost_matrix):,} classes, and only "
                f"{len(found.labels):,} occur, {found.labels}: pass `labels`, all of them"
            )
    given = {"cost_matrix": cost_matrix, "cost_fn": cost_fn, "cost_fp": cost_fp}
    costs = cost_coefficients(len(found.labels), **given)
    counts = found.counts.astype(np.float64)
    return _Costed(counts, costs, tally(counts, costs), found.exponent, cost_exponent(**given))


def _share(asked: _Costed, *, saved: bool) -> float:
    if (asked.costs < 0).any():
        raise InputError(
            "costs must not be negative where the largest possible one is the unit: got "
            f"{math.ldexp(asked.costs.min(), -asked.cost_exponent)!r}; adding a constant to a row "
            "changes no decision"
        )
    worst = asked.costs.max(axis=1)
    sums = tally(asked.counts, worst[:, np.newaxis] - asked.costs) if saved else asked.tally
    reason = "the normalized cost is not defined: the largest possible cost on these labels is 0"
    return defined(cost_share(sums, worst), reason)
