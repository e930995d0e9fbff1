"""``fastmetrics compare``: which model is better on the items of logs."""

from __future__ import annotations

import argparse
import os
from typing import Any, Final

from fastmetrics.cli._options import as_options

ABOUT: Final = "compare models by logs of their evaluations, item by item"
FORMATS: Final = ("table", "json", "markdown")
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


OPTIONS: Final = """
[--metric NAME]  of a log that has several: the measure, or the scorer
[--filter NAME]  of lm-evaluation-harness: the filter of the answers
[--groups FIELD]  whose items vary together: a field of doc or metadata of logs, a column of tables
[--pass-at K ...]  give the chance that one of K tries is right; several K may be named
[--pass-hat K ...]  give the chance that all of K tries are right; several K may be named
[--on-missing {error,intersect}]  what is done with items that not all models have: stop (default),
    or leave them out
[--confidence-level P]  (default 0.95)
tables:
[--id COL]  column of the items: says that files are tables
[--score COL]  column of the score of a repeat
[--model COL]  column of the models (default: each file is of one)
[--repeat COL]  column of the repeats, where an item has several
[--where]
"""


DEFAULTS: Final = {"pass_at": [], "pass_hat": [], "on_missing": "error", "confidence_level": 0.95}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what options do not tell: files that may have names, and one of two sides."""
    about = "log, or table; a model is called NAME, or as its log or its file is"
    command.add_argument("files", nargs="+", metavar="[NAME=]FILE", help=about)
    side = command.add_mutually_exclusive_group()
    side.add_argument("--higher-is-better", action="store_true", default=None, help="the score")
    side.add_argument("--lower-is-better", action="store_true", help="the score is an error")


def run(options: argparse.Namespace) -> str:
    """Read the logs, compare, and return the output."""
    from fastmetrics._report.evaluate_log import evaluate_log
    from fastmetrics.cli._layout import in_format
    from fastmetrics.cli._session import in_words
    from fastmetrics.io.logs import read_evaluation_log

    upwards = False if options.lower_is_better else options.higher_is_better
    files = _named(options.files)
    names = as_options("pass_at", "pass_hat", "filter", "repeat", "model")
    names["score"] = "--metric" if options.id is None else "--score"
    names |= {"on_missing='intersect'": "--on-missing intersect", "item": "item"}
    with in_words(names):
        if options.id is None:
            for name in ("score", "model", "repeat", "where"):
                if getattr(options, name) is not None:
                    raise ValueError(
                        f"--{name} is of tables: name the column of their items with --id"
                    )
            rows = read_evaluation_log(
                files,
                score=options.metric,
                filter=options.filter,
                group=options.groups,
                higher_is_better=upwards,
            )
        else:
            rows = _of_tables(files, options, upwards)
        found = evaluate_log(
            **rows,
            pass_at=options.pass_at,
            pass_hat=options.pass_hat,
            on_missing=options.on_missing,
            confidence_level=options.confidence_level,
        )
    return in_format(options.format, found.to_dict(), found._shown())


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


def _of_tables(files: Any, options: argparse.Namespace, upwards: bool | None) -> dict[str, Any]:
    """Return the columns of tables."""
    import numpy as np

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
            own = {**read.named, **read.scores, options.id: read.label_values}
            label = model or os.path.splitext(os.path.basename(path))[0]
            own[""] = np.full(read.n_rows, label, object)
            for name, values in own.items():
                parts.setdefault(name, []).append(values)
    joined = {name: np.concatenate(values) for name, values in parts.items()}
    return {
        "item": joined[options.id],
        "score": joined[options.score],
        "model": joined[options.model or ""],
        "repeat": joined.get(options.repeat),
        "group": joined.get(options.groups),
        "name": options.score,
        "higher_is_better": upwards,
    }
