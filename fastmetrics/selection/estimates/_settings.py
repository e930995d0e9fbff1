"""Settings of an estimator's parameters, and what a tuning or a curve shares beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.selection.estimates._fit_and_score import Task, check_task, fitted, judged
from fastmetrics.selection.estimates._metrics import Metric, resolved_metrics
from fastmetrics.selection.splitters._splitter import Rows, Split
from fastmetrics.selection.splitters.folds import Folds
from fastmetrics.selection.splitters.grouped_folds import GroupedFolds

Setting = dict[str, Any]


class FitJob(NamedTuple):
    """One setting on one split."""

    setting: Setting
    split: Split


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


def task_of(estimator: Any, X: Any, y: Any) -> Task:
    """Return an estimator with its data, checked."""
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise ImportError("fitting estimators needs scikit-learn") from error
    return check_task(estimator, X, y)


def with_setting(task: Task, setting: Setting) -> Task:
    """Return the task with an estimator of that setting; the user's own is left as it is."""
    if not setting:
        return task
    from sklearn.base import clone

    estimator = clone(task.estimator)
    # Cloned, so that two fits do not share an estimator that is itself a parameter.
    estimator.set_params(**{name: clone(value, safe=False) for name, value in setting.items()})
    return replace(task, estimator=estimator)


def check_metric(metric: Any, higher_is_better: Any, task: Task) -> Metric:
    """Return one measure, whose direction is known."""
    if metric is None:
        metric = "error_rate" if task.classes is not None else "mean_squared_error"
    found = resolved_metrics(metric, "metric")
    if len(found) != 1:
        raise InputError(f"`metric` must be one measure: got {len(found)}")
    if higher_is_better is None:
        if found[0].higher_is_better is None:
            raise InputError(
                f"`higher_is_better` is needed: which direction of {found[0].label!r} is better "
                "is not known"
            )
        return found[0]
    check_choice("higher_is_better", higher_is_better, (True, False))
    return replace(found[0], higher_is_better=higher_is_better)


def check_splits(cv: Any, task: Task, groups: Any, rng: Any, name: str = "cv") -> list[Split]:
    """Return the splits of a number of folds, of a splitter, or those given."""
    if isinstance(cv, int | np.integer):
        count = check_integer(name, cv, low=2)
        kind = Folds if groups is None else GroupedFolds
        cv = kind(count, stratified=task.classes is not None, rng=rng)
    if callable(getattr(cv, "split", None)) and not isinstance(cv, str | type):
        found = cv.split(task.X, task.y, groups)
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        found = cv
    else:
        raise InputTypeError(
            f"`{name}` must be a number of folds, an object with `split`, or pairs of row numbers: "
            f"got {cv!r}"
        )
    splits = [(np.asarray(train), np.asarray(test)) for train, test in found]
    if not splits:
        raise InputError(f"`{name}` yields no split")
    return splits


def value_on_test(task: Task, metric: Metric, job: FitJob) -> float:
    """Return the measure on the test rows of a model fitted with a setting on the others."""
    return _values(task, metric, job, job.split[1:])[0]


def values_on_both(task: Task, metric: Metric, job: FitJob) -> tuple[float, float]:
    """Return the measure on the training rows and on the test rows."""
    train, test = _values(task, metric, job, job.split)
    return train, test


def _values(task: Task, metric: Metric, job: FitJob, sides: Iterable[Rows]) -> list[float]:
    task = with_setting(task, job.setting)
    try:
        model = fitted(task, job.split[0])
        return [metric.of(judged(task, model, rows)) for rows in sides]
    except Exception as error:
        if job.setting:
            error.add_note(f"fastmetrics: with the setting {job.setting}")
        raise
