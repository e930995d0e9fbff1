"""`evaluate` of rows that have several labels: means over labels, their errors, differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_multilabel_indicator
from fastmetrics._input.containers import as_array, has_names, named_columns
from fastmetrics._input.rows import NamedScores, model_pairs
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_score_matrix, check_scores_array, contiguous
from fastmetrics._number_text import with_limits
from fastmetrics._report.evaluation_result import NAMES, Evaluation
from fastmetrics._report.score_evaluation import EvaluateOptions, said_in_notes, split_by_model
from fastmetrics._report.slices import list_first
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate import PairOptions, compare_models, estimate, metric_argument
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.samples import BinarySample, Design, cell_influences, proportion_counts
from fastmetrics.inference.units import Floats, Ints
from fastmetrics.metrics._metric import HITS, RowInfluences, mean_influences
from fastmetrics.metrics.asking import MetricRequest, ask, is_pair, label_metrics
from fastmetrics.metrics.registry import DEFAULTS, OF_SEVERAL_LABELS
from fastmetrics.tables.score_table import running_sums

#: Standard errors of a mean from which on a note says so.
_TOLD: Final = 0.25


def _excess_of_precision(_: MetricRequest, sample: BinarySample, model: int) -> float:
    """Return by how much precision at positives, on average, is for themselves.

    The precision among the others that score as much as a positive has, where counts are of
    independent rows, the mean of the population: with the positive itself it is too large. A row
    of importance is left out as a whole, one of a frequency once.
    """
    ordered = sample.ordered_rows[model]
    table = ordered.table
    tp, fp = running_sums(table)
    own: Any = 1.0
    if sample.design.weights is not None and sample.design.weights_are == "importances":
        positive = sample.classes == 1
        called, false = (ordered.spread(each)[positive] for each in (tp + fp, fp))
        weights = own = sample.design.weights[positive]
    else:
        at = np.flatnonzero(table.positives)
        weights = table.positives[at]
        false = fp[at]
        called = tp[at] + false
    others = np.maximum(called - own, false)  # of one row alone none
    excess = np.divide(false * own / called, others, out=np.zeros(len(false)), where=others > 0.0)
    return float(np.average(excess, weights=weights))


def _excess_of_f1(one: MetricRequest, sample: BinarySample, model: int) -> float:
    """Return by how much F1 of independent rows is too large; it is too small, as a ratio.

    Of X / Y, 2 TP over 2 TP + FP + FN, that is the sum of w^2 a (F1 a - b) / Y^2 over rows that add
    w b to X and w a to Y, which is half of what the second derivatives by their weights are.
    """
    positive = sample.classes == 1
    called = sample.predicted_labels(one, model) == 1
    design = sample.design
    weights = np.ones(len(positive)) if design.weights is None else design.weights
    squares = weights if design.weights_are == "frequencies" else weights * weights
    right = positive & called
    wrong = positive != called
    total = float(2.0 * weights[right].sum() + weights[wrong].sum())
    f1 = float(2.0 * weights[right].sum()) / total
    excess = f1 * squares[wrong].sum() - 4.0 * (1.0 - f1) * squares[right].sum()
    return float(excess) / total**2


def with_excess(comparison: Comparison, excess: Sequence[float]) -> Comparison:
    """Return a comparison whose limits take in what each model's mean is too large by."""
    models = [_widened(one, by) for one, by in zip(comparison.models, excess, strict=True)]
    of = dict(zip(comparison.names, excess, strict=True))
    pairs = []
    for pair in comparison.pairs:
        low, high = pair.confidence_interval
        more = of[pair.a] - of[pair.b]
        limits = ConfidenceInterval(low - max(0.0, more), high - min(0.0, more))
        wider = replace(pair, confidence_interval=limits)
        better = wider.better_at(comparison.confidence_level, comparison.higher_is_better)
        pairs.append(replace(wider, better=better))
    return replace(comparison, models=tuple(models), pairs=tuple(pairs))


