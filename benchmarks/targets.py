"""The targets, in one table: what is timed, against what, and the bound.

A ratio is the time of the work over that of its yardstick, both taken in one run; where
`at_least` is set it is the other way round, a speed-up. Rows without a bound are context: they
are published and compared with the last ones, and nothing was promised. All data have 30 %
positives and int8 labels unless the row says otherwise.
"""

from __future__ import annotations

from benchmarks import bootstrap_targets, label_targets
from benchmarks.data import ANY_DATA, DESCRIPTIONS, Spec
from benchmarks.target import (
    BYTES,
    FULL_ROWS,
    MICROSECONDS,
    NANOSECONDS,
    RATIO,
    SECONDS,
    Target,
)

__all__ = [
    "BYTES",
    "BY_KEY",
    "CONTEXT",
    "FULL_ROWS",
    "HEADLINES",
    "MICROSECONDS",
    "NANOSECONDS",
    "RATIO",
    "ROWS",
    "SECONDS",
    "TARGETS",
    "Target",
]


def _any_data() -> tuple[Target, ...]:
    return tuple(
        Target(
            f"auc_{kind}",
            f"`roc_auc_score`, {DESCRIPTIONS[kind]}",
            "auc",
            "sort of continuous",
            0.9,
            spec=Spec(kind),
        )
        for kind in ANY_DATA
    )


_MILLION = Spec(rows=1_000_000)

TARGETS: tuple[Target, ...] = (
    Target("auc", "`roc_auc_score`, continuous scores", "auc", "sort", 0.65),
    *_any_data(),
    Target("auc_vs_sklearn", "`roc_auc_score`", "auc", "sklearn auc", 60, at_least=True),
    Target(
        "auc_float32",
        "`roc_auc_score`, float32",
        "auc",
        "sort",
        1.0,
        spec=Spec(scores="float32"),
    ),
    Target("auc_one_thread", "`roc_auc_score`, one thread", "auc, one thread", "sort", 1.0),
    Target("auc_memory", "its extra memory", "memory", bound=12, unit=BYTES),
    Target(
        "auc_memory_any", "its extra memory, worst of any data", "memory any", "", 12, False, BYTES
    ),
    Target("table", "`ScoreTable.from_scores`", "table", "sort", 1.2),
    Target("roc_curve", "`roc_curve`", "roc_curve", "sort", 2),
    Target("roc_curve_vs_sklearn", "`roc_curve`", "roc_curve", "sklearn roc_curve", 20, True),
    Target("weighted_auc", "weighted AUC", "weighted auc", "argsort", 0.3),
    Target("weighted_auc_vs_sklearn", "weighted AUC", "weighted auc", "sklearn weighted", 25, True),
    Target(
        "auc_rare",
        "`roc_auc_score`, 1 % positive",
        "auc",
        "sort",
        0.45,
        spec=Spec(positive_share=0.01),
    ),
    Target("auc_1e6", "`roc_auc_score`, 10⁶ rows", "auc", "sort", 1.0, spec=_MILLION),
    Target("auc_1e5", "`roc_auc_score`, 10⁵ rows", "auc", "sort", 2, spec=Spec(rows=100_000)),
    Target(
        "auc_1e3_vs_sklearn",
        "`roc_auc_score`, 10³ rows, warm",
        "auc",
        "sklearn auc",
        10,
        at_least=True,
        spec=Spec(rows=1_000),
    ),
    Target("import", "`import fastmetrics`", "import fastmetrics", "import numpy", 1.3),
    Target(
        "fresh_process",
        "fresh process, cache warm: load 10⁶ rows (.npy), AUC, exit",
        "process",
        "process with scikit-learn",
        0.5,
        spec=_MILLION,
    ),
    Target(
        "first_call",
        "first call ever (10⁶ rows), empty cache",
        "first call",
        bound=3,
        unit=SECONDS,
        spec=_MILLION,
    ),
    Target("cli_help", "`fastmetrics --help`", "cli help", bound=0.3, unit=SECONDS),
    *bootstrap_targets.BOOTSTRAP,
    *label_targets.LABELS,
)

CONTEXT: tuple[Target, ...] = (
    Target(
        "auc_int64_labels",
        "`roc_auc_score`, int64 labels",
        "auc",
        "sort",
        spec=Spec(labels="int64"),
    ),
    Target(
        "auc_1e3_int64_labels",
        "`roc_auc_score`, 10³ rows, int64 labels, warm",
        "auc",
        "sklearn auc",
        at_least=True,
        spec=Spec(rows=1_000, labels="int64"),
    ),
    Target(
        "auc_vs_mannwhitneyu",
        "`roc_auc_score`, 10⁶ rows",
        "auc",
        "mannwhitneyu",
        at_least=True,
        spec=_MILLION,
    ),
    Target(
        "auc_vs_all_pairs",
        "`roc_auc_score`, 10⁵ rows",
        "auc",
        "all pairs",
        at_least=True,
        spec=Spec(rows=100_000),
    ),
    Target(
        "import_and_name",
        "`from fastmetrics import roc_auc_score`",
        "import roc_auc_score",
        "import numpy",
    ),
    Target(
        "first_call_ratio",
        "first call ever (10⁶ rows), empty cache",
        "first call",
        "import sklearn.metrics",
        spec=_MILLION,
    ),
    *bootstrap_targets.CONTEXT,
    *label_targets.CONTEXT,
)

#: What the README shows: one row of each kind of work, and each that a user waits for.
HEADLINES: tuple[str, ...] = (
    "auc",
    "auc_vs_sklearn",
    "roc_curve_vs_sklearn",
    "weighted_auc_vs_sklearn",
    "auc_1e3_vs_sklearn",
    "boot_replicate",
    "boot_vs_sklearn",
    "matrix_10_vs_sklearn",
    "matrix_words_vs_sklearn",
    "report_vs_sklearn",
    "log_loss_vs_sklearn",
    "errors_vs_sklearn",
    "top_k_vs_sklearn",
    "import",
    "fresh_process",
)

ROWS = TARGETS + CONTEXT
BY_KEY = {row.key: row for row in ROWS}
