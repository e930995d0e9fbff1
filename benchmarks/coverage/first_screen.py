"""The first screen of ``docs/coverage.md``: what one has, which call it takes, what to expect."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.coverage.findings import percent
from benchmarks.coverage.scenes import SCENES
from benchmarks.coverage.study import Study

#: Expected rows of the smaller class from which on they are not called few.
MANY = 30


def first_screen(study: Study) -> list[tuple[str, str, str]]:
    """Return the lines of the table, their figures from the study."""
    many, few = _scenes("main", many=True), _scenes("main", many=False)
    sized = [row for row in study.tests if row.part == "main" and row.hypothesis != "worse"]

    def covers(part: str, metric: str, method: str, scenes: Iterable[str] | None = None) -> str:
        rows = [row for row in study.find(part, metric) if row.method == method]
        chosen = [row.coverage for row in rows if scenes is None or row.scene in scenes]
        return f"covers {_span(chosen)} %"

    def rejects(test: str, scenes: Iterable[str]) -> str:
        shares = [row.share for row in sized if row.test == test and row.scene in scenes]
        return f"rejects {_span(shares)} % of true hypotheses"

    return [
        (
            f"an AUC, {MANY} rows or more of either class",
            '`evaluate`; `delong(..., scale="logit")`',
            covers("main", "roc_auc", "DeLong, logit", many),
        ),
        (
            "an AUC of few positives, or near 1",
            "`evaluate`, whose rule takes Newcombe's limits in; `comparison.newcombe_interval`",
            covers("main", "roc_auc", "Newcombe", few)
            + "; near 1 "
            + covers("near one", "roc_auc", "Newcombe"),
        ),
        (
            "accuracy, or another proportion",
            '`comparison.proportion_interval(..., method="jeffreys")`',
            covers("main", "accuracy", "Jeffreys"),
        ),
        ("F1 of counts", "`estimate` of a `ConfusionMatrix`", covers("main", "f1", "Wilson")),
        (
            f"average precision, {MANY} positives or more",
            "`estimate`",
            covers("estimates", "average_precision", "estimate", many),
        ),
        (
            "average precision of few positives",
            "`estimate`; `bootstrap` is too narrow",
            covers("estimates", "average_precision", "estimate", few)
            + "; the bootstrap "
            + covers("main", "average_precision", "bca", few),
        ),
        (
            "KS, the largest of many gaps",
            "`estimate`, `compare`, `evaluate`; `bootstrap` is not to be relied on",
            covers("estimates", "ks_statistic", "estimate")
            + "; the bootstrap "
            + covers("main", "ks_statistic", "bca"),
        ),
        (
            "TPR at a threshold chosen on the same rows",
            f"`evaluate(..., n_resamples=9999)`, {MANY} positives or more; else fix it beforehand",
            covers("choice", "true_positive_rate", "percentile", many)
            + "; else "
            + covers("choice", "true_positive_rate", "percentile", few),
        ),
        (
            "two models on the same rows",
            "`paired_bootstrap`; of AUCs `delong_test`",
            covers("main", "roc_auc difference", "basic", many)
            + f"; {rejects('paired_bootstrap', many)}",
        ),
        (
            "two models, few positives",
            '`paired_permutation_test(..., exchange="scores")`',
            rejects("paired_permutation_test, scores", few),
        ),
        (
            "several rows of each user or patient",
            "`groups=`",
            f"50 equal groups: {covers('groups', 'roc_auc', 'percentile, t', _groups(False, 50))}; "
            f"15: {covers('groups', 'roc_auc', 'percentile, t', _groups(False, 15))}; "
            f"50 of Zipf's sizes: "
            f"{covers('groups', 'roc_auc', 'percentile, t', _groups(True, 50))}",
        ),
        (
            "rows that matter more or less",
            '`sample_weight=`; `delong(..., scale="logit")`',
            covers("weights", "roc_auc", "DeLong, logit"),
        ),
    ]


def _span(shares: list[float]) -> str:
    low, high = percent(min(shares)), percent(max(shares))
    return low if low == high else f"{low} to {high}"


def _scenes(part: str, *, many: bool) -> list[str]:
    """Return the scenes of a part with many, or with few, rows of the smaller class."""
    found = [scene for scene in SCENES if scene.part == part]
    return [s.name for s in found if (s.n * min(s.share, 1 - s.share) >= MANY) == many]


def _groups(uneven: bool, users: int) -> list[str]:
    found = [scene for scene in SCENES if scene.part == "groups"]
    return [s.name for s in found if (s.uneven, s.users) == (uneven, users)]
