"""The section about unkind data, other levels and limits on one side."""

from __future__ import annotations

from benchmarks.coverage import levels
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import show_coverage, table
from benchmarks.coverage.study import Study


def section(study: Study) -> str:
    """Return the section, a heading first: coverage at 95 %, misses of the others."""
    rows = [row for row in study.intervals if row.part == levels.PART]
    texts = ["## Unkind data, other levels, one side\n", _HEAD]
    for measures in (levels.OF_SCORES, levels.OF_VALUES):
        cell = {(row.metric, row.scene): row for row in rows if row.metric in measures}
        scenes = list(dict.fromkeys(scene for _, scene in cell))
        lines = [[show_scene(s), *(show_coverage(cell[m, s]) for m in measures)] for s in scenes]
        heads = ["both limits, 95 %: coverage, %", *(f"`{m}`" for m in measures)]
        texts.append(table(heads, lines))
        missed = {
            (row.hypothesis, row.test, row.scene): row
            for row in study.tests
            if row.part == levels.PART
        }
        for what, (_, asked) in levels.OTHERS.items():
            lines = []
            for scene in scenes:
                shares = [missed[what, measure, scene].share for measure in measures]
                n = missed[what, measures[0], scene].n_data
                too_many = asked + 2 * (asked * (1 - asked) / n) ** 0.5
                figures = [(f"**{percent(s)}**" if s > too_many else percent(s)) for s in shares]
                lines.append([show_scene(scene), *figures])
            heads = [f"{what}: misses, %; {percent(asked)} asked", *(f"`{m}`" for m in measures)]
            texts.append(table(heads, lines))
    return "\n".join(texts)


_HEAD = f"""What `estimate` says without `method`, where data are less kind than in the main design.
Scores of "heavy tails" have Student's distribution with 3 degrees of freedom around the same means,
those of "unequal spread" twice the spread of negatives if positive; "skewed" ones are exponential,
of mean 1 and 3. Numbers have such errors of heavy tails. Decisions call a score of
{levels.THRESHOLD:g} or more positive. An interval that is undefined misses; **bold** figures miss
too often by more than two binomial errors. A squared error of heavy tails has no variance of its
square: no interval by moments can hold there, and `note` of an estimate says where few rows carry
its error.
"""
