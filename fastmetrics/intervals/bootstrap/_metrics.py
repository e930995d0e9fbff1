"""What ``metrics=`` may hold, and the list of measures that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.intervals.bootstrap._sum_metrics import SUM_METRICS, SumMetric
from fastmetrics.intervals.bootstrap._threshold_metrics import (
    THRESHOLD_METRICS,
    ThresholdMetric,
)
from fastmetrics.measures.decisions.count_measures import (
    COUNT_MEASURES,
    CountMeasure,
    measure_named,
)

#: ``f(labels, scores, weights)`` if compiled by numba, else ``f(labels, scores)`` of drawn rows.
Statistic = Callable[..., float]
MetricLike = str | Statistic | tuple[str, Mapping[str, Any]]
MetricsLike = MetricLike | Sequence[MetricLike] | Mapping[str, MetricLike]

_registered: dict[str, Statistic] = {}


@dataclass(frozen=True, slots=True, eq=False)
class CountMetric:
    """A measure of the cells of a confusion matrix, with its parameters."""

    measure: CountMeasure
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class UserMetric:
    """A statistic of the user's own.

    ``compiled`` says that numba compiled it; ``weighted`` that it gets weights in any case.
    """

    function: Statistic
    compiled: bool
    weighted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A measure, and the name that its result gets."""

    label: str
    metric: ThresholdMetric | CountMetric | SumMetric | UserMetric


def register_metric(name: str, statistic: Statistic) -> None:
    """Give a statistic of your own a name that ``metrics=`` accepts.

    Parameters
    ----------
    name : str
        A name that no measure of the library has.
    statistic : callable
        ``f(labels, scores, weights)`` if numba compiled it, else ``f(labels, scores)``; see
        `bootstrap`.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        If `name` is no text, or `statistic` is not callable.
    ValueError
        If a measure of the library has that name, or it is empty.

    Examples
    --------
    >>> register_metric("mean_score", lambda labels, scores: scores.mean())
    """
    if not isinstance(name, str):
        raise InputTypeError(f"`name` must be a string: got {type(name).__name__}")
    if not name:
        raise InputError("`name` must not be empty")
    if not callable(statistic):
        raise InputTypeError(f"`statistic` must be callable: got {type(statistic).__name__}")
    if name in _own_names():
        raise InputError(f"`name` must not be that of a measure of the library: got {name!r}")
    _registered[name] = statistic


def resolved(metrics: Any) -> list[Asked]:
    """Return the measures that ``metrics`` asks for, in order.

    Raises
    ------
    TypeError, ValueError
        For what is no measure, or a parameter that a measure does not have.
    """
    if isinstance(metrics, Mapping):
        asked = [_one(metric, str(label)) for label, metric in metrics.items()]
    elif isinstance(metrics, str) or _is_pair(metrics) or callable(metrics):
        asked = [_one(metrics, None)]
    elif isinstance(metrics, Sequence):
        asked = [_one(metric, None) for metric in metrics]
    else:
        raise InputTypeError(
            "`metrics` must be a name, a callable, a pair (name, parameters), a sequence or a "
            f"mapping of them: got {type(metrics).__name__}"
        )
    if not asked:
        raise InputError("`metrics` must name at least one measure: got none")
    labels = [measure.label for measure in asked]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(
                f"`metrics` names {label!r} {labels.count(label)} times: give each a label of its "
                "own with a mapping, {label: metric}"
            )
    return asked


def _is_pair(metrics: Any) -> bool:
    return (
        isinstance(metrics, tuple)
        and len(metrics) == 2
        and isinstance(metrics[0], str)
        and isinstance(metrics[1], Mapping)
    )


def _own_names() -> list[str]:
    return [*THRESHOLD_METRICS, *COUNT_MEASURES, *SUM_METRICS]


def _one(metric: Any, label: str | None) -> Asked:
    if _is_pair(metric):
        name, parameters = metric
        return _named(name, dict(parameters), label)
    if isinstance(metric, str):
        return _named(metric, {}, label)
    if callable(metric):
        own = getattr(metric, "__name__", type(metric).__name__)
        return Asked(label or own, _of_user(metric))
    raise InputTypeError(
        f"`metrics` must hold names, callables or pairs (name, parameters): got {metric!r}"
    )


def _of_user(function: Statistic) -> UserMetric:
    compiled = type(function).__module__.startswith("numba.") and hasattr(function, "py_func")
    return UserMetric(function, compiled)


def _named(name: str, parameters: dict[str, Any], label: str | None) -> Asked:
    label = label or name
    if name in THRESHOLD_METRICS:
        try:
            return Asked(label, THRESHOLD_METRICS[name](**parameters))
        except TypeError as error:
            if "argument" not in str(error):
                raise
            raise InputTypeError(f"metric {name!r}: {str(error).split('() ')[-1]}") from error
    if name in COUNT_MEASURES:
        return Asked(label, CountMetric(measure_named(name), parameters))
    if name in _registered or name in SUM_METRICS:
        if parameters:
            raise InputTypeError(f"metric {name!r} has no parameters: got {sorted(parameters)}")
        if name in SUM_METRICS:
            return Asked(label, SUM_METRICS[name])
        return Asked(label, _of_user(_registered[name]))
    known = ", ".join(sorted([*_own_names(), *_registered]))
    raise InputError(f"`metrics` names {name!r}, which is no measure: known are {known}")
