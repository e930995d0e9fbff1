"""Bands around ROC and precision-recall curves, pointwise and simultaneous.

The true y at x belongs to a threshold whose rates on the sample, x' and y', deviate from x and y.
The sample's curve passes through (x', y'), so that a bound on both deviations bounds y.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import (
    WeightsAre,
    check_choice,
    check_confidence_level,
    check_integer,
    check_memory,
    check_weights_are,
    key_text,
    seed_key,
)
from fastmetrics._input.scores import check_scores_array
from fastmetrics._kernels import replicate_curves as kernels
from fastmetrics._plots._style import escape_name
from fastmetrics._plots.curves import (
    PLOTTED,
    Band,
    PlotCurve,
    band_title,
    draw_precision_recall,
    draw_roc,
)
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics._threads.workers import run_batches
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.bootstrap._parse import BootstrapData, check_stratified, parse
from fastmetrics.inference.bootstrap._samples import (
    BootstrapSample,
    Draws,
    ScoredRowSample,
    TableCells,
    cumulative_counts,
    padded,
    weighted_points,
)
from fastmetrics.inference.bootstrap._specs import GATHER, STRATIFY, metric_specs
from fastmetrics.inference.bootstrap.bootstrap import failures, warn_failures
from fastmetrics.inference.proportions import wilson_limits
from fastmetrics.inference.reference import normal_quantile
from fastmetrics.metrics.registry import DEFAULTS
from fastmetrics.tables.score_table import ScoreTable, lacks_a_class

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]
Pair = tuple[float, float]
Codes = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Kind = Literal["simultaneous", "pointwise"]

_RESULT = """
Attributes
----------
low, high : ndarray of shape (n_points,)
    Limits, low <= curve <= high; nan where they are undefined. Read-only, like all arrays.
kind : {"simultaneous", "pointwise"}
    Whether the limits hold everywhere at once, or at any one point.
method : str
    How they were found.
confidence_level : float
critical_value : float
    How far the limits reach: deviations of a rate in standard errors.
effective_positives, effective_negatives : float
    How many independent rows of each class the data are worth: the counts, where rows are
    neither grouped nor weighted.
n_resamples, n_failed : int
    Replicates, and those that lost a class: the band is then conditional on both classes being
    there. 0 where the band needs none.
key : str or None
    ``rng=key`` draws the same replicates again; None without replicates.
weights_are : {"importances", "frequencies"} or None
    How weights were read; None where there were none.
"""


def band_to_draw(band: RocBand | PrBand, name: str | None) -> Band:
    """Return the band to draw, with the name of its model."""
    prefix = f"{escape_name(name)}: " if name else ""
    x = band.recall if isinstance(band, PrBand) else band.false_positive_rate
    return Band(x, band.low, band.high, prefix + band_title(band.confidence_level, band.kind))


@documented(_RESULT)
@dataclass(frozen=True, slots=True, repr=False)
class RocBand(Result):
    """A ROC curve at a grid of false positive rates, with confidence limits.

    Attributes
    ----------
    false_positive_rate : ndarray of shape (n_points,)
        The grid, rising.
    true_positive_rate : ndarray of shape (n_points,)
        The curve of the data: the largest rate at that false positive rate.
    """

    false_positive_rate: NDArray[np.float64]
    true_positive_rate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: str
    method: str
    confidence_level: float
    critical_value: float
    effective_positives: float
    effective_negatives: float
    n_resamples: int
    n_failed: int
    key: str | None
    weights_are: WeightsAre | None

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the ROC curve at the grid with its band."""
        label = escape_name(name or "ROC curve")
        band = band_to_draw(self, name)
        curve = PlotCurve(self.false_positive_rate, self.true_positive_rate, label, band)
        return draw_roc([curve], ax, options=line_options)


