"""``ConfusionMatrix``: what is counted, counts at hand, laws of merging, being a value."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastmetrics import ConfusionMatrix

# --- counts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighting", ["none", "counts", "importances"])
@pytest.mark.parametrize("k", [2, 10, 300, 1500])
def test_many_rows(rng, k, weighting) -> None:
    n = 200_000  # several chunks
    y, p = rng.integers(-5, k - 5, n), rng.integers(-5, k - 5, n)
    w = {"none": None, "counts": rng.integers(0, 9, n), "importances": rng.random(n)}[weighting]
    matrix = ConfusionMatrix.from_labels(y.astype(np.int16), p, sample_weight=w)
    wanted = np.zeros((k, k), dtype=np.float64 if weighting == "importances" else np.int64)
    np.add.at(wanted, (y + 5, p + 5), 1 if w is None else w)
    assert matrix.labels == tuple(range(-5, k - 5))
    np.testing.assert_allclose(matrix.counts, wanted, rtol=1e-13)
    if weighting != "importances":
        np.testing.assert_array_equal(matrix.counts, wanted)


#: Weights that are added up before their sum is compensated.
CHUNK = 1 << 13


def test_float_weights_are_summed_with_compensation() -> None:
    n = 1 << 20
    y, weights = np.zeros(n, dtype=int), np.full(n, 0.1)
    matrix = ConfusionMatrix.from_labels(y, y, labels=[0, 1], sample_weight=weights)
    exact = n * Fraction(0.1)
    error = abs(Fraction(matrix.tn) - exact)
    assert error <= Fraction(CHUNK, 2**53) * exact
    plain = Fraction(float(np.add.accumulate(weights)[-1]))  # what a running sum gives
    assert abs(plain - exact) > 100 * error


@pytest.mark.parametrize("large_at", [0, 1, 60, 123])
def test_no_small_weight_is_lost_beside_a_large_one(large_at) -> None:
    weights = np.zeros((124, CHUNK))
    weights[:, 0] = 1.0
    weights[large_at, 0] = 2.0**54  # whose neighbours are 4 away
    y = np.zeros(weights.size, dtype=int)
    matrix = ConfusionMatrix.from_labels(y, y, labels=[0, 1], sample_weight=weights.ravel())
    assert matrix.tn == float(2**54 + 123) == 2.0**54 + 124  # a loss of 1 would give 120


def test_extreme_weights_are_scaled_and_say_so() -> None:
    y, p = [0, 1, 1, 0], [0, 1, 0, 1]
    for power in (1000, -1000):
        weights = np.ldexp([1.0, 2, 3, 4], power)
        matrix = ConfusionMatrix.from_labels(y, p, sample_weight=weights)
        back = np.ldexp(matrix.counts, -matrix.weight_exponent)
        np.testing.assert_array_equal(back, np.ldexp([[1.0, 4], [3, 2]], power))
        assert f"weight_exponent={matrix.weight_exponent}" in repr(matrix)
        same = ConfusionMatrix.from_counts(back)
        assert np.ldexp(same.counts, -same.weight_exponent).tolist() == back.tolist()
        assert 2.0**-251 <= same.n <= 2.0**251
        with pytest.raises(ValueError, match="differently scaled weights"):
            matrix + ConfusionMatrix.from_labels(y, p)
        empty = ConfusionMatrix.from_counts([[0, 0], [0, 0]])
        assert empty + matrix == matrix == matrix + empty


# --- counts that are at hand -------------------------------------------------------------------


def test_from_counts() -> None:
    given_counts = np.array([[50, 10], [5, 35]])
    matrix = ConfusionMatrix.from_counts(given_counts, labels=["no", "yes"])
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn, matrix.n) == (35, 10, 5, 50, 100)
    assert {type(cell) for cell in (matrix.tp, matrix.n)} == {int}
    given_counts[0, 0] = 7
    assert matrix.tn == 50
    assert matrix == ConfusionMatrix.binary(tp=35, fp=10, fn=5, tn=50, labels=("no", "yes"))
    large = ConfusionMatrix.from_counts([[2**62, 0], [0, 2**62 - 1]])
    assert large.n == 2**63 - 1
    weighted = ConfusionMatrix.binary(tp=0.5, fp=1, fn=2, tn=3)
    assert weighted.is_weighted
    assert (weighted.tp, weighted.n) == (0.5, 6.5)
    assert ConfusionMatrix.from_counts(np.zeros((3, 3))).labels == (0, 1, 2)
    assert ConfusionMatrix.from_counts(pd.DataFrame([[1, 2], [3, 4]])).tp == 4


@pytest.mark.parametrize(
    ("counts", "labels", "error", "match"),
    [
        ([1, 2], None, ValueError, "must be a square matrix \\(K, K\\), K >= 1: got \\(2,\\)"),
        ([[1, 2]], None, ValueError, "got \\(1, 2\\)"),
        (np.zeros((0, 0)), None, ValueError, "got \\(0, 0\\)"),
        ([[1, -2], [-3, 4]], None, ValueError, "must not be negative: -2 at \\(0, 1\\), 2 in all"),
        ([[1, 2], [np.nan, 4]], None, ValueError, "must be finite: nan at \\(1, 0\\), 1 in all"),
        ([[True, False], [True, True]], None, TypeError, "must be integers"),
        ([["1", "2"], ["3", "4"]], None, TypeError, "must be integers"),
        ([[2**62, 2**62], [0, 0]], None, ValueError, "less than 2\\*\\*63"),
        ([[1, 2], [3, 4]], ["a"], ValueError, "`labels` must name 2 classes: got 1"),
        ([[1, 2], [3, 4]], ["a", "a"], ValueError, "'a' comes twice"),
        ([[1, 2], [3, 4]], ["a", None], ValueError, "`labels` contains 1 null"),
    ],
)
def test_counts_that_are_refused(counts, labels, error, match) -> None:
    with pytest.raises(error, match=match):
        ConfusionMatrix.from_counts(counts, labels)


def test_cells_that_are_refused() -> None:
    cells = {"tp": 1, "fp": 2, "fn": 3, "tn": 4}
    for name, wrong, error, match in (
        ("tp", True, TypeError, "`tp` must"),
        ("fn", "3", TypeError, "`fn` must"),
        ("tn", -1, ValueError, r"must not be negative: -1 at \(0, 0\)"),
    ):
        with pytest.raises(error, match=match):
            ConfusionMatrix.binary(**(cells | {name: wrong}))
    with pytest.raises(ValueError, match="must name 2 classes: got 3"):
        ConfusionMatrix.binary(**cells, labels=(0, 1, 2))


# --- merging, and being a value ----------------------------------------------------------------


def test_merging_refuses() -> None:
    one = ConfusionMatrix.from_labels([0, 1], [0, 1], labels=[0, 1])
    two = ConfusionMatrix.from_labels([0, 2, 3], [0, 2, 3], labels=[0, 2, 3])
    with pytest.raises(ValueError, match="1 only in the first; 2, 3 only in the second; pass the"):
        one + two
    with pytest.raises(ValueError, match="their order differs, \\(0, 1\\) and \\(1, 0\\)"):
        one + ConfusionMatrix.from_labels([0, 1], [0, 1], labels=[1, 0])
    large = ConfusionMatrix.binary(tp=2**62, fp=0, fn=0, tn=0)
    with pytest.raises(ValueError, match="less than 2\\*\\*63: got 9,223,372,036,854,775,808"):
        large + large
    for other in (1, None, one.counts.tolist()):
        with pytest.raises(TypeError, match="unsupported operand"):
            one + other
    assert (one + ConfusionMatrix.binary(tp=0.5, fp=0, fn=0, tn=0)).tp == 1.5


def test_it_is_a_value() -> None:
    matrix = ConfusionMatrix.from_labels([0, 1, 1], [0, 1, 0])
    assert matrix != ConfusionMatrix.from_labels([0, 1, 1], [0, 1, 1])
    assert matrix != ConfusionMatrix.from_counts(matrix.counts, labels=[5, 6])
    assert matrix != ConfusionMatrix.from_counts(matrix.counts.astype(float))
    assert matrix != "matrix"
    with pytest.raises(TypeError, match="unhashable"):
        hash(matrix)
    with pytest.raises(AttributeError, match="labels"):
        matrix.labels = (1, 2)


def test_cells_need_two_classes() -> None:
    for k, name in itertools.product((1, 3), ("tp", "fp", "fn", "tn")):
        matrix = ConfusionMatrix.from_counts(np.ones((k, k), dtype=int))
        with pytest.raises(
            ValueError, match=f"`{name}` is for two classes, and this matrix has {k}"
        ):
            getattr(matrix, name)


@pytest.mark.parametrize("weights", [None, [0.5, 1.5, 2.0]])
def test_numpy_takes_the_counts(weights: Any) -> None:
    matrix = ConfusionMatrix()
    matrix.update([0, 1, 2], [1, 1, 2], weights)
    counts = matrix.counts
    for array in (np.asarray(matrix), np.array(matrix)):
        assert array.dtype == counts.dtype
        assert np.array_equal(array, counts)
    assert np.asarray(matrix, np.float32).dtype == np.float32
    np.testing.assert_array_equal(matrix, counts)
    own = np.array(matrix)
    own[0, 0] = 99
    matrix.update([0], [0])
    assert matrix.counts[0, 0] == 1
    assert counts[0, 0] == 0


def test_an_array_of_the_counts_shares_them_and_cannot_change_them() -> None:
    matrix = ConfusionMatrix.binary(tp=1, fp=2, fn=3, tn=4)
    seen = np.asarray(matrix)
    assert np.shares_memory(seen, matrix.counts)
    with pytest.raises(ValueError, match="read-only"):
        seen[0, 0] = 1
    matrix.update([1], [1])
    assert seen[1, 1] == 1
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        assert np.array(matrix, copy=False)[1, 1] == 2
        with pytest.raises(ValueError, match="copy"):
            np.array(matrix, np.float64, copy=False)


def test_rows_given_to_the_constructor() -> None:
    with pytest.raises(TypeError, match=r"ConfusionMatrix\.from_labels\(y_true, y_pred\)"):
        ConfusionMatrix([0, 1], [1, 1])
