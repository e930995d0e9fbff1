"""``fastmetrics evaluate --counts``: measures of counts that a database made."""

from __future__ import annotations

import argparse
from typing import Final

from fastmetrics._display import Display, Table
from fastmetrics._report.evaluation import evaluate
from fastmetrics._report.task_evaluation import NAMES_OF_SCORES
from fastmetrics.cli._layout import in_format
from fastmetrics.cli._render import render
from fastmetrics.cli._session import in_words, progress_bar
from fastmetrics.errors import InputError, with_names
from fastmetrics.io.counts import read_counts
from fastmetrics.tables.binned_score_table import ScoreRanges

#: What counts keep of rows: which files, which of their lines, how sure, how laid out.
_SERVES: Final = frozenset("files counts where threads confidence_level format command".split())
_MEASURES: Final = ("roc_auc", "average_precision", "ks_statistic")


def run_counts(options: argparse.Namespace) -> str:
    """Read the counts, evaluate them, and return the output."""
    _check_options(options)
    with progress_bar() as progress:
        counts_of = read_counts(options.files, where=options.where, progress=progress)
    about = ""
    with in_words({}, about="counts"):
        try:
            ranges_of = {}
            for name, counts in counts_of.items():
                about = f"model {name!r}: " if len(counts_of) > 1 else ""
                ranges_of[name] = ScoreRanges(*counts)
        except InputError as error:
            raise ValueError(about + with_names(str(error), _COLUMNS)) from error
        if not all(ranges.is_exact for ranges in ranges_of.values()):
            return _rendered(ranges_of, options.format)
        tables = {name: ranges.to_score_table() for name, ranges in ranges_of.items()}
        found = evaluate(tables, confidence_level=options.confidence_level)
        return render(found, options.format)


_COLUMNS: Final = {
    "low": "column 'score' (or 'score_low')",
    "high": "column 'score_high'",
    "positives": "column 'positives' (or 'positive_weight')",
    "negatives": "column 'negatives' (or 'negative_weight')",
}


def _check_options(options: argparse.Namespace) -> None:
    """Raise if an option asks for what counts cannot tell."""
    for name, value in vars(options).items():
        if name not in _SERVES and value is not None and value is not False:  # 0 is a seed
            raise ValueError(
                f"--{name.replace('_', '-')} is of rows: with --counts there are none, only "
                "their numbers at each score"
            )


def _rendered(ranges_of: dict[str, ScoreRanges], output_format: str) -> str:
    """Return limits of the measures; all of them by one name in every format."""
    limits = {
        model: {name: getattr(ranges, name)() for name in _MEASURES}
        for model, ranges in ranges_of.items()
    }
    sizes = {
        model: {name: getattr(ranges, name) for name in ("n_positive", "n_negative")}
        for model, ranges in ranges_of.items()
    }
    models = [
        {"name": model} | sizes[model] | {name: each.to_dict() for name, each in found.items()}
        for model, found in limits.items()
    ]
    rows = [
        {"model": model, "metric": name, "low": each.low, "high": each.high}
        for model, found in limits.items()
        for name, each in found.items()
    ]
    if len(limits) == 1:
        shown = next(iter(ranges_of.values()))._shown()
    else:
        cells = [
            (name, model, value)
            for model, found in limits.items()
            for name, value in (sizes[model] | found).items()
        ]
        columns = dict(zip(("metric", "model", "limits"), zip(*cells, strict=True), strict=True))
        table = Table(columns, words=NAMES_OF_SCORES | {"metric": ""}, across="model")
        shown = Display([table], notes=["The exact values lie between the limits."])
    return in_format(output_format, {"models": models}, shown, lambda: (list(rows[0]), rows))
