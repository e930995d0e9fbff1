"""``estimate`` and ``compare`` on Dask: influences by class and score, and their sums.

Rows of one class and one score move a metric alike, so the table of all scores tells how far. Sums
over rows that the table does not tell, by group or of two models, take a second pass, in which the
influences are looked up and small states are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.rows import BinaryRows, NamedScores, check_same_index, model_pairs
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_same_length,
)
from fastmetrics.dask._partitions import COLUMNS, COUNTED, over, partition_rows, partitions, total
from fastmetrics.dask.tables import (
    cast_scores,
    check_counted,
    merged_matrix,
    model_columns,
    score_runs,
)
from fastmetrics.errors import InputError, InputTypeError, renamed
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.inference.estimate import (
    PairOptions,
    check_margin,
    compare_by_sums,
    compare_models,
    estimate as estimate_rows,
)
from fastmetrics.inference.estimate_result import Estimates
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import Measurement, TablePoints, join_models, measure_groups
from fastmetrics.inference.range_summary import Lookup, Pairs, ProductSums
from fastmetrics.inference.samples import build_samples
from fastmetrics.inference.units import Floats
from fastmetrics.metrics._metric import LARGEST_GAP
from fastmetrics.metrics.asking import MetricRequest, MetricsLike, ask
from fastmetrics.tables.confusion._label_counts import Cells
from fastmetrics.tables.score_table import ScoreTable, real_threshold

Method = Literal["influence", "wilson", "newcombe"]
#: Sections that `estimate` and `compare` share.
ESTIMATED: Final = """
Parameters
----------
alternative : {"two-sided", "less", "greater"}, default="two-sided"
    "less": an upper limit alone. "greater": a lower limit alone.

Raises
------
TypeError, ValueError
    For metrics without influences, and for importances.

Warns
-----
UndefinedMetricWarning
    If a metric is undefined on these data, or its error cannot be known: nan.
SmallSampleWarning
    If groups are worth few.
