"""The tests of a mutant: those that run its line, by a coverage file of all tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from coverage import CoverageData

from benchmarks.mutants.listed import Mutant

#: Names of tests or of files of tests: a round is asked while no test before it has failed.
Rounds = tuple[tuple[str, ...], ...]

#: Names of tests that a command line takes as they are.
_PLAIN = re.compile(r"[\w./:\[\]-]+")
#: A browser wants more memory than a process of tests may ask for.
_BROWSER = "tests/report/test_report_in_browser.py"
#: Tests of the command line in a process of its own.
_PROCESSES = ("tests/cli/test_process.py", "tests/cli/test_interrupted_sessions.py")
#: The most tests of one line.
MOST = 300
#: Folders of tests by layer of the package, asked where no test is known to run a line.
FOLDERS = {
    "_kernels": ("tests/kernels",),
    "_input": ("tests/checks", "tests/properties"),
    "tables": ("tests/tables", "tests/properties"),
    "metrics": ("tests/metrics", "tests/properties"),
    "inference": ("tests/inference", "tests/intervals", "tests/properties"),
    "comparison": ("tests/comparison", "tests/properties"),
    "selection": ("tests/selection", "tests/properties"),
    "io": ("tests/io",),
    "_report": ("tests/report",),
    "dask": ("tests/clusters",),
    "cli": ("tests/cli",),
}


def statements_around(source: str, number: int) -> Iterator[int]:
    """Yield a line, and the first lines of the statements that it is in, innermost first."""
    starts = {
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt) and node.lineno <= number <= (node.end_lineno or 0)
    }
    yield from sorted(starts | {number}, reverse=True)


def name_test(context: str) -> str:
    """Return the test of a context ``name|phase``: all of its cases where one has an odd name."""
    name = context.rpartition("|")[0]
    return name if _PLAIN.fullmatch(name) else name.partition("[")[0]


class Choice:
    """The tests of one checkout, with the lines that each of them runs."""

    def __init__(self, root: Path, coverage: Path) -> None:
        self.root, self.data = root, CoverageData(str(coverage))
        self.data.read()
        measured = {
            name.rpartition("/fastmetrics/")[2]: name for name in self.data.measured_files()
        }
        self.files = {f"fastmetrics/{name}": whole for name, whole in measured.items()}

    def tests_running(self, mutant: Mutant, path: str) -> list[str]:
        """Return the tests that run the statement of a line; none where it runs on import."""
        source = (self.root / path).read_text(encoding="utf-8")
        number = [line.strip() for line in source.splitlines()].index(mutant.line) + 1
        contexts = self.data.contexts_by_lineno(self.files[path]) if path in self.files else {}
        for start in statements_around(source, number):
            tests = {name_test(context) for context in contexts.get(start, ())} - {""}
            tests = {test for test in tests if not test.startswith(_BROWSER)}
            if tests:
                return sorted(tests)
        return []

    def tests_of(self, mutant: Mutant, path: str) -> Rounds:
        """Return a test of each file whose tests run the line, then more of them.

        Coverage does not see into machine code: kernels are for the files of `tests/kernels`, those
        that name the module first. Nor does it see other processes: the command line is for the
        tests of its process, too.
        """
        layer = path.split("/")[1]
        tests = [] if layer == "_kernels" else self.tests_running(mutant, path)
        if tests:
            first = tuple({test.partition("::")[0]: test for test in tests}.values())
            step = max(1, len(tests) // MOST)
            more = tuple(test for test in tests[::step] if test not in first)
            return (first, more, _PROCESSES) if layer == "cli" else (first, more)
        files = [
            file.relative_to(self.root)
            for folder in FOLDERS[layer]
            for file in sorted((self.root / folder).rglob("test_*.py"))
        ]
        word = Path(path).stem
        near = [f for f in files if word in (self.root / f).read_text(encoding="utf-8")]
        far = [f for f in files if f not in near]
        return tuple(map(str, near)), tuple(map(str, far))
