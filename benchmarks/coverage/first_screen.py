"""The first screen of ``docs/coverage.md``: what one has, which call it takes, what to expect."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.coverage import estimates, every
from benchmarks.coverage.findings import percent
from benchmarks.coverage.scenes import SCENES, Scene
from benchmarks.coverage.study import Study

#: Expected rows of the smaller class from which on they are not called few.
MANY = 30
#: Scenes whose AUC is above 0.98.
_NEAR_ONE = (
    "212 + 357, normal 3.6",
    "20 + 980, normal 3.5",
    "150 + 450, normal 3.2",
    "250 + 250, normal 4.4",
    "7 + 993, normal 3",
)


def first_screen(study: Study) -> list[tuple[str, str, str]]:
    """Return the lines of the table, their figures from the study."""
    many_rows, few_rows = (
        [s.name for s in estimates.SCENES if s.kind in ("rows", "models") and _has_many(s) == many]
        for many in (True, False)
    )
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

    weighted = [s.name for s in estimates.SCENES if s.kind == "weights"]
    clustered = [s for s in estimates.SCENES if s.kind == "clusters"]
    of_groups = "; ".join(
        f"{least} to {most} clusters: "
        f"{covers('roc_auc', [s.name for s in clustered if least <= s.users <= most])}"
        for least, most in ((8, 12), (14, 30))
    )
    every_measure = [row.coverage for row in study.intervals if row.part == every.PART]
    n_metrics = len({row.metric for row in study.intervals if row.part == every.PART})
    return [
        (
            f"an AUC, {MANY} rows or more of either class",
            "`estimate`, `evaluate`",
            covers("roc_auc", many_rows),
        ),
        (
            "an AUC of few positives, or near 1",
            "`estimate`, `evaluate`",
            f"{covers('roc_auc', few_rows)}; near 1 {covers('roc_auc', _NEAR_ONE)}",
        ),
        (
            "accuracy, or another share",
            '`estimate`; of counts `comparison.proportion_interval(..., method="jeffreys")`',
            covers("accuracy", [*many_rows, *few_rows]),
        ),
        ("F1", "`estimate`", covers("f1", [*many_rows, *few_rows])),
        (
            f"average precision, {MANY} positives or more",
            "`estimate`, `evaluate`",
            covers("average_precision", many_rows),
        ),
        (
            "average precision of few positives",
            "`estimate`, `evaluate`; `bootstrap` is too narrow",
            f"{covers('average_precision', few_rows)}; the bootstrap "
            f"{covers('average_precision', few, 'main', 'bca')}",
        ),
        (
            "KS, the largest of many gaps",
            "`estimate`, `compare`, `evaluate`; `bootstrap` is not to be relied on",
            f"{covers('ks_statistic', [*many_rows, *few_rows])}; the bootstrap "
            f"{covers('ks_statistic', [*many, *few], 'main', 'bca')}",
        ),
        (
            f"any of {n_metrics} metrics",
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
            f"{covers('roc_auc difference', many_rows)}; {rejects(estimates.PART, many_rows)}",
        ),
        (
            "two models, few positives",
            '`compare`; `paired_permutation_test(..., exchange="scores")`',
            f"{rejects(estimates.PART, few_rows)}; by permutation "
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


def _has_many(scene: Scene) -> bool:
    return scene.n * min(scene.share, 1 - scene.share) >= MANY


def _scenes(part: str, *, many: bool) -> list[str]:
    """Return the scenes of a part with many, or with few, rows of the smaller class."""
    found = [scene for scene in SCENES if scene.part == part]
    return [s.name for s in found if _has_many(s) == many]
