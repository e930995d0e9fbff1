"""Refusals of one function alone name what is wrong; `tests/properties` has those of many."""

import re
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import dask
import numpy as np
import pyarrow as pa
import pytest

import fastmetrics as fm
import fastmetrics.dask as on_dask
from fastmetrics.selection import tune_estimator

Y = np.array([0, 1, 1, 0, 1])
SCORES = np.array([0.1, 0.9, 0.8, 0.3, 0.4])
MODELS = {"candidate": SCORES, "baseline": SCORES[::-1]}
THREE = np.array([2, 1, 0, 2, 1])
COLUMNS = np.full((5, 3), 0.25) + 0.25 * np.eye(3)[THREE]
TWO = np.zeros((5, 2))
CUBE = np.zeros((5, 2, 1))
HALVES = ["a", "a", "b", "b", "b"]
MATRIX = fm.ConfusionMatrix.from_counts([[50, 9], [11, 40]])
FLIPPED = fm.ConfusionMatrix.from_counts([[40, 11], [9, 50]], labels=[1, 0])
PARTS = [dask.delayed(np.array(part)) for part in ([0, 1], [1, 0])]
TEXT_OR_NUMBERS = [dask.delayed(np.array(part)) for part in (["a", "b"], [0, 1])]
BARE = SimpleNamespace(fit=max, predict=max)
LARGER = fm.ConfusionMatrix.from_labels(THREE, THREE)
HUGE = fm.ConfusionMatrix.from_labels(Y, Y, sample_weight=np.full(5, 1e300))


micro = partial(fm.macro_micro, metrics="f1_micro")
rankings = partial(fm.RankingTable.from_scores, Y, SCORES)
by_query = partial(fm.estimate, Y, SCORES, query=HALVES)
squared = fm.mean_squared_error
evaluated = partial(fm.evaluate, np.tile(Y, 20), np.tile(SCORES, 20))
timed = partial(fm.estimate, SCORES, SCORES, event=Y)
TIMED = ("concordance_index", {"higher_score_means": "longer-time"})

