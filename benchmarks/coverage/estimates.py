"""Simulated data of `estimate` and `compare`, the population values, and intervals by each method.

A data set has the default interval and what else there is for the same metric: Student's t with the
degrees of freedom of the contributions alone; of an AUC Newcombe's interval, Student's t on the
logit scale and DeLong's Wald interval; and percentile, basic and BCa limits of one set of
replicates.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

import fastmetrics
from benchmarks.coverage.measured import LEVEL, Cost, Limits, Measured
from benchmarks.coverage.scenes import Scene
from fastmetrics.errors import InputError
from fastmetrics.inference.bootstrap.bootstrap import limits as bootstrap_limits
from fastmetrics.inference.reference import limits as student_limits
from fastmetrics.inference.units import PRIOR, PRIOR_OF_GROUPS
from fastmetrics.metrics.registry import METRICS

PART: Final = "estimates"
METHOD: Final = "estimate"
STUDENT, LOGIT, NEWCOMBE = "Student's t", "Student's t, logit", "Newcombe"
WALD: Final = "DeLong, Wald"
RESAMPLED: Final = ("percentile", "basic", "bca")
#: The methods of which the best that covers is what the default is compared with.
FAMILY: Final = (STUDENT, LOGIT, NEWCOMBE, *RESAMPLED)
#: One data set in so many is resampled too.
EVERY: Final = 2
LARGEST_FPR: Final = 0.2
PARTIAL: Final = ("partial_auc", {"false_positive_rate_range": (0.0, LARGEST_FPR)})
CURVES: Final = ("roc_auc", "average_precision")
MORE_CURVES: Final = ("pr_auc", "partial_auc", "ks_statistic")
LOSSES: Final = ("brier_score", "log_loss")
CORRELATION_OF_CALLS: Final = "matthews_corrcoef"
DECISIONS: Final = ("f1", "recall", "precision", "balanced_accuracy", "accuracy")
VALUES: Final = ("r2", "root_mean_squared_error", "mean_absolute_error")
CLASSES: Final = ("roc_auc_ovr", "roc_auc_ovo", "accuracy", "f1_macro")
COMPARED: Final = ("roc_auc", "average_precision", "brier_score", "log_loss")
CORRELATION: Final = 0.6  # of the scores of two models, given the label
N_CLASSES: Final = 3
MANY: Final = 2_000_000
#: Largest value that is counted of a loss or an error where an interval has no upper limit.
LARGEST: Final = 5.0

Draw = Callable[[np.random.Generator, Any, float], Any]


def _normal(rng: np.random.Generator, y: Any, d: float) -> Any:
    return d * y + rng.standard_normal(len(y))


def _with_outliers(label: int, mean: float) -> Draw:
    """Return normal scores; one in ten of a class lies around another mean."""

    def draw(rng: np.random.Generator, y: Any, d: float) -> Any:
        is_outlier = (rng.random(len(y)) < 0.1) & (y == label)
        return np.where(is_outlier, mean, d * y) + rng.standard_normal(len(y))

    return draw


def _spread(factor: float) -> Draw:
    """Return normal scores; the standard deviation of positives is ``factor``."""
    return lambda rng, y, d: d * y + np.where(y, factor, 1.0) * rng.standard_normal(len(y))


#: Scores by their kind: of a generator, labels and the separation of the classes.
SHAPES: Final[dict[str, Draw]] = {
    "normal": _normal,
    "overconfident": _normal,
    "unequal variances": _spread(2.0),
    "a tenth of the spread": _spread(0.1),
    "heavy tails": lambda rng, y, d: d * y + rng.standard_t(3, len(y)),
    "rounded": lambda rng, y, d: np.round(_normal(rng, y, d)),
    "two values": lambda rng, y, d: 1.0 * (rng.random(len(y)) < np.where(y, 0.9, 0.9 - d)),
    "outlying positives": _with_outliers(1, -4.0),
    "outlying negatives": _with_outliers(0, 6.0),
    "U-shaped": lambda rng, y, d: (
        np.where(rng.random(len(y)) < 0.3, -d, d) * y + rng.standard_normal(len(y))
    ),
    "exponential": lambda rng, y, d: np.where(y, d, 1.0) * rng.standard_exponential(len(y)),
}
#: Kinds of scores whose probabilities are right; those of the others are not.
_CALIBRATED: Final = ("normal", "rounded")


@dataclass(frozen=True)
class EstimateScene(Scene):
    """Data of one kind: "rows", "clusters", "weights", "models", "values" or "classes".

    Attributes
    ----------
    shape : str
        Kind of the scores, a name of `SHAPES`; of clusters and values what is special about them.
    other : float
        Separation of the classes by the second of two models.
    is_held_out : bool
        Whether no constant of a rule was chosen on data of this scene.
    has_more : bool
        Whether decisions and further curves are measured too, of data sets that are resampled.
    """

    kind: str = "rows"
    shape: str = "normal"
    other: float = 0.0
    is_held_out: bool = False
    has_more: bool = False

    @property
    def positives(self) -> int:
        """Positives that are expected."""
        return round(self.n * self.share)

    @property
    def name(self) -> str:
        if self.kind in ("values", "classes"):
            return f"{self.n:,} rows, {self.kind}{', ' * bool(self.shape)}{self.shape}"
        if self.kind == "clusters":
            sizes = "Zipf" if self.uneven else "equal"
            return f"{self.users} {sizes} clusters{', ' * bool(self.shape)}{self.shape}"
        size = f"{self.positives:,} + {self.n - self.positives:,}"
        if self.kind == "models":
            return f"{size}, models {self.separation:g} and {self.other:g}"
        weights = f", weights of spread {self.spread:g}" if self.spread else ""
        return f"{size}, {self.shape} {self.separation:g}{weights}"

    @property
    def threshold(self) -> float:
        """The score from which on a row is called positive: half way between the classes."""
        return 0.5 if self.shape == "two values" else self.separation / 2


def _two_classes(positives: int, negatives: int, separation: float, **given: Any) -> EstimateScene:
    n = positives + negatives
    thinned = 4 if n > 1_500 or given.get("kind") == "models" else 2
    return EstimateScene(PART, n, positives / n, separation, thinned=thinned, **given)


def _clusters(n: int, *, uneven: bool = False, **given: Any) -> EstimateScene:
    given = {"shape": "", **given}
    d = 3.0 if given["shape"] == "near one" else 1.0
    return EstimateScene(
        PART, 20 * n, 0.5, d, users=n, uneven=uneven, thinned=4, kind="clusters", **given
    )


def _kind(kind: str, n: int, shape: str = "", *, is_held_out: bool = False) -> EstimateScene:
    return EstimateScene(PART, n, 0.5, thinned=4, kind=kind, shape=shape, is_held_out=is_held_out)


#: Positives, negatives, separation, shape; and whether further metrics are measured.
_CHOSEN_ON: Final[tuple[tuple[int, int, float, str], ...]] = (
    (30, 30, 1.8, "normal"),
    (8, 40, 0.5, "normal"),
    (15, 150, 1.8, "normal"),
    (300, 700, 1.2, "normal"),
    (1_000, 1_000, 2.3, "normal"),
    (212, 357, 3.6, "normal"),
    (10, 1_000, 2.9, "normal"),
    (5, 995, 2.0, "normal"),
    (20, 980, 3.5, "normal"),
    (212, 357, 5.8, "unequal variances"),
    (50, 950, 2.0, "unequal variances"),
    (100, 2_000, 1.5, "a tenth of the spread"),
    (100, 100, 1.5, "heavy tails"),
    (20, 80, 1.0, "rounded"),
    (50, 50, 0.6, "two values"),
    (20, 400, 0.85, "two values"),
    (15, 500, 3.0, "outlying positives"),
    (50, 500, 2.5, "outlying positives"),
    (20, 2_000, 3.0, "outlying positives"),
    (500, 15, 2.5, "outlying positives"),
    (30, 3_000, 4.0, "U-shaped"),
)
_HELD_OUT: Final[tuple[tuple[int, int, float, str], ...]] = (
    (40, 40, 1.0, "normal"),
    (10, 70, 1.5, "normal"),
    (25, 475, 2.2, "normal"),
    (200, 1_000, 0.6, "normal"),
    (80, 120, 2.35, "normal"),
    (150, 450, 3.2, "normal"),
    (250, 250, 4.4, "normal"),
    (12, 600, 2.0, "normal"),
    (7, 993, 3.0, "normal"),
    (80, 400, 1.5, "overconfident"),
    (120, 400, 5.0, "unequal variances"),
    (400, 20, 3.0, "unequal variances"),
    (60, 1_200, 2.0, "a tenth of the spread"),
    (15, 985, 2.5, "heavy tails"),
    (60, 240, 2.0, "rounded"),
    (30, 90, 0.5, "two values"),
    (25, 700, 2.8, "outlying positives"),
    (100, 900, 2.0, "outlying positives"),
    (700, 25, 2.2, "outlying positives"),
    (40, 600, 2.5, "outlying negatives"),
    (40, 2_000, 3.0, "U-shaped"),
    (100, 300, 5.0, "exponential"),
)
#: Positives and negatives of the scenes where decisions and further curves are measured.
_HAVE_MORE: Final = {
    (30, 30),
    (15, 150),
    (300, 700),
    (212, 357),
    (20, 80),
    (50, 500),
    (40, 40),
    (25, 475),
    (150, 450),
    (60, 240),
    (100, 900),
    (100, 300),
}
#: Positives, negatives, separations of two models.
_MODELS_CHOSEN_ON: Final = (
    (30, 30, 1.8, 1.8),
    (30, 30, 1.8, 1.2),
    (10, 1_000, 2.9, 2.9),
    (15, 150, 1.8, 1.0),
    (212, 357, 3.6, 3.6),
    (212, 357, 3.6, 3.0),
    (50, 950, 1.5, 1.5),
    (300, 700, 1.2, 1.05),
)
_MODELS_HELD_OUT: Final = (
    (40, 40, 1.0, 1.0),
    (40, 40, 2.0, 1.2),
    (15, 600, 2.2, 2.2),
    (25, 475, 2.2, 1.6),
    (150, 450, 3.2, 3.2),
    (150, 450, 3.2, 2.6),
    (80, 400, 1.5, 1.5),
    (200, 1_000, 0.8, 0.6),
)


def _scenes(table: Iterable[tuple[int, int, float, str]], *, is_held_out: bool) -> Any:
    for positives, negatives, separation, shape in table:
        yield _two_classes(
            positives,
            negatives,
            separation,
            shape=shape,
            is_held_out=is_held_out,
            has_more=shape != "unequal variances" and (positives, negatives) in _HAVE_MORE,
        )


SCENES: Final = (
    *_scenes(_CHOSEN_ON, is_held_out=False),
    *_scenes(_HELD_OUT, is_held_out=True),
    _clusters(8),
    _clusters(8, uneven=True),
    _clusters(15, uneven=True),
    _clusters(20, shape="one label each"),
    _clusters(30, uneven=True),
    _clusters(10, is_held_out=True),
    _clusters(12, uneven=True, shape="near one", is_held_out=True),
    _clusters(18, uneven=True, is_held_out=True),
    _clusters(14, shape="one label each", is_held_out=True),
    _clusters(28, uneven=True, shape="one label each", is_held_out=True),
    _two_classes(50, 50, 1.5, spread=1.0, kind="weights"),
    _two_classes(500, 500, 1.5, spread=1.0, kind="weights"),
    _two_classes(60, 340, 1.5, spread=0.7, kind="weights", is_held_out=True),
    _two_classes(40, 60, 2.5, spread=1.2, kind="weights", is_held_out=True),
    *(_two_classes(m, n, a, other=b, kind="models") for m, n, a, b in _MODELS_CHOSEN_ON),
    *(
        _two_classes(m, n, a, other=b, kind="models", is_held_out=True)
        for m, n, a, b in _MODELS_HELD_OUT
    ),
    _kind("values", 30),
    _kind("values", 100),
    _kind("values", 60, "skewed", is_held_out=True),
    _kind("values", 400, is_held_out=True),
    _kind("classes", 100),
    _kind("classes", 300, is_held_out=True),
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Labels, scores and probabilities of a positive; of two models those of the second too."""

    labels: Any
    scores: Any
    chances: Any
    other_chances: Any = None
    options: Mapping[str, Any] | None = None


