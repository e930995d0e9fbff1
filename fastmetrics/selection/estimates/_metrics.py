"""``metrics=`` where estimators are evaluated: what a fitted model is asked for, and the value."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_direction
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError, UndefinedMetricWarning
from fastmetrics.measures.asking import Asked, ask, ask_one
from fastmetrics.measures.decisions.count_measures import value
from fastmetrics.measures.registry import MEASURES
from fastmetrics.measures.regression.regression_measures import regression_measures
from fastmetrics.selection.estimates._judged import Judged
from fastmetrics.selection.estimates.row_losses import RowLoss, row_loss_of
from fastmetrics.tables.score_table import ScoreTable


class _AlwaysRight:
    """Predicts what it is given as ``X``, the true values: measures are tried on it."""

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return X

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.eye(len(X))

    def decision_function(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.arange(2.0) if len(X) == 2 else np.eye(len(X))


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure: how it is found on some rows, and which direction is better, if known."""

    asked: Asked
    find: Callable[[Asked, Judged], Any]
    higher_is_better: bool | None

    @property
    def label(self) -> str:
        """The name that its result gets."""
        return self.asked.label

    @property
    def said(self) -> str:
        """Its name; a function that nobody knows says what it is given."""
        return f"{self.label} (given predictions)" if self.given == "predictions" else self.label

    @property
    def given(self) -> str:
        """What it is given beside the true values, in the registry's words where it knows it."""
        if self.asked.measure is not None:
            return self.asked.measure.needs
        return "estimator" if self.find is _by_scorer else "predictions"

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value, infinite where they are not known."""
        if self.asked.measure is not None:
            return self.asked.measure.bounds
        scorer: Any = self.asked.function
        inner = getattr(scorer, "_score_func", None)
        if inner is not None:
            measure = ask(partial(inner, **scorer._kwargs))[0].measure
            low, high = (-math.inf, math.inf) if measure is None else measure.bounds
            return (low, high) if scorer._sign > 0 else (-high, -low)
        return -math.inf, math.inf

    @property
    def row_loss(self) -> RowLoss | None:
        """The loss of single rows whose mean it is; None if it is no such mean."""
        return None if self.find is _by_scorer else row_loss_of(self.asked)

    def losses(self, judged: Judged) -> NDArray[np.float64]:
        """Return the losses of some rows, of a measure that is their mean; nan where undefined."""
        if self.asked.measure is not None and math.isnan(self.of(judged)):
            return np.full(len(judged.y), np.nan)
        return RowLoss(self.asked).of(*self._given(judged))

    def no_information(self, judged: Judged) -> float:
        """Return the mean of such a loss over all pairs of a row and what is said of a row."""
        return RowLoss(self.asked).over_pairs(*self._given(judged))

    def _given(self, judged: Judged) -> tuple[NDArray[Any], NDArray[Any]]:
        measure = self.asked.measure
        return (judged.y, judged.predicted) if measure is None else judged.given_to(measure)

    def of(self, judged: Judged) -> float:
        """Return the value on some rows; nan, without a warning, where it is undefined."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return self._found(judged)

    def check(self, classes: NDArray[Any] | None) -> None:
        """Raise for what cannot be asked of an estimator of these classes; None for a regressor.

        A measure of the library is tried on a perfect prediction, before any fit.
        """
        self.check_kind(classes)
        if self.asked.measure is not None and not self.asked.is_only_function:
            y = np.array([1.0, 2.0]) if classes is None else classes
            # of what is certain and right nothing is left to calibrate: that is no news
            find = self.of if self.asked.measure.family == "calibration" else self._found
            find(Judged(_AlwaysRight(), y, y, classes))

    def check_kind(self, classes: NDArray[Any] | None) -> None:
        """Raise if the estimator cannot say what the measure needs, or has too many classes."""
        measure, label = self.asked.measure, self.label
        if measure is None:
            return
        if measure.needs in ("values", "nothing"):
            if classes is not None:
                raise InputError(f"{label!r} is for regression: `estimator` is a classifier")
            return
        if classes is None:
            raise InputError(f"{label!r} is for classes: `estimator` is a regressor")
        n, said = len(classes), f"and `y` has {len(classes):,}"
        is_binary = measure.classes == 2 or (measure.family, measure.needs) == ("own", "scores")
        if is_binary and n != 2:
            more = [m.name for m in MEASURES.values() if m.classes != 2]
            known = ", ".join(name for name in more if name.startswith(f"{measure.name}_"))
            advice = f": see {known}" if known else ": make `y` one class against the rest"
            raise InputError(f"{label!r} is for two classes, {said}{advice if n > 2 else ''}")
        if n < measure.classes:
            fewer = [m.name for m in MEASURES.values() if m.classes == 2]
            kin = [f": take {name!r}" for name in fewer if measure.name.startswith(f"{name}_")]
            advice = "".join(kin) if n > 1 else ""
            raise InputError(f"{label!r} is for three classes and more, {said}{advice}")

    def _found(self, judged: Judged) -> float:
        found = self.find(self.asked, judged)
        if isinstance(found, np.ndarray) and found.ndim > 0:
            raise InputError(f"{self.label!r} must return one number: got shape {found.shape}")
        return float(found)


