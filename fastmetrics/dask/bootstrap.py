"""``bootstrap`` on Dask: the replicates of memory, drawn range by range of the sorted rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import dask
import numpy as np
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative, WeightsAre, check_integer
from fastmetrics.dask._families import matrix_of_second
from fastmetrics.dask._partitions import COLUMNS, COUNTED, computed, partitions, summed
from fastmetrics.dask._ranges import RANGE_SCORES, Range, Ranges
from fastmetrics.dask._replicates import lines_of_data, replicates, rows_of_groups, rows_of_range
from fastmetrics.dask.scores import counted_parts
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference._sample_sizes import Sizes, effective_of_sizes, warn_of_few_groups
from fastmetrics.inference.bootstrap._draws import Needs, Resampling, Yield
from fastmetrics.inference.bootstrap._engine import STRATIFY, WEIGH, Failures, placed
from fastmetrics.inference.bootstrap._forms import Form
from fastmetrics.inference.bootstrap._limits import Method
from fastmetrics.inference.bootstrap._parse import Given
from fastmetrics.inference.bootstrap._plans import RESAMPLED, CountPlan
from fastmetrics.inference.bootstrap._rows import ROWS_OF_A_CELL
from fastmetrics.inference.bootstrap._threshold_plans import ThresholdPlan
from fastmetrics.inference.bootstrap.bootstrap import (
    Options,
    checked_options,
    parsed,
    resampled,
    result_of,
)
from fastmetrics.inference.estimate_result import Estimates
from fastmetrics.measures.asking import MetricsLike
from fastmetrics.tables.scores.pairs import PairCounts
from fastmetrics.tables.scores.score_table import ScoreTable


@documented(COUNTED, COLUMNS, RESAMPLED)
def bootstrap(
    y_true: Any,
    y_score: Any = None,
    *,
    metrics: MetricsLike = "roc_auc",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    method: Method | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    weights_are: WeightsAre = "importances",
    resampling: Resampling = "multinomial",
    threshold: float | None = None,
    pos_label: Any = None,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    range_scores: int = RANGE_SCORES,
) -> Estimates:
    """Compute bootstrap confidence intervals of measures of curves, or of decisions.

    Parameters
    ----------
    y_score : Dask column of shape (n,), or list of delayed partitions, optional
        Scores, in the same partitions; predicted labels for measures of decisions without
        `threshold`.
    metrics : str, (str, dict), or a sequence or mapping of them, default="roc_auc"
        Measures of the ROC and the precision-recall curve (`roc_auc`, `average_precision`,
        `ks_statistic`, `best_threshold`, ...); or measures of decisions, which follow from one
        matrix.
    method : {"percentile", "basic", "bca"}, optional
        Which interval; None takes "bca" for the AUC, what is a line of it, and decisions, and
        "percentile" for others, and where a correction is infinite.
    groups : Dask column of shape (n,), or list of delayed partitions, optional
        Group of each row (user, patient): whole groups are drawn. Without weights, and of measures
        of curves.
    resampling : {"multinomial", "poisson"}, default="multinomial"
        Rows with replacement, or each a Poisson number of times.

    Returns
    -------
    Estimates
        Replicates are those of `fastmetrics.bootstrap` with the same `rng`, to the bit, whatever
        the partitions; partial areas, and `pr_auc`, up to the rounding of sums. So are estimates of
        other measures than the AUC, and limits by "bca".

    Raises
    ------
    ValueError
        For measures that are neither, "bca" of others than the AUC, and importances.
        `fastmetrics.bootstrap` of `score_table(...)` has them, and draws by class; importances,
        and groups with weights or decisions, need rows in memory.

    Notes
    -----
    Rows are put in order in ranges, as by `evaluate`, and kept by the workers in a byte each.
    About 1.3 ns a row and replicate on one core; a window of 4,096 rows that two ranges share is
    drawn twice. Tasks return 24 bytes a replicate, added up in trees. Measures other than the AUC
    draw all rows a second time, and keep a byte more of each (for thresholds the score too): one
    range after the other, several batches of replicates at a time. Of groups each task gets how
    often every one is drawn, a byte a group and replicate, and keeps 4 bytes a row. With 200 rows
    or more to a distinct score and class the table comes here, and is resampled by cells, as in
    memory.

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
    read = weights_are if weights_are == "frequencies" else None
    options = checked_options(
        Given(y_true, groups=groups, weights_are=read),
        metrics=metrics,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        method=method,
        alternative=alternative,
        stratified=False,
        resampling=resampling,
        rng=rng,
        progress=False,
    )
    size = check_integer("range_scores", range_scores, low=1)
    if groups is not None:
        return _of_groups(y_true, y_score, sample_weight, groups, pos_label, size, options)
    instead = "fastmetrics.bootstrap(y_true, y_score, sample_weight=...)"
    parts = counted_parts(y_true, y_score, sample_weight, weights_are, instead)
    if all(isinstance(one.plan, CountPlan) for one in options.asked):
        return resampled(
            parsed(Given(matrix_of_second(parts, pos_label, threshold)), options), options
        )
    _check_lines(options)
    runs = Ranges(parts, pos_label=pos_label, range_scores=size)
    n = int(runs.n_positive) + int(runs.n_negative)
    if _has_few_cells(runs, n):
        return resampled(parsed(Given(runs.table()), options), options)
    return _of_ranges(runs, n, options)


