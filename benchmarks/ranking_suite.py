"""Run ir_measures' own tests on our measures of rankings.

``python -m benchmarks.ranking_suite ir_measures-0.4.3.tar.gz`` takes the source distribution (``pip
download --no-binary :all: --no-deps ir_measures==0.4.3``), runs its tests twice (as they are, to
see what fails there, and with `peers.rankings` in the place of its providers) and writes
``docs/ranking_suite.md``. It returns 1 where a test fails that passes there. Needs ir_measures and
the peers that its tests call.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
import unittest
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

#: The distribution lacks the base class of a test file: the same assertion in our words.
_BASE = """
import unittest


class BaseMeasureTest(unittest.TestCase):
    def assertMetrics(self, found, expected, not_equal=False):
        found, expected = sorted(found, key=str), sorted(expected, key=str)
        if not_equal:
            self.assertNotEqual([one.value for one in found], [one.value for one in expected])
            return
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertEqual((one.query_id, one.measure), (other.query_id, other.measure))
            self.assertAlmostEqual(one.value, other.value, places=4)
"""

#: Tests that fail with ours, in plain words.
REASONS = {
    "test_ranx.TestRanx.test_P": "one value of 30 differs in its last digit, the 16th: the test "
    "compares all"
}

_PAGE = """\
# ir_measures' own tests, run on these functions

Written by `python -m benchmarks.ranking_suite`; do not edit. ir_measures calls trec_eval, ranx,
gdeval, cwl-eval and others under one interface and tests them all. Here its tests run with
fastmetrics in the place of each, for the metrics that it has: precision, recall, F1, success,
reciprocal rank, average precision, R-precision, bpref, NDCG, ERR, RBP; all with
`ties="trec_eval"` and `no_relevant=0`.

{versions}.

**{asked} of its {tests} tests ask for {values:,} of our values: {passed} pass, {failed} fail.**

- The other tests ask for nothing that fastmetrics has (counts, interpolated precision, diversity of
  subtopics, parsing), or for a program that was not there.
- gdeval has the exponential gain alone and prints five digits: so are ours for its tests.
- The source distribution lacks the base class of a test file: the script has one, which compares to
  four digits. It lacks the files that the test of cwl-eval reads, too.
- What deviates by default, ties and queries without relevant items, is in
  [deviations.md](deviations.md#metrics-of-rankings).

| test | our values | outcome |
|---|---:|---|"""


class _Outcomes(unittest.TestResult):
    """What became of each test, and how many of the values in it were ours."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, dict[str, Any]] = {}

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().startTest(test)
        self._before = _given()

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().stopTest(test)
        name = test.id().removeprefix("tests.")
        faults = [
            text
            for bad, text in (*self.failures, *self.errors)
            if getattr(bad, "test_case", bad) is test
        ]
        skipped = [why for bad, why in self.skipped if bad is test]
        self.found[name] = {
            "ours": _given() - self._before,
            "fault": "\n".join(text.strip().splitlines()[-1] for text in faults),
            "skipped": skipped[0] if skipped else "",
        }


def _given() -> int:
    rankings = sys.modules.get("benchmarks.peers.rankings")
    return rankings.Counter.values if rankings else 0


def outcomes(folder: str, ours: bool) -> dict[str, dict[str, Any]]:
    """Run the tests of an unpacked distribution in this process."""
    if ours:
        from benchmarks.peers import rankings

        rankings.replace()
    result = _Outcomes()
    unittest.defaultTestLoader.discover(f"{folder}/tests", top_level_dir=folder).run(result)
    return result.found


def run(archive: Path, *options: str) -> dict[str, dict[str, Any]]:
    """Run the tests in a process of their own."""
    with tempfile.TemporaryDirectory(prefix="fastmetrics-peer-") as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (inner,) = Path(folder).iterdir()
        (inner / "tests" / "__init__.py").touch()
        (inner / "tests" / "base.py").write_text(_BASE, encoding="utf-8")
        output = Path(folder) / "outcomes.json"
        command = [sys.executable, "-m", "benchmarks.ranking_suite", str(inner), *options]
        subprocess.run([*command, "--outcomes", str(output)], cwd=ROOT, check=True)
        found: dict[str, dict[str, Any]] = json.loads(output.read_text(encoding="utf-8"))
    return found


def page(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """Return the page: what was run, and each difference."""
    counted = {name: each for name, each in ours.items() if each["ours"]}
    failed = [name for name, each in counted.items() if each["fault"]]
    values = sum(each["ours"] for each in counted.values())
    names = ("ir_measures", "fastmetrics-eval", "numpy")
    versions = ", ".join(f"{name} {version(name)}" for name in names if _has(name))
    lines = [
        _PAGE.format(
            versions=versions,
            asked=len(counted),
            tests=len(ours),
            values=values,
            passed=len(counted) - len(failed),
            failed=len(failed),
        )
    ]
    for name, each in sorted(counted.items()):
        outcome = "passes"
        if each["fault"]:
            outcome = REASONS.get(name, each["fault"])
            if theirs[name]["fault"]:
                outcome += f"; fails there too: {theirs[name]['fault']}"
        lines.append(f"| `{name}` | {each['ours']} | {outcome} |")
    return "\n".join(lines) + "\n"


def _has(name: str) -> bool:
    try:
        version(name)
    except ModuleNotFoundError:
        return False
    return True


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ranking_suite", description=__doc__)
    parser.add_argument("archive", type=Path, help="the source distribution")
    parser.add_argument("--ours", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--outcomes", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "ranking_suite.md")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.outcomes:
        found = outcomes(str(options.archive), options.ours)
        options.outcomes.write_text(json.dumps(found), encoding="utf-8")
        return 0
    theirs, ours = run(options.archive), run(options.archive, "--ours")
    failed = {
        name
        for name, each in ours.items()
        if each["ours"] and each["fault"] and not theirs[name]["fault"]
    }
    options.output.write_text(page(theirs, ours), encoding="utf-8")
    for name in sorted(failed):
        print(f"{name}: {ours[name]['fault']}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
