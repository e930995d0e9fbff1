"""What of the claim holds: which defaults cover and are sharp, which do not, and what says so."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from benchmarks.coverage import estimates, levels, multilabel
from benchmarks.coverage.estimates import METHOD
from benchmarks.coverage.findings import AIM, by_scene, listed, percent
from benchmarks.coverage.layout import bullets, method_name, table
from benchmarks.coverage.measured import IntervalRow, Study
from benchmarks.coverage.study import SCORED

#: Coverage of sharp defaults in each scene, and in the mean.
IN_EACH: Final = (0.93, 0.985)
IN_THE_MEAN: Final = (0.94, 0.97)
#: The coverage from which on a method is one to compare with.
COVERED: Final = 0.93
#: Interval score over that of the best method: in the geometric mean, and in each scene.
MEAN_RATIO, LARGEST_RATIO = 1.10, 1.5
#: So few positives are expected there that often no interval can be had.
FEWEST: Final = "30 rows, 5% positive"
#: Of parts whose intervals are by influences or counts, the methods that are taken without asking.
_DEFAULTS: Final = {
    "estimates": METHOD,
    "every metric": METHOD,
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
_HELD_OUT: Final = {scene.name for scene in estimates.SCENES if scene.is_held_out}
#: Parts whose groups are so few that a warning says so.
_TOLD_OF_GROUPS: Final = ("estimates", "every metric")


class Sharpness(NamedTuple):
    """The default of one metric in one scene, and the best method that covers there, if any."""

    default: IntervalRow
    best: IntervalRow | None

    @property
    def is_held_out(self) -> bool:
        """Whether no constant was chosen on this scene."""
        return self.default.part != estimates.PART or self.default.scene in _HELD_OUT

    @property
    def ratio(self) -> float:
        """The interval score over that of the best; nan where none covers."""
        return math.nan if self.best is None else self.best.ratio or math.nan

    @property
    def ratio_error(self) -> float:
        """Monte-Carlo standard error of the ratio."""
        return math.nan if self.best is None else self.best.ratio_error or 0.0


def sharpness(study: Study) -> list[Sharpness]:
    """Return the default beside the best method that covers, for each metric of each scene."""
    cells: dict[tuple[str, str, str], list[IntervalRow]] = {}
    for part in SCORED:
        for row in study.intervals:
            if row.part == part:
                cells.setdefault((part, row.scene, row.metric), []).append(row)
    pairs = []
    for (part, _, _), rows in cells.items():
        (default,) = [row for row in rows if row.method == SCORED[part]]
        rivals = [row for row in rows if row.method in estimates.FAMILY and row.coverage >= COVERED]
        best = max(rivals, key=lambda row: row.ratio or 0.0) if rivals else None
        pairs.append(Sharpness(default, best))
    return pairs


class Summary(NamedTuple):
    """What several scenes say together; errors are Monte-Carlo standard errors."""

    n: int
    coverage: float
    coverage_error: float
    least: float
    most: float
    ratio: float
    ratio_error: float
    largest: float


def summary(pairs: Sequence[Sharpness]) -> Summary:
    """Return means over scenes; that of ratios is geometric, over those where a method covers."""
    rows = [pair.default for pair in pairs]
    shares = [row.coverage for row in rows]
    rated = [pair for pair in pairs if pair.best is not None]
    ratio = error = largest = math.nan
    if rated:
        ratio = math.exp(sum(math.log(pair.ratio) for pair in rated) / len(rated))
        relative = math.hypot(*(pair.ratio_error / pair.ratio for pair in rated))
        error, largest = ratio * relative / len(rated), max(pair.ratio for pair in rated)
    return Summary(
        len(rows),
        sum(shares) / len(rows),
        math.hypot(*(row.error for row in rows)) / len(rows),
        min(shares),
        max(shares),
        ratio,
        error,
        largest,
    )


def metric_title(metric: str) -> str:
    """Return a metric as it stands in tables; "two models" for a difference."""
    name = metric.removesuffix(" difference")
    return f"`{name}`" + (", two models" if name != metric else "")


def summary_table(groups: Iterable[tuple[str, Sequence[Sharpness]]]) -> str:
    """Write a line for each group of scenes, by its name."""
    lines = []
    for name, pairs in groups:
        if pairs:
            found = summary(pairs)
            lines.append(
                [
                    name,
                    str(found.n),
                    f"{percent(found.coverage)} ± {percent(found.coverage_error)}",
                    f"{percent(found.least)} to {percent(found.most)}",
                    show_ratio(found.ratio, found.ratio_error),
                    show_number(found.largest),
                ]
            )
    heads = ["metric", "scenes", "mean coverage, %", "in each", "score ÷ best", "largest"]
    return table(heads, lines)


def show_number(value: float) -> str:
    """Write a ratio, or a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.2f}"


