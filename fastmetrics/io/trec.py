"""``read_trec``: judgments and runs in TREC's formats, as tables of rankings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.queries import QueryRows
from fastmetrics._input.scalars import check_choice
from fastmetrics._threads.workers import thread_count
from fastmetrics.errors import (
    DataConversionWarning,
    FileError,
    InputError,
    InputTypeError,
    warn_user,
)
from fastmetrics.io._session import Session, interruptible, rows_of
from fastmetrics.io.formats import COMPRESSED, lines_of, reason, shortened
from fastmetrics.io.paths import expand_paths
from fastmetrics.tables.ranking.ranking_table import RankingTable

MissingQueries = Literal["zero", "omit"]

_ODD: Final = " OR ".join(
    (
        "text = ''",
        *(f"contains(text, '{blank}')" for blank in ("  ", "\r", "\v", "\f")),
        *(f"{end}s_with(text, ' ')" for end in ("start", "end")),
    )
)
#: What stands between blanks, a list. Only odd lines need the regular expression, which takes five
#: times as long.
_FIELDS: Final = (
    f"CASE WHEN {_ODD} THEN regexp_extract_all(text, '[^\\s]+') ELSE string_split(text, ' ') END"
)
#: The most queries that a warning names.
_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class _Form:
    """A kind of file: what a line of it holds, and where its query, document and number are."""

    fields: tuple[str, ...]
    query: int
    document: int
    number: int

    @property
    def value(self) -> str:
        """The SQL of the number, null where there is none; DuckDB takes ``1_0`` for 10."""
        text = f"p[{self.number}]"
        return f"CASE WHEN NOT contains({text}, '_') THEN TRY_CAST({text} AS DOUBLE) END"


_QRELS: Final = _Form(("query", "iteration", "document", "relevance"), 1, 3, 4)
_RUN: Final = _Form(("query", "Q0", "document", "rank", "score", "tag"), 1, 3, 5)


def read_trec(
    qrels: str | os.PathLike[str],
    runs: str
    | os.PathLike[str]
    | Sequence[str | os.PathLike[str]]
    | Mapping[str, str | os.PathLike[str]],
    *,
    missing_queries: MissingQueries = "zero",
    n_threads: int | None = None,
) -> dict[str, RankingTable]:
    r"""Read judgments and runs of a TREC evaluation.

    Parameters
    ----------
    qrels : str or path-like
        Judgments, a line each: query, iteration, document, relevance. Fields are separated by
        spaces or tabs; the file may be compressed (``.gz``, ``.zst``).
    runs : str or path-like, sequence, or mapping of names to paths
        One or several systems. A line has query, Q0, document, rank, score and tag; the score
        orders the documents, the rank is not looked at, as in trec_eval. Without names a system
        is called by its file, without the ending.
    missing_queries : {"zero", "omit"}, default="zero"
        What becomes of a query with judgments for which a run has no document: nothing was found,
        as ``trec_eval -c`` has it; or it is left out, for all runs alike.
    n_threads : int, optional
        Threads; None means every processor the process may use.

    Returns
    -------
    dict of str to RankingTable
        By the name of the system, of the same queries: those with judgments, as texts. Ids of
        documents are known, for ``ties="trec_eval"``. A document that nobody judged has no
        relevance; one that was judged and not retrieved counts among the relevant ones.

    Raises
    ------
    FileError
        If a file is missing, a line has too few or too many fields, a relevance or score is no
        finite number, or a query has a document twice: the message names file and line.
    TypeError, ValueError
        If two systems have one name, or an option has no meaning.
    ImportError
        If duckdb or pyarrow is not installed.

    Warns
    -----
    DataConversionWarning
        If a run has queries without judgments, which are left out, or lacks some that have.

    Notes
    -----
    Parsed and joined by DuckDB, in a session that sees these files and no other.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fastmetrics.io import read_trec
    >>> from fastmetrics.ranking import evaluate_rankings
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n")
    >>> lines = ["q1 Q0 d2 1 9.5 mine", "q1 Q0 d1 2 9.1 mine", "q2 Q0 d1 1 3.0 mine"]
    >>> _ = (folder / "mine.run").write_text("\n".join(lines))
    >>> tables = read_trec(folder / "qrels", folder / "mine.run")
    >>> tables["mine"]
    RankingTable(2 queries, 3 items, 2 relevant)
    >>> evaluate_rankings(tables, metrics="map").per_query("mine", "map")
    array([0.5, 1. ])
    """
    check_choice("missing_queries", missing_queries, ("zero", "omit"))
    named = _named(runs)
    paths = expand_paths([qrels, *named.values()])
    if len(paths) != 1 + len(named):
        raise FileError("a pattern names several files: name each run")
    with Session(paths, min(thread_count(), os.cpu_count() or 1)) as session:
        _load(session, "qrels", paths[0], _QRELS)
        for i, path in enumerate(paths[1:]):
            _load(session, f"run{i}", path, _RUN)
        _keep_queries(session, paths[1:], missing_queries)
        return {name: _table(session, f"run{i}") for i, name in enumerate(named)}


def _named(runs: Any) -> dict[str, str]:
    """Return the file of each run by the name of its system."""
    if isinstance(runs, Mapping):
        found = {str(name): os.fspath(path) for name, path in runs.items()}
    else:
        is_one = isinstance(runs, str | os.PathLike)
        if not is_one and not isinstance(runs, Sequence):
            raise InputTypeError(
                "`runs` must be a path, several, or a mapping of names to paths: got "
                f"{type(runs).__name__}"
            )
        found = {}
        for path in [runs] if is_one else runs:
            name = system_name(path)
            if name in found:
                raise InputError(
                    f"`runs` has two files called {name!r}: pass a mapping of names to paths"
                )
            found[name] = os.fspath(path)
    if not found:
        raise InputError("`runs` must name at least one file: got none")
    return found


def system_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without its endings."""
    name = os.path.basename(os.fspath(path))
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return os.path.splitext(name)[0] or name


