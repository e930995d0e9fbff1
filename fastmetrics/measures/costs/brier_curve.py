"""The Brier curve: what probabilities cost that are taken at their word."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scores import check_probabilities
from fastmetrics._plots._style import label_of
from fastmetrics._plots.curves import PLOTTED, Curve, draw_curves
from fastmetrics._results import OneNumber, OwnArrays
from fastmetrics.errors import UndefinedMetricWarning, renamed, warn_user
from fastmetrics.tables.scores.score_table import Floats, ScoreTable, as_table


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BrierCurve(OwnArrays, OneNumber):
    """The loss of calling positive what has a probability of at least c, over the cost share c.

    Attributes
    ----------
    brier_score : float
        Area under the curve, the mean squared error of the probabilities.
    cost_share : ndarray of shape (n_points,)
        c, the share of a false positive in the price of both errors, from 0 to 1; twice the same
        where the loss jumps, at a probability that occurs. Read-only.
    loss : ndarray of shape (n_points,)
        ``2 (c FP + (1 - c) FN) / n`` of the threshold c; straight between two points. Read-only.
    """

    _number = "brier_score"

    brier_score: float
    cost_share: Floats = field(repr=False)
    loss: Floats = field(repr=False)

    @documented(PLOTTED)
    def plot(self, ax: Any = None, *, name: str | None = None, **line_options: Any) -> Any:
        """Draw the curve with its area shaded.

        Between it and the curve of the same probabilities once calibrated, drawn on the same axes,
        lies what better thresholds would save.
        """
        label = label_of(name, f"Brier score {self.brier_score:.4g} (area)")
        curve = Curve(self.cost_share, self.loss, label, is_shaded=True)
        labels = ("cost share of false positives, c", "loss")
        return draw_curves([curve], [], labels, ax, options=line_options)


@documented()
def brier_curve(
    y_true: ArrayLike | ScoreTable,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> BrierCurve:
    """Compute the Brier curve: what it costs to take probabilities as thresholds say.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels; or a table of probabilities, and then `y_proba` is left out.
    y_proba : array-like of shape (n_samples,), optional
        Probabilities of the positive class, in [0, 1].

    Returns
    -------
    BrierCurve
        The loss at every share of costs; its area is the Brier score. Without rows no point and
        nan.

    Raises
    ------
    ValueError
        If the data are not binary labels and numbers in [0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If there are no rows.

    Notes
    -----
    Where a false positive has the share c of the price of both errors, a probability of c is the
    threshold that is cheapest, if probabilities are what they say. The curve of calibrated
    probabilities lies below: that between the two is the loss of bad thresholds. One sort, then
    O(distinct probabilities).

    References
    ----------
    Hernández-Orallo, Flach & Ferri (2011), Brier curves: a new cost-based visualisation of
    classifier performance, ICML.

    Examples
    --------
    >>> curve = brier_curve([0, 1], [0.25, 0.5])
    >>> curve.cost_share.tolist(), curve.loss.tolist()
    ([0.0, 0.25, 0.25, 0.5, 0.5, 1.0], [0.0, 0.25, 0.0, 0.0, 0.5, 0.0])
    >>> curve.brier_score
    0.15625
    """
    with renamed(y_score="y_proba"):
        table = as_table(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label)
    scores = table.scores[::-1].astype(np.float64)
    if len(scores) == 0:
        warn_user("the Brier curve is not defined: there is no row", UndefinedMetricWarning)
        return BrierCurve(math.nan, np.empty(0), np.empty(0))
    check_probabilities(scores)
    whole = float(table.n_positive + table.n_negative)
    # Called positive at a threshold above the first i probabilities: all but those.
    false_positives = np.append(table.false_positives[::-1], 0) / whole
    of_positives = table.n_positive - table.true_positives
    false_negatives = np.append(of_positives[::-1], table.n_positive) / whole
    ends = np.concatenate(([0.0], scores, [1.0]))
    share = np.repeat(ends, 2)[1:-1]  # of each stretch, both ends
    loss = 2.0 * (
        share * np.repeat(false_positives, 2) + (1.0 - share) * np.repeat(false_negatives, 2)
    )
    squares = (1.0 - table.scores) ** 2 * table.positives + table.scores**2 * table.negatives
    return BrierCurve(float(np.sum(squares)) / whole, share, loss)
