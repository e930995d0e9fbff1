"""Splitters and scorers in scikit-learn's metadata routing, as its own take part in it."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn import clone, config_context
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.metrics._scorer import _MultimetricScorer
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneGroupOut,
    PredefinedSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

import fastmetrics as fm
from measure_names import MEASURES

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:240, :5], y[:240]
GROUPS = np.arange(240) % 24
WEIGHTS = np.random.default_rng(0).integers(1, 5, 240).astype(float)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())
SPLITTERS = [
    fm.selection.GroupedFolds(3, rng=0),
    fm.selection.Folds(3, rng=0),
    fm.selection.HoldOut(rng=0),
    fm.selection.FiveByTwo(rng=0),
    fm.selection.LeaveOneOut(),
    fm.selection.BootstrapOutOfBag(rng=0),
]
METHODS = (
    "fit partial_fit predict predict_proba predict_log_proba decision_function score split "
    "transform inverse_transform"
).split()


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def asked(consumer):
    """What it asks for, of all methods."""
    request = consumer.get_metadata_routing()
    found = {method: getattr(request, method).requests for method in METHODS}
    return {method: asks for method, asks in found.items() if asks}


# --- splitters: scikit-learn's own tests of them, and more ---------------------------------------


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda one: type(one).__name__)
def test_splitters_ask_for_groups_if_they_heed_them(splitter, enabled):
    heeds = isinstance(splitter, fm.selection.GroupedFolds)
    with config_context(enable_metadata_routing=enabled):
        assert asked(splitter) == ({"split": {"groups": True}} if heeds else {})
    assert hasattr(splitter, "set_split_request") is heeds


def searched(cv, **passed):
    search = GridSearchCV(MODEL, {"logisticregression__C": [0.01, 1.0]}, cv=cv)
    return search.fit(X, y, **passed).cv_results_["mean_test_score"]


def fold_of(splitter, groups):
    folds = np.empty(len(y), int)
    for fold, (_, test) in enumerate(splitter.split(X, y, groups)):
        folds[test] = fold
    return folds


@pytest.mark.parametrize("stratified", [True, False])
def test_a_search_hands_groups_on(routing, stratified):
    cv = fm.selection.GroupedFolds(3, stratified=stratified, rng=0)
    folds = fold_of(cv, GROUPS)
    expected = searched(PredefinedSplit(folds))
    assert searched(cv, groups=GROUPS).tolist() == expected.tolist()
    # as one of scikit-learn's group splitters, which is given the folds for groups
    assert searched(LeaveOneGroupOut(), groups=folds).tolist() == expected.tolist()
    found = cross_validate(MODEL, X, y, cv=cv, params={"groups": GROUPS})["test_score"]
    by_hand = cross_validate(MODEL, X, y, cv=PredefinedSplit(folds))["test_score"]
    assert found.tolist() == by_hand.tolist()
    assert cross_val_predict(MODEL, X, y, cv=cv, params={"groups": GROUPS}).shape == y.shape


def test_groups_travel_into_an_inner_search(routing):
    inner = GridSearchCV(
        MODEL, {"logisticregression__C": [1.0]}, cv=fm.selection.GroupedFolds(2, rng=0)
    )
    outer = fm.selection.GroupedFolds(3, rng=0)
    found = cross_validate(inner, X, y, cv=outer, params={"groups": GROUPS}, error_score="raise")
    assert len(found["test_score"]) == 3


def test_groups_under_another_name(routing):
    cv = fm.selection.GroupedFolds(3, rng=0)
    assert cv.set_split_request(groups="patients") is cv
    expected = searched(PredefinedSplit(fold_of(cv, GROUPS)))
    for one in (cv, copy.deepcopy(cv), pickle.loads(pickle.dumps(cv)), clone(cv, safe=False)):
        assert asked(one) == {"split": {"groups": "patients"}}
        assert searched(one, patients=GROUPS).tolist() == expected.tolist()
    with pytest.raises(TypeError, match="got unexpected argument"):
        searched(cv, groups=GROUPS)
    with pytest.raises(UnsetMetadataPassedError, match=r"for GroupedFolds\.split"):
        searched(cv.set_split_request(groups=None), groups=GROUPS)
    assert asked(fm.selection.GroupedFolds(3)) == {"split": {"groups": True}}


def test_groups_for_a_splitter_without_are_refused(routing):
    with pytest.raises(TypeError, match="got unexpected argument"):
        searched(fm.selection.Folds(3, rng=0), groups=GROUPS)


# --- scorers -------------------------------------------------------------------------------------


def test_requests_need_routing():
    """As test_scorer_set_score_request_raises of scikit-learn."""
    for ask in (fm.scorer("f1").set_score_request, fm.selection.GroupedFolds(3).set_split_request):
        with pytest.raises(RuntimeError, match="is only available when metadata routing is enabl"):
            ask()


def test_what_cannot_be_asked_for(routing):
    with pytest.raises(TypeError, match=r"`groups` is nothing that scorer\('f1'\) takes: it takes"):
        fm.scorer("f1").set_score_request(groups=True)
    with pytest.raises(TypeError, match=r"`weights` is nothing that GroupedFolds.*takes `groups`"):
        fm.selection.GroupedFolds(3).set_split_request(weights=True)
    with pytest.raises(TypeError, match=r"scorer\('max_error'\) takes: it takes nothing"):
        fm.scorer("max_error").set_score_request(sample_weight=True)
    splitter = fm.selection.GroupedFolds(3)
    with pytest.raises(ValueError, match="valid identifier"):
        splitter.set_split_request(groups="not a name")
    assert asked(splitter) == {"split": {"groups": True}}


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "log_loss", "r2", "ks_statistic"])
def test_requests_of_scorers(routing, name):
    """test_scorer_metadata_request of scikit-learn."""
    scorer = fm.scorer(name)
    assert asked(scorer) == {"score": {"sample_weight": None}}
    mapping = MethodMapping().add(caller="score", callee="score")
    router = MetadataRouter(owner="test").add(scorer=scorer, method_mapping=mapping)
    router.validate_metadata(params={"sample_weight": 1}, method="score")
    message = (
        "[sample_weight] are passed but are not explicitly set as requested or not requested for "
        f"{scorer!r}.score, which is used within test.score. Call "
        f"`{scorer!r}.set_score_request({{metadata}}=True/False)`"
    )
    with pytest.raises(UnsetMetadataPassedError, match=re.escape(message)):
        router.route_params(params={"sample_weight": 1}, caller="score")
    assert scorer.set_score_request(sample_weight=True) is scorer
    router = MetadataRouter(owner="test").add(scorer=scorer, method_mapping=mapping)
    for one in (scorer, pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert asked(one) == {"score": {"sample_weight": True}}
    routed = router.route_params(params={"sample_weight": 1}, caller="score")
    assert list(routed.scorer.score) == ["sample_weight"]


def test_weights_are_routed_to_the_scorers_that_ask(routing):
    bayes = GaussianNB().set_fit_request(sample_weight=False)
    scoring = {
        "plain": fm.scorer("log_loss").set_score_request(sample_weight=False),
        "weighted": fm.scorer("log_loss").set_score_request(sample_weight=True),
        "theirs": get_scorer("neg_log_loss").set_score_request(sample_weight=True),
        "named": fm.scorer("log_loss").set_score_request(sample_weight="other"),
    }
    params = {"sample_weight": WEIGHTS, "other": WEIGHTS**2, "groups": GROUPS}
    cv = fm.selection.GroupedFolds(3, rng=0)
    found = cross_validate(bayes, X, y, cv=cv, params=params, scoring=scoring, error_score="raise")
    for name, weights in (("plain", None), ("weighted", WEIGHTS), ("named", WEIGHTS**2)):
        for i, (train, test) in enumerate(cv.split(X, y, GROUPS)):
            model = clone(bayes).fit(X[train], y[train])
            own = None if weights is None else weights[test]
            expected = -fm.log_loss(y[test], model.predict_proba(X[test]), sample_weight=own)
            assert found[f"test_{name}"][i] == pytest.approx(expected, rel=1e-12)
    assert found["test_weighted"] == pytest.approx(found["test_theirs"], rel=1e-6)
    assert not np.allclose(found["test_weighted"], found["test_plain"])


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
