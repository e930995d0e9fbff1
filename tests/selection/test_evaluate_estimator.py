"""``evaluate_estimator`` against loops by hand, scikit-learn, and the definitions."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from reference import selection_oracle as oracle

X, y = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


def scaled(model):
    return make_pipeline(StandardScaler(), model)


@pytest.mark.parametrize(
    ("method", "splitter", "ratio"),
    [
        ("10-fold", lambda: fm.selection.Folds(10, rng=4), 1 / 9),
        ("2-fold", lambda: fm.selection.Folds(2, rng=4), 1.0),
        ("3x5", lambda: fm.selection.Folds(5, n_repeats=3, rng=4), 1 / 4),
        ("5x2", lambda: fm.selection.FiveByTwo(rng=4), 1.0),
        ("holdout", lambda: fm.selection.HoldOut(rng=4), 38 / 112),
    ],
)
def test_names_stand_for_splitters_and_the_numbers_are_the_definition_s(method, splitter, ratio):
    found = fm.selection.evaluate_estimator(TREE, X, y, cv=method, metrics="accuracy", rng=4)
    theirs = cross_validate(TREE, X, y, cv=splitter(), return_train_score=True)
    assert found.folds["test_accuracy"].tolist() == theirs["test_score"].tolist()
    assert found.folds["train_accuracy"].tolist() == theirs["train_score"].tolist()
    sizes = [(len(train), len(test)) for train, test in splitter().split(X, y)]
    assert list(zip(found.folds["n_train"], found.folds["n_test"], strict=True)) == sizes
    assert found.test_train_ratio == pytest.approx(ratio)
    values = theirs["test_score"].tolist()
    t = stats.t.ppf(0.975, len(values) - 1)
    mean, low, high = oracle.corrected_interval(values, ratio, t)
    accuracy = found["accuracy"]
    assert accuracy.estimate == pytest.approx(mean, rel=1e-12)
    assert (accuracy.interval_method == "t") == (high <= 1.0)  # else: test_bounded_intervals
    if high <= 1.0:
        assert accuracy.confidence_interval.low == pytest.approx(low, rel=1e-12)
        assert accuracy.confidence_interval.high == pytest.approx(high, rel=1e-12)
    assert accuracy.standard_deviation == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    assert accuracy.train_estimate == pytest.approx(theirs["train_score"].mean(), rel=1e-12)
    assert found.majority_accuracy == pytest.approx(1 / 3)
    again = fm.selection.evaluate_estimator(
        TREE, X, y, cv=method, metrics="accuracy", rng=found.key
    )
    assert again["accuracy"].estimate == accuracy.estimate


def test_leave_one_out():
    data, labels = CANCER[0][:60, :3], CANCER[1][:60]
    found = fm.selection.evaluate_estimator(TREE, data, labels, cv="loo")
    wrong = []
    for i, label in enumerate(labels):
        tree = DecisionTreeClassifier(max_depth=3, random_state=0)
        tree.fit(np.delete(data, i, 0), np.delete(labels, i))
        wrong.append(float(tree.predict(data[[i]])[0] != label))
    assert found.folds["test_error_rate"].tolist() == wrong
    assert found["error_rate"].estimate == np.mean(wrong) > 0
    assert (found.n_splits, found.key) == (60, None)


def test_scikit_learn_s_splitters_are_taken():
    splitter = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    found = fm.selection.evaluate_estimator(TREE, X, y, cv=splitter, metrics="accuracy")
    scores = cross_validate(TREE, X, y, cv=splitter)["test_score"]
    assert found.folds["test_accuracy"].tolist() == scores.tolist()
    assert found.key is None


def test_a_number_is_that_many_folds():
    by_name, by_number = (
        fm.selection.evaluate_estimator(TREE, X, y, cv=cv, metrics="accuracy", rng=4)
        for cv in ("5-fold", np.int64(5))
    )
    assert by_name["accuracy"] == by_number["accuracy"]
    assert by_name.method == by_number.method == "5-fold"


def test_names_mean_the_same_to_all():
    named, made = (
        fm.selection.tune_estimator(TREE, X, y, {"max_depth": [1, 2]}, cv=cv, rng=rng)
        for cv, rng in (("2x3", 4), (fm.selection.Folds(3, n_repeats=2, rng=4), None))
    )
    assert named.values.tolist() == made.values.tolist()


def test_out_of_bag_as_a_method_corrects_by_the_distinct_rows():
    splitter = fm.selection.BootstrapOutOfBag(20, rng=0)
    found = fm.selection.evaluate_estimator(TREE, X, y, cv=splitter)
    sizes = [(len(set(train.tolist())), len(test)) for train, test in splitter.split(X, y)]
    distinct, tested = np.sum(sizes, axis=0)
    assert found.test_train_ratio == tested / distinct
    assert found.folds["n_train"].tolist() == [150] * 20


def test_groups():
    groups = np.arange(150) // 4
    found = fm.selection.evaluate_estimator(
        TREE, X, y, cv="2x3", metrics="accuracy", groups=groups, rng=1
    )
    splitter = fm.selection.GroupedFolds(3, n_repeats=2, stratified=True, rng=1)
    scores = cross_validate(TREE, X, y, groups=groups, cv=splitter)["test_score"]
    assert found.folds["test_accuracy"].tolist() == scores.tolist()


OF_TWO_CLASSES = {
    "accuracy": "accuracy",
    "f1": "f1",
    "precision": "precision",
    "recall_macro": "recall_macro",
    "matthews_corrcoef": "matthews_corrcoef",
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "balanced_accuracy": "balanced_accuracy",
}
OF_PROBABILITIES = {"log_loss": "neg_log_loss", "brier_score": "neg_brier_score"}


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("model", [scaled(LogisticRegression()), scaled(LinearSVC())])
def test_measures_of_two_classes_are_scikit_learn_s(model, words):
    """`roc_auc` by decision_function, and of text labels the second is positive."""
    data, labels = CANCER
    target = np.array(["benign", "malign"])[labels] if words else labels
    names = dict(OF_TWO_CLASSES)
    if not isinstance(model[-1], LinearSVC):
        names |= OF_PROBABILITIES
    ours = fm.selection.evaluate_estimator(
        model, data, target, cv="4-fold", metrics=list(names), rng=0
    )
    assert ours.majority_accuracy == max(labels.mean(), 1 - labels.mean())
    splitter = fm.selection.Folds(4, rng=0)
    theirs = cross_validate(model, data, labels, cv=splitter, scoring=names)
    for name, scorer in names.items():
        sign = -1 if scorer.startswith("neg_") else 1
        expected = (sign * theirs[f"test_{name}"]).tolist()
        assert ours.folds[f"test_{name}"].tolist() == pytest.approx(expected, rel=1e-12)
        assert ours[name].higher_is_better == (sign == 1)


def test_scores_come_from_predict_proba_if_need_be_and_measures_of_three_classes():
    knn = KNeighborsClassifier(7)
    data, labels = CANCER
    ours = fm.selection.evaluate_estimator(knn, data, labels, cv="4-fold", metrics="roc_auc", rng=0)
    theirs = cross_validate(knn, data, labels, cv=fm.selection.Folds(4, rng=0), scoring="roc_auc")
    assert ours.folds["test_roc_auc"].tolist() == pytest.approx(theirs["test_score"].tolist())
    names = {"f1_macro": "f1_macro", "log_loss": "neg_log_loss", "cohen_kappa": None}
    names["cohen_kappa"] = make_scorer(fm.cohen_kappa_score)
    ours = fm.selection.evaluate_estimator(knn, X, y, cv="4-fold", metrics=list(names), rng=0)
    theirs = cross_validate(knn, X, y, cv=fm.selection.Folds(4, rng=0), scoring=names)
    for name in names:
        expected = np.abs(theirs[f"test_{name}"]).tolist()
        assert ours.folds[f"test_{name}"].tolist() == pytest.approx(expected, rel=1e-12)


def mean_wrong(y_true, y_pred):
    return np.mean(y_true != y_pred)


def own_scorer(estimator, X, y):
    return estimator.score(X, y)


def test_callables_scorers_and_parameters():
    metrics = {
        "own": mean_wrong,
        "scorer": get_scorer("accuracy"),
        "by_hand": own_scorer,
        "f2": ("fbeta_macro", {"beta": 2.0}),
        "f1": "f1_macro",
    }
    found = fm.selection.evaluate_estimator(TREE, X, y, cv="4-fold", metrics=metrics, rng=0)
    assert list(found.metrics) == list(metrics)
    assert found["own"].estimate == pytest.approx(1 - found["scorer"].estimate)
    assert found["by_hand"].estimate == found["scorer"].estimate
    scorer = make_scorer(fm.fbeta_score, beta=2.0, average="macro")
    f2 = cross_validate(TREE, X, y, cv=fm.selection.Folds(4, rng=0), scoring=scorer)["test_score"]
    assert found["f2"].estimate == pytest.approx(f2.mean(), rel=1e-12)
    assert found["own"].higher_is_better is None
    assert found["scorer"].higher_is_better is True
    single = fm.selection.evaluate_estimator(TREE, X, y, cv="4-fold", metrics=mean_wrong, rng=0)
    assert single["mean_wrong"].estimate == found["own"].estimate


@pytest.mark.parametrize("method", ["3x4", ".632+"])
def test_processes_do_not_matter(method):
    options = {"cv": method, "metrics": "error_rate", "rng": 2}
    if method == ".632+":
        options["n_resamples"] = 40
    one = fm.selection.evaluate_estimator(TREE, X, y, **options)
    two = fm.selection.evaluate_estimator(TREE, X, y, n_jobs=2, **options)
    assert one.metrics["error_rate"].to_dict() == two.metrics["error_rate"].to_dict()
    for column in ("n_train", "n_test", "train_error_rate", "test_error_rate"):
        assert one.folds[column].tolist() == two.folds[column].tolist()


class Plain:
    """Knows nothing of scikit-learn: the mean of the training labels, rounded."""

    def fit(self, X, y):
        self.answer = y[0]

    def predict(self, X):
        return np.full(len(X), self.answer)

    def predict_proba(self, X):
        raise AssertionError


def test_an_estimator_of_one_s_own():
    found = fm.selection.evaluate_estimator(
        Plain(), X.tolist(), y.tolist(), cv="3-fold", metrics="error_rate", rng=0
    )
    assert found["error_rate"].estimate == pytest.approx(2 / 3)
