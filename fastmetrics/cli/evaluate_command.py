"""``fastmetrics evaluate``: files in, measures out."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics.cli._messages import print_note, print_warnings
from fastmetrics.cli._render import render, require_renderer
from fastmetrics.io import Columns, TextColumn, read_columns
from fastmetrics.report.evaluation import (
    Evaluation,
    ModelEvaluation,
    evaluate_model,
)

#: Seconds before a bar appears.
_PATIENCE = 1.0


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate each score column, and return the output."""
    require_renderer(options.format)
    with _progress_bar() as progress:
        columns = read_columns(
            options.files,
            options.label,
            options.scores,
            weight=options.weight,
            where=options.where,
            on_bad_row=options.on_bad_row,
            n_threads=options.threads,
            progress=progress,
        )
    evaluation = _evaluated(columns, options)
    counts = {"n_rows": columns.n_rows, "n_skipped": columns.n_skipped}
    output = render(evaluation, options.format, counts=counts)
    if columns.n_skipped:
        rows = "row" if columns.n_skipped == 1 else "rows"
        print_note(f"{columns.n_skipped:,} bad {rows} skipped, {columns.n_rows:,} evaluated")
    return output


def _evaluated(columns: Columns, options: argparse.Namespace) -> Evaluation:
    labels, pos_label = _labels(columns.labels, options.label, options.pos_label)
    models = []
    for name in options.scores:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model = evaluate_model(
                    name,
                    labels,
                    columns.scores.pop(name),  # a column goes when its table is built
                    sample_weight=columns.weights,
                    pos_label=pos_label,
                    confidence_level=options.confidence_level,
                    n_threads=options.threads,
                )
            except (ValueError, TypeError) as error:
                raise ValueError(_in_columns(str(error), name, options)) from error
        models.append(model)
        _tell(model, caught)
    return Evaluation(tuple(models), options.confidence_level)


def _tell(model: ModelEvaluation, caught: list[warnings.WarningMessage]) -> None:
    about = f"model {model.name!r}"
    print_warnings(caught, about)
    if model.note and not any(model.note in str(item.message) for item in caught):
        print_note(f"{about}: {model.note}")


def _in_columns(message: str, score: str, options: argparse.Namespace) -> str:
    """Return a message about arguments as one about columns and options."""
    names = {
        "`y_true`": f"column {options.label!r}",
        "`y_score`": f"column {score!r}",
        "`sample_weight`": f"column {options.weight!r}" if options.weight else "--weight",
        "`pos_label`": "--pos-label",
        "pos_label": "--pos-label",
    }
    for argument, name in names.items():
        message = message.replace(argument, name)
    return message


def _labels(
    column: NDArray[Any] | TextColumn, name: str, pos_label: str | None
) -> tuple[NDArray[Any], Any]:
    """Return the labels, and the positive label in their own type."""
    if isinstance(column, TextColumn):
        return _text_labels(column, name, pos_label), None
    if pos_label is None:
        return column, None
    for convert in (int, float):
        try:
            value = convert(pos_label)
        except ValueError:
            continue
        if value == value and (convert is int or column.dtype.kind == "f"):
            return column, value
    if pos_label.lower() in ("true", "false") and column.dtype == np.int8:
        return column, int(pos_label.lower() == "true")
    raise ValueError(
        f"--pos-label {pos_label!r} cannot be a label: column {name!r} holds {column.dtype} numbers"
    )


def _text_labels(column: TextColumn, name: str, pos_label: str | None) -> NDArray[np.int8]:
    """Return 1 for the positive text and 0 for the other."""
    values = column.values
    shown = ", ".join(map(repr, sorted(values)[:10])) + (", …" if len(values) > 10 else "")
    if pos_label is None:
        raise ValueError(
            f"column {name!r} holds text ({shown}): name the positive one with --pos-label"
        )
    if len(values) > 2:
        raise ValueError(f"column {name!r} must hold two classes: got {len(values)} ({shown})")
    if pos_label not in values:
        if len(values) > 1:
            raise ValueError(f"--pos-label {pos_label!r} is none of the labels {shown}")
        return np.zeros(len(column.codes), dtype=np.int8)
    positive: NDArray[np.bool_] = column.codes == values.index(pos_label)
    return positive.view(np.int8)


@contextmanager
def _progress_bar() -> Iterator[Callable[[float, int], None] | None]:
    """Give a function that moves a bar on stderr, or None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield None
        return
    layout = "reading {percentage:3.0f} %|{bar}| {postfix} [{elapsed}<{remaining}]"
    bar = tqdm(total=1.0, delay=_PATIENCE, leave=False, file=sys.stderr, bar_format=layout)

    def move(share: float, rows: int) -> None:
        # Never back: after a file was judged anew, reading starts again.
        bar.set_postfix_str(f"{rows:,} rows", refresh=False)
        bar.update(max(0.0, min(share, 1.0) - bar.n))

    with bar:
        yield move
