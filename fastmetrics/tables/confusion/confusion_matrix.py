"""``ConfusionMatrix``: how often each class was taken for each."""

from __future__ import annotations

from typing import Any, Final, Literal, Never, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Shown, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_choice
from fastmetrics._input.weights import as_given
from fastmetrics._plots.confusion import draw_confusion
from fastmetrics._threads.workers import with_threads
from fastmetrics.tables._mergeable import Mergeable
from fastmetrics.tables.confusion._label_counts import (
    Cells,
    Labels,
    Margins,
    NewLabels,
    label_cells,
    score_cells,
)
from fastmetrics.tables.confusion._matrix_state import (
    MatrixState,
    Store,
    checked_cell,
    checked_counts,
    checked_labels,
    checked_parts,
    checked_policy,
    refuse_rows,
)
from fastmetrics.tables.score_table import ScoreTable

#: A matrix of more classes is summed up in HTML, not shown.
_SHOWN: Final = 20
_SIDES: Final = ("true", "predicted")


_SHADES: Final = {
    "true": "share of the true class",
    "pred": "share of the predicted class",
    "all": "share of all examples",
    "i": "examples",
    "f": "weight of examples",
}


def _text_of_count(cell: float) -> str:
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"


def _text_of_share(cell: float) -> str:
    if cell != cell:
        return "–"
    return f"{cell:g}" if cell in (0.0, 1.0) else f"{cell:.3f}"


def as_text(labels: Labels, counts: Any, exponent: int) -> str:
    """Return the line that ``repr`` shows."""
    scaled = f", weight_exponent={exponent}" if exponent else ""
    k = len(labels)
    if k == 2:
        (tn, fp), (fn, tp) = counts.tolist()
        return f"ConfusionMatrix({tp=}, {fp=}, {fn=}, {tn=}, labels={labels!r}{scaled})"
    shown = ", ".join(map(repr, labels if k <= 5 else [*labels[:4], ...]))
    shown = shown.replace("Ellipsis", "...")
    n, correct = counts.sum().item(), counts.diagonal().sum().item()
    classes = "class" if k == 1 else "classes"
    return (
        f"ConfusionMatrix({k:,} {classes}{' ' if k else ''}{shown}; n={n:.10g}, "
        f"{correct:.10g} correct{scaled})"
    )


def displayed(labels: Labels, counts: Any, exponent: int) -> Display:
    """Return the true classes by the predicted ones; of many classes the pairs that occur."""
    title = "true class by row, predicted by column"
    scaled = [f"Weights are times 2**{exponent}."] if exponent else []
    if len(labels) <= _SHOWN:
        at, across = np.indices(counts.shape).reshape(2, -1).tolist(), "predicted"
        cells = counts.ravel().tolist()
    else:
        title, across = as_text(labels, counts, exponent), ""
        rows, columns = counts.nonzero()
        at, cells = [rows.tolist(), columns.tolist()], counts[rows, columns].tolist()
    places = {name: [labels[k] for k in each] for name, each in zip(_SIDES, at, strict=True)}
    table = Table(places | {"count": cells}, words={"true": ""} if across else {}, across=across)
    return Display([table], title, scaled)


_ROWS: Final = """
Parameters
----------
y_true, y_pred : array-like of shape (n,)
    Labels: whole numbers, booleans or text, both of the same sort.
sample_weight : array-like of shape (n,), optional
    Weights >= 0. Integer weights are counts; a float weight makes the matrix one of weights.
"""


