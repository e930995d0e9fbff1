"""Files: their names, formats and columns, and the SQL that reads them."""

from __future__ import annotations

import csv
import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from fastmetrics.errors import FileError
from fastmetrics.io._session import Session, quote_text, rows_of

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
            found = sorted(p for p in glob.glob(pattern, recursive=True) if os.path.isfile(p))
            if not found:
                raise FileError(f"{pattern}: no file matches this pattern")
            yield from found
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


def is_readable_name(text: str) -> bool:
    """Return whether a text ends as the names of the files do that can be read."""
    try:
        file_format(text)
    except FileError:
        return False
    return True


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
        rows = rows_of(connection, query)
    except duckdb.Error as error:
        if source.kind == "csv":
            return source
        raise FileError(f"{source.path}: {reason(error, source)}") from None
    found = {str(row[0]): str(row[1]) for row in rows}
    if source.kind == "csv":
        # A guess that disagrees with the header is no guess; text fits everything.
        return replace(source, types=found) if list(found) == list(source.types) else source
    return replace(source, types=found, header=_spelled(source, tuple(found)))


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


def lines_of(address: str) -> str:
    """Return the SQL table function that reads the lines of a text file as they are.

    In its strict mode DuckDB refuses files that have more than one kind of line ends.
    """
    return (
        f"read_csv({quote_text(address)}, auto_detect=false, header=false, delim='\x01', "
        "quote='', escape='', strict_mode=false, columns={'text': 'VARCHAR'})"
    )


def shortened(text: str) -> str:
    """Return a text of a file as messages show it."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def _with_header(connection: Any, source: Source, wanted: list[str]) -> Source:
    """Return the source with the delimiter and the names that its first line shows.

    The first line decides, not a guess over the whole file: of the usual delimiters, the one
    under which the wanted columns appear.
    """
    import duckdb

    try:
        rows = rows_of(connection, f"SELECT text FROM {lines_of(source.address)} LIMIT 1")
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


def reason(error: BaseException, source: Source | None = None) -> str:
    """Return what DuckDB says is wrong, on one line and without its advice."""
    text = str(error)
    for pattern, plain in _PLAIN_REASONS:
        found = re.search(pattern, text, flags=re.IGNORECASE | re.DOTALL)
        if found:
            return found.expand(plain)
    text = re.split(r"\n\s*\n|\nLINE \d+:|\nPossible |\n\* |\nTry setting", text)[0]
    text = re.sub(r"^(\w+ )*?Error: ", "", " ".join(text.split()))
    if source is not None:
        text = text.replace(source.address, source.path)
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
