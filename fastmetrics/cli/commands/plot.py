"""``fastmetrics plot``: files in, a picture out. A new kind is a function and a line in `KINDS`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from fastmetrics.cli._options import add_rows, level, number, parse_metrics, seed, unquoted

HELP: Final = """\
Draw scores in files, the same kinds of file as for evaluate, and write the picture to a file."""

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
_OF_SOME: Final = (
    *("threshold", "confidence_level", "band", "seed", "metrics", "normalize"),
    *("cost_fn", "cost_fp", "prevalence"),
)
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


class Kind(NamedTuple):
    """A kind of picture.

    Attributes
    ----------
    about : str
        What it shows.
    draw : callable
        ``draw(rows, options, ax)``.
    options : tuple of str
        Options that not every kind has, by their names in the namespace.
    size : tuple of float
        Inches.
    takes_one : bool
        Whether there may be no more than one ``--score``.
    """

    about: str
    draw: Callable[[Rows, argparse.Namespace, Any], Any]
    options: tuple[str, ...] = ()
    size: tuple[float, float] = _SQUARE
    takes_one: bool = False


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``fastmetrics plot``."""
    add = command.add_argument
    add("kind", choices=tuple(KINDS), metavar="KIND", help=f"{', '.join(KINDS)}: see below")
    add_rows(add)
    add(
        *("-o", "--output"),
        required=True,
        metavar="FILE",
        help="the picture (.png .pdf .svg); one that is there is replaced",
    )
    add("--width", type=_width, metavar="CM", help="of the picture, in centimetres (default 12-16)")
    add(
        "--threshold",
        type=_threshold,
        metavar="T",
        help="the decision to mark, or of the confusion matrix: a score from which on examples are "
        f"called positive, or a criterion for each model: {', '.join(_CRITERIA)}",
    )
    add(
        "--confidence-level",
        type=level,
        metavar="P",
        help="roc: give each AUC an interval; with --band, also of the bands (default 0.95)",
    )
    add(
        "--band",
        choices=(*_CURVE_BANDS, *_CALIBRATION_BANDS),
        help="roc, pr, decision: where the whole curve lies (simultaneous), or each of its points "
        "by itself (pointwise); reliability: where the true curve lies (confidence), or the fit "
        "would if the model were calibrated (consistency)",
    )
    add("--seed", type=seed, metavar="S", help="of the resamples of --band")
    add(
        "--metrics",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="thresholds: measures of predicted labels (default: precision recall f1)",
    )
    for name, what in (("fn", "missing a positive"), ("fp", "a false alarm")):
        add(
            f"--cost-{name}",
            type=number,
            metavar="X",
            help=f"cost, by threshold: what {what} costs",
        )
    add("--prevalence", type=level, metavar="P", help="cost: share of positives in use")
    add(
        "--normalize",
        choices=("true", "pred", "all"),
        help="confusion: shares of the true classes, of the predicted ones, or of all examples",
    )


def _threshold(text: str) -> int | float | str:
    if text in _CRITERIA:
        return text
    try:
        return number(text)
    except argparse.ArgumentTypeError:
        known = ", ".join(_CRITERIA)
        raise argparse.ArgumentTypeError(
            f"must be a number or one of {known}: got {text!r}"
        ) from None


def _width(text: str) -> float:
    width = float(number(text))
    if not 2.0 <= width <= 100.0:
        raise argparse.ArgumentTypeError(f"must lie between 2 and 100 cm: got {text!r}")
    return width


def run(options: argparse.Namespace) -> str:
    """Read the files, draw, write the picture, and say what it is."""
    from fastmetrics._plots._style import save_figure
    from fastmetrics.cli._baseline import values_of
    from fastmetrics.cli._messages import print_texts
    from fastmetrics.cli._options import check_picture
    from fastmetrics.cli._session import in_words, labels_of, names_here, read_rows, tell_skipped
    from fastmetrics.io.columns import TextColumn

    kind = KINDS[options.kind]
    _check_options(kind, options)
    check_picture("--output", options.output)
    from matplotlib.figure import Figure

    options.groups = None
    columns = read_rows(
        options,
        options.label,
        options.scores,
        weight=options.weight,
        many_labels=options.kind == "residuals",
    )
    if options.kind == "residuals":
        labels, pos_label = values_of(columns.labels), None
    else:
        labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    keywords = {"sample_weight": columns.weights, "pos_label": pos_label}
    names = None
    if isinstance(columns.labels, TextColumn):
        positive = unquoted(options.pos_label)
        others = [text for text in columns.labels.values if text != positive]
        names = (others[0] if others else f"not {positive}", positive)
    rows = Rows(labels, {name: columns.scores[name] for name in options.scores}, keywords, names)
    width, height = kind.size
    scale = 1.0 if options.width is None else options.width / _CM / width
    figure = Figure(figsize=(scale * width, scale * height), layout="constrained")
    with in_words(names_here(options), labels, options.label) as texts:
        kind.draw(rows, options, figure.subplots())
        save_figure(figure, options.output)
    print_texts((text for _, text in texts), "plot")
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
    if kind.takes_one and len(options.scores) > 1:
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


