"""Curves, ranges of curves, differences and rankings."""

import itertools
import math
from bisect import bisect_left
from fractions import Fraction
from itertools import compress
from typing import Any

import numpy as np
import pytest

from fastmetrics._kernels import concordance, curve_kernels as kernels, ranking
from reference import ranking_oracle as oracle


def table(rng, n):
    positives = rng.integers(0, 3, n)
    return np.arange(n, 0, -1.0), positives, rng.integers(0, 3, n) + (positives == 0)


def pieces(n):
    """Return ranges of n rows: all, what is before a cut, and what is from there on."""
    cuts = {1, n // 2, n - 1} - {0, n}
    return [(0, n), *((0, cut) for cut in cuts), *((cut, n) for cut in cuts)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 200])
def test_corner_count(rng, n):
    _, positives, negatives = table(rng, n)
    bends = np.diff(np.cumsum(positives), 2).astype(bool) | np.diff(np.cumsum(negatives), 2).astype(
        bool
    )
    kept = np.ones(n, bool)
    kept[1:-1] = bends
    for start, stop in pieces(n):
        assert kernels.corner_count(positives, negatives, start, stop) == np.count_nonzero(
            kept[start:stop]
        )


@pytest.mark.pairwise
@pytest.mark.parametrize("corners_only", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 200])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64])
def test_write_roc(rng, corners_only, n, dtype):
    scores, positives, negatives = table(rng, n)
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    kept = np.ones(n, dtype=bool)
    if corners_only:
        kept[1:-1] = np.diff(tp, 2).astype(bool) | np.diff(fp, 2).astype(bool)
    totals = float(tp[-1] or 1), float(fp[-1] or 1)
    columns = scores.astype(dtype), positives, negatives
    for start, stop in pieces(n):
        above = (int(tp[start - 1]), int(fp[start - 1])) if start else (0, 0)
        here = np.arange(start, stop)[kept[start:stop]]
        fpr, tpr, thresholds = np.full((3, len(here)), -1.0)
        kernels.write_roc(
            *columns, start, stop, *above, *totals, corners_only, fpr, tpr, thresholds
        )
        assert fpr.tolist() == (fp[here] / totals[1]).tolist()
        assert tpr.tolist() == (tp[here] / totals[0]).tolist()
        assert thresholds.tolist() == scores[here].tolist()


def test_concordant_pairs_by_row(rng):
    labels = rng.integers(0, 2, (30, 7)).astype(np.int8)
    scores = np.sort(rng.integers(0, 4, (30, 7)).astype(np.float64), axis=1)
    n_positive, n_negative, twice = np.full((3, 30), -1)
    kernels.concordant_pairs_by_row(labels, scores, n_positive, n_negative, twice)
    assert n_positive.tolist() == labels.sum(axis=1).tolist()
    assert n_negative.tolist() == (1 - labels).sum(axis=1).tolist()
    for row in range(30):
        p, n = scores[row][labels[row] == 1], scores[row][labels[row] == 0]
        assert twice[row] == 2 * (p[:, None] > n).sum() + (p[:, None] == n).sum()


