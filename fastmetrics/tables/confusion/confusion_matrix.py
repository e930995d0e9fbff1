"""``ConfusionMatrix``: how often each class was taken for each."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, Final, Literal, Never, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Shown, Table
from fastmetrics._docs import documented
from fastmetrics._files import Members, as_json
from fastmetrics._input.classes import LabelColumns, check_label_columns, sort_classes
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import check_choice
from fastmetrics._input.scores import as_given, check_weights
from fastmetrics._kernels import cells as kernels
from fastmetrics._plots.confusion import draw_confusion
from fastmetrics._threads.workers import with_threads
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.tables._mergeable import Mergeable
from fastmetrics.tables.confusion._label_counts import (
    MOST_CLASSES,
    Cells,
    Labels,
    Margins,
    are_plain,
    check_kind,
    completed_labels,
    count_columns,
    label_cells,
    merged_labels,
    number_labels,
    score_cells,
)
from fastmetrics.tables.confusion._matrix_state import (
    MatrixState,
    check_mergeable,
    check_total,
    checked_cell,
    checked_counts,
    checked_labels,
    first_unknown,
    read_state,
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


def _empty(labels: Labels) -> MatrixState:
    k = len(labels)
    return MatrixState(np.zeros((1, k, k), np.int64), labels)


def _count_text(cell: float) -> str:
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"


def _proportion_text(cell: float) -> str:
    if cell != cell:
        return "–"
    return f"{cell:g}" if cell in (0.0, 1.0) else f"{cell:.3f}"


_ROWS: Final = """
Parameters
----------
y_true, y_pred : array-like of shape (n,)
    Labels: whole numbers, booleans or text, both of the same sort.
sample_weight : array-like of shape (n,), optional
    Weights >= 0. Integer weights are counts; a float weight makes the matrix one of weights.
