"""How replicates of a bootstrap make metrics of a curve: op-codes of their kernels, and values.

A line of op-codes is (kind, criterion, two bounds), and leaves a state, see
``_kernels/replicates.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_choice, check_flag, check_fraction, check_positive
from fastmetrics._kernels import replicates
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.curves.best_threshold import best_threshold, check_constraint
from fastmetrics.measures.curves.influences import CurveInfluences
from fastmetrics.measures.curves.roc_auc import _checked_range, mcclish
from fastmetrics.tables.score_table import ScoreTable, is_called_positive, real_threshold

Floats = NDArray[np.float64]
Fields = dict[str, Any]

# A corrected partial AUC this near to 1/2, where it ends to be defined, is 1/2: all scores tied.
_ROUNDING: Final = 2.0**-46
OF_A_MAXIMUM: Final = (
    "the interval is of the best value in the population, which a sample's overstates by chance; "
    "it covers less than its level (docs/coverage.md)"
)
OF_A_CHOICE: Final = (
    "the interval is of the value at the best threshold of the population, which each resample "
    "looks for anew, not at the threshold found here; where positives are few it covers less than "
    "its level (docs/coverage.md)"
)
_CRITERIA: Final = {
    "youden": replicates.YOUDEN,
    "closest-topleft": replicates.CLOSEST,
    "fewest-errors": replicates.ERRORS,
    "fbeta": replicates.F_BETA,
    "precision_at_recall": replicates.PRECISION,
    "recall_at_precision": replicates.RECALL,
    "recall_at_false_positive_rate": replicates.RECALL_AT_FPR,
}


def of_curve(entry: Measure, **parameters: Any) -> Fields:
    """Return how replicates make a metric, by the names of the fields of its specification.

    ``finish`` makes values of a yield and of the states of its ``lines``; ``undefined_where`` says
    why a replicate of both classes may have none, ``note`` what a reader of the interval must know.
    ``moved`` and ``of_table`` are there where the registry says neither.
    """
    if entry.of_auc and parameters.get("max_fpr") in (None, 1):
        slope, shift = entry.of_auc
        return {"finish": lambda out: slope * _share_of_pairs(out, out.twice_pairs) + shift}
    passed = {entry.passed_as.get(name, name): value for name, value in parameters.items()}
    fields_of: Callable[..., Fields] = _FIELDS.get(entry.name, _best_threshold)
    return fields_of(**entry.arguments, **passed)


def _share_of_pairs(out: Any, twice: Floats) -> Floats:
    area: Floats = twice / (2.0 * out.n_positive * out.n_negative)
    return area


def _standardized_auc(max_fpr: float) -> Fields:
    high = check_fraction("max_fpr", max_fpr, include_high=True)
    least = high * high / 2.0

    def finish(out: Any, states: Floats) -> Floats:
        value: Floats = 0.5 * (1.0 + (_share_of_pairs(out, states[0]) - least) / (high - least))
        return value

    return {"finish": finish, "lines": ((replicates.AREA, 0, 0.0, high),)}


def _partial_auc(
    false_positive_rate_range: Any = None,
    true_positive_rate_range: Any = None,
    standardized: bool = False,
) -> Fields:
    over_tpr, low, high = _checked_range(false_positive_rate_range, true_positive_rate_range)
    check_flag("standardized", standardized)
    least = float(mcclish(low * 0, low, high, over_tpr=over_tpr))
    slope = float(mcclish(low * 0 + 1, low, high, over_tpr=over_tpr)) - least

    def finish(out: Any, states: Floats) -> Floats:
        area = _share_of_pairs(out, states[0])
        if not standardized:
            return area
        corrected = least + slope * area
        corrected = np.where(np.abs(corrected - 0.5) < _ROUNDING, 0.5, corrected)
        return np.where(corrected < 0.5, np.nan, corrected)

    return {
        "finish": finish,
        "lines": ((replicates.AREA, int(over_tpr), float(low), float(high)),),
        "undefined_where": "the area is below that of chance, where McClish's correction has no "
        "value",
    }


def _area_of_precision(interpolation: str = "continuous") -> Fields:
    names = ("step", "trapezoid", "continuous")
    code = names.index(check_choice("interpolation", interpolation, names))
    return {
        "finish": lambda out, states: states[0] / out.n_positive,
        "lines": ((replicates.PRECISION_AREA, code, 0.0, 0.0),),
    }


def _ks_statistic() -> Fields:
    def finish(out: Any, above: Floats, below: Floats) -> Floats:
        value: Floats = np.maximum(above[0], below[0]) / (out.n_positive * out.n_negative)
        return value

    criteria = replicates.YOUDEN, replicates.YOUDEN_BELOW
    return {
        "finish": finish,
        "lines": tuple((replicates.BEST, criterion, 0.0, 0.0) for criterion in criteria),
        "note": f"{OF_A_MAXIMUM}; `estimate` has limits that hold",
    }


def _break_even_point() -> Fields:
    return {
        "finish": lambda out, states: np.where(states[1] > 0, states[1] / out.n_positive, np.nan),
        "lines": ((replicates.BREAK_EVEN, 0, 0.0, 0.0),),
        "undefined_where": "precision equals recall at 0 only",
    }


def _recall(merit: Floats, tp: Floats, fp: Floats, m: Floats, n: Floats) -> Floats:
    return tp / m


def _precision(merit: Floats, tp: Floats, fp: Floats, m: Floats, n: Floats) -> Floats:
    return tp / (tp + fp)


#: What is reported of the best threshold of each replicate, by its field, or its criterion.
_REPORTED: Final[dict[str, Callable[..., Floats]]] = {
    "true_positive_rate": _recall,
    "false_positive_rate": lambda merit, tp, fp, m, n: fp / n,
    "precision": _precision,
    "recall": _recall,
    "youden": lambda merit, tp, fp, m, n: tp / m - fp / n,
    "closest-topleft": lambda merit, tp, fp, m, n: np.hypot(1.0 - tp / m, fp / n),
    "fewest-errors": lambda merit, tp, fp, m, n: m - tp + fp,
    "fbeta": lambda merit, *_: merit,
    "precision_at_recall": _precision,
    "recall_at_precision": _recall,
    "recall_at_false_positive_rate": _recall,
}


def _best_threshold(
    criterion: str = "youden",
    of: str = "value",
    *,
    beta: float = 1.0,
    at_least: float | None = None,
    at_most: float | None = None,
    **costs: Any,
) -> Fields:
    check_choice("criterion", criterion, (*_CRITERIA, "lowest-cost"))
    if criterion == "lowest-cost":
        raise InputError(
            "the bootstrap covers neither the cheapest threshold nor its cost (docs/coverage.md): "
            "`threshold_cost_interval` has intervals of both"
        )
    for name, cost in costs.items():
        if cost is not None:
            raise InputTypeError(f"`{name}` has no meaning for criterion {criterion!r}")
    fields_of_rates = ("true_positive_rate", "false_positive_rate", "precision", "recall")
    check_choice("of", of, ("value", "threshold", *fields_of_rates))
    square = check_positive("beta", beta) ** 2
    bound = check_constraint(criterion, at_least, at_most)
    low = square / (1.0 + square) if criterion == "fbeta" else float(bound or 0.0)
    why = "nothing is called positive at the threshold"
    if criterion == "recall_at_precision":
        why = f"no threshold reaches a precision of {bound:g}"

    def finish(out: Any, states: Floats) -> Floats:
        merit, row, tp, fp = states
        if of == "threshold":
            scores = out.score_at(np.maximum(row.astype(np.int64), 0))
            values = np.where(row >= 0, scores, math.inf)
        else:
            report = _REPORTED[criterion if of == "value" else of]
            values = report(merit, tp, fp, out.n_positive, out.n_negative)
        return np.where(row == -2, np.nan, values)

    fields: Fields = {
        "finish": finish,
        "lines": ((replicates.BEST, _CRITERIA[criterion], low, 0.0),),
        "undefined_where": why,
    }
    if bound is None:  # nothing but the best value determines it
        fields["note"] = OF_A_MAXIMUM if of == "value" else OF_A_CHOICE
        if of == "value":
            fields["moved"] = partial(_moved_at_best, criterion=criterion, beta=beta)
    if of == "threshold":
        given: Fields = {"criterion": criterion, "beta": beta}
        given |= {"at_least": at_least, "at_most": at_most}
        fields["of_table"] = partial(_threshold_of_data, **given)
    return fields


def _threshold_of_data(table: ScoreTable, **given: Any) -> float:
    """Return the best threshold of the data."""
    if table.scores.dtype.kind in "iu":
        largest = max(map(abs, table.scores[[0, -1]].tolist()), default=0)
        if largest > 2**53:
            raise InputError(
                "`y_score` holds integers beyond 2**53, which thresholds of replicates, being "
                "floats, cannot tell apart: subtract a number from all of them"
            )
    return best_threshold(table, **given).threshold


def _moved_at_best(table: ScoreTable, criterion: Any, beta: float) -> CurveInfluences:
    """Return the best value of a criterion with what moves it, but for a factor.

    That is the decision at the best threshold: that the threshold moves too does not matter to
    first order, as the value is greatest there.
    """
    best = best_threshold(table, criterion=criterion, beta=beta)
    called = is_called_positive(table.scores, real_threshold(best.threshold)).astype(np.float64)
    if criterion == "fewest-errors":  # a number, not a share
        return CurveInfluences(best.value, 1.0 - called, called)
    if criterion == "fbeta":
        share = beta**2 / (1.0 + beta**2)
        missed = -best.value * share
        of_positives = np.where(called > 0.0, 1.0 - best.value, missed)
        return CurveInfluences(best.value, of_positives, (share - 1.0) * best.value * called)
    of_positives = (called - best.true_positive_rate) / float(table.n_positive)
    of_negatives = (best.false_positive_rate - called) / float(table.n_negative)
    if criterion == "closest-topleft":
        of_positives *= best.true_positive_rate - 1.0
        of_negatives *= -best.false_positive_rate
    return CurveInfluences(best.value, of_positives, of_negatives)


#: The metrics that are not what `best_threshold` reports.
_FIELDS: Final[dict[str, Callable[..., Fields]]] = {
    "roc_auc": _standardized_auc,
    "partial_auc": _partial_auc,
    "average_precision": partial(_area_of_precision, "step"),
    "pr_auc": _area_of_precision,
    "ks_statistic": _ks_statistic,
    "break_even_point": _break_even_point,
}
