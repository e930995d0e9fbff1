"""Binned tables of rows with scores that tie, and lie one unit apart."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from fastmetrics.streams import BinLayout, BinnedScoreTable

BITS = BinLayout.of_bits(n_bins=1024)
COARSE = BinLayout([-1.0, 0.0, float(np.nextafter(0.0, 1.0)), 0.5, 1.0])
VALUES = [0.0, -0.0, 0.25, 0.3, 0.5, 1.0, 1 + 2**-52, 5e-324, -1e308, 1.7e308, -1.0]
ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(VALUES), st.integers(0, 3)), max_size=30
)


def new(layout: BinLayout | None, first_rows: int | None = None) -> BinnedScoreTable:
    """Return a table that counts in bins at once where it has a layout, unless told otherwise."""
    if first_rows is None:
        first_rows = 65_536 if layout is None else 0
    return BinnedScoreTable(layout, first_rows=first_rows)


def table_of(
    rows: Any, layout: BinLayout | None, weights: str = "counts", first_rows: int | None = None
) -> BinnedScoreTable:
    table = new(layout, first_rows)
    rows = [row for row in rows if row[2] or weights == "none"]
    if rows:
        labels, scores, amounts = (np.array(each) for each in zip(*rows, strict=True))
        amounts = None if weights == "none" else amounts / (4 if weights == "quarters" else 1)
        if weights == "counts":
            amounts = amounts.astype(np.int64)
        table.update(labels, scores, amounts)
    return table
