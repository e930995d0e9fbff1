"""``RankingTable``: of every query, where its relevant items stand among the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members, Saved
from fastmetrics._input.queries import QueryRows, check_queries, check_totals
from fastmetrics._input.scalars import check_choice
from fastmetrics._kernels.ranking import rankings as kernels
from fastmetrics._threads.workers import with_threads
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables._mergeable import Frozen, Summed
from fastmetrics.tables.ranking._placing import placed
from fastmetrics.tables.ranking._stored import checked_columns, stored_columns

Ties = Literal["expected", "optimistic", "pessimistic", "trec_eval"]
TIES: Final[tuple[Ties, ...]] = ("expected", "optimistic", "pessimistic", "trec_eval")

#: What functions of rankings take, and say alike.
RANKINGS: Final = """
Parameters
----------
relevance : array-like of shape (n_items,) or (n_queries, n_items), or RankingTable
    How relevant each item is: 0 not, greater numbers more so; nan where nobody judged. Negative
    ones are not relevant. Or a table, and then no `score` and no `query`.
score : array-like of the shape of `relevance`, optional
    What the items are ranked by, the highest first.
query : array-like of shape (n_items,), optional
    The query of each item, in any order: numbers or texts. Without it a matrix has a row for each
    query, and a vector is one query.

Raises
------
TypeError, ValueError
    If lengths differ, a score is nan or infinite, or an argument has no meaning; the message names
    it, the rule, what came and where.
