"""What the bootstraps return: a result a measure, all of them by name; differences of models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.shown import Shown
from fastmetrics._display.table import Display
from fastmetrics._docs import documented
from fastmetrics._input.models import pair_of
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._results import ConfidenceInterval, Difference, OneNumber, Result
from fastmetrics.errors import no_such
from fastmetrics.inference.bootstrap._result_tables import (
    cautions_of,
    differences_table,
    measures_table,
    notes_of,
)
from fastmetrics.plots.replicates import Estimate, draw_replicates


class Replicated(ABC):
    """A result with replicates, which `plot` draws."""

    __slots__ = ()

    bootstrap_distribution: NDArray[np.float64]

    @abstractmethod
    def _estimate(self) -> Estimate:
        """Return the number that the replicates are of, with its interval."""

    @documented()
    def plot(self, ax: Any = None, **histogram_options: Any) -> Any:
        """Draw the distribution of the replicates, the estimate, and the limits of its interval.

        Parameters
        ----------
        **histogram_options
            Of ``ax.hist``: `bins`, `facecolor` and so on.

        Returns
        -------
        matplotlib Axes
            What was drawn on. Replicates that are undefined are left out.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw_replicates(
            self.bootstrap_distribution, self._estimate(), ax, options=histogram_options
        )


def estimate_of(
    metric: str, estimate: float, interval: ConfidenceInterval, confidence_level: float, method: str
) -> Estimate:
    """Return a measure with its interval as they are drawn."""
    said = f"{100 * confidence_level:g} % {'BCa' if method == 'bca' else method} interval"
    return Estimate(metric, estimate, interval.low, interval.high, said)


@dataclass(frozen=True, slots=True, repr=False)
class BootstrapResult(Replicated, OneNumber):
    """A measure with its bootstrap interval.

    Attributes
    ----------
    estimate : float
        The measure of the data themselves.
    confidence_interval : ConfidenceInterval
        Its two limits, `low` and `high`; nan where they are undefined.
    standard_error : float
        Standard deviation of the replicates.
    bias : float
        Mean of the replicates less the estimate.
    bootstrap_distribution : ndarray of shape (n_resamples,)
        The replicates, in the order of their numbers; nan where one is undefined. Read-only.
    n_failed : int
        Replicates that are undefined, and left out: the interval is then conditional on the
        measure being defined. `note` says why they are.
    metric, method, alternative : str
        What was measured, and which interval this is.
    confidence_level : float
    n_resamples : int
    key : str
        The key of the random numbers: ``rng=key`` draws the same replicates again.
    effective_sample_size : float
        Rows, or with importances the number of equal weights that tell as much (Kish).
    effective_n_groups : float or None
        How many groups of equal size the groups are worth, (sum m)^2 / sum m^2: the interval is
        widened by Student's t with one degree of freedom less. None where rows are drawn.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    note : str
        What a reader of the interval must know; usually empty.
    """

    estimate: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    bias: float
    bootstrap_distribution: NDArray[np.float64] = field(repr=False)
    n_failed: int
    metric: str
    method: str
    alternative: str
    confidence_level: float
    n_resamples: int
    key: str
    effective_sample_size: float
    effective_n_groups: float | None = None
    weights_are: WeightsAre | None = None
    note: str = ""

    def _estimate(self) -> Estimate:
        interval = (self.confidence_interval, self.confidence_level, self.method)
        return estimate_of(self.metric, self.estimate, *interval)

    def __post_init__(self) -> None:
        replicates = self.bootstrap_distribution.view()
        replicates.flags.writeable = False
        object.__setattr__(self, "bootstrap_distribution", replicates)


