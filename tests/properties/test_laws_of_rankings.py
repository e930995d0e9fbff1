"""Each metric of rankings: its value by every order of the ties, its laws, where it can be had."""

import functools
import inspect
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from samples import undefined_is_fine

import fastmetrics as fm
from registry.rankings import RANKINGS, RankingEntry

TIES = ("expected", "trec_eval")
every = pytest.mark.parametrize("entry", RANKINGS, ids=lambda entry: entry.name)
few = settings(max_examples=max(10, settings().max_examples // 4))

grades = st.sampled_from([None, -1, 0, 0, 1, 2, 3])
queries = st.lists(st.tuples(grades, st.integers(0, 3)), min_size=1, max_size=6)


def relevances(query: Any) -> np.ndarray:
    return np.array([np.nan if grade is None else grade for grade, *_ in query], float)


@st.composite
def problems(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return relevances, scores that tie, and the queries of items in any order."""
    items = draw(st.lists(st.tuples(grades, st.integers(0, 5), st.integers(0, 4)), min_size=1))
    return relevances(items), np.array([s for _, s, _ in items]), np.array([q for *_, q in items])


@every
@pytest.mark.parametrize("ties", TIES)
@few
@given(query=queries)
def test_is_the_mean_over_the_orders_of_ties(entry: RankingEntry, ties: str, query: Any) -> None:
    named = [(grade, score, 10 + i * 7 % 11) for i, (grade, score) in enumerate(query)]
    score = [s for _, s, _ in named]
    table = fm.RankingTable.from_scores(relevances(named), score, ids=[i for *_, i in named])
    more = {} if entry.canonical == "group_auc" else {"ties": ties}
    with undefined_is_fine():
        (actual,) = entry.values(table, **more)
    right = entry.right(named, ties)
    expected = math.nan if right is None else float(right)
    if entry.definition is None:
        assert actual == pytest.approx(expected, abs=0, nan_ok=True)
    assert actual == pytest.approx(expected, rel=1e-13, abs=1e-15, nan_ok=True)
    low, high = entry.metric.bounds
    assert math.isnan(actual) or low <= actual <= high


@every
@few
@given(problem=problems(), data=st.data())
def test_row_order_does_not_matter(entry: RankingEntry, problem: Any, data: Any) -> None:
    relevance, score, query = problem
    order = np.array(data.draw(st.permutations(range(len(query)))))
    with undefined_is_fine():
        actual = entry.values(relevance, score, query=query)
        moved = entry.values(relevance[order], score[order], query=query[order])
    assert np.array_equal(actual, moved, equal_nan=True)


@every
@few
@given(problem=problems())
def test_only_the_order_of_scores_matters(entry: RankingEntry, problem: Any) -> None:
    relevance, score, query = problem
    with undefined_is_fine():
        actual = entry.values(relevance, score, query=query)
        for other in (2**60 + 3 * score, np.exp(score / 8), -1.0 / (1 + score)):
            same = entry.values(relevance, other, query=query)
            assert np.array_equal(actual, same, equal_nan=True)


@every
@few
@given(problem=problems(), data=st.data())
def test_names_of_queries_do_not_matter(entry: RankingEntry, problem: Any, data: Any) -> None:
    relevance, score, query = problem
    names = np.array(data.draw(st.permutations(["", "b", "a ", "é", "zz"])))
    with undefined_is_fine():
        actual = entry.values(relevance, score, query=query)
        renamed = entry.values(relevance, score, query=names[query])
    assert np.array_equal(actual[np.argsort(names[np.unique(query)])], renamed, equal_nan=True)


@every
@few
@given(problem=problems())
def test_queries_that_come_twice_change_no_mean(entry: RankingEntry, problem: Any) -> None:
    relevance, score, query = problem
    twice = [np.tile(column, 2) for column in (relevance, score)]
    with undefined_is_fine():
        actual = entry.mean(relevance, score, query=query)
        doubled = entry.mean(*twice, query=np.append(query, 100 + query))
    assert doubled == pytest.approx(actual, rel=1e-14, nan_ok=True)


@every
@few
@given(problem=problems(), data=st.data())
def test_tables_of_parts_add_up(entry: RankingEntry, problem: Any, data: Any) -> None:
    relevance, score, query = problem
    part = np.array(data.draw(st.lists(st.integers(0, 2), min_size=5, max_size=5)))[query]
    tables = [
        fm.RankingTable.from_scores(relevance[rows], score[rows], query=query[rows])
        for rows in (part == k for k in range(3))
        if rows.any()
    ]
    with undefined_is_fine():
        actual = entry.values(relevance, score, query=query)
        assert np.array_equal(actual, entry.values(sum(tables)), equal_nan=True)


@functools.cache
def many_items(n_threads: int) -> fm.RankingTable:
    rng = np.random.default_rng(2)
    relevance = rng.integers(-1, 4, 600_000) % 3
    score = rng.integers(0, 40, 600_000)
    query = rng.integers(0, 9_000, 600_000)
    return fm.RankingTable.from_scores(relevance, score, query=query, n_threads=n_threads)


def test_threads_change_no_table() -> None:
    assert many_items(1) == many_items(2) == many_items(7)


@every
def test_threads_change_no_bit(entry: RankingEntry) -> None:
    actual = entry.values(many_items(1), n_threads=1)
    for n_threads in (2, 7):
        again = entry.values(many_items(1), n_threads=n_threads)
        assert np.array_equal(again, actual, equal_nan=True)


@every
def test_good_is_better_than_bad(entry: RankingEntry) -> None:
    relevance = np.tile([3, 2, 1, 0, 0, 0, 0, 0], (5, 1))
    good = np.tile(-np.arange(8), (5, 1))
    bad = np.tile(np.arange(8), (5, 1))
    assert entry.metric.direction({}) is True
    assert entry.mean(relevance, good) > entry.mean(relevance, bad)


FACES = {
    "bootstrap": lambda asked: fm.bootstrap([0, 1, 1], [0.1, 0.2, 0.3], metrics=[asked]),
    "evaluate": lambda asked: fm.evaluate(
        [0, 1, 1], [0.1, 0.2, 0.3], metrics=[asked], n_resamples=20
    ),
    "regression": lambda asked: fm.regression_metrics([0, 1], [0, 1], metrics=[asked]),
    "decisions": lambda asked: fm.classification_metrics([0, 1], [0, 1], metrics=asked[0]),
    "estimator": lambda asked: fm.selection.evaluate_estimator(
        _Never(), [[0], [1]], [0, 1], metrics=[asked]
    ),
    "scorer": lambda asked: fm.scorer(asked[0], **asked[1]),
}


class _Never:
    """An estimator that must not be fitted."""

    def fit(self, X: Any, y: Any) -> Any:
        raise AssertionError

    def predict(self, X: Any) -> Any:
        raise AssertionError


@pytest.mark.parametrize("face", FACES)
@every
def test_where_there_are_no_queries_the_way_to_them_is_said(entry: RankingEntry, face: str) -> None:
    name = entry.canonical
    given = entry.arguments
    with pytest.raises(fm.InputError) as caught:
        FACES[face]((name, {n: float(v) if n == "persistence" else v for n, v in given.items()}))
    where = "rankings of queries" if face == "decisions" else "estimate(relevance, score, query"
    assert where in str(caught.value)
    assert repr(name) in str(caught.value)


def test_functions_of_rankings_are_known_too() -> None:
    with pytest.raises(fm.InputError, match=r"'ndcg', which is measured query by query"):
        fm.bootstrap([0, 1, 1], [0.1, 0.2, 0.3], metrics=fm.ranking.ndcg)


def test_every_parameter_is_one_of_the_function() -> None:
    for metric in {entry.canonical: entry.metric for entry in RANKINGS}.values():
        known = inspect.signature(metric.load()).parameters
        for name, default in metric.parameters.items():
            there = known[name].default
            required = there is inspect.Parameter.empty
            assert required or there == default or (there != there and default != default)