def _draw_roc(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics import roc_band
    from fastmetrics.plots import plot_roc

    return plot_roc(
        rows.labels,
        rows.scores,
        threshold=options.threshold,
        confidence_level=options.confidence_level,
        weights_are=options.weights_are or "importances",
        bands=_bands(roc_band, rows, options),
        ax=ax,
        **rows.keywords,
    )


def _draw_pr(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics import pr_band
    from fastmetrics.plots import plot_pr

    return plot_pr(
        rows.labels,
        rows.scores,
        threshold=options.threshold,
        bands=_bands(pr_band, rows, options),
        ax=ax,
        **rows.keywords,
    )


def _bands(
    band: Callable[..., Any], rows: Rows, options: argparse.Namespace
) -> dict[str, Any] | None:
    if options.band is None:
        return None
    return {
        name: band(
            rows.labels,
            scores,
            kind=options.band,
            confidence_level=options.confidence_level or 0.95,
            weights_are=options.weights_are or "importances",
            rng=options.seed,
            **rows.keywords,
        )
        for name, scores in rows.scores.items()
    }


def _draw_det(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.plots import plot_det

    given = {"threshold": options.threshold, "ax": ax}
    return plot_det(rows.labels, rows.scores, **given, **rows.keywords)


def _draw_thresholds(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.plots import plot_thresholds

    (scores,) = rows.scores.values()
    given = {"threshold": options.threshold, "ax": ax}
    if options.metrics is not None:
        given["metrics"] = parse_metrics(options.metrics)
    return plot_thresholds(rows.labels, scores, **given, **rows.keywords)


def _draw_confusion(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics import ConfusionMatrix, best_threshold
    from fastmetrics._report._plotted import said

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
    from fastmetrics.costs import compare_cost_curves, cost_curve, threshold_costs

    prices = {name: getattr(options, name) for name in ("cost_fn", "cost_fp", "prevalence")}
    if options.cost_fn is not None or options.cost_fp is not None:
        for name, scores in rows.scores.items():
            named = name if len(rows.scores) > 1 else None
            costs = threshold_costs(rows.labels, scores, **prices, **rows.keywords)
            ax = costs.plot(ax, name=named)
        return ax
    if len(rows.scores) > 1:
        return compare_cost_curves(rows.labels, rows.scores, **rows.keywords).plot(ax)
    (scores,) = rows.scores.values()
    return cost_curve(rows.labels, scores, **rows.keywords).plot(ax)


def _draw_residuals(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.plots import plot_residuals

    if rows.keywords["sample_weight"] is not None:
        raise ValueError("residuals are drawn of rows: leave --weight out")
    return plot_residuals(rows.labels, rows.scores, ax=ax)


def _draw_decision(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.costs import decision_curve

    return decision_curve(
        rows.labels,
        rows.scores,
        kind=options.band or "pointwise",
        confidence_level=options.confidence_level or 0.95,
        weights_are=options.weights_are or "importances",
        rng=options.seed,
        **rows.keywords,
    ).plot(ax)


def _draw_reliability(rows: Rows, options: argparse.Namespace, ax: Any) -> Any:
    from fastmetrics.calibration import reliability_band, reliability_diagram

    for name, scores in rows.scores.items():
        given = dict(rows.keywords)
        diagram = reliability_diagram(rows.labels, scores, **given)
        named: dict[str, Any] = {"name": name} if len(rows.scores) > 1 else {}
        if options.band is not None:
            del given["sample_weight"]  # there is none
            asked = {"kind": options.band, "confidence_level": options.confidence_level or 0.95}
            band = reliability_band(rows.labels, scores, rng=options.seed, **asked, **given)
            named["band"] = band
        ax = diagram.plot(ax, **named)
    return ax


def _gains(kind: Literal["gain", "lift"]) -> Callable[[Rows, argparse.Namespace, Any], Any]:
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
    "roc": Kind("ROC curves", _draw_roc, ("threshold", "confidence_level", "band", "seed")),
    "pr": Kind(
        "precision-recall curves", _draw_pr, ("threshold", "confidence_level", "band", "seed")
    ),
    "det": Kind("detection error tradeoff", _draw_det, ("threshold",)),
    "thresholds": Kind(
        "measures over the threshold", _draw_thresholds, ("threshold", "metrics"), _WIDE, True
    ),
    "confusion": Kind(
        "confusion matrix", _draw_confusion, ("threshold", "normalize"), (4.4, 3.6), True
    ),
    "cost": Kind(
        "cost curves",
        _draw_cost,
        ("cost_fn", "cost_fp", "prevalence"),
        _WIDE,
    ),
    "decision": Kind(
        "decision curves", _draw_decision, ("confidence_level", "band", "seed"), _WIDE
    ),
    "gain": Kind("cumulative gain", _gains("gain"), (), _WIDE),
    "lift": Kind("lift", _gains("lift"), (), _WIDE),
    "reliability": Kind(
        "reliability diagram",
        _draw_reliability,
        ("confidence_level", "band", "seed"),
        _SQUARE,
    ),
    "residuals": Kind("residuals of predicted numbers", _draw_residuals, (), _WIDE),
}

EXAMPLES: Final = "\n".join(
    ["kinds:", *(f"  {name:<12}{kind.about}" for name, kind in KINDS.items()), _EXAMPLES]
)
