"""Learning and validation curves against scikit-learn's, and the rows that they are made of."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import KFold, StratifiedKFold, learning_curve, validation_curve
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from fastmetrics.errors import UndefinedMetricWarning

X, Y = load_breast_cancer(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)
SEEN: list[np.ndarray] = []


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers the rows, numbered in the first column, of each fit."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        SEEN.append(np.asarray(X)[:, 0].astype(int))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class RegressionRecorder(RegressorMixin, Recorder):
    pass


@pytest.fixture(autouse=True)
def _forget():
    SEEN.clear()


@pytest.mark.parametrize(
    ("estimator", "data", "cv", "metric", "scoring"),
    [
        (TREE, load_breast_cancer, StratifiedKFold(4), "accuracy", "accuracy"),
        (Ridge(), load_diabetes, KFold(3, shuffle=True, random_state=0), None,
         "neg_mean_squared_error"),
    ],
)  # fmt: skip
def test_validation_curve_against_scikit_learn(estimator, data, cv, metric, scoring):
    some, target = data(return_X_y=True)
    parameter, values = ("alpha", [0.1, 1.0]) if metric is None else ("max_depth", [1, 3, 5])
    ours = fm.selection.estimator_validation_curve(
        estimator, some, target, parameter=parameter, values=values, metrics=metric, cv=cv
    )
    train, test = validation_curve(
        estimator, some, target, param_name=parameter, param_range=values, cv=cv, scoring=scoring
    )
    sign = 1 if ours.higher_is_better else -1
    assert sign * ours.train_values == pytest.approx(train, rel=1e-12)
    assert sign * ours.test_values == pytest.approx(test, rel=1e-12)
    assert ours.best_value == values[int(test.mean(1).argmax())]
    assert ours.test_deviations == pytest.approx(test.std(1, ddof=1))
    assert ours.train_means == pytest.approx(sign * train.mean(1))


def test_learning_curve_against_scikit_learn():
    # Which rows are added first is scikit-learn's own draw: in the whole fold there is no choice.
    cv, ridge = KFold(4, shuffle=True, random_state=0), Ridge()
    some, target = (part[:440] for part in load_diabetes(return_X_y=True))  # folds of one size
    ours = fm.selection.estimator_learning_curve(
        ridge, some, target, fractions=[0.5, 1], cv=cv, rng=0
    )
    sizes, train, test = learning_curve(
        ridge, some, target, train_sizes=[0.5, 1.0], cv=cv, scoring="neg_mean_squared_error"
    )
    assert ours.train_sizes == pytest.approx(sizes, abs=1)
    assert -ours.train_values[1] == pytest.approx(train[1], rel=1e-12)
    assert -ours.test_values[1] == pytest.approx(test[1], rel=1e-12)
    assert ours.train_values[0] != pytest.approx(-train[0])


def test_training_sets_grow_and_keep_the_class_shares():
    n, shares = 300, (0.6, 0.3, 0.1)
    y = np.repeat([5, 7, 9], [round(n * share) for share in shares])
    rows = np.arange(n)[:, None]
    fractions = [0.0125, 0.2, 0.37, 1.0]
    curve = fm.selection.estimator_learning_curve(
        Recorder(), rows, y, fractions=fractions, cv=5, rng=1
    )
    assert curve.train_sizes.tolist() == [3.0, 48.0, 89.0, 240.0]
    sets = np.array(SEEN, object).reshape(4, 5)
    for fold in range(5):
        for smaller, larger in zip(sets[:-1, fold], sets[1:, fold], strict=True):
            assert set(smaller) < set(larger)
        for chosen in sets[:, fold]:
            counts = np.bincount(y[chosen], minlength=10)[[5, 7, 9]]
            assert (np.abs(counts - np.array(shares) * len(chosen)) < 0.75).all()
    assert len({tuple(sorted(chosen)) for chosen in sets[0]}) == 5
    assert (np.diff(SEEN[0]) < 0).any()


def test_regression_rows_are_added_at_random():
    rows = np.arange(100)[:, None]
    fm.selection.estimator_learning_curve(
        RegressionRecorder(), rows, rows[:, 0] * 1.5, fractions=[0.2], cv=4
    )
    assert all(len(chosen) == 15 for chosen in SEEN)
    assert all(chosen.max() > 50 for chosen in SEEN)  # not the first ones


def test_seeds_and_processes():
    def curve(**options):
        found = fm.selection.estimator_learning_curve(
            TREE, X, Y, fractions=[0.1, 0.3], cv=3, **options
        )
        return found.to_dict()

    one = curve(rng=1)
    assert curve(rng=1, n_jobs=2) == one != curve(rng=2)


def test_functions_and_one_split():
    half = [(np.arange(200), np.arange(200, 442))]
    some, target = load_diabetes(return_X_y=True)
    found = fm.selection.estimator_validation_curve(
        Ridge(), some, target, parameter="alpha", values=np.array([0.1, 1.0]), cv=half,
        metrics=mean_absolute_error, higher_is_better=False,
    )  # fmt: skip
    model = Ridge(alpha=0.1).fit(some[:200], target[:200])
    assert found.test_values[0, 0] == mean_absolute_error(target[200:], model.predict(some[200:]))
    assert np.isnan(found.test_deviations).all()
    assert found.values == (0.1, 1.0)


def test_the_least_is_one_row_and_two_folds_have_a_spread():
    rows = np.arange(40)[:, None]
    curve = fm.selection.estimator_learning_curve(
        RegressionRecorder(), rows, rows[:, 0] * 1.5, fractions=[0.001, 0.5], cv=2, rng=0
    )
    assert curve.train_sizes.tolist() == [1.0, 10.0]
    assert [len(seen) for seen in SEEN] == [1, 1, 10, 10]
    assert curve.test_deviations == pytest.approx(curve.test_values.std(1, ddof=1))


def test_undefined_values():
    y = np.repeat([0, 1], [99, 1])
    cv = [(np.arange(50, 100), np.arange(50))]
    with pytest.warns(UndefinedMetricWarning, match="undefined for 2 of 2 fits"):
        found = fm.selection.estimator_validation_curve(
            TREE, np.arange(100)[:, None], y, parameter="max_depth", values=[1, 2], cv=cv,
            metrics="roc_auc",
        )  # fmt: skip
    assert np.isnan(found.test_values).all()
    assert not np.isnan(found.train_values).any()


def test_validation_faults():
    with pytest.raises(ValueError, match="`estimator` has no parameter 'depth'"):
        fm.selection.estimator_validation_curve(TREE, X, Y, parameter="depth", values=[1])
    with pytest.raises(TypeError, match="`values` must be a sequence: got int"):
        fm.selection.estimator_validation_curve(TREE, X, Y, parameter="max_depth", values=3)
