"""``fastmetrics compare-table``: a table of data sets and algorithms in, tests and groups out."""

from __future__ import annotations

import argparse
import warnings

from fastmetrics.cli._messages import print_note, print_texts
from fastmetrics.cli._options import check_picture
from fastmetrics.cli._render import render
from fastmetrics.comparison.tables.compare_table import (
    PostHoc,
    TableComparison,
    compare_table,
    save_critical_difference,
)
from fastmetrics.errors import InputError, with_names
from fastmetrics.io.columns import Columns, TextColumn
from fastmetrics.io.formats import column_names
from fastmetrics.io.reader import read_columns

#: What the arguments of the library are called here.
_OPTIONS = {
    "control": "--control",
    "post_hoc": "--post-hoc",
    "confidence_level": "--confidence-level",
    "rng": "--seed",
    "scores": "the table",
}


def run(options: argparse.Namespace) -> str:
    """Read the table, compare the algorithms, draw the diagram, and return the output."""
    if options.plot is not None:
        check_picture("--plot", options.plot)
    algorithms = options.algorithms or _other_columns(options.files[0], options.datasets)
    columns = read_columns(
        options.files,
        options.datasets,
        algorithms,
        on_bad_row=options.on_bad_row,
        many_labels=True,
    )
    comparison = _compared(columns, _dataset_names(columns, options.datasets), options)
    if options.plot is not None:
        save_critical_difference(comparison, options.plot)
        print_note(f"{options.plot}: the critical-difference diagram")
    if columns.n_skipped:
        rows = "row" if columns.n_skipped == 1 else "rows"
        print_note(f"{columns.n_skipped:,} bad {rows} skipped, {columns.n_rows:,} compared")
    counts = {"n_datasets": columns.n_rows, "n_skipped": columns.n_skipped}
    return render(comparison, options.format, counts=counts)


def _other_columns(path: str, datasets: str) -> list[str]:
    names = next(iter(column_names([path], datasets).values()))
    return [name for name in names if name != datasets]


def _dataset_names(columns: Columns, column: str) -> list[str]:
    labels = columns.labels
    values = labels.to_numpy() if isinstance(labels, TextColumn) else labels
    names = [str(value) for value in values.tolist()]
    seen = set[str]()
    for name in names:
        if name in seen:
            raise ValueError(
                f"column {column!r} names the data set {name!r} more than once: the table needs "
                "one row a data set"
            )
        seen.add(name)
    return names


def _compared(columns: Columns, names: list[str], options: argparse.Namespace) -> TableComparison:
    post_hoc: PostHoc = options.post_hoc or (
        "nemenyi" if options.control is None else "bonferroni-dunn"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            comparison = compare_table(
                columns.scores,
                higher_is_better=options.higher_is_better,
                confidence_level=options.confidence_level,
                post_hoc=post_hoc,
                control=options.control,
                datasets=names,
                rng=options.seed,
            )
        except InputError as error:
            raise ValueError(with_names(str(error), _OPTIONS)) from error
    print_texts((str(item.message) for item in caught), "the table")
    return comparison
