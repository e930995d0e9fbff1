"""The rows of commands that evaluate: files in, what `evaluate` takes out."""

from __future__ import annotations

import argparse
from typing import Any, Final, NamedTuple

import numpy as np

from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics._report.evaluation import plan_of
from fastmetrics._report.evaluation_result import Evaluation
from fastmetrics._report.model_evaluation import checked_prices, checked_promises
from fastmetrics._report.task_evaluation import TaskEvaluation
from fastmetrics.cli._messages import print_texts, tell
from fastmetrics.cli._options import number_of, parse_bounds, parse_metrics, parse_pairs
from fastmetrics.cli._session import check_weights, in_words, labels_of, names_here, read_rows
from fastmetrics.io.columns import Columns

#: Options of pairs, and what one looks like.
_PAIRS: Final = {"--class-score": "cat=p_cat", "--label-score": "cat=p_cat"}
#: Options that mean nothing but for scores of two classes.
_OF_TWO: Final = (
    *("cost_fn", "cost_fp", "prevalence", "guarantee"),
    *("bootstrap", "method", "stratified"),
)


class Asked(NamedTuple):
    """What `evaluate` takes, and the columns that it is from."""

    labels: Any
    scores: dict[str, Any]
    options: dict[str, Any]
    columns: Columns


