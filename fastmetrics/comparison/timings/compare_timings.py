"""``compare_timings``: whether a change made anything slower, by more than a margin; its plans."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._input.containers import names_of
from fastmetrics._input.scalars import (
    Alternative,
    check_choice,
    check_decision_level,
    check_flag,
    check_positive,
    complement,
)
from fastmetrics._results import ConfidenceInterval
from fastmetrics.comparison._differences import check_numbers
from fastmetrics.comparison.timings.files import TimingRun, check_environments
from fastmetrics.comparison.timings.timings_result import (
    Correction,
    Decision,
    PooledRatio,
    TimingComparison,
    TimingRatio,
)
from fastmetrics.errors import InputError, InputTypeError
from fastmetrics.inference._pvalues import adjusted, moments
from fastmetrics.inference.reference import critical_value, difference_test

#: The rounds of each work in one run.
Run = Mapping[str, ArrayLike] | TimingRun

#: More than so many times the rounds made is no plan.
_MOST_TIMES: Final = 10_000
#: Sign flips of an A/A run.
FLIPS: Final = 10_000
_NAMES: Final = ("before", "after")
_SIDES: Final[tuple[Alternative, ...]] = ("greater", "less")


class _Change(NamedTuple):
    """The change of the logarithm of a time."""

    name: str
    mean: float
    standard_error: float
    df: float
    n_before: int
    n_after: int


def compare_timings(
    before: Run | Sequence[Run],
    after: Run | Sequence[Run],
    *,
    margin: float | Mapping[str, float] = 0.05,
    paired: bool = False,
    single_run: bool = False,
    correction: Correction = "holm",
    allow_different: Iterable[str] = (),
    confidence_level: float = 0.95,
) -> TimingComparison:
    """Decide of each of several works whether it takes longer than before by more than a margin.

    Parameters
    ----------
    before, after : sequence of mapping from str to array-like of shape (n,), or one mapping
        The runs of each side. A run has the seconds (or any unit) of the rounds of each work, by
        name; all have the same names. `read_timings` reads them from files.
    margin : float or mapping of str to float, default=0.05
        The largest growth that does not matter, above 0; choose it before you look. A mapping has
        the margins of names, or of patterns as ``"sort*"``, the first that fits; ``"*"`` fits all.
    paired : bool, default=False
        Whether run i of `before` and run i of `after` were taken next to one another, in turns:
        then their ratios count, and a slower phase of the machine meets both.
    single_run : bool, default=False
        Of one run a side: take its rounds for what varies. What was different about the machine
        between the two runs then looks like a change; without it nothing is decided.
    correction : {"holm", "fdr"}, default="holm"
        "holm" bounds the chance of calling any work worse that is not, "fdr" (Benjamini and
        Hochberg) the share of such works among those that are called worse.
    allow_different : iterable of str, optional
        What files may tell otherwise of machine, processor, interpreter and versions: names as the
        error has them, or "all".
    confidence_level : float, default=0.95
        Chance of calling any work worse that is not, and that of calling all of them not worse
        where one is.

    Returns
    -------
    TimingComparison
        Ratio, interval and decision of each work, how many more runs would decide, and the
        smallest growth that these runs would show.

    Raises
    ------
    TypeError
        If `before` or `after` holds no mappings of names to numbers.
    ValueError
        If there are no works or their names differ, a time is not above 0, paired runs differ in
        number, files were taken in different places, or an option is out of range.

    Notes
    -----
    O(n). **Runs are the units**: the rounds of one run share its machine state and its memory
    layout, which alone can make one of two equal programs faster by some per cent, so that a
    hundred rounds of two runs say of the runs that they differ, not of the code. Each run is
    reduced to the mean of the logarithms of its rounds; those are compared by Student's t of the
    differences, or Welch's of two samples. "Worse" are works whose ratio is above
    1 + margin by a one-sided test, adjusted; "not worse" those whose ratio is below it by the other
    one, each at its level, since all of them must be for the whole to be (Berger's
    intersection-union test).

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65-70. Benjamini & Hochberg (1995), Journal
    of the Royal Statistical Society B 57:289-300. Berger (1982), Technometrics 24:295-300. Kalibera
    & Jones (2013), Rigorous benchmarking in reasonable time, ISMM.

    Examples
    --------
    >>> before = [{"sort": [1.00, 1.02], "load": [2.0]}, {"sort": [0.99], "load": [2.1]},
    ...           {"sort": [1.01], "load": [1.9]}]
    >>> after = [{"sort": [1.21, 1.22], "load": [2.0]}, {"sort": [1.18], "load": [2.1]},
    ...          {"sort": [1.20], "load": [1.9]}]
    >>> compared = compare_timings(before, after, paired=True)
    >>> compared
    TimingComparison(worse: 1 not worse, 1 worse, 0 undecided)
    >>> compared["sort"].decision, round(compared["sort"].estimate, 3)
    ('worse', 1.194)
    """
    is_paired = check_choice("paired", paired, (True, False))
    by_round = check_flag("single_run", single_run)
    check_choice("correction", correction, get_args(Correction))
    sides = [_runs(before, "before"), _runs(after, "after")]
    allowed = [allow_different] if isinstance(allow_different, str) else list(allow_different)
    check_environments(sides, allowed)
    old, new = (
        [_works(run, name) for run in side] for side, name in zip(sides, _NAMES, strict=True)
    )
    for name, side in zip(_NAMES, (old, new), strict=True):
        for run in side:
            if run.keys() != old[0].keys():
                lone = sorted(run.keys() ^ old[0].keys())
                raise InputError(
                    f"all runs must have the same names: {lone[0]!r} is not in every one, "
                    f"`{name}` and `before` differ in {len(lone)}"
                )
    if by_round and (len(old), len(new)) != (1, 1):
        raise InputError(f"`single_run` is of one run a side: got {len(old)} and {len(new)}")
    find = _paired if is_paired else _unpaired
    values = [
        {name: side[0][name] if by_round else _means(side, name) for name in old[0]}
        for side in (old, new)
    ]
    changes = [find(name, *(each[name] for each in values)) for name in old[0]]
    together = [np.mean([_means(side, name) for name in old[0]], axis=0) for side in (old, new)]
    pooled = _sum_of(changes) if by_round else find("all", *together)
    level = check_decision_level(confidence_level)
    margins = [_margin_of(each.name, margin) for each in changes]
    rows = _decided(changes, margins, level, correction)
    ratio = math.exp(pooled.mean)
    whole = PooledRatio(
        ratio, _interval(pooled, level), ratio * pooled.standard_error, len(changes)
    )
    units: Literal["runs", "rounds"] = "rounds" if by_round else "runs"
    return TimingComparison(rows, whole, complement(level), correction, is_paired, units)


def _runs(given: Any, name: str) -> list[Any]:
    """Return the runs of one side."""
    runs = [given] if isinstance(given, Mapping | TimingRun) else given
    if isinstance(runs, str) or not isinstance(runs, Sequence):
        kind = type(given).__name__
        raise InputTypeError(
            f"`{name}` must map the names of works to times, or hold runs: got {kind}"
        )
    if not runs:
        raise InputError(f"`{name}` is empty: there is no run to compare")
    return list(runs)


def _means(runs: Sequence[Mapping[str, NDArray[np.float64]]], name: str) -> NDArray[np.float64]:
    """Return the mean logarithm of a work in each run."""
    return np.array([float(np.mean(run[name])) for run in runs])


def _sum_of(changes: list[_Change]) -> _Change:
    """Return the mean change of works, whose rounds are taken for independent."""
    k = len(changes)
    mean = sum(each.mean for each in changes) / k
    parts = [each.standard_error**2 / k**2 for each in changes]
    fourth = sum(part**2 / each.df for part, each in zip(parts, changes, strict=True) if each.df)
    df = sum(parts) ** 2 / fourth if fourth > 0 else math.nan
    n = changes[0]
    return _Change("all", mean, math.sqrt(sum(parts)), df, n.n_before, n.n_after)


def _margin_of(name: str, margin: Any) -> float:
    """Return the margin of a work."""
    if not isinstance(margin, Mapping):
        return check_positive("margin", margin)
    for pattern, value in margin.items():
        if fnmatchcase(name, str(pattern)):
            return check_positive(f"margin of {pattern!r}", value)
    raise InputError(f"`margin` has none of {name!r}: name it, or '*' for all others")


def _decided(
    changes: list[_Change], margins: list[float], alpha: float, correction: Correction
) -> tuple[TimingRatio, ...]:
    """Return the decisions on changes of the logarithms of times."""
    bounds = list(map(math.log1p, margins))
    above, below = (
        [
            difference_test(each.mean - bound, each.standard_error, each.df, 1 - alpha, side).pvalue
            for each, bound in zip(changes, bounds, strict=True)
        ]
        for side in _SIDES
    )
    rows = []
    of_worse = adjusted(np.array(above), "holm" if correction == "holm" else "benjamini-hochberg")
    for k, change in enumerate(changes):
        decision: Decision = (
            "worse" if of_worse[k] <= alpha else "not worse" if below[k] <= alpha else "undecided"
        )
        own = alpha / len(changes)
        needed: int | None = 0
        if decision == "undecided":
            needed = _more_needed(change, bounds[k], alpha if change.mean < bounds[k] else own)
        rows.append(
            TimingRatio(
                name=change.name,
                estimate=math.exp(change.mean),
                confidence_interval=_interval(change, alpha),
                standard_error=math.exp(change.mean) * change.standard_error,
                decision=decision,
                pvalue_worse=float(of_worse[k]),
                pvalue_not_worse=below[k],
                n_before=change.n_before,
                n_after=change.n_after,
                margin=margins[k],
                more_needed=needed,
                detectable=_detectable(change, bounds[k], own),
            )
        )
    return tuple(rows)


def _detectable(change: _Change, bound: float, alpha: float) -> float:
    """Return the growth that is called worse, alone, in four of five tries."""
    if not change.standard_error >= 0.0:
        return math.nan
    beyond = critical_value(change.df, alpha, "greater") + critical_value(change.df, 0.2, "greater")
    return math.expm1(bound + beyond * change.standard_error)


def _works(times: Any, name: str) -> dict[str, NDArray[np.float64]]:
    """Return the logarithms of the times of each work."""
    times = times.rounds if isinstance(times, TimingRun) else times
    if not isinstance(times, Mapping):
        raise InputTypeError(
            f"`{name}` must map the names of works to times: got {type(times).__name__}"
        )
    if not times:
        raise InputError(f"`{name}` is empty: there is no work to compare")
    works = zip(names_of(times, name, "works"), times.items(), strict=True)
    return {work: _logarithms(values, f"{name}[{key!r}]") for work, (key, values) in works}


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
            f"what is paired must be as many: of {name!r}, `before` has {len(before)} and `after` "
            f"{len(after)}"
        )
    found = moments(after - before)
    error = found.deviation / math.sqrt(found.n)
    return _Change(name, found.mean, error, float(found.n - 1), found.n, found.n)


def _unpaired(name: str, before: NDArray[np.float64], after: NDArray[np.float64]) -> _Change:
    """Return the change of means by Welch's test."""
    both = moments(before), moments(after)
    parts = [each.deviation**2 / each.n for each in both]  # nan of one run
    variance = sum(parts)
    df = float(both[0].n + both[1].n - 2)
    if variance > 0:
        df = variance**2 / sum(
            part**2 / (each.n - 1) for part, each in zip(parts, both, strict=True)
        )
    error = math.sqrt(variance)
    return _Change(name, both[1].mean - both[0].mean, error, df, both[0].n, both[1].n)


