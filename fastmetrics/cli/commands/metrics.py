"""``fastmetrics metrics``: the measures that there are."""

from __future__ import annotations

import argparse
from typing import Final

ABOUT: Final = "list the measures: what each needs, its direction, its least and greatest value"
FORMATS: Final = ("table", "json")
OPTIONS = """
[--needs {scores,labels,probabilities,values,rankings,times}]  those that take one kind of
    prediction (default all)
"""


def run(options: argparse.Namespace) -> str:
    """Return the table of measures, or the measures that take one kind of prediction."""
    from fastmetrics.cli._layout import json_text
    from fastmetrics.measures.asking import MetricsTable, metrics_table

    entries = (each for each in metrics_table() if options.needs in (None, each.needs))
    table = MetricsTable(tuple(entries))
    if options.format == "json":
        return json_text({"metrics": table.to_dict()["entries"]})
    return f"{table}\n"
