"""Leave-one-out values of many thresholds."""

from __future__ import annotations

import numpy as np
import pytest
from test_leave_one_out import (
    CRITERIA,
    FIELDS,
    leave_one_out,
    measured,
    numbered,
    table_of,
)

THRESHOLDS = [
    ("ks_statistic", {}),
    *(("best_threshold", {**params, "of": of}) for params in CRITERIA for of in FIELDS[:2]),
    ("break_even_point", {}),
]


@pytest.mark.parametrize(("name", "params"), THRESHOLDS, ids=str)
@pytest.mark.parametrize("steep", [0.0, 1.5, -2.0])
def test_many_thresholds(rng, name: str, params: dict, steep: float) -> None:
    is_positive = rng.random(4_000) < 0.3
    order = np.argsort(rng.normal(-steep * is_positive))
    cells = numbered(np.stack((is_positive, ~is_positive), axis=1)[order].astype(int).tolist())
    found, whole = leave_one_out(table_of(cells), name, **params), measured(cells, name, params)
    for k in (0, 571, 2_284, 3_999):
        wanted = measured(cells[:k] + cells[k + 1 :], name, params)
        side = cells[k][1:].index(1)
        assert found[side][k] == pytest.approx(wanted - whole, abs=1e-12, nan_ok=True)
