"""The section about gates: errors of both kinds, and power."""

from __future__ import annotations

from benchmarks.coverage import gates
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import interval_tables, show_share, table
from benchmarks.coverage.study import Study

_HYPOTHESES = {
    "equal": "A candidate as good as the baseline",
    "worse": "A candidate that is worse by exactly the margin",
}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    rows = [row for row in study.tests if row.part == gates.PART]
    wrong = [row for row in rows if row.hypothesis == "worse"]
    wrong += [row for row in rows if row.hypothesis == "equal" and row.test.endswith("FAIL")]
    said = _HEAD.format(
        n_data=rows[0].n_data,
        most=percent(max(row.share for row in wrong if "both" not in row.test)),
        both=percent(max(row.share for row in wrong if "both" in row.test)),
    )
    texts = ["## Gates\n", said]
    for name in gates.MEASURES:
        texts.append(f"### Loss in {name}, as `gate` has it\n")
        texts.append(interval_tables(study.find(gates.PART, f"{name} loss")))
    scenes = list(dict.fromkeys(row.scene for row in rows))
    cell = {(row.hypothesis, row.test, row.scene): row for row in rows}
    for hypothesis, title in _HYPOTHESES.items():
        lines = [
            [test, *(show_share(cell[hypothesis, test, scene]) for scene in scenes)]
            for test in dict.fromkeys(row.test for row in rows)
        ]
        heads = ["share of data sets, %", *map(show_scene, scenes)]
        texts.append(f"**{title}**\n\n{table(heads, lines)}")
    return "\n".join(texts)


_HEAD = """`gate` at its defaults (alpha 5 %) with the margins that the worse model of the study
loses in AUC and accuracy, {n_data:,} data sets a figure; groups are of five rows. A rule passes or
fails wrongly in at most {most} % of data sets, both rules together (every one has to pass, and one
fails the gate) in at most {both} %. PASS of an equal candidate is the power.
"""
