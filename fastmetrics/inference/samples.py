"""Samples that estimates come from: a class for each kind of data yields influences of rows.

A sample holds the validated rows of one or several models, or a table of counts. `measure`
returns a metric of each model with the influence values of its points and their sampling units.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import (
    check_class_labels,
    check_label_column,
    class_codes,
    in_class_order,
    pair_columns,
)
from fastmetrics._input.containers import OF_PREDICT_PROBA, as_array, column_count, widened
from fastmetrics._input.regression_targets import ANYWHERE, check_censored
from fastmetrics._input.rows import NamedScores, check_models
from fastmetrics._input.scalars import WeightsAre, check_same_length
from fastmetrics._input.scores import check_scores_array, check_weights
from fastmetrics._threads.workers import by_blocks
from fastmetrics.errors import InputError, InputTypeError, renamed
from fastmetrics.inference.measurement import (
    Measurement,
    TablePoints,
    compute_influences,
    is_curve_metric,
    with_rates,
)
from fastmetrics.inference.units import ROUNDING, Floats, Ints, Units
from fastmetrics.metrics._metric import LARGEST_GAP, RowInfluences
from fastmetrics.metrics.asking import MetricRequest, MetricsLike, ask
from fastmetrics.metrics.concordance.rank_correlation import check_index_options
from fastmetrics.metrics.curves.influences import OrderedRows
from fastmetrics.metrics.curves.roc_auc import class_scores
from fastmetrics.metrics.decisions import count_metrics
from fastmetrics.metrics.ranking.positions import mean_over_queries
from fastmetrics.tables.concordance import CensoredPairs, Weighting, compare_times
from fastmetrics.tables.confusion._label_counts import tally
from fastmetrics.tables.ranking import RankingTable
from fastmetrics.tables.score_table import ScoreTable, is_called_positive


def check_counts(table: Any, is_weighted: bool) -> None:
    """Raise for a table of fractional weights, which does not count rows."""
    if is_weighted:
        raise InputTypeError(
            f"a {type(table).__name__} of fractional weights does not tell how many rows a weight "
            "is: pass `y_true`, `y_score` and `sample_weight`"
        )


def cell_influences(one: MetricRequest, counts: Floats) -> tuple[float, Floats]:
    """Compute a metric of labels, and the influence of a row of each of the K * K cells."""
    name = one.entry.name
    slopes = count_metrics.gradient(name, counts, **one.parameters)
    value = float(count_metrics.value(name, counts, **one.parameters))
    return value, np.where(counts > 0, slopes, 0.0).ravel()


def two_class_counts(one: MetricRequest, counts: Floats) -> Floats | None:
    """Return 2 x 2 counts for intervals: of two classes, or of right and wrong rows; else None."""
    if one.entry.is_proportion_of_all:
        return proportion_counts(float(np.trace(counts)), float(counts.sum()))
    return counts if len(counts) == 2 else None


def proportion_counts(hits: float, n: float) -> Floats:
    """Return hits and misses as 2 x 2 counts of a decision that is right or wrong."""
    return np.array([[0.0, n - hits], [0.0, hits]])


@dataclass(frozen=True, eq=False)
class Design:
    """Sampling design: weights and how they are read, groups, strata."""

    weights: Floats | None
    weights_are: WeightsAre | None
    groups: Ints | None
    strata: Ints | None

    @classmethod
    def parse(cls, n: int, given: Mapping[str, Any]) -> Design:
        """Validate weights, groups and strata of n rows."""
        weights = read = None
        if given["sample_weight"] is not None:
            read = given["weights_are"]
            weights = check_weights(given["sample_weight"], n, weights_are=read).values
        codes: dict[str, Ints] = {}
        for name in ("groups", "strata"):
            if given[name] is not None:
                codes[name] = check_class_labels(given[name], name).codes
                check_same_length(**{"y_true": np.empty(n), name: codes[name]})
        return cls(weights, read, codes.get("groups"), codes.get("strata"))

    @property
    def is_plain(self) -> bool:
        """True if each row counts once, or as often as its frequency."""
        return self.groups is None and self.strata is None and self.weights_are != "importances"

    def units(self, n: int, classes: Ints | None = None) -> Units:
        """Build the sampling units of n rows; ``classes`` split each stratum."""
        strata = self.strata
        if classes is not None:
            strata = classes if strata is None else strata * (int(classes.max()) + 1) + classes
        are_counts = self.weights_are == "frequencies"
        return Units(
            n,
            counts=self.weights if are_counts else None,
            weights=None if are_counts else self.weights,
            groups=self.groups,
            strata=strata,
        )


class Sample(ABC):
    """Rows with the predictions of one or several models.

    ``classes`` has the class code of each row, in the order of labels, the positive one last.
    """

    design: Design
    classes: Ints
    n_models: int
    #: Names of the predictions of each model in messages.
    _names: list[str]

    def measure(self, one: MetricRequest) -> Measurement:
        """Compute a metric of each model and the influences of rows."""
        models = [self.influences(one, model) for model in range(self.n_models)]
        is_plain = self.design.is_plain
        return Measurement(
            tuple(each.value for each in models),
            [each.influences for each in models],
            self._units_by_class if one.entry.is_by_class(one.parameters) else self._units,
            tuple(self._counts(one, k) if is_plain else None for k in range(self.n_models)),
            self._units.n_rows,
        )

    def measure_alone(self, one: MetricRequest) -> Measurement:
        """Compute a metric for estimates of it alone, which may need no influences of rows."""
        return self.measure(one)

    def influences(self, one: MetricRequest, model: int) -> RowInfluences:
        """Compute a metric of one model, and the influence of each row or its cell."""
        if one.entry.needs != "labels":
            return self._score_influences(one, model)
        predicted = self.predicted_labels(one, model)
        counts = self._cells(predicted)
        value, slopes = cell_influences(one, counts)
        influences = np.empty(len(predicted))

        def fill(here: slice) -> None:
            influences[here] = slopes[self.classes[here] * len(counts) + predicted[here]]

        by_blocks(len(predicted), fill)
        return RowInfluences(value, influences)

    def _score_influences(self, one: MetricRequest, model: int) -> RowInfluences:
        columns = *self.columns(model), self.design.weights
        return compute_influences(one, one.entry.name, *columns, **one.parameters)

    def predicted_labels(self, one: MetricRequest, model: int) -> Ints:
        """Return the codes of the labels that a model predicts."""
        return self.columns(model)[1]

    def _counts(self, one: MetricRequest, model: int) -> Floats | None:
        if one.entry.needs != "labels":
            return None
        return two_class_counts(one, self._cells(self.predicted_labels(one, model)))

    @cached_property
    def _units(self) -> Units:
        return self.design.units(len(self.classes))

    @cached_property
    def _units_by_class(self) -> Units:
        return self.design.units(len(self.classes), self.classes)

    def _cells(self, predicted: Ints) -> Floats:
        k = self._n_classes(predicted)
        if self.design.weights is None:
            counts = tally(self.classes, predicted, 0, k, None)
        else:
            cells = self.classes * k + predicted
            counts = np.bincount(cells, self.design.weights, k * k).reshape(k, k)
        return counts.astype(np.float64)

    def _n_classes(self, predicted: Ints) -> int:
        return max(2, int(max(self.classes.max(), predicted.max())) + 1)

    def _set_design(
        self,
        true: NDArray[Any],
        models: list[NamedScores],
        columns: list[NDArray[Any]],
        given: Mapping[str, Any],
    ) -> None:
        """Set the models' names and the sampling design; raise where lengths differ."""
        for model, column in zip(models, columns, strict=True):
            check_same_length(**{"y_true": true, model.argument: column})
        self._names = [model.argument for model in models]
        self.n_models = len(models)
        self.design = Design.parse(len(true), given)

    def check_domains(self, requests: Iterable[MetricRequest]) -> None:
        """Raise for true values or predictions outside the domain of a metric."""
        domains = {one.entry.domain_under(one.parameters) for one in requests} - {ANYWHERE}
        for domain in sorted(domains, key=repr):
            domain.check_true(self.columns(0)[0])
            for model, name in enumerate(self._names):
                domain.check_predicted(self.columns(model)[1], name)

    @abstractmethod
    def columns(self, model: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the true values, or class codes, and the predictions of a model."""


class BinarySample(Sample):
    """Rows of two classes with scores or probabilities."""

    def __init__(self, y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> None:
        names = ("sample_weight", "weights_are", "pos_label", "groups")
        options = {name: given[name] for name in names}
        checked = check_models(y_true, models, **options, keeps_narrow=True)
        self._rows = checked.rows
        self._scores = checked.scores
        self._names = [model.argument for model in models]
        self.n_models = len(models)
        labels = checked.rows.labels
        self.classes = np.empty(len(labels), np.int64)
        by_blocks(len(labels), lambda here: np.equal(labels[here], 1, out=self.classes[here]))
        strata = given["strata"]
        if strata is not None:
            strata = check_class_labels(strata, "strata").codes
            if given["sample_weight"] is not None:  # `check_models` drops rows of no weight
                kept = as_array(given["sample_weight"], "sample_weight") > 0
                check_same_length(sample_weight=kept, strata=strata)
                strata = strata[kept]
            check_same_length(y_true=self.classes, strata=strata)
        read = None if checked.rows.weights is None else given["weights_are"]
        self.design = Design(checked.rows.weights, read, checked.groups, strata)
        self._threshold = given["threshold"]
        #: Another metric than the AUC sorts the rows anyway.
        self._in_order = any(is_curve_metric(one) and not one.is_auc for one in given["requests"])

    def measure(self, one: MetricRequest) -> Measurement:
        """Compute a metric of each model; of one model of independent rows, by its table."""
        if self._is_of_table(one):
            return self._table.measure(one)
        measured = super().measure(one)
        if one.entry.interval != LARGEST_GAP:
            return measured
        by_class = replace(self._units, strata=self.classes)
        return with_rates(measured, [each.table for each in self.ordered_rows], by_class)

    def measure_alone(self, one: MetricRequest) -> Measurement:
        """Compute a metric by the table where rows are independent, else by rows."""
        return self._table.measure_alone(one) if self._is_of_table(one) else self.measure(one)

    def _is_of_table(self, one: MetricRequest) -> bool:
        return is_curve_metric(one) and self.design.is_plain and self.n_models == 1

    def _score_influences(self, one: MetricRequest, model: int) -> RowInfluences:
        if not is_curve_metric(one):
            return super()._score_influences(one, model)
        if one.is_auc and not self._in_order:
            return self.ordered_rows[model].auc()
        return self.ordered_rows[model].influences(one.entry.load_influences(), **one.parameters)

    def predicted_labels(self, one: MetricRequest, model: int) -> Ints:
        """Return 1 for rows whose score reaches the threshold, else 0."""
        if self._threshold is None:
            raise InputTypeError(
                f"`{one.label}` is a metric of labels: pass `threshold`, from which on a score is "
                "called positive"
            )
        return is_called_positive(self._wide_scores[model], self._threshold).view(np.int8)

    def _n_classes(self, predicted: Ints) -> int:
        return 2

    def columns(self, model: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the class codes, 1 for positive, and the scores of a model."""
        return self.classes, self._wide_scores[model]

    @cached_property
    def _wide_scores(self) -> list[NDArray[Any]]:
        return [widened(scores) for scores in self._scores]

    def table(self, model: int) -> ScoreTable:
        """Return the class counts at each score of a model."""
        if self.design.is_plain and self.n_models == 1:
            return self._table.table
        return self.ordered_rows[model].table

    @cached_property
    def _table(self) -> TablePoints:
        return TablePoints(ScoreTable.from_rows(self._rows), not self._in_order)

    @cached_property
    def ordered_rows(self) -> list[OrderedRows]:
        """The rows in the order of the scores of each model."""
        return [OrderedRows(self._rows.replace(scores=scores)) for scores in self._scores]


class LabelSample(Sample):
    """Labels and predicted labels of any number of classes; `predicted` has codes."""

    def __init__(self, y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> None:
        true = check_label_column(y_true, "y_true")
        columns = [true]
        for model in models:
            values = as_array(model.values, model.argument)
            if values.dtype.kind == "f" and (np.rint(values) != values)[np.isfinite(values)].any():
                raise InputError(
                    f"`{model.argument}` holds scores where labels are needed: pass `threshold`, "
                    "from which on a score is called positive"
                )
            columns.append(pair_columns(true, check_label_column(values, model.argument)).predicted)
        coded = [column.coded() for column in columns]
        union = np.unique(np.concatenate([each.classes for each in coded]))
        codes = np.stack([np.searchsorted(union, each.classes)[each.codes] for each in coded])
        classes = union.tolist()
        pos_label = given["pos_label"]
        if pos_label is not None:
            if pos_label not in classes:
                raise InputError(f"`pos_label` is none of the labels {classes}: got {pos_label!r}")
            last = classes.index(pos_label)
            order = [*(k for k in range(len(classes)) if k != last), last]
            codes = np.argsort(order)[codes]
        self.classes = codes[0]
        self.predicted = codes[1:]
        self.n_models = len(models)
        self.design = Design.parse(len(codes[0]), given)

    def columns(self, model: int) -> tuple[Ints, Ints]:
        """Return the codes of the true and of the predicted labels of a model."""
        return self.classes, self.predicted[model]


class ClassSample(Sample):
    """Rows of several classes with a matrix of scores or probabilities for each model."""

    def __init__(self, y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> None:
        labels = given.get("labels")
        self._scores = []
        for model in models:
            matrix = in_class_order(model.values, y_true, labels, name=model.argument)
            self._scores.append(class_scores(matrix, model.argument))
            k = self._scores[-1].shape[1]
            self.classes = class_codes(y_true, labels, k, model.argument)
        self._set_design(self.classes, models, self._scores, given)

    def columns(self, model: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the class codes, and the scores of a model, a column a class."""
        return self.classes, self._scores[model]

    def predicted_labels(self, one: MetricRequest, model: int) -> Ints:
        """Return the class with the highest score in each row, the first of ties."""
        return np.asarray(np.argmax(self._scores[model], axis=1))

    def _score_influences(self, one: MetricRequest, model: int) -> RowInfluences:
        if one.entry.family != "curves":
            return super()._score_influences(one, model)
        options = {name: one.entry.arguments[name] for name in ("multi_class", "average")}
        return compute_influences(one, *self.columns(model), self.design.weights, **options)


class ValueSample(Sample):
    """Numbers and predicted numbers."""

    def __init__(self, y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> None:
        self._true = check_scores_array(y_true, "y_true")
        self._predicted = [check_scores_array(model.values, model.argument) for model in models]
        low, high = self._true.min(), self._true.max()
        is_high = self._true == high
        self._is_binary = bool(low < high and (is_high | (self._true == low)).all())
        self.classes = (is_high & self._is_binary).astype(np.int64)
        self._set_design(self._true, models, self._predicted, given)

    def _score_influences(self, one: MetricRequest, model: int) -> RowInfluences:
        if one.entry.family != "concordance":
            return super()._score_influences(one, model)
        option = next(iter({**one.entry.parameters, **one.parameters}.values()), None)
        are_frequencies = self.design.weights_are == "frequencies"
        columns = self._true, self._predicted[model], self.design.weights
        return compute_influences(one, option, *columns, are_frequencies=are_frequencies)

    def measure(self, one: MetricRequest) -> Measurement:
        """Return a metric of each model; Somers' D of an outcome of two values is 2 AUC - 1."""
        measured = super().measure(one)
        rule = one.entry.interval
        given = {**one.entry.parameters, **one.parameters}.get("given")
        if not (self._is_binary and rule and rule.name == "concordance" and given == "outcome"):
            return measured
        return measured._replace(units=self._units_by_class, linear_in_auc=rule.arguments)

    def columns(self, model: int) -> tuple[Floats, Floats]:
        """Return the true numbers and the predictions of a model."""
        predicted = self._predicted[model].astype(np.float64, copy=False)
        return self._true.astype(np.float64, copy=False), predicted


#: Values of K systems by query, their weights in the mean if they differ, and the mask of queries
#: that have a value in all systems.
_ByQuery = tuple[Floats, Floats | None, NDArray[np.bool_]]


def without_value(n: int) -> str:
    """Return the note on n queries without a value."""
    queries = "query has no value and is" if n == 1 else "queries have no value and are"
    return f"{n:,} {queries} left out"


class QuerySample:
    """Queries with the rankings of systems, and the group of each query."""

    def __init__(self, tables: Sequence[RankingTable], groups: Ints | None = None) -> None:
        self._tables = tables
        self.n_models = len(tables)
        self.classes = np.zeros(tables[0].n_queries, np.int64)
        self.design = Design(None, None, groups, None)
        self._values: dict[str, _ByQuery] = {}

    def measure_alone(self, one: MetricRequest) -> Measurement:
        """Compute the mean of each system."""
        return self.measure(one)

    def _by_query(self, one: MetricRequest) -> _ByQuery:
        """Return the values of the queries that have one in all systems."""
        if one.label not in self._values:
            load = one.entry.load_influences()
            columns, all_weights = zip(*(load(one, table) for table in self._tables), strict=True)
            counts = np.asarray(~np.isnan(columns).any(axis=0))
            values = np.array([each[counts] for each in columns])
            weights = None
            if all_weights[0] is not None:
                weights = np.array([each[counts] for each in all_weights], np.float64)
            self._values[one.label] = values, weights, counts
        return self._values[one.label]

    def measure(self, one: MetricRequest) -> Measurement:
        """Compute the mean of each system; its points are the queries with a value."""
        values, counting, counts = self._by_query(one)
        groups = self.design.groups
        groups = None if groups is None else groups[counts]
        n = values.shape[1]
        weights = None
        if n == 0:  # no query has a value: one point of nan
            nothing = np.full((self.n_models, 1), math.nan)
            nowhere = (math.nan,) * self.n_models
            return Measurement(nowhere, nothing, Units(1), (None,) * self.n_models, 0.0, "queries")
        fractions = np.full((self.n_models, n), 1.0 / n)
        if counting is not None:
            fractions = counting / counting.sum(axis=1, keepdims=True)
            weights = fractions.mean(axis=0)
        each = [self.influences(one, model) for model in range(self.n_models)]
        influences = np.stack([model.influences for model in each]) * fractions
        return Measurement(
            tuple(model.value for model in each),
            influences if weights is None else influences / weights,
            Units(n, weights=weights, groups=groups),
            tuple(self._hits(row, counting) for row in values),
            float(n),
            "queries",
            note="" if n == len(counts) else without_value(len(counts) - n),
        )

    def influences(self, one: MetricRequest, model: int) -> RowInfluences:
        """Compute the mean of a system, and the deviation of each query from it."""
        all_values, weights, _ = self._by_query(one)
        values = all_values[model]
        if weights is None:
            mean = mean_over_queries(values, "expected")
        else:
            mean = float(np.average(values, weights=weights[model]))
        deviations = values - mean
        if np.abs(deviations).max() <= ROUNDING * len(values) * np.abs(values).max():
            deviations[:] = 0.0
        return RowInfluences(mean, deviations)

    def _hits(self, values: Floats, weights: Floats | None) -> Floats | None:
        """Return 2 x 2 counts of hits and misses; None if values are others or weighted."""
        are_hits = bool(((values == 0.0) | (values == 1.0)).all())
        if not are_hits or weights is not None or self.design.groups is not None:
            return None
        return proportion_counts(float(values.sum()), float(len(values)))


def _query_sample(y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> QuerySample:
    """Build the queries from rows or a table."""
    query = given["query"]
    groups = given["groups"]
    for name in ("event", "strata", "sample_weight", "threshold", "pos_label"):
        if given[name] is not None:
            raise InputError(f"`{name}` is of rows: rankings are measured query by query")
    if isinstance(y_true, RankingTable):
        rows = {"y_score": models[0].values, "query": query, "groups": groups}
        for name, value in rows.items():
            if value is not None:
                raise InputTypeError(f"a RankingTable comes alone: pass no `{name}` with it")
        return QuerySample([y_true])
    tables = []
    for model in models:
        with renamed(relevance="y_true", score=model.argument):
            tables.append(RankingTable.from_scores(y_true, model.values, query=query))
    if groups is not None:
        groups = _query_groups(check_class_labels(groups, "groups").codes, query)
    return QuerySample(tables, groups)


def _query_groups(groups: NDArray[Any], query: Any) -> NDArray[Any]:
    """Return the group of each query, in the order of sorted queries, from groups of rows."""
    codes = check_class_labels(query, "query").codes
    check_same_length(query=codes, groups=groups)
    group_of_query = np.empty(int(codes.max()) + 1, groups.dtype)
    group_of_query[codes] = groups
    torn = np.unique(codes[group_of_query[codes] != groups])
    if len(torn):
        raise InputError(
            f"`groups` must have one group for all items of a query: {len(torn):,} queries have "
            "several"
        )
    return group_of_query


class TimeSample(Sample):
    """Times until an event, some of them censored, and scores."""

    def __init__(self, y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> None:
        for name in ("threshold", "pos_label"):
            if given[name] is not None:
                raise InputError(f"`{name}` is of classes: censored times have none")
        with renamed(time="y_true"):
            self._censored = check_censored(y_true, given["event"])
        self._scores = [check_scores_array(model.values, model.argument) for model in models]
        self.classes = np.zeros(len(self._censored.times), np.int64)
        self._set_design(self._censored.times, models, self._scores, given)
        self._pairs: dict[tuple[Weighting, float | None, int], CensoredPairs] = {}

    def columns(self, model: int) -> tuple[Floats, NDArray[Any]]:
        """Return the times, and the scores of a model."""
        return self._censored.times, self._scores[model]

    def _score_influences(self, one: MetricRequest, model: int) -> RowInfluences:
        options = check_index_options(**{**one.entry.parameters, **one.parameters})
        kind = options.weighting, options.tau, id(one.parameters.get("censoring"))
        if kind not in self._pairs:
            weights = self.design.weights
            weights = np.ones(len(self.classes)) if weights is None else weights
            self._pairs[kind] = compare_times(*self._censored, weights, *kind[:2], options.others)
        return compute_influences(one, self._pairs[kind], self._scores[model], options)


def check_influences(one: MetricRequest) -> None:
    """Raise if a metric has no influences of rows."""
    if not one.has_influences:
        raise InputError(f"`{one.label}` has no influences of rows: pass `method='bootstrap'`")


def request_metrics(metrics: MetricsLike, y_true: Any, query: Any) -> tuple[MetricRequest, ...]:
    """Parse the requested metrics: of rankings if there are queries, else the others."""
    rankings_only = query is not None or isinstance(y_true, RankingTable)
    return ask(metrics, rankings_only=rankings_only, allow_times=not rankings_only)


def build_samples(
    requests: tuple[MetricRequest, ...], y_true: Any, models: list[NamedScores], **given: Any
) -> Mapping[str, Sample | QuerySample]:
    """Build the sample of each metric, by its label; metrics of one class share their sample."""
    if given["query"] is not None or isinstance(y_true, RankingTable):
        return dict.fromkeys([one.label for one in requests], _query_sample(y_true, models, given))
    given["requests"] = requests
    by_class: dict[type[Sample], Sample] = {}
    samples: dict[str, Sample] = {}
    for one in requests:
        kind = _sample_class(one, models, given)
        if kind not in by_class:
            by_class[kind] = kind(y_true, models, given)  # type: ignore[call-arg]
        samples[one.label] = by_class[kind]
    for sample in by_class.values():
        sample.check_domains(one for one in requests if samples[one.label] is sample)
    return samples


def _sample_class(
    one: MetricRequest, models: list[NamedScores], given: Mapping[str, Any]
) -> type[Sample]:
    check_influences(one)
    metric = one.entry
    if (metric.needs == "times") != (given["event"] is not None):
        if metric.needs == "times":
            raise InputTypeError(f"`{one.label}` needs `event`: whether each time is that of one")
        raise InputError(f"`event` is of censored times: `{one.label}` is not measured of them")
    if metric.needs == "times":
        return TimeSample
    matrix = next((each for each in models if column_count(each.values) > 1), None)
    if matrix is not None:
        _check_matrix_metric(one, matrix, given)
        return ClassSample
    if metric.family in ("regression", "concordance"):
        return ValueSample
    if metric.family == "curves" and metric.needs == "probabilities":
        raise InputError(
            f"`{one.label}` is of several classes: `{models[0].argument}` must have shape "
            "(n_samples, n_classes), a column a class; of two classes take `roc_auc`"
        )
    if metric.needs == "labels" and given["threshold"] is None:
        return LabelSample
    return BinarySample


def _check_matrix_metric(one: MetricRequest, model: NamedScores, given: Mapping[str, Any]) -> None:
    """Raise unless a metric takes a matrix of scores; the message names a task that fits."""
    metric = one.entry
    k = column_count(model.values)
    came = f"`{model.argument}` is a matrix of {k} columns"
    is_of_classes = metric.classes != 2 and metric.needs in ("scores", "probabilities")
    if is_of_classes or metric.needs == "labels":  # those of the largest columns
        for name in ("threshold", "pos_label"):
            if given[name] is not None:
                raise InputError(f"`{name}` is of scores of two classes, and {came}: leave it out")
        return
    if metric.needs == "values":
        raise InputError(
            f"`{one.label}` is of one predicted number a row, and {came}: pass one, or of the "
            "probabilities of classes metrics such as 'log_loss' (`task='multiclass'`)"
        )
    advice = "of several classes (`task='multiclass'`) there are 'roc_auc_ovr' and 'log_loss'"
    if k == 2:
        advice = OF_PREDICT_PROBA
    raise InputError(f"`{one.label}` is of scores of two classes, and {came}: {advice}")
