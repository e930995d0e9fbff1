"""Weights: counts stay exact, the rest has a bound, labels are verified wherever they are read."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from table_samples import KINDS, PATHS, labels_of, thresholds

from fastmetrics import ScoreTable, rank_loss, roc_auc_score
from fastmetrics.errors import UndefinedMetricWarning
from reference import pair_oracle as oracle

UNIT = 2.0**-53


def relative_error(found: float, exact: Fraction) -> float:
    return float(abs(Fraction(found) - exact) / exact) if exact else abs(found)


def assert_weighed(labels: Any, scores: Any, weights: Any, units: int = 16) -> None:
    """Assert that AUC, loss and the table are within ``units`` roundings of the rationals."""
    truth = oracle.weighed(labels == 1, scores, weights)
    table = ScoreTable.from_scores(labels, scores, sample_weight=weights, allow_inf=True)
    assert table.is_weighted
    scale = Fraction(2) ** table.weight_exponent
    assert table.scores.tolist() == [row[0] for row in truth]
    for column, exact in ((table.positives, 1), (table.negatives, 2)):
        for value, row in zip(column.tolist(), truth, strict=True):
            assert relative_error(value, row[exact] * scale) <= 2 * UNIT
    for total, exact in zip(
        (table.n_positive, table.n_negative), oracle.totals(truth), strict=True
    ):
        assert relative_error(total, exact * scale) <= 4 * UNIT
    if not all(oracle.totals(truth)):
        with pytest.warns(UndefinedMetricWarning):
            assert math.isnan(roc_auc_score(table))
        with pytest.warns(UndefinedMetricWarning):
            assert math.isnan(rank_loss(table))
        return
    given = [((table,), {})]
    if np.isfinite(scores).all():  # a table alone may have others
        given.append(((labels, scores), {"sample_weight": weights}))
    for data, options in given:
        for measure, exact in ((roc_auc_score, oracle.auc), (rank_loss, oracle.rank_loss)):
            assert relative_error(measure(*data, **options), exact(truth)) <= units * UNIT


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_path_is_within_the_bound(rng, kind: str, path: str) -> None:
    for share in (0.02, 0.5):
        labels, scores = labels_of(rng, 600, share), KINDS[kind](rng, 600)
        weights = rng.random(600) * (rng.random(600) < 0.9)
        with thresholds(**PATHS[path]):
            assert_weighed(labels, scores, weights)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("range_of", [(1e-16, 1e16), (1e300, 1e308), (5e-324, 1e-300), (1e-70, 1)])
def test_weights_of_any_size(rng, path: str, range_of: tuple[float, float]) -> None:
    """Rows 43, 44 and 46."""
    low, high = np.log2(range_of[0]), np.log2(range_of[1])
    for kind in ("normal", "three_decimals", "clustered"):
        labels, scores = labels_of(rng, 500, 0.3), KINDS[kind](rng, 500)
        weights = np.exp2(rng.uniform(low, high, 500))
        weights[:2] = range_of
        with thresholds(**PATHS[path]):
            assert_weighed(labels, scores, weights)


@pytest.mark.parametrize("largest_first", [True, False])
def test_small_weights_are_not_lost_beside_large_ones(largest_first: bool) -> None:
    """Row 46: a plain sum would drop every weight but the first."""
    n = 500
    weights = np.full(2 * n, 1e-16)
    weights[[0, n]] = 1e16 if largest_first else 1.0
    labels = np.repeat([1, 0], n).astype(np.int8)
    for scores in (np.zeros(2 * n), np.tile(np.arange(n, 0.0, -1), 2), np.arange(2.0 * n)):
        for path in PATHS.values():
            with thresholds(**path):
                assert_weighed(labels, scores, weights)


@pytest.mark.parametrize(
    "weights",
    [
        (0.7296554464299441, 0.17565562060255901),
        (0.2997118905373848, 0.42268722119765845),
        (0.450339366649287, 0.7963242702872942),
    ],
)
def test_rounding_leaves_no_share_above_1(weights: tuple[float, float]) -> None:
    """The product of two weights may be rounded up, and is divided by each in turn."""
    assert roc_auc_score([0, 1], [1, 2], sample_weight=weights) == 1.0
    assert rank_loss([0, 1], [2, 1], sample_weight=weights) == 1.0


def test_weight_exponent_rules() -> None:
    def build(*weights: float) -> ScoreTable:
        return ScoreTable.from_scores([0, 1], [0.25, 0.5], sample_weight=weights)

    usual, large, small = build(0.5, 2.0), build(1e308, 1e307), build(5e-324, 1e-320)
    assert usual.weight_exponent == 0
    assert large.weight_exponent < 0 < small.weight_exponent
    assert (large + large).weight_exponent == large.weight_exponent
    assert roc_auc_score(large + large) == 1.0
    for other in (usual, small, ScoreTable.from_counts([1.0], [1], [1])):
        with pytest.raises(ValueError, match="weight_exponent"):
            large + other
    exact = [Fraction(w) * Fraction(2) ** large.weight_exponent for w in (1e308, 1e307)]
    assert [large.n_negative, large.n_positive] == exact
    with pytest.raises(ValueError, match="spans too wide a range"):
        build(1e308, 5e-324)


def one_large_weight_in_a_leaf() -> tuple[Any, Any, Any]:
    """Return rows of which one leaf holds 1 and 180 weights that a plain sum to 1 would drop.

    They are of the class with fewer rows, which is the one that is put in leaves.
    """
    n, crowd = 6_000, np.arange(180)
    labels, scores, weights = np.arange(n) % 4 == 0, (np.arange(n) + 0.5) / n, np.full(n, 1e-30)
    labels[1_000:1_180], labels[1_180] = True, False
    scores[1_000:1_180], scores[1_180] = 0.25 + 1e-9 * crowd, 0.25 + 1e-6
    weights[1_000:1_180], weights[[1_000, 1_180]] = 1.1e-16, 1.0
    return labels.astype(np.int8), scores, weights


def test_one_large_weight_in_a_bucket() -> None:
    """The weight below or above a bucket is no difference of sums: those would lose it."""
    labels, scores, weights = one_large_weight_in_a_leaf()
    with thresholds(**PATHS["two_buckets"]):
        assert_weighed(labels, scores, weights, units=16 + 200)
        assert_weighed(1 - labels, -scores, weights, units=16 + 200)


@pytest.mark.parametrize("flip", [1, -1])
def test_one_large_weight_before_many_buckets(flip: int) -> None:
    n = 6_400
    scores, labels = flip * np.arange(n) / n, (np.arange(n) % 2).astype(np.int8)
    weights = np.full(n, 1e-30)
    weights[::64] = 1.1e-16
    weights[[0, 1, -2, -1]] = 1.0, 1e-18, 1e-18, 1.0
    with thresholds(**PATHS["many_buckets"]):
        assert_weighed(labels, scores, weights)


def test_sums_inside_a_leaf_are_compensated() -> None:
    with thresholds(bucket_rows=1 << 20):
        assert_weighed(*one_large_weight_in_a_leaf())


def test_integer_weights_up_to_2_to_53_are_exact() -> None:
    """Row 45."""
    weights = np.array([2**52, 1, 2**51, 2**51 - 1])
    assert weights.sum() == 2**53
    labels, scores = np.array([1, 0, 1, 0], np.int8), np.array([1, 1, 2, 3]) / 8
    table = ScoreTable.from_scores(labels, scores, sample_weight=weights)
    assert table.positives.dtype == np.int64
    assert (table.n_positive, table.n_negative) == (2**52 + 2**51, 2**51)
    truth = oracle.weighed(labels == 1, scores, weights.tolist())
    assert roc_auc_score(labels, scores, sample_weight=weights) == float(oracle.auc(truth))
    weights[0] += 1
    above = ScoreTable.from_scores(labels, scores, sample_weight=weights)
    assert above.is_weighted
    truth = oracle.weighed(labels == 1, scores, weights.tolist())
    found = roc_auc_score(labels, scores, sample_weight=weights)
    assert relative_error(found, oracle.auc(truth)) <= 16 * UNIT


@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 1),
            st.integers(0, 3),
            st.one_of(st.just(0.0), st.floats(1e-12, 1e12), st.sampled_from([1e-16, 1e16])),
        ),
        min_size=2,
        max_size=60,
    ).filter(lambda rows: any(weight for _, _, weight in rows)),
    path=st.sampled_from(list(PATHS)),
)
def test_hypothesis_within_the_bound(rows, path: str) -> None:
    labels, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    with thresholds(**PATHS[path]):
        assert_weighed(labels.astype(np.int8), scores / 4, weights)
