"""Metrics of rankings by their definitions: every order of the ties, each as likely as any other.

A query is a list of (relevance, score, id); relevance None where nobody judged. Values are
fractions where the definition is rational.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

Item = tuple[Any, Any, Any]
Order = tuple[Item, ...]


def orders(items: Sequence[Item], ties: str = "expected") -> list[Order]:
    """Return every order that the scores allow, or the one that a rule takes."""
    scores = sorted({score for _, score, _ in items}, reverse=True)
    groups = [[item for item in items if item[1] == score] for score in scores]
    if ties == "expected":
        ways = [list(itertools.permutations(group)) for group in groups]
        return [sum(way, ()) for way in itertools.product(*ways)]
    return [tuple(sorted(items, key=lambda item: (item[1], item[2]), reverse=True))]


def mean(
    metric: Callable[..., Any], items: Sequence[Item], ties: str = "expected", **options: Any
) -> Any:
    """Return the mean of a metric over the orders."""
    values = [metric(order, **options) for order in orders(items, ties)]
    return sum(values) / len(values)


def is_relevant(item: Item, level: Any = 1) -> bool:
    return item[0] is not None and item[0] >= level


def _relevant_ranks(order: Order, level: Any, k: int | None) -> Iterator[int]:
    """Yield the ranks, from 1, of the relevant items among the first k."""
    for rank, item in enumerate(order[:k], 1):
        if is_relevant(item, level):
            yield rank


def precision(order: Order, k: int, level: Any = 1) -> Fraction:
    return Fraction(sum(1 for _ in _relevant_ranks(order, level, k)), k)


def recall(order: Order, k: int | None, total: int, level: Any = 1) -> Fraction:
    return Fraction(sum(1 for _ in _relevant_ranks(order, level, k)), total)


def f1(order: Order, k: int, total: int, level: Any = 1) -> Fraction:
    p, r = precision(order, k, level), recall(order, k, total, level)
    return 2 * p * r / (p + r) if p + r else Fraction(0)


def hit_rate(order: Order, k: int | None, level: Any = 1) -> Fraction:
    return Fraction(any(True for _ in _relevant_ranks(order, level, k)))


def r_precision(order: Order, total: int, level: Any = 1) -> Fraction:
    return precision(order, total, level)


def reciprocal_rank(order: Order, k: int | None = None, level: Any = 1) -> Fraction:
    return (
        Fraction(1, next(_relevant_ranks(order, level, k), 0) or 1)
        if hit_rate(order, k, level)
        else Fraction(0)
    )


def average_precision(
    order: Order, total: int, k: int | None = None, level: Any = 1, divide_by: str = "relevant"
) -> Fraction:
    precisions = sum(
        (precision(order, rank, level) for rank in _relevant_ranks(order, level, k)), Fraction(0)
    )
    if divide_by == "relevant" or k is None:
        return precisions / total
    return precisions / min(
        k, total
    )  # the sum of a perfect list: so many relevant items come first


def worth(relevance: Any, gain: str) -> Any:
    if relevance is None or relevance < 0:
        return 0
    return relevance if gain == "linear" else 2**relevance - 1


def dcg(order: Order, k: int | None = None, gain: str = "linear") -> float:
    return math.fsum(
        worth(item[0], gain) / math.log2(rank + 1) for rank, item in enumerate(order[:k], 1)
    )


def ndcg(
    order: Order, k: int | None = None, gain: str = "linear", missing: Sequence[Any] = ()
) -> float:
    known = sorted((worth(g, gain) for g in [*(item[0] for item in order), *missing]), reverse=True)
    best = math.fsum(w / math.log2(rank + 1) for rank, w in enumerate(known[:k], 1))
    return dcg(order, k, gain) / best


def expected_reciprocal_rank(order: Order, top: int, k: int | None = None) -> Fraction:
    left = Fraction(1)
    total = Fraction(0)
    for rank, item in enumerate(order[:k], 1):
        stops = Fraction(worth(item[0], "exponential")) / 2**top
        total += left * stops / rank
        left *= 1 - stops
    return total


def rank_biased_precision(
    order: Order, persistence: Fraction, k: int | None = None, level: Any = 1
) -> Fraction:
    return (1 - persistence) * sum(
        (persistence ** (rank - 1) for rank in _relevant_ranks(order, level, k)), Fraction(0)
    )


def bpref(order: Order, n_relevant: int, n_others: int, level: Any = 1) -> Fraction:
    total = Fraction(0)
    before = 0
    for item in order:
        if is_relevant(item, level):
            bound = min(n_relevant, n_others)
            total += 1 - Fraction(min(before, n_relevant), bound) if before else 1
        elif item[0] is not None and item[0] >= 0:
            before += 1
    return total / n_relevant


def auc(items: Sequence[Item], level: Any = 1) -> Fraction:
    relevant = [item[1] for item in items if is_relevant(item, level)]
    others = [item[1] for item in items if not is_relevant(item, level)]
    wins = sum(Fraction((a > b) * 2 + (a == b), 2) for a in relevant for b in others)
    return wins / (len(relevant) * len(others))
