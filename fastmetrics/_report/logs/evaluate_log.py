"""``evaluate_log``: how good models are on items, and which one is better."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import check_choice, check_confidence_level, check_integer
from fastmetrics._report.logs.log import EvaluationLog, Floats
from fastmetrics._report.model_evaluation import said_in_notes
from fastmetrics._report.task_evaluation import TaskEvaluation
from fastmetrics._results import ConfidenceInterval
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.compare import Chosen, compared
from fastmetrics.inference.comparison_result import Comparison
from fastmetrics.inference.estimate_result import Estimate
from fastmetrics.inference.interval_rule import estimate_of
from fastmetrics.inference.proportions.proportions import proportion_limits
from fastmetrics.inference.table_points import Measured, counts_of_share
from fastmetrics.inference.units import ROUNDING, Units
from fastmetrics.measures._measure import Measure
from fastmetrics.measures.asking import Asked

_ANY: Final = (-math.inf, math.inf)
#: Items times the distance of a mean from 0 or 1: below, few carry its error.
_ENOUGH: Final = 10.0


def evaluate_log(
    log: EvaluationLog,
    *,
    pass_at: Iterable[int] = (),
    pass_hat: Iterable[int] = (),
    on_missing: Literal["error", "intersect"] = "error",
    confidence_level: float = 0.95,
) -> TaskEvaluation:
    """Evaluate models on items, repeat by repeat, and say which is better on the same items.

    Parameters
    ----------
    log : EvaluationLog
        Scores of models on items; see `evaluation_log` and `read_evaluation_log`.
    pass_at : iterable of int, optional
        Of successes, the chance that at least one of k tries of an item succeeds, for each k.
    pass_hat : iterable of int, optional
        The chance that all of k tries succeed (pass^k), for each k.
    on_missing : {"error", "intersect"}, default="error"
        What is done where models do not have the same items: stop, or measure those that all have.
    confidence_level : float, default=0.95
        Of the intervals.

    Returns
    -------
    TaskEvaluation
        By model the mean score, and with repeats the flip rate, pass@k and pass^k, each with its
        interval; of several models the differences on the same items, and the verdict.

    Raises
    ------
    TypeError, ValueError
        If models lack items of each other, scores of pass@k are other than 0 and 1, or an item has
        fewer repeats than k.

    Notes
    -----
    An item counts once, however often it was tried: its repeats are averaged, and **items are what
    varies**, or groups of items. With c successes in n tries pass@k of an item is
    1 - C(n - c, k) / C(n, k), pass^k is C(c, k) / C(n, k), and the flip rate, that two tries
    disagree, 2 c (n - c) / (n (n - 1)): each without bias. Means over items have Student's t
    intervals on the logit scale, shares of items tried once those of Wilson; near 0 and 1, and of
    few items, the outer limits of both. Differences are of pairs of the same items: Student's t,
    near 0 and 1 no narrower than the limits of both models allow. Of `RepeatVariance`, which
    ``notes`` sum up: what lies between items no further repeat takes away.

    O(n) after the log's sort, and O(items k) for each k.

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, arXiv 2107.03374. Yao et
    al. (2024), tau-bench, arXiv 2406.12045. Miller (2024), Adding error bars to evals, arXiv
    2411.00640.

    Examples
    --------
    >>> from fastmetrics import evaluation_log
    >>> item = [f"q{k}" for k in range(40)] * 2
    >>> score = [1, 0, 1, 1] * 10 + [1, 0, 0, 1] * 10
    >>> found = evaluate_log(evaluation_log(item, score, model=["a"] * 40 + ["b"] * 40))
    >>> found.verdict[:29]
    'a is better in score, by 0.25'
    """
    if not isinstance(log, EvaluationLog):
        raise InputTypeError(f"`log` must be an EvaluationLog: got {type(log).__name__}")
    level = check_confidence_level(confidence_level)
    check_choice("on_missing", on_missing, ("error", "intersect"))
    log, notes = _shared(log, on_missing)
    wanted = list(_wanted(log, _checked(pass_at, "pass_at"), _checked(pass_hat, "pass_hat")))
    found: dict[str, dict[str, Estimate]] = {name: {} for name in log.models}
    pairs: dict[str, Comparison] = {}
    places = list(itertools.combinations(range(len(log.models)), 2))
    chosen = Chosen(log.models, places, None, level, "two-sided")
    with said_in_notes():
        for one, values in wanted:
            measured = _measured(values, log)
            estimates = tuple(
                _near_the_edge(
                    estimate_of(one, measured, k, level, None, "two-sided", weights_are=None)
                )
                for k in range(len(log.models))
            )
            if places and one.name != "flip_rate":
                pairs[one.label] = _with_limits(compared(one, measured, chosen), estimates)
            for name, each in zip(log.models, estimates, strict=True):
                found[name][one.label] = each
    directions = {one.label: one.higher_is_better for one, _ in wanted}
    return TaskEvaluation.of("items", found, pairs, level, directions, (*notes, *_of_repeats(log)))


def _checked(ks: Any, name: str) -> list[int]:
    given = [ks] if isinstance(ks, int | np.integer) else list(ks)
    for k in given:
        check_integer(name, k, low=1)
    return sorted({int(k) for k in given})


def _shared(log: EvaluationLog, on_missing: str) -> tuple[EvaluationLog, list[str]]:
    """Return the log of the items that all models have, and what is said of the others."""
    has = log.n_repeats > 0
    lacks: NDArray[np.bool_] = np.asarray(~has.all(axis=0))
    if not lacks.any():
        return log, []
    n, first = int(lacks.sum()), log.items[int(np.argmax(lacks))]
    if on_missing == "error":
        raise InputError(
            f"{n:,} of {len(log.items):,} items are not there for every model, {first!s} for one: "
            "models are compared on the same items; `on_missing='intersect'` leaves them out"
        )
    if lacks.all():
        raise InputError("no item is there for every model: nothing can be compared")
    kept, rows = ~lacks, ~lacks[log.item]
    places = np.cumsum(kept) - 1
    shared = replace(
        log,
        items=log.items[kept],
        model=log.model[rows],
        item=places[log.item[rows]],
        score=log.score[rows],
        group=None if log.group is None else np.unique(log.group[kept], return_inverse=True)[1],
    )
    return shared, [f"{n:,} items that not all models have are left out of all that is said."]


def _wanted(
    log: EvaluationLog, pass_at: list[int], pass_hat: list[int]
) -> Iterator[tuple[Asked, Floats]]:
    """Yield each measure with its value for every model and item."""
    n, c = log.n_repeats.astype(np.float64), log.totals
    bounds = (0.0, 1.0) if log.score.min() >= 0.0 and log.score.max() <= 1.0 else _ANY
    yield _asked(log.metric, "score", log.higher_is_better, bounds), c / n
    fewest = int(log.n_repeats.min())
    if (pass_at or pass_hat) and not log.are_successes:
        raise InputError("`pass_at` and `pass_hat` count successes: scores must all be 0 or 1")
    for name, ks, sign in (("pass_at", pass_at, "@"), ("pass_hat", pass_hat, "^")):
        for k in ks:
            if k > fewest:
                raise InputError(
                    f"`{name}` is at most the fewest repeats of an item, {fewest}: got {k}"
                )
            # One of k tries succeeds at least where not all fail.
            share = 1.0 - _all_of(n, n - c, k) if sign == "@" else _all_of(n, c, k)
            yield _asked(f"pass{sign}{k}", name, True, (0.0, 1.0)), share
    if log.are_successes and fewest > 1:
        yield _asked("flip_rate", "flip_rate", None, (0.0, 1.0)), 2 * c * (n - c) / (n * (n - 1))


def _asked(label: str, name: str, upwards: bool | None, bounds: tuple[float, float]) -> Asked:
    return Asked(
        label, Measure(name, "ranking", name, "", upwards, "nothing", bounds=bounds, influences="-")
    )


def _all_of(n: Floats, c: Floats, k: int) -> Floats:
    """Return C(c, k) / C(n, k): that all of k tries succeed, which were drawn from n."""
    share: Floats = np.ones_like(c)
    for j in range(k):
        share *= np.maximum(c - j, 0.0) / (n - j)
    return share


def _measured(values: Floats, log: EvaluationLog) -> Measured:
    """Return the mean over items of each model, its points the items."""
    n = values.shape[1]
    means = values.mean(axis=1)
    deviations = values - means[:, None]
    largest = np.abs(values).max(axis=1, keepdims=True)
    deviations[(np.abs(deviations) <= ROUNDING * largest).all(axis=1)] = 0.0
    units = Units(n, groups=log.group)
    return Measured(
        tuple(map(float, means)),
        deviations / n,
        units,
        tuple(
            counts_of_share(float(own.sum()), float(n))
            if log.group is None and np.isin(own, (0.0, 1.0)).all()
            else None
            for own in values
        ),
        float(n),
        "items",
    )


def _near_the_edge(one: Estimate) -> Estimate:
    """Return the estimate of a share, with limits that know of few items near 0 or 1.

    A mean of numbers from 0 to 1 varies no more than one of zeros and ones: Wilson's limits hold it
    where few items carry its error, and Student's t knows too little.
    """
    if one.method != "influence" or one.scale != "logit" or not _is_near(one):
        return one
    n, (low, high) = _n(one), one.confidence_interval
    own = proportion_limits(n * one.estimate, n, one.confidence_level, "wilson", "two-sided")
    outer = ConfidenceInterval(np.fmin(low, own.low), np.fmax(high, own.high))
    return replace(one, confidence_interval=outer, method="outer limits with wilson", note="")


def _with_limits(found: Comparison, models: tuple[Estimate, ...]) -> Comparison:
    """Return a comparison with the limits of its models, of which those of differences know.

    Where few items carry the error of a model, the difference has the outer limits of Student's t
    and of both models' limits, joined as if they were independent (Newcombe 1998).
    """
    of = dict(zip(found.names, models, strict=True))
    pairs = []
    for pair in found.pairs:
        both = of[pair.a], of[pair.b]
        if any("wilson" in one.method and _is_near(one) for one in both):
            (below_a, above_a), (below_b, above_b) = map(_reach, both)
            own = pair.confidence_interval
            low = np.fmin(own.low, pair.estimate - math.hypot(below_a, above_b))
            high = np.fmax(own.high, pair.estimate + math.hypot(above_a, below_b))
            pair = replace(pair, confidence_interval=ConfidenceInterval(low, high))
        better = pair.better_at(found.confidence_level, found.higher_is_better)
        pairs.append(replace(pair, better=better))
    return replace(found, models=models, pairs=tuple(pairs))


def _is_near(one: Estimate) -> bool:
    """Return whether few items carry the error of a mean near 0 or 1."""
    return _n(one) * min(one.estimate, 1.0 - one.estimate) < _ENOUGH


def _n(one: Estimate) -> float:
    """Return how many items, or groups of them, vary."""
    return float(one.n_samples if one.n_groups is None else one.n_groups)


def _reach(one: Estimate) -> tuple[float, float]:
    """Return how far the limits are from an estimate, below and above."""
    return one.estimate - one.confidence_interval.low, one.confidence_interval.high - one.estimate


def _of_repeats(log: EvaluationLog) -> Iterator[str]:
    """Yield, of each model with repeats, what they do to the error of the mean."""
    for each in log.repeat_variance():
        if not each.between_repeats > 0.0 or log.group is not None:
            continue
        now = each.standard_error(max(1, round(each.n_repeats)))
        twice = each.standard_error(2 * max(1, round(each.n_repeats)))
        least = math.sqrt(max(each.between_items, 0.0) / each.n_items)
        yield (
            f"{each.model}: variance {each.between_items:.3g} between items and "
            f"{each.between_repeats:.3g} between repeats of one: a standard error of {now:.2g}, "
            f"{twice:.2g} with twice the repeats, no less than {least:.2g} with any number."
        )
