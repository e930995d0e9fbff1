"""Every metric that `estimate` has an interval of, as the registry lists them: none is left out.

Two classes are those of the main design, with their probabilities, groups and weights; of three
classes each one's score is 1 higher for its rows, and the highest is called. Values are log-normal,
and so are their predictions; times are exponential, with hazards that scores know in part, and a
third is censored; queries are those of the rankings.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

import fastmetrics
from benchmarks.coverage.estimates import METHOD, chances_of, draw_classes, limits_of
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import bullets, show_coverage, table
from benchmarks.coverage.measured import IntervalRow, Study
from benchmarks.coverage.scenes import THRESHOLD, Scene, draw
from fastmetrics.errors import (
    DegenerateDataWarning,
    SmallSampleWarning,
    UndefinedMetricWarning,
)
from fastmetrics.metrics._metric import Metric
from fastmetrics.metrics.registry import METRICS

PART: Final = "every metric"
MANY: Final = 2_000_000
N_QUERIES: Final = 50_000
_PRICES: Final = {"cost_fn": 5.0, "cost_fp": 1.0}
#: What metrics need, or are no other metric without; of rankings the cut-off is 10.
PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "partial_auc": {"false_positive_rate_range": (0.0, 0.2)},
    "cost": _PRICES,
    "expected_cost": _PRICES | {"prevalence": 0.1},
    "net_benefit": {"threshold": 0.3},
    "mean_pinball_loss": {"alpha": 0.3},
    "d2_pinball_score": {"alpha": 0.3},
    "mean_tweedie_deviance": {"power": 1.5},
    "d2_tweedie_score": {"power": 1.5},
    "concordance_index": {"higher_score_means": "shorter-time"},
    "rank_biased_precision": {"persistence": 0.8},
} | {f"fbeta{mean}": {"beta": 2.0} for mean in ("", "_macro", "_micro", "_weighted")}
_AVERAGED: Final = ("_macro", "_micro", "_weighted", "_harmonic")


@dataclass(frozen=True)
class EveryScene(Scene):
    """Rows of one kind: a name of `KINDS`."""

    kind: str = "two classes"

    @property
    def name(self) -> str:
        if self.kind == "queries":
            return f"{self.users:,} queries"
        if self.kind != "two classes":
            return f"{self.n:,} rows, {self.kind}"
        return f"{self.n:,} rows, {self.users} groups" if self.users else super().name


SCENES: Final = (
    *(
        EveryScene(PART, n, share, thinned=4)
        for n, share in ((100, 0.5), (1_000, 0.5), (200, 0.05), (1_000, 0.05))
    ),
    EveryScene(PART, 160, 0.5, users=8, thinned=4),
    EveryScene(PART, 100, 0.5, spread=1.0, thinned=4),
    *(
        EveryScene(PART, n, 0.5, kind=kind, thinned=4)
        for kind in ("three classes", "values", "censored times")
        for n in (100, 1_000)
    ),
    *(EveryScene(PART, 20 * n, 0.15, users=n, kind="queries", thinned=4) for n in (20, 100)),
)


def _asked(metrics: list[Metric]) -> dict[str, tuple[str, dict[str, Any]]]:
    def parameters(one: Metric) -> dict[str, Any]:
        cut = {"k": 10} if one.family == "ranking" and "k" in one.parameters else {}
        return cut | PARAMETERS.get(one.name, {})

    return {one.name: (one.name, parameters(one)) for one in metrics}


def _chosen(which: Any) -> dict[str, tuple[str, dict[str, Any]]]:
    return _asked([one for one in METRICS.values() if one.influences and which(one)])


def _is_of_two(one: Metric) -> bool:
    return one.classes != 3 and not one.name.endswith(_AVERAGED)


OF_SCORES: Final = _chosen(lambda m: m.needs in ("scores", "labels") and _is_of_two(m))
OF_CHANCES: Final = _chosen(lambda m: m.needs == "probabilities" and _is_of_two(m))
OF_CALLS: Final = _chosen(lambda m: m.needs == "labels" and m.classes == 0 and m.name != "cost")
OF_CLASSES: Final = _chosen(
    lambda m: m.needs == "probabilities" and m.family in ("curves", "probabilities")
)
OF_VALUES: Final = _chosen(lambda m: m.needs in ("values", "nothing"))
OF_TIMES: Final = _chosen(lambda m: m.needs == "times")
OF_QUERIES: Final = _chosen(lambda m: m.needs == "rankings")


def _two_classes(scene: EveryScene, rng: np.random.Generator) -> dict[str, Any]:
    data = draw(scene, rng)
    chances = chances_of(scene, data.scores)
    rows: dict[str, Any] = {"groups": data.groups, "sample_weight": data.weights, "n_threads": 1}
    asked: dict[str, Any] = {"metrics": OF_SCORES, "threshold": THRESHOLD}
    found = dict(fastmetrics.estimate(data.labels, data.scores, **asked, **rows))
    return found | dict(fastmetrics.estimate(data.labels, chances, metrics=OF_CHANCES, **rows))


def _three_classes(scene: EveryScene, rng: np.random.Generator) -> dict[str, Any]:
    codes, chances = draw_classes(scene.n, rng)
    found = dict(fastmetrics.estimate(codes, chances, metrics=OF_CLASSES, n_threads=1))
    called = chances.argmax(axis=1)
    return found | dict(fastmetrics.estimate(codes, called, metrics=OF_CALLS, n_threads=1))


def _of_values(scene: EveryScene, rng: np.random.Generator) -> dict[str, Any]:
    x, e = rng.standard_normal((2, scene.n))
    y, p = np.exp(x / 2 + e / 4), np.exp(x / 2 + 1 / 32)
    return dict(fastmetrics.estimate(y, p, metrics=OF_VALUES, n_threads=1))


def _of_times(scene: EveryScene, rng: np.random.Generator) -> dict[str, Any]:
    score, noise = rng.standard_normal((2, scene.n))
    time = rng.exponential(np.exp(-score - noise / 2))
    ends = rng.exponential(2.0, scene.n)
    given: dict[str, Any] = {"event": time <= ends, "n_threads": 1}
    return dict(fastmetrics.estimate(np.minimum(time, ends), score, metrics=OF_TIMES, **given))


def _of_queries(scene: EveryScene, rng: np.random.Generator) -> dict[str, Any]:
    data = draw(replace(_plain(scene), part="rankings"), rng)
    given: dict[str, Any] = {"query": data.groups, "metrics": OF_QUERIES, "n_threads": 1}
    return dict(fastmetrics.estimate(data.labels, data.scores, **given))


def _plain(scene: EveryScene) -> Scene:
    return Scene(scene.part, scene.n, scene.share, users=scene.users)


KINDS: Final = {
    "two classes": _two_classes,
    "three classes": _three_classes,
    "values": _of_values,
    "censored times": _of_times,
    "queries": _of_queries,
}


@cache
def population(scene: EveryScene) -> dict[str, float]:
    """Return the metrics of very many rows, whose own error is far below that of a data set."""
    many = replace(scene, n=MANY, users=0, spread=0.0)
    if scene.kind == "queries":
        many = replace(scene, n=20 * N_QUERIES, users=N_QUERIES)
    found = KINDS[scene.kind](many, np.random.default_rng(1))
    return {name: each.estimate for name, each in found.items()}


def measure(scene: EveryScene, rng: np.random.Generator, out: Any) -> None:
    """Draw a data set and compute all its intervals."""
    with warnings.catch_warnings():  # counted, not told 2,000 times
        for kind in (UndefinedMetricWarning, DegenerateDataWarning, SmallSampleWarning):
            warnings.simplefilter("ignore", kind)
        for name, each in KINDS[scene.kind](scene, rng).items():
            out.intervals[name, METHOD] = limits_of(each)


#: The claim that is aimed at, for a level of 95 %, and what is too cautious.
AIM, CAUTIOUS = 0.935, 0.985


def section(study: Study) -> str:
    """Return the section, a heading first: a line for each metric, a column a kind of data."""
    rows = [row for row in study.intervals if row.part == PART]
    texts = ["## Every metric of `estimate`\n", _HEAD.format(n_data=rows[0].n_data)]
    kinds: dict[str, list[str]] = {}
    for scene in SCENES:
        kinds.setdefault(scene.kind, []).append(scene.name)
    for kind, scenes in kinds.items():
        cell = {(row.metric, row.scene): row for row in rows if row.scene in scenes}
        lines = [
            [f"`{metric}`", *(show_coverage(cell[metric, scene]) for scene in scenes)]
            for metric in dict.fromkeys(metric for metric, _ in cell)
        ]
        heads = ["coverage, %", *map(show_scene, scenes)]
        texts.append(f"### {kind[0].upper()}{kind[1:]}\n\n{table(heads, lines)}")
    short = sorted((r for r in rows if r.coverage < AIM), key=lambda row: row.coverage)
    wide = [row for row in rows if row.coverage > CAUTIOUS]
    said = [f"{_name(row)}: {percent(row.coverage)} %" for row in short]
    found = (
        f"Of {len(rows)} figures {len(short) or 'none'} lie below {percent(AIM)} %, and "
        f"{len(wide) or 'none'} above {percent(CAUTIOUS)} %."
    )
    texts.append(f"{found} Too low are:\n\n{bullets(said)}" if said else f"{found}\n")
    return "\n".join(texts)


def _name(row: IntervalRow) -> str:
    return f"`{row.metric}`, {show_scene(row.scene)}"


_HEAD = """The interval that `estimate` gives without `method`, of each metric that has influences:
none has an interval without a line here. Two classes are those of the main design, with its groups
and its weights; of three classes each one's score is 1 higher for its rows. Values are log-normal,
and so are predictions; times are exponential, a third of them censored; queries have 20 items each.
Targets are those of very many rows. Each figure is of {n_data:,} data sets.
"""
