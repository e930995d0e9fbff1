"""Copies and pickles of tables, changed archives of them, and threads that share one."""

import copy
import io
import pickle
import threading
from collections.abc import Callable
from typing import Any, Final

import numpy as np

TRAVELS: Final[dict[str, Callable[[Any], Any]]] = {
    "copy": lambda table: table.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda table: pickle.loads(pickle.dumps(table)),
    "old pickle": lambda table: pickle.loads(pickle.dumps(table, 2)),
    "bytes": lambda table: type(table).from_bytes(table.to_bytes()),
}


def changed(data: bytes, **members: Any) -> bytes:
    """Return the archive with some members replaced or (None) left out."""
    with np.load(io.BytesIO(data)) as stored:
        content = dict(stored) | members
    file = io.BytesIO()
    np.savez(file, **{key: value for key, value in content.items() if value is not None})
    return file.getvalue()


def in_threads(work: Callable[[range], None]) -> None:
    """Let each of four threads work on every fourth of forty batches."""
    threads = [threading.Thread(target=work, args=(range(k, 40, 4),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
