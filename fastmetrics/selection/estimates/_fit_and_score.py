"""Fit an estimator on some rows and measure it on others: one split, and all splits in parallel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_integer, check_same_length
from fastmetrics._threads.workers import progress_bar
from fastmetrics.errors import InputError, InputTypeError, importing
from fastmetrics.selection.estimates._fitted_models import Tested, lost, tested
from fastmetrics.selection.estimates._judged import Judged
from fastmetrics.selection.estimates._metrics import Metric
from fastmetrics.selection.splitters._splitter import Rows, Split, row_count

S = TypeVar("S")
T = TypeVar("T")
Setting = dict[str, Any]

#: What functions that fit estimators have in common.
FITTING: Final = """
Parameters
----------
estimator : estimator
    As scikit-learn's, with `fit` and `predict`, and `set_params` where parameters vary; clones of
    it are fitted.
X : array-like of shape (n, ...)
    In any container that the estimator takes.
y : array-like of shape (n,)
    Labels, or numbers for a regressor.
parameter : str
    Name of the parameter that is varied.
values : sequence
    Its values (see `parameter_range`).
metrics : str, (str, mapping) or callable, optional
    One measure, as in `evaluate_estimator`: a name of the library's, a function of it, a scorer of
    scikit-learn, or a function of yours of (y_true, y_pred), the predictions. By default the error
    rate of a classifier and the mean squared error of a regressor.
higher_is_better : bool, optional
    Whether the greater number is the better (accuracy, AUC) or the lower (errors, losses): declared
    for a measure of the library, required for a function.
cv : int, str, splitter or list of (train, test), default=10
    Folds; a name is one of those of `evaluate_estimator`, as "10x10". Of a number or a name, they
    are stratified for a classifier, and keep `groups` whole if given.
groups : array-like of shape (n,), optional
    Handed to the splitter.
rng : None, int, Generator, BitGenerator, SeedSequence or str
    Source of the folds where they are given by number; the estimator keeps its own `random_state`.
n_jobs : int, optional
    Processes (joblib), -1 for all processors; by default fits are run one by one. Results do not
    depend on it.

Raises
------
ImportError
    If scikit-learn is not installed, or joblib or tqdm where they are needed.
TypeError
    If an argument is of the wrong kind.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """An estimator, the data that it is to be fitted on, checked, and how fits are run.

    ``classes`` are those of ``y``, sorted; None for regression.
    """

    estimator: Any
    X: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None
    groups: Any = None
    n_jobs: int = 1
    progress: bool | None = None

    def each(
        self, function: Callable[[S], T], splits: Iterable[S], total: int | None = None
    ) -> list[T]:
        """Call a function for each split and return the results in order, in processes by joblib.

        `total` is the number of splits, needed of what has no length.
        """
        count: Any = len(splits) if isinstance(splits, Sequence) else total
        done: list[T] = []
        with progress_bar(self.progress, count, "splits", "splits") as update:
            for result in _results(partial(_named, function), splits, self.n_jobs):
                done.append(result)
                if update is not None:
                    update(1)
        return done


class FitJob(NamedTuple):
    """One setting on one split."""

    setting: Setting
    split: Split


class SplitScores(NamedTuple):
    """The measures of one split, in the order asked for, and what they took.

    ``tested`` are those of the test rows, with what each row adds to them.
    """

    n_train: int
    n_distinct: int
    n_test: int
    train: tuple[float, ...]
    tested: tuple[Tested, ...]
    fit_seconds: float
    score_seconds: float

    @property
    def test(self) -> tuple[float, ...]:
        """The measures of the test rows."""
        return tuple(one.value for one in self.tested)


def check_sklearn(what: str) -> None:
    """Raise if scikit-learn, which something needs, is not installed."""
    with importing(f"{what} needs scikit-learn: pip install 'fastmetrics-eval[estimators]'"):
        import sklearn  # noqa: F401


def check_task(
    estimator: Any, X: Any, y: Any, groups: Any, n_jobs: Any, progress: bool | None
) -> Task:
    """Return an estimator with its data; whether it classifies decides what `y` may hold."""
    check_sklearn("fitting estimators")
    for method in ("fit", "predict"):
        if not callable(getattr(estimator, method, None)) or isinstance(estimator, type):
            raise InputTypeError(
                f"`estimator` must be an estimator with `fit` and `predict`: got {estimator!r}"
            )
    target = as_vector(y, "y")
    check_same_length(X=range(row_count(X)), y=target)
    if not hasattr(X, "shape"):
        X = np.asarray(X) if isinstance(X, list | tuple) else X
    classes = check_class_labels(target, "y").classes if classifies(estimator, target) else None
    number = 1 if n_jobs is None else check_integer("n_jobs", n_jobs)
    if number == 0:
        raise InputError("`n_jobs` must not be 0: None or 1 means one process, -1 all processors")
    return Task(estimator, X, target, classes, groups, number, progress)


