"""``fastmetrics evaluate``, ``report`` and ``doctor``: files of rows in, results out."""

from __future__ import annotations

import argparse
import glob
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import (
    EVALUATION,
    Command,
    number_of,
    parse_bounds,
    parse_metrics,
    parse_pairs,
    refuse_options,
)
from fastmetrics.cli._terminal import in_format, print_texts, tell

if TYPE_CHECKING:
    from fastmetrics._input.scalars import WeightsAre
    from fastmetrics._report.evaluation_result import Evaluation
    from fastmetrics.io.reader import FileColumns


#: Options of pairs, and what one looks like.
_PAIRS: Final = {"--class-score": "cat=p_cat", "--label-score": "cat=p_cat"}
#: Options that mean nothing but for scores of two classes.
_OF_TWO: Final = (
    *("cost_fn", "cost_fp", "prevalence", "guarantee"),
    *("bootstrap", "method", "stratified"),
)
#: Options that mean nothing for logs.
_OF_ROWS: Final = (
    *_OF_TWO,
    *("score", "class_score", "weight", "weights_are", "pos_label", "where", "on_bad_row"),
    *("task", "query", "slice", "intersections", "min_n", "threshold", "seed"),
    *("memory", "spill_dir"),
)
_ALONE: Final = "is of scores of two classes: leave it out"


#: Labels, the scores of each model, other arguments of `evaluate`, and the columns read.
Request = tuple[Any, dict[str, Any], dict[str, Any], Any]
#: An evaluation, the warnings of it, and the columns read.
Evaluated = tuple["Evaluation", list[tuple[type[Warning], str]], "FileColumns"]


