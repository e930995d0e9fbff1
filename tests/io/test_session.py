"""The session of DuckDB: what it may touch, and how its queries end."""

import os
import signal
import threading
import time

import duckdb
import pyarrow as pa
import pyarrow.csv
import pytest

from fastmetrics.errors import FileError
from fastmetrics.io import _session, reader
from fastmetrics.io._session import Session

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


class Deaf:
    """A connection whose query does not end where it is told to."""

    told = False

    def interrupt(self) -> None:
        self.told = True


@POSIX
def test_a_query_that_does_not_hear_is_left(monkeypatch):
    connection, go_on = Deaf(), threading.Event()
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        _session.interruptible(connection, lambda: go_on.wait(30))
    assert time.perf_counter() - start < 3
    assert connection.told
    go_on.set()


@pytest.mark.parametrize("refusals", [0, 2, 10**6])
def test_a_database_at_work_is_closed_later_or_left(monkeypatch, refusals):
    tried = []

    class Busy:
        def close(self):
            tried.append(len(tried) < refusals)
            if tried[-1]:
                raise duckdb.Error("connection is busy with another call")

    monkeypatch.setattr(_session, "_PATIENCE", 0.3)
    start = time.perf_counter()
    _session.close(Busy())
    assert time.perf_counter() - start < 3
    time.sleep(0.6)
    assert tried[-1] == (refusals > 2)
    assert len(tried) > min(refusals, 2)


def test_a_query_gives_its_result_and_its_error():
    assert _session.interruptible(Deaf(), lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        _session.interruptible(Deaf(), lambda: 1 // 0)


@pytest.fixture
def locked(tmp_path):
    (tmp_path / "mine.csv").write_text("a\n1\n")
    (tmp_path / "other.csv").write_text("a\n2\n")
    with Session([str(tmp_path / "mine.csv")], 1) as session:
        yield session.connection


def test_the_session_reads_the_named_file(locked, tmp_path):
    query = f"SELECT * FROM read_csv('{tmp_path}/mine.csv')"
    assert locked.execute(query).fetchall() == [(1,)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('{folder}/other.csv')",
        "SELECT * FROM '{folder}/other.csv'",
        "SELECT * FROM read_text('{folder}/../other.csv')",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM read_csv('{folder}/*.csv')",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "COPY (SELECT 1) TO '{folder}/mine.csv'",
        "ATTACH '{folder}/x.db'",
        "EXPORT DATABASE '{folder}/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/']",
        "SET threads = 2",
        "RESET lock_configuration",
        "PRAGMA enable_profiling",
        "CREATE PERSISTENT SECRET s (TYPE http)",
        "SELECT * FROM variable_of_the_test",
    ],
)
def test_the_session_does_nothing_else(locked, tmp_path, statement):
    variable_of_the_test = pa.table({"a": [1]})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(duckdb.Error):
        locked.execute(statement.format(folder=tmp_path)).fetchall()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert variable_of_the_test.num_rows == 1


def test_a_name_that_fits_no_pattern_of_its_own_is_refused(tmp_path):
    with pytest.raises(FileError, match="rename the file"):
        Session([str(tmp_path / "a\\[1].csv")], 1)


def test_a_query_that_has_just_begun_is_ended(monkeypatch):
    begun, told = threading.Event(), threading.Event()

    class Pressed(threading.Thread):
        def start(self):
            super().start()
            begun.wait(10)
            raise KeyboardInterrupt

    class Connection:
        def interrupt(self):
            told.set()

    def work():
        begun.set()
        assert told.wait(10)

    monkeypatch.setattr(_session.threading, "Thread", Pressed)
    with pytest.raises(KeyboardInterrupt):
        _session.interruptible(Connection(), work)
    assert told.is_set()


def test_a_slow_fetch_ends_before_a_file_is_read_anew(tmp_path, monkeypatch):

    fetched = _session.ahead

    def slowly(connection, batches):
        def slow():
            for batch in batches:
                time.sleep(0.01)
                yield batch

        return fetched(connection, slow())

    monkeypatch.setattr(_session, "_PATIENCE", 0.0)
    monkeypatch.setattr(reader, "_BATCH_ROWS", 2048)
    monkeypatch.setattr(reader, "ahead", slowly)
    n = 45_000  # DuckDB guesses integers of the first 20,480 rows
    scores = ["7"] * n
    scores[30_000] = "0.5"
    path = tmp_path / "late.csv"
    path.write_text("y,s\n" + "".join(f"{i % 2},{s}\n" for i, s in enumerate(scores)))
    found = reader.read_columns([path], "y", ["s"])
    assert found.scores["s"].sum() == 7 * (n - 1) + 0.5


def test_an_interrupt_at_the_start_leaves_no_thread(monkeypatch):

    started = []

    class Interrupted(threading.Thread):
        def start(self):
            super().start()
            started.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(_session.threading, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        next(_session.ahead(duckdb.connect(), iter(range(100))))
    started[0].join(5)
    assert not started[0].is_alive()
