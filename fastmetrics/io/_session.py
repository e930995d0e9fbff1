"""Files, their formats and columns, and a DuckDB session that reads them and nothing else."""

from __future__ import annotations

import csv
import glob
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from queue import Empty, Queue
from typing import Any, Final, Self, TypeVar

from fastmetrics._interrupt import deferred_interrupt
from fastmetrics._threads.workers import available_processors
from fastmetrics.errors import FileError

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
    """Run ``work``, a query of the connection or a step of one, so that Ctrl-C ends it.

    DuckDB hears no signal while it computes. So it does that in another thread, and this one waits.
    """
    (result,) = ahead(connection, (work() for _ in range(1)))
    return result


def ahead(connection: Any, batches: Iterator[T]) -> Iterator[T]:
    """Give what a query gives, batch by batch: the next are fetched while one is worked on."""
    if threading.current_thread() is not threading.main_thread():
        yield from batches
        return
    fetched: Queue[T | BaseException | None] = Queue(_AHEAD)
    is_over = threading.Event()

    def fetch() -> None:
        batch: T | BaseException | None
        while True:
            try:
                batch = next(batches, None)
            except BaseException as error:
                batch = error
            fetched.put(batch)
            if batch is None or isinstance(batch, BaseException) or is_over.is_set():
                return

    fetching = threading.Thread(target=fetch, daemon=True)
    patience = None
    try:
        fetching.start()
        while True:
            try:
                batch = fetched.get(timeout=_LISTENING)
            except Empty:
                continue
            if batch is None:
                return
            if isinstance(batch, BaseException):
                raise batch
            yield batch
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


