"""``ConfusionMatrix``: how often each class was taken for each."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics.tables._cells import Labels, label_cells
from fastmetrics.tables._matrix_checks import (
    check_total,
    checked_cell,
    checked_counts,
    checked_labels,
    labels_differ,
)
from fastmetrics.tables._score_cells import score_cells
from fastmetrics.tables.score_table import ScoreTable

#: A matrix of more classes is summed up in HTML, not shown.
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionMatrix:
    """How many examples of each class were taken for each class.

    It is all that accuracy, precision, F1, Matthews' coefficient, cost and their kin need of the
    data, it merges with ``+`` (or ``sum``), and it is never modified. Make one with `from_labels`,
    `from_scores`, `from_counts` or `binary`.

    Attributes
    ----------
    counts : ndarray of shape (K, K)
        ``counts[i, j]`` examples of class ``labels[i]`` were taken for class ``labels[j]``: int64,
        or float64 where they are weights that need not be whole; read-only.
    labels : tuple of K labels
        Sorted, unless an order was given. **Of two labels the last is the positive one**, so that
        ``counts[1, 1]`` is the number of true positives. None stands for a negative class that
        has a name, but no example to tell it.
    weight_exponent : int
        The counts are the weights times ``2**weight_exponent``: 0 unless the weights were so
        extreme that products of their sums would have left the range of float64.

    Notes
    -----
    Memory is 8 K² bytes, whatever the number of examples.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrix
    >>> matrix = ConfusionMatrix.from_labels([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
    >>> matrix
    ConfusionMatrix(tp=2, fp=0, fn=1, tn=2, labels=(0, 1))
    >>> matrix.counts
    array([[2, 0],
           [1, 2]])
    >>> matrix + matrix
    ConfusionMatrix(tp=4, fp=0, fn=2, tn=4, labels=(0, 1))
    """

    counts: NDArray[Any]
    labels: Labels
    weight_exponent: int = 0

    def __post_init__(self) -> None:
        counts = self.counts.view()
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)

    @classmethod
    def from_labels(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count pairs of true and predicted labels.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
            Labels: whole numbers, booleans or text, both of the same sort.
        labels : array-like of shape (K,), optional
            The classes, in the order of rows and columns; of two the last is positive. By default
            every label that occurs, in either column, with a weight; sorted. Needed for matrices
            that are to be merged, where a part may lack a class.
        sample_weight : array-like of shape (n,), optional
            Weights >= 0. Integer weights are counts: the matrix then stays exact.

        Returns
        -------
        ConfusionMatrix

        Raises
        ------
        TypeError, ValueError
            For input of the wrong kind or of different lengths, for labels that are no classes,
            and for a label that `labels` does not name.

        Notes
        -----
        Time O(n) for whole numbers that span at most 1,024; others cost a search for their
        classes. Rows of weight 0 count as absent. Booleans, and a single label that is 0, 1
        or -1, are two classes even where only one of them occurs: {0, 1}, or {-1, 1} for -1.
        A cell of float weights is a compensated sum: its relative error is at most
        ``max(2**13, K**2) * 2**-53``.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ConfusionMatrix.from_labels(["cat", "dog", "eel"], ["cat", "cat", "eel"]).counts
        array([[1, 0, 0],
               [1, 0, 0],
               [0, 0, 1]])
        """
        known = None if labels is None else checked_labels(labels)
        cells, exponent = label_cells(y_true, y_pred, known, sample_weight)
        return cls(*cells, exponent)

    @classmethod
    def from_scores(
        cls,
        y_true: ArrayLike | ScoreTable,
        y_score: ArrayLike | None = None,
        *,
        threshold: float,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count what the decision score >= threshold does to two classes.

        Parameters
        ----------
        y_true : array-like of shape (n,) or ScoreTable
            Labels {0, 1}, {-1, 1} or booleans; anything else with `pos_label`. Or a table, and
            then `y_score` is left out.
        y_score : array-like of shape (n,), optional
            Scores; the greater, the more positive.
        threshold : int or float
            Scores at or above it are called positive, compared as real numbers; inf calls none.
        pos_label : optional
            The label of the positive class; it becomes the last of the two labels.
        sample_weight : array-like of shape (n,), optional
            Weights >= 0. Integer weights are counts.

        Returns
        -------
        ConfusionMatrix
            Of two classes: labels (negative, positive), those of a table being (0, 1).

        Raises
        ------
        TypeError, ValueError
            For input of the wrong kind, or with values that have no meaning; the message names
            the argument, the rule, what came and where.

        Notes
        -----
        O(n) for rows, O(number of distinct scores) for a table; no sort. One class only is no
        error: its row of counts is 0.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ConfusionMatrix.from_scores([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.4], threshold=0.4)
        ConfusionMatrix(tp=2, fp=1, fn=0, tn=1, labels=(0, 1))
        """
        cells, exponent = score_cells(y_true, y_score, threshold, pos_label, sample_weight)
        return cls(*cells, exponent)

    @classmethod
    def from_counts(cls, counts: ArrayLike, labels: ArrayLike | None = None) -> Self:
        """Make a matrix of counts (or weights) that are already at hand.

        Parameters
        ----------
        counts : array-like of shape (K, K)
            Integers (counts, exact) or floats (weights) >= 0; rows are true classes, columns
            predicted ones. All may be 0: the identity of merging.
        labels : array-like of shape (K,), optional
            The classes in that order, of two the positive one last; 0, 1, ..., K-1 by default.

        Returns
        -------
        ConfusionMatrix

        Raises
        ------
        TypeError, ValueError
            If the matrix is not square, a count is negative or not finite, the counts sum to
            2**63 or more, or the labels are not K different ones.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ConfusionMatrix.from_counts([[50, 10], [5, 35]], labels=["no", "yes"])
        ConfusionMatrix(tp=35, fp=10, fn=5, tn=50, labels=('no', 'yes'))
        """
        checked, exponent = checked_counts(counts)
        k = len(checked)
        known = tuple(range(k)) if labels is None else checked_labels(labels, k)
        return cls(checked, known, exponent)

    @classmethod
    def binary(
        cls, *, tp: float, fp: float, fn: float, tn: float, labels: ArrayLike = (0, 1)
    ) -> Self:
        """Make a matrix of two classes from its four counts.

        Parameters
        ----------
        tp, fp, fn, tn : int or float
            True and false positives, false and true negatives: counts if all are integers,
            else weights.
        labels : array-like of the negative and the positive label, default (0, 1)

        Returns
        -------
        ConfusionMatrix

        Raises
        ------
        TypeError, ValueError
            If a count is no number, negative or not finite, or there are not two labels.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ConfusionMatrix.binary(tp=35, fp=10, fn=5, tn=50).counts
        array([[50, 10],
               [ 5, 35]])
        """
        cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        cells = {name: checked_cell(name, value) for name, value in cells.items()}
        return cls.from_counts(
            [[cells["tn"], cells["fp"]], [cells["fn"], cells["tp"]]], checked_labels(labels, 2)
        )

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are float64 weights rather than int64 counts."""
        return self.counts.dtype.kind == "f"

    @property
    def n(self) -> int | float:
        """Number of examples, or their weight."""
        return _plain_number(self.counts.sum())

    @property
    def tp(self) -> int | float:
        """True positives: of two classes, the last taken for the last."""
        return self._cell("tp", 1, 1)

    @property
    def fp(self) -> int | float:
        """False positives: of two classes, the first taken for the last."""
        return self._cell("fp", 0, 1)

    @property
    def fn(self) -> int | float:
        """False negatives: of two classes, the last taken for the first."""
        return self._cell("fn", 1, 0)

    @property
    def tn(self) -> int | float:
        """True negatives: of two classes, the first taken for the first."""
        return self._cell("tn", 0, 0)

    def __repr__(self) -> str:
        k = len(self.labels)
        scaled = f", weight_exponent={self.weight_exponent}" if self.weight_exponent else ""
        if k == 2:
            cells = ", ".join(
                f"{name}={getattr(self, name)!r}" for name in ("tp", "fp", "fn", "tn")
            )
            return f"ConfusionMatrix({cells}, labels={self.labels!r}{scaled})"
        shown = ", ".join(map(repr, self.labels if k <= 5 else [*self.labels[:4], ...]))
        shown = shown.replace("Ellipsis", "...")
        correct = _plain_number(np.trace(self.counts))
        classes = "class" if k == 1 else "classes"
        return (
            f"ConfusionMatrix({k:,} {classes} {shown}; n={self.n:.10g}, "
            f"{correct:.10g} correct{scaled})"
        )

    def _repr_html_(self) -> str:
        if len(self.labels) > _SHOWN:
            return f"<p>{html.escape(repr(self))}</p>"
        names = [html.escape(str(label)) for label in self.labels]
        head = "".join(f"<th>{name}</th>" for name in names)
        body = "".join(
            f"<tr><th>{name}</th>{''.join(f'<td>{cell:.10g}</td>' for cell in row)}</tr>"
            for name, row in zip(names, self.counts.tolist(), strict=True)
        )
        caption = "ConfusionMatrix: true class by row, predicted by column"
        return f"<table><caption>{caption}</caption><tr><th></th>{head}</tr>{body}</table>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        return (
            self.labels == other.labels
            and self.weight_exponent == other.weight_exponent
            and self.counts.dtype == other.counts.dtype
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if self.labels != other.labels:
            differ = labels_differ(self.labels, other.labels)
            raise ValueError(
                f"matrices of different labels cannot be merged: {differ}; pass the same `labels` "
                "to both"
            )
        if self.weight_exponent != other.weight_exponent and self.n and other.n:
            raise ValueError(
                "matrices of differently scaled weights cannot be merged: weight_exponent "
                f"{self.weight_exponent} and {other.weight_exponent}"
            )
        if not (self.is_weighted or other.is_weighted):
            check_total(self.n + other.n)
        exponent = self.weight_exponent if self.n else other.weight_exponent
        return ConfusionMatrix(self.counts + other.counts, self.labels, exponent)

    def __radd__(self, other: object) -> ConfusionMatrix:
        if isinstance(other, int) and other == 0:  # so that sum(matrices) works
            return self
        return NotImplemented

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """Travel as fields: what arrives (or is copied) is read-only again."""
        return type(self), (self.counts, self.labels, self.weight_exponent)

    def _cell(self, name: str, row: int, column: int) -> int | float:
        if len(self.labels) != 2:
            raise ValueError(
                f"`{name}` is for two classes, and this matrix has {len(self.labels):,}: "
                "index `counts`, or pass `labels` of two"
            )
        return _plain_number(self.counts[row, column])


def _plain_number(value: Any) -> int | float:
    number: int | float = value.item()
    return number
