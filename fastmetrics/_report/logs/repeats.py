"""``RepeatVariance``: how much of what a score varies by is luck of the draw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmetrics._display.table import Display, Table
from fastmetrics._input.scalars import check_integer
from fastmetrics._results import Result


@dataclass(frozen=True, slots=True, repr=False)
class RepeatVariance(Result):
    """Variance of a model's scores between items, and between repeats of an item.

    Attributes
    ----------
    model : str
        Whose scores.
    between_items : float
        Of the items' expected scores, unbiased: below 0 by chance where it is small. nan without
        repeats.
    between_repeats : float
        Of one repeat about its item's expected score: the mean over items, unbiased.
    n_items : int
        Items.
    n_repeats : float
        Repeats of an item: their harmonic mean.
    """

    model: str
    between_items: float
    between_repeats: float
    n_items: int
    n_repeats: float

    @classmethod
    def of(
        cls, model: str, n: NDArray[np.int64], means: NDArray[Any], squares: NDArray[Any]
    ) -> RepeatVariance:
        """Return that of items with n repeats each, by their means and sums of squares about them.

        Items that were tried once tell nothing, and are left out.
        """
        has = n > 1
        n, means, squares = n[has], means[has], squares[has]
        if len(n) < 2:
            return cls(model, math.nan, math.nan, len(n), float(n[0]) if len(n) else 1.0)
        own = squares / (n - 1.0)
        between = float(means.var(ddof=1) - np.mean(own / n))
        return cls(model, between, float(own.mean()), len(n), float(len(n) / np.sum(1.0 / n)))

    def standard_error(self, n_repeats: int, n_items: int | None = None) -> float:
        """Return the standard error that the mean would have with so many repeats, and items.

        Parameters
        ----------
        n_repeats : int
            Of each item.
        n_items : int, optional
            By default as many as there are.

        Returns
        -------
        float
            The root of (between_items + between_repeats / n_repeats) / n_items: what is between
            items no repeat takes away.
        """
        check_integer("n_repeats", n_repeats, low=1)
        if n_items is not None:
            check_integer("n_items", n_items, low=1)
        variance = max(self.between_items, 0.0) + self.between_repeats / n_repeats
        return math.sqrt(variance / (n_items or self.n_items)) if variance == variance else math.nan

    def __repr__(self) -> str:
        return (
            f"RepeatVariance({self.model!r}, between_items={self.between_items:.4g}, "
            f"between_repeats={self.between_repeats:.4g})"
        )

    def _shown(self) -> Display:
        return Display([Table.record(self.to_dict())], "Variance")
