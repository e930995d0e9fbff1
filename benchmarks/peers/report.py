"""The page and the stored numbers of ``benchmarks.peer_suite``."""

from __future__ import annotations

import importlib
import inspect
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import fastmetrics
from benchmarks.peers.judge import Tally, Verdict
from benchmarks.peers.plugin import HOMES

PAGE = "peer_suite.md"
STORED = "peer_suite.json"

HEAD = """\
# scikit-learn's own tests, run on these functions

Written by `python -m benchmarks.peer_suite`; do not edit. scikit-learn ships its tests. Here they
run with the functions of fastmetrics in the place of those of `sklearn.metrics` that have the same
name: its tests of classification, ranking and regression metrics, those common to all metrics,
those of scorers, and the examples in the docstrings of the metrics (numbers compared to the digits
that are shown).

{versions}.

**{tests} tests call at least one of the {functions} functions: {passed} pass{wordings},
{deliberate} fail on purpose, {failed} fail.**

- A test counts for every function that it calls.
- "Other words": the test passes but for the text of an error. The type must be right, and the
  error must come from our check of that argument; the rest of the test runs as written.
  [Error messages](deviations.md) name the argument, the rule, what came and where.
- "On purpose": the test asks for what [deviations.md](deviations.md) says is different here. Which
  test fails for which row, and what the failure must say, is in `benchmarks/peers/expected.toml`; a
  test that fails for another reason, or passes though it is listed, ends the script with code 1.
- What a warning says is compared.
- Functions of scikit-learn that are not replaced go on calling their own.
"""


def versions() -> dict[str, str]:
    """Return the versions that matter."""
    named = {name: version(name) for name in ("scikit-learn", "numpy", "scipy", "pytest")}
    return {"fastmetrics": fastmetrics.__version__, **named}


def not_offered(names: set[str]) -> list[str]:
    """Return the public functions of the same modules that are not among the names."""
    public = importlib.import_module("sklearn.metrics").__all__
    homes = [importlib.import_module(f"sklearn.metrics.{home}") for home in HOMES]
    theirs = {n for n in public for home in homes if inspect.isfunction(vars(home).get(n))}
    return sorted(theirs - names)


def _table(verdict: Verdict) -> list[str]:
    def row(name: str, tally: Tally) -> str:
        cells = (tally.tests, tally.passed, tally.wordings, tally.deliberate, tally.failed)
        return f"| {name} | " + " | ".join(map(str, cells)) + " |"

    return [
        "| function | tests that call it | passed | other words | on purpose | failed |",
        "|---|---:|---:|---:|---:|---:|",
        *(row(f"`{name}`", tally) for name, tally in sorted(verdict.functions.items())),
        row("all, each test once", verdict.total),
    ]


def _counts(tests: Iterable[str]) -> Counter[str]:
    return Counter(test.partition("[")[0] for test in tests)


def _cases(tests: list[str]) -> str:
    counts = _counts(tests)
    return "; ".join(f"`{t}`" + (f" × {n}" if n > 1 else "") for t, n in sorted(counts.items()))


def page(verdict: Verdict) -> str:
    """Return the text of the page."""
    total = verdict.total
    head = HEAD.format(
        versions=", ".join(f"{name} {number}" for name, number in versions().items()),
        tests=total.tests,
        functions=len(verdict.functions),
        passed=total.passed + total.wordings,
        wordings=f" ({total.wordings} but for the words of an error)" if total.wordings else "",
        deliberate=total.deliberate,
        failed=total.failed,
    )
    lines = [head, "## By function", "", *_table(verdict), "", "## What differs on purpose", ""]
    lines += ["| row of deviations.md | tests | which |", "|---|---:|---|"]
    for name, tests in sorted(verdict.deliberate.items()):
        lines.append(f"| {name} | {len(tests)} | {_cases(tests)} |")
    lines += ["", "## What does not count", ""]
    lines.append(f"- {verdict.others} tests call none of these functions.")
    for why, number in sorted(verdict.alone.items()):
        lines.append(f"- {number} not passing on scikit-learn's own functions either: {why}.")
    for why, tests in sorted(verdict.out_of_scope.items()):
        lines.append(f"- {len(tests)} left out: {why} ({_cases(tests)}).")
    lines.append("- Tests of private helpers, estimators, displays and clustering are not run.")
    missing = not_offered(set(verdict.functions))
    if missing:
        lines.append(f"- Not offered here: {', '.join(f'`{name}`' for name in missing)}.")
    if verdict.unexpected or verdict.stale or verdict.broken:
        lines += ["", "## What is wrong", ""]
        lines += [f"- `{test}`: {reason}" for test, reason in verdict.unexpected.items()]
        lines += [f"- listed, and passes: {test}" for test in verdict.stale]
        lines += [f"- `{name}` cannot be imported: {why}" for name, why in verdict.broken.items()]
    return "\n".join(lines) + "\n"


def stored(verdict: Verdict) -> dict[str, Any]:
    """Return what the JSON file holds: tests with cases are counted by their names."""
    rows = {name: {"tests": t.tests, **asdict(t)} for name, t in verdict.functions.items()}
    return {
        "versions": versions(),
        "functions": rows,
        "total": {"tests": verdict.total.tests, **asdict(verdict.total)},
        "deliberate": {why: _counts(tests) for why, tests in verdict.deliberate.items()},
        "other_words": _counts(verdict.wordings),
        "unexpected": verdict.unexpected,
        "listed_but_passing": verdict.stale,
        "out_of_scope": verdict.out_of_scope,
        "not_passing_alone": verdict.alone,
        "calling_none": verdict.others,
    }


def summary(verdict: Verdict) -> str:
    """Return what the terminal shows at the end."""
    total = verdict.total
    lines = _table(verdict)
    lines += [f"ON PURPOSE {len(tests):4} {name}" for name, tests in verdict.deliberate.items()]
    lines += [f"UNEXPECTED {test}: {reason}" for test, reason in verdict.unexpected.items()]
    lines += [f"LISTED, AND PASSES {test}" for test in verdict.stale]
    lines += [f"CANNOT BE IMPORTED {name}: {why}" for name, why in verdict.broken.items()]
    lines.append(f"{total.tests} tests, {total.failed} unexpected, {total.deliberate} on purpose")
    return "\n".join(lines)


def words(verdict: Verdict) -> str:
    """Return the errors that were worded otherwise, each once, with how often it came."""
    every = (what for texts in verdict.wordings.values() for what in texts)
    return "\n".join(f"{number:5} {what}" for what, number in Counter(every).most_common())


def write(verdict: Verdict, folder: Path) -> tuple[Path, Path]:
    """Write the page and the numbers."""
    paths = (folder / PAGE, folder / STORED)
    paths[0].write_text(page(verdict), encoding="utf-8")
    text = json.dumps(stored(verdict), indent=1, ensure_ascii=False, sort_keys=True)
    paths[1].write_text(text + "\n", encoding="utf-8")
    return paths
