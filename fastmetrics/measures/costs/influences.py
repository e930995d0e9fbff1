"""How far each row moves net benefit: that of a mean over rows, of a ratio, or of two samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.costs import check_prevalence
from fastmetrics._input.scalars import check_fraction
from fastmetrics.measures._influences import RowInfluences
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
