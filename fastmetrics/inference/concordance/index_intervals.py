"""The concordance index of censored times with its interval, and of several models compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from fastmetrics._docs import documented
from fastmetrics._input.models import MODELS, named_scores
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
from fastmetrics.errors import UndefinedMetricWarning, warn_user
from fastmetrics.inference.concordance._influences import checked_rows
from fastmetrics.inference.concordance.concordance_results import (
    ConcordanceInterval,
    ConcordanceTest,
    compare,
    interval_of,
    warn_of_rows,
)
from fastmetrics.measures.concordance.concordance_index import (
    INDEX,
    HigherScoreMeans,
    TiesInScore,
    check_index_options,
    checked_pairs,
)
from fastmetrics.measures.concordance.influences import index_influenced
from fastmetrics.tables.concordance.censored_pairs import Weighting

_NAME = "concordance index"

_INTERVAL = """
Parameters
----------
groups : array-like of shape (n_samples,), optional
    Which rows belong together: the variance is then that between groups.

Notes
-----
The standard error is the infinitesimal jackknife's, as in R's ``survival::concordance``: the sum
of squares of how far each row moves the index. With Uno's weights G is taken as known, there as
here. Intervals are symmetric on the logit scale.

References
----------
Therneau & Atkinson, Concordance, vignette of the R package survival.
"""


def _warn_of_nothing(value: float) -> None:
    if math.isnan(value):
        warn_user(
            "the concordance index is undefined: no pair of times is comparable; set to nan",
            UndefinedMetricWarning,
        )


@documented(INDEX, _INTERVAL)
def concordance_index_interval(
    time: ArrayLike,
    event: ArrayLike,
    score: ArrayLike,
    *,
    higher_score_means: HigherScoreMeans,
    weighting: Weighting = "harrell",
    tau: float | None = None,
    ties_in_score: TiesInScore = "half",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> ConcordanceInterval:
    """Compute the concordance index with its standard error and interval.

    Parameters
    ----------
    score : array-like of shape (n_samples,)
        Predictions; they matter by their order alone.

    Returns
    -------
    ConcordanceInterval

    Examples
    --------
    >>> time = [9, 13, 13, 18, 23, 28, 31, 34, 45, 48, 161]
    >>> event = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
    >>> score = [1, 6, 2, 7, 3, 7, 3, 8, 4, 4, 5]
    >>> found = concordance_index_interval(time, event, score, higher_score_means="longer-time")
    >>> found.estimate, round(found.standard_error, 4)
    (0.625, 0.1288)
    """
    level = check_confidence_level(confidence_level)
    threads = check_n_threads(n_threads)
    read = check_weights_are(sample_weight, weights_are)
    options = check_index_options(higher_score_means, weighting, tau, ties_in_score)
    values = check_scores_array(score, "score")
    pairs = checked_pairs(time, event, options, sample_weight, read, threads)
    check_same_length(time=pairs.weights, score=values)
    rows = checked_rows(pairs.weights, read, groups)
    sums = pairs.sums(values, options.higher_is_longer, threads)
    found = index_influenced(sums, options.half, threads)
    _warn_of_nothing(found.value)
    warn_of_rows(rows)
    return interval_of(_NAME, found, rows, level, is_index=True)


@documented(INDEX, MODELS, _INTERVAL)
def concordance_index_test(
    time: ArrayLike,
    event: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    higher_score_means: HigherScoreMeans,
    weighting: Weighting = "harrell",
    tau: float | None = None,
    ties_in_score: TiesInScore = "half",
    names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    sample_weight: ArrayLike | None = None,
    weights_are: WeightsAre = "importances",
    n_threads: int | None = None,
) -> ConcordanceTest:
    """Test whether two or more models have the same concordance index on the same rows.

    Parameters
    ----------
    scores : mapping of str to array-like of shape (n_samples,), or data frame
        Each model's scores by its name; a data frame has one column a model. An array of shape
        (n_samples, n_models) needs `names`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What the test of a pair (a, b) is against: that the index of a is other than, less than or
        greater than that of b. The intervals of the differences are one-sided too.

    Returns
    -------
    ConcordanceTest

    Examples
    --------
    >>> time = [9, 13, 13, 18, 23, 28, 31, 34, 45, 48, 161]
    >>> event = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
    >>> scores = {"a": [1, 6, 2, 7, 3, 7, 3, 8, 4, 4, 5], "b": [2, 1, 3, 5, 4, 9, 6, 8, 7, 9, 9]}
    >>> test = concordance_index_test(time, event, scores, higher_score_means="longer-time")
    >>> round(test["a", "b"].difference, 4), round(test["a", "b"].pvalue, 4)
    (-0.2875, 0.0232)
    """
    level = check_confidence_level(confidence_level)
    check_alternative(alternative)
    threads = check_n_threads(n_threads)
    read = check_weights_are(sample_weight, weights_are)
    options = check_index_options(higher_score_means, weighting, tau, ties_in_score)
    models = named_scores(scores, names, at_least=2)
    pairs = checked_pairs(time, event, options, sample_weight, read, threads)
    found = []
    for model in models:
        column = check_scores_array(model.values, model.argument)
        check_same_length(**{"time": pairs.weights, model.argument: column})
        sums = pairs.sums(column, options.higher_is_longer, threads)
        found.append(index_influenced(sums, options.half, threads))
    _warn_of_nothing(float(np.sum([one.value for one in found])))
    rows = checked_rows(pairs.weights, read, groups)
    warn_of_rows(rows)
    named = tuple(model.name for model in models)
    return compare(_NAME, named, found, rows, level, alternative, is_index=True)
