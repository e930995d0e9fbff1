"""What `roc_band` and `pr_band` return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._plots._style import shown_name
from fastmetrics._plots.curves import (
    PLOTTED,
    Band,
    Curve,
    band_title,
    draw_precision_recall,
    draw_roc,
)
from fastmetrics._results import Result

_BAND = """
Attributes
----------
low, high : ndarray of shape (n_points,)
    Limits, low <= curve <= high; nan where they are undefined. Read-only, like all arrays.
kind : {"simultaneous", "pointwise"}
    Whether the limits hold everywhere at once, or at any one point.
method : str
    How they were found.
confidence_level : float
critical_value : float
    How far the limits reach: deviations of a rate in standard errors ("equal-precision",
    "mover"); nan where the method has none.
effective_positives, effective_negatives : float
    How many independent rows of each class the data are worth: the counts, where rows are
    neither grouped nor weighted.
n_resamples, n_failed : int
    Replicates, and those that lost a class: the band is then conditional on both classes being
    there. 0 where the method needs none.
key : str or None
    ``rng=key`` draws the same replicates again; None without replicates.
weights_are : {"importances", "frequencies"} or None
    How weights were read; None where there were none.
"""


def shown_band(band: RocBand | PrBand, name: str | None) -> Band:
    """Return what is drawn of a band, which says whose it is."""
    of = f"{shown_name(name)}: " if name else ""
    x = band.recall if isinstance(band, PrBand) else band.false_positive_rate
    return Band(x, band.low, band.high, of + band_title(band.confidence_level, band.kind))


@documented(_BAND)
@dataclass(frozen=True, slots=True, repr=False)
class RocBand(Result):
    """A ROC curve at a grid of false positive rates, with confidence limits.

    Attributes
    ----------
    false_positive_rate : ndarray of shape (n_points,)
        The grid, rising.
    true_positive_rate : ndarray of shape (n_points,)
        The curve of the data: the largest rate at that false positive rate.
    """

    false_positive_rate: NDArray[np.float64]
    true_positive_rate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: str
    method: str
    confidence_level: float
    critical_value: float
    effective_positives: float
    effective_negatives: float
    n_resamples: int
    n_failed: int
    key: str | None
    weights_are: WeightsAre | None

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the ROC curve at the grid with its band."""
        label, band = shown_name(name or "ROC curve"), shown_band(self, name)
        curve = Curve(self.false_positive_rate, self.true_positive_rate, label, band)
        return draw_roc([curve], ax, options=line_options)


@documented(_BAND)
@dataclass(frozen=True, slots=True, repr=False)
class PrBand(Result):
    """A precision-recall curve at a grid of recalls, with confidence limits.

    Attributes
    ----------
    recall : ndarray of shape (n_points,)
        The grid, rising, above 0.
    precision : ndarray of shape (n_points,)
        The curve of the data: the largest precision at that recall.
    """

    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kind: str
    method: str
    confidence_level: float
    critical_value: float
    effective_positives: float
    effective_negatives: float
    n_resamples: int
    n_failed: int
    key: str | None
    weights_are: WeightsAre | None

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the P-R curve at the grid with its band."""
        label = shown_name(name or "P-R curve")
        curve = Curve(self.recall, self.precision, label, shown_band(self, name))
        return draw_precision_recall([curve], ax, options=line_options)
