"""``ScoreRanges``: counts of both classes in ranges of scores, as a database may count them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_scores_array
from fastmetrics._results import Result
from fastmetrics.errors import InputError
from fastmetrics.tables.binned._bounds import BinColumns
from fastmetrics.tables.binned._bracketed import Bracketed
from fastmetrics.tables.scores._columns import checked_pair
from fastmetrics.tables.scores.score_table import ScoreTable


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class ScoreRanges(Bracketed, Result):
    """Counts of positives and negatives in ranges of scores, each with its least and greatest one.

    What a database counts by the first bits of a score (`counts_query` with `bits`) is such
    ranges. A range of one score is a tie and leaves nothing open; of the others nothing is known
    but where they end, so that measures lie between limits, for sure.

    Parameters
    ----------
    low, high : array-like of shape (k,)
        The least and the greatest score of each range, finite, in any order. Ranges that overlap
        or touch become one.
    positives, negatives : array-like of shape (k,)
        Counts (integers, exact) or weights (floats) >= 0 of each class in each range.

    Attributes
    ----------
    low, high, positives, negatives : ndarray of shape (k,)
        The same of ranges that do not overlap and are not empty, the highest first.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, a score is not finite, a range ends before it starts, a count is
        negative or not finite, or the counts of a class sum to 2**63 or more.

    Notes
    -----
    O(k log k). Limits stay right, if wider, where ranges are united: counts of several segments or
    several databases may be put together. Sums of weights that are not whole are taken as they
    come: how the database rounded them is not in the limits.

    Examples
    --------
    >>> from fastmetrics.streams import ScoreRanges
    >>> ranges = ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 3], [5, 1])
    >>> ranges.roc_auc()
    Bracket(low=0.6875, high=0.8958333333)
    >>> ScoreRanges([0.1, 0.3], [0.4, 0.6], [1, 3], [5, 1]).high
    array([0.6])
    """

    low: NDArray[Any]
    high: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]

    def __init__(
        self, low: ArrayLike, high: ArrayLike, positives: ArrayLike, negatives: ArrayLike
    ) -> None:
        ends = [check_scores_array(each, name) for each, name in ((low, "low"), (high, "high"))]
        counts = checked_pair(positives, negatives)
        check_same_length(low=ends[0], high=ends[1], positives=counts[0], negatives=counts[1])
        is_wrong = ends[1] < ends[0]
        if is_wrong.any():
            at = int(np.argmax(is_wrong))
            raise InputError(
                f"`high` must not be below `low`: {ends[1][at]} < {ends[0][at]} at index {at}"
            )
        kept = (counts[0] != 0) | (counts[1] != 0)
        columns = _united(*(column[kept] for column in (*ends, *counts)))
        for name, column in zip(("low", "high", "positives", "negatives"), columns, strict=True):
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        one = int((self.low == self.high).sum())
        return (
            f"ScoreRanges({len(self):,} ranges, {one:,} of one score, "
            f"{self.n_positive} positive, {self.n_negative} negative)"
        )

    def _columns(self) -> BinColumns:
        n_roundings = len(self) if self.positives.dtype.kind == "f" else None
        return BinColumns(self.positives, self.negatives, self.low == self.high, n_roundings)

    def _called(self, threshold: float) -> tuple[BinColumns, BinColumns, BinColumns]:
        columns = self._columns()
        return columns, columns.where(self.low >= threshold), columns.where(self.high >= threshold)

    def to_score_table(self) -> ScoreTable:
        """Return the table of scores, where every range holds one.

        Raises
        ------
        ValueError
            If a range has several scores.

        Examples
        --------
        >>> from fastmetrics.streams import ScoreRanges
        >>> ScoreRanges([0.1, 0.6], [0.1, 0.6], [1, 3], [5, 1]).to_score_table()
        ScoreTable(2 distinct scores from 0.1 to 0.6, 4 positive, 6 negative)
        """
        if not self.is_exact:
            n = int((self.low != self.high).sum())
            raise InputError(
                f"{n:,} of {len(self):,} ranges hold several scores: measures have limits, as "
                "`roc_auc()` has; a ScoreTable needs counts of distinct scores"
            )
        return ScoreTable.from_counts(self.low, self.positives, self.negatives)


def _united(
    low: NDArray[Any], high: NDArray[Any], positives: NDArray[Any], negatives: NDArray[Any]
) -> tuple[NDArray[Any], ...]:
    """Return ranges that neither overlap nor touch, the highest first."""
    if not len(low):
        return low, high, positives, negatives
    order = np.argsort(low, kind="stable")
    low, high, positives, negatives = (each[order] for each in (low, high, positives, negatives))
    reached = np.maximum.accumulate(high)
    is_first = np.ones(len(low), np.bool_)
    is_first[1:] = low[1:] > reached[:-1]
    starts = np.flatnonzero(is_first)
    ends = np.append(starts[1:], len(low)) - 1
    sums = (np.add.reduceat(column, starts) for column in (positives, negatives))
    return tuple(each[::-1] for each in (low[starts], reached[ends], *sums))
