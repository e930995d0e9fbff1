"""What `decision_curve` and `decision_curve_difference` return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.scalars import WeightsAre
from fastmetrics._results import Result
from fastmetrics.plots._style import shown_name
from fastmetrics.plots.curves import PLOTTED, Band, Curve, Guide, band_title, draw_curves

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class DecisionCurve(Result):
    """Net benefit of models at threshold probabilities, with limits.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Threshold probabilities, rising.
    names : tuple of str
        Of the models.
    net_benefit : ndarray of shape (n_models, n_thresholds)
        Of treating whoever has at least the threshold probability.
    low, high : ndarray of shape (n_models, n_thresholds)
        Limits of it.
    standard_error : ndarray of shape (n_models, n_thresholds)
        Of it.
    treat_all : ndarray of shape (n_thresholds,)
        Net benefit of treating everybody; that of treating nobody is 0.
    prevalence : float
        Share of positives, of the data or as it was given.
    standardized : bool
        Whether net benefits were divided by it.
    kind : {"pointwise", "simultaneous"}
        Whether the limits hold at any one threshold, or at all of them at once.
    confidence_level : float
        Of the limits.
    critical_value : tuple of float
        How many standard errors the limits of each model reach.
    key : str or None
        Of the random numbers of a simultaneous band: ``rng=key`` draws them again.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    """

    thresholds: Floats
    names: tuple[str, ...]
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
        return Display([Table(columns), _options(self)], type(self).__name__)

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

        The limits are bands. What lies deep below 0 is no choice, and out of sight.
        """
        x = self.thresholds
        models = zip(self.names, self.net_benefit, self.low, self.high, strict=True)
        curves = [
            Curve(x, benefit, shown_name(name), Band(x, low, high))
            for name, benefit, low, high in models
        ]
        guides = [
            Guide(x, self.treat_all, "treat all"),
            Guide(x, np.zeros(len(x)), "treat none", ":"),
        ]
        unit = "standardized net benefit" if self.standardized else "net benefit"
        labels = ("threshold probability", unit)
        title = band_title(self.confidence_level, self.kind)
        return draw_curves(
            curves, guides, labels, ax, depth=0.15, title=title, options=line_options
        )


@dataclass(frozen=True, slots=True, repr=False)
class DecisionCurveDifference(Result):
    """How much more net benefit one model has than another, with limits.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Threshold probabilities, rising.
    names : tuple of str
        The model, and the one that is subtracted.
    difference : ndarray of shape (n_thresholds,)
        Of their net benefits on the same rows; the greater, the better is the first.
    low, high : ndarray of shape (n_thresholds,)
        Limits of it.
    standard_error : ndarray of shape (n_thresholds,)
        Of it.
    standardized : bool
        Whether net benefits were divided by the prevalence.
    kind : {"pointwise", "simultaneous"}
        Whether the limits hold at any one threshold, or at all of them at once.
    confidence_level : float
        Of the limits.
    critical_value : float
        How many standard errors they reach.
    key : str or None
        Of the random numbers of a simultaneous band.
    weights_are : {"importances", "frequencies"} or None
        How weights were read; None where there were none.
    """

    thresholds: Floats
    names: tuple[str, str]
    difference: Floats
    low: Floats
    high: Floats
    standard_error: Floats
    standardized: bool
    kind: str
    confidence_level: float
    critical_value: float
    key: str | None
    weights_are: WeightsAre | None

    def _shown(self) -> Display:
        columns = {
            "threshold": self.thresholds,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
        }
        caption = " − ".join(self.names)
        return Display([Table(columns, caption), _options(self)], type(self).__name__)

    @documented(PLOTTED)
    def plot(self, ax: Any = None, **line_options: Any) -> Any:
        """Draw the difference, with its limits as a band, against threshold probability."""
        x, label = self.thresholds, " − ".join(map(shown_name, self.names))
        curve = Curve(x, self.difference, label, Band(x, self.low, self.high))
        labels = ("threshold probability", "difference of net benefit")
        equal = Guide(x, np.zeros(len(x)), "equal")
        title = band_title(self.confidence_level, self.kind)
        return draw_curves([curve], [equal], labels, ax, title=title, options=line_options)


def _options(curve: DecisionCurve | DecisionCurveDifference) -> Table:
    """Return how the limits were made."""
    names = ("standardized", "kind", "confidence_level", "key", "weights_are")
    return Table.record({name: getattr(curve, name) for name in names}, framed=False)
