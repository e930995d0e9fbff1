"""``metrics=`` of estimators: the outputs of a fitted model, and the metric's value of them."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_direction
from fastmetrics._input.scores import check_weights
from fastmetrics.errors import (
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    importing,
    warn_user,
)
from fastmetrics.metrics._metric import Metric
from fastmetrics.metrics.asking import MetricRequest, ask, ask_one
from fastmetrics.metrics.decisions.count_metrics import value
from fastmetrics.metrics.registry import DEFAULTS, METRICS
from fastmetrics.metrics.regression.regression_metrics import regression_metrics
from fastmetrics.selection.point632 import has_row_losses, loss_over_pairs, row_losses


class ModelOutputs:
    """Some rows with the outputs of a fitted model, each kind computed once.

    ``classes`` are those of all rows, sorted; None for regression, which has `predicted` alone.
    """

    def __init__(self, model: Any, X: Any, y: NDArray[Any], classes: Any, w: Any = None) -> None:
        self.model = model
        self.X = X
        self.y = y
        self.classes = classes
        self.weights = {} if w is None else {"sample_weight": w}

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """Predictions, one a row."""
        predicted = np.asarray(self.model.predict(self.X))
        if predicted.shape == (len(self.y), 1):
            predicted = predicted[:, 0]
        if predicted.shape != self.y.shape:
            raise InputError(
                f"`estimator` must predict one value a row: got shape {predicted.shape} for "
                f"{len(self.y):,} rows"
            )
        return predicted

    @cached_property
    def true_codes(self) -> NDArray[np.intp]:
        """The class number of each row."""
        return _codes(self.classes, self.y)

    @cached_property
    def predicted_codes(self) -> NDArray[np.intp]:
        """The number of the class that each row is predicted to be of."""
        return _codes(self.classes, self.predicted)

    @cached_property
    def confusion(self) -> NDArray[Any]:
        """Counts (K, K) of true and predicted classes, or weights."""
        k = len(self.classes)
        weights = check_weights(n=len(self.y), **self.weights).values if self.weights else None
        cells = self.true_codes * k + self.predicted_codes
        return np.bincount(cells, weights, k * k).reshape(k, k)

    @cached_property
    def probabilities(self) -> NDArray[Any]:
        """Probabilities (n, K), in the order of all classes; 0 for those it was not shown."""
        return self._columns("predict_proba", "probabilities need: CalibratedClassifierCV adds one")

    @cached_property
    def scores(self) -> NDArray[Any]:
        """Scores of the second of two classes: ``decision_function``, or else probabilities."""
        if len(self.classes_of_model) == 2:
            if hasattr(self.model, "decision_function"):
                return np.asarray(self.model.decision_function(self.X)).ravel()
            if not hasattr(self.model, "predict_proba"):
                name = type(self.model).__name__
                raise InputTypeError(f"{name} has neither decision_function nor predict_proba")
        return self.probabilities[:, 1]

    @cached_property
    def decisions(self) -> NDArray[Any]:
        """Decision values of the second of two classes (n,), or of each class (n, K)."""
        call = "decision_function", "decision values need: name one of probabilities, 'log_loss'"
        return self._call_model(*call).ravel() if len(self.classes) == 2 else self._columns(*call)

    def columns_for(self, metric: Metric) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the true values and the outputs that a metric takes: of two classes a column."""
        if metric.needs == "values":
            return self.y, self.predicted
        if metric.needs == "labels":
            return self.true_codes, self.predicted_codes
        if metric.needs == "scores":
            is_margin = metric.family == "probabilities"
            return self.true_codes, self.decisions if is_margin else self.scores
        columns = self.probabilities
        return self.true_codes, columns[:, 1] if columns.shape[1] == 2 else columns

    @property
    def classes_of_model(self) -> NDArray[Any]:
        """The classes that the model was shown."""
        return np.asarray(getattr(self.model, "classes_", self.classes))

    def _call_model(self, method: str, why: str) -> NDArray[Any]:
        if not hasattr(self.model, method):
            name = type(self.model).__name__
            raise InputTypeError(f"{name} has no {method}, which metrics of {why}")
        return np.asarray(getattr(self.model, method)(self.X))

    def _columns(self, method: str, why: str) -> NDArray[Any]:
        """Return the scores of all classes in order; 0 for classes absent from training."""
        scores = self._call_model(method, why)
        known_classes = self.classes_of_model
        if scores.shape != (len(self.y), len(known_classes)):
            raise InputError(
                f"{method} must return one column for each of {len(known_classes):,} classes: "
                f"got shape {scores.shape}"
            )
        whole = np.zeros((len(self.y), len(self.classes)))
        whole[:, _codes(self.classes, known_classes)] = scores
        return whole


