"""``evaluate_log``: how good models are on items, and which one is better."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import (
    check_choice,
    check_confidence_level,
    check_flag,
    check_integer,
    check_same_length,
    check_text,
)
from fastmetrics._input.scores import check_finite
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.score_evaluation import said_in_notes
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate import PairOptions, compare_models
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.interval_rule import make_estimate
from fastmetrics.inference.measurement import Measurement
from fastmetrics.inference.proportions import proportion_limits
from fastmetrics.inference.samples import proportion_counts
from fastmetrics.inference.units import ROUNDING, Floats, Ints, Units
from fastmetrics.metrics._metric import HITS, Metric
from fastmetrics.metrics.asking import MetricRequest

_BOTH: Final = "two-sided"
_ANY: Final = (-math.inf, math.inf)
#: Items times the distance of a mean from 0 or 1: below, few carry its error.
_ENOUGH: Final = 10.0


class _Attempts(NamedTuple):
    """Counts ``n`` and score sums ``total`` of (n_models, n_items); ``group`` of items or None."""

    models: tuple[str, ...]
    items: NDArray[Any]
    n: Floats
    total: Floats
    group: Ints | None
    are_successes: bool
    bounds: tuple[float, float]


def evaluate_log(
    item: ArrayLike,
    score: ArrayLike,
    *,
    model: ArrayLike | None = None,
    repeat: ArrayLike | None = None,
    group: ArrayLike | None = None,
    name: str = "score",
    higher_is_better: bool | None = None,
    pass_at: Iterable[int] = (),
    pass_hat: Iterable[int] = (),
    on_missing: Literal["error", "intersect"] = "error",
    confidence_level: float = 0.95,
) -> Evaluation:
    """Evaluate models on items, from a row for each attempt, and compare them on the same items.

    Parameters
    ----------
    item : array-like of shape (n_rows,)
        Id of the item: text or whole numbers. `read_evaluation_log` reads these columns from logs.
    score : array-like of shape (n_rows,)
        Score of the attempt: finite numbers, or booleans.
    model : array-like of shape (n_rows,), optional
        Name of the model; by default all rows are of one, "model".
    repeat : array-like of shape (n_rows,), optional
        Which attempt at the item it is: needed where a model has an item more than once.
    group : array-like of shape (n_rows,), optional
        Cluster of the item, as the document of a question: the same for all rows of an item.
    name : str, default="score"
        Name of the score.
    higher_is_better : bool, optional
        Its direction. Scores that are all 0 or 1 are successes, of which more are better; of others
        no model is called better without it.
    pass_at : iterable of int, optional
        Of successes, the chance that at least one of k attempts succeeds, for each k.
    pass_hat : iterable of int, optional
        The chance that all of k attempts succeed (pass^k), for each k.
    on_missing : {"error", "intersect"}, default="error"
        Where models do not have the same items: raise, or measure those that all have.
    confidence_level : float, default=0.95
        Of the intervals.

    Returns
    -------
    Evaluation
        By model the mean score, and with repeats the flip rate, pass@k and pass^k, each with its
        interval; of several models the differences on the same items, and the verdict.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, a score is no finite number, an item belongs to two groups or is there
        twice in one repeat, models lack items of each other, scores of pass@k are other than 0 and
        1, or an item has fewer attempts than k.

    Warns
    -----
    UndefinedMetricWarning
        If items do not show how much pass@k or pass^k varies.

    Notes
    -----
    An item counts once, however often it was tried: its attempts are averaged, and **items are what
    varies**, or groups of items. With c successes in n attempts pass@k of an item is
    1 - C(n - c, k) / C(n, k), pass^k is C(c, k) / C(n, k), and the flip rate, that two attempts
    disagree, 2 c (n - c) / (n (n - 1)): each without bias. Means over items have Student's t
    intervals on the logit scale, shares of items tried once those of Wilson; near 0 and 1, and of
    few items, the outer limits of both. Differences are of pairs of the same items: Student's t,
    near 0 and 1 no narrower than the limits of both models allow.

    O(n log n), and O(items k) for each k.

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, arXiv 2107.03374. Yao et
    al. (2024), tau-bench, arXiv 2406.12045. Miller (2024), Adding error bars to evals, arXiv
    2411.00640.

    Examples
    --------
    >>> item = [f"q{k}" for k in range(40)] * 2
    >>> score = [1, 0, 1, 1] * 10 + [1, 0, 0, 1] * 10
    >>> result = evaluate_log(item, score, model=["a"] * 40 + ["b"] * 40)
    >>> result.verdict
    'a is better than b in score.'
    """
    check_text("name", name)
    if higher_is_better is not None:
        check_flag("higher_is_better", higher_is_better)
    level = check_confidence_level(confidence_level)
    check_choice("on_missing", on_missing, ("error", "intersect"))
    attempts = _attempts(item, score, model, repeat, group)
    if higher_is_better is None and attempts.are_successes:
        higher_is_better = True
    attempts, notes = _shared(attempts, on_missing)
    ks = {"pass_at": _checked(pass_at, "pass_at"), "pass_hat": _checked(pass_hat, "pass_hat")}
    means = np.asarray(attempts.total / attempts.n)
    metrics = [(_request(name, "score", higher_is_better, attempts.bounds), means)]
    metrics += _success_metrics(attempts, **ks)
    models = attempts.models
    by_model: dict[str, dict[str, Estimate]] = {each: {} for each in models}
    pairs: dict[str, Comparison] = {}
    chosen = PairOptions(
        models, list(itertools.combinations(range(len(models)), 2)), None, level, _BOTH
    )
    with said_in_notes():
        for one, values in metrics:
            measured = _measured(values, attempts.group)
            estimates = tuple(
                _near_the_edge(make_estimate(one, measured, k, level)) for k in range(len(models))
            )
            if len(models) > 1 and one.name != "flip_rate":
                pairs[one.label] = _with_limits(compare_models(one, measured, chosen), estimates)
            for each, estimate in zip(models, estimates, strict=True):
                by_model[each][one.label] = estimate
    directions = {one.label: one.higher_is_better for one, _ in metrics}
    return Evaluation.from_estimates("items", by_model, pairs, level, directions, notes)


def _attempts(item: Any, score: Any, model: Any, repeat: Any, group: Any) -> _Attempts:
    """Validate the columns and return the sums of each model's items."""
    values = as_array(score, "score")
    if values.dtype.kind not in "biuf" or values.ndim != 1:
        raise InputTypeError("`score` must be a vector of numbers or booleans")
    check_finite(values, "score")
    values = values.astype(np.float64)
    items, item_codes = _codes(item, "item", len(values))
    names: tuple[str, ...] = ("model",)
    model_codes = np.zeros(len(values), np.int64)
    if model is not None:  # in order of first appearance
        models, codes = _codes(model, "model", len(values))
        order = np.argsort(np.unique(codes, return_index=True)[1])
        names = tuple(map(str, models[order].tolist()))
        model_codes = np.argsort(order)[codes]
    cells = model_codes * len(items) + item_codes
    keys = cells
    if repeat is not None:
        _, repeats = _codes(repeat, "repeat", len(values))
        keys = cells * (int(repeats.max()) + 1) + repeats
    order = np.argsort(keys, kind="stable")
    copies = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(copies):
        row = order[copies[0] + 1]
        advice = "name each `repeat`" if repeat is None else "in one `repeat`: these are copies"
        raise InputError(
            f"`item` {items[item_codes[row]]!s} is there more than once for model "
            f"{names[model_codes[row]]!r}, and {len(copies):,} such rows in all: {advice}"
        )
    groups = None
    if group is not None:
        _, group_codes = _codes(group, "group", len(values))
        groups = np.empty(len(items), np.int64)
        groups[item_codes] = group_codes
        torn = np.unique(item_codes[groups[item_codes] != group_codes])
        if len(torn):
            raise InputError(
                f"`group` must be the same for all rows of an item: {len(torn):,} items have "
                f"several, {items[torn[0]]!s} for one"
            )
    shape = len(names), len(items)
    n = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    total = np.bincount(cells, values, shape[0] * shape[1]).reshape(shape)
    successes = bool(((values == 0.0) | (values == 1.0)).all())
    bounds = (0.0, 1.0) if values.min() >= 0.0 and values.max() <= 1.0 else _ANY
    return _Attempts(names, items, n, np.asarray(total, np.float64), groups, successes, bounds)


