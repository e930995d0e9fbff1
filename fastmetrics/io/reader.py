"""From file names to numpy columns, streamed through a locked DuckDB session."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._threads.workers import thread_count
from fastmetrics.errors import FileError
from fastmetrics.io._faults import missing_values, unreadable
from fastmetrics.io._session import (
    Session,
    ahead,
    interruptible,
    is_interrupt,
    require_duckdb,
    rows_of,
)
from fastmetrics.io._types import (
    NotIntegersError,
    as_integers,
    common_types,
    reading_types,
    with_odd,
)
from fastmetrics.io._where import check_condition, check_where
from fastmetrics.io.columns import (
    Columns,
    GrowingArray,
    TextCodes,
    TextColumn,
    missing_of,
    values_of,
    values_of_column,
)
from fastmetrics.io.formats import Source, describe, describe_fully, file_format, select_list
from fastmetrics.io.paths import expand_paths

#: Rows in a batch: large enough to amortise the call, small enough to stay in cache.
_BATCH_ROWS = 131_072

Progress = Callable[[float, int], None]
#: What takes the columns of a batch by name (texts as codes), and the texts of labels so far.
Sink = Callable[[dict[str, NDArray[Any]], tuple[str, ...] | None], None]


class _MisjudgedTypesError(Exception):
    """A text file turned out to hold other types than its first rows show."""

    def __init__(self, position: int) -> None:
        self.position = position


def read_columns(
    paths: Iterable[str | os.PathLike[str]],
    label: str | None,
    scores: Sequence[str],
    *,
    weight: str | None = None,
    group: str | None = None,
    query: str | None = None,
    named: Sequence[str] = (),
    where: str | None = None,
    on_bad_row: Literal["error", "skip"] = "error",
    progress: Progress | None = None,
    many_labels: bool = False,
    into: Callable[[], Sink] | None = None,
    memory: int | None = None,
) -> Columns:
    """Read the label, score and weight columns of CSV, Parquet and JSON-lines files.

    The ending of a name tells the format: ``.csv .tsv .txt``, ``.parquet .pq``, ``.jsonl .ndjson
    .json``; text files may be compressed (``.gz``, ``.zst``). Labels, groups, queries and ``named``
    columns are numbers, booleans or text, of any number of values but for labels, unless these are
    names too (``many_labels``). ``where`` is an SQL expression that holds for the rows to keep.

    A bad row lacks one of these, or holds something else than a finite number there, or does not
    fit the header. It is an error, or it is left out (for all models) and counted. Without a
    ``label`` there are no labels: those of rows that have several are read as scores are.

    ``progress(share, rows)`` is called now and then: the share of the bytes read, and the rows.
    ``into`` makes what takes the rows batch by batch, of which nothing is kept then; it is called
    once more where a file has to be read anew, and takes all rows from the start. ``memory`` is
    what DuckDB may take, in bytes.

    Returns
    -------
    Columns
        One contiguous array per column, in its dtype in the file: float32 stays float32 and
        int64 stays int64; booleans become int8; decimals of up to 15 digits become float64. In a
        CSV file ``1_000``, ``1e1_0`` and ``0x10`` are no numbers; as labels or groups they are
        text.

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
    roles = (weight, group, query)
    wanted = [each for each in (label, *scores, *roles, *named) if each is not None]
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
        numbers = [*scores, *([weight] if weight is not None else [])]
        texts = [column for column in wanted if column not in numbers]
        sources = [with_odd(connection, s, numbers, texts, skip_bad=skip_bad) for s in sources]
        if skip_bad or where is not None:
            # A wrong guess would make DuckDB drop rows, or round numbers inside the condition.
            sources = [describe_fully(connection, source, wanted) for source in sources]
        reading = _Reading(
            session, wanted, label, *roles, named, where, skip_bad, progress, many_labels, into
        )
        while True:
            try:
                return reading.read(sources)
            except _MisjudgedTypesError as misjudged:
                source = sources[misjudged.position]
                sources[misjudged.position] = describe_fully(connection, source, wanted)


