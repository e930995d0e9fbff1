"""The .632 and .632+ rules of Efron and Tibshirani, from numbers and from predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.scalars import check_real, check_same_length
from fastmetrics._results import Result
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.selection.estimates.row_losses import (
    RULES,
    LossLike,
    check_defined,
    check_loss,
    columns,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap632(Result):
    """The bootstrap's estimates of a prediction error, and what they are made of.

    They have no interval: the standard error that Efron and Tibshirani give is of `err1` alone, and
    neither rule's lean on the training error is in it.

    Attributes
    ----------
    err632 : float
        .368 err + .632 err1.
    err632_plus : float
        The rule that leans on err1 the more, the more the model overfits.
    err : float
        Resubstitution error: of the model fitted on all rows, on these rows.
    err1 : float
        Leave-one-out bootstrap error: each row's mean over the samples it is not in, averaged over
        rows.
    gamma : float
        No-information error.
    relative_overfitting_rate : float
        R', from 0 (none) to 1 (no better than without information).
    weight : float
        The weight .632 / (1 - .368 R') of min(err1, gamma) in the .632+ rule's plain form.
    n_resamples : int
        Bootstrap samples.
    n_never_out : int
        Rows that are in all samples, and so not in err1.
    """

    err632: float
    err632_plus: float
    err: float
    err1: float
    gamma: float
    relative_overfitting_rate: float
    weight: float
    n_resamples: int
    n_never_out: int


@documented(RULES)
def err632(err: float, err1: float) -> float:
    """Compute the .632 estimate of a prediction error.

    Returns
    -------
    float
        .368 err + .632 err1.

    Raises
    ------
    TypeError, ValueError
        If a number is none, or is infinite.

    Notes
    -----
    Too low for models that overfit much: one of err 0 and err1 .5, which knows nothing, gets .316.

    References
    ----------
    Equation 24.

    Examples
    --------
    >>> round(err632(0.0, 0.4), 4)
    0.2528
    """
    return _err632(_error("err", err), _error("err1", err1))


@documented(RULES)
def err632_plus(err: float, err1: float, gamma: float) -> float:
    """Compute the .632+ estimate of a prediction error.

    Returns
    -------
    float
        The published rule; between err632 and beyond.

    Raises
    ------
    TypeError, ValueError
        If a number is none, or is infinite.

    Notes
    -----
    With err1' = min(err1, gamma) and R' = (err1' - err) / (gamma - err) where err1 and gamma both
    exceed err, else 0, it is .632 + (err1' - err) .368 .632 R' / (1 - .368 R'): `err1` is not
    clipped inside .632. Without clipping that is (1 - w) err + w err1, w = .632 / (1 - .368 R').

    References
    ----------
    Equations 29 to 32.

    Examples
    --------
    >>> round(err632_plus(0.0, 0.4, 0.5), 4), round(err632_plus(0.0, 0.6, 0.5), 4)
    (0.3583, 0.5632)
    """
    numbers = _error("err", err), _error("err1", err1), _error("gamma", gamma)
    return _plus(*numbers)


@documented(RULES)
def bootstrap632(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    resampled_predictions: ArrayLike,
    out_of_bag: ArrayLike,
    *,
    loss: LossLike = "error_rate",
) -> Bootstrap632:
    """Compute the .632 and .632+ estimates from predictions, so that no estimator is needed.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels or numbers.
    y_pred : array-like of shape (n,) or (n, n_classes)
        Predictions of the model that was fitted on all n rows: what the loss takes. Of one column
        of probabilities or decision values, the greater of two labels is meant.
    resampled_predictions : array-like of shape (n_resamples, n) or (n_resamples, n, n_classes)
        Predictions of each model that was fitted on a bootstrap sample; only those out of the bag
        are read.
    out_of_bag : array-like of bool, shape (n_resamples, n)
        Whether a row is not in the sample.

    Returns
    -------
    Bootstrap632
        Both estimates and their parts.

    Raises
    ------
    TypeError, ValueError
        If the shapes or kinds do not fit, or the loss is unknown.

    Warns
    -----
    DegenerateDataWarning
        If a row is in all samples: the others decide. More samples help.
    UndefinedMetricWarning
        If every row is in all samples: the estimates are nan.

    Notes
    -----
    `err1` gives each row the same weight, however often it is out of the bag; an average over
    samples would not. O(n_resamples n); for gamma see `no_information_error`.

    Examples
    --------
    >>> y = [0, 0, 1, 1]
    >>> resampled = [[0, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 1]]
    >>> out = [[True, True, False, False], [False, False, True, False], [True, False, False, True]]
    >>> found = bootstrap632(y, [0, 0, 1, 1], resampled, out)
    >>> found.err1, round(found.err632, 3), round(found.err632_plus, 3)
    (0.625, 0.395, 0.579)
    """
    chosen = check_loss(loss)
    out = as_array(out_of_bag, "out_of_bag")
    if out.dtype != np.bool_:
        raise InputTypeError(f"`out_of_bag` must hold booleans: got dtype {out.dtype}")
    resampled = as_array(resampled_predictions, "resampled_predictions")
    n = len(as_vector(y_true, "y_true"))
    for name, matrix in (("resampled_predictions", resampled), ("out_of_bag", out)):
        if out.ndim != 2 or matrix.shape[:2] != out.shape or out.shape[1] != n:
            raise InputError(
                f"`{name}` must have shape (n_resamples, {n:,}), as the other has: got "
                f"{matrix.shape}"
            )
    read = resampled[out]
    true, fitted, *of_bags = columns(
        *(chosen, y_true), y_pred=y_pred, **({"resampled_predictions": read} if len(read) else {})
    )
    check_same_length(y_true=true, y_pred=fitted)
    check_defined(chosen, true, fitted, "y_pred")
    losses, rows = LossesOutOfBag(n), np.nonzero(out)[1]
    for said in of_bags:
        check_defined(chosen, true[rows], said, "resampled_predictions")
        losses.add(rows, chosen.of(true[rows], said))
    err, gamma = float(chosen.of(true, fitted).mean()), chosen.over_pairs(true, fitted)
    return combined(err, losses, gamma, len(out))


class LossesOutOfBag:
    """The sum and number of each row's losses, over the samples that it is not in."""

    def __init__(self, n: int) -> None:
        self.sums = np.zeros(n)
        self.counts = np.zeros(n, np.int64)

    def add(self, rows: NDArray[np.intp], losses: Floats) -> None:
        """Add the losses of rows that are out of a bag."""
        self.sums += np.bincount(rows, losses, len(self.sums))
        self.counts += np.bincount(rows, minlength=len(self.counts))

    def err1(self) -> tuple[float, int]:
        """Return the mean of the rows' mean losses, and how many rows have none."""
        was_out = self.counts > 0
        never = len(was_out) - int(np.count_nonzero(was_out))
        if never == len(was_out):
            warn_user("every row is in all samples: err1 is not defined", UndefinedMetricWarning)
            return math.nan, never
        if never:
            warn_user(
                f"{never:,} of {len(was_out):,} rows are in all samples and so not in err1: draw "
                "more samples",
                DegenerateDataWarning,
            )
        return float(np.mean(self.sums[was_out] / self.counts[was_out])), never


def combined(err: float, losses: LossesOutOfBag, gamma: float, n_resamples: int) -> Bootstrap632:
    """Return both estimates from their parts."""
    err1, never = losses.err1()
    rate = _overfitting(err, err1, gamma)
    return Bootstrap632(
        _err632(err, err1),
        _plus(err, err1, gamma),
        err,
        err1,
        gamma,
        rate,
        0.632 / (1.0 - 0.368 * rate),
        n_resamples,
        never,
    )


def _err632(err: float, err1: float) -> float:
    return 0.368 * err + 0.632 * err1


def _overfitting(err: float, err1: float, gamma: float) -> float:
    """Return R'; nan if a part is nan."""
    if math.isnan(err + err1 + gamma):
        return math.nan
    return (min(err1, gamma) - err) / (gamma - err) if err1 > err and gamma > err else 0.0


def _plus(err: float, err1: float, gamma: float) -> float:
    rate = _overfitting(err, err1, gamma)
    clipped = min(err1, gamma)
    return _err632(err, err1) + (clipped - err) * (0.368 * 0.632 * rate) / (1.0 - 0.368 * rate)


def _error(name: str, value: Any) -> float:
    number = check_real(name, value)
    if not math.isfinite(number):
        raise InputError(f"`{name}` must be a finite number: got {value!r}")
    return number
