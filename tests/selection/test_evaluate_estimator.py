"""`evaluate_estimator` against loops by hand, scikit-learn, the definitions."""

import math
import sys

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import PredefinedSplit, RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from fastmetrics.comparison import proportion_interval
from fastmetrics.results import ConfidenceInterval
from fastmetrics.selection import (
    BootstrapOutOfBag,
    FiveByTwo,
    Folds,
    GroupedFolds,
    HoldOut,
    evaluate_estimator,
    nested_cross_validation,
    tune_estimator,
)
from metric_names import METRICS
from reference import selection_oracle as oracle

X, y = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


def scaled(model):
    return make_pipeline(StandardScaler(), model)


@pytest.mark.parametrize(
    ("method", "splitter", "ratio"),
    [
        ("10-fold", lambda: Folds(10, rng=4), 1 / 9),
        ("2-fold", lambda: Folds(2, rng=4), 1.0),
        ("3x5", lambda: Folds(5, n_repeats=3, rng=4), 1 / 4),
        ("5x2", lambda: FiveByTwo(rng=4), 1.0),
        ("holdout", lambda: HoldOut(rng=4), 38 / 112),
    ],
)
def test_names_stand_for_splitters_and_the_numbers_are_the_definition_s(method, splitter, ratio):
    evaluation = evaluate_estimator(TREE, X, y, cv=method, metrics="accuracy", rng=4)
    theirs = cross_validate(TREE, X, y, cv=splitter(), return_train_score=True)
    assert evaluation.folds["test_accuracy"].tolist() == theirs["test_score"].tolist()
    assert evaluation.folds["train_accuracy"].tolist() == theirs["train_score"].tolist()
    sizes = [(len(train), len(test)) for train, test in splitter().split(X, y)]
    assert list(zip(evaluation.folds["n_train"], evaluation.folds["n_test"], strict=True)) == sizes
    assert evaluation.test_train_ratio == pytest.approx(ratio)
    values = theirs["test_score"].tolist()
    t = stats.t.ppf(0.975, len(values) - 1)
    mean, low, high = oracle.corrected_interval(values, ratio, t)
    accuracy = evaluation["accuracy"]
    assert accuracy.estimate == pytest.approx(mean, rel=1e-12)
    assert (accuracy.interval_method == "t") == (high <= 1.0)  # else: test_bounded_intervals
    if high <= 1.0:
        assert accuracy.confidence_interval.low == pytest.approx(low, rel=1e-12)
        assert accuracy.confidence_interval.high == pytest.approx(high, rel=1e-12)
    assert accuracy.standard_deviation == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    assert accuracy.train_estimate == pytest.approx(theirs["train_score"].mean(), rel=1e-12)
    assert evaluation.majority_accuracy == pytest.approx(1 / 3)
    again = evaluate_estimator(TREE, X, y, cv=method, metrics="accuracy", rng=evaluation.key)
    assert again["accuracy"].estimate == accuracy.estimate


def test_leave_one_out():
    data = CANCER[0][:60, :3]
    labels = CANCER[1][:60]
    evaluation = evaluate_estimator(TREE, data, labels, cv="loo")
    wrong = []
    for i, label in enumerate(labels):
        tree = DecisionTreeClassifier(max_depth=3, random_state=0)
        tree.fit(np.delete(data, i, 0), np.delete(labels, i))
        wrong.append(float(tree.predict(data[[i]])[0] != label))
    assert evaluation.folds["test_error_rate"].tolist() == wrong
    assert evaluation["error_rate"].estimate == np.mean(wrong) > 0
    assert (evaluation.n_splits, evaluation.key) == (60, None)


def test_scikit_learn_s_splitters_are_taken():
    splitter = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    evaluation = evaluate_estimator(TREE, X, y, cv=splitter, metrics="accuracy")
    scores = cross_validate(TREE, X, y, cv=splitter)["test_score"]
    assert evaluation.folds["test_accuracy"].tolist() == scores.tolist()
    assert evaluation.key is None


