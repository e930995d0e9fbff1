"""``fastmetrics compare``, ``compare-table`` and ``compare-benchmarks``: which is better."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import Command, as_options, check_picture, number_of, refuse_options
from fastmetrics.cli._terminal import in_format, tell, write_junit

if TYPE_CHECKING:
    from fastmetrics.comparison.timings import TimingComparison, TimingRun


def add_options_of_compare_table(command: argparse.ArgumentParser) -> None:
    """Add one of two sides."""
    side = command.add_mutually_exclusive_group(required=True)
    side.add_argument("--higher-is-better", action="store_true", help="the table holds scores")
    side.add_argument("--lower-is-better", action="store_true", help="the table holds errors")


def run_compare_table(options: argparse.Namespace) -> str:
    """Read the table, compare the algorithms, draw the diagram, and return the output."""
    from fastmetrics.cli._session import in_words, read_rows, tell_skipped
    from fastmetrics.comparison.post_hoc import compare_table, save_critical_difference
    from fastmetrics.io._session import column_names

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
    return in_format(options, counts | comparison.to_dict(), comparison._display())


COMPARE_TABLE: Final = Command(
    name="compare-table",
    about="compare algorithms on several data sets: Friedman, post-hoc test, groups",
    run=run_compare_table,
    formats=("table", "json", "csv", "markdown"),
    help="""\
Compare algorithms on several data sets by their ranks: Friedman's test, a post-hoc test, and the
groups inside which no difference is shown. The table, in the same kinds of file as for evaluate,
has a row a data set and a column an algorithm.""",
    options="""
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
""",
    defaults={"confidence_level": 0.95},
    examples="""\
examples:
  fastmetrics compare-table accuracies.csv --datasets name --higher-is-better
  fastmetrics compare-table errors.csv --datasets name --lower-is-better --control baseline
  fastmetrics compare-table auc.parquet --datasets name --higher-is-better --plot diagram.png
""",
    add_options=add_options_of_compare_table,
)


def margin(text: str) -> tuple[str, float]:
    """Return the pattern of names and a share: 5% or 0.05."""
    name, equals, own = text.rpartition("=")
    share = number_of(own.removesuffix("%"))
    if share is None or not 0 < share < float("inf") or (equals and not name):
        raise argparse.ArgumentTypeError(f"must be above 0, as 5% or 0.05: got {text!r}")
    return name or "*", share / (100 if own.endswith("%") else 1)


def run_compare_benchmarks(options: argparse.Namespace) -> str:
    """Read the files, decide, set the exit status, and return the output."""
    from fastmetrics.cli._session import in_words
    from fastmetrics.comparison.timings import compare_timings

    margins = dict(options.margin or ())
    margins |= {"*": margins.pop("*", 0.05)}  # the last: the first that fits is taken
    with in_words(as_options("allow_different", "before", "after")) as texts:
        before, after = _shared(_read(options.before), _read(options.after))
        comparison = compare_timings(
            before,
            after,
            paired=options.paired,
            margin=margins,
            correction=options.correction,
            allow_different=options.allow_different,
            confidence_level=options.confidence_level,
        )
    for _, text in texts:
        tell("warning", text)
    options.exit_status = comparison.exit_status
    if options.junit is not None:
        _write_junit(comparison, options.junit)
    fields = {"decision": comparison.decision, **comparison.to_dict()}
    return in_format(options, fields, comparison._display())


def _read(patterns: list[str]) -> list[TimingRun]:
    """Return the runs of files, each once."""
    from fastmetrics.comparison.timings import read_timings

    paths: dict[str, str] = {}
    for pattern in patterns:
        for path in sorted(glob.glob(pattern)) or [pattern]:
            paths.setdefault(os.path.realpath(path), path)
    return [read_timings(path) for path in paths.values()]


def _shared(
    before: Sequence[TimingRun], after: Sequence[TimingRun]
) -> tuple[list[TimingRun], list[TimingRun]]:
    """Return the runs with the benchmarks that all have; the others are named."""
    from dataclasses import replace

    runs = [*before, *after]
    names = [name for name in runs[0] if all(name in run for run in runs)]
    if not names:
        raise ValueError(
            f"{runs[0].source} and {runs[-1].source} share no benchmark with all others: the "
            f"first of one is {next(iter(runs[0]))!r}, of the other {next(iter(runs[-1]))!r}"
        )
    lone = list(dict.fromkeys(name for run in runs for name in run if name not in names))
    if lone:
        more = f" and {len(lone) - 5} more" if len(lone) > 5 else ""
        tell("warning", f"not every run has {', '.join(map(repr, lone[:5]))}{more}: not compared")

    def kept(run: TimingRun) -> TimingRun:
        return replace(run, rounds={name: run[name] for name in names})

    return list(map(kept, before)), list(map(kept, after))


def _write_junit(comparison: TimingComparison, path: str) -> None:
    """Write a test case for each benchmark: an undecided one is an error."""
    outcomes = {"worse": "failure", "undecided": "error"}
    cases = []
    for row in comparison:
        low, high = row.confidence_interval
        said = f"{row.decision}: {row.estimate:.4g} times as long [{low:.4g}, {high:.4g}]"
        cases.append(("benchmarks", row.name, outcomes.get(row.decision, ""), said))
    write_junit(path, "fastmetrics compare-benchmarks", cases, repr(comparison))


COMPARE_BENCHMARKS: Final = Command(
    name="compare-benchmarks",
    about="decide from files of benchmarks whether anything became slower",
    run=run_compare_benchmarks,
    formats=("table", "json", "csv", "markdown"),
    help="""\
