"""Log loss and Brier score, the D² of both, and the influence of each row."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_flag, check_fraction
from fastmetrics._threads.workers import by_blocks
from fastmetrics.metrics._metric import Floats, RowInfluences, mean_influences, ratio_influences
from fastmetrics.metrics.probabilities._loss_sums import (
    D2,
    LABELS,
    LABELS_OR_INDICATOR,
    LOG,
    ProbabilityRows,
    renamed,
    undefined_skill,
)

_BRIER_PROBABILITIES: Final = """
Parameters
----------
pos_label : number, bool or str, optional
    The positive label beside one column: 1 for labels in {0, 1} or {-1, 1}, the greater of
    two other numbers, and needed for text. Not read beside several columns.
labels : array-like of shape (n_classes,), optional
    The classes beside several columns, sorted; needed when one has no row. Beside one column
    they choose nothing, and must name the labels that occur.

Raises
------
ValueError
    If a probability lies outside [0, 1], labels are text without `pos_label`, `pos_label` is
    none of two labels, or labels and columns do not match.
"""


#: Skills within this of 0 are 0: rounding of both sums gave the base rate up to 6 * 2**-53.
_ROUNDING: Final = 2.0**-50


@documented(LABELS_OR_INDICATOR, _BRIER_PROBABILITIES, LABELS)
def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: float | bool | str | None = None,
    labels: ArrayLike | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
    n_threads: int | None = None,
) -> float:
    """Compute the Brier score: the mean squared error of the probabilities of the classes.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the positive label,
        or one column for each class in the order of the sorted labels.
    scale_by_half : bool or "auto", default "auto"
        Whether to halve the sum over the classes, so that it lies in [0, 1] and not in [0, 2]:
        "auto" does for two classes.

    Returns
    -------
    float
        At least 0, the smaller the better.

    Notes
    -----
    One pass, O(n k) time, without a temporary of length n for integer labels. Summed in double
    precision; the sum is off by at most 2**-48 of itself, whatever its length.

    References
    ----------
    Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly
    Weather Review 78, 1-3.

    Examples
    --------
    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.0375
    >>> y_proba = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]
    >>> round(brier_score_loss(["a", "b", "c"], y_proba), 6)
    0.146667
    """
    choice: Any = scale_by_half
    choice = bool(choice) if isinstance(choice, np.bool_) else choice
    check_choice("scale_by_half", choice, (True, False, "auto"))
    rows = ProbabilityRows(y_true, y_proba, sample_weight, labels)
    sums = rows.squares(pos_label)
    n_columns = 1 if rows.scores.ndim == 1 else rows.scores.shape[1]
    halved = n_columns <= 2 if choice == "auto" else choice
    # One column holds the error of one of two classes; that of the other is the same.
    factor = (1.0 if n_columns == 1 else 0.5) if halved else (2.0 if n_columns == 1 else 1.0)
    return sums.mean * factor


@documented(LABELS_OR_INDICATOR, _BRIER_PROBABILITIES, LABELS, D2)
def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: float | bool | str | None = None,
    labels: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the Brier skill score: 1 - Brier score / that of the class frequencies.

    Parameters
    ----------
    y_true, y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Class labels (or an indicator matrix); and probabilities in [0, 1]: of the positive label,
        or one column for each class in the order of the sorted labels.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two rows (nan), or all rows belong to one class: the shares then
        make no error, and the result is -inf, or nan if the model makes none either.

    Notes
    -----
    One pass: the score of the shares p_c follows from the weights of the classes, it is the sum of
    p_c (1 - p_c).

    References
    ----------
    Murphy, A. H. (1973). A new vector partition of the probability score. Journal of Applied
    Meteorology 12, 595-600.

    Examples
    --------
    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.85
    """
    rows = ProbabilityRows(y_true, y_proba, sample_weight, labels)
    if rows.are_too_few():
        return math.nan
    sums = rows.squares(pos_label)
    mean = sums.mean * (2.0 if rows.scores.ndim == 1 else 1.0)  # one column has half of the errors
    fractions = sums.class_fractions
    null_mean = math.fsum(fractions * (1.0 - fractions))
    if null_mean > 0.0:
        score = 1.0 - mean / null_mean
        return 0.0 if abs(score) <= _ROUNDING else score
    return undefined_skill("Brier score", has_loss=mean > 0.0)


