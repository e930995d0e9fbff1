"""Draws: the published vectors, sums that are exact, and streams that do not depend on the call."""

import math

import numpy as np
import pytest
from kernel_forms import totals_of

from fastmetrics._kernels import resampling as kernels
from reference.replicate_oracle import philox4x32_10, words

WINDOW, WORDS = kernels.WINDOW, kernels.WORDS
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
        key = key_of(*key)
        return totals_of(key, first, count, stratum, sizes).tolist()

    whole = drawn(0, 7)
    assert drawn(3, 1) == whole[3:4]
    assert drawn(5, 2) == whole[5:]
    others = [drawn(0, 7, stratum=1), drawn(0, 7, key=(KEY[0] + 1, KEY[1])), drawn(7, 7)]
    others.append(drawn(0, 7, key=(KEY[0], KEY[1] + 1)))
    for other in others:
        assert all(a != b for a, b in zip(other, whole, strict=True))


@pytest.mark.parametrize("n_draws", [0, 1, 4, 5, 6, 9, 80, 81, 4096, 5039, 5040])
def test_a_full_window_takes_five_places_from_a_word(n_draws):
    counts, buffer = np.zeros(WINDOW, np.uint8), np.zeros(WORDS, np.uint64)
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
    counts, buffer = np.zeros(size, np.uint8), np.zeros(WORDS, np.uint64)
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
    counts, buffer = np.zeros(12, np.uint8), np.zeros(WORDS, np.uint64)
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
    n, windows = len(masks), np.array(windows)
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
    starts = np.arange(4) * WINDOW
    assert np.add.reduceat(counts, starts, axis=1, dtype=int).tolist() == TOTALS


def test_a_window_depends_on_key_replicate_and_window_alone():
    whole = plain(N, range(4), TOTALS)
    totals = np.array(TOTALS)
    for r, j in [(0, 1), (1, 1), (2, 3)]:
        alone = plain(N, [j], totals[r : r + 1, j : j + 1], first=r)
        assert (alone[0] == whole[r, j * WINDOW : (j + 1) * WINDOW]).all()
    pair = plain(N, [2, 3], totals[:, 2:])
    assert (pair == whole[:, 2 * WINDOW :]).all()
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
        of_class = np.where(masks == label, counts, 0)
        assert np.add.reduceat(of_class, starts, axis=1, dtype=int).tolist() == totals


def test_a_window_by_class_depends_on_key_replicate_and_window_alone(rng):
    masks = class_masks(rng)
    whole = by_class(masks, range(4), BY_CLASS)
    totals = np.array(BY_CLASS)
    for r, j in [(0, 0), (1, 2), (2, 0), (2, 3)]:
        chosen = totals[:, r : r + 1, j : j + 1]
        alone = by_class(masks, [j], chosen, first=r)
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
            of_class = np.where(masks == label, counts, 0)
            assert (of_class >= least).all()
            assert of_class.sum() == wanted
            if len(first) == wanted:
                assert of_class.tolist() == least.tolist()


def places_of(n_draws):
    n = ((n_draws + 4) // 5 + 1) // 2
    n += -n % 8
    found = [word >> 12 * i & 4095 for word in words(KEY, 0, 0, 0, 0, n) for i in range(5)]
    return found[:n_draws]
