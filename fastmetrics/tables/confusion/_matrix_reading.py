"""What can be read of a confusion matrix, and how it is copied and kept."""

from __future__ import annotations

from os import PathLike
from typing import IO, Any, Self

from fastmetrics.errors import InputError
from fastmetrics.tables.confusion._cells import Labels
from fastmetrics.tables.confusion._counting import Margins
from fastmetrics.tables.confusion._matrix_display import as_html, as_text
from fastmetrics.tables.confusion._matrix_file import read_matrix, write_matrix
from fastmetrics.tables.confusion._matrix_state import MatrixState, NewLabels
from fastmetrics.tables.confusion._matrix_store import Store


class MatrixReading(MatrixState):
    """The attributes of ``ConfusionMatrix``, its copies and its files."""

    __slots__ = ()

    @classmethod
    def _of(
        cls, store: Store, labels: Labels, exponent: int = 0, new_labels: NewLabels = "raise"
    ) -> Self:
        matrix = cls.__new__(cls)
        MatrixState.__init__(matrix, store, labels, exponent, new_labels)
        return matrix

    @property
    def counts(self) -> Any:
        """Counts, (K, K): row the true class, column the predicted one; read-only.

        int64, or float64 where they are weights; a SciPy sparse array if `is_sparse`. It does not
        change when the matrix does.
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
        return self._public_margins()

    @property
    def weight_exponent(self) -> int:
        """The counts are the weights times 2**weight_exponent: 0 unless they were extreme."""
        return self._exponent

    @property
    def new_labels(self) -> NewLabels:
        """What a new label does: "extend" or "raise"."""
        return self._new_labels

    @property
    def is_sparse(self) -> bool:
        """Whether only the pairs that occur are kept."""
        return self._store.is_sparse

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are float64 weights rather than int64 counts."""
        return self._store.is_weighted

    @property
    def n(self) -> int | float:
        """Number of examples, or their weight."""
        with self._lock:
            return self._store.total()

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

    def copy(self) -> Self:
        """Return a matrix of the same counts that changes on its own.

        Returns
        -------
        ConfusionMatrix

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> matrix = ConfusionMatrix.from_labels([0, 1], [0, 1])
        >>> before = matrix.copy()
        >>> matrix.update([1], [0])
        >>> before.n, matrix.n
        (2, 3)
        """
        return type(self)._of(*self._state())

    def reversed(self) -> Self:
        """Return a matrix of the classes in reverse order: of two, the other one is positive.

        Returns
        -------
        ConfusionMatrix
            Of given labels: a new one is refused.

        Examples
        --------
        >>> from fastmetrics import ConfusionMatrix
        >>> ConfusionMatrix.binary(tp=35, fp=10, fn=5, tn=50, labels=["no", "yes"]).reversed()
        ConfusionMatrix(tp=50, fp=5, fn=10, tn=35, labels=('yes', 'no'))
        """
        return type(self)._of(*self._reversed())

    def save(self, file: str | PathLike[str] | IO[bytes]) -> None:
        """Write the matrix to a ``.npz`` file, compressed and without pickle.

        Parameters
        ----------
        file : path or binary file object
            The file is written under exactly this name.

        Examples
        --------
        >>> import io
        >>> from fastmetrics import ConfusionMatrix
        >>> matrix, file = ConfusionMatrix.from_labels(["a", "b"], ["a", "a"]), io.BytesIO()
        >>> matrix.save(file)
        >>> _ = file.seek(0)
        >>> ConfusionMatrix.load(file) == matrix
        True
        """
        write_matrix(file, *self._state())

    @classmethod
    def load(cls, file: str | PathLike[str] | IO[bytes]) -> Self:
        """Read a matrix that `save` wrote; everything in it is checked again.

        Parameters
        ----------
        file : path or binary file object

        Returns
        -------
        ConfusionMatrix

        Raises
        ------
        ValueError
            If the file is not a whole matrix of this format.
        """
        return cls._of(*read_matrix(file))

    def __repr__(self) -> str:
        return as_text(*self._snapshot(), self.weight_exponent)

    def _repr_html_(self) -> str:
        return as_html(*self._snapshot(), self.weight_exponent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MatrixReading):
            return NotImplemented
        (labels, counts), (others, their_counts) = self._snapshot(), other._snapshot()
        return (
            labels == others
            and self.weight_exponent == other.weight_exponent
            and self.is_sparse == other.is_sparse
            and counts.dtype == their_counts.dtype
            and not (counts != their_counts).sum()
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Travel as the state: what arrives has a lock of its own."""
        return type(self)._of, self._state()

    def _cell(self, name: str, row: int, column: int) -> int | float:
        labels, counts = self._snapshot()
        if len(labels) != 2:
            raise InputError(
                f"`{name}` is for two classes, and this matrix has {len(labels):,}: "
                "index `counts`, or pass `labels` of two"
            )
        number: int | float = counts[row, column].item()
        return number
