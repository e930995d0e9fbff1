"""Slow and obvious: Philox words, and the metrics of a resampled table from their definitions.

A resampled table is a list of cells, highest score first: how many of the drawn rows at a score
are positives, and how many negatives (whole numbers or fractions). Its points are TP and FP when
the rows of the first 0, 1, 2... cells are called positive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np

Cell = tuple[int | Fraction, int | Fraction]
_MASK = 0xFFFFFFFF


def philox4x32_10(counter: Sequence[int], key: Sequence[int]) -> tuple[int, int, int, int]:
    """Return the four words of a counter (Salmon, Moraes, Dror & Shaw 2011, section 4.3)."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 1 << 32)
        c0 = high1 ^ c1 ^ k0
        c1 = low1
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 = (k0 + 0x9E3779B9) & _MASK
        k1 = (k1 + 0xBB67AE85) & _MASK
    return c0, c1, c2, c3


def words(key: Sequence[int], first: int, block: int, replicate: int, purpose: int, n: int):
    """Return 2 n words of 64 bits: outputs 0 and 1 of n counters in a row, then their 2 and 3."""
    outputs = [philox4x32_10((first + i, block, replicate, purpose), key) for i in range(n)]
    return [c0 | c1 << 32 for c0, c1, _, _ in outputs] + [c2 | c3 << 32 for _, _, c2, c3 in outputs]


