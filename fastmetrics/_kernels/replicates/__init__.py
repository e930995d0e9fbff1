"""Loops over the replicates of a bootstrap: what is drawn, and measures of what was drawn.

Used by `inference.bootstrap` and its neighbours. May import numpy and kernels.
"""

# Their functions serve until kernels are loaded.
from fastmetrics._kernels.replicates import (
    draws_in_numpy as draws_in_numpy,
    measures_in_numpy as measures_in_numpy,
)
