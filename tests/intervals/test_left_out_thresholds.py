"""Leave-one-out values of many thresholds, most of which are passed over, and runs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from test_leave_one_out import (
    CRITERIA,
    FIELDS,
    cells_of,
    leave_one_out,
    measured,
    numbered,
    table_of,
)

import engine_sizes
from grids import few_examples

THRESHOLDS = [
    ("ks_statistic", {}),
    *(("best_threshold", {**params, "of": of}) for params in CRITERIA for of in FIELDS[:2]),
    ("break_even_point", {}),
]


@pytest.mark.parametrize(("name", "params"), THRESHOLDS, ids=str)
@pytest.mark.parametrize("steep", [0.0, 1.5, -2.0])
def test_many_thresholds(rng, name: str, params: dict, steep: float) -> None:
    """Most blocks of thresholds are passed over; what is left out is any row."""
    is_positive = rng.random(4_000) < 0.3
    order = np.argsort(rng.normal(-steep * is_positive))
    cells = numbered(np.stack((is_positive, ~is_positive), axis=1)[order].astype(int).tolist())
    found, whole = leave_one_out(table_of(cells), name, **params), measured(cells, name, params)
    for k in (0, 571, 2_284, 3_999):
        wanted = measured(cells[:k] + cells[k + 1 :], name, params)
        side = cells[k][1:].index(1)
        assert found[side][k] == pytest.approx(wanted - whole, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("name", "params"), THRESHOLDS, ids=str)
@few_examples
@given(cells=cells_of(2, 40))
def test_blocks_that_are_passed_over_matter_to_none(name: str, params: dict, cells) -> None:
    table = table_of(cells)
    expected = leave_one_out(table, name, **params)  # of one block
    with pytest.MonkeyPatch.context() as patch:
        engine_sizes.put(patch, thresholds_block=3)
        found = leave_one_out(table, name, **params)
    np.testing.assert_array_equal(found, expected)
