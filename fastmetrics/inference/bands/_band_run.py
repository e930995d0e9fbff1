"""A band from options and data: rates at a grid, and their limits by each method."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Literal, get_args

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
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import DegenerateDataWarning, InputError, warn_user
from fastmetrics.inference.bands import _band_limits as limits
from fastmetrics.inference.bands._band_limits import Curve
from fastmetrics.inference.bands._band_replicates import (
    Resampled,
    Sizes,
    effective_sizes,
    has_unequal_rows,
)
from fastmetrics.inference.bootstrap._draws import Draws
from fastmetrics.inference.bootstrap._engine import STRATIFY, Failures
from fastmetrics.inference.bootstrap._parse import Given, parse
from fastmetrics.inference.bootstrap._plans import check_stratified, planned
from fastmetrics.inference.proportions.proportions import proportion_limits, wilson_limits
from fastmetrics.inference.reference import normal_quantile
from fastmetrics.tables.score_table import lacks_a_class

Floats = NDArray[np.float64]
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


class Run:
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
        self.form = parse(given, planned("roc_auc"))  # of two classes, with scores
        if method == "ks" and has_unequal_rows(self.form):
            what = "grouped" if self.form.units is not None else "weighted"
            raise InputError(
                f"`method='ks'` is for independent rows of equal weight, not for {what} ones: take "
                "`method='equal-precision'`"
            )
        self.form.warn_of_sizes()
        self.sizes = Sizes(math.nan, math.nan, math.nan)
        self.critical_value, self.n_failed = math.nan, 0
        self.key: str | None = None

    def roc(self) -> Band:
        """Return TPR at the grid of FPR, with its limits."""

        def of_curve(curve: Curve) -> tuple[Floats, limits.Limits]:
            rates = curve.at(self.grid, top=True)
            if self.method == "percentile":
                replicates, _ = self.replicates.rates(self.grid, over_tpr=False)
                return rates, self._percentiles(replicates)
            sizes = self.sizes.negatives, self.sizes.positives
            return rates, self._of_rates(curve, curve, rates, sizes, 2)

        return self._band("ROC", of_curve, "false_positive_rate", "true_positive_rate")

    def pr(self) -> Band:
        """Return precision at the grid of recalls, with its limits."""

        def of_curve(curve: Curve) -> tuple[Floats, limits.Limits]:
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
                least, most = limits.product_limits(rates, of_rates, odds, of_odds)
            return precision, (recall / (recall + most), recall / (recall + least))

        return self._band("precision-recall", of_curve, "recall", "precision")

    def _band(
        self,
        what: str,
        of_curve: Callable[[Curve], tuple[Floats, limits.Limits]],
        x: str,
        y: str,
    ) -> Band:
        """Return what the result holds, arrays read-only, with the warnings that it deserves."""
        table = self.form.score_table()
        curve = low = high = np.full(len(self.grid), np.nan)
        if not lacks_a_class(table, f"a confidence band of the {what} curve"):
            self.sizes = effective_sizes(self.form)
            if self.method in RESAMPLING:
                key = seed_key(self.rng)
                self.key = key_text(key)
                masks = self.form.masks() if self.stratified else None
                draws = Draws(key, self.form.n_units, masks=masks)
                form: Any = self.form  # of labels with scores, whatever was passed
                self.replicates = Resampled(form, draws, self.n_resamples, self.progress)
            curve, (low, high) = of_curve(Curve.of_table(table))
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
        self, data: Curve, curve: Curve, rates: Floats, sizes: limits.Sizes, n_bounds: int
    ) -> limits.Limits:
        """Return the limits of a rate of one class at rates of the other.

        ``n_bounds`` independent bounds make the band of "ks".
        """
        if self.method == "mover":
            self.critical_value = -normal_quantile(self.alpha / 2.0)
            return limits.recovered(curve, self.grid, rates, sizes, self.critical_value)
        if self.method == "ks":
            confidence = self.confidence_level ** (1.0 / n_bounds)
            widths = limits.kolmogorov_widths(sizes, confidence)
            return limits.fixed_width(curve, self.grid, widths)
        self.critical_value = self._width(data)
        if math.isnan(self.critical_value):
            nothing = np.full(len(self.grid), np.nan)
            return nothing, nothing
        return limits.equal_precision(curve, self.grid, sizes, self.critical_value)

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

    def _percentiles(self, replicates: Floats) -> limits.Limits:
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

    def _width(self, curve: Curve) -> float:
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
        remedy = "draw more groups of either class" if self.form.is_grouped else STRATIFY
        failures = Failures.of(values, failed, remedy=remedy, what="band")
        self.n_failed = failures.n
        failures.warn("the curve")
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
