"""Default confidence intervals: Student's t by influence values, and the rules of some metrics."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from fastmetrics._input.scalars import Alternative, WeightsAre
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import DegenerateDataWarning, InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.proportions import ProportionMethod, proportion_limits
from fastmetrics.inference.rates import Rates
from fastmetrics.inference.reference import (
    NOWHERE,
    auc_limits,
    auc_variance,
    critical_value,
    limits,
    quantile,
    within,
)
from fastmetrics.inference.units import PRIOR, ROUNDING, Floats, Variance
from fastmetrics.metrics.asking import MetricRequest
from fastmetrics.metrics.decisions.count_metrics import gradient

#: Tails are heavy below this many degrees of freedom, and below this fraction of the rows: normal
#: errors leave more, those of Student's t with 3 fewer (docs/coverage/levels.md).
_HEAVY: Final = 10.0
_ROWS_OF_HEAVY: Final = 20.0
#: Limits and the name of their method; None where a rule does not apply.
_RuleResult = tuple[ConfidenceInterval, str] | None


class _Case(NamedTuple):
    """Input of an interval rule: a metric of a model, and its variance."""

    one: MetricRequest
    measured: Measurement
    model: int
    variance: Variance
    level: float
    method: str | None
    alternative: Alternative

    @property
    def value(self) -> float:
        """The value of the metric."""
        return self.measured.values[self.model]

    @property
    def counts(self) -> Floats | None:
        """The 2 x 2 counts of independent rows, or None."""
        return self.measured.counts[self.model]

    def student_limits(self) -> ConfidenceInterval:
        """Return Student's limits on the scale of the metric."""
        if math.isnan(self.value):
            return NOWHERE
        scale, end = self.one.entry.scale_under(self.one.parameters)
        rule = self.variance.df, self.level, scale, self.alternative, self.one.entry.bounds
        low, high = limits(self.value / end, self.variance.standard_error / end, *rule)
        return ConfidenceInterval(end * low, end * high)

    @property
    def rate_limits(self) -> Callable[[float, float], ConfidenceInterval]:
        """Function of hits and trials that computes limits of a rate, by default Wilson's."""
        exact = self.method == "clopper-pearson"
        method: ProportionMethod = "clopper-pearson" if exact else "wilson"
        return partial(
            proportion_limits, level=self.level, method=method, alternative=self.alternative
        )


def make_estimate(
    one: MetricRequest,
    measured: Measurement,
    model: int,
    level: float,
    method: str | None = None,
    alternative: Alternative = "two-sided",
    *,
    weights_are: WeightsAre | None = None,
    variance: Variance | None = None,
) -> Estimate:
    """Build a model's estimate with limits by rule; ``variance`` replaces that of influences."""
    value = measured.values[model]
    note = measured.note
    variance = variance or measured.variance(one, model)
    design_effect = measured.design_effect(model, variance.value)
    # Equal losses differ by rounding: their terms are summed in different orders.
    size = max(abs(value), 1.0) if one.entry.family == "probabilities" else abs(value)
    is_rounding = variance.standard_error * math.sqrt(measured.n_samples) <= ROUNDING * size
    if one.entry.linear_in_auc is not None and not one.parameters and variance.value > 0.0:
        factor, added = one.entry.linear_in_auc
        is_rounding |= value in (added, factor + added)  # all pairs are alike, whatever they weigh
    if is_rounding:
        variance = Variance(0.0, math.nan)
    error = math.nan if math.isnan(value) else variance.standard_error
    scale, _ = one.entry.scale_under(one.parameters)
    limit, name = _interval(_Case(one, measured, model, variance, level, method, alternative))
    n_groups = None if measured.units.groups is None else measured.units.n_units
    few = min(_HEAVY, measured.n_samples / _ROWS_OF_HEAVY)
    if math.isnan(value):
        note = note or f"{one.label} is not defined on these data"
        warn_user(f"`{one.label}` is not defined on these data", UndefinedMetricWarning)
    elif math.isnan(limit.low):
        are = measured.samples_are
        note = f"the {are} do not show how much {one.label} varies: it has no interval"
        warn_user(
            f"`{one.label}` is {value:g} and {note}",
            DegenerateDataWarning if error == 0.0 else UndefinedMetricWarning,
        )
    elif n_groups is None and variance.df < PRIOR + few and one.entry.family == "regression":
        note = (
            f"a few large errors carry that of {one.label}, as {variance.df - PRIOR:.2g} rows "
            "would: where tails are so heavy its interval is too narrow"
        )
    return Estimate(
        metric=one.label,
        estimate=value,
        standard_error=error,
        confidence_interval=limit,
        df=variance.df,
        confidence_level=level,
        method=name,
        scale=scale,
        alternative=alternative,
        n_samples=measured.n_samples,
        n_groups=n_groups,
        design_effect=design_effect,
        weights_are=weights_are,
        note=note,
    )


