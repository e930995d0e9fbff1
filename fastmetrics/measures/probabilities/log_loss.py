"""Log loss (cross-entropy), and the share of it that a model explains."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.classes import in_class_order
from fastmetrics._input.scalars import check_flag, check_fraction
from fastmetrics.measures.probabilities._class_rows import LABELS
from fastmetrics.measures.probabilities._loss_sums import LOG, LossSums
from fastmetrics.measures.probabilities._probability_losses import (
    D2,
    LABELS_OR_INDICATOR,
    ProbabilityRows,
    renamed,
    too_few_for_d2,
    undefined_skill,
)

_DOUBLE: Final = float(np.finfo(np.float64).eps)

_PROBABILITIES: Final = """
Raises
------
ValueError
    If a probability lies outside [0, 1], `y_true` has one class only and `labels` is not
    given, or labels and columns do not match.

Warns
-----
FutureWarning
    If `y_pred` is given.
"""


@documented(LABELS_OR_INDICATOR, LABELS, _PROBABILITIES)
def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    eps: float | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the log loss: the mean of minus the logarithm of the true class's probability.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the greater of two
        labels, or one column for each class in the order of the sorted labels.
    normalize : bool, default True
        Whether to return the mean, and not the sum.
    y_pred : array-like, optional
        The former name of `y_proba`.
    eps : float, optional
        Probabilities are clipped to [eps, 1 - eps], 0 <= eps < 1/2. The machine epsilon of
        `y_proba` unless given, as in scikit-learn: 2.2e-16, 1.2e-7 for float32, 9.8e-4 for
        float16. With 0 the loss of an impossible event is inf.

    Returns
    -------
    float
        At least 0, the smaller the better.

    Notes
    -----
    One pass, O(n k) time. Integer labels and plain probabilities are read in place, without any
    temporary of length n; other labels are coded first. The loss is in natural units and summed
    in double precision, whatever the dtype; the sum is off by at most 2**-46 of itself, whatever
    its length. Near 1 a probability has few digits left: of two classes give the rarer one's.

    References
    ----------
    Good, I. J. (1952). Rational decisions. Journal of the Royal Statistical Society B 14, 107-114.

    Examples
    --------
    >>> round(log_loss([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.472288
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]
    >>> round(log_loss(["a", "b", "c"], y_proba), 6)
    0.498703
    >>> log_loss([0, 1], [1.0, 1.0], eps=0)
    inf
    """
    y_proba = in_class_order(renamed(y_proba, y_pred), y_true, labels, name="y_proba")
    rows = ProbabilityRows(y_true, y_proba, sample_weight)
    clip = rows.eps if eps is None else check_fraction("eps", eps, high=0.5, include_low=True)
    sums = rows.sums_by_labels(LOG, labels, clip)
    return sums.mean if check_flag("normalize", normalize) else sums.total


@documented(LABELS_OR_INDICATOR, LABELS, _PROBABILITIES, D2)
def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the share of the log loss that is explained: 1 - log loss / that of class shares.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the greater of two
        labels, or one column for each class in the order of the sorted labels.
    y_pred : array-like, optional
        The former name of `y_proba`.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two rows (nan), or all rows belong to one class: the shares then
        have no loss, and the result is -inf, or nan if the model has none either.

    Notes
    -----
    One pass: the loss of the null model follows from the weights of the classes. As in
    scikit-learn its probabilities are clipped at the machine epsilon of float64.

    References
    ----------
    McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In Frontiers in
    Econometrics, 105-142.

    Examples
    --------
    >>> round(d2_log_loss_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.318633
    >>> d2_log_loss_score([0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5])
    0.0
    """
    y_proba = renamed(y_proba, y_pred)
    if too_few_for_d2(y_true, y_proba):
        return math.nan
    y_proba = in_class_order(y_proba, y_true, labels, name="y_proba")
    rows = ProbabilityRows(y_true, y_proba, sample_weight)
    return skill_of_logs(rows.sums_by_labels(LOG, labels, rows.eps), rows.eps)


def skill_of_logs(sums: LossSums, eps: float = _DOUBLE) -> float:
    """Return the share of the log loss that is explained, of sums of it clipped at ``eps``."""
    shares = sums.class_shares
    if np.count_nonzero(shares) < 2:
        return undefined_skill("log loss", has_loss=sums.mean > 2.0 * eps)
    clipped = np.clip(shares, _DOUBLE, 1.0 - _DOUBLE)
    null_mean = -math.fsum(shares * np.log(clipped))
    return 1.0 - sums.mean / null_mean