def _interval(change: _Change, alpha: float) -> ConfidenceInterval:
    half = critical_value(change.df, alpha, "greater") * change.standard_error
    return ConfidenceInterval(math.exp(change.mean - half), math.exp(change.mean + half))


def _more_needed(change: _Change, bound: float, alpha: float) -> int | None:
    """Return how many more runs the longer side needs, the other one growing with it."""
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
    low = high // 2 + 1
    return low + bisect_left(range(low, high), True, key=decides) - n


class Plan(NamedTuple):
    """After how many rounds one looks, and the level of each look, of which all share the error."""

    looks: tuple[int, ...]
    level: float


def plan_of(rounds: int | None, most: int, confidence_level: float) -> Plan:
    """Return the plan of so many rounds; of None one that looks at a quarter, a half, and all."""
    if rounds is not None:
        return Plan((rounds,), confidence_level)
    looks = tuple(sorted({max(2, -(-most // 4)), max(2, -(-most // 2)), most}))
    return Plan(looks, complement(complement(confidence_level) / len(looks)))


def moved(before: Sequence[TimingRun], after: Sequence[TimingRun], **options: object) -> list[str]:
    """Return the names of what became slower, or faster, by more than its margin."""
    both = ((before, after), (after, before))
    found = [compare_timings(*sides, paired=True, **options) for sides in both]  # type: ignore[arg-type]
    return [row.name for each in found for row in each if row.decision == "worse"]


def alarm_rate(growth: ArrayLike, margin: ArrayLike, alpha: float) -> float:
    """Return how often any work would be called worse, were the sides of rounds swapped at random.

    ``growth`` has the logarithms of ratios, a row a round and a column a work; all works of a round
    swap together.
    """
    changes = np.asarray(growth, dtype=np.float64)
    n, n_works = changes.shape
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (FLIPS, n))
    means = signs @ changes / n
    squares = (changes**2).sum(axis=0)
    errors = np.sqrt(np.maximum(squares - n * means**2, 0.0) / (n - 1) / n)
    bounds = np.log1p(margin)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.nanmax((means - bounds) / errors, axis=1)
    least = critical_value(n - 1, alpha / n_works, "greater")
    return float(np.mean(largest >= least))  # Holm's first step
