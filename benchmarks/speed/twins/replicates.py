"""Naive twins of the kernels that draw and measure replicates: the same numbers by NumPy.

Pairs of calls as in ``curves.py``. Where rejection decides how many random numbers are used
up, the answers compared are sums, and whether every mean is where it should be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import naive
from benchmarks.speed.data import SEED, Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._kernels import replicates, resampling
from fastmetrics.inference.bootstrap._parse import lone_positives
from fastmetrics.inference.bootstrap._samples import fill_totals

Floats = NDArray[np.float64]
WINDOW, WORDS = resampling.WINDOW, resampling.WORDS
SEGMENT = replicates.SEGMENT
KEY = np.array([SEED, 2**32 - SEED], np.uint64)
#: Replicates of one call, and rows of a cell, where cells are drawn.
REPLICATES, CELL = 50, 100


def _philox(first: int, block: int, replicate: int, purpose: int, n: int) -> NDArray[np.uint64]:
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    c0 = np.arange(first, first + n, dtype=np.uint64)
    c1, c2, c3 = (np.full(n, number, np.uint64) for number in (block, replicate, purpose))
    k0, k1 = KEY
    for _ in range(10):
        product_0, product_1 = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1 = (product_1 >> half) ^ c1 ^ k0, product_1 & low
        c2, c3 = (product_0 >> half) ^ c3 ^ k1, product_0 & low
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    return np.concatenate((c0 | c1 << half, c2 | c3 << half))


def philox(data: Data) -> Pair:
    n = len(data.scores) // 2
    words = np.empty(2 * n, np.uint64)

    def ours() -> tuple[Any, ...]:
        resampling.philox(KEY, 0, 1, 2, 0, n, words)
        return (words,)

    return ours, lambda: (_philox(0, 1, 2, 0, n),)


def _has_means(totals: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    away = totals.mean(axis=0) - sizes
    return np.abs(away) < 7 * np.sqrt(sizes / len(totals))


def multinomial_totals(data: Data) -> Pair:
    """Cover ``binomials``, ``is_kept`` and ``stirling_rest`` too."""
    sizes = np.full(len(data.scores) // CELL, CELL)
    totals = np.empty((REPLICATES, len(sizes)), np.int64)
    rng = np.random.default_rng(SEED)

    def ours() -> tuple[Any, ...]:
        fill_totals(KEY, 0, 0, sizes, totals)
        return totals.sum(axis=1), _has_means(totals, sizes)

    def twin() -> tuple[Any, ...]:
        drawn = rng.multinomial(sizes.sum(), sizes / sizes.sum(), REPLICATES)
        return drawn.sum(axis=1), _has_means(drawn, sizes)

    return ours, twin


def _places(words: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    shifts = np.arange(64 // max(bits, 1), dtype=np.uint64) * np.uint64(bits)
    return ((words[:, None] >> shifts) & np.uint64((1 << bits) - 1)).astype(np.int64).ravel()


def _first_places(window: int, n_draws: int) -> NDArray[np.int64]:
    """Return the draws over a full window, five from a word."""
    n = (((n_draws + 4) // 5 + 1) // 2 + 7) // 8 * 8
    return _places(_philox(0, window, 0, resampling.PLACES, n), 12)[:n_draws]


def _accepted(window: int, purpose: int, n_draws: int, wanted: NDArray[Any]) -> NDArray[np.int64]:
    """Return draws over a window of any size that fall where ``wanted`` is true."""
    bits = (len(wanted) - 1).bit_length()
    padded = np.zeros(1 << bits, np.bool_)
    padded[: len(wanted)] = wanted
    found, first = np.empty(0, np.int64), 0
    while (left := n_draws - len(found)) > 0:
        n = min((left // (2 * (64 // max(bits, 1))) + 4) // 4 * 4, WORDS // 2)
        drawn = _places(_philox(first, window, 0, purpose, n), bits)
        found, first = np.append(found, drawn[padded[drawn]][:left]), first + n
    return found


def _sizes(n: int) -> NDArray[np.int64]:
    """Return the rows of each window, of which the last is never full."""
    return np.append(np.full((n - 1) // WINDOW, WINDOW), (n - 1) % WINDOW + 1)


def draw_windows(data: Data) -> Pair:
    """Cover ``scatter_full`` and ``scatter_accepted`` too."""
    n = len(data.scores)
    sizes = _sizes(n)
    counts = np.empty((1, -(-n // 8) * 8), np.uint8)

    def ours() -> tuple[Any, ...]:
        resampling.draw_windows(KEY, 0, np.arange(len(sizes)), sizes[None], n, counts)
        return (counts[0, :n],)

    def twin() -> tuple[Any, ...]:
        parts = []
        for window, size in enumerate(sizes.tolist()):
            places = _first_places(window, size)
            if size < WINDOW:
                places = _accepted(window, resampling.PLACES, size, np.ones(size, np.bool_))
            parts.append(np.bincount(places, minlength=size))
        return (np.concatenate(parts),)

    return ours, twin


def draw_windows_by_class(data: Data) -> Pair:
    n = len(data.scores)
    sizes = _sizes(n)
    masks = np.where(data.labels == 1, np.uint8(255), np.uint8(0))
    starts = np.arange(len(sizes)) * WINDOW
    positives = np.add.reduceat(masks > 0, starts, dtype=np.int64)
    totals = np.stack((positives, sizes - positives))[:, None]
    counts = np.empty((1, -(-n // 8) * 8), np.uint8)

    def ours() -> tuple[Any, ...]:
        windows = np.arange(len(sizes))
        resampling.draw_windows_by_class(KEY, 0, windows, totals, masks, n, counts)
        return (counts[0, :n],)

    def twin() -> tuple[Any, ...]:
        parts = []
        for window, size in enumerate(sizes.tolist()):
            of_window = masks[starts[window] :][:size]
            places = _first_places(window, size if size == WINDOW else 0)
            purposes = (resampling.MORE, resampling.MORE if size == WINDOW else resampling.PLACES)
            for label, wanted, purpose in zip(
                (255, 0), totals[:, 0, window], purposes, strict=True
            ):
                first = places[of_window[places] == label][:wanted]
                more = _accepted(window, purpose, wanted - len(first), of_window == label)
                parts.append(np.bincount(np.append(first, more), minlength=size))
        classes = [np.concatenate(parts[k::2]) for k in (0, 1)]
        return (classes[0] + classes[1],)

    return ours, twin


class _Rows:
    """Rows by descending score, drawn once with replacement."""

    def __init__(self, data: Data) -> None:
        _, positives, negatives = naive.table(data)
        self.n = len(data.scores)
        padded = -(-self.n // 8) * 8
        both = np.stack((positives, negatives), axis=1)
        self.masks = np.zeros(padded, np.uint8)
        self.masks[: self.n] = np.repeat(np.tile([255, 0], len(both)), both.ravel())
        stops = np.cumsum(both.sum(axis=1))
        self.last_rows, self.starts = stops - 1, stops - both.sum(axis=1)
        self.ends = np.zeros(padded, np.uint8)
        self.ends[self.last_rows] = 1
        mixed = (positives > 0) & (negatives > 0)
        middles = self.starts + positives
        columns = self.starts[mixed], middles[mixed], stops[mixed], np.ones(mixed.sum(), np.int64)
        self.pieces = np.stack(columns, axis=1)
        self.edges = np.arange(0, padded, SEGMENT)
        fresh = np.append(True, self.ends[self.edges[1:] - 1] > 0)
        self.anchors = np.maximum.accumulate(np.where(fresh, np.arange(len(fresh)), 0))
        drawn = np.random.default_rng(SEED).integers(0, self.n, self.n)
        self.counts = np.bincount(drawn, minlength=padded).astype(np.uint8)[None]

    def by_class(self, starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Return the drawn positives, then the negatives, of rows that start there."""
        columns = self.counts[0] & self.masks, self.counts[0] & ~self.masks
        positives, negatives = (np.add.reduceat(c, starts, dtype=np.int64) for c in columns)
        return positives, negatives

    def points(self) -> tuple[Floats, Floats, NDArray[np.int64]]:
        tp, fp = (np.append(0.0, np.cumsum(column)) for column in self.by_class(self.starts))
        return tp, fp, self.last_rows


