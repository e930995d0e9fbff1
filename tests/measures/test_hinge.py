"""The hinge loss: the definition, and scikit-learn over kinds of labels."""

import math

import pytest
from probability_samples import same_as_sklearn

from fastmetrics import hinge_loss


def test_missing_class():
    decisions = [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0]]
    same_as_sklearn("hinge_loss", [0, 1], decisions, labels=[0, 1, 2])
    same_as_sklearn("hinge_loss", [0, 0], decisions, labels=[0, 1, 2])
    with pytest.raises(ValueError, match=r"must have a column for each class.* pass `labels`"):
        hinge_loss([0, 1], decisions)
    with pytest.raises(ValueError, match=r"must have shape \(2, 2\) with 2 .* got \(2, 3\)"):
        hinge_loss([0, 1], decisions, labels=[0, 1])
    with pytest.raises(ValueError, match="which is not in `labels`"):
        hinge_loss([0, 7], decisions, labels=[0, 1, 2])


def test_one_class_in_y_true():
    """scikit-learn takes every such row for a negative, whatever its label."""
    for y, more in (
        ([1, 1], {}),
        ([1, 1], {"labels": [0, 1]}),
        ([True, True], {}),
        (["b", "b"], {"labels": ["a", "b"]}),
        ([7, 7], {"labels": [2, 7]}),
    ):
        assert hinge_loss(y, [2.0, 0.5], **more) == 0.25
    for y, more in (([0, 0], {}), ([-1, -1], {}), ([2, 2], {"labels": [2, 7]})):
        assert hinge_loss(y, [2.0, 0.5], **more) == 2.25
    for y in ([7, 7], ["b", "b"]):
        with pytest.raises(ValueError, match="one label only"):
            hinge_loss(y, [2.0, 0.5])
    with pytest.raises(ValueError, match="which is not in `labels`"):
        hinge_loss([7, 7], [2.0, 0.5], labels=[0, 1])


def test_shapes():
    with pytest.raises(ValueError, match=r"must have shape \(3, 3\) with 3 classes"):
        hinge_loss([0, 1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"must have shape \(3, 3\) with 3 classes"):
        hinge_loss([0, 1, 0], [0.1, 0.2, 0.3], labels=[0, 1, 2])
    with pytest.raises(ValueError, match="`pred_decision` must have shape"):
        hinge_loss([0, 1], [[0.1, 0.2]] * 2)


def test_huge_decisions():
    assert hinge_loss([0, 1], [-1e308, 1e308]) == 0.0
    assert hinge_loss([0, 1], [1e300, 1e300]) == pytest.approx(5e299)
    assert hinge_loss([0, 0, 1], [1.5e308, 1.5e308, 1.0]) == math.inf
