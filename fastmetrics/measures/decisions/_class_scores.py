"""Precision, recall and F of classes from their counts, and every average of them."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_real
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.decisions._class_averages import mean_defined
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
) -> tuple[ClassScores | AveragedScores, ClassCounts]:
    """Return what precision, recall and F functions have in common, and the counts behind it."""
    zero, beta = checked_zero_division(zero_division), checked_beta(beta)
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
    lacks = {"precision": ("Precision", "predicted", predicted), "recall": ("Recall", "true", true)}
    if beta == 0:
        f_score = precision
    elif math.isinf(beta):
        f_score = recall
    else:
        f_score = _f_score(counts, beta, zero)
        lacks["f-score"] = ("F-score", "true nor predicted", true + predicted)
    if zero.warns:
        for name, (metric, without, denominator) in lacks.items():
            if name in warn_for and not np.all(denominator):
                warn_undefined(metric, without, len(denominator), of_rows=of_rows)
    return ClassScores(precision, recall, f_score)


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


def _f_score(counts: ClassCounts, beta: float, zero: ZeroDivision) -> Floats:
    """Return (1 + b) hits / (b true + predicted), b = beta²: of whole numbers where b is one.

    Divided through by b where that is large, so that nothing overflows.
    """
    hits, true, predicted = counts.hits, counts.true, counts.predicted
    if beta > 2.0**20:
        share = 1.0 / beta / beta
        upper, lower = (share + 1.0) * hits, true + share * predicted
    else:
        square: Any = beta * beta
        if square.is_integer() and (hits.dtype == object or (1 + square) * counts.total <= 2**53):
            square = int(square)
        upper, lower = (1 + square) * hits, square * true + predicted
    scores = ratio(upper, lower, 0.0)
    scores[np.asarray(true + predicted == 0, dtype=np.bool_)] = zero.value
    return scores
