"""``fastmetrics evaluate``: files in, measures out."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastmetrics.cli._labels import labels_of
from fastmetrics.cli._messages import print_note, print_texts, print_warnings
from fastmetrics.cli._metric_names import parse_metrics
from fastmetrics.cli._render import render, require_renderer
from fastmetrics.io import Columns, read_columns
from fastmetrics.report._bootstrap import Plan, bootstrapped, checked_plan
from fastmetrics.report._model import evaluate_model
from fastmetrics.report.evaluation_result import Evaluation, ModelEvaluation

#: Seconds before a bar appears.
_PATIENCE = 1.0
#: What the arguments of the library are called here.
_OPTIONS = {
    "n_resamples": "--bootstrap",
    "metrics": "--metrics",
    "method": "--method",
    "stratified": "--stratified",
    "groups": "--groups",
    "threshold": "--threshold",
    "rng": "--seed",
}


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate each score column, and return the output."""
    require_renderer(options.format)
    plan = _plan(options)
    with _progress_bar() as progress:
        columns = _read(options, progress)
    evaluation = _evaluated(columns, options, plan)
    counts = {"n_rows": columns.n_rows, "n_skipped": columns.n_skipped}
    output = render(evaluation, options.format, counts=counts)
    if columns.n_skipped:
        rows = "row" if columns.n_skipped == 1 else "rows"
        print_note(f"{columns.n_skipped:,} bad {rows} skipped, {columns.n_rows:,} evaluated")
    return output


def _plan(options: argparse.Namespace) -> Plan | None:
    """Return the bootstrap that was asked for, or raise before anything is read."""
    try:
        return checked_plan(
            options.bootstrap,
            options.confidence_level,
            len(options.scores),
            options.threads,
            metrics=parse_metrics(options.metrics),
            method=options.method,
            stratified=options.stratified,
            groups=options.groups,
            threshold=options.threshold,
            rng=options.seed,
            progress=_has_bar(),
        )
    except (ValueError, TypeError) as error:
        raise ValueError(_as_options(str(error))) from error


def _read(options: argparse.Namespace, progress: Callable[[float, int], None] | None) -> Columns:
    return read_columns(
        options.files,
        options.label,
        options.scores,
        weight=options.weight,
        group=options.groups,
        where=options.where,
        on_bad_row=options.on_bad_row,
        n_threads=options.threads,
        progress=progress,
    )


def _evaluated(columns: Columns, options: argparse.Namespace, plan: Plan | None) -> Evaluation:
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    # Without a bootstrap, a column goes when its table is built.
    take = columns.scores.pop if plan is None else columns.scores.__getitem__
    models, told = [], set[str]()
    for name in options.scores:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model = evaluate_model(
                    name,
                    labels,
                    take(name),
                    sample_weight=columns.weights,
                    pos_label=pos_label,
                    confidence_level=options.confidence_level if plan is None else None,
                    n_threads=options.threads,
                )
            except (ValueError, TypeError) as error:
                raise ValueError(_in_columns(str(error), f"column {name!r}", options)) from error
        models.append(model)
        _tell(model, caught)
        told.update(str(item.message) for item in caught)
    if plan is None:
        return Evaluation(tuple(models), options.confidence_level)
    rows = {"sample_weight": columns.weights, "pos_label": pos_label, "groups": columns.groups}
    return _bootstrapped(models, labels, columns.scores, plan, rows, told, options)


def _bootstrapped(
    models: list[ModelEvaluation],
    labels: Any,
    scores: Mapping[str, Any],
    plan: Plan,
    rows: dict[str, Any],
    told: set[str],
    options: argparse.Namespace,
) -> Evaluation:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            evaluation = bootstrapped(models, labels, scores, plan, **rows)
        except (ValueError, TypeError) as error:
            score = f"column {options.scores[0]!r}" if len(models) == 1 else "each score column"
            message = _in_columns(_as_options(str(error)), score, options)
            raise ValueError(message) from error
    texts = [text for item in caught if (text := str(item.message)) not in told]
    about = f"model {models[0].name!r}" if len(models) == 1 else "bootstrap"
    print_texts(map(_as_options, texts), about)
    if len(models) == 1:
        return evaluation
    for model in evaluation:
        if model.bootstrap is not None:  # else it was told before
            _tell(model, [])
    return evaluation


def _tell(model: ModelEvaluation, caught: list[warnings.WarningMessage]) -> None:
    about = f"model {model.name!r}"
    print_warnings(caught, about)
    if model.note and not any(model.note in str(item.message) for item in caught):
        print_note(f"{about}: {model.note}")


def _as_options(message: str) -> str:
    """Return a message about arguments as one about options."""
    for argument, option in _OPTIONS.items():
        message = message.replace(f"`{argument}`", option)
    message = message.replace("stratified=True", "--stratified")
    message = re.sub(r"method='(\w+)'", r"--method \1", message)
    return re.sub(r"(--method \w+ or) '(\w+)'", r"\1 \2", message)


def _in_columns(message: str, score: str, options: argparse.Namespace) -> str:
    """Return a message about arguments as one about columns and options."""
    names = {
        "`y_true`": f"column {options.label!r}",
        "`y_score`": score,
        "`sample_weight`": f"column {options.weight!r}" if options.weight else "--weight",
        "`pos_label`": "--pos-label",
        "pos_label": "--pos-label",
    }
    names |= {f"`scores[{name!r}]`": f"column {name!r}" for name in options.scores}
    for argument, name in names.items():
        message = message.replace(argument, name)
    return message


def _has_bar() -> bool:
    """Return whether somebody would see a progress bar, and there is what draws it."""
    if not sys.stderr.isatty():
        return False
    try:
        import tqdm  # noqa: F401
    except ImportError:
        return False
    return True


@contextmanager
def _progress_bar() -> Iterator[Callable[[float, int], None] | None]:
    """Give a function that moves a bar on stderr, or None where nobody would see it."""
    if not _has_bar():
        yield None
        return
    from tqdm import tqdm

    layout = "reading {percentage:3.0f} %|{bar}| {postfix} [{elapsed}<{remaining}]"
    bar = tqdm(total=1.0, delay=_PATIENCE, leave=False, file=sys.stderr, bar_format=layout)

    def move(share: float, rows: int) -> None:
        # Never back: after a file was judged anew, reading starts again.
        bar.set_postfix_str(f"{rows:,} rows", refresh=False)
        bar.update(max(0.0, min(share, 1.0) - bar.n))

    with bar:
        yield move
