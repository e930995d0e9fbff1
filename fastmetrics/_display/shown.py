"""``Shown``: base of results and tables; they say what they show, and every form follows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from fastmetrics._display.drawing import as_html, as_text
from fastmetrics._display.frame import Library, as_frame
from fastmetrics._display.table import Display


class Shown(ABC):
    """Base of what is printed as a table, shown in notebooks, and made a data frame."""

    __slots__ = ()

    @abstractmethod
    def _shown(self) -> Display:
        """Return what is shown."""

    def __str__(self) -> str:
        return as_text(self._shown())

    def _repr_html_(self) -> str:
        return as_html(self._shown())

    def to_frame(self, library: Library | None = None) -> Any:
        """Return the result as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            By default the one that is loaded, pandas if both are, or else the one installed.

        Returns
        -------
        DataFrame
            One row a measure, model, pair, setting or point, whatever there are several of.
            Numbers are as they are, an interval is two columns, "low" and "high".

        Raises
        ------
        ImportError
            If the library is not installed.
        """
        return as_frame(self._shown(), library)
