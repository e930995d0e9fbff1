"""Options, declared as their usage is written, the shared ones once; and kinds of numbers."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

_ENTRY: Final = re.compile(
    r"(?P<optional>\[)?(?P<names>-[\w-]+(?:, -[\w-]+)*)? ?(?P<value>\{[^}]+\}|[^\s\]]\S*?)?"
    r"(?P<several> \.\.\.)?\]?(?P<repeated>\.\.\.)?  (?P<help>.+)"
)


class Command(NamedTuple):
    """A command: its name and line in the help, the function that runs it, and its options.

    ``options`` is the text that `declare` takes with ``types``; ``add_options`` adds what the text
    cannot tell. ``help`` and ``examples`` stand above and below the options.
    """

    name: str
    about: str
    run: Callable[[argparse.Namespace], str]
    options: str = ""
    types: Mapping[str, Callable[[str], Any]] = {}
    defaults: Mapping[str, Any] = {}
    formats: Sequence[str] = ()
    help: str | None = None
    examples: str | None = None
    add_options: Callable[[argparse.ArgumentParser], None] | None = None


def declare(command: argparse.ArgumentParser, text: str, **types: Callable[[str], Any]) -> None:
    """Add the options of a text, in which each stands as in its usage, with its help behind.

    ``[--name VALUE]`` may be left out, ``--name VALUE...`` repeated, and ``VALUE ...`` are several
    at once. A line that ends with a colon begins a group. Without help it is an option of `SHARED`.
    A value's name says what kind it is of, unless ``types`` have the option.
    """
    add = command.add_argument
    for line in _entries(text):
        if line.endswith(":"):
            add = command.add_argument_group(line[:-1]).add_argument
            continue
        if "  " not in line:
            line = ("[" if line.startswith("[") else "") + _SHARED[line.strip("[]")]
        match = _ENTRY.fullmatch(line)
        if match is None:
            raise ValueError(f"no option: {line}")
        names = (match["names"] or "").split(", ")
        value = match["value"]
        options: dict[str, Any] = {"help": match["help"]}
        if match["repeated"]:
            options["action"] = "append"
        elif value is None:
            options["action"] = "store_true"
        if value is not None and value.startswith("{"):
            options["choices"] = tuple(value[1:-1].split(","))
        elif value is not None:
            name = names[-1].strip("-").replace("-", "_")
            options |= {"metavar": value, "type": types.get(name, _KINDS.get(value))}
        if match["several"]:
            options["nargs"] = "*" if match["optional"] and not names[0] else "+"
        if names[0]:
            options |= {"action": "extend"} if match["several"] else {}
            add(*names, required=not match["optional"], **options)
        else:
            add("files", **options)


def as_options(*names: str) -> dict[str, str]:
    """Return the options that stand for arguments; ``name=`` comes before a value."""
    return {
        name: "--" + name.replace("_", "-").replace("=", " " if name.endswith("=") else "")
        for name in names
    }


def refuse_options(options: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Raise before anything is read where one of these options was given."""
    if (option := first_option(options, names)) is not None:
        raise ValueError(f"{option} {why}")


def first_option(options: argparse.Namespace, names: Iterable[str]) -> str | None:
    """Return the first of these options that was given, as it is written; None if there is none."""
    for name in names:
        value = getattr(options, name)
        if value not in (None, {}, []) and value is not False:  # 0 is a seed, and a threshold
            return f"--{name.replace('_', '-')}"
    return None


def _entries(text: str) -> list[str]:
    """Return the entries of a text, which go on in lines that are indented."""
    entries = re.findall(r"^\S.*(?:\n .*)*", text, re.MULTILINE)
    return [" ".join(map(str.strip, entry.splitlines())) for entry in entries]


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


def number_that(rule: str, holds: Callable[[Any], bool]) -> Callable[[str], Any]:
    """Return a parser of numbers that obey a rule, integers where they are written as such."""

    def read(text: str) -> Any:
        number = number_of(text)
        if number is None or not holds(number):
            raise argparse.ArgumentTypeError(f"must {rule}: got {text!r}")
        return number

    return read


positive: Final = number_that("be an integer of at least 1", lambda n: isinstance(n, int) and n > 0)
level: Final = number_that("lie between 0 and 1", lambda n: 0 < n < 1)
number: Final = number_that("be a number", lambda n: n == n)


def seed(text: str) -> int | str:
    """Return a seed: an integer, or the key of an earlier run."""
    if len(text) == 16 and set(text) <= set("0123456789abcdefABCDEF"):
        return text
    if text.isdecimal() and text.isascii():
        return int(text)
    raise argparse.ArgumentTypeError(
        f"must be an integer of at least 0, or a key of 16 hexadecimal digits: got {text!r}"
    )


