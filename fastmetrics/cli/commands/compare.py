"""``fastmetrics compare``, ``compare-table`` and ``compare-benchmarks``: which is better."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import (
    Command,
    as_options,
    check_picture,
    number_of,
    parse_metrics,
    refuse_options,
)
from fastmetrics.cli._terminal import in_format, tell, write_junit

if TYPE_CHECKING:
    from fastmetrics.comparison.timings import TimingComparison, TimingRun


def add_direction(command: argparse.ArgumentParser, *, required: bool) -> None:
    """Add one of two sides."""
    side = command.add_mutually_exclusive_group(required=required)
    side.add_argument("--higher-is-better", action="store_true", help="the numbers are scores")
    side.add_argument("--lower-is-better", action="store_true", help="the numbers are errors")


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
    add_options=partial(add_direction, required=True),
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


def run_compare(options: argparse.Namespace) -> str:
    """Compare the score columns of files, or logs, and return the output."""
    if options.log is None:
        refuse_options(options, _OF_LOGS, "is of logs: name their files behind --log")
        return _compare_columns(options)
    refuse_options(options, _OF_COLUMNS, "is of score columns: leave it or --log out")
    if options.files:
        raise ValueError(f"{options.files[0]}: FILE is of score columns: name logs behind --log")
    return compare_logs(options)


def _compare_columns(options: argparse.Namespace) -> str:
    """Compare models by the columns of their scores, as `fastmetrics.compare` does."""
    from fastmetrics.cli import _session as session
    from fastmetrics.inference.estimate import compare
    from fastmetrics.inference.samples import request_metrics

    missing = [f"--{name}" for name in ("label", "score", "metrics") if not getattr(options, name)]
    if missing or not options.files:
        advice = "compare needs files, columns and metrics, or logs (--log)"
        raise ValueError(f"{', '.join(missing) or 'FILE'} missing: {advice}")
    session.check_weights(options)
    metrics: Any = parse_metrics(options.metrics)
    names = session.names_here(options) | {"scores": "--score", "reference": "--baseline"}
    names |= as_options("margin", "event", "query", "strata", "alternative")
    with session.in_words(names):
        needs = {one.entry.needs for one in request_metrics(metrics, None, options.query)}
    are_labels = options.threshold is None and needs == {"labels"}
    numbers = [] if are_labels else options.score
    columns = session.read_rows(
        options,
        options.label,
        [*numbers, *filter(None, [options.event])],
        coded=[getattr(options, name) for name in _CODED],
        named=options.score if are_labels else (),
        many_labels=are_labels,
    )
    labels, pos_label = session.labels_of(
        columns.labels, options.label, options.pos_label, of_two=not are_labels
    )
    read = {**columns.scores, **columns.named}
    scores = {name: read[name] for name in options.score}
    if labels.dtype != object and any(values.dtype == object for values in columns.named.values()):
        advice = "or say from which on a score is called positive with --threshold"
        raise ValueError(f"--score must name labels as those of {options.label!r}, {advice}")
    given: dict[str, Any] = {name: getattr(options, name) for name in _AS_IN_PYTHON}
    given |= {name: columns.codes.get(getattr(options, name)) for name in _CODED}
    given |= {"event": columns.scores.get(options.event), "sample_weight": columns.weights}
    given |= {"reference": options.baseline, "rng": options.seed, "pos_label": pos_label}
    given |= {"n_resamples": options.bootstrap, "method": options.bootstrap and "bootstrap"}
    given = {name: value for name, value in given.items() if value is not None}
    of_two = labels if needs & {"scores", "probabilities"} else None
    with session.in_words(names, of_two, options.label, about="compare"):
        comparisons = compare(labels, scores, metrics=metrics, **given)
    session.tell_skipped(columns, "compared")
    fields: dict[str, Any] = {"n_rows": columns.n_rows, "n_skipped": columns.n_skipped}
    fields |= {"verdict": comparisons.verdict, "metrics": comparisons.to_dict()}
    return in_format(options, fields, comparisons._display())


def compare_logs(options: argparse.Namespace) -> str:
    """Compare models by logs of their evaluations, or by tables of repeated items."""
    from fastmetrics._report.evaluate_log import evaluate_log
    from fastmetrics.cli._session import in_words
    from fastmetrics.io.logs import read_evaluation_log

    for name in ("score", "metrics"):
        given = getattr(options, name) or [None]
        if len(given) > 1:
            raise ValueError(f"--{name} names one score of --log: got {', '.join(given)}")
        setattr(options, name, given[0])
    upwards = not options.lower_is_better and (options.higher_is_better or None)
    files = _named(options.log)
    names = as_options("pass_at", "pass_hat", "filter", "repeat", "model")
    names["score"] = "--metrics" if options.id is None else "--score"
    names |= {"on_missing='intersect'": "--on-missing intersect", "item": "item"}
    with in_words(names):
        if options.id is None:
            why = "is of tables: name the column of their items with --id"
            refuse_options(options, ("score", "model", "repeat", "where"), why)
            rows = read_evaluation_log(
                files,
                score=options.metrics,
                filter=options.filter,
                group=options.groups,
                higher_is_better=upwards,
            )
        else:
            rows = _of_tables(files, options) | {"higher_is_better": upwards}
        evaluation = evaluate_log(
            **rows,
            pass_at=options.pass_at,
            pass_hat=options.pass_hat,
            on_missing=options.on_missing or "error",
            confidence_level=options.confidence_level,
        )
    if options.baseline is not None:
        evaluation = evaluation.against(options.baseline)
    return in_format(options, evaluation.to_dict(), evaluation._display())


def _named(texts: list[str]) -> dict[str, list[str]]:
    """Return files by the names of models, "" where they have none."""
    by_model: dict[str, list[str]] = {}
    for text in texts:
        name, _, path = text.partition("=")
        is_named = name and path and not os.path.exists(text)
        by_model.setdefault(name if is_named else "", []).append(path if is_named else text)
    return by_model


def _of_tables(files: dict[str, list[str]], options: argparse.Namespace) -> dict[str, Any]:
    """Return the columns of tables."""
    import numpy as np

    from fastmetrics.io.reader import read_columns

    if options.score is None:
        raise ValueError("--score missing: name the column of the score of a repeat")
    why = "is of logs: name the column of the score with --score"
    refuse_options(options, ("metrics", "filter"), why)
    columns = [options.model, options.repeat, options.groups]
    named = [name for name in columns if name is not None]
    parts: dict[str, list[Any]] = {}
    for model, paths in files.items():
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
    }


#: Options that `fastmetrics.compare` has by these names: values, and columns that tell rows apart.
_AS_IN_PYTHON: Final = ("margin", "threshold", "alternative", "weights_are", "confidence_level")
_CODED: Final = ("query", "groups", "strata")
_OF_COLUMNS: Final = (
    *("label", "weight", "weights_are", "pos_label", "on_bad_row", "query", "event", "strata"),
    *("threshold", "margin", "alternative", "bootstrap", "seed"),
)
_OF_LOGS: Final = (
    "filter pass_at pass_hat on_missing id model repeat higher_is_better lower_is_better".split()
)
COMPARE: Final = Command(
    name="compare",
    about="compare models by metrics of their scores, or by logs of their evaluations",
    run=run_compare,
    formats=("table", "json", "csv", "markdown"),
    help="""\
