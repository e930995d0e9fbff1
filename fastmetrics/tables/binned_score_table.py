"""Counts of both classes in bins of the score: fixed memory, whatever the number of rows."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._files import Members
from fastmetrics._input.rows import BinaryRows, check_binary, check_same_index
from fastmetrics._input.scalars import check_integer, check_n_rows
from fastmetrics._input.scores import check_finite, check_sums
from fastmetrics._kernels import buckets as kernels
from fastmetrics._threads.workers import run, with_threads
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables._mergeable import Mergeable
from fastmetrics.tables.bin_bounds import BinColumns, Bracketed
from fastmetrics.tables.bin_layout import BinLayout, as_doubles, layout_members, read_layout
from fastmetrics.tables.pairs import Columns
from fastmetrics.tables.score_table import ROWS, ScoreTable, checked_columns, rescale

#: Least rows of a chunk: zeroing and adding the counts of a chunk costs as much as 30,000 rows.
_PART_ROWS: Final = 1 << 20
_MOST_PARTS: Final = 16
#: What the scores of updates are: see `ROWS`.
BINNED: Final = """
Parameters
----------
y_score : array-like of shape (n_samples,)
    Scores, higher for positives; integers up to 2**53.
"""


class ScoredRows(NamedTuple):
    """Verified scores, int8 labels (1 is positive) and weights, int64 if whole, else float64."""

    scores: NDArray[Any]
    labels: NDArray[np.int8]
    weights: NDArray[Any] | None

    def slice(self, start: int, stop: int | None = None) -> ScoredRows:
        """Return the rows from ``start`` on."""
        at = slice(start, stop)
        weights = self.weights if self.weights is None else self.weights[at]
        return ScoredRows(self.scores[at], self.labels[at], weights)

    @property
    def size(self) -> int:
        """The number of rows, or the sum of whole weights."""
        if self.weights is None or self.is_weighted:
            return len(self.labels)
        return int(self.weights.sum())

    @property
    def is_weighted(self) -> bool:
        """True if the weights are not counts."""
        return self.weights is not None and self.weights.dtype.kind == "f"

    def that_weigh(self) -> ScoredRows:
        """Return the rows whose weight is not 0: others count as absent."""
        if self.weights is None or self.weights.all():
            return self
        has = self.weights > 0
        return ScoredRows(self.scores[has], self.labels[has], self.weights[has])

    def chunks(self) -> list[ScoredRows]:
        """Return the chunks that are counted separately; they depend on the data alone."""
        n = len(self.scores)
        count = min(max(n // _PART_ROWS, 1), _MOST_PARTS)
        cuts = [n * k // count for k in range(count + 1)]
        return [self.slice(*cut) for cut in pairwise(cuts)]


def checked_rows(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, allow_inf: bool
) -> ScoredRows:
    """Return the rows of a batch, or raise: scores as floats, whole weights as integers."""
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    checked = check_binary(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, allow_inf=allow_inf
    )
    rows = _rows(checked)
    negative = checked.unverified[1]
    most = np.inf if allow_inf else float(np.finfo(np.float64).max)
    jobs = [
        partial(kernels.is_clean, chunk.scores, chunk.labels, negative, most)
        for chunk in rows.chunks()
    ]
    return rows if checked.accept(all(run(jobs))) else _rows(checked)


def _rows(checked: BinaryRows) -> ScoredRows:
    labels, _, scores = checked.unverified
    scores = as_doubles(scores, "y_score")
    if checked.weight_exponent:
        raise InputError(
            "`sample_weight` and its sum must lie between 2**-250 and 2**250: scale the weights of "
            "all batches alike"
        )
    return ScoredRows(scores, labels, checked.typed_weights())


#: Rows of one call of a kernel: some milliseconds, after which an interrupt is heard.
_CALL_ROWS: Final = 1 << 22


def join_rows(chunks: Sequence[ScoredRows]) -> ScoredRows:
    """Return a copy of the rows of all chunks, those without weights counting one each."""
    weights = None
    if any(rows.weights is not None for rows in chunks):
        one = np.ones(max(len(rows.labels) for rows in chunks), np.int64)
        weights = np.concatenate(
            [one[: len(r.labels)] if r.weights is None else r.weights for r in chunks]
        )
    scores = np.concatenate([np.empty(0), *(rows.scores for rows in chunks)])
    labels = [np.empty(0, np.int8), *((rows.labels == 1).view(np.int8) for rows in chunks)]
    return ScoredRows(scores, np.concatenate(labels), weights)


def append_rows(chunks: Sequence[ScoredRows], rows: ScoredRows) -> tuple[ScoredRows, ...]:
    """Return chunks and a copy of more rows; each holds at least twice the rows of the next."""
    merged = [*chunks, join_rows([rows])]
    while len(merged) > 1 and len(merged[-2].labels) < 2 * len(merged[-1].labels):
        merged[-2:] = [join_rows(merged[-2:])]
    return tuple(merged)


@dataclass(slots=True, eq=False)
class Bins:
    """Counts of a layout's bins, and the score of each bin that holds only one.

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
        """Return a layout's bins without rows."""
        counts = np.zeros(2 * layout.n_bins, np.float64 if is_weighted else np.int64)
        to_watch = (~layout._holds_one).view(np.uint8)  # there is room for several scores
        return cls(layout, counts, np.full(layout.n_bins, np.nan), to_watch)

    @property
    def is_weighted(self) -> bool:
        """True if the counts are sums of float weights."""
        return self.counts.dtype.kind == "f"

    def copy(self) -> Bins:
        """Return a copy that changes on its own."""
        counts, seen, watched = self._columns()
        return Bins(self.layout, counts.copy(), seen.copy(), watched.copy(), self.n_roundings)

    def _columns(self) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.uint8]]:
        return self.counts, self.seen, self.watched

    def as_float(self) -> Bins:
        """Return a copy that counts in floats."""
        floats = self.counts.astype(np.float64)
        return Bins(self.layout, floats, self.seen.copy(), self.watched.copy(), 1)

    def add(self, rows: ScoredRows) -> None:
        """Count rows, in place; of float weights only where the counts are floats."""
        weights = np.empty(0) if rows.weights is None else rows.weights
        weights = weights.astype(self.counts.dtype, copy=False)
        labels = rows.labels
        for start in range(0, len(labels), _CALL_ROWS):
            span = slice(start, start + _CALL_ROWS)
            batch = rows.scores[span], labels[span], weights[span]
            kernels.count_rows(*batch, *self.layout._search, *self._columns())
        if self.is_weighted:
            self.n_roundings += len(labels)

    def with_rows(self, rows: ScoredRows) -> Bins:
        """Return the bins with more rows counted; in place where these are few."""
        is_weighted = self.is_weighted or rows.is_weighted
        before = self if is_weighted == self.is_weighted else self.as_float()
        chunks = rows.chunks()
        if len(chunks) == 1:
            before.add(rows)
            return before

        def count(chunk: ScoredRows) -> Bins:
            # Bins known to hold several scores need no watch, which costs a third more.
            kept = before.seen.copy(), before.watched.copy()
            bins = Bins(self.layout, np.zeros_like(before.counts), *kept)
            bins.add(chunk)
            return bins

        after = before
        for each in run([partial(count, chunk) for chunk in chunks]):
            after = after.merge(each)
        return after

    def merge(self, other: Bins) -> Bins:
        """Return bins with the rows of both, which have equal layouts."""
        if self.is_weighted != other.is_weighted:
            return self.as_float().merge(other) if other.is_weighted else other.merge(self)
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
        """Return which bins are not empty."""
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

    def predicted_positive(self, threshold: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return masks of these columns: all scores >= threshold, and perhaps some of them."""
        has = self.has_rows()
        edges = self.layout.edges
        known = self.values()
        low = np.concatenate([[-np.inf], edges])[has][::-1]
        high = np.concatenate([edges, [np.nan]])[has][::-1]  # nothing is above the last bin
        is_open = np.isnan(known)
        above = np.where(is_open, low, known) >= threshold
        return above, is_open & ~above & ~(threshold >= high)


#: First rows that are kept, by default: two for each bin that is learnt of them.
FIRST_ROWS: Final = 1 << 16
#: At most: some 600 MB.
MOST_FIRST: Final = 1 << 25
#: Weights of rows, and their sums, are at least 2 to this.
_LEAST: Final = -250
_KINDS: Final = (np.dtype(np.int64), np.dtype(np.float64))


def _bin_rows(layout: BinLayout | None, before: ScoredRows, after: ScoredRows) -> Bins:
    """Count first rows in bins, which are learnt from them unless a layout is given."""
    if layout is None:
        layout = BinLayout.learn(np.concatenate([before.scores, after.scores]))
    bins = Bins.empty(layout, before.is_weighted or after.is_weighted)
    for rows in (before, after):
        bins.add(rows)
    return bins


def _checked_first_rows(members: Members, first_rows: int) -> ScoredRows:
    """Return the saved first rows, checked: fewer than ``first_rows``."""
    scores = members["scores"]
    labels = members["labels"]
    weights = members["weights"]
    if scores.dtype != np.float64 or labels.dtype != np.int8 or weights.dtype not in _KINDS:
        raise InputError("scores, labels and weights of other dtypes")
    if not scores.shape == labels.shape == weights.shape or not len(scores) < first_rows:
        raise InputError("scores, labels and weights are not columns of first rows")
    check_finite(scores, "scores", allow_inf=True)
    if ((labels != 0) & (labels != 1)).any():
        raise InputError("labels are not 0 and 1")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError("weights are not positive")
    check_weight(weights)
    return ScoredRows(scores, labels, weights)


def check_weight(counts: NDArray[Any]) -> None:
    """Raise where counts, or sums of weights, are beyond a table's range."""
    if counts.dtype.kind == "f":
        check_sums(counts, _LEAST)
    else:
        check_n_rows(sum(counts.tolist()))


def _checked_bins(members: Members, layout: BinLayout) -> Bins:
    """Return the saved bins, checked."""
    counts = members["counts"]
    seen = members["seen"]
    watched = members["watched"]
    roundings = members["n_roundings"]
    n = layout.n_bins
    if counts.dtype not in _KINDS or counts.shape != (2 * n,):
        raise InputError(f"counts are not two of each of {n:,} bins")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise InputError("counts are negative, or not finite")
    check_weight(counts)
    if (
        seen.dtype != np.float64
        or watched.dtype != np.uint8
        or not seen.shape == watched.shape == (n,)
    ):
        raise InputError("`seen` and `watched` are not of the bins")
    is_watched = watched == 1
    has = counts[::2] + counts[1::2] > 0
    known = is_watched & has
    if (watched > 1).any() or (is_watched & layout._holds_one).any():
        raise InputError("`watched` is not 0 and 1, or 1 where a bin has one value at most")
    if (np.isnan(seen) == known).any() or (
        np.searchsorted(layout.edges, seen[known], side="right") != np.flatnonzero(known)
    ).any():
        raise InputError("`seen` does not go with counts")
    if (~is_watched & ~layout._holds_one & ~has).any():
        raise InputError("a bin without rows holds several values")
    if roundings.shape != () or roundings.dtype.kind != "i" or not 0 <= roundings < 2**62:
        raise InputError(f"`n_roundings` must be one number: got {roundings}")
    return Bins(layout, counts, seen, watched, int(roundings))


class BinnedScoreTable(Mergeable, Bracketed):
    """Counts of positives and negatives by score, in some 32,768 bins.

    It takes a stream of batches with `update`, of any length and any range of scores, in about a
    megabyte; merges with ``+``, ``sum`` or `merge`; and says of every metric of a threshold
    between which limits it lies, for sure. A bin with one distinct score leaves nothing open:
    ratings, counts and saturated or rounded scores are measured exactly.

    Parameters
    ----------
    layout : BinLayout, optional
        The bins. Tables that are to be merged share a layout; by default it is learnt from the
        first rows.
    first_rows : int, default 65536
        Before there are so many, rows are kept as they are, so that metrics of them are exact and
        few rows take little memory. 0, with a layout, counts in bins at once.

    Raises
    ------
    TypeError, ValueError
        If `layout` is no `BinLayout`, or `first_rows` no number up to 2**25.

    Notes
    -----
    Memory: 9 bytes a first row (17 with weights), up to twice that as it grows; then 25 bytes a
    bin. A layout has 16 bytes a bin and 256 KiB, once for all tables that share it. Several threads
    may update one table. What fails leaves it as it was.

    With a given layout a table is a function of its rows, to the bit (for whole weights), whatever
    their order, the batches and the tree of merges were: merging is associative, commutative, and
    an empty table changes nothing. A layout that is learnt depends on the first rows, and on
    nothing else: where a stream is sorted, they say little of what follows, and limits are wide;
    learn one of a sample then, or take `BinLayout.of_bits`. Tables whose layouts were learnt apart
    do not merge; those that have none yet learn from all that is there.

    Float weights are summed in double precision: the limits include what rounding may do. Integer
    weights count as that many rows, exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from fastmetrics import roc_auc_score
    >>> from fastmetrics.streams import BinnedScoreTable
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 200_000)
    >>> y_score = rng.normal(size=200_000) + y_true
    >>> table = BinnedScoreTable()
    >>> for start in range(0, 200_000, 50_000):
    ...     table.update(y_true[start : start + 50_000], y_score[start : start + 50_000])
    >>> auc = table.roc_auc()
    >>> roc_auc_score(y_true, y_score) in auc, auc.width < 5e-5
    (True, True)
    >>> other = BinnedScoreTable(table.layout)
    >>> other.update([0, 1], [0.5, 0.7])
    >>> (table + other).n_positive == table.n_positive + 1
    True
    """

    __slots__ = ("_bins", "_bound", "_first_rows", "_layout", "_lock", "_waiting")
    _layout: BinLayout | None
    _bins: Bins | None
    #: First rows as they are, before there are `first_rows` of them.
    _waiting: tuple[ScoredRows, ...]
    #: At most so many rows are there, if they are counts.
    _bound: int

    def __init__(self, layout: BinLayout | None = None, *, first_rows: int = FIRST_ROWS) -> None:
        if layout is not None and not isinstance(layout, BinLayout):
            raise InputTypeError(
                f"`layout` must be a BinLayout, or None: got {type(layout).__qualname__}"
            )
        least = 1 if layout is None else 0
        self._first_rows = check_integer("first_rows", first_rows, low=least, high=MOST_FIRST)
        self._lock = threading.RLock()
        self._layout = layout
        self.reset()

    @classmethod
    def _of(
        cls, layout: BinLayout | None, first_rows: int, held: Bins | ScoredRows, bound: int
    ) -> Self:
        table = cls(layout, first_rows=first_rows)
        if isinstance(held, Bins):
            table._set(layout, held, (), bound)
        else:
            table._set(layout, None, (held,), bound)
        return table

    def _copied_state(self) -> tuple[BinLayout | None, int, Bins | ScoredRows, int]:
        with self._lock:
            held = join_rows(self._waiting) if self._bins is None else self._bins.copy()
            return self._layout, self._first_rows, held, self._bound

    def _set(
        self,
        layout: BinLayout | None,
        bins: Bins | None,
        waiting: tuple[ScoredRows, ...],
        bound: int,
    ) -> None:
        # No call among these: an interrupt finds all of them done, or none.
        self._layout = layout
        self._bins = bins
        self._waiting = waiting
        self._bound = bound

    @documented(BINNED, ROWS)
    @with_threads
    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: Any = None,
        allow_inf: bool = False,
        n_threads: int | None = None,
    ) -> None:
        """Count one more batch, or leave the table as it was.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0. Integers are counts of rows (of 2**53 in a batch at most); a float weight
            makes the sums floats.

        Raises
        ------
        ValueError
            For weights beyond 2**250 or below 2**-250, and for 2**62 rows or more.

        Notes
        -----
        O(n): a few nanoseconds a row, on all cores from two million rows on.

        Examples
        --------
        >>> from fastmetrics.streams import BinnedScoreTable
        >>> table = BinnedScoreTable()
        >>> table.update([0, 1, 1], [0.1, 0.8, 0.4])
        >>> table.update([0], [0.4])
        >>> table.roc_auc()
        Bracket(low=0.875, high=0.875)
        """
        rows = checked_rows(y_true, y_score, sample_weight, pos_label, allow_inf).that_weigh()
        with self._lock:
            bound = check_n_rows(self._bound + rows.size)
            self._take(rows, self._first_rows - self._n_waiting, self._layout, bound)

    def reset(self) -> None:
        """Forget all rows; a layout stays, given or learnt."""
        with self._lock:
            bins = None if self._layout is None or self._first_rows else Bins.empty(self._layout)
            self._set(self._layout, bins, (), 0)

    @property
    def _n_waiting(self) -> int:
        return sum(len(rows.labels) for rows in self._waiting)

    def _take(self, rows: ScoredRows, n_first: int, layout: BinLayout | None, bound: int) -> None:
        """Count rows; the bins may have to be learnt from the first ones.

        One call of a kernel adds them, or a new object replaces the old one: an interrupt finds a
        batch counted, or not.
        """
        bins = self._bins
        waiting = self._waiting
        if bins is not None:
            bins = bins.with_rows(rows)
        elif self._n_waiting + len(rows.labels) < self._first_rows:
            waiting = append_rows(waiting, rows)
        else:
            bins = _bin_rows(layout, join_rows(waiting), rows.slice(0, n_first))
            if len(rows.labels) > n_first:
                bins = bins.with_rows(rows.slice(n_first))
            waiting = ()
        self._set(layout if bins is None else bins.layout, bins, waiting, bound)

    def _join(self, other: Self) -> None:
        layout, first_rows, held, bound = other._copied_state()
        with self._lock:
            if self._layout is not None and layout is not None and self._layout != layout:
                raise InputError(
                    f"tables of different bins cannot be merged: {self._layout!r} and {layout!r}; "
                    "make both with one layout, `streams.BinnedScoreTable(layout)`, as "
                    "`table.layout` or `streams.BinLayout.of_bits()`"
                )
            layout = self._layout or layout
            bound = check_n_rows(self._bound + bound)
            self._first_rows = min(self._first_rows, first_rows)
            if isinstance(held, ScoredRows):
                self._take(held, len(held.labels), layout, bound)
                return
            if self._bins is not None:
                bins = self._bins.merge(held)
            else:
                bins = held.with_rows(join_rows(self._waiting))
            self._set(bins.layout, bins, (), bound)

    @property
    def layout(self) -> BinLayout | None:
        """The bins; None until they are learnt."""
        return self._layout

    @property
    def first_rows(self) -> int:
        """Number of rows that are kept as they are before they are counted in bins."""
        return self._first_rows

    @property
    def is_weighted(self) -> bool:
        """True if sums of float weights are kept rather than integer counts."""
        with self._lock:
            if self._bins is not None:
                return self._bins.is_weighted
            return any(rows.is_weighted for rows in self._waiting)

    def to_score_table(self) -> ScoreTable:
        """Return the distinct scores with their counts, where they are known.

        Raises
        ------
        ValueError
            If a bin holds several distinct scores: see `is_exact`.

        Examples
        --------
        >>> from fastmetrics import f1_score
        >>> from fastmetrics.streams import BinLayout, BinnedScoreTable
        >>> ratings = BinnedScoreTable(BinLayout.of_bits(), first_rows=0)
        >>> ratings.update([0, 0, 1, 1], [1, 4, 4, 5])
        >>> ratings.to_score_table().scores
        array([5., 4., 1.])
        """
        with self._lock:
            bins = self._bins
            if bins is None:
                scores, positives, negatives = self._first_columns()
                n_open = 0
            else:
                positives, negatives, is_sure, _ = bins.columns()
                scores = bins.values()
                n_open = int(np.count_nonzero(~is_sure))
        if n_open:
            raise InputError(
                f"{n_open:,} of {len(scores):,} bins hold several distinct scores, which are not "
                "kept: take brackets of metrics, as `roc_auc()`"
            )
        columns, exponent = rescale(checked_columns(scores, positives, negatives, allow_inf=True))
        return ScoreTable._from_columns(*columns, exponent)

    def _members(self) -> Members:
        with self._lock:
            members = {"first_rows": np.array(self._first_rows)} | layout_members(self._layout)
            bins = self._bins
            if bins is None:
                names = "scores", "labels", "weights"
                return members | dict(zip(names, self._sorted_rows(), strict=True))
            columns = {"counts": bins.counts, "seen": bins.seen, "watched": bins.watched}
            members |= {name: column.copy() for name, column in columns.items()}
            return members | {"n_roundings": np.array(bins.n_roundings)}

    @classmethod
    def _from_members(cls, members: Members) -> Self:
        first_rows = check_integer("first_rows", members["first_rows"][()], low=0, high=MOST_FIRST)
        layout = read_layout(members)
        if layout is not None and "counts" in members:
            bins = _checked_bins(members, layout)
            n_rows = 0 if bins.is_weighted else int(bins.counts.sum())
            return cls._of(layout, first_rows, bins, n_rows)
        rows = _checked_first_rows(members, first_rows)
        return cls._of(layout, first_rows, rows, rows.size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BinnedScoreTable):
            return NotImplemented
        one = self._members()
        two = other._members()
        return one.keys() == two.keys() and all(
            np.array_equal(one[name], two[name], equal_nan=name == "seen")
            and one[name].dtype == two[name].dtype
            for name in one
            if name != "n_roundings"
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        positive, negative = self._columns().totals
        layout = self.layout
        bins = "learning" if layout is None else repr(layout)
        return f"BinnedScoreTable({bins}, {positive:.10g} positive, {negative:.10g} negative)"

    def _columns(self) -> BinColumns:
        with self._lock:
            if self._bins is not None:
                return self._bins.columns()
            _, positives, negatives = self._first_columns()
            n_rows = self._n_waiting
        roundings = n_rows if positives.dtype.kind == "f" else None
        return BinColumns(positives, negatives, np.ones(len(positives), np.bool_), roundings)

    def _predicted_positive(self, threshold: float) -> tuple[BinColumns, BinColumns, BinColumns]:
        with self._lock:
            columns = self._columns()
            if self._bins is not None:
                above, inside = self._bins.predicted_positive(threshold)
            else:
                above = self._first_columns()[0] >= threshold
                inside = np.zeros(len(above), np.bool_)
        return columns, columns.where(above), columns.where(above | inside)

    def _first_columns(self) -> Columns:
        """Return the distinct scores of first rows, highest first, with both counts."""
        scores, labels, weights = self._sorted_rows()
        is_positive = labels == 1
        counts = weights * is_positive, weights * ~is_positive
        return checked_columns(scores, *counts, allow_inf=True)

    def _sorted_rows(self) -> tuple[NDArray[Any], NDArray[np.int8], NDArray[Any]]:
        """Return scores, labels and weights of the first rows, sorted by all three."""
        rows = join_rows(self._waiting)
        weights = np.ones(len(rows.labels), np.int64) if rows.weights is None else rows.weights
        order = np.lexsort((weights, rows.labels, rows.scores))
        return rows.scores[order], rows.labels[order], weights[order]
