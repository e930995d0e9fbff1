"""Reliability diagrams, by isotonic regression or in bins; scikit-learn's calibration curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.regression_targets import OF_CALIBRATION
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics._input.scores import as_given, check_scores_array
from fastmetrics._plots._style import model_label
from fastmetrics._plots.curves import PLOTTED, PlotCurve, draw_reliability, reliability_limits
from fastmetrics._results import OwnArrays, Result
from fastmetrics.errors import InputError, renamed
from fastmetrics.metrics.calibration._probability_table import CALIBRATED, Floats, probability_table
from fastmetrics.metrics.calibration.calibration_errors import (
    BINNED,
    MOST_BINS,
    Strategy,
    ascending,
    bin_starts,
    bins_between,
    check_bins,
    uniform_edges,
)
from fastmetrics.tables.score_table import ScoreTable, as_table, upper_hull


@dataclass(frozen=True, slots=True, repr=False)
class IsotonicFit(OwnArrays, Result):
    """A non-decreasing step function: blocks of scores, and the fitted value of each.

    Attributes
    ----------
    low, high : ndarray of shape (n_blocks,)
        Lowest and highest score of each block, ascending; read-only.
    values : ndarray of shape (n_blocks,)
        The mean target of each block, strictly ascending; read-only.
    weights : ndarray of shape (n_blocks,)
        Rows of each block, or their weight; read-only.

    Examples
    --------
    >>> fit = isotonic_fit([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> fit.values
    array([0. , 0.5, 1. ])
    >>> fit.predict([0.35, 0.6])
    array([0.5 , 0.75])
    """

    low: NDArray[Any]
    high: NDArray[Any]
    values: Floats
    weights: NDArray[Any]

    def predict(self, y_score: ArrayLike) -> Floats:
        """Return the fitted value at each score.

        Parameters
        ----------
        y_score : array-like of shape (n_samples,)
            Any real numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Inside a block its value, between two blocks the straight line from one to the other,
            beyond the ends the value of the last block: as scikit-learn's ``IsotonicRegression``
            with ``out_of_bounds="clip"``.
        """
        scores = check_scores_array(y_score).astype(np.float64)
        ends = np.column_stack((self.low, self.high)).ravel().astype(np.float64)
        values = np.repeat(self.values, 2)
        kept = np.ones(len(ends), np.bool_)
        kept[1::2] = self.high != self.low
        return np.asarray(np.interp(scores, ends[kept], values[kept]))


@documented()
def isotonic_fit(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> IsotonicFit:
    """Fit a non-decreasing probability of the positive label to the scores, by least squares.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or a table of labels and scores, and then `y_score` is left out.
    y_score : array-like of shape (n_samples,), optional
        Scores: any real numbers.

    Returns
    -------
    IsotonicFit
        The blocks of the fit; `IsotonicFit.predict` recalibrates new scores.

    Raises
    ------
    TypeError, ValueError
        If the data are not binary labels and finite scores.

    Notes
    -----
    Scores that tie are one point. The fit minimizes every proper score at once, and its blocks are
    the edges of the convex hull of the ROC curve: one sort, then O(distinct scores), the counts
    compared as integers. Of numbers: scikit-learn's ``IsotonicRegression``.

    References
    ----------
    Ayer, M., Brunk, H. D., Ewing, G. M., Reid, W. T., & Silverman, E. (1955). An empirical
    distribution function for sampling with incomplete information. Annals of Mathematical
    Statistics 26(4), 641-647.

    Examples
    --------
    >>> fit = isotonic_fit([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> fit.values, fit.weights
    (array([0. , 0.5, 1. ]), array([1, 2, 1]))
    """
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    hull = upper_hull(table)
    starts = np.concatenate(([0], hull.ends[:-1] + 1))
    weights = hull.positives + hull.negatives
    means = hull.positives / weights
    weights = as_given(weights, table.weight_exponent)
    falling = table.scores[hull.ends], table.scores[starts], means, weights
    return IsotonicFit(*(np.array(column[::-1]) for column in falling))


Binning = Literal["isotonic", "uniform", "quantile", "equal-count", "uniform-left-closed"]
#: Bars of the histogram.
_BARS: Final = 20


@dataclass(frozen=True, slots=True, repr=False)
class ReliabilityDiagram(OwnArrays, Result):
    """The observed frequency of positives in bins, against the probabilities of the bins.

    Attributes
    ----------
    strategy : {"isotonic", "uniform", "quantile", "equal-count", "uniform-left-closed"}
        How rows were put together.
    low, high : ndarray of shape (n_bins,)
        Least and greatest probability in each bin, ascending; read-only.
    predicted : ndarray of shape (n_bins,)
        Mean probability of each bin; read-only.
    observed : ndarray of shape (n_bins,)
        Share of positives of each bin; read-only.
    weights : ndarray of shape (n_bins,)
        Rows of each bin, or their weight; read-only.
    histogram : ndarray of shape (20,)
        The share of the rows, or of their weight, in each twentieth of [0, 1]; read-only.

    Examples
    --------
    >>> diagram = reliability_diagram([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> diagram.low, diagram.high, diagram.observed
    (array([0.1, 0.3, 0.8]), array([0.1, 0.4, 0.8]), array([0. , 0.5, 1. ]))
    """

    strategy: Binning
    low: Floats
    high: Floats
    predicted: Floats
    observed: Floats
    weights: NDArray[Any]
    histogram: Floats

    @documented(PLOTTED)
    def plot(
        self, ax: Any = None, *, band: Any = None, name: str | None = None, **line_options: Any
    ) -> Any:
        """Draw the diagram with the diagonal, and the histogram of the probabilities at its foot.

        Parameters
        ----------
        band : ReliabilityBand, optional
            What `reliability_band` returned for the same data.

        Raises
        ------
        ValueError
            If the band is one of consistency, which the isotonic fit has, and the diagram another.
        """
        is_isotonic = self.strategy == "isotonic"
        if band is not None and band.kind == "consistency" and not is_isotonic:
            raise InputError(
                "a consistency band is that of the isotonic fit: draw it with "
                "strategy='isotonic', or take a confidence band"
            )
        default_label = (
            "isotonic fit" if is_isotonic else f"{len(self.observed)} {self.strategy} bins"
        )
        curve = PlotCurve(
            np.column_stack((self.low, self.high)).ravel() if is_isotonic else self.predicted,
            np.repeat(self.observed, 2) if is_isotonic else self.observed,
            model_label(name, default_label),
            None if band is None else reliability_limits(band),
            has_markers=not is_isotonic,
        )
        return draw_reliability(curve, self.histogram, ax, options=line_options)


@documented(CALIBRATED)
def reliability_diagram(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    strategy: Binning = "isotonic",
    n_bins: int = 10,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> ReliabilityDiagram:
    """Compute a reliability diagram: isotonic (CORP), or by bins.

    Parameters
    ----------
    strategy : str, default="isotonic"
        "isotonic": the blocks of isotonic regression, as many as the data ask for; or `n_bins`
        bins as the `strategy` of `expected_calibration_error` makes them: "uniform", "quantile"
        (as scikit-learn's `calibration_curve`), "equal-count" or "uniform-left-closed".
    n_bins : int, default=10
        Number of bins, of which those without a row are left out; not read for "isotonic".

    Returns
    -------
    ReliabilityDiagram
        The points of the diagram, and `ReliabilityDiagram.plot`.

    Notes
    -----
    The isotonic diagram needs no choice of bins, and does not change much when rows are added;
    that of bins may show what the bins make of it.

    One sort, then O(distinct probabilities).

    References
    ----------
    Dimitriadis, T., Gneiting, T., & Jordan, A. I. (2021). Stable reliability diagrams for
    probabilistic classifiers. PNAS 118(8), e2016191118.

    Examples
    --------
    >>> y_true, y_proba = [0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9]
    >>> diagram = reliability_diagram(y_true, y_proba, strategy="uniform", n_bins=2)
    >>> diagram.predicted.round(4), diagram.observed.round(4), diagram.weights
    (array([0.2667, 0.9   ]), array([0.3333, 1.    ]), array([3, 1]))
    """
    check_choice("strategy", strategy, get_args(Binning))
    check_integer("n_bins", n_bins, low=1, high=MOST_BINS)
    table = probability_table(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label)
    p, positives, weights = ascending(table)
    if strategy == "isotonic":
        starts = len(p) - 1 - upper_hull(table).ends[::-1]
    else:
        starts = bin_starts(p, weights, n_bins, strategy)
    total = np.add.reduceat(weights, starts)
    cuts = np.searchsorted(p, np.linspace(0.0, 1.0, _BARS + 1))
    cuts[-1] = len(p)  # the last twentieth is closed on both sides
    running = np.cumsum(weights)
    below = np.where(cuts > 0, running[cuts - 1], 0)
    return ReliabilityDiagram(
        strategy,
        p[starts],
        p[np.append(starts[1:], len(p)) - 1],
        np.add.reduceat(weights * p, starts) / total,
        np.add.reduceat(positives, starts) / total,
        as_given(total, table.weight_exponent),
        np.diff(below) / running[-1],
    )


@documented(BINNED)
def calibration_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: Strategy = "uniform",
) -> tuple[Floats, Floats]:
    """Compute observed frequencies and mean probabilities in bins, as scikit-learn does.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of one.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class, in [0, 1].
    n_bins : int, default=5
        Number of bins; those without a row are left out.

    Returns
    -------
    prob_true, prob_pred : ndarray of shape (n_used,)
        Share of positives, and mean probability, of each bin, ascending.

    Raises
    ------
    ValueError
        If there are more than two labels, or a probability lies outside [0, 1].

    See Also
    --------
    reliability_diagram : The curve without bins to choose, with weights and with its plot.

    Notes
    -----
    The sums are added in the order of the rows: the same bits as scikit-learn's. O(n log n_bins).

    References
    ----------
    Niculescu-Mizil, A., & Caruana, R. (2005). Predicting good probabilities with supervised
    learning. Proceedings of the 22nd International Conference on Machine Learning, 625-632.

    Examples
    --------
    >>> prob_true, prob_pred = calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2)
    >>> prob_true.round(4), prob_pred.round(4)
    (array([0.3333, 1.    ]), array([0.2667, 0.9   ]))
    """
    n_bins, strategy = check_bins(n_bins, strategy)
    with renamed(y_score="y_prob"):
        rows = check_binary(y_true, y_prob, pos_label=pos_label, label_rule="curve")
    OF_CALIBRATION.check_predicted(rows.scores, "y_prob")
    scores = rows.scores
    if strategy == "equal-count":
        bins = np.searchsorted(np.sort(scores), scores) * n_bins // len(scores)
    elif strategy == "quantile":
        edges = np.percentile(scores, np.linspace(0.0, 1.0, n_bins + 1) * 100)
        bins = bins_between(edges[1:-1], scores, strategy)
    else:
        bins = bins_between(uniform_edges(n_bins), scores, strategy)
    counts = np.bincount(bins, minlength=n_bins)
    used = counts != 0
    sums = np.bincount(bins, weights=scores, minlength=n_bins)
    positives = np.bincount(bins, weights=rows.labels == 1, minlength=n_bins)
    return positives[used] / counts[used], sums[used] / counts[used]
