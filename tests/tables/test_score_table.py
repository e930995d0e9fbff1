"""``ScoreTable``: what goes in is checked, what is in it stays, and merging has laws."""

import copy
import dataclasses
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from table_samples import LARGE, labels_of

from fastmetrics import ScoreTable, ks_statistic, roc_auc_score
from reference import pair_oracle as oracle


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
    almost = ScoreTable.from_counts([2.0], [2**62 - 1], [1])
    assert (half + almost).n_positive == 2**63 - 1
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


@pytest.mark.parametrize("n", [7, 3_000, LARGE])
def test_what_a_caller_holds_is_neither_kept_nor_written_to(rng, n: int) -> None:
    """Kernels see a read-only view of all of an array as that array, which may be the caller's."""
    arrays = labels_of(rng, n, 0.3), np.arange(n, 0.0, -1), rng.integers(0, 4, n)
    before = [array.copy() for array in arrays]
    views = [array.view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    for weight in (None, views[2], views[2] / 3):
        table = ScoreTable.from_scores(views[0], views[1], sample_weight=weight)
        again = ScoreTable(table.scores, table.positives, table.negatives)
        for mine in (*table._columns(), *again._columns()):
            assert not any(np.may_share_memory(mine, array) for array in arrays)
        roc_auc_score(table)
        assert again == table == table + ScoreTable.from_counts([], [], [])
    for array, was in zip(arrays, before, strict=True):
        assert np.array_equal(array, was)


def test_copies_need_no_check_and_are_read_only() -> None:
    table = ScoreTable.from_scores([0, 1, 1], [-np.inf, np.inf, 0.5], allow_inf=True)
    for twin in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table)):
        assert twin == table
        assert (twin.n_positive, twin.n_negative) == (2, 1)
        assert not any(column.flags.writeable for column in twin._columns())


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
