"""The section of ``docs/coverage.md`` about calibration."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.coverage import calibration
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import bullets, scene_table, show_share, table
from benchmarks.coverage.study import IntervalRow, Study

_TITLES = {
    "uniform bins": "### Root mean square calibration error, uniform bins",
    "equal-count bins": "### Root mean square calibration error, equal-count bins",
    "calibration curve": "### The calibration curve, all of it",
    "fit of calibrated data": "### The isotonic fit of calibrated data, at one point",
}
_HYPOTHESES = {"calibrated": "Size: the model is calibrated", "not": "Power: it is not"}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    texts = ["## Calibration\n", _HEAD.format(n_bins=calibration.N_BINS)]
    for metric, title in _TITLES.items():
        rows = study.find(calibration.PART, metric)
        texts += [f"{title}\n", scene_table(rows), bullets([where_short(rows)])]
    texts += ["### A test of calibration\n", _TESTS.format(n=calibration.TEST_REPLICATES)]
    texts += [_tests(study, hypothesis, title) for hypothesis, title in _HYPOTHESES.items()]
    return "\n".join([*texts, "### Why errors in bins have no bootstrap\n", _BIAS, _biases(study)])


def where_short(rows: Sequence[IntervalRow]) -> str:
    """Say where each method covers too little."""
    said = []
    for method in dict.fromkeys(row.method for row in rows):
        short = [row for row in rows if row.method == method and row.is_short]
        where = "; ".join(f"{show_scene(row.scene)} ({percent(row.coverage)})" for row in short)
        said.append(f"{method}: too little {f'here: {where}' if short else 'nowhere'}")
    return ". ".join(said) + "."


def _tests(study: Study, hypothesis: str, title: str) -> str:
    rows = [
        row for row in study.tests if row.part == calibration.PART and row.hypothesis == hypothesis
    ]
    scenes = list(dict.fromkeys(row.scene for row in rows))
    cell = {(row.test, row.scene): row for row in rows}
    lines = [[show_scene(scene), show_share(cell[calibration.TEST, scene])] for scene in scenes]
    heads = ["rejected at 5 %, %", f"`{calibration.TEST}`"]
    return f"**{title}**\n\n{table(heads, lines)}"


def _biases(study: Study) -> str:
    lines = [
        [
            show_scene(row.scene),
            *(f"{value:.4f}" for value in (row.target, row.mean, row.standard_deviation)),
        ]
        for row in study.estimates
        if row.part == calibration.PART and row.metric == "expected_calibration_error"
    ]
    heads = ["expected calibration error", "population", "mean of samples", "their deviation"]
    return table(heads, lines)


_HEAD = """Probabilities p are uniform, or Beta(0.5, 9.5) with a mean of 5 %. The outcome is
positive with the probability whose log odds are a slope times those of p, and a shift: 1 and 0 if
the model is calibrated, 0.9 and 0.1 (a little off), 0.6 and 0.2 (far off), 1 and 0.7 (too few
positives said), 0.8 and -0.2 (where it says .125, .375, .625 or .875). Errors are in {n_bins} bins,
and the target is that of the population in these bins. The interval is that of Sun et al. with an
error and an upper limit for any n; beside it, as they have it, for large n. The band is that of
Dimitriadis et al., which covers if the whole curve lies inside: it is safe, and wide. A consistency
band covers if it holds the isotonic fit of data that *are* calibrated, at the point nearest to
their mean probability. Quantile bins are equal-count ones but for a row or so at an edge, and are
not simulated apart.
"""

_TESTS = """`calibration_test` with {n} replicates, by the miscalibration of the Brier score.
"""

_BIAS = """What chance alone adds to an error in bins is most of it where the model is good.
Replicates of a bootstrap add it once more, and so lie above what they are to cover.
"""
