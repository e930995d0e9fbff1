"""The part of the study on `gate`: how often it passes or fails wrongly, and how often rightly."""

from __future__ import annotations

import warnings

import numpy as np

import fastmetrics
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.scenes import THRESHOLD, WORSE, Data, Scene

PART = "gates"
MEASURES = ("roc_auc", "accuracy")


def margins(scene: Scene) -> dict[str, float]:
    """Return what the worse model loses in the population: the margin of both rules."""
    from scipy.special import ndtr

    def values(d: float) -> tuple[float, float]:
        right = scene.share * ndtr(d - THRESHOLD) + (1 - scene.share) * ndtr(THRESHOLD)
        return float(ndtr(d / np.sqrt(2))), float(right)

    pairs = zip(values(scene.separation), values(WORSE), strict=True)
    return dict(zip(MEASURES, (better - worse for better, worse in pairs), strict=True))


def population(scene: Scene) -> dict[str, float]:
    """Return what the worse model has less of each measure."""
    return {f"{name} loss": value for name, value in margins(scene).items()}


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep what gates say of an equal candidate and of one that is worse by the margin."""
    from scipy.special import stdtrit

    scene = data.scene
    assert scene is not None
    for hypothesis in ("equal", "worse"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fastmetrics.gate(
                data.labels,
                {"baseline": data.scores, "candidate": data.others[hypothesis]},
                margins=margins(scene),
                threshold=THRESHOLD,
                groups=data.groups,
            )
        for rule in found:
            name = rule.metric
            out.pvalues[hypothesis, f"{name}, PASS"] = rule.pvalue_noninferior
            out.pvalues[hypothesis, f"{name}, FAIL"] = rule.pvalue_worse
        worst = max(rule.pvalue_noninferior for rule in found)
        out.pvalues[hypothesis, "both rules, PASS"] = worst
        least = min(rule.pvalue_worse for rule in found)
        out.pvalues[hypothesis, "both rules, FAIL"] = least
        if hypothesis == "worse":
            for rule in found:
                half = stdtrit(rule.df, 0.975) * rule.standard_error
                limits = rule.loss - half, rule.loss + half
                out.intervals[f"{rule.metric} loss", "gate, at 95 %"] = limits