Decide of each benchmark whether it became slower by more than a margin: worse, not worse, or
undecided, and then how many more runs would decide. Each file is one run, of pytest-benchmark or
hyperfine; runs are what varies, so that several a side are needed: with one a side nothing is
decided. Runs on other machines, processors, interpreters or versions, and runs that failed, are
refused.

exit status: 0 nothing is worse, 1 something is, 2 the files cannot be compared, 3 undecided""",
    options="""
--before FILE ...  the runs before the change: files, or glob patterns
--after FILE ...  the runs after it: files, or glob patterns
[--paired]  the runs were taken in turns, the first before with the first after and so on
[--margin [NAME=]P]...  the largest growth of a time that you accept: 5%% (default) or 0.05; of
    one benchmark, or of a pattern as 'sort*', with its name; may be repeated
[--correction {holm,fdr}]  bound the chance of any false alarm (default), or the share of false ones
[--allow-different WHAT ...]  what may differ between the runs, as the error names it, or all
[--confidence-level P]  chance of calling nothing worse that is not, of all benchmarks together
    (default 0.95)
[--junit]
""",
    types={"margin": margin},
    defaults={"correction": "holm", "allow_different": [], "confidence_level": 0.95},
    examples="""\
examples:
  for i in 1 2 3 4 5; do pytest --benchmark-json=before$i.json; done
  fastmetrics compare-benchmarks --before 'before*.json' --after 'after*.json'
  fastmetrics compare-benchmarks --before b*.json --after a*.json --margin 10% --margin 'io*=25%'
  fastmetrics compare-benchmarks --before b*.json --after a*.json --paired --format markdown
