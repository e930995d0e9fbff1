"""Metrics of scores in the memory of a CUDA device beside torchmetrics and beside copying them.

``python -m benchmarks.device [ROWS]`` prints a table: the least of five times, in milliseconds, of
float32 scores and int64 labels. A column is the copying path, which does without array_api_compat.
Each number must equal that path's to the bit. Without a device it says so, and times nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import torch
from torchmetrics.functional import classification

import fastmetrics as fm
from fastmetrics._input import device

RUNS = 5
Function = Callable[[torch.Tensor, torch.Tensor], Any]


def table(labels: torch.Tensor, scores: torch.Tensor) -> tuple[Any, ...]:
    counted = fm.ScoreTable.from_scores(labels, scores)
    return counted.scores, counted.positives, counted.negatives


METRICS: dict[str, tuple[Function, Function | None]] = {
    "AUC": (fm.roc_auc_score, lambda y, p: classification.binary_auroc(p, y)),
    "average precision": (
        fm.average_precision_score,
        lambda y, p: classification.binary_average_precision(p, y),
    ),
    "ROC curve": (fm.roc_curve, lambda y, p: classification.binary_roc(p, y)),
    "precision-recall curve": (
        fm.precision_recall_curve,
        lambda y, p: classification.binary_precision_recall_curve(p, y),
    ),
    "table": (table, None),
}


def milliseconds(function: Function, *arrays: torch.Tensor) -> tuple[float, Any]:
    """Return the least time, after a first call that is not timed, and the result."""
    result = function(*arrays)
    times = []
    for _ in range(RUNS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        function(*arrays)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return 1000 * min(times), result


def bits(result: Any) -> list[bytes]:
    columns = result if isinstance(result, tuple) else (result,)
    return [np.asarray(column).tobytes() for column in columns]


def main() -> None:
    if not torch.cuda.is_available():
        print("no CUDA device: nothing is timed")
        return
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    generator = torch.Generator("cuda").manual_seed(0)
    labels = torch.randint(0, 2, (n_rows,), generator=generator, device="cuda")
    scores = torch.randn(n_rows, generator=generator, device="cuda") + labels
    scores = torch.sigmoid(scores)
    print(f"{n_rows:,} rows on {torch.cuda.get_device_name()}\n")
    print("| metric | there, ms | torchmetrics, ms | copied, ms |\n|---|---|---|---|")
    for name, (ours, theirs) in METRICS.items():
        there, result = milliseconds(ours, labels, scores)
        with mock.patch.object(device, "_LEAST_ROWS", n_rows + 1):
            copied, expected = milliseconds(ours, labels, scores)
        assert bits(result) == bits(expected), name
        peer = f"{milliseconds(theirs, labels, scores)[0]:.2f}" if theirs else "–"
        print(f"| {name} | {there:.2f} | {peer} | {copied:.2f} |")


if __name__ == "__main__":
    main()
