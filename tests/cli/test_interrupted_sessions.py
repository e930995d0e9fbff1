"""Ctrl-C where C++ and Python make another error of it: it is an interrupt all the same."""

import os
import signal

import duckdb
import pytest

from fastmetrics.cli import main
from fastmetrics.errors import FileError
from fastmetrics.io import read_trec
from processes import python

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
    connect = duckdb.connect
    places = []

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


@pytest.mark.parametrize("place", [1, 2, 3])
@pytest.mark.usefixtures("folder")
def test_while_a_database_is_set_up_for_rankings(monkeypatch, place):
    press_at(monkeypatch, place)
    with pytest.raises(FileError if place == 3 else KeyboardInterrupt):
        read_trec("q.txt", "bad.run")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("place", [1, 2, 3])
@pytest.mark.usefixtures("folder")
def test_while_a_database_is_set_up_for_columns(monkeypatch, capsys, place):
    press_at(monkeypatch, place)
    assert main("evaluate bad.csv --label y --score s".split()) == (2 if place == 3 else 130)
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
    run = python("-c", RUN.format(effect=effect))
    assert (run.returncode, run.stdout, run.stderr) == expected
