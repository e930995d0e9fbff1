"""Bias, variance and noise of a learner: from its predictions, and from an estimator refitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.classes import (
    check_label_values,
    distinct,
    text_or_numbers,
)
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_choice, check_integer, seed_key
from fastmetrics._input.scores import canonical_scores, check_finite
from fastmetrics._plots.curves import draw_bias_variance_curve
from fastmetrics._results import Result
from fastmetrics._threads.workers import run
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.selection.fitting import (
    FITTING,
    FitTask,
    Setting,
    check_parameters,
    check_task,
    fit_clone,
    with_setting,
)
from fastmetrics.selection.folds import row_count
from fastmetrics.selection.point632 import encode_alike, hold_text

Counts = NDArray[np.int64]

#: Labels and numbers in a block: with temporaries they stay in cache.
_BLOCK_OF_LABELS: Final = 1 << 20
_BLOCK: Final = 1 << 18
#: Numbers below two to this have squares, and sums of them, well inside the range of doubles.
_MILD: Final = 300
#: What sums of squares in 64 and in 32 bits stay below.
_WIDE: Final = 2**62
_NARROW: Final = 2**31
#: Up to this many classes are counted by comparison with each; more by a table of codes.
_FEW: Final = 32

_BYTE: Final = 255
"""Rows whose matches fit a byte, in which NumPy adds them fastest."""


def _label_matrices(y_true: Any, predictions: Any) -> tuple[NDArray[Any], NDArray[Any], list[int]]:
    """Return predictions (models, n), labels (replicates, n), and the sorted classes of both.

    Texts become codes of their classes in both matrices; the classes then are the codes.
    """
    true = _labels(y_true, "y_true", (1, 2))
    predicted = _labels(predictions, "predictions", (2,))
    _check_same_examples(true, predicted)
    both = {"y_true": true, "predictions": predicted}
    if hold_text(both):
        true, predicted = encode_alike(both)
    # Python compares integers exactly in every dtype.
    classes = {int(label) for row in (*true, *predicted) for label in distinct(row).tolist()}
    return predicted, true, sorted(classes)


def _check_same_examples(true: NDArray[Any], predicted: NDArray[Any]) -> None:
    """Raise unless both matrices have as many columns."""
    n, columns = (matrix.shape[1] for matrix in (true, predicted))
    if n != columns:
        message = f"`y_true` has {n:,} examples, `predictions` has {columns:,} columns"
        raise InputError(f"lengths differ: {message}")


def _matrix(values: Any, name: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    """Return a matrix that is not empty; a vector, where it is allowed, as its one row."""
    array = as_array(values, name)
    if array.ndim not in dimensions:
        shapes = " or ".join({1: "(n,)", 2: "(rows, n)"}[d] for d in dimensions)
        raise InputError(f"`{name}` must have shape {shapes}: got {array.shape}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}")
    return array[np.newaxis] if array.ndim == 1 else array


def _labels(values: Any, name: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    matrix = text_or_numbers(_matrix(values, name, dimensions), name)
    if matrix.dtype.kind == "f":
        for i, row in enumerate(matrix):
            check_label_values(row, name if len(matrix) == 1 else f"{name}[{i}]")
    if matrix.dtype.kind == "b":
        return matrix.astype(np.uint8)
    return matrix


def _counts(block: NDArray[Any], classes: list[int]) -> Counts:
    n_rows, n_examples = block.shape
    if len(classes) > _FEW:
        indices = np.searchsorted(np.array(classes), block)
        indices = indices * n_examples + np.arange(n_examples)
        length = len(classes) * n_examples
        return np.bincount(indices.ravel(), minlength=length).reshape(len(classes), n_examples)
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


def _sums_of_blocks(
    function: Callable[..., tuple[Any, ...]],
    predicted: NDArray[Any],
    true: NDArray[Any],
    width: int,
    *more: Any,
) -> list[list[Any]]:
    """Return the sums of a function over blocks of examples, one list for each sum."""
    jobs = [
        partial(
            function, predicted[:, start : start + width], true[:, start : start + width], *more
        )
        for start in range(0, predicted.shape[1], width)
    ]
    return [list(each) for each in zip(*run(jobs), strict=True)]


def _vote_sums(
    function: Callable[..., tuple[int, ...]],
    predicted: NDArray[Any],
    true: NDArray[Any],
    classes: list[int],
) -> list[int]:
    """Return sums over all examples of a function of the votes of models and labels."""
    width = max(1, _BLOCK_OF_LABELS // max(len(predicted), len(true), len(classes)))
    return [sum(each) for each in _sums_of_blocks(function, predicted, true, width, classes)]


#: Loss, bias, variance and noise.
_Parts = tuple[float, float, float, float]


def _domingos_votes(
    predicted: NDArray[Any], true: NDArray[Any], classes: list[int]
) -> tuple[int, ...]:
    models, labels = (_counts(votes, classes) for votes in (predicted, true))
    main = models.argmax(0)  # the first of equals: the smallest
    optimal = labels.argmax(0)
    biased = main != optimal
    for_optimal = np.take_along_axis(models, optimal[np.newaxis], 0)[0]
    against = len(predicted) - models.max(0)
    sums = (
        np.vdot(models, labels),
        np.count_nonzero(biased),
        against[~biased].sum(),
        against[biased].sum(),
        for_optimal[biased].sum(),
        for_optimal.sum(),
        (len(true) - labels.max(0)).sum(),
    )
    return tuple(map(int, sums))


def _domingos(
    predicted: NDArray[Any], true: NDArray[Any], classes: list[int]
) -> tuple[_Parts, dict[str, float]]:
    """Return bias, net variance, and the contribution of noise.

    With p the fractions of the votes and q those of the labels, an example of optimal prediction o
    has the loss 1 - sum p q = [main != o] + (P(y != o) - [main != o]) + (p_o - sum p q).
    """
    agreement, biased, unbiased_variance, biased_variance, biased_gain, optimal_votes, noise = (
        _vote_sums(_domingos_votes, predicted, true, classes)
    )
    replicates, n = true.shape
    cells = predicted.size
    details = {
        "unbiased_variance": unbiased_variance / cells,
        "biased_variance": biased_variance / cells,
        "noise_rate": noise / true.size,
    }
    loss = float(1 - Fraction(agreement, cells * replicates))
    variance = (unbiased_variance - biased_gain) / cells
    added = (replicates * optimal_votes - agreement) / (cells * replicates)
    return (loss, biased / n, variance, added), details


def _square_votes(
    predicted: NDArray[Any], true: NDArray[Any], classes: list[int]
) -> tuple[int, int, int]:
    models, labels = (_counts(votes, classes) for votes in (predicted, true))
    return int(np.vdot(models, labels)), int(np.vdot(models, models)), int(np.vdot(labels, labels))


def _kohavi_wolpert(
    predicted: NDArray[Any], true: NDArray[Any], classes: list[int]
) -> tuple[_Parts, dict[str, float]]:
    """Return bias^2, variance and noise from the sums of p q, p^2 and q^2."""
    sums = _vote_sums(_square_votes, predicted, true, classes)
    models = len(predicted)
    replicates, n = true.shape
    sizes = (models * replicates * n, models**2 * n, replicates**2 * n)
    product, p_squared, q_squared = map(Fraction, sums, sizes)
    bias = (p_squared + q_squared) / 2 - product
    components = 1 - product, bias, (1 - p_squared) / 2, (1 - q_squared) / 2
    return tuple(map(float, components)), {}  # type: ignore[return-value]


def _squared(predicted: NDArray[Any], true: NDArray[Any]) -> _Parts:
    """Return bias^2, variance and noise of the squared loss, population variances all."""
    models = len(predicted)
    replicates, n = true.shape
    most = max(models, replicates)
    width = max(1, _BLOCK // most)
    largest = max(_largest(true), _largest(predicted))
    is_whole = true.dtype.kind != "f" and predicted.dtype.kind != "f"
    if is_whole and most * largest**2 * _BLOCK < _WIDE:
        dtype = np.int32 if most * largest**2 < _NARROW else np.int64
        sums = _sums_of_blocks(_integer_sums, predicted, true, width, dtype)
        squares_p, squares_t, p_squared, t_squared, product = map(sum, sums)
        middle = Fraction(p_squared, models**2)
        target = Fraction(t_squared, replicates**2)
        bias = middle + target - Fraction(2 * product, models * replicates)
        variance = Fraction(squares_p, models) - middle
        noise = Fraction(squares_t, replicates) - target
        components = (bias + variance + noise, bias, variance, noise)
        return tuple(float(component / n) for component in components)  # type: ignore[return-value]
    exponent = max(_exponent(true), _exponent(predicted))
    exponent = exponent if abs(exponent) > _MILD else 0
    sums = _sums_of_blocks(_float_sums, predicted, true, width, exponent)
    b, v, e = (_scaled(math.fsum(each) / n, 2 * exponent) for each in sums)
    # The identity is algebra: the mean over models, replicates and examples is this very sum.
    return b + v + e, b, v, e


def _integer_sums(predicted: NDArray[Any], true: NDArray[Any], dtype: Any) -> tuple[int, ...]:
    """Return sums over some examples of squares and products, in integers that are wide enough."""
    columns = []
    squares = []
    for matrix in (predicted, true):
        values = matrix.astype(dtype)
        columns.append(np.add.reduce(values, axis=0, dtype=dtype).astype(np.int64))
        by_column = np.add.reduce(np.square(values, out=values), axis=0, dtype=dtype)
        squares.append(by_column.sum(dtype=np.int64))
    p, t = columns
    return tuple(map(int, (*squares, np.vdot(p, p), np.vdot(t, t), np.vdot(p, t))))


def _float_sums(
    predicted: NDArray[Any], true: NDArray[Any], exponent: int
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
    """Return mean and population variance of each column, overwriting the matrix."""
    first = values[0].copy()
    values -= first  # equal numbers leave zeros, whatever their mean is rounded to
    mean = values.mean(0)
    values -= mean
    deviation = values.mean(0)  # what rounding left of it
    variance = np.square(values, out=values).mean(0) - deviation**2
    return first + (mean + deviation), np.maximum(variance, 0.0)


def _numbers(values: Any, name: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    matrix = _matrix(values, name, dimensions)
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


Decomposition = Literal["squared", "domingos", "kohavi-wolpert"]

_NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True, repr=False)
class BiasVariance(Result):
    """The parts of an expected loss: loss = bias + variance + noise.

    Attributes
    ----------
    decomposition : str
        "squared", "domingos" or "kohavi-wolpert".
    loss : float
        Mean loss over models, replicates of the labels, and examples.
    bias : float
        What the main prediction loses; of the squared loss and of Kohavi and Wolpert the square of
        the bias.
    variance : float
        What predictions add by varying about the main one; of Domingos net, which may be below 0.
    noise : float
        What the labels add by varying; 0 without replicates. Of Domingos with its coefficient.
    n_models : int
        Rows of predictions.
    n_replicates : int
        Rows of labels.
    n_samples : int
        Columns.
    details : mapping from str to float
        Of Domingos "unbiased_variance" and "biased_variance", the share of predictions other than
        the main one on unbiased and on biased examples, and "noise_rate", the share of labels
        other than the optimal prediction. Of two classes, variance = unbiased - biased.
    """

    decomposition: str
    loss: float
    bias: float
    variance: float
    noise: float
    n_models: int
    n_replicates: int
    n_samples: int
    details: Mapping[str, float] = field(default_factory=lambda: _NOTHING, repr=False)


def bias_variance(
    y_true: ArrayLike,
    predictions: ArrayLike,
    *,
    decomposition: Decomposition = "squared",
    n_threads: int | None = None,
) -> BiasVariance:
    """Compute bias, variance and noise from the predictions of several models of one learner.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (replicates, n)
        Labels; or independent replicates of each label, of which the noise follows.
    predictions : array-like of shape (models, n)
        One row for each model, fitted on a training set of its own. Numbers; of the 0-1 loss any
        labels.
    decomposition : {"squared", "domingos", "kohavi-wolpert"}, default="squared"
        Of the squared loss; or one of the two of the 0-1 loss.
    n_threads : int, optional
        Threads; by default every processor the process may use.

    Returns
    -------
    BiasVariance
        The parts, which add up to the loss.

    Raises
    ------
    TypeError
        If predictions or labels are of the wrong kind.
    ValueError
        If shapes do not match, values are missing or not finite, or an option is unknown.

    Notes
    -----
    Population variances (ddof 0): every model is paired with every replicate, and loss = bias +
    variance + noise holds example by example. Of the 0-1 loss, and of the squared loss of integers,
    each number is that of exact counts or sums, rounded once; of the squared loss of floats, the
    loss is the sum of the three floats.

    Squared loss: (mean label - mean prediction)^2, variance of the predictions, variance of the
    labels.

    Domingos: the main prediction is the most frequent one, the optimal one the most frequent
    label, and bias is 1 where they differ, else 0. Where they agree, what deviates from the main
    prediction adds to the loss ("unbiased variance"). Where they differ, it takes from the loss
    as far as it is the optimal prediction: all of it with two classes, a part with more. Noise
    adds its rate times the coefficient c1 of his theorem 2, which is below 0 for models that are
    mostly wrong. Of equally frequent labels the smallest counts.

    Kohavi and Wolpert, with p the shares of the predictions and q those of the labels: bias^2 =
    sum (p - q)^2 / 2, variance = (1 - sum p^2) / 2, noise = (1 - sum q^2) / 2.

    O(models n) for the squared loss; times the number of classes up to 32 of them, and O(n (models
    + classes)) beyond. In blocks: the memory above the input is a few megabytes a thread.

    References
    ----------
    Geman, Bienenstock & Doursat (1992), Neural networks and the bias/variance dilemma, Neural
    Computation 4:1-58. Kohavi & Wolpert (1996), Bias plus variance decomposition for zero-one loss
    functions, ICML, 275-283. Domingos (2000), A unified bias-variance decomposition and its
    applications, ICML, 231-238.

    Examples
    --------
    >>> predictions = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 0]]
    >>> result = bias_variance([1, 1, 1, 0], predictions, decomposition="domingos")
    >>> result.loss, result.bias, result.variance, result.noise
    (0.45, 0.5, -0.05, 0.0)
    >>> result.details["unbiased_variance"], result.details["biased_variance"]
    (0.1, 0.15)
    >>> bias_variance([1.0, 2.0], [[1.5, 2.5], [0.5, 2.5]])
    BiasVariance(decomposition='squared', loss=0.25, bias=0.125, variance=0.125, noise=0,
    n_models=2, n_replicates=1, n_samples=2)
    """
    kind: Decomposition = check_choice("decomposition", decomposition, get_args(Decomposition))
    details: dict[str, float] = {}
    if kind == "squared":
        true = _numbers(y_true, "y_true", (1, 2))
        predicted = _numbers(predictions, "predictions", (2,))
        _check_same_examples(true, predicted)
        components = _squared(predicted, true)
    else:
        predicted, true, classes = _label_matrices(y_true, predictions)
        decompose = _domingos if kind == "domingos" else _kohavi_wolpert
        components, details = decompose(predicted, true, classes)
    replicates, n = true.shape
    return BiasVariance(kind, *components, len(predicted), replicates, n, MappingProxyType(details))


Floats = NDArray[np.float64]

_MODELS: Final = """
Parameters
----------
X_train : array-like of shape (n_train, ...)
    Examples that training sets are taken from.
