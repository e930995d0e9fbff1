"""Error of an estimator by cross-validation, holdout and bootstrap."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_confidence_level
from fastmetrics._results import ConfidenceInterval, OneNumber, Result
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    UndefinedMetricWarning,
    by_name,
    warn_user,
)
from fastmetrics.inference.estimate_result import Estimate, caution_notes
from fastmetrics.inference.reference import critical_value, moments
from fastmetrics.selection.fitting import (
    FITTING,
    FitTask,
    SplitScores,
    average_of_models,
    check_method,
    check_task,
    fit_and_score,
    fit_clone,
    predict_rows,
)
from fastmetrics.selection.folds import LeaveOneOut
from fastmetrics.selection.point632 import Bootstrap632, by_632, no_row_losses
from fastmetrics.selection.scoring import EstimatorMetric, defaults, request_metrics


@dataclass(frozen=True, slots=True, repr=False)
class MetricEstimate(OneNumber):
    """One metric of an estimator, on test rows and, beside it, on training rows.

    Attributes
    ----------
    estimate : float
        The mean over the test sets; of the .632 methods, their estimate.
    confidence_interval : ConfidenceInterval or None
        Nadeau and Bengio's, for the mean, within the bounds of the metric; None for the .632
        methods.
    standard_error : float
        Nadeau and Bengio's; nan for the .632 methods.
    standard_deviation : float
        Of the values of the test sets, with n - 1; nan for one split.
    train_estimate : float
        The mean over the training sets; of the .632 methods, the resubstitution error.
    train_standard_deviation : float
        Of the values of the training sets.
    higher_is_better : bool or None
        None where that is not known, as of a callable.
    bootstrap : Bootstrap632 or None
        What the .632 methods found.
    given : str
        What the metric was given: "labels" (predicted ones), "scores", "probabilities", "values"
        (predicted numbers), "estimator" (a scorer); or "predictions", what `predict` returns, of a
        function that the library does not know.
    interval_method : {"t", "wilson"}
        Whether the interval is mean -+ t standard errors; or Wilson's, where that would leave the
        bounds of the metric.
    of_fitted_models : Estimate or None
        The same mean with the interval of how the fitted models do on average on new examples,
        given their training sets; None of the .632 methods, and where influences are not known.
    """

    estimate: float
    confidence_interval: ConfidenceInterval | None
    standard_error: float
    standard_deviation: float
    train_estimate: float
    train_standard_deviation: float
    higher_is_better: bool | None = None
    bootstrap: Bootstrap632 | None = None
    given: str = "predictions"
    interval_method: Literal["t", "wilson"] = "t"
    of_fitted_models: Estimate | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, repr=False)
class EstimatorEvaluation(Result):
    """The metrics of an estimator over the splits of one method.

    Attributes
    ----------
    estimator : str
        Name of the estimator's class.
    method : str
        The method: its name, or the splitter.
    metrics : mapping from str to MetricEstimate
        By the metric's name; ``evaluation[name]`` is the same.
    folds : mapping from str to ndarray of shape (n_splits,)
        The table of splits, by column: `split`, `n_train`, `n_test`, then `train_<metric>` and
        `test_<metric>` of each metric, `fit_seconds` and `score_seconds`.
    n_splits : int
        Splits.
    test_train_ratio : float
        Test rows over distinct training rows, the correction's part for overlapping training sets.
    confidence_level : float
        Of the intervals.
    majority_accuracy : float or None
        Accuracy of always answering the most frequent class; None for regression.
    key : str or None
        Of the random numbers: ``rng=key`` splits alike. None for splitters of others.
    """

    estimator: str
    method: str
    metrics: Mapping[str, MetricEstimate]
    folds: Mapping[str, NDArray[Any]] = field(repr=False)
    n_splits: int
    test_train_ratio: float
    confidence_level: float
    majority_accuracy: float | None
    key: str | None

    def __getitem__(self, metric: str) -> MetricEstimate:
        """Return the estimate of a metric by its name."""
        return by_name(self.metrics, metric, "metrics")

    def __repr__(self) -> str:
        lines = []
        for name, one in self.metrics.items():
            limits = one.confidence_interval
            kind = " by Wilson" if one.interval_method == "wilson" else ""
            interval = "" if limits is None else f" [{limits.low:.4g}, {limits.high:.4g}]{kind}"
            values = f"test {one.estimate:.4g}{interval}, train {one.train_estimate:.4g}"
            lines.append(f"{_label(name, one)}: {values}")
        if self.majority_accuracy is not None:
            lines.append(f"majority class {self.majority_accuracy:.4g}")
        splits = "1 split" if self.n_splits == 1 else f"{self.n_splits} splits"
        return (
            f"{type(self).__name__}({self.estimator}, {self.method}, {splits}; {'; '.join(lines)})"
        )

    def _display(self) -> Display:
        names = [_label(name, one) for name, one in self.metrics.items()]
        columns = {"metric": names, **Table.of(self.metrics.values(), _FIGURES).columns}
        headers = {"estimate": "test", "standard_deviation": "spread", "train_estimate": "train"}
        headers["train_standard_deviation"] = "spread of train"
        models = [metric.of_fitted_models for metric in self.metrics.values()]
        known = [each for each in models if each is not None]
        if known:
            columns["of_fitted_models"] = [each and each.confidence_interval for each in models]
            headers["of_fitted_models"] = "of fitted models"
        table = Table(columns, words=headers, level=self.confidence_level)
        splits = Table(
            self.folds,
            "splits",
            words={name: name for name in self.folds},
            most=_MOST_SPLITS,
            unseen=_SECONDS,
            framed=False,
        )
        notes = []
        if self.majority_accuracy is not None:
            notes.append(f"The most frequent class has {self.majority_accuracy:.4g} of the rows.")
        by_wilson = [n for n, m in self.metrics.items() if m.interval_method == "wilson"]
        if by_wilson:
            notes.append(f"Interval by Wilson: {', '.join(by_wilson)}.")
        notes += caution_notes(known)
        if any(metric.bootstrap is not None for metric in self.metrics.values()):
            notes.append("The .632 methods have no interval: none is known for their rules.")
        return Display([table, splits], f"{self.estimator}, {self.method}", notes)


#: They are never the same again, and in `folds`.
_SECONDS: Final = ("fit_seconds", "score_seconds")
_MOST_SPLITS: Final = 10
#: What is shown of a metric.
_FIGURES: Final = (
    *("estimate", "confidence_interval", "standard_deviation", "standard_error"),
    *("train_estimate", "train_standard_deviation"),
)


def _label(name: str, one: MetricEstimate) -> str:
    """Return the name of a metric; for an unknown function with its input."""
    return f"{name} (given predictions)" if one.given == "predictions" else name


Floats = NDArray[np.float64]


@documented(FITTING)
def evaluate_estimator(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = 10,
    metrics: Any = None,
    groups: ArrayLike | None = None,
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> EstimatorEvaluation:
    """Estimate how an estimator does on new examples, and how on those it was fitted on.

    Parameters
    ----------
    cv : int, str or splitter, default=10
        A number of folds; "k-fold" and "pxk" for any whole numbers ("10-fold", "10x10"), "5x2"
        (five different halvings), "loo", "holdout" (a quarter of the rows, 10 times), ".632",
        ".632+"; or a splitter, ours or scikit-learn's. Of a classifier, numbers and names mean
        stratified splits.
    metrics : str, callable, (str, mapping), sequence or mapping of them, optional
        Metrics by the library's names, all of which `metrics_table` shows with what they need:
        predicted labels ("error_rate", "f1_macro"), scores ("roc_auc", by decision_function or else
        predict_proba), probabilities ("log_loss"), decision values ("hinge_loss"), predicted
        numbers ("mean_squared_error"); a pair adds parameters, a mapping gives names of your own.
        Or callables: functions of ours and scikit-learn's of the same names are the metrics by
        these names, undefined values nan (`functools.partial` adds parameters); scorers, and
        functions whose first argument is called `estimator`, get (estimator, X, y); any other
        function gets (y_true, y_pred), the *predictions*, and the result says so. Unless given,
        "error_rate", "balanced_accuracy" and "f1" ("f1_macro" of several classes), or
        "mean_squared_error", "mean_absolute_error" and "r2"; row by row the first alone.
    groups : array-like of shape (n,), optional
        Groups that folds must not tear apart.
    n_resamples : int, optional
        Bootstrap samples of ".632" and ".632+"; 200 unless given.
    rng : None, int, Generator or str, optional
        Source of the splits, or the `key` of a result, which splits alike. The estimator keeps its
        own `random_state`.

    Returns
    -------
    EstimatorEvaluation
        Mean, spread and interval of each metric, test beside training, and the table of splits.

    Raises
    ------
    ValueError
        If an option is out of range, a metric is not for such an estimator, or the data cannot be
        split so. What the estimator raises passes through, with a note that says at which split.

    Warns
    -----
    UndefinedMetricWarning
        If a metric is undefined in some split, so that its mean is nan; or one split has no
        spread.
    DegenerateDataWarning
        If a metric is the same in all splits, so that its interval has no width; if a class has
        too few rows for the splits.

    Notes
    -----
    The interval is mean -+ t s sqrt(1/J + n_test/n_train) with J - 1 degrees of freedom for J
    splits: training sets overlap, and the splits' own s / sqrt(J) is too small (Nadeau and Bengio).
    It is an approximation, made for repeated hold-out. Where it would leave the bounds of a metric
    that has two (accuracy, AUC: 0 and 1), it is Wilson's with the same t, which covers more often
    than its level; `interval_method` says so.

    `of_fitted_models` has an interval for another target, which K-fold cross-validation covers
    closely: how the very models that were fitted do on average on new examples, given their
    training sets; not how the estimator does on new training sets, whose spread it leaves out
    (Bates et al.). It is of the influences of all test rows: of means over rows the spread of the
    rows' losses (Bayle et al.), of the AUC the mean of the splits' AUCs with the placements in each
    (LeDell et al.). Repetitions average what a row adds, and so do not count it twice; with
    `groups` the sums over groups vary. None where no influences are known, or a split is undefined.

    The .632 methods have no interval: the published standard error is of the leave-one-out
    bootstrap's error alone, not of the rules that lean on the training error. They take metrics
    that are means of losses of rows: "error_rate", "log_loss", "brier_score", "mean_squared_error",
    "mean_absolute_error" and the like (see `no_information_error`), or a callable that returns one
    loss a row; their estimate is `Bootstrap632`'s, and the table has the samples. Cost: one fit a
    split, one more for the .632 methods, and a prediction of all rows for each.

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52:239-281.
    Bayle, Bayle, Janson & Mackey (2020), Cross-validation confidence intervals for test error,
    NeurIPS 33. LeDell, Petersen & van der Laan (2015), Electronic Journal of Statistics
    9:1583-1607. Bates, Hastie & Tibshirani (2024), Cross-validation: what does it estimate and how
    well does it do it? JASA 119:1434-1445.
    Efron & Tibshirani (1997), Improvements on cross-validation: the .632+ bootstrap method,
    JASA 92:548-560.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> result = evaluate_estimator(tree, X, y, metrics=["error_rate", "f1_macro"], rng=0)
    >>> error = result["error_rate"]
    >>> result.n_splits, round(error.estimate, 2), error.train_estimate
    (10, 0.04, 0.0)
    >>> plus = evaluate_estimator(tree, X, y, cv=".632+", n_resamples=50, rng=0)
    >>> 0.03 < plus["error_rate"].estimate < 0.06
    True
    """
    level = check_confidence_level(confidence_level)
    task = check_task(estimator, X, y, groups, n_jobs, progress)
    splitter, rule = check_method(cv, task, rng, n_resamples)
    if metrics is None:
        by_row = rule is not None or isinstance(splitter, LeaveOneOut)
        metrics = defaults(task.classes)[: 1 if by_row else None]
    requested = request_metrics(metrics, task.classes)
    for metric in requested:
        if rule is not None and not metric.has_row_losses:
            raise no_row_losses(metric.label)
    splits = splitter.split(task.X, task.y, groups)
    total = int(splitter.get_n_splits(task.X, task.y, groups))
    on_all = None
    if rule is not None:  # the error of the model of all rows, and that without information
        rows = np.arange(len(task.y))
        whole = predict_rows(task, fit_clone(task, rows), rows)
        on_all = [(float(one.losses(whole).mean()), one.no_information(whole)) for one in requested]
    scores = task.each(partial(fit_and_score, task, requested, rule is not None), splits, total)
    if not scores:
        raise InputError("`cv` makes no split")
    ratio = sum(one.n_test for one in scores) / sum(one.n_distinct for one in scores)
    if on_all is None:
        estimates = _means(requested, scores, ratio, level, task)
    else:
        estimates = _by_632(requested, scores, rule, on_all, len(task.y))
    majority = None
    if task.classes is not None:
        majority = float(np.unique(task.y, return_counts=True)[1].max() / len(task.y))
    return EstimatorEvaluation(
        type(estimator).__name__,
        _title(cv, splitter),
        estimates,
        _table(requested, scores),
        len(scores),
        ratio,
        level,
        majority,
        None if isinstance(splitter, LeaveOneOut) else getattr(splitter, "key", None),
    )


def _title(cv: Any, splitter: Any) -> str:
    """Return the name of a method, or a splitter without its key."""
    if isinstance(cv, int | np.integer):
        return f"{cv}-fold"
    plain = re.sub(r", rng='[0-9a-f]{16}'|rng='[0-9a-f]{16}'", "", repr(splitter))
    return cv if isinstance(cv, str) else plain


def _columns(scores: list[SplitScores]) -> tuple[Floats, Floats]:
    """Return the values on training and on test rows, one row a metric."""
    return np.array([one.train for one in scores]).T, np.array([one.test for one in scores]).T


def _table(
    requested: tuple[EstimatorMetric, ...], scores: list[SplitScores]
) -> Mapping[str, NDArray[Any]]:
    train, test = _columns(scores)
    columns: dict[str, NDArray[Any]] = {
        "split": np.arange(len(scores)),
        "n_train": np.array([one.n_train for one in scores]),
        "n_test": np.array([one.n_test for one in scores]),
    }
    for i, metric in enumerate(requested):
        columns[f"train_{metric.label}"] = train[i]
        columns[f"test_{metric.label}"] = test[i]
    columns["fit_seconds"] = np.array([one.fit_seconds for one in scores])
    columns["score_seconds"] = np.array([one.score_seconds for one in scores])
    return columns


def _means(
    requested: tuple[EstimatorMetric, ...],
    scores: list[SplitScores],
    ratio: float,
    level: float,
    task: FitTask,
) -> dict[str, MetricEstimate]:
    train, test = _columns(scores)
    _warn_undefined(requested, train, test)
    estimates = {}
    by_metric = zip(*(one.test_metrics for one in scores), strict=True)
    for metric, on_train, on_test, tested in zip(requested, train, test, by_metric, strict=True):
        mean, deviation, error, interval, kind = mean_over_splits(
            on_test, ratio, level, metric.bounds
        )
        estimates[metric.label] = MetricEstimate(
            mean,
            interval,
            error,
            deviation,
            *_mean_and_deviation(on_train),
            metric.higher_is_better,
            given=metric.given,
            interval_method=kind,
            of_fitted_models=average_of_models(metric, mean, tested, task, level),
        )
    return estimates


def mean_over_splits(
    values: Floats, ratio: float, level: float, bounds: tuple[float, float]
) -> tuple[float, float, float, ConfidenceInterval, Literal["t", "wilson"]]:
    """Return mean, standard deviation, and Nadeau and Bengio's standard error and interval."""
    mean, deviation = _mean_and_deviation(values)
    error = deviation * math.sqrt(1.0 / len(values) + ratio)
    half = math.nan
    if len(values) > 1:
        half = critical_value(len(values) - 1, 1.0 - level) * error
    return mean, deviation, error, *_interval(mean, half, bounds)