def _check_header(source: Source, wanted: list[str]) -> None:
    missing = [column for column in wanted if column not in source.header]
    if missing:
        names = ", ".join(repr(column) for column in missing)
        found = ", ".join(repr(column) for column in source.header)
        found = found if len(found) <= 2_000 else f"{found[:2_000]}…"
        raise FileError(f"{source.path}: no column {names}; the columns are {found}")
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
    group: str | None
    query: str | None
    named: Sequence[str]
    where: str | None
    skip_bad: bool
    progress: Progress | None
    many_labels: bool
    into: Callable[[], Sink] | None

    @property
    def connection(self) -> Any:
        """The database that reads."""
        return self.session.connection

    def read(self, sources: list[Source]) -> Columns:
        """Read all the files, or raise `_MisjudgedTypesError` where the guess of types fails."""
        filled = [source for source in sources if self._has_rows(source)]
        texts = {} if self.label is None else {self.label: TextCodes(many=self.many_labels)}
        names = (self.group, self.query, *self.named)
        texts |= {each: TextCodes(many=True) for each in names if each is not None}
        types = common_types(filled, self.wanted, texts)
        self.texts = {column: texts[column] for column in texts if types.get(column) == "VARCHAR"}
        self.arrays = {column: GrowingArray() for column in self.wanted}
        self.n_rows = self.n_skipped = 0
        self.sink = None if self.into is None else self.into()
        for source in sources:
            if self.where is not None:
                check_condition(self.connection, source, self.where)
        total = sum(os.path.getsize(source.path) for source in sources)
        before = 0
        for position, source in enumerate(sources):
            size = os.path.getsize(source.path)
            if source in filled:
                self._read_one(position, source, types, (before / total, size / total))
            before += size
        return self._finish([source.path for source in sources])

    def _has_rows(self, source: Source) -> bool:
        """Return whether the file has rows; where it has none, its types say nothing."""
        if source.kind != "csv" or set(source.types.values()) != {"VARCHAR"}:
            return True
        import duckdb

        try:
            query = f"SELECT 1 FROM {source.relation()} LIMIT 1"
            return bool(rows_of(self.connection, query))
        except duckdb.Error:
            return True

    def _read_one(
        self, position: int, source: Source, types: dict[str, str], share: tuple[float, float]
    ) -> None:
        """Read one file, whose bytes are ``share`` (start, length) of all."""
        targets, guessed = reading_types(source, types)
        if source.kind != "parquet":
            # What is written `true` is read as such, and cast; DuckDB parses it as no number.
            # Where bad rows are left out it parses a text such as `1_0` as one; a cast does not.
            later = {"BOOLEAN", "JSON"} if self.skip_bad else {"BOOLEAN"}
            spelled = {
                i: t for i, t in targets.items() if t == "VARCHAR" or source.types[i] not in later
            }
            source = source.with_types(spelled | dict.fromkeys(source.odd, "VARCHAR"))
        done = 0.0  # once the last batch is fetched, DuckDB knows of no progress any more
        try:
            for batch in self._batches(source, targets):
                self._append(batch, source, targets, guessed)
                if self.progress is not None:
                    done = max(done, self.connection.query_progress() / 100)
                    self.progress(share[0] + share[1] * done, self.n_rows)
        except NotIntegersError:
            raise _MisjudgedTypesError(position) from None
        except FileError:
            raise
        except Exception as error:
            if not _comes_from_reading(error):
                raise
            if source.kind != "parquet" and not source.fully_sampled:
                raise _MisjudgedTypesError(position) from None
            with self.session.one_thread() as connection:
                raise unreadable(
                    connection, source, targets, error, skip_bad=self.skip_bad
                ) from None

    def _batches(self, source: Source, targets: dict[str, str]) -> Iterator[Any]:
        query = (
            f"SELECT {select_list(source, targets)} FROM {source.relation(skip_bad=self.skip_bad)}"
        )
        if self.where is not None:
            query += f" WHERE ({self.where}\n)"
        relation = self.connection.sql(query)
        stream = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
        batches = interruptible(self.connection, partial(stream, _BATCH_ROWS))
        yield from ahead(self.connection, iter(batches))

    def _append(
        self, batch: Any, source: Source, targets: dict[str, str], guessed: dict[str, np.dtype[Any]]
    ) -> None:
        """Add the rows of a batch, without the bad ones if they are to be skipped."""
        arrays, bad = [], None
        columns = zip(self.wanted, batch.columns, targets.items(), strict=True)
        for column, arrow, (inner, target) in columns:
            values, missing = self._to_numpy(column, arrow, target)
            if inner in guessed:
                values = as_integers(values, missing, guessed[inner])
            arrays.append(values)
            if missing is not None:
                bad = missing if bad is None else bad | missing
        if bad is not None:
            if not self.skip_bad:
                with self.session.one_thread() as connection:
                    raise missing_values(connection, source, targets, self.where)
            arrays = [values[~bad] for values in arrays]
            self.n_skipped += int(bad.sum())
        self.n_rows += len(arrays[0])
        if self.sink is not None:
            texts = self.texts[self.label].values if self.label in self.texts else None
            if len(arrays[0]):
                self.sink(dict(zip(self.wanted, arrays, strict=True)), texts)
            return
        for growing, values in zip(self.arrays.values(), arrays, strict=True):
            growing.append(values)

    def _to_numpy(
        self, column: str, arrow: Any, target: str
    ) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Return the values of one column of a batch, and where it has none (None: nowhere)."""
        missing = missing_of(arrow)
        if target == "VARCHAR":
            return self.texts[column].encode(arrow), missing
        values = values_of(arrow)
        if values.dtype.kind == "f":
            finite = np.isfinite(values)
            if not finite.all():
                missing = ~finite if missing is None else missing | ~finite
        return values, missing

    def _finish(self, paths: list[str]) -> Columns:
        if self.skip_bad:
            self.n_skipped += self._rejected()
        if self.n_rows == 0:
            others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            why = "no row satisfies the condition" if self.where else "no rows"
            if self.n_skipped:
                why = f"no row is left, {self.n_skipped} bad skipped"
            raise FileError(f"{paths[0]}{others}: {why}")
        return Columns(
            labels=np.empty(0) if self.label is None else self._names_of(self.label),
            weights=self._numbers_of(self.weight),
            groups=self._numbers_of(self.group),
            queries=self._numbers_of(self.query),
            named={name: values_of_column(self._names_of(name)) for name in self.named},
            scores={name: self.arrays.pop(name).finish() for name in list(self.arrays)},  # the rest
            n_rows=self.n_rows,
            n_skipped=self.n_skipped,
        )

    def _names_of(self, column: str) -> NDArray[Any] | TextColumn:
        """Return a column with its texts, where it has some."""
        found = self.arrays.pop(column).finish()
        return TextColumn(found, self.texts[column].values) if column in self.texts else found

    def _numbers_of(self, column: str | None) -> NDArray[Any] | None:
        """Return a column, if there is one: its numbers, or the ranks of its texts."""
        if column is None:
            return None
        found = self.arrays.pop(column).finish()
        return self.texts[column].ranks(found) if column in self.texts else found

    def _rejected(self) -> int:
        import duckdb

        query = "SELECT count(*) FROM (SELECT DISTINCT scan_id, file_id, line FROM reject_errors)"
        try:
            return int(rows_of(self.connection, query)[0][0])
        except duckdb.CatalogException:  # the table exists once something was read
            return 0


def _comes_from_reading(error: Exception) -> bool:
    """Return whether ``error`` is about the data: DuckDB's, or DuckDB's passed on by Arrow."""
    duckdb = require_duckdb()
    import pyarrow

    if is_interrupt(error):
        raise KeyboardInterrupt from error
    return isinstance(error, duckdb.Error | pyarrow.ArrowException | OSError | RuntimeError)
