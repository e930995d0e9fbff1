"""The section about logs of items and repeats."""

from __future__ import annotations

from benchmarks.coverage import logs
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import show_coverage, show_share, show_width, table
from benchmarks.coverage.study import Study

_COLUMNS = {
    "score": "mean score",
    "pass@k": "pass@k",
    "pass^k": "pass^k",
    "flip_rate": "flip rate",
    "score difference": "difference of means",
    "pass^k difference": "difference of pass^k",
}


def section(study: Study) -> str:
    """Return the section, a heading first: coverage, widths, and what the tests reject."""
    rows = {(row.scene, row.metric): row for row in study.intervals if row.part == logs.PART}
    scenes = list(dict.fromkeys(scene for scene, _ in rows))
    coverage = [
        [show_scene(scene), *(show_coverage(rows[scene, name]) for name in _COLUMNS)]
        for scene in scenes
    ]
    widths = [
        [show_scene(scene), *(show_width(rows[scene, name]) for name in _COLUMNS)]
        for scene in scenes
    ]
    tests = [row for row in study.tests if row.part == logs.PART]
    cell = {(row.hypothesis, row.test, row.scene): row for row in tests}
    rejected = [
        [
            show_scene(scene),
            *(show_share(cell[h, name, scene]) for h in ("equal", "worse") for name in _TESTS),
        ]
        for scene in scenes
    ]
    most = max(row.share for row in tests if row.hypothesis == "equal")
    heads = [*_COLUMNS.values()]
    return "\n".join(
        [
            "## Logs of items and repeats\n",
            _HEAD.format(n_data=next(iter(rows.values())).n_data, most=percent(most)),
            table(["coverage, %", *heads], coverage),
            table(["mean width", *heads], widths),
            table(
                ["rejected at 5 %, %", *(f"{name}, {h}" for h in _ALIKE for name in _TESTS)],
                rejected,
            ),
        ]
    )


_TESTS = ("score", "pass^k")
_ALIKE = ("models alike", "0.85 of the chances")

_HEAD = """`evaluate_log` at its defaults, {n_data:,} data sets a row: the chance that an item is
solved is Beta(0.3, 2) where items are hard, Beta(1, 1) where they are even, Beta(4, 1) where they
are easy; k is 3 of 5 repeats, 10 of 20. The limits of few items, or of means near 0 or 1, are the
outer ones of Student's t and Wilson, and cautious: a mean of numbers from 0 to 1 varies no more
than one of zeros and ones, and mostly less. The tests of models that are alike reject in at most
{most} %.
"""
