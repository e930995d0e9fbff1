"""Post-hoc tests of k algorithms, and `compare_table`, which calls all."""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.containers import as_vector
from fastmetrics._input.scalars import check_choice, check_decision_level, check_integer, complement
from fastmetrics._input.scores import canonical_scores, check_probabilities
from fastmetrics._number_text import DASH
from fastmetrics._plots import tests
from fastmetrics._results import OwnArrays, Result, Several
from fastmetrics.comparison.friedman import (
    RANKS,
    FriedmanTest,
    PValueMethod,
    RankTable,
    rank_table,
    run_friedman,
)
from fastmetrics.comparison.paired import wilcoxon_signed_rank_test
from fastmetrics.comparison.result import better_model
from fastmetrics.errors import DegenerateDataWarning, InputError, no_such
from fastmetrics.inference import reference
from fastmetrics.inference.reference import Adjustment, adjust, holm

_ALPHA: Final = """
Parameters
----------
confidence_level : float, default=0.95
    Level of all comparisons together.
"""


@documented(_ALPHA, RANKS)
def nemenyi_test(
    scores: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    higher_is_better: bool | None = None,
    ranks: ArrayLike | None = None,
    confidence_level: float = 0.95,
    names: Sequence[str] | None = None,
) -> PostHocTest:
    """Compare every pair of algorithms over data sets by their mean ranks (Nemenyi).

    Returns
    -------
    PostHocTest
        The critical difference, a p-value for every pair, and the groups left together. The
        statistic of a pair is its difference of mean ranks in standard errors.

    Notes
    -----
    Two algorithms differ if their mean ranks do by CD = q sqrt(k (k + 1) / 6N) or more, q the
    quantile of the studentized range of k with infinite degrees of freedom, divided by sqrt(2):
    for any k and alpha, from its distribution and no table. P-values are good to an absolute
    1e-13. Ties are not allowed for, as nowhere in the literature on this test, which errs on the
    safe side.

    References
    ----------
    Nemenyi (1963), Distribution-free multiple comparisons, Princeton. Demsar (2006), Statistical
    comparisons of classifiers over multiple data sets, JMLR 7:1-30.

    Examples
    --------
    >>> ranks = [[1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], [1, 2, 3]]
    >>> test = nemenyi_test(ranks=ranks, names=["A", "B", "C"])
    >>> test
    PostHocTest(Nemenyi at 0.05: critical difference 1.65725, groups {A, B}, {B, C})
    >>> round(test["A", "C"].pvalue, 6)
    0.021837
    """
    level = check_decision_level(confidence_level)
    return by_mean_ranks("Nemenyi", rank_table(scores, ranks, higher_is_better, names), level)


def by_mean_ranks(
    method: str, table: RankTable, alpha: float, control: str | None = None
) -> PostHocTest:
    """Return the test of checked ranks, by Nemenyi's range or Bonferroni and Dunn's z."""
    n, k = table.centred.shape
    compared = _rank_differences(table, control)
    is_of_range = method == "Nemenyi"
    error = math.sqrt(k * (k + 1) / (6 * n))  # of a difference of two mean ranks
    if is_of_range:
        q = nemenyi_quantile(k, alpha)
    else:
        q = reference.critical_value(math.inf, alpha / len(compared))
    pairs = []
    for models, apart in compared.items():
        z = apart / error
        if is_of_range:
            pvalue = _nemenyi_pvalue(abs(z), k)
        else:
            pvalue = min(1.0, len(compared) * reference.pvalue(z, math.inf))
        better = better_model(apart, models, higher_is_better=False)
        pairs.append(RankPair(*models, apart, z, pvalue, abs(apart) >= q * error, better))
    return post_hoc_test(method, table, alpha, control, pairs, (q, q * error))


@functools.lru_cache(maxsize=256)
def nemenyi_quantile(k: int, alpha: float) -> float:
    """Return the upper quantile of the range of k standard normals, over sqrt(2)."""
    from scipy.stats import studentized_range

    return float(studentized_range.isf(alpha, k, math.inf)) / math.sqrt(2.0)


@functools.lru_cache(maxsize=4096)
def _nemenyi_pvalue(z: float, k: int) -> float:
    from scipy.stats import studentized_range

    if z == 0:
        return 1.0
    return min(1.0, max(0.0, float(studentized_range.sf(z * math.sqrt(2.0), k, math.inf))))


