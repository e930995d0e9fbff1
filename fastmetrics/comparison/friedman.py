"""Tables of N data sets x k algorithms as ranks, and Friedman's test whether these differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._docs import documented
from fastmetrics._input.containers import by_names, key_names
from fastmetrics._input.scalars import (
    check_choice,
    check_decision_level,
    check_direction,
    check_integer,
    check_same_length,
    complement,
    key_text,
    seed_key,
)
from fastmetrics._input.scores import check_score_matrix, check_scores_array
from fastmetrics._number_text import MonteCarloPValue, as_p
from fastmetrics.comparison.paired import equal_up_to_rounding
from fastmetrics.comparison.result import ComparisonTest
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    warn_user,
)

#: Parameters and errors of tests of mean ranks.
RANKS: Final = """
Parameters
----------
scores : array-like of shape (N, k), data frame, or mapping of str to array-like of shape (N,)
    One row a data set, one column for each of k >= 2 algorithms. Scores of a row that are equal up
    to rounding, as 0.1 + 0.2 and 0.3, tie.
higher_is_better : bool
    Whether the greater number is the better (accuracy, AUC) or the lower (errors, losses); required
    with scores, and none is needed for ranks.
ranks : array-like of shape (N, k), optional
    In place of `scores`: ranks from 1, the best, to k; tied algorithms have their mean rank.
names : sequence of str, optional
    Of the algorithms; by default the names of the columns, or "0", "1" ...

Raises
------
TypeError
    If both or none of `scores` and `ranks` are given, or `higher_is_better` is missing.
ValueError
    If there are fewer than two algorithms, a number is missing or infinite, `ranks` are no ranks,
    or `confidence_level` lies outside (0, 1).
