"""How far each row moves an area under a curve: the derivative of the area by a row's weight.

Rows of one class and one score move it alike, so that two columns along the table hold all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fastmetrics._kernels import curve_kernels as kernels
from fastmetrics._threads.workers import run
from fastmetrics.measures.curves._pieces import Piece, by_pieces
from fastmetrics.measures.curves.kolmogorov_smirnov import ks_of_table
from fastmetrics.measures.curves.partial_auc import partial_auc
from fastmetrics.measures.curves.pr_areas import pr_auc
from fastmetrics.measures.curves.precision_recall import average_precision_score
from fastmetrics.measures.curves.roc_auc import roc_auc_score
from fastmetrics.tables.score_table import Floats, ScoreTable, running_sums


class CurveInfluences(NamedTuple):
    """A measure of a table of scores, and how a row of either class moves it at each score.

    That is the derivative of the value by the weight of such a row, in the scale of the table.
    """

    value: float
    of_positives: Floats
    of_negatives: Floats

    @classmethod
    def nowhere(cls, value: float, table: ScoreTable) -> CurveInfluences:
        """Return columns to be filled, which lie beside each other."""
        return cls(value, *np.empty((2, len(table))))

    def at(self, piece: Piece) -> CurveInfluences:
        """Return those of a piece of the table, in the same memory."""
        here = slice(piece.start, piece.stop)
        return self._replace(
            of_positives=self.of_positives[here], of_negatives=self.of_negatives[here]
        )

    def joined(self) -> Floats:
        """Return both columns as one, the positives' first; what lies so already is not copied."""
        base = self.of_positives.base
        if base is not None and base is self.of_negatives.base and base.shape == (2, len(base[0])):
            return base.reshape(-1)
        return np.concatenate([self.of_positives, self.of_negatives])

    def scaled(self, factor: float, added: float = 0.0) -> CurveInfluences:
        """Return those of ``factor * value + added``."""
        return CurveInfluences(
            factor * self.value + added, factor * self.of_positives, factor * self.of_negatives
        )


def of_curve(
    table: ScoreTable, influences: Callable[..., CurveInfluences], **parameters: Any
) -> CurveInfluences:
    """Return a measure with its influences, all nan where a class is missing."""
    if not (table.n_positive and table.n_negative):
        nowhere = np.full(len(table), np.nan)
        return CurveInfluences(float("nan"), nowhere, nowhere)
    return influences(table, **parameters)


class Counts(NamedTuple):
    """The columns of a table as floats, and their running sums, of rows above it too."""

    positives: Floats
    negatives: Floats
    tp: Floats
    fp: Floats

    @classmethod
    def of(cls, table: ScoreTable, start: tuple[int, int] = (0, 0)) -> Counts:
        """Return those of a table below so many positive and negative rows."""
        sums = running_sums(table)
        if any(start):
            sums = sums[0] + start[0], sums[1] + start[1]
        columns = (table.positives, table.negatives, *sums)
        return cls(*(column.astype(np.float64, copy=False) for column in columns))

    def placements(self, m: float, n: float) -> tuple[Floats, Floats]:
        """Return the share of the other class below each positive, and above each negative."""
        of_positives = (n - self.fp) + self.negatives / 2.0
        of_positives /= n
        of_negatives = self.tp - self.positives / 2.0
        of_negatives /= m
        return of_positives, of_negatives


def roc_auc(table: ScoreTable, max_fpr: float | None = None) -> CurveInfluences:
    """Return the AUC with DeLong's placements, less the AUC, over the size of the class."""
    if max_fpr is not None and max_fpr < 1.0:
        low = max_fpr * max_fpr / 2.0
        scale = 0.5 / (max_fpr - low)
        return partial(table, (0.0, max_fpr)).scaled(scale, 0.5 - scale * low)
    found = CurveInfluences.nowhere(float(roc_auc_score(table)), table)
    sizes = float(table.n_positive), float(table.n_negative)

    def write(piece: Piece) -> None:
        kernels.auc_influences(*piece.columns, piece.above, sizes, *found.at(piece))

    by_pieces(table, write)
    return found


def rank_loss(table: ScoreTable) -> CurveInfluences:
    """Return 1 - AUC."""
    return roc_auc(table).scaled(-1.0, 1.0)


