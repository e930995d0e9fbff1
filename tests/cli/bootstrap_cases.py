"""Commands on `x.parquet` (see conftest.py), and what comes of them."""

from fastmetrics.cli import main

N = 240
ONE = ("--score", "a")
BOTH = (*ONE, "--score", "b")
QUICK = ("--bootstrap", 99, "--seed", 7)


def run(*arguments):
    """Evaluate the file; return the exit code."""
    return main(["evaluate", "x.parquet", "--label", "y", *map(str, arguments)])


def output_of(capsys, *arguments):
    """Evaluate the file without a word on stderr; return the output."""
    assert run(*arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def error_of(capsys, *arguments):
    """Expect one line of error and no output; return the line without its prefix."""
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.removeprefix("fastmetrics: error: ").rstrip("\n")
