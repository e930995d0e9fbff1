"""``report``: an evaluation as a page that one can send, a ``Report``."""

from __future__ import annotations

import html
import io
import math
import platform
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from inspect import signature
from os import PathLike, fspath
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._display import Display, Table, note_as_html, split, tables_as_html
from fastmetrics._docs import documented
from fastmetrics._files import File, writing
from fastmetrics._input.columns import take_columns
from fastmetrics._input.containers import as_array, named_columns
from fastmetrics._input.rows import NamedScores
from fastmetrics._input.scalars import check_choice, check_text
from fastmetrics._number_text import percent_text
from fastmetrics._plots._style import require_matplotlib
from fastmetrics._plots.tests import Panel, draw_forest
from fastmetrics._report.doctor import Diagnosis, doctor, get_version
from fastmetrics._report.evaluation import evaluate
from fastmetrics._report.evaluation_result import AUC, NAMES, Evaluation, get_estimates
from fastmetrics._report.plots import as_text, plot_pr, plot_residuals, plot_roc, plot_thresholds
from fastmetrics._report.score_evaluation import (
    OF_ROWS,
    EvaluateOptions,
    as_models,
    may_be_probabilities,
)
from fastmetrics._report.slices import Slices
from fastmetrics._report.task_evaluation import by_class, most_probable
from fastmetrics._results import Result
from fastmetrics.errors import InputError, importing, no_parameter
from fastmetrics.inference.bands import pr_band, roc_band
from fastmetrics.inference.calibration import reliability_band
from fastmetrics.inference.comparison_result import Comparisons, adjustment_text
from fastmetrics.inference.estimate_result import METHODS, Estimate, Replicates
from fastmetrics.metrics.calibration.reliability_diagram import reliability_diagram
from fastmetrics.metrics.costs.operating_point import threshold_costs
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

BandKind = Literal["simultaneous", "pointwise"]

#: Models whose bands can still be told apart in one picture.
MOST_BANDS: Final = 3
#: Models whose decisions are drawn; slices in a picture.
_MOST_MODELS: Final = 4
_MOST_SLICES: Final = 20
_SQUARE: Final = (4.6, 4.6)
_WIDE: Final = (5.4, 4.2)
#: Line heights of a page's text in an inch of a figure.
_EMS: Final = 6.6
_AT_START: Final = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA: Final = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_ID: Final = re.compile(r'\bid="([^"]*)"')
_USED: Final = re.compile(r'(?:url\(#|href="#)([^)"]*)')


#: A picture of the page as SVG, and what is written below it.
Figure = tuple[str, str]


def draw_figure(
    key: str, caption: str, draw: Callable[..., Any], size: tuple[float, float]
) -> Figure:
    """Draw on new axes; return the picture and its caption."""
    from matplotlib.figure import Figure as Canvas

    drawing = Canvas(figsize=size, layout="constrained")
    draw(ax=drawing.subplots())
    return to_svg(drawing, key, caption), caption


@dataclass(frozen=True, slots=True, eq=False)
class ReportData:
    """Rows that a page is about, and what it was asked."""

    labels: NDArray[Any]
    models: list[NamedScores]
    options: EvaluateOptions
    threshold: float | None
    band: BandKind | None
    rng: Any

    @property
    def read(self) -> dict[str, Any]:
        """Options of rows for figures without intervals."""
        return self.options.given("sample_weight", "pos_label")

    @property
    def has_probabilities(self) -> bool:
        """True if all scores lie in [0, 1] and may be probabilities."""
        return all(map(may_be_probabilities, self.models))


def metric_title(metric: str) -> str:
    """Return the name of a metric for readers."""
    return NAMES.get(metric, metric.replace("_", " "))


