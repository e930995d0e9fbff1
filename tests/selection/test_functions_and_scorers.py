"""Functions given as metrics are fed what they need; `scorer` takes ours to scikit-learn."""

import copy
import pickle
import sys
from collections import Counter
from functools import partial

import numba
import numpy as np
import pytest
import sklearn.metrics as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fastmetrics as fm
from metric_names import METRICS, REQUIRED

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
NAMED = CANCER[0], np.array(["no", "yes"])[CANCER[1]]
FEW = CANCER[0][::3, :6], CANCER[1][::3]  # quick to fit
FEW_NAMED = FEW[0], NAMED[1][::3]
OF_SEVERAL = Counter(metric.function for metric in METRICS.values() if metric.read)
PLAIN = {
    metric.name: metric.function.partition(":")[2]
    for metric in METRICS.values()
    if metric.function
    and metric.needs not in ("rankings", "times")
    and not metric.read.isdecimal()
    and OF_SEVERAL[metric.function] < 2
    and set(metric.arguments) <= set(metric.parameters)
    and REQUIRED not in metric.parameters.values()
}


pytestmark = pytest.mark.filterwarnings("ignore:.* its interval has no width")


DATA = {
    "numbers": (make_pipeline(StandardScaler(), LinearRegression()), *DIABETES),
    "three": (LOGISTIC, *IRIS),
    "two": (LOGISTIC, *FEW),
}


def kind_of(metric):
    return "numbers" if metric.needs == "values" else "three" if metric.classes == 3 else "two"


def folds_of(model, X, y, metric, **options):
    options = {"cv": "3-fold", "rng": 0} | options
    evaluation = fm.selection.evaluate_estimator(model, X, y, metrics={"m": metric}, **options)
    return evaluation.folds["test_m"].tolist(), evaluation["m"]


COSTS = {"cost_fn": 5.0, "cost_fp": 1.0}
NEEDED = {"cost": COSTS, "fbeta": {"beta": 2.0}}


@pytest.mark.parametrize("origin", [fm, theirs])
@pytest.mark.parametrize("kind", DATA)
def test_a_function_is_the_metric_that_it_computes(kind, origin):
    named = {
        name: (name, NEEDED.get(name, {}))
        for name, function in PLAIN.items()
        if kind_of(METRICS[name]) == kind and hasattr(origin, function)
    }
    given = {
        name: partial(getattr(origin, PLAIN[name]), **more) for name, (_, more) in named.items()
    }
    options = {"cv": "3-fold", "rng": 0}
    by_function, by_name = (
        fm.selection.evaluate_estimator(*DATA[kind], metrics=each, **options)
        for each in (given, named)
    )
    assert named
    for name in named:
        own, right = (each.folds[f"test_{name}"].tolist() for each in (by_function, by_name))
        assert own == right, name
        assert by_function[name].given == METRICS[name].needs
        assert by_function[name].higher_is_better == by_name[name].higher_is_better


@pytest.mark.parametrize("origin", [fm, theirs])
@pytest.mark.parametrize(
    ("function", "parameters", "named"),
    [
        ("roc_auc_score", {"max_fpr": 0.1}, ("roc_auc", {"max_fpr": 0.1})),
        ("roc_auc_score", {"average": "macro"}, "roc_auc"),
        ("fbeta_score", {"beta": 2.0}, ("fbeta", {"beta": 2.0})),
        ("f1_score", {"average": "macro"}, "f1_macro"),
        ("fbeta_score", {"beta": 0.5, "average": "micro"}, ("fbeta_micro", {"beta": 0.5})),
        ("precision_score", {"zero_division": 0}, ("precision", {"zero_division": 0})),
        ("cohen_kappa_score", {"weights": "linear"}, ("cohen_kappa", {"weights": "linear"})),
    ],
)
def test_partials_are_metrics_with_parameters(origin, function, parameters, named):
    metric = partial(getattr(origin, function), **parameters)
    (values, one), (expected, right) = (folds_of(LOGISTIC, *FEW, m) for m in (metric, named))
    assert values == expected
    assert one.to_dict() == right.to_dict()


