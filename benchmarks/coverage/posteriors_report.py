"""The section about posteriors of measures of counts."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.coverage import posteriors
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import interval_tables, show_share, table
from benchmarks.coverage.study import Study


def section(study: Study, hypotheses: Mapping[str, str]) -> str:
    """Return the section, a heading first: intervals, and how often a model is called better."""
    first = study.find(posteriors.PART, posteriors.MEASURES[0])[0]
    rows = [row for row in study.tests if row.part == posteriors.PART]
    sure = [r.share for r in rows if r.hypothesis == "equal" and r.test.endswith("posterior")]
    said = {"least": percent(min(sure)), "most": percent(max(sure))}
    texts = ["## Posteriors of counts\n", _HEAD.format(n_data=first.n_data, **said)]
    for name in (*posteriors.MEASURES, *(f"{each} difference" for each in posteriors.MEASURES)):
        title = f"Difference in {name.split()[0]}" if name.endswith("difference") else name
        texts.append(f"### {title}, by posterior\n")
        texts.append(interval_tables(study.find(posteriors.PART, name)))
    scenes = list(dict.fromkeys(row.scene for row in rows))
    cell = {(row.hypothesis, row.test, row.scene): row for row in rows}
    for hypothesis in dict.fromkeys(row.hypothesis for row in rows):
        lines = [
            [test, *(show_share(cell[hypothesis, test, scene]) for scene in scenes)]
            for test in dict.fromkeys(row.test for row in rows)
        ]
        heads = ["a model called better, %", *map(show_scene, scenes)]
        texts.append(f"**{hypotheses[hypothesis]}**\n\n{table(heads, lines)}")
    return "\n".join(texts)


_HEAD = """`bayesian_count_test` with its default prior, beside `estimate` and `compare`: decisions
by a threshold that is fixed, {n_data:,} data sets a figure. A posterior is no test. Where it is
95 % sure that a model is better, exchangeable models are called different in {least} to {most} % of
data sets: either side has its 5 %, and where rows are few the prior decides.
"""
