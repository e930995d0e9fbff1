"""``compare_timings``: whether a change made anything slower, by more than a margin; its files."""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._input.containers import names_of
from fastmetrics._input.scalars import (
    Alternative,
    check_choice,
    check_decision_level,
    check_flag,
    check_positive,
    complement,
)
from fastmetrics._results import ConfidenceInterval, OneNumber, Result, Several
from fastmetrics.comparison.paired import check_numbers
from fastmetrics.errors import (
    DataConversionWarning,
    FileError,
    InputError,
    InputTypeError,
    by_name,
    parsing_error,
    warn_user,
)
from fastmetrics.inference.reference import adjusted, critical_value, difference_test, moments

Decision = Literal["worse", "not worse", "undecided"]
Correction = Literal["holm", "fdr"]

#: What a process ends with that asked: 2 is a wrong question.
_STATUS: Final[dict[Decision, int]] = {"not worse": 0, "worse": 1, "undecided": 3}
_ONE_RUN: Final = (
    "One run a side: how much runs differ of themselves is not known, and nothing is decided. Take "
    "several, or say `single_run` (on the command line --single-run)."
)
_ROUNDS: Final = (
    "One run a side was taken for all there is: rounds of one run share one state of the machine, "
    "and what is shown is that these two runs differ, or do not; not that the code does."
)
#: What must be the same for times to be comparable, by what the programs call it.
_OF_PYTEST: Final = {
    "node": "machine",
    "machine": "architecture",
    "system": "system",
    "release": "system release",
    "python_implementation": "python implementation",
    "python_version": "python version",
}
_OF_PYPERF: Final = {
    "hostname": "machine",
    "cpu_model_name": "processor",
    "platform": "system release",
    "python_implementation": "python implementation",
    "python_version": "python version",
}
_OF_ASV: Final = {"machine": "machine", "cpu": "processor", "arch": "architecture", "os": "system"}
#: Names that a message shows, at most.
_SHOWN: Final = 5
#: More than so many times the rounds made is no plan.
_MOST_TIMES: Final = 10_000
_NAMES: Final = ("before", "after")
_SIDES: Final[tuple[Alternative, ...]] = ("greater", "less")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TimingRun(Result):
    """The rounds of each benchmark in one run, and where they were taken.

    Attributes
    ----------
    rounds : mapping of str to list of float
        Seconds, by the name of the benchmark.
    environment : mapping of str to str
        Machine, processor, interpreter, versions: as far as the file knows.
    source : str
        The file.
    """

    rounds: Mapping[str, list[float]]
    environment: Mapping[str, str] = field(default_factory=dict)
    source: str = ""

    def __getitem__(self, name: str) -> list[float]:
        return by_name(self.rounds, name, "benchmarks")

    def __iter__(self) -> Iterator[str]:
        return iter(self.rounds)

    def __len__(self) -> int:
        return len(self.rounds)

    def __repr__(self) -> str:
        return f"TimingRun({len(self)} benchmarks of {self.source!r})"

    def _shown(self) -> Display:
        columns = {
            "benchmark": list(self),
            "rounds": [len(each) for each in self.rounds.values()],
            "mean": [sum(each) / len(each) for each in self.rounds.values()],
        }
        return Display([Table(columns)], "Times of one run")


#: The rounds of each work in one run.
Run = Mapping[str, ArrayLike] | TimingRun


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
        Of the ratio, which leaves twice as much outside as a decision; nan of one run a side.
    standard_error : float
        Of the ratio.
    decision : {"worse", "not worse", "undecided"}
        Whether the time grew by more than the margin.
    pvalue_worse : float
        That it did not, adjusted by Holm for the number of works.
    pvalue_not_worse : float
        That it did.
    n_before, n_after : int
        Runs; of single runs rounds.
    margin : float
        The largest growth of this work that does not matter.
    more_needed : int or None
        About how many more runs a side would decide, if ratio and spread stay as they are; 0 where
        it is decided, None where no number would do.
    detectable : float
        The smallest growth that so many runs would show in four of five tries; nan of one run.
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
    margin: float
    more_needed: int | None
    detectable: float


