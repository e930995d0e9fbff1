"""What a measure would be without one row: BCa's leave-one-out values, in closed form.

Here are areas, under the ROC curve, whole or between two rates, and under that of precision and
recall; ``_loo_thresholds`` has the other measures.

Let y(x) be the curve in counts: TP over FP, with a diagonal where classes tie. Its area between
two false positive rates is an integral of y from a to b over m+ m-. Without a positive of row k,
y is lower by 1 right of the row, and by a share that grows linearly inside it; without a negative,
the part right of the row moves one to the left. Both change the integral by a number that is
constant for the rows left of a, linear in the row's middle for those between a and b, and constant
right of b. Only the two rows that the ends cut need a formula of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.replicates import leave_one_out as kernels
from fastmetrics.inference.bootstrap._loo_thresholds import (
    best_threshold,
    break_even_point,
    ks_statistic,
)
from fastmetrics.tables.scores.pairs import above, exact_dot
from fastmetrics.tables.scores.score_table import ScoreTable

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]

_HALF = Fraction(1, 2)


def roc_auc(table: ScoreTable, *, max_fpr: float | None = None) -> Pair:
    """Leave out of the AUC, or of the standardized area up to ``max_fpr``."""
    if max_fpr is None or max_fpr == 1:
        return _RocArea(table, Fraction(0), Fraction(1)).both()
    return _RocArea(table, Fraction(0), Fraction(float(max_fpr)), standardized=True).both()


def rank_loss(table: ScoreTable) -> Pair:
    """Leave out of the rank loss: the AUC of the opposite order."""
    opposite = ScoreTable._of_columns(table.scores, table.positives[::-1], table.negatives[::-1])
    of_positives, of_negatives = roc_auc(opposite)
    return of_positives[::-1], of_negatives[::-1]


def partial_auc(
    table: ScoreTable,
    *,
    false_positive_rate_range: tuple[float, float] | None = None,
    true_positive_rate_range: tuple[float, float] | None = None,
    standardized: bool = False,
) -> Pair:
    """Leave out of the area between two FPRs, or two TPRs."""
    low, high = (
        Fraction(float(end))
        for end in true_positive_rate_range or false_positive_rate_range or (0, 1)
    )
    if true_positive_rate_range is None:
        return _corrected(_RocArea(table, low, high, standardized=standardized))
    # With the classes exchanged and the order reversed, 1 - FPR over TPR is TPR over 1 - FPR.
    mirrored = ScoreTable._of_columns(table.scores, table.negatives[::-1], table.positives[::-1])
    area = _RocArea(mirrored, 1 - high, 1 - low, standardized=standardized)
    of_negatives, of_positives = _corrected(area)
    return of_positives[::-1], of_negatives[::-1]


def _corrected(area: _RocArea) -> Pair:
    """Return both sides, nan where the corrected area is below chance."""
    if not area.standardized:
        return area.both()
    if area.value < _HALF:  # there is nothing to deviate from
        return np.full(len(area.table), np.nan), np.full(len(area.table), np.nan)
    sides = zip(area.both(), area.above_the_diagonal(), strict=True)
    of_positives, of_negatives = (np.where(excess >= 0, side, np.nan) for side, excess in sides)
    return of_positives, of_negatives


@dataclass(frozen=True, eq=False)
class _RocArea:
    """The area of a table of counts between two false positive rates.

    If it is standardized, the diagonal has 1/2 and a perfect curve 1.
    """

    table: ScoreTable
    low: Fraction
    high: Fraction
    standardized: bool = False
    _known: dict[int, int] = field(default_factory=lambda: {0: 0}, init=False)

    @cached_property
    def tp_end(self) -> NDArray[Any]:
        return self.table.true_positives

    @cached_property
    def fp_end(self) -> NDArray[Any]:
        return self.table.false_positives

    @cached_property
    def whole(self) -> Fraction:
        """Return the integral between the two rates, in pairs."""
        n = int(self.table.n_negative)
        return self.up_to(self.high * n) - self.up_to(self.low * n)

    @cached_property
    def value(self) -> Fraction:
        """Return the measure of the whole table."""
        pairs = int(self.table.n_positive) * int(self.table.n_negative)
        offset, scale = self._affine()
        return scale * (self.whole / pairs + offset)

    def _affine(self) -> tuple[Fraction, Fraction]:
        """Return (offset, scale): the measure is scale * (area + offset)."""
        if not self.standardized:
            return Fraction(0), Fraction(1)
        perfect = self.high - self.low
        return perfect - 2 * self._diagonal, _HALF / (perfect - self._diagonal)

    @property
    def _diagonal(self) -> Fraction:
        """Return the area of the diagonal."""
        return (self.high - self.low) * (self.low + self.high) / 2

    def up_to(self, x: Fraction) -> Fraction:
        """Return the integral of TP over FP from 0 to x."""
        row = self.row_beyond(x)
        area = Fraction(self._twice_before(row), 2)
        if row < len(self.fp_end):
            start, width, before, rise = self.cell(row)
            area += (x - start) * before + (x - start) ** 2 * rise / (2 * width)
        return area

    def _twice_before(self, row: int) -> int:
        """Return twice the integral over the rows before one: a pass from the nearest one known."""
        if row not in self._known:
            near = min(self._known, key=lambda known: abs(known - row))
            part = slice(min(near, row), max(near, row))
            negatives, positives = self.table.negatives[part], self.table.positives[part]
            # Counts: exact_dot returns integers.
            twice = 2 * exact_dot(negatives, self.tp_end[part]) - exact_dot(negatives, positives)
            self._known[row] = self._known[near] + (int(twice) if row > near else -int(twice))
        return self._known[row]

    def row_beyond(self, x: Fraction) -> int:
        """Return the first row that ends right of x."""
        return int(np.searchsorted(self.fp_end, self.fp_end.dtype.type(x.__floor__()), "right"))

    def cell(self, row: int) -> tuple[int, int, int, int]:
        """Return where a row starts, how wide it is, how high, and how much it rises."""
        width, rise = int(self.table.negatives[row]), int(self.table.positives[row])
        return int(self.fp_end[row]) - width, width, int(self.tp_end[row]) - rise, rise

    def both(self) -> Pair:
        """Return the deviation without a positive, and without a negative, of each row."""
        offset, scale = self._affine()
        return self._sides(offset - self.value / scale, scale)

    def above_the_diagonal(self) -> Pair:
        """Return the area less the diagonal's; the sign is right even where they nearly meet."""
        return self._sides(-self._diagonal, Fraction(1))

    def _sides(self, offset: Fraction, scale: Fraction) -> Pair:
        """Return scale * (area + offset) without a positive, and without a negative."""
        p, n = int(self.table.n_positive), int(self.table.n_negative)
        return (
            self._without_a_positive(offset, scale) if p > 1 else np.full(len(self.table), np.nan),
            self._without_a_negative(offset, scale) if n > 1 else np.full(len(self.table), np.nan),
        )

    def _without_a_positive(self, offset: Fraction, scale: Fraction) -> Floats:
        """Less the part of [a, b] that is right of the row."""
        p, n = int(self.table.n_positive) - 1, int(self.table.n_negative)
        offset *= p * n
        a, b = self.low * n, self.high * n
        first, last = self.row_beyond(a), self.row_beyond(b)
        total = self.whole + offset
        by = float(scale / (p * n))
        found = np.empty(len(self.table))
        found[:first] = float(total - (b - a)) * by
        between = slice(first, last)
        columns = self.table.negatives[between], self.fp_end[between]
        kernels.affine(*columns, 1.0, *_split(total - b), by, found[between])
        found[last:] = float(total) * by
        for row in {first, last} - {len(found)}:
            start, width, _, _ = self.cell(row)
            lost = _right_of(b, start, width) - _right_of(a, start, width)
            found[row] = float(total - lost) * by
        return found

    def _without_a_negative(self, offset: Fraction, scale: Fraction) -> Floats:
        """Right of the row, the curve moves one to the left."""
        p, n = int(self.table.n_positive), int(self.table.n_negative) - 1
        offset *= p * n
        a, b = self.low * n, self.high * n
        first, last = self.row_beyond(a + 1), self.row_beyond(b + 1)
        moved_b = self.up_to(b + 1)
        by = float(scale / (p * n))
        found = np.empty(len(self.table))
        if first > 0:  # the row lies left of a, and both ends move
            found[:first] = float(moved_b - self.up_to(a + 1) + offset) * by
        if first < last:
            between = slice(first, last)
            columns = self.table.positives[between], self.tp_end[between]
            constant = _split(moved_b - self.up_to(a) + offset)
            kernels.affine(*columns, -1.0, *constant, by, found[between])
        if last < len(found):
            found[last:] = float(self.up_to(b) - self.up_to(a) + offset) * by
        for row in {first, last} - {len(found)}:
            found[row] = float(self._narrowed(b, row) - self._narrowed(a, row) + offset) * by
        return found

    def _narrowed(self, x: Fraction, row: int) -> Fraction:
        """Return the integral from 0 to x with the row one narrower."""
        start, width, before, rise = self.cell(row)
        if x <= start or width == 0:
            return self.up_to(x)
        if x >= start + width - 1:
            return self.up_to(x + 1) - before - Fraction(rise, 2)
        inside = x - start
        return self.up_to(Fraction(start)) + inside * before + inside**2 * rise / (2 * (width - 1))


