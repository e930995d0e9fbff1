"""Replicates: their draws, weights, points, pairs and curves."""

import math
from fractions import Fraction

import numpy as np
import pytest
from kernel_forms import IS_COMPILED, totals_of

from fastmetrics._kernels import replicate_curves, replicates, resampling as kernels
from reference import band_oracle
from reference.replicate_oracle import Rows, philox4x32_10, twice_pairs_won, words

WINDOW = kernels.WINDOW
WORDS = kernels.WORDS
KEY = (20_080_615, 4_242_424_242)


# Random123, tests/kat_vectors: philox4x32, 10 rounds.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def key_of(*numbers):
    return np.array(numbers or KEY, np.uint64)


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_against_the_published_vectors(counter, key, answer):
    assert philox4x32_10(counter, key) == answer
    out = np.zeros(2, np.uint64)
    kernels.philox(key_of(*key), *counter, 1, out)
    c0, c1, c2, c3 = answer
    assert out.tolist() == [c0 | c1 << 32, c2 | c3 << 32]


@pytest.mark.parametrize(("first", "n"), [(0, 1), (3, 5), (2**32 - 3, 2), (0, 40)])
def test_philox_goes_through_the_counters(first, n):
    out = np.full(2 * n + 1, 7, np.uint64)
    kernels.philox(key_of(), first, 11, 12, 2, n, out)
    assert out.tolist() == [*words(KEY, first, 11, 12, 2, n), 7]


def test_the_counter_wraps_at_32_bits():
    out = np.zeros(4, np.uint64)
    kernels.philox(key_of(), 2**32 - 1, 5, 2**32 + 6, 0, 2, out)
    expected = (philox4x32_10((counter, 5, 6, 0), KEY) for counter in (2**32 - 1, 0))
    assert [out[0] & 0xFFFFFFFF, out[1] & 0xFFFFFFFF] == [answer[0] for answer in expected]


@pytest.mark.parametrize(("n", "p", "median"), [(1_000, 0.005, 5), (4_097, 3 / 4_097, 3)])
def test_a_rest_that_rounding_left_is_drawn_anew(n, p, median):
    """The largest number is beyond the rounded sum of all masses here; one half comes next."""
    buffer = np.full(16, 2**63, np.uint64)
    buffer[1] = 2**64 - 1
    stream = np.array([1, 0, 0, 0])
    drawn = np.empty(1, np.int64)
    kernels.binomials(np.array([n]), p, key_of(), stream[None], buffer[None], drawn)
    assert drawn[0] == median
    assert stream[0] == 3


@pytest.mark.parametrize("k", [0, 1, 2, 9, 14, 15, 16, 40, 1_000, 10**6, 10**12])
def test_the_rest_of_stirlings_approximation(k):
    """By its series in 1/(k + 1), to more terms; below 10 by the factorial itself."""
    x = 1 / (k + 1)
    series = x / 12 - x**3 / 360 + x**5 / 1260 - x**7 / 1680 + x**9 / 1188
    if k < 10:
        exact = math.log(math.factorial(k) / math.sqrt(2 * math.pi)) + k + 1
        series = exact - (k + 0.5) * math.log(k + 1)
    assert kernels.stirling_rest(k) == pytest.approx(series, rel=2e-9, abs=1e-13)


@pytest.mark.parametrize(
    "sizes",
    [[1], [5, 0], [0, 5], [0, 0], [3, 0, 0, 4], [1] * 40, [4096, 4096, 7], [10**12, 1, 10**12]],
    ids=str,
)
def test_totals_add_up(sizes):
    totals = totals_of(key_of(), 0, 6, 0, sizes)
    assert (totals >= 0).all()
    assert (totals[:, np.array(sizes) == 0] == 0).all()
    assert totals.sum(axis=1).tolist() == [sum(sizes)] * 6


@pytest.mark.parametrize(
    "sizes", [[9], [30, 0, 1, 5, 2, 40], [4096, 4096, 7], [10**12, 1, 9]], ids=str
)
def test_plain_python_draws_the_same_totals(sizes, monkeypatch):
    """By inversion and by rejection, from streams that go on beyond their first words."""
    drawn = totals_of(key_of(), 3, 21, 1, sizes)
    monkeypatch.setattr(kernels, "multinomial_totals", kernels.multinomial_totals.py_func)
    assert totals_of(key_of(), 3, 21, 1, sizes).tolist() == drawn.tolist()


