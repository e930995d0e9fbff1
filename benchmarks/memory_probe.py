"""Print how many bytes the peak grows by one AUC, and the AUC: ``python memory_probe.py Y S``.

Run in a process of its own, by path, so that nothing but the library is loaded. The data are read
and the kernels are used on small data first; what comes on top of that is the extra memory.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path

import numpy as np

from fastmetrics import roc_auc_score
from fastmetrics._kernels._compile import compile_small_calls
from fastmetrics.tables.scores._distinct import PLAIN_ROWS

_STATUS = Path("/proc/self/status")


def _resident(field: str) -> int:
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


def _warm_up(scores_dtype: np.dtype[np.generic], labels_dtype: np.dtype[np.generic]) -> None:
    """Use each path on little data: plain, range map, splitters."""
    compile_small_calls()
    rng = np.random.default_rng(0)
    for rows in (4_000, 2 * PLAIN_ROWS):
        labels = rng.integers(0, 2, rows).astype(labels_dtype)
        smooth = rng.random(rows)
        for scores in (smooth, np.round(smooth, 1), np.where(smooth < 0.9, 0.0, smooth * 1e9)):
            roc_auc_score(labels, scores.astype(scores_dtype))


def main() -> None:
    labels, scores = np.load(sys.argv[1]), np.load(sys.argv[2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _warm_up(scores.dtype, labels.dtype)
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # the peak starts from here
        before = _resident("VmRSS")
        answer = roc_auc_score(labels, scores)
        extra = _resident("VmHWM") - before
    print(extra, repr(answer))


if __name__ == "__main__":
    main()
