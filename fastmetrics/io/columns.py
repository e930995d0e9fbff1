"""Columns as they grow: Arrow batches in, one contiguous numpy array per column out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: More different texts than this are not classes; the codes fit in one byte.
MAX_CLASSES = 100

#: Where Arrow's name of a type is not numpy's.
_DTYPES = {"float": "float32", "double": "float64", "halffloat": "float16"}


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """A column of texts, one byte a row where they are few.

    Attributes
    ----------
    codes : ndarray of int8, shape (n,), or of int64 where there may be many texts
        Position of each row's text in ``values``.
    values : tuple of str
        The different texts, in order of first appearance.
    """

    codes: NDArray[np.int8] | NDArray[np.int64]
    values: tuple[str, ...]

    def to_numpy(self) -> NDArray[Any]:
        """Return the texts themselves, shape (n,), as Python strings."""
        return np.asarray(self.values, dtype=object)[self.codes]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What was read from the files.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,), or TextColumn
        In the dtype that the files have; empty where no column was asked for.
    scores : dict of str to ndarray of shape (n_rows,)
        By column name, in the order asked for, each with its dtype in the files.
    weights : ndarray of shape (n_rows,), or None
        Where a weight column was asked for.
    groups : ndarray of shape (n_rows,), or None
        Where a group column was asked for: its numbers, or the rank of its text among all texts.
    n_rows : int
        Rows kept.
    n_skipped : int
        Bad rows left out (``on_bad_row="skip"``).
    queries : ndarray of shape (n_rows,), or None
        Where a query column was asked for, as groups.
    named : dict of str to ndarray of shape (n_rows,)
        By column name, those that were asked for with their names.
    """

    labels: NDArray[Any] | TextColumn
    scores: dict[str, NDArray[Any]]
    weights: NDArray[Any] | None
    groups: NDArray[Any] | None
    n_rows: int
    n_skipped: int
    queries: NDArray[Any] | None = None
    named: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def label_values(self) -> NDArray[Any]:
        """The labels, texts as texts."""
        return values_of_column(self.labels)


def values_of_column(column: NDArray[Any] | TextColumn) -> NDArray[Any]:
    """Return the values of a column, texts as texts."""
    return column if isinstance(column, np.ndarray) else column.to_numpy()


# Arrow's own `to_numpy` imports pandas where there is one: a third of a second, during which
# Ctrl-C goes unheard.


def values_of(arrow: Any) -> NDArray[Any]:
    """Return the values of an Arrow array of numbers without a copy; anything where it is null."""
    dtype = np.dtype(_DTYPES.get(str(arrow.type), str(arrow.type)))
    if len(arrow) == 0:
        return np.empty(0, dtype)
    start = arrow.offset * dtype.itemsize
    values: NDArray[Any] = np.frombuffer(arrow.buffers()[1], dtype, len(arrow), start)
    return values


def missing_of(arrow: Any) -> NDArray[np.bool_] | None:
    """Return where an Arrow array is null, or None where it has no null."""
    if not arrow.null_count:
        return None
    valid = np.unpackbits(np.frombuffer(arrow.buffers()[0], np.uint8), bitorder="little")
    missing: NDArray[np.bool_] = valid[arrow.offset : arrow.offset + len(arrow)] == 0
    return missing


class GrowingArray:
    """An array that grows at its end without ever existing twice in full."""

    def __init__(self) -> None:
        self._buffer: NDArray[Any] | None = None
        self._n = 0

    def append(self, values: NDArray[Any]) -> None:
        """Copy ``values`` to the end."""
        end = self._n + len(values)
        if self._buffer is None:
            self._buffer = np.empty(end, dtype=values.dtype)
        elif end > len(self._buffer):
            # Large blocks are remapped by the operating system, not copied.
            self._buffer.resize(max(end, len(self._buffer) * 9 // 8), refcheck=False)
        self._buffer[self._n : end] = values
        self._n = end

    def finish(self) -> NDArray[Any]:
        """Return the array, cut to its length."""
        if self._buffer is None:
            return np.empty(0)
        self._buffer.resize(self._n, refcheck=False)
        return self._buffer


class TextCodes:
    """Turns batches of text into codes, of one byte each unless there may be many texts."""

    def __init__(self, *, many: bool = False) -> None:
        self._codes: dict[str, int] = {}
        self._many = many

    @property
    def values(self) -> tuple[str, ...]:
        """The different texts seen so far."""
        return tuple(self._codes)

    def ranks(self, codes: NDArray[Any]) -> NDArray[np.int64]:
        """Return each code's place in the order of the texts, which does not depend on the rows."""
        order = sorted(range(len(self._codes)), key=list(self._codes).__getitem__)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        ranks: NDArray[np.int64] = rank[codes]
        return ranks

    def encode(self, batch: Any) -> NDArray[Any]:
        """Return the codes of an Arrow array of strings; a null gets an arbitrary code."""
        encoded = batch.dictionary_encode()
        texts = encoded.dictionary.to_pylist()
        new = [self._codes.setdefault(text, len(self._codes)) for text in texts]
        if len(self._codes) > MAX_CLASSES and not self._many:
            raise ValueError(f"more than {MAX_CLASSES} different labels")
        table = np.asarray(new or [0], dtype=np.int64 if self._many else np.int8)
        positions = values_of(encoded.indices)
        missing = missing_of(batch)
        if missing is not None:
            positions = np.where(missing, 0, positions)
        codes: NDArray[Any] = table[positions]
        return codes
