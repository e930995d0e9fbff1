"""``compare_table``: one call for k algorithms on N data sets, its result and both plots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_decision_level, check_integer, complement
from fastmetrics._plots import tests
from fastmetrics._results import Result
from fastmetrics.comparison._rank_table import rank_table
from fastmetrics.comparison.friedman import FriedmanTest, PValueMethod, friedman_of
from fastmetrics.comparison.post_hoc import PostHocTest, by_mean_ranks, wilcoxon_holm_of
from fastmetrics.errors import InputError

PostHoc = Literal["nemenyi", "bonferroni-dunn", "wilcoxon-holm"]


@dataclass(frozen=True, slots=True, repr=False)
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
    confidence_level : float
        Level of the decisions.
    friedman : FriedmanTest
        Whether a difference between the algorithms is shown at all.
    post_hoc : PostHocTest
        Which ones do; called for where Friedman's test rejects.
    """

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    scores: NDArray[Any]
    ranks: NDArray[np.float64]
    higher_is_better: bool
    confidence_level: float
    friedman: FriedmanTest
    post_hoc: PostHocTest

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each algorithm by name, the best first."""
        found = dict(zip(self.post_hoc.names, self.post_hoc.mean_ranks, strict=True))
        return dict(sorted(found.items(), key=lambda item: item[1]))

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the critical-difference diagram (Demsar 2006).

        Returns
        -------
        matplotlib Axes
            What was drawn on: the axis of mean ranks with the best at the right, a label for each
            algorithm, and a bar under those between which no difference is shown.
        """
        return tests.draw_critical_difference(_diagram_of(self), ax)

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
                "none: compare with `post_hoc='nemenyi'` or `post_hoc='bonferroni-dunn'`"
            )
        centre = self.post_hoc.control or next(iter(self.mean_ranks))
        segments = []
        for name in self.post_hoc.names:
            differs = name != centre and self.post_hoc[centre, name].reject
            rank, half = self.mean_ranks[name], difference / 2
            segments.append(tests.Segment(name, rank, rank - half, rank + half, differs))
        return tests.draw_friedman(segments, centre, difference, ax)

    def __repr__(self) -> str:
        n, k = self.ranks.shape
        friedman = repr(self.friedman).partition("(")[2].removesuffix(")")
        post_hoc = repr(self.post_hoc).partition("(")[2].removesuffix(")")
        return f"TableComparison({n} data sets, {k} algorithms; {friedman}; {post_hoc})"

    def _shown(self) -> Display:
        n, k = self.ranks.shape
        side = "higher" if self.higher_is_better else "lower"
        title = f"{k} algorithms on {n} data set{'s' if n > 1 else ''}, {side} is better"
        friedman, post_hoc = self.friedman._shown(), self.post_hoc._shown()
        pairs, ranks = post_hoc.tables
        forms = replace(friedman.tables[0], framed=False)
        notes = [*friedman.notes, *post_hoc.notes]
        if not self.friedman.reject:
            said = "The post-hoc test is not called for where Friedman's does not reject."
            notes.insert(1, said)
        return Display([forms, ranks, pairs], title, notes)


