"""Which items are shown, and how alike they are: compiled, plain Python, brute force."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from kernel_forms import FORMS, forms

from fastmetrics._kernels.ranking import shown_items as kernels
from reference import catalogue_oracle as oracle

STARTS = np.array([0, 1, 8, 8, 20])


def chances(form: Any, scores: Any, k: int, by_name: bool) -> tuple[int, np.ndarray]:
    found = np.full(len(scores), -7.0)
    return form(kernels.chances_of_first)(scores, STARTS, 0, 4, k, by_name, found), found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64])
@pytest.mark.parametrize("k", [1, 2, 5, 11, 12])
@pytest.mark.parametrize("by_name", [False, True])
def test_chances_to_be_shown(form, dtype, k, by_name, rng) -> None:
    scores = rng.integers(0, 4, 20).astype(dtype)
    unruly, found = chances(form, scores, k, by_name)
    assert unruly == 0
    for start, stop in itertools.pairwise(STARTS):
        query = [(row, int(scores[row])) for row in range(start, stop)]
        ways = oracle.shown(query, k, "trec_eval" if by_name else "expected")
        for row in range(start, stop):
            assert found[row] == pytest.approx(sum(row in way for way in ways) / len(ways))


@pytest.mark.parametrize("form", FORMS)
def test_scores_that_are_not_finite_are_counted(form) -> None:
    scores = np.arange(20.0)
    scores[[0, 3, 19]] = np.nan, np.inf, -np.inf
    assert chances(form, scores, 2, False)[0] == 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [1, 2, 3, 5, 6, 12])
def test_distances_of_what_is_shown(form, k, rng) -> None:
    scores, items = rng.integers(0, 3, 20), rng.permutation(20)
    units = rng.normal(size=(20, 3))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    distances = 1 - units @ units.T
    _, share = chances(form, scores * 1.0, k, False)
    shown = np.minimum(np.diff(STARTS), k)
    found = []
    for name, described in (("cosines_of_pairs", units), ("distances_of_pairs", distances)):
        # what cannot be shown is not there
        may_be = share > 0
        starts = np.append(0, np.cumsum(may_be))[STARTS]
        values = np.full(4, -7.0)
        form(getattr(kernels, name))(
            0, 4, starts, items[may_be], share[may_be], shown, described, values
        )
        found.append(values)
    for q, (start, stop) in enumerate(itertools.pairwise(STARTS)):
        query = [(int(items[row]), int(scores[row])) for row in range(start, stop)]
        right = oracle.diversity(query, lambda a, b: distances[a, b], k, "expected")
        for values in found:
            expected = np.nan if right is None else right
            assert values[q] == pytest.approx(expected, rel=1e-13, nan_ok=True)


@pytest.mark.parametrize("sift", forms(kernels.sift_down))
def test_a_value_sinks_below_all_that_is_less(sift) -> None:
    heap = np.array([0.0, 2.0, 1.0, 5.0, 3.0, 4.0])
    sift(heap, 0, 6, 9.0)
    assert heap.tolist() == [1, 2, 4, 5, 3, 9]
    sift(heap, 1, 6, 2.0)
    assert heap.tolist() == [1, 2, 4, 5, 3, 9]


@pytest.mark.parametrize("sift", forms(kernels.sift_down))
@pytest.mark.parametrize("size", range(1, 6))
def test_no_place_of_a_heap_is_more_than_those_below_it(sift, size) -> None:
    for order in itertools.permutations(range(size)):
        below = [(place, (place - 1) // 2) for place in range(1, size)]
        if any(order[parent] > order[place] for place, parent in below):
            continue  # no heap before either
        for value in np.arange(size + 1) - 0.5:
            heap = np.array(order, np.float64)
            sift(heap, 0, size, value)
            assert sorted(heap) == sorted([*order[1:], value])
            assert all(heap[parent] <= heap[place] for place, parent in below)
