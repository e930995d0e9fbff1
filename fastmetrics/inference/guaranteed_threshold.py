"""Thresholds that keep a promise on new data, with a stated probability."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_fraction, check_positive
from fastmetrics._input.scores import check_scores_array
from fastmetrics._results import Result
from fastmetrics.errors import (
    DegenerateDataWarning,
    InputError,
    InputTypeError,
    UndefinedMetricWarning,
    renamed,
    warn_user,
)
from fastmetrics.inference.proportions import proportion_limits
from fastmetrics.tables.score_table import (
    SCORED,
    ScoreTable,
    as_table,
    is_called_positive,
    lacks_a_class,
)

#: Of the level of a test of costs one in so many is spent on the share of misses, of which so many
#: are tried; and what rounding may take from a number of rows.
_PART_OF_LEVEL, _SHARES, _ROUNDING = 50.0, 33, 1e-9


class Prices(NamedTuple):
    """What a missed positive and a false alarm cost."""

    fn: float
    fp: float


class Cells(NamedTuple):
    """TP and FP of a threshold, and how many rows of each class there are."""

    tp: int
    fp: int
    n_positive: int
    n_negative: int

    @property
    def misses(self) -> int:
        """Return FN."""
        return self.n_positive - self.tp

    def cost(self, prices: Prices) -> float:
        """Return what the mistakes cost in all."""
        return prices.fn * self.misses + prices.fp * self.fp


def cells_at(table: ScoreTable, thresholds: Any) -> Iterator[Cells]:
    """Give the counts at each threshold, O(log n) after the first."""
    totals = int(table.n_positive), int(table.n_negative)
    tp, fp, rows = table.true_positives, table.false_positives, range(len(table))
    for threshold in thresholds:

        def is_below(row: int, threshold: Any = threshold) -> bool:
            return not is_called_positive(table.scores[row : row + 1], threshold)[0]

        n = bisect_left(rows, True, key=is_below)
        yield Cells(int(tp[n - 1]) if n else 0, int(fp[n - 1]) if n else 0, *totals)


def precision_pvalue(cells: Cells, bound: float) -> float:
    """Return P(X >= tp) where the precision is the bound: exact, given how many are called."""
    from scipy.special import betainc

    return float(betainc(cells.tp, cells.fp + 1.0, bound)) if cells.tp else 1.0


def cost_pvalue(cells: Cells, bound: float, prices: Prices, level: float) -> float:
    """Return a p-value of "the mean cost is the bound or more", exact but for sums of doubles.

    The largest over the shares of misses that the data allow at a small part of ``level``, which is
    added (Berger and Boos); the share of false alarms is what is then left of the bound.
    """
    n, misses, alarms = cells.n_positive + cells.n_negative, cells.misses, cells.fp
    if cells.cost(prices) >= n * bound:
        return 1.0
    if prices.fn == prices.fp:
        share = bound / prices.fn
        return _at_most(misses + alarms, n, share) if share < 1.0 else 0.0
    spent = level / _PART_OF_LEVEL
    shares = proportion_limits(misses, n, 1.0 - spent, "clopper-pearson", "two-sided")
    high = min(shares.high, bound / prices.fn)
    pvalues = [
        _cost_at_most(cells, prices, share, (bound - prices.fn * share) / prices.fp)
        for share in np.linspace(min(shares.low, high), high, _SHARES).tolist()
    ]
    return max(pvalues) + spent


def _at_most(k: Any, n: Any, probability: Any) -> Any:
    """Return P(X <= k) of n trials."""
    from scipy.special import betaincc

    return np.where(k >= n, 1.0, betaincc(k + 1.0, np.maximum(n - k, 1), probability))[()]


def _cost_at_most(cells: Cells, prices: Prices, misses: float, alarms: float) -> float:
    """Return how likely these rows cost no more than they do, of shares of both mistakes."""
    from scipy.special import gammaln, xlog1py, xlogy

    n, total = cells.n_positive + cells.n_negative, cells.cost(prices)
    if misses + alarms > 1.0:
        return 0.0  # no population is like this
    reach = 9.0 * math.sqrt(n * misses) + 20.0  # less than 1e-18 is beyond
    most = min(total / prices.fn, n * misses + reach) + _ROUNDING
    k = np.arange(max(0, math.floor(n * misses - reach)), math.floor(min(most, n)) + 1)
    others = np.floor(np.maximum(total - prices.fn * k, 0.0) / prices.fp + _ROUNDING)
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    of_misses = np.exp(ways + xlogy(k, misses) + xlog1py(n - k, -misses))
    return float(of_misses @ _at_most(others, n - k, min(alarms / (1.0 - misses), 1.0)))


Guaranteed = Literal["recall", "false_positive_rate", "precision", "expected_cost"]


class _Promise(NamedTuple):
    """What can be promised: its numerator and denominator on data, and on which side of its bound.

    A promise of a grid is tested at each threshold: a test returns the p-value of "it is broken",
    by the counts, the bound, the prices and the level. A cheaper threshold is preferred for costs.
    """

    of_counts: Callable[[Cells, Prices], tuple[float, int]]
    is_at_most: bool = False
    test: Callable[[Cells, float, Prices, float], float] | None = None
    takes_prices: bool = False


_PROMISES: Final[dict[str, _Promise]] = {
    "recall": _Promise(lambda cells, _: (cells.tp, cells.n_positive)),
    "false_positive_rate": _Promise(lambda cells, _: (cells.fp, cells.n_negative), is_at_most=True),
    "precision": _Promise(
        lambda cells, _: (cells.tp, cells.tp + cells.fp),
        test=lambda cells, bound, *_: precision_pvalue(cells, bound),
    ),
    "expected_cost": _Promise(
        lambda cells, prices: (cells.cost(prices), cells.n_positive + cells.n_negative),
        is_at_most=True,
        test=cost_pvalue,
        takes_prices=True,
    ),
}
#: From how many thresholds of a grid the search starts, each with its share of `delta`.
_STARTS: Final = 10
_NAN = math.nan


@dataclass(frozen=True, slots=True, repr=False)
class GuaranteedThreshold(Result):
    """A threshold, what it promises of new data, and the decision it makes on these.

    Attributes
    ----------
    threshold : int or float
        Call positive what scores at least this; -inf calls everything positive, inf nothing; nan
        where no threshold of the grid can promise it.
    metric : {"recall", "false_positive_rate", "precision", "expected_cost"}
        What is promised.
    bound : float
        That it is at least this (recall, precision), or at most (the other two).
    delta : float
        The probability, over the choice of these rows, that the promise is broken: at most this.
    value : float
        The measure on these data; nan where it is undefined.
    n_samples : int
        How many rows the promise rests on: positives for recall, negatives for the false positive
        rate, those called positive for precision, all for a cost.
    tp, fp, fn, tn : int
        Counts of the decision.
    """

    threshold: float
    metric: Guaranteed
    bound: float
    delta: float
    value: float
    n_samples: int
    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def verdict(self) -> str:
        """What is promised, in words."""
        name, side = self.metric.replace("_", " "), "at least"
        if _PROMISES[self.metric].is_at_most:
            name, side = f"the {name}", "at most"
        kept = f"{name} {side} {self.bound:g}"
        sure = f"{100 * (1 - self.delta):.6g} % sure"
        if math.isnan(self.threshold):
            return f"no threshold is shown to keep {kept}, {sure}"
        decision = f"score >= {self.threshold!r}"
        if math.isinf(self.threshold):
            what = "nothing" if self.threshold > 0.0 else "everything"
            decision = f"only calling {what} positive"
        return (
            f"{decision} keeps {kept} on new rows of this source, {sure}; "
            f"on these it is {self.value:.4g}, {self._price}"
        )

    @property
    def _price(self) -> str:
        """What the promise costs on these rows: false alarms, or positives that are missed."""
        promise = _PROMISES[self.metric]
        if promise.test is None and not promise.is_at_most:  # of the positives
            n = self.fp + self.tn
            return (
                f"with {self.fp:,} false alarms among {n:,} negatives ({100 * self.fp / n:.3g} %)"
            )
        n = self.tp + self.fn
        return f"with {self.fn:,} of {n:,} positives missed ({100 * self.fn / n:.3g} %)"

    def _shown(self) -> Display:
        shown = Result._shown(self)
        return replace(shown, notes=[*shown.notes, f"{self.verdict}."])


@documented(SCORED)
def guaranteed_threshold(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    recall: float | None = None,
    false_positive_rate: float | None = None,
    precision: float | None = None,
    expected_cost: float | None = None,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    delta: float = 0.05,
    grid: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> GuaranteedThreshold:
    """Find the threshold that keeps a promise on new data, but for a probability of `delta`.

    Pass one of `recall`, `false_positive_rate`, `precision` and `expected_cost`.

    Parameters
    ----------
    recall : float, optional
        Least recall of new data, in (0, 1): the highest threshold that promises it.
    false_positive_rate : float, optional
        Largest false positive rate of new data, in (0, 1): the lowest threshold that promises it.
    precision : float, optional
        Least precision of new data, in (0, 1): the lowest threshold of `grid` that promises it.
    expected_cost : float, optional
        Largest mean cost of a new row, at the prices `cost_fn` and `cost_fp`: of the thresholds of
        `grid` that promise it, the one that is the cheapest here.
    cost_fn, cost_fp : float, optional
        What a missed positive and a false alarm cost; with `expected_cost` alone.
    delta : float, default=0.05
        Probability, over the choice of these rows, that the promise is broken, in (0, 1).
    grid : array-like of shape (n_thresholds,), optional
        Thresholds to choose from for `precision` and `expected_cost`, fixed before these data were
        seen. None: for scores in [0, 1] those whose log-odds are 9.0, 8.9, ..., -9.0.

    Returns
    -------
    GuaranteedThreshold
        The threshold, and the decision on these data; `verdict` says what is promised.

    Raises
    ------
    TypeError
        If none or several of the four are given, or a price is missing or has no meaning; if a
        table has weights, of which no promise is known.
    ValueError
        If a number is outside its range, or `grid` is missing and scores leave [0, 1].

    Warns
    -----
    DegenerateDataWarning
        If only calling everything (or nothing) positive can promise it: there are too few rows.
    UndefinedMetricWarning
        If only one class is present, or no threshold of the grid can promise it: nan.

    Notes
    -----
    The threshold that has a recall of 0.95 on these data has less on new data about half of the
    time. The promise here is of the population that the rows were drawn from, independently (no
    groups, no weights), and it is of *this threshold*, not of the procedure on average: of all
    sets of rows of this size, a share of at most `delta` leads to a threshold that breaks it.

    - *Recall* hangs on the scores of positives alone. The k-th lowest of m has a recall of at
      least r with the probability that m draws of probability 1 - r succeed k times or more;
      exact for any distribution, and ties can but help. Below log(delta) / log(r) positives (59
      for 0.95 and 0.05) there is none but -inf.
    - *The false positive rate* likewise, with the k-th highest negative; there ties hurt, so the
      threshold is the next score above it, of either class.
    - *Precision and cost* are not monotonic in the threshold, and are tested on a grid that was
      fixed before: from each of ten starts, spaced evenly, from high to low as long as the
      hypothesis "breaks the promise" is rejected at delta / 10 (all of a grid of ten or fewer are
      starts). Precision by the exact binomial test of the rows called positive; costs by the exact
      test of both mistakes, at the least favourable share of misses that the data allow. All that
      is rejected keeps its promise at once, so that any of it may be chosen.

    In ``docs/coverage/guarantees.md`` promises are simulated. One sort, then O(log n) for a rate or
    a precision, and O(sqrt(n)) for the cost of each threshold of a grid.

    References
    ----------
    Wilks, S. S. (1941). Determination of sample sizes for setting tolerance limits. Annals of
    Mathematical Statistics 12, 91-96.
    Berger, R. L. & Boos, D. D. (1994). P values maximized over a confidence set for the nuisance
    parameter. Journal of the American Statistical Association 89, 1012-1016.
    Angelopoulos, A. N., Bates, S., Candes, E. J., Jordan, M. I. & Lei, L. (2021). Learn then test:
    calibrating predictive algorithms to achieve risk control. arXiv:2110.01052.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 1000)
    >>> s = rng.normal(y)
    >>> found = guaranteed_threshold(y, s, recall=0.9)
    >>> found.tp, found.fn
    (495, 42)
    >>> print(found.verdict)
    score >= -0.28... keeps recall at least 0.9 on new rows of this source, 95 % sure; on these ...
    """
    bounds = (recall, false_positive_rate, precision, expected_cost)
    asked = dict(zip(_PROMISES, bounds, strict=True))
    measure, bound, prices = check_promise(asked, cost_fn, cost_fp)
    promise = _PROMISES[measure]
    delta = check_fraction("delta", delta)
    if grid is not None and promise.test is None:
        raise InputTypeError(f"`grid` has no meaning for `{measure}`: all scores are candidates")
    table = as_table(y_true, y_score, pos_label=pos_label)
    if table.is_weighted:
        raise InputTypeError("a table of weights does not tell how many rows there were")
    if lacks_a_class(table, f"the threshold that guarantees `{measure}`"):
        threshold = _NAN
    elif promise.test is None:
        threshold = _of_rate(table, not promise.is_at_most, bound, delta)
    else:
        thresholds = _checked_grid(grid, table)
        threshold = _of_grid(table, thresholds, measure, bound, prices, delta)
    is_none = math.isnan(threshold)
    (cells,) = cells_at(table, [math.inf if is_none else threshold])
    tp, fp, n_positive, n_negative = cells
    value, n_samples = promise.of_counts(cells, prices)
    return GuaranteedThreshold(
        threshold=threshold,
        metric=measure,
        bound=bound,
        delta=delta,
        value=_NAN if is_none else value / n_samples,
        n_samples=0 if is_none else n_samples,
        tp=tp,
        fp=fp,
        fn=n_positive - tp,
        tn=n_negative - fp,
    )


def check_promise(
    asked: Mapping[str, float | None], cost_fn: Any, cost_fp: Any
) -> tuple[Guaranteed, float, Prices]:
    """Return what is promised, its bound and the prices, or raise."""
    for name in asked:
        check_choice("guarantee", name, get_args(Guaranteed))
    given: list[Any] = [(name, value) for name, value in asked.items() if value is not None]
    if len(given) != 1:
        names = ", ".join(f"`{name}`" for name in get_args(Guaranteed))
        got = " and ".join(f"`{name}`" for name, _ in given) or "none"
        raise InputTypeError(f"pass one of {names}: got {got}")
    ((measure, value),) = given
    takes_prices = _PROMISES[measure].takes_prices
    bound = (check_positive if takes_prices else check_fraction)(measure, value)
    prices = []
    for name, cost in (("cost_fn", cost_fn), ("cost_fp", cost_fp)):
        if takes_prices:
            if cost is None:
                raise InputTypeError(f"`{measure}` needs `{name}`")
            prices.append(check_positive(name, cost))
        elif cost is not None:
            raise InputTypeError(f"`{name}` has no meaning for `{measure}`")
    return measure, bound, Prices(*prices) if prices else Prices(1.0, 1.0)


def _of_rate(table: ScoreTable, is_recall: bool, bound: float, delta: float) -> float:
    """Return the score of the largest rank k with P(X >= k) >= 1 - delta.

    X are the successes of as many trials as the class has rows: of recall the lowest positives, of
    the false positive rate the highest negatives, above which the threshold is.
    """
    from scipy.special import betaincc

    counts = table.positives[::-1] if is_recall else table.negatives
    n, share = int(counts.sum()), 1.0 - bound if is_recall else bound
    # P(X < k) = 1 - I(k, n - k + 1), which rises with k
    ranks = range(1, n + 1)
    rank = bisect_left(ranks, True, key=lambda k: betaincc(k, n - k + 1.0, share) > delta)
    if rank == 0:
        all_or_none, kind = ("everything", "positive") if is_recall else ("nothing", "negative")
        needed = math.log(delta) / (math.log(bound) if is_recall else math.log1p(-bound))
        warn_user(
            f"only calling {all_or_none} positive is sure to keep the promise: other thresholds "
            f"need {math.ceil(needed):,} {kind} rows or more",
            DegenerateDataWarning,
        )
        return -math.inf if is_recall else math.inf
    row = int(np.searchsorted(np.cumsum(counts), rank))
    if not is_recall and row == 0:
        return math.inf
    found: float = table.scores[len(table) - 1 - row if is_recall else row - 1].item()
    return found


# --- grids: Learn then Test -----------------------------------------------------------------------


def _checked_grid(grid: ArrayLike | None, table: ScoreTable) -> NDArray[Any]:
    """Return thresholds, each once, from high to low: those given, or some of log-odds."""
    if grid is None:
        if table.scores[0] > 1 or table.scores[-1] < 0:
            raise InputError(
                "scores leave [0, 1]: pass `guaranteed_threshold` a `grid`, thresholds that were "
                "fixed before these data were seen"
            )
        return np.asarray(1.0 / (1.0 + np.exp(-np.linspace(9.0, -9.0, 181))))
    with renamed(y_score="grid"):
        thresholds = check_scores_array(grid, allow_inf=True)
    if not len(thresholds):
        raise InputError("`grid` is empty: it needs a threshold at least")
    return np.unique(thresholds)[::-1]


def _of_grid(
    table: ScoreTable,
    thresholds: NDArray[Any],
    measure: Guaranteed,
    bound: float,
    prices: Prices,
    delta: float,
) -> float:
    """Return the threshold that is chosen from those whose breaking the promise is rejected."""
    values = thresholds.tolist()
    cells = list(cells_at(table, values))
    promise, n_starts = _PROMISES[measure], min(_STARTS, len(values))
    level, kept = delta / n_starts, set[int]()
    for start in range(n_starts):
        at = start * len(values) // n_starts
        while at < len(values) and at not in kept:
            if promise.test and promise.test(cells[at], bound, prices, level) > level:
                break
            kept.add(at)
            at += 1
    if not kept:
        warn_user(
            f"no threshold of the grid is shown to keep `{measure}` to {bound:g}",
            UndefinedMetricWarning,
        )
        return _NAN
    if promise.takes_prices:
        return float(values[min(sorted(kept), key=lambda at: cells[at].cost(prices))])
    return float(values[max(kept)])
