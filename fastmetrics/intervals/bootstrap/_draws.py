"""The draws of a bootstrap: how often each unit comes in each replicate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._kernels import resampling as kernels

Resampling = Literal["multinomial", "poisson", "bayesian"]

WINDOW = kernels.WINDOW


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws over n units; every number follows from the key, the replicate and the block.

    Attributes
    ----------
    key : ndarray of uint64, shape (2,)
    n_units : int
    resampling : {"multinomial", "poisson", "bayesian"}
    masks : ndarray of uint8, or None
        Class of each unit (255 or 0) where each class is drawn by itself.
    """

    key: NDArray[np.uint64]
    n_units: int
    resampling: Resampling = "multinomial"
    masks: NDArray[np.uint8] | None = None
    _of_windows: list[NDArray[np.int64]] = field(default_factory=list, init=False)

    @property
    def n_windows(self) -> int:
        """Number of windows of units."""
        return -(-self.n_units // WINDOW)

    def totals(self, first: int, count: int) -> NDArray[np.int64]:
        """Return the draws of each window: (count, n_windows), or those of each class."""
        if not self._of_windows:  # once for all replicates: counting a class takes a pass
            self._of_windows[:] = self._sizes()
        poisson = self.resampling == "poisson"
        totals = np.empty((len(self._of_windows), count, self.n_windows), np.int64)
        for stratum, sizes in enumerate(self._of_windows):
            kernels.multinomial_totals(self.key, first, stratum, sizes, poisson, totals[stratum])
        return totals[0] if self.masks is None else totals

    def _sizes(self) -> list[NDArray[np.int64]]:
        """Return the units of each window, or its positives and its negatives."""
        sizes = np.full(self.n_windows, WINDOW, np.int64)
        sizes[-1] = self.n_units - WINDOW * (self.n_windows - 1)
        if self.masks is None:
            return [sizes]
        starts = np.arange(self.n_windows) * WINDOW
        of_positives = np.add.reduceat(self.masks[: self.n_units] > 0, starts, dtype=np.int64)
        return [of_positives, sizes - of_positives]

    def counts(
        self,
        first: int,
        totals: NDArray[np.int64],
        windows: NDArray[np.int64],
        out: NDArray[np.uint8],
    ) -> None:
        """Fill ``out`` with the counts of the windows listed, side by side, one row a replicate."""
        chosen = np.ascontiguousarray(totals[..., windows[0] : windows[-1] + 1])
        if self.masks is None:
            kernels.draw_windows(self.key, first, windows, chosen, self.n_units, out)
        else:
            kernels.draw_windows_by_class(
                self.key, first, windows, chosen, self.masks, self.n_units, out
            )

    def every(self, first: int, count: int) -> NDArray[np.uint8]:
        """Return the counts of all units, one row for each replicate from number ``first`` on."""
        found = np.empty((count, -(-self.n_units // 8) * 8), np.uint8)
        self.counts(first, self.totals(first, count), np.arange(self.n_windows), found)
        return found

    def weights(self, replicate: int) -> NDArray[np.float64]:
        """Return the Bayesian bootstrap's weights of the units, which sum to their number."""
        half = -(-self.n_units // 2)
        words = np.empty(2 * half, np.uint64)
        kernels.philox(self.key, 0, 0, replicate, kernels.WEIGHTS, half, words)
        uniform = (words[: self.n_units] >> np.uint64(12)).astype(np.float64)
        exponential = -np.log((uniform + 0.5) * 2.0**-52)  # exact: never rounded up to 1
        return np.asarray(exponential * (self.n_units / exponential.sum()))


def cell_counts(
    key: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    first: int,
    count: int,
    *,
    poisson: bool = False,
    stratum: int = 0,
) -> NDArray[np.int64]:
    """Return how many of the rows of each cell are drawn: (count, n_cells), whatever the sizes."""
    totals = np.zeros((count, len(sizes)), np.int64)
    held = np.flatnonzero(sizes)
    drawn = np.empty((count, len(held)), np.int64)
    kernels.multinomial_totals(key, first, stratum, sizes[held], poisson, drawn)
    totals[:, held] = drawn
    return totals