def fetch_rows(connection: Any, query: str, parameters: list[Any] | None = None) -> list[Any]:
    """Return the rows of a query; Ctrl-C is a KeyboardInterrupt here too."""

    def rows() -> list[Any]:
        rows: list[Any] = connection.execute(query, parameters).fetchall()
        return rows

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

    ``addresses`` are what DuckDB is to call them. ``memory`` is what DuckDB may take, in bytes; by
    default most of what the machine has.
    """

    def __init__(self, paths: list[str], n_threads: int, memory: int | None = None) -> None:
        self.addresses = {path: _address(path) for path in paths}
        self._memory = {} if memory is None else {"memory_limit": f"{memory}B"}
        self._n_threads = n_threads
        self.connection: Any = None

    def __enter__(self) -> Self:
        duckdb = require_duckdb()
        with deferred_interrupt():
            self.connection = self._connect_locked(duckdb, self._n_threads)
        return self

    def __exit__(self, *_: object) -> None:
        close(self.connection)

    @contextmanager
    def one_thread(self) -> Iterator[Any]:
        """Give a second locked connection that scans in file order, to find a first bad row."""
        with deferred_interrupt():
            connection = self._connect_locked(require_duckdb(), 1)
        try:
            yield connection
        finally:
            close(connection)

    def _connect_locked(self, duckdb: Any, n_threads: int) -> Any:
        connection = duckdb.connect(
            ":memory:",
            config={**_OPTIONS, **self._memory, "threads": min(n_threads, available_processors())},
        )
        files = {*map(os.path.abspath, self.addresses), *self.addresses.values()}
        # The progress of the running query is asked for, never printed.
        connection.execute("SET enable_progress_bar = true")
        connection.execute("SET enable_progress_bar_print = false")
        # In this order: the list cannot change without external access, nor anything once locked.
        connection.execute(f"SET allowed_paths = [{', '.join(map(quote_text, sorted(files)))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        return connection


def _address(path: str) -> str:
    """Return the absolute name of a file as a pattern that it alone fits: ``a[[]1].csv``.

    DuckDB takes ``a[1].csv`` for a pattern, and would read ``a1.csv``.
    """
    absolute = os.path.abspath(path)
    address = re.sub(r"[*?[]", r"[\g<0>]", absolute)
    # A backslash in a pattern is a separator on Windows; elsewhere nothing would fit.
    is_plain = address == absolute or os.name == "nt" or "\\" not in absolute
    try:
        address.encode()
    except UnicodeEncodeError:
        is_plain = False
    if not is_plain:
        raise FileError(f"{path}: this name cannot be read here; rename the file")
    return address


# --- files: names, formats and columns -----------------------------------------------------------


_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
_SHOWN = 60
COMPRESSED = (".gz", ".zst")
_DELIMITERS = ",;\t|"
#: Rows from which the types of a text file are guessed at first.
SAMPLE = 20_480

_TOO_LONG = r"line \1 is too long: it has more than \2 bytes"
LONG_LINE = "a line is too long: it has more than 2000000 bytes"
#: What DuckDB says at length, and how it is said here.
_PLAIN_REASONS = (
    (r"^.*Out of Memory Error.*", "more memory is needed to read it; Parquet needs less"),
    (r"CSV Error on Line: (\d+).*\nMaximum line size of (\d+) bytes exceeded", _TOO_LONG),
    (r"Parallel CSV Reader currently does not support a full read", LONG_LINE),
    (r'"maximum_object_size" of (\d+) bytes exceeded', r"an object has more than \1 bytes"),
    (r"Expected Number of Columns: (\d+) Found: (\d+)", r"\2 fields where the header has \1"),
    (r"unterminated quote", r"a quote is opened and never closed"),
    (r"CSV Error on Line: (\d+).*not utf-8 encoded", r"not UTF-8 text (line \1)"),
    (r"^.*Malformed JSON in file .*?, at byte (\d+)[^:]*: (.*?)\.? *(\n.*)?$", r"not JSON: \2"),
    (r"^.*JSON transform error.*?, in line \d+: (.*?)(\n.*)?$", r"\1"),
)


def expand_paths(patterns: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return the files that ``patterns`` name, in the order given, each exactly once.

    A name that exists is taken literally, so that ``a[1].csv`` is the file of that name;
    otherwise it is a glob pattern (``**`` included), whose matches are sorted by name.

    Names stay as they were given or matched, neither resolved nor made absolute. A FileError says
    that a name does not exist, a pattern matches nothing, a name is not a regular file, or the same
    file is named twice (its rows would count twice).

    Examples
    --------
    >>> expand_paths(["no/such/file.csv"])
    Traceback (most recent call last):
    ...
    fastmetrics.errors.FileError: no/such/file.csv: no such file
    """
    paths: list[str] = []
    first_name: dict[str, str] = {}
    for path in _matches(patterns):
        if not os.path.isfile(path):
            raise FileError(f"{path}: {_not_a_file(path)}")
        real = os.path.realpath(path)
        if real in first_name:
            also = "" if first_name[real] == path else f" (also as {first_name[real]})"
            raise FileError(f"{path}: named twice{also}; its rows would count twice")
        first_name[real] = path
        paths.append(path)
    if not paths:
        raise FileError("no file is named")
    return paths


def _matches(patterns: Iterable[str | os.PathLike[str]]) -> Iterator[str]:
    for item in patterns:
        pattern = os.fspath(item)
        if os.path.lexists(pattern):
            yield pattern
        elif glob.has_magic(pattern):
            paths = sorted(p for p in glob.glob(pattern, recursive=True) if os.path.isfile(p))
            if not paths:
                raise FileError(f"{pattern}: no file matches this pattern")
            yield from paths
        else:
            raise FileError(f"{pattern}: no such file")


def _not_a_file(path: str) -> str:
    if os.path.isdir(path):
        return "is a directory; name its files, for example with a pattern in quotes: 'DIR/*.csv'"
    if not os.path.exists(path):
        return "is a link to a file that does not exist"
    return "is not a regular file"


def file_format(path: str) -> str:
    """Return ``csv``, ``parquet`` or ``json``, told by the ending of the name."""
    stem, ending = os.path.splitext(path.lower())
    if ending in COMPRESSED:
        ending = os.path.splitext(stem)[1]
    try:
        return _FORMATS[ending]
    except KeyError:
        known = " ".join(_FORMATS)
        raise FileError(
            f"{path}: unknown kind of file; the name must end in one of {known}"
        ) from None


