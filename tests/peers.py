"""Peers whose answer costs little and whose call costs much."""

from collections.abc import Sequence
from unittest import mock

import numpy as np
from statsmodels.stats.multitest import multipletests


def adjusted_by_statsmodels(pvalues: Sequence[float], method: str) -> np.ndarray:
    """Return adjusted p-values; Holm's would collect garbage in all that the tests have made."""
    with mock.patch("gc.collect"):
        return multipletests(pvalues, method=method)[1]