def asked(options: argparse.Namespace) -> Asked:
    """Check what was written, read the files, and return what to evaluate."""
    if options.label_score:
        return _of_several_labels(options)
    if options.task == "labels" or options.class_score:
        return _of_classes(options)
    if options.query:
        return _of_rankings(options)
    given = _given(options) | {"stratified": options.stratified, "progress": None}
    weights_are: WeightsAre = options.weights_are or "importances"
    # A number, or the name of a column, whose prices may be any.
    prices = {name: getattr(options, name) for name in ("cost_fn", "cost_fp")}
    numbers = {name: None if text is None else number_of(text) for name, text in prices.items()}
    priced = {n: text for n, text in prices.items() if text is not None and numbers[n] is None}
    promise = "promise with a number, as in recall=0.95"
    guarantee = parse_bounds("--guarantee", options.guarantee, promise) or None
    names = names_here(options)
    with in_words(names):  # before anything is read
        known = numbers | dict.fromkeys(priced, 1)
        checked = checked_prices(**known, prevalence=options.prevalence)
        weighted = check_weights_are(options.weight, weights_are)
        checked_promises(
            guarantee,
            checked,
            options.confidence_level,
            grouped=options.groups is not None,
            weighted=weighted is not None,
        )
        n_models = len(options.score)
        plan_of(**given, groups=options.groups, n_models=n_models, weights_are=weighted)
    others = [name for name in dict.fromkeys(priced.values()) if name not in options.score]
    columns = read_rows(
        options,
        options.label,
        [*options.score, *others],
        group=options.groups,
        named=options.slice or (),
    )
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    given |= numbers | {name: columns.scores[column] for name, column in priced.items()}
    given |= {"task": options.task, "pos_label": pos_label, "guarantee": guarantee}
    given["prevalence"] = options.prevalence
    scores = {name: columns.scores[name] for name in options.score}
    return Asked(labels, scores, given | _of_rows(columns, options), columns)


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return what `evaluate` takes that needs no rows, whatever the task."""
    return {
        "confidence_level": options.confidence_level,
        "n_resamples": options.bootstrap,
        "metrics": parse_metrics(options.metrics),
        "method": options.method,
        "threshold": options.threshold,
        "rng": options.seed,
    }


def _of_classes(options: argparse.Namespace) -> Asked:
    """Return predicted labels, or the scores of each class."""
    _refuse_of_two(options)
    given: dict[str, str] = options.class_score
    predicted = [] if given else options.score
    columns = read_rows(
        options,
        options.label,
        [*given.values()],
        group=options.groups,
        named=[*predicted, *(options.slice or ())],
        many_labels=True,
    )
    labels = columns.label_values
    scores: dict[str, Any] = {name: columns.named[name] for name in predicted}
    if given:
        classes = sorted({*labels.tolist()})
        if {*map(str, classes)} != {*given}:
            raise ValueError(
                f"--class-score names {', '.join(given)}; column {options.label!r} holds "
                f"{', '.join(map(str, classes))}: each class needs its scores"
            )
        scores = {"score": np.stack([columns.scores[given[str(c)]] for c in classes], axis=1)}
    own = {"task": "multiclass" if given else "labels", "pos_label": options.pos_label}
    return Asked(labels, scores, own | _given(options) | _of_rows(columns, options), columns)


def _of_rankings(options: argparse.Namespace) -> Asked:
    """Return the relevance and the scores of items, with the query of each."""
    _refuse_of_two(options, "pos_label", "threshold")
    if options.weight:
        raise ValueError("--weight is of rows: with --query the query is what varies")
    columns = read_rows(
        options,
        options.label,
        options.score,
        query=options.query,
        group=options.groups,
        named=options.slice or (),
        many_labels=True,
    )
    relevance = columns.label_values
    if relevance.dtype.kind not in "biuf":
        shown = ", ".join(map(repr, relevance[:5].tolist()))
        raise ValueError(f"column {options.label!r} must be numbers with --query: got {shown}")
    scores = {name: columns.scores[name] for name in options.score}
    own = {"query": columns.queries} | _given(options) | _of_rows(columns, options)
    return Asked(relevance, scores, own, columns)


def _of_several_labels(options: argparse.Namespace) -> Asked:
    """Return a column of 0 and 1, and one of scores, for each label."""
    _refuse_of_two(options, "slice", "pos_label")
    pairs: dict[str, str] = options.label_score
    columns = read_rows(options, None, [*pairs, *pairs.values()], group=options.groups)
    labels = {name: columns.scores[name] for name in pairs}
    scores = {"score": {name: columns.scores[column] for name, column in pairs.items()}}
    own = {"task": "multilabel"} | _given(options) | _of_rows(columns, options)
    return Asked(labels, scores, own, columns)


def _refuse_of_two(options: argparse.Namespace, *more: str) -> None:
    """Raise before anything is read if an option is of scores of two classes."""
    for name in (*_OF_TWO, *more):
        if getattr(options, name):
            raise ValueError(
                f"--{name.replace('_', '-')} is of scores of two classes: leave it out"
            )


def _of_rows(columns: Columns, options: argparse.Namespace) -> dict[str, Any]:
    """Return weights, groups, and the columns of slices, where there are any."""
    found: dict[str, Any] = {"sample_weight": columns.weights, "groups": columns.groups}
    found["weights_are"] = options.weights_are or "importances"
    if options.slice:
        found["slices"] = {name: columns.named[name] for name in options.slice}
        for name in ("intersections", "min_n"):
            if getattr(options, name) is not None:
                found[name] = getattr(options, name)
    return found


def check_columns(options: argparse.Namespace) -> None:
    """Raise unless labels and scores are named, once each, as the task has them."""
    for option, example in _PAIRS.items():
        name = option.strip("-").replace("-", "_")
        setattr(options, name, parse_pairs(option, getattr(options, name), example))
    of_classes, of_labels = options.class_score, options.label_score
    if of_labels and (options.label or options.score or of_classes):
        raise ValueError(
            "--label-score names the labels and the scores of one model: leave --label, --score "
            "and --class-score out"
        )
    if of_classes and options.score:
        raise ValueError("--class-score names the scores of one model: leave --score out")
    tasks = {
        "multiclass": ("--class-score", of_classes),
        "multilabel": ("--label-score", of_labels),
    }
    for task, (option, pairs) in tasks.items():
        if pairs and options.task not in (None, task):
            raise ValueError(f"{option} is of --task {task}: got --task {options.task}")
        if options.task == task and not pairs:
            raise ValueError(f"--task {task} needs {option}, as in {_PAIRS[option]}")
    if options.query and (options.task or of_classes or of_labels):
        raise ValueError(
            "--query is of rankings: leave --task, --class-score and --label-score out"
        )
    if len(of_labels) == 1:
        raise ValueError("--label-score names one label: name each, or say --label and --score")
    named = {"--label": options.label, "--score": options.score or of_classes}
    missing = [] if of_labels else [name for name, value in named.items() if not value]
    if missing:
        raise ValueError(
            f"{' and '.join(missing)} missing: name the columns, or say --counts where the files "
            "hold counts by score"
        )
    check_weights(options)


def tell_of(found: Evaluation | TaskEvaluation, warned: list[tuple[Any, str]], what: str) -> None:
    """Print the warnings of an evaluation, and what else is to be known of its models."""
    texts = [text for _, text in warned]
    if not isinstance(found, Evaluation):
        print_texts(texts, what)
        return
    evaluation, several = found, len(found) > 1
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
            tell("note", f"all models: {note}")
        else:
            tell("note", f"{'model' if len(of) == 1 else 'models'} {', '.join(of)}: {note}")