@dataclass(frozen=True, slots=True)
class Source:
    """One file: how it is called, where DuckDB finds it, and what its columns are.

    Attributes
    ----------
    path : str
        The name that the user gave, for messages.
    address : str
        The name that DuckDB is given.
    kind : str
        ``csv``, ``parquet`` or ``json``.
    types : dict of str to str
        Column name inside the session to DuckDB type, in the order of the file; of a CSV file
        they are texts unless there is a condition.
    header : tuple of str
        The names as the file spells them; they differ from the keys of ``types`` only
        where two names differ in nothing but case.
    delimiter : str
        Of a CSV file.
    fully_sampled : bool
        Whether ``kinds`` are those of every row.
    raw : tuple of str
        Columns of a text file (by their keys in ``types``) that are scanned as they are written.
    kinds : dict of str to int
        What these columns hold, by their names in the file.
    """

    path: str
    address: str
    kind: str
    types: dict[str, str]
    header: tuple[str, ...]
    delimiter: str = ","
    fully_sampled: bool = False
    raw: tuple[str, ...] = ()
    kinds: dict[str, int] = field(default_factory=dict)

    def inner_name(self, column: str) -> str:
        """Return the name that ``column`` has inside the session."""
        return list(self.types)[self.header.index(column)]

    def relation(self, *, skip_bad: bool = False, lenient: bool = False) -> str:
        """Return the SQL table function that reads the file.

        With ``skip_bad`` rows that do not fit the header are rejected, and kept apart; ``lenient``
        leaves them out.
        """
        address = quote_text(self.address)
        if self.kind == "parquet":
            return f"read_parquet({address}, hive_partitioning=false)"
        types = self.types | dict.fromkeys(self.raw, "JSON" if self.kind == "json" else "VARCHAR")
        pairs = ", ".join(f"{quote_text(n)}: {quote_text(t)}" for n, t in types.items())
        ignore = ", ignore_errors=true" if skip_bad or lenient else ""
        if self.kind == "json":
            return (
                f"read_json({address}, format={_json_format(self.address)}, "
                f"hive_partitioning=false, columns={{{pairs}}}"
                f"{ignore if _is_lines(self.address) else ''})"
            )
        ignore += ", store_rejects=true" if skip_bad else ""
        return f"read_csv({_csv_options(self)}, auto_detect=false, columns={{{pairs}}}{ignore})"


def describe(connection: Any, path: str, address: str, wanted: list[str]) -> Source:
    """Return the columns of a file, those of Parquet and JSON with their types."""
    source = Source(path, address, file_format(path), {}, ())
    if os.path.getsize(path) == 0:
        raise FileError(f"{path}: the file is empty")
    if source.kind == "csv":
        return _with_header(connection, source, wanted)
    return with_guesses(connection, source, SAMPLE)


def with_guesses(connection: Any, source: Source, sample: int) -> Source:
    """Return the source with the types that DuckDB sees in it, which conditions are put to.

    ``sample`` is the number of rows that it looks at, -1 for all. Of a CSV file that it cannot
    judge all columns are texts.
    """
    import duckdb

    address = quote_text(source.address)
    if source.kind == "parquet":
        query = f"DESCRIBE SELECT * FROM {source.relation()}"
    elif source.kind == "json":
        query = (
            f"DESCRIBE SELECT * FROM read_json({address}, format={_json_format(source.address)}, "
            f"hive_partitioning=false, sample_size={sample}, ignore_errors="
            f"{'true' if _is_lines(source.address) else 'false'})"
        )
    else:
        # Rows that do not fit the header must not spoil the guess: reading reports them later.
        names = ", ".join(quote_text(name) for name in source.types)
        query = (
            f"DESCRIBE SELECT * FROM read_csv({_csv_options(source)}, names=[{names}], "
            f"sample_size={sample}, ignore_errors=true)"
        )
    try:
        rows = fetch_rows(connection, query)
    except duckdb.Error as error:
        if source.kind == "csv" and not lacks_memory(error):
            return source
        raise FileError(f"{source.path}: {reason(error, source)}") from None
    types = {str(row[0]): str(row[1]) for row in rows}
    if source.kind == "csv":
        # A guess that disagrees with the header is no guess; text fits everything.
        return replace(source, types=types) if list(types) == list(source.types) else source
    return replace(source, types=types, header=_spelled(source, tuple(types)))


