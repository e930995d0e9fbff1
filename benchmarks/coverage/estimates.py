"""What `estimate` and `compare` say, by influences: binary scores, values and several classes.

Binary scores are those of the main design, and as probabilities what they mean there; grouped and
weighted rows as there, too. Values are x + e / 2 with predictions 0.8 x, all normal. Of three
classes each one's score is 1 higher for its rows; probabilities are their softmax.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import fastmetrics
from benchmarks.coverage.scenes import SHARES, SIZES, THRESHOLD, Data, Scene, draw
from fastmetrics.errors import (
    DegenerateDataWarning,
    SmallSampleWarning,
    UndefinedMetricWarning,
)

PART = "estimates"
METHOD = "estimate"
LARGEST_FPR = 0.2
PARTIAL = ("partial_auc", {"false_positive_rate_range": (0.0, LARGEST_FPR)})
CURVES = ("roc_auc", "average_precision", "pr_auc", "partial_auc", "ks_statistic")
DECISIONS = ("accuracy", "recall", "precision", "balanced_accuracy", "f1", "matthews_corrcoef")
LOSSES = ("brier_score", "log_loss")
VALUES = ("r2", "root_mean_squared_error", "mean_absolute_error", "kendall_tau")
CLASSES = ("roc_auc_ovr", "roc_auc_ovo", "accuracy", "f1_macro", "log_loss")
COMPARED = ("roc_auc", "average_precision", "ks_statistic", "f1", "log_loss")
N_CLASSES = 3
MANY = 4_000_000


@dataclass(frozen=True)
class EstimateScene(Scene):
    """Rows of one kind: "binary", "values" or "classes"."""

    kind: str = "binary"
    levels: int = 0
    """How many scores there are; 0 for continuous ones."""

    @property
    def name(self) -> str:
        if self.kind != "binary":
            return f"{self.n:,} rows, {self.kind}"
        if self.users:
            return f"{self.n:,} rows, {self.users} {'Zipf' if self.uneven else 'equal'} groups"
        ties = f", {self.levels} levels" if self.levels else ""
        near = ", near one" if self.separation > 2 else ""
        return super().name + near + ties


def _scene(n: int, share: float = 0.5, **more: Any) -> EstimateScene:
    return EstimateScene(PART, n, share, thinned=2, **more)


SCENES = (
    *(_scene(n, share) for share in SHARES for n in SIZES),
    _scene(1_000, 0.01),
    _scene(100, separation=3.0),
    _scene(100, levels=5),
    _scene(160, users=8),
    _scene(150, users=15, uneven=True),
    _scene(500, users=50, uneven=True),
    _scene(100, spread=1.0),
    *(_scene(n, kind="values") for n in SIZES),
    *(_scene(n, kind="classes") for n in SIZES[1:]),
)


def chances_of(scene: Scene, scores: Any) -> Any:
    """Return the probability of a positive given a score of the design."""
    d, odds = scene.separation, math.log(scene.share / (1 - scene.share))
    return 1 / (1 + np.exp(-(d * scores - d * d / 2 + odds)))


def _in_levels(scene: EstimateScene, scores: Any) -> Any:
    if not scene.levels:
        return scores
    return np.clip(np.round(scores), -1, scene.levels - 2)


def _draw_values(n: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return outcomes, predictions, and others that are as good."""
    x, e, noise = rng.standard_normal((3, n))
    y = x + e / 2
    return y, 0.8 * x, 0.8 * (y / 1.25 + math.sqrt(0.2) * noise)  # another x, given y


