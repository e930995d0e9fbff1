"""``fastmetrics pack``: the scores of a release in one file."""

from __future__ import annotations

import argparse
from typing import Final

HELP: Final = """\
Write ids, labels, scores and other columns of files to one Parquet file, with a hash of ids and
labels: the baseline that later candidates are compared with."""

EXAMPLES: Final = """\
examples:
  fastmetrics pack scores.csv --label y --score p --id id -o release.parquet
  fastmetrics gate new.csv --label y --score p --id id --baseline-file release.parquet \\
      --margin roc_auc=0.005
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what `pack` takes."""
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
    add("--id", required=True, metavar="COL", help="column of ids, each its own")
    add("--keep", action="append", default=[], metavar="COL", help="another column: slices, groups")
    add("--where", metavar="SQL", help="keep the rows for which this SQL expression holds")
    add("-o", "--output", required=True, metavar="FILE", help="the Parquet file to write")


def run(options: argparse.Namespace) -> str:
    """Read the files, write the baseline, and say what it is."""
    from fastmetrics._report.gate.packed import pack
    from fastmetrics.cli._baseline import values_of
    from fastmetrics.cli._session import in_words
    from fastmetrics.io.reader import read_columns

    names = list(dict.fromkeys([options.id, *options.keep]))
    columns = read_columns(
        options.files, options.label, options.scores, named=names, where=options.where
    )
    named = {name: values_of(each) for name, each in columns.named.items()}
    with in_words({"ids": f"column {options.id!r}"}):
        own = pack(
            options.output,
            values_of(columns.labels),
            columns.scores,
            ids=named[options.id],
            columns={name: named[name] for name in options.keep},
        )
    return f"{options.output}: {columns.n_rows:,} rows, {own}\n"
