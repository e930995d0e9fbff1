"""`evaluate` of scores of two classes: each model by one order of its rows, or by its table."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import (
    as_array,
    column_count,
    from_objects,
    has_names,
    widened,
)
from fastmetrics._input.rows import NamedScores, check_binary, model_pairs, named_scores
from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics._input.scores import as_given, check_costs, check_prevalence, extremes
from fastmetrics._number_text import with_limits
from fastmetrics._report.evaluation_result import (
    AUC,
    DOUBTFUL,
    LIMITED,
    PROBABILITIES,
    SMOOTH,
    Evaluation,
    ModelEvaluation,
    get_estimates,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics._threads.workers import by_blocks
from fastmetrics.errors import (
    DataConversionWarning,
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    renamed,
    warn_user,
)
from fastmetrics.inference.comparison_result import Comparison, Comparisons
from fastmetrics.inference.estimate import (
    PairOptions,
    compare,
    compare_models,
    estimate,
    metric_argument,
)
from fastmetrics.inference.estimate_result import Estimate, Estimates
from fastmetrics.inference.guaranteed_threshold import check_promise, guaranteed_threshold
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import TablePoints
from fastmetrics.inference.range_summary import (
    Corner,
    RangeSummary,
    summarize_table,
)
from fastmetrics.inference.reference import NOWHERE, limits
from fastmetrics.inference.samples import (
    build_samples,
    request_metrics,
)
from fastmetrics.inference.table_estimates import estimate_from_summary, summarize_runs
from fastmetrics.inference.threshold_cost import ThresholdCostInterval, threshold_cost_interval
from fastmetrics.inference.units import effective_sample_size
from fastmetrics.metrics.asking import MetricRequest, MetricsLike, ask
from fastmetrics.metrics.calibration.calibration_summary import ScoreDecomposition, decompose_table
from fastmetrics.metrics.curves.best_threshold import best_threshold
from fastmetrics.metrics.curves.precision_recall import break_even_at
from fastmetrics.metrics.curves.roc import KolmogorovSmirnov, ks_of_table
from fastmetrics.metrics.registry import DEFAULTS, LOSSES, METRICS
from fastmetrics.tables.score_runs import ScoreRuns
from fastmetrics.tables.score_table import ScoreTable, real_threshold

if TYPE_CHECKING:
    from fastmetrics._report._bootstrap import BootstrapSettings

#: Examples of the smaller class below which coverage hangs on what nobody knows.
_FEW: Final = 30


#: The mean of probabilities less that of labels, for notes.
MEAN_ERROR: Final = "mean_error"
#: Names of options: of scores of two classes alone, of rows, and of intervals.
OF_SCORES: Final = (
    *("n_resamples", "method", "stratified", "rng", "threshold"),
    *("cost_fn", "cost_fp", "prevalence", "guarantee"),
)
OF_ROWS: Final = ("sample_weight", "groups", "pos_label")
OF_INTERVALS: Final = ("confidence_level", "weights_are")


@dataclass(frozen=True, slots=True, eq=False)
class EvaluateOptions:
    """Options of `evaluate` beside labels, predictions and their task."""

    n_resamples: int | None = None
    method: Any = None
    stratified: bool = False
    rng: Any = None
    progress: bool | None = None
    threshold: float | None = None
    cost_fn: Any = None
    cost_fp: Any = None
    prevalence: float | None = None
    guarantee: Mapping[str, float] | None = None
    metrics: MetricsLike | None = None
    query: Any = None
    sample_weight: Any = None
    groups: Any = None
    pos_label: Any = None
    slices: Any = None
    min_n: int = 30
    intersections: int = 1
    confidence_level: float = 0.95
    weights_are: WeightsAre = "importances"

    def given(self, *names: str) -> dict[str, Any]:
        """Return some of the options by name."""
        return {name: getattr(self, name) for name in names}

    def refuse(self, options: Iterable[str], why: str, /, **others: Any) -> None:
        """Raise if one of these options is given, or another argument."""
        named = {**self.given(*options), **others}
        given = [f"`{name}`" for name, each in named.items() if not (each is None or each is False)]
        if given:
            raise InputTypeError(why.format(", ".join(given)))

    @property
    def read(self) -> WeightsAre | None:
        """The reading of weights; None where there are none."""
        return check_weights_are(self.sample_weight, self.weights_are)

    @property
    def are_of_table(self) -> bool:
        """True if all follows from the table of a model: rows are independent and count alike."""
        others = self.n_resamples, self.metrics, self.groups
        return all(each is None for each in others) and self.read != "importances"

    def checked(self, n_models: int) -> tuple[dict[str, Any] | None, list[dict[str, Any]], Any]:
        """Return costs, promises and the bootstrap's settings, or raise before any work."""
        return self._costs(), self._promises(), self._bootstrap_settings(n_models)

    def _bootstrap_settings(self, n_models: int) -> BootstrapSettings | None:
        """Return the settings of the bootstrap, which is loaded where there is one; else None."""
        options = self.given("method", "stratified", "rng", "progress")
        if self.n_resamples is not None:
            # The bootstrap is a large subpackage.
            from fastmetrics._report._bootstrap import check_bootstrap

            options |= self.given("n_resamples", "threshold", "metrics", "groups", "sample_weight")
            options |= self.given(*OF_INTERVALS)
            settings = check_bootstrap(n_models=n_models, **options)
            if self.slices is not None:
                raise InputError(
                    "`slices` have intervals without a bootstrap: leave `n_resamples` out"
                )
            return settings
        for name, value in options.items():
            if not (value is None or value is False):
                raise InputError(f"`{name}` is of the bootstrap: pass `n_resamples` with it")
        if self.threshold is not None and self.metrics is None:
            raise InputError("`threshold` is for metrics of labels: name them by `metrics`")
        return None

    def _costs(self) -> dict[str, Any] | None:
        """Return the costs of mistakes, None where there are none."""
        costs = self.given("cost_fn", "cost_fp")
        if all(cost is None for cost in costs.values()):
            if self.prevalence is not None:
                raise InputError("`prevalence` is of costs: pass `cost_fn` and `cost_fp` with it")
            return None
        for name, cost in costs.items():
            if cost is None:
                raise InputTypeError(f"costs are of both mistakes: pass `{name}` too")
            check_costs(name, cost)
        return costs | {"prevalence": check_prevalence(self.prevalence)}

    def _promises(self) -> list[dict[str, Any]]:
        """Return the arguments of `guaranteed_threshold` for each promise."""
        if self.guarantee is None:
            return []
        if not isinstance(self.guarantee, Mapping):
            raise InputTypeError(
                f"`guarantee` must be a mapping, as {{'recall': 0.95}}: got {self.guarantee!r}"
            )
        for name, value in (("groups", self.groups), ("sample_weight", self.read)):
            if value is not None:
                raise InputError(
                    "`guarantee` is of rows that are independent and count alike: not with "
                    f"`{name}`"
                )
        for name, bound in self.guarantee.items():
            check_promise({name: bound})
        delta = 1.0 - self.confidence_level
        return [{name: bound, "delta": delta} for name, bound in self.guarantee.items()]


