"""Parse the user's data into bootstrap samples.

The metrics decide how columns are read: as labels with scores, true and predicted classes, or
targets with predictions. A table or matrix of one model is enough where rows are alike; groups,
fractional weights and several models need rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import (
    LabelColumn,
    LabelColumns,
    check_groups,
    check_label_column,
    pair_columns,
)
from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import (
    BinaryRows,
    NamedScores,
    check_binary,
    check_models,
    refuse_several,
)
from fastmetrics._input.scalars import WeightsAre, check_choice, check_same_length
from fastmetrics._input.scores import Weights, check_scores_array, check_weights
from fastmetrics._kernels import replicates
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.bootstrap._samples import (
    BootstrapSample,
    Bytes,
    Codes,
    Floats,
    MatrixCells,
    RowSample,
    ScoredRowSample,
    TableCells,
    padded,
)
from fastmetrics.inference.bootstrap._specs import (
    CountSpec,
    MetricSpec,
    SumSpec,
    UserSpec,
    check_domains,
    columns_are,
    sum_columns,
)
from fastmetrics.metrics.decisions.count_metrics import put_positive_last
from fastmetrics.tables.confusion._label_counts import (
    Cells,
    cells_of_rows,
    complete_pair,
    count_columns,
    score_cells,
)
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix
from fastmetrics.tables.ordering import RowOrder, row_order
from fastmetrics.tables.score_table import ScoreTable, is_called_positive, real_threshold

#: Four bytes a row; `check_rows` refuses more rows than fit.
RowIndices = NDArray[np.int32]

#: Rows per cell above which a table is resampled by cells: a binomial number costs as much to draw
#: as this many rows.
ROWS_OF_A_CELL: Final = 200
#: Most rows that are resampled one by one.
MAX_ROWS: Final = (1 << 31) - 1

_CHUNK: Final = 1 << 16  # rows or scores at a time


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Examples by descending score, the positives of a tie first.

    Attributes
    ----------
    masks, ends : ndarray of uint8, of n rows and padded with zeros to a multiple of eight
        255 marks a positive; 1 marks the last row of a tie.
    anchors : ndarray of int64, shape (n_segments,)
        For each segment of rows the last one up to it that starts with a new tie.
    ties : ndarray of int64, shape (n_ties, 3)
        First row, first negative and end of each tie that holds both classes.
    distinct, counted : ndarray, and a pair of ndarray of int64
        Score of each tie, descending; its positives and its negatives.
    """

    n: int
    masks: Bytes
    ends: Bytes
    anchors: NDArray[np.int64]
    ties: NDArray[np.int64]
    distinct: NDArray[Any]
    counted: tuple[Codes, Codes]
    _pieces: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict)

    def tie_pieces(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the pieces of ties in rows start to stop, for `pair_counts`; they are cached."""
        known = self._pieces.get((start, stop))
        if known is None:
            first = int(np.searchsorted(self.ties[:, 2], start, side="right"))
            last = int(np.searchsorted(self.ties[:, 0], stop, side="left"))
            inside = np.clip(self.ties[first:last], start, stop) - start
            closed = self.ties[first:last, 2:] <= stop
            known = np.ascontiguousarray(np.concatenate((inside, closed), axis=1), dtype=np.int64)
            self._pieces[start, stop] = known
        return known

    @cached_property
    def lone_positives(self) -> tuple[Bytes, NDArray[np.uint16], NDArray[np.int64]]:
        """Result of `lone_positives` for these rows."""
        return lone_positives(self.masks, self.ends, self.anchors)

    @property
    def labels(self) -> NDArray[np.int8]:
        """1 for a positive, 0 for a negative."""
        return (self.masks[: self.n] > 0).astype(np.int8)

    @cached_property
    def tie_stops(self) -> NDArray[np.int64]:
        """The row after each tie."""
        return np.flatnonzero(self.ends) + 1

    def table(self) -> ScoreTable:
        """Return the distinct scores with the rows of each class, each row counting once."""
        return ScoreTable._from_columns(self.distinct, *self.counted)

    @property
    def scores(self) -> NDArray[Any]:
        """Score of each row."""
        if self._is_untied:
            return self.distinct
        return np.repeat(self.distinct, np.diff(self.tie_stops, prepend=0))

    def score_at(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the scores of some rows."""
        if not self._is_untied:
            rows = np.searchsorted(self.tie_stops, rows, side="right")
        return np.asarray(self.distinct[rows])

    def called_positive(self, threshold: Any) -> int | None:
        """Count the rows with a score >= threshold; None without a threshold."""
        if threshold is None:
            return None
        ties = int(np.count_nonzero(is_called_positive(self.distinct, real_threshold(threshold))))
        if self._is_untied or not ties:
            return ties
        return int(self.tie_stops[ties - 1])

    @property
    def _is_untied(self) -> bool:
        """Return True if no two rows have the same score."""
        return len(self.distinct) == self.n


def expand_table(table: ScoreTable) -> SortedRows:
    """Expand a table of counts, chunk by chunk, into one row for each example: two bytes each."""
    n = int(table.n_positive) + int(table.n_negative)
    check_rows(n)
    held = (table.positives != 0) | (table.negatives != 0)
    kept: Any = slice(None) if held.all() else held  # a table may list scores without examples
    distinct = table.scores[kept]
    counted = table.positives[kept], table.negatives[kept]
    masks, ends = np.zeros((2, padded(n)), np.uint8)
    ties = [np.empty((0, 3), np.int64)]
    row = 0
    for start in range(0, len(distinct), _CHUNK):
        p, q = (column[start : start + _CHUNK] for column in counted)
        sizes = p + q
        if sizes.max() == 1:  # nothing is tied
            stop = row + len(p)
            np.multiply(p, 255, out=masks[row:stop], casting="unsafe")
            ends[row:stop] = 1
            row = stop
            continue
        counts = np.stack((p, q), axis=1).ravel()
        is_positive = np.tile(np.array([255, 0], np.uint8), len(p))
        stops = np.cumsum(sizes) + row
        masks[row : stops[-1]] = np.repeat(is_positive, counts)
        ends[stops - 1] = 1
        ties.append(_mixed_ties(p, sizes, stops))
        row = int(stops[-1])
    return _sorted_rows(n, masks, ends, np.concatenate(ties), distinct, counted)


def _mixed_ties(
    positives: NDArray[np.int64], totals: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return start, first negative and stop of the ties that hold both classes."""
    mixed = np.flatnonzero((positives > 0) & (positives < totals))
    starts = stops[mixed] - totals[mixed]
    return np.stack((starts, starts + positives[mixed], stops[mixed]), axis=1)


def sort_rows(rows: BinaryRows) -> tuple[SortedRows, RowIndices]:
    """Sort the rows of arrays; also return the index of each sorted row. See `descending`."""
    order, edges = descending(rows)
    return rows_in_order(rows, order, edges), order


def descending(
    rows: BinaryRows, *keys: NDArray[Any] | None
) -> tuple[RowIndices, NDArray[np.int64] | None]:
    """Sort rows by descending score; return their indices, and the edges of ties, if any.

    Among equal scores positives come first, then by weight, then by ``keys``.
    """
    check_rows(len(rows.scores))
    order = row_order(rows.scores)
    keys = (rows.labels == 1, rows.weights, *keys)
    ascending = refine_order(order, *keys)
    edges = None
    if order.n_distinct < len(rows.scores):
        edges = np.subtract(len(rows.scores), order.starts[::-1], dtype=np.int64)
    return np.ascontiguousarray(ascending[::-1]), edges


def rows_in_order(
    rows: BinaryRows, order: RowIndices, edges: NDArray[np.int64] | None
) -> SortedRows:
    """Build the sorted rows of arrays from their order and the edges of ties."""
    n = len(order)
    is_positive = rows.labels[order] == 1
    masks, ends = np.zeros((2, padded(n)), np.uint8)
    np.multiply(is_positive.view(np.uint8), np.uint8(255), out=masks[:n])
    ties = np.empty((0, 3), np.int64)
    if edges is None:
        ends[:n] = 1
        positives = is_positive.astype(np.int64)
        negatives = 1 - positives
    else:
        ends[edges[1:] - 1] = 1
        sizes = np.diff(edges)
        positives = np.add.reduceat(is_positive, edges[:-1], dtype=np.int64)
        negatives = sizes - positives
        ties = _mixed_ties(positives, sizes, edges[1:])
        order = order[edges[:-1]]
    distinct = rows.scores[order]
    if distinct.dtype.kind == "f":
        distinct += 0.0  # turns -0.0 into 0.0
    return _sorted_rows(n, masks, ends, ties, distinct, (positives, negatives))


def _sorted_rows(
    n: int,
    masks: Bytes,
    ends: Bytes,
    ties: NDArray[np.int64],
    distinct: NDArray[Any],
    counted: tuple[Codes, Codes],
) -> SortedRows:
    segments = np.arange(-(-padded(n) // replicates.SEGMENT))
    fresh = np.ones(len(segments), np.bool_)
    fresh[1:] = ends[segments[1:] * replicates.SEGMENT - 1] > 0
    anchors = np.maximum.accumulate(np.where(fresh, segments, 0))
    return SortedRows(n, masks, ends, anchors, ties, distinct, counted)


def check_rows(n: int) -> None:
    """Raise if n rows are too many to be resampled one by one, before allocating memory."""
    if n > MAX_ROWS:
        raise MemoryError(
            f"{n:,} rows would be resampled one by one, which takes {3 * n / 1e9:,.0f} GB or more: "
            f"they can be resampled by cells where a score has {ROWS_OF_A_CELL} rows, round the "
            "scores; but not for functions of your own, or groups"
        )


def lexsort_rows(*columns: NDArray[Any] | None) -> RowIndices:
    """Sort like ``numpy.lexsort`` with the first column as primary key; skip None."""
    first, *rest = [column for column in columns if column is not None]
    return refine_order(row_order(_sortable(first)), *rest)


def refine_order(order: RowOrder, *columns: NDArray[Any] | None) -> RowIndices:
    """Break the ties of an order by columns, one after the other; return the row indices."""
    rows: NDArray[Any] = order.rows
    starts = order.starts
    at = None
    for column in columns:
        if column is None:
            continue
        sizes = np.diff(starts)
        if len(sizes) == (len(rows) if at is None else len(at)):  # nothing is tied
            break
        tied = np.repeat(sizes > 1, sizes)
        runs = np.repeat(np.arange(len(sizes)), sizes)[tied]
        at = np.flatnonzero(tied) if at is None else at[tied]
        few = rows[at]
        by_column = row_order(_sortable(column[few]))
        ranks = by_column.spread(np.arange(by_column.n_distinct))
        finer = row_order(runs * by_column.n_distinct + ranks)
        rows[at] = few[finer.rows]
        starts = finer.starts
    return rows


def _sortable(column: NDArray[Any]) -> NDArray[Any]:
    """Convert integers to int64, as `row_order` takes scores."""
    if column.dtype.kind in "bi" or column.dtype.itemsize < 4:
        return column.astype(np.int64, copy=False)
    return np.ascontiguousarray(column)


def invert_order(order: RowIndices) -> RowIndices:
    """Return the rank of each row in an order."""
    inverse: RowIndices = np.empty_like(order)
    inverse[order] = np.arange(len(order), dtype=order.dtype)
    return inverse


def lone_positives(
    masks: Bytes, ends: Bytes, anchors: NDArray[np.int64]
) -> tuple[Bytes, NDArray[np.uint16], NDArray[np.int64]]:
    """Return a mask of segments without ties, offsets of their positives, and their starts."""
    whole = len(masks) // replicates.SEGMENT
    lone = np.zeros(len(anchors), np.uint8)
    n_positive = np.zeros(len(anchors) + 1, np.int64)
    in_segments = (whole, replicates.SEGMENT)
    ends, masks = (
        column[: whole * replicates.SEGMENT].reshape(in_segments) for column in (ends, masks)
    )
    lone[:whole] = ends.all(axis=1) & (anchors[:whole] == np.arange(whole))
    offsets = [np.empty(0, np.uint16)]
    for start in range(0, whole, _CHUNK // replicates.SEGMENT):
        some = slice(start, min(start + _CHUNK // replicates.SEGMENT, whole))
        listed = masks[some] & (lone[some, None] * np.uint8(255))
        offsets.append((np.flatnonzero(listed) % replicates.SEGMENT).astype(np.uint16))
        n_positive[start + 1 : some.stop + 1] = np.count_nonzero(listed, axis=1)
    return lone, np.concatenate(offsets), np.cumsum(n_positive)


Specs = Sequence[MetricSpec]


class BootstrapData(NamedTuple):
    """Arguments of a bootstrap as given; only ``weights_are`` is validated.

    ``scores`` are those of one model, or a `NamedScores` for each of several.
    """

    y_true: Any
    scores: Any = None
    sample_weight: Any = None
    weights_are: WeightsAre | None = None
    pos_label: Any = None
    groups: Any = None
    threshold: Any = None

    def weights(self, n: int) -> Weights | None:
        """Validate the weights of n rows."""
        if self.sample_weight is None:
            return None
        return check_weights(self.sample_weight, n, weights_are=self.weights_are)

    def codes(self, n: int) -> Codes | None:
        """Encode the groups of n rows as codes from 0."""
        return None if self.groups is None else check_groups(self.groups, n)


def parse(given: BootstrapData, specs: Specs) -> BootstrapSample:
    """Parse the data of one model into the sample that its metrics need."""
    y_true = given.y_true
    if isinstance(y_true, ScoreTable | ConfusionMatrix):
        _check_alone(y_true, given)
        if isinstance(y_true, ScoreTable):
            return _build_table_sample(y_true, specs, given.threshold)
        for spec in specs:
            if not isinstance(spec, CountSpec):
                raise InputTypeError(
                    f"{spec.label!r} does not follow from a ConfusionMatrix: pass rows"
                )
        if y_true.is_weighted:
            raise InputTypeError(
                "a ConfusionMatrix of fractional weights cannot be resampled, as it does not tell "
                "how many rows a weight is: pass `y_true`, `y_score` and `sample_weight`"
            )
        if int(y_true.n) == 0:
            raise InputError("`y_true` must hold at least one example: got an empty matrix")
        return MatrixCells.from_counts(np.asarray(y_true.counts))
    are = columns_are(specs, given.threshold, given.pos_label)
    refuse_several(given.scores, "paired_bootstrap")
    if read := _READ.get(are):
        return read(given._replace(scores=[NamedScores("", "y_score", given.scores)]), specs)[0]
    if given.scores is None and given.pos_label is not None:
        raise InputTypeError("`pos_label` is for labels with scores: got no `y_score`")
    rows = check_binary(
        y_true,
        given.scores,
        sample_weight=given.sample_weight,
        weights_are=given.weights_are,
        pos_label=given.pos_label,
    )
    codes = given.codes(len(rows))
    are_alike = codes is None and (rows.weights is None or rows.integer_weights)
    are_alike = are_alike and not _has_functions(specs)  # functions need rows in the order given
    if are_alike and _count_decisions(specs):
        return MatrixCells.from_counts(cells_of_rows(rows, real_threshold(given.threshold)))
    if are_alike:
        return _build_table_sample(ScoreTable.from_rows(rows), specs, given.threshold)
    check_domains(specs, rows.scores)
    return _build_samples(*_expand_rows(rows, [rows.scores], codes), specs, given, [rows.scores])[0]


def parse_models(given: BootstrapData, specs: Specs) -> list[BootstrapSample]:
    """Parse the data of several models on the same rows; all share the order of units."""
    if read := _READ.get(columns_are(specs, given.threshold, given.pos_label)):
        return read(given, specs)
    checked = check_models(
        given.y_true,
        given.scores,
        sample_weight=given.sample_weight,
        weights_are=given.weights_are,
        pos_label=given.pos_label,
        groups=given.groups,
    )
    if checked.groups is not None and checked.groups.max() == 0:
        raise InputError(_ONE_GROUP)
    for model, column in zip(given.scores, checked.scores, strict=True):
        check_domains(specs, column, model.argument)
    models, codes, numbers = _expand_rows(checked.rows, checked.scores, checked.groups)
    scores: list[NDArray[Any]] = list(checked.scores)
    # `check_models` drops rows of no weight
    if _has_functions(specs) and given.sample_weight is not None:
        scores = [check_scores_array(model.values, model.argument) for model in given.scores]
        weights = check_weights(given.sample_weight, len(scores[0]), weights_are=given.weights_are)
        kept = np.flatnonzero(weights.values)
        numbers = kept if numbers is None else kept[numbers]
    return _build_samples(models, codes, numbers, specs, given, scores)


def _check_alone(counts: ScoreTable | ConfusionMatrix, given: BootstrapData) -> None:
    names = ["scores", "sample_weight", "pos_label"]
    if isinstance(counts, ConfusionMatrix):
        names.append("threshold")
    if any(getattr(given, name) is not None for name in names):
        listed = ", ".join(["y_score", *names[1:]])
        raise InputTypeError(f"a {type(counts).__name__} comes alone: pass no {listed} with it")
    if given.groups is not None:
        raise InputTypeError(
            f"groups need rows: a {type(counts).__name__} does not tell which row is whose"
        )


def _build_table_sample(table: ScoreTable, specs: Specs, threshold: Any) -> BootstrapSample:
    """Build the sample of a table of counts: of cells, or of rows where cells are small."""
    if table.is_weighted:
        raise InputTypeError(
            "a ScoreTable of fractional weights cannot be resampled, as it does not tell how many "
            "rows a weight is: pass `y_true`, `y_score` and `sample_weight`"
        )
    n = int(table.n_positive) + int(table.n_negative)
    if n == 0:
        raise InputError("`y_true` must hold at least one example: got an empty table")
    check_domains(specs, table.scores)
    counts = _decision_cells(table, threshold)
    if counts is not None and _count_decisions(specs):
        return MatrixCells.from_counts(counts)
    n_cells = np.count_nonzero(table.positives) + np.count_nonzero(table.negatives)
    if n > ROWS_OF_A_CELL * n_cells and not _has_functions(specs):
        labels = np.repeat((1.0, 0.0), len(table))
        cut = None
        if threshold is not None:
            cut = int(np.count_nonzero(is_called_positive(table.scores, real_threshold(threshold))))
        return TableCells(
            n_rows=n,
            n_units=n,
            columns=sum_columns(specs, labels, np.tile(table.scores, 2)),
            table=table,
            counts=counts,
            cut=cut,
        )
    sizes = {"n_rows": n, "n_units": n, "n": n}
    return _scored_rows(sizes, expand_table(table), table, specs, threshold)


def _expand_rows(
    rows: BinaryRows, scores: Sequence[NDArray[Any]], codes: Codes | None
) -> tuple[list[BinaryRows], Codes | None, Codes | None]:
    """Expand frequencies, but keep them with groups; return models' rows, groups, row indices."""
    chosen = None
    if rows.weights is not None:
        weights = Weights(rows.weights, rows.integer_weights, 0)
        _, codes, chosen = expand_frequencies(weights, codes)
        if chosen is not None:
            kept = None if codes is None else rows.weights[chosen]
            rows = rows.replace(
                labels=rows.labels[chosen], scores=rows.scores[chosen], weights=kept
            )
            scores = [column[chosen] for column in scores]
    return [rows.replace(scores=column) for column in scores], codes, chosen


def _build_samples(
    models: list[BinaryRows],
    groups: Codes | None,
    numbers: Codes | None,
    specs: Specs,
    given: BootstrapData,
    scores: Sequence[NDArray[Any]],
) -> list[BootstrapSample]:
    """Build each model's sample; ``numbers`` are indices of the rows in ``scores``."""
    labels = None
    if _has_functions(specs):
        all_rows = check_binary(given.y_true, scores[0], pos_label=given.pos_label)
        labels = (all_rows.labels == 1).astype(np.int8)
    orders = [descending(models[0], groups, *(rows.scores for rows in models[1:]))]
    shared = invert_order(orders[0][0])
    for rows in models[1:]:  # ties of the other models stand in the shared order: keys descend
        orders.append(descending(rows, groups, -shared))

    def one(model: int) -> BootstrapSample:
        rows = models[model]
        order, edges = orders[model]
        sorted_rows = rows_in_order(rows, order, edges)
        counted = sorted_rows.table() if rows.weights is None else ScoreTable.from_rows(rows)
        units = shared[order] if model else None  # the first model's order is the shared one
        fields = row_fields(order, rows.typed_weights(), groups, units)
        if labels is not None:
            fields["arguments"] = labels, scores[model]
            fields["numbers"] = order if numbers is None else numbers[order]
        return _scored_rows(fields, sorted_rows, counted, specs, given.threshold)

    return run([partial(one, model) for model in range(len(models))])


def row_fields(
    order: NDArray[Any],
    weights: NDArray[Any] | None,
    groups: Codes | None,
    units: RowIndices | None = None,
) -> dict[str, Any]:
    """Return the fields that samples of rows in the same order share, by name."""
    n = len(order)
    weights = None if weights is None else weights[order]
    groups = None if groups is None else groups[order]
    is_fractional = weights is not None and weights.dtype.kind == "f"
    return {
        "n_rows": n if weights is None or is_fractional else int(weights.sum()),
        "n_units": n if groups is None else int(groups.max()) + 1,
        "fractional": weights if is_fractional else None,
        "n": n,
        "weights": weights,
        "units": units if groups is None else groups.astype(np.int32),
    }


def _scored_rows(
    fields: dict[str, Any], rows: SortedRows, table: ScoreTable, specs: Specs, threshold: Any
) -> ScoredRowSample:
    """Build a sample of labels with scores, with columns of sums and arguments of statistics."""
    if any(isinstance(spec, SumSpec) for spec in specs):
        fields["columns"] = sum_columns(specs, rows.labels, rows.scores)
    if _has_functions(specs):  # set by the caller, except for a table
        fields.setdefault("arguments", (rows.labels, rows.scores))
    counts = _decision_cells(table, threshold)
    cut = rows.called_positive(threshold)
    return ScoredRowSample(**fields, rows=rows, table=table, counts=counts, cut=cut)


def _decision_cells(table: ScoreTable, threshold: Any) -> NDArray[Any] | None:
    """Return the confusion matrix of score >= threshold; None without a threshold."""
    return None if threshold is None else score_cells(table, None, threshold, None, None).counts


def _has_functions(specs: Specs) -> bool:
    """Return True if a metric is a function of the user's own."""
    return any(isinstance(spec, UserSpec) for spec in specs)


def _count_decisions(specs: Specs) -> bool:
    """Return True if a confusion matrix is enough for all metrics."""
    return all(isinstance(spec, CountSpec) for spec in specs)


def predicted_classes(given: BootstrapData, specs: Specs) -> list[BootstrapSample]:
    """Build the sample of true and predicted classes of each model."""
    decided = [_predicted_labels(model, specs[0].label) for model in given.scores]
    true = check_label_column(given.y_true, "y_true")
    n = len(true.values)
    pairs = [pair_columns(true, column) for column in decided]
    codes = given.codes(n)
    weights = given.weights(n)
    matrices = _confusion_matrices(pairs, weights, given.pos_label)
    if len(decided) == 1 and codes is None and (weights is None or weights.is_integer):
        return [MatrixCells.from_counts(matrices[0].counts)]
    labels = matrices[0].labels
    k = len(labels)
    row = _codes_among(true, labels) * k
    cells = [row + _codes_among(column, labels) for column in decided]
    values, codes, chosen = expand_frequencies(weights, codes)
    if chosen is not None:
        cells = [cell[chosen] for cell in cells]
    inverse = invert_order(lexsort_rows(*cells, values, codes))
    samples: list[BootstrapSample] = []
    for matrix, cell in zip(matrices, cells, strict=True):
        order = lexsort_rows(cell, values, codes, inverse)  # ties as shared
        fields = row_fields(order, values, codes, None if len(decided) == 1 else inverse[order])
        if fields["fractional"] is not None:
            fields["fractional"] = values  # sums are added in the given order
        starts = np.searchsorted(cell[order], np.arange(k * k)).astype(np.int64)
        samples.append(RowSample(**fields, counts=matrix.counts, starts=starts))
    return samples


def real_targets(given: BootstrapData, specs: Specs) -> list[BootstrapSample]:
    """Build the sample of targets and predictions of each model; a mean needs no predictions."""
    y = check_scores_array(given.y_true, "y_true").astype(np.float64)
    predictions = []
    for model in given.scores:
        if model.values is not None:
            column = check_scores_array(model.values, model.argument).astype(np.float64)
            check_same_length(**{"y_true": y, model.argument: column})
            predictions.append(column)
    values, codes, chosen = expand_frequencies(given.weights(len(y)), given.codes(len(y)))
    all_rows: list[tuple[Floats, ...]] = [(y, column) for column in predictions] or [(y,)]
    columns = [y, *predictions]
    if chosen is not None:
        columns = [column[chosen] for column in columns]
    order = lexsort_rows(*columns, values, codes)
    y, *predictions = (column[order] for column in columns)
    fields = row_fields(order, values, codes)
    fields["numbers"] = order if chosen is None else chosen[order]
    predicted: list[tuple[Floats, ...]] = [(column,) for column in predictions] or [()]
    return [
        RowSample(**fields, columns=sum_columns(specs, y, *prediction), arguments=arguments)
        for prediction, arguments in zip(predicted, all_rows, strict=True)
    ]


_ONE_GROUP = "`groups` must name at least two groups whose rows have a weight: got one"


def expand_frequencies(
    weights: Weights | None, codes: Codes | None
) -> tuple[NDArray[Any] | None, Codes | None, Codes | None]:
    """Expand frequencies; return weights, group codes and row indices (None for all rows).

    Without groups a row is repeated by its frequency. With groups it keeps its frequency, rows of
    frequency 0 are dropped, and groups are coded anew.
    """
    if weights is None:
        return None, codes, None
    if not weights.is_integer:
        return weights.values, codes, None
    times = weights.values.astype(np.int64)
    if codes is None:
        check_rows(int(times.sum()))
        return None, None, np.repeat(np.arange(len(times)), times)
    chosen = np.flatnonzero(times)
    names, codes = np.unique(codes[chosen], return_inverse=True)
    if len(names) < 2:
        raise InputError(_ONE_GROUP)
    return times[chosen], codes, chosen


#: Parsers of columns that are not labels with scores.
_READ = {"decisions": predicted_classes, "values": real_targets}


def _predicted_labels(model: NamedScores, label: str) -> LabelColumn:
    """Validate predicted labels; the message says so if they are scores."""
    if model.values is None:
        raise InputTypeError(f"`{model.argument}` must be given for {label!r}: got None")
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


def _codes_among(column: LabelColumn, labels: tuple[Any, ...]) -> Codes:
    """Return the index of each row's label in ``labels``; 0 for labels of no weight."""
    encoded = column.coded()
    indices = {label: k for k, label in enumerate(labels)}
    codes = [indices.get(name, 0) for name in encoded.classes.tolist()]
    return np.array(codes, np.int64)[encoded.codes]


def _confusion_matrices(
    pairs: Sequence[LabelColumns], weights: Weights | None, pos_label: Any
) -> list[Cells]:
    """Count the confusion matrix of each model; all have the same labels."""
    matrices = [complete_pair(count_columns(pair, weights)) for pair in pairs]
    if len(matrices) > 1:
        labels = tuple(sorted({label for matrix in matrices for label in matrix.labels}))
        matrices = [matrix.arrange(labels) for matrix in matrices]
    if pos_label is None:
        return matrices
    return [put_positive_last(matrix, pos_label, known=False) for matrix in matrices]


def check_stratified(stratified: Any, groups: Any) -> None:
    """Raise if both `stratified` and `groups` are requested."""
    check_choice("stratified", stratified, (False, True))
    if stratified and groups is not None:
        raise InputError(
            "`stratified` and `groups` exclude each other: a group that is drawn brings the rows "
            "of both classes that it has"
        )