def draw_classes(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    codes = rng.integers(0, N_CLASSES, n)
    scores = rng.standard_normal((n, N_CLASSES)) + np.eye(N_CLASSES)[codes]
    chances = np.exp(scores)
    return codes, chances / chances.sum(axis=1, keepdims=True)


@cache
def population(scene: EstimateScene) -> dict[str, float]:
    """Return the measures of very many rows, whose own error is far below that of a data set.

    Those of values have closed forms.
    """
    if scene.kind == "values":
        squared = 0.2**2 + 0.25
        return {
            "r2": 1 - squared / 1.25,
            "root_mean_squared_error": math.sqrt(squared),
            "mean_absolute_error": math.sqrt(2 * squared / math.pi),
            "kendall_tau": 2 / math.pi * math.asin(1 / math.sqrt(1.25)),
        }
    rng = np.random.default_rng(1)
    if scene.kind == "classes":
        codes, chances = draw_classes(MANY // 4, rng)
        return _values(_estimates_of_classes(codes, chances))
    many = EstimateScene(PART, MANY, scene.share, scene.separation, levels=scene.levels)
    data = draw(many, rng)
    return _values(_estimates(many, data)) | {
        f"{name} difference": pair.estimate for name, pair in _pairs(many, data, "worse").items()
    }


def _values(found: dict[str, Any]) -> dict[str, float]:
    return {name: each.estimate for name, each in found.items()}


def _estimates(scene: EstimateScene, data: Data) -> dict[str, Any]:
    """Return every estimate of a binary data set."""
    rows: dict[str, Any] = {"groups": data.groups, "sample_weight": data.weights, "n_threads": 1}
    scores = _in_levels(scene, data.scores)
    of_scores = [*(name for name in CURVES if name != "partial_auc"), *DECISIONS]
    found: dict[str, Any] = {}
    for values, measures in (
        (scores, dict.fromkeys(of_scores) | {"partial_auc": PARTIAL}),
        (chances_of(scene, data.scores), dict.fromkeys(LOSSES)),
    ):
        metrics = {name: measures[name] or name for name in scene.asked(measures)}
        if metrics:
            given = {"metrics": metrics, "threshold": THRESHOLD, **rows}
            found |= fastmetrics.estimate(data.labels, values, **given)
    return found


def _estimates_of_classes(codes: Any, chances: Any) -> dict[str, Any]:
    measures = [name for name in CLASSES if name not in ("accuracy", "f1_macro")]
    found = dict(fastmetrics.estimate(codes, chances, metrics=measures, n_threads=1))
    called = chances.argmax(axis=1)
    return found | dict(
        fastmetrics.estimate(codes, called, metrics=["accuracy", "f1_macro"], n_threads=1)
    )


def _pairs(scene: EstimateScene, data: Data, other: str) -> dict[str, Any]:
    """Return the model less another by each measure that is compared."""
    rows: dict[str, Any] = {"groups": data.groups, "sample_weight": data.weights, "n_threads": 1}
    both = {"model": data.scores, "other": data.others[other]}
    models = {name: _in_levels(scene, scores) for name, scores in both.items()}
    chances = {name: chances_of(scene, scores) for name, scores in both.items()}
    found: dict[str, Any] = {}
    for values, of_values in ((models, COMPARED[:-1]), (chances, COMPARED[-1:])):
        metrics = [each for each in of_values if scene.asked([f"{each} difference"])]
        if metrics:
            given = {"metrics": metrics, "threshold": THRESHOLD, **rows}
            found |= fastmetrics.compare(data.labels, values, **given)
    return {name: one.pairs[0] for name, one in found.items()}


def measure(scene: EstimateScene, rng: np.random.Generator, out: Any) -> None:
    """Draw a data set and compute intervals and tests of it."""
    with warnings.catch_warnings():  # counted, not told 2,000 times
        for kind in (UndefinedMetricWarning, DegenerateDataWarning, SmallSampleWarning):
            warnings.simplefilter("ignore", kind)
        _measure(scene, rng, out)


def _measure(scene: EstimateScene, rng: np.random.Generator, out: Any) -> None:
    if scene.kind == "values":
        y, p, other = _draw_values(scene.n, rng)
        found = dict(fastmetrics.estimate(y, p, metrics=VALUES, n_threads=1))
        pair = fastmetrics.compare(y, {"model": p, "other": other}, metrics=VALUES, n_threads=1)
        for name, one in pair.items():
            out.pvalues["equal", name] = one.pairs[0].pvalue
    elif scene.kind == "classes":
        found = _estimates_of_classes(*draw_classes(scene.n, rng))
    else:
        data = draw(scene, rng)
        found = _estimates(scene, data)
        for name, one in _pairs(scene, data, "equal").items() if not scene.only else ():
            out.pvalues["equal", name] = one.pvalue
        if "worse" in data.others:
            for name, one in _pairs(scene, data, "worse").items():
                out.intervals[f"{name} difference", METHOD] = limits_of(one)
    for name, each in found.items():
        out.intervals[name, METHOD] = limits_of(each)


def limits_of(found: Any) -> tuple[float, float]:
    return float(found.confidence_interval.low), float(found.confidence_interval.high)
