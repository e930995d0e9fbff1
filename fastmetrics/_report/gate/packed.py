"""``pack``: the scores of a release in one Parquet file, to compare later ones with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._files import File, writing
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import named_scores
from fastmetrics._input.scalars import check_same_length
from fastmetrics._report.gate._ledger import hash_of
from fastmetrics.errors import FileError, InputError

#: The key of what a packed file says of itself.
KEY: Final = b"fastmetrics"


def pack(
    file: File,
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike] | ArrayLike,
    *,
    ids: ArrayLike,
    columns: Mapping[str, ArrayLike] | None = None,
) -> str:
    """Write labels, scores, ids and other columns to a Parquet file: a baseline for `gate`.

    Parameters
    ----------
    file : str, path or binary file
        Where to; written whole or not at all.
    y_true : array-like of shape (n_samples,)
        Labels, or numbers: the column "label".
    scores : mapping of str to array-like of shape (n_samples,), or data frame
        Each model's scores by its name.
    ids : array-like of shape (n_samples,)
        Of rows, each its own: the column "id".
    columns : mapping of str to array-like of shape (n_samples,), optional
        Others to keep: slices, groups.

    Returns
    -------
    str
        The hash of ids and labels, which the file carries, with the versions that wrote it.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, an id is there twice, or two columns have one name.
    ImportError
        If pyarrow is not installed.

    Notes
    -----
    O(n log n) time, as ids are put in order for the hash; texts are kept as texts.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     pack(file, [0, 1, 1], {"score": [0.2, 0.7, 0.4]}, ids=[11, 12, 13])
    '...'
    """
    labels = as_array(y_true, "y_true")
    models = named_scores(scores, None)
    found: dict[str, NDArray[Any]] = {"id": as_array(ids, "ids"), "label": labels}
    others = {model.name: (model.values, model.argument) for model in models}
    for name, values in (columns or {}).items():
        if name in others:
            raise InputError(f"`columns` has {name!r}, which is a model of `scores`: rename one")
        others[name] = values, f"columns[{name!r}]"
    for name, (values, argument) in others.items():
        if name in found:
            raise InputError(f"{name!r} is what `pack` calls a column of its own: rename it")
        found[name] = as_array(values, argument)
        check_same_length(**{"y_true": labels, argument: found[name]})
    own = hash_of(labels, found["id"])
    arrow, parquet = _arrow()
    table = arrow.table({name: arrow.array(_plain(each)) for name, each in found.items()})
    said = {"data": own, "models": [model.name for model in models], "versions": _versions()}
    with writing(file) as stream:
        parquet.write_table(table.replace_schema_metadata({KEY: json.dumps(said)}), stream)
    return own


def _plain(column: NDArray[Any]) -> Any:
    return column.tolist() if column.dtype.kind in "OU" else np.ascontiguousarray(column)


def said_of(path: str) -> dict[str, Any]:
    """Return what a Parquet file says of itself; nothing where `pack` did not write it."""
    _, parquet = _arrow()
    try:
        found = (parquet.read_schema(path).metadata or {}).get(KEY)
        return {} if found is None else dict(json.loads(found))
    except (ValueError, TypeError) as error:
        raise FileError(f"{path}: what it says of itself cannot be read: {error}") from None


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow: pip install 'fastmetrics-eval[io]'"
        ) from None
    return pyarrow, pyarrow.parquet


def _versions() -> dict[str, str]:
    from importlib import metadata

    names = ("fastmetrics-eval", "numpy", "numba")
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found