def gini(table: ScoreTable) -> CurveInfluences:
    """Return 2 AUC - 1."""
    return roc_auc(table).scaled(2.0, -1.0)


def average_precision(table: ScoreTable) -> CurveInfluences:
    """Return average precision; a row lowers or raises the precision of all positives below it."""
    found = CurveInfluences.nowhere(float(average_precision_score(table)), table)
    size = float(table.n_positive)

    def shares(piece: Piece) -> tuple[CurveInfluences, tuple[float, float]]:
        here = found.at(piece)
        return here, kernels.precision_shares(*piece.columns, piece.above, *here[1:])

    jobs, below = [], (0.0, 0.0)
    for (value, *columns), (gained, lost) in reversed(by_pieces(table, shares)):
        jobs.append(functools.partial(kernels.precision_influences, size, value, below, *columns))
        below = below[0] + gained, below[1] + lost
    run(jobs)
    return found


def area_under_pr(table: ScoreTable, interpolation: str = "continuous") -> CurveInfluences:
    """Return the area under the P-R curve by one of its three estimators."""
    if interpolation == "step":
        return average_precision(table)
    c = Counts.of(table)
    value, m = pr_auc(table, interpolation=interpolation), c.tp[-1]  # type: ignore[arg-type]
    slopes_of = _slopes_of_lines if interpolation == "trapezoid" else _slopes_of_segments
    start_tp, start_fp, by_tp, by_fp = slopes_of(c, c.tp - c.positives, c.fp - c.negatives)
    by_tp[:-1] += start_tp[1:]  # where one part ends, the next starts
    by_fp[:-1] += start_fp[1:]
    of_positives = (_from_here_down(by_tp) - value) / m
    return CurveInfluences(value, of_positives, _from_here_down(by_fp) / m)


_Slopes = tuple[Floats, Floats, Floats, Floats]
"""How the parts of an area move with TP and FP at their starts, then with both at their ends."""


def _slopes_of_lines(c: Counts, tp: Floats, fp: Floats) -> _Slopes:
    """Return those of the mean of the precisions at both ends, times the positives between."""
    started = np.where(tp + fp > 0.0, tp + fp, np.inf)
    called, half = c.tp + c.fp, c.positives / 2.0
    before = np.where(tp + fp > 0.0, tp / started, 1.0)  # the curve starts at precision 1
    mean = (before + c.tp / called) / 2.0
    return (
        half * fp / started**2 - mean,
        -half * tp / started**2,
        half * c.fp / called**2 + mean,
        -half * c.tp / called**2,
    )


def _slopes_of_segments(c: Counts, tp: Floats, fp: Floats) -> _Slopes:
    """Return those of p times the integral of T / (T + F) over u from 0 to 1.

    T = tp + p u and F = fp + q u: the slopes are p times the integrals of 1 - u, or u, times
    F / (T + F)^2 for TP and -T / (T + F)^2 for FP; as the width p is the difference of both TPs,
    the mean precision is added at the end and taken away at the start.
    """
    rises = c.positives > 0.0  # other parts have no width
    p, q, tp, fp = (column[rises] for column in (c.positives, c.negatives, tp, fp))
    n = tp + fp
    from_origin = n == 0.0  # only the first part
    safe = np.where(from_origin, 1.0, n)
    x = np.where(from_origin, 0.0, (p + q) / safe)
    i0, i1, i2, mean_0, mean_1 = _integrals(x)
    precision = (tp * mean_0 + p * mean_1) / safe
    scale = p / safe**2
    slopes = [
        scale * (fp * (i0 - i1) + q * (i1 - i2)) - precision,
        -scale * (tp * (i0 - i1) + p * (i1 - i2)),
        scale * (fp * i1 + q * i2) + precision,
        -scale * (tp * i1 + p * i2),
    ]
    if from_origin.any():  # precision p / (p + q) throughout, whatever u
        share, rest = p / (p + q), q / (p + q)
        there = (0.0 * p, 0.0 * p, share + share * rest, -share * share)
        for column, first in zip(slopes, there, strict=True):
            column[from_origin] = first[from_origin]
    found = np.zeros((4, len(rises)))
    for row, column in zip(found, slopes, strict=True):
        row[rises] = column
    return found[0], found[1], found[2], found[3]


