"""Scorers in the metadata routing of scikit-learn."""

import copy
import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

import fastmetrics as fm

X, Y = make_classification(300, 6, flip_y=0.2, random_state=0)
W = np.random.default_rng(0).integers(1, 5, 300).astype(float)
GRID = {"var_smoothing": [1e-9, 1e-1]}


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def routed(name):
    return fm.scorer(name).set_score_request(sample_weight=True)


@pytest.mark.usefixtures("routing")
def test_requested_weights_reach_the_scorers():
    model = GaussianNB().set_fit_request(sample_weight=True)
    theirs = get_scorer("neg_log_loss").set_score_request(sample_weight=True)
    unweighted = fm.scorer("roc_auc").set_score_request(sample_weight=False)
    given = {"cv": 3, "params": {"sample_weight": W}, "error_score": "raise"}
    scoring = {"ours": routed("log_loss"), "theirs": theirs, "auc": unweighted}
    result = cross_validate(model, X, Y, scoring=scoring, **given)
    np.testing.assert_allclose(result["test_ours"], result["test_theirs"], rtol=1e-12)
    other = get_scorer("roc_auc").set_score_request(sample_weight=False)
    expected = cross_validate(model, X, Y, scoring=other, **given)["test_score"]
    np.testing.assert_allclose(result["test_auc"], expected, rtol=1e-12)
    searches = [
        GridSearchCV(model, GRID, scoring=each, cv=3).fit(X, Y, sample_weight=W).best_score_
        for each in (routed("log_loss"), theirs)
    ]
    assert searches[0] == pytest.approx(searches[1], rel=1e-12)
    aliased = fm.scorer("log_loss").set_score_request(sample_weight="w")
    params = {"sample_weight": W, "w": np.ones(300)}
    plain = cross_validate(model, X, Y, scoring=aliased, cv=3, params=params, error_score="raise")[
        "test_score"
    ]
    assert (plain != result["test_ours"]).all()


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("name", ["f1", "balanced_accuracy"])
def test_a_threshold_is_tuned_with_weights(name):
    model = GaussianNB().set_fit_request(sample_weight=True)
    ours, theirs = (
        TunedThresholdClassifierCV(model, scoring=each, thresholds=20, cv=3).fit(
            X, Y, sample_weight=W
        )
        for each in (routed(name), get_scorer(name).set_score_request(sample_weight=True))
    )
    assert ours.best_threshold_ == theirs.best_threshold_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)


@pytest.mark.usefixtures("routing")
def test_requests_are_kept_and_must_be_made():
    scorer = routed("log_loss")
    for again in (copy.deepcopy(scorer), pickle.loads(pickle.dumps(scorer))):
        assert again.get_metadata_routing().score.requests == {"sample_weight": True}
        again.set_score_request(sample_weight=False)
    assert scorer.get_metadata_routing().score.requests == {"sample_weight": True}
    model = GaussianNB().set_fit_request(sample_weight=True)
    with pytest.raises(Exception, match=r"not explicitly set as requested .* scorer\('f1'\).score"):
        cross_validate(model, X, Y, scoring=fm.scorer("f1"), params={"sample_weight": W})
    with pytest.raises(fm.InputError, match="'max_error' takes no weights"):
        routed("max_error")
    assert fm.scorer("max_error").get_metadata_routing().score.requests == {}


def test_requests_need_routing():
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        routed("f1")


@pytest.mark.parametrize(("name", "index"), [("positive", 0), ("negative", 1)])
def test_a_threshold_is_tuned_by_one_of_several_numbers(name, index):
    scorer = fm.scorer(f"{name}_likelihood_ratio")
    tuned = TunedThresholdClassifierCV(GaussianNB(), scoring=scorer, thresholds=[0.3, 0.6], cv=3)
    tuned.fit(X, Y)
    ratios = pickle.loads(pickle.dumps(tuned))._curve_scorer(tuned.estimator_, X, Y)[0]
    predicted = tuned.estimator_.predict_proba(X)[:, 1] >= 0.6
    expected = fm.class_likelihood_ratios(Y, predicted.astype(int))[index]
    assert ratios[1] == pytest.approx(expected if index == 0 else -expected, rel=1e-12)


def test_a_threshold_of_labels_in_words_is_tuned():
    thresholds = [
        TunedThresholdClassifierCV(GaussianNB(), scoring=scorer, thresholds=9, cv=3)
        .fit(X, labels)
        .best_threshold_
        for scorer, labels in (
            (fm.scorer(fm.f1_score, pos_label="yes"), np.array(["no", "yes"])[Y]),
            (fm.scorer("f1"), Y),
        )
    ]
    assert thresholds[0] == thresholds[1]