def _of_groups(
    y_true: Any,
    y_score: Any,
    sample_weight: Any,
    groups: Any,
    pos_label: Any,
    size: int,
    options: Options,
) -> Estimates:
    if y_score is None or sample_weight is not None:
        raise InputError(
            "`groups` are drawn of columns of labels and scores without weights: of others "
            "`fastmetrics.bootstrap(y_true, y_score, groups=...)` of rows in memory"
        )
    _check_lines(options, by_group=True)
    columns = {"y_true": y_true, "y_score": y_score, "sample_weight": None, "groups": groups}
    runs = Ranges(partitions(**columns), pos_label=pos_label, range_scores=size, by_group=True)
    if len(runs.group_sizes) < 2:
        raise InputError("`groups` must name at least two groups: got one, of which all rows are")
    return _of_ranges(runs, int(runs.n_positive) + int(runs.n_negative), options)


def _check_lines(options: Options, by_group: bool = False) -> None:
    """Raise for what is not drawn in ranges, before any work."""
    for one in options.asked:
        if not isinstance(one.plan, ThresholdPlan):
            raise InputError(
                f"`metrics` names {one.label!r}: measures of curves are drawn in ranges, or "
                "measures of decisions alone: `fastmetrics.bootstrap` of "
                "`fastmetrics.dask.score_table(...)` has the others, of the same replicates"
            )
        if options.method == "bca" and by_group:
            raise InputError(
                f"`method='bca'` is not defined for {one.label!r} with groups: take "
                "`method='percentile'`"
            )
        if options.method == "bca" and not one.plan.has_error:
            raise InputError(
                f"`method='bca'` needs {one.label!r} without each row in turn: take "
                "`method='percentile'`, or `fastmetrics.bootstrap` of "
                "`fastmetrics.dask.score_table(...)`"
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


def _of_ranges(runs: Ranges, n: int, options: Options) -> Estimates:
    n_groups = len(runs.group_sizes)
    form = _Ranges(n_rows=n, n_units=n_groups or n)
    effective = effective_of_sizes(runs.group_sizes) if n_groups else None
    warn_of_few_groups(effective, n_groups)
    places, needs = placed(options.asked)
    has_pairs = any(one.plan.lines == () for one in options.asked)
    lines = np.zeros((options.n_resamples, len(needs.lines), 5))
    counts, of_data, acceleration = None, lines[:1], math.nan
    drawn: NDArray[Any] = np.zeros((3, options.n_resamples))
    if runs.n_positive and runs.n_negative:
        rows = dask.persist(
            *runs.over_groups(rows_of_groups, needs)
            if n_groups
            else runs.over_ranges(rows_of_range, needs)
        )
        counts = _pairs(runs, computed([each.twice for each in rows]))
        drawn, lines = replicates(runs, rows, options.draws(form), needs, options.n_resamples)
        if needs.lines:
            of_data = lines_of_data(runs, rows, needs)
        if options.method in (None, "bca") and has_pairs and not n_groups:
            acceleration = _acceleration(runs, counts)
    m, n_negative = float(runs.n_positive), float(runs.n_negative)
    of_all = np.array([[m], [n_negative], [0.0 if counts is None else counts.twice_concordant]])
    remedy = WEIGH if options.resampling != "multinomial" or n_groups else STRATIFY
    results = {}
    for one, place in zip(options.asked, places, strict=True):
        plan = cast(ThresholdPlan, one.plan)
        part = _part(drawn.astype(np.float64), lines[:, place.lines])
        lost = ~((part.n_positive > 0) & (part.n_negative > 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            values = plan.values(part)
            if counts is None:  # what memory says of one class, where all scores might be one
                one_class = [0.0], [runs.n_positive], [runs.n_negative]
                estimate = float(plan.of_table(ScoreTable.from_counts(*one_class)))
            elif plan.has_error:
                estimate = _of_pairs(plan, counts)
            else:
                estimate = float(plan.values(_part(of_all, of_data[:, place.lines]))[0])
        results[one.label] = result_of(
            one,
            estimate,
            values,
            options,
            failures=Failures.of(values, lost, otherwise=plan.undefined_where, remedy=remedy),
            sizes=Sizes(float(n), float(n), n_groups or None, effective),
            method=options.method or ("bca" if plan.has_error and not n_groups else "percentile"),
            is_default=options.method is None,
            acceleration=-acceleration if plan.name == "rank_loss" else acceleration,
        )
    return Estimates(results)


def _of_pairs(plan: ThresholdPlan, counts: PairCounts) -> float:
    if plan.name == "rank_loss":
        return counts.rank_loss
    if plan.slope == 1.0:
        return counts.auc
    won = counts.twice_concordant - counts.twice_discordant
    return float(won / (2 * counts.n_positive * counts.n_negative))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Ranges(Form):
    """Rows that no process has: their number, of which draws follow."""

    def whole(self, needs: Needs) -> Yield:
        raise InputTypeError("rows are needed")

    def batch_size(self) -> int:
        return 1


def _part(drawn: NDArray[np.float64], lines: NDArray[np.float64]) -> Yield:
    """Return what plans take, of positives, negatives and twice the pairs of each replicate."""
    positives, negatives, twice = drawn
    none = np.empty((len(twice), 0))
    return Yield(
        *(positives + negatives, positives, negatives, twice, lines[..., :4], none, none, none),
        score_at=lambda places: lines[:, 0, 4],
    )


def _pairs(runs: Ranges, inside: Sequence[int]) -> PairCounts:
    """Return the pairs of all rows from twice those inside each range."""
    m, n = int(runs.n_positive), int(runs.n_negative)
    below = (n - each.above[1] - each.inside[1] for each in runs.ranges)
    across = sum(2 * here.inside[0] * rest for here, rest in zip(runs.ranges, below, strict=True))
    return PairCounts.of(m, n, sum(inside) + across)


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
