"""Evaluations of the same rows by other ways: equal, but for what only rows in memory have."""

import math
from typing import Any


def without_rows(plain: dict[str, Any]) -> dict[str, Any]:
    """Return an evaluation as a dictionary, without what needs each row: the pairs of models."""
    return {name: v for name, v in plain.items() if name not in ("differences", "verdict")}


def are_close(actual: Any, expected: Any) -> bool:
    """Return whether two of them, as built-in objects, differ by roundings alone."""
    if isinstance(expected, dict):
        return actual.keys() == expected.keys() and all(
            are_close(actual[name], each) for name, each in expected.items()
        )
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(are_close, actual, expected))
    if isinstance(expected, float) and isinstance(actual, float | int):
        both_nan = math.isnan(expected) and math.isnan(actual)
        return both_nan or math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-12)
    return bool(actual == expected)


def agree(actual: Any, expected: Any) -> bool:
    """Return whether evaluations of a model are equal, but for limits of KS that sums lack."""
    both = [model.to_dict() for model in (actual, expected)]
    if "ks_statistic" not in both[0].get("estimates", {}):
        both[1].get("estimates", {}).pop("ks_statistic", None)
    return are_close(*both)
