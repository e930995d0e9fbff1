"""``fastmetrics evaluate --counts``: measures of counts that a database made."""

from __future__ import annotations

import argparse
import warnings
from typing import Any, Final

from fastmetrics.cli._layout import csv_text, json_text, markdown_text, table_text
from fastmetrics.cli._messages import print_texts
from fastmetrics.cli._render import render
from fastmetrics.cli.evaluate_command import progress_bar
from fastmetrics.errors import InputError, with_names
from fastmetrics.io.counts import read_counts
from fastmetrics.report.evaluation import evaluate
from fastmetrics.tables.binned.score_ranges import ScoreRanges

#: What counts keep of rows: which files, which of their lines, how sure, how laid out.
_SERVES: Final = frozenset("files counts where threads confidence_level format run".split())
_MEASURES: Final = ("roc_auc", "average_precision", "ks_statistic")


def run_counts(options: argparse.Namespace) -> str:
    """Read the counts, evaluate them, and return the output."""
    _check_options(options)
    with progress_bar() as progress:
        counts = read_counts(
            options.files, where=options.where, n_threads=options.threads, progress=progress
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            output = _evaluated(ScoreRanges(*counts), options)
        except InputError as error:
            raise ValueError(with_names(str(error), _COLUMNS)) from error
    print_texts([str(item.message) for item in caught], "counts")
    return output


def _evaluated(ranges: ScoreRanges, options: argparse.Namespace) -> str:
    if not ranges.is_exact:
        return _rendered(ranges, options.format)
    found = evaluate(
        ranges.to_score_table(),
        confidence_level=options.confidence_level,
        n_threads=options.threads,
    )
    return render(found, options.format)


_COLUMNS: Final = {
    "low": "column 'score' (or 'score_low')",
    "high": "column 'score_high'",
    "positives": "column 'positives' (or 'positive_weight')",
    "negatives": "column 'negatives' (or 'negative_weight')",
}


def _check_options(options: argparse.Namespace) -> None:
    """Raise if an option asks for what counts cannot tell."""
    left = {"on_bad_row": "error", "stratified": False, "scores": None}
    for name, value in vars(options).items():
        if name not in _SERVES and value != left.get(name):
            option = {"scores": "score", "bootstrap": "bootstrap"}.get(name, name)
            raise ValueError(
                f"--{option.replace('_', '-')} is of rows: with --counts there are none, only "
                "their numbers at each score"
            )


def _rendered(ranges: ScoreRanges, output_format: str) -> str:
    """Return limits of the measures; all of them by one name in every format."""
    if output_format in ("json", "csv"):
        limits = {name: getattr(ranges, name)() for name in _MEASURES}
        if output_format == "csv":
            rows = [{"metric": n, "low": each.low, "high": each.high} for n, each in limits.items()]
            return csv_text(("metric", "low", "high"), rows)
        head: dict[str, Any] = {"n_positive": ranges.n_positive, "n_negative": ranges.n_negative}
        return json_text(head | {name: each.to_dict() for name, each in limits.items()})
    shown = ranges._shown()
    return markdown_text(shown) if output_format == "markdown" else table_text(shown)
