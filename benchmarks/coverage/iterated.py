"""The part of the study on an iterated bootstrap, which was tried and is not offered.

Of each replicate replicates are drawn; where the estimate lies among those of each says which
quantiles of the first ones are to be taken (Beran 1987, Biometrika 74:457-468). Tried of KS, and of
what is chosen on the same rows: TPR at the best threshold, and what the cheapest one costs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

import fastmetrics
from benchmarks.coverage.costs import COST_FN
from benchmarks.coverage.estimates import METHOD, limits_of
from benchmarks.coverage.measured import LEVEL, NOTHING, Cost, Limits, Measured
from benchmarks.coverage.scenes import Data, Scene

PART, ITERATED = "iterated", "iterated bootstrap"
KS, RATE, LEAST = METRICS = ("ks_statistic", "true_positive_rate", "least cost, one price")
#: What each is called, and the method that the library has for it.
TAKEN: Final = {
    KS: ("KS", METHOD),
    RATE: ("TPR at the best threshold", "percentile"),
    LEAST: ("the cheapest threshold's cost", "left out"),
}


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep the limits of an iterated bootstrap, and those that the library has."""
    labels, scores = data.labels, data.scores
    own = fastmetrics.estimate(labels, scores, metrics=KS, n_threads=1)[KS]
    has_both = len(set(labels.tolist())) == 2
    found = [NOTHING] * len(METRICS)
    if has_both:
        found = _limits(data, rng, *n_replicates(cost.n_resamples))
    out.intervals.update({(name, ITERATED): of for name, of in zip(METRICS, found, strict=True)})
    prices: dict[str, Any] = {"cost_fn": np.full(len(labels), COST_FN), "cost_fp": 1}
    left_out = fastmetrics.costs.threshold_cost_interval(labels, scores, **prices)
    out.intervals[KS, METHOD] = limits_of(own)
    out.intervals[LEAST, "left out"] = limits_of(left_out)
    out.intervals[RATE, "percentile"] = NOTHING
    if has_both:
        of_rate = fastmetrics.bootstrap(
            labels,
            scores,
            metrics={RATE: ("best_threshold", {"of": RATE})},
            method="percentile",
            n_resamples=cost.n_resamples,
            rng=rng,
            n_threads=1,
        )
        out.intervals[RATE, "percentile"] = limits_of(of_rate[RATE])


def population(scene: Scene) -> dict[str, float]:
    """Return what the limits are of."""
    from benchmarks.coverage import populations

    parts = {"main": KS, "choice": RATE, "costs": LEAST}
    return {
        name: populations.population(Scene(part, scene.n, scene.share))[name]
        for part, name in parts.items()
    }


def n_replicates(n_resamples: int) -> tuple[int, int]:
    """Return how many replicates there are, and of each of them."""
    return n_resamples // 2, n_resamples // 5


def _limits(data: Data, rng: np.random.Generator, n_outer: int, n_inner: int) -> list[Limits]:
    labels = data.labels[np.argsort(-data.scores)]
    tails = (1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0
    found = []
    for values, ranks in zip(*_replicates(labels, n_outer, n_inner, rng), strict=True):
        low, high = np.nanquantile(values, np.quantile(ranks, tails))
        found.append((float(low), float(high)))
    return found


@njit(cache=True)  # type: ignore[untyped-decorator]
def _replicates(labels, n_outer, n_inner, rng):  # type: ignore[no-untyped-def]
    """Return the measures of replicates, and the share of theirs that is at most the estimate."""
    n, own = len(labels), np.empty(len(labels), np.int64)
    counts = np.ones(n, np.int64)
    estimate = _measures(counts, labels)
    values, ranks = np.empty((3, n_outer)), np.zeros((3, n_outer))
    for b in range(n_outer):
        counts[:] = 0
        for i in range(n):
            own[i] = int(rng.random() * n)
            counts[own[i]] += 1
        values[:, b] = _measures(counts, labels)
        for _ in range(n_inner):
            counts[:] = 0
            for _ in range(n):
                counts[own[int(rng.random() * n)]] += 1
            ranks[:, b] += _measures(counts, labels) <= estimate
    return values, ranks / n_inner


@njit(cache=True)  # type: ignore[untyped-decorator]
def _measures(counts, labels):  # type: ignore[no-untyped-def]
    """Return the measures of rows in the order of their scores, by how often each was drawn."""
    total, positive = counts.sum(), (counts * labels).sum()
    negative = total - positive
    if positive * negative == 0:  # a class was not drawn
        return np.full(3, np.nan)
    tp, fp, gap, at_best, least = 0, 0, 0, 0, COST_FN * positive
    for i in range(len(labels)):
        if labels[i] == 1:
            tp += counts[i]
        else:
            fp += counts[i]
        if tp * negative - fp * positive > gap:
            gap, at_best = tp * negative - fp * positive, tp
        least = min(least, COST_FN * (positive - tp) + fp)
    return np.array([gap / (positive * negative), at_best / positive, least / total])
