"""The user's data, read once, in the forms in which they are resampled.

What the measures need decides how the columns are read: as labels with scores, as true and
predicted classes, or as targets with predictions. One model's table or matrix is enough where rows
are alike; groups, fractional weights and several models need rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_groups
from fastmetrics._input.models import (
    CheckedModels,
    NamedScores,
    check_models,
)
from fastmetrics._input.rows import BinaryRows, check_binary, refuse_several
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._cell_forms import MatrixCells, TableCells
from fastmetrics.inference.bootstrap._forms import Form, ScoredRows
from fastmetrics.inference.bootstrap._orders import Places, inverse_of, taken
from fastmetrics.inference.bootstrap._parse_rows import (
    Parsed,
    columns_of,
    predicted_classes,
    real_targets,
)
from fastmetrics.inference.bootstrap._plans import CountPlan, Planned, ScorePlan, StatisticPlan
from fastmetrics.inference.bootstrap._rows import (
    ROWS_OF_A_CELL,
    Codes,
    SortedRows,
    _SummedTable,
    check_rows,
    descending,
    of_some_weight,
    rows_in_order,
    rows_of_table,
)
from fastmetrics.inference.bootstrap._sums import SumPlan
from fastmetrics.tables.confusion._score_cells import cells_of_rows, score_cells
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.scores._threshold import is_called_positive, real_threshold
from fastmetrics.tables.scores.score_table import ScoreTable

Kind = Literal["scores", "decisions", "values"]


def parse(
    y_true: Any,
    y_score: Any,
    asked: Sequence[Planned],
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    groups: Any = None,
    threshold: Any = None,
    by_rows: bool = False,
) -> Form:
    """Return one model's data; ``by_rows`` says that cells are not enough."""
    if isinstance(y_true, ScoreTable | ConfusionMatrix):
        _check_alone(y_true, y_score, sample_weight, pos_label, groups, threshold)
        if isinstance(y_true, ScoreTable):
            return _of_table(y_true, asked, threshold, by_rows=by_rows)
        return _of_matrix(y_true, asked)
    refuse_several(y_score, "paired_bootstrap")
    weights = (sample_weight, weights_are)
    kind = _kind(asked, threshold, pos_label)
    model = NamedScores("", "y_score", y_score)
    if kind == "values":
        return real_targets(y_true, [model], asked, weights, groups).forms[0]
    if kind == "decisions":
        if y_score is None:
            raise InputTypeError(f"`y_score` must be given for {asked[0].label!r}: got None")
        return predicted_classes(y_true, [model], asked, weights, pos_label, groups).forms[0]
    if y_score is None and pos_label is not None:
        raise InputTypeError("`pos_label` is for labels with scores: got no `y_score`")
    rows = check_binary(
        y_true,
        y_score,
        sample_weight=sample_weight,
        weights_are=weights_are,
        pos_label=pos_label,
    )
    codes = None if groups is None else check_groups(groups, len(rows.scores))
    are_alike = codes is None and (rows.weights is None or rows.integer_weights)
    if are_alike and _count_decisions(asked):
        return _of_cells(cells_of_rows(rows.recheck(), real_threshold(threshold)))
    table = ScoreTable.from_rows(rows)
    if are_alike:
        return _of_table(table, asked, threshold, by_rows=by_rows)
    rows = rows.recheck()
    if codes is not None and rows.integer_weights and rows.weights is not None:
        kept, codes = of_some_weight(rows.weights, codes)
        rows = dataclasses.replace(
            rows, labels=rows.labels[kept], scores=rows.scores[kept], weights=rows.weights[kept]
        )
    return _scored([rows], codes, asked, threshold, table).forms[0]


