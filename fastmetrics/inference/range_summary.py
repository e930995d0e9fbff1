"""Summaries of score ranges that add up: counts and moments of metrics and variances.

The influence of a row is a function of its range, plus a constant for all rows of its class and
range. Each range keeps central moments, which no constant changes. Sums of influences over all
ranges follow from them, rounded no more than those of rows in memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import curve_kernels
from fastmetrics._kernels.buckets import bin_numbers
from fastmetrics._kernels.curve_kernels import (
    auc_influences,
    central_moments,
    precision_fractions,
    precision_influences,
)
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError
from fastmetrics.inference.rates import Rates, most_gap
from fastmetrics.inference.units import ROUNDING, Floats, Reference, Units, Variance
from fastmetrics.metrics._metric import LARGEST_GAP
from fastmetrics.metrics.calibration.calibration_summary import ScoreDecomposition, decompose_sum
from fastmetrics.metrics.curves.precision_recall import Balance, find_balance
from fastmetrics.metrics.curves.roc import KolmogorovSmirnov, extreme_gaps, ks_at
from fastmetrics.metrics.probabilities.losses import row_losses
from fastmetrics.metrics.registry import LOSSES, METRICS, OF_RANGES
from fastmetrics.tables._mergeable import Summed
from fastmetrics.tables.bin_layout import MOST_BINS, Search, build_search
from fastmetrics.tables.pairs import PairCounts, pairs_of_weights
from fastmetrics.tables.score_table import (
    Hull,
    Piece,
    ScoreTable,
    by_pieces,
    running_sum,
    upper_hull,
)

Pairs = list[tuple[int, int]]
#: A number of rows, or a `Fraction`, a sum of weights: both add up exactly.
Exact = Any


@dataclass(frozen=True, eq=False)
class Lookup:
    """The influences of rows on M metrics, by class and score.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        Ascending; a score between two of them is looked up at the higher one.
    influences : ndarray of shape (M, 2, n)
        Of a negative and of a positive at each score.
    rests : ndarray of shape (M, 2)
        Sums over rows of the squared errors of influences that are looked up.
    """

    scores: NDArray[Any]
    influences: Floats
    rests: Floats

    def indices(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the index at which each score is looked up."""
        scores = np.ascontiguousarray(scores, self.scores.dtype)
        if self._search is not None:
            bins = np.empty(len(scores), np.int32)
            bin_numbers(scores, *self._search, np.empty(len(scores)), bins)
            return bins
        return np.minimum(np.searchsorted(self.scores, scores), len(self.scores) - 1)

    @cached_property
    def _search(self) -> Search | None:
        """Arithmetic that assigns floats to bins; None for other dtypes or too many bins."""
        if self.scores.dtype.kind != "f" or len(self.scores) > MOST_BINS:
            return None
        return build_search(np.nextafter(self.scores[:-1].astype(np.float64), np.inf))


