"""What `evaluate` returns: the measures of each model, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from fastmetrics._input.scalars import WeightsAre
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.intervals.bootstrap.bootstrap import BootstrapResults
from fastmetrics.intervals.bootstrap.paired_bootstrap import PairedDifference
from fastmetrics.intervals.costs.threshold_cost import ThresholdCostInterval
from fastmetrics.report._html import evaluation_html

#: Fields of a bootstrap result that are its own; the rest are those of the whole bootstrap.
_OF_ONE_MEASURE = (
    *("estimate", "confidence_interval", "method", "standard_error", "bias", "n_failed"),
)


@dataclass(frozen=True, slots=True, repr=False)
class ModelEvaluation(Result):
    """The measures of one model.

    Attributes
    ----------
    name : str
        Of the model.
    n_positive, n_negative : int or float
        Examples (or their weight) of each class.
    roc_auc : float
        Area under the ROC curve.
    confidence_interval : ConfidenceInterval
        For `roc_auc`: the bootstrap's if there was one, else as `evaluate` says; nan where a class
        is missing.
    interval_method : str
        Which interval that is; empty where there is none.
    average_precision : float
        Area under the P-R curve by steps; a tie is one step.
    break_even_point : float
        Where precision equals recall.
    ks_statistic : float
        Largest distance between the score distributions of the two classes.
    threshold : int or float
        The threshold of the largest TPR - FPR (Youden); positive means score >= threshold.
    true_positive_rate, false_positive_rate : float
        At `threshold`.
    note : str
        What a reader of the figures must know; usually empty.
    bootstrap : BootstrapResults or None
        By measure: estimate, interval, standard error, replicates.
    costs : ThresholdCostInterval or None
        The cheapest threshold and what it costs, where prices were given; its intervals are nan
        where rows are grouped.
    """

    name: str
    n_positive: int | float
    n_negative: int | float
    roc_auc: float
    confidence_interval: ConfidenceInterval
    interval_method: str
    average_precision: float
    break_even_point: float
    ks_statistic: float
    threshold: int | float
    true_positive_rate: float
    false_positive_rate: float
    note: str = ""
    bootstrap: BootstrapResults | None = field(default=None, hash=False)
    costs: ThresholdCostInterval | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Of the bootstrap, each measure's figures without the replicates; nothing if there
            was none, and nothing of costs without prices.
        """
        plain = Result.to_dict(self)
        plain.pop("bootstrap")
        if self.costs is None:
            plain.pop("costs")
        if self.bootstrap is not None:
            plain["bootstrap"] = {
                metric: _plain_fields(result, _OF_ONE_MEASURE)
                for metric, result in self.bootstrap.items()
            }
        return plain


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationBootstrap(Result):
    """How the bootstrap of an evaluation was made.

    Attributes
    ----------
    method : str or None
        That was asked for; None where each measure has its own, which its result names.
    method_of_differences : str or None
        Of the intervals of differences; None with one model.
    n_resamples : int
        Replicates.
    stratified : bool
        Whether each class was drawn by itself.
    n_groups : int or None
        How many groups there were to draw from; None where rows were drawn.
    threshold : int, float or None
        From which score on the measures of counts call an example positive.
    key : str
        Of the random numbers: ``rng=key`` draws the same replicates again.
    """

    method: str | None
    method_of_differences: str | None
    n_resamples: int
    stratified: bool
    n_groups: int | None
    threshold: int | float | None
    key: str


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Result):
    """The measures of one or several models on the same examples.

    Attributes
    ----------
    models : tuple of ModelEvaluation
        In the order given.
    confidence_level : float
        Of the confidence intervals.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    bootstrap : EvaluationBootstrap or None
        How the intervals were made, where a bootstrap made them.
    differences : mapping of str to tuple of PairedDifference, or None
        By measure, every pair of models; None without a bootstrap, or with one model.
    """

    models: tuple[ModelEvaluation, ...]
    confidence_level: float
    weights_are: WeightsAre | None = None
    bootstrap: EvaluationBootstrap | None = None
    differences: Mapping[str, tuple[PairedDifference, ...]] | None = field(default=None, hash=False)

    def __getitem__(self, model: str | int) -> ModelEvaluation:
        """Return the evaluation of a model, by name or by position."""
        if isinstance(model, int):
            return self.models[model]
        names = [known.name for known in self.models]
        if model not in names:
            raise KeyError(f"{model!r}: the models are {', '.join(map(repr, names))}")
        return self.models[names.index(model)]

    def __iter__(self) -> Iterator[ModelEvaluation]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Without the replicates; without `bootstrap` and `differences` where they are None.
        """
        plain: dict[str, Any] = {
            "models": [model.to_dict() for model in self.models],
            "confidence_level": self.confidence_level,
            "weights_are": self.weights_are,
        }
        if self.bootstrap is not None:
            plain["bootstrap"] = self.bootstrap.to_dict()
        if self.differences is not None:
            plain["differences"] = {
                metric: [_without_replicates(pair) for pair in pairs]
                for metric, pairs in self.differences.items()
            }
        return plain

    def __repr__(self) -> str:
        aucs = ", ".join(f"{model.name}: roc_auc={model.roc_auc:.6g}" for model in self.models)
        return f"Evaluation({aucs})"

    def _repr_html_(self) -> str:
        return evaluation_html(self)


def _plain_fields(result: Any, names: tuple[str, ...]) -> dict[str, Any]:
    values = {name: getattr(result, name) for name in names}
    return {k: v.to_dict() if isinstance(v, Result) else v for k, v in values.items()}


def _without_replicates(pair: PairedDifference) -> dict[str, Any]:
    names = [f.name for f in fields(pair) if f.name != "bootstrap_distribution"]
    return _plain_fields(pair, tuple(names))
