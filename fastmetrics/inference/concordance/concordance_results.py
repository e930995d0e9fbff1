"""What intervals and tests of concordance return, and how their numbers are made."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from fastmetrics._display.table import Display, Table
from fastmetrics._input.scalars import Alternative, WeightsAre
from fastmetrics._results import ConfidenceInterval, Difference, OneNumber, Result
from fastmetrics.errors import DegenerateDataWarning, no_such, warn_user
from fastmetrics.inference._pvalues import holm, normal_test
from fastmetrics.inference._sample_sizes import (
    degrees_of_freedom,
    quantile,
    warn_of_few_groups,
    warn_of_few_rows,
)
from fastmetrics.inference.concordance._influences import Rows
from fastmetrics.measures.concordance.influences import Influenced


@dataclass(frozen=True, slots=True, repr=False)
class ConcordanceInterval(OneNumber):
    """A measure of concordance with its interval.

    Attributes
    ----------
    metric : str
        Its name.
    estimate : float
        nan where it is undefined.
    confidence_interval : ConfidenceInterval
        By the inverse hyperbolic tangent (of the index: on the logit scale).
    standard_error : float
        By the infinitesimal jackknife.
    confidence_level : float
        Coverage aimed at.
    n_samples : int
        Rows that have a weight; the sum of frequencies.
    n_groups : int or None
        Groups of rows; None if each row stands for itself.
    effective_n_groups : float or None
        How many groups of equal size they are worth: the interval is by Student's t with one
        degree of freedom less.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    """

    metric: str
    estimate: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    confidence_level: float
    n_samples: int
    n_groups: int | None
    effective_n_groups: float | None
    weights_are: WeightsAre | None


@dataclass(frozen=True, slots=True, repr=False)
class ConcordancePair(Difference):
    """The difference between two models' concordance with the same outcomes.

    Attributes
    ----------
    model_a, model_b : str
        Names of the models.
    difference : float
        That of `model_a` less that of `model_b`.
    standard_error : float
        Of the difference.
    statistic : float
        z = difference / standard error; 0 where both are 0, +-inf where the error alone is.
    pvalue : float
        Of "there is no difference", by the normal distribution (with groups by Student's t).
    pvalue_holm : float
        The same, adjusted for the number of pairs (Holm 1979).
    confidence_interval : ConfidenceInterval
        Of the difference; not adjusted.
    """

    model_a: str
    model_b: str
    difference: float
    standard_error: float
    statistic: float
    pvalue: float
    pvalue_holm: float
    confidence_interval: ConfidenceInterval


@dataclass(frozen=True, slots=True, repr=False)
class ConcordanceTest(Result):
    """Several models' concordance with the same outcomes, compared.

    Attributes
    ----------
    metric : str
        What is compared.
    models : tuple of ConcordanceInterval
        Of each model, in the order given.
    names : tuple of str
        Of the models.
    pairs : tuple of ConcordancePair
        Every two models, in the order of `names`.
    confidence_level : float
        Coverage aimed at.
    alternative : {"two-sided", "less", "greater"}
        Of the pairs: the difference is other than 0, below 0 or above 0.
    """

    metric: str
    models: tuple[ConcordanceInterval, ...]
    names: tuple[str, ...]
    pairs: tuple[ConcordancePair, ...]
    confidence_level: float
    alternative: Alternative

    @property
    def estimate(self) -> tuple[float, ...]:
        """The measure of each model."""
        return tuple(model.estimate for model in self.models)

    def __getitem__(self, models: tuple[str, str]) -> ConcordancePair:
        """Return the comparison of two models, by their names in the order of `names`."""
        for pair in self.pairs:
            if (pair.model_a, pair.model_b) == models:
                return pair
        raise no_such(models, "pairs", ((pair.model_a, pair.model_b) for pair in self.pairs))

    def __iter__(self) -> Iterator[ConcordancePair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def _shown(self) -> Display:
        level = self.confidence_level
        names = ("confidence_interval", "standard_error", "statistic", "pvalue", "pvalue_holm")
        pairs = Table.of_pairs(self.pairs, names, words={"statistic": "z"}, level=level)
        of_models = Table.of(self.models, ("estimate", "confidence_interval", "standard_error"))
        own = Table({"model": self.names} | dict(of_models.columns), level=level, framed=False)
        notes = [f"{self.metric}; {self.alternative}; intervals are not adjusted."]
        return Display([pairs, own], type(self).__name__, notes)


def limits_of(
    value: float, error: float, level: float, df: float | None, *, is_index: bool
) -> ConfidenceInterval:
    """Return limits within the range [-1, 1], or [0, 1]; nan where nothing varies.

    The inverse hyperbolic tangent of 2 C - 1 is half the logit of C.
    """
    value, scale = (2.0 * value - 1.0, 2.0) if is_index else (value, 1.0)
    if not (error > 0.0 and abs(value) < 1.0):
        return ConfidenceInterval(math.nan, math.nan)
    z = -quantile((1.0 - level) / 2, df)
    centre, half = math.atanh(value), z * scale * error / (1.0 - value * value)
    low, high = math.tanh(centre - half), math.tanh(centre + half)
    if is_index:
        low, high = (low + 1.0) / 2, (high + 1.0) / 2
    return ConfidenceInterval(low, high)


def interval_of(
    metric: str, found: Influenced, rows: Rows, level: float, *, is_index: bool = False
) -> ConcordanceInterval:
    """Return a measure with its interval; ``is_index`` of those whose range is [0, 1]."""
    effective = rows.effective_groups
    error = math.sqrt(rows.variance(found.influences))
    limits = limits_of(found.value, error, level, degrees_of_freedom(effective), is_index=is_index)
    if math.isnan(limits.low) and not math.isnan(found.value):
        warn_user(
            f"`{metric}` does not vary between these rows: its interval is not defined",
            DegenerateDataWarning,
        )
    return ConcordanceInterval(
        metric=metric,
        estimate=found.value,
        confidence_interval=limits,
        standard_error=error,
        confidence_level=level,
        n_samples=rows.n_rows,
        n_groups=rows.n_groups,
        effective_n_groups=effective,
        weights_are=rows.weights_are,
    )


def compare(
    metric: str,
    names: tuple[str, ...],
    found: list[Influenced],
    rows: Rows,
    level: float,
    alternative: Alternative,
    *,
    is_index: bool = False,
) -> ConcordanceTest:
    """Return every two models compared, by the influences that each row has on both."""
    models = tuple(interval_of(metric, one, rows, level, is_index=is_index) for one in found)
    between = degrees_of_freedom(rows.effective_groups)
    most = 1.0 if is_index else 2.0  # that a difference can be, either way
    numbers = []
    for one, other in itertools.combinations(range(len(names)), 2):
        difference = found[one].value - found[other].value
        error = math.sqrt(rows.variance(found[one].influences - found[other].influences))
        test = normal_test(difference / most, error / most, level, alternative, between)
        numbers.append((names[one], names[other], difference, error, test))
    adjusted = holm([test.pvalue for *_, test in numbers])
    pairs = tuple(
        ConcordancePair(
            a,
            b,
            difference,
            error,
            test.statistic,
            test.pvalue,
            p,
            ConfidenceInterval(most * test.interval.low, most * test.interval.high),
        )
        for (a, b, difference, error, test), p in zip(numbers, adjusted, strict=True)
    )
    if any(pair.standard_error == 0.0 for pair in pairs):
        warn_user(
            "the variance of a difference is 0: two models order the rows alike, or so that none "
            "varies",
            DegenerateDataWarning,
        )
    return ConcordanceTest(metric, models, names, pairs, level, alternative)


def warn_of_rows(rows: Rows) -> None:
    """Say where groups or weights leave too little."""
    warn_of_few_groups(rows.effective_groups, rows.n_groups or 0)
    if rows.weights_are == "importances":
        warn_of_few_rows(rows.effective_rows, rows.n_rows)
