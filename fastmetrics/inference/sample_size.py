"""How many samples an interval or a comparison needs, from the standard error of those at hand."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from fastmetrics._input.scalars import Alternative, check_fraction, check_positive
from fastmetrics._results import Result
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.reference import critical_value, limits, tail

#: More samples than anyone has; their product with a standard error is still exact enough.
_MOST: Final = 10**15
#: Degrees of freedom beyond which Student's t is the normal distribution.
_MANY_DF: Final = 1e6


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """The number of samples that an interval or a comparison needs.

    Attributes
    ----------
    metric : str
        The metric, and of a difference the two models.
    n_samples : float
        Rows, or queries of a ranking; a whole number, or nan where it cannot be known.
    n_groups : float or None
        Groups (clusters) as large as those at hand; None where each sample stands for itself.
    standard_error : float
        Of the estimate, or of the difference, with so many samples.
    half_width : float
        Half the width of the interval with so many samples; of a one-sided interval the distance of
        its limit from the estimate.
    difference, power : float or None
        The true difference, and the probability that it is shown; None of an interval.
    confidence_level : float
        Of the interval and of the test.
    """

    metric: str
    n_samples: float
    n_groups: float | None
    standard_error: float
    half_width: float
    difference: float | None
    power: float | None
    confidence_level: float


class _Pilot(NamedTuple):
    """Standard error and degrees of freedom of the samples at hand, and how many units they are."""

    standard_error: float
    df: float
    n_samples: float
    n_groups: int | None

    @property
    def n_units(self) -> float:
        """Groups where there are some, else samples."""
        return self.n_samples if self.n_groups is None else float(self.n_groups)

    def at(self, n_units: int) -> tuple[float, float]:
        """Return the standard error and degrees of freedom of so many units."""
        factor = n_units / self.n_units
        return self.standard_error / math.sqrt(factor), self.df * factor

    def is_known(self, metric: str) -> bool:
        """Return whether the data tell how much the metric varies; warn if not."""
        if self.standard_error > 0.0 and self.df > 0.0 and self.n_units > 0.0:
            return True
        warn_user(
            f"the number of samples for {metric} is nan: its standard error is "
            f"{self.standard_error:g} on {self.n_units:g} samples, which does not tell how much it "
            "varies",
            UndefinedMetricWarning,
        )
        return False

    def result(self, n_units: int, **fields: Any) -> SampleSize:
        """Return the plan with so many units, the classes and group sizes being those at hand."""
        n_samples = math.ceil(n_units * (self.n_samples / self.n_units))
        n_groups = None if self.n_groups is None else n_units
        error = self.at(n_units)[0]
        return SampleSize(n_samples=n_samples, n_groups=n_groups, standard_error=error, **fields)

    def unknown(self, **fields: Any) -> SampleSize:
        """Return the plan where it cannot be known."""
        n_groups = None if self.n_groups is None else math.nan
        nan = math.nan
        return SampleSize(
            n_samples=nan, n_groups=n_groups, standard_error=nan, half_width=nan, **fields
        )


def size_for_half_width(one: Any, half_width: Any) -> SampleSize:
    """Return how many samples give the interval of an `Estimate` this half width at most."""
    width = check_positive("half_width", half_width)
    pilot = _Pilot(one.standard_error, one.df, one.n_samples, one.n_groups)
    fields: dict[str, Any] = {"metric": one.metric, "confidence_level": one.confidence_level}
    fields |= {"difference": None, "power": None}
    if not pilot.is_known(one.metric):
        return pilot.unknown(**fields)

    def reached(n_units: int) -> float:
        error, df = pilot.at(n_units)
        rule = one.confidence_level, one.scale, one.alternative
        low, high = limits(one.estimate, error, df, *rule)
        if one.alternative == "two-sided":
            return (high - low) / 2.0
        return float(high - one.estimate if one.alternative == "less" else one.estimate - low)

    n_units = _smallest(lambda n: reached(n) <= width)
    return pilot.result(n_units, half_width=reached(n_units), **fields)


def size_for_difference(
    pair: Any,
    n_samples: float,
    n_groups: int | None,
    level: float,
    alternative: Alternative,
    *,
    difference: Any,
    power: Any,
) -> SampleSize:
    """Return how many samples show the difference of a `Pair` with a power, tested at a level."""
    gap, chance = check_positive("difference", difference), check_fraction("power", power)
    pilot = _Pilot(pair.standard_error, pair.df, n_samples, n_groups)
    name = f"{pair.metric} of {pair.a} and {pair.b}"
    fields: dict[str, Any] = {"metric": name, "difference": gap, "confidence_level": level}
    if not pilot.is_known(name):
        return pilot.unknown(power=math.nan, **fields)

    def reached(n_units: int) -> float:
        error, df = pilot.at(n_units)
        return _power(gap / error, df, abs(critical_value(df, 1.0 - level, alternative)))

    n_units = _smallest(lambda n: reached(n) >= chance)
    error, df = pilot.at(n_units)
    half_width = abs(critical_value(df, 1.0 - level, alternative)) * error
    return pilot.result(n_units, half_width=half_width, power=reached(n_units), **fields)


def _power(shift: float, df: float, critical: float) -> float:
    """Return the chance that a t with this noncentrality is above its critical value."""
    if df > _MANY_DF:
        return tail(shift - critical, math.inf)
    from scipy.special import nctdtr

    return 1.0 - float(nctdtr(df, shift, critical))


def _smallest(is_enough: Callable[[int], bool]) -> int:
    """Return the smallest number of units, from 2 on, that is enough."""
    high = 2
    while not is_enough(high):
        high *= 2
        if high > _MOST:
            raise InputError("more than 10^15 samples are needed: ask for less")
    low = max(2, high // 2)
    return low + bisect_left(range(low, high), True, key=is_enough)
