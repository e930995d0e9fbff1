"""Measurements: a metric of several models, influences of their points, and sampling units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from fastmetrics.inference.range_summary import RowBlock, range_variance, sum_influences
from fastmetrics.inference.rates import Rates
from fastmetrics.inference.units import ROUNDING, Floats, Reference, SamplesAre, Units, Variance
from fastmetrics.metrics._metric import LARGEST_GAP, RowInfluences
from fastmetrics.metrics.asking import MetricRequest
from fastmetrics.metrics.curves.influences import curve_influences
from fastmetrics.metrics.curves.precision_recall import average_precision_of_table
from fastmetrics.metrics.registry import OF_RANGES
from fastmetrics.tables.pairs import pairs_of_weights
from fastmetrics.tables.score_table import ScoreTable


class Measurement(NamedTuple):
    """A metric of K models, the influences of their points, and the sampling units.

    Attributes
    ----------
    influences : sequence of K ndarrays of float64, shape (n_points,)
    counts : tuple of K ndarrays of shape (2, 2), or None
        Confusion matrix of independent rows of two classes, the positive one last. Of other
        proportions of rows or queries, the numbers of successes and failures.
    rates : tuple of K Rates, or of none
        Both rates at each score, for metrics whose limits need them.
    variances : tuple of K Variance, or of none
        The variance of each value, where influences are summed and not kept.
    row_variances : tuple of K Variance, or of none
        The variance if rows were independent, where points are whole groups.
    linear_in_auc : (float, float) or None
        Factor and shift of a metric that is linear in the AUC here; its units are by class.
    """

    values: tuple[float, ...]
    influences: Floats | Sequence[Floats]
    units: Units
    counts: tuple[Floats | None, ...]
    n_samples: float
    samples_are: SamplesAre = "rows"
    rates: tuple[Rates, ...] = ()
    variances: tuple[Variance, ...] = ()
    row_variances: tuple[Variance, ...] = ()
    linear_in_auc: tuple[float, float] | None = None
    note: str = ""

    def variance(self, one: MetricRequest, model: int) -> Variance:
        """Compute the variance of a model's metric; means of queries have those of a mean."""
        if self.variances:
            return self.variances[model]
        return self.units.variance(self.influences[model], self._reference(one))

    def with_variances(self, one: MetricRequest, sums: Sequence[Floats]) -> Measurement:
        """Return the measurement with variances from `Units.product_sums` of each model."""
        reference = self._reference(one)
        variances = tuple(self.units.variance_from_sums(each, reference) for each in sums)
        return (
            self
            if any(each.is_extreme for each in variances)
            else self._replace(variances=variances)
        )

    def _reference(self, one: MetricRequest) -> Reference:
        is_mean = one.entry.family == "ranking" and self.units.groups is None
        return "student" if is_mean else "contributions"

    def design_effect(self, model: int, variance: float) -> float | None:
        """Divide a variance by that of independent rows; None without groups."""
        if self.units.groups is None:
            return None
        plain = self.row_variance(model).value
        return variance / plain if plain > 0.0 else None

    def row_variance(self, model: int) -> Variance:
        """Compute the variance of a metric as if its rows were independent."""
        if self.row_variances:
            return self.row_variances[model]
        return self.units.without_groups.variance(self.influences[model])


def is_curve_metric(one: MetricRequest) -> bool:
    """Return True if a metric follows from the class counts at each score."""
    return one.entry.family in ("curves", "costs") and one.entry.needs == "scores"


def compute_influences(one: MetricRequest, *data: Any, **options: Any) -> RowInfluences:
    """Compute the requested metric and the influence of each row."""
    influences: RowInfluences = one.entry.load_influences()(*data, **options)
    return influences


def with_rates(measured: Measurement, tables: Iterable[ScoreTable], units: Units) -> Measurement:
    """Add rates to largest gaps and inflate their influences; strata of ``units`` are classes."""
    if not measured.values[0] >= 0.0:
        return measured
    sizes = units.class_sizes()
    rates = tuple(Rates.of_table(table, sizes) for table in tables)
    pairs = zip(rates, measured.influences, strict=True)
    influences = [rate.inflation() * values for rate, values in pairs]
    return measured._replace(rates=rates, influences=influences)


def measure_block(one: MetricRequest, value: float, whole: RowBlock) -> Measurement:
    """Return a metric of this value with the variance that sums of influences have."""
    factor, added = one.entry.linear_in_auc or (1.0, 0.0)
    name = OF_RANGES[0] if one.entry.linear_in_auc else one.entry.name
    variance = range_variance(name, value, whole)
    sizes = np.array(whole.sizes[::-1])
    units = Units(2, sizes, strata=np.array([0, 1]))
    variances = (Variance(factor * factor * variance.value, variance.df),)
    n = float(sizes.sum())
    return Measurement((factor * value + added,), (), units, (None,), n, variances=variances)


