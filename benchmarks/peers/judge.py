"""What a test of scikit-learn's says about our functions: the outcome set beside what is expected.

The expected failures are in ``expected.toml``, each under the row of ``docs/deviations.md``
that it follows from.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = Path(__file__).with_name("expected.toml")
DEVIATIONS = ROOT / "docs" / "deviations.md"

Tests = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Entry:
    """Tests that are expected to fail, or are left out.

    ``because`` must be part of what the failure says: a test that fails for another reason is not
    expected. A test named without its case in brackets stands for all its cases.
    """

    why: str
    tests: tuple[str, ...]
    because: str = ""

    def covers(self, test: str, reason: str) -> str | None:
        """Return the name under which the test is listed here, or None."""
        if self.because not in reason:
            return None
        return next((t for t in self.tests if t in (test, test.partition("[")[0])), None)


@dataclass(frozen=True)
class Expectations:
    """The data file."""

    wording: str  # the deviation behind an error of the right type in other words
    failures: tuple[Entry, ...]
    out_of_scope: tuple[Entry, ...]

    def deviations(self) -> set[str]:
        """Return the names of all deviations that are referred to."""
        return {self.wording, *(entry.why for entry in self.failures)}


def load(path: Path = EXPECTED) -> Expectations:
    """Read the data file; a test listed twice under one text is an error."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    failures = tuple(
        Entry(row["deviation"], tuple(row["tests"]), row["because"]) for row in document["expected"]
    )
    listed = [(test, entry.because) for entry in failures for test in entry.tests]
    twice = sorted({pair for pair in listed if listed.count(pair) > 1})
    if twice:
        raise ValueError(f"{path.name}: listed twice: {twice}")
    out = tuple(Entry(row["why"], tuple(row["tests"])) for row in document["out_of_scope"])
    return Expectations(document["wording"], failures, out)


def known_deviations(text: str) -> set[str]:
    """Return the names of the rows of all tables: "what", or "function: case"; no backticks."""
    names = set()
    header = ""
    for line in text.splitlines():
        cells = [cell.strip().replace("`", "") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            header = ""
        elif not header:
            header = cells[0]
        elif set(cells[0]) != {"-"}:
            names.add(f"{cells[0]}: {cells[1]}" if header == "function" else cells[0])
    return names


@dataclass
class Tally:
    """How the tests that call one function ended."""

    passed: int = 0
    wordings: int = 0
    deliberate: int = 0
    failed: int = 0

    @property
    def tests(self) -> int:
        """All that count."""
        return self.passed + self.wordings + self.deliberate + self.failed


@dataclass
class Verdict:
    """All outcomes, sorted."""

    functions: dict[str, Tally]
    total: Tally = field(default_factory=Tally)
    deliberate: dict[str, list[str]] = field(default_factory=dict)  # deviation -> tests
    unexpected: dict[str, str] = field(default_factory=dict)  # test -> reason
    stale: list[str] = field(default_factory=list)  # expected to fail, and all of them pass
    out_of_scope: dict[str, list[str]] = field(default_factory=dict)  # why -> tests
    alone: dict[str, int] = field(default_factory=dict)  # why they do not run -> number
    wordings: dict[str, list[str]] = field(default_factory=dict)  # test -> what differs
    others: int = 0  # tests that call none of the functions
    broken: dict[str, str] = field(default_factory=dict)  # functions that cannot be imported

    @property
    def is_good(self) -> bool:
        """Nothing unexpected, and nothing expected in vain."""
        return not (self.unexpected or self.stale or self.broken)


def _count(verdict: Verdict, names: Iterable[str], outcome: str) -> None:
    for tally in (verdict.total, *(verdict.functions[name] for name in names)):
        setattr(tally, outcome, getattr(tally, outcome) + 1)


def _why_alone(test: str, found: Mapping[str, Any]) -> str:
    reason = str(found["reason"])
    if re.search("array_?api", reason, re.IGNORECASE):
        return "skipped: array API, which needs packages that are not installed"
    if "can not deal with 1d inputs" in reason:
        return "skipped: the metric has no case for them"
    return f"{found['outcome']}: {test} ({reason})"


def _name_entry(entries: Iterable[Entry], test: str, reason: str) -> tuple[Entry, str] | None:
    for entry in entries:
        listed = entry.covers(test, reason)
        if listed is not None:
            return entry, listed
    return None


def _is_counted(test: str, found: Mapping[str, Any], alone: Tests | None, verdict: Verdict) -> bool:
    """Return False for a test that says nothing about our functions, and note why."""
    reference = found if alone is None else alone.get(test, found)
    if reference["outcome"] not in (["passed"] if alone is not None else ["passed", "failed"]):
        why = _why_alone(test, reference)
        verdict.alone[why] = verdict.alone.get(why, 0) + 1
        return False
    if not found["calls"] and not reference["calls"] and found["outcome"] == "passed":
        verdict.others += 1
        return False
    return True


def judge(
    ours: Mapping[str, Any], theirs: Mapping[str, Any] | None, expectations: Expectations
) -> Verdict:
    """Sort the tests; ``theirs`` is the run on scikit-learn's own functions, if there was one."""
    verdict = Verdict({name: Tally() for name in ours["functions"]}, broken=dict(ours["broken"]))
    alone: Tests | None = None if theirs is None else theirs["tests"]
    used: set[tuple[Entry, str]] = set()
    seen: set[str] = set()
    for test, found in sorted(ours["tests"].items()):
        left_out = _name_entry(expectations.out_of_scope, test, "")
        if left_out is not None:
            verdict.out_of_scope.setdefault(left_out[0].why, []).append(test)
            continue
        if not _is_counted(test, found, alone, verdict):
            continue
        seen |= {test, test.partition("[")[0]}
        if found["wordings"]:
            verdict.wordings[test] = list(found["wordings"])
        outcome = "wordings" if found["wordings"] else "passed"
        if found["outcome"] != "passed":
            reason = f"{found['outcome']}: {found['reason']}"
            listed = _name_entry(expectations.failures, test, reason)
            if listed is None:
                outcome = "failed"
                verdict.unexpected[test] = reason
            else:
                outcome = "deliberate"
                used.add(listed)
                verdict.deliberate.setdefault(listed[0].why, []).append(test)
        reference = found if alone is None else alone.get(test, found)
        _count(verdict, {*found["calls"], *reference["calls"]}, outcome)
    verdict.stale = [
        f"{test} ({entry.why}: {entry.because})"
        for entry in expectations.failures
        for test in entry.tests
        if (entry, test) not in used and test in seen
    ]
    return verdict