""",
)


def add_options_of_compare(command: argparse.ArgumentParser) -> None:
    """Add what options do not tell: files that may have names, and one of two sides."""
    about = "log, or table; a model is called NAME, or as its log or its file is"
    command.add_argument("files", nargs="+", metavar="[NAME=]FILE", help=about)
    side = command.add_mutually_exclusive_group()
    side.add_argument("--higher-is-better", action="store_true", default=None, help="the score")
    side.add_argument("--lower-is-better", action="store_true", help="the score is an error")


def run_compare(options: argparse.Namespace) -> str:
    """Read the logs, compare, and return the output."""
    from fastmetrics._report.evaluate_log import evaluate_log
    from fastmetrics.cli._session import in_words
    from fastmetrics.io.logs import read_evaluation_log

    upwards = False if options.lower_is_better else options.higher_is_better
    files = _named(options.files)
    names = as_options("pass_at", "pass_hat", "filter", "repeat", "model")
    names["score"] = "--metric" if options.id is None else "--score"
    names |= {"on_missing='intersect'": "--on-missing intersect", "item": "item"}
    with in_words(names):
        if options.id is None:
            why = "is of tables: name the column of their items with --id"
            refuse_options(options, ("score", "model", "repeat", "where"), why)
            rows = read_evaluation_log(
                files,
                score=options.metric,
                filter=options.filter,
                group=options.groups,
                higher_is_better=upwards,
            )
        else:
            rows = _of_tables(files, options, upwards)
        evaluation = evaluate_log(
            **rows,
            pass_at=options.pass_at,
            pass_hat=options.pass_hat,
            on_missing=options.on_missing,
            confidence_level=options.confidence_level,
        )
    if options.baseline is not None:
        evaluation = evaluation.against(options.baseline)
    return in_format(options, evaluation.to_dict(), evaluation._display())


def _named(texts: list[str]) -> dict[str, list[str]] | list[str]:
    """Return files by the names of models, where they are named."""
    by_model: dict[str, list[str]] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if equals and name and path and not os.path.exists(text):
            by_model.setdefault(name, []).append(path)
        else:
            by_model.setdefault("", []).append(text)
    return by_model if any(by_model) else texts


def _of_tables(files: Any, options: argparse.Namespace, upwards: bool | None) -> dict[str, Any]:
    """Return the columns of tables."""
    import numpy as np

    from fastmetrics.io.reader import read_columns

    if options.score is None:
        raise ValueError("--score missing: name the column of the score of a repeat")
    why = "is of logs: name the column of the score with --score"
    refuse_options(options, ("metric", "filter"), why)
    columns = [options.model, options.repeat, options.groups]
    named = [name for name in columns if name is not None]
    parts: dict[str, list[Any]] = {}
    by_name = files if isinstance(files, dict) else {"": files}
    for model, paths in by_name.items():
        for path in paths:
            read = read_columns(
                *([path], options.id, [options.score]),
                named=named,
                where=options.where,
                many_labels=True,
            )
            own = {**read.named, **read.scores, options.id: read.label_values}
            label = model or os.path.splitext(os.path.basename(path))[0]
            own[""] = np.full(read.n_rows, label, object)
            for name, values in own.items():
                parts.setdefault(name, []).append(values)
    joined = {name: np.concatenate(values) for name, values in parts.items()}
    return {
        "item": joined[options.id],
        "score": joined[options.score],
        "model": joined[options.model or ""],
        "repeat": joined.get(options.repeat),
        "group": joined.get(options.groups),
        "name": options.score,
        "higher_is_better": upwards,
    }


COMPARE: Final = Command(
    name="compare",
    about="compare models by logs of their evaluations, item by item",
    run=run_compare,
    formats=("table", "json", "markdown"),
    help="""\
Compare models by logs of their evaluations, item by item: those of lm-evaluation-harness
(samples_*.jsonl) and of Inspect (.eval, .json), told by what is in them, or tables (CSV, Parquet,
JSON lines) with a row for each repeat of an item. Items are what varies, not repeats; groups of
items where --groups says whose they are.""",
    options="""
[--metric NAME]  of a log that has several: the metric, or the scorer
[--filter NAME]  of lm-evaluation-harness: the filter of the answers
[--groups FIELD]  whose items vary together: a field of doc or metadata of logs, a column of tables
[--pass-at K ...]  give the chance that one of K tries is right; several K may be named
[--pass-hat K ...]  give the chance that all of K tries are right; several K may be named
[--on-missing {error,intersect}]  what is done with items that not all models have: stop (default),
    or leave them out
[--confidence-level P]  (default 0.95)
[--baseline NAME]  print the differences from this model (default: from the best one)
tables:
[--id COL]  column of the items: says that files are tables
[--score COL]  column of the score of a repeat
[--model COL]  column of the models (default: each file is of one)
[--repeat COL]  column of the repeats, where an item has several
[--where]
""",
    defaults={"pass_at": [], "pass_hat": [], "on_missing": "error", "confidence_level": 0.95},
    examples="""\
examples:
  fastmetrics compare old=a/samples_gsm8k.jsonl new=b/samples_gsm8k.jsonl --metric exact_match \\
      --filter strict-match
  fastmetrics compare run.eval --pass-at 1 5 --pass-hat 5
  fastmetrics compare scores.csv --id question --score correct --model model --repeat try \\
      --groups document
""",
    add_options=add_options_of_compare,
)