"""


@documented(COUNTED, COLUMNS, ESTIMATED)
def estimate(
    y_true: Any,
    y_score: Any,
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
    """Estimate metrics of two classes, each with its standard error and interval.

    Parameters
    ----------
    y_score : Dask column of shape (n,), or list of delayed partitions
        Scores or probabilities; predicted labels, of any number of classes, for metrics of
        decisions without `threshold`.
    metrics : str, (str, dict), or a sequence or mapping of them
        Names of `metrics_table`: metrics that have influences, of scores, of probabilities of the
        positive class, and of decisions.
    method : {"influence", "wilson", "newcombe"}, optional
        As for `fastmetrics.estimate`.
    groups : Dask column of shape (n,), or list of delayed partitions, optional
        Which rows belong together (user, patient), in any partitions: groups then vary, not rows.
        Of scores, or predictions of 0 and 1.
    threshold : float, optional
        Metrics of decisions call a score >= threshold positive.

    Returns
    -------
    Estimates
        Those of `fastmetrics.estimate`, up to the rounding of sums.

    Notes
    -----
    Rows of one class and one score, or of one pair of labels, move a metric alike: their table
    comes here as in `score_table`, and takes some 140 bytes a distinct score. Rows of weight 0 are
    none. With `groups` partitions are read once more, and sums over equal groups are added up.

    Examples
    --------
    >>> import dask.array as da
    >>> import fastmetrics.dask as fmd
    >>> y_true = da.from_array([1, 0, 1, 1, 0, 0, 1, 0], chunks=3)
    >>> y_score = da.from_array([0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15], chunks=3)
    >>> result = fmd.estimate(y_true, y_score, metrics="roc_auc")["roc_auc"]
    >>> result.estimate, round(result.standard_error, 4)
    (0.65625, 0.221)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    if method is not None:
        check_choice("method", method, get_args(Method))
    requested = _parse_metrics(metrics)
    given = {"y_true": y_true, "y_score": y_score}
    read = check_counted(given, sample_weight, weights_are, "estimate(y_true, y_score")
    if groups is not None:
        given["sample_weight"] = sample_weight
        chunks = partitions(**given, groups=groups)
        model = _score_model(chunks, requested, threshold, pos_label, read, are_grouped=True)
        sums = _group_sums(model, read)
        results = {}
        for m, one in enumerate(requested):
            measured = sums.measured(m, model.measured[m])
            if m == 0:
                measured.units.warn_small_samples(None)
            results[one.label] = make_estimate(
                one, measured, 0, level, method, alternative, weights_are=read
            )
        return Estimates(results)
    chunks = partitions(**given)
    if threshold is None and all(one.entry.needs == "labels" for one in requested):
        with renamed(y_pred="y_score"):
            matrix = Cells.of(merged_matrix(chunks, read))
        labels = np.asarray(matrix.labels)
        k = len(labels)
        columns = np.repeat(labels, k), np.tile(labels, k), matrix.counts.ravel()
    else:
        columns = _table_points(score_runs(chunks, pos_label, weights_are=read).table())
        pos_label = None
    by_name = estimate_rows(
        *columns[:2],
        sample_weight=columns[2],
        weights_are="frequencies",
        metrics=metrics,
        method=method,
        threshold=threshold,
        pos_label=pos_label,
        confidence_level=level,
        alternative=alternative,
    )
    return Estimates({name: replace(one, weights_are=read) for name, one in by_name.items()})


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
    """Compare models on the same rows by metrics of two classes.

    Parameters
    ----------
    scores : mapping of str to Dask column, or Dask dataframe
        The scores of each model by its name; of a dataframe one a column.
    metrics : str, (str, dict), or a sequence or mapping of them
        As for `estimate`; metrics of decisions with `threshold`.
    reference : str, optional
        The model that all others are compared with; every pair by default.
    margin : float, optional
        A loss that does not matter, as for `fastmetrics.compare`.
    threshold : float, optional
        Metrics of decisions call a score >= threshold positive; not of predictions of 0 and 1.

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
    >>> result = fmd.compare(y_true, {"first": first, "second": second}, metrics="roc_auc")
    >>> pair = result["roc_auc"]["first", "second"]
    >>> pair.estimate, round(pair.standard_error, 6), pair.better
    (-0.21875, 0.220971, None)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    margin = None if margin is None else check_margin(margin)
    requested = _parse_metrics(metrics)
    columns = model_columns(scores)
    if len(columns) < 2:
        raise InputError("`scores` must have at least two models to be compared")
    names = tuple(columns)
    chosen = PairOptions(names, model_pairs(names, reference), margin, level, alternative)
    models = []
    for name, column in columns.items():
        given = {"y_true": y_true, "y_score": column}
        read = check_counted(given, sample_weight, weights_are, "compare(y_true, scores")
        if groups is not None:
            given |= {"sample_weight": sample_weight, "groups": groups}
        with renamed(y_score=f"scores[{name!r}]"):
            chunks = partitions(**given)
            model = _score_model(chunks, requested, threshold, pos_label, read, groups is not None)
        models.append(model)
    results = {}
    if groups is not None:
        sums = [_group_sums(model, read) for model in models]
        for m, one in enumerate(requested):
            joined = join_models(
                [
                    measured.measured(m, each.measured[m])
                    for measured, each in zip(sums, models, strict=True)
                ]
            )
            if m == 0:
                joined.units.warn_small_samples(None)
            results[one.label] = compare_models(one, joined, chosen, read)
        return Comparisons(results)
    by_name = {f"scores[{name!r}]": column for name, column in columns.items()}
    chunks = partitions(y_true=y_true, sample_weight=sample_weight, **by_name)
    lookups = [model.lookup for model in models]
    task = delayed(lookups), chosen.pairs, read, models[0].positive
    whole: ProductSums = total(over(chunks, _sums_of_products, *task))
    for m, one in enumerate(requested):
        measured = [each.measured[m] for each in models]
        estimates = [make_estimate(one, each, 0, level, weights_are=read) for each in measured]
        counts = [each.counts[0] for each in measured]
        results[one.label] = compare_by_sums(one, m, estimates, whole, chosen, counts)
    return Comparisons(results)


def _parse_metrics(metrics: MetricsLike) -> tuple[MetricRequest, ...]:
    """Return the metrics asked for, which rows of a class and a score must tell, or raise."""
    requested = ask(metrics)
    for one in requested:
        if not one.has_influences:
            raise InputError(
                f"`{one.label}` has no influences of rows: take `fastmetrics.bootstrap` of "
                "`fastmetrics.dask.score_table(...)`"
            )
        if one.entry.needs not in ("scores", "probabilities", "labels"):
            raise InputError(
                f"`metrics` names {one.label!r}, which needs the rows in memory: take "
                "`fastmetrics.estimate`"
            )
    return requested


class _ScoredModel(NamedTuple):
    """The partitions of a model, and how far rows of each class and score move its metrics."""

    chunks: Sequence[Delayed]
    positive: list[Any]
    measured: list[Measurement]
    lookup: Lookup


def _table_points(table: ScoreTable) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the classes, scores and counts of a table's rows, the positives first."""
    counts = np.concatenate([table.positives, table.negatives])
    at = np.flatnonzero(counts)
    return (at < len(table)).astype(np.int64), table.scores[at % len(table)], counts[at]


