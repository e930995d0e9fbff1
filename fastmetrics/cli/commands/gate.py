"""``fastmetrics gate``: whether a model may take the place of another."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import as_options, parse_bounds, parse_metrics, positive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastmetrics._report.gate.gate_result import Gate
    from fastmetrics.io.columns import Columns

ABOUT: Final = "decide whether a model may take the place of another: pass, fail or inconclusive"
FORMATS: Final = ("table", "json", "markdown")
HELP: Final = """\
Decide whether a candidate may take the place of a baseline: PASS where it is shown that it loses
less than a margin in every measure, FAIL where it is shown to lose more in one of them or in a
slice, INCONCLUSIVE otherwise. Both models must have scored the same rows: two columns of one file,
or two files with an id column.

exit status: 0 pass, 1 fail, 2 bad input, 3 inconclusive"""

EXAMPLES: Final = """\
examples:
  fastmetrics gate scores.parquet --label y --score new --baseline old --margin roc_auc=0.005
  fastmetrics gate new.parquet --label y --score p --id id --baseline-file release.parquet \\
      --margin roc_auc=0.005 --margin log_loss=0.01 --slice country --junit gate.xml
  fastmetrics gate scores.csv --label y --score new --baseline old --rules gate.toml

a file of rules (TOML) has the same by the names of the options:
  groups = "patient"
  slice = ["country"]
  [margin]
  roc_auc = 0.005
  "recall_at_false_positive_rate:false_positive_rate=0.01" = 0.01
"""

#: What a file of rules may say, and what its values are.
_RULES: Final[dict[str, type]] = {
    "margin": dict,
    "slice": list,
    "groups": str,
    "anchor": str,
    "threshold": float,
    "confidence_level": float,
    "min_n": int,
    "pos_label": str,
}
_NAMES: Final = as_options(
    *("baseline", "anchor", "groups", "threshold", "min_n", "confidence_level", "ledger"),
    "pay_for_looks",
) | {"margins": "--margin", "candidate": "--score", "slices": "--slice", "ids": "--id"}
OPTIONS: Final = """
FILE
--label COL  column of the labels, or of numbers
--score COL  column of the candidate's scores
[--baseline COL]  column of the baseline's scores (with --baseline-file there: default as --score)
[--baseline-file FILE]  where the baseline's scores are, with ids and labels, as pack writes it: the
    same rows in any order
[--id COL]  column of ids, each its own; with --baseline-file in both
[--anchor COL]  column of a pinned release that must not be lost to either
[--margin NAME=X]...  the loss of a measure that does not matter, in its own unit; may be repeated
[--rules FILE]  margins and options from a TOML file; options here go first
[--slice COL]...  column whose values are slices, each judged by the same margins: one can fail the
    gate; may be repeated
