"""What lists show of a catalogue by the definitions: every choice that ties allow, with fractions.

A list is a sequence of (item, score).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

List = Sequence[tuple[Any, Any]]
Shown = frozenset[Any]


def shown(items: List, k: int | None, ties: str = "expected") -> list[Shown]:
    """Return the sets of items that may be shown, each as likely as any other."""
    ordered = sorted(items, key=lambda each: (each[1], each[0]), reverse=True)
    if k is None or k >= len(items):
        return [frozenset(item for item, _ in items)]
    if ties == "trec_eval":
        return [frozenset(item for item, _ in ordered[:k])]
    least = ordered[k - 1][1]
    certain = [item for item, score in items if score > least]
    tied = [item for item, score in items if score == least]
    rest = itertools.combinations(tied, k - len(certain))
    return [frozenset([*certain, *some]) for some in rest]


def mean(values: Sequence[Any]) -> Any:
    return sum(values) / len(values)


def coverage(lists: Sequence[List], n_items: int, k: int | None, ties: str) -> Fraction:
    ways = itertools.product(*(shown(each, k, ties) for each in lists))
    return mean([Fraction(len(frozenset().union(*way)), n_items) for way in ways])


def gini(lists: Sequence[List], catalogue: Sequence[Any], k: int | None, ties: str) -> Fraction:
    """Half the mean difference of exposure of all pairs, over the mean exposure."""
    ways = [shown(each, k, ties) for each in lists]
    exposure = {
        item: sum(Fraction(sum(item in one for one in way), len(way)) for way in ways)
        for item in catalogue
    }
    pairs = itertools.product(exposure.values(), repeat=2)
    n = len(catalogue)
    return sum(abs(a - b) for a, b in pairs) / (2 * n * sum(exposure.values()))


def novelty(items: List, shares: Mapping[Any, Any], k: int | None, ties: str) -> float:
    information = {item: -math.log2(share) for item, share in shares.items() if share}
    return mean([mean([information[i] for i in way]) for way in shown(items, k, ties)])


def diversity(
    items: List, distance: Callable[[Any, Any], Any], k: int | None, ties: str
) -> Any | None:
    """Return the mean distance of two items, None where there are no two."""
    ways = shown(items, k, ties)
    if len(ways[0]) < 2:
        return None
    return mean([mean([distance(*p) for p in itertools.permutations(way, 2)]) for way in ways])
