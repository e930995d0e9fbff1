"""``tune_estimator`` and ``nested_cross_validation``: a grid of settings, and its honest price."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_confidence_level, seed_key
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.selection.estimates._fit_and_score import (
    FITTING,
    FitJob,
    Setting,
    Task,
    check_parameters,
    check_task,
    fitted,
    judged,
    rows_of,
    values_of,
    with_setting,
)
from fastmetrics.selection.estimates._fitted_models import Tested, average_of_models, tested
from fastmetrics.selection.estimates._metrics import Metric, asked_metric
from fastmetrics.selection.estimates._splits import check_splits
from fastmetrics.selection.splitters._splitter import Split
from fastmetrics.selection.tuning.grid import by_simplicity, settings_of
from fastmetrics.selection.tuning.tuning_result import NestedCrossValidation, TuningResult

Rule = Literal["best", "one-standard-error"]
Complexity = str | Sequence[str] | Callable[[Setting], Any]
Floats = NDArray[np.float64]

_TUNING: Final = """
Parameters
----------
grid : mapping from str to sequence
    Values of each parameter (see `parameter_range`); every combination is a setting.
rule : {"best", "one-standard-error"}, default="best"
    The setting of the best mean; or the simplest one whose mean is within one standard error of
    it, that of the best.
complexity : str, sequence of str, or callable of a setting, optional
    What is simpler. A parameter's name: smaller values are; with a minus before it, larger ones
    ("-alpha"). Several names count in their order. A callable returns what is compared. Needed for
    "one-standard-error"; under "best" it decides between equal means.
refit : bool, default=True
    Whether the chosen setting is fitted on all the data: the final model.
outer_cv : int, str, splitter or list of (train, test), default=10
    Folds that tuned models are tested on.
inner_cv : int, str or splitter, default=5
    Validation folds within each outer training fold: no row numbers.

Raises
------
ValueError
    If the grid is empty or names unknown parameters, an option is out of range, the direction of
    the measure is not known, or no setting has a value.

Warns
-----
UndefinedMetricWarning
    If settings have no value on some fold: they are not chosen; or an outer fold has none.
