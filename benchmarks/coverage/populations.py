"""What each interval of the study aims at: the metrics in the population of a scene."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

from benchmarks.coverage import (
    costs,
    gates,
    guarantees,
    indirect,
    logs,
    slices,
)
from benchmarks.coverage.scenes import (
    COMPARED,
    MANY_QUERIES,
    RANKINGS,
    RECALL_AT,
    THRESHOLD,
    WORSE,
    Scene,
    draw,
)


@cache
def population(scene: Scene) -> dict[str, float]:
    """Return the value of each metric in the population, and less that of the worse model."""
    if scene.part == "costs":
        return costs.population(scene)
    if scene.part == guarantees.PART:
        return guarantees.population(scene)
    if scene.part == gates.PART:
        return gates.population(scene)
    if scene.part == slices.PART:
        return slices.population(scene)
    if scene.part == logs.PART:
        return logs.population(scene)
    if scene.part in (indirect.FOLDS, indirect.BINS):
        return indirect.population(scene)
    if scene.part == "rankings":
        return _values_of_rankings(replace(scene, n=20 * MANY_QUERIES, users=MANY_QUERIES))
    values = _values(scene.separation, scene.share)
    worse = _values(WORSE, scene.share)
    compared = (*COMPARED, "true_positive_rate", "false_positive_rate", RECALL_AT)
    return values | {f"{name} difference": values[name] - worse[name] for name in compared}


@cache
def _values_of_rankings(many: Scene) -> dict[str, float]:
    """Return the means over very many queries, whose own error is far below that of a data set."""
    from fastmetrics import compare

    data = draw(many, many.generator(0))
    systems = {"model": data.scores, "worse": data.others["worse"]}
    found = compare(data.labels, systems, query=data.groups, metrics=RANKINGS)
    values = {name: found[name]["model"].estimate for name in RANKINGS}
    pairs = {name: found[name]["model", "worse"].estimate for name in RANKINGS}
    return values | {f"{name} difference": pairs[name] for name in RANKINGS}


def _values(d: float, p: float) -> dict[str, float]:
    """Return the metrics of positives of mean ``d`` and share ``p``."""
    from scipy.integrate import quad
    from scipy.special import log_ndtr, ndtr
    from scipy.stats import norm

    tpr, fpr = float(ndtr(d - THRESHOLD)), float(ndtr(-THRESHOLD))
    tp, fp = p * tpr, (1 - p) * fpr

    def precision_of_positive(score: float) -> float:
        """Return precision at a score times the density of the positives there."""
        odds = (1 - p) / p * math.exp(log_ndtr(-score) - log_ndtr(d - score))
        return float(norm.pdf(score - d)) / (1 + odds)

    area = quad(precision_of_positive, d - 12, d + 12, epsabs=1e-12, limit=200)[0]
    return {
        "roc_auc": float(ndtr(d / math.sqrt(2))),
        "average_precision": float(area),
        "ks_statistic": float(2 * ndtr(d / 2) - 1),
        "f1": 2 * tp / (tp + fp + p),
        "accuracy": tp + (1 - p) * (1 - fpr),
        RECALL_AT: float(ndtr(d + norm.ppf(0.1))),
        "true_positive_rate": float(ndtr(d / 2)),  # at the threshold of the largest TPR - FPR
        "false_positive_rate": float(ndtr(-d / 2)),
    }
