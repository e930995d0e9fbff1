"""Learning and validation curves of estimators, with the standard deviation over folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_fraction, seed_key
from fastmetrics._plots.curves import draw_folds
from fastmetrics._results import Result
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.metrics.registry import METRICS
from fastmetrics.selection.fitting import (
    FITTING,
    FitJob,
    FitTask,
    check_parameters,
    check_splits,
    check_task,
    check_values,
    score_job,
)
from fastmetrics.selection.folds import Rows
from fastmetrics.selection.scoring import EstimatorMetric, request_metric

Floats = NDArray[np.float64]

_FRACTIONS: Final = (0.1, 0.325, 0.55, 0.775, 1.0)
_CURVE: Final = """
Warns
-----
UndefinedMetricWarning
    If the metric is undefined somewhere: its mean is nan there.
"""


@dataclass(frozen=True, slots=True, repr=False)
class EstimatorCurve(Result):
    """A metric on training and test rows over the values of a parameter, or training sizes.

    Attributes
    ----------
    metric : str
        The metric.
    higher_is_better : bool
        Its direction.
    parameter : str
        Name of the parameter; "fraction" of a learning curve, which is that of the training folds.
    values : tuple
        Its values, in the order given.
    train_values, test_values : ndarray of shape (n_values, n_folds)
        The metric on the rows trained on, and on the test rows.
    train_sizes : ndarray of shape (n_values,) or None
        Of a learning curve: rows trained on, the mean over the folds.
    """

    _has_points = True
    metric: str
    higher_is_better: bool
    parameter: str
    values: tuple[Any, ...]
    train_values: Floats = field(repr=False)
    test_values: Floats = field(repr=False)
    train_sizes: Floats | None = None

    @property
    def train_means(self) -> Floats:
        """Means over the folds on the training rows."""
        return np.asarray(self.train_values.mean(1))

    @property
    def test_means(self) -> Floats:
        """Means over the folds on the test rows."""
        return np.asarray(self.test_values.mean(1))

    @property
    def train_deviations(self) -> Floats:
        """Standard deviations over the folds (n - 1) on the training rows; nan for one fold."""
        return _deviations(self.train_values)

    @property
    def test_deviations(self) -> Floats:
        """Standard deviations over the folds (n - 1) on the test rows; nan for one fold."""
        return _deviations(self.test_values)

    @property
    def best_value(self) -> Any:
        """The value of the best mean on test rows, the first of equals."""
        signs = -self.test_means if self.higher_is_better else self.test_means
        return self.values[int(np.argmin(np.where(np.isnan(signs), np.inf, signs)))]

    def _display(self) -> Display:
        sizes = {} if self.train_sizes is None else {"train_size": self.train_sizes}
        columns = {self.parameter: self.values, **sizes} | {
            "test": self.test_means,
            "test_deviation": self.test_deviations,
            "train": self.train_means,
            "train_deviation": self.train_deviations,
        }
        title = f"{self.metric}, {'higher' if self.higher_is_better else 'lower'} is better"
        notes = [f"Means and standard deviations over {self.test_values.shape[1]} folds."]
        return Display([Table(columns)], title, notes)

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the metric over the number of training rows, or over the parameter.

        Returns
        -------
        matplotlib Axes
            What was drawn on: means, bands of one standard deviation over the folds, and of a
            parameter a line at the value of the best mean. Values that are no numbers stand side
            by side.
        """
        both = (self.train_values, self.test_values)
        bounds = (
            0.0 if min(np.nanmin(v, initial=np.inf) for v in both) >= 0 else -np.inf,
            np.inf if self.metric not in METRICS else METRICS[self.metric].bounds[1],
        )
        return draw_folds(self, bounds, ax)


def _deviations(values: Floats) -> Floats:
    """Return the standard deviation of each row, with n - 1."""
    if values.shape[1] < 2:
        return np.full(len(values), np.nan)
    return np.asarray(values.std(1, ddof=1))


