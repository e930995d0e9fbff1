"""``Replicates``: what an estimate or a pair keeps of resampling, how it is drawn and said."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.shown import Shown
from fastmetrics._display.table import Display
from fastmetrics._docs import documented
from fastmetrics._results import ConfidenceInterval, OneNumber, Result
from fastmetrics.errors import InputTypeError

#: How weights were read, which intervals hang on.
WEIGHTS: Final = {
    None: (),
    "importances": ("Weights are importances: each row is one row, whatever its weight.",),
    "frequencies": ("Weights are frequencies: each row stands for so many rows.",),
}
METHODS: Final = {
    "band": "limits of the largest of many gaps",
    "bca": "BCa",
    "influence": "Student's t, by the influence of each row",
    "newcombe": "Newcombe",
    "wilson": "Wilson",
    "clopper-pearson": "Clopper and Pearson",
    "outer limits with wilson": "outer limits of Wilson and Student's t",
    "outer limits with newcombe": "outer limits of Newcombe and Student's t",
}


@dataclass(frozen=True, slots=True, repr=False)
class Replicates(Result):
    """What resampling found of one number: `details` of its `Estimate` or `Pair`.

    Attributes
    ----------
    distribution : ndarray of shape (n_resamples,)
        The number of each replicate, or after each exchange of a permutation test, in their order;
        nan where it is undefined. Read-only.
    n_failed : int
        Replicates that are undefined, and left out: what follows from the others is conditional on
        the measure being defined, and `note` of the estimate says why.
    bias : float
        Mean of the replicates less the estimate; nan of exchanges.
    key : str
        The key of the random numbers: ``rng=key`` draws the same replicates again.
    effective_sample_size : float
        Rows, or with importances the number of equal weights that tell as much (Kish).
    effective_n_groups : float or None
        How many groups of equal size the groups are worth, (sum m)^2 / sum m^2: the interval is
        widened by Student's t with one degree of freedom less. None where rows are drawn.
    """

    distribution: NDArray[np.float64] = field(repr=False)
    n_failed: int
    bias: float
    key: str
    effective_sample_size: float
    effective_n_groups: float | None = None

    @property
    def n_resamples(self) -> int:
        """How many replicates there are."""
        return len(self.distribution)


class Drawn(OneNumber, ABC):
    """Base of results whose `details` may be replicates, which `plot` draws."""

    __slots__ = ()
    metric: str
    estimate: float
    confidence_interval: ConfidenceInterval
    details: Any

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
        TypeError
            If there are no replicates, as of an interval by a formula.
        """
        from fastmetrics._plots.replicates import Estimate, draw_replicates

        if not isinstance(self.details, Replicates):
            raise InputTypeError(
                f"{self.metric!r} has no replicates to draw: a bootstrap or a permutation test has"
            )
        name, interval, null = self._words()
        low, high = self.confidence_interval
        drawn = Estimate(name, self.estimate, low, high, interval, null)
        return draw_replicates(self.details.distribution, drawn, ax, options=histogram_options)

    @abstractmethod
    def _words(self) -> tuple[str, str, float | None]:
        """Return what number and interval are called, and what the number is compared with."""

    def _shown(self) -> Display:
        own = Result._shown(self)
        if not isinstance(self.details, Shown):
            return own
        more = [replace(each, framed=False) for each in self.details._shown().tables]
        return replace(own, tables=[*own.tables, *more])


def cautions_of(results: Iterable[Any]) -> list[str]:
    """Return what a reader of the intervals must know, and of which measures."""
    about: dict[str, list[str]] = {}
    for one in results:
        if one.note:
            metrics = about.setdefault(one.note, [])
            metrics += [one.metric] * (one.metric not in metrics)
    return [f"{', '.join(metrics)}: {note}." for note, metrics in about.items()]


def again(replicates: Replicates) -> str:
    """Return how many replicates there are, and how they are made again."""
    return f"{replicates.n_resamples:,} resamples, `rng={replicates.key!r}` draws them again"