def difference_figures(comparisons: Comparisons, level: float) -> list[Figure]:
    """Return the forest plot of every pair by every metric; none where nothing has limits."""
    panels = []
    for metric, one in comparisons.items():
        rows = [(f"{pair.a} − {pair.b}", pair, bool(pair.better)) for pair in one.pairs]
        if not any(math.isfinite(pair.estimate) for pair in one.pairs):
            continue
        first, second = (one.pairs[0].a, one.pairs[0].b) if len(rows) == 1 else ("first", "second")
        ends = (f"← {second} is better", f"{first} is better →")
        if one.higher_is_better is False:
            ends = (f"← {first} is better", f"{second} is better →")
        sides = ("", "") if one.higher_is_better is None else ends
        panels.append(Panel(metric_title(metric), rows, 0.0, sides))
    if not panels:
        return []
    caption = (
        f"Differences between models on the same rows, with {percent_text(level)} intervals. "
        "Filled: significant, corrected for the pairs; hollow: not significant."
    )
    return [(to_svg(draw_forest(panels), "differences", caption), caption)]


def slice_figures(slices: Slices, whole: Mapping[tuple[str, str], float]) -> Iterator[Figure]:
    """Yield a forest plot of the worst slices of each model, by the first metric."""
    metric = slices.rows[0].metric
    for k, model in enumerate(dict.fromkeys(row.model for row in slices.rows)):
        all_rows = [row for row in slices.rows if (row.metric, row.model) == (metric, model)]
        flagged = [row.slice for row in slices.flagged() if row in all_rows]
        sign = -1.0 if all_rows[0].higher_is_better is False else 1.0
        finite = (row for row in all_rows if math.isfinite(row.estimate))
        known = sorted(finite, key=lambda row: sign * row.estimate)[:_MOST_SLICES]
        if not known:
            continue
        rows = [(f"{row.slice} ({row.n_samples:,.0f})", row, row.slice in flagged) for row in known]
        line = whole.get((metric, model), math.nan)
        more = f" The {len(known)} worst of {len(all_rows)}." if len(known) < len(all_rows) else ""
        caption = (
            f"{model}: slices by {metric_title(metric)}, the worst first, rows in brackets. "
            f"Intervals hold for all at once; the dashed line is for all rows.{more} Filled: "
            "significantly worse than the other rows."
        )
        yield to_svg(draw_forest([Panel("", rows, line)]), f"slices{k}", caption), caption


def curve_figures(data: ReportData, level: float) -> Iterator[Figure]:
    """Yield the ROC and the precision-recall curves, with bands of a few models."""
    scores = {model.name: model.values for model in data.models}
    has_bands = data.band is not None and len(scores) <= MOST_BANDS
    text = f" Bands: {percent_text(level)}, {data.band}." if has_bands else ""
    for key, what, plot, make in (
        ("roc", "ROC curves with the area under each.", plot_roc, roc_band),
        ("pr", "Precision-recall curves with the average precision of each.", plot_pr, pr_band),
    ):
        bands: Any = None
        if has_bands:
            options = data.options.given("weights_are", *OF_ROWS)
            options |= {"kind": data.band, "confidence_level": level, "rng": data.rng}
            bands = {name: make(data.labels, each, **options) for name, each in scores.items()}
        draw = partial(plot, data.labels, scores, bands=bands, **data.read)
        yield draw_figure(key, what + text, draw, _SQUARE)


def calibration_figures(data: ReportData, level: float) -> Iterator[Figure]:
    """Yield the reliability diagrams of all models on one picture; of one with its band."""
    y_true = data.labels
    options = data.options
    has_band = len(data.models) == 1 and options.sample_weight is options.groups is None

    def draw(ax: Any) -> None:
        for model in data.models:
            diagram = reliability_diagram(y_true, model.values, **data.read)
            limits: dict[str, Any] = {}
            if has_band:
                limits["band"] = reliability_band(
                    y_true, model.values, confidence_level=level, pos_label=options.pos_label
                )
            diagram.plot(ax, name=model.name, **limits)

    text = f" Band: {percent_text(level)}." if has_band else ""
    about = "Calibration: the proportion of positives by predicted probability (isotonic fit)."
    yield draw_figure("calibration", about + text, draw, _SQUARE)