def test_a_number_is_that_many_folds():
    by_name, by_number = (
        evaluate_estimator(TREE, X, y, cv=cv, metrics="accuracy", rng=4)
        for cv in ("5-fold", np.int64(5))
    )
    assert by_name["accuracy"] == by_number["accuracy"]
    assert by_name.method == by_number.method == "5-fold"


def test_names_mean_the_same_to_all():
    named, made = (
        tune_estimator(TREE, X, y, {"max_depth": [1, 2]}, cv=cv, rng=rng)
        for cv, rng in (("2x3", 4), (Folds(3, n_repeats=2, rng=4), None))
    )
    assert named.values.tolist() == made.values.tolist()


def test_out_of_bag_as_a_method_corrects_by_the_distinct_rows():
    splitter = BootstrapOutOfBag(20, rng=0)
    evaluation = evaluate_estimator(TREE, X, y, cv=splitter)
    sizes = [(len(set(train.tolist())), len(test)) for train, test in splitter.split(X, y)]
    distinct, tested = np.sum(sizes, axis=0)
    assert evaluation.test_train_ratio == tested / distinct
    assert evaluation.folds["n_train"].tolist() == [150] * 20


def test_groups():
    groups = np.arange(150) // 4
    evaluation = evaluate_estimator(TREE, X, y, cv="2x3", metrics="accuracy", groups=groups, rng=1)
    splitter = GroupedFolds(3, n_repeats=2, stratified=True, rng=1)
    scores = cross_validate(TREE, X, y, groups=groups, cv=splitter)["test_score"]
    assert evaluation.folds["test_accuracy"].tolist() == scores.tolist()


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
def test_metrics_of_two_classes_are_scikit_learn_s(model, words):
    """`roc_auc` by decision_function, and of text labels the second is positive."""
    data, labels = CANCER
    target = np.array(["benign", "malign"])[labels] if words else labels
    names = dict(OF_TWO_CLASSES)
    if not isinstance(model[-1], LinearSVC):
        names |= OF_PROBABILITIES
    ours = evaluate_estimator(model, data, target, cv="4-fold", metrics=list(names), rng=0)
    assert ours.majority_accuracy == max(labels.mean(), 1 - labels.mean())
    theirs = cross_validate(model, data, labels, cv=Folds(4, rng=0), scoring=names)
    for name, scorer in names.items():
        sign = -1 if scorer.startswith("neg_") else 1
        expected = (sign * theirs[f"test_{name}"]).tolist()
        assert ours.folds[f"test_{name}"].tolist() == pytest.approx(expected, rel=1e-12)
        assert ours[name].higher_is_better == (sign == 1)


def test_scores_come_from_predict_proba_if_need_be_and_metrics_of_three_classes():
    knn = KNeighborsClassifier(7)
    data, labels = CANCER
    ours = evaluate_estimator(knn, data, labels, cv="4-fold", metrics="roc_auc", rng=0)
    theirs = cross_validate(knn, data, labels, cv=Folds(4, rng=0), scoring="roc_auc")
    assert ours.folds["test_roc_auc"].tolist() == pytest.approx(theirs["test_score"].tolist())
    names = {"f1_macro": "f1_macro", "log_loss": "neg_log_loss", "cohen_kappa": None}
    names["cohen_kappa"] = make_scorer(fm.cohen_kappa_score)
    ours = evaluate_estimator(knn, X, y, cv="4-fold", metrics=list(names), rng=0)
    theirs = cross_validate(knn, X, y, cv=Folds(4, rng=0), scoring=names)
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
    evaluation = evaluate_estimator(TREE, X, y, cv="4-fold", metrics=metrics, rng=0)
    assert list(evaluation.metrics) == list(metrics)
    assert evaluation["own"].estimate == pytest.approx(1 - evaluation["scorer"].estimate)
    assert evaluation["by_hand"].estimate == evaluation["scorer"].estimate
    scorer = make_scorer(fm.fbeta_score, beta=2.0, average="macro")
    f2 = cross_validate(TREE, X, y, cv=Folds(4, rng=0), scoring=scorer)["test_score"]
    assert evaluation["f2"].estimate == pytest.approx(f2.mean(), rel=1e-12)
    assert evaluation["own"].higher_is_better is None
    assert evaluation["scorer"].higher_is_better is True
    single = evaluate_estimator(TREE, X, y, cv="4-fold", metrics=mean_wrong, rng=0)
    assert single["mean_wrong"].estimate == evaluation["own"].estimate


