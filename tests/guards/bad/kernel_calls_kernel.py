"""Bad: a kernel that takes a constant and another kernel from other files."""

from __future__ import annotations

import numpy as np

from fastmetrics._kernels._compile import _PATIENCE, kernel
from fastmetrics._kernels.pairs import pair_counts
from fastmetrics.errors import FileError


@kernel
def twice(x):
    if _PATIENCE > 3:
        raise FileError
    return pair_counts(np.sort(x))
