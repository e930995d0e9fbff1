"""The section about every measure that `estimate` has an interval of."""

from __future__ import annotations

from benchmarks.coverage import every
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import bullets, show_coverage, table
from benchmarks.coverage.study import IntervalRow, Study

#: The claim that is aimed at, for a level of 95 %, and what is too cautious.
AIM, CAUTIOUS = 0.935, 0.985


def section(study: Study) -> str:
    """Return the section, a heading first: a line for each measure, a column a kind of data."""
    rows = [row for row in study.intervals if row.part == every.PART]
    texts = ["## Every measure of `estimate`\n", _HEAD.format(n_data=rows[0].n_data)]
    kinds: dict[str, list[str]] = {}
    for scene in every.SCENES:
        kinds.setdefault(scene.kind, []).append(scene.name)
    for kind, scenes in kinds.items():
        cell = {(row.metric, row.scene): row for row in rows if row.scene in scenes}
        lines = [
            [f"`{metric}`", *(show_coverage(cell[metric, scene]) for scene in scenes)]
            for metric in dict.fromkeys(metric for metric, _ in cell)
        ]
        heads = ["coverage, %", *map(show_scene, scenes)]
        texts.append(f"### {kind[0].upper()}{kind[1:]}\n\n{table(heads, lines)}")
    short = sorted((r for r in rows if r.coverage < AIM), key=lambda row: row.coverage)
    wide = [row for row in rows if row.coverage > CAUTIOUS]
    said = [f"{_name(row)}: {percent(row.coverage)} %" for row in short]
    found = (
        f"Of {len(rows)} figures {len(short) or 'none'} lie below {percent(AIM)} %, and "
        f"{len(wide) or 'none'} above {percent(CAUTIOUS)} %."
    )
    texts.append(f"{found} Too low are:\n\n{bullets(said)}" if said else f"{found}\n")
    return "\n".join(texts)


def _name(row: IntervalRow) -> str:
    return f"`{row.metric}`, {show_scene(row.scene)}"


_HEAD = """The interval that `estimate` gives without `method`, of each measure that has influences:
none has an interval without a line here. Two classes are those of the main design, with its groups
and its weights; of three classes each one's score is 1 higher for its rows. Values are log-normal,
and so are predictions; times are exponential, a third of them censored; queries have 20 items each.
Targets are those of very many rows. Each figure is of {n_data:,} data sets.
"""
