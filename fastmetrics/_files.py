"""Files are written beside and renamed: whoever looks finds the old one or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from os import PathLike
from typing import IO, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError

File = str | PathLike[str] | IO[bytes]
#: The arrays of an archive by name.
Members = dict[str, NDArray[Any]]
T = TypeVar("T")

#: What NumPy and ``zipfile`` raise for other or damaged files.
_NOT_WHOLE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    TypeError,
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
    """Return what stands under the name, or raise as ``open`` would if it must not be written."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(found.st_mode):  # a rename would ask for the folder's permission alone
        os.close(os.open(path, os.O_WRONLY))
    return found


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


def write_archive(file: File, version: int, members: Members) -> None:
    """Write arrays to a compressed ``.npz`` file, without pickle; each has its CRC-32 there."""
    with writing(file) as opened:
        np.savez_compressed(opened, format=np.int64(version), **members)  # type: ignore[arg-type]


def read_archive(
    file: File,
    version: int,
    kind: str,
    made_of: Callable[[Members], T],
    *,
    unnamed: str = "",
) -> T:
    """Return what is made of the arrays of a file of this kind and version.

    The kind is a member too; ``unnamed`` is what a file without one is.

    Raises
    ------
    ValueError
        If the file is not one that `write_archive` wrote, or not whole.
    """
    if isinstance(file, str | PathLike):
        with open(file, "rb") as opened:  # NumPy leaves a damaged file open
            return _read(opened, repr(str(file)), version, kind, made_of, unnamed)
    return _read(file, repr(file), version, kind, made_of, unnamed)


def _read(
    file: IO[bytes],
    name: str,
    version: int,
    kind: str,
    made_of: Callable[[Members], T],
    unnamed: str,
) -> T:
    try:
        with np.load(file, allow_pickle=False) as stored:
            found = {key: stored[key] for key in stored.files}
            holds = str(found.get("kind", unnamed))
            if holds != kind:
                raise InputError(f"it holds a {holds}" if holds else "it holds something else")
            has = found["format"]
            if has.shape != () or has != version:
                raise InputError(f"{kind} format {has}, this version reads format {version}")
            return made_of(found)
    except _NOT_WHOLE as error:
        raise InputError(f"{name} does not hold a whole {kind}: {error}") from error
