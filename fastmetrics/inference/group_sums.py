"""Metrics from sums of influences by group, and of several models measured one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.units import ROUNDING, Floats, Variance


def measure_groups(
    measured: Measurement,
    sums: Floats,
    size: float,
    weights: Floats,
    variance: Variance,
    squares: Floats | None = None,
) -> Measurement:
    """Return a metric of one model whose points are groups, or their rows of each class.

    ``measured`` has units of the rows. By class and group, shape (2, n_groups): ``sums`` of
    influences, ``weights`` and their ``squares``, or numbers of rows. ``size`` is the sum of the
    sizes of influences, by which rounding is known; ``variance`` is that of independent rows.
    """
    units = measured.units
    is_by_class = units.strata is not None
    if not is_by_class:
        sums, weights = (each.sum(axis=0, keepdims=True) for each in (sums, weights))
        squares = None if squares is None else squares.sum(axis=0, keepdims=True)
    strata, groups = np.nonzero(weights)
    here = weights[strata, groups]
    influences = sums[strata, groups]
    influences[np.abs(influences) <= ROUNDING * size] = 0.0
    influences /= here
    units = replace(
        units,
        n_points=len(groups),
        counts=here if squares is None else None,
        weights=None if squares is None else here,
        groups=groups,
        strata=strata if is_by_class else None,
        squares=None if squares is None else squares[strata, groups],
    )
    return measured._replace(influences=influences[None, :], units=units, row_variances=(variance,))


def join_models(models: Sequence[Measurement]) -> Measurement:
    """Return the values of several models, of which each has been measured alone."""
    return models[0]._replace(
        values=tuple(each.values[0] for each in models),
        influences=np.concatenate([each.influences for each in models]),
        counts=tuple(each.counts[0] for each in models),
        rates=tuple(chain.from_iterable(each.rates for each in models)),
        row_variances=tuple(chain.from_iterable(each.row_variances for each in models)),
    )
