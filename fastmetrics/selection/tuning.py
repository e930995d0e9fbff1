"""Choose settings from a grid on validation data; nested validation estimates the optimism."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_confidence_level, seed_key
from fastmetrics._results import OneNumber, Result
from fastmetrics.errors import InputError, InputTypeError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.estimate_result import Estimate, Estimates
from fastmetrics.selection.fitting import (
    FITTING,
    FitTask,
    Setting,
    SplitMetric,
    average_of_models,
    check_parameters,
    check_splits,
    check_task,
    fit_clone,
    predict_rows,
    score_setting,
    split_metric,
    take_rows,
    with_setting,
)
from fastmetrics.selection.folds import Split
from fastmetrics.selection.scoring import EstimatorMetric, request_metric

Closed = Literal["both", "left", "right", "neither"]

_MOST_VALUES: Final = 10**7
_MOST_SETTINGS: Final = 10**6


def parameter_range(
    start: float, stop: float, step: float, *, closed: Closed = "both"
) -> tuple[float, ...]:
    """Return the values from start to stop by a step, with or without either end.

    Parameters
    ----------
    start, stop : float
        The ends, start <= stop. `stop` is a value only if the steps hit it exactly.
    step : float
        Distance of the values, above 0.
    closed : {"both", "left", "right", "neither"}, default="both"
        Which ends belong to the range: "both" is [start, stop], "right" is (start, stop].

    Returns
    -------
    tuple of float
        start + i step; integers where all three numbers are integers.

    Raises
    ------
    TypeError
        If a number is none.
    ValueError
        If a number is not finite, the step is not positive, the ends are in the wrong order, or no
        value or more than ten million values remain.

    Notes
    -----
    A float means the shortest decimal that stands for it: 0.05 is 1/20 here. Values are computed
    in fractions and rounded once, so that 0.15 is 0.15, and the end of [0, 0.2] by 0.05 is hit.

    Examples
    --------
    >>> parameter_range(0, 0.2, 0.05)
    (0.0, 0.05, 0.1, 0.15, 0.2)
    >>> parameter_range(0, 1, 0.2, closed="right")
    (0.2, 0.4, 0.6, 0.8, 1.0)
    >>> parameter_range(1, 9, 2, closed="left")
    (1, 3, 5, 7)
    """
    side: Closed = check_choice("closed", closed, get_args(Closed))
    ends = {"start": start, "stop": stop, "step": step}
    low, high, width = (_fraction(name, value) for name, value in ends.items())
    if width <= 0:
        raise InputError(f"`step` must be positive: got {step!r}")
    if low > high:
        raise InputError(f"`start` must not exceed `stop`: got {start!r} and {stop!r}")
    last = (high - low) // width
    first = 0 if side in ("both", "left") else 1
    if side in ("left", "neither") and low + last * width == high:
        last -= 1
    count = last - first + 1
    if count > _MOST_VALUES:
        raise InputError(f"`step` must leave at most {_MOST_VALUES:,} values: got {count:,}")
    if count < 1:
        left, right = "[" if first == 0 else "(", "]" if side in ("both", "right") else ")"
        raise InputError(f"no value lies in {left}{start!r}, {stop!r}{right} by {step!r}")
    kind = int if all(isinstance(value, int | np.integer) for value in ends.values()) else float
    return tuple(kind(low + i * width) for i in range(first, last + 1))


def _fraction(name: str, value: Any) -> Fraction:
    """Return the intended number: of a float its shortest decimal."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | Decimal):
        raise InputTypeError(f"`{name}` must be a number: got {type(value).__name__} {value!r}")
    if not math.isfinite(value):
        raise InputError(f"`{name}` must be finite: got {value!r}")
    return Fraction(str(value))


