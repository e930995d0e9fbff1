"""Rows that a database counts by score, and keeps: the statement, and files of its result."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fastmetrics._docs import documented
from fastmetrics._input.scalars import check_choice, check_integer
from fastmetrics.errors import FileError, InputError, InputTypeError, importing
from fastmetrics.io._session import column_names
from fastmetrics.io.reader import Progress, TextColumn, read_columns

Dialect = Literal["duckdb", "postgres", "spark", "bigquery", "snowflake", "clickhouse", "sqlite"]

#: Places of 41 bits and 2,200 exponents are whole numbers of a double.
_MOST_BITS: Final = 40

#: Rows as classes and scores. What has a colon is the caller's.
_SCORED: Final = """
SELECT
    {} AS score,
    CASE WHEN :label = :pos_label THEN :weight END AS positive,
    CASE WHEN :label = :neg_label THEN :weight END AS negative,
    CASE WHEN :label IN (:pos_label, :neg_label) {} THEN NULL ELSE 1 END AS unusable
"""
_SCORE: Final = "CAST(:score{} AS DOUBLE)"
#: What is not 0 where an integer is not its double, so that two integers could become one score.
_ROUNDED: Final = """
CASE WHEN ABS(CAST(:score{0} AS DOUBLE)) BETWEEN 9007199254740992 AND 9000000000000000000
    THEN CAST(:score{0} AS BIGINT) - CAST(CAST(:score{0} AS DOUBLE) AS BIGINT) ELSE 0 END
"""
#: SQLite makes 0.0 of a text, also in a column that is declared as one of numbers.
_SQLITE_SCORE: Final = "CASE WHEN TYPEOF(:score{0}) <> 'text' THEN CAST(:score{0} AS DOUBLE) END"
_SQLITE_ROUNDED: Final = _ROUNDED.replace(
    "CASE WHEN", "CASE WHEN TYPEOF(:score{0}) = 'text' THEN 1 WHEN"
)
#: What a row is joined with, so that it counts once for each of several models.
_MODELS: Final = "scored_models"
#: A score's sign, exponent and the first bits of its fraction, as a number that grows with it.
#: No exponent of a double is below -1074.
_RANGED: Final = """
SELECT *,
    SIGN(score) * ((exponent + 1100) * :steps
        + FLOOR((ABS(score) / POWER(2.0, exponent) - 1) * :steps)) AS place
