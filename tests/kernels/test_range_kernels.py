"""What a range of a table adds, by NumPy and fractions."""

from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._kernels import curve_kernels as kernels


def table(rng, n):
    positives = rng.integers(0, 3, n)
    negatives = rng.integers(0, 3, n) + (positives == 0)
    return positives, negatives


@pytest.mark.parametrize("n", [1, 2, 3, 200])
def test_gap_ends(rng, n):
    positives, negatives = table(rng, n)
    tp, fp = np.cumsum(positives), np.cumsum(negatives)
    totals = int(tp[-1]) + 5, int(fp[-1]) + 2
    gaps = tp * totals[1] - fp * totals[0]
    ends = np.empty(6, np.int64)
    kernels.gap_ends(positives, negatives, *totals, ends)
    for row, found in ((np.argmax(gaps), ends[:3]), (np.argmin(gaps), ends[3:])):
        assert found.tolist() == [row, tp[row], fp[row]]


@pytest.mark.parametrize("above", [(0, 0), (3, 10**6), (1, 2**61), (2**61, 2**61)])
def test_precisions_are_added_exactly(rng, above):
    positives, negatives = table(rng, 200)
    limbs = np.zeros(7, np.int64)
    kernels.add_precisions(positives, negatives, *above, np.empty(200), limbs)
    tp, fp, expected = *above, Fraction(0)
    for p, n in zip(positives.tolist(), negatives.tolist(), strict=True):
        tp, fp = tp + p, fp + n
        expected += Fraction(p * (tp / (float(tp) + float(fp))))
    found = sum(limb << 32 * k for k, limb in enumerate(limbs.tolist()))
    assert Fraction(found, 2**128) == expected
    assert limbs.max() < 200 * 2**33


KINDS = pytest.mark.parametrize("kind", [np.int64, np.float64])


def weight_derivatives(measure, positives, negatives):
    """Return a measure of exact counts, and its derivatives by one more row of either class."""
    columns = [[Fraction(float(x)) for x in column] for column in (positives, negatives)]
    value, step = measure(*columns), Fraction(1, 10**12)
    moved = []
    for column in columns:
        moved.append([])
        for i in range(len(column)):
            column[i] += step
            moved[-1].append(float((measure(*columns) - value) / step))
            column[i] -= step
    return float(value), moved


def exact_auc(positives, negatives):
    above, won = Fraction(0), Fraction(0)
    for p, n in zip(positives, negatives, strict=True):
        won += n * (above + p / 2)
        above += p
    return won / (sum(positives) * sum(negatives))


def exact_average_precision(positives, negatives):
    tp, fp, total = Fraction(0), Fraction(0), Fraction(0)
    for p, n in zip(positives, negatives, strict=True):
        tp, fp = tp + p, fp + n
        total += p * tp / (tp + fp)
    return total / sum(positives)


@KINDS
@pytest.mark.parametrize("n", [1, 2, 40])
def test_what_rows_move_of_the_auc(rng, kind, n):
    positives, negatives = (column.astype(kind) + 1 for column in table(rng, n))
    value, moved = weight_derivatives(exact_auc, positives, negatives)
    sizes, found = (float(positives.sum()), float(negatives.sum())), np.empty((2, n))
    for piece in (slice(0, n // 2), slice(n // 2, n)):
        above = float(positives[: piece.start].sum()), float(negatives[: piece.start].sum())
        kernels.auc_influences(
            positives[piece], negatives[piece], above, sizes, value, *found[:, piece]
        )
    np.testing.assert_allclose(found, moved, rtol=1e-9, atol=1e-11)


@KINDS
@pytest.mark.parametrize("n", [1, 2, 40])
def test_what_rows_move_of_average_precision(rng, kind, n):
    positives, negatives = (column.astype(kind) + 1 for column in table(rng, n))
    value, moved = weight_derivatives(exact_average_precision, positives, negatives)
    found = np.empty((2, n))
    pieces, sums = (slice(0, n // 2), slice(n // 2, n)), []
    for piece in pieces:
        above = float(positives[: piece.start].sum()), float(negatives[: piece.start].sum())
        sums.append(
            kernels.precision_shares(positives[piece], negatives[piece], above, *found[:, piece])
        )
    for piece, below in zip(pieces, (sums[1], (0.0, 0.0)), strict=True):
        kernels.precision_influences(float(positives.sum()), value, below, *found[:, piece])
    np.testing.assert_allclose(found, moved, rtol=1e-9, atol=1e-11)


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
    sums = np.ones((3, 3))
    kernels.add_products(one, other, *held, sums)
    c, d = one * weights, other * weights
    wanted = np.ones((3, 3))
    for k, column in enumerate((c * d, c, (c * d) ** 2)):
        wanted[:, k] += np.bincount(strata, column * counts, 3)
    assert (sums == wanted).all()  # all are halves of whole numbers
