"""How many independent rows grouped or weighted rows are worth, class by class."""

from __future__ import annotations

from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from fastmetrics.inference.bootstrap._forms import Form, ScoredRows

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

#: Thresholds whose rates tell how much more than a binomial proportion they vary.
N_THRESHOLDS = 32


class Sizes(NamedTuple):
    """Numbers of independent rows: negatives, positives, and for the share of positives.

    Attributes
    ----------
    negatives, positives, rows : float
    """

    negatives: float
    positives: float
    rows: float


def has_unequal_rows(form: Form) -> TypeGuard[ScoredRows]:
    """Return whether rows are of groups, or have weights of their own."""
    return isinstance(form, ScoredRows) and (form.units is not None or form.weights is not None)


def effective_sizes(form: Form) -> Sizes:
    """Return the sizes of both classes: counts, or those of equal variance.

    A rate at a fixed threshold is a ratio of sums over units. Its variance over that of a
    proportion is the design effect (Rao & Scott 1992), here pooled over thresholds, so that it
    does not hang on a few rows; a size never exceeds the number of rows.
    """
    if not has_unequal_rows(form):
        table = form.score_table()
        negatives, positives = float(table.n_negative), float(table.n_positive)
        return Sizes(negatives, positives, negatives + positives)
    n = form.n
    weights = np.ones(n) if form.weights is None else form.weights.astype(np.float64)
    units = form.unit_of_rows()
    is_positive = form.rows.labels == 1
    tie = np.zeros(n, np.int64)
    tie[1:] = np.cumsum(form.rows.ends[: n - 1], dtype=np.int64)
    most = weights
    if form.weights is None or form.weights.dtype.kind != "i":  # an integer is so many rows
        most = (weights > 0).astype(np.float64)
    negatives, positives = (
        min(_of_class(weights[chosen], units[chosen], tie[chosen]), float(most[chosen].sum()))
        for chosen in (~is_positive, is_positive)
    )
    share = _of_share(is_positive * weights, weights, units)
    return Sizes(negatives, positives, min(share, float(most.sum())))


def _of_class(weights: Floats, units: Codes, tie: Codes) -> float:
    """Return how many rows would give the rates of one class the variance that they have."""
    _, units = np.unique(units, return_inverse=True)
    of_unit = np.bincount(units, weights)
    total = float(weights.sum())
    stops = np.flatnonzero(np.diff(tie, append=-1)) + 1
    reached = np.cumsum(weights)[stops - 1]
    wanted = np.arange(1, N_THRESHOLDS + 1) / (N_THRESHOLDS + 1) * total
    binomial, found = 0.0, 0.0
    for stop in np.unique(stops[np.minimum(np.searchsorted(reached, wanted), len(stops) - 1)]):
        above = np.bincount(units[:stop], weights[:stop], minlength=len(of_unit))
        rate = float(above.sum()) / total
        binomial += rate * (1.0 - rate)
        found += _variance(above - rate * of_unit, total)
    if found > 0.0 and binomial > 0.0:
        return 1.0 + binomial / found  # n for n rows, whose rates vary by r (1 - r) / (n - 1)
    return total**2 / float(np.sum(of_unit**2))


def _of_share(positive: Floats, weights: Floats, units: Codes) -> float:
    total = float(weights.sum())
    share = float(positive.sum()) / total
    deviations = np.bincount(units, positive) - share * np.bincount(units, weights)
    variance = _variance(deviations, total)
    return 1.0 + share * (1.0 - share) / variance if variance > 0.0 else np.inf


def _variance(deviations: Floats, total: float) -> float:
    """Return the variance of a ratio from what each unit adds to its error."""
    n = len(deviations)
    return float(np.sum(deviations**2)) / total**2 * n / (n - 1) if n > 1 else 0.0
