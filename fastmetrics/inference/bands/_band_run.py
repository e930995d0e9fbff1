"""A band from checked options and data: rates at a grid, and their limits by each method."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import key_text, seed_key
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import DegenerateDataWarning, warn_user
from fastmetrics.inference.bands import _band_limits as limits
from fastmetrics.inference.bands._band_curve import Curve, curve_of_table
from fastmetrics.inference.bands._band_options import Options
from fastmetrics.inference.bands._band_replicates import Resampled
from fastmetrics.inference.bands._band_sizes import Sizes, effective_sizes
from fastmetrics.inference.bootstrap._engine import STRATIFY, Failures
from fastmetrics.inference.bootstrap._forms import Form
from fastmetrics.inference.proportions.proportions import (
    proportion_limits,
    wilson_limits,
)
from fastmetrics.inference.reference import normal_quantile
from fastmetrics.tables.scores.both_classes import lacks_a_class

Floats = NDArray[np.float64]

# Replicates whose curves are this near to the data's are the data's.
_NO_GAP = 1e-6
Band = dict[str, Any]  # the fields of a result, without its grid


def roc_limits(form: Form, options: Options, rng: Any) -> Band:
    """Return TPR at the grid of FPR, with its limits."""
    curve = _curve(form, "a confidence band of the ROC curve")
    if curve is None:
        return _undefined(options)
    rates = curve.at(options.grid, top=True)
    run = _Run(form, options, curve, rng, n_bounds=2)
    if options.method == "percentile":
        replicates, _ = run.replicates.rates(options.grid, over_tpr=False)
        return run.of_percentiles(rates, replicates)
    sizes = (run.sizes.negatives, run.sizes.positives)
    low, high = run.of_rates(curve, rates, sizes)
    return run.band(rates, low, high)


def pr_limits(form: Form, options: Options, rng: Any) -> Band:
    """Return precision at the grid of recalls, with its limits."""
    curve = _curve(form, "a confidence band of the precision-recall curve")
    if curve is None:
        return _undefined(options)
    recall, by_recall = options.grid, curve.transposed
    rates = by_recall.at(recall, top=False)
    odds = float(curve.x[-1] / curve.y[-1])
    precision = recall / (recall + rates * odds)
    run = _Run(form, options, curve, rng, n_bounds=2 if options.stratified else 3)
    if options.method == "percentile":
        replicates, of_replicates = run.replicates.rates(recall, over_tpr=True)
        of_replicates = of_replicates[:, None]
        return run.of_percentiles(precision, recall / (recall + replicates * of_replicates))
    sizes = (run.sizes.positives, run.sizes.negatives)
    of_rates = run.of_rates(by_recall, rates, sizes)
    of_odds = run.of_odds(odds)
    if options.method == "ks":
        least, most = limits.outer_product(of_rates, of_odds)
    else:
        least, most = limits.product_limits(rates, of_rates, odds, of_odds)
    return run.band(precision, recall / (recall + most), recall / (recall + least))


def _curve(form: Form, what: str) -> Curve | None:
    """Return the curve of the data; None, with a warning, where it has one class only."""
    table = form.score_table()
    return None if lacks_a_class(table, what) else curve_of_table(table)


def _undefined(options: Options) -> Band:
    nothing, sizes = np.full(len(options.grid), np.nan), Sizes(math.nan, math.nan, math.nan)
    return _band(options, nothing, nothing, nothing, math.nan, sizes)


def _band(
    options: Options,
    curve: Floats,
    low: Floats,
    high: Floats,
    critical_value: float,
    sizes: Sizes,
    *,
    n_failed: int = 0,
    key: str | None = None,
) -> Band:
    """Return what the results of both curves share, with arrays that are read-only."""
    undefined = np.isnan(low), np.isnan(high)
    low, high = np.fmin(low, curve), np.fmax(high, curve)
    low[undefined[0]], high[undefined[1]] = np.nan, np.nan
    for array in (options.grid, curve, low, high):
        array.flags.writeable = False
    return {
        "curve": curve,
        "low": low,
        "high": high,
        "kind": options.kind,
        "method": options.method,
        "confidence_level": options.confidence_level,
        "critical_value": critical_value,
        "effective_positives": sizes.positives,
        "effective_negatives": sizes.negatives,
        "n_resamples": 0 if key is None else options.n_resamples,
        "n_failed": n_failed,
        "key": key,
        "weights_are": options.weights_are,
    }


class _Run:
    """One band under way: its sizes, its replicates, and what became of them.

    ``n_bounds`` independent bounds make the band of "ks".
    """

    def __init__(
        self, form: Form, options: Options, curve: Curve, rng: Any, *, n_bounds: int
    ) -> None:
        self.options, self.curve = options, curve
        self.confidence_of_each = options.confidence_level ** (1.0 / n_bounds)
        self.sizes = effective_sizes(form)
        self.is_grouped = form.is_grouped
        self.critical_value = math.nan
        self.n_failed = 0
        self.key: str | None = None
        if options.resamples:
            key = seed_key(rng)
            self.key = key_text(key)
            self.replicates = Resampled(form, options, key)

    def band(self, curve: Floats, low: Floats, high: Floats) -> Band:
        """Return the band, with the warnings that it deserves."""
        for name in ("positives", "negatives"):
            size = getattr(self.sizes, name)
            if size < 2.0 and not np.isnan(low).all():
                warn_user(
                    f"the band is degenerate: the {name} are worth {size:.3g} independent rows, "
                    "which tell next to nothing about the rates of their class",
                    DegenerateDataWarning,
                )
        found = (self.options, curve, low, high, self.critical_value, self.sizes)
        return _band(*found, n_failed=self.n_failed, key=self.key)

    def of_rates(self, curve: Curve, rates: Floats, sizes: limits.Sizes) -> limits.Limits:
        """Return the limits of a rate of one class at rates of the other."""
        alpha, grid = self.options.alpha, self.options.grid
        if self.options.method == "mover":
            self.critical_value = -normal_quantile(alpha / 2.0)
            return limits.recovered(curve, grid, rates, sizes, self.critical_value)
        if self.options.method == "ks":
            widths = limits.kolmogorov_widths(sizes, self.confidence_of_each)
            return limits.fixed_width(curve, grid, widths)
        self.critical_value = self._width()
        if math.isnan(self.critical_value):
            nothing = np.full(len(grid), np.nan)
            return nothing, nothing
        return limits.equal_precision(curve, grid, sizes, self.critical_value)

    def of_odds(self, odds: float) -> ConfidenceInterval:
        """Return the limits of the number of negatives to a positive; none where it was set."""
        if self.options.stratified:
            return ConfidenceInterval(odds, odds)
        alpha, size = self.options.alpha, self.sizes.rows
        k, m = size / (1.0 + odds), size * odds / (1.0 + odds)
        if self.options.method == "ks":
            confidence = self.confidence_of_each
            share = proportion_limits(k, k + m, confidence, "clopper-pearson", "two-sided")
            low, high = share.low, share.high
        else:
            tail = alpha / (2.0 if self.options.method == "mover" else 4.0)
            low, high = wilson_limits(k, m, -normal_quantile(tail))
        return ConfidenceInterval((1.0 - high) / high, (1.0 - low) / low)

    def of_percentiles(self, curve: Floats, replicates: Floats) -> Band:
        """Return the quantiles of the replicates at each point of the grid."""
        defined = self._defined(replicates)
        if len(defined) < 2:
            nothing = np.full(len(curve), np.nan)
            return self.band(curve, nothing, nothing)
        tail = self.options.alpha / 2.0
        low, high = np.quantile(defined, (tail, 1.0 - tail), axis=0)
        inside = (self.options.grid > 0.0) & (self.options.grid < 1.0)
        flat = int(np.count_nonzero((low == high) & inside))
        if flat:
            warn_user(
                f"the band is degenerate at {flat} of {len(curve)} points, where all replicates "
                "are equal: `method='mover'` has limits there",
                DegenerateDataWarning,
            )
        return self.band(curve, low, high)

    def _width(self) -> float:
        """Return the width that the share asked for of the replicates does not exceed."""
        gaps = self._defined(self.replicates.gaps(self.curve, self.sizes))
        if len(gaps) < 2:
            return math.nan
        if gaps.max() < _NO_GAP:
            warn_user(
                "the band is degenerate: all replicates are equal, and its width follows from the "
                "sizes of the classes alone; `method='ks'` is exact",
                DegenerateDataWarning,
            )
        rank = min(math.ceil((len(gaps) + 1) * self.options.confidence_level), len(gaps))
        # At either end of the curve, one class's rate alone varies: a band of two such rates.
        least = -normal_quantile(self.options.alpha / 4.0)
        return max(float(np.partition(gaps, rank - 1)[rank - 1]), least)

    def _defined(self, replicates: Floats) -> Floats:
        """Return the replicates that did not fail, and warn where many did."""
        values = replicates if replicates.ndim == 1 else replicates[:, 0]
        failed = np.isnan(values)
        remedy = "draw more groups of either class" if self.is_grouped else STRATIFY
        failures = Failures.of(values, failed, remedy=remedy, what="band")
        self.n_failed = failures.n
        failures.warn("the curve")
        defined: Floats = replicates[~failed]
        return defined
