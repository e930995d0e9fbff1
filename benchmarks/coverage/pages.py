"""``docs/coverage.md`` and a page for each family: findings first, every table behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from benchmarks.coverage import claim, estimates, report, why
from benchmarks.coverage.claim import AIM, FEWEST
from benchmarks.coverage.findings import AS_GOOD, percent, shortfall, show_scene
from benchmarks.coverage.layout import method_name, table
from benchmarks.coverage.study import IntervalRow, Study

FRONT: Final = "docs/coverage.md"


class Family(NamedTuple):
    """Sections, by how their headings start, on one page; and the parts of the study in them."""

    slug: str
    title: str
    headings: tuple[str, ...]
    parts: tuple[str, ...]


FAMILIES: Final = (
    Family(
        "two-classes",
        "Metrics of two classes",
        (
            *("AUC", "Average precision", "Kolmogorov", "F1", "Accuracy"),
            *("Rates at a threshold", "Class sizes fixed"),
        ),
        ("main", "choice", "fixed"),
    ),
    Family("two-models", "Two models", ("Differences between", "Tests of two"), ("differences",)),
    Family("estimate-and-compare", "`estimate` and `compare`", ("`estimate`",), ("estimates",)),
    Family("every-metric", "Every metric of `estimate`", ("Every",), ("every metric",)),
    Family("levels", "Unkind data, other levels, one side", ("Unkind",), ("levels",)),
    Family(
        "groups-and-weights",
        "Groups and weights",
        ("Rows of the same users", "Few groups", "Weights"),
        ("users", "groups", "weights"),
    ),
    Family("costs", "Costs and net benefit", ("Costs",), ("costs",)),
    Family("guarantees", "Thresholds with a guarantee", ("Thresholds",), ("guarantees",)),
    Family("folds-and-bins", "Cross-validation and bins", ("Cross-",), ("folds", "bins")),
    Family("slices", "Slices", ("Slices",), ("slices",)),
    Family("multilabel", "Rows with several labels", ("Rows with",), ("multilabel",)),
    Family("logs", "Logs of items and repeats", ("Logs",), ("logs",)),
    Family("gates", "Gates", ("Gates",), ("gates",)),
    Family("rankings", "Rankings", ("Rankings",), ("rankings",)),
    Family(
        "calibration", "Calibration", ("Calibration", "Recalib"), ("calibration", "recalibration")
    ),
    Family("concordance", "Concordance and survival", ("Concordance",), ("concordance",)),
)


def documents(study: Study) -> dict[str, str]:
    """Return the text of each page by its path."""
    head, *sections = re.split(r"(?m)^(?=## )", report.document(study))
    short, simulated = sections[0], sections[-1]
    placed: dict[str, list[str]] = {family.slug: [] for family in FAMILIES}
    for section in sections[1:-1]:
        title = section.removeprefix("## ")
        (slug,) = [f.slug for f in FAMILIES if title.startswith(f.headings)]
        placed[slug].append(section)
    pages = {
        path_of(family): f"# Coverage: {family.title}\n\n{_INTRODUCTION}{_earlier(study, family)}\n"
        + "".join(placed[family.slug])
        for family in FAMILIES
    }
    found = f"{claim.sharp_section(study)}\n{claim.section(study)}"
    found += _FINDINGS + _overview(study) + _BELOW
    if study.earlier:
        found += _EARLIER.format(parts="; ".join(study.earlier)).lstrip() + "\n"
    return {FRONT: head + short + found + simulated, why.PAGE: why.document(study), **pages}


def _earlier(study: Study, family: Family) -> str:
    """Say which figures of a page are of an earlier rule, if any are."""
    parts = [each for each in study.earlier if each.partition(":")[0] in family.parts]
    return _EARLIER.format(parts=" and ".join(parts)) if parts else ""


def path_of(family: Family) -> str:
    """Return where the page of a family is."""
    return f"docs/coverage/{family.slug}.md"


def _overview(study: Study) -> str:
    lines = []
    for family in FAMILIES:
        best = [row for rows in _quantities(study, family) for row in _best(rows)]
        below = sum(row.coverage < AIM for row in best)
        least = min(best, key=lambda row: row.coverage)
        lines.append(
            [
                f"[{family.title}]({path_of(family).removeprefix('docs/')})",
                f"{len(best)}",
                f"{below}",
                f"{percent(least.coverage)}: {least.metric}, {show_scene(least.scene)}, "
                f"{method_name(least.method)}",
            ]
        )
    return table(["page", "figures", f"below {percent(AIM)} %", "the least, %"], lines)


def _quantities(study: Study, family: Family) -> Iterable[Sequence[IntervalRow]]:
    """Give the rows of each quantity of a family: a metric in a part of the study."""
    found: dict[tuple[str, str], list[IntervalRow]] = {}
    for row in study.intervals:
        is_difference = row.part == "main" and row.metric in report.DIFFERENCES
        part = "differences" if is_difference else row.part
        is_default = part != estimates.PART or row.method == estimates.METHOD
        if part in family.parts and row.scene != FEWEST and is_default:
            found.setdefault((part, row.metric), []).append(row)
    return found.values()


def _best(rows: Sequence[IntervalRow]) -> list[IntervalRow]:
    """Return the rows of the method that lacks least on average; of those as good the narrowest."""
    methods = [
        [row for row in rows if row.method == method]
        for method in dict.fromkeys(row.method for row in rows)
    ]
    most = max(map(len, methods))  # scenes; a method for some of them alone is not compared
    lacks = {i: sum(map(shortfall, m)) / most for i, m in enumerate(methods) if len(m) == most}
    good = [methods[i] for i, lack in lacks.items() if lack <= min(lacks.values()) + AS_GOOD]
    return min(good, key=lambda own: sum(row.mean_width or 0.0 for row in own))


_INTRODUCTION = """Written by `python -m benchmarks.coverage`; [the front page](../coverage.md) says
how figures are to be read, and how data are simulated.
"""

_EARLIER = """
**Simulated before the default intervals last changed, and not yet again ({parts}): today's are
narrower where few rows carry the variance.**
"""

_FINDINGS = """## Page by page

Of each quantity the method that lacks least, by the rule above, over the kinds of data with five
positives or more:

"""

_BELOW = """
What else is offered, and how it does, is in the tables of each page.

"""
