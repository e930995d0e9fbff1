"""Costs: of errors, of decisions, of thresholds; cost curves."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from peer_samples import labels_of, weights_of

import fastmetrics as fm
from fastmetrics.costs import cost_sensitive_error, expected_cost
from reference import hull_oracle
from reference.roc_oracle import rows_of


@pytest.mark.parametrize("weighting", ["none", "counts", "importances"])
def test_two_classes_by_two_costs_or_by_a_matrix(rng, weighting) -> None:
    y, p = labels_of(rng, 200, 2)
    w = weights_of(rng, 200, weighting)
    named = np.array(["well", "ill"])
    by_two = cost_sensitive_error(y, p, cost_fn=4, cost_fp=1, sample_weight=w)
    matrix = {"cost_matrix": [[0, 1], [4, 0]], "sample_weight": w}
    assert cost_sensitive_error(y, p, **matrix) == by_two
    text = {"cost_fn": 4, "cost_fp": 1, "pos_label": "ill", "sample_weight": w}
    assert cost_sensitive_error(named[y], named[p], **text) == by_two
    assert cost_sensitive_error(named[y], named[p], labels=["well", "ill"], **matrix) == by_two
    other = cost_sensitive_error(y, p, cost_fn=4, cost_fp=1, pos_label=0, sample_weight=w)
    swapped = cost_sensitive_error(y, p, cost_fn=1, cost_fp=4, sample_weight=w)
    assert other == pytest.approx(swapped, rel=1e-13)


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
    if not as_matrix:
        for prevalence in (None, 0.5):
            wanted = Fraction(scale) / 2 + Fraction(scale / 2) / 3 if prevalence else total / 5
            got = expected_cost(y, p, prevalence=prevalence, **costs, **options)
            assert got == pytest.approx(float(wanted), **near)


def test_extreme_gains() -> None:
    costs = {"cost_matrix": [[-1e308, 0], [1.5e308, -1e308]], "labels": [0, 1]}
    assert cost_sensitive_error([0, 1], [0, 1], **costs) == -1e308


def test_extreme_costs_by_name_and_of_replicates() -> None:
    y = np.array([0, 0, 1, 1] * 5)
    p = np.array([0, 1, 0, 1, 1] * 4)
    one, large = ({"cost_fn": 3 * unit, "cost_fp": unit} for unit in (1.0, 2.0**1020))
    matrix = fm.ConfusionMatrix.from_labels(y, p)
    assert (
        fm.count_metric(matrix, "cost", **large)
        == fm.count_metric(matrix, "cost", **one) * 2.0**1020
    )
    options = {"n_resamples": 99, "rng": 1}
    scaled, plain = (
        fm.bootstrap(y, p, metrics=[("cost", c)], **options)["cost"] for c in (large, one)
    )
    for field in ("estimate", "standard_error"):
        assert getattr(scaled, field) == getattr(plain, field) * 2.0**1020
    assert scaled.details.bias == plain.details.bias * 2.0**1020
    models = {"a": p, "b": p[::-1]}
    scaled, plain = (
        fm.paired_bootstrap(y, models, metrics=[("cost", c)], **options)["cost"]["a", "b"]
        for c in (large, one)
    )
    assert scaled.standard_error == plain.standard_error * 2.0**1020
    assert scaled.pvalue == plain.pvalue


def test_nothing_costs_nothing() -> None:
    empty = fm.ConfusionMatrix()
    with pytest.warns(fm.UndefinedMetricWarning, match="there is no example"):
        assert math.isnan(cost_sensitive_error(empty, cost_fn=4, cost_fp=1))
    with pytest.warns(fm.UndefinedMetricWarning, match="a class that counts has no example"):
        assert math.isnan(expected_cost([0, 0], [0, 1], cost_fn=4, cost_fp=1, prevalence=0.5))


# The eight examples of the textbook, and one of them with the coordinates of ROC swapped.
Y = [1, 0, 1, 1, 0, 0, 1, 0]
S = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15]

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 7)), min_size=2, max_size=25).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)
PLACES = np.linspace(0, 1, 41)


def test_the_textbooks_eight_examples() -> None:
    curve = fm.costs.cost_curve(Y, S)
    assert curve.expected_total_cost == fm.costs.expected_total_cost(Y, S) == 3 / 16
    assert float(curve) == 3 / 16
    assert curve.relative_cost == 3 / 4
    assert "Expected total cost 0.1875, 0.75 of the trivial rules'." in str(curve)
    assert curve.prevalence == 0.5


def test_coordinates_in_the_other_order_have_another_area() -> None:
    """Lines from (0, TPR) to (1, 1 - FPR), as some printings have them, enclose 1/4."""
    points = [(fpr, tpr) for fpr, tpr in hull_oracle._points(rows_of(Y, S))]
    swapped = [
        (float(x), float(min((1 - fpr) * x + tpr * (1 - x) for fpr, tpr in points)))
        for x in (Fraction(k, 1000) for k in range(1001))
    ]
    x, y = np.array(swapped).T
    assert fm.auc(x, y) == pytest.approx(1 / 4)
    costs = fm.costs.cost_curve(Y, S).cost_at(x)
    right = [float(hull_oracle.cheapest(rows_of(Y, S), Fraction(k, 1000))) for k in range(1001)]
    np.testing.assert_allclose(costs, right, atol=1e-15)


@given(ROWS)
def test_vertices_are_those_of_all_pairs_of_lines(rows) -> None:
    labels, scores = zip(*rows, strict=True)
    curve = fm.costs.cost_curve(labels, scores)
    right = hull_oracle.envelope(rows_of(labels, scores))
    assert curve.probability_cost.tolist() == [float(x) for x, _ in right]
    assert curve.normalized_cost.tolist() == [float(y) for _, y in right]
    assert curve.expected_total_cost == float(hull_oracle.total_cost(rows_of(labels, scores)))


@given(ROWS)
def test_each_threshold_is_best_where_it_is_said_to_be(rows) -> None:
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    curve = fm.costs.cost_curve(labels, scores)
    definition = rows_of(labels, scores)
    assert (curve.probability_cost[0], curve.probability_cost[-1]) == (0, 1)
    ends = curve.probability_cost
    rates = curve.false_positive_rate, curve.true_positive_rate
    for low, high, threshold, fpr, tpr in zip(
        ends[:-1], ends[1:], curve.thresholds, *rates, strict=True
    ):
        assert low < high
        called = scores >= threshold
        assert fpr == called[labels == 0].mean()
        assert tpr == called[labels == 1].mean()
        middle = (Fraction(low) + Fraction(high)) / 2
        cost = (1 - Fraction(tpr)) * middle + Fraction(fpr) * (1 - middle)
        assert float(cost) == pytest.approx(
            float(hull_oracle.cheapest(definition, middle)), abs=1e-15
        )
    costs = [float(hull_oracle.cheapest(definition, Fraction(x))) for x in PLACES]
    np.testing.assert_allclose(curve.cost_at(PLACES), costs, atol=1e-15)


@pytest.mark.parametrize("scale", [1, 2**58])
def test_perfect_useless_and_reversed_scores(scale) -> None:
    counts = np.array([1, 0]) * scale, np.array([0, 1]) * scale
    perfect = fm.costs.cost_curve(fm.ScoreTable.from_counts([2, 1], *counts))
    assert perfect.expected_total_cost == 0
    assert perfect.thresholds.tolist() == [2]
    assert perfect.normalized_cost.tolist() == [0, 0]
    for table in (
        fm.ScoreTable.from_counts([1, 2], *counts),
        fm.ScoreTable.from_counts([1], *(column[column > 0] for column in counts)),
    ):
        trivial = fm.costs.cost_curve(table)
        assert trivial.expected_total_cost == 1 / 4
        assert trivial.thresholds.tolist() == [math.inf, 1]
        assert trivial.probability_cost.tolist() == [0, 0.5, 1]
        assert trivial.normalized_cost.tolist() == [0, 0.5, 0]


@pytest.mark.parametrize(("position", "error"), [(-0.1, ValueError), (math.nan, ValueError)])
def test_places_outside_the_axis_are_refused(position, error) -> None:
    with pytest.raises(error, match=r"`probability_cost` must lie in \[0, 1\]"):
        fm.costs.cost_curve(Y, S).cost_at(position)
    with pytest.raises(TypeError, match="`probability_cost` must hold real numbers"):
        fm.costs.cost_curve(Y, S).cost_at("x")
    with pytest.warns(fm.UndefinedMetricWarning, match="no negative example"):
        assert np.isnan(fm.costs.cost_curve([1, 1], [0.1, 0.2]).cost_at(PLACES)).all()


def test_no_float_decides_a_tie() -> None:
    """Both thresholds have TPR - FPR = 1/10 - 0 = 4/10 - 3/10, whose doubles differ."""
    table = fm.ScoreTable.from_counts([3.0, 2.0, 1.0], [1, 3, 6], [0, 3, 7])
    assert fm.best_threshold(table).threshold == 3.0
    assert 4 / 10 - 3 / 10 > 1 / 10


@pytest.mark.parametrize("big", [10**6, 10**9, 10**12, 2 * 10**18])
def test_counts_of_any_size(big: int) -> None:
    # One positive more for one negative more, of equally many: Youden and errors tie throughout.
    table = fm.ScoreTable.from_counts([4, 3, 2, 1], [big, 1, 1, big], [big - 1, 1, 1, big + 1])
    assert fm.best_threshold(table).threshold == 4
    assert fm.best_threshold(table, criterion="fewest-errors").threshold == 4
    assert fm.best_threshold(table, criterion="fewest-errors").value == float(2 * big + 1)
    # Precision big/(2 big - 1) is the largest, by less than a double can tell.
    assert fm.best_threshold(table, criterion="precision_at_recall", at_least=0.0).threshold == 4
    assert fm.best_threshold(table, criterion="fbeta", beta=1e3).threshold == 1


def test_a_constraint_is_met_by_the_rounded_rate() -> None:
    y = [1] * 10 + [0] * 10
    s = [20, *range(9), *range(9, 19)]
    best = fm.best_threshold(y, s, criterion="precision_at_recall", at_least=0.1)
    assert (best.threshold, best.recall, best.value) == (20, 0.1, 1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint64])
@given(
    threshold=st.one_of(st.floats(allow_nan=False), st.integers(-(2**70), 2**70), st.floats(-3, 3)),
    near=st.integers(-2, 2),
)
def test_decision_compares_real_numbers(dtype: type, threshold: float, near: int) -> None:
    if np.dtype(dtype).kind == "f":
        base = [0.1, -0.1, 1.0, 2.0**53, 3.4e38, -3.4e38, math.inf, -math.inf]
        with np.errstate(over="ignore"):
            base.append(float(dtype(min(max(threshold, -1e300), 1e300))))
        scores = np.array(base, dtype=dtype)
        steps = np.nextafter(scores, dtype(math.copysign(math.inf, near)))
        scores = np.concatenate((scores, steps))
    else:
        info = np.iinfo(dtype)
        at = 0 if math.isinf(threshold) else round(threshold)
        values = [info.min, info.max, 0, 1, 2**53, 2**53 + 1, at + near]
        scores = np.array([min(max(v, info.min), info.max) for v in values], dtype=dtype)
    expected = [int(score >= threshold) for score in scores.tolist()]
    assert fm.predict_at_threshold(scores, threshold).tolist() == expected


def test_decision_of_float32_at_a_double() -> None:
    scores = np.array([0.1, 0.2], dtype=np.float32)  # float32(0.1) > 0.1, float32(0.3) > 0.3
    assert fm.predict_at_threshold(scores, 0.1).tolist() == [1, 1]
    assert fm.predict_at_threshold(scores, math.nextafter(float(scores[0]), 1)).tolist() == [0, 1]


def test_decision_labels() -> None:
    assert fm.predict_at_threshold([1, 2], 2, labels=(-1, 1)).tolist() == [-1, 1]
    assert fm.predict_at_threshold([1, 2], 2, labels=(False, True)).dtype == np.bool_
    assert fm.predict_at_threshold([1, 2], math.inf).tolist() == [0, 0]
    assert fm.predict_at_threshold([1, 2], -math.inf).tolist() == [1, 1]
