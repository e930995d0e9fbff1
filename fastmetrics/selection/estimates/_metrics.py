"""``metrics=`` of an estimator's evaluation: names, callables, scorers; and their values."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning
from fastmetrics.intervals.bootstrap._threshold_plans import THRESHOLD_PLANS
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.asking import Asked, ask
from fastmetrics.measures.decisions._count_parameters import checked_parameters
from fastmetrics.measures.decisions.count_measures import value
from fastmetrics.measures.regression import regression_measures as regression
from fastmetrics.tables.scores.score_table import ScoreTable


class Judged:
    """Some rows with what a fitted model says of them, asked once for each kind of output.

    ``classes`` are those of all rows, sorted; None for regression.
    """

    def __init__(self, model: Any, X: Any, y: NDArray[Any], classes: NDArray[Any] | None) -> None:
        self.model, self.X, self.y, self.classes = model, X, y, classes

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """Predictions, one a row."""
        found = np.asarray(self.model.predict(self.X))
        if found.shape == (len(self.y), 1):
            found = found[:, 0]
        if found.shape != self.y.shape:
            raise InputError(
                f"`estimator` must predict one value a row: got shape {found.shape} for "
                f"{len(self.y):,} rows"
            )
        return found

    @cached_property
    def true_codes(self) -> NDArray[np.intp]:
        """The class number of each row."""
        return _codes(self._known_classes, self.y)

    @cached_property
    def confusion(self) -> NDArray[np.int64]:
        """Counts (K, K) of true and predicted classes."""
        k = len(self._known_classes)
        cells = self.true_codes * k + _codes(self._known_classes, self.predicted)
        return np.bincount(cells, minlength=k * k).reshape(k, k)

    @cached_property
    def probabilities(self) -> NDArray[Any]:
        """Probabilities (n, K), in the order of all classes; 0 for those it was not shown."""
        known = self._known_classes
        if not hasattr(self.model, "predict_proba"):
            raise InputTypeError(f"{type(self.model).__name__} has no predict_proba")
        found = np.asarray(self.model.predict_proba(self.X))
        own = np.asarray(getattr(self.model, "classes_", known))
        if found.shape != (len(self.y), len(own)):
            raise InputError(
                f"predict_proba must return one column for each of {len(own):,} classes: got shape "
                f"{found.shape}"
            )
        whole = np.zeros((len(self.y), len(known)))
        whole[:, _codes(known, own)] = found
        return whole

    @cached_property
    def scores(self) -> NDArray[Any]:
        """Scores of the second of two classes: ``decision_function``, or else probabilities."""
        known = self._known_classes
        if len(known) != 2:
            raise InputError(f"threshold measures are for two classes: `y` has {len(known):,}")
        if len(getattr(self.model, "classes_", known)) == 2:
            if hasattr(self.model, "decision_function"):
                return np.asarray(self.model.decision_function(self.X)).ravel()
            if not hasattr(self.model, "predict_proba"):
                name = type(self.model).__name__
                raise InputTypeError(f"{name} has neither decision_function nor predict_proba")
        return self.probabilities[:, 1]

    @property
    def _known_classes(self) -> NDArray[Any]:
        if self.classes is None:
            raise InputError("measures of classes need a classifier: `estimator` is a regressor")
        return self.classes


def _codes(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each label among the sorted classes."""
    if (classes.dtype.kind in "UOT") != (labels.dtype.kind in "UOT"):
        raise InputTypeError(f"`estimator` predicts {labels.dtype} where `y` holds {classes.dtype}")
    found = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    strange = np.flatnonzero(classes[found] != labels)
    if len(strange):
        raise InputError(f"`estimator` predicts {labels[strange[0]]!r}, which is no label of `y`")
    return found


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure: what it is called, how it is found, which direction is better if known."""

    label: str
    kind: str
    name: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] | None = None
    higher_is_better: bool | None = None
    measure: Measure | None = None

    def of(self, judged: Judged) -> float:
        """Return the value on some rows; nan, without a warning, where it is undefined."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            found = _FINDERS[self.kind](self, judged)
        if isinstance(found, np.ndarray) and found.ndim > 0:
            raise InputError(f"{self.label!r} must return one number: got shape {found.shape}")
        return float(found)


