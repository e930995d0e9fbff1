"""Thresholds that keep a promise on new data, with a stated probability."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display
from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_fraction
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
from fastmetrics.metrics._metric import Metric
from fastmetrics.metrics.asking import find
from fastmetrics.tables.score_table import (
    SCORED,
    ScoreTable,
    as_table,
    is_called_positive,
    lacks_a_class,
)

#: What can be promised: proportions of counts, as their entries of the registry say.
_PROMISED: Final = tuple("recall false_positive_rate precision".split())
#: From how many thresholds of a grid the search starts, each with its share of `delta`.
_STARTS: Final = 10
_NAN = math.nan


def counts_at(table: ScoreTable, thresholds: Any) -> Iterator[dict[str, int]]:
    """Give the counts of the decision at each threshold, O(log n) after the first."""
    columns = table.true_positives, table.false_positives
    for threshold in thresholds:

        def is_below(row: int, threshold: Any = threshold) -> bool:
            return not is_called_positive(table.scores[row : row + 1], threshold)[0]

        n = bisect_left(range(len(table)), True, key=is_below)
        tp, fp = (int(sums[n - 1]) if n else 0 for sums in columns)
        fn = int(table.n_positive) - tp
        yield {"tp": tp, "fp": fp, "fn": fn, "tn": int(table.n_negative) - fp}


def _hits_and_others(entry: Metric, counts: Mapping[str, int]) -> tuple[int, int]:
    """Return the successes and failures of which a metric is the proportion."""
    successes, failures = entry.interval.arguments  # type: ignore[union-attr]
    return counts[successes], counts[failures]


@dataclass(frozen=True, slots=True, repr=False)
class GuaranteedThreshold(Result):
    """A threshold, what it promises of new data, and the decision it makes on these.

    Attributes
    ----------
    threshold : int or float
        Call positive what scores at least this; -inf calls everything positive, inf nothing; nan
        where no threshold of the grid can promise it.
    metric : {"recall", "false_positive_rate", "precision"}
        What is promised.
    bound : float
        That it is at least this; of the false positive rate, at most.
    delta : float
        The probability, over the choice of these rows, that the promise is broken: at most this.
    value : float
        The metric on these data; nan where it is undefined.
    n_samples : int
        How many rows the promise rests on: positives for recall, negatives for the false positive
        rate, those called positive for precision.
    tp, fp, fn, tn : int
        Counts of the decision.
    """

    threshold: float
    metric: str
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
        """The guarantee in words, with the value and the price on these rows."""
        is_upper = find(self.metric).higher_is_better is False
        name = ("the " if is_upper else "") + self.metric.replace("_", " ")
        side = "at most" if is_upper else "at least"
        sure = f"with {100 * (1 - self.delta):.6g} % confidence"
        if math.isnan(self.threshold):
            return f"no threshold keeps {name} {side} {self.bound:g} on new data {sure}"
        decision = f"at score >= {self.threshold!r}"
        if math.isinf(self.threshold):
            decision = f"where {'nothing' if self.threshold > 0.0 else 'everything'} is positive"
        return (
            f"{name} on new data is {side} {self.bound:g}, {sure}, {decision}; "
            f"here it is {self.value:.4g}, {self._price}"
        )

    @property
    def _price(self) -> str:
        """The price on these rows: false alarms, or missed positives."""
        entry = find(self.metric)
        if entry.is_free_of_prevalence and entry.higher_is_better:  # of the positives
            n = self.fp + self.tn
            return (
                f"with {self.fp:,} false alarms among {n:,} negatives ({100 * self.fp / n:.3g} %)"
            )
        n = self.tp + self.fn
        return f"with {self.fn:,} of {n:,} positives missed ({100 * self.fn / n:.3g} %)"

    def _display(self) -> Display:
        display = Result._display(self)
        return replace(display, notes=[*display.notes, f"{self.verdict}."])


@documented(SCORED)
def guaranteed_threshold(
    y_true: ArrayLike | ScoreTable,
    y_score: ArrayLike | None = None,
    *,
    recall: float | None = None,
    false_positive_rate: float | None = None,
    precision: float | None = None,
    delta: float = 0.05,
    grid: ArrayLike | None = None,
    pos_label: Any = None,
    n_threads: int | None = None,
) -> GuaranteedThreshold:
    """Find the threshold that keeps a promise on new data, but for a probability of `delta`.

    Pass one of `recall`, `false_positive_rate` and `precision`.

    Parameters
    ----------
    recall : float, optional
        Least recall of new data, in (0, 1): the highest threshold that promises it.
    false_positive_rate : float, optional
        Largest false positive rate of new data, in (0, 1): the lowest threshold that promises it.
    precision : float, optional
        Least precision of new data, in (0, 1): the lowest threshold of `grid` that promises it.
    delta : float, default=0.05
        Probability, over the choice of these rows, that the promise is broken, in (0, 1).
    grid : array-like of shape (n_thresholds,), optional
        Thresholds to choose from for `precision`, fixed before these data were seen. None: for
        scores in [0, 1] those whose log-odds are 9.0, 8.9, ..., -9.0.

    Returns
    -------
    GuaranteedThreshold
        The threshold, and the decision on these data; `verdict` says what is promised.

    Raises
    ------
    TypeError
        If none or several of the three are given; if a table has weights, of which no promise is
        known.
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
    - *Precision* is not monotonic in the threshold, and is tested on a grid that was fixed before:
      from each of ten starts, spaced evenly, from high to low as long as the hypothesis "breaks the
      promise" is rejected at delta / 10 (all of a grid of ten or fewer are starts), by the exact
      binomial test of the rows called positive. All that is rejected keeps its promise at once, so
      that any of it may be chosen.

    In ``docs/coverage/guarantees.md`` promises are simulated. One sort, then O(log n) for each
    threshold.

    References
    ----------
    Wilks, S. S. (1941). Determination of sample sizes for setting tolerance limits. Annals of
    Mathematical Statistics 12, 91-96.
    Angelopoulos, A. N., Bates, S., Candes, E. J., Jordan, M. I. & Lei, L. (2021). Learn then test:
    calibrating predictive algorithms to achieve risk control. arXiv:2110.01052.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 1000)
    >>> s = rng.normal(y)
    >>> result = guaranteed_threshold(y, s, recall=0.9)
    >>> result.tp, result.fn
    (495, 42)
    >>> print(result.verdict)
    recall on new data is at least 0.9, with 95 % confidence, at score >= -0.28...; here it is ...
    """
    entry, bound = check_promise(
        dict(zip(_PROMISED, (recall, false_positive_rate, precision), strict=True))
    )
    delta = check_fraction("delta", delta)
    if grid is not None and entry.is_free_of_prevalence:
        raise InputTypeError(f"`grid` has no meaning for `{entry.name}`: all scores are candidates")
    table = as_table(y_true, y_score, pos_label=pos_label)
    if table.is_weighted:
        raise InputTypeError("a table of weights does not tell how many rows there were")
    if lacks_a_class(table, f"the threshold that guarantees `{entry.name}`"):
        threshold = _NAN
    elif entry.is_free_of_prevalence:
        threshold = _rate_threshold(table, bool(entry.higher_is_better), bound, delta)
    else:
        threshold = _grid_threshold(table, _parse_grid(grid, table), entry, bound, delta)
    is_none = math.isnan(threshold)
    (counts,) = counts_at(table, [math.inf if is_none else threshold])
    hits, others = _hits_and_others(entry, counts)
    return GuaranteedThreshold(
        threshold=threshold,
        metric=entry.name,
        bound=bound,
        delta=delta,
        value=_NAN if is_none else hits / (hits + others),
        n_samples=0 if is_none else hits + others,
        **counts,
    )


def check_promise(bounds: Mapping[str, float | None]) -> tuple[Metric, float]:
    """Return the metric that has a bound, and the bound; raise unless exactly one has."""
    for name in bounds:
        check_choice("guarantee", name, _PROMISED)
    given = [(name, value) for name, value in bounds.items() if value is not None]
    if len(given) != 1:
        names = ", ".join(f"`{name}`" for name in _PROMISED)
        got = " and ".join(f"`{name}`" for name, _ in given) or "none"
        raise InputTypeError(f"pass one of {names}: got {got}")
    ((name, value),) = given
    return find(name), check_fraction(name, value)


def _rate_threshold(table: ScoreTable, is_recall: bool, bound: float, delta: float) -> float:
    """Return the score of the largest rank k with P(X >= k) >= 1 - delta.

    X is binomial over the rows of the class, ranked from the lowest positive for recall, from the
    highest negative for the false positive rate; there the threshold is one score above.
    """
    from scipy.special import betaincc

    counts = table.positives[::-1] if is_recall else table.negatives
    n = int(counts.sum())
    rate = 1.0 - bound if is_recall else bound
    # P(X < k) = 1 - I(k, n - k + 1), which rises with k
    rank = bisect_left(range(1, n + 1), True, key=lambda k: betaincc(k, n - k + 1.0, rate) > delta)
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
    threshold: float = table.scores[len(table) - 1 - row if is_recall else row - 1].item()
    return threshold


def _parse_grid(grid: ArrayLike | None, table: ScoreTable) -> NDArray[Any]:
    """Return unique thresholds, descending: the given ones, or 181 evenly spaced log-odds."""
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


def _grid_threshold(
    table: ScoreTable, thresholds: NDArray[Any], entry: Metric, bound: float, delta: float
) -> float:
    """Return the lowest threshold for which a binomial test rejects that the bound is broken."""
    from scipy.special import betainc

    values = thresholds.tolist()
    sizes = [_hits_and_others(entry, counts) for counts in counts_at(table, values)]
    n_starts = min(_STARTS, len(values))
    kept: set[int] = set()
    for start in range(n_starts):
        at = start * len(values) // n_starts
        while at < len(values) and at not in kept:
            hits, others = sizes[at]
            # P(X >= hits) where the metric is the bound, given how many are called
            if not hits or betainc(hits, others + 1.0, bound) > delta / n_starts:
                break
            kept.add(at)
            at += 1
    if not kept:
        warn_user(
            f"no threshold of the grid is shown to keep `{entry.name}` to {bound:g}",
            UndefinedMetricWarning,
        )
        return _NAN
    return float(values[max(kept)])
