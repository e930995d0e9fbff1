"""``scorer``: a measure of the library as scikit-learn wants one, for its `scoring=`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import check_same_index
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.asking import Asked, ask_one
from fastmetrics.measures.registry import MEASURES
from fastmetrics.selection.estimates._fit_and_score import check_sklearn, classifies
from fastmetrics.selection.estimates._judged import Judged
from fastmetrics.selection.estimates._metrics import directed, metric_of
from fastmetrics.selection.splitters._splitter import Requests, routing, set_requests


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scorer:
    """Measures a fitted estimator; the greater the value, the better.

    Attributes
    ----------
    asked : Asked
        The measure and its parameters.
    higher_is_better : bool
        The direction of the measure; if False, its value is negated.
    """

    asked: Asked
    higher_is_better: bool
    _requests: Requests = field(init=False)

    def __post_init__(self) -> None:
        takes = self._accept_sample_weight()
        object.__setattr__(self, "_requests", {"sample_weight": None} if takes else {})

    def __call__(
        self, estimator: Any, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the measure of what the estimator says of some rows, weighted on request."""
        if sample_weight is not None and not self._accept_sample_weight():
            raise InputError(f"{self.asked.label!r} takes no weights: got `sample_weight`")
        check_same_index(X=X, y=y, sample_weight=sample_weight)
        target = as_vector(y, "y")
        metric = metric_of(self.asked)
        judged = Judged(estimator, X, target, _classes(estimator, target), sample_weight)
        metric.check_kind(judged.classes)
        value = metric.of(judged)
        if math.isnan(value):
            warn_user(
                f"{metric.label!r} is not defined on these {len(target):,} rows",
                UndefinedMetricWarning,
            )
        return self._sign * value

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.asked.parameters.items())
        return f"scorer({self.asked.label!r}{given})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a measure of the library by its name, any other as it is."""
        one = self.asked
        make: Callable[..., Scorer] = Scorer
        given: tuple[Any, ...] = (one, self.higher_is_better)
        if one.measure is MEASURES.get(one.name):
            make = partial(scorer, higher_is_better=self.higher_is_better)
            given = ({one.label: (one.name, dict(one.parameters))},)
        # Not as a state: Python before 3.11.3 overwrites `__setstate__` of such classes.
        return _again, (make, given, dict(self._requests))

    def get_metadata_routing(self) -> Any:
        """Return what is asked for of scikit-learn's metadata: weights, if so set."""
        return routing(self, "score", self._requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Say which metadata of scikit-learn's routing are the weights, and return the scorer.

        Parameters
        ----------
        **requests
            ``sample_weight=True``, False, None (the default: an error if passed) or the name of the
            metadata that are the weights.

        Raises
        ------
        RuntimeError
            If scikit-learn's metadata routing is not enabled.
        TypeError, ValueError
            If anything else is asked for, or weights by a measure that takes none.
        """
        set_requests(self, "score", self._requests, requests)
        return self

    _routing_repr = __repr__

    def _accept_sample_weight(self) -> bool:
        measure = _of(self.asked)
        if not measure.function:  # found with others of its kind, which are weighted
            return True
        function = measure.load()
        is_compiled = measure.family == "own" and hasattr(function, "py_func")
        return is_compiled or "sample_weight" in inspect.signature(function).parameters

    # What TunedThresholdClassifierCV asks of a scorer: it judges labels of its own.

    @property
    def _sign(self) -> int:
        return 1 if self.higher_is_better else -1

    @property
    def _score_func(self) -> Callable[..., Any]:
        return self.asked.function or _of(self.asked).load()

    @property
    def _kwargs(self) -> dict[str, Any]:
        measure = _of(self.asked)
        passed = {measure.passed_as.get(n, n): v for n, v in self.asked.parameters.items()}
        return {**measure.arguments, **passed}


@documented()
def scorer(
    metrics: str | Callable[..., Any], /, *, higher_is_better: bool | None = None, **parameters: Any
) -> Scorer:
    """Make a scorer of a measure, for `scoring=` in scikit-learn.

    Parameters
    ----------
    metrics : str or callable
        A measure by its name, canonical or alias (`metrics_table` shows them), or a function of
        ours.
    higher_is_better : bool, optional
        Direction of the measure; needed where it is not known.
    **parameters
        Parameters of the measure.

    Returns
    -------
    Scorer
        Called as ``scorer(estimator, X, y)``, and with ``sample_weight=`` where the measure takes
        weights. Greater is better: where lower values of the measure are, it returns their
        negative, as scikit-learn's ``neg_`` scorers do.

    Raises
    ------
    ImportError
        If scikit-learn is not installed.
    TypeError, ValueError
        If it is no measure, or has no such parameter; where the scorer is called, if the measure is
        not for such an estimator.

    Warns
    -----
    UndefinedMetricWarning
        Where the scorer is called, if the measure has no value on these rows: it returns nan.

    Notes
    -----
    The estimator is asked for what the measure needs as `evaluate_estimator` does, whose values on
    the same rows these are: of two classes the second is positive; a class that is missing in a
    fold is no error.

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
    asked = ask_one(given)
    _of(asked)
    return Scorer(asked, directed(metric_of(asked), higher_is_better))


def _again(make: Callable[..., Scorer], given: tuple[Any, ...], requests: Requests) -> Scorer:
    """Return a scorer that was pickled, with what was asked for."""
    found = make(*given)
    found._requests.update(requests)
    return found


def _of(asked: Asked) -> Measure:
    measure = asked.measure
    if measure is None:
        raise InputTypeError(
            f"`metrics` must be a measure of the library: of {asked.label!r} scikit-learn's "
            "`make_scorer` makes a scorer, or `register_metric` a measure"
        )
    return measure


def _classes(estimator: Any, y: NDArray[Any]) -> NDArray[Any] | None:
    """Return the classes of a classifier: those that it was shown, and those of the rows."""
    if not classifies(estimator, y):
        return None
    classes = check_class_labels(y, "y").classes
    shown = getattr(estimator, "classes_", None)
    return classes if shown is None else np.union1d(classes, np.asarray(shown))