def _count(metric: Metric, judged: Judged) -> Any:
    return value(metric.name, judged.confusion, **metric.parameters)


def _threshold(metric: Metric, judged: Judged) -> Any:
    scores, positive = judged.scores, judged.true_codes
    if positive.min() == positive.max():
        return math.nan
    table = ScoreTable.from_scores(positive, scores)
    return THRESHOLD_PLANS[metric.name](**metric.parameters).of_table(table)


def _probability(metric: Metric, judged: Judged) -> Any:
    codes, matrix = judged.true_codes, judged.probabilities
    if metric.measure is None or metric.measure.needs != "probabilities":
        raise InputError(f"{metric.label!r} cannot be asked of an estimator: pass a scorer")
    labels = np.arange(matrix.shape[1])
    return metric.measure.value(codes, matrix, labels=labels, **metric.parameters)


def _multiclass(metric: Metric, judged: Judged) -> Any:
    codes, matrix = judged.true_codes, judged.probabilities
    if metric.measure is None or matrix.shape[1] < 3:
        raise InputError(f"{metric.label!r} is for three classes and more: take 'roc_auc'")
    if len(np.unique(codes)) < matrix.shape[1]:
        return math.nan
    return metric.measure.value(codes, matrix)


def _own(metric: Metric, judged: Judged) -> Any:
    function: Any = metric.function
    needs = "scores" if metric.measure is None else metric.measure.needs
    if needs in ("labels", "values"):
        data = (judged.y, judged.predicted)
    else:
        found = judged.probabilities if needs == "probabilities" else judged.scores
        data = (judged.true_codes, found)
    if hasattr(function, "py_func"):  # compiled: it takes the weights of rows too
        return function(*data, np.ones(len(judged.y)))
    return function(*data)


def _regression(metric: Metric, judged: Judged) -> Any:
    if judged.classes is not None:
        raise InputError(f"{metric.label!r} is for regression: `estimator` is a classifier")
    return regression.measured(metric.name, judged.y, judged.predicted, **metric.parameters)


def _function(metric: Metric, judged: Judged) -> Any:
    function: Any = metric.function
    return function(judged.y, judged.predicted)


def _scorer(metric: Metric, judged: Judged) -> Any:
    scorer: Any = metric.function
    return scorer(judged.model, judged.X, judged.y)


_FINDERS: Final[dict[str, Callable[[Metric, Judged], Any]]] = {
    "curves": _threshold,
    "multiclass": _multiclass,
    "decisions": _count,
    "probabilities": _probability,
    "regression": _regression,
    "own": _own,
    "function": _function,
    "scorer": _scorer,
}


def resolved_metrics(metrics: Any, parameter: str = "metrics") -> tuple[Metric, ...]:
    """Return what ``metrics=`` asks for: a name, a pair, a callable, several, or a mapping.

    Raises
    ------
    TypeError, ValueError
        For what is none of them, an unknown name or parameter, or a name that comes twice.
    """
    return tuple(map(_metric, ask(metrics, parameter)))


def _metric(one: Asked) -> Metric:
    if one.measure is None:
        kind = "scorer" if _is_scorer(one.function) else "function"
        up = True if kind == "scorer" else None
        return Metric(one.label, kind, function=one.function, higher_is_better=up)
    kind = one.measure.family
    if kind == "curves":
        if one.measure.resampled == "classes":
            kind = "multiclass"
        else:
            THRESHOLD_PLANS[one.name](**one.parameters)  # which checks the parameters
    elif kind == "decisions":
        checked_parameters(one.label, one.measure, one.parameters)
    elif kind == "regression":
        regression.planned(one)  # which checks the parameters
    return Metric(
        one.label, kind, one.name, one.parameters, one.function, one.higher_is_better, one.measure
    )


def _is_scorer(function: Any) -> bool:
    """Return whether it takes (estimator, X, y), as scikit-learn's scorers, not (y, predicted)."""
    if hasattr(function, "_score_func"):
        return True
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return bool(names) and names[0] in ("estimator", "est", "clf", "model")
