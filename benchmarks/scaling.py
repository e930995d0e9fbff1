"""How the work scales over the cores of one machine: writes ``docs/scaling.md``.

``python -m benchmarks.scaling`` on a machine of many cores times each work on 1, 2, 4, … threads
in turns, the least of several rounds, its answer the same on any number. The yardstick is what the
machine's memory allows: NumPy copying an array in as many threads.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pickle
import platform
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import fastmetrics as fm
from benchmarks.speed.cores import WORKS, on_threads
from benchmarks.speed.data import Spec, make

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "scaling.md"
ROUNDS = 5
ROWS = 10_000_000

Call = Callable[[], Any]


def works(rows: int) -> dict[str, Call]:
    """Return what is timed, by name."""
    data = make(Spec(rows=rows))
    y, score = data.labels, data.scores
    small, little = y[: rows // 10], score[: rows // 10]
    rng = np.random.default_rng(0)
    weight, probability = rng.random(rows), 1 / (1 + np.exp(-score))
    other = score + rng.normal(size=rows)
    both = {"a": score, "b": other}
    metrics = ["roc_auc", "average_precision", "f1", "brier_score", "log_loss"]
    pair = {"a": little, "b": other[: rows // 10]}
    found = {name: prepare(make(spec.scaled(rows))) for name, (spec, prepare) in WORKS.items()}
    return found | {
        "weighted AUC": lambda: fm.roc_auc_score(y, score, sample_weight=weight),
        "`roc_curve`": lambda: fm.roc_curve(y, score),
        "`estimate` of five metrics": lambda: fm.estimate(
            y, probability, metrics=metrics, threshold=0.5
        ),
        "`compare` of two models, AUC": lambda: fm.compare(y, both, metrics="roc_auc"),
        "`evaluate`": lambda: fm.evaluate(y, score),
        "`paired_bootstrap`, a tenth of the rows, 200 replicates": lambda: fm.paired_bootstrap(
            small, pair, n_resamples=200, rng=1
        ),
    }


def copying(rows: int, n_threads: int) -> Call:
    """Return a copy of an array by as many threads."""
    source = np.ones(8 * rows)
    target = np.empty_like(source)
    edges = np.linspace(0, len(source), n_threads + 1).astype(int)
    parts = list(itertools.pairwise(edges))

    def copy() -> None:
        with ThreadPoolExecutor(n_threads) as pool:
            list(
                pool.map(lambda part: np.copyto(target[slice(*part)], source[slice(*part)]), parts)
            )

    return copy


def least(calls: Sequence[Call], rounds: int) -> list[float]:
    """Return the least seconds of each call, taken in turns, after one of each that warms up."""
    found = [float("inf")] * len(calls)
    for k in range(rounds + 1):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            call()
            if k:
                found[place] = min(found[place], time.perf_counter() - start)
    return found


def page(rows: int, counts: Sequence[int], rounds: int) -> str:
    """Measure, and return the page."""
    lines = []
    for name, work in works(rows).items():
        calls = [on_threads(work, count) for count in counts]
        if len({pickle.dumps(calls[k]()) for k in (0, -1)}) > 1:
            raise SystemExit(f"{name}: the answer depends on the number of threads")
        seconds = least(calls, rounds)
        speed_ups = " | ".join(f"{seconds[0] / each:.1f} ×" for each in seconds[1:])
        lines.append(f"| {name} | {seconds[0]:.3f} s | {speed_ups} |")
        print(lines[-1], flush=True)
    seconds = least([copying(rows, count) for count in counts], rounds)
    speed_ups = " | ".join(f"{seconds[0] / each:.1f} ×" for each in seconds[1:])
    lines.append(f"| *NumPy copies {64 * rows / 1e6:,.0f} MB* | {seconds[0]:.3f} s | {speed_ups} |")
    heads = " | ".join(f"{count} threads" for count in counts[1:])
    table = "\n".join(lines)
    return f"""# Many cores

Written by `python -m benchmarks.scaling`: {rows:,} rows where nothing else is said, the least of
{rounds} rounds in turns, speed-ups over one thread. {os.cpu_count()} cores,
Python {platform.python_version()}, NumPy {np.__version__}. The last row is what memory allows:
NumPy copying an array in parts.

| work | one thread | {heads} |
|---|---|{"---|" * (len(counts) - 1)}
{table}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--output", type=Path, default=TARGET)
    asked = parser.parse_args(arguments)
    most = os.cpu_count() or 1
    counts = [1 << k for k in range(most.bit_length()) if 1 << k <= most]
    asked.output.write_text(page(asked.rows, counts, asked.rounds), encoding="utf-8")


if __name__ == "__main__":
    main()
