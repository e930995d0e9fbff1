"""What `evaluate` says of one model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fastmetrics._results import ConfidenceInterval, Result, plain_fields
from fastmetrics.inference.costs.threshold_cost import ThresholdCostInterval
from fastmetrics.inference.estimate_result import Estimate, Estimates, Pair
from fastmetrics.inference.guarantees.guaranteed_threshold import GuaranteedThreshold

#: Fields of a bootstrap result that are its own; the rest are those of the whole bootstrap.
_OF_ONE_MEASURE = ("estimate", "confidence_interval", "method", "standard_error")


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
    standard_error : float
        Of `roc_auc`: the bootstrap's if there was one, else as `estimate` has it; nan where a class
        is missing.
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
    estimates : Estimates or None
        By measure: estimate, error and interval by the influences of rows; None where a bootstrap
        made the intervals, or a class is missing.
    bootstrap : Estimates or None
        By measure: estimate, interval, standard error, replicates.
    costs : ThresholdCostInterval or None
        The cheapest threshold and what it costs, where prices were given; its intervals are nan
        where rows are grouped.
    guarantees : tuple of GuaranteedThreshold
        The threshold that keeps each promise that was asked for.
    """

    name: str
    n_positive: int | float
    n_negative: int | float
    roc_auc: float
    confidence_interval: ConfidenceInterval
    interval_method: str
    standard_error: float
    average_precision: float
    break_even_point: float
    ks_statistic: float
    threshold: int | float
    true_positive_rate: float
    false_positive_rate: float
    note: str = ""
    estimates: Estimates | None = field(default=None, hash=False)
    bootstrap: Estimates | None = None
    costs: ThresholdCostInterval | None = None
    guarantees: tuple[GuaranteedThreshold, ...] = ()

    @property
    def estimate(self) -> float:
        """The AUC, by the name that every result with an interval has."""
        return self.roc_auc

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Of the bootstrap, each measure's figures without the replicates; nothing if there
            was none, nothing of costs without prices, and of guarantees where none was asked.
        """
        plain = Result.to_dict(self)
        if self.costs is None:
            plain.pop("costs")
        if not self.guarantees:
            plain.pop("guarantees")
        for name in ("estimates", "bootstrap"):
            found = plain.pop(name) and getattr(self, name)
            if found is not None:
                plain[name] = {
                    metric: plain_of(one, _OF_ONE_MEASURE) for metric, one in found.items()
                }
        return plain


def plain_of(one: Estimate | Pair, names: tuple[str, ...]) -> dict[str, Any]:
    """Return an estimate or a difference; of a bootstrap without its replicates."""
    if one.details is None:
        return plain_fields(one, (*names, "df"))
    return plain_fields(one, (*names, "note")) | plain_fields(one.details, ("bias", "n_failed"))
