"""``docs/sizes.md``: the tables of the simulated sizes, and what follows from them."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.coverage.findings import percent
from benchmarks.coverage.report import bullets, table
from benchmarks.sizes.scenes import OF_POWER, SEED

ALPHA = 0.05

HEAD = """# Size of the tests between models

Written by `python -m benchmarks.sizes` with the seed {seed}; no figure and no conclusion is typed
by hand. The size of a test is how often it rejects a hypothesis that is true. Figures are per
cent of simulated data sets rejected at 5 %, ± the binomial standard error, and behind them at 10 %.
**Bold**: above 5 % by more than two standard errors, which a figure that is right is one time in
forty. *Italic*: below 2.5 % by as much: such a test is too cautious, as it rejects less than half
as often as it may, and so finds fewer differences than one that uses its level. Tests in a column
share their data sets. A p-value that is undefined does not reject. All figures are in
[sizes.json](sizes.json).
"""


@dataclass(frozen=True)
class Row:
    """How often a test rejected in one scene; counts of data sets."""

    part: str
    scene: str
    test: str
    n_data: int
    rejected_at_05: int
    rejected_at_10: int
    undefined: int

    @property
    def size(self) -> float:
        """Share of the data sets rejected at 5 %."""
        return self.rejected_at_05 / self.n_data

    @property
    def error(self) -> float:
        """Binomial standard error of a size that is 5 %, or of this one if that is larger."""
        share = max(self.size, ALPHA)
        return math.sqrt(share * (1 - share) / self.n_data)

    @property
    def is_large(self) -> bool:
        """Whether the size is above 5 % by more than two standard errors."""
        return self.part not in OF_POWER and self.size - 2 * self.error > ALPHA

    @property
    def is_small(self) -> bool:
        """Whether the size is below half of 5 % by more than two standard errors."""
        return self.part not in OF_POWER and self.size + 2 * self.error < ALPHA / 2


def show(row: Row | None) -> str:
    """Write one cell."""
    if row is None:
        return "–"
    number = percent(row.size)
    number = f"**{number}**" if row.is_large else f"*{number}*" if row.is_small else number
    return f"{number} ± {percent(row.error)}; {percent(row.rejected_at_10 / row.n_data)}"


def part_table(rows: Sequence[Row]) -> str:
    """Write the table of one part: a line for each test, a column for each scene."""
    scenes = list(dict.fromkeys(row.scene for row in rows))
    tests = list(dict.fromkeys(row.test for row in rows))
    cell = {(row.test, row.scene): row for row in rows}
    lines = [[_name(test), *(show(cell.get((test, scene))) for scene in scenes)] for test in tests]
    return table(["rejected at 5 %; at 10 %", *scenes], lines)


def _name(test: str) -> str:
    function, comma, rest = test.partition(",")
    return f"`{function}`{comma}{rest}"


def findings(rows: Sequence[Row]) -> list[str]:
    """Say of each test whether it rejects too often, is too cautious, or keeps its level."""
    said = []
    for test in dict.fromkeys(row.test for row in rows):
        own = [row for row in rows if row.test == test]
        sizes = [row.size for row in own]
        span = percent(min(sizes))
        span += "" if percent(max(sizes)) == span else f" to {percent(max(sizes))}"
        large = [row.scene for row in own if row.is_large]
        small = [row.scene for row in own if row.is_small]
        verdicts = [
            verdict + ("" if len(scenes) == len(own) else f" ({'; '.join(scenes)})")
            for verdict, scenes in (("rejects too often", large), ("is too cautious", small))
            if scenes
        ]
        if len(large) + len(small) < len(own) and not large:
            below = max(row.size + 2 * row.error for row in own) < ALPHA
            rest = "stays below its level" if below else "keeps its level"
            verdicts.append(rest + (" elsewhere" if small else ""))
        verdict = " and ".join(verdicts)
        said.append(f"{_name(test)} {verdict}: {span} %.")
    return said


def document(rows: Sequence[Row], notes: Mapping[str, str]) -> str:
    """Return ``docs/sizes.md``."""
    sections = [HEAD.format(seed=SEED)]
    for part in dict.fromkeys(row.part for row in rows):
        own = [row for row in rows if row.part == part]
        counts = sorted({row.n_data for row in own})
        each = " or ".join(f"{count:,}" for count in counts)
        sections.append(f"## {part}\n")
        note = f"{notes[part]} {each} data sets a column."
        sections.append(textwrap.fill(note, 100, break_on_hyphens=False) + "\n")
        sections.append(part_table(own))
        if part not in OF_POWER:
            sections.append(bullets(findings(own)))
    return "\n".join(sections)


def stored(rows: Sequence[Row]) -> str:
    """Return ``docs/sizes.json``: one line for each row."""
    lines = ",\n  ".join(json.dumps(asdict(row), ensure_ascii=False) for row in rows)
    return f'{{\n "seed": {SEED},\n "tests": [\n  {lines}\n ]\n}}\n'


def load(path: Path) -> list[Row]:
    """Return the stored rows."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return [Row(**row) for row in content["tests"]]
