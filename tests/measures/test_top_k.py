"""Top-k accuracy: every order of tied classes, and scikit-learn over kinds of labels."""

import numpy as np
import pytest
from probability_samples import KINDS, WEIGHTS, same_as_sklearn, weights_of

from fastmetrics import UndefinedMetricWarning, top_k_accuracy_score

TIES = ("last", "first", "expected", "best", "worst")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_same_as_sklearn_with_two_classes(rng, kind, weights):
    y, w = KINDS[kind](rng.integers(0, 2, 40)), weights_of(weights, 40, rng)
    for scores in (
        rng.random(40).round(1),
        rng.normal(size=40).round(),
        rng.integers(0, 2, 40),
        np.full(40, 0.5),
    ):
        for k, more in (
            (1, {}),
            (1, {"labels": np.unique(y)}),
            (1, {"normalize": False}),
            (2, {"normalize": False}),
            (3, {}),
        ):
            same_as_sklearn("top_k_accuracy_score", y, scores, k=k, sample_weight=w, **more)


def test_top_1_and_top_5_by_k():
    scores = np.eye(6)[[0, 1, 2, 3, 4, 4]] + np.arange(6, 0, -1) / 10
    y = [0, 1, 2, 3, 4, 5]
    assert top_k_accuracy_score(y, scores, k=1) == 5 / 6
    assert top_k_accuracy_score(y, scores, k=5) == 5 / 6
    assert top_k_accuracy_score(y, scores, k=5, ties="worst") == 5 / 6
    with pytest.warns(UndefinedMetricWarning, match="perfect score"):
        assert top_k_accuracy_score(y, scores, k=6) == 1.0


def test_a_score_at_the_threshold_of_two_classes():
    y = [0, 1, 1]
    found = [top_k_accuracy_score(y, [0.5] * 3, k=1, ties=ties) for ties in TIES]
    assert found == [1 / 3, 2 / 3, 0.5, 1.0, 0.0]
    found = [top_k_accuracy_score(y, [0.0, 0.0, 2.0], k=1, ties=ties) for ties in TIES]
    assert found == [2 / 3, 2 / 3, 2 / 3, 1.0, 1 / 3]


def test_labels():
    scores = [[0.1, 0.2, 0.7], [0.5, 0.2, 0.3]]
    same_as_sklearn("top_k_accuracy_score", [0, 2], scores, k=1, labels=[0, 1, 2])
    same_as_sklearn("top_k_accuracy_score", ["a", "c"], scores, k=1, labels=["a", "b", "c"])
    for labels, rule in (
        ([0, 2, 1], "must be ordered"),
        ([0, 2, 2], "must be unique"),
        ([0, 2], "`labels` must name as many classes as `y_score` has columns, 3: got 2"),
        ([0, 1, 3], "`y_true` contains 2, which is not in `labels`"),
        (None, "scores of 2 classes, those of `y_true`: got scores of 3"),
    ):
        same_as_sklearn("top_k_accuracy_score", [0, 2], scores, labels=labels)
        with pytest.raises(ValueError, match=rule):
            top_k_accuracy_score([0, 2], scores, labels=labels)


def test_shapes():
    with pytest.raises(ValueError, match="2 columns: of two classes pass"):
        top_k_accuracy_score([0, 1], [[0.1, 0.9]] * 2)
    with pytest.raises(ValueError, match=r"scores of 3 classes, .* got scores of 2"):
        top_k_accuracy_score([0, 1, 2], [[0.1, 0.9]] * 3)
    with pytest.raises(ValueError, match=r"each of the 3 classes of `y_true`, .* got shape"):
        top_k_accuracy_score([0, 1, 2], [0.1, 0.9, 0.5])
    with pytest.raises(ValueError, match=r"scores of 1 classes, .* got scores of 2"):
        top_k_accuracy_score([1, 1], [0.1, 0.9])
    with pytest.raises(ValueError, match=r"`labels` must name two classes .* got 3"):
        top_k_accuracy_score([1, 0], [0.1, 0.9], labels=[0, 1, 2])
    with pytest.raises(ValueError, match="`y_score` must have shape"):
        top_k_accuracy_score([0, 1], np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="`k` must be at least 1"):
        top_k_accuracy_score([0, 1], [0.1, 0.9], k=0)


def test_integers_are_not_rounded():
    big = 2**53
    scores = np.array([[big, big + 1, 0], [big + 1, big, 0], [0, 0, big]])
    assert top_k_accuracy_score([1, 0, 2], scores, k=1, ties="worst") == 1.0
    assert top_k_accuracy_score([1, 0, 2], scores.astype(np.uint64) + 2**63, k=1) == 1.0
