"""``Table`` and ``Display``: what a result shows, before anybody draws it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

#: What columns and measures are called for readers; others by their names, without underscores.
_WORDS: Final = {
    "n_failed": "failed",
    "n_negative": "n−",
    "n_positive": "n+",
    "pvalue": "p",
    "pvalue_holm": "p (Holm)",
    "pvalue_max_t": "p (max-T)",
    "roc_auc": "AUC",
}


class Limits:
    """Base of what has limits `low` and `high`: one cell for readers, two columns of a frame."""

    __slots__ = ()
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of values as they are: whoever draws them decides on digits.

    Attributes
    ----------
    columns : mapping of str to sequence
        As many values each. Some names mean something: a "confidence_interval" is of "estimate" or
        "difference"; each "metric" has digits of its own; a "model" less a "minus_model" is one
        cell; "pvalue" and "threshold" are written as such.
    caption : str
        Above the table.
    words : mapping of str to str
        What readers call columns, and the texts of the first one.
    level : float or None
        Confidence level of the intervals.
    across : str
        A column whose values are heads: a row for each value of the first column, none cut.
    is_record : bool
        Whether there is one row, to be read downwards: a name and a value a line.
    most : int
        More rows than that are cut, and counted.
    unseen : tuple of str
        Columns for the data frame alone.
    framed : bool
        Whether the rows are part of the data frame.
    """

    columns: Mapping[str, Any]
    caption: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    level: float | None = None
    across: str = ""
    is_record: bool = False
    most: int = 30
    unseen: tuple[str, ...] = ()
    framed: bool = True

    @classmethod
    def record(cls, values: Mapping[str, Any], **options: Any) -> Table:
        """Return a table of single values."""
        return cls({name: (value,) for name, value in values.items()}, is_record=True, **options)

    @classmethod
    def of(cls, items: Iterable[Any], names: Iterable[str], **options: Any) -> Table:
        """Return a table with a row for each object, of these attributes."""
        items = tuple(items)
        return cls({name: [getattr(item, name) for item in items] for name in names}, **options)

    @classmethod
    def of_pairs(cls, pairs: Iterable[Any], names: Iterable[str], **options: Any) -> Table:
        """Return a table with a row for each pair of models, by measure where pairs name one."""
        pairs = tuple(pairs)
        of = {"model": "model_a", "minus_model": "model_b", "estimate": "difference"}
        of |= {name: name for name in names}
        if all(hasattr(pair, "metric") for pair in pairs):
            of = {"metric": "metric"} | of
        values = cls.of(pairs, of.values()).columns
        return cls({name: values[attribute] for name, attribute in of.items()}, **options)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def head(self, name: str) -> str:
        """Return what readers call a column."""
        return self.words.get(name, _WORDS.get(name, name.replace("_", " ")))

    def owner(self) -> str:
        """Return the column that the confidence intervals are of; empty if there are none."""
        known = [name for name in ("estimate", "difference") if name in self.columns]
        return known[0] if known and "confidence_interval" in self.columns else ""


@dataclass(frozen=True, slots=True)
class Display:
    """What a result shows: a title, tables, and notes; code in notes stands between backticks.

    ``frame`` has the tables of the data frame, where these are others.
    """

    tables: Sequence[Table]
    title: str = ""
    notes: Sequence[str] = ()
    frame: Sequence[Table] | None = None
