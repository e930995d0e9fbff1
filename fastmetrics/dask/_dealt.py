"""The rows of a partition in buckets, and those of a range again as rows, or as a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import ClassLabels, check_class_labels
from fastmetrics._input.rows import BinaryRows, check_same_index
from fastmetrics._input.scalars import check_same_length
from fastmetrics.dask._partitions import one_thread
from fastmetrics.dask._scored import Run, Seen, cast, checked, merged, narrow
from fastmetrics.errors import InputTypeError
from fastmetrics.tables.ordering.partition import partition
from fastmetrics.tables.ordering.plan import Plan
from fastmetrics.tables.scores._distinct import split_by_class
from fastmetrics.tables.scores.pairs import count_pairs, pairs_of_weights
from fastmetrics.tables.scores.score_table import ScoreTable

#: Rows are counted, score by score, where that leaves one entry of so many, as a sample says.
_SHRINKS: Final = 4
_SAMPLED: Final = 1 << 12

Sides = tuple[NDArray[Any], NDArray[Any]]


class Dealt(NamedTuple):
    """Rows of a partition, or of a range: negatives and positives, bucket after bucket.

    ``weights`` are those of both, or None where each row counts once; ``groups`` the numbers of
    their groups, if any; ``sizes``, of shape (2, n_buckets), the rows of either class in each
    bucket.
    """

    scores: Sides
    weights: Sides | None
    sizes: NDArray[np.int64]
    groups: Sides | None = None


class Grouped(NamedTuple):
    """Rows, and the group of each."""

    rows: BinaryRows
    groups: ClassLabels


def grouped(columns: tuple[Any, ...], positive: Any) -> Seen:
    """Return the checked rows of a partition with their groups."""
    check_same_index(y_true=columns[0], groups=columns[3])
    seen = checked(columns[:3], positive)
    if seen.state is None:
        return seen
    found = check_class_labels(columns[3], "groups")
    check_same_length(y_true=range(seen.n_rows), groups=found.codes)
    return seen._replace(state=Grouped(seen.state, found))


def names_of(seen: Seen) -> NDArray[Any] | None:
    """Return the groups of a partition."""
    return None if seen.state is None else seen.state.groups.classes


def united(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the groups of both."""
    if (one.dtype.kind in "UOT") != (other.dtype.kind in "UOT"):
        raise InputTypeError("`groups` holds text in some partitions, and numbers in others")
    return np.unique(np.concatenate([one, other]))


