"""Looks at one set of data, counted in a file of JSON lines."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.containers import as_array
from fastmetrics._input.scalars import check_same_length
from fastmetrics.errors import FileError, InputError

if TYPE_CHECKING:
    from fastmetrics._report.gate.gate_result import Gate


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
