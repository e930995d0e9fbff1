"""Refusals of estimators, splitters and grids, in its words and before any fit."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scripted import SEEN, Scripted, scripted
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from fastmetrics.selection import (
    BootstrapOutOfBag,
    Folds,
    GroupedFolds,
    HoldOut,
    LeaveOneOut,
    bias_variance,
    bias_variance_curve,
    estimator_bias_variance,
    evaluate_estimator,
    nested_cross_validation,
    parameter_range,
    tune_estimator,
)

IRIS = load_iris(return_X_y=True)
STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)
SIX = np.zeros((6, 1))
HALVES = [0, 0, 0, 1, 1, 1]
TWO = IRIS[0], IRIS[1] > 0
ROWS = np.arange(60.0)[:, None], np.arange(60.0)

evaluated = partial(evaluate_estimator, STUMP, *IRIS)
#: Of an estimator that remembers each fit.
tuned = partial(tune_estimator, Scripted(), *scripted())
curve = partial(bias_variance_curve, Scripted(), *ROWS, [[0.0]], [0.0])
of_labels = partial(bias_variance, decomposition="domingos")
REGRESSION = "mean_squared_error"

REFUSALS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    # splitters
    (ValueError, "`X` must be given", lambda: LeaveOneOut().get_n_splits()),
    (ValueError, "at least 2 rows", lambda: LeaveOneOut().split([[1]])),
    (ValueError, "number of rows: got 7 for 6 rows", lambda: Folds(7).split(SIX, SIX[:, 0])),
    (ValueError, "`stratified=True` needs `y`: got None", lambda: Folds(2).split(SIX)),
    (ValueError, "lengths differ: `X` has 6 rows, `y`", lambda: Folds(2).split(SIX, [0, 1])),
    (ValueError, "Folds with `stratified=True` needs classes: .*pass `stratified=False`",
     lambda: Folds(2).split(SIX, np.arange(6) + 0.5)),
    (ValueError, "number of rows of every class: got 4, and the largest class has 3 rows",
     lambda: Folds(4).split(SIX, HALVES)),
    (TypeError, "`X` must be an array", lambda: Folds(2, stratified=False).split(3)),
    (ValueError, "`X` is empty", lambda: Folds(2, stratified=False).split([])),
    (ValueError, "at least 2 rows, one on each side: class 1 has 1",
     lambda: HoldOut(0.5).split(SIX, [0, 0, 0, 0, 0, 1])),
    (ValueError, "each of the 3 classes a row on both sides: there are 2 test rows",
     lambda: HoldOut(2).split(SIX, [0, 0, 1, 1, 2, 2])),
    (ValueError, "got 0.01, which is 0 of 6 rows",
     lambda: HoldOut(0.01, stratified=False).split(SIX)),
    (ValueError, "which is 6 of 6 rows", lambda: HoldOut(6, stratified=False).split(SIX)),
    (ValueError, "at least 2 rows: got 1", lambda: BootstrapOutOfBag().split([[1]])),
    (ValueError, "at least 2 rows in some class",
     lambda: BootstrapOutOfBag(stratified=True).split([[1], [2]], ["a", "b"])),
    (ValueError, "GroupedFolds needs `groups`: got None", lambda: GroupedFolds(3).split(SIX)),
    (ValueError, "`n_splits` must not exceed the number of groups: got 3",
     lambda: GroupedFolds(3).split(SIX, groups=HALVES)),
    (ValueError, r"lengths differ.*`groups` has 5 rows",
     lambda: GroupedFolds(2).split(SIX, groups=HALVES[:5])),
    (ValueError, "`stratified=True` needs `y`",
     lambda: GroupedFolds(2, stratified=True).split(SIX, groups=HALVES)),
    # estimators
    (ValueError, "a splitter or one of 'k-fold'.*got 'ten'", lambda: evaluated(cv="ten")),
    (TypeError, "a splitter or one of 'k-fold'.*got 10.0", lambda: evaluated(cv=10.0)),
    (TypeError, "`rng` belongs to the splitter", lambda: evaluated(cv=Folds(3), rng=0)),
    (TypeError, "a splitter or one of", lambda: evaluated(cv=Folds)),
    (ValueError, "knows no `groups`", lambda: evaluated(cv="loo", groups=IRIS[1])),
    (ValueError, "draws rows, not groups", lambda: evaluated(cv=".632", groups=IRIS[1])),
    (TypeError, "no parameter 'beta'", lambda: evaluated(metrics=("accuracy", {"beta": 1}))),
    (TypeError, "`log_loss` has no parameter 'eps'",
     lambda: evaluated(metrics=("log_loss", {"eps": 1}))),
    (ValueError, "is for two classes, and `y` has 3: see roc_auc_ovr",
     lambda: evaluated(metrics="roc_auc")),
    (ValueError, "see f1_macro", lambda: evaluated(metrics="f1")),
    (ValueError, "is for regression", lambda: evaluated(metrics=REGRESSION)),
    (ValueError, "must return one number", lambda: evaluated(metrics=lambda y, r: y)),
    (ValueError, "no mean of losses of rows", lambda: evaluated(metrics="f1_macro", cv=".632")),
    (ValueError, "is for regression", lambda: evaluated(metrics=REGRESSION, cv=".632")),
    (ValueError, "`n_jobs` must not be 0", lambda: evaluated(n_jobs=0)),
    (TypeError, "with `fit` and `predict`", lambda: evaluate_estimator(LinearSVC, *IRIS)),
    (TypeError, "with `fit` and `predict`: got 3", lambda: evaluate_estimator(3, *IRIS)),
    (ValueError, "lengths differ: `X` has 150 rows, `y` has 149",
     lambda: evaluate_estimator(STUMP, IRIS[0], IRIS[1][:-1])),
    (ValueError, "'accuracy' is for classes: `estimator` is a regressor",
     lambda: evaluate_estimator(LinearRegression(), *IRIS, metrics="accuracy")),
    (TypeError, "LinearSVC has no predict_proba",
     lambda: evaluate_estimator(LinearSVC(), *TWO, metrics="log_loss")),
    (ValueError, r"'f1' is for two classes, and `y` has 1$",
     lambda: evaluate_estimator(STUMP, IRIS[0], IRIS[1] * 0, metrics="f1")),
    (TypeError, "`estimator` must be an estimator",
     lambda: estimator_bias_variance(object(), *ROWS, *ROWS)),
    (ValueError, "`X_test` is empty",
     lambda: estimator_bias_variance(Scripted(), *ROWS, ROWS[0][:0], ROWS[1][:0])),
    (ValueError, r"`predictions` must have shape \(rows, n\): got \(2,\)",
     lambda: bias_variance([0, 1], [0, 1])),
    (ValueError, "`y_true` must have shape", lambda: bias_variance([[[0]]], [[0]])),
    (TypeError, "`y_true` holds text and `predictions` numbers", lambda: of_labels(["a"], [[1]])),
    (TypeError, "`y_true` holds numbers and `predictions` text", lambda: of_labels([1], [["a"]])),
    (ValueError, "`y_true`.*index 1", lambda: of_labels([1.0, np.inf], [[1.0, 2.0]])),
    # values of parameters
    (ValueError, "`estimator` has no parameter 'd': Scripted has a", lambda: curve(
        parameter="d", values=[1])),
    (ValueError, "`values` is empty", lambda: curve(parameter="a", values=[])),
    (TypeError, "`values` must be a sequence: got str", lambda: curve(parameter="a", values="ab")),
    (ValueError, "`step` must be positive: got 0", lambda: parameter_range(0, 1, 0)),
    (ValueError, "`start` must not exceed `stop`: got 1 and 0", lambda: parameter_range(1, 0, 0.1)),
    (ValueError, "at most 10,000,000 values: got 1,000,000,001",
     lambda: parameter_range(0, 1, 1e-9)),
    (ValueError, r"no value lies in \(0, 1\) by 2", lambda: parameter_range(
        0, 1, 2, closed="neither")),
    (ValueError, "`grid` must have 1 to 1,000,000 settings: got 0", lambda: tuned({})),
    (TypeError, "`grid` must map names to sequences of values: got 'a': 1",
     lambda: tuned({"a": 1})),
    (TypeError, "`grid` must map names to sequences", lambda: tuned({"a": "xy"})),
    (ValueError, "`grid` has no value for 'a'", lambda: tuned({"a": []})),
    (ValueError, "`estimator` has no parameter 'c': Scripted has a, b", lambda: tuned({"c": [1]})),
    (ValueError, "got 1001000", lambda: tuned({"a": range(1001), "b": range(1000)})),
    (ValueError, "standard-error'` needs", lambda: tuned({"a": [1]}, rule="one-standard-error")),
    (ValueError, "`complexity` must name parameters", lambda: tuned({"a": [1]}, complexity="b")),
    (ValueError, "`higher_is_better` is needed",
     lambda: tuned({"a": [1]}, metrics=lambda y, p: 0.0)),
    (ValueError, "`metrics` must be one metric",
     lambda: tuned({"a": [1]}, metrics=["f1", "accuracy"])),
    (ValueError, "`cv` must split the rows, and '.632' is a way",
     lambda: tuned({"a": [1]}, cv=".632")),
    (ValueError, "`cv` yields no split", lambda: tuned({"a": [1]}, cv=[])),
    (ValueError, "`inner_cv` must be a number of folds or an object", lambda: (
        nested_cross_validation(Scripted(), *scripted(), {"a": [1]}, inner_cv=[([0], [1])]))),
    # scorers
    (TypeError, "scikit-learn's `make_scorer` makes a scorer, or `registe",
     lambda: fm.scorer(lambda y, p: 0.0)),
    (ValueError, "`metrics` must be one metric: got 2", lambda: fm.scorer(["f1", "roc_auc"])),
    (ValueError, "`higher_is_better` is needed: no direction of 'bes",
     lambda: fm.scorer("best_threshold", of="threshold")),
    (TypeError, "`roc_auc` has no parameter 'beta'", lambda: fm.scorer("roc_auc", beta=1)),
    (ValueError, "did you mean 'roc_auc'", lambda: fm.scorer("roc_acu")),
    (ValueError, "'r2' is for regression",
     lambda: fm.scorer("r2")(LogisticRegression().fit(*TWO), *TWO)),
]  # fmt: skip


@pytest.mark.parametrize(("error", "message", "call"), REFUSALS)
def test_the_message_names_what_is_wrong(
    error: type[Exception], message: str, call: Callable[[], Any]
) -> None:
    SEEN.clear()
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, fm.InputError)
    assert not SEEN  # no row was shown to an estimator
