"""``compare_table``: one call for k algorithms on N data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from fastmetrics._input.scalars import check_choice, check_fraction, check_integer
from fastmetrics.comparison.tables._pairwise_wilcoxon import wilcoxon_holm_of
from fastmetrics.comparison.tables._rank_table import RankTable, rank_table
from fastmetrics.comparison.tables.bonferroni_dunn import bonferroni_dunn_of
from fastmetrics.comparison.tables.friedman import PValueMethod, friedman_of
from fastmetrics.comparison.tables.nemenyi import nemenyi_of
from fastmetrics.comparison.tables.post_hoc_result import PostHocTest
from fastmetrics.comparison.tables.table_comparison import TableComparison, diagram_of, segments_of
from fastmetrics.errors import InputError

PostHoc = Literal["nemenyi", "bonferroni-dunn", "wilcoxon-holm"]


def compare_table(
    table: ArrayLike | Mapping[str, ArrayLike],
    *,
    higher_is_better: bool,
    alpha: float = 0.05,
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
    table : array-like of shape (N, k), data frame, or mapping of str to array-like of shape (N,)
        Scores or errors: one row a data set, one column for each of k >= 2 algorithms.
    higher_is_better : bool
        Whether the greater score is the better (accuracy) or the lower (error).
    alpha : float, default=0.05
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
    rng : None, int, Generator or str, optional
        Their seed, or the key of an earlier result.

    Returns
    -------
    TableComparison
        Both tests, and `plot` and `plot_friedman`, which draw what `diagram` and `segments` hold.

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
    level = check_fraction("alpha", alpha)
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
    ranked = rank_table(table, None, higher_is_better, names, datasets=datasets, name="table")
    if control is not None:
        check_choice("control", control, ranked.names)
    after = _post_hoc(ranked, post_hoc, level, control, bool(higher_is_better))
    return TableComparison(
        names=ranked.names,
        datasets=ranked.datasets,
        scores=_frozen(ranked.scores),
        ranks=_frozen(ranked.ranks),
        higher_is_better=bool(higher_is_better),
        alpha=level,
        friedman=friedman_of(ranked, level, pvalue_method, n_resamples, rng),
        post_hoc=after,
        diagram=diagram_of(after),
        segments=segments_of(after),
    )


def _post_hoc(
    table: RankTable, name: str, alpha: float, control: str | None, higher_is_better: bool
) -> PostHocTest:
    if name == "nemenyi":
        return nemenyi_of(table, alpha)
    if name == "bonferroni-dunn" and control is not None:
        return bonferroni_dunn_of(table, alpha, control)
    return wilcoxon_holm_of(table, alpha, control, higher_is_better)


def _frozen(values: Any) -> Any:
    copy = values.copy()
    copy.flags.writeable = False
    return copy
