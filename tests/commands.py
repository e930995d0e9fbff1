"""Commands run in this process: what they print, and how they are refused."""

from typing import Any

from fastmetrics.cli import main


def captured(capsys: Any, *command: Any, code: int = 0) -> Any:
    """Run a command that ends with this status; return its output and its errors."""
    assert main([*map(str, command)]) == code
    return capsys.readouterr()


def output_of(capsys: Any, *command: Any) -> str:
    """Run a command that says nothing on stderr; return its output."""
    out, err = captured(capsys, *command)
    assert err == ""
    return str(out)


def error_of(capsys: Any, *command: Any) -> str:
    """Run a command that is refused in one line and prints nothing else; return what is said."""
    out, err = captured(capsys, *command, code=2)
    assert out == ""
    assert err.startswith("fastmetrics: error: ")
    assert err.count("\n") == 1
    return str(err).removeprefix("fastmetrics: error: ").rstrip("\n")
