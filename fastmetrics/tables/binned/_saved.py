"""What tables of bins have in common as they travel: bytes, files, pickles and copies."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from fastmetrics._files import File, Members, read_archive, write_archive
from fastmetrics.errors import InputTypeError
from fastmetrics.tables.binned.bin_layout import FORMAT


class Saved(ABC):
    """Copies, pickles and files of a table are all made of the members of its file."""

    __slots__ = ()

    @abstractmethod
    def _members(self) -> Members:
        """Return arrays that hold all that the table is, and do not change with it."""

    @classmethod
    @abstractmethod
    def _of_members(cls, found: Members) -> Self:
        """Return the table of such arrays; what is not right about them is a ValueError."""

    def to_bytes(self) -> bytes:
        """Return all of the table as bytes, which `from_bytes` reads: versioned, without pickle.

        Returns
        -------
        bytes
            What `save` writes: an ``.npz`` archive, each array with its CRC-32.

        Examples
        --------
        >>> from fastmetrics import BinnedScoreTable
        >>> table = BinnedScoreTable()
        >>> table.update([0, 1], [0.2, 0.7])
        >>> BinnedScoreTable.from_bytes(table.to_bytes()) == table
        True
        """
        file = io.BytesIO()
        self.save(file)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the table that `to_bytes` wrote; everything in it is checked again.

        Parameters
        ----------
        data : bytes

        Returns
        -------
        table
            Of the class that is asked.

        Raises
        ------
        TypeError, ValueError
            If they are no bytes, not whole, or of another format.
        """
        if not isinstance(data, bytes):
            raise InputTypeError(f"`data` must be bytes: got {type(data).__qualname__}")
        return cls.load(io.BytesIO(data))

    def save(self, file: File) -> None:
        """Write the table to a ``.npz`` file, compressed and without pickle.

        Parameters
        ----------
        file : path or binary file object
            The file is written under exactly this name, and takes the place of one that is
            there once it is whole.
        """
        kind = {"kind": np.array(type(self).__name__)}
        write_archive(file, FORMAT, kind | self._members())

    @classmethod
    def load(cls, file: File) -> Self:
        """Read a table that `save` wrote; it goes on as if it had never been away.

        Parameters
        ----------
        file : path or binary file object

        Returns
        -------
        table
            Of the class that is asked.

        Raises
        ------
        ValueError
            If the file is not whole, or holds something else.
        """
        return read_archive(file, FORMAT, cls.__name__, cls._of_members)

    def __reduce__(self) -> tuple[Any, tuple[Members]]:
        """Travel as arrays: what arrives has a lock of its own."""
        return self._of_members, (self._members(),)
