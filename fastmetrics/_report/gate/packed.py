"""Files of a gate: looks at data, counted in JSON lines; the scores of a release, by ``pack``."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastmetrics._files import File, writing
from fastmetrics._input.containers import as_array
from fastmetrics._input.models import named_scores
from fastmetrics._input.scalars import check_same_length
from fastmetrics._report.versions import version_of
from fastmetrics.errors import FileError, InputError, importing

if TYPE_CHECKING:
    from fastmetrics._report.gate.gate_result import Gate

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
    versions = {name: version_of(name) for name in ("fastmetrics-eval", "numpy", "numba")}
    said = {"data": own, "models": [model.name for model in models], "versions": versions}
    with writing(file) as stream:
        parquet.write_table(table.replace_schema_metadata({KEY: json.dumps(said)}), stream)
    return own


def _plain(column: NDArray[Any]) -> Any:
    return column.tolist() if column.dtype.kind in "OU" else np.ascontiguousarray(column)


def said_of(path: str) -> dict[str, Any]:
    """Return what a Parquet file says of itself, with its columns; {} if not by `pack`."""
    _, parquet = _arrow()
    try:
        schema = parquet.read_schema(path)
        found = (schema.metadata or {}).get(KEY)
        return {} if found is None else {**json.loads(found), "columns": schema.names}
    except (ValueError, TypeError) as error:
        raise FileError(f"{path}: what it says of itself cannot be read: {error}") from None


def _arrow() -> tuple[Any, Any]:
    with importing("Parquet files need pyarrow: pip install 'fastmetrics-eval[io]'"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow, pyarrow.parquet


# --- which data these are, and how often they were looked at ------------------------------------


def hash_of(labels: NDArray[Any], ids: Any = None) -> str:
    """Return 16 hexadecimal digits that say which labels these are, of which ids.

    With ids, each its own, the order of rows does not matter.
    """
    if ids is None:
        return _digest([labels])
    names = as_array(ids, "ids")
    check_same_length(y_true=labels, ids=names)
    order = np.argsort(names, kind="stable")
    names = names[order]
    twice = np.flatnonzero(names[1:] == names[:-1])
    if len(twice):
        raise InputError(f"`ids` must differ: {names[twice[0]]!r} is there more than once")
    return _digest([names, labels[order]])


def _digest(columns: list[NDArray[Any]]) -> str:
    found = hashlib.sha256()
    for column in columns:
        if column.dtype.kind in "biuf":
            # As doubles, whatever they are kept as; whole numbers beyond those as they are.
            wide = column.dtype.kind in "iu" and column.dtype.itemsize == 8
            kept = column.astype("<i8" if wide and column.dtype.kind == "i" else "<f8")
            if kept.dtype.kind == "i" and (np.abs(kept) < 1 << 53).all():
                kept = kept.astype("<f8")
            found.update(np.ascontiguousarray(kept).tobytes())
        else:
            found.update("\0".join(map(str, column.tolist())).encode())
        found.update(b"\1")
    return found.hexdigest()[:16]


@dataclass(frozen=True)
class Ledger:
    """A file of looks, and the how-manieth this is at these data."""

    path: str
    data_hash: str
    look: int

    @classmethod
    def opened(cls, path: str | PathLike[str] | None, data_hash: str) -> Ledger | None:
        """Return the ledger with the looks that it has counted; None without a path."""
        if path is None:
            return None
        name = os.fspath(path)
        before = 0
        if os.path.exists(name):
            with open(name, encoding="utf-8") as file:
                for number, line in enumerate(file, start=1):
                    try:
                        before += json.loads(line)["data"] == data_hash
                    except (ValueError, KeyError, TypeError):
                        raise FileError(
                            f"{name}: line {number} is no look of a ledger: nothing was counted"
                        ) from None
        return cls(name, data_hash, before + 1)

    def write(self, gate: Gate) -> None:
        """Add this look, on the disk before anybody is told."""
        line = {
            "data": self.data_hash,
            "look": self.look,
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "candidate": gate.candidate,
            "baselines": list(gate.baselines),
            "margins": {rule.metric: rule.margin for rule in gate.rules if not rule.slice},
            "confidence_level": gate.confidence_level,
            "verdict": gate.verdict,
        }
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