def _widened(one: Estimate, excess: float) -> Estimate:
    low, high = one.confidence_interval
    if not math.isfinite(low) or excess == 0.0:
        return one
    bias = "large by about {}, as each positive counts itself"
    if excess < 0.0:
        bias = "small by about {}, as labels have few positives"
    text = (
        f"{NAMES.get(one.metric, one.metric)} is too {bias.format(f'{abs(excess):.3g}')}; "
        "its limits take that in"
    )
    is_told = abs(excess) > _TOLD * one.standard_error and not one.note
    limits = ConfidenceInterval(max(0.0, low - max(0.0, excess)), min(1.0, high - min(0.0, excess)))
    return replace(one, confidence_interval=limits, note=text if is_told else one.note)


class LabelMetric(NamedTuple):
    """A metric: of each label its mean ("macro"), of all cells ("micro"), or of whole rows."""

    base: MetricRequest
    how: str

    @property
    def mean(self) -> MetricRequest:
        """The mean of the metric over labels, without the rules of the metric of one label."""
        rules: dict[str, Any] = dict.fromkeys(("linear_in_auc", "interval", "scaling"))
        rules |= {"min_df": 0.0, "is_area_of_precision": False}
        entry = replace(self.base.entry, name=f"{self.base.entry.name}_{self.how}", **rules)
        return replace(self.base, metric=entry)

    @property
    def is_of_decisions(self) -> bool:
        """True if the metric takes predicted labels."""
        return self.base.entry.needs == "labels"

    @property
    def is_biased(self) -> bool:
        """True for the mean of a metric that few positives bias: the mean keeps that bias."""
        return self.how == "macro" and self.base.entry.is_biased_by_few

    @property
    def takes_one_class(self) -> bool:
        """True for a mean of rows, which labels of one class have too."""
        return bool(self.base.entry.row_loss) or self.base.entry.interval == HITS


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows of a weight with their labels, (n, L), and a column of each model's scores a label."""

    names: tuple[str, ...]
    labels: NDArray[np.int8]
    models: tuple[NamedScores, ...]
    options: dict[str, Any]
    threshold: float | None

    @classmethod
    def checked(
        cls, y_true: Any, models: Sequence[NamedScores], threshold: float | None, **options: Any
    ) -> LabelledRows:
        """Return labels and scores, verified; columns of frames are matched by their names."""
        names, labels = _read_labels(y_true)
        n, k = labels.shape
        if k < 2:
            raise InputError(f"`y_true` must have a column for each label, 2 or more: got {k}")
        columns_by_model = []
        for each in models:
            given, columns = _read_model(each, labels.shape)
            if names and given and given != names and {*given} == {*names}:
                columns = [columns[given.index(name)] for name in names]
            columns_by_model.append(each._replace(values=columns))
        weights = Design.parse(n, options | {"strata": None}).weights
        if weights is not None and not weights.all():  # rows of no weight are none
            kept = weights > 0
            labels = labels[kept]
            columns_by_model = [
                m._replace(values=[column[kept] for column in m.values]) for m in columns_by_model
            ]
            for name in ("sample_weight", "groups"):
                if options[name] is not None:
                    options[name] = as_array(options[name], name)[kept]
        names = names or [f"y_true[:, {j}]" for j in range(k)]
        rows = cls(tuple(names), labels, tuple(columns_by_model), options, threshold)
        return replace(rows, threshold=0.5) if threshold is None and rows.are_decisions else rows

    @cached_property
    def design(self) -> Design:
        """Weights and groups."""
        return Design.parse(len(self.labels), self.options | {"strata": None})

    @cached_property
    def are_decisions(self) -> bool:
        """True if models predict labels, not scores."""
        columns = (column for model in self.models for column in model.values)
        return all(((column == 0) | (column == 1)).all() for column in columns)

    @cached_property
    def sizes(self) -> Ints:
        """Rows of the smaller class of each label."""
        positive = np.count_nonzero(self.labels, axis=0)
        return np.asarray(np.minimum(positive, len(self.labels) - positive), np.int64)

    @property
    def rarest(self) -> Ints:
        """The label that has the fewest rows of a class, and both."""
        at = int(np.argmin(np.where(self.sizes > 0, self.sizes, len(self.labels))))
        codes: Ints = self.labels[:, at].astype(np.int64)
        return codes

    def named(self, which: NDArray[np.bool_]) -> list[str]:
        """Return the names of some labels."""
        return [self.names[j] for j in np.flatnonzero(which)]

    def usual(self) -> tuple[str, ...]:
        """Return the default metrics."""
        decisions = DEFAULTS["multilabel decisions"]
        if self.are_decisions:
            return decisions
        columns = (column for model in self.models for column in model.values)
        are_fractions = all(column.min() >= 0 and column.max() <= 1 for column in columns)
        usual = DEFAULTS["multilabel"] + DEFAULTS["multilabel probabilities"] * are_fractions
        return usual if self.threshold is None else usual + decisions

    def columns(self, label: int) -> list[NamedScores]:
        """Return the scores that the models give to one label."""
        return [m._replace(values=contiguous(m.values[label])) for m in self.models]

    def sample(self, label: int, metrics: Sequence[LabelMetric]) -> BinarySample:
        """Return one label as rows of two classes."""
        given: dict[str, Any] = dict.fromkeys(("pos_label", "strata", "groups"))
        given |= {"sample_weight": self.options["sample_weight"], "threshold": self.threshold}
        given |= {"weights_are": self.options["weights_are"], "requests": [e.base for e in metrics]}
        sample = BinarySample(self.labels[:, label], self.columns(label), given)
        sample.check_domains(given["requests"])
        return sample

    def pooled(self, each: LabelMetric, model: int) -> RowInfluences:
        """Return a metric of the cells of all labels together."""
        counts = np.zeros(4)
        codes = [2 * labels + called for labels, called in self._decisions(model)]
        for cells in codes:
            counts += np.bincount(cells, self.design.weights, 4)
        value, slopes = cell_influences(each.base, counts.reshape(2, 2))
        influences = np.zeros(len(self.labels))
        for cells in codes:
            influences += slopes[cells]
        return RowInfluences(value, influences)

    def whole_rows(self, model: int) -> RowInfluences:
        """Return the proportion of rows all of whose labels are right."""
        right = np.ones(len(self.labels), np.bool_)
        for labels, called in self._decisions(model):
            right &= labels == called
        return mean_influences(right.astype(np.float64), self.design.weights)

    def _decisions(self, model: int) -> Iterator[tuple[NDArray[np.int8], NDArray[np.bool_]]]:
        """Yield the rows of each label, and which ones a model predicts positive."""
        for labels, column in zip(self.labels.T, self.models[model].values, strict=True):
            yield labels, column >= self.threshold


