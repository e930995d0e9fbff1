"""The part of the study on unkind data, other levels and limits on one side.

Scores are normal, of heavy tails (Student's t with 3 degrees of freedom), of unequal spread or
skew (exponential); numbers have errors of heavy tails.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

import fastmetrics
from benchmarks.coverage.estimates import METHOD, limits_of
from benchmarks.coverage.findings import data_sets, percent, show_scene
from benchmarks.coverage.layout import show_coverage, table
from benchmarks.coverage.measured import Study
from benchmarks.coverage.scenes import SPREAD, THRESHOLD, Scene

PART: Final = "levels"
OF_SCORES: Final = ("roc_auc", "average_precision", "accuracy", "recall", "precision", "f1")
OF_VALUES: Final = ("mean_absolute_error", "root_mean_squared_error", "r2", "kendall_tau")
#: What is asked beside both limits at 95 %, and how often it may miss.
OTHERS: Final[dict[str, tuple[dict[str, Any], float]]] = {
    "both limits, 90 %": ({"confidence_level": 0.9}, 0.1),
    "both limits, 99 %": ({"confidence_level": 0.99}, 0.01),
    "lower limit, 95 %": ({"alternative": "greater"}, 0.05),
    "upper limit, 95 %": ({"alternative": "less"}, 0.05),
}
_MANY: Final = 1_000_000

Draw = Callable[[np.random.Generator, Any], Any]
#: The score of a row, by whether it is positive.
SCORES: Final[dict[str, Draw]] = {
    "normal": lambda rng, y: 1.5 * y + rng.standard_normal(len(y)),
    "heavy tails": lambda rng, y: 1.5 * y + rng.standard_t(3, len(y)),
    "unequal spread": lambda rng, y: 1.5 * y + np.where(y, SPREAD, 1.0) * rng.normal(size=len(y)),
    "skewed": lambda rng, y: np.where(y, 3.0, 1.0) * rng.standard_exponential(len(y)),
}
VALUES: Final = "errors of heavy tails"


@dataclass(frozen=True)
class LevelScene(Scene):
    """Rows of one kind: a name of `SCORES`, or `VALUES`."""

    kind: str = "normal"

    @property
    def name(self) -> str:
        if self.kind == VALUES:
            return f"{self.n:,} rows, {VALUES}"
        return super().name + ("" if self.kind == "normal" else f", {self.kind}")


SCENES: Final = (
    *(LevelScene(PART, n, share, thinned=2) for n, share in ((100, 0.5), (1_000, 0.05))),
    *(LevelScene(PART, n, 0.01, thinned=thinned) for n, thinned in ((10_000, 4), (100_000, 10))),
    *(
        LevelScene(PART, n, share, kind=kind, thinned=2)
        for kind in ("heavy tails", "unequal spread", "skewed")
        for n, share in ((100, 0.5), (1_000, 0.05))
    ),
    *(LevelScene(PART, n, 0.5, kind=VALUES, thinned=2) for n in (100, 1_000)),
)


def _estimates(scene: LevelScene, rng: np.random.Generator) -> Callable[..., Any]:
    """Draw a data set; return what estimates its metrics at a level, on a side."""
    if scene.kind == VALUES:
        x = rng.standard_normal(scene.n)
        y = x + rng.standard_t(3, scene.n) / 2
        return lambda **asked: fastmetrics.estimate(y, x, metrics=OF_VALUES, n_threads=1, **asked)
    labels = (rng.random(scene.n) < scene.share).astype(np.int8)
    scores = SCORES[scene.kind](rng, labels)
    return lambda **asked: fastmetrics.estimate(
        labels, scores, metrics=OF_SCORES, threshold=THRESHOLD, pos_label=1, n_threads=1, **asked
    )


@cache
def population(scene: LevelScene) -> dict[str, float]:
    """Return the metrics in the population, by integrals; Kendall's tau by very many rows."""
    from scipy import stats
    from scipy.integrate import quad

    if scene.kind == VALUES:
        tau = _estimates(replace(scene, n=_MANY), np.random.default_rng(1))()["kendall_tau"]
        squares = 3.0 / 4.0  # of half of Student's t with 3 degrees of freedom
        return {
            "mean_absolute_error": math.sqrt(3.0) / math.pi,
            "root_mean_squared_error": math.sqrt(squares),
            "r2": 1.0 - squares / (1.0 + squares),
            "kendall_tau": tau.estimate,
        }
    negative, positive = {
        "normal": (stats.norm(), stats.norm(1.5)),
        "heavy tails": (stats.t(3), stats.t(3, 1.5)),
        "unequal spread": (stats.norm(), stats.norm(1.5, SPREAD)),
        "skewed": (stats.expon(), stats.expon(scale=3.0)),
    }[scene.kind]

    def called(threshold: float) -> tuple[float, float]:
        share = scene.share
        return share * positive.sf(threshold), (1 - share) * negative.sf(threshold)

    def mean(function: Callable[[float], float]) -> float:
        """Return the mean over the scores of positives, from where each share of them ends."""
        return float(quad(lambda u: function(float(positive.isf(u))), 0, 1, limit=400)[0])

    def precision(threshold: float) -> float:
        tp, fp = called(threshold)
        return tp / (tp + fp) if tp + fp > 0 else 1.0

    tp, fp = called(THRESHOLD)
    return {
        "roc_auc": mean(negative.cdf),
        "average_precision": mean(precision),
        "accuracy": tp + 1 - scene.share - fp,
        "recall": tp / scene.share,
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (tp + fp + scene.share),
    }


