"""Counts in bins, and the rows of a stream that wait until its bins are learnt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import BinaryRows, check_binary, check_same_index
from fastmetrics._input.scalars import check_same_length
from fastmetrics._kernels import bins as kernels
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.binned._bounds import BinColumns
from fastmetrics.tables.binned.bin_layout import BinLayout, as_doubles, doubles_of

#: Rows in a part at least: zeroing and adding the counts of a part costs as much as 30,000 rows.
_PART_ROWS: Final = 1 << 20
_MOST_PARTS: Final = 16
#: What the scores of updates are: see `ROWS`.
BINNED: Final = """
Parameters
----------
y_score : array-like of shape (n_samples,)
    Scores, higher for positives; integers up to 2**53.
"""


class Rows(NamedTuple):
    """Rows that are known to be right: scores, int8 labels (1 is positive), weights if any.

    Whole weights are int64, others float64.
    """

    scores: NDArray[Any]
    labels: NDArray[np.int8]
    weights: NDArray[Any] | None

    def part(self, start: int, stop: int | None = None) -> Rows:
        at = slice(start, stop)
        weights = self.weights if self.weights is None else self.weights[at]
        return Rows(self.scores[at], self.labels[at], weights)

    @property
    def size(self) -> int:
        """The number of rows, or what whole weights say that it is."""
        if self.weights is None or self.is_weighted:
            return len(self.labels)
        return int(self.weights.sum())

    @property
    def is_weighted(self) -> bool:
        """Whether the weights are no counts."""
        return self.weights is not None and self.weights.dtype.kind == "f"

    def that_weigh(self) -> Rows:
        """Return the rows whose weight is not 0: the others are not there."""
        if self.weights is None or self.weights.all():
            return self
        has = self.weights > 0
        return Rows(self.scores[has], self.labels[has], self.weights[has])

    def parts(self) -> list[Rows]:
        """Return the parts that are counted by themselves: a matter of the data alone."""
        n = len(self.scores)
        count = min(max(n // _PART_ROWS, 1), _MOST_PARTS)
        cuts = [n * k // count for k in range(count + 1)]
        return [self.part(*cut) for cut in pairwise(cuts)]


def checked_rows(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, allow_inf: bool
) -> Rows:
    """Return the rows of a batch, or raise: scores as floats, whole weights as integers."""
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    checked = check_binary(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, allow_inf=allow_inf
    )
    rows = _rows(checked)
    most = np.inf if allow_inf else float(np.finfo(np.float64).max)
    jobs = [
        partial(kernels.is_clean, part.scores, part.labels, checked.negative, most)
        for part in rows.parts()
    ]
    return rows if all(run(jobs)) else _rows(checked.recheck())


def _rows(checked: BinaryRows) -> Rows:
    scores = as_doubles(checked.scores, "y_score")
    if checked.weight_exponent:
        raise InputError(
            "`sample_weight` and its sum must lie between 2**-250 and 2**250: scale the weights of "
            "all batches alike"
        )
    return Rows(scores, checked.labels, checked.typed_weights())


#: Rows of one call of a kernel: some milliseconds, after which an interrupt is heard.
_CALL_ROWS: Final = 1 << 22


class Waiting:
    """The first rows of a stream, as they came."""

    __slots__ = ("labels", "n", "scores", "weights")

    def __init__(self) -> None:
        self.scores = np.empty(0)
        self.labels = np.empty(0, np.int8)
        self.weights: NDArray[Any] | None = None
        self.n = 0

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return rows that are copied."""
        waiting = cls()
        waiting.add(rows)
        return waiting

    def add(self, rows: Rows) -> None:
        """Append rows; what they need is asked for twice over, so that few of them are moved."""
        n, end = self.n, self.n + len(rows.scores)
        if end > len(self.scores):
            more = max(end, 2 * len(self.scores)) - n
            self.scores = np.concatenate([self.scores[:n], np.empty(more)])
            self.labels = np.concatenate([self.labels[:n], np.empty(more, np.int8)])
            if self.weights is not None:
                kept = self.weights[:n]
                self.weights = np.concatenate([kept, np.empty(more, kept.dtype)])
        if rows.weights is not None:
            kind = np.float64 if rows.is_weighted else np.int64
            if self.weights is None:
                self.weights = np.ones(len(self.scores), kind)
            elif kind is np.float64:
                self.weights = self.weights.astype(np.float64, copy=False)
            self.weights[n:end] = rows.weights
        elif self.weights is not None:
            self.weights[n:end] = 1
        self.scores[n:end] = rows.scores
        self.labels[n:end] = rows.labels == 1
        self.n = end  # last: what was interrupted is not there

    def rows(self) -> Rows:
        return Rows(self.scores, self.labels, self.weights).part(0, self.n)


