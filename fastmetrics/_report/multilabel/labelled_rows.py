"""Rows that have several labels at once, with the scores of models; and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_multilabel_indicator
from fastmetrics._input.containers import as_array, has_names, named_columns
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_score_matrix, check_scores_array, contiguous
from fastmetrics._report.multilabel.label_bias import BIASED
from fastmetrics.errors import InputError
from fastmetrics.inference.samples import BinarySample, Design
from fastmetrics.inference.table_points import has_influences, measure_of, of_cells
from fastmetrics.inference.units import Ints
from fastmetrics.measures._influences import RowInfluences, of_mean
from fastmetrics.measures.asking import Asked, ask, is_pair

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


class Of(NamedTuple):
    """A measure: of each label its mean ("macro"), of all cells ("micro"), or of whole rows."""

    base: Asked
    how: str

    @property
    def shown(self) -> Asked:
        """The measure as it is estimated: a mean of labels has none of the rules of one."""
        own = measure_of(self.base)
        named = replace(own, name=f"{own.name}_{self.how}", of_auc=None)
        return replace(self.base, measure=named)

    @property
    def is_of_decisions(self) -> bool:
        """Whether it takes predicted labels."""
        return measure_of(self.base).needs == "labels"

    @property
    def is_biased(self) -> bool:
        """Whether it is a mean of what few positives put off, which it keeps."""
        return self.how == "macro" and measure_of(self.base).name in BIASED

    @property
    def is_auc(self) -> bool:
        """Whether it is the mean of the AUCs."""
        is_whole = measure_of(self.base).name == "roc_auc" and not self.base.parameters
        return self.how == "macro" and is_whole

    @property
    def takes_one_class(self) -> bool:
        """Whether a label has it too of which all rows are of one class: it is a mean of rows."""
        return bool(measure_of(self.base).row_loss) or self.base.name == "accuracy"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows of a weight with their labels, (n, L), and a column of each model's scores a label."""

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
        names, labels = _labels_of(y_true)
        n, k = labels.shape
        if k < 2:
            raise InputError(f"`y_true` must have a column for each label, 2 or more: got {k}")
        found = []
        for each in models:
            own, columns = _scores_of(each, labels.shape)
            if names and own and own != names and {*own} == {*names}:
                columns = [columns[own.index(name)] for name in names]
            found.append(each._replace(values=columns))
        weights = Design.checked(n, options | {"strata": None}).weights
        if weights is not None and not weights.all():  # rows of no weight are none
            kept = weights > 0
            labels = labels[kept]
            found = [m._replace(values=[column[kept] for column in m.values]) for m in found]
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
        """Return what is measured where nothing is asked."""
        if self.are_decisions:
            return _OF_DECISIONS
        columns = (column for model in self.models for column in model.values)
        are_fractions = all(column.min() >= 0 and column.max() <= 1 for column in columns)
        of_decisions = () if self.threshold is None else _OF_DECISIONS
        return (*_OF_SCORES, *_OF_PROBABILITIES * are_fractions, *of_decisions)

    def columns(self, label: int) -> list[NamedScores]:
        """Return the scores that the models give to one label."""
        return [m._replace(values=contiguous(m.values[label])) for m in self.models]

    def of_label(self, label: int, asked: Sequence[Of]) -> BinarySample:
        """Return one label as rows of two classes."""
        given: dict[str, Any] = dict.fromkeys(("pos_label", "strata", "groups"))
        given |= {"sample_weight": self.options["sample_weight"], "threshold": self.threshold}
        given |= {"weights_are": self.options["weights_are"], "asked": [e.base for e in asked]}
        sample = BinarySample(self.labels[:, label], self.columns(label), given)
        sample.check_domains(given["asked"])
        return sample

    def pooled(self, each: Of, model: int) -> RowInfluences:
        """Return a measure of the cells of all labels together."""
        weights, counts = self.design.weights, np.zeros(4)
        codes = [2 * own + called for own, called in self._decided(model)]
        for of_label in codes:
            counts += np.bincount(of_label, weights, 4)
        value, slopes = of_cells(each.base, counts.reshape(2, 2))
        moved = np.zeros(len(self.labels))
        for of_label in codes:
            moved += slopes[of_label]
        return RowInfluences(value, moved)

    def whole_rows(self, model: int) -> RowInfluences:
        """Return the share of rows all of whose labels are right."""
        right = np.ones(len(self.labels), np.bool_)
        for own, called in self._decided(model):
            right &= own == called
        return of_mean(right.astype(np.float64), self.design.weights)

    def _decided(self, model: int) -> Iterator[tuple[NDArray[np.int8], NDArray[np.bool_]]]:
        """Yield each label as it is, and as a model calls it."""
        for own, column in zip(self.labels.T, self.models[model].values, strict=True):
            yield own, column >= self.threshold


def _labels_of(y_true: Any) -> tuple[list[str], NDArray[np.int8]]:
    """Return the names of labels, where they have some, and the matrix of 0 and 1."""
    if not has_names(y_true):
        return [], check_multilabel_indicator(y_true)
    columns = named_columns(y_true, "y_true")
    found: list[NDArray[np.int8]] = []
    for name, column in columns.items():
        argument = f"y_true[{name!r}]"
        check_same_length(y_true=found[0] if found else column, **{argument: column})
        found.append(check_multilabel_indicator(column[:, None], argument))
    return [*columns], np.concatenate(found, axis=1)


def _scores_of(model: NamedScores, shape: tuple[int, ...]) -> tuple[list[str], list[NDArray[Any]]]:
    """Return the names of a model's columns, where they have some, and each in its own dtype."""
    name, own = model.argument, dict[str, NDArray[Any]]()
    if has_names(model.values):
        own = named_columns(model.values, name)
        found = (len(next(iter(own.values()))), len(own)) if own else (0, 0)
    else:
        matrix = as_array(model.values, name)
        found = matrix.shape
    if found != shape:
        raise InputError(
            f"`{name}` must have the shape of `y_true`, a column for each label, {shape}: got "
            f"{found}; of classes that exclude one another `y_true` is the class of each row"
        )
    if own:
        columns = [check_scores_array(each, f"{name}[{key!r}]") for key, each in own.items()]
        check_same_length(**{f"{name}[{key!r}]": each for key, each in own.items()})
        return [*own], columns
    return [], [*check_score_matrix(matrix, name).T]


def asked_of_labels(label: str | None, metric: Any) -> Of:
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
