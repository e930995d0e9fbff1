"""Which of two classes is positive, for measures of predicted labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastmetrics.errors import InputError
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix


def positive_last(matrix: ConfusionMatrix, pos_label: Any) -> ConfusionMatrix:
    """Return the matrix with the positive class as its last."""
    if isinstance(pos_label, np.generic):
        pos_label = pos_label.item()
    if pos_label not in matrix.labels:
        raise InputError(f"`pos_label`={pos_label!r} is not a label: they are {matrix.labels}")
    if len(matrix.labels) != 2:
        raise InputError(
            f"`pos_label` is for two classes, and there are {len(matrix.labels):,}: count one "
            f"class against the rest with `y_true == {pos_label!r}`, `y_score == {pos_label!r}`"
        )
    if matrix.labels[1] == pos_label:
        return matrix
    return matrix.reversed()
