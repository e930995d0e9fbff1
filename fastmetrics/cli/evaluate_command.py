"""``fastmetrics evaluate``: files in, measures out."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.labels import distinct
from fastmetrics._input.scalars import WeightsAre, check_weights_are
from fastmetrics.cli._messages import print_note, print_texts
from fastmetrics.cli._options import number_of, unquoted
from fastmetrics.cli._render import render
from fastmetrics.errors import InputError, with_names
from fastmetrics.io import Columns, TextColumn, read_columns
from fastmetrics.io._session import quote_name, quote_text
from fastmetrics.report._costs import checked_prices
from fastmetrics.report.evaluation import evaluate, plan_of
from fastmetrics.report.evaluation_result import Evaluation

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
    "pos_label": "--pos-label",
    "memory": "--memory",
    "spill_dir": "--spill-dir",
    "stratified=True": "--stratified",
    "method=": "--method ",
    "weights_are=": "--weights-are ",
    "pos_label=": "--pos-label ",
}


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate each score column, and return the output."""
    if options.counts:
        from fastmetrics.cli._counts import run_counts

        return run_counts(options)
    check_columns(options)
    if options.memory is not None or options.spill_dir is not None:
        from fastmetrics.cli._bounded import run_bounded

        return run_bounded(options)
    given = {
        "confidence_level": options.confidence_level,
        "n_resamples": options.bootstrap,
        "metrics": parse_metrics(options.metrics),
        "method": options.method,
        "stratified": options.stratified,
        "threshold": options.threshold,
        "rng": options.seed,
        "n_threads": options.threads,
        "progress": None,
    }
    weights_are: WeightsAre = options.weights_are or "importances"
    prices = {name: _price(getattr(options, name)) for name in ("cost_fn", "cost_fp")}
    with in_words_of(options):  # before anything is read
        known = {name: _known(price) for name, price in prices.items()}
        checked_prices(**known, prevalence=options.prevalence)
        read = check_weights_are(options.weight, weights_are)
        n_models = len(options.scores)
        plan_of(**given, groups=options.groups, n_models=n_models, weights_are=read)
    with progress_bar() as progress:
        columns = read_rows(options, progress, [p for p in prices.values() if isinstance(p, str)])
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    with warnings.catch_warnings(record=True) as caught, in_words_of(options, labels):
        warnings.simplefilter("always")
        evaluation = evaluate(
            labels,
            {name: columns.scores[name] for name in options.scores},
            sample_weight=columns.weights,
            weights_are=weights_are,
            groups=columns.groups,
            pos_label=pos_label,
            cost_fn=_price_of(columns, prices["cost_fn"]),
            cost_fp=_price_of(columns, prices["cost_fp"]),
            prevalence=options.prevalence,
            **given,
        )
    texts = [with_names(str(item.message), names_here(options)) for item in caught]
    return told(evaluation, texts, columns, options)


def told(
    evaluation: Evaluation, texts: list[str], columns: Columns, options: argparse.Namespace
) -> str:
    """Print what is to be known beside the figures, and return the output."""
    _tell(evaluation, texts)
    counts = {"n_rows": columns.n_rows, "n_skipped": columns.n_skipped}
    output = render(evaluation, options.format, counts=counts)
    if columns.n_skipped:
        rows = "row" if columns.n_skipped == 1 else "rows"
        print_note(f"{columns.n_skipped:,} bad {rows} skipped, {columns.n_rows:,} evaluated")
    return output


def check_columns(options: argparse.Namespace) -> None:
    """Raise unless labels and scores are named."""
    missing = [
        name
        for name, value in (("--label", options.label), ("--score", options.scores))
        if not value
    ]
    if missing:
        raise ValueError(
            f"{' and '.join(missing)} missing: name the columns, or say --counts where the files "
            "hold counts by score"
        )
    if options.weights_are and not options.weight:
        raise ValueError("--weights-are is of --weight: name the column of the weights with it")


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


def read_rows(
    options: argparse.Namespace,
    progress: Callable[[float, int], None] | None,
    prices: Sequence[str] = (),
    **bounded: Any,
) -> Columns:
    """Read the columns that the options name, and those of prices; see `read_columns`."""
    return read_columns(
        options.files,
        options.label,
        [*options.scores, *dict.fromkeys(price for price in prices if price not in options.scores)],
        weight=options.weight,
        group=options.groups,
        where=options.where,
        on_bad_row=options.on_bad_row,
        n_threads=options.threads,
        progress=progress,
        **bounded,
    )


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