class ProductSums(NamedTuple):
    """Sums over rows by class, of M metrics of K models and P pairs of these.

    Attributes
    ----------
    n_points : int
        Rows of a weight, each one once.
    n_rows : ndarray of shape (2,)
        Rows of each class, by their frequencies.
    models : ndarray of shape (M, K, K, 2, 4)
        `Units.product_sums` of a model and each before it.
    pairs : ndarray of shape (M, P, 2, 4)
        `Units.product_sums` of a difference and itself.
    ends : ndarray of shape (M, K + P, 2, 2)
        The largest influence of each model and difference, and minus the smallest.
    rests : ndarray of shape (M, K, 2)
        Squared errors of lookups (`Lookup.rests`).
    given : (Units, Units) or None
        All rows as sampling units, and by class, if they have importances: sums and ends are then
        of influences times weights.
    """

    n_points: int
    n_rows: Floats
    models: Floats
    pairs: Floats
    ends: Floats
    rests: Floats
    given: tuple[Units, Units] | None = None

    def __add__(self, other: tuple[Any, ...]) -> ProductSums:
        """Return the sums over the rows of both."""
        more = ProductSums(*other)
        return ProductSums(
            self.n_points + more.n_points,
            self.n_rows + more.n_rows,
            self.models + more.models,
            self.pairs + more.pairs,
            np.maximum(self.ends, more.ends),
            self.rests,
            self.given,
        )

    @classmethod
    def from_rows(
        cls,
        labels: NDArray[Any],
        weights: NDArray[Any] | None,
        scores: Sequence[NDArray[Any]],
        lookups: Sequence[Lookup],
        pairs: Pairs,
        given: tuple[Units, Units] | None = None,
    ) -> ProductSums:
        """Compute the sums of rows; positives have label 1.

        ``weights`` are frequencies, or importances if ``given`` are the units of all rows.
        """
        k = len(lookups)
        n_metrics = min(len(to.rests) for to in lookups)
        n_rows = np.zeros(2)
        model_sums = np.zeros((n_metrics, k, k, 2, 4))
        pair_sums = np.zeros((n_metrics, len(pairs), 2, 4))
        ends = np.full((n_metrics, k + len(pairs), 2, 2), -np.inf)

        def add_class(code: int) -> None:
            here = np.flatnonzero((labels == 1) == code)
            if not len(here):
                return
            its_weights = None if weights is None else weights[here]
            units = (
                Units(len(here), its_weights)
                if given is None
                else Units(len(here), None, its_weights)
            )
            n_rows[code] = units.n_rows
            at = [to.indices(each[here]) for to, each in zip(lookups, scores, strict=True)]
            for m in range(n_metrics):
                columns = [
                    to.influences[m, code][rows] for to, rows in zip(lookups, at, strict=True)
                ]
                differences = [columns[a] - columns[b] for a, b in pairs]
                model_sums[m, :, :, code] = units.product_matrix(columns)[:, :, 0]
                for p, each in enumerate(differences):
                    pair_sums[m, p, code] = units.product_sums(each, each)[0]
                for p, each in enumerate((*columns, *differences)):
                    terms = each if given is None else each * its_weights
                    ends[m, p, code] = terms.max(), -terms.min()

        run([partial(add_class, code) for code in (0, 1)], len(labels))
        rests = np.stack([to.rests[:n_metrics] for to in lookups], axis=1)
        return cls(len(labels), n_rows, model_sums, pair_sums, ends, rests, given)

    def units(self, is_by_class: bool) -> Units:
        """Return the rows as sampling units of one point, or of one point per class."""
        return self.given[is_by_class] if self.given else _units(self.n_rows, is_by_class)

    def covariance(self, m: int, is_by_class: bool) -> Floats:
        """Return the covariance of the models by a metric."""
        sums = self.models[m] if is_by_class else self.models[m].sum(axis=2, keepdims=True)
        return self.units(is_by_class).covariance_from_sums(sums)

    def variance(
        self,
        m: int,
        p: int,
        pair: tuple[int, int],
        values: tuple[float, float],
        is_by_class: bool,
        reference: Reference,
    ) -> Variance:
        """Compute the variance of the difference of two values; rounding alone counts as 0.

        Errors of looked-up influences widen it to an upper bound: the norm of a sum is at most the
        sum of norms.
        """
        units = self.units(is_by_class)
        sums = self.pairs[m, p]
        rests = self.rests[m, list(pair)]
        if not is_by_class:
            sums = sums.sum(axis=0, keepdims=True)
            rests = rests.sum(axis=1, keepdims=True)
        k = self.models.shape[1]
        size = max(map(abs, values))
        largest = max(float(self.ends[m, model].max()) for model in pair)
        if float(self.ends[m, k + p].max()) <= ROUNDING * (size / self.n_points + largest):
            sums = np.zeros_like(sums)
            rests = rests if values[0] != values[1] else np.zeros_like(rests)
        variance = units.variance_from_sums(sums, reference)
        error = float(np.sqrt((units.factors * rests).sum(axis=1)).sum())
        if error == 0.0:
            return variance
        return variance._replace(value=(variance.standard_error + error) ** 2)

    def ranges(self, m: int, model: int, is_by_class: bool) -> tuple[Floats, Floats]:
        """Return `Units.ranges` of a model."""
        ends = self.ends[m, model]
        sizes = self.units(is_by_class).stratum_sizes
        steps = (ends if is_by_class else ends.max(axis=0, keepdims=True)).sum(axis=1)
        return sizes, np.where(steps > ROUNDING * ends.max(), steps, 0.0)


