"""The summary of `ScoreRuns`: range by range, each thread at work on one of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import accumulate

from fastmetrics._threads.workers import at_most, run
from fastmetrics.inference.streams.range_summary import RangeSummary, summary_of
from fastmetrics.tables.runs._ranges import Range, table_of
from fastmetrics.tables.runs.score_runs import ScoreRuns


def summary_of_runs(
    runs: ScoreRuns, *, progress: Callable[[float], None] | None = None
) -> RangeSummary:
    """Return the summary of all rows of some runs, each thread at work on a range of its own.

    ``progress`` is called with the share of the rows that is done.
    """
    rows, ranges, at_once = runs._ranges()
    above = list(accumulate(map(rows.rows_of, ranges), _added, initial=(0, 0)))
    m, n = above[-1]
    done = 0

    def of_range(where: Range, tp: int, fp: int) -> RangeSummary:
        nonlocal done
        found = summary_of(table_of(rows, where), tp, fp, m, n)
        done += found.positives + found.negatives  # a bar: a lost sum would do no harm
        if progress is not None:
            progress(done / (m + n))
        return found

    jobs = [partial(of_range, each, *at) for each, at in zip(ranges, above, strict=False)]
    with at_most(at_once):
        return sum(run(jobs), RangeSummary(m, n)) if jobs else RangeSummary(0, 0)


def _added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]
