"""Baselines in a file: what is packed is what was given."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import fastmetrics as fm

N = 500


def test_what_is_packed_is_what_was_given(tmp_path) -> None:
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 2, N), rng.random(N)
    ids = np.arange(N)[::-1]
    own = fm.pack(tmp_path / "b.parquet", y, {"p": p}, ids=ids, columns={"c": ["x"] * N})
    table = pq.read_table(tmp_path / "b.parquet")
    assert table.column_names == ["id", "label", "p", "c"]
    assert np.array_equal(table["p"].to_numpy(), p)
    said = json.loads(table.schema.metadata[b"fastmetrics"])
    assert said["data"] == own
    assert said["models"] == ["p"]
    scores = {"baseline": p, "candidate": p}
    assert fm.gate(y, scores, margins={"roc_auc": 0.1}, ids=ids).data_hash == own


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"ids": [1, 1, 2]}, "more than once"),
        ({"ids": [1, 2]}, "length"),
        ({"columns": {"p": [1, 2, 3]}}, "which is a model"),
        ({"columns": {"id": [1, 2, 3]}}, "rename it"),
    ],
)
def test_what_cannot_be_packed_raises_and_writes_nothing(tmp_path, changed, match: str) -> None:
    file = tmp_path / "b.parquet"
    options = {"ids": [1, 2, 3]} | changed
    with pytest.raises(fm.InputError, match=match):
        fm.pack(file, [0, 1, 1], {"p": [0.1, 0.2, 0.3]}, **options)
    assert not file.exists()
