"""Rows that have several labels at once: means over labels of what `estimate` says of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import with_limits
from fastmetrics._input.classes import check_multilabel_indicator
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import NamedScores, pairs_of
from fastmetrics._input.rows import has_names
from fastmetrics._input.scores import check_score_matrix
from fastmetrics._report.model_evaluation import said_in_notes
from fastmetrics._report.precision_excess import (
    OF_PRECISION,
    excess_of_precision,
    with_excess,
)
from fastmetrics._report.task_evaluation import NAMES, TaskEvaluation
from fastmetrics.errors import InputError
from fastmetrics.inference.compare import Chosen, compared
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate import estimate, metric_of
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.samples import BinarySample, Design, warn_of_units
from fastmetrics.inference.table_points import (
    Measured,
    counts_of_share,
    has_influences,
    measure_of,
    of_cells,
)
from fastmetrics.inference.units import Floats, Ints
from fastmetrics.measures._influences import RowInfluences, of_mean
from fastmetrics.measures.asking import Asked, MetricsLike, ask, is_pair, labelled

#: What is measured where nothing else is asked: of scores, of probabilities, of decisions.
_OF_SCORES: Final = ("roc_auc_macro", "average_precision_macro")
_OF_PROBABILITIES: Final = ("brier_score",)
_OF_DECISIONS: Final = ("f1_macro", "f1_micro", "subset_accuracy", "hamming_loss")
#: Names of measures of rows with several labels, and what of one label they are made of.
_MADE_OF: Final = {
    "subset_accuracy": ("accuracy", "rows"),
    "accuracy": ("accuracy", "rows"),
    "accuracy_score": ("accuracy", "rows"),
    "hamming_loss": ("error_rate", "macro"),
}
#: Rows of a class of a label below which no interval is sure, and how many names a note has.
_FEW, _NAMED = 30, 5


class Of(NamedTuple):
    """A measure: of each label its mean ("macro"), of all cells ("micro"), or of whole rows."""

    base: Asked
    how: str

    @property
    def shown(self) -> Asked:
        """The measure as it is estimated: a mean of labels has none of the rules of one."""
        own = measure_of(self.base)
        return replace(self.base, measure=replace(own, name=f"{own.name}_{self.how}"))

    @property
    def is_of_decisions(self) -> bool:
        """Whether it takes predicted labels."""
        return measure_of(self.base).needs == "labels"

    @property
    def is_of_precision(self) -> bool:
        """Whether it is a mean of areas of precision, which are too large."""
        return self.how == "macro" and measure_of(self.base).name in OF_PRECISION

    @property
    def takes_one_class(self) -> bool:
        """Whether a label has it too of which all rows are of one class: it is a mean of rows."""
        return bool(measure_of(self.base).row_loss) or self.base.name == "accuracy"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows of a weight with their labels, (n, L), and the scores that each model gives them."""

    names: tuple[str, ...]
    labels: NDArray[np.int8]
    models: tuple[NamedScores, ...]
    options: dict[str, Any]
    threshold: float | None

    @classmethod
    def checked(
        cls, y_true: Any, models: Sequence[NamedScores], threshold: float | None, **options: Any
    ) -> Labelled:
        """Return labels and scores, verified; columns of frames are matched by their names."""
        labels = check_multilabel_indicator(y_true, "y_true")
        n, k = labels.shape
        if k < 2:
            raise InputError(f"`y_true` must have a column for each label, 2 or more: got {k}")
        names = _columns_of(y_true)
        found = []
        for each in models:
            matrix, own = as_array(each.values, each.argument), _columns_of(each.values)
            if matrix.shape != (n, k):
                raise InputError(
                    f"`{each.argument}` must have the shape of `y_true`, a column for each label, "
                    f"{n, k}: got {matrix.shape}; of classes that exclude one another `y_true` is "
                    "the class of each row"
                )
            scores = check_score_matrix(matrix, each.argument)
            if names and own and own != names and {*own} == {*names}:
                scores = scores[:, [own.index(name) for name in names]]
            found.append(each._replace(values=scores))
        weights = Design.checked(n, options | {"strata": None}).weights
        if weights is not None and not weights.all():  # rows of no weight are none
            kept = weights > 0
            labels, found = labels[kept], [m._replace(values=m.values[kept]) for m in found]
            for name in ("sample_weight", "groups"):
                if options[name] is not None:
                    options[name] = as_array(options[name], name)[kept]
        own_names = names or [f"y_true[:, {j}]" for j in range(k)]
        rows = cls(tuple(own_names), labels, tuple(found), options, threshold)
        return replace(rows, threshold=0.5) if threshold is None and rows.are_decisions else rows

    @cached_property
    def design(self) -> Design:
        """Weights and groups."""
        return Design.checked(len(self.labels), self.options | {"strata": None})

    @cached_property
    def are_decisions(self) -> bool:
        """Whether models predict labels, not scores."""
        return all(((m.values == 0) | (m.values == 1)).all() for m in self.models)

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

    def usual(self) -> tuple[str, ...]:
        """Return what is measured where nothing is asked."""
        if self.are_decisions:
            return _OF_DECISIONS
        bounds = [(m.values.min(), m.values.max()) for m in self.models]
        are_fractions = all(low >= 0.0 and high <= 1.0 for low, high in bounds)
        of_decisions = () if self.threshold is None else _OF_DECISIONS
        return (*_OF_SCORES, *_OF_PROBABILITIES * are_fractions, *of_decisions)

    def columns(self, label: int) -> list[NamedScores]:
        """Return the scores that the models give to one label."""
        return [m._replace(values=np.ascontiguousarray(m.values[:, label])) for m in self.models]

    def of_label(self, label: int, asked: Sequence[Of]) -> BinarySample:
        """Return one label as rows of two classes."""
        given: dict[str, Any] = dict.fromkeys(("pos_label", "strata", "groups"))
        given |= {"sample_weight": self.options["sample_weight"], "threshold": self.threshold}
        given |= {"weights_are": self.options["weights_are"], "asked": [e.base for e in asked]}
        return BinarySample(self.labels[:, label], self.columns(label), given)

    def pooled(self, each: Of, model: int) -> RowInfluences:
        """Return a measure of the cells of all labels together."""
        codes = 2 * self.labels + (self.models[model].values >= self.threshold)
        weights = self.design.weights
        of_cell = None if weights is None else np.repeat(weights, codes.shape[1])
        counts = np.bincount(codes.ravel(), of_cell, 4).reshape(2, 2)
        value, slopes = of_cells(each.base, np.asarray(counts, np.float64))
        return RowInfluences(value, slopes[codes].sum(axis=1))

    def whole_rows(self, model: int) -> RowInfluences:
        """Return the share of rows all of whose labels are right."""
        called = self.models[model].values >= self.threshold
        return of_mean((called == self.labels).all(axis=1).astype(np.float64), self.design.weights)