def _right_of(x: Fraction, start: int, width: int) -> Fraction:
    """Return the integral from 0 to x of what one positive of the row adds to the curve."""
    if x <= start:
        return Fraction(0)
    if x >= start + width:
        return x - start - Fraction(width, 2)
    return (x - start) ** 2 / (2 * width)


def _split(constant: Fraction) -> tuple[float, float]:
    """Return two numbers that add up to it: sums are right even where they nearly cancel."""
    high = float(constant)
    return high, float(constant - Fraction(high))


# An area under the precision-recall curve is 1/m+ times a sum over rows. What leaves row k changes
# the terms of the rows below it alone, and each by an amount that does not depend on k: so the
# change is a sum from the end. The deviation from the value of all rows is written as sums of such
# small changes, each computed as such. What row k itself adds to its term is compared with the mean
# term: as precisions, or as what these lack of 1, whichever is smaller.


def average_precision(table: ScoreTable) -> Pair:
    """Leave out of the sum of (recall step) x (precision at its end)."""
    return _by_kernel(kernels.steps_without, table)


def _continuous(table: ScoreTable) -> Pair:
    return _by_kernel(kernels.segments_without, table)


def _by_kernel(kernel: Callable[..., None], table: ScoreTable) -> Pair:
    of_positives, of_negatives = np.empty((2, len(table)))
    kernel(table.true_positives, table.false_positives, of_positives, of_negatives)
    if table.n_positive == 1:
        of_positives[:] = np.nan
    return of_positives, of_negatives


