"""Bad: a kernel that compiles once for each way an array may come."""

from __future__ import annotations

import numpy as np

from fastmetrics._kernels._compile import kernel


@kernel
def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def workload():
    x = np.arange(6.0)
    frozen = x.copy()
    frozen.flags.writeable = False
    for array in (x, x[::2], frozen, x.astype(np.float32)):
        total.compiled()(array)
