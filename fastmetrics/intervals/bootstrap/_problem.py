"""A bootstrap problem: the user's data in the form that the engine resamples.

There are four forms. *Binary* rows have labels and scores; without groups and fractional weights
their table is enough. *Cells* are a confusion matrix, whose cells are resampled whatever the number
of rows. *Coded* rows have a true and a predicted class, where the cells alone are not enough.
*Real* rows have targets and predictions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import check_same_length
from fastmetrics._input.scores import check_scores_array
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.intervals._models import renamed
from fastmetrics.intervals.bootstrap._metrics import Asked, CountMetric, UserMetric
from fastmetrics.intervals.bootstrap._positive_last import positive_last
from fastmetrics.intervals.bootstrap._rows import rows_of_arrays, rows_of_table
from fastmetrics.intervals.bootstrap._sample import Sample
from fastmetrics.intervals.bootstrap._sum_metrics import SumMetric
from fastmetrics.intervals.bootstrap._threshold_metrics import ThresholdMetric
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.scores._threshold import is_called_positive, real_threshold
from fastmetrics.tables.scores.score_table import ScoreTable

Codes = NDArray[np.int64]

#: A table with this many rows to a cell is resampled by cells: drawing a binomial number costs as
#: much as drawing so many rows.
ROWS_OF_A_CELL = 200
#: More rows are not written out one by one.
MAX_ROWS = 1 << 31


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """One model's data.

    Attributes
    ----------
    n_rows : int
        Examples.
    table : ScoreTable or None
        The binary rows' distinct scores.
    matrix : ConfusionMatrix or None
        For count measures.
    sample : Sample or None
        The rows; None where cells are resampled.
    n_units : int
        Units that are drawn: rows or groups.
    cut : int or None
        Distinct scores called positive.
    columns : ndarray (n_columns, n_cells) or None
        Columns of the sums: of each row, or of each score's positives, then negatives.
    weights : ndarray or None
        Fractional weights of the rows, in any order.
    """

    n_rows: int
    table: ScoreTable | None = None
    matrix: ConfusionMatrix | None = None
    sample: Sample | None = None
    n_units: int = 0
    cut: int | None = None
    columns: NDArray[np.float64] | None = None
    weights: NDArray[np.float64] | None = None

    @property
    def is_grouped(self) -> bool:
        """Whether groups are drawn, not rows."""
        sample = self.sample
        return sample is not None and sample.units is not None and self.n_units != sample.n


def is_binary(asked: list[Asked], threshold: Any) -> bool:
    """Return whether the measures need labels of two classes with scores."""
    return threshold is not None or any(
        isinstance(one.metric, ThresholdMetric)
        or (isinstance(one.metric, SumMetric) and one.metric.is_probability)
        for one in asked
    )


def by_sums(asked: list[Asked]) -> bool:
    """Return whether a measure needs sums of columns."""
    return any(isinstance(one.metric, SumMetric) for one in asked)


def by_function(asked: list[Asked]) -> bool:
    """Return whether a measure is a function of the user's."""
    return any(isinstance(one.metric, UserMetric) for one in asked)


def columns_of(
    asked: list[Asked], targets: NDArray[Any], predictions: NDArray[Any] | None
) -> NDArray[np.float64] | None:
    """Return the columns of all sum measures, one below the other."""
    sums = [one for one in asked if isinstance(one.metric, SumMetric)]
    if not sums:
        return None
    y = np.asarray(targets, np.float64)
    p = np.zeros(0) if predictions is None else np.asarray(predictions, np.float64)
    columns: list[NDArray[np.float64]] = []
    for one in sums:
        metric = one.metric
        if isinstance(metric, SumMetric):
            if metric.is_probability and not (p.min() >= 0 and p.max() <= 1):
                raise InputError(
                    f"`y_score` must hold probabilities in [0, 1] for {one.label!r}: got values "
                    f"from {p.min():g} to {p.max():g}"
                )
            if metric.needs_prediction and predictions is None:
                raise InputError(f"`y_score` is needed for {one.label!r}: got None")
            columns.extend(metric.columns(y, p))
    return np.ascontiguousarray(columns, np.float64)


