"""Measures by name on Dask: sums, cells and rankings of partitions are those of all rows."""

from __future__ import annotations

import warnings
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_columns import array_columns, delayed_columns, problems
from hypothesis import given, strategies as st

import fastmetrics as fm
import fastmetrics.dask as fmd
from fastmetrics.errors import InputError, InputTypeError
from measure_names import MEASURES, PRICED
from public import public


@pytest.fixture(autouse=True, scope="module")
def _synchronous() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


RNG = np.random.default_rng(5)
N = 400
Y = RNG.integers(0, 2, N)
P = RNG.random(N)
W = RNG.random(N)
CLASSES = RNG.integers(0, 3, N)
PLACES = [0, 7, 7, 250]


def value(name: str, *data: Any, parameters: Any = None, **more: Any) -> Any:
    measure = MEASURES[name]
    return measure.value(*data, **(parameters or {}), **more)


OF_SUMS = [
    name
    for name, measure in MEASURES.items()
    if measure.family == "regression" and measure.function
]
OF_ROWS = {"median_absolute_error", "d2_pinball_score", "d2_absolute_error_score"}


@pytest.mark.parametrize("name", sorted(set(OF_SUMS) - OF_ROWS))
def test_predicted_numbers(name: str) -> None:
    y, p = 1.0 + RNG.random(N), 1.0 + RNG.random(N)
    columns = delayed_columns([y, p, W], PLACES)
    found = fmd.measures(*columns[:2], metrics=name)[name]
    assert found == pytest.approx(value(name, y, p), rel=1e-13)
    if name != "max_error":
        found = fmd.measures(*columns[:2], metrics=name, sample_weight=columns[2])[name]
        assert found == pytest.approx(value(name, y, p, sample_weight=W), rel=1e-13)


def test_parameters_and_labels_of_ones_own() -> None:
    columns = delayed_columns([P, W], PLACES)
    found = fmd.measures(
        *columns,
        metrics={
            "90 %": ("mean_pinball_loss", {"alpha": 0.9}),
            "deviance": ("mean_tweedie_deviance", {"power": 1.5}),
            "bias": "mean_error",
            "level": "mean",
        },
    )
    assert found["90 %"] == pytest.approx(fm.mean_pinball_loss(P, W, alpha=0.9))
    assert found["deviance"] == pytest.approx(fm.mean_tweedie_deviance(P, W, power=1.5))
    assert found["bias"] == pytest.approx((W - P).mean())
    assert list(found)[-1] == "level"
    with pytest.raises(InputTypeError, match="needs the rows themselves: take the function"):
        fmd.measures(*columns, metrics="median_absolute_error")


@pytest.mark.parametrize(
    "name", sorted(n for n, m in MEASURES.items() if m.family == "decisions" and m.function)
)
def test_predicted_labels(name: str) -> None:
    measure = MEASURES[name]
    parameters = {"cost_fn": 2.0, "cost_fp": 1.0} if name in PRICED else {}
    if "cost_fn" in parameters and "cost_fn" not in measure.parameters:
        parameters = {}
    y, p = (Y, (P > 0.4).astype(int)) if measure.classes != 3 else (CLASSES, CLASSES[::-1])
    y, p = np.sort(y), p[np.argsort(y, kind="stable")]  # partitions of one class
    columns = delayed_columns([y, p], PLACES)
    expected = value(name, fm.ConfusionMatrix.from_labels(y, p), parameters=parameters)
    assert fmd.measures(*columns, metrics=(name, parameters))[name] == expected


def test_decisions_at_a_threshold() -> None:
    y, s, w = delayed_columns([Y, P, np.arange(N)], PLACES)
    found = fmd.measures(y, s, metrics=["f1", "specificity"], threshold=0.3, sample_weight=w)
    expected = fm.ConfusionMatrix.from_scores(Y, P, threshold=0.3, sample_weight=np.arange(N))
    assert found == {"f1": fm.f1_score(expected), "specificity": fm.specificity_score(expected)}


