"""One mutant on a copy of the checkout: its tests run until one fails because of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.mutants.choice import Rounds
from benchmarks.mutants.listed import Mutant
from benchmarks.mutants.report import Tried

#: Seconds for a round of tests: many times what it takes.
LIMIT = 900
_ENDLESS = "no end within"

#: A mutant, the module that its line stands in, and its tests.
Job = tuple[Mutant, str, Rounds]


def setting(module: str) -> str:
    """Return how the tests of a file are run: ``plain``, ``fresh`` or ``as it is``.

    Kernels run as plain Python: compiling each mutant would take minutes. What compiles them is
    seen in machine code alone, which no cache may hold from before, nor keep for the next mutant.
    """
    if not module.startswith("fastmetrics/_kernels/"):
        return "as it is"
    return "fresh" if module.endswith("/_compile.py") else "plain"


def command(tests: Sequence[str], *words: str) -> list[str]:
    """Return the command that runs some files of tests, up to the first failure."""
    # Ours is the time limit: Hypothesis need not look for a smaller example.
    alone = ("-q", "-x", "-n", "0", "--hypothesis-profile=first_failure")
    return [sys.executable, "-m", "pytest", *alone, *words, *tests]


def copied(root: Path, place: Path) -> Path:
    """Copy what tests need, time stamps included: Numba's cache knows kernels by them."""
    files = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml")
    for name in ("fastmetrics", "tests", "benchmarks", "docs", "examples", *files):
        source = root / name
        if source.is_dir():
            shutil.copytree(source, place / name)
        elif source.exists():
            shutil.copy2(source, place / name)
    return place


@contextmanager
def environment(how: str) -> Iterator[dict[str, str]]:
    """Yield the environment of tests in one of the settings."""
    left_out = {"PYTHONPATH", "PYTEST_ADDOPTS", "NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR"}
    plain = {key: value for key, value in os.environ.items() if key not in left_out}
    # Two mutants of one size in one second: Python would take the first one's byte code for both.
    plain["PYTHONDONTWRITEBYTECODE"] = "1"
    with tempfile.TemporaryDirectory(prefix="fastmetrics-cache.") as empty:
        own = {"plain": {"NUMBA_DISABLE_JIT": "1"}, "fresh": {"NUMBA_CACHE_DIR": empty}}
        yield plain | own.get(how, {})


def passes(words: Sequence[str], place: Path, how: str, limit: float) -> tuple[bool, str]:
    """Return whether a command of tests ends well within some seconds, and what it said."""
    with environment(how) as variables:
        process = subprocess.Popen(
            words,
            cwd=place,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with what the tests have started
            said = process.communicate()[0] + f"\n{_ENDLESS} {limit} s"
        return process.returncode == 0, said


@contextmanager
def mutated(mutant: Mutant, path: Path) -> Iterator[None]:
    """Change the line in a file; afterwards the file is as before, its time stamp too."""
    stamps, source = path.stat(), path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    number = [line.strip() for line in lines].index(mutant.line)
    lines[number] = lines[number].replace(mutant.line, mutant.becomes)
    try:
        path.write_text("".join(lines), encoding="utf-8")
        yield
    finally:
        path.write_text(source, encoding="utf-8")
        os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))


def tried(job: Job, place: Path) -> Tried:
    """Ask the tests of a mutant, round by round, until one fails.

    What failed is asked again, alone, with the mutant and without it: only a test that fails again
    and then passes has killed it. A test that fails without it too, or now and then, is no answer:
    the mutant counts as a survivor, and the failure is its reason.
    """
    mutant, module, rounds = job
    how = setting(module)
    for tests in rounds:
        if not tests:
            continue
        with mutated(mutant, place / module):
            passed, said = passes(command(tests, "--cache-clear"), place, how, LIMIT)
            if passed:
                continue
            again = command(_failed(said) or tests, "--cache-clear")
            # What has no end is not waited for twice.
            passes_with_it = _ENDLESS not in said and passes(again, place, how, LIMIT)[0]
        if passes_with_it:
            return Tried(mutant, module, "survived", "failed once: " + _failure(said))
        passes_without_it, said_without = passes(again, place, how, LIMIT)
        if passes_without_it:
            return Tried(mutant, module, "killed", _failure(said))
        return Tried(mutant, module, "survived", "without it too: " + _failure(said_without))
    return Tried(mutant, module, "survived")


def _failed(said: str) -> list[str]:
    """Return the names of the tests that failed; none if pytest did not start or end."""
    lines = (line for line in said.splitlines() if line.startswith("FAILED "))
    return [line.removeprefix("FAILED ").partition(" - ")[0] for line in lines]


def _failure(said: str) -> str:
    """Return the line of pytest's summary that names the test, or else the last one."""
    lines = said.strip().splitlines() or ["nothing was said"]
    return next((line for line in lines if line.startswith(("FAILED ", "ERROR "))), lines[-1])


def measured(place: Path) -> Path:
    """Run all tests and return the coverage file that says which lines each of them runs."""
    words = ("-q", "--cov=fastmetrics", "--cov-context=test", "--cov-report=")
    passed, said = passes([sys.executable, "-m", "pytest", *words], place, "as it is", 3600)
    if not passed:
        raise SystemExit(f"{said}\nthe tests fail without a mutant")
    return place / ".coverage"
