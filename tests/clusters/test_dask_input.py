"""Collections of Dask become partitions, with the error messages of data in memory."""

import re
from itertools import chain
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_columns import CONTAINERS

import fastmetrics as fm
import fastmetrics.dask as fmd
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning

pytestmark = pytest.mark.usefixtures("synchronous")
Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0])
S = np.array([0.1, 0.9, 0.4, 0.4, 0.7, 0.2, 0.6, 0.6, 0.3, 0.5])


def delayed(*parts: Any) -> list[Any]:
    return [dask.delayed(part) for part in parts]


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_is_read(name: str) -> None:
    y, s, w = CONTAINERS[name]([Y, S, np.arange(10)], [0, 3, 3, 8])
    assert fmd.roc_auc_score(y, s) == fm.roc_auc_score(Y, S)
    weighted = fm.roc_auc_score(Y, S, sample_weight=np.arange(10))
    assert fmd.roc_auc_score(y, s, sample_weight=w) == weighted


def test_containers_mix() -> None:
    frame = dd.from_pandas(pd.DataFrame({"y": Y, "w": Y + 1}), npartitions=2)
    s = da.from_array(S, chunks=5)
    expected = fm.roc_auc_score(Y, S, sample_weight=Y + 1)
    assert fmd.roc_auc_score(frame.y, s, sample_weight=frame.w) == expected
    assert fmd.roc_auc_score(frame.y, delayed(S[:5], S[5:]), sample_weight=frame.w) == expected


def test_a_file_is_read_once_for_all_columns() -> None:
    calls = []

    def load(i: int) -> Any:
        calls.append(i)
        return pd.DataFrame({"y": Y, "s": S})

    frame = dd.from_map(load, [0, 1], meta=pd.DataFrame({"y": Y[:0], "s": S[:0]}))
    fmd.roc_auc_score(frame.y, frame.s)
    assert sorted(calls) == [0, 1]


def test_dtypes_may_differ_between_partitions() -> None:
    labels = delayed(Y[:3].astype(bool), Y[3:6].astype(np.int8), Y[6:].astype(float))
    scores = delayed(np.float32([0, 1, 2]), np.array([3, 0, 1]), S[6:])
    whole = np.concatenate([[0, 1, 2], [3, 0, 1], S[6:]])
    assert fmd.roc_auc_score(labels, scores) == fm.roc_auc_score(Y, whole)
    assert fmd.score_table(labels, scores) == fm.ScoreTable.from_scores(Y, whole)
    big = delayed(np.array([2**60, 2**60 + 1, 1]), np.array([0.5]))
    with pytest.raises(InputError, match=r"integers beyond 2\*\*53.*in partition 0"):
        fmd.roc_auc_score(delayed([0, 1, 1], [0]), big)


@pytest.mark.parametrize(
    ("parts", "dtype"),
    [
        ([np.int64([2**60 + 1, 1]), np.int64([5, 5])], np.int64),
        ([np.uint8([1, 2]), np.int16([-5, 5])], np.float64),
        ([np.float32([0.1, 2]), np.int16([-5, 5])], np.float64),
        ([np.float32([0.1, 2]), np.array([0.1, 2])], np.float64),
    ],
)
def test_scores_of_several_dtypes_stay_exact(parts: Any, dtype: Any) -> None:
    table = fmd.score_table(delayed([0, 1], [1, 0]), delayed(*parts))
    assert table.scores.dtype == dtype
    exact = sorted({each for part in parts for each in part.tolist()}, reverse=True)
    assert table.scores.tolist() == exact
    whole = np.concatenate([part.astype(dtype) for part in parts])
    assert table == fm.ScoreTable.from_scores([0, 1, 1, 0], whole)


def test_no_dtype_holds_negative_integers_and_the_largest() -> None:
    parts = delayed(np.int64([-1, 2**60]), np.uint64([2**63 + 1, 5]))
    with pytest.raises(InputError, match=r"integers beyond 2\*\*53.*in partition [01]"):
        fmd.score_table(delayed([0, 1], [1, 0]), parts)


def test_large_integers_keep_their_order() -> None:
    s = 2**60 + np.arange(10)[::-1]
    y, scores = delayed(Y[:4], Y[4:]), delayed(s[:4], s[4:])
    for size in (2, 100):
        assert fmd.roc_auc_score(y, scores, range_scores=size) == fm.roc_auc_score(Y, s)


@pytest.mark.parametrize(
    ("y", "positive"), [([-1, 1], 1), ([1, 2], 2), (["a", "b"], "b"), ([False, True], True)]
)
def test_partitions_of_one_class_know_the_labels_of_all(y: list[Any], positive: Any) -> None:
    labels = np.array(y)[np.sort(Y)]  # the first partitions have one class
    parts = delayed(labels[:3], labels[3:5], labels[5:])
    scores = delayed(S[:3], S[3:5], S[5:])
    assert fmd.roc_auc_score(parts, scores) == fm.roc_auc_score(labels, S)
    told = fmd.score_table(parts, scores, pos_label=positive)
    assert told == fm.ScoreTable.from_scores(labels, S, pos_label=positive)
    other = labels.tolist()[0]
    told = fmd.score_table(parts, scores, pos_label=other)
    assert told == fm.ScoreTable.from_scores(labels, S, pos_label=other)