def _codes(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each label among the sorted classes."""
    if (classes.dtype.kind in "UOT") != (labels.dtype.kind in "UOT"):
        raise InputTypeError(f"`estimator` predicts {labels.dtype} where `y` holds {classes.dtype}")
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    strange = np.flatnonzero(classes[codes] != labels)
    if len(strange):
        raise InputError(f"`estimator` predicts {labels[strange[0]]!r}, which is no label of `y`")
    return codes


def check_sklearn(what: str) -> None:
    """Raise if scikit-learn, which something needs, is not installed."""
    with importing(f"{what} needs scikit-learn: pip install 'fastmetrics-eval[estimators]'"):
        import sklearn  # noqa: F401


def classifies(estimator: Any, y: NDArray[Any]) -> bool:
    """Return True if an estimator is a classifier: by its tags, else by its methods and `y`."""
    from sklearn.base import is_classifier, is_regressor

    try:
        if is_classifier(estimator) or is_regressor(estimator):
            return bool(is_classifier(estimator))
    except (AttributeError, TypeError):  # made without scikit-learn's base classes
        pass
    decides = hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")
    return decides or y.dtype.kind in "UOb"


class _AlwaysRight:
    """Predicts what it is given as ``X``, the true values: metrics are tried on it."""

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return X

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.eye(len(X))

    def decision_function(self, X: NDArray[Any]) -> NDArray[Any]:
        return np.arange(2.0) if len(X) == 2 else np.eye(len(X))


@dataclass(frozen=True, slots=True)
class EstimatorMetric:
    """One metric: how it is computed on some rows, and which direction is better, if known."""

    request: MetricRequest
    find: Callable[[MetricRequest, ModelOutputs], Any]
    higher_is_better: bool | None

    @property
    def label(self) -> str:
        """The name that its result gets."""
        return self.request.label

    @property
    def display_name(self) -> str:
        """Its name; for an unknown function with its input."""
        return f"{self.label} (given predictions)" if self.given == "predictions" else self.label

    @property
    def given(self) -> str:
        """Kind of prediction that it takes, in the registry's words where it is registered."""
        if self.request.metric is not None:
            return self.request.metric.needs
        return "estimator" if self.find is _by_scorer else "predictions"

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value, infinite where they are not known."""
        if self.request.metric is not None:
            return self.request.metric.bounds
        scorer: Any = self.request.function
        inner = getattr(scorer, "_score_func", None)
        if inner is not None:
            metric = ask(partial(inner, **scorer._kwargs))[0].metric
            low, high = (-math.inf, math.inf) if metric is None else metric.bounds
            return (low, high) if scorer._sign > 0 else (-high, -low)
        return -math.inf, math.inf

    @property
    def has_row_losses(self) -> bool:
        """True if it is a mean of losses of single rows."""
        return self.find is not _by_scorer and has_row_losses(self.request)

    def losses(self, outputs: ModelOutputs) -> NDArray[np.float64]:
        """Return the losses of some rows, of a metric that is their mean; nan where undefined."""
        if self.request.metric is not None and math.isnan(self.evaluate(outputs)):
            return np.full(len(outputs.y), np.nan)
        return row_losses(self.request, *self._given(outputs))

    def no_information(self, outputs: ModelOutputs) -> float:
        """Return the mean of such a loss over all pairs of a true value and a prediction."""
        return loss_over_pairs(self.request, *self._given(outputs))

    def _given(self, outputs: ModelOutputs) -> tuple[NDArray[Any], NDArray[Any]]:
        metric = self.request.metric
        return (outputs.y, outputs.predicted) if metric is None else outputs.columns_for(metric)

    def evaluate(self, outputs: ModelOutputs) -> float:
        """Return the value on some rows; nan, without a warning, where it is undefined."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return self._compute(outputs)

    def check(self, classes: NDArray[Any] | None) -> None:
        """Raise if the metric does not suit an estimator of these classes; None for a regressor.

        A metric of the library is tried on a perfect prediction, before any fit.
        """
        self.check_kind(classes)
        if self.request.metric is not None and not self.request.is_only_function:
            y = np.array([1.0, 2.0]) if classes is None else classes
            # of what is certain and right nothing is left to calibrate: that is no news
            find = self.evaluate if self.request.metric.family == "calibration" else self._compute
            find(ModelOutputs(_AlwaysRight(), y, y, classes))

    def check_kind(self, classes: NDArray[Any] | None) -> None:
        """Raise if the estimator lacks the output of the metric, or has too many classes."""
        metric = self.request.metric
        label = self.label
        if metric is None:
            return
        if metric.needs in ("values", "nothing"):
            if classes is not None:
                raise InputError(f"{label!r} is for regression: `estimator` is a classifier")
            return
        if classes is None:
            raise InputError(f"{label!r} is for classes: `estimator` is a regressor")
        n = len(classes)
        reason = f"and `y` has {len(classes):,}"
        is_binary = metric.classes == 2 or (metric.family, metric.needs) == ("own", "scores")
        if is_binary and n != 2:
            more = [m.name for m in METRICS.values() if m.classes != 2]
            known = ", ".join(name for name in more if name.startswith(f"{metric.name}_"))
            advice = f": see {known}" if known else ": make `y` one class against the rest"
            raise InputError(f"{label!r} is for two classes, {reason}{advice if n > 2 else ''}")
        if n < metric.classes:
            fewer = [m.name for m in METRICS.values() if m.classes == 2]
            kin = [f": take {name!r}" for name in fewer if metric.name.startswith(f"{name}_")]
            advice = "".join(kin) if n > 1 else ""
            raise InputError(f"{label!r} is for three classes and more, {reason}{advice}")

    def _compute(self, outputs: ModelOutputs) -> float:
        value = self.find(self.request, outputs)
        if isinstance(value, np.ndarray) and value.ndim > 0:
            raise InputError(f"{self.label!r} must return one number: got shape {value.shape}")
        return float(value)


def request_metrics(metrics: Any, classes: NDArray[Any] | None) -> tuple[EstimatorMetric, ...]:
    """Return the metrics of ``metrics=``, checked for these classes."""
    chosen = tuple(map(estimator_metric, ask(metrics)))
    for metric in chosen:
        metric.check(classes)
    return chosen


def request_metric(
    metric: Any, higher_is_better: Any, classes: NDArray[Any] | None
) -> EstimatorMetric:
    """Return one metric, whose direction is known."""
    one = estimator_metric(ask_one(defaults(classes)[0] if metric is None else metric))
    one = replace(one, higher_is_better=check_metric_direction(one, higher_is_better))
    one.check(classes)
    return one


def check_metric_direction(metric: EstimatorMetric, higher_is_better: Any) -> bool:
    """Return the direction that was given, or else that of the metric, or raise."""
    if higher_is_better is not None:
        return check_direction(higher_is_better)
    if metric.higher_is_better is None:
        raise InputError(f"`higher_is_better` is needed: no direction of {metric.label!r} is known")
    return metric.higher_is_better


def defaults(classes: NDArray[Any] | None) -> tuple[str, ...]:
    """Return the default metrics; for losses of single rows the first alone."""
    if classes is None:
        return DEFAULTS["regressors"]
    return DEFAULTS["classifiers" if len(classes) > 2 else "classifiers of two"]


def estimator_metric(one: MetricRequest) -> EstimatorMetric:
    """Return a requested metric with its way of computation on the outputs of a model."""
    if one.metric is not None:
        find = _by_options if one.is_only_function else _by_registry
        if one.metric.family == "own":
            find = _by_threshold_function
        return EstimatorMetric(one, find, one.higher_is_better)
    if _is_scorer(one.function):
        return EstimatorMetric(one, _by_scorer, True)
    return EstimatorMetric(one, _by_function, None)


def _is_scorer(function: Any) -> bool:
    """Return whether it takes (estimator, X, y), as scikit-learn's scorers, not (y, predicted)."""
    if hasattr(function, "_score_func"):
        return True
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return False
    return bool(names) and names[0] in ("estimator", "est", "clf", "model")


def _by_registry(one: MetricRequest, outputs: ModelOutputs) -> Any:
    """Evaluate a metric on the outputs that the registry declares; nan where a class is missing."""
    metric: Any = one.metric
    if metric.needs == "labels":
        return value(one.name, outputs.confusion, **one.parameters)
    if metric.needs == "nothing":
        raise InputError(
            f"{one.label!r} judges no prediction, and so no estimator: name an error, as "
            "'mean_error'"
        )
    if metric.family == "regression":
        requested = {one.label: (one.name, one.parameters)}
        data = (outputs.y, outputs.predicted)
        return regression_metrics(*data, metrics=requested, **outputs.weights)[one.label]
    classes = np.arange(0 if outputs.classes is None else len(outputs.classes))
    is_margin = metric.family == "probabilities" and metric.needs == "scores"
    if is_margin and len(outputs.classes_of_model) < len(classes):  # a class has no decision value
        return math.nan
    data = outputs.columns_for(metric)
    options = {**outputs.weights, **one.parameters}
    if metric.needs == "values":
        return metric.value(*data, **options)
    if metric.family == "probabilities":
        data = data[0], data[1] if is_margin else outputs.probabilities
        options["labels"] = classes
    elif metric.family == "calibration":
        if len(classes) > 2:
            options["labels"] = classes
    elif not np.bincount(data[0], minlength=len(classes)).all():
        return math.nan  # a curve of the classes that are left is another metric
    return metric.value(*data, **options)


def _by_threshold_function(one: MetricRequest, outputs: ModelOutputs) -> Any:
    metric: Any = one.metric
    function: Any = one.function
    takes_scores = metric.needs in ("scores", "probabilities")
    predicted = getattr(outputs, metric.needs if takes_scores else "predicted")
    data = outputs.true_codes if takes_scores else outputs.y, predicted
    if hasattr(function, "py_func"):  # compiled: it takes the weights of rows too
        given = outputs.weights.get("sample_weight")
        n = len(outputs.y)
        weights = np.ones(n) if given is None else check_weights(given, n).values
        return function(*data, np.asarray(weights, np.float64))
    return function(*data, **outputs.weights)


def _by_options(one: MetricRequest, outputs: ModelOutputs) -> Any:
    """Call a function that the registry names with options that it does not know, on `y` itself.

    Of two classes it gets one column, as from scikit-learn's scorers: that of `pos_label`, or else
    of the second.
    """
    metric: Any = one.metric
    positive = getattr(one.function, "keywords", {}).get("pos_label")
    is_first = len(outputs.classes) == 2 and positive is not None and positive == outputs.classes[0]
    if metric.needs == "labels":
        predicted = outputs.predicted
    elif is_first and metric.needs == "probabilities":
        predicted = outputs.probabilities[:, 0]
    else:
        predicted = outputs.columns_for(metric)[1]
        if is_first and metric.needs == "scores" and metric.family != "probabilities":
            predicted = -predicted
    return metric.value(outputs.y, predicted, **outputs.weights)


def _by_function(one: MetricRequest, outputs: ModelOutputs) -> Any:
    function: Any = one.function
    return function(outputs.y, outputs.predicted)


def _by_scorer(one: MetricRequest, outputs: ModelOutputs) -> Any:
    scorer: Any = one.function
    return scorer(outputs.model, outputs.X, outputs.y)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scorer:
    """Metrics a fitted estimator; the greater the value, the better.

    Attributes
    ----------
    asked : MetricRequest
        The metric and its parameters.
    higher_is_better : bool
        The direction of the metric; if False, its value is negated.
    """

    request: MetricRequest
    higher_is_better: bool
    _routed: dict[str, bool | str | None] = field(default_factory=dict)

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the metric of the estimator's outputs for some rows, weighted on request."""
        if sample_weight is not None and not self._accept_sample_weight():
            raise InputError(f"{self.request.label!r} takes no weights: got `sample_weight`")
        check_same_index(X=X, y=y, sample_weight=sample_weight)
        target = as_vector(y, "y")
        metric = estimator_metric(self.request)
        outputs = ModelOutputs(estimator, X, target, _classes(estimator, target), sample_weight)
        metric.check_kind(outputs.classes)
        value = metric.evaluate(outputs)
        if math.isnan(value):
            warn_user(
                f"{metric.label!r} is not defined on these {len(target):,} rows",
                UndefinedMetricWarning,
            )
        return self._sign * value

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.request.parameters.items())
        return f"scorer({self.request.label!r}{given})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a metric of the library by its name, any other as it is."""
        one = self.request
        if one.metric is not METRICS.get(one.name):
            return Scorer, (one, self.higher_is_better, self._routed)
        given = {one.label: (one.name, dict(one.parameters))}
        return _scorer_again, (given, self.higher_is_better, self._routed)

    def _accept_sample_weight(self) -> bool:
        metric = _registered(self.request)
        if not metric.function:  # found with others of its kind, which are weighted
            return True
        function = metric.load()
        is_compiled = metric.family == "own" and hasattr(function, "py_func")
        return is_compiled or "sample_weight" in inspect.signature(function).parameters

    def set_score_request(self, *, sample_weight: bool | str | None) -> Scorer:
        """Request weights in scikit-learn's metadata routing: True, False, None or their name."""
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "`set_score_request` needs sklearn.set_config(enable_metadata_routing=True)"
            )
        if sample_weight and not self._accept_sample_weight():
            raise InputError(f"{self.request.label!r} takes no weights: got `sample_weight`")
        self._routed["sample_weight"] = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return the request; None, where none was set, makes scikit-learn refuse weights."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=repr(self))
        if self._accept_sample_weight():
            alias = self._routed.get("sample_weight")
            request.score.add_request(param="sample_weight", alias=alias)
        return request

    # TunedThresholdClassifierCV asks for these: it predicts labels of its own.

    @property
    def _sign(self) -> int:
        return 1 if self.higher_is_better else -1

    @property
    def _score_func(self) -> Callable[..., Any]:
        metric = _registered(self.request)
        function = self.request.function or metric.load()
        return partial(_item, function, int(metric.read)) if metric.read.isdecimal() else function

    @property
    def _kwargs(self) -> dict[str, Any]:
        metric = _registered(self.request)
        passed = {metric.passed_as.get(n, n): v for n, v in self.request.parameters.items()}
        return {**metric.arguments, **passed}


