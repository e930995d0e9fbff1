"""Time `fastmetrics.dask` on one and two worker processes, and publish the seconds.

``python -m benchmarks.dask_scaling`` writes ``docs/dask.json`` and the block of ``docs/scale.md``;
``--text`` writes the block anew from stored figures; ``--rows N`` tries the script on fewer rows,
and writes nothing. Partitions are made by the workers; what is timed starts with rows in their
memory, and each answer is compared with that in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster, wait

import fastmetrics as fm
import fastmetrics.dask as fmd

ROOT = Path(__file__).resolve().parents[1]
STORED, GUIDE = ROOT / "docs" / "dask.json", ROOT / "docs" / "scale.md"
START, END = "<!-- dask:start -->", "<!-- dask:end -->"

ROWS, PARTITIONS, ROUNDS = 16_000_000, 16, 3
Part = tuple[Any, Any]


def rows(part: int, n: int) -> Part:
    """Return labels and float32 scores of a partition."""
    rng = np.random.default_rng(part)
    y = (rng.random(n) < 0.3).astype(np.int8)
    return y, (rng.normal(size=n) + y).astype(np.float32)


#: What is timed: the call on partitions, and the same in memory on one thread.
CALLS: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    "roc_auc_score": (
        lambda parts: fmd.roc_auc_score(*parts),
        lambda y, s: fm.roc_auc_score(y, s, n_threads=1),
    ),
    "evaluate": (
        lambda parts: _to_twelve(fmd.evaluate(*parts)[0].confidence_interval),
        lambda y, s: _to_twelve(fm.evaluate(y, s, n_threads=1)[0].confidence_interval),
    ),
    "estimate: roc_auc": (
        lambda parts: _to_twelve(
            fmd.estimate(*parts, metrics="roc_auc")["roc_auc"].confidence_interval
        ),
        lambda y, s: _to_twelve(
            fm.estimate(y, s, metrics="roc_auc", n_threads=1)["roc_auc"].confidence_interval
        ),
    ),
}


def _to_twelve(interval: Any) -> list[float]:
    return [round(end, 12) for end in interval]


def seconds_of(call: Callable[..., Any], *data: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = call(*data)
    return time.perf_counter() - start, answer


def measured(n_workers: int, n: int, rounds: int) -> dict[str, tuple[float, float, Any]]:
    """Return the least wall time, that of processors, and the answer of each call."""
    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            memory_limit="3GiB",
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        load = dask.delayed(rows, nout=2)
        columns = zip(*[load(part, n // PARTITIONS) for part in range(PARTITIONS)], strict=True)
        parts = dask.persist(*map(list, columns))
        wait(parts)
        found: dict[str, tuple[float, float, Any]] = {}
        for name, (on_dask, _) in CALLS.items():
            on_dask(parts)  # kernels are loaded
            taken = []
            for _ in range(rounds):
                before = _of_processors(client)
                wall, answer = seconds_of(on_dask, parts)
                taken.append((wall, _of_processors(client) - before))
            found[name] = (*(min(each) for each in zip(*taken, strict=True)), answer)
        return found


def _of_processors(client: Client) -> float:
    """Return the processor time so far of the workers, and of this process, with the scheduler."""
    return float(sum(client.run(time.process_time).values()) + time.process_time())


def run(n: int, rounds: int) -> dict[str, Any]:
    whole = [np.concatenate(column) for column in zip(*_parts(n), strict=True)]
    times: dict[str, list[float]] = {}
    processors: dict[str, list[float]] = {name: [] for name in CALLS}
    for name, (_, in_memory) in CALLS.items():
        in_memory(*whole)
        times[name] = [min(seconds_of(in_memory, *whole)[0] for _ in range(rounds))]
    expected = {name: in_memory(*whole) for name, (_, in_memory) in CALLS.items()}
    for n_workers in (1, 2):
        for name, (taken, of_processors, answer) in measured(n_workers, n, rounds).items():
            if answer != expected[name]:
                raise AssertionError(f"{name}: {answer} on Dask, {expected[name]} in memory")
            times[name].append(taken)
            processors[name].append(of_processors)
    return {
        "rows": n,
        "partitions": PARTITIONS,
        "cores": os.cpu_count(),
        "seconds": times,
        "processor_seconds": processors,
    }


def _parts(n: int) -> list[Part]:
    return [rows(part, n // PARTITIONS) for part in range(PARTITIONS)]


def text_of(found: dict[str, Any]) -> str:
    lines = [
        f"{found['rows']:,} rows in {found['partitions']} partitions, float32 scores, on "
        f"{found['cores']} cores: seconds",
        "in memory on one thread, and on worker processes of one thread each that hold the rows.",
        "Answers were equal. Processor time is that of workers, scheduler and caller.",
        "",
        "| | in memory | 1 worker | 2 workers | 1 ÷ 2 | processors, 1 worker | 2 workers |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (memory, one, two) in found["seconds"].items():
        cells = [memory, one, two, one / two, *found["processor_seconds"][name]]
        lines.append(f"| {name} | {' | '.join(f'{cell:.2f}' for cell in cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.dask_scaling", description=__doc__)
    parser.add_argument("--rows", type=int, help="fewer rows, to try the script")
    parser.add_argument("--text", action="store_true", help="the block of stored figures")
    options = parser.parse_args(arguments)
    if options.text:
        found = json.loads(STORED.read_text("utf-8"))
    else:
        found = run(options.rows or ROWS, 1 if options.rows else ROUNDS)
    text = text_of(found)
    print(text)
    if options.rows is None:
        STORED.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
        guide = GUIDE.read_text("utf-8")
        before, _, rest = guide.partition(START)
        GUIDE.write_text(f"{before}{START}\n{text}\n{END}{rest.partition(END)[2]}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
