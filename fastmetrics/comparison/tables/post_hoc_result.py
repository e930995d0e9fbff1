"""``PostHocTest`` and ``RankPair``: which algorithms differ, once some do."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass

from fastmetrics._results import Result


@dataclass(frozen=True, slots=True, repr=False)
class RankPair(Result):
    """Two algorithms compared over all data sets.

    Attributes
    ----------
    algorithm_a, algorithm_b : str
        Their names.
    difference : float
        Mean rank of `algorithm_a` less that of `algorithm_b`: negative if the first is better.
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

    algorithm_a: str
    algorithm_b: str
    difference: float
    statistic: float
    pvalue: float
    reject: bool
    better: str | None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PostHocTest(Result):
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
    alpha : float
        Level of the decisions, for all comparisons together.
    critical_value : float
        The quantile that the critical difference is a multiple of; nan where there is none.
    critical_difference : float
        The difference of mean ranks from which on two algorithms differ; nan where the p-value
        alone decides.
    control : str or None
        The algorithm that the others are compared with; None where all pairs are.
    pairs : tuple of RankPair
        The comparisons.
    groups : tuple of tuples of str
        The largest groups without a significant difference, each a run of algorithms by mean
        rank, from the best to the worst. With a control: those that do not differ from it.
    """

    method: str
    names: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    n_datasets: int
    alpha: float
    critical_value: float
    critical_difference: float
    control: str | None
    pairs: tuple[RankPair, ...]
    groups: tuple[tuple[str, ...], ...]

    def __getitem__(self, algorithms: tuple[str, str]) -> RankPair:
        """Return the comparison of two algorithms, named in either order."""
        for pair in self.pairs:
            if {pair.algorithm_a, pair.algorithm_b} == set(algorithms):
                return pair
        known = ", ".join(repr((pair.algorithm_a, pair.algorithm_b)) for pair in self.pairs)
        raise KeyError(f"{algorithms!r}: the pairs are {known}")

    def __iter__(self) -> Iterator[RankPair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        groups = ", ".join("{" + ", ".join(group) + "}" for group in self.groups)
        against = f" against {self.control}" if self.control is not None else ""
        difference = (
            f"critical difference {self.critical_difference:.6g}, "
            if self.critical_difference == self.critical_difference
            else ""
        )
        return f"PostHocTest({self.method}{against} at {self.alpha:g}: {difference}groups {groups})"

    def _repr_html_(self) -> str:
        heads = ("algorithms", "difference of mean ranks", "statistic", "p", "decision")
        rows = [_row("th", heads)]
        for pair in self.pairs:
            cells = (
                f"{pair.algorithm_a} − {pair.algorithm_b}",
                f"{pair.difference:.4f}",
                f"{pair.statistic:.4f}",
                f"{pair.pvalue:.4g}",
                "differ" if pair.reject else "do not differ",
            )
            rows.append(_row("td", cells))
        return f"<table><caption>{html.escape(repr(self))}</caption>{''.join(rows)}</table>"


def _row(tag: str, cells: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
