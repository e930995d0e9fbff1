"""``compare_timings``: whether a change made anything slower, by more than a margin; its files."""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table
from fastmetrics._input.containers import key_names
from fastmetrics._input.scalars import (
    Alternative,
    check_choice,
    check_decision_level,
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
from fastmetrics.inference.reference import adjust, critical_value, difference_test, moments

Decision = Literal["worse", "not worse", "undecided"]
Correction = Literal["holm", "fdr"]

#: Exit status of a process; 2 is a usage error.
_STATUS: Final[dict[Decision, int]] = {"not worse": 0, "worse": 1, "undecided": 3}
_ONE_RUN: Final = "One run a side cannot show run-to-run noise: nothing is decided."
#: Properties that comparable times share, by the names of pytest-benchmark.
_MACHINE: Final = {
    "node": "machine",
    "machine": "architecture",
    "system": "system",
    "release": "system release",
    "python_implementation": "python implementation",
    "python_version": "python version",
}
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

    def _display(self) -> Display:
        columns = {
            "benchmark": list(self),
            "rounds": [len(each) for each in self.rounds.values()],
            "mean_time": [sum(each) / len(each) for each in self.rounds.values()],
        }
        return Display([Table(columns)], "Times of one run")


#: The rounds of each work in one run.
Run = Mapping[str, ArrayLike] | TimingRun


@dataclass(frozen=True, slots=True, repr=False)
class TimingRatio(OneNumber):
    """Ratio of the times of one piece of work after and before a change.

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
        Runs.
    margin : float
        The largest growth of this work that does not matter.
    more_needed : int or None
        About how many more runs a side would decide, if ratio and spread stay as they are; 0 where
        it is decided, None where no number would do.
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


@dataclass(frozen=True, slots=True, repr=False)
class TimingComparison(Several[TimingRatio]):
    """Comparison of the times of several works before and after a change.

    Attributes
    ----------
    rows : tuple of TimingRatio
        One for each work; ``comparison["name"]`` is that of a name.
    confidence_level : float
        Level of the decisions.
    correction : {"holm", "fdr"}
        What "worse" is adjusted for: the chance of any false alarm, or the share of false ones.
    paired : bool
        Whether the runs were taken in turns.
    """

    rows: tuple[TimingRatio, ...]
    confidence_level: float
    correction: Correction
    paired: bool

    @property
    def decision(self) -> Decision:
        """Decision for all works: "worse" if one is, "not worse" if all are."""
        decisions = {row.decision for row in self.rows}
        return next((one for one in ("worse", "undecided") if one in decisions), "not worse")

    @property
    def exit_status(self) -> int:
        """Exit status for a process: 0 not worse, 1 worse, 3 undecided."""
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

    def _display(self) -> Display:
        margins = sorted({row.margin for row in self.rows})
        margin_column = ("margin",) if len(margins) > 1 else ()
        columns = (
            "name",
            "estimate",
            "confidence_interval",
            *margin_column,
            "decision",
            "more_needed",
        )
        hidden = ("standard_error", "pvalue_worse", "pvalue_not_worse", "n_before", "n_after")
        table = Table.of(
            self.rows,
            (*columns, *hidden),
            words={"name": "work", "estimate": "after / before", "more_needed": "more runs"},
            level=round(complement(2 * complement(self.confidence_level)), 4),
            most=len(self.rows),
            unseen=hidden,
        )
        counts = "; ".join(f"{len(named)} {decision}" for decision, named in self._named().items())
        alpha = complement(self.confidence_level)
        note = (
            f"The chance of any false alarm is at most {alpha:.3g}."
            if self.correction == "holm"
            else f"The expected proportion of false alarms is at most {alpha:.3g}."
        )
        margin = f"Margin {margins[0]:.3g}: " if len(margins) == 1 else ""
        notes = [f"{margin}{counts}. All together: {self.decision}. {note}"]
        if all(row.n_before == row.n_after == 1 for row in self.rows):
            notes.append(_ONE_RUN)
        return Display([table], "Times after a change, over those before", notes)


def compare_timings(
    before: Run | Sequence[Run],
    after: Run | Sequence[Run],
    *,
    margin: float | Mapping[str, float] = 0.05,
    paired: bool = False,
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
        Ratio, interval and decision of each work, and how many more runs would decide.

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
    hundred rounds of two runs say of the runs that they differ, not of the code: with one run a
    side nothing is decided. Each run is
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
    check_choice("correction", correction, get_args(Correction))
    sides = [_runs(before, "before"), _runs(after, "after")]
    allowed = [allow_different] if isinstance(allow_different, str) else list(allow_different)
    _check_sources(sides, allowed)
    old, new = (
        [_mean_logarithms(run, name) for run in side]
        for side, name in zip(sides, _NAMES, strict=True)
    )
    for name, side in zip(_NAMES, (old, new), strict=True):
        for run in side:
            if run.keys() != old[0].keys():
                lone = sorted(run.keys() ^ old[0].keys())
                raise InputError(
                    f"all runs must have the same names: {lone[0]!r} is not in every one, "
                    f"`{name}` and `before` differ in {len(lone)}"
                )
    level = check_decision_level(confidence_level)
    margins = [_check_margin(name, margin) for name in old[0]]
    rows = _decisions(old, new, margins, level, correction, is_paired)
    return TimingComparison(rows, complement(level), correction, is_paired)


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


def _check_margin(name: str, margin: Any) -> float:
    """Return the margin of a work."""
    if not isinstance(margin, Mapping):
        return check_positive("margin", margin)
    for pattern, value in margin.items():
        if fnmatchcase(name, str(pattern)):
            return check_positive(f"margin of {pattern!r}", value)
    raise InputError(f"`margin` has none of {name!r}: name it, or '*' for all others")


def _decisions(
    old: list[dict[str, float]],
    new: list[dict[str, float]],
    margins: list[float],
    alpha: float,
    correction: Correction,
    is_paired: bool,
) -> tuple[TimingRatio, ...]:
    """Return the decision on each work from its mean logarithms by run."""
    compute_change = _paired_change if is_paired else _welch_change
    changes = {}
    for name in old[0]:
        sides = (np.array([run[name] for run in side]) for side in (old, new))
        changes[name] = compute_change(name, *sides)
    bounds = list(map(math.log1p, margins))
    above, below = (
        [
            difference_test(mean - bound, error, df, 1 - alpha, side).pvalue
            for (mean, error, df), bound in zip(changes.values(), bounds, strict=True)
        ]
        for side in _SIDES
    )
    rows = []
    worse = adjust(np.array(above), "holm" if correction == "holm" else "benjamini-hochberg")
    for k, (name, (mean, error, df)) in enumerate(changes.items()):
        decision: Decision = (
            "worse" if worse[k] <= alpha else "not worse" if below[k] <= alpha else "undecided"
        )
        needed: int | None = 0
        if decision == "undecided":
            level = alpha if mean < bounds[k] else alpha / len(changes)
            needed = _more_needed(mean - bounds[k], error, df, max(len(old), len(new)), level)
        half = critical_value(df, alpha, "greater") * error
        rows.append(
            TimingRatio(
                name=name,
                estimate=math.exp(mean),
                confidence_interval=ConfidenceInterval(
                    math.exp(mean - half), math.exp(mean + half)
                ),
                standard_error=math.exp(mean) * error,
                decision=decision,
                pvalue_worse=float(worse[k]),
                pvalue_not_worse=below[k],
                n_before=len(old),
                n_after=len(new),
                margin=margins[k],
                more_needed=needed,
            )
        )
    return tuple(rows)


def _mean_logarithms(times: Any, name: str) -> dict[str, float]:
    """Return the mean logarithm of the times of each work in one run."""
    times = times.rounds if isinstance(times, TimingRun) else times
    if not isinstance(times, Mapping):
        raise InputTypeError(
            f"`{name}` must map the names of works to times: got {type(times).__name__}"
        )
    if not times:
        raise InputError(f"`{name}` is empty: there is no work to compare")
    means = {}
    for work, (key, values) in zip(key_names(times, name, "works"), times.items(), strict=True):
        numbers = check_numbers(values, f"{name}[{key!r}]")
        wrong = np.flatnonzero(numbers <= 0)
        if len(wrong):
            at = int(wrong[0])
            raise InputError(
                f"`{name}[{key!r}]` must be above 0: got {numbers[at]:g} at index {at}"
            )
        means[work] = float(np.mean(np.log(numbers)))
    return means


def _paired_change(
    name: str, before: NDArray[np.float64], after: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Return the mean change of logarithms, its standard error and degrees of freedom."""
    if len(before) != len(after):
        raise InputError(
            f"what is paired must be as many: of {name!r}, `before` has {len(before)} and `after` "
            f"{len(after)}"
        )
    n, mean, deviation = moments(after - before)
    return mean, deviation / math.sqrt(n), float(n - 1)


def _welch_change(
    _: str, before: NDArray[np.float64], after: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Return the change of the means of two independent samples, by Welch's test."""
    both = moments(before), moments(after)
    components = [each.deviation**2 / each.n for each in both]  # nan of one run
    variance = sum(components)
    df = float(both[0].n + both[1].n - 2)
    if variance > 0:
        df = variance**2 / sum(
            component**2 / (each.n - 1) for component, each in zip(components, both, strict=True)
        )
    return both[1].mean - both[0].mean, math.sqrt(variance), df


def _more_needed(distance: float, error: float, df: float, n: int, alpha: float) -> int | None:
    """Return the number of further runs of the longer side, the other one growing with it."""

    def decides(rounds: int) -> bool:
        growth = rounds / n
        limit = critical_value((df + 1) * growth - 1, alpha, "greater")
        return limit * (error / math.sqrt(growth)) <= abs(distance)

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
        ``--benchmark-save-data``), or of hyperfine (``--export-json``).

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
    One file is one run: the rounds in it share a state of the machine. pytest-benchmark's files
    without data have the mean of the rounds in their place. hyperfine does not say where it ran.

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
    fields = content if isinstance(content, Mapping) else {}
    is_pytest = isinstance(fields.get("benchmarks"), list)
    if not is_pytest and not isinstance(fields.get("results"), list):
        raise FileError(
            f"{name}: not what pytest-benchmark or hyperfine save: it has neither `benchmarks` nor "
            "`results` of theirs"
        )
    rounds: dict[str, list[float]] = {}
    left_out: list[str] = []
    try:
        results = _pytest_results(fields) if is_pytest else _hyperfine_results(fields, name)
        for key, times in results:
            if not isinstance(times, list):
                raise TypeError(f"times are a {type(times).__name__}, where a list belongs")
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
        info = fields.get("machine_info") or {}
        environment = {label: info.get(key) for key, label in _MACHINE.items()}
        cpu = info.get("cpu") or {}
        processor = cpu.get("brand_raw") or cpu.get("brand") or info.get("processor")
    except FileError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        what = f"{type(error).__name__} {error}"
        raise FileError(f"{name}: not whole, or of a version that is not known: {what}") from None
    if not rounds:
        raise FileError(f"{name}: holds no times")
    if left_out:
        listed = ", ".join(map(repr, left_out[:_SHOWN])) + ", …" * (len(left_out) > _SHOWN)
        warn_user(
            f"{name}: {len(left_out):,} without a time left out: {listed}", DataConversionWarning
        )
    environment["processor"] = processor
    kept = {key: str(value) for key, value in environment.items() if value not in (None, "")}
    return TimingRun(rounds, kept, name)


def _without_copies(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raise where a key is there twice."""
    timings = dict(pairs)
    if len(timings) < len(pairs):
        keys = [key for key, _ in pairs]
        raise FileError(f"an object has {max(keys, key=keys.count)!r} twice")
    return timings


def _hyperfine_results(content: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    """Yield each command and its times."""
    for each in content["results"]:
        command = str(each["command"])
        codes = each.get("exit_codes") or []
        failed = [code for code in codes if code != 0]  # None: ended by a signal
        if failed:
            code = "a signal" if failed[0] is None else f"exit code {failed[0]}"
            many = f"{len(failed)} of {len(codes)} runs"
            raise FileError(f"{path}: {command!r} failed in {many}, with {code}: it was not timed")
        yield command, each["times"]


def _pytest_results(content: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the name of each benchmark and its times, or their mean alone."""
    for each in content["benchmarks"]:
        stats = each["stats"]
        yield str(each["fullname"]), stats.get("data") or [stats["mean"]]


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
