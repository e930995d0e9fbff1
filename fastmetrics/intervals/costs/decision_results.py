"""What `decision_curve` and `decision_curve_difference` return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import WeightsAre
from fastmetrics._results import Result
from fastmetrics.plots.benefit_plots import Curve, draw_lines

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

    @property
    def interventions_avoided(self) -> Floats:
        """Share of people whom a model spares a treatment, with no positive missed on balance.

        (net benefit - that of treating all) / (t / (1 - t)): of shape (n_models, n_thresholds).
        """
        odds = self.thresholds / (1.0 - self.thresholds)
        unit = self.prevalence if self.standardized else 1.0
        found: Floats = (self.net_benefit - self.treat_all) * unit / odds
        return found

    def plot(self, ax: Any = None) -> Any:
        """Draw net benefit against threshold probability, beside treating all and nobody.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a figure of its own.

        Returns
        -------
        matplotlib Axes
        """
        models = [
            Curve(name, self.thresholds, *of_model)
            for name, *of_model in zip(
                self.names, self.net_benefit, self.low, self.high, strict=True
            )
        ]
        trivial = [
            Curve("treat all", self.thresholds, self.treat_all),
            Curve("treat none", self.thresholds, np.zeros(len(self.thresholds))),
        ]
        unit = "standardized net benefit" if self.standardized else "net benefit"
        # Treating all falls without end; what lies deep below 0 is no choice.
        top = float(np.nanmax(np.concatenate((self.treat_all, self.high.ravel()))))
        labels = ("threshold probability", unit)
        return draw_lines(models, trivial, labels, ax, bottom=-0.15 * top, top=1.05 * top)


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

    def plot(self, ax: Any = None) -> Any:
        """Draw the difference against threshold probability.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a figure of its own.

        Returns
        -------
        matplotlib Axes
        """
        name = " − ".join(self.names)
        curve = Curve(name, self.thresholds, self.difference, self.low, self.high)
        equal = Curve("equal", self.thresholds, np.zeros(len(self.thresholds)))
        return draw_lines(
            [curve], [equal], ("threshold probability", "difference of net benefit"), ax
        )