@pytest.mark.parametrize("method", ["3x4", ".632+"])
def test_processes_do_not_matter(method):
    options = {"cv": method, "metrics": "error_rate", "rng": 2}
    if method == ".632+":
        options["n_resamples"] = 40
    one = evaluate_estimator(TREE, X, y, **options)
    two = evaluate_estimator(TREE, X, y, n_jobs=2, **options)
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
    evaluation = evaluate_estimator(
        Plain(), X.tolist(), y.tolist(), cv="3-fold", metrics="error_rate", rng=0
    )
    assert evaluation["error_rate"].estimate == pytest.approx(2 / 3)


STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)
TWO = y > 0


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
        evaluate_estimator(Strange(), X, y)
    assert caught.value.__notes__ == ["fastmetrics: at split 0, counted from 0"]
    with pytest.raises(TypeError, match="predicts int64 where `y` holds"):
        evaluate_estimator(Strange(), X, np.array(["a", "b", "c"])[y])


class Shaped(Strange):
    """Predicts in a shape of its own; knows the probabilities of two classes, or of one."""

    def __init__(self, shape, columns=2):
        self.shape = shape
        self.columns = columns
        if columns == 1:
            self.classes_ = np.array([True])

    def predict(self, X):
        return np.zeros((len(X), *self.shape), bool)

    def predict_proba(self, X):
        return np.full((len(X), self.columns), 1 / self.columns)


def test_columns_of_predictions():
    options = {"cv": "3-fold", "rng": 0, "metrics": ["error_rate", "brier_score"]}
    with pytest.warns(fm.DegenerateDataWarning, match="'brier_score' is 0.25"):
        evaluation = evaluate_estimator(Shaped((1,)), X, TWO, **options)
    assert evaluation["error_rate"].estimate == pytest.approx(2 / 3, abs=0.01)
    assert evaluation["brier_score"].estimate == 0.25
    with pytest.raises(ValueError, match=r"must predict one value a row: got shape \(100, 2\)"):
        evaluate_estimator(Shaped((2,)), X, TWO, **options)
    with pytest.raises(ValueError, match="one column for each of 2 classes: got shape"):
        evaluate_estimator(Shaped((1,), 3), X, TWO, **options)


def test_a_model_that_was_shown_one_class_scores_by_its_probabilities():
    options = {"cv": Folds(3, rng=0), "metrics": ["roc_auc", "brier_score"]}
    with pytest.warns(fm.DegenerateDataWarning, match="'roc_auc' is 0.5 in all 3 splits"):
        evaluation = evaluate_estimator(Shaped((), 1), X, TWO, **options)
    assert evaluation["roc_auc"].estimate == 0.5
    assert evaluation["brier_score"].estimate == pytest.approx(1 / 3, abs=0.01)


def test_a_model_without_scores():
    class Silent(Strange):
        decision_function = property()

    with pytest.raises(TypeError, match="Silent has neither decision_function nor predict_proba"):
        evaluate_estimator(Silent(), X, TWO, metrics="roc_auc", cv="3-fold")


def test_a_method_without_splits():
    class Nothing:
        def split(self, X, y, groups):
            return iter(())

        def get_n_splits(self, X, y, groups):
            return 0

    with pytest.raises(ValueError, match="`cv` makes no split"):
        evaluate_estimator(STUMP, X, y, cv=Nothing())


