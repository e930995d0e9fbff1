"""Measures by the state that they follow from: what a partition becomes, what the sum is worth."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np
from dask.delayed import Delayed

from fastmetrics._input.classes import check_label_values, distinct, text_or_numbers
from fastmetrics._input.containers import as_array, as_vector
from fastmetrics._input.regression_targets import check_regression
from fastmetrics._input.rows import BinaryRows, check_same_index
from fastmetrics._input.scalars import check_same_length
from fastmetrics.dask._partitions import computed, over, summed
from fastmetrics.dask._ranges import Ranges
from fastmetrics.dask._scored import Seen, sum_of, union, weighs_nothing
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.measures.asking import Asked
from fastmetrics.measures.decisions.count_measures import positive_last
from fastmetrics.measures.probabilities._loss_sums import LOG, SQUARE, LossSums, ProbabilityRows
from fastmetrics.measures.probabilities.log_loss import skill_of_logs, skill_of_squares
from fastmetrics.measures.regression.regression_measures import Data, planned
from fastmetrics.tables.confusion._label_counts import Cells
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.regression import RegressionTable, Terms
from fastmetrics.tables.score_table import is_called_positive, real_threshold

Values = dict[str, float]
_COUNTS: Final = 8192


def n_rows_of(columns: tuple[Any, ...], *names: str) -> int:
    """Return how many rows a partition has, whose columns must be as long as one another."""
    given = {
        name: column for name, column in zip(names, columns, strict=True) if column is not None
    }
    check_same_index(**given)
    return check_same_length(**{name: as_array(column, name) for name, column in given.items()})


def _sum(
    parts: Sequence[Delayed], task: Callable[..., Any], *more: Any, add: Any = operator.add
) -> Any:
    """Return the sum of states, or raise where there is no row, or none that weighs anything."""
    total = computed(summed(over(parts, task, *more), add))
    if total is None:
        n = sum(computed(over(parts, _n_rows)))
        as_vector(np.empty(n), "y_true")  # which says that there must be a row
        raise InputError(f"`sample_weight` must not be all zero: {n:,} rows, no positive weight")
    return total


def _n_rows(columns: tuple[Any, ...]) -> int:
    return len(as_array(columns[0], "y_true"))


# --- predicted numbers ---------------------------------------------------------------------------


def of_values(parts: Sequence[Delayed], asked: Sequence[Asked]) -> Values:
    """Return measures of predicted numbers, from sums over one pass."""
    plans = {one.label: planned(one) for one in asked}
    terms = reduce(operator.or_, (each.terms for each in plans.values()))
    table = _sum(parts, _regression_table, terms)
    data = Data(table, None, "uniform_average")
    try:
        return {label: float(each.value(data)) for label, each in plans.items()}
    except InputTypeError as error:  # a median, or a quantile
        what = str(error).partition(":")[0]
        raise InputTypeError(f"{what}: take the function of `fastmetrics`, in memory") from error


def _regression_table(columns: tuple[Any, ...], terms: Terms) -> RegressionTable | None:
    if not _rows_that_weigh(columns, "y_pred"):
        return None
    return RegressionTable.from_rows(check_regression(*columns), terms)


def _rows_that_weigh(columns: tuple[Any, ...], second: str) -> int:
    """Return how many rows a partition has; 0 where all weights are zero."""
    n = n_rows_of(columns, "y_true", second, "sample_weight")
    return 0 if weighs_nothing(columns[2], n) else n


# --- predicted labels ----------------------------------------------------------------------------


def of_labels(
    parts: Sequence[Delayed], asked: Sequence[Asked], pos_label: Any, threshold: Any
) -> Values:
    """Return measures of decisions, from the cells of a confusion matrix."""
    matrix = matrix_of(parts, pos_label, threshold)
    if len(matrix.labels) == 2:  # the last is the positive one, whatever the two are called
        matrix = ConfusionMatrix.from_counts(matrix.counts)
    return {one.label: float(_measure(one).value(matrix, **one.parameters)) for one in asked}


def matrix_of(parts: Sequence[Delayed], pos_label: Any, threshold: Any) -> ConfusionMatrix:
    """Return the matrix of predicted labels, or of the decision score >= threshold."""
    if threshold is not None:
        cut = real_threshold(threshold)
        decided: ConfusionMatrix = sum_of(parts, _decided, cut, pos_label=pos_label)
        return decided
    matrix: ConfusionMatrix = _sum(parts, _confusion)
    if pos_label is None:
        return matrix
    found = positive_last(Cells.of(matrix), pos_label, known=False)
    return ConfusionMatrix._of_cells(found._replace(counts=found.counts.copy()))


def matrix_of_second(parts: Sequence[Delayed], pos_label: Any, threshold: Any) -> ConfusionMatrix:
    """Return the matrix of a column that is called `y_score`, whichever it holds."""
    try:
        return matrix_of(parts, pos_label, threshold)
    except InputError as error:
        if threshold is not None or error.parameter != "y_pred":
            raise
        text = error.renamed({"y_pred": "y_score"})
        raise type(error)(f"{text}; scores need `threshold`") from error


def _confusion(columns: tuple[Any, ...]) -> ConfusionMatrix | None:
    columns = (*columns, None)[:3]
    if not _rows_that_weigh(columns, "y_pred"):
        return None
    matrix = ConfusionMatrix()
    matrix.update(*columns)
    return matrix


def _decided(rows: BinaryRows, threshold: Any) -> ConfusionMatrix:
    called = is_called_positive(rows.scores, threshold).view(np.int8)
    return ConfusionMatrix.from_labels(
        rows.labels, called, labels=[0, 1], sample_weight=rows.typed_weights()
    )


# --- probabilities -------------------------------------------------------------------------------


def of_probabilities(
    parts: Sequence[Delayed], asked: Sequence[Asked], labels: Any, pos_label: Any
) -> Values:
    """Return log loss, Brier score and their skills: a look at labels, then a pass of sums."""
    unknown = [one.label for one in asked if one.name not in _OF_LOSSES]
    if unknown:
        raise InputError(
            f"`metrics` names {unknown[0]!r}, which has no sums over partitions: of probabilities "
            f"there are {', '.join(map(repr, _OF_LOSSES))}"
        )
    seen: list[Seen] = computed(over(parts, _kinds))
    classes = union(seen)
    kinds = [each.state for each in seen if each.state is not None]
    columns = {n_columns for _, n_columns in kinds}
    if len(columns) > 1:
        raise InputError(f"`y_proba` has {min(columns)} columns here and {max(columns)} there")
    dtype = np.result_type(*(own for own, _ in kinds))
    k = columns.pop()
    values: Values = {}
    for kind in {_OF_LOSSES[one.name][0] for one in asked}:
        judge = np.full(len(classes) if k == 1 else (len(classes), k), 1.0 / k, dtype)
        rows = ProbabilityRows(classes, judge, None)
        positive = None
        if k > 1:
            rows.sums_by_labels(kind, labels)
        elif kind == SQUARE:
            rows.check_named(labels)
            positive = rows._positive(pos_label)[1]
        else:
            rows.sums_by_labels(kind, labels)
            positive = (classes if labels is None else np.sort(as_array(labels, "labels")))[1]
        known = (classes if labels is None else labels) if k > 1 else [0, 1]
        eps = rows.eps if kind == LOG else 0.0
        sums = _sum(parts, _losses, kind, positive, known, eps, add=_added)
        for one in asked:
            if _OF_LOSSES[one.name][0] == kind:
                values[one.label] = _OF_LOSSES[one.name][1](sums, k)
    return {one.label: values[one.label] for one in asked}


#: The losses that a measure is a sum of, and what it makes of them and the number of columns.
_OF_LOSSES: Final[dict[str, tuple[int, Any]]] = {
    "log_loss": (LOG, lambda sums, _: sums.mean),
    "brier_score": (SQUARE, lambda sums, k: sums.mean * (0.5 if k == 2 else 1.0)),
    "d2_log_loss_score": (LOG, lambda sums, _: skill_of_logs(sums)),
    "d2_brier_score": (SQUARE, lambda sums, k: skill_of_squares(sums, is_one_column=k == 1)),
}


def _kinds(columns: tuple[Any, ...]) -> Seen:
    """Return the labels of a partition; the dtype of its probabilities, and their columns."""
    if n_rows_of(columns, "y_true", "y_proba", "sample_weight") == 0:
        return Seen(np.empty(0), 0, None)
    labels = as_array(columns[0], "y_true")
    if labels.ndim != 1:
        raise InputError(f"`y_true` must be labels of shape (n,): got {labels.shape}")
    labels = text_or_numbers(labels, "y_true")
    check_label_values(labels, "y_true")
    scores = as_array(columns[1], "y_proba")
    dtype = scores.dtype if scores.dtype.kind == "f" else np.dtype(np.float64)
    n_columns = 1 if scores.ndim == 1 else scores.shape[1]
    return Seen(distinct(labels)[:_COUNTS], len(labels), (dtype, n_columns))


def _losses(
    columns: tuple[Any, ...], kind: int, positive: Any, labels: Any, eps: float
) -> LossSums | None:
    y_true, y_proba, sample_weight = columns
    if not _rows_that_weigh(columns, "y_proba"):
        return None
    is_one_column = as_array(y_proba, "y_proba").ndim == 1
    if is_one_column:
        y_true = (as_array(y_true, "y_true") == positive).astype(np.int8)
    rows = ProbabilityRows(y_true, y_proba, sample_weight)
    if is_one_column and kind == SQUARE:
        return rows.sums_by_pos_label(kind, 1)
    return rows.sums_by_labels(kind, labels, eps)


def _added(one: LossSums, other: LossSums) -> LossSums:
    if one.exponent != other.exponent:
        raise InputError(
            "`sample_weight` spans too wide a range: scale the weights of all partitions alike"
        )
    mine, theirs = one._asdict(), other._asdict()
    return LossSums(**{name: mine[name] + theirs[name] for name in mine})._replace(
        exponent=one.exponent
    )


# --- scores --------------------------------------------------------------------------------------


def of_scores(parts: Sequence[Delayed], asked: Sequence[Asked], **options: Any) -> Values:
    """Return AUC and rank loss, from pairs; what else there is of scores, `evaluate` has."""
    for one in asked:
        if one.name not in ("roc_auc", "rank_loss") or one.parameters.get("max_fpr") is not None:
            raise InputError(
                f"`metrics` names {one.label!r}, which needs all scores in order: take the number "
                "of this name of `fastmetrics.dask.evaluate`, or the function of `fastmetrics` of "
                "`fastmetrics.dask.score_table(...)`"
            )
    counts = Ranges(parts, **options).pairs()
    found = {"roc_auc": float(counts.auc), "rank_loss": float(counts.rank_loss)}
    return {one.label: found[one.name] for one in asked}


def _measure(one: Asked) -> Any:
    if one.measure is None or one.is_only_function:
        raise InputTypeError(
            f"`metrics` must name measures: got the function {one.label!r}, which sees partitions "
            "only"
        )
    return one.measure


def family_of(one: Asked) -> str:
    """Return the family of a measure that partitions can be asked for, or raise."""
    family: str = _measure(one).family
    if family not in ("regression", "decisions", "probabilities", "curves", "ranking"):
        raise InputError(
            f"`metrics` names {one.label!r}, of {family}: take the function of `fastmetrics` of "
            "`fastmetrics.dask.score_table(...)`, where it takes a table"
        )
    return family
