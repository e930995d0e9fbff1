"""What `bootstrap` returns: a result for each measure, and the mapping that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._results import ConfidenceInterval, Result, html_table


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class BootstrapResult(Result):
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
        Replicates that are undefined, for instance because they lost a class. They are left out.
    metric, method, alternative : str
        What was measured, and which interval this is.
    confidence_level : float
    n_resamples : int
    key : str
        The key of the random numbers: ``rng=key`` draws the same replicates again.
    effective_sample_size : float
        Rows, or with fractional weights the number of equal weights that tell as much (Kish).
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

    def __post_init__(self) -> None:
        replicates = self.bootstrap_distribution.view()
        replicates.flags.writeable = False
        object.__setattr__(self, "bootstrap_distribution", replicates)

    def __reduce__(self) -> tuple[type[BootstrapResult], tuple[Any, ...]]:
        """Travel as fields: what arrives (or is copied) is read-only again."""
        return type(self), tuple(getattr(self, each.name) for each in fields(self))


class BootstrapResults(Mapping[str, BootstrapResult]):
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
        try:
            return self._results[metric]
        except KeyError:
            known = ", ".join(map(repr, self._results))
            raise KeyError(f"{metric!r}: the measures are {known}") from None

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

    def _repr_html_(self) -> str:
        heads = ("measure", "estimate", "low", "high", "standard error", "bias", "failed")
        rows = [
            (
                metric,
                *(
                    f"{number:.6g}"
                    for number in (
                        result.estimate,
                        result.confidence_interval.low,
                        result.confidence_interval.high,
                        result.standard_error,
                        result.bias,
                    )
                ),
                str(result.n_failed),
            )
            for metric, result in self._results.items()
        ]
        return html_table(heads, rows)