def _spaced(address: str) -> str:
    """Return the SQL relation of the lines of a file, tabs in them made spaces."""
    return f"(SELECT replace(text, '\t', ' ') AS text FROM {lines_of(address)})"


def _load(session: Session, name: str, path: str, form: _Form) -> None:
    """Make a table of a file: query q, document d, number v; raise for what is wrong in it."""
    import duckdb

    split = f"SELECT {_FIELDS} AS p FROM {_spaced(session.addresses[path])}"
    query = (
        f"CREATE TABLE {name} AS SELECT p[{form.query}] AS q, p[{form.document}] AS d, "
        f"CASE WHEN len(p) = {len(form.fields)} THEN {form.value} END AS v "
        f"FROM ({split}) WHERE len(p) > 0"
    )
    try:
        rows_of(session.connection, query)
    except duckdb.Error as error:
        raise FileError(f"{path}: {reason(error)}") from None
    ((n, n_bad),) = rows_of(
        session.connection,
        f"SELECT count(*), count(*) FILTER (v IS NULL OR NOT isfinite(v)) FROM {name}",
    )
    if n_bad:
        raise _first_bad(session, path, form)
    if n == 0:
        raise FileError(f"{path}: the file is empty")
    twice = rows_of(
        session.connection,
        f"SELECT 1 FROM (SELECT q, d FROM {name} GROUP BY q, d HAVING count(*) > 1) LIMIT 1",
    )
    if twice:
        raise _first_duplicate(session, path, form)


def _numbered(address: str) -> str:
    return (
        "SELECT line, p FROM (SELECT row_number() OVER () AS line, "
        f"{_FIELDS} AS p FROM {_spaced(address)})"
    )


def _first_bad(session: Session, path: str, form: _Form) -> FileError:
    """Return the error for the first line that lacks a field or a number."""
    n = len(form.fields)
    query = (
        f"SELECT line, p FROM ({_numbered(session.addresses[path])}) WHERE len(p) > 0 AND "
        f"(len(p) <> {n} OR {form.value} IS NULL OR NOT isfinite({form.value})) "
        "ORDER BY line LIMIT 1"
    )
    with session.one_thread() as connection:
        ((line, fields),) = rows_of(connection, query)
    if len(fields) != n:
        wanted = ", ".join(form.fields)
        return FileError(f"{path}: line {line}: {len(fields)} fields where there are {n}: {wanted}")
    what = form.fields[form.number - 1]
    return FileError(
        f"{path}: line {line}: the {what} {shortened(fields[form.number - 1])} is no finite number"
    )


