"""``fastmetrics evaluate``: files in, measures out."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics._report._costs import checked_prices
from fastmetrics._report._guarantees import checked_promises
from fastmetrics._report.evaluation import evaluate, plan_of
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.tasks.task_evaluation import TaskEvaluation
from fastmetrics.cli._baseline import values_of
from fastmetrics.cli._messages import print_note, print_texts
from fastmetrics.cli._options import number_of, parse_guarantee, parse_metrics
from fastmetrics.cli._render import render
from fastmetrics.cli._session import (
    check_weights,
    in_words,
    labels_of,
    names_here,
    read_rows,
    tell_skipped,
)
from fastmetrics.io.columns import Columns


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate each score column, and return the output."""
    if options.counts:
        from fastmetrics.cli._counts import run_counts

        return run_counts(options)
    _check_columns(options)
    if options.task == "labels" or options.class_scores:
        return _of_classes(options)
    if options.memory is not None or options.spill_dir is not None:
        from fastmetrics.cli._bounded import evaluate_bounded

        models, texts, columns = evaluate_bounded(options)
        read: WeightsAre | None = "frequencies" if options.weight else None
        return _told(
            Evaluation(tuple(models), options.confidence_level, read), texts, columns, options
        )
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
    with in_words(names, labels, options.label) as texts:
        evaluation = evaluate(
            labels,
            {name: columns.scores[name] for name in options.scores},
            task=options.task,
            sample_weight=columns.weights,
            weights_are=weights_are,
            groups=columns.groups,
            pos_label=pos_label,
            cost_fn=_price_of(columns, prices["cost_fn"]),
            cost_fp=_price_of(columns, prices["cost_fp"]),
            prevalence=options.prevalence,
            guarantee=guarantee,
            **_slices(columns, options),
            **given,
        )
    return _told(evaluation, texts, columns, options)


def _of_classes(options: argparse.Namespace) -> str:
    """Evaluate predicted labels, or the scores of each class."""
    if options.memory is not None or options.spill_dir is not None:
        raise ValueError("--memory is for scores of two classes: leave it out")
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
    with in_words(names_here(options)) as texts:
        evaluation = evaluate(
            labels,
            scores,
            task="classes" if given else "labels",
            sample_weight=columns.weights,
            weights_are=options.weights_are or "importances",
            groups=columns.groups,
            confidence_level=options.confidence_level,
            metrics=parse_metrics(options.metrics),
            pos_label=options.pos_label,
            n_resamples=options.bootstrap,
            method=options.method,
            threshold=options.threshold,
            rng=options.seed,
            **_slices(columns, options),
        )
    return _told(evaluation, texts, columns, options)


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


def _told(
    evaluation: Evaluation | TaskEvaluation,
    texts: list[tuple[type[Warning], str]],
    columns: Columns,
    options: argparse.Namespace,
) -> str:
    """Print what is to be known beside the figures, and return the output."""
    if isinstance(evaluation, TaskEvaluation):
        print_texts((text for _, text in texts), "evaluate")
    else:
        _tell(evaluation, [text for _, text in texts])
    counts = {"n_rows": columns.n_rows, "n_skipped": columns.n_skipped}
    output = render(evaluation, options.format, counts=counts)
    tell_skipped(columns, "evaluated")
    return output


def _check_columns(options: argparse.Namespace) -> None:
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


def _tell(evaluation: Evaluation, texts: list[str]) -> None:
    """Print the warnings, under the model that they are about, and what else is to be known."""
    several = len(evaluation) > 1
    others = list(texts)
    for model in evaluation:
        if model.note and any(model.note in text for text in texts):
            print_texts([text for text in texts if model.note in text], f"model {model.name!r}")
            others = [text for text in others if model.note not in text]
    of_all = "bootstrap" if evaluation.bootstrap is not None else "all models"
    print_texts(others, of_all if several else f"model {evaluation[0].name!r}")
    names: dict[str, list[str]] = {}
    for model in evaluation:
        told = any(model.note in text for text in texts)
        if model.note and not told:
            names.setdefault(model.note, []).append(repr(model.name))
    for note, of in names.items():
        if len(of) == len(evaluation) > 1:
            print_note(f"all models: {note}")
        else:
            print_note(f"{'model' if len(of) == 1 else 'models'} {', '.join(of)}: {note}")
