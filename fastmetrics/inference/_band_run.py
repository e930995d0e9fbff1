"""Bands around ROC and precision-recall curves: curves, their replicates, and limits.

A curve is asked for y at x. The true y at x belongs to a threshold whose rates on the sample, x'
and y', deviate from x and y. The sample's curve passes through (x', y'), so that a bound on both
deviations bounds y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeGuard, cast, get_args

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
from fastmetrics.inference.bootstrap._draws import Draws, padded, points_of_weights
from fastmetrics.inference.bootstrap._engine import GATHER, STRATIFY, failures, warn_of_failures
from fastmetrics.inference.bootstrap._parse import Given, check_stratified, parse
from fastmetrics.inference.bootstrap._samples import (
    BootstrapSample,
    ScoredRowSample,
    TableCells,
    curves_of,
)
from fastmetrics.inference.bootstrap._specs import metric_specs
from fastmetrics.inference.proportions import proportion_limits, wilson_limits
from fastmetrics.inference.reference import normal_quantile
from fastmetrics.tables.score_table import ScoreTable, lacks_a_class

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]
Pair = tuple[float, float]

# Sums of weights this near to one another, relative to all weight, are one place of a curve.
_ROUNDING = 2.0**-45
_PRODUCT = 2.0**-50


@dataclass(frozen=True, slots=True, eq=False)
class RateCurve:
    """A line from (0, 0) to the totals that never falls, straight between its points.

    Attributes
    ----------
    x, y : ndarray of float64, shape (n_points,)
        Cumulative counts or weights, the first 0.
    slack : float
        How far apart two equal sums of x may be.
    """

    x: Floats
    y: Floats
    slack: float = 0.0

    @property
    def transposed(self) -> RateCurve:
        """The curve with its axes exchanged."""
        return RateCurve(self.y, self.x, self.slack * float(self.y[-1] / self.x[-1]))

    def at(self, rates: Floats, *, top: bool) -> Floats:
        """Return the rate of y at rates of x, which rise: 0 before the first, 1 after the last.

        Where the curve is upright, ``top`` says which of its ends is meant.
        """
        found = np.empty(len(rates))
        levels = rates * self.x[-1]
        whole = np.rint(levels)  # 0.29 * 100 is 29
        levels = np.where(np.abs(levels - whole) <= _PRODUCT * np.abs(levels), whole, levels)
        kernels.values_along(self.x, self.y, levels, top, self.slack, found)
        rates_of_y: Floats = found / self.y[-1]
        return rates_of_y

    @classmethod
    def of_table(cls, table: ScoreTable) -> RateCurve:
        """Return false positives (x) and true positives (y), without dividing them."""
        tp, fp = (
            np.concatenate((np.zeros(1), sums))
            for sums in (table.true_positives, table.false_positives)
        )
        return cls.of_weights(tp, fp) if table.is_weighted else cls(fp, tp)

    @classmethod
    def of_weights(cls, tp: Floats, fp: Floats) -> RateCurve:
        """Return the curve of sums of weights, which are rounded."""
        return cls(fp, tp, _ROUNDING * float(fp[-1]))


# Bartlett's arcsine scale: a rate of n rows has variance 1 in it, whatever the rate, and Anscombe's
# (1948) sample keeps that nearly true down to one or two counts.


def scaled_sample(rates: Floats, size: float) -> Floats:
    """Return 2 sqrt(n + 1/2) arcsin sqrt((n r + 3/8) / (n + 3/4)) of the rates r of a sample."""
    shares = (rates * size + 0.375) / (size + 0.75)
    scaled: Floats = 2.0 * np.sqrt(size + 0.5) * np.arcsin(np.sqrt(np.clip(shares, 0.0, 1.0)))
    return scaled


def scaled_population(rates: Floats, size: float) -> Floats:
    """Return the expectation of `scaled_sample` where the population has the rates given."""
    scaled: Floats = 2.0 * np.sqrt(size + 0.5) * np.arcsin(np.sqrt(rates))
    return scaled


def population_rate(scaled: Floats, size: float) -> Floats:
    """Return the rates whose `scaled_population` is given: 0 and 1 beyond the ends."""
    angle = np.clip(scaled / (2.0 * np.sqrt(size + 0.5)), 0.0, np.pi / 2.0)
    rate: Floats = np.sin(angle) ** 2
    return rate


def sample_rate(scaled: Floats, size: float) -> Floats:
    """Return the rates whose `scaled_sample` is given: below 0 and above 1 beyond the ends."""
    return ((size + 0.75) * population_rate(scaled, size) - 0.375) / size


def equal_precision(curve: RateCurve, x: Floats, sizes: Pair, width: float) -> Limits:
    """Return the limits of y when x' and y' deviate by up to ``width`` in the arcsine scale."""
    of_x, of_y = sizes
    place = scaled_population(x, of_x)
    first, last = (sample_rate(place + shift, of_x) for shift in (-width, width))
    low = population_rate(scaled_sample(curve.at(first, top=False), of_y) - width, of_y)
    high = population_rate(scaled_sample(curve.at(last, top=True), of_y) + width, of_y)
    return np.where(first <= 0.0, 0.0, low), np.where(last >= 1.0, 1.0, high)


def fixed_width(curve: RateCurve, x: Floats, widths: Pair) -> Limits:
    """Return the limits of y when x' and y' deviate by up to ``widths``, whatever the rates."""
    of_x, of_y = widths
    low = curve.at(x - of_x, top=False) - of_y
    high = curve.at(x + of_x, top=True) + of_y
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    return np.where(x - of_x <= 0.0, 0.0, low), np.where(x + of_x >= 1.0, 1.0, high)


def kolmogorov_widths(sizes: Pair, confidence: float) -> Pair:
    """Return how far two empirical distributions deviate at most with this probability each."""
    from scipy.stats import kstwo

    return float(kstwo.ppf(confidence, sizes[0])), float(kstwo.ppf(confidence, sizes[1]))


def recovered(curve: RateCurve, x: Floats, y: Floats, sizes: Pair, z: float) -> Limits:
    """Return the limits of y at each x from those of its two deviations, as if they added up.

    ``y`` is the curve at x. Alone, y' deviates as a proportion does, and x' lies z around x in the
    arcsine scale.
    """
    of_x, of_y = sizes
    place = scaled_population(x, of_x)
    first = np.minimum(sample_rate(place - z, of_x), x)
    last = np.maximum(sample_rate(place + z, of_x), x)
    before = np.where(first <= 0.0, 0.0, curve.at(first, top=False))
    after = np.where(last >= 1.0, 1.0, curve.at(last, top=True))
    # Agresti and Coull's limits: those of Wilson fail for rates just below 1.
    centre = (y * of_y + z * z / 2.0) / (of_y + z * z)
    half = z * np.sqrt(centre * (1.0 - centre) / (of_y + z * z))
    least, most = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    low = y - np.hypot(y - least, y - before)
    high = y + np.hypot(most - y, after - y)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def product_limits(x: Floats, of_x: Limits, y: float, of_y: ConfidenceInterval) -> Limits:
    """Return limits of a product of two independent estimates from the limits of either.

    The deviations add up in squares, their product included; where a limit of x is 1, the end of
    its scale, x may well be there, and the limits multiply.
    """
    low, high = of_x
    below = np.hypot(y * (x - low), x * (y - of_y.low))
    up, y_up = high - x, of_y.high - y
    above = np.sqrt((y * up) ** 2 + (x * y_up) ** 2 + (up * y_up) ** 2)
    least = np.maximum(x * y - below, low * of_y.low)
    most = np.where(high >= 1.0, high * of_y.high, x * y + above)
    return least, np.minimum(most, high * of_y.high)


Codes = NDArray[np.int64]
Bytes = NDArray[np.uint8]

#: Places along a curve at which a replicate is compared with the data. The curve varies like a
#: random walk between two of them: with a fourth of the places, widths are 1 % smaller.
N_PLACES = 2048
#: Thresholds whose rates tell how much more than a binomial proportion they vary.
N_THRESHOLDS = 32

_BATCH_BYTES = 1 << 18  # counts of a batch
_BATCH_VALUES = 1 << 20  # values of a batch, 8 bytes each
_NO_TABLE = np.zeros(2)


@dataclass(frozen=True, slots=True, eq=False)
class CurveReplicates:
    """The replicates of labels with scores: how they are drawn, and how many."""

    sample: ScoredRowSample | TableCells
    draws: Draws
    n_resamples: int
    progress: bool | None

    def rates(self, grid: Floats, *, over_tpr: bool) -> tuple[Floats, Floats]:
        """Return each replicate's TPR at rates of FPR, or FPR at rates of TPR; nan rows failed.

        The second array has the number of negatives to a positive.
        """

        def of_curve(curve: RateCurve) -> Floats:
            return (curve.transposed if over_tpr else curve).at(grid, top=not over_tpr)

        axis = kernels.OVER_TPR if over_tpr else kernels.OVER_FPR
        return self._run(partial(self._of_rows, axis, grid), of_curve, len(grid), len(grid))

    def gaps(self, data: RateCurve, sizes: ClassSizes) -> Floats:
        """Return how far each replicate strays from the data along both axes; nan where it failed.

        From a point of the data's curve one moves along both axes by the same length of the arcsine
        scale until one meets the replicate's: this length, where it is greatest.
        """
        of_x, of_y = sizes.negatives, sizes.positives
        ends = np.array([0.0, 1.0])
        low, high = scaled_sample(ends, of_x) + scaled_sample(ends, of_y)
        places = np.linspace(low, high, N_PLACES)

        def along(curve: RateCurve) -> Floats:
            x = scaled_sample(curve.x / curve.x[-1], of_x)
            y = scaled_sample(curve.y / curve.y[-1], of_y)
            values = np.empty(N_PLACES)
            kernels.values_along(x + y, y - x, places, True, 0.0, values)
            return values

        along_rows = partial(self._of_rows, kernels.ALONG, places)
        if self._by_rows:  # whose rates are looked up, at once
            along_rows = partial(along_rows, tables=(_arcsine_table(of_x), _arcsine_table(of_y)))
            n = cast(ScoredRowSample, self.sample).n
            once = np.zeros((1, padded(n)), np.uint8)
            once[0, :n] = 1
            expected = along_rows(once)[0][0]
        else:
            expected = along(data)

        def farthest(values: Floats) -> Floats:
            far: Floats = np.abs(values - expected).max(axis=-1, keepdims=True) / 2.0
            return far

        def of_rows(counts: Bytes) -> tuple[Floats, Floats]:
            values, odds = along_rows(counts)
            return farthest(values), odds

        return self._run(of_rows, lambda curve: farthest(along(curve)), N_PLACES, 1)[0][:, 0]

    @property
    def _by_rows(self) -> bool:
        """Whether a replicate is made of counts of rows, not of cells or weights."""
        return isinstance(self.sample, ScoredRowSample) and self.sample.weights is None

    def _of_rows(
        self,
        axis: int,
        levels: Floats,
        counts: Bytes,
        tables: tuple[Floats, Floats] = (_NO_TABLE, _NO_TABLE),
    ) -> tuple[Floats, Floats]:
        """Return the values of counts of rows, and their numbers of negatives to a positive."""
        rows = cast(ScoredRowSample, self.sample).rows
        found, odds = np.empty((len(counts), len(levels))), np.empty(len(counts))
        top = axis != kernels.OVER_TPR
        kernels.values_of_rows(
            counts, rows.masks, rows.ends, axis, top, levels, *tables, found, odds
        )
        return found, odds

    def _run(
        self,
        of_rows: Callable[[Bytes], tuple[Floats, Floats]],
        of_curve: Callable[[RateCurve], Floats],
        n_values: int,
        n_kept: int,
    ) -> tuple[Floats, Floats]:
        """Draw all replicates batch by batch; a batch depends on the data, not on the threads."""
        sample = self.sample
        out, odds = np.full((self.n_resamples, n_kept), np.nan), np.full(self.n_resamples, np.nan)

        def batch(first: int, count: int) -> None:
            if isinstance(sample, TableCells):
                curves = self._of_cells(sample, first, count)
            else:
                counts = sample.counts_of_rows(self.draws.every(first, count))
                if sample.weights is None:
                    here = slice(first, first + count)
                    out[here], odds[here] = of_rows(counts)
                    return
                curves = _of_weights(sample, counts)
            for number, curve in enumerate(curves, first):
                if curve.x[-1] > 0 and curve.y[-1] > 0:
                    out[number] = of_curve(curve)
                    odds[number] = curve.x[-1] / curve.y[-1]

        if isinstance(sample, TableCells):
            n_bytes = 16 * len(sample.table.scores)
        else:
            n_bytes = padded(max(sample.n_units, sample.n))
        size = max(1, min(_BATCH_BYTES // n_bytes, _BATCH_VALUES // n_values))
        run_batches(
            batch,
            range(0, self.n_resamples, size),
            progress=self.progress,
            description="band",
            unit="replicates",
        )
        return out, odds

    def _of_cells(self, sample: TableCells, first: int, count: int) -> Iterator[RateCurve]:
        """Draw the cells of a table of counts: the cost does not depend on their size."""
        tp, fp = curves_of(*sample.drawn(self.draws, first, count))
        return map(RateCurve, fp, tp)


def _of_weights(sample: ScoredRowSample, counts: Bytes) -> Iterator[RateCurve]:
    for drawn in counts:
        weights = (drawn[: sample.n] * sample.weights).astype(np.float64, copy=False)
        tp, fp, _ = points_of_weights(sample.rows, weights)
        yield RateCurve.of_weights(tp, fp)


def _arcsine_table(size: float) -> Floats:
    """Return the arcsine scale at equidistant rates: those of counts, where the size is one."""
    cells = max(1, int(np.ceil(size)))
    return scaled_sample(np.arange(cells + 1) / cells, size)


class ClassSizes(NamedTuple):
    """Numbers of independent rows: negatives, positives, and for the share of positives."""

    negatives: float
    positives: float
    rows: float


def has_unequal_rows(sample: BootstrapSample) -> TypeGuard[ScoredRowSample]:
    """Return whether rows are of groups, or have weights of their own."""
    return isinstance(sample, ScoredRowSample) and (
        sample.units is not None or sample.weights is not None
    )


def effective_sizes(sample: BootstrapSample) -> ClassSizes:
    """Return the sizes of both classes: counts, or those of equal variance.

    The variance of a rate at a threshold over that of a proportion is the design effect (Rao &
    Scott 1992), here pooled over thresholds; a size never exceeds the number of rows.
    """
    if not has_unequal_rows(sample):
        table = sample.score_table()
        negatives, positives = float(table.n_negative), float(table.n_positive)
        return ClassSizes(negatives, positives, negatives + positives)
    n = sample.n
    weights = np.ones(n) if sample.weights is None else sample.weights.astype(np.float64)
    units = np.arange(n) if sample.units is None else sample.units.astype(np.int64)
    is_positive = sample.rows.labels == 1
    tie = np.zeros(n, np.int64)
    tie[1:] = np.cumsum(sample.rows.ends[: n - 1], dtype=np.int64)
    most = weights
    if sample.weights is None or sample.weights.dtype.kind != "i":  # an integer is so many rows
        most = (weights > 0).astype(np.float64)
    negatives, positives = (
        min(_of_class(weights[chosen], units[chosen], tie[chosen]), float(most[chosen].sum()))
        for chosen in (~is_positive, is_positive)
    )
    share = _of_share(is_positive * weights, weights, units)
    return ClassSizes(negatives, positives, min(share, float(most.sum())))


def _of_class(weights: Floats, units: Codes, tie: Codes) -> float:
    """Return how many rows would give the rates of one class the variance that they have."""
    _, units = np.unique(units, return_inverse=True)
    of_unit = np.bincount(units, weights)
    total = float(weights.sum())
    stops = np.flatnonzero(np.diff(tie, append=-1)) + 1
    reached = np.cumsum(weights)[stops - 1]
    wanted = np.arange(1, N_THRESHOLDS + 1) / (N_THRESHOLDS + 1) * total
    binomial, found = 0.0, 0.0
    for stop in np.unique(stops[np.minimum(np.searchsorted(reached, wanted), len(stops) - 1)]):
        above = np.bincount(units[:stop], weights[:stop], minlength=len(of_unit))
        rate = float(above.sum()) / total
        binomial += rate * (1.0 - rate)
        found += _variance(above - rate * of_unit, total)
    if found > 0.0 and binomial > 0.0:
        return 1.0 + binomial / found  # n for n rows, whose rates vary by r (1 - r) / (n - 1)
    return total**2 / float(np.sum(of_unit**2))


def _of_share(positive: Floats, weights: Floats, units: Codes) -> float:
    total = float(weights.sum())
    share = float(positive.sum()) / total
    deviations = np.bincount(units, positive) - share * np.bincount(units, weights)
    variance = _variance(deviations, total)
    return 1.0 + share * (1.0 - share) / variance if variance > 0.0 else np.inf


def _variance(deviations: Floats, total: float) -> float:
    """Return the variance of a ratio from what each unit adds to its error."""
    n = len(deviations)
    return float(np.sum(deviations**2)) / total**2 * n / (n - 1) if n > 1 else 0.0


Kind = Literal["simultaneous", "pointwise"]
Method = Literal["equal-precision", "ks", "mover", "percentile"]
Band = dict[str, Any]  # the fields of a result, without its grid

#: The methods of each kind, its default first.
METHODS: dict[str, tuple[str, ...]] = {
    "simultaneous": ("equal-precision", "ks"),
    "pointwise": ("mover", "percentile"),
}
#: Methods that need replicates.
RESAMPLING = ("equal-precision", "percentile")
#: Of a grid that is given as a number: more than any plot shows, in memory that any machine has.
MOST_POINTS: Final = 10**6
# Replicates whose curves are this near to the data's are the data's.
_NO_GAP = 1e-6


class BandRun:
    """A band under way: its checked options, the data, and what became of the replicates."""

    def __init__(
        self,
        given: Given,
        *,
        over_recall: bool,
        kind: Any,
        method: Any,
        confidence_level: Any,
        n_resamples: Any,
        points: Any,
        stratified: Any,
        rng: Any,
        progress: bool | None,
    ) -> None:
        check_choice("kind", kind, get_args(Kind))
        if method is None:
            method = METHODS[kind][0]
        check_choice("method", method, get_args(Method))
        if method not in METHODS[kind]:
            raise InputError(
                f"`method` of a {kind} band must be one of "
                f"{', '.join(map(repr, METHODS[kind]))}: got {method!r}"
            )
        self.kind, self.method = kind, method
        self.confidence_level = check_confidence_level(confidence_level)
        self.alpha = 1.0 - self.confidence_level
        self.n_resamples = check_integer("n_resamples", n_resamples, low=2)
        self.grid = _grid(points, over_recall)
        n_values = len(self.grid) if method == "percentile" else 1
        check_memory(self.n_resamples, n_values, "take fewer replicates or a coarser `points`")
        if stratified is None:
            stratified = given.groups is None and not over_recall
        check_stratified(stratified, given.groups)
        self.stratified, self.rng, self.progress = stratified, rng, progress
        self.weights_are = given.weights_are
        self.sample = parse(given, metric_specs("roc_auc"))  # of two classes, with scores
        if method == "ks" and has_unequal_rows(self.sample):
            what = "grouped" if self.sample.units is not None else "weighted"
            raise InputError(
                f"`method='ks'` is for independent rows of equal weight, not for {what} ones: take "
                "`method='equal-precision'`"
            )
        self.sample.warn_of_sizes()
        self.sizes = ClassSizes(math.nan, math.nan, math.nan)
        self.critical_value, self.n_failed = math.nan, 0
        self.key: str | None = None

    def roc(self) -> Band:
        """Return TPR at the grid of FPR, with its limits."""

        def of_curve(curve: RateCurve) -> tuple[Floats, Limits]:
            rates = curve.at(self.grid, top=True)
            if self.method == "percentile":
                replicates, _ = self.replicates.rates(self.grid, over_tpr=False)
                return rates, self._percentiles(replicates)
            sizes = self.sizes.negatives, self.sizes.positives
            return rates, self._of_rates(curve, curve, rates, sizes, 2)

        return self._band("ROC", of_curve, "false_positive_rate", "true_positive_rate")

    def pr(self) -> Band:
        """Return precision at the grid of recalls, with its limits."""

        def of_curve(curve: RateCurve) -> tuple[Floats, Limits]:
            recall, by_recall = self.grid, curve.transposed
            rates = by_recall.at(recall, top=False)
            odds = float(curve.x[-1] / curve.y[-1])
            precision = recall / (recall + rates * odds)
            if self.method == "percentile":
                replicates, of_each = self.replicates.rates(recall, over_tpr=True)
                replicates = recall / (recall + replicates * of_each[:, None])
                return precision, self._percentiles(replicates)
            sizes = self.sizes.positives, self.sizes.negatives
            n_bounds = 2 if self.stratified else 3
            of_rates = self._of_rates(curve, by_recall, rates, sizes, n_bounds)
            of_odds = self._of_odds(odds, n_bounds)
            if self.method == "ks":  # outer limits, which hold wherever those of both factors do
                least, most = of_rates[0] * of_odds.low, of_rates[1] * of_odds.high
            else:
                least, most = product_limits(rates, of_rates, odds, of_odds)
            return precision, (recall / (recall + most), recall / (recall + least))

        return self._band("precision-recall", of_curve, "recall", "precision")

    def _band(
        self,
        what: str,
        of_curve: Callable[[RateCurve], tuple[Floats, Limits]],
        x: str,
        y: str,
    ) -> Band:
        """Return what the result holds, arrays read-only, with the warnings that it deserves."""
        table = self.sample.score_table()
        curve = low = high = np.full(len(self.grid), np.nan)
        if not lacks_a_class(table, f"a confidence band of the {what} curve"):
            self.sizes = effective_sizes(self.sample)
            if self.method in RESAMPLING:
                key = seed_key(self.rng)
                self.key = key_text(key)
                masks = self.sample.masks() if self.stratified else None
                draws = Draws(key, self.sample.n_units, masks=masks)
                sample: Any = self.sample  # of labels with scores, whatever was passed
                self.replicates = CurveReplicates(sample, draws, self.n_resamples, self.progress)
            curve, (low, high) = of_curve(RateCurve.of_table(table))
        for name in ("positives", "negatives"):
            size = getattr(self.sizes, name)
            if size < 2.0 and not np.isnan(low).all():
                warn_user(
                    f"the band is degenerate: the {name} are worth {size:.3g} independent rows, "
                    "which tell next to nothing about the rates of their class",
                    DegenerateDataWarning,
                )
        undefined = np.isnan(low), np.isnan(high)
        low, high = np.fmin(low, curve), np.fmax(high, curve)
        low[undefined[0]], high[undefined[1]] = np.nan, np.nan
        for array in (self.grid, curve, low, high):
            array.flags.writeable = False
        return {
            x: self.grid,
            y: curve,
            "low": low,
            "high": high,
            "kind": self.kind,
            "method": self.method,
            "confidence_level": self.confidence_level,
            "critical_value": self.critical_value,
            "effective_positives": self.sizes.positives,
            "effective_negatives": self.sizes.negatives,
            "n_resamples": 0 if self.key is None else self.n_resamples,
            "n_failed": self.n_failed,
            "key": self.key,
            "weights_are": self.weights_are,
        }

    def _of_rates(
        self, data: RateCurve, curve: RateCurve, rates: Floats, sizes: Pair, n_bounds: int
    ) -> Limits:
        """Return the limits of a rate of one class at rates of the other.

        ``n_bounds`` independent bounds make the band of "ks".
        """
        if self.method == "mover":
            self.critical_value = -normal_quantile(self.alpha / 2.0)
            return recovered(curve, self.grid, rates, sizes, self.critical_value)
        if self.method == "ks":
            confidence = self.confidence_level ** (1.0 / n_bounds)
            widths = kolmogorov_widths(sizes, confidence)
            return fixed_width(curve, self.grid, widths)
        self.critical_value = self._width(data)
        if math.isnan(self.critical_value):
            nothing = np.full(len(self.grid), np.nan)
            return nothing, nothing
        return equal_precision(curve, self.grid, sizes, self.critical_value)

    def _of_odds(self, odds: float, n_bounds: int) -> ConfidenceInterval:
        """Return the limits of the number of negatives to a positive; none where it was set."""
        if self.stratified:
            return ConfidenceInterval(odds, odds)
        k, m = self.sizes.rows / (1.0 + odds), self.sizes.rows * odds / (1.0 + odds)
        if self.method == "ks":
            confidence = self.confidence_level ** (1.0 / n_bounds)
            low, high = proportion_limits(k, k + m, confidence, "clopper-pearson", "two-sided")
        else:
            tail = self.alpha / (2.0 if self.method == "mover" else 4.0)
            low, high = wilson_limits(k, m, -normal_quantile(tail))
        return ConfidenceInterval((1.0 - high) / high, (1.0 - low) / low)

    def _percentiles(self, replicates: Floats) -> Limits:
        """Return the quantiles of the replicates at each point of the grid."""
        defined, n = self._defined(replicates), len(self.grid)
        if len(defined) < 2:
            nothing = np.full(n, np.nan)
            return nothing, nothing
        tail = self.alpha / 2.0
        low, high = np.quantile(defined, (tail, 1.0 - tail), axis=0)
        inside = (self.grid > 0.0) & (self.grid < 1.0)
        flat = int(np.count_nonzero((low == high) & inside))
        if flat:
            warn_user(
                f"the band is degenerate at {flat} of {n} points, where all replicates "
                "are equal: `method='mover'` has limits there",
                DegenerateDataWarning,
            )
        return low, high

    def _width(self, curve: RateCurve) -> float:
        """Return the width that the share asked for of the replicates does not exceed."""
        gaps = self._defined(self.replicates.gaps(curve, self.sizes))
        if len(gaps) < 2:
            return math.nan
        if gaps.max() < _NO_GAP:
            warn_user(
                "the band is degenerate: all replicates are equal, and its width follows from the "
                "sizes of the classes alone; `method='ks'` is exact",
                DegenerateDataWarning,
            )
        rank = min(math.ceil((len(gaps) + 1) * self.confidence_level), len(gaps))
        # At either end of the curve, one class's rate alone varies: a band of two such rates.
        least = -normal_quantile(self.alpha / 4.0)
        return max(float(np.partition(gaps, rank - 1)[rank - 1]), least)

    def _defined(self, replicates: Floats) -> Floats:
        """Return the replicates that did not fail, and warn where many did."""
        values = replicates if replicates.ndim == 1 else replicates[:, 0]
        failed = np.isnan(values)
        remedy = GATHER if self.sample.is_grouped else STRATIFY
        self.n_failed, note = failures(values, failed, remedy=remedy, what="band")
        warn_of_failures("the curve", self.n_failed, len(values), note)
        defined: Floats = replicates[~failed]
        return defined


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
