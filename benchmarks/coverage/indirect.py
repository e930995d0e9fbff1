"""The parts on intervals without rows of one model: of cross-validation, and of a stream's bins.

Folds: rows of normal features, whose first one is higher for positives; a logistic regression is
fitted on each of ten stratified folds' others. How such a model does in the population is known in
closed form, or by quadrature. Bins: the scores of the main design, counted in bins.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from sklearn.linear_model import LogisticRegression

import fastmetrics
from benchmarks.coverage.findings import data_sets
from benchmarks.coverage.layout import interval_tables
from benchmarks.coverage.measured import Cost, Measured, Study
from benchmarks.coverage.scenes import Data, Scene
from fastmetrics.streams import BinLayout, BinnedScoreTable

FOLDS, BINS = "folds", "bins"
N_FEATURES, N_FOLDS = 5, 10
METRICS: Final = ("error_rate", "roc_auc", "log_loss", "brier_score")
BINNED: Final = ("roc_auc", "average_precision")
NUMBERS: Final = (10, 100)
#: Where the bins lie, the first and the last one without an end.
LOWEST, HIGHEST = -2.0, 3.5
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


class Remembering(LogisticRegression):  # type: ignore[misc]
    """A logistic regression that keeps all that are fitted."""

    fitted: Final[list[Any]] = []

    def fit(self, X: Any, y: Any) -> Any:
        """Fit, and be kept."""
        self.fitted.append(self)
        return super().fit(X, y)


def in_population(scene: Scene, slopes: Any, intercept: float) -> dict[str, float]:
    """Return how a linear model does on new rows: decisions are normal in either class."""
    from scipy.special import ndtr

    spread = math.sqrt(float(slopes @ slopes))
    shift = scene.separation * float(slopes[0])
    p, up, down = scene.share, intercept + shift, intercept
    wrong = p * ndtr(-up / spread) + (1 - p) * ndtr(down / spread)
    of_positives, of_negatives = up + spread * _NODES, down + spread * _NODES
    weights = _WEIGHTS / _WEIGHTS.sum()
    log = p * np.logaddexp(0, -of_positives) + (1 - p) * np.logaddexp(0, of_negatives)
    squared = p / (1 + np.exp(of_positives)) ** 2 + (1 - p) / (1 + np.exp(-of_negatives)) ** 2
    return {
        "error_rate": float(wrong),
        "roc_auc": float(ndtr(shift / spread / math.sqrt(2))),
        "log_loss": float(weights @ log),
        "brier_score": float(weights @ squared),
    }


def population(scene: Scene) -> dict[str, float]:
    """Return what limits are of: how far the models' average is from itself is 0."""
    if scene.part == FOLDS:
        return dict.fromkeys(METRICS, 0.0)
    from benchmarks.coverage import populations

    known = populations.population(Scene("main", scene.n, scene.share))
    return {f"{name}, {k} bins": known[name] for name in BINNED for k in NUMBERS}


def measure_folds(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep the limits, less the average of the models that were fitted."""
    scene: Any = data.scene
    X = rng.standard_normal((scene.n, N_FEATURES))
    X[:, 0] += scene.separation * data.labels
    Remembering.fitted.clear()
    found = fastmetrics.selection.evaluate_estimator(
        Remembering(), X, data.labels, cv=N_FOLDS, metrics=METRICS, rng=rng, progress=False
    )
    models = [in_population(scene, m.coef_[0], m.intercept_[0]) for m in Remembering.fitted]
    for name in METRICS:
        true = float(np.mean([model[name] for model in models]))
        one = found[name].of_fitted_models
        low, high = (math.nan, math.nan) if one is None else one.confidence_interval
        out.intervals[name, "fitted models"] = (low - true, high - true)


def measure_bins(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep the limits of what bins can tell."""
    for k in NUMBERS:
        stream = BinnedScoreTable(BinLayout(np.linspace(LOWEST, HIGHEST, k - 1)), first_rows=0)
        stream.update(data.labels, data.scores)
        found = fastmetrics.estimate(stream, metrics=BINNED)
        for name in BINNED:
            low, high = found[name].confidence_interval
            out.intervals[f"{name}, {k} bins", "bins"] = (low, high)


def section(study: Study) -> str:
    """Return the section, a heading first."""
    folds, bins = (data_sets(r for r in study.intervals if r.part == p) for p in (FOLDS, BINS))
    texts = ["## Cross-validation and bins\n", _HEAD.format(folds=folds, bins=bins)]
    for name in METRICS:
        texts.append(f"### {name}, of fitted models\n")
        texts.append(interval_tables(study.find(FOLDS, name)))
    for name in BINNED:
        for k in NUMBERS:
            texts.append(f"### {name}, {k} bins\n")
            texts.append(interval_tables(study.find(BINS, f"{name}, {k} bins")))
    return "\n".join(texts)


_HEAD = f"""`fitted models` is `MetricEstimate.of_fitted_models` of `evaluate_estimator`: a logistic
regression of {N_FEATURES} normal features, {N_FOLDS} stratified folds. The target
is how the very models that were fitted do in the population, on average; it is known of each data
set, and widths are those of the limits. `bins` is `estimate` of a `BinnedScoreTable` of the scores
of the main design, bins of equal width between {LOWEST:g} and {HIGHEST:g} and one
beyond each end: limits reach from the worst order of rows within bins to the best, and so cover
more than their level where bins are wide. Figures are of {{folds}} data sets of folds, and of
{{bins}} of bins.
"""
