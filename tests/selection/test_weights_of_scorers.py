"""Weights of scorers, in scikit-learn with its metadata routing and without."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn import clone, config_context
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fastmetrics as fm
from measure_names import MEASURES

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:240, :5], y[:240]
GROUPS = np.arange(240) % 24
WEIGHTS = np.random.default_rng(0).integers(1, 5, 240).astype(float)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())


@pytest.mark.parametrize("enabled", [True, False])
def test_several_scorers_without_metadata(enabled):
    """test_metadata_routing_multimetric_metadata_routing of scikit-learn."""
    model = clone(MODEL).fit(X, y)
    with config_context(enable_metadata_routing=enabled):
        found = _MultimetricScorer(scorers={"acc": fm.scorer("accuracy")})(model, X, y)
    assert found == {"acc": model.score(X, y)}


def test_without_routing_weights_reach_the_scorers_that_take_them():
    """test_multimetric_scoring_kwargs of scikit-learn."""
    several = _MultimetricScorer(scorers={"ours": fm.scorer("r2"), "max": fm.scorer("max_error")})
    data, target = load_diabetes(return_X_y=True)
    weights = np.arange(len(target)) % 3
    model = LinearRegression().fit(data, target)
    found = several(model, data, target, sample_weight=weights)
    assert found["ours"] == fm.r2_score(target, model.predict(data), sample_weight=weights)
    assert found["max"] == -fm.max_error(target, model.predict(data))
    with pytest.raises(fm.InputError, match="'max_error' takes no weights: got `sample_weight`"):
        fm.scorer("max_error")(model, data, target, sample_weight=weights)


@pytest.mark.parametrize(
    "name",
    [
        m.name
        for m in MEASURES.values()
        if m.needs not in ("nothing", "rankings", "values")
        and m.family != "own"
        and m.classes != 3
        and not m.parameters
        and m.direction({}) is not None
    ],
)
def test_a_weight_is_that_many_rows(name):
    """A weight of 2 is a row that comes twice, whichever way the measure is found."""
    model = clone(MODEL).fit(X[::2], y[::2])
    scorer = fm.scorer(name)
    times = WEIGHTS.astype(int)
    repeated = np.repeat(np.arange(len(y)), times)
    expected = scorer(model, X[repeated], y[repeated])
    assert scorer(model, X, y, sample_weight=times) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_function_with_options_takes_weights():
    model = clone(MODEL).fit(X[::2], y[::2])
    scorer = fm.scorer(fm.precision_score, pos_label=0)
    expected = fm.precision_score(y, model.predict(X), pos_label=0, sample_weight=WEIGHTS)
    assert scorer(model, X, y, sample_weight=WEIGHTS) == expected


def test_neither_splitters_nor_their_split_load_scikit_learn():
    code = (
        "import sys, fastmetrics as fm\n"
        "folds = fm.selection.GroupedFolds(2, stratified=True, rng=0)\n"
        "list(folds.split([[0]] * 4, [0, 1, 0, 1], [0, 0, 1, 1]))\nprint('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