def evaluate_scores(
    y_true: Any, named: Sequence[NamedScores], options: EvaluateOptions
) -> Evaluation:
    """Return the evaluation of scores of two classes."""
    costs, promises, settings = options.checked(len(named))
    if len(named) == 1 and options.are_of_table:
        one = named[0]
        table, _ = _read_table(y_true, one, options)
        evaluation = evaluate_tables({one.name: table}, options.confidence_level, options.read)
        model = _with_choices(evaluation[0], y_true, one, table, options, costs, promises)
        return replace(evaluation, models={one.name: model})
    return _evaluate_by_rows(y_true, named, options, costs, promises, settings)


def _evaluate_by_rows(
    y_true: Any,
    named: Sequence[NamedScores],
    options: EvaluateOptions,
    costs: Mapping[str, Any] | None,
    promises: Sequence[Mapping[str, Any]],
    settings: Any,
) -> Evaluation:
    level = options.confidence_level
    read = options.read
    rows = options.given(*OF_ROWS)
    more: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    metrics: Sequence[MetricRequest] = ()
    samples: Any
    tables: list[ScoreTable] | None = None
    if settings is not None:
        from fastmetrics._report._bootstrap import evaluate_bootstrap, read_samples

        samples = read_samples(y_true, [*named], settings, **rows)
        if read is None:
            tables = [sample.table for sample in samples]
    else:
        more, notes = metrics_beside(named, options.metrics)
        metrics = request_metrics({**{name: name for name in LIMITED}, **more}, None, None)
        given = {**rows, "weights_are": read, **dict.fromkeys(("event", "query", "strata"))}
        cut = options.threshold
        given["threshold"] = None if cut is None else real_threshold(cut)
        samples = build_samples(metrics, y_true, [*named], **given)
        if read != "importances":
            tables = [samples[AUC].table(k) for k in range(len(named))]
    if tables is not None:
        sizes = [_note_of_size(each.n_positive, each.n_negative) for each in tables]
    else:  # whole numbers of importances are summed exactly
        both = [_read_table(y_true, each, options) for each in named]
        tables, sizes = map(list, zip(*both, strict=True))
    has_both = tables[0].n_positive > 0 and tables[0].n_negative > 0
    if not has_both:  # losses of rows may be known
        metrics = tuple(one for one in metrics if one.label in more and len(samples[AUC].classes))
    names = [each.name for each in named]
    estimates, pairs, gaps = _estimate(metrics, samples, names, level, more, tables)
    models = []
    for each, table, note, estimates_of_model, gap in zip(
        named, tables, sizes, estimates, gaps, strict=True
    ):
        model = _evaluate_table(
            each.name, table, note, estimates_of_model, gap, are_of_table=read != "importances"
        )
        models.append(_with_choices(model, y_true, each, table, options, costs, promises))
    first_scores = [table.scores[:3].tolist() for table in tables]
    if settings is not None:
        result = evaluate_bootstrap(models, samples, y_true, [*named], settings, **rows)
        return replace(result, notes=_doubts([*result], first_scores))
    if has_both and notes:
        with said_in_notes():
            warnings.simplefilter("ignore", DataConversionWarning)  # as said of the samples
            offsets = [_offset(y_true, each, options) for each in named]
        losses = [decompose_table(table, LOSSES[0]) for table in tables]
        notes = _on_calibration(models, offsets, losses)
    notes = _doubts(models, first_scores) + notes
    return Evaluation.from_scores(models, level, read, pairs, notes=notes)


