"""``Diagnosis``: what `doctor` found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from fastmetrics._display import Display, Table
from fastmetrics._results import ConfidenceInterval, Result, Several

Severity = Literal["error", "warning", "note"]

#: What is said first.
ORDER: Final[tuple[Severity, ...]] = ("error", "warning", "note")


#: Rows from which on nobody believes an AUC of exactly 1, or 0.
_MANY: Final = 60
#: How sure the interval is that an AUC below 1/2 is one.
SURE: Final = 0.99
#: What is so wrong with scores that `evaluate` says it too, in a word.
DOUBTS: Final = {
    "constant": "all scores are the same",
    "labels as scores": "the scores are the labels themselves",
    "decisions as scores": "there are two scores, as of decisions",
    "perfect": "an AUC of exactly 1",
    "backwards": "greater scores are of negatives",
}


def doubt_of(
    values: Sequence[float], auc: float, limits: ConfidenceInterval, n: int
) -> tuple[str, Severity, str] | None:
    """Return what makes the figures of n scores mean nothing, with its kind; None of healthy ones.

    ``values`` are the distinct scores, or some of them where there are more than two; ``limits``
    those of the AUC at the level `SURE`.
    """
    if len(values) == 1:
        return "constant", "error", f"all scores are {values[0]:g}"
    if len(values) == 2:
        if auc == 1.0:
            return "labels as scores", "error", "the scores are the labels themselves"
        return (
            "decisions as scores",
            "warning",
            f"there are two scores, {values[0]:g} and {values[1]:g}: of decisions there is no "
            "curve; pass what they were decided by, or measure them as labels",
        )
    if auc == 1.0 and n >= _MANY:
        what = "an AUC of exactly 1: do the scores know the labels (leakage)?"
        return "perfect", "warning", what
    if limits.high < 0.5 or (auc == 0.0 and n >= _MANY):
        return (
            "backwards",
            "error",
            f"an AUC of {auc:.4f} [{limits.low:.4f}, {limits.high:.4f}]: greater scores are of "
            "negatives; is it the score of the other class?",
        )
    return None


@dataclass(frozen=True, slots=True, repr=False)
class Finding(Result):
    """One thing that is wrong or doubtful.

    Attributes
    ----------
    kind : str
        Which check found it, such as "backwards" or "few positives".
    severity : {"error", "warning", "note"}
        "error": figures of these data mean nothing; "warning": they may not mean what they seem
        to; "note": good to know.
    model : str
        Whose scores; empty of all.
    text : str
        What was found, and what to do.
    """

    kind: str
    severity: Severity
    model: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(Several[Finding]):
    """What `doctor` found.

    Attributes
    ----------
    findings : tuple of Finding
        Errors first, then warnings, then notes; empty where nothing is wrong.
    n_samples : int
        Rows.
    n_positive, n_negative : int
        Rows of each class; 0 where the labels are not of two classes.
    """

    _rows = "findings"
    findings: tuple[Finding, ...]
    n_samples: int
    n_positive: int
    n_negative: int

    @property
    def is_healthy(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return all(each.severity == "note" for each in self.findings)

    @property
    def exit_status(self) -> int:
        """What a process ends with to say so: 0, or 1 with an error or a warning."""
        return 0 if self.is_healthy else 1

    def __repr__(self) -> str:
        kinds = ", ".join(each.kind for each in self.findings) or "nothing found"
        return f"Diagnosis({kinds})"

    def _shown(self) -> Display:
        columns: dict[str, list[str]] = {"severity": [], "about": [], "found": []}
        for each in self.findings:
            columns["severity"].append(each.severity)
            columns["about"].append(each.model or "data")
            columns["found"].append(each.kind)
        counts = f"{self.n_positive:,} positive, {self.n_negative:,} negative"
        size = f"{self.n_samples:,} rows, {counts}."
        if not self.findings:
            return Display([Table.record({"found": "nothing"})], "Diagnosis", [size])
        texts = [f"{each.model or 'Data'}: {each.text}" for each in self.findings]
        return Display([Table(columns, most=len(self))], "Diagnosis", [*texts, size])
