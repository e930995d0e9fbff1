"""A file of scores in the folder that a test works in."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

#: Rows of the file.
N = 240


@pytest.fixture(scope="module")
def columns():
    """Return labels, scores, weights and groups by the names of their columns."""
    rng = np.random.default_rng(5)
    y = (rng.random(N) < 0.35).astype(np.int8)
    return {
        "y": y,
        "a": np.round(rng.normal(size=N) + y, 1),
        "b": rng.normal(size=N) + 0.6 * y,
        "p": rng.random(N),
        "perfect": y + 0.25,
        "user": np.arange(N) // 3,
        "half": np.arange(N) // 2 * 1.0,
        "name": [f"u{i // 3}" for i in range(N)],
        "absent": pa.array([None if i == 6 else i for i in range(N)]),
        "w": rng.random(N) + 0.5,
    }


@pytest.fixture
def scored(tmp_path, monkeypatch, columns):
    """Work in a folder with `x.parquet`, and return the folder."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(columns), "x.parquet")
    return tmp_path
