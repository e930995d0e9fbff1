"""``ScoreTable``: what goes in, weights, hulls, rows in order."""

import copy
import dataclasses
import itertools
import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from table_samples import KINDS, PATHS, labels_of, thresholds

import engine_sizes
from fastmetrics import ScoreTable, ks_statistic, rank_loss, roc_auc_score
from fastmetrics.errors import UndefinedMetricWarning
from fastmetrics.tables import ordering
from fastmetrics.tables.ordering import RowOrder, row_order
from fastmetrics.tables.score_table import upper_hull
from reference import pair_oracle as oracle
from reference.hull_oracle import hull_ends


def rows_in(table: ScoreTable) -> list[oracle.Row]:
    columns = (table.scores, table.positives, table.negatives)
    return list(zip(*[column.tolist() for column in columns], strict=True))


def table_of(rows: Any) -> ScoreTable:
    if not rows:
        return ScoreTable.from_counts([], [], [])
    labels, scores = zip(*rows, strict=True)
    return ScoreTable.from_scores(np.array(labels, np.int8), np.array(scores))


def test_merging_needs_scores_that_compare_exactly() -> None:
    kinds = [np.float64, np.int64, np.uint64]
    for left in kinds:
        for right in kinds:
            tables = [
                ScoreTable.from_counts(np.array([1, 2], dtype), [1, 0], [0, 1])
                for dtype in (left, right)
            ]
            if left == right:
                assert (tables[0] + tables[1]).positives.tolist() == [0, 2]
            else:
                with pytest.raises(TypeError, match="cannot be merged exactly"):
                    tables[0] + tables[1]


def test_float32_and_float64_scores_merge_to_float64() -> None:
    single = ScoreTable.from_counts(np.array([0.1, 0.5], np.float32), [1, 1], [0, 0])
    double = ScoreTable.from_counts([0.1, 0.5], [0, 0], [1, 1])
    merged = single + double
    assert merged.scores.dtype == np.float64
    assert merged.scores.tolist() == [0.5, float(np.float32(0.1)), 0.1]
    assert merged == double + single


def test_merged_counts_may_not_overflow() -> None:
    half = ScoreTable.from_counts([1.0], [2**62], [1])
    assert (half + ScoreTable.from_counts([2.0], [2**62 - 1], [1])).n_positive == 2**63 - 1
    with pytest.raises(OverflowError, match="positives"):
        half + half


def test_what_is_no_table_is_not_added() -> None:
    table = table_of([(0, 0.5), (1, 1.0)])
    for other in (1, None, [table], 1.5):
        for add in (lambda: table + other, lambda: other + table):  # noqa: B023
            with pytest.raises(TypeError, match=r"unsupported operand|can only concatenate"):
                add()
        assert table != other
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


def test_equality_minds_every_column_and_dtype() -> None:
    def build(scores=(1.0, 2.0), positives=(1, 2), negatives=(3, 4), dtype=float) -> ScoreTable:
        return ScoreTable.from_counts(np.array(scores, dtype), positives, negatives)

    assert build() == build()
    others = [
        build((1.0, 3.0)),
        build(positives=(1, 3)),
        build(negatives=(3, 5)),
        build(dtype=np.float32),
        build(dtype=np.int64),
        build(positives=(1.0, 2.0), negatives=(3.0, 4.0)),
        build((1.0,), (1,), (3,)),
        dataclasses.replace(build(), weight_exponent=1),
    ]
    for other in others:
        assert build() != other
        assert (build() == other) is False


def test_from_counts_sorts_merges_and_drops() -> None:
    table = ScoreTable.from_counts(
        [1, 3.5, -0.0, 1, 9, 0.0], [1, 2, 3, 4, 0, 1], [0, 1, 0, 0, 0, 5]
    )
    assert rows_in(table) == [(3.5, 2, 1), (1.0, 5, 0), (0.0, 4, 5)]
    assert not np.signbit(table.scores[-1])
    assert (table.n_positive, table.n_negative) == (11, 6)
    assert table.true_positives.tolist() == [2, 7, 11]
    assert table.false_positives.tolist() == [1, 1, 6]
    mixed = ScoreTable.from_counts([1, 2], [1, 2], [0.5, 0.5])
    assert mixed.is_weighted
    assert mixed.positives.dtype == mixed.negatives.dtype == np.float64