def read_request(options: argparse.Namespace, columns: FileColumns | None = None) -> Request:
    """Check the options, read the files, and return the arguments of `evaluate`.

    ``columns`` are those of scores of two classes that were read already.
    """
    from fastmetrics._report.score_evaluation import EvaluateOptions
    from fastmetrics.cli._session import in_words, labels_of, names_here

    if options.label_score:
        return _read_several_labels(options)
    if options.task == "labels" or options.class_score:
        return _read_classes(options)
    if options.query:
        return _read_rankings(options)
    given = _given(options) | {"stratified": options.stratified}
    weights_are: WeightsAre = options.weights_are or "importances"
    # A number, or the name of a column of costs.
    costs = {name: getattr(options, name) for name in ("cost_fn", "cost_fp")}
    numbers = {name: None if text is None else number_of(text) for name, text in costs.items()}
    by_row = {n: text for n, text in costs.items() if text is not None and numbers[n] is None}
    promise = "promise with a number, as in recall=0.95"
    guarantee = parse_bounds("--guarantee", options.guarantee, promise) or None
    names = names_here(options)
    with in_words(names):  # before anything is read
        EvaluateOptions(
            **given | numbers | dict.fromkeys(by_row, 1),
            prevalence=options.prevalence,
            guarantee=guarantee,
            sample_weight=options.weight,
            weights_are=weights_are,
            groups=options.groups,
        ).checked(len(options.score))
    others = [name for name in dict.fromkeys(by_row.values()) if name not in options.score]
    if columns is None:
        columns = _read(options, [*options.score, *others], many_labels=False)
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    given |= numbers | {name: columns.scores[column] for name, column in by_row.items()}
    given |= {"task": options.task, "pos_label": pos_label, "guarantee": guarantee}
    given["prevalence"] = options.prevalence
    scores = {name: columns.scores[name] for name in options.score}
    return labels, scores, given | _row_options(columns, options), columns


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `evaluate` that need no rows, whatever the task."""
    return {
        "confidence_level": options.confidence_level,
        "n_resamples": options.bootstrap,
        "metrics": parse_metrics(options.metrics),
        "method": options.method,
        "threshold": options.threshold,
        "rng": options.seed,
    }


def _read_classes(options: argparse.Namespace) -> Request:
    """Return predicted labels, or the scores of each class."""
    import numpy as np

    from fastmetrics.cli._session import labels_of

    refuse_options(options, _OF_TWO, _ALONE)
    given: dict[str, str] = options.class_score
    predicted = [] if given else options.score
    columns = _read(options, [*given.values()], predicted)
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label, of_two=False)
    scores: dict[str, Any] = {name: columns.named[name] for name in predicted}
    if given:
        classes = sorted({*labels.tolist()})
        if {*map(str, classes)} != {*given}:
            raise ValueError(
                f"--class-score names {', '.join(given)}; column {options.label!r} holds "
                f"{', '.join(map(str, classes))}: each class needs its scores"
            )
        scores = {"score": np.stack([columns.scores[given[str(c)]] for c in classes], axis=1)}
    more = {"task": "multiclass" if given else "labels", "pos_label": pos_label}
    return labels, scores, more | _row_options(columns, options), columns


def _read_rankings(options: argparse.Namespace) -> Request:
    """Return the relevance and the scores of items, with the query of each."""
    refuse_options(options, (*_OF_TWO, "pos_label", "threshold"), _ALONE)
    if options.weight:
        raise ValueError("--weight is of rows: with --query the query is what varies")
    columns = _read(options, options.score)
    relevance = columns.label_values
    if relevance.dtype.kind not in "biuf":
        listed = ", ".join(map(repr, relevance[:5].tolist()))
        raise ValueError(f"column {options.label!r} must be numbers with --query: got {listed}")
    scores = {name: columns.scores[name] for name in options.score}
    given = {"query": columns.codes[options.query]} | _row_options(columns, options)
    return relevance, scores, given, columns


def _read_several_labels(options: argparse.Namespace) -> Request:
    """Return a column of 0 and 1, and one of scores, for each label."""
    refuse_options(options, (*_OF_TWO, "slice", "pos_label"), _ALONE)
    pairs: dict[str, str] = options.label_score
    columns = _read(options, [*pairs, *pairs.values()])
    labels = {name: columns.scores[name] for name in pairs}
    scores = {"score": {name: columns.scores[column] for name, column in pairs.items()}}
    return labels, scores, {"task": "multilabel"} | _row_options(columns, options), columns


def _read(
    options: argparse.Namespace,
    scores: list[str],
    named: Iterable[str] = (),
    *,
    many_labels: bool = True,
) -> FileColumns:
    """Read labels, scores, named columns, and what tells rows apart."""
    from fastmetrics.cli._session import read_rows

    coded = [options.query, options.groups]
    named = [*named, *(options.slice or ())]
    return read_rows(
        options, options.label, scores, coded=coded, named=named, many_labels=many_labels
    )


def _row_options(columns: FileColumns, options: argparse.Namespace) -> dict[str, Any]:
    """Return options of every task, weights, groups, and the columns of slices, if any."""
    arguments = _given(options) | {"sample_weight": columns.weights}
    arguments["groups"] = columns.codes.get(options.groups)
    arguments["weights_are"] = options.weights_are or "importances"
    if options.slice:
        arguments["slices"] = {name: columns.named[name] for name in options.slice}
        for name in ("intersections", "min_n"):
            if getattr(options, name) is not None:
                arguments[name] = getattr(options, name)
    return arguments


def check_columns(options: argparse.Namespace) -> None:
    """Raise unless labels and scores are named, once each, as the task has them."""
    from fastmetrics.cli._session import check_weights

    for option, example in _PAIRS.items():
        name = option.strip("-").replace("-", "_")
        setattr(options, name, parse_pairs(option, getattr(options, name), example))
    by_class = options.class_score
    by_label = options.label_score
    if by_label and (options.label or options.score or by_class):
        raise ValueError(
            "--label-score names the labels and the scores of one model: leave --label, --score "
            "and --class-score out"
        )
    if by_class and options.score:
        raise ValueError("--class-score names the scores of one model: leave --score out")
    tasks = {
        "multiclass": ("--class-score", by_class),
        "multilabel": ("--label-score", by_label),
    }
    for task, (option, pairs) in tasks.items():
        if pairs and options.task not in (None, task):
            raise ValueError(f"{option} is of --task {task}: got --task {options.task}")
        if options.task == task and not pairs:
            raise ValueError(f"--task {task} needs {option}, as in {_PAIRS[option]}")
    if options.query and (options.task or by_class or by_label):
        raise ValueError(
            "--query is of rankings: leave --task, --class-score and --label-score out"
        )
    if len(by_label) == 1:
        raise ValueError("--label-score names one label: name each, or say --label and --score")
    named = {"--label": options.label, "--score": options.score or by_class}
    missing = [] if by_label else [name for name, value in named.items() if not value]
    if missing:
        raise ValueError(
            f"{' and '.join(missing)} missing: name the columns, or say --counts where the files "
            "hold counts by score"
        )
    check_weights(options)


def tell_notes(evaluation: Evaluation, warned: list[tuple[Any, str]], what: str) -> None:
    """Print the warnings of an evaluation, and what else is to be known of its models."""
    from fastmetrics.errors import UndefinedMetricWarning

    texts = [text for _, text in warned]
    if evaluation.task != "binary":
        print_texts(texts, what)
        return
    auc = evaluation[0].roc_auc
    lacks_a_class = auc != auc  # nan, of which a warning tells for each model
    if lacks_a_class:
        undefined = [text for kind, text in warned if kind is UndefinedMetricWarning]
        print_texts(undefined, "model")
        texts = [text for text in texts if text not in undefined]
    subject = "bootstrap" if evaluation.bootstrap is not None else "all models"
    print_texts(texts, subject if len(evaluation) > 1 else f"model {evaluation[0].name!r}")
    names: dict[str, list[str]] = {}
    for model in evaluation:
        if model.note and not lacks_a_class:
            names.setdefault(model.note, []).append(repr(model.name))
    for note, of in names.items():
        about = f"{'model' if len(of) == 1 else 'models'} {', '.join(of)}"
        tell("note", f"{'all models' if len(of) == len(evaluation) > 1 else about}: {note}")


def run_doctor(options: argparse.Namespace) -> str:
    """Read the files, look, set the exit status, and return the output."""
    from fastmetrics._report.doctor import doctor
    from fastmetrics.cli._session import labels_of, read_rows

    names = [each for each in (options.groups, options.id) if each]
    columns = read_rows(options, options.label, options.score, named=names)
    labels, pos_label = labels_of(columns.labels, options.label, options.pos_label)
    diagnosis = doctor(
        labels,
        columns.scores,
        groups=columns.named.get(options.groups),
        ids=columns.named.get(options.id),
        pos_label=pos_label,
    )
    options.exit_status = diagnosis.exit_status
    return in_format(options, diagnosis.to_dict(), diagnosis._display())


DOCTOR: Final = Command(
    name="doctor",
    about="look for what is wrong or doubtful with labels and scores",
    run=run_doctor,
    formats=("table", "json", "markdown"),
    help="""\
