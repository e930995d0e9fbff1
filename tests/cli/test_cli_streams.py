"""Standard output and standard error that are closed, full, or read by nobody."""

import io
import json
import os
import shlex
import subprocess
import sys

import pytest

from commands import error_of
from fastmetrics.cli import main
from processes import environment

pytestmark = pytest.mark.skipif(os.name == "nt", reason="descriptors of POSIX")
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")

ROWS = "evaluate x.csv --label y --score s"
#: There is something to note.
FEW = "evaluate few.csv --label y --score s"
COMMANDS = {
    ROWS: 0,
    FEW: 0,
    f"{ROWS} --memory 1GB": 0,
    "evaluate c.csv --counts": 0,
    "compare-table t.csv --datasets d --higher-is-better": 0,
    "compare-benchmarks --before b.json --after a.json": 3,
    "sql --dialect duckdb --table t --label y --score s": 0,
    "demo": 0,
    "metrics": 0,
    "--help": 0,
    "evaluate --help": 0,
    "--version": 0,
}
#: Commands that fail, and how the message begins.
WRONG = {
    "evaluate x.csv --label y --score none": "x.csv: no column 'none'",
    "evaluate --counts x.csv": "x.csv: no column 'positives'",
    "compare-table t.csv --datasets none --higher-is-better": "t.csv: no column 'none'",
    "compare-benchmarks --before b.json --after none.json": "none.json: No such file or directory",
    "sql --dialect duckdb --table t --label y --score 'p +'": "--score is no duckdb SQL",
    "demo --write x.csv": "x.csv: exists already, with other content",
    "metrics --needs none": "argument --needs: invalid choice",
    "evaluate x.csv": "--label and --score missing",
}


#: A command that works, one that is answered at once, one that fails: all others go their ways.
BRIEF = {ROWS, "--help", next(iter(WRONG))}


def whole(commands):
    """Return the commands, of which the suite takes a few."""
    spared = pytest.mark.exhaustive
    return [each if each in BRIEF else pytest.param(each, marks=spared) for each in commands]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.csv").write_text("y,s\n" + "1,4\n0,2\n1,3\n0,1\n" * 50)
    (tmp_path / "few.csv").write_text("y,s\n1,4\n0,2\n")
    (tmp_path / "c.csv").write_text("score,positives,negatives\n1,40,60\n2,50,40\n")
    (tmp_path / "t.csv").write_text("d,a,b,c\nx,1,2,3\ny,1,3,2\nz,1,2,4\n")
    stats = {"mean": 1.0, "stddev": 0.5, "rounds": 5}
    for name in "ab":
        content = {"benchmarks": [{"fullname": "b", "stats": stats}]}
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def fastmetrics(folder, arguments, redirected, **given):
    """Return status, output and errors of a process whose streams the shell redirects."""
    env = environment(MPLBACKEND="agg")
    env.pop("PYTHONUNBUFFERED", None)  # what is still buffered at the end must not matter
    run = subprocess.run(
        ["sh", "-c", f'"$0" -m fastmetrics {arguments} {redirected}', sys.executable],
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
        env=env,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given},
    )
    return run.returncode, run.stdout, run.stderr


@pytest.mark.parametrize("arguments", [*whole(COMMANDS), "demo --write new.csv"])
def test_no_output_to_write_to(folder, arguments):
    files = sorted(folder.iterdir())
    status, out, err = fastmetrics(folder, arguments, ">&-")
    assert (status, out, err) == (2, "", "fastmetrics: error: standard output is closed\n")
    assert sorted(folder.iterdir()) == files  # said before any work


@pytest.mark.parametrize("arguments", whole(COMMANDS))
def test_nowhere_to_say_anything(folder, arguments):
    status, out, err = fastmetrics(folder, arguments, "2>&-")
    assert (status, err) == (COMMANDS[arguments], "")
    assert out
    assert "fastmetrics: " not in out


@pytest.mark.parametrize("arguments", whole(WRONG))
def test_nowhere_to_say_what_is_wrong(folder, arguments):
    assert fastmetrics(folder, arguments, "2>&-") == (2, "", "")


def test_what_is_wrong_is_said_otherwise(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    for arguments, message in WRONG.items():
        assert error_of(capsys, *shlex.split(arguments)).startswith(message)


@pytest.mark.parametrize("arguments", [ROWS, "metrics --nonsense"])
def test_both_are_closed(folder, arguments):
    assert fastmetrics(folder, arguments, ">&- 2>&-") == (2, "", "")


@FULL
@pytest.mark.parametrize("arguments", [f"{ROWS} --format csv", "--help"])
def test_full_output(folder, arguments):
    status, _, err = fastmetrics(folder, arguments, ">/dev/full")
    assert status == 2
    assert err.splitlines()[-1] == "fastmetrics: error: No space left on device"
    assert "Exception" not in err


@FULL
@pytest.mark.parametrize(("arguments", "expected"), [(FEW, 0), ("metrics --nonsense", 2)])
def test_full_errors(folder, arguments, expected):
    status, out, _ = fastmetrics(folder, arguments, "2>/dev/full")
    assert status == expected
    assert bool(out) == (expected == 0)


@pytest.mark.parametrize(
    ("stream", "arguments", "expected"),
    [("stdout", f"{ROWS} --format json", 141), ("stdout", "--help", 141), ("stderr", FEW, 0)],
)
def test_a_reader_that_went_away(folder, stream, arguments, expected):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        status, out, err = fastmetrics(folder, arguments, "", **{stream: writing})
    finally:
        os.close(writing)
    assert status == expected
    assert bool(out) == (expected == 0)
    assert "Traceback" not in (err or "")


@FULL
def test_streams_of_this_process_that_are_closed_full_or_read_by_nobody(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr", None)
    assert main(["metrics"]) == 0
    assert "roc_auc" in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.setattr("sys.stdout", None)
    assert error_of(capsys, "metrics") == "standard output is closed"
    reading, writing = os.pipe()
    os.close(reading)
    with open("/dev/full", "w") as full, os.fdopen(writing, "w") as unread:
        monkeypatch.setattr("sys.stdout", full)
        assert error_of(capsys, "metrics") == "No space left on device"
        monkeypatch.setattr("sys.stdout", unread)
        assert main(["metrics"]) == 141


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_what_the_terminal_cannot_show_is_spelled(monkeypatch, encoding) -> None:
    printed = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", printed)
    assert main(["demo"]) == main(["metrics"]) == 0
    text = printed.buffer.getvalue().decode(encoding)
    for each in ("\nn- ", "\nAUC ^ ", "\nFPR at it v ", " -inf ", " inf "):
        assert each in text
