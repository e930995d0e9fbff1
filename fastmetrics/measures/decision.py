"""The decision rule: an example is called positive when its score is at least the threshold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._scalars import check_real
from fastmetrics._scores import check_scores_array


def predict_at_threshold(
    y_score: ArrayLike, threshold: float, *, labels: tuple[Any, Any] = (0, 1)
) -> NDArray[Any]:
    """Call each example positive when score >= threshold, and negative otherwise.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        Scores; the greater, the more positive.
    threshold : int or float
        Any real number, infinities included; inf calls only a score of inf positive.
    labels : tuple of the negative and the positive label, default=(0, 1)
        Two different values of one type: numbers, booleans or strings.

    Returns
    -------
    ndarray of shape (n_samples,)
        The label of each example.

    Raises
    ------
    TypeError
        If the threshold or a score is not a real number.
    ValueError
        If the threshold or a score is NaN, or the labels are not two of one type.

    Notes
    -----
    The comparison is that of the real numbers: float32 scores are not compared with a threshold
    rounded to float32, nor integers with one rounded to float64. Time and memory O(n).

    Examples
    --------
    >>> predict_at_threshold([0.2, 0.5, 0.9], 0.5)
    array([0, 1, 1])
    >>> predict_at_threshold([0.2, 0.5, 0.9], 0.5, labels=("good", "bad"))
    array(['good', 'bad', 'bad'], dtype='<U4')
    """
    negative_and_positive = np.asarray(labels)
    if negative_and_positive.shape != (2,) or negative_and_positive.tolist() != list(labels):
        raise ValueError(f"`labels` must be two values of one type: got {labels!r}")
    if negative_and_positive[0] == negative_and_positive[1]:
        raise ValueError(f"`labels` must be two different values: got {labels!r}")
    scores = check_scores_array(y_score, allow_inf=True)
    called = is_called_positive(scores, _real_threshold(threshold))
    chosen: NDArray[Any] = np.where(called, negative_and_positive[1], negative_and_positive[0])
    return chosen


def is_called_positive(scores: NDArray[Any], threshold: float) -> NDArray[np.bool_]:
    """Return score >= threshold, compared as real numbers whatever the two types are."""
    kind = scores.dtype.kind
    if kind == "f":
        return np.asarray(scores >= _float_not_below(threshold, scores.dtype))
    if math.isinf(threshold):
        return np.full(scores.shape, threshold < 0)
    bound = math.ceil(threshold)
    limits = np.iinfo(scores.dtype)
    if bound > limits.max:
        return np.zeros(scores.shape, dtype=np.bool_)
    return np.asarray(scores >= scores.dtype.type(max(bound, limits.min)))


def _float_not_below(threshold: float, dtype: np.dtype[Any]) -> np.floating[Any]:
    """Return the least value of ``dtype`` that is not below ``threshold``."""
    above = dtype.type(math.inf)
    try:
        with np.errstate(over="ignore"):
            nearest: np.floating[Any] = dtype.type(float(threshold))
    except OverflowError:  # an int beyond the range of float64
        nearest = above if threshold > 0 else -above
    # `.item()` because Python compares int and float exactly, numpy does not.
    if nearest.item() < threshold:
        nearest = np.nextafter(nearest, above)
    return nearest


def _real_threshold(threshold: Any) -> Any:
    """Return the threshold as a Python int or float."""
    if isinstance(threshold, int | np.integer) and not isinstance(threshold, bool):
        return int(threshold)
    value = check_real("threshold", threshold)
    if math.isnan(value):
        raise ValueError("`threshold` must not be nan")
    return value
