"""Hulls, envelopes and what is read off them, by definition, in rational numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate


def hull_ends(positives: list, negatives: list) -> list[int]:
    """Return the rows behind which a vertex of the upper hull lies.

    A point is one if no chord between a point before it and one after it runs on or above it.
    From each point the next vertex is the farthest of those in the steepest direction.
    """
    tp = [Fraction(0), *accumulate(map(Fraction, positives))]
    fp = [Fraction(0), *accumulate(map(Fraction, negatives))]
    ends, here = [], 0
    while here < len(positives):
        best = here + 1
        for k in range(here + 2, len(tp)):
            turn = (tp[k] - tp[here]) * (fp[best] - fp[here]) - (tp[best] - tp[here]) * (
                fp[k] - fp[here]
            )
            if turn >= 0:
                best = k
        ends.append(best - 1)
        here = best
    return ends
