"""The part of the study on rows with several labels: means over labels, and two equal models.

A label is positive where a normal number is among the largest of its share; scores are binormal,
turned into the chance that a row is positive. Half of the variance of these numbers, and of the
scores given the label, is common to the labels of a row or to the rows of a group, where a scene
says so.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import fastmetrics
from benchmarks.coverage.estimates import limits_of
from benchmarks.coverage.findings import AIM, join, listed, percent
from benchmarks.coverage.layout import show_coverage, show_share, show_width, table_by_scene
from benchmarks.coverage.measured import Measured, Study
from benchmarks.coverage.scenes import CORRELATION, Scene

PART: Final = "multilabel"
METHOD: Final = "default"
BIASED: Final = "average_precision_macro"
#: Measures, and what they are called, in the order of `evaluate`.
METRICS: Final = {
    "roc_auc_macro": "macro AUC",
    BIASED: "macro average precision",
    "brier_score": "Brier score",
    "f1_macro": "macro F1",
    "f1_micro": "micro F1",
    "subset_accuracy": "subset accuracy",
    "hamming_loss": "Hamming loss",
}
#: From which chance on a label is called.
THRESHOLD: Final = 0.2
#: Rows of a class below which a note says of a label that no interval is sure.
FEW: Final = 30
MANY: Final = 1_000_000
#: Cells of as many rows at most: of more labels fewer rows tell what their means are.
MOST: Final = 30_000_000
#: Separation of a model that is unlike, and the difference to it that is measured.
UNLIKE: Final = 3.0
OF_UNLIKE: Final = f"{BIASED} difference"
_COMMON: Final = 0.5


@dataclass(frozen=True)
class LabelScene(Scene):
    """Rows with ``labels`` labels of ``share`` to ``most`` of the rows, correlated or not."""

    labels: int = 4
    most: float = 0.0
    are_correlated: bool = False

    @property
    def name(self) -> str:
        """What the scene is called, in tables and in the seed."""
        rows = f"{self.users} groups of {self.n // self.users}" if self.users else f"{self.n:,}"
        shares = f"{100 * self.share:g}" + f" to {100 * self.most:g}" * (self.most > 0)
        correlated = ", correlated" * self.are_correlated
        return f"{rows} rows, {self.labels} labels of {shares}%{correlated}"

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of positives of each label."""
        return np.linspace(self.share, self.most or self.share, self.labels)

    @property
    def is_of_few(self) -> bool:
        """Whether so few positives of each label are expected that a note names it."""
        return self.n * max(self.shares) < FEW

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """Group of each row, of scenes that have groups."""
        return np.arange(self.n) * self.users // self.n if self.users else None

    def normal(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return a normal number for each label of each row."""
        own = rng.standard_normal((self.n, self.labels))
        if self.users:
            common = rng.standard_normal((self.users, self.labels))[self.groups]
        elif self.are_correlated:
            common = rng.standard_normal((self.n, 1))
        else:
            return own
        return math.sqrt(_COMMON) * common + math.sqrt(1 - _COMMON) * own


SCENES: Final = (
    LabelScene(PART, 100, 0.3),
    LabelScene(PART, 1_000, 0.02, labels=10, most=0.2, thinned=2),
    LabelScene(PART, 1_000, 0.05, labels=30, thinned=2),
    LabelScene(PART, 300, 0.1, labels=20, are_correlated=True, thinned=2),
    LabelScene(PART, 300, 0.3, users=60),
    LabelScene(PART, 1_000, 0.05, labels=100, thinned=10),
    LabelScene(PART, 1_000, 0.02, labels=100, thinned=10),
)


def draw(
    scene: LabelScene, rng: np.random.Generator
) -> tuple[NDArray[np.int8], dict[str, NDArray[np.float64]]]:
    """Return labels, and the chances that a model, one exchangeable and one unlike give them."""
    from scipy.special import expit, logit, ndtri

    labels = (scene.normal(rng) < ndtri(scene.shares)).astype(np.int8)
    own, other = scene.normal(rng), scene.normal(rng)
    other = CORRELATION * own + math.sqrt(1 - CORRELATION**2) * other
    d = scene.separation
    return labels, {
        name: expit(d * (apart * labels + noise) - d * d / 2 + logit(scene.shares))
        for name, apart, noise in (
            ("model", d, own),
            ("equal", d, other),
            ("unlike", UNLIKE, other),
        )
    }


@cache
def population(scene: LabelScene) -> dict[str, float]:
    """Return the metrics of very many rows, whose own error is far below that of a data set."""
    more = max(1, min(MANY, MOST // scene.labels) // scene.n)
    many = replace(scene, n=scene.n * more, users=scene.users * more)
    labels, models = draw(many, np.random.default_rng(1))
    options = {"metrics": list(METRICS), "threshold": THRESHOLD}
    model = fastmetrics.evaluate(labels, models["model"], **options)[0]
    truth = {name: one.estimate for name, one in model.items()}
    return truth | {OF_UNLIKE: _of_unlike(labels, models).estimate}


def _of_unlike(labels: Any, models: dict[str, Any], **rows: Any) -> Any:
    """Return the model less one that is unlike, by the mean of average precision."""
    two = {name: models[name] for name in ("model", "unlike")}
    found = fastmetrics.evaluate(labels, two, metrics=[BIASED], **rows)
    assert found.comparisons is not None
    return found.comparisons[BIASED].pairs[0]


def measure(scene: LabelScene, rng: np.random.Generator, out: Measured) -> None:
    """Keep the intervals of the model, and whether it is told from its equal."""
    labels, models = draw(scene, rng)
    two = {name: models[name] for name in ("model", "equal")}
    options: dict[str, Any] = {"threshold": THRESHOLD, "groups": scene.groups}
    with warnings.catch_warnings():  # counted, not told 2,000 times
        warnings.simplefilter("ignore")
        result = fastmetrics.evaluate(labels, two, metrics=list(METRICS), **options)
        unlike = _of_unlike(labels, models, groups=scene.groups)
    assert result.comparisons is not None
    for name in METRICS:
        one = result["model"][name]
        out.intervals[name, METHOD] = limits_of(one)
        out.estimates[name] = one.estimate
        out.pvalues["equal", name] = result.comparisons[name]["model", "equal"].pvalue
    out.intervals[OF_UNLIKE, METHOD] = limits_of(unlike)


def section(study: Study) -> str:
    """Return the section, a heading first: coverage, widths, and equal models told apart."""
    rows = [row for row in study.intervals if row.part == PART]
    tests = [row for row in study.tests if row.part == PART]
    names = METRICS | {OF_UNLIKE: "difference of macro average precision"}
    coverage = {(row.scene, row.metric): show_coverage(row) for row in rows}
    widths = {(row.scene, row.metric): show_width(row) for row in rows}
    rejected = {(row.scene, row.test): show_share(row) for row in tests}
    n_data = {row.scene: f"{row.n_data:,}" for row in rows}
    bias = [
        f"{(row.mean - row.target) / row.standard_deviation:+.1f}"
        for row in study.estimates
        if (row.part, row.metric) == (PART, BIASED)
    ]
    head = _HEAD.format(
        n_data=join([*n_data.values()]),
        threshold=THRESHOLD,
        aim=percent(AIM),
        below=listed([row for row in rows if row.coverage < AIM]),
        bias=", ".join(bias),
        few=FEW,
        unlike=f"{UNLIKE:g}",
        most=percent(max(row.share for row in tests)),
    )
    return "\n".join(
        [
            "## Rows with several labels\n",
            head,
            table_by_scene("coverage, %", names, coverage),
            table_by_scene("mean width", names, widths),
            table_by_scene("equal models told apart at 5 %, %", METRICS, rejected),
        ]
    )


_HEAD = """`evaluate` of a matrix of labels with `threshold={threshold}`, and `groups=` where there
are groups; {n_data} data sets, line by line. The score of a
label is binormal (separation 1.5), turned into the chance that the row has it. Labels are
independent, but where half of the variance of their cause, and of the scores, is common to all
labels of a row ("correlated") or to the rows of a group. The difference is that to a model whose
scores are {unlike} apart. Targets are the values of a million rows, of 100 labels of
300,000.

Below {aim} %: {below}.
Average precision of few positives is too large, as each counts itself among those above it; a mean
of many labels keeps the bias, but varies less: by {bias} of its standard deviation, line by
line. F1 of few positives is too small, as its denominator varies with it. Limits take
both in. A note names labels of fewer than {few} rows of a class, of which no interval is sure.

Of two models whose scores are exchangeable one is called better in at most {most} % of data sets;
5 % are asked.
"""