def expand_grid(grid: Any) -> tuple[Setting, ...]:
    """Return every combination of a grid's values, the last parameter varying fastest."""
    if not isinstance(grid, Mapping):
        raise InputTypeError(f"`grid` must map names to values: got {type(grid).__name__}")
    n_settings = 1
    for name, values in grid.items():
        is_sequence = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
        if not isinstance(name, str) or not is_sequence:
            raise InputTypeError(
                f"`grid` must map names to sequences of values: got {name!r}: {values!r}"
            )
        if len(values) == 0:
            raise InputError(f"`grid` has no value for {name!r}")
        n_settings *= len(values)
    if not grid or n_settings > _MOST_SETTINGS:
        raise InputError(
            f"`grid` must have 1 to {_MOST_SETTINGS:,} settings: got {n_settings * bool(grid)}"
        )
    columns = [v.tolist() if isinstance(v, np.ndarray) else v for v in grid.values()]
    return tuple(dict(zip(grid, values, strict=True)) for values in itertools.product(*columns))


def sort_by_simplicity(settings: tuple[Setting, ...], complexity: Any, rule: str) -> list[int]:
    """Return the indices of the settings, the simplest first; by default in the grid's order."""
    if complexity is None:
        if rule == "one-standard-error":
            raise InputError("`rule='one-standard-error'` needs `complexity`: what is simpler")
        return list(range(len(settings)))
    if callable(complexity):
        return sorted(range(len(settings)), key=lambda i: complexity(settings[i]))
    names = [complexity] if isinstance(complexity, str) else list(complexity)
    order = list(range(len(settings)))
    for name in reversed(names):  # stable sorts, the last name first
        plain = name.removeprefix("-")
        if plain not in settings[0]:
            raise InputError(
                f"`complexity` must name parameters of `grid`: got {name!r}, there are "
                f"{', '.join(map(repr, settings[0]))}"
            )
        order.sort(key=lambda i, plain=plain: settings[i][plain], reverse=plain != name)  # type: ignore[misc]
    return order