def evaluate_multilabel(
    y_true: Any,
    models: Sequence[NamedScores],
    *,
    metrics: MetricsLike | None,
    confidence_level: float,
    threshold: float | None,
    **options: Any,
) -> TaskEvaluation:
    """Return means over labels for each model, with intervals, and how the models differ.

    The influence of a row on a mean is the mean of its influences: on the same rows `Units` makes
    the covariance of labels, and of models, from it. ``options`` are weights, how they are read,
    and groups.
    """
    rows = Labelled.checked(y_true, models, threshold, **options)
    asked = [_asked(*each) for each in labelled(rows.usual() if metrics is None else metrics)]
    for each in asked:
        if each.is_of_decisions and rows.threshold is None:
            raise InputError(
                f"`{each.base.label}` is of predicted labels: pass `threshold`, from which on a "
                "score is called positive, or matrices of 0 and 1"
            )
    names, own = tuple(m.name for m in models), rows.design
    units = own.units(len(rows.labels))
    warn_of_units(units, own.weights_are)
    chosen = Chosen(names, pairs_of(names), None, confidence_level, "two-sided")
    found: dict[str, dict[str, Estimate]] = {name: {} for name in names}
    pairs: dict[str, Comparison] = {}
    by_label: dict[str, Floats] = {}
    for each, influenced, of_labels, excess in _measured(rows, asked):
        by_label[each.base.label] = of_labels
        counts: list[Any] = [None] * len(names)
        if each.how == "rows" and own.is_plain:
            n = units.n_rows
            counts = [counts_of_share(one.value * n, n) for one in influenced]
        moved, own_units = np.stack([one.influences for one in influenced]), units
        if (
            each.how == "macro" and not moved.any()
        ):  # what unseen rows may do is what they do to the rarest class
            own_units = replace(units, strata=rows.rarest)
        values = tuple(one.value for one in influenced)
        measured = Measured(values, moved, own_units, tuple(counts), units.n_rows)
        shown = each.base if each.how == "rows" else each.shown
        with said_in_notes():
            comparison = compared(shown, measured, chosen, own.weights_are)
        if each.is_of_precision:
            comparison = with_excess(comparison, excess)
        if comparison.pairs:
            pairs[shown.label] = comparison
        for name, one in zip(names, comparison.models, strict=True):
            found[name][shown.label] = one
    notes = [*_of_labels(rows, asked), *_worst(rows, asked, by_label, confidence_level)]
    for name, of_model in found.items():
        notes += dict.fromkeys(f"{name}: {one.note}." for one in of_model.values() if one.note)
    directions = {each.base.label: each.base.higher_is_better for each in asked}
    return TaskEvaluation.of("multilabel", found, pairs, confidence_level, directions, notes)


def _columns_of(values: Any) -> list[str]:
    """Return the names of a data frame's columns; nothing of an array."""
    if not has_names(values):
        return []
    return [str(name) for name in getattr(values, "column_names", None) or values.columns]


