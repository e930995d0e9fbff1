"""Costs of errors: mean, total and expected ones, and decisions of least expected cost."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import in_class_order
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_fraction
from fastmetrics._input.scores import check_score_matrix
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.metrics.decisions._count_formulas import (
    Array,
    check_cost,
    check_cost_matrix,
    compute_expected_cost,
    cost_coefficients,
    cost_exponent,
    mean_cost,
    tally,
)
from fastmetrics.metrics.decisions.count_metrics import (
    NAN,
    binary_counts,
    strict_counts,
    warn_if_nan,
)
from fastmetrics.tables.confusion._matrix_state import checked_labels
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

#: Cells of a chunk's arrays: half a megabyte each, so that a chunk stays in cache.
_CELLS: Final = 1 << 16
_FEWEST_ROWS: Final = 256

#: Tolerance of the row sums of probabilities, for float32.
_SUM_TOLERANCE: Final = 1e-5


def cost_sensitive_predict(
    y_proba: ArrayLike, cost_matrix: ArrayLike, *, labels: ArrayLike | None = None
) -> NDArray[Any]:
    """Choose for each example the class whose expected cost is least.

    Parameters
    ----------
    y_proba : array-like of shape (n_samples, K) or (n_samples,)
        The probability of each class, rows adding up to 1; of two classes the positive one's alone
        will do.
    cost_matrix : array-like of shape (K, K)
        ``cost_matrix[i, j]`` is what an example of class i taken for class j costs; negative costs
        are gains.
    labels : array-like of shape (K,), optional
        The classes in the order of the columns; 0, 1, ..., K-1 by default.

    Returns
    -------
    ndarray of shape (n_samples,)
        The label of each row; of classes that are equally cheap, the first.

    Raises
    ------
    TypeError
        If the probabilities or costs are no real numbers.
    ValueError
        If a probability is outside [0, 1], a row does not add up to 1 (to 1e-5), a cost is not
        finite, or the shapes or the labels do not fit.

    Notes
    -----
    The expected cost of class j is the sum over i of p_i cost_ij. Adding a constant to a row of
    the matrix, or multiplying all of it by a positive number, changes no decision; two classes are
    decided by p > cost_fp / (cost_fp + cost_fn). Costs are added up in the order of the classes in
    float64, so that a row's decision is the same whatever rows stand beside it. Time O(n K²), by
    blocks of rows: memory beyond the result is that of a block.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 17, 973-978.

    Examples
    --------
    >>> costs = [[0, 1], [4, 0]]  # missing a positive costs four times a false alarm
    >>> cost_sensitive_predict([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]], costs, labels=["no", "yes"])
    array(['no', 'yes', 'yes'], dtype='<U3')
    >>> cost_sensitive_predict([0.1, 0.3, 0.8], costs)
    array([0, 1, 1])
    """
    costs = check_cost_matrix("cost_matrix", cost_matrix)
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or costs.size == 0:
        raise InputError(f"`cost_matrix` must be square, (K, K): got shape {costs.shape}")
    k = len(costs)
    # Scaled by a power of two to below 1: no overflow, and ties stay ties.
    scaled = np.ldexp(costs, -int(np.frexp(np.abs(costs).max())[1]))
    if labels is not None:
        y_proba = in_class_order(y_proba, labels, labels, name="y_proba")
    matrix = _probability_matrix(y_proba, k)
    names = None if labels is None else np.array(checked_labels(labels, k))
    n = len(matrix)
    decisions = np.empty(n, dtype=np.int64)
    rows = max(_FEWEST_ROWS, _CELLS // k)
    for start in range(0, n, rows):
        here = slice(start, start + rows)
        # Classes by rows, so that every step runs along contiguous rows. In a matrix product the
        # order of summation would depend on the position of the row.
        columns = np.ascontiguousarray(_checked_block(matrix[here], k, start).T)
        expected = np.einsum("ir,ij->jr", columns, scaled)
        decisions[here] = expected.argmin(axis=0)
    return decisions if names is None else np.asarray(names[decisions])


def _probability_matrix(y_proba: Any, k: int) -> NDArray[Any]:
    """Return the (n, k) array as given; (n, 1) for the vector of the second of two classes."""
    array = as_array(y_proba, "y_proba")
    if array.ndim == 1 and k == 2:
        array = array[:, np.newaxis]
    matrix = check_score_matrix(array, "y_proba")
    if matrix.shape[1] != k and not (array.shape[1] == 1 and k == 2):
        raise InputError(
            f"`y_proba` must have a column for each class of `cost_matrix`, {k:,}: got shape "
            f"{matrix.shape}"
        )
    return matrix


def _checked_block(block: NDArray[Any], k: int, start: int) -> Floats:
    """Return rows of probabilities as contiguous float64, validated."""
    probabilities = np.ascontiguousarray(block, dtype=np.float64)
    if probabilities.min() < 0.0 or probabilities.max() > 1.0:
        outside = (probabilities < 0.0) | (probabilities > 1.0)
        row, column = (int(at) for at in np.unravel_index(int(np.argmax(outside)), outside.shape))
        raise InputError(
            f"`y_proba` must lie in [0, 1]: {float(probabilities[row, column])!r} at index "
            f"{(start + row, column)}"
        )
    if probabilities.shape[1] < k:
        return np.hstack((1.0 - probabilities, probabilities))
    sums = probabilities @ np.ones(probabilities.shape[1])
    wrong = np.abs(sums - 1.0) > _SUM_TOLERANCE
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"`y_proba` must add up to 1 in each row: {float(sums[row])!r} in row {start + row}"
        )
    return probabilities


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
    given = y_true, y_pred, cost_matrix, cost_fn, cost_fp, labels, pos_label, sample_weight
    counts, costs, exponent = _counts_and_costs(*given)
    mean = mean_cost(tally(counts, costs))
    return warn_if_nan(np.ldexp(mean, -exponent), "the cost is not defined: there is no example")


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
    cost_fn = check_cost("cost_fn", cost_fn)
    cost_fp = check_cost("cost_fp", cost_fp)
    if prevalence is not None:
        prevalence = check_fraction("prevalence", prevalence, include_low=True, include_high=True)
    sums = tally(
        binary_counts(
            y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight
        ).counts.astype(np.float64)
    )
    reason = "the expected cost is not defined: a class that counts has no example"
    exponent = cost_exponent(None, cost_fn, cost_fp)
    cost_fn = math.ldexp(cost_fn, exponent)
    cost_fp = math.ldexp(cost_fp, exponent)
    value = compute_expected_cost(sums, cost_fn, cost_fp, prevalence)
    return warn_if_nan(np.ldexp(value, -exponent), reason)


def _counts_and_costs(
    y_true: Any,
    y_pred: Any,
    cost_matrix: Any,
    cost_fn: Any,
    cost_fp: Any,
    labels: Any,
    pos_label: Any,
    sample_weight: Any,
) -> tuple[Array, Array, int]:
    """Return counts, scaled costs of the cells, and the exponent of two of the scale."""
    if cost_matrix is None:
        if cost_fn is None or cost_fp is None:
            raise InputTypeError("costs are needed: `cost_matrix`, or `cost_fn` and `cost_fp`")
        if labels is not None:
            raise InputTypeError("`labels` go with `cost_matrix`: pass `pos_label` with `cost_fn`")
        cost_fn = check_cost("cost_fn", cost_fn)
        cost_fp = check_cost("cost_fp", cost_fp)
        cells = binary_counts(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    else:
        if pos_label is not None:
            raise InputTypeError(
                "`pos_label` goes with `cost_fn`: pass `labels` with `cost_matrix`"
            )
        cost_matrix = check_cost_matrix("cost_matrix", cost_matrix)
        cells = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        if labels is None and len(cells.labels) < len(cost_matrix):
            raise InputError(
                f"`cost_matrix` is of {len(cost_matrix):,} classes, and only "
                f"{len(cells.labels):,} occur, {cells.labels}: pass `labels`, all of them"
            )
    given = {"cost_matrix": cost_matrix, "cost_fn": cost_fn, "cost_fp": cost_fp}
    costs = cost_coefficients(len(cells.labels), **given)
    return cells.counts.astype(np.float64), costs, cost_exponent(**given)