Compare models by metrics of their scores, predicted labels or numbers: columns of files, as for
evaluate. With --log compare them item by item, by logs of lm-evaluation-harness (samples_*.jsonl)
and of Inspect (.eval, .json), told by what is in them, or by tables (CSV, Parquet, JSON lines) with
a row for each repeat of an item. Items are what varies, not repeats.""",
    options="""
[FILE ...]  file name or glob pattern
[--label]
[--score]
[--metrics NAME ...]  metrics to compare by, as roc_auc or precision_at_recall:recall=0.9
    (fastmetrics metrics lists them); of a log that has several: the metric, or the scorer
[--groups COL]  cluster column (for example patient); of logs a field of doc or metadata
[--where]
[--baseline NAME]  compare each other model with this one (default: all pairs)
[--confidence-level P]  (default 0.95)
[--threads]
score columns:
[--weight]
[--weights-are]
[--pos-label]
[--on-bad-row]
[--query]
[--event COL]  of censored times, which --label then has: whether each is that of an event
[--strata COL]  column of what was sampled apart, as much of each as was decided beforehand
[--threshold]
[--margin X]  the largest accepted loss, in the metric's unit: tests whether models lose less
[--alternative {two-sided,less,greater}]  what differences are tested against (default two-sided)
[--bootstrap N]  test all metrics by N paired resamples; by default those without a formula, by 9999
[--seed]
logs:
[--log [NAME=]FILE ...]  log, or table; a model is called NAME, or as its log or its file is
[--filter]
[--pass-at]
[--pass-hat]
[--on-missing {error,intersect}]  stop where models lack items (default), or leave these items out
[--id COL]  column of the items: says that files are tables, and --score that of a repeat
[--model COL]  column of the models (default: each file is of one)
[--repeat COL]  column of the repeats, where an item has several
""",
    defaults={"pass_at": [], "pass_hat": [], "confidence_level": 0.95},
    examples="""\
examples:
  fastmetrics compare scores.csv --label y --score a --score b --metrics roc_auc brier_score
  fastmetrics compare s.csv --label y --score a --score b --metrics f1 --threshold 0.5
  fastmetrics compare --log old=a/samples_gsm8k.jsonl new=b/samples_gsm8k.jsonl \\
      --metrics exact_match --filter strict-match
  fastmetrics compare --log run.eval --pass-at 1 5 --pass-hat 5
  fastmetrics compare --log tries.csv --id question --score correct --model model --repeat try \\
      --groups document
""",
    add_options=partial(add_direction, required=False),
)
