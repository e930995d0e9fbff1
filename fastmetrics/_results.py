"""What results have in common: a one-line repr, an HTML table, a plain dictionary."""

from __future__ import annotations

import dataclasses
import html
import itertools
from collections.abc import Iterable, Iterator, Mapping
from numbers import Number
from types import MappingProxyType
from typing import Any, ClassVar, Self

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


def same(left: Any, right: Any) -> bool:
    """Return whether two values are equal: nan equals nan, arrays are compared by content."""
    if left is right:
        return True
    if isinstance(left, np.ndarray):
        if not isinstance(right, np.ndarray) or left.dtype != right.dtype:
            return False
        return np.array_equal(left, right, equal_nan=left.dtype.kind in "fc")
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, tuple | list):
        is_kin = type(left) is type(right) and len(left) == len(right)
        return is_kin and all(map(same, left, right))
    if dataclasses.is_dataclass(left):
        names = [field.name for field in dataclasses.fields(left) if field.compare]
        return type(left) is type(right) and all(
            same(getattr(left, name), getattr(right, name)) for name in names
        )
    return bool(left == right) or bool(left != left and right != right)


class _ReadOnly:
    """A read-only mapping or array under way: pickle takes no mappingproxy and forgets flags."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        is_array = isinstance(self.value, np.ndarray)
        return _read_only, (self.value if is_array else dict(self.value),)

    @classmethod
    def wrapped(cls, value: Any) -> Any:
        """Return the value, in this class if it would lose by being pickled."""
        is_array = isinstance(value, np.ndarray) and not value.flags.writeable
        return cls(value) if is_array or isinstance(value, MappingProxyType) else value


def _read_only(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingProxyType(value)
    value.flags.writeable = False
    return value


def _result(cls: type[Result], *values: Any) -> Result:
    """Return a result of these fields, which its class has judged before."""
    result = object.__new__(cls)
    for field, value in zip(dataclasses.fields(cls), values, strict=True):  # type: ignore[arg-type]
        object.__setattr__(result, field.name, value)
    return result


class Result:
    """Base of every frozen result dataclass."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        # Else `dataclass` makes its own: there arrays are ambiguous, and nan differs from nan.
        if "__eq__" not in vars(cls):
            cls.__eq__ = Result.__eq__  # type: ignore[method-assign]
            cls.__hash__ = Result.__hash__  # type: ignore[method-assign]

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        """Hash numbers and texts: arrays and mappings have no hash, nan has many."""
        fields = [field for field in dataclasses.fields(self) if field.compare]  # type: ignore[arg-type]
        values = [getattr(self, field.name) for field in fields]
        plain = [each for each in values if isinstance(each, str | Number) and each == each]
        return hash((type(self), *plain))

    def __copy__(self) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        values = (getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        return _result, (type(self), *map(_ReadOnly.wrapped, values))

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


class OneNumber(Result):
    """Base of results that are one number above all: ``float(result)`` is that number."""

    __slots__ = ()
    _number: ClassVar[str] = "estimate"

    def __float__(self) -> float:
        return float(getattr(self, self._number))

    def __rmul__(self, sign: float) -> float:
        """Return a number times this one: scorers of scikit-learn multiply by their sign."""
        return sign * float(self)


class Difference(OneNumber):
    """Base of results that are a difference above all, which is their `estimate` too."""

    __slots__ = ()
    _number = "difference"
    difference: float

    @property
    def estimate(self) -> float:
        """The difference, by the name that every result with an interval has."""
        return self.difference


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
    >>> low, high = ConfidenceInterval(0.7, 0.9)
    >>> high
    0.9
    """

    low: float
    high: float

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __getitem__(self, index: int) -> float:
        return (self.low, self.high)[index]

    def __len__(self) -> int:
        return 2
