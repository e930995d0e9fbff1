"""Every metric of the registry is asked of a fitted model, or it is said why that cannot be."""

import numba
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import fastmetrics as fm
from metric_names import METRICS, REQUIRED

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))  # makes errors
TREE = DecisionTreeClassifier(random_state=0)
HALF = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
COSTS = {2: {"cost_fn": 3.0, "cost_fp": 1.0}, 3: {"cost_matrix": np.arange(9.0).reshape(3, 3)}}
FITS: list[int] = []

one_split = pytest.mark.filterwarnings("ignore:one split has no spread")


class Given:
    """A splitter of the splits that it is given."""

    def __init__(self, splits):
        self.splits = splits

    def split(self, X, y, groups):
        return iter(self.splits)

    def get_n_splits(self, X, y, groups):
        return len(self.splits)


class Counting(BaseEstimator):
    """Knows nothing, and remembers that it was fitted."""

    def __init__(self, a=0):
        self.a = a

    def fit(self, X, y):
        FITS.append(len(X))
        return self

    def predict(self, X):
        return np.zeros(len(X))


class Classifier(ClassifierMixin, Counting):
    pass


class Regressor(RegressorMixin, Counting):
    pass


@pytest.fixture(autouse=True)
def _forget():
    FITS.clear()


def parameters_of(metric, n_classes):
    if metric.name == "cost":
        return COSTS[n_classes]
    return {name: 0.3 for name, default in metric.parameters.items() if default is REQUIRED}


def n_classes_of(metric):
    counts = {2: [2], 3: [3], 0: [2, 3]}[metric.classes]
    return [0] if metric.needs == "values" else counts


WRONG = [
    pytest.param(metric, kind, id=f"{metric.name}-{kind}")
    for metric in METRICS.values()
    if metric.needs not in ("rankings", "times")
    for kind in ("regressor", "two classes", "three classes")
    if not (
        (kind == "regressor") == (metric.needs in ("values", "nothing"))
        and metric.needs != "nothing"
        and (kind == "regressor" or "two three".split().index(kind.split()[0]) + 2
             in n_classes_of(metric))
    )
]  # fmt: skip


@pytest.mark.parametrize(("metric", "kind"), WRONG)
def test_what_cannot_be_asked_is_said_before_any_fit(metric, kind):
    estimator = Regressor() if kind == "regressor" else Classifier()
    X, y = {"regressor": DIABETES, "two classes": CANCER, "three classes": IRIS}[kind]
    asked = (metric.name, parameters_of(metric, 3 if kind == "three classes" else 2))
    with pytest.raises(fm.InputError, match=f"^{metric.name!r} "):
        fm.selection.evaluate_estimator(estimator, X, y, metrics=asked)
    with pytest.raises(fm.InputError, match=f"^{metric.name!r} "):
        fm.selection.tune_estimator(
            estimator, X, y, {"a": [1]}, metrics=asked, higher_is_better=True
        )
    assert not FITS


def spread(y_true, y_pred):
    return float(np.std(y_pred) + 0 * np.std(y_true))


@numba.njit
def weighted_gap(labels, scores, weights):
    positive_mean = np.sum(weights * labels * scores) / np.sum(weights * labels)
    return positive_mean - np.sum(weights * scores) / np.sum(weights)


def share_right(codes, probabilities):
    return float(probabilities[np.arange(len(codes)), codes].mean())


def share_wrong(y_true, y_pred):
    return float(np.mean(y_true != y_pred))


def expected_of(needs, model, X, y):
    if needs == "scores":
        return weighted_gap.py_func(y, model.decision_function(X), np.ones(len(y)))
    if needs == "probabilities":
        return share_right(np.searchsorted(model.classes_, y), model.predict_proba(X))
    return (spread if needs == "values" else share_wrong)(y, model.predict(X))


