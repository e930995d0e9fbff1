"""Bands around ROC and precision-recall curves: curves, their replicates, and limits.

A curve is asked for y at x. The true y at x belongs to a threshold whose rates on the sample, x'
and y', deviate from x and y. The sample's curve passes through (x', y'), so that a bound on both
deviations bounds y.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeGuard, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_integer,
    check_memory,
    key_text,
    seed_key,
)
from fastmetrics._input.scores import check_scores_array
from fastmetrics._kernels import replicate_curves as kernels
from fastmetrics._results import ConfidenceInterval
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


Codes = NDArray[np.int64]
Bytes = NDArray[np.uint8]

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
        tables = _arcsine_table(x_size), _arcsine_table(y_size)

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
            curves = _weighted_curves(sample, counts)
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


def _weighted_curves(sample: ScoredRowSample, counts: Bytes) -> Iterator[RateCurve]:
    for row in counts:
        weights = (row[: sample.n] * sample.weights).astype(np.float64, copy=False)
        tp, fp, _ = weighted_points(sample.rows, weights)
        yield RateCurve.from_weights(tp, fp)


def _arcsine_table(size: float) -> Floats:
    """Tabulate the arcsine scale at equidistant rates, those of counts if the size is one."""
    cells = max(1, int(np.ceil(size)))
    return scaled_sample(np.arange(cells + 1) / cells, size)


def has_unequal_rows(sample: BootstrapSample) -> TypeGuard[ScoredRowSample]:
    """Return True if rows have groups or weights."""
    return isinstance(sample, ScoredRowSample) and (
        sample.units is not None or sample.weights is not None
    )


def effective_sizes(sample: BootstrapSample) -> tuple[float, float, float]:
    """Compute the effective numbers of negatives, positives, and rows for the prevalence.

    Of independent rows they are counts, else counts over the design effect: the variance of a rate
    over that of a proportion (Rao & Scott 1992), pooled over thresholds. No size exceeds the number
    of rows.
    """
    if not has_unequal_rows(sample):
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
    n_rows = _prevalence_size(is_positive * weights, weights, units)
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


def _prevalence_size(positive: Floats, weights: Floats, units: Codes) -> float:
    total = float(weights.sum())
    rate = float(positive.sum()) / total
    deviations = np.bincount(units, positive) - rate * np.bincount(units, weights)
    variance = _variance(deviations, total)
    return 1.0 + rate * (1.0 - rate) / variance if variance > 0.0 else np.inf


def _variance(deviations: Floats, total: float) -> float:
    """Compute the variance of a ratio from the deviations of units."""
    n = len(deviations)
    return float(np.sum(deviations**2)) / total**2 * n / (n - 1) if n > 1 else 0.0


Kind = Literal["simultaneous", "pointwise"]
#: Most points of a grid that is given as a number.
MOST_POINTS: Final = 10**6
# Gaps below this are 0.
_NO_GAP = 1e-6


def compute_band(
    given: BootstrapData,
    *,
    over_recall: bool,
    kind: Any,
    confidence_level: Any,
    n_resamples: Any,
    points: Any,
    stratified: Any,
    rng: Any,
    progress: bool | None,
) -> tuple[Floats, Floats, dict[str, Any]]:
    """Compute the grid, the curve on it, and the other fields of the band by name; read-only."""
    check_choice("kind", kind, get_args(Kind))
    level = check_confidence_level(confidence_level)
    n_resamples = check_integer("n_resamples", n_resamples, low=2)
    grid = _grid(points, over_recall)
    check_memory(n_resamples, 1, "take fewer replicates")
    if stratified is None:
        stratified = given.groups is None and not over_recall
    check_stratified(stratified, given.groups)
    specs = metric_specs(DEFAULTS["scores"][:1])  # a metric of labels with scores
    sample: Any = parse(given, specs)
    sample.warn_small_sizes()
    key = None
    n_failed = 0
    width = negatives = positives = math.nan
    curve = low = high = np.full(len(grid), np.nan)
    table = sample.score_table()
    curve_name = "precision-recall" if over_recall else "ROC"
    if not lacks_a_class(table, f"a confidence band of the {curve_name} curve"):
        data = RateCurve.from_table(table)
        negatives, positives, n_rows = effective_sizes(sample)
        if kind == "pointwise":
            width = -normal_quantile((1.0 - level) / 2.0)
        else:
            key = seed_key(rng)
            draws = Draws(key, sample.n_units, sample.masks() if stratified else None)
            sizes = negatives, positives
            gaps = replicate_gaps(sample, draws, n_resamples, data, sizes, progress)
            width, n_failed = _width(gaps, level, GATHER if sample.is_grouped else STRATIFY)
        if over_recall:
            rates = data.transposed.at(grid, top=False)
            fpr_limits = _limits(data.transposed, grid, rates, (positives, negatives), kind, width)
            odds = float(data.x[-1] / data.y[-1])
            odds_limits = ConfidenceInterval(odds, odds)
            if not stratified:
                tail = (1.0 - level) / (2.0 if kind == "pointwise" else 4.0)
                odds_limits = _odds_limits(odds, n_rows, tail)
            least, most = product_limits(rates, fpr_limits, odds, odds_limits)
            curve = grid / (grid + rates * odds)
            low, high = grid / (grid + most), grid / (grid + least)
        else:
            curve = data.at(grid, top=True)
            low, high = _limits(data, grid, curve, (negatives, positives), kind, width)
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
        "weights_are": given.weights_are,
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


def _odds_limits(odds: float, n_rows: float, tail: float) -> ConfidenceInterval:
    """Compute the limits of the ratio of negatives to positives."""
    positives = n_rows / (1.0 + odds)
    low, high = wilson_limits(positives, n_rows * odds / (1.0 + odds), -normal_quantile(tail))
    return ConfidenceInterval((1.0 - high) / high, (1.0 - low) / low)


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
        n = check_integer("points", grid, low=1 if over_recall else 2, high=MOST_POINTS)
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
