"""The figures of a report."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from fastmetrics._input.models import NamedScores
from fastmetrics._plots.forest import Panel, Row, draw_forest
from fastmetrics._report._plotted import said
from fastmetrics._report.evaluation_result import NAMES, Evaluation
from fastmetrics._report.page._svg import svg_of
from fastmetrics._report.score_plots import plot_pr, plot_roc, plot_thresholds
from fastmetrics._report.slices.slices_result import Slices
from fastmetrics._report.tasks.evaluate_task import most_probable
from fastmetrics._report.tasks.task_evaluation import NAMES as NAMES_OF_TASKS, TaskEvaluation
from fastmetrics._report.value_plots import plot_residuals
from fastmetrics.inference.bands.bands import pr_band, roc_band
from fastmetrics.inference.calibration.reliability_band import reliability_band
from fastmetrics.inference.comparison_result import Comparisons
from fastmetrics.measures.calibration.reliability_diagram import reliability_diagram
from fastmetrics.measures.costs.row_costs import threshold_costs
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: Models whose bands can still be told apart in one picture.
MOST_BANDS: Final = 3
#: Models whose decisions are drawn; slices in a picture.
_MOST_MODELS: Final = 4
_MOST_SLICES: Final = 20
_SQUARE: Final = (4.6, 4.6)
_WIDE: Final = (5.4, 4.2)
_NAMES: Final = NAMES | NAMES_OF_TASKS


class Figure(NamedTuple):
    """A picture of the page, and what is written below it."""

    svg: str
    caption: str


def figure_of(
    key: str, caption: str, draw: Callable[[Any], Any], size: tuple[float, float]
) -> Figure:
    """Return what ``draw`` puts on new axes."""
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=size, layout="constrained")
    draw(drawing.subplots())
    return Figure(svg_of(drawing, key, caption), caption)


def said_of(metric: str) -> str:
    """Return what readers call a measure."""
    return _NAMES.get(metric, metric.replace("_", " "))


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


def of_curves(
    y_true: Any,
    named: Sequence[NamedScores],
    rows: dict[str, Any],
    level: float,
    band: Any,
    rng: Any,
) -> Iterator[Figure]:
    """Yield the ROC and the precision-recall curves, with bands of a few models."""
    scores = {model.name: model.values for model in named}
    read = {key: rows[key] for key in ("sample_weight", "pos_label")}
    has_bands = band is not None and len(named) <= MOST_BANDS
    text = f" Bands: {100 * level:g} %, {band}." if has_bands else ""
    for key, what, plot, make in (
        ("roc", "ROC curves, with the area under each.", plot_roc, roc_band),
        ("pr", "Precision and recall, with the average precision.", plot_pr, pr_band),
    ):
        bands: Any = None
        if has_bands:
            options = rows | {"kind": band, "confidence_level": level, "rng": rng}
            bands = {name: make(y_true, own, **options) for name, own in scores.items()}

        def draw(ax: Any, plot: Any = plot, bands: Any = bands) -> Any:
            return plot(y_true, scores, bands=bands, ax=ax, **read)

        yield figure_of(key, what + text, draw, _SQUARE)


def of_calibration(
    y_true: Any, named: Sequence[NamedScores], rows: dict[str, Any], level: float
) -> Iterator[Figure]:
    """Yield the reliability diagrams of all models on one picture; of one with its band."""
    read = {key: rows[key] for key in ("sample_weight", "pos_label")}
    has_band = len(named) == 1 and rows["sample_weight"] is None and rows["groups"] is None

    def draw(ax: Any) -> None:
        for model in named:
            diagram = reliability_diagram(y_true, model.values, **read)
            limits: dict[str, Any] = {}
            if has_band:
                limits["band"] = reliability_band(
                    y_true, model.values, confidence_level=level, pos_label=rows["pos_label"]
                )
            diagram.plot(ax, name=model.name, **limits)

    text = f" Band: {100 * level:g} %." if has_band else ""
    about = "Calibration: the share of positives at each predicted probability (isotonic fit)."
    yield figure_of("calibration", about + text, draw, _SQUARE)


def of_decisions(
    evaluation: Evaluation,
    y_true: Any,
    named: Sequence[NamedScores],
    rows: dict[str, Any],
    threshold: float | None,
    prices: dict[str, Any],
) -> Iterator[Figure]:
    """Yield, of each model, costs or rates by threshold, and the matrix of the one that is taken.

    That is the one given; else the cheapest where mistakes have prices, else the best by Youden.
    """
    read = {key: rows[key] for key in ("sample_weight", "pos_label")}
    for k, model in enumerate(named[:_MOST_MODELS]):
        own = evaluation[model.name]
        at = threshold
        why = "the threshold given"
        if at is None and own.costs is not None:
            at, why = own.costs.threshold, "the cheapest"
        elif at is None:
            at, why = own.threshold, "the largest TPR − FPR"
        if own.costs is not None:

            def draw_costs(ax: Any, model: NamedScores = model) -> Any:
                return threshold_costs(y_true, model.values, **prices, **read).plot(ax)

            about = f"{model.name}: expected cost of an example by threshold."
            yield figure_of(f"costs{k}", about, draw_costs, _WIDE)
        else:

            def draw_rates(ax: Any, model: NamedScores = model, at: Any = at) -> Any:
                return plot_thresholds(y_true, model.values, threshold=at, ax=ax, **read)

            about = f"{model.name}: precision, recall and F1 by threshold."
            yield figure_of(f"rates{k}", about, draw_rates, _WIDE)
        if not math.isfinite(at):
            continue
        matrix = ConfusionMatrix.from_scores(y_true, model.values, threshold=at, **read)
        about = f"{model.name}: decisions at score ≥ {said(at)}, {why}."
        yield figure_of(f"matrix{k}", about, matrix.plot, _WIDE)


def of_task(
    found: TaskEvaluation, y_true: Any, named: Sequence[NamedScores], rows: dict[str, Any]
) -> Iterator[Figure]:
    """Yield, of each model, the matrix of its labels, or its residuals."""
    for k, model in enumerate(named[:_MOST_MODELS]):
        if found.task == "values":

            def draw(ax: Any, model: NamedScores = model) -> Any:
                return plot_residuals(y_true, {model.name: model.values}, ax=ax)

            about = f"{model.name}: residuals (true less predicted) by predicted value."
            yield figure_of(f"residuals{k}", about, draw, _WIDE)
        elif found.task in ("labels", "classes"):
            values = model.values if found.task == "labels" else most_probable(y_true, model)
            weight = rows["sample_weight"]
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
