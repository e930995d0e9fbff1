"""Measures of rankings, query by query, of which means over queries are made."""

from __future__ import annotations

from math import inf, nan
from typing import Any, Final

from fastmetrics.measures._measure import REQUIRED, Measure

_LEVEL: Final[dict[str, Any]] = {"relevant_from": 1}
_LEFT_OUT: Final[dict[str, Any]] = {"no_relevant": nan}
_FIRST: Final[dict[str, Any]] = {"k": REQUIRED}
_CUT: Final[dict[str, Any]] = {"k": None}
_GAIN: Final[dict[str, Any]] = {"gain": "linear"}


def _ranked(name: str, title: str, module: str, parameters: dict[str, Any], **more: Any) -> Measure:
    return Measure(
        name,
        "ranking",
        title,
        f"ranking.{module}:{name}",
        True,
        "rankings",
        parameters=parameters,
        influences="ranking.names:values_of",
        **more,
    )


MEASURES: Final = (
    _ranked(
        "mean_average_precision",
        "mean average precision",
        "positions",
        _CUT | {"divide_by": "relevant"} | _LEVEL | _LEFT_OUT,
        aliases=("map",),
    ),
    _ranked(
        "mean_reciprocal_rank",
        "mean reciprocal rank",
        "positions",
        _CUT | _LEVEL | _LEFT_OUT,
        aliases=("mrr",),
    ),
    _ranked("ndcg", "normalized discounted gain", "graded", _CUT | _GAIN | _LEFT_OUT),
    _ranked("dcg", "discounted gain", "graded", _CUT | _GAIN, bounds=(0.0, inf)),
    _ranked("precision_at_k", "precision of the first k", "first_items", _FIRST | _LEVEL),
    _ranked("recall_at_k", "recall of the first k", "first_items", _FIRST | _LEVEL | _LEFT_OUT),
    _ranked("f1_at_k", "F1 of the first k", "first_items", _FIRST | _LEVEL | _LEFT_OUT),
    _ranked(
        "hit_rate_at_k",
        "queries with a hit in the first k",
        "first_items",
        _FIRST | _LEVEL | _LEFT_OUT,
    ),
    _ranked("r_precision", "precision at the number relevant", "first_items", _LEVEL | _LEFT_OUT),
    _ranked(
        "expected_reciprocal_rank",
        "expected reciprocal rank",
        "graded",
        _CUT | {"max_relevance": None} | _LEFT_OUT,
    ),
    _ranked(
        "rank_biased_precision",
        "rank-biased precision",
        "positions",
        _CUT | {"persistence": REQUIRED} | _LEVEL,
    ),
    _ranked("bpref", "bpref", "positions", _LEVEL | _LEFT_OUT),
    _ranked(
        "group_auc",
        "mean AUC of groups",
        "group_auc",
        {"query_weighting": "items"} | _LEVEL,
        aliases=("gauc",),
        read="estimate",
    ),
)