@documented(_RESULT)
@dataclass(frozen=True, slots=True, repr=False)
class PrBand(Result):
    """A precision-recall curve at a grid of recalls, with confidence limits.

    Attributes
    ----------
    recall : ndarray of shape (n_points,)
        The grid, rising, above 0.
    precision : ndarray of shape (n_points,)
        The curve of the data: the largest precision at that recall.
    """

    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: str
    method: str
    confidence_level: float
    critical_value: float
    effective_positives: float
    effective_negatives: float
    n_resamples: int
    n_failed: int
    key: str | None
    weights_are: WeightsAre | None

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the P-R curve at the grid with its band."""
        label = escape_name(name or "P-R curve")
        curve = PlotCurve(self.recall, self.precision, label, band_to_draw(self, name))
        return draw_precision_recall([curve], ax, options=line_options)


_FUNCTION = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ScoreTable
    Binary labels; or a table of counts, alone.
y_score : array-like of shape (n_samples,), optional
    Scores; the greater, the more positive.
kind : {"simultaneous", "pointwise"}, default="simultaneous"
    Whether the whole curve lies between the limits with this confidence, or each of its
    points by itself, chosen beforehand. Only a simultaneous band may be read anywhere.
n_resamples : int, default=2000
    Number of replicates, of a simultaneous band.

Raises
------
TypeError
    For arguments of the wrong kind; for groups with a table, which needs rows.
ValueError
    For data or options without meaning.

Warns
-----
UndefinedMetricWarning
    If there is one class only: everything is nan. If over 5 % of the replicates lost a class.
DegenerateDataWarning
    If all replicates are equal (an AUC of 0 or 1); if a class is worth less than two
    independent rows.
SmallSampleWarning
    If there are fewer than about 30 groups, or importances leave rows worth less than that.

References
----------
Campbell (1994), Advances in statistical methodology for the evaluation of diagnostic and
laboratory tests, Statistics in Medicine 13:499-508. Zou & Donner (2008), Construction of
confidence limits about effect metrics, Statistics in Medicine 27:1693-1702.
"""