@dataclass(frozen=True, slots=True, repr=False)
class TuningResult(Result):
    """The settings that were tried, the chosen one, and its model fitted on all the data.

    Attributes
    ----------
    metric : str
        What settings were judged by.
    higher_is_better : bool
        Its direction.
    rule : str
        How the setting was chosen: "best" or "one-standard-error".
    setting : mapping from str to value
        The chosen setting.
    index : int
        Its number.
    best_index : int
        That of the setting with the best mean.
    value : float
        Mean of the chosen setting over the validation folds. As it was chosen for being good, this
        is too good an estimate of the error to come: see `nested_cross_validation`.
    standard_error : float
        Of that mean, the folds taken as independent.
    settings : tuple of mappings
        All settings, in the order of the grid, the last parameter varying fastest.
    values : ndarray of shape (n_settings, n_folds)
        The metric of each setting on each validation fold.
    means, standard_errors : ndarray of shape (n_settings,)
        Over the folds.
    estimator : estimator or None
        The final model: the chosen setting fitted on all the data; None without `refit`.
    """

    _has_points = True
    metric: str
    higher_is_better: bool
    rule: str
    setting: Mapping[str, Any]
    index: int = field(repr=False)
    best_index: int = field(repr=False)
    value: float
    standard_error: float
    settings: tuple[Mapping[str, Any], ...] = field(repr=False)
    values: NDArray[np.float64] = field(repr=False)
    means: NDArray[np.float64] = field(repr=False)
    standard_errors: NDArray[np.float64] = field(repr=False)
    estimator: Any = field(default=None, repr=False, compare=False)

    @property
    def table(self) -> tuple[dict[str, Any], ...]:
        """A row for each setting: its parameters, mean, standard error, and rank, 1 the best."""
        signs = -self.means if self.higher_is_better else self.means
        ranks = [1 + int(np.count_nonzero(signs < sign)) for sign in signs]
        ranks = [len(ranks) if np.isnan(s) else r for s, r in zip(signs, ranks, strict=True)]
        columns = (self.settings, self.means.tolist(), self.standard_errors.tolist(), ranks)
        return tuple(
            {**setting, "mean": mean, "standard_error": error, "rank": rank}
            for setting, mean, error, rank in zip(*columns, strict=True)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Field name to value, without the fitted model.
        """
        fields = Result.to_dict(self)
        del fields["estimator"]
        return fields

    def __repr__(self) -> str:
        return (
            f"TuningResult({dict(self.setting)!r} of {len(self.settings):,} settings, "
            f"{self.metric} {self.value:.4g} (standard error {self.standard_error:.2g}), "
            f"rule={self.rule!r})"
        )

    def _display(self) -> Display:
        rows = self.table
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        columns["chosen"] = [i == self.index for i in range(len(rows))]
        headers = {name: name for name in self.setting}
        settings = ", ".join(f"{name}={value!r}" for name, value in self.setting.items())
        title = f"{self.metric} of {len(rows):,} settings"
        return Display(
            [Table(columns, words=headers)], title, [f"Chosen by rule {self.rule!r}: {settings}."]
        )


@dataclass(frozen=True, slots=True, repr=False)
class NestedCrossValidation(OneNumber):
    """Performance of a tuned estimator on data that had no part in its tuning.

    Attributes
    ----------
    metric : str
        What settings and models are judged by.
    higher_is_better : bool
        Its direction.
    estimate : float
        Mean over the outer folds: the honest estimate.
    standard_deviation : float
        Of the values of the outer folds, with n - 1; nan for one fold.
    inner_estimate : float
        Mean over the outer folds of the chosen setting's value on the inner folds: what tuning
        alone would have claimed.
    values : ndarray of shape (n_outer_folds,)
        The metric of each tuned model on its outer test fold.
    tunings : tuple of TuningResult
        The tuning on each outer training fold; without the fitted models.
    of_fitted_models : Estimate or None
        The same mean with the interval of how the tuned models do on average on new examples, given
        their training sets; None where influences are not known.
    """

    metric: str
    higher_is_better: bool
    estimate: float
    standard_deviation: float
    inner_estimate: float
    values: NDArray[np.float64]
    tunings: tuple[TuningResult, ...] = field(repr=False)
    of_fitted_models: Estimate | None = field(default=None, repr=False)

    @property
    def settings(self) -> tuple[Mapping[str, Any], ...]:
        """The setting chosen on each outer fold; where they differ, tuning is unsure."""
        return tuple(tuning.setting for tuning in self.tunings)

    def _display(self) -> Display:
        display = Result._display(self)
        columns = {"fold": range(len(self.values)), self.metric: self.values}
        folds = Table(columns | {"setting": self.settings}, "outer folds", framed=False)
        tables = [*display.tables, folds]
        notes = list(display.notes)
        if self.of_fitted_models is not None:
            inside = Estimates({self.metric: self.of_fitted_models})._display()
            tables = [*tables, *inside.tables]
            notes = [*notes, *inside.notes]
        return replace(display, tables=tables, notes=notes)


Rule = Literal["best", "one-standard-error"]
Complexity = str | Sequence[str] | Callable[[Setting], Any]

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
    the metric is not known, or no setting has a value.

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
    >>> result = tune_estimator(
    ...     tree, X, y, grid, cv=5, rule="one-standard-error", complexity="max_depth", rng=1
    ... )
    >>> len(result.settings), result.estimator.get_depth() == result.setting["max_depth"]
    (10, True)
    """
    task = check_task(estimator, X, y, groups, n_jobs, progress)
    choice = _choice(task, grid, rule, complexity, metrics, higher_is_better)
    tuned = _tune(task, choice, check_splits(cv, task, rng))
    if not refit:
        return tuned
    everything = np.arange(len(task.y))
    return replace(tuned, estimator=fit_clone(with_setting(task, dict(tuned.setting)), everything))


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
        If the metric is undefined on some outer folds: the estimate is nan.

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
    >>> result = nested_cross_validation(
    ...     KNeighborsClassifier(), X, y, grid, outer_cv=5, inner_cv=3, rng=1
    ... )
    >>> len(result.settings), result.metric, 0.0 < result.estimate < 0.1
    (5, 'error_rate', True)
    """
    level = check_confidence_level(confidence_level)
    task = check_task(estimator, X, y, groups, n_jobs, progress)
    choice = _choice(task, grid, rule, complexity, metrics, higher_is_better)
    judge = choice[0]
    if not isinstance(inner_cv, int | np.integer) and not hasattr(inner_cv, "split"):
        raise InputError(
            "`inner_cv` must be a number of folds or an object with `split`: got "
            f"{type(inner_cv).__name__}"
        )
    generator = np.random.default_rng(seed_key(rng))
    outer = check_splits(outer_cv, task, generator, "outer_cv")
    keys = generator.integers(2**63, size=len(outer)).tolist()
    one_fold = partial(_on_outer_fold, task, choice, inner_cv)
    done = task.each(one_fold, [*zip(outer, keys, strict=True)])
    on_test = [fold for fold, _ in done]
    values = np.array([fold.value for fold in on_test])
    estimate = float(values.mean())
    tunings = tuple(one for _, one in done)
    _warn_undefined(np.isnan(values).sum(), len(values), "outer folds")
    return NestedCrossValidation(
        judge.display_name,
        bool(judge.higher_is_better),
        estimate,
        float(values.std(ddof=1)) if len(values) > 1 else np.nan,
        float(np.mean([one.value for one in tunings])),
        values,
        tunings,
        average_of_models(judge, estimate, on_test, task, level),
    )


#: Metric, settings, their indices from the simplest on, and the rule.
_Choice = tuple[EstimatorMetric, tuple[Setting, ...], list[int], Rule]


def _choice(
    task: FitTask, grid: Any, rule: Any, complexity: Any, metrics: Any, higher_is_better: Any
) -> _Choice:
    chosen_rule: Rule = check_choice("rule", rule, get_args(Rule))
    settings = expand_grid(grid)
    order = sort_by_simplicity(settings, complexity, chosen_rule)
    check_parameters(task.estimator, grid)
    return request_metric(metrics, higher_is_better, task.classes), settings, order, chosen_rule


def _on_outer_fold(
    task: FitTask, choice: _Choice, cv: Any, job: tuple[Split, int]
) -> tuple[SplitMetric, TuningResult]:
    """Tune on one outer training fold, and test on the outer test fold."""
    (train, test), key = job
    groups = None if task.groups is None else np.asarray(task.groups)[train]
    outer_task = replace(
        task, X=take_rows(task.X, train), y=task.y[train], groups=groups, n_jobs=1, progress=False
    )
    search = _tune(outer_task, choice, check_splits(cv, outer_task, key, "inner_cv"))
    tuned = with_setting(task, dict(search.setting))
    return split_metric(
        choice[0], predict_rows(tuned, fit_clone(tuned, train), test), test, False
    ), search


def _tune(task: FitTask, choice: _Choice, splits: Sequence[Split]) -> TuningResult:
    """Return the setting with the best metric over the splits."""
    judge, settings, order, rule = choice
    jobs = [(setting, split) for setting in settings for split in splits]
    values = np.array(task.each(partial(score_setting, task, judge), jobs))
    values = values.reshape(len(settings), len(splits))
    means = values.mean(1)
    errors = np.full(len(values), np.nan)
    if values.shape[1] > 1:
        errors = values.std(1, ddof=1) / np.sqrt(values.shape[1])
    undefined = np.isnan(means)
    if undefined.all():
        raise InputError(f"{judge.label!r} is undefined for every setting on some fold")
    _warn_undefined(undefined.sum(), len(means), "settings")
    losses = -means if judge.higher_is_better else means.copy()
    losses[undefined] = np.inf
    best = next(i for i in order if losses[i] == losses.min())
    chosen = best
    if rule == "one-standard-error" and not np.isnan(errors[best]):
        chosen = next(i for i in order if losses[i] <= losses[best] + errors[best])
    return TuningResult(
        metric=judge.display_name,
        higher_is_better=bool(judge.higher_is_better),
        rule=rule,
        setting=settings[chosen],
        index=chosen,
        best_index=best,
        value=float(means[chosen]),
        standard_error=float(errors[chosen]),
        settings=settings,
        values=values,
        means=means,
        standard_errors=errors,
    )


def _warn_undefined(count: int, total: int, what: str) -> None:
    if count:
        message = f"the metric is undefined for {count:,} of {total:,} {what}"
        warn_user(message, UndefinedMetricWarning)
