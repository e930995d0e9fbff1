"""``fastmetrics compare``: which model is better on the items of logs."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import level, positive

if TYPE_CHECKING:
    from fastmetrics._report.logs.log import EvaluationLog

HELP: Final = """\
Compare models by logs of their evaluations, item by item: those of lm-evaluation-harness
(samples_*.jsonl) and of Inspect (.eval, .json), told by what is in them, or tables (CSV, Parquet,
JSON lines) with a row for each repeat of an item. Items are what varies, not repeats; groups of
items where --groups says whose they are."""

EXAMPLES: Final = """\
examples:
  fastmetrics compare old=a/samples_gsm8k.jsonl new=b/samples_gsm8k.jsonl --metric exact_match \\
      --filter strict-match
  fastmetrics compare run.eval --pass-at 1 5 --pass-hat 5
  fastmetrics compare scores.csv --id question --score correct --model model --repeat try \\
      --groups document
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what `compare` takes beside a format."""
    add = command.add_argument
    add(
        "files",
        nargs="+",
        metavar="[NAME=]FILE",
        help="log, or table; a model is called NAME, or as its log or its file is",
    )
    add("--metric", metavar="NAME", help="of a log that has several: the measure, or the scorer")
    add("--filter", metavar="NAME", help="of lm-evaluation-harness: the filter of the answers")
    add(
        "--groups",
        metavar="FIELD",
        help="whose items vary together: a field of doc or metadata of logs, a column of tables",
    )
    for name, what in (("at", "one of K tries is"), ("hat", "all of K tries are")):
        add(
            f"--pass-{name}",
            nargs="+",
            type=positive,
            default=(),
            metavar="K",
            help=f"give the chance that {what} right; several K may be named",
        )
    add(
        "--on-missing",
        choices=("error", "intersect"),
        default="error",
        help="what is done with items that not all models have: stop (default), or leave them out",
    )
    side = command.add_mutually_exclusive_group()
    side.add_argument("--higher-is-better", action="store_true", default=None, help="the score")
    side.add_argument("--lower-is-better", action="store_true", help="the score is an error")
    add("--confidence-level", type=level, default=0.95, metavar="P", help="(default 0.95)")
    add = command.add_argument_group("tables").add_argument
    add("--id", metavar="COL", help="column of the items: says that files are tables")
    add("--score", metavar="COL", help="column of the score of a repeat")
    add("--model", metavar="COL", help="column of the models (default: each file is of one)")
    add("--repeat", metavar="COL", help="column of the repeats, where an item has several")
    add("--where", metavar="SQL", help="keep the rows for which this SQL expression holds")


def run(options: argparse.Namespace) -> str:
    """Read the logs, compare, and return the output."""
    from fastmetrics._report.logs.evaluate_log import evaluate_log
    from fastmetrics._report.logs.read import read_evaluation_log
    from fastmetrics.cli._layout import json_text, markdown_text, table_text
    from fastmetrics.cli._session import in_words

    upwards = False if options.lower_is_better else options.higher_is_better
    files = _named(options.files)
    names = {f"pass_{name}": f"--pass-{name}" for name in ("at", "hat")}
    names |= {name: f"--{name}" for name in ("filter", "repeat", "model")}
    names["score"] = "--metric" if options.id is None else "--score"
    names |= {"on_missing='intersect'": "--on-missing intersect", "item": "item"}
    with in_words(names):
        if options.id is None:
            _refuse_columns(options)
            log = read_evaluation_log(
                files,
                score=options.metric,
                filter=options.filter,
                group=options.groups,
                higher_is_better=upwards,
            )
        else:
            log = _of_tables(files, options, upwards)
        found = evaluate_log(
            log,
            pass_at=options.pass_at,
            pass_hat=options.pass_hat,
            on_missing=options.on_missing,
            confidence_level=options.confidence_level,
        )
    if options.format == "json":
        return json_text(found.to_dict())
    shown = found._shown()
    return markdown_text(shown) if options.format == "markdown" else table_text(shown)


def _named(texts: list[str]) -> dict[str, list[str]] | list[str]:
    """Return files by the names of models, where they are named."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if equals and name and path and not os.path.exists(text):
            found.setdefault(name, []).append(path)
        else:
            found.setdefault("", []).append(text)
    return found if any(found) else texts


def _refuse_columns(options: argparse.Namespace) -> None:
    for name in ("score", "model", "repeat", "where"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} is of tables: name the column of their items with --id")


def _of_tables(files: Any, options: argparse.Namespace, upwards: bool | None) -> EvaluationLog:
    """Return the log of tables."""
    import numpy as np

    from fastmetrics._report.logs.log import evaluation_log
    from fastmetrics.cli._baseline import values_of
    from fastmetrics.io.reader import read_columns

    if options.score is None:
        raise ValueError("--score missing: name the column of the score of a repeat")
    for name in ("metric", "filter"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} is of logs: name the column of the score with --score")
    columns = [options.model, options.repeat, options.groups]
    named = [name for name in columns if name is not None]
    parts: dict[str, list[Any]] = {}
    by_name = files if isinstance(files, dict) else {"": files}
    for model, paths in by_name.items():
        for path in paths:
            read = read_columns(
                *([path], options.id, [options.score]),
                named=named,
                where=options.where,
                many_labels=True,
            )
            own = {name: values_of(read.named[name]) for name in named}
            own |= {options.id: values_of(read.labels), options.score: read.scores[options.score]}
            label = model or os.path.splitext(os.path.basename(path))[0]
            own[""] = np.full(read.n_rows, label, object)
            for name, values in own.items():
                parts.setdefault(name, []).append(values)
    joined = {name: np.concatenate(values) for name, values in parts.items()}
    return evaluation_log(
        joined[options.id],
        joined[options.score],
        model=joined[options.model or ""],
        repeat=joined.get(options.repeat),
        group=joined.get(options.groups),
        name=options.score,
        higher_is_better=upwards,
    )