@dataclass(frozen=True, slots=True, repr=False)
class PooledRatio(OneNumber):
    """The geometric mean of the ratios of all works.

    Attributes
    ----------
    estimate : float
        Times after over times before.
    confidence_interval : ConfidenceInterval
        As those of the works; nan of one run a side.
    standard_error : float
        Of the ratio.
    n_works : int
        Works.
    """

    estimate: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    n_works: int


@dataclass(frozen=True, slots=True, repr=False)
class TimingComparison(Several[TimingRatio]):
    """What became slower, of several works timed before and after a change.

    Attributes
    ----------
    rows : tuple of TimingRatio
        One for each work; ``comparison["name"]`` is that of a name.
    pooled : PooledRatio
        The geometric mean of the ratios.
    confidence_level : float
        Level of the decisions.
    correction : {"holm", "fdr"}
        What "worse" is adjusted for: the chance of any false alarm, or the share of false ones.
    paired : bool
        Whether the runs were taken in turns.
    units : {"runs", "rounds"}
        What varies.
    """

    rows: tuple[TimingRatio, ...]
    pooled: PooledRatio
    confidence_level: float
    correction: Correction
    paired: bool
    units: Literal["runs", "rounds"]

    @property
    def decision(self) -> Decision:
        """Of all: "worse" if one is, "not worse" if all are."""
        found = {row.decision for row in self.rows}
        return "worse" if "worse" in found else "undecided" if "undecided" in found else "not worse"

    @property
    def exit_status(self) -> int:
        """What a process ends with to say so: 0 not worse, 1 worse, 3 undecided."""
        return _STATUS[self.decision]

    def __getitem__(self, name: str) -> TimingRatio:
        return by_name({row.name: row for row in self.rows}, name, "works")

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(named)} {decision}" for decision, named in self._named().items())
        return f"TimingComparison({self.decision}: {counts})"

    def _named(self) -> dict[Decision, list[str]]:
        return {
            decision: [row.name for row in self.rows if row.decision == decision]
            for decision in _STATUS
        }

    def _shown(self) -> Display:
        margins = sorted({row.margin for row in self.rows})
        own = ("margin",) if len(margins) > 1 else ()
        columns = ("name", "estimate", "confidence_interval", *own, "decision", "more_needed")
        hidden = ("standard_error", "pvalue_worse", "pvalue_not_worse", "n_before", "n_after")
        table = Table.of(
            self.rows,
            (*columns, "detectable", *hidden),
            words={
                "name": "work",
                "estimate": "after / before",
                "more_needed": f"more {self.units}",
                "detectable": "would show",
            },
            level=round(complement(2 * complement(self.confidence_level)), 4),
            most=len(self.rows),
            unseen=hidden,
        )
        counts = "; ".join(f"{len(named)} {decision}" for decision, named in self._named().items())
        alpha = complement(self.confidence_level)
        said = (
            f"The chance of calling any of them worse that is not is at most {alpha:.3g}."
            if self.correction == "holm"
            else f"Of those called worse at most {alpha:.3g} are not, on average."
        )
        margin = f"Margin {margins[0]:.3g}: " if len(margins) == 1 else ""
        notes = [f"{margin}{counts}. All together: {self.decision}. {said}"]
        if self.pooled.n_works > 1:
            low, high = self.pooled.confidence_interval
            notes.append(
                f"Geometric mean of the {self.pooled.n_works} ratios: {self.pooled.estimate:.4g} "
                f"[{low:.4g}, {high:.4g}]."
            )
        if self.units == "rounds":
            notes.append(_ROUNDS)
        elif all(row.n_before == row.n_after == 1 for row in self.rows):
            notes.append(_ONE_RUN)
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
    _check_sources(sides, allowed)
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


