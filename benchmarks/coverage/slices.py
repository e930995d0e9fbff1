"""The part of the study on slices: the one that looks worst, and two of them.

All slices have the same population, binormal scores: ``users`` of them with 100 rows each.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

import fastmetrics
from benchmarks.coverage.findings import data_sets
from benchmarks.coverage.layout import show_coverage, table_by_scene
from benchmarks.coverage.measured import Cost, Measured, Study
from benchmarks.coverage.scenes import Data, Scene

PART = "slices"
_ROWS = 100


def population(scene: Scene) -> dict[str, float]:
    """Return the metrics of any slice, and of how far two are apart."""
    auc, accuracy = (math.erfc(-scene.separation / each) / 2.0 for each in (2.0, math.sqrt(8.0)))
    values = {"roc_auc": auc, "accuracy": accuracy}
    worst = {f"worst {name}": value for name, value in values.items()}
    return worst | {"roc_auc difference": 0.0, "accuracy difference": 0.0}


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep the limits of the worst slice and of differences."""
    scene = data.scene
    assert scene is not None
    n = _ROWS * scene.users
    part = np.arange(n) // _ROWS
    y = rng.integers(0, 2, n)
    score = scene.separation * (y - 0.5) + rng.normal(size=n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"metrics": ["roc_auc", "accuracy"], "threshold": 0.0}
        found = fastmetrics.evaluate(y, score, slices={"part": part}, **options).slices
    for name in ("roc_auc", "accuracy"):
        low, high = found.worst(name).confidence_interval
        out.intervals[f"worst {name}", "default"] = float(low), float(high)
    for name in ("roc_auc", "accuracy"):
        low, high = found.between("part=0", "part=1", metric=name).confidence_interval
        out.intervals[f"{name} difference", "default"] = float(low), float(high)


_COLUMNS = {
    "worst roc_auc": "worst AUC",
    "worst accuracy": "worst accuracy",
    "roc_auc difference": "difference of AUCs",
    "accuracy difference": "difference of accuracies",
}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    rows = [row for row in study.intervals if row.part == PART]
    coverage = {(row.scene, row.metric): show_coverage(row) for row in rows}
    return "\n".join(
        [
            "## Slices\n",
            _HEAD.format(n_data=data_sets(rows)),
            table_by_scene("coverage, %", _COLUMNS, coverage),
        ]
    )


_HEAD = """Slices of 100 rows each, all of one binormal population; {n_data} data sets, fewer of 50.
The limits of the slice that looks worst by `evaluate` hold for all slices at
once, so that they are to cover 95 % whichever it is; those of `Slices.between` are of one
difference, of two slices chosen before.
"""