def _interval(case: _Case) -> tuple[ConfidenceInterval, str]:
    """Compute limits by the rule of the metric, else Student's; also return the method's name."""
    rule = case.one.entry.interval
    name = "" if rule is None else rule.name
    target = ""
    if case.method == "wilson" and (name != "proportion" or case.counts is None):
        target = "shares of independent rows of two classes"
    elif case.method == "newcombe" and name != "auc":
        target = "the AUC"
    if target:
        raise InputError(f"`method={case.method!r}` is for {target}: got {case.one.label!r}")
    interval: _RuleResult = None
    if rule is not None and case.method in (None, *_RULES[name][1:]):
        interval = _RULES[name][0](case, *rule.arguments)
    return interval or (case.student_limits(), "influence")


def _proportion(
    case: _Case, successes: str, failures: str, back: Callable[[float], float] | None = None
) -> _RuleResult:
    """Compute limits of a proportion of counts, transformed by ``back``."""
    if case.counts is None or math.isnan(case.value):
        return None
    (tn, fp), (fn, tp) = case.counts
    cells = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
    hits, others = (sum(cells[cell] for cell in names.split()) for names in (successes, failures))
    interval = case.rate_limits(hits, hits + others)
    if back is not None:
        interval = ConfidenceInterval(back(interval.low), back(interval.high))
    return interval, case.method or "wilson"


def _rate_sum(case: _Case, factors: Any, rates: str = "hits") -> _RuleResult:
    """Compute limits of a weighted sum of one rate of each class by MOVER.

    Zou & Donner (2008), Statistics in Medicine 27:1693-1702: squared distances of the limits from
    their rates are added. ``factors``, of the positives first, may be a function of the parameters;
    None where the metric is no such sum.
    """
    entry = case.one.entry
    if callable(factors):
        factors = factors(**{**entry.parameters, **case.one.parameters})
    if case.counts is None or factors is None:
        return None
    name = "wilson of both rates"
    if math.isnan(case.value):
        return NOWHERE, name
    (tn, fp), (fn, tp) = case.counts
    cells = ((fn, tp), (fp, tn)) if rates == "errors" else ((tp, fn), (tn, fp))
    down = up = 0.0
    for factor, (hits, others) in zip(factors, cells, strict=True):
        if factor == 0.0:  # its class may be missing
            continue
        low, high = case.rate_limits(hits, hits + others)
        rate = hits / (hits + others)
        down = math.hypot(down, factor * (rate - low))
        up = math.hypot(up, factor * (high - rate))
    return within(case.value - down, case.value + up, case.alternative, entry.bounds), name


def _rate_ratio(case: _Case, column: int) -> _RuleResult:
    """Compute limits of the ratio of a rate of the positives to that of the negatives.

    Donner & Zou (2012), Statistical Methods in Medical Research 21:347-359: the ratio at which the
    MOVER limit of numerator - ratio * denominator, by Wilson's limits, is 0.
    """
    counts = case.counts
    if counts is None:
        return None
    name = "wilson of both rates"
    level = case.level if case.alternative == "two-sided" else 2.0 * case.level - 1.0
    if math.isnan(case.value) or level <= 0.0:
        return NOWHERE, name
    sizes = counts.sum(axis=1)
    above, below = (
        proportion_limits(counts[k, column], sizes[k], level, "wilson", "two-sided") for k in (1, 0)
    )
    other, first = counts[:, column] / sizes
    product = first * other

    def root(first_limit: float, other_limit: float) -> tuple[float, float, float]:
        square = other_limit * (2.0 * other - other_limit)
        constant = first_limit * (2.0 * first - first_limit)
        return square, constant, math.sqrt(max(0.0, product * product - square * constant))

    _, constant, distance = root(above.low, below.high)
    low = float(constant / (product + distance)) if constant > 0.0 else 0.0
    square, _, distance = root(above.high, below.low)
    high = float((product + distance) / square) if square > 0.0 else math.inf
    return within(low, high, case.alternative, (0.0, math.inf)), name


