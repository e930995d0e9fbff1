"""Covariances of AUCs of weighted and of grouped rows, by their definitions."""

import math
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import fastmetrics as fm
from reference import delong_oracle as oracle

pytestmark = [
    pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning"),
    pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning"),
    pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning"),
]

N = 9
ROWS = st.tuples(
    st.lists(st.sampled_from([0, 1]), min_size=N, max_size=N),
    st.lists(st.integers(0, 5), min_size=N, max_size=N),
    st.lists(st.integers(0, 5), min_size=N, max_size=N),
    st.lists(st.integers(1, 40), min_size=N, max_size=N),
    st.lists(st.integers(0, 4), min_size=N, max_size=N),
)


def compared(labels: Any, columns: Any, **rows: Any) -> fm.results.Comparison:
    names = "abcde"[: np.shape(columns)[1]]
    return fm.compare(labels, columns, names=list(names), metrics="roc_auc", **rows)["roc_auc"]


def estimated(labels: Any, scores: Any, **rows: Any) -> fm.results.Estimate:
    return fm.estimate(labels, scores, metrics="roc_auc", **rows)["roc_auc"]


@settings(max_examples=40)
@given(ROWS)
def test_importances_by_the_definition(rows: Any) -> None:
    labels, one, other, quarters, groups = rows
    labels = [0, 0, 1, 1, *labels[4:]]
    groups = [0, 1, 0, 1, *groups[4:]]
    weights = [quarter / 4 for quarter in quarters]
    for given_groups in (None, groups):
        covariance = oracle.weighted_covariance
        if given_groups is not None:
            covariance = partial(oracle.clustered_covariance, groups=given_groups)
        result = compared(
            labels, np.transpose([one, other]), sample_weight=weights, groups=given_groups
        )
        for k, scores in enumerate((one, other)):
            auc, _ = oracle.weighted_components(labels, scores, weights)
            assert result.estimate[k] == pytest.approx(float(auc), abs=1e-14)
            expected = covariance(labels, scores, scores, weights)
            assert result.covariance[k, k] == pytest.approx(float(expected), rel=1e-9, abs=1e-16)
        expected = covariance(labels, one, other, weights)
        assert result.covariance[0, 1] == pytest.approx(float(expected), rel=1e-8, abs=1e-15)
        error = result.pairs[0].standard_error
        c = result.covariance
        assert error**2 == pytest.approx(c[0, 0] + c[1, 1] - 2 * c[0, 1], abs=1e-13)


@st.composite
def clustered(draw: Any, models: int = 2) -> tuple[list[int], list[list[int]], list[int]]:
    """Draw labels, scores and groups; either class is in two groups at least."""
    more = st.tuples(st.integers(0, 1), st.integers(0, 4))
    rows = [(0, 0), (1, 0), (1, 1), (0, 2), *draw(st.lists(more, max_size=10))]
    column = st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))
    scores = draw(st.lists(column, min_size=models, max_size=models))
    labels, groups = zip(*rows, strict=True)
    return list(labels), scores, list(groups)


@given(clustered())
def test_groups_by_the_definition(sample: tuple[list[int], list[list[int]], list[int]]) -> None:
    labels, scores, groups = sample
    result = compared(labels, np.transpose(scores), groups=groups)
    assert result.n_groups == len(set(groups))
    exact = [
        [
            oracle.clustered_covariance(labels, one, other, [1] * len(labels), groups)
            for other in scores
        ]
        for one in scores
    ]
    wanted = [[float(c) for c in row] for row in exact]
    np.testing.assert_allclose(result.covariance, wanted, rtol=1e-12, atol=1e-17)
    variance = exact[0][0] + exact[1][1] - 2 * exact[0][1]
    error = result.pairs[0].standard_error
    assert error == pytest.approx(math.sqrt(max(variance, 0)), rel=1e-10, abs=1e-15)
    assert result.estimate[0] == float(oracle.components(labels, scores[0])[0])