"""


@dataclass(frozen=True, slots=True, eq=False)
class RankTable:
    """The ranks of k algorithms on N data sets; rank 1 is the best, ties share the mean rank.

    ``centred`` has twice the rank, less k + 1: whole numbers whose sum is 0 in each row, so that no
    statistic of them is rounded before its one division. ``given`` are the scores or the ranks.
    """

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    centred: NDArray[np.int64]
    given: NDArray[Any]

    @property
    def ranks(self) -> NDArray[np.float64]:
        """The ranks, shape (N, k)."""
        return np.asarray((self.centred + (self.centred.shape[1] + 1)) / 2)

    @property
    def mean_ranks(self) -> tuple[float, ...]:
        """The mean rank of each algorithm."""
        n, k = self.centred.shape
        sums = self.centred.sum(axis=0) + n * (k + 1)
        return tuple((sums / (2 * n)).tolist())


def rank_table(
    scores: Any,
    ranks: Any,
    higher_is_better: bool | None,
    names: Sequence[str] | None,
    *,
    datasets: Sequence[str] | None = None,
) -> RankTable:
    """Return the ranks of a table of scores, or checked ranks: one of the two is given."""
    if (scores is None) == (ranks is None):
        raise InputTypeError(
            f"pass either `scores` or `ranks`: got {'neither' if ranks is None else 'both'}"
        )
    given, name = (scores, "scores") if ranks is None else (ranks, "ranks")
    if ranks is None:
        higher = check_direction(higher_is_better, ", for a table of scores")
    elif higher_is_better is not None:
        raise InputTypeError("`higher_is_better` is about scores: a lower rank is always better")
    matrix, known, rows = _scores_and_names(given, name)
    n, k = matrix.shape
    if k < 2:
        raise InputError(f"`{name}` must have a column for each of 2 or more algorithms: got {k}")
    twice = _doubled_ranks(matrix)
    wrong = np.flatnonzero((twice != 2 * matrix).any(axis=1))
    if ranks is not None and len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"`ranks` must rank the algorithms of each row from 1 to {k}, tied ones with their "
            f"mean rank: row {row} is {matrix[row].tolist()}; pass scores as the first argument"
        )
    if names is not None:
        if isinstance(names, str) or len(names) != k:
            raise InputError(f"`names` must name the {k} columns of `{name}`: got {names!r}")
        known = key_names(names, "names", "algorithms")
    if datasets is not None:
        if isinstance(datasets, str) or len(datasets) != n:
            raise InputError(f"`datasets` must name the {n} rows: got {datasets!r}")
        rows = [str(each) for each in datasets]
    algorithms = tuple(known or map(str, range(k)))
    centred = twice - (k + 1)
    if ranks is None and higher:  # from the lowest score up: the same table negated
        centred = -centred
    return RankTable(algorithms, tuple(rows or map(str, range(n))), centred, matrix)


def _doubled_ranks(matrix: NDArray[Any]) -> NDArray[np.int64]:
    """Return twice the rank of each number in its row; numbers equal up to rounding tie."""
    from scipy.stats import rankdata

    order = np.argsort(matrix, axis=1)
    ordered = np.take_along_axis(matrix, order, axis=1)
    rises = np.zeros(matrix.shape, dtype=np.int64)
    rises[:, 1:] = ~equal_up_to_rounding(ordered[:, :-1], ordered[:, 1:])
    levels = np.empty_like(rises)
    np.put_along_axis(levels, order, rises.cumsum(axis=1), axis=1)
    return np.asarray(2 * rankdata(levels, axis=1), dtype=np.int64)


def _scores_and_names(
    table: Any, name: str
) -> tuple[NDArray[Any], list[str] | None, list[str] | None]:
    """Return the scores, the names of their columns and of their rows, where the table has some."""
    if isinstance(table, Mapping):
        columns = by_names(table, name, "algorithms")
        arrays = {key: check_scores_array(v, f"{name}[{key!r}]") for key, v in columns.items()}
        if not arrays:
            raise InputError(f"`{name}` must have a column for each of 2 or more algorithms: got 0")
        n = check_same_length(**arrays)
        dtype = np.result_type(*arrays.values())
        matrix = np.column_stack([array.astype(dtype) for array in arrays.values()])
        return matrix.reshape(n, len(arrays)), list(columns), None
    heads = getattr(table, "column_names", None)  # an Arrow table's `columns` are no names
    if heads is None:
        heads = getattr(table, "columns", None)
    if heads is None:
        return check_score_matrix(table, name), None, None
    rows = None
    if type(getattr(table, "index", None)).__name__ not in ("NoneType", "RangeIndex"):
        rows = [str(each) for each in table.index]  # pandas: the index names the rows
    return check_score_matrix(table, name), key_names(heads, name, "algorithms"), rows


PValueMethod = Literal["auto", "exact", "permutation", "f", "chi2"]


@dataclass(frozen=True, slots=True, repr=False)
class FriedmanTest(ComparisonTest):
    """Friedman's test in all its forms; `pvalue` is the one that `pvalue_method` names.

    Beside the attributes of `ComparisonTest`:

    Attributes
    ----------
    method, statistic, statistic_name, df, pvalue, critical_value, reject, alternative
        As in `ComparisonTest`. The statistic is the chi-square without tie correction, or F where
        the p-value is that of F; the critical value belongs to the p-value, and is nan for
        permutations.
    confidence_level, effect_size, effect_size_name, confidence_interval, better, details
        As in `ComparisonTest`: Kendall's W, from 0 to 1, corrected for ties; `better` has the
        lowest mean rank.
    names : tuple of str
        Of the algorithms.
    mean_ranks : tuple of float
        Of each algorithm; 1 is the best.
    n_datasets : int
        Rows of the table.
    chi2, pvalue_chi2 : float
        As Friedman, Demsar and the textbooks print it, and the upper tail with k - 1 degrees.
    chi2_tie_corrected, pvalue_chi2_tie_corrected : float
        Divided by the variance that ties leave, as scipy prints it.
    f, pvalue_f : float
        Iman and Davenport's F of `chi2`, with k - 1 and (k - 1)(N - 1) degrees.
    f_tie_corrected, pvalue_f_tie_corrected : float
        The same of `chi2_tie_corrected`.
    pvalue_method : {"exact", "permutation", "f", "chi2"}
        Which p-value was used.
    n_resamples : int or None
        Random arrangements behind a permutation p-value.
    key : str or None
        Their key, which ``rng=`` takes back.
    """

    names: tuple[str, ...] = ()
    mean_ranks: tuple[float, ...] = ()
    n_datasets: int = 0
    chi2: float = math.nan
    pvalue_chi2: float = math.nan
    chi2_tie_corrected: float = math.nan
    pvalue_chi2_tie_corrected: float = math.nan
    f: float = math.nan
    pvalue_f: float = math.nan
    f_tie_corrected: float = math.nan
    pvalue_f_tie_corrected: float = math.nan
    pvalue_method: str = ""
    n_resamples: int | None = None
    key: str | None = None

    def _display(self) -> Display:
        one = len(self.names) - 1
        two = (one, one * (self.n_datasets - 1))
        tied = ", tie-corrected"
        rows: list[tuple[str, Any, Any, float]] = [
            ("chi-square", self.chi2, one, self.pvalue_chi2),
            (f"chi-square{tied}", self.chi2_tie_corrected, one, self.pvalue_chi2_tie_corrected),
            ("F (Iman–Davenport)", self.f, two, self.pvalue_f),
            (f"F{tied}", self.f_tie_corrected, two, self.pvalue_f_tie_corrected),
        ]
        used = _METHODS[self.pvalue_method]
        if self.pvalue_method in ("exact", "permutation"):
            rows.append((used, None, None, self.pvalue))
        names = ("Friedman's test", "statistic", "df", "pvalue")
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        decision = "the algorithms differ" if self.reject else "no difference is shown"
        by = "exact p-value" if self.pvalue_method == "exact" else f"p-value of {used}"
        by_text = f"by the {by}: {as_p(self.pvalue)}"
        notes = [f"Friedman: at level {complement(self.confidence_level):g} {decision}, {by_text}."]
        if self.key is not None:
            notes.append(f"{self.n_resamples:,} permutations, key {self.key}.")
        ranks = Table({"algorithm": self.names, "mean_rank": self.mean_ranks}, framed=False)
        return Display([Table(columns), ranks], notes=notes)


#: Names of the methods of p-values.
_METHODS: Final = {
    "exact": "exact",
    "permutation": "random permutations",
    "f": "F",
    "chi2": "chi-square",
}


@documented(RANKS)
def friedman_test(
    scores: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    higher_is_better: bool | None = None,
    ranks: ArrayLike | None = None,
    confidence_level: float = 0.95,
    pvalue_method: PValueMethod = "auto",
    n_resamples: int = 9999,
    rng: Any = None,
    names: Sequence[str] | None = None,
) -> FriedmanTest:
    """Test whether algorithms differ over data sets, by their ranks on each (Friedman).

    Parameters
    ----------
    pvalue_method : {"auto", "exact", "permutation", "f", "chi2"}, default="auto"
        "auto" is exact as far as 2 10^6 arrangements of the ranks lead, and random permutations
        beyond. "f" and "chi2" approximate; "chi2" only where N and k are large.
    n_resamples : int, default=9999
        Random permutations; the p-value is never below 1 / (n_resamples + 1).

    Returns
    -------
    FriedmanTest
        Mean ranks, the four statistics with their p-values, and the decision.

    Raises
    ------
    ValueError
        If "exact" is asked for and needs more than 2 10^6 arrangements.

    Warns
    -----
    DegenerateDataWarning
        If all algorithms tie on every data set (statistic 0, p 1), or all data sets rank them
        alike (F is inf).
    UndefinedMetricWarning
        If F is asked for on a single data set, where it has no degrees of freedom.

    Notes
    -----
    Twice the ranks are whole numbers, so each statistic is one division. With R_j the mean ranks,
    chi2 = 12 N / (k (k + 1)) (sum R_j^2 - k (k + 1)^2 / 4), and F = (N - 1) chi2 / (N (k - 1) -
    chi2). Ties make the plain chi2 too small; the tie-corrected one divides by 1 - sum (t^3 - t)
    / (N k (k^2 - 1)). In a table with many ties take that, or an exact p-value: the plain ones
    reject 1 % where 5 % are asked for (docs/sizes.md). All four grow together, so that they share
    one exact p-value: the share of the (k!)^N arrangements of the ranks inside the rows whose
    statistic is no smaller. It is not found by listing them but row by row, over the sorted column
    sums: 30 data sets of 4 algorithms take about a second.

    References
    ----------
    Friedman (1937), Journal of the American Statistical Association 32:675-701. Iman & Davenport
    (1980), Communications in Statistics A 9:571-595. Demsar (2006), Statistical comparisons of
    classifiers over multiple data sets, Journal of Machine Learning Research 7:1-30.

    Examples
    --------
    >>> ranks = [[1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], [1, 2, 3]]
    >>> test = friedman_test(ranks=ranks, names=["A", "B", "C"])
    >>> test
    FriedmanTest(Friedman, exact p-value: chi2(2)=7.125, pvalue=0.00925926, reject at 0.05,
    ahead: A)
    >>> test.mean_ranks, round(test.f, 4), round(test.pvalue_f, 6)
    ((1.0, 2.125, 2.875), 24.4286, 0.001308)
    """
    level = check_decision_level(confidence_level)
    check_choice("pvalue_method", pvalue_method, get_args(PValueMethod))
    check_integer("n_resamples", n_resamples, low=1)
    table = rank_table(scores, ranks, higher_is_better, names)
    return run_friedman(table, level, pvalue_method, n_resamples, rng)


def run_friedman(
    table: RankTable, alpha: float, pvalue_method: str, n_resamples: int, rng: Any
) -> FriedmanTest:
    """Return the test of checked ranks."""
    statistics = _statistics(table)
    n, k = table.centred.shape
    exact = None
    if pvalue_method in ("auto", "exact"):
        exact = exact_distribution(table.centred)
        if exact is None and pvalue_method == "exact":
            raise InputError(
                f"`pvalue_method` 'exact' needs more than {BUDGET:,} arrangements for {n} data "
                f"sets and {k} algorithms: choose 'permutation', 'f' or 'auto'"
            )
        used = "permutation" if exact is None else "exact"
    else:
        used = pvalue_method
    key = None
    if used == "permutation":
        seed = seed_key(rng)
        key = key_text(seed)
        pvalue = permutation_pvalue(table.centred, n_resamples, seed)
    elif exact is not None:
        values, tails = exact
        pvalue = float(tails[int(np.searchsorted(values, sum_of_squares(table.centred)))])
    else:
        pvalue = statistics[f"pvalue_{used}"]
    _warn(table, statistics, used)
    is_f = used == "f"
    ranks = table.mean_ranks
    lowest = [name for name, rank in zip(table.names, ranks, strict=True) if rank == min(ranks)]
    by_method = used if used in ("exact", "permutation") else _METHODS[used]
    return FriedmanTest(
        method=f"Friedman, {by_method} p-value",
        statistic=statistics["f" if is_f else "chi2"],
        statistic_name="F" if is_f else "chi2",
        df=(float(k - 1), float((k - 1) * (n - 1))) if is_f else float(k - 1),
        pvalue=pvalue,
        confidence_level=complement(alpha),
        critical_value=_critical_value(used, alpha, n, k, exact),
        reject=bool(pvalue <= alpha),
        effect_size=statistics["chi2_tie_corrected"] / (n * (k - 1)),
        effect_size_name="Kendall's W",
        better=lowest[0] if len(lowest) == 1 else None,
        names=table.names,
        mean_ranks=ranks,
        n_datasets=n,
        pvalue_method=used,
        n_resamples=n_resamples if used == "permutation" else None,
        key=key,
        details={},
        **statistics,
    )


def _statistics(table: RankTable) -> dict[str, Any]:
    """Return the statistics: whole numbers up to the division that makes each of them."""
    n, k = table.centred.shape
    squares = sum_of_squares(table.centred)
    total = int((table.centred**2).sum())  # n k (k^2 - 1) / 3 where nothing ties
    fractions = {"": (3 * squares, n * k * (k + 1)), "_tie_corrected": ((k - 1) * squares, total)}
    statistics: dict[str, float] = {}
    for suffix, (over, under) in fractions.items():
        names = (f"chi2{suffix}", f"pvalue_chi2{suffix}", f"f{suffix}", f"pvalue_f{suffix}")
        statistics |= zip(names, _statistics_of_fraction(over, under, n, k), strict=True)
    return statistics


def _statistics_of_fraction(
    over: int, under: int, n: int, k: int
) -> tuple[float, float, float, float]:
    """Return chi-square = over / under with its p-value, and the F of it with its own."""
    from scipy.special import chdtrc, fdtrc

    if over == 0:  # all tied, or mean ranks that are equal
        return 0.0, 1.0, 0.0, 1.0
    chi2 = over / under
    pvalue = float(chdtrc(k - 1, chi2))
    if n == 1:
        return chi2, pvalue, math.nan, math.nan
    left = n * (k - 1) * under - over
    if left == 0:
        return chi2, pvalue, math.inf, 0.0
    f = (n - 1) * over / left
    return chi2, pvalue, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f))


def _critical_value(used: str, alpha: float, n: int, k: int, exact: _Exact | None) -> float:
    """Return the smallest statistic at which the p-value is at most alpha."""
    from scipy.special import chdtri, fdtri

    if exact is not None:
        values, tails = exact
        rejected = np.flatnonzero(tails <= alpha)
        return 3 * int(values[rejected[0]]) / (n * k * (k + 1)) if len(rejected) else math.inf
    if used == "chi2":
        return float(chdtri(k - 1, alpha))
    if used == "f" and n > 1:
        return float(fdtri(k - 1, (k - 1) * (n - 1), 1.0 - alpha))
    return math.nan


def _warn(table: RankTable, statistics: Mapping[str, float], used: str) -> None:
    n = len(table.datasets)
    if not table.centred.any():
        warn_user(
            "all algorithms tie on every data set: the statistic is 0 and p is 1",
            DegenerateDataWarning,
        )
    elif math.isinf(statistics["f_tie_corrected"]):
        warn_user(
            f"all {n} data sets rank the algorithms alike: F has no variance left and is inf "
            "where ties are allowed for",
            DegenerateDataWarning,
        )
    if used == "f" and math.isnan(statistics["f"]):
        warn_user("F is not defined on a single data set: nan", UndefinedMetricWarning)


# --- the exact distribution -----------------------------------------------------------------------


#: Arrangements that are looked at, at most, before the exact distribution is given up.
BUDGET = 2 * 10**6
#: Numbers drawn at a time.
_DRAWN = 2_000_000
#: Weights up to here are exact whole numbers.
_EXACT = 2.0**52

#: Every sum over algorithms of their squared column sum, ascending, and P(sum >= it).
_Exact = tuple[NDArray[np.int64], NDArray[np.float64]]


def sum_of_squares(centred: NDArray[np.int64]) -> int:
    """Return the sum of the squared column sums, as a whole number."""
    return sum(each * each for each in centred.sum(axis=0).tolist())


def exact_distribution(centred: NDArray[np.int64]) -> _Exact | None:
    """Return the distribution over all arrangements of each row, or None beyond the budget.

    Rows are added one after another. All columns are alike, so only the sorted column sums
    matter: the (k!)^N arrangements collapse to few states, each with the number of ways to it,
    and the first row need not be arranged at all.
    """
    rows = sorted(
        (np.sort(row) for row in centred if row.any()), key=arrangement_count, reverse=True
    )
    if not rows:
        return np.zeros(1, np.int64), np.ones(1)
    counts = [arrangement_count(row) for row in rows]
    states = rows[0][np.newaxis, :]
    spent = 0
    ways: NDArray[Any] = np.ones(1)
    known: dict[tuple[int, ...], NDArray[np.int64]] = {}
    squares = (states**2).sum(axis=1)
    for i, row in enumerate(rows[1:], 1):
        # The states do not become fewer: what is left costs this at least.
        if spent + len(states) * sum(counts[i:]) > BUDGET:
            return None
        spent += len(states) * counts[i]
        orders = arrangements(tuple(row.tolist()), known)
        ways = np.repeat(ways, len(orders))
        if i == len(rows) - 1:  # squares alone count; as doubles they are multiplied much faster
            crossed = (states.astype(np.float64) @ orders.T.astype(np.float64)).astype(np.int64)
            squared = (states**2).sum(axis=1)[:, np.newaxis] + int((row**2).sum())
            squares = (squared + 2 * crossed).ravel()
        else:
            sums = np.sort((states[:, np.newaxis, :] + orders).reshape(-1, len(row)), axis=1)
            _, first, inverse = np.unique(_codes(sums), return_index=True, return_inverse=True)
            states = sums[first]
            ways = np.bincount(inverse, ways)
        while ways.sum() > _EXACT:
            ways *= 2.0**-50  # a power of two: nothing is rounded
    values, inverse = np.unique(squares, return_inverse=True)
    tails = np.cumsum(np.bincount(inverse, ways)[::-1])[::-1]
    return values, tails / tails[0]


def arrangement_count(row: NDArray[np.int64]) -> int:
    """Return the number of different orders of a row."""
    count = math.factorial(len(row))
    for times in Counter(row.tolist()).values():
        count //= math.factorial(times)
    return count


def arrangements(
    row: tuple[int, ...], known: dict[tuple[int, ...], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return the different orders of sorted numbers, shape (count, k); those found are kept.

    Two bytes a number, which is below k: a row with more has too many orders to be asked for.
    """
    if row not in known:
        if row[0] == row[-1]:
            return np.array([row], dtype=np.int16)
        blocks = []
        for first in sorted(set(row)):
            index = row.index(first)
            tail = arrangements(row[:index] + row[index + 1 :], known)
            blocks.append(np.column_stack([np.full(len(tail), first, tail.dtype), tail]))
        known[row] = np.concatenate(blocks)
    return known[row]


def permutation_pvalue(
    centred: NDArray[np.int64], n_resamples: int, key: NDArray[np.uint64]
) -> float:
    """Return the p-value over random arrangements of each row, the observed one counted in."""
    observed = sum_of_squares(centred)
    n, k = centred.shape
    generator = np.random.default_rng(key)
    at_once = max(1, _DRAWN // (n * k))
    as_extreme = 0
    for start in range(0, n_resamples, at_once):
        size = min(at_once, n_resamples - start)
        drawn = generator.permuted(np.broadcast_to(centred, (size, n, k)), axis=2)
        sums = drawn.sum(axis=1)
        as_extreme += int(np.count_nonzero((sums * sums).sum(axis=1) >= observed))
    return MonteCarloPValue.of(as_extreme, n_resamples)


def _codes(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one number a row, equal where rows are: digits, renumbered before they overflow."""
    low = int(states.min())
    base = int(states.max()) - low + 1
    codes = np.zeros(len(states), np.int64)
    span = 1
    for column in states.T[:-1]:  # the last one follows: a row adds up to 0
        if span * base >= 2**62:
            values, codes = np.unique(codes, return_inverse=True)
            span = len(values)
        codes = codes * base + (column - low)
        span *= base
    return codes
