"""Pairs of rows and of labels, counted on every path."""

import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from table_samples import KINDS, LARGE, PATHS, labels_of, thresholds, unsampled_cluster

from fastmetrics import (
    ScoreTable,
    accuracy_score,
    confusion_matrix,
    f1_score,
    precision_recall_fscore_support,
    rank_loss,
    roc_auc_score,
)
from fastmetrics._kernels import buckets, merges
from fastmetrics.tables import ordering, pairs
from fastmetrics.tables.pairs import PairCounts, bucket_jobs, pairs_of_weights
from reference import pair_oracle as oracle


def assert_exact(labels: Any, scores: Any, n_threads: int | None = 1) -> None:
    """Assert that pairs, their ratios and the table equal the oracle's, integer by integer."""
    truth = oracle.counted(labels == 1, scores)
    table = ScoreTable.from_scores(labels, scores, allow_inf=True, n_threads=n_threads)
    n_positive, n_negative = oracle.totals(truth)
    twice = oracle.twice_concordant(truth)
    actual = pairs_of_weights(table.positives, table.negatives)
    assert actual == PairCounts(n_positive, n_negative, twice, 2 * n_positive * n_negative - twice)
    assert all(type(value) is int for value in (actual.twice_concordant, actual.twice_discordant))
    assert (table.n_positive, table.n_negative) == (n_positive, n_negative)
    columns = table.scores, table.positives, table.negatives
    assert columns[0].dtype == scores.dtype
    assert columns[1].dtype == columns[2].dtype == np.int64
    assert list(zip(*[column.tolist() for column in columns], strict=True)) == truth
    assert columns[0].dtype.kind != "f" or not np.any(np.signbit(columns[0][columns[0] == 0]))
    if n_positive and n_negative:
        for data in ((table,), (labels, scores))[: 1 + bool(np.isfinite(scores).all())]:
            assert roc_auc_score(*data, n_threads=n_threads) == float(oracle.auc(truth))
            assert rank_loss(*data, n_threads=n_threads) == float(oracle.rank_loss(truth))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_path_counts_the_same(rng, kind: str, path: str) -> None:
    for share in (0.3, 0.0):
        scores = KINDS[kind](rng, 2_000)
        with thresholds(**PATHS[path]):
            assert_exact(labels_of(rng, 2_000, share), scores, 2)


#: A kind of each dtype and of ties; others take the same ways at changed thresholds.
PLAINEST = {"normal", "three_decimals", "float32", "int64_all", "uint64_all", "infinities"}


@pytest.mark.parametrize(
    "kind",
    [k if k in PLAINEST else pytest.param(k, marks=pytest.mark.exhaustive) for k in KINDS],
)
def test_at_true_thresholds(rng, kind: str) -> None:
    """No threshold is changed here: a few buckets, of the size they are made for."""
    n = max(4 * ordering.BUCKET_ROWS, LARGE) + 17
    assert_exact(labels_of(rng, n, 0.3), KINDS[kind](rng, n), 2)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_around_the_threshold_of_the_plain_path(rng, monkeypatch, more: int) -> None:
    calls = []

    def spied(*args: Any) -> Any:
        calls.append(args)
        return ordering.partition(*args)

    monkeypatch.setattr("fastmetrics.tables.pairs.partition", spied)
    n = pairs.PLAIN_ROWS + more
    assert_exact(labels_of(rng, n, 0.3), np.round(rng.standard_normal(n), 2))
    assert bool(calls) is (more >= 0)


