"""Labels of every kind, cut into batches, and confusion matrices of them by definition."""

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fastmetrics import ConfusionMatrix
from reference import count_oracle as oracle

#: A strategy of labels by kind, and what makes a column of a list of them.
KINDS: dict[str, tuple[Any, Any]] = {
    "few integers": (st.integers(0, 3), np.array),
    "negative integers": (st.sampled_from([-128, -1, 0, 127]), lambda y: np.array(y, np.int8)),
    "far apart": (st.sampled_from([-(2**63), -5, 3, 2**63 - 1]), np.array),
    "unsigned": (st.sampled_from([0, 3, 2**63, 2**64 - 1]), lambda y: np.array(y, np.uint64)),
    "zeros and ones": (st.integers(0, 1), lambda y: np.array(y, np.int32)),
    "signs": (st.sampled_from([-1, 1]), list),
    "booleans": (st.booleans(), list),
    "floats": (st.sampled_from([-2.0, 0.0, -0.0, 3.0, 1e300]), np.array),
    "text": (st.sampled_from(["b", "a", "", "Z", "ab", " a", "caf\u00e9"]), np.array),
    "objects": (st.sampled_from(["b", "b\0b", "", "\0a", "a"]), lambda y: np.array(y, object)),
}


@st.composite
def batches(draw: Any, labels: Any, *, weighted: bool = False) -> list[list[tuple[Any, Any, int]]]:
    """Return rows (true, predicted, weight in eighths) in batches; some weight in each of them."""
    weight = st.integers(0, 24) if weighted else st.just(8)
    rows = st.lists(st.tuples(labels, labels, weight), min_size=1, max_size=8)
    filled = rows.filter(lambda some: any(w for *_, w in some))
    return draw(st.lists(filled, min_size=1, max_size=6))


def columns(rows: list[tuple[Any, Any, int]], make: Any = list) -> tuple[Any, Any, list[int]]:
    true, predicted, weights = zip(*rows, strict=True)
    return make(list(true)), make(list(predicted)), list(weights)


def whole(some: list[list[Any]]) -> list[Any]:
    return list(itertools.chain.from_iterable(some))


def check(matrix: ConfusionMatrix, rows: list[tuple[Any, Any, Any]], *, scale: int = 1) -> None:
    """Compare with rows counted by definition; their weights are ``scale`` times the true ones."""
    true, predicted, weights = zip(*rows, strict=True)
    exact = oracle.rows_of(true, predicted, weights)
    counts = matrix.counts
    assert (counts * scale).tolist() == oracle.matrix(exact, matrix.labels)
    assert (matrix.margins.true * scale).tolist() == (counts.sum(axis=1) * scale).tolist()
    assert matrix.margins.predicted.tolist() == counts.sum(axis=0).tolist()
    assert matrix.margins.hits.tolist() == counts.diagonal().tolist()
    assert matrix.n * scale == sum(weights)
    assert {label for *pair, weight in rows if weight for label in pair} <= set(matrix.labels)


def state(matrix: ConfusionMatrix) -> tuple[Any, ...]:
    """Return all that is to be seen of a matrix."""
    counts = matrix.counts
    kinds = tuple(map(type, matrix.labels))
    return (
        matrix.labels,
        kinds,
        counts.dtype,
        counts.tobytes(),
        matrix.n,
        matrix.weight_exponent,
        matrix._is_fixed,
        matrix.is_weighted,
        repr(matrix),
    )
