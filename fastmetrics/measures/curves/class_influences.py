"""How far each row moves measures of a threshold curve, one row at a time; and AUCs of classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows
from fastmetrics._threads.workers import by_blocks, run
from fastmetrics.measures._measure import Floats, RowInfluences
from fastmetrics.measures.curves.influences import (
    CurveInfluences,
    of_curve,
    roc_auc as auc_of_table,
)
from fastmetrics.measures.curves.placements import doubled_placements
from fastmetrics.tables.ordering import RowOrder, row_order
from fastmetrics.tables.pairs import exact_dot, weigh_runs
from fastmetrics.tables.score_table import ScoreTable


class OrderedRows:
    """Rows of two classes in the order of their scores, whose groups of ties are rows of a table.

    They are fully verified, none of weight 0.
    """

    def __init__(self, rows: BinaryRows) -> None:
        self._rows = rows

    @cached_property
    def _ordered(self) -> tuple[RowOrder, ScoreTable]:
        rows = self._rows
        order = row_order(rows.scores)
        n = order.n_distinct
        scores, positives, negatives = np.empty(n, rows.scores.dtype), *np.empty((2, n))

        def weigh(first: int, stop: int) -> None:
            here = slice(n - stop, n - first)
            weigh_runs(rows, order, first, stop, scores[here], positives[here], negatives[here])

        run([partial(weigh, *job) for job in order.jobs()])
        are_counts = rows.weights is None or rows.integer_weights
        kind = np.dtype(np.int64 if are_counts else np.float64)
        p, q = positives.astype(kind, copy=False), negatives.astype(kind, copy=False)
        return order, ScoreTable._of_columns(scores, p, q, rows.weight_exponent)

    @property
    def table(self) -> ScoreTable:
        """The classes at each score."""
        return self._ordered[1]

    def spread(self, by_score: Floats) -> Floats:
        """Return for each row, in the order of the rows, the entry of its score in the table."""
        return self._ordered[0].spread(np.ascontiguousarray(by_score[::-1]))

    def influences(
        self, of_table: Callable[..., CurveInfluences], **parameters: Any
    ) -> RowInfluences:
        """Return a measure with the influence of each row, in the order of the rows."""
        order, table = self._ordered
        found = of_curve(table, of_table, **parameters)
        columns = found.of_negatives, found.of_positives
        return RowInfluences(found.value, order.spread_by_class(self._rows.labels, *columns))

    def auc(self) -> RowInfluences:
        """Return the AUC the same way; of counts by placements, which need no order."""
        rows = self._rows
        if "_ordered" in vars(self) or not (rows.weights is None or rows.integer_weights):
            return self.influences(auc_of_table)
        return _of_placements(rows)


def _of_placements(rows: BinaryRows) -> RowInfluences:
    """Return the AUC of rows, or of counts of them: whole numbers, which need no order."""
    doubled = doubled_placements(rows)
    is_positive = rows.labels == 1
    if rows.weights is None:
        m = int(np.count_nonzero(is_positive))
        n = len(doubled) - m
        twice = int(doubled.sum()) // 2
    else:
        counts = rows.weights.astype(np.int64)
        m = int(counts[is_positive].sum())
        n = int(counts.sum()) - m
        twice = int(exact_dot(counts, doubled)) // 2
    if not (m and n):
        return RowInfluences(float("nan"), np.full(len(doubled), np.nan))
    value = twice / (2 * m * n)
    # of a positive (V / (2 n) - A) / m, of a negative (V / (2 m) - A) / n
    influences = doubled.view(np.float64)  # in place: fresh memory costs more than the sums

    def fill(here: slice) -> None:
        moved = doubled[here] / (2.0 * m * n)
        moved -= np.where(is_positive[here], value / m, value / n)
        influences[here] = moved

    by_blocks(len(doubled), fill)
    return RowInfluences(value, influences)


def roc_auc(
    codes: NDArray[np.int64],
    scores: NDArray[Any],
    weights: Floats | None,
    *,
    multi_class: str,
    average: str,
) -> RowInfluences:
    """Return the mean AUC of each class against the rest, or of pairs of classes."""
    n_classes = scores.shape[1]
    own = np.ones(len(codes)) if weights is None else weights
    found: list[RowInfluences] = []
    shares: list[RowInfluences] = []
    total = float(own.sum())

    def auc(kept: NDArray[np.bool_], k: int) -> RowInfluences:
        column = np.ascontiguousarray(scores[kept, k])
        labels = (codes[kept] == k).view(np.int8)
        chosen = None if weights is None else weights[kept]
        inner = OrderedRows(
            BinaryRows(labels, 0, column, chosen, integer_weights=False, allow_inf=False)
        ).auc()
        influences = np.zeros(len(codes))
        influences[kept] = inner.influences
        return RowInfluences(inner.value, influences)

    def share_of(members: NDArray[np.bool_]) -> RowInfluences:
        share = float(own[members].sum()) / total
        return RowInfluences(share, np.asarray((members - share) / total, np.float64))

    if multi_class == "ovr":
        everyone = np.ones(len(codes), np.bool_)
        for k in range(n_classes):
            found.append(auc(everyone, k))
            shares.append(share_of(codes == k))
    else:
        for a, b in combinations(range(n_classes), 2):
            kept = (codes == a) | (codes == b)
            both = auc(kept, a), auc(kept, b)
            value = (both[0].value + both[1].value) / 2.0
            found.append(RowInfluences(value, (both[0].influences + both[1].influences) / 2.0))
            shares.append(share_of(kept))
    if average == "macro":
        values = [one.value for one in found]
        moved = np.mean([one.influences for one in found], axis=0)
        return RowInfluences(float(np.mean(values)), np.asarray(moved, np.float64))
    weight = sum(share.value for share in shares)
    value = sum(s.value * one.value for s, one in zip(shares, found, strict=True)) / weight
    moved = np.zeros(len(codes))
    for share, one in zip(shares, found, strict=True):
        moved += share.value * one.influences + (one.value - value) * share.influences
    return RowInfluences(value, moved / weight)
