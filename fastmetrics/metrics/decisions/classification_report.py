"""Confusion matrices as arrays, the classification report, and several count metrics at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.classes import ARGMAX, distinct, show_labels
from fastmetrics._input.containers import as_array, column_count
from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics._input.scores import as_given
from fastmetrics._results import Result
from fastmetrics.errors import (
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    by_name,
    warn_user,
)
from fastmetrics.metrics.asking import find_among
from fastmetrics.metrics.decisions._class_counts import (
    METRICS,
    TARGETS,
    ClassCounts,
    ScoreRequest,
    average_scores,
    check_alone,
    checked_flag,
    checked_labels,
    checked_zero_division,
    class_counts,
    class_scores,
    exact_sum,
    mean_defined,
    positions,
    proportion,
    ratio,
    row_counts,
    select_classes,
)
from fastmetrics.metrics.decisions._count_formulas import majority_accuracy, tally
from fastmetrics.metrics.decisions.count_metrics import (
    CLASSES,
    knows_positive,
    order_binary,
    prepare,
    strict_counts,
    warn_single_label,
)
from fastmetrics.tables.confusion._label_counts import Cells, label_counts, label_matrix
from fastmetrics.tables.confusion._matrix_state import check_distinct
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

_BINARY_DEFAULTS: Final = (
    *("accuracy", "balanced_accuracy", "precision", "recall", "specificity", "npv", "f1"),
    *("g_mean", "matthews_corrcoef", "cohen_kappa"),
)
_MULTICLASS_DEFAULTS: Final = (
    *("accuracy", "balanced_accuracy", "precision_macro", "recall_macro", "f1_macro"),
    *("f1_weighted", "macro_f1_harmonic", "g_mean", "matthews_corrcoef", "cohen_kappa"),
)


@dataclass(frozen=True, slots=True, repr=False)
class ClassificationMetrics(Result):
    """Count metrics of one classifier, with the matrix they follow from.

    ``result["f1"]`` is the value of a metric.

    Attributes
    ----------
    values : mapping of str to float
        Metric to value, in the order asked for; nan where it is undefined. Read-only.
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
        return by_name(self.values, name, "metrics")

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
        texts = {name: f"{value:.6g}" for name, value in self.values.items()}
        if "accuracy" in texts:  # always with that of the majority class
            texts["accuracy"] += f" (majority class {self.majority_accuracy:.6g})"
        return f"ClassificationMetrics({', '.join(f'{k}={v}' for k, v in texts.items())})"

    def _display(self) -> Display:
        columns = {"metric": tuple(self.values), "estimate": tuple(self.values.values())}
        matrix = self.matrix._display()
        tables = [Table(columns, words={"estimate": "value"})]
        tables += [replace(table, framed=False) for table in matrix.tables]
        note = f"Always the most frequent class: accuracy {self.majority_accuracy:.4g}."
        return Display(tables, type(self).__name__, [note, *matrix.notes])


