"""One bootstrap from checked arguments to replicates, for one model or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.scalars import (
    Alternative,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_integer,
    check_n_threads,
    seed_key,
)
from fastmetrics.errors import InputError
from fastmetrics.intervals.bootstrap._draws import Draws, Resampling
from fastmetrics.intervals.bootstrap._forms import Form
from fastmetrics.intervals.bootstrap._limits import Method
from fastmetrics.intervals.bootstrap._plans import Planned, UserPlan, planned
from fastmetrics.measures.asking import MetricsLike

MAX_BYTES = 4 << 30  # of replicates


@dataclass(frozen=True, slots=True)
class Options:
    """The checked options of a bootstrap."""

    asked: list[Planned]
    n_resamples: int
    confidence_level: float
    method: Method | None
    alternative: Alternative
    stratified: bool
    resampling: Resampling
    n_threads: int | None
    progress: bool
    key: NDArray[np.uint64]

    @property
    def by_rows(self) -> bool:
        """Whether cells are not enough: a weight of its own for each row, or a user's function."""
        return self.resampling == "bayesian" or any(
            isinstance(one.plan, UserPlan) for one in self.asked
        )

    def draws(self, form: Form) -> Draws:
        """Return the draws over the units of a form, which other forms may share."""
        masks = form.masks() if self.stratified else None
        return Draws(self.key, form.n_units, self.resampling, masks)


def checked_options(
    *,
    metrics: MetricsLike,
    n_resamples: Any,
    confidence_level: Any,
    method: Any,
    alternative: Any,
    stratified: bool,
    groups: Any,
    resampling: Any,
    rng: Any,
    n_threads: Any,
    progress: bool,
    n_models: int = 1,
) -> Options:
    """Return the options, or raise before any work."""
    asked = planned(metrics)
    count = check_integer("n_resamples", n_resamples, low=1)
    if count < 2:
        raise InputError(f"`n_resamples` must be at least 2: got {count}")
    needed = 8 * count * len(asked) * n_models
    if needed > MAX_BYTES:
        gigabytes, most = (size // 10**9 for size in (needed, MAX_BYTES))  # integers of any size
        raise InputError(
            f"`n_resamples` of {count:,} would keep {gigabytes:,} GB of replicates, more than "
            f"{most} GB: 10,000 determine a 95 % limit to about 2 % of the width"
        )
    level = check_confidence_level(confidence_level)
    if method is not None:
        check_choice("method", method, get_args(Method))
    check_alternative(alternative)
    check_choice("resampling", resampling, get_args(Resampling))
    check_choice("stratified", stratified, (False, True))
    if stratified and groups is not None:
        raise InputError(
            "`stratified` and `groups` exclude each other: a group that is drawn brings the rows "
            "of both classes that it has"
        )
    if stratified and resampling != "multinomial":
        raise InputError(f"`stratified` needs `resampling='multinomial'`: got {resampling!r}")
    if method == "studentized":
        _check_has_errors(asked, groups)
    if resampling == "bayesian":
        asked = [one.weighted() for one in asked]
    threads = check_n_threads(n_threads)
    return Options(
        *(asked, count, level, method, alternative, stratified, resampling, threads),
        progress=bool(progress),
        key=seed_key(rng),
    )


def _check_has_errors(asked: list[Planned], groups: Any) -> None:
    for one in asked:
        if not one.plan.has_error:
            raise InputError(
                f"`method='studentized'` needs a standard error in each replicate, which "
                f"{one.label!r} has not: take `method='bca'` or `method='percentile'`"
            )
    if groups is not None:
        raise InputError(
            "`method='studentized'` has no standard error of grouped rows: take "
            "`method='percentile'`"
        )
