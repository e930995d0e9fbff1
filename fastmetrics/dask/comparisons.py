"""``compare`` on Dask: differences of models by the influences that rows have on both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from fastmetrics._docs import documented
from fastmetrics._input.models import pairs_of
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_confidence_level,
    check_real,
)
from fastmetrics.dask._influence_sums import group_sums, product_sums
from fastmetrics.dask._partitions import COLUMNS, COUNTED, partitions
from fastmetrics.dask.estimates import ESTIMATED, looked_up, points_asked
from fastmetrics.dask.evaluation import models_of
from fastmetrics.dask.scores import counted_parts
from fastmetrics.errors import InputError, renamed
from fastmetrics.inference.compare import (
    Chosen,
    check_margin,
    compared,
    compared_by_sums,
)
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.inference.interval_rule import estimate_of
from fastmetrics.inference.samples import warn_of_units
from fastmetrics.inference.table_points import Measured
from fastmetrics.measures.asking import MetricsLike


@documented(COUNTED, COLUMNS, ESTIMATED)
def compare(
    y_true: Any,
    scores: Any,
    *,
    metrics: MetricsLike,
    reference: str | None = None,
    margin: float | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    weights_are: WeightsAre = "importances",
    threshold: float | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Comparisons:
    """Compare models on the same rows by measures of two classes.

    Parameters
    ----------
    scores : mapping of str to Dask column, or Dask dataframe
        The scores of each model by its name; of a dataframe one a column.
    metrics : str, (str, dict), or a sequence or mapping of them
        As for `estimate`; measures of decisions with `threshold`.
    reference : str, optional
        The model that all others are compared with; every pair by default.
    margin : float, optional
        A loss that does not matter, as for `fastmetrics.compare`.
    threshold : float, optional
        Measures of decisions call a score >= threshold positive; predictions of 0 and 1 are
        scores, with 0.5.

    Returns
    -------
    Comparisons
        Those of `fastmetrics.compare`, up to the rounding of sums.

    Notes
    -----
    A pass for the table of each model, which comes here as in `score_table`; then one more, to
    which the tables are sent, and of which sums of products come back, or sums over groups.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([1, 0, 1, 1, 0, 0, 1, 0], chunks=3)
    >>> first = da.from_array([0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15], chunks=3)
    >>> second = da.from_array([0.9, 0.2, 0.8, 0.7, 0.75, 0.1, 0.6, 0.3], chunks=3)
    >>> found = fmd.compare(y_true, {"first": first, "second": second}, metrics="roc_auc")
    >>> pair = found["roc_auc"]["first", "second"]
    >>> pair.estimate, round(pair.standard_error, 6), pair.better
    (-0.21875, 0.220971, None)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    threshold = None if threshold is None else check_real("threshold", threshold)
    margin = None if margin is None else check_margin(margin)
    asked = points_asked(metrics)
    columns = models_of(y_true, scores)
    if len(columns) < 2:
        raise InputError("`scores` must have at least two models to be compared")
    names = tuple(columns)
    chosen = Chosen(names, pairs_of(names, reference), margin, level, alternative)
    instead = "fastmetrics.compare(y_true, scores, sample_weight=...)"
    parts, by_model, lookups = [], [], []
    for name, column in columns.items():
        with renamed(y_score=f"scores[{name!r}]"):
            part = counted_parts(y_true, column, sample_weight, weights_are, instead, groups)
            measured, lookup = looked_up(
                part, asked, threshold, pos_label, are_grouped=groups is not None
            )
        parts.append(part)
        by_model.append(measured)
        lookups.append(lookup)
    read: WeightsAre | None = None if sample_weight is None else "frequencies"
    if groups is not None:
        sums = [group_sums(*each, pos_label) for each in zip(parts, lookups, strict=True)]
        found = {}
        for m, one in enumerate(asked):
            every = [own.measured(m, each[m]) for own, each in zip(sums, by_model, strict=True)]
            influences = np.concatenate([each.influences for each in every])
            joined = _joined(every)._replace(influences=influences)
            if m == 0:
                warn_of_units(joined.units, None)
            found[one.label] = compared(one, joined, chosen, read)
        return Comparisons(found)
    given = {f"scores[{name!r}]": column for name, column in columns.items()}
    whole = product_sums(
        partitions(y_true=y_true, sample_weight=sample_weight, **given),
        lookups,
        chosen.pairs,
        pos_label,
    )
    found = {}
    for m, one in enumerate(asked):
        own = [each[m] for each in by_model]
        models = [
            estimate_of(one, each, 0, level, None, "two-sided", weights_are=read) for each in own
        ]
        counts = [each.counts[0] for each in own]
        found[one.label] = compared_by_sums(one, m, models, whole, chosen, counts)
    return Comparisons(found)


def _joined(models: Sequence[Measured]) -> Measured:
    """Return the values of several models, of which each has been measured alone."""
    return models[0]._replace(
        values=tuple(each.values[0] for each in models),
        counts=tuple(each.counts[0] for each in models),
        rates=tuple(chain.from_iterable(each.rates for each in models)),
        of_rows=tuple(chain.from_iterable(each.of_rows for each in models)),
    )
