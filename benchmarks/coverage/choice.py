"""Two models at thresholds that are chosen on the rows: by percentile and basic limits."""

from __future__ import annotations

from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.scenes import RECALL_AT, Data


def measure_pairs(
    data: Data, chosen: dict[str, Any], rng: np.random.Generator, cost: Cost, out: Measured
) -> None:
    """Keep the limits of the differences of two models, and whether they leave out 0."""
    for hypothesis in ("equal", "worse"):
        models = {"model": data.scores, "other": data.others[hypothesis]}
        found = fastmetrics.paired_bootstrap(
            data.labels,
            models,
            metrics=chosen | {RECALL_AT: (RECALL_AT, {"false_positive_rate": 0.1})},
            n_resamples=cost.n_resamples,
            rng=rng,
            n_threads=1,
        )
        for metric, one in found.items():
            pair = one.pairs[0]
            low, high = percentile = tuple(pair.confidence_interval)
            basic = 2 * pair.estimate - high, 2 * pair.estimate - low
            for method, limits_of in (("percentile", percentile), ("basic", basic)):
                leaves_out_0 = not limits_of[0] <= 0.0 <= limits_of[1]
                out.pvalues[hypothesis, f"{metric}, {method}"] = 1.0 - leaves_out_0
                if hypothesis == "worse":
                    out.intervals[f"{metric} difference", method] = limits_of
