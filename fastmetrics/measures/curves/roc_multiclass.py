"""The AUC of more than two classes: one-vs-rest and one-vs-one (Hand & Till 2001)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels, in_class_order
from fastmetrics._input.regression_targets import check_sums
from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_finite, score_matrix
from fastmetrics._input.weights import check_weights
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.curves._averaging import averaged, binarized
from fastmetrics.tables.ordering import row_order
from fastmetrics.tables.pairs import pairs_of_sorted

#: Rows of two classes to their AUC.
BinaryAuc = Callable[[BinaryRows], float]
#: Rows that are transposed at a time.
_BLOCK = 4_096
_AVERAGES = ("macro", "weighted", None)


def multiclass_roc_auc(
    y_true: Any,
    y_score: Any,
    binary_auc: BinaryAuc,
    *,
    labels: Any,
    multi_class: str,
    average: str | None,
    sample_weight: Any,
) -> float | NDArray[np.float64]:
    """Return the AUC of class labels beside a matrix of class probabilities; see `roc_auc_score`.

    ``binary_auc`` is the AUC of checked rows of two classes.
    """
    scores = class_scores(in_class_order(y_score, y_true, labels), sum_to_1=True)
    averages = _AVERAGES if multi_class == "ovo" else ("micro", *_AVERAGES)
    if average not in averages:
        raise InputError(f"average must be one of {averages} for multiclass problems")
    if multi_class == "ovo" and average is None:
        raise NotImplementedError("`average` must not be None with `multi_class`='ovo'")
    codes = class_codes(y_true, labels, scores.shape[1])
    check_same_length(y_true=codes, y_score=scores)
    if multi_class == "ovo":
        return _one_vs_one(codes, scores, binary_auc, average, sample_weight)

    def measure(column: NDArray[Any], column_scores: NDArray[Any], weights: Any) -> float:
        rows = check_binary(column, column_scores, sample_weight=weights, label_rule="curve")
        return binary_auc(rows)

    indicator = binarized(codes, scores.shape[1])
    return averaged(measure, indicator, scores, average=average, sample_weight=sample_weight)


def class_scores(y_score: Any, name: str = "y_score", *, sum_to_1: bool = False) -> NDArray[Any]:
    """Return the matrix of scores of classes, columns contiguous: finite, and of that sum by row.

    Blocks of rows are transposed and added up while they are in cache: to take one column after the
    other reads the whole matrix each time.
    """
    matrix = score_matrix(y_score, name)
    is_by_column = matrix.flags.f_contiguous
    columns = matrix.T if is_by_column else np.empty(matrix.shape[::-1], matrix.dtype)

    def read(start: int) -> tuple[Any, Any]:
        block = columns[:, start : start + _BLOCK]
        if not is_by_column:
            block[:] = matrix[start : start + _BLOCK].T
        with np.errstate(invalid="ignore", over="ignore"):  # told of below
            sums = block.sum(axis=0)
        return sums.min(), sums.max()

    ends = run([partial(read, start) for start in range(0, len(matrix), _BLOCK)])
    if not np.allclose(1, ends):
        check_finite(matrix, name)
        if sum_to_1:
            check_sums(columns.T, name)
    return columns.T


def class_codes(
    y_true: Any, labels: Any, n_columns: int, name: str = "y_score"
) -> NDArray[np.int64]:
    """Return the column of each row's class; ``name`` is what messages call the scores."""
    found = check_class_labels(y_true)
    if labels is None:
        if len(found.classes) != n_columns:
            raise InputError(
                f"`{name}` must have a column for each class of `y_true`, {len(found.classes)}: "
                f"got {n_columns}; pass `labels` if a class has no row"
            )
        return found.codes
    given = check_class_labels(labels, "labels")
    if len(given.classes) != len(given.codes):
        raise InputError("Parameter 'labels' must be unique")
    if not np.array_equal(given.codes, np.arange(len(given.codes))):
        raise InputError("Parameter 'labels' must be ordered")
    if len(given.classes) != n_columns:
        raise InputError(
            f"`labels` must name as many classes as `y_score` has columns, {n_columns}: got "
            f"{len(given.classes)}"
        )
    column = {label: code for code, label in enumerate(given.classes.tolist())}
    seen = found.classes.tolist()
    if not all(label in column for label in seen):
        raise InputError("'y_true' contains labels not in parameter 'labels'")
    return np.array([column[label] for label in seen], dtype=np.int64)[found.codes]


def _one_vs_one(
    codes: NDArray[np.int64],
    scores: NDArray[Any],
    binary_auc: BinaryAuc,
    average: str | None,
    sample_weight: Any,
) -> float:
    """Return the mean over the pairs of classes of the mean of their two areas.

    Rows are grouped by class once: a pair is two slices of a column, not a mask over all rows. Of
    unweighted rows each slice is sorted once, however many pairs it is part of.
    """
    checked = None if sample_weight is None else check_weights(sample_weight, len(codes))
    rows = row_order(codes).rows
    weights = None if checked is None else checked.values[rows]
    sizes = np.bincount(codes, minlength=scores.shape[1])
    ends = np.cumsum(sizes).tolist()
    groups = [slice(low, high) for low, high in pairwise([0, *ends])]
    size = sizes.tolist() if weights is None else [float(weights[own].sum()) for own in groups]
    # A class without rows, or whose rows all weigh nothing, forms no pair.
    present = [code for code, total in enumerate(size) if total > 0]

    def areas_of(code: int) -> dict[int, float]:
        """Return the areas of a class against each other one, by its own column."""
        column = scores[:, code][rows]
        others = [other for other in present if other != code]
        if weights is None:
            parts = [np.sort(column[group]) for group in groups]
            return {b: pairs_of_sorted(parts[code], parts[b]).auc for b in others}
        areas = {}
        for other in others:
            both = groups[code], groups[other]
            labels = np.repeat(np.array([1, 0], np.int8), [sizes[code], sizes[other]])
            pair_scores, pair_weights = (
                np.concatenate([values[group] for group in both]) for values in (column, weights)
            )
            counts = checked is not None and checked.is_integer
            areas[other] = binary_auc(
                BinaryRows(labels, 0, pair_scores, pair_weights, counts, False)
            )
        return areas

    areas_by_class = run([partial(areas_of, code) for code in present])
    areas = dict(zip(present, areas_by_class, strict=True))
    pairs = list(combinations(present, 2))
    if not pairs:
        message = "Only one class is present in y_true. ROC AUC score is not defined in that case."
        warn_user(message, UndefinedMetricWarning)
        return float("nan")
    means = [(areas[a][b] + areas[b][a]) / 2 for a, b in pairs]
    shares = [float(size[a] + size[b]) for a, b in pairs]
    return float(np.average(means, weights=shares if average == "weighted" else None))