@documented()
def compare_table(
    scores: ArrayLike | Mapping[str, ArrayLike],
    *,
    higher_is_better: bool,
    confidence_level: float = 0.95,
    post_hoc: PostHoc = "nemenyi",
    control: str | None = None,
    datasets: str | Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    pvalue_method: PValueMethod = "auto",
    n_resamples: int = 9999,
    rng: Any = None,
) -> TableComparison:
    """Compare k algorithms on N data sets: Friedman, post-hoc test, groups, and both plots.

    Parameters
    ----------
    scores : array-like of shape (N, k), data frame, or mapping of str to array-like of shape (N,)
        Scores or errors: one row a data set, one column for each of k >= 2 algorithms.
    confidence_level : float, default=0.95
        Level of Friedman's test, and of all post-hoc comparisons together.
    post_hoc : {"nemenyi", "bonferroni-dunn", "wilcoxon-holm"}, default="nemenyi"
        All pairs by mean ranks; the others against `control` by mean ranks; or Wilcoxon's
        signed-rank test with Holm's adjustment on all pairs, or against `control` if it is given.
    control : str, optional
        Name of the algorithm that the others are compared with.
    datasets : str or sequence of str, optional
        The column that names the data sets, or their names; by default the index of a pandas
        frame, or "0", "1" ...
    names : sequence of str, optional
        Of the algorithms; by default the names of the columns, or "0", "1" ...
    pvalue_method : {"auto", "exact", "permutation", "f", "chi2"}, default="auto"
        Of Friedman's test; see `friedman_test`.
    n_resamples : int, default=9999
        Random permutations, where Friedman's p-value takes some.

    Returns
    -------
    TableComparison
        Both tests, which `plot` and `plot_friedman` draw.

    Raises
    ------
    TypeError
        If `higher_is_better` is not a boolean, or the table holds no real numbers.
    ValueError
        If there are fewer than two algorithms, a number is missing or infinite, an option is
        none of those named, or `control` is missing for "bonferroni-dunn", given for "nemenyi",
        or none of the algorithms.

    Warns
    -----
    DegenerateDataWarning
        If all algorithms tie on every data set, or all data sets rank them alike.

    Notes
    -----
    The post-hoc test is always there, but it is called for only where Friedman's test rejects.
    One sort a row for the ranks; Friedman's exact p-value takes up to a few seconds, "f" none.

    References
    ----------
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7:1-30.
    Benavoli, Corani & Mangili (2016), Should we really use post-hoc tests based on mean-ranks?,
    JMLR 17:1-10.

    Examples
    --------
    >>> table = {
    ...     "tree": [0.83, 0.71, 0.90, 0.66, 0.82],
    ...     "forest": [0.88, 0.75, 0.93, 0.70, 0.81],
    ...     "naive": [0.80, 0.64, 0.85, 0.65, 0.70],
    ... }
    >>> comparison = compare_table(table, higher_is_better=True)
    >>> round(comparison.friedman.pvalue, 4)
    0.0085
    >>> comparison.mean_ranks
    {'forest': 1.2, 'tree': 1.8, 'naive': 3.0}
    >>> comparison.post_hoc.groups
    (('forest', 'tree'), ('tree', 'naive'))
    """
    level = check_decision_level(confidence_level)
    check_choice("post_hoc", post_hoc, get_args(PostHoc))
    check_choice("pvalue_method", pvalue_method, get_args(PValueMethod))
    check_integer("n_resamples", n_resamples, low=1)
    if control is None and post_hoc == "bonferroni-dunn":
        raise InputError("`control` must name an algorithm for the post-hoc test bonferroni-dunn")
    if control is not None and post_hoc == "nemenyi":
        raise InputError(
            "`control` is not for the post-hoc test nemenyi, which compares all pairs: choose "
            "bonferroni-dunn"
        )
    ranked = rank_table(scores, None, higher_is_better, names, datasets=datasets)
    if control is not None:
        check_choice("control", control, ranked.names)
    if post_hoc == "wilcoxon-holm":
        after = wilcoxon_holm_of(ranked, level, control, bool(higher_is_better))
    else:
        method = "Nemenyi" if post_hoc == "nemenyi" else "Bonferroni-Dunn"
        after = by_mean_ranks(method, ranked, level, control)
    return TableComparison(
        names=ranked.names,
        datasets=ranked.datasets,
        scores=_frozen(ranked.scores),
        ranks=_frozen(ranked.ranks),
        higher_is_better=bool(higher_is_better),
        confidence_level=complement(level),
        friedman=friedman_of(ranked, level, pvalue_method, n_resamples, rng),
        post_hoc=after,
    )


def _frozen(values: Any) -> Any:
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def _diagram_of(comparison: TableComparison) -> tests.Diagram:
    """Return what the critical-difference diagram shows."""
    at, post_hoc = comparison.mean_ranks, comparison.post_hoc
    return tests.Diagram(
        names=tuple(at),
        positions=tuple(at.values()),
        bars=tuple((at[group[0]], at[group[-1]]) for group in post_hoc.groups if len(group) > 1),
        critical_difference=post_hoc.critical_difference,
        control=post_hoc.control,
    )


def save_critical_difference(comparison: TableComparison, path: str) -> None:
    """Write the critical-difference diagram to a file, whose ending tells the format."""
    tests.save_critical_difference(_diagram_of(comparison), path)
