"""Ctrl-C where C++ and Python make another error of it: it is an interrupt all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import duckdb
import pytest

from fastmetrics.cli import main
from fastmetrics.errors import FileError
from fastmetrics.io import read_trec

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


class Pressed:
    """A connection at whose settings Ctrl-C is pressed, which DuckDB makes a RuntimeError."""

    def __init__(self, connection, times):
        self._connection = connection
        self._times = times

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def execute(self, query, *parameters):
        if query.startswith("SET ") and self._times:
            self._times.pop()
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                raise RuntimeError("Query interrupted") from None
        return self._connection.execute(query, *parameters)


def press_at(monkeypatch, place):
    """Press Ctrl-C while a database is set up, the first or the second of a process."""
    connect, places = duckdb.connect, []

    def connected(*given, **options):
        places.append(len(places) + 1)
        return Pressed(connect(*given, **options), [1] if places[-1] == place else [])

    monkeypatch.setattr(duckdb, "connect", connected)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("y,s\n1,4\n0,2\n1,x\n")
    (tmp_path / "q.txt").write_text("q1 0 d1 1\n")
    (tmp_path / "bad.run").write_text("q1 Q0 d1 1 x r\n")
    return tmp_path


READERS = {
    "columns": (None, "evaluate bad.csv --label y --score s"),
    "trec": (lambda: read_trec("q.txt", "bad.run"), None),
}


@pytest.mark.parametrize("place", [1, 2, 3])
@pytest.mark.parametrize("reader", READERS)
def test_while_a_database_is_set_up(folder, monkeypatch, capsys, reader, place):
    read, command = READERS[reader]
    if read is not None:
        press_at(monkeypatch, place)
        with pytest.raises(FileError if place == 3 else KeyboardInterrupt):
            read()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        monkeypatch.undo()
        monkeypatch.chdir(folder)
    if command is None:
        return
    press_at(monkeypatch, place)
    assert main(command.split()) == (2 if place == 3 else 130)
    out, err = capsys.readouterr()
    assert out == ""
    assert (err == "fastmetrics: interrupted\n") == (place < 3)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


RUN = """
import atexit, sys
from unittest import mock
from fastmetrics.__main__ import run
atexit.register(print, "at the end")
with mock.patch("fastmetrics.cli.main", side_effect={effect}):
    sys.exit(run())
"""


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        ("[0]", (0, "at the end\n", "")),
        ("[2]", (2, "at the end\n", "")),
        ("[130]", (130, "", "")),
        ("KeyboardInterrupt", (130, "", "fastmetrics: interrupted\n")),
    ],
)
def test_the_process_ends_at_once(effect, expected):
    paths = os.pathsep.join(path for path in sys.path if path)
    run = subprocess.run(
        [sys.executable, "-c", RUN.format(effect=effect)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert (run.returncode, run.stdout, run.stderr) == expected
