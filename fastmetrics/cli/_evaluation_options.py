"""The options of commands that evaluate rows."""

from __future__ import annotations

import argparse
from typing import Any

from fastmetrics.cli._options import add_rows, level, number, positive, seed


def add_evaluation(command: argparse.ArgumentParser, *, required: bool) -> None:
    """Add what says which rows are evaluated, and how."""
    add = command.add_argument
    add_rows(add, required=required)
    add(
        "--task",
        choices=("binary", "classes", "labels", "values"),
        help="what is evaluated (default: labels of two values are binary, other numbers values); "
        "labels: --score are columns of predicted labels",
    )
    add(
        "--slice",
        action="append",
        metavar="COL",
        help="column whose values are slices, each measured with limits for all at once; may be "
        "repeated",
    )
    add(
        "--intersections",
        type=positive,
        metavar="K",
        help="how many of these columns make a slice (default 1, at most 3)",
    )
    add("--min-n", type=positive, metavar="N", help="rows of a slice (default 30)")
    add(
        "--class-score",
        action="append",
        dest="class_scores",
        metavar="CLASS=COL",
        help="column of the probability of a class, one for each class, in place of --score",
    )
    add(
        "--confidence-level",
        type=level,
        default=0.95,
        metavar="P",
        help="of the intervals (default 0.95)",
    )
    _add_costs(command.add_argument_group("the cheapest threshold").add_argument)
    _add_bootstrap(command.add_argument_group("intervals by bootstrap").add_argument)


def _add_costs(add: Any) -> None:
    for name, what in (("fn", "missing a positive"), ("fp", "a false alarm")):
        add(
            f"--cost-{name}",
            metavar="COL|X",
            help=f"what {what} costs: a number, or the column that has it for each row",
        )
    add(
        "--prevalence",
        type=level,
        metavar="P",
        help="share of positives where the threshold will be used (default: that of the data)",
    )
    add(
        "--guarantee",
        action="append",
        metavar="NAME=X",
        help="show the threshold that keeps a promise on new data, sure to --confidence-level: "
        "recall=0.95, false_positive_rate=0.01, precision=0.9, or, with prices, expected_cost=0.5; "
        "may be repeated, each promise stands for itself",
    )


def _add_bootstrap(add: Any) -> None:
    add(
        "--bootstrap",
        type=positive,
        metavar="N",
        help="give every measure an interval from N resamples (9999 are usual), and with several "
        "models the differences of each pair; without it what is smooth has one",
    )
    add(
        "--method",
        choices=("percentile", "basic", "bca", "studentized"),
        help="of the interval (default: bca where it is defined, else percentile; of differences "
        "basic)",
    )
    add(
        "--groups",
        metavar="COL",
        help="column that says whose a row is (user, patient): groups vary, not rows",
    )
    add("--stratified", action="store_true", help="draw each class by itself")
    add(
        "--metrics",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="measures with an interval beside those of the table, as f1, or "
        "with parameters as precision_at_recall:recall=0.9; docs/bootstrap.md lists them",
    )
    add(
        "--threshold",
        type=number,
        metavar="T",
        help="the score from which on f1, accuracy and their like call an example positive",
    )
    add(
        "--seed",
        type=seed,
        metavar="S",
        help="an integer, or the key (16 hexadecimal digits) of an earlier run: the same resamples",
    )
