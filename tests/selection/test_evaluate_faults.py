"""What ``evaluate_estimator`` refuses, and what it says when a number is not there."""

import math
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm

X, y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(max_depth=1, random_state=0)
TWO = y > 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cv": "ten"}, ValueError, "a splitter or one of 'k-fold'.*got 'ten'"),
        ({"cv": 10.0}, TypeError, "a splitter or one of 'k-fold'.*got 10.0"),
        ({"cv": fm.selection.Folds(3), "rng": 0}, TypeError, "`rng` belongs to the splitter"),
        ({"cv": fm.selection.Folds}, TypeError, "a splitter or one of"),
        ({"cv": "loo", "groups": y}, ValueError, "knows no `groups`"),
        ({"cv": ".632", "groups": y}, ValueError, "draws rows, not groups"),
        ({"metrics": ("accuracy", {"beta": 1})}, TypeError, "no parameter 'beta'"),
        ({"metrics": ("log_loss", {"eps": 1})}, TypeError, "`log_loss` has no parameter 'eps'"),
        ({"metrics": "roc_auc"}, ValueError, "is for two classes, and `y` has 3: see roc_auc_ovr"),
        ({"metrics": "f1"}, ValueError, "see f1_macro"),
        ({"metrics": "mean_squared_error"}, ValueError, "is for regression"),
        ({"metrics": lambda y, r: y}, ValueError, "must return one number"),
        ({"metrics": "f1_macro", "cv": ".632"}, ValueError, "no mean of losses of rows"),
        ({"metrics": "mean_squared_error", "cv": ".632"}, ValueError, "is for regression"),
        ({"n_jobs": 0}, ValueError, "`n_jobs` must not be 0"),
    ],
)
def test_faults(options, error, message):
    with pytest.raises(error, match=message):
        fm.selection.evaluate_estimator(TREE, X, y, **options)


@pytest.mark.parametrize(
    ("estimator", "error", "message"),
    [
        (DecisionTreeClassifier, TypeError, "with `fit` and `predict`"),
        (3, TypeError, "with `fit` and `predict`: got 3"),
    ],
)
def test_no_estimator(estimator, error, message):
    with pytest.raises(error, match=message):
        fm.selection.evaluate_estimator(estimator, X, y)


def test_data_that_do_not_fit():
    with pytest.raises(ValueError, match="lengths differ: `X` has 150 rows, `y` has 149"):
        fm.selection.evaluate_estimator(TREE, X, y[:-1])
    with pytest.raises(ValueError, match="'accuracy' is for classes: `estimator` is a regressor"):
        fm.selection.evaluate_estimator(LinearRegression(), X, y, metrics="accuracy")
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        fm.selection.evaluate_estimator(LinearSVC(), X, TWO, metrics="log_loss")


class Strange:
    """Answers with what is no label."""

    _estimator_type = "classifier"

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), 9)

    def decision_function(self, X):
        return X[:, 0]


def test_predictions_that_are_no_labels_and_where():
    with pytest.raises(ValueError, match="which is no label of `y`") as caught:
        fm.selection.evaluate_estimator(Strange(), X, y)
    assert caught.value.__notes__ == ["fastmetrics: at split 0, counted from 0"]
    with pytest.raises(TypeError, match="predicts int64 where `y` holds"):
        fm.selection.evaluate_estimator(Strange(), X, np.array(["a", "b", "c"])[y])


class Shaped(Strange):
    """Predicts in a shape of its own; knows the probabilities of two classes, or of one."""

    def __init__(self, shape, columns=2):
        self.shape, self.columns = shape, columns
        if columns == 1:
            self.classes_ = np.array([True])

    def predict(self, X):
        return np.zeros((len(X), *self.shape), bool)

    def predict_proba(self, X):
        return np.full((len(X), self.columns), 1 / self.columns)


def test_columns_of_predictions():
    options = {"cv": "3-fold", "rng": 0, "metrics": ["error_rate", "brier_score"]}
    with pytest.warns(fm.DegenerateDataWarning, match="'brier_score' is 0.25"):
        found = fm.selection.evaluate_estimator(Shaped((1,)), X, TWO, **options)
    assert found["error_rate"].estimate == pytest.approx(2 / 3, abs=0.01)
    assert found["brier_score"].estimate == 0.25
    with pytest.raises(ValueError, match=r"must predict one value a row: got shape \(100, 2\)"):
        fm.selection.evaluate_estimator(Shaped((2,)), X, TWO, **options)
    with pytest.raises(ValueError, match="one column for each of 2 classes: got shape"):
        fm.selection.evaluate_estimator(Shaped((1,), 3), X, TWO, **options)


