"""The hinge loss: the definition, and scikit-learn over kinds of labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from probability_samples import KINDS, WEIGHTS, coded_rows, same_as_sklearn, weights_of

from fastmetrics import hinge_loss
from reference import probability_oracle as oracle


@pytest.mark.pairwise
@pytest.mark.parametrize("n", [2, 63, 3_000])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_definition(rng, n, weights, k):
    codes = np.resize(np.arange(k), max(n, k))
    w = weights_of(weights, len(codes), rng)
    given_weights = None if w is None else w.tolist()
    if k == 2:
        decisions = rng.normal(0, 2, n)
        want = oracle.hinge_two(codes.tolist(), decisions.tolist(), given_weights)
    else:
        decisions = rng.normal(0, 2, (len(codes), k))
        want = oracle.hinge_many(codes.tolist(), decisions.tolist(), given_weights)
    found = hinge_loss(codes, decisions, sample_weight=w)
    assert found == pytest.approx(float(want), rel=1e-14)


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_same_as_sklearn(rng, kind, weights, k, dtype):
    codes = np.resize(rng.permutation(k), 40)
    y, w = KINDS[kind](codes), weights_of(weights, 40, rng)
    decisions = rng.normal(0, 2, (40, k) if k > 2 else 40).astype(dtype)
    rtol = 1e-5 if dtype == "f4" else 1e-12
    for more in ({}, {"labels": np.unique(y)}, {"labels": np.unique(y)[::-1]}):
        same_as_sklearn("hinge_loss", y, decisions, sample_weight=w, rtol=rtol, **more)
    same_as_sklearn("hinge_loss", y, np.asfortranarray(decisions), sample_weight=w, rtol=rtol)


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


@pytest.mark.parametrize("k", [2, 3])
def test_same_bits_for_any_number_of_threads(rng, k):
    y = np.resize(np.arange(k), 500_000)
    decisions = rng.normal(size=(500_000, k) if k > 2 else 500_000)
    assert len({hinge_loss(y, decisions, n_threads=threads) for threads in (1, 2, 7)}) == 1


@given(coded_rows(3), st.randoms(use_true_random=False))
def test_invariances(data, random):
    """Eighths and whole weights: the sums are exact, and so is each equality."""
    codes, rows, weights = data
    labels = [0, 1, 2]
    found = hinge_loss(codes, rows, sample_weight=weights, labels=labels)
    assert found == float(oracle.hinge_many(codes, rows, weights))
    order = list(range(len(codes)))
    random.shuffle(order)
    shuffled = ([column[i] for i in order] for column in (codes, rows))
    w = [weights[i] for i in order]
    assert hinge_loss(*shuffled, sample_weight=w, labels=labels) == found
    copies = [i for i, w in enumerate(weights) for _ in range(w)]
    repeated = ([column[i] for i in copies] for column in (codes, rows))
    assert hinge_loss(*repeated, labels=labels) == found
