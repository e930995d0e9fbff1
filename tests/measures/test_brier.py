"""The Brier score: the definition, scikit-learn over kinds of labels, which label is positive."""

import math

import numpy as np
import pytest
from probability_samples import KINDS, WEIGHTS, probabilities, same_as_sklearn, weights_of

from fastmetrics import UndefinedMetricWarning, brier_score_loss, d2_brier_score
from reference import probability_oracle as oracle


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("half", [np.True_, False, "auto"])
def test_same_as_sklearn_beside_one_column(rng, kind, weights, dtype, half):
    codes = rng.integers(0, 2, 40)
    y, p, w = KINDS[kind](codes), rng.random(40).astype(dtype), weights_of(weights, 40, rng)
    rtol = 1e-5 if dtype == "f4" else 1e-12
    classes = np.unique(y).tolist()
    for more in ({}, *({"pos_label": label} for label in classes)):
        same_as_sklearn(
            "brier_score_loss", y, p, sample_weight=w, scale_by_half=half, rtol=rtol, **more
        )
        if half == "auto":
            same_as_sklearn("d2_brier_score", y, p, sample_weight=w, rtol=10 * rtol, **more)
    same_as_sklearn("brier_score_loss", y, p[:, np.newaxis], sample_weight=w, rtol=rtol)


def test_indicator_matrices(rng):
    y, y_proba = rng.integers(0, 2, (30, 4)), probabilities(30, 4, rng)
    for w in (None, rng.random(30)):
        same_as_sklearn("brier_score_loss", y, y_proba, sample_weight=w)
        same_as_sklearn("d2_brier_score", y, y_proba, sample_weight=w)
    with pytest.raises(ValueError, match="needs a column of `y_proba` a class"):
        brier_score_loss(y, y_proba[:, 0])


@pytest.mark.parametrize("y", [[0, 0], [1, 1], [-1, -1], [5, 5], [True, True], [0.0, 0.0]])
@pytest.mark.parametrize("pos_label", [None, 0, 1, 5, 2])
def test_one_class_beside_one_column(y, pos_label):
    same_as_sklearn("brier_score_loss", y, [0.25, 0.5], pos_label=pos_label)


def test_which_label_is_positive():
    p = [0.25, 0.5]
    assert brier_score_loss([2, 7], p) == brier_score_loss([0, 1], p)
    assert brier_score_loss([2, 7], p, pos_label=2) == brier_score_loss([1, 0], p)
    assert brier_score_loss(["b", "a"], p, pos_label="b") == brier_score_loss([1, 0], p)
    with pytest.raises(ValueError, match=r"`pos_label` must say which label is positive: .*text"):
        brier_score_loss(["b", "a"], p)
    for y, wrong in (([0, 1], 2), (["b", "a"], "c"), (["b", "a"], 1), ([0, 1], 0.5)):
        with pytest.raises(ValueError, match=f"`pos_label`={wrong!r} is not a label of `y_true`"):
            brier_score_loss(y, p, pos_label=wrong)
    with pytest.raises(ValueError, match=r"must hold two classes beside one column .* got 3"):
        brier_score_loss([0, 1, 2], [0.1, 0.2, 0.3], pos_label=1)


def test_a_rare_label_is_seen_in_full(rng):
    """The guess from some of the rows is wrong here: the third row, and two others, say more."""
    y = np.zeros(5_000, dtype=np.int64)
    y[2] = 1
    p = rng.random(5_000)
    same_as_sklearn("brier_score_loss", y, p)
    y[2] = -1
    same_as_sklearn("brier_score_loss", y, p)
    y[2] = 7
    same_as_sklearn("brier_score_loss", y, p)
    same_as_sklearn("log_loss", y, p)
    y[3] = 8
    same_as_sklearn("brier_score_loss", y, p)
    same_as_sklearn("log_loss", y, p)


def test_undefined_shares():
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert math.isnan(d2_brier_score([1], [0.5]))
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert d2_brier_score([1, 1], [0.5, 1.0]) == -math.inf
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert math.isnan(d2_brier_score([1, 1], [1.0, 1.0]))


def test_missing_class_needs_labels():
    y_proba = [[0.25, 0.75, 0.0], [0.5, 0.25, 0.25]]
    with pytest.raises(ValueError, match="2 classes in `y_true`, 3 columns"):
        brier_score_loss([1, 0], y_proba)
    found = brier_score_loss([1, 0], y_proba, labels=[0, 1, 2])
    assert found == float(oracle.brier([1, 0], y_proba))


@pytest.mark.parametrize("n_classes", [2, 5, 17])
def test_the_shares_themselves_explain_nothing(n_classes, rng):
    """Exactly 0, whatever the rounding of the two sums: -2e-16 would be worse than the shares."""
    for n in (40, 999, 20_011):
        y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
        for weights in (None, rng.random(n)):
            shares = np.average(np.eye(n_classes)[y], axis=0, weights=weights)
            constant = np.tile(shares, (n, 1))
            assert d2_brier_score(y, constant, sample_weight=weights) == 0.0
        assert d2_brier_score(y, np.where(constant == constant.max(), 1.0, 0.0)) < -0.1