"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RankingTable(Frozen, Summed, Saved):
    """Of every query, where its relevant items stand among the scores.

    All that a measure of rankings needs: of each relevant item, how many items score higher and how
    many the same. It is made with `from_scores` and never modified; tables of different queries
    merge with ``+``.

    Attributes
    ----------
    queries : ndarray of shape (n_queries,) or None
        Sorted ids of the queries; None where they are numbered.
    sizes : ndarray of int64, shape (n_queries,)
        Items retrieved.
    judged : ndarray of int64, shape (n_queries,)
        Items whose relevance is known, retrieved or not.
    item_starts : ndarray of int64, shape (n_queries + 1,)
        Query q has the relevant items ``item_starts[q]`` to ``item_starts[q + 1]``.
    grades : ndarray of float64, shape (n_relevant,)
        Relevance of items that have one (not 0); of a query by `above`, then the highest first.
    above, tied : ndarray of int64, shape (n_relevant,)
        Items of the query that score higher; that score the same, the item itself included, or 0
        where it was not retrieved.
    unjudged_above, unjudged_tied : ndarray of int64, shape (n_relevant,) or (0,)
        How many of those nobody judged; empty where all are judged.
    places : ndarray of int64, shape (n_relevant,) or (0,)
        Items before it where ties go by name, the last name first; empty without `ids`.
    unjudged_before : ndarray of int64, shape (n_relevant,) or (0,)
        How many of those nobody judged.

    Examples
    --------
    >>> from fastmetrics import RankingTable
    >>> table = RankingTable.from_scores([1, 0, 0, 1], [0.9, 0.4, 0.9, 0.1], query=[7, 7, 8, 8])
    >>> table
    RankingTable(2 queries, 4 items, 2 relevant)
    >>> table.above, table.tied
    (array([0, 1]), array([1, 1]))
    """

    queries: NDArray[Any] | None
    sizes: NDArray[np.int64]
    judged: NDArray[np.int64]
    item_starts: NDArray[np.int64]
    grades: NDArray[np.float64]
    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    unjudged_above: NDArray[np.int64]
    unjudged_tied: NDArray[np.int64]
    places: NDArray[np.int64]
    unjudged_before: NDArray[np.int64]

    @classmethod
    @documented(RANKINGS)
    @with_threads
    def from_scores(
        cls,
        relevance: ArrayLike,
        score: ArrayLike,
        *,
        query: ArrayLike | None = None,
        indptr: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        n_relevant: ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> Self:
        """Find where the relevant items of each query stand.

        Parameters
        ----------
        indptr : array-like of shape (n_queries + 1,), optional
            Query q has the items ``indptr[q]`` to ``indptr[q + 1]``, as in sparse matrices.
        ids : array-like of the shape of `relevance`, optional
            What the items are called, for `ties="trec_eval"`.
        n_relevant : array-like of shape (n_queries,) or mapping of query to int, optional
            Relevant items of each query, those that were not retrieved included; in the order of
            sorted queries.

        Returns
        -------
        RankingTable

        Notes
        -----
        Few relevant items are compared with all scores of their query; a query with many is sorted.
        Time O(n r) for r relevant items a query, O(n log n) at most. Neither the order of rows nor
        the number of threads changes a bit.

        Examples
        --------
        >>> from fastmetrics import RankingTable
        >>> RankingTable.from_scores([[1, 0], [0, 2]], [[0.3, 0.2], [0.6, 0.5]]).above
        array([0, 1])
        """
        rows = check_queries(relevance, score, query, indptr, ids)
        totals = None if n_relevant is None else check_totals(n_relevant, rows)
        return cls._of_rows(rows, totals)

    @classmethod
    def _of_rows(cls, rows: QueryRows, totals: NDArray[np.int64] | None) -> Self:
        table = cls._of(rows.queries, *placed(rows))
        return table if totals is None else table._with_unretrieved(totals)

    def _with_unretrieved(self, totals: NDArray[np.int64]) -> Self:
        """Return the table with relevant items (of relevance 1) added up to these totals."""
        positive = np.append(0, np.cumsum(self.grades > 0))
        found = np.diff(positive[self.item_starts])
        if (found > totals).any():
            q = int(np.argmax(found > totals))
            raise InputError(
                f"`n_relevant` says {totals[q]} relevant items of query number {q}, and {found[q]} "
                "were retrieved"
            )
        return self.with_missing(np.repeat(1.0, int((totals - found).sum())), totals - found)

    def with_missing(self, grades: NDArray[np.float64], counts: NDArray[np.int64]) -> Self:
        """Return the table with items that were judged and not retrieved.

        Parameters
        ----------
        grades : ndarray of float64
            Their relevance, query by query.
        counts : ndarray of int64, shape (n_queries,)
            How many each query has.

        Returns
        -------
        RankingTable
        """
        query = np.repeat(np.arange(len(counts)), counts)
        judged = self.judged + counts
        kept = grades != 0
        grades, query = grades[kept], query[kept]
        by_grade = np.lexsort((-grades, query))
        put = self.item_starts[1:][query]
        item_starts = self.item_starts + np.append(
            0, np.cumsum(np.bincount(query, minlength=len(counts)))
        )

        def longer(column: NDArray[Any], values: Any) -> NDArray[Any]:
            return np.insert(column, put, values) if len(column) or not len(self.grades) else column

        return self._of(
            self.queries,
            self.sizes,
            judged,
            item_starts,
            np.insert(self.grades, put, grades[by_grade]),
            np.insert(self.above, put, self.sizes[query]),
            np.insert(self.tied, put, 0),
            longer(self.unjudged_above, 0),
            longer(self.unjudged_tied, 0),
            longer(self.places, self.sizes[query]),
            longer(self.unjudged_before, 0),
        )

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.sizes)

    def settled(self, ties: Ties) -> Self:
        """Return the table whose ties are decided by a rule: itself for the expected value.

        Parameters
        ----------
        ties : {"expected", "optimistic", "pessimistic", "trec_eval"}

        Returns
        -------
        RankingTable
        """
        check_choice("ties", ties, TIES)
        if ties == "expected":
            return self
        which = np.arange(len(self.grades))
        grades, hidden = self.grades.copy(), self.unjudged_above
        if ties == "trec_eval":
            if not len(self.places) and len(self.grades):
                raise InputError('`ties="trec_eval"` needs `ids`: it orders ties by name')
            above, tied = self.places.copy(), np.minimum(self.tied, 1)
            query = np.repeat(np.arange(self.n_queries), np.diff(self.item_starts))
            which = np.lexsort((above, query))
            grades, above, tied = grades[which], above[which], tied[which]
            hidden = self.unjudged_before
        else:
            above, tied = self.above.copy(), self.tied.copy()
            worst = ties == "pessimistic"
            if worst and len(hidden):
                hidden = hidden + self.unjudged_tied
            kernels.settle_ties(self.item_starts, worst, which, grades, above, tied)
        if len(self.unjudged_above):
            hidden = hidden[which]
            none_tied = np.zeros_like(hidden)
        else:
            hidden = none_tied = self.unjudged_above
        return self._of(
            self.queries,
            self.sizes,
            self.judged,
            self.item_starts,
            grades,
            above,
            tied,
            hidden,
            none_tied,
            self.places[:0],
            self.unjudged_before[:0],
        )

    def _plus(self, other: RankingTable) -> RankingTable:
        return merged([self, other])

    def _members(self) -> Members:
        return stored_columns({name: getattr(self, name) for name in self.__match_args__})

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        columns = checked_columns(found)
        return cls._of(*(columns[name] for name in cls.__match_args__))

    def __repr__(self) -> str:
        return (
            f"RankingTable({self.n_queries:,} {'query' if self.n_queries == 1 else 'queries'}, "
            f"{int(self.sizes.sum()):,} items, {np.count_nonzero(self.grades > 0):,} relevant)"
        )

    def _shown(self) -> Display:
        positive = np.append(0, np.cumsum(self.grades > 0))[self.item_starts]
        queries = np.arange(self.n_queries) if self.queries is None else self.queries
        columns = {"query": queries, "items": self.sizes, "judged": self.judged}
        title = repr(self).partition("(")[2].removesuffix(")")
        return Display([Table(columns | {"relevant": np.diff(positive)})], title)


