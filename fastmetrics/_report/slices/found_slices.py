"""``FoundSlices``: slices that looked bad on one half of the rows, and what the other half says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.numbers import with_limits
from fastmetrics._display.table import Display, Table
from fastmetrics._input.containers import as_array
from fastmetrics._results import ConfidenceInterval, OneNumber, Several

#: Slices that a sentence names.
_SAID: Final = 3


@dataclass(frozen=True, slots=True, repr=False)
class FoundSlice(OneNumber):
    """A slice that a search found, and how much greater the loss is there on held-back rows.

    Attributes
    ----------
    slice : str
        Its conditions in words.
    conditions : tuple of (str, str, object)
        Column, sign ("=", "<=" or ">") and value: a row of the slice meets all of them.
    estimate : float
        The mean loss in the slice less that of the other rows, on the rows held back.
    confidence_interval : ConfidenceInterval
        Its lower limit, of this slice alone; the upper one is infinite.
    standard_error, df : float
        Of the difference, and the degrees of freedom.
    pvalue : float
        Of "the loss is not greater in the slice".
    pvalue_holm : float
        The same, adjusted for all slices that were tested.
    is_confirmed : bool
        Whether the adjusted p says that the loss is greater there.
    mean_inside, mean_outside : float
        Mean losses on the rows held back.
    estimate_of_search : float
        The difference on the rows searched: too great, as it was chosen for that.
    n_search, n_confirm : int
        Rows of the slice among those searched, and among those held back.
    """

    slice: str
    conditions: tuple[tuple[str, str, Any], ...]
    estimate: float
    confidence_interval: ConfidenceInterval
    standard_error: float
    df: float
    pvalue: float
    pvalue_holm: float
    is_confirmed: bool
    mean_inside: float
    mean_outside: float
    estimate_of_search: float
    n_search: int
    n_confirm: int

    def contains(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows are of the slice.

        Parameters
        ----------
        X : data frame or mapping of str to array-like
            With the columns of the conditions; the rows may be new.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
        """
        columns: Mapping[str, Any] = {
            column: as_array(X[column], f"X[{column!r}]") for column, _, _ in self.conditions
        }
        met = [meets(columns[name], sign, value) for name, sign, value in self.conditions]
        return np.asarray(np.logical_and.reduce(met), np.bool_)


def meets(column: NDArray[Any], sign: str, value: Any) -> NDArray[np.bool_]:
    """Return which rows of a column meet a condition."""
    if sign == "=":
        return np.asarray(column == value, np.bool_)
    return np.asarray(column <= value if sign == "<=" else column > value, np.bool_)


@dataclass(frozen=True, slots=True, repr=False)
class FoundSlices(Several[FoundSlice]):
    """Slices that looked bad on some rows, tested on the others.

    Attributes
    ----------
    rows : tuple of FoundSlice
        As the search ranked them, the one with the greatest excess loss first.
    confidence_level : float
        Of the limits, and of all that is confirmed together.
    n_candidates : int
        Slices that were looked at.
    n_searched, n_held_back : int
        Rows that were searched, and rows that were held back.
    n_groups : int or None
        Groups of the rows held back, which then vary.
    key : str
        Of the halves: as `rng` it makes the same ones.
    """

    rows: tuple[FoundSlice, ...]
    confidence_level: float
    n_candidates: int
    n_searched: int
    n_held_back: int
    n_groups: int | None
    key: str

    @property
    def confirmed(self) -> tuple[FoundSlice, ...]:
        """Those whose loss is shown to be greater than that of other rows."""
        return tuple(row for row in self.rows if row.is_confirmed)

    @property
    def verdict(self) -> str:
        """What is shown, in a sentence."""
        searched = f"{self.n_candidates:,} slices of {self.n_searched:,} rows"
        if not self.rows:
            return f"No slice looks worse than the other rows, of {searched}."
        tested = f"of {len(self.rows)} that looked worst among {searched}"
        if not self.confirmed:
            return f"No slice is confirmed on the other {self.n_held_back:,} rows, {tested}."
        said = [
            f"{row.slice}, by {with_limits(row.estimate, row.confidence_interval)}"
            for row in self.confirmed[:_SAID]
        ]
        more = len(self.confirmed) - _SAID
        others = f", and in {more} more" if more > 0 else ""
        return (
            f"The loss is shown to be greater on the other {self.n_held_back:,} rows where "
            f"{'; where '.join(said)}{others}; {tested}."
        )

    def __repr__(self) -> str:
        return f"FoundSlices({len(self.confirmed)} of {len(self.rows)} confirmed)"

    def _shown(self) -> Display:
        notes = [
            self.verdict,
            "Differences are of the rows held back; the limit is of each slice alone, p (Holm) of "
            "all that were tested.",
        ]
        if not self.rows:
            return Display([Table.record({"found": "nothing"})], "Slices found", notes)
        columns = ("slice", "estimate", "confidence_interval", "n_search", "n_confirm")
        hidden = ("mean_inside", "mean_outside", "standard_error", "estimate_of_search", "pvalue")
        words = {"estimate": "excess loss", "n_search": "n searched", "n_confirm": "n held back"}
        table = Table.of(
            self.rows,
            (*columns, "pvalue_holm", *hidden),
            words=words,
            level=self.confidence_level,
            unseen=hidden,
        )
        return Display([table], "Slices found", notes)
