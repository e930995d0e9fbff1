"""The covariance of AUCs of rows that matter more or less: influence values with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.models import CheckedModels
from fastmetrics.errors import DegenerateDataWarning, warn_user
from fastmetrics.measures.curves.placements import weighted_placements
from fastmetrics.tables.scores.pairs import count_pairs

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

#: What the docstrings of the tests say of `sample_weight` and its two readings.
OF_WEIGHTS: Final = """
Parameters
----------
sample_weight : array-like of shape (n_samples,), optional
    Weights, not negative. As importances they weigh the influence of each row (Notes); as
    frequencies they are numbers of rows.

Raises
------
ValueError
    If weights, labels or scores are not what they should be, or an option is out of range.

Warns
-----
DegenerateDataWarning
    If a class of importances is worth less than two rows of equal weight.
SmallSampleWarning
    If groups, or rows of importances, are worth fewer than 30: intervals cover too little.

Notes
-----
**Importances.** With the weights w of a class as shares p = w / sum w, and placements V that weigh
the other class, the AUC is sum p V over either class, a row's influence on it is p (V - AUC), and
the variance is the sum over both classes of sum p^2 (V - AUC)^2 / D, with
D = 1 - 2 sum p^3 / sum p^2 + sum p^2: that is unbiased where the weights do not tell of the
placements. Equal weights give D = 1 - 1/m, and the very variance without weights, whatever their
scale. With groups, influences are summed inside a group, and Obuchowski's factor I / (I - 1)
becomes I / (I - 1) D(shares of rows) / D(shares of weight), where that is greater.
"""

#: Of the correlations of differences: eigenvalues below are rounding, not degrees of freedom.
_ROUNDING: Final = 1e-10
#: Effective rows of a class below which a variance is worth nothing.
_FEWEST: Final = 2.0 - 1e-9


@dataclass(frozen=True, eq=False)
class WeightedCovariance:
    """The AUCs of K models on the same rows of importances, and their covariances.

    Attributes
    ----------
    n_positive, n_negative : int
        Rows of each class that have a weight.
    n_groups : int or None
        Groups of rows; None where each row stands for itself.
    effective_sizes : tuple of float
        Of the positives and of the negatives: how many equal weights tell as much (Kish 1965).
    aucs : tuple of float
        nan where a class is missing.
    influences : ndarray of shape (K, n), or None
        What each row, or group, adds to the error of an AUC, so that the covariances are sums of
        products over them; None where they are not defined.
    fault : str
        Why they are not defined, else empty.
    """

    n_positive: int
    n_negative: int
    n_groups: int | None
    effective_sizes: tuple[float, float]
    aucs: tuple[float, ...]
    influences: Floats | None
    fault: str = ""

    def auc(self, model: int) -> float:
        """Return the AUC of a model; nan where a class is missing."""
        return self.aucs[model]

    def difference(self, one: int, other: int) -> float:
        """Return the AUC of one model less that of the other."""
        return self.aucs[one] - self.aucs[other]

    @cached_property
    def _covariances(self) -> Floats:
        k = len(self.aucs)
        if self.influences is None:
            return np.full((k, k), math.nan)
        return np.array([[np.sum(a * b) for b in self.influences] for a in self.influences])

    def covariance(self, one: int, other: int) -> float:
        """Return the covariance of two AUCs; nan where it is not defined."""
        return float(self._covariances[one, other])

    def variance_of_difference(self, one: int, other: int) -> float:
        """Return the variance of a difference: exactly 0 for identical rankings."""
        if self.influences is None:
            return math.nan
        return float(np.sum((self.influences[one] - self.influences[other]) ** 2))

    def all_equal(self) -> tuple[float, int]:
        """Return the chi-square of "all AUCs are equal", and the rank of its covariance.

        inf where some difference other than 0 has a variance of 0.
        """
        if self.influences is None:
            return math.nan, len(self.aucs) - 1
        differences = np.array(self.aucs[1:]) - self.aucs[0]
        influences = self.influences[1:] - self.influences[0]
        errors = np.sqrt(np.sum(influences**2, axis=1))
        varies = errors > 0
        if np.any(differences[~varies]):
            return math.inf, int(np.count_nonzero(varies))
        scaled = influences[varies] / errors[varies, None]
        z = differences[varies] / errors[varies]
        values, vectors = np.linalg.eigh(scaled @ scaled.T)
        along = vectors.T @ z
        kept = values > _ROUNDING
        if np.any(np.abs(along[~kept]) > math.sqrt(_ROUNDING) * np.max(np.abs(z), initial=0.0)):
            return math.inf, int(np.count_nonzero(kept))
        return float(np.sum(along[kept] ** 2 / values[kept])), int(np.count_nonzero(kept))


def weighted_covariance(
    models: CheckedModels, fault: str, n_threads: int | None = None
) -> WeightedCovariance:
    """Return the AUCs of rows of importances, and their covariances unless there is a ``fault``.

    O(K n log n) time and O(K n) memory.
    """
    rows = models.rows
    if rows.weights is None:
        raise TypeError("importances are needed")
    is_positive = rows.labels == 1
    places = [np.flatnonzero(is_there) for is_there in (is_positive, ~is_positive)]
    of_classes = [(chosen, rows.weights[chosen]) for chosen in places]
    placements = np.empty((len(models.names), len(is_positive)))
    aucs = []
    for k in range(len(models.names)):
        of_model = models.rows_of(k)
        if fault:
            aucs.append(count_pairs(of_model, n_threads).auc)
            continue
        placements[k], auc = weighted_placements(of_model, n_threads)
        aucs.append(auc)
    n_groups = None if models.groups is None else int(models.groups.max()) + 1
    return WeightedCovariance(
        n_positive=len(of_classes[0][1]),
        n_negative=len(of_classes[1][1]),
        n_groups=n_groups,
        effective_sizes=(_effective_size(of_classes[0][1]), _effective_size(of_classes[1][1])),
        aucs=tuple(aucs),
        influences=None if fault else _influences(placements, of_classes, models.groups),
        fault=fault,
    )


def _influences(
    placements: Floats,
    of_classes: list[tuple[NDArray[np.intp], Floats]],
    groups: Codes | None,
) -> Floats:
    """Return, for each model, numbers whose products sum to the covariances."""
    found, factors = [], []
    for chosen, weights in of_classes:
        shares = weights / weights.sum()
        influences = np.array([_deviations(row[chosen], shares) * shares for row in placements])
        counts = np.ones(len(shares))
        if groups is not None:
            codes, n = groups[chosen], int(groups.max()) + 1
            influences = np.array([np.bincount(codes, row, n) for row in influences])
            counts = np.bincount(codes, counts, n).astype(np.float64)
            shares = np.bincount(codes, shares, n).astype(np.float64)
        factors.append(_factor(counts, shares))
        found.append(math.sqrt(factors[-1]) * influences)
    positive, negative = found
    if groups is not None:
        # S10 + S01 + 2 S11 as one sum of squares: S11 has the factor of all groups, which is the
        # least of the three.
        n = int(groups.max()) + 1
        cross = n / (n - 1) / math.sqrt(factors[0] * factors[1])
        positive = positive + cross * negative
        negative = math.sqrt(max(0.0, 1.0 - cross * cross)) * negative
    return np.concatenate((positive, negative), axis=1)


def _deviations(placements: Floats, shares: Floats) -> Floats:
    """Return how far placements are from their mean: exactly 0 where they are all alike."""
    deviations = placements - placements[0]
    return np.asarray(deviations - np.sum(deviations * shares))


def _factor(counts: Floats, shares: Floats) -> float:
    """Return what a sum of squared influences is multiplied by to be a variance.

    ``counts`` are rows of each unit (0 where it has none of the class), ``shares`` their weight.
    """
    n = np.count_nonzero(counts)
    return n / (n - 1) * max(1.0, _left(counts / counts.sum()) / _left(shares))


def _left(shares: Floats) -> float:
    """Return D = 1 - 2 sum p^3 / sum p^2 + sum p^2: what fitting the mean leaves of the variance.

    For residuals r of independent values about their mean by the shares p, sum p^2 r^2 has the
    expectation D sum p^2 times their variance.
    """
    squares = shares * shares
    total = float(squares.sum())
    rest = (1.0 - shares) ** 2 + (total - squares)
    return float(np.sum(squares * np.maximum(rest, 0.0))) / total


def _effective_size(weights: Floats) -> float:
    if not len(weights):
        return 0.0
    ratios = weights / weights.max()
    return float(ratios.sum()) ** 2 / float(np.sum(ratios * ratios))


def warn_of_weights(effective_sizes: tuple[float, float]) -> None:
    """Say where a few weights leave next to nothing of a class."""
    for name, size in zip(("positives", "negatives"), effective_sizes, strict=True):
        if 0.0 < size < _FEWEST:
            warn_user(
                f"the {name} are worth {size:.3g} rows of equal weight, too few to tell how much "
                "the AUC varies",
                DegenerateDataWarning,
            )