[--min-n N]  rows of a slice to judge it (default 30)
[--groups COL]  column that says whose a row is: groups vary, not rows
[--weight]
[--weights-are {importances,frequencies}]  as for evaluate
[--threshold T]  from which on a score is called positive
[--pos-label]
[--confidence-level P]  1 - alpha: how sure a decision is (default 0.95)
[--ledger FILE]  count the looks at these data in a file of JSON lines
[--pay-for-looks]  the k-th look has an alpha of 6 alpha / (pi^2 k^2): all together keep it
[--seed S]  of --aa
[--junit FILE]  write the rules as JUnit XML too
[--where]
[--threads]
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what may have a value, or none."""
    command.add_argument(
        "--aa",
        nargs="?",
        const=2_000,
        type=positive,
        metavar="N",
        help="rehearse on these data (2000 times): how often a rule fails an equal candidate, and "
        "passes one that is worse by the margin",
    )


def run(options: argparse.Namespace) -> str:
    """Read the files, decide, set the exit status, and return the output."""
    from fastmetrics._report.gate.gate import gate
    from fastmetrics.cli._layout import in_format
    from fastmetrics.cli._messages import tell
    from fastmetrics.cli._session import in_words, labels_of

    _take_rules(options)
    margins = parse_bounds("--margin", options.margin, "measure with a number, as in roc_auc=0.005")
    if not margins:
        raise ValueError("no rule: name at least one, as --margin roc_auc=0.005")
    if options.baseline is None and options.baseline_file is None:
        raise ValueError("name the baseline: --baseline COL, or --baseline-file FILE with --id")
    columns, models, baseline = _read(options)
    label = options.label
    labels, pos_label = labels_of(columns.labels, label, options.pos_label)
    named = columns.named
    given: dict[str, Any] = {
        "margins": margins,
        "metrics": parse_metrics(list(margins)),
        "candidate": options.score,
        "baseline": baseline,
        "slices": {name: named[name] for name in options.slice or ()} or None,
        "ids": named.get(options.id),
        "groups": named[options.groups] if options.groups else None,
        "sample_weight": columns.weights,
        "weights_are": options.weights_are or "importances",
        "pos_label": pos_label,
        "min_n": options.min_n or 30,
        "confidence_level": options.confidence_level or 0.95,
        "n_rehearsals": options.aa,
        "rng": options.seed,
    }
    given |= {
        name: getattr(options, name) for name in ("anchor", "threshold", "ledger", "pay_for_looks")
    }
    words = _NAMES | {f"scores[{name!r}]": f"column {name!r}" for name in models}
    words |= {"y_true": f"column {label!r}", "sample_weight": f"column {options.weight!r}"}
    with in_words(words, about="gate"):
        found = gate(labels, models, **given)
    options.exit_status = found.exit_status
    if options.junit:
        _write_junit(found, options.junit)
        tell("note", f"{options.junit}: {len(found)} rules")
    fields = {"explanation": found.explanation, **found.to_dict()}
    return in_format(options.format, fields, found._shown())


def _take_rules(options: argparse.Namespace) -> None:
    """Fill in what a file of rules says and no option does."""
    if options.rules is None:
        return
    import tomllib

    with open(options.rules, "rb") as file:
        try:
            said = tomllib.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{options.rules}: no TOML: {error}") from None
    for name, given in said.items():
        value: Any = given
        kind = _RULES.get(name)
        if kind is None:
            raise ValueError(f"{options.rules}: {name!r} is none of {', '.join(_RULES)}")
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind):
            raise ValueError(f"{options.rules}: {name!r} must be a {kind.__name__}: got {value!r}")
        if isinstance(value, dict):
            value = [f"{metric}={margin}" for metric, margin in value.items()]
        if name == "confidence_level" and not 0.0 < value < 1.0:
            raise ValueError(f"{options.rules}: {name!r} must lie between 0 and 1: got {value!r}")
        if getattr(options, name) is None:
            setattr(options, name, value)


def _read(options: argparse.Namespace) -> tuple[Columns, dict[str, NDArray[Any]], str]:
    """Return the columns, the scores of each model, and what the baseline is called."""
    from fastmetrics.cli._session import read_rows

    in_file = options.baseline_file is not None
    if in_file and not options.id:
        raise ValueError("--baseline-file needs --id, the column that says which row is which")
    names = dict.fromkeys(
        each for each in (options.id, options.groups, *(options.slice or ())) if each
    )
    scores = [options.score, *([] if in_file else [options.baseline])]
    scores += [options.anchor] if options.anchor else []
    columns = read_rows(options, options.label, scores, named=list(names))
    models = dict(columns.scores)
    if not in_file:
        return columns, models, options.baseline
    path, column = options.baseline_file, options.baseline or options.score
    name = f"{column} ({os.path.basename(path)})"
    ids = columns.named[options.id]
    models[name] = _matched(ids, columns.label_values, path, column, options.id, options.label)
    return columns, models, name


def _matched(
    ids: NDArray[Any], own: NDArray[Any], path: str, column: str, id_column: str, label: str
) -> NDArray[Any]:
    """Return a column of a file in the order of ``ids``, which it must have, with the labels.

    ``own`` are the labels of the ids. A file that `pack` wrote has columns of its own names.
    """
    import numpy as np

    from fastmetrics._report.gate.packed import hash_of, said_of
    from fastmetrics.io.formats import file_format
    from fastmetrics.io.reader import read_columns

    said = said_of(path) if file_format(path) == "parquet" else {}
    id_column, label = ("id", "label") if said else (id_column, label)
    if said and column not in said["models"]:
        raise ValueError(f"{path}: no model {column!r}; it has {', '.join(said['models'])}")
    other = read_columns([path], label, [column], named=[id_column])
    known, labels = other.named[id_column], other.label_values
    if said and hash_of(labels, known) != said["data"]:
        raise ValueError(f"{path}: ids and labels are not those it was packed with: pack it anew")
    if (ids.dtype.kind == "O") != (known.dtype.kind == "O"):
        raise ValueError(f"ids are texts in one file and numbers in the other: {path}")
    order, of_other = np.argsort(ids, kind="stable"), np.argsort(known, kind="stable")
    for name, values in (("the files", ids[order]), (path, known[of_other])):
        twice = np.flatnonzero(values[1:] == values[:-1])
        if len(twice):
            raise ValueError(f"{name}: id {values[twice[0]]!r} is there more than once")
    if len(ids) != len(known) or not (ids[order] == known[of_other]).all():
        lone = np.setxor1d(ids, known)
        raise ValueError(
            f"{path}: {len(lone):,} ids are in one file alone, {lone[0]!r} for one: models are "
            "compared on the same rows"
        )
    differ = np.flatnonzero(own[order] != labels[of_other])
    if len(differ):
        raise ValueError(
            f"{path}: {len(differ):,} labels differ, that of id {ids[order][differ[0]]!r} for one"
        )
    found = np.empty(len(ids), other.scores[column].dtype)
    found[order] = other.scores[column][of_other]
    return found


def _write_junit(found: Gate, path: str) -> None:
    """Write a test case for each rule: a FAIL is a failure, what is inconclusive an error."""
    from fastmetrics.cli._layout import Case, write_junit

    cases = []
    for rule in found:
        outcome: Any = {"PASS": "", "FAIL": "failure"}.get(rule.decision, "error")
        if rule.slice and outcome == "error":
            outcome = "skipped"
        said = rule.said(names_baseline=True)
        cases.append(Case(f"gate.{rule.baseline}", rule.name, outcome, said))
    write_junit(path, "fastmetrics gate", cases, found.explanation)
