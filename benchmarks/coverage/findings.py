"""What follows from the figures of the coverage study: computed, so that no sentence outlives them.

Methods are ranked over the scenes in which at least five positives are expected: below, no
interval of an AUC can do much, and what is measured is how often there was none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.coverage.measured import LEVEL, IntervalRow, RejectionRow, Study
from benchmarks.coverage.scenes import SCENES

#: The coverage that every default is to reach at a level of 95 %.
AIM = 0.935
#: What differs by less than this in shortfall is as good: one binomial error.
AS_GOOD = 0.005
FEWEST_POSITIVES = 5
GENERAL = ("percentile", "basic", "bca")  # of the bootstrap; differences have no BCa


@dataclass(frozen=True)
class Verdict:
    """How a method did over several scenes."""

    method: str
    shortfall: float  # mean of what coverage lacks to the level, 0 where it lacks nothing
    worst: float
    width: float  # mean, as a ratio to that of the percentile interval


def ranked_scenes(part: str) -> list[str]:
    """Return the names of the scenes over which methods are ranked."""
    return [s.name for s in SCENES if s.part == part and s.n * s.share >= FEWEST_POSITIVES]


def shortfall(row: IntervalRow) -> float:
    """Return what the coverage lacks to the level."""
    return max(0.0, LEVEL - row.coverage)


def verdicts(rows: Sequence[IntervalRow], part: str = "main") -> list[Verdict]:
    """Return how each method did with one metric, in the order in which they come."""
    scenes = ranked_scenes(part)
    chosen = [row for row in rows if row.part == part and row.scene in scenes]
    yardstick = {row.scene: row.mean_width for row in chosen if row.method == "percentile"}
    found = []
    for method in dict.fromkeys(row.method for row in chosen):
        own = [row for row in chosen if row.method == method]
        ratios = [(row.mean_width or 0.0) / (yardstick[row.scene] or 1.0) for row in own]
        found.append(
            Verdict(
                method,
                sum(map(shortfall, own)) / len(own),
                min(row.coverage for row in own),
                sum(ratios) / len(ratios),
            )
        )
    return found


def best(candidates: Iterable[Verdict]) -> Verdict:
    """Return the one that falls least short; of those as good, the narrowest."""
    candidates = list(candidates)
    least = min(verdict.shortfall for verdict in candidates)
    as_good = [verdict for verdict in candidates if verdict.shortfall <= least + AS_GOOD]
    return min(as_good, key=lambda verdict: verdict.width)


def general_verdicts(study: Study, metrics: Sequence[str]) -> list[Verdict]:
    """Return how each general method that all metrics have did, on average over them."""
    of_metrics = [
        {verdict.method: verdict for verdict in verdicts(study.find("main", metric))}
        for metric in metrics
    ]
    n = len(of_metrics)
    return [
        Verdict(
            method,
            sum(found[method].shortfall for found in of_metrics) / n,
            min(found[method].worst for found in of_metrics),
            sum(found[method].width for found in of_metrics) / n,
        )
        for method in GENERAL
        if all(method in found for found in of_metrics)
    ]


def supported(study: Study, metrics: Sequence[str]) -> str:
    """Return the general method that the figures support: the best by the one rule of `best`."""
    return best(general_verdicts(study, metrics)).method


def percent(share: float) -> str:
    """Write a share with one decimal."""
    return f"{100 * share:.1f}"


def show_scene(name: str) -> str:
    """Write the name of a scene."""
    return name.replace("%", " %")


def listed(rows: Sequence[IntervalRow]) -> str:
    """Name each kind of data with its metrics and what they cover."""
    return by_scene((row.scene, f"{row.metric} {percent(row.coverage)} %") for row in rows)


def by_scene(said: Iterable[tuple[str, str]]) -> str:
    """Put together what is said of each kind of data."""
    groups: dict[str, list[str]] = {}
    for scene, text in said:
        groups.setdefault(scene, []).append(text)
    each = (f"{show_scene(scene)} ({', '.join(texts)})" for scene, texts in groups.items())
    return "; ".join(each) or "none"


def join(parts: Sequence[str]) -> str:
    """Write a list of things in words."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def data_sets(rows: Iterable[IntervalRow]) -> str:
    """Write of how many data sets figures are, the most first."""
    return join([f"{n:,}" for n in sorted({row.n_data for row in rows}, reverse=True)])


def where_short(rows: Sequence[IntervalRow], method: str) -> str:
    """Say where one method covers too little."""
    own = [row for row in rows if row.method == method]
    short = [row for row in own if row.is_short]
    if not short:
        return f"`{method}` covers as it should everywhere."
    said = "; ".join(f"{show_scene(row.scene)} ({percent(row.coverage)})" for row in short)
    where = "everywhere" if len(short) == len(own) else "here"
    return f"`{method}` covers too little {where}: {said}."