def test_of_several_classes():
    ovr = partial(fm.roc_auc_score, multi_class="ovr")
    expected = folds_of(LOGISTIC, *IRIS, "roc_auc_ovr")[0]
    assert folds_of(LOGISTIC, *IRIS, ovr)[0] == expected
    labelled = partial(ovr, labels=[0, 1, 2])  # an option that the metric has not
    assert folds_of(LOGISTIC, *IRIS, labelled)[0] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(fm.InputError, match=r"'roc_auc_score' is for two .*roc_auc_ovr"):
        fm.selection.evaluate_estimator(LOGISTIC, *IRIS, metrics=fm.roc_auc_score)


@pytest.mark.parametrize("origin", [fm, theirs])
@pytest.mark.parametrize(
    ("function", "parameters", "scoring"),
    [
        ("f1_score", {"pos_label": "no"}, None),
        ("log_loss", {"labels": ["no", "yes"]}, "neg_log_loss"),
        ("brier_score_loss", {"pos_label": "no"}, None),
        ("average_precision_score", {"pos_label": "no"}, None),
        ("hinge_loss", {"labels": ["no", "yes"]}, None),
    ],
)
def test_options_that_no_metric_has_are_kept(origin, function, parameters, scoring):
    """They are in the words of `y`, and the positive class is the one that was named."""
    metric = partial(getattr(origin, function), **parameters)
    values, estimate = folds_of(LOGISTIC, *FEW_NAMED, metric)
    needs = {"f1_score": "predict", "hinge_loss": "decision_function"}
    method = needs.get(function, "predict_proba")
    if function == "average_precision_score":
        method = "decision_function"
    scorer = make_scorer(getattr(theirs, function), response_method=method, **parameters)
    expected = cross_val_score(
        LOGISTIC, *FEW_NAMED, scoring=scorer, cv=fm.selection.Folds(3, rng=0)
    )
    assert values == pytest.approx(expected.tolist(), rel=1e-12)
    assert estimate.higher_is_better is ("loss" not in function)


def test_a_foreign_function_gets_predictions_and_says_so():
    def own(y_true, y_said):
        assert set(np.unique(y_said)) <= {0, 1}
        return fm.roc_auc_score(y_true, y_said)

    evaluation = fm.selection.evaluate_estimator(
        LOGISTIC, *CANCER, metrics=[own, fm.roc_auc_score], rng=0
    )
    assert evaluation["own"].estimate < evaluation["roc_auc_score"].estimate - 0.01
    assert (evaluation["own"].given, evaluation["roc_auc_score"].given) == ("predictions", "scores")
    assert "; own (given predictions): test 0.9" in repr(evaluation)
    assert "; roc_auc_score: test 0.99" in repr(evaluation)
    assert "own (given predictions)" in evaluation._repr_html_()
    assert evaluation.to_dict()["metrics"]["own"]["given"] == "predictions"
    assert folds_of(LOGISTIC, *CANCER, make_scorer(own))[1].given == "estimator"
    # neither a namesake nor one with arguments by position is taken for ours
    own.__name__, own.__module__ = "roc_auc_score", fm.roc_auc_score.__module__
    for foreign in (own, partial(fm.roc_auc_score, CANCER[1])):
        with pytest.raises(TypeError, match="scikit-learn's `make_scorer` makes a scorer"):
            fm.scorer(foreign)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (fm.fbeta_score, r"`fbeta_score` needs its parameter 'beta': `functools.partial\(fbeta"),
        (fm.class_likelihood_ratios, "returns several numbers: name 'positive_likelihood_ratio' o"),
        (fm.mean_squared_error, "'mean_squared_error' is for regression"),
        (partial(fm.f1_score, average=None, labels=[0, 1]), "'f1_score' must return one number"),
    ],
)
def test_functions_that_cannot_be_metrics(metric, message):
    with pytest.raises(fm.InputError, match=message):
        fm.selection.evaluate_estimator(LOGISTIC, *CANCER, metrics=metric)


