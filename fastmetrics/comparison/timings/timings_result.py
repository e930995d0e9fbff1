"""What `compare_timings` returns: a ratio and a decision for each work, and one for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from fastmetrics._display.table import Display, Table
from fastmetrics._input.scalars import complement
from fastmetrics._results import ConfidenceInterval, OneNumber, Several
from fastmetrics.errors import by_name

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
