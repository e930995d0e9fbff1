"""``TableComparison``: Friedman, the post-hoc test, and its two plots as data."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._results import ConfidenceInterval, Result
from fastmetrics.comparison.tables.friedman import FriedmanTest
from fastmetrics.comparison.tables.post_hoc_result import PostHocTest
from fastmetrics.errors import InputError
from fastmetrics.plots import rank_plots


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

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the critical-difference diagram (Demsar 2006).

        Returns
        -------
        matplotlib Axes
            What was drawn on: the axis of mean ranks with the best at the right, a label for each
            algorithm, and a bar under those that do not differ.
        """
        return rank_plots.draw_critical_difference(_drawn(self.diagram), ax)

    @documented()
    def plot_friedman(self, ax: Any = None) -> Any:
        """Draw the textbook's Friedman plot: mean ranks with segments as long as the difference.

        Returns
        -------
        matplotlib Axes
            What was drawn on. The pale band is the segment of the best mean rank (of the control,
            if there is one): whose segment does not reach it is significantly worse (differs).
            Such algorithms have a hollow point.

        Raises
        ------
        ValueError
            If the post-hoc test has no critical difference, as Wilcoxon's.
        """
        difference = self.post_hoc.critical_difference
        if not math.isfinite(difference):
            raise InputError(
                f"the Friedman plot shows a critical difference, and {self.post_hoc.method} has "
                "none: compare with post_hoc='nemenyi' or 'bonferroni-dunn'"
            )
        centre = self.post_hoc.control or self.diagram.names[0]
        data = self.segments
        differs = {
            name: name != centre and self.post_hoc[centre, name].reject for name in data.names
        }
        segments = [
            rank_plots.Segment(name, rank, segment.low, segment.high, differs[name])
            for name, rank, segment in zip(data.names, data.mean_ranks, data.segments, strict=True)
        ]
        return rank_plots.draw_friedman(segments, centre, difference, ax)

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


def save_critical_difference(comparison: TableComparison, path: str) -> None:
    """Write the critical-difference diagram to a file, whose ending tells the format."""
    rank_plots.save_critical_difference(_drawn(comparison.diagram), path)


def _drawn(diagram: CriticalDifferenceDiagram) -> rank_plots.Diagram:
    return rank_plots.Diagram(
        diagram.names,
        diagram.positions,
        diagram.bars,
        diagram.critical_difference,
        diagram.control,
    )


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
