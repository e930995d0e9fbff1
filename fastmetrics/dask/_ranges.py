"""All scores in order, though no task has them all: each partition sorted, cut into ranges, merged.

Every partition becomes a sorted run of distinct scores, which stays with the worker. Splitters from
samples of the runs make bins; the counts of every bin are added up in a tree; the client joins bins
into ranges of so many scores at most, and knows exactly how many of each class score higher than
each range. One task a range merges the runs that fall into it. Splitters decide who works on what,
never what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics.dask._partitions import computed, over, summed
from fastmetrics.dask._scored import Run, Seen, common_dtype, judged, merged, run_of, state_of
from fastmetrics.tables.scores.pairs import PairCounts, pairs_of_weights
from fastmetrics.tables.scores.score_table import ScoreTable

#: Distinct scores of a range at most, as far as bins allow: some 200 MB while they are merged.
RANGE_SCORES: Final = 4_000_000
#: Bins of which ranges are made.
N_BINS: Final = 1 << 15
#: Scores that samples have in all, and of a partition at least and at most.
_SAMPLED, _FEWEST, _MOST = 1 << 20, 64, 1 << 12


class _Look(NamedTuple):
    """What the client gets of a run: its dtype, its length, and scores at even steps of it."""

    dtype: np.dtype[Any]
    n_scores: int
    sample: NDArray[Any]


class Range(NamedTuple):
    """Consecutive bins, ``first`` to ``stop``, and the counts of what scores higher and in them."""

    first: int
    stop: int
    n_scores: int
    above: tuple[Any, Any]
    inside: tuple[Any, Any]


class SortedRuns:
    """The sorted runs of all partitions, cut into ranges; the highest scores first.

    Attributes
    ----------
    runs : list of Delayed
        A `Run` each, or None; kept by the workers while this object is.
    edges : ndarray of float64
        Rising; bin b has the scores from edge b - 1 on and below edge b.
    counts : ndarray of shape (3, n_bins)
        Scores, positives and negatives of each bin, lowest first.
    ranges : list of Range
    """

    def __init__(
        self,
        parts: Sequence[Delayed],
        *,
        pos_label: Any = None,
        rule: str = "strict",
        range_scores: int = RANGE_SCORES,
    ) -> None:
        held: list[Delayed] = []
        n_sampled = min(max(_SAMPLED // len(parts), _FEWEST), _MOST)

        def run(positive: Any) -> list[Seen]:
            held[:] = dask.persist(*over(parts, state_of, positive, run_of))
            found: list[Seen] = computed([delayed(_look)(each, n_sampled) for each in held])
            return found

        seen = judged(run, pos_label=pos_label, rule=rule)
        looks: list[_Look] = [each.state for each in seen if each.state is not None]
        dtype = common_dtype([look.dtype for look in looks])
        self.runs = over(held, _cast, dtype)
        self.edges = _splitters(looks, range_scores)
        self._edges = delayed(self.edges)
        self.counts = computed(summed(over(self.runs, _counts, self._edges)))
        self.n_positive, self.n_negative = (_total(row) for row in self.counts[1:])
        self.ranges = _ranges(self.counts, range_scores)

    @property
    def n_scores(self) -> int:
        """Distinct scores of all partitions; one that two have counts twice."""
        return int(self.counts[0].sum())

    def pairs(self) -> PairCounts:
        """Return how many pairs are concordant: only bins of both classes are sent and merged."""
        _, p, n = self.counts
        is_mixed = (p > 0) & (n > 0)
        inside = self._tasks(_pairs_inside, np.flatnonzero(is_mixed))
        below = np.cumsum(n) - n
        exact = object if p.dtype.kind != "f" else np.float64
        across = 2 * np.dot(p.astype(exact), below.astype(exact))
        twice = sum((each for each in computed(inside) if each is not None), start=across)
        twice = float(twice) if exact is np.float64 else int(twice)
        return PairCounts.of(self.n_positive, self.n_negative, twice)

    def over_ranges(self, task: Callable[..., Any], *more: Any) -> list[Delayed]:
        """Return ``task(table, range, *more)`` of each range, highest first."""
        whole = np.arange(self.counts.shape[1])
        return self._tasks(task, whole, *more, with_range=True)

    def _tasks(
        self,
        task: Callable[..., Any],
        bins: NDArray[np.int64],
        *more: Any,
        with_range: bool = False,
    ) -> list[Delayed]:
        """Cut each run once, by the ranges and of the bins wanted; merge what falls in a range."""
        wanted = np.zeros(self.counts.shape[1], np.bool_)
        wanted[bins] = True
        work = [each for each in self.ranges if wanted[each.first : each.stop].any()]
        places = [(each.first, each.stop) for each in work]
        cuts = [
            delayed(_cut, nout=len(work))(run, self._edges, places, wanted) for run in self.runs
        ]
        columns = [list(cut) for cut in cuts] if work else []
        call = delayed(_of_range)
        return [
            call(task, [column[i] for column in columns], one if with_range else self._edges, more)
            for i, one in enumerate(work)
        ]


def _look(seen: Seen, n_sampled: int) -> Seen:
    run: Run | None = seen.state
    if run is None:
        return seen
    n = len(run.scores)
    places = np.linspace(0, n - 1, min(n, n_sampled)).astype(np.int64)
    return seen._replace(state=_Look(run.scores.dtype, n, run.scores[places]))


def _cast(seen: Seen, dtype: np.dtype[Any]) -> Run | None:
    run: Run | None = seen.state
    return None if run is None else run.cast(dtype)


def _splitters(looks: Sequence[_Look], range_scores: int) -> NDArray[np.float64]:
    """Return the edges of bins that hold about equally many of the runs' scores."""
    n_scores = sum(look.n_scores for look in looks)
    if n_scores <= range_scores:
        return np.empty(0)
    sample = np.concatenate([look.sample.astype(np.float64) for look in looks])
    weight = np.concatenate(
        [np.full(len(look.sample), look.n_scores / len(look.sample)) for look in looks]
    )
    order = np.argsort(sample, kind="stable")
    reached = np.cumsum(weight[order])
    steps = np.arange(1, N_BINS) * (reached[-1] / N_BINS)
    return np.unique(sample[order][np.searchsorted(reached, steps)])


