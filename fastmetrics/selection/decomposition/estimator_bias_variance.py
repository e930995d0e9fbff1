"""Bias and variance of an estimator, fitted on many training sets; and as it grows complex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_integer, seed_key
from fastmetrics._plots.curves import Parts, draw_bias_variance_curve
from fastmetrics._results import Result
from fastmetrics.errors import InputError
from fastmetrics.selection.decomposition.bias_variance import (
    BiasVariance,
    Decomposition,
    bias_variance,
)
from fastmetrics.selection.estimates._fit_and_score import (
    FITTING,
    Setting,
    Task,
    check_parameters,
    check_task,
    check_values,
    fitted,
    with_setting,
)
from fastmetrics.selection.splitters._splitter import row_count

Floats = NDArray[np.float64]
Sampling = Literal["bootstrap", "disjoint"]

_MAX_BYTES: Final = 4 << 30  # of predictions
_BYTES_OF_A_FIT: Final = 200  # beside its predictions

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
sampling : {"bootstrap", "disjoint"}, default="bootstrap"
    Whether training sets are drawn with replacement, or are disjoint parts of the shuffled
    examples: independent, but smaller.
n_models : int, default=100
    Training sets, at least 2; where a parameter varies, the same ones for every value.
train_size : int, optional
    Examples in each; by default n_train, and n_train // n_models of disjoint ones.
rng : None, int, Generator, BitGenerator, SeedSequence or str
    Source of the training sets; the estimator keeps its own `random_state`.

Raises
------
ValueError
    If the estimator has no such parameter, an option is out of range, there are too few examples,
    or the predictions, 8 bytes for a model and an example, would take more than 4 GB.
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

    def _shown(self) -> Display:
        parts = Table.of(self.points, ("loss", "bias", "variance", "noise")).columns
        title = f"{self.points[0].decomposition} decomposition"
        return Display([Table({self.parameter: self.values} | dict(parts))], title)

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw loss, bias, variance and noise over the parameter.

        Returns
        -------
        matplotlib Axes
            What was drawn on; noise is left out where there is none.
        """
        first = self.points[0]
        parts = (self.loss, self.bias, self.variance, self.noise)
        return draw_bias_variance_curve(
            Parts(*parts, first.decomposition, first.n_models),
            self.parameter,
            self.values,
            self.best_value,
            ax,
        )


@documented(_MODELS, FITTING)
def estimator_bias_variance(
    estimator: Any,
    X_train: Any,
    y_train: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    *,
    decomposition: Decomposition = "squared",
    sampling: Sampling = "bootstrap",
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
    >>> found = estimator_bias_variance(tree, x, y, x, np.sin(x[:, 0]), n_models=30, rng=1)
    >>> found.bias > found.variance
    True
    """
    check_choice("decomposition", decomposition, get_args(Decomposition))
    task = check_task(estimator, X_train, y_train, None, n_jobs, progress)
    plan = _plan(len(task.y), sampling, n_models, train_size, rng)
    (predictions,) = _predictions(task, X_test, [{}], plan)
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
    sampling: Sampling = "bootstrap",
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
    listed = check_values(values)
    task = check_task(estimator, X_train, y_train, None, n_jobs, progress)
    plan = _plan(len(task.y), sampling, n_models, train_size, rng)
    check_parameters(estimator, [parameter])
    found = _predictions(task, X_test, [{parameter: value} for value in listed], plan)
    points = tuple(bias_variance(y_test, one, decomposition=decomposition) for one in found)
    return BiasVarianceCurve(parameter, tuple(listed), points)


class _Plan(NamedTuple):
    """Which rows the i-th training set has."""

    n: int
    sampling: Sampling
    n_models: int
    train_size: int
    key: NDArray[np.uint64]

    def rows(self, i: int) -> NDArray[np.intp]:
        """Return the rows of the i-th training set, whatever the others are."""
        size = self.train_size
        if self.sampling == "bootstrap":
            generator = np.random.default_rng([*self.key.tolist(), i])
            return generator.integers(0, self.n, size, dtype=np.intp)
        order = np.random.default_rng(self.key).permutation(self.n)
        return order[i * size : (i + 1) * size]


def _plan(n: int, sampling: Any, n_models: Any, train_size: Any, rng: Any) -> _Plan:
    """Return the plan for n examples."""
    kind: Sampling = check_choice("sampling", sampling, get_args(Sampling))
    models, is_bootstrap = check_integer("n_models", n_models, low=2), kind == "bootstrap"
    size = n if is_bootstrap else n // models
    if train_size is not None:
        size = check_integer("train_size", train_size, low=1)
    if not is_bootstrap and not models <= size * models <= n:
        raise InputError(
            f"{models:,} disjoint training sets of {max(size, 1):,} examples need "
            f"{models * max(size, 1):,}: there are {n:,}"
        )
    return _Plan(n, kind, models, size, seed_key(rng))


def _predictions(
    task: Task, X_test: Any, settings: list[Setting], plan: _Plan
) -> list[NDArray[Any]]:
    """Return for each setting the predictions (models, n) of all models."""
    _check_memory(plan.n_models, len(settings), X_test)
    jobs = [(setting, i) for setting in settings for i in range(plan.n_models)]
    found = task.each(partial(_prediction, task, X_test, plan), jobs)
    return [np.array(found[i : i + plan.n_models]) for i in range(0, len(found), plan.n_models)]


def _check_memory(n_models: int, n_settings: int, X_test: Any) -> None:
    """Raise if the predictions would take too much memory, before any is asked for."""
    try:
        n_examples = row_count(X_test)
    except InputError as error:
        raise error.renamed({"X": "X_test"}) from error
    needed = n_models * n_settings * (8 * n_examples + _BYTES_OF_A_FIT)
    if needed > _MAX_BYTES:
        models = f"{n_models:,} models"
        if n_settings > 1:
            models += f" at {n_settings:,} values"
        raise InputError(
            f"`n_models` of {n_models:,} would keep {needed // 10**9:,} GB, the predictions of "
            f"{models} for {n_examples:,} examples, more than {_MAX_BYTES // 10**9} GB: the parts "
            "are means over models, for which hundreds do"
        )


def _prediction(task: Task, X_test: Any, plan: _Plan, job: tuple[Setting, int]) -> NDArray[Any]:
    setting, number = job
    model = fitted(with_setting(task, setting), plan.rows(number))
    predicted = np.asarray(model.predict(X_test))
    return predicted[:, 0] if predicted.ndim == 2 and predicted.shape[1] == 1 else predicted
