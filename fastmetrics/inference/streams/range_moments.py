"""How far the rows of a range of scores move measures of a curve, and losses: moments that join.

The influence of a row on any is what its own range tells of it, and a number that all rows of its
class and range share. So a range keeps moments about its means, which no such number changes, and
sums of influences over all ranges follow without rounding more than rows in memory would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels.range_kernels import precision_influences, precision_shares
from fastmetrics.inference.streams.joint_sums import Lookup
from fastmetrics.inference.units import Floats, Spread
from fastmetrics.measures.curves.influences import Counts
from fastmetrics.measures.probabilities.influences import losses_of_rows
from fastmetrics.tables.scores.score_table import ScoreTable

#: Of scores that may be probabilities: means of what class and score tell of a row.
LOSSES: Final = ("brier_score", "log_loss")
#: The measures, and whether each class is a stratum of its own.
MEASURES: Final = {"roc_auc": True, "average_precision": False, **dict.fromkeys(LOSSES, False)}
#: What no row adds to each, in units of 1 / positives of average precision.
_MOST: Final = np.array([1.0, 100.0, 1.0, 100.0])


class Cut(NamedTuple):
    """How scores are made cells: ``n`` at most, of a part of so few each one of its own."""

    n: int
    alone: int

    def starts(self, counts: Counts, total: float) -> NDArray[np.intp]:
        """Return where cells begin: even ones by rows, and ever smaller ones to the top."""
        if len(counts.tp) <= self.alone:
            return np.arange(len(counts.tp))
        above = counts.tp + counts.fp - counts.positives - counts.negatives
        place = above / total + np.log1p(above) / np.log1p(total)
        return np.flatnonzero(np.diff(np.floor(place * (self.n / 2.0)), prepend=-1.0))


class Cells(NamedTuple):
    """Rows of consecutive scores, by the mean of what moves each measure there.

    Attributes
    ----------
    scores : ndarray of shape (n,)
        The highest of each cell, falling.
    means : ndarray of shape (M, 2, n)
        Of each measure and class.
    rests : ndarray of shape (M, 2)
        The sums over rows of the squares of what they differ by from those means.
    """

    scores: NDArray[Any]
    means: Floats
    rests: Floats

    @classmethod
    def of(cls, table: ScoreTable, counts: Counts, found: Any, starts: NDArray[np.intp]) -> Cells:
        """Return those of a table that begin at these places."""
        widths = np.diff(starts, append=len(table))
        means, rests = np.empty((len(found), 2, len(starts))), np.empty((len(found), 2))
        for own, left, one in zip(means, rests, found, strict=True):
            for code, values in enumerate(one):
                n = counts[code]
                first = values[starts]
                off = values - np.repeat(first, widths)
                shift = np.add.reduceat(n * off, starts)
                shift /= np.maximum(np.add.reduceat(n, starts), 1.0)
                own[code] = first + shift
                off -= np.repeat(shift, widths)
                left[code] = np.add.reduce(n * off * off)
        return cls(table.scores[starts], means, rests)

    @classmethod
    def joined(cls, parts: Sequence[Part], later: Floats) -> Cells | None:
        """Return those of parts, to which lower ones add so much of average precision."""
        each = [part.cells for part in parts if part.cells is not None]
        if len(each) < len(parts):
            return None
        least = min(len(one.means) for one in each)
        means = np.concatenate([one.means[:least] for one in each], axis=2)
        means[1] += np.repeat(later, [len(one.scores) for one in each], axis=1)
        rests = np.sum([one.rests[:least] for one in each], axis=0)
        return cls(np.concatenate([one.scores for one in each]), means, rests)


class Part(NamedTuple):
    """The rows of consecutive ranges.

    Attributes
    ----------
    start : tuple of int
        Positive and negative rows of higher scores.
    sizes : tuple of int
        Positive and negative rows here.
    moments : ndarray of shape (M, 2, 4)
        Of each measure and class: the mean of what this part tells of influences (times the size
        of the class), and the sums of their second to fourth powers about it. `MEASURES`, or the
        first two of them where a score lies outside [0, 1].
    tails : ndarray of shape (2,)
        What this part adds to the average precision that positives (negatives) above move.
    cells : Cells or None
        What rows move, to be looked up by their scores, where that was asked for.
    """

    start: tuple[int, int]
    sizes: tuple[int, int]
    moments: Floats
    tails: Floats
    cells: Cells | None = None

    @property
    def is_possible(self) -> bool:
        """Whether rows can have such moments."""
        size = np.maximum(self.sizes, 0)[None, :]
        mean, second, third, fourth = np.moveaxis(self.moments, 2, 0)
        most = _MOST[: len(self.moments), None]
        with np.errstate(over="ignore", invalid="ignore"):
            is_within = (np.abs(mean) <= most) & (second >= 0.0) & (fourth >= 0.0)
            is_within &= (second <= size * most**2) & (fourth <= size * most**4)
            is_within &= np.abs(third) <= size * most**3
        return bool(is_within.all() and (np.abs(self.tails) <= _MOST[1]).all())


def part_of(
    table: ScoreTable, start: tuple[int, int], totals: tuple[int, int], cut: Cut | None = None
) -> Part:
    """Return the part of a table that stands below so many rows of either class, of so many."""
    counts = Counts.of(table, start)
    of_precision = np.empty((2, len(table)))
    above = float(start[0]), float(start[1])
    tails = precision_shares(table.positives, table.negatives, above, *of_precision)
    precision_influences(1.0, 0.0, (0.0, 0.0), *of_precision)  # times the positives, not centred
    found: list[Sequence[Floats]] = [counts.placements(*totals), list(of_precision)]
    if are_fractions(table):
        codes = np.ones(len(table), np.int8), np.zeros(len(table), np.int8)
        found += [[losses_of_rows(name, own, table.scores) for own in codes] for name in LOSSES]
    columns = counts.positives, counts.negatives
    moments = [[_central(*each) for each in zip(columns, one, strict=True)] for one in found]
    sizes = int(table.n_positive), int(table.n_negative)
    cells = cut and Cells.of(table, counts, found, cut.starts(counts, float(sum(totals))))
    return Part(start, sizes, np.array(moments), np.array([tails[0], -tails[1]]), cells)


def are_fractions(table: ScoreTable) -> bool:
    """Return whether the scores, which are sorted, lie in [0, 1] as probabilities do."""
    scores = table.scores
    if scores.dtype.kind != "f" or not len(scores):
        return False
    return bool(min(scores[0], scores[-1]) >= 0.0 and max(scores[0], scores[-1]) <= 1.0)


def _central(counts: Floats, values: Floats) -> list[float]:
    total = float(counts.sum())
    if not total:
        return [0.0] * 4
    mean = float(np.add.reduce(counts * values)) / total
    off = values - mean
    off -= float(np.add.reduce(counts * off)) / total  # what rounding left
    found = [mean]
    powers = counts * off
    for _ in range(3):  # no product of BLAS, whose threads would be in the way of ours
        powers *= off
        found.append(float(np.add.reduce(powers)))
    return found


def joined(parts: Sequence[Part]) -> Part:
    """Return several parts, of which each one ends where the next begins, as one."""
    sizes = np.array([part.sizes for part in parts], np.float64).T[None, :, :]
    least = min(len(part.moments) for part in parts)
    # by measure, class, part and power
    moments = np.stack([part.moments[:least] for part in parts], axis=2)
    tails = np.array([part.tails for part in parts])
    means = moments[..., 0].copy()
    later = (tails.sum(axis=0) - tails.cumsum(axis=0)).T  # of average precision: lower ones
    means[1] += later
    whole = sizes.sum(axis=2, keepdims=True)
    mean = (sizes * means).sum(axis=2, keepdims=True) / np.maximum(whole, 1.0)
    powers = _about(sizes, moments[..., 1:], means - mean).sum(axis=2)
    found = np.concatenate([mean, powers], axis=2)
    added = [sum(part.sizes[code] for part in parts) for code in (0, 1)]
    cells = Cells.joined(parts, later)
    return Part(parts[0].start, (added[0], added[1]), found, tails.sum(axis=0), cells)


def _about(sizes: Floats, powers: Floats, off: Floats) -> Floats:
    """Return sums of second to fourth powers about a place that the means are off."""
    second, third, fourth = np.moveaxis(powers, -1, 0)
    return np.stack(
        [
            second + sizes * off**2,
            third + 3.0 * second * off + sizes * off**3,
            fourth + 4.0 * third * off + 6.0 * second * off**2 + sizes * off**4,
        ],
        axis=-1,
    )


def spread_of(name: str, value: float, whole: Part) -> Spread:
    """Return the spread of a measure, of the part that holds all rows: as `Units.spread` does."""
    m, n = whole.sizes
    sizes = np.array([m, n], np.float64)
    own = whole.moments[list(MEASURES).index(name)]
    centre, scale = _centre_and_scale(name, value, whole)
    off = own[:, 0] - centre
    powers = _about(sizes, own[:, 1:], off)
    columns = sizes, sizes * off / scale, powers[:, 0] / scale**2
    if not MEASURES[name]:
        columns = tuple(each.sum(keepdims=True) for each in columns)
    return Spread.of_strata(*columns, float(np.sum(powers[:, 2] / scale**4)))


def loss_of(name: str, whole: Part) -> float:
    """Return a mean loss of the part that holds all rows."""
    sizes = np.array(whole.sizes, np.float64)
    means = whole.moments[list(MEASURES).index(name), :, 0]
    return float((sizes * means).sum() / sizes.sum())


def lookup_of(values: Mapping[str, float], whole: Part) -> Lookup:
    """Return the influences on measures, of these values, of the cells of all rows."""
    if whole.cells is None:
        raise ValueError("ranges without cells")
    scores, means, rests = whole.cells
    influences, lefts = np.empty_like(means[: len(values)]), np.empty_like(rests[: len(values)])
    for at, (name, value) in enumerate(values.items()):
        centre, scale = _centre_and_scale(name, value, whole)
        influences[at] = (means[at] - centre[:, None]) / scale[:, None]
        lefts[at] = rests[at] / scale**2
    return Lookup(scores[::-1], influences[:, ::-1, ::-1], lefts[:, ::-1])


def _centre_and_scale(name: str, value: float, whole: Part) -> tuple[Floats, Floats]:
    """Return what is taken off what rows of either class tell of a measure, and its divisors."""
    is_auc = name == "roc_auc"
    m, n = whole.sizes
    if name in LOSSES:
        return np.full(2, value), np.full(2, float(m + n))
    return np.array([value, value if is_auc else 0.0]), np.array([m, n if is_auc else m], float)