def _bounds(scores: NDArray[Any], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return where each bin begins among scores that fall, counted from the lowest, and the end."""
    cuts = np.searchsorted(scores[::-1].astype(np.float64, copy=False), edges, side="left")
    return np.concatenate([[0], cuts, [len(scores)]])


def _counts(run: Run | None, edges: NDArray[np.float64]) -> NDArray[Any] | None:
    """Return the scores, positives and negatives in each bin."""
    if run is None:
        return None
    bounds = _bounds(run.scores, edges)
    sizes = np.diff(bounds)
    bins = np.repeat(np.arange(len(sizes)), sizes)
    if run.positives.dtype.kind == "f":
        sums = [np.bincount(bins, column[::-1], len(sizes)) for column in run[1:]]
        return np.stack([sizes, *sums])
    ups = [np.append(0, np.cumsum(column[::-1], dtype=np.int64)) for column in run[1:]]
    return np.stack([sizes, *(np.diff(up[bounds]) for up in ups)])


def _total(column: NDArray[Any]) -> int | float:
    return float(column.sum()) if column.dtype.kind == "f" else int(column.sum())


def _ranges(counts: NDArray[Any], range_scores: int) -> list[Range]:
    """Return ranges of consecutive bins, the highest first, of so many scores where bins allow."""
    found: list[Range] = []
    sizes = counts[0].tolist()
    stop = len(sizes)
    above: tuple[Any, Any] = (0, 0)
    while stop > 0:
        first, held = stop - 1, sizes[stop - 1]
        while first > 0 and held + sizes[first - 1] <= range_scores:
            first -= 1
            held += sizes[first]
        inside = (_total(counts[1, first:stop]), _total(counts[2, first:stop]))
        if held:
            found.append(Range(first, stop, int(held), above, inside))
        above = (above[0] + inside[0], above[1] + inside[1])
        stop = first
    return found


def _cut(
    run: Run | None,
    edges: NDArray[np.float64],
    places: list[tuple[int, int]],
    wanted: NDArray[np.bool_],
) -> list[Run | None]:
    """Return what of a run falls into each range, of the bins that are wanted."""
    if run is None:
        return [None] * len(places)
    n, bounds = len(run.scores), _bounds(run.scores, edges)
    found: list[Run | None] = []
    for first, stop in places:
        part = run.part(slice(n - bounds[stop], n - bounds[first]))
        if not wanted[first:stop].all():
            kept = np.repeat(wanted[first:stop], np.diff(bounds[first : stop + 1]))[::-1]
            part = part.part(kept)
        found.append(part if len(part.scores) else None)
    return found


def _of_range(task: Callable[..., Any], runs: list[Run | None], about: Any, more: Any) -> Any:
    return task(merged([run for run in runs if run is not None]), about, *more)


def _pairs_inside(table: ScoreTable, edges: NDArray[np.float64]) -> int | float:
    """Return twice the concordant pairs, of pairs whose two scores are in one bin."""
    n, bounds = len(table), _bounds(table.scores, edges)
    held = np.flatnonzero(np.diff(bounds)).tolist()
    return sum(
        pairs_of_weights(table.positives[part], table.negatives[part]).twice_concordant
        for part in (slice(n - bounds[b + 1], n - bounds[b]) for b in held)
    )
