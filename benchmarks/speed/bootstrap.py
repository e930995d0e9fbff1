"""What is timed of the bootstrap: replicates by the engine, whole calls, and their yardsticks.

"Replicates" are the engine's, the rows being sorted already; "bootstrap" is the whole call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats
import sklearn.metrics

import fastmetrics
from benchmarks.speed import naive
from benchmarks.speed.data import Data, Spec, make
from benchmarks.speed.timing import BYTES, NANOSECONDS, SECONDS, Target
from fastmetrics._input.rows import named_scores
from fastmetrics._input.scalars import seed_key
from fastmetrics._threads.workers import at_most
from fastmetrics.inference.bootstrap._parse import BootstrapData, parse, parse_models
from fastmetrics.inference.bootstrap._samples import Draws
from fastmetrics.inference.bootstrap._specs import metric_specs
from fastmetrics.inference.bootstrap.bootstrap import Engine

Call = Callable[[], Any]

#: Replicates in a round, so that a round takes some tens of milliseconds.
REPLICATES = 40
#: "Ten threshold metrics in one pass".
TEN = {
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "ks_statistic": "ks_statistic",
    "break_even_point": "break_even_point",
    "partial_auc": ("partial_auc", {"false_positive_rate_range": (0.0, 0.1)}),
    "youden": ("best_threshold", {"criterion": "youden"}),
    "best_f1": ("best_threshold", {"criterion": "fbeta"}),
    "fewest-errors": ("best_threshold", {"criterion": "fewest-errors"}),
    "recall_at_false_positive_rate": (
        "recall_at_false_positive_rate",
        {"false_positive_rate": 0.01},
    ),
    "precision_at_recall": ("precision_at_recall", {"recall": 0.8}),
}


@functools.lru_cache(maxsize=2)
def table_of(spec: Spec) -> fastmetrics.ScoreTable:
    """Return the table of a data set, made once."""
    data = make(spec)
    return fastmetrics.ScoreTable.from_scores(data.labels, data.scores)


def _replicates(
    n_threads: int | None = 1, metrics: Any = "roc_auc", stratified: bool = False
) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        specs = metric_specs(metrics)
        sample = parse(BootstrapData(table_of(data.spec)), specs)
        draws = Draws(seed_key(1), sample.n_units, masks=sample.masks() if stratified else None)
        engine = Engine([sample], specs, draws)

        def run() -> Any:
            with at_most(n_threads):
                return engine.run(REPLICATES, progress=False)

        return run

    return prepare


def _paired(data: Data) -> Call:
    specs = metric_specs("roc_auc")
    noise = np.random.default_rng(3).normal(scale=0.1, size=len(data.scores))
    models = named_scores({"a": data.scores, "b": data.scores + noise})
    samples = parse_models(BootstrapData(data.labels, models), specs)
    engine = Engine(samples, specs, Draws(seed_key(1), samples[0].n_units))

    def run() -> Any:
        with at_most(1):
            return engine.run(REPLICATES, progress=False)

    return run


def _bootstrap(**options: Any) -> Callable[[Data], Call]:
    return lambda data: functools.partial(
        fastmetrics.bootstrap, data.labels, data.scores, rng=1, **options
    )


def _of_matrix(data: Data) -> Call:
    threshold = float(np.median(data.scores))
    matrix = fastmetrics.ConfusionMatrix.from_scores(data.labels, data.scores, threshold=threshold)
    names = ["accuracy", "precision", "recall", "f1", "matthews_corrcoef"]
    return lambda: fastmetrics.bootstrap(matrix, metrics=names, n_resamples=10_000, rng=1)


WORKS: dict[str, Callable[[Data], Call]] = {
    "replicates": _replicates(),
    "replicates, all cores": _replicates(None),
    "replicates, ten metrics": _replicates(metrics=TEN),
    "replicates, stratified": _replicates(stratified=True),
    "replicates, paired": _paired,
    "bootstrap 1,000": _bootstrap(n_resamples=1_000),
    "bootstrap 1,000, bca": _bootstrap(n_resamples=1_000, method="bca"),
    "bootstrap 100,000": _bootstrap(n_resamples=100_000),
    "bootstrap of a matrix": _of_matrix,
}


def check_replicates(data: Data, answer: Any) -> None:
    """The replicates of the AUC scatter about it as its standard error says."""
    auc = naive.exact_auc(data.spec)
    table = table_of(data.spec)
    error = fastmetrics.delong(table).standard_error
    values = answer.values[0, 0]
    assert abs(values.mean() - auc) < 5 * error / len(values) ** 0.5
    assert 0.5 < values.std() / error < 2


def check_results(data: Data, answer: Any) -> None:
    """The interval holds the estimate, and is as wide as DeLong's within a fifth."""
    result = answer["roc_auc"]
    assert result.estimate == naive.exact_auc(data.spec)
    right = fastmetrics.delong(data.labels, data.scores).confidence_interval
    interval = result.confidence_interval
    assert abs((interval.high - interval.low) / (right.high - right.low) - 1) < 0.2


def check_matrix(data: Data, answer: Any) -> None:
    p = answer["accuracy"].estimate
    expected = (p * (1 - p) / len(data.labels)) ** 0.5
    assert abs(answer["accuracy"].standard_error / expected - 1) < 0.05


CHECKS: dict[str, Callable[[Data, Any], None]] = {
    "bootstrap of a matrix": check_matrix,
    **{name: check_replicates for name in WORKS if name.startswith("replicates")},
    **{name: check_results for name in WORKS if name.startswith("bootstrap 1")},
}


