"""The part of the study about calibration: its data, what is computed of them, its section.

Probabilities p are drawn from a beta distribution, and an outcome is positive with the probability
that slope and shift of the log odds make of p: 1 and 0 are those of a calibrated model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastmetrics
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import bullets, scene_table, show_share, table
from benchmarks.coverage.measured import IntervalRow, Study
from benchmarks.coverage.scenes import Data, Scene
from fastmetrics.inference.calibration import count_labels, limits, mean_square

PART = "calibration"
N_BINS, LEVEL = 15, 0.95
PUBLISHED = "Sun et al. (2024), as published"
#: Enough of them: (99 + 1) / 20 is a whole number, and the size of the test exact.
TEST_REPLICATES = 99
BAND_REPLICATES = 199
TEST = "miscalibration"
_GRID = 2_000_000


@dataclass(frozen=True)
class CalibrationScene(Scene):
    """One kind of probabilities, and what becomes of them.

    Attributes
    ----------
    label : str
        What the kind is called.
    shape : (float, float)
        Parameters of the beta distribution.
    slope, shift : float
        Log odds of the outcome are ``slope * log odds of p + shift``.
    levels : int
        How many probabilities there are, the middles of equal cells; 0 for any.
    """

    label: str = ""
    shape: tuple[float, float] = (1.0, 1.0)
    slope: float = 1.0
    shift: float = 0.0
    levels: int = 0

    @property
    def name(self) -> str:
        return f"{self.n:,} rows, {self.label}"

    @property
    def is_calibrated(self) -> bool:
        return self.slope == 1 and self.shift == 0

    def truth(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance of a positive outcome where the model says ``p``."""
        from scipy.special import expit, logit

        return np.asarray(expit(self.slope * logit(p) + self.shift))

    def said(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities that the model says, made of draws."""
        return (np.floor(p * self.levels) + 0.5) / self.levels if self.levels else p

    def draw(self, rng: np.random.Generator) -> Data:
        """Draw one data set."""
        p = self.said(rng.beta(*self.shape, size=self.n))
        return Data((rng.random(self.n) < self.truth(p)).astype(np.int8), p)


def _kind(
    label: str,
    sizes: Iterable[int],
    shape: tuple[float, float],
    slope: float,
    shift: float,
    levels: int = 0,
) -> list[CalibrationScene]:
    share = shape[0] / sum(shape)
    return [
        CalibrationScene(
            *(PART, n, share),
            label=label,
            shape=shape,
            slope=slope,
            shift=shift,
            levels=levels,
        )
        for n in sizes
    ]


SCENES = (
    *_kind("calibrated", (200, 1_000, 5_000), (1.0, 1.0), 1.0, 0.0),
    *_kind("a little off", (200, 1_000, 5_000), (1.0, 1.0), 0.9, 0.1),
    *_kind("far off", (200, 1_000), (1.0, 1.0), 0.6, 0.2),
    *_kind("5% positive, calibrated", (200, 1_000), (0.5, 9.5), 1.0, 0.0),
    *_kind("5% said, too few", (200, 1_000), (0.5, 9.5), 1.0, 0.7),
    *_kind("4 probabilities, off", (200, 1_000), (1.0, 1.0), 0.8, -0.2, levels=4),
)


@cache
def _quantiles(shape: tuple[float, float]) -> NDArray[np.float64]:
    """Return probabilities, evenly spread over the population; several scenes share them."""
    from scipy.stats import beta

    p = beta.ppf((np.arange(_GRID) + 0.5) / _GRID, *shape)
    return np.asarray(np.clip(p, 1e-15, 1 - 1e-15))


@cache
def population(scene: CalibrationScene) -> dict[str, float]:
    """Return what intervals and estimates aim at: errors in bins of the population.

    That a curve lies in its band, and a fit in its own, is told by intervals round 0.
    """
    p = scene.said(_quantiles(scene.shape))
    gaps = scene.truth(p) - p
    uniform = np.minimum((p * N_BINS).astype(np.int64), N_BINS - 1)
    by_rank = np.searchsorted(p, p) * N_BINS // _GRID
    roots = [_errors(bins, gaps)[1] for bins in (uniform, by_rank)]
    return {
        "uniform bins": roots[0],
        "equal-count bins": roots[1],
        "calibration curve": 0.0,
        "fit of calibrated data": 0.0,
        "expected_calibration_error": _errors(uniform, gaps)[0],
        "mean square": roots[0] ** 2,
    }


def _errors(bins: NDArray[np.int64], gaps: NDArray[np.float64]) -> tuple[float, float]:
    sums = np.bincount(bins, gaps)
    n = np.maximum(np.bincount(bins), 1)
    return float(np.abs(sums).sum() / len(gaps)), math.sqrt(float((sums**2 / n).sum() / len(gaps)))


def measure_scene(scene: CalibrationScene, rng: np.random.Generator, out: Any) -> None:
    """Draw a data set and compute its intervals and its test."""
    measure(scene, scene.draw(rng), rng, out)


def measure(scene: CalibrationScene, data: Data, rng: np.random.Generator, out: Any) -> None:
    """Compute intervals, bands, tests and estimates of one data set."""
    y, p = data.labels, data.scores
    for strategy in ("uniform", "equal-count"):
        found = fastmetrics.calibration.calibration_error_interval(
            y, p, n_bins=N_BINS, strategy=strategy
        )
        interval = float(found.confidence_interval.low), float(found.confidence_interval.high)
        out.intervals[f"{strategy} bins", found.method] = interval
        out.intervals[f"{strategy} bins", PUBLISHED] = _as_published(data, strategy)
        if strategy == "uniform":
            out.estimates["mean square"] = found.details.estimate
    out.estimates["expected_calibration_error"] = (
        fastmetrics.calibration.expected_calibration_error(y, p, n_bins=N_BINS)
    )
    band = fastmetrics.calibration.reliability_band(y, p)
    # The curve rises, `low` holds to the right and `high` to the left: the points are enough.
    curve = scene.truth(np.clip(band.probability, 1e-15, 1 - 1e-15))
    out.intervals["calibration curve", band.method] = _round_zero(curve, band.low, band.high)
    if scene.is_calibrated:
        of_fit = fastmetrics.calibration.reliability_band(
            y, p, kind="consistency", n_resamples=BAND_REPLICATES, rng=rng
        )
        at = slice(*(np.searchsorted(of_fit.probability, scene.share) - [1, 0]))
        limits = (each[at] for each in (of_fit.fit, of_fit.low, of_fit.high))
        out.intervals["fit of calibrated data", of_fit.method] = _round_zero(*limits)
    hypothesis = "calibrated" if scene.is_calibrated else "not"
    test = fastmetrics.calibration.calibration_test(y, p, n_resamples=TEST_REPLICATES, rng=rng)
    out.pvalues[hypothesis, TEST] = test.pvalue


def _as_published(data: Data, strategy: Any) -> tuple[float, float]:
    """Return the interval for large n: of the error of first order, and as wide above as below."""
    from scipy.special import ndtri

    counts = count_labels(data.labels, data.scores, pos_label=None, labels=None)
    found = mean_square(counts, N_BINS, strategy)
    low = limits(found._replace(error_of_pairs=0.0), LEVEL)[0]
    reach = float(ndtri((1 + LEVEL) / 2)) * found.error_of_gaps
    return math.sqrt(low), math.sqrt(max(found.estimate, 0.0) + reach)


def _round_zero(
    curve: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[float, float]:
    """Return an interval of the mean width that holds 0 if the curve lies inside everywhere."""
    width = float((high - low).mean())
    if (curve < low).any():
        return 1e-9, width + 1e-9
    if (curve > high).any():
        return -width - 1e-9, -1e-9
    return -width / 2, width / 2


_TITLES = {
    "uniform bins": "### Root mean square calibration error, uniform bins",
    "equal-count bins": "### Root mean square calibration error, equal-count bins",
    "calibration curve": "### The calibration curve, all of it",
    "fit of calibrated data": "### The isotonic fit of calibrated data, at one point",
}
_HYPOTHESES = {"calibrated": "Size: the model is calibrated", "not": "Power: it is not"}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    texts = ["## Calibration\n", _HEAD.format(n_bins=N_BINS)]
    for metric, title in _TITLES.items():
        rows = study.find(PART, metric)
        texts += [f"{title}\n", scene_table(rows), bullets([where_short(rows)])]
    texts += ["### A test of calibration\n", _TESTS.format(n=TEST_REPLICATES)]
    texts += [_tests(study, hypothesis, title) for hypothesis, title in _HYPOTHESES.items()]
    return "\n".join([*texts, "### Why errors in bins have no bootstrap\n", _BIAS, _biases(study)])


def where_short(rows: Sequence[IntervalRow]) -> str:
    """Say where each method covers too little."""
    said = []
    for method in dict.fromkeys(row.method for row in rows):
        short = [row for row in rows if row.method == method and row.is_short]
        where = "; ".join(f"{show_scene(row.scene)} ({percent(row.coverage)})" for row in short)
        said.append(f"{method}: too little {f'here: {where}' if short else 'nowhere'}")
    return ". ".join(said) + "."


def _tests(study: Study, hypothesis: str, title: str) -> str:
    rows = [row for row in study.tests if row.part == PART and row.hypothesis == hypothesis]
    scenes = list(dict.fromkeys(row.scene for row in rows))
    cell = {(row.test, row.scene): row for row in rows}
    lines = [[show_scene(scene), show_share(cell[TEST, scene])] for scene in scenes]
    heads = ["rejected at 5 %, %", f"`{TEST}`"]
    return f"**{title}**\n\n{table(heads, lines)}"


def _biases(study: Study) -> str:
    lines = [
        [
            show_scene(row.scene),
            *(f"{value:.4f}" for value in (row.target, row.mean, row.standard_deviation)),
        ]
        for row in study.estimates
        if row.part == PART and row.metric == "expected_calibration_error"
    ]
    heads = ["expected calibration error", "population", "mean of samples", "their deviation"]
    return table(heads, lines)


_HEAD = """Probabilities p are uniform, or Beta(0.5, 9.5) with a mean of 5 %. The outcome is
positive with the probability whose log odds are a slope times those of p, and a shift: 1 and 0 if
the model is calibrated, 0.9 and 0.1 (a little off), 0.6 and 0.2 (far off), 1 and 0.7 (too few
positives said), 0.8 and -0.2 (where it says .125, .375, .625 or .875). Errors are in {n_bins} bins,
and the target is that of the population in these bins. The interval is that of Sun et al. with an
error and an upper limit for any n; beside it, as they have it, for large n. The band is that of
Dimitriadis et al., which covers if the whole curve lies inside: it is safe, and wide. A consistency
band covers if it holds the isotonic fit of data that *are* calibrated, at the point nearest to
their mean probability. Quantile bins are equal-count ones but for a row or so at an edge, and are
not simulated apart.
"""

_TESTS = """`calibration_test` with {n} replicates, by the miscalibration of the Brier score.
"""

_BIAS = """What chance alone adds to an error in bins is most of it where the model is good.
Replicates of a bootstrap add it once more, and so lie above what they are to cover.
"""
