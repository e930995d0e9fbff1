"""``ConfusionMatrix``: how often each class was taken for each."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike

from fastmetrics._input.scalars import check_choice
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables.confusion._cells import Labels, label_cells
from fastmetrics.tables.confusion._matrix_checks import checked_cell, checked_counts, checked_labels
from fastmetrics.tables.confusion._matrix_reading import MatrixReading
from fastmetrics.tables.confusion._matrix_state import NewLabels, empty_store
from fastmetrics.tables.confusion._matrix_store import DenseStore
from fastmetrics.tables.confusion._score_cells import score_cells
from fastmetrics.tables.scores.score_table import ScoreTable


class ConfusionMatrix(MatrixReading):
    """How many examples of each class were taken for each class.

    It is all that accuracy, precision, F1, Matthews' coefficient, cost and their kin need of the
    data. It takes a stream of batches with `update`, and merges with ``+``, ``sum`` or `merge`:
    across threads, files and machines, in any order, exactly. `from_labels`, `from_scores`,
    `from_counts` and `binary` make one of what is at hand.

    Parameters
    ----------
    labels : array-like of shape (K,), optional
        The classes, in the order of rows and columns; **of two labels the last is the positive
        one**. By default those that the batches bring, sorted.
    new_labels : {"extend", "raise"}, optional
        What a label does that the matrix does not know: it becomes a class, and the labels stay
        sorted; or the batch is refused whole. By default "raise" where `labels` are given, else
        "extend".
    sparse : bool, default False
        Whether to keep only the pairs that occur, for very many classes: `counts` is a SciPy
        sparse array then.

    Raises
    ------
    TypeError, ValueError
        If the labels are not distinct classes, or given in an order of their own (not sorted)
        together with ``new_labels="extend"``.

    Notes
    -----
    Memory: 8 K² bytes, twice that for weights; `sparse`: 16 bytes a pair that occurs. Several
    threads may update one matrix. What fails (a wrong batch, an interrupt) leaves it as it was.

    Examples
    --------
    >>> from fastmetrics import ConfusionMatrix
    >>> matrix = ConfusionMatrix()
    >>> matrix.update([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
    >>> matrix
    ConfusionMatrix(tp=2, fp=0, fn=1, tn=2, labels=(0, 1))
    >>> matrix.update([2, 2], [2, 1])
    >>> matrix.counts
    array([[2, 0, 0],
           [1, 2, 0],
           [0, 1, 1]])
    >>> matrix + matrix == sum([matrix, matrix])
    True
    """

    __slots__ = ()

    def __init__(
        self,
        labels: ArrayLike | None = None,
        *,
        new_labels: NewLabels | None = None,
        sparse: bool = False,
    ) -> None:
        known: Labels = () if labels is None else checked_labels(labels, sparse=sparse)
        chosen = _policy(new_labels, known, is_given=labels is not None)
        super().__init__(empty_store(len(known), sparse), known, 0, chosen)

    @classmethod
    def from_labels(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> Self:
        """Count pairs of true and predicted labels.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
            Labels: whole numbers, booleans or text, both of the same sort.
        labels : array-like of shape (K,), optional
            The classes, in the order of rows and columns; of two the last is positive. By default
            every label that occurs, in either column, with a weight; sorted, and other labels may
            join later.
        sample_weight : array-like of shape (n,), optional
            Weights >= 0. Integer weights are counts: the matrix then stays exact.
        n_threads : int, optional
            Threads that count; None means every processor the process may use.

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
        Time O(n): one pass over whole numbers that span at most 2,048; others cost a search for
        their classes. Rows of weight 0 count as absent. Booleans, and a single label that is 0, 1
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
        cells, exponent = label_cells(y_true, y_pred, known, sample_weight, n_threads)
        policy: NewLabels = "extend" if labels is None else "raise"
        return cls._of(DenseStore.of(cells.counts), cells.labels, exponent, policy)

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
        return cls._of(DenseStore.of(cells.counts), cells.labels, exponent)

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
        return cls._of(DenseStore.of(checked), known, exponent)

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

    def update(
        self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> None:
        """Count one more batch.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
            Labels: whole numbers, booleans or text, of the sort that the matrix has.
        sample_weight : array-like of shape (n,), optional
            Weights >= 0. A float weight makes the matrix one of weights.

        Raises
        ------
        TypeError, ValueError
            As `from_labels`; for a new label where they are refused; for counts that would reach
            2**63, and for weights scaled otherwise than those before (`weight_exponent`). The
            matrix is then as it was.

        Notes
        -----
        O(n), and for a batch of up to a thousand plain integers a few microseconds; weights and
        new labels cost O(K²) on top.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> matrix = ConfusionMatrix(labels=["no", "yes"])
        >>> for y_true, y_pred in [(["no", "yes"], ["no", "no"]), (["yes"], ["yes"])]:
        ...     matrix.update(y_true, y_pred)
        >>> matrix
        ConfusionMatrix(tp=1, fp=0, fn=1, tn=1, labels=('no', 'yes'))
        """
        self._update(y_true, y_pred, sample_weight)

    def merge(self, *others: ConfusionMatrix) -> None:
        """Add other matrices to this one, in place; ``+`` and ``sum`` make a new one.

        Parameters
        ----------
        *others : ConfusionMatrix

        Raises
        ------
        TypeError, ValueError
            If a matrix has labels that this one does not take (two matrices of given labels must
            have the same ones in the same order), if one has text and the other numbers, or if
            the weights are scaled differently. What came before it is then counted already.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> total = ConfusionMatrix()
        >>> total.merge(*(ConfusionMatrix.from_labels([k, 0], [k, 0]) for k in range(3)))
        >>> total.counts.diagonal().tolist()
        [4, 1, 1]
        """
        for other in others:
            if not isinstance(other, ConfusionMatrix):
                raise InputTypeError(f"a ConfusionMatrix is needed: got {type(other).__qualname__}")
        for other in others:
            self._merge(other.copy())

    def reset(self) -> None:
        """Forget all counts, and the labels that were not given.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> matrix = ConfusionMatrix.from_labels([0, 1], [0, 1], labels=[0, 1])
        >>> matrix.reset()
        >>> matrix
        ConfusionMatrix(tp=0, fp=0, fn=0, tn=0, labels=(0, 1))
        """
        self._reset()

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if self.new_labels == "extend" and other.new_labels == "raise":
            self, other = other, self  # the given labels and their order stay
        total = self.copy()
        total._merge(other.copy())
        return total

    def __radd__(self, other: object) -> ConfusionMatrix:
        if isinstance(other, int) and other == 0:  # so that sum(matrices) works
            return self.copy()
        return NotImplemented


def _policy(new_labels: NewLabels | None, labels: Labels, *, is_given: bool) -> NewLabels:
    if new_labels is None:
        return "raise" if is_given else "extend"
    check_choice("new_labels", new_labels, ("extend", "raise"))
    if new_labels == "raise" and not is_given:
        raise InputError('`new_labels`="raise" needs `labels`: no label would be known')
    if new_labels == "extend" and labels != tuple(sorted(labels)):
        raise InputError(
            f'`labels` must be sorted where `new_labels`="extend", as they stay then: got {labels}'
        )
    return new_labels
