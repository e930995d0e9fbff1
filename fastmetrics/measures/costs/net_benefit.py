"""Net benefit at a threshold probability (Vickers & Elkin 2006), and how far each row moves it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_flag, check_fraction
from fastmetrics._input.scores import check_probabilities
from fastmetrics._input.weights import check_prevalence
from fastmetrics.errors import InputError, renamed
from fastmetrics.measures._measure import Floats, RowInfluences
from fastmetrics.tables.score_table import (
    BOTH_CLASSES,
    ScoreTable,
    as_table,
    is_called_positive,
    lacks_one,
)


@documented(BOTH_CLASSES)
def net_benefit(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    threshold: float,
    standardized: bool = False,
    prevalence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> float:
    """Compute the net benefit of treating whoever has at least a threshold probability.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or a table, and then `y_proba` is left out.
    y_proba : array-like of shape (n_samples,), optional
        Probabilities of the positive class, in [0, 1].
    threshold : float
        The threshold probability t, in (0, 1): at which treating is worth it. It says what an
        unnecessary treatment costs: t / (1 - t) of a necessary one's benefit.
    standardized : bool, default=False
        Whether to divide by the prevalence, the net benefit of a perfect model.
    prevalence : float, optional
        Share of positives, in (0, 1), as for a case-control study; None: that of the data.

    Returns
    -------
    float
        ``TP/n - FP/n * t / (1 - t)``: in true positives a person, those who are treated in vain
        discounted.

    Raises
    ------
    ValueError
        If the data are not binary labels, a probability is outside [0, 1], or the threshold or the
        prevalence is not in (0, 1).

    Notes
    -----
    Treating nobody has net benefit 0; treating all, prevalence - (1 - prevalence) t / (1 - t).
    `decision_curve` has both beside that of models, with confidence bands. One sort, or O(distinct
    scores) from a table.

    References
    ----------
    Vickers, A. J. & Elkin, E. B. (2006). Decision curve analysis: a novel method for evaluating
    prediction models. Medical Decision Making 26(6), 565-574.

    Examples
    --------
    >>> net_benefit([0, 0, 1, 1, 0], [0.1, 0.3, 0.25, 0.8, 0.4], threshold=0.2)
    0.3
    """
    at = check_fraction("threshold", threshold)
    share = check_prevalence(prevalence)
    if not isinstance(y_true, ScoreTable):
        y_proba = check_probabilities(y_proba)
    with renamed(y_score="y_proba"):
        table = as_table(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label)
    if len(table) and (table.scores[0] > 1 or table.scores[-1] < 0):
        low, high = table.scores[-1].item(), table.scores[0].item()
        raise InputError(f"the scores of the table must lie in [0, 1]: from {low!r} to {high!r}")
    if lacks_one(table.n_positive > 0, table.n_negative > 0, "the net benefit"):
        return math.nan
    called = int(is_called_positive(table.scores, at).sum())
    tp = float(table.positives[:called].sum())
    fp = float(table.negatives[:called].sum())
    odds = at / (1.0 - at)
    n = table.n_positive + table.n_negative
    if share is None:
        found = (tp - fp * odds) / n
        share = table.n_positive / n
    else:
        found = share * tp / table.n_positive - (1.0 - share) * fp / table.n_negative * odds
    return float(found / share if check_flag("standardized", standardized) else found)


def of_threshold(
    _: str,
    classes: NDArray[Any],
    p: NDArray[Any],
    weights: Floats | None,
    *,
    threshold: float,
    standardized: bool = False,
    prevalence: float | None = None,
) -> RowInfluences:
    """Return net benefit at a threshold probability with the influence of each row."""
    at, share = check_fraction("threshold", threshold), check_prevalence(prevalence)
    called = is_called_positive(p, at)
    value, influences = of_calls(
        classes == 1, called, weights, at / (1.0 - at), standardized, share
    )
    return RowInfluences(float(value), influences)


def of_calls(
    positive: NDArray[np.bool_],
    called: NDArray[np.bool_],
    weights: NDArray[Any] | None,
    odds: Any,
    standardized: bool,
    prevalence: float | None,
) -> tuple[Floats, Floats]:
    """Return net benefit, and the influence of each row, of one rule or of several.

    ``called`` of shape (..., n) says which rows a rule calls; ``odds`` are what a false alarm
    costs, of shape (..., 1) where rules have their own.
    """
    if prevalence is None and (positive.all() or not positive.any()):
        shape = called.shape
        return np.full(shape[:-1], math.nan), np.full(shape, math.nan)
    gains = np.where(called, np.where(positive, 1.0, -odds), 0.0)
    value, influences = of_shares(positive, gains, weights, prevalence)
    if not standardized:
        return value, influences
    if prevalence is not None:
        return value / prevalence, influences / prevalence
    share, moves = of_shares(positive, positive.astype(np.float64), weights, None)
    value = value / share
    return value, (influences - value[..., None] * moves) / share


def of_shares(
    positive: NDArray[np.bool_],
    terms: Floats,
    weights: NDArray[Any] | None,
    prevalence: float | None,
) -> tuple[Floats, Floats]:
    """Return means of terms of rows, (..., n), and influences: of all, or of classes in shares."""
    value, influences = np.zeros(terms.shape[:-1]), np.empty(terms.shape)
    parts: list[tuple[Any, float]] = [(slice(None), 1.0)]
    if prevalence is not None:
        parts = [(positive, prevalence), (~positive, 1.0 - prevalence)]
    for its, share in parts:
        own = terms[..., its]
        counted = np.ones(own.shape[-1]) if weights is None else weights[its]
        total = float(counted.sum())
        with np.errstate(invalid="ignore"):  # of no row: nan
            mean = np.asarray(np.sum(own * counted, axis=-1) / np.float64(total))
            influences[..., its] = share * (own - mean[..., None]) / np.float64(total)
        value = value + share * mean
    return value, influences