@documented()
def scorer(
    metrics: str | Callable[..., Any], /, *, higher_is_better: bool | None = None, **parameters: Any
) -> Scorer:
    """Make a scorer of a metric, for `scoring=` in scikit-learn.

    Parameters
    ----------
    metrics : str or callable
        A metric by its name, canonical or alias (`metrics_table` shows them), or a function of
        ours.
    higher_is_better : bool, optional
        Direction of the metric; needed where it is not known.
    **parameters
        Parameters of the metric.

    Returns
    -------
    Scorer
        Called as ``scorer(estimator, X, y)``, and with ``sample_weight=`` where the metric takes
        weights. Greater is better: where lower values of the metric are, it returns their
        negative, as scikit-learn's ``neg_`` scorers do.

    Raises
    ------
    ImportError
        If scikit-learn is not installed.
    TypeError, ValueError
        If it is no metric, or has no such parameter; where the scorer is called, if the metric is
        not for such an estimator.

    Warns
    -----
    UndefinedMetricWarning
        Where the scorer is called, if the metric has no value on these rows: it returns nan.

    Notes
    -----
    The estimator is asked for what the metric needs as `evaluate_estimator` does, whose values on
    the same rows these are: of two classes the second is positive; a class that is missing in a
    fold is no error. In scikit-learn's metadata routing ``set_score_request(sample_weight=True)``
    requests weights, as of its own scorers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> cross_val_score(tree, X, y, cv=3, scoring=scorer("log_loss")).round(2).tolist()
    [-0.8, -1.57, -0.27]
    """
    check_sklearn("scorer")
    given: Any = metrics
    if parameters:
        given = partial(metrics, **parameters) if callable(metrics) else (metrics, parameters)
    request = ask_one(given)
    _registered(request)
    return Scorer(request, check_metric_direction(estimator_metric(request), higher_is_better))


def _item(function: Callable[..., Any], index: int, *data: Any, **options: Any) -> Any:
    """Return one of several numbers that a function returns."""
    return function(*data, **options)[index]


def _scorer_again(given: Any, higher_is_better: bool, routed: dict[str, Any]) -> Scorer:
    """Return a scorer that was pickled, with what it requests."""
    return replace(scorer(given, higher_is_better=higher_is_better), _routed=routed)


def _registered(request: MetricRequest) -> Metric:
    metric = request.metric
    if metric is None:
        raise InputTypeError(
            f"`metrics` must be a metric of the library: of {request.label!r} scikit-learn's "
            "`make_scorer` makes a scorer, or `register_metric` a metric"
        )
    return metric


def _classes(estimator: Any, y: NDArray[Any]) -> NDArray[Any] | None:
    """Return the classes of a classifier: those that it was shown, and those of the rows."""
    if not classifies(estimator, y):
        return None
    classes = check_class_labels(y, "y").classes
    known = getattr(estimator, "classes_", None)
    return classes if known is None else np.union1d(classes, np.asarray(known))
