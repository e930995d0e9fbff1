"""BCa's acceleration of a measure, or of its difference between two models, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.intervals.bootstrap._limits import acceleration
from fastmetrics.intervals.bootstrap._problem import Problem
from fastmetrics.intervals.bootstrap._run import Options
from fastmetrics.intervals.bootstrap.bca._acceleration import row_deviations


def difference_acceleration(
    models: list[tuple[Problem, NDArray[np.int64]]], options: Options, engine: Any, measure: int
) -> float:
    """Return the acceleration of a measure of one model, or of the first less the second.

    Each model comes with the place of its rows in the order that all share.
    """
    one, columns = options.asked[measure], engine.columns[measure]
    total: NDArray[np.float64] | None = None
    for problem, places in models:
        deviations = np.empty(len(places))
        deviations[places] = row_deviations(problem, one, columns)
        total = deviations if total is None else total - deviations
    if total is None:
        return float("nan")
    if not options.stratified:
        return acceleration([(total, np.ones(len(total)))])
    sample = models[0][0].sample
    if sample is None or sample.rows is None:
        return float("nan")
    positive = np.empty(len(total), np.bool_)
    positive[models[0][1]] = sample.rows.labels == 1
    return acceleration([(total[part], np.ones(int(part.sum()))) for part in (positive, ~positive)])