def _first_duplicate(session: Session, path: str, form: _Form) -> FileError:
    query = (
        f"SELECT min(line), max(line), q, d FROM (SELECT line, p[{form.query}] AS q, "
        f"p[{form.document}] AS d, row_number() OVER (PARTITION BY q, d ORDER BY line) AS nth "
        f"FROM ({_numbered(session.addresses[path])}) WHERE len(p) > 0) WHERE nth <= 2 "
        "GROUP BY q, d HAVING count(*) > 1 ORDER BY max(line) LIMIT 1"
    )
    with session.one_thread() as connection:
        ((first, second, q, d),) = rows_of(connection, query)
    return FileError(
        f"{path}: line {second}: query {shortened(q)} has document {shortened(d)} twice, first "
        f"in line {first}"
    )


def _keep_queries(session: Session, paths: Sequence[str], missing: MissingQueries) -> None:
    """Make the table of queries that count, numbered in order; say which do not."""
    runs = {f"run{i}": path for i, path in enumerate(paths)}
    kept = "SELECT DISTINCT q FROM qrels"
    for run, path in runs.items():
        unknown = _queries(session, f"SELECT DISTINCT q FROM {run} ANTI JOIN qrels USING (q)")
        if unknown:
            warn_user(
                f"{path}: {_count(unknown)} without judgments left out: {_listed(unknown)}",
                DataConversionWarning,
            )
        absent = _queries(session, f"SELECT DISTINCT q FROM qrels ANTI JOIN {run} USING (q)")
        if absent:
            fate = "count as nothing found" if missing == "zero" else "are left out, for all runs"
            warn_user(
                f"{path}: no document for {_count(absent)} with judgments, which {fate}: "
                f"{_listed(absent)}",
                DataConversionWarning,
            )
        if missing == "omit":
            kept = f"SELECT q FROM ({kept}) SEMI JOIN {run} USING (q)"
    rows_of(
        session.connection,
        "CREATE TABLE queries AS SELECT q, row_number() OVER (ORDER BY q) - 1 AS code FROM "
        f"({kept})",
    )
    if not rows_of(session.connection, "SELECT 1 FROM queries LIMIT 1"):
        raise FileError(f"{', '.join(paths)}: no query has judgments and documents of every run")


def _table(session: Session, run: str) -> RankingTable:
    """Return the table of a run: its documents, and the judged ones that it lacks."""
    queries = np.array(_queries(session, "SELECT q FROM queries"))
    found = _columns(
        session,
        f"SELECT code, r.v AS score, coalesce(j.v, 'nan') AS grade, "
        f"row_number() OVER (PARTITION BY code ORDER BY r.d) AS id FROM {run} r "
        "JOIN queries USING (q) LEFT JOIN qrels j ON j.q = r.q AND j.d = r.d ORDER BY code, id",
    )
    starts = np.searchsorted(found["code"], np.arange(len(queries) + 1)).astype(np.int64)
    rows = QueryRows(found["grade"], found["score"], starts, queries, found["id"])
    missing = _columns(
        session,
        f"SELECT code, v AS grade FROM qrels ANTI JOIN {run} USING (q, d) JOIN queries USING (q) "
        "WHERE v >= 0 ORDER BY code, v",  # below 0: not judged, as trec_eval has it
    )
    counts = np.bincount(missing["code"], minlength=len(queries))
    return RankingTable._of_rows(rows, None).with_missing(missing["grade"], counts)


def _columns(session: Session, query: str) -> dict[str, NDArray[Any]]:
    connection = session.connection
    found = interruptible(connection, lambda: connection.execute(query).fetchnumpy())
    return {name: np.ascontiguousarray(np.ma.getdata(column)) for name, column in found.items()}


def _queries(session: Session, query: str) -> list[str]:
    return [q for (q,) in rows_of(session.connection, f"{query} ORDER BY q")]


def _count(queries: Sequence[str]) -> str:
    return f"{len(queries):,} {'query' if len(queries) == 1 else 'queries'}"


def _listed(queries: Sequence[str]) -> str:
    shown = ", ".join(shortened(query) for query in queries[:_NAMED])
    return shown + (", …" if len(queries) > _NAMED else "")
