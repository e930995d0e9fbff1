"""``estimate`` and ``compare`` on Dask, by the influences of points of equal rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, Literal, get_args

import numpy as np
from dask.delayed import Delayed

from fastmetrics._docs import documented
from fastmetrics._input.models import NamedScores, pairs_of
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_choice,
    check_confidence_level,
)
from fastmetrics.dask._families import matrix_of_second
from fastmetrics.dask._influence_sums import Points, group_sums, product_sums
from fastmetrics.dask._partitions import COLUMNS, COUNTED, partitions
from fastmetrics.dask._ranges import Ranges
from fastmetrics.dask.evaluation import models_of
from fastmetrics.dask.scores import counted_parts
from fastmetrics.errors import InputError, renamed
from fastmetrics.inference.compare import Chosen, check_margin, compared, compared_by_sums
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.inference.estimate_result import Estimates
from fastmetrics.inference.interval_rule import estimate_of
from fastmetrics.inference.range_summary import Lookup
from fastmetrics.inference.samples import Sample, sample_of, warn_of_units
from fastmetrics.inference.table_points import (
    Measured,
    TablePoints,
    has_influences,
    is_largest_gap,
    measure_of,
)
from fastmetrics.measures.asking import Asked, MetricsLike, ask
from fastmetrics.tables.confusion._label_counts import Cells
from fastmetrics.tables.score_table import real_threshold

Method = Literal["influence", "wilson", "newcombe"]
#: What `estimate` and `compare` say alike.
ESTIMATED: Final = """
Parameters
----------
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    "less": an upper limit alone. "greater": a lower limit alone.

Raises
------
TypeError, ValueError
    For measures without influences, and for importances.

Warns
-----
UndefinedMetricWarning
    If a measure is undefined on these data, or its error cannot be known: nan.
SmallSampleWarning
    If groups are worth few.
"""
_FAMILIES: Final = ("curves", "costs", "decisions", "probabilities", "calibration")


@documented(COUNTED, COLUMNS, ESTIMATED)
def estimate(
    y_true: Any,
    y_score: Any = None,
    *,
    metrics: MetricsLike,
    method: Method | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    weights_are: WeightsAre = "importances",
    threshold: float | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Estimates:
    """Estimate measures of two classes, each with its standard error and interval.

    Parameters
    ----------
    y_score : Dask column of shape (n,), or list of delayed partitions, optional
        Scores or probabilities; predicted labels, of any number of classes, for measures of
        decisions without `threshold`.
    metrics : str, (str, dict), or a sequence or mapping of them
        Names of `metrics_table`: measures that have influences, of scores, of probabilities of the
        positive class, and of decisions.
    method : {"influence", "wilson", "newcombe"}, optional
        As for `fastmetrics.estimate`.
    groups : Dask column of shape (n,), or list of delayed partitions, optional
        Which rows belong together (user, patient), in any partitions: groups then vary, not rows.
        Of scores, or predictions of 0 and 1 with ``threshold=0.5``.
    threshold : float, optional
        Measures of decisions call a score >= threshold positive.

    Returns
    -------
    Estimates
        Those of `fastmetrics.estimate`, up to the rounding of sums.

    Notes
    -----
    Rows of one class and one score, or of one pair of labels, move a measure alike: their table is
    added up in a tree, and comes here as in `score_table`, where it takes some 140 bytes a distinct
    score. Rows of weight 0 are none: a class that no others have is not there. With `groups`
    partitions are read once more: the influences at each score are sent to all of them, which sum
    up how far the rows of a group move the measures, and sums of equal groups are added up.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([1, 0, 1, 1, 0, 0, 1, 0], chunks=3)
    >>> y_score = da.from_array([0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15], chunks=3)
    >>> found = fmd.estimate(y_true, y_score, metrics="roc_auc")["roc_auc"]
    >>> found.estimate, round(found.standard_error, 4)
    (0.65625, 0.221)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    if method is not None:
        check_choice("method", method, get_args(Method))
    if threshold is not None:
        threshold = real_threshold(threshold)
    asked = points_asked(metrics)
    instead = "fastmetrics.estimate(y_true, y_score, sample_weight=...)"
    parts = counted_parts(y_true, y_score, sample_weight, weights_are, instead, groups)
    if groups is None:
        samples = _samples(parts, asked, threshold, pos_label)
        found = {one.label: samples[one.label].measured(one) for one in asked}
    else:
        measured, lookup = looked_up(parts, asked, threshold, pos_label, are_grouped=True)
        sums = group_sums(parts, lookup, pos_label)
        each = enumerate(zip(asked, measured, strict=True))
        found = {one.label: sums.measured(m, own) for m, (one, own) in each}
        warn_of_units(found[asked[0].label].units, None)
    read: WeightsAre | None = None if sample_weight is None else "frequencies"
    return Estimates(
        {
            one.label: estimate_of(
                one, found[one.label], 0, level, method, alternative, weights_are=read
            )
            for one in asked
        }
    )


