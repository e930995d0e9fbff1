"""``fastmetrics sql``: the statement that counts a database's rows by score."""

from __future__ import annotations

import argparse
from typing import Final

from fastmetrics.cli._options import as_options, number, number_of, unquoted

ABOUT: Final = "print the SQL that counts a database's rows by score and class"
HELP: Final = """\
Print the SQL statement that counts the rows of a table by score and class, in one pass of the
engine. Its result, a row a distinct score, is all that the measures need: no row leaves the
database. Columns and conditions are written as the dialect has them."""

EXAMPLES: Final = """\
examples:
  fastmetrics sql --dialect postgres --table visits --label bought --score p > counts.sql
  psql --csv -f counts.sql > counts.csv
  fastmetrics evaluate counts.csv --counts

  fastmetrics sql --dialect spark --table visits --label bought --score a --score b
  fastmetrics sql --dialect bigquery --table shop.visits --label bought --score p --bits 12
  fastmetrics sql --dialect duckdb --table "read_parquet('s3://x/*.parquet')" --label y \\
      --score '1 - p' --weight w --by country --where "day >= '2026-01-01'"
"""

OPTIONS: Final = """
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
"""


TYPES: Final = {"bits": number}
DEFAULTS: Final = {"by": [], "pos_label": "1", "neg_label": "0"}


def run(options: argparse.Namespace) -> str:
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
    found = number_of(text)
    return {"true": True, "false": False}.get(text.lower(), text) if found is None else found
