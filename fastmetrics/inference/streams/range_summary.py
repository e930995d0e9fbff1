"""``RangeSummary``: all that an evaluation needs of a range of scores, in a few whole numbers.

Data that fit no memory are evaluated range by range: sums over disjoint ranges add up, and of
corners of the curve the best one remains. Whatever the cut, the evaluation is that of all rows.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._files import Members, Saved, scalar
from fastmetrics._input.scalars import check_integer, check_real
from fastmetrics._kernels import range_kernels
from fastmetrics._threads.workers import at_most, run
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.streams.joint_sums import Lookup
from fastmetrics.inference.streams.range_moments import (
    LOSSES,
    MEASURES,
    Cut,
    Part,
    joined,
    lookup_of,
    loss_of,
    part_of,
    spread_of,
)
from fastmetrics.measures.curves._pieces import PIECE_ROWS, Piece, by_pieces
from fastmetrics.measures.curves.break_even import Balance, balance_of
from fastmetrics.measures.curves.placements import placement_sums
from fastmetrics.tables._mergeable import Summed
from fastmetrics.tables.runs._ranges import Range, table_of
from fastmetrics.tables.runs.score_runs import ScoreRuns
from fastmetrics.tables.scores.pairs import INT64_BOUND, PairCounts
from fastmetrics.tables.scores.score_table import ScoreTable

#: Precisions are summed as whole numbers of 2**-128, in limbs of 32 bits.
_PLACES: Final = 128
_LIMBS: Final = 7
#: Of a float64 difference of two products: seven roundings, as a share of the larger one.
_ROUNDING: Final = 8 * 2.0**-53


class Corner(NamedTuple):
    """A threshold, and the counts of what scores at least that."""

    threshold: int | float
    tp: int
    fp: int


@dataclass(frozen=True, slots=True)
class RangeSummary(Summed, Saved):
    """What the scores of one range contribute to an evaluation: it adds up with ``+``, exactly.

    Make one of each of some disjoint ranges with `summary_of`, add them in any order, and ask the
    sum. Everything in it is whole numbers, and thresholds; only how far rows move a measure is
    doubles, a few for each range, which are put together when all are there.

    Attributes
    ----------
    n_positive, n_negative : int
        All rows of either class, those of other ranges too.
    positives, negatives : int
        Rows of either class in this range.
    twice_pairs : int
        The sum of doubled placements.
    precisions : int
        2**128 times the sum over positives of the precision at their score.
    inner : int
        Rows whose score is neither 0 nor 1.
    highest, lowest : Corner or None
        Where TPR - FPR is largest, and where it is smallest; of equal ones the highest threshold.
    balance : Balance or None
        The step in which as many are called positive as there are positives, if it is here.
    parts : tuple of Part
        Moments of influences on `measures`, of each range, the highest first.
    """

    n_positive: int
    n_negative: int
    positives: int = 0
    negatives: int = 0
    twice_pairs: int = 0
    precisions: int = 0
    inner: int = 0
    highest: Corner | None = None
    lowest: Corner | None = None
    balance: Balance | None = None
    parts: tuple[Part, ...] = field(default=(), compare=False)

    def _plus(self, other: RangeSummary) -> RangeSummary:
        if (self.n_positive, self.n_negative) != (other.n_positive, other.n_negative):
            raise InputError(
                "ranges of different data: of "
                f"{self.n_positive:,} positive and {self.n_negative:,} negative rows, and of "
                f"{other.n_positive:,} and {other.n_negative:,}"
            )
        if self.balance is not None and other.balance is not None:
            raise InputError("a range that is added twice, or ranges that overlap")
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        return dataclasses.replace(
            self,
            **sums,
            highest=self._better(self.highest, other.highest, 1),
            lowest=self._better(self.lowest, other.lowest, -1),
            balance=self.balance or other.balance,
            parts=tuple(sorted(self.parts + other.parts, key=lambda part: part.start)),
        )

    def _better(self, one: Corner | None, other: Corner | None, sign: int) -> Corner | None:
        if one is None or other is None:
            return other if one is None else one
        return max(one, other, key=lambda corner: (sign * self.gap_at(corner), corner.threshold))

    def gap_at(self, corner: Corner) -> int:
        """Return TPR - FPR at a corner, times the number of pairs."""
        return corner.tp * self.n_negative - corner.fp * self.n_positive

    @property
    def pairs(self) -> PairCounts:
        """Concordant and discordant pairs, whose `auc` and `rank_loss` are exact; of all ranges."""
        self.check_whole()
        return PairCounts.of(self.n_positive, self.n_negative, self.twice_pairs)

    @property
    def measures(self) -> tuple[str, ...]:
        """What it tells: losses too, where all scores may be probabilities."""
        has_losses = self.inner > 0 and all(len(part.moments) > 2 for part in self.parts)
        return tuple(name for name in MEASURES if has_losses or name not in LOSSES)

    def estimated(self, name: str) -> tuple[float, float, float]:
        """Return one of `measures`, its variance and degrees of freedom."""
        whole = joined(self.parts)
        value = self._value(name, whole)
        return value, *spread_of(name, value, whole)

    def _value(self, name: str, whole: Part) -> float:
        if name == "roc_auc":
            return self.pairs.auc
        return average_precision_of(self) if name == "average_precision" else loss_of(name, whole)

    def lookup(self) -> Lookup:
        """Return how far rows move `measures`, by their scores; of a summary with cells."""
        whole = joined(self.parts)
        return lookup_of({name: self._value(name, whole) for name in self.measures}, whole)

    def check_whole(self) -> None:
        """Raise where ranges are missing, or in twice."""
        here = self.positives, self.negatives
        if here != (self.n_positive, self.n_negative):
            raise InputError(
                f"ranges of {here[0]:,} positive and {here[1]:,} negative rows, where there are "
                f"{self.n_positive:,} and {self.n_negative:,}: some are missing, or in twice"
            )

    def _members(self) -> Members:
        found: Members = {
            "sums": _texts(getattr(self, name) for name in ("n_positive", "n_negative", *_SUMS)),
        }
        for name in _STEPS:
            if (step := getattr(self, name)) is not None:
                found[name] = np.array(step.threshold)
                found[f"{name}_counts"] = _texts(int(count) for count in step[1:])
        places = [(*part.start, *part.sizes) for part in self.parts]
        found["places"] = np.array(places, np.int64).reshape(-1, 4)
        least = min((len(part.moments) for part in self.parts), default=2)
        moments = [part.moments[:least] for part in self.parts]
        found["moments"] = np.array(moments).reshape(-1, least, 2, 4)
        found["tails"] = np.array([part.tails for part in self.parts]).reshape(-1, 2)
        return found

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        sums = [int(text) for text in found["sums"].tolist()]
        if len(sums) != 2 + len(_SUMS) or min(sums) < 0:
            raise InputError("`sums` are not the counts of a range")
        names = ("n_positive", "n_negative", *_SUMS)
        named: dict[str, Any] = dict(zip(names, sums, strict=True))
        m, n, p, q, twice_pairs, precisions, inner = sums
        is_within = twice_pairs <= 2 * p * n and precisions <= p << _PLACES and inner <= p + q
        if max(m, n) >= 2**63 or p > m or q > n or not is_within:
            raise InputError("`sums` are those of no rows")
        steps: dict[str, Any] = {
            name: kind(*_step(found, name, sums)) for name, kind in _STEPS.items() if name in found
        }
        return cls(**named, **steps, parts=_parts(found, sums))


#: What is a step of the curve: a threshold, and counts.
_STEPS: Final[dict[str, type[Corner] | type[Balance]]] = {
    "highest": Corner,
    "lowest": Corner,
    "balance": Balance,
}


def _step(found: Members, name: str, sums: list[int]) -> tuple[Any, ...]:
    """Return the fields of a corner, or of a balance, whose counts are a share; or raise."""
    threshold = scalar(found, name)
    counts = [int(text) for text in found[f"{name}_counts"].tolist()]
    most = [*counts[1:2], *counts[1:2], 1] if name == "balance" else sums[:2]
    is_within = len(counts) == len(most) and all(
        0 <= a <= b for a, b in zip(counts, most, strict=True)
    )
    if math.isnan(check_real(name, threshold)) or not is_within:
        raise InputError(f"`{name}` is no step of a curve")
    return (threshold, *counts[:2], *map(bool, counts[2:]))


def _parts(found: Members, sums: list[int]) -> tuple[Part, ...]:
    """Return the parts of such arrays, or raise."""
    places, moments, tails = found["places"], found["moments"], found["tails"]
    k = len(places)
    if places.dtype != np.int64 or moments.dtype != np.float64 or tails.dtype != np.float64:
        raise InputError("places, moments and tails of other dtypes")
    least = 4 if moments.shape[1:2] == (4,) else 2
    if (places.shape, moments.shape, tails.shape) != ((k, 4), (k, least, 2, 4), (k, 2)):
        raise InputError("places, moments and tails are not columns")
    numbers = places.tolist()
    parts = tuple(
        Part((a, b), (p, q), *own)
        for (a, b, p, q), *own in zip(numbers, moments, tails, strict=True)
    )
    ends = [(a + p, b + q) for a, b, p, q in numbers]
    starts = [*((a, b) for a, b, _, _ in numbers[1:]), tuple(sums[:2])]
    is_in_order = all(
        end[0] <= start[0] and end[1] <= start[1] for end, start in zip(ends, starts, strict=False)
    )
    counted = [sum(each) for each in zip(*(part.sizes for part in parts), strict=True)]
    is_all = (counted or [0, 0]) == sums[2:4]
    if not (is_all or 0 in sums[:2]) or not is_in_order or places.min(initial=0) < 0:
        raise InputError("`places` are not those of ranges")
    if not all(part.is_possible for part in parts):
        raise InputError("`moments` are those of no rows")
    return parts


def average_precision_of(summary: RangeSummary) -> float:
    """Return the average precision of all ranges, which have a positive: one division, rounded."""
    return summary.precisions / (summary.n_positive << _PLACES)


_SUMS: Final = ("positives", "negatives", "twice_pairs", "precisions", "inner")


def _texts(numbers: Any) -> NDArray[np.str_]:
    """Return whole numbers of any size as an array."""
    return np.array([str(number) for number in numbers])


def summary_of(
    table: ScoreTable,
    true_positives: int = 0,
    false_positives: int = 0,
    n_positive: int | None = None,
    n_negative: int | None = None,
    cut: Cut | None = None,
) -> RangeSummary:
    """Return what the scores of one range contribute to an evaluation of all.

    ``table`` has every row whose score lies in the range, as counts; of higher scores there are so
    many true and false positives. ``n_positive`` and ``n_negative`` are all rows of either class,
    by default those above and those of the table. Three passes over the table; the sums do not
    depend on how rows are cut into ranges. ``cut`` asks for cells, by which rows are looked up.

    Examples
    --------
    >>> from fastmetrics import ScoreTable
    >>> high = ScoreTable.from_scores([1, 0, 1], [0.9, 0.8, 0.8])
    >>> low = ScoreTable.from_scores([0, 1, 0], [0.4, 0.3, 0.1])
    >>> all_rows = summary_of(high, 0, 0, 3, 3) + summary_of(low, 2, 1, 3, 3)
    >>> all_rows.pairs.auc
    0.7222222222222222
    """
    if table.is_weighted:
        raise InputTypeError(
            "ranges are evaluated by counts of rows: a ScoreTable of fractional weights has none"
        )
    positives, negatives = int(table.n_positive), int(table.n_negative)
    tp = check_integer("true_positives", true_positives, low=0)
    fp = check_integer("false_positives", false_positives, low=0)
    m, n = (
        check_integer(name, above + here if total is None else total, low=above + here)
        for name, total, above, here in (
            ("n_positive", n_positive, tp, positives),
            ("n_negative", n_negative, fp, negatives),
        )
    )
    empty = RangeSummary(m, n)

    def of_piece(piece: Piece) -> RangeSummary:
        at = slice(piece.start, piece.stop)
        columns = table.scores[at], piece.positives, piece.negatives
        part = ScoreTable._of_columns(*columns)
        return _of_part(part, tp + piece.tp, fp + piece.fp, m, n, cut)

    found = sum(by_pieces(table, of_piece), empty)
    return dataclasses.replace(found, parts=(joined(found.parts),)) if found.parts else found


def _of_part(table: ScoreTable, tp: int, fp: int, m: int, n: int, cut: Cut | None) -> RangeSummary:
    """Return the summary of a few rows of a table."""
    columns = table.positives, table.negatives
    positives, negatives = int(table.n_positive), int(table.n_negative)
    # What is placed among all rows is placed among those here, and beyond others: 2 `below` more.
    below = n - fp - negatives
    twice = placement_sums(*columns, positives, negatives)[0] + 2 * below * positives
    limbs = np.zeros(_LIMBS, np.int64)
    range_kernels.add_precisions(*columns, tp, fp, np.empty(len(table)), limbs)
    precisions = sum(limb << 32 * k for k, limb in enumerate(limbs.tolist()))
    highest, lowest = (
        Corner(table.scores[row].item(), tp + p, fp + q)
        for row, p, q in _gap_ends(table, positives, negatives, m, n)
    )
    is_balanced = tp + fp < m <= tp + fp + positives + negatives
    balance = balance_of(table, m, (tp, fp)) if is_balanced else None
    parts = (part_of(table, (tp, fp), (m, n), cut),) if m and n else ()
    of_decisions = (table.scores == 0) | (table.scores == 1)
    decided = sum(int(column[of_decisions].sum()) for column in columns)
    sums = positives, negatives, twice, precisions, positives + negatives - decided
    return RangeSummary(m, n, *sums, highest, lowest, balance, parts)


def _gap_ends(
    table: ScoreTable, positives: int, negatives: int, m: int, n: int
) -> list[tuple[int, int, int]]:
    """Return the row, TP and FP, from 0 above it, of the largest and the smallest TPR - FPR."""
    most = max(positives * n, negatives * m)
    if most < INT64_BOUND:
        ends = np.empty(6, np.int64)
        range_kernels.gap_ends(table.positives, table.negatives, m, n, ends)
        return [(a, b, c) for a, b, c in ends.reshape(2, 3).tolist()]
    # The products do not fit: floats tell which rows can be the ends, Python integers which are.
    tp, fp = table.true_positives, table.false_positives
    gaps = tp * float(n) - fp * float(m)
    found = []
    for sign in (1, -1):
        near = np.flatnonzero(sign * gaps >= (sign * gaps).max() - 2 * _ROUNDING * float(most))
        counts = zip(near.tolist(), tp[near].tolist(), fp[near].tolist(), strict=True)
        found.append(max(counts, key=lambda each: sign * (each[1] * n - each[2] * m)))
    return found


def summary_of_runs(
    runs: ScoreRuns, *, progress: Callable[[float], None] | None = None, n_cells: int = 0
) -> RangeSummary:
    """Return the summary of all rows of some runs, each thread at work on a range of its own.

    ``progress`` is called with the share of the rows that is done. With ``n_cells`` rows can be
    looked up in about so many cells, or twice as many: exactly where there are few scores.
    """
    rows, ranges, at_once = runs._ranges()
    n_parts = len(ranges) + rows.size // PIECE_ROWS
    cut = Cut(n_cells, n_cells // n_parts) if n_cells and n_parts else None
    sizes = np.array([(0, 0), *map(rows.rows_of, ranges)], np.int64)
    above = [(tp, fp) for tp, fp in sizes.cumsum(axis=0).tolist()]
    m, n = above[-1]
    done = 0

    def of_range(where: Range, tp: int, fp: int) -> RangeSummary:
        nonlocal done
        found = summary_of(table_of(rows, where), tp, fp, m, n, cut)
        done += found.positives + found.negatives  # a bar: a lost sum would do no harm
        if progress is not None:
            progress(done / (m + n))
        return found

    jobs = [partial(of_range, each, *at) for each, at in zip(ranges, above, strict=False)]
    with at_most(at_once):
        return sum(run(jobs), RangeSummary(m, n)) if jobs else RangeSummary(0, 0)
