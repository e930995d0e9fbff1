"""Differences that come in groups, and how often tests of them reject."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

ALTERNATIVES = ("two-sided", "less", "greater")
#: Rows of a difference, which is a whole number, and a group.
ROWS = st.lists(
    st.tuples(st.integers(-4, 4), st.sampled_from("abcde")), min_size=2, max_size=12
).filter(lambda rows: len({group for _, group in rows}) > 1)


def sums_by_group(values, groups):
    sums = defaultdict(Fraction)
    for value, group in zip(values, groups, strict=True):
        sums[group] += Fraction(value)
    return list(sums.values())


def alike_in_groups(rng, n_groups, correlation=0.5):
    """Return differences of mean 0 and variance 1 in groups of 1 to 9 rows, and the groups."""
    groups = np.repeat(np.arange(n_groups), np.arange(n_groups) % 9 + 1)
    shared = rng.normal(size=n_groups)[groups] * math.sqrt(correlation)
    return shared + rng.normal(size=len(groups)) * math.sqrt(1 - correlation), groups


def sizes_of_tests(draw, tests, n_data):
    """Return how often each test rejects at 0.05."""
    rejected = np.zeros(len(tests))
    for number in range(n_data):
        drawn = draw(np.random.default_rng([8, number]))
        rejected += [test(*drawn).pvalue <= 0.05 for test in tests]
    return rejected / n_data
