"""``fastmetrics gate``: whether a model may take the place of another."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import level, number, number_of, positive, seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastmetrics._report.gate.gate_result import Gate
    from fastmetrics.io.columns import Columns

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
_NAMES: Final = {
    "margins": "--margin",
    "candidate": "--score",
    "baseline": "--baseline",
    "anchor": "--anchor",
    "slices": "--slice",
    "groups": "--groups",
    "threshold": "--threshold",
    "min_n": "--min-n",
    "confidence_level": "--confidence-level",
    "ledger": "--ledger",
    "pay_for_looks": "--pay-for-looks",
    "ids": "--id",
}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what `gate` takes beside a format."""
    add = command.add_argument
    add("files", nargs="+", metavar="FILE", help="file name or glob pattern")
    add("--label", required=True, metavar="COL", help="column of the labels, or of numbers")
    add("--score", required=True, metavar="COL", help="column of the candidate's scores")
    add(
        "--baseline",
        metavar="COL",
        help="column of the baseline's scores (with --baseline-file there: default as --score)",
    )
    add(
        "--baseline-file",
        metavar="FILE",
        help="where the baseline's scores are, with ids and labels, as pack writes it: the same "
        "rows in any order",
    )
    add("--id", metavar="COL", help="column of ids, each its own; with --baseline-file in both")
    add(
        "--anchor", metavar="COL", help="column of a pinned release that must not be lost to either"
    )
    add(
        "--margin",
        action="append",
        metavar="NAME=X",
        help="the loss of a measure that does not matter, in its own unit; may be repeated",
    )
    add(
        "--rules",
        metavar="FILE",
        help="margins and options from a TOML file; options here go first",
    )
    add(
        "--slice",
        action="append",
        metavar="COL",
        help="column whose values are slices, each judged by the same margins: one can fail the "
        "gate; may be repeated",
    )
    add("--min-n", type=positive, metavar="N", help="rows of a slice to judge it (default 30)")
    add("--groups", metavar="COL", help="column that says whose a row is: groups vary, not rows")
    add("--weight", metavar="COL", help="column of the example weights")
    add("--weights-are", choices=("importances", "frequencies"), help="as for evaluate")
    add("--threshold", type=number, metavar="T", help="from which on a score is called positive")
    add("--pos-label", metavar="V", help="the positive label (0/1, -1/1 and booleans need none)")
    add(
        "--confidence-level",
        type=level,
        metavar="P",
        help="1 - alpha: how sure a decision is (default 0.95)",
    )
    add("--ledger", metavar="FILE", help="count the looks at these data in a file of JSON lines")
    add(
        "--pay-for-looks",
        action="store_true",
        help="the k-th look has an alpha of 6 alpha / (pi^2 k^2): all together keep it",
    )
    add(
        "--aa",
        nargs="?",
        const=2_000,
        type=positive,
        metavar="N",
        help="rehearse on these data (2000 times): how often a rule fails an equal candidate, and "
        "passes one that is worse by the margin",
    )
    add("--seed", type=seed, metavar="S", help="of --aa")
    add("--junit", metavar="FILE", help="write the rules as JUnit XML too")
    add("--where", metavar="SQL", help="keep the rows for which this SQL expression holds")
    add("--threads", type=positive, metavar="N", help="threads (default: all processors)")


