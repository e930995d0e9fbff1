"""What the post-hoc tests of mean ranks share: pairs, standard error, result."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np

from fastmetrics._input.scalars import check_choice
from fastmetrics.comparison.tables._rank_groups import groups_on_rank_line
from fastmetrics.comparison.tables._rank_table import RankTable
from fastmetrics.comparison.tables.post_hoc_result import PostHocTest, RankPair


def standard_error(table: RankTable) -> float:
    """Return the standard error of a difference of two mean ranks: sqrt(k (k + 1) / 6N)."""
    n, k = table.centred.shape
    return math.sqrt(k * (k + 1) / (6 * n))


def compared(table: RankTable, control: str | None) -> list[tuple[int, int]]:
    """Return the pairs of columns to compare: all, or each of the others with the control."""
    k = len(table.names)
    if control is None:
        return list(itertools.combinations(range(k), 2))
    place = table.names.index(check_choice("control", control, table.names))
    return [(other, place) for other in range(k) if other != place]


def rank_difference(table: RankTable, a: int, b: int) -> float:
    """Return the difference of two mean ranks, one division of whole numbers."""
    sums = table.centred.sum(axis=0)
    return int(sums[a] - sums[b]) / (2 * len(table.centred))


def post_hoc_test(
    method: str,
    table: RankTable,
    alpha: float,
    control: str | None,
    pairs: Iterable[tuple[int, int]],
    measured: Callable[[int, int], tuple[float, float, bool]],
    critical: tuple[float, float] = (math.nan, math.nan),
    better: Callable[[int, int], str | None] | None = None,
) -> PostHocTest:
    """Return the result, given how to compare two columns: statistic, p-value, decision.

    Which of the two is better, the mean ranks say unless ``better`` does.
    """
    k = len(table.names)
    differs = np.zeros((k, k), dtype=np.bool_)
    found = []
    for a, b in pairs:
        statistic, pvalue, reject = measured(a, b)
        differs[a, b] = differs[b, a] = reject
        difference = rank_difference(table, a, b)
        if better is not None:
            favoured = better(a, b)
        else:
            favoured = None if difference == 0 else table.names[a if difference < 0 else b]
        found.append(
            RankPair(
                table.names[a], table.names[b], difference, statistic, pvalue, reject, favoured
            )
        )
    if control is None:
        groups = groups_on_rank_line(table.mean_ranks, differs)
    else:
        alike = ~differs[table.names.index(control)]
        order = np.argsort(table.mean_ranks, kind="stable")
        groups = (tuple(j for j in order.tolist() if alike[j]),)
    return PostHocTest(
        method=method,
        names=table.names,
        mean_ranks=table.mean_ranks,
        n_datasets=len(table.datasets),
        alpha=alpha,
        critical_value=critical[0],
        critical_difference=critical[1],
        control=control,
        pairs=tuple(found),
        groups=tuple(tuple(table.names[j] for j in group) for group in groups),
    )
