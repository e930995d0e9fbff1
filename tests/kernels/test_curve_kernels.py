"""The sweeps over a table, by NumPy or double loops."""

from bisect import bisect_left
from fractions import Fraction
from itertools import compress

import numpy as np
import pytest

from fastmetrics._kernels import curve_kernels as kernels


def table(rng, n):
    positives = rng.integers(0, 3, n)
    negatives = rng.integers(0, 3, n) + (positives == 0)
    return np.arange(n, 0, -1.0), positives, negatives


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
        wins = p[:, None] > n
        assert twice[row] == 2 * wins.sum() + (p[:, None] == n).sum()


@pytest.mark.parametrize("n", [1, 2, 200])
def test_write_precision_steps(rng, n):
    _, positives, negatives = table(rng, n)
    positives[0] += 1
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    recall = np.concatenate(([0.0], tp / tp[-1]))
    expected = ((recall[:-1] - recall[1:]) * (tp / (tp + fp)))[::-1].tolist()
    for start in {0, n // 3}:
        above = (int(tp[start - 1]), int(fp[start - 1])) if start else (0, 0)
        steps = np.empty(n - start)
        kernels.write_precision_steps(
            positives[start:], negatives[start:], *above, float(tp[-1]), steps
        )
        assert steps.tolist() == expected[: n - start]


@pytest.mark.parametrize("n", [1, 2, 200])
def test_write_precision_recall(rng, n):
    _, positives, negatives = table(rng, n)
    positives[0] += 1
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    for start in {0, n // 3}:
        above = (int(tp[start - 1]), int(fp[start - 1])) if start else (0, 0)
        precision, recall = np.empty((2, n - start))
        kernels.write_precision_recall(
            positives[start:], negatives[start:], *above, float(tp[-1]), precision, recall
        )
        assert precision.tolist() == (tp / (tp + fp))[start:][::-1].tolist()
        assert recall.tolist() == (tp / tp[-1])[start:][::-1].tolist()


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
    a, b = lines[:2].tolist(), lines[2:].tolist()
    swept = {id(line): [x + y for x, y in zip(*line, strict=True)] for line in (a, b)}

    def height(line, at):
        sums = swept[id(line)]
        end = max(bisect_left(sums, at), 1)
        share = Fraction(at - sums[end - 1], sums[end] - sums[end - 1])
        return line[1][end - 1] + share * (line[1][end] - line[1][end - 1])

    corners = sorted([(at, True) for at in swept[id(b)]] + [(at, False) for at in swept[id(a)]])
    sides = [int(np.sign(height(a, at) - height(b, at))) for at, _ in corners]
    expected, sign = [], 0
    for at, side in enumerate(sides):
        if side not in (0, sign):
            on_both = sides[at - 1] == 0
            place = at - on_both
            of_b = sum(is_of_b for _, is_of_b in corners[:place])
            marks = (not corners[place][1]) + 2 * on_both + 4 * (side > 0)
            expected.append([place - of_b, of_b, marks])
            sign = side
    for cut in {0, n // 3, n - 1}:
        split = cut and bisect_left(swept[id(b)], swept[id(a)][cut])
        found = []
        for ends in ((0, cut, 0, split), (cut, n + 2, split, n + 2)):
            turns = np.empty((2 * n + 4, 3), np.int64)
            count = kernels.turns_of_lines(*lines.astype(kind), *ends, kind(0), turns)
            found += turns[:count].tolist()
        above = [marks & 4 for *_, marks in found]
        is_new = [k == 0 or above[k] != above[k - 1] for k in range(len(found))]
        assert list(compress(found, is_new)) == expected
