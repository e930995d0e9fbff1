"""`BinaryScores` beside the AUC of torchmetrics, exact and of 200 thresholds: time and memory.

``python -m benchmarks.torch_metric [ROWS]`` prints a table. Rows come in batches of 100,000; a time
is the least of three runs, with updates and `compute`; memory is that of the state.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torchmetrics import Metric
from torchmetrics.classification import BinaryAUROC, BinaryAveragePrecision

from fastmetrics.torch import BinaryScores

BATCH = 100_000
RUNS = 3
NAMES = ("roc_auc", "average_precision")
METRICS: dict[str, Callable[[], list[Metric]]] = {
    "BinaryScores": lambda: [BinaryScores()],
    "torchmetrics, exact": lambda: [BinaryAUROC(), BinaryAveragePrecision()],
    "torchmetrics, 200 thresholds": lambda: [
        BinaryAUROC(thresholds=200),
        BinaryAveragePrecision(thresholds=200),
    ],
}


def batches(n_rows: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(0)
    labels = torch.randint(0, 2, (n_rows,), generator=generator)
    scores = torch.sigmoid(torch.randn(n_rows, generator=generator) + labels)
    return list(zip(scores.split(BATCH), labels.split(BATCH), strict=True))


def state_bytes(metric: Metric) -> int:
    states = metric.metric_state.values()
    tensors = [each for state in states for each in (state if isinstance(state, list) else [state])]
    return sum(tensor.nbytes for tensor in tensors)


def measured(make: Callable[[], list[Metric]], rows: Any) -> tuple[float, int, list[str]]:
    """Return seconds, bytes, and the values as text."""
    seconds = []
    for _ in range(RUNS):
        metrics = make()
        start = time.perf_counter()
        for metric in metrics:
            for batch in rows:
                metric.update(*batch)
        values = [metric.compute() for metric in metrics]
        seconds.append(time.perf_counter() - start)
    (value, *others) = values
    if isinstance(value, dict):
        limits = (f"[{value[f'{name}_low']:.6f}, {value[f'{name}_high']:.6f}]" for name in NAMES)
        return min(seconds), sum(map(state_bytes, metrics)), list(limits)
    return min(seconds), sum(map(state_bytes, metrics)), [f"{v:.6f}" for v in (value, *others)]


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    rows = batches(n_rows)
    measured(METRICS["BinaryScores"], rows[:1])  # loads the kernels
    print(f"{n_rows:,} rows\n\n| metric | seconds | ratio | MB | AUC | average precision |")
    print("|---|---|---|---|---|---|")
    first = None
    for name, make in METRICS.items():
        seconds, n_bytes, (auc, precision) = measured(make, rows)
        first = first or seconds
        ratio = seconds / first
        print(
            f"| {name} | {seconds:.2f} | {ratio:.1f} | {n_bytes / 1e6:.2f} | {auc} | {precision} |"
        )


if __name__ == "__main__":
    main()
