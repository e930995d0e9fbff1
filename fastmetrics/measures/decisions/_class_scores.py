"""Precision, recall, F and Jaccard's index of classes, averages of them, and 0/0 among them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_real
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures.decisions._class_counts import (
    ClassCounts,
    averaged_over,
    class_counts,
    classes_asked,
)
from fastmetrics.tables.confusion._counting import cells_of_plain

Floats = NDArray[np.float64]

METRICS: Final = ("precision", "recall", "f-score")

#: What warnings call each measure, and what there is none of where it is 0/0.
_LACKS: Final = {
    "precision": ("Precision", "predicted"),
    "recall": ("Recall", "true"),
    "f-score": ("F-score", "true nor predicted"),
    "jaccard": ("Jaccard", "true or predicted"),
}


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


def scores_asked(
    names: Sequence[str],
    y_true: Any,
    y_pred: Any,
    beta: Any,
    labels: Any,
    pos_label: Any,
    average: Any,
    sample_weight: Any,
    zero_division: Any,
    warn_for: Collection[str] | None = None,
) -> tuple[list[Any], ClassCounts | None]:
    """Return the measures of each class, or averaged, and the counts behind them.

    There are none where the two classes were counted in one step.
    """
    zero = checked_zero_division(zero_division, allow_nan="jaccard" not in names)
    number = check_real("beta", float(beta) if isinstance(beta, bool) else beta)
    if not number >= 0:
        raise InputError(f"`beta` must lie in [0, inf]: got {beta!r}")
    beta = number
    if warn_for is None:
        warn_for = names
    if average == "binary" and type(pos_label) is int and pos_label == 1 and labels is None:
        plain = None if sample_weight is not None else cells_of_plain(y_true, y_pred)
        if plain is not None:
            _, fp, fn, tp = plain
            found = []
            for name in names:
                upper, lower, there = _parts(name, tp, tp + fn, tp + fp, beta, True)
                if not there:
                    _Asked(names, beta, zero, warn_for).warn(name, 1)
                found.append(zero.value if not there else upper / lower if lower else 0.0)
            return found, None
    asked = _Asked(names, beta, zero, warn_for)
    counts = class_counts(y_true, y_pred, sample_weight, of_columns=average != "samples")
    counts = classes_asked(counts, labels, pos_label, average)
    if average is None:
        return class_scores(counts, asked), counts
    return averaged_scores(counts, average, asked), counts


class _Asked(NamedTuple):
    """Measures, what they depend on beside counts, and those that warn where they are 0/0."""

    names: Sequence[str]
    beta: float
    zero: ZeroDivision
    warn_for: Collection[str]

    def warn(self, name: str, size: int, *, of_rows: bool = False) -> None:
        """Warn that some of so many values are 0/0, of classes or of rows over their labels.

        F is a measure of its own unless it is precision or recall.
        """
        is_own = name != "f-score" or 0 < self.beta < math.inf
        if not (self.zero.warns and name in self.warn_for and is_own):
            return
        metric, without = _LACKS[name]
        outer, inner = ("samples", "labels") if of_rows else ("labels", "samples")
        where = "due to" if size == 1 else f"in {outer} with"
        # scikit-learn's words, so that a filter on them still works
        warn_user(
            f"{metric} is ill-defined and being set to 0.0 {where} no {without} {inner}. Use "
            "`zero_division` parameter to control this behavior.",
            UndefinedMetricWarning,
        )


def reported(zero_division: Any) -> _Asked:
    """Return what a report asks: precision, recall and F1."""
    return _Asked(METRICS, 1.0, checked_zero_division(zero_division), METRICS)


def averaged_scores(counts: ClassCounts, average: str, asked: _Asked) -> list[float]:
    """Return the averages over the classes of ``counts`` (or over rows, for "samples")."""
    counts, weights = averaged_over(counts, average)
    scores = class_scores(counts, asked, of_rows=average == "samples")
    return [mean_defined(values, weights) for values in scores]


def class_scores(counts: ClassCounts, asked: _Asked, *, of_rows: bool = False) -> list[Floats]:
    """Return the measures of each class; warn of those that are 0/0."""
    hits, true, predicted = counts.hits, counts.true, counts.predicted
    beta, found = asked.beta, []
    is_exact = hits.dtype == object or (1 + beta * beta) * counts.total <= 2**53
    for name in asked.names:
        upper, lower, there = _parts(name, hits, true, predicted, beta, is_exact)
        lacking = np.asarray(there == 0, dtype=np.bool_)
        values = ratio(upper, lower, 0.0)
        if lacking.any():
            values[lacking] = asked.zero.value
            asked.warn(name, len(hits), of_rows=of_rows)
        found.append(values)
    return found


def _parts(
    name: str, hits: Any, true: Any, predicted: Any, beta: float, is_exact: bool
) -> tuple[Any, Any, Any]:
    """Return numerator and denominator of a measure, and what is 0 where it is not defined.

    F is (1 + b) hits / (b true + predicted), b = beta²: whole numbers where b is one, divided
    through by b where that is large, so that nothing overflows.
    """
    if name == "f-score" and 0 < beta < math.inf:
        if beta > 2.0**20:
            share = 1.0 / beta / beta
            return (share + 1.0) * hits, true + share * predicted, true + predicted
        square: Any = beta * beta
        if is_exact and square.is_integer():
            square = int(square)
        return (1 + square) * hits, square * true + predicted, true + predicted
    if name == "jaccard":
        union = predicted + (true - hits)
        return hits, union, union
    below = predicted if name == "precision" or (name == "f-score" and beta == 0) else true
    return hits, below, below


def mean_defined(values: NDArray[np.float64], weights: NDArray[Any] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there is none.

    Where all that is left weighs nothing, the plain mean. Sums are exact before they are rounded,
    so that the order of the values does not matter.
    """
    kept = ~np.isnan(values)
    if not kept.all():
        values = values[kept]
        weights = None if weights is None else weights[kept]
    if len(values) == 0:
        return math.nan
    if weights is not None:
        shares = weights.astype(np.float64)
        total = math.fsum(shares.tolist())
        if total > 0:
            return math.fsum((values * shares).tolist()) / total
    return math.fsum(values.tolist()) / len(values)


def checked_warn_for(warn_for: Any) -> Collection[str]:
    if not isinstance(warn_for, list | tuple | set):
        raise InputTypeError(f"`warn_for` must be a list, a tuple or a set: got {warn_for!r}")
    return warn_for


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
