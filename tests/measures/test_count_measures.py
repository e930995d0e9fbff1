"""Count measures: against the definition and scikit-learn; what every one of them obeys; names."""

from __future__ import annotations

import itertools
import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from count_samples import PLAIN, assert_close, cells, expected, names_for
from hypothesis import given, strategies as st

from fastmetrics import (
    ConfusionMatrix,
)
from fastmetrics.measures.decisions.count_measures import (
    gradient,
    value,
    values,
)
from measure_names import COUNT_MEASURES
from reference import count_oracle as oracle

# --- values ------------------------------------------------------------------------------------


@given(cells())
def test_values_are_those_of_the_definition(matrix) -> None:
    for name in names_for(len(matrix)):
        assert_close(value(name, matrix), expected(name, matrix))


@given(cells(weighted=True))
def test_weighted_values_are_those_of_the_definition(matrix) -> None:
    for name in names_for(len(matrix)):
        assert_close(value(name, matrix), expected(name, matrix))


@pytest.mark.parametrize("name", ["accuracy", "error_rate", "precision", "recall", "f1", "jaccard"])
@given(st.lists(st.integers(0, 2**50), min_size=4, max_size=4))
def test_a_ratio_of_counts_is_the_nearest_double(name, four) -> None:
    matrix = [four[:2], four[2:]]
    assert value(name, np.array(matrix)).item() == pytest.approx(
        expected(name, matrix), rel=0, abs=0, nan_ok=True
    )


@pytest.mark.parametrize("beta", [0.25, 0.5, 1, 2, 3.5])
@given(cells(least=2, most=4))
def test_fbeta(beta, matrix) -> None:
    rows, labels = oracle.rows_of_cells(matrix), range(len(matrix))

    def of_class(rows: Any, k: Any) -> Any:
        return oracle.fbeta(rows, k, Fraction(beta))

    wanted = {
        f"fbeta_{name}": average(of_class, rows, labels)
        for name, average in oracle.AVERAGES.items()
    }
    if len(matrix) == 2:
        wanted["fbeta"] = of_class(rows, 1)
    for name, exact in wanted.items():
        assert_close(value(name, matrix, beta=beta), math.nan if exact is None else float(exact))


def test_fbeta_of_extreme_beta_is_recall_or_precision() -> None:
    matrix = [[5, 3], [1, 7]]
    for beta, name in ((1e200, "recall"), (1e-200, "precision")):
        assert value("fbeta", matrix, beta=beta) == value(name, matrix)


@given(cells(least=2), st.data())
def test_cost(matrix, data) -> None:
    k = len(matrix)
    line = st.lists(st.integers(-2, 9), min_size=k, max_size=k)
    costs = data.draw(st.lists(line, min_size=k, max_size=k))
    exact = oracle.cost(oracle.rows_of_cells(matrix), range(k), costs)
    wanted = math.nan if exact is None else float(exact)
    assert_close(value("cost", matrix, cost_matrix=costs), wanted)
    if k == 2:
        (_, cost_fp), (cost_fn, _) = costs = [[0, abs(costs[0][1])], [abs(costs[1][0]), 0]]
        both = [{"cost_matrix": costs}, {"cost_fn": cost_fn, "cost_fp": cost_fp}]
        np.testing.assert_array_equal(*[value("cost", matrix, **each) for each in both])


def test_cost_of_one_is_the_error_rate_and_only_ratios_matter_to_an_order() -> None:
    matrices = np.random.default_rng(3).integers(1, 20, (50, 2, 2))
    even = value("cost", matrices, cost_fn=1, cost_fp=1)
    np.testing.assert_array_equal(even, value("error_rate", matrices))
    small, large = (value("cost", matrices, cost_fn=5 * c, cost_fp=c) for c in (1, 10))
    assert_close(10 * small, large)