def _read_labels(y_true: Any) -> tuple[list[str], NDArray[np.int8]]:
    """Return the names of labels, where they have some, and the matrix of 0 and 1."""
    if not has_names(y_true):
        return [], check_multilabel_indicator(y_true)
    columns = named_columns(y_true, "y_true")
    indicators: list[NDArray[np.int8]] = []
    for name, column in columns.items():
        argument = f"y_true[{name!r}]"
        check_same_length(y_true=indicators[0] if indicators else column, **{argument: column})
        indicators.append(check_multilabel_indicator(column[:, None], argument))
    return [*columns], np.concatenate(indicators, axis=1)


def _read_model(model: NamedScores, shape: tuple[int, ...]) -> tuple[list[str], list[NDArray[Any]]]:
    """Return the names of a model's columns, where they have some, and each in its own dtype."""
    name = model.argument
    named: dict[str, NDArray[Any]] = {}
    if has_names(model.values):
        named = named_columns(model.values, name)
        actual = (len(next(iter(named.values()))), len(named)) if named else (0, 0)
    else:
        matrix = as_array(model.values, name)
        actual = matrix.shape
    if actual != shape:
        raise InputError(
            f"`{name}` must have the shape of `y_true`, a column for each label, {shape}: got "
            f"{actual}; of classes that exclude one another `y_true` is the class of each row"
        )
    if named:
        columns = [check_scores_array(each, f"{name}[{key!r}]") for key, each in named.items()]
        check_same_length(**{f"{name}[{key!r}]": each for key, each in named.items()})
        return [*named], columns
    return [], [*check_score_matrix(matrix, name).T]


