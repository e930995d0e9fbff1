"""The four cells of two classes, from scores and a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import BinaryRows, check_binary, check_same_index
from fastmetrics._input.weights import Weights
from fastmetrics.tables.confusion._counting import tally
from fastmetrics.tables.confusion._label_counts import Cells, Labels
from fastmetrics.tables.scores._threshold import is_called_positive, real_threshold
from fastmetrics.tables.scores.score_table import ScoreTable, as_table


def score_cells(
    y_true: Any, y_score: Any, threshold: Any, pos_label: Any, sample_weight: Any
) -> Cells:
    """Count what score >= threshold does to the rows, or to a table."""
    threshold = real_threshold(threshold)
    if isinstance(y_true, ScoreTable):
        table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        columns = table.negatives, table.positives
        called = int(
            np.count_nonzero(is_called_positive(table.scores, threshold))
        )  # they come first
        cells = [[column[called:].sum(), column[:called].sum()] for column in columns]
        counts = np.array(cells, dtype=table.positives.dtype)
        return Cells(counts, (0, 1), table.weight_exponent)
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    y = as_vector(y_true, "y_true")
    rows = check_binary(y, y_score, sample_weight=sample_weight, pos_label=pos_label).recheck()
    labels = _two_labels(y, np.asarray(rows.labels == 1), pos_label)
    return Cells(cells_of_rows(rows, threshold), labels, rows.weight_exponent)


def cells_of_rows(rows: BinaryRows, threshold: Any) -> NDArray[Any]:
    """Return [[TN, FP], [FN, TP]] of the decision score >= threshold of verified rows."""
    is_positive = np.asarray(rows.labels == 1)
    called = is_called_positive(rows.scores, threshold)
    weights = None
    if rows.weights is not None:
        weights = Weights(rows.weights, rows.integer_weights, rows.weight_exponent)
    return tally(is_positive, called, 0, 2, weights)


def _two_labels(y: NDArray[Any], is_positive: NDArray[np.bool_], pos_label: Any) -> Labels:
    """Return the negative and the positive label as the data have them, or what they imply."""
    first, other = int(np.argmax(is_positive)), int(np.argmin(is_positive))
    if not is_positive[first]:
        negative = _label(y[other])
        return negative, type(negative)(1) if pos_label is None else _label(pos_label)
    positive = _label(y[first])
    if not is_positive[other]:
        return _label(y[other]), positive
    if isinstance(positive, bool):
        return not positive, positive
    return (type(positive)(0) if positive == 1 else None), positive


def _label(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