NAMED = IRIS[0], np.array(["a", "b", "c"])[IRIS[1]]
OWN = {
    "scores": (weighted_gap, LogisticRegression(), *CANCER, "C", True),
    "labels": (share_wrong, LogisticRegression(), *NAMED, "C", False),
    "probabilities": (share_right, LogisticRegression(), *NAMED, "C", True),
    "values": (spread, Ridge(), *DIABETES, "alpha", False),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("needs", OWN)
def test_a_registered_metric_goes_everywhere(needs):
    function, model, X, y, parameter, up = OWN[needs]
    X = StandardScaler().fit_transform(X)[::3]
    y = y[::3]
    values = [0.05, 1.0]
    fm.register_metric("mine", function, needs=needs, higher_is_better=up)
    train, test = next(fm.selection.HoldOut(0.4, stratified=False, rng=1).split(X))
    cv = [(train, test), (test, train)]

    def by_hand(value, rows, others):
        fitted = clone(model).set_params(**{parameter: value}).fit(X[rows], y[rows])
        return expected_of(needs, fitted, X[others], y[others])

    expected = np.array([[by_hand(value, *split) for split in cv] for value in values])
    jobs = 2 if needs == "probabilities" else None  # where numba need not be loaded again
    evaluation = fm.selection.evaluate_estimator(
        model.set_params(**{parameter: 0.05}), X, y, metrics="mine", cv=Given(cv), n_jobs=jobs
    )
    assert evaluation.folds["test_mine"] == pytest.approx(expected[0], rel=1e-12)
    assert evaluation["mine"].higher_is_better is up
    options = {"metrics": "mine", "cv": cv}
    tuned = fm.selection.tune_estimator(model, X, y, {parameter: values}, **options)
    assert tuned.values == pytest.approx(expected, rel=1e-12)
    assert (tuned.metric, tuned.higher_is_better) == ("mine", up)
    means = expected.mean(1)
    assert tuned.index == (np.argmax(means) if up else np.argmin(means))
    nested = fm.selection.nested_cross_validation(
        model, X, y, {parameter: values}, metrics="mine", outer_cv=cv, inner_cv=2, rng=0
    )
    chosen = [values.index(setting[parameter]) for setting in nested.settings]
    assert nested.values == pytest.approx(expected[chosen, [0, 1]], rel=1e-12)


@pytest.mark.parametrize(
    ("needs", "estimator", "data", "message"),
    [
        ("scores", Regressor(), DIABETES, "'mine' is for classes: `estimator` is a regressor"),
        ("scores", Classifier(), IRIS, "'mine' is for two classes, and `y` has 3"),
        ("labels", Regressor(), DIABETES, "'mine' is for classes"),
        ("probabilities", Regressor(), DIABETES, "'mine' is for classes"),
        ("values", Classifier(), IRIS, "'mine' is for regression: `estimator` is a classifier"),
    ],
)
def test_a_registered_metric_of_another_kind_of_estimator(needs, estimator, data, message):
    fm.register_metric("mine", share_wrong, needs=needs)
    with pytest.raises(fm.InputError, match=message):
        fm.selection.evaluate_estimator(estimator, *data, metrics="mine")
    assert not FITS


def test_labels_are_kept_as_they_were_written():
    asked = ["zero_one_loss", "neg_log_loss", "roc_auc_score", "mcc", ("cost", COSTS[2])]
    evaluation = fm.selection.evaluate_estimator(
        LOGISTIC, *CANCER, metrics=asked, cv="3-fold", rng=0
    )
    names = ["zero_one_loss", "log_loss", "roc_auc_score", "mcc", "cost"]
    assert list(evaluation.metrics) == names
    assert f"test_{names[0]}" in evaluation.folds
    assert evaluation["log_loss"].estimate > 0 > fm.selection.evaluate_estimator(
        LOGISTIC, *CANCER, metrics=get_scorer("neg_log_loss"), cv="3-fold", rng=0
    )["log_loss"].estimate  # fmt: skip
    assert not evaluation["log_loss"].higher_is_better
    tuned = fm.selection.tune_estimator(
        TREE, *CANCER, {"max_depth": [1]}, metrics="neg_log_loss", cv=2, rng=0
    )
    assert (tuned.metric, tuned.higher_is_better) == ("log_loss", False)
    own = fm.selection.tune_estimator(
        TREE, *CANCER, {"max_depth": [1]}, metrics={"mine": "f1_score"}, cv=2
    )
    assert own.metric == "mine"


@pytest.mark.parametrize(
    ("name", "canonical", "data", "model"),
    [
        ("zero_one_loss", "error_rate", CANCER, TREE),
        ("hamming_loss", "error_rate", CANCER, TREE),
        ("neg_mean_squared_error", "mean_squared_error", DIABETES, LinearRegression()),
        ("neg_mean_absolute_error", "mean_absolute_error", DIABETES, LinearRegression()),
    ],
)
def test_the_632_rules_know_means_of_losses_by_all_their_names(name, canonical, data, model):
    options = {"cv": ".632+", "n_resamples": 20, "rng": 0}
    X = data[0][:80]
    y = data[1][:80]
    evaluation = fm.selection.evaluate_estimator(model, X, y, metrics=name, **options)
    expected = fm.selection.evaluate_estimator(model, X, y, metrics=canonical, **options)
    assert evaluation[name.removeprefix("neg_")].to_dict() == expected[canonical].to_dict()


@pytest.mark.parametrize("name", ["accuracy_score", "roc_auc", get_scorer("accuracy")])
def test_the_632_rules_say_what_they_take(name):
    known = "'error_rate', 'hamming_loss', 'cost', 'log_loss', 'brier_score', .* or a call"
    with pytest.raises(fm.InputError, match=f"no mean of losses of rows, .*: take {known}"):
        fm.selection.evaluate_estimator(Classifier(), *CANCER, metrics=name, cv=".632")
    assert not FITS


@one_split
def test_decision_values():
    """Columns are told by the classes, also where the model has them in an order of its own."""

    class Backwards(LinearSVC):
        def fit(self, X, y):
            self.backwards_ = LinearSVC().fit(X, y)
            self.classes_ = self.backwards_.classes_[::-1]
            return self

        def decision_function(self, X):
            return self.backwards_.decision_function(X)[:, ::-1]

    X = StandardScaler().fit_transform(IRIS[0])
    y = IRIS[1]
    options = {"metrics": "hinge_loss", "cv": Given(HALF)}
    assert (
        fm.selection.evaluate_estimator(Backwards(), X, y, **options)["hinge_loss"].estimate
        == fm.selection.evaluate_estimator(LinearSVC(), X, y, **options)["hinge_loss"].estimate
    )
    with pytest.raises(TypeError, match="DecisionTreeClassifier has no decision_function, which"):
        fm.selection.evaluate_estimator(TREE, X, y, **options)
    names = np.array(["a", "b", "c", "d"])[np.arange(150) // 2 % 4]
    with pytest.raises(ValueError, match="decision_function must return one column for each of 4"):
        fm.selection.evaluate_estimator(SVC(decision_function_shape="ovo"), X, names, **options)


@one_split
@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_no_threshold_is_judged_on_rows_of_one_class(name):
    X, y = CANCER
    split = np.arange(300), np.flatnonzero(y == 1)[-100:]
    with pytest.warns(fm.UndefinedMetricWarning, match="is not defined on the test rows of 1 of 1"):
        evaluation = fm.selection.evaluate_estimator(TREE, X, y, metrics=name, cv=Given([split]))
    assert np.isnan(evaluation[name].estimate)


@one_split
@pytest.mark.parametrize("name", ["hinge_loss", "roc_auc_ovr_weighted"])
def test_a_class_that_is_missing_makes_it_undefined(name):
    """A model without the class has no decision value of it; the others' areas are another mean."""
    X, y = IRIS
    first = np.flatnonzero(y < 2)
    last = np.flatnonzero(y > 0)
    with pytest.warns(fm.UndefinedMetricWarning, match="is not defined on the"):
        evaluation = fm.selection.evaluate_estimator(
            LogisticRegression(), X, y, metrics=name, cv=Given([(first, last)])
        )
    assert np.isnan(evaluation[name].estimate)


def test_what_is_undefined_whatever_a_model_says_is_warned_of_once():
    with pytest.warns(fm.UndefinedMetricWarning, match="will result in a perfect score") as caught:
        fm.selection.tune_estimator(
            TREE, *IRIS, {"max_depth": [1, 2]}, metrics=("top_k_accuracy", {"k": 3}), cv=2
        )
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (("best_threshold", {"criterion": "recall_at_false_positive_rate"}), "needs `at_most`"),
        (
            ("recall_at_false_positive_rate", {"false_positive_rate": 3}),
            r"`false_positive_rate` must lie in \[0, 1\]: got 3",
        ),
        (("roc_auc", {"max_fpr": 2}), "`max_fpr` must lie in"),
        (("partial_auc", {"standardized": "yes"}), "`standardized` must be True or False"),
        (("cost", {"cost_matrix": np.ones((3, 3))}), r"must have shape \(2, 2\)"),
        ("cost", "`cost` of 2 classes needs `cost_fn` and `cost_fp`"),
    ],
)
def test_parameters_are_judged_before_any_fit(metric, message):
    with pytest.raises(fm.InputError, match=message):
        fm.selection.evaluate_estimator(Classifier(), *CANCER, metrics=metric)
    with pytest.raises(fm.InputError, match=message):
        fm.selection.tune_estimator(Classifier(), *CANCER, {"a": [1]}, metrics=metric)
    assert not FITS
