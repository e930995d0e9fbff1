"""How the work scales over the cores of one machine: writes ``docs/scaling.md``.

``python -m benchmarks.scaling`` on a machine of many cores times each work on 1, 2, 4, … threads
in turns, the least of several rounds, its answer the same on any number. The yardstick is what the
machine's memory allows: NumPy copying an array in as many threads. ``--passes`` writes the section
on passes alone: what of each work is spread over the threads, and what is left to one.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pickle
import platform
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import fastmetrics as fm
from benchmarks.speed.cores import WORKS, on_threads, watched
from benchmarks.speed.data import Spec, make
from fastmetrics._threads import workers

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "scaling.md"
ROUNDS = 5
ROWS = 10_000_000

Call = Callable[[], Any]

#: What a pass reads and writes of a row, in bytes, for float64 scores that all differ and int8
#: labels; of a row of the table where it is one of the table.
BYTES = {
    "ordering.partition": "reads 9, writes 8",
    "ordering.partition_rows": "reads 8, writes 12",
    "pairs.count_pairs": "reads 8",
    "pairs._distinct_partitioned": "reads 8, writes 24",
    "ordering.row_order": "reads 12, writes 8",
    "influences.OrderedRows._ordered": "reads 17 at random, writes 24",
    "ordering.RowOrder.spread_by_class": "reads 21, writes 8 at random",
    "influences.doubled_placements": "reads 12, writes 8 at random",
    "influences._placement_influences": "reads 9, writes 8",
    "range_summary.sum_influences": "reads 24",
    "range_summary.summarize_range": "reads 24",
    "units.Units.product_matrix": "reads 8 a model and 8",
    "units.Units.difference": "reads 24",
    "log_loss.row_losses": "reads 16, writes 8",
    "precision_recall.average_precision_of_table": "reads 16, writes 8",
}
#: Fraction of the time of a work from which on a pass is listed.
LISTED = 0.04


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
    probabilities = {"a": probability, "b": 1 / (1 + np.exp(-other))}
    return found | {
        "weighted AUC": lambda: fm.roc_auc_score(y, score, sample_weight=weight),
        "`roc_curve`": lambda: fm.roc_curve(y, score),
        "`estimate` of five metrics": lambda: fm.estimate(
            y, probability, metrics=metrics, threshold=0.5
        ),
        "`compare` of two models, AUC": lambda: fm.compare(y, both, metrics="roc_auc"),
        "`average_precision_score`": lambda: fm.average_precision_score(y, score),
        "`estimate` of the AUC": lambda: fm.estimate(y, score, metrics="roc_auc"),
        "`evaluate`": lambda: fm.evaluate(y, score),
        "`evaluate` of two models of probabilities": lambda: fm.evaluate(y, probabilities),
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


def seconds_by_pass(work: Call, n_threads: int) -> tuple[float, Counter[str]]:
    """Return the seconds of a call, and those of each set of jobs by the function that has it."""
    taken: Counter[str] = Counter()
    run, is_inside = workers.run, False

    def timed(jobs: Sequence[Call], n_rows: int = workers.FEW_ROWS) -> list[Any]:
        nonlocal is_inside
        if is_inside or threading.current_thread() is not threading.main_thread():
            return run(jobs, n_rows)
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_name in ("by_blocks", "by_pieces", "run_batches"):
            frame = frame.f_back
        module = frame.f_globals["__name__"].rpartition(".")[2]
        start, is_inside = time.perf_counter(), True
        try:
            return run(jobs, n_rows)
        finally:
            is_inside = False
            taken[f"{module}.{frame.f_code.co_qualname}"] += time.perf_counter() - start

    limited = on_threads(work, n_threads)
    with watched(timed):
        start = time.perf_counter()
        limited()
        return time.perf_counter() - start, taken


def passes(rows: int, rounds: int) -> str:
    """Measure the passes of each work on one and on two threads, and return the section."""
    lines = []
    for name, work in works(rows).items():
        work()
        both = [[seconds_by_pass(work, count) for count in (1, 2)] for _ in range(rounds)]
        (one, by_one), (two, by_two) = (min(each) for each in zip(*both, strict=True))
        alone = one - sum(by_one.values())
        serial = max(0.0, 2 * two / one - 1)
        lines.append(
            f"| **{name}** | | | {1e3 * one:,.0f} | {1e3 * two:,.0f} | {alone / one:.1%} | "
            f"{serial:.0%} |"
        )
        lines += [
            f"| `{each}` | {BYTES.get(each, '')} | spread | {1e3 * seconds:,.0f} | "
            f"{1e3 * by_two[each]:,.0f} | | |"
            for each, seconds in by_one.most_common()
            if seconds > LISTED * one
        ]
        print(lines[-1], flush=True)
    table = "\n".join(lines)
    return f"""## Passes

Written by `python -m benchmarks.scaling --passes`: {rows:,} rows where nothing else is said, the
least of {rounds} rounds, milliseconds on one and on two threads of {os.cpu_count()} cores, Python
{platform.python_version()}, NumPy {np.__version__}. Passes over the rows that take {LISTED:.0%} and
more of a work are listed. *Alone* is the time between passes, which no second core can take over.
*Amdahl* is the serial share that the times on one and on two threads show; it includes the memory
that two threads share.

| work and pass | bytes a row | | 1 thread | 2 threads | alone | Amdahl |
|---|---|---|---|---|---|---|
{table}
"""


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
    parser.add_argument("--passes", action="store_true", help="write the section on passes alone")
    asked = parser.parse_args(arguments)
    before, _, section = asked.output.read_text(encoding="utf-8").partition("## Passes")
    if asked.passes:
        before, section = before.rstrip() + "\n\n", passes(asked.rows, asked.rounds)
    else:
        most = os.cpu_count() or 1
        counts = [1 << k for k in range(most.bit_length()) if 1 << k <= most]
        before = page(asked.rows, counts, asked.rounds)
        section = section and f"\n## Passes{section}"
    asked.output.write_text(before + section, encoding="utf-8")


if __name__ == "__main__":
    main()