def decision_figures(evaluation: Evaluation, data: ReportData) -> Iterator[Figure]:
    """Yield, of each model, costs or rates by threshold, and the matrix of the one taken."""
    y_true = data.labels
    for k, model in enumerate(data.models[:_MOST_MODELS]):
        result = evaluation[model.name]
        at, why = data.threshold, "the given threshold"
        if at is None and result.costs is not None:
            at, why = result.costs.threshold, "the cheapest threshold"
        elif at is None:
            at, why = result.threshold, "the largest TPR − FPR"
        if result.costs is not None:
            about = f"{model.name}: expected cost per row by threshold."
            given = data.options.given("cost_fn", "cost_fp", "prevalence")
            costs = threshold_costs(y_true, model.values, **given, **data.read)
            yield draw_figure(f"costs{k}", about, costs.plot, _WIDE)
        else:
            about = f"{model.name}: precision, recall and F1 by threshold."
            draw = partial(plot_thresholds, y_true, model.values, threshold=at, **data.read)
            yield draw_figure(f"rates{k}", about, draw, _WIDE)
        if math.isfinite(at):
            matrix = ConfusionMatrix.from_scores(y_true, model.values, threshold=at, **data.read)
            about = f"{model.name}: confusion matrix at score ≥ {as_text(at)}, {why}."
            yield draw_figure(f"matrix{k}", about, matrix.plot, _WIDE)


def error_figures(task: str, data: ReportData) -> Iterator[Figure]:
    """Yield, of each model, the matrix of its labels, or its residuals."""
    y_true = data.labels
    weight = data.options.sample_weight
    for k, model in enumerate(data.models[:_MOST_MODELS]):
        if task == "values":
            about = f"{model.name}: residuals (true − predicted) by predicted value."
            draw = partial(plot_residuals, y_true, {model.name: model.values})
            yield draw_figure(f"residuals{k}", about, draw, _WIDE)
        elif task in ("labels", "multiclass"):
            values = model.values if task == "labels" else most_probable(y_true, model)
            matrix = ConfusionMatrix.from_labels(y_true, values, sample_weight=weight)
            yield draw_figure(f"matrix{k}", f"{model.name}: confusion matrix.", matrix.plot, _WIDE)


def quietly(figures: Iterator[Figure]) -> list[Figure]:
    """Return figures; what they would warn of, the evaluation has said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(figures)


def to_svg(figure: Any, key: str, title: str) -> str:
    """Return a figure as an ``<svg>`` element whose ids begin with ``key``, with texts as texts."""
    import matplotlib

    file = io.StringIO()
    options: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": key, "figure.dpi": 72.0}
    with matplotlib.rc_context(options):
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(file, format="svg", transparent=True, metadata=metadata)
    text = _METADATA.sub("", _AT_START.sub("", file.getvalue()))
    used = set(_USED.findall(text))
    text = _ID.sub(lambda match: _kept(match, used, key), text)
    text = _USED.sub(lambda match: match[0].replace("#", f"#{key}-", 1), text)
    head, rest = text.split(">", 1)
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    width = f"max-width: {figure.get_figwidth() * _EMS:.1f}rem"
    return f'{head} style="{width}" role="img" aria-label="{html.escape(title)}">{rest}'


def _kept(match: re.Match[str], used: set[str], key: str) -> str:
    """Return an id that something points to; nothing of others."""
    return f'id="{key}-{match[1]}"' if match[1] in used else ""


_SEVERITIES: Final = {"error": "Error", "warning": "Warning", "note": "Note"}


def build_sections(
    evaluation: Evaluation, data: ReportData, diagnosis: Diagnosis | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each heading of the page with its texts, tables as HTML, figures, notes and details."""
    yield "Data", {"texts": list(_about_data(diagnosis))}
    slices = evaluation.slices
    level = evaluation.confidence_level
    short, rest = split(replace(evaluation, slices=None)._display())
    details = {"details": rest.notes, "all_rows": _html(rest.tables)}
    yield "Metrics", {"tables": _html(short.tables), "notes": short.notes} | details
    if evaluation.comparisons is not None:
        yield "Differences", {"figures": difference_figures(evaluation.comparisons, level)}
    drawings: dict[str, Iterator[Figure]] = {}
    if evaluation.task != "binary":
        drawings["Errors"] = error_figures(evaluation.task, data)
    elif not any(math.isnan(model.roc_auc) for model in evaluation):
        drawings["Curves"] = curve_figures(data, level)
        if data.has_probabilities:
            drawings["Calibration"] = calibration_figures(data, level)
        drawings["Decisions"] = decision_figures(evaluation, data)
    for heading, figures in drawings.items():
        yield heading, {"figures": quietly(figures)}
    if slices is not None:
        whole = {
            (metric, name): one.estimate
            for name, model in evaluation.models.items()
            for metric, one in get_estimates(model).items()
        }
        forests = quietly(slice_figures(slices, whole))
        texts = [*slices.findings(), *slices.notes()]
        yield "Slices", {"texts": texts, "tables": _html(slices.tables()), "figures": forests}


