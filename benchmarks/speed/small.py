"""What a warm call costs when there is little to do: 100 and 1,000 rows, against scikit-learn.

The bounds are ratios, so that they hold on any machine: each is what scikit-learn takes divided by
an aim in microseconds, both of one machine. The microseconds themselves are published for
orientation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.metrics
from numpy.typing import NDArray

import fastmetrics
from benchmarks.speed import labels, naive
from benchmarks.speed.data import Data, Spec
from benchmarks.speed.timing import MICROSECONDS, Target

Call = Callable[[], Any]

#: Each function, its rows, and the speed-up that is wanted; labels are int64, as they mostly come.
FUNCTIONS = {
    "roc_auc_score": (100, 210),
    "f1_score": (1_000, 90),
    "specificity_score": (1_000, 55),
    "accuracy_score": (1_000, 27),
    "mean_squared_error": (1_000, 17),
    "average_precision_score": (1_000, 36),
    "roc_curve": (1_000, 16),
}
_OF_LABELS = ("f1_score", "specificity_score", "accuracy_score")
#: Where scikit-learn has no function of the name: the recall of the other class.
_INSTEAD = {
    "specificity_score": functools.partial(sklearn.metrics.recall_score, pos_label=0),
}


def columns(name: str, data: Data) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what the function is called with."""
    if name in _OF_LABELS:
        return labels.pairs(data.spec.rows, 2)
    if name == "mean_squared_error":
        return labels.regression(data.spec.rows)
    return data.labels, data.scores


def _call(name: str, function: Callable[..., Any]) -> Callable[[Data], Call]:
    return lambda data: functools.partial(function, *columns(name, data))


def right_answer(name: str, data: Data) -> Any:
    """Return the answer by NumPy alone."""
    true, given = columns(name, data)
    if name == "roc_auc_score":
        return naive.exact_auc(data.spec)
    if name == "roc_curve":
        return naive.roc_corners(*naive.table(data))
    if name == "average_precision_score":
        _, positives, negatives = naive.table(data)
        tp, fp = np.cumsum(positives), np.cumsum(negatives)
        return float((positives * (tp / (tp + fp))).sum() / tp[-1])
    if name == "mean_squared_error":
        return float(((true - given) ** 2).mean())
    if name == "accuracy_score":
        return np.count_nonzero(true == given) / len(true)
    if name == "specificity_score":
        return np.count_nonzero((true == 0) & (given == 0)) / np.count_nonzero(true == 0)
    both = np.count_nonzero((true == 1) & (given == 1))
    return 2 * both / (np.count_nonzero(true == 1) + np.count_nonzero(given == 1))


def _check(name: str) -> Callable[[Data, Any], None]:
    def check(data: Data, answer: Any) -> None:
        right = right_answer(name, data)
        if name in ("mean_squared_error", "average_precision_score"):  # sums of floats
            np.testing.assert_allclose(answer, right, rtol=1e-13)
        else:
            answers, rights = (x if isinstance(x, tuple) else (x,) for x in (answer, right))
            for mine, theirs in zip(answers, rights, strict=True):
                np.testing.assert_array_equal(mine, theirs)

    return check


WORKS: dict[str, Callable[[Data], Call]] = {
    f"small {name}": _call(name, getattr(fastmetrics, name)) for name in FUNCTIONS
}
CHECKS = {f"small {name}": _check(name) for name in FUNCTIONS}
YARDSTICKS: dict[str, Callable[[Data], Call]] = {}
PEERS: dict[str, Callable[[Data], Call]] = {
    f"sklearn small {name}": _call(name, _INSTEAD.get(name) or getattr(sklearn.metrics, name))
    for name in FUNCTIONS
}
NAMES = {"sklearn small specificity_score": "scikit-learn's recall of the other class"}


def _rows(name: str) -> tuple[str, Spec]:
    n = FUNCTIONS[name][0]
    what = "labels" if name in _OF_LABELS else "rows"
    return f"`{name}`, {n:,} {what}, warm", Spec(rows=n, labels="int64")


TARGETS: tuple[Target, ...] = (
    Target(
        "auc_1e3_vs_sklearn",
        "`roc_auc_score`, 10³ rows, warm",
        "auc",
        "sklearn auc",
        10,
        at_least=True,
        spec=Spec(rows=1_000),
    ),
    *(
        Target(
            f"small_{name}",
            _rows(name)[0],
            f"small {name}",
            f"sklearn small {name}",
            bound,
            at_least=True,
            spec=_rows(name)[1],
        )
        for name, (_, bound) in FUNCTIONS.items()
    ),
)
CONTEXT: tuple[Target, ...] = (
    Target(
        "auc_1e3_int64_labels",
        "`roc_auc_score`, 10³ rows, int64 labels, warm",
        "auc",
        "sklearn auc",
        at_least=True,
        spec=Spec(rows=1_000, labels="int64"),
    ),
    *(
        Target(
            f"small_{name}_us",
            _rows(name)[0],
            f"small {name}",
            unit=MICROSECONDS,
            spec=_rows(name)[1],
            scale=1e6,
        )
        for name in FUNCTIONS
    ),
)
