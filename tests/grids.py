"""Less of what is large: rows of a grid of parameters, examples drawn at random."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

import pytest
from hypothesis import settings


def pairwise(rows: Sequence[tuple[Hashable, ...]]) -> list[bool]:
    """Return which rows to keep so that every pair of values that shares a row still shares one.

    Greedy: the row that shows most pairs for the first time, the first of those that tie.
    """
    pairs = [frozenset(itertools.combinations(enumerate(row), 2)) for row in rows]
    unseen = set().union(*pairs)
    kept = [not each for each in pairs]  # a row of one value has no pairs
    while unseen:
        best = max(range(len(rows)), key=lambda k: len(pairs[k] & unseen))
        kept[best] = True
        unseen -= pairs[best]
    return kept


def leave_to_exhaustive(items: Sequence[pytest.Item]) -> None:
    """Mark as `exhaustive` what the grids that are marked `pairwise` can do without."""
    grids = defaultdict(list)
    for item in items:
        if item.get_closest_marker("pairwise"):
            grids[item.nodeid.partition("[")[0]].append(item)
    for grid in grids.values():
        rows = [tuple(map(id, item.callspec.params.values())) for item in grid]
        for item, keep in zip(grid, pairwise(rows), strict=True):
            if not keep:
                item.add_marker(pytest.mark.exhaustive)


def few_examples(test: Callable[..., None]) -> Callable[..., None]:
    """Draw a third of the profile's examples: the test is run for each of many parameters."""
    return settings(max_examples=max(1, settings().max_examples // 3))(test)
