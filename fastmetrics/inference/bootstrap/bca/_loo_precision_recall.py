"""Leave-one-out values of the areas under the precision-recall curve.

Each area is 1/m+ times a sum over rows. What leaves row k changes the terms of the rows below it
alone, and each by an amount that does not depend on k: so the change is a sum from the end. The
deviation from the value of all rows is written as sums of such small changes, each computed as
such. What row k itself adds to its term is compared with the mean term: as precisions, or as
what these lack of 1, whichever is smaller.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import leave_one_out as kernels
from fastmetrics.tables.scores.pairs import above
from fastmetrics.tables.scores.score_table import ScoreTable

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


def average_precision(table: ScoreTable) -> Pair:
    """Leave out of the sum of (recall step) x (precision at its end)."""
    return _by_kernel(kernels.steps_without, table)


def _continuous(table: ScoreTable) -> Pair:
    return _by_kernel(kernels.segments_without, table)


def _by_kernel(kernel: Callable[..., None], table: ScoreTable) -> Pair:
    of_positives, of_negatives = np.empty((2, len(table)))
    kernel(table.true_positives, table.false_positives, of_positives, of_negatives)
    if table.n_positive == 1:
        of_positives[:] = np.nan
    return of_positives, of_negatives


def pr_auc(table: ScoreTable, *, interpolation: str = "continuous") -> Pair:
    """Leave out of the area under the precision-recall curve by a named estimator."""
    estimators: dict[str, Callable[[ScoreTable], Pair]] = {
        "step": average_precision,
        "trapezoid": _trapezoid,
        "continuous": _continuous,
    }
    of_positives, of_negatives = estimators[interpolation](table)
    if table.n_negative <= 1:  # average precision alone is defined without negatives
        of_negatives = np.full(len(table), np.nan)
    return of_positives, of_negatives


def _trapezoid(table: ScoreTable) -> Pair:
    columns = table.true_positives, table.false_positives, table.positives
    tp, fp, positives = (column.astype(np.float64) for column in columns)
    n_positive = float(table.n_positive)
    half = 0.5 * positives
    # A row's term changes by the change at its end, and, if it is not row k itself, at its start.
    changes = _precision_changes(tp, fp)
    of_positives, of_negatives = (_from_row_on(half * change) for change in changes)
    for found, change in zip((of_positives, of_negatives), changes, strict=True):
        found[:-1] += _from_row_on(half * _shifted(change, 0.0))[1:]
    of_negatives = of_negatives / n_positive
    if n_positive == 1:
        return np.full(len(table), np.nan), of_negatives
    return (_mean_less_own(tp, fp, positives) + of_positives) / (n_positive - 1.0), of_negatives


def _from_row_on(changes: Floats) -> Floats:
    """Return the sum of each row's change and of all below it."""
    return np.cumsum(changes[::-1])[::-1]


def _precision_changes(tp: Floats, fp: Floats) -> list[Floats]:
    """Return what precision gains at each row, if a positive (a negative) is left out above.

    (TP - 1)/(M - 1) - TP/M = -FP / (M (M - 1)), and TP/(M - 1) - TP/M = TP / (M (M - 1)), where M
    is the number called positive. Where it was 1 the row is gone, and the curve starts at 1.
    """
    predicted = tp + fp
    rest = predicted * (predicted - 1.0)
    alone = rest == 0
    rest[alone] = 1.0
    of_positive, of_negative = -fp / rest, tp / rest
    of_positive[alone] = of_negative[alone] = 1.0 - tp[alone]
    return [of_positive, of_negative]


def _mean_less_own(tp: Floats, fp: Floats, positives: Floats) -> Floats:
    """Return by how much the area is more than the precision at a row's last positive."""
    found, predicted = [], tp + fp
    # Precision, and what it lacks of 1: the difference is taken of the smaller ones.
    for part, less, at_start in ((tp, 1.0, 1.0), (fp, 0.0, 0.0)):
        share = part / predicted
        own = np.full(len(part), at_start)
        np.divide(part - less, predicted - 1.0, out=own, where=predicted > 1)
        before = _shifted(share, at_start)
        share, own = 0.5 * (share + before), 0.5 * (own + before)
        found.append((float(np.sum(positives * share)) / float(tp[-1]), own))
    (mean, own), (lack, own_lack) = found
    return own_lack - lack if lack < mean else mean - own


def _shifted(values: Floats, first: float) -> Floats:
    """Return what stands at the row above each."""
    found = above(values)
    found[:1] = first
    return found
