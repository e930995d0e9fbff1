"""A sparse ``ConfusionMatrix``: very many classes, the pairs that occur, and the same answers."""

from __future__ import annotations

import itertools
import sys
from collections import Counter

import numpy as np
import pytest
from confusion_samples import KINDS, batches, columns, dense, whole
from hypothesis import given
from scipy.sparse import csr_array

from fastmetrics import ConfusionMatrix, matthews_corrcoef
from grids import few_examples

MANY = 20_000


def random_text(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.array([f"class {k:x}" for k in rng.integers(0, MANY, n)])


@pytest.mark.parametrize(
    ("kind", "weighted"),
    [
        ("text", True),
        ("objects", False),
        ("numbers", False),
        ("numbers", True),
        ("far apart", True),
    ],
)
def test_more_classes_than_a_dense_matrix_takes(rng, kind, weighted) -> None:
    matrix, wanted = ConfusionMatrix(sparse=True), Counter()
    for n in (30_000, 1, 25_000):
        if kind in ("text", "objects"):
            y, p = random_text(rng, n), random_text(rng, n)
            if kind == "objects":
                y, p = y.astype(object), p.astype(object)
        else:
            y, p = rng.integers(0, MANY, (2, n)) * (2**40 if kind == "far apart" else 1)
        p = np.where(rng.random(n) < 0.5, y, p)
        w = rng.integers(1, 9, n) / 8 if weighted else np.ones(n)
        matrix.update(y, p, w if weighted else None)
        for row in zip(y.tolist(), p.tolist(), w.tolist(), strict=True):
            wanted[row[:2]] += row[2]
    labels = sorted({label for pair in wanted for label in pair})
    assert len(labels) > 1 << 14
    assert matrix.labels == tuple(labels)
    counts = matrix.counts
    assert isinstance(counts, csr_array)
    assert counts.shape == (len(labels), len(labels))
    assert counts.dtype == (np.float64 if weighted else np.int64)
    rows, names = counts.nonzero()
    found = zip(rows.tolist(), names.tolist(), counts[rows, names].tolist(), strict=True)
    assert {(labels[i], labels[j]): cell for i, j, cell in found} == wanted
    assert matrix.n == sum(wanted.values())
    hits = sum(weight for (y, p), weight in wanted.items() if y == p)
    assert matrix.margins.hits.sum() == hits
    assert repr(matrix).startswith(f"ConfusionMatrix({len(labels):,} classes ")
    assert f"<caption>ConfusionMatrix({len(labels):,} classes" in matrix._repr_html_()
    assert len(str(matrix).splitlines()) < 40
    turned = matrix.reversed()
    assert turned.labels == matrix.labels[::-1]
    assert (turned.counts[::-1, ::-1] != counts).nnz == 0
    assert turned.margins.true.tolist() == matrix.margins.true[::-1].tolist()


def test_a_dense_matrix_of_so_many_says_what_to_do(rng) -> None:
    few, many = ConfusionMatrix(), random_text(rng, 60_000)
    with pytest.raises(ValueError, match="at most 16,384 make a matrix"):
        few.update(many, many)
    assert few.n == 0
    big = ConfusionMatrix(sparse=True)
    big.update(many, many)
    with pytest.raises(ValueError, match=r"make a dense matrix.*`sparse=True`"):
        few.merge(big)
    assert few == ConfusionMatrix()
    total = big + few
    assert (total.n, total.is_sparse) == (60_000, True)
    with pytest.raises(ValueError, match="at most 16,384"):
        matthews_corrcoef(big)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:A single label was found")
@few_examples
@given(batches(KINDS["few integers"][0], weighted=True))
def test_it_is_what_the_dense_one_is(kind, some) -> None:
    names = {
        "few integers": [0, 1, 2, 3],
        "negative integers": [-128, -1, 0, 127],
        "far apart": [-(2**63), -5, 3, 2**63 - 1],
        "unsigned": [0, 3, 2**63, 2**64 - 1],
        "zeros and ones": [0, 1, 1, 0],
        "signs": [-1, 1, -1, -1],
        "booleans": [True, False, False, True],
        "floats": [-2.0, 0.0, 3.0, 1e300],
        "text": ["b", "a", "", " a"],
        "objects": ["b", "b\0", "", "\0"],
    }[kind]
    some = [[(names[t], names[p], w) for t, p, w in rows] for rows in some]
    make = KINDS[kind][1]
    one, other = ConfusionMatrix(), ConfusionMatrix(sparse=True)
    for rows in some:
        y, p, w = columns(rows, make)
        one.update(y, p, w)
        other.update(y, p, w)
    assert one.labels == other.labels
    assert one.counts.tolist() == other.counts.toarray().tolist()
    assert one != other, "they are kept differently"
    assert [each.tolist() for each in one.margins] == [each.tolist() for each in other.margins]
    assert repr(one) == repr(other)
    assert one._repr_html_() == other._repr_html_()
    if len(one.labels) == 2:
        assert all(getattr(one, cell) == getattr(other, cell) for cell in ("tp", "fp", "fn", "tn"))
    assert matthews_corrcoef(one) == matthews_corrcoef(other)
    y, p, w = columns(whole(some), make)
    assert dense(ConfusionMatrix.from_labels(y, p, sample_weight=w)).tolist() == one.counts.tolist()


def test_memory_goes_with_the_pairs_that_occur() -> None:
    matrix = ConfusionMatrix(range(1_000_000), sparse=True)
    matrix.update([0, 999_999], [999_999, 5])
    store = matrix._state.now.store
    assert sum(map(sys.getsizeof, (store.keys, store.sums))) < 1_000
    assert matrix.counts.nnz == 2
    assert matrix.counts[999_999, 5] == 1


@pytest.mark.parametrize("n", [1, 40, 3_000])
def test_given_labels(rng, n) -> None:
    order = rng.permutation(50).tolist()
    y, p = rng.choice(order, (2, n))
    one, other = ConfusionMatrix(order), ConfusionMatrix(order, sparse=True)
    for matrix in (one, other):
        matrix.update(y, p)
        matrix.update(y, p, np.full(n, 0.25))
    assert one.counts.tolist() == other.counts.toarray().tolist()
    assert one.labels == other.labels == tuple(order)


def test_equality_looks_at_every_pair() -> None:
    rows = [("a", "b"), ("b", "b"), ("c", "a")]
    for changed in range(3):
        one, other = (
            ConfusionMatrix(list("abc"), sparse=True),
            ConfusionMatrix(list("abc"), sparse=True),
        )
        one.update(*zip(*rows, strict=True))
        assert one != other
        other.update(*zip(*[row for k, row in enumerate(rows) if k != changed], strict=True))
        assert one != other
        other.update(*[[label] for label in rows[changed]])
        assert one == other
    for a, b in itertools.combinations(
        (ConfusionMatrix(["a"], sparse=True), ConfusionMatrix(sparse=True), ConfusionMatrix()), 2
    ):
        assert a != b