def _about_data(diagnosis: Diagnosis | None) -> Iterator[str]:
    """Yield what is wrong with the data, as far as that was looked for."""
    if diagnosis is None:
        return
    if not diagnosis.findings:
        yield "`doctor` finds nothing wrong with labels and scores."
    for each in diagnosis.findings:
        whose = f"{each.model}: " if each.model else ""
        yield f"{_SEVERITIES[each.severity]}: {whose}{each.text}."


def describe_size(evaluation: Evaluation, data: ReportData) -> str:
    """Return the numbers of models and of rows."""
    k = len(data.models)
    models = f"{k} models" if k > 1 else f"one model ({data.models[0].name})"
    n = f"{len(data.labels):,} rows"
    groups = data.options.groups
    if groups is not None:
        n += f" in {len(np.unique(np.asarray(groups))):,} groups"
    if evaluation.task == "binary":
        one = evaluation[0]
        n += f", {one.n_positive:,.6g} positive and {one.n_negative:,.6g} negative"
    elif evaluation.task == "rankings":
        n += f" of {evaluation.n_samples:,.0f} queries"
    return f"{models} on {n}"


def _html(tables: Iterable[Table]) -> list[str]:
    """Return tables as HTML, each by itself: of several none is left out."""
    plain = (replace(table, caption="") for table in tables)
    return [html for table in plain for html in tables_as_html(Display([table]))]


# --- what was done, and where it comes from -------------------------------------------------------

_SCALES: Final = {
    "logit": "on the logit scale",
    "log": "on the logarithmic scale",
    "lack": "on the logarithm of the distance to a perfect value",
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
    "Holm": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics 6:65-70.",
    "influence": "Efron, B. (1982). The jackknife, the bootstrap and other resampling plans. SIAM, "
    "chapter 6 (the infinitesimal jackknife).",
    "isotonic": "Dimitriadis, T., Gneiting, T. & Jordan, A. I. (2021). Stable reliability diagrams "
    "for probabilistic classifiers. PNAS 118:e2016191118.",
    "sidak": "Šidák, Z. (1967). Rectangular confidence regions for the means of multivariate "
    "normal distributions. Journal of the American Statistical Association 62:626-633.",
    "max-T": "Westfall, P. H. & Young, S. S. (1993). Resampling-based multiple testing. Wiley.",
    "newcombe": "Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on "
    "the Mann-Whitney statistic. Part 2. Statistics in Medicine 25:559-573.",
    "wilson": "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical "
    "inference. Journal of the American Statistical Association 22:209-212.",
}


