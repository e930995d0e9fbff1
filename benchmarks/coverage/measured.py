"""What one data set of the study gives, and what it may cost."""

from __future__ import annotations

import math
from typing import NamedTuple

LEVEL = 0.95

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
