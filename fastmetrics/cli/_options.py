"""What options of several commands have in common: the rows to read, and kinds of numbers."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final


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
    add(
        "--pos-label",
        metavar="V",
        help="the positive label (0/1, -1/1 and booleans need none); in quotes of its own, as "
        "\"'007'\", a text",
    )
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


def number_of(text: str) -> int | float | None:
    """Return a number, an integer where it is written as one; None of what is none in a file.

    Python alone reads ``1_0`` as 10, and digits of any script. What no float holds is infinite.
    """
    for convert in (int, float) if text.isascii() and "_" not in text else ():
        try:
            number: int | float = convert(text)
        except ValueError:
            continue
        if isinstance(number, float) or abs(number) <= sys.float_info.max:
            return number
    return None


def unquoted(text: str) -> str:
    """Return a label without the single quotes that say that it is a text, whatever it reads as."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text


def positive(text: str) -> int:
    """Return a positive integer."""
    number = number_of(text)
    if not isinstance(number, int) or number < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1: got {text!r}")
    return number


def level(text: str) -> float:
    """Return a number between 0 and 1."""
    level = number_of(text)
    if level is None or not 0 < level < 1:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1: got {text!r}")
    return level


def number(text: str) -> int | float:
    """Return a number, an integer where it is written as one."""
    number = number_of(text)
    if number is None or number != number:
        raise argparse.ArgumentTypeError(f"must be a number: got {text!r}")
    return number


def seed(text: str) -> int | str:
    """Return a seed: an integer, or the key of an earlier run."""
    if len(text) == 16 and set(text) <= set("0123456789abcdefABCDEF"):
        return text
    if text.isdecimal() and text.isascii():
        return int(text)
    raise argparse.ArgumentTypeError(
        f"must be an integer of at least 0, or a key of 16 hexadecimal digits: got {text!r}"
    )


_PICTURES: Final = (".png", ".pdf", ".svg")
_WORDS: Final = {"true": True, "false": False, "none": None}


def parse_metrics(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Return the measures by what was written, as `evaluate` takes them.

    Parameters
    ----------
    texts : sequence of str or None
        ``NAME`` or ``NAME:PARAMETER=VALUE[:PARAMETER=VALUE…]``. A value is a number, several
        numbers with commas, true, false, none, or a word.

    Raises
    ------
    ValueError
        If a measure is written twice, or a parameter has no value.
    """
    if texts is None:
        return None
    found: dict[str, Any] = {}
    for text in texts:
        if text in found:
            raise ValueError(f"--metrics names {text!r} more than once")
        name, *parameters = text.split(":")
        given = dict(_parameter(part, text) for part in parameters)
        found[text] = (name, given) if given else name
    return found


def parse_guarantee(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Return the promises by measure, from ``NAME=VALUE``; ValueError where one is twice."""
    found: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        bound = number_of(value) if equals else None
        if bound is None:
            raise ValueError(f"--guarantee {text!r} is no promise with a number, as in recall=0.95")
        if name in found:
            raise ValueError(f"--guarantee names {name!r} more than once")
        found[name] = bound
    return found or None


def _parameter(part: str, text: str) -> tuple[str, Any]:
    name, equals, value = part.partition("=")
    if not (name and equals and value):
        raise ValueError(
            f"--metrics {text!r}: {part!r} is no parameter with its value, as in "
            "recall_at_false_positive_rate:false_positive_rate=0.05"
        )
    if "," in value:
        return name, tuple(_value(item) for item in value.split(","))
    return name, _value(value)


def _value(text: str) -> Any:
    number = number_of(text)
    return _WORDS.get(text.lower(), text) if number is None else number


def check_picture(option: str, path: str) -> None:
    """Raise before any work if a picture could not be drawn, or not under this name."""
    if os.path.splitext(path.lower())[1] not in _PICTURES:
        raise ValueError(f"{option}: the name must end in one of {' '.join(_PICTURES)}: got {path}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{option}: there is no folder {folder}")
    from fastmetrics._plots._style import require_matplotlib

    require_matplotlib()
