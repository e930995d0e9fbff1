"""Measures of rankings, until the registry has them."""

from __future__ import annotations

from typing import Any

from fastmetrics.measures._measure import REQUIRED, Measure


def _m(
    name: str,
    function: str,
    aliases: tuple[str, ...] = (),
    bounds: tuple[float, float] = (0.0, 1.0),
    **parameters: Any,
) -> Measure:
    return Measure(
        name,
        "ranking",
        name.replace("_", " "),
        f"ranking.{function}:{name}",
        True,
        "scores",
        aliases=aliases,
        parameters=parameters,
        bounds=bounds,
    )


INTERIM = {
    m.name: m
    for m in (
        _m("mean_average_precision", "positions", ("map",), k=None, relevant_from=1),
        _m("mean_reciprocal_rank", "positions", ("mrr",), k=None, relevant_from=1),
        _m("ndcg", "graded", k=None, gain="linear"),
        _m("dcg", "graded", k=None, gain="linear", bounds=(0.0, float("inf"))),
        _m("precision_at_k", "first_items", k=REQUIRED, relevant_from=1),
        _m("recall_at_k", "first_items", k=REQUIRED, relevant_from=1),
        _m("f1_at_k", "first_items", k=REQUIRED, relevant_from=1),
        _m("hit_rate_at_k", "first_items", k=REQUIRED, relevant_from=1),
        _m("r_precision", "first_items", relevant_from=1),
        _m("expected_reciprocal_rank", "graded", k=None, max_relevance=None),
        _m("rank_biased_precision", "positions", k=None, persistence=REQUIRED, relevant_from=1),
        _m("bpref", "positions", relevant_from=1),
        _m("group_auc", "group_auc", ("gauc",), weighting="items", relevant_from=1),
    )
}
