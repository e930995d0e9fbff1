"""What a fitted model says of some rows, and what of it a measure is given."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures._measure import Measure


class Judged:
    """Some rows with what a fitted model says of them, asked once for each kind of output.

    ``classes`` are those of all rows, sorted. For regression they are None, and only `predicted`
    is asked for.
    """

    def __init__(self, model: Any, X: Any, y: NDArray[Any], classes: Any, w: Any = None) -> None:
        self.model, self.X, self.y, self.classes = model, X, y, classes
        self.weights = {} if w is None else {"sample_weight": w}

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
        if len(self.shown) == 2:
            if hasattr(self.model, "decision_function"):
                return np.asarray(self.model.decision_function(self.X)).ravel()
            if not hasattr(self.model, "predict_proba"):
                name = type(self.model).__name__
                raise InputTypeError(f"{name} has neither decision_function nor predict_proba")
        return self.probabilities[:, 1]

    @cached_property
    def decisions(self) -> NDArray[Any]:
        """Decision values of the second of two classes (n,), or of each class (n, K)."""
        asked = "decision_function", "decision values need: name one of probabilities, 'log_loss'"
        return self._said(*asked).ravel() if len(self.classes) == 2 else self._columns(*asked)

    def given_to(self, measure: Measure) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the true values and what a measure takes beside them: of two classes a column."""
        if measure.needs == "values":
            return self.y, self.predicted
        if measure.needs == "labels":
            return self.true_codes, self.predicted_codes
        if measure.needs == "scores":
            is_margin = measure.family == "probabilities"
            return self.true_codes, self.decisions if is_margin else self.scores
        columns = self.probabilities
        return self.true_codes, columns[:, 1] if columns.shape[1] == 2 else columns

    @property
    def shown(self) -> NDArray[Any]:
        """The classes that the model was shown."""
        return np.asarray(getattr(self.model, "classes_", self.classes))

    def _said(self, method: str, why: str) -> NDArray[Any]:
        if not hasattr(self.model, method):
            name = type(self.model).__name__
            raise InputTypeError(f"{name} has no {method}, which measures of {why}")
        return np.asarray(getattr(self.model, method)(self.X))

    def _columns(self, method: str, why: str) -> NDArray[Any]:
        """Return what a method says of each class, in the order of all; 0 for those not shown."""
        found, shown = self._said(method, why), self.shown
        if found.shape != (len(self.y), len(shown)):
            raise InputError(
                f"{method} must return one column for each of {len(shown):,} classes: got shape "
                f"{found.shape}"
            )
        whole = np.zeros((len(self.y), len(self.classes)))
        whole[:, _codes(self.classes, shown)] = found
        return whole


def _codes(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each label among the sorted classes."""
    if (classes.dtype.kind in "UOT") != (labels.dtype.kind in "UOT"):
        raise InputTypeError(f"`estimator` predicts {labels.dtype} where `y` holds {classes.dtype}")
    found = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    strange = np.flatnonzero(classes[found] != labels)
    if len(strange):
        raise InputError(f"`estimator` predicts {labels[strange[0]]!r}, which is no label of `y`")
    return found