@dataclass(slots=True, eq=False)
class Bins:
    """Counts of a layout's bins, and what is known of the scores in them.

    ``counts``, int64 or float64, are of negatives and positives of bin 0, of bin 1, and so on.
    ``seen`` is the one score of a bin that is watched; nan in others, and before there is one.
    ``watched`` is 1 until a second score is seen; 0 too where the layout leaves room for one only.
    ``n_roundings``: how often a weight may have been rounded on its way to a sum.
    """

    layout: BinLayout
    counts: NDArray[Any]
    seen: NDArray[np.float64]
    watched: NDArray[np.uint8]
    n_roundings: int = 0

    @classmethod
    def empty(cls, layout: BinLayout, is_weighted: bool = False) -> Self:
        counts = np.zeros(2 * layout.n_bins, np.float64 if is_weighted else np.int64)
        return cls(layout, counts, np.full(layout.n_bins, np.nan), to_watch(layout))

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of float weights."""
        return self.counts.dtype.kind == "f"

    @classmethod
    def of_counts(
        cls, layout: BinLayout, numbers: Any, columns: tuple[Any, Any], ends: tuple[Any, Any] | None
    ) -> Self:
        """Return bins of counts that others made, or raise what is wrong with them."""
        at, positives, negatives = as_vector(numbers, "bins"), *columns
        check_same_length(bins=at, positives=positives, negatives=negatives)
        if at.dtype.kind not in "iu":
            raise InputTypeError(f"`bins` must be whole numbers: got {at.dtype}")
        is_wrong = (at < 0) | (at >= layout.n_bins)
        if is_wrong.any():
            worst = at[np.argmax(is_wrong)]
            raise InputError(f"`bins` must be numbers from 0 to {layout.n_bins - 1:,}: got {worst}")
        kept = (positives > 0) | (negatives > 0)
        at = at[kept].astype(np.int64)
        found = cls.empty(layout, positives.dtype.kind == "f" or negatives.dtype.kind == "f")
        for cells, column in ((2 * at, negatives), (2 * at + 1, positives)):
            np.add.at(found.counts, cells, column[kept].astype(found.counts.dtype))
        found.n_roundings = int(found.is_weighted) * len(at)
        # What has one score is watched, and known; of the others nothing is but where they end.
        if ends is None:
            found.watched[at] = 0
            return found
        low, high = doubles_of(ends[0], "low"), doubles_of(ends[1], "high")
        check_same_length(bins=kept, low=low, high=high)
        low, high = low[kept].astype(np.float64) + 0.0, high[kept].astype(np.float64) + 0.0
        for name, each in (("low", low), ("high", high)):
            is_wrong = np.searchsorted(layout.edges, each, side="right") != at
            if is_wrong.any():
                k = int(np.argmax(is_wrong))
                raise InputError(f"`{name}` must lie in its bin: {each[k]} is not in bin {at[k]}")
        if (low > high).any():
            k = int(np.argmax(low > high))
            raise InputError(f"`low` must not exceed `high`: {low[k]} and {high[k]} of bin {at[k]}")
        least, most = np.full(layout.n_bins, np.inf), np.full(layout.n_bins, -np.inf)
        np.minimum.at(least, at, low)
        np.maximum.at(most, at, high)
        found.watched[at] &= least[at] == most[at]
        is_known = found.watched.view(np.bool_) & found.has_rows()
        found.seen[is_known] = least[is_known]
        return found

    def copy(self) -> Bins:
        counts, seen, watched = self._columns()
        return Bins(self.layout, counts.copy(), seen.copy(), watched.copy(), self.n_roundings)

    def _columns(self) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.uint8]]:
        return self.counts, self.seen, self.watched

    def as_float(self) -> Bins:
        floats = self.counts.astype(np.float64)
        return Bins(self.layout, floats, self.seen.copy(), self.watched.copy(), 1)

    def add(self, rows: Rows) -> None:
        """Count rows, in place; of float weights only where the counts are floats."""
        weights = np.empty(0) if rows.weights is None else rows.weights
        weights = weights.astype(self.counts.dtype, copy=False)
        labels = rows.labels
        for start in range(0, len(labels), _CALL_ROWS):
            part = slice(start, start + _CALL_ROWS)
            batch = rows.scores[part], labels[part], weights[part]
            kernels.count_rows(*batch, *self.layout._search, *self._columns())
        if self.is_weighted:
            self.n_roundings += len(labels)

    def with_rows(self, rows: Rows) -> Bins:
        """Return bins of these rows too: the same, changed in place, where there are few."""
        is_weighted = self.is_weighted or rows.is_weighted
        before = self if is_weighted == self.is_weighted else self.as_float()
        parts = rows.parts()
        if len(parts) == 1:
            before.add(rows)
            return before

        def counted(part: Rows) -> Bins:
            # Where several scores are known, nobody needs to watch again: that costs a third more.
            kept = before.seen.copy(), before.watched.copy()
            bins = Bins(self.layout, np.zeros_like(before.counts), *kept)
            bins.add(part)
            return bins

        after = before
        for each in run([partial(counted, part) for part in parts]):
            after = after.merged(each)
        return after

    def merged(self, other: Bins) -> Bins:
        """Return bins with the rows of both; the layouts are equal."""
        if self.is_weighted != other.is_weighted:
            return self.as_float().merged(other) if other.is_weighted else other.merged(self)
        both = np.stack([self.seen, other.seen])
        has = ~np.isnan(both)
        is_watched = (self.watched & other.watched).view(np.bool_)
        is_watched &= ~(has.all(axis=0) & (both[0] != both[1]))
        seen = np.where(has[0], both[0], both[1])
        seen[~is_watched] = np.nan
        roundings = max(self.n_roundings, other.n_roundings) + self.is_weighted
        counts = self.counts + other.counts
        return Bins(self.layout, counts, seen, is_watched.view(np.uint8), roundings)

    def has_rows(self) -> NDArray[np.bool_]:
        return np.asarray((self.counts[::2] + self.counts[1::2]) > 0)

    def columns(self) -> BinColumns:
        """Return the bins that are not empty, highest scores first."""
        has = self.has_rows()
        sure = self.watched.view(np.bool_) | self.layout._holds_one
        negatives, positives, sure = (
            each[has][::-1] for each in (self.counts[::2], self.counts[1::2], sure)
        )
        return BinColumns(
            positives, negatives, sure, self.n_roundings if self.is_weighted else None
        )

    def values(self) -> NDArray[np.float64]:
        """Return the scores of these columns: nan where a bin has several."""
        lowest = np.concatenate([[np.nan], self.layout.edges])
        return np.where(self.layout._holds_one, lowest, self.seen)[self.has_rows()][::-1]

    def called(self, threshold: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which of these columns have scores >= threshold: all of them, or maybe some."""
        has, edges, known = self.has_rows(), self.layout.edges, self.values()
        low = np.concatenate([[-np.inf], edges])[has][::-1]
        high = np.concatenate([edges, [np.nan]])[has][::-1]  # nothing is above the last bin
        is_open = np.isnan(known)
        above = np.where(is_open, low, known) >= threshold
        return above, is_open & ~above & ~(threshold >= high)


def to_watch(layout: BinLayout) -> NDArray[np.uint8]:
    """Return 1 for the bins in which there is room for several scores."""
    return (~layout._holds_one).view(np.uint8)
