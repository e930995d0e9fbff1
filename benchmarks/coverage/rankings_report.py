"""The section on rankings: means over queries, and tests of two systems."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import interval_tables, show_share, table
from benchmarks.coverage.scenes import RANKINGS
from benchmarks.coverage.study import Study

RANKED = """Queries of 20 items, 15 % of them relevant; how much relevance adds to a score is
Gamma(2, 1/2) times that of the first design, anew for each query. "t" is what `estimate` and
`compare` say: Student's t, of means on the logit scale, and Wilson's interval for hit
rates, whose values are 0 and 1. The others are of `bootstrap` of the values of the queries. Tests
are those of `map`; "any of four" is a rejection by any of the four measures after the adjustment
for these. Figures are of {n_data:,} data sets each.
"""


def section(study: Study, hypotheses: Mapping[str, str]) -> str:
    """Write intervals over queries, and how often paired tests of two systems reject."""
    first = study.find("rankings", RANKINGS[0])[0]
    sections = [RANKED.format(n_data=first.n_data)]
    for metric in (*RANKINGS, *(f"{name} difference" for name in RANKINGS)):
        sections.append(f"### `{metric.removesuffix(' difference')}`, over queries\n")
        if metric.endswith(" difference"):
            sections[-1] = f"### Difference in `{metric.removesuffix(' difference')}`\n"
        sections.append(interval_tables(study.find("rankings", metric)))
    rows = [row for row in study.tests if row.part == "rankings"]
    scenes = list(dict.fromkeys(row.scene for row in rows))
    cell = {(row.hypothesis, row.test, row.scene): row for row in rows}
    for hypothesis in ("equal", "worse"):
        lines = [
            [f"`{test}`", *(show_share(cell[hypothesis, test, scene]) for scene in scenes)]
            for test in dict.fromkeys(row.test for row in rows)
        ]
        heads = ["rejected at 5 %, %", *map(show_scene, scenes)]
        title = hypotheses[hypothesis].replace("model", "system")
        sections.append(f"**{title}**\n\n{table(heads, lines)}")
    return "\n".join(sections)
