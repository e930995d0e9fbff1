"""Print how many bytes the peak grows by a piece of work, and the AUC of the rows.

``python memory_probe.py auc Y S`` is one AUC, ``replicates`` those of its bootstrap on one thread,
the sorted rows being there. Run in a process of its own, by path, so that nothing but the library
is loaded. The data are read and the kernels are used on small data first; what comes on top of that
is the extra memory.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics import ScoreTable, roc_auc_score
from fastmetrics.tables.pairs import PLAIN_ROWS

_STATUS = Path("/proc/self/status")
Array = NDArray[Any]


def resident(field: str) -> int:
    """Return VmRSS (now) or VmHWM (peak) in bytes; without /proc both are the peak.

    ``ru_maxrss`` alone would not do where /proc is there: a child inherits it from its parent.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def one_auc(labels: Array, scores: Array) -> Callable[[], Any]:
    """Use each path on little data: plain, range map, splitters."""
    rng = np.random.default_rng(0)
    for rows in (4_000, 2 * PLAIN_ROWS):
        of_rows = rng.integers(0, 2, rows).astype(labels.dtype)
        smooth = rng.random(rows)
        for kind in (smooth, np.round(smooth, 1), np.where(smooth < 0.9, 0.0, smooth * 1e9)):
            roc_auc_score(of_rows, kind.astype(scores.dtype))
    return lambda: roc_auc_score(labels, scores)


def replicates(labels: Array, scores: Array) -> Callable[[], Any]:
    """Use the engine on few rows, and sort all of them."""
    from fastmetrics._input.scalars import seed_key
    from fastmetrics._threads.workers import at_most
    from fastmetrics.inference.bootstrap._parse import BootstrapData, parse
    from fastmetrics.inference.bootstrap._samples import Draws
    from fastmetrics.inference.bootstrap._specs import metric_specs
    from fastmetrics.inference.bootstrap.bootstrap import Engine

    def engine(rows: slice) -> Engine:
        table = ScoreTable.from_scores(labels[rows], scores[rows])
        specs = metric_specs("roc_auc")
        sample = parse(BootstrapData(table), specs)
        return Engine([sample], specs, Draws(seed_key(1), sample.n_units))

    def run(one: Engine) -> object:
        with at_most(1):
            return one.run(2, progress=False)

    run(engine(slice(300_000)))
    of_all = engine(slice(None))
    return lambda: run(of_all)


def main() -> None:
    prepare = {"auc": one_auc, "replicates": replicates}[sys.argv[1]]
    labels, scores = (np.load(name) for name in sys.argv[2:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        work = prepare(labels, scores)
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # the peak starts from here
        before = resident("VmRSS")
        answer = work()
        extra = resident("VmHWM") - before
    print(extra, repr(answer if isinstance(answer, float) else roc_auc_score(labels, scores)))


if __name__ == "__main__":
    main()