def _indices(data: Data) -> Call:
    rng, n = np.random.default_rng(1), len(data.labels)

    def draw() -> None:
        for _ in range(REPLICATES):
            rng.integers(0, n, n, dtype=np.int32)

    return draw


def _sklearn_replicate(data: Data) -> Call:
    rng, n = np.random.default_rng(1), len(data.labels)

    def one() -> float:
        rows = rng.integers(0, n, n, dtype=np.int32)
        return float(sklearn.metrics.roc_auc_score(data.labels[rows], data.scores[rows]))

    return one


def _scipy_bootstrap(data: Data) -> Call:
    def statistic(labels: Any, scores: Any) -> float:
        return fastmetrics.roc_auc_score(labels, scores)

    return lambda: scipy.stats.bootstrap(
        (data.labels, data.scores),
        statistic,
        n_resamples=10,
        paired=True,
        vectorized=False,
        method="percentile",
        rng=np.random.default_rng(1),
    )


def _of_smaller(data: Data) -> Call:
    smaller = Spec(data.spec.kind, rows=max(1_000, len(data.labels) // 100))
    return _replicates()(make(smaller))


YARDSTICKS: dict[str, Callable[[Data], Call]] = {
    "indices": _indices,
    "sklearn replicate": _sklearn_replicate,
    "scipy bootstrap": _scipy_bootstrap,
    "replicates": WORKS["replicates"],
    "replicates of a hundredth": _of_smaller,
    "bootstrap 1,000": WORKS["bootstrap 1,000"],
}
PEERS: dict[str, Callable[[Data], Call]] = {}
NAMES = {
    "indices": "`rng.integers(0, n, n, dtype=int32)`",
    "sklearn replicate": "scikit-learn resampling loop",
    "scipy bootstrap": "`scipy.stats.bootstrap` of `roc_auc_score` (ours)",
    "replicates": "the AUC alone, one thread",
    "replicates of a hundredth": "the same with n / 100",
    "bootstrap 1,000": "percentile",
}

_MILLION = Spec(rows=1_000_000)
_MANY = Spec(rows=100_000)

TARGETS: tuple[Target, ...] = (
    Target(
        "boot_replicate",
        "one bootstrap replicate of the AUC, 10⁶ rows, one thread",
        "replicates",
        "indices",
        0.33,
        spec=_MILLION,
    ),
    Target(
        "boot_replicate_1e5",
        "one replicate of the AUC, 10⁵ rows, one thread",
        "replicates",
        "indices",
        0.33,
        spec=_MANY,
    ),
    Target(
        "boot_vs_sklearn",
        "`bootstrap`, AUC, 10⁶ rows, 1,000 replicates, sort included",
        "bootstrap 1,000",
        "sklearn replicate",
        800,
        at_least=True,
        spec=_MILLION,
        scale=1_000,
    ),
    Target(
        "boot_threads",
        "replicates of the AUC, 10⁶ rows, all cores",
        "replicates, all cores",
        "replicates",
        1.8,
        at_least=True,
        spec=_MILLION,
    ),
    Target(
        "boot_500",
        "`bootstrap`, AUC, 500 rows, 100,000 replicates",
        "bootstrap 100,000",
        bound=0.15,
        unit=SECONDS,
        spec=Spec(rows=500),
    ),
    Target(
        "boot_tied",
        "replicates of the AUC, 10⁷ rows of 1,000 distinct scores",
        "replicates",
        "replicates of a hundredth",
        1.1,
        spec=Spec("three_decimals"),
    ),
    Target(
        "boot_ten",
        "ten threshold metrics in one pass, 10⁶ rows",
        "replicates, ten metrics",
        "replicates",
        4,
        spec=_MILLION,
    ),
    Target(
        "boot_bca",
        "`bootstrap` by BCa, 10⁶ rows, 1,000 replicates",
        "bootstrap 1,000, bca",
        "bootstrap 1,000",
        1.1,
        spec=_MILLION,
    ),
    Target(
        "boot_paired",
        "difference of two models, 10⁶ rows",
        "replicates, paired",
        "replicates",
        3,
        spec=_MILLION,
    ),
    Target(
        "boot_stratified",
        "stratified replicates of the AUC, 10⁶ rows",
        "replicates, stratified",
        "replicates",
        2,
        spec=_MILLION,
    ),
    Target(
        "boot_counts",
        "`bootstrap` of a confusion matrix, five metrics, 10,000 replicates",
        "bootstrap of a matrix",
        bound=0.05,
        unit=SECONDS,
        spec=_MILLION,
    ),
    Target(
        "boot_memory",
        "memory of a replicate of 10⁷ rows, one thread, beyond the sorted rows",
        "bootstrap memory",
        bound=0.2,
        unit=BYTES,
    ),
)

CONTEXT: tuple[Target, ...] = (
    Target(
        "boot_vs_scipy",
        "`bootstrap`, AUC, 10⁵ rows, 1,000 replicates",
        "bootstrap 1,000",
        "scipy bootstrap",
        at_least=True,
        spec=_MANY,
        scale=100,
    ),
    Target(
        "boot_row",
        "one replicate of the AUC, 10⁶ rows, one thread, ns a row",
        "replicates",
        unit=NANOSECONDS,
        spec=_MILLION,
        scale=1e9 / 40 / 1e6,
    ),
)
