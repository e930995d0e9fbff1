"""Jaccard's similarity of true and predicted sets: of one class, of each, or averaged."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics.measures.decisions._class_counts import (
    AVERAGED,
    by_row,
    class_counts,
    classes_asked,
    pooled,
)
from fastmetrics.measures.decisions._class_scores import mean_defined
from fastmetrics.measures.decisions._undefined import checked_zero_division, ratio, warn_undefined
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


@documented(AVERAGED)
def jaccard_score(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: Literal["binary", "micro", "macro", "weighted", "samples"] | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: float | Literal["warn"] = "warn",
) -> float | NDArray[np.float64]:
    """Compute Jaccard's index: the intersection of two sets of examples over their union.

    Parameters
    ----------
    zero_division : {"warn", 0, 1}, default="warn"
        The value where both sets are empty; "warn" is 0 with a warning.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        TP / (TP + FP + FN).

    Warns
    -----
    UndefinedMetricWarning
        If both sets are empty and `zero_division` is "warn".

    Notes
    -----
    With Jaccard's index J, F1 is 2 J / (1 + J).

    References
    ----------
    Jaccard (1901), Étude comparative de la distribution florale dans une portion des Alpes et des
    Jura, Bulletin de la Société Vaudoise des Sciences Naturelles 37.

    Examples
    --------
    >>> jaccard_score([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
    0.6666666666666666
    >>> jaccard_score(["a", "b", "b"], ["a", "a", "b"], average=None)
    array([0.5, 0.5])
    """
    zero = checked_zero_division(zero_division, allow_nan=False)
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=average != "samples")
    counts = classes_asked(counts, labels, pos_label, average)
    weights = None
    if average == "micro":
        counts = pooled(counts)
    elif average == "weighted":
        weights = counts.true
    elif average == "samples":
        counts, weights = by_row(counts)
    union = counts.predicted + (counts.true - counts.hits)
    if zero.warns and not np.all(union):
        warn_undefined("Jaccard", "true or predicted", len(union), of_rows=average == "samples")
    values = ratio(counts.hits, union, zero.value)
    return values if average is None else mean_defined(values, weights)
