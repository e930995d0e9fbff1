"""``fastmetrics evaluate``: files in, measures out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._evaluation_options import add_evaluation

if TYPE_CHECKING:
    from fastmetrics._input.scalars import WeightsAre
    from fastmetrics._report.evaluation_result import Evaluation
    from fastmetrics._report.tasks.task_evaluation import TaskEvaluation
    from fastmetrics.io.columns import Columns

HELP: Final = """\
Evaluate scores in files: CSV (.csv .tsv .txt), Parquet (.parquet .pq) and JSON lines (.jsonl
.ndjson .json). All files together are one data set. The greater a score, the more positive."""

EXAMPLES: Final = """\
examples:
  fastmetrics evaluate scores.parquet --label y --score model_a --score model_b
  fastmetrics evaluate 'day-*.csv' --label outcome --pos-label sick --score p --format json
  fastmetrics evaluate s.csv --label y --score p --where "country = 'NO' AND age >= 18"
  fastmetrics evaluate s.csv --label y --score a --score b --bootstrap 9999 --seed 1
  fastmetrics evaluate s.csv --label fraud --score p --cost-fn amount --cost-fp 5
  fastmetrics evaluate s.csv --label y --score p --bootstrap 9999 --groups patient \\
      --metrics f1 recall_at_false_positive_rate:false_positive_rate=0.05 --threshold 0.5
  fastmetrics evaluate counts.csv --counts          (counts that a database made)
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of ``fastmetrics evaluate`` beside a format."""
    add_evaluation(command, required=False)
    add = command.add_argument
    add(
        "--counts",
        action="store_true",
        help="the files hold counts of both classes by score, as the statement of fastmetrics sql "
        "gives them, and not rows: without --label and --score; a column 'model' names models",
    )
    _add_memory(command.add_argument_group("files larger than memory").add_argument)


def _add_memory(add: Any) -> None:
    add(
        "--memory",
        metavar="SIZE",
        help="what the program may take, as 1GB or 500MB: rows that do not fit are sorted on disk, "
        "and the figures are the same",
    )
    add(
        "--spill-dir",
        metavar="DIR",
        help="folder of those rows, on a disk: up to 8 bytes a row and model; nothing is left "
        "(default: the system's folder for temporary files)",
    )


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate each score column, and return the output."""
    from fastmetrics._report.evaluation import evaluate
    from fastmetrics.cli._evaluation_rows import asked, check_columns
    from fastmetrics.cli._session import in_words, names_here

    if options.counts:
        from fastmetrics.cli._counts import run_counts

        return run_counts(options)
    check_columns(options)
    if options.memory is not None or options.spill_dir is not None:
        return _of_files_larger_than_memory(options)
    rows = asked(options)
    with in_words(names_here(options), rows.labels, options.label) as texts:
        found = evaluate(rows.labels, rows.scores, **rows.options)
    return _told(found, texts, rows.columns, options)


def _of_files_larger_than_memory(options: argparse.Namespace) -> str:
    from fastmetrics._report.evaluation_result import Evaluation
    from fastmetrics.cli._bounded import evaluate_bounded

    if options.task == "labels" or options.class_scores:
        raise ValueError("--memory is for scores of two classes: leave it out")
    models, texts, columns = evaluate_bounded(options)
    read: WeightsAre | None = "frequencies" if options.weight else None
    found = Evaluation(tuple(models), options.confidence_level, read)
    return _told(found, texts, columns, options)


def _told(
    evaluation: Evaluation | TaskEvaluation,
    texts: list[tuple[type[Warning], str]],
    columns: Columns,
    options: argparse.Namespace,
) -> str:
    """Print what is to be known beside the figures, and return the output."""
    from fastmetrics.cli._render import render
    from fastmetrics.cli._session import tell_skipped
    from fastmetrics.cli._told import tell

    tell(evaluation, texts, "evaluate")
    counts = {"n_rows": columns.n_rows, "n_skipped": columns.n_skipped}
    output = render(evaluation, options.format, counts=counts)
    tell_skipped(columns, "evaluated")
    return output