def chances_of(scene: Scene, scores: Any) -> Any:
    """Return the probability of a positive given a score of the main design."""
    return _chances(scores, scene.separation, scene.separation / 2, scene.share)


def _chances(scores: Any, slope: float, centre: float, share: float) -> Any:
    odds = slope * (scores - centre) + math.log(share / (1 - share))
    return np.clip(1 / (1 + np.exp(-odds)), 1e-6, 1 - 1e-6)


def _probabilities(scene: EstimateScene, scores: Any) -> Any:
    d = scene.separation
    if scene.shape in _CALIBRATED or scene.kind == "models":
        return _chances(scores, d, d / 2, scene.share)
    if scene.shape == "overconfident":
        return _chances(scores, 3.0 * d, d / 2, scene.share)
    return _chances(scores, 0.8, max(d, 1.0) / 2, scene.share)


def draw(scene: EstimateScene, rng: np.random.Generator, labels: Any = None) -> Rows:
    """Draw rows; labels are random where they are not given, and none of both classes is empty."""
    if scene.kind == "clusters":
        return _draw_clusters(scene, rng)
    while labels is None or labels.min() == labels.max():
        labels = (rng.random(scene.n) < scene.share).astype(np.int8)
    if scene.kind == "models":
        noise, rest = rng.standard_normal((2, len(labels)))
        rest = CORRELATION * noise + math.sqrt(1 - CORRELATION**2) * rest
        scores, others = scene.separation * labels + noise, scene.other * labels + rest
        second = _chances(others, scene.other, scene.other / 2, scene.share)
        return Rows(labels, scores, _probabilities(scene, scores), second, {})
    scores = SHAPES[scene.shape](rng, labels, scene.separation)
    options = {}
    if scene.spread:  # independent of labels and scores: the targets are those without weights
        options["sample_weight"] = np.exp(scene.spread * rng.standard_normal(len(labels)))
    return Rows(labels, scores, _probabilities(scene, scores), options=options)


