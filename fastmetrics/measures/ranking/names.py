"""Metrics of rankings by name, such as "ndcg@10", and their values for each query."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_integer
from fastmetrics.errors import InputError, did_you_mean
from fastmetrics.measures import asking
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.asking import Asked, MetricsLike
from fastmetrics.measures.registry import MEASURES
from fastmetrics.tables.ranking import RankingTable

#: No list is as long, and kernels count in 64 bits.
_MOST: Final = 2**53
_AT: Final = re.compile(r"(.+)@([0-9]+)")
#: What the field calls measures, beside the names of the registry, in lower case.
_SHORT: Final = {
    "p": "precision_at_k",
    "r": "recall_at_k",
    "success": "hit_rate_at_k",
    "hit": "hit_rate_at_k",
    "rprec": "r_precision",
    "ap": "mean_average_precision",
    "rr": "mean_reciprocal_rank",
    "err": "expected_reciprocal_rank",
    "rbp": "rank_biased_precision",
}


class PerQuery(NamedTuple):
    """Values of a measure for each query, nan where there is none, and what each counts."""

    values: NDArray[np.float64]
    weights: NDArray[np.int64] | None


def asked_rankings(metrics: MetricsLike) -> tuple[Asked, ...]:
    """Return the requested metrics."""
    found = [_known(label, metric) for label, metric in asking.labelled(metrics)]
    asking.check_labels(one.label for one in found)
    for one in found:
        _measure_of(one).checked(one.label, one.parameters)
    return tuple(found)


def values_of(one: Asked, table: RankingTable) -> PerQuery:
    """Return the values of the queries of a table."""
    function = _measure_of(one).load()
    if one.name == "group_auc":
        found = function(table, **one.parameters)
        return PerQuery(found.per_query, found.weights)
    return PerQuery(function(table, per_query=True, **one.parameters), None)


def _known(label: str | None, metric: Any) -> Asked:
    """Return the measure of a name, with or without its cut-off, or of a function of ours."""
    if not (isinstance(metric, str) or asking.is_pair(metric)):
        (one,) = asking.ask([metric] if label is None else {label: metric}, of_rankings=True)
        if one.measure is None or one.measure.family != "ranking":
            raise _no_ranking(one.label)
        return one
    text, own = (metric, {}) if isinstance(metric, str) else (metric[0], dict(metric[1]))
    cut = _AT.fullmatch(text)
    if cut:
        if "k" in own:
            raise InputError(f"`metrics` gives {text!r} a cut-off, and 'k' beside it")
        own["k"] = check_integer("k", int(cut[2]), low=1, high=_MOST)
    name = (cut[1] if cut else text).lower()
    if name not in by_name():
        raise _no_ranking(text)
    return Asked(label or text, by_name()[name], own)


@cache
def by_name() -> dict[str, Measure]:
    """Return the measures of rankings by all their names, in lower case."""
    found: dict[str, Measure] = {}
    for measure in MEASURES.values():
        if measure.family == "ranking":
            for name in (measure.name, *measure.aliases):
                found[name.lower()] = measure
                found.setdefault(name.lower().removesuffix("_at_k"), measure)
    return found | {short: found[name] for short, name in _SHORT.items()}


def _no_ranking(name: str) -> InputError:
    names = dict.fromkeys(measure.name for measure in by_name().values())
    near = did_you_mean(name.partition("@")[0].lower(), by_name())
    return InputError(
        f"`metrics` names {name!r}, which is no measure of rankings: these are "
        f"{', '.join(names)}{near}"
    )


def _measure_of(one: Asked) -> Measure:
    if one.measure is None:
        raise _no_ranking(one.label)
    return one.measure
