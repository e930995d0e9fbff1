"""Precision, recall, F1 and support of every class and their averages, as text or a dictionary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import distinct
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_integer
from fastmetrics.errors import InputError, InputTypeError, warn_user
from fastmetrics.measures.decisions._class_counts import (
    TARGETS,
    ClassCounts,
    checked_flag,
    class_counts,
    picked,
    total_of,
)
from fastmetrics.measures.decisions._class_scores import (
    averaged_scores,
    checked_zero_division,
    class_scores,
    mean_defined,
    reported,
    share,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_COLUMNS: Final = ("precision", "recall", "f1-score", "support")
_CELL: Final = 9


class _Line(NamedTuple):
    """One line of the report; of "accuracy" only the last score is shown."""

    name: Any
    scores: list[float]
    support: int | float
    is_accuracy: bool = False


@documented(TARGETS)
def classification_report(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    target_names: Iterable[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: float | Literal["warn"] = "warn",
) -> str | dict[Any, Any]:
    """Report precision, recall, F1 and support of every class and their averages.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices; or a ConfusionMatrix alone.
    target_names : iterable of n_labels names, optional
        What to call the classes, in the same order.
    digits : int, default=2
        Digits behind the point in the text.
    output_dict : bool, default=False
        Return a dictionary of the unrounded values.

    Returns
    -------
    str or dict
        A line (or a dictionary of the four values) for each class, then "accuracy" (or "micro
        avg", if `labels` leaves classes out or the targets are multilabel), "macro avg" and
        "weighted avg", and "samples avg" for multilabel targets.

    Warns
    -----
    UndefinedMetricWarning
        If a ratio is 0/0 and `zero_division` is "warn".
    UserWarning
        If `labels` and `target_names` are of different length: the shorter one ends the list.

    Notes
    -----
    Labels are counted once, in O(n) and memory O(number of classes), and every line follows from
    these counts.

    Examples
    --------
    >>> print(classification_report(["a", "a", "b", "c"], ["a", "b", "b", "c"]))
                  precision    recall  f1-score   support
    <BLANKLINE>
               a       1.00      0.50      0.67         2
               b       0.50      1.00      0.67         1
               c       1.00      1.00      1.00         1
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.83      0.83      0.78         4
    weighted avg       0.88      0.75      0.75         4
    <BLANKLINE>
    >>> report = classification_report([0, 1, 1], [0, 1, 0], output_dict=True)
    >>> report["1"]
    {'precision': 1.0, 'recall': 0.5, 'f1-score': 0.6666666666666666, 'support': 2.0}
    """
    digits = check_integer("digits", digits, low=0)
    output_dict = checked_flag("output_dict", output_dict)
    checked_zero_division(zero_division)
    counts = class_counts(y_true, y_pred, sample_weight)
    asked = counts if labels is None else picked(counts, labels)
    names = _names(target_names, asked, labels is not None)
    if target_names is None and labels is None and counts.indicators is None:
        names = _spelled(counts.labels, y_true, y_pred)
    accuracy = None
    if counts.indicators is None and set(counts.labels.tolist()) <= set(asked.labels.tolist()):
        accuracy = share(total_of(counts.hits), counts.total, "accuracy")
    classes, averages = _lines(asked, names, accuracy, zero_division)
    if output_dict:
        return {
            line.name: line.scores[-1]
            if line.is_accuracy
            else dict(zip(_COLUMNS, (*line.scores, float(line.support)), strict=True))
            for line in classes + averages
        }
    return _as_text(classes, averages, digits)


def _names(
    target_names: Iterable[Any] | None, counts: ClassCounts, labels_given: bool
) -> list[Any]:
    if target_names is None:
        return [str(label) for label in counts.labels.tolist()]
    if isinstance(target_names, str | bytes) or not isinstance(target_names, Iterable):
        raise InputTypeError(f"`target_names` must be a list of names: got {target_names!r}")
    names, n_labels = list(target_names), len(counts.labels)
    if len(names) == n_labels:
        return names
    if not labels_given:
        raise InputError(
            f"`target_names` must name {n_labels:,} classes: got {len(names):,}; `labels` selects "
            "classes"
        )
    warn_user(
        f"labels size, {n_labels}, does not match size of target_names, {len(names)}", UserWarning
    )
    return names


def _spelled(labels: NDArray[Any], y_true: Any, y_pred: Any) -> list[str]:
    """Return numbers as scikit-learn spells them, 0 as '0', '0.0' or 'False'.

    Each has the dtype of ``y_true``, or of ``y_pred`` if that alone holds it, and all together the
    one that holds these.
    """
    if isinstance(y_true, ConfusionMatrix) or any(isinstance(each, str) for each in labels):
        return [str(label) for label in labels.tolist()]
    true = as_array(y_true, "y_true")
    dtype, other = _spelled_as(y_true, true), _spelled_as(y_pred, as_array(y_pred, "y_pred"))
    if dtype != other and not set(labels.tolist()) <= set(distinct(true.ravel()).tolist()):
        dtype = np.result_type(dtype, other)
    return [str(label) for label in labels.astype(dtype).tolist()]


def _spelled_as(values: Any, array: NDArray[Any]) -> np.dtype[Any]:
    """Return the dtype in which scikit-learn reads labels: float64 for pandas' own numbers."""
    dtype = getattr(values, "dtype", array.dtype)
    is_own = type(dtype).__module__.startswith("pandas") and not hasattr(dtype, "categories")
    return np.dtype(np.float64) if is_own else array.dtype


def _lines(
    counts: ClassCounts, names: list[Any], accuracy: float | None, zero_division: Any
) -> tuple[list[_Line], list[_Line]]:
    """Return the lines of the classes and those of the averages."""
    asked = reported(zero_division)
    scores = class_scores(counts, asked)
    support = counts.shown(counts.true)
    columns = [values.tolist() for values in (*scores, support)]
    classes = [
        _Line(name, of_class, n) for name, *of_class, n in zip(names, *columns, strict=False)
    ]
    if accuracy is None:
        means = {"micro avg": averaged_scores(counts, "micro", asked)}
    else:
        means = {"accuracy": [accuracy] * 3}
    for name, weights in (("macro avg", None), ("weighted avg", counts.true)):
        means[name] = [mean_defined(values, weights) for values in scores]
    if counts.indicators is not None:
        means["samples avg"] = averaged_scores(counts, "samples", asked)
    total = support.sum().item()
    averages = [_Line(name, values, total, name == "accuracy") for name, values in means.items()]
    return classes, averages


def _as_text(classes: list[_Line], averages: list[_Line], digits: int) -> str:
    names = [str(line.name) for line in classes]
    width = max(*map(len, names), len("weighted avg"), digits)
    head = " " * (width + 1) + "".join(f" {name:>{_CELL}}" for name in _COLUMNS)
    blocks = [
        "".join(_text_line(line, width, digits) for line in lines) for lines in (classes, averages)
    ]
    return "\n".join([head + "\n", *blocks])


def _text_line(line: _Line, width: int, digits: int) -> str:
    shown = [f"{score:>{_CELL}.{digits}f}" for score in line.scores]
    if line.is_accuracy:
        shown[:2] = [" " * _CELL] * 2
    cells = "".join(f" {cell}" for cell in shown)
    return f"{line.name!s:>{width}} {cells} {line.support:>{_CELL}}\n"
