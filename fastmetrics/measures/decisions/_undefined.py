"""0/0 among the classes: what ``zero_division`` puts there, and the warning that says so."""

from __future__ import annotations

import math
import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user


class ZeroDivision(NamedTuple):
    """``value`` stands where a ratio is 0/0; ``warns`` if the user did not ask for it."""

    value: float
    warns: bool


def checked_zero_division(value: Any, *, allow_nan: bool = True) -> ZeroDivision:
    """Return what ``zero_division`` says: "warn", 0, 1 or nan."""
    if isinstance(value, str) and value == "warn":
        return ZeroDivision(0.0, True)
    if isinstance(value, numbers.Real):
        number = float(value)
        if number in (0.0, 1.0) or (allow_nan and math.isnan(number)):
            return ZeroDivision(number, False)
    options = "'warn', 0, 1 or nan" if allow_nan else "'warn', 0 or 1"
    raise InputError(f"`zero_division` must be {options}: got {value!r}")


def ratio(
    numerator: NDArray[Any], denominator: NDArray[Any], undefined: float
) -> NDArray[np.float64]:
    """Return each quotient, rounded once, and ``undefined`` where the denominator is 0.

    Python integers (dtype object) are divided as such: exactly, whatever their size.
    """
    quotients = np.full(numerator.shape, undefined, dtype=np.float64)
    defined = np.asarray(denominator != 0, dtype=np.bool_)
    quotients[defined] = numerator[defined] / denominator[defined]
    return quotients


def share(part: Any, total: Any, metric: str) -> float:
    """Return part / total, rounded once; nan with a warning where there is no example at all."""
    if total == 0:
        warn_user(f"{metric} is not defined: there is no example", UndefinedMetricWarning)
        return math.nan
    return float(part / total)


def warn_undefined(metric: str, without: str, size: int, *, of_rows: bool) -> None:
    """Warn that some of ``size`` values of ``metric`` are 0/0.

    Parameters
    ----------
    metric : str
        The name at the start of the message.
    without : str
        What there is none of, as "predicted".
    size : int
        One value is called undefined as such, several "in labels" (or samples).
    of_rows : bool
        Whether the values are those of rows, over their labels.
    """
    outer, inner = ("samples", "labels") if of_rows else ("labels", "samples")
    where = "due to" if size == 1 else f"in {outer} with"
    # scikit-learn's words, so that a filter on them still works
    warn_user(
        f"{metric} is ill-defined and being set to 0.0 {where} no {without} {inner}. Use "
        "`zero_division` parameter to control this behavior.",
        UndefinedMetricWarning,
    )
