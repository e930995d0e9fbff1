"""Sums of losses over all rows: jobs of a fixed number of rows, added up exactly.

Labels, scores and weights are read where they are; a job makes a canonical copy of its own rows
only if the kernels cannot read them in place. So no temporary has a length of n rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_multilabel_indicator
from fastmetrics._input.weights import as_given, check_weights
from fastmetrics._kernels import losses
from fastmetrics._threads.workers import run
from fastmetrics.measures.probabilities._class_rows import Columns, TwoClasses

LOG, SQUARE, HINGE = losses.LOG, losses.SQUARE, losses.HINGE

#: Elements of a job: a millisecond or two.
JOB: Final = 1 << 18
_NONE: Final = np.empty(0)


class RowWeights(NamedTuple):
    """Checked weights of n rows; ``values`` is empty where every row counts once."""

    values: NDArray[np.float64]
    exponent: int

    @classmethod
    def checked(cls, sample_weight: Any, n_rows: int) -> RowWeights:
        """Return the weights of n rows, fully verified."""
        if sample_weight is None:
            return cls(_NONE, 0)
        weights = check_weights(sample_weight, n_rows)
        return cls(weights.values, weights.exponent)

    def of(self, rows: slice) -> NDArray[np.float64]:
        return self.values[rows] if self.values.size else self.values


class LossSums(NamedTuple):
    """What one pass over the rows found.

    Counted are all rows, those with a known label, scores that may not be, and rows that do not add
    up to 1; of each class the rows, those of weight 0 included. The loss (a weighted sum) and the
    weights of classes and of all rows are those of the user times ``2**exponent``.
    """

    loss: float
    n_rows: int
    known: int
    score_faults: int
    off_rows: int
    rows_of_class: NDArray[np.int64]
    weight_of_class: NDArray[np.float64]
    row_weight: float
    exponent: int

    def are_complete(self, every_class: bool) -> bool:
        """Return whether all labels were known, and if asked for, each class has a row."""
        return self.known == self.n_rows and (not every_class or all(self.rows_of_class.tolist()))

    @property
    def mean(self) -> float:
        return self.loss / self.row_weight

    @property
    def class_shares(self) -> NDArray[np.float64]:
        """The share of the weight that belongs to each class."""
        return self.weight_of_class / self.row_weight

    @property
    def total(self) -> float:
        """The weighted sum of the rows' losses, in the user's units."""
        return float(as_given(self.loss, self.exponent))


def exact_sum(values: Iterable[float]) -> float:
    """Return the sum, rounded once, of numbers of one sign; inf beyond the doubles."""
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def job_rows(n_rows: int, n_columns: int = 1) -> list[slice]:
    """Return the rows of each job: a function of the shape of the data alone."""
    rows = max(1, JOB // n_columns // losses.BLOCK) * losses.BLOCK
    return [slice(start, min(start + rows, n_rows)) for start in range(0, n_rows, rows)]


def readable_scores(scores: NDArray[Any], *, exact_integers: bool = False) -> NDArray[Any]:
    """Return a job's scores as contiguous float32 or float64, 64-bit integers on demand."""
    kind, size = scores.dtype.kind, scores.dtype.itemsize
    dtype: type[Any] = np.float32 if kind == "f" and size < 8 else np.float64
    if exact_integers and kind in "iu" and size == 8:
        dtype = np.int64 if kind == "i" else np.uint64
    out = np.ascontiguousarray(scores, dtype=dtype)
    return out if out.flags.aligned else out.copy()


def binary_sums(
    kind: int, two: TwoClasses, scores: NDArray[Any], weights: RowWeights, eps: float = 0.0
) -> LossSums:
    """Add up the losses of rows of two classes.

    Labels are any integers but uint64, whatever their layout; scores are probabilities of the
    positive label, no closer to 0 and 1 than ``eps``, or decisions. The sums are not to be trusted
    unless ``known == n_rows`` and ``score_faults == 0``.
    """
    labels, *values = two

    def job(rows: slice) -> tuple[list[list[float]], list[int]]:
        sums, counts = np.empty((3, 2)), np.empty(3, np.int64)
        dtype = np.int8 if labels.dtype == np.int8 else np.int64
        y, s = np.ascontiguousarray(labels[rows], dtype), readable_scores(scores[rows])
        losses.binary_losses(kind, y, s, weights.of(rows), *values, eps, sums, counts)
        return sums.tolist(), counts.tolist()

    parts = run([partial(job, rows) for rows in job_rows(len(labels))])
    sums_of_jobs, counts_of_jobs = zip(*parts, strict=True)
    loss, *weights_of_class = (
        exact_sum(chain.from_iterable(sums)) for sums in zip(*sums_of_jobs, strict=True)
    )
    positives, known, faults = map(sum, zip(*counts_of_jobs, strict=True))
    rows = np.array([known - positives, positives])
    of_class = np.array(weights_of_class) if weights.values.size else rows * 1.0
    weight = exact_sum(of_class.tolist())
    return LossSums(loss, len(labels), known, faults, 0, rows, of_class, weight, weights.exponent)


