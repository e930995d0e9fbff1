"""How columns cut rows into slices: which there are, which are too small, which are the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._input.classes import check_class_labels
from fastmetrics._input.containers import by_names
from fastmetrics._input.scalars import check_same_length

Part = NDArray[np.int64]
#: Columns and their values.
Conditions = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Cut:
    """The slices that the values of some columns make, each row in one of them.

    ``large`` are the places of those that have enough rows, and not the very rows of another one.
    """

    conditions: list[Conditions]
    parts: list[Part]
    large: list[int]


@dataclass
class Cuts:
    """All cuts, the names of slices too small, and of those that have the rows of another one."""

    all: list[Cut] = field(default_factory=list)
    small: list[str] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)
    shared: list[str] = field(default_factory=list)

    @property
    def n_slices(self) -> int:
        """How many slices are judged."""
        return sum(len(cut.large) for cut in self.all)


def named(conditions: Conditions) -> str:
    """Return what a slice is called."""
    return " & ".join(f"{column}={value}" for column, value in conditions)


def cuts_of(
    slices: Mapping[str, Any],
    kept: Part,
    n: int,
    min_n: int,
    intersections: int,
    groups: NDArray[np.int64] | None,
) -> Cuts:
    """Return the slices of each column, and of several; ``kept`` of n rows weigh something."""
    columns = {}
    found = Cuts()
    for column, values in by_names(slices, "slices", "columns").items():
        labels = check_class_labels(values, f"slices[{column!r}]")
        if len(labels.codes) < len(kept) or (len(kept) and kept[-1] >= len(labels.codes)):
            check_same_length(**{"y_true": np.empty(n), f"slices[{column!r}]": labels.codes})
        codes, classes = labels.codes[kept], np.asarray(labels.classes).tolist()
        columns[column] = codes, [(column, value) for value in classes]
        if groups is not None:
            first = np.empty(int(groups.max(initial=0)) + 1, np.int64)
            first[groups] = codes
            if (first[groups] != codes).any():  # a group has rows in several slices
                found.shared.append(column)
    seen: dict[bytes, str] = {}
    for how_many in range(1, min(intersections, len(columns)) + 1):
        for chosen in combinations(columns.values(), how_many):
            parts = [each for each in _parts_of(chosen) if len(each[1])]
            large = []
            for place, (conditions, part) in enumerate(parts):
                name = named(conditions)
                if len(part) < min_n:
                    found.small.append(name)
                elif (kept_as := seen.setdefault(part.tobytes(), name)) != name:
                    found.same[name] = kept_as
                else:
                    large.append(place)
            found.all.append(Cut([c for c, _ in parts], [part for _, part in parts], large))
    return found


def _parts_of(
    columns: Sequence[tuple[NDArray[np.int64], list[tuple[str, Any]]]],
) -> Iterable[tuple[Conditions, Part]]:
    """Return the conditions and the rows of each combination of values that there is."""
    codes, _ = columns[0]
    for more, others in columns[1:]:
        codes = codes * len(others) + more
    order = np.argsort(codes, kind="stable")
    conditions = product(*(values for _, values in columns))
    n_slices = int(np.prod([len(values) for _, values in columns]))
    ends = np.cumsum(np.bincount(codes, minlength=n_slices))
    return zip(conditions, np.split(order, ends[:-1]), strict=True)
