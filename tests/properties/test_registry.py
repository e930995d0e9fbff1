"""Each measure of the registry against its oracle, its peer, and the laws that it must obey."""

from __future__ import annotations

import functools
import operator

import numpy as np
import pytest
from hypothesis import find, given, strategies as st
from samples import arrays, assert_close, assert_same, fast, samples, undefined_is_fine

import registry
from reference import oracles
from reference.oracles import Sample
from registry import MEASURES, Measure

by_name = functools.partial(pytest.mark.parametrize, "measure", ids=lambda m: m.name)
every_measure = by_name(MEASURES)
fractional_measures = by_name([m for m in MEASURES if "quarters" in m.weights])


def having(name: str) -> pytest.MarkDecorator:
    return by_name([m for m in MEASURES if name in m.properties])


def drawn(data: st.DataObject, measure: Measure, weights: str = "none", **more: bool) -> Sample:
    if weights not in measure.weights:
        weights = "none"
    return data.draw(samples(each=measure.rows_of_each_class, weights=weights, **more))


def test_names_are_unique() -> None:
    names = [measure.name for measure in MEASURES]
    assert len(names) == len(set(names))


def ties_win(labels: np.ndarray, scores: np.ndarray) -> float:
    """AUC with a mistake: a tie counts as a win."""
    above = scores[labels == 1, None] >= scores[None, labels == 0]
    return float(above.mean())


def test_a_mistake_about_ties_would_be_found() -> None:
    def differs(sample: Sample) -> bool:
        labels, scores, _ = arrays(sample)
        return ties_win(labels, scores) != float(oracles.roc_auc(sample)[0])

    assert len(find(samples(), differs).labels) == 2


@every_measure
@given(data=st.data())
def test_is_what_the_definition_says(measure: Measure, data: st.DataObject) -> None:
    weights = data.draw(st.sampled_from(["none", "counts", "quarters"]))
    sample = drawn(data, measure, weights)
    found, right = fast(measure, *arrays(sample)), measure.oracle(sample)
    if measure.exact and weights != "quarters":
        assert_same(measure, found, right)
    else:
        assert_close(measure, found, right, weighted=weights == "quarters")


@by_name([m for m in MEASURES if m.peer is not None])
@given(data=st.data())
def test_agrees_with_its_peer(measure: Measure, data: st.DataObject) -> None:
    weights = data.draw(st.sampled_from(["none", "counts", "quarters"]))
    sample = drawn(data, measure, weights)
    found = fast(measure, *arrays(sample))
    with undefined_is_fine():
        other = measure.by_peer(*arrays(sample))
    assert_close(measure, found, other, weighted=weights == "quarters")


@having(registry.ROW_ORDER)
@given(data=st.data())
def test_row_order_does_not_matter(measure: Measure, data: st.DataObject) -> None:
    sample = drawn(data, measure, data.draw(st.sampled_from(["none", "counts"])))
    order = np.array(data.draw(st.permutations(range(len(sample.labels)))))
    labels, scores, weights = arrays(sample)
    moved = fast(measure, labels[order], scores[order], None if weights is None else weights[order])
    assert_same(measure, fast(measure, labels, scores, weights), moved)


@having(registry.MONOTONE)
@given(data=st.data())
def test_only_the_order_of_scores_matters(measure: Measure, data: st.DataObject) -> None:
    labels, scores, weights = arrays(drawn(data, measure, "counts"))
    ranks = np.unique(scores, return_inverse=True)[1].astype(np.int64)
    found = fast(measure, labels, scores, weights)
    for other in (2**60 + 3 * ranks, np.exp(ranks / 8.0), -1.0 / (1 + ranks)):
        assert_same(measure, found, fast(measure, labels, other, weights), keep_thresholds=False)


@having(registry.WEIGHT_UNIT)
@given(data=st.data())
def test_weights_have_no_unit(measure: Measure, data: st.DataObject) -> None:
    labels, scores, weights = arrays(drawn(data, measure, "quarters"))
    found = fast(measure, labels, scores, weights)
    assert weights is not None
    assert_same(measure, found, fast(measure, labels, scores, weights * 2.0**40))


@having(registry.WEIGHT_2)
@given(data=st.data())
def test_weight_2_is_a_duplicate(measure: Measure, data: st.DataObject) -> None:
    labels, scores, weights = arrays(drawn(data, measure, "counts"))
    assert weights is not None
    repeated = fast(measure, np.repeat(labels, weights), np.repeat(scores, weights))
    assert_same(measure, fast(measure, labels, scores, weights), repeated)
    if "quarters" in measure.weights:
        floats = fast(measure, labels, scores, weights.astype(np.float64))
        assert_close(measure, floats, repeated, weighted=True)


