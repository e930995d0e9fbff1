"""Several count measures at once: the data are read once, whatever is asked of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._results import Result
from fastmetrics.errors import InputError, UndefinedMetricWarning, by_name, warn_user
from fastmetrics.measures.asking import find_among
from fastmetrics.measures.decisions._count_formulas import majority_accuracy, tally
from fastmetrics.measures.decisions._matrix_input import (
    CLASSES,
    knows_positive,
    of_two,
    strict_counts,
)
from fastmetrics.measures.decisions.count_measures import values
from fastmetrics.tables.confusion._label_counts import Cells
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_OF_TWO: Final = (
    *("accuracy", "balanced_accuracy", "precision", "recall", "specificity", "npv", "f1"),
    *("g_mean", "matthews_corrcoef", "cohen_kappa"),
)
_OF_ANY: Final = (
    *("accuracy", "balanced_accuracy", "precision_macro", "recall_macro", "f1_macro"),
    *("f1_weighted", "macro_f1_harmonic", "g_mean", "matthews_corrcoef", "cohen_kappa"),
)


@dataclass(frozen=True, slots=True, repr=False)
class ClassificationMeasures(Result):
    """Count measures of one classifier, with the matrix they follow from.

    ``result["f1"]`` is the value of a measure.

    Attributes
    ----------
    values : mapping of str to float
        Measure to value, in the order asked for; nan where it is undefined. Read-only.
    majority_accuracy : float
        The accuracy of calling every example by the commonest true class: what an accuracy has
        to be compared with.
    matrix : ConfusionMatrix
        The counts; of two classes the positive one is last.
    """

    values: Mapping[str, float]
    majority_accuracy: float
    matrix: ConfusionMatrix

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __getitem__(self, name: str) -> float:
        return by_name(self.values, name, "measures")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            "values", "majority_accuracy", and the matrix as its "labels" and "counts".
        """
        matrix = Cells.of(self.matrix)
        return {
            "values": dict(self.values),
            "majority_accuracy": self.majority_accuracy,
            "matrix": {"labels": list(matrix.labels), "counts": matrix.counts.tolist()},
        }

    def __repr__(self) -> str:
        said = {name: f"{value:.6g}" for name, value in self.values.items()}
        if "accuracy" in said:  # never without that of the majority class
            said["accuracy"] += f" (majority class {self.majority_accuracy:.6g})"
        return f"ClassificationMeasures({', '.join(f'{k}={v}' for k, v in said.items())})"

    def _shown(self) -> Display:
        columns = {"metric": tuple(self.values), "estimate": tuple(self.values.values())}
        matrix = self.matrix._shown()
        tables = [Table(columns, words={"estimate": "value"})]
        tables += [replace(table, framed=False) for table in matrix.tables]
        said = f"Always the most frequent class: accuracy {self.majority_accuracy:.4g}."
        return Display(tables, type(self).__name__, [said, *matrix.notes])


@documented(CLASSES)
def classification_measures(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    metrics: Iterable[str] | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    **parameters: Any,
) -> ClassificationMeasures:
    """Compute several measures of predicted labels from one reading of the data.

    Parameters
    ----------
    metrics : iterable of str, optional
        Names of count measures: "accuracy", "error_rate" (or "zero_one_loss"),
        "balanced_accuracy", "g_mean", "matthews_corrcoef", "cohen_kappa", "cost",
        "macro_f1_harmonic"; "precision", "recall", "f1", "fbeta" and "jaccard", also with
        "_macro", "_micro" or "_weighted"; of two classes "specificity", "npv",
        "false_positive_rate", "false_negative_rate", "informedness" (or "youden_j"),
        "positive_likelihood_ratio", "negative_likelihood_ratio". By default ten of them: those of
        a positive class where there are two classes and one is known to be positive, else averages.
    labels : array-like of shape (K,), optional
        The classes in their order, of two the positive one last; by default those that occur.
    pos_label : int, float, bool or str, optional
        The positive one of two classes; {0, 1}, {-1, 1} and booleans need none, and of a matrix or
        of `labels` it is the last.
    **parameters
        Parameters of the measures, each for all that have it: `zero_division` (0, 1 or nan),
        `beta`, `weights` (of kappa), `cost_matrix`, `cost_fn`, `cost_fp`.

    Returns
    -------
    ClassificationMeasures
        The values by name, the accuracy of the majority class and the matrix.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of one sort and of equal length, a measure or parameter has
        another name, or a measure of two classes meets others, or two of which neither is known to
        be positive.

    Warns
    -----
    UndefinedMetricWarning
        Once, with the names of the measures that are undefined: they are nan.

    Notes
    -----
    One pass over the rows, whatever is asked: O(n), then O(K²) a measure. Each measure is in its
    strict form, 0/0 being nan.

    Examples
    --------
    >>> y_true, y_pred = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]
    >>> classification_measures(y_true, y_pred, metrics=["accuracy", "f1", "npv"])
    ClassificationMeasures(accuracy=0.8 (majority class 0.6), f1=0.8, npv=1)
    >>> len(classification_measures(y_true, y_pred).values)
    10
    """
    asked = None if metrics is None else _checked_names(metrics)
    found = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    known = labels is not None or isinstance(y_true, ConfusionMatrix)
    needs_positive = any(find_among(name, "decisions").classes == 2 for name in asked or ())
    if pos_label is not None or (len(found.labels) == 2 and needs_positive):
        found = of_two(found, pos_label, known=known)
    if asked is None:
        is_binary = knows_positive(found, known=known or pos_label is not None)
        asked = _OF_TWO if is_binary else _OF_ANY
    measured = {
        name: float(value) for name, value in values(asked, found.counts, parameters).items()
    }
    majority = float(majority_accuracy(tally(found.counts.astype(np.float64))))
    undefined = [name for name, value in measured.items() if math.isnan(value)]
    if math.isnan(majority):
        undefined.append("majority_accuracy")
    if undefined:
        warn_user(f"not defined on these data: {', '.join(undefined)}", UndefinedMetricWarning)
    own = found._replace(counts=found.counts.copy())
    return ClassificationMeasures(measured, majority, ConfusionMatrix._of_cells(own))


def _checked_names(metrics: Any) -> tuple[str, ...]:
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    if not names:
        raise InputError("`metrics` is empty: name at least one measure")
    for name in names:
        find_among(name, "decisions")
    return names
