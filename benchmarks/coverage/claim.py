"""What of the claim holds: which defaults reach it, which do not, and whether results say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from benchmarks.coverage import iterated, levels, multilabel
from benchmarks.coverage.estimates import METHOD
from benchmarks.coverage.findings import percent, show_scene
from benchmarks.coverage.layout import bullets, method_name
from benchmarks.coverage.study import TIMES, IntervalRow, Key, Study

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


def of_defaults(study: Study) -> list[IntervalRow]:
    """Return the figures that the claim is about, as they were drawn first."""
    return [
        row
        for row in study.intervals
        if _DEFAULTS.get(row.part) == row.method and row.scene != FEWEST
    ]


def in_doubt(study: Study) -> list[IntervalRow]:
    """Return figures below the aim of which no result says so, and which no second one settles."""
    settled = {row.key for row in study.again}
    return [row for row in _silent(of_defaults(study)) if row.key not in settled]


def _bare(rows: Sequence[IntervalRow]) -> list[IntervalRow]:
    """Return those below the aim, and not for want of an interval alone."""
    return [row for row in rows if row.covered < AIM * (row.n_data - row.undefined)]


def _silent(rows: Sequence[IntervalRow]) -> list[IntervalRow]:
    return [
        row for row in _bare(rows) if not (_has_tails(row) or _is_grouped(row) or _has_note(row))
    ]


def _has_tails(row: IntervalRow) -> bool:
    return levels.VALUES in row.scene


def _is_grouped(row: IntervalRow) -> bool:
    return "groups" in row.scene and row.part in _TOLD_OF_GROUPS


def section(study: Study) -> str:
    """Return the section, a heading first; second figures decide where there are any."""
    first, second = of_defaults(study), {row.key: row for row in study.again}
    rows = [second.get(row.key, row) for row in first]
    below = [row for row in rows if row.coverage < AIM]
    bare, silent = _bare(rows), _silent(rows)
    tails = [row for row in bare if _has_tails(row)]
    noted = [row for row in bare if _has_note(row)]
    grouped = [row for row in rows if _is_grouped(row)]
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
        f"Below it where few rows carry a difference or a label, or tell unlike "
        f"models apart, which a note says where a sample shows it: {listed(noted)}.",
        f"Below it, and no result says so: {listed(silent)}.",
        f"So many are below it by luck alone that each of which no result says so is simulated "
        f"again, on {TIMES} times as many fresh data sets, and the second figure decides, whatever "
        f"it is. First and second: {_listed_twice(first, second)}.",
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
    is_carried_by_few = row.metric in ("average_precision difference", "log_loss difference")
    is_of_few = row.scene in {scene.name for scene in multilabel.SCENES if scene.is_of_few}
    return is_carried_by_few or is_of_few


def _listed_twice(first: Sequence[IntervalRow], second: Mapping[Key, IntervalRow]) -> str:
    """Name each kind of data with its measures, and what both figures of them are."""
    pairs = [(row, second[row.key]) for row in first if row.key in second]
    return by_scene(
        (row.scene, f"{row.metric} {percent(row.coverage)}, then {percent(again.coverage)} %")
        for row, again in pairs
    )


def listed(rows: Sequence[IntervalRow]) -> str:
    """Name each kind of data with its measures and what they cover."""
    return by_scene((row.scene, f"{row.metric} {percent(row.coverage)} %") for row in rows)


def by_scene(said: Iterable[tuple[str, str]]) -> str:
    """Put together what is said of each kind of data."""
    found: dict[str, list[str]] = {}
    for scene, text in said:
        found.setdefault(scene, []).append(text)
    each = (f"{show_scene(scene)} ({', '.join(own)})" for scene, own in found.items())
    return "; ".join(each) or "none"


def _about_iterated(study: Study) -> str:
    """Say what the iterated bootstrap that was tried covers."""
    found = {row.key[1:]: row for row in study.intervals if row.part == iterated.PART}
    outer, inner = iterated.n_replicates(study.n_resamples)
    said = []
    for (scene, metric, method), tried in found.items():
        if method == iterated.ITERATED:
            name, own = iterated.TAKEN[metric]
            taken = found[scene, metric, own]
            said.append(
                f"{name}, {tried.n_data} data sets of {show_scene(scene)}: "
                f"{percent(tried.coverage)} %, {tried.mean_width:.3f} (by {method_name(own)} "
                f"{percent(taken.coverage)} %, {taken.mean_width:.3f})"
            )
    return (
        f"Tried and not taken: coverage and mean width of an iterated bootstrap (Beran 1987; "
        f"{outer} replicates, {inner} of each) and, in brackets, of what is taken: "
        f"{'; '.join(said)}."
    )
