"""Values of classes (or rows) to one number, whatever their order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def mean_defined(values: NDArray[np.float64], weights: NDArray[Any] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there is none.

    Where all that is left weighs nothing, the plain mean. Sums are exact before they are rounded,
    so that the order of the values does not matter.
    """
    kept = ~np.isnan(values)
    if not kept.all():
        values = values[kept]
        weights = None if weights is None else weights[kept]
    if len(values) == 0:
        return math.nan
    if weights is not None:
        shares = weights.astype(np.float64)
        total = math.fsum(shares.tolist())
        if total > 0:
            return math.fsum((values * shares).tolist()) / total
    return math.fsum(values.tolist()) / len(values)
