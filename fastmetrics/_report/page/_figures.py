"""The figures of a report."""

from __future__ import annotations

import html
import io
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from numpy.typing import NDArray

from fastmetrics._input.models import NamedScores
from fastmetrics._plots.tests import Panel, Row, draw_forest
from fastmetrics._report._beside import may_be_probabilities
from fastmetrics._report._plotted import said
from fastmetrics._report.evaluate_task import most_probable
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.score_plots import plot_pr, plot_roc, plot_thresholds
from fastmetrics._report.slices.slices_result import Slices
from fastmetrics._report.task_evaluation import NAMES
from fastmetrics._report.value_plots import plot_residuals
from fastmetrics.inference.bands import pr_band, roc_band
from fastmetrics.inference.calibration.reliability_band import reliability_band
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.measures.calibration.reliability_diagram import reliability_diagram
from fastmetrics.measures.costs.row_costs import threshold_costs
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

Band = Literal["simultaneous", "pointwise"]

#: Models whose bands can still be told apart in one picture.
MOST_BANDS: Final = 3
#: Models whose decisions are drawn; slices in a picture.
_MOST_MODELS: Final = 4
_MOST_SLICES: Final = 20
_SQUARE: Final = (4.6, 4.6)
_WIDE: Final = (5.4, 4.2)
#: Of a page's text, so many lines' heights are an inch of a figure.
_EMS: Final = 6.6
_AT_START: Final = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA: Final = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_ID: Final = re.compile(r'\bid="([^"]*)"')
_USED: Final = re.compile(r'(?:url\(#|href="#)([^)"]*)')


class Figure(NamedTuple):
    """A picture of the page, and what is written below it."""

    svg: str
    caption: str


def figure_of(
    key: str, caption: str, draw: Callable[..., Any], size: tuple[float, float]
) -> Figure:
    """Return what ``draw`` puts on new axes."""
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=size, layout="constrained")
    draw(ax=drawing.subplots())
    return Figure(svg_of(drawing, key, caption), caption)


class Drawn(NamedTuple):
    """The rows that pictures are of, and what was asked."""

    labels: NDArray[Any]
    models: list[NamedScores]
    threshold: float | None
    band: Band | None
    rng: Any
    asked: Mapping[str, Any]

    @property
    def rows(self) -> dict[str, Any]:
        """What belongs to rows, by the names of arguments."""
        names = ("sample_weight", "groups", "pos_label")
        read = self.asked.get("weights_are") or "importances"
        return {name: self.asked.get(name) for name in names} | {"weights_are": read}

    @property
    def read(self) -> dict[str, Any]:
        """How rows are read where errors are of no matter."""
        return {name: self.rows[name] for name in ("sample_weight", "pos_label")}

    @property
    def prices(self) -> dict[str, Any]:
        """What mistakes cost."""
        return {name: self.asked.get(name) for name in ("cost_fn", "cost_fp", "prevalence")}

    @property
    def has_probabilities(self) -> bool:
        """Whether all scores lie in [0, 1] and may be probabilities."""
        return all(map(may_be_probabilities, self.models))


def said_of(metric: str) -> str:
    """Return what readers call a measure."""
    return NAMES.get(metric, metric.replace("_", " "))


def of_differences(comparisons: Comparisons, level: float) -> list[Figure]:
    """Return the forest plot of every pair by every measure; none where nothing has limits."""
    panels = []
    for metric, one in comparisons.items():
        rows = [
            _row(f"{pair.a} − {pair.b}", pair, is_shown=bool(pair.better)) for pair in one.pairs
        ]
        if not any(math.isfinite(row.estimate) for row in rows):
            continue
        first, second = (one.pairs[0].a, one.pairs[0].b) if len(rows) == 1 else ("first", "second")
        ends = (f"← {second} is better", f"{first} is better →")
        if one.higher_is_better is False:
            ends = (f"← {first} is better", f"{second} is better →")
        sides = ("", "") if one.higher_is_better is None else ends
        panels.append(Panel(said_of(metric), rows, 0.0, sides))
    if not panels:
        return []
    caption = (
        f"Differences of models on the same rows, with {100 * level:g} % intervals. Full: shown to "
        "be other than zero after adjustment over the pairs; hollow: not shown."
    )
    return [Figure(svg_of(draw_forest(panels), "differences", caption), caption)]


def of_slices(slices: Slices, whole: Mapping[tuple[str, str], float]) -> Iterator[Figure]:
    """Yield a forest plot of the worst slices of each model, by the first measure."""
    metric = slices.rows[0].metric
    for k, model in enumerate(dict.fromkeys(row.model for row in slices.rows)):
        own = [row for row in slices.rows if (row.metric, row.model) == (metric, model)]
        flagged = [row.slice for row in slices.flagged() if row in own]
        sign = -1.0 if own[0].higher_is_better is False else 1.0
        known = sorted(
            (row for row in own if math.isfinite(row.estimate)), key=lambda row: sign * row.estimate
        )[:_MOST_SLICES]
        if not known:
            continue
        rows = [
            _row(f"{row.slice} ({row.n_samples:,.0f})", row, is_shown=row.slice in flagged)
            for row in known
        ]
        line = whole.get((metric, model), math.nan)
        more = f" The {len(known)} worst of {len(own)}." if len(known) < len(own) else ""
        caption = (
            f"{model}: slices by {said_of(metric)}, the worst first, rows in brackets; "
            f"limits hold for all at once, the dashed line is the whole.{more} Full: shown to be "
            "worse than the other rows."
        )
        yield Figure(svg_of(draw_forest([Panel("", rows, line)]), f"slices{k}", caption), caption)


