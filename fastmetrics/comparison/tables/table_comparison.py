"""``TableComparison``: Friedman, the post-hoc test, and its two plots as data."""

from __future__ import annotations

import html
import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.comparison.tables.friedman import FriedmanTest
from fastmetrics.comparison.tables.post_hoc_result import PostHocTest


@dataclass(frozen=True, slots=True, repr=False)
class CriticalDifferenceDiagram(Result):
    """What a critical-difference diagram (Demsar 2006) shows.

    Attributes
    ----------
    names : tuple of str
        Of the algorithms, the best first.
    positions : tuple of float
        Their mean ranks, on an axis from 1 to their number.
    bars : tuple of (float, float)
        First and last position of each group of two and more that do not differ.
    critical_difference : float
        Length of the segment above the axis; nan where there is none.
    control : str or None
        The algorithm that the others are compared with.
    """

    names: tuple[str, ...]
    positions: tuple[float, ...]
    bars: tuple[tuple[float, float], ...]
    critical_difference: float
    control: str | None


@dataclass(frozen=True, slots=True, repr=False)
class FriedmanSegments(Result):
    """What the textbook's Friedman plot shows: two whose segments overlap do not differ.

    Attributes
    ----------
    names : tuple of str
        Of the algorithms, in the order given.
    mean_ranks : tuple of float
        The point of each.
    segments : tuple of ConfidenceInterval
        Around each point, the critical difference long in all; nan where there is none.
    """

    names: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    segments: tuple[ConfidenceInterval, ...]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TableComparison(Result):
    """The comparison of k algorithms on N data sets.

    Attributes
    ----------
    names : tuple of str
        Of the algorithms.
    datasets : tuple of str
        Their names.
    scores : ndarray of shape (N, k)
        As given.
    ranks : ndarray of shape (N, k)
        From 1, the best; tied algorithms have their mean rank.
    higher_is_better : bool
        Which scores are the better ones.
    alpha : float
        Level of the decisions.
    friedman : FriedmanTest
        Whether the algorithms differ at all.
    post_hoc : PostHocTest
        Which ones do; called for where Friedman's test rejects.
    diagram : CriticalDifferenceDiagram
        The first plot as data.
    segments : FriedmanSegments
        The second plot as data.
    """

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    scores: NDArray[Any]
    ranks: NDArray[np.float64]
    higher_is_better: bool
    alpha: float
    friedman: FriedmanTest
    post_hoc: PostHocTest
    diagram: CriticalDifferenceDiagram
    segments: FriedmanSegments

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each algorithm by name, the best first."""
        return dict(zip(self.diagram.names, self.diagram.positions, strict=True))

    def plot(self, ax: Any = None) -> Any:
        """Draw the critical-difference diagram (Demsar 2006).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a figure of its own.

        Returns
        -------
        matplotlib Axes
            What was drawn on.
        """
        return _plots().plot_critical_difference(self, ax=ax)

    def plot_friedman(self, ax: Any = None) -> Any:
        """Draw the textbook's Friedman plot: mean ranks with segments as long as the difference.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a figure of its own.

        Returns
        -------
        matplotlib Axes
            What was drawn on.

        Raises
        ------
        ValueError
            If the post-hoc test has no critical difference, as Wilcoxon's.
        """
        return _plots().plot_friedman(self, ax=ax)

    def __repr__(self) -> str:
        n, k = self.ranks.shape
        friedman = repr(self.friedman).partition("(")[2].removesuffix(")")
        post_hoc = repr(self.post_hoc).partition("(")[2].removesuffix(")")
        return f"TableComparison({n} data sets, {k} algorithms; {friedman}; {post_hoc})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{rank:.4f}</td></tr>"
            for name, rank in self.mean_ranks.items()
        )
        return (
            f"<table><caption>{html.escape(repr(self.friedman))}</caption>"
            f"<tr><th>algorithm</th><th>mean rank</th></tr>{rows}</table>"
            + self.post_hoc._repr_html_()
        )


def _plots() -> Any:
    # By name and when called: plots stand on a higher floor, and load matplotlib.
    return importlib.import_module("fastmetrics.plots.rank_plots")


def diagram_of(post_hoc: PostHocTest) -> CriticalDifferenceDiagram:
    """Return the critical-difference diagram of a post-hoc test."""
    at = dict(zip(post_hoc.names, post_hoc.mean_ranks, strict=True))
    order = sorted(post_hoc.names, key=at.__getitem__)  # stable: equal ones in the order given
    return CriticalDifferenceDiagram(
        names=tuple(order),
        positions=tuple(at[name] for name in order),
        bars=tuple((at[group[0]], at[group[-1]]) for group in post_hoc.groups if len(group) > 1),
        critical_difference=post_hoc.critical_difference,
        control=post_hoc.control,
    )


def segments_of(post_hoc: PostHocTest) -> FriedmanSegments:
    """Return the Friedman plot of a post-hoc test."""
    half = post_hoc.critical_difference / 2
    return FriedmanSegments(
        names=post_hoc.names,
        mean_ranks=post_hoc.mean_ranks,
        segments=tuple(ConfidenceInterval(r - half, r + half) for r in post_hoc.mean_ranks),
    )
