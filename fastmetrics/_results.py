"""What results have in common: a one-line repr, an HTML table, a plain dictionary."""

from __future__ import annotations

import dataclasses
import html
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def _plain(value: Any) -> Any:
    """Return ``value`` as built-in Python objects, so that it can be written as JSON."""
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _short(value: Any) -> str:
    """Return one field for the one-line repr."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} array of shape {value.shape}>"
    return repr(value)


def html_row(tag: str, cells: Iterable[str], first: str = "") -> str:
    """Return a row of cells of one tag, the first of which may have another."""
    tags = itertools.chain([first or tag], itertools.repeat(tag))
    inside = (f"<{tag}>{html.escape(cell)}</{tag}>" for cell, tag in zip(cells, tags, strict=False))
    return f"<tr>{''.join(inside)}</tr>"


def html_table(
    heads: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    caption: str | None = None,
    row_heads: bool = False,
) -> str:
    """Return a table of texts; ``row_heads`` makes heads of the first column too."""
    heads = tuple(heads)
    head = html_row("th", heads) if heads else ""
    body = "".join(html_row("td", row, "th" if row_heads else "td") for row in rows)
    if caption is None:
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f"<table><caption>{html.escape(caption)}</caption>{head}{body}</table>"


class Result:
    """Base of every frozen result dataclass."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Field name to value; nested results become dictionaries, arrays become lists.
        """
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: _plain(getattr(self, field.name)) for field in fields}

    def __repr__(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        inside = ", ".join(f"{f.name}={_short(getattr(self, f.name))}" for f in fields if f.repr)
        return f"{type(self).__name__}({inside})"

    def _repr_html_(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        rows = [(f.name, _short(getattr(self, f.name))) for f in fields if f.repr]
        return html_table((), rows, caption=type(self).__name__, row_heads=True)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ConfidenceInterval(Result):
    """The two limits of a confidence interval (scipy's names).

    Attributes
    ----------
    low, high : float
        Lower and upper limit; nan where the interval is undefined.

    Examples
    --------
    >>> ConfidenceInterval(0.7, 0.9)
    ConfidenceInterval(low=0.7, high=0.9)
    """

    low: float
    high: float
