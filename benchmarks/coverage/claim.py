"""What of the claim holds: which defaults reach it, which do not, and whether results say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchmarks.coverage import iterated, levels, multilabel
from benchmarks.coverage.estimates import METHOD
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import bullets
from benchmarks.coverage.study import IntervalRow, Study

#: The claim that is aimed at, for a level of 95 %.
AIM: Final = 0.935
#: So few positives are expected there that often no interval can be had.
FEWEST: Final = "30 rows, 5% positive"
#: Of parts whose intervals are by influences or counts, the methods that are taken without asking.
_DEFAULTS: Final = {
    "estimates": METHOD,
    "every measure": METHOD,
    "levels": METHOD,
    "folds": "fitted models",
    "bins": "bins",
    "slices": "default",
    "logs": "default",
    multilabel.PART: multilabel.METHOD,
    "gates": "gate, at 95 %",
    "guarantees": "guaranteed",
    "rankings": "t",
    "concordance": "influence",
}
#: Parts whose groups are so few that a warning says so.
_TOLD_OF_GROUPS: Final = ("estimates", "every measure")


def section(study: Study) -> str:
    """Return the section, a heading first."""
    rows = [
        row
        for row in study.intervals
        if _DEFAULTS.get(row.part) == row.method and row.scene != FEWEST
    ]
    below = [row for row in rows if row.coverage < AIM]
    bare = [row for row in below if row.covered < AIM * (row.n_data - row.undefined)]
    tails = [row for row in bare if levels.VALUES in row.scene]
    grouped = [row for row in rows if "groups" in row.scene and row.part in _TOLD_OF_GROUPS]
    noted = [row for row in bare if _has_note(row)]
    silent = [row for row in bare if row not in tails + grouped + noted]
    worst = min(grouped, key=lambda row: row.coverage)
    least = [
        f"{part} {percent(min(row.coverage for row in rows if row.part == part))}"
        for part in _DEFAULTS
    ]
    said = [
        f"Below it for want of an interval, which is nan with a warning, and not below it where "
        f"there is one: {listed([row for row in below if row not in bare])}.",
        f"Below it where errors have heavy tails, which a note says where a sample shows them: "
        f"{listed(tails)}.",
        f"Below it where few positives carry a difference, or few rows are followed beyond a time, "
        f"which a note says where a sample shows it: {listed(noted)}.",
        f"Below it, and no result says so: {listed(silent)}.",
        "Groups that are worth fewer than 30 are told by a `SmallSampleWarning`; the least of "
        f"theirs is {listed([worst])}.",
        _about_iterated(study),
    ]
    return (
        f"## What of the claim holds\n\nAn interval at the level 95 % is to cover {percent(AIM)} % "
        f"or more. Of {len(rows)} figures of defaults that go by influences, counts or values, "
        f"{len(rows) - len(below)} do; each is known to its binomial error, which is in the "
        f"tables. The least of each part, in %: {', '.join(least)}.\n\n"
        f"{bullets(said)}\n"
    )


def _has_note(row: IntervalRow) -> bool:
    is_of_few_positives = row.metric == "average_precision difference"
    return is_of_few_positives or "64% censored" in row.scene


def listed(rows: Sequence[IntervalRow]) -> str:
    """Name each kind of data with its measures and what they cover."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row.scene, []).append(f"{row.metric} {percent(row.coverage)} %")
    each = (f"{show_scene(scene)} ({', '.join(own)})" for scene, own in found.items())
    return "; ".join(each) or "none"


def _about_iterated(study: Study) -> str:
    """Say what the iterated bootstrap that was tried covers."""
    found = {row.method: row for row in study.intervals if row.part == iterated.PART}
    tried, taken = found[iterated.ITERATED], found[METHOD]
    outer, inner = iterated.n_replicates(study.n_resamples)
    return (
        f"Tried and not taken: of KS an iterated bootstrap (Beran 1987; {outer} replicates, "
        f"{inner} of each) covers {percent(tried.coverage)} % of {tried.n_data} data sets of "
        f"{show_scene(tried.scene)}, with a mean width of {tried.mean_width:.3f}; `estimate` "
        f"{percent(taken.coverage)} %, {taken.mean_width:.3f}."
    )
