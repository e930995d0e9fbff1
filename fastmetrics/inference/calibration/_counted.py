"""Counted probabilities: the data of this room, and what they would be if they were calibrated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputTypeError
from fastmetrics.measures.calibration._bins import ascending, one_table
from fastmetrics.tables.score_table import ScoreTable, upper_hull

Floats = NDArray[np.float64]

#: What is the same in the docstrings of the room.
COUNTED: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,) or ScoreTable
    Labels; or a table of counts, and then `y_proba` is left out.
y_proba : array-like of shape (n_samples,) or (n_samples, n_classes), optional
    Probabilities in [0, 1] of the positive class; or a column for each class, the rows adding up
    to 1, of which the greatest is looked at: the probability of being right (top-label).
labels : array-like of shape (n_classes,), optional
    The classes that columns stand for, sorted; needed where one has no row.

Raises
------
TypeError
    If an argument is of the wrong kind, or a table has weights that are no counts.
ValueError
    If labels and columns do not match, a probability lies outside [0, 1], or the probabilities of
    a row do not add up to 1.

Warns
-----
UndefinedMetricWarning
    If there are no rows: everything is nan.
"""


class Counted(NamedTuple):
    """Distinct probabilities, ascending, with the positives and all rows at each."""

    p: Floats
    positives: NDArray[np.int64]
    rows: NDArray[np.int64]

    @property
    def n_samples(self) -> int:
        """All rows."""
        return int(self.rows.sum())


def counted(y_true: Any, y_proba: Any, *, pos_label: Any, labels: Any) -> Counted:
    """Return the counts of a problem of two classes, or of the top label of more."""
    table = one_table(y_true, y_proba, pos_label=pos_label, labels=labels)
    if isinstance(y_true, ScoreTable) and table.is_weighted:
        raise InputTypeError(
            "a ScoreTable of fractional weights does not tell how many rows there are: pass one of "
            "counts"
        )
    return Counted(*map(np.ascontiguousarray, ascending(table)))


def calibrated_draws(
    data: Counted, n_resamples: int, key: NDArray[np.uint64]
) -> Iterator[NDArray[np.int64]]:
    """Draw the positives at each probability as if it were that of each of its rows.

    The draws are those of the key and of the table: the order of the rows has no part in them.
    """
    rng = np.random.default_rng(key)
    all_distinct = bool((data.rows == 1).all())
    for _ in range(n_resamples):
        if all_distinct:
            yield (rng.random(len(data.p)) < data.p).astype(np.int64)
        else:
            yield rng.binomial(data.rows, data.p)


def rising_blocks(data: Counted, positives: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
    """Return the last row of each block of the isotonic fit, and its share of positives.

    By ascending probability: the classes change places, so that the share of negatives falls.
    """
    table = ScoreTable._of_columns(data.p, data.rows - positives, positives)
    hull = upper_hull(table)
    return hull.ends, hull.negatives / (hull.positives + hull.negatives)


def isotonic(data: Counted, positives: NDArray[np.int64]) -> Floats:
    """Return the rising shares of positives that are nearest to those seen (least squares)."""
    ends, shares = rising_blocks(data, positives)
    return np.repeat(shares, np.diff(ends, prepend=-1))