@pytest.mark.parametrize("n_threads", ["1", "3"])
def test_running_sums_of_long_tables(rng, monkeypatch, n_threads: str) -> None:
    monkeypatch.setenv("FASTMETRICS_NUM_THREADS", n_threads)
    n = 2**17 + 5
    counts = rng.integers(0, 2**40, (2, n))
    table = ScoreTable.from_counts(np.arange(n)[::-1], *counts)
    for sums, column in zip((table.true_positives, table.false_positives), counts, strict=True):
        assert sums.tolist() == list(itertools.accumulate(column.tolist()))


@pytest.mark.parametrize("kind", ["i1", "u1", "i4", "u8", ">i8"])
def test_from_counts_takes_counts_of_any_width(kind: str) -> None:
    table = ScoreTable.from_counts([1.0, 2.0], np.array([1, 2], kind), np.array([3, 0], kind))
    assert table == ScoreTable.from_counts([1.0, 2.0], [1, 2], [3, 0])


OVER = [[2**63], [2**62, 2**62], [2**62, 2**62 - 1, 1], [2**63 - 1, 1], [2**61 - 1] * 4 + [4]]


@pytest.mark.parametrize("counts", OVER)
def test_counts_of_a_class_stay_below_2_to_63(counts: list[int]) -> None:
    k = len(counts)
    column = np.array(counts, np.uint64)
    for columns in ((column, np.ones(k, int)), (np.ones(k, int), column)):
        with pytest.raises(ValueError, match=r"must sum to less than 2\*\*63"):
            ScoreTable.from_counts(np.arange(k), *columns)
    column[0] -= np.uint64(sum(counts) - (2**63 - 1))
    assert ScoreTable.from_counts(np.arange(k), column, column).n_positive == 2**63 - 1


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (([np.nan, 1], [1, 1], [1, 1]), ValueError, "`scores` must be finite: nan at index 0"),
        (([1, np.inf], [1, 1], [1, 1]), ValueError, "`scores` must be finite: inf at index 1"),
        (([1, 2], [1, -1], [1, 1]), ValueError, "`positives` must not be negative: -1 at index 1"),
        (([1, 2], [1, 1], [-0.5, 1.0]), ValueError, "`negatives` must not be negative: -0.5"),
        (([1, 2], [np.nan, 1], [1, 1]), ValueError, "`positives` must be finite: nan at index 0"),
        (([1, 2], [1, 1], [1, np.inf]), ValueError, "`negatives` must be finite: inf at index 1"),
        (([1, 2], [1], [1, 1]), ValueError, "lengths differ"),
        (([1, 2], [1, 1], [1, 1, 1]), ValueError, "lengths differ"),
        (([1, 2], [], []), ValueError, "`positives` is empty"),
        (([], [1], [1]), ValueError, "`scores` is empty"),
        (([[1, 2]], [1, 1], [1, 1]), ValueError, "`scores`"),
        (([1, 2], ["a", "b"], [1, 1]), TypeError, "`positives`"),
        (([1, 2], [True, False], [1, 1]), TypeError, "`positives` must be integers"),
        (([1, 2], [1j, 1], [1, 1]), TypeError, "`positives`"),
        ((["a", "b"], [1, 1], [1, 1]), TypeError, "`scores`"),
        ((1.0, 1, 1), TypeError, "`scores`"),
    ],
)
@pytest.mark.parametrize("make", [ScoreTable, ScoreTable.from_counts])
def test_columns_that_are_refused(make: Any, columns, error, message: str) -> None:
    with pytest.raises(error, match=message):
        make(*columns)


