"""Rankings by query: the ranks of relevant items. Metrics use no other rankings.

Imports the layers below; no other module of tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members, Saved, as_json, from_json
from fastmetrics._input.queries import QueryRows, check_queries, check_totals
from fastmetrics._input.scalars import check_choice
from fastmetrics._input.scores import check_finite
from fastmetrics._kernels import ranking as kernels
from fastmetrics._threads.workers import run, with_threads
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables._mergeable import Frozen, Summed
from fastmetrics.tables.ordering import split_jobs

#: Items of a job: some milliseconds of work.
_ROWS_OF_A_JOB: Final = 1 << 18

Ints = NDArray[np.int64]


def rank_items(rows: QueryRows) -> tuple[NDArray[Any], ...] | None:
    """Return the columns of a `RankingTable`, from `sizes` on; None where items were not retrieved.

    The score of such an item is minus infinity.
    """
    starts = rows.starts
    sizes = np.diff(rows.starts)
    jobs = split_jobs(starts, _ROWS_OF_A_JOB)
    counts = np.empty(rows.n_queries, np.int64)
    count = partial(kernels.count_relevant, rows.relevance, starts)
    has_unjudged = any(run([partial(count, *job, counts) for job in jobs]))
    item_starts = np.zeros(rows.n_queries + 1, np.int64)
    np.cumsum(counts, out=item_starts[1:])
    n_items = int(item_starts[-1])
    long = np.flatnonzero(counts * sizes > kernels.EACH_AGAINST_ALL)
    needs_rows = has_unjudged or rows.ids is not None or len(long)
    which = np.empty(n_items if needs_rows else 0, np.int64)
    grades = np.empty(n_items)
    above, tied = (np.empty(n_items, np.int64) for _ in range(2))
    locate = partial(kernels.locate_relevant, rows.relevance, rows.scores, starts)
    into = (item_starts, which, grades, above, tied)
    if any(run([partial(locate, *job, *into) for job in jobs])):
        if np.isneginf(rows.scores).any():
            return None
        check_finite(rows.scores, "score")
    sorted_ones = [
        (slice(starts[q], starts[q + 1]), slice(item_starts[q], item_starts[q + 1]))
        for q in long.tolist()
    ]
    for query, items in sorted_ones:  # as the kernel does of short ones
        greater, equal = _ranks(rows.scores[query], rows.scores[which[items]])
        order = np.lexsort((-grades[items], greater))
        which[items] = which[items][order]
        grades[items] = grades[items][order]
        above[items] = greater[order]
        tied[items] = equal[order]
    hidden = named = (np.empty(0, np.int64),) * 2
    if rows.ids is not None:
        named = np.empty(n_items, np.int64), np.empty(n_items, np.int64)
        single = rows.scores.astype(np.float32)  # as trec_eval holds them
        find = partial(kernels.positions_by_name, rows.relevance, single, rows.ids, starts)
        run([partial(find, *job, item_starts, which, *named) for job in jobs])
        for query, items in sorted_ones:  # the last name first
            order = np.lexsort((-rows.ids[query], -single[query]))
            stands = np.empty(len(order), np.int64)
            stands[order] = np.arange(len(order))
            unknown = np.append(0, np.cumsum(~(rows.relevance[query][order] >= 0)))
            named[0][items] = stands[which[items] - query.start]
            named[1][items] = unknown[named[0][items]]
        _order_by_name(item_starts, (*into[1:], *named))
    judged = sizes
    if has_unjudged:
        unjudged = np.append(0, np.cumsum(~(rows.relevance >= 0)))
        judged = sizes - np.diff(unjudged[starts])
        hidden = np.empty(n_items, np.int64), np.empty(n_items, np.int64)
        count = partial(kernels.count_unjudged, rows.relevance, rows.scores, starts)
        run([partial(count, *job, item_starts, which, *hidden) for job in jobs])
        for query, items in sorted_ones:
            unknown = ~(rows.relevance[query] >= 0)
            relevant_scores = rows.scores[which[items]]
            hidden[0][items], hidden[1][items] = _ranks(
                rows.scores[query][unknown], relevant_scores
            )
    return sizes, judged, item_starts, grades, above, tied, *hidden, *named


def _ranks(scores: NDArray[Any], values: NDArray[Any]) -> tuple[Ints, Ints]:
    """Return, for each of ``values``, the number of higher and of equal scores."""
    ordered = np.sort(scores)
    left, right = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return len(ordered) - right, right - left


def _order_by_name(item_starts: Ints, columns: tuple[NDArray[Any], ...]) -> None:
    """Order equal items of a tie by their names, not by row."""
    _, grades, above, tied, positions, _ = columns
    if not (tied > 1).any():
        return
    query = np.repeat(np.arange(len(item_starts) - 1), np.diff(item_starts))
    order = np.lexsort((positions, -grades, above, query))
    for column in columns:
        column[:] = column[order]


Ties = Literal["expected", "trec_eval"]
TIES: Final[tuple[Ties, ...]] = ("expected", "trec_eval")

#: What functions of rankings take, and say alike.
RANKINGS: Final = """
Parameters
----------
relevance : array-like of shape (n_items,) or (n_queries, n_items), or RankingTable
    How relevant each item is: 0 not, greater numbers more so; nan where nobody judged. Negative
    ones are not relevant. Or a table, and then no `score` and no `query`.