def asked_metrics(metrics: Any, classes: NDArray[Any] | None) -> tuple[Metric, ...]:
    """Return the measures that ``metrics=`` asks for, of classes; raise as `Metric.check` does."""
    found = tuple(map(metric_of, ask(metrics)))
    for metric in found:
        metric.check(classes)
    return found


def asked_metric(metric: Any, higher_is_better: Any, classes: NDArray[Any] | None) -> Metric:
    """Return one measure, whose direction is known."""
    one = metric_of(ask_one(defaults(classes)[0] if metric is None else metric))
    one = replace(one, higher_is_better=directed(one, higher_is_better))
    one.check(classes)
    return one


def directed(metric: Metric, higher_is_better: Any) -> bool:
    """Return the direction that was given, or else that of the measure, or raise."""
    if higher_is_better is not None:
        return check_direction(higher_is_better)
    if metric.higher_is_better is None:
        raise InputError(f"`higher_is_better` is needed: no direction of {metric.label!r} is known")
    return metric.higher_is_better


def defaults(classes: NDArray[Any] | None) -> tuple[str, ...]:
    """Return what is measured where nothing is asked for; of single rows the first alone."""
    if classes is None:
        return "mean_squared_error", "mean_absolute_error", "r2"
    return "error_rate", "balanced_accuracy", "f1_macro" if len(classes) > 2 else "f1"


def metric_of(one: Asked) -> Metric:
    """Return how a measure that was asked for is found on rows that a model judged."""
    if one.measure is not None:
        key = (one.measure.family, one.measure.needs)
        find = _FINDERS.get(key, _by_own)
        if one.is_only_function and find is not _by_own:
            find = _by_options
        return Metric(one, find, one.higher_is_better)
    if _is_scorer(one.function):
        return Metric(one, _by_scorer, True)
    return Metric(one, _by_function, None)


def _is_scorer(function: Any) -> bool:
    """Return whether it takes (estimator, X, y), as scikit-learn's scorers, not (y, predicted)."""
    if hasattr(function, "_score_func"):
        return True
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return bool(names) and names[0] in ("estimator", "est", "clf", "model")


def _by_classes(one: Asked, judged: Judged) -> Any:
    """Return nan where a class has no row: what is left is another measure."""
    measure: Any = one.measure
    codes = judged.true_codes
    if not np.bincount(codes, minlength=len(judged.classes)).all():
        return math.nan
    if measure.needs == "scores":
        table = ScoreTable.from_scores(codes, judged.scores, **judged.weights)
        return measure.value(table, **one.parameters)
    columns = judged.probabilities
    return _value(one, judged, codes, columns[:, 1] if measure.family == "costs" else columns)


def _by_confusion(one: Asked, judged: Judged) -> Any:
    return value(one.name, judged.confusion, **one.parameters)