def test_the_constructor_sorts_merges_and_scales_as_from_counts_does() -> None:
    columns = ([0.25, 1.0, 0.5, 0.25], [1, 0, 2, 4], [0, 3, 1, 1])
    table = ScoreTable(*map(np.array, columns))
    assert rows_in(table) == [(1.0, 0, 3), (0.5, 2, 1), (0.25, 5, 1)]
    assert table == ScoreTable.from_counts(*columns)
    assert (table.n_positive, table.n_negative) == (7, 5)
    scores = np.array([2.0, 1.0])
    huge = ScoreTable.from_counts(scores, [1e300, 1e300], [1e300, 2e300])
    assert ScoreTable(scores, np.full(2, 1e300), np.array([1e300, 2e300])) == huge
    assert dataclasses.replace(huge) == huge
    assert dataclasses.replace(table, scores=-table.scores).scores.tolist() == [-0.25, -0.5, -1.0]
    with pytest.raises(TypeError, match="`weight_exponent` must be an integer"):
        ScoreTable(*map(np.array, columns), 0.5)  # type: ignore[arg-type]


@pytest.mark.pairwise
@pytest.mark.parametrize("score", ["<f4", "<f8", ">f8", "<i8", "<u8", "<i4"])
@pytest.mark.parametrize("count", ["<i8", "<f8", ">i8", "<u4"])
@pytest.mark.parametrize("n", [1, 5])
def test_a_table_owns_its_columns(score: str, count: str, n: int) -> None:
    """Already sorted, distinct and canonical: nothing but owning asks for a copy."""
    columns = [
        np.arange(n, 0, -1).astype(score),
        np.arange(1, n + 1).astype(count),
        np.ones(n, dtype=count),
    ]
    before = [column.copy() for column in columns]
    seen_through = [column.view() for column in columns]
    for view in seen_through:
        view.flags.writeable = False
    for given_ in (columns, seen_through):
        for table in (ScoreTable(*given_), ScoreTable.from_counts(*given_)):
            kept = copy.deepcopy(table)
            for mine in (table.scores, table.positives, table.negatives):
                assert not mine.flags.writeable
                assert not any(np.may_share_memory(mine, column) for column in columns)
            for column in columns:
                column[:] = 9
            assert table == kept
            for column, was in zip(columns, before, strict=True):
                column[:] = was


def test_empty_tables() -> None:
    empty = ScoreTable.from_counts([], [], [])
    nothing = ScoreTable.from_counts([1, 2], [0, 0], [0.0, 0.0])
    assert len(empty) == len(nothing) == 0
    assert empty == nothing
    assert repr(empty) == "ScoreTable(0 distinct scores, 0 positive, 0 negative)"
    assert (empty.n_positive, empty.n_negative) == (0, 0)
    assert empty.true_positives.tolist() == []
    assert sum([empty, nothing]) == empty
    weights = ScoreTable.from_scores([0, 1], [1, 2], sample_weight=[1e308, 1e308])
    assert weights.weight_exponent != 0
    assert empty + weights == weights == weights + empty


def test_a_table_comes_alone() -> None:
    table = ScoreTable.from_counts([1.0], [1], [1])
    assert roc_auc_score(table) == 0.5
    for more in ({"sample_weight": [1]}, {"pos_label": 1}):
        with pytest.raises(TypeError, match="comes alone"):
            ks_statistic(table, None, **more)
    with pytest.raises(TypeError, match="comes alone"):
        ks_statistic(table, [1.0])


UNIT = 2.0**-53


def relative_error(actual: float, exact: Fraction) -> float:
    return float(abs(Fraction(actual) - exact) / exact) if exact else abs(actual)


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
        for metric, exact in ((roc_auc_score, oracle.auc), (rank_loss, oracle.rank_loss)):
            assert relative_error(metric(*data, **options), exact(truth)) <= units * UNIT


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_path_is_within_the_bound(rng, kind: str, path: str) -> None:
    labels = labels_of(rng, 600, 0.3)
    scores = KINDS[kind](rng, 600)
    weights = rng.random(600) * (rng.random(600) < 0.9)
    with thresholds(**PATHS[path]):
        assert_weighed(labels, scores, weights)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("range_of", [(1e-16, 1e16), (1e300, 1e308), (5e-324, 1e-300), (1e-70, 1)])
