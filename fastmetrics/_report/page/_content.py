"""What stands on the page of a report, in order; and the paragraph on methods, to be pasted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from fastmetrics._display import Display, Table, tables_as_html
from fastmetrics._report.diagnosis import Diagnosis
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.model_evaluation import figures_of
from fastmetrics._report.page import _figures
from fastmetrics._report.page._figures import MOST_BANDS, Drawn, Figure, quietly, said_of
from fastmetrics._report.task_evaluation import TaskEvaluation
from fastmetrics._report.versions import version_of
from fastmetrics.inference.estimate_result import METHODS, Estimate, Replicates

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


# --- what was done, and where it comes from -------------------------------------------------------

_SCALES: Final = {
    "logit": "on the logit scale",
    "log": "on the logarithmic scale",
    "lack": "on the logarithm of what a perfect value lacks",
    "atanh": "on Fisher's z scale",
}
_REFERENCES: Final = {
    "bca": "Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American "
    "Statistical Association 82:171-185.",
    "bh": "Benjamini, Y. & Hochberg, Y. (1995). Controlling the false discovery rate. Journal of "
    "the Royal Statistical Society B 57:289-300.",
    "bootstrap": "Efron, B. & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman "
    "& Hall.",
    "delong": "DeLong, E. R., DeLong, D. M. & Clarke-Pearson, D. L. (1988). Comparing the areas "
    "under two or more correlated receiver operating characteristic curves. Biometrics 44:837-845.",
    "holm": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics 6:65-70.",
    "influence": "Efron, B. (1982). The jackknife, the bootstrap and other resampling plans. SIAM, "
    "chapter 6 (the infinitesimal jackknife).",
    "isotonic": "Dimitriadis, T., Gneiting, T. & Jordan, A. I. (2021). Stable reliability diagrams "
    "for probabilistic classifiers. PNAS 118:e2016191118.",
    "sidak": "Šidák, Z. (1967). Rectangular confidence regions for the means of multivariate "
    "normal distributions. Journal of the American Statistical Association 62:626-633.",
    "newcombe": "Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on "
    "the Mann-Whitney statistic. Part 2. Statistics in Medicine 25:559-573.",
    "wilson": "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical "
    "inference. Journal of the American Statistical Association 22:209-212.",
}


class Methods(NamedTuple):
    """The paragraph, and the references that it needs, by author."""

    text: str
    references: list[str]


def methods_of(evaluation: Found, drawn: Drawn) -> Methods:
    """Return what was done, as a paragraph."""
    cited: dict[str, None] = {}
    version, size = version_of("fastmetrics"), size_of(evaluation, drawn)
    sentences = [f"With fastmetrics {version}, {size} were evaluated."]
    sentences += _of_intervals(evaluation, cited)
    rows = drawn.rows
    if rows["groups"] is not None:
        sentences.append("The units of all errors are groups, not rows.")
    if rows["sample_weight"] is not None:
        sentences.append(f"Weights were read as {rows['weights_are']}.")
    if evaluation.comparisons is not None:
        sentences.append(
            "Models were compared in pairs on the same rows; p-values are of no difference, "
            "adjusted over the pairs of each measure by Holm's method."
        )
        cited["holm"] = None
    if evaluation.slices is not None:
        sentences.append(
            f"Measures of the {evaluation.slices.n_slices} slices have limits that hold for all at "
            "once (Šidák); slices that are worse than the other rows were "
            "named by the procedure of Benjamini and Hochberg at a false discovery rate of 5 %."
        )
        cited |= dict.fromkeys(("sidak", "bh"))
    is_of_two = isinstance(evaluation, Evaluation)
    band = drawn.band if is_of_two and len(drawn.models) <= MOST_BANDS else None
    if band == "simultaneous":
        seed = f" (seed {drawn.rng})" if isinstance(drawn.rng, int) else ""
        sentences.append(f"Bands around curves hold for the whole curve, by bootstrap{seed}.")
        cited["bootstrap"] = None
    elif band is not None:
        sentences.append("Bands around curves hold at each point by itself.")
    if is_of_two and drawn.has_probabilities:
        sentences.append("Calibration was judged by isotonic regression of labels on scores.")
        cited["isotonic"] = None
    return Methods(" ".join(sentences), sorted(_REFERENCES[key] for key in cited))


def _of_intervals(evaluation: Found, cited: dict[str, None]) -> Iterator[str]:
    """Yield a sentence for each way in which intervals were made."""
    level = f"{100 * evaluation.confidence_level:g} % confidence intervals"
    of_way: dict[str, dict[str, list[str]]] = {}
    for metric, one in figures_of(evaluation[0]).items():
        scale = _SCALES.get(one.scale, "") if one.method == "influence" else ""
        of_way.setdefault(_way(one, cited), {}).setdefault(scale, []).append(said_of(metric))
        if metric == "roc_auc" and one.method == "influence":
            cited["delong"] = None
    for way, of_scale in of_way.items():
        if list(of_scale) == [""]:
            yield f"{level} of {_listed(of_scale[''])} are {way}."
            continue
        each = (
            f"{scale or 'as they are'} for {_listed(metrics)}"
            for scale, metrics in of_scale.items()
        )
        yield f"{level} are {way}, taken {', '.join(each)}."


def _way(one: Estimate, cited: dict[str, None]) -> str:
    """Return how an interval was made, and note what it is from."""
    cited |= {key: None for key in _REFERENCES if key in one.method}
    if isinstance(one.details, Replicates):
        n = len(one.details.distribution)
        cited["bootstrap"] = None
        what = METHODS.get(one.method, one.method)
        return f"{what} bootstrap intervals of {n:,} resamples (key {one.details.key})"
    if one.method == "influence":
        return (
            "Student's t intervals, with errors from the influence of each row and degrees of "
            "freedom from the effective number of rows"
        )
    return f"by {METHODS.get(one.method, one.method)}"


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
