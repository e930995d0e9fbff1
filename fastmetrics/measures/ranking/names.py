"""Measures of rankings by name: "ndcg@10", cut-offs for all, and their values for each query."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from fastmetrics.tables.ranking.ranking_table import RankingTable, Ties

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


def asked_rankings(metrics: MetricsLike, k: int | Sequence[int] | None = None) -> tuple[Asked, ...]:
    """Return the measures asked for; those that take a cut-off and have none, once for each k."""
    cutoffs = _cutoffs(k)
    found = [
        each
        for label, metric in asking.labelled(metrics)
        for each in _at_cutoffs(_known(label, metric), cutoffs)
    ]
    asking.check_labels(one.label for one in found)
    for one in found:
        _measure_of(one).checked(one.label, one.parameters)
    return tuple(found)


def values_of(
    one: Asked, table: RankingTable, *, ties: Ties, relevant_from: float, no_relevant: float
) -> PerQuery:
    """Return the values of the queries of a table."""
    known = _measure_of(one).parameters
    shared = {"relevant_from": relevant_from, "no_relevant": no_relevant}
    given: dict[str, Any] = {name: value for name, value in shared.items() if name in known}
    given |= one.parameters
    function = _measure_of(one).load()
    if one.name == "group_auc":  # it counts a tie one half, whatever becomes of ties elsewhere
        found = function(table, **given)
        return PerQuery(found.per_query, found.weights)
    return PerQuery(function(table.settled(ties), per_query=True, **given), None)


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


def _cutoffs(k: Any) -> list[int]:
    if k is None:
        return []
    several = k if isinstance(k, Sequence | np.ndarray) and not isinstance(k, str) else [k]
    found = [check_integer("k", each, low=1, high=_MOST) for each in several]
    if not found or len(set(found)) < len(found):
        raise InputError(f"`k` must be one cut-off or several that differ: got {k!r}")
    return found


def _at_cutoffs(one: Asked, cutoffs: list[int]) -> list[Asked]:
    if not cutoffs or "k" in one.parameters or "k" not in _measure_of(one).parameters:
        return [one]
    name = one.label.removesuffix("_at_k")
    return [Asked(f"{name}@{k}", one.measure, {**one.parameters, "k": k}) for k in cutoffs]


def _measure_of(one: Asked) -> Measure:
    if one.measure is None:
        raise _no_ranking(one.label)
    return one.measure
