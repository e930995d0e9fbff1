"""The hinge loss of decisions: how far they fall short of a margin of 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels, in_class_order, show_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_finite
from fastmetrics.errors import InputError
from fastmetrics.measures.probabilities._class_rows import (
    LABELS,
    TwoClasses,
    check_members,
    column_codes,
    distinct_labels,
    guess_columns,
    guess_two_classes,
    one_against_other,
    readable,
)
from fastmetrics.measures.probabilities._loss_sums import (
    HINGE,
    LossSums,
    RowWeights,
    binary_sums,
    class_sums,
)


@documented(LABELS)
def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Compute the mean hinge loss, max(0, 1 - margin).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class labels.
    pred_decision : array-like of shape (n_samples,) or (n_samples, n_classes)
        Finite decisions: the greater, the more likely the greater of two labels, and the margin
        is the decision or minus it; or one column for each of three classes or more, and the
        margin is the own class's decision less the best of the others (Crammer and Singer).
    labels : array-like of shape (n_classes,), optional
        The classes, needed when one has no row. Those of `y_true` unless given.

    Returns
    -------
    float
        At least 0, the smaller the better; inf if the sum exceeds the largest double.

    Raises
    ------
    ValueError
        If decisions are not finite, labels and columns do not match, or one label that is none of
        -1, 0 and 1 is all there is.

    Notes
    -----
    One pass, O(n k) time, without a temporary of length n for integer labels. The sum is off by
    at most 2**-48 of itself, whatever its length.

    References
    ----------
    Crammer, K., Singer, Y. (2001). On the algorithmic implementation of multiclass kernel-based
    vector machines. Journal of Machine Learning Research 2, 265-292.

    Examples
    --------
    >>> hinge_loss([-1, 1, 1], [-2.5, 2.0, 0.25])
    0.25
    >>> decisions = [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 3.0, 1.0]]
    >>> hinge_loss([0, 1, 2], decisions)
    1.1666666666666667
    """
    y = as_vector(y_true, "y_true")
    pred_decision = in_class_order(pred_decision, y_true, labels, name="pred_decision")
    decisions = readable(pred_decision, "pred_decision")
    check_same_length(y_true=y, pred_decision=decisions)
    weights = RowWeights.checked(sample_weight, len(y))
    classes = None if labels is None else check_class_labels(labels, "labels").classes
    if decisions.ndim == 2 and decisions.shape[1] > 2:
        sums = _many_classes(y, decisions, classes, weights)
    else:
        sums = _two_classes(y, decisions, classes, weights)
    if sums.score_faults:
        check_finite(decisions, "pred_decision")
    return sums.mean


def _two_classes(
    y: NDArray[Any], decisions: NDArray[Any], classes: NDArray[Any] | None, weights: RowWeights
) -> LossSums:
    if classes is not None and len(classes) > 2:
        raise InputError(_shape_fault(len(classes), decisions))

    def sums_of(two: TwoClasses) -> LossSums:
        return binary_sums(HINGE, two, as_vector(decisions, "pred_decision"), weights)

    guess = guess_two_classes(y)
    if guess is not None and decisions.ndim == 1:
        sums = sums_of(guess)
        if sums.are_complete(every_class=True):
            return sums
    plain, seen = distinct_labels(y)
    if len(seen) > 2:
        raise InputError(_shape_fault(len(seen), decisions))
    return sums_of(one_against_other(plain, _positive(seen, classes)))


def _positive(seen: NDArray[Any], classes: NDArray[Any] | None) -> Any:
    """Return the greater of two labels; of one label, what `labels` or its own value says."""
    if len(seen) == 2:
        return seen.tolist()[1]
    if classes is not None and len(classes) == 2:
        check_members(seen, classes)
        return classes.tolist()[1]
    only = seen.tolist()[0]
    if isinstance(only, str) or only not in (-1, 0, 1):
        raise InputError(f"`y_true` contains one label only, {only!r}: pass both as `labels`")
    return 1


def _many_classes(
    y: NDArray[Any], decisions: NDArray[Any], classes: NDArray[Any] | None, weights: RowWeights
) -> LossSums:
    n_columns = decisions.shape[1]
    if classes is not None and len(classes) != n_columns:
        raise InputError(_shape_fault(len(classes), decisions))
    guess = guess_columns(y, classes)
    if guess is not None:
        sums = class_sums(HINGE, guess, decisions, weights)
        if sums.are_complete(every_class=classes is None):
            return sums
    columns, n_classes = column_codes(y, classes, n_columns)
    if n_classes != n_columns:
        seen = show_labels(np.unique(distinct_labels(y)[1]))
        raise InputError(
            f"`pred_decision` must have a column for each class: {n_classes} classes in `y_true`, "
            f"{seen}, {n_columns} columns; pass `labels` if a class has no row"
        )
    return class_sums(HINGE, columns, decisions, weights)


def _shape_fault(n_classes: int, decisions: NDArray[Any]) -> str:
    return (
        f"`pred_decision` must have shape ({len(decisions)}, {n_classes}) with {n_classes} "
        f"classes: got {decisions.shape}"
    )
