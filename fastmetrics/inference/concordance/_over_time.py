"""Checked rows and times, and what a measure at each of them is made into."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.censored import check_censored
from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import (
    check_confidence_level,
    check_n_threads,
    check_same_length,
    check_weights_are,
)
from fastmetrics._input.scores import check_score_matrix, check_scores_array, score_column
from fastmetrics._input.weights import check_weights
from fastmetrics._threads.workers import FEW_ROWS, run
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    UndefinedMetricWarning,
    warn_user,
)
from fastmetrics.inference._sample_sizes import degrees_of_freedom
from fastmetrics.inference.concordance._influences import Rows, checked_rows
from fastmetrics.inference.concordance.concordance_results import (
    interval_of,
    limits_of,
    warn_of_rows,
)
from fastmetrics.inference.concordance.time_dependent_results import TimeDependentMeasure
from fastmetrics.measures.concordance.influences import Influenced
from fastmetrics.tables.concordance.follow_up import FollowUp, follow
from fastmetrics.tables.concordance.row_sums import Floats

#: Times whose influences are held at once.
_BATCH: Final = 8


class Asked(NamedTuple):
    """Checked rows and options."""

    rows: FollowUp
    shared: Rows
    times: Floats
    ends: NDArray[np.int64]
    level: float
    n_threads: int | None


def checked(
    time: Any,
    event: Any,
    times: Any,
    groups: Any,
    confidence_level: Any,
    sample_weight: Any,
    weights_are: Any,
    n_threads: Any,
) -> Asked:
    """Return rows and options, verified."""
    level, threads = check_confidence_level(confidence_level), check_n_threads(n_threads)
    read = check_weights_are(sample_weight, weights_are)
    censored = check_censored(time, event)
    weights = np.ones(len(censored.times))
    if sample_weight is not None:
        weights = check_weights(sample_weight, len(weights), weights_are=read).values
    at_one = isinstance(times, int | float | np.number)
    asked = check_scores_array([times] if at_one else times, "times").astype(np.float64)
    for what, bad in (
        ("not be negative", asked < 0.0),
        ("rise", np.diff(asked, prepend=-1.0) <= 0.0),
    ):
        if bad.any():
            at = int(np.argmax(bad))
            raise InputError(f"`times` must {what}: got {asked[at].item()!r} at index {at}")
    rows = follow(*censored, weights, threads)
    ends = np.array([rows.keys_up_to(each) for each in asked.tolist()])
    return Asked(rows, checked_rows(weights, read, groups), asked, ends, level, threads)


def columns_of(values: Any, name: str, asked: Asked) -> list[NDArray[Any]]:
    """Return the one column of a model's values, or one for each time."""
    if as_array(values, name).ndim == 1:
        columns = [check_scores_array(values, name)]
    else:
        matrix = check_score_matrix(values, name)
        if matrix.shape[1] != len(asked.times):
            raise InputError(
                f"`{name}` must have a column for each of `times`: {len(asked.times)}, got "
                f"{matrix.shape[1]}"
            )
        columns = [score_column(matrix, k) for k in range(matrix.shape[1])]
    check_same_length(**{"time": asked.rows.keys, name: columns[0]})
    return columns


class Found(NamedTuple):
    """Values at all times with their errors, and a sum of the influences."""

    values: Floats
    errors: Floats
    summed: Floats


def at_all(asked: Asked, at: Callable[[int], Influenced], factors: Floats) -> Found:
    """Return a measure at all times, and its influences times ``factors``."""
    values, errors = np.empty_like(asked.times), np.empty_like(asked.times)
    summed = np.zeros(len(asked.rows.keys))
    n_threads = asked.n_threads if len(summed) >= FEW_ROWS else 1
    for start in range(0, len(values), _BATCH):
        batch = range(start, min(start + _BATCH, len(values)))
        for k, one in zip(batch, run([partial(at, k) for k in batch], n_threads), strict=True):
            values[k], errors[k] = one.value, math.sqrt(asked.shared.variance(one.influences))
            if factors[k] != 0.0:
                summed += factors[k] * one.influences
    return Found(values, errors, summed)


def result_of(
    metric: Any, asked: Asked, found: Found, mean: Influenced | None, reference: Floats
) -> TimeDependentMeasure:
    """Return the result, and say where it is undefined."""
    values, shared = found.values, asked.shared
    df = degrees_of_freedom(shared.effective_groups)
    limits = np.array(
        [
            tuple(limits_of(value, error, asked.level, df, is_index=True))
            for value, error in zip(values.tolist(), found.errors.tolist(), strict=True)
        ]
    )
    _warn(metric, asked.times, values, limits[:, 0])
    warn_of_rows(shared)
    counts = asked.rows.weights
    if shared.weights_are != "frequencies":
        counts = (counts > 0.0).astype(np.float64)
    passed = np.searchsorted(asked.ends.astype(np.int32), asked.rows.keys, side="right")
    in_stretch = np.bincount(2 * passed + (asked.rows.keys & 1), counts, 2 * len(asked.ends) + 2)
    events, all_rows = in_stretch[::2], in_stretch[::2] + in_stretch[1::2]
    events_so_far = np.cumsum(events)[:-1].astype(np.int64)
    beyond = np.cumsum(all_rows[::-1])[::-1][1:].astype(np.int64)
    columns = (
        *(asked.times, values, limits[:, 0].copy(), limits[:, 1].copy(), found.errors, reference),
        *(events_so_far, beyond),
    )
    for column in columns:
        column.flags.writeable = False
    integrated = None
    if mean is not None:
        integrated = interval_of(
            f"integrated {metric.split('/')[-1].replace('dynamic ', '')}",
            *(mean, shared, asked.level),
            is_index=True,
        )
    return TimeDependentMeasure(
        metric,
        *columns,
        integrated,
        asked.level,
        shared.n_rows,
        shared.n_groups,
        shared.weights_are,
    )


def _warn(metric: str, times: Floats, values: Floats, low: Floats) -> None:
    """Say where a measure is undefined, or does not vary."""
    undefined = np.isnan(values)
    for where, why, category in (
        (undefined, "nobody had the event by then, or is followed beyond", UndefinedMetricWarning),
        (np.isnan(low) & ~undefined, "it does not vary between these rows", DegenerateDataWarning),
    ):
        if where.any():
            first = times[int(np.argmax(where))]
            what = (
                f"the {metric}"
                if category is UndefinedMetricWarning
                else f"the interval of the {metric}"
            )
            warn_user(
                f"{what} is undefined at {np.count_nonzero(where)} of {len(times)} times, first at "
                f"{first:g}: {why}; set to nan",
                category,
            )