def classifies(estimator: Any, y: NDArray[Any]) -> bool:
    """Return what the estimator says of itself; if nothing, what its methods and `y` tell."""
    from sklearn.base import is_classifier, is_regressor

    try:
        if is_classifier(estimator) or is_regressor(estimator):
            return bool(is_classifier(estimator))
    except (AttributeError, TypeError):  # made without scikit-learn's base classes
        pass
    decides = hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")
    return decides or y.dtype.kind in "UOb"


def check_parameters(estimator: Any, names: Iterable[str]) -> None:
    """Raise unless the estimator has each of the parameters."""
    if not callable(getattr(estimator, "get_params", None)):
        raise InputTypeError(
            f"`estimator` must have `get_params` and `set_params`: got {estimator!r}"
        )
    known = estimator.get_params()
    for name in names:
        if name not in known:
            raise InputError(
                f"`estimator` has no parameter {name!r}: {type(estimator).__name__} has "
                f"{', '.join(sorted(known))}"
            )


def check_values(values: Any) -> list[Any]:
    """Return the values of one parameter as a list that is not empty."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise InputTypeError(f"`values` must be a sequence: got {type(values).__name__}")
    if len(values) == 0:
        raise InputError("`values` is empty: at least one is needed")
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def with_setting(task: Task, setting: Setting) -> Task:
    """Return the task with an estimator of that setting; the user's own is left as it is."""
    if not setting:
        return task
    from sklearn.base import clone

    estimator = clone(task.estimator)
    # Cloned, so that two fits do not share an estimator that is itself a parameter.
    estimator.set_params(**{name: clone(value, safe=False) for name, value in setting.items()})
    return replace(task, estimator=estimator)


def fitted(task: Task, rows: Rows) -> Any:
    """Return a clone of the estimator, fitted on these rows."""
    from sklearn.base import clone

    model = clone(task.estimator, safe=False)
    model.fit(rows_of(task.X, rows), task.y[rows])
    return model


def rows_of(X: Any, rows: Rows) -> Any:
    """Return some rows of the data, in the container that they came in."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def judged(task: Task, model: Any, rows: Rows) -> Judged:
    """Return some rows with what the model says of them."""
    return Judged(model, rows_of(task.X, rows), task.y[rows], task.classes)


def fit_and_score(
    task: Task, metrics: tuple[Metric, ...], by_row: bool, split: Split
) -> SplitScores:
    """Fit on the training rows of one split and measure on both sides of it.

    ``by_row`` tells measures that are means of the losses of rows, which are kept.
    """
    model, fit_seconds = _timed(partial(fitted, task, split[0]))

    def found() -> tuple[tuple[float, ...], tuple[Tested, ...]]:
        on_train, on_test = (judged(task, model, rows) for rows in split)
        if by_row:
            train = tuple(float(metric.losses(on_train).mean()) for metric in metrics)
        else:
            train = tuple(metric.of(on_train) for metric in metrics)
        test = lost if by_row else tested
        return train, tuple(test(metric, on_test, split[1]) for metric in metrics)

    (train, test), score_seconds = _timed(found)
    sizes = len(split[0]), len(np.unique(split[0])), len(split[1])
    return SplitScores(*sizes, train, test, fit_seconds, score_seconds)


def values_of(task: Task, metric: Metric, on_train: bool, job: FitJob) -> list[float]:
    """Return the measure on the test rows of a model fitted with a setting on the others.

    Before it stands that on the training rows, where it is asked for.
    """
    task = with_setting(task, job.setting)
    try:
        model = fitted(task, job.split[0])
        sides = job.split if on_train else job.split[1:]
        return [metric.of(judged(task, model, rows)) for rows in sides]
    except Exception as error:
        if job.setting:
            error.add_note(f"fastmetrics: with the setting {job.setting}")
        raise


def _timed(function: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    return function(), time.perf_counter() - start


def _results(
    function: Callable[[tuple[int, S]], T], splits: Iterable[S], n_jobs: int
) -> Iterator[T]:
    if n_jobs == 1:
        return map(function, enumerate(splits))
    with importing("n_jobs other than 1 needs joblib: pip install joblib"):
        from joblib import Parallel, delayed
    calls = (delayed(function)(numbered) for numbered in enumerate(splits))
    results: Iterator[T] = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    return results


def _named(function: Callable[[S], T], numbered: tuple[int, S]) -> T:
    """Call the function; an error says at which split."""
    number, split = numbered
    try:
        return function(split)
    except Exception as error:
        error.add_note(f"fastmetrics: at split {number}, counted from 0")
        raise
