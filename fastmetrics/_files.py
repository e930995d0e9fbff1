"""Files are written beside and renamed: whoever looks finds the old one or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from os import PathLike
from typing import IO, Any


def writing(file: str | PathLike[str] | IO[bytes]) -> AbstractContextManager[IO[bytes]]:
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
