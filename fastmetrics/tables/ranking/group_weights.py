"""What weighs a group in the mean of the AUCs of groups."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import UndefinedMetricWarning, warn_user

Weighting = Literal["items", "relevant", "pairs", "queries"]
WEIGHTINGS: Final = ("items", "relevant", "pairs", "queries")


def group_weights(
    query_weighting: Weighting,
    positives: NDArray[Any],
    negatives: NDArray[Any],
    defined: NDArray[np.bool_],
) -> NDArray[Any]:
    """Return the weight of each group, 0 where its AUC is not defined; warn where none is."""
    if not defined.any():
        warn_user(
            "the AUC of groups is undefined: no group has both classes; set to nan",
            UndefinedMetricWarning,
        )
    if query_weighting == "items":
        weights = positives + negatives
    elif query_weighting == "relevant":
        weights = positives
    else:
        weights = positives * negatives if query_weighting == "pairs" else np.ones_like(positives)
    return np.where(defined, weights, 0)