class TablePoints:
    """Points of a table: positives, then negatives at each score; ``is_of_auc``: of it alone."""

    def __init__(self, table: ScoreTable, is_of_auc: bool = False) -> None:
        self.table = table
        self._has_both = table.n_positive > 0 and table.n_negative > 0
        self._n_summed = 1 if is_of_auc else 2

    def measure(self, one: MetricRequest) -> Measurement:
        """Compute a metric of the table and the influences of its points."""
        if one.entry.interval == LARGEST_GAP and self._has_both:
            return measure_largest_gap(Rates.of_table(self.table))
        return self.at_scores(one)

    def measure_alone(self, one: MetricRequest) -> Measurement:
        """Compute a metric; without influences where their sums give its variance."""
        if one.is_of_bins and self._has_both:
            return measure_block(one, self._value(one), self._sums)
        return self.measure(one)

    @cached_property
    def _sums(self) -> RowBlock:
        return sum_influences(self.table, self._n_summed)

    def _value(self, one: MetricRequest) -> float:
        if one.entry.linear_in_auc is None:
            return average_precision_of_table(self.table)
        return pairs_of_weights(self.table.positives, self.table.negatives, self._sums.sizes).auc

    def at_scores(self, one: MetricRequest) -> Measurement:
        """Compute a metric; points are the rows of each class at each score."""
        metric = one.entry
        units = self._units_by_class if metric.is_by_class(one.parameters) else self._units
        if is_curve_metric(one):
            curve = curve_influences(self.table, metric.load_influences(), **one.parameters)
            influences = RowInfluences(curve.value, curve.joined())
        else:
            scores = self.table.scores
            metric.domain_under(one.parameters).check_predicted(scores, "y_score")
            by_class = self._units_by_class
            columns = by_class.strata, np.concatenate([scores] * 2), by_class.counts
            influences = compute_influences(one, metric.name, *columns, **one.parameters)
        n = float(self.table.n_positive + self.table.n_negative)
        measured = Measurement((influences.value,), [influences.influences], units, (None,), n)
        if metric.interval != LARGEST_GAP:
            return measured
        return with_rates(measured, [self.table], self._units_by_class)

    @cached_property
    def _units(self) -> Units:
        sizes = self._units_by_class.stratum_sizes.sum(keepdims=True)
        return replace(self._units_by_class, strata=None, sizes=sizes)

    @cached_property
    def _units_by_class(self) -> Units:
        table = self.table
        counts = np.concatenate([table.positives, table.negatives], dtype=np.float64)
        strata = np.repeat(np.array([1, 0], np.int64), len(table))
        sizes = np.array([table.n_negative, table.n_positive], np.float64)
        return Units(len(counts), counts, strata=strata, sizes=sizes)


def measure_largest_gap(rates: Rates) -> Measurement:
    """Return the largest gap; its four points are both classes above and below it."""
    gap = rates.gap
    m, n = rates.sizes
    is_above = np.array([1.0, 0.0])
    tpr, fpr = gap.true_positive_rate, gap.false_positive_rate
    tp, fp = round(tpr * m), round(fpr * n)
    counts = np.array([tp, m - tp, fp, n - fp])
    units = Units(4, counts, strata=np.array([1, 1, 0, 0]), sizes=np.array([n, m]))
    both = [(is_above - tpr) * (gap.sign / m), (fpr - is_above) * (gap.sign / n)]
    influences = [rates.inflation() * np.concatenate(both)]
    return Measurement((gap.statistic,), influences, units, (None,), m + n, rates=(rates,))


def measure_groups(
    measured: Measurement,
    sums: Floats,
    size: float,
    weights: Floats,
    variance: Variance,
    squares: Floats | None = None,
) -> Measurement:
    """Return a metric of one model whose points are groups, or their rows of each class.

    ``measured`` has units of the rows. By class and group, shape (2, n_groups): ``sums`` of
    influences, ``weights`` and their ``squares``, or numbers of rows. ``size`` is the sum of the
    sizes of influences, by which rounding is known; ``variance`` is that of independent rows.
    """
    units = measured.units
    is_by_class = units.strata is not None
    if not is_by_class:
        sums, weights = (each.sum(axis=0, keepdims=True) for each in (sums, weights))
        squares = None if squares is None else squares.sum(axis=0, keepdims=True)
    strata, groups = np.nonzero(weights)
    here = weights[strata, groups]
    influences = sums[strata, groups]
    influences[np.abs(influences) <= ROUNDING * size] = 0.0
    influences /= here
    units = replace(
        units,
        n_points=len(groups),
        counts=here if squares is None else None,
        weights=None if squares is None else here,
        groups=groups,
        strata=strata if is_by_class else None,
        squares=None if squares is None else squares[strata, groups],
    )
    return measured._replace(
        influences=influences[None, :], units=units, variances=(), row_variances=(variance,)
    )


def join_models(models: Sequence[Measurement]) -> Measurement:
    """Return the values of several models, of which each has been measured alone."""
    return models[0]._replace(
        values=tuple(each.values[0] for each in models),
        influences=np.concatenate([each.influences for each in models]),
        counts=tuple(each.counts[0] for each in models),
        rates=tuple(chain.from_iterable(each.rates for each in models)),
        variances=tuple(chain.from_iterable(each.variances for each in models)),
        row_variances=tuple(chain.from_iterable(each.row_variances for each in models)),
    )
