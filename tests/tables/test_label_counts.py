"""Pairs of labels counted into matrices and margins: every route, against a dictionary of pairs."""

import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastmetrics._threads.workers import at_most
from fastmetrics.tables.confusion import _label_counts
from fastmetrics.tables.confusion._label_counts import label_counts, label_matrix

N = 3_000

#: The labels that a column draws from, and their dtype.
LABELS: dict[str, tuple[list[Any], Any]] = {
    "two": ([0, 1], np.int8),
    "booleans": ([False, True], np.bool_),
    "few": ([-3, 0, 2, 7], np.int64),
    "a hundred": (list(range(-40, 60)), np.int32),
    "far apart": ([-5, 3, 10**9], np.int64),
    "above int64": ([3, 2**63, 2**64 - 1], np.uint64),
    "whole floats": ([-1.0, 0.0, 4.0], np.float64),
    "large floats": ([-(2.0**70), 0.0, 2.0**70], np.float64),
    "texts": (["b", "ab", "", "c"], np.str_),
}


def pairs_by_hand(true: Any, predicted: Any, weights: Any) -> tuple[list[Any], dict[Any, Fraction]]:
    """Return the labels that occur, sorted, and the sum of weights of each pair of them."""
    sums: dict[Any, Fraction] = defaultdict(Fraction)
    rows = list(zip(true.tolist(), predicted.tolist(), strict=True))
    of_rows = [1] * len(rows) if weights is None else weights.tolist()
    for pair, weight in zip(rows, of_rows, strict=True):
        sums[pair] += Fraction(weight)
    return sorted({label for pair in rows for label in pair}), sums


def drawn(rng: np.random.Generator, kind: str) -> Any:
    labels, dtype = LABELS[kind]
    return np.array(labels, dtype=dtype)[rng.integers(0, len(labels), N)]


def weights_of(rng: np.random.Generator, weighting: str) -> Any:
    if weighting == "none":
        return None
    return rng.integers(0, 4, N) if weighting == "counts" else rng.integers(0, 64, N) / 16


def judge(true: Any, predicted: Any, weights: Any) -> None:
    labels, sums = pairs_by_hand(true, predicted, weights)
    matrix = label_matrix(true, predicted, sample_weight=weights)
    assert list(matrix.labels) == labels
    assert matrix.counts.tolist() == [[sums[a, b] for b in labels] for a in labels]
    names, counts, _ = label_counts(true, predicted, sample_weight=weights)
    assert names.tolist() == labels
    assert counts.hits.tolist() == [sums[a, a] for a in labels]
    assert counts.true.tolist() == [sum(sums[a, b] for b in labels) for a in labels]
    assert counts.predicted.tolist() == [sum(sums[b, a] for b in labels) for a in labels]


@pytest.mark.pairwise
@pytest.mark.parametrize("weighting", ["none", "counts", "shares"])
@pytest.mark.parametrize("kind", LABELS)
def test_every_pair_is_counted(rng, kind: str, weighting: str) -> None:
    judge(drawn(rng, kind), drawn(rng, kind), weights_of(rng, weighting))


@pytest.mark.parametrize("kinds", [("two", "few"), ("a hundred", "far apart"), ("few", "booleans")])
def test_columns_of_two_dtypes(rng, kinds: tuple[str, str]) -> None:
    one, other = (drawn(rng, kind) for kind in kinds)
    judge(one, other, None)
    judge(other, one, None)


@pytest.mark.parametrize("late", [9, 70, 300, 10**12])
def test_a_label_that_the_first_rows_do_not_suggest(rng, late: int) -> None:
    true, predicted = drawn(rng, "few"), drawn(rng, "few")
    true[2_999] = late  # not one of the rows that are looked at first
    judge(true, predicted, None)
    judge(predicted, true, None)


def test_labels_of_rows_without_weight_occur() -> None:
    true, predicted = np.array([1, 4, 1]), np.array([1, 1, 6])
    judge(true, predicted, np.array([2, 0, 0]))
    judge(true.astype(str), predicted.astype(str), np.array([0.5, 0.0, 0.0]))


# --- the shortest way ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_plain_arrays_of_0_and_1(rng, dtype) -> None:
    true, predicted = rng.integers(0, 2, (2, 50)).astype(dtype)
    _, sums = pairs_by_hand(true, predicted, None)
    want = sums[0, 0], sums[0, 1], sums[1, 0], sums[1, 1]
    assert _label_counts.cells_of_plain(true, predicted) == want


def test_what_is_not_plain_is_left_to_others() -> None:
    y = np.array([0, 1, 1])
    assert _label_counts.cells_of_plain(y, y) == (1, 0, 0, 2)
    others = [
        *((y.tolist(), y), (y, y.tolist()), (y[:0], y[:0]), (y, y[:2]), (y[:, None], y[:, None])),
        *((y, y.astype(dtype)) for dtype in (np.int8, np.int32, np.uint8, np.float64, bool)),
        *((y.astype(dtype),) * 2 for dtype in (np.int16, np.uint8, np.float64, bool, ">i8")),
        *((np.repeat(y, 2)[::2], y), (y, np.repeat(y, 2)[::2]), (y, 2 * y), (y - 1, y - 1)),
        (np.zeros(1 << 17, np.int8),) * 2,  # threads pay
    ]
    for true, predicted in others:
        assert _label_counts.cells_of_plain(true, predicted) is None


class Rows:
    """Very many rows, of which only the number is known."""

    dtype = np.dtype(np.int8)

    def __len__(self) -> int:
        return 2**33


def test_no_cell_of_a_thread_can_overflow(monkeypatch) -> None:
    """All rows may be of one cell, and a thread's cells are int32."""
    parts = []
    monkeypatch.setattr(
        _label_counts._workers, "run", lambda jobs: parts.extend(job.args for job in jobs) or []
    )
    with at_most(2):
        _label_counts._on_threads(lambda *_: True, Rows(), Rows(), 4)
    assert [parts[0][0], parts[-1][1]] == [0, 2**33]
    assert all(one[1] == other[0] for one, other in itertools.pairwise(parts))
    assert max(stop - start for start, stop in parts) <= np.iinfo(np.int32).max
