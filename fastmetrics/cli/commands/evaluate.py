"""``fastmetrics evaluate``: files in, measures out."""

from __future__ import annotations

import argparse
from typing import Any, Final

from fastmetrics.cli._options import EVALUATION

ABOUT: Final = "evaluate scores in CSV, Parquet or JSON-lines files"
FORMATS: Final = ("table", "json", "csv", "markdown")
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
  fastmetrics evaluate t.csv --label-score sea=p_sea --label-score sky=p_sky   (labels of one row)
  fastmetrics evaluate clicks.csv --query visit --label clicked --score p --metrics ndcg@10 mrr
  fastmetrics evaluate counts.csv --counts          (counts that a database made)
"""


OPTIONS: Final = f"""
{EVALUATION}
counts in place of rows:
[--counts]  the files hold counts of both classes by score, as the statement of fastmetrics sql
    gives them, and not rows: without --label and --score; a column 'model' names models
files larger than memory:
[--memory SIZE]  what the program may take, as 1GB or 500MB: rows that do not fit are sorted on
    disk, and the figures are the same; files are read twice to compare several models
[--spill-dir DIR]  folder of those rows, on a disk: up to 8 bytes a row and model; nothing is left
    (default: the system's folder for temporary files)
"""
DEFAULTS: Final = {"confidence_level": 0.95}


def run(options: argparse.Namespace) -> str:
    """Read the files, evaluate each score column, and return the output."""
    from fastmetrics._report.evaluation import evaluate
    from fastmetrics.cli._evaluation_rows import asked, check_columns, tell_of
    from fastmetrics.cli._render import render
    from fastmetrics.cli._session import in_words, names_here, of_two, tell_skipped

    if options.counts:
        from fastmetrics.cli._counts import run_counts

        return run_counts(options)
    check_columns(options)
    found: Any
    if options.memory is not None or options.spill_dir is not None:
        from fastmetrics.cli._bounded import evaluate_bounded

        found, texts, columns = evaluate_bounded(options)
    else:
        labels, scores, given, columns = asked(options)
        with in_words(names_here(options), of_two(options, labels), options.label) as texts:
            found = evaluate(labels, scores, **given)
    tell_of(found, texts, "evaluate")
    counts = {"n_rows": columns.n_rows, "n_skipped": columns.n_skipped}
    output = render(found, options.format, counts=counts)
    tell_skipped(columns, "evaluated")
    return output