def _read_table(y_true: Any, one: NamedScores, options: EvaluateOptions) -> tuple[ScoreTable, str]:
    given = options.given("sample_weight", "pos_label")
    with renamed(y_score=one.argument):  # there may be many scores: say which it was
        return read_table(y_true, one.values, weights_are=options.read, **given)


def _estimate(
    metrics: Sequence[MetricRequest],
    samples: Mapping[str, Any],
    names: Sequence[str],
    level: float,
    more: Mapping[str, Any],
    tables: Sequence[ScoreTable],
) -> tuple[list[dict[str, Estimate]], Comparisons | None, list[KolmogorovSmirnov | None]]:
    """Return the estimates of each model by metric, the comparisons of several, the largest gaps.

    Models are compared by `SMOOTH` and by requested metrics: a larger KS, which is a maximum, does
    not show which model is better.
    """
    several = len(names) > 1
    chosen = PairOptions(tuple(names), model_pairs(names), None, level, "two-sided")
    estimates: list[dict[str, Estimate]] = [{} for _ in names]
    pairs: dict[str, Comparison] = {}
    gaps: list[KolmogorovSmirnov | None] = [None for _ in names]
    with said_in_notes():
        for one in metrics:
            sample = samples[one.label]
            read = sample.design.weights_are
            is_tested = one.label in (*SMOOTH, *more)
            if several and not is_tested and sample.design.is_plain:
                each = [TablePoints(table).measure(one) for table in tables]
                by_model = [make_estimate(one, a, 0, level) for a in each]
                gaps = [rates.gap for a in each for rates in a.rates] or gaps
            else:
                measured = sample.measure_alone(one)
                gaps = [rates.gap for rates in measured.rates] or gaps
                if one is metrics[0]:
                    measured.units.warn_small_samples(read)
                if several and is_tested:
                    pairs[one.label] = compare_models(one, measured, chosen, read)
                    by_model = [*pairs[one.label].models]
                else:
                    by_model = [
                        make_estimate(one, measured, k, level, weights_are=read)
                        for k in range(len(names))
                    ]
            for known, estimate_ in zip(estimates, by_model, strict=True):
                known[one.label] = estimate_
    return estimates, Comparisons(pairs) if pairs else None, gaps


