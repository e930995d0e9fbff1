"""Count measures: against the definition and scikit-learn; what every one of them obeys; names."""

import itertools
import math
import warnings

import numpy as np
import pytest
import sklearn.metrics as sk
from count_samples import PLAIN, assert_close, cells, expected, names_for
from hypothesis import given, strategies as st

from fastmetrics.measures.decisions.count_measures import gradient, value
from measure_names import COUNT_MEASURES

# --- values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["accuracy", "error_rate", "precision", "recall", "f1", "jaccard"])
@given(st.lists(st.integers(0, 2**50), min_size=4, max_size=4))
def test_a_ratio_of_counts_is_the_nearest_double(name, four) -> None:
    matrix = [four[:2], four[2:]]
    assert value(name, np.array(matrix)).item() == pytest.approx(
        expected(name, matrix), rel=0, abs=0, nan_ok=True
    )


def test_fbeta_of_extreme_beta_is_recall_or_precision() -> None:
    matrix = [[5, 3], [1, 7]]
    for beta, name in ((1e200, "recall"), (1e-200, "precision")):
        assert value("fbeta", matrix, beta=beta) == value(name, matrix)


# --- peers -------------------------------------------------------------------------------------

AVERAGED = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "jaccard": sk.jaccard_score,
}


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
    ("k", "n"), [(2, 30), (3, 20), pytest.param(3, 100, marks=pytest.mark.exhaustive), (12, 7)]
)
def test_a_matrix_has_the_same_bits_alone_and_in_a_stack(rng, k, n) -> None:
    stack = rng.random((2, n, k, k)) * (rng.random((2, n, k, k)) < 0.8)
    for name in names_for(k):
        whole = value(name, stack)
        alone = [[value(name, matrix) for matrix in half] for half in stack]
        assert whole.shape == (2, n)
        assert whole.dtype == np.float64
        np.testing.assert_array_equal(whole, alone)


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


@pytest.mark.parametrize(
    ("name", "params", "error", "match"),
    [
        ("accuracy", {"beta": 2}, TypeError, "`accuracy` has no parameter 'beta': it has no param"),
        ("fbeta", {"betta": 2}, TypeError, "has no parameter 'betta': it has 'beta', 'zero_div"),
        (
            "cohen_kappa",
            {"weights": "cubic"},
            ValueError,
            "`weights` must be one of None, 'linear'",
        ),
        ("cost", {}, TypeError, "`cost` of 2 classes needs `cost_fn` and `cost_fp`, or `cost_mat"),
        ("cost", {"cost_fn": 1}, TypeError, "needs `cost_fn` and `cost_fp`"),
        ("cost", {"cost_matrix": [[0, 1, 2]]}, ValueError, "must have shape \\(2, 2\\)"),
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
