"""``bayesian_count_test``: how likely one model's decisions are better than another's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._docs import documented
from fastmetrics._input.models import NamedScores
from fastmetrics._input.scalars import check_fraction, seed_key
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.comparison.result import MODELS, POSTERIOR, PRACTICAL, check_samples, practical
from fastmetrics.errors import InputError, UndefinedMetricWarning, warn_user
from fastmetrics.inference.samples import LabelSample
from fastmetrics.measures.asking import Asked, ask_one
from fastmetrics.measures.decisions.count_measures import value

Floats = NDArray[np.float64]

#: Classes at most: the cells are those of true, A's and B's label.
_CLASSES: Final = 20
#: Numbers of one block of samples.
_BLOCK: Final = 1_000_000


@documented(POSTERIOR)
@dataclass(frozen=True, slots=True, repr=False)
class BayesianCountTest(Result):
    """The posterior of a measure of two models' decisions, and of their difference, A less B.

    Attributes
    ----------
    metric : str
        What was measured.
    difference : float
        The difference on the data; nan where it is undefined there.
    credible_interval : ConfidenceInterval
        Of the difference, with equal tails, of probability `credible_level`.
    credible_interval_a, credible_interval_b : ConfidenceInterval
        Of the measure of either model.
    prior : float
        Rows of each cell of a model's matrix that the prior stands for.
    n_samples : int
        Rows.
    """

    metric: str
    p_left: float
    p_rope: float
    p_right: float
    rope: ConfidenceInterval
    difference: float
    credible_interval: ConfidenceInterval
    credible_interval_a: ConfidenceInterval
    credible_interval_b: ConfidenceInterval
    monte_carlo_error: float
    prior: float
    n_samples: int
    n_resamples: int
    credible_level: float
    names: tuple[str, ...]
    decision: str
    better: str | None
    key: str


@documented(PRACTICAL, MODELS)
def bayesian_count_test(
    y_true: ArrayLike,
    y_pred_a: ArrayLike,
    y_pred_b: ArrayLike,
    *,
    metrics: str | tuple[str, Mapping[str, Any]] = "f1",
    rope: float = 0.0,
    prior: float = 0.5,
    n_resamples: int = 50_000,
    credible_level: float = 0.95,
    pos_label: Any = None,
    rng: Any = None,
    names: tuple[str, str] = ("A", "B"),
) -> BayesianCountTest:
    """Return how likely one model's decisions are better than another's, where counts are few.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b : array-like of shape (n,)
        True labels, and those that each model predicts for the same rows; at most 20 classes.
    metrics : str or (str, dict), default="f1"
        One measure of labels, by its name in `metrics_table`.
    rope : float, default=0.0
        Differences within +-`rope` count as none: the region of practical equivalence.
    prior : float, default=0.5
        Rows that the prior puts into each cell of a model's confusion matrix: 0.5 is Jeffreys' for
        precision and recall, 1 is uniform; 0.05 at least.
    pos_label : optional
        The positive label, of measures that have one; the greatest by default.

    Returns
    -------
    BayesianCountTest
        The three probabilities; the posterior of the difference and of each model.

    Raises
    ------
    ValueError
        If the measure is not of labels, classes are too many, or an option has no meaning.

    Warns
    -----
    UndefinedMetricWarning
        If the measure is undefined on these data.

    Notes
    -----
    Shares of the cells (true label, A's, B's) have a Dirichlet prior, of `prior` / K for each of K
    classes, and so their posterior is Dirichlet too. That of one model is as if it stood alone: its
    precision is Beta(TP + prior, FP + prior), and F1 = 2 j / (1 + j) with j Beta(TP + prior,
    FP + FN + 2 prior) (Goutte & Gaussier). Rows on which both models agree
    tell little of the difference, as they should. Rows must be independent. A posterior is no test:
    where it is 95 % sure, equal models are called different in one data set of ten or more
    (``docs/coverage/posteriors.md``); `compare` keeps its level. O(n), and O(K^3) a sample.

    References
    ----------
    Goutte & Gaussier (2005), A probabilistic interpretation of precision, recall and F-score, with
    implication for evaluation, ECIR, LNCS 3408:345-359.

    Examples
    --------
    >>> y = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    >>> a = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    >>> b = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    >>> test = bayesian_count_test(y, a, b, rng=1)
    >>> round(test.p_right, 2), test.decision
    (0.97, 'right')
    """
    one = ask_one(metrics)
    if one.measure is None or one.measure.needs != "labels" or one.is_only_function:
        raise InputError(f"`metrics` must be a measure of labels: got {one.label!r}")
    each = check_fraction("prior", prior, low=0.05, high=math.inf, include_low=True)
    count = check_samples(n_resamples)
    asked = practical(rope, credible_level, names, one.higher_is_better)
    width, level = asked.rope.high, asked.credible_level
    models = [NamedScores("", "y_pred_a", y_pred_a), NamedScores("", "y_pred_b", y_pred_b)]
    rows = LabelSample(y_true, models, {"pos_label": pos_label, **_PLAIN})
    n_classes = 1 + max(int(codes.max()) for codes in (rows.classes, *rows.predicted))
    if n_classes > _CLASSES:
        raise InputError(f"there are {n_classes} classes: at most {_CLASSES} can be sampled")
    k = max(2, n_classes)
    codes = (rows.classes * k + rows.predicted[0]) * k + rows.predicted[1]
    cells = np.bincount(codes, minlength=k**3).astype(np.float64)
    on_data = _of_both(one, cells.reshape(1, k, k, k))[:, 0]
    if np.isnan(on_data).any():
        message = f"`{one.label}` is not defined on these data: its posterior is the prior's"
        warn_user(message, UndefinedMetricWarning)
    key = seed_key(rng)
    both = _sampled(one, cells + each / k, k, count, key)
    less = both[0] - both[1]
    inside = float(np.mean(np.abs(less) <= width)) if width > 0 else 0.0
    right = float(np.mean(less > width) + (width == 0) * np.mean(less == 0) / 2)
    left = max(0.0, 1.0 - inside - right)
    return BayesianCountTest(
        **asked.sampled((left, inside, right), count, key),
        metric=one.label,
        difference=float(on_data[0] - on_data[1]),
        credible_interval=_between(less, level),
        credible_interval_a=_between(both[0], level),
        credible_interval_b=_between(both[1], level),
        prior=each,
        n_samples=len(codes),
    )


#: Of rows that all matter alike, and vary alone.
_PLAIN: Final = dict.fromkeys(("sample_weight", "weights_are", "groups", "strata"))


def _of_both(one: Asked, cells: Floats) -> Floats:
    """Return the measure of either model of a stack of cells of shape (n, K, K, K): (2, n)."""
    return np.stack([value(one.name, cells.sum(axis=other), **one.parameters) for other in (3, 2)])


def _sampled(
    one: Asked, alpha: Floats, k: int, n_resamples: int, key: NDArray[np.uint64]
) -> Floats:
    """Return samples of the measure of either model: (2, n_resamples)."""
    generator, found = np.random.default_rng(key), []
    block = max(1, _BLOCK // len(alpha))
    for start in range(0, n_resamples, block):
        n = min(block, n_resamples - start)
        shares = generator.dirichlet(alpha, n).reshape(n, k, k, k)
        found.append(_of_both(one, shares))
    return np.concatenate(found, axis=1)


def _between(samples: Floats, level: float) -> ConfidenceInterval:
    low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2])
    return ConfidenceInterval(float(low), float(high))
