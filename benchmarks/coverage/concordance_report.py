"""The section of ``docs/coverage.md`` about concordance."""

from __future__ import annotations

from benchmarks.coverage import concordance
from benchmarks.coverage.calibration_report import where_short
from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import bullets, interval_tables, show_share, table
from benchmarks.coverage.study import Study

_TITLES = {
    concordance.INDEX: "### Harrell's concordance index",
    concordance.UNO: "### Uno's concordance index",
}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    texts = ["## Concordance\n", _HEAD]
    for metric, title in _TITLES.items():
        rows = study.find(concordance.PART, metric)
        texts += [f"{title}\n", interval_tables(rows), bullets([where_short(rows)])]
    of = [row for row in study.tests if row.part == concordance.PART]
    scenes = list(dict.fromkeys(row.scene for row in of))
    cell = {(row.test, row.scene): row for row in of}
    lines = [
        [f"`{test}`", *(show_share(cell[test, scene]) for scene in scenes)]
        for test in concordance.TESTS
    ]
    heads = ["rejected at 5 % though equal, %", *map(show_scene, scenes)]
    return "\n".join([*texts, "### Two models\n", table(heads, lines)])


_HEAD = f"""A row's event comes at rate exp(x), x being normal, and is censored at rate
{concordance.CENSORING:g}, as about a third are, or {concordance.HEAVY:g}; scored is x. Uno's index
is of pairs up to time {concordance.TAU:g}. Intervals are those of `estimate`, by influences; the
test is that of `compare`. "Others' censoring" takes the share not censored from
{concordance.TRAINING:,} other rows (`censoring=`) as known. The two models that are compared see x
with noise of their own. Rank correlation is among what `estimate` measures.
"""
