"""The part of the study on rankings: means over queries, and tests of two systems."""

from __future__ import annotations

import numpy as np

import fastmetrics
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.scenes import RANKINGS, Data


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep intervals over queries, and the paired tests of systems that are alike or not."""
    given = {"query": data.groups, "metrics": RANKINGS, "rng": rng, "n_threads": 1}
    systems = {"model": data.scores, "worse": data.others["worse"]}
    for method in ("t", "percentile", "basic", "bca"):
        found = fastmetrics.evaluate_rankings(
            data.labels, systems, method=method, n_resamples=cost.n_resamples, **given
        )
        for metric in RANKINGS:
            mean = found.mean("model", metric)
            out.intervals[metric, method] = tuple(mean.confidence_interval)
            pair = found.difference("model", "worse", metric)
            out.intervals[f"{metric} difference", method] = tuple(pair.confidence_interval)
    for hypothesis in ("equal", "worse"):
        systems = {"model": data.scores, "other": data.others[hypothesis]}
        for test in ("t", "randomization", "wilcoxon", "sign"):
            found = fastmetrics.evaluate_rankings(
                data.labels, systems, test=test, n_resamples=cost.n_exchanges, **given
            )
            out.pvalues[hypothesis, test] = found.differences[0].pvalue
        every = found.differences
        out.pvalues[hypothesis, "holm, any of four"] = min(pair.pvalue_holm for pair in every)
        out.pvalues[hypothesis, "max-t, any of four"] = min(pair.pvalue_max_t for pair in every)
