"""Pair counts of whatever a measure was given: checked rows, or a table of them."""

from __future__ import annotations

from typing import Any

from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import check_n_threads
from fastmetrics.tables.scores.pairs import PairCounts, count_pairs, pairs_of_weights
from fastmetrics.tables.scores.score_table import ScoreTable, as_table


def pairs_of(data: BinaryRows | ScoreTable, n_threads: int | None) -> PairCounts:
    """Count the pairs of rows without building their table, or those of a table."""
    n_threads = check_n_threads(n_threads)
    if isinstance(data, ScoreTable):
        return pairs_of_weights(data.positives, data.negatives)
    return count_pairs(data, n_threads=n_threads)


def rows_or_table(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any,
    pos_label: Any = None,
    label_rule: str = "strict",
) -> BinaryRows | ScoreTable:
    """Return the table that was given in place of the labels, else the checked rows."""
    if isinstance(y_true, ScoreTable):
        return as_table(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    return check_binary(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, label_rule=label_rule
    )


def table_of(data: BinaryRows | ScoreTable, n_threads: int | None) -> ScoreTable:
    """Return the table itself, or that of the rows."""
    if isinstance(data, ScoreTable):
        return data
    return ScoreTable.from_rows(data, n_threads=check_n_threads(n_threads))
