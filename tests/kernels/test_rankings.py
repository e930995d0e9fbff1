"""Places of relevant items and what follows from them, by brute force."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import ranking
from reference import ranking_oracle as oracle

SCORES = [np.float64, np.float32, np.int64, np.uint64]


@pytest.fixture
def problem(rng) -> Any:
    """Return relevance, scores and starts of queries, some of them empty."""
    sizes = np.array([0, 1, 7, 0, 30, 5, 12, 0])
    starts = np.append(0, np.cumsum(sizes))
    return rng.integers(-1, 4, starts[-1]), rng.integers(0, 9, starts[-1]), starts


def placed(relevance: Any, scores: Any, starts: Any) -> tuple[Any, ...]:
    n = len(starts) - 1
    counts = np.full(n, -7)
    ranking.count_relevant(relevance, starts, 0, n, counts)
    item_starts = np.append(0, np.cumsum(counts))
    rows, above, tied = (np.full(item_starts[-1], -7) for _ in range(3))
    grades = np.full(item_starts[-1], -7.0)
    unruly = ranking.place_relevant(
        relevance, scores, starts, 0, n, item_starts, rows, grades, above, tied
    )
    assert unruly == 0
    return item_starts, rows, grades, above, tied


@pytest.mark.parametrize("dtype", SCORES)
@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_places_of_relevant_items(dtype, kind, problem) -> None:
    relevance, scores, starts = problem
    relevance, scores = relevance.astype(kind), scores.astype(dtype)
    if kind == np.float64:
        relevance[::7] = np.nan
    item_starts, rows, grades, above, tied = placed(relevance, scores, starts)
    for q, (start, stop) in enumerate(itertools.pairwise(starts)):
        items = [i for i in range(start, stop) if relevance[i] == relevance[i] and relevance[i]]
        own = scores[start:stop]
        items.sort(key=lambda i: (np.count_nonzero(own > scores[i]), -relevance[i], i))
        part = slice(item_starts[q], item_starts[q + 1])
        assert rows[part].tolist() == items
        assert grades[part].tolist() == relevance[items].tolist()
        assert above[part].tolist() == [np.count_nonzero(own > scores[i]) for i in items]
        assert tied[part].tolist() == [np.count_nonzero(own == scores[i]) for i in items]


def test_unjudged_items_are_counted() -> None:
    counts = np.zeros(2, np.int64)
    relevance = np.array([np.nan, -1.0, 0.0, 2.0, np.nan])
    assert ranking.count_relevant(relevance, np.array([0, 3, 5]), 0, 2, counts) == 3
    assert counts.tolist() == [1, 1]


def test_scores_that_are_not_finite_are_counted() -> None:
    scores = np.array([1.0, np.nan, np.inf, -np.inf])
    empty, starts = np.zeros(0, np.int64), np.array([0, 4])
    unruly = ranking.place_relevant(
        np.zeros(4, np.int8), scores, starts, 0, 1, np.zeros(2, np.int64), empty, np.zeros(0),
        empty, empty,
    )  # fmt: skip
    assert unruly == 3


def test_unjudged_items_above_and_places_by_name(problem, rng) -> None:
    relevance, scores, starts = problem
    relevance, scores = relevance.astype(np.float64), scores.astype(np.float32)
    relevance[::5] = np.nan
    names = rng.permutation(len(scores))
    item_starts, rows, *_ = placed(relevance, scores, starts)
    above, tied, places, before = (np.full(len(rows), -7) for _ in range(4))
    data, n = (relevance, scores), len(starts) - 1
    ranking.count_unjudged(*data, starts, 0, n, item_starts, rows, above, tied)
    ranking.places_by_name(*data, names, starts, 0, n, item_starts, rows, places, before)
    hidden = ~(relevance >= 0)
    for q, (start, stop) in enumerate(itertools.pairwise(starts)):
        own = np.arange(start, stop)
        for item in range(item_starts[q], item_starts[q + 1]):
            row = rows[item]
            first = [i for i in own if (scores[i], names[i]) > (scores[row], names[row])]
            assert above[item] == np.count_nonzero(hidden[own] & (scores[own] > scores[row]))
            assert tied[item] == np.count_nonzero(hidden[own] & (scores[own] == scores[row]))
            assert places[item] == len(first)
            assert before[item] == np.count_nonzero(hidden[first])


def test_rows_are_gathered(rng) -> None:
    codes = rng.integers(0, 4, 50)
    order = np.full(50, -7)
    free = np.append(0, np.cumsum(np.bincount(codes, minlength=4))[:-1])
    ranking.gather_queries(codes, free, order)
    assert order.tolist() == np.argsort(codes, kind="stable").tolist()


#: A kernel, its arguments behind the items, and its definition.
VALUES = [
    (ranking.expected_hits, lambda n: (1.0, np.full(n, 3)), lambda o: 3 * oracle.precision(o, 3)),
    (ranking.expected_first, lambda n: (1.0, 4, True), lambda o: oracle.reciprocal_rank(o, 4)),
    (ranking.expected_first, lambda n: (1.0, 2, False), lambda o: oracle.hit_rate(o, 2)),
    (
        ranking.expected_precision_sums,
        lambda n: (1.0, 5),
        lambda o: oracle.average_precision(o, 1, 5),
    ),
    (ranking.expected_gains, lambda n: (4, DISCOUNTS), lambda o: oracle.dcg(o, 4)),
    (
        ranking.expected_reading,
        lambda n: (1.0, 4, 0.5 ** np.arange(9.0), 1 - 0.5 ** np.arange(9.0)),
        lambda o: oracle.rank_biased_precision(o, oracle.Fraction(1, 2), 4),
    ),
]
DISCOUNTS = np.append(0.0, np.cumsum(1 / np.log2(np.arange(2, 10))))


@pytest.mark.parametrize(("kernel", "more", "of_order"), VALUES)
def test_values_of_queries(kernel, more, of_order, rng) -> None:
    sizes = rng.integers(0, 6, 30)
    starts = np.append(0, np.cumsum(sizes))
    relevance, scores = rng.integers(0, 3, starts[-1]), rng.integers(0, 3, starts[-1])
    item_starts, _, *ranks = placed(relevance.astype(np.int8), scores * 1.0, starts)
    found = np.full(30, -7.0)
    kernel(0, 30, item_starts, *ranks, *more(30), found)
    for q, value in enumerate(found):
        rows = range(starts[q], starts[q + 1])
        query = [(int(relevance[i]), int(scores[i]), i) for i in rows]
        assert value == pytest.approx(float(oracle.mean(of_order, query)), rel=1e-13, abs=1e-15)


def test_other_values_of_queries() -> None:
    item_starts, grades = np.array([0, 3, 3]), np.array([2.0, 1.0, 1.0])
    above, tied = np.array([1, 1, 5]), np.array([2, 2, 0])
    ranks, empty = (grades, above, tied), np.zeros(0, np.int64)
    counts, found = np.full(2, -7), np.full(2, -7.0)
    ranking.relevant_counts(0, 2, item_starts, grades, 1.0, counts)
    assert counts.tolist() == [3, 0]
    ranking.ideal_gains(0, 2, item_starts, grades, 2, DISCOUNTS, found)
    assert found.tolist() == pytest.approx([2 + 1 / np.log2(3), 0])
    ranking.ideal_gains(0, 2, item_starts, grades * 0 + 2, 2, DISCOUNTS, found)
    assert found.tolist() == pytest.approx([2 + 2 / np.log2(3), 0])
    chances = np.array([0.5, 0.25, 0.25])
    ranking.expected_cascade(0, 2, item_starts, chances, above, tied, 9, found)
    by_hand = ((1 / 2) / 2 + (1 / 2) * (1 / 4) / 3 + (1 / 4) / 2 + (3 / 4) * (1 / 2) / 3) / 2
    assert found.tolist() == pytest.approx([by_hand, 0])
    judged = np.array([6, 4])
    ranking.expected_preference(0, 2, item_starts, *ranks, empty, empty, 1.0, judged, found)
    assert found.tolist() == pytest.approx([2 * (1 - 1 / 3) / 3, np.nan], nan_ok=True)
    doubled, relevant = np.full(2, -7), np.full(2, -7)
    ranking.concordant_items(0, 2, item_starts, *ranks, 1.0, np.array([5, 4]), relevant, doubled)
    assert doubled.tolist() == [2 * 2 * 2, 0]
    assert relevant.tolist() == [2, 0]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40, 700])
def test_values_are_sorted_down(n, rng) -> None:
    for values in (rng.normal(size=n), rng.integers(0, 3, n) * 1.0, np.arange(float(n))):
        longer = np.append(values, 9.0)
        ranking.sort_down(longer, n)
        assert longer.tolist() == [*sorted(values, reverse=True), 9.0]


def test_means_of_products_over_all_sets() -> None:
    chances = [Fraction(1, 2), Fraction(0), Fraction(1, 4), Fraction(3, 4), Fraction(1, 8)]
    found = np.full(7, -7.0)
    assert ranking.mean_products(np.array([9.0, *map(float, chances)]), 1, 4, 6, found) == 4
    for j in range(5):
        sets = list(itertools.combinations(chances, j))
        right = sum(math.prod(1 - chance for chance in each) for each in sets) / len(sets)
        assert found[j] == pytest.approx(float(right), rel=1e-15)
    assert found[5:].tolist() == [0, -7]


@pytest.mark.parametrize(("size", "relevant"), [(300, 1), (300, 200), (120, 120)])
def test_a_long_tie_of_a_reader_who_stops(size, relevant) -> None:
    """Of items that all end the search with chance 1/2, those beyond a hundred do not matter."""
    right, some = Fraction(0), Fraction(1, 2)
    for place in range(1, size + 1):
        for before in range(min(place, relevant)):
            others = place - 1 - before
            if others <= size - relevant:
                ways = math.comb(relevant, before) * math.comb(size - relevant, others)
                share = Fraction(ways, math.comb(size, place - 1))
                right += (
                    share * Fraction(relevant - before, size - place + 1) * some**before / 2 / place
                )
    found, ints = np.full(1, -7.0), np.zeros(relevant, np.int64)
    starts = np.array([0, relevant])
    ranking.expected_cascade(0, 1, starts, np.full(relevant, 0.5), ints, ints + size, 10**9, found)
    assert found[0] == pytest.approx(float(right), rel=5e-15)


def one_query(rng: Any) -> tuple[Any, ...]:
    """Return a query of five items, some of them not judged, and what kernels take of it.

    Up to two relevant items more were never retrieved.
    """
    grades, scores = rng.choice([np.nan, -1.0, 0.0, 1.0, 2.0], 5), rng.integers(0, 3, 5) * 1.0
    query = [
        (None if grade != grade else int(grade), int(score), i)
        for i, (grade, score) in enumerate(zip(grades.tolist(), scores, strict=True))
    ]
    starts, n_missing = np.array([0, 5]), int(rng.integers(0, 3))
    item_starts, rows, *ranks = placed(grades, scores, starts)
    hidden = [np.full(len(rows), -7) for _ in range(2)]
    ranking.count_unjudged(grades, scores, starts, 0, 1, item_starts, rows, *hidden)
    longer = [
        np.append(column, np.full(n_missing, value))
        for column, value in zip([*ranks, *hidden], (1.0, 5, 0, 0, 0), strict=True)
    ]
    return query, n_missing, np.array([0, len(longer[0])]), longer[:3], longer[3:]


@pytest.mark.parametrize("k", [2, 5, 9])
def test_items_that_were_not_retrieved_or_not_judged(k, rng) -> None:
    for _ in range(40):
        query, _, item_starts, ranks, _ = one_query(rng)
        found = np.full(1, -7.0)
        for name, more, right in (
            ("expected_hits", (np.array([k]),), lambda o: k * oracle.precision(o, k)),
            ("expected_first", (k, True), lambda o: oracle.reciprocal_rank(o, k)),
            ("expected_precision_sums", (k,), lambda o: oracle.average_precision(o, 1, k)),
        ):
            getattr(ranking, name)(0, 1, item_starts, *ranks, 1.0, *more, found)
            assert found[0] == pytest.approx(float(oracle.mean(right, query)), rel=1e-13)
        gains = np.maximum(ranks[0], 0.0)
        items = (0, 1, item_starts, gains, *ranks[1:])
        ranking.expected_gains(*items, min(k, 6), DISCOUNTS, found)
        right = oracle.mean(oracle.dcg, query, k=k)
        assert found[0] == pytest.approx(float(right), rel=1e-13)
        chances = np.exp2(gains) - 1
        items = (0, 1, item_starts, chances / 8, *ranks[1:])
        ranking.expected_cascade(*items, k, found)
        right = oracle.mean(oracle.expected_reciprocal_rank, query, top=3, k=k)
        assert found[0] == pytest.approx(float(right), rel=1e-13)


@pytest.mark.parametrize("knows", [False, True])
def test_bpref_of_items_that_were_not_retrieved_or_not_judged(knows, rng) -> None:
    for _ in range(80):
        query, n_missing, item_starts, ranks, hidden = one_query(rng)
        if not knows:  # as where all are judged
            query = [(max(grade or 0, 0), *rest) for grade, *rest in query]
            hidden = [np.zeros(0, np.int64)] * 2
        total = n_missing + sum(map(oracle.is_relevant, query))
        others = sum(grade == 0 for grade, *_ in query)
        found, judged = np.full(1, -7.0), np.array([total + others])
        ranking.expected_preference(0, 1, item_starts, *ranks, *hidden, 1.0, judged, found)
        right = math.nan
        if total:
            right = float(oracle.mean(oracle.bpref, query, n_relevant=total, n_others=others))
        assert found[0] == pytest.approx(right, rel=1e-13, nan_ok=True)


def test_long_queries_are_left_to_a_sort() -> None:
    n = 400
    grades, scores, starts = np.ones(n), np.arange(float(n)), np.array([0, n])
    item_starts, rows, found, above, _ = placed(grades, scores, starts)
    assert rows.tolist() == list(range(n))
    assert (found == 1).all()
    assert (above == -7).all()
    one, other = np.full(n, -7), np.full(n, -7)
    ranking.count_unjudged(grades, scores, starts, 0, 1, item_starts, rows, one, other)
    single = scores.astype(np.float32)
    names = np.arange(n)
    data = (grades, single, names, starts, 0, 1, item_starts, rows)
    ranking.places_by_name(*data, one, other)
    assert (one == -7).all()
    assert (other == -7).all()
