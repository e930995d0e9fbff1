"""What the tests between two models take besides their data: level, alternative, names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fastmetrics._input.scalars import check_fraction
from fastmetrics.errors import InputError, InputTypeError


def check_alpha(alpha: Any) -> float:
    """Return the level of a test, strictly between 0 and 1."""
    return check_fraction("alpha", alpha)


def check_names(names: Any, n_models: int = 2) -> tuple[str, ...]:
    """Return the names of the models, which are distinct texts."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputTypeError(f"`names` must be a sequence of texts: got {type(names).__name__}")
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise InputTypeError(f"`names` must hold texts: got {name!r} at index {i}")
    if len(names) != n_models or len(set(names)) != n_models:
        raise InputError(f"`names` must be {n_models} distinct texts: got {names!r}")
    return tuple(names)


def better_of(difference: float, names: Sequence[str], higher_is_better: bool) -> str | None:
    """Return which model a difference, first less second, speaks for; None for neither."""
    if difference == 0 or math.isnan(difference):
        return None
    return names[0] if (difference > 0) == higher_is_better else names[1]