class ConfusionMatrix(Mergeable, Shown):
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
        Whether a label that the matrix does not know becomes a class, sorted among the others, or
        the batch is refused whole. By default "raise" where `labels` are given, else "extend".

    Raises
    ------
    TypeError, ValueError
        If the labels are not distinct classes, or not sorted beside ``new_labels="extend"``.
        Everywhere: for input of the wrong kind, or of values that have no meaning.

    Notes
    -----
    Memory: 8 K² bytes, twice that for weights, of at most 16,384 classes. Several threads may
    update one matrix. What fails leaves it as it was. NumPy takes it for its counts.

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
    >>> ConfusionMatrix.binary(tp=35, fp=10, fn=5, tn=50, labels=["no", "yes"]).reversed()
    ConfusionMatrix(tp=50, fp=5, fn=10, tn=35, labels=('yes', 'no'))
    """

    __slots__ = ()
    _state: MatrixState

    def __init__(
        self,
        labels: ArrayLike | None = None,
        *rows: Never,
        new_labels: NewLabels | None = None,
    ) -> None:
        refuse_rows(rows)
        known: Labels = () if labels is None else checked_labels(labels)
        chosen = checked_policy(new_labels, known, is_given=labels is not None)
        self._state = MatrixState(Store.empty(len(known)), known, 0, chosen)

    @classmethod
    def _of(
        cls, store: Store, labels: Labels, exponent: int = 0, new_labels: NewLabels = "raise"
    ) -> Self:
        return cls._of_state(MatrixState(store, labels, exponent, new_labels))

    @classmethod
    def _of_cells(cls, cells: Cells, new_labels: NewLabels = "raise") -> Self:
        """Return a matrix of counts that nobody else holds."""
        return cls._of(Store.of(cells.counts), cells.labels, cells.exponent, new_labels)

    @classmethod
    @documented(_ROWS)
    @with_threads
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
        labels : array-like of shape (K,), optional
            The classes, in the order of rows and columns; of two the last is positive; another
            label is an error. By default every label that occurs, in either column, with a weight;
            sorted, and other labels may join later.

        Notes
        -----
        Time O(n): one pass over whole numbers that span at most 2,048; others cost a search for
        their classes. Rows of weight 0 count as absent. Booleans, and a single label that is 0, 1
        or -1, are two classes even where only one of them occurs: {0, 1}, or {-1, 1} for -1.
        The relative error of a cell of float weights is at most ``max(2**13, K**2) * 2**-53``.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ConfusionMatrix.from_labels(["cat", "dog", "eel"], ["cat", "cat", "eel"]).counts
        array([[1, 0, 0],
               [1, 0, 0],
               [0, 0, 1]])
        """
        known = None if labels is None else checked_labels(labels)
        check_same_index(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
        cells = label_cells(y_true, y_pred, known, sample_weight)
        return cls._of_cells(cells, "extend" if labels is None else "raise")

    @classmethod
    @documented(_ROWS)
    def from_scores(
        cls,
        y_true: ArrayLike | ScoreTable,
        y_score: ArrayLike | None = None,
        *,
        threshold: float,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count what the decision score >= threshold does to two classes, (negative, positive).

        Parameters
        ----------
        y_true : array-like of shape (n,) or ScoreTable
            Labels {0, 1}, {-1, 1} or booleans; anything else with `pos_label`. Or a table, and
            then `y_score` is left out, and the labels are (0, 1).
        y_score : array-like of shape (n,), optional
            Scores; the greater, the more positive.
        threshold : int or float
            Scores at or above it are called positive, compared as real numbers; inf calls none.
        pos_label : optional
            The label of the positive class; it becomes the last of the two labels.

        Notes
        -----
        O(n) for rows, O(number of distinct scores) for a table. One class only is no error.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ConfusionMatrix.from_scores([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.4], threshold=0.4)
        ConfusionMatrix(tp=2, fp=1, fn=0, tn=1, labels=(0, 1))
        """
        return cls._of_cells(score_cells(y_true, y_score, threshold, pos_label, sample_weight))

    @classmethod
    def from_counts(cls, counts: ArrayLike, labels: ArrayLike | None = None) -> Self:
        """Make a matrix of counts (or weights) that are already at hand.

        Parameters
        ----------
        counts : array-like of shape (K, K)
            Integers (counts, exact, of a sum below 2**63) or floats (weights) >= 0; rows are true
            classes, columns predicted ones. All may be 0: the identity of merging.
        labels : array-like of shape (K,), optional
            The classes in that order, of two the positive one last; 0, 1, ..., K-1 by default.
        """
        checked, exponent = checked_counts(counts)
        k = len(checked)
        known = tuple(range(k)) if labels is None else checked_labels(labels, k)
        return cls._of_cells(Cells(checked, known, exponent))

    @classmethod
    def binary(
        cls, *, tp: float, fp: float, fn: float, tn: float, labels: ArrayLike = (0, 1)
    ) -> Self:
        """Make a matrix of two classes from its four counts.

        Parameters
        ----------
        tp, fp, fn, tn : int or float
            True and false positives, false and true negatives: counts if all are integers.
        labels : array-like of the negative and the positive label, default (0, 1)
        """
        given = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
        cells = [checked_cell(name, value) for name, value in given.items()]
        return cls.from_counts([cells[:2], cells[2:]], checked_labels(labels, 2))

    @property
    def counts(self) -> NDArray[Any]:
        """Counts, (K, K): row the true class, column the predicted one; read-only.

        int64, or float64 where they are weights. It does not change when the matrix does.
        """
        return self._state.snapshot()[1]

    @property
    def labels(self) -> Labels:
        """The K labels, in the order of rows and columns; of two the last is positive.

        None stands for a negative class that has a name, but no example to tell it.
        """
        return self._state.snapshot()[0]

    @property
    def margins(self) -> Margins:
        """Counts of each class: ``hits`` (the diagonal), ``true`` and ``predicted``, (K,) each."""
        return self._state.margins()

    @property
    def weight_exponent(self) -> int:
        """The counts are the weights times 2**weight_exponent: 0 unless they were extreme."""
        return self._state.now.exponent

    @property
    def new_labels(self) -> NewLabels:
        """What a new label does: "extend" or "raise"."""
        return self._state.new_labels

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are float64 weights rather than int64 counts."""
        return self._state.now.store.is_weighted

    @property
    def n(self) -> int | float:
        """Number of examples, or their weight."""
        return self._state.total()

    @property
    def tp(self) -> int | float:
        """True positives: of two classes, the last taken for the last."""
        return self._state.cell("tp", 1, 1)

    @property
    def fp(self) -> int | float:
        """False positives: of two classes, the first taken for the last."""
        return self._state.cell("fp", 0, 1)

    @property
    def fn(self) -> int | float:
        """False negatives: of two classes, the last taken for the first."""
        return self._state.cell("fn", 1, 0)

    @property
    def tn(self) -> int | float:
        """True negatives: of two classes, the first taken for the first."""
        return self._state.cell("tn", 0, 0)

    @documented(_ROWS)
    def update(
        self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> None:
        """Count one more batch, or leave the matrix as it was.

        Raises
        ------
        TypeError, ValueError
            Also for a new label where they are refused, for counts that would reach 2**63, and for
            weights scaled otherwise than those before (`weight_exponent`).

        Notes
        -----
        O(n), a few microseconds for up to a thousand plain integers; weights and new labels cost
        O(K²) on top.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> matrix = ConfusionMatrix(labels=["no", "yes"])
        >>> for y_true, y_pred in [(["no", "yes"], ["no", "no"]), (["yes"], ["yes"])]:
        ...     matrix.update(y_true, y_pred)
        >>> matrix
        ConfusionMatrix(tp=1, fp=0, fn=1, tn=1, labels=('no', 'yes'))
        """
        self._state.update(y_true, y_pred, sample_weight)

    def reversed(self) -> Self:
        """Return a matrix of the classes in reverse order: of two, the other one is positive."""
        return type(self)._of(*self._state.reversed())

    @classmethod
    def _of_members(cls, found: Members) -> Self:
        return cls._of(*checked_parts(found))

    def _plus(self, other: Self) -> Self:
        if other.new_labels == "raise" != self.new_labels:
            return Mergeable._plus(other, self)  # the given labels and their order stay
        return super()._plus(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        (labels, counts), (others, theirs) = self._state.snapshot(), other._state.snapshot()
        return (
            labels == others
            and self.weight_exponent == other.weight_exponent
            and counts.dtype == theirs.dtype
            and np.array_equal(counts, theirs)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Travel as the state: what arrives has a lock of its own."""
        return type(self)._of, self._state.parts()

    def __repr__(self) -> str:
        return as_text(*self._state.snapshot(), self.weight_exponent)

    def _shown(self) -> Display:
        return displayed(*self._state.snapshot(), self.weight_exponent)

    @documented()
    def plot(
        self,
        ax: Any = None,
        *,
        normalize: Literal["true", "pred", "all"] | None = None,
        **image_options: Any,
    ) -> Any:
        """Draw the matrix: true classes by row, predicted ones by column, the greater the darker.

        What is right is blue, errors are orange, each by its own scale, so that a few errors among
        many examples can be seen; with `cmap`, `norm`, `vmin` or `vmax` all cells have one scale.

        Parameters
        ----------
        normalize : {"true", "pred", "all"}, optional
            Show shares of each true class (a row sums to 1), of each predicted one, or of all
            examples; counts by default. A share of nothing is a dash.
        **image_options
            Of ``ax.imshow``: `cmap`, `vmax` and so on.

        Returns
        -------
        matplotlib Axes
            What was drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ax = ConfusionMatrix.binary(tp=35, fp=10, fn=5, tn=50).plot(normalize="true")
        >>> [text.get_text() for text in ax.texts]
        ['0.833', '0.167', '0.125', '0.875']
        """
        check_choice("normalize", normalize, ("true", "pred", "all", None))
        counts, labels, exponent = Cells.of(self)
        given = as_given(counts, exponent)  # what is beyond float64 is inf, and refused
        cells = given
        if normalize is not None:
            sums = {
                "true": counts.sum(1, keepdims=True),
                "pred": counts.sum(0),
                "all": counts.sum(),
            }
            with np.errstate(invalid="ignore"):  # 0 / 0: a class without examples
                cells = counts / sums[normalize]
        said = _text_of_share if normalize is not None else _text_of_count
        return draw_confusion(
            cells,
            [str(label) for label in labels],
            [[said(cell) for cell in row] for row in cells.tolist()],
            ax,
            shades=_SHADES[normalize or counts.dtype.kind],
            options=image_options,
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype=dtype, copy=copy)
