"""What data are worth: Student's t for few groups, warnings where there is too little of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._input.containers import as_array
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import SmallSampleWarning, warn_user
from fastmetrics.inference.reference import normal_quantile, quantile, tail

#: Effective groups below which intervals cover too little (``docs/coverage.md``).
FEW_GROUPS: Final = 30
#: Effective rows of importances below which intervals cover too little.
FEW_ROWS: Final = 30
#: Rows of one class of several below which replicates show next to nothing of it.
FEW_OF_A_CLASS: Final = 5

_CHUNK: Final = 1 << 16  # weights whose ratios are taken at a time


class Sizes(NamedTuple):
    """Rows and groups of data, and how many of equal weight tell as much; None without groups."""

    n_rows: float
    effective: float
    n_groups: int | None = None
    effective_n_groups: float | None = None


def effective_sample_size(sample_weight: ArrayLike) -> float:
    """Compute Kish's effective sample size of weighted rows, (sum w)^2 / sum w^2.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,)
        Weights, not negative; only their ratios matter.

    Returns
    -------
    float
        Between 1 and the number of positive weights, which it reaches when they are all equal.

    Raises
    ------
    TypeError
        If the weights are no real numbers.
    ValueError
        If a weight is negative, nan or infinite, if all are zero, or if the array is empty or not
        one-dimensional.

    Notes
    -----
    A weighted mean of values that do not depend on the weights has the variance of the plain mean
    of this many values. It is the `n` for an interval when the weights are importances; weights
    that count copies of a row need none of it: pass their sum. Where the weights and the outcome
    go together it is an approximation, and a weighted bootstrap of the rows the better choice.

    O(n_samples), one pass over ratios to the largest weight, so that weights of 1e308 or 5e-324
    neither overflow nor vanish; no copy of the weights.

    References
    ----------
    Kish (1965), Survey Sampling, Wiley; Kish (1992), Weighting for unequal Pi, Journal of
    Official Statistics 8:183-200.

    Examples
    --------
    >>> effective_sample_size([1, 1, 1, 3])
    3.0
    """
    array = as_array(sample_weight, "sample_weight")
    weights = check_weights(array, len(array) if array.ndim else 1).values
    largest = float(weights.max())
    sums, squares = [], []
    for start in range(0, len(weights), _CHUNK):
        ratios = weights[start : start + _CHUNK] / largest
        sums.append(float(ratios.sum()))
        squares.append(float((ratios * ratios).sum()))
    return math.fsum(sums) ** 2 / math.fsum(squares)


def effective_groups(groups: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """Return (sum m)^2 / sum m^2 of the sizes m of groups: what they are worth in equal ones.

    A row with a weight counts so much. Kish (1965), Survey Sampling, 8.2, of groups.
    """
    return effective_of_sizes(np.bincount(groups, weights))


def effective_of_sizes(sizes: NDArray[Any]) -> float:
    """Return the same from the sizes of groups."""
    sizes = np.sort(sizes)  # the same sum however groups are named
    shares = sizes / sizes.max()
    return float(shares.sum() ** 2 / np.sum(shares * shares))


def warn_of_few_groups(effective: float | None, n_groups: int) -> None:
    """Say where there are too few groups for their spread to be known."""
    if effective is not None and effective < FEW_GROUPS:
        worth = "" if effective > 0.99 * n_groups else f", worth {effective:.3g} of equal size"
        warn_user(
            f"there are {n_groups:,} groups{worth}: below about {FEW_GROUPS} intervals cover less "
            "than their level, though Student's t widens them; gather more groups, of like sizes",
            SmallSampleWarning,
        )


def warn_of_few_rows(effective: float, n_rows: int) -> None:
    """Say where weights leave few rows of what there is; nothing where all weigh the same."""
    if effective < min(FEW_ROWS, 0.999 * n_rows):
        warn_user(
            f"the weights leave {n_rows:,} rows worth {effective:.3g} of equal weight: below about "
            f"{FEW_ROWS} intervals cover less than their level; cap the largest weights, or, if "
            "they count rows, pass `weights_are='frequencies'`",
            SmallSampleWarning,
        )


def warn_of_rare_classes(names: Sequence[object], counts: Sequence[int]) -> None:
    """Say which classes have so few rows that no replicate knows how much they vary."""
    rare = [
        f"{name!r} ({count})"
        for name, count in zip(names, counts, strict=True)
        if 0 < count < FEW_OF_A_CLASS
    ]
    if rare:
        what = "class" if len(rare) == 1 else "classes"
        warn_user(
            f"{what} {', '.join(rare)}: below about {FEW_OF_A_CLASS} rows of a class, intervals "
            "cover less than their level, as few rows look alike in every replicate; merge it with "
            "another, or gather more of its rows",
            SmallSampleWarning,
        )


def widened_level(level: float, effective: float | None) -> float:
    """Return the level of a quantile of replicates of groups that stands for ``level``.

    A bootstrap of I units has a variance too small by (I - 1)/I, and normal tails where Student's
    are due: the level is that of the normal quantile sqrt(I / (I - 1)) t(level, I - 1). Hesterberg
    (2015), The American Statistician 69:371-386, 5.3. The level itself without groups.
    """
    if effective is None:
        return level
    if effective <= 1.0:  # the spread of one group is not known
        return 0.0
    t = quantile(level, effective - 1.0)
    return tail(t * math.sqrt(effective / (effective - 1.0)), math.inf)


def narrowed_level(level: float, effective: float | None) -> float:
    """Return what `widened_level` makes ``level`` of."""
    if effective is None or not 0.0 < level < 1.0:
        return level
    if effective <= 1.0:
        return 0.5
    t = normal_quantile(level) / math.sqrt(effective / (effective - 1.0))
    return tail(t, effective - 1.0)