@contextmanager
def in_words_of(options: argparse.Namespace, labels: NDArray[Any] | None = None) -> Iterator[None]:
    """Let errors speak of columns and options, not of arguments; of many classes first."""
    try:
        yield
    except InputError as error:
        classes = distinct(labels) if labels is not None else np.empty(0)
        if len(classes) > 2 and (np.rint(classes) == classes).all():  # others are no classes
            _refuse_classes(classes.tolist(), options.label, error)
        raise ValueError(with_names(str(error), names_here(options))) from error


def names_here(options: argparse.Namespace) -> dict[str, str]:
    """Return what the arguments of the library are called here."""
    several = len(options.scores) > 1
    columns = {f"scores[{name!r}]": f"column {name!r}" for name in options.scores}
    return (
        _OPTIONS
        | columns
        | {
            "y_true": f"column {options.label!r}",
            "y_score": "each score column" if several else f"column {options.scores[0]!r}",
            "cost_fn": _name_of("--cost-fn", getattr(options, "cost_fn", None)),
            "cost_fp": _name_of("--cost-fp", getattr(options, "cost_fp", None)),
            "prevalence": "--prevalence",
            "sample_weight": f"column {options.weight!r}" if options.weight else "--weight",
        }
    )


def _name_of(option: str, price: str | None) -> str:
    return f"column {price!r}" if isinstance(_price(price), str) else option


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
def progress_bar(work: str = "reading") -> Iterator[Callable[[float, int], None] | None]:
    """Give a function that moves a bar on stderr, or None where nobody would see it."""
    if not _has_bar():
        yield None
        return
    from tqdm import tqdm

    layout = work + " {percentage:3.0f} %|{bar}| {postfix} [{elapsed}<{remaining}]"
    bar = tqdm(total=1.0, delay=_PATIENCE, leave=False, file=sys.stderr, bar_format=layout)

    def move(share: float, rows: int) -> None:
        # Never back: after a file was judged anew, reading starts again.
        bar.set_postfix_str(f"{rows:,} rows", refresh=False)
        bar.update(max(0.0, min(share, 1.0) - bar.n))

    with bar:
        yield move


_WORDS = {"true": True, "false": False, "none": None}


def parse_metrics(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Return the measures by what was written, as `evaluate` takes them.

    Parameters
    ----------
    texts : sequence of str or None
        ``NAME`` or ``NAME:PARAMETER=VALUE[:PARAMETER=VALUE…]``. A value is a number, several
        numbers with commas, true, false, none, or a word.

    Raises
    ------
    ValueError
        If a measure is written twice, or a parameter has no value.
    """
    if texts is None:
        return None
    found: dict[str, Any] = {}
    for text in texts:
        if text in found:
            raise ValueError(f"--metrics names {text!r} more than once")
        name, *parameters = text.split(":")
        given = dict(_parameter(part, text) for part in parameters)
        found[text] = (name, given) if given else name
    return found


def _parameter(part: str, text: str) -> tuple[str, Any]:
    name, equals, value = part.partition("=")
    if not (name and equals and value):
        raise ValueError(
            f"--metrics {text!r}: {part!r} is no parameter with its value, as in "
            "recall_at_false_positive_rate:false_positive_rate=0.05"
        )
    if "," in value:
        return name, tuple(_value(item) for item in value.split(","))
    return name, _value(value)


def _value(text: str) -> Any:
    number = number_of(text)
    return _WORDS.get(text.lower(), text) if number is None else number


def labels_of(
    column: NDArray[Any] | TextColumn, name: str, pos_label: str | None
) -> tuple[NDArray[Any], Any]:
    """Return the labels, and the positive label in their own type."""
    if isinstance(column, TextColumn):
        return _text_labels(column, name, pos_label and unquoted(pos_label)), None
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
    shown = ", ".join(map(repr, sorted(values)))
    if len(values) > 2:
        _refuse_classes(sorted(values), name)
    if pos_label is None:
        raise ValueError(
            f"column {name!r} holds text ({shown}): name the positive one with --pos-label"
        )
    if pos_label not in values:
        if len(values) > 1:
            raise ValueError(f"--pos-label {pos_label!r} is none of the labels {shown}")
        return np.zeros(len(column.codes), dtype=np.int8)
    positive: NDArray[np.bool_] = column.codes == values.index(pos_label)
    return positive.view(np.int8)


def _refuse_classes(classes: list[Any], name: str, cause: Exception | None = None) -> NoReturn:
    """Raise for more than two classes, given in order; say which options leave two."""
    shown = ", ".join(map(repr, classes[:10])) + (", …" if len(classes) > 10 else "")
    column = name if name.isidentifier() else quote_name(name)
    pair = ", ".join(quote_text(c) if isinstance(c, str) else repr(c) for c in classes[:2])
    raise ValueError(
        f"column {name!r} holds {len(classes):,} classes ({shown}), and the measures are of two: "
        f'keep two with --where "{column} IN ({pair})", and name the positive one with --pos-label'
    ) from cause