def of_curves(drawn: Drawn, level: float) -> Iterator[Figure]:
    """Yield the ROC and the precision-recall curves, with bands of a few models."""
    scores = {model.name: model.values for model in drawn.models}
    has_bands = drawn.band is not None and len(scores) <= MOST_BANDS
    text = f" Bands: {100 * level:g} %, {drawn.band}." if has_bands else ""
    for key, what, plot, make in (
        ("roc", "ROC curves, with the area under each.", plot_roc, roc_band),
        ("pr", "Precision and recall, with the average precision.", plot_pr, pr_band),
    ):
        bands: Any = None
        if has_bands:
            how: dict[str, Any] = {"kind": drawn.band, "confidence_level": level, "rng": drawn.rng}
            own = {**drawn.rows, **how}
            bands = {name: make(drawn.labels, each, **own) for name, each in scores.items()}
        draw = partial(plot, drawn.labels, scores, bands=bands, **drawn.read)
        yield figure_of(key, what + text, draw, _SQUARE)


def of_calibration(drawn: Drawn, level: float) -> Iterator[Figure]:
    """Yield the reliability diagrams of all models on one picture; of one with its band."""
    y_true, rows = drawn.labels, drawn.rows
    has_band = len(drawn.models) == 1 and rows["sample_weight"] is rows["groups"] is None

    def draw(ax: Any) -> None:
        for model in drawn.models:
            diagram = reliability_diagram(y_true, model.values, **drawn.read)
            limits: dict[str, Any] = {}
            if has_band:
                limits["band"] = reliability_band(
                    y_true, model.values, confidence_level=level, pos_label=rows["pos_label"]
                )
            diagram.plot(ax, name=model.name, **limits)

    text = f" Band: {100 * level:g} %." if has_band else ""
    about = "Calibration: the share of positives at each predicted probability (isotonic fit)."
    yield figure_of("calibration", about + text, draw, _SQUARE)


def of_decisions(evaluation: Evaluation, drawn: Drawn) -> Iterator[Figure]:
    """Yield, of each model, costs or rates by threshold, and the matrix of the one taken."""
    for k, model in enumerate(drawn.models[:_MOST_MODELS]):
        own, y_true, y_score = evaluation[model.name], drawn.labels, model.values
        at, why = drawn.threshold, "the threshold given"
        if at is None and own.costs is not None:
            at, why = own.costs.threshold, "the cheapest"
        elif at is None:
            at, why = own.threshold, "the largest TPR − FPR"
        if own.costs is not None:
            about = f"{model.name}: expected cost of an example by threshold."
            costs = threshold_costs(y_true, y_score, **drawn.prices, **drawn.read)
            yield figure_of(f"costs{k}", about, costs.plot, _WIDE)
        else:
            about = f"{model.name}: precision, recall and F1 by threshold."
            draw = partial(plot_thresholds, y_true, y_score, threshold=at, **drawn.read)
            yield figure_of(f"rates{k}", about, draw, _WIDE)
        if math.isfinite(at):
            matrix = ConfusionMatrix.from_scores(y_true, y_score, threshold=at, **drawn.read)
            about = f"{model.name}: decisions at score ≥ {said(at)}, {why}."
            yield figure_of(f"matrix{k}", about, matrix.plot, _WIDE)


def of_task(task: str, drawn: Drawn) -> Iterator[Figure]:
    """Yield, of each model, the matrix of its labels, or its residuals."""
    y_true, weight = drawn.labels, drawn.rows["sample_weight"]
    for k, model in enumerate(drawn.models[:_MOST_MODELS]):
        if task == "values":
            about = f"{model.name}: residuals (true less predicted) by predicted value."
            draw = partial(plot_residuals, y_true, {model.name: model.values})
            yield figure_of(f"residuals{k}", about, draw, _WIDE)
        elif task in ("labels", "multiclass"):
            values = model.values if task == "labels" else most_probable(y_true, model)
            matrix = ConfusionMatrix.from_labels(y_true, values, sample_weight=weight)
            yield figure_of(f"matrix{k}", f"{model.name}: decisions.", matrix.plot, _WIDE)


def _row(label: str, of: Any, *, is_shown: bool) -> Row:
    low, high = of.confidence_interval
    return Row(label, of.estimate, low, high, is_shown)


def quietly(figures: Iterator[Figure]) -> list[Figure]:
    """Return figures; what they would warn of, the evaluation has said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(figures)


def svg_of(figure: Any, key: str, title: str) -> str:
    """Return a figure as an ``<svg>`` element: as wide as its place, its texts texts.

    ``key`` stands before the names of its parts, so that no other figure of the page has them.
    """
    import matplotlib

    file = io.StringIO()
    options: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": key, "figure.dpi": 72.0}
    with matplotlib.rc_context(options):
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(file, format="svg", transparent=True, metadata=metadata)
    text = _METADATA.sub("", _AT_START.sub("", file.getvalue()))
    used = set(_USED.findall(text))
    text = _ID.sub(lambda found: _kept(found, used, key), text)
    text = _USED.sub(lambda found: found[0].replace("#", f"#{key}-", 1), text)
    head, rest = text.split(">", 1)
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    width = f"max-width: {figure.get_figwidth() * _EMS:.1f}rem"
    return f'{head} style="{width}" role="img" aria-label="{html.escape(title)}">{rest}'


def _kept(found: re.Match[str], used: set[str], key: str) -> str:
    """Return an id that something points to; nothing of others."""
    return f'id="{key}-{found[1]}"' if found[1] in used else ""