score : array-like of the shape of `relevance`, optional
    What the items are ranked by, the highest first. An item of score minus infinity was not
    retrieved: it counts among the relevant or the judged ones, and has no position.
query : array-like of shape (n_items,), optional
    The query of each item, in any order: numbers or texts. Without it a matrix has a row for each
    query, and a vector is one query.

Raises
------
TypeError, ValueError
    If lengths differ, a score is nan or plus infinity, or an argument has no meaning; the message
    names it, the rule, what came and where.
"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RankingTable(Frozen, Summed, Saved):
    """Ranks of the relevant items of every query.

    All that a metric of rankings needs: of each relevant item, how many items score higher and how
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
        return cls._from_rows(rows, None if n_relevant is None else check_totals(n_relevant, rows))

    @classmethod
    def _from_rows(cls, rows: QueryRows, totals: NDArray[np.int64] | None) -> Self:
        columns = rank_items(rows)
        table = cls._from_retrieved(rows) if columns is None else cls._of(rows.queries, *columns)
        return table if totals is None else table._with_unretrieved(totals)

    @classmethod
    def _from_retrieved(cls, rows: QueryRows) -> Self:
        """Return the table of the retrieved items, with the judged ones that were not retrieved."""
        query = np.repeat(np.arange(rows.n_queries), np.diff(rows.starts))
        lacking = np.isneginf(rows.scores)
        counts = np.bincount(query[~lacking], minlength=rows.n_queries)
        starts = np.append(0, np.cumsum(counts))
        ids = None if rows.ids is None else rows.ids[~lacking]
        relevance = rows.relevance[~lacking]
        scores = rows.scores[~lacking]
        table = cls._from_rows(QueryRows(relevance, scores, starts, rows.queries, ids), None)
        judged = lacking & (rows.relevance >= 0)
        counts = np.bincount(query[judged], minlength=rows.n_queries)
        return table._with_missing(rows.relevance[judged].astype(np.float64), counts)

    def _with_unretrieved(self, totals: NDArray[np.int64]) -> Self:
        """Return the table with relevant items (of relevance 1) added up to these totals."""
        positive = np.append(0, np.cumsum(self.grades > 0))
        n_retrieved = np.diff(positive[self.item_starts])
        if (n_retrieved > totals).any():
            q = int(np.argmax(n_retrieved > totals))
            raise InputError(
                f"`n_relevant` says {totals[q]} relevant items of query number {q}, and "
                f"{n_retrieved[q]} were retrieved"
            )
        return self._with_missing(
            np.repeat(1.0, int((totals - n_retrieved).sum())), totals - n_retrieved
        )

    def _with_missing(self, grades: NDArray[np.float64], counts: NDArray[np.int64]) -> Self:
        """Return the table with items that were judged and not retrieved.

        ``grades`` are their relevance, query by query; ``counts`` how many each query has.
        """
        query = np.repeat(np.arange(len(counts)), counts)
        kept = grades != 0
        query, grades = (column[kept] for column in (query, grades))
        by_grade = np.lexsort((-grades, query))
        put = self.item_starts[1:][query]
        item_starts = self.item_starts + np.append(
            0, np.cumsum(np.bincount(query, minlength=len(counts)))
        )

        def longer(column: NDArray[Any], values: Any) -> NDArray[Any]:
            return np.insert(column, put, values) if len(column) or not len(self.grades) else column

        zeros = ("tied", "unjudged_above", "unjudged_tied", "unjudged_before")
        return self._with(
            judged=self.judged + counts,
            item_starts=item_starts,
            grades=np.insert(self.grades, put, grades[by_grade]),
            above=np.insert(self.above, put, self.sizes[query]),
            places=longer(self.places, self.sizes[query]),
            **{name: longer(getattr(self, name), 0) for name in zeros},
        )

    def _with(self, **columns: Any) -> Self:
        """Return the table with some columns replaced."""
        return self._of(*(columns.get(name, getattr(self, name)) for name in self.__match_args__))

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.sizes)

    def settle_ties(self, ties: Ties) -> Self:
        """Return the table with ties settled by a rule; itself for the expected value."""
        check_choice("ties", ties, TIES)
        if ties == "expected":
            return self
        if not len(self.places) and len(self.grades):
            raise InputError('`ties="trec_eval"` needs `ids`: it orders ties by name')
        query = np.repeat(np.arange(self.n_queries), np.diff(self.item_starts))
        which = np.lexsort((self.places, query))
        none = hidden = none_hidden = self.places[:0]
        if len(self.unjudged_above):
            hidden = self.unjudged_before[which]
            none_hidden = np.zeros_like(which)
        return self._with(
            grades=self.grades[which],
            above=self.places[which],
            tied=np.minimum(self.tied, 1)[which],
            unjudged_above=hidden,
            unjudged_tied=none_hidden,
            places=none,
            unjudged_before=none,
        )

    def _plus(self, other: RankingTable) -> RankingTable:
        return merge_tables([self, other])

    def _members(self) -> Members:
        """Return arrays that need no pickle: texts as JSON, without columns that are None."""
        columns = zip(self.__match_args__, self._values(), strict=True)
        members = {name: column for name, column in columns if column is not None}
        if self.queries is not None and self.queries.dtype.kind == "O":
            members["texts"] = as_json(members.pop("queries").tolist())
        return members

    @classmethod
    def _from_members(cls, members: Members) -> Self:
        columns = checked_columns(members)
        return cls._of(*(columns[name] for name in cls.__match_args__))

    def __repr__(self) -> str:
        return (
            f"RankingTable({self.n_queries:,} {'query' if self.n_queries == 1 else 'queries'}, "
            f"{int(self.sizes.sum()):,} items, {np.count_nonzero(self.grades > 0):,} relevant)"
        )

    def _display(self) -> Display:
        positive = np.append(0, np.cumsum(self.grades > 0))[self.item_starts]
        queries = np.arange(self.n_queries) if self.queries is None else self.queries
        columns = {"query": queries, "items": self.sizes, "judged": self.judged}
        title = repr(self).partition("(")[2].removesuffix(")")
        return Display([Table(columns | {"relevant": np.diff(positive)})], title)


def merge_tables(tables: list[RankingTable]) -> RankingTable:
    """Return one table of the queries of several tables; no query is in two."""
    named = [table.queries is not None for table in tables]
    if any(named) != all(named):
        raise InputTypeError("rankings with names of queries and without cannot be merged")
    queries = None
    order = np.arange(sum(table.n_queries for table in tables))
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
        return np.asarray(np.concatenate(whole)[items])

    return RankingTable._of(
        queries,
        np.concatenate([table.sizes for table in tables])[order],
        np.concatenate([table.judged for table in tables])[order],
        item_starts,
        *(joined_items(name) for name in RankingTable.__match_args__[4:]),
    )


Column = NDArray[np.int64]
Columns = dict[str, NDArray[Any] | None]

_OF_QUERIES: Final = ("sizes", "judged")
#: Of relevant items; those of the second line are empty where all are judged, or have no names.
_OF_ITEMS: Final = ("above", "tied")
_IF_KNOWN: Final = ("unjudged_above", "unjudged_tied", "places", "unjudged_before")


def checked_columns(members: Members) -> Columns:
    """Return the saved columns, checked."""
    queries = members.get("queries")
    if "texts" in members:
        texts = from_json(members["texts"])
        if type(texts) is not list or not all(type(text) is str for text in texts):
            raise InputError("`texts` are no texts")
        queries = np.array(texts, object)
    columns = {
        name: members[name] for name in (*_OF_QUERIES, "item_starts", *_OF_ITEMS, *_IF_KNOWN)
    }
    if any(column.dtype != np.int64 or column.ndim != 1 for column in columns.values()):
        raise InputError("columns are not vectors of int64")
    grades = members["grades"]
    starts = columns["item_starts"]
    n_queries = len(columns["sizes"])
    if (
        grades.dtype != np.float64
        or grades.ndim != 1
        or not (np.isfinite(grades) & (grades != 0)).all()
    ):
        raise InputError("grades are not finite float64, or 0")
    lengths = {name: {n_queries} for name in _OF_QUERIES}
    lengths |= {"item_starts": {n_queries + 1}}
    lengths |= {name: {len(grades)} for name in _OF_ITEMS}
    lengths |= {name: {0, len(grades)} for name in _IF_KNOWN}
    for name, allowed in lengths.items():
        if len(columns[name]) not in allowed or (columns[name] < 0).any():
            raise InputError(f"`{name}` has another length, or is negative")
    if starts[0] != 0 or starts[-1] != len(grades) or (np.diff(starts) < 0).any():
        raise InputError("`item_starts` does not go with grades")
    counts = np.diff(starts)
    above = columns["above"]
    tied = columns["tied"]
    if sum(columns["sizes"].tolist()) >= 2**62 or (columns["judged"] < counts).any():
        raise InputError("queries of too many items, or with more than were judged")
    size = np.repeat(columns["sizes"], counts)
    bounds = [(above, size), (tied, size - above), (columns["places"], size)]
    bounds += [(columns["unjudged_above"], above), (columns["unjudged_tied"], tied)]
    bounds += [(columns["unjudged_before"], columns["places"])]
    if any(len(count) and (count > whole).any() for count, whole in bounds):
        raise InputError("an item stands below the last one of its query")
    if not _are_in_order(np.repeat(np.arange(n_queries), counts), above, tied):
        raise InputError("items of a query overlap, or are in another order")
    if queries is not None and (
        queries.shape != (n_queries,) or not (queries[1:] > queries[:-1]).all()
    ):
        raise InputError("`queries` do not rise, or are not of the sizes")
    return {"queries": queries, "grades": grades, **columns}


def _are_in_order(query: Column, above: Column, tied: Column) -> bool:
    """Return whether the items of queries are in order, and ties as large as ``tied`` says."""
    starts = np.ones(len(query), np.bool_)
    starts[1:] = (query[1:] != query[:-1]) | (above[1:] != above[:-1]) | (tied[1:] != tied[:-1])
    follows = (query[1:] != query[:-1]) | (above[1:] >= above[:-1] + tied[:-1])
    first = np.maximum.accumulate(np.where(starts, np.arange(len(query)), 0))
    is_one_of_tie = (tied == 0) | (np.arange(len(query)) - first < tied)
    return bool((follows | ~starts[1:]).all() and is_one_of_tie.all())
