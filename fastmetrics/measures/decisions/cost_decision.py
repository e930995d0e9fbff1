"""The decision of least expected cost, row by row, from class probabilities and a cost matrix."""

from __future__ import annotations

from typing import Any, Final, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._input.classes import in_class_order
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_choice
from fastmetrics._input.scores import check_score_matrix
from fastmetrics.errors import InputError
from fastmetrics.measures.decisions._count_parameters import check_cost_matrix
from fastmetrics.tables.confusion._matrix_checks import checked_labels

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

TIES: Final = ("smallest", "largest", "most_probable")

#: Cells of a chunk's arrays: half a megabyte each, so that a chunk stays in the cache.
_CELLS: Final = 1 << 16
_FEWEST_ROWS: Final = 256

#: How far a row of probabilities may be from adding up to 1: float32 ones are.
_SUM_TOLERANCE: Final = 1e-5


@overload
def cost_sensitive_predict(
    y_proba: ArrayLike,
    cost_matrix: ArrayLike,
    *,
    labels: ArrayLike | None = ...,
    ties: str = ...,
    return_cost: Literal[False] = ...,
) -> NDArray[Any]: ...


@overload
def cost_sensitive_predict(
    y_proba: ArrayLike,
    cost_matrix: ArrayLike,
    *,
    labels: ArrayLike | None = ...,
    ties: str = ...,
    return_cost: Literal[True],
) -> tuple[NDArray[Any], Floats]: ...


def cost_sensitive_predict(
    y_proba: ArrayLike,
    cost_matrix: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    ties: str = "smallest",
    return_cost: bool = False,
) -> NDArray[Any] | tuple[NDArray[Any], Floats]:
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
    ties : {"smallest", "largest", "most_probable"}, default="smallest"
        Of classes that are equally cheap choose the one that comes first among the columns, the
        last, or the one of the largest probability (of several such, the first).
    return_cost : bool, default=False
        Whether to return the expected cost of the choice as well.

    Returns
    -------
    ndarray of shape (n_samples,), or a tuple of two such arrays
        The label of each row; with `return_cost` also its expected cost, float64.

    Raises
    ------
    TypeError
        If the probabilities or costs are no real numbers.
    ValueError
        If a probability is outside [0, 1], a row does not add up to 1 (to 1e-5), a cost is not
        finite, the shapes or the labels do not fit, or `ties` is unknown.

    Notes
    -----
    The expected cost of class j is the sum over i of p_i cost_ij. Adding a constant to a row of
    the matrix, or multiplying all of it by a positive number, changes no decision; two classes are
    decided by p >= cost_fp / (cost_fp + cost_fn). Costs tie when their sums, added up in the order
    of the classes in float64, are equal; that order makes a row's decision and cost the same
    whatever rows stand beside it. Time O(n K²), by blocks of rows: memory beyond the result is
    that of a block.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 17, 973-978.

    Examples
    --------
    >>> costs = [[0, 1], [4, 0]]  # missing a positive costs four times a false alarm
    >>> cost_sensitive_predict([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]], costs, labels=["no", "yes"])
    array(['no', 'yes', 'yes'], dtype='<U3')
    >>> cost_sensitive_predict([0.1, 0.3, 0.8], costs, return_cost=True)
    (array([0, 1, 1]), array([0.4, 0.7, 0.2]))
    """
    check_choice("ties", ties, TIES)
    check_choice("return_cost", return_cost, (True, False))
    costs = check_cost_matrix("cost_matrix", cost_matrix)
    if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or costs.size == 0:
        raise InputError(f"`cost_matrix` must be square, (K, K): got shape {costs.shape}")
    k = len(costs)
    # Times a power of two, the largest below 1: nothing overflows, no tie moves.
    scaled = np.ldexp(costs, -int(np.frexp(np.abs(costs).max())[1]))
    if labels is not None:
        y_proba = in_class_order(y_proba, labels, labels, name="y_proba")
    matrix = _probability_matrix(y_proba, k)
    names = None if labels is None else np.array(checked_labels(labels, k))
    n = len(matrix)
    decisions = np.empty(n, dtype=np.int64)
    expected = np.empty(n) if return_cost else None
    rows = max(_FEWEST_ROWS, _CELLS // k)
    for start in range(0, n, rows):
        here = slice(start, start + rows)
        block = _checked_block(matrix[here], k, start)
        decisions[here] = _cheapest(block, scaled, ties)
        if expected is not None:
            # A row's terms are added by NumPy's pairwise sum, the same in a block of any size.
            expected[here] = (block * costs.T[decisions[here]]).sum(axis=1)
    chosen: NDArray[Any] = decisions if names is None else names[decisions]
    return chosen if expected is None else (chosen, expected)


def _probability_matrix(y_proba: Any, k: int) -> NDArray[Any]:
    """Return the (n, k) array as it came; of a vector, which stands for two classes, (n, 1)."""
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
    """Return rows of probabilities as contiguous float64, verified."""
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


def _cheapest(block: Floats, costs: Floats, ties: str) -> Codes:
    """Return the cheapest class of each row.

    The matrix product may add up in any order, and in another one for rows of another place. It
    decides where it leaves no doubt; rows whose two cheapest classes are closer than rounding can
    move them are added up again, in the order of the classes.
    """
    k = len(costs)
    product = costs.T @ block.T  # classes by rows: every step below runs along a line of rows
    best, second = product[0].copy(), np.full(len(block), np.inf)
    chosen = np.zeros(len(block), dtype=np.int64)
    for j in range(1, k):
        here = product[j]
        better = here < best
        np.minimum(second, np.maximum(best, here), out=second)
        np.copyto(chosen, j, where=better)
        np.minimum(best, here, out=best)
    margin = 8.0 * (k + 1) * np.finfo(np.float64).eps  # costs are below 1, rows add up to 1
    close = np.flatnonzero(second - best <= margin)
    if len(close) > 0:
        chosen[close] = _cheapest_in_order(block[close], costs, ties)
    return chosen


def _cheapest_in_order(block: Floats, costs: Floats, ties: str) -> Codes:
    """Return the cheapest class of each row, every sum being taken in the order of the classes."""
    k = len(costs)
    expected = np.zeros(block.shape)
    for i in range(k):
        expected += block[:, i : i + 1] * costs[i]
    if ties == "largest":
        return np.asarray(k - 1 - np.argmin(expected[:, ::-1], axis=1))
    if ties == "smallest":
        return np.asarray(np.argmin(expected, axis=1))
    tied = expected == expected.min(axis=1, keepdims=True)
    return np.asarray(np.argmax(np.where(tied, block, -1.0), axis=1))
