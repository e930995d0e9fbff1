"""``PostHocTest`` and ``RankPair``: which algorithms differ, once some do; and how one is made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import DASH
from fastmetrics._display.table import Display, Table
from fastmetrics._input.scalars import complement
from fastmetrics._results import Result, Several
from fastmetrics.comparison.tables._rank_table import RankTable
from fastmetrics.errors import no_such


@dataclass(frozen=True, slots=True, repr=False)
class RankPair(Result):
    """Two algorithms compared over all data sets.

    Attributes
    ----------
    model_a, model_b : str
        Their names.
    difference : float
        Mean rank of `model_a` less that of `model_b`: negative if the first is better.
    statistic : float
        The difference in standard errors, or Wilcoxon's W.
    pvalue : float
        Allowing for the number of comparisons: reject where it is at most alpha.
    reject : bool
        Whether the two differ significantly.
    better : str or None
        The one with the lower mean rank, or of Wilcoxon's test the one with the larger sum of
        ranks, significantly so or not; None if they are equal.
    """

    model_a: str
    model_b: str
    difference: float
    statistic: float
    pvalue: float
    reject: bool
    better: str | None


@dataclass(frozen=True, slots=True, repr=False)
class PostHocTest(Several[RankPair]):
    """Every comparison of one post-hoc test, and the groups that it leaves together.

    Attributes
    ----------
    method : str
        "Nemenyi", "Bonferroni-Dunn" or "Wilcoxon with Holm".
    names : tuple of str
        Of the algorithms, in the order given.
    mean_ranks : tuple of float
        Of each; 1 is the best.
    n_datasets : int
        Data sets behind them.
    confidence_level : float
        Level of the decisions, for all comparisons together.
    critical_value : float
        The quantile that the critical difference is a multiple of; nan where there is none.
    critical_difference : float
        The difference of mean ranks from which on two algorithms are said to differ; nan where the
        p-value alone decides.
    control : str or None
        The algorithm that the others are compared with; None where all pairs are.
    pairs : tuple of RankPair
        The comparisons.
    groups : tuple of tuples of str
        The largest groups without a significant difference, each a run of algorithms by mean
        rank, from the best to the worst. With a control: those not shown to differ from it.
    """

    _rows = "pairs"
    method: str
    names: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    n_datasets: int
    confidence_level: float
    critical_value: float
    critical_difference: float
    control: str | None
    pairs: tuple[RankPair, ...]
    groups: tuple[tuple[str, ...], ...]

    def __getitem__(self, algorithms: tuple[str, str]) -> RankPair:
        """Return the comparison of two algorithms, named in either order."""
        for pair in self.pairs:
            if {pair.model_a, pair.model_b} == set(algorithms):
                return pair
        raise no_such(algorithms, "pairs", ((pair.model_a, pair.model_b) for pair in self.pairs))

    def __repr__(self) -> str:
        groups = ", ".join("{" + ", ".join(group) + "}" for group in self.groups)
        against = f" against {self.control}" if self.control is not None else ""
        difference = (
            f"critical difference {self.critical_difference:.6g}, "
            if self.critical_difference == self.critical_difference
            else ""
        )
        alpha = complement(self.confidence_level)
        return f"PostHocTest({self.method}{against} at {alpha:g}: {difference}groups {groups})"

    def _shown(self) -> Display:
        by_rank = sorted(zip(self.mean_ranks, self.names, strict=True))
        ranks = {
            "algorithm": [name for _, name in by_rank],
            "mean_rank": [rank for rank, _ in by_rank],
            "group": [self._letters(name) for _, name in by_rank],
        }
        pairs = {
            "model": [pair.model_a for pair in self.pairs],
            "minus_model": [pair.model_b for pair in self.pairs],
            **Table.of(self.pairs, ("difference", "statistic", "pvalue", "reject")).columns,
            "better": [pair.better if pair.reject else None for pair in self.pairs],
        }
        words = {
            "minus_model": self.method,
            "difference": "difference of mean ranks",
            "statistic": "W" if math.isnan(self.critical_difference) else "z",
            "reject": "significant",
            "group": "group" if self.control is None else f"not told from {self.control}",
        }
        notes = ["Between algorithms that share a letter no difference is shown."]
        if self.control is not None:
            notes = []
        if not math.isnan(self.critical_difference):
            notes.append(
                f"{self.method}: mean ranks differ from {self.critical_difference:.4g} on "
                "(critical difference)."
            )
        tables = [Table(pairs, words=words), Table(ranks, words=words, framed=False)]
        return Display(tables, type(self).__name__, notes)

    def _letters(self, name: str) -> str:
        """Return the letters of the groups that an algorithm is in; numbers where these end."""
        n = len(self.groups)
        marks = ascii_lowercase if n <= len(ascii_lowercase) else [f"{k + 1} " for k in range(n)]
        mine = (mark for mark, group in zip(marks, self.groups, strict=False) if name in group)
        return "".join(mine).strip() or DASH


def post_hoc_test(
    method: str,
    table: RankTable,
    alpha: float,
    control: str | None,
    pairs: Sequence[RankPair],
    critical: tuple[float, float] = (math.nan, math.nan),
) -> PostHocTest:
    """Return the result of comparisons, and the groups that they leave."""
    k, place = len(table.names), {name: j for j, name in enumerate(table.names)}
    differs = np.zeros((k, k), dtype=np.bool_)
    for pair in pairs:
        a, b = place[pair.model_a], place[pair.model_b]
        differs[a, b] = differs[b, a] = pair.reject
    if control is None:
        groups = groups_on_rank_line(table.mean_ranks, differs)
    else:
        alike = ~differs[place[control]]
        order = np.argsort(table.mean_ranks, kind="stable")
        groups = (tuple(j for j in order.tolist() if alike[j]),)
    return PostHocTest(
        method=method,
        names=table.names,
        mean_ranks=table.mean_ranks,
        n_datasets=len(table.datasets),
        confidence_level=complement(alpha),
        critical_value=critical[0],
        critical_difference=critical[1],
        control=control,
        pairs=tuple(pairs),
        groups=tuple(tuple(table.names[j] for j in group) for group in groups),
    )


def groups_on_rank_line(
    mean_ranks: Sequence[float], differs: NDArray[np.bool_]
) -> tuple[tuple[int, ...], ...]:
    """Return the largest runs of algorithms, in the order of their ranks, with no two that differ.

    From the best group to the worst; every algorithm is in one group at least, alone if need be,
    and no group is part of another. Of equal mean ranks, the first comes first.
    """
    order = np.argsort(np.asarray(mean_ranks), kind="stable")
    k = len(order)
    groups = []
    reached = 0
    for start in range(k):
        end = start + 1
        while end < k and not differs[order[end], order[start:end]].any():
            end += 1
        if end > reached:  # else it lies inside the group before
            groups.append(tuple(order[start:end].tolist()))
            reached = end
    return tuple(groups)