def _log_losses(codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    """Return -log of the probability of each row's class, clipped by the machine epsilon."""
    eps = _eps(p)
    given = _true_class_probabilities(codes, p.astype(np.float64, copy=False))
    return np.asarray(-np.log(np.clip(given, eps, 1.0 - eps)))


def _eps(p: NDArray[Any]) -> float:
    return float(np.finfo(p.dtype if p.dtype.kind == "f" else np.float64).eps)


def _true_class_probabilities(codes: NDArray[Any], p: Floats) -> Floats:
    """Return the probability of each row's class; one column is that of class 1."""
    if p.ndim == 1:
        return np.where(codes == 1, p, 1.0 - p)
    return np.asarray(p[np.arange(len(p)), codes])


def _brier_scores(codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    p = p.astype(np.float64, copy=False)
    if p.ndim == 1:
        return np.asarray((p - (codes == 1)) ** 2)
    given = p[np.arange(len(p)), codes]
    return np.asarray((p * p).sum(axis=1) - given * given + (1.0 - given) ** 2)


def _hinge_losses(codes: NDArray[Any], scores: NDArray[Any]) -> Floats:
    scores = scores.astype(np.float64, copy=False)
    if scores.ndim == 1:
        margin = np.where(codes == 1, scores, -scores)
    else:
        rows = np.arange(len(scores))
        others = scores.copy()
        others[rows, codes] = -np.inf
        margin = scores[rows, codes] - others.max(axis=1)
    return np.maximum(1.0 - margin, 0.0)


_LOSSES: Final[dict[str, Callable[..., Floats]]] = {
    "log_loss": _log_losses,
    "brier_score": _brier_scores,
    "hinge_loss": _hinge_losses,
}
_SAVED: Final = {"d2_log_loss_score": "log_loss", "d2_brier_score": "brier_score"}


def row_losses(name: str, codes: NDArray[Any], p: NDArray[Any]) -> Floats:
    """Return the loss of each row, by the name of its mean; see `loss_influences`."""
    losses = np.empty(len(p))

    def fill(here: slice) -> None:
        losses[here] = _LOSSES[name](codes[here], p[here])

    by_blocks(len(p), fill)
    return losses


def loss_influences(
    name: str, codes: NDArray[Any], p: NDArray[Any], weights: Floats | None
) -> RowInfluences:
    """Return a loss by its name with the influence of each row.

    ``codes`` are class codes; for one column of probabilities, 1 is its class. A skill score
    compares with the base rate, whose change does not matter to first order: its loss is least.
    """
    if name in _LOSSES:
        return mean_influences(row_losses(name, codes, p), weights)
    loss = partial(row_losses, _SAVED[name])
    n_classes = 2 if p.ndim == 1 else p.shape[1]
    positive = (codes == 1).astype(np.int64) if p.ndim == 1 else codes
    fractions = np.bincount(positive, weights, n_classes)
    fractions = fractions / fractions.sum()
    if np.count_nonzero(fractions) < 2:  # the base rate has no loss: -inf, or nan if perfect
        clipped = 2.0 * _eps(p) if _SAVED[name] == "log_loss" else 0.0
        has_loss = mean_influences(loss(codes, p), weights).value > clipped
        return RowInfluences(-np.inf if has_loss else np.nan, np.full(len(p), np.nan))
    null = np.full(len(p), fractions[1]) if p.ndim == 1 else np.broadcast_to(fractions, p.shape)
    saved = ratio_influences(
        mean_influences(loss(codes, p), weights), mean_influences(loss(codes, null), weights)
    )
    return saved.scaled(-1.0, 1.0 - saved.value)


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
    rows = ProbabilityRows(y_true, renamed(y_proba, y_pred), sample_weight, labels)
    clip = rows.eps if eps is None else check_fraction("eps", eps, high=0.5, include_low=True)
    sums = rows.sums_by_labels(LOG, clip)
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
    """Compute the D² of the log loss: 1 - log loss / that of the class frequencies.

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
    rows = ProbabilityRows(y_true, renamed(y_proba, y_pred), sample_weight, labels)
    if rows.are_too_few():
        return math.nan
    sums = rows.sums_by_labels(LOG, rows.eps)
    fractions = sums.class_fractions
    if np.count_nonzero(fractions) < 2:
        return undefined_skill("log loss", has_loss=sums.mean > 2.0 * rows.eps)
    clipped = np.clip(fractions, _DOUBLE, 1.0 - _DOUBLE)
    return 1.0 - sums.mean / -math.fsum(fractions * np.log(clipped))