def _integrals(x: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return the integrals of u^k / (1 + x u)^2, k = 0, 1, 2, and u^k / (1 + x u), k = 0, 1.

    In closed form where x is large, by ten points of Gauss and Legendre elsewhere: there the closed
    forms cancel, and the rule is exact to rounding (its error falls as 5.8^-20).
    """
    found = np.zeros((5, len(x)))
    large = x > 1.0
    small = x[~large]
    part = np.zeros((5, len(small)))
    for point, weight in zip(*np.polynomial.legendre.leggauss(10), strict=True):
        u, weight = (point + 1.0) / 2.0, weight / 2.0
        inverse = 1.0 / (1.0 + small * u)
        squared = inverse * inverse
        for row, term in zip(
            part, (squared, u * squared, u * u * squared, inverse, u * inverse), strict=True
        ):
            row += weight * term
    found[:, ~large] = part
    big = x[large]
    log_part = np.log1p(big)
    found[0, large] = 1.0 / (1.0 + big)
    found[1, large] = (log_part - big / (1.0 + big)) / big**2
    found[2, large] = (big * (2.0 + big) / (1.0 + big) - 2.0 * log_part) / big**3
    found[3, large] = log_part / big
    found[4, large] = (big - log_part) / big**2
    return found[0], found[1], found[2], found[3], found[4]


def ks_statistic(table: ScoreTable) -> CurveInfluences:
    """Return the largest gap; where it is largest, a move of the threshold changes nothing."""
    found = ks_of_table(table)
    above = np.asarray(table.scores >= found.threshold, np.float64)
    p, q = (float(size) for size in (table.n_positive, table.n_negative))
    return CurveInfluences(
        found.statistic,
        (above - found.true_positive_rate) * (found.sign / p),
        (found.false_positive_rate - above) * (found.sign / q),
    )


def partial(
    table: ScoreTable,
    false_positive_rate_range: tuple[float, float] | None = None,
    true_positive_rate_range: tuple[float, float] | None = None,
    standardized: bool = False,
) -> CurveInfluences:
    """Return the area between two false, or true, positive rates.

    At a fixed FPR a positive raises the curve below its score, and a negative shifts it: the curve
    moves by its slope. Between true positive rates, classes and order change places.
    """
    over_tpr = true_positive_rate_range is not None
    low, high = true_positive_rate_range or false_positive_rate_range or (0.0, 1.0)
    c = Counts.of(table)
    if over_tpr:
        p, q = c.negatives[::-1], c.positives[::-1]
        inside = _between(Counts(p, q, p.cumsum(), q.cumsum()), 1.0 - high, 1.0 - low)
        found = CurveInfluences(inside.value, inside.of_negatives[::-1], inside.of_positives[::-1])
    else:
        found = _between(c, low, high)
    ranges: dict[str, Any] = {
        "false_positive_rate_range": false_positive_rate_range,
        "true_positive_rate_range": true_positive_rate_range,
    }
    value = partial_auc(table, **ranges, standardized=standardized)
    if standardized:
        perfect = high - low
        diagonal = perfect * (2.0 - low - high if over_tpr else low + high) / 2.0
        found = found.scaled(0.5 / (perfect - diagonal))
    return found._replace(value=value)


def _between(c: Counts, low: float, high: float) -> CurveInfluences:
    """Return the area between two FPRs."""
    m, n = c.tp[-1], c.fp[-1]
    before = c.fp - c.negatives
    flat = c.negatives == 0.0
    width = np.where(flat, 1.0, c.negatives)
    start, stop = (np.clip((end * n - before) / width, 0.0, 1.0) for end in (low, high))
    is_inside = (before > low * n) & (before < high * n)
    start, stop = np.where(flat, 0.0, start), np.where(flat, is_inside, stop)
    length, square = stop - start, (stop * stop - start * start) / 2.0
    along, up = c.negatives / n, c.positives / m
    area = float(np.sum((c.tp - c.positives) / m * along * length + up * along * square))
    shifted = float(np.sum(up * (before / n * length + along * square)))
    later_along = _from_here_down(along * length) - along * length
    later_up = _from_here_down(up * length) - up * length
    of_positives = (later_along + along * square - area) / m
    return CurveInfluences(area, of_positives, (shifted - later_up - up * square) / n)


def _from_here_down(values: Floats) -> Floats:
    """Return the sums over each row of the table and all that score less."""
    return np.ascontiguousarray(values[::-1].cumsum()[::-1])