def test_weights_of_any_size(rng, path: str, range_of: tuple[float, float]) -> None:
    """Rows 43, 44 and 46."""
    low, high = np.log2(range_of[0]), np.log2(range_of[1])
    for kind in ("normal", "three_decimals", "clustered"):
        labels = labels_of(rng, 500, 0.3)
        scores = KINDS[kind](rng, 500)
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

    usual = build(0.5, 2.0)
    large = build(1e308, 1e307)
    small = build(5e-324, 1e-320)
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
    """Return rows of which one leaf holds 1 and 180 weights that a plain sum to 1 would drop."""
    n = 6_000
    crowd = np.arange(180)
    labels = np.arange(n) % 4 == 0
    scores = (np.arange(n) + 0.5) / n
    weights = np.full(n, 1e-30)
    labels[1_000:1_180] = True
    labels[1_180] = False
    scores[1_000:1_180] = 0.25 + 1e-9 * crowd
    scores[1_180] = 0.25 + 1e-6
    weights[1_000:1_180] = 1.1e-16
    weights[[1_000, 1_180]] = 1.0
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
    scores = flip * np.arange(n) / n
    labels = (np.arange(n) % 2).astype(np.int8)
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
    labels = np.array([1, 0, 1, 0], np.int8)
    scores = np.array([1, 1, 2, 3]) / 8
    table = ScoreTable.from_scores(labels, scores, sample_weight=weights)
    assert table.positives.dtype == np.int64
    assert (table.n_positive, table.n_negative) == (2**52 + 2**51, 2**51)
    truth = oracle.weighed(labels == 1, scores, weights.tolist())
    assert roc_auc_score(labels, scores, sample_weight=weights) == float(oracle.auc(truth))
    weights[0] += 1
    assert ScoreTable.from_scores(labels, scores, sample_weight=weights).is_weighted
    truth = oracle.weighed(labels == 1, scores, weights.tolist())
    auc = roc_auc_score(labels, scores, sample_weight=weights)
    assert relative_error(auc, oracle.auc(truth)) <= 16 * UNIT


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


COUNTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=1, max_size=60
)


def table_of_hull(positives, negatives):
    return ScoreTable.from_counts(np.arange(len(positives), 0, -1), positives, negatives)


@given(COUNTS, st.sampled_from([1, 2, 7, 1000]))
def test_chunks_and_weights_have_the_vertices_of_the_definition(counts, chunk):
    positives, negatives = np.array(counts).T
    table = table_of_hull(positives, negatives)
    with pytest.MonkeyPatch.context() as patch:
        engine_sizes.put(patch, hull_chunk_rows=chunk)
        hull = upper_hull(table)
        weighted = upper_hull(table_of_hull(positives * 0.1, negatives * 0.1))
    ends = hull_ends(positives.tolist(), negatives.tolist())
    assert hull.ends.tolist() == weighted.ends.tolist() == ends
    assert hull.true_positives.tolist() == [0, *np.cumsum(positives)[ends]]
    assert hull.false_positives.tolist() == [0, *np.cumsum(negatives)[ends]]
    np.testing.assert_allclose(weighted.positives, hull.positives * 0.1, rtol=1e-15, atol=0)


@given(COUNTS)
def test_counts_of_any_size_have_the_same_hull(counts):
    positives, negatives = np.array(counts).T
    scale = 2**55
    small = upper_hull(table_of_hull(positives, negatives))
    large = upper_hull(table_of_hull(positives * scale, negatives * scale))
    assert large.ends.tolist() == small.ends.tolist()
    assert large.positives.tolist() == (small.positives * scale).tolist()


