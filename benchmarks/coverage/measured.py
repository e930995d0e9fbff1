"""What one data set gives and may cost, and the rows that the whole study keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

LEVEL, ALPHA = 0.95, 0.05

Limits = tuple[float, float]
NOTHING: Limits = (math.nan, math.nan)


class Measured(NamedTuple):
    """What one data set gave.

    Attributes
    ----------
    intervals : dict of (metric, method) to (low, high)
    pvalues : dict of (hypothesis, test) to float
    estimates : dict of metric to float
    """

    intervals: dict[tuple[str, str], Limits]
    pvalues: dict[tuple[str, str], float]
    estimates: dict[str, float]


class Cost(NamedTuple):
    """How many replicates a bootstrap has, and how many exchanges a permutation test."""

    n_resamples: int
    n_exchanges: int


def binomial_error(share: float, n: int) -> float:
    """Return the standard error of a share of ``n`` data sets."""
    return math.sqrt(share * (1 - share) / n)


#: Part, scene, metric and method of a figure.
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class IntervalRow:
    """How one interval of one metric did in one scene; counts of data sets.

    In parts of `SCORED` a limit that is nan is the end of the metric's scale; in the others an
    interval that is undefined misses.
    """

    part: str
    scene: str
    metric: str
    method: str
    target: float
    n_data: int
    covered: int
    below: int  # the interval lies below the target
    above: int
    undefined: int
    no_width: int
    mean_width: float | None  # of those that are defined
    median_width: float | None = None
    score: float | None = None  # mean interval score
    ratio: float | None = None  # of the default's score, on the same data sets, to this one
    ratio_error: float | None = None

    @property
    def key(self) -> Key:
        """What the figure is of."""
        return self.part, self.scene, self.metric, self.method

    @property
    def coverage(self) -> float:
        """Share of all data sets, those without an interval counting as missed."""
        return self.covered / self.n_data

    @property
    def error(self) -> float:
        """Binomial standard error of the coverage."""
        return binomial_error(self.coverage, self.n_data)

    @property
    def is_short(self) -> bool:
        """Whether coverage is below the level by more than two binomial errors."""
        return self.coverage + 2 * self.error < LEVEL


@dataclass(frozen=True)
class RejectionRow:
    """How often a test rejected at 5 % in one scene."""

    part: str
    scene: str
    hypothesis: str
    test: str
    n_data: int
    rejected: int
    undefined: int

    @property
    def share(self) -> float:
        """Share of all data sets; an undefined p-value does not reject."""
        return self.rejected / self.n_data

    @property
    def error(self) -> float:
        """Binomial standard error of the share."""
        return binomial_error(self.share, self.n_data)

    @property
    def is_large(self) -> bool:
        """Whether the share is above 5 % by more than two binomial errors."""
        return self.share - 2 * self.error > ALPHA

    @property
    def is_small(self) -> bool:
        """Whether the share is below half of 5 % by more than two binomial errors of 5 %."""
        return self.share + 2 * binomial_error(ALPHA, self.n_data) < ALPHA / 2


@dataclass(frozen=True)
class EstimateRow:
    """The estimates themselves: how far their mean is from the target."""

    part: str
    scene: str
    metric: str
    target: float
    n_defined: int
    mean: float
    standard_deviation: float


@dataclass(frozen=True)
class Study:
    """The whole study, as it is stored.

    `earlier` names parts, or "part: what of it", that were simulated before the default intervals
    last changed: their pages say so until the parts are simulated again.
    """

    n_data: int
    n_resamples: int
    n_exchanges: int
    intervals: list[IntervalRow]
    tests: list[RejectionRow]
    estimates: list[EstimateRow]
    earlier: tuple[str, ...] = ()

    def find(self, part: str, metric: str) -> list[IntervalRow]:
        """Return the rows of one metric in one part."""
        return [row for row in self.intervals if (row.part, row.metric) == (part, metric)]
