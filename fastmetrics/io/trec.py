"""``read_trec``: judgments and runs in TREC's formats, joined to columns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from fastmetrics._threads.workers import thread_count
from fastmetrics.errors import DataConversionWarning, FileError, InputError, warn_user
from fastmetrics.io._session import (
    Session,
    expand_paths,
    fetch_rows,
    interruptible,
    lines_function,
    reason,
    shorten,
)

Path = str | os.PathLike[str]

_ODD: Final = " OR ".join(
    (
        "text = ''",
        *(f"contains(text, '{blank}')" for blank in ("  ", "\r", "\v", "\f")),
        *(f"{end}s_with(text, ' ')" for end in ("start", "end")),
    )
)
#: The fields of a line, a list. Only odd lines need the regular expression, which takes five times
#: as long.
_FIELDS: Final = (
    f"CASE WHEN {_ODD} THEN regexp_extract_all(text, '[^\\s]+') ELSE string_split(text, ' ') END"
)
#: The most queries that a warning names.
_NAMED: Final = 5


#: The fields of a line of a file, and the position of its number, counted from 1.
_Layout = tuple[tuple[str, ...], int]
_QRELS: Final = (("query", "iteration", "document", "relevance"), 4)
_RUN: Final = (("query", "Q0", "document", "rank", "score", "tag"), 5)


def read_trec(qrels: Path, runs: Path | Mapping[str, Path]) -> dict[str, Any]:
    r"""Read judgments and runs of a TREC evaluation into columns for `evaluate`.

    Parameters
    ----------
    qrels : str or path-like
        Judgments, a line each: query, iteration, document, relevance. Fields are separated by
        spaces or tabs; the file may be compressed (``.gz``, ``.zst``).
    runs : str or path-like, or mapping of names to paths
        One system, or several by name. A line has query, Q0, document, rank, score and tag; the
        score orders the documents, the rank is ignored, as in trec_eval.

    Returns
    -------
    dict of str to ndarray
        Columns ``"query"``, ``"document"`` (texts), ``"relevance"`` (nan where nobody judged) and
        ``"score"`` (by name, of several runs): a row for each document of a judged query that is
        judged or retrieved. The score of a document that a run lacks is minus infinity: it counts
        among the relevant documents and has no position.

    Raises
    ------
    FileError
        If a file is missing or empty, a line has too few or too many fields, a relevance or score
        is no finite number, or a query has a document twice: the message names file and line.
    ImportError
        If duckdb or pyarrow is not installed.

    Warns
    -----
    DataConversionWarning
        If a run has queries without judgments, which are left out, or lacks judged queries, for
        which it then retrieves nothing, as ``trec_eval -c`` has it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import fastmetrics as fm
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\nq2 0 d7 1\n")
    >>> lines = ["q1 Q0 d2 1 9.5 mine", "q1 Q0 d1 2 9.1 mine", "q2 Q0 d1 1 3.0 mine"]
    >>> _ = (folder / "mine.run").write_text("\n".join(lines))
    >>> result = fm.io.read_trec(folder / "qrels", folder / "mine.run")
    >>> result["score"]
    array([ 9.1,  9.5,  3. , -inf])
    >>> fm.ranking.mean_average_precision(
    ...     result["relevance"], result["score"], query=result["query"], per_query=True
    ... )
    array([0.5, 0.5])
    """
    named = runs if isinstance(runs, Mapping) else {"score": runs}
    if not named:
        raise InputError("`runs` must name at least one file: got none")
    paths = expand_paths([qrels, *named.values()])
    if len(paths) != 1 + len(named):
        raise FileError("a pattern names several files: name each run")
    tables = [f"run{i}" for i in range(len(named))]
    with Session(paths, min(thread_count(), os.cpu_count() or 1)) as session:
        _load(session, "qrels", paths[0], _QRELS)
        for table, path in zip(tables, paths[1:], strict=True):
            _load(session, table, path, _RUN)
            _warn_of_queries(session, table, path)
        scores = ", ".join(f"coalesce({each}.v, '-inf') AS {each}" for each in tables)
        joins = " ".join(f"FULL JOIN {each} USING (q, d)" for each in tables)
        query = (
            f"SELECT q, d, coalesce(qrels.v, 'nan') AS relevance, {scores} FROM qrels {joins} "
            "SEMI JOIN (SELECT q FROM qrels) AS judged USING (q) ORDER BY q, d"
        )
        connection = session.connection
        columns = interruptible(connection, lambda: connection.execute(query).fetchnumpy())
    arrays = [np.ascontiguousarray(np.ma.getdata(column)) for column in columns.values()]
    by_name = dict(zip(named, arrays[3:], strict=True))
    arguments: dict[str, Any] = dict(zip(("query", "document", "relevance"), arrays, strict=False))
    return arguments | {"score": by_name if isinstance(runs, Mapping) else by_name["score"]}


def _load(session: Session, name: str, path: str, layout: _Layout) -> None:
    """Make a table of a file: query q, document d, number v; raise for the first bad line."""
    import duckdb

    names, position = layout
    # Tabs become spaces. DuckDB takes `1_0` for 10.
    lines = (
        f"(SELECT replace(text, '\t', ' ') AS text FROM {lines_function(session.addresses[path])})"
    )
    number = f"p[{position}]"
    value = f"CASE WHEN NOT contains({number}, '_') THEN TRY_CAST({number} AS DOUBLE) END"
    n_fields = len(names)
    columns = f"p[1] AS q, p[3] AS d, CASE WHEN len(p) = {n_fields} THEN {value} END AS v"
    try:
        fetch_rows(
            session.connection,
            f"CREATE TABLE {name} AS SELECT {columns} FROM (SELECT {_FIELDS} AS p FROM {lines}) "
            "WHERE len(p) > 0",
        )
    except duckdb.Error as error:
        raise FileError(f"{path}: {reason(error)}") from None
    is_bad = "v IS NULL OR NOT isfinite(v)"
    query = f"SELECT count(*), count(DISTINCT (q, d)), count(*) FILTER ({is_bad}) FROM {name}"
    ((n, n_distinct, n_bad),) = fetch_rows(session.connection, query)
    if n == 0:
        raise FileError(f"{path}: the file is empty")
    if n_distinct == n and not n_bad:
        return
    numbered = f"SELECT row_number() OVER () AS line, {_FIELDS} AS p FROM {lines}"
    query = (
        f"SELECT line, first, p, {is_bad} FROM (SELECT line, p, {columns}, "
        f"min(line) OVER (PARTITION BY p[1], p[3]) AS first FROM ({numbered}) WHERE len(p) > 0) "
        f"WHERE {is_bad} OR first < line ORDER BY line LIMIT 1"
    )
    with session.one_thread() as connection:  # which numbers lines in their order
        ((line, first, fields, is_bad_line),) = fetch_rows(connection, query)
    if len(fields) != n_fields:
        wanted = ", ".join(names)
        fault = f"{len(fields)} fields where there are {n_fields}: {wanted}"
    elif is_bad_line:
        text = shorten(fields[position - 1])
        fault = f"the {names[position - 1]} {text} is no finite number"
    else:
        query = shorten(fields[0])
        fault = f"query {query} has document {shorten(fields[2])} twice, first in line {first}"
    raise FileError(f"{path}: line {line}: {fault}")


def _warn_of_queries(session: Session, run: str, path: str) -> None:
    """Warn of queries that a run or the judgments lack."""
    for here, there, text in (
        (run, "qrels", "{} without judgments left out: {}"),
        ("qrels", run, "no document for {} with judgments, which count as nothing found: {}"),
    ):
        query = f"SELECT DISTINCT q FROM {here} ANTI JOIN {there} USING (q) ORDER BY q"
        names = [name for (name,) in fetch_rows(session.connection, query)]
        if names:
            count = f"{len(names):,} {'query' if len(names) == 1 else 'queries'}"
            shown = ", ".join(map(shorten, names[:_NAMED])) + ", …" * (len(names) > _NAMED)
            warn_user(f"{path}: {text.format(count, shown)}", DataConversionWarning)
