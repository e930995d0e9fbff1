"""``Report``: a page about an evaluation."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

from fastmetrics._display.table import Display, Table
from fastmetrics._files import File, writing
from fastmetrics._report.diagnosis import Diagnosis
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.tasks.task_evaluation import TaskEvaluation
from fastmetrics._results import Result


@dataclass(frozen=True, slots=True, repr=False)
class Report(Result):
    """A page about an evaluation, and what stands on it.

    Attributes
    ----------
    title : str
        Of the page.
    html : str
        All of it: one text that needs no other file, asks no server and runs no script.
    evaluation : Evaluation or TaskEvaluation
        The figures.
    diagnosis : Diagnosis or None
        What is wrong or doubtful with the data; None of other tasks than scores of two classes.
    methods : str
        The paragraph on methods.
    references : tuple of str
        What it cites.
    """

    title: str
    html: str = field(repr=False)
    evaluation: Evaluation | TaskEvaluation
    diagnosis: Diagnosis | None
    methods: str
    references: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """What is shown of the models' differences, in words; empty of one model."""
        return self.evaluation.verdict

    @property
    def n_bytes(self) -> int:
        """How large the file is."""
        return len(self.html.encode())

    def save(self, file: File) -> None:
        """Write the page.

        Parameters
        ----------
        file : path or binary file object
            Written whole or not at all; one that is there is replaced.
        """
        with writing(file) as opened:
            opened.write(self.html.encode())

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {self.n_bytes:,} bytes)"

    def _shown(self) -> Display:
        found = {"title": self.title, "bytes": self.n_bytes, "models": len(self.evaluation)}
        return Display([Table.record(found)], "Report", [self.verdict] * bool(self.verdict))

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, whose look is no notebook's."""
        return (
            f'<iframe sandbox srcdoc="{html.escape(self.html)}" title="{html.escape(self.title)}" '
            'style="width: 100%; height: 80vh; border: 0"></iframe>'
        )
