"""How far each row moves net benefit: that of a mean over rows, of a ratio, or of two samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.costs import check_prevalence
from fastmetrics._input.scalars import check_fraction
from fastmetrics.measures._influences import RowInfluences, of_mean, of_ratio
from fastmetrics.tables.scores._threshold import is_called_positive

Floats = NDArray[np.float64]


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
    return of_calls(classes == 1, called, weights, at / (1.0 - at), standardized, share)


def of_calls(
    positive: NDArray[np.bool_],
    called: NDArray[np.bool_],
    weights: NDArray[Any] | None,
    odds: float,
    standardized: bool,
    prevalence: float | None,
) -> RowInfluences:
    """Return the same of rows that are called or not; ``odds`` are what a false alarm costs."""
    if positive.all() or not positive.any():
        return RowInfluences(math.nan, np.full(len(positive), math.nan))
    found = of_shares(
        positive, np.where(called, np.where(positive, 1.0, -odds), 0.0), weights, prevalence
    )
    if not standardized:
        return found
    if prevalence is None:
        return of_ratio(found, of_mean(positive.astype(np.float64), weights))
    return found.scaled(1.0 / prevalence, found.value / prevalence)


def of_shares(
    positive: NDArray[np.bool_],
    terms: Floats,
    weights: NDArray[Any] | None,
    prevalence: float | None,
) -> RowInfluences:
    """Return the mean of terms of rows, the share of positives being that of the rows or given."""
    if prevalence is None:
        return of_mean(terms, weights)
    value, influences = 0.0, np.empty(len(terms))
    for its, share in ((positive, prevalence), (~positive, 1.0 - prevalence)):
        mean = of_mean(terms[its], None if weights is None else weights[its])
        value += share * mean.value
        influences[its] = share * mean.influences
    return RowInfluences(value, influences)
