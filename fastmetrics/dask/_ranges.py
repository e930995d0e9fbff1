"""All scores in order, though no task has them all: rows dealt into buckets, buckets into ranges.

A sample of all partitions makes a map of scores to buckets. Each partition deals its rows into
these, class by class, in one pass and without a sort, and keeps them; the counts of both classes in
every bucket are added up in a tree. The client joins buckets into ranges of so many rows at most,
and knows exactly how many of each class score higher than each range. What falls into a range is
sent to the one task that puts it in order. The map decides who works on what, never what comes out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics.dask._dealt import (
    Dealt,
    Grouped,
    counts_of,
    cut,
    deal,
    grouped,
    names_of,
    pairs_inside,
    run_of,
    sample_of,
    sizes_of,
    table_of,
    that_weigh,
    united,
)
from fastmetrics.dask._partitions import computed, over, summed
from fastmetrics.dask._scored import Run, Seen, checked, common_dtype, judged, merged, state_of
from fastmetrics.tables.ordering.plan import Plan, plan_of_sample
from fastmetrics.tables.scores.pairs import PairCounts
from fastmetrics.tables.scores.score_table import ScoreTable

#: Rows of a range at most, as far as buckets allow: some 200 MB while they are put in order.
RANGE_SCORES: Final = 4_000_000
#: Buckets: at most, and rows of one aimed at. So many of a range, that it is nearly full.
MOST_BUCKETS: Final = 4096
_BUCKET_ROWS, _OF_A_RANGE = 1 << 14, 4
#: Scores that samples have in all, and of a partition at least and at most.
_SAMPLED, _FEWEST, _MOST = 1 << 20, 64, 1 << 12
#: So few scores get a bucket each: of a class, or all.
_RARE: Final = 1024


class _Look(NamedTuple):
    """What the client gets of a partition: enough to make the map of it.

    ``sample`` are the scores of rows by chance, ``ends`` the least and the greatest where they are
    integers, ``classes`` all scores of negatives and of positives where these are few.
    """

    n_rows: int
    sample: NDArray[Any]
    ends: tuple[int, int] | None
    classes: tuple[NDArray[Any] | None, NDArray[Any] | None]


class Range(NamedTuple):
    """Consecutive buckets, ``first`` to ``stop``; the counts of what scores higher and in them.

    ``n_rows`` are those that are put in order: a bucket of one score is one.
    """

    first: int
    stop: int
    n_rows: int
    above: tuple[Any, Any]
    inside: tuple[Any, Any]


class Ranges:
    """The rows of all partitions in buckets, cut into ranges; the highest scores first.

    Attributes
    ----------
    dealt : list of Delayed
        A `Dealt` of each partition, or None; kept by the workers while this object is.
    counts : ndarray of shape (3, n_buckets)
        Rows, positives and negatives of each bucket, lowest first. Where all rows of a bucket have
        one score they are one.
    ranges : list of Range
    group_sizes : ndarray of int64, shape (n_groups,)
        Rows of each group, where there are groups, in their order.
    """

    def __init__(
        self,
        parts: Sequence[Delayed],
        *,
        pos_label: Any = None,
        rule: str = "strict",
        range_scores: int = RANGE_SCORES,
        by_group: bool = False,
    ) -> None:
        held: list[Delayed] = []
        n_sampled = min(max(_SAMPLED // len(parts), _FEWEST), _MOST)

        def run(positive: Any) -> list[Seen]:
            task, *more = (grouped,) if by_group else (state_of, checked, that_weigh)
            held[:] = dask.persist(*over(parts, task, positive, *more))
            found: list[Seen] = computed([delayed(_look)(each, n_sampled) for each in held])
            return found

        seen = [one for one in judged(run, pos_label=pos_label, rule=rule) if one.state is not None]
        looks: list[_Look] = [each.state for each in seen]
        ends = [look.ends for look in looks if look.ends is not None]
        dtype = common_dtype([each.given for each in seen if each.given is not None], ends)
        plan = _plan(looks, dtype, range_scores)
        self.group_sizes = np.empty(0, np.int64)
        names = None
        if by_group:
            (names,) = dask.persist(summed(over(held, names_of), united))
            self.group_sizes = computed(summed(over(held, sizes_of, names)))
        self.dealt = list(dask.persist(*over(held, deal, delayed(plan), dtype, names)))
        held.clear()
        self.counts = computed(summed(over(self.dealt, counts_of)))
        self._is_one = np.zeros(1, np.bool_) if plan is None else plan.holds_one_score
        self._scores = np.empty(1, dtype) if plan is None else np.repeat(plan.splitters, 2) + 0
        if by_group:  # rows of one score have several groups
            self._is_one = np.zeros_like(self._is_one)
        self.counts[0, self._is_one] = self.counts[0, self._is_one] > 0
        self.n_positive, self.n_negative = (_total(row) for row in self.counts[1:])
        self._most = range_scores
        self.ranges = _ranges(self.counts, self.counts[0], range_scores)

    def pairs(self) -> PairCounts:
        """Return how many pairs are concordant.

        Only buckets of both classes and several scores are sent: of others the counts tell all.
        """
        sizes, p, n = self.counts
        is_sent = (p > 0) & (n > 0) & ~self._is_one
        work = _ranges(self.counts, sizes * is_sent, self._most)
        inside = self._tasks(work, is_sent, pairs_inside)
        below, beside = np.cumsum(n) - n, np.zeros_like(n)
        for each in work:  # of these pairs its task knows
            part = slice(each.first, each.stop)
            sent = n[part] * is_sent[part]
            beside[part] = (np.cumsum(sent) - sent) * is_sent[part]
        kind = object if p.dtype.kind != "f" else np.float64
        p, n, lower = (column.astype(kind) for column in (p, n, below - beside))
        twice = 2 * np.dot(p, lower) + np.dot(p[self._is_one], n[self._is_one])
        twice = sum(computed(inside), start=twice)
        twice = float(twice) if kind is np.float64 else int(twice)
        return PairCounts.of(self.n_positive, self.n_negative, twice)

    def over_ranges(self, task: Callable[..., Any], *more: Any) -> list[Delayed]:
        """Return ``task(table, range, *more)`` of each range, highest first."""
        about = [(self._known(here), task, here, *more) for here in self.ranges]
        return self._tasks(self.ranges, ~self._is_one, _of_range, about)

    def over_groups(self, task: Callable[..., Any], *more: Any) -> list[Delayed]:
        """Return ``task(parts, range, *more)`` of each range, of rows that have groups."""
        about = [(here, *more) for here in self.ranges]
        return self._tasks(self.ranges, ~self._is_one, task, about)

    def table(self) -> ScoreTable:
        """Return the table of all rows, which is summed up in a tree."""
        whole: Run = computed(summed(over(self.dealt, run_of)))
        return whole.table()

    def _known(self, here: Range) -> Run:
        """Return the columns of those scores of a range of which the counts tell all."""
        of_one = np.flatnonzero(self._is_one[here.first : here.stop])[::-1] + here.first
        of_one = of_one[self.counts[0, of_one] > 0]
        return Run(self._scores[of_one], *(column[of_one] for column in self.counts[1:]))

    def _tasks(
        self,
        work: Sequence[Range],
        wanted: NDArray[np.bool_],
        task: Callable[..., Any],
        about: Sequence[tuple[Any, ...]] | None = None,
    ) -> list[Delayed]:
        """Send what is in the buckets wanted of each range to one task."""
        part, call = delayed(cut), delayed(task)
        found = []
        for each, more in zip(work, about or [()] * len(work), strict=True):
            here = wanted[each.first : each.stop]
            found.append(call([part(dealt, each.first, here) for dealt in self.dealt], *more))
        return found


def _of_range(
    parts: Sequence[Dealt | None], known: Run, task: Callable[..., Any], here: Range, *more: Any
) -> Any:
    table = table_of(parts)
    if len(known.scores):
        table = merged([Run.of(table), known]) if len(table) else known.table()
    return task(table, here, *more)


# --- the map -------------------------------------------------------------------------------------


def _look(seen: Seen, n_sampled: int) -> Seen:
    if seen.state is None:
        return seen
    rows: BinaryRows = seen.state.rows if isinstance(seen.state, Grouped) else seen.state
    ends = None
    if seen.given is not None and seen.given.kind != "f":
        ends = int(rows.scores.min()), int(rows.scores.max())
    n_positive = int(np.count_nonzero(rows.labels))
    sizes = len(rows.scores) - n_positive, n_positive
    negative, positive = (
        rows.scores[rows.labels == c] if size < _RARE else None for c, size in enumerate(sizes)
    )
    sample = sample_of(rows.scores, n_sampled)
    return seen._replace(state=_Look(len(rows.scores), sample, ends, (negative, positive)))


def _plan(looks: Sequence[_Look], dtype: np.dtype[Any], range_scores: int) -> Plan | None:
    """Return the map to buckets that hold about equally many rows; None where one is enough."""
    n_rows = sum(look.n_rows for look in looks)
    n_buckets = max(n_rows // _BUCKET_ROWS, _OF_A_RANGE * n_rows // range_scores)
    if n_buckets < 2:
        return None
    share = min(len(look.sample) / look.n_rows for look in looks)
    sample = np.concatenate([look.sample[: math.ceil(share * look.n_rows)] for look in looks])
    sample = np.sort(sample.astype(dtype))
    values = np.unique(sample)
    if len(values) <= _RARE:  # ratings: each gets a bucket of its own
        return plan_of_sample(values, 4 * len(values), even=False)
    for scores in zip(*(look.classes for look in looks), strict=True):
        if 0 < sum(_RARE if each is None else len(each) for each in scores) < _RARE:
            rare = np.concatenate(scores).astype(dtype)
            # Half of the sample, so that each of them becomes a splitter, with a bucket of its own.
            sample = np.sort(np.append(sample, np.repeat(rare, -(-len(sample) // len(rare)))))
            n_buckets = max(n_buckets, 4 * len(rare))
            return plan_of_sample(sample, min(n_buckets, MOST_BUCKETS), even=False)
    return plan_of_sample(sample, min(n_buckets, MOST_BUCKETS))


def _total(column: NDArray[Any]) -> int | float:
    return float(column.sum()) if column.dtype.kind == "f" else int(column.sum())


def _ranges(counts: NDArray[Any], sizes: NDArray[Any], most: int) -> list[Range]:
    """Return ranges of consecutive buckets, the highest first, of ``most`` rows if buckets allow.

    ``sizes`` are the rows of each bucket that matter.
    """
    found: list[Range] = []
    rows = sizes.tolist()
    stop = len(rows)
    above: tuple[Any, Any] = (0, 0)
    while stop > 0:
        first, held = stop - 1, rows[stop - 1]
        while first > 0 and held + rows[first - 1] <= most:
            first -= 1
            held += rows[first]
        inside = (_total(counts[1, first:stop]), _total(counts[2, first:stop]))
        if held:
            found.append(Range(first, stop, int(held), above, inside))
        above = (above[0] + inside[0], above[1] + inside[1])
        stop = first
    return found