def group_codes(groups: Any, n: int) -> NDArray[np.int64] | None:
    """Return the number of each row's group, groups being sorted."""
    if groups is None:
        return None
    codes = check_class_labels(groups, "groups")
    check_same_length(y_true=range(n), groups=codes.codes)
    if len(codes.classes) < 2:
        raise InputError("`groups` must name at least two groups: got one, of which all rows are")
    return codes.codes


def _check_rows(n: int) -> None:
    """Raise if so many rows cannot be written out, before the memory is asked for."""
    if n > MAX_ROWS:
        raise MemoryError(
            f"{n:,} rows would be resampled one by one, which takes {3 * n / 1e9:,.0f} GB or more: "
            f"they can be resampled by cells where a score has {ROWS_OF_A_CELL} rows, round the "
            "scores; but not for functions of your own, groups or resampling='bayesian'"
        )


def of_table(table: ScoreTable, asked: list[Asked], threshold: Any, *, by_rows: bool) -> Problem:
    """Return the problem of a table of counts, resampled by rows or by cells."""
    if table.is_weighted:
        raise InputTypeError(
            "a ScoreTable of fractional weights cannot be resampled, as it does not tell how many "
            "rows a weight is: pass `y_true`, `y_score` and `sample_weight`"
        )
    n_rows = int(table.n_positive) + int(table.n_negative)
    if n_rows == 0:
        raise InputError("`y_true` must hold at least one example: got an empty table")
    cut = cut_at(table.scores, threshold)
    matrix = None
    if threshold is not None:
        matrix = ConfusionMatrix.from_scores(table, threshold=threshold)
    n_cells = np.count_nonzero(table.positives) + np.count_nonzero(table.negatives)
    if n_rows <= ROWS_OF_A_CELL * n_cells or by_rows:
        _check_rows(n_rows)
    else:
        labels = np.repeat((1.0, 0.0), len(table))
        columns = columns_of(asked, labels, np.tile(table.scores, 2))
        return Problem(n_rows, table, matrix, None, n_rows, cut, columns)
    rows = rows_of_table(table)
    sample = Sample(
        n_rows,
        rows=rows,
        cut=rows.called_positive(threshold),
        columns=columns_of(asked, rows.labels, rows.scores) if by_sums(asked) else None,
        arguments=(rows.labels, rows.scores) if by_function(asked) else (),
    )
    return Problem(n_rows, table, matrix, sample, n_rows, cut, sample.columns)


def of_binary_rows(
    rows: BinaryRows,
    asked: list[Asked],
    threshold: Any,
    *,
    groups: NDArray[np.int64] | None,
    by_rows: bool,
    n_threads: int | None,
) -> Problem:
    """Return the problem of labels and scores; their table, where that is enough."""
    table = ScoreTable.from_rows(rows, n_threads=n_threads)
    if groups is None and (rows.weights is None or rows.integer_weights):
        return of_table(table, asked, threshold, by_rows=by_rows)
    checked = rows.recheck()
    if groups is not None and rows.integer_weights:
        kept, groups = _of_some_weight(rows.weights, groups)
        checked = replace(
            checked,
            labels=checked.labels[kept],
            scores=checked.scores[kept],
            weights=None if checked.weights is None else checked.weights[kept],
        )
    sorted_rows, order = rows_of_arrays(checked, groups)
    if groups is not None:
        sorted_rows = sorted_rows.with_units(groups[order])
    sample = Sample(
        sorted_rows.n,
        weights=sorted_rows.weights,
        units=sorted_rows.units,
        rows=sorted_rows,
        cut=sorted_rows.called_positive(threshold),
        columns=columns_of(asked, sorted_rows.labels, sorted_rows.scores),
        arguments=(sorted_rows.labels, sorted_rows.scores),
    )
    matrix = None
    if threshold is not None:
        matrix = ConfusionMatrix.from_scores(table, threshold=threshold)
    n_units = sorted_rows.n if groups is None else int(groups.max()) + 1
    weights = None if rows.integer_weights else sorted_rows.weights
    n_rows = int(table.n_positive + table.n_negative) if rows.integer_weights else sample.n
    return Problem(n_rows, table, matrix, sample, n_units, None, sample.columns, weights)


