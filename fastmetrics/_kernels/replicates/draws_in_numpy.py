"""What NumPy does in place of kernels that are not compiled yet: the same numbers, bit for bit.

A small bootstrap is done sooner than a compiler. A replicate is a row of a matrix here; sums that
round are added up in the order of the kernel. What arguments mean is said there.
"""

import math

import numpy as np

from fastmetrics._kernels._compile import in_place_of
from fastmetrics._kernels.replicates import resampling
from fastmetrics._kernels.replicates.resampling import WINDOW, WORDS

_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL = np.array([0x9E3779B9, 0xBB67AE85], np.uint64)
#: Draws that a full window's words are made for.
_MOST_DRAWS = 5 * (WORDS - 16)


def _words(key, first, window, replicates, purpose, n):
    """Return what `resampling.philox` gives each replicate, from its ``first`` counter on."""
    c0 = (first.astype(np.uint64)[:, None] + np.arange(n, dtype=np.uint64)) & _LOW
    c1, c3 = np.uint64(window) & _LOW, np.uint64(purpose)
    c2 = replicates.astype(np.uint64)[:, None] & _LOW
    for _ in range(10):
        product_0, product_1 = _MULTIPLIERS[0] * c0, _MULTIPLIERS[1] * c2
        c0, c1 = (product_1 >> _HALF) ^ c1 ^ key[0], product_1 & _LOW
        c2, c3 = (product_0 >> _HALF) ^ c3 ^ key[1], product_0 & _LOW
        key = (key + _WEYL) & _LOW
    return np.concatenate((c0 | c1 << _HALF, c2 | c3 << _HALF), axis=1)


@in_place_of(resampling.philox)
def philox(key, first, block, replicate, purpose, n, words):
    of = np.array([first]), block, np.array([replicate])
    words[: 2 * n] = _words(key, *of, purpose, n)[0]