def _units(sizes: Floats, is_by_class: bool) -> Units:
    """Return rows of both classes as units of one point, or of one point per class."""
    if is_by_class:
        return Units(2, sizes, strata=np.arange(2))
    return Units(1, sizes.sum(keepdims=True))


#: Means over rows, of probabilities; and metrics whose influences have moments.
_MEANS: Final = (*LOSSES, "mean_error")
MEASURED: Final = (*OF_RANGES, "mean_error")
#: How scores are made cells: the most cells, and the rows of a table that are each a cell alone.
Cut = tuple[int, int]


def cell_starts(table: ScoreTable, start: int, total: float, cut: Cut) -> NDArray[np.intp]:
    """Return the start of each cell: cells are even by rows, and smaller near the top."""
    n_cells, alone = cut
    last = len(table) - 1
    if last < alone:
        return np.arange(last + 1)
    rows = table.positives + table.negatives
    above = np.cumsum(rows) - rows + start

    def cell(index: Any) -> Floats:
        n = above[index].astype(np.float64)
        position = n / total + np.log1p(n) / np.log1p(total)
        return np.asarray(np.floor(position * (n_cells / 2.0)))

    first, end = cell(np.array([0, last]))
    cells = np.arange(first + 1.0, end + 1.0)
    low, high = np.zeros(len(cells), np.intp), np.full(len(cells), last)
    while (low < high).any():  # bisection of the first score of each
        middle = (low + high) // 2
        is_there = cell(middle) >= cells
        low, high = np.where(is_there, low, middle + 1), np.where(is_there, middle, high)
    return np.unique(np.append(high, 0))


class ScoreCells(NamedTuple):
    """Mean influences of rows in cells of consecutive scores.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        The highest score of each cell, descending.
    means : ndarray of shape (M, 2, n)
        Mean influence by metric and class.
    rests : ndarray of shape (M, 2)
        Sums over rows of squared deviations from these means.
    """

    scores: NDArray[Any]
    means: Floats
    rests: Floats

    @classmethod
    def from_table(cls, table: ScoreTable, influences: Any, starts: NDArray[np.intp]) -> ScoreCells:
        """Compute the cells of a table that begin at the indices ``starts``."""
        means, rests = np.empty((len(influences), 2, len(starts))), np.empty((len(influences), 2))
        columns = table.positives, table.negatives
        for m, one in enumerate(influences):
            for code, (counts, values) in enumerate(zip(columns, one, strict=True)):
                rests[m, code] = curve_kernels.cell_means(counts, values, starts, means[m, code])
        return cls(table.scores[starts], means, rests)

    @classmethod
    def join(cls, each: Sequence[ScoreCells]) -> ScoreCells:
        """Join the cells of consecutive ranges."""
        least = min(len(one.means) for one in each)
        means = np.concatenate([one.means[:least] for one in each], axis=2)
        rests = np.sum([one.rests[:least] for one in each], axis=0)
        return cls(np.concatenate([one.scores for one in each]), means, rests)


class RowBlock(NamedTuple):
    """Moments of the influences of rows in consecutive ranges.

    Attributes
    ----------
    start : tuple of numbers
        Numbers of positives and negatives of higher scores, or their weights.
    sizes : tuple of numbers
        The same of this block.
    moments : ndarray of shape (M, 2, 4)
        By metric and class: the mean influence within this block, times the class size, and sums
        of second to fourth powers about it. Metrics are `MEASURED`, or the first two of them if a
        score lies outside [0, 1].
    tails : ndarray of shape (2,)
        Contribution of this block to the influences of higher positives (negatives) on average
        precision.
    hull : ndarray of shape (2, n)
        Positives and negatives in blocks of equal recalibrated probability, the highest first; none
        if a score lies outside [0, 1].
    cells : ScoreCells or None
        Influences to be looked up by score, if requested.
    """

    start: tuple[Exact, Exact]
    sizes: tuple[float, float]
    moments: Floats
    tails: Floats
    hull: NDArray[Any]
    cells: ScoreCells | None = None


