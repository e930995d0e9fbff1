"""Costs of errors: the definition, the textbook's identities, invariances, refusals."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from peer_samples import labels_of, outcome, weights_of

from fastmetrics import (
    ConfusionMatrix,
    UndefinedMetricWarning,
    bootstrap,
    count_measure,
    paired_bootstrap,
)
from fastmetrics.costs import (
    cost_sensitive_accuracy,
    cost_sensitive_error,
    expected_cost,
)
from reference import cost_oracle as oracle

MEASURES = (cost_sensitive_error, cost_sensitive_accuracy)
weights = st.sampled_from([0, 1, 2, 0.25, 1.5])


@st.composite
def problems(draw, least_cost: int = 0):
    """Draw rows of K classes, in which each class may be missing, and a cost matrix."""
    k = draw(st.integers(2, 4))
    label = st.integers(0, k - 1)
    rows = draw(st.lists(st.tuples(label, label, weights), min_size=1, max_size=8))
    line = st.lists(st.integers(least_cost, 9), min_size=k, max_size=k)
    costs = draw(st.lists(line, min_size=k, max_size=k))
    return rows, costs


def close(got, exact) -> None:
    if exact is None:
        assert math.isnan(got)
    else:
        assert got == pytest.approx(float(exact), rel=1e-14, abs=1e-15)


def columns(rows):
    y, p, w = zip(*rows, strict=True)
    return list(y), list(p), list(w)


@given(problems())
def test_shares_of_the_largest_cost_are_those_of_the_definition(problem) -> None:
    rows, costs = problem
    y, p, w = columns(rows)
    if not any(w):
        return
    options = {"cost_matrix": costs, "labels": range(len(costs)), "sample_weight": w}
    exact = oracle.normalized(rows, costs)
    got, said = outcome(cost_sensitive_accuracy, y, p, **options)
    close(got, None if exact is None else 1 - exact)
    assert said == (["UndefinedMetricWarning"] if exact is None else [])
    assert math.isnan(got) or 0 <= got <= 1


@pytest.mark.parametrize("weighting", ["none", "counts", "importances"])
def test_two_classes_by_two_costs_or_by_a_matrix(rng, weighting) -> None:
    y, p = labels_of(rng, 200, 2)
    w = weights_of(rng, 200, weighting)
    named = np.array(["well", "ill"])
    for function in MEASURES:
        by_two = function(y, p, cost_fn=4, cost_fp=1, sample_weight=w)
        assert function(y, p, cost_matrix=[[0, 1], [4, 0]], sample_weight=w) == by_two
        text = {"cost_fn": 4, "cost_fp": 1, "pos_label": "ill", "sample_weight": w}
        assert function(named[y], named[p], **text) == by_two
        text = {"cost_matrix": [[0, 1], [4, 0]], "labels": ["well", "ill"], "sample_weight": w}
        assert function(named[y], named[p], **text) == by_two
        assert function(y, p, cost_fn=4, cost_fp=1, pos_label=0, sample_weight=w) == pytest.approx(
            function(y, p, cost_fn=1, cost_fp=4, sample_weight=w), rel=1e-13
        )


def test_figures_of_the_costs_four_to_one() -> None:
    # 3 ill of 10: one ill missed, one healthy misdiagnosed
    y, p = [1, 1, 1] + [0] * 7, [1, 1, 0, 1] + [0] * 6
    costs = {"cost_fn": 4, "cost_fp": 1}
    assert cost_sensitive_error(y, p, **costs) == 0.5
    assert cost_sensitive_accuracy(y, p, **costs) == 14 / 19
    wanted = Fraction(4, 5) * Fraction(1, 7) + 4 * Fraction(1, 5) * Fraction(1, 3)
    assert expected_cost(y, p, **costs, prevalence=0.2) == pytest.approx(float(wanted), rel=1e-15)


@pytest.mark.parametrize("scale", [1e308, sys.float_info.max, 1e200, 1e-300, 5e-320])
@pytest.mark.parametrize("weight", [None, 1e-70, 1e60])
@pytest.mark.parametrize("as_matrix", [False, True])
def test_extreme_costs(scale, weight, as_matrix) -> None:
    """As real numbers: a mean is no larger than the largest cost, whatever the sum is."""
    y, p = [0, 1, 1, 0, 1], [1, 1, 0, 1, 0]  # two misses and two alarms
    costs = {"cost_matrix": [[0, scale], [scale / 2, 0]]} if as_matrix else {}
    costs = costs or {"cost_fn": scale / 2, "cost_fp": scale}
    options = {} if weight is None else {"sample_weight": [weight] * 5}
    total = 2 * Fraction(scale / 2) + 2 * Fraction(scale)
    near = {"rel": 1e-15, "abs": 5e-324}
    assert cost_sensitive_error(y, p, **costs, **options) == pytest.approx(float(total / 5), **near)
    largest = 3 * Fraction(scale / 2) + 2 * Fraction(scale)
    saved = cost_sensitive_accuracy(y, p, **costs, **options)
    assert saved == pytest.approx(1 - total / largest, rel=1e-14)
    if not as_matrix:
        for prevalence in (None, 0.5):
            wanted = Fraction(scale) / 2 + Fraction(scale / 2) / 3 if prevalence else total / 5
            got = expected_cost(y, p, prevalence=prevalence, **costs, **options)
            assert got == pytest.approx(float(wanted), **near)


def test_extreme_gains() -> None:
    costs = {"cost_matrix": [[-1e308, 0], [1.5e308, -1e308]], "labels": [0, 1]}
    assert cost_sensitive_error([0, 1], [0, 1], **costs) == -1e308
    with pytest.raises(ValueError, match=r"must not be negative .* got -1e\+308"):
        cost_sensitive_accuracy([0, 1], [0, 1], **costs)


def test_extreme_costs_by_name_and_of_replicates() -> None:
    y, p = np.array([0, 0, 1, 1] * 5), np.array([0, 1, 0, 1, 1] * 4)
    one, large = ({"cost_fn": 3 * unit, "cost_fp": unit} for unit in (1.0, 2.0**1020))
    matrix = ConfusionMatrix.from_labels(y, p)
    assert (
        count_measure(matrix, "cost", **large) == count_measure(matrix, "cost", **one) * 2.0**1020
    )
    options = {"n_resamples": 99, "rng": 1}
    found, right = (bootstrap(y, p, metrics=[("cost", c)], **options)["cost"] for c in (large, one))
    for field in ("estimate", "standard_error"):
        assert getattr(found, field) == getattr(right, field) * 2.0**1020
    assert found.details.bias == right.details.bias * 2.0**1020
    models = {"a": p, "b": p[::-1]}
    found, right = (
        paired_bootstrap(y, models, metrics=[("cost", c)], **options)["cost"]["a", "b"]
        for c in (large, one)
    )
    assert found.standard_error == right.standard_error * 2.0**1020
    assert found.pvalue == right.pvalue


def test_nothing_costs_nothing() -> None:
    empty = ConfusionMatrix()
    with pytest.warns(UndefinedMetricWarning, match="there is no example"):
        assert math.isnan(cost_sensitive_error(empty, cost_fn=4, cost_fp=1))
    with pytest.warns(UndefinedMetricWarning, match="largest possible cost on these labels is 0"):
        assert math.isnan(cost_sensitive_accuracy([0, 0], [0, 1], cost_fn=4, cost_fp=0))
    with pytest.warns(UndefinedMetricWarning, match="a class that counts has no example"):
        assert math.isnan(expected_cost([0, 0], [0, 1], cost_fn=4, cost_fp=1, prevalence=0.5))


@pytest.mark.parametrize("function", MEASURES)
@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({}, TypeError, "costs are needed: `cost_matrix`, or `cost_fn` and `cost_fp`"),
        ({"cost_fn": 1}, TypeError, "costs are needed"),
        ({"cost_fn": 1, "cost_fp": 1, "labels": [0, 1]}, TypeError, "`labels` go with `cost_mat"),
        ({"cost_matrix": np.eye(2), "pos_label": 1}, TypeError, "`pos_label` goes with `cost_fn"),
        ({"cost_matrix": np.eye(3)}, ValueError, "of 3 classes, and only 2 occur, \\(0, 1\\)"),
        ({"cost_matrix": np.ones((2, 3))}, ValueError, "must have shape \\(2, 2\\)"),
        ({"cost_matrix": [["0", "1"], ["1", "0"]]}, TypeError, "must hold real numbers"),
    ],
)
def test_refusals(function, options, error, match) -> None:
    with pytest.raises(error, match=match):
        function([0, 1, 1], [0, 0, 1], **options)


def test_more_refusals() -> None:
    with pytest.raises(ValueError, match=r"costs must not be negative .* got -1.0"):
        cost_sensitive_accuracy([0, 1], [0, 1], cost_matrix=[[-1, 1], [1, 0]])
    with pytest.raises(ValueError, match="`prevalence` must lie in \\[0, 1\\]"):
        expected_cost([0, 1], [0, 1], cost_fn=1, cost_fp=1, prevalence=2)
    with pytest.raises(ValueError, match="two classes, and there are 3"):
        expected_cost([0, 1, 2], [0, 1, 2], cost_fn=1, cost_fp=1)
    with pytest.raises(TypeError, match="without `labels`"):
        cost_sensitive_error(ConfusionMatrix(), cost_matrix=np.eye(2), labels=[0, 1])