def _of_some_weight(weights: Any, groups: Codes) -> tuple[NDArray[np.bool_], Codes]:
    """Return which rows have a frequency above 0, and their groups, which are numbered anew."""
    kept = np.asarray(weights > 0)
    names, codes = np.unique(groups[kept], return_inverse=True)
    if len(names) < 2:
        raise InputError("`groups` must name at least two groups whose rows have a weight: got one")
    return kept, codes


def of_matrix(matrix: ConfusionMatrix) -> Problem:
    """Return the problem of a confusion matrix of counts."""
    if matrix.is_sparse:
        raise InputTypeError(
            "a sparse ConfusionMatrix cannot be resampled: make it without `sparse`"
        )
    if matrix.is_weighted:
        raise InputTypeError(
            "a ConfusionMatrix of fractional weights cannot be resampled, as it does not tell how "
            "many rows a weight is: pass `y_true`, `y_score` and `sample_weight`"
        )
    if matrix.n == 0:
        raise InputError("`y_true` must hold at least one example: got an empty matrix")
    return Problem(int(matrix.n), matrix=matrix, n_units=int(matrix.n))


def of_predictions(
    y_true: Any, y_pred: Any, sample_weight: Any, pos_label: Any, *, groups: Codes | None
) -> Problem:
    """Return the problem of true and predicted classes."""
    with renamed(y_pred="y_score"):
        matrix = ConfusionMatrix.from_labels(y_true, y_pred, sample_weight=sample_weight)
    if pos_label is not None:
        matrix = positive_last(matrix, pos_label)
    if groups is None and not matrix.is_weighted:
        return of_matrix(matrix)
    k = len(matrix.labels)
    true, predicted = (label_codes(y, matrix.labels) for y in (y_true, y_pred))
    cells = true * k + predicted
    weights = None
    if sample_weight is not None:
        weights = check_weights(sample_weight, len(cells)).values
        if groups is not None and not matrix.is_weighted:
            kept, groups = _of_some_weight(weights, groups)
            cells, weights = cells[kept], weights[kept]
    keys = [key for key in (groups, weights) if key is not None]
    order = np.lexsort([*keys, cells])
    starts = np.searchsorted(cells[order], np.arange(k * k)).astype(np.int64)
    sample = Sample(
        len(cells),
        weights=None if weights is None else weights[order],
        units=None if groups is None else groups[order],
        starts=starts,
    )
    n_units = len(cells) if groups is None else int(groups.max()) + 1
    fractional = weights if matrix.is_weighted else None
    n_rows = len(cells) if matrix.is_weighted else int(matrix.n)
    return Problem(n_rows, None, matrix, sample, n_units, weights=fractional)


def of_numbers(
    y_true: Any, y_score: Any, sample_weight: Any, asked: list[Asked], groups: Any
) -> Problem:
    """Return the problem of real targets and predictions."""
    y = check_scores_array(y_true, "y_true").astype(np.float64)
    p = None if y_score is None else check_scores_array(y_score, "y_score").astype(np.float64)
    n = check_same_length(y_true=y, y_score=p)
    weights, fractional = None, False
    if sample_weight is not None:
        checked = check_weights(sample_weight, n)
        weights, fractional = checked.values, not checked.is_integer
    codes = group_codes(groups, n)
    n_rows = n if weights is None or fractional else int(weights.sum())
    if weights is not None and not fractional and codes is not None:
        kept, codes = _of_some_weight(weights, codes)
        y, p = y[kept], None if p is None else p[kept]
        weights, n = weights[kept].astype(np.int64), len(y)
    elif weights is not None and not fractional:
        _check_rows(n_rows)
        repeats = weights.astype(np.int64)  # frequencies: a row of weight 3 is three rows
        y = np.repeat(y, repeats)
        p = None if p is None else np.repeat(p, repeats)
        weights, n = None, len(y)
    order = np.lexsort([key for key in (codes, weights, p, y) if key is not None])
    y, p = y[order], None if p is None else p[order]
    sample = Sample(
        n,
        weights=None if weights is None else weights[order],
        units=None if codes is None else codes[order],
        columns=columns_of(asked, y, p),
        arguments=(y,) if p is None else (y, p),
    )
    n_units = n if codes is None else int(codes.max()) + 1
    of_rows = sample.weights if fractional else None
    return Problem(n_rows, None, None, sample, n_units, None, sample.columns, of_rows)


