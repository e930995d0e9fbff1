"""The targets of labels, class scores and errors; their rows stand in the same table."""

from __future__ import annotations

from benchmarks.data import Spec
from benchmarks.label_contests import SMALL_BATCHES
from benchmarks.target import MICROSECONDS, Target

_MILLION = Spec(rows=1_000_000)

LABELS: tuple[Target, ...] = (
    *(
        Target(
            f"matrix_{k}",
            f"`confusion_matrix`, {k:,} classes, int64 labels",
            f"confusion matrix, {k}",
            f"bincount, {k}",
            bound,
        )
        for k, bound in ((2, 0.5), (10, 0.8), (1_000, 1.0))
    ),
    *(
        Target(
            f"matrix_{k}_vs_sklearn",
            f"`confusion_matrix`, {k:,} classes, int64 labels",
            f"confusion matrix, {k}",
            f"sklearn confusion matrix, {k}",
            bound,
            at_least=True,
        )
        for k, bound in ((2, 60), (10, 60), (1_000, 20))
    ),
    *(
        Target(
            f"matrix_{kind}_vs_sklearn",
            f"`confusion_matrix`, 10⁶ rows of {what}",
            f"confusion matrix of {kind}",
            f"sklearn confusion matrix of {kind}",
            5,
            at_least=True,
            spec=_MILLION,
        )
        for kind, what in (
            ("words", "text (dtype U)"),
            ("objects", "text (Python objects)"),
            ("categorical", "a pandas categorical"),
        )
    ),
    Target(
        "update_large",
        "`ConfusionMatrix.update`, 10 classes, batches of 10⁶",
        "update, large batches",
        "bincount, 10",
        0.8,
    ),
    Target(
        "update_small",
        "`ConfusionMatrix.update`, 10 classes, a batch of 10³, whole call",
        "update, small batches",
        bound=10,
        unit=MICROSECONDS,
        spec=Spec(rows=1_000),
        scale=1e6 / SMALL_BATCHES,
    ),
    Target(
        "report_vs_sklearn",
        "`classification_report`, 10 classes",
        "classification report",
        "sklearn report",
        30,
        at_least=True,
    ),
    Target("log_loss_vs_sklearn", "`log_loss`", "log loss", "sklearn log loss", 5, at_least=True),
    Target(
        "errors_vs_sklearn",
        "`regression_measures`: squared and absolute error",
        "squared and absolute error",
        "sklearn squared and absolute error",
        5,
        at_least=True,
    ),
    Target(
        "top_k_vs_sklearn",
        "`top_k_accuracy_score`, 10⁶ rows, 100 classes",
        "top k",
        "sklearn top k",
        5,
        at_least=True,
        spec=_MILLION,
    ),
)

CONTEXT: tuple[Target, ...] = (
    Target(
        "ten_count_measures",
        "`classification_measures`: ten measures, 10 classes",
        "ten count measures",
        "confusion matrix, 10",
    ),
)
