"""From file names to numpy columns, streamed through a locked DuckDB session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._threads.workers import thread_count
from fastmetrics.errors import FileError
from fastmetrics.io._queries import (
    Picked,
    bad_row,
    check_condition,
    check_where,
    common_types,
    pick_types,
    rows_query,
    unreadable,
    value_kinds,
)
from fastmetrics.io._session import (
    SAMPLE,
    Session,
    Source,
    ahead,
    describe,
    expand_paths,
    fetch_rows,
    file_format,
    interruptible,
    is_interrupt,
    require_duckdb,
    with_guesses,
)

# --- columns: Arrow batches in, one contiguous numpy array per column out ------------------------


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
class FileColumns:
    """Columns read from files.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,), or TextColumn
        In the dtype that the files have; empty where no column was asked for.
    scores : dict of str to ndarray of shape (n_rows,)
        By column name, in the order asked for, each with its dtype in the files.
    weights : ndarray of shape (n_rows,), or None
        Where a weight column was asked for.
    n_rows : int
        Rows kept.
    n_skipped : int
        Bad rows left out (``on_bad_row="skip"``).
    codes : dict of str to ndarray of shape (n_rows,)
        By column name, groups and queries: numbers, or the rank of each text among all texts.
    named : dict of str to ndarray of shape (n_rows,)
        By column name, those that were asked for with their names; where a sink took the rows, the
        texts by their codes, none of numbers.
    """

    labels: NDArray[Any] | TextColumn
    scores: dict[str, NDArray[Any]]
    weights: NDArray[Any] | None
    n_rows: int
    n_skipped: int
    codes: Mapping[str, NDArray[Any]]
    named: Mapping[str, NDArray[Any]]

    @property
    def label_values(self) -> NDArray[Any]:
        """The labels, texts as texts."""
        return values_of_column(self.labels)


def values_of_column(column: NDArray[Any] | TextColumn) -> NDArray[Any]:
    """Return the values of a column, texts as texts."""
    return column if isinstance(column, np.ndarray) else column.to_numpy()


# Arrow's own `to_numpy` imports pandas where there is one: a third of a second, during which
# Ctrl-C goes unheard.


def arrow_values(arrow: Any) -> NDArray[Any]:
    """Return the values of an Arrow array of numbers without a copy; anything where it is null."""
    dtype = np.dtype(_DTYPES.get(str(arrow.type), str(arrow.type)))
    if len(arrow) == 0:
        return np.empty(0, dtype)
    start = arrow.offset * dtype.itemsize
    values: NDArray[Any] = np.frombuffer(arrow.buffers()[1], dtype, len(arrow), start)
    return values


def null_mask(arrow: Any) -> NDArray[np.bool_] | None:
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
        """Return each code's rank in the order of the texts, which does not depend on the rows."""
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
        positions = arrow_values(encoded.indices)
        missing = null_mask(batch)
        if missing is not None:
            positions = np.where(missing, 0, positions)
        codes: NDArray[Any] = table[positions]
        return codes


# --- reading -------------------------------------------------------------------------------------

#: Rows in a batch: large enough to amortise the call, small enough to stay in cache.
_BATCH_ROWS = 131_072

Progress = Callable[[float, int], None]
#: What takes the columns of a batch by name (texts as codes), and the texts of labels so far; and
#: what makes it, given the first rows, or returns None, so that all rows are kept.
Sink = Callable[[dict[str, NDArray[Any]], tuple[str, ...] | None], None]
MakeSink = Callable[[dict[str, NDArray[Any]], tuple[str, ...] | None], Sink | None]


class _MisjudgedTypesError(Exception):
    """A text file turned out to hold other values than its first rows."""

    def __init__(self, position: int) -> None:
        self.position = position