def which_is_better(rows: Sequence[IntervalRow]) -> str:
    """Name the methods that fall least short: of the bootstrap's own, and of the analytic ones."""
    found = {verdict.method: verdict for verdict in comparable(rows)}
    first = best(found[method] for method in GENERAL if method in found)
    text = f"Best of the bootstrap's own methods is `{first.method}`: {_how(first)}."
    analytic = [v for v in found.values() if v.method not in GENERAL]
    if not analytic:
        return text
    other = best(analytic)
    if other.shortfall < first.shortfall - AS_GOOD:
        return f"{text} Better is {other.method}: {_how(other)}."
    if other.shortfall <= first.shortfall + AS_GOOD:
        return f"{text} As good, and without resampling, is {other.method}: {_how(other)}."
    return text


def comparable(rows: Sequence[IntervalRow]) -> list[Verdict]:
    """Return the verdicts but those on stratified draws, which are for fixed class sizes."""
    return [v for v in verdicts(rows) if not v.method.startswith("stratified")]


def _how(verdict: Verdict) -> str:
    lack = "nothing" if verdict.shortfall == 0 else f"{percent(verdict.shortfall)} points"
    return f"it lacks {lack} on average, at worst it covers {percent(verdict.worst)} %"


def about_default(study: Study, function: str, metrics: Sequence[str]) -> str:
    """Say how far the general methods fall short over several metrics, and which is the best."""
    found = general_verdicts(study, metrics)
    said = join([f"`{verdict.method}` {percent(verdict.shortfall)}" for verdict in found])
    return (
        f"`{function}`: on average over {len(metrics)} metrics and "
        f"{len(ranked_scenes('main'))} kinds of data coverage lacks, in points, {said}. "
        f'The default is `method="{best(found).method}"`.'
    )


def share_missed_above(rows: Iterable[IntervalRow]) -> float:
    """Return, of the intervals that miss, the share that lies above the target."""
    rows = list(rows)
    above, below = sum(row.above for row in rows), sum(row.below for row in rows)
    return above / (above + below) if above + below else 0.0


def about_bias(study: Study, metric: str) -> str:
    """Say how far the mean of an estimate is from its target, in its own standard deviations."""
    said = []
    for row in study.estimates:
        if (row.part, row.metric) == ("main", metric):
            bias = row.mean - row.target
            share = bias / row.standard_deviation
            said.append(
                f"{show_scene(row.scene)}: {bias:+.3f} ({share:+.1f} of its standard deviation)"
            )
    return "; ".join(said)


def about_size(rows: Sequence[RejectionRow], test: str) -> str:
    """Say where a test rejects true hypotheses too often, and where next to never."""
    own = [row for row in rows if row.test == test and row.hypothesis in ("equal", "spread")]
    large, small = ([row for row in own if getattr(row, f"is_{how}")] for how in ("large", "small"))
    said = [f"rejects true hypotheses too often here: {_sizes(large)}"] * bool(large)
    said += [f"is too cautious here: {_sizes(small)}"] * bool(small)
    if not said:
        return f"`{test}` keeps its level everywhere."
    return f"`{test}` {'; it '.join(said)}."


def _sizes(rows: Sequence[RejectionRow]) -> str:
    kinds = {"equal": "equal models", "spread": "another shape"}
    return "; ".join(
        f"{show_scene(row.scene)}, {kinds[row.hypothesis]} ({percent(row.share)} %)" for row in rows
    )


def about_sizes(rows: Sequence[RejectionRow]) -> str:
    """Say which test keeps its size best where positives are few."""
    sparse = min(
        (s for s in SCENES if s.part == "main" and s.name in ranked_scenes("main")),
        key=lambda scene: scene.n * scene.share,
    )
    largest: dict[str, float] = {}
    for row in rows:
        if row.hypothesis in ("equal", "spread") and row.scene == sparse.name:
            largest[row.test] = max(largest.get(row.test, 0.0), row.share)
    said = join([f"`{test}` {percent(share)}" for test, share in largest.items()])
    first = min(largest, key=lambda test: largest[test])
    return (
        f"Where positives are few, take `{first}`. With {show_scene(sparse.name)}, the larger of "
        f"the two sizes is, in %: {said}."
    )


def about_ks(rows: Sequence[IntervalRow]) -> str:
    """Say how far BCa mends what percentile intervals of a biased estimate miss."""
    percentile = [row for row in rows if row.method == "percentile"]
    scenes = ranked_scenes("main")
    bca = {row.scene: row.coverage for row in rows if row.method == "bca" and row.scene in scenes}
    few = min(bca, key=lambda scene: bca[scene])
    others = [coverage for scene, coverage in bca.items() if scene != few]
    return (
        f"{percent(share_missed_above(percentile))} % of the percentile intervals that miss lie "
        "above the target. BCa corrects for where the estimate lies among its replicates: it "
        f"covers {percent(min(others))} to {percent(max(others))} % in the other kinds of data "
        f"with {FEWEST_POSITIVES} positives or more, "
        f"but {percent(bca[few])} % with {show_scene(few)}."
    )
