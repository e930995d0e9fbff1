"""What `evaluate_estimator` returns: each measure's mean and spread, and the table of splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from numpy.typing import NDArray

from fastmetrics._display import Display, Table
from fastmetrics._results import ConfidenceInterval, OneNumber, Result
from fastmetrics.errors import by_name
from fastmetrics.inference.estimate_result import Estimate, cautions_of
from fastmetrics.selection.estimates.point632 import Bootstrap632


@dataclass(frozen=True, slots=True, repr=False)
class MetricEstimate(OneNumber):
    """One measure of an estimator, on test rows and, beside it, on training rows.

    Attributes
    ----------
    estimate : float
        The mean over the test sets; of the .632 methods, their estimate.
    confidence_interval : ConfidenceInterval or None
        Nadeau and Bengio's, for the mean, within the bounds of the measure; None for the .632
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
        What the measure was given: "labels" (predicted ones), "scores", "probabilities", "values"
        (predicted numbers), "estimator" (a scorer); or "predictions", what `predict` returns, of a
        function that the library does not know.
    interval_method : {"t", "wilson"}
        Whether the interval is mean -+ t standard errors; or Wilson's, where that would leave the
        bounds of the measure.
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
    """The measures of an estimator over the splits of one method.

    Attributes
    ----------
    estimator : str
        Name of the estimator's class.
    method : str
        The method: its name, or the splitter.
    metrics : mapping from str to MetricEstimate
        By the measure's name; ``evaluation[name]`` is the same.
    folds : mapping from str to ndarray of shape (n_splits,)
        The table of splits, by column: `split`, `n_train`, `n_test`, then `train_<metric>` and
        `test_<metric>` of each measure, `fit_seconds` and `score_seconds`.
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
        """Return the estimate of a measure by its name."""
        return by_name(self.metrics, metric, "measures")

    def __repr__(self) -> str:
        said = []
        for name, found in self.metrics.items():
            limits = found.confidence_interval
            kind = " by Wilson" if found.interval_method == "wilson" else ""
            interval = "" if limits is None else f" [{limits.low:.4g}, {limits.high:.4g}]{kind}"
            values = f"test {found.estimate:.4g}{interval}, train {found.train_estimate:.4g}"
            said.append(f"{_named(name, found)}: {values}")
        if self.majority_accuracy is not None:
            said.append(f"majority class {self.majority_accuracy:.4g}")
        splits = "1 split" if self.n_splits == 1 else f"{self.n_splits} splits"
        return (
            f"{type(self).__name__}({self.estimator}, {self.method}, {splits}; {'; '.join(said)})"
        )

    def _shown(self) -> Display:
        names = [_named(name, found) for name, found in self.metrics.items()]
        columns = {"metric": names, **Table.of(self.metrics.values(), _FIGURES).columns}
        words = {"estimate": "test", "standard_deviation": "spread", "train_estimate": "train"}
        words["train_standard_deviation"] = "spread of train"
        models = [metric.of_fitted_models for metric in self.metrics.values()]
        known = [each for each in models if each is not None]
        if known:
            columns["of_fitted_models"] = [each and each.confidence_interval for each in models]
            words["of_fitted_models"] = "of fitted models"
        measures = Table(columns, words=words, level=self.confidence_level)
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
        notes += cautions_of(known)
        if any(metric.bootstrap is not None for metric in self.metrics.values()):
            notes.append("The .632 methods have no interval: none is known for their rules.")
        return Display([measures, splits], f"{self.estimator}, {self.method}", notes)


#: They are never the same again, and in `folds`.
_SECONDS: Final = ("fit_seconds", "score_seconds")
_MOST_SPLITS: Final = 10
#: What is shown of a measure.
_FIGURES: Final = (
    *("estimate", "confidence_interval", "standard_deviation", "standard_error"),
    *("train_estimate", "train_standard_deviation"),
)


def _named(name: str, found: MetricEstimate) -> str:
    """Return the name of a measure; a function that nobody knows says what it was given."""
    return f"{name} (given predictions)" if found.given == "predictions" else name
