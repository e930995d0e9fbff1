"""ruff, mypy and the floors: clean, and each one catches a file known to be bad."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import rules

pytestmark = pytest.mark.source_tree

SETTINGS: dict[str, Any] = tomllib.loads((rules.ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
CONTRACTS = {each["id"]: each["name"] for each in SETTINGS["importlinter"]["contracts"]}
#: Modules to be laid over the package, in folders named after the contract that they break.
BAD_IMPORTS = sorted((rules.BAD / "imports").iterdir())


def run(
    *arguments: str, cwd: Path = rules.ROOT, stdin: str | None = None, **extra: str
) -> tuple[int, str]:
    """Run a tool of this environment; return its exit code and all that it said."""
    done = subprocess.run(
        arguments,
        cwd=cwd,
        input=stdin,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", **extra},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def ruff(*arguments: str, stdin: str | None = None) -> tuple[int, str]:
    return run(sys.executable, "-m", "ruff", *arguments, "--no-cache", stdin=stdin)


def mypy(*arguments: str) -> tuple[int, str]:
    return run(sys.executable, "-m", "mypy", *arguments)


def lint_imports(tree: Path) -> tuple[int, str]:
    code = "from importlinter.cli import lint_imports_command as main; main()"
    return run(
        sys.executable,
        "-c",
        code,
        "--no-cache",
        "--no-logo",
        "--config",
        str(rules.ROOT / "pyproject.toml"),
        cwd=tree,
        PYTHONPATH=str(tree),
    )


def test_ruff_is_content() -> None:
    code, output = ruff("check", ".")
    assert code == 0, output


def test_every_file_is_formatted() -> None:
    code, output = ruff("format", "--check", ".")
    assert code == 0, output


def test_mypy_is_content() -> None:
    code, output = mypy()  # with its own cache: most of the first run is about numpy
    assert code == 0, output


def test_imports_go_where_the_contracts_say() -> None:
    code, output = lint_imports(rules.ROOT)
    assert code == 0, output


def test_ruff_catches_something_of_every_family() -> None:
    style = (rules.BAD / "style.py").read_text("utf-8")
    home = str(rules.PACKAGE / "metrics" / "style.py")  # asserts are fine in tests
    code, output = ruff(
        "check", "--output-format=concise", "--stdin-filename", home, "-", stdin=style
    )
    assert code == 1
    violations = {line.split()[1] for line in output.splitlines() if line.startswith("fastmetrics")}
    families = SETTINGS["ruff"]["lint"]["select"]
    assert not [name for name in families if not any(rule.startswith(name) for rule in violations)]


def test_the_formatter_catches() -> None:
    assert ruff("format", "--check", str(rules.BAD / "style.py"))[0] == 1


def test_mypy_catches() -> None:
    code, output = mypy(str(rules.BAD / "untyped.py"))
    assert code == 1
    strict = ("no-untyped-def", "return-value", "unreachable")
    for rule in (*strict, *SETTINGS["mypy"]["enable_error_code"]):
        assert f"[{rule}]" in output


def imports_of(path: Path) -> list[str]:
    """Return the names of the package that a bad module imports."""
    names = [name for _, name, _ in rules.imports(path.read_text("utf-8"), "fastmetrics.")]
    return [name for name in names if name != "typing"]


def test_imports_that_break_a_contract_are_caught(tmp_path: Path) -> None:
    """All bad modules are laid over one copy of the package: none replaces another."""
    copy = tmp_path / "fastmetrics"
    shutil.copytree(rules.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    paths = [p.relative_to(folder) for folder in BAD_IMPORTS for p in folder.rglob("*.py")]
    assert len(paths) == len({*paths})
    for folder in BAD_IMPORTS:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
    code, output = lint_imports(tmp_path)
    assert code == 1, output
    broken = output.partition("Broken contracts")[2]
    for folder in BAD_IMPORTS:
        contract = CONTRACTS[folder.name.partition(".")[0]]
        assert f"{contract} BROKEN" in output
        section = broken.partition(f"\n{contract}\n---")[2].partition("\n---")[0]
        for path in folder.rglob("*.py"):
            module = ".".join(("fastmetrics", *path.relative_to(folder).with_suffix("").parts))
            lines = [f"{module} -> {name}" for name in imports_of(path)] or [f"- {module}"]
            assert any(line in section for line in lines), (lines, section)
            assert all(line in broken for line in lines)


def test_every_contract_has_an_import_that_breaks_it() -> None:
    assert {folder.name.partition(".")[0] for folder in BAD_IMPORTS} == CONTRACTS.keys()
