"""Newcombe's interval for an AUC, defined for perfect separation too."""

from __future__ import annotations

from fastmetrics._input.scalars import check_confidence_level, check_fraction, check_positive
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.reference import normal_quantile


def newcombe_interval(
    auc: float, n_positive: float, n_negative: float, *, confidence_level: float = 0.95
) -> ConfidenceInterval:
    """Compute Newcombe's score-type interval for an AUC from the AUC and the class sizes alone.

    Parameters
    ----------
    auc : float
        The AUC, in [0, 1].
    n_positive, n_negative : int
        Positives and negatives that it was computed from; at least 1 each.
    confidence_level : float, default=0.95
        Coverage aimed at, in (0, 1).

    Returns
    -------
    ConfidenceInterval
        `low` and `high`, inside [0, 1]; never a single point.

    Raises
    ------
    TypeError
        If an argument is not a number.
    ValueError
        If an argument is out of range.

    Notes
    -----
    The limits are the values t with |auc - t| = z sqrt(V(t)), where

        V(t) = t (1 - t) / (m n) * [1 + k ((1 - t) / (2 - t) + t / (1 + t))],  k = (m + n)/2 - 1,

    the Hanley & McNeil (1982) variance with both class sizes replaced by k + 1 in the brackets.

    References
    ----------
    Newcombe (2006), Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic, part 2, Statistics in Medicine 25:559-573, method 5.

    Examples
    --------
    >>> newcombe_interval(1.0, 10, 20)
    ConfidenceInterval(low=0.848921, high=1)
    """
    auc = check_fraction("auc", auc, include_low=True, include_high=True)
    m, n = check_positive("n_positive", n_positive), check_positive("n_negative", n_negative)
    if min(m, n) < 1:
        raise InputError(f"`n_positive` and `n_negative` must be at least 1: got {m:g} and {n:g}")
    level = check_confidence_level(confidence_level)
    z_squared = normal_quantile((1.0 - level) / 2.0) ** 2
    upper = _limit_above(auc, m, n, z_squared)
    # V(t) = V(1 - t): the lower limit is the mirror image of the upper limit of 1 - auc.
    return ConfidenceInterval(1.0 - _limit_above(1.0 - auc, m, n, z_squared), upper)


def _limit_above(auc: float, m: float, n: float, z_squared: float) -> float:
    """Return the t in [auc, 1] with (t - auc)^2 = z^2 V(t), by bisection to the last bit.

    (t - auc)^2 / V(t) rises from 0 at ``auc`` to infinity at 1: there is one such t.
    """
    low, high, k = auc, 1.0, (m + n) / 2.0 - 1.0
    while True:
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            return high
        inside = 1.0 + k * ((1.0 - middle) / (2.0 - middle) + middle / (1.0 + middle))
        if (middle - auc) ** 2 < z_squared * (middle * (1.0 - middle) / m / n * inside):
            low = middle
        else:
            high = middle
