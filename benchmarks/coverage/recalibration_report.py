"""The section of ``docs/coverage.md`` about recalibration."""

from __future__ import annotations

from benchmarks.coverage import recalibration
from benchmarks.coverage.calibration_report import where_short
from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import bullets, interval_tables, show_share, table
from benchmarks.coverage.study import Study

_TITLES = {
    "slope": "### Calibration slope",
    "intercept": "### Calibration intercept",
    "in_the_large": "### Calibration in the large",
    "brier_score difference": "### Difference of two models in the Brier score",
    "log_loss difference": "### Difference of two models in the log loss",
}
_HYPOTHESES = {"calibrated": "Size: the model is calibrated", "not": "Power: it is not"}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    shrunk, noise = recalibration.SHRUNK, recalibration.NOISE
    texts = ["## Recalibration\n", _HEAD.format(shrunk=shrunk, noise=noise)]
    for metric, title in _TITLES.items():
        rows = study.find(recalibration.PART, metric)
        texts += [f"{title}\n", interval_tables(rows), bullets([where_short(rows)])]
    texts.append("### Spiegelhalter's Z, and Hosmer and Lemeshow's test\n")
    for hypothesis, title in _HYPOTHESES.items():
        of = [row for row in study.tests if row.part == recalibration.PART]
        of = [row for row in of if row.hypothesis == hypothesis]
        scenes = list(dict.fromkeys(row.scene for row in of))
        cell = {(row.test, row.scene): row for row in of}
        lines = [
            [f"`{test}`", *(show_share(cell[test, scene]) for scene in scenes)]
            for test in recalibration.TESTS
        ]
        heads = ["rejected at 5 %, %", *map(show_scene, scenes)]
        texts.append(f"**{title}**\n\n{table(heads, lines)}")
    return "\n".join(texts)


_HEAD = """The data are those of the section above. Intervals are of `logistic_calibration`, by
standard errors, and of `compare`: the second model shrinks the
log odds of the first to {shrunk:g} of them and adds noise of deviation {noise:g}. Importances are
exponential, and tell nothing of the rows. The Hosmer-Lemeshow test has 10 groups, and as many
degrees of freedom.
"""
