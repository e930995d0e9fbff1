"""The ROC and the detection error tradeoff curve, and the area under any curve."""

from __future__ import annotations

import math
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_flag, check_same_length
from fastmetrics._input.scores import check_float_thresholds
from fastmetrics._kernels.curve_kernels import corner_count, write_roc
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.curves._pieces import PIECE_ROWS, Piece, by_pieces
from fastmetrics.tables.score_table import (
    SCORED,
    SCORED_BINARY,
    Floats,
    ScoreTable,
    as_table,
)

# scikit-learn's words, so that a filter on them still works.
NO_NEGATIVE = "No negative samples in y_true, false positive value should be meaningless"
NO_POSITIVE = "No positive samples in y_true, true positive value should be meaningless"


@documented(SCORED_BINARY)
def roc_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
    n_threads: int | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Compute the ROC curve: false and true positive rate at every distinct score.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Binary labels, and scores: the greater, the more positive; or a ScoreTable alone.
    drop_intermediate : bool, default=True
        Leave out the thresholds that lie inside a straight piece of the curve, as scikit-learn
        does: a row of the table whose counts equal those of the next one.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_thresholds,)
        Rates of the decision score >= threshold, rising from 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        Falling; the first is inf, where nothing is called positive.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing; the rate of that class is nan throughout.

    Notes
    -----
    One sort of O(n log n), then one pass of O(distinct scores) that counts the corners and one
    that writes them: no temporary of the table's length. Unweighted counts are integers and
    each rate is one division, so that the three arrays equal scikit-learn's bit for bit up to
    2**53 rows. With weights, "straight" compares the weights themselves; scikit-learn compares
    rounded sums of them and keeps more points of the same curve.

    References
    ----------
    Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27(8).

    Examples
    --------
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> thresholds.tolist()
    [inf, 0.8, 0.4, 0.35, 0.1]
    """
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule="curve"
    )
    check_float_thresholds(table.scores)
    drop_intermediate = check_flag("drop_intermediate", drop_intermediate)
    fpr, tpr, thresholds = roc_of_table(table, drop_intermediate=drop_intermediate)
    if math.isnan(fpr[-1]):
        warn_user(NO_NEGATIVE, UndefinedMetricWarning)
    if math.isnan(tpr[-1]):
        warn_user(NO_POSITIVE, UndefinedMetricWarning)
    return fpr, tpr, thresholds


def roc_of_table(
    table: ScoreTable, *, drop_intermediate: bool = True
) -> tuple[Floats, Floats, Floats]:
    """Return the ROC curve of a table; the rate of a class without weight is nan."""
    if len(table) == 0:
        return np.array([np.nan]), np.array([np.nan]), np.array([np.inf])
    if table.is_weighted:
        return _weighted_roc(table, drop_intermediate)
    n_positive, n_negative = float(table.n_positive), float(table.n_negative)
    columns = table.positives, table.negatives
    ends = [*range(0, len(table), PIECE_ROWS), len(table)]
    places = [1 + end for end in ends]
    if drop_intermediate:
        jobs = [partial(corner_count, *columns, *piece) for piece in pairwise(ends)]
        corners = run(jobs) if len(jobs) > 1 else [jobs[0]()]
        places = [*accumulate(corners, initial=1)]
    fpr, tpr, thresholds = (np.empty(places[-1]) for _ in range(3))
    fpr[0], tpr[0], thresholds[0] = 0.0, 0.0, np.inf

    def write(piece: Piece) -> None:
        number = piece.start // PIECE_ROWS
        here = slice(places[number], places[number + 1])
        write_roc(
            table.scores,
            *columns,
            piece.start,
            piece.stop,
            piece.tp,
            piece.fp,
            n_positive or 1.0,
            n_negative or 1.0,
            bool(drop_intermediate),
            fpr[here],
            tpr[here],
            thresholds[here],
        )

    by_pieces(table, write)
    if not n_negative > 0:
        fpr.fill(np.nan)
    if not n_positive > 0:
        tpr.fill(np.nan)
    return fpr, tpr, thresholds


def _weighted_roc(table: ScoreTable, drop_intermediate: bool) -> tuple[Floats, Floats, Floats]:
    tp, fp = table.true_positives, table.false_positives
    scores: NDArray[Any] = table.scores
    if drop_intermediate and len(table) > 2:
        kept = _bends(table.positives) | _bends(table.negatives)
        tp, fp, scores = tp[kept], fp[kept], scores[kept]
    thresholds = np.concatenate(([np.inf], scores.astype(np.float64)))
    return _rates(fp), _rates(tp), thresholds


def _bends(weights: Floats) -> NDArray[np.bool_]:
    """Return True at both ends and where the next row's weight differs."""
    bends = np.ones(len(weights), dtype=np.bool_)
    bends[1:-1] = weights[2:] != weights[1:-1]
    return bends


def _rates(sums: Floats) -> Floats:
    """Return cumulative sums as shares of the last, from 0; nan when that is 0."""
    if not sums[-1] > 0:
        return np.full(len(sums) + 1, np.nan)
    rates = np.zeros(len(sums) + 1)
    np.divide(sums, sums[-1], out=rates[1:])
    return rates