"""


class ConfusionMatrix(Mergeable, Shown):
    """Counts of true and predicted classes.

    It is all that accuracy, precision, F1, Matthews' coefficient, cost and their kin need of the
    data. It takes a stream of batches with `update`, and merges with ``+``, ``sum`` or `merge`:
    across threads, files and machines, in any order, exactly. `from_labels`, `from_scores`,
    `from_counts` and `binary` make one of what is at hand.

    Parameters
    ----------
    labels : array-like of shape (K,), optional
        The classes, in the order of rows and columns; **of two labels the last is the positive
        one**; a batch with another label is refused whole. By default those that the batches
        bring, sorted.

    Raises
    ------
    TypeError, ValueError
        If the labels are not distinct classes. Everywhere: for input of the wrong kind, or of
        values that have no meaning.

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

    # The state has the labels seen so far (or given); the public ones complete half of a pair. A
    # state that was handed out is copied before it changes: `counts` are a snapshot, and cost
    # nothing. A change of labels, of kind or of scale makes another state; counts are added last,
    # at one stroke. What fails on the way, or is interrupted, leaves the state before it at hand.
    __slots__ = ("_bound", "_is_fixed", "_lock", "_state")
    _state: MatrixState
    #: Whether labels were given: then others are refused.
    _is_fixed: bool
    #: At least what integer counts sum to.
    _bound: int | float

    def __init__(self, labels: ArrayLike | None = None, *rows: Never) -> None:
        if rows:
            raise InputTypeError(
                "`labels` make a ConfusionMatrix that waits for batches: one of rows that are at "
                "hand is `ConfusionMatrix.from_labels(y_true, y_pred)`"
            )
        known: Labels = () if labels is None else checked_labels(labels)
        self._set(_empty(known), labels is not None)

    def _set(self, state: MatrixState, is_fixed: bool) -> None:
        self._lock = threading.RLock()
        self._is_fixed = is_fixed
        self._state = state
        self._bound = state.total()

    @classmethod
    def _of(cls, state: MatrixState, is_fixed: bool = True) -> Self:
        """Return the matrix of a state that is not shared."""
        made = cls.__new__(cls)
        made._set(state, is_fixed)
        return made

    @classmethod
    def _from_cells(cls, cells: Cells, is_fixed: bool = True) -> Self:
        """Return a matrix of counts that are not shared."""
        return cls._of(MatrixState.of(cells), is_fixed)

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
        return cls._from_cells(cells, labels is not None)

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
        return cls._from_cells(score_cells(y_true, y_score, threshold, pos_label, sample_weight))

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
        return cls._from_cells(Cells(checked, known, exponent))

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
        return self._snapshot()[1]

    @property
    def labels(self) -> Labels:
        """The K labels, in the order of rows and columns; of two the last is positive.

        None stands for a negative class that has a name, but no example to tell it.
        """
        return self._snapshot()[0]

    @property
    def margins(self) -> Margins:
        """Counts of each class: ``hits`` (the diagonal), ``true`` and ``predicted``, (K,) each."""
        with self._lock:
            return Margins.of(self._complete_state().compensated())

    @property
    def weight_exponent(self) -> int:
        """The counts are the weights times 2**weight_exponent: 0 unless they were extreme."""
        return self._state.exponent

    @property
    def is_weighted(self) -> bool:
        """True if the counts are float64 weights rather than int64 counts."""
        return self._state.is_weighted

    @property
    def n(self) -> int | float:
        """Number of examples, or their weight."""
        with self._lock:
            return self._state.total()

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
        if sample_weight is None and self._count_small(y_true, y_pred):
            return
        check_same_index(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
        columns = check_label_columns(y_true, y_pred)
        weights = None if sample_weight is None else check_weights(sample_weight, columns.n_rows)
        k = len(self._state.labels)
        if 4 * columns.n_rows >= k * k:
            counts = count_columns(columns, weights)
            with self._changing():
                self._add(MatrixState.of(counts), columns)
            return
        coded = [each.coded() for each in columns.clean()]
        if weights is not None and not weights.values.all():  # rows of weight 0 are absent
            has = weights.values > 0
            coded = [sort_classes(each.classes, each.codes[has]) for each in coded]
            weights = weights._replace(values=weights.values[has])
        with self._changing():
            self._take_in(merged_labels(coded, columns.label_type), columns)
            if weights is None:
                self._prepare(is_weighted=False, exponent=0)
            else:
                self._prepare(not weights.is_integer, weights.exponent)
            self._count_in(columns.n_rows if weights is None else float(weights.values.sum()))
            rows, names = (number_labels(each, self._state.numbers) for each in coded)
            self._state.add_codes(rows, names, weights)

    def reset(self) -> None:
        """Forget all rows, and labels that were not given."""
        with self._lock:
            labels = self._state.labels if self._is_fixed else ()
            self._state, self._bound = _empty(labels), 0

    def reversed(self) -> Self:
        """Return a matrix of the classes in reverse order: of two, the other one is positive."""
        with self._lock:
            state = self._complete_state()
            return self._of(state.arrange(np.arange(len(state.labels))[::-1], state.labels[::-1]))

    def _snapshot(self) -> tuple[Labels, NDArray[Any]]:
        """Return the public labels and counts; a known pair has both labels."""
        with self._lock:
            state = self._complete_state()
            counts = state.compensated()
            state.is_shared = not state.is_weighted
        counts.flags.writeable = False
        return state.labels, counts

    def _complete_state(self) -> MatrixState:
        """Return the state of the public labels, which the lock guards."""
        labels = self._state.labels
        pair = labels if self._is_fixed else completed_labels(labels)
        if pair == labels:
            return self._state
        return self._state.arrange(np.array([pair.index(labels[0])]), pair)

    def _cell(self, name: str, row: int, column: int) -> int | float:
        """Return a cell of two classes, which has that name."""
        labels, counts = self._snapshot()
        if len(labels) != 2:
            raise InputError(
                f"`{name}` is for two classes, and this matrix has {len(labels):,}: "
                "index `counts`, or pass `labels` of two"
            )
        number: int | float = counts[row, column].item()
        return number

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock; an exception before counts are added leaves the state as it was."""
        with self._lock:
            before = self._state
            try:
                yield
            except BaseException:
                self._state = before
                raise

    def _count_small(self, y_true: Any, y_pred: Any) -> bool:
        """Count a block of plain integers, of which only the range is checked."""
        low = self._state.low
        if low is None or not are_plain(y_true, y_pred, kernels.BLOCK):
            return False
        n = len(y_true)
        with self._lock:
            if self._state.low != low or self._state.is_weighted:
                return False
            self._unshare()
            self._count_in(n)
            sums = self._state.sums.reshape(-1)
            k = len(self._state.labels)
            counted: int = kernels.count_cells(y_true, y_pred, low, k, 1, sums)
            return counted == n  # of a single block: all or none

    def _join(self, other: Self) -> None:
        state, is_fixed = other._copied_state()
        with self._changing():
            check_mergeable(self._state.labels, state.labels, self._is_fixed, is_fixed)
            self._add(state, None)

    def _add(self, more: MatrixState, columns: LabelColumns | None) -> None:
        """Add counts; their labels are taken in first."""
        indices = self._take_in(more.labels, columns)
        more = more.arrange(indices, self._state.labels)
        n = more.total()
        self._prepare(more.is_weighted, more.exponent, is_empty=not n)
        self._count_in(n)
        self._state.add(more if more.is_weighted == self._state.is_weighted else more.as_float())

    def _take_in(self, labels: Labels, columns: LabelColumns | None) -> NDArray[np.int64]:
        """Return the numbers of labels, after taking in those that are new, or raise."""
        known = self._state.labels
        if columns is not None:
            check_kind(columns, known)
        unknown = [label for label in labels if label not in self._state.numbers]
        if unknown:
            if self._is_fixed and columns is not None:
                raise first_unknown(unknown, columns, known)
            merged = tuple(sorted({*known, *unknown}))
            if len(merged) > MOST_CLASSES:
                raise InputError(
                    f"{len(merged):,} labels, at most {MOST_CLASSES:,} make a matrix: are they "
                    "scores or identifiers?"
                )
            indices = np.flatnonzero([label in self._state.numbers for label in merged])
            self._state = self._state.arrange(indices, merged)
        return np.array([self._state.numbers[label] for label in labels], np.int64)

    def _prepare(self, is_weighted: bool, exponent: int, *, is_empty: bool = False) -> None:
        """Make the state ready for counts of that kind, or raise."""
        exponent_here = self._state.exponent
        if exponent != exponent_here and not is_empty:
            if self._state.total():
                raise InputError(
                    "matrices of differently scaled weights cannot be merged: weight_exponent "
                    f"{exponent_here} and {exponent}"
                )
            self._state = self._state.copy(exponent)
        if is_weighted and not self._state.is_weighted:
            self._state = self._state.as_float()
        self._unshare()

    def _unshare(self) -> None:
        if self._state.is_shared:
            self._state = self._state.copy()

    def _count_in(self, more: int | float) -> None:
        """Raise if integer counts would leave int64."""
        if self._state.is_weighted:
            return
        if self._bound + more >= 2**62:
            self._bound = self._state.total()
            check_total(self._bound + int(more))
        self._bound += int(more)

    def _copied_state(self) -> tuple[MatrixState, bool]:
        with self._lock:
            return self._state.copy(), self._is_fixed

    def _members(self) -> Members:
        """Return the pairs that occur, the labels, and whether these were given."""
        state, is_fixed = self._copied_state()
        rows, columns = np.nonzero(state.compensated())
        return {
            "keys": rows.astype(np.int64) << 32 | columns,
            "values": state.sums[0, rows, columns],
            "lost": state.sums[1, rows, columns] if state.is_weighted else np.zeros(0),
            "labels": as_json(state.labels),
            "weight_exponent": np.array(state.exponent),
            "is_fixed": np.array(is_fixed),
        }

    @classmethod
    def _from_members(cls, members: Members) -> Self:
        return cls._of(*read_state(members))

    def _plus(self, other: Self) -> Self:
        if other._is_fixed and not self._is_fixed:
            return Mergeable._plus(other, self)  # the given labels and their order stay
        return super()._plus(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        labels, counts = self._snapshot()
        others, theirs = other._snapshot()
        return (
            labels == others
            and self.weight_exponent == other.weight_exponent
            and counts.dtype == theirs.dtype
            and np.array_equal(counts, theirs)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the state; the copy has its own lock."""
        return self._of, self._copied_state()

    def __repr__(self) -> str:
        labels, counts = self._snapshot()
        exponent = self.weight_exponent
        scaled = f", weight_exponent={exponent}" if exponent else ""
        k = len(labels)
        if k == 2:
            (tn, fp), (fn, tp) = counts.tolist()
            return f"ConfusionMatrix({tp=}, {fp=}, {fn=}, {tn=}, labels={labels!r}{scaled})"
        labels_text = ", ".join(map(repr, labels if k <= 5 else [*labels[:4], ...]))
        labels_text = labels_text.replace("Ellipsis", "...")
        correct = counts.diagonal().sum().item()
        classes = "class" if k == 1 else "classes"
        return (
            f"ConfusionMatrix({k:,} {classes}{' ' if k else ''}{labels_text}; "
            f"n={counts.sum().item():.10g}, {correct:.10g} correct{scaled})"
        )

    def _display(self) -> Display:
        """Return the true classes by the predicted ones; of many classes the pairs that occur."""
        labels, counts = self._snapshot()
        exponent = self.weight_exponent
        title = "true class by row, predicted by column"
        scaled = [f"Weights are times 2**{exponent}."] if exponent else []
        if len(labels) <= _SHOWN:
            at = np.indices(counts.shape).reshape(2, -1).tolist()
            across = "predicted"
            cells = counts.ravel().tolist()
        else:
            title = repr(self)
            across = ""
            rows, columns = counts.nonzero()
            at = [rows.tolist(), columns.tolist()]
            cells = counts[rows, columns].tolist()
        labels_of_cells = {
            name: [labels[k] for k in each] for name, each in zip(_SIDES, at, strict=True)
        }
        headers = {"true": ""} if across else {}
        table = Table(labels_of_cells | {"count": cells}, words=headers, across=across)
        return Display([table], title, scaled)

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
        cell_text = _proportion_text if normalize is not None else _count_text
        return draw_confusion(
            cells,
            [str(label) for label in labels],
            [[cell_text(cell) for cell in row] for row in cells.tolist()],
            ax,
            shades=_SHADES[normalize or counts.dtype.kind],
            options=image_options,
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype=dtype, copy=copy)