def pr_auc(table: ScoreTable, *, interpolation: str = "continuous") -> Pair:
    """Leave out of the area under the precision-recall curve by a named estimator."""
    estimators: dict[str, Callable[[ScoreTable], Pair]] = {
        "step": average_precision,
        "trapezoid": _trapezoid,
        "continuous": _continuous,
    }
    of_positives, of_negatives = estimators[interpolation](table)
    if table.n_negative <= 1:  # average precision alone is defined without negatives
        of_negatives = np.full(len(table), np.nan)
    return of_positives, of_negatives


def _trapezoid(table: ScoreTable) -> Pair:
    columns = table.true_positives, table.false_positives, table.positives
    tp, fp, positives = (column.astype(np.float64) for column in columns)
    n_positive = float(table.n_positive)
    half = 0.5 * positives
    # A row's term changes by the change at its end, and, if it is not row k itself, at its start.
    changes = _precision_changes(tp, fp)
    of_positives, of_negatives = (_from_row_on(half * change) for change in changes)
    for found, change in zip((of_positives, of_negatives), changes, strict=True):
        found[:-1] += _from_row_on(half * _shifted(change, 0.0))[1:]
    of_negatives = of_negatives / n_positive
    if n_positive == 1:
        return np.full(len(table), np.nan), of_negatives
    return (_mean_less_own(tp, fp, positives) + of_positives) / (n_positive - 1.0), of_negatives


def _from_row_on(changes: Floats) -> Floats:
    """Return the sum of each row's change and of all below it."""
    return np.cumsum(changes[::-1])[::-1]


def _precision_changes(tp: Floats, fp: Floats) -> list[Floats]:
    """Return what precision gains at each row, if a positive (a negative) is left out above.

    (TP - 1)/(M - 1) - TP/M = -FP / (M (M - 1)), and TP/(M - 1) - TP/M = TP / (M (M - 1)), where M
    is the number called positive. Where it was 1 the row is gone, and the curve starts at 1.
    """
    predicted = tp + fp
    rest = predicted * (predicted - 1.0)
    alone = rest == 0
    rest[alone] = 1.0
    of_positive, of_negative = -fp / rest, tp / rest
    of_positive[alone] = of_negative[alone] = 1.0 - tp[alone]
    return [of_positive, of_negative]


def _mean_less_own(tp: Floats, fp: Floats, positives: Floats) -> Floats:
    """Return by how much the area is more than the precision at a row's last positive."""
    found, predicted = [], tp + fp
    # Precision, and what it lacks of 1: the difference is taken of the smaller ones.
    for part, less, at_start in ((tp, 1.0, 1.0), (fp, 0.0, 0.0)):
        share = part / predicted
        own = np.full(len(part), at_start)
        np.divide(part - less, predicted - 1.0, out=own, where=predicted > 1)
        before = _shifted(share, at_start)
        share, own = 0.5 * (share + before), 0.5 * (own + before)
        found.append((float(np.sum(positives * share)) / float(tp[-1]), own))
    (mean, own), (lack, own_lack) = found
    return own_lack - lack if lack < mean else mean - own


def _shifted(values: Floats, first: float) -> Floats:
    """Return what stands at the row above each."""
    found = above(values)
    found[:1] = first
    return found


#: What leaves rows out of a measure, by its name.
LEAVE_ONE_OUT: dict[str, Callable[..., Pair]] = {
    "roc_auc": roc_auc,
    "rank_loss": rank_loss,
    "partial_auc": partial_auc,
    "average_precision": average_precision,
    "pr_auc": pr_auc,
    "ks_statistic": ks_statistic,
    "break_even_point": break_even_point,
    "best_threshold": best_threshold,
}


def leave_one_out(table: ScoreTable, name: str, **params: Any) -> Pair:
    """Return by how much a measure changes without a positive, and a negative, of each score.

    Differences of size 1/n that were found as such, rational ones rounded once, others within
    2^-52; nan where the measure is undefined on the rest, anything where a score has no such row.
    """
    p, n = int(table.n_positive), int(table.n_negative)
    if p == 0 or (n == 0 and name != "average_precision"):  # which alone does without negatives
        return np.full(len(table), np.nan), np.full(len(table), np.nan)
    return LEAVE_ONE_OUT[name](table, **params)