def test_a_metric_undefined_in_some_split_is_nan_and_said_once():
    data = np.random.default_rng(0).normal(size=(40, 2))
    rare = np.arange(40) < 4
    splitter = Folds(8, stratified=False, rng=0)
    with pytest.warns(fm.UndefinedMetricWarning) as caught:
        evaluation = evaluate_estimator(STUMP, data, rare, cv=splitter, metrics="roc_auc")
    assert len(caught) == 1
    assert "'roc_auc' is not defined on the test rows of" in str(caught[0].message)
    assert math.isnan(evaluation["roc_auc"].estimate)
    assert math.isnan(evaluation["roc_auc"].confidence_interval.low)
    assert caught[0].filename == __file__


def test_what_a_metric_warns_of_in_each_split_is_said_once():
    with pytest.warns(fm.UndefinedMetricWarning) as caught:
        evaluate_estimator(LinearRegression(), X[:9], X[:9, 0], metrics="r2", cv="loo")
    said = "'r2' is not defined on the test rows of 9 of 9 splits: its mean is nan"
    assert [str(warning.message) for warning in caught] == [said]


def test_one_split_has_no_spread():
    with pytest.warns(fm.UndefinedMetricWarning, match="one split has no spread"):
        evaluation = evaluate_estimator(STUMP, X, y, cv=HoldOut(n_repeats=1, rng=0))
    assert 0 < evaluation["error_rate"].estimate < 1
    assert math.isnan(evaluation["error_rate"].standard_deviation)
    assert math.isnan(evaluation["error_rate"].confidence_interval.high)


@pytest.mark.parametrize("n_splits", [2, 10])
def test_no_spread_at_all(n_splits):
    model = DummyClassifier(strategy="most_frequent")
    even = np.arange(100) % 2
    method = f"{n_splits}-fold"
    said = f"'error_rate' is 0.5 in all {n_splits} splits: its interval has no width"
    with pytest.warns(fm.DegenerateDataWarning, match=said):
        evaluation = evaluate_estimator(
            model, np.zeros((100, 1)), even, cv=method, metrics="error_rate", rng=0
        )
    assert evaluation["error_rate"].confidence_interval.low == 0.5
    assert evaluation["error_rate"].confidence_interval.high == 0.5


def test_an_infinite_value_has_an_infinite_mean_and_no_spread():
    def infinite_with_any(y_true, y_pred):
        return np.inf if y_true.any() else 1.0

    method = Folds(3, stratified=False, rng=1)
    only = np.arange(150) == 7
    evaluation = evaluate_estimator(STUMP, X, only, metrics={"it": infinite_with_any}, cv=method)
    assert sorted(evaluation.folds["test_it"]) == [1.0, 1.0, math.inf]
    assert (evaluation["it"].estimate, evaluation["it"].train_estimate) == (math.inf, math.inf)
    assert math.isnan(evaluation["it"].standard_deviation)


