"""``compare_estimators``: fits two estimators on the same splits and tests their difference."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.scalars import Alternative
from fastmetrics.comparison.result import ComparisonTest, check_names
from fastmetrics.comparison.t_tests import (
    Correction,
    Variant,
    five_by_two_cv_test,
    kfold_paired_t_test,
)
from fastmetrics.errors import InputError, renamed
from fastmetrics.selection.estimates._fit_and_score import (
    FITTING,
    FitJob,
    Task,
    check_task,
    values_of,
)
from fastmetrics.selection.estimates._metrics import Metric, asked_metric
from fastmetrics.selection.estimates._splits import check_splitting
from fastmetrics.selection.splitters._splitter import Split
from fastmetrics.selection.splitters.folds import FiveByTwo, Folds
from fastmetrics.selection.splitters.grouped_folds import GroupedFolds


@documented(FITTING)
def compare_estimators(
    estimator_a: Any,
    estimator_b: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = "5x2",
    variant: Variant = "dietterich",
    correction: Correction = "nadeau-bengio",
    metrics: Any = None,
    higher_is_better: bool | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    names: tuple[str, str] | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> ComparisonTest:
    """Fit two estimators on the same splits and test whether their measures differ.

    Parameters
    ----------
    estimator_a, estimator_b : estimator
        As scikit-learn's, with `fit` and `predict`; clones of them are fitted.
    cv : int, str or splitter, default="5x2"
        The splits, as in `evaluate_estimator`. "5x2" leads to `five_by_two_cv_test`, all others to
        `kfold_paired_t_test`.
    variant : {"dietterich", "textbook", "f"}, default="dietterich"
        Of `five_by_two_cv_test`.
    correction : {"nadeau-bengio", "none"}, default="nadeau-bengio"
        Of `kfold_paired_t_test`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the mean measure of A less that of B is other than, below or above 0.
    names : (str, str), optional
        What the estimators are called; their classes if these differ, else "A" and "B".

    Returns
    -------
    ComparisonTest
        That of the test; `details` has the mean measure of both estimators too.

    Raises
    ------
    ValueError
        If an option is out of range, the data cannot be split that way, or a measure is not for
        such estimators, or not defined on the test rows of a split.

    Warns
    -----
    DegenerateDataWarning
        If all differences are equal.

    Notes
    -----
    One fit of each estimator a split, ten for "5x2". `evaluate_estimator` has the intervals of
    one estimator by the same splits: give both the same `rng`.

    References
    ----------
    Dietterich (1998), Neural Computation 10:1895-1923. Nadeau & Bengio (2003), Machine Learning
    52:239-281.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree, stump = (DecisionTreeClassifier(max_depth=d, random_state=0) for d in (3, 1))
    >>> test = compare_estimators(tree, stump, X, y, names=("tree", "stump"), rng=1)
    >>> test.better, test.reject, round(test.details["mean_b"], 3)
    ('tree', True, 0.333)
    """
    both = _names_of(estimator_a, estimator_b) if names is None else check_names(names)
    how_to_fit = (X, y, groups, n_jobs, progress)
    tasks = _tasks(how_to_fit, estimator_a=estimator_a, estimator_b=estimator_b)
    task = tasks[0]
    how = check_splitting(cv, task, rng)
    metric = asked_metric(metrics, higher_is_better, task.classes)
    decided: dict[str, Any] = {
        "higher_is_better": metric.higher_is_better,
        "confidence_level": confidence_level,
        "alternative": alternative,
        "names": (both[0], both[1]),
    }
    decide: Any = partial(kfold_paired_t_test, correction=correction, **decided)
    shape: tuple[int, ...] = (-1,)
    if isinstance(how.splitter, FiveByTwo):
        decide, shape = partial(five_by_two_cv_test, variant=variant, **decided), (5, 2)
    decide(np.arange(10.0).reshape(shape))  # what it refuses is refused before any fit
    splits = [(np.asarray(a), np.asarray(b)) for a, b in how.splitter.split(task.X, task.y, groups)]
    one_split = partial(_values, tasks, metric)
    found = np.array(task.each(one_split, splits))
    undefined = int(np.isnan(found).any(axis=1).sum())
    if undefined:
        raise InputError(
            f"`metrics` is not defined on the test rows of {undefined:,} of {len(splits):,} "
            f"splits: {metric.label!r}"
        )
    result: ComparisonTest = decide(*found.T.reshape(2, *shape), **_sizes(how.splitter, splits))
    mean_a, mean_b = found.mean(axis=0).tolist()
    return replace(result, details={**result.details, "mean_a": mean_a, "mean_b": mean_b})


def _names_of(*estimators: Any) -> tuple[str, ...]:
    found = tuple(type(one).__name__ for one in estimators)
    return found if len(set(found)) == len(found) else ("A", "B")


def _tasks(how_to_fit: tuple[Any, ...], **estimators: Any) -> list[Task]:
    """Return a task for each; where one says that it classifies, the other does as well."""
    tasks = []
    for name, estimator in estimators.items():
        with renamed(estimator=name):
            tasks.append(check_task(estimator, *how_to_fit))
    classes = next((task.classes for task in tasks if task.classes is not None), None)
    return [replace(task, classes=classes) for task in tasks]


def _values(tasks: list[Task], metric: Metric, split: Split) -> list[float]:
    return [values_of(task, metric, False, FitJob({}, split))[0] for task in tasks]


def _sizes(splitter: Any, splits: list[Split]) -> dict[str, Any]:
    """Return what says how much training sets overlap: the folds, or the sizes of both sides."""
    if isinstance(splitter, FiveByTwo):
        return {}
    if isinstance(splitter, Folds | GroupedFolds):
        return {"n_folds": splitter.n_splits}
    trained = sum(len(np.unique(train)) for train, _ in splits)
    return {"n_train": trained, "n_test": sum(len(test) for _, test in splits)}