@pytest.mark.parametrize(
    ("y", "s", "more"),
    [
        ([[0, 1], [2, 3]], [[0.1, 0.2], [0.3, 0.4]], {}),  # four classes, two a partition
        ([[0, -1], [1, 1]], [[0.1, 0.2], [0.3, 0.4]], {}),
        ([[5, 7], [5]], [[0.1, 0.2], [0.3]], {}),
        ([["no", "yes"], ["no"]], [[0.1, 0.2], [0.3]], {}),
        ([[0, 1], [1]], [[0.1, 0.2], [0.3]], {"pos_label": 3}),
        ([[], []], [[], []], {}),
    ],
)
def test_labels_of_all_are_judged_as_in_memory(y: Any, s: Any, more: Any) -> None:
    y_all, s_all = list(chain(*y)), list(chain(*s))
    with pytest.raises(InputError) as expected:
        fm.ScoreTable.from_scores(np.array(y_all), np.array(s_all), **more)
    with pytest.raises(type(expected.value), match=f"^{re.escape(str(expected.value))}$"):
        fmd.score_table(delayed(*y), delayed(*map(np.array, s)), **more)


@pytest.mark.parametrize(
    ("y", "s", "w"),
    [
        ([0, 1], [0.5, np.nan], None),
        ([0, 1], [0.5, np.inf], None),
        ([0, np.nan], [0.5, 0.2], None),
        ([0.5, 1], [0.5, 0.2], None),
        ([0, 1], [0.5], None),
        ([0, 1], [1j, 2j], None),
        ([0, 1], [0.5, 0.2], [1, -1]),
        ([0, 1], [0.5, 0.2], [1, np.nan]),
        (pd.array([0, None], "Int64"), [0.5, 0.2], None),
        ([0, 1], pd.array([0.5, None], "Float64"), None),
    ],
)
def test_what_is_wrong_with_a_partition_is_said_as_in_memory(y: Any, s: Any, w: Any) -> None:
    options = {} if w is None else {"sample_weight": np.array(w)}
    with pytest.raises(InputError) as expected:
        fm.ScoreTable.from_scores(y, s, **options)
    more = {} if w is None else {"sample_weight": delayed(np.array([1.0, 2.0]), np.array(w))}
    message = re.escape(f"{expected.value} (in partition 1)")
    with pytest.raises(type(expected.value), match=f"^{message}$"):
        fmd.score_table(delayed([0, 1], y), delayed([0.1, 0.2], s), **more)


def test_weights_that_are_zero_in_one_partition_are_no_error() -> None:
    y, s = delayed([0, 1], [0, 1]), delayed([0.1, 0.2], [0.3, 0.1])
    assert fmd.roc_auc_score(y, s, sample_weight=delayed(np.zeros(2), np.array([1.0, 2.0]))) == 0.0
    with pytest.raises(InputError, match="must not be all zero: 4 rows"):
        fmd.roc_auc_score(y, s, sample_weight=delayed(np.zeros(2), np.zeros(2)))


def test_partitions_have_to_belong_together() -> None:
    y, s = da.from_array(Y, chunks=5), da.from_array(S, chunks=5)
    with pytest.raises(InputError, match=r"`y_true` 2, `y_score` 3: `\.repartition`"):
        fmd.roc_auc_score(y, delayed(S[:2], S[2:4], S[4:]))
    with pytest.raises(InputError, match=r"lengths differ|differ in length"):
        fmd.roc_auc_score(y, s[:8])
    frame = dd.from_pandas(pd.DataFrame({"y": Y, "s": S}), npartitions=2)
    other = dd.from_pandas(pd.DataFrame({"s": S}), npartitions=3)
    third = dd.from_pandas(pd.DataFrame({"w": np.ones(len(S))}), npartitions=4)
    for more in ({}, {"sample_weight": third.w}):
        with pytest.raises(InputError, match="`y_true` and `y_score` have other divisions"):
            fmd.roc_auc_score(frame.y, other.s, **more)
    with pytest.raises(InputError, match=r"row labels \(an index\).*in partition 0"):
        fmd.roc_auc_score(
            delayed(pd.Series([0, 1], index=[4, 5])), delayed(pd.Series([0.1, 0.2], index=[5, 4]))
        )


def test_what_is_in_memory_is_sent_there() -> None:
    with pytest.raises(InputTypeError, match=r"`y_true` must be a column of a Dask dataframe"):
        fmd.roc_auc_score(Y, S)
    with pytest.raises(InputTypeError, match=r"`y_score` must be a column.*got builtins\.list"):
        fmd.roc_auc_score(da.from_array(Y), S.tolist())
    with pytest.raises(InputError, match="empty list"):
        fmd.roc_auc_score([], [])


def test_one_class_is_undefined() -> None:
    y, s = delayed([1, 1], [1]), delayed([0.1, 0.2], [0.3])
    with pytest.warns(UndefinedMetricWarning, match="Only one class"):
        assert np.isnan(fmd.roc_auc_score(y, s))
    with pytest.warns(UndefinedMetricWarning, match="one class only"):
        assert np.isnan(fmd.evaluate(y, s)["score"].roc_auc)
    assert fmd.average_precision_score(y, s) == 1.0