FROM (
    SELECT *, CASE WHEN score = 0 THEN 0 ELSE FLOOR(LN(ABS(score)) / LN(2.0)) END AS exponent
    FROM scored
) AS exponents
"""
_COUNTED: Final = "COUNT(positive) AS positives, COUNT(negative) AS negatives"
_SUMMED: Final = (
    "COALESCE(SUM(positive), 0) AS positive_weight, COALESCE(SUM(negative), 0) AS negative_weight"
)
_OF_SCORES: Final = "SELECT score, {}, COUNT(unusable) AS unusable FROM scored GROUP BY score"
_OF_RANGES: Final = (
    "SELECT MIN(score) AS score_low, MAX(score) AS score_high, {}, COUNT(unusable) AS unusable "
    "FROM ranged GROUP BY place"
)
#: Names of the statement's own, which a column of the caller's would hide.
_TAKEN: Final = frozenset(
    "score positive negative unusable exponent place score_low score_high positives negatives "
    "positive_weight negative_weight "
    "scored ranged exponents scored_models model_of_score".split()
)


@documented()
def counts_query(
    table: str,
    label: str,
    score: str | Sequence[str] | Mapping[str, str],
    *,
    dialect: Dialect,
    weight: str | None = None,
    by: Sequence[str] = (),
    where: str | None = None,
    pos_label: Any = 1,
    neg_label: Any = 0,
    bits: int | None = None,
) -> str:
    """Return the SQL statement that counts a table's rows of either class at each score.

    Run it where the table is; its result, a row a distinct score, is all that any metric of
    scores needs: `ScoreTable.from_counts` takes it, and ``fastmetrics evaluate --counts`` reads
    it from a file.

    Parameters
    ----------
    table : str
        Name of the table, or what stands for one, as the dialect writes it:
        ``analytics.scores``, ``read_parquet('s3://…')``.
    label : str
        Column, or an expression of columns, as the dialect writes it: ``outcome``,
        ``"My label"``, ``visits > 3``.
    score : str, sequence of str, or mapping of str to str
        The same of the score: ``p``, ``1 - survival``. The greater, the more positive. Those of
        several models come as a list, or by name: the result has the column ``model`` then.
    dialect : {"duckdb", "postgres", "spark", "bigquery", "snowflake", "clickhouse", "sqlite"}
        Whose SQL it is.
    weight : str, optional
        Column or expression of weights, which are summed, as ``positive_weight`` and
        ``negative_weight``; rows are counted without.
    by : sequence of str, default=()
        Columns whose values are counted apart: the result has them in front. One called
        ``model`` is read as that of several scores is.
    where : str, optional
        Count the rows for which this condition holds.
    pos_label, neg_label : int, float, bool or str, default=1, 0
        The labels of either class; numbers are finite.
    bits : int, optional
        Count by ranges of scores instead, where distinct scores are too many: a score's sign,
        exponent and first `bits` bits of its fraction, 0 to 40, are its range; 12 tells scores
        apart that differ by 1 in 4,096. The result has ``score_low`` and ``score_high``, the
        least and the greatest score of each range, in place of ``score``.

    Returns
    -------
    str
        One statement. Its columns are those of `by`; ``model``, of several; ``score``, or
        ``score_low`` and ``score_high``; ``positives`` and ``negatives`` (or weights); and
        ``unusable``, the rows in neither class, whose weight is missing or negative, or whose score
        is an integer beyond 2**53 that float64 would round, or a text (SQLite; other engines refuse
        it themselves): what reads the result refuses it where any is not 0, as it does a missing
        score.

    Raises
    ------
    ValueError
        If something is not SQL of this dialect, or an option has no meaning.
    ImportError
        If sqlglot is not installed (``fastmetrics-eval[sql]``).

    Notes
    -----
    The statement is built as a tree and written by sqlglot in each dialect. One pass of the
    engine, one hash group a distinct score. Ranges are made by arithmetic that every engine has
    (``floor``, ``ln``, ``power``): with e = floor(ln |s| / ln 2), the number
    ``(e + 1100) * 2**bits + floor((|s| / 2**e - 1) * 2**bits)`` grows with |s| even where the
    logarithm is rounded across a power of two: the fraction is then -1 or 2**bits steps away,
    which is the same number. Nothing rests on it, though: ranges that overlap become one when
    the result is read.

    Sums of weights that are not whole depend on the engine's order of adding, in the last digits.

    Examples
    --------
    >>> print(counts_query("visits", "bought", "p", dialect="postgres"))  # doctest: +ELLIPSIS
    WITH scored AS (
    ...
    GROUP BY
      score
    ...
    """
    check_choice("dialect", dialect, get_args(Dialect))
    if bits is not None:
        bits = check_integer("bits", bits, low=0, high=_MOST_BITS)
    if pos_label == neg_label:
        raise InputError(f"`pos_label` and `neg_label` are the same: got {pos_label!r}")
    if isinstance(pos_label, str) != isinstance(neg_label, str):
        raise InputError(
            "`pos_label` and `neg_label` must both be texts, or neither: got "
            f"{pos_label!r} and {neg_label!r}"
        )
    sqlglot = require_sqlglot()
    exp = sqlglot.exp
    models = None if isinstance(score, str) else _models(score)
    columns = [_column(name, dialect, models is not None) for name in by]
    names = [column.name.lower() for column in columns]
    if len(set(names)) < len(names):
        raise InputError(f"`by` names a column more than once: got {list(by)!r}")
    filled = {"score": _expression("score", score, dialect)} if models is None else {}
    is_typed = dialect != "sqlite"  # there a value of any column may be a text
    forms = (_SCORE, _ROUNDED) if is_typed else (_SQLITE_SCORE, _SQLITE_ROUNDED)
    score_text, rounded = (template.format("") for template in forms)
    if models is not None:
        for k, (name, text) in enumerate(models.items()):
            filled[f"name{k}"] = exp.Literal.string(name)
            filled[f"score{k}"] = _expression("score", text, dialect)
        score_text, rounded = (
            f"CASE {_MODELS}.model_of_score "
            + " ".join(f"WHEN :name{k} THEN {template.format(k)}" for k in range(len(models)))
            + " END"
            for template in forms
        )
    weight_rule = "" if weight is None else "AND :weight >= 0"
    if weight is not None and not is_typed:
        weight_rule += " AND TYPEOF(:weight) <> 'text'"
    scored = exp.replace_placeholders(
        sqlglot.parse_one(_SCORED.format(score_text, f"{weight_rule} AND {rounded} = 0")),
        label=_expression("label", label, dialect),
        **filled,
        weight=_expression("weight", "1" if weight is None else weight, dialect),
        pos_label=_literal("pos_label", pos_label),
        neg_label=_literal("neg_label", neg_label),
    )
    inside = [column.copy() for column in columns]
    if models is not None:
        inside.append(exp.alias_(exp.column("model_of_score", _MODELS), "model"))
        columns.append(exp.column("model"))
    scored.set("expressions", inside + scored.expressions)
    scored = scored.from_(_table(table, dialect))
    if models is not None:
        scored = scored.join(_joined(list(models)), join_type="cross")
    if where is not None:
        scored = scored.where(_expression("where", where, dialect))
    template = _OF_SCORES if bits is None else _OF_RANGES
    statement = sqlglot.parse_one(template.format(_COUNTED if weight is None else _SUMMED))
    outside = [exp.Column(this=column.this.copy()) for column in columns]
    statement.set("expressions", outside + statement.expressions)
    statement = statement.group_by(*outside).with_("scored", scored)
    if bits is not None:
        steps = exp.Literal.number(2**bits)
        ranged = exp.replace_placeholders(sqlglot.parse_one(_RANGED), steps=steps)
        statement = statement.with_("ranged", ranged)
    statement = statement.order_by(*(str(position) for position in range(1, len(outside) + 2)))
    return str(statement.sql(dialect=dialect, pretty=True))


def require_sqlglot() -> Any:
    """Return the sqlglot module, or raise an ImportError that says how to get it."""
    advice = "statements are written by sqlglot, which is missing: "
    with importing(f"{advice}pip install 'fastmetrics-eval[sql]'"):
        import sqlglot
    return sqlglot


def _parsed(name: str, text: Any, dialect: str, before: str = "") -> Any:
    """Return the tree of one piece of SQL, or None of several or none."""
    sqlglot = require_sqlglot()
    try:
        statements = sqlglot.parse(before + text, dialect=dialect)
    except (sqlglot.errors.SqlglotError, TypeError, AttributeError) as error:
        raise InputError(f"`{name}` is no {dialect} SQL: got {text!r}") from error
    return statements[0] if len(statements) == 1 else None


def _expression(name: str, text: Any, dialect: str) -> Any:
    """Return an expression, in parentheses where it is more than a column or a number."""
    exp = require_sqlglot().exp
    expression = _parsed(name, text, dialect)
    if not isinstance(expression, exp.Condition) or isinstance(expression, exp.Query | exp.Alias):
        raise InputError(f"`{name}` must be a column or an expression: got {text!r}")
    is_atom = isinstance(expression, exp.Column | exp.Literal | exp.Paren)
    return expression if is_atom or name in ("score", "where") else exp.paren(expression)


def _column(text: Any, dialect: str, has_models: bool) -> Any:
    column = _parsed("by", text, dialect)
    if not isinstance(column, require_sqlglot().exp.Column):
        raise InputError(f"`by` must name columns: got {text!r}")
    if column.name.lower() in _TAKEN or (has_models and column.name.lower() == "model"):
        raise InputError(
            f"`by` names {text!r}, which is a name inside the statement: give the column another "
            "one in a view or a subquery, and pass that as `table`"
        )
    return column


def _table(text: Any, dialect: str) -> Any:
    """Return the FROM clause: a table, a table function, or a subquery."""
    statement = _parsed("table", text, dialect, before="SELECT * FROM ")
    given = {} if statement is None else statement.args
    clauses = {k: v for k, v in given.items() if v and k != "kind"}
    if not set(clauses) == {"expressions", "from_"}:
        raise InputError(f"`table` must be one table: got {text!r}")
    return statement.args["from_"].this


def _models(score: Any) -> dict[str, Any]:
    """Return the scores of several models by name."""
    if isinstance(score, Mapping):
        models = dict(score)
    elif isinstance(score, Sequence):
        models = {text: text for text in score}
        if len(models) < len(score):
            raise InputError(f"`score` names a score more than once: got {list(score)!r}")
    else:
        raise InputTypeError(f"`score` must be a text, or several: got {type(score).__qualname__}")
    if not models or not all(isinstance(name, str) for name in models):
        raise InputError(f"`score` must have a text for each model: got {score!r}")
    return models


def _joined(names: Sequence[str]) -> Any:
    """Return a table of the names of models, one a row."""
    exp = require_sqlglot().exp
    rows = [exp.select(exp.alias_(exp.Literal.string(n), "model_of_score")) for n in names]
    table = rows[0] if len(rows) == 1 else exp.union(*rows, distinct=False)
    return table.subquery(_MODELS)


def _literal(name: str, value: Any) -> Any:
    """Return a label as SQL: a number, TRUE or FALSE, or a text."""
    is_label = isinstance(value, bool | int | str) or (
        isinstance(value, float) and math.isfinite(value)
    )
    if not is_label:
        raise InputError(f"`{name}` must be a finite number, a boolean or a text: got {value!r}")
    return require_sqlglot().exp.convert(value)


# --- its result ----------------------------------------------------------------------------------

_COUNTS: Final = ("positives", "negatives")
_WEIGHTS: Final = ("positive_weight", "negative_weight")


#: Least and greatest score of each range, and how many positives and negatives lie in it, as
#: `ScoreRanges` takes them. Ranges are in the order of the files, and may overlap or repeat: counts
#: add up. Sums of weights are float64, whole or not.
_Counts = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def read_counts(
    paths: Iterable[str | os.PathLike[str]],
    *,
    where: str | None = None,
    progress: Progress | None = None,
) -> dict[str, _Counts]:
    """Read the result of the statement of `counts_query`, its columns in upper or lower case.

    Counts come by model; without that column of one, called "score". A FileError says that rows of
    the database were in neither class, a count is no number, or some files alone name models.
    """
    headers = column_names(paths, "positives")
    files = list(headers)
    spelt = [{name.lower(): name for name in header} for header in headers.values()]
    names = spelt[0]
    for path, other in zip(files, spelt, strict=True):
        if ("model" in other) != ("model" in names):
            raise FileError(
                f"{files[0]} and {path}: one of them has the column 'model', which the other lacks"
            )
    ends = ("score_low", "score_high") if "score_low" in names else ("score",)
    is_weighted = "positive_weight" in names
    classes = _WEIGHTS if is_weighted else _COUNTS
    wanted = [*classes, *ends, *(["unusable"] if "unusable" in names else [])]
    if "model" in names:
        wanted.insert(0, "model")
    spelled = [names.get(name, name) for name in wanted]
    # The first column is read as labels are: texts, or numbers; whole ones whatever their type.
    read = read_columns(
        files, spelled[0], spelled[1:], where=where, progress=progress, many_labels=True
    )
    columns: dict[str, Any] = dict(
        zip(wanted, (read.labels, *map(read.scores.get, spelled[1:])), strict=True)
    )
    models = columns.pop("model", None)
    if isinstance(columns[classes[0]], TextColumn):
        raise FileError(f"{files[0]}: column {spelled[0]!r} must hold numbers, not texts")
    unusable = columns.get("unusable")
    if unusable is not None and unusable.any():
        raise FileError(
            f"{files[0]}: {int(unusable.sum()):,} rows of the database have a label of neither "
            "class, a weight that is missing or negative, or a score that is a text or an integer "
            "which float64 would round (column 'unusable'): name both labels, or leave the rows "
            "out with a condition, when the statement is made"
        )
    counts = [
        columns[name].astype(np.float64) if is_weighted else columns[name] for name in classes
    ]
    whole = (columns[ends[0]], columns[ends[-1]], counts[0], counts[1])
    return {"score": whole} if models is None else _by_model(whole, models)


def _by_model(whole: _Counts, models: NDArray[Any] | TextColumn) -> dict[str, _Counts]:
    """Return the counts of each model: texts as the files name them, numbers ascending."""
    if isinstance(models, TextColumn):
        codes = models.codes
        names = models.values
    else:
        numbers, codes = np.unique(models, return_inverse=True)
        names = tuple(map(str, numbers.tolist()))
    order = np.argsort(codes, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    low, high, positives, negatives = whole
    return {
        name: (low[at], high[at], positives[at], negatives[at])
        for name, at in zip(names, rows, strict=True)
    }
