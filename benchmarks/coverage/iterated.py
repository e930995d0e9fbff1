"""The part of the study on an iterated bootstrap of KS, which was tried and is not offered.

Of each replicate replicates are drawn; where the estimate lies among those of each says which
quantiles of the first ones are to be taken (Beran 1987, Biometrika 74:457-468).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage.estimates import METHOD, limits_of
from benchmarks.coverage.measured import LEVEL, Cost, Limits, Measured
from benchmarks.coverage.scenes import Data

PART, METRIC, ITERATED = "iterated", "ks_statistic", "iterated bootstrap"


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep the limits of an iterated bootstrap, and those of `estimate`."""
    found = fastmetrics.estimate(data.labels, data.scores, metrics=METRIC, n_threads=1)[METRIC]
    out.intervals[METRIC, METHOD] = limits_of(found)
    out.intervals[METRIC, ITERATED] = _limits(data, rng, *n_replicates(cost.n_resamples))


def n_replicates(n_resamples: int) -> tuple[int, int]:
    """Return how many replicates there are, and of each of them."""
    return n_resamples // 2, n_resamples // 5


def _limits(data: Data, rng: np.random.Generator, n_outer: int, n_inner: int) -> Limits:
    labels = data.labels[np.argsort(-data.scores)]
    n = len(labels)
    outer = rng.multinomial(n, np.full(n, 1.0 / n), size=n_outer)
    (value,), values = _gaps(np.ones((1, n)), labels), _gaps(outer, labels)
    ranks = np.array(
        [
            np.mean(_gaps(rng.multinomial(n, counts / n, size=n_inner), labels) <= value)
            for counts in outer
        ]
    )
    tails = (1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0
    low, high = np.nanquantile(values, np.quantile(ranks, tails))
    return float(low), float(high)


def _gaps(counts: Any, labels: Any) -> Any:
    """Return KS of rows in the order of their scores, by how often each was drawn."""
    rates = [np.cumsum(counts * (labels == code), axis=1) for code in (1, 0)]
    with np.errstate(invalid="ignore"):  # a class was not drawn
        one, other = (rate / rate[:, -1:] for rate in rates)
    return np.maximum((one - other).max(axis=1), 0.0)
