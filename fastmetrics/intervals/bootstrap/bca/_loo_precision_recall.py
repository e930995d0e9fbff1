"""Leave-one-out values of the areas under the precision-recall curve.

Each area is 1/m+ times a sum over rows. What leaves row k changes the terms of the rows below it
alone, and each by an amount that does not depend on k: so the change is a sum from the end. The
deviation from the value of all rows is written as sums of such small changes, each computed as
such. What row k itself adds to its term is compared with the mean term: as precisions, or as
what these lack of 1, whichever is smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import replicate_pairs as kernels
from fastmetrics.measures.curves.pr_areas import _segment_areas
from fastmetrics.tables.scores.pairs import above
from fastmetrics.tables.scores.score_table import ScoreTable

Floats = NDArray[np.float64]

# Rows at a time, so that the many steps of a segment's area stay in cache.
_CHUNK = 1 << 13
Pair = tuple[Floats, Floats]


class _Counts(NamedTuple):
    """Columns of a table in float64, and TP, FP and their sum at the end of each row."""

    positives: Floats
    negatives: Floats
    tp: Floats
    fp: Floats
    predicted: Floats
    n_positive: float


def _counts(table: ScoreTable) -> _Counts:
    tp = table.true_positives.astype(np.float64)
    fp = table.false_positives.astype(np.float64)
    return _Counts(
        table.positives.astype(np.float64),
        table.negatives.astype(np.float64),
        tp,
        fp,
        tp + fp,
        float(table.n_positive),
    )


def average_precision(table: ScoreTable, deviations: bool) -> Pair:
    """Leave out of the sum of (recall step) x (precision at its end)."""
    tp, fp, n_positive = table.true_positives, table.false_positives, float(table.n_positive)
    mean, lack = (_mean_share(part, table, tp + fp) for part in (tp, fp))
    is_lack = lack < mean  # the difference is taken of the smaller ones
    of_positives, of_negatives = np.empty((2, len(table)))
    kernels.steps_without(tp, fp, lack if is_lack else mean, is_lack, of_positives, of_negatives)
    center = 0.0 if deviations else mean
    of_negatives /= n_positive
    if n_positive == 1:
        return np.full(len(table), np.nan), of_negatives + center
    of_positives /= n_positive - 1.0
    return (
        (of_positives, of_negatives) if deviations else (of_positives + mean, of_negatives + mean)
    )


def _mean_share(part: NDArray[Any], table: ScoreTable, called: NDArray[Any]) -> float:
    """Return the mean over the positives of a part of what is called positive at their score."""
    return float(np.sum(table.positives * (part / called))) / float(table.n_positive)


def pr_auc(table: ScoreTable, deviations: bool, *, interpolation: str = "continuous") -> Pair:
    """Leave out of the area under the precision-recall curve by a named estimator."""
    estimators: dict[str, Callable[[ScoreTable, bool], Pair]] = {
        "step": average_precision,
        "trapezoid": _trapezoid,
        "continuous": _continuous,
    }
    of_positives, of_negatives = estimators[interpolation](table, deviations)
    if table.n_negative <= 1:  # average precision alone is defined without negatives
        of_negatives = np.full(len(table), np.nan)
    return of_positives, of_negatives


def _trapezoid(table: ScoreTable, deviations: bool) -> Pair:
    c = _counts(table)
    mean, excess = _mean_less_own(c)
    # A row's term changes by the change at its end, and, if it is not row k itself, at its start.
    half = 0.5 * c.positives
    at_end = _precision_changes(c)
    at_start = [half * _shifted(change, 0.0) for change in at_end]
    return _areas(
        c, deviations, mean, excess, [half * change for change in at_end], changes_below=at_start
    )


def _continuous(table: ScoreTable, deviations: bool) -> Pair:
    c = _counts(table)
    p, n, tp, fp = c.positives, c.negatives, c.tp - c.positives, c.fp - c.negatives
    terms = _segments(tp, fp, p, n)
    # Below row k a segment starts one lower; at row k it has one row less.
    below = [
        _segments(np.maximum(tp - 1.0, 0.0), fp, p, n) - terms,
        _segments(tp, np.maximum(fp - 1.0, 0.0), p, n) - terms,
    ]
    lost, gained = terms.copy(), np.zeros(len(table))
    at = p > 1
    lost[at] -= _segments(tp[at], fp[at], p[at] - 1.0, n[at])
    at = (p > 0) & (n > 0)
    gained[at] = _segments(tp[at], fp[at], p[at], n[at] - 1.0) - terms[at]
    mean = float(np.sum(terms)) / c.n_positive
    none = np.zeros(len(table))
    return _areas(
        c,
        deviations,
        mean,
        mean - lost,
        [none, none],
        changes_below=below,
        own_negative=gained,
    )


def _areas(
    c: _Counts,
    deviations: bool,
    mean: float,
    excess: Floats,
    changes: list[Floats],
    *,
    changes_below: list[Floats] | None = None,
    own_negative: Floats | None = None,
) -> Pair:
    """Return both sides from what leaving out does to each row's term.

    Parameters
    ----------
    mean : float
        The measure of all rows, the mean over the positives of their terms.
    excess : ndarray
        By how much the mean is more than what row k loses with one of its positives.
    changes : [of_positive, of_negative]
        What each row's term gains if the row left out is of that row or one above.
    changes_below : [of_positive, of_negative]
        What each row's term gains if the row left out is of a row above.
    own_negative : ndarray
        What the term of row k gains besides, if one of its negatives is left out.
    """
    gains = [_from_row_on(change) for change in changes]
    if changes_below is not None:
        for gain, change in zip(gains, changes_below, strict=True):
            gain[:-1] += _from_row_on(change)[1:]
    center = 0.0 if deviations else mean
    of_positives = np.full(len(excess), np.nan)
    if c.n_positive > 1:
        of_positives = (excess + gains[0]) / (c.n_positive - 1.0) + center
    of_negatives = gains[1] if own_negative is None else gains[1] + own_negative
    return of_positives, of_negatives / c.n_positive + center


def _from_row_on(changes: Floats) -> Floats:
    """Return the sum of each row's change and of all below it."""
    return np.cumsum(changes[::-1])[::-1]


