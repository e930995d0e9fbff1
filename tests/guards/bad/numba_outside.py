"""Bad: a metric that compiles its own loop."""

from __future__ import annotations


def area(x):
    from numba import njit

    return njit(sum)(x)