def _row_block(
    table: ScoreTable,
    start: tuple[Exact, Exact],
    totals: tuple[float, float],
    cut: Cut | None = None,
    n_metrics: int = len(OF_RANGES),
) -> RowBlock:
    """Compute the block of a table, below ``start`` and of ``totals`` rows of either class.

    ``n_metrics`` is how many of `OF_RANGES` to compute.
    """
    influences, tails = influences_here(table, start, totals, n_metrics)
    moments = np.empty((len(influences), 2, 4))
    for rows, both in zip(moments, influences, strict=True):
        for column, *out in zip((table.positives, table.negatives), both, rows, strict=True):
            central_moments(column, *out)
    hull = _hull(table) if len(influences) > 2 else np.empty((2, 0), np.int64)
    cells = None
    if cut is not None:
        starts = cell_starts(table, sum(start), float(sum(totals)), cut)
        cells = ScoreCells.from_table(table, influences[: len(OF_RANGES)], starts)
    return RowBlock(start, (table.n_positive, table.n_negative), moments, tails, hull, cells)


def influences_here(
    table: ScoreTable,
    start: tuple[Exact, Exact],
    totals: tuple[float, float],
    n_metrics: int = len(OF_RANGES),
) -> tuple[list[Sequence[Floats]], Floats]:
    """Compute influences of positives and of negatives at each score, as far as a range tells.

    Of `MEASURED`, or of the first two if a score lies outside [0, 1]; also return
    `RowBlock.tails`. `final_influences` does the rest.
    """
    columns = table.positives, table.negatives
    above = float(start[0]), float(start[1])
    whole = float(totals[0]) or 1.0, float(totals[1]) or 1.0
    auc_values = np.empty((2, len(table)))
    auc_influences(*columns, above, whole, 0.0, *auc_values, np.empty((0, 2)))
    auc_values *= np.array([whole]).T  # times the size of the class, not centred
    influences: list[Sequence[Floats]] = [list(auc_values)]
    tails = 0.0, 0.0
    if n_metrics > 1:
        precision_values = np.empty((2, len(table)))
        tails = precision_fractions(*columns, above, *precision_values)
        precision_influences(1.0, 0.0, (0.0, 0.0), *precision_values)  # times the positives
        influences.append(list(precision_values))
    if n_metrics > 2 and are_fractions(table):
        codes = np.ones(len(table), np.int8), np.zeros(len(table), np.int8)
        influences += [
            [row_losses(name, labels, table.scores) for labels in codes] for name in LOSSES
        ]
        probabilities = table.scores.astype(np.float64, copy=False)
        influences.append([probabilities - 1.0, probabilities])
    return influences, np.array([tails[0], -tails[1]])


def are_fractions(table: ScoreTable) -> bool:
    """Return True if the table's scores are floats in [0, 1], as probabilities are."""
    scores = table.scores
    if scores.dtype.kind != "f" or not len(scores):
        return False
    return bool(min(scores[0], scores[-1]) >= 0.0 and max(scores[0], scores[-1]) <= 1.0)


def _hull(table: ScoreTable) -> NDArray[Any]:
    hull = upper_hull(table)
    return np.stack([hull.positives, hull.negatives])


def _table_of_blocks(columns: NDArray[Any]) -> ScoreTable:
    return ScoreTable._from_columns(np.arange(columns.shape[1], 0.0, -1.0), *columns)


def later_tails(blocks: Sequence[RowBlock]) -> Floats:
    """Sum the tails of lower blocks, which influences on average precision need, by class."""
    tails = np.array([block.tails for block in blocks])
    return np.asarray((tails.sum(axis=0) - tails.cumsum(axis=0)).T)


