"""Databases that run a statement on rows of (label, score, weight, country)."""

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import spark

Run = Callable[[str, Sequence[tuple[Any, ...]]], list[dict[str, Any]]]
NAMES = ("duckdb", "sqlite", "postgres", "spark", "clickhouse")
_COUNTS = {"positives", "negatives", "positive_weight", "negative_weight", "unusable"}
_COLUMNS = "label {int}, score {real}, weight {real}, country {text}"


@contextmanager
def engine(name: str) -> Iterator[Run]:
    """Give what makes table ``t`` of rows and returns the rows of a statement's result."""
    if name == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        yield lambda sql, rows: _embedded(duckdb.connect(), "DOUBLE", sql, rows)
    elif name == "sqlite":
        yield lambda sql, rows: _embedded(sqlite3.connect(":memory:"), "REAL", sql, rows)
    elif name == "spark":
        with spark.session() as session:
            yield lambda sql, rows: _spark(session, sql, rows)
    elif name == "clickhouse":
        chdb = pytest.importorskip("chdb.session", reason="ClickHouse (chdb) is not installed")
        with chdb.Session() as session:
            yield lambda sql, rows: _clickhouse(session, sql, rows)
    else:
        with tempfile.TemporaryDirectory() as folder, _postgres(Path(folder)) as run:
            yield run


def _embedded(connection: Any, real: str, sql: str, rows: Any) -> list[dict[str, Any]]:
    columns = _COLUMNS.format(int="INTEGER", real=real, text="VARCHAR")
    connection.execute(f"CREATE TABLE t ({columns})")
    if rows:
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description]
    result = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    connection.close()
    return result


def _spark(session: Any, sql: str, rows: Any) -> list[dict[str, Any]]:
    columns = _COLUMNS.format(int="int", real="double", text="string")
    session.createDataFrame(rows, columns).createOrReplaceTempView("t")
    return [row.asDict() for row in session.sql(sql).collect()]


def _clickhouse(session: Any, sql: str, rows: Any) -> list[dict[str, Any]]:
    kinds = {"int": "Int32", "real": "Float64", "text": "String"}
    columns = _COLUMNS.format(**{name: f"Nullable({kind})" for name, kind in kinds.items()})
    session.query(f"CREATE OR REPLACE TABLE t ({columns}) ENGINE = Memory")
    names = [column.split()[0] for column in columns.split(", ")]
    lines = "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)
    if lines:
        session.query(f"INSERT INTO t FORMAT JSONEachRow {lines}")
    united: dict[Any, dict[str, Any]] = {}  # 0.0 and -0.0 are two groups there
    for line in str(session.query(sql, "JSONEachRow")).splitlines():
        row = {n: float(v) if v and n[:5] == "score" else v for n, v in json.loads(line).items()}
        first = united.setdefault(tuple(row[n] for n in row if n not in _COUNTS), row)
        if first is not row:
            first |= {name: first[name] + row[name] for name in row if name in _COUNTS}
    return list(united.values())


def _program(name: str) -> str | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name) or next(
        (str(place / name) for place in places if (place / name).exists()), None
    )


@contextmanager
def _postgres(home: Path) -> Iterator[Run]:
    """Start a server of its own that listens on a socket in the folder."""
    programs = {name: _program(name) for name in ("initdb", "pg_ctl", "psql")}
    if not all(programs.values()):
        pytest.skip("PostgreSQL is not installed")
    # The server refuses to run as root.
    user: dict[str, Any] = {"user": "nobody"} if os.geteuid() == 0 else {}
    if user:
        shutil.chown(home, "nobody")
    data = home / "data"
    quiet: dict[str, Any] = {
        "check": True,
        "cwd": home,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        **user,
    }
    subprocess.run([programs["initdb"], "-D", data, "-A", "trust", "-U", "me", "-N"], **quiet)
    options = f"-c listen_addresses= -c fsync=off -k {home}"
    subprocess.run([programs["pg_ctl"], "-D", data, "-w", "-o", options, "start"], **quiet)

    def run(sql: str, rows: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
        columns = _COLUMNS.format(int="integer", real="double precision", text="text")
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [["" if v is None else v for v in row] for row in rows]
        )
        script = (
            f"DROP TABLE IF EXISTS t; CREATE TABLE t ({columns});\n"
            f"COPY t FROM STDIN CSV;\n{text.getvalue()}\\.\n{sql};\n"
        )
        connect = ["-h", home, "-U", "me", "-d", "postgres"]
        command = [programs["psql"], *connect, "-q", "--csv", "-v", "ON_ERROR_STOP=1"]
        done = subprocess.run(
            [str(part) for part in command], input=script, capture_output=True, text=True, **user
        )
        assert done.returncode == 0, done.stderr
        return [
            {name: _value(name, value) for name, value in row.items()}
            for row in csv.DictReader(io.StringIO(done.stdout))
        ]

    try:
        yield run
    finally:
        subprocess.run([programs["pg_ctl"], "-D", data, "-m", "immediate", "stop"], **quiet)


def _value(name: str, text: str) -> Any:
    if text == "":
        return None
    if name in ("country", "model"):
        return text
    return float(text) if name.startswith("score") or not text.isdecimal() else int(text)
