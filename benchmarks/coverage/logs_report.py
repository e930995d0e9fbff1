"""The section about logs of items and repeats."""

from __future__ import annotations

from benchmarks.coverage import logs
from benchmarks.coverage.findings import percent
from benchmarks.coverage.layout import show_coverage, show_share, show_width, table_by_scene
from benchmarks.coverage.study import Study

_COLUMNS = {
    "score": "mean score",
    "pass@k": "pass@k",
    "pass^k": "pass^k",
    "flip_rate": "flip rate",
    "score difference": "difference of means",
    "pass^k difference": "difference of pass^k",
}
_TESTS = {
    (hypothesis, name): f"{name}, {said}"
    for hypothesis, said in (("equal", "models alike"), ("worse", "0.85 of the chances"))
    for name in ("score", "pass^k")
}


def section(study: Study) -> str:
    """Return the section, a heading first: coverage, widths, and what the tests reject."""
    rows = [row for row in study.intervals if row.part == logs.PART]
    coverage = {(row.scene, row.metric): show_coverage(row) for row in rows}
    widths = {(row.scene, row.metric): show_width(row) for row in rows}
    tests = [row for row in study.tests if row.part == logs.PART]
    rejected = {(row.scene, (row.hypothesis, row.test)): show_share(row) for row in tests}
    most = max(row.share for row in tests if row.hypothesis == "equal")
    return "\n".join(
        [
            "## Logs of items and repeats\n",
            _HEAD.format(n_data=rows[0].n_data, most=percent(most)),
            table_by_scene("coverage, %", _COLUMNS, coverage),
            table_by_scene("mean width", _COLUMNS, widths),
            table_by_scene("rejected at 5 %, %", _TESTS, rejected),
        ]
    )


_HEAD = """`evaluate_log` at its defaults, {n_data:,} data sets a row: the chance that an item is
solved is Beta(0.3, 2) where items are hard, Beta(1, 1) where they are even, Beta(4, 1) where they
are easy; k is 3 of 5 repeats, 10 of 20. The limits of few items, or of means near 0 or 1, are the
outer ones of Student's t and Wilson, and cautious: a mean of numbers from 0 to 1 varies no more
than one of zeros and ones, and mostly less. The tests of models that are alike reject in at most
{most} %.
"""