"""


@documented(FITTING, _TUNING)
def tune_estimator(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    grid: Mapping[str, Sequence[Any]],
    *,
    metrics: Any = None,
    higher_is_better: bool | None = None,
    cv: Any = 10,
    groups: ArrayLike | None = None,
    rule: Rule = "best",
    complexity: Complexity | None = None,
    refit: bool = True,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> TuningResult:
    """Choose a setting from a grid on validation folds, and refit it on all the data.

    Returns
    -------
    TuningResult
        All settings with their values, the chosen one, and the final model.

    Notes
    -----
    Every setting is fitted on the same folds: settings times folds fits, and one more. Of equal
    means the simplest is chosen, and of equally simple settings the first in the grid. Test data
    must play no part: tune on training data only, or estimate with `nested_cross_validation`.

    References
    ----------
    Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees, section 3.4.3
    (one standard error).

    Examples
    --------
    >>> from fastmetrics.selection import parameter_range
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"max_depth": parameter_range(1, 5, 1), "min_samples_leaf": [1, 5]}
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> found = tune_estimator(
    ...     tree, X, y, grid, cv=5, rule="one-standard-error", complexity="max_depth", rng=1
    ... )
    >>> len(found.settings), found.estimator.get_depth() == found.setting["max_depth"]
    (10, True)
    """
    task = check_task(estimator, X, y, groups, n_jobs, progress)
    tuning = _tuning(task, grid, rule, complexity, metrics, higher_is_better)
    found = tuning.of(check_splits(cv, task, rng))
    if not refit:
        return found
    everything = np.arange(len(task.y))
    return replace(found, estimator=fitted(with_setting(task, dict(found.setting)), everything))


@documented(FITTING, _TUNING)
def nested_cross_validation(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    grid: Mapping[str, Sequence[Any]],
    *,
    metrics: Any = None,
    higher_is_better: bool | None = None,
    outer_cv: Any = 10,
    inner_cv: Any = 5,
    groups: ArrayLike | None = None,
    rule: Rule = "best",
    complexity: Complexity | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> NestedCrossValidation:
    """Estimate what an estimator achieves when it is tuned: tuning is repeated in each fold.

    Parameters
    ----------
    groups : array-like of shape (n,), optional
        Handed to both splitters.
    n_jobs : int, optional
        Processes (joblib), one for an outer fold; by default they are run one by one.

    Returns
    -------
    NestedCrossValidation
        The honest estimate, beside what tuning alone would claim; `tune_estimator` on all the data
        gives the model that it is an estimate for.

    Warns
    -----
    UndefinedMetricWarning
        If the measure is undefined on some outer folds: the estimate is nan.

    Notes
    -----
    Outer folds times (settings times inner folds + 1) fits. The spread over the outer folds
    is no standard error: their training sets overlap. `of_fitted_models` has the interval of how
    the tuned models of the outer folds do on average on new examples, given their training sets, as
    in `evaluate_estimator`.

    References
    ----------
    Varma & Simon (2006), Bias in error estimation when using cross-validation for model selection,
    BMC Bioinformatics 7:91. Cawley & Talbot (2010), On over-fitting in model selection, JMLR
    11:2079-2107.

    Examples
    --------
    >>> from fastmetrics.selection import parameter_range
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"n_neighbors": parameter_range(1, 9, 4)}
    >>> found = nested_cross_validation(
    ...     KNeighborsClassifier(), X, y, grid, outer_cv=5, inner_cv=3, rng=1
    ... )
    >>> len(found.settings), found.metric, 0.0 < found.estimate < 0.1
    (5, 'error_rate', True)
    """
    level = check_confidence_level(confidence_level)
    task = check_task(estimator, X, y, groups, n_jobs, progress)
    tuning = _tuning(task, grid, rule, complexity, metrics, higher_is_better)
    if not isinstance(inner_cv, int | np.integer) and not hasattr(inner_cv, "split"):
        raise InputError(
            "`inner_cv` must be a number of folds or an object with `split`: got "
            f"{type(inner_cv).__name__}"
        )
    generator = np.random.default_rng(seed_key(rng))
    outer = check_splits(outer_cv, task, generator, "outer_cv")
    keys = generator.integers(2**63, size=len(outer)).tolist()
    done = task.each(partial(_on_outer_fold, tuning, inner_cv), [*zip(outer, keys, strict=True)])
    on_test = [of_fold for of_fold, _ in done]
    values = np.array([of_fold.value for of_fold in on_test])
    estimate = float(values.mean())
    tunings = tuple(one for _, one in done)
    _warn_undefined(np.isnan(values).sum(), len(values), "outer folds")
    return NestedCrossValidation(
        tuning.judge.said,
        bool(tuning.judge.higher_is_better),
        estimate,
        float(values.std(ddof=1)) if len(values) > 1 else np.nan,
        float(np.mean([one.value for one in tunings])),
        values,
        tunings,
        average_of_models(tuning.judge, estimate, on_test, task, level),
    )


def _on_outer_fold(tuning: _Tuning, cv: Any, job: tuple[Split, int]) -> tuple[Tested, TuningResult]:
    """Tune on one outer training fold, and test on the outer test fold."""
    (train, test), key = job
    task, groups = tuning.task, tuning.task.groups
    part = replace(
        task,
        X=rows_of(task.X, train),
        y=task.y[train],
        groups=None if groups is None else np.asarray(groups)[train],
        n_jobs=1,
        progress=False,
    )
    found = replace(tuning, task=part).of(check_splits(cv, part, key, "inner_cv"))
    tuned = with_setting(task, dict(found.setting))
    return tested(tuning.judge, judged(tuned, fitted(tuned, train), test), test), found


@dataclass(frozen=True, slots=True, eq=False)
class _Tuning:
    """The choice of a setting; ``order`` are the numbers of the settings, the simplest first."""

    task: Task
    judge: Metric
    settings: tuple[Setting, ...]
    order: list[int]
    rule: Rule

    def of(self, splits: Sequence[Split]) -> TuningResult:
        """Return the setting chosen by the measure of each on each split."""
        jobs = [FitJob(setting, split) for setting in self.settings for split in splits]
        found = self.task.each(partial(values_of, self.task, self.judge, False), jobs)
        values = np.array(found).reshape(len(self.settings), len(splits))
        means, errors = values.mean(1), np.full(len(values), np.nan)
        if values.shape[1] > 1:
            errors = values.std(1, ddof=1) / np.sqrt(values.shape[1])
        undefined = np.isnan(means)
        if undefined.all():
            raise InputError(f"{self.judge.label!r} is undefined for every setting on some fold")
        _warn_undefined(undefined.sum(), len(means), "settings")
        losses = -means if self.judge.higher_is_better else means.copy()
        losses[undefined] = np.inf
        best = next(i for i in self.order if losses[i] == losses.min())
        chosen = best
        if self.rule == "one-standard-error" and not np.isnan(errors[best]):
            chosen = next(i for i in self.order if losses[i] <= losses[best] + errors[best])
        return TuningResult(
            self.judge.said,
            bool(self.judge.higher_is_better),
            self.rule,
            self.settings[chosen],
            chosen,
            best,
            float(means[chosen]),
            float(errors[chosen]),
            self.settings,
            values,
            means,
            errors,
        )


def _tuning(
    task: Task, grid: Any, rule: Any, complexity: Any, metrics: Any, higher_is_better: Any
) -> _Tuning:
    chosen_rule: Rule = check_choice("rule", rule, get_args(Rule))
    settings = settings_of(grid)
    order = by_simplicity(settings, complexity, chosen_rule)
    check_parameters(task.estimator, grid)
    judge = asked_metric(metrics, higher_is_better, task.classes)
    return _Tuning(task, judge, settings, order, chosen_rule)


def _warn_undefined(count: int, total: int, what: str) -> None:
    if count:
        message = f"the measure is undefined for {count:,} of {total:,} {what}"
        warn_user(message, UndefinedMetricWarning)
