"""Concordance in the coverage study: censored times.

Row i has x ~ N(0, 1), an event at rate exp(x) and is censored at rate 1/2, as 36 of 100 are, or 2.
The index of x in the population is an integral over pairs of rates a and b: row a has the first
event, seen, with probability a / (a + b + 1), where they are censored at rate 1/2.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage.calibration import where_short
from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import bullets, interval_tables, show_share, table
from benchmarks.coverage.measured import Study
from benchmarks.coverage.scenes import Scene
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning

PART = "concordance"
METHOD, OF_OTHERS = "influence", "influence, others' censoring"
TRAINING = 1_000
TESTS = ("compare",)
CENSORING, HEAVY = 0.5, 2.0
TAU = 1.0
INDEX, UNO = "concordance index", "concordance index, Uno"


@dataclass(frozen=True)
class ConcordanceScene(Scene):
    """Rows of censored times, censored at a rate."""

    censoring: float = CENSORING

    @property
    def name(self) -> str:
        heavy = f", {share_censored(self.censoring):.0%} censored"
        return f"{self.n:,} rows{heavy if self.censoring > CENSORING else ''}"


@cache
def share_censored(rate: float) -> float:
    """Return the share of rows that are censored at a rate."""
    x, weight = np.polynomial.hermite_e.hermegauss(80)
    return float((weight * rate / (rate + np.exp(x))).sum() / weight.sum())


SCENES = (
    *(ConcordanceScene(PART, n, 0.5) for n in (30, 100, 1_000)),
    *(ConcordanceScene(PART, n, 0.5, censoring=HEAVY) for n in (60, 400)),
)


def draw_columns(n: int, rng: np.random.Generator, rate: float = CENSORING) -> dict[str, Any]:
    """Return time, event, x, and two exchangeable scores."""
    x = rng.standard_normal(n)
    until_event, until_censored = rng.standard_exponential((2, n)) / [np.exp(x), [rate] * n]
    noise = rng.standard_normal((2, n))
    return {
        "time": np.minimum(until_event, until_censored),
        "event": until_event <= until_censored,
        "x": x,
        "first": x + noise[0],
        "second": x + noise[1],
    }


@cache
def population(rate: float = CENSORING) -> dict[str, float]:
    """Return the metrics in the population."""
    mean, mean_weight = np.polynomial.hermite_e.hermegauss(80)  # of (x1 + x2) / sqrt 2
    gap, gap_weight = np.polynomial.legendre.leggauss(200)  # of (x1 - x2) / sqrt 2, up to 9
    gap = 4.5 * (gap + 1)
    weight = np.outer(mean_weight, gap_weight * np.exp(-(gap**2) / 2))
    high, low = (np.exp(np.add.outer(mean, way * gap) / math.sqrt(2)) for way in (1, -1))
    both = high + low
    seen, before = 1 / (both + 2 * rate), -np.expm1(-both * TAU)
    return {
        INDEX: float((weight * high * seen).sum() / (weight * both * seen).sum()),
        UNO: float((weight * high / both * before).sum() / (weight * before).sum()),
    }


def measure(scene: ConcordanceScene, rng: np.random.Generator, out: Any) -> None:
    """Draw a data set and compute intervals and tests of it."""
    with warnings.catch_warnings():  # counted, not told 2,000 times
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.simplefilter("ignore", DegenerateDataWarning)
        _measure(scene, rng, out)


def _measure(scene: ConcordanceScene, rng: np.random.Generator, out: Any) -> None:
    columns = draw_columns(scene.n, rng, scene.censoring)
    data: Any = (columns["time"], columns["event"])
    x = columns["x"]
    direction = {"higher_score_means": "shorter-time"}
    indices = {
        INDEX: ("concordance_index", direction),
        UNO: ("concordance_index", direction | {"weighting": "uno", "tau": TAU}),
    }
    estimates = fastmetrics.estimate(data[0], x, event=data[1], metrics=indices, n_threads=1)
    for name, each in estimates.items():
        limits = each.confidence_interval
        out.intervals[name, METHOD] = float(limits.low), float(limits.high)
    pair = {name: columns[name] for name in ("first", "second")}
    index = fastmetrics.compare(
        data[0], pair, event=data[1], metrics={INDEX: indices[INDEX]}, n_threads=1
    )
    out.pvalues["equal", TESTS[0]] = index[INDEX].pairs[0].pvalue
    training = draw_columns(TRAINING, rng, scene.censoring)
    of = {"censoring": (training["time"], training["event"])}
    one = fastmetrics.estimate(
        data[0], x, event=data[1], metrics=("concordance_index", indices[UNO][1] | of), n_threads=1
    )["concordance_index"].confidence_interval
    out.intervals[UNO, OF_OTHERS] = float(one.low), float(one.high)


_TITLES = {
    INDEX: "### Harrell's concordance index",
    UNO: "### Uno's concordance index",
}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    texts = ["## Concordance\n", _HEAD]
    for metric, title in _TITLES.items():
        rows = study.find(PART, metric)
        texts += [f"{title}\n", interval_tables(rows), bullets([where_short(rows)])]
    of = [row for row in study.tests if row.part == PART]
    scenes = list(dict.fromkeys(row.scene for row in of))
    cell = {(row.test, row.scene): row for row in of}
    lines = [[f"`{test}`", *(show_share(cell[test, scene]) for scene in scenes)] for test in TESTS]
    heads = ["rejected at 5 % though equal, %", *map(show_scene, scenes)]
    return "\n".join([*texts, "### Two models\n", table(heads, lines)])


_HEAD = f"""A row's event comes at rate exp(x), x being normal, and is censored at rate
{CENSORING:g}, as about a third are, or {HEAVY:g}; scored is x. Uno's index
is of pairs up to time {TAU:g}. Intervals are those of `estimate`, by influences; the
test is that of `compare`. "Others' censoring" takes the share not censored from
{TRAINING:,} other rows (`censoring=`) as known. The two models that are compared see x
with noise of their own. Rank correlation is among what `estimate` measures.
"""