def _interval(
    mean: float, half: float, bounds: tuple[float, float]
) -> tuple[ConfidenceInterval, Literal["t", "wilson"]]:
    """Return mean -+ half; where that would leave two finite bounds, Wilson's interval.

    Its limits p solve (p - x)^2 = half^2 p (1 - p) / (x (1 - x)), x being the mean scaled from the
    bounds to [0, 1]. The greater of two roots has no cancellation; their product gives the
    other.
    """
    low, high = bounds
    width = high - low
    if half > 0.0 and mean in bounds:  # up to rounding, every value is there
        half = 0.0
    leaves = low < mean < high and (mean - half < low or mean + half > high)
    if not leaves or math.isinf(width):
        return ConfidenceInterval(mean - half, mean + half), "t"
    x = (mean - low) / width
    half = half / width
    kept = 1.0 / (1.0 + half * half / (x * (1.0 - x)))
    centre = kept * x + (1.0 - kept) / 2
    spread = math.sqrt(kept * (1.0 - kept) * x * (1.0 - x) + (1.0 - kept) ** 2 / 4)
    below = kept * x * x / (centre + spread)
    above = kept * (1.0 - x) * (1.0 - x) / (1.0 - centre + spread)
    return ConfidenceInterval(low + width * below, high - width * above), "wilson"


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Return mean and standard deviation; nan if a value is nan, infinite ones as they come."""
    if np.isfinite(values).all():
        return moments(values)[1:]
    return float(values.mean()), math.nan


def _warn_undefined(requested: tuple[EstimatorMetric, ...], train: Floats, test: Floats) -> None:
    n_splits = test.shape[1]
    for metric, on_train, on_test in zip(requested, train, test, strict=True):
        for side, values in (("test", on_test), ("training", on_train)):
            undefined = int(np.count_nonzero(np.isnan(values)))
            if undefined:
                warn_user(
                    f"{metric.label!r} is not defined on the {side} rows of {undefined:,} of "
                    f"{n_splits:,} splits: its mean is nan",
                    UndefinedMetricWarning,
                )
        if n_splits > 1 and on_test.min() == on_test.max():
            warn_user(
                f"{metric.label!r} is {on_test[0]:g} in all {n_splits:,} splits: its interval has "
                "no width",
                DegenerateDataWarning,
            )
    if n_splits == 1:
        warn_user("one split has no spread and no interval: both are nan", UndefinedMetricWarning)


def _by_632(
    requested: tuple[EstimatorMetric, ...],
    scores: list[SplitScores],
    rule: str | None,
    on_all: list[tuple[float, float]],
    n: int,
) -> dict[str, MetricEstimate]:
    """Return the estimate of each metric from the samples and the model of all rows."""
    train, test = _columns(scores)
    by_metric = {}
    for i, (metric, (error, gamma)) in enumerate(zip(requested, on_all, strict=True)):
        samples: list[Any] = [one.test_metrics[i] for one in scores]
        rows = np.concatenate([sample.rows for sample in samples])
        losses = np.concatenate([sample.row_values for sample in samples])
        estimates = by_632(error, rows, losses, n, gamma, len(scores))
        by_metric[metric.label] = MetricEstimate(
            estimates.err632 if rule == ".632" else estimates.err632_plus,
            None,
            math.nan,
            _mean_and_deviation(test[i])[1],
            error,
            _mean_and_deviation(train[i])[1],
            metric.higher_is_better,
            estimates,
            metric.given,
        )
    return by_metric
