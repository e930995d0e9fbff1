"""Run scikit-learn's own metric tests, and the examples of its docstrings, on our functions.

``python -m benchmarks.peer_suite`` finds the tests where scikit-learn is installed, runs them twice
(on scikit-learn's functions, to see what fails or is skipped there, and on ours in their place) and
writes ``docs/peer_suite.md`` and ``docs/peer_suite.json``. It returns 1 where a test fails that
``peers/expected.toml`` does not list under a deliberate deviation, or where a listed one passes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import sklearn

from benchmarks.peers import judge, report

ROOT = Path(__file__).resolve().parents[1]
PEER = Path(sklearn.__file__).parent
QUICK = ("tests/test_classification.py", "tests/test_ranking.py", "tests/test_regression.py")
FILES = (
    *QUICK,
    "tests/test_common.py",
    "tests/test_score_objects.py",
    "_classification.py",  # these three for the examples of their docstrings
    "_ranking.py",
    "_regression.py",
)
EXAMPLE_FLAGS = "NORMALIZE_WHITESPACE ELLIPSIS NUMBER"


def shortened(test: str) -> str:
    """Return a node id without the folders: what the page and the data file call a test."""
    file, separator, rest = test.partition("::")
    if separator and file.rpartition("/")[0].endswith("metrics"):
        return f"example of {rest.rpartition('.')[2]}"
    return file.rpartition("/")[2] + separator + rest


def run(files: Sequence[str], pytest_options: Sequence[str]) -> dict[str, Any]:
    """Run the tests in a process of their own; pytest's progress goes to the terminal."""
    with tempfile.TemporaryDirectory(prefix="fastmetrics-peer-") as folder:
        settings = Path(folder) / "pytest.ini"  # neither our settings nor theirs
        settings.write_text("[pytest]\n", encoding="utf-8")
        output = Path(folder) / "outcomes.json"
        command = [
            *(sys.executable, "-m", "pytest", "-c", str(settings)),
            *("--rootdir", str(PEER.parent), "-p", "no:cacheprovider"),
            *("-p", "benchmarks.peers.plugin", "--peer-output", str(output), "--doctest-modules"),
            *("-o", f"doctest_optionflags={EXAMPLE_FLAGS}"),
            *("-q", "--no-header", "--tb=short", "--show-capture=no", "--disable-warnings"),
            *("-r", "N", "--no-summary", *pytest_options),
            *[str(PEER / "metrics" / name) for name in files],
        ]
        places = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
        environment.pop("PYTEST_ADDOPTS", None)
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        ended = subprocess.run(command, env=environment, cwd=folder, check=False)
        if not output.exists():
            raise RuntimeError(f"pytest ended with code {ended.returncode} and wrote no outcomes")
        written: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    written["tests"] = {shortened(test): found for test, found in written["tests"].items()}
    return written


def _arguments(arguments: Iterable[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peer_suite", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three files, ours alone; no page")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="replace these alone")
    parser.add_argument("-k", dest="select", metavar="EXPRESSION", help="tests, as pytest's -k")
    parser.add_argument("--words", action="store_true", help="show the errors in other words")
    parser.add_argument("--output", type=Path, default=ROOT / "docs", help="folder of the page")
    return parser.parse_args(None if arguments is None else list(arguments))


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the script and return its exit code."""
    options = _arguments(arguments)
    expectations = judge.load()
    known = judge.known_deviations(judge.DEVIATIONS.read_text(encoding="utf-8"))
    missing = sorted(expectations.deviations() - known)
    if missing:
        print(f"rows that docs/deviations.md does not have: {missing}", file=sys.stderr)
        return 2
    files = QUICK if options.quick else FILES
    extra = ["-k", options.select] if options.select else []
    if options.only:
        extra += ["--peer-only", ",".join(options.only)]
    theirs = None
    if not options.quick:
        print("scikit-learn's tests on scikit-learn's functions", flush=True)
        theirs = run(files, [*extra, "--peer-theirs"])
    print("scikit-learn's tests on our functions", flush=True)
    verdict = judge.judge(run(files, extra), theirs, expectations)
    if options.words:
        print(report.words(verdict))
    print(report.summary(verdict))
    if not (options.quick or options.only or options.select):
        for path in report.write(verdict, options.output):
            print(f"written: {path.name}")
    return 0 if verdict.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
