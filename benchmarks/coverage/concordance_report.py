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
    concordance.AUC: "### Cumulative/dynamic AUC",
    concordance.MEAN_AUC: "### Integrated AUC",
    concordance.BRIER: "### Time-dependent Brier score",
    concordance.MEAN_BRIER: "### Integrated Brier score",
    concordance.ROYSTON: "### Royston and Sauerbrei's D",
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
is of pairs up to time {concordance.TAU:g}. AUC and Brier score are at time {concordance.TAU:g}, of
risk x and of its true probabilities, and their means of {len(concordance.TIMES)} times from
{concordance.TIMES[0]:g} on; where censoring is heavy, {60 * concordance.share_watched():.1f} of 60
rows are still watched then, and no weights make up for those who are not. Intervals are those of
`estimate`, `cumulative_dynamic_auc` and `survival_brier_score`, by influences; the test is that of
`compare`. "Others' censoring" takes the share not censored from {concordance.TRAINING:,} other
rows (`censoring=`) as known. The two models that are compared see x with noise of their own. Rank
correlation is among what `estimate` measures.
"""