@pytest.mark.parametrize("n", [1, 2, 200])
def test_precision_and_recall(rng, n):
    _, positives, negatives = table(rng, n)
    positives[0] += 1
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    row_precision = tp / (tp + fp)
    recalls = np.concatenate(([0.0], tp / tp[-1]))
    areas = ((recalls[:-1] - recalls[1:]) * row_precision)[::-1].tolist()
    for start in {0, n // 3}:
        above = (int(tp[start - 1]), int(fp[start - 1])) if start else (0, 0)
        given = positives[start:], negatives[start:], *above, float(tp[-1])
        steps, precision, recall = np.empty((3, n - start))
        kernels.write_precision_steps(*given, steps)
        assert steps.tolist() == areas[: n - start]
        kernels.write_precision_recall(*given, precision, recall)
        assert precision.tolist() == row_precision[start:][::-1].tolist()
        assert recall.tolist() == recalls[1:][start:][::-1].tolist()


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("n", [1, 2, 5, 40, 900])
def test_turns_of_lines(rng, kind, n):
    """The height of each line at a corner's x + y, as fractions."""
    steps = rng.integers(0, 3, (4, n))
    steps[0, steps[0] + steps[1] == 0] = 1
    steps[2, steps[2] + steps[3] == 0] = 1
    steps[1, n // 3 : n // 2] += 1  # far apart for a while, then closer again
    steps[0, n // 2 : n // 3 * 2] += 1
    lines = np.concatenate([np.zeros((4, 1), np.int64), np.cumsum(steps, axis=1)], axis=1)
    both_end = np.tile(lines[:, -1].reshape(2, 2).max(axis=0) + 1, 2)
    lines = np.column_stack([lines, both_end])
    a = lines[:2].tolist()
    b = lines[2:].tolist()
    swept = {id(line): [x + y for x, y in zip(*line, strict=True)] for line in (a, b)}

    def height(line, at):
        sums = swept[id(line)]
        end = max(bisect_left(sums, at), 1)
        share = Fraction(at - sums[end - 1], sums[end] - sums[end - 1])
        return line[1][end - 1] + share * (line[1][end] - line[1][end - 1])

    corners = sorted([(at, True) for at in swept[id(b)]] + [(at, False) for at in swept[id(a)]])
    sides = [int(np.sign(height(a, at) - height(b, at))) for at, _ in corners]
    expected = []
    sign = 0
    for at, side in enumerate(sides):
        if side not in (0, sign):
            on_both = sides[at - 1] == 0
            place = at - on_both
            n_lower = sum(is_of_b for _, is_of_b in corners[:place])
            marks = (not corners[place][1]) + 2 * on_both + 4 * (side > 0)
            expected.append([place - n_lower, n_lower, marks])
            sign = side
    for cut in {0, n // 3, n - 1}:
        split = cut and bisect_left(swept[id(b)], swept[id(a)][cut])
        actual = []
        for ends in ((0, cut, 0, split), (cut, n + 2, split, n + 2)):
            turns = np.empty((2 * n + 4, 3), np.int64)
            count = kernels.turns_of_lines(*lines.astype(kind), *ends, kind(0), turns)
            actual += turns[:count].tolist()
        above = [marks & 4 for *_, marks in actual]
        is_new = [k == 0 or above[k] != above[k - 1] for k in range(len(actual))]
        assert list(compress(actual, is_new)) == expected


def table_kernels(rng, n):
    positives = rng.integers(0, 3, n)
    return positives, rng.integers(0, 3, n) + (positives == 0)


@pytest.mark.parametrize("n", [1, 2, 3, 200])
def test_gap_ends(rng, n):
    positives, negatives = table_kernels(rng, n)
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    totals = int(tp[-1]) + 5, int(fp[-1]) + 2
    gaps = tp * totals[1] - fp * totals[0]
    ends = np.empty(6, np.int64)
    kernels.gap_ends(positives, negatives, *totals, ends)
    for row, actual in ((np.argmax(gaps), ends[:3]), (np.argmin(gaps), ends[3:])):
        assert actual.tolist() == [row, tp[row], fp[row]]


@pytest.mark.parametrize("above", [(0, 0), (3, 10**6), (1, 2**61), (2**61, 2**61)])
def test_precisions_are_added_exactly(rng, above):
    positives, negatives = table_kernels(rng, 200)
    limbs = np.zeros(7, np.int64)
    kernels.add_precisions(positives, negatives, *above, np.empty(200), limbs)
    tp, fp, expected = *above, Fraction(0)
    for p, n in zip(positives.tolist(), negatives.tolist(), strict=True):
        tp, fp = tp + p, fp + n
        expected += Fraction(p * (tp / (float(tp) + float(fp))))
    total = sum(limb << 32 * k for k, limb in enumerate(limbs.tolist()))
    assert Fraction(total, 2**128) == expected
    assert limbs.max() < 200 * 2**33


KINDS = pytest.mark.parametrize("kind", [np.int64, np.float64])


def weight_derivatives(metric, positives, negatives):
    """Return a metric of exact counts, and its derivatives by one more row of either class."""
    columns = [[Fraction(float(x)) for x in column] for column in (positives, negatives)]
    value = metric(*columns)
    step = Fraction(1, 10**12)
    moved = []
    for column in columns:
        moved.append([])
        for i in range(len(column)):
            column[i] += step
            moved[-1].append(float((metric(*columns) - value) / step))
            column[i] -= step
    return float(value), moved


def exact_auc(positives, negatives):
    above = won = Fraction(0)
    for p, n in zip(positives, negatives, strict=True):
        won += n * (above + p / 2)
        above += p
    return won / (sum(positives) * sum(negatives))


def exact_average_precision(positives, negatives):
    tp = fp = total = Fraction(0)
    for p, n in zip(positives, negatives, strict=True):
        tp, fp = tp + p, fp + n
        total += p * tp / (tp + fp)
    return total / sum(positives)


@KINDS
@pytest.mark.parametrize("n", [1, 2, 40])
def test_what_rows_move_of_the_auc(rng, kind, n):
    positives, negatives = (column.astype(kind) + 1 for column in table_kernels(rng, n))
    value, moved = weight_derivatives(exact_auc, positives, negatives)
    sizes = (float(positives.sum()), float(negatives.sum()))
    actual = np.empty((2, n))
    sums = np.zeros((2, 2))
    counts = np.array([positives, negatives])
    for piece in (slice(0, n // 2), slice(n // 2, n)):
        above = float(positives[: piece.start].sum()), float(negatives[: piece.start].sum())
        kernels.auc_influences(
            positives[piece], negatives[piece], above, sizes, value, *actual[:, piece], sums
        )
    np.testing.assert_allclose(actual, moved, rtol=1e-9, atol=1e-11)
    firsts = counts * moved
    squares = (firsts * moved).sum(axis=1)
    firsts = firsts.sum(axis=1)
    np.testing.assert_allclose(sums, np.array([squares, firsts]).T[::-1], rtol=1e-9, atol=1e-11)


@KINDS
@pytest.mark.parametrize("n", [1, 2, 40])
def test_what_rows_move_of_average_precision(rng, kind, n):
    positives, negatives = (column.astype(kind) + 1 for column in table_kernels(rng, n))
    value, moved = weight_derivatives(exact_average_precision, positives, negatives)
    actual = np.empty((2, n))
    pieces = (slice(0, n // 2), slice(n // 2, n))
    sums = []
    for piece in pieces:
        above = float(positives[: piece.start].sum()), float(negatives[: piece.start].sum())
        sums.append(
            kernels.precision_fractions(
                positives[piece], negatives[piece], above, *actual[:, piece]
            )
        )
    for piece, below in zip(pieces, (sums[1], (0.0, 0.0)), strict=True):
        kernels.precision_influences(float(positives.sum()), value, below, *actual[:, piece])
    np.testing.assert_allclose(actual, moved, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("n", [1, 7, 32, 1000])
def test_central_moments(rng, n):
    counts, values = rng.integers(0, 3, n), rng.normal(size=n) + 5.0
    moments = np.empty(4)
    kernels.central_moments(counts, values, moments)
    if not counts.any():
        assert not moments.any()
        return
    mean = sum(c * Fraction(v) for c, v in zip(counts.tolist(), values, strict=True))
    mean /= int(counts.sum())
    expected = [mean] + [
        sum(c * (Fraction(v) - mean) ** k for c, v in zip(counts.tolist(), values, strict=True))
        for k in (2, 3, 4)
    ]
    largest = float(max(expected[1:], default=0))
    assert moments == pytest.approx([*map(float, expected)], rel=1e-13, abs=1e-13 * largest)
    kernels.central_moments(np.zeros(n, np.int64), values, moments)
    assert not moments.any()


def test_means_of_cells(rng):
    counts, values = rng.integers(0, 3, 60), rng.normal(size=60) + 5.0
    counts[10:20] = 0
    starts = np.array([0, 1, 10, 20, 21])
    means = np.empty(5)
    squares = kernels.cell_means(counts, values, starts, means)
    expected = 0.0
    for cell, rows in enumerate(np.split(np.arange(60), starts[1:])):
        rows = np.repeat(rows, counts[rows])
        if len(rows):
            assert means[cell] == pytest.approx(values[rows].mean(), rel=1e-14)
            expected += ((values[rows] - values[rows].mean()) ** 2).sum()
    assert means[2] == values[10]  # of no row
    assert squares == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_sums_by_code(rng, is_weighted):
    codes = rng.integers(0, 7, 100)
    values = rng.integers(-9, 9, 100).astype(np.float64)
    weights = rng.integers(0, 4, 100) / 2.0 if is_weighted else np.empty(0)
    own = values * weights if is_weighted else values
    sums = np.ones(7)
    assert kernels.add_by_code(codes, values, weights, sums) == np.abs(own).sum()
    assert sums.tolist() == [1.0 + own[codes == code].sum() for code in range(7)]


@pytest.mark.parametrize("given", [(), ("counts",), ("weights", "strata"), ("counts", "strata")])
def test_products_of_two_columns_by_stratum(rng, given):
    one, other = rng.integers(-9, 9, (2, 100)).astype(np.float64)
    columns = {
        "counts": rng.integers(1, 4, 100).astype(np.float64),
        "weights": rng.integers(1, 4, 100) / 2.0,
        "strata": rng.integers(0, 3, 100),
    }
    held = [column if name in given else column[:0] for name, column in columns.items()]
    counts, weights = (columns[name] if name in given else 1.0 for name in ("counts", "weights"))
    strata = columns["strata"] if "strata" in given else np.zeros(100, np.int64)
    sums = np.ones((3, 4))
    kernels.add_products(one, other, *held, sums)
    c = one * weights
    d = other * weights
    wanted = np.ones((3, 4))
    for k, column in enumerate((c * d, c, (c * d) ** 2, c * c * d)):
        wanted[:, k] += np.bincount(strata, column * counts, 3)
    assert (sums == wanted).all()  # all are halves of whole numbers


def sample(rng, n, *, tied):
    values = np.unique(rng.integers(-50, 50, n) if tied else rng.normal(size=n)).astype(np.float64)
    counts = rng.integers(1, 4 if tied else 2, len(values))
    return values, np.concatenate(([0], np.cumsum(counts)))


def every_pair(values, before):
    """Return the sums of distinct numbers, and of how many pairs each is."""
    i, j = np.triu_indices(len(values))
    counts = np.diff(before)
    pairs = np.where(i == j, counts[i] * (counts[i] + 1) // 2, counts[i] * counts[j])
    return values[i] + values[j], pairs


BOUNDS = [(-1e9, 1e9), (0.0, 0.0), (-3.0, 1.5), (1.5, -3.0), (1e9, -1e9)]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [1, 2, 70])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_count_pair_sums(rng, n, tied, low, high):
    values, before = sample(rng, n, tied=tied)
    sums, pairs = every_pair(values, before)
    counts = np.full(4, -1)
    concordance.count_pair_sums(values, before, low, high, counts)
    below = [sums <= bound for bound in (low, high)]
    assert counts.tolist() == [*(pairs[part].sum() for part in below), *map(np.sum, below)]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n", [1, 2, 70])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_write_pair_sums(rng, n, tied, low, high):
    values, before = sample(rng, n, tied=tied)
    sums, pairs = every_pair(values, before)
    inside = (sums > low) & (sums <= high)
    actual = np.full(np.count_nonzero(inside), np.nan), np.full(np.count_nonzero(inside), -1)
    concordance.write_pair_sums(values, before, low, high, *actual)
    assert sorted(zip(*actual, strict=True)) == sorted(
        zip(sums[inside], pairs[inside], strict=True)
    )


def test_sums_of_choices(rng):
    values = rng.normal(size=24)
    actual = np.full(3 * concordance.CHOICES, np.nan)
    concordance.sums_of_choices(values, actual)
    for eight, sums in zip(values.reshape(3, 8), actual.reshape(3, -1), strict=True):
        choices = itertools.product((-1, 1), repeat=8)  # the last sign changes first
        want = [math.fsum(np.array(signs[::-1]) * eight) for signs in choices]
        np.testing.assert_allclose(sums, want, atol=1e-14)


@pytest.mark.parametrize("chunks", [1, 3])
def test_add_signed_sums(rng, chunks):
    """Whole numbers: sums are exact."""
    values = rng.integers(-99, 99, chunks * concordance.CHUNK).astype(np.float64)
    words = rng.integers(0, 2**64, (2, chunks, 5), dtype=np.uint64)
    sums = np.full(5, 0.5)
    concordance.add_signed_sums(values, words.ravel(), sums)
    bits = np.unpackbits(words.view(np.uint8).reshape(2, chunks, 5, 8), axis=3, bitorder="little")
    signs = 2.0 * bits.transpose(2, 1, 0, 3).reshape(5, -1) - 1.0
    assert (sums == 0.5 + signs @ values).all()


SCORES = [np.float64, np.float32, np.int64, np.uint64]


@pytest.fixture
def problem(rng) -> Any:
    """Return relevance, scores and starts of queries, some of them empty."""
    starts = np.append(0, np.cumsum([0, 1, 7, 0, 30, 5, 12, 0]))
    return rng.integers(-1, 4, starts[-1]), rng.integers(0, 9, starts[-1]), starts


def placed(relevance: Any, scores: Any, starts: Any) -> tuple[Any, ...]:
    n = len(starts) - 1
    counts = np.full(n, -7)
    ranking.count_relevant(relevance, starts, 0, n, counts)
    item_starts = np.append(0, np.cumsum(counts))
    rows, above, tied = (np.full(item_starts[-1], -7) for _ in range(3))
    grades = np.full(item_starts[-1], -7.0)
    unruly = ranking.locate_relevant(
        relevance, scores, starts, 0, n, item_starts, rows, grades, above, tied
    )
    assert unruly == 0
    return item_starts, rows, grades, above, tied


@pytest.mark.parametrize("dtype", SCORES)
@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_places_of_relevant_items(dtype, kind, problem) -> None:
    relevance, scores, starts = problem
    relevance = relevance.astype(kind)
    scores = scores.astype(dtype)
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
    empty = np.zeros(0, np.int64)
    starts = np.array([0, 4])
    unruly = ranking.locate_relevant(
        np.zeros(4, np.int8), scores, starts, 0, 1, np.zeros(2, np.int64), empty, np.zeros(0),
        empty, empty,
    )  # fmt: skip
    assert unruly == 3


def test_unjudged_items_above_and_places_by_name(problem, rng) -> None:
    relevance, scores, starts = problem
    relevance = relevance.astype(np.float64)
    scores = scores.astype(np.float32)
    relevance[::5] = np.nan
    names = rng.permutation(len(scores))
    item_starts, rows, *_ = placed(relevance, scores, starts)
    above, tied, places, before = (np.full(len(rows), -7) for _ in range(4))
    data = (relevance, scores)
    n = len(starts) - 1
    ranking.count_unjudged(*data, starts, 0, n, item_starts, rows, above, tied)
    ranking.positions_by_name(*data, names, starts, 0, n, item_starts, rows, places, before)
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


@pytest.mark.parametrize(("kernel", "more", "definition"), VALUES)
def test_values_of_queries(kernel, more, definition, rng) -> None:
    starts = np.append(0, np.cumsum(rng.integers(0, 6, 30)))
    relevance = rng.integers(0, 3, starts[-1])
    scores = rng.integers(0, 3, starts[-1])
    item_starts, _, *ranks = placed(relevance.astype(np.int8), scores * 1.0, starts)
    actual = np.full(30, -7.0)
    kernel(0, 30, item_starts, *ranks, *more(30), actual)
    for q, value in enumerate(actual):
        query = [(int(relevance[i]), int(scores[i]), i) for i in range(starts[q], starts[q + 1])]
        assert value == pytest.approx(float(oracle.mean(definition, query)), rel=1e-13, abs=1e-15)


def test_other_values_of_queries() -> None:
    item_starts = np.array([0, 3, 3])
    grades = np.array([2.0, 1.0, 1.0])
    above = np.array([1, 1, 5])
    tied = np.array([2, 2, 0])
    ranks = (grades, above, tied)
    empty = np.zeros(0, np.int64)
    counts = np.full(2, -7)
    actual = np.full(2, -7.0)
    ranking.relevant_counts(0, 2, item_starts, grades, 1.0, counts)
    assert counts.tolist() == [3, 0]
    ranking.ideal_gains(0, 2, item_starts, grades, 2, DISCOUNTS, actual)
    assert actual.tolist() == pytest.approx([2 + 1 / np.log2(3), 0])
    ranking.ideal_gains(0, 2, item_starts, grades * 0 + 2, 2, DISCOUNTS, actual)
    assert actual.tolist() == pytest.approx([2 + 2 / np.log2(3), 0])
    ranking.expected_cascade(0, 2, item_starts, np.array([0.5, 0.25, 0.25]), above, tied, 9, actual)
    by_hand = ((1 / 2) / 2 + (1 / 2) * (1 / 4) / 3 + (1 / 4) / 2 + (3 / 4) * (1 / 2) / 3) / 2
    assert actual.tolist() == pytest.approx([by_hand, 0])
    judged = np.array([6, 4])
    ranking.expected_preference(0, 2, item_starts, *ranks, empty, empty, 1.0, judged, actual)
    assert actual.tolist() == pytest.approx([2 * (1 - 1 / 3) / 3, np.nan], nan_ok=True)
    doubled, relevant = np.full((2, 2), -7)
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
    actual = np.full(7, -7.0)
    assert ranking.mean_products(np.array([9.0, *map(float, chances)]), 1, 4, 6, actual) == 4
    for j in range(5):
        sets = list(itertools.combinations(chances, j))
        right = sum(math.prod(1 - chance for chance in each) for each in sets) / len(sets)
        assert actual[j] == pytest.approx(float(right), rel=1e-15)
    assert actual[5:].tolist() == [0, -7]


@pytest.mark.parametrize(("size", "relevant"), [(300, 1), (300, 200), (120, 120)])
def test_a_long_tie_of_a_reader_who_stops(size, relevant) -> None:
    """If each item ends the search with chance 1/2, items beyond a hundred do not matter."""
    right = Fraction(0)
    some = Fraction(1, 2)
    for place in range(1, size + 1):
        for before in range(min(place, relevant)):
            others = place - 1 - before
            if others <= size - relevant:
                ways = math.comb(relevant, before) * math.comb(size - relevant, others)
                share = Fraction(ways, math.comb(size, place - 1))
                right += (
                    share * Fraction(relevant - before, size - place + 1) * some**before / 2 / place
                )
    actual = np.full(1, -7.0)
    ints = np.zeros(relevant, np.int64)
    starts = np.array([0, relevant])
    ranking.expected_cascade(0, 1, starts, np.full(relevant, 0.5), ints, ints + size, 10**9, actual)
    assert actual[0] == pytest.approx(float(right), rel=5e-15)


def one_query(rng: Any) -> tuple[Any, ...]:
    """Return a query of five items, some not judged, and the arguments of its kernels."""
    grades = rng.choice([np.nan, -1.0, 0.0, 1.0, 2.0], 5)
    scores = rng.integers(0, 3, 5) * 1.0
    query = [
        (None if grade != grade else int(grade), int(score), i)
        for i, (grade, score) in enumerate(zip(grades.tolist(), scores, strict=True))
    ]
    starts = np.array([0, 5])
    n_missing = int(rng.integers(0, 3))
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
        actual = np.full(1, -7.0)
        for name, more, right in (
            ("expected_hits", (np.array([k]),), lambda o: k * oracle.precision(o, k)),
            ("expected_first", (k, True), lambda o: oracle.reciprocal_rank(o, k)),
            ("expected_precision_sums", (k,), lambda o: oracle.average_precision(o, 1, k)),
        ):
            getattr(ranking, name)(0, 1, item_starts, *ranks, 1.0, *more, actual)
            assert actual[0] == pytest.approx(float(oracle.mean(right, query)), rel=1e-13)
        gains = np.maximum(ranks[0], 0.0)
        items = (0, 1, item_starts, gains, *ranks[1:])
        ranking.expected_gains(*items, min(k, 6), DISCOUNTS, actual)
        right = oracle.mean(oracle.dcg, query, k=k)
        assert actual[0] == pytest.approx(float(right), rel=1e-13)
        items = (0, 1, item_starts, (np.exp2(gains) - 1) / 8, *ranks[1:])
        ranking.expected_cascade(*items, k, actual)
        right = oracle.mean(oracle.expected_reciprocal_rank, query, top=3, k=k)
        assert actual[0] == pytest.approx(float(right), rel=1e-13)


@pytest.mark.parametrize("knows", [False, True])
def test_bpref_of_items_that_were_not_retrieved_or_not_judged(knows, rng) -> None:
    for _ in range(80):
        query, n_missing, item_starts, ranks, hidden = one_query(rng)
        if not knows:  # as where all are judged
            query = [(max(grade or 0, 0), *rest) for grade, *rest in query]
            hidden = [np.zeros(0, np.int64)] * 2
        total = n_missing + sum(map(oracle.is_relevant, query))
        others = sum(grade == 0 for grade, *_ in query)
        actual = np.full(1, -7.0)
        judged = np.array([total + others])
        ranking.expected_preference(0, 1, item_starts, *ranks, *hidden, 1.0, judged, actual)
        right = math.nan
        if total:
            right = float(oracle.mean(oracle.bpref, query, n_relevant=total, n_others=others))
        assert actual[0] == pytest.approx(right, rel=1e-13, nan_ok=True)


def test_long_queries_are_left_to_a_sort() -> None:
    n = 400
    grades = np.ones(n)
    scores = np.arange(float(n))
    starts = np.array([0, n])
    item_starts, rows, actual, above, _ = placed(grades, scores, starts)
    assert rows.tolist() == list(range(n))
    assert (actual == 1).all()
    assert (above == -7).all()
    one, other = np.full((2, n), -7)
    ranking.count_unjudged(grades, scores, starts, 0, 1, item_starts, rows, one, other)
    data = (grades, scores.astype(np.float32), np.arange(n), starts, 0, 1, item_starts, rows)
    ranking.positions_by_name(*data, one, other)
    assert (one == -7).all()
    assert (other == -7).all()
