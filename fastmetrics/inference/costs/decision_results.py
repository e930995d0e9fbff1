"""What `decision_curve` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._plots._style import shown_name
from fastmetrics._plots.curves import PLOTTED, Band, Curve, Guide, band_title, draw_curves
from fastmetrics._results import Result
from fastmetrics.inference.estimate_result import FIELDS

Floats = NDArray[np.float64]


@documented(FIELDS)
@dataclass(frozen=True, slots=True, repr=False)
class DecisionCurve(Result):
    """Net benefit of models at threshold probabilities, or its differences, with limits.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Threshold probabilities, rising.
    names : tuple of str
        Of the models.
    reference : str or None
        The model whose net benefit is taken away from that of all others.
    net_benefit : ndarray of shape (n_models, n_thresholds)
        Of treating whoever has at least the threshold probability; less that of `reference`.
    low, high : ndarray of shape (n_models, n_thresholds)
        Limits of it.
    standard_error : ndarray of shape (n_models, n_thresholds)
        Of it.
    treat_all : ndarray of shape (n_thresholds,)
        Net benefit of treating everybody, that of treating nobody being 0; less that of
        `reference`.
    prevalence : float
        Share of positives, of the data or as it was given.
    standardized : bool
        Whether net benefits were divided by it.
    kind : {"pointwise", "simultaneous"}
        Whether the limits hold at any one threshold, or at all of them at once.
    critical_value : tuple of float
        How many standard errors the limits of each model reach; of groups, where Student's t does
        as seldom as this of the normal distribution.
    """

    thresholds: Floats
    names: tuple[str, ...]
    reference: str | None
    net_benefit: Floats
    low: Floats
    high: Floats
    standard_error: Floats
    treat_all: Floats
    prevalence: float
    standardized: bool
    kind: str
    confidence_level: float
    critical_value: tuple[float, ...]
    key: str | None
    weights_are: WeightsAre | None

    def _shown(self) -> Display:
        n, grid = len(self.names), self.thresholds
        columns = {
            "threshold": np.tile(grid, n),
            "model": np.repeat(self.names, len(grid)),
            "net_benefit": self.net_benefit.ravel(),
            "low": self.low.ravel(),
            "high": self.high.ravel(),
            "standard_error": self.standard_error.ravel(),
            "treat_all": np.tile(self.treat_all, n),
        }
        names = ("reference", "standardized", "kind", "confidence_level", "key", "weights_are")
        options = Table.record({name: getattr(self, name) for name in names}, framed=False)
        return Display([Table(columns), options], type(self).__name__)

    @property
    def interventions_avoided(self) -> Floats:
        """Share of people whom a model spares a treatment, with no positive missed on balance.

        (net benefit - that of treating all) / (t / (1 - t)): of shape (n_models, n_thresholds).
        """
        odds = self.thresholds / (1.0 - self.thresholds)
        unit = self.prevalence if self.standardized else 1.0
        found: Floats = (self.net_benefit - self.treat_all) * unit / odds
        return found

    @documented(PLOTTED)
    def plot(self, ax: Any = None, **line_options: Any) -> Any:
        """Draw net benefit against threshold probability, beside treating all and nobody.

        The limits are bands. What lies deep below 0 is no choice, and out of sight. Differences
        are drawn beside 0.
        """
        x, less = self.thresholds, ""
        unit = "standardized net benefit" if self.standardized else "net benefit"
        guides = [
            Guide(x, self.treat_all, "treat all"),
            Guide(x, np.zeros(len(x)), "treat none", ":"),
        ]
        if self.reference is not None:
            less, unit = f" − {shown_name(self.reference)}", f"difference of {unit}"
            guides = [Guide(x, np.zeros(len(x)), "equal")]
        models = zip(self.names, self.net_benefit, self.low, self.high, strict=True)
        curves = [
            Curve(x, benefit, shown_name(name) + less, Band(x, low, high))
            for name, benefit, low, high in models
        ]
        return draw_curves(
            curves,
            guides,
            ("threshold probability", unit),
            ax,
            depth=0.15 if self.reference is None else math.inf,
            title=band_title(self.confidence_level, self.kind),
            options=line_options,
        )