def test_the_bootstrap_takes_a_function_for_its_metric():
    y = CANCER[1]
    scores = LOGISTIC.fit(*CANCER).predict_proba(CANCER[0])[:, 1]
    given = {"auc": fm.roc_auc_score, "loss": theirs.log_loss, "ks": fm.ks_statistic}
    named = {"auc": "roc_auc", "loss": "log_loss", "ks": "ks_statistic"}
    options = {"n_resamples": 200, "rng": 3}
    estimates = fm.bootstrap(y, scores, metrics=given, **options)
    assert estimates.to_dict() == fm.bootstrap(y, scores, metrics=named, **options).to_dict()
    two = {"a": scores, "b": scores[::-1].copy()}
    given = {"auc": fm.roc_auc_score}
    named = {"auc": "roc_auc"}
    with_function = fm.paired_bootstrap(y, two, metrics=given, **options)
    right = fm.paired_bootstrap(y, two, metrics=named, **options)
    assert repr(with_function.to_dict()) == repr(right.to_dict())  # no covariance: nan
    # of a metric without replicates the function is called, as any other
    own = fm.bootstrap(*regressed(), metrics=fm.median_absolute_error, n_resamples=50, rng=0)
    assert own["median_absolute_error"].estimate == fm.median_absolute_error(*regressed())
    values = fm.regression_metrics(*regressed(), metrics=[fm.mean_absolute_error, fm.r2_score])
    assert values["r2_score"] == fm.r2_score(*regressed())


def regressed():
    X, y = DIABETES
    return y, LinearRegression().fit(X, y).predict(X)


PARAMETERS = {
    name: COSTS
    if name == "cost"
    else {key: 0.3 for key, default in metric.parameters.items() if default is REQUIRED}
    for name, metric in METRICS.items()
    if metric.needs not in ("nothing", "rankings", "times") and metric.direction({}) is not None
}


@pytest.mark.parametrize("kind", DATA)
def test_scorers_give_the_values_of_evaluate_estimator(kind):
    named = {name: p for name, p in PARAMETERS.items() if kind_of(METRICS[name]) == kind}
    scorers = {name: fm.scorer(name, **parameters) for name, parameters in named.items()}
    folds = fm.selection.Folds(3, stratified=kind != "numbers", rng=0)
    model, X, y = DATA[kind]
    scores = cross_validate(model, X, y, scoring=scorers, cv=folds, error_score="raise")
    evaluation = fm.selection.evaluate_estimator(
        model, X, y, metrics={name: (name, p) for name, p in named.items()}, cv="3-fold", rng=0
    )
    model.fit(X, y)
    for name, scorer in scorers.items():
        sign = 1 if evaluation[name].higher_is_better else -1
        values = evaluation.folds[f"test_{name}"].tolist()
        assert (sign * scores[f"test_{name}"]).tolist() == values, name
        again = pickle.loads(pickle.dumps(scorer))
        assert again(model, X, y) == copy.deepcopy(scorer)(model, X, y) == scorer(model, X, y)
        assert repr(again) == repr(scorer)


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "f1", "balanced_accuracy", "brier_score"])
def test_a_scorer_is_scikit_learn_s_own_and_takes_words(name):
    negated = METRICS[name].direction({}) is False
    for data in (FEW, FEW_NAMED):
        options = {"cv": 3, "return_train_score": True, "error_score": "raise"}
        scores = cross_validate(LOGISTIC, *data, scoring={"a": fm.scorer(name)}, **options)
        own = cross_validate(LOGISTIC, *FEW, scoring=f"neg_{name}" if negated else name, cv=3)
        assert scores["test_a"] == pytest.approx(own["test_score"], rel=1e-12)