def class_sums(
    kind: int,
    columns: Columns,
    scores: NDArray[Any],
    weights: RowWeights,
    eps: float = 0.0,
    tolerance: float = 0.0,
) -> LossSums:
    """Add up the losses of rows of many classes, as `binary_sums` does those of two.

    The scores are of shape (n, k), and a row of probabilities may be off 1 by ``tolerance``.
    """
    (codes, first), n_classes = columns, scores.shape[1]

    def job(rows: slice) -> tuple[NDArray[Any], ...]:
        sums, counts = np.empty(2), np.empty(3, np.int64)
        of_class, weight = np.empty(n_classes, np.int64), np.empty((n_classes, 2))
        y, s = np.ascontiguousarray(codes[rows], np.int64), readable_scores(scores[rows])
        losses.class_losses(
            *(kind, y, first, s, weights.of(rows), eps, tolerance),
            *(sums, counts, of_class, weight),
        )
        return sums, counts, of_class, weight

    parts = run([partial(job, rows) for rows in job_rows(len(codes), n_classes)])
    loss = exact_sum(value for sums, *_ in parts for value in sums.tolist())
    known, faults, off = (int(sum(part[1][i] for part in parts)) for i in range(3))
    rows = np.sum([part[2] for part in parts], axis=0)
    of_class = rows * 1.0
    if weights.values.size:
        of_rows = np.concatenate([part[3] for part in parts], axis=1).tolist()
        of_class = np.array([exact_sum(each) for each in of_rows])
    weight = exact_sum(of_class)
    return LossSums(loss, len(codes), known, faults, off, rows, of_class, weight, weights.exponent)


def indicator_sums(
    kind: int,
    y_true: NDArray[Any],
    scores: NDArray[Any],
    weights: RowWeights,
    eps: float,
    tolerance: float,
) -> LossSums:
    """Add up the log losses or squared errors of every class of every row, as `class_sums` does.

    ``y_true`` and the scores are of shape (n, k). The ``weight_of_class`` that is returned may add
    up to more or less than ``row_weight``.
    """
    indicator = check_multilabel_indicator(y_true)
    n_rows, n_classes = indicator.shape
    of_jobs: list[float] = []
    faults = off = 0
    rows_of_class = np.zeros(n_classes, dtype=np.int64)
    weight_of_class = np.zeros(n_classes)
    for rows in job_rows(n_rows, n_classes):
        ones, p = indicator[rows] == 1, scores[rows].astype(np.float64)
        faults += p.size - int(np.count_nonzero((p >= 0) & (p <= 1)))
        off += int(np.count_nonzero(~(np.abs(p.sum(axis=1) - 1.0) <= tolerance)))
        if kind == LOG:
            p = np.where(ones, np.clip(p, eps, 1.0 - eps), 1.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                of_row = np.abs(np.log(p)).sum(axis=1)
        else:
            of_row = ((p - ones) ** 2).sum(axis=1)
        weight = weights.of(rows)
        if weight.size:
            of_row = np.where(weight > 0, of_row, 0.0) * weight
        of_jobs.append(float(of_row.sum()))
        rows_of_class += ones.sum(axis=0)
        weight_of_class += (weight if weight.size else np.ones(len(ones))) @ ones
    loss = exact_sum(of_jobs)
    row_weight = float(weights.values.sum()) if weights.values.size else float(n_rows)
    return LossSums(
        *(loss, n_rows, n_rows, faults, off),
        *(rows_of_class, weight_of_class, row_weight, weights.exponent),
    )
