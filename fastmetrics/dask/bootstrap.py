"""``bootstrap`` on Dask: the replicates of memory, drawn range by range of the sorted rows.

How often a row is drawn follows from the key, the replicate and the window of sorted rows that the
row stands in. A task for the rows a to b draws the windows that meet them, whole, and keeps its own
part; of each replicate it returns positives, negatives and twice the pairs inside. Put beside one
another, from the highest scores down, these are the integers of all rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, WeightsAre, check_integer
from fastmetrics._kernels.replicates import resampling as kernels
from fastmetrics.dask._families import matrix_of
from fastmetrics.dask._partitions import computed, summed
from fastmetrics.dask._ranges import RANGE_SCORES, Range, Ranges
from fastmetrics.dask.scores import SCORED, counted_parts
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.intervals.bootstrap._draws import WINDOW, Draws, Needs, Resampling, Yield
from fastmetrics.intervals.bootstrap._engine import STRATIFY, WEIGH, Failures
from fastmetrics.intervals.bootstrap._forms import Form
from fastmetrics.intervals.bootstrap._limits import Method
from fastmetrics.intervals.bootstrap._plans import (
    RESAMPLED,
    CountPlan,
    Options,
    Planned,
    checked_options,
)
from fastmetrics.intervals.bootstrap._rows import (
    BATCH_BYTES,
    ROWS_OF_A_CELL,
    SortedRows,
    pairs_and_sums,
    rows_of_table,
)
from fastmetrics.intervals.bootstrap._threshold_plans import Part, ThresholdPlan
from fastmetrics.intervals.bootstrap.bootstrap import default_method, resampled, result_of
from fastmetrics.intervals.bootstrap.bootstrap_results import BootstrapResults
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.measures.curves.roc_auc import ONE_CLASS
from fastmetrics.tables.scores.pairs import PairCounts, pairs_of_weights
from fastmetrics.tables.scores.score_table import ScoreTable

Ints = NDArray[Any]

#: Windows whose totals a task draws at once, over all of its replicates: 64 MB.
_TOTALS: Final = 1 << 23
#: Batches of replicates at least, so that there is work for several workers.
_BATCHES: Final = 8
#: Windows that are drawn and measured together.
_WINDOWS: Final = 16
_INT64: Final = 2**60


@documented(SCORED, RESAMPLED)
def bootstrap(
    y_true: Any,
    y_score: Any = None,
    *,
    metrics: MetricsLike = "roc_auc",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    method: Method | None = None,
    sample_weight: Any = None,
    weights_are: WeightsAre = "importances",
    resampling: Resampling = "multinomial",
    threshold: float | None = None,
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    range_scores: int = RANGE_SCORES,
) -> BootstrapResults:
    """Compute bootstrap confidence intervals of the AUC, or of measures of decisions.

    Parameters
    ----------
    y_score : Dask column of shape (n,), or list of delayed partitions, optional
        Scores, in the same partitions; predicted labels for measures of decisions without
        `threshold`.
    metrics : str, (str, dict), or a sequence or mapping of them, default="roc_auc"
        `roc_auc` and `rank_loss`; or measures of decisions, which follow from one matrix.
    method : {"percentile", "basic", "bca"}, optional
        Which interval; None takes "bca", and "percentile" where a correction is infinite.
    sample_weight : Dask column of shape (n,), or list of delayed partitions, optional
        How many rows each stands for: whole numbers, with ``weights_are="frequencies"``.
    weights_are : {"frequencies"}
        Said where there are weights: importances need the rows in memory.
    resampling : {"multinomial", "poisson"}, default="multinomial"
        Rows with replacement, or each a Poisson number of times.

    Returns
    -------
    BootstrapResults
        Replicates, and all that follows from them, are those of `fastmetrics.bootstrap` with the
        same `rng`, to the bit, whatever the partitions; limits by "bca" up to the rounding of the
        acceleration's sums.

    Raises
    ------
    ValueError
        For other measures of scores, and importances. `fastmetrics.bootstrap` of `score_table(...)`
        has the other measures, and draws by class; groups and importances need rows in memory.

    Warns
    -----
    UndefinedMetricWarning
        If the measure is undefined on the data, or on more than 5 % of the replicates.
    DegenerateDataWarning
        If the interval says nothing, as where all replicates are equal.

    Notes
    -----
    Rows are put in order in ranges, as by `evaluate`, and kept by the workers in a byte each.
    About 1.3 ns a row and replicate on one core; a window of 4,096 rows that two ranges share is
    drawn twice. Tasks return 24 bytes a replicate, added up in trees. With 200 rows or more to a
    distinct score and class the table comes here, and is resampled by cells, as in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([1, 0, 1, 1, 0, 0, 1, 0], chunks=3)
    >>> y_score = da.from_array([0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15], chunks=3)
    >>> fmd.bootstrap(y_true, y_score, n_resamples=999, rng=1)["roc_auc"].estimate
    0.65625
    """
    if resampling == "bayesian" or method == "studentized":
        given = "resampling" if resampling == "bayesian" else "method"
        raise InputError(
            f"`{given}={resampling if resampling == 'bayesian' else method!r}` needs the rows in "
            "memory: `fastmetrics.bootstrap`"
        )
    options = checked_options(
        metrics=metrics,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        method=method,
        alternative=alternative,
        stratified=False,
        groups=None,
        resampling=resampling,
        rng=rng,
        n_threads=None,
        progress=False,
        weights_are=weights_are if weights_are == "frequencies" else None,
    )
    size = check_integer("range_scores", range_scores, low=1)
    instead = "fastmetrics.bootstrap(y_true, y_score, sample_weight=...)"
    parts = counted_parts(y_true, y_score, sample_weight, weights_are, instead)
    if all(isinstance(one.plan, CountPlan) for one in options.asked):
        matrix = matrix_of(parts, pos_label, threshold)
        return resampled(matrix, None, options)
    _check_pairs(options.asked)
    runs = Ranges(parts, pos_label=pos_label, range_scores=size)
    n = int(runs.n_positive) + int(runs.n_negative)
    if _has_few_cells(runs, n):
        return resampled(runs.table(), None, options)
    return _of_pairs(runs, n, options)


def _check_pairs(asked: Sequence[Planned]) -> None:
    for one in asked:
        plan = one.plan
        if not (isinstance(plan, ThresholdPlan) and plan.pairs and plan.slope == 1.0):
            raise InputError(
                f"`metrics` names {one.label!r}: 'roc_auc' and 'rank_loss' are drawn in ranges, or "
                "measures of decisions alone: `fastmetrics.bootstrap` of "
                "`fastmetrics.dask.score_table(...)` has the others, of the same replicates"
            )


def _has_few_cells(runs: Ranges, n: int) -> bool:
    """Return whether there are so few distinct scores and classes that memory resamples cells."""
    if n <= ROWS_OF_A_CELL * np.count_nonzero(runs.counts[1:]):
        return False
    n_cells = 0
    for task in runs.over_ranges(_n_cells):  # mostly the first has more than few
        n_cells += computed(task)
        if n <= ROWS_OF_A_CELL * n_cells:
            return False
    return True


def _n_cells(table: ScoreTable, here: Range) -> int:
    return int(np.count_nonzero(table.positives) + np.count_nonzero(table.negatives))


# --- replicates ----------------------------------------------------------------------------------


def _of_pairs(runs: Ranges, n: int, options: Options) -> BootstrapResults:
    form = _Ranges(n_rows=n, n_units=n)
    draws = options.draws(form)
    if runs.n_positive and runs.n_negative:
        rows = dask.persist(*runs.over_ranges(_rows))
        counts = _pairs(runs, computed([each[1] for each in rows]))
        firsts = [each[0] for each in rows]
        drawn = _replicates(runs, firsts, draws, options.n_resamples)
        acceleration = (
            math.nan if options.method not in (None, "bca") else _acceleration(runs, counts)
        )
    else:
        warn_user(ONE_CLASS, UndefinedMetricWarning)
        counts = runs.pairs()
        drawn, acceleration = np.zeros((3, options.n_resamples)), math.nan
    part = _part(drawn.astype(np.float64))
    lost = ~((part.n_positive > 0) & (part.n_negative > 0))
    remedy = WEIGH if options.resampling != "multinomial" else STRATIFY
    results = {}
    for one in options.asked:
        is_loss = isinstance(one.plan, ThresholdPlan) and one.plan.name == "rank_loss"
        with np.errstate(divide="ignore", invalid="ignore"):
            values = one.plan.values(part)
        method = options.method or default_method(form, one)
        results[one.label] = result_of(
            one,
            float(counts.rank_loss if is_loss else counts.auc),
            values,
            options,
            failures=Failures.of(values, lost, otherwise=one.plan.undefined_where, remedy=remedy),
            size=form.effective_size(),
            n_groups=None,
            method=method,
            is_default=options.method is None,
            acceleration=-acceleration if is_loss else acceleration,
        )
    return BootstrapResults(results)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Ranges(Form):
    """Rows that no process has: their number, of which draws follow."""

    def whole(self, needs: Needs) -> Yield:
        raise InputTypeError("rows are needed")

    def batch_size(self) -> int:
        return 1


def _part(drawn: NDArray[np.float64]) -> Part:
    """Return what plans take, of positives, negatives and twice the pairs of each replicate."""
    positives, negatives, twice = drawn
    none = np.empty((len(twice), 0))
    total = positives + negatives
    return Part(
        *(total, positives, negatives, twice, none, none, none, none, none, total),
        score_at=lambda places: places,
    )


def _pairs(runs: Ranges, inside: Sequence[int]) -> PairCounts:
    """Return the pairs of all rows from twice those inside each range."""
    m, n = int(runs.n_positive), int(runs.n_negative)
    below = (n - each.above[1] - each.inside[1] for each in runs.ranges)
    across = sum(2 * here.inside[0] * rest for here, rest in zip(runs.ranges, below, strict=True))
    return PairCounts.of(m, n, sum(inside) + across)


def _replicates(runs: Ranges, rows: Sequence[Delayed], draws: Draws, n_resamples: int) -> Ints:
    """Return positives, negatives and twice the pairs of each replicate: (3, n_resamples)."""
    windows = [_windows(each) for each in runs.ranges]
    size = max(1, min(_TOTALS // draws.n_windows, -(-n_resamples // _BATCHES)))
    totals_of, call = delayed(_totals, nout=len(windows)), delayed(_pairs_of_range)
    pairs = 2 * int(runs.n_positive) * int(runs.n_negative)
    kind = np.dtype(np.int64 if pairs < _INT64 else object)
    batches: list[Delayed] = []
    for first in range(0, n_resamples, size):
        count = min(size, n_resamples - first)
        totals = totals_of(draws, first, count, windows)
        states = [
            call(each, here, draws.key, draws.n_units, totals[i], first, kind)
            for i, (each, here) in enumerate(zip(rows, runs.ranges, strict=True))
        ]
        batches.append(summed(states, _beside))
    return np.concatenate(computed(batches), axis=1)


def _windows(here: Range) -> tuple[int, int]:
    """Return the first window that a range meets, and the one after the last."""
    start = int(sum(here.above))
    return start // WINDOW, -(-(start + int(sum(here.inside))) // WINDOW)


def _rows(table: ScoreTable, here: Range) -> tuple[SortedRows, int]:
    """Return the rows of a range, after as many others as stand before them in its first window.

    And twice the concordant pairs among them.
    """
    twice = int(pairs_of_weights(table.positives, table.negatives).twice_concordant)
    before = int(sum(here.above)) % WINDOW
    if before:
        top = table.scores[:1]  # its value does not matter: these rows are never counted
        table = ScoreTable._of_columns(
            np.concatenate([top, table.scores]),
            np.append(np.int64(0), table.positives),
            np.append(np.int64(before), table.negatives),
        )
    rows = rows_of_table(table)
    return replace(rows, ends=rows.ends[:0], distinct=rows.distinct[:0]), twice  # all that it takes


def _totals(draws: Draws, first: int, count: int, windows: Sequence[tuple[int, int]]) -> list[Ints]:
    """Return how many draws fall into each window of each range, (count, windows) each."""
    totals = Draws(draws.key, draws.n_units, draws.resampling).totals(first, count)
    return [totals[:, start:stop].astype(np.int32) for start, stop in windows]


def _pairs_of_range(
    rows: SortedRows,
    here: Range,
    key: NDArray[np.uint64],
    n_rows: int,
    totals: Ints,
    first: int,
    kind: np.dtype[Any],
) -> Ints:
    """Return what the rows of a range yield in each replicate: (3, replicates)."""
    before, start = int(sum(here.above)) % WINDOW, _windows(here)[0]
    found = np.zeros((len(totals), 4), np.int64)
    size = max(1, BATCH_BYTES // (_WINDOWS * WINDOW))
    out = Yield.empty(0, Needs())
    for r in range(0, len(totals), size):
        some = np.ascontiguousarray(totals[r : r + size], dtype=np.int64)
        for at in range(0, some.shape[1], _WINDOWS):
            windows = np.arange(at, min(at + _WINDOWS, some.shape[1]))
            row, stop = at * WINDOW, min(len(rows.masks), (at + len(windows)) * WINDOW)
            drawn = np.empty((len(some), len(windows) * WINDOW), np.uint8)
            chosen = np.ascontiguousarray(some[:, windows])
            kernels.draw_windows(key, first + r, start + windows, chosen, n_rows, drawn)
            counts = np.ascontiguousarray(drawn[:, : stop - row])
            counts[:, : max(before - row, 0)] = 0  # rows of the range above, and of that below
            counts[:, max(rows.n - row, 0) :] = 0
            pairs_and_sums(rows, None, counts, row, found[r : r + size], out)
    return np.ascontiguousarray(found[:, :3].T).astype(kind)


def _beside(above: Ints, below: Ints) -> Ints:
    """Return what two neighbouring ranges yield together."""
    total = above + below
    total[2] += 2 * above[0] * below[1]
    return total


# --- the acceleration of BCa ---------------------------------------------------------------------


def _acceleration(runs: Ranges, counts: PairCounts) -> float:
    """Return the acceleration of the AUC, from its values without each row; nan if all are equal.

    Without a positive that wins v of the W pairs the AUC is (W - v) / ((m - 1) n): it differs from
    the AUC by (W / m - v) / ((m - 1) n), and in the mean by nothing; so do negatives.
    """
    squares, cubes = computed(summed(runs.over_ranges(_central_sums, counts)))
    return float(-cubes / (6.0 * squares**1.5)) if squares > 0 else math.nan


def _central_sums(table: ScoreTable, here: Range, counts: PairCounts) -> NDArray[np.float64]:
    """Return the sums of squares and of cubes of these differences, over the rows of a range."""
    m, n = int(counts.n_positive), int(counts.n_negative)
    sums = np.zeros(2)
    above_p = here.above[0] + table.true_positives - table.positives / 2.0
    below_n = n - here.above[1] - table.false_positives + table.negatives / 2.0
    for wins, rows, own, other in (
        (below_n, table.positives, m, n),
        (above_p, table.negatives, n, m),
    ):
        if own > 1:
            differences = (counts.twice_concordant / (2 * own) - wins) / (float(own - 1) * other)
            sums += (rows * differences**2).sum(), (rows * differences**3).sum()
    return sums