def merged(tables: list[RankingTable]) -> RankingTable:
    """Return one table of the queries of several, none of which stands in two."""
    named = [table.queries is not None for table in tables]
    if any(named) != all(named):
        raise InputTypeError("rankings with names of queries and without cannot be merged")
    queries, order = None, np.arange(sum(table.n_queries for table in tables))
    if all(named):
        joined = np.concatenate([table.queries for table in tables])
        queries, order = np.unique(joined, return_index=True)
        if len(queries) < len(joined):
            twice = joined[np.setdiff1d(np.arange(len(joined)), order)][0]
            raise InputError(f"query {twice!r} is in both tables: each query comes whole")
    counts = np.concatenate([np.diff(table.item_starts) for table in tables])
    firsts = np.append(0, np.cumsum(counts))[:-1]
    item_starts = np.append(0, np.cumsum(counts[order]))
    items = np.repeat(firsts[order] - item_starts[:-1], counts[order]) + np.arange(item_starts[-1])

    def joined_items(name: str) -> NDArray[Any]:
        columns = [getattr(table, name) for table in tables]
        lengths = [len(table.grades) for table in tables]
        if not any(map(len, columns)):
            return np.empty(0, np.int64)
        if name in ("places", "unjudged_before") and list(map(len, columns)) != lengths:
            return np.empty(0, np.int64)  # names are known of some queries only
        whole = [
            column if len(column) == length else np.zeros(length, np.int64)
            for column, length in zip(columns, lengths, strict=True)
        ]
        column: NDArray[Any] = np.concatenate(whole)[items]
        return column

    return RankingTable._of(
        queries,
        np.concatenate([table.sizes for table in tables])[order],
        np.concatenate([table.judged for table in tables])[order],
        item_starts,
        *(joined_items(name) for name in RankingTable.__match_args__[4:]),
    )