def _precision_changes(c: _Counts) -> list[Floats]:
    """Return what precision gains at each row, if a positive (a negative) is left out above.

    (TP - 1)/(M - 1) - TP/M = -FP / (M (M - 1)), and TP/(M - 1) - TP/M = TP / (M (M - 1)), where M
    is the number called positive. Where it was 1 the row is gone, and the curve starts at 1.
    """
    rest = c.predicted * (c.predicted - 1.0)
    alone = rest == 0
    rest[alone] = 1.0
    of_positive, of_negative = -c.fp / rest, c.tp / rest
    of_positive[alone] = of_negative[alone] = 1.0 - c.tp[alone]
    return [of_positive, of_negative]


def _mean_less_own(c: _Counts) -> tuple[float, Floats]:
    """Return the area, and by how much it is more than the precision at a row's last positive."""
    found = []
    # Precision, and what it lacks of 1: the difference is taken of the smaller ones.
    for part, less, at_start in ((c.tp, 1.0, 1.0), (c.fp, 0.0, 0.0)):
        share = part / c.predicted
        own = np.full(len(part), at_start)
        np.divide(part - less, c.predicted - 1.0, out=own, where=c.predicted > 1)
        before = _shifted(share, at_start)
        share, own = 0.5 * (share + before), 0.5 * (own + before)
        found.append((float(np.sum(c.positives * share)) / c.n_positive, own))
    (mean, own), (lack, own_lack) = found
    return mean, own_lack - lack if lack < mean else mean - own


def _shifted(values: Floats, first: float) -> Floats:
    """Return what stands at the row above each."""
    found = above(values)
    found[:1] = first
    return found


def _segments(tp: Floats, fp: Floats, gain: Floats, negatives: Floats) -> Floats:
    """Return the areas of segments of the continuous curve, TP on the axis."""
    areas = np.zeros(len(tp))
    rising = np.flatnonzero(gain)
    for start in range(0, len(rising), _CHUNK):
        rows = rising[start : start + _CHUNK]
        gained, before = gain[rows], tp[rows]
        added, predicted = gained + negatives[rows], before + fp[rows]
        found = _segment_areas(before, predicted, added, gained / added)
        perfect = before + gained == predicted + added
        found[perfect] = gained[perfect]  # where the formula would round
        areas[rows] = found
    return areas