def describe_methods(evaluation: Evaluation, data: ReportData) -> tuple[str, tuple[str, ...]]:
    """Return the paragraph on methods, and its references by author."""
    cited: dict[str, None] = {}
    subject = describe_size(evaluation, data) + (" were" if len(data.models) > 1 else " was")
    sentences = [f"With fastmetrics {get_version('fastmetrics')}, {subject} evaluated."]
    sentences += _interval_sentences(evaluation, cited)
    options = data.options
    if options.groups is not None:
        sentences.append("Standard errors are clustered by group.")
    if options.sample_weight is not None:
        sentences.append(f"Weights were read as {options.weights_are}.")
    if evaluation.comparisons is not None:
        compared = evaluation.comparisons
        adjusted = ""
        if any(len(one.pairs) > 1 for one in compared.values()):
            adjusted = f", adjusted over the pairs of each metric by {adjustment_text(compared)}"
            cited |= dict.fromkeys(one.adjustment for one in compared.values())
        sentences.append(
            f"Models were compared in pairs on the same rows; p-values test equality{adjusted}."
        )
    if evaluation.slices is not None:
        sentences.append(
            f"Intervals of the {evaluation.slices.n_slices} slices are simultaneous (Šidák); "
            "slices worse than the other rows were selected by the procedure of Benjamini and "
            "Hochberg at a false discovery rate of 5 %."
        )
        cited |= dict.fromkeys(("sidak", "bh"))
    is_of_two = evaluation.task == "binary"
    band = data.band if is_of_two and len(data.models) <= MOST_BANDS else None
    if band == "simultaneous":
        seed = f" (seed {data.rng})" if isinstance(data.rng, int) else ""
        sentences.append(f"Bands around curves are simultaneous bootstrap bands{seed}.")
        cited["bootstrap"] = None
    elif band is not None:
        sentences.append("Bands around curves are pointwise.")
    if is_of_two and data.has_probabilities:
        sentences.append("Calibration was assessed by isotonic regression of labels on scores.")
        cited["isotonic"] = None
    return " ".join(sentences), tuple(sorted(_REFERENCES[key] for key in cited))


def _interval_sentences(evaluation: Evaluation, cited: dict[str, None]) -> Iterator[str]:
    """Yield a sentence for each way in which intervals were made."""
    level = f"{percent_text(evaluation.confidence_level)} confidence intervals"
    by_way: dict[str, dict[str, list[str]]] = {}
    for metric, one in get_estimates(evaluation[0]).items():
        scale = _SCALES.get(one.scale, "") if one.method == "influence" else ""
        by_way.setdefault(_way(one, cited), {}).setdefault(scale, []).append(metric_title(metric))
        if metric == AUC and one.method == "influence":
            cited["delong"] = None
    for way, by_scale in by_way.items():
        if list(by_scale) == [""]:
            yield f"{level} of {_listed(by_scale[''])} are {way}."
            continue
        each = (
            f"{scale or 'as they are'} for {_listed(metrics)}"
            for scale, metrics in by_scale.items()
        )
        yield f"{level} are {way}, taken {', '.join(each)}."


def _way(one: Estimate, cited: dict[str, None]) -> str:
    """Return how an interval was made, and note what it is from."""
    methods = "newcombe delong" if one.method == "score" else one.method
    cited |= {key: None for key in _REFERENCES if key in methods}
    if isinstance(one.details, Replicates):
        n = len(one.details.distribution)
        cited["bootstrap"] = None
        what = METHODS.get(one.method, one.method)
        return f"{what} bootstrap intervals of {n:,} resamples (key {one.details.key})"
    if one.method == "influence":
        return (
            "Student's t intervals, with standard errors by the infinitesimal jackknife and "
            "degrees of freedom from the effective number of rows"
        )
    return f"by {METHODS.get(one.method, one.method)}"


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


#: Where the page says how large it is, in kilobytes.
_SIZE: Final = "=SIZE="


