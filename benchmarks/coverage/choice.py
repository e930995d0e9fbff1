"""Two models at thresholds that are chosen on the rows: by percentile and basic limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import interval_tables, show_share, table
from benchmarks.coverage.measured import Cost, Measured, Study
from benchmarks.coverage.scenes import CHOSEN, RECALL_AT, Data


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


def of_two_models(study: Study, hypotheses: Mapping[str, str]) -> list[str]:
    """Return the part of the section about differences, a heading first."""
    texts = ["### Two models at thresholds of their own\n", _HEAD]
    for metric in (*CHOSEN, RECALL_AT):
        texts.append(f"**Difference in {metric}**\n")
        texts.append(interval_tables(study.find("choice", f"{metric} difference")))
    rows = [row for row in study.tests if row.part == "choice"]
    scenes = list(dict.fromkeys(row.scene for row in rows))
    cell = {(row.hypothesis, row.test, row.scene): row for row in rows}
    for hypothesis in dict.fromkeys(row.hypothesis for row in rows):
        lines = [
            [test, *(show_share(cell[hypothesis, test, scene]) for scene in scenes)]
            for test in dict.fromkeys(row.test for row in rows)
        ]
        heads = ["limits leave out 0, %", *map(show_scene, scenes)]
        texts.append(f"**{hypotheses[hypothesis]}**\n\n{table(heads, lines)}")
    return texts


_HEAD = """Differences of `paired_bootstrap`: of both rates at each model's best threshold, and of
recall where a tenth of the negatives are called positive. Basic limits, which other differences
have, turn the bias of the replicates round: they would tell equal models apart far too often. The
default at thresholds that are found on the data is `percentile`.
"""
