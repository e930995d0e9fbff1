"""Arguments that name columns of `data`, a data frame, in calls of `evaluate`, `estimate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from fastmetrics._input.containers import column_names, has_names, key_name, key_names
from fastmetrics.errors import InputError, InputKeyError, InputTypeError, importing, no_such

#: From an argument and a name, or a list of names, to a column or a frame of these columns.
Take = Callable[[str, Any], Any]


@importing("reading `data` needs pyarrow: pip install 'fastmetrics-eval[io]'")
def take_columns(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call without `data`, columns of that frame in place of names.

    The named columns are read at once: a stream can be read only once, and a query that runs twice
    may return its rows in another order.
    """
    given = dict(arguments)
    given |= given.pop("of_evaluate", {})
    labels, read = _open_frame(given.pop("data"))
    known: dict[str, list[Any]] = {}
    for label in labels:
        known.setdefault(key_name(label), []).append(label)
    named = dict[str, Any]()

    def find(argument: str, names: Any) -> None:
        for name in key_names([names] if isinstance(names, str) else names, argument, "columns"):
            if name not in known:
                error = no_such(name, "columns of `data`", known)
                raise InputKeyError(f"`{argument}` names {error}")
            key_names(known[name], "data", "columns")
            (named[name],) = known[name]

    def take(_: str, names: Any) -> Any:
        if isinstance(names, str):
            return frame.get_column(named[key_name(names)]).to_native()
        return frame.select([named[key_name(name)] for name in names]).to_native()

    _replace_names(given, find)
    if not named:
        raise InputError("`data` is given, and no argument names one of its columns")
    frame = read(list(named.values()))
    return _replace_names(given, take)


def _open_frame(data: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """Return the names of the columns, and a function that reads some into a narwhals frame.

    Lazy frames and queries select them; a stream is read in batches, without its other columns.
    """
    import narwhals as nw

    try:
        frame: Any = nw.from_native(data)
    except TypeError:
        return _open_stream(data)
    except nw.exceptions.DuplicateError:  # pandas or Arrow; columns that are not used may repeat
        select = data.select if hasattr(data, "select") else data.__getitem__
        return column_names(data), lambda labels: nw.from_native(select(labels))
    if isinstance(frame, nw.DataFrame):
        return frame.columns, lambda _: frame
    # The schema of a query of DuckDB has a name once that two of its columns have.
    names = column_names(data) if has_names(data) else frame.collect_schema().names()
    return names, lambda labels: frame.select(labels).collect()


def _open_stream(data: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    import narwhals as nw
    import pyarrow as pa

    try:
        reader = pa.RecordBatchReader.from_stream(data)
    except (TypeError, pa.ArrowInvalid):  # the latter for the stream of one column
        raise InputTypeError(
            "`data` must be a data frame (pandas, polars, Arrow, a DuckDB relation, or an object "
            f"with `__arrow_c_stream__`): got {type(data).__name__}"
        ) from None

    def read(labels: list[Any]) -> Any:
        schema = pa.schema([reader.schema.field(label) for label in labels])
        batches = [batch.select(labels) for batch in reader]
        return nw.from_native(pa.Table.from_batches(batches, schema))

    return reader.schema.names, read


def _replace_names(arguments: Mapping[str, Any], take: Take) -> dict[str, Any]:
    return {
        name: _KINDS[name](name, value, take) if name in _KINDS else value
        for name, value in arguments.items()
    }


def _one_column(argument: str, value: Any, take: Take) -> Any:
    """Replace the name of a column; a list of texts is a list of values."""
    return take(argument, value) if isinstance(value, str) else value


def _columns(argument: str, value: Any, take: Take) -> Any:
    """Replace the name of a column, or a list of names by a frame of these columns."""
    if isinstance(value, Mapping):
        return {key: _columns(f"{argument}[{key!r}]", each, take) for key, each in value.items()}
    is_named = isinstance(value, str) or _are_names(value)
    return take(argument, value) if is_named else value


def _columns_by_name(argument: str, value: Any, take: Take) -> Any:
    """Replace one name or a list of names by a mapping from each name to its column."""
    names = [value] if isinstance(value, str) else value
    if not _are_names(names):
        return _columns(argument, value, take)
    columns = [take(argument, name) for name in names]
    return dict(zip(key_names(names, argument, "columns"), columns, strict=True))


def _are_names(value: Any) -> bool:
    is_list = isinstance(value, list | tuple) and len(value) > 0
    return is_list and all(isinstance(each, str) for each in value)


_VECTORS: Final = "sample_weight groups strata query event cost_fn cost_fp ids".split()
#: Arguments that may name columns, each with the function that replaces the names.
_KINDS: Final[dict[str, Callable[[str, Any, Take], Any]]] = {
    "y_true": _columns,
    "y_score": _columns,
    "scores": _columns_by_name,
    "slices": _columns_by_name,
    **dict.fromkeys(_VECTORS, _one_column),
}
