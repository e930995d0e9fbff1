"""Two sides that take turns: the rounds after which one looks, and how often equals would alarm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._input.scalars import complement
from fastmetrics.comparison.timings.compare_timings import compare_timings
from fastmetrics.comparison.timings.files import TimingRun
from fastmetrics.inference.reference import critical_value

#: Sign flips of an A/A run.
FLIPS: Final = 10_000


class Plan(NamedTuple):
    """After how many rounds one looks, and the confidence level of each look.

    What may go wrong is shared out equally over the looks (Bonferroni): whatever the looks have in
    common, and however few the rounds, all of them together err no more often than was asked.
    Pocock's bounds are sharper by some per cent, for normal means of known variance.
    """

    looks: tuple[int, ...]
    level: float


def plan_of(rounds: int | None, most: int, confidence_level: float) -> Plan:
    """Return the plan of so many rounds; of None one that looks at a quarter, a half, and all."""
    if rounds is not None:
        return Plan((rounds,), confidence_level)
    looks = tuple(sorted({max(2, -(-most // 4)), max(2, -(-most // 2)), most}))
    return Plan(looks, complement(complement(confidence_level) / len(looks)))


def moved(before: Sequence[TimingRun], after: Sequence[TimingRun], **options: object) -> list[str]:
    """Return the names of what became slower, or faster, by more than its margin."""
    both = ((before, after), (after, before))
    found = [compare_timings(*sides, paired=True, **options) for sides in both]  # type: ignore[arg-type]
    return [row.name for each in found for row in each if row.decision == "worse"]


def alarm_rate(growth: ArrayLike, margin: ArrayLike, alpha: float) -> float:
    """Return how often any work would be called worse, were the sides of rounds swapped at random.

    ``growth`` has the logarithms of ratios, a row a round and a column a work, whose margins may
    differ. Of two copies of one thing either could as well be called the first: all works of a
    round swap together.
    """
    changes = np.asarray(growth, dtype=np.float64)
    n, n_works = changes.shape
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (FLIPS, n))
    means = signs @ changes / n
    squares = (changes**2).sum(axis=0)
    errors = np.sqrt(np.maximum(squares - n * means**2, 0.0) / (n - 1) / n)
    bounds = np.log1p(margin)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.nanmax((means - bounds) / errors, axis=1)
    least = critical_value(n - 1, alpha / n_works, "greater")
    return float(np.mean(largest >= least))  # Holm's first step
