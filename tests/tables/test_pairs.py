"""Pairs of rows and of labels, counted on every path."""

import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from table_samples import KINDS, LARGE, PATHS, labels_of, thresholds, unsampled_cluster

from fastmetrics import ScoreTable, rank_loss, roc_auc_score
from fastmetrics._input.rows import check_binary
from fastmetrics._kernels import buckets, merges
from fastmetrics._threads.workers import at_most
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.tables import ordering, pairs
from fastmetrics.tables.confusion import _label_counts
from fastmetrics.tables.confusion._label_counts import label_counts, label_matrix
from fastmetrics.tables.pairs import (
    PairCounts,
    bucket_jobs,
    count_pairs,
    distinct_scores,
    pairs_of_weights,
)
from reference import pair_oracle as oracle


def assert_exact(labels: Any, scores: Any, n_threads: int | None = 1) -> None:
    """Assert that pairs, their ratios and the table equal the oracle's, integer by integer."""
    truth = oracle.counted(labels == 1, scores)
    rows = check_binary(labels, scores, allow_inf=True)
    with at_most(n_threads):
        found = count_pairs(rows)
        columns, totals = distinct_scores(rows)
    n_positive, n_negative = oracle.totals(truth)
    twice = oracle.twice_concordant(truth)
    assert found == PairCounts(n_positive, n_negative, twice, 2 * n_positive * n_negative - twice)
    assert all(type(value) is int for value in (found.twice_concordant, found.twice_discordant))
    if n_positive and n_negative:
        assert found.auc == float(oracle.auc(truth))
        assert found.rank_loss == float(oracle.rank_loss(truth))
    assert totals == (n_positive, n_negative)
    assert columns[0].dtype == scores.dtype
    assert columns[1].dtype == columns[2].dtype == np.int64
    assert list(zip(*[column.tolist() for column in columns], strict=True)) == truth
    assert columns[0].dtype.kind != "f" or not np.any(np.signbit(columns[0][columns[0] == 0]))
    assert pairs_of_weights(*columns[1:]) == found


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_path_counts_the_same(rng, kind: str, path: str) -> None:
    for share in (0.01, 0.3, 0.9, 0.0):
        scores = KINDS[kind](rng, 2_000)
        with thresholds(**PATHS[path]):
            assert_exact(labels_of(rng, 2_000, share), scores, 2)


@pytest.mark.parametrize("kind", KINDS)
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
        assert ordering.plan_buckets(scores).by_range
        assert_exact(labels_of(rng, 4_000, 0.3), scores)
    assert sorted_buckets


def test_few_rows_are_verified_on_the_way() -> None:
    merges.split_classes.compiled()
    y, signs = np.array([0, 1, 1, 0], np.int8), np.array([-1, 1, 1, -1], np.int8)
    inf = np.array([1.0, np.inf, 2.0, -np.inf])
    assert count_pairs(check_binary(y, inf, allow_inf=True)).auc == 1.0
    assert count_pairs(check_binary(signs, inf, allow_inf=True)).auc == 1.0
    assert count_pairs(check_binary(y.astype(bool).view(np.int8) * 1, inf, allow_inf=True)).auc == 1
    for scores, options, message in (
        (inf, {}, "`y_score` must be finite: inf at index 1, 2 in all"),
        (np.array([1.0, np.nan, 2.0, 0.0]), {"allow_inf": True}, "nan at index 1, 1 in all"),
    ):
        with pytest.raises(ValueError, match=message):
            count_pairs(check_binary(y, scores, **options))
    with pytest.raises(ValueError, match="`y_true` has 3 classes"):
        count_pairs(check_binary(np.array([0, 1, 2, 0], np.int8), np.arange(4.0)))


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
    labels, scores = np.tile(labels, repeats).astype(np.int8), np.tile(scores, repeats)
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
    positives[0], negatives[-1] = max(positives[0], 1), max(negatives[-1], 1)
    for column in (positives, negatives):
        column[0] -= max(0, sum(column) - (2**63 - 1))
    table = ScoreTable.from_counts(np.arange(len(counts), 0, -1.0), positives, negatives)
    truth = list(zip(range(len(counts), 0, -1), positives, negatives, strict=True))
    assert (table.n_positive, table.n_negative) == oracle.totals(truth)
    if table.n_positive and table.n_negative:
        found = pairs_of_weights(table.positives, table.negatives)
        assert found.twice_concordant == oracle.twice_concordant(truth)
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
    rows = check_binary(np.array([0, 1], np.int8), np.array([0.0, 1.0]))
    parted = ordering.partition(rows)
    assert parted.rows.dtype == parted.block_starts.dtype == np.int64
    each = 3 * 2**30
    assert each * each > 2**63
    table = ScoreTable.from_counts([2.0, 1.0], [each, each], [each, each])
    assert table.n_positive == 2 * each
    assert table.true_positives.tolist() == [each, 2 * each]
    assert roc_auc_score(table) == 0.5
    found = pairs_of_weights(table.positives, table.negatives)
    assert found.twice_concordant == 4 * each * each


@pytest.mark.parametrize("n", [4, LARGE])
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only(n: int, label: int) -> None:
    """Row 3."""
    labels, scores = np.full(n, label, np.int8), np.arange(n) / 8
    found = count_pairs(check_binary(labels, scores))
    assert np.isnan(found.auc)
    assert np.isnan(found.rank_loss)
    assert found.twice_concordant == found.twice_discordant == 0
    for measure in (roc_auc_score, rank_loss):
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(measure(labels, scores))


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
