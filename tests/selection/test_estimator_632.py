"""The .632 methods of `evaluate_estimator`: the definition, any mean of losses of rows."""

import math

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import fastmetrics as fm
from reference import selection_oracle as oracle

X, y = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("kind", ["labels", "numbers"])
@pytest.mark.parametrize("rule", [".632", ".632+"])
def test_632_is_the_definition_s(kind, rule):
    if kind == "labels":
        data, target, model = X[::3], y[::3], KNeighborsClassifier(1)
        metric, loss = "error_rate", oracle.zero_one
    else:
        data, target = DIABETES[0][:40], DIABETES[1][:40]
        model, metric, loss = (
            DecisionTreeRegressor(random_state=0),
            "mean_squared_error",
            oracle.squared,
        )
    found = fm.selection.evaluate_estimator(
        model, data, target, cv=rule, metrics=metric, n_resamples=15, rng=3
    )
    resampled, out = [], []
    for train, test in fm.selection.BootstrapOutOfBag(15, rng=3).split(data, target):
        resampled.append(model.fit(data[train], target[train]).predict(data).tolist())
        out.append(np.isin(np.arange(len(target)), test).tolist())
    fitted, truth = model.fit(data, target).predict(data).tolist(), target.tolist()
    err, gamma = oracle.mean_loss(loss, truth, fitted), oracle.no_information(loss, truth, fitted)
    err1 = oracle.leave_one_out_bootstrap(loss, truth, resampled, out)
    expected = oracle.err632(err, err1)
    if rule == ".632+":
        expected = oracle.err632_plus(err, err1, gamma)
    assert found[metric].estimate == pytest.approx(float(expected), rel=1e-11)
    parts = found[metric].bootstrap
    assert parts.err1 == pytest.approx(float(err1), rel=1e-11)
    assert parts.gamma == pytest.approx(float(gamma), rel=1e-11)
    assert found[metric].train_estimate == pytest.approx(float(err), rel=1e-11)
    assert found[metric].confidence_interval is None
    for spread, side in (("standard_deviation", "test"), ("train_standard_deviation", "train")):
        values = found.folds[f"{side}_{metric}"]
        assert getattr(found[metric], spread) == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    assert found.n_splits == 15


@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("classes", [2, 3])
def test_632_of_probabilities_is_that_of_the_predictions(classes):
    """What is fitted here, sample by sample, and handed to `bootstrap632`, has the same parts."""
    few = np.flatnonzero(y < classes)[::2]
    data, target, model = X[few], y[few], KNeighborsClassifier(3)
    metrics = [
        "log_loss",
        "brier_score",
        ("cost", {"cost_matrix": np.arange(classes**2.0).reshape(classes, -1)}),
    ]
    found = fm.selection.evaluate_estimator(
        model, data, target, cv=".632+", metrics=metrics, n_resamples=15, rng=3
    )
    fitted = model.fit(data, target).predict_proba(data)
    resampled, out = [], []
    for train, test in fm.selection.BootstrapOutOfBag(15, rng=3).split(data, target):
        resampled.append(model.fit(data[train], target[train]).predict_proba(data))
        out.append(np.isin(np.arange(len(target)), test))
    said = [fitted, *resampled]
    for metric, name in zip(metrics, found.metrics, strict=True):
        each = [np.argmax(one, axis=1) for one in said] if name == "cost" else said
        own = fm.selection.bootstrap632(target, each[0], each[1:], out, loss=metric)
        parts = found[name].bootstrap
        for part in ("err", "err1", "gamma", "err632_plus"):
            assert getattr(parts, part) == pytest.approx(getattr(own, part), rel=1e-12), part
        assert found[name].estimate == parts.err632_plus
        assert found[name].train_estimate == parts.err


def test_632_of_a_margin_that_a_sample_cannot_have():
    """A model that was not shown a class has no decision value for it: the error is not known."""
    data, target = X[::10], y[::10]
    target = np.where(np.arange(15) == 14, 2, target % 2)  # one row of the last class
    found = fm.selection.evaluate_estimator(
        LinearSVC(), data, target, cv=".632", metrics="hinge_loss", n_resamples=9, rng=1
    )
    assert math.isnan(found["hinge_loss"].estimate)
    assert found["hinge_loss"].bootstrap.gamma > 0


def test_632_of_a_loss_of_one_s_own():
    options = {"cv": ".632+", "n_resamples": 40, "rng": 1}
    own = {"own": lambda y_true, y_pred: y_true != y_pred}
    found = fm.selection.evaluate_estimator(TREE, X, y, metrics=own, **options)
    named = fm.selection.evaluate_estimator(TREE, X, y, **options)
    assert found["own"].estimate == pytest.approx(named["error_rate"].estimate, rel=1e-12)


def test_632_plus_knows_a_model_without_information():
    """1-nearest-neighbour on labels of pure chance: .632 is too low, .632+ near one half."""
    generator = np.random.default_rng(1)
    data, target = generator.normal(size=(100, 5)), np.arange(100) % 2
    model = KNeighborsClassifier(1)
    both = {
        rule: fm.selection.evaluate_estimator(model, data, target, cv=rule, n_resamples=60, rng=0)
        for rule in (".632", ".632+")
    }
    assert both[".632"]["error_rate"].estimate < 0.36
    assert abs(both[".632+"]["error_rate"].estimate - 0.5) < 0.1
