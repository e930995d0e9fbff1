"""How many equally weighted rows are worth as much as these weighted ones."""

from __future__ import annotations

import math
from typing import Final

from numpy.typing import ArrayLike

from fastmetrics._input.containers import as_array
from fastmetrics._input.weights import check_weights

_CHUNK: Final = 1 << 16


def effective_sample_size(sample_weight: ArrayLike) -> float:
    """Compute Kish's effective sample size of weighted rows, (sum w)^2 / sum w^2.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,)
        Weights, not negative; only their ratios matter.

    Returns
    -------
    float
        Between 1 and the number of positive weights, which it reaches when they are all equal.

    Raises
    ------
    TypeError
        If the weights are no real numbers.
    ValueError
        If a weight is negative, nan or infinite, if all are zero, or if the array is empty or not
        one-dimensional.

    Notes
    -----
    A weighted mean of values that do not depend on the weights has the variance of the plain mean
    of this many values. It is the `n` for an interval when the weights are importances; weights
    that count copies of a row need none of it: pass their sum. Where the weights and the outcome
    go together it is an approximation, and a weighted bootstrap of the rows the better choice.

    O(n_samples), one pass over ratios to the largest weight, so that weights of 1e308 or 5e-324
    neither overflow nor vanish; no copy of the weights.

    References
    ----------
    Kish (1965), Survey Sampling, Wiley; Kish (1992), Weighting for unequal Pi, Journal of
    Official Statistics 8:183-200.

    Examples
    --------
    >>> effective_sample_size([1, 1, 1, 3])
    3.0

    The accuracy of weighted rows with its interval:

    >>> import numpy as np
    >>> from fastmetrics.comparison import proportion_interval
    >>> correct = np.array([1, 1, 0, 1, 1, 1, 0, 1])
    >>> weight = np.array([0.5, 2.0, 1.0, 1.0, 0.5, 2.0, 0.5, 1.0])
    >>> accuracy = np.average(correct, weights=weight)
    >>> n = effective_sample_size(weight)
    >>> result = proportion_interval(accuracy * n, n)
    >>> round(n, 4), round(result.estimate, 4), result.confidence_interval
    (6.1489, 0.8235, ConfidenceInterval(low=0.432, high=0.966255))
    """
    array = as_array(sample_weight, "sample_weight")
    weights = check_weights(array, len(array) if array.ndim else 1).values
    largest = float(weights.max())
    sums, squares = [], []
    for start in range(0, len(weights), _CHUNK):
        ratios = weights[start : start + _CHUNK] / largest
        sums.append(float(ratios.sum()))
        squares.append(float((ratios * ratios).sum()))
    return math.fsum(sums) ** 2 / math.fsum(squares)
