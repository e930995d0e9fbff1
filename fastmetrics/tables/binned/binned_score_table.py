"""``BinnedScoreTable``: a stream of labels and scores in fixed memory, with sure bounds."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._files import Members
from fastmetrics._input.scalars import check_n_rows
from fastmetrics._threads.workers import with_threads
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables._mergeable import Mergeable
from fastmetrics.tables.binned._bins import BINNED, Bins, Rows, checked_rows
from fastmetrics.tables.binned._bounds import BinColumns
from fastmetrics.tables.binned._bracketed import Bracketed
from fastmetrics.tables.binned._state import FIRST_ROWS, BinnedState, check_first_rows, check_weight
from fastmetrics.tables.binned.bin_layout import BinLayout
from fastmetrics.tables.scores._columns import checked_columns, checked_counts, rescaled
from fastmetrics.tables.scores.score_table import ROWS, ScoreTable


class BinnedScoreTable(Mergeable, Bracketed):
    """How many positives and negatives have their score in each of some 32,768 bins.

    It takes a stream of batches with `update`, of any length and any range of scores, in about a
    megabyte; merges with ``+``, ``sum`` or `merge`; and says of every measure of a threshold
    between which limits it lies, for sure. A bin with one distinct score leaves nothing open:
    ratings, counts and saturated or rounded scores are measured exactly.

    Parameters
    ----------
    layout : BinLayout, optional
        The bins. Tables that are to be merged share a layout; by default it is learnt from the
        first rows.
    first_rows : int, default 65536
        Before there are so many, rows are kept as they are, so that measures of them are exact and
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

    __slots__ = ()
    _state: BinnedState

    def __init__(self, layout: BinLayout | None = None, *, first_rows: int = FIRST_ROWS) -> None:
        first_rows = check_first_rows(layout, first_rows)
        self._state = BinnedState(layout, first_rows)

    @classmethod
    def from_counts(
        cls,
        layout: BinLayout,
        bins: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        *,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
    ) -> Self:
        """Make a table of counts by bin, as a database makes them: it merges with those of streams.

        Parameters
        ----------
        layout : BinLayout
            The bins that were counted.
        bins : array-like of shape (k,)
            Numbers of bins, in any order: of how many of the layout's edges the scores are not
            below, as ``width_bucket(score, edges)`` says in SQL. Of one bin counts are added up.
        positives, negatives : array-like of shape (k,)
            Counts (integers, exact) or weights (floats) >= 0 of each class.
        low, high : array-like of shape (k,), optional
            The least and the greatest score of each; where they are equal, a bin is exact.

        Raises
        ------
        TypeError, ValueError
            If lengths differ, a number is no bin's, a count is negative or not finite, a score lies
            in another bin, or there are 2**62 rows or more.

        Examples
        --------
        >>> from fastmetrics.streams import BinLayout, BinnedScoreTable
        >>> layout = BinLayout([0.5])
        >>> table = BinnedScoreTable.from_counts(layout, [0, 1], [1, 3], [5, 1])
        >>> table.roc_auc()
        Bracket(low=0.625, high=0.9583333333)
        >>> exact = {"low": [0.1, 0.8], "high": [0.1, 0.8]}
        >>> BinnedScoreTable.from_counts(layout, [0, 1], [1, 3], [5, 1], **exact).roc_auc()
        Bracket(low=0.7916666667, high=0.7916666667)
        """
        if not isinstance(layout, BinLayout):
            raise InputTypeError(f"`layout` must be a BinLayout: got {type(layout).__qualname__}")
        if (low is None) != (high is None):
            raise InputError("`low` and `high` belong together: pass both, or neither")
        if np.size(bins) == 0 == np.size(positives) == np.size(negatives):
            return cls(layout, first_rows=0)
        counts = checked_counts(positives, "positives"), checked_counts(negatives, "negatives")
        for each in counts:
            check_weight(each)
        check_n_rows(sum(int(each.sum()) for each in counts if each.dtype.kind == "i"))
        ends = None if low is None or high is None else (low, high)
        return cls._holding(Bins.of_counts(layout, bins, counts, ends), layout, 0)

    @classmethod
    def _holding(cls, held: Rows | Bins, layout: BinLayout | None, first_rows: int) -> Self:
        return cls._of_state(BinnedState.holding(held, layout, first_rows))

    # --- the stream --------------------------------------------------------------------------

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
        rows = checked_rows(y_true, y_score, sample_weight, pos_label, allow_inf)
        self._state.update(rows.that_weigh())

    # --- what is there -----------------------------------------------------------------------

    @property
    def layout(self) -> BinLayout | None:
        """The bins; None until they are learnt."""
        return self._state.layout

    @property
    def first_rows(self) -> int:
        """How many rows there are before they are counted in bins."""
        return self._state.first_rows

    @property
    def is_weighted(self) -> bool:
        """Whether sums of float weights are kept rather than integer counts."""
        with self._state.lock:
            bins = self._state.bins
            return self._state.waiting.rows().is_weighted if bins is None else bins.is_weighted

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
        with self._state.lock:
            bins = self._state.bins
            if bins is None:
                scores, positives, negatives = self._state.first_columns()
                n_open = 0
            else:
                positives, negatives, is_sure, _ = bins.columns()
                scores, n_open = bins.values(), int(np.count_nonzero(~is_sure))
        if n_open:
            raise InputError(
                f"{n_open:,} of {len(scores):,} bins hold several distinct scores, which are not "
                "kept: take brackets of measures, as `roc_auc()`"
            )
        columns, exponent = rescaled(checked_columns(scores, positives, negatives, allow_inf=True))
        return ScoreTable._of_columns(*columns, exponent)

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        return cls._of_state(BinnedState.of_members(found))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BinnedScoreTable):
            return NotImplemented
        one, two = self._members(), other._members()
        return one.keys() == two.keys() and all(
            np.array_equal(one[name], two[name], equal_nan=name == "seen")
            and one[name].dtype == two[name].dtype
            for name in one
            if name != "n_roundings"
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        columns = self._state.columns()
        positive, negative = columns.totals
        layout = self.layout
        bins = "learning" if layout is None else repr(layout)
        return f"BinnedScoreTable({bins}, {positive:.10g} positive, {negative:.10g} negative)"

    def _columns(self) -> BinColumns:
        return self._state.columns()

    def _called(self, threshold: float) -> tuple[BinColumns, BinColumns, BinColumns]:
        return self._state.called(threshold)
