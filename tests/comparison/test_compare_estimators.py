"""Estimators are fitted on the folds that were asked for, and tested as their errors would be."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest
from numba import njit
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from fastmetrics.errors import DegenerateDataWarning
from fastmetrics.measures import asking

X, Y = load_breast_cancer(return_X_y=True)
TREE, BAYES = DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB()
SEEN: list[tuple[np.ndarray, np.ndarray]] = []


class Recorder(BaseEstimator):
    """Remembers the rows, numbered in the first column, of each fit and prediction."""

    def fit(self, X, y):
        self.rows_ = np.asarray(X)[:, 0].astype(int)
        self.labels_ = y
        return self

    def predict(self, X):
        SEEN.append((self.rows_, np.asarray(X)[:, 0].astype(int)))
        return np.full(len(X), self.labels_[0])


@pytest.fixture(autouse=True)
def _forget():
    SEEN.clear()


def numbered(n: int) -> np.ndarray:
    return np.column_stack([np.arange(n), np.arange(n)])


def test_five_repetitions_of_two_folds():
    y = np.arange(60) % 3
    with pytest.warns(DegenerateDataWarning):  # both are right for a third of each half
        fm.comparison.compare_estimators(Recorder(), DummyClassifier(), numbered(60), y, rng=1)
    assert len(SEEN) == 10
    for train, test in SEEN:
        assert len(train) == len(test) == 30
        assert sorted([*train, *test]) == list(range(60))
        assert np.bincount(y[test]).tolist() == [10, 10, 10]
    for first, second in zip(SEEN[::2], SEEN[1::2], strict=True):
        assert sorted(first[1]) == sorted(second[0])  # the halves change places
    assert len({tuple(sorted(test)) for _, test in SEEN}) == 10  # five different partitions


@pytest.mark.parametrize(("repeats", "splits"), [(1, 10), (3, 4)])
def test_folds_of_cross_validation(repeats, splits):
    y = np.arange(120) % 2
    test = fm.comparison.compare_estimators(
        *(Recorder(), DummyClassifier(strategy="constant", constant=1), numbered(120), y),
        test="kfold",
        n_folds=splits,
        n_repeats=repeats,
        metrics=lambda true, called: float(len(true)) + float(np.sum(called)) * 0.01,
        higher_is_better=False,
        rng=2,
    )
    assert len(SEEN) == splits * repeats
    for at in range(repeats):
        rows = np.concatenate([test for _, test in SEEN[at * splits : (at + 1) * splits]])
        assert sorted(rows) == list(range(120))
    assert test.df == splits * repeats - 1
    assert test.method.startswith("repeated") == (repeats > 1)


@pytest.mark.parametrize("variant", ["dietterich", "textbook", "f"])
def test_the_result_is_that_of_the_errors(variant):
    losses: dict[str, list[float]] = {"a": [], "b": []}
    calls = iter(["a", "b"] * 10)

    def loss(true, called):
        losses[next(calls)].append(float(np.mean(true != called)))
        return float(np.mean(true != called))

    test = fm.comparison.compare_estimators(
        TREE, BAYES, X, Y, variant=variant, metrics=loss, higher_is_better=False, rng=3
    )
    a, b = (np.reshape(losses[name], (5, 2)) for name in "ab")
    expected = fm.comparison.five_by_two_cv_test(a, b, variant=variant, higher_is_better=False)
    assert (test.statistic, test.pvalue) == (expected.statistic, expected.pvalue)
    assert test.details["mean_a"] == pytest.approx(a.mean())
    assert test.details["mean_b"] == pytest.approx(b.mean())
    by_default = fm.comparison.compare_estimators(TREE, BAYES, X, Y, variant=variant, rng=3)
    assert by_default.statistic == pytest.approx(test.statistic)
    assert json.loads(json.dumps(test.to_dict()))["pvalue"] == test.pvalue


def test_the_correction_is_the_default_of_kfold():
    options = {"test": "kfold", "n_folds": 5, "rng": 4}
    test = fm.comparison.compare_estimators(TREE, BAYES, X, Y, **options)
    plain = fm.comparison.compare_estimators(TREE, BAYES, X, Y, correction="none", **options)
    assert test.method == "k-fold paired t test, Nadeau-Bengio"
    own = ("standard_error",)
    assert {k: v for k, v in test.details.items() if k not in own} == {
        k: v for k, v in plain.details.items() if k not in own
    }
    assert test.statistic == plain.details["statistic_nadeau_bengio"]
    assert abs(test.statistic) < abs(plain.statistic)


def test_text_labels_and_data_frames():
    data, labels = load_iris(return_X_y=True, as_frame=True)
    words = pd.Series(np.array(["setosa", "versicolor", "virginica"])[labels])
    test = fm.comparison.compare_estimators(TREE, BAYES, data, words, rng=5)
    plain = fm.comparison.compare_estimators(TREE, BAYES, data.to_numpy(), labels.to_numpy(), rng=5)
    assert (test.statistic, test.pvalue) == (plain.statistic, plain.pvalue)


def test_regressors():
    data, target = load_diabetes(return_X_y=True)
    test = fm.comparison.compare_estimators(
        *(LinearRegression(), Ridge(alpha=100.0), data, target),
        test="kfold",
        metrics="mean_squared_error",
        stratified=False,
        rng=6,
    )
    assert (test.better, test.reject) == ("LinearRegression", True)


@pytest.mark.parametrize(
    ("metric", "higher"),
    [
        ("accuracy", None),
        (("f1_macro", {}), None),
        (accuracy_score, True),
        ("error_rate", False),
        (lambda true, called: np.mean(true != called), False),
    ],
)
def test_scores_and_errors_name_the_same_winner(metric, higher):
    """An accuracy taken for an error would name the stump."""
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    iris = load_iris(return_X_y=True)
    test = fm.comparison.compare_estimators(
        stump, TREE, *iris, metrics=metric, higher_is_better=higher, names=("stump", "tree"), rng=1
    )
    assert test.better == "tree"
    assert test.reject


@pytest.mark.parametrize("compiled", [False, True])
def test_a_registered_measure_says_its_direction(compiled, monkeypatch):
    monkeypatch.setattr(asking, "_registered", {})
    if compiled:
        agreement = njit(lambda true, called, weights: np.mean(weights * (true == called)))
    else:
        agreement = lambda true, called: np.mean(true == called)  # noqa: E731
    fm.register_metric("agreement", agreement, needs="labels", higher_is_better=True)
    test = fm.comparison.compare_estimators(TREE, BAYES, X, Y, metrics="agreement", rng=1)
    accuracy = fm.comparison.compare_estimators(TREE, BAYES, X, Y, metrics="accuracy", rng=1)
    assert test.better == accuracy.better
    assert test.statistic == pytest.approx(accuracy.statistic)
    assert test.details["mean_a"] == pytest.approx(accuracy.details["mean_a"])


def test_estimators_are_cloned_and_named():
    tree = DecisionTreeClassifier(random_state=0)
    test = fm.comparison.compare_estimators(tree, BAYES, X, Y, rng=7)
    assert not hasattr(tree, "tree_")
    assert test.better in (None, "DecisionTreeClassifier", "GaussianNB")
    assert fm.comparison.compare_estimators(tree, TREE, X, Y, rng=7).better in (None, "A", "B")
    named = fm.comparison.compare_estimators(tree, TREE, X, Y, rng=7, names=("deep", "flat"))
    assert named.better in (None, "deep", "flat")


def test_the_seed_decides_the_folds():
    first, again, other = (
        fm.comparison.compare_estimators(TREE, BAYES, X, Y, rng=seed).statistic
        for seed in (8, 8, 9)
    )
    assert first == again != other


def test_objects_that_are_no_scikit_learn_estimators():
    class Majority:
        def fit(self, X, y):
            self.label = np.bincount(y).argmax()

        def predict(self, X):
            return np.full(len(X), self.label)

    with pytest.warns(DegenerateDataWarning, match="p is 1"):
        test = fm.comparison.compare_estimators(
            Majority(), DummyClassifier(), X, Y, names=("ours", "theirs"), rng=10
        )
    assert (test.statistic, test.pvalue, test.better) == (0, 1, None)


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with pytest.raises(ImportError, match="compare_estimators needs scikit-learn: pip inst"):
        fm.comparison.compare_estimators(TREE, BAYES, X, Y)


@pytest.mark.parametrize(
    ("estimators", "options", "error", "match"),
    [
        ((TREE, object()), {}, TypeError, "`estimator_b` must be an estimator with `fit`"),
        ((GaussianNB, TREE), {}, TypeError, "`estimator_a` must be an estimator"),
        ((TREE, BAYES), {"test": "5x2"}, ValueError, "`test` must be one of"),
        ((TREE, BAYES), {"variant": "g"}, ValueError, "`variant` must be one of"),
        ((TREE, BAYES), {"n_folds": 1}, ValueError, "`n_folds` must be at least 2"),
        ((TREE, BAYES), {"stratified": 1}, ValueError, "`stratified` must be one of"),
        (
            (TREE, BAYES),
            {"metrics": lambda t, p: t, "higher_is_better": False},
            TypeError,
            "`metrics` must be a number",
        ),
        ((TREE, BAYES), {"metrics": "accuray"}, ValueError, "did you mean 'accuracy'"),
        ((TREE, BAYES), {"metrics": ["f1", "accuracy"]}, ValueError, "must be one measure: got 2"),
        ((TREE, BAYES), {"metrics": "roc_auc"}, ValueError, "which is what `predict` returns: got"),
        (
            (TREE, BAYES),
            {"metrics": make_scorer(accuracy_score)},
            TypeError,
            "got a scorer of scikit-learn",
        ),
        (
            (TREE, BAYES),
            {"metrics": lambda t, p: 1.0},
            TypeError,
            "`higher_is_better` must be True .* for '<lambda>': got None",
        ),
        (
            (TREE, BAYES),
            {"metrics": "accuracy", "higher_is_better": False},
            ValueError,
            "`higher_is_better` of 'accuracy' is declared to be True: got False",
        ),
        ((TREE, BAYES), {"names": ("a",)}, ValueError, "`names` must be 2 distinct texts"),
    ],
)
def test_faults(estimators, options, error, match):
    with pytest.raises(error, match=match):
        fm.comparison.compare_estimators(*estimators, X[:40], Y[:40], **options)


def test_lengths_differ():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fm.comparison.compare_estimators(TREE, BAYES, X[:40], Y[:41])
