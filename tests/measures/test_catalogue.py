"""Measures of what lists show of a catalogue: by every choice of ties, by hand, by their laws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import fastmetrics as fm
from public import public
from reference import catalogue_oracle as oracle

ITEMS = ["e", "a", "d", "c", "b"]  # a catalogue has no order that matters
SHARES = {"a": 0.5, "b": 0.25, "c": 0.125, "d": 0.0625, "e": 0.0625}
FEATURES = {"a": (1, 0, 0), "b": (1, 1, 0), "c": (0, 3, 0), "d": (0, -1, 1), "e": (2, 2, 5)}
LISTS = [["a", "b", "c"], ["c", "b", "a"], ["a", "b", "d"]]
SCORES = [[3, 2, 1], [3, 2, 1], [3, 2, 1]]
MEASURES = ("catalogue_coverage", "catalogue_gini", "novelty", "intra_list_diversity")

listed = st.tuples(st.sampled_from(ITEMS), st.integers(0, 2))
one_list = st.lists(listed, min_size=1, unique_by=lambda each: each[0])
lists_of_items = st.lists(one_list, min_size=1, max_size=4)
cutoffs = st.sampled_from([None, 1, 2, 3, 7])
rules = st.sampled_from(["expected", "trec_eval"])


def rows(lists: Any) -> tuple[list[Any], list[Any], list[int]]:
    flat = [(item, score, q) for q, each in enumerate(lists) for item, score in each]
    item, score, query = map(list, zip(*flat, strict=True))
    return item, score, query


def distance(one: str, other: str) -> float:
    a, b = FEATURES[one], FEATURES[other]
    return 1 - sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


def values(name: str, *data: Any, **options: Any) -> Any:
    """Return what a measure makes of lists, with what it must know of the items."""
    catalogue = options.setdefault("catalogue", ITEMS)
    if name == "novelty":
        options |= {"popularity": SHARES}
    elif name == "intra_list_diversity":
        options |= {"features": [FEATURES[one] for one in catalogue]}
    return public(name)(*data, **options)


@given(lists=lists_of_items, k=cutoffs, ties=rules)
def test_are_means_over_the_choices_of_ties(lists: Any, k: int | None, ties: str) -> None:
    item, score, query = rows(lists)
    options: dict[str, Any] = {"query": query, "catalogue": ITEMS, "k": k, "ties": ties}
    found = fm.ranking.catalogue_coverage(item, score, **options)
    assert found == pytest.approx(float(oracle.coverage(lists, 5, k, ties)), rel=1e-14)
    found = fm.ranking.catalogue_gini(item, score, **options)
    assert found == pytest.approx(float(oracle.gini(lists, ITEMS, k, ties)), rel=1e-13, abs=1e-15)
    found = fm.ranking.novelty(item, score, popularity=SHARES, per_query=True, **options)
    right = [oracle.novelty(each, SHARES, k, ties) for each in lists]
    assert found.tolist() == pytest.approx(right, rel=1e-14)
    right = [oracle.diversity(each, distance, k, ties) for each in lists]
    right = [math.nan if one is None else one for one in right]
    matrix = [[distance(a, b) if a != b else 0 for b in ITEMS] for a in ITEMS]
    for described in ({"distances": matrix}, {"features": [FEATURES[i] for i in ITEMS]}):
        found = fm.ranking.intra_list_diversity(item, score, per_query=True, **options, **described)
        assert found.tolist() == pytest.approx(right, rel=1e-13, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=25)
@given(lists=lists_of_items, k=cutoffs, ties=rules, data=st.data())
def test_no_order_matters(name: str, lists: Any, k: Any, ties: str, data: Any) -> None:
    columns = [np.array(column) for column in rows(lists)]
    order = np.array(data.draw(st.permutations(range(len(columns[0])))))
    other = data.draw(st.permutations(ITEMS))
    item, score, query = columns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fastmetrics.measures.ranking._by_query.warn_user", lambda *_: None)
        one = values(name, item, score, query=query, k=k, ties=ties)
        again = values(
            name, item[order], score[order], query=query[order], k=k, ties=ties, catalogue=other
        )
    assert one == again or (math.isnan(one) and math.isnan(again))


def test_by_hand() -> None:
    """Of five items a and b are shown three times, c twice, d once, e never."""
    assert values("catalogue_coverage", LISTS) == 4 / 5
    assert values("catalogue_coverage", LISTS, SCORES, k=1) == 2 / 5
    assert values("catalogue_gini", LISTS) == pytest.approx(
        (-4 * 0 - 2 * 1 + 0 * 2 + 2 * 3 + 4 * 3) / (5 * 9)
    )
    assert values("catalogue_gini", [["a"], ["a"]]) == 1 - 1 / 5
    assert values("catalogue_gini", [ITEMS]) == 0
    assert values("novelty", LISTS) == pytest.approx((2 + 2 + (1 + 2 + 4) / 3) / 3)
    assert values("novelty", LISTS, SCORES, k=1) == pytest.approx((1 + 3 + 1) / 3)
    assert values("intra_list_diversity", [["a", "c"], ["a", "b"]]) == pytest.approx(
        (1 + 1 - 1 / math.sqrt(2)) / 2
    )


def test_a_constant_score_shows_every_item_alike() -> None:
    item, same = np.tile(ITEMS, (3, 1)), np.zeros((3, 5))
    assert values("catalogue_gini", item, same, k=2) == pytest.approx(0, abs=1e-15)
    right = float(1 - Fraction(3, 5) ** 3)
    assert values("catalogue_coverage", item, same, k=2) == pytest.approx(right)
    assert values("catalogue_coverage", item, same, k=2, ties="trec_eval") == 2 / 5
    whole = values("intra_list_diversity", item)
    assert values("intra_list_diversity", item, same, k=2) == pytest.approx(whole)


def test_popularity_of_every_kind_is_one() -> None:
    seen = ["a"] * 8 + ["b"] * 4 + ["c"] * 2 + ["d", "e"]
    options: dict[str, Any] = {"catalogue": ITEMS}
    expected = fm.ranking.novelty(LISTS, popularity=SHARES, **options)
    counts = [seen.count(one) for one in ITEMS]
    for given_as in (
        {"interactions": seen},
        {"interactions": pd.Series(seen)},
        {"popularity": counts},
        {"popularity": dict(zip(ITEMS, counts, strict=True)), "total": 16},
    ):
        assert fm.ranking.novelty(LISTS, **given_as, **options) == expected
    assert fm.ranking.novelty(LISTS, interactions=seen, total=32, **options) == pytest.approx(
        expected + 1
    )


def test_values_of_queries_have_intervals() -> None:
    rng = np.random.default_rng(0)
    item = rng.permuted(np.tile(np.arange(30), (200, 1)), axis=1)[:, :9]
    found = fm.ranking.novelty(item, rng.random(item.shape), catalogue=np.arange(30),
                       popularity=np.arange(1, 31), k=5, per_query=True)  # fmt: skip
    interval = fm.bootstrap(found, metrics={"novelty": "mean"}, rng=1)["novelty"]
    assert interval.confidence_interval.low < found.mean() < interval.confidence_interval.high


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("ties", ["expected", "trec_eval"])
def test_threads_and_kinds_of_scores_change_no_bit(name: str, ties: str) -> None:
    rng = np.random.default_rng(3)
    item = rng.permuted(np.tile(np.arange(5), (90_000, 1)), axis=1)
    score = rng.integers(0, 3, item.shape)
    options: dict[str, Any] = {"catalogue": range(5), "k": 2, "ties": ties}
    more: dict[str, Any] = {}
    if name == "novelty":
        more = {"popularity": list(SHARES.values())}
    elif name == "intra_list_diversity":
        more = {"features": list(FEATURES.values())}
    measure = public(name)
    found = measure(item, score, **options, **more, n_threads=1)
    for kind in (np.float32, np.float64, np.uint64, np.int8):
        assert measure(item, score.astype(kind), **options, **more, n_threads=2) == found


def test_a_list_of_one_item_has_no_diversity() -> None:
    options: dict[str, Any] = {"catalogue": [1, 2], "features": [[1, 0], [0, 1]]}
    lists = {"item": [1, 1, 2], "query": [7, 8, 8]}
    assert fm.ranking.intra_list_diversity(
        **lists, **options, per_query=True
    ).tolist() == pytest.approx([math.nan, 1], nan_ok=True)
    assert fm.ranking.intra_list_diversity(**lists, **options) == 1
    with pytest.warns(fm.UndefinedMetricWarning, match="no query has what it needs"):
        assert math.isnan(fm.ranking.intra_list_diversity([1], **options))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: values("catalogue_coverage", ["a", "x", "y"]), "`item` has 2 ids that the catal"),
        (lambda: values("catalogue_coverage", ["a", "a"]), "`item` must name an item once in a qu"),
        (lambda: values("catalogue_gini", ["b", "a", "b"], [1, 2, 3]), "query number 0 has one tw"),
        (
            lambda: fm.ranking.catalogue_gini(["a"], catalogue=["a", "b", "a"]),
            "`catalogue` has 'a' twice",
        ),
        (lambda: fm.ranking.catalogue_gini([1], catalogue=["a"]), "ids of one kind: got int64 and"),
        (lambda: values("catalogue_gini", [["a"]], [["x"]]), "`score`"),
        (lambda: values("catalogue_gini", ["a", "b"], [1, math.inf], k=1), "`score` .* inf"),
        (lambda: values("catalogue_gini", ["a", "b"], [1]), "`item` and `score` must have the sam"),
        (lambda: values("catalogue_gini", []), "`item` must be a vector, or a matrix"),
        (lambda: values("catalogue_gini", [["a"]], query=[1]), "pass no `query`"),
        (lambda: values("novelty", ["a"], k=1), "`k` needs `score`"),
        (lambda: values("novelty", ["a"], [1], k=0), "`k` must be"),
        (lambda: values("novelty", ["a"], [1], ties="optimistic"), "here none is: take 'expected'"),
        (lambda: values("novelty", ["a"], [1], ties="x"), "`ties` must be one of"),
        (lambda: values("novelty", ["a"], total=0.25), "`total` must be at least 0.5"),
        (
            lambda: fm.ranking.novelty(["a"], catalogue=["a"]),
            "`popularity` or `interactions`, one of",
        ),
        (
            lambda: fm.ranking.novelty(["a"], catalogue=["a", "b"], popularity={"a": 1}),
            "first of them 'b'",
        ),
        (
            lambda: fm.ranking.novelty(["a"], catalogue=["a"], popularity=[-1]),
            "must be a number not below",
        ),
        (
            lambda: fm.ranking.novelty(["a"], catalogue=["a"], popularity=["x"]),
            "`popularity` must be numb",
        ),
        (
            lambda: fm.ranking.novelty(["a"], catalogue=["a"], popularity=[math.nan]),
            "must be finite: got n",
        ),
        (
            lambda: fm.ranking.novelty(["a"], catalogue=["a", "b"], popularity=[0, 1]),
            "infinitely novel: 1, the first of them",
        ),
        (
            lambda: fm.ranking.novelty(["a"], catalogue=["a"], interactions=["b"]),
            "`interactions` has 1 ids",
        ),
        (
            lambda: fm.ranking.intra_list_diversity(["a"], catalogue=["a"]),
            "`features` or `distances`, one",
        ),
        (
            lambda: fm.ranking.intra_list_diversity(["a"], catalogue=["a", "b"], features=[[1, 0]]),
            "`features` must have a row for each of the 2 items",
        ),
        (
            lambda: fm.ranking.intra_list_diversity(["a"], catalogue=["a"], features=[1.0]),
            "`features` must be a matrix",
        ),
        (
            lambda: fm.ranking.intra_list_diversity(["a"], catalogue=["a"], features=[[0, 0]]),
            "`features` of item 'a' are all 0",
        ),
        (
            lambda: fm.ranking.intra_list_diversity(["a"], catalogue=["a"], distances=[[0, 1]]),
            r"`distances` must have shape \(1, 1\)",
        ),
        (
            lambda: fm.ranking.intra_list_diversity(["a"], catalogue=["a"], distances=[[-1]]),
            "`distances` must not be below 0",
        ),
    ],
)
def test_what_is_wrong_is_said(call: Any, words: str) -> None:
    with pytest.raises(fm.InputError, match=words):
        call()
