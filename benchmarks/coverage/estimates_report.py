"""The section of ``docs/coverage.md`` about `estimate` and `compare`."""

from __future__ import annotations

from benchmarks.coverage import estimates
from benchmarks.coverage.findings import show_scene
from benchmarks.coverage.layout import show_coverage, show_share, show_width, table
from benchmarks.coverage.study import Study


def section(study: Study) -> str:
    """Return the section, a heading first: a line for each kind of data, a column a measure."""
    rows = [row for row in study.intervals if row.part == estimates.PART]
    cell = {(row.scene, row.metric): row for row in rows}
    differences = tuple(f"{name} difference" for name in estimates.COMPARED)
    texts = ["## `estimate` and `compare`\n", _HEAD.format(n_data=rows[0].n_data)]
    for title, metrics in (
        ("Curves", estimates.CURVES),
        ("Decisions", estimates.DECISIONS),
        ("Losses", estimates.LOSSES),
        ("Values", estimates.VALUES),
        ("Several classes", estimates.CLASSES),
        ("Differences of two models", differences),
    ):
        chosen = [row for row in rows if row.metric in metrics]
        if title in ("Several classes", "Values"):
            kind = {"Several classes": "classes", "Values": "values"}[title]
            chosen = [row for row in chosen if row.scene.endswith(kind)]
        else:
            chosen = [row for row in chosen if not row.scene.endswith(("classes", "values"))]
        scenes = list(dict.fromkeys(row.scene for row in chosen))
        lines = [
            [
                show_scene(scene),
                *(
                    f"{show_coverage(found)}; {show_width(found)}" if found else "–"
                    for found in (cell.get((scene, metric)) for metric in metrics)
                ),
            ]
            for scene in scenes
        ]
        heads = [f"`{metric.removesuffix(' difference')}`" for metric in metrics]
        texts.append(f"### {title}\n\n{table(['coverage, %; mean width', *heads], lines)}")
    of = [row for row in study.tests if row.part == estimates.PART]
    shares = {(row.scene, row.test): row for row in of}
    tests = list(dict.fromkeys(row.test for row in of))
    lines = [
        [
            show_scene(scene),
            *(
                show_share(shares[scene, test]) if (scene, test) in shares else "–"
                for test in tests
            ),
        ]
        for scene in dict.fromkeys(row.scene for row in of)
    ]
    heads = ["rejected at 5 % though equal, %", *(f"`{test}`" for test in tests)]
    return "\n".join([*texts, "### Sizes of `compare`\n", table(heads, lines)])


_HEAD = f"""Intervals of `estimate` without `method`, differences and tests of `compare`: by
influences on the measure's scale with Student's t; shares and F1 of independent rows by Wilson's
interval, sums of recall and specificity by both of theirs, an AUC near 1 or of few rows by the
outer limits with Newcombe's, KS by those of the largest of many gaps. Scores, groups and weights
are those of the main design, 5 levels are scores that are rounded, "near one" is an AUC of 0.983.
Losses are of the true probabilities. Values are x + e / 2, predicted by 0.8 x; of three classes
each one's score is 1 higher for its rows. `partial_auc` is up to an FPR of
{estimates.LARGEST_FPR:g}. Targets of scores and classes are those of {estimates.MANY:,} rows
(classes: a quarter of them). Each figure is of {{n_data:,}} data sets.
"""