def request_label_metric(label: str | None, metric: Any) -> LabelMetric:
    """Return a metric of one label, and how it becomes one of all."""
    name, parameters = metric if is_pair(metric) else (metric, {})
    if not isinstance(name, str):
        raise InputError(f"`metrics` of several labels are names, or (name, parameters): {name!r}")
    base, how = OF_SEVERAL_LABELS.get(name, (name.removesuffix("_macro"), "macro"))
    if base.endswith("_micro"):
        base = base.removesuffix("_micro")
        how = "micro"
    (one,) = ask({label or name: (base, parameters)})
    needs = one.entry.needs if one.has_influences else ""
    if needs not in ("scores", "probabilities", "labels") or one.entry.classes == 3:
        raise InputError(f"`{name}` is no metric of one label with influences of rows")
    if how == "micro" and needs != "labels":
        raise InputError(f"`{name}`: only decisions are counted over all labels, take the mean")
    return LabelMetric(one, how)


def evaluate_multilabel(
    y_true: Any, models: Sequence[NamedScores], options: EvaluateOptions
) -> Evaluation:
    """Return means over labels for each model, with intervals, and how the models differ.

    The influence of a row on a mean is the mean of its influences: on the same rows `Units` makes
    the covariance of labels, and of models, from it.
    """
    given = options.given("sample_weight", "groups", "weights_are")
    rows = LabelledRows.checked(y_true, models, options.threshold, **given)
    level = options.confidence_level
    metrics = rows.usual() if options.metrics is None else options.metrics
    requests = [request_label_metric(*each) for each in label_metrics(metrics)]
    for each in requests:
        if each.is_of_decisions and rows.threshold is None:
            raise InputError(
                f"`{each.base.label}` is of predicted labels: pass `threshold`, from which on a "
                "score is called positive, or matrices of 0 and 1"
            )
    names = tuple(m.name for m in models)
    design = rows.design
    units = design.units(len(rows.labels))
    units.warn_small_samples(design.weights_are)
    chosen = PairOptions(names, model_pairs(names), None, level, "two-sided")
    comparisons: dict[str, Comparison] = {}
    by_label: dict[LabelMetric, Floats] = {}
    for each, influenced, label_values, excess in _measure(rows, requests):
        by_label[each] = label_values
        counts: list[Any] = [None] * len(names)
        if each.how == "rows" and design.is_plain:
            n = units.n_rows
            counts = [proportion_counts(one.value * n, n) for one in influenced]
        influences = [one.influences for one in influenced]
        metric_units = units
        if each.how == "macro" and not any(one.any() for one in influences):
            # what unseen rows may do is what they do to the rarest class
            metric_units = replace(units, strata=rows.rarest)
        values = tuple(one.value for one in influenced)
        measured = Measurement(values, influences, metric_units, tuple(counts), units.n_rows)
        one = each.base if each.how == "rows" else each.mean
        with said_in_notes():
            comparison = compare_models(one, measured, chosen, design.weights_are)
        comparisons[one.label] = with_excess(comparison, excess) if each.is_biased else comparison
    by_model = dict(zip(names, split_by_model(comparisons), strict=True))
    notes = [*_label_notes(rows, requests)]
    notes += _worst(rows, by_label, level)
    for name, estimates in by_model.items():
        notes += dict.fromkeys(f"{name}: {one.note}." for one in estimates.values() if one.note)
    directions = {each.base.label: each.base.higher_is_better for each in requests}
    pairs = comparisons if len(names) > 1 else {}
    return Evaluation.from_estimates("multilabel", by_model, pairs, level, directions, notes)