def measure(scene: LevelScene, rng: np.random.Generator, out: Any) -> None:
    """Keep both limits at 95 %, and whether others miss the value in the population."""
    truth, estimates = population(scene), _estimates(scene, rng)
    with warnings.catch_warnings():  # counted, not told 2,000 times
        warnings.simplefilter("ignore")
        for name, each in estimates().items():
            out.intervals[name, METHOD] = limits_of(each)
        for what, (asked, _) in OTHERS.items():
            for name, each in estimates(**asked).items():
                low, high = limits_of(each)
                is_held = not math.isnan(low) and low <= truth[name] <= high
                out.pvalues[what, name] = float(is_held)  # a miss is counted as a rejection


def section(study: Study) -> str:
    """Return the section, a heading first: coverage at 95 %, misses of the others."""
    rows = [row for row in study.intervals if row.part == PART]
    texts = ["## Unkind data, other levels, one side\n", _HEAD.format(n_data=data_sets(rows))]
    for metrics in (OF_SCORES, OF_VALUES):
        cell = {(row.metric, row.scene): row for row in rows if row.metric in metrics}
        scenes = list(dict.fromkeys(scene for _, scene in cell))
        lines = [[show_scene(s), *(show_coverage(cell[m, s]) for m in metrics)] for s in scenes]
        heads = ["both limits, 95 %: coverage, %", *(f"`{m}`" for m in metrics)]
        texts.append(table(heads, lines))
        missed = {
            (row.hypothesis, row.test, row.scene): row for row in study.tests if row.part == PART
        }
        for what, (_, asked) in OTHERS.items():
            lines = []
            for scene in scenes:
                shares = [missed[what, metric, scene].share for metric in metrics]
                n = missed[what, metrics[0], scene].n_data
                too_many = asked + 2 * (asked * (1 - asked) / n) ** 0.5
                figures = [(f"**{percent(s)}**" if s > too_many else percent(s)) for s in shares]
                lines.append([show_scene(scene), *figures])
            heads = [f"{what}: misses, %; {percent(asked)} asked", *(f"`{m}`" for m in metrics)]
            texts.append(table(heads, lines))
    return "\n".join(texts)


_HEAD = f"""What `estimate` says without `method`, where data are less kind than in the main design.
Scores of "heavy tails" have Student's distribution with 3 degrees of freedom around the same means,
those of "unequal spread" twice the spread of negatives if positive; "skewed" ones are exponential,
of mean 1 and 3. Numbers have such errors of heavy tails. Decisions call a score of
{THRESHOLD:g} or more positive. An interval that is undefined misses; **bold** figures miss
too often by more than two binomial errors. A squared error of heavy tails has no variance of its
square: no interval by moments can hold there, and `note` of an estimate says where few rows carry
its error. Figures are of {{n_data}} data sets, the fewer the more rows.
"""
