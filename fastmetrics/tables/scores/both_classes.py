"""What measures of two classes say where the table has one."""

from __future__ import annotations

from typing import Final

from fastmetrics.errors import UndefinedMetricWarning, warn_user
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
    # The counts themselves, whose first rows tell as a rule: a total costs a compensated pass.
    columns = table.positives, table.negatives
    positive, negative = (bool(each[:4096].any() or each.any()) for each in columns)
    return lacks_one(positive, negative, measure)


def lacks_one(has_positive: bool, has_negative: bool, measure: str) -> bool:
    """Warn, and return True, where there is no positive or no negative example."""
    if has_positive and has_negative:
        return False
    missing = "negative" if has_positive else "positive"
    message = f"{measure} is not defined: there is no {missing} example (one class only)"
    warn_user(message, UndefinedMetricWarning)
    return True


def lacks_spread(n_positive: float, n_negative: float, what: str) -> bool:
    """Warn, and return True, where a class that is a sample of its own has one example."""
    if min(n_positive, n_negative) > 1:
        return False
    single = "positive" if n_positive <= 1 else "negative"
    message = (
        f"{what} is not defined: there is one {single} example only, and the spread within a class "
        "needs two"
    )
    warn_user(message, UndefinedMetricWarning)
    return True
