"""Isotonic regression: the non-decreasing function of the scores that fits best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.containers import as_vector
from fastmetrics._input.regression_targets import check_regression
from fastmetrics._input.scalars import check_choice, check_same_length
from fastmetrics._input.scores import check_scores_array
from fastmetrics._input.weights import as_given
from fastmetrics._kernels import hulls as kernels
from fastmetrics._results import OwnArrays, Result
from fastmetrics.errors import InputTypeError
from fastmetrics.measures.calibration._probability_table import Floats
from fastmetrics.tables.ordering import row_order
from fastmetrics.tables.score_table import ScoreTable, as_table, upper_hull

#: What the targets of a fit are.
TargetsAre = Literal["labels", "numbers"]


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
        places = np.column_stack((self.low, self.high)).ravel().astype(np.float64)
        values = np.repeat(self.values, 2)
        kept = np.ones(len(places), np.bool_)
        kept[1::2] = self.high != self.low
        return np.asarray(np.interp(scores, places[kept], values[kept]))


@documented()
def isotonic_fit(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    targets_are: TargetsAre = "labels",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> IsotonicFit:
    """Fit a non-decreasing function of the scores to labels, or to numbers, by least squares.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ScoreTable
        Binary labels, or real numbers; or a table of labels and scores, and then `y_score` is left
        out.
    y_score : array-like of shape (n_samples,), optional
        Scores: any real numbers.
    targets_are : {"labels", "numbers"}, default="labels"
        What `y_true` holds: labels, of which the fit estimates the probability of the positive
        one; or numbers, of which it estimates the mean.

    Returns
    -------
    IsotonicFit
        The blocks of the fit; `IsotonicFit.predict` recalibrates new scores.

    Raises
    ------
    TypeError, ValueError
        If the data are not binary labels, or numbers, and finite scores.

    Notes
    -----
    Pool adjacent violators, on scores that tie as one point. Of labels the fit minimizes every
    proper score at once, and its blocks are the edges of the convex hull of the ROC curve: one
    sort, then O(distinct scores), the counts compared as integers.

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
    >>> isotonic_fit([1.5, 0.5, 4.0], [1, 2, 3], targets_are="numbers").values
    array([1., 4.])
    """
    if check_choice("targets_are", targets_are, get_args(TargetsAre)) == "numbers":
        return _fit_numbers(y_true, y_score, sample_weight, pos_label)
    table = as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    hull = upper_hull(table)
    starts = np.concatenate(([0], hull.ends[:-1] + 1))
    weights = hull.positives + hull.negatives
    means = hull.positives / weights
    weights = as_given(weights, table.weight_exponent)
    falling = table.scores[hull.ends], table.scores[starts], means, weights
    return IsotonicFit(*(np.array(column[::-1]) for column in falling))


def _fit_numbers(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any) -> IsotonicFit:
    if isinstance(y_true, ScoreTable):
        raise InputTypeError("a ScoreTable holds labels: it goes with `targets_are='labels'`")
    if pos_label is not None:
        raise InputTypeError("`pos_label` has no meaning with `targets_are='numbers'`")
    scores = check_scores_array(y_score)
    numbers = as_vector(y_true, "y_true")
    check_same_length(y_true=numbers, y_score=scores)
    rows = check_regression(numbers, numbers, sample_weight)
    rows.recheck()
    order = row_order(scores).rows
    ordered = scores[order] + scores.dtype.type(0)
    weights = np.empty(0) if rows.weights is None else rows.weights[order]
    values = rows.y_true[order].astype(np.float64, copy=False)
    n = len(values)
    first, last = np.empty(n, np.int64), np.empty(n, np.int64)
    sums, pooled = np.empty(n), np.empty(n)
    ties = np.empty(n, np.bool_)
    ties[0] = False
    np.equal(ordered[1:], ordered[:-1], out=ties[1:])
    count = kernels.pool_adjacent(values, weights, ties, first, last, sums, pooled)
    means = sums[:count] / pooled[:count]
    weight = pooled[:count].astype(np.int64) if rows.weights is None else pooled[:count]
    weight = np.array(as_given(weight, rows.weight_exponent))
    return IsotonicFit(ordered[first[:count]], ordered[last[:count]], means, weight)