def _auc(case: _Case) -> _RuleResult:
    """Compute the score interval of an AUC, or Newcombe's by ``method="newcombe"``.

    The limits solve (t - auc)^2 = q^2 r V(t): V is Newcombe's variance, q Student's quantile, and r
    DeLong's variance over V(auc), shrunk to 1 (`_variance_ratio`).
    """
    units = case.measured.units
    is_simple = units.groups is None and units.n_strata <= 2
    if math.isnan(case.value) or (case.method is not None and not is_simple):
        return None
    level = case.level if case.alternative == "two-sided" else 2.0 * case.level - 1.0
    if level <= 0.0:
        return None
    factor, shift = _linear(case)
    auc = (case.value - shift) / factor
    m, n = (max(1.0, size) for size in units.class_sizes())
    ratio, df = 1.0, math.inf
    if case.method is None:
        ratio, df = _variance_ratio(case, auc, m, n)
        if not df > 0.0:
            return NOWHERE, "score"
    low, high = auc_limits(auc, m, n, ratio * quantile((1.0 - level) / 2.0, df) ** 2)
    low, high = sorted((factor * low + shift, factor * high + shift))
    ends = min(shift, factor + shift), max(shift, factor + shift)
    return within(low, high, case.alternative, ends), case.method or "score"


def _variance_ratio(case: _Case, auc: float, m: float, n: float) -> tuple[float, float]:
    """Compute the variance of an AUC over Newcombe's, and its degrees of freedom.

    Of independent rows it is the ratio to the power d / (d + 1) of d contributions; below 1, where
    few rows out of order may look too much alike, d / (d + 2), d being at most the expected number
    of them in the smaller class. Groups multiply it by the design effect, if that is above 1.
    """
    units = case.measured.units
    variance = case.variance
    ratio = 1.0
    rows = variance if units.groups is None else case.measured.row_variance(case.model)
    factor, _ = _linear(case)
    expected = auc_variance(auc, m, n)
    if rows.value > 0.0 and expected > 0.0:  # bins may reach 1, and still vary
        ratio = rows.value / factor**2 / expected
        known = max(0.0, rows.df - PRIOR)
        doubt = 2.0 if ratio < 1.0 else 1.0
        if ratio < 1.0:
            known = min(known, min(m, n) * min(auc, 1.0 - auc))
        ratio **= known / (known + doubt)
    if units.groups is None:
        return ratio, variance.df if variance.value > 0.0 else PRIOR
    if rows.value > 0.0 and variance.value > 0.0:
        return ratio * max(1.0, variance.value / rows.value), variance.df
    return units.n_rows / units.n_units, units.n_units - 2.0  # a group is worth one row


def _linear(case: _Case) -> tuple[float, float]:
    """Return the factor and the shift of a metric that is linear in the AUC."""
    return case.measured.linear_in_auc or case.one.entry.linear_in_auc or (1.0, 0.0)


def _concordance(case: _Case, *_: float) -> _RuleResult:
    """Return the limits of the AUC where the outcome has two values."""
    return None if case.measured.linear_in_auc is None else _auc(case)


def _largest_gap(case: _Case) -> _RuleResult:
    """Compute limits of the largest gap; groups widen them by the design effect."""
    if not case.measured.rates:
        return None
    rates = case.measured.rates[case.model]
    units = case.measured.units
    ratio, df = 1.0, math.inf
    if units.groups is not None:
        plain = rates.variance()
        # in perfect separation a group counts as one row
        df = case.variance.df if plain > 0.0 else units.n_units - 2.0
        ratio = case.variance.value / plain if plain > 0.0 else sum(rates.sizes) / units.n_units
        if not df > 0.0:
            return NOWHERE, "band"
    return gap_limits(rates, case.level, case.alternative, ratio=ratio, df=df), "band"


#: Rules by their names in the registry, with the methods of `estimate` that they implement.
_RULES: Final[dict[str, tuple[Any, ...]]] = {
    "proportion": (_proportion, "wilson", "clopper-pearson"),
    "rate sum": (_rate_sum, "clopper-pearson"),
    "rate ratio": (_rate_ratio, "clopper-pearson"),
    "auc": (_auc, "newcombe"),
    "concordance": (_concordance,),
    "largest gap": (_largest_gap,),
}


