"""The rows of commands that evaluate: files in, what `evaluate` takes out."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np

from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics._report._costs import checked_prices
from fastmetrics._report._guarantees import checked_promises
from fastmetrics._report.evaluation import plan_of
from fastmetrics.cli._baseline import values_of
from fastmetrics.cli._options import number_of, parse_guarantee, parse_metrics
from fastmetrics.cli._session import check_weights, in_words, labels_of, names_here, read_rows
from fastmetrics.io.columns import Columns


class Asked(NamedTuple):
    """What `evaluate` takes, and the columns that it is from."""

    labels: Any
    scores: dict[str, Any]
    options: dict[str, Any]
    columns: Columns


def asked(options: argparse.Namespace) -> Asked:
    """Check what was written, read the files, and return what to evaluate."""
    if options.task == "labels" or options.class_scores:
        return _of_classes(options)
    given = {
        "confidence_level": options.confidence_level,
        "n_resamples": options.bootstrap,
        "metrics": parse_metrics(options.metrics),
        "method": options.method,
        "stratified": options.stratified,
        "threshold": options.threshold,
        "rng": options.seed,
        "progress": None,
    }
    weights_are: WeightsAre = options.weights_are or "importances"
    prices = {name: _price(getattr(options, name)) for name in ("cost_fn", "cost_fp")}
    guarantee = parse_guarantee(options.guarantee)
    names = names_here(options)
    with in_words(names):  # before anything is read
        known = {name: _known(price) for name, price in prices.items()}
        checked = checked_prices(**known, prevalence=options.prevalence)
        weighted = check_weights_are(options.weight, weights_are)
        checked_promises(
            guarantee,
            checked,
            options.confidence_level,
            grouped=options.groups is not None,
            weighted=weighted is not None,
        )
        n_models = len(options.scores)
        plan_of(**given, groups=options.groups, n_models=n_models, weights_are=weighted)
    asked = dict.fromkeys(price for price in prices.values() if isinstance(price, str))
    others = [price for price in asked if price not in options.scores]
    columns = read_rows(
        options,
        options.label,
        [*options.scores, *others],
        weight=options.weight,
        named=options.slice or (),
    )
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    of_rows = {
        "task": options.task,
        "sample_weight": columns.weights,
        "weights_are": weights_are,
        "groups": columns.groups,
        "pos_label": pos_label,
        "cost_fn": _price_of(columns, prices["cost_fn"]),
        "cost_fp": _price_of(columns, prices["cost_fp"]),
        "prevalence": options.prevalence,
        "guarantee": guarantee,
    }
    scores = {name: columns.scores[name] for name in options.scores}
    return Asked(labels, scores, of_rows | _slices(columns, options) | given, columns)


def _of_classes(options: argparse.Namespace) -> Asked:
    """Return predicted labels, or the scores of each class."""
    given = dict(_class_score(text) for text in options.class_scores or ())
    if given and options.scores:
        raise ValueError("--class-score names the scores of one model: leave --score out")
    predicted = [] if given else options.scores
    columns = read_rows(
        options,
        options.label,
        [*given.values()],
        weight=options.weight,
        named=[*predicted, *(options.slice or ())],
        many_labels=True,
    )
    labels, named = values_of(columns.labels), columns.named
    scores: dict[str, Any] = {name: values_of(named[name]) for name in predicted}
    if given:
        classes = sorted({*labels.tolist()})
        if {*map(str, classes)} != {*given}:
            raise ValueError(
                f"--class-score names {', '.join(given)}; column {options.label!r} holds "
                f"{', '.join(map(str, classes))}: each class needs its scores"
            )
        scores = {"score": np.stack([columns.scores[given[str(c)]] for c in classes], axis=1)}
    of_rows = {
        "task": "classes" if given else "labels",
        "sample_weight": columns.weights,
        "weights_are": options.weights_are or "importances",
        "groups": columns.groups,
        "confidence_level": options.confidence_level,
        "metrics": parse_metrics(options.metrics),
        "pos_label": options.pos_label,
        "n_resamples": options.bootstrap,
        "method": options.method,
        "threshold": options.threshold,
        "rng": options.seed,
    }
    return Asked(labels, scores, of_rows | _slices(columns, options), columns)


def _slices(columns: Columns, options: argparse.Namespace) -> dict[str, Any]:
    """Return the columns of slices, and how they are made, where there are any."""
    if not options.slice:
        return {}
    found = {name: values_of(columns.named[name]) for name in options.slice}
    how = {"intersections": options.intersections, "min_n": options.min_n}
    return {"slices": found} | {name: each for name, each in how.items() if each is not None}


def _class_score(text: str) -> tuple[str, str]:
    name, equals, column = text.partition("=")
    if not (name and equals and column):
        raise ValueError(f"--class-score {text!r} is no class with a column, as in cat=p_cat")
    return name, column


def check_columns(options: argparse.Namespace) -> None:
    """Raise unless labels and scores are named."""
    missing = [
        name
        for name, value in (
            ("--label", options.label),
            ("--score", options.scores or options.class_scores),
        )
        if not value
    ]
    if missing:
        raise ValueError(
            f"{' and '.join(missing)} missing: name the columns, or say --counts where the files "
            "hold counts by score"
        )
    check_weights(options)


def _price(text: str | None) -> int | float | str | None:
    """Return a number, or the name of a column."""
    price = None if text is None else number_of(text)
    return text if price is None else price


def _price_of(columns: Columns, price: int | float | str | None) -> Any:
    """Return a number, or the values of a column."""
    return columns.scores[price] if isinstance(price, str) else price


def _known(price: int | float | str | None) -> int | float | None:
    """Return a price to check before anything is read; that of a column may be any."""
    return 1 if isinstance(price, str) else price
