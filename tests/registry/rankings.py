"""Metrics of rankings: of each query by its definition, and what must hold of all queries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from metric_names import METRICS, Metric
from reference import ranking_oracle as oracle

#: One query: (relevance, score, id), relevance None where nobody judged.
Query = Sequence[oracle.Item]


@dataclass(frozen=True)
class RankingEntry:
    """One metric, by its canonical name (in brackets a variant).

    `definition` takes an order without ties; `needs` names further numbers of the query: relevant
    items ("total"), items judged irrelevant ("n_others"), and the greatest relevance ("top").
    `empty_value` is the value where no item is relevant, None for nan.
    """

    name: str
    definition: Callable[..., Any] | None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    empty_value: float | None = None

    @property
    def canonical(self) -> str:
        """The name without a variant."""
        return self.name.partition("[")[0]

    @property
    def metric(self) -> Metric:
        """The entry of the library's registry."""
        return METRICS[self.canonical]

    def values(self, *data: Any, **more: Any) -> np.ndarray:
        """Compute the metric of each query by fastmetrics."""
        given = {n: float(v) if isinstance(v, Fraction) else v for n, v in self.arguments.items()}
        if self.canonical == "group_auc":
            actual = self.metric.load()(*data, **given, **more).per_query
        else:
            actual = self.metric.load()(*data, per_query=True, **given, **more)
        return np.asarray(actual)

    def mean(self, *data: Any, **more: Any) -> float:
        """Compute the mean over queries by fastmetrics."""
        given = {n: float(v) if isinstance(v, Fraction) else v for n, v in self.arguments.items()}
        return float(self.metric.value(*data, **given, **more))

    def right(self, query: Query, ties: str = "expected") -> Any:
        """Compute the metric of one query by the definition, None where it is undefined."""
        relevant = sum(map(oracle.is_relevant, query))
        judged = sum(1 for grade, _, _ in query if grade is not None and grade >= 0)
        if self.definition is None:
            return oracle.auc(query) if 0 < relevant < len(query) else None
        if not relevant:
            return self.empty_value
        known = {
            "total": relevant,
            "n_relevant": relevant,
            "n_others": judged - relevant,
            "top": max(0, *(grade or 0 for grade, _, _ in query)),
        }
        more = {name: known[name] for name in self.needs}
        return oracle.mean(self.definition, query, ties, **self.arguments, **more)


def _entry(
    name: str, definition: Any, *needs: str, none: float | None = None, **arguments: Any
) -> Any:
    return RankingEntry(name, definition, arguments, needs, none)


RANKINGS: tuple[RankingEntry, ...] = (
    _entry("precision_at_k", oracle.precision, k=2, none=0.0),
    _entry("precision_at_k[many]", oracle.precision, k=7, none=0.0),
    _entry("recall_at_k", oracle.recall, "total", k=3),
    _entry("f1_at_k", oracle.f1, "total", k=3),
    _entry("hit_rate_at_k", oracle.hit_rate, k=2),
    _entry("r_precision", oracle.r_precision, "total"),
    _entry("mean_reciprocal_rank", oracle.reciprocal_rank),
    _entry("mean_reciprocal_rank[2]", oracle.reciprocal_rank, k=2),
    _entry("mean_average_precision", oracle.average_precision, "total"),
    _entry("mean_average_precision[3]", oracle.average_precision, "total", k=3),
    _entry(
        "mean_average_precision[reachable]",
        oracle.average_precision,
        "total",
        k=2,
        divide_by="reachable",
    ),
    _entry("dcg", oracle.dcg, none=0.0),
    _entry("dcg[exponential]", oracle.dcg, gain="exponential", none=0.0),
    _entry("ndcg", oracle.ndcg),
    _entry("ndcg[3]", oracle.ndcg, k=3),
    _entry("ndcg[exponential]", oracle.ndcg, gain="exponential"),
    _entry("expected_reciprocal_rank", oracle.expected_reciprocal_rank, "top"),
    _entry("expected_reciprocal_rank[4]", oracle.expected_reciprocal_rank, "top", k=4),
    _entry(
        "rank_biased_precision", oracle.rank_biased_precision, persistence=Fraction(3, 4), none=0.0
    ),
    _entry(
        "rank_biased_precision[3]",
        oracle.rank_biased_precision,
        persistence=Fraction(1, 2),
        k=3,
        none=0.0,
    ),
    _entry("bpref", oracle.bpref, "n_relevant", "n_others"),
    _entry("group_auc", None),
)
