"""Labels and probabilities as a table, judged: every metric of this room begins here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.regression_targets import OF_CALIBRATION
from fastmetrics._input.rows import check_binary
from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputTypeError, renamed
from fastmetrics.tables.score_table import ScoreTable, as_table

Floats = NDArray[np.float64]

#: Rows of a piece: a dozen columns of float64 in the L2 cache.
PIECE: Final = 1 << 13
#: Pieces of a job.
_PIECES: Final = 16
#: In the place of 0, of which nothing is lost.
_TINY: Final = 2.0**-1000

#: What is the same in the docstrings of metrics of labels and probabilities.
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
    """Return the table of labels and probabilities, or the one given, its scores in [0, 1]."""
    given = {"sample_weight": sample_weight, "pos_label": pos_label}
    with renamed(y_score="y_proba"):
        if isinstance(y_true, ScoreTable):
            table = as_table(y_true, y_proba, **given)
            scores, name = table.scores, "y_true.scores"
        else:
            rows = check_binary(y_true, y_proba, weights_are=weights_are, **given)
            table = ScoreTable.from_rows(rows)
            scores, name = rows.scores, "y_proba"
    has_outside = len(table) > 0 and (table.scores[0] > 1 or table.scores[-1] < 0)
    if has_outside or sample_weight is not None:  # the table lacks rows of weight 0
        OF_CALIBRATION.check_predicted(scores, name)
    return table


def probabilities(table: ScoreTable) -> Floats:
    """Return the distinct probabilities, descending, as float64."""
    return np.asarray(table.scores.astype(np.float64, copy=False))


def minus_logs(p: Floats) -> tuple[Floats, Floats]:
    """Return -log(p) and -log(1 - p), the latter without what the rounding of 1 - p loses."""
    q = 1.0 - p
    lost = ((1.0 - q) - p) / np.maximum(q, _TINY)
    return -np.log(p), -(np.log(q) + lost)


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
        weights = as_vector(sample_weight, "sample_weight").astype(np.float64)
        largest = float(weights.max())
        squares = (weights / largest) ** 2
        squares[weights > 0] = np.maximum(squares[weights > 0], 2.0**-900)  # in the table too
        found = probability_table(y_true, y_proba, sample_weight=squares, pos_label=pos_label)
        unit = -found.weight_exponent
        columns = np.ldexp(found.positives, unit), np.ldexp(found.negatives, unit)
        return table, Squares(*columns, math.ldexp(largest, table.weight_exponent)), read
    if needs_squares and table.is_weighted:
        raise InputTypeError("a ScoreTable of weights does not tell their squares: pass rows")
    return table, None, read


def sums_of(terms: Callable[..., Sequence[float]], columns: Sequence[NDArray[Any]]) -> list[float]:
    """Return the sums over all pieces of what ``terms`` returns for the columns of one.

    By pieces that stay in cache, on all threads: NumPy's logarithms and exponentials run on vectors
    where a compiled loop calls the C library for each number, so that this is faster than a kernel.
    Which rows form a piece depends on the table alone, and the sums of pieces are added by
    ``math.fsum``: threads change no bit.
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
    pieces = [piece for found in run(jobs) for piece in found]
    return [_total(parts) for parts in zip(*pieces, strict=True)]


def _total(parts: Sequence[float]) -> float:
    """Return the sum, rounded once; inf or nan where a part is."""
    try:
        return math.fsum(parts)
    except (OverflowError, ValueError):
        return float(np.sum(parts))
