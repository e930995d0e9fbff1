"""The part of the study on thresholds with a guarantee: how often new data break the promise."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import show_coverage, table
from benchmarks.coverage.measured import Cost, Measured, Study
from benchmarks.coverage.scenes import Data, Scene

PART = "guarantees"
#: What scores are rounded to, for ties; a grid of thresholds that knows nothing of the data.
STEP = 0.25
GRID = np.linspace(4.0, -3.0, 141)
#: The least precision that is asked for, by the share of positives.
PRECISIONS = {0.5: 0.8, 0.05: 0.4}
GUARANTEED, ROUNDED, NAIVE = "guaranteed", "guaranteed, ties", "met on these data"
METRICS = ("recall", "false_positive_rate", "precision")


def bounds(scene: Scene) -> dict[str, float]:
    """Return what is promised of each metric."""
    return {
        "recall": 0.9,
        "false_positive_rate": 0.1,
        "precision": PRECISIONS[scene.share],
    }


def population(scene: Scene) -> dict[str, float]:
    """Return 0 for each metric, as limits around it stand for kept promises; and the bounds."""
    values = dict.fromkeys(METRICS, 0.0)
    for metric, bound in bounds(scene).items():
        for method in (GUARANTEED, ROUNDED, NAIVE):
            values |= {f"{metric}, {method}": bound, f"{metric}, {method}, found": 1.0}
    return values


def _rates(scene: Scene, threshold: float) -> dict[str, float]:
    """Return the metrics of a threshold in the population."""
    from scipy.special import ndtr

    tpr, fpr = float(ndtr(scene.separation - threshold)), float(ndtr(-threshold))
    tp, fp = scene.share * tpr, (1 - scene.share) * fpr
    return {
        "recall": tpr,
        "false_positive_rate": fpr,
        "precision": tp / (tp + fp) if tp + fp > 0 else math.nan,
    }


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep how far each threshold is from breaking its promise, and what it has."""
    scene = data.scene
    assert scene is not None
    rounded = np.round(data.scores / STEP) * STEP
    for metric, bound in bounds(scene).items():
        asked: dict[str, Any] = {metric: bound}
        if metric == "precision":
            asked["grid"] = GRID
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for method, scores in ((GUARANTEED, data.scores), (ROUNDED, rounded)):
                found = fastmetrics.guaranteed_threshold(data.labels, scores, **asked)
                at = found.threshold
                if method == ROUNDED and math.isfinite(at):
                    at = math.ceil(at / STEP) * STEP - STEP / 2
                _keep(scene, metric, method, at, bound, out)
            best = fastmetrics.best_threshold(data.labels, data.scores, **_MET[metric](bound))
            _keep(scene, metric, NAIVE, best.threshold, bound, out)


_MET = {
    "recall": lambda bound: {"criterion": "precision_at_recall", "at_least": bound},
    "false_positive_rate": lambda bound: {
        "criterion": "recall_at_false_positive_rate",
        "at_most": bound,
    },
    "precision": lambda bound: {"criterion": "recall_at_precision", "at_least": bound},
}


def _keep(
    scene: Scene, metric: str, method: str, threshold: float, bound: float, out: Measured
) -> None:
    value = math.nan if math.isnan(threshold) else _rates(scene, threshold)[metric]
    sign = 1.0 if metric in ("recall", "precision") else -1.0
    # No promise is no broken one; nothing called positive has no precision, and breaks none.
    slack = 0.0 if math.isnan(value) else sign * (value - bound)
    out.intervals[metric, method] = -1.0, slack
    out.estimates[f"{metric}, {method}"] = value
    out.estimates[f"{metric}, {method}, found"] = float(math.isfinite(threshold))


def section(study: Study) -> str:
    """Return the section, a heading first: promises kept, and what the thresholds have."""
    rows = [row for row in study.intervals if row.part == PART]
    means = {(each.scene, each.metric): each for each in study.estimates}
    texts = ["## Thresholds with a guarantee\n", _HEAD.format(n_data=rows[0].n_data)]
    for metric, name in _TITLES.items():
        own = [row for row in rows if row.metric == metric]
        scenes = list(dict.fromkeys(row.scene for row in own))
        kept, has, found = [], [], []
        for method in dict.fromkeys(row.method for row in own):
            of = {row.scene: row for row in own if row.method == method}
            kept.append([method, *(show_coverage(of[scene]) for scene in scenes)])
            figures = [means.get((scene, f"{metric}, {method}")) for scene in scenes]
            has.append([method, *("–" if one is None else f"{one.mean:.3f}" for one in figures)])
            shares = [means[scene, f"{metric}, {method}, found"].mean for scene in scenes]
            found.append([method, *(percent(share) for share in shares)])
        heads = list(map(show_scene, scenes))
        texts.append(f"### {name}\n")
        for head, lines in (("kept, %", kept), ("mean", has), ("threshold found, %", found)):
            texts.append(table([head, *heads], lines))
    return "\n".join(texts)


_TITLES = {
    "recall": "Recall of at least 0.9",
    "false_positive_rate": "False positive rate of at most 0.1",
    "precision": "Precision of at least 0.8; of 0.4 where 5 % are positive",
}

_HEAD = (
    """`guaranteed_threshold` with the default `delta=0.05`: the share of {n_data:,} data sets in
which the threshold keeps its promise in the population; 95 or more is what it states. "Ties" are
scores rounded to a quarter. "Met on these data" is `best_threshold` with the same number as its
constraint: what one gets without a guarantee. The mean is that of the metric in the population;
a threshold is found where more than everything, or nothing, can be called positive.
Thresholds for precision are of a grid of """
    f"{len(GRID)}"
    """.
"""
)
