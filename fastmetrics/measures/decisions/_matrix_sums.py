"""The sums that macro and micro measures average: of classes, or of matrices of two classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fastmetrics.errors import InputTypeError
from fastmetrics.measures.decisions._count_formulas import Tally, tally
from fastmetrics.measures.decisions._matrix_input import of_matrix, strict_counts
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.confusion.confusion_stack import ConfusionMatrixStack


class NamedSums(NamedTuple):
    """A `Tally` whose last axis is the class, or the matrix of a stack, with the names of both."""

    tally: Tally
    kind: str
    names: tuple[Any, ...]

    def without(self, axis: str) -> str:
        """Return which classes or matrices have no "true" or no "predicted" example."""
        empty = np.asarray(getattr(self.tally, axis)) == 0
        found = [name for name, is_empty in zip(self.names, empty, strict=True) if is_empty]
        shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
        what = "a true" if axis == "true" else "a predicted"
        return f"{len(found):,} of {len(empty):,} {self.kind} ({shown}) without {what} positive"


def named_sums(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None
) -> NamedSums:
    """Return the sums of a stack of matrices, of a matrix, or of labels by the strict rule."""
    if isinstance(y_true, ConfusionMatrixStack):
        given = {"y_pred": y_pred, "labels": labels, "sample_weight": sample_weight}
        for name, value in given.items():
            if value is not None:
                raise InputTypeError(f"a ConfusionMatrixStack comes without `{name}`")
        stack = y_true
        tp, fn, fp = (cell.astype(np.float64) for cell in (stack.tp, stack.fn, stack.fp))
        return NamedSums(Tally(tp, fn, fp, np.zeros(())), "matrices", stack.names)
    found = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return NamedSums(tally(found.counts.astype(np.float64)), "classes", found.labels)


def stacked_counts(matrices: Any) -> tuple[Any, tuple[Any, ...] | None]:
    """Return the counts of one matrix, without names, or of a stack, with its names."""
    if isinstance(matrices, ConfusionMatrixStack):
        return matrices.counts, matrices.names
    if isinstance(matrices, ConfusionMatrix):
        return of_matrix(matrices).counts, None
    raise InputTypeError(
        "`matrices` must be a ConfusionMatrix or a ConfusionMatrixStack: got "
        f"{type(matrices).__name__}"
    )