def _asked(label: str | None, metric: Any) -> Of:
    """Return a measure of one label, and how it becomes one of all."""
    name, parameters = metric if is_pair(metric) else (metric, {})
    if not isinstance(name, str):
        raise InputError(f"`metrics` of several labels are names, or (name, parameters): {name!r}")
    base, how = _MADE_OF.get(name, (name.removesuffix("_macro"), "macro"))
    if base.endswith("_micro"):
        base, how = base.removesuffix("_micro"), "micro"
    (one,) = ask({label or name: (base, parameters)})
    needs = measure_of(one).needs if has_influences(one) else ""
    if needs not in ("scores", "probabilities", "labels") or measure_of(one).classes == 3:
        raise InputError(f"`{name}` is no measure of one label with influences of rows")
    if how == "micro" and needs != "labels":
        raise InputError(f"`{name}`: only decisions are counted over all labels, take the mean")
    return Of(one, how)


def _measured(
    rows: Labelled, asked: Sequence[Of]
) -> Iterator[tuple[Of, list[RowInfluences], Floats, Sequence[float]]]:
    """Yield each measure of every model: influences, values of labels, excess of precision."""
    n, k = rows.labels.shape
    many = len(rows.models)
    means = [each for each in asked if each.how == "macro"]
    values = {each: np.full((many, k), np.nan) for each in means}
    influences = {each: np.zeros((many, n)) for each in means}
    excess = np.zeros(many)
    for label in range(k if means else 0):
        of_label = [each for each in means if rows.sizes[label] or each.takes_one_class]
        sample = rows.of_label(label, of_label)
        for model in range(many):
            for each in of_label:
                found = sample.influenced(each.base, model)
                values[each][model, label] = found.value
                influences[each][model] += found.influences
            if any(each.is_of_precision for each in of_label):
                excess[model] += excess_of_precision(sample, model)
    excess /= max(1, int(np.count_nonzero(rows.sizes)))
    for each in asked:
        own = np.full((many, k), np.nan)
        if each.how == "macro":
            own = values[each]
            use = np.ones(k, np.bool_) if each.takes_one_class else rows.sizes > 0
            count = max(1, int(use.sum()))
            mean = own[:, use].mean(axis=1) if use.any() else np.full(many, np.nan)
            moved = zip(mean.tolist(), influences[each] / count, strict=True)
            yield each, [RowInfluences(*one) for one in moved], own, excess.tolist()
        else:
            of = partial(rows.pooled, each) if each.how == "micro" else rows.whole_rows
            yield each, [of(model) for model in range(many)], own, ()


def _of_labels(rows: Labelled, asked: Sequence[Of]) -> Iterator[str]:
    """Yield what must be known of the labels."""
    k = len(rows.names)
    if (rows.labels.sum(axis=1) == 1).all():
        yield (
            "Each row has one label: of classes that exclude one another pass the class of each "
            "row as `y_true`."
        )
    lone = _first_of(rows, rows.sizes == 0)
    if lone and any(each.how == "macro" and not each.takes_one_class for each in asked):
        kept = ", ".join(
            NAMES.get(each.base.label, each.base.label)
            for each in asked
            if each.takes_one_class or each.how != "macro"
        )
        rest = f"; {kept} count them" if kept else ""
        yield f"Of one class in all rows, and left out of means over the {k} labels: {lone}{rest}."
    few = _first_of(rows, (rows.sizes > 0) & (rows.sizes < _FEW))
    if few:
        yield f"Fewer than {_FEW} rows of a class, so that no interval is sure: {few}."
    if rows.threshold is not None and not rows.are_decisions:
        yield f"Decisions: a label is called at score ≥ {rows.threshold:g}."


def _first_of(rows: Labelled, which: NDArray[np.bool_]) -> str:
    names = [rows.names[j] for j in np.flatnonzero(which)]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _worst(
    rows: Labelled, asked: Sequence[Of], by_label: Mapping[str, Floats], level: float
) -> Iterator[str]:
    """Yield the worst label of each model by the first mean, with limits that hold for all."""
    of_means = [each for each in asked if each.how == "macro" and each.base.higher_is_better]
    first = next(iter(of_means), None)
    if first is None:
        return
    values = by_label[first.base.label]
    for k, model in enumerate(rows.models):
        known = np.flatnonzero(~np.isnan(values[k]))
        if len(known) < 2:
            continue
        worst = int(known[np.argmin(values[k][known])])
        scores: Any = rows.columns(worst)[k].values
        options = dict(rows.options)
        if first.is_of_decisions:
            options["threshold"] = rows.threshold
        with said_in_notes():
            one = estimate(
                rows.labels[:, worst],
                scores,
                metrics={first.base.label: metric_of(first.base)},
                confidence_level=1.0 - (1.0 - level) / len(known),
                **options,
            )[first.base.label]
        name = NAMES.get(first.base.name, first.base.name)
        yield (
            f"{model.name}: the worst of {len(known)} labels is {rows.names[worst]}: {name} "
            f"{with_limits(one.estimate, one.confidence_interval)}, adjusted for all of them."
        )
