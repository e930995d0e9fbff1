"""What the measures of one threshold curve share: a class that is missing, and TP + FP."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.tables.scores.pairs import INT64_BOUND
from fastmetrics.tables.scores.score_table import ScoreTable

#: What a measure that needs both classes warns of.
BOTH_CLASSES: Final = """
Warns
-----
UndefinedMetricWarning
    If only one class is present.
"""


def lacks_a_class(table: ScoreTable, measure: str) -> bool:
    """Warn, and return True, when the table has no positive or no negative weight."""
    # The counts themselves, not their sums: a total of weights costs a compensated pass.
    has_positive = bool(table.positives.any())
    if has_positive and table.negatives.any():
        return False
    missing = "negative" if has_positive else "positive"
    message = f"{measure} is not defined: there is no {missing} example (one class only)"
    warn_user(message, UndefinedMetricWarning)
    return True


def as_given(weight: Any, table: ScoreTable) -> Any:
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
