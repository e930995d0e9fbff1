"""Rows go by position: inputs of pandas that label them otherwise are refused, by every function.

scikit-learn's namesakes go on, and warn of the same labels in another order.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import itertools
import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.calibration
import sklearn.metrics

import fastmetrics as fm
from public import NAMES, public

Y = np.array([0, 1, 1, 0, 1, 0, 0, 1])
P = np.array([0.2, 0.7, 0.6, 0.6, 0.9, 0.65, 0.1, 0.3])
USERS, OTHERS = list("abcdefgh"), list("bacdefgh")

FUNCTIONS = [name for name in NAMES if inspect.isfunction(public(name))]
#: Those that do as scikit-learn's do.
NAMESAKES = {*dir(sklearn.metrics), *dir(sklearn.calibration)} & set(FUNCTIONS)
#: Parameters that hold a value for something else than a row.
NOT_OF_ROWS = set(
    """after before censoring cost_matrix counts datasets error_rate fractions grid labels
    metric_params metrics multioutput n_relevant names parameters pvalues replace_undefined_by
    target_names thresholds times values""".split()
)
#: Parameters that hold a value for each row.
OF_ROWS = {
    *("X", "correct", "event", "groups", "ids", "item", "out_of_bag", "pred_decision"),
    *("predictions", "query", "relevance", "resampled_predictions", "sample_weight", "score"),
    *("scores", "time", "x", "y", "y1", "y2", "y_pred", "y_prob", "y_proba"),
    *("y_score", "y_true", "cost_fn", "cost_fp", "error_rates", "ranks", "strata"),
    *("columns", "group", "loss", "model", "repeat", "slices"),
    *(f"{name}_{part}" for name in "Xy" for part in ("train", "test")),
    *(
        f"{name}_{model}"
        for name in ("groups", "sample_weight", "scores", "y_pred", "y_score", "y_true")
        for model in "ab"
    ),
}
#: Functions of two samples, whose rows have nothing in common.
UNPAIRED = {"delong_unpaired_test"}
#: Numbers, where other functions take columns.
NUMBERS = {"best_threshold", "evaluate", "expected_cost"}


def test_every_parameter_that_takes_an_array_is_known() -> None:
    names = {
        parameter.name
        for name in FUNCTIONS
        for parameter in inspect.signature(public(name)).parameters.values()
        if "ArrayLike" in str(parameter.annotation) and "int |" not in str(parameter.annotation)
    }
    assert names <= OF_ROWS | NOT_OF_ROWS
    assert not OF_ROWS & NOT_OF_ROWS


def pairs_of(name: str) -> list[tuple[str, str]]:
    """Return the pairs of parameters that have the same rows."""
    columns = [each for each in inspect.signature(public(name)).parameters if each in OF_ROWS]
    ends = ("_a", "_b") if name in UNPAIRED else ("_train", "_test")
    rows = {each: next((end for end in ends if each.endswith(end)), "") for each in columns}
    return [pair for pair in itertools.combinations(columns, 2) if rows[pair[0]] == rows[pair[1]]]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if pairs_of(name)])
def test_no_function_forgets_a_column(name: str) -> None:
    """Rows are judged before anything else: other arguments need not be there."""
    function = public(name)
    y = pd.Series(Y, index=USERS)
    for one, other in pairs_of(name):
        message = rf"`{one}` and `{other}` have row labels \(an index\) in another order: 'a' and "
        given = {one: y, other: y.set_axis(OTHERS)}
        if name not in NAMESAKES:
            with pytest.raises(fm.InputError, match=message):
                function(**given)
            continue
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with contextlib.suppress(TypeError, ValueError):
                function(**given)
        assert issubclass(warned[0].category, fm.DataConversionWarning)
        assert re.match(message, str(warned[0].message))
        assert warned[0].filename == __file__


def test_rows_that_were_shuffled() -> None:
    """Numbers of rows, of which one column has the order and another has lost it."""
    y, scores = pd.Series(Y), pd.Series(P)
    assert fm.evaluate(y, scores) == fm.evaluate(Y, P)
    message = r"`y_true` and `scores` .* in another order: 0 and \d at row 0"
    for shuffled in (scores.sample(frac=1, random_state=1), scores[::-1]):
        with pytest.raises(fm.InputError, match=message):
            fm.evaluate(y, shuffled)
        with pytest.raises(fm.InputError, match=message):
            fm.evaluate(y[::-1].set_axis(y.index), shuffled)
        assert fm.evaluate(y, shuffled.reindex(y.index)) == fm.evaluate(Y, P)
    half = scores.set_axis(range(8, 16))  # other rows: predictions in a series of their own
    assert fm.evaluate(y, half) == fm.evaluate(y, scores.set_axis(USERS)) == fm.evaluate(Y, P)
    with pytest.warns(fm.DataConversionWarning, match="in another order: 0 and 7 at row 0"):
        assert fm.roc_auc_score(y, scores[::-1]) == fm.roc_auc_score(Y, P[::-1])


def test_namesakes_are_silent_about_other_labels() -> None:
    y, p = pd.Series(Y, index=USERS), pd.Series(P, index=list("stuvwxyz"))
    assert fm.roc_auc_score(y, p) == fm.roc_auc_score(Y, P)
    with pytest.raises(fm.InputError, match="that are not the same: 'a' and 's' at row 0"):
        fm.rank_loss(y, p)


def updated(make: Callable[[], Any], y: Any, p: Any, *more: Any) -> None:
    make().update(y, p, *more)


METHODS: dict[str, Callable[..., Any]] = {
    "from_labels": fm.ConfusionMatrix.from_labels,
    "from_scores": partial(fm.ConfusionMatrix.from_scores, threshold=0.5),
    "update": partial(updated, fm.ConfusionMatrix),
    "binned": partial(updated, fm.streams.BinnedScoreTable),
    "runs": partial(updated, fm.streams.ScoreRuns),
    "ScoreTable": fm.ScoreTable.from_scores,
    "RegressionTable": fm.RegressionTable.from_arrays,
    "RankingTable": fm.RankingTable.from_scores,
    "splitter": lambda y, p: fm.selection.Folds(2, rng=1).split(p, y),
    "groups of a splitter": lambda y, p: fm.selection.GroupedFolds(2, rng=1).split(
        Y, y, p * 100 // 1
    ),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_refuse_rows_in_another_order(name: str) -> None:
    labels = name in ("from_labels", "update")
    y = pd.Series(Y, index=USERS)
    p = pd.Series((P > 0.5).astype(int) if labels else P)
    METHODS[name](y, p)
    METHODS[name](y, p.set_axis(USERS))
    with pytest.raises(fm.InputError, match=r"have row labels .* in another order: '[ab]' and "):
        METHODS[name](y, p.set_axis(OTHERS))


def test_scorers_refuse_rows_in_another_order() -> None:
    from sklearn.dummy import DummyClassifier

    X = pd.DataFrame({"p": P}, index=USERS)
    y = pd.Series(Y, index=USERS)
    scorer = fm.scorer("accuracy")
    dummy = DummyClassifier().fit(X, y)
    assert scorer(dummy, X, y) == 0.5
    with pytest.raises(fm.InputError, match="`X` and `y` have row labels"):
        scorer(dummy, X, y.set_axis(OTHERS))


def test_what_fails_changes_no_stream() -> None:
    matrix = fm.ConfusionMatrix.from_labels(Y, Y)
    before = copy.copy(matrix)
    with pytest.raises(ValueError, match="have row labels"):
        matrix.update(pd.Series(Y, index=USERS), pd.Series(Y, index=OTHERS))
    assert matrix == before


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
    if len(one) != len(other):
        with pytest.raises(fm.InputError, match="lengths differ"):
            fm.concordance.kendall_tau(series(one), series(other))
        return
    assert fm.concordance.kendall_tau(series(one), series(other)) == 1.0
    for unlabelled in ([1, 2, 3], (1, 2, 3), np.arange(3)):
        assert fm.concordance.kendall_tau(unlabelled, series(other)) == 1.0


@pytest.mark.parametrize(("one", "other", "message"), DIFFERENT)
def test_indexes_that_contradict(one: Any, other: Any, message: str) -> None:
    pattern = rf"`y_true` and `y_score_b` have row labels \(an index\) {message}"
    with pytest.raises(ValueError, match=pattern):
        fm.dominance(series(one), np.arange(3), series(other))
    with pytest.raises(ValueError, match="`y_score_a` and `y_score_b` have row labels"):
        fm.dominance(series(range(3)), series(one).to_frame(), series(other))


def test_the_numbers_of_a_long_range_are_not_written_out() -> None:
    """Asking a RangeIndex for its values makes an array that the user's series then keeps."""
    y, p = pd.Series(np.arange(1000) % 2), pd.Series(np.arange(1000) / 1000)
    fm.ScoreTable.from_scores(y, p)
    fm.ScoreTable.from_scores(y, p.set_axis(np.arange(1000)[::-1] + 1))
    assert "_data" not in y.index._cache
    with pytest.raises(fm.InputError, match="in another order: 0 and 999 at row 0"):
        fm.evaluate(y, p[::-1])
