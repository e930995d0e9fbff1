"""Base of results: a one-line repr, tables, a data frame, a plain dictionary."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Number
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from fastmetrics._display import Display, Shown, Table
from fastmetrics._number_text import Limits, is_bound, value_text

Each = TypeVar("Each")


def _plain(value: Any) -> Any:
    """Return ``value`` as built-in Python objects, so that it can be written as JSON."""
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, float):
        return float(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def plain_fields(result: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return these fields as built-in Python objects, after a p-value whether it is a bound."""
    fields: dict[str, Any] = {}
    for name in names:
        value = getattr(result, name)
        fields[name] = _plain(value)
        if is_bound(value) is not None:
            fields[f"{name}_is_bound"] = is_bound(value)
    return fields


def equals(value: Any) -> str:
    """Return the sign between a name and its number: "<=" if it is only a bound."""
    return "<=" if is_bound(value) else "="


def _short(value: Any) -> str:
    """Return one field for the one-line repr, after its name."""
    if isinstance(value, float):
        return f"{equals(value)}{value:.6g}"
    if isinstance(value, np.ndarray):
        return f"=<{value.dtype} array of shape {value.shape}>"
    return f"={value!r}"


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


def _result(cls: type[Result], values: Sequence[Any], are_frozen: Sequence[bool]) -> Result:
    """Return a result of these fields, which its class has checked before."""
    result = object.__new__(cls)
    fields = dataclasses.fields(cls)  # type: ignore[arg-type]
    for field, value, is_frozen in zip(fields, values, are_frozen, strict=True):
        if is_frozen and isinstance(value, dict):
            value = MappingProxyType(value)
        elif is_frozen:
            value.flags.writeable = False
        object.__setattr__(result, field.name, value)
    return result


class Result(Shown):
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
        """Travel as fields: pickle takes no mappingproxy, and forgets that arrays are read-only."""
        fields = [getattr(self, field.name) for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        are_frozen = [
            not value.flags.writeable
            if isinstance(value, np.ndarray)
            else isinstance(value, MappingProxyType)
            for value in fields
        ]
        values = [dict(v) if isinstance(v, MappingProxyType) else v for v in fields]
        return _result, (type(self), values, are_frozen)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary of built-in Python objects.

        Returns
        -------
        dict
            Field name to value; nested results become dictionaries, arrays become lists. Of a
            p-value of replicates "…_is_bound" says whether it is but a bound.
        """
        return plain_fields(self, (field.name for field in dataclasses.fields(self)))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        inside = ", ".join(f"{f.name}{_short(getattr(self, f.name))}" for f in fields if f.repr)
        return f"{type(self).__name__}({inside})"

    def _display(self) -> Display:
        """Return the display: by default the fields, those of equal length as columns."""
        return Display(_tables(self), type(self).__name__)


def _tables(result: Result) -> list[Table]:
    """Return tables of the fields: columns of one length, single values, what is inside."""
    fields = dataclasses.fields(result)  # type: ignore[arg-type]
    values = {each.name: getattr(result, each.name) for each in fields if each.repr}
    level = values.get("confidence_level")
    n = _rows(values.values())
    columns = dict[str, Any]()
    record = dict[str, Any]()
    inside = list[Table]()
    for name, value in values.items():
        if n > 1 and _is_column(value) and len(value) == n:
            columns[name] = value
            continue
        tables = _inside(value, level)
        inside += [dataclasses.replace(each, caption=name.replace("_", " ")) for each in tables]
        if not tables:
            record[name] = value
    tables = [Table(columns, level=level)] if columns else []
    if record:
        tables.append(Table.record(record, level=level, framed=not columns))
    first, *others = [*tables, *inside] or [Table.record({})]
    return [first, *(dataclasses.replace(each, framed=False) for each in others)]


def _inside(value: Any, level: float | None) -> list[Table]:
    """Return tables of a field that is a result, several ones, or numbers by name; else none."""
    if isinstance(value, Shown) and not isinstance(value, Limits):
        return [*value._display().tables]
    if isinstance(value, Mapping):
        columns = {"metric": [*value], "value": [*value.values()]}
        return [Table(columns, words={"metric": "name"})] if value else []
    return [Table(_fields(value), level=level)] if _is_many(value) else []


def _is_many(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and bool(value)
        and isinstance(value[0], Result)
        and not isinstance(value[0], Limits)
    )


def _fields(results: Sequence[Result]) -> dict[str, list[Any]]:
    """Return the columns of results of one class: their fields, those with tables apart."""
    columns = {
        each.name: [getattr(result, each.name) for result in results]
        for each in dataclasses.fields(results[0])  # type: ignore[arg-type]
        if each.repr
    }
    return {k: v for k, v in columns.items() if not any(_inside(each, None) for each in v)}


def _is_column(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, tuple | list) and all(
        isinstance(each, str | Number | Limits) for each in value
    )


def _rows(values: Iterable[Any]) -> int:
    """Return the length that several columns share, one of numbers among them; 0 without."""
    columns = [value for value in values if _is_column(value) and len(value)]
    lengths = [len(column) for column in columns]
    shared = [
        len(column)
        for column in columns
        if lengths.count(len(column)) > 1 and not isinstance(column[0], str)
    ]
    return max(shared, default=0)


class OwnArrays:
    """Base of results whose arrays are their own, and read-only from then on."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False


class Several(Generic[Each], Result):
    """Base of results that are several ones above all, in the one field that holds them."""

    __slots__ = ()
    _rows: ClassVar[str] = "rows"

    def __iter__(self) -> Iterator[Each]:
        return iter(getattr(self, self._rows))

    def __len__(self) -> int:
        return len(getattr(self, self._rows))


class OneNumber(Result):
    """Base of results that are one number above all: ``float(result)`` is that number."""

    __slots__ = ()
    _number: ClassVar[str] = "estimate"

    def __float__(self) -> float:
        return float(getattr(self, self._number))

    def __rmul__(self, sign: float) -> float:
        """Return a number times this one: scorers of scikit-learn multiply by their sign."""
        return sign * float(self)


class Between(Result, Limits):
    """Base of results that are two limits, `low` and `high`, which are read within a line."""

    __slots__ = ()
    low: float
    high: float

    def __str__(self) -> str:
        """Return the two in brackets."""
        return value_text(self).replace("\N{NO-BREAK SPACE}", " ")

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ConfidenceInterval(Between):
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

    def __getitem__(self, index: int) -> float:
        return (self.low, self.high)[index]

    def __len__(self) -> int:
        return 2
