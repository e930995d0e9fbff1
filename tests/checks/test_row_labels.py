"""Rows go by position: two inputs of pandas that label them differently are refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fastmetrics as fm
from fastmetrics._input.rows import check_same_index

pytestmark = pytest.mark.filterwarnings("ignore::fastmetrics.errors.SmallSampleWarning")

Y = np.array([0, 1, 1, 0, 1, 0, 0, 1])
P = np.array([0.2, 0.7, 0.6, 0.6, 0.9, 0.65, 0.1, 0.3])
W = np.arange(1, 9)
USERS = list("abcdefgh")
OTHERS = [*"bacdefgh"]
FEW: dict[str, Any] = {"n_resamples": 20, "rng": 1}


def updated(make: Callable[[], Any], y: Any, p: Any) -> Any:
    matrix = make()
    matrix.update(y, p)
    return matrix


def two(function: Any) -> Any:
    """Return a function of two models as one of the first of them."""
    return lambda y, p, **options: function(y, {"a": p, "b": (P - 0.5) ** 2}, **options)


def called(function: Any) -> Any:
    """Return a function of labels as one of probabilities."""
    return lambda y, p, **options: function(y, p > 0.5, **options)


OURS = {
    "evaluate": fm.evaluate,
    "evaluate, by name": lambda y, p, **options: fm.evaluate(y, {"score": p}, **options),
    "bootstrap": partial(fm.bootstrap, **FEW),
    "bootstrap of labels": called(partial(fm.bootstrap, metrics="accuracy", **FEW)),
    "bootstrap of values": partial(fm.bootstrap, metrics="mean_squared_error", **FEW),
    "paired_bootstrap": two(partial(fm.paired_bootstrap, **FEW)),
    "paired_bootstrap of values": two(
        partial(fm.paired_bootstrap, metrics="mean_squared_error", **FEW)
    ),
    "delong": fm.delong,
    "delong of groups": partial(fm.delong, groups=np.arange(8) // 2),
    "delong_test": two(fm.delong_test),
    "roc_band": partial(fm.roc_band, **FEW),
    "pr_band": partial(fm.pr_band, **FEW),
    "ScoreTable": fm.ScoreTable.from_scores,
    "from_labels": called(fm.ConfusionMatrix.from_labels),
    "from_scores": partial(fm.ConfusionMatrix.from_scores, threshold=0.5),
    "RegressionTable": fm.RegressionTable.from_arrays,
}
NO_WEIGHTS = {
    "paired_permutation_test": two(partial(fm.paired_permutation_test, **FEW)),
    "update": called(partial(updated, fm.ConfusionMatrix)),
    "window": called(partial(updated, partial(fm.WindowedConfusionMatrix, 5))),
    "decay": called(partial(updated, partial(fm.DecayedConfusionMatrix, half_life=5))),
}


@pytest.mark.parametrize("name", [*OURS, *NO_WEIGHTS])
def test_rows_in_another_order_are_refused(name: str) -> None:
    function = (OURS | NO_WEIGHTS)[name]
    y = pd.Series(Y, index=USERS)
    message = (
        r"`y_true` and `.*` have row labels \(an index\) in another order: 'a' and 'b' at row 0; "
        r"align them with `.reindex`, or pass `.to_numpy\(\)`"
    )
    with pytest.raises(ValueError, match=message):
        function(y, pd.Series(P, index=OTHERS))
    one_way, other = pd.Series(P, index=USERS), pd.Series(P, index=OTHERS)
    function(y, one_way)
    function(y, other.reindex(y.index))
    function(y, other.to_numpy())
    function(y.to_numpy(), other)
    function(y.reset_index(drop=True), other)


@pytest.mark.parametrize("name", OURS)
def test_weights_have_the_rows_of_the_labels(name: str) -> None:
    function, y = OURS[name], pd.Series(Y, index=USERS)
    function(y, P, sample_weight=pd.Series(W, index=USERS))
    with pytest.raises(ValueError, match="`y_true` and `sample_weight` have row labels"):
        function(y, P, sample_weight=pd.Series(W, index=OTHERS))


def test_groups_have_the_rows_of_the_labels() -> None:
    y, groups = pd.Series(Y, index=USERS), pd.Series(np.arange(8) // 2, index=OTHERS)
    for function in (fm.delong, OURS["bootstrap"], partial(fm.evaluate, **FEW), OURS["roc_band"]):
        with pytest.raises(ValueError, match="`y_true` and `groups` have row labels"):
            function(y, P, groups=groups)


def test_frames_of_models_and_of_classes() -> None:
    y = pd.Series(Y, index=USERS)
    frame = pd.DataFrame({"a": P, "b": (P - 0.5) ** 2}, index=OTHERS)
    with pytest.raises(ValueError, match=r"`y_true` and `scores\['a'\]` have row labels"):
        fm.delong_test(y, frame)
    fm.delong_test(y, frame.reindex(y.index))
    classes = pd.Series([0, 1, 2, 0, 1, 2, 0, 1], index=USERS)
    proba = np.full((8, 3), 0.25) + np.eye(3)[[0, 1, 1, 0, 1, 2, 2, 1]] / 4
    given: dict[str, Any] = {"n_resamples": 20, "rng": 1}
    fm.multiclass_bootstrap(classes, pd.DataFrame(proba, index=USERS), **given)
    with pytest.raises(ValueError, match="`y_true` and `y_score` have row labels"):
        fm.multiclass_bootstrap(classes, pd.DataFrame(proba, index=OTHERS), **given)


def test_what_fails_changes_no_stream() -> None:
    matrix = fm.ConfusionMatrix.from_labels(Y, Y)
    before = copy.copy(matrix)
    with pytest.raises(ValueError, match="have row labels"):
        matrix.update(pd.Series(Y, index=USERS), pd.Series(Y, index=OTHERS))
    assert matrix == before


def test_namesakes_of_scikit_learn_go_by_position() -> None:
    y, p = pd.Series(Y, index=USERS), pd.Series(P, index=OTHERS)
    assert fm.roc_auc_score(y, p) == fm.roc_auc_score(Y, P)
    assert fm.average_precision_score(y, p) == fm.average_precision_score(Y, P)
    assert fm.f1_score(y, p > 0.5) == fm.f1_score(Y, P > 0.5)
    assert fm.mean_squared_error(y, p) == fm.mean_squared_error(Y, P)
    assert fm.confusion_matrix(y, p > 0.5).tolist() == fm.confusion_matrix(Y, P > 0.5).tolist()


STAMPS = pd.date_range("2026-01-01", periods=3)
SAME: list[tuple[Any, Any]] = [
    ([5, 3, 4], [5, 3, 4]),
    ([5, 3, 4], np.array([5.0, 3.0, 4.0])),
    ([1, 1, 2], [1, 1, 2]),
    (["a", np.nan, None], ["a", np.nan, np.nan]),
    (STAMPS, STAMPS.copy()),
    (STAMPS, STAMPS.astype(object)),
    (pd.CategoricalIndex(["x", "y", "x"]), ["x", "y", "x"]),
    (
        pd.MultiIndex.from_product([["a"], [1, 2, 3]]),
        pd.MultiIndex.from_product([["a"], [1, 2, 3]]),
    ),
    (pd.RangeIndex(10, 16, 2), [10, 12, 14]),
    ([5, 3, 4], range(3)),  # predictions in a series of their own
    (range(3), [5, 3, 4]),
    ([5, 3, 4], [0, 1, 2]),
    (np.array([0, 1, 2], np.uint8), list("abc")),
    ([5, 3], [5, 3, 4]),  # lengths are another check
]
DIFFERENT: list[tuple[Any, Any, str]] = [
    ([5, 3, 4], [3, 5, 4], "in another order: 5 and 3 at row 0"),
    ([5, 3, 4], [5, 3, 9], "that are not the same: 4 and 9 at row 2"),
    ([0, 1, 3], [3, 1, 0], "in another order: 0 and 3 at row 0"),
    (["a", "b", "c"], ["a", "c", "b"], "in another order: 'b' and 'c' at row 1"),
    ([1, 2, 4], ["1", "2", "4"], "that are not the same: 1 and '1' at row 0"),
    (["a", None, "c"], ["a", "b", "c"], "that are not the same: "),
    (pd.Index([7, pd.NA, 9], dtype="Int64"), [7, 8, 9], "that are not the same: "),
    (STAMPS, STAMPS[::-1], "in another order: Timestamp"),
    (pd.RangeIndex(3, 6), pd.RangeIndex(6, 9), "that are not the same: 3 and 6 at row 0"),
    (pd.RangeIndex(3, 0, -1), pd.RangeIndex(1, 4), "in another order: 3 and 1 at row 0"),
    (
        pd.MultiIndex.from_product([["a"], [1, 2, 3]]),
        pd.MultiIndex.from_product([["a"], [1, 3, 2]]),
        r"in another order: \('a', 2\) and \('a', 3\) at row 1",
    ),
]


def series(index: Any) -> pd.Series[Any]:
    return pd.Series(np.arange(len(index)), index=index)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_indexes_that_do_not_contradict(one: Any, other: Any) -> None:
    check_same_index(a=series(one), b=None, c=series(other), d=[1, 2, 3], e=(1, 2, 3), f="123")


@pytest.mark.parametrize(("one", "other", "message"), DIFFERENT)
def test_indexes_that_contradict(one: Any, other: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"`a` and `c` have row labels \(an index\) {message}"):
        check_same_index(a=series(one), b=np.arange(3), c=series(other))
    with pytest.raises(ValueError, match="`b` and `c` have row labels"):
        check_same_index(a=series(range(3)), b=series(one).to_frame(), c=series(other))


def test_the_numbers_of_a_long_range_are_not_written_out() -> None:
    """Asking a RangeIndex for its values makes an array that the user's series then keeps."""
    y, p = pd.Series(np.arange(1000) % 2), pd.Series(np.arange(1000) / 1000)
    fm.ScoreTable.from_scores(y, p)
    fm.ScoreTable.from_scores(y, p.set_axis(np.arange(1000)[::-1]))
    assert "_data" not in y.index._cache