def points_asked(metrics: MetricsLike) -> tuple[Asked, ...]:
    """Return the measures asked for, which points of equal rows must tell, or raise."""
    asked = ask(metrics)
    for one in asked:
        if not has_influences(one):
            raise InputError(
                f"`{one.label}` has no influences of rows: take `fastmetrics.bootstrap` of "
                "`fastmetrics.dask.score_table(...)`"
            )
        measure = measure_of(one)
        is_of_matrix = measure.family == "curves" and measure.needs == "probabilities"
        if measure.family not in _FAMILIES or is_of_matrix:
            raise InputError(
                f"`metrics` names {one.label!r}, which needs the rows in memory: take "
                "`fastmetrics.estimate`"
            )
    return asked


def _samples(
    parts: Sequence[Delayed], asked: Sequence[Asked], threshold: float | None, pos_label: Any
) -> Mapping[str, Sample]:
    """Return the form of data that each measure is of, made of points with their counts."""
    of_labels = [one for one in asked if measure_of(one).needs == "labels" and threshold is None]
    of_scores = [one for one in asked if one not in of_labels]
    found: dict[str, Sample] = {}
    if of_scores:
        points = _points_of(parts, pos_label)
        found |= _of_points(of_scores, *points.columns, threshold, None)
    if of_labels:
        matrix = Cells.of(matrix_of_second(parts, None, None))
        labels = np.asarray(matrix.labels)
        k = len(labels)
        cells = np.repeat(labels, k), np.tile(labels, k), matrix.counts.ravel()
        found |= _of_points(of_labels, *cells, None, pos_label)
    return found


def looked_up(
    parts: Sequence[Delayed],
    asked: Sequence[Asked],
    threshold: float | None,
    pos_label: Any,
    are_grouped: bool,
) -> tuple[list[Measured], Lookup]:
    """Return the measures by points, and how far a row of a class and a score moves each."""
    for one in asked:
        if threshold is None and measure_of(one).needs == "labels":
            raise InputError(
                f"`{one.label}`, a measure of labels, needs `threshold` here: of predictions of 0 "
                "and 1 it is 0.5"
            )
    points = _points_of(parts, pos_label)
    samples = _of_points(asked, *points.columns, threshold, None, are_grouped=are_grouped)
    table = TablePoints(points.table)
    measured = [
        table.at_scores(one)  # in memory a largest gap is that of two scores
        if is_largest_gap(one) and not are_grouped
        else samples[one.label].measured(one)
        for one in asked
    ]
    return measured, points.lookup([each.influences[0] for each in measured])


def _points_of(parts: Sequence[Delayed], pos_label: Any) -> Points:
    return Points.of(Ranges(parts, pos_label=pos_label, range_scores=2**62).table())


def _of_points(
    asked: Sequence[Asked],
    y_true: Any,
    y_score: Any,
    counts: Any,
    threshold: float | None,
    pos_label: Any,
    are_grouped: bool = False,
) -> Mapping[str, Sample]:
    """Return points with their counts as forms of data; of groups, that do not stand alone."""
    return sample_of(
        tuple(asked),
        y_true,
        [NamedScores("", "y_score", y_score)],
        threshold=threshold,
        pos_label=pos_label,
        sample_weight=counts,
        weights_are="frequencies",
        event=None,
        query=None,
        groups=np.zeros(len(counts), np.int64) if are_grouped else None,
        strata=None,
    )


# --- differences of models ------------------------------------------------------------------------


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
    threshold = None if threshold is None else real_threshold(threshold)
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