#: Chance raises the largest gap: its lower limit is corrected for so many tests, and its upper
#: limit has twice the error probability.
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
    """Compute limits of max |TPR - FPR|.

    At each threshold the gap of two independent rates has limits by Wilson's of both (Newcombe
    1998): the greatest upper limit holds, as it holds at the threshold of the population, and the
    greatest lower limit of a fourth of the error left outside; 0 where the test of Kolmogorov and
    Smirnov shows no gap. The levels were chosen by simulation (docs/coverage.md).

    ``ratio`` is the variance over that of independent rows; ``df`` are its degrees of freedom.
    """
    from scipy.special import kolmogorov

    outside = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
    sizes = [n / max(1.0, ratio) for n in rates.sizes]
    largest = rates.gap.statistic
    far, wide = (-quantile(each, df) for each in (outside / _GAPS, min(0.5, _TWICE * outside)))
    # Gaps that are farther from the largest cannot have the greatest limit.
    width = math.hypot(*(far / (2.0 * math.sqrt(n)) + far * far / n for n in sizes))
    z = np.array([[far], [wide]])
    ends = rates.near(width, lambda one, other: _ends((one, other), sizes, z))
    greatest = np.max(ends, axis=0)
    low = 0.0
    worth = math.sqrt(sizes[0] * sizes[1] / (sizes[0] + sizes[1]))
    if alternative != "less" and kolmogorov(worth * largest) <= outside:
        low = max(0.0, float(greatest[0, 0]))
    high = 1.0 if alternative == "greater" else min(1.0, float(greatest[1, 1]))
    return ConfidenceInterval(min(low, largest), max(high, largest))


def _ends(rates: tuple[Floats, Floats], sizes: list[float], z: Floats) -> Floats:
    """Compute the greatest lower and upper limits of gaps of either sign: (2, len(z))."""
    (one, low_one, high_one), (other, low_other, high_other) = (
        (rate, *_wilson(rate, n, z)) for rate, n in zip(rates, sizes, strict=True)
    )
    down = np.hypot(one - low_one, high_other - other)
    up = np.hypot(high_one - one, other - low_other)
    gap = one - other
    ends = np.maximum(gap - down, -gap - up), np.maximum(gap + up, down - gap)
    return np.array([each.max(axis=1) for each in ends])


def _wilson(rate: Floats, n: float, z: Floats) -> tuple[Floats, Floats]:
    half = z * np.sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n))
    centre = rate + z * z / (2.0 * n)
    over = 1.0 + z * z / n
    return (centre - half) / over, (centre + half) / over


def no_difference_limits(
    one: MetricRequest, counts: Floats, level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Compute limits of the difference of two models with equal decisions on all rows.

    By Tango's interval of paired proportions (1998, Statistics in Medicine 17:891-908) decisions on
    z^2 n / (n + z^2) of n rows may still differ. Each changes the metric by its gradient; the
    squares of both classes are added.
    """
    entry = one.entry
    if entry.is_proportion_of_all:
        sizes = counts.sum(keepdims=True).ravel()
        steps = 1.0 / sizes
    else:
        slopes = gradient(entry.name, counts, **one.parameters)
        sizes = counts.sum(axis=1)
        steps = slopes[:, 1] - slopes[:, 0]
    return _unseen_row_limits(one, sizes, steps, level, alternative)


def _unseen_row_limits(
    one: MetricRequest, sizes: Floats, steps: Floats, level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Compute limits of a difference of 0 that unseen rows change in steps; nan if infinite."""
    z = critical_value(math.inf, 1.0 - level, alternative)
    with np.errstate(invalid="ignore"):
        reach = float(np.linalg.norm(steps * z * z * sizes / (sizes + z * z)))
    if not math.isfinite(reach):
        return NOWHERE
    least, most = one.entry.bounds
    width = most - least
    return within(-reach, reach, alternative, (-width, width))


def unseen_limits(
    one: MetricRequest, sizes: Floats, steps: Floats, level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Compute limits of the difference of two models with equal influences on all rows.

    As in `no_difference_limits` a proportion z^2 / (n + z^2) of the units of each stratum may still
    differ. Each changes the metric by the range of influences, or by the range of the metric if all
    are equal. ``sizes`` and ``steps`` are those of `Units.ranges`.
    """
    least, most = one.entry.bounds
    if not steps.any():
        steps = np.where(sizes > 0.0, (most - least) / np.maximum(sizes, 1.0), 0.0)
    return _unseen_row_limits(one, sizes, steps, level, alternative)
