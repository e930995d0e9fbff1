"""Holm's step-down adjustment of p-values for several tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def holm(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Return Holm's adjusted p-values, in the order of ``pvalues``.

    Rejecting where the adjusted value is at most alpha keeps the chance of any false rejection
    at alpha or below, whatever the dependence between the tests.

    Parameters
    ----------
    pvalues : array-like of shape (k,)
        P-values in [0, 1]; nan marks a test that is not defined.

    Returns
    -------
    ndarray of shape (k,)
        Adjusted p-values, at most 1; nan where there is none, and such a test is not counted
        among the others.

    Notes
    -----
    Of the m defined values, the i-th smallest (i = 1 … m) becomes the largest of
    (m - j + 1) p_(j) over j <= i, so that the adjusted values keep the order of the given ones.

    References
    ----------
    S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian
    Journal of Statistics 6(2), 65-70.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = np.asarray(pvalues, dtype=np.float64)
    adjusted = np.full(values.shape, np.nan)
    defined = np.flatnonzero(~np.isnan(values))
    order = defined[np.argsort(values[defined], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * values[order]), 1.0)
    return adjusted
