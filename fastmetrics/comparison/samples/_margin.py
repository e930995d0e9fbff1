"""Tests of a paired difference against a margin: what equivalence and non-inferiority share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from fastmetrics._input.scalars import check_fraction, check_integer, check_positive
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison.samples._differences import check_differences
from fastmetrics.comparison.samples._paired_proportions import (
    PairedCounts,
    score_interval,
    score_statistic,
)
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.intervals._student import Moments, critical_t, moments, student_test


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """A mean difference that is tested by Student's t."""

    found: Moments
    standard_error: float

    @property
    def difference(self) -> float:
        """A less B."""
        return self.found.mean

    @property
    def df(self) -> float | None:
        """Degrees of freedom."""
        return float(self.found.n - 1)

    def against(self, margin: float, side: Literal["less", "greater"]) -> tuple[float, float]:
        """Return t and p of "the difference is less (greater) than the margin"."""
        test = student_test(
            self.difference - margin, self.standard_error, self.found.n - 1, 0.05, side, warn=False
        )
        return test.statistic, test.pvalue

    def critical_value(self, alpha: float) -> float:
        """Return the t from which on a one-sided test rejects."""
        if self.found.n == 1:
            return math.nan
        return critical_t(self.found.n - 1, alpha, "greater")

    def interval(self, alpha: float) -> ConfidenceInterval:
        """Return the interval of level 1 - 2 alpha."""
        half = self.critical_value(alpha) * self.standard_error
        return ConfidenceInterval(self.difference - half, self.difference + half)

    def warn(self) -> None:
        """Say what is undefined or degenerate."""
        if self.found.n == 1:
            message = "the t statistic is not defined: one number has no variance"
            warn_user(message, UndefinedMetricWarning)
        elif self.standard_error == 0:
            warn_user(
                f"the differences do not vary: each is {self.difference:g}, and the p-value is 0 "
                "or 1",
                DegenerateDataWarning,
            )


@dataclass(frozen=True, slots=True)
class ProportionDifference:
    """A difference of paired proportions that is tested by Tango's score."""

    counts: PairedCounts

    @property
    def difference(self) -> float:
        """A less B."""
        return self.counts.difference

    @property
    def df(self) -> float | None:
        """None: the statistic is normal."""
        return None

    def against(self, margin: float, side: Literal["less", "greater"]) -> tuple[float, float]:
        """Return z and p of "the difference is less (greater) than the margin"."""
        from scipy.special import ndtr

        z = score_statistic(self.counts, margin)
        return z, float(ndtr(z if side == "less" else -z))

    def critical_value(self, alpha: float) -> float:
        """Return the z from which on a one-sided test rejects."""
        from scipy.special import ndtri

        return -float(ndtri(alpha))

    def interval(self, alpha: float) -> ConfidenceInterval:
        """Return the interval of level 1 - 2 alpha."""
        return score_interval(self.counts, self.critical_value(alpha))

    def warn(self) -> None:
        """Nothing is undefined here."""


def checked_difference(
    scores_a: Any, scores_b: Any, counts: Any, rho: float
) -> MeanDifference | ProportionDifference:
    """Return the difference of paired numbers, or of paired proportions by their counts."""
    if (scores_a is None) == (counts is None):
        raise InputTypeError(
            f"pass either `scores_a` or `counts`: got {'neither' if counts is None else 'both'}"
        )
    check_fraction("rho", rho, include_low=True)
    if counts is None:
        found = check_differences(scores_a, scores_b, "scores")
        numbers = moments(found.values, found.rounding)
        spread = math.sqrt(1 / numbers.n + rho / (1 - rho))
        return MeanDifference(numbers, numbers.deviation * spread)
    if isinstance(counts, str) or not hasattr(counts, "__len__") or len(counts) != 3:
        raise InputError(f"`counts` must be (only A right, only B right, examples): got {counts!r}")
    n = check_integer("counts[2]", counts[2], low=1)
    only_a = check_integer("counts[0]", counts[0], low=0, high=n)
    only_b = check_integer("counts[1]", counts[1], low=0, high=n - only_a)
    return ProportionDifference(PairedCounts(only_a, only_b, n))


def checked_margin(margin: Any, difference: MeanDifference | ProportionDifference) -> float:
    """Return the margin: positive, and below 1 for proportions."""
    if isinstance(difference, ProportionDifference):
        return check_fraction("margin", margin)
    return check_positive("margin", margin)
