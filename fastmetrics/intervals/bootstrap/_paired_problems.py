"""The problems of several models on the same rows, whose replicates share their draws."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import BinaryRows
from fastmetrics._input.scores import check_scores_array
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError
from fastmetrics.intervals._models import CheckedModels, NamedScores, check_models, renamed
from fastmetrics.intervals.bootstrap._metrics import Asked, CountMetric
from fastmetrics.intervals.bootstrap._positive_last import positive_last
from fastmetrics.intervals.bootstrap._problem import (
    Problem,
    _check_rows,
    _of_some_weight,
    columns_of,
    group_codes,
    is_binary,
    label_codes,
)
from fastmetrics.intervals.bootstrap._rows import rows_of_arrays
from fastmetrics.intervals.bootstrap._sample import Sample
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.scores.score_table import ScoreTable

Places = NDArray[np.int64]


def paired_problems(
    y_true: Any,
    models: list[NamedScores],
    asked: list[Asked],
    *,
    sample_weight: Any,
    pos_label: Any,
    groups: Any,
    threshold: Any,
) -> tuple[list[Problem], list[Places]]:
    """Return a problem for each model, and for each the place of its rows in the shared order.

    The shared order is the first model's: by score, label, weight, and the other models' scores,
    so that it depends on the rows alone.
    """
    counted = [one.label for one in asked if isinstance(one.metric, CountMetric)]
    if is_binary(asked, threshold) or (pos_label is not None and not counted):
        checked = check_models(
            y_true, models, sample_weight=sample_weight, pos_label=pos_label, groups=groups
        )
        return _binary(_repeated(checked), asked, threshold)
    if counted:
        if len(counted) < len(asked):
            raise InputError(
                "measures of counts take predicted labels and others scores: pass scores with "
                "`threshold`, or ask for them in two calls"
            )
        for model in models:
            _check_decisions(model, counted[0])
        return _predicted(y_true, models, sample_weight, pos_label, groups)
    return _numbers(y_true, models, asked, sample_weight, groups)


def _check_decisions(model: NamedScores, label: str) -> None:
    values = as_vector(model.values, model.argument)
    if values.dtype.kind == "f" and np.any(np.isfinite(values) & (np.rint(values) != values)):
        raise InputError(
            f"{label!r} counts decisions, and `{model.argument}` holds scores: pass `threshold`, "
            "or predicted labels"
        )


def _repeated(checked: CheckedModels) -> CheckedModels:
    """Return the rows with frequencies written out, unless they are of groups."""
    rows = checked.rows
    if rows.weights is None or not rows.integer_weights or checked.groups is not None:
        return checked
    times = rows.weights.astype(np.int64)
    _check_rows(int(times.sum()))
    labels, scores = np.repeat(rows.labels, times), np.repeat(rows.scores, times)
    rows = dataclasses.replace(rows, labels=labels, scores=scores, weights=None)
    columns = tuple(np.repeat(column, times) for column in checked.scores)
    return CheckedModels(checked.names, rows, columns, None)


def _binary(
    checked: CheckedModels, asked: list[Asked], threshold: Any
) -> tuple[list[Problem], list[Places]]:
    groups = checked.groups
    if groups is not None and groups.max() == 0:
        raise InputError("`groups` must name at least two groups whose rows have a weight: got one")
    problems, places = [], []
    keys: tuple[NDArray[Any], ...] = checked.scores[1:]
    shared: Places | None = None
    for model in range(len(checked.names)):
        rows: BinaryRows = checked.rows_of(model)
        sorted_rows, order = rows_of_arrays(rows, groups, *keys)
        if shared is None:
            shared = _inverse(order)
            keys = (-shared,)  # ties of the other models stand in the shared order: keys descend
        place = shared[order]
        if groups is not None:
            sorted_rows = sorted_rows.with_units(groups[order])
        elif model > 0:
            sorted_rows = sorted_rows.with_units(place)
        table = ScoreTable.from_rows(rows)
        labels = sorted_rows.labels
        sample = Sample(
            sorted_rows.n,
            weights=sorted_rows.weights,
            units=sorted_rows.units,
            rows=sorted_rows,
            cut=sorted_rows.called_positive(threshold),
            columns=columns_of(asked, labels, sorted_rows.scores),
            arguments=(labels, sorted_rows.scores),
        )
        matrix = None
        if threshold is not None:
            matrix = ConfusionMatrix.from_scores(table, threshold=threshold)
        n_units = sample.n if groups is None else int(groups.max()) + 1
        weights, n_rows = sorted_rows.weights, sample.n
        if rows.integer_weights:
            weights, n_rows = None, int(table.n_positive + table.n_negative)
        problems.append(
            Problem(n_rows, table, matrix, sample, n_units, None, sample.columns, weights)
        )
        places.append(place)
    return problems, places


def _predicted(
    y_true: Any, models: list[NamedScores], sample_weight: Any, pos_label: Any, groups: Any
) -> tuple[list[Problem], list[Places]]:
    matrices = _matrices(y_true, models, sample_weight, pos_label)
    labels = matrices[0].labels
    k = len(labels)
    true = label_codes(y_true, labels)
    cells = [true * k + label_codes(model.values, labels) for model in models]
    n = len(true)
    codes = group_codes(groups, n)
    values, codes, taken = _taken(sample_weight, codes, n)
    if taken is not None:
        cells = [cell[taken] for cell in cells]
    n = len(cells[0])
    keys = [key for key in (codes, values) if key is not None]
    inverse = _inverse(np.lexsort([*keys, *reversed(cells)]))
    problems, places = [], []
    for matrix, cell in zip(matrices, cells, strict=True):
        order = np.lexsort([inverse, *keys, cell])  # ties in the shared order
        sample = Sample(
            n,
            weights=None if values is None else values[order],
            units=inverse[order] if codes is None else codes[order],
            starts=np.searchsorted(cell[order], np.arange(k * k)).astype(np.int64),
        )
        n_units = n if codes is None else int(codes.max()) + 1
        fractional = values if matrix.is_weighted else None
        n_rows = n if matrix.is_weighted else int(matrix.n)
        problems.append(Problem(n_rows, None, matrix, sample, n_units, weights=fractional))
        places.append(inverse[order])
    return problems, places


def _matrices(
    y_true: Any, models: list[NamedScores], sample_weight: Any, pos_label: Any
) -> list[ConfusionMatrix]:
    """Return the matrix of each model, all of the same labels in the same order."""

    def counted(labels: Any) -> list[ConfusionMatrix]:
        matrices = []
        for model in models:
            with renamed(y_pred=model.argument):
                matrix = ConfusionMatrix.from_labels(
                    y_true, model.values, labels=labels, sample_weight=sample_weight
                )
                matrices.append(matrix)
        return matrices

    matrices = counted(None)
    matrices = counted(sorted({label for matrix in matrices for label in matrix.labels}))
    if pos_label is None:
        return matrices
    return [positive_last(matrix, pos_label) for matrix in matrices]


def _taken(
    sample_weight: Any, codes: NDArray[np.int64] | None, n: int
) -> tuple[NDArray[Any] | None, NDArray[np.int64] | None, Places | None]:
    """Return weights, groups, and which rows are taken how often; None for each once.

    A frequency is so many rows; of groups, rows of frequency 0 are left out.
    """
    if sample_weight is None:
        return None, codes, None
    weights = check_weights(sample_weight, n)
    if not weights.is_integer:
        return weights.values, codes, None
    times = weights.values.astype(np.int64)
    if codes is None:
        _check_rows(int(times.sum()))
        return None, None, np.repeat(np.arange(n), times)
    kept, codes = _of_some_weight(times, codes)
    return times[kept], codes, np.flatnonzero(kept)


def _numbers(
    y_true: Any,
    models: list[NamedScores],
    asked: list[Asked],
    sample_weight: Any,
    groups: Any,
) -> tuple[list[Problem], list[Places]]:
    y = check_scores_array(y_true, "y_true").astype(np.float64)
    scores = []
    for model in models:
        column = check_scores_array(model.values, model.argument).astype(np.float64)
        if len(column) != len(y):
            raise InputError(
                f"lengths differ: `y_true` has {len(y):,} rows, `{model.argument}` has "
                f"{len(column):,} rows"
            )
        scores.append(column)
    codes = group_codes(groups, len(y))
    values, codes, taken = _taken(sample_weight, codes, len(y))
    if taken is not None:
        y, scores = y[taken], [column[taken] for column in scores]
    n_rows, is_fractional = len(y), values is not None and values.dtype.kind == "f"
    if values is not None and not is_fractional:
        n_rows = int(values.sum())
    keys = [key for key in (codes, values) if key is not None]
    order = np.lexsort([*keys, *reversed(scores), y])
    n_units = len(y) if codes is None else int(codes.max()) + 1
    problems = []
    for column in scores:
        sample = Sample(
            len(y),
            weights=None if values is None else values[order],
            units=None if codes is None else codes[order],
            columns=columns_of(asked, y[order], column[order]),
            arguments=(y[order], column[order]),
        )
        fractional = sample.weights if is_fractional else None
        columns = sample.columns
        problems.append(Problem(n_rows, None, None, sample, n_units, None, columns, fractional))
    return problems, [np.arange(len(y))] * len(scores)


def _inverse(order: Places) -> Places:
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.arange(len(order))
    return inverse
