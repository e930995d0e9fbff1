"""Thresholds of an evaluation that keep promises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from fastmetrics._report._costs import Prices
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference.guarantees.guaranteed_threshold import (
    GuaranteedThreshold,
    check_promise,
    guaranteed_threshold,
)
from fastmetrics.tables.scores.score_table import ScoreTable


class Promise(NamedTuple):
    """What a threshold is to keep, as `guaranteed_threshold` takes it."""

    options: dict[str, Any]

    def kept_by(self, table: ScoreTable) -> GuaranteedThreshold:
        """Return the threshold of a model that keeps it."""
        return guaranteed_threshold(table, **self.options)


def checked_promises(
    guarantee: Mapping[str, float] | None,
    prices: Prices | None,
    level: float,
    *,
    grouped: bool,
    weighted: bool,
) -> list[Promise]:
    """Return what is promised, or raise before any work."""
    if guarantee is None:
        return []
    if not isinstance(guarantee, Mapping):
        raise InputTypeError(
            f"`guarantee` must be a mapping, as {{'recall': 0.95}}: got {guarantee!r}"
        )
    for name, is_there in (("groups", grouped), ("sample_weight", weighted)):
        if is_there:
            raise InputError(
                f"`guarantee` is of rows that are independent and count alike: not with `{name}`"
            )
    found = []
    for measure, bound in guarantee.items():
        options: dict[str, Any] = {"delta": 1.0 - level}
        if measure == "expected_cost" and prices is not None:
            options |= {"cost_fn": prices.cost_fn, "cost_fp": prices.cost_fp}
        check_promise({measure: bound}, options.get("cost_fn"), options.get("cost_fp"))
        found.append(Promise({measure: bound, **options}))
    return found
