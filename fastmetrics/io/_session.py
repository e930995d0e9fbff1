"""A DuckDB session that can read the named files and do nothing else."""

from __future__ import annotations

import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, Queue
from typing import Any, Final, Self, TypeVar

from fastmetrics._interrupt import deferred_interrupt
from fastmetrics._threads.workers import available_processors
from fastmetrics.errors import FileError

#: What DuckDB may take for a pattern in a file name. A backslash is a separator on Windows only.
_PATTERN_CHARACTERS = "*?[]{}" if os.name == "nt" else "*?[]{}\\"

#: Seconds between two looks for a signal, where one does not end a wait (Windows); and seconds that
#: an interrupted query is given.
_LISTENING: Final = 0.2
_PATIENCE: Final = 0.5
#: Batches of rows that may wait.
_AHEAD: Final = 2

T = TypeVar("T")

_OPTIONS: dict[str, Any] = {
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # File contents cached in the session would count as memory beyond the columns.
    "enable_external_file_cache": False,
    # Python variables of this process are not tables.
    "python_enable_replacements": False,
    # No folder to spill to: a scan needs none, and nothing may be written.
    "temp_directory": "",
}


def require_duckdb() -> Any:
    """Return the duckdb module, or raise an ImportError that says how to get it."""
    try:
        with deferred_interrupt():  # inside the start-up of C++ it would abort the process
            import duckdb
            import pyarrow  # noqa: F401  (the batches arrive as Arrow)
    except ImportError as error:
        raise ImportError(
            f"reading files needs duckdb and pyarrow ({error.name} is missing): "
            "pip install 'fastmetrics-eval[cli,io]'",
            name=error.name,
        ) from error
    if int(duckdb.__version__.partition(".")[0]) < 2:  # integers above 2^63 would arrive as floats
        raise ImportError(
            f"reading files needs duckdb 2.0 or newer: {duckdb.__version__} is installed; "
            "pip install -U duckdb",
            name="duckdb",
        )
    return duckdb