def read_columns(
    paths: Iterable[str | os.PathLike[str]],
    label: str | None,
    scores: Sequence[str],
    *,
    weight: str | None = None,
    coded: Iterable[str | None] = (),
    named: Sequence[str] = (),
    where: str | None = None,
    on_bad_row: Literal["error", "skip"] = "error",
    progress: Progress | None = None,
    many_labels: bool = False,
    into: MakeSink | None = None,
    keep: int = 0,
    memory: int | None = None,
) -> FileColumns:
    """Read the label, score and weight columns of CSV, Parquet and JSON-lines files.

    The ending of a name tells the format: ``.csv .tsv .txt``, ``.parquet .pq``, ``.jsonl .ndjson
    .json``; text files may be compressed (``.gz``, ``.zst``). Labels, ``coded`` columns (groups and
    queries) and ``named`` ones are numbers, booleans or text, of any number of values but for
    labels, unless these are names too (``many_labels``). ``where`` is an SQL expression that holds
    for the rows to keep.

    A bad row lacks one of these, or holds something else than a finite number there, or does not
    fit the header. It is an error, or it is left out (for all models) and counted. Without a
    ``label`` there are no labels: those of rows that have several are read as scores are.

    ``progress(share, rows)`` is called now and then: the share of the bytes read, and the rows.
    ``into`` is called with the first rows once there are more than ``keep``, and makes what takes
    all rows, batch by batch, of which nothing is kept then; or returns None, and all are kept. It
    is called once more where a file has to be read anew. ``memory`` is what DuckDB may take, in
    bytes.

    Returns
    -------
    FileColumns
        One contiguous array per column, in its dtype in the file: float32 stays float32 and
        int64 stays int64; booleans become int8; decimals of up to 15 digits become float64. Text
        files are read as Python's ``int`` and ``float`` read them, but ``1_000`` is no number, nor
        an integer that float64 would round. Labels and names in which some value is spelled as no
        number is (``007``, or beyond 64 bits) are texts.

    Raises
    ------
    FileError
        A file is missing, empty, truncated or of an unknown kind; a column is missing or of
        another type; two files differ; a row is bad. The message names the file and, where
        it is known, the row, counted from 1 after the header.
    ValueError, ImportError
        ``where`` is no boolean expression; duckdb or pyarrow is not installed.

    Notes
    -----
    Time and memory are those of the columns asked for. The session that reads can open no
    other file, write none, load no extension and change no setting.
    """
    files = expand_paths(paths)
    roles = [each for each in coded if each is not None]
    wanted = [each for each in (label, *scores, weight, *roles, *named) if each is not None]
    for column in wanted:
        if wanted.count(column) > 1:
            raise ValueError(f"column {column!r} is named {wanted.count(column)} times")
    for path in files:
        file_format(path)
    # DuckDB makes as many threads as it is told to, whatever that takes.
    threads = min(thread_count(), os.cpu_count() or 1)
    with Session(files, threads, memory) as session:
        connection = session.connection
        if where is not None:
            check_where(connection, where)
        sources = [describe(connection, p, session.addresses[p], wanted) for p in files]
        for source in sources:
            _check_header(source, wanted)
        skip_bad = on_bad_row == "skip"
        if where is not None:  # a wrong guess would round numbers inside the condition
            sources = [with_guesses(connection, source, -1) for source in sources]
        sources = [_with_kinds(connection, source, wanted, SAMPLE) for source in sources]
        columns = wanted, label, weight, roles, named
        reading = _Reading(session, *columns, where, skip_bad, progress, many_labels, into, keep)
        while True:
            try:
                return reading.read(sources)
            except _MisjudgedTypesError as misjudged:
                source = sources[misjudged.position]
                sources[misjudged.position] = _with_kinds(connection, source, wanted, -1)


def _with_kinds(connection: Any, source: Source, wanted: list[str], n_rows: int) -> Source:
    """Return the source with the kinds of wanted columns in ``n_rows`` rows, -1 being all."""
    if source.kind == "parquet":
        return replace(source, fully_sampled=True)
    source = replace(source, raw=tuple(source.inner_name(column) for column in wanted))
    kinds = value_kinds(connection, source, wanted, n_rows)
    return replace(source, kinds=kinds, fully_sampled=n_rows < 0)


def _check_header(source: Source, wanted: list[str]) -> None:
    missing = [column for column in wanted if column not in source.header]
    if missing:
        names = ", ".join(repr(column) for column in missing)
        header = ", ".join(repr(column) for column in source.header)
        header = header if len(header) <= 2_000 else f"{header[:2_000]}…"
        known = {column.casefold() for column in source.header}
        if source.kind == "json" and any(column.casefold() in known for column in missing):
            header += (
                ". Of JSON keys that differ in case only, the first alone can be read: rename one"
            )
        if source.kind == "json" and source.header == ("json",):  # DuckDB's name of other values
            header += ": is each line a JSON object? Numbers need a digit before the point"
        raise FileError(f"{source.path}: no column {names}; the columns are {header}")
    for column in wanted:
        if source.header.count(column) > 1:
            raise FileError(f"{source.path}: the header names column {column!r} more than once")