def test_large_counts_are_told_apart_where_floats_are_not():
    n = 2**60
    # Odds of 1 + 1 / n against 1, which as quotients of float64 are one number.
    assert upper_hull(table_of_hull([n + 1, n], [n, n])).ends.tolist() == [0, 1]
    assert upper_hull(table_of_hull([n, n + 1], [n, n])).ends.tolist() == [1]


def test_the_blocks_are_those_of_isotonic_regression(rng):
    isotonic = pytest.importorskip("sklearn.isotonic")
    labels = rng.random(400) < 0.4
    scores = np.round(rng.normal(size=400) + labels, 1)
    for weight in (None, rng.random(400)):
        table = ScoreTable.from_scores(labels, scores, sample_weight=weight)
        hull = upper_hull(table)
        fit = hull.positives / (hull.positives + hull.negatives)
        assert np.all(np.diff(fit) < 0)
        lengths = np.diff(hull.ends, prepend=-1)
        regression = isotonic.IsotonicRegression().fit(scores, labels, sample_weight=weight)
        np.testing.assert_allclose(
            np.repeat(fit, lengths), regression.predict(table.scores), rtol=1e-12, atol=1e-12
        )


def test_weights_that_are_no_whole_numbers_draw_no_vertex_on_an_edge():
    # 0.1 three times and 0.3 once lie on one line, though 0.1 + 0.1 + 0.1 is not 0.3.
    hull = upper_hull(table_of_hull([0.1, 0.1, 0.1, 0.3], [0.1, 0.1, 0.1, 0.3]))
    assert hull.ends.tolist() == [3]
    assert hull.positives.tolist() == [0.6]


def test_degenerate_tables():
    empty = upper_hull(ScoreTable.from_counts([], [], []))
    assert len(empty.ends) == 0
    assert empty.true_positives.tolist() == [0]
    for one_class in ([3, 1, 1], [0, 0, 0]), ([0, 0, 0], [1, 2, 1]):
        assert upper_hull(table_of_hull(*one_class)).ends.tolist() == [2]
    apart = upper_hull(table_of_hull([2, 3, 0, 0], [0, 0, 1, 4]))
    assert apart.ends.tolist() == [1, 3]
    assert apart.positives.tolist() == [5, 0]


#: Small steps in a wide range: a bucket's keys cannot hold them all.
WIDE = {
    "wide_and_one_ulp_apart": lambda rng, n: np.where(
        rng.random(n) < 0.5, 1.0 + rng.integers(0, 900, n) * 2.0**-52, rng.standard_normal(n)
    ),
    "wide_and_subnormal": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(-9, 9, n) * 5e-324, rng.standard_normal(n)
    ),
    "int64_wide_and_near": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(-(2**63), 2**63 - 1, n), rng.integers(0, 99, n)
    ),
}


def expected(scores: NDArray[Any]) -> tuple[list[int], list[int]]:
    rows = np.argsort(scores, kind="stable")
    ordered = scores[rows].tolist()
    starts = [i for i in range(len(ordered)) if i == 0 or ordered[i] != ordered[i - 1]]
    return rows.tolist(), [*starts, len(ordered)]


def assert_order(order: RowOrder, scores: NDArray[Any]) -> None:
    rows, starts = expected(scores)
    assert order.rows.tolist() == rows
    assert order.starts.tolist() == starts
    assert order.n_distinct == len(starts) - 1
    assert order.is_finite == bool(np.isfinite(scores).all())
    assert order.rows.dtype == order.starts.dtype == np.int32


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", [*KINDS, *WIDE])
def test_every_distribution(rng, kind: str, path: str) -> None:
    scores = (KINDS | WIDE)[kind](rng, 2_500)
    before = scores.copy()
    with thresholds(**PATHS[path]):
        assert_order(row_order(scores), scores)
    np.testing.assert_array_equal(scores, before)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 1_000, 1_001, 65_535, 65_536, 200_003])