@dataclass(frozen=True, slots=True, repr=False)
class Report(Result):
    """A page about an evaluation, and what stands on it.

    Attributes
    ----------
    title : str
        Of the page.
    html : str
        All of it: one text that needs no other file, asks no server and runs no script.
    evaluation : Evaluation
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
    evaluation: Evaluation
    diagnosis: Diagnosis | None
    methods: str
    references: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """The models that are significantly better, and in what; empty of one model."""
        return self.evaluation.verdict

    @property
    def n_bytes(self) -> int:
        """Size of the file in bytes."""
        return len(self.html.encode())

    def save(self, file: File) -> None:
        """Write the page.

        Parameters
        ----------
        file : path or binary file object
            Written whole or not at all; one that is there is replaced. A path must end in ``.html``
            or ``.htm``.
        """
        check_page(file)
        with writing(file) as opened:
            opened.write(self.html.encode())

    def to_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return the numbers of the evaluation by name, as its `to_metrics`."""
        return self.evaluation.to_metrics(prefix)

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {self.n_bytes:,} bytes)"

    def _display(self) -> Display:
        fields = {"title": self.title, "bytes": self.n_bytes, "models": len(self.evaluation)}
        return Display([Table.record(fields)], "Report", answer=self.verdict.split("\n"))

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, whose look is no notebook's."""
        return (
            f'<iframe sandbox srcdoc="{html.escape(self.html)}" title="{html.escape(self.title)}" '
            'style="width: 100%; height: 80vh; border: 0"></iframe>'
        )