@having(registry.WEIGHT_0)
@given(data=st.data())
def test_weight_0_is_absent(measure: Measure, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(measure.weights))
    labels, scores, weights = arrays(drawn(data, measure, kind))
    assert weights is not None
    there = weights > 0
    less = fast(measure, labels[there], scores[there], weights[there])
    assert_same(measure, fast(measure, labels, scores, weights), less)


@having(registry.MERGE_SPLIT)
@given(data=st.data())
def test_parts_add_up_to_the_whole(measure: Measure, data: st.DataObject) -> None:
    from fastmetrics import ScoreTable

    labels, scores, weights = arrays(drawn(data, measure, "counts"))
    part = np.array([data.draw(st.integers(0, 2)) for _ in labels])
    tables = [
        ScoreTable.from_scores(
            labels[part == k],
            scores[part == k],
            sample_weight=None if weights is None else weights[part == k],
        )
        for k in range(3)
        if (part == k).any() and (weights is None or weights[part == k].any())
    ]
    whole = functools.reduce(operator.add, tables)
    assert_same(measure, fast(measure, whole), fast(measure, labels, scores, weights))


@having(registry.SWAP_COMPLEMENT)
@given(data=st.data())
def test_swapped_classes_give_the_complement(measure: Measure, data: st.DataObject) -> None:
    labels, scores, weights = arrays(drawn(data, measure, "counts"))
    swapped = fast(measure, 1 - labels, scores, weights)[0]
    assert swapped == pytest.approx(1 - fast(measure, labels, scores, weights)[0], abs=2**-52)


@having(registry.SWAP_SAME)
@given(data=st.data())
def test_swapped_classes_change_nothing(measure: Measure, data: st.DataObject) -> None:
    labels, scores, weights = arrays(drawn(data, measure, "counts"))
    swapped = fast(measure, 1 - labels, scores, weights)[0]
    assert swapped == fast(measure, labels, scores, weights)[0]


@having(registry.SWAP_MIRROR)
@given(data=st.data())
def test_swapped_classes_and_signs_change_nothing(measure: Measure, data: st.DataObject) -> None:
    labels, scores, weights = arrays(drawn(data, measure, "counts"))
    mirrored = fast(measure, 1 - labels, -scores, weights)[0]
    assert mirrored == fast(measure, labels, scores, weights)[0]


@every_measure
@given(data=st.data())
def test_dtypes_change_nothing(measure: Measure, data: st.DataObject) -> None:
    labels, scores, weights = arrays(drawn(data, measure, "counts", grid=True))
    found = fast(measure, labels, scores.astype(np.float64), weights)
    for kind in (np.float32, np.float16, np.int64, np.uint64, np.int8, ">f8"):
        assert_same(measure, found, fast(measure, labels, scores.astype(kind), weights))
    for kind in (bool, np.int64, np.uint8, np.float64, np.float32):
        other = fast(measure, labels.astype(kind), scores.astype(np.float64), weights)
        assert_same(measure, found, other)
    assert_same(measure, found, fast(measure, 2 * labels - 1, scores.astype(np.float64), weights))


@pytest.fixture(scope="module", params=["smooth", "three decimals", "one score", "clustered"])
def many(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows enough for every path of the sort."""
    rng = np.random.default_rng(41)
    labels = (rng.random(150_000) < 0.3).astype(np.int8)
    scores = rng.normal(labels, 1.0)
    if request.param == "three decimals":
        scores = np.round(scores, 3)
    elif request.param == "one score":
        scores[:] = 0.5
    elif request.param == "clustered":
        scores = np.sort(scores)
        scores[:100_000] = np.float64(7.0) + np.arange(100_000) * 2.0**-49
    return labels, scores, rng.integers(0, 4, labels.size)


@every_measure
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_threads_and_row_order_change_no_bit(
    measure: Measure, weighted: bool, many: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    labels, scores, counts = many
    weights = counts if weighted else None
    found = fast(measure, labels, scores, weights, n_threads=1)
    for n_threads in (2, 3, 7):
        assert_same(measure, found, fast(measure, labels, scores, weights, n_threads=n_threads))
    order = np.random.default_rng(3).permutation(labels.size)
    moved = None if weights is None else weights[order]
    assert_same(measure, found, fast(measure, labels[order], scores[order], moved))


@fractional_measures
def test_threads_change_no_bit_of_fractional_weights(
    measure: Measure, many: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    labels, scores, counts = many
    weights = counts * 0.1 + 0.05
    found = fast(measure, labels, scores, weights, n_threads=1)
    for n_threads in (2, 3, 7):
        assert_same(measure, found, fast(measure, labels, scores, weights, n_threads=n_threads))


@by_name([m for m in MEASURES if m.peer is not None])
def test_agrees_with_its_peer_on_many_rows(
    measure: Measure, many: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> None:
    labels, scores, counts = many
    for weights in (None, counts):
        found = fast(measure, labels, scores, weights)
        assert_close(measure, found, measure.by_peer(labels, scores, weights), weighted=False)
