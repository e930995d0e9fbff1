"""Which interval an estimate gets where nobody has chosen one: limits that hold."""

from __future__ import annotations

import math
import warnings
from typing import Any, Final

import numpy as np

from fastmetrics._input.scalars import Alternative, WeightsAre
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference.delong.newcombe import newcombe_interval
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.largest_gap import Rates, gap_limits
from fastmetrics.inference.proportions._proportion_limits import proportion_limits
from fastmetrics.inference.reference import limits
from fastmetrics.inference.table_points import Measured, measure_of
from fastmetrics.inference.units import Floats, Reference, SamplesAre, Spread, Units
from fastmetrics.measures.asking import Asked

#: Rows of the smaller class times the distance of the AUC from 0 or 1: below, Newcombe's shape
#: and the influences know too little each, and the outer limits of both are taken.
_ENOUGH: Final = 10.0
_AUC: Final = ("roc_auc",)
#: The cells that count as successes of a share, and those that count as failures.
_SHARES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "accuracy": (("tp", "tn"), ("fp", "fn")),
    "error_rate": (("fp", "fn"), ("tp", "tn")),
    "precision": (("tp",), ("fp",)),
    "recall": (("tp",), ("fn",)),
    "specificity": (("tn",), ("fp",)),
    "npv": (("tn",), ("fn",)),
    "false_positive_rate": (("fp",), ("tn",)),
    "false_negative_rate": (("fn",), ("tp",)),
    "jaccard": (("tp",), ("fp", "fn")),
    "f1": (("tp",), ("fp", "fn")),  # of F* = TP / (TP + FP + FN); F1 = 2 F* / (1 + F*)
}
#: Sums of recall and specificity: the share of each, and the range.
_OF_RATES: Final = {"balanced_accuracy": (0.5, (0.0, 1.0)), "informedness": (1.0, (-1.0, 1.0))}


def estimate_of(
    one: Asked,
    measured: Measured,
    model: int,
    level: float,
    method: str | None,
    alternative: Alternative,
    *,
    weights_are: WeightsAre | None,
    spread: Spread | None = None,
) -> Estimate:
    """Return the estimate of one model: error, degrees of freedom, and limits by the rule.

    ``spread`` takes the place of that of the influences.
    """
    units, measure = measured.units, measure_of(one)
    is_auc = measure.name in _AUC and units.groups is None and units.n_strata <= 2
    is_mean = measure.family == "ranking" and units.groups is None
    reference: Reference = "student" if is_mean else "contributions"
    spread = spread or units.spread(measured.influences[model], reference)
    return estimate_by(
        one,
        measured.values[model],
        spread,
        level,
        method,
        alternative,
        sizes=class_sizes(units) if is_auc else None,
        counts=measured.counts[model],
        rates=measured.rates[model] if measured.rates else None,
        n_samples=measured.n_samples,
        n_groups=None if units.groups is None else units.n_units,
        samples_are=measured.samples_are,
        weights_are=weights_are,
    )


def estimate_by(
    one: Asked,
    value: float,
    spread: Spread,
    level: float,
    method: str | None,
    alternative: Alternative,
    *,
    sizes: tuple[float, float] | None = None,
    counts: Floats | None = None,
    rates: Rates | None = None,
    n_samples: float,
    n_groups: int | None = None,
    samples_are: SamplesAre = "rows",
    weights_are: WeightsAre | None = None,
) -> Estimate:
    """Return the estimate of a value by its spread.

    ``sizes`` are the rows of either class, of an AUC of independent rows; ``counts`` those of
    decisions of two classes, and ``rates`` those of a largest gap.
    """
    measure = measure_of(one)
    error = spread.standard_error if not math.isnan(value) else math.nan
    width = _width(one)
    limit = limits(
        *(value / width, error / width, spread.df, level, measure.scale, alternative),
        bounds=measure.bounds,
    )
    limit = ConfidenceInterval(width * limit.low, width * limit.high)
    name = "influence"
    share = "accuracy" if measure.family == "ranking" else measure.name
    shares = counts is not None and share in _SHARES
    if method in ("wilson", "newcombe") and not (
        shares if method == "wilson" else measure.name in _AUC
    ):
        what = "shares of independent rows of two classes" if method == "wilson" else "the AUC"
        raise InputError(f"`method={method!r}` is for {what}: got {one.label!r}")
    if method in (None, "wilson") and shares and not math.isnan(value):
        limit, name = _wilson(share, counts, level, alternative), "wilson"
    elif method is None and counts is not None and measure.name in _OF_RATES:
        limit = _of_rates(measure.name, value, counts, level, alternative)
        name = "wilson of both rates"
    elif method in (None, "newcombe") and sizes is not None and not math.isnan(value):
        limit, name = _near_the_edge(sizes, value, limit, level, alternative, method)
    elif method is None and rates is not None:
        limit, name = _of_gaps(rates, spread, level, alternative, n_groups), "band"
    note = ""
    if math.isnan(value):
        warn_user(f"`{one.label}` is not defined on these data", UndefinedMetricWarning)
    elif math.isnan(limit.low):
        those = f"the {samples_are}"
        note = f"{those} do not show how much {one.label} varies: it has no interval"
        warn_user(
            f"`{one.label}` is {value:g} and {note}",
            DegenerateDataWarning if error == 0.0 else UndefinedMetricWarning,
        )
    return Estimate(
        metric=one.label,
        estimate=value,
        standard_error=error,
        confidence_interval=limit,
        df=spread.df,
        confidence_level=level,
        method=name,
        scale=measure.scale,
        alternative=alternative,
        n_samples=n_samples,
        n_groups=n_groups,
        weights_are=weights_are,
        note=note,
    )