@pytest.mark.parametrize("unit", [buckets.BLOCK, buckets.TILE])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_around_blocks_and_tiles(rng, unit: int, more: int) -> None:
    for times in (1, 3, 8):
        n = unit * times + more
        with thresholds(bucket_rows=256, part_rows=unit):
            assert_exact(labels_of(rng, n, 0.5), rng.integers(0, n // 2, n).astype(float))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64])
def test_the_sorted_fallback_is_taken_and_right(rng, monkeypatch, dtype: Any) -> None:
    sorted_buckets = []

    def spied(*args: Any) -> Any:
        sorted_buckets.append(args)
        return original(*args)

    original = merges.pairs_of_sorted
    monkeypatch.setattr(merges, "pairs_of_sorted", spied)
    with thresholds(bucket_rows=400, sample_rows=50):
        scores = unsampled_cluster(rng, 4_000)
        crowded = np.abs(scores - 0.5) < 1e-11
        if dtype != np.float64:  # a million steps wide, the crowd on a hundred of them
            scores = np.where(crowded, 2**19 + rng.integers(0, 100, 4_000), scores * 2**20 // 1)
            scores = scores.astype(dtype)
        assert ordering.map_buckets(scores).by_range
        assert_exact(labels_of(rng, 4_000, 0.3), scores)
    assert sorted_buckets


def test_few_rows_are_verified_on_the_way() -> None:
    merges.split_classes.compiled()
    y = np.array([0, 1, 1, 0], np.int8)
    assert roc_auc_score(np.array([-1, 1, 1, -1], np.int8), [1.0, 4.0, 3.0, 2.0]) == 1.0
    for labels, scores, message in (
        (y, [1.0, np.inf, 2.0, -np.inf], "`y_score` must be finite: inf at index 1, 2 in all"),
        (y, [1.0, np.nan, 2.0, 0.0], "nan at index 1, 1 in all"),
        (np.array([0, 1, 2, 0], np.int8), np.arange(4.0), "`y_true` has 3 classes"),
    ):
        with pytest.raises(ValueError, match=message):
            roc_auc_score(labels, scores)


def test_more_buckets_than_jobs_and_fewer() -> None:
    for n_buckets in (1, 2, 31, 32, 33, 511):
        jobs = bucket_jobs(n_buckets)
        assert [b for first, stop in jobs for b in range(first, stop)] == list(range(n_buckets))
        assert all(first < stop for first, stop in jobs)


HEAVY = st.one_of(
    st.integers(0, 5).map(float),
    st.sampled_from([0.0, -0.0, 5e-324, 1.0, 1 + 2**-52, 1 - 2**-53, -1e308, 1.7e308]),
    st.floats(allow_nan=False),
)


@given(
    rows=st.lists(st.tuples(st.integers(0, 1), HEAVY), min_size=2, max_size=120),
    repeats=st.integers(1, 12),
    path=st.fixed_dictionaries(
        {
            "bucket_rows": st.integers(1, 200),
            "part_rows": st.integers(1, 400),
            "sample_rows": st.integers(1, 200),
        }
    ),
)
def test_hypothesis_hunts_in_the_large_paths(rows, repeats, path) -> None:
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    labels = np.tile(labels, repeats).astype(np.int8)
    scores = np.tile(scores, repeats)
    with thresholds(**path):
        assert_exact(labels, scores)
    with thresholds(plain_rows=1 << 40):
        assert_exact(labels, scores)


@given(
    rows=st.lists(st.tuples(st.integers(0, 1), st.integers(-(2**63), 2**63 - 1)), min_size=1),
    near=st.sampled_from([0, 2**53, 2**62, 2**63 - 9]),
    unsigned=st.booleans(),
)
def test_integers_never_pass_through_floats(rows, near, unsigned) -> None:
    labels = np.array([label for label, _ in rows], np.int8)
    scores = np.array([near + score % 8 for _, score in rows])
    scores = scores.astype(np.uint64) + np.uint64(2**63) if unsigned else scores.astype(np.int64)
    for path in PATHS.values():
        with thresholds(**path):
            assert_exact(labels, scores)


BIG = st.one_of(st.integers(0, 9), st.integers(0, 2**62), st.integers(2**58, 2**59))


@given(counts=st.lists(st.tuples(BIG, BIG), min_size=1, max_size=12))
def test_injected_counts(counts) -> None:
    """Pairs beyond 2**63, and sums up to the last count that fits."""
    positives, negatives = (list(column) for column in zip(*counts, strict=True))
    for column in (positives, negatives):
        while sum(column) >= 2**63:
            column[int(np.argmax(column))] //= 2
    positives[0] = max(positives[0], 1)
    negatives[-1] = max(negatives[-1], 1)
    for column in (positives, negatives):
        column[0] -= max(0, sum(column) - (2**63 - 1))
    table = ScoreTable.from_counts(np.arange(len(counts), 0, -1.0), positives, negatives)
    truth = list(zip(range(len(counts), 0, -1), positives, negatives, strict=True))
    assert (table.n_positive, table.n_negative) == oracle.totals(truth)
    if table.n_positive and table.n_negative:
        actual = pairs_of_weights(table.positives, table.negatives)
        assert actual.twice_concordant == oracle.twice_concordant(truth)
        assert roc_auc_score(table) == float(oracle.auc(truth))
        assert rank_loss(table) == float(oracle.rank_loss(truth))


def test_pairs_beyond_64_bits() -> None:
    """Row 48: 10**12 of each class, one tie of which decides the last bit."""
    table = ScoreTable.from_counts([3, 2, 1], [10**12, 1, 0], [0, 1, 10**12])
    exact = Fraction(2 * (10**12 + 1) ** 2 - 1, 2 * (10**12 + 1) ** 2)
    assert roc_auc_score(table) == float(exact)
    assert rank_loss(table) == float(1 - exact)
    edge = ScoreTable.from_counts([2, 1], [2**62, 2**62 - 1], [2**62 - 1, 2**62])
    truth = [(2, 2**62, 2**62 - 1), (1, 2**62 - 1, 2**62)]
    assert roc_auc_score(edge) == float(oracle.auc(truth))


def test_more_rows_than_32_bits_hold() -> None:
    """Row 49, by state: what counts rows or blocks is int64, what counts pairs is unbounded."""
    parted = ordering.partition_rows(np.array([0.0, 1.0]))
    assert parted.rows.dtype == parted.block_starts.dtype == np.int64
    each = 3 * 2**30
    assert each * each > 2**63
    table = ScoreTable.from_counts([2.0, 1.0], [each, each], [each, each])
    assert table.n_positive == 2 * each
    assert table.true_positives.tolist() == [each, 2 * each]
    assert roc_auc_score(table) == 0.5
    assert pairs_of_weights(table.positives, table.negatives).twice_concordant == 4 * each * each


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
    row_weights = [1] * len(rows) if weights is None else weights.tolist()
    for pair, weight in zip(rows, row_weights, strict=True):
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
    matrix = confusion_matrix(true, predicted, sample_weight=weights)
    assert matrix.tolist() == [[sums[a, b] for b in labels] for a in labels]
    options = {"sample_weight": weights, "zero_division": 0}
    shares = precision_recall_fscore_support(true, predicted, **options)
    hits = [sums[a, a] for a in labels]
    true_totals = [sum(sums[a, b] for b in labels) for a in labels]
    predicted_totals = [sum(sums[b, a] for b in labels) for a in labels]
    assert shares[3].tolist() == true_totals
    for actual, totals in zip(shares, (predicted_totals, true_totals), strict=False):
        pairs = zip(hits, totals, strict=True)
        assert actual.tolist() == [float(hit / total) if total else 0.0 for hit, total in pairs]


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
    true = drawn(rng, "few")
    predicted = drawn(rng, "few")
    true[2_999] = late  # not one of the rows that are looked at first
    judge(true, predicted, None)
    judge(predicted, true, None)


def test_labels_of_rows_without_weight_occur() -> None:
    true = np.array([1, 4, 1])
    predicted = np.array([1, 1, 6])
    judge(true, predicted, np.array([2, 0, 0]))
    judge(true.astype(str), predicted.astype(str), np.array([0.5, 0.0, 0.0]))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_plain_arrays_of_0_and_1(rng, dtype) -> None:
    """Beside the same labels in other forms, which take another way."""
    true, predicted = rng.integers(0, 2, (2, 50)).astype(dtype)
    judge(true, predicted, None)
    others = [
        *((each.tolist(), np.repeat(each, 2)[::2], each.astype(np.int16)) for each in (true,)),
        (true.astype(np.uint8), true.astype(np.float64), true.astype(">i8")),
    ]
    for other in itertools.chain(*others):
        assert f1_score(other, predicted) == f1_score(true, predicted)
        assert f1_score(predicted, other) == f1_score(predicted, true)


def test_other_pairs_of_labels_are_not_taken_for_0_and_1() -> None:
    y = np.array([0, 1, 1])
    assert accuracy_score(y, 2 * y) == accuracy_score(2 * y, y) == 1 / 3
    assert accuracy_score(y - 1, y - 1) == accuracy_score(y == 1, y) == 1.0
    with pytest.raises(ValueError, match="lengths differ"):
        accuracy_score(y, y[:2])
    with pytest.raises(ValueError, match="is empty"):
        accuracy_score(y[:0], y[:0])
    assert accuracy_score(np.zeros(1 << 17, np.int8), np.zeros(1 << 17, np.int8)) == 1.0


#: Of calls that split classes: a few rows and many, with every kind of weights.
SPLITS = pytest.mark.parametrize(
    ("call", "n", "weight"),
    [
        (call, (1_000, LARGE)[(i + j) % 2], weight)
        for i, call in enumerate([ScoreTable.from_scores, rank_loss, roc_auc_score])
        for j, weight in enumerate([None, 2, 0.5])
    ],
)


@SPLITS
def test_minus_one_that_looks_like_zero(rng, call: Any, n: int, weight: Any) -> None:
    """Every row that the guess looks at is a 1."""
    labels = np.ones(n, np.int8)
    labels[1 : 1 + n // 100] = -1
    labels[:: n // 64 + 1] = 1
    assert (labels == -1).any()
    scores = rng.random(n)
    more = {"sample_weight": None if weight is None else np.full(n, weight)}
    assert call(labels, scores, **more) == call(labels == 1, scores, **more)


@SPLITS
@pytest.mark.parametrize(("late", "dtype"), [(2, np.int8), (2, np.uint8), (-1, np.int8)])
def test_a_third_label_at_the_last_row(
    rng, call: Any, n: int, weight: Any, late: int, dtype: Any
) -> None:
    labels = labels_of(rng, n, 0.3).astype(dtype)
    labels[-1] = late
    weights = None if weight is None else np.full(n, weight)
    classes = ", ".join(map(str, sorted((0, 1, late))))
    with pytest.raises(ValueError, match=rf"`y_true` has 3 classes, \{{{classes}\}}"):
        call(labels, rng.random(n), sample_weight=weights)
