"""The part of the study on posteriors of measures of counts, beside the intervals of `estimate`."""

from __future__ import annotations

import warnings

import numpy as np

import fastmetrics
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.scenes import THRESHOLD, WORSE, Data, Scene

PART = "posteriors"
MEASURES = ("precision", "recall", "f1")


def population(scene: Scene) -> dict[str, float]:
    """Return each measure in the population, and less that of the worse model."""
    own, worse = (_values(scene.share, d) for d in (scene.separation, WORSE))
    return own | {f"{name} difference": own[name] - worse[name] for name in MEASURES}


def _values(share: float, separation: float) -> dict[str, float]:
    from scipy.special import ndtr

    tpr, fpr = float(ndtr(separation - THRESHOLD)), float(ndtr(-THRESHOLD))
    tp, fp = share * tpr, (1 - share) * fpr
    return {"precision": tp / (tp + fp), "recall": tpr, "f1": 2 * tp / (tp + fp + share)}


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep intervals of one model and of two, and how sure either is of a difference."""
    y, own = data.labels, (data.scores >= THRESHOLD).astype(np.int8)
    others = {name: (data.others[name] >= THRESHOLD).astype(np.int8) for name in ("equal", "worse")}
    for name in MEASURES:
        for hypothesis, other in others.items():
            found = fastmetrics.comparison.bayesian_count_test(
                y, own, other, metrics=name, n_resamples=4 * cost.n_resamples, rng=rng, pos_label=1
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pairs = fastmetrics.compare(
                    y, {"model": own, "other": other}, metrics=name, pos_label=1, rng=rng
                )[name]
            unsure = 1.0 - max(found.p_left, found.p_right)
            out.pvalues[hypothesis, f"{name}, posterior"] = unsure
            out.pvalues[hypothesis, f"{name}, compare"] = pairs.pairs[0].pvalue
        low, high = found.credible_interval_a
        out.intervals[name, "posterior"] = low, high
        out.intervals[name, "estimate"] = tuple(pairs["model"].confidence_interval)
        low, high = found.credible_interval
        out.intervals[f"{name} difference", "posterior"] = low, high
        out.intervals[f"{name} difference", "compare"] = tuple(pairs.pairs[0].confidence_interval)