def pair_counts(data: Data) -> Pair:
    """Cover ``byte_products`` too."""
    rows = _Rows(data)
    segments = np.empty((2, 1, len(rows.edges)), np.int64)
    scratch = np.empty((2, replicates.SEGMENT), np.uint8)

    def ours() -> tuple[Any, ...]:
        state = np.zeros((1, 4), np.int64)
        words = rows.counts.view(np.uint64), rows.masks.view(np.uint64)
        replicates.pair_counts(
            *words, rows.pieces, rows.counts, scratch.view(np.uint64), scratch, state, *segments
        )
        return state, segments[:, 0]

    def twin() -> tuple[Any, ...]:
        p, n = rows.by_class(rows.starts)
        twice = (2 * np.cumsum(p) - p) @ n
        return np.array([[p.sum(), n.sum(), twice, 0]]), np.stack(rows.by_class(rows.edges))

    return ours, twin


def gather_counts(data: Data) -> Pair:
    rng = np.random.default_rng(SEED)
    units = rng.integers(0, len(data.scores) // 5, len(data.scores), dtype=np.int32)
    drawn = rng.integers(0, 5, (1, len(data.scores) // 5)).astype(np.uint8)
    counts = np.empty((1, len(units)), np.uint8)

    def ours() -> tuple[Any, ...]:
        replicates.gather_counts(drawn, units, counts)
        return (counts,)

    return ours, lambda: (drawn[:, units],)


def exchange_rows(data: Data) -> Pair:
    rng = np.random.default_rng(SEED)
    n = len(data.scores) // 128 * 64
    units = np.concatenate([rng.permutation(n), rng.permutation(n)]).astype(np.int32)
    second = rng.permutation(np.repeat(np.array([0, 1], np.uint8), n))
    coins = rng.integers(0, 2**64, (1, n // 64), dtype=np.uint64)
    counts = np.empty((2, 1, 2 * n), np.uint8)

    def ours() -> tuple[Any, ...]:
        replicates.exchange_rows(coins, units, second, *counts)
        return (counts,)

    def twin() -> tuple[Any, ...]:
        bits = np.unpackbits(coins.view(np.uint8), bitorder="little")
        other = bits[units] ^ second
        return (np.stack((other ^ 1, other))[:, None],)

    return ours, twin


def column_sums(data: Data) -> Pair:
    counts = _Rows(data).counts
    columns = np.stack((data.weights, data.scores.astype(np.float64)))

    def ours() -> tuple[Any, ...]:
        sums = np.zeros((1, 2))
        replicates.column_sums(counts, columns, sums)
        return (sums,)

    return ours, lambda: (counts[:, : columns.shape[1]].astype(np.float64) @ columns.T,)


LINES = [(replicates.BEST, criterion, 0.5, 0.0) for criterion in range(8)]
LINES += [(replicates.AREA, axis, 0.1, 0.7) for axis in (0, 1)]
LINES += [(replicates.PRECISION_AREA, estimator, 0.0, 0.0) for estimator in range(3)]
LINES += [(replicates.BREAK_EVEN, 0, 0.0, 0.0)]


def _best(criterion: int, bound: float, tp: Floats, fp: Floats, rows: Any) -> list[float]:
    values = naive.objective(criterion, bound, tp, fp)
    i = int(np.argmax(values))
    if values[i] == -np.inf:
        return [-np.inf, -2, 0, 0]
    return [values[i], rows[i - 1] if i else -1, tp[i], fp[i]]


def _measured(tp: Floats, fp: Floats, rows: NDArray[np.int64]) -> Floats:
    n_p, n_n = tp[-1], fp[-1]
    states = np.zeros((len(LINES), replicates.STATE))
    for j, (kind, criterion, low, high) in enumerate(LINES):
        if kind == replicates.BEST:
            states[j] = _best(criterion, low, tp, fp, rows)
        elif kind == replicates.AREA:
            x, y, total = (tp, n_n - fp, n_p) if criterion else (fp, tp, n_n)
            states[j, 0] = naive.twice_area(x, y, low * total, high * total)
        elif kind == replicates.PRECISION_AREA:
            states[j, 0] = naive.precision_area(criterion, tp, fp)
        elif kind == replicates.BREAK_EVEN:
            states[j, :2] = 1.0, naive.break_even(tp, fp)
        else:
            p, n = np.diff(tp), np.diff(fp)
            states[j, :2] = p @ (2 * (n_n - fp[1:]) + n) ** 2, n @ (2 * tp[:-1] + p) ** 2
    return states


def measure_rows(data: Data) -> Pair:
    """Cover all kernels over points, but for `measure_points`."""
    rows = _Rows(data)
    columns = rows.counts, rows.masks, rows.ends, rows.anchors
    segments = [column[None] for column in rows.by_class(rows.edges)]
    states = np.zeros((len(LINES), 1, replicates.STATE))

    def ours() -> tuple[Any, ...]:
        for (kind, criterion, low, high), state in zip(LINES, states, strict=True):
            if kind == replicates.BEST:
                replicates.best_of_rows(*columns[:3], *segments, criterion, low, state)
            elif kind == replicates.BREAK_EVEN:
                replicates.break_even_of_rows(*columns, *segments, state)
            else:
                how = kind, criterion, low, high
                replicates.areas_of_rows(*columns, *segments, *how, state)
        return (states[:, 0],)

    return ours, lambda: (_measured(*rows.points()),)


def step_areas(data: Data) -> Pair:
    rows = _Rows(data)
    columns = rows.masks, rows.ends
    lone = lone_positives(*columns, rows.anchors)
    words = rows.counts.view(np.uint64), rows.masks.view(np.uint64)
    both = rows.counts, words[0], rows.masks, words[1], rows.ends

    def ours() -> tuple[Any, ...]:
        states = np.zeros((1, replicates.STATE))
        replicates.step_areas(*both, *lone, states)
        return (states[:, 0],)

    def twin() -> tuple[Any, ...]:
        tp, fp, _ = rows.points()
        return (np.array([naive.precision_area(replicates.STEP, tp, fp)]),)

    return ours, twin


def measure_points(data: Data) -> Pair:
    curve = _Rows(data).points()
    states = np.empty((len(LINES), replicates.STATE))

    def ours() -> tuple[Any, ...]:
        for line, state in zip(LINES, states, strict=True):
            replicates.measure_curve(*line, *curve, 0.0, state)
        return (states,)

    return ours, lambda: (_measured(*curve),)


def moments(data: Data) -> Pair:
    values, times = data.weights, np.random.default_rng(SEED).integers(0, 4, len(data.weights))

    def ours() -> tuple[Any, ...]:
        n, total, size = replicates.sum_of_values(values, times)
        return (np.array(replicates.central_moments(values, times, total / n, size)),)

    def twin() -> tuple[Any, ...]:
        drawn = np.repeat(values, times)
        away = (drawn - drawn.mean()) / np.abs(drawn).max()
        return (np.array([(away**2).sum(), (away**3).sum(), np.abs(away).max()]),)

    return ours, twin


def _names(module: str, *kernels: str) -> tuple[str, ...]:
    return tuple(f"{module}:{kernel}" for kernel in kernels)


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    philox: (_names("resampling", "philox"), False),
    multinomial_totals: (
        _names("resampling", "multinomial_totals", "binomials", "is_kept", "stirling_rest"),
        False,
    ),
    draw_windows: (
        _names("resampling", "draw_windows", "scatter_full", "scatter_accepted"),
        False,
    ),
    draw_windows_by_class: (_names("resampling", "draw_windows_by_class"), False),
    pair_counts: (_names("replicates", "pair_counts", "byte_products"), False),
    gather_counts: (_names("replicates", "gather_counts"), False),
    exchange_rows: (_names("replicates", "exchange_rows"), False),
    column_sums: (_names("replicates", "column_sums"), False),
    measure_rows: (
        _names(
            "replicates",
            *("best_of_rows", "break_even_of_rows", "areas_of_rows"),
            *("points_of_rows", "write_edges"),
            *("merit", "nobody", "best_of_points"),
            *("add_areas", "chosen_points", "area_of_points"),
            *("precision_area_of_points", "break_even_of_points"),
        ),
        False,
    ),
    measure_points: (_names("replicates", "measure_curve"), False),
    moments: (_names("replicates", "sum_of_values", "central_moments"), False),
    step_areas: (_names("replicates", "step_areas"), False),
}
