"""Fit an estimator on some rows and measure it on others: one split, and all splits in parallel."""

from __future__ import annotations

import math
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_vector
from fastmetrics._input.rows import NamedScores
from fastmetrics._input.scalars import check_integer, check_same_length
from fastmetrics._threads.workers import progress_bar
from fastmetrics.errors import (
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    importing,
    renamed,
)
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.samples import (
    build_samples,
    cell_influences,
    proportion_counts,
)
from fastmetrics.inference.units import FEW_GROUPS, Units
from fastmetrics.metrics._metric import HITS, LARGEST_GAP
from fastmetrics.selection.folds import (
    BootstrapOutOfBag,
    FiveByTwo,
    Folds,
    GroupedFolds,
    HoldOut,
    LeaveOneOut,
    Rows,
    Split,
    row_count,
)
from fastmetrics.selection.scoring import EstimatorMetric, ModelOutputs, check_sklearn, classifies

Floats = NDArray[np.float64]

#: What `build_samples` is told beside the data: nothing.
_NO_OPTIONS: Final = dict.fromkeys(
    ("event", "query", "groups", "strata", "sample_weight", "threshold", "pos_label")
)


class SplitMetric(NamedTuple):
    """A metric on the test rows of one split.

    ``row_values`` are the influences of rows, or None; for the .632 methods their losses.
    """

    rows: NDArray[np.intp]
    value: float
    row_values: Floats | None