def test_the_positive_label_of_decisions() -> None:
    y, p = np.where(Y, "yes", "no"), np.where(P > 0.4, "yes", "no")
    columns = delayed_columns([y, p], PLACES)
    expected = fm.precision_score(y, p, pos_label="no")
    assert fmd.measures(*columns, metrics="precision", pos_label="no")["precision"] == expected
    expected = fm.precision_score(y, p, pos_label="yes")  # the greater of two
    assert fmd.measures(*columns, metrics="precision")["precision"] == expected


@given(problems(), st.sampled_from([None, "true", "pred", "all"]))
def test_confusion_matrices(problem: Any, normalize: Any) -> None:
    y, s, w, places, _ = problem
    w = w if w is None or w.any() else None
    s = s.astype(int) % 4
    columns = delayed_columns([y, s, w], places)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = fmd.confusion_matrix(
            *columns[:2], sample_weight=columns[2], normalize=normalize, labels=[0, 1, 2, 3]
        )
        expected = fm.confusion_matrix(
            y, s, sample_weight=w, normalize=normalize, labels=[0, 1, 2, 3]
        )
        np.testing.assert_array_equal(found, expected)
        if w is None:
            found = fmd.confusion_matrix(*columns[:2], normalize=normalize)
            expected = fm.confusion_matrix(y, s, normalize=normalize)
            np.testing.assert_array_equal(found, expected)


PROBABILITIES = ["log_loss", "brier_score", "d2_log_loss_score", "d2_brier_score"]


@pytest.mark.pairwise
@pytest.mark.parametrize("name", PROBABILITIES)
@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (1, 2), ("no", "yes")])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_probabilities_of_two_classes(name: str, labels: Any, dtype: Any) -> None:
    y = np.array(labels)[np.sort(Y)]
    p = np.clip(P, 0, 1).astype(dtype)
    p[:3] = [0, 1, 0]
    more = {"pos_label": "yes"} if labels[0] == "no" and "brier" in name else {}
    columns = delayed_columns([y, p, W], PLACES)
    found = fmd.measures(*columns[:2], metrics=name, sample_weight=columns[2], **more)[name]
    expected = value(name, y, p, sample_weight=W, **more)
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("name", PROBABILITIES)
def test_probabilities_of_several_classes(name: str) -> None:
    p = RNG.dirichlet(np.ones(3), size=N)
    y = np.sort(CLASSES)
    for make in (delayed_columns, array_columns):
        columns = make([y, p], PLACES)
        found = fmd.measures(*columns, metrics=name)[name]
        assert found == pytest.approx(value(name, y, p), rel=1e-13)
    kept = y < 2
    columns = delayed_columns([y[kept], p[kept]], [3])
    found = fmd.measures(*columns, metrics=name, labels=[0, 1, 2])[name]
    expected = value(name, y[kept], p[kept], labels=[0, 1, 2])
    assert found == pytest.approx(expected, rel=1e-13)


def test_probabilities_are_judged_as_in_memory() -> None:
    ones = delayed_columns([np.ones(4, int), np.full(4, 0.5)], [2])
    with pytest.raises(InputError, match="has only one label, 1"):
        fmd.measures(*ones, metrics="log_loss")
    wrong = delayed_columns([Y[:4], np.array([0.5, 0.2, 1.5, 0.1])], [2])
    with pytest.raises(InputError, match=r"`y_proba`.*1\.5.*in partition 1"):
        fmd.measures(*wrong, metrics="brier_score")
    with pytest.raises(InputError, match="no sums over partitions"):
        fmd.measures(*ones, metrics="hinge_loss")


def test_families_together() -> None:
    columns = delayed_columns([Y, P], PLACES)
    names = ["roc_auc", "accuracy", "brier_score", "rank_loss", "r2"]
    found = fmd.measures(*columns, metrics=names, threshold=0.5)
    assert list(found) == names
    assert found["roc_auc"] == fm.roc_auc_score(Y, P)
    assert found["rank_loss"] == fm.rank_loss(Y, P)
    with pytest.raises(InputError, match="needs all scores in order"):
        fmd.measures(*columns, metrics="average_precision")
    with pytest.raises(InputTypeError, match="got the function"):
        fmd.measures(*columns, metrics=lambda y, s: 0.0)
    with pytest.raises(InputError, match="of costs"):
        fmd.measures(*columns, metrics="roc_hull_auc")