def _by_probabilities(one: Asked, judged: Judged) -> Any:
    """Give a measure all columns; one of the calibration of two classes that of the second."""
    measure: Any = one.measure
    columns = judged.probabilities
    if measure.family == "calibration" and columns.shape[1] == 2:
        return _value(one, judged, judged.true_codes, columns[:, 1])
    return _value(one, judged, judged.true_codes, columns, labels=np.arange(columns.shape[1]))


def _by_values(one: Asked, judged: Judged) -> Any:
    return _value(one, judged, judged.y, judged.predicted)


def _by_decisions(one: Asked, judged: Judged) -> Any:
    """Return nan where the model was not shown a class: it has no decision value."""
    if len(judged.shown) < len(judged.classes):
        return math.nan
    data = judged.true_codes, judged.decisions
    return _value(one, judged, *data, labels=np.arange(len(judged.classes)))


def _by_numbers(one: Asked, judged: Judged) -> Any:
    asked, data = {one.label: (one.name, one.parameters)}, (judged.y, judged.predicted)
    return regression_measures(*data, metrics=asked, **judged.weights)[one.label]


def _by_no_prediction(one: Asked, judged: Judged) -> Any:
    raise InputError(
        f"{one.label!r} judges no prediction, and so no estimator: name an error, as 'mean_error'"
    )


def _value(one: Asked, judged: Judged, *data: Any, **labels: Any) -> Any:
    measure: Any = one.measure
    return measure.value(*data, **labels, **judged.weights, **one.parameters)


def _by_own(one: Asked, judged: Judged) -> Any:
    measure: Any = one.measure
    function: Any = one.function
    is_said = measure.needs in ("scores", "probabilities")
    said = getattr(judged, measure.needs if is_said else "predicted")
    data = judged.true_codes if is_said else judged.y, said
    if hasattr(function, "py_func"):  # compiled: it takes the weights of rows too
        given = judged.weights.get("sample_weight")
        n = len(judged.y)
        weights = np.ones(n) if given is None else check_weights(given, n).values
        return function(*data, np.asarray(weights, np.float64))
    return function(*data, **judged.weights)


def _by_options(one: Asked, judged: Judged) -> Any:
    """Call a function that the registry names with options that it does not know, on `y` itself.

    Of two classes it gets one column, as from scikit-learn's scorers: that of `pos_label`, or else
    of the second.
    """
    measure: Any = one.measure
    positive = getattr(one.function, "keywords", {}).get("pos_label")
    is_first = len(judged.classes) == 2 and positive is not None and positive == judged.classes[0]
    if measure.needs in ("labels", "values"):
        said = judged.predicted
    elif measure.needs == "scores" and measure.family == "probabilities":
        said = judged.decisions
    elif measure.needs == "scores":
        said = -judged.scores if is_first else judged.scores
    else:
        said = judged.probabilities
        said = said[:, 0 if is_first else 1] if said.shape[1] == 2 else said
    return measure.value(judged.y, said, **judged.weights)


def _by_function(one: Asked, judged: Judged) -> Any:
    function: Any = one.function
    return function(judged.y, judged.predicted)


def _by_scorer(one: Asked, judged: Judged) -> Any:
    scorer: Any = one.function
    return scorer(judged.model, judged.X, judged.y)


#: How measures are found, by their room and by what they need, as the registry declares both.
_FINDERS: Final[dict[tuple[str, str], Callable[[Asked, Judged], Any]]] = {
    ("curves", "scores"): _by_classes,
    ("curves", "probabilities"): _by_classes,
    ("costs", "scores"): _by_classes,
    ("costs", "probabilities"): _by_classes,
    **dict.fromkeys((("costs", "values"), ("concordance", "values")), _by_values),
    ("decisions", "labels"): _by_confusion,
    ("probabilities", "probabilities"): _by_probabilities,
    ("probabilities", "scores"): _by_decisions,
    ("calibration", "probabilities"): _by_probabilities,
    ("regression", "values"): _by_numbers,
    ("regression", "nothing"): _by_no_prediction,
}