@dataclass(eq=False)
class _Reading:
    """One pass over the files, all with the same types; of what `read_columns` was asked for."""

    session: Session
    wanted: list[str]
    label: str | None
    weight: str | None
    coded: Sequence[str]
    named: Sequence[str]
    where: str | None
    skip_bad: bool
    progress: Progress | None
    many_labels: bool
    into: MakeSink | None
    keep: int

    @property
    def connection(self) -> Any:
        """The database that reads."""
        return self.session.connection

    def read(self, sources: list[Source]) -> FileColumns:
        """Read all the files, or raise `_MisjudgedTypesError` where the guess of types fails."""
        texts = {} if self.label is None else {self.label: TextCodes(many=self.many_labels)}
        texts |= {each: TextCodes(many=True) for each in (*self.coded, *self.named)}
        types = common_types(sources, self.wanted, texts)
        self.texts = {column: texts[column] for column in texts if types[column] == "VARCHAR"}
        self.arrays = {column: GrowingArray() for column in self.wanted}
        self.n_rows = self.n_skipped = 0
        self.sink: Sink | None = None
        self.is_undecided = self.into is not None
        picked = [pick_types(source, types, texts) for source in sources]
        if self.where is not None:
            for source, columns in zip(sources, picked, strict=True):
                check_condition(self.connection, source, columns, self.where)
        total = sum(os.path.getsize(source.path) for source in sources)
        before = 0
        for position, source in enumerate(sources):
            size = os.path.getsize(source.path)
            self._read_one(position, source, picked[position], (before / total, size / total))
            before += size
        return self._finish([source.path for source in sources])

    def _read_one(
        self, position: int, source: Source, columns: Picked, span: tuple[float, float]
    ) -> None:
        """Read one file, whose bytes are ``span`` (start, length) of all."""
        done = 0.0  # once the last batch is fetched, DuckDB knows of no progress any more
        try:
            for batch in self._batches(source, columns):
                self._append(batch, position, source, columns)
                if self.progress is not None:
                    done = max(done, self.connection.query_progress() / 100)
                    self.progress(span[0] + span[1] * done, self.n_rows)
        except (FileError, _MisjudgedTypesError):
            raise
        except Exception as error:
            if not _comes_from_reading(error):
                raise
            with self.session.one_thread() as connection:
                raise unreadable(
                    connection, source, columns, error, skip_bad=self.skip_bad
                ) from None

    def _batches(self, source: Source, columns: Picked) -> Iterator[Any]:
        query = rows_query(source, columns, self.where, skip_bad=self.skip_bad)
        relation = self.connection.sql(query)
        stream = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
        batches = interruptible(self.connection, partial(stream, _BATCH_ROWS))
        yield from ahead(self.connection, iter(batches))

    def _append(self, batch: Any, position: int, source: Source, columns: Picked) -> None:
        """Add the rows of a batch, without the bad ones if they are to be skipped."""
        arrays = []
        bad = None
        for column, arrow in zip(self.wanted, batch.columns, strict=True):
            values, missing = self._to_numpy(column, arrow)
            arrays.append(values)
            if missing is not None:
                bad = missing if bad is None else bad | missing
        if bad is not None:
            if not source.fully_sampled:
                raise _MisjudgedTypesError(position)
            if not self.skip_bad:
                with self.session.one_thread() as connection:
                    raise bad_row(connection, source, columns, self.where)
            arrays = [values[~bad] for values in arrays]
            self.n_skipped += int(bad.sum())
        self.n_rows += len(arrays[0])
        if self.sink is not None:
            if len(arrays[0]):
                self.sink(dict(zip(self.wanted, arrays, strict=True)), self._label_texts())
            return
        for growing, values in zip(self.arrays.values(), arrays, strict=True):
            growing.append(values)
        if self.is_undecided and self.into is not None and self.n_rows > self.keep:
            self.is_undecided = False
            rows = {name: growing.finish() for name, growing in self.arrays.items()}
            self.sink = self.into(rows, self._label_texts())
            if self.sink is not None:
                self.arrays = {name: GrowingArray() for name in self.arrays}
                self.sink(rows, self._label_texts())

    def _label_texts(self) -> tuple[str, ...] | None:
        return self.texts[self.label].values if self.label in self.texts else None

    def _to_numpy(self, column: str, arrow: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Return the values of one column of a batch, and where it has none (None: nowhere)."""
        missing = null_mask(arrow)
        if column in self.texts:
            return self.texts[column].encode(arrow), missing
        values = arrow_values(arrow)
        if values.dtype.kind == "f":
            finite = np.isfinite(values)
            if not finite.all():
                missing = ~finite if missing is None else missing | ~finite
        return values, missing

    def _finish(self, paths: list[str]) -> FileColumns:
        if self.skip_bad:
            self.n_skipped += self._count_rejected()
        if self.n_rows == 0:
            others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            why = "no row satisfies the condition" if self.where else "no rows"
            if self.n_skipped:
                why = f"no row is left, {self.n_skipped} bad skipped"
            raise FileError(f"{paths[0]}{others}: {why}")
        return FileColumns(
            labels=np.empty(0) if self.label is None else self._text_column(self.label),
            weights=None if self.weight is None else self.arrays.pop(self.weight).finish(),
            codes={name: self._name_codes(name) for name in self.coded if self.sink is None},
            named={name: self._named_column(name) for name in self.named},
            scores={name: self.arrays.pop(name).finish() for name in list(self.arrays)},  # the rest
            n_rows=self.n_rows,
            n_skipped=self.n_skipped,
        )

    def _text_column(self, column: str) -> NDArray[Any] | TextColumn:
        """Return a column with its texts, where it has some."""
        values = self.arrays.pop(column).finish()
        return TextColumn(values, self.texts[column].values) if column in self.texts else values

    def _named_column(self, column: str) -> NDArray[Any]:
        """Return a column of names; the texts by code where a sink took the rows."""
        if self.sink is None:
            return as_names(self._text_column(column))
        del self.arrays[column]
        texts = self.texts[column].values if column in self.texts else ()
        return np.array(texts, dtype=object)

    def _name_codes(self, column: str) -> NDArray[Any]:
        """Return a column of names: its whole numbers, or the ranks of its texts or fractions."""
        values = self.arrays.pop(column).finish()
        if column in self.texts:
            return self.texts[column].ranks(values)
        return np.unique(values, return_inverse=True)[1] if _is_fractional(values) else values

    def _count_rejected(self) -> int:
        """Return how many rows were rejected; raise where one, with an open quote, took others."""
        import duckdb

        # A file that was read anew has earlier scans; a row may have several faults.
        query = (
            "SELECT file_path, line, bool_or(error_type IN ('UNQUOTED VALUE', "
            "'LINE SIZE OVER MAXIMUM') AND regexp_matches(rtrim(csv_line, chr(13) || chr(10)), "
            "'[\\r\\n]')) FROM reject_errors JOIN reject_scans USING (scan_id, file_id) "
            "GROUP BY scan_id, file_path, line "
            "QUALIFY scan_id = max(scan_id) OVER (PARTITION BY file_path) ORDER BY line"
        )
        try:
            rejected = fetch_rows(self.connection, query)
        except duckdb.CatalogException:  # the table exists once something was read
            return 0
        for address, line, has_others in rejected:
            if has_others:
                names = {os.path.abspath(path): path for path in self.session.addresses}
                raise FileError(
                    f"{names.get(address, address)}: row {line - 1} (line {line}): a quote is "
                    "opened that takes the rows behind it: close it, since these cannot be counted"
                )
        return len(rejected)


def _is_fractional(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "f" and bool((np.rint(values) != values).any())


def as_names(column: NDArray[Any] | TextColumn) -> NDArray[Any]:
    """Return a column as texts or whole numbers: 1.5 is a name as any other."""
    values = values_of_column(column)
    return values.astype(np.str_).astype(object) if _is_fractional(values) else values


def _comes_from_reading(error: Exception) -> bool:
    """Return whether ``error`` is about the data: DuckDB's, or DuckDB's passed on by Arrow."""
    duckdb = require_duckdb()
    import pyarrow

    if is_interrupt(error):
        raise KeyboardInterrupt from error
    return isinstance(error, duckdb.Error | pyarrow.ArrowException | OSError | RuntimeError)