def prepared(
    y_true: Any,
    y_score: Any,
    asked: list[Asked],
    *,
    sample_weight: Any,
    pos_label: Any,
    groups: Any,
    threshold: Any,
    by_rows: bool,
    n_threads: int | None,
) -> Problem:
    """Return the problem that the data and the measures make."""
    if isinstance(y_true, ScoreTable | ConfusionMatrix):
        kind = type(y_true).__name__
        given = {"y_score": y_score, "sample_weight": sample_weight, "pos_label": pos_label}
        if isinstance(y_true, ConfusionMatrix):
            given["threshold"] = threshold
        if any(value is not None for value in given.values()):
            raise InputTypeError(f"a {kind} comes alone: pass no {', '.join(given)} with it")
        if groups is not None:
            raise InputTypeError(f"groups need rows: a {kind} does not tell which row is whose")
        if isinstance(y_true, ScoreTable):
            return of_table(y_true, asked, threshold, by_rows=by_rows)
        for one in asked:
            if not isinstance(one.metric, CountMetric):
                raise InputTypeError(
                    f"{one.label!r} does not follow from a ConfusionMatrix: pass rows"
                )
        return of_matrix(y_true)
    counted = [one.label for one in asked if isinstance(one.metric, CountMetric)]
    named = pos_label is not None and not counted  # labels of two classes, whatever is measured
    if is_binary(asked, threshold) or named:
        if y_score is None and named:
            raise InputTypeError("`pos_label` is for labels with scores: got no `y_score`")
        rows = check_binary(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
        codes = group_codes(groups, len(rows.scores))
        return of_binary_rows(
            rows, asked, threshold, groups=codes, by_rows=by_rows, n_threads=n_threads
        )
    if not counted:
        return of_numbers(y_true, y_score, sample_weight, asked, groups)
    others = [one.label for one in asked if one.label not in counted]
    if others:
        raise InputError(
            f"{counted[0]!r} takes predicted labels and {others[0]!r} scores: pass scores with "
            "`threshold`, or ask for them in two calls"
        )
    if y_score is None:
        raise InputTypeError(f"`y_score` must be given for {counted[0]!r}: got None")
    predicted = as_vector(y_score, "y_score")
    if predicted.dtype.kind == "f":
        fractions = np.isfinite(predicted) & (np.rint(predicted) != predicted)
        if fractions.any():
            raise InputError(
                f"{counted[0]!r} counts decisions, and `y_score` holds scores: pass `threshold`, "
                "or predicted labels"
            )
    codes = group_codes(groups, len(check_class_labels(y_true, "y_true").codes))
    return of_predictions(y_true, y_score, sample_weight, pos_label, groups=codes)


def label_codes(labels: Any, classes: Any) -> NDArray[np.int64]:
    """Return the place of each label among the classes; 0 for one of no weight."""
    found = check_class_labels(labels, "labels")
    names = [label.item() if isinstance(label, np.generic) else label for label in found.classes]
    place = {label: k for k, label in enumerate(classes)}
    places = [place.get(name, 0) for name in names]
    return np.asarray(places, np.int64)[found.codes]


def cut_at(scores: NDArray[Any], threshold: Any) -> int | None:
    """Return how many scores are at or above the threshold; None without one."""
    if threshold is None:
        return None
    return int(np.count_nonzero(is_called_positive(scores, real_threshold(threshold))))