def show_ratio(ratio: float, error: float) -> str:
    """Write a ratio and its Monte-Carlo standard error."""
    return "–" if math.isnan(ratio) else f"{ratio:.2f} ± {error:.2f}"


def by_metric(pairs: Sequence[Sharpness]) -> list[tuple[str, list[Sharpness]]]:
    """Return the scenes of each metric, and all of them last."""
    metrics = dict.fromkeys(pair.default.metric for pair in pairs)
    groups = [
        (metric_title(metric), [pair for pair in pairs if pair.default.metric == metric])
        for metric in metrics
    ]
    return [*groups, ("**all**", list(pairs))]


def sharp_section(study: Study) -> str:
    """Return the section on sharpness, a heading first: both halves, and what fails the claim."""
    pairs = sharpness(study)
    halves = {
        "Held out": [pair for pair in pairs if pair.is_held_out],
        "Chosen on": [pair for pair in pairs if not pair.is_held_out],
    }
    texts = ["## Sharp, and not only safe\n", _SHARP]
    for title, half in halves.items():
        if half:
            texts.append(f"**{title}**\n\n{summary_table(by_metric(half))}")
            texts.append(bullets(_verdicts(half)))
    return "\n".join(texts)


def _verdicts(pairs: Sequence[Sharpness]) -> list[str]:
    """Say what of the claim holds, and name the scenes that fail it by two standard errors."""
    found, n = summary(pairs), len(pairs)
    low, high = IN_EACH
    under = [p for p in pairs if p.default.coverage + 2 * p.default.error < low]
    over = [p for p in pairs if p.default.coverage - 2 * p.default.error > high]
    wide = [p for p in pairs if p.ratio - 2 * p.ratio_error > LARGEST_RATIO]
    alone = [p for p in pairs if p.best is None]
    own = [math.log(max(1.0, pair.ratio)) for pair in pairs if pair.best is not None]
    with_default = math.exp(sum(own) / len(own)) if own else math.nan
    return [
        f"Mean coverage is {percent(found.coverage)} %, "
        f"{_is_within(IN_THE_MEAN[0] <= found.coverage <= IN_THE_MEAN[1])} "
        f"{percent(IN_THE_MEAN[0])} to {percent(IN_THE_MEAN[1])} %.",
        f"Score ÷ best is {show_ratio(found.ratio, found.ratio_error)} in the geometric mean, "
        f"{_is_within(found.ratio <= MEAN_RATIO)} {MEAN_RATIO:.2f}; with the default among the "
        f"methods it is compared with, {show_number(with_default)}.",
        f"Metrics whose own mean is out of this, coverage: {_listed_metrics(pairs, _covers)}; "
        f"score ÷ best: {_listed_metrics(pairs, _is_sharp)}.",
        f"Below {percent(low)} % by more than two standard errors, {len(under)} of {n}: "
        f"{listed([pair.default for pair in under])}.",
        f"Above {percent(high)} % by more than two standard errors, {len(over)} of {n}: "
        f"{listed([pair.default for pair in over])}.",
        f"Score more than {LARGEST_RATIO} times the best by more than two standard errors, "
        f"{len(wide)} of {n}: {_listed_ratios(wide)}.",
        f"No method of the family covers {percent(COVERED)} %, {len(alone)} of {n}: "
        f"{listed([pair.default for pair in alone])}.",
    ]


def _covers(found: Summary) -> str:
    """Return the mean coverage if it is out of what is claimed, by two standard errors."""
    low, high = IN_THE_MEAN
    error = 2 * found.coverage_error
    is_out = found.coverage + error < low or found.coverage - error > high
    return f"{percent(found.coverage)} %" if is_out else ""


def _is_sharp(found: Summary) -> str:
    """Return the mean ratio if it is above what is claimed, by two standard errors."""
    is_out = found.ratio - 2 * found.ratio_error > MEAN_RATIO
    return show_ratio(found.ratio, found.ratio_error) if is_out else ""


