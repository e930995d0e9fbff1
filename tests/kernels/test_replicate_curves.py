"""Resampled curves read off at levels, against the resampled table and its definition."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._kernels import replicate_curves as kernels
from reference import band_oracle
from reference.replicate_oracle import Rows

OVER_FPR, OVER_TPR, ALONG = kernels.OVER_FPR, kernels.OVER_TPR, kernels.ALONG


NO_TABLE = np.zeros(2)
SIZES = (2, 63, 64, 65, 200)
TIES = (1_000_000, 40, 3)


def sample(rng, n, levels):
    labels = np.where(rng.random(n) < 0.4, 1, 0)
    labels[:2] = 1, 0
    return Rows.of(labels, rng.integers(0, levels, n) + labels * levels // 5)


def columns(rows):
    masks, ends = np.zeros(rows.padded, np.uint8), np.zeros(rows.padded, np.uint8)
    for first, first_negative, end in rows.ties():
        masks[first:first_negative] = 255
        ends[end - 1] = 1
    return masks, ends


def drawn(rng, rows, count=3):
    counts = np.zeros((count, rows.padded), np.uint8)
    counts[:, : rows.n] = rng.poisson(1.0, (count, rows.n))
    masks, _ = columns(rows)
    for r in range(count):  # one of each class at least
        for mask in (255, 0):
            here = np.flatnonzero(masks[: rows.n] == mask)
            counts[r, rng.choice(here)] += 1
    return counts


def read(rows, counts, axis, top, levels, tables=(NO_TABLE, NO_TABLE)):
    masks, ends = columns(rows)
    out = np.full((len(counts), len(levels)), 99.0)
    odds = np.full(len(counts), 99.0)
    levels = np.array(levels, np.float64)
    kernels.values_of_rows(counts, masks, ends, axis, top, levels, *tables, out, odds)
    return out, odds


def lattice(total):
    """Rates that a curve of so many rows reaches, places between them, and both ends."""
    k = np.arange(total + 1)
    return np.unique(np.concatenate((k / total, (k[:-1] + 0.3) / total)))


@pytest.mark.pairwise
@pytest.mark.parametrize("top", [True, False])
@pytest.mark.parametrize("axis", [OVER_FPR, OVER_TPR])
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("n", SIZES)
def test_rates_are_those_of_the_resampled_curve(rng, n, ties, axis, top):
    rows = sample(rng, n, ties)
    counts = drawn(rng, rows)
    for r in range(len(counts)):
        points = band_oracle.roc(rows.resampled(counts[r, : rows.n]))
        if axis == OVER_TPR:
            points = band_oracle.transposed(points)
        masks, _ = columns(rows)
        of_class = masks > 0 if axis == OVER_TPR else masks == 0
        total = int(counts[r][of_class].sum())
        levels = lattice(total)
        levels = levels[:: 1 + 2 * (levels.size > 140)]  # places on it and between them by turns
        found, _ = read(rows, counts[r : r + 1], axis, top, levels)
        at = band_oracle.highest if top else band_oracle.lowest
        exact = [Fraction(round(level * total * 10), total * 10) for level in levels]
        expected = [float(at(points, level)) for level in exact]
        np.testing.assert_allclose(found[0], expected, rtol=1e-12, atol=1e-12)
        whole = levels * total == np.round(levels * total)
        single = ties == TIES[0]
        assert (found[0] == expected)[whole & single].all()  # no segment is cut: one division


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("n", SIZES)
def test_a_curve_is_read_along_its_scaled_length(rng, n, ties):
    rows = sample(rng, n, ties)
    counts = drawn(rng, rows)
    x_size, y_size = 37, 11
    tables = [
        np.array([band_oracle.arcsine(Fraction(k, size), size) for k in range(size + 1)])
        for size in (x_size, y_size)
    ]
    scales = [
        lambda rate, table=table, size=size: np.interp(float(rate) * size, range(size + 1), table)
        for table, size in zip(tables, (x_size, y_size), strict=True)
    ]
    low, high = tables[0][0] + tables[1][0], tables[0][-1] + tables[1][-1]
    levels = np.linspace(low - 0.5, high + 0.5, 50)
    found, _ = read(rows, counts, ALONG, True, levels, tables)
    for r in range(len(counts)):
        points = band_oracle.roc(rows.resampled(counts[r, : rows.n]))
        line = band_oracle.scaled(points, *scales)
        expected = [band_oracle.along(line, level) for level in levels]
        np.testing.assert_allclose(found[r], expected, rtol=0, atol=1e-12)


@pytest.mark.pairwise
@pytest.mark.parametrize("axis", [OVER_FPR, OVER_TPR, ALONG])
@pytest.mark.parametrize("ties", [*TIES, 150])
def test_segments_may_be_passed_over(rng, ties, axis):
    """Read alone, the value at a level is the one among many; some curve is left by a far level."""
    rows = sample(rng, 400, ties)
    counts = drawn(rng, rows)
    tables = np.linspace(0.0, 3.0, 40) ** 2, np.linspace(0.0, 2.0, 30) ** 3
    levels = np.linspace(0.0, 17.0 if axis == ALONG else 1.0, 60)
    whole, _ = read(rows, counts, axis, True, levels, tables)
    for k in range(0, 60, 7):
        alone, _ = read(rows, counts, axis, True, levels[k : k + 1], tables)
        assert (alone[:, 0] == whole[:, k]).all()


def test_replicates_are_independent_of_one_another(rng):
    rows = sample(rng, 130, 20)
    counts = drawn(rng, rows, count=4)
    levels = np.linspace(0, 1, 11)
    whole, odds = read(rows, counts, OVER_FPR, True, levels)
    for r in range(4):
        alone, its = read(rows, counts[r : r + 1], OVER_FPR, True, levels)
        assert (alone[0] == whole[r]).all()
        assert its[0] == odds[r]


@pytest.mark.parametrize("axis", [OVER_FPR, OVER_TPR, ALONG])
def test_a_lost_class_gives_nan(rng, axis):
    rows = sample(rng, 70, 1000)
    masks, _ = columns(rows)
    counts = drawn(rng, rows)
    counts[0, masks > 0] = 0
    counts[2, masks == 0] = 0
    found, odds = read(rows, counts, axis, True, [0.0, 0.5, 1.0])
    assert np.isnan(found).all(axis=1).tolist() == [True, False, True]
    positives = int(counts[1][masks > 0].sum())
    assert odds[1] == (int(counts[1].sum()) - positives) / positives
    assert np.isnan(odds[[0, 2]]).all()


def test_a_product_of_a_rate_and_a_count_is_a_count():
    nearest = kernels.nearest_count
    assert 0.29 * 100 != 29
    for total in (7, 100, 3_000_007):
        for k in range(0, total + 1, max(1, total // 50)):
            assert nearest(k / total * total) == k
    assert nearest(0.29 * 100) == 29
    assert nearest(28.999999) == 28.999999
    assert nearest(0.0) == 0.0


def test_both_classes_are_counted_before_each_segment(rng):
    rows = sample(rng, 150, 1000)
    masks, _ = columns(rows)
    counts = drawn(rng, rows, 1)[0]
    positives, negatives = np.full(4, 99), np.full(4, 99)
    kernels.class_totals(counts, masks, positives, negatives)
    for s in range(4):
        first = counts[: 64 * s].astype(int)
        assert positives[s] == first[masks[: 64 * s] > 0].sum()
        assert negatives[s] == first[masks[: 64 * s] == 0].sum()


def along(x, y, levels, top, slack=0.0):
    out = np.full(len(levels), 99.0)
    kernels.values_along(
        np.array(x, float), np.array(y, float), np.array(levels, float), top, slack, out
    )
    return out.tolist()


def test_an_upright_stretch_has_two_ends():
    x, y = [0, 0, 1, 1, 1, 3], [0, 1, 1, 2, 4, 6]
    levels = [-1, 0, 0.5, 1, 2, 3, 4]
    assert along(x, y, levels, True) == [0, 1, 1, 4, 5, 6, 6]
    assert along(x, y, levels, False) == [0, 0, 1, 1, 5, 6, 6]


def test_a_level_is_reached_within_the_slack():
    x, y = [0.0, 0.1, 0.30000000000000004, 1.0], [0, 1, 5, 6]
    assert along(x, y, [0.3], True, 1e-12) == [5]
    assert along(x, y, [0.3], False, 1e-12) == [5]
    assert along(x, y, [0.1 + 1e-13], True, 1e-12) == [1]
    assert along(x, y, [0.2], True, 1e-12)[0] == pytest.approx(3)


@pytest.mark.parametrize("top", [True, False])
@pytest.mark.parametrize(("off", "value"), [(-1.5, 4.25), (-0.9, 5), (0.9, 5), (1.5, 5.75)])
def test_a_level_beyond_the_slack_lies_between_two_points(top, off, value):
    slack = 0.125
    assert along([0, 0.75, 1.5], [2, 5, 8], [0.75 + off * slack], top, slack) == [value]


def test_an_entry_lies_straight_between_two():
    table = np.array([1.0, 2.0, 4.0])
    places = [0.0, 0.25, 1.0, 1.5, 2.0]
    found = [kernels.entry(table, place) for place in places]
    assert found == [1.0, 1.25, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("axis", [OVER_FPR, OVER_TPR, ALONG])
def test_points_turn_into_what_leads_and_what_is_read(axis):
    fp, tp = np.array([0.0, 2.0, 4.0]), np.array([0.0, 3.0, 6.0])
    tables = np.array([0.0, 10.0]), np.array([0.0, 1.0])
    kernels.to_lead_and_value(axis, *tables, 6, 4, fp, tp, 1, 3)
    expected = {
        OVER_FPR: ([0, 2, 4], [0, 3, 6]),
        OVER_TPR: ([0, 3, 6], [0, 2, 4]),
        ALONG: ([0, 5.5, 11], [0, -4.5, -9]),
    }[axis]
    assert (fp.tolist(), tp.tolist()) == expected


def test_following_goes_on_where_it_ended():
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 5.0, 7.0])
    levels, out = np.array([0.0, 0.5, 1.5, 4.0]), np.full(4, math.nan)
    found = kernels.follow(x, y, 2, levels, True, 0.0, 0, out)
    assert found == 3
    after = np.array([2.0, 3.0, 6.0]), np.array([7.0, 8.0, 11.0])
    assert kernels.follow(*after, 2, levels, True, 0.0, found, out) == 4
    assert out.tolist() == [0.0, 2.5, 6.0, 9.0]
