"""A file without a name, which is gone with the process that made it, however that ends."""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError

#: A disk without room, a quota, a limit of the size of files.
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class SpillFile:
    """Arrays one after the other in a file of its own; threads may read at once.

    Linux makes it without a name, other systems take the name away or remove it when it is closed:
    no error, interrupt or kill leaves it behind. A fork of the process may read it while others
    do, but not write to it (`is_own`).
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._process = os.getpid()
        self.size = 0
        try:
            self._file = tempfile.TemporaryFile(  # noqa: SIM115 - closed with the object
                dir=folder, buffering=0, prefix="fastmetrics-"
            )
        except OSError as error:
            raise InputError(f"`spill_dir` {folder!r} cannot be used: {error.strerror}") from error

    @property
    def is_own(self) -> bool:
        """Whether this process made it; a fork of that process knows nothing of later arrays."""
        return self._process == os.getpid()

    def append(self, array: NDArray[Any]) -> int:
        """Write an array at the end, and return where it begins; a full disk changes nothing."""
        data = np.ascontiguousarray(array).view(np.uint8).data
        with self._lock:
            start = at = self.size
            try:
                self._file.seek(start)
                while at < start + len(data):
                    at += self._file.write(data[at - start :])
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                self.cut(start)
                raise InputError(
                    f"no room in `spill_dir` {self._folder!r} after {start / 1e9:.3g} GB "
                    f"({os.strerror(error.errno or 0)}): name a folder with more room"
                ) from error
            self.size = at
        return start

    def cut(self, size: int) -> None:
        """Forget what was written from a place on."""
        self._file.truncate(size)
        self.size = size

    def read(self, start: int, out: NDArray[Any]) -> None:
        """Fill an array with what was written from a place on."""
        data = out.view(np.uint8).data
        at = 0
        while at < len(data):
            if not (got := self._read_at(start + at, data[at:])):
                raise OSError(errno.EIO, "a spill file is shorter than it was", self._folder)
            at += got

    def _read_at(self, start: int, data: memoryview) -> int:
        """Read from a place on, without moving the place that forks share with one another."""
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [data], start)
        with self._lock:  # of Windows and old macOS
            self._file.seek(start)
            return self._file.readinto(data)

    def __del__(self) -> None:
        """Give the room back, once no column lies here any more."""
        if file := getattr(self, "_file", None):
            file.close()
