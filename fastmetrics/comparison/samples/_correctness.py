"""Which predictions are right: the rows that McNemar's and Cochran's tests count."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.label_columns import LabelColumn, check_label_column
from fastmetrics._input.scalars import check_same_length
from fastmetrics.errors import InputTypeError


def true_labels(y_true: Any) -> LabelColumn:
    """Return the true labels, checked."""
    return check_label_column(y_true, "y_true").clean()


def right_rows(true: LabelColumn, predictions: Any, name: str) -> NDArray[np.bool_]:
    """Return for each row whether the prediction is the true label."""
    predicted = check_label_column(predictions, name).clean()
    check_same_length(**{true.name: true.values, name: predicted.values})
    if (true.classes is None) != (predicted.classes is None):
        kinds = ("numbers", "text") if true.classes is None else ("text", "numbers")
        raise InputTypeError(f"`{true.name}` holds {kinds[0]} and `{name}` {kinds[1]}")
    if true.classes is None or predicted.classes is None:
        return np.asarray(true.values == predicted.values)
    number = {label: code for code, label in enumerate(true.classes.tolist())}
    codes = np.array([number.get(label, -1) for label in predicted.classes.tolist()])
    return np.asarray(codes[predicted.values] == true.values)
