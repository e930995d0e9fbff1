"""``fastmetrics doctor``: what is wrong or doubtful with labels and scores in files."""

from __future__ import annotations

import argparse
from typing import Final

HELP: Final = """\
Look for what is wrong or doubtful with labels and scores of two classes: scores that run backwards,
decisions or labels given as scores, ids and rows that are there twice, few positives or groups, and
more. Nothing is mended.

exit status: 0 nothing but notes, 1 an error or a warning, 2 files that cannot be read"""

EXAMPLES: Final = """\
examples:
  fastmetrics doctor scores.csv --label y --score a --score b
  fastmetrics doctor scores.parquet --label y --score p --groups patient --id row
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what `doctor` takes beside a format."""
    add = command.add_argument
    add("files", nargs="+", metavar="FILE", help="file name or glob pattern")
    add("--label", required=True, metavar="COL", help="column of the labels")
    add(
        "--score",
        required=True,
        action="append",
        dest="scores",
        metavar="COL",
        help="column of a model's scores; may be repeated",
    )
    add("--groups", metavar="COL", help="column that says whose a row is")
    add("--id", metavar="COL", help="column of ids, each its own")
    add("--pos-label", metavar="V", help="the positive label (0/1, -1/1 and booleans need none)")
    add("--where", metavar="SQL", help="keep the rows for which this SQL expression holds")


def run(options: argparse.Namespace) -> str:
    """Read the files, look, set the exit status, and return the output."""
    from fastmetrics._report.doctor import doctor
    from fastmetrics.cli._baseline import values_of
    from fastmetrics.cli._layout import json_text, markdown_text, table_text
    from fastmetrics.cli._session import labels_of
    from fastmetrics.io.reader import read_columns

    names = [each for each in (options.groups, options.id) if each]
    columns = read_columns(
        options.files, options.label, options.scores, named=names, where=options.where
    )
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    named = {name: values_of(each) for name, each in columns.named.items()}
    found = doctor(
        labels,
        columns.scores,
        groups=named.get(options.groups),
        ids=named.get(options.id),
        pos_label=pos_label,
    )
    options.exit_status = found.exit_status
    if options.format == "json":
        return json_text(found.to_dict())
    shown = found._shown()
    return markdown_text(shown) if options.format == "markdown" else table_text(shown)
