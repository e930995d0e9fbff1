"""Functions, tables, the bootstrap and estimators give the same number for the same rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from samples import undefined_is_fine
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import fastmetrics as fm
from reference import count_oracle
from registry import ENTRIES, Entry, entry as kinds
from registry.entry import example

MEASURED = [entry for entry in ENTRIES if entry.metric is not None]
#: No estimator offers decision values of several classes, nor any that are not scores.
NOT_OF_ESTIMATORS = {"hinge_loss"}


class AllRows:
    """A splitter with one split: all rows train and test."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        yield np.arange(len(X)), np.arange(len(X))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return 1


class Says(BaseEstimator):
    """An estimator that says what stands in the features, whatever it is asked."""

    def fit(self, X: Any, y: Any) -> Says:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0] if isinstance(self, RegressorMixin) else X[:, 0].astype(np.int64)

    def decision_function(self, X: Any) -> Any:
        return X[:, 0]

    def predict_proba(self, X: Any) -> Any:
        return X if X.shape[1] > 1 else np.hstack([1.0 - X, X])


class Regressor(RegressorMixin, Says):
    pass


class Classifier(ClassifierMixin, Says):
    pass


def parameters(entry: Entry) -> dict[str, Any]:
    assert entry.metric is not None
    return {k: v for k, v in entry.arguments.items() if k in entry.metric.parameters}


def by_estimator(entry: Entry, true: Any, values: Any) -> float:
    estimator = Regressor() if entry.data in (kinds.NUMBERS, kinds.AMOUNTS) else Classifier()
    X = values if values.ndim == 2 else values[:, np.newaxis]
    asked = {"it": (entry.canonical, parameters(entry))}
    evaluation = fm.selection.evaluate_estimator(estimator, X, true, cv=AllRows(), metrics=asked)
    return evaluation["it"].estimate


def strict(entry: Entry, true: Any, values: Any) -> dict[str, float]:
    """Return the values of every entry point but the function; undefined ones are nan."""
    assert entry.metric is not None
    name = entry.canonical
    given = parameters(entry)
    asked = {"it": (name, given)}
    few: dict[str, Any] = {"n_resamples": 2, "metrics": asked, "method": "percentile", "rng": 1}
    actual: dict[str, float] = {}
    if entry.metric.resampled and values.ndim == 1:
        actual["bootstrap"] = fm.bootstrap(true, values, **few)["it"].estimate
        pair = fm.paired_bootstrap(true, {"a": values, "b": values[::-1]}, **few)
        actual["paired_bootstrap"] = pair["it"].models[0].estimate
    if entry.data in (kinds.TWO, kinds.LABELS):
        matrix = fm.ConfusionMatrix.from_labels(true, values)
        table = fm.classification_metrics(true, values, metrics=[name], **given)
        actual["classification_metrics"] = table[name]
        actual["count_metric"] = float(fm.count_metric(matrix, name, **given))
    if entry.metric.family == "regression" and entry.metric.function:
        actual["regression_metrics"] = fm.regression_metrics(true, values, metrics=asked)["it"]
    knows_all = entry.data not in (kinds.TWO, kinds.LABELS) or {*values} <= {*true}
    if entry.metric.function and name not in NOT_OF_ESTIMATORS and knows_all:
        actual["evaluate_estimator"] = by_estimator(entry, true, values)
    return actual


@pytest.mark.parametrize("entry", MEASURED, ids=lambda entry: entry.name)
def test_all_faces_give_the_same_number(entry: Entry) -> None:
    true, values = example(entry.data, 60)
    with undefined_is_fine():
        actual = strict(entry, true, values)
        if entry.metric is not None and entry.metric.function:
            actual["function"] = entry.metric.value(true, values, **entry.arguments)
        actual["entry"] = entry.fast(true, values)[0]
    right = float(actual.pop("entry"))
    assert math.isfinite(right)
    assert actual or entry.canonical in NOT_OF_ESTIMATORS
    for face, value in actual.items():
        assert value == pytest.approx(right, rel=1e-13, abs=1e-15), face


#: True and predicted labels of which something is undefined, and has no value but by convention.
UNDEFINED = [
    ([0, 0, 1, 1], [0, 0, 0, 0]),
    ([0, 0, 1, 1], [1, 1, 1, 1]),
    ([1, 1, 1, 1], [0, 1, 1, 0]),
    ([0, 1, 2, 2], [0, 1, 1, 0]),
    ([0, 1, 1, 0], [0, 1, 2, 2]),
]


@pytest.mark.parametrize(("true", "values"), UNDEFINED)
def test_all_but_the_function_say_that_it_is_undefined(true: Any, values: Any) -> None:
    for entry in MEASURED:
        kind = kinds.LABELS if max(true + values) > 1 else kinds.TWO
        if entry.data != kind or entry.arguments:  # the oracle's are the defaults
            continue
        rows = count_oracle.rows_of(true, values)
        right = count_oracle.value(entry.name, rows, sorted({*true, *values} | {0, 1}))
        with undefined_is_fine():
            actual = strict(entry, np.array(true), np.array(values))
        assert len(actual) >= 4
        for face, value in actual.items():
            assert value == pytest.approx(right, nan_ok=True), (entry.name, face)


def test_certain_probabilities_of_float32_cost_what_they_cost_the_function() -> None:
    labels = np.array([0, 1, 1, 0])
    p = np.array([1, 0.5, 0.25, 0.125], dtype=np.float32)
    estimates = fm.bootstrap(
        labels, p, metrics="log_loss", n_resamples=2, method="percentile", rng=1
    )
    assert estimates["log_loss"].estimate == pytest.approx(fm.log_loss(labels, p))
