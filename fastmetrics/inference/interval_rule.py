"""Which interval an estimate gets where nobody has chosen one: limits that hold."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from fastmetrics._input.scalars import Alternative, WeightsAre
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.delong import newcombe_interval
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.proportions import ProportionMethod, proportion_limits
from fastmetrics.inference.reference import NOWHERE, critical_value, limits, quantile, within
from fastmetrics.inference.table_points import Measured, Rates, measure_of
from fastmetrics.inference.units import ROUNDING, Floats, Reference, SamplesAre, Spread
from fastmetrics.measures.asking import Asked
from fastmetrics.measures.decisions.count_measures import gradient

#: The largest gap is seen where chance raises it: the lower limit is that of a test of so many
#: gaps. The upper one may be missed twice as often as the level says, as the gap is too large.
_GAPS: Final = 4.0
_TWICE: Final = 2.0


def gap_limits(
    rates: Rates,
    level: float,
    alternative: Alternative,
    *,
    ratio: float = 1.0,
    df: float = math.inf,
) -> ConfidenceInterval:
    """Return limits of max |TPR - FPR|.

    At each threshold the gap of two independent rates has limits by Wilson's of both (Newcombe
    1998): the greatest upper limit holds, as it holds at the threshold of the population, and the
    greatest lower limit of a fourth of the error left outside; 0 where the test of Kolmogorov and
    Smirnov shows no gap. The levels were chosen by simulation (docs/coverage.md).

    ``ratio`` is the variance over that of independent rows, as groups make rows worth fewer, and
    ``df`` are the degrees of freedom of that variance.
    """
    from scipy.special import kolmogorov

    outside = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
    sizes = [n / max(1.0, ratio) for n in rates.sizes]
    gaps = rates.true_positive - rates.false_positive
    largest = float(np.abs(gaps).max())
    far = -quantile(outside / _GAPS, df)
    near = np.abs(gaps) >= largest - _widest(sizes, far)  # no limit of others is the greatest
    both = rates.true_positive[near], rates.false_positive[near]
    low, high = 0.0, 1.0
    worth = math.sqrt(sizes[0] * sizes[1] / (sizes[0] + sizes[1]))
    if alternative != "less" and kolmogorov(worth * largest) <= outside:
        low = max(0.0, max(ends[0] for ends in _ends(both, sizes, far)))
    if alternative != "greater":
        wide = -quantile(min(0.5, _TWICE * outside), df)
        high = min(1.0, max(ends[1] for ends in _ends(both, sizes, wide)))
    return ConfidenceInterval(min(low, largest), max(high, largest))


def _widest(sizes: Sequence[float], far: float) -> float:
    """Return twice as much as the limits of a gap can be from it, so many errors away."""
    return sum(2.0 * far / math.sqrt(n) + 2.0 * far * far / n for n in sizes)


def _ends(rates: tuple[Floats, Floats], sizes: list[float], z: float) -> list[tuple[float, float]]:
    """Return the greatest lower and the greatest upper limit of the gap, and of its negative."""
    (one, low_one, high_one), (other, low_other, high_other) = (
        (rate, *_wilson(rate, n, z)) for rate, n in zip(rates, sizes, strict=True)
    )
    down = np.hypot(one - low_one, high_other - other)
    up = np.hypot(high_one - one, other - low_other)
    gap = one - other
    return [
        (float((gap - down).max()), float((gap + up).max())),
        (float((-gap - up).max()), float((-gap + down).max())),
    ]


def _wilson(rate: Floats, n: float, z: float) -> tuple[Floats, Floats]:
    half = z * np.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n))
    centre, over = rate + z * z / (2.0 * n), 1.0 + z * z / n
    return (centre - half) / over, (centre + half) / over


#: Rows of the smaller class times the distance of the AUC from 0 or 1: below, Newcombe's shape
#: and the influences know too little each, and the outer limits of both are taken.
_ENOUGH: Final = 10.0
#: Degrees of freedom below which, and below that share of the rows, tails are heavy: normal errors
#: leave more, those of Student's t with 3 fewer (docs/coverage/levels.md).
_HEAVY, _SHARE_OF_HEAVY = 10.0, 20.0
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
#: Sums of recall and specificity, by what each is multiplied by.
_OF_RATES: Final = {"balanced_accuracy": 0.5, "informedness": 1.0}
#: Ratios of what share of either class is called positive (1), or is not (0).
_RATIOS: Final = {"positive_likelihood_ratio": 1, "negative_likelihood_ratio": 0}
#: From hits and trials to limits of their share.
_OfHits = Callable[[float, float], ConfidenceInterval]


def estimate_of(
    one: Asked,
    measured: Measured,
    model: int,
    level: float,
    method: str | None,
    alternative: Alternative,
    *,
    weights_are: WeightsAre | None = None,
    spread: Spread | None = None,
) -> Estimate:
    """Return the estimate of one model: error, degrees of freedom, and limits by the rule.

    ``spread`` takes the place of that of the influences.
    """
    units, measure = measured.units, measure_of(one)
    is_auc = measure.of_auc is not None and units.groups is None and units.n_strata <= 2
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
        sizes=units.class_sizes() if is_auc else None,
        counts=measured.counts[model],
        rates=measured.rates[model] if measured.rates else None,
        n_samples=measured.n_samples,
        n_groups=None if units.groups is None else units.n_units,
        design_effect=measured.design_effect(model, spread.variance),
        samples_are=measured.samples_are,
        weights_are=weights_are,
        note=measured.note,
    )


def estimate_by(
    one: Asked,
    value: float,
    spread: Spread,
    level: float,
    method: str | None,
    alternative: Alternative,
    *,
    n_samples: float,
    n_groups: int | None = None,
    sizes: tuple[float, float] | None = None,
    counts: Floats | None = None,
    rates: Rates | None = None,
    samples_are: SamplesAre = "rows",
    note: str = "",
    **fields: Any,
) -> Estimate:
    """Return the estimate of a value by its spread; ``fields`` are what else it has.

    ``sizes`` are the rows of either class, of an AUC of independent rows; ``counts`` those of
    decisions of two classes, and ``rates`` those of a largest gap.
    """
    measure = measure_of(one)
    # Of losses that are all the same, sums of a row's terms leave the rounding of their order.
    size = max(abs(value), 1.0) if measure.family == "probabilities" else abs(value)
    if spread.standard_error * math.sqrt(n_samples) <= ROUNDING * size:
        spread = Spread(0.0, math.nan)
    error = spread.standard_error if not math.isnan(value) else math.nan
    width, scale = _width(one), measure.scale
    if measure.name == "cost" and one.parameters.get("cost_matrix") is None:
        scale = "log"  # costs without gains are not negative
    own = value / width, error / width, spread.df
    limit = limits(*own, level, scale, alternative, measure.bounds)
    limit = ConfidenceInterval(width * limit.low, width * limit.high)
    name = "influence"
    share = "accuracy" if measure.family == "ranking" else measure.name
    shares = counts is not None and share in _SHARES
    fits = {
        "wilson": ("shares of independent rows of two classes", shares),
        "newcombe": ("the AUC", measure.of_auc is not None),
    }
    what, is_fit = fits.get(method or "", ("", True))
    if not is_fit:
        raise InputError(f"`method={method!r}` is for {what}: got {one.label!r}")
    of_rates = measure.name in (*_OF_RATES, *_RATIOS)
    if measure.name == "expected_cost":  # at the share of the data it is a mean of rows
        of_rates = one.parameters.get("prevalence") is not None
    of_share: ProportionMethod = "clopper-pearson" if method == "clopper-pearson" else "wilson"
    of_hits = partial(proportion_limits, level=level, method=of_share, alternative=alternative)
    if method in (None, of_share) and shares and not math.isnan(value):
        limit, name = _of_share(share, counts, of_hits), of_share
    elif method in (None, "clopper-pearson") and counts is not None and of_rates:
        if measure.name in _RATIOS:
            limit = _of_ratio(one, value, counts, level, alternative)
        else:
            limit = _of_rates(one, value, counts, of_hits, alternative)
        name = "wilson of both rates"
    elif method in (None, "newcombe") and sizes is not None and not math.isnan(value):
        of_auc = measure.of_auc or (1.0, 0.0)
        limit, name = _near_the_edge(of_auc, sizes, value, limit, level, alternative, method)
    elif method is None and rates is not None:
        limit, name = _of_gaps(rates, spread, level, alternative, n_groups), "band"
    few = min(_HEAVY, n_samples / _SHARE_OF_HEAVY)
    if math.isnan(value):
        note = note or f"{one.label} is not defined on these data"
        warn_user(f"`{one.label}` is not defined on these data", UndefinedMetricWarning)
    elif math.isnan(limit.low):
        note = f"the {samples_are} do not show how much {one.label} varies: it has no interval"
        warn_user(
            f"`{one.label}` is {value:g} and {note}",
            DegenerateDataWarning if error == 0.0 else UndefinedMetricWarning,
        )
    elif n_groups is None and spread.df < few and measure.family == "regression":
        note = (
            f"a few large errors carry that of {one.label}, as {spread.df:.2g} rows would: "
            "where tails are so heavy its interval is too narrow"
        )
    return Estimate(
        metric=one.label,
        estimate=value,
        standard_error=error,
        confidence_interval=limit,
        df=spread.df,
        confidence_level=level,
        method=name,
        scale=scale,
        alternative=alternative,
        n_samples=n_samples,
        n_groups=n_groups,
        note=note,
        **fields,
    )


def _width(one: Asked) -> float:
    """Return what a part of the AUC is at most, whose scale ends there; 1 of other measures."""
    if measure_of(one).name != "partial_auc" or one.parameters.get("standardized"):
        return 1.0
    both = ("true_positive_rate_range", "false_positive_rate_range")
    low, high = next((r for r in map(one.parameters.get, both) if r is not None), (0.0, 1.0))
    return float(high) - float(low)


def _of_share(name: str, counts: Any, of_hits: _OfHits) -> ConfidenceInterval:
    """Return the limits of a share of counts; of F1 those of TP / (TP + FP + FN), changed."""
    cells = {"tn": counts[0, 0], "fp": counts[0, 1], "fn": counts[1, 0], "tp": counts[1, 1]}
    hits, others = (sum(cells[cell] for cell in part) for part in _SHARES[name])
    found = of_hits(hits, hits + others)
    if name == "f1":
        found = ConfidenceInterval(*(2.0 * end / (1.0 + end) for end in found))
    return found


def _of_rates(
    one: Asked, value: float, counts: Any, of_hits: _OfHits, alternative: Alternative
) -> ConfidenceInterval:
    """Return limits of a sum of two rates, by Wilson's of both, or others (MOVER).

    Zou & Donner (2008), Statistics in Medicine 27:1693-1702: distances of both limits from their
    rates are put together as standard errors are.
    """
    if math.isnan(value):
        return NOWHERE
    measure, cells = measure_of(one), ((counts[1, 1], counts[1, 0]), (counts[0, 0], counts[0, 1]))
    if measure.name == "expected_cost":
        cells = ((counts[1, 0], counts[1, 1]), (counts[0, 1], counts[0, 0]))
        share, prices = float(one.parameters["prevalence"]), one.parameters
        factors = share * prices["cost_fn"], (1.0 - share) * prices["cost_fp"]
    else:
        factors = (_OF_RATES[measure.name],) * 2
    down = up = 0.0
    for factor, (hits, others) in zip(factors, cells, strict=True):
        if factor == 0.0:  # its class may be missing
            continue
        low, high = of_hits(hits, hits + others)
        rate = hits / (hits + others)
        down, up = math.hypot(down, factor * (rate - low)), math.hypot(up, factor * (high - rate))
    return within(value - down, value + up, alternative, measure.bounds)


def _of_ratio(
    one: Asked, value: float, counts: Any, level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Return limits of a ratio of a rate of the positives to that of the negatives.

    Donner & Zou (2012), Statistical Methods in Medical Research 21:347-359: where the limit of the
    numerator less the ratio times the denominator, by Wilson's of both, is 0.
    """
    if alternative != "two-sided":
        level = 2.0 * level - 1.0
    if math.isnan(value) or level <= 0.0:
        return NOWHERE
    column, sizes = _RATIOS[measure_of(one).name], counts.sum(axis=1)
    ends = [
        proportion_limits(counts[k, column], sizes[k], level, "wilson", "two-sided") for k in (1, 0)
    ]
    first, other = counts[1, column] / sizes[1], counts[0, column] / sizes[0]
    product, (above, below) = first * other, ends

    def root(of_first: float, of_other: float) -> tuple[float, float, float]:
        square = of_other * (2.0 * other - of_other)
        constant = of_first * (2.0 * first - of_first)
        return square, constant, math.sqrt(max(0.0, product * product - square * constant))

    _, constant, distance = root(above.low, below.high)
    low = float(constant / (product + distance)) if constant > 0.0 else 0.0
    square, _, distance = root(above.high, below.low)
    high = float((product + distance) / square) if square > 0.0 else math.inf
    return within(low, high, alternative, (0.0, math.inf))


