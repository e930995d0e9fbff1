"""Measures that were asked for, as the bootstrap sees them: how each is read off a replicate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastmetrics.errors import InputError
from fastmetrics.intervals.bootstrap._sum_metrics import SUM_METRICS, SumMetric
from fastmetrics.intervals.bootstrap._threshold_metrics import THRESHOLD_METRICS, ThresholdMetric
from fastmetrics.measures import asking

#: ``f(labels, scores, weights)`` if compiled by numba, else ``f(labels, scores)`` of drawn rows.
Statistic = asking.Statistic


@dataclass(frozen=True, slots=True, eq=False)
class CountMetric:
    """A measure of the cells of a confusion matrix, with its parameters."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class UserMetric:
    """A statistic of the user's own.

    ``compiled`` says that numba compiled it; ``weighted`` that it gets weights in any case.
    """

    function: Callable[..., Any]
    compiled: bool
    weighted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A measure, and the name that its result gets."""

    label: str
    metric: ThresholdMetric | CountMetric | SumMetric | UserMetric


def resolved(metrics: Any) -> list[Asked]:
    """Return the measures that ``metrics`` asks for, in order.

    Raises
    ------
    TypeError, ValueError
        For what is no measure, a parameter that a measure does not have, or a measure without
        replicates.
    """
    return [Asked(one.label, _metric(one)) for one in asking.ask(metrics)]


def _metric(one: asking.Asked) -> ThresholdMetric | CountMetric | SumMetric | UserMetric:
    if one.function is not None:
        compiled = type(one.function).__module__.startswith("numba.")
        return UserMetric(one.function, compiled and hasattr(one.function, "py_func"))
    how = "" if one.measure is None else one.measure.resampled
    if how in ("pairs", "curve"):
        return THRESHOLD_METRICS[one.name](**one.parameters)
    if how == "cells":
        return CountMetric(one.name, one.parameters)
    if how == "sums" and one.name in SUM_METRICS:
        if one.parameters:
            raise InputError(f"`metrics`: {one.label!r} has no parameters here")
        return SUM_METRICS[one.name]
    instead = "`multiclass_bootstrap`" if how == "classes" else "a function of your own"
    raise InputError(f"`metrics` names {one.label!r}, which has no replicates here: see {instead}")