@documented(FITTING, _CURVE)
def estimator_learning_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    fractions: ArrayLike = _FRACTIONS,
    metrics: Any = None,
    higher_is_better: bool | None = None,
    cv: Any = 10,
    groups: ArrayLike | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> EstimatorCurve:
    """Measure an estimator on training and test rows as its training set grows.

    Parameters
    ----------
    fractions : array-like of shape (n_sizes,), default=(0.1, 0.325, 0.55, 0.775, 1)
        Of each training fold, in (0, 1]; rounded to whole rows, at least one.
    rng : None, int, Generator, BitGenerator, SeedSequence or str
        Source of the folds and of the order in which rows are added.

    Returns
    -------
    EstimatorCurve
        Values by size and fold; it has a `plot`.

    Raises
    ------
    ValueError
        If a fraction is not in (0, 1], or an option is out of range.

    Notes
    -----
    Within a fold a smaller training set is part of every larger one. Rows are added in random
    order, of a classifier such that each part has the class shares of the whole as nearly as its
    size allows. Sizes times folds fits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> curve = estimator_learning_curve(tree, X, y, fractions=[0.1, 1.0], cv=5, rng=1)
    >>> curve.train_sizes.tolist(), bool(curve.test_means[1] < curve.test_means[0])
    ([12.0, 120.0], True)
    """
    fractions_of_rows = as_vector(fractions, "fractions")
    for fraction in fractions_of_rows.tolist():
        check_fraction("fractions", fraction, include_high=True)
    task = check_task(estimator, X, y, groups, n_jobs, progress)
    metric = request_metric(metrics, higher_is_better, task.classes)
    generator = np.random.default_rng(seed_key(rng))
    splits = check_splits(cv, task, generator)
    orders = [train[_growth_order(task, train, generator)] for train, _ in splits]
    sizes = np.array(
        [[max(1, round(fraction * len(rows))) for rows in orders] for fraction in fractions_of_rows]
    )
    jobs: list[FitJob] = [
        ({}, (rows[:size], test))
        for some in sizes.tolist()
        for size, rows, (_, test) in zip(some, orders, splits, strict=True)
    ]
    given = tuple(fractions_of_rows.astype(np.float64).tolist())
    return _curve(task, metric, jobs, "fraction", given, sizes.mean(1))


@documented(FITTING, _CURVE)
def estimator_validation_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    parameter: str,
    values: Sequence[Any],
    metrics: Any = None,
    higher_is_better: bool | None = None,
    cv: Any = 10,
    groups: ArrayLike | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> EstimatorCurve:
    """Measure an estimator on training and test rows at each value of a parameter.

    Returns
    -------
    EstimatorCurve
        Values by parameter value and fold; it has a `plot`.

    Raises
    ------
    ValueError
        If the estimator has no such parameter, or an option is out of range.

    Notes
    -----
    All values are fitted on the same folds: values times folds fits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> curve = estimator_validation_curve(
    ...     tree, X, y, parameter="max_depth", values=[1, 2, 8], cv=5, rng=1
    ... )
    >>> curve.train_means.round(3).tolist()
    [0.333, 0.037, 0.0]
    """
    listed = check_values(values)
    task = check_task(estimator, X, y, groups, n_jobs, progress)
    check_parameters(estimator, [parameter])
    metric = request_metric(metrics, higher_is_better, task.classes)
    splits = check_splits(cv, task, rng)
    jobs: list[FitJob] = [({parameter: value}, split) for value in listed for split in splits]
    return _curve(task, metric, jobs, parameter, tuple(listed))


def _growth_order(task: FitTask, train: Rows, generator: np.random.Generator) -> Rows:
    """Order the rows of a training fold so that each prefix has the class proportions of the whole.

    The j-th of the n members of a class stands at (j - 1/2) / n of the way, j from 1.
    """
    order = generator.permutation(len(train))
    if task.classes is None:
        return order
    codes = np.searchsorted(task.classes, task.y[train[order]])
    by_class = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes, minlength=len(task.classes))
    rank_in_class = np.arange(len(train)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    way = np.empty(len(train))
    way[by_class] = (rank_in_class + 0.5) / np.repeat(sizes, sizes)
    return order[np.argsort(way, kind="stable")]


def _curve(
    task: FitTask,
    metric: EstimatorMetric,
    jobs: list[FitJob],
    parameter: str,
    values: tuple[Any, ...],
    train_sizes: Floats | None = None,
) -> EstimatorCurve:
    """Fit and measure; jobs are those of all folds, value after value."""
    values_here = task.each(partial(score_job, task, metric, True), jobs)
    train, test = np.array(values_here).reshape(len(values), -1, 2).transpose(2, 0, 1)
    undefined = int(np.isnan([train, test]).any(0).sum())
    if undefined:
        message = f"the metric is undefined for {undefined:,} of {len(jobs):,} fits"
        warn_user(message, UndefinedMetricWarning)
    higher = bool(metric.higher_is_better)
    sides = train.copy(), test.copy()
    return EstimatorCurve(metric.label, higher, parameter, values, *sides, train_sizes)