def _width(one: Asked) -> float:
    """Return what a part of the AUC is at most, whose scale ends there; 1 of other measures."""
    if measure_of(one).name != "partial_auc" or one.parameters.get("standardized"):
        return 1.0
    both = ("true_positive_rate_range", "false_positive_rate_range")
    low, high = next((r for r in map(one.parameters.get, both) if r is not None), (0.0, 1.0))
    return float(high) - float(low)


def _wilson(name: str, counts: Any, level: float, alternative: Alternative) -> ConfidenceInterval:
    """Return Wilson's limits of a share of counts; of F1 those of TP / (TP + FP + FN), changed."""
    cells = {"tn": counts[0, 0], "fp": counts[0, 1], "fn": counts[1, 0], "tp": counts[1, 1]}
    hits, others = (sum(cells[cell] for cell in part) for part in _SHARES[name])
    found = proportion_limits(hits, hits + others, level, "wilson", alternative)
    if name == "f1":
        found = ConfidenceInterval(*(2.0 * end / (1.0 + end) for end in found))
    return found


def _of_rates(
    name: str, value: float, counts: Any, level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Return limits of a sum of recall and specificity, by Wilson's of both (MOVER).

    Zou & Donner (2008), Statistics in Medicine 27:1693-1702: distances of both limits from their
    rates are put together as standard errors are.
    """
    if math.isnan(value):
        return ConfidenceInterval(math.nan, math.nan)
    share, (least, most) = _OF_RATES[name]
    down, up = 0.0, 0.0
    for hits, others in ((counts[1, 1], counts[1, 0]), (counts[0, 0], counts[0, 1])):
        low, high = proportion_limits(hits, hits + others, level, "wilson", alternative)
        rate = hits / (hits + others)
        down, up = math.hypot(down, share * (rate - low)), math.hypot(up, share * (high - rate))
    low = least if alternative == "less" else max(least, value - down)
    return ConfidenceInterval(low, most if alternative == "greater" else min(most, value + up))


def _of_gaps(
    rates: Rates, spread: Spread, level: float, alternative: Alternative, n_groups: int | None
) -> ConfidenceInterval:
    """Return limits of the largest gap; groups make rows worth fewer, too few say nothing."""
    if n_groups is None:
        return gap_limits(rates, level, alternative)
    plain = rates.variance()
    if plain > 0.0:
        ratio, df = spread.variance / plain, spread.df
    else:  # no row is out of order: a group is worth one row
        ratio, df = sum(rates.sizes) / n_groups, n_groups - 2.0
    if not df > 0.0:
        return ConfidenceInterval(math.nan, math.nan)
    return gap_limits(rates, level, alternative, ratio=ratio, df=df)


def _near_the_edge(
    sizes: tuple[float, float],
    value: float,
    limit: ConfidenceInterval,
    level: float,
    alternative: Alternative,
    method: str | None,
) -> tuple[ConfidenceInterval, str]:
    """Return the limits of an AUC: where few rows are out of order, the outer ones of two rules."""
    is_known = not math.isnan(limit.low)
    if method is None and is_known and min(sizes) * min(value, 1.0 - value) >= _ENOUGH:
        return limit, "influence"
    if alternative != "two-sided":
        level = 2.0 * level - 1.0
    if level <= 0.0:
        return limit, "influence"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shape = newcombe_interval(value, *(max(1.0, n) for n in sizes), confidence_level=level)
    low, high = shape.low, shape.high
    name = "newcombe"
    if method is None and is_known:
        low, high, name = min(low, limit.low), max(high, limit.high), "outer limits with newcombe"
    if alternative == "less":
        low = 0.0
    elif alternative == "greater":
        high = 1.0
    return ConfidenceInterval(low, high), name


def class_sizes(units: Units) -> tuple[float, float]:
    """Return the rows of either class; of importances, how many equal ones tell as much."""
    codes = np.flatnonzero(units.sizes_of_strata)
    if units.weights is None:
        return float(units.sizes_of_strata[codes[-1]]), float(units.sizes_of_strata[codes[0]])
    own = (units.weights[units.strata == code] for code in (codes[-1], codes[0]))
    first, second = (float(each.sum()) ** 2 / float(np.sum(each * each)) for each in own)
    return first, second
