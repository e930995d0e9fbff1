"""Counts by score that a database makes: their SQL, and ``fastmetrics evaluate --counts``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from fastmetrics.cli._options import (
    Command,
    as_options,
    number,
    number_of,
    refuse_options,
    unquoted,
)
from fastmetrics.cli._terminal import in_format

if TYPE_CHECKING:
    from fastmetrics.tables.bin_bounds import ScoreRanges


#: Options of rows that counts have too: files, lines, confidence level, layout.
_SERVES: Final = frozenset(
    "files counts where threads confidence_level format verbose command".split()
)
_METRICS: Final = ("roc_auc", "average_precision", "ks_statistic")


def run_counts(options: argparse.Namespace) -> str:
    """Read the counts, evaluate them, and return the output."""
    from fastmetrics._report.evaluation import evaluate
    from fastmetrics.cli._session import in_words, progress_bar
    from fastmetrics.errors import InputError, with_names
    from fastmetrics.io.counts import read_counts
    from fastmetrics.tables.bin_bounds import ScoreRanges

    others = vars(options).keys() - _SERVES
    why = "is of rows: with --counts there are none, only their numbers at each score"
    refuse_options(options, sorted(others), why)
    with progress_bar() as progress:
        by_name = read_counts(options.files, where=options.where, progress=progress)
    about = ""
    with in_words({}, about="counts"):
        try:
            ranges_by_model = {}
            for name, counts in by_name.items():
                about = f"model {name!r}: " if len(by_name) > 1 else ""
                ranges_by_model[name] = ScoreRanges(*counts)
        except InputError as error:
            raise ValueError(about + with_names(str(error), _COLUMNS)) from error
        if not all(ranges.is_exact for ranges in ranges_by_model.values()):
            return _format_limits(ranges_by_model, options)
        tables = {name: ranges.to_score_table() for name, ranges in ranges_by_model.items()}
        evaluation = evaluate(tables, confidence_level=options.confidence_level)
        return in_format(options, evaluation.to_dict(), evaluation._display())


_COLUMNS: Final = {
    "low": "column 'score' (or 'score_low')",
    "high": "column 'score_high'",
    "positives": "column 'positives' (or 'positive_weight')",
    "negatives": "column 'negatives' (or 'negative_weight')",
}


def _format_limits(ranges_by_model: dict[str, ScoreRanges], options: argparse.Namespace) -> str:
    """Return limits of the metrics; all of them by one name in every format."""
    from fastmetrics._display import Display, Table
    from fastmetrics._report.evaluation_result import NAMES_OF_SCORES

    models: list[dict[str, Any]] = []
    rows: list[tuple[Any, ...]] = []
    for model, ranges in ranges_by_model.items():
        limits = {name: getattr(ranges, name)() for name in _METRICS}
        sizes = {name: getattr(ranges, name) for name in ("n_positive", "n_negative")}
        models.append({"name": model} | sizes | {k: each.to_dict() for k, each in limits.items()})
        rows += [(name, model, value) for name, value in (sizes | limits).items()]
    if len(models) == 1:
        display = next(iter(ranges_by_model.values()))._display()
    else:
        columns = dict(zip(("metric", "model", "limits"), zip(*rows, strict=True), strict=True))
        table = Table(columns, words=NAMES_OF_SCORES | {"metric": ""}, across="model")
        display = Display([table], notes=["The exact values lie between the limits."])
    return in_format(options, {"models": models}, display)


def run_sql(options: argparse.Namespace) -> str:
    """Return the statement."""
    from fastmetrics.cli._session import in_words
    from fastmetrics.io.counts import counts_query

    names = "table label score weight by where bits pos_label neg_label".split()
    with in_words(as_options(*names)):
        statement = counts_query(
            options.table,
            options.label,
            options.score if len(options.score) > 1 else options.score[0],
            dialect=options.dialect,
            weight=options.weight,
            by=options.by,
            where=options.where,
            pos_label=_label(options.pos_label),
            neg_label=_label(options.neg_label),
            bits=options.bits,
        )
    return statement + ";\n"


def _label(text: str) -> int | float | bool | str:
    """Return a number, a boolean, or the text itself; quotes make a text of anything."""
    if unquoted(text) != text:
        return unquoted(text)
    number = number_of(text)
    return {"true": True, "false": False}.get(text.lower(), text) if number is None else number


SQL: Final = Command(
    name="sql",
    about="print the SQL that counts a database's rows by score and class",
    run=run_sql,
    help="""\
Print the SQL statement that counts the rows of a table by score and class, in one pass of the
engine. Its result, a row a distinct score, is all that the metrics need: no row leaves the
database. Columns and conditions are written as the dialect has them.""",
    options="""
--dialect {duckdb,postgres,spark,bigquery,snowflake,clickhouse,sqlite}  whose SQL
--table SQL  table, or a function that gives one
--label SQL  column of the labels, or an expression
--score SQL...  column of the scores, or an expression; the greater, the more positive; may be
    repeated, for the scores of several models
[--weight SQL]  column of weights to sum (default: rows are counted)
[--by COL]...  count the values of this column apart; may be repeated
[--where SQL]  count the rows for which this condition holds
[--pos-label V]  the positive label (default 1): a number, true or false, or a text; in quotes of
    its own, as "'007'", a text in any case
[--neg-label V]  the negative label (default 0): a number, true or false, or a text; in quotes of
    its own, as "'007'", a text in any case
[--bits N]  count by ranges of scores, which agree in their first N bits, where distinct scores are
    too many
""",
    types={"bits": number},
    defaults={"by": [], "pos_label": "1", "neg_label": "0"},
    examples="""\
examples:
  fastmetrics sql --dialect postgres --table visits --label bought --score p > counts.sql
  psql --csv -f counts.sql > counts.csv
  fastmetrics evaluate counts.csv --counts

  fastmetrics sql --dialect spark --table visits --label bought --score a --score b
  fastmetrics sql --dialect bigquery --table shop.visits --label bought --score p --bits 12
  fastmetrics sql --dialect duckdb --table "read_parquet('s3://x/*.parquet')" --label y \\
      --score '1 - p' --weight w --by country --where "day >= '2026-01-01'"
""",
)
