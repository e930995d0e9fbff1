"""Matrices that the tests of count measures are fed, and what the definition says of them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from measure_names import COUNT_MEASURES, PRICED
from reference import count_oracle as oracle

PLAIN = sorted(name for name, measure in COUNT_MEASURES.items() if measure.name not in PRICED)
FIRST_NAMES = {name: COUNT_MEASURES[name].name for name in PLAIN}


def names_for(k: int) -> list[str]:
    return [name for name in PLAIN if k == 2 or COUNT_MEASURES[name].classes != 2]


def expected(name: str, cells: Any) -> float:
    return oracle.value(FIRST_NAMES[name], oracle.rows_of_cells(cells), range(len(cells)))


def assert_close(got: Any, wanted: Any, rtol: float = 1e-13, atol: float = 1e-13) -> None:
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)


@st.composite
def cells(draw: Any, least: int = 1, most: int = 5, weighted: bool = False) -> list[list[Any]]:
    """Draw a square matrix in which zeros are common."""
    k = draw(st.integers(least, most))
    count = st.one_of(st.just(0), st.integers(0, 6))
    if weighted:
        count = count.map(lambda c: c / 8)
    return draw(st.lists(st.lists(count, min_size=k, max_size=k), min_size=k, max_size=k))