def split_metric(
    metric: EstimatorMetric, outputs: ModelOutputs, rows: NDArray[np.intp], by_row: bool
) -> SplitMetric:
    """Return a metric with the influences of the rows; ``by_row``, with their losses."""
    if by_row:
        losses = metric.losses(outputs)
        return SplitMetric(rows, float(losses.mean()), losses)
    one = metric.request
    value = metric.evaluate(outputs)
    if not math.isfinite(value) or not one.has_influences or one.entry.interval == LARGEST_GAP:
        return SplitMetric(rows, value, None)
    entry = one.entry
    if entry.needs == "scores" and entry.family == "probabilities":  # of a margin
        return SplitMetric(rows, value, None)
    data: Any = outputs.columns_for(entry)
    if entry.needs == "labels":
        slopes = cell_influences(one, outputs.confusion.astype(np.float64))[1]
        return SplitMetric(rows, value, slopes[data[0] * len(outputs.classes) + data[1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        models = [NamedScores("", "estimator", data[1])]
        sample = build_samples((one,), data[0], models, weights_are="importances", **_NO_OPTIONS)
        return SplitMetric(rows, value, sample[one.label].influences(one, 0).influences)


def average_of_models(
    metric: EstimatorMetric, mean: float, splits: Sequence[SplitMetric], task: Any, level: float
) -> Estimate | None:
    """Return the mean over the splits, which is given, with the interval of the models' average.

    With psi the influence of a row in split j, v_j the value of it and v the mean of all J, the row
    adds (psi + (v_j - v) / m) / J, m being the test rows of the split, or of its class where the
    metric does not depend on how frequent classes are: of a mean over rows (loss - v) / (m J).
    The contributions of a row in several splits are added up: rows vary, not predictions.
    """
    influences = [split.row_values for split in splits if split.row_values is not None]
    if len(influences) < len(splits):
        return None
    one = metric.request
    n_splits = len(splits)
    entry = one.entry
    codes = None
    n = 1 + max(int(split.rows.max()) for split in splits)
    if task.classes is not None and entry.is_by_class(one.parameters):
        codes = np.unique(task.y, return_inverse=True)[1]
    influence = np.zeros(n)
    times = np.zeros(n, np.int64)
    for split, values in zip(splits, influences, strict=True):
        strata = np.zeros(len(split.rows), np.int64) if codes is None else codes[split.rows]
        between = (split.value - mean) / np.bincount(strata)[strata]
        np.add.at(influence, split.rows, (values + between) / n_splits)
        np.add.at(times, split.rows, 1)
    rows = np.flatnonzero(times)
    units = Units(
        len(rows),
        groups=None
        if task.groups is None
        else check_class_labels(task.groups, "groups").codes[rows],
        strata=None if codes is None else codes[rows],
    )
    is_plain = task.groups is None
    counts = None
    size = float(len(rows))
    if is_plain and times.max() == 1 and entry.is_proportion_of_all:
        right = mean if entry.interval == HITS else 1.0 - mean
        counts = proportion_counts(size * right, size)
    with warnings.catch_warnings():  # `note` says what a warning would
        warnings.simplefilter("ignore")
        measured = Measurement((mean,), influence[rows][None, :], units, (counts,), size)
        estimate = make_estimate(one, measured, 0, level)
    whose = "this one" if n_splits == 1 else f"the average of these {n_splits:,}"
    target = f"covers {whose} on new examples, not models fitted on new training sets"
    notes = [f"the interval of fitted models {target}"]
    if not is_plain and units.effective_groups < FEW_GROUPS:
        notes.append(f"below about {FEW_GROUPS} groups intervals cover less than their level")
    return replace(estimate, note="; ".join([*notes, *([estimate.note] if estimate.note else [])]))


S = TypeVar("S")
T = TypeVar("T")
Setting = dict[str, Any]
#: One setting on one split.
FitJob = tuple[Setting, Split]

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
    One metric, as in `evaluate_estimator`: a name of the library's, a function of it, a scorer of
    scikit-learn, or a function of yours of (y_true, y_pred), the predictions. By default the error
    rate of a classifier and the mean squared error of a regressor.
higher_is_better : bool, optional
    Whether the greater number is the better (accuracy, AUC) or the lower (errors, losses): declared
    for a metric of the library, required for a function.
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
class FitTask:
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
            for result in _results(partial(_call_named, function), splits, self.n_jobs):
                done.append(result)
                if update is not None:
                    update(1)
        return done


class SplitScores(NamedTuple):
    """The metrics of one split, in the requested order, and the time they took.

    ``test_metrics`` are those of the test rows, with the influences of rows.
    """

    n_train: int
    n_distinct: int
    n_test: int
    train: tuple[float, ...]
    test_metrics: tuple[SplitMetric, ...]
    fit_seconds: float
    score_seconds: float

    @property
    def test(self) -> tuple[float, ...]:
        """The metrics of the test rows."""
        return tuple(one.value for one in self.test_metrics)


def check_task(
    estimator: Any, X: Any, y: Any, groups: Any, n_jobs: Any, progress: bool | None
) -> FitTask:
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
    return FitTask(estimator, X, target, classes, groups, number, progress)


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


def with_setting(task: FitTask, setting: Setting) -> FitTask:
    """Return the task with an estimator of that setting; the user's own is left as it is."""
    if not setting:
        return task
    from sklearn.base import clone

    estimator = clone(task.estimator)
    # Cloned, so that two fits do not share an estimator that is itself a parameter.
    estimator.set_params(**{name: clone(value, safe=False) for name, value in setting.items()})
    return replace(task, estimator=estimator)


def fit_clone(task: FitTask, rows: Rows) -> Any:
    """Return a clone of the estimator, fitted on these rows."""
    from sklearn.base import clone

    model = clone(task.estimator, safe=False)
    model.fit(take_rows(task.X, rows), task.y[rows])
    return model


def take_rows(X: Any, rows: Rows) -> Any:
    """Return some rows of the data, in the container that they came in."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def predict_rows(task: FitTask, model: Any, rows: Rows) -> ModelOutputs:
    """Return some rows with the model's outputs."""
    return ModelOutputs(model, take_rows(task.X, rows), task.y[rows], task.classes)


def fit_and_score(
    task: FitTask, metrics: tuple[EstimatorMetric, ...], by_row: bool, split: Split
) -> SplitScores:
    """Fit on the training rows of one split and measure on both sides of it.

    ``by_row`` tells metrics that are means of the losses of rows, which are kept.
    """
    start = time.perf_counter()
    model = fit_clone(task, split[0])
    fit_seconds = time.perf_counter() - start
    on_train, on_test = (predict_rows(task, model, rows) for rows in split)
    if by_row:
        train = tuple(float(metric.losses(on_train).mean()) for metric in metrics)
    else:
        train = tuple(metric.evaluate(on_train) for metric in metrics)
    test = tuple(split_metric(metric, on_test, split[1], by_row) for metric in metrics)
    score_seconds = time.perf_counter() - start - fit_seconds
    sizes = len(split[0]), len(np.unique(split[0])), len(split[1])
    return SplitScores(*sizes, train, test, fit_seconds, score_seconds)


def score_setting(task: FitTask, metric: EstimatorMetric, job: FitJob) -> float:
    """Return the metric, on the test rows of a split, of the estimator with a setting."""
    setting, (train, test) = job
    task = with_setting(task, setting)
    try:
        return metric.evaluate(predict_rows(task, fit_clone(task, train), test))
    except Exception as error:
        error.add_note(f"fastmetrics: with the setting {setting}")
        raise


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


def _call_named(function: Callable[[S], T], numbered: tuple[int, S]) -> T:
    """Call the function; an error says at which split."""
    number, split = numbered
    try:
        return function(split)
    except Exception as error:
        error.add_note(f"fastmetrics: at split {number}, counted from 0")
        raise


NAMES = "'k-fold' as in '10-fold', 'pxk' as in '10x10', '5x2', 'loo', 'holdout', '.632', '.632+'"

_DRAWN: Final[dict[str, type[FiveByTwo | HoldOut]]] = {"5x2": FiveByTwo, "holdout": HoldOut}


def check_method(
    cv: Any, task: FitTask, rng: Any, n_resamples: Any = None
) -> tuple[Any, str | None]:
    """Return the splitter of a number of folds, a name or itself, and which .632 rule follows."""
    stratified = task.classes is not None
    grouped = task.groups is not None
    if isinstance(cv, int | np.integer):
        cv = f"{check_integer('cv', cv, low=2)}-fold"
    wrong = f"`cv` must be a number of folds, a splitter or one of {NAMES}: got {cv!r}"
    if not isinstance(cv, str):
        if isinstance(cv, type) or not callable(getattr(cv, "split", None)):
            raise InputTypeError(wrong)
        for name, value in (("rng", rng), ("n_resamples", n_resamples)):
            if value is not None:
                raise InputTypeError(
                    f"`{name}` belongs to the splitter where `cv` is one: got {value!r}"
                )
        return cv, None
    if cv in (".632", ".632+"):
        if grouped:
            raise InputError(f"`cv` of {cv!r} draws rows, not groups: name folds, as '10-fold'")
        drawn = 200 if n_resamples is None else check_integer("n_resamples", n_resamples, low=1)
        return BootstrapOutOfBag(drawn, rng=rng), cv
    if n_resamples is not None:
        raise InputTypeError(f"`n_resamples` is for the methods '.632' and '.632+': got {cv!r}")
    match = re.fullmatch(r"(?:(\d+)-fold)|(?:(\d+)x(\d+))", cv)
    if grouped and match is None:
        raise InputError(f"`cv` of {cv!r} knows no `groups`: name folds, as '10-fold'")
    if cv == "loo":
        return LeaveOneOut(), None
    if cv in _DRAWN and not grouped:
        return _DRAWN[cv](stratified=stratified, rng=rng), None
    if match is None:
        raise InputError(wrong)
    folds, repeats, folds_of_repeat = match.groups()
    kind = GroupedFolds if grouped else Folds
    options: dict[str, Any] = {"n_repeats": int(repeats or 1), "stratified": stratified}
    return kind(int(folds or folds_of_repeat), rng=rng, **options), None


def check_splits(cv: Any, task: FitTask, rng: Any, name: str = "cv") -> list[Split]:
    """Return the splits of a number of folds, of a name, of a splitter, or those given."""
    if isinstance(cv, int | np.integer | str):
        with renamed(cv=name):
            splitter, rule = check_method(cv, task, rng)
        if rule is not None:
            raise InputError(f"`{name}` must split the rows, and {cv!r} is a way to estimate")
        cv = splitter
    if callable(getattr(cv, "split", None)) and not isinstance(cv, type):
        pairs = cv.split(task.X, task.y, task.groups)
    elif isinstance(cv, Iterable):
        pairs = cv
    else:
        raise InputTypeError(
            f"`{name}` must be a number of folds, a splitter, one of {NAMES}, or pairs of row "
            f"numbers: got {cv!r}"
        )
    splits = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
    if not splits:
        raise InputError(f"`{name}` yields no split")
    return splits
