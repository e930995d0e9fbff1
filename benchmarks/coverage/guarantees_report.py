"""The section about thresholds with a guarantee."""

from __future__ import annotations

from benchmarks.coverage import guarantees
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import show_coverage, table
from benchmarks.coverage.study import Study


def section(study: Study) -> str:
    """Return the section, a heading first: promises kept, and what the thresholds have."""
    rows = [row for row in study.intervals if row.part == guarantees.PART]
    means = {(each.scene, each.metric): each for each in study.estimates}
    texts = ["## Thresholds with a guarantee\n", _HEAD.format(n_data=rows[0].n_data)]
    for measure, name in _TITLES.items():
        own = [row for row in rows if row.metric == measure]
        scenes = list(dict.fromkeys(row.scene for row in own))
        kept, has, found = [], [], []
        for method in dict.fromkeys(row.method for row in own):
            of = {row.scene: row for row in own if row.method == method}
            kept.append([method, *(show_coverage(of[scene]) for scene in scenes)])
            figures = [means.get((scene, f"{measure}, {method}")) for scene in scenes]
            has.append([method, *("–" if one is None else f"{one.mean:.3f}" for one in figures)])
            shares = [means[scene, f"{measure}, {method}, found"].mean for scene in scenes]
            found.append([method, *(percent(share) for share in shares)])
        heads = list(map(show_scene, scenes))
        texts.append(f"### {name}\n")
        for head, lines in (("kept, %", kept), ("mean", has), ("threshold found, %", found)):
            texts.append(table([head, *heads], lines))
    return "\n".join(texts)


_TITLES = {
    "recall": "Recall of at least 0.9",
    "false_positive_rate": "False positive rate of at most 0.1",
    "precision": "Precision of at least 0.8; of 0.4 where 5 % are positive",
}

_HEAD = (
    """`guaranteed_threshold` with the default `delta=0.05`: the share of {n_data:,} data sets in
which the threshold keeps its promise in the population; 95 or more is what it states. "Ties" are
scores rounded to a quarter. "Met on these data" is `best_threshold` with the same number as its
constraint: what one gets without a guarantee. The mean is that of the measure in the population;
a threshold is found where more than everything, or nothing, can be called positive.
Thresholds for precision are of a grid of """
    f"{len(guarantees.GRID)}"
    """.
"""
)