@dataclass(frozen=True)
class Rows:
    """Rows by descending score, positives of a tie first; ``cells`` counts them by score."""

    cells: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, labels, scores) -> Rows:
        cells = {}
        for label, score in zip(labels, scores, strict=True):
            cells.setdefault(float(score), [0, 0])[int(label != 1)] += 1
        return cls(tuple(tuple(cells[score]) for score in sorted(cells, reverse=True)))

    @property
    def n(self) -> int:
        return sum(p + n for p, n in self.cells)

    @property
    def padded(self) -> int:
        return -(-self.n // 8) * 8

    def ties(self) -> list[tuple[int, int, int]]:
        """Return (first row, first negative, end) of each score."""
        ties = []
        start = 0
        for p, n in self.cells:
            ties.append((start, start + p, start + p + n))
            start += p + n
        return ties

    def masks(self):
        """Return 255 for a positive, else 0."""
        masks = np.zeros(self.padded, np.uint8)
        for start, middle, _ in self.ties():
            masks[start:middle] = 255
        return masks

    def ends(self):
        """Return 1 at the last row of each score."""
        ends = np.zeros(self.padded, np.uint8)
        ends[[end - 1 for _, _, end in self.ties()]] = 1
        return ends

    def anchors(self, segment: int = 512):
        """Return, for each segment, the last one up to it at whose start a score starts."""
        starts = {start for start, _, _ in self.ties()}
        anchors: list[int] = []
        for s in range(-(-self.padded // segment)):
            anchors.append(s if s * segment in starts else anchors[-1])
        return np.array(anchors, np.int64)

    def pieces(self, first: int, last: int):
        """Return (first row, first negative, end, ends here) of the mixed ties of a chunk."""
        pieces = [
            (*(min(max(index, first), last) - first for index in tie), int(tie[2] <= last))
            for tie in self.ties()
            if tie[0] < tie[1] < tie[2] and tie[0] < last and tie[2] > first
        ]
        return np.array(pieces, np.int64).reshape(-1, 4)

    def resampled(self, drawn: Sequence[int]) -> list[Cell]:
        """Return the cells when row i is drawn ``drawn[i]`` times."""
        drawn = [int(count) for count in drawn]
        return [(sum(drawn[a:b]), sum(drawn[b:c])) for a, b, c in self.ties()]


def points(cells: Sequence[Cell]) -> list[Cell]:
    """Return (TP, FP), calling nobody positive first."""
    curve = [(0, 0)]
    for p, n in cells:
        curve.append((curve[-1][0] + p, curve[-1][1] + n))
    return curve


def twice_pairs_won(cells: Sequence[Cell]):
    """Return twice the pairs that the positive wins plus the tied ones, cell against cell."""
    twice = 0
    for i, (p, _) in enumerate(cells):
        for j in range(i, len(cells)):
            twice += p * cells[j][1] * (2 if j > i else 1)
    return twice


def best(cells: Sequence[Cell], criterion: str, bound=0):
    """Return (value, number of cells called positive, TP, FP) of the first best threshold.

    None where no threshold is allowed. Both classes must be there. Rates are compared with the
    bound as doubles. ``bound`` of "fbeta" is beta^2 / (1 + beta^2).
    """
    curve = points(cells)
    total_p, total_n = curve[-1]
    best_so_far = None
    for called, (tp, fp) in enumerate(curve):
        tpr, fpr = Fraction(tp) / total_p, Fraction(fp) / total_n
        precision = Fraction(tp) / (tp + fp) if tp + fp else None
        value = None
        if criterion == "youden":
            value = tpr - fpr
        elif criterion == "youden_below":
            value = fpr - tpr
        elif criterion == "closest":
            value = -((1 - tpr) ** 2) - fpr**2
        elif criterion == "errors":
            value = Fraction(-fp - (total_p - tp))
        elif criterion == "fbeta":  # the weighted harmonic mean; 0 where nobody is found
            value = Fraction(0)
            if tp:
                value = 1 / (Fraction(bound) / tpr + (1 - Fraction(bound)) / precision)
        elif criterion == "precision":
            value = precision if precision is not None and float(tpr) >= bound else None
        elif criterion == "recall":
            value = tpr if precision is not None and float(precision) >= bound else None
        elif criterion == "recall_at_false_positive_rate":
            value = tpr if float(fpr) <= bound else None
        if value is not None and (best_so_far is None or value > best_so_far[0]):
            best_so_far = value, called, tp, fp
    return best_so_far


def partial_area(cells: Sequence[Cell], low, high, *, over_tpr: bool = False) -> Fraction:
    """Return the area between two FPR under the curve, or between two TPR right of it."""
    curve = points(cells)
    total_p, total_n = curve[-1]
    line = [(Fraction(fp) / total_n, Fraction(tp) / total_p) for tp, fp in curve]
    if over_tpr:
        line = [(tpr, 1 - fpr) for fpr, tpr in line]
    area = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(line):
        left = max(x0, Fraction(low))
        right = min(x1, Fraction(high))
        if left < right:
            middle = y0 + (y1 - y0) * ((left + right) / 2 - x0) / (x1 - x0)
            area += (right - left) * middle
    return area


def precision_area(cells: Sequence[Cell], estimator: str) -> float:
    """Return the area under precision over recall; some positive must be there."""
    areas = []
    curve = points(cells)
    for (tp0, fp0), (tp1, fp1) in pairwise(curve):
        if tp1 == tp0:
            continue
        after = Fraction(tp1) / (tp1 + fp1)
        before = Fraction(tp0) / (tp0 + fp0) if tp0 + fp0 else Fraction(1)
        if estimator == "step":
            areas.append(float((tp1 - tp0) * after))
        elif estimator == "trapezoid":
            areas.append(float((tp1 - tp0) * (after + before) / 2))
        else:
            areas.append(under_interpolation(tp0, fp0, tp1, fp1))
    return math.fsum(areas) / float(curve[-1][0])


def under_interpolation(tp0, fp0, tp1, fp1) -> float:
    """Integrate t / (t + f(t)), f straight, by t/a - b/a^2 ln(a t + b), in 50 digits."""
    slope = Fraction(fp1 - fp0) / (tp1 - tp0)
    a, b = 1 + slope, fp0 - slope * tp0
    with localcontext() as context:
        context.prec = 50
        area = _decimal((tp1 - tp0) / a)
        if b != 0:
            area -= _decimal(b / a**2) * _decimal((a * tp1 + b) / (a * tp0 + b)).ln()
        return float(area)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def expected_at_balance(cells: Sequence[Cell]):
    """Return the expected TP where as many are called positive as there are positives."""
    curve = points(cells)
    total = curve[-1][0]
    for (tp0, fp0), (tp1, fp1) in pairwise(curve):
        if tp1 + fp1 >= total and tp1 + fp1 > tp0 + fp0:
            return tp0 + Fraction(total - tp0 - fp0) / (tp1 + fp1 - tp0 - fp0) * (tp1 - tp0)
    return 0