def test_totals_depend_on_key_replicate_and_stratum_alone():
    sizes = np.array([300, 4096, 2, 77])

    def drawn(first, count, stratum=0, key=KEY):
        return totals_of(key_of(*key), first, count, stratum, sizes).tolist()

    whole = drawn(0, 7)
    assert drawn(3, 1) == whole[3:4]
    assert drawn(5, 2) == whole[5:]
    others = [drawn(0, 7, stratum=1), drawn(0, 7, key=(KEY[0] + 1, KEY[1])), drawn(7, 7)]
    others.append(drawn(0, 7, key=(KEY[0], KEY[1] + 1)))
    for other in others:
        assert all(a != b for a, b in zip(other, whole, strict=True))


@pytest.mark.parametrize("n_draws", [0, 1, 4, 5, 6, 9, 80, 81, 4096, 5039, 5040])
def test_a_full_window_takes_five_places_from_a_word(n_draws):
    counts = np.zeros(WINDOW, np.uint8)
    buffer = np.zeros(WORDS, np.uint64)
    counts[9] = 3
    kernels.scatter_full(key_of(), 6, 8, n_draws, counts, buffer)
    n = ((n_draws + 4) // 5 + 1) // 2
    n += -n % 8
    places = [word >> 12 * i & 4095 for word in words(KEY, 0, 6, 8, 0, n) for i in range(5)]
    expected = np.bincount(places[:n_draws], minlength=WINDOW)
    expected[9] += 3
    assert counts.tolist() == expected.tolist()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 32, 33, 500, 4095, 4096])
@pytest.mark.parametrize("wanted", [-1, 0, 255])
def test_accepted_places_are_those_wanted(rng, size, wanted):
    masks = rng.choice(np.array([0, 255], np.uint8), size)
    masks[-1] = max(wanted, 0)
    counts = np.zeros(size, np.uint8)
    buffer = np.zeros(WORDS, np.uint64)
    n_draws = min(3 * size, 200)
    scatter = kernels.scatter_accepted
    scatter(key_of(), 1, 2, kernels.MORE, 0, wanted, masks, counts, buffer)
    assert not counts.any()
    scatter(key_of(), 1, 2, kernels.MORE, n_draws, wanted, masks, counts, buffer)
    assert counts.sum() == n_draws
    assert wanted < 0 or (counts[masks != wanted] == 0).all()


@pytest.mark.parametrize("wanted", [-1, 0, 255])
def test_accepted_places_are_the_first_of_the_stream(wanted):
    """Twenty draws over 12 places, or 6 of a class: one batch of four counters is enough."""
    masks = np.array([255, 0] * 6, np.uint8)
    counts = np.zeros(12, np.uint8)
    buffer = np.zeros(WORDS, np.uint64)
    kernels.scatter_accepted(key_of(), 1, 2, 2, 20, wanted, masks, counts, buffer)
    places = [word >> 4 * i & 15 for word in words(KEY, 0, 1, 2, 2, 4) for i in range(16)]
    accepted = [place for place in places if place < 12 and wanted in (-1, masks[place])][:20]
    assert counts.tolist() == np.bincount(accepted, minlength=12).tolist()


