"""What options of several commands have in common: the rows to read, and kinds of numbers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any


def add_rows(add: Callable[..., Any], *, required: bool = True) -> None:
    """Add the options that say which rows of which files are read, and what their columns are."""
    add("files", nargs="+", metavar="FILE", help="file name or glob pattern")
    add("--label", required=required, metavar="COL", help="column of the labels")
    add(
        "--score",
        required=required,
        action="append",
        dest="scores",
        metavar="COL",
        help="column of a model's scores; may be repeated, one for each model",
    )
    add("--weight", metavar="COL", help="column of the example weights")
    add(
        "--weights-are",
        choices=("importances", "frequencies"),
        help="what --weight says of a row: how much it matters, being one row all the same "
        "(default), or how many rows it stands for; intervals hang on it, values do not",
    )
    add("--pos-label", metavar="V", help="the positive label (0/1, -1/1 and booleans need none)")
    add("--where", metavar="SQL", help="keep the rows for which this SQL expression holds")
    add(
        "--on-bad-row",
        choices=("error", "skip"),
        default="error",
        help="what to do with a row whose label, score, weight, cost or group is missing or no "
        "finite number, or that does not fit the header: stop (default), or leave it out and count "
        "it",
    )
    add("--threads", type=positive, metavar="N", help="threads (default: all processors)")


def positive(text: str) -> int:
    """Return a positive integer."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1: got {text!r}")
    return number


def level(text: str) -> float:
    """Return a number between 0 and 1."""
    try:
        level = float(text)
    except ValueError:
        level = 0.0
    if not 0 < level < 1:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1: got {text!r}")
    return level


def number(text: str) -> int | float:
    """Return a number, an integer where it is written as one."""
    for convert in (int, float):
        try:
            number = convert(text)
        except ValueError:
            continue
        if number == number:
            return number
    raise argparse.ArgumentTypeError(f"must be a number: got {text!r}")


def seed(text: str) -> int | str:
    """Return a seed: an integer, or the key of an earlier run."""
    if len(text) == 16 and set(text) <= set("0123456789abcdefABCDEF"):
        return text
    if text.isdecimal() and text.isascii():
        return int(text)
    raise argparse.ArgumentTypeError(
        f"must be an integer of at least 0, or a key of 16 hexadecimal digits: got {text!r}"
    )
