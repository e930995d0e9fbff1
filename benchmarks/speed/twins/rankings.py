"""Naive twins of the kernels of rankings: sorts of whole columns and sums by query, by NumPy.

Pairs of calls as in ``curves.py``. Queries have a hundred items each. Twins of values know no ties:
both calls take rankings whose ties are settled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastmetrics as fm
from benchmarks.speed.data import Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._kernels import ranking

SIZE, K, LEVEL, GOES_ON = 100, 10, 1.0, 0.8
Ints = NDArray[np.int64]


def _queries(data: Data) -> tuple[NDArray[np.int8], NDArray[Any], Ints]:
    """Return grades of 0 to 3, scores and starts; the last query may be shorter."""
    n = len(data.scores)
    grades = (data.labels * (1 + np.arange(n) % 3)).astype(np.int8)
    return grades, data.scores, np.append(np.arange(0, n, SIZE), n)


def _settled(data: Data) -> tuple[fm.RankingTable, Ints, Ints]:
    """Return a table without ties, the query of each item, and how many of it stand before."""
    grades, scores, starts = _queries(data)
    places = np.empty(len(scores), np.int64)
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    table = fm.RankingTable.from_scores(grades, -places, indptr=starts)
    counts = np.diff(table.item_starts)
    query = np.repeat(np.arange(len(counts)), counts)
    return table, query, np.arange(len(query)) - table.item_starts[query]


def _items(table: fm.RankingTable) -> tuple[Any, ...]:
    return 0, table.n_queries, table.item_starts, table.grades, table.above, table.tied


def _sums(table: fm.RankingTable, query: Ints, values: Any) -> Any:
    return np.bincount(query, values, minlength=table.n_queries)


def place_items(data: Data) -> Pair:
    grades, scores, starts = _queries(data)
    query = np.repeat(np.arange(len(starts) - 1), np.diff(starts))

    def ours() -> tuple[Any, ...]:
        n = len(starts) - 1
        counts = np.empty(n, np.int64)
        ranking.count_relevant(grades, starts, 0, n, counts)
        item_starts = np.append(0, np.cumsum(counts))
        rows, above, tied = (np.empty(item_starts[-1], np.int64) for _ in range(3))
        worth = np.empty(item_starts[-1])
        ranking.locate_relevant(grades, scores, starts, 0, n, item_starts, rows, worth, above, tied)
        return counts, worth, above, tied

    def twin() -> tuple[Any, ...]:
        order = np.lexsort((-scores, query))
        ranked, own = scores[order], query[order]
        first = np.append(True, (ranked[1:] != ranked[:-1]) | (own[1:] != own[:-1]))
        tie = np.cumsum(first) - 1
        above = np.flatnonzero(first)[tie] - starts[own]
        tied = np.bincount(tie)[tie]
        found = np.flatnonzero(grades[order])
        better = np.lexsort((-grades[order][found], above[found], own[found]))
        found = found[better]
        counts = np.bincount(own[found], minlength=len(starts) - 1)
        return counts, grades[order][found].astype(float), above[found], tied[found]

    return ours, twin


def gather(data: Data) -> Pair:
    n = len(data.scores)
    codes = np.arange(n) * 7919 % (n // SIZE + 1)

    def ours() -> tuple[Any, ...]:
        counts, order = np.bincount(codes), np.empty(n, np.int64)
        ranking.gather_queries(codes, np.cumsum(counts) - counts, order)
        return (order,)

    return ours, lambda: (np.argsort(codes, kind="stable"),)


def unjudged_and_named(data: Data) -> Pair:
    grades, scores, starts = _queries(data)
    relevance = np.where(np.arange(len(grades)) % 5 == 0, np.nan, grades)
    single, names = scores.astype(np.float32), np.arange(len(scores)) * 7919 % len(scores)
    table = fm.RankingTable.from_scores(relevance, scores, indptr=starts)
    rows = np.empty(len(table.grades), np.int64)
    worth, above, tied = np.empty(len(rows)), np.empty_like(rows), np.empty_like(rows)
    place = (starts, 0, table.n_queries, table.item_starts, rows)
    ranking.locate_relevant(relevance, scores, *place, worth, above, tied)

    def ours() -> tuple[Any, ...]:
        found = [np.empty_like(rows) for _ in range(4)]
        ranking.count_unjudged(relevance, scores, *place, *found[:2])
        ranking.positions_by_name(relevance, single, names, *place, *found[2:])
        return tuple(found)

    def twin() -> tuple[Any, ...]:
        found: tuple[list[Any], ...] = ([], [], [], [])
        query = np.repeat(np.arange(table.n_queries), np.diff(table.item_starts))
        for row, q in zip(rows.tolist(), query.tolist(), strict=True):
            own = slice(starts[q], starts[q + 1])
            hidden = np.isnan(relevance[own])
            before = (single[own] > single[row]) | (
                (single[own] == single[row]) & (names[own] > names[row])
            )
            for column, count in zip(
                found,
                (
                    hidden & (scores[own] > scores[row]),
                    hidden & (scores[own] == scores[row]),
                    before,
                    before & hidden,
                ),
                strict=True,
            ):
                column.append(np.count_nonzero(count))
        return tuple(map(np.array, found))

    return ours, twin


def values_of_queries(data: Data) -> Pair:
    table, query, before = _settled(data)
    n, items = table.n_queries, _items(table)
    cutoffs, empty = np.full(n, K), np.zeros(0, np.int64)
    powers = GOES_ON ** np.arange(SIZE + 1.0)

    def ours() -> tuple[Any, ...]:
        hits, first, sums, reading, bpref = (np.empty(n) for _ in range(5))
        counts, doubled, relevant = (np.empty(n, np.int64) for _ in range(3))
        ranking.relevant_counts(*items[:4], LEVEL, counts)
        ranking.expected_hits(*items, LEVEL, cutoffs, hits)
        ranking.expected_first(*items, LEVEL, SIZE, True, first)
        ranking.expected_precision_sums(*items, LEVEL, SIZE, sums)
        ranking.expected_reading(*items, LEVEL, SIZE, powers, 1 - powers, reading)
        ranking.expected_preference(*items, empty, empty, LEVEL, table.judged, bpref)
        ranking.concordant_items(*items, LEVEL, table.sizes, relevant, doubled)
        return counts, hits, first, sums, reading, bpref, doubled

    def twin() -> tuple[Any, ...]:
        counts = np.bincount(query, minlength=n)
        others = table.sizes - counts
        first = np.zeros(n)
        starts = table.item_starts[:-1][counts > 0]
        first[counts > 0] = 1 / (table.above[starts] + 1)
        bound = np.minimum(counts, others)[query]
        ahead = np.minimum(table.above - before, bound)
        share = np.where(bound > 0, 1 - ahead / np.maximum(bound, 1), 1.0)
        bpref = _sums(table, query, share) / np.where(counts > 0, counts, np.nan)
        return (
            counts,
            _sums(table, query, table.above < K),
            first,
            _sums(table, query, (before + 1) / (table.above + 1)),
            _sums(table, query, (1 - GOES_ON) * GOES_ON**table.above),
            bpref,
            _sums(table, query, 2.0 * (others[query] - table.above + before)).astype(np.int64),
        )

    return ours, twin


def gains_of_queries(data: Data) -> Pair:
    table, query, before = _settled(data)
    n, items = table.n_queries, _items(table)
    steps = 1 / np.log2(np.arange(2.0, SIZE + 2))
    discounts = np.append(0.0, np.cumsum(steps))
    chances = table.grades / 8

    def ours() -> tuple[Any, ...]:
        gains, ideal, cascade = (np.empty(n) for _ in range(3))
        ranking.expected_gains(*items, SIZE, discounts, gains)
        ranking.ideal_gains(*items[:4], SIZE, discounts, ideal)
        ranking.expected_cascade(*items[:3], chances, *items[4:], SIZE, cascade)
        return gains, ideal, cascade

    def twin() -> tuple[Any, ...]:
        best = table.grades[np.lexsort((-table.grades, query))]
        stays = np.log1p(-chances)
        passed = np.cumsum(stays) - stays
        own = passed[np.minimum(table.item_starts[:-1], len(passed) - 1)]
        left = np.exp(passed - own[query])
        return (
            _sums(table, query, table.grades * steps[table.above]),
            _sums(table, query, best * steps[before]),
            _sums(table, query, chances * left / (table.above + 1)),
        )

    return ours, twin


#: By the pair of calls: the kernels, and whether the twin visits every pair of rows.
TWINS = {
    place_items: (
        ("ranking:count_relevant", "ranking:order_items", "ranking:locate_relevant"),
        False,
    ),
    gather: (("ranking:gather_queries",), False),
    unjudged_and_named: (("ranking:count_unjudged", "ranking:positions_by_name"), False),
    values_of_queries: (
        (
            "ranking:concordant_items",
            "ranking:expected_first",
            "ranking:expected_hits",
            "ranking:expected_precision_sums",
            "ranking:expected_preference",
            "ranking:expected_reading",
            "ranking:relevant_counts",
        ),
        False,
    ),
    gains_of_queries: (
        (
            "ranking:expected_cascade",
            "ranking:expected_gains",
            "ranking:ideal_gains",
            "ranking:mean_products",
            "ranking:sort_down",
        ),
        False,
    ),
}
