"""Bands around ROC and precision-recall curves, pointwise and simultaneous."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics._plots._style import escape_name
from fastmetrics._plots.curves import (
    PLOTTED,
    Band,
    PlotCurve,
    band_title,
    draw_precision_recall,
    draw_roc,
)
from fastmetrics._results import Result
from fastmetrics.inference._band_run import Kind, compute_band
from fastmetrics.inference.bootstrap._parse import BootstrapData
from fastmetrics.tables.score_table import ScoreTable

_RESULT = """
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
    How far the limits reach: deviations of a rate in standard errors.
effective_positives, effective_negatives : float
    How many independent rows of each class the data are worth: the counts, where rows are
    neither grouped nor weighted.
n_resamples, n_failed : int
    Replicates, and those that lost a class: the band is then conditional on both classes being
    there. 0 where the band needs none.
key : str or None
    ``rng=key`` draws the same replicates again; None without replicates.
weights_are : {"importances", "frequencies"} or None
    How weights were read; None where there were none.
"""


def band_to_draw(band: RocBand | PrBand, name: str | None) -> Band:
    """Return the band to draw, with the name of its model."""
    prefix = f"{escape_name(name)}: " if name else ""
    x = band.recall if isinstance(band, PrBand) else band.false_positive_rate
    return Band(x, band.low, band.high, prefix + band_title(band.confidence_level, band.kind))


@documented(_RESULT)
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
        label = escape_name(name or "ROC curve")
        band = band_to_draw(self, name)
        curve = PlotCurve(self.false_positive_rate, self.true_positive_rate, label, band)
        return draw_roc([curve], ax, options=line_options)


@documented(_RESULT)
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
        label = escape_name(name or "P-R curve")
        curve = PlotCurve(self.recall, self.precision, label, band_to_draw(self, name))
        return draw_precision_recall([curve], ax, options=line_options)


_FUNCTION = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ScoreTable
    Binary labels; or a table of counts, alone.
y_score : array-like of shape (n_samples,), optional
    Scores; the greater, the more positive.
kind : {"simultaneous", "pointwise"}, default="simultaneous"
    Whether the whole curve lies between the limits with this confidence, or each of its
    points by itself, chosen beforehand. Only a simultaneous band may be read anywhere.
n_resamples : int, default=2000
    Number of replicates, of a simultaneous band.

Raises
------
TypeError
    For arguments of the wrong kind; for groups with a table, which needs rows.
ValueError
    For data or options without meaning.

Warns
-----
UndefinedMetricWarning
    If there is one class only: everything is nan. If over 5 % of the replicates lost a class.
DegenerateDataWarning
    If all replicates are equal (an AUC of 0 or 1); if a class is worth less than two
    independent rows.
SmallSampleWarning
    If there are fewer than about 30 groups, or importances leave rows worth less than that.

References
----------
Campbell (1994), Advances in statistical methodology for the evaluation of diagnostic and
laboratory tests, Statistics in Medicine 13:499-508. Zou & Donner (2008), Construction of
confidence limits about effect metrics, Statistics in Medicine 27:1693-1702.
"""


