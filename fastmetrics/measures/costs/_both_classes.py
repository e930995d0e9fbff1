"""A measure that needs both classes, where one is missing."""

from __future__ import annotations

from typing import Any, Final

from fastmetrics.errors import UndefinedMetricWarning, warn_user

#: What a measure that needs both classes warns of.
BOTH_CLASSES: Final = """
Warns
-----
UndefinedMetricWarning
    If only one class is present: nan.
"""


def lacks_a_class(n_positive: Any, n_negative: Any, what: str) -> bool:
    """Warn, and return True, where a class has no example, or no weight."""
    if n_positive > 0 and n_negative > 0:
        return False
    missing = "negative" if n_positive > 0 else "positive"
    message = f"{what} is not defined: there is no {missing} example (one class only)"
    warn_user(message, UndefinedMetricWarning)
    return True