class _Numbers:
    """The uniform numbers of some replicates' streams, each of which goes on by itself."""

    def __init__(self, key, first_replicate, stratum, count):
        self.key, self.stratum, self.words = key, stratum, np.empty((count, 16), np.uint64)
        self.streams = np.full((count, 4), (0, stratum, 0, resampling.TOTALS))
        self.streams[:, 2] = first_replicate + np.arange(count)

    def next(self, of):
        """Return the next number of each of these replicates, as `uniform`."""
        at, replicates = self.streams[:, 0], self.streams[:, 2]
        if (fresh := of[at[of] % 16 == 0]).size:
            drawn = at[fresh] // 2, self.stratum, replicates[fresh], resampling.TOTALS, 8
            self.words[fresh] = _words(self.key, *drawn)
        word = self.words[of, at[of] % 16]
        at[of] += 1
        return ((word >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def _inverted(n, p, v):
    """Return the binomial numbers at ``v`` by inversion; -1 where rounding left a rest."""
    q, i, is_open = 1.0 - p, np.zeros_like(n), np.ones(len(n), np.bool_)
    mass = np.array([math.exp(size * math.log1p(-p)) for size in n.tolist()])
    while (more := is_open & (v > mass) & (i < n)).any():
        v, i = v - mass * more, i + more
        mass = np.where(more, mass * (p / q * (n - i + 1) / np.maximum(i, 1)), mass)
        is_open &= ~more | (mass >= 1e-300)
    return np.where((v <= mass) | (i == n), i, -1)


def _by_rejection(n, p, u, v):
    """Return the binomial numbers that BTRS makes of two uniform ones; -1 where it rejects."""
    spread = np.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    us = 0.5 - abs(u - 0.5)
    k = np.floor((2.0 * a / us + b) * (u - 0.5) + (n * p + 0.5)).astype(np.int64)
    kept = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
    for r in np.flatnonzero(~kept & (k >= 0) & (k <= n)).tolist():
        given = (column[r].item() for column in (spread, us, v, k))
        kept[r] = resampling.is_kept.py_func(n[r].item(), p, *given)
    return np.where(kept, k, -1)


def _binomials(n, probability, numbers):
    p = min(probability, 1.0 - probability)
    if p <= 0.0:
        return n * (probability >= 1.0)
    k, first, going = np.zeros_like(n), np.full(len(n), -1.0), np.flatnonzero(n > 0)
    while going.size:
        k[going], v, u = -1, numbers.next(going), first[going]
        is_few = n[going] * p < 10.0
        few, second, rest = going[is_few], ~is_few & (u >= 0.0), going[~is_few & (u < 0.0)]
        k[few] = _inverted(n[few], p, v[is_few])
        k[going[second]] = _by_rejection(n[going[second]], p, u[second], v[second])
        first[going] = -1.0
        first[rest] = v[~is_few & (u < 0.0)]
        going = going[k[going] < 0]
    return k if probability <= 0.5 else n - k


@in_place_of(resampling.multinomial_totals, cost=100)
def multinomial_totals(key, first_replicate, stratum, sizes, is_poisson, totals):
    numbers, rest = _Numbers(key, first_replicate, stratum, len(totals)), int(sizes.sum())
    left = np.full(len(totals), rest)
    for r in range(len(totals) * is_poisson):
        left[r] = resampling.poisson.py_func(rest, key, numbers.streams[r], numbers.words[r])
    for cell, size in enumerate(sizes.tolist()):
        totals[:, cell] = _binomials(left, size / max(rest, 1), numbers)
        left -= totals[:, cell]
        rest -= size


class _Window:
    """A window of some replicates: their numbers, and their counts, a row each."""

    def __init__(self, key, window, first_replicate, counts):
        self.key, self.window, self.counts = key, window, counts
        self.replicates = first_replicate + np.arange(len(counts))

    def places(self, of, purpose, first, n):
        """Return what ``n`` counters of the replicates ``of`` name, and which of it are places."""
        bits = (self.counts.shape[1] - 1).bit_length()
        shifts = np.arange(64 // max(bits, 1), dtype=np.uint64) * np.uint64(bits)
        most = int(n.max(initial=0))
        words = _words(self.key, first, self.window, self.replicates[of], purpose, most)
        places = ((words[:, :, None] >> shifts) & np.uint64((1 << bits) - 1)).astype(np.int64)
        named = np.broadcast_to(
            (np.arange(2 * most) % max(most, 1) < n[:, None])[:, :, None], places.shape
        )
        shape = len(of), -1
        return places.reshape(shape), (named & (places < self.counts.shape[1])).reshape(shape)

    def add(self, of, places, chosen):
        """Count the places that are chosen."""
        flat = (places + self.counts.shape[1] * of[:, None])[chosen]
        found = np.bincount(flat, minlength=self.counts.size)
        self.counts += found.reshape(self.counts.shape).astype(np.uint8)

    def scatter(self, purpose, n_draws, wanted):
        """Add each replicate's first draws of places that are wanted: `scatter_accepted`."""
        fields = 64 // max((len(wanted) - 1).bit_length(), 1)
        left, first, going = n_draws.copy(), np.zeros_like(n_draws), np.arange(len(n_draws))
        while (going := going[left[going] > 0]).size:
            n = np.minimum((left[going] // (2 * fields) + 4) // 4 * 4, WORDS // 2)
            places, named = self.places(going, purpose, first[going], n)
            named &= wanted[np.where(named, places, 0)]
            chosen = first_of(named, left[going])
            self.add(going, places, chosen)
            first[going] += n
            left[going] -= chosen.sum(axis=1)

    def full(self, n_draws):
        """Return the draws over a full window, as of `scatter_full`."""
        all_of_them = np.arange(len(n_draws))
        n = ((-(-n_draws // 5) + 1) // 2 + 7) // 8 * 8
        places, named = self.places(all_of_them, resampling.PLACES, np.zeros_like(n), n)
        return all_of_them, places, first_of(named, n_draws)


def first_of(flags, n):
    """Return the first so many flags of each row alone."""
    return flags & (np.cumsum(flags, axis=1, dtype=np.int32) <= n[:, None])


@in_place_of(resampling.draw_windows)
def draw_windows(key, first_replicate, windows, totals, n_rows, counts):
    counts[:] = 0
    for j, window in enumerate(windows.tolist()):
        size = min(WINDOW, n_rows - window * WINDOW)
        here = _Window(key, window, first_replicate, counts[:, j * WINDOW : j * WINDOW + size])
        few = (totals[:, j] <= _MOST_DRAWS) & (size == WINDOW)
        here.add(*here.full(np.where(few, totals[:, j], 0)))
        here.scatter(resampling.PLACES, np.where(few, 0, totals[:, j]), np.ones(size, np.bool_))


@in_place_of(resampling.draw_windows_by_class)
def draw_windows_by_class(key, first, windows, totals, masks, n_rows, counts):
    counts[:] = 0
    for j, window in enumerate(windows.tolist()):
        size = min(WINDOW, n_rows - window * WINDOW)
        here = _Window(key, window, first, counts[:, j * WINDOW : j * WINDOW + size])
        positive = masks[window * WINDOW : window * WINDOW + size] > 0
        n_draws = totals[:, :, j].sum(axis=0)
        few = (n_draws <= _MOST_DRAWS) & (size == WINDOW)
        of, places, drawn = here.full(np.where(few, n_draws, 0))
        for of_class, wanted in ((positive, totals[0, :, j]), (~positive, totals[1, :, j])):
            chosen = first_of(drawn & of_class[places], wanted)
            here.add(of, places, chosen)
            of_window = resampling.MORE if of_class is positive else resampling.PLACES
            here.scatter(of_window, np.where(few, 0, wanted), of_class)
            here.scatter(resampling.MORE, np.where(few, wanted - chosen.sum(axis=1), 0), of_class)