def evaluate_tables(
    tables: Mapping[str, ScoreTable | ScoreRuns | RangeSummary],
    level: float,
    weights_are: WeightsAre | None = None,
    added: Mapping[str, Mapping[str, Estimate]] | None = None,
    known: Mapping[str, Mapping[str, Estimate]] | None = None,
) -> Evaluation:
    """Evaluate models by their tables; fractional weights of tables have no interval.

    By model, ``added`` has estimates of other metrics, ``known`` has those that rows tell.
    """
    summaries = {name: _summarize(table) for name, table in tables.items()}
    whole = [each for each in summaries.values() if isinstance(each, RangeSummary)]
    with_losses = len(whole) == len(tables) and all(map(has_losses, whole))
    models = []
    offsets = []
    for name, summary in summaries.items():
        if isinstance(summary, ScoreTable):
            note = "sums of weights, which do not tell how many rows there were: no interval"
            models.append(_evaluate_table(name, summary, note, {}))
            continue
        of_rows = None if known is None else known[name]
        estimates = dict(of_rows or _estimate_summary(summary, level, with_losses))
        if MEAN_ERROR in estimates:
            offsets.append(estimates.pop(MEAN_ERROR))
        if added is not None:
            estimates |= added[name]
        models.append(as_evaluation(summary, name, estimates))
    notes: tuple[str, ...] = ()
    if len(whole) == len(models):
        notes = _doubts(models, [each.first_scores for each in whole])
        if with_losses and not offsets:
            notes += (PROBABILITIES,)
        elif with_losses:
            losses = [each.decompose_brier_score() for each in whole]
            notes += _on_calibration(models, offsets, losses)
    return Evaluation.from_scores(models, level, weights_are, notes=notes)


def _summarize(table: ScoreTable | ScoreRuns | RangeSummary) -> ScoreTable | RangeSummary:
    """Summarize all rows; a table of weights, which have no influences, stays."""
    if isinstance(table, ScoreTable):
        return table if table.is_weighted else summarize_table(table)
    return summarize_runs(table) if isinstance(table, ScoreRuns) else table


def _estimate_summary(
    summary: RangeSummary, level: float, with_losses: bool
) -> dict[str, Estimate]:
    """Estimate metrics of both classes by sums over ranges."""
    names = [*LOSSES] if with_losses else []
    if summary.n_positive and summary.n_negative:
        of_both = SMOOTH if summary.rates is None else LIMITED
        names = [*of_both, *names, *([MEAN_ERROR] if with_losses else [])]
    if not names:
        return {}
    with said_in_notes():
        return {one.label: estimate_from_summary(one, summary, level) for one in ask(names)}


def has_losses(summary: RangeSummary) -> bool:
    """Return whether scores may be probabilities."""
    return set(summary.metrics) >= {*LOSSES}


def as_evaluation(
    summary: RangeSummary, name: str, estimates: Mapping[str, Estimate]
) -> ModelEvaluation:
    """Return the evaluation of the rows of a summary, once all ranges are in.

    Values are those of all rows in memory: to the bit for counts and what is made of them, up to
    rounding for the average precision and sums of weights.

    Raises
    ------
    ValueError
        If ranges are missing, or were added twice.

    Warns
    -----
    UndefinedMetricWarning
        If only one class is present, or there is no break-even point.
    """
    summary.check_whole()
    m, n = (
        each if isinstance(each, int) else float(each)
        for each in (summary.n_positive, summary.n_negative)
    )
    if not (m and n):
        return _with_estimates(_undefined(name, m, n), estimates)
    gap = summary.largest_gap
    if summary.highest is None or summary.balance is None:
        raise InputError("ranges of scores are missing")
    best = summary.highest if summary.gap_at(summary.highest) > 0 else Corner(math.inf, 0, 0)
    read: WeightsAre | None = None if summary.effective is None else "importances"
    model = ModelEvaluation(
        name,
        m,
        n,
        roc_auc=summary.pairs.auc,
        average_precision=summary.value("average_precision"),
        break_even_point=break_even_at(summary.balance).value,
        ks_statistic=gap.statistic,
        threshold=best.threshold,
        true_positive_rate=float(best.tp / summary.n_positive),
        false_positive_rate=float(best.fp / summary.n_negative),
        note=_note_of_size(*(summary.effective or (m, n)), read),
    )
    return _with_estimates(model, estimates)


