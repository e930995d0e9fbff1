"""Print how many bytes the peak grows by replicates of the AUC, and the AUC, of two files.

Run in a process of its own, by path. Kernels are used on small data first, and the sorted rows
stand before the count begins: what comes on top is what replicates need on one thread.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import numpy as np

import fastmetrics
from benchmarks.memory_probe import _resident
from fastmetrics._input.rng import seed_key
from fastmetrics._kernels._compile import compile_small_calls
from fastmetrics.intervals.bootstrap._draws import Draws
from fastmetrics.intervals.bootstrap._engine import Engine
from fastmetrics.intervals.bootstrap._parse import parse
from fastmetrics.intervals.bootstrap._plans import planned


def _engine(table: fastmetrics.ScoreTable) -> Engine:
    asked = planned("roc_auc")
    form = parse(table, None, asked)
    return Engine([form], asked, Draws(seed_key(1), form.n_units))


def main() -> None:
    compile_small_calls()
    labels, scores = np.load(sys.argv[1]), np.load(sys.argv[2])
    small = fastmetrics.ScoreTable.from_scores(labels[:300_000], scores[:300_000])
    _engine(small).run(2, n_threads=1, progress=False)
    table = fastmetrics.ScoreTable.from_scores(labels, scores)
    auc = fastmetrics.roc_auc_score(table)
    engine = _engine(table)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts from here
    before = _resident("VmRSS")
    engine.run(2, n_threads=1, progress=False)
    print(_resident("VmHWM") - before, repr(auc))


if __name__ == "__main__":
    main()
