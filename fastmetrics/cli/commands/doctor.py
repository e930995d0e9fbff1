"""``fastmetrics doctor``: what is wrong or doubtful with labels and scores in files."""

from __future__ import annotations

import argparse
from typing import Final

ABOUT: Final = "look for what is wrong or doubtful with labels and scores"
FORMATS: Final = ("table", "json", "markdown")
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
OPTIONS: Final = """
FILE
--label
--score
[--groups COL]  column that says whose a row is
[--id]
[--pos-label]
[--where]
"""


def run(options: argparse.Namespace) -> str:
    """Read the files, look, set the exit status, and return the output."""
    from fastmetrics._report.doctor import doctor
    from fastmetrics.cli._layout import in_format
    from fastmetrics.cli._session import labels_of, read_rows

    names = [each for each in (options.groups, options.id) if each]
    columns = read_rows(options, options.label, options.score, named=names)
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    found = doctor(
        labels,
        columns.scores,
        groups=columns.named.get(options.groups),
        ids=columns.named.get(options.id),
        pos_label=pos_label,
    )
    options.exit_status = found.exit_status
    return in_format(options.format, found.to_dict(), found._shown())