def run_wilcoxon_holm(
    table: RankTable, alpha: float, control: str | None, higher_is_better: bool
) -> PostHocTest:
    """Test pairs, or all against a control, each by its own scores (Benavoli et al. 2016)."""
    columns = dict(zip(table.names, table.given.T, strict=True))
    compared = _rank_differences(table, control)
    with warnings.catch_warnings():  # without a word where nothing differs: pairs may be many
        warnings.simplefilter("ignore", DegenerateDataWarning)
        tests = [
            wilcoxon_signed_rank_test(
                *map(columns.__getitem__, models), higher_is_better=higher_is_better, names=models
            )
            for models in compared
        ]
    pvalues = holm([test.pvalue for test in tests])
    pairs = [
        RankPair(*models, apart, test.statistic, pvalue, pvalue <= alpha, test.better)
        for (models, apart), test, pvalue in zip(compared.items(), tests, pvalues, strict=True)
    ]
    return post_hoc_test("Wilcoxon with Holm", table, alpha, control, pairs)


def _rank_differences(table: RankTable, control: str | None) -> dict[tuple[str, str], float]:
    """Return all pairs, or each of the others with the control, with differences of mean ranks."""
    sums = dict(zip(table.names, table.centred.sum(axis=0).tolist(), strict=True))
    if control is None:
        pairs = list(itertools.combinations(table.names, 2))
    else:
        check_choice("control", control, table.names)
        pairs = [(other, control) for other in table.names if other != control]
    return {(a, b): (sums[a] - sums[b]) / (2 * len(table.centred)) for a, b in pairs}


def adjust_pvalues(pvalues: ArrayLike, *, method: Adjustment = "holm") -> NDArray[np.float64]:
    """Adjust the p-values of several tests for their number.

    Parameters
    ----------
    pvalues : array-like of shape (m,)
        P-values in [0, 1]; nan marks a test that is not defined: it stays nan and is not counted.
    method : {"holm", "hochberg", "benjamini-hochberg", "bonferroni"}, default="holm"
        "bonferroni" multiplies by m; "holm" does so step-down and is never worse; "hochberg" does
        so step-up, for tests that are independent or positively dependent. These three bound the
        chance of any false rejection. "benjamini-hochberg" bounds the expected share of false
        ones among the rejections, under the same condition as "hochberg".

    Returns
    -------
    ndarray of shape (m,)
        Adjusted p-values in the order given, at most 1: reject where they are at most alpha.

    Raises
    ------
    TypeError
        If `pvalues` holds no real numbers.
    ValueError
        If a p-value lies outside [0, 1], or `method` is none of the four.

    Notes
    -----
    A sort: O(m log m) time. With p_(1) <= ... <= p_(m): Holm, the largest of (m - j + 1) p_(j)
    over j <= i; Hochberg, the smallest of the same over j >= i; Benjamini-Hochberg, the smallest
    of m p_(j) / j over j >= i.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65-70. Hochberg (1988), Biometrika
    75:800-802. Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B
    57:289-300.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    >>> adjust_pvalues([0.01, 0.04, 0.03], method="hochberg")
    array([0.03, 0.04, 0.04])
    """
    check_choice("method", method, get_args(Adjustment))
    values = canonical_scores(as_vector(pvalues, "pvalues"), "pvalues").astype(np.float64)
    defined = values[~np.isnan(values)]
    if len(defined):
        check_probabilities(defined, "pvalues")
    return adjust(values, method)


