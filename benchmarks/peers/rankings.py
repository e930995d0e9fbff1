"""ir_measures' providers with our functions in their place, for the measures that we have.

What a provider is asked for and we have not (counts, interpolated precision, diversity) goes on to
the provider itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import ir_measures
import numpy as np
from ir_measures.providers.base import NOT_PROVIDED, Evaluator

import fastmetrics as fm

#: The greatest grade that gdeval knows.
_GDEVAL_TOP = 4
#: Digits that gdeval prints, and so returns.
_GDEVAL_DIGITS = 5

Served = tuple[Callable[..., Any], dict[str, Any]]

#: By the name of a measure: our function.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "P": fm.ranking.precision_at_k,
    "SetP": fm.ranking.precision_at_k,
    "R": fm.ranking.recall_at_k,
    "SetR": fm.ranking.recall_at_k,
    "SetF": fm.ranking.f1_at_k,
    "Success": fm.ranking.hit_rate_at_k,
    "RR": fm.ranking.mean_reciprocal_rank,
    "AP": fm.ranking.mean_average_precision,
    "Rprec": fm.ranking.r_precision,
    "Bpref": fm.ranking.bpref,
    "nDCG": fm.ranking.ndcg,
    "ERR": fm.ranking.expected_reciprocal_rank,
    "RBP": fm.ranking.rank_biased_precision,
}
_GAIN = {"gdeval": "exp-log2"}
_NOT_OURS = {"judged_only": True, "relative": True}


class Counter:
    """How many values we gave."""

    values = 0


def served(measure: Any, provider: str) -> Served | None:
    """Return our function for a measure, and how it is called; None where we have none.

    gdeval has the exponential gain alone, whatever the measure says.
    """
    known = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    given = {name: value for name, value in known.items() if value is not NOT_PROVIDED}
    function = FUNCTIONS.get(measure.NAME)
    if function is None or any(given.get(name) == value for name, value in _NOT_OURS.items()):
        return None
    if given.get("gains") or given.get("beta", 1.0) != 1.0:
        return None
    if measure.NAME == "RBP" and "rel" not in given:  # graded: another measure
        return None
    options: dict[str, Any] = {}
    if "rel" in given:
        options["relevant_from"] = given["rel"]
    if "cutoff" in known and measure.NAME not in ("Rprec", "Bpref"):
        options["k"] = given.get("cutoff")
    elif measure.NAME in ("SetP", "SetR", "SetF"):
        options["k"] = None
    if measure.NAME == "nDCG":
        options["gain"] = (
            "exponential" if "exp-log2" in (given["dcg"], _GAIN.get(provider)) else "linear"
        )
    if measure.NAME == "ERR":
        options["max_relevance"] = _GDEVAL_TOP
    if measure.NAME == "RBP":
        return function, options | {"persistence": given["p"]}
    return function, options if function is fm.ranking.precision_at_k else options | {
        "no_relevant": 0.0
    }


def table_of(qrels: Any, run: Any) -> fm.RankingTable | None:
    """Return the table of a run, with the judged documents that it lacks; None where it is empty.

    A relevance below 0 is that of a document nobody judged, as trec_eval has it.
    """
    rows = [
        (query, name, qrels[query].get(name, math.nan), documents.get(name, -math.inf))
        for query, documents in run.items()
        if query in qrels
        for name in {**qrels[query], **documents}
    ]
    if not rows:
        return None
    query, ids, relevance, score = map(list, zip(*rows, strict=True))
    return fm.RankingTable.from_scores(
        np.array(relevance, float), np.array(score, float), query=query, ids=ids
    )


class OurEvaluator(Evaluator):
    """Ours where we have the measure, else the provider's own."""

    def __init__(self, provider: Any, measures: Iterable[Any], qrels: Any, own: Any) -> None:
        converted = ir_measures.util.QrelsConverter(qrels)
        self.judged = converted.as_dict_of_dict()
        super().__init__(list(measures), set(self.judged))
        self.provider = provider.NAME
        others = [one for one in self.measures if served(one, self.provider) is None]
        self.own = own(others, self.judged) if others else None

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        retrieved = ir_measures.util.RunConverter(run).as_dict_of_dict()
        table = table_of(self.judged, retrieved)
        if table is not None and table.queries is not None:
            for measure in self.measures:
                found = served(measure, self.provider)
                if found is None:
                    continue
                function, options = found
                values = function(table, ties="trec_eval", per_query=True, **options).tolist()
                for query, value in zip(table.queries.tolist(), values, strict=True):
                    Counter.values += 1
                    if self.provider == "gdeval":
                        value = round(value, _GDEVAL_DIGITS)
                    yield ir_measures.Metric(query, measure, value)
        if self.own is not None:
            yield from self.own._iter_calc(retrieved)


def replace() -> None:
    """Let every provider that has one of our measures use ours."""
    providers = list(ir_measures.providers.registry.values())
    own = {provider.NAME: type(provider)._evaluator for provider in providers}
    for provider in providers:
        if any(measure.NAME in FUNCTIONS for measure in provider.SUPPORTED_MEASURES):
            # what is left of ranx are counts, for which it needs another pandas
            other = ir_measures.pytrec_eval if provider.NAME == "ranx" else provider
            type(provider)._evaluator = _replaced(own[other.NAME].__get__(other))


def _replaced(own: Callable[..., Any]) -> Callable[..., Any]:
    def evaluator(provider: Any, measures: Iterable[Any], qrels: Any) -> OurEvaluator:
        return OurEvaluator(provider, measures, qrels, own)

    return evaluator
