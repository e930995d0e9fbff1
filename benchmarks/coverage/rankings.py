"""The part of the study on rankings: means over queries, and tests of two systems."""

from __future__ import annotations

import math

import numpy as np

import fastmetrics
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.scenes import RANKINGS, Data

_FUNCTIONS = {
    "map": "mean_average_precision",
    "mrr": "mean_reciprocal_rank",
    "precision": "precision_at_k",
    "hit_rate": "hit_rate_at_k",
}


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep intervals over queries, and the paired tests of systems that are alike or not."""
    given = {"query": data.groups, "n_threads": 1}
    systems = {"model": data.scores, "worse": data.others["worse"]}
    found = fastmetrics.compare(data.labels, systems, metrics=RANKINGS, **given)
    for metric in RANKINGS:
        own, other = (_values(metric, data, scores) for scores in systems.values())
        kept = ~np.isnan(own)
        for name, part, values in (
            (metric, found[metric]["model"], own[kept]),
            (f"{metric} difference", found[metric]["model", "worse"], (own - other)[kept]),
        ):
            out.intervals[name, "t"] = tuple(part.confidence_interval)
            for method in ("percentile", "basic", "bca"):
                out.intervals[name, method] = (math.nan, math.nan)
                if np.ptp(values) > 0.0:
                    mean = fastmetrics.bootstrap(
                        values,
                        metrics="mean",
                        method=method,
                        n_resamples=cost.n_resamples,
                        rng=rng,
                        n_threads=1,
                    )["mean"]
                    out.intervals[name, method] = tuple(mean.confidence_interval)
    for hypothesis in ("equal", "worse"):
        systems = {"model": data.scores, "other": data.others[hypothesis]}
        found = fastmetrics.compare(data.labels, systems, metrics=RANKINGS, **given)
        pairs = [found[metric]["model", "other"] for metric in RANKINGS]
        every = fastmetrics.comparison.adjust_pvalues([pair.pvalue for pair in pairs])
        out.pvalues[hypothesis, "t"] = found["map"]["model", "other"].pvalue
        own, other = (_values("map", data, scores) for scores in systems.values())
        less = (own - other)[~np.isnan(own)]
        options = {"n_resamples": cost.n_exchanges, "rng": rng}
        flipped = fastmetrics.comparison.sign_flip_test(less, higher_is_better=True, **options)
        out.pvalues[hypothesis, "randomization"] = flipped.pvalue
        ranks = fastmetrics.comparison.wilcoxon_signed_rank_test(less, higher_is_better=True)
        out.pvalues[hypothesis, "wilcoxon"] = ranks.pvalue
        out.pvalues[hypothesis, "holm, any of four"] = float(every.min())


def _values(metric: str, data: Data, scores: np.ndarray) -> np.ndarray:
    """Return the values of the queries by one of `RANKINGS`."""
    name, _, k = metric.partition("@")
    function = getattr(fastmetrics.ranking, _FUNCTIONS.get(name, name))
    cutoff = {"k": int(k)} if k else {}
    return np.asarray(function(data.labels, scores, query=data.groups, per_query=True, **cutoff))
