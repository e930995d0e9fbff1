"""Files are written beside and renamed, so that readers see the old or the new file, whole."""

from __future__ import annotations

import contextlib
import io
import json
import os
import secrets
import shutil
import stat
import tokenize
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from os import PathLike
from typing import IO, Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError, InputTypeError

File = str | PathLike[str] | IO[bytes]
#: The arrays of an archive by name.
Members = dict[str, NDArray[Any]]

#: Errors that NumPy and ``zipfile`` raise for other or damaged files.
_NOT_WHOLE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    TypeError,
    SyntaxError,  # of the Python that describes an array
    tokenize.TokenError,  # of headers that NumPy takes for those of Python 2
    OverflowError,
    MemoryError,  # sizes that no file of ours has
    RuntimeError,  # also NotImplementedError: an archive that is encrypted, or seems to be
)


def writing(file: File) -> AbstractContextManager[IO[bytes]]:
    """Return a context that gives a binary file to write to.

    What is written under a name takes the place of the file of that name at once, when the context
    ends and all of it is on the disk. If it fails (a full disk, an interrupt), the old file stays
    and nothing new is there; a process that is killed may leave ``.fastmetrics-*.tmp`` beside. A
    file object is written to as it is.
    """
    return _replacing(os.fsdecode(file)) if isinstance(file, str | PathLike) else nullcontext(file)


@contextmanager
def _replacing(path: str) -> Iterator[IO[bytes]]:
    before = _existing(path)
    if before is not None and not stat.S_ISREG(before.st_mode):  # a pipe, a device: or an error
        with open(path, "wb") as device:
            yield device
        return
    target = os.path.realpath(path)  # a link stays, what it points to is replaced
    folder = os.path.dirname(target)
    beside = os.path.join(folder, f".fastmetrics-{secrets.token_hex(8)}.tmp")
    try:
        # What replaces a private file is private from its first byte on.
        mode = 0o666 if before is None else 0o600
        opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None  # its subclass, by the number
    try:
        with os.fdopen(opened, "wb") as file:
            if before is not None:
                _take_over(before, target, beside)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            error.filename = path  # of itself, "No space left on device" does not say for what
        raise
    _sync_folder(folder)


_BINARY = getattr(os, "O_BINARY", 0)  # of Windows


def _existing(path: str) -> os.stat_result | None:
    """Return the existing file, or raise as ``open`` would if it must not be written."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(status.st_mode):  # a rename would ask for the folder's permission alone
        os.close(os.open(path, os.O_WRONLY))
    return status


def _take_over(before: os.stat_result, target: str, beside: str) -> None:
    """Give the new file the owner, the permissions and the attributes of the old one."""
    if hasattr(os, "chown"):
        for user, group in ((before.st_uid, -1), (-1, before.st_gid)):
            with contextlib.suppress(OSError):  # only root may give files away
                os.chown(beside, user, group)
    shutil.copystat(target, beside)


def _sync_folder(folder: str) -> None:
    """Make the new name last; the file itself is safe, so that no failure here is one."""
    directory: Any = getattr(os, "O_DIRECTORY", None)
    if directory is None:  # Windows
        return
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY | directory)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


class Saved(ABC):
    """Base of results that are saved as arrays: files, bytes and pickles hold its members."""

    __slots__ = ()

    #: Version of the members; a change of their meaning makes it another.
    _format: ClassVar[int] = 1

    @abstractmethod
    def _members(self) -> Members:
        """Return arrays that hold all of it, and do not change with it."""

    @classmethod
    @abstractmethod
    def _from_members(cls, members: Members) -> Self:
        """Restore an object from its arrays; raise ValueError where they are invalid."""

    def save(self, file: File) -> None:
        """Write all of it to a ``.npz`` file, compressed and without pickle.

        Parameters
        ----------
        file : path or binary file object
            The file is written under exactly this name, and takes the place of one that is
            there once it is whole: if anything fails, the old one stays.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from fastmetrics import ConfusionMatrix
        >>> matrix = ConfusionMatrix.from_labels([0, 1], [0, 0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     matrix.save(Path(folder) / "matrix.npz")
        ...     ConfusionMatrix.load(Path(folder) / "matrix.npz") == matrix
        True
        """
        members = {"kind": np.array(type(self).__name__), **self._members()}
        with writing(file) as opened:
            np.savez_compressed(opened, format=np.int64(self._format), **members)  # type: ignore[arg-type]

    @classmethod
    def load(cls, file: File) -> Self:
        """Read what `save` wrote; everything in it is checked again.

        Parameters
        ----------
        file : path or binary file object

        Returns
        -------
        object of this class
            It goes on as if it had never been away.

        Raises
        ------
        ValueError
            If the file is not whole, or holds something else, or another version of it.
        """
        if isinstance(file, str | PathLike):
            with open(file, "rb") as opened:  # NumPy leaves a damaged file open
                return cls._read(opened, repr(str(file)))
        return cls._read(file, repr(file))

    def to_bytes(self) -> bytes:
        """Return all of it as bytes, which `from_bytes` reads on any machine.

        Returns
        -------
        bytes
            What `save` writes: an ``.npz`` archive with a version, each array with its CRC-32.

        Examples
        --------
        >>> from fastmetrics import ScoreTable
        >>> table = ScoreTable.from_scores([0, 1], [0.2, 0.7])
        >>> ScoreTable.from_bytes(table.to_bytes()) == table
        True
        """
        file = io.BytesIO()
        self.save(file)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """Restore an object from the output of `to_bytes`; its content is validated.

        Parameters
        ----------
        data : bytes

        Returns
        -------
        object of this class

        Raises
        ------
        TypeError, ValueError
            If they are no bytes, not whole, of something else or of another version.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise InputTypeError(f"`data` must be bytes: got {type(data).__qualname__}")
        return cls._read(io.BytesIO(data), "`data`")

    @classmethod
    def _read(cls, file: IO[bytes], name: str) -> Self:
        class_name = cls.__name__
        try:
            with np.load(file, allow_pickle=False) as stored:
                if any(each.comment for each in stored.zip.infolist()):
                    raise InputError("a comment may hide an array")  # we write none
                members = {key: stored[key] for key in stored.files}
                holds = str(members.get("kind", ""))
                if holds != class_name:
                    raise InputError(f"it holds a {holds}" if holds else "it holds something else")
                has = members["format"]
                if has.shape != () or has != cls._format:
                    raise InputError(
                        f"{class_name} format {has}, this version reads format {cls._format}"
                    )
                return cls._from_members(members)
        except _NOT_WHOLE as error:
            # NumPy takes what begins otherwise for a pickle, and says how to load that.
            why = "it is no .npz archive" if "pickled" in str(error) else error
            raise InputError(f"{name} does not hold a whole {class_name}: {why}") from error

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Travel as members: what arrives is of its own."""
        return self._from_members, (self._members(),)


def as_json(value: Any) -> NDArray[np.uint8]:
    """Return labels as bytes: NumPy's texts cannot end in NUL, its numbers are of one kind."""
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def from_json(stored: NDArray[Any]) -> Any:
    """Parse the output of `as_json`; tuples become lists."""
    if stored.dtype != np.uint8 or stored.ndim != 1:
        raise InputError("bytes of JSON are needed")
    return json.loads(stored.tobytes())


def scalar(members: Members, name: str) -> Any:
    """Return a single number or text, as a Python value."""
    if members[name].shape != ():
        raise InputError(f"`{name}` must be one value: got {members[name]}")
    return members[name].item()
