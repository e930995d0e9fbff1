"""The part of the study on costs: cheapest thresholds, what they cost, and net benefit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage.measured import Cost, Measured
from benchmarks.coverage.scenes import Data, Scene

#: What missing a positive costs, a false alarm costing 1; the spread of the logarithm of amounts
#: whose mean is that too.
COST_FN, SPREAD_OF_AMOUNTS = 5.0, 1.0
GRID = (0.1, 0.2, 0.3, 0.5)
#: What thresholds without a bound are cut to: no score is beyond.
_BOUND = 10.0
#: Probabilities are logistic in the scores, and calibrated where half are positive.
_SLOPE, _SHIFT = 1.5, -1.125
PRICES = ("one price", "amounts")
TITLES = {
    "cheapest threshold": "The cheapest threshold",
    "least cost": "The least cost, that of the cheapest threshold",
    "cost of a given threshold": "The cost of a threshold that was not chosen on the data",
    "net benefit": "Net benefit",
}


def population(scene: Scene) -> dict[str, float]:
    """Return the cheapest threshold, what it costs, and net benefits of both models."""
    from scipy.optimize import minimize_scalar

    def cost(threshold: float) -> float:
        tpr, fpr = _rates(threshold, scene.separation)
        return scene.share * COST_FN * (1 - tpr) + (1 - scene.share) * fpr

    found = minimize_scalar(cost, bounds=(-5.0, 7.0), method="bounded", options={"xatol": 1e-10})
    values: dict[str, float] = {"net benefit, t = 0.1 to 0.5 at once": 0.0}
    for prices in PRICES:
        values[f"cheapest threshold, {prices}"] = float(found.x)
        for title in ("least cost", "cost of a given threshold"):
            values[f"{title}, {prices}"] = float(found.fun)
        values[f"least cost, {prices}, on the data"] = float(found.fun)
    for t in GRID:
        values[f"net benefit, t = {t:g}"] = net_benefit(scene.share, scene.separation, t)
        worse = net_benefit(scene.share, 1.2, t)
        difference = values[f"net benefit, t = {t:g}"] - worse
        values[f"net benefit of two models, t = {t:g}"] = difference
    return values


def net_benefit(share: float, separation: float, t: float) -> float:
    """Return the net benefit in the population of acting from probability t on."""
    tpr, fpr = _rates((math.log(t / (1 - t)) - _SHIFT) / _SLOPE, separation)
    return share * tpr - (1 - share) * fpr * t / (1 - t)


def _rates(threshold: float, separation: float) -> tuple[float, float]:
    from scipy.special import ndtr

    return float(ndtr(separation - threshold)), float(ndtr(-threshold))


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep the intervals that there are, and those of a bootstrap, which are refused."""
    y, scores = data.labels, data.scores
    truth = population(data.scene) if data.scene is not None else {}
    amounts = COST_FN * rng.lognormal(-(SPREAD_OF_AMOUNTS**2) / 2, SPREAD_OF_AMOUNTS, len(y))
    for prices, cost_fn in zip(PRICES, (np.full(len(y), COST_FN), amounts), strict=True):
        best, least, fixed = (f"{title}, {prices}" for title in list(TITLES)[:3])
        given: dict[str, Any] = {"cost_fn": cost_fn, "cost_fp": 1, "groups": data.groups}
        found = fastmetrics.costs.threshold_cost_interval(y, scores, **given)
        out.estimates[least] = found.left_out_cost
        out.estimates[f"{least}, on the data"] = found.cost  # the biased one
        out.intervals[best, "not dearer"] = _cut(found.threshold_interval)
        out.intervals[least, "left out"] = _pair(found.confidence_interval)
        chosen = fastmetrics.costs.threshold_cost_interval(
            y, scores, threshold=truth[best], **given
        )
        out.intervals[fixed, "logarithm"] = _pair(chosen.confidence_interval)
        if len(set(y.tolist())) < 2:
            out.intervals |= {(each, "percentile"): (math.nan, math.nan) for each in (best, least)}
            continue
        asked = {
            name: ("best_threshold", {"criterion": "fewest-errors", "of": of})
            for name, of in ((best, "threshold"), (least, "value"))
        }
        replicates = fastmetrics.bootstrap(
            y,
            scores,
            metrics=asked,
            sample_weight=np.where(y == 1, cost_fn, 1.0),
            groups=data.groups,
            method="percentile",
            n_resamples=2 * cost.n_resamples // 5,
            rng=rng,
            n_threads=1,
        )
        out.intervals[best, "percentile"] = _cut(replicates[best].confidence_interval)
        low, high = replicates[least].confidence_interval
        out.intervals[least, "percentile"] = (low / len(y), high / len(y))
    _net_benefits(data, rng, truth, out)


def _net_benefits(
    data: Data, rng: np.random.Generator, truth: dict[str, float], out: Measured
) -> None:
    models = {
        name: 1 / (1 + np.exp(-(_SLOPE * scores + _SHIFT)))
        for name, scores in (("model", data.scores), ("worse", data.others["worse"]))
    }
    given: dict[str, Any] = {"thresholds": GRID, "groups": data.groups}
    curve = fastmetrics.costs.decision_curve(data.labels, models, **given)
    gap = fastmetrics.costs.decision_curve(data.labels, models, reference="worse", **given)
    band = fastmetrics.costs.decision_curve(
        data.labels, models, kind="simultaneous", rng=rng, **given
    )
    true = np.array([truth[f"net benefit, t = {t:g}"] for t in GRID])
    for i, t in enumerate(GRID):
        name = f"net benefit, t = {t:g}"
        out.intervals[name, "normal"] = (float(curve.low[0, i]), float(curve.high[0, i]))
        name = f"net benefit of two models, t = {t:g}"
        out.intervals[name, "normal"] = (float(gap.low[0, i]), float(gap.high[0, i]))
    # 0 lies between the two where the truth lies in the band at every threshold.
    away = float((band.low[0] - true).max()), float((band.high[0] - true).min())
    out.intervals["net benefit, t = 0.1 to 0.5 at once", "normal, simultaneous"] = away


def _pair(interval: Any) -> tuple[float, float]:
    return float(interval.low), float(interval.high)


def _cut(interval: Any) -> tuple[float, float]:
    """Return limits of a threshold, cut where no score is beyond: a mean width needs numbers."""
    low, high = _pair(interval)
    return (low if math.isnan(low) else max(low, -_BOUND)), min(high, _BOUND)
