"""ruff, mypy and the floors: clean, and each one catches a file known to be bad."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rules

pytestmark = pytest.mark.source_tree


def run(*arguments: str, cwd: Path = rules.ROOT, **extra: str) -> tuple[int, str]:
    """Run a tool of this environment; return its exit code and all that it said."""
    done = subprocess.run(
        arguments,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", **extra},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def ruff(*arguments: str) -> tuple[int, str]:
    return run(sys.executable, "-m", "ruff", *arguments, "--no-cache")


def mypy(*arguments: str, cache: Path) -> tuple[int, str]:
    return run(sys.executable, "-m", "mypy", "--cache-dir", str(cache), *arguments)


def lint_imports(tree: Path) -> tuple[int, str]:
    code = "from importlinter.cli import lint_imports_command as main; main()"
    config = str(rules.ROOT / "pyproject.toml")
    return run(
        *(sys.executable, "-c", code, "--no-cache", "--no-logo", "--config", config),
        cwd=tree,
        PYTHONPATH=str(tree),
    )


def test_ruff_is_content() -> None:
    code, said = ruff("check", ".")
    assert code == 0, said


def test_every_file_is_formatted() -> None:
    code, said = ruff("format", "--check", ".")
    assert code == 0, said


def test_mypy_is_content(tmp_path: Path) -> None:
    code, said = mypy(cache=tmp_path)
    assert code == 0, said


def test_floors_hold() -> None:
    code, said = lint_imports(rules.ROOT)
    assert code == 0, said


def test_ruff_catches() -> None:
    untyped = str(rules.BAD / "untyped.py")
    code, said = ruff("check", "--output-format=concise", untyped)
    assert code == 1
    for rule in ("F401", "I001"):
        assert rule in said
    assert ruff("format", "--check", untyped)[0] == 1


def test_ruff_catches_asserts_and_prints_in_the_package(tmp_path: Path) -> None:
    text = (rules.BAD / "untyped.py").read_text("utf-8")
    name = str(rules.PACKAGE / "measures" / "untyped.py")
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--stdin-filename", name, "--no-cache", "-"],
        cwd=rules.ROOT,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    for rule in ("S101", "T201", "D103"):
        assert rule in done.stdout


def test_mypy_catches(tmp_path: Path) -> None:
    code, said = mypy(str(rules.BAD / "untyped.py"), cache=tmp_path)
    assert code == 1
    for rule in ("[no-untyped-def]", "[return-value]"):
        assert rule in said


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("_kernels/upwards.py", "from fastmetrics._input.rows import check_binary"),
        ("_results.py", "from fastmetrics.tables.scores.score_table import ScoreTable"),
        ("tables/upwards.py", "import fastmetrics.measures"),
        ("measures/upwards.py", "def late():\n    import fastmetrics.intervals"),
        ("plots/upwards.py", "from fastmetrics._results import Result"),
        (
            "plots/for_types.py",
            "import typing\nif typing.TYPE_CHECKING:\n    import fastmetrics.comparison",
        ),
        ("nowhere.py", ""),
    ],
)
def test_imports_that_go_up_are_caught(tmp_path: Path, module: str, line: str) -> None:
    copy = tmp_path / "fastmetrics"
    shutil.copytree(rules.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    code, said = lint_imports(tmp_path)
    assert code == 1, said
    assert "BROKEN" in said or "nowhere" in said, said