@documented(_FUNCTION)
def roc_band(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    kind: Kind = "simultaneous",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    points: int | ArrayLike = 101,
    stratified: bool | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> RocBand:
    """Compute a confidence band of the ROC curve, over a grid of false positive rates.

    Parameters
    ----------
    points : int or array-like of shape (n_points,), default=101
        False positive rates, rising; a number, at most a million, is that of equidistant ones, 0
        and 1 included.
    stratified : bool, optional
        Whether each class is drawn by itself: the default, unless there are groups.

    Returns
    -------
    RocBand
        The curve at the grid with its limits.

    Notes
    -----
    **Simultaneous.** A threshold's rates deviate from those of the population, FPR and TPR. In
    the arcsine scale 2 sqrt(n + 1/2) arcsin sqrt((k + 3/8) / (n + 3/4)) either deviation has
    variance 1, whatever the rate (Anscombe 1948). The band holds the curves that are reached from
    that of the data by moving along both axes by up to c: Campbell's (1994) fixed-width band,
    which Macskassy, Provost & Rosset (2005) found to be the one that covers, with the scale of
    Nair's (1984) equal-precision bands, so that its ends become narrow where rates vary little. c
    is the quantile of the distances of the replicates' curves from that of the data. Where the
    sample's curve is upright or level, replicates do not vary and a band of their standard errors
    has no width; this one has a width c on either axis, whatever the place. c is no less than the
    normal quantile of two two-sided limits, one for each class, so that there is a band where
    all replicates are equal (AUC 1). At FPR 0 the lower limit is 0: data do not tell how many
    positives lie above *all* negatives of the population.

    In simulations (binormal data of AUC 0.5 to 0.998, 100 to 1,000 rows, half or a tenth of them
    positive) the whole curve, from FPR 0 to 1, lay inside in 95 to 99 % of samples at a nominal
    95 %; with 10 positives among 1,000 rows in 92 to 96 %.

    **Pointwise.** At one FPR, Agresti and Coull's limits of TPR at a known threshold, and the curve
    where FPR is as far off as it may be by chance, put together as deviations of independent
    estimates are (Zou & Donner 2008; Hilgers 1991 takes the outer bounds of both).

    Grouped and weighted rows enter with effective sizes: class by class, the number of independent
    rows whose rates would vary as much (Rao & Scott 1992).

    Rows are sorted once. A replicate costs 10 to 20 ns a row, or with few distinct scores a time
    that does not depend on the number of rows; a pointwise band needs none. Memory: 10 bytes a row,
    a batch for each thread, and n_resamples numbers.

    References
    ----------
    Macskassy, Provost & Rosset (2005), ROC confidence bands: an empirical evaluation, ICML.
    Nair (1984), Confidence bands for survival functions with censored data, Technometrics
    26:265-275. Anscombe (1948), The transformation of Poisson, binomial and negative-binomial data,
    Biometrika 35:246-254. Hilgers (1991), Distribution-free confidence bounds for ROC curves,
    Methods of Information in Medicine 30:96-101. Agresti & Coull (1998), Approximate is better than
    "exact" for interval estimation of binomial proportions, The American Statistician 52:119-126.
    Rao & Scott (1992), A simple method for the analysis of clustered binary data, Biometrics
    48:577-585.

    Examples
    --------
    >>> import numpy as np
    >>> y_true = np.arange(1000) % 2
    >>> y_score = 1.5 * y_true + np.random.default_rng(0).normal(size=1000)
    >>> band = roc_band(y_true, y_score, points=[0.0, 0.1, 0.5, 1.0], rng=1)
    >>> band.true_positive_rate.tolist()
    [0.104, 0.606, 0.956, 1.0]
    >>> band.low.round(2).tolist(), band.high.round(2).tolist()
    ([0.0, 0.5, 0.92, 0.99], [0.22, 0.73, 0.98, 1.0])
    """
    grid, curve, fields = _compute_band(locals(), over_recall=False)
    return RocBand(grid, curve, **fields)


@documented(_FUNCTION)
def pr_band(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    kind: Kind = "simultaneous",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    points: int | ArrayLike = 100,
    stratified: bool | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> PrBand:
    """Compute a confidence band of the precision-recall curve, over a grid of recalls.

    Parameters
    ----------
    points : int or array-like of shape (n_points,), default=100
        Recalls in (0, 1], rising; a number n, at most a million, stands for 1/n, 2/n, ..., 1.
    stratified : bool, optional
        Whether the number of positives was set, as in a case-control study: the share of
        positives is then known, and each class is drawn by itself. By default it is estimated.

    Returns
    -------
    PrBand
        The curve at the grid with its limits.

    Notes
    -----
    Between two thresholds TP and FP grow in equal shares (Davis & Goadrich 2006), as in
    ``pr_auc(..., interpolation="continuous")``; where more negatives alone are called positive,
    precision falls at one recall, and the curve is the highest point. Precision has no value at
    recall 0, and limits near it are wide: few rows tell of it.

    At recall r precision is r / (r + f w), with f the false positive rate and w the number of
    negatives to a positive. The limits of f are those of the ROC curve, its axes exchanged (see
    `roc_band`). w has Wilson's limits unless it was set; deviations of both add up in squares as
    those of independent estimates do (Zou & Donner 2008). Simultaneous limits take half of the
    error probability for w, which is all that varies at recall 1.

    In simulations (binormal data of AUC 0.76 to 0.98, 100 to 1,000 rows, half or a tenth of them
    positive) the whole curve lay inside in 95 to 98 % of samples at a nominal 95 %, and each point
    of a pointwise band in 93 % or more.

    Cost and memory are those of `roc_band`.

    References
    ----------
    Davis & Goadrich (2006), The relationship between precision-recall and ROC curves, ICML.
    Boyd, Eng & Page (2013), Area under the precision-recall curve: point estimates and confidence
    intervals, ECML.

    Examples
    --------
    >>> y_true = [0, 0, 1, 0, 1, 0, 1, 1, 0, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    >>> band = pr_band(y_true, y_score, points=[0.4, 1.0], kind="pointwise")
    >>> band.precision.round(4).tolist()
    [0.6667, 0.625]
    >>> bool((band.low < band.precision).all() and (band.precision < band.high).all())
    True
    """
    grid, curve, fields = _compute_band(locals(), over_recall=True)
    return PrBand(grid, curve, **fields)


#: Most points of a grid that is given as a number.
_MOST_POINTS: Final = 10**6
# Gaps below this are 0.
_NO_GAP = 1e-6
# Relative tolerance at which sums of weights are one point of a curve.
_ROUNDING = 2.0**-45
_PRODUCT = 2.0**-50


@dataclass(frozen=True, slots=True, eq=False)
class RateCurve:
    """A nondecreasing curve from (0, 0) to the totals, linear between its points.

    Attributes
    ----------
    x, y : ndarray of float64, shape (n_points,)
        Cumulative counts or weights, the first 0.
    slack : float
        Largest rounding error between two equal sums of x.
    """

    x: Floats
    y: Floats
    slack: float = 0.0

    @property
    def transposed(self) -> RateCurve:
        """The curve with its axes exchanged."""
        return RateCurve(self.y, self.x, self.slack * float(self.y[-1] / self.x[-1]))

    def at(self, rates: Floats, *, top: bool) -> Floats:
        """Interpolate y's rate at ascending rates of x; ``top``: the upper end where vertical."""
        counts_at = np.empty(len(rates))
        levels = rates * self.x[-1]
        whole = np.rint(levels)  # 0.29 * 100 is 29
        levels = np.where(np.abs(levels - whole) <= _PRODUCT * np.abs(levels), whole, levels)
        kernels.values_along(self.x, self.y, levels, top, self.slack, counts_at)
        return np.asarray(counts_at / self.y[-1])

    @classmethod
    def from_table(cls, table: ScoreTable) -> RateCurve:
        """Build the curve of false positives (x) and true positives (y), not divided by totals."""
        tp, fp = (
            np.concatenate((np.zeros(1), sums))
            for sums in (table.true_positives, table.false_positives)
        )
        return cls.from_weights(tp, fp) if table.is_weighted else cls(fp, tp)

    @classmethod
    def from_weights(cls, tp: Floats, fp: Floats) -> RateCurve:
        """Build the curve of sums of weights, which are rounded."""
        return cls(fp, tp, _ROUNDING * float(fp[-1]))


# Bartlett's arcsine scale: a rate of n rows has variance 1 on it, whatever the rate. Anscombe's
# (1948) constants keep that nearly true down to one or two counts.


def scaled_sample(rates: Floats, size: float) -> Floats:
    """Compute 2 sqrt(n + 1/2) arcsin sqrt((n r + 3/8) / (n + 3/4)) of the rates r of a sample."""
    shrunken = (rates * size + 0.375) / (size + 0.75)
    return np.asarray(2.0 * np.sqrt(size + 0.5) * np.arcsin(np.sqrt(np.clip(shrunken, 0.0, 1.0))))


def scaled_population(rates: Floats, size: float) -> Floats:
    """Compute the expectation of `scaled_sample` for these rates of the population."""
    return np.asarray(2.0 * np.sqrt(size + 0.5) * np.arcsin(np.sqrt(rates)))


def population_rate(scaled: Floats, size: float) -> Floats:
    """Invert `scaled_population`: 0 and 1 beyond the ends."""
    angle = np.clip(scaled / (2.0 * np.sqrt(size + 0.5)), 0.0, np.pi / 2.0)
    return np.asarray(np.sin(angle) ** 2)


def sample_rate(scaled: Floats, size: float) -> Floats:
    """Invert `scaled_sample`: below 0 and above 1 beyond the ends."""
    return ((size + 0.75) * population_rate(scaled, size) - 0.375) / size


def equal_precision(curve: RateCurve, x: Floats, sizes: Pair, width: float) -> Limits:
    """Compute the limits of y if x' and y' deviate by up to ``width`` on the arcsine scale."""
    m, n = sizes
    centre = scaled_population(x, m)
    first, last = (sample_rate(centre + shift, m) for shift in (-width, width))
    low = population_rate(scaled_sample(curve.at(first, top=False), n) - width, n)
    high = population_rate(scaled_sample(curve.at(last, top=True), n) + width, n)
    return np.where(first <= 0.0, 0.0, low), np.where(last >= 1.0, 1.0, high)


def mover_limits(curve: RateCurve, x: Floats, y: Floats, sizes: Pair, z: float) -> Limits:
    """Compute limits of y, the curve at each x, by MOVER: y' is a proportion, x' arcsine-scaled."""
    m, n = sizes
    scaled = scaled_population(x, m)
    first = np.minimum(sample_rate(scaled - z, m), x)
    last = np.maximum(sample_rate(scaled + z, m), x)
    before = np.where(first <= 0.0, 0.0, curve.at(first, top=False))
    after = np.where(last >= 1.0, 1.0, curve.at(last, top=True))
    # Agresti and Coull's limits: Wilson's fail for rates just below 1.
    centre = (y * n + z * z / 2.0) / (n + z * z)
    half = z * np.sqrt(centre * (1.0 - centre) / (n + z * z))
    low = y - np.hypot(y - np.maximum(centre - half, 0.0), y - before)
    high = y + np.hypot(np.minimum(centre + half, 1.0) - y, after - y)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def product_limits(x: Floats, x_limits: Limits, y: float, interval: ConfidenceInterval) -> Limits:
    """Compute limits of a product of two independent estimates from the limits of both.

    Squared deviations are added, with that of their product. Where the limit of x is 1, the end of
    its scale, the limits are multiplied. ``interval`` is that of y.
    """
    low, high = x_limits
    below = np.hypot(y * (x - low), x * (y - interval.low))
    x_up, y_up = high - x, interval.high - y
    above = np.sqrt((y * x_up) ** 2 + (x * y_up) ** 2 + (x_up * y_up) ** 2)
    least = np.maximum(x * y - below, low * interval.low)
    most = np.where(high >= 1.0, high * interval.high, x * y + above)
    return least, np.minimum(most, high * interval.high)


#: Points along a curve at which a replicate is compared with the data. The curve varies like a
#: random walk between two of them: with a fourth of the points, widths are 1 % smaller.
N_POINTS = 2048
#: Thresholds at which rates are compared with binomial proportions, for the design effect.
N_THRESHOLDS = 32

_BATCH_BYTES = 1 << 18  # counts of a batch
_BATCH_VALUES = 1 << 20  # values of a batch, 8 bytes each


def replicate_gaps(
    sample: ScoredRowSample | TableCells,
    draws: Draws,
    n_resamples: int,
    data: RateCurve,
    sizes: Pair,
    progress: bool | None,
) -> Floats:
    """Compute the largest gap between each replicate's curve and the data's; nan if it failed.

    A gap is the length of the move from a point of the data's curve to the replicate's, by the same
    length of the arcsine scale along both axes.
    """
    x_size, y_size = sizes
    ends = np.array([0.0, 1.0])
    low, high = scaled_sample(ends, x_size) + scaled_sample(ends, y_size)
    positions = np.linspace(low, high, N_POINTS)
    distances = np.full(n_resamples, np.nan)

    def along(curve: RateCurve) -> Floats:
        x = scaled_sample(curve.x / curve.x[-1], x_size)
        y = scaled_sample(curve.y / curve.y[-1], y_size)
        values = np.empty(N_POINTS)
        kernels.values_along(x + y, y - x, positions, True, 0.0, values)
        return values

    if isinstance(sample, ScoredRowSample) and sample.weights is None:
        rows = sample.rows
        tables = []
        for size in sizes:  # the arcsine scale at equidistant rates, those of counts
            cells = max(1, math.ceil(size))
            tables.append(scaled_sample(np.arange(cells + 1) / cells, size))

        def along_rows(counts: Bytes) -> Floats:
            values = np.empty((len(counts), N_POINTS))
            kernels.values_of_rows(counts, rows.masks, rows.ends, positions, *tables, values)
            return values

        once = np.zeros((1, padded(sample.n)), np.uint8)
        once[0, : sample.n] = 1
        expected = along_rows(once)[0]
    else:
        expected = along(data)

    def farthest(values: Floats) -> Floats:
        return np.asarray(np.abs(values - expected).max(axis=-1) / 2.0)

    def batch(first: int, count: int) -> None:
        if isinstance(sample, TableCells):
            tp, fp = cumulative_counts(*sample.draw_counts(draws, first, count))
            curves: Iterator[RateCurve] = map(RateCurve, fp, tp)
        else:
            counts = sample.row_counts(draws.every(first, count))
            if sample.weights is None:
                distances[first : first + count] = farthest(along_rows(counts))
                return
            weights = (counts[:, : sample.n] * sample.weights).astype(np.float64, copy=False)
            curves = (
                RateCurve.from_weights(*weighted_points(sample.rows, row)[:2]) for row in weights
            )
        for number, curve in enumerate(curves, first):
            if curve.x[-1] > 0 and curve.y[-1] > 0:
                distances[number] = farthest(along(curve))

    if isinstance(sample, TableCells):
        n_bytes = 16 * len(sample.table.scores)
    else:
        n_bytes = padded(max(sample.n_units, sample.n))
    run_batches(
        batch,
        range(0, n_resamples, max(1, min(_BATCH_BYTES // n_bytes, _BATCH_VALUES // N_POINTS))),
        progress=progress,
        description="band",
        unit="replicates",
    )
    return distances


def effective_sizes(sample: BootstrapSample) -> tuple[float, float, float]:
    """Compute the effective numbers of negatives, positives, and rows for the prevalence.

    Of independent rows they are counts, else counts over the design effect: the variance of a rate
    over that of a proportion (Rao & Scott 1992), pooled over thresholds. No size exceeds the number
    of rows.
    """
    if not isinstance(sample, ScoredRowSample) or (sample.units is None and sample.weights is None):
        table = sample.score_table()
        negatives, positives = float(table.n_negative), float(table.n_positive)
        return negatives, positives, negatives + positives
    n = sample.n
    weights = np.ones(n) if sample.weights is None else sample.weights.astype(np.float64)
    units = np.arange(n) if sample.units is None else sample.units.astype(np.int64)
    is_positive = sample.rows.labels == 1
    tie = np.zeros(n, np.int64)
    tie[1:] = np.cumsum(sample.rows.ends[: n - 1], dtype=np.int64)
    most = weights
    if sample.weights is None or sample.weights.dtype.kind != "i":  # integers count rows
        most = (weights > 0).astype(np.float64)
    negatives, positives = (
        min(_class_size(weights[chosen], units[chosen], tie[chosen]), float(most[chosen].sum()))
        for chosen in (~is_positive, is_positive)
    )
    total = float(weights.sum())
    positive = is_positive * weights
    rate = float(positive.sum()) / total
    deviations = np.bincount(units, positive) - rate * np.bincount(units, weights)
    variance = _variance(deviations, total)
    n_rows = 1.0 + rate * (1.0 - rate) / variance if variance > 0.0 else math.inf
    return negatives, positives, min(n_rows, float(most.sum()))


def _class_size(weights: Floats, units: Codes, tie: Codes) -> float:
    """Compute the effective size of a class from the variance of its rates over thresholds."""
    _, units = np.unique(units, return_inverse=True)
    unit_weights = np.bincount(units, weights)
    total = float(weights.sum())
    stops = np.flatnonzero(np.diff(tie, append=-1)) + 1
    reached = np.cumsum(weights)[stops - 1]
    wanted = np.arange(1, N_THRESHOLDS + 1) / (N_THRESHOLDS + 1) * total
    binomial = variance = 0.0
    for stop in np.unique(stops[np.minimum(np.searchsorted(reached, wanted), len(stops) - 1)]):
        above = np.bincount(units[:stop], weights[:stop], minlength=len(unit_weights))
        rate = float(above.sum()) / total
        binomial += rate * (1.0 - rate)
        variance += _variance(above - rate * unit_weights, total)
    if variance > 0.0 and binomial > 0.0:
        return 1.0 + binomial / variance  # n rows have variance r (1 - r) / (n - 1)
    return total**2 / float(np.sum(unit_weights**2))


def _variance(deviations: Floats, total: float) -> float:
    """Compute the variance of a ratio from the deviations of units."""
    n = len(deviations)
    return float(np.sum(deviations**2)) / total**2 * n / (n - 1) if n > 1 else 0.0


def _compute_band(
    given: dict[str, Any], *, over_recall: bool
) -> tuple[Floats, Floats, dict[str, Any]]:
    """Compute the grid, the curve on it, and the other fields of the band by name; read-only.

    ``given`` are the arguments of `roc_band` or `pr_band`.
    """
    weights_are = check_weights_are(given["sample_weight"], given["weights_are"])
    kind = check_choice("kind", given["kind"], get_args(Kind))
    level = check_confidence_level(given["confidence_level"])
    n_resamples = check_integer("n_resamples", given["n_resamples"], low=2)
    grid = _grid(given["points"], over_recall)
    check_memory(n_resamples, 1, "take fewer replicates")
    groups = given["groups"]
    stratified = given["stratified"]
    if stratified is None:
        stratified = groups is None and not over_recall
    check_stratified(stratified, groups)
    columns = given["y_true"], given["y_score"], given["sample_weight"]
    data = BootstrapData(*columns, weights_are, given["pos_label"], groups)
    # a metric of labels with scores
    sample: Any = parse(data, metric_specs(DEFAULTS["scores"][:1]))
    sample.warn_small_sizes()
    key = None
    n_failed = 0
    width = negatives = positives = math.nan
    curve = low = high = np.full(len(grid), np.nan)
    table = sample.score_table()
    curve_name = "precision-recall" if over_recall else "ROC"
    if not lacks_a_class(table, f"a confidence band of the {curve_name} curve"):
        sums = RateCurve.from_table(table)
        negatives, positives, n_rows = effective_sizes(sample)
        if kind == "pointwise":
            width = -normal_quantile((1.0 - level) / 2.0)
        else:
            key = seed_key(given["rng"])
            draws = Draws(key, sample.n_units, sample.masks() if stratified else None)
            sizes = negatives, positives
            gaps = replicate_gaps(sample, draws, n_resamples, sums, sizes, given["progress"])
            width, n_failed = _width(gaps, level, GATHER if sample.is_grouped else STRATIFY)
        if over_recall:
            rates = sums.transposed.at(grid, top=False)
            fpr_limits = _limits(sums.transposed, grid, rates, (positives, negatives), kind, width)
            odds = float(sums.x[-1] / sums.y[-1])
            odds_limits = ConfidenceInterval(odds, odds)
            if not stratified:
                tail = (1.0 - level) / (2.0 if kind == "pointwise" else 4.0)
                sizes = n_rows / (1.0 + odds), n_rows * odds / (1.0 + odds)
                ends = wilson_limits(*sizes, -normal_quantile(tail))
                odds_limits = ConfidenceInterval(*((1.0 - end) / end for end in ends[::-1]))
            least, most = product_limits(rates, fpr_limits, odds, odds_limits)
            curve = grid / (grid + rates * odds)
            low, high = grid / (grid + most), grid / (grid + least)
        else:
            curve = sums.at(grid, top=True)
            low, high = _limits(sums, grid, curve, (negatives, positives), kind, width)
    for name, size in (("positives", positives), ("negatives", negatives)):
        if size < 2.0 and not np.isnan(low).all():
            warn_user(
                f"the band is degenerate: the {name} are worth {size:.3g} independent rows, "
                "too few to estimate the rates of their class",
                DegenerateDataWarning,
            )
    undefined = np.isnan(low)  # and the upper limits there
    low = np.where(undefined, np.nan, np.fmin(low, curve))
    high = np.where(undefined, np.nan, np.fmax(high, curve))
    for array in (grid, curve, low, high):
        array.flags.writeable = False
    fields = {
        "low": low,
        "high": high,
        "kind": kind,
        "method": "mover" if kind == "pointwise" else "equal-precision",
        "confidence_level": level,
        "critical_value": width,
        "effective_positives": positives,
        "effective_negatives": negatives,
        "n_resamples": 0 if key is None else n_resamples,
        "n_failed": n_failed,
        "key": None if key is None else key_text(key),
        "weights_are": weights_are,
    }
    return grid, curve, fields


def _limits(
    curve: RateCurve, grid: Floats, rates: Floats, sizes: Pair, kind: Kind, width: float
) -> Limits:
    """Compute the limits of a rate of one class at rates of the other."""
    if kind == "pointwise":
        return mover_limits(curve, grid, rates, sizes, width)
    if math.isnan(width):
        nothing = np.full(len(grid), np.nan)
        return nothing, nothing
    return equal_precision(curve, grid, sizes, width)


def _width(gaps: Floats, level: float, remedy: str) -> tuple[float, int]:
    """Compute the quantile of the gaps at ``level``; also return the number that failed."""
    failed = np.isnan(gaps)
    n_failed, note = failures(gaps, failed, remedy=remedy, what="band")
    warn_failures("the curve", n_failed, len(gaps), note)
    gaps = gaps[~failed]
    if len(gaps) < 2:
        return math.nan, n_failed
    if gaps.max() < _NO_GAP:
        warn_user(
            "the band is degenerate: all replicates are equal, and its width follows from the "
            "sizes of the classes alone",
            DegenerateDataWarning,
        )
    rank = min(math.ceil((len(gaps) + 1) * level), len(gaps))
    # At each end of the curve only the rate of one class varies: a band of two such rates.
    least = -normal_quantile((1.0 - level) / 4.0)
    return max(float(np.partition(gaps, rank - 1)[rank - 1]), least), n_failed


def _grid(grid: Any, over_recall: bool) -> NDArray[np.float64]:
    if isinstance(grid, int | np.integer):
        n = check_integer("points", grid, low=1 if over_recall else 2, high=_MOST_POINTS)
        return np.arange(1, n + 1) / n if over_recall else np.arange(n) / (n - 1)
    points = check_scores_array(grid, "points").astype(np.float64)
    low, high = points.min(), points.max()
    if high > 1.0 or low < 0.0 or (over_recall and low == 0.0):
        interval = "(0, 1], as precision has no value at recall 0" if over_recall else "[0, 1]"
        raise InputError(f"`points` must lie in {interval}: got values from {low:g} to {high:g}")
    falls = np.flatnonzero(np.diff(points) <= 0.0)
    if len(falls):
        at = int(falls[0]) + 1
        raise InputError(
            f"`points` must rise: got {points[at]:g} after {points[at - 1]:g} at index {at}"
        )
    return points