MESSAGES: dict[str, Callable[[], Any]] = {
    "matrices come without `y_pred`": lambda: micro({"a": MATRIX}, Y),
    "matrices alone: got int at 'b'": lambda: micro({"a": MATRIX, "b": 3}),
    "of two classes: got 3 classes at 'a'": lambda: micro({"a": LARGER}),
    "`y_true` must hold one matrix or more: got none": lambda: micro({}),
    "matrices whose weights are scaled differently": lambda: micro([MATRIX, HUGE]),
    "of one positive label: got 0 and 1": lambda: micro([MATRIX, FLIPPED]),
    "`matrix` must be a ConfusionMatrix: got list": lambda: fm.count_metric([[1]], "precision"),
    "not empty: got shape (5, 2, 1)": lambda: fm.RankingTable.from_scores(CUBE, CUBE),
    "`query` and `indptr` say the same": lambda: rankings(query=HALVES, indptr=[0, 5]),
    "`ids` must name each of the 5 items: got 2": lambda: rankings(ids=[1, 2]),
    "`n_relevant` by name needs `query`": lambda: rankings(n_relevant={"a": 1}),
    "no number for query 'b'": lambda: rankings(query=HALVES, n_relevant={"a": 1}),
    "`n_relevant` must be counts": lambda: rankings(n_relevant=[-1]),
    "`relevance` must be finite": lambda: fm.RankingTable.from_scores([np.inf], [0.1]),
    "of queries and without cannot": lambda: rankings() + rankings(query=HALVES),
    "query 'a' is in both tables": lambda: rankings(query=HALVES) + rankings(query=HALVES),
    "`name` must be a string: got int": lambda: fm.register_metric(3, max),
    "`name` must not be empty": lambda: fm.register_metric("", max),
    "'f1_score', which is no metric of rankings": lambda: by_query(metrics=fm.f1_score),
    "'ndcg@3' a cut-off, and 'k' beside it": lambda: by_query(metrics=("ndcg@3", {"k": 2})),
    "one of rankings is `estimate(": lambda: fm.bootstrap(Y, SCORES, metrics="ndcg@3"),
    "`roc_curve` returns tuple": lambda: fm.bootstrap(Y, SCORES, metrics=fm.roc_curve),
    "shapes (5, 2) and (5, 3)": lambda: squared(TWO, COLUMNS),
    "`multioutput` must hold real": lambda: squared(TWO, TWO, multioutput=["a", "b"]),
    "`multioutput` must not sum to zero": lambda: squared(TWO, TWO, multioutput=[1, -1]),
    "(n,) or (n, k): got (5, 2, 1)": lambda: squared(CUBE, CUBE),
    "the former name of `y_proba`": lambda: fm.log_loss(Y, SCORES, y_pred=SCORES),
    "`y_true` must not be negative: -2.0 at": lambda: fm.costs.lorenz_gini([1, -2.0], [1, 2]),
    "`estimator` must have `get_params`": lambda: tune_estimator(BARE, TWO, Y, {"C": [1]}),
    "must have one number a row to draw": lambda: fm.plots.plot_residuals(TWO, {"a": TWO}),
    "residuals need 20 rows to draw: got 5": lambda: fm.plots.plot_residuals(SCORES, SCORES),
    "`threshold` is of scores of two classes": lambda: fm.estimate(
        THREE, COLUMNS, metrics="log_loss", threshold=0.5
    ),
    "the slices are 'x=a', 'x=b'": lambda: evaluated(slices={"x": HALVES * 20}).slices["x"],
    "the rules are 'roc_auc'": lambda: fm.gate(Y, MODELS, margins={"roc_auc": 0.1})["f1"],
    "'roc_auc', which is a metric": lambda: evaluated(metrics={"roc_auc": "f1"}, n_resamples=9),
    "`y_true` must be finite: nan": lambda: fm.metric_at_thresholds([np.nan], [1], fm.f1_score),
    "`threshold` is of classes: censored": lambda: timed(metrics=TIMED, threshold=0.5),
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


UNDEFINED: dict[str, Callable[[], Any]] = {
    "the lowest cost is not": lambda: fm.best_threshold([1], [2], cost_fn=1, cost_fp=1).threshold,
    "`f1_macro` is not": lambda: fm.macro_micro(fm.ConfusionMatrix(), metrics="f1_macro"),
    "`net_benefit` is not": lambda: (
        fm.estimate(Y * 0, SCORES, metrics=("net_benefit", {"threshold": 0.5}))[
            "net_benefit"
        ].estimate
    ),
    "`ndcg` is not": lambda: (
        fm.estimate([0, 0], [0.1, 0.2], query=[1, 1], metrics="ndcg")["ndcg"].estimate
    ),
    "r2_score falls below float64": lambda: fm.r2_score(
        fm.RegressionTable.from_arrays(SCORES * 1e-200, SCORES * 2e-200)
    ),
}


@pytest.mark.parametrize("message", UNDEFINED)
def test_what_is_not_defined_is_nan_and_said(message: str) -> None:
    with pytest.warns(fm.UndefinedMetricWarning, match=message):
        assert np.isnan(UNDEFINED[message]())


@pytest.mark.filterwarnings("ignore")
def test_other_spellings_have_the_same_value() -> None:
    with pytest.warns(fm.DataConversionWarning, match="`y_score` is a column"):
        column = fm.top_k_accuracy_score(Y, SCORES[:, None], k=1)
    assert column == fm.top_k_accuracy_score(Y, SCORES, k=1)
    for metric in (fm.f1_score, fm.brier_score_loss, fm.precision_recall_curve):
        spelled, plain = (metric(Y, SCORES.round(), pos_label=p) for p in (np.int64(0), 0))
        np.testing.assert_equal(spelled, plain)
    batch = pa.RecordBatch.from_pydict(MODELS)
    auc = {"metrics": "roc_auc"}
    assert fm.compare(Y, batch, **auc) == fm.compare(Y, MODELS, **auc)
    far = (np.ldexp(each, 900) for each in (Y, SCORES))  # squares are beyond float64
    r2 = {"metrics": "r2", "n_resamples": 20, "rng": 1}
    assert fm.bootstrap(*far, **r2) == fm.bootstrap(Y, SCORES, **r2)
    assert fm.log_loss(THREE, COLUMNS, labels=[0.0, 1.0, 2.0]) == fm.log_loss(THREE, COLUMNS)