# --- results --------------------------------------------------------------------------------------


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

    def _display(self) -> Display:
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
        headers = {
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
        tables = [Table(pairs, words=headers), Table(ranks, words=headers, framed=False)]
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
    k = len(table.names)
    index = {name: j for j, name in enumerate(table.names)}
    differs = np.zeros((k, k), dtype=np.bool_)
    for pair in pairs:
        a, b = index[pair.model_a], index[pair.model_b]
        differs[a, b] = differs[b, a] = pair.reject
    if control is None:
        groups = groups_on_rank_line(table.mean_ranks, differs)
    else:
        alike = ~differs[index[control]]
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


PostHoc = Literal["nemenyi", "bonferroni-dunn", "wilcoxon-holm"]


@dataclass(frozen=True, slots=True, repr=False)
class TableComparison(OwnArrays, Result):
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
        ranks = dict(zip(self.post_hoc.names, self.post_hoc.mean_ranks, strict=True))
        return dict(sorted(ranks.items(), key=lambda item: item[1]))

    @documented()
    def plot(self, ax: Any = None) -> Any:
        """Draw the critical-difference diagram (Demsar 2006).

        Returns
        -------
        matplotlib Axes
            What was drawn on: the axis of mean ranks with the best at the right, a label for each
            algorithm, and a bar under those between which no difference is shown.
        """
        return tests.draw_critical_difference(_diagram(self), ax)

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
        names = self.post_hoc.names
        differing = {n for n in names if n != centre and self.post_hoc[centre, n].reject}
        ranks = {name: self.mean_ranks[name] for name in names}
        return tests.draw_friedman(ranks, centre, differing, difference, ax)

    def __repr__(self) -> str:
        n, k = self.ranks.shape
        friedman = repr(self.friedman).partition("(")[2].removesuffix(")")
        post_hoc = repr(self.post_hoc).partition("(")[2].removesuffix(")")
        return f"TableComparison({n} data sets, {k} algorithms; {friedman}; {post_hoc})"

    def _display(self) -> Display:
        n, k = self.ranks.shape
        side = "higher" if self.higher_is_better else "lower"
        title = f"{k} algorithms on {n} data set{'s' if n > 1 else ''}, {side} is better"
        friedman = self.friedman._display()
        post_hoc = self.post_hoc._display()
        pairs, ranks = post_hoc.tables
        statistics = replace(friedman.tables[0], framed=False)
        notes = [*friedman.notes, *post_hoc.notes]
        if not self.friedman.reject:
            notes.insert(1, "The post-hoc test is not called for where Friedman's does not reject.")
        return Display([statistics, ranks, pairs], title, notes)


@documented()
def compare_table(
    scores: ArrayLike | Mapping[str, ArrayLike],
    *,
    higher_is_better: bool,
    confidence_level: float = 0.95,
    post_hoc: PostHoc = "nemenyi",
    control: str | None = None,
    datasets: Sequence[str] | None = None,
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
    datasets : sequence of str, optional
        Names of the data sets; by default the index of a pandas frame, or "0", "1" ...
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
    "bonferroni-dunn" has CD = z sqrt(k (k + 1) / 6N) for k - 1 comparisons by the normal
    distribution, z the quantile at alpha / (2 (k - 1)); p-values are multiplied by k - 1. Choose
    the control before you look.

    References
    ----------
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7:1-30.
    Dunn (1961), Multiple comparisons among means, JASA 56:52-64. Benavoli, Corani & Mangili
    (2016), Should we really use post-hoc tests based on mean-ranks?, JMLR 17:1-10.

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
        after = run_wilcoxon_holm(ranked, level, control, bool(higher_is_better))
    else:
        method = "Nemenyi" if post_hoc == "nemenyi" else "Bonferroni-Dunn"
        after = by_mean_ranks(method, ranked, level, control)
    return TableComparison(
        names=ranked.names,
        datasets=ranked.datasets,
        scores=ranked.given.copy(),  # it may be the caller's
        ranks=ranked.ranks,
        higher_is_better=bool(higher_is_better),
        confidence_level=complement(level),
        friedman=run_friedman(ranked, level, pvalue_method, n_resamples, rng),
        post_hoc=after,
    )


def _diagram(comparison: TableComparison) -> tests.Diagram:
    """Return the content of the critical-difference diagram."""
    at = comparison.mean_ranks
    post_hoc = comparison.post_hoc
    return tests.Diagram(
        names=tuple(at),
        positions=tuple(at.values()),
        bars=tuple((at[group[0]], at[group[-1]]) for group in post_hoc.groups if len(group) > 1),
        critical_difference=post_hoc.critical_difference,
        control=post_hoc.control,
    )


def save_critical_difference(comparison: TableComparison, path: str) -> None:
    """Write the critical-difference diagram to a file, whose ending tells the format."""
    tests.save_critical_difference(_diagram(comparison), path)
