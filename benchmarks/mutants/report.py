"""What became of the mutants, as ``docs/mutants.md`` and a line for ``CONTRIBUTING.md``."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from benchmarks.mutants.sample import SEED, Mutant
from fastmetrics.comparison import proportion_interval

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
#: What became of the sample that was published last.
TRIED = Path(__file__).with_name("tried.json")
BLOCK = re.compile(r"(<!-- mutants:start -->\n).*?(<!-- mutants:end -->)", re.DOTALL)

HEAD = """\
# Mutants

`python -m benchmarks.mutants` changes one line of the package at a time, as somebody might by
mistake, and asks the tests: a mutant that none of them notices has survived. The sample is a fresh
one at each publication: lines are drawn by a hash of what they say and of the version, here {seed},
{each} from each floor below; [cosmic-ray](https://cosmic-ray.readthedocs.io/) makes one change
of each.

Asked are the three files of tests nearest to the module by imports, then the others of its floor
(with `tests/properties`), then the three nearest of other floors, until one fails. The command
line, the guards and all that the suite leaves out by default are not asked. Kernels are tested by
`tests/kernels` alone, as plain Python. Killed is a mutant only if the test that failed fails again
by itself, and passes once the line is as it was. One that changes nothing but speed, or nothing at
all, is listed with the reason and does not count.

The rate is that of lines as they were drawn, before any test was written for a survivor, so that it
says what to expect of other lines of these floors, each floor counted alike: the limits are those
of 95 % (Wilson's, of the lines that count). Survivors are given tests afterwards, which change no
number here.
"""

Outcome = Literal["killed", "survived", "equivalent"]


@dataclass(frozen=True)
class Tried:
    """A mutant, what its line became, whether a test noticed, and which, or why none could."""

    mutant: Mutant
    becomes: str
    outcome: Outcome
    reason: str = ""

    @property
    def floor(self) -> str:
        """The floor of the package that it is on."""
        return self.mutant.module.split("/")[1]

    def told(self) -> str:
        """Return some lines for the screen."""
        where = f"{self.outcome}: {self.mutant.module}:{self.mutant.line}  {self.reason}"
        return f"{where}\n    - {self.mutant.text}\n    + {self.becomes}"


def equivalents(path: Path = EQUIVALENT) -> dict[tuple[str, str, str], str]:
    """Return the reason of each mutant that is listed as equivalent, by module, line and change."""
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
    return {(each["module"], each["line"], each["becomes"]): each["reason"] for each in listed}


def judged(tried: Tried, known: dict[tuple[str, str, str], str]) -> Tried:
    """Return a survivor that is listed as equivalent as such; anything else as it is."""
    reason = known.get((tried.mutant.module, tried.mutant.text, tried.becomes))
    if tried.outcome == "killed" or reason is None:
        return tried
    return Tried(tried.mutant, tried.becomes, "equivalent", reason)


def _score(tried: Sequence[Tried]) -> str:
    count = sum(each.outcome != "equivalent" for each in tried)
    killed = sum(each.outcome == "killed" for each in tried)
    if not count:
        return "none"
    low, high = proportion_interval(killed, count).confidence_interval
    return f"{killed} of {count} ({killed / count:.1%}), limits {low:.0%} to {high:.0%}".replace(
        "%", " %"
    )


def summary(tried: Sequence[Tried]) -> str:
    """Return one line for ``CONTRIBUTING.md``."""
    equivalent = sum(each.outcome == "equivalent" for each in tried)
    return (
        f"Killed: {_score(tried)}, of a sample of {len(tried)} lines drawn for version {SEED}, "
        f"{equivalent} of them equivalent ([docs/mutants.md](docs/mutants.md)).\n"
    )


def _change(tried: Tried) -> list[str]:
    where = f"`{tried.mutant.module}`" + (f": {tried.reason}" if tried.reason else "")
    wrapped = textwrap.fill(
        where, 98, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False
    )
    return [
        wrapped,
        "  ```diff",
        f"  - {tried.mutant.text}",
        f"  + {tried.becomes}",
        "  ```",
    ]


def document(tried: Sequence[Tried]) -> str:
    """Return ``docs/mutants.md``."""
    floors = list(dict.fromkeys(each.floor for each in tried))
    each = max(sum(one.floor == floor for one in tried) for floor in floors)
    lines = [
        HEAD.format(each=each, seed=SEED),
        "| floor | killed | survived | equivalent |",
        "|---|---|---|---|",
    ]
    for floor in floors:
        own = [one for one in tried if one.floor == floor]
        counts = [sum(one.outcome == kind for one in own) for kind in ("survived", "equivalent")]
        lines.append(f"| `{floor}` | {_score(own)} | {counts[0]} | {counts[1]} |")
    lines.append(f"| all | {_score(tried)} | | |")
    for title, kind in (("Survivors", "survived"), ("Equivalent", "equivalent")):
        own = sorted(
            (one for one in tried if one.outcome == kind), key=lambda one: one.mutant.module
        )
        if own:
            lines += ["", f"## {title}", ""]
            for one in own:
                lines += _change(one)
    return "\n".join(lines) + "\n"


def keep(tried: Sequence[Tried], path: Path = TRIED) -> None:
    """Write what became of a sample, as it was before anything was judged equivalent."""
    path.write_text(json.dumps([asdict(each) for each in tried], indent=1) + "\n", encoding="utf-8")


def kept(path: Path = TRIED) -> list[Tried]:
    """Return what became of the sample that was kept."""
    listed = json.loads(path.read_text(encoding="utf-8"))
    return [Tried(Mutant(**each.pop("mutant")), **each) for each in listed]


def publish(tried: Sequence[Tried], root: Path) -> None:
    """Write ``docs/mutants.md``, and the line in ``CONTRIBUTING.md``."""
    (root / "docs" / "mutants.md").write_text(document(tried), encoding="utf-8")
    page = root / "CONTRIBUTING.md"
    text, found = BLOCK.subn(rf"\g<1>{summary(tried)}\g<2>", page.read_text(encoding="utf-8"))
    if found != 1:
        raise RuntimeError(f"{page.name} has {found} blocks for mutants")
    page.write_text(text, encoding="utf-8")