def _codes(values: Any, name: str, n: int) -> tuple[NDArray[Any], Ints]:
    """Return the distinct values of a column, sorted, and the code of each row."""
    array = as_array(values, name)
    if array.dtype.kind == "f":
        raise InputTypeError(f"`{name}` must hold texts or whole numbers: got {array.dtype}")
    labels = check_class_labels(array, name)
    check_same_length(**{"score": range(n), name: labels.codes})
    return np.asarray(labels.classes), labels.codes


def _checked(ks: Any, name: str) -> list[int]:
    given = [ks] if isinstance(ks, int | np.integer) else list(ks)
    for k in given:
        check_integer(name, k, low=1)
    return sorted({int(k) for k in given})


def _shared(attempts: _Attempts, on_missing: str) -> tuple[_Attempts, list[str]]:
    """Return the attempts at the items that all models have, and a note on the others."""
    lacks: NDArray[np.bool_] = (attempts.n == 0).any(axis=0)
    if not lacks.any():
        return attempts, []
    n = int(lacks.sum())
    if on_missing == "error":
        first = attempts.items[int(np.argmax(lacks))]
        raise InputError(
            f"{n:,} of {len(lacks):,} items are not there for every model, {first!s} for one: "
            "models are compared on the same items; `on_missing='intersect'` leaves them out"
        )
    if lacks.all():
        raise InputError("no item is there for every model: nothing can be compared")
    shared = attempts._replace(
        items=attempts.items[~lacks],
        n=np.compress(~lacks, attempts.n, axis=1),
        total=np.compress(~lacks, attempts.total, axis=1),
        group=None
        if attempts.group is None
        else np.unique(attempts.group[~lacks], return_inverse=True)[1],
    )
    return shared, [f"{n:,} items that not all models have are left out of all that is said."]


