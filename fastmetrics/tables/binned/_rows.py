"""A batch of a stream: rows that are known to be right."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.rows import BinaryRows, check_binary, check_same_index
from fastmetrics._kernels import bins as kernels
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError
from fastmetrics.tables.binned.bin_layout import as_doubles

#: Rows in a part at least: zeroing and adding the counts of a part costs as much as 30,000 rows.
_PART_ROWS: Final = 1 << 20
_MOST_PARTS: Final = 16
#: What the scores of updates are: see `ROWS`.
BINNED: Final = """
Parameters
----------
y_score : array-like of shape (n_samples,)
    Scores, higher for positives; integers up to 2**53.
"""


class Rows(NamedTuple):
    """Rows that are known to be right: scores, int8 labels (1 is positive), weights if any.

    Whole weights are int64, others float64.
    """

    scores: NDArray[Any]
    labels: NDArray[np.int8]
    weights: NDArray[Any] | None

    def part(self, start: int, stop: int | None = None) -> Rows:
        at = slice(start, stop)
        weights = self.weights if self.weights is None else self.weights[at]
        return Rows(self.scores[at], self.labels[at], weights)

    @property
    def size(self) -> int:
        """The number of rows, or what whole weights say that it is."""
        if self.weights is None or self.is_weighted:
            return len(self.labels)
        return int(self.weights.sum())

    @property
    def is_weighted(self) -> bool:
        """Whether the weights are no counts."""
        return self.weights is not None and self.weights.dtype.kind == "f"

    def that_weigh(self) -> Rows:
        """Return the rows whose weight is not 0: the others are not there."""
        if self.weights is None or self.weights.all():
            return self
        has = self.weights > 0
        return Rows(self.scores[has], self.labels[has], self.weights[has])

    def parts(self) -> list[Rows]:
        """Return the parts that are counted by themselves: a matter of the data alone."""
        n = len(self.scores)
        count = min(max(n // _PART_ROWS, 1), _MOST_PARTS)
        cuts = [n * k // count for k in range(count + 1)]
        return [self.part(*cut) for cut in pairwise(cuts)]


def checked_rows(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, allow_inf: bool
) -> Rows:
    """Return the rows of a batch, or raise: scores as floats, whole weights as integers."""
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    checked = check_binary(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, allow_inf=allow_inf
    )
    rows = _rows(checked)
    most = np.inf if allow_inf else float(np.finfo(np.float64).max)
    jobs = [
        partial(kernels.is_clean, part.scores, part.labels, checked.negative, most)
        for part in rows.parts()
    ]
    return rows if all(run(jobs)) else _rows(checked.recheck())


def _rows(checked: BinaryRows) -> Rows:
    scores = as_doubles(checked.scores, "y_score")
    if checked.weight_exponent:
        raise InputError(
            "`sample_weight` and its sum must lie between 2**-250 and 2**250: scale the weights of "
            "all batches alike"
        )
    return Rows(scores, checked.labels, checked.typed_weights())