def read_timings(path: str | os.PathLike[str]) -> TimingRun:
    """Read the times of one run of benchmarks; the format is told by what is in the file.

    Parameters
    ----------
    path : path
        A JSON file of pytest-benchmark (``--benchmark-json``, or ``--benchmark-save`` with
        ``--benchmark-save-data``), of pyperf, of hyperfine (``--export-json``), or of asv
        (``results/machine/commit-env.json``).

    Returns
    -------
    TimingRun
        To be passed to `compare_timings`, several for each side.

    Raises
    ------
    FileError
        If the file is none of these, holds no times, or has two results of one name; if a command
        that hyperfine timed ended with another exit code than 0.

    Warns
    -----
    DataConversionWarning
        If results have no time, as benchmarks that were skipped: they are left out.

    Notes
    -----
    One file is one run: the rounds in it share a state of the machine, and so do the processes that
    pyperf starts one after another. pytest-benchmark's files without data have the mean of the
    rounds in their place, asv's the median that it keeps. Of asv those are read whose name starts
    with ``time``; of a benchmark with parameters each combination is one. hyperfine does not say
    where it ran.

    Examples
    --------
    >>> import json, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.json")
    >>> with open(path, "w") as file:
    ...     json.dump({"results": [{"command": "sort x", "times": [1.25, 1.5]}]}, file)
    >>> read_timings(path)["sort x"]
    [1.25, 1.5]
    """
    name = os.fspath(path)
    with open(path, encoding="utf-8-sig") as file:
        try:
            content = json.load(file, object_pairs_hook=_without_copies)
        except (ValueError, RecursionError) as error:
            raise FileError(f"{name}: no JSON: {parsing_error(error)}") from None
    read = _reader(content)
    if read is None:
        raise FileError(
            f"{name}: not what pytest-benchmark, pyperf, hyperfine or asv save: it has neither "
            "`benchmarks` nor `results` of theirs"
        )
    rounds: dict[str, list[float]] = {}
    left_out: list[str] = []
    try:
        found, environment = read(content)
        for key, times in found:
            if key in rounds or key in left_out:
                raise FileError(f"{name}: two results are named {key!r}: give each its own name")
            if any(each is None or each != each for each in times) or not times:
                left_out.append(key)
                continue
            if not all(type(each) in (int, float) for each in times):
                raise TypeError(f"a time of {key!r} is no number")
            rounds[key] = list(map(float, times))
            wrong = [each for each in rounds[key] if not 0.0 < each < math.inf]
            if wrong:
                raise FileError(f"{name}: {key!r} has a time that is not above 0: {wrong[0]:g}")
    except FileError:
        raise
    except _FailedError as error:
        raise FileError(f"{name}: {error}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"{type(error).__name__} {error}"
        raise FileError(f"{name}: not whole, or of a version that is not known: {what}") from None
    if not rounds:
        raise FileError(f"{name}: holds no times")
    if left_out:
        shown = ", ".join(map(repr, left_out[:_SHOWN])) + ", …" * (len(left_out) > _SHOWN)
        warn_user(
            f"{name}: {len(left_out):,} without a time left out: {shown}", DataConversionWarning
        )
    kept = {key: str(value) for key, value in environment.items() if value not in (None, "")}
    return TimingRun(rounds, kept, name)


class _FailedError(Exception):
    """The timed work failed."""


def _without_copies(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raise where a key is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise FileError(f"an object has {max(keys, key=keys.count)!r} twice")
    return found


#: Names with their times, and the environment.
_Found = tuple[list[tuple[str, list[Any]]], dict[str, Any]]


def _reader(content: Any) -> Callable[[Any], _Found] | None:
    """Return the function that reads a file like this; None for others."""
    if not isinstance(content, Mapping):
        return None
    benchmarks, results = content.get("benchmarks"), content.get("results")
    if isinstance(benchmarks, list):
        is_pyperf = any(isinstance(each, Mapping) and "runs" in each for each in benchmarks)
        return _of_pyperf if is_pyperf else _of_pytest
    if isinstance(results, list):
        return _of_hyperfine
    return _of_asv if isinstance(results, Mapping) else None


def _of_hyperfine(content: Mapping[str, Any]) -> _Found:
    found = []
    for each in content["results"]:
        command, codes = str(each["command"]), each.get("exit_codes") or []
        failed = [code for code in codes if code != 0]  # None: ended by a signal
        if failed:
            code = "a signal" if failed[0] is None else f"exit code {failed[0]}"
            many = f"{len(failed)} of {len(codes)} runs"
            raise _FailedError(f"{command!r} failed in {many}, with {code}: it was not timed")
        found.append((command, _list_of(each["times"])))
    return found, {}


def _of_pytest(content: Mapping[str, Any]) -> _Found:
    rounds = []
    for each in content["benchmarks"]:
        stats = each["stats"]
        times = stats.get("data") or [stats["mean"]]
        rounds.append((str(each["fullname"]), _list_of(times)))
    info = content.get("machine_info") or {}
    found = {said: info.get(key) for key, said in _OF_PYTEST.items()}
    cpu = info.get("cpu") or {}
    found["processor"] = cpu.get("brand_raw") or cpu.get("brand") or info.get("processor")
    return rounds, found


def _of_pyperf(content: Mapping[str, Any]) -> _Found:
    shared = content.get("metadata") or {}
    rounds: list[tuple[str, list[Any]]] = []
    found = shared
    for each in content["benchmarks"]:
        own = shared | (each.get("metadata") or {})
        values = [value for run in each["runs"] for value in run.get("values") or ()]
        first = each["runs"][0].get("metadata") or {} if each["runs"] else {}
        found = own | first | found
        if own.get("unit", "second") == "second":
            rounds.append((str(own.get("name", "benchmark")), values))
    return rounds, {said: found.get(key) for key, said in _OF_PYPERF.items()}


def _of_asv(content: Mapping[str, Any]) -> _Found:
    heads = content["result_columns"]
    rounds: list[tuple[str, list[Any]]] = []
    for name, values in content["results"].items():
        if not name.rpartition(".")[2].startswith("time"):
            continue
        row = dict(zip(heads, values or (), strict=False))
        if row.get("result") is None:  # the benchmark failed
            rounds.append((name, []))
            continue
        samples = row.get("samples") or [None] * len(row["result"])
        for k, (median, own) in enumerate(zip(row["result"], samples, strict=True)):
            parameters = _parameters(row.get("params") or [], k)
            is_missing = median is None or median != median  # failed, or skipped
            times = _list_of(own) if own and not is_missing else [median]
            rounds.append((f"{name}{parameters}", times))
    given = content.get("params") or {}
    found = {said: given.get(key) for key, said in _OF_ASV.items()}
    versions = content.get("requirements") or {}
    return rounds, found | {"python version": content.get("python")} | dict(versions)


def _list_of(times: Any) -> list[Any]:
    if not isinstance(times, list):
        raise TypeError(f"times are a {type(times).__name__}, where a list belongs")
    return times


def _parameters(params: list[list[str]], k: int) -> str:
    """Return the k-th combination of parameters in brackets, the last of them running first."""
    found = []
    for values in reversed(params):
        k, place = divmod(k, len(values))
        found.append(str(values[place]))
    return f"({', '.join(reversed(found))})" if found else ""


def _check_sources(sides: Iterable[Iterable[Any]], allowed: Iterable[str]) -> None:
    """Raise if a file is there twice, or runs have different environments that are not allowed."""
    runs = [run for side in sides for run in side if isinstance(run, TimingRun)]
    sources: dict[str, str] = {}
    for run in runs:
        path = os.path.realpath(run.source)
        if run.source and path in sources:
            other = "" if run.source == sources[path] else f", as {sources[path]} too"
            raise InputError(f"{run.source} is there twice{other}: each run is a file of its own")
        sources[path] = run.source
    free = set(allowed)
    seen: dict[str, dict[str, str]] = {}
    for run in runs:
        for key, value in run.environment.items():
            seen.setdefault(key, {}).setdefault(value, run.source)
    known = {"all", *seen}
    unknown = sorted(free - known)
    if unknown and seen:
        raise InputError(
            f"`allow_different` names {unknown[0]!r}: the files tell {', '.join(sorted(seen))}; or "
            "'all'"
        )
    if "all" in free:
        return
    differ = [
        f"{key}: " + ", ".join(f"{value!r} in {source}" for value, source in values.items())
        for key, values in seen.items()
        if len(values) > 1 and key not in free
    ]
    if differ:
        raise InputError(
            f"the runs cannot be compared, {len(differ)} of what they say of where they ran differ "
            f"(`allow_different` lets them): {'; '.join(differ)}"
        )
