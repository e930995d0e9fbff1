"""Standard output and standard error that are closed, full, or read by nobody."""

import io
import os
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
WRONG = "evaluate x.csv --label y --score none"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.csv").write_text("y,s\n" + "1,4\n0,2\n1,3\n0,1\n" * 50)
    (tmp_path / "few.csv").write_text("y,s\n1,4\n0,2\n")
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


@pytest.mark.parametrize("arguments", [ROWS, "--help", "demo --write new.csv"])
def test_no_output_to_write_to(folder, arguments):
    files = sorted(folder.iterdir())
    status, out, err = fastmetrics(folder, arguments, ">&-")
    assert (status, out, err) == (2, "", "fastmetrics: error: standard output is closed\n")
    assert sorted(folder.iterdir()) == files  # said before any work


@pytest.mark.parametrize("arguments", [ROWS, "--help"])
def test_nowhere_to_say_anything(folder, arguments):
    status, out, err = fastmetrics(folder, arguments, "2>&-")
    assert (status, err) == (0, "")
    assert out
    assert "fastmetrics: " not in out


def test_nowhere_to_say_what_is_wrong(folder):
    assert fastmetrics(folder, WRONG, "2>&-") == (2, "", "")


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