def test_a_threshold_is_tuned_by_a_cost():
    ours = TunedThresholdClassifierCV(LOGISTIC, scoring=fm.scorer("cost", **COSTS), cv=3)
    own = make_scorer(fm.costs.cost_sensitive_error, greater_is_better=False, **COSTS)
    expected = TunedThresholdClassifierCV(LOGISTIC, scoring=own, cv=3).fit(*CANCER)
    assert ours.fit(*CANCER).best_threshold_ == expected.best_threshold_
    assert ours.best_score_ == expected.best_score_


def test_scorers_of_functions_and_of_registered_metrics():
    def first(y, scores):
        return float(scores[0])

    fm.register_metric("first", first, higher_is_better=False)
    model = LOGISTIC.fit(*CANCER)
    score = model.decision_function(CANCER[0])[0]
    assert fm.scorer("first")(model, *CANCER) == -score
    assert fm.scorer("first", higher_is_better=True)(model, *CANCER) == score
    actual = fm.scorer(fm.fbeta_score, beta=2.0)(model, *CANCER)
    assert actual == fm.scorer("fbeta", beta=2.0)(model, *CANCER)
    words = pickle.loads(pickle.dumps(fm.scorer(fm.f1_score, pos_label="no")))
    model = LOGISTIC.fit(*NAMED)
    assert words(model, *NAMED) == fm.f1_score(NAMED[1], model.predict(NAMED[0]), pos_label="no")


def test_registered_metrics_get_the_weights_or_refuse_them():
    seen = []

    def with_weights(y, scores, sample_weight=None):
        seen.append(sample_weight)
        return float(np.average(scores, weights=sample_weight))

    def without(y, scores):
        return float(scores.mean())

    @numba.njit
    def compiled(y, scores, weights):
        return (scores * weights).sum() / weights.sum()

    model = LOGISTIC.fit(*CANCER)
    w = np.random.default_rng(0).random(len(CANCER[1]))
    expected = np.average(model.decision_function(CANCER[0]), weights=w)
    functions = {"own_weights": with_weights, "own_none": without, "own_compiled": compiled}
    for name, function in functions.items():
        fm.register_metric(name, function, higher_is_better=True, needs="scores")
    for name in ("own_weights", "own_compiled"):
        actual = fm.scorer(name)(model, *CANCER, sample_weight=w)
        assert actual == pytest.approx(expected, rel=1e-12)
        assert actual != fm.scorer(name)(model, *CANCER)
    assert len(seen) == 2
    with pytest.raises(ValueError, match="'own_none' takes no weights"):
        fm.scorer("own_none")(model, *CANCER, sample_weight=w)


def test_scorers_in_evaluate_estimator():
    values, estimate = folds_of(LOGISTIC, *CANCER, fm.scorer("log_loss"))
    assert values == [-value for value in folds_of(LOGISTIC, *CANCER, "log_loss")[0]]
    assert (estimate.higher_is_better, estimate.given) == (True, "estimator")


def test_a_scorer_knows_the_classes_of_its_model():
    """Rows of one class alone have a log loss, and an AUC that is nan and says so."""
    model = LOGISTIC.fit(*IRIS)
    rows = IRIS[1] == 1
    X = IRIS[0][rows]
    y = IRIS[1][rows]
    expected = fm.log_loss(y, model.predict_proba(X), labels=[0, 1, 2])
    assert fm.scorer("log_loss")(model, X, y) == pytest.approx(-expected, rel=1e-12)
    model = LOGISTIC.fit(*CANCER)
    rows = CANCER[1] == 1
    with pytest.warns(fm.UndefinedMetricWarning, match="'roc_auc' is not defined on these 357 row"):
        assert np.isnan(fm.scorer("roc_auc")(model, CANCER[0][rows], CANCER[1][rows]))


def test_what_no_scorer_can_be_made_of(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match=r"scorer needs .*: pip install 'fastmetrics-eval\[estim"):
        fm.scorer("roc_auc")