@pytest.mark.parametrize("power", [1, 2])
@given(cells(least=1))
def test_weighted_kappa(power, matrix) -> None:
    exact = oracle.cohen_kappa(oracle.rows_of_cells(matrix), range(len(matrix)), power)
    got = value("cohen_kappa", matrix, weights={1: "linear", 2: "quadratic"}[power])
    assert_close(got, math.nan if exact is None else float(exact), atol=1e-12)


def test_textbook_macro_f1_is_not_the_mean_of_f1s() -> None:
    matrix = ConfusionMatrix.from_labels([0] * 6 + [1] * 4, [0] * 3 + [1] * 7).counts
    assert value("f1_macro", matrix) == pytest.approx(0.696969696969697, rel=1e-15)
    assert value("macro_f1_harmonic", matrix) == pytest.approx(0.7674418604651163, rel=1e-15)


# --- peers -------------------------------------------------------------------------------------

PEERS = {
    "accuracy": sk.accuracy_score,
    "zero_one_loss": sk.zero_one_loss,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "matthews_corrcoef": sk.matthews_corrcoef,
    "cohen_kappa": sk.cohen_kappa_score,
}
AVERAGED = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "jaccard": sk.jaccard_score,
}


@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("weighting", ["none", "counts", "importances"])
def test_scikit_learn_agrees(rng, k, weighting) -> None:
    for _ in range(3):
        n = 80
        y, p = rng.integers(0, k, n), rng.integers(0, k, n)
        p[:k] = y[:k] = np.arange(k)  # nothing is undefined
        p = np.where(rng.random(n) < 0.4, y, p)
        w = {"none": None, "counts": rng.integers(0, 4, n), "importances": rng.random(n)}[weighting]
        if w is not None:
            w[:k] = 1
        counts = ConfusionMatrix.from_labels(y, p, sample_weight=w).counts
        for name, peer in PEERS.items():
            assert_close(value(name, counts), peer(y, p, sample_weight=w), rtol=1e-12)
        for name, peer in AVERAGED.items():
            for average in ("macro", "micro", "weighted"):
                wanted = peer(y, p, sample_weight=w, average=average)
                assert_close(value(f"{name}_{average}", counts), wanted, rtol=1e-12)
        for weights in ("linear", "quadratic"):
            wanted = sk.cohen_kappa_score(y, p, weights=weights, sample_weight=w)
            assert_close(value("cohen_kappa", counts, weights=weights), wanted, rtol=1e-11)
        if k == 2:
            for name, peer in AVERAGED.items():
                assert_close(value(name, counts), peer(y, p, sample_weight=w))
            wanted = sk.fbeta_score(y, p, beta=2, sample_weight=w)
            assert_close(value("fbeta", counts, beta=2), wanted)
            ratios = [
                value(f"{sign}_likelihood_ratio", counts) for sign in ("positive", "negative")
            ]
            assert_close(ratios, sk.class_likelihood_ratios(y, p, sample_weight=w), rtol=1e-12)


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
@given(cells(least=2, most=4))
def test_zero_division_is_scikit_learns(zero_division, matrix) -> None:
    k = len(matrix)
    y, p, w = zip(
        *[(i, j, matrix[i][j]) for i, j in itertools.product(range(k), repeat=2)], strict=True
    )
    if not any(w):
        return
    options = {"labels": range(k), "sample_weight": w, "zero_division": zero_division}
    for name, peer in AVERAGED.items():
        for average in ("macro", "weighted"):
            wanted = peer(y, p, average=average, **options)
            assert_close(value(f"{name}_{average}", matrix, zero_division=zero_division), wanted)
        if k == 2:
            assert_close(value(name, matrix, zero_division=zero_division), peer(y, p, **options))


# --- what every measure obeys ------------------------------------------------------------------


