"""What `gate` returns: a decision for each rule, one for all, and words for both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from fastmetrics._display import Display, Table, with_limits
from fastmetrics._input.scalars import complement
from fastmetrics._report.slices.slices_result import ARROWS, first_of
from fastmetrics._results import ConfidenceInterval, OneNumber, Several
from fastmetrics.errors import no_such

Decision = Literal["PASS", "FAIL", "INCONCLUSIVE"]

#: What a process ends with that asked: 2 is a wrong question.
STATUS: Final[dict[Decision, int]] = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3}
#: What is said first.
_ORDER: Final = ("FAIL", "INCONCLUSIVE", "PASS")


@dataclass(frozen=True, slots=True, repr=False)
class GateRule(OneNumber):
    """One rule of a gate: by one measure the candidate loses less than a margin.

    Attributes
    ----------
    metric : str
        What was measured.
    baseline : str
        The model that the candidate is compared with.
    slice : str
        Which rows; empty of all. A slice can fail a gate; it holds it up with
        `require_slices` alone.
    margin : float
        The loss that does not matter, in the measure's own unit.
    estimate : float
        The candidate's measure less the baseline's; nan where it is undefined.
    higher_is_better : bool
        The direction of the measure.
    standard_error, df : float
        Of the difference.
    confidence_interval : ConfidenceInterval
        Of the difference, of a level that leaves alpha outside each end.
    pvalue_noninferior : float
        Of "the candidate is worse by the margin or more": small where it is not.
    pvalue_worse : float
        Of "it is worse by the margin or less": small where it is worse by more.
    pvalue_worse_holm : float
        The same, adjusted for the rules and slices of the gate (Holm 1979).
    decision : {"PASS", "FAIL", "INCONCLUSIVE"}
        What is shown.
    chance_of_pass : float
        How probably a candidate as good as the baseline would pass this rule on such data.
    n_needed : float
        Rows (queries; groups) with which it would in 80 % of tries; inf with a margin of 0.
    n_samples : float
        Rows, queries, or groups that vary.
    fails_equal, passes_worse : float
        Shares of rehearsals on these data in which the rule alone fails a candidate as good as the
        baseline, and passes one that is worse by the margin; nan where none was asked for.
    note : str
        What a reader of the rule must know; usually empty.
    """

    metric: str
    baseline: str
    slice: str
    margin: float
    estimate: float
    higher_is_better: bool
    standard_error: float
    df: float
    confidence_interval: ConfidenceInterval
    pvalue_noninferior: float
    pvalue_worse: float
    pvalue_worse_holm: float
    decision: Decision
    chance_of_pass: float
    n_needed: float
    n_samples: float
    fails_equal: float = float("nan")
    passes_worse: float = float("nan")
    note: str = ""

    @property
    def name(self) -> str:
        """The measure, and the slice where it is of one."""
        return self.metric + (f" [{self.slice}]" if self.slice else "")

    @property
    def loss(self) -> float:
        """How much worse the candidate is: the difference against the measure's direction."""
        return -self.estimate if self.higher_is_better else self.estimate

    @property
    def loss_limits(self) -> ConfidenceInterval:
        """Limits of the loss."""
        own = self.confidence_interval
        return ConfidenceInterval(-own.high, -own.low) if self.higher_is_better else own

    def said(self, *, names_baseline: bool) -> str:
        """Return what is shown of the rule, in words."""
        of = f"{self.name} against {self.baseline}" if names_baseline else self.name
        if math.isnan(self.estimate):
            return f"{of}: not defined"
        own, value = self.loss_limits, self.loss
        margin, is_passed = f"the margin of {self.margin:g}", self.decision == "PASS"
        if value < 0.0:
            gain = with_limits(-value, ConfidenceInterval(-own.high, -own.low))
            is_shown = "" if is_passed else "not "
            if self.margin == 0.0:
                return f"{of}: a gain of {gain}, {is_shown}shown to be one"
            return f"{of}: a gain of {gain}; a loss of {self.margin:g} is {is_shown}ruled out"
        said = f"{of}: a loss of {with_limits(value, own)}"
        if self.decision == "FAIL":
            return f"{said}, more than {margin}"
        if is_passed:
            named = ", shown to be one but" if own.low > 0.0 else ","
            return f"{said}{named} within {margin}"
        return f"{said}, not shown to be within {margin} or beyond it"