@documented()
def report(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    data: Any = None,
    title: str = "Evaluation",
    command: str = "",
    threshold: float | None = None,
    band: BandKind | None = "simultaneous",
    rng: Any = 0,
    **of_evaluate: Any,
) -> Report:
    """Evaluate models, and lay the figures, the pictures and what they mean out as one page.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, numbers, or how relevant items are, as `evaluate` takes them.
    scores : mapping of str to array-like, data frame, or array-like
        Predictions of each model by its name, as `evaluate` takes them.
    title : str, default="Evaluation"
        Of the page.
    command : str, optional
        What makes the page again, to be printed on it.
    threshold : float, optional
        Of scores of two classes: the decisions that are data. By default the cheapest where
        mistakes have prices, else that of the largest TPR - FPR.
    band : {"simultaneous", "pointwise"} or None, default="simultaneous"
        Around the ROC and the precision-recall curves of up to three models: where the whole curve
        lies, by a bootstrap; where each point lies by itself; or none.
    rng : int or numpy Generator, default=0
        Seed of what is resampled: bands, and intervals where `n_resamples` is given. A number is
        printed, and the same page comes of it each time.
    **of_evaluate
        All else that `evaluate` takes: `metrics`, `slices`, `groups`, `cost_fn`, `confidence_level`
        and so on.

    Returns
    -------
    Report
        The page as `html`, to `save`; and the evaluation that it shows.

    Raises
    ------
    TypeError, ValueError
        As `evaluate`; of tables of scores too, which do not have what is data here.
    ImportError
        If jinja2 or matplotlib is not installed.

    Notes
    -----
    The page is one file: figures are inline SVG, there is no script, no font and no request, and no
    row of the data. Names of models, columns and slices are escaped. It follows the reader's choice
    of a dark or a light look, and fits a phone and a sheet of paper.

    The page begins with the answer: which model is better in what. Then come the findings of
    `doctor`; metrics with intervals; differences between models, as a table and a forest plot; ROC
    and precision-recall curves; calibration, where all scores may be probabilities; costs or rates
    by threshold, with a confusion matrix; slices; a paragraph on methods with its references, to
    be pasted; versions, the seed, the command. Other tasks have the parts that apply.

    Time is that of `evaluate`, one sort a model and curve, and of "simultaneous" bands about
    2,000 replicates of the curve.

    Examples
    --------
    >>> y_true = [1, 0, 1, 1, 0, 0, 1, 0] * 5
    >>> a = [0.77, 0.62, 0.58, 0.47, 0.47, 0.33, 0.23, 0.15] * 5
    >>> page = report(y_true, {"a": a}, band=None)
    >>> page.evaluation["a"].roc_auc
    0.65625
    >>> "<h1>Evaluation</h1>" in page.html, "<script" in page.html
    (True, False)
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": y_true, "a": a})
    >>> report("y", "a", data=frame, band=None).evaluation == page.evaluation
    True
    """
    if data is not None:
        return report(**take_columns(locals()))
    require_matplotlib()
    template = _template()
    check_text("title", title)
    check_text("command", command)
    known = {*signature(report).parameters, *signature(evaluate).parameters} - {"of_evaluate"}
    for name in of_evaluate:
        if name not in known:
            raise no_parameter(name, "report", sorted(known))
    if band is not None:
        check_choice("band", band, ("simultaneous", "pointwise"))
    if threshold is not None and of_evaluate.get("metrics") is not None:
        of_evaluate["threshold"] = threshold
    if of_evaluate.get("n_resamples") is not None:
        of_evaluate["rng"] = rng
    evaluation = evaluate(y_true, scores, **of_evaluate)
    models = as_models(scores, of_evaluate.get("names"), evaluation.task)
    models = by_class(y_true, models) if evaluation.task == "multiclass" else models
    models = [each._replace(values=_to_array(each.values, each.argument)) for each in models]
    known = {each.name for each in fields(EvaluateOptions)}
    options = EvaluateOptions(**{n: each for n, each in of_evaluate.items() if n in known})
    data = ReportData(_to_array(y_true, "y_true"), models, options, threshold, band, rng)
    diagnosis = None
    if evaluation.task == "binary":
        given = options.given("groups", "pos_label")
        diagnosis = doctor(data.labels, {each.name: each.values for each in models}, **given)
    methods, references = describe_methods(evaluation, data)
    size = describe_size(evaluation, data)
    versions = [f"{name} {get_version(name)}" for name in ("fastmetrics", "NumPy", "Numba")]
    content = template.render(
        title=title,
        about=f"{size[0].upper()}{size[1:]}.",
        size=_SIZE,
        answer=split(evaluation._display())[0].answer,
        sections=[
            {"key": heading.lower(), "heading": heading, **blocks}
            for heading, blocks in build_sections(evaluation, data, diagnosis)
            if any(blocks.values())
        ],
        methods=methods,
        references=references,
        versions=", ".join([*versions, f"Python {platform.python_version()}"]),
        command=command,
    )
    head, _, tail = content.rpartition(_SIZE)
    content = f"{head}{len(content.encode()) / 1000:,.0f}{tail}"
    return Report(title, content, evaluation, diagnosis, methods, references)


def check_page(file: File) -> None:
    """Raise if a path names another format than HTML."""
    if isinstance(file, str | PathLike) and not fspath(file).lower().endswith((".html", ".htm")):
        raise InputError(
            f"a report is HTML: its name must end in .html or .htm: got {fspath(file)!r}; a "
            "browser prints it as PDF"
        )


def _to_array(values: Any, name: str) -> NDArray[Any]:
    """Return an array; of several labels, of which nothing is data, a matrix of any dtype."""
    if not isinstance(values, Mapping):
        return as_array(values, name)
    return np.stack([*named_columns(values, name).values()], axis=1)


def _template() -> Any:
    with importing("reports need jinja2: pip install 'fastmetrics-eval[report]'"):
        import jinja2
        import markupsafe
    loader = jinja2.PackageLoader("fastmetrics._report", "")
    environment = jinja2.Environment(
        autoescape=True, loader=loader, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["words"] = lambda text: markupsafe.Markup(note_as_html(text))
    return environment.get_template("page.html")
