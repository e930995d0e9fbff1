"""The parts of an expected loss: in exact fractions, but for the squared loss of floats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import (
    check_class_labels,
    check_label_values,
    distinct,
    text_or_numbers,
)
from fastmetrics._input.containers import as_array
from fastmetrics._input.scores import canonical_scores, check_finite
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError

Counts = NDArray[np.int64]

_BLOCK_OF_LABELS: Final = 1 << 20
"""Labels in a block: with its temporaries it stays in cache."""

_BLOCK: Final = 1 << 18
"""Numbers in a block of the squared loss."""

_MILD: Final = 300
"""Numbers below two to this have squares, and sums of them, well inside the range of doubles."""

_WIDE: Final = 2**62
_NARROW: Final = 2**31
"""What sums of squares in 64 and in 32 bits stay below."""

_FEW: Final = 32
"""So many classes are counted by comparison with each; more by a table of codes."""

_BYTE: Final = 255
"""Rows whose matches fit a byte, in which NumPy adds them fastest."""


class LabelVotes(NamedTuple):
    """Predictions (models, n) and true labels (replicates, n), and the sorted classes of both.

    Texts are codes of their classes in both matrices; ``classes`` then are the codes.
    """

    predicted: NDArray[Any]
    true: NDArray[Any]
    classes: list[int]

    def blocks(self) -> Iterator[slice]:
        """Yield slices of examples, which depend on the shapes alone."""
        most = max(len(self.predicted), len(self.true), len(self.classes))
        width = max(1, _BLOCK_OF_LABELS // most)
        n = self.predicted.shape[1]
        return (slice(start, min(start + width, n)) for start in range(0, n, width))

    def tables(self, block: slice) -> tuple[Counts, Counts]:
        """Return two tables (classes, examples): votes of the models, and of the labels."""
        return (
            _counts(self.predicted[:, block], self.classes),
            _counts(self.true[:, block], self.classes),
        )


def check_label_votes(y_true: Any, predictions: Any) -> LabelVotes:
    """Return labels and predictions, checked: both whole numbers or both text, of one length."""
    true = _labels(y_true, "y_true", (1, 2))
    predicted = _labels(predictions, "predictions", (2,))
    check_same_examples(true, predicted)
    texts = [matrix.dtype.kind in "UO" for matrix in (true, predicted)]
    if texts[0] != texts[1]:
        kinds = ("text", "numbers") if texts[0] else ("numbers", "text")
        raise InputTypeError(f"`y_true` holds {kinds[0]} and `predictions` {kinds[1]}")
    if texts[0]:
        true, predicted = _as_codes(true, predicted)
    found = set(_distinct(true)) | set(_distinct(predicted))
    return LabelVotes(predicted, true, sorted(found))


def check_same_examples(true: NDArray[Any], predicted: NDArray[Any]) -> None:
    """Raise unless both matrices have as many columns."""
    if true.shape[1] != predicted.shape[1]:
        raise InputError(
            f"lengths differ: `y_true` has {true.shape[1]:,} examples, `predictions` has "
            f"{predicted.shape[1]:,} columns"
        )


def as_rows(values: Any, name: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    """Return a matrix that is not empty; a vector, where it is allowed, as its one row."""
    array = as_array(values, name)
    if array.ndim not in dimensions:
        shapes = " or ".join({1: "(n,)", 2: "(rows, n)"}[d] for d in dimensions)
        raise InputError(f"`{name}` must have shape {shapes}: got {array.shape}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}")
    return array[np.newaxis] if array.ndim == 1 else array


def _labels(values: Any, name: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    matrix = text_or_numbers(as_rows(values, name, dimensions), name)
    if matrix.dtype.kind == "f":
        for i, row in enumerate(matrix):
            check_label_values(row, name if len(matrix) == 1 else f"{name}[{i}]")
    if matrix.dtype.kind == "b":
        return matrix.astype(np.uint8)
    return matrix


def _as_codes(true: NDArray[Any], predicted: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    columns = [
        check_class_labels(matrix.ravel(), name)
        for matrix, name in ((true, "y_true"), (predicted, "predictions"))
    ]
    texts = sorted({text for column in columns for text in column.classes.tolist()})
    number = {text: code for code, text in enumerate(texts)}
    both = []
    for column, matrix in zip(columns, (true, predicted), strict=True):
        codes = np.array([number[text] for text in column.classes.tolist()], np.int64)
        both.append(codes[column.codes].reshape(matrix.shape))
    return both[0], both[1]


def _distinct(matrix: NDArray[Any]) -> list[int]:
    """Return the distinct labels as integers, which Python compares exactly in every dtype."""
    found: set[int] = set()
    for row in matrix:
        found.update(map(int, distinct(row).tolist()))
    return list(found)


def _counts(block: NDArray[Any], classes: list[int]) -> Counts:
    n_rows, n_examples = block.shape
    if len(classes) > _FEW:
        places = np.searchsorted(np.array(classes), block)
        places = places * n_examples + np.arange(n_examples)
        length = len(classes) * n_examples
        return np.bincount(places.ravel(), minlength=length).reshape(len(classes), n_examples)
    counts = np.empty((len(classes), n_examples), np.int64)
    left = np.full(n_examples, n_rows, np.int64)
    for code, label in enumerate(classes[:-1]):
        counts[code] = _matches(block, label)
        left -= counts[code]
    counts[-1] = left  # every label is one of the classes
    return counts


def _matches(block: NDArray[Any], label: int) -> Counts:
    total = np.zeros(block.shape[1], np.int64)
    if block.dtype.kind == "f" and int(block.dtype.type(label)) != label:
        return total  # no float of this size is that integer
    hits = (block == label).view(np.uint8)
    for start in range(0, len(hits), _BYTE):
        total += np.add.reduce(hits[start : start + _BYTE], axis=0, dtype=np.uint8)
    return total


class Parts(NamedTuple):
    """What the loss is made of, ``bias + variance + noise``, and more numbers by name."""

    loss: float
    bias: float
    variance: float
    noise: float
    shape: tuple[int, int, int]
    """Models, replicates of the labels, examples."""
    details: dict[str, float]


class _Votes(NamedTuple):
    """Sums over the examples of one block, or of all, of what the votes c and labels d give."""

    agreement: int  # sum c_v d_v
    squares_predicted: int  # sum c_v^2
    squares_true: int  # sum d_v^2
    biased: int  # examples whose main prediction is not the optimal one
    unbiased_variance: int  # votes against the main prediction where it is optimal
    biased_variance: int  # and where it is not
    biased_gain: int  # votes for the optimal prediction where the main one is not
    optimal_votes: int  # votes for the optimal prediction everywhere
    noise: int  # labels other than the optimal prediction


def zero_one_votes(y_true: Any, predictions: Any) -> tuple[_Votes, tuple[int, int, int]]:
    """Return the sums from which both decompositions of the 0-1 loss follow, and the shape."""
    votes = check_label_votes(y_true, predictions)
    jobs = [partial(_block_votes, votes, block) for block in votes.blocks()]
    total = _Votes(*map(sum, zip(*run(jobs), strict=True)))
    return total, (len(votes.predicted), *votes.true.shape)


def _block_votes(votes: LabelVotes, block: slice) -> _Votes:
    models, labels = votes.tables(block)
    main, optimal = models.argmax(0), labels.argmax(0)  # the first of equals: the smallest
    biased = main != optimal
    for_optimal = np.take_along_axis(models, optimal[np.newaxis], 0)[0]
    against = len(votes.predicted) - models.max(0)
    sums = (
        np.vdot(models, labels),
        np.vdot(models, models),
        np.vdot(labels, labels),
        np.count_nonzero(biased),
        against[~biased].sum(),
        against[biased].sum(),
        for_optimal[biased].sum(),
        for_optimal.sum(),
        (len(votes.true) - labels.max(0)).sum(),
    )
    return _Votes(*map(int, sums))


def domingos(votes: _Votes, shape: tuple[int, int, int]) -> Parts:
    """Return Domingos's parts: bias, net variance, and what noise adds.

    With p the shares of the votes and q those of the labels, an example of optimal prediction o
    has the loss 1 - sum p q = [main != o] + (P(y != o) - [main != o]) + (p_o - sum p q).
    """
    models, replicates, n = shape
    cells = models * n
    bias = Fraction(votes.biased, n)
    variance = Fraction(votes.unbiased_variance - votes.biased_gain, cells)
    noise = Fraction(replicates * votes.optimal_votes - votes.agreement, cells * replicates)
    details = {
        "unbiased_variance": Fraction(votes.unbiased_variance, cells),
        "biased_variance": Fraction(votes.biased_variance, cells),
        "noise_rate": Fraction(votes.noise, n * replicates),
    }
    loss = 1 - Fraction(votes.agreement, cells * replicates)
    return _from_fractions(loss, (bias, variance, noise), shape, details)


def kohavi_wolpert(votes: _Votes, shape: tuple[int, int, int]) -> Parts:
    """Return Kohavi and Wolpert's parts, of the sums of p^2, p q and q^2."""
    models, replicates, n = shape
    p_squared = Fraction(votes.squares_predicted, models**2 * n)
    q_squared = Fraction(votes.squares_true, replicates**2 * n)
    product = Fraction(votes.agreement, models * replicates * n)
    bias = (p_squared + q_squared) / 2 - product
    return _from_fractions(1 - product, (bias, (1 - p_squared) / 2, (1 - q_squared) / 2), shape)