@documented(CLASSES)
def classification_metrics(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    metrics: Iterable[str] | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    **parameters: Any,
) -> ClassificationMetrics:
    """Compute several metrics of predicted labels from one reading of the data.

    Parameters
    ----------
    metrics : iterable of str, optional
        Names of count metrics: "accuracy", "error_rate" (or "zero_one_loss"),
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
        Parameters of the metrics, each for all that have it: `zero_division` (0, 1 or nan),
        `beta`, `weights` (of kappa), `cost_matrix`, `cost_fn`, `cost_fp`.

    Returns
    -------
    ClassificationMetrics
        The values by name, the accuracy of the majority class and the matrix.

    Raises
    ------
    TypeError, ValueError
        If the data are not labels of one sort and of equal length, a metric or parameter has
        another name, or a metric of two classes meets others, or two of which neither is known to
        be positive.

    Warns
    -----
    UndefinedMetricWarning
        Once, with the names of the metrics that are undefined: they are nan.

    Notes
    -----
    One pass over the rows, whatever is asked: O(n), then O(K²) a metric. Each metric is in its
    strict form, 0/0 being nan.

    Examples
    --------
    >>> y_true, y_pred = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]
    >>> classification_metrics(y_true, y_pred, metrics=["accuracy", "f1", "npv"])
    ClassificationMetrics(accuracy=0.8 (majority class 0.6), f1=0.8, npv=1)
    >>> len(classification_metrics(y_true, y_pred).values)
    10
    """
    names = None if metrics is None else _checked_names(metrics)
    cells = strict_counts(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    known = labels is not None or isinstance(y_true, ConfusionMatrix)
    needs_positive = any(find_among(name, "decisions").classes == 2 for name in names or ())
    if pos_label is not None or (len(cells.labels) == 2 and needs_positive):
        cells = order_binary(cells, pos_label, known=known)
    if names is None:
        is_binary = knows_positive(cells, known=known or pos_label is not None)
        names = _BINARY_DEFAULTS if is_binary else _MULTICLASS_DEFAULTS
    entries = {name: find_among(name, "decisions") for name in names}
    for given in parameters:
        if not any(given in metric.parameters for metric in entries.values()):
            raise InputTypeError(
                f"none of the metrics {', '.join(map(repr, entries))} has a parameter {given!r}"
            )
    sums = tally(cells.counts.astype(np.float64))
    values = {}
    for name, metric in entries.items():
        options = {given: parameters[given] for given in parameters if given in metric.parameters}
        counts, formula, coefficients = prepare(name, cells.counts, options)
        values[name] = float(formula(sums if coefficients is None else tally(counts, coefficients)))
    majority = float(majority_accuracy(sums))
    undefined = [name for name, number in values.items() if math.isnan(number)]
    if math.isnan(majority):
        undefined.append("majority_accuracy")
    if undefined:
        warn_user(f"not defined on these data: {', '.join(undefined)}", UndefinedMetricWarning)
    matrix = ConfusionMatrix._from_cells(cells._replace(counts=cells.counts.copy()))
    return ClassificationMetrics(values, majority, matrix)


def _checked_names(metrics: Any) -> tuple[str, ...]:
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    if not names:
        raise InputError("`metrics` is empty: name at least one metric")
    for name in names:
        find_among(name, "decisions")
    return names


#: Up to here NumPy's division of integers rounds once.
_EXACT = 2**53


def confusion_matrix(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> NDArray[Any]:
    """Count the examples of each true class by predicted class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any kind; or a ConfusionMatrix alone.
    labels : array-like of shape (K,), optional
        The classes, in the order of rows and columns; rows of data with another label are left
        out. By default every label that occurs in either column, sorted.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative. Those of an integer dtype are counts, and stay exact.
    normalize : {"true", "pred", "all"} or None, default=None
        Divide each count by the sum of its row, of its column, or of the matrix; 0/0 is 0.

    Returns
    -------
    ndarray of shape (K, K)
        ``[i, j]`` examples of class i were taken for class j: int64, float64 for weights of a
        float dtype and for shares.

    Raises
    ------
    TypeError, ValueError
        If targets, weights or an option are wrong, a label comes twice, or none of `labels`
        occurs in `y_true`.

    Warns
    -----
    UserWarning
        If the matrix has one class only.

    Notes
    -----
    One pass over labels in O(n), whatever their order; memory 8 K². `ConfusionMatrix` is the same
    with names, and can be merged.

    Examples
    --------
    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2])
    array([[2, 0, 0],
           [0, 0, 1],
           [1, 0, 2]])
    >>> confusion_matrix(["a", "b", "b"], ["a", "a", "b"], labels=["b", "a"], normalize="true")
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    check_choice("normalize", normalize, ("true", "pred", "all", None))
    if isinstance(y_true, ConfusionMatrix):
        check_alone(y_pred, sample_weight)
        matrix = Cells.of(y_true)
    elif column_count(y_true) != 1 or column_count(y_pred) != 1:
        raise InputError(
            f"`y_true` and `y_pred` must be labels of shape (n,): {ARGMAX}; for "
            "multilabel-indicator targets there is multilabel_confusion_matrix"
        )
    else:
        matrix = label_matrix(y_true, y_pred, sample_weight=sample_weight)
    cells = matrix.counts.copy()
    if labels is not None:
        known = np.array(matrix.labels, dtype=object)
        selected = checked_labels(labels, known, "multiclass")
        check_distinct("labels", selected.tolist())
        where = positions(selected, known)
        occurs = where >= 0
        if not isinstance(y_true, ConfusionMatrix) and not cells[where[occurs]].any():
            names, margins, _ = label_counts(y_true, y_pred)  # even of weight 0
            occurs = np.append(margins.true, 0)[positions(selected, names)] > 0
        if not occurs.any():
            raise InputError(
                f"`labels`, {show_labels(selected)}, must name at least one label of `y_true`"
            )
        cells = np.pad(matrix.counts, (0, 1))[np.ix_(where, where)]  # -1 is the 0 at the end
    warn_single_label(cells)
    if normalize is None:
        return np.asarray(as_given(cells, matrix.exponent))
    if cells.dtype.kind != "f" and int(cells.sum()) > _EXACT:
        cells = cells.astype(object)
    axes: dict[str, int | tuple[int, int]] = {"true": 1, "pred": 0, "all": (0, 1)}
    sums = cells.sum(axis=axes[normalize], keepdims=True)
    return ratio(cells, np.broadcast_to(sums, cells.shape), 0.0)


@documented(TARGETS)
def multilabel_confusion_matrix(
    y_true: ArrayLike | ConfusionMatrix,
    y_pred: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    samplewise: bool = False,
) -> NDArray[Any]:
    """Count each class against the rest: one 2 x 2 matrix for each class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, k), or sparse matrix
        Labels of any kind, or multilabel indicator matrices, each column of which is a class; or a
        ConfusionMatrix alone.
    labels : array-like of shape (n_labels,), optional
        The classes (or numbers of columns), in this order; all by default, sorted.
    samplewise : bool, default=False
        One matrix for each row of an indicator matrix, over its columns.

    Returns
    -------
    ndarray of shape (n_labels, 2, 2) or (n, 2, 2)
        ``[[tn, fp], [fn, tp]]`` of each class, or row: int64, float64 with weights (except for
        rows whose weights are of an integer dtype).

    Notes
    -----
    One pass over labels in O(n), memory O(number of classes).

    Examples
    --------
    >>> multilabel_confusion_matrix(["a", "b", "b"], ["a", "a", "b"]).tolist()
    [[[1, 1], [0, 1]], [[1, 0], [1, 1]]]
    >>> multilabel_confusion_matrix([[1, 0], [1, 1]], [[1, 1], [0, 1]], samplewise=True).tolist()
    [[[0, 1], [0, 1]], [[0, 0], [1, 1]]]
    """
    samplewise = checked_flag("samplewise", samplewise)
    counts = class_counts(y_true, y_pred, sample_weight, by_column=not samplewise)
    if labels is not None:
        counts = select_classes(counts, labels)
    if samplewise:
        cells = _two_by_two(*row_counts(counts), len(counts.labels))
        weights = counts.weights
        if weights is None:
            return cells
        weighted: NDArray[Any] = cells * weights.values[:, np.newaxis, np.newaxis]
        if weights.is_integer:
            return weighted.astype(np.int64)
        return np.asarray(as_given(weighted, weights.exponent))
    margins = counts.hits, counts.true, counts.predicted
    return counts.to_reported(_two_by_two(*margins, counts.total))


def _two_by_two(
    hits: NDArray[Any], true: NDArray[Any], predicted: NDArray[Any], total: Any
) -> NDArray[Any]:
    cells = [(total - true) - (predicted - hits), predicted - hits, true - hits, hits]
    # Sums of weights are rounded: their differences may be slightly below 0.
    return np.asarray(np.maximum(np.stack(cells, axis=1), 0).reshape(len(hits), 2, 2))


_COLUMNS: Final = ("precision", "recall", "f1-score", "support")
_CELL: Final = 9


#: A row of the report: name, scores (three, or the accuracy alone) and support.
_ReportRow = tuple[Any, list[float], int | float]


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
    selected = counts if labels is None else select_classes(counts, labels)
    names = _names(target_names, selected, labels is not None)
    if target_names is None and labels is None and counts.indicators is None:
        names = _spell_labels(counts.labels, y_true, y_pred)
    accuracy = None
    if counts.indicators is None and set(counts.labels.tolist()) <= set(selected.labels.tolist()):
        accuracy = proportion(exact_sum(counts.hits), counts.total, "accuracy")
    classes, averages = _report_rows(selected, names, accuracy, zero_division)
    if output_dict:
        return {
            name: dict(zip(_COLUMNS, (*scores, float(support)), strict=True))
            if len(scores) > 1
            else scores[0]
            for name, scores, support in classes + averages
        }
    return _as_text(classes, averages, digits)


def _names(
    target_names: Iterable[Any] | None, counts: ClassCounts, labels_given: bool
) -> list[Any]:
    if target_names is None:
        return [str(label) for label in counts.labels.tolist()]
    if isinstance(target_names, str | bytes) or not isinstance(target_names, Iterable):
        raise InputTypeError(f"`target_names` must be a list of names: got {target_names!r}")
    names = list(target_names)
    n_labels = len(counts.labels)
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


def _spell_labels(labels: NDArray[Any], y_true: Any, y_pred: Any) -> list[str]:
    """Return numbers as scikit-learn spells them, 0 as '0', '0.0' or 'False'.

    Labels of ``y_true`` have its dtype. If ``y_pred`` has further ones, all have the common dtype.
    """
    if isinstance(y_true, ConfusionMatrix) or any(isinstance(each, str) for each in labels):
        return [str(label) for label in labels.tolist()]
    true = as_array(y_true, "y_true")
    dtype = _spelling_dtype(y_true, true)
    other = _spelling_dtype(y_pred, as_array(y_pred, "y_pred"))
    if dtype != other and not set(labels.tolist()) <= set(distinct(true.ravel()).tolist()):
        dtype = np.result_type(dtype, other)
    return [str(label) for label in labels.astype(dtype).tolist()]


def _spelling_dtype(values: Any, array: NDArray[Any]) -> np.dtype[Any]:
    """Return scikit-learn's dtype of labels: float64 for pandas' extension numbers."""
    dtype = getattr(values, "dtype", array.dtype)
    is_extension = type(dtype).__module__.startswith("pandas") and not hasattr(dtype, "categories")
    return np.dtype(np.float64) if is_extension else array.dtype


def _report_rows(
    counts: ClassCounts, names: list[Any], accuracy: float | None, zero_division: Any
) -> tuple[list[_ReportRow], list[_ReportRow]]:
    """Return the rows of the classes and those of the averages."""
    request = ScoreRequest(METRICS, 1.0, *checked_zero_division(zero_division), METRICS)
    scores = class_scores(counts, request)
    support = counts.to_reported(counts.true)
    columns = [values.tolist() for values in (*scores, support)]
    classes = [(name, row, n) for name, *row, n in zip(names, *columns, strict=False)]
    if accuracy is None:
        means = {"micro avg": average_scores(counts, "micro", request)}
    else:
        means = {"accuracy": [accuracy]}
    for name, weights in (("macro avg", None), ("weighted avg", counts.true)):
        means[name] = [mean_defined(values, weights) for values in scores]
    if counts.indicators is not None:
        means["samples avg"] = average_scores(counts, "samples", request)
    total = support.sum().item()
    return classes, [(name, scores, total) for name, scores in means.items()]


def _as_text(classes: list[_ReportRow], averages: list[_ReportRow], digits: int) -> str:
    width = max(*(len(str(name)) for name, _, _ in classes), len("weighted avg"), digits)
    blocks = [" " * (width + 1) + "".join(f" {name:>{_CELL}}" for name in _COLUMNS) + "\n"]
    for rows in (classes, averages):
        block = ""
        for name, scores, support in rows:
            cells = [" " * _CELL] * (3 - len(scores))
            cells += [f"{score:>{_CELL}.{digits}f}" for score in scores]
            block += f"{name!s:>{width}}  {' '.join(cells)} {support:>{_CELL}}\n"
        blocks.append(block)
    return "\n".join(blocks)
