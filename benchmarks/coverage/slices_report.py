"""The section about slices."""

from __future__ import annotations

from benchmarks.coverage import slices
from benchmarks.coverage.layout import show_coverage, table_by_scene
from benchmarks.coverage.study import Study

_COLUMNS = {
    "worst roc_auc": "worst AUC",
    "worst accuracy": "worst accuracy",
    "worst bpsn_auc": "worst BPSN",
    "roc_auc difference": "difference of AUCs",
    "accuracy difference": "difference of accuracies",
}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    rows = [row for row in study.intervals if row.part == slices.PART]
    coverage = {(row.scene, row.metric): show_coverage(row) for row in rows}
    return "\n".join(
        [
            "## Slices\n",
            _HEAD,
            table_by_scene("coverage, %", _COLUMNS, coverage),
        ]
    )


_HEAD = """Slices of 100 rows each, all of one binormal population; fewer data sets of 50 slices.
The limits of the slice that looks worst by `evaluate` and `subgroup_auc` hold for all slices at
once, so that they are to cover 95 % whichever it is; those of `Slices.between` are of one
difference, of two slices chosen before.
"""
