"""The part of the study on `gate`: how often it passes or fails wrongly, and how often rightly."""

from __future__ import annotations

import warnings

import numpy as np

import fastmetrics
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import interval_tables, show_share, table
from benchmarks.coverage.measured import Cost, Measured, Study
from benchmarks.coverage.scenes import THRESHOLD, WORSE, Data, Scene

PART = "gates"
METRICS = ("roc_auc", "accuracy")


def margins(scene: Scene) -> dict[str, float]:
    """Return what the worse model loses in the population: the margin of both rules."""
    from scipy.special import ndtr

    def values(d: float) -> tuple[float, float]:
        right = scene.share * ndtr(d - THRESHOLD) + (1 - scene.share) * ndtr(THRESHOLD)
        return float(ndtr(d / np.sqrt(2))), float(right)

    pairs = zip(values(scene.separation), values(WORSE), strict=True)
    return dict(zip(METRICS, (better - worse for better, worse in pairs), strict=True))


def population(scene: Scene) -> dict[str, float]:
    """Return what the worse model has less of each metric."""
    return {f"{name} loss": value for name, value in margins(scene).items()}


def measure(data: Data, rng: np.random.Generator, cost: Cost, out: Measured) -> None:
    """Keep what gates say of an equal candidate and of one that is worse by the margin."""
    from scipy.special import stdtrit

    scene = data.scene
    assert scene is not None
    for hypothesis in ("equal", "worse"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fastmetrics.gate(
                data.labels,
                {"baseline": data.scores, "candidate": data.others[hypothesis]},
                margins=margins(scene),
                threshold=THRESHOLD,
                groups=data.groups,
            )
        for rule in found:
            name = rule.metric
            out.pvalues[hypothesis, f"{name}, PASS"] = rule.pvalue_noninferior
            out.pvalues[hypothesis, f"{name}, FAIL"] = rule.pvalue_worse
        worst = max(rule.pvalue_noninferior for rule in found)
        out.pvalues[hypothesis, "both rules, PASS"] = worst
        least = min(rule.pvalue_worse for rule in found)
        out.pvalues[hypothesis, "both rules, FAIL"] = least
        if hypothesis == "worse":
            for rule in found:
                half = stdtrit(rule.df, 0.975) * rule.standard_error
                limits = rule.loss - half, rule.loss + half
                out.intervals[f"{rule.metric} loss", "gate, at 95 %"] = limits


_HYPOTHESES = {
    "equal": "A candidate as good as the baseline",
    "worse": "A candidate that is worse by exactly the margin",
}


def section(study: Study) -> str:
    """Return the section, a heading first."""
    rows = [row for row in study.tests if row.part == PART]
    wrong = [row for row in rows if row.hypothesis == "worse"]
    wrong += [row for row in rows if row.hypothesis == "equal" and row.test.endswith("FAIL")]
    said = _HEAD.format(
        n_data=rows[0].n_data,
        most=percent(max(row.share for row in wrong if "both" not in row.test)),
        both=percent(max(row.share for row in wrong if "both" in row.test)),
    )
    texts = ["## Gates\n", said]
    for name in METRICS:
        texts.append(f"### Loss in {name}, as `gate` has it\n")
        texts.append(interval_tables(study.find(PART, f"{name} loss")))
    scenes = list(dict.fromkeys(row.scene for row in rows))
    cell = {(row.hypothesis, row.test, row.scene): row for row in rows}
    for hypothesis, title in _HYPOTHESES.items():
        lines = [
            [test, *(show_share(cell[hypothesis, test, scene]) for scene in scenes)]
            for test in dict.fromkeys(row.test for row in rows)
        ]
        heads = ["share of data sets, %", *map(show_scene, scenes)]
        texts.append(f"**{title}**\n\n{table(heads, lines)}")
    return "\n".join(texts)


_HEAD = """`gate` at its defaults (alpha 5 %) with the margins that the worse model of the study
loses in AUC and accuracy, {n_data:,} data sets a figure; groups are of five rows. A rule passes or
fails wrongly in at most {most} % of data sets, both rules together (every one has to pass, and one
fails the gate) in at most {both} %. PASS of an equal candidate is the power.
"""
