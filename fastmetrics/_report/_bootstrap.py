"""The bootstrap of an evaluation: its metrics and their intervals."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.rows import NamedScores
from fastmetrics._input.scalars import key_text
from fastmetrics._report.evaluation_result import (
    LIMITED,
    SMOOTH,
    Evaluation,
    EvaluationBootstrap,
    ModelEvaluation,
)
from fastmetrics._report.score_evaluation import measure_all, split_by_model
from fastmetrics.errors import InputError, SmallSampleWarning, renamed
from fastmetrics.inference.bootstrap._parse import BootstrapData, parse, parse_models
from fastmetrics.inference.bootstrap._samples import BootstrapSample
from fastmetrics.inference.bootstrap._specs import CountSpec, metric_specs
from fastmetrics.inference.bootstrap.bootstrap import Options, join_notes, resample
from fastmetrics.inference.bootstrap.paired import compare_replicates
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.inference.estimate_result import Estimate, Estimates
from fastmetrics.metrics import asking
from fastmetrics.metrics.asking import MetricLike, MetricsLike
from fastmetrics.metrics.registry import DEFAULTS, RATES_AT_BEST_THRESHOLD
from fastmetrics.tables.score_table import real_threshold

#: Metrics of the table, the AUC first; thresholds chosen on the data are chosen in each replicate.
TABLE_METRICS: dict[str, MetricLike] = {
    **{name: name for name in DEFAULTS["scores"]},
    **RATES_AT_BEST_THRESHOLD,
}
_AUC: Final = DEFAULTS["scores"][0]
#: The checked options of a bootstrap, and the threshold of decisions.
BootstrapSettings = tuple[Options, int | float | None]


def check_bootstrap(
    *, metrics: Any, threshold: Any, n_models: int, **options: Any
) -> BootstrapSettings:
    """Return the options and the threshold of a bootstrap, or raise before any work."""
    if threshold is not None:
        threshold = real_threshold(threshold)
    checked = Options.parse(
        metrics=_label_metrics(metrics),
        alternative="two-sided",
        n_models=n_models * (n_models + 1) // 2,  # each, and every pair
        **options,
    )
    for spec in checked.specs:
        if isinstance(spec, CountSpec) and threshold is None:
            raise InputError(
                f"{spec.label!r} counts decisions: pass `threshold`, the score from which an "
                "example is called positive"
            )
    return checked, threshold


def _label_metrics(metrics: MetricsLike | None) -> dict[str, MetricLike]:
    """Return the metrics by label, the AUC first: the table always has its interval."""
    if metrics is None:
        return TABLE_METRICS
    named = []
    for label, metric in asking.label_metrics(metrics):
        if isinstance(metric, str):
            named.append((label or metric, TABLE_METRICS.get(metric, metric)))
        else:
            named.append((label or asking.ask(metric)[0].label, metric))
    asking.check_labels(label for label, _ in named)
    for label, metric in named:
        if metric != TABLE_METRICS.get(label, metric):
            raise InputError(
                f"`metrics` gives {label!r}, which is a metric of the table, as the label of "
                "another: take another label"
            )
        try:
            metric_specs({label: metric})
        except InputError as error:
            if error.parameter == "metrics":  # it names the metric
                raise
            raise type(error)(f"metric {label!r}: {error}") from error
    return {_AUC: TABLE_METRICS[_AUC], **dict(named)}


def read_samples(
    y_true: Any, scores: list[NamedScores], settings: BootstrapSettings, **rows: Any
) -> Sequence[BootstrapSample]:
    """Return the sample of each model, with the table of its scores."""
    options, threshold = settings
    given = BootstrapData(
        y_true, scores, weights_are=options.weights_are, threshold=threshold, **rows
    )
    if len(scores) > 1:
        return parse_models(given, options.specs)
    with renamed(y_score=scores[0].argument):
        return [parse(given._replace(scores=scores[0].values), options.specs)]


def evaluate_bootstrap(
    models: list[ModelEvaluation],
    samples: Sequence[BootstrapSample],
    y_true: Any,
    scores: list[NamedScores],
    settings: BootstrapSettings,
    *,
    groups: Any = None,
    **rows: Any,
) -> Evaluation:
    """Return the evaluation of models whose metrics get the bootstrap's intervals."""
    options, threshold = settings
    level = options.confidence_level
    read = options.weights_are
    if any(math.isnan(model.roc_auc) for model in models):  # one class: no resamples
        return Evaluation.from_scores(models, level, read)
    pairs: Comparisons | None = None
    if len(models) == 1:
        by_model: list[Mapping[str, Estimate]] = list(resample(samples, options)[1])
    else:
        pairs = compare_replicates(samples, [model.name for model in models], options)
        by_model = split_by_model(pairs)
    (largest_gap,) = set(LIMITED) - set(SMOOTH)
    if options.method is None and largest_gap in by_model[0]:
        # By limits that hold: those of replicates do not.
        rows |= {"groups": groups, "threshold": threshold, "confidence_level": level}
        rows |= {"weights_are": read or "importances"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallSampleWarning)  # which the bootstrap has given
            gaps, gap_pairs = measure_all(y_true, scores, largest_gap, **rows)
        by_model = [{**each, **gap} for each, gap in zip(by_model, gaps, strict=True)]
        if pairs is not None and gap_pairs is not None:
            pairs = Comparisons({**pairs, **gap_pairs})
    description = EvaluationBootstrap(
        method=options.method,
        n_resamples=options.n_resamples,
        stratified=options.stratified,
        n_groups=None if groups is None else len(check_class_labels(groups, "groups").classes),
        effective_n_groups=by_model[0][_AUC].details.effective_n_groups,
        threshold=threshold,
        key=key_text(options.key),
    )
    complete = map(_with_bootstrap, models, by_model)
    return Evaluation.from_scores(complete, level, read, pairs, bootstrap=description)


def _with_bootstrap(model: ModelEvaluation, estimates: Mapping[str, Estimate]) -> ModelEvaluation:
    """Return the evaluation with the intervals of replicates, and a note on those without sense."""
    auc = estimates[_AUC]
    limits = {metric: one.confidence_interval for metric, one in estimates.items()}
    unsound = ", ".join(
        metric
        for metric, (low, high) in limits.items()
        if not (low < high or math.isnan(estimates[metric].estimate))
    )
    note = f"no sound bootstrap interval of {unsound}" if unsound else ""
    return dataclasses.replace(
        model,
        confidence_interval=auc.confidence_interval,
        standard_error=auc.standard_error,
        interval_method=f"bootstrap, {auc.method}",
        bootstrap=Estimates(estimates),
        note=join_notes(model.note, note),
    )
