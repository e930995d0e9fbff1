"""The decision rule: an example is called positive when its score is at least the threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._input.scores import check_scores_array
from fastmetrics.errors import InputError
from fastmetrics.tables.scores._threshold import is_called_positive, real_threshold


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
        raise InputError(f"`labels` must be two values of one type: got {labels!r}")
    if negative_and_positive[0] == negative_and_positive[1]:
        raise InputError(f"`labels` must be two different values: got {labels!r}")
    scores = check_scores_array(y_score, allow_inf=True)
    called = is_called_positive(scores, real_threshold(threshold))
    chosen: NDArray[Any] = np.where(called, negative_and_positive[1], negative_and_positive[0])
    return chosen
