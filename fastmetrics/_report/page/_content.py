"""What stands on the page of a report, in order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from fastmetrics._display.drawing import tables_as_html
from fastmetrics._display.table import Display, Table
from fastmetrics._report.diagnosis import Diagnosis
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.page import _figures
from fastmetrics._report.page._figures import Drawn, Figure, quietly
from fastmetrics._report.task_evaluation import TaskEvaluation

Found = Evaluation | TaskEvaluation

_ABOUT: Final = ("differences", "slices", "measures")
_SEVERITIES: Final = {"error": "Wrong", "warning": "Doubtful", "note": "Good to know"}


class Section(NamedTuple):
    """A part of the page: a heading, texts, tables as HTML, figures, and what is to be known."""

    key: str
    heading: str
    texts: Sequence[str] = ()
    tables: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    notes: Sequence[str] = ()


def sections_of(found: Found, drawn: Drawn, diagnosis: Diagnosis | None) -> Iterator[Section]:
    """Yield the parts of the page between the verdict and the methods."""
    yield Section("data", "Data", list(_about_data(diagnosis)))
    tables = found._shown().tables
    of_pairs, of_slices, others = ([t for t in tables if _about(t) == about] for about in _ABOUT)
    yield Section("measures", "Measures", (), _html(others), (), _notes(found))
    level = found.confidence_level
    if found.comparisons is not None:
        pairs = _figures.of_differences(found.comparisons, level)
        yield Section("differences", "Differences", (), _html(of_pairs), pairs)
    drawings: dict[str, Iterator[Figure]] = {}
    if isinstance(found, TaskEvaluation):
        drawings["Errors"] = _figures.of_task(found.task, drawn)
    elif not any(math.isnan(model.roc_auc) for model in found):
        drawings["Curves"] = _figures.of_curves(drawn, level)
        if drawn.has_probabilities:
            drawings["Calibration"] = _figures.of_calibration(drawn, level)
        drawings["Decisions"] = _figures.of_decisions(found, drawn)
    for heading, figures in drawings.items():
        yield Section(heading.lower(), heading, (), (), quietly(figures))
    if found.slices is not None:
        whole = {
            (metric, name): one.estimate
            for name, own in found._estimates().items()
            for metric, one in own.items()
        }
        forests = quietly(_figures.of_slices(found.slices, whole))
        yield Section("slices", "Slices", found.slices.notes(), _html(of_slices), forests)


def _about_data(diagnosis: Diagnosis | None) -> Iterator[str]:
    """Yield what is wrong with the data, as far as that was looked for."""
    if diagnosis is None:
        return
    if not diagnosis.findings:
        yield "Nothing is wrong with labels and scores that could be seen from them."
    for each in diagnosis.findings:
        whose = f"{each.model}: " if each.model else ""
        yield f"{_SEVERITIES[each.severity]}: {whose}{each.text}."


def size_of(found: Found, drawn: Drawn) -> str:
    """Return how many models were judged on how many rows."""
    k = len(drawn.models)
    models = f"{k} models" if k > 1 else f"one model ({drawn.models[0].name})"
    n = f"{len(drawn.labels):,} rows"
    groups = drawn.asked.get("groups")
    if groups is not None:
        n += f" in {len(np.unique(np.asarray(groups))):,} groups"
    if isinstance(found, Evaluation):
        one = found[0]
        n += f", {one.n_positive:,.6g} positive and {one.n_negative:,.6g} negative"
    elif found.task == "rankings":
        n += f" of {found.n_samples:,.0f} queries"
    return f"{models} on {n}"


def _notes(found: Found) -> list[str]:
    """Return the notes of an evaluation that are not said elsewhere on the page."""
    said = [*found.verdict.split("\n"), *(found.slices.notes() if found.slices else ())]
    return [note for note in found._shown().notes if note not in said]


def _about(table: Table) -> str:
    """Return which part of the page a table belongs to."""
    if "minus_model" in table.columns:
        return "differences"
    return "slices" if table.caption == "Slices" else "measures"


def _html(tables: Iterable[Table]) -> list[str]:
    """Return tables as HTML, each by itself: of several none is left out."""
    plain = (replace(table, caption="") for table in tables)
    return [html for table in plain for html in tables_as_html(Display([table]))]