@dataclass(frozen=True, slots=True, repr=False)
class Gate(Several[GateRule]):
    """Whether a candidate may take the place of a baseline: PASS, FAIL or INCONCLUSIVE.

    Attributes
    ----------
    verdict : {"PASS", "FAIL", "INCONCLUSIVE"}
        FAIL where a rule or a slice is shown to lose more than its margin; PASS where every rule of
        all rows is shown to lose less; INCONCLUSIVE otherwise.
    rules : tuple of GateRule
        Those of all rows first, then those of slices.
    candidate : str
        The model that is judged.
    baselines : tuple of str
        What it was compared with: the baseline, and the anchor where there is one.
    confidence_level : float
        1 - alpha: a rule passes or fails wrongly in at most alpha of tries.
    n_samples : float
        Rows, or queries.
    n_groups : int or None
        Groups of rows; None where each stands for itself.
    notes : tuple of str
        What else must be known.
    """

    _rows = "rules"
    verdict: Decision
    rules: tuple[GateRule, ...]
    candidate: str
    baselines: tuple[str, ...]
    confidence_level: float
    n_samples: float
    n_groups: int | None
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """What a process ends with to say so: 0 pass, 1 fail, 3 inconclusive."""
        return STATUS[self.verdict]

    @property
    def explanation(self) -> str:
        """What is shown, in words: what decides, then each rule; of slices those that fail."""
        shown = [rule for rule in self.rules if not rule.slice or rule.decision == "FAIL"]
        shown.sort(key=lambda rule: _ORDER.index(rule.decision))
        several = len(self.baselines) > 1
        lines = [f"{rule.said(names_baseline=several)}." for rule in shown]
        return "\n".join([self._headline(), *lines]).replace("\N{NO-BREAK SPACE}", " ")

    def _headline(self) -> str:
        """Return the verdict with what decides, and what slices say beside it."""
        is_open = self.verdict == "INCONCLUSIVE"
        among = [rule for rule in self.rules if rule.decision == self.verdict]
        if is_open:  # slices hold it up where no other rule does
            among = [rule for rule in among if not rule.slice] or among
        names = ", ".join(dict.fromkeys(rule.name for rule in among))
        others = " and ".join(dict.fromkeys(rule.baseline for rule in among))
        start = f"{self.verdict}: {self.candidate}"
        if self.verdict == "FAIL":
            return f"{start} is worse than {others} by more than the margin in {names}."
        if is_open:
            many = self.n_samples if self.n_groups is None else self.n_groups
            what = "rows" if self.n_groups is None else "groups"
            return (
                f"{self.verdict}: {many:,.0f} {what} do not show whether {self.candidate} loses "
                f"more than the margin to {others} in {names}."
            )
        said = f"{start} is not worse than {others} by its margin in any measure."
        slices = [rule for rule in self.rules if rule.slice]
        if slices:
            undecided = [rule.name for rule in slices if rule.decision == "INCONCLUSIVE"]
            said += f" None of {len(slices):,} rules of slices fails"
            if undecided:
                said += f", {len(undecided):,} could not tell: {first_of(undecided)}"
            said += "."
        return said

    def __getitem__(self, name: str) -> GateRule:
        """Return the rule of a measure; of a slice by ``"metric [slice]"``."""
        for rule in self.rules:
            if name in (rule.name, f"{rule.name} against {rule.baseline}"):
                return rule
        raise no_such(name, "rules", (rule.name for rule in self.rules))

    def __repr__(self) -> str:
        counts = {d: sum(rule.decision == d for rule in self.rules) for d in STATUS}
        said = ", ".join(f"{count} {decision}" for decision, count in counts.items() if count)
        return f"Gate({self.verdict}: {said})"

    def _shown(self) -> Display:
        hidden = (
            *("standard_error", "df", "higher_is_better", "pvalue_noninferior", "pvalue_worse"),
            *("pvalue_worse_holm", "n_needed"),
        )
        names = [
            *(["metric"] + ["slice"] * any(rule.slice for rule in self.rules)),
            *(["baseline"] * (len(self.baselines) > 1) + ["margin", "estimate"]),
            *("confidence_interval", "decision", "chance_of_pass", "n_samples"),
            *(["fails_equal", "passes_worse"] * (not math.isnan(self.rules[0].fails_equal))),
            *hidden,
        ]
        alpha = complement(self.confidence_level)
        words = {rule.metric: rule.metric + ARROWS[rule.higher_is_better] for rule in self}
        words |= {"metric": "measure", "estimate": "difference", "n_samples": "n"}
        words |= {"chance_of_pass": "chance to pass", "fails_equal": "fails equals"}
        words |= {"passes_worse": "passes worse"}
        rows = sorted(self.rules, key=lambda r: (r.slice and _ORDER.index(r.decision) + 1) or 0)
        level = complement(2.0 * alpha)
        table = Table.of(rows, names, words=words, level=level, unseen=hidden)
        notes = [
            *self.explanation.split("\n"),
            f"Difference: {self.candidate} less the baseline. Each rule passes or fails wrongly in "
            f"at most {100 * alpha:.3g} % of tries. Chance to pass: of a candidate "
            "as good as the baseline.",
        ]
        notes += [f"{rule.name}: {rule.note}." for rule in self.rules if rule.note]
        return Display([table], f"Gate: {self.verdict}", [*notes, *self.notes])
