"""One session of a command that judges rows: read, name, warn, and say what was left out."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import distinct
from fastmetrics.cli._options import as_options, number_of, unquoted
from fastmetrics.cli._terminal import print_texts, tell
from fastmetrics.errors import InputError, with_names
from fastmetrics.io._session import quote_name, quote_text
from fastmetrics.io.reader import FileColumns, TextColumn, read_columns

#: Seconds before a bar appears.
_PATIENCE: Final = 1.0
#: Options that stand for arguments of the library.
_OPTIONS: Final = as_options(
    *("metrics", "method", "stratified", "groups", "threshold", "guarantee", "pos_label"),
    *("memory", "spill_dir", "prevalence", "method=", "task=", "weights_are=", "pos_label="),
) | {"n_resamples": "--bootstrap", "rng": "--seed", "stratified=True": "--stratified"}
_OPTIONS["metrics_table()"] = "fastmetrics metrics"


def check_weights(options: argparse.Namespace) -> None:
    """Raise where it is said what weights mean, and there are none."""
    if options.weights_are and not options.weight:
        raise ValueError("--weights-are is of --weight: name the column of the weights with it")


def read_rows(
    options: argparse.Namespace, label: str | None, columns: Sequence[str], **more: Any
) -> FileColumns:
    """Read columns of the files, as far as the options say how, with a bar; see `read_columns`."""
    for name in ("weight", "where", "on_bad_row"):
        if getattr(options, name, None) is not None:
            more.setdefault(name, getattr(options, name))
    with progress_bar() as progress:
        return read_columns(options.files, label, columns, progress=progress, **more)


@contextmanager
def in_words(
    names: Mapping[str, str],
    labels: NDArray[Any] | None = None,
    label: str | None = None,
    *,
    about: str = "",
) -> Iterator[list[tuple[type[Warning], str]]]:
    """Let errors speak of columns and options; yield a list that gets the warnings at the end."""
    texts: list[tuple[type[Warning], str]] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield texts
        except InputError as error:
            classes = np.empty(0) if labels is None or label is None else distinct(labels)
            if len(classes) > 2 and (np.rint(classes) == classes).all():  # others are no classes
                _refuse_classes(classes.tolist(), str(label), error)
            raise ValueError(with_names(str(error), names)) from error
    texts += ((item.category, with_names(str(item.message), names)) for item in caught)
    if about:
        print_texts((text for _, text in texts), about)


def binary_labels(options: argparse.Namespace, labels: Any) -> Any:
    """Return labels that should be of two classes; None where another task was named."""
    is_other = options.task not in (None, "binary") or options.class_score or options.label_score
    return None if is_other else labels


def names_here(options: argparse.Namespace) -> dict[str, str]:
    """Return the names of the library's arguments here: columns and options."""
    options.score = options.score or []
    several = len(options.score) != 1
    columns = {f"scores[{name!r}]": f"column {name!r}" for name in options.score}
    if getattr(options, "class_score", None):
        columns["scores['score']"] = "--class-score"
    for name, column in (getattr(options, "label_score", None) or {}).items():
        columns |= {f"y_true[{name!r}]": f"column {name!r}"}
        columns |= {f"scores['score'][{name!r}]": f"column {column!r}"}
    return (
        _OPTIONS
        | columns
        | {
            "y_true": f"column {options.label!r}",
            "y_score": "each score column" if several else f"column {options.score[0]!r}",
            "cost_fn": _cost_name("--cost-fn", getattr(options, "cost_fn", None)),
            "cost_fp": _cost_name("--cost-fp", getattr(options, "cost_fp", None)),
            "sample_weight": f"column {options.weight!r}" if options.weight else "--weight",
        }
    )


def _cost_name(option: str, price: str | None) -> str:
    return f"column {price!r}" if isinstance(price, str) and number_of(price) is None else option


def tell_skipped(columns: FileColumns, done: str) -> None:
    """Say how many bad rows were left out."""
    if columns.n_skipped:
        rows = "row" if columns.n_skipped == 1 else "rows"
        tell("note", f"{columns.n_skipped:,} bad {rows} skipped, {columns.n_rows:,} {done}")


@contextmanager
def progress_bar(work: str = "reading") -> Iterator[Callable[[float, int], None] | None]:
    """Give a function that moves a bar on stderr, or None where nobody would see it."""
    make: Any = None
    if sys.stderr.isatty():
        with suppress(ImportError):
            import tqdm

            make = tqdm.tqdm
    if make is None:
        yield None
        return
    layout = work + " {percentage:3.0f} %|{bar}| {postfix} [{elapsed}<{remaining}]"
    bar = make(total=1.0, delay=_PATIENCE, leave=False, file=sys.stderr, bar_format=layout)

    def move(done: float, rows: int) -> None:
        # Never back: after a file was judged anew, reading starts again.
        bar.set_postfix_str(f"{rows:,} rows", refresh=False)
        bar.update(max(0.0, min(done, 1.0) - bar.n))

    with bar:
        yield move


def labels_of(
    column: NDArray[Any] | TextColumn, name: str, pos_label: str | None, *, of_two: bool = True
) -> tuple[NDArray[Any], Any]:
    """Return the labels, and the positive label in their own type; texts of two classes as 0, 1."""
    if isinstance(column, TextColumn):
        text = pos_label and unquoted(pos_label)
        return (_text_labels(column, name, text), None) if of_two else (column.to_numpy(), text)
    if pos_label is None:
        return column, None
    value = number_of(pos_label)
    if isinstance(value, int) or (value is not None and column.dtype.kind == "f"):
        return column, value
    if pos_label.lower() in ("true", "false") and column.dtype == np.int8:
        return column, int(pos_label.lower() == "true")
    raise ValueError(
        f"--pos-label {pos_label!r} cannot be a label: column {name!r} holds {column.dtype} numbers"
    )


def _text_labels(column: TextColumn, name: str, pos_label: str | None) -> NDArray[np.int8]:
    """Return 1 for the positive text and 0 for the other."""
    values = column.values
    listed = ", ".join(map(repr, sorted(values)))
    if len(values) > 2:
        _refuse_classes(sorted(values), name)
    if pos_label is None:
        raise ValueError(
            f"column {name!r} holds text ({listed}): name the positive one with --pos-label"
        )
    if pos_label not in values:
        if len(values) > 1:
            raise ValueError(f"--pos-label {pos_label!r} is none of the labels {listed}")
        return np.zeros(len(column.codes), dtype=np.int8)
    positive: NDArray[np.bool_] = column.codes == values.index(pos_label)
    return positive.view(np.int8)


def _refuse_classes(classes: list[Any], name: str, cause: Exception | None = None) -> NoReturn:
    """Raise for more than two classes, given in order; say which options leave two."""
    listed = ", ".join(map(repr, classes[:10])) + (", …" if len(classes) > 10 else "")
    column = name if name.isidentifier() else quote_name(name)
    pair = ", ".join(quote_text(c) if isinstance(c, str) else repr(c) for c in classes[:2])
    raise ValueError(
        f"column {name!r} holds {len(classes):,} classes ({listed}), and the metrics are of two: "
        f'keep two with --where "{column} IN ({pair})", name the positive one with --pos-label; '
        "or, of fastmetrics evaluate, say --task labels of predicted labels, --class-score "
        "CLASS=COL of probabilities, --task values of numbers"
    ) from cause