def test_a_model_that_was_shown_one_class_scores_by_its_probabilities():
    options = {"cv": fm.selection.Folds(3, rng=0), "metrics": ["roc_auc", "brier_score"]}
    with pytest.warns(fm.DegenerateDataWarning, match="'roc_auc' is 0.5 in all 3 splits"):
        found = fm.selection.evaluate_estimator(Shaped((), 1), X, TWO, **options)
    assert found["roc_auc"].estimate == 0.5
    assert found["brier_score"].estimate == pytest.approx(1 / 3, abs=0.01)


def test_a_model_without_scores():
    class Silent(Strange):
        decision_function = property()

    with pytest.raises(TypeError, match="Silent has neither decision_function nor predict_proba"):
        fm.selection.evaluate_estimator(Silent(), X, TWO, metrics="roc_auc", cv="3-fold")


def test_a_method_without_splits():
    class Nothing:
        def split(self, X, y, groups):
            return iter(())

        def get_n_splits(self, X, y, groups):
            return 0

    with pytest.raises(ValueError, match="`cv` makes no split"):
        fm.selection.evaluate_estimator(TREE, X, y, cv=Nothing())


def test_a_measure_undefined_in_some_split_is_nan_and_said_once():
    generator = np.random.default_rng(0)
    data, rare = generator.normal(size=(40, 2)), np.arange(40) < 4
    splitter = fm.selection.Folds(8, stratified=False, rng=0)
    with pytest.warns(fm.UndefinedMetricWarning) as caught:
        found = fm.selection.evaluate_estimator(TREE, data, rare, cv=splitter, metrics="roc_auc")
    assert len(caught) == 1
    assert "'roc_auc' is not defined on the test rows of" in str(caught[0].message)
    assert math.isnan(found["roc_auc"].estimate)
    assert math.isnan(found["roc_auc"].confidence_interval.low)
    assert caught[0].filename == __file__


def test_what_a_measure_warns_of_in_each_split_is_said_once():
    with pytest.warns(fm.UndefinedMetricWarning) as caught:
        fm.selection.evaluate_estimator(LinearRegression(), X[:9], X[:9, 0], metrics="r2", cv="loo")
    said = "'r2' is not defined on the test rows of 9 of 9 splits: its mean is nan"
    assert [str(warning.message) for warning in caught] == [said]


def test_one_split_has_no_spread():
    with pytest.warns(fm.UndefinedMetricWarning, match="one split has no spread"):
        found = fm.selection.evaluate_estimator(
            TREE, X, y, cv=fm.selection.HoldOut(n_repeats=1, rng=0)
        )
    assert 0 < found["error_rate"].estimate < 1
    assert math.isnan(found["error_rate"].standard_deviation)
    assert math.isnan(found["error_rate"].confidence_interval.high)


@pytest.mark.parametrize("n_splits", [2, 10])
def test_no_spread_at_all(n_splits):
    model = DummyClassifier(strategy="most_frequent")
    even, method = np.arange(100) % 2, f"{n_splits}-fold"
    said = f"'error_rate' is 0.5 in all {n_splits} splits: its interval has no width"
    with pytest.warns(fm.DegenerateDataWarning, match=said):
        found = fm.selection.evaluate_estimator(
            model, np.zeros((100, 1)), even, cv=method, metrics="error_rate", rng=0
        )
    assert found["error_rate"].confidence_interval.low == 0.5
    assert found["error_rate"].confidence_interval.high == 0.5


def test_an_infinite_value_has_an_infinite_mean_and_no_spread():
    def infinite_with_any(y_true, y_pred):
        return np.inf if y_true.any() else 1.0

    method, only = fm.selection.Folds(3, stratified=False, rng=1), np.arange(150) == 7
    found = fm.selection.evaluate_estimator(
        TREE, X, only, metrics={"it": infinite_with_any}, cv=method
    )
    assert sorted(found.folds["test_it"]) == [1.0, 1.0, math.inf]
    assert (found["it"].estimate, found["it"].train_estimate) == (math.inf, math.inf)
    assert math.isnan(found["it"].standard_deviation)


def test_without_joblib(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(ImportError, match="n_jobs other than 1 needs joblib"):
        fm.selection.evaluate_estimator(TREE, X, y, n_jobs=2)
