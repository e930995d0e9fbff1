"""``fastmetrics gate``: whether a model may take the place of another."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import Command, as_options, parse_bounds, parse_metrics
from fastmetrics.cli._terminal import explain, in_format, tell, write, write_junit
from fastmetrics.errors import parsing_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastmetrics._report.gate import Gate
    from fastmetrics.io.reader import FileColumns


#: Names in a file of rules, and the types of their values.
_RULES: Final[dict[str, type]] = {
    "margin": dict,
    "slice": list,
    "groups": str,
    "anchor": str,
    "threshold": float,
    "confidence_level": float,
    "min_n": int,
    "require_slices": bool,
    "pos_label": str,
}
_NAMES: Final = as_options(
    "baseline", "anchor", "groups", "threshold", "min_n", "confidence_level"
) | {"margins": "--margin", "candidate": "--score", "slices": "--slice"}


def run_gate(options: argparse.Namespace) -> str:
    """Read the files, decide, set the exit status, and return the output.

    Markdown says of bad input too why there is no verdict: it becomes the summary of a build.
    """
    try:
        return _decided(options)
    except (ValueError, OSError, ImportError, MemoryError) as error:
        if options.format == "markdown":
            write(f"**Gate: no verdict**\n\n{explain(error)}\n")
        raise


def _decided(options: argparse.Namespace) -> str:
    from fastmetrics._report.gate import gate
    from fastmetrics.cli._session import in_words, labels_of

    _take_rules(options)
    margins = parse_bounds("--margin", options.margin, "metric with a number, as in roc_auc=0.005")
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
        "groups": named[options.groups] if options.groups else None,
        "sample_weight": columns.weights,
        "weights_are": options.weights_are or "importances",
        "pos_label": pos_label,
        "min_n": options.min_n or 30,
        "require_slices": bool(options.require_slices),
        "confidence_level": options.confidence_level or 0.95,
        "anchor": options.anchor,
        "threshold": options.threshold,
    }
    words = _NAMES | {f"scores[{name!r}]": f"column {name!r}" for name in models}
    words |= {"y_true": f"column {label!r}", "sample_weight": f"column {options.weight!r}"}
    with in_words(words, about="gate"):
        result = gate(labels, models, **given)
    options.exit_status = result.exit_status
    if options.junit:
        _write_junit(result, options.junit)
        tell("note", f"{options.junit}: {len(result)} rules")
    fields = {"explanation": result.explanation, **result.to_dict()}
    return in_format(options, fields, result._display())


def _take_rules(options: argparse.Namespace) -> None:
    """Fill in what a file of rules says and no option does."""
    if options.rules is None:
        return
    import tomllib

    with open(options.rules, encoding="utf-8-sig") as file:
        try:
            rules = tomllib.loads(file.read())
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{options.rules}: no TOML: {parsing_error(error)}") from None
    for name, given in rules.items():
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
        if getattr(options, name) in (None, False):
            setattr(options, name, value)


def _read(options: argparse.Namespace) -> tuple[FileColumns, dict[str, NDArray[Any]], str]:
    """Return the columns, the scores of each model, and what the baseline is called."""
    from fastmetrics.cli._session import read_rows

    in_file = options.baseline_file is not None
    if in_file and not options.id:
        raise ValueError("--baseline-file needs --id, the column that says which row is which")
    named = [each for each in (options.id, options.groups, *(options.slice or ())) if each]
    named = [*dict.fromkeys(named)]
    scores = [options.score, *([] if in_file else [options.baseline])]
    scores += [options.anchor] if options.anchor else []
    columns = read_rows(options, options.label, scores, named=named)
    models = dict(columns.scores)
    if not in_file:
        return columns, models, options.baseline
    column = options.baseline or options.score
    name = f"{column} ({os.path.basename(options.baseline_file)})"
    models[name] = _matched(columns, column, options)
    return columns, models, name


def _matched(columns: FileColumns, column: str, options: argparse.Namespace) -> NDArray[Any]:
    """Return a column of the baseline's file in the order of the candidate's rows.

    Both files must have the same ids with the same labels.
    """
    import numpy as np

    from fastmetrics.io.reader import read_columns

    path = options.baseline_file
    ids = columns.named[options.id]
    other = read_columns([path], options.label, [column], named=[options.id])
    known = other.named[options.id]
    if (ids.dtype.kind == "O") != (known.dtype.kind == "O"):
        raise ValueError(f"ids are texts in one file and numbers in the other: {path}")
    order = np.argsort(ids, kind="stable")
    known_order = np.argsort(known, kind="stable")
    for name, values in (("the files", ids[order]), (path, known[known_order])):
        twice = np.flatnonzero(values[1:] == values[:-1])
        if len(twice):
            raise ValueError(
                f"{name}: id {values[twice[:1]].tolist()[0]!r} is there more than once"
            )
    if len(ids) != len(known) or not (ids[order] == known[known_order]).all():
        lone = np.setxor1d(ids, known).tolist()
        raise ValueError(
            f"{path}: {len(lone):,} ids are in one file alone, {lone[0]!r} for one: models are "
            "compared on the same rows"
        )
    differ = np.flatnonzero(columns.label_values[order] != other.label_values[known_order])
    for value in ids[order][differ[:1]].tolist():
        raise ValueError(f"{path}: {len(differ):,} labels differ, that of id {value!r} for one")
    positions = np.empty(len(ids), np.int64)
    positions[order] = known_order
    return np.asarray(other.scores[column][positions])


def _write_junit(result: Gate, path: str) -> None:
    """Write a test case for each rule: a FAIL is a failure, what is inconclusive an error."""
    cases = []
    for rule in result:
        outcome = {"PASS": "", "FAIL": "failure"}.get(rule.decision, "error")
        if rule.slice and outcome == "error":
            outcome = "skipped"
        text = rule.said(names_baseline=True)
        cases.append((f"gate.{rule.baseline}", rule.name, outcome, text))
    write_junit(path, "fastmetrics gate", cases, result.explanation)


GATE: Final = Command(
    name="gate",
    about="decide whether a model may take the place of another: pass, fail or inconclusive",
    run=run_gate,
    formats=("table", "json", "markdown"),
    help="""\
