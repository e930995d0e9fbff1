"""``compare_timings``: whether a change made anything slower, by more than a margin."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._input.scalars import (
    Alternative,
    check_choice,
    check_decision_level,
    check_integer,
    check_positive,
    check_real,
    complement,
)
from fastmetrics._results import ConfidenceInterval, OneNumber, Result
from fastmetrics.comparison.samples._differences import check_numbers
from fastmetrics.errors import InputError, InputTypeError, no_such
from fastmetrics.inference._pvalues import Moments, holm, moments
from fastmetrics.inference.reference import critical_value, difference_test

Decision = Literal["worse", "not worse", "undecided"]

#: What a process ends with that asked: 2 is a wrong question.
_STATUS: Final[dict[Decision, int]] = {"not worse": 0, "worse": 1, "undecided": 3}
#: More than so many times the rounds made is no plan.
_MOST_TIMES: Final = 10_000
_SIDES: Final[tuple[Alternative, ...]] = ("greater", "less")
_UNPAIRED: Final = (
    "The rounds of one run share one state of the machine, and are not independent of it: what is "
    "shown is that these two runs differ, or do not. To say it of the code, take both in turns."
)


@dataclass(frozen=True, slots=True, repr=False)
class TimingRatio(OneNumber):
    """How much longer one piece of work takes than before.

    Attributes
    ----------
    name : str
        Of the work.
    estimate : float
        Time after over time before: the ratio of geometric means.
    confidence_interval : ConfidenceInterval
        Of the ratio, which leaves twice as much outside as a decision; nan where one round has
        no variance.
    standard_error : float
        Of the ratio.
    decision : {"worse", "not worse", "undecided"}
        Whether the time grew by more than the margin.
    pvalue_worse : float
        That it did not, adjusted by Holm for the number of works.
    pvalue_not_worse : float
        That it did.
    n_before, n_after : int
        Rounds.
    more_rounds : int or None
        About how many more rounds would decide, if ratio and spread stay as they are; 0 where it
        is decided, None where no number of rounds would do.
    """

    name: str
    estimate: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    decision: Decision
    pvalue_worse: float
    pvalue_not_worse: float
    n_before: int
    n_after: int
    more_rounds: int | None


@dataclass(frozen=True, slots=True, repr=False)
class TimingComparison(Result):
    """What became slower, of several works timed before and after a change.

    Attributes
    ----------
    rows : tuple of TimingRatio
        One for each work; ``comparison["name"]`` is that of a name.
    margin : float
        The largest growth that does not matter: 0.05 is 5 %.
    confidence_level : float
        Level of the decisions.
    paired : bool
        Whether the rounds were taken in turns.
    """

    rows: tuple[TimingRatio, ...]
    margin: float
    confidence_level: float
    paired: bool

    @property
    def decision(self) -> Decision:
        """Of all: "worse" if one is, "not worse" if all are."""
        found = {row.decision for row in self.rows}
        return "worse" if "worse" in found else "undecided" if "undecided" in found else "not worse"

    @property
    def exit_status(self) -> int:
        """What a process ends with to say so: 0 not worse, 1 worse, 3 undecided."""
        return _STATUS[self.decision]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[TimingRatio]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> TimingRatio:
        for row in self.rows:
            if row.name == name:
                return row
        raise no_such(name, "works", (row.name for row in self.rows))

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(named)} {decision}" for decision, named in self._named().items())
        return f"TimingComparison({self.decision}: {counts}, margin {self.margin:g})"

    def _named(self) -> dict[Decision, list[str]]:
        return {
            decision: [row.name for row in self.rows if row.decision == decision]
            for decision in _STATUS
        }

    def _shown(self) -> Display:
        columns = ("name", "estimate", "confidence_interval", "decision", "more_rounds")
        hidden = ("standard_error", "pvalue_worse", "pvalue_not_worse", "n_before", "n_after")
        table = Table.of(
            self.rows,
            (*columns, *hidden),
            words={"name": "work", "estimate": "after / before"},
            level=complement(2 * complement(self.confidence_level)),
            most=len(self.rows),
            unseen=hidden,
        )
        counts = "; ".join(f"{len(named)} {decision}" for decision, named in self._named().items())
        notes = [
            f"Margin {self.margin:.3g}: {counts}. All together: {self.decision}. The chance of "
            f"calling any of them worse that is not is at most "
            f"{complement(self.confidence_level):g}."
        ]
        if not self.paired:
            notes.append(_UNPAIRED)
        return Display([table], "Times after a change, over those before", notes)


class _Change(NamedTuple):
    """The change of the logarithm of a time."""

    name: str
    mean: float
    standard_error: float
    df: float
    n_before: int
    n_after: int


def compare_timings(
    before: Mapping[str, ArrayLike],
    after: Mapping[str, ArrayLike],
    *,
    margin: float = 0.05,
    paired: bool,
    confidence_level: float = 0.95,
) -> TimingComparison:
    """Decide of each of several works whether it takes longer than before by more than a margin.

    Parameters
    ----------
    before, after : mapping from str to array-like of shape (n,)
        Of each work, by name, the seconds (or any unit) of each round; both have the same names.
    margin : float, default=0.05
        The largest growth that does not matter, above 0; choose it before you look.
    paired : bool
        Whether round i of `before` and round i of `after` were taken next to one another, in
        turns: then their ratios count. False where one run came after the other, as two runs of
        pytest-benchmark do: then means are compared, and what was different about the machine
        between the two runs looks like a change.
    confidence_level : float, default=0.95
        Chance of calling any work worse that is not, and that of calling all of them not worse
        where one is.

    Returns
    -------
    TimingComparison
        Ratio, interval and decision of each work, and how many more rounds would decide.

    Raises
    ------
    TypeError
        If `before` or `after` is no mapping of names to numbers.
    ValueError
        If there are no works or their names differ, a time is not above 0, paired rounds differ in
        number, or an option is out of range.

    Notes
    -----
    O(n). Times are compared by their logarithms: Student's t of the differences, or Welch's of two
    runs. "Worse" are works whose ratio is above 1 + margin by a one-sided test, adjusted by Holm
    for their number; "not worse" those whose ratio is below it by the other one, each at its level,
    since all of them must be for the whole to be (Berger's intersection-union test).

    Rounds must be independent. Those of one process share its memory layout, which alone can make
    one of two equal programs faster by some per cent: take a new process for each round.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65-70. Berger (1982), Technometrics
    24:295-300. Kalibera & Jones (2013), Rigorous benchmarking in reasonable time, ISMM.

    Examples
    --------
    >>> before = {"sort": [1.00, 1.02, 0.99, 1.01], "load": [2.0, 2.1, 1.9, 2.0]}
    >>> after = {"sort": [1.21, 1.22, 1.18, 1.20], "load": [2.0, 2.1, 1.9, 2.0]}
    >>> compared = compare_timings(before, after, paired=True)
    >>> compared
    TimingComparison(worse: 1 not worse, 1 worse, 0 undecided, margin 0.05)
    >>> compared["sort"].decision, round(compared["sort"].estimate, 3)
    ('worse', 1.197)
    """
    is_paired = check_choice("paired", paired, (True, False))
    old, new = _works(before, "before"), _works(after, "after")
    if old.keys() != new.keys():
        lone = sorted(old.keys() ^ new.keys())
        raise InputError(
            f"`before` and `after` must have the same names: {lone[0]!r} is in one of them only, "
            f"{len(lone)} in all"
        )
    find = _paired if is_paired else _unpaired
    changes = [find(name, old[name], new[name]) for name in old]
    return decided(changes, margin, confidence_level, is_paired)


def log_moments(times: Any, name: str) -> Moments:
    """Return mean and deviation of the logarithms of times."""
    return moments(_logarithms(times, name))


def log_moments_of_summary(mean: float, deviation: float, n_rounds: int, name: str) -> Moments:
    """Return what `log_moments` does, to first order, where only a summary was kept."""
    size = check_positive(f"mean of {name}", mean)
    count = check_integer(f"rounds of {name}", n_rounds, low=1)
    spread = check_real(f"stddev of {name}", deviation) if count > 1 else math.nan
    if spread < 0:
        raise InputError(f"`stddev of {name}` must not be below 0: got {spread:g}")
    return Moments(count, math.log(size), spread / size)


def unpaired_change(name: str, before: Moments, after: Moments) -> _Change:
    """Return the change of two runs from the moments of their logarithms (Welch)."""
    both = before, after
    parts = [each.deviation**2 / each.n for each in both]  # nan of one round
    variance = sum(parts)
    df = float(before.n + after.n - 2)
    if variance > 0:
        df = variance**2 / sum(
            part**2 / (each.n - 1) for part, each in zip(parts, both, strict=True)
        )
    return _Change(name, after.mean - before.mean, math.sqrt(variance), df, before.n, after.n)


def decided(
    changes: list[_Change], margin: float, confidence_level: float, paired: bool
) -> TimingComparison:
    """Return the decisions on changes of the logarithms of times."""
    width = check_positive("margin", margin)
    level = check_decision_level(confidence_level)
    bound = math.log1p(width)
    above, below = (
        [
            difference_test(each.mean - bound, each.standard_error, each.df, 1 - level, side).pvalue
            for each in changes
        ]
        for side in _SIDES
    )
    rows = []
    for change, worse, not_worse in zip(changes, holm(above), below, strict=True):
        decision: Decision = (
            "worse" if worse <= level else "not worse" if not_worse <= level else "undecided"
        )
        more: int | None = 0
        if decision == "undecided":
            more = _more_rounds(change, bound, level if change.mean < bound else level / len(below))
        rows.append(
            TimingRatio(
                name=change.name,
                estimate=math.exp(change.mean),
                confidence_interval=_interval(change, level),
                standard_error=math.exp(change.mean) * change.standard_error,
                decision=decision,
                pvalue_worse=worse,
                pvalue_not_worse=not_worse,
                n_before=change.n_before,
                n_after=change.n_after,
                more_rounds=more,
            )
        )
    return TimingComparison(tuple(rows), width, complement(level), paired)


def _works(times: Any, name: str) -> dict[str, NDArray[np.float64]]:
    """Return the logarithms of the times of each work."""
    if not isinstance(times, Mapping):
        raise InputTypeError(
            f"`{name}` must map the names of works to times: got {type(times).__name__}"
        )
    if not times:
        raise InputError(f"`{name}` is empty: there is no work to compare")
    return {str(work): _logarithms(values, f"{name}[{work!r}]") for work, values in times.items()}


def _logarithms(times: Any, name: str) -> NDArray[np.float64]:
    numbers = check_numbers(times, name)
    wrong = np.flatnonzero(numbers <= 0)
    if len(wrong):
        at = int(wrong[0])
        raise InputError(f"`{name}` must be above 0: got {numbers[at]:g} at index {at}")
    return np.log(numbers)


def _paired(name: str, before: NDArray[np.float64], after: NDArray[np.float64]) -> _Change:
    if len(before) != len(after):
        raise InputError(
            f"paired rounds must be as many: of {name!r}, `before` has {len(before)} and `after` "
            f"{len(after)}"
        )
    found = moments(after - before)
    error = found.deviation / math.sqrt(found.n)
    return _Change(name, found.mean, error, float(found.n - 1), found.n, found.n)


def _unpaired(name: str, before: NDArray[np.float64], after: NDArray[np.float64]) -> _Change:
    return unpaired_change(name, moments(before), moments(after))


def _interval(change: _Change, alpha: float) -> ConfidenceInterval:
    if math.isnan(change.standard_error):
        return ConfidenceInterval(math.nan, math.nan)
    half = critical_value(change.df, alpha, "greater") * change.standard_error
    return ConfidenceInterval(math.exp(change.mean - half), math.exp(change.mean + half))


def _more_rounds(change: _Change, bound: float, alpha: float) -> int | None:
    """Return how many more rounds the longer run needs, the other one growing with it."""
    distance, n = abs(change.mean - bound), max(change.n_before, change.n_after)

    def decides(rounds: int) -> bool:
        growth = rounds / n
        error = change.standard_error / math.sqrt(growth)
        df = (change.df + 1) * growth - 1
        return critical_value(df, alpha, "greater") * error <= distance

    high = 2 * n
    while not decides(high):  # nan never does
        high *= 2
        if high > _MOST_TIMES * n:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high - n
