"""What became of the mutants: ``docs/mutants.md``, and a line for ``CONTRIBUTING.md``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.mutants.listed import Mutant
from fastmetrics.comparison import proportion_interval

BLOCK = re.compile(r"(<!-- mutants:start -->\n).*?(<!-- mutants:end -->)", re.DOTALL)

HEAD = """\
# Mutants

`python -m benchmarks.mutants` changes one line of the package at a time, as somebody might by
mistake, and runs the tests: a mutant that no test notices has survived. The list,
`benchmarks/mutants/list.toml`, is fixed, so that a change of the tests can be judged by it: lines
were drawn by a hash of what they say, and [cosmic-ray](https://cosmic-ray.readthedocs.io/) made
one change of each.

Of each mutant the tests that run its line are asked, one of each file first, until one fails.
Machine code shows no lines: kernels are tested by `tests/kernels`, as plain Python. Nor do other
processes: the command line is tested by the tests of its process, too. A mutant counts as killed if
the test that failed fails again by itself, and passes once the line is as it was. One that changes
nothing but speed, or nothing at all, is equivalent: it is listed with the reason and does not
count. Limits are those of 95 % (Wilson's).
"""

Outcome = Literal["killed", "survived"]


@dataclass(frozen=True)
class Tried:
    """A mutant, the module of its line, whether a test noticed, and which, or why none could."""

    mutant: Mutant
    module: str
    outcome: Outcome
    reason: str = ""

    def text(self) -> str:
        """Return the outcome and the change, for the screen."""
        where = f"{self.outcome}: {self.module}  {self.reason}"
        return f"{where}\n    - {self.mutant.line}\n    + {self.mutant.becomes}"


def share_killed(tried: Sequence[Tried]) -> str:
    """Return how many mutants were killed of those that are not equivalent, with limits."""
    counted = [each for each in tried if not each.mutant.equivalent]
    killed = sum(each.outcome == "killed" for each in counted)
    if not counted:
        return "none"
    low, high = proportion_interval(killed, len(counted)).confidence_interval
    share = f"{killed} of {len(counted)} ({killed / len(counted):.1%})"
    return f"{share}, limits {low:.0%} to {high:.0%}".replace("%", " %")


def _change(tried: Tried, reason: str) -> list[str]:
    where = f"`{tried.module}`" + (f": {reason}" if reason else "")
    wrapped = textwrap.fill(
        where, 98, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False
    )
    change = [f"  - {tried.mutant.line}", f"  + {tried.mutant.becomes}"]
    return [wrapped, "  ```diff", *change, "  ```"]


def document(tried: Sequence[Tried]) -> str:
    """Return ``docs/mutants.md``."""
    lines = [HEAD, "| layer | killed | equivalent |", "|---|---|---|"]
    for layer in dict.fromkeys(each.mutant.layer for each in tried):
        own = [each for each in tried if each.mutant.layer == layer]
        equivalent = sum(bool(each.mutant.equivalent) for each in own)
        lines.append(f"| `{layer}` | {share_killed(own)} | {equivalent} |")
    lines.append(f"| all | {share_killed(tried)} | |")
    alive = [each for each in tried if each.outcome == "survived" and not each.mutant.equivalent]
    equivalents = [each for each in tried if each.mutant.equivalent]
    if alive:
        lines += ["", "## Survivors", ""]
        lines += [line for each in alive for line in _change(each, each.reason)]
    if equivalents:
        lines += ["", "## Equivalent", ""]
        lines += [line for each in equivalents for line in _change(each, each.mutant.equivalent)]
    return "\n".join(lines) + "\n"


def publish(tried: Sequence[Tried], root: Path) -> None:
    """Write ``docs/mutants.md``, and the line in ``CONTRIBUTING.md``."""
    (root / "docs" / "mutants.md").write_text(document(tried), encoding="utf-8")
    page = root / "CONTRIBUTING.md"
    line = f"Killed: {share_killed(tried)} ([docs/mutants.md](docs/mutants.md)).\n"
    text, count = BLOCK.subn(rf"\g<1>{line}\g<2>", page.read_text(encoding="utf-8"))
    if count != 1:
        raise RuntimeError(f"{page.name} has {count} blocks for mutants")
    page.write_text(text, encoding="utf-8")
