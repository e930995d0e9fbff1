"""Measures that follow from weighted sums of columns: what each row adds, and the value of sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics.errors import InputError
from fastmetrics.inference.bootstrap._draws import Line
from fastmetrics.inference.bootstrap._forms import Form, Strata
from fastmetrics.inference.bootstrap._threshold_plans import Part

Floats = NDArray[np.float64]
DIVIDES_BY_0: Final = "what the measure divides by is 0"


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """A measure of column means.

    Attributes
    ----------
    name : str
    columns : callable
        Targets and predictions (None for a mean) to the columns, each of shape (n,).
    finish : callable
        Means of the columns, shape (..., n_columns), to values of shape (...).
    n_columns : int
    needs_prediction, is_probability, is_clipped : bool
        Whether there must be predictions; whether they are probabilities of the label 1; whether
        these keep the machine epsilon of their dtype from 0 and 1.
    slope : callable, optional
        Derivative of `finish` by the mean of its one column; None if there are several.
    """

    name: str
    columns: Callable[[Floats, Floats], list[Floats]]
    finish: Callable[[Floats], Floats]
    n_columns: int = 1
    needs_prediction: bool = True
    is_probability: bool = False
    is_clipped: bool = False
    slope: Callable[[Floats], Floats] | None = np.ones_like

    def variance(self, means: Floats, means_of_squares: Floats, n: Floats) -> Floats:
        """Return the delta method's variance of the value, from the means of n rows."""
        if self.slope is None:
            return np.full(len(means), np.nan)
        mean = means[:, 0]
        spread = (means_of_squares[:, 0] - mean**2) * n / (n - 1.0)
        return self.slope(mean) ** 2 * spread / n


def _first(means: Floats) -> Floats:
    return means[..., 0]


def _r2(means: Floats) -> Floats:
    """Return 1 - MSE / variance; the targets were centred before they were squared."""
    variance = means[..., 2] - means[..., 1] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, 1.0 - means[..., 0] / variance, np.nan)


def _r2_columns(y: Floats, p: Floats) -> list[Floats]:
    centred = y - y.mean()
    return [(y - p) ** 2, centred, centred**2]


def _log_loss_columns(y: Floats, p: Floats) -> list[Floats]:
    return [-np.where(y > 0, np.log(p), np.log1p(-p))]


#: Measures by their names.
SUMS = {
    metric.name: metric
    for metric in (
        Sums("mean", lambda y, p: [y], _first, needs_prediction=False),
        Sums("mean_squared_error", lambda y, p: [(y - p) ** 2], _first),
        Sums(
            "root_mean_squared_error",
            lambda y, p: [(y - p) ** 2],
            lambda means: np.sqrt(means[..., 0]),
            slope=lambda mean: 0.5 / np.sqrt(mean),
        ),
        Sums("mean_absolute_error", lambda y, p: [np.abs(y - p)], _first),
        Sums("mean_error", lambda y, p: [p - y], _first),
        Sums("r2", _r2_columns, _r2, n_columns=3, slope=None),
        Sums("log_loss", _log_loss_columns, _first, is_probability=True, is_clipped=True),
        Sums("brier_score", lambda y, p: [(y - p) ** 2], _first, is_probability=True),
    )
}


@dataclass(frozen=True, slots=True, eq=False)
class SumPlan:
    """A measure of column means."""

    sums: Sums

    lines: ClassVar[tuple[Line, ...]] = ()
    undefined_where: ClassVar[str] = DIVIDES_BY_0
    note: ClassVar[str] = ""

    @property
    def n_columns(self) -> int:
        """How many columns it adds up."""
        return self.sums.n_columns

    @property
    def has_error(self) -> bool:
        """Whether a replicate has a standard error."""
        return self.sums.slope is not None

    def values(self, part: Part) -> Floats:
        return self.sums.finish(part.means)

    def variances(self, part: Part) -> Floats:
        """Return the delta method's variance of each replicate's value."""
        return self.sums.variance(part.means, part.means_of_squares, part.total)

    def estimate(self, form: Form, columns: slice) -> float:
        chosen = _columns(form)[columns]
        means = np.average(chosen, axis=1, weights=form.weights_of_columns())
        return float(self.sums.finish(means))

    def check_bca(self, form: Form, label: str) -> None:
        """Do nothing: sums without a row are always at hand."""

    def strata(self, form: Form, columns: slice) -> Strata:
        """Return the values without each row, cell or group, by class."""
        values, multiplicities = self._without(form, columns)
        return by_class(form, values, multiplicities)

    def row_deviations(self, form: Form, columns: slice) -> Floats:
        return np.asarray(self._without(form, columns)[0], np.float64)

    def _without(self, form: Form, columns: slice) -> tuple[Floats, Floats]:
        """Return the values without each row, cell or group, and how many rows each is."""
        of = form.sums_by_unit(_columns(form)[columns])
        with np.errstate(divide="ignore", invalid="ignore"):
            means = ((of.total[:, None] - of.columns) / (of.n - of.size)).T
            return self.sums.finish(means) - self.sums.finish(of.total / of.n), of.multiplicities


def _columns(form: Form) -> Floats:
    if form.columns is None:
        raise InputError("a sum needs columns")
    return form.columns


def by_class(form: Form, values: Floats, multiplicities: Floats) -> Strata:
    """Return what belongs to each entry, class by class."""
    positive = form.is_positive(len(values))
    return [(values[part], multiplicities[part]) for part in (positive, ~positive) if part.any()]