def _measure(
    rows: LabelledRows, requests: Sequence[LabelMetric]
) -> Iterator[tuple[LabelMetric, list[RowInfluences], Floats, Sequence[float]]]:
    """Yield each metric with influences of every model, values of labels, and its excess."""
    n, k = rows.labels.shape
    many = len(rows.models)
    means = [each for each in requests if each.how == "macro"]
    values = {each: np.full((many, k), np.nan) for each in means}
    influences = {each: np.zeros((many, n)) for each in means}
    excess = {each: np.zeros(many) for each in means}
    for label in range(k if means else 0):
        defined = [each for each in means if rows.sizes[label] or each.takes_one_class]
        sample = rows.sample(label, defined)
        for model in range(many):
            for each in defined:
                one = sample.influences(each.base, model)
                values[each][model, label] = one.value
                influences[each][model] += one.influences
                if each.is_biased and rows.sizes[label]:
                    by_precision = each.base.entry.is_area_of_precision
                    compute_excess = _excess_of_precision if by_precision else _excess_of_f1
                    excess[each][model] += compute_excess(each.base, sample, model)
    for each in requests:
        if each.how == "macro":
            use = np.ones(k, np.bool_) if each.takes_one_class else rows.sizes > 0
            count = max(1, int(use.sum()))
            mean = values[each][:, use].mean(axis=1) if use.any() else np.full(many, np.nan)
            by_model = zip(mean.tolist(), influences[each] / count, strict=True)
            averaged = [RowInfluences(*pair) for pair in by_model]
            yield each, averaged, values[each], (excess[each] / count).tolist()
        else:
            measure = partial(rows.pooled, each) if each.how == "micro" else rows.whole_rows
            no_values = np.full((many, k), np.nan)
            yield each, [measure(model) for model in range(many)], no_values, ()


# --- rare, doubtful and worst labels --------------------------------------------------------------

#: Rows of a class of a label below which no interval is sure.
_FEW: Final = 30


def _label_notes(rows: LabelledRows, requests: Sequence[LabelMetric]) -> Iterator[str]:
    """Yield notes on labels of one class, of few rows, and on the threshold."""
    k = len(rows.names)
    if (rows.labels.sum(axis=1) == 1).all():
        yield (
            "Each row has exactly one label: if labels exclude each other, pass the class of each "
            "row as `y_true`."
        )
    lone = list_first(rows.named(rows.sizes == 0))
    if lone and any(each.how == "macro" and not each.takes_one_class for each in requests):
        kept = ", ".join(
            NAMES.get(each.base.label, each.base.label)
            for each in requests
            if each.takes_one_class or each.how != "macro"
        )
        rest = f" (not {kept})" if kept else ""
        yield f"Means over the {k} labels leave out labels of one class: {lone}{rest}."
    few = list_first(rows.named((rows.sizes > 0) & (rows.sizes < _FEW)))
    if few:
        yield f"Intervals are unreliable, as a class has fewer than {_FEW} rows: {few}."
    if rows.threshold is not None and not rows.are_decisions:
        yield f"A label is predicted where its score is ≥ {rows.threshold:g}."


def _worst(
    rows: LabelledRows, by_label: Mapping[LabelMetric, Floats], level: float
) -> Iterator[str]:
    """Yield the worst label of each model by the first mean, with limits that hold for all."""
    means = [each for each in by_label if each.how == "macro" and each.base.higher_is_better]
    for first in means[:1]:
        for k, (model, values) in enumerate(zip(rows.models, by_label[first], strict=True)):
            known = np.flatnonzero(~np.isnan(values))
            if len(known) < 2:
                continue
            worst = int(known[np.argmin(values[known])])
            one = _estimate_label(rows, first, k, worst, 1.0 - (1.0 - level) / len(known))
            name = NAMES.get(first.base.name, first.base.name)
            yield (
                f"{model.name}: {rows.names[worst]} has the lowest {name} of {len(known)} labels, "
                f"{with_limits(one.estimate, one.confidence_interval)} (corrected)."
            )


def _estimate_label(
    rows: LabelledRows, each: LabelMetric, model: int, label: int, level: float
) -> Estimate:
    """Estimate a metric of one label for one model."""
    options = dict(rows.options)
    if each.is_of_decisions:
        options["threshold"] = rows.threshold
    with said_in_notes():
        (one,) = estimate(
            rows.labels[:, label],
            rows.columns(label)[model].values,
            metrics={each.base.label: metric_argument(each.base)},
            confidence_level=level,
            **options,
        ).values()
    return one
