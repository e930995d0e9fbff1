"""Sums of squared weights: what the spread of a weighted sum needs beside the table."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics.errors import InputTypeError
from fastmetrics.measures.calibration._probability_table import Floats, probability_table
from fastmetrics.tables.scores.score_table import ScoreTable


class Squares(NamedTuple):
    """Squared weights, of positives and of negatives, at each row of a table.

    They are in units of the square of ``largest``, the largest weight in the table's own unit.
    """

    positives: Floats
    negatives: Floats
    largest: float


def table_with_squares(
    y_true: Any,
    y_proba: Any,
    sample_weight: Any,
    weights_are: Any,
    pos_label: Any,
    *,
    needs_squares: bool = True,
) -> tuple[ScoreTable, Squares | None, WeightsAre | None]:
    """Return the table of probabilities, the squares of importances, and how weights are read.

    A table of weights has lost their squares: it is refused where they are needed.
    """
    read = check_weights_are(sample_weight, weights_are)
    table = probability_table(
        y_true, y_proba, sample_weight=sample_weight, weights_are=read, pos_label=pos_label
    )
    if read == "importances":
        squares = squares_of_weights(table, y_true, y_proba, sample_weight, pos_label)
        return table, squares, read
    if needs_squares and table.is_weighted:
        raise InputTypeError("a ScoreTable of weights does not tell their squares: pass rows")
    return table, None, read


def squares_of_weights(
    table: ScoreTable, y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any
) -> Squares:
    """Return the sums of squared weights at each row of the table that is made of the same rows."""
    weights = as_vector(sample_weight, "sample_weight").astype(np.float64)
    largest = float(weights.max())
    squares = (weights / largest) ** 2
    squares[weights > 0] = np.maximum(squares[weights > 0], 2.0**-900)  # in the table all the same
    found = probability_table(y_true, y_proba, sample_weight=squares, pos_label=pos_label)
    positives, negatives = (
        np.ldexp(column, -found.weight_exponent) for column in (found.positives, found.negatives)
    )
    return Squares(positives, negatives, math.ldexp(largest, table.weight_exponent))
