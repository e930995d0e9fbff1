"""The core in about a minute: ``python -m benchmarks.tour``.

Four claims of ``docs/mission.md``, each computed in a second way and timed: the kernel counts the
same integer as all m⁺·m⁻ pairs, replicates of a million samples do not depend on the number of
threads, a stream of labels equals the whole, and time grows as that of a sort. An answer that
differs ends the tour with an error.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import fastmetrics as fm
from benchmarks.speed import naive
from benchmarks.speed.data import Spec, make

#: All pairs are visited up to this many samples: in plain Python, by NumPy, and compiled.
ALL_PAIRS = {
    "a loop in Python": (naive.LOOP_ROWS, naive.pairs_by_loop),
    "NumPy, all pairs": (naive.BROADCAST_ROWS, naive.pairs_by_broadcast),
    "a compiled loop": (naive.COMPILED_ROWS, lambda p, n: naive.compiled_pairs()(p, n)),
}
GROWTH = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
N_RESAMPLES = 200


def seconds(call: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Return the least time of some calls, after one that is not counted, and the result."""
    result = call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return min(times), result


def same_integers(most: int) -> None:
    """Count twice the won pairs plus the tied ones by all pairs, and by the sort-based kernel."""
    print("AUC: all m⁺·m⁻ pairs against sort and merge, 40 distinct scores (ties count one half)")
    for name, (rows, count) in ALL_PAIRS.items():
        data = make(Spec(kind="tied", rows=min(rows, most)))
        positive, negative = naive.split(data)
        slow, pairs = seconds(lambda p=positive, n=negative, f=count: f(p, n), repeats=1)
        fast, auc = seconds(lambda d=data: fm.roc_auc_score(d.labels, d.scores))
        possible = 2 * len(positive) * len(negative)
        assert auc == pairs / possible, (auc, pairs, possible)
        print(
            f"  {len(data.labels):>10,} samples, {name:<16} {pairs:>13,} of {possible:,} half pairs"
            f", kernel {round(auc * possible):,}: {slow / fast:,.0f} × faster"
        )


def bootstrap_at_scale(most: int) -> None:
    """Bootstrap the AUC on one thread and on all, and by sorting every resample anew."""
    data = make(Spec(rows=min(1_000_000, most)))
    y, score = data.labels, data.scores

    def replicates(n_threads: int | None) -> Any:
        return fm.bootstrap(y, score, n_resamples=N_RESAMPLES, rng=1, n_threads=n_threads)

    def resorted() -> float:
        rows = np.random.default_rng(1).integers(0, len(y), len(y))
        return fm.roc_auc_score(y[rows], score[rows])

    one, first = seconds(lambda: replicates(1), repeats=1)
    several, second = seconds(lambda: replicates(None), repeats=1)
    slow, _ = seconds(resorted)
    low, high = first["roc_auc"].confidence_interval
    assert (low, high) == tuple(second["roc_auc"].confidence_interval)
    print(f"\nBootstrap of the AUC, {len(y):,} samples, {N_RESAMPLES} replicates")
    print(f"  {one / N_RESAMPLES * 1e3:.2f} ms a replicate on one thread,", end=" ")
    print(f"{several / N_RESAMPLES * 1e3:.2f} on all: the same bits, [{low:.6f}, {high:.6f}]")
    print(f"  drawing rows and counting anew: {slow * N_RESAMPLES / several:,.0f} × as long")


def stream_is_batch(most: int) -> None:
    """Count labels of ten classes in chunks, in two halves that are merged, and at once."""
    rng = np.random.default_rng(0)
    rows = min(10_000_000, most)
    truth, predicted = rng.integers(0, 10, (2, rows), dtype=np.int64)
    chunk = max(1, rows // 20)

    def streamed() -> fm.ConfusionMatrix:
        halves = [fm.ConfusionMatrix(labels=range(10)) for _ in range(2)]
        for number, start in enumerate(range(0, rows, chunk)):
            part = slice(start, start + chunk)
            halves[number % 2].update(truth[part], predicted[part])
        return halves[0] + halves[1]

    taken, matrix = seconds(streamed, repeats=1)
    at_once, whole = seconds(lambda: fm.ConfusionMatrix.from_labels(truth, predicted), repeats=1)
    naively, counts = seconds(
        lambda: np.bincount(truth * 10 + predicted, minlength=100).reshape(10, 10), repeats=1
    )
    assert matrix == whole
    assert (np.asarray(matrix.counts) == counts).all()
    print(f"\nConfusion matrix of 10 classes, {rows:,} samples")
    print(
        f"  20 chunks into two halves, merged: {taken * 1e3:.0f} ms; at once {at_once * 1e3:.0f};"
    )
    print(f"  np.bincount of combined codes {naively * 1e3:.0f}: the same counts")


def growth(most: int) -> None:
    """Time the AUC and NumPy's sort at growing sizes."""
    print("\nTime of the AUC by size, beside np.sort of the scores on one thread")
    before: float | None = None
    for rows in (size for size in GROWTH if size <= most):
        data = make(Spec(rows=rows))
        auc, _ = seconds(lambda d=data: fm.roc_auc_score(d.labels, d.scores), repeats=5)
        sort, _ = seconds(lambda d=data: np.sort(d.scores), repeats=5)
        exponent = "" if before is None else f"  grew as n^{math.log10(auc / before):.2f}"
        print(f"  {rows:>10,}  {auc * 1e3:9.3f} ms  {auc / sort:5.2f} × np.sort{exponent}")
        before = auc


def main(arguments: list[str] | None = None) -> None:
    """Run the tour, on at most as many samples as asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tour", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="most samples of any step")
    most = parser.parse_args(arguments).rows
    start = time.perf_counter()
    for step in (same_integers, bootstrap_at_scale, stream_is_batch, growth):
        step(most)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
