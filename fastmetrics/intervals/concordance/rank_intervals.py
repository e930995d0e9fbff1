"""Rank correlation with its interval, and of several models compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, check_models_index, named_scores
from fastmetrics._input.rows import check_same_index
from fastmetrics._input.scalars import (
    Alternative,
    WeightsAre,
    check_alternative,
    check_confidence_level,
    check_n_threads,
    check_same_length,
    check_weights_are,
)
from fastmetrics._input.scores import check_scores_array
from fastmetrics._input.weights import check_weights
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.intervals.concordance._influences import Rows, checked_rows
from fastmetrics.intervals.concordance.concordance_results import (
    ConcordanceInterval,
    ConcordanceTest,
    compare,
    interval_of,
    warn_of_rows,
)
from fastmetrics.measures.asking import Asked, ask
from fastmetrics.measures.concordance.influences import Influenced, influenced
from fastmetrics.tables.concordance.row_counts import RowCounts, count_rows
from fastmetrics.tables.concordance.row_sums import Ranked, RowSums, in_order, ranked, sum_rows

#: What both functions take, and say alike.
RANKED: Final = """
Parameters
----------
y_true : array-like of shape (n_samples,)
    Outcomes: numbers, or labels 0 and 1.
metric : str or (str, mapping), default="kendall_tau"
    "kendall_tau", "somers_d" or "goodman_kruskal_gamma"; with its options, as
    ``("kendall_tau", {"variant": "c"})``.
groups : array-like of shape (n_samples,), optional
    Which rows belong together: the variance is then that between groups.

Raises
------
TypeError, ValueError
    If lengths differ, a value is no finite number, or the metric is none of these.

Warns
-----
UndefinedMetricWarning
    If no pair of rows can tell; all is then nan.
DegenerateDataWarning
    If nothing varies, or there are few groups: limits are nan, or too narrow.

Notes
-----
The standard error is the infinitesimal jackknife's: a row's influence is the derivative of the
measure by its weight, from the weights of its concordant, discordant and tied partners, and the
variance is the sum of squares of these influences (of groups: of their sums, times I / (I - 1)).
Equal to the usual asymptotic variance of a U-statistic (Hoeffding 1948) as n grows. Intervals are
symmetric in the inverse hyperbolic tangent. O(n log n) time, O(n) memory.
"""

_OPTIONS: Final = {"kendall_tau": "variant", "somers_d": "given", "goodman_kruskal_gamma": ""}


def _asked(metric: Any) -> tuple[Asked, Any]:
    """Return the measure that was asked for, and its option."""
    (one,) = ask([metric], "metric")
    if one.name not in _OPTIONS or one.measure is None:
        raise InputError(
            f"`metric` must be one of {', '.join(map(repr, _OPTIONS))}: got {one.label!r}"
        )
    option = _OPTIONS[one.name]
    return one, {**one.measure.parameters, **one.parameters}.get(option)


def _outcome(
    y_true: Any,
    sample_weight: Any,
    weights_are: WeightsAre | None,
    groups: Any,
    n_threads: int | None,
) -> tuple[Ranked, Rows]:
    keys = ranked(check_scores_array(y_true, "y_true"), n_threads)
    weights = np.ones(len(keys.ranks))
    if sample_weight is not None:
        weights = check_weights(sample_weight, len(weights), weights_are=weights_are).values
    return keys, checked_rows(weights, weights_are, groups)


def _found(
    one: Asked, option: Any, keys: Ranked, score: Any, rows: Rows, n_threads: int | None
) -> Influenced:
    scores = ranked(score, n_threads)
    sums: RowSums | RowCounts
    if (rows.weights == 1.0).all():
        sums = count_rows(keys, scores, n_threads=n_threads)
    else:
        sums = sum_rows(in_order(keys, scores, n_threads), rows.weights, n_threads=n_threads)
    n_values = 0
    if option == "c":
        there = rows.weights > 0
        n_values = min(len(np.unique(each.ranks[there])) for each in (keys, scores))
    if option == "c" and n_values < 2:
        n_values = 1
    found = influenced(
        option,
        sums,
        float(rows.weights.sum()),
        n_values,
        n_threads,
        are_frequencies=rows.weights_are == "frequencies",
    )
    if np.isnan(found.value):
        warn_user(
            f"`{one.label}` is undefined: too many values tie; set to nan", UndefinedMetricWarning
        )
    return found


@documented(RANKED)
def concordance_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: Any = "kendall_tau",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> ConcordanceInterval:
    """Compute Kendall's tau, Somers' D or gamma with its standard error and interval.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        Predictions; they matter by their order alone.

    Returns
    -------
    ConcordanceInterval

    Examples
    --------
    >>> y_true = [1, 2, 3, 4, 5, 6, 7, 8]
    >>> found = concordance_interval(y_true, [2, 1, 4, 3, 6, 8, 5, 7])
    >>> round(found.estimate, 4), round(found.standard_error, 4)
    (0.6429, 0.0875)
    """
    level = check_confidence_level(confidence_level)
    threads = check_n_threads(n_threads)
    read = check_weights_are(sample_weight, weights_are)
    one, option = _asked(metric)
    check_same_index(y_true=y_true, y_score=y_score, sample_weight=sample_weight, groups=groups)
    score = check_scores_array(y_score, "y_score")
    keys, rows = _outcome(y_true, sample_weight, read, groups, threads)
    check_same_length(y_true=rows.weights, y_score=score)
    found = _found(one, option, keys, score, rows, threads)
    warn_of_rows(rows)
    return interval_of(one.label, found, rows, level)


@documented(MODELS, RANKED)
def concordance_test(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    metric: Any = "kendall_tau",
    names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> ConcordanceTest:
    """Test whether two or more models order the same rows equally well.

    Parameters
    ----------
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What the test of a pair (a, b) is against: that a has another, a lower or a greater value
        than b. The intervals of the differences are one-sided too.

    Returns
    -------
    ConcordanceTest

    Examples
    --------
    >>> y_true = [1, 2, 3, 4, 5, 6, 7, 8]
    >>> scores = {"first": [2, 1, 4, 3, 6, 8, 5, 7], "second": [3, 1, 2, 8, 4, 5, 7, 6]}
    >>> test = concordance_test(y_true, scores)
    >>> round(test["first", "second"].difference, 4), round(test["first", "second"].pvalue, 3)
    (0.1429, 0.527)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    threads = check_n_threads(n_threads)
    read = check_weights_are(sample_weight, weights_are)
    one, option = _asked(metric)
    models = named_scores(scores, names, at_least=2)
    check_models_index(y_true, models, sample_weight=sample_weight, groups=groups)
    columns = [check_scores_array(model.values, model.argument) for model in models]
    keys, rows = _outcome(y_true, sample_weight, read, groups, threads)
    for model, column in zip(models, columns, strict=True):
        check_same_length(**{"y_true": rows.weights, model.argument: column})
    found = [_found(one, option, keys, column, rows, threads) for column in columns]
    warn_of_rows(rows)
    return compare(
        one.label, tuple(model.name for model in models), found, rows, level, alternative
    )