def read_table(
    y_true: Any, y_score: Any, *, sample_weight: Any, weights_are: WeightsAre | None, pos_label: Any
) -> tuple[ScoreTable, str]:
    """Return the table of a model's scores, and a note where the smaller class is small."""
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        # What importances are worth matters to intervals alone: whole ones are summed exactly.
        weights_are="frequencies" if weights_are == "frequencies" else None,
        pos_label=pos_label,
    )
    table = ScoreTable.from_rows(rows)
    positive, negative = table.n_positive, table.n_negative
    if weights_are == "importances" and rows.weights is not None:
        by_class = (rows.weights[rows.labels == label] for label in (1, 0))
        positive, negative = (effective_sample_size(w) if w.any() else 0.0 for w in by_class)
    return table, _note_of_size(positive, negative, weights_are)


def _evaluate_table(
    name: str,
    table: ScoreTable,
    note: str,
    estimates: Mapping[str, Estimate],
    gap: KolmogorovSmirnov | None = None,
    *,
    are_of_table: bool = True,
) -> ModelEvaluation:
    """Return the evaluation of a table; estimates of the same counts need no second sum."""
    n_positive, n_negative = (
        as_given(n, table.weight_exponent) for n in (table.n_positive, table.n_negative)
    )
    if not (n_positive > 0 and n_negative > 0):
        return _with_estimates(_undefined(name, n_positive, n_negative), estimates)
    known = {label: one.estimate for label, one in estimates.items()} if are_of_table else {}
    largest = gap if gap is not None and are_of_table else ks_of_table(table)
    # Where the largest |TPR - FPR| is a positive one, its threshold is Youden's.
    best = largest if largest.sign > 0 else best_threshold(table, criterion="youden")
    values: dict[str, Any] = {
        metric: known[metric] if metric in known else float(METRICS[metric].value(table))
        for metric in DEFAULTS["scores"]
    }
    model = ModelEvaluation(
        name,
        n_positive,
        n_negative,
        **values,
        threshold=best.threshold,
        true_positive_rate=best.true_positive_rate,
        false_positive_rate=best.false_positive_rate,
        note=note,
    )
    return _with_estimates(model, estimates)


def _with_estimates(model: ModelEvaluation, estimates: Mapping[str, Estimate]) -> ModelEvaluation:
    """Return the evaluation with the errors and intervals that need no bootstrap."""
    if not estimates:
        return model
    notes = filter(None, [model.note, *(each.note for each in estimates.values())])
    auc = estimates.get(AUC)
    more: dict[str, Any] = {}
    if auc is not None:
        more = {"confidence_interval": auc.confidence_interval, "interval_method": auc.method}
        more["standard_error"] = auc.standard_error
    estimates = Estimates(estimates)
    return replace(model, estimates=estimates, note="; ".join(notes), **more)


@contextmanager
def said_in_notes(names: str = r"\w+") -> Iterator[None]:
    """Leave out warnings of what has no interval: notes of the estimates say so."""
    with warnings.catch_warnings():
        for kind in (DegenerateDataWarning, UndefinedMetricWarning):
            warnings.filterwarnings("ignore", f"`{names}` is|the difference in", kind)
        yield


def _undefined(name: str, n_positive: float, n_negative: float) -> ModelEvaluation:
    """Return the evaluation of rows of one class, or of none, and warn of it."""
    missing = "positive" if not n_positive > 0 else "negative"
    reason = f"one class only: no {missing} example" if n_positive or n_negative else "no rows"
    note = f"{reason}, so what needs both classes is undefined"
    warn_user(f"model {name!r}: {note}", UndefinedMetricWarning)
    return ModelEvaluation(name, n_positive, n_negative, note=note)


def _note_of_size(
    n_positive: float, n_negative: float, weights_are: WeightsAre | None = None
) -> str:
    """Return that the smaller class is small, if it is."""
    size = min(n_positive, n_negative)
    if size >= _FEW:
        return ""
    name = "positive" if n_positive == size else "negative"
    examples = f"{name} example" + ("s" if size > 1 else "")
    text = f"only {size:.0f} {examples}"
    if weights_are == "importances":
        text = f"the {name} examples are worth {size:.3g} of equal weight"
    return f"{text}: below about {_FEW} no interval is sure"


