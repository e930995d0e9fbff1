"""The hull's blocks as decisions: each is called positive, or not, whichever costs less.

With x the share of cost that positives bear, a block with the shares p of all positives and n of
all negatives costs min(x p, (1 - x) n): what the best threshold costs is a sum over the blocks, of
terms that are all positive. The lower envelope of the cost curve, its area and the H-measure are
sums of this kind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.tables.scores.hull import Hull
from fastmetrics.tables.scores.score_table import ScoreTable

Floats = NDArray[np.float64]

#: Bits of the sum of a first try, and of the last before exact fractions.
_FIRST_BITS: Final = 128
_LAST_BITS: Final = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Vertices:
    """The vertices of the hull that are best somewhere, by falling threshold.

    A vertex that another one beats at every cost is left out: (0, 0) where the highest scores are
    all of positives, (1, 1) where the lowest are all of negatives. ``positives`` and ``negatives``
    are those of the block between two vertices, ``n_positive`` and ``n_negative`` all there are.
    """

    thresholds: Floats
    true_positives: NDArray[Any]
    false_positives: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]
    n_positive: int | float
    n_negative: int | float

    @property
    def fpr(self) -> Floats:
        """False positive rate of each vertex."""
        return np.asarray(self.false_positives / self.n_negative, np.float64)

    @property
    def tpr(self) -> Floats:
        """True positive rate of each vertex."""
        return np.asarray(self.true_positives / self.n_positive, np.float64)

    @property
    def fnr(self) -> Floats:
        """False negative rate of each vertex: the positives missed, divided once."""
        return np.asarray((self.n_positive - self.true_positives) / self.n_positive, np.float64)

    def breakpoints(self) -> tuple[Floats, Floats]:
        """Return (x, y) where one vertex and the next cost the same: each is divided once."""
        found = [
            _meeting(p, n, missed, false, self.n_positive, self.n_negative)
            for p, n, missed, false in zip(
                self.positives.tolist(),
                self.negatives.tolist(),
                (self.n_positive - self.true_positives[:-1]).tolist(),
                self.false_positives[:-1].tolist(),
                strict=True,
            )
        ]
        x, y = np.array(found, np.float64).reshape(-1, 2).T
        return x, y


def _meeting(p: Any, n: Any, missed: Any, false: Any, m_pos: Any, m_neg: Any) -> tuple[Any, Any]:
    """Return the point where calling a block positive or negative costs the same."""
    whole = n * m_pos + p * m_neg
    return n * m_pos / whole, (missed * n + false * p) / whole


def useful_vertices(table: ScoreTable, hull: Hull) -> Vertices:
    """Return the hull's vertices of a table with both classes, those that are best somewhere."""
    thresholds, tp, fp = vertices(table, hull)
    first = int(hull.negatives[0] == 0)
    last = len(tp) - int(hull.positives[-1] == 0)
    kept, blocks = slice(first, last), slice(first, last - 1)
    return Vertices(
        thresholds[kept],
        tp[kept],
        fp[kept],
        hull.positives[blocks],
        hull.negatives[blocks],
        tp[-1].item(),
        fp[-1].item(),
    )


def vertices(table: ScoreTable, hull: Hull) -> tuple[Floats, NDArray[Any], NDArray[Any]]:
    """Return thresholds, true and false positives at the vertices of a hull, from (0, 0) on."""
    scores = table.scores[hull.ends].astype(np.float64)
    return np.append(math.inf, scores), hull.true_positives, hull.false_positives


def half_harmonic_sum(hull: Hull) -> float:
    """Return the area under the lower envelope of a table with both classes.

    Of a block with shares p and n the area under min(x p, (1 - x) n) is p n / (p + n) / 2. Counts
    give the double nearest to the rational sum.
    """
    positives, negatives = hull.positives.tolist(), hull.negatives.tolist()
    m_pos, m_neg = sum(positives), sum(negatives)
    if hull.positives.dtype.kind == "f":
        m_pos, m_neg = math.fsum(positives), math.fsum(negatives)
        shares = zip(hull.positives / m_pos, hull.negatives / m_neg, strict=True)
        return math.fsum(p * n / (p + n) / 2.0 for p, n in shares if p > 0 and n > 0)
    terms = [
        (p * n, 2 * (p * m_neg + n * m_pos))
        for p, n in zip(positives, negatives, strict=True)
        if p and n
    ]
    return rounded_sum(terms)


def rounded_sum(terms: list[tuple[int, int]]) -> float:
    """Return the double nearest to a sum of fractions >= 0, given as (numerator, denominator).

    Their common denominator may have a thousand digits. So each is cut after so many bits, the sum
    is between two numbers that far apart, and both round to one double; if they do not, more bits
    tell, and for a sum in the very middle of two doubles, fractions (Ziv 1991).
    """
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        low = sum((numerator << bits) // denominator for numerator, denominator in terms)
        unit = 1 << bits
        below, above = low / unit, (low + len(terms)) / unit
        if below == above:
            return below
        bits *= 2
    return float(sum((Fraction(*term) for term in terms), Fraction(0)))
