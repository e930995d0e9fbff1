"""Naive twins of the kernels that add up losses and top-k hits: the same values by NumPy.

Pairs of calls as in ``table_twins.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Data
from benchmarks.table_twins import Pair
from fastmetrics._kernels import losses, top_k

Floats = NDArray[np.float64]
EPS = 2.0**-52
CLASSES, K = 10, 3


def _probabilities(data: Data) -> Floats:
    p: Floats = 1 / (1 + np.exp(-data.scores.astype(np.float64)))
    return p


def _columns(data: Data) -> tuple[NDArray[np.int64], Floats]:
    """Return class codes and a column of scores for each class."""
    codes = (np.arange(len(data.labels)) + data.labels) % CLASSES
    shares = np.abs(data.scores.astype(np.float64))[:, None] + np.arange(1.0, CLASSES + 1)
    shares[np.arange(len(codes)), codes] += 3.0
    return codes.astype(np.int64), shares / shares.sum(axis=1, keepdims=True)


def _binary(data: Data, kind: int, weights: Floats, twin: Callable[..., Floats]) -> Pair:
    y, p = data.labels, _probabilities(data)
    sums, counts = np.empty((3, 2)), np.empty(3, np.int64)
    weight = weights if weights.size else 1.0

    def ours() -> tuple[Any, ...]:
        losses.binary_losses(kind, y, p, weights, 0, 1, EPS, sums, counts)
        return math.fsum(sums[0]), counts

    def by_numpy() -> tuple[Any, ...]:
        found = [np.count_nonzero(y == 1), len(y), np.count_nonzero((p < 0) | (p > 1))]
        return (twin(y, p) * weight).sum(), np.array(found)

    return ours, by_numpy


def _logs(y: NDArray[Any], p: Floats) -> Floats:
    p = np.clip(p, EPS, 1 - EPS)
    return -np.where(y == 1, np.log(p), np.log1p(-p))


def log_losses(data: Data) -> Pair:
    return _binary(data, losses.LOG, np.empty(0), _logs)


def weighted_log_losses(data: Data) -> Pair:
    return _binary(data, losses.LOG, data.weights, _logs)


def squared_errors(data: Data) -> Pair:
    return _binary(data, losses.SQUARE, np.empty(0), lambda y, p: (p - y) ** 2)


def hinge_losses(data: Data) -> Pair:
    twin: Callable[..., Floats] = lambda y, p: np.maximum(0, 1 - np.where(y == 1, p, -p))  # noqa: E731
    return _binary(data, losses.HINGE, np.empty(0), twin)


def _classes(data: Data, kind: int, twin: Callable[..., Floats]) -> Pair:
    codes, p = _columns(data)
    sums, counts = np.empty(2), np.empty(3, np.int64)
    rows, weight = np.empty(CLASSES, np.int64), np.empty((CLASSES, 2))
    w = data.weights

    def ours() -> tuple[Any, ...]:
        losses.class_losses(
            *(kind, codes, 0, p, w, EPS, 1e-8, sums, counts, rows, weight),
        )
        return math.fsum(sums), rows, weight.sum(axis=1)

    def by_numpy() -> tuple[Any, ...]:
        off = np.abs(p.sum(axis=1) - 1) > 1e-8
        assert not off.any()
        of_class = np.bincount(codes, w, CLASSES)
        return (twin(codes, p) * w).sum(), np.bincount(codes, minlength=CLASSES), of_class

    return ours, by_numpy


def _own(codes: NDArray[np.int64], p: Floats) -> Floats:
    own: Floats = np.take_along_axis(p, codes[:, None], axis=1)[:, 0]
    return own


def class_log_losses(data: Data) -> Pair:
    return _classes(data, losses.LOG, lambda codes, p: -np.log(_own(codes, p)))


def class_squared_errors(data: Data) -> Pair:
    def twin(codes: NDArray[np.int64], p: Floats) -> Floats:
        total: Floats = ((p - np.eye(CLASSES)[codes]) ** 2).sum(axis=1)
        return total

    return _classes(data, losses.SQUARE, twin)


def class_hinge_losses(data: Data) -> Pair:
    def twin(codes: NDArray[np.int64], p: Floats) -> Floats:
        others = p.copy()
        np.put_along_axis(others, codes[:, None], -np.inf, axis=1)
        return np.maximum(0, 1 - (_own(codes, p) - others.max(axis=1)))

    return _classes(data, losses.HINGE, twin)


def top_k_hits(data: Data) -> Pair:
    codes, p = _columns(data)
    sums, counts, rows = np.empty(2), np.empty(2, np.int64), np.empty(CLASSES, np.int64)

    def ours() -> tuple[Any, ...]:
        none = np.empty(0)
        top_k.top_k_hits(codes, 0, p, none, K, top_k.LAST, sums, counts, rows)
        return math.fsum(sums), counts, rows

    def by_numpy() -> tuple[Any, ...]:
        best = np.argsort(p, axis=1, kind="stable")[:, ::-1][:, :K]
        hits = (best == codes[:, None]).any(axis=1).sum()
        return float(hits), np.array([len(codes), 0]), np.bincount(codes, minlength=CLASSES)

    return ours, by_numpy


_OF_ALL = ("losses:add", "losses:count_faults", "losses:lane_sum", "losses:weigh")
_OF_BINARY = tuple(
    f"losses:{name}" for name in ("binary_losses", "count_labels", "weights_of_class")
)
_OF_LOGS = tuple(
    f"losses:{name}"
    for name in ("shares_of_labels", "log_of_product", "take_logs", "restore_complements")
)
#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
LOSS_TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    log_losses: ((*_OF_ALL, *_OF_BINARY, *_OF_LOGS), False),
    weighted_log_losses: ((*_OF_ALL, *_OF_BINARY, *_OF_LOGS), False),
    squared_errors: ((*_OF_ALL, *_OF_BINARY, "losses:square_terms"), False),
    hinge_losses: ((*_OF_ALL, *_OF_BINARY, "losses:hinge_terms"), False),
    class_log_losses: ((*_OF_ALL, "losses:class_losses", "losses:row_total"), False),
    class_squared_errors: ((*_OF_ALL, "losses:class_losses", "losses:row_square"), False),
    class_hinge_losses: ((*_OF_ALL, "losses:class_losses", "losses:row_hinge"), False),
    top_k_hits: (("top_k:top_k_hits",), False),
}
