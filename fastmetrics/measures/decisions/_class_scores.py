"""Precision, recall and F of classes from their counts, and every average of them."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_real
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.decisions._class_counts import (
    ClassCounts,
    by_row,
    class_counts,
    classes_asked,
    pooled,
)
from fastmetrics.measures.decisions._undefined import (
    ZeroDivision,
    checked_zero_division,
    ratio,
    warn_undefined,
)
from fastmetrics.tables.confusion._counting import cells_of_plain

Floats = NDArray[np.float64]

METRICS: Final = ("precision", "recall", "f-score")


class ClassScores(NamedTuple):
    """Three values a class."""

    precision: Floats
    recall: Floats
    f_score: Floats


class AveragedScores(NamedTuple):
    """Three averages."""

    precision: float
    recall: float
    f_score: float


def scores_asked(
    y_true: Any,
    y_pred: Any,
    *,
    beta: Any,
    labels: Any,
    pos_label: Any,
    average: Any,
    warn_for: Collection[str],
    sample_weight: Any,
    zero_division: Any,
) -> tuple[ClassScores | AveragedScores, ClassCounts | None]:
    """Return what precision, recall and F functions have in common, and the counts behind it.

    There are none where the two classes were counted in one step.
    """
    zero, beta = checked_zero_division(zero_division), checked_beta(beta)
    if average == "binary" and type(pos_label) is int and pos_label == 1 and labels is None:
        plain = None if sample_weight is not None else cells_of_plain(y_true, y_pred)
        if plain is not None:
            return _scores_of_two(*plain, beta, zero, warn_for), None
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=average != "samples")
    counts = classes_asked(counts, labels, pos_label, average)
    if average is None:
        return class_scores(counts, beta, zero, warn_for), counts
    return averaged_scores(counts, average, beta, zero, warn_for), counts


def averaged_scores(
    counts: ClassCounts, average: str, beta: float, zero: ZeroDivision, warn_for: Collection[str]
) -> AveragedScores:
    """Return the averages over the classes of ``counts`` (or over rows, for "samples")."""
    weights = None
    if average == "micro":
        counts = pooled(counts)
    elif average == "weighted":
        weights = counts.true
    elif average == "samples":
        counts, weights = by_row(counts)
    scores = class_scores(counts, beta, zero, warn_for, of_rows=average == "samples")
    return AveragedScores(*(mean_defined(values, weights) for values in scores))


def class_scores(
    counts: ClassCounts,
    beta: float,
    zero: ZeroDivision,
    warn_for: Collection[str],
    *,
    of_rows: bool = False,
) -> ClassScores:
    """Return the values of each class; warn of those in ``warn_for`` that are 0/0."""
    hits, true, predicted = counts.hits, counts.true, counts.predicted
    precision = ratio(hits, predicted, zero.value)
    recall = ratio(hits, true, zero.value)
    neither = np.asarray(true + predicted == 0, dtype=np.bool_)
    if beta == 0:
        f_score = precision
    elif math.isinf(beta):
        f_score = recall
    else:
        is_exact = hits.dtype == object or (1 + beta * beta) * counts.total <= 2**53
        upper, lower = _f_parts(hits, true, predicted, beta, is_exact=is_exact)
        f_score = ratio(upper, lower, 0.0)
        f_score[neither] = zero.value
    if zero.warns:
        lacking = (not np.all(predicted), not np.all(true), bool(neither.any()))
        _warn(lacking, beta, len(hits), warn_for, of_rows=of_rows)
    return ClassScores(precision, recall, f_score)


def _scores_of_two(
    tn: int, fp: int, fn: int, tp: int, beta: float, zero: ZeroDivision, warn_for: Collection[str]
) -> AveragedScores:
    """Return the values of the positive one of two classes, from whole numbers."""
    true, predicted = tp + fn, tp + fp
    precision = tp / predicted if predicted else zero.value
    recall = tp / true if true else zero.value
    if beta == 0:
        f_score = precision
    elif math.isinf(beta):
        f_score = recall
    else:
        upper, lower = _f_parts(tp, true, predicted, beta, is_exact=True)
        f_score = upper / lower if true + predicted else zero.value
    if zero.warns and not (true and predicted):
        _warn((not predicted, not true, not true + predicted), beta, 1, warn_for, of_rows=False)
    return AveragedScores(precision, recall, f_score)


def _f_parts(hits: Any, true: Any, predicted: Any, beta: float, *, is_exact: bool) -> Any:
    """Return (1 + b) hits and b true + predicted, b = beta²: whole numbers where b is one.

    Divided through by b where that is large, so that nothing overflows.
    """
    if beta > 2.0**20:
        share = 1.0 / beta / beta
        return (share + 1.0) * hits, true + share * predicted
    square: Any = beta * beta
    if square.is_integer() and is_exact:
        square = int(square)
    return (1 + square) * hits, square * true + predicted


_LACKS: Final = (
    ("Precision", "precision", "predicted"),
    ("Recall", "recall", "true"),
    ("F-score", "f-score", "true nor predicted"),
)


def _warn(
    lacking: tuple[bool, bool, bool],
    beta: float,
    size: int,
    warn_for: Collection[str],
    *,
    of_rows: bool,
) -> None:
    """Warn of each value that is 0/0; F is one of its own unless it is precision or recall."""
    for (metric, name, without), is_lacking in zip(_LACKS, lacking, strict=True):
        is_own = name != "f-score" or 0 < beta < math.inf
        if is_lacking and name in warn_for and is_own:
            warn_undefined(metric, without, size, of_rows=of_rows)


def mean_defined(values: NDArray[np.float64], weights: NDArray[Any] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there is none.

    Where all that is left weighs nothing, the plain mean. Sums are exact before they are rounded,
    so that the order of the values does not matter.
    """
    kept = ~np.isnan(values)
    if not kept.all():
        values = values[kept]
        weights = None if weights is None else weights[kept]
    if len(values) == 0:
        return math.nan
    if weights is not None:
        shares = weights.astype(np.float64)
        total = math.fsum(shares.tolist())
        if total > 0:
            return math.fsum((values * shares).tolist()) / total
    return math.fsum(values.tolist()) / len(values)


def checked_beta(beta: Any) -> float:
    """Return the weight of recall against precision: any number from 0 to inf, both included."""
    number = check_real("beta", float(beta) if isinstance(beta, bool) else beta)
    if not number >= 0:
        raise InputError(f"`beta` must lie in [0, inf]: got {beta!r}")
    return number


def checked_warn_for(warn_for: Any) -> Collection[str]:
    """Return ``warn_for``, checked to be a collection."""
    if not isinstance(warn_for, list | tuple | set):
        raise InputTypeError(f"`warn_for` must be a list, a tuple or a set: got {warn_for!r}")
    return warn_for