#: Types of the values of options, by their names in the usage; others are texts.
_KINDS: Final[dict[str, Callable[[str], Any]]] = {
    **dict.fromkeys("NK", positive),
    **dict.fromkeys("TXR", number),
    "P": level,
    "S": seed,
}
#: Options of several commands, by their names.
_SHARED: Final = {
    entry.split(maxsplit=1)[0]: entry
    for entry in _entries(
        """
FILE ...  file name or glob pattern
--label COL  column of the labels
--score COL...  column of a model's scores; may be repeated
--weight COL  column of the example weights
--weights-are {importances,frequencies}  what --weight says of a row: how much it matters, being one
    row all the same (default), or how many rows it stands for; intervals hang on it, values do not
--pos-label V  the positive label (0/1, -1/1 and booleans need none)
--filter NAME  of logs of lm-evaluation-harness: the filter of the answers
--pass-at K ...  give the chance that one of K tries is right; several K may be named
--pass-hat K ...  give the chance that all of K tries are right; several K may be named
--where SQL  keep the rows for which this SQL expression holds
--on-bad-row {error,skip}  what to do with a row whose label, score, weight, cost or group is
    missing or no finite number, or that does not fit the header: stop (default), or leave it out
    and count it
--query COL  of rankings: column of the query of each item; --label is then how relevant an item
    is, 0 or a grade, and queries are what varies
--threshold T  the score from which on f1, accuracy and their like call an example positive
--seed S  an integer, or the key (16 hexadecimal digits) of an earlier run: the same resamples
--id COL  column of ids, each its own
--junit FILE  write the decisions as JUnit XML too
--threads N  threads (default: all processors)
"""
    )
}
#: Options for reading rows of labels and scores, beside their columns.
ROWS: Final = """
[--weight]
[--weights-are]
[--pos-label V]  the positive label (0/1, -1/1 and booleans need none); in quotes of its own, as
    "'007'", a text
[--where]
[--on-bad-row]
[--threads]
"""
#: Options for the rows to evaluate, and for the evaluation.
EVALUATION: Final = f"""
FILE
[--label]
[--score COL]...  column of a model's scores; may be repeated, one for each model
{ROWS.strip()}
[--task {{binary,multiclass,labels,multilabel,values}}]  what is evaluated (default: labels of two
    values are binary, other numbers values); labels: --score are columns of predicted labels
[--query]
[--slice COL]...  column whose values are slices, with intervals that hold for all at once; may be
    repeated
[--intersections K]  how many of these columns make a slice (default 1, at most 3)
[--min-n N]  rows of a slice (default 30)
[--class-score CLASS=COL]...  column of the probability of a class, one for each class, in place of
    --score
[--label-score COL=COL]...  column of a label, 0 or 1, and that of its scores, one pair for each
    label of rows that have several, in place of --label and --score
[--confidence-level P]  of the intervals (default 0.95)
the cheapest threshold:
[--cost-fn COL|X]  what missing a positive costs: a number, or the column that has it for each row
[--cost-fp COL|X]  what a false alarm costs: a number, or the column that has it for each row
[--prevalence P]  share of positives where the threshold will be used (default: that of the data)
[--guarantee NAME=X]...  find the threshold that keeps a bound on new data with the confidence of
    --confidence-level: recall=0.95, false_positive_rate=0.01 or precision=0.9; may be repeated,
    each bound has this confidence by itself
intervals by bootstrap:
[--bootstrap N]  give every metric an interval from N resamples (9999 are usual), and with several
    models the differences of each pair; without it smooth metrics have one
[--method {{percentile,basic,bca}}]  of the interval (default: bca where it is defined, else
    percentile; of differences basic, also with bca)
[--groups COL]  cluster column (for example patient), resampled as a whole
[--stratified]  draw each class by itself
[--metrics NAME ...]  metrics with an interval beside those of the table, as f1, or with parameters
    as precision_at_recall:recall=0.9; docs/bootstrap.md lists them
[--threshold]
[--seed]
"""

_PICTURES: Final = (".png", ".pdf", ".svg")
#: Metrics that tables of two classes have in any case.
_IN_TABLE: Final = ("roc_auc", "average_precision", "ks_statistic", "brier_score", "log_loss")
_WORDS: Final = {"true": True, "false": False, "none": None}


def parse_metrics(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Return the metrics by what was written, as `evaluate` takes them.

    That is ``NAME`` or ``NAME:PARAMETER=VALUE[:PARAMETER=VALUE…]``. A value is a number, several
    numbers with commas, true, false, none, or a word. What the table has goes by its name there,
    whichever is written. ValueError where a metric is written twice, or a parameter has no value.
    """
    if texts is None:
        return None
    from fastmetrics.metrics.registry import METRICS

    in_table = {alias: name for name in _IN_TABLE for alias in METRICS[name].aliases}
    metrics: dict[str, Any] = {}
    for written in texts:
        text = in_table.get(written, written)
        if text in metrics:
            raise ValueError(f"--metrics names {text!r} more than once")
        name, *parameters = text.split(":")
        given = dict(_parameter(pair, text) for pair in parameters)
        metrics[text] = (name, given) if given else name
    return metrics


def parse_bounds(option: str, texts: Sequence[str] | None, kind: str) -> dict[str, Any]:
    """Return numbers by metric, from ``NAME=VALUE``; ValueError where one is twice."""
    bounds: dict[str, Any] = {}
    for text in texts or ():
        name, _, value = text.rpartition("=")
        bound = number_of(value)
        if bound is None or not name:
            raise ValueError(f"{option} {text!r} is no {kind}")
        if name in bounds:
            raise ValueError(f"{option} names {name!r} more than once")
        bounds[name] = bound
    return bounds


def parse_pairs(option: str, texts: Sequence[str] | None, example: str) -> dict[str, str]:
    """Return columns by name, from ``NAME=COLUMN``; ValueError where a name is twice."""
    columns: dict[str, str] = {}
    for text in texts or ():
        name, _, column = text.partition("=")
        if not (name and column):
            raise ValueError(f"{option} {text!r} is no name with a column, as in {example}")
        if name in columns:
            raise ValueError(f"{option} names {name!r} more than once")
        columns[name] = column
    return columns


def _parameter(pair: str, text: str) -> tuple[str, Any]:
    name, equals, value = pair.partition("=")
    if not (name and equals and value):
        raise ValueError(
            f"--metrics {text!r}: {pair!r} is no parameter with its value, as in "
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
