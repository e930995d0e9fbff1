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
from benchmarks.coverage.measured import Measured
from benchmarks.coverage.scenes import CORRELATION, Scene

PART: Final = "multilabel"
METHOD: Final = "default"
BIASED: Final = "average_precision_macro"
#: Measures, and what they are called, in the order of `evaluate`.
MEASURES: Final = {
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
    """Return the measures of very many rows, whose own error is far below that of a data set."""
    more = max(1, min(MANY, MOST // scene.labels) // scene.n)
    many = replace(scene, n=scene.n * more, users=scene.users * more)
    labels, models = draw(many, np.random.default_rng(1))
    asked = scene.asked([*MEASURES, OF_UNLIKE])
    of_labels = [name for name in asked if name != OF_UNLIKE]
    found = {}
    if of_labels:
        options = {"metrics": of_labels, "threshold": THRESHOLD}
        model = fastmetrics.evaluate(labels, models["model"], **options)[0]
        found = {name: one.estimate for name, one in model.items()}
    if OF_UNLIKE in asked:
        found[OF_UNLIKE] = _of_unlike(labels, models).estimate
    return found


def _of_unlike(labels: Any, models: dict[str, Any], **rows: Any) -> Any:
    """Return the model less one that is unlike, by the mean of average precision."""
    two = {name: models[name] for name in ("model", "unlike")}
    found = fastmetrics.evaluate(labels, two, metrics=[BIASED], **rows)
    assert found.comparisons is not None
    return found.comparisons[BIASED].pairs[0]


def measure(scene: LabelScene, rng: np.random.Generator, out: Measured) -> None:
    """Keep the intervals of the model, and whether it is told from its equal."""
    labels, models = draw(scene, rng)
    asked = scene.asked([*MEASURES, OF_UNLIKE])
    of_labels = [name for name in asked if name != OF_UNLIKE]
    with warnings.catch_warnings():  # counted, not told 2,000 times
        warnings.simplefilter("ignore")
        if of_labels:
            two = {name: models[name] for name in ("model", "equal")}
            options: dict[str, Any] = {"threshold": THRESHOLD, "groups": scene.groups}
            found = fastmetrics.evaluate(labels, two, metrics=of_labels, **options)
            assert found.comparisons is not None
        for name in of_labels:
            one = found["model"][name]
            out.intervals[name, METHOD] = limits_of(one)
            out.estimates[name] = one.estimate
            out.pvalues["equal", name] = found.comparisons[name]["model", "equal"].pvalue
        if OF_UNLIKE in asked:
            unlike = _of_unlike(labels, models, groups=scene.groups)
            out.intervals[OF_UNLIKE, METHOD] = limits_of(unlike)
