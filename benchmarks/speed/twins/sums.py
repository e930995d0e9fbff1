"""Naive twins of the kernels that go through rows once and add up: cells, errors, losses, hits.

Pairs of calls as in ``curves.py``: the same counts and sums by NumPy, a pass for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.data import SEED, Data
from benchmarks.speed.twins.curves import Pair
from fastmetrics._kernels import cells, errors, losses

Floats = NDArray[np.float64]
CLASSES = 10
EPS, TOP = 2.0**-52, 3

# --- cells: the predicted class is that of the score -----------------------------------------


def _two(data: Data) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    true = np.ascontiguousarray(data.labels == 1).view(np.int8)
    return true, (data.scores >= np.median(data.scores)).view(np.int8)


def _ten(data: Data) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ten classes by the size of the score, and the same ones where the label is wrong."""
    edges = np.quantile(data.scores, np.linspace(0, 1, CLASSES + 1)[1:-1])
    true = np.searchsorted(edges, data.scores)
    return true, (true + (data.labels != 1)) % CLASSES


def count_two(data: Data) -> Pair:
    true, predicted = _two(data)

    def ours() -> tuple[Any, ...]:
        sums = np.empty(3, np.int64)
        return cells.count_two(true, predicted, 0, sums), sums

    def twin() -> tuple[Any, ...]:
        both = true & predicted
        sums = [np.count_nonzero(each) for each in (true, predicted, both)]
        return int(sum(sums) > 0), np.array(sums)

    return ours, twin


def count_cells(data: Data) -> Pair:
    true, predicted = _ten(data)

    def ours() -> tuple[Any, ...]:
        table = np.zeros(4 * CLASSES**2, np.int32)
        rows = cells.count_cells(true, predicted, 0, CLASSES, 4, table)
        return rows, table.reshape(-1, 4).sum(axis=1)

    def twin() -> tuple[Any, ...]:
        return len(true), np.bincount(true * CLASSES + predicted, minlength=CLASSES**2)

    return ours, twin


def count_margins(data: Data) -> Pair:
    true, predicted = _ten(data)

    def ours() -> tuple[Any, ...]:
        sums = np.zeros((3, CLASSES), np.int64)
        return cells.count_margins(true, predicted, 0, CLASSES, *sums), *sums

    def twin() -> tuple[Any, ...]:
        columns = true[true == predicted], true, predicted
        return len(true), *(np.bincount(each, minlength=CLASSES) for each in columns)

    return ours, twin


