"""Loops over the replicates of a bootstrap: what is drawn, and measures of what was drawn.

Used by `intervals.bootstrap` and its neighbours. May import numpy and kernels.
"""

# Its functions serve until kernels are loaded.
from fastmetrics._kernels.replicates import in_numpy as in_numpy
