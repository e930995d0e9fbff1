"""All scores in order, though no task has them all.

Each partition is collapsed to the table of its distinct scores, which its worker keeps. Evenly
spaced scores of all partitions are the splitters of ranges, and the counts of each table in every
range are added up in a tree: the client knows how many of each class score higher than a range. The
pieces of a range are sent to the one task that merges them. Splitters decide who works on what,
never what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics.dask._partitions import computed, one_thread, over, summed
from fastmetrics.dask._scored import (
    Run,
    Seen,
    cast,
    checked,
    common_dtype,
    judged,
    merged,
    state_of,
    that_weigh,
)
from fastmetrics.tables.pairs import PairCounts, pairs_of_sorted, pairs_of_weights
from fastmetrics.tables.score_table import ScoreTable

#: Distinct scores of a range, about: some 200 MB while its pieces are merged.
RANGE_SCORES: Final = 4_000_000
#: Scores that samples have in all, and of a partition at least and at most.
_SAMPLED, _FEWEST, _MOST = 1 << 20, 64, 1 << 12


class _Look(NamedTuple):
    """What splitters are chosen by: evenly spaced scores of a table, and how many each stands for.

    ``ends`` are the least and the greatest score of integers.
    """

    sample: NDArray[Any]
    weight: float
    ends: tuple[int, int] | None


class Range(NamedTuple):
    """Consecutive scores: positives and negatives that score higher, and those inside."""

    above: tuple[Any, Any]
    inside: tuple[Any, Any]


class Ranges:
    """The scores of all partitions, cut into ranges; the highest scores first.

    Attributes
    ----------
    runs : list of Delayed
        The table of each partition as a `Run`, or None; kept by the workers while this object is.
    counts : ndarray of shape (3, n_ranges)
        Entries of all tables, positives and negatives in each range.
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
            held[:] = dask.persist(*over(parts, state_of, positive, checked, _run_of_rows))
            looks: list[Seen] = computed([delayed(_look)(each, n_sampled) for each in held])
            return looks

        seen = [one for one in judged(run, pos_label=pos_label, rule=rule) if one.state is not None]
        ends = [one.state.ends for one in seen if one.state.ends is not None]
        dtype = common_dtype([one.given for one in seen if one.given is not None], ends)
        self._splitters = _splitters([one.state for one in seen], dtype, range_scores)
        self.runs = list(dask.persist(*over(held, _in_dtype, dtype)))
        self.counts = computed(summed(over(self.runs, _counts_in_ranges, self._splitters)))
        inside = [(_number(p), _number(n)) for p, n in self.counts[1:].T]
        self.ranges: list[Range] = []
        above: tuple[Any, Any] = (0, 0)
        for p, n in inside:
            self.ranges.append(Range(above, (p, n)))
            above = above[0] + p, above[1] + n
        self.n_positive, self.n_negative = above

    def pairs(self) -> PairCounts:
        """Return how many pairs are concordant: those across ranges follow from their counts."""
        twice = sum(computed(self._over_pieces(_pairs_inside)))
        for above, (_, negatives) in self.ranges:
            twice += 2 * above[0] * negatives
        return PairCounts.of(self.n_positive, self.n_negative, twice)

    def over_ranges(self, task: Callable[..., Any], *more: Any) -> list[Delayed]:
        """Return ``task(table, range, *more)`` of each range, highest first."""
        return self._over_pieces(_of_range, *((task, here, *more) for here in self.ranges))

    def _over_pieces(self, task: Callable[..., Any], *more: tuple[Any, ...]) -> list[Delayed]:
        """Send the pieces of each range to one task."""
        piece, call, splitters = delayed(_piece), delayed(task), delayed(self._splitters)
        return [
            call([piece(run, splitters, i) for run in self.runs], *arguments)
            for i, arguments in enumerate(more or [()] * len(self.ranges))
        ]

    def table(self) -> ScoreTable:
        """Return the table of all samples, which is summed up in a tree."""
        whole: Run = computed(summed(self.runs))
        return whole.table()


def _run_of_rows(rows: BinaryRows) -> Run:
    return Run.of(ScoreTable.from_rows(that_weigh(rows)))


def _in_dtype(seen: Seen, dtype: np.dtype[Any]) -> Run | None:
    run: Run | None = seen.state
    return None if run is None else run._replace(scores=cast(run.scores, dtype))


def _look(seen: Seen, n_sampled: int) -> Seen:
    if seen.state is None:
        return seen
    scores: NDArray[Any] = seen.state.scores
    is_integer = seen.given is not None and seen.given.kind != "f"
    ends = (int(scores[-1]), int(scores[0])) if is_integer else None
    at = np.linspace(0, len(scores) - 1, min(len(scores), n_sampled)).astype(np.intp)
    return seen._replace(state=_Look(scores[at], len(scores) / len(at), ends))


def _splitters(looks: Sequence[_Look], dtype: np.dtype[Any], range_scores: int) -> NDArray[Any]:
    """Return the highest score of each range but the first, descending."""
    samples = np.concatenate([look.sample.astype(dtype) for look in looks])
    weights = np.repeat([look.weight for look in looks], [len(look.sample) for look in looks])
    scores, at = np.unique(samples, return_inverse=True)
    sizes = np.bincount(at, weights)[::-1]
    number = (np.cumsum(sizes) - sizes) // range_scores
    return scores[::-1][1:][number[1:] > number[:-1]]


def _bounds(run: Run, splitters: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each range begins in the scores of a table, and where the last one ends."""
    n = len(run.scores)
    starts = n - np.searchsorted(run.scores[::-1], splitters, side="right")
    return np.concatenate([[0], starts, [n]])


def _counts_in_ranges(run: Run | None, splitters: NDArray[Any]) -> NDArray[Any] | None:
    """Return the entries, positives and negatives of a table in each range."""
    if run is None:
        return None
    bounds = _bounds(run, splitters)
    sums = [np.diff(bounds)]
    for column in run[1:]:
        kind = np.float64 if column.dtype.kind == "f" else np.int64
        sums.append(np.diff(np.append(kind(0), np.cumsum(column, dtype=kind))[bounds]))
    return np.stack(sums)


def _piece(run: Run | None, splitters: NDArray[Any], number: int) -> Run | None:
    """Return the part of a table that lies in a range."""
    if run is None:
        return None
    start, stop = _bounds(run, splitters)[number : number + 2]
    return Run(*(column[start:stop] for column in run)) if stop > start else None


@one_thread
def _of_range(
    pieces: Sequence[Run | None], task: Callable[..., Any], here: Range, *more: Any
) -> Any:
    return task(merged([piece for piece in pieces if piece is not None]), here, *more)


@one_thread
def _pairs_inside(pieces: Sequence[Run | None]) -> int | float:
    """Return twice the concordant pairs of a range."""
    runs = [piece for piece in pieces if piece is not None]
    if all(run.has_few_ties for run in runs):  # sorting each class is several times as fast
        sides = (
            np.sort(np.concatenate([np.repeat(run.scores, run[column]) for run in runs]))
            for column in (1, 2)
        )
        return pairs_of_sorted(*sides).twice_concordant
    table = merged(runs)
    return pairs_of_weights(table.positives, table.negatives).twice_concordant


def _number(value: Any) -> int | float:
    return float(value) if np.asarray(value).dtype.kind == "f" else int(value)
