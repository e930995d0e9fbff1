"""``fastmetrics pack``: the scores of a release in one file."""

from __future__ import annotations

import argparse
from typing import Any, Final

ABOUT: Final = "write ids and scores to one Parquet file: a baseline for gate"
HELP: Final = """\
Write ids, labels, scores and other columns of files to one Parquet file, with a hash of ids and
labels: the baseline that later candidates are compared with."""

EXAMPLES: Final = """\
examples:
  fastmetrics pack scores.csv --label y --score p --id id -o release.parquet
  fastmetrics gate new.csv --label y --score p --id id --baseline-file release.parquet \\
      --margin roc_auc=0.005
"""
OPTIONS: Final = """
FILE
--label
--score
--id
[--keep COL]...  another column: slices, groups
[--where]
-o, --output FILE  the Parquet file to write
"""
DEFAULTS: Final[dict[str, Any]] = {"keep": []}


def run(options: argparse.Namespace) -> str:
    """Read the files, write the baseline, and say what it is."""
    from fastmetrics._report.gate.packed import pack
    from fastmetrics.cli._session import in_words, read_rows

    names = list(dict.fromkeys([options.id, *options.keep]))
    columns = read_rows(options, options.label, options.score, named=names)
    with in_words({"ids": f"column {options.id!r}"}):
        own = pack(
            options.output,
            columns.label_values,
            columns.scores,
            ids=columns.named[options.id],
            columns={name: columns.named[name] for name in options.keep},
        )
    return f"{options.output}: {columns.n_rows:,} rows, {own}\n"
