"""``LearningCurve`` and ``ValidationCurve``: training against test error, with its spread."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._docs import documented
from fastmetrics._plots.error_curves import FoldMeans, draw_learning_curve, draw_validation_curve
from fastmetrics._results import Result
from fastmetrics.measures.registry import MEASURES

Floats = NDArray[np.float64]


class _Curve(Result):
    """What both curves have: values on either kind of rows, (n_points, n_folds)."""

    __slots__ = ()

    metric: str
    higher_is_better: bool
    train_values: Floats
    test_values: Floats

    @property
    def train_means(self) -> Floats:
        """Means over the folds on the training rows."""
        return np.asarray(self.train_values.mean(1))

    @property
    def test_means(self) -> Floats:
        """Means over the folds on the test rows."""
        return np.asarray(self.test_values.mean(1))

    @property
    def train_deviations(self) -> Floats:
        """Standard deviations over the folds (n - 1) on the training rows; nan for one fold."""
        return deviations(self.train_values)

    @property
    def test_deviations(self) -> Floats:
        """Standard deviations over the folds (n - 1) on the test rows; nan for one fold."""
        return deviations(self.test_values)

    @abstractmethod
    def _along(self) -> dict[str, Any]:
        """Return the columns that the points are told apart by."""

    def _shown(self) -> Display:
        columns = self._along() | {
            "test": self.test_means,
            "test_deviation": self.test_deviations,
            "train": self.train_means,
            "train_deviation": self.train_deviations,
        }
        title = f"{self.metric}, {'higher' if self.higher_is_better else 'lower'} is better"
        notes = [f"Means and standard deviations over {self.test_values.shape[1]} folds."]
        return Display([Table(columns)], title, notes)

    def _folds(self) -> FoldMeans:
        both = (self.train_values, self.test_values)
        return FoldMeans(
            self.metric,
            self.train_means,
            self.train_deviations,
            self.test_means,
            self.test_deviations,
            n_folds=self.test_values.shape[1],
            bounds=(
                0.0 if min(np.nanmin(v, initial=np.inf) for v in both) >= 0 else -np.inf,
                np.inf if self.metric not in MEASURES else MEASURES[self.metric].bounds[1],
            ),
        )


@dataclass(frozen=True, slots=True, repr=False)
class LearningCurve(_Curve):
    """A measure on training and test rows as the training set grows.

    Attributes
    ----------
    metric : str
        The measure.
    higher_is_better : bool
        Its direction.
    fractions : ndarray of shape (n_sizes,)
        Of the training folds.
    train_sizes : ndarray of shape (n_sizes,)
        Rows trained on, the mean over the folds.
    train_values, test_values : ndarray of shape (n_sizes, n_folds)
        The measure on the rows trained on, and on the test rows.
    """

    metric: str
    higher_is_better: bool
    fractions: Floats
    train_sizes: Floats
    train_values: Floats = field(repr=False)
    test_values: Floats = field(repr=False)

    def _along(self) -> dict[str, Any]:
        return {"fraction": self.fractions, "train_size": self.train_sizes}

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the measure over the number of training rows.

        Returns
        -------
        matplotlib Axes
            What was drawn on: means, and bands of one standard deviation over the folds.
        """
        return draw_learning_curve(self._folds(), self.train_sizes, ax)


@dataclass(frozen=True, slots=True, repr=False)
class ValidationCurve(_Curve):
    """A measure on training and test rows over the values of one parameter.

    Attributes
    ----------
    metric : str
        The measure.
    higher_is_better : bool
        Its direction.
    parameter : str
        Name of the parameter.
    values : tuple
        Its values, in the order given.
    train_values, test_values : ndarray of shape (n_values, n_folds)
        The measure on the rows trained on, and on the test rows.
    """

    metric: str
    higher_is_better: bool
    parameter: str
    values: tuple[Any, ...]
    train_values: Floats = field(repr=False)
    test_values: Floats = field(repr=False)

    def _along(self) -> dict[str, Any]:
        return {self.parameter: self.values}

    @property
    def best_value(self) -> Any:
        """The value of the best mean on test rows, the first of equals."""
        signs = -self.test_means if self.higher_is_better else self.test_means
        return self.values[int(np.argmin(np.where(np.isnan(signs), np.inf, signs)))]

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the measure over the parameter.

        Returns
        -------
        matplotlib Axes
            What was drawn on: means, bands of one standard deviation over the folds, and a line
            at the value of the best mean. Values that are no numbers stand side by side.
        """
        best = self.best_value
        return draw_validation_curve(self._folds(), self.parameter, self.values, best, ax)


def deviations(values: Floats) -> Floats:
    """Return the standard deviation of each row, with n - 1."""
    if values.shape[1] < 2:
        return np.full(len(values), np.nan)
    return np.asarray(values.std(1, ddof=1))
