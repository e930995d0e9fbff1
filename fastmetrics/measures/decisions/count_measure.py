"""Any count measure by its name, of one matrix or of each matrix of a stack."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.measures.decisions._matrix_sums import stacked_counts
from fastmetrics.measures.decisions.count_measures import value
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.confusion.confusion_stack import ConfusionMatrixStack


@overload
def count_measure(matrices: ConfusionMatrix, name: str, **params: Any) -> float: ...


@overload
def count_measure(
    matrices: ConfusionMatrixStack, name: str, **params: Any
) -> NDArray[np.float64]: ...


def count_measure(
    matrices: ConfusionMatrix | ConfusionMatrixStack, name: str, **params: Any
) -> float | NDArray[np.float64]:
    """Compute a count measure, by its name, of a matrix or of each matrix of a stack.

    Parameters
    ----------
    matrices : ConfusionMatrix or ConfusionMatrixStack
        One matrix of K classes, of two the positive one last; or n of two classes.
    name : str
        "accuracy", "precision", "f1_macro", "specificity", "matthews_corrcoef", "cohen_kappa",
        "cost" ...: what `classification_measures` takes.
    **params
        Parameters of the measure: `zero_division`, `beta`, `weights`, `cost_matrix`, `cost_fn`,
        `cost_fp`.

    Returns
    -------
    float, or ndarray of shape (n,)
        The value of the matrix, or of each one of the stack; nan where it is undefined.

    Raises
    ------
    TypeError, ValueError
        If `matrices` are none, or the measure has not that name, parameter or number of classes.

    Warns
    -----
    UndefinedMetricWarning
        If a value is undefined: once, with the names of the matrices.

    Notes
    -----
    The strict form of each measure: 0/0 is nan. O(K²) a matrix, all matrices in one vectorised
    pass.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrixStack
    >>> stack = ConfusionMatrixStack.from_counts([[[3, 1], [2, 4]], [[5, 0], [1, 2]]])
    >>> count_measure(stack, "precision")
    array([0.8, 1. ])
    >>> count_measure(stack.sum(), "precision")
    0.8571428571428571
    """
    counts, names = stacked_counts(matrices)
    values = value(name, counts, **params)
    undefined = np.isnan(values)
    if undefined.any():
        where = ""
        if names is not None:
            found = [own for own, is_nan in zip(names, undefined, strict=True) if is_nan]
            shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
            where = f" for {len(found):,} of {len(names):,} matrices: {shown}"
        warn_user(f"`{name}` is not defined{where}", UndefinedMetricWarning)
    return float(values) if names is None else values
