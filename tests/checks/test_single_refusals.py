"""What one function alone refuses is named in its message; faults of many are tests/properties'."""

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import dask
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import fastmetrics as fm
import fastmetrics.dask as on_dask
from fastmetrics.selection import evaluate_estimator, tune_estimator

Y = np.array([0, 1, 1, 0, 1])
SCORES = np.array([0.1, 0.9, 0.8, 0.3, 0.4])
MODELS = {"candidate": SCORES, "baseline": SCORES[::-1]}
THREE = np.array([2, 1, 0, 2, 1])
COLUMNS = np.full((5, 3), 0.25) + 0.25 * np.eye(3)[THREE]
TWO = np.zeros((5, 2))
HALVES = ["a", "a", "b", "b", "b"]
MATRIX = fm.ConfusionMatrix.from_counts([[50, 9], [11, 40]])
FLIPPED = fm.ConfusionMatrix.from_counts([[40, 11], [9, 50]], labels=[1, 0])
PARTS = [dask.delayed(np.array(part)) for part in ([0, 1], [1, 0])]
TEXT_OR_NUMBERS = [dask.delayed(np.array(part)) for part in (["a", "b"], [0, 1])]
TIMED = ("concordance_index", {"higher_score_means": "longer-time"})
HUGE = fm.ConfusionMatrix.from_labels(Y, Y, sample_weight=np.full(5, 1e300))


def micro(matrices: Any, *args: Any) -> float:
    return fm.macro_micro(matrices, *args, metrics="f1_micro")


def rankings(*args: Any, **kwargs: Any) -> fm.RankingTable:
    return fm.RankingTable.from_scores(*(args or (Y, SCORES)), **kwargs)


def of_rankings(*metrics: Any) -> Any:
    return fm.estimate(Y, SCORES, query=HALVES, metrics=metrics)


def squared(y_true: Any, y_pred: Any, **kwargs: Any) -> float:
    return fm.mean_squared_error(y_true, y_pred, **kwargs)


def evaluated(**kwargs: Any) -> Any:
    return fm.evaluate(np.tile(Y, 20), np.tile(SCORES, 20), **kwargs)


MESSAGES: dict[str, Callable[[], Any]] = {
    "matrices come without `y_pred`": lambda: micro({"a": MATRIX}, Y),
    "matrices alone: got int at 'b'": lambda: micro({"a": MATRIX, "b": 3}),
    "of two classes: got 3 classes at 'a'": lambda: micro(
        {"a": fm.ConfusionMatrix.from_labels(THREE, THREE)}
    ),
    "`y_true` must hold one matrix or more: got none": lambda: micro({}),
    "matrices whose weights are scaled differently": lambda: micro([MATRIX, HUGE]),
    "of one positive label: got 0 and 1": lambda: micro([MATRIX, FLIPPED]),
    "`matrix` must be a ConfusionMatrix: got list": lambda: fm.count_metric([[1]], "precision"),
    "not empty: got shape (2, 2, 2)": lambda: rankings(np.ones((2, 2, 2)), np.ones((2, 2, 2))),
    "`query` and `indptr` say the same": lambda: rankings(query=HALVES, indptr=[0, 5]),
    "`ids` must name each of the 5 items: got 2": lambda: rankings(ids=[1, 2]),
    "`n_relevant` by name needs `query`": lambda: rankings(n_relevant={"a": 1}),
    "no number for query 'b'": lambda: rankings(query=HALVES, n_relevant={"a": 1}),
    "`n_relevant` must be counts": lambda: rankings(n_relevant=[-1]),
    "`relevance` must be finite": lambda: rankings([0, np.inf], [0.1, 0.2]),
    "of queries and without cannot": lambda: rankings() + rankings(query=HALVES),
    "query 'a' is in both tables": lambda: rankings(query=HALVES) + rankings(query=HALVES),
    "`name` must be a string: got int": lambda: fm.register_metric(3, max),
    "`name` must not be empty": lambda: fm.register_metric("", max),
    "'f1_score', which is no metric of rankings": lambda: of_rankings(fm.f1_score),
    "'ndcg@3' a cut-off, and 'k' beside it": lambda: of_rankings(("ndcg@3", {"k": 2})),
    "one of rankings is `estimate(": lambda: fm.bootstrap(Y, SCORES, metrics="ndcg@3"),
    "`roc_curve` returns tuple": lambda: fm.bootstrap(Y, SCORES, metrics=fm.roc_curve),
    "shapes (5, 2) and (5, 3)": lambda: squared(TWO, COLUMNS),
    "`multioutput` must hold real": lambda: squared(TWO, TWO, multioutput=["a", "b"]),
    "`multioutput` must not sum to zero": lambda: squared(TWO, TWO, multioutput=[1, -1]),
    "(n,) or (n, k): got (5, 2, 1)": lambda: squared(TWO[..., None], TWO[..., None]),
    "the former name of `y_proba`": lambda: fm.log_loss(Y, SCORES, y_pred=SCORES),
    "`y_true` must not be negative: -2.0 at": lambda: fm.costs.lorenz_gini([1, -2.0], [1, 2]),
    "`estimator` must have `get_params`": lambda: tune_estimator(
        SimpleNamespace(fit=max, predict=max), TWO, Y, {"C": [1]}
    ),
    "`cv` must be a number of folds": lambda: evaluate_estimator(
        LogisticRegression(), TWO, Y, cv=3.5
    ),
    "must have one number a row to draw": lambda: fm.plots.plot_residuals(TWO, {"a": TWO}),
    "residuals need 20 rows to draw: got 5": lambda: fm.plots.plot_residuals(SCORES, SCORES),
    "`threshold` is of scores of two classes": lambda: fm.estimate(
        THREE, COLUMNS, metrics="log_loss", threshold=0.5
    ),
    "scores where labels are needed": lambda: fm.compare(Y, MODELS, metrics=["f1", "roc_auc"]),
    "no parameter of `report`: did you mean `band`?": lambda: fm.report(Y, SCORES, bandd=None),
    "the slices are 'x=a', 'x=b'": lambda: evaluated(slices={"x": HALVES * 20}).slices["x"],
    "the rules are 'roc_auc'": lambda: fm.gate(Y, MODELS, margins={"roc_auc": 0.1})["f1"],
    "'roc_auc', which is a metric of the table": lambda: evaluated(
        metrics={"roc_auc": "f1"}, threshold=0.5, n_resamples=9
    ),
    "'roc_auc_ovr' has no replicates of several": lambda: fm.paired_bootstrap(
        THREE, {"a": COLUMNS, "b": COLUMNS}, metrics="roc_auc_ovr"
    ),
    "`threshold` is of classes: censored": lambda: fm.estimate(
        SCORES, SCORES, event=Y, metrics=TIMED, threshold=0.5
    ),
    "text in partition 0 and numbers in": lambda: on_dask.score_table(TEXT_OR_NUMBERS, PARTS),
    "`groups` holds text in some partitions": lambda: on_dask.estimate(
        PARTS, PARTS, groups=TEXT_OR_NUMBERS, metrics="roc_auc"
    ),
    "at least one model: got none": lambda: on_dask.compare(PARTS, {}, metrics="roc_auc"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("message", MESSAGES)
def test_the_message_names_what_is_wrong(message: str) -> None:
    with pytest.raises(fm.InputError, match=re.escape(message)):
        MESSAGES[message]()
