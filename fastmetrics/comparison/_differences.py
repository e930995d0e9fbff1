"""Paired numbers of two models and their differences, parsed once."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_groups
from fastmetrics._input.containers import as_array
from fastmetrics._input.scores import canonical_scores, check_finite
from fastmetrics.errors import InputError
from fastmetrics.inference.units import Units

#: The one rule of what is equal: scores of data sets and folds are computed, so that those within
#: this share of the larger one differ by rounding alone (0.1 + 0.2 and 0.3). Ranks tie then, and
#: their difference is 0.
_ROUNDING: Final = 4.0 * float(np.finfo(np.float64).eps)
OF_A_TABLE: Final = (
    "; if these are repetitions and folds, they are not independent: see "
    "`comparison.kfold_paired_t_test`"
)

#: What tests of paired numbers take, and what they refuse.
PAIRED: Final = """
Parameters
----------
scores_a, scores_b : array-like of shape (n,)
    The score (or error) of each model on each data set or example. Without `scores_b`, `scores_a`
    holds the differences, A less B.
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    Whether the mean of A less B is other than, below or above 0.

Raises
------
TypeError
    If the numbers are no real numbers.
ValueError
    If a shape is wrong, a number is missing or infinite, or an option is out of range.
"""

#: What the numbers of a test must be that cannot allow for their correlation.
INDEPENDENT: Final = """
See Also
--------
kfold_paired_t_test : For the folds of cross-validation, repeated or not.

Notes
-----
The differences must be independent: one for each data set, or for each example of a test set. Those
of the folds of one data set share training rows, those of repetitions test rows too: a hundred
numbers of ten times ten folds are worth far fewer, and the test then rejects far too often.
"""

#: What tests say of rows that depend on one another.
GROUPS: Final = """
Parameters
----------
groups : array-like of shape (n,), optional
    Which rows belong together (user, patient), two groups at least: groups then vary, not rows.

Raises
------
ValueError
    If `groups` names one group only, or has another length than the rows.
"""


class Differences(NamedTuple):
    """Differences of two models, as float64, and how far rounding may have moved each.

    0.3 - 0.2 and 0.4 - 0.3 are different doubles: differences that are as near to one another as
    the rounding of the numbers behind them are taken as equal.
    """

    values: NDArray[np.float64]
    roundings: NDArray[np.float64]

    @property
    def rounding(self) -> float:
        """The greatest of the roundings."""
        return float(self.roundings.max())

    def ranked(self) -> Differences:
        """Return those to be ranked, where small ones count: up to its rounding each is 0."""
        is_nothing = np.abs(self.values) <= self.roundings
        return Differences(np.where(is_nothing, 0.0, self.values), self.roundings)


def units_of_groups(groups: Any, n: int, name: str) -> Units:
    """Return groups of n rows as what varies; ``name`` is the parameter that has the rows."""
    return Units(n, groups=check_groups(groups, n, name))


def check_numbers(values: Any, name: str, *dimensions: int) -> NDArray[np.float64]:
    """Return finite real numbers of 1 dimension, or of one of those given, as float64."""
    return _check_canonical(values, name, *dimensions).astype(np.float64, copy=False)


def _check_canonical(values: Any, name: str, *dimensions: int) -> NDArray[Any]:
    """Return the same in a canonical dtype: integers stay integers."""
    array = as_array(values, name)
    if array.ndim not in (dimensions or (1,)):
        wanted = " or ".join(f"{d}-dimensional" for d in dimensions or (1,))
        advice = "" if dimensions or array.ndim != 2 else OF_A_TABLE
        raise InputError(f"`{name}` must be {wanted}: got shape {array.shape}{advice}")
    if array.size == 0:
        raise InputError(f"`{name}` is empty: shape {array.shape}")
    numbers = canonical_scores(array, name)
    check_finite(numbers, name)
    return numbers


def check_differences(first: Any, second: Any, *dimensions: int) -> Differences:
    """Return first less second; ``first`` are the differences themselves if ``second`` is None."""
    a = _check_canonical(first, "scores_a", *dimensions)
    if second is None:
        a = a.astype(np.float64, copy=False)
        return Differences(a, _ROUNDING * np.abs(a))
    b = _check_canonical(second, "scores_b", *dimensions)
    if a.shape != b.shape:
        raise InputError(
            f"`scores_a` and `scores_b` must have one shape: got {a.shape} and {b.shape}"
        )
    if a.dtype == b.dtype and a.dtype.kind in "iu":  # exact: the larger less the smaller
        values = (np.maximum(a, b) - np.minimum(a, b)).view(np.uint64).astype(np.float64)
        return Differences(np.where(a >= b, values, -values), np.zeros(a.shape))
    a, b = (each.astype(np.float64, copy=False) for each in (a, b))
    with np.errstate(over="ignore"):
        values = a - b
    check_finite(values, "scores_a - scores_b")
    return Differences(values, _ROUNDING * np.maximum(np.abs(a), np.abs(b)))


def equal_up_to_rounding(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where two arrays of one dtype are equal, but for rounding."""
    if first.dtype.kind in "iu":
        return np.asarray(first == second)
    with np.errstate(over="ignore"):
        gaps = np.abs(first - second)
    return np.asarray(gaps <= _ROUNDING * np.maximum(np.abs(first), np.abs(second)))


def starts_of_ties(
    ordered: NDArray[np.float64], roundings: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return where ascending numbers rise by more than the rounding of either neighbour.

    Equal numbers are one neighbour, whose rounding is the greatest of theirs: so the order in which
    they come changes nothing.
    """
    if not len(ordered):
        return np.empty(0, np.int64)
    distinct = np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))
    largest = roundings
    if len(distinct) < len(ordered):
        ordered, largest = ordered[distinct], np.maximum.reduceat(roundings, distinct)
    rises = np.diff(ordered) > np.maximum(largest[1:], largest[:-1])
    return np.concatenate(([0], distinct[1:][rises]))