def text_codes(data: Data) -> Pair:
    texts = np.array([f"class {k}" for k in range(CLASSES)])[_ten(data)[0]]
    words = texts.view(np.uint32).reshape(len(texts), -1)

    def ours() -> tuple[Any, ...]:
        slots, firsts = np.full(64, -1, np.int32), np.empty(16, np.int64)
        codes = np.empty(len(texts), np.int32)
        found = cells.text_codes(words, slots, firsts, codes)
        return found, texts[firsts[:found]], codes

    def twin() -> tuple[Any, ...]:
        distinct, first, inverse = np.unique(texts, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return len(distinct), distinct[order], np.argsort(order)[inverse]

    return ours, twin


# --- errors: the scores are the predictions, and the targets near them -----------------------

EVERYTHING = errors.ASK_RELATIVE | errors.ASK_LARGEST | errors.ASK_TARGET | errors.ASK_ERROR
SUMS = (errors.WEIGHT, errors.UNDER, errors.OVER, errors.SQUARED, errors.RELATIVE)
CENTRED = (errors.TARGET_MEAN, errors.ERROR_MEAN, errors.TARGET_SQUARES, errors.ERROR_SQUARES)


def _targets(data: Data) -> NDArray[Any]:
    noise = np.random.default_rng(SEED).normal(size=len(data.scores))
    return (data.scores + noise).astype(data.scores.dtype)


def _read(sums: Floats) -> tuple[Any, ...]:
    """Return what an output's sums say, with the rests of sums and means added."""
    columns = [sums[column] + sums[column + 1] for column in SUMS + CENTRED]
    return (*columns, sums[errors.ROWS], sums[errors.LARGEST])


def _by_numpy(y: NDArray[Any], p: NDArray[Any], w: Floats) -> tuple[Any, ...]:
    y = y.astype(np.float64)
    e = y - p
    relative = np.abs(e) / np.maximum(np.abs(y), errors.EPSILON)
    sums = (w.sum(), w @ np.maximum(e, 0), w @ np.maximum(-e, 0), w @ e**2, w @ relative)
    means = [np.average(values, weights=w) for values in (y, e)]
    squares = [w @ (values - mean) ** 2 for values, mean in zip((y, e), means, strict=True)]
    return (*sums, *means, *squares, len(y), np.abs(e).max())


def error_sums(data: Data) -> Pair:
    """Cover every kernel that a row passes through; weighted, all that can be asked for."""
    y, w = _targets(data), data.weights

    def ours() -> tuple[Any, ...]:
        sums = np.zeros((1, errors.N_SUMS))
        errors.error_sums(y, data.scores, 1, w, EVERYTHING, sums)
        return _read(sums[0])

    return ours, lambda: _by_numpy(y, data.scores, w)


def merge_error_sums(data: Data) -> Pair:
    """Join the sums of many short pieces."""
    y, w, size = _targets(data), data.weights, max(1, len(data.scores) // 50)
    pieces = []
    for first in range(0, len(y), size):
        rows = slice(first, first + size)
        pieces.append(np.zeros((1, errors.N_SUMS)))
        errors.error_sums(y[rows], data.scores[rows], 1, w[rows], EVERYTHING, pieces[-1])

    def ours() -> tuple[Any, ...]:
        total = np.zeros((1, errors.N_SUMS))
        for piece in pieces:
            errors.merge_error_sums(total, piece)
        return _read(total[0])

    return ours, lambda: _by_numpy(y, data.scores, w)


# --- losses and hits -------------------------------------------------------------------------


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
        cells.top_k_hits(codes, 0, p, none, TOP, cells.LAST, sums, counts, rows)
        return math.fsum(sums), counts, rows

    def by_numpy() -> tuple[Any, ...]:
        best = np.argsort(p, axis=1, kind="stable")[:, ::-1][:, :TOP]
        hits = (best == codes[:, None]).any(axis=1).sum()
        return float(hits), np.array([len(codes), 0]), np.bincount(codes, minlength=CLASSES)

    return ours, by_numpy


_OF_ALL = ("losses:add", "losses:count_faults", "losses:lane_sum", "losses:weigh")
_OF_BINARY = tuple(
    f"losses:{name}" for name in ("binary_losses", "count_labels", "weights_of_class")
)
_OF_LOGS = tuple(
    f"losses:{name}"
    for name in ("label_probabilities", "log_of_product", "take_logs", "restore_complements")
)


#: The kernels covered by each pair of calls, and whether the twin visits every pair of rows.
def _chances(data: Data) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Return descending probabilities, and which rows are of either class."""
    order = np.argsort(data.scores)[::-1]
    ranks = np.searchsorted(np.sort(data.scores), data.scores[order])
    positives = (data.labels[order] == 1).astype(np.int64)
    return (ranks + 0.5) / len(order), positives, 1 - positives


def calibration_terms(data: Data) -> Pair:
    p, *both = _chances(data)
    q, x, terms = 1.0 - p, np.empty(len(p)), np.empty((5, len(p)))

    def ours() -> tuple[Any, ...]:
        losses.terms_of_rows(p, np.log(p), np.log(q), *both, *both, x, terms)
        return x, *terms.sum(axis=1)

    def twin() -> tuple[Any, ...]:
        y = both[0]
        return (
            np.log(p) - np.log1p(-p),
            ((y - p) ** 2).sum(),
            -np.where(y == 1, np.log(p), np.log1p(-p)).sum(),
            p.sum(),
            ((y - p) * (1 - 2 * p)).sum(),
            ((1 - 2 * p) ** 2 * p * q).sum(),
        )

    return ours, twin


def moments_of_runs(data: Data) -> Pair:
    p, *both = _chances(data)
    x, width = np.log(p) - np.log1p(-p), 0.25
    starts, moments = np.empty(len(x)), np.empty((len(x), losses.MOMENTS))

    def ours() -> tuple[Any, ...]:
        count = losses.moments_of_runs(x, *both, width, starts, moments)
        return starts[:count], moments[:count]

    def twin() -> tuple[Any, ...]:
        firsts = [0]
        while (after := int(np.searchsorted(-x, width - x[firsts[-1]], side="right"))) < len(x):
            firsts.append(max(after, firsts[-1] + 1))
        distances = x - np.repeat(x[firsts], np.diff(firsts, append=len(x)))
        columns = [np.add.reduceat(distances**k, firsts) / math.factorial(k) for k in range(6)]
        columns += [np.add.reduceat(both[0] * distances**k, firsts) for k in range(2)]
        return x[firsts], np.column_stack(columns)

    return ours, twin


TWINS: dict[Callable[[Data], Pair], tuple[tuple[str, ...], bool]] = {
    count_two: (("cells:count_two",), False),
    count_cells: (("cells:count_cells",), False),
    count_margins: (("cells:count_margins",), False),
    calibration_terms: (("losses:terms_of_rows",), False),
    moments_of_runs: (("losses:moments_of_runs",), False),
    text_codes: (("cells:text_codes",), False),
    error_sums: (
        tuple(
            f"errors:{name}"
            for name in ("error_sums", "fold_lanes", "largest_weighed", "center_block")
        ),
        False,
    ),
    merge_error_sums: (
        tuple(f"errors:{name}" for name in ("merge_error_sums", "add_row", "two_sum")),
        False,
    ),
    log_losses: ((*_OF_ALL, *_OF_BINARY, *_OF_LOGS), False),
    weighted_log_losses: ((*_OF_ALL, *_OF_BINARY, *_OF_LOGS), False),
    squared_errors: ((*_OF_ALL, *_OF_BINARY, "losses:square_terms"), False),
    hinge_losses: ((*_OF_ALL, *_OF_BINARY, "losses:hinge_terms"), False),
    class_log_losses: ((*_OF_ALL, "losses:class_losses", "losses:row_total"), False),
    class_squared_errors: ((*_OF_ALL, "losses:class_losses", "losses:row_square"), False),
    class_hinge_losses: ((*_OF_ALL, "losses:class_losses", "losses:row_hinge"), False),
    top_k_hits: (("cells:top_k_hits",), False),
}
