"""Labels and probabilities as a validated table, the input of every calibration metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.regression_targets import OF_CALIBRATION
from fastmetrics._input.rows import BinaryRows, check_binary
from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputTypeError, renamed
from fastmetrics.tables.score_table import ScoreTable, as_table

Floats = NDArray[np.float64]

#: Rows of a piece: a dozen columns of float64 in the L2 cache.
PIECE: Final = 1 << 13
#: Pieces of a job.
_PIECES: Final = 16
#: Divisor in place of 0: 1 - p is exact there.
_TINY: Final = 2.0**-1000

#: Shared docstring of metrics of labels and probabilities.
CALIBRATED: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ScoreTable
    Binary labels; or a table of probabilities, and then `y_proba` is left out.
y_proba : array-like of shape (n_samples,), optional
    Probabilities of the positive class, in [0, 1].

Raises
------
ValueError
    If the data are not binary labels and probabilities in [0, 1].
"""


def probability_table(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    weights_are: WeightsAre | None = None,
    pos_label: Any = None,
) -> ScoreTable:
    """Return the table of labels and probabilities in [0, 1], or check the given one."""
    given = {"sample_weight": sample_weight, "pos_label": pos_label}
    rows: BinaryRows | ScoreTable
    with renamed(y_score="y_proba"):
        if isinstance(y_true, ScoreTable):
            rows = table = as_table(y_true, y_proba, **given)
            name = "y_true.scores"
        else:
            rows = check_binary(y_true, y_proba, weights_are=weights_are, **given)
            table = ScoreTable.from_rows(rows)
            name = "y_proba"
    has_outside = len(table) > 0 and (table.scores[0] > 1 or table.scores[-1] < 0)
    if has_outside or sample_weight is not None:  # the table lacks rows of weight 0
        OF_CALIBRATION.check_predicted(rows.scores, name)
    return table


def probabilities(table: ScoreTable) -> Floats:
    """Return the distinct probabilities, descending, as float64."""
    return np.asarray(table.scores.astype(np.float64, copy=False))


def minus_logs(p: Floats) -> tuple[Floats, Floats]:
    """Return -log(p) and -log(1 - p), the latter corrected for the rounding of 1 - p."""
    q = 1.0 - p
    correction = ((1.0 - q) - p) / np.maximum(q, _TINY)
    return -np.log(p), -(np.log(q) + correction)


class Squares(NamedTuple):
    """Squared weights of positives and of negatives at each row of a table.

    Their unit is the square of ``largest``, the largest weight in the unit of the table.
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
    """Return the table of probabilities, the squared importances, and the meaning of the weights.

    Raise for a table of weights where squares are needed: it does not hold them.
    """
    read = check_weights_are(sample_weight, weights_are)
    table = probability_table(
        y_true, y_proba, sample_weight=sample_weight, weights_are=read, pos_label=pos_label
    )
    if read == "importances":
        weights = as_vector(sample_weight, "sample_weight").astype(np.float64)
        largest = float(weights.max())
        squares = (weights / largest) ** 2
        squares[weights > 0] = np.maximum(squares[weights > 0], 2.0**-900)  # in the table too
        squared_table = probability_table(
            y_true, y_proba, sample_weight=squares, pos_label=pos_label
        )
        unit = -squared_table.weight_exponent
        columns = np.ldexp(squared_table.positives, unit), np.ldexp(squared_table.negatives, unit)
        return table, Squares(*columns, math.ldexp(largest, table.weight_exponent)), read
    if needs_squares and table.is_weighted:
        raise InputTypeError("a ScoreTable of weights does not tell their squares: pass rows")
    return table, None, read


def sum_terms(
    terms: Callable[..., Sequence[float]], columns: Sequence[NDArray[Any]]
) -> list[float]:
    """Return the sums of ``terms`` of columns, computed piece by piece on all threads.

    This is faster than a kernel: NumPy's logarithms and exponentials run on vectors, a compiled
    loop calls the C library for each number. Pieces depend on the table alone and ``math.fsum``
    adds their sums, so that the number of threads changes no bit.
    """
    n_rows = len(columns[0])

    def job(first: int) -> list[Sequence[float]]:
        last = min(first + PIECE * _PIECES, n_rows)
        with np.errstate(all="ignore"):
            return [
                terms(*(column[start : min(start + PIECE, last)] for column in columns))
                for start in range(first, last, PIECE)
            ]

    jobs = [partial(job, first) for first in range(0, n_rows, PIECE * _PIECES)]
    pieces = [piece for sums in run(jobs) for piece in sums]
    return [_total(totals) for totals in zip(*pieces, strict=True)]


def _total(terms: Sequence[float]) -> float:
    """Return the sum, rounded once; inf or nan where a term is."""
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):
        return float(np.sum(terms))