@given(cells(least=2), st.sampled_from([1, 3, 1000]), st.sampled_from([2.0**-40, 0.25, 2.0**60]))
def test_the_scale_of_the_counts_does_not_matter(matrix, times, power) -> None:
    counts = np.array(matrix)
    for name in names_for(len(counts)):
        whole = value(name, counts)
        np.testing.assert_array_equal(value(name, counts * power), whole)
        assert_close(value(name, counts * times), whole)
        assert_close(gradient(name, counts * times) * times, gradient(name, counts), atol=1e-12)


@pytest.mark.parametrize(
    ("k", "n"),
    [(2, 30), (3, 20), pytest.param(3, 100, marks=pytest.mark.exhaustive), (12, 7)],
)
def test_a_matrix_has_the_same_bits_alone_and_in_a_stack(rng, k, n) -> None:
    stack = rng.random((2, n, k, k)) * (rng.random((2, n, k, k)) < 0.8)
    for name in names_for(k):
        whole = value(name, stack)
        alone = [[value(name, matrix) for matrix in half] for half in stack]
        assert whole.shape == (2, n)
        assert whole.dtype == np.float64
        np.testing.assert_array_equal(whole, alone)


def test_memory_order_and_integers_do_not_matter(rng) -> None:
    stack = rng.integers(0, 9, (7, 3, 3))
    for name in names_for(3):
        wanted = value(name, stack)
        np.testing.assert_array_equal(value(name, np.asfortranarray(stack)), wanted)
        np.testing.assert_array_equal(value(name, stack.astype(np.float64)), wanted)


def test_nothing_warns_and_the_empty_matrix_is_undefined() -> None:
    few = np.array(list(itertools.product(range(2), repeat=4))).reshape(-1, 2, 2)
    more = np.array(list(itertools.product(range(2), repeat=9))).reshape(-1, 3, 3)
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        for stack in (few, more, np.zeros((1, 1, 1))):
            for name in names_for(stack.shape[-1]):
                values = value(name, stack)
                assert np.isnan(values[0]), name
                assert np.isfinite(values[~np.isnan(values)]).all()
                defined = ~np.isnan(values)
                slopes = gradient(name, stack)
                assert (np.isnan(slopes).all(axis=(-2, -1)) == ~defined).all()
                assert not np.isnan(slopes[defined]).any(), name


def test_coefficients_stay_in_range() -> None:
    perfect = np.array([[[3, 0, 0], [0, 7, 0], [0, 0, 11]]]) * np.arange(1, 400)[:, None, None]
    assert (value("matthews_corrcoef", perfect) <= 1.0).all()
    assert_close(value("matthews_corrcoef", perfect), 1.0)
    assert value("matthews_corrcoef", [[0, 3], [7, 0]]) == -1.0


# --- names and parameters ----------------------------------------------------------------------


def test_aliases_and_names() -> None:
    assert COUNT_MEASURES["zero_one_loss"] is COUNT_MEASURES["error_rate"]
    assert COUNT_MEASURES["youden_j"] is COUNT_MEASURES["informedness"]
    for name, measure in COUNT_MEASURES.items():
        assert name == measure.name or name in ("zero_one_loss", "youden_j")
    scorers = {name.removeprefix("neg_") for name in sk.get_scorer_names()}
    ours = {"accuracy", "balanced_accuracy", "matthews_corrcoef", "positive_likelihood_ratio"}
    ours |= {f"{name}{end}" for name in AVERAGED for end in ("", "_macro", "_micro", "_weighted")}
    assert ours <= scorers & set(COUNT_MEASURES)