RANKED = ["ndcg", "map", "mrr", ("precision_at_k", {"k": 3}), ("recall_at_k", {"k": 3}), "bpref"]


@pytest.mark.parametrize("kind", ["numbers", "texts"])
@pytest.mark.parametrize("ties", ["expected", "pessimistic"])
def test_rankings_by_query(kind: str, ties: Any) -> None:
    query = RNG.integers(0, 40, N)
    query = query if kind == "numbers" else np.char.add("q", query.astype(str))
    score, relevance = RNG.integers(0, 9, N), RNG.integers(0, 3, N)
    columns = delayed_columns([relevance, score, query], PLACES)
    found = fmd.measures(*columns[:2], metrics=RANKED, query=columns[2], ties=ties)
    asked = [(one, {}) if isinstance(one, str) else one for one in RANKED]
    names = {"map": "mean_average_precision", "mrr": "mean_reciprocal_rank"}
    for label, (name, parameters) in zip(found, asked, strict=True):
        function = public(names.get(name, name))
        expected = function(relevance, score, query=query, ties=ties, **parameters)
        assert found[label] == pytest.approx(expected, rel=1e-14), label
    table = fm.RankingTable.from_scores(relevance, score, query=query)
    assert fmd.ranking_table(*columns) == table


def test_a_query_is_the_same_whatever_its_dtype() -> None:
    parts = [np.array([1, 2, 3]), np.array([1.0, 2.0]), np.array([3, 1], np.int8)]
    query = [dask.delayed(part) for part in parts]
    relevance, score = delayed_columns([Y[:7], P[:7]], [3, 5])
    whole = np.concatenate(parts)
    found = fmd.measures(relevance, score, metrics="ndcg", query=query)["ndcg"]
    assert found == pytest.approx(fm.ranking.ndcg(Y[:7], P[:7], query=whole))


def test_queries_and_measures_of_rankings_need_each_other() -> None:
    columns = delayed_columns([Y, P, CLASSES], PLACES)
    with pytest.raises(InputTypeError, match="`query` is for measures of rankings"):
        fmd.measures(*columns[:2], metrics="ndcg")
    with pytest.raises(InputTypeError, match="`query` is for measures of rankings"):
        fmd.measures(*columns[:2], metrics=["ndcg", "roc_auc"], query=columns[2])
    with pytest.raises(InputError, match="no mean over queries"):
        fmd.measures(*columns[:2], metrics="group_auc", query=columns[2])
    with pytest.raises(InputError, match="needs `max_relevance`"):
        fmd.measures(*columns[:2], metrics="expected_reciprocal_rank", query=columns[2])
    metric = ("expected_reciprocal_rank", {"max_relevance": 1})
    found = fmd.measures(*columns[:2], metrics=metric, query=columns[2])
    expected = fm.ranking.expected_reciprocal_rank(Y, P, query=CLASSES, max_relevance=1)
    assert found["expected_reciprocal_rank"] == pytest.approx(expected)


def test_nobody_has_rows() -> None:
    empty = delayed_columns([Y[:0], P[:0], W[:0]], [0])
    for metrics in ("r2", "accuracy", "brier_score", "roc_auc"):
        with pytest.raises(InputError, match="is empty: shape"):
            fmd.measures(*empty[:2], metrics=metrics)
    with pytest.raises(InputError, match="is empty: shape"):
        fmd.measures(*empty[:2], metrics="ndcg", query=empty[2])


def test_columns_of_a_dataframe() -> None:
    frame = dd.from_pandas(pd.DataFrame({"y": Y, "p": P, "q": CLASSES}), npartitions=4)
    assert fmd.measures(frame.y, frame.p, metrics="log_loss")["log_loss"] == pytest.approx(
        fm.log_loss(Y, P), rel=1e-14
    )
    text = frame.q.map({0: "a", 1: "b", 2: "c"}, meta=("q", "object"))
    found = fmd.measures(frame.y, frame.p, metrics="ndcg", query=text)["ndcg"]
    assert found == pytest.approx(fm.ranking.ndcg(Y, P, query=CLASSES))
