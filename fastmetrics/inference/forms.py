"""Which form of data a measure is of: classes, labels, numbers, censored times, or rankings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastmetrics._input.models import NamedScores
from fastmetrics._input.rows import column_count
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.query_sample import queries_of
from fastmetrics.inference.samples import (
    BinarySample,
    ClassSample,
    LabelSample,
    Sample,
    ValueSample,
)
from fastmetrics.inference.table_points import measure_of
from fastmetrics.inference.time_sample import TimeSample
from fastmetrics.measures.asking import Asked, MetricsLike, ask
from fastmetrics.measures.ranking.names import asked_rankings
from fastmetrics.tables.ranking.ranking_table import RankingTable


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
    made: dict[type[Sample], Sample] = {}
    found: dict[str, Sample] = {}
    for one in asked:
        kind = _kind_of(one, models, given)
        if kind not in made:
            made[kind] = kind(y_true, models, {**given, "asked": asked})  # type: ignore[call-arg]
        found[one.label] = made[kind]
    return found


def _kind_of(one: Asked, models: list[NamedScores], given: Mapping[str, Any]) -> type[Sample]:
    measure = measure_of(one)
    if (measure.needs == "times") != (given["event"] is not None):
        if measure.needs == "times":
            raise InputTypeError(f"`{one.label}` needs `event`: whether each time is that of one")
        raise InputError(f"`event` is of censored times: `{one.label}` is not measured of them")
    if measure.needs == "times":
        return TimeSample
    if measure.family in ("regression", "concordance"):
        return ValueSample
    is_matrix = column_count(models[0].values) > 1
    if not is_matrix and measure.family == "curves" and measure.needs == "probabilities":
        raise InputError(
            f"`{one.label}` is of several classes: `{models[0].argument}` must have shape "
            "(n_samples, n_classes), a column a class; of two classes take `roc_auc`"
        )
    if measure.needs == "labels" and not is_matrix:
        return LabelSample if given["threshold"] is None else BinarySample
    return ClassSample if is_matrix else BinarySample