@documented(_FUNCTION)
def roc_band(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    kind: Kind = "simultaneous",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    points: int | ArrayLike = 101,
    stratified: bool | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> RocBand:
    """Compute a confidence band of the ROC curve, over a grid of false positive rates.

    Parameters
    ----------
    points : int or array-like of shape (n_points,), default=101
        False positive rates, rising; a number, at most a million, is that of equidistant ones, 0
        and 1 included.
    stratified : bool, optional
        Whether each class is drawn by itself: the default, unless there are groups.

    Returns
    -------
    RocBand
        The curve at the grid with its limits.

    Notes
    -----
    **Simultaneous.** A threshold's rates deviate from those of the population, FPR and TPR. In
    the arcsine scale 2 sqrt(n + 1/2) arcsin sqrt((k + 3/8) / (n + 3/4)) either deviation has
    variance 1, whatever the rate (Anscombe 1948). The band holds the curves that are reached from
    that of the data by moving along both axes by up to c: Campbell's (1994) fixed-width band,
    which Macskassy, Provost & Rosset (2005) found to be the one that covers, with the scale of
    Nair's (1984) equal-precision bands, so that its ends become narrow where rates vary little. c
    is the quantile of the distances of the replicates' curves from that of the data. Where the
    sample's curve is upright or level, replicates do not vary and a band of their standard errors
    has no width; this one has a width c on either axis, whatever the place. c is no less than the
    normal quantile of two two-sided limits, one for each class, so that there is a band where
    all replicates are equal (AUC 1). At FPR 0 the lower limit is 0: data do not tell how many
    positives lie above *all* negatives of the population.

    In simulations (binormal data of AUC 0.5 to 0.998, 100 to 1,000 rows, half or a tenth of them
    positive) the whole curve, from FPR 0 to 1, lay inside in 95 to 99 % of samples at a nominal
    95 %; with 10 positives among 1,000 rows in 92 to 96 %.

    **Pointwise.** At one FPR, Agresti and Coull's limits of TPR at a known threshold, and the curve
    where FPR is as far off as it may be by chance, put together as deviations of independent
    estimates are (Zou & Donner 2008; Hilgers 1991 takes the outer bounds of both).

    Grouped and weighted rows enter with effective sizes: class by class, the number of independent
    rows whose rates would vary as much (Rao & Scott 1992).

    Rows are sorted once. A replicate costs 10 to 20 ns a row, or with few distinct scores a time
    that does not depend on the number of rows; a pointwise band needs none. Memory: 10 bytes a row,
    a batch for each thread, and n_resamples numbers.

    References
    ----------
    Macskassy, Provost & Rosset (2005), ROC confidence bands: an empirical evaluation, ICML.
    Nair (1984), Confidence bands for survival functions with censored data, Technometrics
    26:265-275. Anscombe (1948), The transformation of Poisson, binomial and negative-binomial data,
    Biometrika 35:246-254. Hilgers (1991), Distribution-free confidence bounds for ROC curves,
    Methods of Information in Medicine 30:96-101. Agresti & Coull (1998), Approximate is better than
    "exact" for interval estimation of binomial proportions, The American Statistician 52:119-126.
    Rao & Scott (1992), A simple method for the analysis of clustered binary data, Biometrics
    48:577-585.

    Examples
    --------
    >>> import numpy as np
    >>> y_true = np.arange(1000) % 2
    >>> y_score = 1.5 * y_true + np.random.default_rng(0).normal(size=1000)
    >>> band = roc_band(y_true, y_score, points=[0.0, 0.1, 0.5, 1.0], rng=1)
    >>> band.true_positive_rate.tolist()
    [0.104, 0.606, 0.956, 1.0]
    >>> band.low.round(2).tolist(), band.high.round(2).tolist()
    ([0.0, 0.5, 0.92, 0.99], [0.22, 0.73, 0.98, 1.0])
    """
    read = check_weights_are(sample_weight, weights_are)
    grid, curve, fields = compute_band(
        BootstrapData(y_true, y_score, sample_weight, read, pos_label, groups),
        over_recall=False,
        kind=kind,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        points=points,
        stratified=stratified,
        rng=rng,
        progress=progress,
    )
    return RocBand(grid, curve, **fields)


@documented(_FUNCTION)
def pr_band(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    kind: Kind = "simultaneous",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    points: int | ArrayLike = 100,
    stratified: bool | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    pos_label: Any = None,
    rng: Any = None,
    n_threads: int | None = None,
    progress: bool | None = None,
) -> PrBand:
    """Compute a confidence band of the precision-recall curve, over a grid of recalls.

    Parameters
    ----------
    points : int or array-like of shape (n_points,), default=100
        Recalls in (0, 1], rising; a number n, at most a million, stands for 1/n, 2/n, ..., 1.
    stratified : bool, optional
        Whether the number of positives was set, as in a case-control study: the share of
        positives is then known, and each class is drawn by itself. By default it is estimated.

    Returns
    -------
    PrBand
        The curve at the grid with its limits.

    Notes
    -----
    Between two thresholds TP and FP grow in equal shares (Davis & Goadrich 2006), as in
    ``pr_auc(..., interpolation="continuous")``; where more negatives alone are called positive,
    precision falls at one recall, and the curve is the highest point. Precision has no value at
    recall 0, and limits near it are wide: few rows tell of it.

    At recall r precision is r / (r + f w), with f the false positive rate and w the number of
    negatives to a positive. The limits of f are those of the ROC curve, its axes exchanged (see
    `roc_band`). w has Wilson's limits unless it was set; deviations of both add up in squares as
    those of independent estimates do (Zou & Donner 2008). Simultaneous limits take half of the
    error probability for w, which is all that varies at recall 1.

    In simulations (binormal data of AUC 0.76 to 0.98, 100 to 1,000 rows, half or a tenth of them
    positive) the whole curve lay inside in 95 to 98 % of samples at a nominal 95 %, and each point
    of a pointwise band in 93 % or more.

    Cost and memory are those of `roc_band`.

    References
    ----------
    Davis & Goadrich (2006), The relationship between precision-recall and ROC curves, ICML.
    Boyd, Eng & Page (2013), Area under the precision-recall curve: point estimates and confidence
    intervals, ECML.

    Examples
    --------
    >>> y_true = [0, 0, 1, 0, 1, 0, 1, 1, 0, 1]
    >>> y_score = [0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    >>> band = pr_band(y_true, y_score, points=[0.4, 1.0], kind="pointwise")
    >>> band.precision.round(4).tolist()
    [0.6667, 0.625]
    >>> bool((band.low < band.precision).all() and (band.precision < band.high).all())
    True
    """
    read = check_weights_are(sample_weight, weights_are)
    grid, curve, fields = compute_band(
        BootstrapData(y_true, y_score, sample_weight, read, pos_label, groups),
        over_recall=True,
        kind=kind,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        points=points,
        stratified=stratified,
        rng=rng,
        progress=progress,
    )
    return PrBand(grid, curve, **fields)