def _score_model(
    chunks: Sequence[Delayed],
    requested: tuple[MetricRequest, ...],
    threshold: Any,
    pos_label: Any,
    weights_are: WeightsAre | None,
    are_grouped: bool,
) -> _ScoredModel:
    runs = score_runs(chunks, pos_label, weights_are=weights_are)
    table = runs.table()
    labels, scores, counts = _table_points(table)
    samples = build_samples(
        requested,
        labels,
        [NamedScores("", "y_score", scores)],
        threshold=None if threshold is None else real_threshold(threshold),
        pos_label=None,
        sample_weight=counts,
        weights_are="frequencies",
        event=None,
        query=None,
        groups=np.zeros(len(counts), np.int64) if are_grouped else None,  # they stand for others
        strata=None,
    )
    measured = [
        TablePoints(table).at_scores(one)  # in memory a largest gap is that of two scores
        if one.entry.interval == LARGEST_GAP and not are_grouped
        else samples[one.label].measure(one)
        for one in requested
    ]
    influences = np.zeros((len(requested), 2, len(table)))
    occupied = np.flatnonzero(np.concatenate([table.positives, table.negatives]))
    for row, each in zip(influences.reshape(len(requested), -1), measured, strict=True):
        row_influences = each.influences[0]
        row[slice(None) if len(row_influences) == len(row) else occupied] = row_influences
    lookup = Lookup(table.scores[::-1], influences[:, ::-1, ::-1], np.zeros((len(requested), 2)))
    return _ScoredModel(chunks, runs.positive, measured, lookup)


# --- sums over rows ------------------------------------------------------------------------------


class _GroupSums(NamedTuple):
    """Sums over the rows of each group.

    Attributes
    ----------
    names : ndarray of shape (n_groups,)
    rows : ndarray of shape (2, n_groups)
        How many rows of each class, by their frequencies.
    sums : ndarray of shape (M, 2, n_groups)
        Of the influences on M metrics.
    sizes : ndarray of shape (M,)
        The sums of the sizes of all influences, by which what cancels in a group is known.
    """

    names: NDArray[Any]
    rows: Floats
    sums: Floats
    sizes: Floats

    def __add__(self, other: tuple[Any, ...]) -> _GroupSums:
        """Return the sums over the rows of both."""
        both = self, _GroupSums(*other)
        if len({each.names.dtype.kind in "UOT" for each in both}) > 1:
            raise InputTypeError("`groups` holds text in some partitions, and numbers in others")
        names = np.unique(np.concatenate([each.names for each in both]))
        rows = np.zeros((2, len(names)))
        sums = np.zeros((len(self.sums), 2, len(names)))
        for each in both:
            at = np.searchsorted(names, each.names)
            rows[:, at] += each.rows
            sums[:, :, at] += each.sums
        return _GroupSums(names, rows, sums, both[0].sizes + both[1].sizes)

    def measured(self, m: int, by_points: Measurement) -> Measurement:
        """Return a metric whose points are the groups, or their rows of each class."""
        variance = by_points.units.without_groups.variance(by_points.influences[0])
        return measure_groups(by_points, self.sums[m], self.sizes[m], self.rows, variance)


def _group_sums(model: _ScoredModel, weights_are: WeightsAre | None) -> _GroupSums:
    task = delayed(model.lookup), weights_are, model.positive
    whole: _GroupSums = total(over(model.chunks, _sums_by_group, *task))
    return whole


def _sums_by_group(
    columns: tuple[Any, ...], lookup: Lookup, weights_are: WeightsAre | None, positive: list[Any]
) -> _GroupSums | None:
    y_true, _, sample_weight, groups = columns
    check_same_index(y_true=y_true, groups=groups)
    rows = partition_rows(columns[:3], weights_are, positive).state
    if rows is None:
        return None
    names, codes = check_class_labels(groups, "groups")
    check_same_length(y_true=y_true, groups=codes)
    if sample_weight is not None:
        codes = codes[as_array(sample_weight, "sample_weight") > 0]
    n = len(names)
    is_positive = rows.labels == 1
    codes = is_positive * n + codes
    at = lookup.indices(cast_scores(rows.scores, lookup.scores.dtype))
    counts = np.bincount(codes, rows.weights, 2 * n).reshape(2, n).astype(np.float64)
    sums = np.empty((len(lookup.influences), 2, n))
    sizes = []
    for row, by_class in zip(sums, lookup.influences, strict=True):
        influence = by_class[is_positive.astype(np.intp), at]
        influence = influence if rows.weights is None else influence * rows.weights
        row[:] = np.bincount(codes, influence, 2 * n).reshape(2, n)
        sizes.append(float(np.abs(influence).sum()))
    return _GroupSums(np.asarray(names), counts, sums, np.array(sizes))


def _sums_of_products(
    columns: tuple[Any, ...],
    lookups: list[Lookup],
    pairs: Pairs,
    weights_are: WeightsAre | None,
    positive: list[Any],
) -> ProductSums | None:
    y_true, sample_weight, *scores = columns
    models: list[BinaryRows] = []
    for each in scores:
        rows = partition_rows((y_true, each, sample_weight), weights_are, positive).state
        if rows is None:
            return None
        models.append(rows)
    model_columns = [
        cast_scores(rows.scores, lookup.scores.dtype)
        for rows, lookup in zip(models, lookups, strict=True)
    ]
    return ProductSums.from_rows(models[0].labels, models[0].weights, model_columns, lookups, pairs)
