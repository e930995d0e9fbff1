"""Stacks of confusion matrices: how they are made, what they hold, what they refuse."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, strategies as st

from fastmetrics import ConfusionMatrix
from fastmetrics.streams import ConfusionMatrixStack

squares = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k)
)


@given(squares)
def test_one_vs_rest_by_counting_pairs(cells) -> None:
    stack = ConfusionMatrixStack.one_vs_rest(ConfusionMatrix.from_counts(cells))
    for k, matrix in enumerate(stack.counts.tolist()):
        wanted = [[0, 0], [0, 0]]
        for i, line in enumerate(cells):
            for j, count in enumerate(line):
                wanted[i == k][j == k] += count
        assert matrix == wanted
    assert stack.names == tuple(range(len(cells)))
    assert stack.counts.dtype == np.int64


@pytest.mark.parametrize("weighting", ["counts", "importances"])
def test_one_vs_rest_is_scikit_learns_multilabel_confusion_matrix(rng, weighting) -> None:
    y, p = rng.integers(0, 6, 300), rng.integers(0, 6, 300)
    w = rng.integers(0, 4, 300) if weighting == "counts" else rng.random(300)
    names = np.array(list("abcdef"))
    matrix = ConfusionMatrix.from_labels(names[y], names[p], sample_weight=w)
    stack = ConfusionMatrixStack.one_vs_rest(matrix)
    wanted = sk.multilabel_confusion_matrix(names[y], names[p], sample_weight=w)
    np.testing.assert_allclose(stack.counts, wanted, rtol=1e-12)
    assert stack.names == tuple("abcdef")
    assert stack["c"].counts.tolist() == stack.counts[2].tolist()
    assert stack.is_weighted == (weighting == "importances")


def test_a_class_with_almost_all_the_weight_costs_the_others_nothing() -> None:
    # by subtraction the true negatives of class 0 would be 0
    matrix = ConfusionMatrix.from_counts([[1e17, 1.0, 0.0], [2.0, 3.0, 0.5], [0.0, 0.25, 1.0]])
    assert ConfusionMatrixStack.one_vs_rest(matrix).tn[0] == 4.75


def test_sums_and_cells() -> None:
    stack = ConfusionMatrixStack.from_counts([[[1, 2], [3, 4]], [[10, 20], [30, 40]]])
    assert (stack.tn.tolist(), stack.fp.tolist()) == ([1, 10], [2, 20])
    assert (stack.fn.tolist(), stack.tp.tolist()) == ([3, 30], [4, 40])
    total = stack.sum()
    assert total == ConfusionMatrix.binary(tn=11, fp=22, fn=33, tp=44)
    assert len(stack) == 2
    assert sum(stack) == total
    assert [matrix.tp for matrix in stack] == [4, 40]
    total.update([1], [1])  # a matrix of its own
    assert stack.sum().tp == 44


@pytest.mark.parametrize("labels", [(0, 1), ("well", "ill"), (False, True)])
def test_from_matrices_keeps_shared_labels(labels) -> None:
    a = ConfusionMatrix.binary(tp=1, fp=2, fn=3, tn=4, labels=labels)
    b = ConfusionMatrix.binary(tp=5, fp=6, fn=7, tn=8, labels=labels)
    stack = ConfusionMatrixStack.from_matrices([a, b], names=["a", "b"])
    assert stack.labels == labels
    assert list(stack) == [a, b]
    assert stack.sum() == a + b
    assert ConfusionMatrixStack.from_matrices({"a": a, "b": b}) == stack
    a.update([labels[1]], [labels[1]])
    assert stack["a"].tp == 1


def test_from_matrices_of_other_labels_and_of_weights() -> None:
    a = ConfusionMatrix.binary(tp=1, fp=2, fn=3, tn=4, labels=["no", "yes"])
    b = ConfusionMatrix.binary(tp=0.5, fp=6, fn=7, tn=8)
    stack = ConfusionMatrixStack.from_matrices([a, b])
    assert stack.labels == (0, 1)
    assert stack.is_weighted
    assert stack.sum().counts.tolist() == [[12, 8], [10, 1.5]]


def test_extreme_weights_keep_their_scale() -> None:
    matrix = ConfusionMatrix.from_labels([0, 1, 1], [1, 1, 0], sample_weight=[1e300] * 3)
    assert matrix.weight_exponent != 0
    stack = ConfusionMatrixStack.from_matrices([matrix, matrix])
    assert stack.weight_exponent == matrix.weight_exponent
    assert stack.sum() == matrix + matrix
    assert ConfusionMatrixStack.one_vs_rest(matrix).weight_exponent == matrix.weight_exponent
    tiny = ConfusionMatrixStack.from_counts(np.full((2, 2, 2), 1e-300))
    assert tiny.weight_exponent > 0
    assert "weight_exponent" in repr(tiny)
    other = ConfusionMatrix.from_labels([0, 1], [1, 1], sample_weight=[0.5, 0.5])
    with pytest.raises(ValueError, match="differently scaled weights"):
        ConfusionMatrixStack.from_matrices([matrix, other])


def test_it_is_frozen_and_travels() -> None:
    counts = np.array([[[1, 2], [3, 4]]])
    stack = ConfusionMatrixStack.from_counts(counts, names=["only"])
    with pytest.raises(ValueError, match="read-only"):
        stack.counts[0, 0, 0] = 7
    with pytest.raises(AttributeError, match="names"):
        stack.names = ("other",)
    counts[0, 0, 0] = 9
    assert stack.tn.tolist() == [1]
    for other in (pickle.loads(pickle.dumps(stack)), copy.deepcopy(stack)):
        assert other == stack
        assert not other.counts.flags.writeable
    assert stack != ConfusionMatrixStack.from_counts([[[1, 2], [3, 4]]])
    assert stack != ConfusionMatrixStack.from_counts([[[1.0, 2], [3, 4]]], names=["only"])
    assert stack != "a stack"
    with pytest.raises(TypeError, match="unhashable"):
        hash(stack)


@pytest.mark.parametrize("dtype", ["<i8", "<f8", ">f8", "<u2"])
def test_the_constructor_checks_and_owns(dtype: str) -> None:
    counts = np.arange(1, 9).reshape(2, 2, 2).astype(dtype)
    stack = ConfusionMatrixStack(counts, ("a", "b"), ("no", "yes"))
    assert stack.counts.tolist() == counts.tolist()
    assert MAKE(counts, ("a", "b")) == MAKE.from_counts(counts, names=["a", "b"])
    assert dataclasses.replace(stack, names=("c", "d")).names == ("c", "d")
    assert not stack.counts.flags.writeable
    assert not np.may_share_memory(stack.counts, counts)
    stack.sum().update(["yes"], ["yes"])
    stack["a"].update(["yes"], ["yes"])
    assert stack.counts.tolist() == counts.tolist()
    huge = MAKE.from_counts(np.full((1, 2, 2), 1e300))
    assert MAKE(np.full((1, 2, 2), 1e300), (0,)) == huge == dataclasses.replace(huge)


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ((np.ones((2, 2, 2)), ("a",)), ValueError, "`names` must name 2 matrices: got 1"),
        ((np.ones((1, 2, 2)), ("a",), (0, 1, 2)), ValueError, "`labels` must name 2 classes"),
        ((np.ones((1, 2, 2)), ("a",), (1, 1)), ValueError, "`labels` must be distinct"),
        ((np.ones((1, 2, 2)), ("a",), (0, 1), 1.0), TypeError, "`weight_exponent` must be an int"),
    ],
)
def test_what_the_constructor_refuses(fields: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ConfusionMatrixStack(*fields)


def test_repr() -> None:
    stack = ConfusionMatrixStack.from_counts(np.ones((1, 2, 2), int))
    assert repr(stack) == "ConfusionMatrixStack(1 matrix 0; n=4)"
    stack = ConfusionMatrixStack.from_counts(np.ones((7, 2, 2), int), names="abcdefg")
    assert repr(stack) == "ConfusionMatrixStack(7 matrices 'a', 'b', 'c', 'd', ...; n=28)"


def test_an_empty_matrix_is_a_member() -> None:
    stack = ConfusionMatrixStack.from_matrices([ConfusionMatrix(), ConfusionMatrix([0, 1])])
    assert stack.sum().n == 0
    assert not stack.is_weighted


TWO = ConfusionMatrix.binary(tp=1, fp=2, fn=3, tn=4)
BIG = ConfusionMatrix.binary(tp=2**62, fp=0, fn=0, tn=0)
MAKE = ConfusionMatrixStack


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: MAKE.from_matrices([]), ValueError, "`matrices` is empty"),
        (lambda: MAKE.from_matrices([TWO, 3]), TypeError, "got int at 1"),
        (
            lambda: MAKE.from_matrices([ConfusionMatrix.from_counts(np.eye(3))]),
            ValueError,
            "the one at 0 has 3: see ConfusionMatrixStack.one_vs_rest",
        ),
        (lambda: MAKE.from_matrices([TWO, TWO.reversed()]), ValueError, "1 at 0 and 0 at 1"),
        (lambda: MAKE.from_matrices([BIG, BIG]), ValueError, "less than 2\\*\\*63"),
        (lambda: MAKE.from_matrices({"a": TWO}, names=["b"]), TypeError, "a mapping names its"),
        (lambda: MAKE.from_matrices([TWO], names=["a", "b"]), ValueError, "1 matrices: got 2"),
        (lambda: MAKE.from_matrices([TWO] * 2, names=["a", "a"]), ValueError, "'a' comes twice"),
        (lambda: MAKE.one_vs_rest([[1, 2], [3, 4]]), TypeError, "must be a ConfusionMatrix"),
        (lambda: MAKE.from_counts([[1, 2], [3, 4]]), ValueError, "\\(n, 2, 2\\), n >= 1"),
        (lambda: MAKE.from_counts(np.zeros((0, 2, 2))), ValueError, "n >= 1"),
        (lambda: MAKE.from_counts([[[1, 2], [3, -4]]]), ValueError, "-4 at \\(0, 1, 1\\)"),
        (lambda: MAKE.from_counts([[[1, 2], [3, np.nan]]]), ValueError, "must be finite: nan"),
        (lambda: MAKE.from_counts(np.ones((1, 2, 2), bool)), TypeError, "must be integers"),
        (lambda: MAKE.from_counts([[[2**62, 0], [0, 2**62]]]), ValueError, "less than 2\\*\\*63"),
    ],
)
def test_refusals(call, error, match) -> None:
    with pytest.raises(error, match=match):
        call()


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="'z': the matrices are 'a'"):
        MAKE.from_counts([[[1, 2], [3, 4]]], names=["a"])["z"]
