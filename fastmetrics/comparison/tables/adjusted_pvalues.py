"""``adjust_pvalues``: p-values of several tests, made fit to be read side by side."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_choice
from fastmetrics._input.scores import canonical_scores, check_probabilities
from fastmetrics.intervals._holm import holm

Adjustment = Literal["holm", "hochberg", "benjamini-hochberg", "bonferroni"]


def adjust_pvalues(pvalues: ArrayLike, *, method: Adjustment = "holm") -> NDArray[np.float64]:
    """Adjust the p-values of several tests for their number.

    Parameters
    ----------
    pvalues : array-like of shape (m,)
        P-values in [0, 1]; nan marks a test that is not defined: it stays nan and is not counted.
    method : {"holm", "hochberg", "benjamini-hochberg", "bonferroni"}, default="holm"
        "bonferroni" multiplies by m; "holm" does so step-down and is never worse; "hochberg" does
        so step-up, for tests that are independent or positively dependent. These three bound the
        chance of any false rejection. "benjamini-hochberg" bounds the expected share of false
        ones among the rejections, under the same condition as "hochberg".

    Returns
    -------
    ndarray of shape (m,)
        Adjusted p-values in the order given, at most 1: reject where they are at most alpha.

    Raises
    ------
    TypeError
        If `pvalues` holds no real numbers.
    ValueError
        If a p-value lies outside [0, 1], or `method` is none of the four.

    Notes
    -----
    A sort: O(m log m) time. With p_(1) <= ... <= p_(m): Holm, the largest of (m - j + 1) p_(j)
    over j <= i; Hochberg, the smallest of the same over j >= i; Benjamini-Hochberg, the smallest
    of m p_(j) / j over j >= i.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65-70. Hochberg (1988), Biometrika
    75:800-802. Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B
    57:289-300.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    >>> adjust_pvalues([0.01, 0.04, 0.03], method="hochberg")
    array([0.03, 0.04, 0.04])
    """
    check_choice("method", method, get_args(Adjustment))
    values = canonical_scores(as_vector(pvalues, "pvalues"), "pvalues").astype(np.float64)
    defined = np.flatnonzero(~np.isnan(values))
    if not len(defined):
        return np.full(values.shape, np.nan)
    check_probabilities(values[defined], "pvalues")
    if method == "holm":
        return holm(values)
    adjusted = np.full(values.shape, np.nan)
    order = defined[np.argsort(values[defined], kind="stable")]
    m = len(order)
    if method == "bonferroni":
        adjusted[order] = np.minimum(m * values[order], 1.0)
        return adjusted
    places = np.arange(1, m + 1)
    factors = m - places + 1 if method == "hochberg" else m / places
    stepped = np.minimum.accumulate((factors * values[order])[::-1])[::-1]
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
