"""The first screen of ``docs/coverage.md``: what one has, which call it takes, what to expect."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.coverage import estimates, every
from benchmarks.coverage.findings import percent
from benchmarks.coverage.scenes import SCENES
from benchmarks.coverage.study import Study

#: Expected rows of the smaller class from which on they are not called few.
MANY = 30


def first_screen(study: Study) -> list[tuple[str, str, str]]:
    """Return the lines of the table, their figures from the study."""
    many, few = _scenes("main", many=True), _scenes("main", many=False)

    def covers(
        metric: str,
        scenes: Iterable[str],
        part: str = estimates.PART,
        method: str = estimates.METHOD,
    ) -> str:
        rows = [row for row in study.find(part, metric) if row.method == method]
        return f"covers {_span([row.coverage for row in rows if row.scene in scenes])} %"

    def rejects(part: str, scenes: Iterable[str], test: str = "") -> str:
        shares = [
            row.share
            for row in study.tests
            if row.part == part and row.hypothesis != "worse" and row.scene in scenes
            if not test or row.test == test
        ]
        return f"rejects {_span(shares)} % of true hypotheses"

    binary = [scene for scene in estimates.SCENES if scene.kind == "binary"]
    near = [scene.name for scene in binary if scene.separation > 2]
    weighted = [scene.name for scene in binary if scene.spread]
    grouped = {scene.users: scene for scene in binary if scene.users}
    of_groups = "; ".join(
        f"{users} groups{', of unlike sizes' if scene.uneven else ''}: "
        f"{covers('roc_auc', [scene.name])}"
        for users, scene in grouped.items()
    )
    every_measure = [row.coverage for row in study.intervals if row.part == every.PART]
    n_measures = len({row.metric for row in study.intervals if row.part == every.PART})
    return [
        (
            f"an AUC, {MANY} rows or more of either class",
            "`estimate`, `evaluate`",
            covers("roc_auc", many),
        ),
        (
            "an AUC of few positives, or near 1",
            "`estimate`, `evaluate`, whose rule takes Newcombe's limits in",
            f"{covers('roc_auc', few)}; near 1 {covers('roc_auc', near)}",
        ),
        (
            "accuracy, or another share",
            '`estimate`; of counts `comparison.proportion_interval(..., method="jeffreys")`',
            covers("accuracy", [*many, *few]),
        ),
        ("F1", "`estimate`", covers("f1", [*many, *few])),
        (
            f"average precision, {MANY} positives or more",
            "`estimate`, `evaluate`",
            covers("average_precision", many),
        ),
        (
            "average precision of few positives",
            "`estimate`, `evaluate`; `bootstrap` is too narrow",
            f"{covers('average_precision', few)}; the bootstrap "
            f"{covers('average_precision', few, 'main', 'bca')}",
        ),
        (
            "KS, the largest of many gaps",
            "`estimate`, `compare`, `evaluate`; `bootstrap` is not to be relied on",
            f"{covers('ks_statistic', [*many, *few])}; the bootstrap "
            f"{covers('ks_statistic', [*many, *few], 'main', 'bca')}",
        ),
        (
            f"any of {n_measures} measures",
            "`estimate`",
            f"covers {_span(every_measure)} %",
        ),
        (
            "TPR at a threshold chosen on the same rows",
            f"`evaluate(..., n_resamples=9999)`, {MANY} positives or more; else fix it beforehand",
            f"{covers('true_positive_rate', many, 'choice', 'percentile')}; else "
            f"{covers('true_positive_rate', few, 'choice', 'percentile')}",
        ),
        (
            "two models on the same rows",
            "`compare`",
            f"{covers('roc_auc difference', many)}; {rejects(estimates.PART, many)}",
        ),
        (
            "two models, few positives",
            '`compare`; `paired_permutation_test(..., exchange="scores")`',
            f"{rejects(estimates.PART, few)}; by permutation "
            f"{rejects('main', few, 'paired_permutation_test, scores')}",
        ),
        ("several rows of each user or patient", "`groups=`", of_groups),
        (
            "rows that matter more or less",
            "`sample_weight=`",
            covers("roc_auc", weighted),
        ),
    ]


def _span(shares: list[float]) -> str:
    low, high = percent(min(shares)), percent(max(shares))
    return low if low == high else f"{low} to {high}"


def _scenes(part: str, *, many: bool) -> list[str]:
    """Return the scenes of a part with many, or with few, rows of the smaller class."""
    found = [scene for scene in SCENES if scene.part == part]
    return [s.name for s in found if (s.n * min(s.share, 1 - s.share) >= MANY) == many]