def _spelled(source: Source, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the column names as the file has them: ``Label_1`` may be ``Label``.

    DuckDB renames what differs from another name in case only.
    """
    if source.kind != "parquet" or not any(re.search(r"_\d+$", name) for name in names):
        return names
    from pyarrow.parquet import read_schema

    header = tuple(read_schema(source.path).names)
    return header if len(header) == len(names) else names


def _csv_options(source: Source) -> str:
    return (
        f"{quote_text(source.address)}, delim={quote_text(source.delimiter)}, quote='\"', "
        "escape='\"', header=true, hive_partitioning=false"
    )


def _is_lines(address: str) -> bool:
    return not re.search(r"\.json(\.(gz|zst))?$", address.lower())


def _json_format(address: str) -> str:
    return "'newline_delimited'" if _is_lines(address) else "'auto'"


def lines_function(address: str) -> str:
    """Return the SQL table function that reads the lines of a text file as they are.

    In its strict mode DuckDB refuses files that have more than one kind of line ends.
    """
    return (
        f"read_csv({quote_text(address)}, auto_detect=false, header=false, delim='\x01', "
        "quote='', escape='', strict_mode=false, columns={'text': 'VARCHAR'})"
    )


def shorten(text: str) -> str:
    """Return a text of a file as messages show it."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def _with_header(connection: Any, source: Source, wanted: list[str]) -> Source:
    """Return the source with the delimiter and the names that its first line shows.

    The first line decides, not a guess over the whole file: of the usual delimiters, the one
    under which the wanted columns appear.
    """
    import duckdb

    try:
        rows = fetch_rows(connection, f"SELECT text FROM {lines_function(source.address)} LIMIT 1")
    except duckdb.Error as error:
        raise FileError(f"{source.path}: {reason(error, source)}") from None
    line = rows[0][0] if rows else None
    if not line or not line.strip():
        raise FileError(f"{source.path}: the first line is blank; it must name the columns")
    splits = {d: next(csv.reader([line], delimiter=d)) for d in _DELIMITERS}
    delimiter = max(
        _DELIMITERS, key=lambda d: (sum(name in splits[d] for name in wanted), len(splits[d]))
    )
    header = tuple(splits[delimiter])
    types = dict.fromkeys(_distinct(header), "VARCHAR")
    return replace(source, delimiter=delimiter, header=header, types=types)


def _distinct(names: tuple[str, ...]) -> list[str]:
    """Return ``names`` made distinct also where case does not count, as in SQL."""
    seen: set[str] = set()
    result = []
    for number, name in enumerate(names):
        inner = name or f"column{number}"
        count = 0
        while inner.casefold() in seen:
            count += 1
            inner = f"{name}_{count}"
        seen.add(inner.casefold())
        result.append(inner)
    return result


def lacks_memory(error: BaseException) -> bool:
    """Return whether DuckDB gave up for want of memory, which says nothing about the file."""
    return "Out of Memory Error" in str(error)


def reason(error: BaseException, source: Source | None = None) -> str:
    """Return DuckDB's error message on one line, without its advice."""
    text = str(error)
    for pattern, plain in _PLAIN_REASONS:
        match = re.search(pattern, text, flags=re.IGNORECASE | re.DOTALL)
        if match:
            return match.expand(plain)
    text = re.split(r"\n\s*\n|\nLINE \d+:|\nPossible |\n\* |\nTry setting", text)[0]
    text = re.sub(r"^(\w+ )*?Error: ", "", " ".join(text.split()))
    if source is not None:
        text = text.replace(source.address, source.path)
        text = text.replace(os.path.abspath(source.path), source.path)
        if source.kind == "parquet":
            text = f"damaged, or not Parquet: {text}"
    return "".join(filter(str.isprintable, text))[:300].rstrip(" .:")


def column_names(
    paths: Iterable[str | os.PathLike[str]], expected: str
) -> dict[str, tuple[str, ...]]:
    """Return the names of the columns of each file, as it spells them, in its order.

    The delimiter of a text file is the one under which it has the column ``expected``.
    """
    files = expand_paths(paths)
    for path in files:
        file_format(path)
    with Session(files, 1) as session:
        return {
            path: describe(session.connection, path, session.addresses[path], [expected]).header
            for path in files
        }
