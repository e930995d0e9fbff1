"""``fastmetrics plot``: files in, a picture out. A new kind is a function and a line in `KINDS`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from fastmetrics.cli._options import (
    ROWS,
    Command,
    check_picture,
    number,
    number_of,
    number_that,
    parse_metrics,
    unquoted,
)

_EXAMPLES: Final = """
examples:
  fastmetrics plot roc scores.parquet --label y --score model_a --score model_b -o roc.svg
  fastmetrics plot roc s.csv --label y --score p --band simultaneous --seed 1 -o roc.pdf
  fastmetrics plot thresholds s.csv --label y --score p --metrics f1 npv --threshold fbeta -o t.png
  fastmetrics plot confusion s.csv --label y --score p --threshold 0.5 --normalize true -o c.png
  fastmetrics plot reliability s.csv --label y --score p --band confidence -o reliability.svg
"""

_CURVE_BANDS: Final = ("simultaneous", "pointwise")
_CALIBRATION_BANDS: Final = ("confidence", "consistency")
_CRITERIA: Final = ("youden", "closest-topleft", "fewest-errors", "fbeta")
_BANDED: Final = ("confidence_level", "band", "seed")
_PRICES: Final = ("cost_fn", "cost_fp", "prevalence")
_OF_SOME: Final = ("threshold", *_BANDED, "metrics", "normalize", *_PRICES)
_SQUARE: Final = (4.6, 4.6)
_WIDE: Final = (6.4, 4.2)
_CM: Final = 2.54


class Rows(NamedTuple):
    """What was read: labels, each model's scores, weights, and what else the library is told.

    Of labels that were texts, ``names`` are the negative one and the positive one.
    """

    labels: Any
    scores: Mapping[str, Any]
    keywords: dict[str, Any]
    names: tuple[str, str] | None


Draw = Callable[[Rows, argparse.Namespace, Any], Any]


class Kind(NamedTuple):
    """A kind of picture: what it shows, and ``draw(rows, options, ax)``.

    ``options`` are those that not every kind has, ``size`` is in inches, and one that takes one
    model has one ``--score``.
    """

    about: str
    draw: Draw
    options: tuple[str, ...] = ()
    size: tuple[float, float] = _SQUARE
    takes_one: bool = False


def _threshold(text: str) -> int | float | str:
    value = text if text in _CRITERIA else number_of(text)
    if value is None or value != value:
        known = ", ".join(_CRITERIA)
        raise argparse.ArgumentTypeError(f"must be a number or one of {known}: got {text!r}")
    return value


def _width(text: str) -> float:
    number(text)  # says so of what is none
    width: float = number_that("lie between 2 and 100 cm", lambda cm: 2 <= cm <= 100)(text)
    return width


def add_options_of_plot(command: argparse.ArgumentParser) -> None:
    """Add the kind of picture."""
    about = f"{', '.join(KINDS)}: see below"
    command.add_argument("kind", choices=tuple(KINDS), metavar="KIND", help=about)


def run_plot(options: argparse.Namespace) -> str:
    """Read the files, draw, write the picture, and say what it is."""
    from fastmetrics._plots._style import save_figure
    from fastmetrics.cli._session import in_words, labels_of, names_here, read_rows, tell_skipped
    from fastmetrics.io.reader import TextColumn

    kind = KINDS[options.kind]
    _check_options(kind, options)
    check_picture("--output", options.output)
    from matplotlib.figure import Figure

    is_of_numbers = options.kind == "residuals"
    columns = read_rows(options, options.label, options.score, many_labels=is_of_numbers)
    if is_of_numbers:
        labels, pos_label = columns.label_values, None
    else:
        labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    keywords = {"sample_weight": columns.weights, "pos_label": pos_label}
    names = None
    if isinstance(columns.labels, TextColumn):
        positive = unquoted(options.pos_label)
        others = [text for text in columns.labels.values if text != positive]
        names = (others[0] if others else f"not {positive}", positive)
    rows = Rows(labels, {name: columns.scores[name] for name in options.score}, keywords, names)
    width, height = kind.size
    scale = 1.0 if options.width is None else options.width / _CM / width
    figure = Figure(figsize=(scale * width, scale * height), layout="constrained")
    with in_words(names_here(options), labels, options.label, about="plot"):
        kind.draw(rows, options, figure.subplots())
        save_figure(figure, options.output)
    tell_skipped(columns, "drawn")
    return f"{options.output}: {kind.about}, {columns.n_rows:,} rows\n"


def _check_options(kind: Kind, options: argparse.Namespace) -> None:
    """Raise before any work for options that say nothing of this kind."""
    from fastmetrics.cli._session import check_weights

    for name in _OF_SOME:
        if getattr(options, name) is not None and name not in kind.options:
            have = [known for known, other in KINDS.items() if name in other.options]
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} is of the kinds {', '.join(have)}: not of {options.kind}")
    if kind.takes_one and len(options.score) > 1:
        raise ValueError(f"{options.kind} draws one model: name one column with --score")
    check_weights(options)
    bands = _CALIBRATION_BANDS if options.kind == "reliability" else _CURVE_BANDS
    if options.band is not None and options.band not in bands:
        raise ValueError(f"--band of {options.kind} is one of {', '.join(bands)}")
    if options.weight and options.band in _CALIBRATION_BANDS:
        raise ValueError(f"a {options.band} band counts rows: it takes no --weight")
    if options.seed is not None and options.band is None:
        raise ValueError("--seed is of --band: nothing else is resampled")
    if options.confidence_level is not None and options.kind != "roc" and options.band is None:
        raise ValueError("--confidence-level is of --band here, and of the AUC of roc")
    if options.kind == "confusion" and options.threshold is None:
        raise ValueError("confusion needs --threshold: from which score on is an example positive?")


def _scores(kind: Literal["roc", "pr", "thresholds"]) -> Draw:
    """Return what draws curves of scores."""

    def draw(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
        import fastmetrics

        given: dict[str, Any] = {"threshold": options.threshold, "ax": ax} | rows.keywords
        scores: Any = rows.scores
        if kind == "roc":
            given["confidence_level"] = options.confidence_level
            given["weights_are"] = options.weights_are or "importances"
        if options.band is not None:
            band = getattr(fastmetrics, f"{kind}_band")
            given["bands"] = {
                name: band(rows.labels, each, kind=options.band, **_sure(rows, options))
                for name, each in scores.items()
            }
        if kind == "thresholds":
            (scores,) = scores.values()
            if options.metrics is not None:
                given["metrics"] = parse_metrics(options.metrics)
        return getattr(fastmetrics.plots, f"plot_{kind}")(rows.labels, scores, **given)

    return draw


def _sure(rows: Rows, options: argparse.Namespace) -> dict[str, Any]:
    """Return how sure a band is, and of what rows."""
    return {
        "confidence_level": options.confidence_level or 0.95,
        "weights_are": options.weights_are or "importances",
        "rng": options.seed,
        **rows.keywords,
    }


def _draw_confusion(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics import ConfusionMatrix, best_threshold
    from fastmetrics._report.plots import said

    (scores,) = rows.scores.values()
    threshold = options.threshold
    if isinstance(threshold, str):
        best = best_threshold(rows.labels, scores, criterion=threshold, **rows.keywords)  # type: ignore[arg-type]
        threshold = best.threshold
    matrix = ConfusionMatrix.from_scores(rows.labels, scores, threshold=threshold, **rows.keywords)
    if rows.names is not None:
        matrix = ConfusionMatrix.from_counts(matrix.counts, rows.names)
    ax = matrix.plot(ax, normalize=options.normalize)
    ax.set_title(f"positive: score ≥ {said(threshold)}", fontsize="medium")
    return ax


def _draw_cost(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.costs import cost_curve, threshold_costs

    prices = {name: getattr(options, name) for name in _PRICES}
    has_prices = options.cost_fn is not None or options.cost_fp is not None
    for name, scores in rows.scores.items():
        if has_prices:
            curve: Any = threshold_costs(rows.labels, scores, **prices, **rows.keywords)
        else:
            curve = cost_curve(rows.labels, scores, **rows.keywords)
        ax = curve.plot(ax, name=name if len(rows.scores) > 1 else None)
    return ax


def _draw_residuals(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.plots import plot_residuals

    if rows.keywords["sample_weight"] is not None:
        raise ValueError("residuals are drawn of rows: leave --weight out")
    return plot_residuals(rows.labels, rows.scores, ax=ax)


def _draw_decision(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.costs import decision_curve

    kind: Any = options.band or "pointwise"
    return decision_curve(rows.labels, rows.scores, kind=kind, **_sure(rows, options)).plot(ax)


def _draw_reliability(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.calibration import reliability_band, reliability_diagram

    for name, scores in rows.scores.items():
        diagram = reliability_diagram(rows.labels, scores, **rows.keywords)
        band = None
        if options.band is not None:
            sure = _sure(rows, options)
            del sure["sample_weight"], sure["weights_are"]  # there are no weights
            band = reliability_band(rows.labels, scores, kind=options.band, **sure)
        ax = diagram.plot(ax, name=name if len(rows.scores) > 1 else None, band=band)
    return ax


def _gains(kind: Literal["gain", "lift"]) -> Draw:
    """Return what draws cumulative gain or lift."""

    def draw(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
        from fastmetrics.costs import gains_curve

        for name, scores in rows.scores.items():
            named = name if len(rows.scores) > 1 else None
            curve = gains_curve(rows.labels, scores, **rows.keywords)
            ax = curve.plot(ax, kind=kind, name=named)
        return ax

    return draw


KINDS: Final[dict[str, Kind]] = {
    "roc": Kind("ROC curves", _scores("roc"), ("threshold", *_BANDED)),
    "pr": Kind("precision-recall curves", _scores("pr"), ("threshold", *_BANDED)),
    "thresholds": Kind(
        "metrics over the threshold",
        _scores("thresholds"),
        ("threshold", "metrics"),
        _WIDE,
        takes_one=True,
    ),
    "confusion": Kind(
        "confusion matrix", _draw_confusion, ("threshold", "normalize"), (4.4, 3.6), True
    ),
    "cost": Kind("cost curves", _draw_cost, _PRICES, _WIDE),
    "decision": Kind("decision curves", _draw_decision, _BANDED, _WIDE),
    "gain": Kind("cumulative gain", _gains("gain"), (), _WIDE),
    "lift": Kind("lift", _gains("lift"), (), _WIDE),
    "reliability": Kind("reliability diagram", _draw_reliability, _BANDED),
    "residuals": Kind("residuals of predicted numbers", _draw_residuals, (), _WIDE),
}


PLOT: Final = Command(
    name="plot",
    about="draw curves of scores in files: ROC, P-R and others",
    run=run_plot,
    help="""\