def run(options: argparse.Namespace) -> str:
    """Read the files, decide, set the exit status, and return the output."""
    from fastmetrics._report.gate.gate import gate
    from fastmetrics.cli._baseline import values_of
    from fastmetrics.cli._layout import json_text, markdown_text, table_text
    from fastmetrics.cli._messages import print_note, print_texts
    from fastmetrics.cli._session import in_words, labels_of

    _take_rules(options)
    margins, metrics = _margins(options.margin)
    if options.baseline is None and options.baseline_file is None:
        raise ValueError("name the baseline: --baseline COL, or --baseline-file FILE with --id")
    columns, models, baseline = _read(options)
    label = options.label
    labels, pos_label = labels_of(columns.labels, label, options.pos_label)
    named = {name: values_of(each) for name, each in columns.named.items()}
    given: dict[str, Any] = {
        "margins": margins,
        "metrics": metrics,
        "candidate": options.score,
        "baseline": baseline,
        "anchor": options.anchor,
        "slices": {name: named[name] for name in options.slice or ()} or None,
        "ids": named.get(options.id),
        "groups": named[options.groups] if options.groups else None,
        "sample_weight": columns.weights,
        "weights_are": options.weights_are or "importances",
        "threshold": options.threshold,
        "pos_label": pos_label,
        "min_n": options.min_n or 30,
        "confidence_level": options.confidence_level or 0.95,
        "ledger": options.ledger,
        "pay_for_looks": options.pay_for_looks,
        "n_rehearsals": options.aa,
        "rng": options.seed,
    }
    words = _NAMES | {f"scores[{name!r}]": f"column {name!r}" for name in models}
    words |= {"y_true": f"column {label!r}", "sample_weight": f"column {options.weight!r}"}
    with in_words(words) as texts:
        found = gate(labels, models, **given)
    print_texts((text for _, text in texts), "gate")
    options.exit_status = found.exit_status
    if options.junit:
        _write_junit(found, options.junit)
        print_note(f"{options.junit}: {len(found)} rules")
    if options.format == "json":
        return json_text({"explanation": found.explanation, **found.to_dict()})
    shown = found._shown()
    return markdown_text(shown) if options.format == "markdown" else table_text(shown)


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


def _margins(texts: Sequence[str] | None) -> tuple[dict[str, float], dict[str, Any]]:
    """Return margins and what is measured, by what was written."""
    from fastmetrics.cli._options import parse_metrics

    margins: dict[str, float] = {}
    for text in texts or ():
        name, equals, value = text.rpartition("=")
        margin = number_of(value) if equals else None
        if margin is None or not name:
            raise ValueError(f"--margin {text!r} is no measure with a number, as in roc_auc=0.005")
        if name in margins:
            raise ValueError(f"--margin names {name!r} more than once")
        margins[name] = margin
    if not margins:
        raise ValueError("no rule: name at least one, as --margin roc_auc=0.005")
    return margins, parse_metrics(list(margins)) or {}


def _read(options: argparse.Namespace) -> tuple[Columns, dict[str, NDArray[Any]], str]:
    """Return the columns, the scores of each model, and what the baseline is called."""
    from fastmetrics.cli._baseline import matched, values_of
    from fastmetrics.cli._session import progress_bar
    from fastmetrics.io.reader import read_columns

    in_file = options.baseline_file is not None
    if in_file and not options.id:
        raise ValueError("--baseline-file needs --id, the column that says which row is which")
    names = dict.fromkeys(
        each for each in (options.id, options.groups, *(options.slice or ())) if each
    )
    scores = [options.score, *([] if in_file else [options.baseline])]
    scores += [options.anchor] if options.anchor else []
    with progress_bar() as progress:
        columns = read_columns(
            options.files,
            options.label,
            scores,
            weight=options.weight,
            named=list(names),
            where=options.where,
            progress=progress,
        )
    models = dict(columns.scores)
    if not in_file:
        return columns, models, options.baseline
    path, column = options.baseline_file, options.baseline or options.score
    name = f"{column} ({os.path.basename(path)})"
    id_column, ids = options.id, values_of(columns.named[options.id])
    models[name] = matched(ids, values_of(columns.labels), path, column, id_column, options.label)
    return columns, models, name


def _write_junit(found: Gate, path: str) -> None:
    """Write a test case for each rule: a FAIL is a failure, what is inconclusive an error."""
    from fastmetrics.cli._junit import Case, write_junit

    cases = []
    for rule in found:
        outcome: Any = {"PASS": "", "FAIL": "failure"}.get(rule.decision, "error")
        if rule.slice and outcome == "error":
            outcome = "skipped"
        said = rule.said(names_baseline=True)
        cases.append(Case(f"gate.{rule.baseline}", rule.name, outcome, said))
    write_junit(path, "fastmetrics gate", cases, found.explanation)
