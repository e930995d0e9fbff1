"""Concordance in the coverage study: censored times, and ranks of normal pairs.

Row i has x ~ N(0, 1), an event at rate exp(x) and is censored at rate 1/2, as 36 of 100 are;
"outcome" is normal with correlation 1/2 to x. The index of x in the population is an integral over
pairs of rates a and b: row a has the first event, seen, with probability a / (a + b + 1).
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage.scenes import Scene

PART = "concordance"
METHOD = "jackknife"
TESTS = ("concordance_index_test", "concordance_test")
CENSORING = 0.5
TAU = 1.0
CORRELATED = 0.5
INDEX, UNO, KENDALL = "concordance index", "concordance index, Uno", "kendall_tau"
MEASURES = (INDEX, UNO, KENDALL)


class ConcordanceScene(Scene):
    """Rows of censored times and of ranks."""

    @property
    def name(self) -> str:
        return f"{self.n:,} rows"


SCENES = tuple(ConcordanceScene(PART, n, 0.5) for n in (30, 100, 1_000))


def draw_columns(n: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return time, event, x, two exchangeable scores, and the normal outcome."""
    x = rng.standard_normal(n)
    until_event, until_censored = rng.standard_exponential((2, n)) / [np.exp(x), [CENSORING] * n]
    noise = rng.standard_normal((3, n))
    return {
        "time": np.minimum(until_event, until_censored),
        "event": until_event <= until_censored,
        "x": x,
        "first": x + noise[0],
        "second": x + noise[1],
        "outcome": CORRELATED * x + math.sqrt(1 - CORRELATED**2) * noise[2],
    }


@cache
def population() -> dict[str, float]:
    """Return the measures in the population."""
    mean, mean_weight = np.polynomial.hermite_e.hermegauss(80)  # of (x1 + x2) / sqrt 2
    gap, gap_weight = np.polynomial.legendre.leggauss(200)  # of (x1 - x2) / sqrt 2, up to 9
    gap = 4.5 * (gap + 1)
    weight = np.outer(mean_weight, gap_weight * np.exp(-(gap**2) / 2))
    high, low = (np.exp(np.add.outer(mean, way * gap) / math.sqrt(2)) for way in (1, -1))
    both = high + low
    seen, before = 1 / (both + 2 * CENSORING), -np.expm1(-both * TAU)
    return {
        INDEX: float((weight * high * seen).sum() / (weight * both * seen).sum()),
        UNO: float((weight * high / both * before).sum() / (weight * before).sum()),
        KENDALL: 2 / math.pi * math.asin(CORRELATED),
    }


def measure(scene: ConcordanceScene, rng: np.random.Generator, out: Any) -> None:
    """Draw a data set and compute intervals and tests of it."""
    columns = draw_columns(scene.n, rng)
    data: Any = (columns["time"], columns["event"])
    how: Any = {"higher_score_means": "shorter-time", "n_threads": 1}
    x, outcome = columns["x"], columns["outcome"]
    found = {
        INDEX: fastmetrics.concordance_index_interval(*data, x, **how),
        UNO: fastmetrics.concordance_index_interval(*data, x, weighting="uno", tau=TAU, **how),
        KENDALL: fastmetrics.concordance_interval(outcome, x, n_threads=1),
    }
    for name, each in found.items():
        limits = each.confidence_interval
        out.intervals[name, METHOD] = float(limits.low), float(limits.high)
    pair = {name: columns[name] for name in ("first", "second")}
    index = fastmetrics.concordance_index_test(*data, pair, **how)
    ranks = fastmetrics.concordance_test(outcome, pair, n_threads=1)
    for name, test in zip(TESTS, (index, ranks), strict=True):
        out.pvalues["equal", name] = test.pairs[0].pvalue
