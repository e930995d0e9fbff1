"""What the measures of one threshold curve share: weights as they were given, and TP + FP."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics.tables.scores.pairs import INT64_BOUND
from fastmetrics.tables.scores.score_table import ScoreTable


def as_given(weight: Any, table: ScoreTable | BinaryRows) -> Any:
    """Return counts, or sums of weights in the user's own scale: inf where float64 ends."""
    if table.weight_exponent == 0:
        return weight
    with np.errstate(over="ignore"):
        given = np.ldexp(weight, -table.weight_exponent)
    return given if isinstance(weight, np.ndarray) else float(given)


def predicted_positives(table: ScoreTable) -> NDArray[np.int64] | NDArray[np.float64]:
    """Return TP + FP at every threshold, in float64 where the integers would overflow."""
    tp, fp = table.true_positives, table.false_positives
    if not table.is_weighted and len(tp) and int(tp[-1]) + int(fp[-1]) >= INT64_BOUND:
        tp = tp.astype(np.float64)
    predicted: NDArray[np.int64] | NDArray[np.float64] = tp + fp
    return predicted