def limits_of_no_difference(
    one: Asked, counts: Floats, level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Return limits of the difference of two models that decide every row alike.

    Of n rows z^2 n / (n + z^2) may still be decided differently, by Tango's interval of paired
    proportions (1998, Statistics in Medicine 17:891-908): so many of either class, each moving the
    measure as a changed decision does; the two are put together as standard errors are.
    """
    measure = measure_of(one)
    if measure.family == "ranking" or measure.name in ("accuracy", "error_rate"):  # of all rows
        sizes, moves = counts.sum(keepdims=True).ravel(), np.array([1.0 / counts.sum()])
    else:
        slopes = gradient(measure.name, counts, **one.parameters)
        sizes, moves = counts.sum(axis=1), slopes[:, 1] - slopes[:, 0]
    return _of_so_many(one, sizes, moves, level, alternative)


def _of_so_many(
    one: Asked, sizes: Floats, moves: Floats, level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Return limits of what rows not seen may move a difference of 0 by; nan of no bounds."""
    z = critical_value(math.inf, 1.0 - level, alternative)
    with np.errstate(invalid="ignore"):
        reach = float(np.linalg.norm(moves * z * z * sizes / (sizes + z * z)))
    if not math.isfinite(reach):
        return NOWHERE
    least, most = measure_of(one).bounds
    width = most - least
    return within(-reach, reach, alternative, (-width, width))


def limits_of_unseen(
    one: Asked, sizes: Floats, steps: Floats, level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Return limits of the difference of two models of which no row tells one from the other.

    As `limits_of_no_difference`: a share z^2 / (n + z^2) of the units of each stratum may still
    tell them apart, each moving the measure from the least to the greatest influence seen; or from
    bound to bound where all are the same. ``sizes`` and ``steps`` are those of `Units.ranges`.
    """
    least, most = measure_of(one).bounds
    if not steps.any():
        steps = np.where(sizes > 0.0, (most - least) / np.maximum(sizes, 1.0), 0.0)
    return _of_so_many(one, sizes, steps, level, alternative)


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
        return NOWHERE
    return gap_limits(rates, level, alternative, ratio=ratio, df=df)


def _near_the_edge(
    of_auc: tuple[float, float],
    sizes: tuple[float, float],
    value: float,
    limit: ConfidenceInterval,
    level: float,
    alternative: Alternative,
    method: str | None,
) -> tuple[ConfidenceInterval, str]:
    """Return the limits of an AUC: where few rows are out of order, the outer ones of two rules."""
    factor, shift = of_auc
    auc, is_known = (value - shift) / factor, not math.isnan(limit.low)
    if method is None and is_known and min(sizes) * min(auc, 1.0 - auc) >= _ENOUGH:
        return limit, "influence"
    if alternative != "two-sided":
        level = 2.0 * level - 1.0
    if level <= 0.0:
        return limit, "influence"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shape = newcombe_interval(auc, *(max(1.0, n) for n in sizes), confidence_level=level)
    low, high = sorted((factor * shape.low + shift, factor * shape.high + shift))
    name = "newcombe"
    if method is None and is_known:
        low, high, name = min(low, limit.low), max(high, limit.high), "outer limits with newcombe"
    ends = min(shift, factor + shift), max(shift, factor + shift)
    return within(low, high, alternative, ends), name