def parse_models(
    y_true: Any,
    models: list[NamedScores],
    asked: Sequence[Planned],
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
    groups: Any = None,
    threshold: Any = None,
) -> Parsed:
    """Return the data of several models on the same rows."""
    weights = (sample_weight, weights_are)
    kind = _kind(asked, threshold, pos_label)
    if kind == "values":
        return real_targets(y_true, models, asked, weights, groups)
    if kind == "decisions":
        return predicted_classes(y_true, models, asked, weights, pos_label, groups)
    checked = _written_out(
        check_models(
            y_true,
            models,
            sample_weight=sample_weight,
            weights_are=weights_are,
            pos_label=pos_label,
            groups=groups,
        )
    )
    rows = [checked.rows_of(model) for model in range(len(models))]
    if checked.groups is not None and checked.groups.max() == 0:
        raise InputError("`groups` must name at least two groups whose rows have a weight: got one")
    return _scored(rows, checked.groups, asked, threshold)


def _check_alone(
    counts: ScoreTable | ConfusionMatrix,
    y_score: Any,
    sample_weight: Any,
    pos_label: Any,
    groups: Any,
    threshold: Any,
) -> None:
    kind = type(counts).__name__
    given = {"y_score": y_score, "sample_weight": sample_weight, "pos_label": pos_label}
    if isinstance(counts, ConfusionMatrix):
        given["threshold"] = threshold
    if any(value is not None for value in given.values()):
        raise InputTypeError(f"a {kind} comes alone: pass no {', '.join(given)} with it")
    if groups is not None:
        raise InputTypeError(f"groups need rows: a {kind} does not tell which row is whose")


def _kind(asked: Sequence[Planned], threshold: Any, pos_label: Any) -> Kind:
    """Return how the measures read the columns."""
    counted = [one.label for one in asked if isinstance(one.plan, CountPlan)]
    of_two = any(
        isinstance(one.plan, ScorePlan)
        or (isinstance(one.plan, SumPlan) and one.plan.sums.is_probability)
        for one in asked
    )
    if threshold is not None or of_two or (pos_label is not None and not counted):
        return "scores"
    if not counted:
        return "values"
    others = [one.label for one in asked if one.label not in counted]
    if others:
        raise InputError(
            f"{counted[0]!r} takes predicted labels and {others[0]!r} scores: pass scores with "
            "`threshold`, or ask for them in two calls"
        )
    return "decisions"


def _of_table(
    table: ScoreTable, asked: Sequence[Planned], threshold: Any, *, by_rows: bool
) -> Form:
    """Return a table of counts, to be resampled by cells or by rows."""
    if table.is_weighted:
        raise InputTypeError(
            "a ScoreTable of fractional weights cannot be resampled, as it does not tell how many "
            "rows a weight is: pass `y_true`, `y_score` and `sample_weight`"
        )
    n = int(table.n_positive) + int(table.n_negative)
    if n == 0:
        raise InputError("`y_true` must hold at least one example: got an empty table")
    table = _SummedTable.of(table)
    counts = _called(table, threshold)
    if counts is not None and _count_decisions(asked):
        return _of_cells(counts)
    n_cells = np.count_nonzero(table.positives) + np.count_nonzero(table.negatives)
    if n > ROWS_OF_A_CELL * n_cells and not by_rows:
        labels = np.repeat((1.0, 0.0), len(table))
        return TableCells(
            n_rows=n,
            n_units=n,
            columns=columns_of(asked, labels, np.tile(table.scores, 2)),
            table=table,
            counts=counts,
            cut=None if threshold is None else _n_called(table.scores, threshold),
        )
    rows = rows_of_table(table)
    return ScoredRows(
        n_rows=n,
        n_units=n,
        n=n,
        rows=rows,
        table=table,
        counts=counts,
        cut=rows.called_positive(threshold),
        **_columns(rows, asked),
    )


