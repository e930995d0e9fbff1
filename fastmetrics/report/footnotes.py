"""Notes of an evaluation's intervals below its tables, and the marks that lead to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastmetrics.report.evaluation_result import Evaluation

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Footnotes:
    """The different notes of the bootstrap's intervals, numbered from 1.

    Parameters
    ----------
    evaluation : Evaluation
        Whose intervals a bootstrap made.

    Attributes
    ----------
    texts : list of str
        Mark and note; with several models, the models that a note is about, unless it is all.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._of_metric: dict[str, list[str]] = {}
        about: dict[str, list[str]] = {}
        for model in evaluation:
            for metric, result in (model.bootstrap or {}).items():
                if result.note:
                    notes = self._of_metric.setdefault(metric, [])
                    notes += [result.note] * (result.note not in notes)
                    names = about.setdefault(result.note, [])
                    names += [model.name] * (model.name not in names)
        self._mark = {note: str(k).translate(_RAISED) for k, note in enumerate(about, start=1)}
        self.texts = []
        for note, names in about.items():
            of = "" if len(names) == len(evaluation) else f"{', '.join(names)}: "
            self.texts.append(f"{self._mark[note]} {of}{note}.")

    def marks(self, metric: str) -> str:
        """Return the marks of a measure's notes, a space before them; usually empty."""
        found = ",".join(self._mark[note] for note in self._of_metric.get(metric, []))
        return f" {found}" if found else ""
