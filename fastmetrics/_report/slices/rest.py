"""What a measure is of all rows but those of a slice, for all slices that part the rows.

Of decisions the cells of a slice are taken from those of all; of means the moments of the other
slices are put together; of the AUC placements among all rows, less those among the slice, are those
among the others. What is none of these is measured anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.range_kernels import powers_outside
from fastmetrics._threads.workers import FEW_ROWS, run
from fastmetrics.inference.interval_rule import OF_AUC
from fastmetrics.inference.samples import BinarySample, LabelSample, Sample, ValueSample
from fastmetrics.inference.table_points import measure_of, of_matrix
from fastmetrics.inference.units import Floats, Ints, Spread
from fastmetrics.measures.asking import Asked
from fastmetrics.measures.curves.placements import doubled_placements
from fastmetrics.measures.registry import MEASURES
from fastmetrics.measures.regression.influences import ROOTS
from fastmetrics.tables.ordering.row_order import row_order


class Outside(NamedTuple):
    """A measure of the rows outside a slice, or how far it is from that inside, and its spread."""

    value: float = math.nan
    spread: Spread = Spread(math.nan, math.nan)


#: Of a slice, by its rows; of all slices that part the rows.
Found = list[Outside | None]
Parts = Sequence[Ints]
Outsiders = Callable[[Parts], Found]


def outside_of(one: Asked, sample: Sample, model: int) -> Outsiders | None:
    """Return what finds a measure outside each of the parts of all rows; None where it is no sum.

    ``sample`` is of all rows, each of which stands for itself.
    """
    measure = measure_of(one)
    if isinstance(sample, BinarySample | LabelSample) and measure.needs == "labels":
        if measure.is_by_class(one.parameters) == measure.is_free_of_shares:
            return partial(_of_cells, one, sample, sample.called(one, model))
    elif isinstance(sample, BinarySample) and measure.name in OF_AUC and not one.parameters:
        return _of_placements(sample, model, OF_AUC[measure.name])
    elif isinstance(sample, BinarySample | ValueSample):
        root = ROOTS.get(measure.name)
        of_rows = measure if root is None else MEASURES[root]
        if of_rows.row_loss:
            losses = of_rows.losses(*sample.columns(model), **one.parameters)
            return partial(_of_means, losses, is_root=root is not None)
    return None


def _of_cells(one: Asked, sample: BinarySample | LabelSample, called: Ints, parts: Parts) -> Found:
    """Return a measure of decisions: of the cells of all rows less those of a slice."""
    k = max(2, int(max(sample.classes.max(), called.max())) + 1)
    cells = sample.classes * k + called
    total = np.bincount(cells, minlength=k * k)
    found: Found = []
    for part in parts:
        counts = (total - np.bincount(cells[part], minlength=k * k)).reshape(k, k)
        if not counts.sum(axis=1).all():
            found.append(None)
            continue
        measured = of_matrix(one, counts.astype(np.float64))
        spread = measured.units.spread(measured.influences[0])
        found.append(Outside(measured.values[0], spread))
    return found


@dataclass(frozen=True)
class _Moments:
    """The mean of n numbers and the sums of powers of what they differ from it."""

    n: float = 0.0
    mean: float = 0.0
    second: float = 0.0
    third: float = 0.0
    fourth: float = 0.0

    @classmethod
    def of(cls, values: Floats) -> _Moments:
        if not len(values):
            return cls()
        mean = float(values.mean())
        off = values - mean
        squares = off * off
        sums = squares.sum(), squares @ off, squares @ squares
        return cls(float(len(values)), mean, *map(float, sums))

    def __add__(self, other: _Moments) -> _Moments:
        """Return those of both together (Pébay 2008, Sandia report SAND2008-6212)."""
        if not (self.n and other.n):
            return self if self.n else other
        n = self.n + other.n
        d, p, q = other.mean - self.mean, self.n / n, other.n / n
        squares = d * d * p * q * n
        third = squares * d * (p - q) + 3.0 * d * (p * other.second - q * self.second)
        fourth = squares * d * d * (p * p - p * q + q * q)
        fourth += 6.0 * d * d * (p * p * other.second + q * q * self.second)
        fourth += 4.0 * d * (p * other.third - q * self.third)
        return _Moments(
            n,
            self.mean + d * q,
            self.second + other.second + squares,
            self.third + other.third + third,
            self.fourth + other.fourth + fourth,
        )


def _of_means(losses: Floats, parts: Parts, *, is_root: bool) -> Found:
    """Return means of losses, or their roots: no slice is taken from a whole that it outweighs."""
    own = [_Moments.of(losses[part]) for part in parts]
    before = accumulate(own, initial=_Moments())
    after = reversed([*accumulate(reversed(own[1:]), initial=_Moments())])
    return [_of_mean(one + other, is_root) for one, other in zip(before, after, strict=False)]


def _of_mean(of_rest: _Moments, is_root: bool) -> Outside | None:
    n, value = of_rest.n, of_rest.mean
    if not n:
        return None
    slope = 1.0 / n
    if is_root:
        value = math.sqrt(value)
        slope = 0.5 / value / n if value else 0.0
    second, fourth = of_rest.second * slope**2, of_rest.fourth * slope**4
    variance = second * n / (n - 1.0) if n > 1.0 else math.nan
    return Outside(value, Spread.of(variance, second, fourth, n - 1.0))


@dataclass(frozen=True, eq=False)
class _OfClass:
    """The scores of a class, ascending, and the doubled placements of its rows."""

    scores: NDArray[np.generic]
    placed: Floats

    def outside(
        self, own: Ints, cuts: Ints, steps: tuple[float, float], pairs: float, value: float
    ) -> tuple[float, float, float]:
        """Return how many rows are outside a slice, and their sums of x^2 and x^4."""
        left, sums = len(self.placed) - len(own), np.empty(2)
        powers_outside(self.placed, cuts, own, *steps, 2.0 * pairs, value / left, sums)
        return float(left), float(sums[0]), float(sums[1])

    def cuts(self, others: NDArray[np.generic]) -> Ints:
        """Return where scores of the other class lie: before their ties, and after them."""
        ends = [np.searchsorted(self.scores, others, side) for side in ("left", "right")]
        return np.sort(np.concatenate(ends))


def _of_placements(sample: BinarySample, model: int, of_auc: tuple[float, float]) -> Outsiders:
    """Return what finds the AUC, or a factor of it and what is added to that, of other rows."""
    rows = sample.rows_of(model)
    order, doubled = row_order(rows.scores).rows, doubled_placements(rows)
    is_positive = rows.labels == 1
    place, classes = np.empty(len(order), np.int64), []
    for ordered in (order[~is_positive[order]], order[is_positive[order]]):
        place[ordered] = np.arange(len(ordered))
        classes.append(_OfClass(rows.scores[ordered], doubled[ordered].astype(np.float64)))
    low, high = classes
    twice = int(doubled[is_positive].sum())

    def outside(part: Ints) -> Outside | None:
        inside = is_positive[part]
        negatives, positives = np.sort(place[part[~inside]]), np.sort(place[part[inside]])
        m, n = len(high.placed) - len(positives), len(low.placed) - len(negatives)
        if not (m and n):
            return None
        above, below = high.cuts(low.scores[negatives]), low.cuts(high.scores[positives])
        both = int(np.searchsorted(above, positives, "right").sum())
        shared = int(doubled[part].sum()) - both
        value = (twice - shared) / (2 * m * n)
        of_both = (
            low.outside(negatives, below, (2.0 * len(positives), -1.0), float(m * n), value),
            high.outside(positives, above, (0.0, 1.0), float(m * n), value),
        )
        sizes, seconds, fourths = np.array(of_both).T
        factor, added = of_auc
        spread = Spread.of_strata(
            sizes, np.zeros(2), factor**2 * seconds, factor**4 * float(fourths.sum())
        )
        return Outside(factor * value + added, spread)

    def of_parts(parts: Parts) -> Found:
        jobs = [partial(outside, part) for part in parts]
        return run(jobs) if len(order) > FEW_ROWS else [job() for job in jobs]

    return of_parts
