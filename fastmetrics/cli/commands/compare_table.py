"""``fastmetrics compare-table``: a table of data sets and algorithms in, tests and groups out."""

from __future__ import annotations

import argparse
from typing import Final

from fastmetrics.cli._options import as_options, check_picture

ABOUT: Final = "compare algorithms on several data sets: Friedman, post-hoc test, groups"
FORMATS: Final = ("table", "json", "csv", "markdown")
HELP: Final = """\
Compare algorithms on several data sets by their ranks: Friedman's test, a post-hoc test, and the
groups inside which no difference is shown. The table, in the same kinds of file as for evaluate,
has a row a data set and a column an algorithm."""

EXAMPLES: Final = """\
examples:
  fastmetrics compare-table accuracies.csv --datasets name --higher-is-better
  fastmetrics compare-table errors.csv --datasets name --lower-is-better --control baseline
  fastmetrics compare-table auc.parquet --datasets name --higher-is-better --plot diagram.png
"""
OPTIONS: Final = """
FILE
--datasets COL  column that names the data sets
[--algorithm COL]...  column of an algorithm; may be repeated (default: all columns but --datasets)
[--post-hoc {nemenyi,bonferroni-dunn,wilcoxon-holm}]  which algorithms differ: all pairs by mean
    ranks, all against --control by mean ranks, or Wilcoxon's test with Holm's adjustment (default:
    nemenyi, with --control bonferroni-dunn)
[--control NAME]  the algorithm that the others are compared with
[--confidence-level P]  of tests (default 0.95)
[--seed S]  of Friedman's p-value where it takes permutations
[--on-bad-row {error,skip}]  what to do with a data set that lacks a number: stop (default), or
    leave it out
[--plot FILE]  write the critical-difference diagram (.png .pdf .svg)
"""


DEFAULTS: Final = {"confidence_level": 0.95}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add one of two sides."""
    side = command.add_mutually_exclusive_group(required=True)
    side.add_argument("--higher-is-better", action="store_true", help="the table holds scores")
    side.add_argument("--lower-is-better", action="store_true", help="the table holds errors")


def run(options: argparse.Namespace) -> str:
    """Read the table, compare the algorithms, draw the diagram, and return the output."""
    from fastmetrics.cli._messages import tell
    from fastmetrics.cli._render import render
    from fastmetrics.cli._session import in_words, read_rows, tell_skipped
    from fastmetrics.comparison.table_comparison import compare_table, save_critical_difference
    from fastmetrics.io.formats import column_names

    if options.plot is not None:
        check_picture("--plot", options.plot)
    algorithms = options.algorithm
    if not algorithms:
        known = next(iter(column_names(options.files[:1], options.datasets).values()))
        algorithms = [name for name in known if name != options.datasets]
    columns = read_rows(options, options.datasets, algorithms, many_labels=True)
    names = [str(name) for name in columns.label_values.tolist()]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"column {options.datasets!r} names the data set {name!r} more than once: the "
                "table needs one row a data set"
            )
    usual = "nemenyi" if options.control is None else "bonferroni-dunn"
    words = as_options("control", "post_hoc", "confidence_level")
    with in_words(words | {"rng": "--seed", "scores": "the table"}, about="the table"):
        comparison = compare_table(
            columns.scores,
            higher_is_better=options.higher_is_better,
            confidence_level=options.confidence_level,
            post_hoc=options.post_hoc or usual,  # type: ignore[arg-type]
            control=options.control,
            datasets=names,
            rng=options.seed,
        )
    if options.plot is not None:
        save_critical_difference(comparison, options.plot)
        tell("note", f"{options.plot}: the critical-difference diagram")
    tell_skipped(columns, "compared")
    counts = {"n_datasets": columns.n_rows, "n_skipped": columns.n_skipped}
    return render(comparison, options.format, counts=counts)
