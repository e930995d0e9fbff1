"""The part of the study on rankings: means over queries, and tests of two systems."""

from __future__ import annotations

import math

import numpy as np

import fastmetrics
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.scenes import RANKINGS, Data


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep intervals over queries, and the paired tests of systems that are alike or not."""
    given = {"query": data.groups, "metrics": RANKINGS, "n_threads": 1}
    systems = {"model": data.scores, "worse": data.others["worse"]}
    found = fastmetrics.ranking.evaluate_rankings(data.labels, systems, **given)
    for metric in RANKINGS:
        own, other = (found.per_query(system, metric) for system in systems)
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
        options = given | {"n_resamples": cost.n_exchanges, "adjustment": "max-t", "rng": rng}
        found = fastmetrics.ranking.evaluate_rankings(data.labels, systems, **options)
        every = fastmetrics.comparison.adjust_pvalues([pair.pvalue for pair in found.differences])
        out.pvalues[hypothesis, "t"] = found["map"]["model", "other"].pvalue
        flipped = fastmetrics.ranking.evaluate_rankings(
            data.labels, systems, **options | {"metrics": "map", "test": "randomization"}
        )
        out.pvalues[hypothesis, "randomization"] = flipped.differences[0].pvalue
        own, other = (found.per_query(system, "map") for system in systems)
        less = (own - other)[~np.isnan(own)]
        ranks = fastmetrics.comparison.wilcoxon_signed_rank_test(less, higher_is_better=True)
        out.pvalues[hypothesis, "wilcoxon"] = ranks.pvalue
        out.pvalues[hypothesis, "holm, any of four"] = float(every.min())
        out.pvalues[hypothesis, "max-t, any of four"] = min(found.pvalues_max_t)
