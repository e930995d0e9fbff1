"""Learning and validation curves, comparisons of estimators."""

import json
import sys

import numpy as np
import pytest
from numba import njit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import accuracy_score, mean_absolute_error
from sklearn.model_selection import KFold, StratifiedKFold, learning_curve, validation_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from fastmetrics.comparison import five_by_two_cv_test, kfold_paired_t_test
from fastmetrics.errors import DegenerateDataWarning, UndefinedMetricWarning
from fastmetrics.selection import (
    HoldOut,
    compare_estimators,
    estimator_learning_curve,
    estimator_validation_curve,
    evaluate_estimator,
)

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
    SPLITS.clear()


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
    ours = estimator_validation_curve(
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
    cv = KFold(4, shuffle=True, random_state=0)
    ridge = Ridge()
    some, target = (part[:440] for part in load_diabetes(return_X_y=True))  # folds of one size
    ours = estimator_learning_curve(ridge, some, target, fractions=[0.5, 1], cv=cv, rng=0)
    sizes, train, test = learning_curve(
        ridge, some, target, train_sizes=[0.5, 1.0], cv=cv, scoring="neg_mean_squared_error"
    )
    assert ours.train_sizes == pytest.approx(sizes, abs=1)
    assert -ours.train_values[1] == pytest.approx(train[1], rel=1e-12)
    assert -ours.test_values[1] == pytest.approx(test[1], rel=1e-12)
    assert ours.train_values[0] != pytest.approx(-train[0])


def test_training_sets_grow_and_keep_the_class_shares():
    n = 300
    shares = (0.6, 0.3, 0.1)
    y = np.repeat([5, 7, 9], [round(n * share) for share in shares])
    rows = np.arange(n)[:, None]
    fractions = [0.0125, 0.2, 0.37, 1.0]
    curve = estimator_learning_curve(Recorder(), rows, y, fractions=fractions, cv=5, rng=1)
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
    estimator_learning_curve(RegressionRecorder(), rows, rows[:, 0] * 1.5, fractions=[0.2], cv=4)
    assert all(len(chosen) == 15 for chosen in SEEN)
    assert all(chosen.max() > 50 for chosen in SEEN)  # not the first ones


def test_seeds_and_processes():
    def curve(**options):
        return estimator_learning_curve(TREE, X, Y, fractions=[0.1, 0.3], cv=3, **options).to_dict()

    assert curve(rng=1, n_jobs=2) == curve(rng=1) != curve(rng=2)


def test_functions_and_one_split():
    half = [(np.arange(200), np.arange(200, 442))]
    some, target = load_diabetes(return_X_y=True)
    actual = estimator_validation_curve(
        Ridge(), some, target, parameter="alpha", values=np.array([0.1, 1.0]), cv=half,
        metrics=mean_absolute_error, higher_is_better=False,
    )  # fmt: skip
    model = Ridge(alpha=0.1).fit(some[:200], target[:200])
    assert actual.test_values[0, 0] == mean_absolute_error(target[200:], model.predict(some[200:]))
    assert np.isnan(actual.test_deviations).all()
    assert actual.values == (0.1, 1.0)


def test_the_least_is_one_row_and_two_folds_have_a_spread():
    rows = np.arange(40)[:, None]
    curve = estimator_learning_curve(
        RegressionRecorder(), rows, rows[:, 0] * 1.5, fractions=[0.001, 0.5], cv=2, rng=0
    )
    assert curve.train_sizes.tolist() == [1.0, 10.0]
    assert [len(seen) for seen in SEEN] == [1, 1, 10, 10]
    assert curve.test_deviations == pytest.approx(curve.test_values.std(1, ddof=1))


def test_undefined_values():
    y = np.repeat([0, 1], [99, 1])
    cv = [(np.arange(50, 100), np.arange(50))]
    with pytest.warns(UndefinedMetricWarning, match="undefined for 2 of 2 fits"):
        actual = estimator_validation_curve(
            TREE, np.arange(100)[:, None], y, parameter="max_depth", values=[1, 2], cv=cv,
            metrics="roc_auc",
        )  # fmt: skip
    assert np.isnan(actual.test_values).all()
    assert not np.isnan(actual.train_values).any()


def test_validation_faults():
    with pytest.raises(ValueError, match="`estimator` has no parameter 'depth'"):
        estimator_validation_curve(TREE, X, Y, parameter="depth", values=[1])
    with pytest.raises(TypeError, match="`values` must be a sequence: got int"):
        estimator_validation_curve(TREE, X, Y, parameter="max_depth", values=3)


STUMP = DecisionTreeClassifier(max_depth=2, random_state=0)
BAYES = GaussianNB()
SPLITS: list[tuple[np.ndarray, np.ndarray]] = []


class Splitting(BaseEstimator):
    """Remembers the rows, numbered in the first column, of each fit and prediction."""

    def fit(self, X, y):
        self.rows_ = np.asarray(X)[:, 0].astype(int)
        self.labels_ = y
        return self

    def predict(self, X):
        SPLITS.append((self.rows_, np.asarray(X)[:, 0].astype(int)))
        return np.full(len(X), self.labels_[0])


def numbered(n: int) -> np.ndarray:
    return np.column_stack([np.arange(n), np.arange(n)])


def test_five_repetitions_of_two_folds():
    y = np.arange(60) % 3
    with pytest.warns(DegenerateDataWarning):  # both are right for a third of each half
        compare_estimators(Splitting(), DummyClassifier(), numbered(60), y, rng=1)
    assert len(SPLITS) == 10
    for train, test in SPLITS:
        assert len(train) == len(test) == 30
        assert sorted([*train, *test]) == list(range(60))
        assert np.bincount(y[test]).tolist() == [10, 10, 10]
    for first, second in zip(SPLITS[::2], SPLITS[1::2], strict=True):
        assert sorted(first[1]) == sorted(second[0])  # the halves change places
    assert len({tuple(sorted(test)) for _, test in SPLITS}) == 10  # five different partitions


@pytest.mark.parametrize(("repeats", "splits"), [(1, 10), (3, 4)])
def test_folds_of_cross_validation(repeats, splits):
    test = compare_estimators(
        Splitting(),
        DummyClassifier(strategy="constant", constant=1),
        numbered(120),
        np.arange(120) % 2,
        cv=f"{repeats}x{splits}",
        metrics=lambda true, called: float(len(true)) + float(np.sum(called)) * 0.01,
        higher_is_better=False,
        rng=2,
    )
    assert len(SPLITS) == splits * repeats
    for at in range(repeats):
        rows = np.concatenate([test for _, test in SPLITS[at * splits : (at + 1) * splits]])
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

    test = compare_estimators(
        STUMP, BAYES, X, Y, variant=variant, metrics=loss, higher_is_better=False, rng=3
    )
    a, b = (np.reshape(losses[name], (5, 2)) for name in "ab")
    expected = five_by_two_cv_test(a, b, variant=variant, higher_is_better=False)
    assert (test.statistic, test.pvalue) == (expected.statistic, expected.pvalue)
    assert test.details["mean_a"] == pytest.approx(a.mean())
    assert test.details["mean_b"] == pytest.approx(b.mean())
    by_default = compare_estimators(STUMP, BAYES, X, Y, variant=variant, rng=3)
    assert by_default.statistic == pytest.approx(test.statistic)
    assert json.loads(json.dumps(test.to_dict()))["pvalue"] == test.pvalue


def test_the_correction_is_the_default_of_kfold():
    options = {"cv": 5, "rng": 4}
    test = compare_estimators(STUMP, BAYES, X, Y, **options)
    plain = compare_estimators(STUMP, BAYES, X, Y, correction="none", **options)
    assert test.method == "k-fold paired t test, Nadeau-Bengio"
    own = ("standard_error",)
    assert {k: v for k, v in test.details.items() if k not in own} == {
        k: v for k, v in plain.details.items() if k not in own
    }
    assert abs(test.statistic) < abs(plain.statistic)


def test_regressors():
    data, target = load_diabetes(return_X_y=True)
    test = compare_estimators(
        LinearRegression(),
        Ridge(alpha=100.0),
        data,
        target,
        cv=10,
        metrics="mean_squared_error",
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
    test = compare_estimators(
        stump, STUMP, *iris, metrics=metric, higher_is_better=higher, names=("stump", "tree"), rng=1
    )
    assert test.better == "tree"
    assert test.reject


@pytest.mark.parametrize("compiled", [False, True])
def test_a_registered_metric_says_its_direction(compiled):
    if compiled:
        agreement = njit(lambda true, called, weights: np.mean(weights * (true == called)))
    else:
        agreement = lambda true, called: np.mean(true == called)  # noqa: E731
    fm.register_metric("agreement", agreement, needs="labels", higher_is_better=True)
    test = compare_estimators(STUMP, BAYES, X, Y, metrics="agreement", rng=1)
    accuracy = compare_estimators(STUMP, BAYES, X, Y, metrics="accuracy", rng=1)
    assert test.better == accuracy.better
    assert test.statistic == pytest.approx(accuracy.statistic)
    assert test.details["mean_a"] == pytest.approx(accuracy.details["mean_a"])


def test_estimators_are_cloned_and_named():
    tree = DecisionTreeClassifier(random_state=0)
    assert compare_estimators(tree, BAYES, X, Y, rng=7).better == "GaussianNB"
    assert not hasattr(tree, "tree_")
    assert compare_estimators(tree, STUMP, X, Y, rng=7).better == "B"
    assert compare_estimators(tree, STUMP, X, Y, rng=7, names=("deep", "flat")).better == "flat"


def test_metrics_of_scores_on_groups_and_the_splits_of_one_estimator():
    options = {"cv": "2x5", "metrics": "roc_auc", "groups": np.arange(len(Y)) // 4, "rng": 3}
    test = compare_estimators(STUMP, BAYES, X, Y, n_jobs=2, **options)
    alone = [evaluate_estimator(one, X, Y, **options) for one in (STUMP, BAYES)]
    a, b = (one.folds["test_roc_auc"] for one in alone)
    wanted = kfold_paired_t_test(a, b, n_folds=5, higher_is_better=True)
    assert (test.statistic, test.pvalue, test.df) == (wanted.statistic, wanted.pvalue, 9)
    assert test.details["mean_a"] == pytest.approx(alone[0]["roc_auc"].estimate)
    assert test.better == "GaussianNB"


def test_repeated_hold_out_is_corrected_by_the_sizes_of_both_sides():
    cv = HoldOut(0.2, n_repeats=15, rng=1)
    test = compare_estimators(STUMP, BAYES, X, Y, cv=cv)
    rows = [len(test) / len(train) for train, test in cv.split(X, Y)]
    assert test.details["test_train_ratio"] == pytest.approx(np.mean(rows), rel=1e-12)
    assert test.df == 14


def test_the_seed_decides_the_folds():
    first, again, other = (
        compare_estimators(STUMP, BAYES, X, Y, rng=seed).statistic for seed in (8, 8, 9)
    )
    assert first == again != other


def test_objects_that_are_no_scikit_learn_estimators():
    class Majority:
        def fit(self, X, y):
            self.label = np.bincount(y).argmax()

        def predict(self, X):
            return np.full(len(X), self.label)

    with pytest.warns(DegenerateDataWarning, match="p is 1"):
        test = compare_estimators(
            Majority(), DummyClassifier(), X, Y, names=("ours", "theirs"), rng=10
        )
    assert (test.statistic, test.pvalue, test.better) == (0, 1, None)


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match="fitting estimators needs scikit-learn: pip inst"):
        compare_estimators(STUMP, BAYES, X, Y)


@pytest.mark.parametrize(
    ("estimators", "options", "error", "match"),
    [
        ((STUMP, object()), {}, TypeError, "`estimator_b` must be an estimator with `fit`"),
        ((GaussianNB, STUMP), {}, TypeError, "`estimator_a` must be an estimator"),
        ((STUMP, BAYES), {"cv": ".632"}, ValueError, "`cv` must split the rows"),
        ((STUMP, BAYES), {"variant": "f", "alternative": "less"}, ValueError, "is two-sided"),
        ((STUMP, BAYES), {"metrics": ["f1", "accuracy"]}, ValueError, "must be one metric: got 2"),
        ((STUMP, BAYES), {"metrics": lambda t, p: 1.0}, ValueError, "`higher_is_better` is needed"),
    ],
)
def test_faults(estimators, options, error, match):
    with pytest.raises(error, match=match):
        compare_estimators(*estimators, X[:40], Y[:40], **options)


def test_a_metric_that_is_undefined_in_a_split():
    options = {"metrics": "roc_auc", "cv": 30, "rng": 0}
    undefined = pytest.raises(ValueError, match="not defined on the test rows of 26 of 30 splits")
    with pytest.warns(DegenerateDataWarning, match="class 1 has 4 rows"), undefined:
        compare_estimators(STUMP, BAYES, X[:40], Y[:40], **options)