@pytest.mark.parametrize(
    ("name", "params", "error", "match"),
    [
        ("acuracy", {}, ValueError, "`metrics` names 'acuracy', .* did you mean 'accuracy'"),
        (3, {}, ValueError, "`metrics` must name a measure by a string: got int 3"),
        ("accuracy", {"beta": 2}, TypeError, "`accuracy` has no parameter 'beta': it has no param"),
        ("fbeta", {"betta": 2}, TypeError, "has no parameter 'betta': it has 'beta', 'zero_div"),
        ("fbeta", {"beta": 0}, ValueError, "`beta` must be positive"),
        ("fbeta", {"beta": "2"}, TypeError, "`beta` must be a number"),
        ("f1", {"zero_division": 0.5}, ValueError, "`zero_division` must be one of 0.0, 1.0"),
        ("f1", {"zero_division": "warn"}, TypeError, "`zero_division` must be a number"),
        (
            "cohen_kappa",
            {"weights": "cubic"},
            ValueError,
            "`weights` must be one of None, 'linear'",
        ),
        ("cost", {}, TypeError, "`cost` of 2 classes needs `cost_fn` and `cost_fp`, or `cost_mat"),
        ("cost", {"cost_fn": 1}, TypeError, "needs `cost_fn` and `cost_fp`"),
        ("cost", {"cost_fn": -1, "cost_fp": 1}, ValueError, "`cost_fn` must lie in \\[0, inf"),
        ("cost", {"cost_fn": math.inf, "cost_fp": 1}, ValueError, "`cost_fn` must lie in"),
        ("cost", {"cost_matrix": [[0, 1], [1, 0]], "cost_fn": 1}, TypeError, "says it all"),
        ("cost", {"cost_matrix": [[0, 1, 2]]}, ValueError, "must have shape \\(2, 2\\)"),
        ("cost", {"cost_matrix": [[0, math.nan], [1, 0]]}, ValueError, "must be finite: got nan"),
        ("cost", {"cost_matrix": [["a", "b"], ["c", "d"]]}, TypeError, "must hold real numbers"),
    ],
)
def test_refusals(name, params, error, match) -> None:
    with pytest.raises(error, match=match):
        value(name, [[1, 2], [3, 4]], **params)


def test_measures_of_two_classes_name_the_way_for_more() -> None:
    for name in PLAIN:
        if COUNT_MEASURES[name].classes == 2:
            with pytest.raises(
                ValueError, match=f"`{name}` is for two classes, and the matrix has 3"
            ):
                value(name, np.ones((3, 3)))
            with pytest.raises(ValueError, match="has 1: pass `labels` of both"):
                value(name, np.ones((1, 1)))
    with pytest.raises(
        ValueError, match="see precision_macro, precision_micro, precision_weighted"
    ):
        value("precision", np.ones((3, 3)))
    with pytest.raises(ValueError, match="one class against the rest"):
        value("npv", np.ones((3, 3)))
    with pytest.raises(TypeError, match="`cost` of 3 classes needs `cost_matrix`"):
        value("cost", np.ones((3, 3)), cost_fn=1, cost_fp=1)
    with pytest.raises(ValueError, match="shape \\(\\.\\.\\., K, K\\): got \\(2, 3\\)"):
        value("accuracy", np.ones((2, 3)))


def test_many_measures_share_their_sums(rng) -> None:
    of_any, stack = names_for(3), rng.integers(0, 5, (4, 3, 3))
    found = values([*of_any, "cost"], stack, {"cost_matrix": 1 - np.eye(3), "weights": "linear"})
    for name in of_any:
        params = {"weights": "linear"} if name == "cohen_kappa" else {}
        np.testing.assert_array_equal(found[name], value(name, stack, **params))
    np.testing.assert_array_equal(found["cost"], value("cost", stack, cost_matrix=1 - np.eye(3)))


@pytest.mark.parametrize("k", [16, 17, 90])
def test_slopes_of_a_product_of_many_recalls(k) -> None:
    counts = np.zeros((k, k), int)
    np.fill_diagonal(counts, 1)
    counts[np.arange(k), np.arange(k) - 1] = 9999
    step = np.zeros((k, k))
    step[0, 0] = 1e-6
    rise = (value("g_mean", counts + step) - value("g_mean", counts - step)) / 2e-6
    assert gradient("g_mean", counts)[0, 0] == pytest.approx(rise, rel=1e-6)
    counts[0, 0] = 0
    assert gradient("g_mean", counts)[0, 0] == math.inf