Look for what is wrong or doubtful with labels and scores of two classes: scores that run backwards,
decisions or labels given as scores, ids and rows that are there twice, few positives or groups, and
more. Nothing is mended.

exit status: 0 nothing but notes, 1 an error or a warning, 2 files that cannot be read""",
    options="""
FILE
--label
--score
[--groups COL]  cluster column (for example patient)
[--id]
[--pos-label]
[--where]
""",
    examples="""\
examples:
  fastmetrics doctor scores.csv --label y --score a --score b
  fastmetrics doctor scores.parquet --label y --score p --groups patient --id row
""",
)


_OWN: Final = """
-o, --output FILE  the page (.html); one that is there is replaced
[--title TEXT]  of the page
[--band {simultaneous,pointwise,none}]  around the curves of up to three models: where the whole
    curve lies (default), where each of its points lies by itself, or none
"""


def run_report(options: argparse.Namespace) -> str:
    """Read the files, evaluate, write the page, and say what it is."""
    import shlex

    from fastmetrics._plots._style import require_matplotlib
    from fastmetrics._report.report import check_page, report
    from fastmetrics.cli._session import binary_labels, in_words, names_here, tell_skipped

    check_page(options.output)
    require_matplotlib()
    check_columns(options)
    threshold = options.threshold
    seed = options.seed
    if options.bootstrap is None:  # they are of pictures
        options.seed = None
        options.threshold = None if options.metrics is None else threshold
    labels, scores, given, columns = read_request(options)
    given |= {"threshold": threshold, "rng": 0 if seed is None else seed}
    with in_words(names_here(options), binary_labels(options, labels), options.label) as texts:
        page = report(
            labels,
            scores,
            title=options.title,
            command=shlex.join(["fastmetrics", *options.given]),
            band=None if options.band == "none" else options.band,
            **given,
        )
        page.save(options.output)
    tell_notes(page.evaluation, texts, "report")
    tell_skipped(columns, "evaluated")
    answer = f"{page.verdict}\n" if page.verdict else ""
    return f"{answer}{options.output}: {options.title}, {columns.n_rows:,} rows\n"


REPORT: Final = Command(
    name="report",
    about="evaluate scores in files, and write one page about them (HTML)",
    run=run_report,
    help="""\
