"""The part of the study about recalibration: slope and intercepts, two models' scores, two tests.

The data are those of `calibration`: slope and shift of the log odds are the truth. The second of
two models says what the first says, its log odds shrunk and with noise.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastmetrics
from benchmarks.coverage.calibration import CalibrationScene, where_short
from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import bullets, interval_tables, show_share, table
from benchmarks.coverage.measured import Study
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning

PART = "recalibration"
NUMBERS = ("slope", "intercept", "in_the_large")
SCORES = ("brier_score", "log_loss")
TESTS = ("spiegelhalter_test",)
SHRUNK, NOISE = 0.7, 0.5
_GRID, _NOISES = 20_000, 201


class RecalibrationScene(CalibrationScene):
    """One kind of probabilities, and what becomes of them."""


def _scene(
    n: int, label: str, shape: tuple[float, float], slope: float, shift: float
) -> RecalibrationScene:
    share = shape[0] / sum(shape)
    return RecalibrationScene(PART, n, share, label=label, shape=shape, slope=slope, shift=shift)


SCENES = (
    *(_scene(n, "calibrated", (1.0, 1.0), 1.0, 0.0) for n in (50, 200)),
    _scene(200, "far off", (1.0, 1.0), 0.6, 0.2),
    _scene(200, "5% positive, calibrated", (0.5, 9.5), 1.0, 0.0),
)


def other_model(p: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the second model says."""
    from scipy.special import expit, logit

    return np.asarray(expit(SHRUNK * logit(p) + NOISE * noise))


@cache
def population(scene: RecalibrationScene) -> dict[str, float]:
    """Return what the intervals aim at."""
    from scipy.optimize import brentq
    from scipy.special import expit, logit
    from scipy.stats import beta, norm

    p = beta.ppf((np.arange(_GRID) + 0.5) / _GRID, *scene.shape)
    p = np.clip(p, 1e-15, 1 - 1e-15)
    truth, x = scene.truth(p), logit(p)
    large = brentq(lambda a: float((expit(a + x) - truth).mean()), -5, 5, xtol=1e-12)
    found = {"slope": scene.slope, "intercept": scene.shift, "in_the_large": large}
    noise = norm.ppf((np.arange(_NOISES) + 0.5) / _NOISES)
    other = other_model(p[:, None], noise / noise.std())
    for name, loss in zip(SCORES, (_brier, _log), strict=True):
        found[f"{name} difference"] = float(
            (loss(p, truth) - loss(other, truth[:, None]).mean(axis=1)).mean()
        )
    return found


def _brier(p: Any, truth: Any) -> Any:
    return truth * (1 - p) ** 2 + (1 - truth) * p**2


def _log(p: Any, truth: Any) -> Any:
    return -truth * np.log(p) - (1 - truth) * np.log1p(-p)


def measure(scene: RecalibrationScene, rng: np.random.Generator, out: Any) -> None:
    """Draw a data set and compute intervals and tests of it."""
    data = scene.draw(rng)
    y, p = data.labels, data.scores
    weights = rng.exponential(size=len(y))
    ways: dict[str, dict[str, Any]] = {
        "Wald": {},
        "Wald, importances": {"sample_weight": weights},
    }
    with warnings.catch_warnings():  # counted, not told 2,000 times
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.simplefilter("ignore", DegenerateDataWarning)
        for method, given in ways.items():
            found = fastmetrics.calibration.logistic_calibration(y, p, n_threads=1, **given)
            for name in NUMBERS:
                interval = getattr(found, f"{name}_interval")
                out.intervals[name, method] = float(interval.low), float(interval.high)
        models = {"one": p, "other": other_model(p, rng.standard_normal(len(p)))}
        for name in SCORES:
            for method, given in (
                ("Student", {}),
                ("Student, importances", ways["Wald, importances"]),
            ):
                of_both = fastmetrics.compare(y, models, metrics=name, n_threads=1, **given)
                low, high = of_both[name].pairs[0].confidence_interval
                out.intervals[f"{name} difference", method] = float(low), float(high)
        hypothesis = "calibrated" if scene.is_calibrated else "not"
        out.pvalues[hypothesis, TESTS[0]] = fastmetrics.calibration.spiegelhalter_test(y, p).pvalue


_TITLES = {
    "slope": "### Calibration slope",
    "intercept": "### Calibration intercept",
    "in_the_large": "### Calibration in the large",
    "brier_score difference": "### Difference of two models in the Brier score",
    "log_loss difference": "### Difference of two models in the log loss",
}
_HYPOTHESES = {"calibrated": "Size: the model is calibrated", "not": "Power: it is not"}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    shrunk, noise = SHRUNK, NOISE
    texts = ["## Recalibration\n", _HEAD.format(shrunk=shrunk, noise=noise)]
    for metric, title in _TITLES.items():
        rows = study.find(PART, metric)
        texts += [f"{title}\n", interval_tables(rows), bullets([where_short(rows)])]
    texts.append("### Spiegelhalter's Z\n")
    for hypothesis, title in _HYPOTHESES.items():
        of = [row for row in study.tests if row.part == PART]
        of = [row for row in of if row.hypothesis == hypothesis]
        scenes = list(dict.fromkeys(row.scene for row in of))
        cell = {(row.test, row.scene): row for row in of}
        lines = [
            [f"`{test}`", *(show_share(cell[test, scene]) for scene in scenes)] for test in TESTS
        ]
        heads = ["rejected at 5 %, %", *map(show_scene, scenes)]
        texts.append(f"**{title}**\n\n{table(heads, lines)}")
    return "\n".join(texts)


_HEAD = """The data are those of the section above. Intervals are of `logistic_calibration`, by
standard errors, and of `compare`: the second model shrinks the
log odds of the first to {shrunk:g} of them and adds noise of deviation {noise:g}. Importances are
exponential, and tell nothing of the rows.
"""
