"""``fastmetrics sql``: the statement that counts a database's rows by score."""

from __future__ import annotations

import argparse
from typing import Final

from fastmetrics.cli._options import number, number_of, unquoted

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

#: Those of `counts_query`, which help need not load.
DIALECTS: Final = tuple("duckdb postgres spark bigquery snowflake clickhouse sqlite".split())


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = command.add_argument
    add(
        "--dialect",
        required=True,
        choices=DIALECTS,
        help="whose SQL: " + ", ".join(DIALECTS),
        metavar="NAME",
    )
    add("--table", required=True, metavar="SQL", help="table, or a function that gives one")
    add("--label", required=True, metavar="SQL", help="column of the labels, or an expression")
    add(
        "--score",
        required=True,
        action="append",
        metavar="SQL",
        help="column of the scores, or an expression; the greater, the more positive; may be "
        "repeated, for the scores of several models",
    )
    add("--weight", metavar="SQL", help="column of weights to sum (default: rows are counted)")
    add(
        "--by",
        action="append",
        default=[],
        metavar="COL",
        help="count the values of this column apart; may be repeated",
    )
    add("--where", metavar="SQL", help="count the rows for which this condition holds")
    for name, default in (("positive", "1"), ("negative", "0")):
        add(
            f"--{name[:3]}-label",
            default=default,
            metavar="V",
            help=f"the {name} label (default {default}): a number, true or false, or a text; in "
            "quotes of its own, as \"'007'\", a text in any case",
        )
    add(
        "--bits",
        type=number,
        metavar="N",
        help="count by ranges of scores, which agree in their first N bits, where distinct scores "
        "are too many",
    )


def run(options: argparse.Namespace) -> str:
    """Return the statement."""
    from fastmetrics.errors import InputError, with_names
    from fastmetrics.io._counts_query import counts_query

    try:
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
    except InputError as error:
        names = ("table", "label", "score", "weight", "by", "where", "bits")
        here = {name: f"--{name}" for name in names}
        here |= {"pos_label": "--pos-label", "neg_label": "--neg-label"}
        raise ValueError(with_names(str(error), here)) from error
    return statement + ";\n"


def _label(text: str) -> int | float | bool | str:
    """Return a number, a boolean, or the text itself; quotes make a text of anything."""
    if unquoted(text) != text:
        return unquoted(text)
    found = number_of(text)
    return {"true": True, "false": False}.get(text.lower(), text) if found is None else found