Evaluate scores in files, the same kinds of file as for evaluate, and write one page about them:
the answer, metrics, curves, calibration, decisions, slices, and a paragraph on methods. The page
is one HTML file that needs nothing else: no script, no request, and no row of the data.""",
    options=_OWN + EVALUATION,
    defaults={"given": (), "title": "Evaluation", "band": "simultaneous", "confidence_level": 0.95},
    examples="""\
examples:
  fastmetrics report scores.csv --label y --score a --score b -o report.html
  fastmetrics report s.parquet --label y --score p --slice country --title "March" -o march.html
  fastmetrics report s.csv --label fraud --score p --cost-fn 20 --cost-fp 1 -o report.html
""",
)


def run_evaluate(options: argparse.Namespace) -> str:
    """Read the files, evaluate each score column, and return the output."""
    from fastmetrics.cli._session import tell_skipped

    if options.counts:
        from fastmetrics.cli.commands.sql import run_counts

        return run_counts(options)
    if not options.label and not options.label_score and _are_logs(options.files):
        return _evaluate_logs(options)
    refuse_options(options, ("filter", "pass_at", "pass_hat"), "is of logs: leave it out")
    check_columns(options)
    evaluation, texts, columns = _evaluate_rows(options)
    if options.baseline is not None:
        evaluation = evaluation.against(options.baseline)
    tell_notes(evaluation, texts, "evaluate")
    tell_skipped(columns, "evaluated")
    counts = {"n_rows": columns.n_rows, "n_skipped": columns.n_skipped}
    return in_format(options, counts | evaluation.to_dict(), evaluation._display())


def _evaluate_rows(options: argparse.Namespace) -> Evaluated:
    """Evaluate rows in bounded memory if that can be done; load them otherwise."""
    from fastmetrics.cli import _bounded, _sliced

    reason = _bounded.reason_to_load(options)
    if reason and (options.memory is not None or options.spill_dir is not None):
        raise ValueError(reason)
    if not reason:
        with suppress(_sliced.RowsNeededError):
            return _bounded.evaluate_streamed(options, partial(_evaluate_loaded, options))
    return _evaluate_loaded(options)


def _evaluate_loaded(options: argparse.Namespace, columns: FileColumns | None = None) -> Evaluated:
    """Evaluate rows in memory, which are read unless their columns are here."""
    from fastmetrics._report.evaluation import evaluate
    from fastmetrics.cli._session import binary_labels, in_words, names_here

    labels, scores, given, columns = read_request(options, columns)
    with in_words(names_here(options), binary_labels(options, labels), options.label) as texts:
        evaluation = evaluate(labels, scores, **given)
    return evaluation, texts, columns


def _are_logs(patterns: list[str]) -> bool:
    from fastmetrics.io.logs import is_evaluation_log

    try:
        return all(map(is_evaluation_log, _paths(patterns)))
    except OSError:  # the reader of rows says what is wrong, and reads what is not on a disk
        return False


def _paths(patterns: list[str]) -> list[str]:
    return [path for each in patterns for path in sorted(glob.glob(each)) or [each]]


def _evaluate_logs(options: argparse.Namespace) -> str:
    """Evaluate each model of logs as ``compare --log`` does."""
    from fastmetrics.cli.commands.compare import compare_logs

    refuse_options(options, _OF_ROWS, "is of score columns: the files are logs of evaluations")
    unset = dict.fromkeys(("id", "model", "repeat", "on_missing"))
    unset |= dict.fromkeys(("higher_is_better", "lower_is_better"), False)
    given = {**vars(options), "log": _paths(options.files)}
    return compare_logs(argparse.Namespace(**unset, **given))


EVALUATE: Final = Command(
    name="evaluate",
    about="evaluate scores in CSV, Parquet or JSON-lines files",
    run=run_evaluate,
    formats=("table", "json", "csv", "markdown"),
    help="""\