def _scored(
    models: list[BinaryRows],
    groups: Codes | None,
    asked: Sequence[Planned],
    threshold: Any,
    table: ScoreTable | None = None,
) -> Parsed:
    """Return labels with the scores of each model, verified, whose rows have no weight of 0.

    ``table`` is that of a single model, where it is at hand.
    """
    others = tuple(rows.scores for rows in models[1:])
    orders = [descending(models[0], groups, *others)]
    shared = inverse_of(orders[0][0])
    for rows in models[1:]:  # ties of the other models stand in the shared order: keys descend
        orders.append(descending(rows, groups, -shared))

    def one(model: int) -> tuple[Form, Places]:
        rows, (order, edges) = models[model], orders[model]
        sorted_rows = rows_in_order(rows, order, edges)
        # The first model gives the order that all share.
        place = taken(shared, order) if model else np.arange(len(order), dtype=np.int32)
        units = None if groups is None else groups[order].astype(np.int32)
        if model and groups is None:
            units = place
        n, weights = sorted_rows.n, sorted_rows.weights
        if rows.weights is None:
            counted = sorted_rows.table()
        else:
            counted = _SummedTable.of(table or ScoreTable.from_rows(rows))
        form = ScoredRows(
            n_rows=int(counted.n_positive + counted.n_negative) if rows.integer_weights else n,
            n_units=n if groups is None else int(groups.max()) + 1,
            fractional=None if rows.integer_weights else weights,
            n=n,
            weights=weights,
            units=units,
            rows=sorted_rows,
            table=counted,
            counts=_called(counted, threshold),
            cut=sorted_rows.called_positive(threshold),
            **_columns(sorted_rows, asked),
        )
        return form, place

    found = run([partial(one, model) for model in range(len(models))])
    return Parsed([form for form, _ in found], [place for _, place in found])


def _columns(rows: SortedRows, asked: Sequence[Planned]) -> dict[str, Any]:
    """Return the columns of sums, and the arguments of the user's own statistics, if any."""
    of: dict[str, Any] = {}
    if any(isinstance(one.plan, SumPlan) for one in asked):
        of["columns"] = columns_of(asked, rows.labels, rows.scores)
    if any(isinstance(one.plan, StatisticPlan) for one in asked):
        of["arguments"] = (rows.labels, rows.scores)
    return of


def _written_out(checked: CheckedModels) -> CheckedModels:
    """Return the rows with frequencies written out, unless they are of groups."""
    rows = checked.rows
    if rows.weights is None or not rows.integer_weights or checked.groups is not None:
        return checked
    times = rows.weights.astype(np.int64)
    check_rows(int(times.sum()))
    labels, scores = np.repeat(rows.labels, times), np.repeat(rows.scores, times)
    rows = dataclasses.replace(rows, labels=labels, scores=scores, weights=None)
    columns = tuple(np.repeat(column, times) for column in checked.scores)
    return CheckedModels(checked.names, rows, columns, None)


def _n_called(scores: NDArray[Any], threshold: Any) -> int:
    return int(np.count_nonzero(is_called_positive(scores, real_threshold(threshold))))


def _called(table: ScoreTable, threshold: Any) -> NDArray[Any] | None:
    """Return the matrix of the decision score >= threshold, where there is a threshold."""
    return None if threshold is None else score_cells(table, None, threshold, None, None).counts


def _of_matrix(matrix: ConfusionMatrix, asked: Sequence[Planned]) -> Form:
    """Return a matrix that the user passed alone."""
    for one in asked:
        if not isinstance(one.plan, CountPlan):
            raise InputTypeError(f"{one.label!r} does not follow from a ConfusionMatrix: pass rows")
    if matrix.is_sparse:
        raise InputTypeError(
            "a sparse ConfusionMatrix cannot be resampled: make it without `sparse`"
        )
    if matrix.is_weighted:
        raise InputTypeError(
            "a ConfusionMatrix of fractional weights cannot be resampled, as it does not tell how "
            "many rows a weight is: pass `y_true`, `y_score` and `sample_weight`"
        )
    if int(matrix.n) == 0:
        raise InputError("`y_true` must hold at least one example: got an empty matrix")
    return _of_cells(np.asarray(matrix.counts))


def _count_decisions(asked: Sequence[Planned]) -> bool:
    """Return whether no measure needs more of the rows than their cells."""
    return all(isinstance(one.plan, CountPlan) for one in asked)


def _of_cells(counts: NDArray[Any]) -> MatrixCells:
    n = int(counts.sum())
    return MatrixCells(n_rows=n, n_units=n, counts=counts)
