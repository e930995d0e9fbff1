"""Which form of data a measure is of: classes, labels, numbers, censored times, or rankings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import OF_PREDICT_PROBA, column_count
from fastmetrics._input.models import NamedScores
from fastmetrics._input.regression_targets import check_censored
from fastmetrics._input.scores import check_scores_array
from fastmetrics.errors import InputError, InputTypeError, renamed
from fastmetrics.inference.query_sample import queries_of
from fastmetrics.inference.samples import (
    BinarySample,
    ClassSample,
    LabelSample,
    RowSample,
    Sample,
    ValueSample,
)
from fastmetrics.inference.table_points import measure_of, moved
from fastmetrics.inference.units import Floats
from fastmetrics.measures._influences import RowInfluences
from fastmetrics.measures.asking import Asked, MetricsLike, ask
from fastmetrics.measures.concordance.concordance_index import check_index_options
from fastmetrics.measures.ranking.names import asked_rankings
from fastmetrics.tables.concordance import CensoredPairs, Weighting, compare_times
from fastmetrics.tables.ranking import RankingTable


class TimeSample(RowSample):
    """Times until an event, some of them censored, and scores."""

    def __init__(self, y_true: Any, models: list[NamedScores], given: Mapping[str, Any]) -> None:
        for name in ("threshold", "pos_label"):
            if given[name] is not None:
                raise InputError(f"`{name}` is of classes: censored times have none")
        with renamed(time="y_true"):
            self._censored = check_censored(y_true, given["event"])
        self._scores = [check_scores_array(model.values, model.argument) for model in models]
        self.classes = np.zeros(len(self._censored.times), np.int64)
        self._judge(self._censored.times, models, self._scores, given)
        self._pairs: dict[tuple[Weighting, float | None, int], CensoredPairs] = {}

    @cached_property
    def _weights(self) -> Floats:
        weights = self.design.weights
        return np.ones(len(self.classes)) if weights is None else weights

    def columns(self, model: int) -> tuple[Floats, NDArray[Any]]:
        """Return the times, and the scores of a model."""
        return self._censored.times, self._scores[model]

    def _influenced(self, one: Asked, model: int) -> RowInfluences:
        options = check_index_options(**{**measure_of(one).parameters, **one.parameters})
        kind = options.weighting, options.tau, id(one.parameters.get("censoring"))
        if kind not in self._pairs:
            pairs = compare_times(*self._censored, self._weights, *kind[:2], options.others)
            self._pairs[kind] = pairs
        return moved(one, self._pairs[kind], self._scores[model], options)


def asked_of(metrics: MetricsLike, y_true: Any, query: Any) -> tuple[Asked, ...]:
    """Return the measures asked for: of rankings where there are queries, else of the others."""
    if query is not None or isinstance(y_true, RankingTable):
        return asked_rankings(metrics)
    return ask(metrics, of_times=True)


def sample_of(
    asked: tuple[Asked, ...], y_true: Any, models: list[NamedScores], **given: Any
) -> Mapping[str, Sample]:
    """Return the form of data that each measure is of, by its label; each form is made once."""
    if given["query"] is not None or isinstance(y_true, RankingTable):
        return dict.fromkeys([one.label for one in asked], queries_of(y_true, models, given))
    made: dict[type[RowSample], RowSample] = {}
    found: dict[str, RowSample] = {}
    for one in asked:
        kind = _kind_of(one, models, given)
        if kind not in made:
            made[kind] = kind(y_true, models, {**given, "asked": asked})  # type: ignore[call-arg]
        found[one.label] = made[kind]
    for sample in made.values():
        sample.check_domains(one for one in asked if found[one.label] is sample)
    return found


def _kind_of(one: Asked, models: list[NamedScores], given: Mapping[str, Any]) -> type[RowSample]:
    measure = measure_of(one)
    if (measure.needs == "times") != (given["event"] is not None):
        if measure.needs == "times":
            raise InputTypeError(f"`{one.label}` needs `event`: whether each time is that of one")
        raise InputError(f"`event` is of censored times: `{one.label}` is not measured of them")
    if measure.needs == "times":
        return TimeSample
    matrix = next((each for each in models if column_count(each.values) > 1), None)
    if matrix is not None:
        _check_of_matrix(one, matrix, given)
    is_matrix = matrix is not None
    if measure.family in ("regression", "concordance"):
        return ValueSample
    if not is_matrix and measure.family == "curves" and measure.needs == "probabilities":
        raise InputError(
            f"`{one.label}` is of several classes: `{models[0].argument}` must have shape "
            "(n_samples, n_classes), a column a class; of two classes take `roc_auc`"
        )
    if measure.needs == "labels" and not is_matrix:
        return LabelSample if given["threshold"] is None else BinarySample
    return ClassSample if is_matrix else BinarySample


def _check_of_matrix(one: Asked, model: NamedScores, given: Mapping[str, Any]) -> None:
    """Raise unless a metric is of the scores of several classes, naming the task that it is of."""
    measure, k = measure_of(one), column_count(model.values)
    came = f"`{model.argument}` is a matrix of {k} columns"
    is_of_classes = measure.classes != 2 and measure.needs in ("scores", "probabilities")
    if is_of_classes or measure.needs == "labels":  # those of the largest columns
        for name in ("threshold", "pos_label"):
            if given[name] is not None:
                raise InputError(f"`{name}` is of scores of two classes, and {came}: leave it out")
        return
    if measure.needs == "values":
        raise InputError(
            f"`{one.label}` is of one predicted number a row, and {came}: pass one, or of the "
            "probabilities of classes metrics such as 'log_loss' (`task='multiclass'`)"
        )
    advice = (
        OF_PREDICT_PROBA
        if k == 2
        else "of several classes (`task='multiclass'`) there are 'roc_auc_ovr' and 'log_loss'"
    )
    raise InputError(f"`{one.label}` is of scores of two classes, and {came}: {advice}")