@pytest.mark.parametrize("decimals", [0, 2, 17])
def test_every_size(rng, n: int, decimals: int) -> None:
    scores = np.round(rng.standard_normal(n), decimals)
    for some in (scores, np.sort(scores), np.sort(scores)[::-1].copy()):
        assert_order(row_order(some), some)


@given(
    scores=st.lists(
        st.sampled_from([0.0, -0.0, 1.0, 1 + 2**-52, 1 + 2**-51, -1e308, 5e-324, np.inf, -np.inf])
    ),
    dtype=st.sampled_from([np.float32, np.float64]),
    bucket_rows=st.integers(1, 40),
    part_rows=st.integers(1, 60),
    seed=st.integers(0, 9),
)
def test_ties_at_every_cut(scores, dtype, bucket_rows, part_rows, seed) -> None:
    times = np.random.default_rng(seed).integers(1, 9, len(scores))
    with np.errstate(over="ignore"):
        repeated = np.repeat(np.array(scores, np.float64).astype(dtype), times)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordering, "_FEW", 0)
        with thresholds(bucket_rows=bucket_rows, part_rows=part_rows):
            assert_order(row_order(repeated), repeated)
        with thresholds(plain_rows=1 << 40):
            assert_order(row_order(repeated), repeated)


@pytest.mark.parametrize("kind", WIDE)
def test_what_the_shortened_keys_confuse_is_put_right(rng, monkeypatch, kind: str) -> None:
    calls = []

    def spied(*args: Any) -> Any:
        calls.append(args)
        return original(*args)

    original = ordering._ordered_twice
    monkeypatch.setattr(ordering, "_ordered_twice", spied)
    scores = WIDE[kind](rng, 5_000)
    assert_order(row_order(scores), scores)
    assert calls
    calls.clear()
    for exact in ("three_decimals", "float32", "one_ulp_apart", "subnormals"):
        row_order(KINDS[exact](rng, 5_000))
    assert not calls


def test_more_rows_than_four_bytes_number(rng, monkeypatch) -> None:
    monkeypatch.setattr(ordering, "MOST_SHORT", 999)
    for n in (500, 1_500, 70_000):
        scores = np.round(rng.standard_normal(n), 2)
        order = row_order(scores)
        assert order.rows.dtype == order.starts.dtype == (np.int64 if n > 999 else np.int32)
        assert (order.rows.tolist(), order.starts.tolist()) == expected(scores)


@pytest.mark.parametrize("n", [0, 1, 700, 150_000, 400_000])
@pytest.mark.parametrize("n_distinct", [1, 30, 10**9])
def test_values_are_spread_over_the_rows(rng, n: int, n_distinct: int) -> None:
    scores = rng.integers(0, n_distinct, n)
    order = row_order(scores)
    distinct, rank = np.unique(scores, return_inverse=True)
    assert order.n_distinct == len(distinct)
    np.testing.assert_array_equal(order.spread(distinct), scores)
    np.testing.assert_array_equal(order.spread(np.arange(len(distinct), dtype=np.int32)), rank)
    below = order.spread(order.starts[:-1])
    np.testing.assert_array_equal(below, np.searchsorted(np.sort(scores), scores))
    labels = rng.integers(0, 2, n).astype(np.int8)
    both = order.spread_by_class(labels, distinct[::-1], -distinct[::-1])
    np.testing.assert_array_equal(both, np.where(labels == 1, -scores, scores))
    cuts = [0, *(stop for _, stop in order.jobs())]
    assert order.jobs() == list(pairwise(cuts))
    assert cuts[-1] == order.n_distinct


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [10, 5_000, 200_000])
def test_what_is_not_finite_is_noticed(rng, n: int, value: float) -> None:
    for scores in (rng.standard_normal(n), np.sort(rng.standard_normal(n))):
        assert row_order(scores).is_finite
        scores[rng.integers(n)] = value
        order = row_order(scores)
        assert not order.is_finite
        np.testing.assert_array_equal(np.sort(order.rows), np.arange(n))
