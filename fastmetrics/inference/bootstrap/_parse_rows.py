"""Rows without scores of two classes: true and predicted classes, or targets with predictions.

Here is too what the parsing of rows with scores shares with them: groups, weights, columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_groups
from fastmetrics._input.containers import as_vector
from fastmetrics._input.label_columns import LabelColumn, check_label_column, of_one_kind
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import WeightsAre, check_same_length
from fastmetrics._input.scores import check_scores_array
from fastmetrics._input.weights import Weights, check_weights
from fastmetrics.errors import InputError
from fastmetrics.inference.bootstrap._cell_forms import CodedRows, MatrixCells
from fastmetrics.inference.bootstrap._forms import Floats, Form, Rows
from fastmetrics.inference.bootstrap._orders import Places, inverse_of, order_of
from fastmetrics.inference.bootstrap._plans import Planned
from fastmetrics.inference.bootstrap._rows import Codes, check_rows, of_some_weight
from fastmetrics.inference.bootstrap._sums import SumPlan
from fastmetrics.measures.decisions._matrix_input import positive_last
from fastmetrics.tables.confusion._label_counts import completed, count_columns, seen_cells

#: `sample_weight` and `weights_are`, as the user gave them.
GivenWeights = tuple[Any, WeightsAre | None]


class Parsed(NamedTuple):
    """A form for each model, and for each the place of its rows in the order that all share.

    The shared order is that of the first model's rows, then of the other models' scores: it
    depends on the rows alone, not on where they stood.
    """

    forms: list[Form]
    places: list[Places]


def predicted_classes(
    y_true: Any,
    models: list[NamedScores],
    asked: Sequence[Planned],
    weights: GivenWeights,
    pos_label: Any,
    groups: Any,
) -> Parsed:
    """Return true classes with those that each model predicts."""
    decided = [_decisions(model, asked[0].label) for model in models]
    true = check_label_column(y_true, "y_true")
    n = len(true.values)
    pairs = [of_one_kind(true, column) for column in decided]
    codes = None if groups is None else check_groups(groups, n)
    checked = _checked(weights, n)
    is_fractional = checked is not None and not checked.is_integer
    counted = [count_columns(pair, checked) for pair in pairs]
    matrices = [
        completed(seen_cells(cells, pair.label_type))
        for cells, pair in zip(counted, pairs, strict=True)
    ]
    if len(models) > 1:
        labels = tuple(sorted({label for matrix in matrices for label in matrix.labels}))
        matrices = [matrix.arranged(labels) for matrix in matrices]
    if pos_label is not None:
        matrices = [positive_last(matrix, pos_label, known=False) for matrix in matrices]
    if len(models) == 1 and codes is None and not is_fractional:
        n = int(matrices[0].counts.sum())
        return Parsed([MatrixCells(n_rows=n, n_units=n, counts=matrices[0].counts)], [])
    labels, k = matrices[0].labels, len(matrices[0].labels)
    row = _codes(true, labels) * k
    cells = [row + _codes(column, labels) for column in decided]
    values, codes, taken = _taken(checked, codes, n)
    if taken is not None:
        cells = [cell[taken] for cell in cells]
    n = len(cells[0])
    inverse = inverse_of(order_of(*cells, values, codes))
    forms: list[Form] = []
    places: list[Places] = []
    for matrix, cell in zip(matrices, cells, strict=True):
        order = order_of(cell, values, codes, inverse)  # ties as shared
        units = None if len(models) == 1 else inverse[order]
        if codes is not None:
            units = codes[order].astype(np.int32)
        form = CodedRows(
            n_rows=n if is_fractional else int(matrix.counts.sum()),
            n_units=n if codes is None else int(codes.max()) + 1,
            fractional=values if is_fractional else None,
            n=n,
            weights=None if values is None else values[order],
            units=units,
            counts=matrix.counts,
            starts=np.searchsorted(cell[order], np.arange(k * k)).astype(np.int64),
        )
        forms.append(form)
        places.append(inverse[order])
    return Parsed(forms, places)


def _decisions(model: NamedScores, label: str) -> LabelColumn:
    """Return predicted labels; what is wrong with scores is that they are none."""
    try:
        return check_label_column(model.values, model.argument)
    except InputError:
        values = as_vector(model.values, model.argument)
        if values.dtype.kind == "f" and np.any(np.isfinite(values) & (np.rint(values) != values)):
            raise InputError(
                f"{label!r} counts decisions, and `{model.argument}` holds scores: pass "
                "`threshold`, or predicted labels"
            ) from None
        raise


def _codes(column: LabelColumn, labels: tuple[Any, ...]) -> Codes:
    """Return the place of each label among those given; 0 for one of no weight."""
    found = column.coded()
    place = {label: k for k, label in enumerate(labels)}
    return np.array([place.get(name, 0) for name in found.classes.tolist()], np.int64)[found.codes]


def real_targets(
    y_true: Any,
    models: list[NamedScores],
    asked: Sequence[Planned],
    weights: GivenWeights,
    groups: Any,
) -> Parsed:
    """Return targets with the predictions of each model; of a mean there may be none."""
    y = check_scores_array(y_true, "y_true").astype(np.float64)
    predictions = []
    for model in models:
        if model.values is not None:
            column = check_scores_array(model.values, model.argument).astype(np.float64)
            check_same_length(**{"y_true": y, model.argument: column})
            predictions.append(column)
    checked = _checked(weights, len(y))
    codes = None if groups is None else check_groups(groups, len(y))
    values, codes, taken = _taken(checked, codes, len(y))
    if taken is not None:
        y, predictions = y[taken], [column[taken] for column in predictions]
    n, is_fractional = len(y), checked is not None and not checked.is_integer
    order = order_of(y, *predictions, values, codes)
    y, predictions = y[order], [column[order] for column in predictions]
    values = None if values is None else values[order]
    of_models: list[tuple[Floats, ...]] = [(column,) for column in predictions] or [()]
    forms: list[Form] = [
        Rows(
            n_rows=n if values is None or is_fractional else int(values.sum()),
            n_units=n if codes is None else int(codes.max()) + 1,
            fractional=values if is_fractional else None,
            columns=columns_of(asked, y, *arguments),
            n=n,
            weights=values,
            units=None if codes is None else codes[order].astype(np.int32),
            arguments=(y, *arguments),
        )
        for arguments in of_models
    ]
    return Parsed(forms, [np.arange(n, dtype=np.int32)] * len(forms))


def columns_of(
    asked: Sequence[Planned], targets: NDArray[Any], predictions: NDArray[Any] | None = None
) -> Floats | None:
    """Return the columns of all sums, one below the other."""
    sums = [(one.label, one.plan.sums) for one in asked if isinstance(one.plan, SumPlan)]
    if not sums:
        return None
    y = np.asarray(targets, np.float64)
    p = np.zeros(0) if predictions is None else np.asarray(predictions, np.float64)
    columns: list[Floats] = []
    for label, of in sums:
        if of.is_probability and not (p.min() >= 0 and p.max() <= 1):
            raise InputError(
                f"`y_score` must hold probabilities in [0, 1] for {label!r}: got values from "
                f"{p.min():g} to {p.max():g}"
            )
        if of.needs_prediction and predictions is None:
            raise InputError(f"`y_score` is needed for {label!r}: got None")
        if of.is_clipped and predictions is not None:
            dtype = predictions.dtype if predictions.dtype.kind == "f" else np.float64
            eps = float(np.finfo(dtype).eps)
            columns.extend(of.columns(y, np.clip(p, eps, 1.0 - eps)))
        else:
            columns.extend(of.columns(y, p))
    return np.ascontiguousarray(columns, np.float64)


def _checked(weights: GivenWeights, n: int) -> Weights | None:
    sample_weight, weights_are = weights
    if sample_weight is None:
        return None
    return check_weights(sample_weight, n, weights_are=weights_are)


def _taken(
    weights: Weights | None, codes: Codes | None, n: int
) -> tuple[NDArray[Any] | None, Codes | None, Codes | None]:
    """Return weights, groups, and which rows are taken how often; None for each once.

    A frequency is so many rows; of groups, rows of frequency 0 are left out.
    """
    if weights is None:
        return None, codes, None
    if not weights.is_integer:
        return weights.values, codes, None
    times = weights.values.astype(np.int64)
    if codes is None:
        check_rows(int(times.sum()))
        return None, None, np.repeat(np.arange(n), times)
    kept, codes = of_some_weight(times, codes)
    return times[kept], codes, np.flatnonzero(kept)