Decide whether a candidate may replace a baseline: PASS if it is significantly non-inferior in every
metric, FAIL if it is significantly worse than the margin in a metric or a slice, INCONCLUSIVE
otherwise. Both models must have scored the same rows: two columns of one file,
or two files with an id column.

exit status: 0 pass, 1 fail, 2 bad input, 3 inconclusive""",
    options="""
FILE
--label COL  column of the labels, or of numbers
--score COL  column of the candidate's scores
[--baseline COL]  column of the baseline's scores (with --baseline-file there: default as --score)
[--baseline-file FILE]  where the baseline's scores are, with ids and labels: the same
    rows in any order
[--id COL]  column of ids, each its own; with --baseline-file in both
[--anchor COL]  column of a pinned release that must not be lost to either
[--margin NAME=X]...  the largest loss of a metric that you accept, in its unit; may be repeated
[--rules FILE]  margins and options from a TOML file; options here go first
[--slice COL]...  column whose values are slices, each judged by the same margins: one can fail the
    gate; may be repeated
[--min-n N]  rows of a slice to judge it (default 30)
[--require-slices]  pass only where every slice does; by default slices that cannot tell are named
[--groups COL]  cluster column (for example patient), resampled as a whole
[--weight]
[--weights-are {importances,frequencies}]  as for evaluate
[--threshold T]  from which on a score is called positive
[--pos-label]
[--confidence-level P]  1 - alpha: how sure a decision is (default 0.95)
[--junit FILE]  write the rules as JUnit XML too
[--where]
[--threads]
""",
    examples="""\
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
  "roc_auc:max_fpr=0.1" = 0.01
""",
)