Evaluate scores in files: CSV (.csv .tsv .txt), Parquet (.parquet .pq) and JSON lines (.jsonl
.ndjson .json). All files together are one data set. The greater a score, the more positive.
Logs of lm-evaluation-harness (samples_*.jsonl) and of Inspect (.eval, .json), told by what is in
them, are evaluated without --label, as compare --log does; --metrics then names their score.""",
    options=f"""
{EVALUATION}
[--baseline COL]  print the differences from this score column (default: from the best one)
logs:
[--filter]
[--pass-at]
[--pass-hat]
counts in place of rows:
[--counts]  the files hold counts of both classes by score, as the statement of fastmetrics sql
    gives them, and not rows: without --label and --score; a column 'model' names models
files of any size, of scores of two classes:
[--memory SIZE]  what the program may take, as 1GB or 500MB (default: half of what is free); rows
    that do not fit are sorted on disk. Large files are read twice to compare several models
[--spill-dir DIR]  folder of those rows, on a disk: up to 8 bytes a row and model, 28 with groups,
    weights and costs; nothing is left (default: the system's folder for temporary files)
""",
    defaults={"pass_at": [], "pass_hat": [], "confidence_level": 0.95},
    examples="""\
examples:
  fastmetrics evaluate scores.parquet --label y --score model_a --score model_b
  fastmetrics evaluate 'day-*.csv' --label outcome --pos-label sick --score p --format json
  fastmetrics evaluate s.csv --label y --score p --where "country = 'NO' AND age >= 18"
  fastmetrics evaluate s.csv --label y --score a --score b --bootstrap 9999 --seed 1
  fastmetrics evaluate s.csv --label fraud --score p --cost-fn amount --cost-fp 5
  fastmetrics evaluate s.csv --label y --score p --bootstrap 9999 --groups patient \\
      --metrics f1 recall_at_false_positive_rate:false_positive_rate=0.05 --threshold 0.5
  fastmetrics evaluate t.csv --label-score sea=p_sea --label-score sky=p_sky   (labels of one row)
  fastmetrics evaluate clicks.csv --query visit --label clicked --score p --metrics ndcg@10 mrr
  fastmetrics evaluate counts.csv --counts          (counts that a database made)
  fastmetrics evaluate samples_gsm8k.jsonl --metrics exact_match --filter strict-match    (a log)
  fastmetrics evaluate run.eval --pass-at 1 5
""",
)