def join_blocks(blocks: Sequence[RowBlock]) -> RowBlock:
    """Join adjacent blocks, highest first, into one."""
    if len(blocks) == 1:
        return blocks[0]
    sizes = np.array([block.sizes for block in blocks], np.float64).T[None, :, :]
    least = min(len(block.moments) for block in blocks)
    # by metric, class, block and power
    moments = np.stack([block.moments[:least] for block in blocks], axis=2)
    means = moments[..., 0].copy()
    later = later_tails(blocks)
    if least > 1:
        means[1] += later
    whole = sizes.sum(axis=2, keepdims=True)
    mean = (sizes * means).sum(axis=2, keepdims=True) / np.where(whole > 0.0, whole, 1.0)
    second, third, fourth = np.moveaxis(moments[..., 1:], -1, 0)
    shifted = _about(sizes, second, third, fourth, means - mean)
    powers = np.stack(shifted, axis=-1).sum(axis=2)
    moments = np.concatenate([mean, powers], axis=2)
    added = [sum(block.sizes[code] for block in blocks) for code in (0, 1)]
    cells = None
    each = [block.cells for block in blocks if block.cells is not None]
    if len(each) == len(blocks):
        cells = ScoreCells.join(each)
        cells.means[1] += np.repeat(later, [len(one.scores) for one in each], axis=1)
    both = added[0], added[1]
    tails = np.sum([block.tails for block in blocks], axis=0)
    # adjacent blocks of probabilities are pooled into those of all
    hull = _hull(_table_of_blocks(np.concatenate([block.hull for block in blocks], axis=1)))
    return RowBlock(blocks[0].start, both, moments, tails, hull, cells)


def _about(size: Any, second: Any, third: Any, fourth: Any, off: Any) -> tuple[Any, Any, Any]:
    """Shift sums of second to fourth powers to a centre, from which means differ by ``off``."""
    return (
        second + size * off**2,
        third + 3.0 * second * off + size * off**3,
        fourth + 4.0 * third * off + 6.0 * second * off**2 + size * off**4,
    )


def sum_influences(table: ScoreTable, n_metrics: int) -> RowBlock:
    """Sum the influences on the first ``n_metrics`` of `OF_RANGES` over a table of both classes."""
    totals = table.n_positive, table.n_negative

    def sum_piece(piece: Piece) -> RowBlock:
        block = table
        if piece.stop - piece.start < len(table):
            scores = table.scores[piece.start : piece.stop]
            block = ScoreTable._from_columns(scores, *piece.columns)
        return _row_block(block, (piece.tp, piece.fp), totals, n_metrics=n_metrics)

    return join_blocks(by_pieces(table, sum_piece))


def range_variance(name: str, value: float, whole: RowBlock) -> Variance:
    """Compute the variance of a metric, as `Units.variance` does, from moments of all rows."""
    sizes = np.array(whole.sizes, np.float64)
    moments = whole.moments[MEASURED.index(name)]
    centre, scale = _centre_and_scale(name, value, whole)
    sums = np.empty((2, 4))
    columns = (each.tolist() for each in (sizes, moments, centre, scale))
    for k, (n, (mean, *powers), middle, by) in enumerate(zip(*columns, strict=True)):
        off = mean - middle
        second, third, fourth = _about(n, powers[0], powers[1], powers[2], off)
        sums[k] = second / by**2, n * off / by, fourth / by**4, third / by**3
    is_by_class = METRICS[name].is_free_of_prevalence
    if not is_by_class:
        sums = sums.sum(axis=0, keepdims=True)
    return _units(sizes, is_by_class).variance_from_sums(sums)


def mean_of_rows(name: str, whole: RowBlock) -> float:
    """Compute a mean over rows from the block of all rows."""
    sizes = np.array(whole.sizes, np.float64)
    means = whole.moments[MEASURED.index(name), :, 0]
    return float((sizes * means).sum() / sizes.sum())


def final_influences(name: str, value: float, influences: Any, whole: RowBlock) -> Floats:
    """Return the influences on a metric, given its value, from those that ranges tell."""
    centre, scale = _centre_and_scale(name, value, whole)
    return np.asarray((np.asarray(influences) - centre[:, None]) / scale[:, None])


def _centre_and_scale(name: str, value: float, whole: RowBlock) -> tuple[Floats, Floats]:
    """Return the centres and divisors of influences, of positives and negatives."""
    is_auc = METRICS[name].linear_in_auc is not None
    m, n = whole.sizes
    if name in _MEANS:
        return np.full(2, value), np.full(2, float(m + n))
    return np.array([value, value if is_auc else 0.0]), np.array([m, n if is_auc else m], float)