@given(clustered(models=3))
def test_a_group_for_each_row_is_none(
    sample: tuple[list[int], list[list[int]], list[int]],
) -> None:
    labels, scores, _ = sample
    columns = np.transpose(scores)
    plain = compared(labels, columns)
    grouped = compared(labels, columns, groups=np.arange(len(labels)) * 7 - 3)
    assert (plain.n_groups, grouped.n_groups) == (None, len(labels))
    assert plain.estimate == grouped.estimate
    np.testing.assert_allclose(plain.covariance, grouped.covariance, rtol=1e-12, atol=1e-17)
    for one, other in zip(plain, grouped, strict=True):
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-10, abs=1e-15)


@given(clustered(), st.integers(2, 4))
def test_copies_in_the_group_of_their_row_add_nothing(
    sample: tuple[list[int], list[list[int]], list[int]], times: int
) -> None:
    labels, scores, groups = sample
    columns = np.transpose(scores)
    once = compared(labels, columns, groups=groups)
    again = compared(
        np.repeat(labels, times), np.repeat(columns, times, axis=0), groups=np.repeat(groups, times)
    )
    np.testing.assert_allclose(again.covariance, once.covariance, rtol=1e-12, atol=1e-17)


def test_large_groups_beside_many_small_ones(rng: np.random.Generator) -> None:
    """Sums of a group pass the range where plain int64 products would fit."""
    size = 100_000
    y = (rng.random(size) < 0.4).astype(np.int8)
    scores = rng.normal(size=(size, 2)) + y[:, None]
    groups = np.where(np.arange(size) < 30_000, 0, np.arange(size))
    result = compared(y, scores, groups=groups, n_threads=2)
    auc = np.array(result.estimate)
    n, m = np.count_nonzero(y == 0), np.count_nonzero(y)
    ranks = scores.argsort(axis=0).argsort(axis=0) + 1.0
    sums = []
    for label, other in ((1, n), (0, m)):
        own = y == label
        inside = scores[own].argsort(axis=0).argsort(axis=0) + 1.0
        share = (ranks[own] - inside) / other
        share = share if label else 1 - share
        deviations = np.zeros((size, 2))
        np.add.at(deviations, groups[own], share - auc)
        count = np.bincount(groups[own], minlength=size) / np.count_nonzero(own)
        sums.append(deviations / np.count_nonzero(own) / np.sqrt(1 - count)[:, None])
    moved = sums[0] + sums[1]
    np.testing.assert_allclose(result.covariance, moved.T @ moved, rtol=1e-9)


def test_rows_of_no_importance_are_absent(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 60)
    s = rng.normal(size=60)
    w = rng.exponential(size=60)
    w[10:30] = 0.0
    kept = w > 0
    assert estimated(y, s, sample_weight=w) == estimated(y[kept], s[kept], sample_weight=w[kept])


@pytest.mark.parametrize("seed", range(5))
def test_rounding_is_no_difference_between_perfect_models(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(12) % 2
    w = rng.exponential(size=12)
    scores = np.stack([5 * y + rng.random(12) for _ in "ab"], axis=1)
    for groups in (None, np.arange(12) // 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pair = compared(y, scores, sample_weight=w, groups=groups).pairs[0]
        assert (pair.difference, pair.standard_error, pair.pvalue) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("weights", [[2.0**60] * 4, [2**53] * 4])
def test_frequencies_beyond_exact_counts_are_refused(weights: Any) -> None:
    options = {"sample_weight": weights, "weights_are": "frequencies"}
    for call in (
        lambda: estimated([0, 1, 1, 0], [1, 2, 3, 4], **options),
        lambda: fm.bootstrap([0, 1, 1, 0], [1, 2, 3, 4], **options),
        lambda: fm.evaluate([0, 1, 1, 0], [1, 2, 3, 4], **options),
        lambda: fm.roc_band([0, 1, 1, 0], [1, 2, 3, 4], **options),
    ):
        with pytest.raises(ValueError, match=r"above 2\*\*53"):
            call()