def sizes_of(seen: Seen, names: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return how many rows of a partition each of all groups has."""
    return None if seen.state is None else np.bincount(_codes(seen.state, names), None, len(names))


def _codes(state: Grouped, names: NDArray[Any]) -> NDArray[np.int32]:
    own = np.searchsorted(names, state.groups.classes).astype(np.int32)
    return np.ascontiguousarray(own[state.groups.codes])


def that_weigh(rows: BinaryRows) -> BinaryRows:
    """Return the rows that weigh something: the others are not there."""
    if rows.weights is None or rows.weights.all():
        return rows
    has = rows.weights > 0
    return dataclasses.replace(
        rows, labels=rows.labels[has], scores=rows.scores[has], weights=rows.weights[has]
    )


def sample_of(scores: NDArray[Any], n: int) -> NDArray[Any]:
    """Return n scores by chance, or all in such an order: the same whenever the task is run."""
    rng = np.random.default_rng(len(scores))
    if len(scores) <= n:
        return rng.permutation(scores)
    return scores[rng.integers(len(scores), size=n)]


def deal(
    seen: Seen, plan: Plan | None, dtype: np.dtype[Any], names: NDArray[Any] | None = None
) -> Dealt | None:
    """Deal the rows of a partition, whose scores become of this dtype, into the map's buckets.

    Where scores recur, those of a class and score become one row, of their weight.
    """
    if seen.state is None:
        return None
    if names is not None:
        return _deal_groups(seen.state, plan, dtype, names)
    rows: BinaryRows = dataclasses.replace(seen.state, scores=cast(seen.state.scores, dtype))
    if _recur(rows.scores, plan):
        rows = _entries(rows)
    if plan is None:
        sides: Any = [split_by_class(rows)[::-1]]
        if rows.weights is not None:
            sides.append(tuple(rows.weights[rows.labels == c] for c in (0, 1)))
        sizes = np.array([[len(side)] for side in sides[0]])
    else:
        parted = partition(rows, plan=plan)
        sides = list(zip(parted.columns(0), parted.columns(1), strict=True))
        sizes = np.ascontiguousarray(parted.rows.reshape(-1, 2).T)
        parted.release()
    if rows.weights is None:
        return Dealt(sides[0], None, sizes)
    kind = np.int64 if rows.integer_weights else np.float64
    weights = tuple(narrow(side.astype(kind)) for side in sides[1])
    return Dealt(sides[0], weights, sizes)  # type: ignore[arg-type]


def _deal_groups(
    state: Grouped, plan: Plan | None, dtype: np.dtype[Any], names: NDArray[Any]
) -> Dealt:
    rows = dataclasses.replace(state.rows, scores=cast(state.rows.scores, dtype))
    codes = _codes(state, names)
    if plan is None:
        places = [np.flatnonzero(rows.labels == c) for c in (0, 1)]
        scores = [rows.scores[at] for at in places]
        sizes = np.array([[len(at)] for at in places])
    else:
        parted = partition(rows, with_numbers=True, plan=plan)
        scores, places = map(list, zip(parted.columns(0), parted.columns(1), strict=True))
        sizes = np.ascontiguousarray(parted.rows.reshape(-1, 2).T)
        parted.release()
    return Dealt((scores[0], scores[1]), None, sizes, (codes[places[0]], codes[places[1]]))


def _recur(scores: NDArray[Any], plan: Plan | None) -> bool:
    """Return whether scores recur so that rows are counted before they are sent, as a sample says.

    Scores with a bucket of their own are not sent.
    """
    sample = sample_of(scores, _SAMPLED)
    n, n_sampled = len(scores), len(sample)
    if plan is not None and not plan.by_range:
        sample = sample[~np.isin(sample, plan.splitters)]
    n_sent = n * len(sample) / n_sampled
    if n_sent < n / 8:
        return False
    times = np.unique(sample, return_counts=True)[1]
    is_frequent = times > (0 if n_sampled == n else n_sampled // 64)  # of all rows all are known
    rest = times[~is_frequent]
    n_rest, twice = float(rest.sum()), float((rest * (rest - 1)).sum())
    entries = min(n * n_rest / n_sampled, n_rest**2 / twice if twice else np.inf)
    return bool((np.count_nonzero(is_frequent) + entries) * _SHRINKS <= n_sent)


def _entries(rows: BinaryRows) -> BinaryRows:
    """Return a row for each distinct score of either class, whose weight is that of all of them."""
    table = ScoreTable.from_rows(rows)
    sides = table.negatives, table.positives
    has = [np.flatnonzero(side) for side in sides]
    return BinaryRows(
        np.repeat(np.array([0, 1], np.int8), [len(each) for each in has]),
        0,
        np.concatenate([table.scores[each] for each in has]),
        np.concatenate([side[each] for side, each in zip(sides, has, strict=True)]).astype(float),
        table.positives.dtype.kind != "f",
        False,
    )


def counts_of(dealt: Dealt | None) -> NDArray[Any] | None:
    """Return the rows, positives and negatives in each bucket."""
    if dealt is None:
        return None
    n_rows = dealt.sizes.sum(axis=0)
    if dealt.weights is None:
        return np.stack([n_rows, dealt.sizes[1], dealt.sizes[0]])
    sums = []
    for weights, sizes in zip(dealt.weights, dealt.sizes, strict=True):
        if weights.dtype.kind == "f":
            sums.append(np.bincount(np.repeat(np.arange(len(sizes)), sizes), weights, len(sizes)))
        else:
            bounds = np.append(0, np.cumsum(sizes))
            sums.append(np.diff(np.append(0, np.cumsum(weights, dtype=np.int64))[bounds]))
    return np.stack([n_rows, *sums[::-1]])


def cut(dealt: Dealt | None, first: int, wanted: NDArray[np.bool_]) -> Dealt | None:
    """Return the rows in the buckets from ``first`` on that are wanted."""
    if dealt is None:
        return None
    stop = first + len(wanted)
    columns: list[Any] = [dealt.scores, dealt.weights, dealt.groups]
    for c, sizes in enumerate(dealt.sizes):
        start, here = int(sizes[:first].sum()), sizes[first:stop]
        part = slice(start, start + int(here.sum()))
        is_kept = slice(None) if wanted.all() else np.repeat(wanted, here)
        for i, column in enumerate(columns):
            if column is not None:
                kept = column[c][part][is_kept]
                columns[i] = (kept, column[1]) if c == 0 else (column[0], kept)
    scores, weights, groups = columns
    if not len(scores[0]) + len(scores[1]):
        return None
    return Dealt(scores, weights, dealt.sizes[:, :0], groups)


@one_thread
def pairs_inside(parts: Sequence[Dealt | None]) -> int | float:
    """Return twice the concordant pairs of the rows sent."""
    rows = _rows(parts)
    if rows is not None:
        return count_pairs(rows).twice_concordant
    table = table_of(parts)
    return pairs_of_weights(table.positives, table.negatives).twice_concordant


def _rows(parts: Sequence[Dealt | None]) -> BinaryRows | None:
    """Return the rows of a range, in no order; None where they have weights."""
    given = [part for part in parts if part is not None]
    if not given or any(part.weights is not None for part in given):
        return None
    sides = [part.scores[c] for c in (0, 1) for part in given]
    sizes = [sum(len(part.scores[c]) for part in given) for c in (0, 1)]
    labels = np.repeat(np.array([0, 1], np.int8), sizes)
    return BinaryRows(labels, 0, np.concatenate(sides), None, False, False)


def rows_with_groups(parts: Sequence[Dealt | None]) -> tuple[BinaryRows, NDArray[np.int32]]:
    """Return the rows of a range, and the number of the group of each."""
    rows = _rows(parts)
    given = [part.groups for part in parts if part is not None and part.groups is not None]
    if rows is None or not given:
        raise InputTypeError("rows of groups are needed")
    return rows, np.concatenate([groups[c] for c in (0, 1) for groups in given])


@one_thread
def table_of(parts: Sequence[Dealt | None]) -> ScoreTable:
    """Return the table of the rows of a range: in order, as memory would have them."""
    rows = _rows(parts)
    if rows is not None:
        return ScoreTable.from_rows(rows)
    columns = []
    for part in parts:
        if part is not None:
            for c, scores in enumerate(part.scores):
                counts = np.ones(len(scores), np.int64) if part.weights is None else part.weights[c]
                both = np.zeros_like(counts), counts
                columns.append(Run(scores, both[c], both[1 - c]))
    return merged(columns or [Run(np.empty(0), *np.empty((2, 0), np.int64))])


def run_of(dealt: Dealt | None) -> Run | None:
    """Return the columns of the table of a partition, which are sent and added up."""
    return None if dealt is None else Run.of(table_of([dealt]))
