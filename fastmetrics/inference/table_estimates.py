"""Estimates of tables that come alone: counts of scores or labels, runs, bins."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import Alternative
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import at_most, run
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
)
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import (
    Measurement,
    TablePoints,
    is_curve_metric,
    measure_block,
    measure_largest_gap,
)
from fastmetrics.inference.range_summary import RangeSummary, summarize_range
from fastmetrics.inference.samples import (
    cell_influences,
    check_counts,
    two_class_counts,
)
from fastmetrics.inference.units import Floats, Units, Variance
from fastmetrics.metrics._metric import LARGEST_GAP
from fastmetrics.metrics.asking import MetricRequest
from fastmetrics.metrics.curves.influences import curve_influences
from fastmetrics.metrics.registry import LOSSES
from fastmetrics.tables.bin_bounds import Bracket, Bracketed, precision_bracket
from fastmetrics.tables.confusion._label_counts import Cells
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.score_runs import RunRange, ScoreRuns, range_table
from fastmetrics.tables.score_table import PIECE_ROWS, ScoreTable

AnyTable = ScoreTable | ConfusionMatrix | ScoreRuns | Bracketed
TABLES: Final = (ScoreTable, ConfusionMatrix, ScoreRuns, Bracketed)


def ranges_have(one: MetricRequest) -> bool:
    """Return True if a metric follows from sums over ranges of scores."""
    is_other = one.entry.name in LOSSES or one.entry.interval == LARGEST_GAP
    return one.is_of_bins or (is_other and not one.parameters)


def _table_has(one: MetricRequest) -> bool:
    """Return True if a metric follows from a table of scores."""
    metric = one.entry
    is_of_two = "probabilities" in (metric.family, metric.needs) and metric.classes != 3
    return is_of_two or is_curve_metric(one)


#: Contents of each kind of table, and the test whether a metric follows from them.
_HAS: Final[dict[Any, tuple[str, Callable[[MetricRequest], bool]]]] = {
    ScoreRuns: ("sums over ranges of scores", ranges_have),
    Bracketed: ("counts of bins", lambda one: one.is_of_bins),
    ScoreTable: ("scores and counts", _table_has),
    ConfusionMatrix: ("counts of labels", lambda one: one.entry.needs == "labels"),
}


def estimate_table(
    requests: tuple[MetricRequest, ...],
    table: AnyTable,
    y_score: Any,
    level: float,
    method: str | None,
    alternative: Alternative,
    options: dict[str, Any],
) -> dict[str, Estimate]:
    """Estimate metrics of a table; raise if other data come with it."""
    rows = ("sample_weight", "event", "query", "groups", "strata", "pos_label", "threshold")
    given = [name for name in rows if options[name] is not None]
    if y_score is not None:
        given.insert(0, "y_score")
    if given:
        raise InputTypeError(
            f"a {type(table).__name__} comes alone: pass no `{'`, `'.join(given)}` with it"
        )
    rule = (level, method, alternative)
    has, is_there = next(of for kind, of in _HAS.items() if isinstance(table, kind))
    for one in requests:
        if not is_there(one):
            raise InputError(f"`{one.label}` needs rows: a {type(table).__name__} has {has} alone")
    if isinstance(table, ScoreRuns):
        summary = summarize_runs(table)
        return {one.label: estimate_from_summary(one, summary, *rule) for one in requests}
    if isinstance(table, Bracketed):
        bins = _BinPoints(table)
        return {one.label: bins.estimate(one, *rule) for one in requests}
    measured: Callable[[MetricRequest], Measurement]
    if isinstance(table, ScoreTable):
        check_counts(table, table.is_weighted)
        measured = TablePoints(table, all(one.is_auc for one in requests)).measure_alone
    else:
        cells = Cells.of(table).counts
        check_counts(table, cells.dtype.kind == "f")
        measured = partial(_measure_matrix, counts=cells.astype(np.float64))
    return {one.label: make_estimate(one, measured(one), 0, *rule) for one in requests}


def _measure_matrix(one: MetricRequest, counts: Floats) -> Measurement:
    """Measure a metric of a confusion matrix of counts; its points are the cells."""
    value, slopes = cell_influences(one, counts)
    k = len(counts)
    strata = np.repeat(np.arange(k), k) if one.entry.is_free_of_prevalence else None
    units = Units(k * k, counts.ravel(), strata=strata)
    decided = (two_class_counts(one, counts),)
    return Measurement((value,), slopes[None, :], units, decided, float(counts.sum()))


def summarize_runs(
    runs: ScoreRuns, *, progress: Callable[[float], None] | None = None, n_cells: int = 0
) -> RangeSummary:
    """Summarize all rows of runs; threads work on separate ranges.

    ``progress`` is called with the fraction of rows that is done. ``n_cells`` requests about that
    many cells for lookups, at most twice as many; lookups are exact if there are few scores.
    """
    rows, ranges, at_once = runs._ranges()
    n_pieces = len(ranges) + rows.size // PIECE_ROWS
    cut = (n_cells, n_cells // n_pieces) if n_cells and n_pieces else None
    counted = [(where, rows.count_rows(where)) for where in ranges]
    ranges = [where for where, counts in counted if any(counts)]
    sizes = np.array([(0, 0), *(counts for _, counts in counted if any(counts))], np.int64)
    above = [(tp, fp) for tp, fp in sizes.cumsum(axis=0).tolist()]
    m, n = above[-1]
    done = 0
    with_losses = True

    def summarize(where: RunRange, tp: int, fp: int) -> RangeSummary:
        nonlocal done
        summary = summarize_range(range_table(rows, where), tp, fp, m, n, cut, with_losses)
        done += int(summary.positives + summary.negatives)  # a race only spoils the progress bar
        if progress is not None:
            progress(done / (m + n))
        return summary

    jobs = [partial(summarize, each, *at) for each, at in zip(ranges, above, strict=False)]
    if not jobs:
        return RangeSummary(0, 0)
    with at_most(at_once):
        outer = run(jobs[:1] + jobs[1:][-1:])
        with_losses = all(len(block.moments) > 2 for each in outer for block in each.blocks)
        summary = sum(outer + run(jobs[1:-1]), RangeSummary(m, n))
    tables = (lambda k: range_table(rows, ranges[k])) if m and n else None
    return replace(summary, tables=tables)


def estimate_from_summary(
    one: MetricRequest,
    summary: RangeSummary,
    level: float,
    method: str | None = None,
    alternative: Alternative = "two-sided",
) -> Estimate:
    """Estimate a metric from the summary of all ranges of scores."""
    summary.check_whole()
    m, n = summary.n_positive, summary.n_negative
    name = one.entry.name
    if one.entry.interval == LARGEST_GAP and m and n:
        if summary.rates is None:
            raise InputError(f"`{name}` needs the ranges themselves: there are sums alone")
        measured = measure_largest_gap(summary.rates)
        return make_estimate(one, measured, 0, level, method, alternative)
    if name in LOSSES and name not in summary.metrics:
        raise InputError(f"`y_score` must lie in [0, 1], and not all at its ends, for `{name}`")
    if name in LOSSES or (m and n):
        measured = measure_block(one, summary.value(name), summary.joined)
    else:
        units = Units(2, np.array([n, m]), strata=np.array([0, 1]))
        undefined = (Variance(math.nan, math.nan),)
        measured = Measurement((math.nan,), (), units, (None,), float(m + n), variances=undefined)
    return make_estimate(one, measured, 0, level, method, alternative)


class DecisionCounts:
    """Rows of either class that each set of models calls positive, which add up batch by batch.

    Metrics of labels follow from them, of all models at once.
    """

    def __init__(self, n_models: int) -> None:
        self._n_models = n_models
        #: By the class of a row, 1 being positive, and twice the decisions as binary digits.
        self._counts = np.zeros(2 << n_models)

    def add(
        self,
        is_positive: NDArray[np.bool_],
        decisions: Sequence[NDArray[np.bool_]],
        frequencies: NDArray[np.float64] | None = None,
    ) -> None:
        """Add rows with the decision of each model, each row as often as its frequency."""
        cells = is_positive.astype(np.int64)
        for k, decision in enumerate(decisions):
            cells += decision.astype(np.int64) << (k + 1)
        self._counts += np.bincount(cells, frequencies, len(self._counts))

    def measure(self, one: MetricRequest) -> Measurement:
        """Compute a metric of each model; the points are the cells with rows."""
        cells = np.flatnonzero(self._counts)
        rows = self._counts[cells]
        classes = cells & 1
        values: list[float] = []
        influences: list[Floats] = []
        counts: list[Floats | None] = []
        for k in range(self._n_models):
            decided = 2 * classes + (cells >> (k + 1) & 1)
            matrix = np.bincount(decided, rows, 4).reshape(2, 2).astype(np.float64)
            value, slopes = cell_influences(one, matrix)
            values.append(value)
            influences.append(slopes[decided])
            counts.append(two_class_counts(one, matrix))
        strata = classes if one.entry.is_by_class(one.parameters) else None
        units = Units(len(cells), rows, strata=strata)
        return Measurement(tuple(values), influences, units, tuple(counts), units.n_rows)


class _BinPoints:
    """Points of nonempty bins, positives first; a bin is open if its order is unknown."""

    def __init__(self, table: Bracketed) -> None:
        self.columns = table._columns()
        check_counts(table, self.columns.n_roundings is not None)
        p, n, is_sure, _ = self.columns
        self.is_positive = np.repeat([True, False], len(p))
        self.counts = np.concatenate([p, n])
        self.is_open = np.asarray(~is_sure & (p > 0) & (n > 0))

    def estimate(
        self, one: MetricRequest, level: float, method: str | None, alternative: Alternative
    ) -> Estimate:
        """Estimate a metric with limits that hold for any order of rows within bins."""
        units = self._units(one)
        units.warn_small_samples(None)
        worst, best = (self._measure(one, units, is_best) for is_best in (False, True))
        if not (self.is_open.any() and all(self.columns.totals)):
            return make_estimate(one, best, 0, level, method, alternative)
        variance = self._widest(one, worst, best)
        with warnings.catch_warnings():  # of a value at the end of its scale, and limit
            warnings.simplefilter("ignore", DegenerateDataWarning)
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            rule = level, method, alternative
            ends = [make_estimate(one, each, 0, *rule, variance=variance) for each in (worst, best)]
        return _around(ends, one.entry.bounds)

    def _widest(self, one: MetricRequest, worst: Measurement, best: Measurement) -> Variance:
        """Bound the variance over all orders; df are the fewest of the worst, best and middle one.

        The influence of a row lies between those of the worst and the best order, at most half of
        their distance from the middle; the norm of a sum is at most the sum of norms.
        """
        units = worst.units
        both = worst.influences[0], best.influences[0]
        halfway = (both[0] + both[1]) / 2.0
        # Influences are centred at the value, which differs; average precision centres positives.
        gap = abs(best.values[0] - worst.values[0])
        sizes = np.where(self.is_positive, *self.columns.totals)
        centred = self.is_positive | (one.entry.linear_in_auc is not None)
        off = (np.abs(both[1] - both[0]) + np.where(centred, gap / sizes, 0.0)) / 2.0
        squares = self.counts * off * off * (units.n_units / max(units.n_units - 1, 1))
        most = math.sqrt(float(squares.sum()))
        variances = [units.variance(each) for each in (halfway, *both)]
        df = min((each.df for each in variances if each.df > 0.0), default=math.nan)
        return Variance((variances[0].standard_error + most) ** 2, df)

    def _measure(self, one: MetricRequest, units: Units, is_best: bool) -> Measurement:
        """Measure a metric for the best, or the worst, order of rows within all bins."""
        p, n, _, _ = self.columns
        first, second = np.zeros((2, 2, len(p)), np.int64)  # the higher and lower half of a bin
        first[:] = p, n
        held = 1 if is_best else 0
        second[held, self.is_open] = first[held, self.is_open]
        first[held, self.is_open] = 0
        rows = np.stack([first, second], axis=2).reshape(2, -1)
        kept = rows.any(axis=0)
        index = np.cumsum(kept) - 1
        p_rows, n_rows = (np.ascontiguousarray(column[kept]) for column in rows)
        table = ScoreTable._from_columns(np.arange(len(p_rows), 0, -1.0), p_rows, n_rows)
        curve = curve_influences(table, one.entry.load_influences())
        at = 2 * np.arange(len(p))
        chosen = [index[at + (self.is_open & (held == code))] for code in (0, 1)]
        influences = np.concatenate([curve.positives[chosen[0]], curve.negatives[chosen[1]]])
        value = curve.value
        if one.entry.is_area_of_precision and self.is_open.any():
            limits = precision_bracket(self.columns)
            value = limits.high if is_best else limits.low
        size = float(sum(self.columns.totals))
        return Measurement((value,), influences[None, :], units, (None,), size)

    def _units(self, one: MetricRequest) -> Units:
        strata = self.is_positive.astype(np.int64) if one.entry.is_free_of_prevalence else None
        return Units(len(self.counts), self.counts, strata=strata)


def _around(both: list[Estimate], bounds: tuple[float, float]) -> Estimate:
    """Combine the estimates of both extreme orders into one that holds for all orders."""
    bracket = Bracket(*sorted(each.estimate for each in both))
    sides = zip(*(each.confidence_interval for each in both), strict=True)
    low, high = (
        pick(bound if math.isnan(each) else each for each in side)
        for pick, side, bound in zip((min, max), sides, bounds, strict=True)
    )
    methods = ", ".join(dict.fromkeys(each.method for each in both))
    return replace(
        both[0],
        estimate=bracket.midpoint,
        confidence_interval=ConfidenceInterval(low, high),
        method=f"{methods}; of any order in bins",
        note=f"the value lies between {bracket.low:.6g} and {bracket.high:.6g}: bins have no order",
        details=bracket,
    )