def quote_text(text: str) -> str:
    """Return ``text`` as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """Return ``name`` as an SQL identifier, whatever its spelling."""
    return '"' + name.replace('"', '""') + '"'


def interruptible(connection: Any, work: Callable[[], T]) -> T:
    """Return what ``work`` returns, a query of the connection or a part of one; Ctrl-C ends it.

    DuckDB hears no signal while it computes. So it does that in another thread, and this one waits.
    """
    (found,) = ahead(connection, (work() for _ in range(1)))
    return found


def ahead(connection: Any, batches: Iterator[T]) -> Iterator[T]:
    """Give what a query gives, batch by batch: the next are fetched while one is worked on."""
    if threading.current_thread() is not threading.main_thread():
        yield from batches
        return
    fetched: Queue[T | BaseException | None] = Queue(_AHEAD)
    is_over = threading.Event()

    def fetch() -> None:
        found: T | BaseException | None
        while True:
            try:
                found = next(batches, None)
            except BaseException as error:
                found = error
            fetched.put(found)
            if found is None or isinstance(found, BaseException) or is_over.is_set():
                return

    fetching = threading.Thread(target=fetch, daemon=True)
    patience = None
    try:
        fetching.start()
        while True:
            try:
                found = fetched.get(timeout=_LISTENING)
            except Empty:
                continue
            if found is None:
                return
            if isinstance(found, BaseException):
                raise found
            yield found
    except KeyboardInterrupt:
        connection.interrupt()
        patience = _PATIENCE
        raise
    except GeneratorExit:  # who asks the connection anew must find it free
        connection.interrupt()
        raise
    finally:
        is_over.set()
        with suppress(Empty):
            while True:  # make room for what the thread waits to put
                fetched.get_nowait()
        if fetching.is_alive():
            fetching.join(patience)


def close(connection: Any) -> None:
    """Close a database, or leave it to a thread that is still at work in it.

    While one is, DuckDB waits, or refuses: that depends on its version.
    """
    closing = threading.Thread(target=_close_once_free, args=(connection,), daemon=True)
    closing.start()
    closing.join(_PATIENCE)


def _close_once_free(connection: Any) -> None:
    import duckdb

    end = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.close()
        except duckdb.Error:
            if time.monotonic() < end:
                time.sleep(_LISTENING)
                continue
        return


def rows_of(connection: Any, query: str, parameters: list[Any] | None = None) -> list[Any]:
    """Return the rows of a query; Ctrl-C is a KeyboardInterrupt here too."""

    def rows() -> list[Any]:
        found: list[Any] = connection.execute(query, parameters).fetchall()
        return found

    try:
        return interruptible(connection, rows)
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        raise


def is_interrupt(error: BaseException) -> bool:
    """Return whether ``error`` is what DuckDB, or Arrow in its name, makes of Ctrl-C."""
    import duckdb

    if isinstance(error, duckdb.InterruptException):
        return True
    return not isinstance(error, duckdb.Error) and "query interrupted" in str(error).lower()


class Session:
    """A locked in-memory DuckDB database that sees only ``paths``.

    DuckDB takes a name such as ``a[1].csv`` for a pattern, and would read ``a1.csv``. Files
    with such names are reached through links with plain names in a temporary folder. ``memory`` is
    what DuckDB may take, in bytes; by default most of what the machine has.
    """

    def __init__(self, paths: list[str], n_threads: int, memory: int | None = None) -> None:
        self._paths = paths
        self._memory = {} if memory is None else {"memory_limit": f"{memory}B"}
        self._n_threads = n_threads
        self._links: tempfile.TemporaryDirectory[str] | None = None
        self.addresses: dict[str, str] = {}
        self.connection: Any = None

    def __enter__(self) -> Self:
        duckdb = require_duckdb()
        try:
            self.addresses = {path: self._address(path) for path in self._paths}
            with deferred_interrupt():
                self.connection = self._locked(duckdb, self._n_threads)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and remove the links."""
        if self._links is not None:
            self._links.cleanup()
            self._links = None
        if self.connection is not None:
            close(self.connection)
            self.connection = None

    @contextmanager
    def one_thread(self) -> Iterator[Any]:
        """Give a second locked connection that scans in file order, to find a first bad row."""
        with deferred_interrupt():
            connection = self._locked(require_duckdb(), 1)
        try:
            yield connection
        finally:
            close(connection)

    def _locked(self, duckdb: Any, n_threads: int) -> Any:
        connection = duckdb.connect(
            ":memory:",
            config={**_OPTIONS, **self._memory, "threads": min(n_threads, available_processors())},
        )
        allowed = ", ".join(quote_text(address) for address in self.addresses.values())
        # The progress of the running query is asked for, never printed.
        connection.execute("SET enable_progress_bar = true")
        connection.execute("SET enable_progress_bar_print = false")
        # In this order: the list cannot change without external access, nor anything once locked.
        connection.execute(f"SET allowed_paths = [{allowed}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        return connection

    def _address(self, path: str) -> str:
        absolute = os.path.abspath(path)
        if _is_plain(absolute):
            return absolute
        if self._links is None:
            self._links = tempfile.TemporaryDirectory(prefix="fastmetrics-")
        suffixes = ".".join(["", *os.path.basename(absolute).split(".")[1:][-2:]])
        name = f"file{len(os.listdir(self._links.name))}{re.sub(r'[^A-Za-z0-9.]', '', suffixes)}"
        address = os.path.join(self._links.name, name)
        try:
            os.symlink(absolute, address)
        except OSError as error:
            raise FileError(f"{path}: this name cannot be read here; rename the file") from error
        return address


def _is_plain(absolute: str) -> bool:
    try:
        absolute.encode()
    except UnicodeEncodeError:
        return False
    return not any(character in absolute for character in _PATTERN_CHARACTERS)