def _from_fractions(
    loss: Fraction,
    parts: Iterable[Fraction],
    shape: tuple[int, int, int],
    details: Mapping[str, Fraction] = MappingProxyType({}),
) -> Parts:
    bias, variance, noise = map(float, parts)
    rounded = {name: float(value) for name, value in details.items()}
    return Parts(float(loss), bias, variance, noise, shape, rounded)


def squared(y_true: Any, predictions: Any) -> Parts:
    """Return bias^2, variance and noise of the squared loss, population variances all."""
    true = _numbers(y_true, "y_true", (1, 2))
    predicted = _numbers(predictions, "predictions", (2,))
    check_same_examples(true, predicted)
    shape = len(predicted), *true.shape
    width = max(1, _BLOCK // max(shape[:2]))
    blocks = [
        (true[:, start : start + width], predicted[:, start : start + width])
        for start in range(0, shape[2], width)
    ]
    if true.dtype.kind != "f" and predicted.dtype.kind != "f":
        largest = max(_largest(true), _largest(predicted))
        if max(shape[:2]) * largest**2 * _BLOCK < _WIDE:
            dtype = np.int32 if max(shape[:2]) * largest**2 < _NARROW else np.int64
            jobs = [partial(_block_integers, *block, dtype) for block in blocks]
            return _of_integers(_Sums(*map(sum, zip(*run(jobs), strict=True))), shape)
    exponent = max(_exponent(true), _exponent(predicted))
    exponent = exponent if abs(exponent) > _MILD else 0
    float_jobs = [partial(_block_squares, *block, exponent) for block in blocks]
    sums = [math.fsum(part) for part in zip(*run(float_jobs), strict=True)]
    bias, variance, noise = (_scaled(part / shape[2], 2 * exponent) for part in sums)
    # The identity is algebra: the mean over models, replicates and examples is this very sum.
    return Parts(bias + variance + noise, bias, variance, noise, shape, {})


class _Sums(NamedTuple):
    """Sums over the examples of what the sums p of predictions and t of labels give."""

    squares_predicted: int  # of every prediction
    squares_true: int
    p_squared: int
    t_squared: int
    product: int  # sum p t


def _block_integers(true: NDArray[Any], predicted: NDArray[Any], dtype: Any) -> _Sums:
    """Return the sums over some examples, in integers that were found to be wide enough."""
    p, squares_predicted = _column_sums(predicted, dtype)
    t, squares_true = _column_sums(true, dtype)
    return _Sums(
        squares_predicted, squares_true, int(np.vdot(p, p)), int(np.vdot(t, t)), int(np.vdot(p, t))
    )


def _column_sums(matrix: NDArray[Any], dtype: Any) -> tuple[NDArray[np.int64], int]:
    """Return the sum of each column, and the sum of all squares."""
    values = matrix.astype(dtype)
    sums = np.add.reduce(values, axis=0, dtype=dtype).astype(np.int64)
    squares = np.add.reduce(np.square(values, out=values), axis=0, dtype=dtype)
    return sums, int(squares.sum(dtype=np.int64))


def _of_integers(sums: _Sums, shape: tuple[int, int, int]) -> Parts:
    models, replicates, n = shape
    p_squared = Fraction(sums.p_squared, models**2)
    t_squared = Fraction(sums.t_squared, replicates**2)
    bias = p_squared + t_squared - Fraction(2 * sums.product, models * replicates)
    variance = Fraction(sums.squares_predicted, models) - p_squared
    noise = Fraction(sums.squares_true, replicates) - t_squared
    parts = (each / n for each in (bias, variance, noise))
    return _from_fractions((bias + variance + noise) / n, parts, shape)


def _block_squares(
    true: NDArray[Any], predicted: NDArray[Any], exponent: int
) -> tuple[float, float, float]:
    """Return the sums of bias^2, variance and noise over some examples, times 4^-exponent."""
    origin = _scaled_down(true[:1], exponent)
    # Measured from one label of each example: what is rounded is differences, not values.
    middle, variance = _moments(_scaled_down(predicted, exponent) - origin)
    target, noise = _moments(_scaled_down(true, exponent) - origin)
    return float(((target - middle) ** 2).sum()), float(variance.sum()), float(noise.sum())


def _scaled_down(matrix: NDArray[Any], exponent: int) -> NDArray[np.float64]:
    values = matrix.astype(np.float64)
    return np.ldexp(values, -exponent) if exponent else values


def _moments(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and population variance of each column; the matrix is used up."""
    first = values[0].copy()
    values -= first  # equal numbers leave zeros, whatever their mean is rounded to
    mean = values.mean(0)
    values -= mean
    deviation = values.mean(0)  # what rounding left of it
    variance = np.square(values, out=values).mean(0) - deviation**2
    return first + (mean + deviation), np.maximum(variance, 0.0)


def _numbers(values: Any, name: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    matrix = as_rows(values, name, dimensions)
    if matrix.dtype.kind not in "biu":  # these are read a block at a time, in place
        matrix = canonical_scores(matrix, name)
        check_finite(matrix, name)
    return matrix


def _largest(matrix: NDArray[Any]) -> Any:
    """Return the largest magnitude, as a Python number."""
    low, high = matrix.min().item(), matrix.max().item()
    return max(-low, high)


def _exponent(matrix: NDArray[Any]) -> int:
    """Return the power of two just above the largest number; 0 of integers, which are mild."""
    return math.frexp(_largest(matrix))[1] if matrix.dtype.kind == "f" else 0


def _scaled(value: float, exponent: int) -> float:
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.inf