def _listed_metrics(pairs: Sequence[Sharpness], show: Callable[[Summary], str]) -> str:
    shown = [(name, show(summary(group))) for name, group in by_metric(pairs)[:-1]]
    return ", ".join(f"{name} {text}" for name, text in shown if text) or "none"


def _is_within(holds: bool) -> str:
    return "within" if holds else "**not within**"


def _listed_ratios(pairs: Sequence[Sharpness]) -> str:
    said = (
        (
            pair.default.scene,
            f"{pair.default.metric} {pair.ratio:.2f}, {method_name(pair.best.method)}",
        )
        for pair in pairs
        if pair.best is not None
    )
    return by_scene(said)


def of_defaults(study: Study) -> list[IntervalRow]:
    """Return the figures of the defaults that are to cover."""
    return [
        row
        for row in study.intervals
        if _DEFAULTS.get(row.part) == row.method and row.scene != FEWEST
    ]


def _bare(rows: Sequence[IntervalRow]) -> list[IntervalRow]:
    """Return those below the aim by two standard errors, and not for want of an interval alone."""
    return [
        row
        for row in rows
        if row.covered + 2 * row.error * row.n_data < AIM * (row.n_data - row.undefined)
    ]


def _has_tails(row: IntervalRow) -> bool:
    return levels.VALUES in row.scene


def _is_grouped(row: IntervalRow) -> bool:
    return ("groups" in row.scene or "clusters" in row.scene) and row.part in _TOLD_OF_GROUPS


def section(study: Study) -> str:
    """Return the section on what every default covers, a heading first."""
    rows = of_defaults(study)
    below = [row for row in rows if row.coverage + 2 * row.error < AIM]
    bare = _bare(rows)
    tails = [row for row in bare if _has_tails(row)]
    noted = [row for row in bare if _has_note(row)]
    grouped = [row for row in bare if _is_grouped(row)]
    silent = [row for row in bare if row not in (*tails, *noted, *grouped)]
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
        f"Below it with groups that are worth fewer than 30, which a `SmallSampleWarning` says: "
        f"{listed(grouped)}.",
        f"Below it, and no result says so: {listed(silent)}.",
    ]
    return (
        f"## What every default covers\n\nAn interval at the level 95 % is to cover "
        f"{percent(AIM)} % or more. Of {len(rows)} figures of defaults that go by influences, "
        f"counts or values, {len(rows) - len(below)} do within two binomial errors, which are in "
        f"the tables. The least of each part, in %: {', '.join(least)}.\n\n"
        f"{bullets(said)}\n"
    )


def _has_note(row: IntervalRow) -> bool:
    is_carried_by_few = row.metric in ("average_precision difference", "log_loss difference")
    is_of_few = row.scene in {scene.name for scene in multilabel.SCENES if scene.is_of_few}
    return is_carried_by_few or is_of_few


_SHARP = f"""An interval that never misses because it is twice as wide tells as little as one that
misses. The interval score (Gneiting & Raftery 2007) counts both: the width, and 2 / α = 40 times
the distance by which a limit misses; its mean is least for limits that are right. Here a default
is to cover {percent(IN_EACH[0])} to {percent(IN_EACH[1])} % in each scene and
{percent(IN_THE_MEAN[0])} to {percent(IN_THE_MEAN[1])} % in the mean, and its score is to be at most
{MEAN_RATIO:.2f} times that of the best method in the geometric mean, and {LARGEST_RATIO} times in
each scene. "Best" is the least score, on the same data sets, among the methods that cover
{percent(COVERED)} % or more there: Student's t by the contributions' degrees of freedom alone,
percentile, basic and BCa limits, and of an AUC Newcombe's interval and Student's t on the logit
scale. It is the luckiest of up to six, which makes the ratios a little too large. Every data set
counts: a limit that is nan is the end of the metric's scale (of losses {estimates.LARGEST:g}).
Errors are Monte-Carlo standard errors. The constants of the rules were chosen on one half of the
scenes; the other half was written afterwards. Every scene stands on
[the page of `estimate` and `compare`](coverage/estimate-and-compare.md); why each metric has the
interval it has, in plain words: [Why this interval?](why-this-interval.md)
"""
