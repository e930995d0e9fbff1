"""How far each row moves slope and intercepts of a logistic calibration: its score's step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.measures._measure import RowInfluences
from fastmetrics.measures.calibration._probability_table import (
    Floats,
    minus_logs,
    probability_table,
)
from fastmetrics.measures.calibration.logistic_calibration import logistic_of_table


def of_logits(
    name: str, classes: NDArray[Any], p: NDArray[Any], weights: Floats | None
) -> RowInfluences:
    """Return one of the three numbers with the influence of each row.

    Where a weight grows the fit takes one more step of Newton's: the inverse of the information by
    the row's score, (y - fitted) (1, logit). Rows of a certain probability move nothing.
    """
    table = probability_table(classes, p, sample_weight=weights)
    fit = logistic_of_table(table, None, None)
    values = {
        "calibration_slope": fit.slope,
        "calibration_intercept": fit.intercept,
        "calibration_in_the_large": fit.in_the_large,
    }
    influences = np.full(len(p), np.nan)
    if np.isnan(values[name]):
        return RowInfluences(values[name], influences)
    is_large = name == "calibration_in_the_large"
    level, slope = (fit.in_the_large, 1.0) if is_large else (fit.intercept, fit.slope)
    inside = (p > 0.0) & (p < 1.0)
    logits = np.subtract(*minus_logs(p[inside].astype(np.float64))[::-1])
    fitted = 1.0 / (1.0 + np.exp(-(level + slope * logits)))
    left = (classes[inside] == 1) - fitted
    information = fitted * (1.0 - fitted)
    if weights is not None:
        information = information * weights[inside]
    total = float(information.sum())
    influences[:] = 0.0
    if is_large:
        influences[inside] = left / total
        return RowInfluences(level, influences)
    centre = float(information @ logits) / total
    away = logits - centre
    of_slope = left * away / float(information @ (away * away))
    influences[inside] = (
        of_slope if name == "calibration_slope" else left / total - centre * of_slope
    )
    return RowInfluences(values[name], influences)