y_train : array-like of shape (n_train,)
    Their labels.
X_test : array-like of shape (n, ...)
    Examples to predict.
y_test : array-like of shape (n,) or (replicates, n)
    Their labels; or independent replicates of each, of which the noise follows.
decomposition : {"squared", "domingos", "kohavi-wolpert"}, default="squared"
    See `bias_variance`.
n_models : int, default=100
    Training sets drawn with replacement, at least 2; where a parameter varies, the same ones for
    every value.
train_size : int, optional
    Examples in each; by default n_train.
rng : None, int, Generator, BitGenerator, SeedSequence or str
    Source of the training sets; the estimator keeps its own `random_state`.

Raises
------
ValueError
    If the estimator has no such parameter, or an option is out of range.
"""


@dataclass(frozen=True, slots=True, repr=False)
class BiasVarianceCurve(Result):
    """Bias, variance and noise over the values of one parameter.

    Attributes
    ----------
    parameter : str
        Its name.
    values : tuple
        Its values, in the order given.
    points : tuple of BiasVariance
        The parts at each value.
    """

    _has_points = True
    parameter: str
    values: tuple[Any, ...]
    points: tuple[BiasVariance, ...]

    @property
    def loss(self) -> Floats:
        """The loss at each value."""
        return np.array([point.loss for point in self.points])

    @property
    def bias(self) -> Floats:
        """The bias at each value."""
        return np.array([point.bias for point in self.points])

    @property
    def variance(self) -> Floats:
        """The variance at each value."""
        return np.array([point.variance for point in self.points])

    @property
    def noise(self) -> Floats:
        """The noise at each value."""
        return np.array([point.noise for point in self.points])

    @property
    def best_value(self) -> Any:
        """The value of the smallest loss, the first of equals."""
        return self.values[int(np.argmin(self.loss))]

    def _display(self) -> Display:
        curves = Table.of(self.points, ("loss", "bias", "variance", "noise")).columns
        title = f"{self.points[0].decomposition} decomposition"
        return Display([Table({self.parameter: self.values} | dict(curves))], title)

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw loss, bias, variance and noise over the parameter.

        Returns
        -------
        matplotlib Axes
            What was drawn on; noise is left out where there is none.
        """
        return draw_bias_variance_curve(self, ax)