#: Relative rounding of sums of weights where as many are called positive as there are positives.
_BALANCED: Final = 2.0**-48
#: Precisions are summed as whole numbers of 2**-128, in limbs of 32 bits.
_PRECISION_BITS: Final = 128
_LIMBS: Final = 7


class Corner(NamedTuple):
    """A threshold, and the rows of either class at or above it."""

    threshold: int | float
    tp: Exact
    fp: Exact


@dataclass(frozen=True, slots=True)
class RangeSummary(Summed):
    """Contribution of one range of scores to an evaluation; adds up exactly with ``+``.

    `summarize_range` makes the summary of a range; sums of disjoint ranges add up in any order.
    Counts and thresholds are exact; influences are doubles, joined once all ranges are there.

    Attributes
    ----------
    n_positive, n_negative : int or Fraction
        All rows of either class, those of other ranges too; or their weights.
    positives, negatives : int or Fraction
        Rows of either class in this range.
    twice_concordant, twice_discordant : int or Fraction
        `PairCounts` of this range's rows, and of them and rows of higher scores.
    precisions : int or Fraction
        2**128 times the sum over positives of the precision at their score.
    inner : int
        Scores that are neither 0 nor 1.
    first_scores : tuple of numbers
        The three highest scores that differ.
    highest, lowest : Corner or None
        Where TPR - FPR is largest, and where it is smallest; of equal ones the highest threshold.
    balance : Balance or None
        The step in which as many are called positive as there are positives, if it is here.
    blocks : tuple of RowBlock
        Moments of influences on `metrics`, of each range, the highest first.
    tables : callable or None
        Gives the table of a range by its index in `blocks`, of runs that are there.
    effective : tuple of float or None
        Effective numbers of positives and negatives that are importances.
    """

    n_positive: Exact
    n_negative: Exact
    positives: Exact = 0
    negatives: Exact = 0
    twice_concordant: Exact = 0
    twice_discordant: Exact = 0
    precisions: Exact = 0
    inner: int = 0
    first_scores: tuple[int | float, ...] = ()
    highest: Corner | None = None
    lowest: Corner | None = None
    balance: Balance | None = None
    blocks: tuple[RowBlock, ...] = field(default=(), compare=False)
    tables: Callable[[int], ScoreTable] | None = field(default=None, compare=False)
    effective: tuple[float, float] | None = None

    def _plus(self, other: RangeSummary) -> RangeSummary:
        if (self.n_positive, self.n_negative) != (other.n_positive, other.n_negative):
            raise InputError(
                "ranges of different data: of "
                f"{self.n_positive:,} positive and {self.n_negative:,} negative rows, and of "
                f"{other.n_positive:,} and {other.n_negative:,}"
            )
        if self.balance is not None and other.balance is not None:
            raise InputError("a range that is added twice, or ranges that overlap")
        blocks = self.blocks + other.blocks
        if self.blocks and other.blocks and self.blocks[-1].start > other.blocks[0].start:
            blocks = tuple(sorted(blocks, key=lambda block: block.start))
        return dataclasses.replace(
            self,
            **{name: getattr(self, name) + getattr(other, name) for name in _SUMS},
            first_scores=tuple(
                sorted({*self.first_scores, *other.first_scores}, reverse=True)[:_FIRST]
            ),
            highest=self._better(self.highest, other.highest, 1),
            lowest=self._better(self.lowest, other.lowest, -1),
            balance=self.balance or other.balance,
            blocks=blocks,
        )

    def _better(self, one: Corner | None, other: Corner | None, sign: int) -> Corner | None:
        if one is None or other is None:
            return other if one is None else one
        return max(one, other, key=lambda corner: (sign * self.gap_at(corner), corner.threshold))

    def gap_at(self, corner: Corner) -> Exact:
        """Return TPR - FPR at a corner, times the number of pairs."""
        return corner.tp * self.n_negative - corner.fp * self.n_positive

    @property
    def largest_gap(self) -> KolmogorovSmirnov:
        """The largest |TPR - FPR|, once all ranges are there; of equal ones the first."""
        if self.highest is None or self.lowest is None:
            raise InputError("ranges of scores are missing")
        both = self.highest, self.lowest
        gap = max(both, key=lambda corner: (abs(self.gap_at(corner)), corner.threshold))
        return ks_at(*gap, self.n_positive, self.n_negative)

    @property
    def rates(self) -> Rates | None:
        """Rates near the largest gap; None if the ranges are not there any more."""
        if self.tables is None:
            return None
        sizes = float(self.n_positive), float(self.n_negative)
        return Rates(self._tables_near, self.largest_gap, self.effective or sizes, sizes)

    def _tables_near(self, least: float) -> Iterator[tuple[ScoreTable, float, float]]:
        """Give the tables of ranges in which a gap may reach ``least``, with TP and FP above."""
        sizes = float(self.n_positive), float(self.n_negative)
        for k, block in enumerate(self.blocks):
            above = float(block.start[0]), float(block.start[1])
            if self.tables is not None and most_gap(above, block.sizes, *sizes) >= least:
                yield self.tables(k), *above

    def decompose_brier_score(self) -> ScoreDecomposition:
        """Split the Brier score into miscalibration, discrimination and uncertainty."""
        whole = self.joined
        given = mean_of_rows("brier_score", whole) * float(self.n_positive + self.n_negative)
        table = _table_of_blocks(whole.hull)
        hull = Hull(np.arange(len(table)), *whole.hull)
        return decompose_sum(table, hull, "brier_score", given)

    @property
    def pairs(self) -> PairCounts:
        """Concordant and discordant pairs, whose `auc` and `rank_loss` are exact; of all ranges."""
        self.check_whole()
        sizes = self.n_positive, self.n_negative
        return PairCounts(*sizes, self.twice_concordant, self.twice_discordant)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that it has: of both classes; losses where all scores may be probabilities."""
        has_both = self.n_positive > 0 and self.n_negative > 0
        has_losses = self.inner > 0 and all(len(block.moments) > 2 for block in self.blocks)
        return tuple(name for name in OF_RANGES if (has_losses if name in LOSSES else has_both))

    @property
    def joined(self) -> RowBlock:
        """The blocks of all ranges as one."""
        return join_blocks(self.blocks)

    def value(self, name: str) -> float:
        """Compute one of `metrics`, of those linear in the AUC the AUC; or the largest gap."""
        if METRICS[name].linear_in_auc is not None:
            return self.pairs.auc
        if METRICS[name].interval == LARGEST_GAP:
            return self.largest_gap.statistic
        if name in _MEANS:
            return mean_of_rows(name, self.joined)
        return float(self.precisions / (self.n_positive * 2**_PRECISION_BITS))  # rounded once

    def lookup(self) -> Lookup:
        """Build the lookup of influences on `metrics` by score; the summary must have cells."""
        whole = self.joined
        if whole.cells is None:
            raise ValueError("ranges without cells")
        influences, errors = [], []
        for name in self.metrics:
            m = MEASURED.index(name)
            value = self.value(name)
            influences.append(final_influences(name, value, whole.cells.means[m], whole))
            scale = _centre_and_scale(name, value, whole)[1]
            errors.append(whole.cells.rests[m] / scale**2)
        columns = np.array(influences)[:, ::-1, ::-1], np.array(errors)[:, ::-1]
        return Lookup(whole.cells.scores[::-1], *columns)

    def check_whole(self) -> None:
        """Raise if ranges are missing or were added twice."""
        here = self.positives, self.negatives
        if here != (self.n_positive, self.n_negative):
            raise InputError(
                f"ranges of {here[0]:,} positive and {here[1]:,} negative rows, where there are "
                f"{self.n_positive:,} and {self.n_negative:,}: some are missing, or in twice"
            )


#: How many of the highest scores are kept.
_FIRST: Final = 3
_SUMS: Final = (
    *("positives", "negatives", "twice_concordant", "twice_discordant", "precisions", "inner"),
)


def summarize_range(
    table: ScoreTable,
    true_positives: Exact = 0,
    false_positives: Exact = 0,
    n_positive: Exact = None,
    n_negative: Exact = None,
    cut: Cut | None = None,
    with_losses: bool = True,
) -> RangeSummary:
    """Compute the contribution of one range of scores to an evaluation of all.

    ``table`` counts all rows whose score lies in the range; ``true_positives`` and
    ``false_positives`` are rows of higher scores. ``n_positive`` and ``n_negative`` are all rows of
    either class, by default those above and in the table; or all are about as many weights. But for
    the rounding of these, the sums do not depend on how rows are split into ranges. ``cut``
    requests cells for lookups; without ``with_losses`` there are none, as where a score lies
    outside [0, 1]. Three passes over the table.

    Examples
    --------
    >>> from fastmetrics import ScoreTable
    >>> high = ScoreTable.from_scores([1, 0, 1], [0.9, 0.8, 0.8])
    >>> low = ScoreTable.from_scores([0, 1, 0], [0.4, 0.3, 0.1])
    >>> all_rows = summarize_range(high, 0, 0, 3, 3) + summarize_range(low, 2, 1, 3, 3)
    >>> all_rows.pairs.auc
    0.7222222222222222
    """
    m = true_positives + table.n_positive if n_positive is None else n_positive
    n = false_positives + table.n_negative if n_negative is None else n_negative
    n_metrics = len(OF_RANGES) if with_losses and are_fractions(table) else 2

    def summarize(piece: Piece) -> RangeSummary:
        scores = table.scores[piece.start : piece.stop]
        block = ScoreTable._from_columns(scores, *piece.columns)
        above = true_positives + piece.tp, false_positives + piece.fp
        return _summarize_piece(block, *above, m, n, cut, n_metrics)

    summary = sum(by_pieces(table, summarize), RangeSummary(m, n))
    if not summary.blocks:
        return summary
    return dataclasses.replace(summary, blocks=(join_blocks(summary.blocks),))


def summarize_table(table: ScoreTable) -> RangeSummary:
    """Summarize a table of all rows, which stays there for the limits of the largest gap."""
    summary = summarize_range(table)
    if not (summary.n_positive and summary.n_negative):
        return summary
    return dataclasses.replace(summary, tables=lambda _: table)


def _summarize_piece(
    table: ScoreTable, tp: Exact, fp: Exact, m: Exact, n: Exact, cut: Cut | None, n_metrics: int
) -> RangeSummary:
    """Summarize a piece of a table below ``tp`` positives and ``fp`` negatives."""
    columns = table.positives, table.negatives
    exact: Callable[[Any], Any] = Fraction if table.is_weighted else int
    positives, negatives = exact(table.n_positive), exact(table.n_negative)
    pairs = pairs_of_weights(*columns, (positives, negatives))
    concordant = exact(pairs.twice_concordant) + 2 * tp * negatives
    discordant = exact(pairs.twice_discordant) + 2 * fp * positives
    highest = lowest = None
    if m and n:
        highest, lowest = (
            Corner(table.scores[row].item(), tp + exact(p), fp + exact(q))
            for row, p, q in extreme_gaps(*columns, m, n)
        )
    least = m * (1.0 - _BALANCED) if table.is_weighted else m
    is_balanced = tp + fp < least <= tp + fp + positives + negatives
    balance = find_balance(table, m, (tp, fp)) if is_balanced else None
    block = _row_block(table, (tp, fp), (m, n), cut, n_metrics)
    inner = int(np.count_nonzero((table.scores != 0) & (table.scores != 1)))
    sums = positives, negatives, concordant, discordant, _precisions(table, tp, fp), inner
    first_scores = tuple(table.scores[:_FIRST].tolist())
    return RangeSummary(m, n, *sums, first_scores, highest, lowest, balance, (block,))


def _precisions(table: ScoreTable, tp: Exact, fp: Exact) -> Exact:
    """Compute 2**128 times the sum over positives of the precision at their score."""
    columns = table.positives, table.negatives
    if table.is_weighted:
        precisions, fractions = np.empty((2, len(table)))
        precision_fractions(*columns, (float(tp), float(fp)), precisions, fractions)
        terms = table.positives * precisions  # summed as the positives are
        return Fraction(running_sum(terms)[-1].item()) * 2**_PRECISION_BITS
    limbs = np.zeros(_LIMBS, np.int64)
    curve_kernels.add_precisions(*columns, tp, fp, np.empty(len(table)), limbs)
    return sum(limb << 32 * k for k, limb in enumerate(limbs.tolist()))