Draw scores in files, the same kinds of file as for evaluate, and write the picture to a file.""",
    options=f"""
FILE
--label
--score COL...  column of a model's scores; may be repeated, one for each model
{ROWS.strip()}
-o, --output FILE  the picture (.png .pdf .svg); one that is there is replaced
[--width CM]  of the picture, in centimetres (default 12-16)
[--threshold T]  the decision to mark, or of the confusion matrix: a score from which on examples
    are called positive, or a criterion for each model: {", ".join(_CRITERIA)}
[--confidence-level P]  roc: give each AUC an interval; with --band, also of the bands (default
    0.95)
[--band {{{",".join((*_CURVE_BANDS, *_CALIBRATION_BANDS))}}}]  roc, pr, decision: where the whole
    curve lies (simultaneous), or each of its points by itself (pointwise); reliability: where the
    true curve lies (confidence), or the fit would if the model were calibrated (consistency)
[--seed S]  of the resamples of --band
[--metrics NAME ...]  thresholds: metrics of predicted labels (default: precision recall f1)
[--cost-fn X]  cost, by threshold: what missing a positive costs
[--cost-fp X]  cost, by threshold: what a false alarm costs
[--prevalence P]  cost: share of positives in use
[--normalize {{true,pred,all}}]  confusion: shares of the true classes, of the predicted ones, or of
    all examples
""",
    types={"width": _width, "threshold": _threshold},
    examples="\n".join(
        ["kinds:", *(f"  {name:<12}{kind.about}" for name, kind in KINDS.items()), _EXAMPLES]
    ),
    add_options=add_options_of_plot,
)