def padded(n):
    return -(-n // 8) * 8


def plain(n, windows, totals, first=0, key=KEY):
    windows = np.array(windows)
    width = (len(windows) - 1) * WINDOW + min(WINDOW, n - int(windows[-1]) * WINDOW)
    counts = np.full((len(totals), padded(width)), 99, np.uint8)
    kernels.draw_windows(key_of(*key), first, windows, np.array(totals), n, counts)
    assert not counts[:, width:].any()
    return counts[:, :width]


def by_class(masks, windows, totals, first=0):
    n = len(masks)
    windows = np.array(windows)
    width = (len(windows) - 1) * WINDOW + min(WINDOW, n - int(windows[-1]) * WINDOW)
    totals = np.array(totals)
    counts = np.full((totals.shape[1], padded(width)), 99, np.uint8)
    kernels.draw_windows_by_class(key_of(), first, windows, totals, masks, n, counts)
    assert not counts[:, width:].any()
    return counts[:, :width]


TOTALS = [[4100, 3999, 0, 20], [4096, 5041, 1, 0], [5200, 4000, 4200, 33]]
N = 3 * WINDOW + 21


def test_windows_hold_their_totals():
    counts = plain(N, range(4), TOTALS)
    assert np.add.reduceat(counts, np.arange(4) * WINDOW, axis=1, dtype=int).tolist() == TOTALS


def test_a_window_depends_on_key_replicate_and_window_alone():
    whole = plain(N, range(4), TOTALS)
    totals = np.array(TOTALS)
    for r, j in [(0, 1), (1, 1), (2, 3)]:
        alone = plain(N, [j], totals[r : r + 1, j : j + 1], first=r)
        assert (alone[0] == whole[r, j * WINDOW : (j + 1) * WINDOW]).all()
    assert (plain(N, [2, 3], totals[:, 2:]) == whole[:, 2 * WINDOW :]).all()
    same = [[4096] * 3]
    one = plain(N, range(3), same)[0].reshape(3, WINDOW)
    others = [plain(N, range(3), same, first=1), plain(N, range(3), same, key=(1, 2))]
    windows = [*one, *(row for other in others for row in other[0].reshape(3, WINDOW))]
    assert len({window.tobytes() for window in windows}) == 9


def class_masks(rng, n=N):
    masks = np.where(rng.random(n) < 0.3, np.uint8(255), np.uint8(0))
    if n > WINDOW:
        masks[WINDOW : 2 * WINDOW] = 0
        masks[WINDOW + 5] = 255  # one positive in a window of its own
    return masks


BY_CLASS = [
    [[1200, 3, 500, 9], [1300, 0, 1200, 0], [100, 1, 3000, 4]],  # positives
    [[2900, 4090, 3500, 11], [2700, 4100, 2900, 15], [5100, 4000, 0, 0]],  # negatives
]


def test_windows_hold_the_totals_of_each_class(rng):
    masks = class_masks(rng)
    counts = by_class(masks, range(4), BY_CLASS)
    starts = np.arange(4) * WINDOW
    for label, totals in zip((255, 0), BY_CLASS, strict=True):
        class_counts = np.where(masks == label, counts, 0)
        assert np.add.reduceat(class_counts, starts, axis=1, dtype=int).tolist() == totals


def test_a_window_by_class_depends_on_key_replicate_and_window_alone(rng):
    masks = class_masks(rng)
    whole = by_class(masks, range(4), BY_CLASS)
    totals = np.array(BY_CLASS)
    for r, j in [(0, 0), (1, 2), (2, 0), (2, 3)]:
        alone = by_class(masks, [j], totals[:, r : r + 1, j : j + 1], first=r)
        assert (alone[0] == whole[r, j * WINDOW : (j + 1) * WINDOW]).all()


def test_a_window_takes_the_first_draws_of_each_class(rng):
    """As the endless sequence of uniform draws has them; the rest is another stream's."""
    masks = class_masks(rng, WINDOW)
    masks[: WINDOW // 2] = np.where(rng.random(WINDOW // 2) < 0.5, np.uint8(255), np.uint8(0))
    for wanted_p, wanted_n in [(2, 1998), (1000, 1000), (1998, 2)]:
        counts = by_class(masks, [0], [[[wanted_p]], [[wanted_n]]])[0]
        here = places_of(wanted_p + wanted_n)
        for label, wanted in ((255, wanted_p), (0, wanted_n)):
            first = [place for place in here if masks[place] == label][:wanted]
            least = np.bincount(first, minlength=WINDOW)
            class_counts = np.where(masks == label, counts, 0)
            assert (class_counts >= least).all()
            assert class_counts.sum() == wanted
            if len(first) == wanted:
                assert class_counts.tolist() == least.tolist()


def places_of(n_draws):
    n = ((n_draws + 4) // 5 + 1) // 2
    n += -n % 8
    actual = [word >> 12 * i & 4095 for word in words(KEY, 0, 0, 0, 0, n) for i in range(5)]
    return actual[:n_draws]


BLOCK = replicates.BLOCK
SIZES = [1, 2, 3, 5, 8, 61, 513]


@pytest.mark.parametrize("n", [1, 2, 700])
def test_weighed_rows(rng, n):
    weights = rng.random(n)
    for drawn in (rng.integers(0, 9, (2, n + 3)).astype(np.uint8), rng.random((2, n + 3))):
        actual = np.full((2, n + 3), -1.0)
        replicates.weigh_rows(drawn, weights, actual)
        assert (actual[:, :n] == drawn[:, :n] * weights).all()
        assert (actual[:, n:] == -1.0).all()


def case(rng, n, kind):
    """Return sorted rows and two replicates of whole weights, whose sums are exact."""
    labels = (rng.random(n) < 0.4).astype(int)
    if kind == "one class":
        labels[:] = 1
    scores = rng.permutation(n) if kind == "distinct" else rng.integers(0, max(2, n // 5), n)
    return Rows.of(labels, scores), rng.integers(0, 9, (2, n)).astype(np.float64)


def counted(rows, weights, first=0, state=None):
    state = np.zeros((len(weights), 6)) if state is None else state
    stop = first + weights.shape[1]
    replicates.weighted_pairs(weights, rows.masks()[first:stop], rows.pieces(first, stop), state)
    return state


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", ["distinct", "tied", "one class"])
@pytest.mark.parametrize("n", SIZES)
def test_weighted_pairs(rng, n, kind):
    rows, weights = case(rng, n, kind)
    state = counted(rows, weights)
    for r, row in enumerate(weights.astype(int).tolist()):
        cells = rows.resampled(row)
        assert state[r, :2].tolist() == [sum(column) for column in zip(*cells, strict=True)]
        assert state[r, 2] - state[r, 3] == twice_pairs_won(cells)
        assert not state[r, 4:].any()


@pytest.mark.skipif(not IS_COMPILED, reason="too many rows for plain Python")
@pytest.mark.parametrize("kind", ["distinct", "tied"])
def test_parts_of_whole_blocks_leave_no_trace(rng, kind):
    """Nor do points differ from totals: fractional weights, to the last bit."""
    rows, _ = case(rng, 2 * BLOCK + 777, kind)
    weights = rng.exponential(size=(2, rows.n))
    state = counted(rows, weights)
    parts = None
    for first in range(0, rows.n, BLOCK):
        parts = counted(rows, np.ascontiguousarray(weights[:, first : first + BLOCK]), first, parts)
    assert parts.tolist() == state.tolist()
    tp, fp, at = points(rows, weights[0])
    assert (tp[-1], fp[-1]) == (state[0, 0], state[0, 1])
    assert (np.diff(tp) >= 0).all()
    assert (np.diff(fp) >= 0).all()
    positive = np.where(rows.masks()[: rows.n] > 0, weights[0], 0.0)
    np.testing.assert_allclose(tp[1:], np.cumsum(positive)[at], rtol=1e-12)
    np.testing.assert_allclose(fp[1:], np.cumsum(weights[0] - positive)[at], rtol=1e-12)


def points(rows, weights):
    n = rows.n
    tp, fp = np.full((2, n + 1), -1.0)
    at = np.full(n, -1)
    count = replicates.weighted_points(weights, rows.masks()[:n], rows.ends()[:n], tp, fp, at)
    return tp[: count + 1], fp[: count + 1], at[:count]


@pytest.mark.pairwise
@pytest.mark.parametrize("kind", ["distinct", "tied", "one class"])
@pytest.mark.parametrize("n", SIZES)
def test_weighted_points(rng, n, kind):
    rows, weights = case(rng, n, kind)
    tp, fp, at = points(rows, weights[0])
    sums = [(0, 0)]
    for p, q in rows.resampled(weights[0].astype(int).tolist()):
        sums.append((sums[-1][0] + p, sums[-1][1] + q))
    assert list(zip(tp.tolist(), fp.tolist(), strict=True)) == sums
    assert at.tolist() == [end - 1 for _, _, end in rows.ties()]


TABLES = np.linspace(0.0, 3.0, 40) ** 2, np.linspace(0.0, 2.0, 30) ** 3
SIZES_CURVES = (2, 63, 64, 65, 200)
TIES = (1_000_000, 40, 3)


def sample(rng, n, levels):
    labels = np.where(rng.random(n) < 0.4, 1, 0)
    labels[:2] = 1, 0
    return Rows.of(labels, rng.integers(0, levels, n) + labels * levels // 5)


def columns(rows):
    masks, ends = np.zeros((2, rows.padded), np.uint8)
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
            counts[r, rng.choice(np.flatnonzero(masks[: rows.n] == mask))] += 1
    return counts


def read(rows, counts, levels, tables=TABLES):
    masks, ends = columns(rows)
    out = np.full((len(counts), len(levels)), 99.0)
    replicate_curves.values_of_rows(counts, masks, ends, np.array(levels, np.float64), *tables, out)
    return out


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("n", SIZES_CURVES)
def test_a_curve_is_read_along_its_scaled_length(rng, n, ties):
    rows = sample(rng, n, ties)
    counts = drawn(rng, rows)
    x_size = 37
    y_size = 11
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
    actual = read(rows, counts, levels, tables)
    for r in range(len(counts)):
        line = band_oracle.scaled(band_oracle.roc(rows.resampled(counts[r, : rows.n])), *scales)
        expected = [band_oracle.along(line, level) for level in levels]
        np.testing.assert_allclose(actual[r], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", [*TIES, 150])
def test_segments_may_be_passed_over(rng, ties):
    """Read alone, the value at a level is the one among many; some curve is left by a far level."""
    rows = sample(rng, 400, ties)
    counts = drawn(rng, rows)
    levels = np.linspace(0.0, 17.0, 60)
    whole = read(rows, counts, levels)
    for k in range(0, 60, 7):
        assert (read(rows, counts, levels[k : k + 1])[:, 0] == whole[:, k]).all()


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
    assert np.isnan(read(rows, counts, [0.0, 0.5, 1.0])).all(axis=1).tolist() == [True, False, True]


def test_both_classes_are_counted_before_each_segment(rng):
    rows = sample(rng, 150, 1000)
    masks, _ = columns(rows)
    counts = drawn(rng, rows, 1)[0]
    positives, negatives = np.full((2, 4), 99)
    replicate_curves.class_totals(counts, masks, positives, negatives)
    for s in range(4):
        first = counts[: 64 * s].astype(int)
        assert positives[s] == first[masks[: 64 * s] > 0].sum()
        assert negatives[s] == first[masks[: 64 * s] == 0].sum()


def along(x, y, levels, top, slack=0.0):
    out = np.full(len(levels), 99.0)
    replicate_curves.values_along(
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
    assert [replicate_curves.entry(table, place) for place in places] == [1.0, 1.25, 2.0, 3.0, 4.0]


def test_points_turn_into_what_leads_and_what_is_read():
    fp = np.array([0.0, 2.0, 4.0])
    tp = np.array([0.0, 3.0, 6.0])
    tables = np.array([0.0, 10.0]), np.array([0.0, 1.0])
    replicate_curves.to_lead_and_value(*tables, 6, 4, fp, tp, 1, 3)
    assert (fp.tolist(), tp.tolist()) == ([0, 5.5, 11], [0, -4.5, -9])


def test_following_goes_on_where_it_ended():
    x = np.array([0.0, 1.0, 2.0])
    y = np.array([0.0, 5.0, 7.0])
    levels = np.array([0.0, 0.5, 1.5, 4.0])
    out = np.full(4, math.nan)
    actual = replicate_curves.follow(x, y, 2, levels, True, 0.0, 0, out)
    assert actual == 3
    after = np.array([2.0, 3.0, 6.0]), np.array([7.0, 8.0, 11.0])
    assert replicate_curves.follow(*after, 2, levels, True, 0.0, actual, out) == 4
    assert out.tolist() == [0.0, 2.5, 6.0, 9.0]