@documented(_MODELS, FITTING)
def estimator_bias_variance(
    estimator: Any,
    X_train: Any,
    y_train: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    *,
    decomposition: Decomposition = "squared",
    n_models: int = 100,
    train_size: int | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> BiasVariance:
    """Fit an estimator on many training sets and decompose its loss on test data.

    Returns
    -------
    BiasVariance
        The parts, which add up to the loss on the test data.

    Notes
    -----
    Bootstrap samples of one training set share examples, and hold fewer different ones than
    n_train: their variance is not that over fresh training sets. The training sets follow from
    `rng` alone, so that two estimators can be compared on the same ones. `n_models` fits.

    References
    ----------
    Domingos (2000), A unified bias-variance decomposition and its applications, ICML, 231-238.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> x = np.linspace(0.0, 6.0, 120)[:, None]
    >>> y = np.sin(x[:, 0]) + np.tile([0.3, -0.3, 0.0], 40)
    >>> tree = DecisionTreeRegressor(max_depth=1, random_state=0)
    >>> result = estimator_bias_variance(tree, x, y, x, np.sin(x[:, 0]), n_models=30, rng=1)
    >>> result.bias > result.variance
    True
    """
    check_choice("decomposition", decomposition, get_args(Decomposition))
    task = check_task(estimator, X_train, y_train, None, n_jobs, progress)
    (predictions,) = _predictions(task, X_test, [{}], n_models, train_size, rng)
    return bias_variance(y_test, predictions, decomposition=decomposition)


@documented(_MODELS, FITTING)
def bias_variance_curve(
    estimator: Any,
    X_train: Any,
    y_train: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    *,
    parameter: str,
    values: Sequence[Any],
    decomposition: Decomposition = "squared",
    n_models: int = 100,
    train_size: int | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> BiasVarianceCurve:
    """Decompose the loss of an estimator at each value of a parameter, such as its complexity.

    Returns
    -------
    BiasVarianceCurve
        The parts at each value; it has a `plot`.

    Notes
    -----
    `n_models` fits for each value, on the same training sets: differences between values are not
    those of chance draws.

    References
    ----------
    Geman, Bienenstock & Doursat (1992), Neural networks and the bias/variance dilemma, Neural
    Computation 4:1-58.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> x = np.linspace(0.0, 6.0, 120)[:, None]
    >>> y = np.sin(x[:, 0]) + np.tile([0.3, -0.3, 0.0], 40)
    >>> curve = bias_variance_curve(
    ...     DecisionTreeRegressor(random_state=0), x, y, x, np.sin(x[:, 0]),
    ...     parameter="max_depth", values=[1, 3, 9], n_models=30, rng=1,
    ... )
    >>> curve.best_value, bool(curve.variance[2] > curve.variance[0])
    (3, True)
    """
    check_choice("decomposition", decomposition, get_args(Decomposition))
    given: Any = values
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise InputTypeError(f"`values` must be a sequence: got {type(given).__name__}")
    if len(given) == 0:
        raise InputError("`values` is empty: at least one is needed")
    listed = given.tolist() if isinstance(given, np.ndarray) else list(given)
    task = check_task(estimator, X_train, y_train, None, n_jobs, progress)
    check_parameters(estimator, [parameter])
    settings = [{parameter: value} for value in listed]
    predictions = _predictions(task, X_test, settings, n_models, train_size, rng)
    points = tuple(bias_variance(y_test, one, decomposition=decomposition) for one in predictions)
    return BiasVarianceCurve(parameter, tuple(listed), points)


def _predictions(
    task: FitTask, X_test: Any, settings: list[Setting], n_models: Any, train_size: Any, rng: Any
) -> list[NDArray[Any]]:
    """Return for each setting the predictions (models, n) of all models."""
    models = check_integer("n_models", n_models, low=2)
    size = len(task.y)
    if train_size is not None:
        size = check_integer("train_size", train_size, low=1)
    key = seed_key(rng).tolist()
    try:
        row_count(X_test)
    except InputError as error:
        raise error.renamed({"X": "X_test"}) from error
    jobs = [(setting, [*key, i]) for setting in settings for i in range(models)]
    predictions = task.each(partial(_prediction, task, X_test, size), jobs)
    return [np.array(predictions[i : i + models]) for i in range(0, len(predictions), models)]


def _prediction(
    task: FitTask, X_test: Any, size: int, job: tuple[Setting, list[int]]
) -> NDArray[Any]:
    """Return the predictions of a model fitted on a bootstrap sample of the job's key."""
    setting, key = job
    rows = np.random.default_rng(key).integers(0, len(task.y), size, dtype=np.intp)
    predicted = np.asarray(fit_clone(with_setting(task, setting), rows).predict(X_test))
    return predicted[:, 0] if predicted.ndim == 2 and predicted.shape[1] == 1 else predicted
