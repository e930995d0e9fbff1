"""Losses beside an indicator matrix: a row may belong to several classes, or to none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_multilabel_indicator
from fastmetrics.measures.probabilities._loss_sums import (
    LOG,
    LossSums,
    RowWeights,
    exact_sum,
    job_rows,
)


def indicator_sums(
    kind: int,
    y_true: NDArray[Any],
    scores: NDArray[Any],
    weights: RowWeights,
    eps: float,
    tolerance: float,
) -> LossSums:
    """Add up the log losses or squared errors of every class of every row.

    Parameters
    ----------
    kind : int
        ``LOG`` or ``SQUARE``.
    y_true : ndarray of shape (n, k)
        0 and 1.
    scores : ndarray of shape (n, k)
        Probabilities.
    weights : RowWeights
        Of the rows.
    eps : float
        How close to 0 and 1 a probability may come.
    tolerance : float
        How far from 1 a row of probabilities may add up.

    Returns
    -------
    LossSums
        Where ``weight_of_class`` may add up to more or less than ``row_weight``.
    """
    indicator = check_multilabel_indicator(y_true)
    n_rows, n_classes = indicator.shape
    losses: list[float] = []
    faults = off = 0
    rows_of_class = np.zeros(n_classes, dtype=np.int64)
    weight_of_class = np.zeros(n_classes)
    for rows in job_rows(n_rows, n_classes):
        ones, p = indicator[rows] == 1, scores[rows].astype(np.float64)
        faults += p.size - int(np.count_nonzero((p >= 0) & (p <= 1)))
        off += int(np.count_nonzero(~(np.abs(p.sum(axis=1) - 1.0) <= tolerance)))
        if kind == LOG:
            p = np.where(ones, np.clip(p, eps, 1.0 - eps), 1.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                of_row = np.abs(np.log(p)).sum(axis=1)
        else:
            of_row = ((p - ones) ** 2).sum(axis=1)
        weight = weights.of(rows)
        if weight.size:
            of_row = np.where(weight > 0, of_row, 0.0) * weight
        losses.append(float(of_row.sum()))
        rows_of_class += ones.sum(axis=0)
        weight_of_class += (weight if weight.size else np.ones(len(ones))) @ ones
    loss = exact_sum(losses)
    row_weight = float(weights.values.sum()) if weights.values.size else float(n_rows)
    return LossSums(
        *(loss, n_rows, n_rows, faults, off),
        *(rows_of_class, weight_of_class, row_weight, weights.exponent),
    )
