"""The section about rows with several labels."""

from __future__ import annotations

from benchmarks.coverage.claim import AIM, listed
from benchmarks.coverage.findings import join, percent
from benchmarks.coverage.layout import show_coverage, show_share, show_width, table_by_scene
from benchmarks.coverage.multilabel import (
    BIASED,
    FEW,
    MEASURES,
    OF_UNLIKE,
    PART,
    THRESHOLD,
    UNLIKE,
)
from benchmarks.coverage.study import Study


def section(study: Study) -> str:
    """Return the section, a heading first: coverage, widths, and equal models told apart."""
    rows = [row for row in study.intervals if row.part == PART]
    tests = [row for row in study.tests if row.part == PART]
    names = MEASURES | {OF_UNLIKE: "difference of macro average precision"}
    coverage = {(row.scene, row.metric): show_coverage(row) for row in rows}
    widths = {(row.scene, row.metric): show_width(row) for row in rows}
    rejected = {(row.scene, row.test): show_share(row) for row in tests}
    n_data = {row.scene: f"{row.n_data:,}" for row in rows}
    bias = [
        f"{(row.mean - row.target) / row.standard_deviation:+.1f}"
        for row in study.estimates
        if (row.part, row.metric) == (PART, BIASED)
    ]
    head = _HEAD.format(
        n_data=join([*n_data.values()]),
        threshold=THRESHOLD,
        aim=percent(AIM),
        below=listed([row for row in rows if row.coverage < AIM]),
        bias=", ".join(bias),
        few=FEW,
        unlike=f"{UNLIKE:g}",
        most=percent(max(row.share for row in tests)),
    )
    return "\n".join(
        [
            "## Rows with several labels\n",
            head,
            table_by_scene("coverage, %", names, coverage),
            table_by_scene("mean width", names, widths),
            table_by_scene("equal models told apart at 5 %, %", MEASURES, rejected),
        ]
    )


_HEAD = """`evaluate` of a matrix of labels with `threshold={threshold}`, and `groups=` where there
are groups; {n_data} data sets, line by line. The score of a
label is binormal (separation 1.5), turned into the chance that the row has it. Labels are
independent, but where half of the variance of their cause, and of the scores, is common to all
labels of a row ("correlated") or to the rows of a group. The difference is that to a model whose
scores are {unlike} apart. Targets are the values of a million rows, of 100 labels of
300,000.

Below {aim} %: {below}.
Average precision of few positives is too large, as each counts itself among those above it; a mean
of many labels keeps the bias, but varies less: by {bias} of its standard deviation, line by
line. F1 of few positives is too small, as its denominator varies with it. Limits take
both in. A note names labels of fewer than {few} rows of a class, of which no interval is sure.

Of two models whose scores are exchangeable one is called better in at most {most} % of data sets;
5 % are asked.
"""
