"""Comparisons of two estimators on the same splits."""

import json
import sys

import numpy as np
import pytest
from numba import njit
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from fastmetrics.comparison import five_by_two_cv_test, kfold_paired_t_test
from fastmetrics.errors import DegenerateDataWarning
from fastmetrics.selection import HoldOut, compare_estimators, evaluate_estimator

X, Y = load_breast_cancer(return_X_y=True)
STUMP = DecisionTreeClassifier(max_depth=2, random_state=0)
BAYES = GaussianNB()
SPLITS: list[tuple[np.ndarray, np.ndarray]] = []


@pytest.fixture(autouse=True)
def _forget():
    SPLITS.clear()


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