def _draw_clusters(scene: EstimateScene, rng: np.random.Generator) -> Rows:
    """Draw clusters that differ in their share of positives and in the level of their scores."""
    m = scene.users
    while True:
        sizes = np.minimum(rng.zipf(1.7, m), 60) + 2 if scene.uneven else np.full(m, 20)
        groups = np.repeat(np.arange(m), sizes)
        if scene.shape == "one label each":
            chance_of_group = 1.0 * (rng.random(m) < 0.4)
        else:
            chance_of_group = 1 / (1 + np.exp(-rng.standard_normal(m)))
        labels = (rng.random(len(groups)) < chance_of_group[groups]).astype(np.int8)
        if labels.min() < labels.max():
            break
    level = 0.7 * rng.standard_normal(m)[groups]
    scores = scene.separation * labels + rng.standard_normal(len(groups)) + level
    return Rows(labels, scores, _chances(scores, 1.0, 0.5, 0.5), options={"groups": groups})


def _draw_values(scene: EstimateScene, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return outcomes and their predictions."""
    x, e = rng.standard_normal((2, scene.n))
    if scene.shape == "skewed":
        return np.exp(x / 2 + e / 4), np.exp(x / 2 + 1 / 32)
    return x + e / 2, 0.8 * x


def draw_classes(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return classes and their probabilities; the score of a row's class is 1 higher."""
    codes = rng.integers(0, N_CLASSES, n)
    scores = rng.standard_normal((n, N_CLASSES)) + np.eye(N_CLASSES)[codes]
    chances = np.exp(scores)
    return codes, chances / chances.sum(axis=1, keepdims=True)


def _requests(has_more: bool, data: Rows) -> list[tuple[Any, dict[str, Any]]]:
    """Return scores with the metrics of them, and probabilities with those of them."""
    names = [*CURVES, CORRELATION_OF_CALLS]
    if has_more:
        names += [*MORE_CURVES, *DECISIONS]
    of_scores = {name: PARTIAL if name == "partial_auc" else name for name in names}
    return [(data.scores, of_scores), (data.chances, {name: name for name in LOSSES})]


@cache
def population(scene: EstimateScene) -> dict[str, float]:
    """Return the metrics of very many rows, whose standard error is far below a data set's.

    Half of the rows are positive, and weights restore the share of positives.
    """
    rng = np.random.default_rng(1)
    options: dict[str, Any] = {}
    if scene.kind in ("values", "classes"):
        requests = _unlike_requests(replace(scene, n=MANY), rng)
    elif scene.kind == "clusters":
        many = replace(scene, users=MANY // 20, uneven=False)
        data = _draw_clusters(many, rng)
        requests = [(data.labels, values, each) for values, each in _requests(scene.has_more, data)]
        options = {"threshold": scene.threshold}
    else:
        labels = (np.arange(MANY) % 2).astype(np.int8)
        data = draw(scene, rng, labels)
        weights = np.where(labels, scene.share, 1 - scene.share)
        options = {"threshold": scene.threshold, "sample_weight": weights}
        if scene.kind == "models":
            first, second = (
                _estimates(labels, values, dict.fromkeys(COMPARED), options)
                for values in (data.chances, data.other_chances)
            )
            is_zero = scene.separation == scene.other
            return {
                f"{name} difference": 0.0 if is_zero else first[name] - second[name]
                for name in COMPARED
            }
        requests = [(labels, values, each) for values, each in _requests(scene.has_more, data)]
    truth: dict[str, float] = {}
    for outcomes, values, metrics in requests:
        truth |= _estimates(outcomes, values, metrics, options)
    return truth


def _estimates(y: Any, values: Any, metrics: Mapping[str, Any], options: Any) -> dict[str, float]:
    asked = {name: each or name for name, each in metrics.items()}
    found = fastmetrics.estimate(y, values, metrics=asked, n_threads=1, **options)
    return {name: one.estimate for name, one in found.items()}


def _unlike_requests(scene: EstimateScene, rng: np.random.Generator) -> list[tuple[Any, Any, Any]]:
    """Return outcomes, predictions and metrics of values or of several classes."""
    if scene.kind == "values":
        return [(*_draw_values(scene, rng), dict.fromkeys(VALUES))]
    codes, chances = draw_classes(scene.n, rng)
    called = chances.argmax(axis=1)
    return [
        (codes, chances, dict.fromkeys(CLASSES[:2])),
        (codes, called, dict.fromkeys(CLASSES[2:])),
    ]


def scale_of(metric: str) -> Limits:
    """Return the least and the largest value of a metric, or of a difference, that is counted."""
    name = metric.removesuffix(" difference")
    if name in ("log_loss", "root_mean_squared_error", "mean_absolute_error"):
        ends = (0.0, LARGEST)
    elif name in ("matthews_corrcoef", "kendall_tau", "r2"):
        ends = (-1.0, 1.0)
    else:
        ends = (0.0, 1.0)
    width = ends[1] - ends[0]
    return (-width, width) if name != metric else ends


def measure(
    scene: EstimateScene, number: int, rng: np.random.Generator, cost: Cost, out: Measured
) -> None:
    """Draw a data set and compute its intervals; one in `EVERY` is resampled."""
    is_resampled = number % EVERY == 0
    n_resamples = cost.n_resamples // 2 if is_resampled else 0
    with warnings.catch_warnings():  # counted, not told 4,000 times
        warnings.simplefilter("ignore")
        if scene.kind == "models":
            _measure_models(draw(scene, rng), scene, n_resamples, rng, out)
        elif scene.kind in ("values", "classes"):
            for y, values, metrics in _unlike_requests(scene, rng):
                _measure(y, values, metrics, {}, n_resamples, rng, out)
        else:
            data = draw(scene, rng)
            options = {"threshold": scene.threshold, **(data.options or {})}
            has_more = scene.has_more and is_resampled
            for values, metrics in _requests(has_more, data):
                _measure(data.labels, values, metrics, options, n_resamples, rng, out)


def _measure(
    y: Any,
    values: Any,
    metrics: Mapping[str, Any],
    options: dict[str, Any],
    n_resamples: int,
    rng: np.random.Generator,
    out: Measured,
) -> None:
    asked = {name: each or name for name, each in metrics.items()}
    given = {"metrics": asked, "n_threads": 1, **options}
    for name, one in fastmetrics.estimate(y, values, **given).items():
        out.intervals[name, METHOD] = limits_of(one)
        out.intervals[name, STUDENT] = student(one)
        if name == "roc_auc":
            error = one.standard_error
            wald = student_limits(one.estimate, error, math.inf, LEVEL, bounds=(0.0, 1.0))
            out.intervals[name, WALD] = float(wald.low), float(wald.high)
            out.intervals[name, LOGIT] = student(one, prior=0.0)
            n_positive = int(np.count_nonzero(y))
            sizes = n_positive, len(y) - n_positive
            newcombe = fastmetrics.comparison.newcombe_interval(one.estimate, *sizes)
            out.intervals[name, NEWCOMBE] = float(newcombe.low), float(newcombe.high)
    has_none = {name for name, metric in METRICS.items() if metric.no_replicates}
    resampled = {name: each for name, each in asked.items() if name not in has_none}
    if n_resamples and resampled:
        given |= {"metrics": resampled, "n_resamples": n_resamples, "rng": rng}
        _resample(y, values, out, given)


def _resample(y: Any, values: Any, out: Measured, given: dict[str, Any]) -> None:
    """Keep limits of one set of replicates; there are none by BCa with importance weights."""
    try:
        found = fastmetrics.bootstrap(y, values, method="bca", **given)
    except InputError:
        found = fastmetrics.bootstrap(y, values, method="percentile", **given)
    for name, one in found.items():
        for method in ("percentile", "basic"):
            out.intervals[name, method] = _replicate_limits(one, method)
        if one.method == "bca":
            out.intervals[name, "bca"] = limits_of(one)


def _replicate_limits(result: Any, method: Any) -> Limits:
    details = result.details
    how = {"confidence_level": LEVEL, "n_groups": details.effective_n_groups}
    interval = bootstrap_limits(details.distribution, result.estimate, method=method, **how)[0]
    return float(interval.low), float(interval.high)


def _measure_models(
    data: Rows, scene: EstimateScene, n_resamples: int, rng: np.random.Generator, out: Measured
) -> None:
    """Keep intervals of differences and the p-values of them."""
    models = {"one": data.chances, "other": data.other_chances}
    given = {"metrics": COMPARED, "n_threads": 1}
    hypothesis = "equal" if scene.separation == scene.other else "worse"
    for name, one in fastmetrics.compare(data.labels, models, **given).items():
        difference = one.pairs[0]
        out.intervals[f"{name} difference", METHOD] = limits_of(difference)
        out.intervals[f"{name} difference", STUDENT] = student(difference)
        out.pvalues[hypothesis, name] = difference.pvalue
    if n_resamples:
        given |= {"n_resamples": n_resamples, "rng": rng}
        for name, one in fastmetrics.paired_bootstrap(data.labels, models, **given).items():
            for method in ("percentile", "basic"):
                limits = _replicate_limits(one.pairs[0], method)
                out.intervals[f"{name} difference", method] = limits


def student(result: Any, prior: float | None = None) -> Limits:
    """Return the limits of Student's t on the metric's scale, with less the prior's df."""
    is_pair = hasattr(result, "pvalue")
    if prior is None:
        prior = PRIOR if getattr(result, "n_groups", None) is None else PRIOR_OF_GROUPS
    scale = "identity" if is_pair else result.scale
    error, df = result.standard_error, max(1.0, result.df - prior)
    interval = student_limits(result.estimate, error, df, LEVEL, scale)
    return float(interval.low), float(interval.high)


def limits_of(found: Any) -> Limits:
    """Return the limits of a result."""
    return float(found.confidence_interval.low), float(found.confidence_interval.high)
