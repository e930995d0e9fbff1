"""Losses of single predictions, and what they are without information: the .632 rules' needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.labels import text_or_numbers
from fastmetrics._input.scalars import check_choice, check_same_length
from fastmetrics.errors import InputError, InputTypeError

Floats = NDArray[np.float64]
RowLoss = Callable[[Any, Any], Any]

LOSSES: Final = ("zero-one", "squared", "absolute")
_BLOCK: Final = 1 << 20  # pairs of a block, for losses without a closed form

#: What the .632 rules and their parts have in common.
RULES: Final = """
Parameters
----------
err : float
    Resubstitution error: of the model fitted on all rows, on these rows.
err1 : float
    Leave-one-out bootstrap error.
gamma : float
    No-information error, as `no_information_error` finds it.
loss : {"zero-one", "squared", "absolute"} or callable, default="zero-one"
    The loss of a prediction; a callable ``loss(y_true, y_pred)`` returns one number a row.

References
----------
Efron & Tibshirani (1997), Improvements on cross-validation: the .632+ bootstrap method,
JASA 92:548-560.
"""


def check_loss(loss: Any) -> str | RowLoss:
    """Return the name of a loss, or a callable."""
    if callable(loss):
        checked: RowLoss = loss
        return checked
    if not isinstance(loss, str):
        raise InputTypeError(f"`loss` must be a name or a callable: got {type(loss).__name__}")
    return str(check_choice("loss", loss, LOSSES))


def losses_of(loss: str | RowLoss, y_true: NDArray[Any], y_pred: NDArray[Any]) -> Floats:
    """Return the loss of each row."""
    if loss == "zero-one":
        return np.asarray(y_true != y_pred, np.float64)
    if loss == "squared":
        return np.asarray((y_true.astype(np.float64) - y_pred) ** 2)
    if loss == "absolute":
        return np.asarray(np.abs(y_true.astype(np.float64) - y_pred))
    if isinstance(loss, str):
        raise InputError(f"there is no loss {loss!r}")
    found = np.asarray(loss(y_true, y_pred), np.float64)
    if found.shape != (len(y_true),):
        raise InputError(
            f"`loss` must return one number for each of the {len(y_true):,} rows: got shape "
            f"{found.shape}"
        )
    if not np.isfinite(found).all():
        raise InputError(f"`loss` must return finite numbers: got {found[~np.isfinite(found)][0]}")
    return found


def targets(loss: str | RowLoss, values: Any, name: str) -> NDArray[Any]:
    """Return a column as the loss takes it: labels as they are, numbers as float64."""
    column = text_or_numbers(as_vector(values, name), name)
    if loss == "zero-one":
        check_class_labels(column, name)  # whole numbers or text, none missing
        return column
    if loss in ("squared", "absolute"):
        if column.dtype.kind not in "biuf":
            raise InputTypeError(
                f"`{name}` must hold numbers for loss={loss!r}: got {column.dtype}"
            )
        column = column.astype(np.float64)
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise InputError(f"`{name}` must be finite: got {column[~np.isfinite(column)][0]}")
    return column


@documented(RULES)
def no_information_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, loss: str | RowLoss = "zero-one"
) -> float:
    """Compute gamma, the error if predictions had nothing to do with the examples.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels or numbers, and the predictions of a model fitted on all of them.

    Returns
    -------
    float
        The mean loss over all n^2 pairs of an example and a prediction.

    Raises
    ------
    TypeError, ValueError
        If the columns are none of labels or numbers, differ in length, or the loss is unknown.

    Notes
    -----
    For 0-1 loss it is sum_c p_c (1 - q_c), p_c being the share of examples and q_c that of
    predictions of class c. O(n), or O(n log n) for absolute loss; a callable is called for all
    pairs, O(n^2) time.

    References
    ----------
    Equations 27 and 28.

    Examples
    --------
    >>> no_information_error([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    >>> no_information_error([1.0, 3.0], [2.0, 2.0], loss="squared")
    1.0
    """
    chosen = check_loss(loss)
    true, predicted = targets(chosen, y_true, "y_true"), targets(chosen, y_pred, "y_pred")
    check_same_length(y_true=true, y_pred=predicted)
    if chosen == "zero-one":
        _check_same_kind(true, predicted)
    return mean_over_pairs(chosen, true, predicted)


def mean_over_pairs(loss: str | RowLoss, y_true: NDArray[Any], y_pred: NDArray[Any]) -> float:
    """Return the mean loss over all pairs of a true value and a prediction."""
    if loss == "zero-one":
        return _zero_one_gamma(y_true, y_pred)
    if loss == "squared":
        centre = y_true.mean()
        spread = np.mean((y_true - centre) ** 2) + np.mean((y_pred - y_pred.mean()) ** 2)
        return float(spread + (y_pred.mean() - centre) ** 2)
    if loss == "absolute":
        return _absolute_gamma(y_true, y_pred)
    n = len(y_true)
    step = max(1, _BLOCK // n)
    total = 0.0
    for start in range(0, n, step):
        some = y_pred[start : start + step]
        pairs = losses_of(loss, np.tile(y_true, len(some)), np.repeat(some, n))
        total += float(pairs.sum())
    return total / n / n


def _zero_one_gamma(y_true: NDArray[Any], y_pred: NDArray[Any]) -> float:
    classes, true = np.unique(y_true, return_counts=True)
    named, predicted = np.unique(y_pred, return_counts=True)
    held = dict(zip(named.tolist(), predicted.tolist(), strict=True))
    hits = sum(
        count * held.get(c, 0) for c, count in zip(classes.tolist(), true.tolist(), strict=True)
    )
    pairs = len(y_true) * len(y_pred)
    return float((pairs - hits) / pairs)


def _absolute_gamma(y_true: NDArray[Any], y_pred: NDArray[Any]) -> float:
    """Return the mean of |y - r| over pairs: for each r, what lies below and above it."""
    y_true, y_pred = y_true - y_true.mean(), y_pred - y_true.mean()  # sums cancel less
    ordered = np.sort(y_true)
    below = np.searchsorted(ordered, y_pred)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    n = len(ordered)
    distance = y_pred * (2 * below - n) + sums[-1] - 2 * sums[below]
    return float(distance.mean() / n)


def _check_same_kind(y_true: NDArray[Any], y_pred: NDArray[Any]) -> None:
    if (y_true.dtype.kind in "UO") != (y_pred.dtype.kind in "UO"):
        kinds = ("text", "numbers") if y_true.dtype.kind in "UO" else ("numbers", "text")
        raise InputTypeError(f"`y_true` holds {kinds[0]} and `y_pred` {kinds[1]}")