def test_without_joblib(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(ImportError, match="n_jobs other than 1 needs joblib"):
        evaluate_estimator(STUMP, X, y, n_jobs=2)


X_MODELS, y_models = (part[:240] for part in load_breast_cancer(return_X_y=True))
X_MODELS = X_MODELS[:, :4]
IRIS = X, y
DIABETES = load_diabetes(return_X_y=True)
BAYES = GaussianNB()


def estimate_models(metric, cv, groups=None, model=BAYES, data=(X_MODELS, y_models)):
    evaluation = evaluate_estimator(model, *data, cv=cv, metrics=metric, groups=groups)
    return evaluation[metric].of_fitted_models, evaluation[metric]


def splits_of(cv, data=(X_MODELS, y_models), groups=None):
    return list(cv.split(*data, groups))


def moved_by_rows(cv, groups=None):
    """Return each row's influence on the mean log loss: its deviation, averaged over repeats."""
    splits = splits_of(cv, groups=groups)
    losses = []
    for train, test in splits:
        p = BAYES.fit(X_MODELS[train], y_models[train]).predict_proba(X_MODELS[test])[
            np.arange(len(test)), y_models[test]
        ]
        losses.append(-np.log(np.clip(p, np.finfo(float).eps, 1.0)))
    mean = np.mean([loss.mean() for loss in losses])
    moved = np.zeros(len(y_models))
    for (_, test), loss in zip(splits, losses, strict=True):
        for row, one in zip(test, loss, strict=True):
            moved[row] += (one - mean) / len(test) / len(splits)
    return mean, moved


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_a_mean_over_rows_has_the_spread_of_all_rows_losses(n_repeats):
    cv = Folds(5, n_repeats=n_repeats, rng=3)
    mean, moved = moved_by_rows(cv)
    actual, whole = estimate_models("log_loss", cv)
    n = len(y_models)
    error = math.sqrt(n / (n - 1) * np.sum(moved**2))
    assert actual.estimate == whole.estimate
    assert actual.estimate == pytest.approx(mean, rel=1e-12)
    assert actual.standard_error == pytest.approx(error, rel=1e-10)
    assert actual.n_samples == n
    df = 5 + np.sum(moved**2) ** 2 / np.sum(moved**4)
    half = stats.t.ppf(0.975, df) * error / mean  # on the logarithm
    assert actual.confidence_interval == pytest.approx(
        (mean * math.exp(-half), mean * math.exp(half)), rel=1e-9
    )


def test_of_one_round_of_equal_folds_it_is_that_of_bayle_and_others():
    cv = Folds(8, stratified=False, rng=1)
    losses = np.empty(len(y_models))
    for train, test in splits_of(cv):
        p = BAYES.fit(X_MODELS[train], y_models[train]).predict_proba(X_MODELS[test])[:, 1]
        losses[test] = (p - y_models[test]) ** 2
    actual, _ = estimate_models("brier_score", cv)
    assert actual.standard_error == pytest.approx(stats.sem(losses), rel=1e-12)


def test_leaving_one_out_has_one():
    data = DIABETES[0][:80], DIABETES[1][:80]
    actual, _ = estimate_models("mean_squared_error", "loo", model=LinearRegression(), data=data)
    squares = []
    for row in range(80):
        rest = np.arange(80) != row
        model = LinearRegression().fit(data[0][rest], data[1][rest])
        squares.append((model.predict(data[0][row : row + 1])[0] - data[1][row]) ** 2)
    assert actual.standard_error == pytest.approx(stats.sem(squares), rel=1e-10)


def test_groups_vary_not_rows():
    groups = np.arange(len(y_models)) // 4
    cv = GroupedFolds(5, rng=2)
    _, moved = moved_by_rows(cv, groups)
    sums = np.bincount(groups, moved)
    actual, _ = estimate_models("log_loss", cv, groups)
    m = len(sums)
    assert actual.standard_error == pytest.approx(math.sqrt(m / (m - 1) * sums @ sums), rel=1e-10)
    assert actual.n_groups == m
    n = len(y_models)
    by_rows = n / (n - 1) * moved @ moved
    assert actual.design_effect == pytest.approx(actual.standard_error**2 / by_rows, rel=1e-10)
    few, _ = estimate_models("log_loss", cv, np.arange(len(y_models)) // 20)
    assert "below about 30 groups" in few.note


def test_the_auc_has_the_placements_of_each_fold():
    cv = Folds(6, rng=5)
    splits = splits_of(cv)
    parts = []
    cvauc = []
    moved = np.zeros(len(y_models))
    for train, test in splits:
        p = BAYES.fit(X_MODELS[train], y_models[train]).predict_proba(X_MODELS[test])[:, 1]
        wins = (p[:, None] > p) + 0.5 * (p[:, None] == p)  # of the row over the column
        is_1 = y_models[test] == 1
        placed = np.where(is_1, wins[:, ~is_1].mean(1), wins[is_1].mean(0))
        auc = placed[is_1].mean()
        share = np.where(is_1, y_models.mean(), 1.0 - y_models.mean())
        cvauc.append(np.mean(((placed - auc) / share) ** 2))  # LeDell and others (2015), 4.1
        parts.append((test, placed, is_1, auc))
    mean = np.mean([auc for *_, auc in parts])
    for test, placed, is_1, _ in parts:
        size = np.where(is_1, is_1.sum(), (~is_1).sum())
        moved[test] += (placed - mean) / size / len(splits)
    variance = 0.0
    for label in (0, 1):
        m = np.sum(y_models == label)
        variance += m / (m - 1) * np.sum(moved[y_models == label] ** 2)
    actual, _ = estimate_models("roc_auc", cv)
    assert actual.estimate == pytest.approx(mean, rel=1e-12)
    assert actual.standard_error == pytest.approx(math.sqrt(variance), rel=1e-10)
    published = math.sqrt(np.mean(cvauc) / len(y_models))
    assert published < actual.standard_error < 1.1 * published


def test_a_share_of_rows_that_are_met_once_has_wilson_s_limits():
    actual, _ = estimate_models("accuracy", Folds(5, rng=1))
    right = round(actual.estimate * len(y_models))
    limits = proportion_interval(right, len(y_models), method="wilson")
    assert actual.method == "wilson"
    assert actual.confidence_interval == pytest.approx(tuple(limits.confidence_interval), rel=1e-3)
    repeated, _ = estimate_models("accuracy", Folds(5, n_repeats=2, rng=1))
    assert repeated.method == "influence"


TREE_MODELS = DecisionTreeClassifier(max_depth=2, random_state=0)
KINDS = {
    "two": ((X_MODELS, y_models), BAYES),
    "three": (IRIS, TREE_MODELS),
    "numbers": ((DIABETES[0][:200], DIABETES[1][:200]), LinearRegression()),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_every_metric_with_influences_has_an_interval_about_its_mean(kind):
    data, model = KINDS[kind]
    seen = 0
    for name, metric in METRICS.items():
        if not metric.influences or name == "ks_statistic":
            continue
        try:
            actual, whole = estimate_models(name, Folds(3, rng=1), model=model, data=data)
        except (TypeError, ValueError):
            continue  # of other data, or with a parameter that it must have
        if math.isnan(whole.estimate):
            assert actual is None
            continue
        assert actual is not None, name
        assert actual.estimate == whole.estimate, name
        low, high = actual.confidence_interval
        assert low <= actual.estimate <= high or "no interval" in actual.note, name
        seen += 1
    assert seen > 8


def test_the_influences_are_derivatives_of_the_value_in_a_fold():
    cv = HoldOut(0.4, n_repeats=1, rng=2)
    with pytest.warns(fm.UndefinedMetricWarning, match="one split"):
        actual, _ = estimate_models("f1", cv)
    ((train, test),) = splits_of(cv)
    predicted = BAYES.fit(X_MODELS[train], y_models[train]).predict(X_MODELS[test])
    theirs = fm.estimate(y_models[test], predicted, metrics="f1")["f1"]
    assert actual.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)
    assert "covers this one on new examples" in actual.note


def largest_error(y_true, y_pred):
    return float(np.mean(y_true != y_pred) ** 2)


def test_none_where_influences_are_unknown_or_the_target_is_another():
    evaluation = evaluate_estimator(BAYES, X_MODELS, y_models, cv=3, metrics={"own": largest_error})
    assert evaluation["own"].of_fitted_models is None
    plus = evaluate_estimator(BAYES, X_MODELS, y_models, cv=".632+", n_resamples=20, rng=1)
    assert plus["error_rate"].of_fitted_models is None
    assert "no interval" in str(plus)


def test_the_text_says_which_target_is_covered():
    evaluation = evaluate_estimator(BAYES, X_MODELS, y_models, cv=3, metrics="roc_auc", rng=1)
    said = " ".join(str(evaluation).split())
    assert "covers the average of these 3 on new examples" in said
    assert "not models fitted on new training sets" in said
    assert isinstance(
        evaluation["roc_auc"].of_fitted_models.confidence_interval, ConfidenceInterval
    )


def test_nested_cross_validation_has_that_of_its_outer_folds():
    model = LogisticRegression(max_iter=500)
    grid = {"C": [1.0]}
    outer = Folds(3, rng=1)
    search = nested_cross_validation(
        model, *IRIS, grid, metrics="log_loss", outer_cv=outer, inner_cv=2, confidence_level=0.9
    )
    plain = evaluate_estimator(model, *IRIS, cv=outer, metrics="log_loss", confidence_level=0.9)
    assert search.of_fitted_models == plain["log_loss"].of_fitted_models
    assert "average of these 3" in str(search)


def test_mirrors_and_other_bounds():
    """An error is what an accuracy lacks; a scorer is negative."""

    def own(y_true, y_pred):  # whose bounds nobody knows
        return float(np.mean(y_true == y_pred))

    metrics = {name: name for name in ("accuracy", "error_rate", "log_loss")}
    metrics |= {"scored": get_scorer("accuracy"), "negated": fm.scorer("error_rate"), "own": own}
    model = LogisticRegression(max_iter=1000)
    centred = X - X.mean(axis=0)  # in fewer steps
    evaluation = evaluate_estimator(
        model, centred, y, metrics=metrics, rng=0, confidence_level=0.99
    )
    limits = {name: evaluation[name].confidence_interval for name in metrics}
    low, high = limits["accuracy"]
    assert tuple(limits["error_rate"]) == pytest.approx((1.0 - high, 1.0 - low))
    assert tuple(limits["scored"]) == (low, high)
    assert tuple(limits["negated"]) == pytest.approx((low - 1.0, high - 1.0))
    assert evaluation["log_loss"].interval_method == "t"  # it has one bound
    assert limits["own"].high > 1.0


class Told(ClassifierMixin, BaseEstimator):
    """Is told the answer, and where to be wrong."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return X.sum(axis=1) % 3

    def predict_proba(self, X):
        return np.eye(3)[self.predict(X)]


@pytest.mark.parametrize(
    "shares", [(0, 0.001), (0.999, 1), (0, 1), (0.3, 0.9, 0.6), (0.5, 0.51), (0, 0, 0, 0.02)]
)
def test_the_limits_never_leave_the_bounds(shares):
    """A Brier score of sure predictions, in [0, 2], is twice the error."""
    fold = np.repeat(np.arange(len(shares)), 1000)
    answers = np.arange(1000 * len(shares)) % 3
    wrong = np.concatenate([np.arange(1000) < 1000 * share for share in shares])
    metrics = ["error_rate", "brier_score"]
    cv = PredefinedSplit(fold)
    evaluation = evaluate_estimator(Told(), np.c_[answers, wrong], answers, cv=cv, metrics=metrics)
    error = evaluation["error_rate"]
    double = evaluation["brier_score"]
    low, high = error.confidence_interval
    half = stats.t.ppf(0.975, len(shares) - 1) * error.standard_error
    mean = error.estimate
    assert mean == pytest.approx(np.mean(shares))
    assert 0.0 <= low < mean < high <= 1.0
    for limit, t_limit in ((low, mean - half), (high, mean + half)):
        wilson_width = half * math.sqrt(limit * (1 - limit) / (mean * (1 - mean)))
        assert abs(mean - limit) == pytest.approx(
            half if error.interval_method == "t" else wilson_width, rel=1e-6
        )
        assert error.interval_method == "wilson" or limit == pytest.approx(t_limit)
    assert (error.interval_method == "t") == (mean - half >= 0 and mean + half <= 1)
    assert ("by Wilson" in repr(evaluation)) == (error.interval_method == "wilson")
    assert double.confidence_interval == pytest.approx((2 * low, 2 * high))


def test_at_a_bound_there_is_no_width():
    answers = np.arange(60) % 3
    with pytest.warns(fm.DegenerateDataWarning, match="its interval has no width"):
        evaluation = evaluate_estimator(Told(), answers[:, None], answers, cv=2, metrics="accuracy")
    assert tuple(evaluation["accuracy"].confidence_interval) == (1.0, 1.0)