@documented(SCORED)
def det_curve(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
    *,
    n_threads: int | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Compute the detection error tradeoff: false positive and false negative rates.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Binary labels, and scores: the greater, the more positive; or a ScoreTable alone.
    drop_intermediate : bool, default=False
        Keep only the first and the last threshold of those with equal true positives.

    Returns
    -------
    fpr, fnr : ndarray of shape (n_thresholds,)
        False positive rate of the decision score >= threshold, falling, and its false negative
        rate, rising. The curve starts at the highest threshold without a false negative and
        ends at the lowest without a false positive.
    thresholds : ndarray of shape (n_thresholds,)
        Rising; the last is inf where every finite threshold has a false positive.

    Raises
    ------
    ValueError
        If the data are not binary labels and finite scores, or one class is missing (as in
        scikit-learn, which returns no curve then).

    Notes
    -----
    One sort of O(n log n), then passes over the distinct scores.

    References
    ----------
    Martin, Doddington, Kamm, Ordowski & Przybocki (1997), The DET curve in assessment of
    detection task performance, Eurospeech.

    Examples
    --------
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist(), thresholds.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8])
    """
    table = as_table(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule="curve"
    )
    if not (table.n_positive > 0 and table.n_negative > 0):
        raise InputError(
            "`y_true` must hold examples of both classes, of positive weight: without them there "
            f"are no two rates of error (positives {table.n_positive:g}, negatives "
            f"{table.n_negative:g})"
        )
    check_float_thresholds(table.scores)
    if not (check_flag("drop_intermediate", drop_intermediate) or table.is_weighted):
        return _errors_of_counts(table)
    tp, fp = _from_zero(table.true_positives), _from_zero(table.false_positives)
    thresholds = np.concatenate(([np.inf], table.scores.astype(np.float64)))
    if drop_intermediate and len(tp) > 2:
        kept = np.ones(len(tp), dtype=np.bool_)
        gains = table.positives != 0
        kept[1:-1] = gains[:-1] | gains[1:]
        tp, fp, thresholds = tp[kept], fp[kept], thresholds[kept]
    first = int(np.searchsorted(fp, 0, side="right")) - 1
    last = int(np.searchsorted(tp, tp[-1])) + 1
    part = slice(first, last)
    false_negatives = tp[-1] - tp[part]
    return (
        fp[part][::-1] / float(fp[-1]),
        false_negatives[::-1] / float(tp[-1]),
        thresholds[part][::-1].copy(),
    )


def _errors_of_counts(table: ScoreTable) -> tuple[Floats, Floats, Floats]:
    """Return the whole curve of a table without weights, on all threads."""
    n_positive, n_negative = int(table.n_positive), int(table.n_negative)
    first = int(np.argmax(table.negatives > 0))  # candidates: inf, then the scores
    last = len(table) + 1 - int(np.argmax(table.positives[::-1] > 0))
    fpr, fnr, thresholds = np.empty((3, last - first))

    def write(piece: Piece) -> None:
        low, high = max(piece.start, first - 1), min(piece.stop, last - 1)
        if low >= high:
            return
        here = slice(last - 1 - high, last - 1 - low)
        own = slice(low - piece.start, high - piece.start)
        fp, tp = np.cumsum(piece.negatives)[own][::-1], np.cumsum(piece.positives)[own][::-1]
        np.divide(fp + piece.fp, float(n_negative), out=fpr[here])
        np.divide(n_positive - piece.tp - tp, float(n_positive), out=fnr[here])
        thresholds[here] = table.scores[low:high][::-1]

    by_pieces(table, write)
    if first == 0:
        fpr[-1], fnr[-1], thresholds[-1] = 0.0, 1.0, np.inf
    return fpr, fnr, thresholds


def _from_zero(sums: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((np.zeros(1, dtype=sums.dtype), sums))


def auc(x: ArrayLike, y: ArrayLike) -> float:
    """Compute the area under any curve by the trapezoidal rule.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Abscissas, nowhere falling or nowhere rising, and ordinates.

    Returns
    -------
    float
        The area, taken from the left to the right whichever way `x` runs.

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than two points, or `x` is not monotone.

    Notes
    -----
    O(n), in float64 whatever the type of the points (scikit-learn sums float32 in float32).
    For the area under an ROC curve use `roc_auc_score`, which rounds once.

    Examples
    --------
    >>> auc([0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    0.625
    """
    abscissas, ordinates = _flat(x, "x"), _flat(y, "y")
    check_same_length(x=abscissas, y=ordinates)
    if len(abscissas) < 2:
        raise InputError(f"`x` and `y` must hold two points or more: got {len(abscissas)}")
    steps = np.diff(abscissas)
    direction = 1.0
    if np.any(steps < 0):
        if not np.all(steps <= 0):
            raise InputError(f"x is neither increasing nor decreasing : {np.asarray(x)}.")
        direction = -1.0
    return direction * float((steps * (ordinates[1:] + ordinates[:-1]) / 2.0).sum())


def _flat(values: ArrayLike, name: str) -> Floats:
    array = as_vector(values, name)
    if array.dtype.kind not in "biuf":
        raise InputTypeError(f"`{name}` must hold real numbers: got {array.dtype}")
    return array.astype(np.float64, copy=False)
