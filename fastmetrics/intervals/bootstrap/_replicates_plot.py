"""How results that hold replicates of a bootstrap are drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._results import ConfidenceInterval
from fastmetrics.plots.replicates import Estimate, draw_replicates


class Replicated(ABC):
    """A result with replicates, which `plot` draws."""

    __slots__ = ()

    bootstrap_distribution: NDArray[np.float64]

    @abstractmethod
    def _estimate(self) -> Estimate:
        """Return the number that the replicates are of, with its interval."""

    @documented()
    def plot(self, ax: Any = None, **histogram_options: Any) -> Any:
        """Draw the distribution of the replicates, the estimate, and the limits of its interval.

        Parameters
        ----------
        **histogram_options
            Of ``ax.hist``: `bins`, `facecolor` and so on.

        Returns
        -------
        matplotlib Axes
            What was drawn on. Replicates that are undefined are left out.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw_replicates(
            self.bootstrap_distribution, self._estimate(), ax, options=histogram_options
        )


def estimate_of(
    metric: str, estimate: float, interval: ConfidenceInterval, confidence_level: float, method: str
) -> Estimate:
    """Return a measure with its interval as they are drawn."""
    said = f"{100 * confidence_level:g} % {'BCa' if method == 'bca' else method} interval"
    return Estimate(metric, estimate, interval.low, interval.high, said)
