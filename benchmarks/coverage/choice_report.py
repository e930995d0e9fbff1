"""Two models at thresholds that are chosen on the rows: intervals of differences, and tests."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import interval_tables, show_share, table
from benchmarks.coverage.methods import CHOSEN
from benchmarks.coverage.scenes import RECALL_AT
from benchmarks.coverage.study import Study


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
