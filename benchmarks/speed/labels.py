"""What is timed of labels, class scores and errors, and its peers.

The pairs of labels are made from a data set's size alone: 70 % of the predictions are right.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import sklearn.metrics
from numpy.typing import NDArray

import fastmetrics
from benchmarks.speed.data import SEED, Data, Spec
from benchmarks.speed.timing import MICROSECONDS, Target

Call = Callable[[], Any]
#: Batches of a stream in one round of the large and of the small sort.
BATCH, SMALL_BATCH, SMALL_BATCHES = 1_000_000, 1_000, 100
WORDS = np.array("ant bee cat dog eel fox gnu hen ibis jay".split())
#: Classes of the score matrix whose top five count.
CLASSES, TOP = 100, 5


class Pairs(NamedTuple):
    """True and predicted labels."""

    true: NDArray[Any]
    predicted: NDArray[Any]


@functools.lru_cache(maxsize=1)
def pairs(rows: int, n_classes: int) -> Pairs:
    """Return int64 labels 0 ... K-1."""
    rng = np.random.default_rng(SEED)
    true = rng.integers(0, n_classes, rows)
    predicted = np.where(rng.random(rows) < 0.7, true, rng.integers(0, n_classes, rows))
    return Pairs(true, predicted)


@functools.lru_cache(maxsize=1)
def words(rows: int, kind: str) -> Pairs:
    """Return text labels: fixed width, objects, or a categorical column."""
    columns = (WORDS[column] for column in pairs(rows, len(WORDS)))
    if kind == "objects":
        columns = (column.astype(object) for column in columns)
    elif kind == "categorical":
        import pandas as pd

        columns = (pd.Categorical(column) for column in columns)
    return Pairs(*columns)


@functools.lru_cache(maxsize=1)
def regression(rows: int) -> Pairs:
    """Return targets and predictions."""
    rng = np.random.default_rng(SEED)
    true = rng.normal(size=rows)
    return Pairs(true, true + 0.5 * rng.normal(size=rows))


@functools.lru_cache(maxsize=1)
def class_scores(rows: int) -> Pairs:
    """Return labels of many classes, and a score for each class."""
    rng = np.random.default_rng(SEED)
    true = rng.integers(0, CLASSES, rows)
    scores = rng.random((rows, CLASSES))
    scores[np.arange(rows), true] += 0.3
    return Pairs(true, scores)


def probabilities(data: Data) -> NDArray[np.float64]:
    """Return a probability for each row of a binary problem."""
    return 1.0 / (1.0 + np.exp(0.5 - data.scores))


def _matrix(module: Any, n_classes: int) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        return functools.partial(module.confusion_matrix, *pairs(data.spec.rows, n_classes))

    return prepare


def _words(module: Any, kind: str) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        return functools.partial(module.confusion_matrix, *words(data.spec.rows, kind))

    return prepare


def _bincount(n_classes: int) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        true, predicted = pairs(data.spec.rows, n_classes)
        codes = true * n_classes + predicted
        return lambda: np.bincount(codes, minlength=n_classes**2)

    return prepare


def _stream(data: Data) -> Call:
    true, predicted = pairs(data.spec.rows, 10)

    def update() -> NDArray[np.int64]:
        matrix = fastmetrics.ConfusionMatrix(labels=range(10))
        for start in range(0, len(true), BATCH):
            here = slice(start, start + BATCH)
            matrix.update(true[here], predicted[here])
        counts: NDArray[np.int64] = matrix.counts
        return counts

    return update


def _small_batches(data: Data) -> Call:
    true, predicted = pairs(SMALL_BATCH, 10)
    matrix = fastmetrics.ConfusionMatrix(labels=range(10))

    def update() -> tuple[int, int]:
        before = int(matrix.n)
        for _ in range(SMALL_BATCHES):
            matrix.update(true, predicted)
        return before, int(matrix.n)

    return update


def _report(module: Any) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        return functools.partial(
            module.classification_report, *pairs(data.spec.rows, 10), output_dict=True
        )

    return prepare


def _ten_metrics(data: Data) -> Call:
    columns = pairs(data.spec.rows, 10)
    names = (
        "accuracy error_rate balanced_accuracy precision_macro recall_macro f1_macro f1_weighted "
        "jaccard_macro matthews_corrcoef cohen_kappa"
    ).split()
    return lambda: fastmetrics.classification_metrics(*columns, metrics=names)


def _log_loss(module: Any) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        return functools.partial(module.log_loss, data.labels, probabilities(data))

    return prepare


def _errors(data: Data) -> Call:
    columns = regression(data.spec.rows)
    names = ("mean_squared_error", "mean_absolute_error")

    def both() -> tuple[float, float]:
        found = fastmetrics.regression_metrics(*columns, metrics=names)
        return found["mean_squared_error"], found["mean_absolute_error"]

    return both


def _their_errors(data: Data) -> Call:
    columns = regression(data.spec.rows)
    return lambda: (
        sklearn.metrics.mean_squared_error(*columns),
        sklearn.metrics.mean_absolute_error(*columns),
    )


def _top_k(module: Any) -> Callable[[Data], Call]:
    def prepare(data: Data) -> Call:
        return functools.partial(module.top_k_accuracy_score, *class_scores(data.spec.rows), k=TOP)

    return prepare


WORKS: dict[str, Callable[[Data], Call]] = {
    **{f"confusion matrix, {k}": _matrix(fastmetrics, k) for k in (2, 10, 1_000)},
    **{
        f"confusion matrix of {kind}": _words(fastmetrics, kind)
        for kind in ("words", "objects", "categorical")
    },
    "update, large batches": _stream,
    "update, small batches": _small_batches,
    "classification report": _report(fastmetrics),
    "ten count metrics": _ten_metrics,
    "log loss": _log_loss(fastmetrics),
    "squared and absolute error": _errors,
    "top k": _top_k(fastmetrics),
}


def _check_matrix(n_classes: int) -> Callable[[Data, Any], None]:
    def check(data: Data, answer: Any) -> None:
        true, predicted = pairs(data.spec.rows, n_classes)
        expected = np.bincount(true * n_classes + predicted, minlength=n_classes**2)
        seen = np.union1d(true, predicted)  # in few rows some classes do not occur
        square = expected.reshape(n_classes, n_classes)[np.ix_(seen, seen)]
        np.testing.assert_array_equal(answer, square)

    return check


def _check_words(data: Data, answer: Any) -> None:
    _check_matrix(len(WORDS))(data, answer)


def _check_small(data: Data, answer: tuple[int, int]) -> None:
    before, after = answer
    assert after - before == SMALL_BATCH * SMALL_BATCHES


def _check_report(data: Data, answer: Any) -> None:
    true, predicted = pairs(data.spec.rows, 10)
    assert answer["accuracy"] == np.count_nonzero(true == predicted) / len(true)
    assert answer["3"]["support"] == np.count_nonzero(true == 3)


def _check_ten(data: Data, answer: Any) -> None:
    true, predicted = pairs(data.spec.rows, 10)
    assert answer["accuracy"] == np.count_nonzero(true == predicted) / len(true)


def _check_log_loss(data: Data, answer: float) -> None:
    p = probabilities(data)
    expected = -np.log(np.where(data.labels == 1, p, 1.0 - p)).mean()
    np.testing.assert_allclose(answer, expected, rtol=1e-12)


def _check_errors(data: Data, answer: tuple[float, float]) -> None:
    true, predicted = regression(data.spec.rows)
    difference = predicted - true
    expected = (difference**2).mean(), np.abs(difference).mean()
    np.testing.assert_allclose(answer, expected, rtol=1e-12)


def _check_top_k(data: Data, answer: float) -> None:
    true, scores = class_scores(data.spec.rows)
    rows = slice(0, 20_000)  # no ties among random scores
    own = scores[rows][np.arange(len(true[rows])), true[rows]]
    right = (scores[rows] > own[:, np.newaxis]).sum(axis=1) < TOP
    assert abs(answer - right.mean()) < 5 / np.sqrt(len(right))


CHECKS: dict[str, Callable[[Data, Any], None]] = {
    **{f"confusion matrix, {k}": _check_matrix(k) for k in (2, 10, 1_000)},
    **{f"confusion matrix of {kind}": _check_words for kind in ("words", "objects", "categorical")},
    "update, large batches": _check_matrix(10),
    "update, small batches": _check_small,
    "classification report": _check_report,
    "ten count metrics": _check_ten,
    "log loss": _check_log_loss,
    "squared and absolute error": _check_errors,
    "top k": _check_top_k,
}

YARDSTICKS: dict[str, Callable[[Data], Call]] = {
    **{f"bincount, {k}": _bincount(k) for k in (2, 10, 1_000)},
    "confusion matrix, 10": _matrix(fastmetrics, 10),
}


PEERS: dict[str, Callable[[Data], Call]] = {
    **{f"sklearn confusion matrix, {k}": _matrix(sklearn.metrics, k) for k in (2, 10, 1_000)},
    **{
        f"sklearn confusion matrix of {kind}": _words(sklearn.metrics, kind)
        for kind in ("words", "objects", "categorical")
    },
    "sklearn report": _report(sklearn.metrics),
    "sklearn log loss": _log_loss(sklearn.metrics),
    "sklearn squared and absolute error": _their_errors,
    "sklearn top k": _top_k(sklearn.metrics),
}

NAMES = {
    **{f"bincount, {k}": "`np.bincount` of combined codes" for k in (2, 10, 1_000)},
    "confusion matrix, 10": "`confusion_matrix` of the same rows",
}

_MILLION = Spec(rows=1_000_000)

TARGETS: tuple[Target, ...] = (
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
        "`regression_metrics`: squared and absolute error",
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
        "ten_count_metrics",
        "`classification_metrics`: ten metrics, 10 classes",
        "ten count metrics",
        "confusion matrix, 10",
    ),
)