def _success_metrics(
    attempts: _Attempts, pass_at: list[int], pass_hat: list[int]
) -> Iterator[tuple[MetricRequest, Floats]]:
    """Yield each metric of successes with its value for every model and item."""
    n = attempts.n
    c = attempts.total
    fewest = int(n.min())
    if (pass_at or pass_hat) and not attempts.are_successes:
        raise InputError("`pass_at` and `pass_hat` count successes: scores must all be 0 or 1")
    for name, ks, sign in (("pass_at", pass_at, "@"), ("pass_hat", pass_hat, "^")):
        for k in ks:
            if k > fewest:
                raise InputError(
                    f"`{name}` is at most the fewest repeats of an item, {fewest}: got {k}"
                )
            # At least one of k attempts succeeds where not all fail.
            chance = 1.0 - _all_among(n, n - c, k) if sign == "@" else _all_among(n, c, k)
            yield _request(f"pass{sign}{k}", name, True, (0.0, 1.0)), chance
    if attempts.are_successes and fewest > 1:
        yield _request("flip_rate", "flip_rate", None, (0.0, 1.0)), 2 * c * (n - c) / (n * (n - 1))


def _request(
    label: str, name: str, upwards: bool | None, bounds: tuple[float, float]
) -> MetricRequest:
    options: dict[str, Any] = {"bounds": bounds, "influences": "-", "interval": HITS}
    return MetricRequest(label, Metric(name, "ranking", name, "", upwards, "nothing", **options))


def _all_among(n: Floats, c: Floats, k: int) -> Floats:
    """Return C(c, k) / C(n, k): the chance that k attempts of n are all among c."""
    chance: Floats = np.ones_like(c)
    for j in range(k):
        chance *= np.maximum(c - j, 0.0) / (n - j)
    return chance


def _measured(values: Floats, group: Ints | None) -> Measurement:
    """Return the mean over items of each model, its points the items."""
    n = values.shape[1]
    means = values.mean(axis=1)
    deviations = values - means[:, None]
    largest = np.abs(values).max(axis=1, keepdims=True)
    deviations[(np.abs(deviations) <= ROUNDING * largest).all(axis=1)] = 0.0
    counts = tuple(
        proportion_counts(float(row.sum()), float(n))
        if group is None and np.isin(row, (0.0, 1.0)).all()
        else None
        for row in values
    )
    units = Units(n, groups=group)
    return Measurement(
        tuple(map(float, means)), deviations / n, units, counts, float(n), samples_are="items"
    )


def _near_the_edge(one: Estimate) -> Estimate:
    """Return the estimate of a proportion, with limits that know of few items near 0 or 1.

    A mean of numbers from 0 to 1 varies no more than one of zeros and ones: Wilson's limits hold it
    where few items carry its error, and Student's t knows too little.
    """
    if one.method != "influence" or one.scale != "logit" or not _is_near(one):
        return one
    n = _n(one)
    limits = one.confidence_interval
    wilson = proportion_limits(n * one.estimate, n, one.confidence_level, "wilson", "two-sided")
    outer = ConfidenceInterval(np.fmin(limits.low, wilson.low), np.fmax(limits.high, wilson.high))
    return replace(one, confidence_interval=outer, method="outer limits with wilson", note="")


def _with_limits(comparison: Comparison, models: tuple[Estimate, ...]) -> Comparison:
    """Return a comparison with the limits of its models, and with wider limits of differences.

    Where few items carry the error of a model, the difference has the outer limits of Student's t
    and of both models' limits, joined as if they were independent (Newcombe 1998).
    """
    of = dict(zip(comparison.names, models, strict=True))
    pairs = []
    for pair in comparison.pairs:
        both = of[pair.a], of[pair.b]
        if any("wilson" in one.method and _is_near(one) for one in both):
            (below_a, above_a), (below_b, above_b) = map(_reach, both)
            limits = pair.confidence_interval
            low = np.fmin(limits.low, pair.estimate - math.hypot(below_a, above_b))
            high = np.fmax(limits.high, pair.estimate + math.hypot(above_a, below_b))
            pair = replace(pair, confidence_interval=ConfidenceInterval(low, high))
        better = pair.better_at(comparison.confidence_level, comparison.higher_is_better)
        pairs.append(replace(pair, better=better))
    return replace(comparison, models=models, pairs=tuple(pairs))


def _is_near(one: Estimate) -> bool:
    """Return whether few items carry the error of a mean near 0 or 1."""
    return _n(one) * min(one.estimate, 1.0 - one.estimate) < _ENOUGH


def _n(one: Estimate) -> float:
    """Return how many items, or groups of them, vary."""
    return float(one.n_samples if one.n_groups is None else one.n_groups)


def _reach(one: Estimate) -> tuple[float, float]:
    """Return how far the limits are from an estimate, below and above."""
    return one.estimate - one.confidence_interval.low, one.confidence_interval.high - one.estimate
