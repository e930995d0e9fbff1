"""Columns of Dask for tests: cut anywhere, held in whatever Dask holds."""

from itertools import pairwise
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from hypothesis import strategies as st


def cuts_of(n: int, places: list[int]) -> list[tuple[int, int]]:
    """Return partitions that end at these places, some of them empty."""
    return list(pairwise([0, *sorted(places), n]))


def delayed_columns(columns: list[Any], places: list[int]) -> list[Any]:
    """Return each column as a list of delayed partitions; None as itself."""
    cuts = cuts_of(len(columns[0]), places)
    return [
        column if column is None else [dask.delayed(column[start:stop]) for start, stop in cuts]
        for column in columns
    ]


def array_columns(columns: list[Any], places: list[int]) -> list[Any]:
    """Return each column as an array whose chunks end at these places."""
    sizes = tuple(stop - start for start, stop in cuts_of(len(columns[0]), places))
    return [
        column if column is None else da.from_array(np.asarray(column)).rechunk({0: sizes})
        for column in columns
    ]


def unknown_chunks(columns: list[Any], places: list[int]) -> list[Any]:
    """Return arrays that do not know how many rows a chunk has."""
    arrays = array_columns(columns, places)
    for column in arrays:
        if column is not None:
            column._chunks = ((float("nan"),) * column.numblocks[0], *column.chunks[1:])
    return arrays


def frame_columns(columns: list[Any], places: list[int]) -> list[Any]:
    """Return the columns of one dataframe without known divisions."""
    given = {f"c{i}": column for i, column in enumerate(columns) if column is not None}
    whole = pd.DataFrame(given)
    parts = [
        dask.delayed(whole.iloc[start:stop]) for start, stop in cuts_of(len(columns[0]), places)
    ]
    frame = dd.from_delayed(parts, meta=whole.iloc[:0], verify_meta=False)
    return [None if column is None else frame[f"c{i}"] for i, column in enumerate(columns)]


CONTAINERS = {
    "delayed": delayed_columns,
    "array": array_columns,
    "unknown": unknown_chunks,
    "frame": frame_columns,
}


@st.composite
def problems(draw: Any, n_max: int = 60) -> tuple[Any, Any, Any, list[int], int]:
    """Return labels, scores with ties, whole weights or None, places to cut, and a range's size."""
    n = draw(st.integers(1, n_max))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = draw(st.lists(st.integers(-20, 20), min_size=n, max_size=n))
    weights = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n))
    places = draw(st.lists(st.integers(0, n), max_size=5))
    size = draw(st.sampled_from([1, 3, 10, 1000]))
    kind = draw(st.sampled_from([np.float64, np.float32, np.int64]))
    return (
        np.array(labels),
        np.array(scores).astype(kind),
        None if weights is None else np.array(weights),
        places,
        size,
    )
