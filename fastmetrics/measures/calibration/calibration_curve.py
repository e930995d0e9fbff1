"""scikit-learn's calibration curve: shares of positives and mean probabilities in bins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scores import check_unit_interval
from fastmetrics.errors import InputError
from fastmetrics.measures.calibration._bins import (
    BINNED,
    Strategy,
    bins_between,
    check_bins,
    uniform_edges,
)
from fastmetrics.measures.calibration._probability_table import NOT_CALIBRATED, Floats


@documented(BINNED)
def calibration_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: Strategy = "uniform",
) -> tuple[Floats, Floats]:
    """Compute the share of positives and the mean probability in bins, as scikit-learn does.

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
    try:
        rows = check_binary(y_true, y_prob, pos_label=pos_label, label_rule="curve").recheck()
    except InputError as error:
        raise error.renamed({"y_score": "y_prob"}) from error
    check_unit_interval(rows.scores, "y_prob", NOT_CALIBRATED)
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