class BootstrapResults(Shown, Mapping[str, BootstrapResult]):
    """The results of one bootstrap by the name of the measure; frozen.

    Parameters
    ----------
    results : mapping of str to BootstrapResult

    Examples
    --------
    >>> from fastmetrics import bootstrap
    >>> results = bootstrap([0, 1, 1, 0, 1], [0.1, 0.8, 0.4, 0.5, 0.9], stratified=True, rng=1)
    >>> list(results), results["roc_auc"].n_resamples
    (['roc_auc'], 9999)
    """

    __slots__ = ("_results",)

    def __init__(self, results: Mapping[str, BootstrapResult]) -> None:
        self._results = dict(results)

    def __getitem__(self, metric: str) -> BootstrapResult:
        if metric not in self._results:
            raise no_such(metric, "measures", self._results)
        return self._results[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Measure to the dictionary of its result.
        """
        return {metric: result.to_dict() for metric, result in self._results.items()}

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{metric}={result.estimate:.6g} [{result.confidence_interval.low:.6g}, "
            f"{result.confidence_interval.high:.6g}]"
            for metric, result in self._results.items()
        )
        return f"BootstrapResults({inside})"

    def _shown(self) -> Display:
        first = next(iter(self.values()), None)
        notes = notes_of(first, (each.method for each in self.values())) if first else []
        notes += cautions_of(self.values())
        return Display([measures_table({"": self})], type(self).__name__, notes)


@dataclass(frozen=True, slots=True, repr=False)
class PairedDifference(Replicated, Difference):
    """The difference of a measure between two models on the same rows.

    Attributes
    ----------
    metric, model_a, model_b : str
    difference : float
        The measure of `model_a` less that of `model_b`.
    confidence_interval : ConfidenceInterval
    standard_error : float
        Standard deviation of the replicates of the difference.
    pvalue : float
        Of "no difference": the level at which the interval reaches 0. ``pvalue.is_bound``
        says that no replicate does: p is at most that.
    pvalue_holm : float
        Adjusted for all pairs of models that were compared by this measure.
    n_failed : int
        Replicates in which the measure of either is undefined: interval and p-value are then
        conditional on both being defined.
    bootstrap_distribution : ndarray of shape (n_resamples,)
        Replicates of the difference; read-only.
    note : str
        What a reader of the interval must know; usually empty.
    """

    metric: str
    model_a: str
    model_b: str
    difference: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    pvalue: float
    pvalue_holm: float
    n_failed: int
    bootstrap_distribution: NDArray[np.float64] = field(repr=False)
    note: str = ""

    def _estimate(self) -> Estimate:
        name = f"{self.metric}, {self.model_a} − {self.model_b}"
        low, high = self.confidence_interval
        return Estimate(name, self.difference, low, high, "confidence interval", 0.0)


@dataclass(frozen=True, slots=True, repr=False)
class PairedBootstrap(Result):
    """Models compared by a paired bootstrap.

    Attributes
    ----------
    models : mapping of str to BootstrapResults
        Each model's own intervals, from the same replicates.
    differences : mapping of str to tuple of PairedDifference
        For each measure, every pair of models in the order given.
    method, alternative : str
        Of the differences; the models' own results have theirs.
    confidence_level : float
    n_resamples : int
    key : str
        ``rng=key`` draws the same replicates again.
    effective_n_groups : float or None
        How many groups of equal size the groups are worth; None where rows are drawn.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    """

    models: Mapping[str, BootstrapResults]
    differences: Mapping[str, tuple[PairedDifference, ...]]
    method: str
    alternative: str
    confidence_level: float
    n_resamples: int
    key: str
    effective_n_groups: float | None = None
    weights_are: WeightsAre | None = None

    def __getitem__(self, asked: str | tuple[str, str, str]) -> PairedDifference:
        """Return a difference: by the measure, of several pairs by (measure, model, model)."""
        return pair_of(self.differences, asked)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dictionary of built-in Python objects."""
        plain = Result.to_dict(self)
        plain["models"] = {name: results.to_dict() for name, results in self.models.items()}
        return plain

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{pair.metric}: {pair.model_a} - {pair.model_b} = {pair.difference:.6g} "
            f"[{pair.confidence_interval.low:.6g}, {pair.confidence_interval.high:.6g}]"
            for pairs in self.differences.values()
            for pair in pairs
        )
        return f"PairedBootstrap({inside})"

    def _shown(self) -> Display:
        pairs = differences_table(self.differences, level=self.confidence_level)
        own = measures_table(self.models, caption="each model")
        notes = notes_of(self, [self.method])
        notes += cautions_of(chain.from_iterable(self.differences.values()))
        return Display([pairs, own], type(self).__name__, notes)