def as_models(
    scores: Any, names: Sequence[str] | None, task: str | None = None
) -> list[NamedScores]:
    """Return each model of ``scores``; one column without a name is called "score"."""
    if task in ("multiclass", "multilabel") and names is None and not isinstance(scores, Mapping):
        return [NamedScores("score", "scores", scores)]
    if names is not None or has_names(scores) or column_count(scores) > 1:
        return named_scores(scores, names)
    return [NamedScores("score", "scores", scores)]


def metrics_beside(
    named: Sequence[NamedScores], metrics: MetricsLike | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the metrics beside `SMOOTH` by label, and notes on them."""
    requested: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    if all(may_be_probabilities(model) for model in named):
        requested = {name: name for name in LOSSES}
        notes = (PROBABILITIES,)
    return requested | named_metrics(metrics), notes


def named_metrics(metrics: MetricsLike | None) -> dict[str, Any]:
    """Return the requested metrics beside `SMOOTH` by label."""
    requested: dict[str, Any] = {}
    for one in () if metrics is None else ask(metrics):
        if not one.has_influences:
            raise InputError(
                f"`{one.label}` has no influences of rows, and an interval from a bootstrap alone: "
                "pass `n_resamples`"
            )
        is_alias = not (isinstance(metrics, Mapping) or one.parameters)
        name = one.name if is_alias else one.label
        if name not in SMOOTH:
            requested[name] = metric_argument(one)
    return requested


def may_be_probabilities(model: NamedScores) -> bool:
    """Return whether scores are fractions from 0 to 1, and not labels."""
    scores = widened(as_array(model.values, model.argument))
    if scores.dtype.kind == "O":
        with suppress(InputError, InputTypeError):  # what reads the rows raises
            scores = from_objects(scores, model.argument)
    if scores.dtype.kind != "f" or len(scores) == 0:
        return False
    low, high = extremes(scores)
    if not 0.0 <= low <= high <= 1.0:
        return False
    return any(by_blocks(len(scores), lambda here: _has_inner(scores[here])))


def _has_inner(scores: NDArray[Any]) -> bool:
    return bool(((scores > 0.0) & (scores < 1.0)).any())


def measure_all(
    labels: Any, named: Sequence[NamedScores], metrics: Any, **options: Any
) -> tuple[list[Mapping[str, Estimate]], Comparisons | None]:
    """Return the estimates of each model by metric, and the comparisons of several models."""
    with said_in_notes():
        if len(named) == 1:
            with renamed(y_score=named[0].argument):
                return [estimate(labels, named[0].values, metrics=metrics, **options)], None
        scores = {model.name: model.values for model in named}
        pairs = compare(labels, scores, metrics=metrics, **options)
    return split_by_model(pairs), pairs


def split_by_model(pairs: Mapping[str, Comparison]) -> list[Mapping[str, Estimate]]:
    """Return the estimates of each model that was compared, by metric."""
    by_model = zip(*(one.models for one in pairs.values()), strict=True)
    return [dict(zip(pairs, estimates, strict=True)) for estimates in by_model]


# --- costs, promises, probabilities -------------------------------------------------------------


def _with_choices(
    model: ModelEvaluation,
    y_true: Any,
    scores: NamedScores,
    table: ScoreTable,
    options: EvaluateOptions,
    costs: Mapping[str, Any] | None,
    promises: Sequence[Mapping[str, Any]],
) -> ModelEvaluation:
    """Return the evaluation of a model with the thresholds that promises and costs choose."""
    if math.isnan(model.roc_auc):
        return model
    kept = tuple(guaranteed_threshold(table, **promise) for promise in promises)
    cheapest = None if costs is None else _cheapest(y_true, scores, costs, options)
    return replace(model, guarantees=kept, costs=cheapest)


def _cheapest(
    y_true: Any, model: NamedScores, costs: Mapping[str, Any], options: EvaluateOptions
) -> ThresholdCostInterval:
    """Return the cheapest threshold of a model; without intervals where rows are grouped."""
    with renamed(y_score=model.argument):
        given = options.given("sample_weight", "pos_label", *OF_INTERVALS)
        interval = threshold_cost_interval(y_true, model.values, **costs, **given)
    if options.groups is None:
        return interval
    return replace(interval, threshold_interval=NOWHERE, confidence_interval=NOWHERE)


def _offset(labels: Any, model: NamedScores, options: EvaluateOptions) -> Estimate:
    """Return the mean of probabilities less that of labels."""
    rows = check_binary(labels, model.values, **options.given("sample_weight", "pos_label"))
    given = options.given("sample_weight", "groups", *OF_INTERVALS)
    return estimate(rows.labels == 1, rows.scores, metrics="mean_error", **given)["mean_error"]


def _on_calibration(
    models: Sequence[ModelEvaluation],
    offsets: Sequence[Estimate],
    losses: Sequence[ScoreDecomposition],
) -> tuple[str, ...]:
    """Return sentences on the means of probabilities, and on the most that recalibration gains.

    A mean has an interval. A gain has none: it is above zero in every sample of calibrated
    probabilities, so that it is the most that these rows promise.
    """
    names = [model.name for model in models]
    on_means = [_on_mean(*each) for each in zip(names, offsets, strict=True)]
    gains = [
        f"{name}: recalibration lowers the Brier score by at most {each.miscalibration:.2g}."
        for name, each in zip(names, losses, strict=True)
    ]
    return (*on_means, PROBABILITIES, *gains)


def _on_mean(name: str, gap: Estimate) -> str:
    low, high = gap.confidence_interval
    side = 1.0 if gap.estimate > 0.0 else -1.0
    interval = ConfidenceInterval(*sorted((side * low, side * high)))
    by = with_limits(abs(gap.estimate), interval)
    way = "high" if gap.estimate > 0.0 else "low"
    if low > 0.0 or high < 0.0:
        return f"{name}: probabilities are too {way} on average, by {by}."
    return f"{name}: no evidence of miscalibration on average (too {way} by {by})."


# --- what `doctor` would say, of what is known anyway -------------------------------------------

Severity = Literal["error", "warning", "note"]
#: Rows from which on nobody believes an AUC of exactly 1, or 0.
_MANY: Final = 60
#: Confidence level of the interval that shows an AUC below 1/2.
SURE: Final = 0.99


def find_fault(
    values: Sequence[float], auc: float, limits: ConfidenceInterval, n: int
) -> tuple[str, Severity, str] | None:
    """Return the kind, severity and text of a fault of n scores; None of healthy ones.

    ``values`` are the first distinct scores, ``limits`` those of the AUC at the level `SURE`.
    """
    if len(values) == 1:
        return "constant", "error", f"all scores are {values[0]:g}"
    if len(values) == 2:
        if auc == 1.0:
            return "labels as scores", "error", "the scores are the labels themselves"
        return (
            "decisions as scores",
            "warning",
            f"there are two scores, {values[0]:g} and {values[1]:g}: of decisions there is no "
            "curve; pass what they were decided by, or measure them as labels",
        )
    if auc == 1.0 and n >= _MANY:
        what = "an AUC of exactly 1: do the scores know the labels (leakage)?"
        return "perfect", "warning", what
    if limits.high < 0.5 or (auc == 0.0 and n >= _MANY):
        return (
            "backwards",
            "error",
            f"an AUC of {auc:.4f} [{limits.low:.4f}, {limits.high:.4f}]: greater scores are of "
            "negatives; is it the score of the other class?",
        )
    return None


def _doubts(
    models: Sequence[ModelEvaluation], first_scores: Sequence[Sequence[float]]
) -> tuple[str, ...]:
    """Return a line on models whose scores make no sense; nothing of healthy ones."""
    doubtful = []
    for model, scores in zip(models, first_scores, strict=True):
        auc = model.roc_auc
        if math.isnan(auc):
            continue
        high = 1.0
        if auc < 0.5:
            df = get_estimates(model)[AUC].df
            at = limits(auc, model.standard_error, df, SURE, "logit", "two-sided", (0.0, 1.0))
            high = float(np.fmax(at.high, model.confidence_interval.high))
        n = int(model.n_positive + model.n_negative)
        doubt = find_fault(scores, auc, ConfidenceInterval(0.0, high), n)
        if doubt is not None:
            doubtful.append(f"{model.name} ({doubt[0]})")
    return (f"{DOUBTFUL}{', '.join(doubtful)}. Run `doctor` for details.",) if doubtful else ()
