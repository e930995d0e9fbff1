"""Resampled curves read off at levels, against the resampled table and its definition."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastmetrics._kernels import replicate_curves as kernels
from reference import band_oracle
from reference.replicate_oracle import Rows

TABLES = np.linspace(0.0, 3.0, 40) ** 2, np.linspace(0.0, 2.0, 30) ** 3
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


def read(rows, counts, levels, tables=TABLES):
    masks, ends = columns(rows)
    out = np.full((len(counts), len(levels)), 99.0)
    kernels.values_of_rows(counts, masks, ends, np.array(levels, np.float64), *tables, out)
    return out


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
    found = read(rows, counts, levels, tables)
    for r in range(len(counts)):
        points = band_oracle.roc(rows.resampled(counts[r, : rows.n]))
        line = band_oracle.scaled(points, *scales)
        expected = [band_oracle.along(line, level) for level in levels]
        np.testing.assert_allclose(found[r], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", [*TIES, 150])
def test_segments_may_be_passed_over(rng, ties):
    """Read alone, the value at a level is the one among many; some curve is left by a far level."""
    rows = sample(rng, 400, ties)
    counts = drawn(rng, rows)
    levels = np.linspace(0.0, 17.0, 60)
    whole = read(rows, counts, levels)
    for k in range(0, 60, 7):
        alone = read(rows, counts, levels[k : k + 1])
        assert (alone[:, 0] == whole[:, k]).all()


def test_replicates_are_independent_of_one_another(rng):
    rows = sample(rng, 130, 20)
    counts = drawn(rng, rows, count=4)
    levels = np.linspace(0, 17, 11)
    whole = read(rows, counts, levels)
    for r in range(4):
        assert (read(rows, counts[r : r + 1], levels)[0] == whole[r]).all()


def test_a_lost_class_gives_nan(rng):
    rows = sample(rng, 70, 1000)
    masks, _ = columns(rows)
    counts = drawn(rng, rows)
    counts[0, masks > 0] = 0
    counts[2, masks == 0] = 0
    found = read(rows, counts, [0.0, 0.5, 1.0])
    assert np.isnan(found).all(axis=1).tolist() == [True, False, True]


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


def test_points_turn_into_what_leads_and_what_is_read():
    fp, tp = np.array([0.0, 2.0, 4.0]), np.array([0.0, 3.0, 6.0])
    tables = np.array([0.0, 10.0]), np.array([0.0, 1.0])
    kernels.to_lead_and_value(*tables, 6, 4, fp, tp, 1, 3)
    assert (fp.tolist(), tp.tolist()) == ([0, 5.5, 11], [0, -4.5, -9])


def test_following_goes_on_where_it_ended():
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 5.0, 7.0])
    levels, out = np.array([0.0, 0.5, 1.5, 4.0]), np.full(4, math.nan)
    found = kernels.follow(x, y, 2, levels, True, 0.0, 0, out)
    assert found == 3
    after = np.array([2.0, 3.0, 6.0]), np.array([7.0, 8.0, 11.0])
    assert kernels.follow(*after, 2, levels, True, 0.0, found, out) == 4
    assert out.tolist() == [0.0, 2.5, 6.0, 9.0]
