"""Columns of files: every number as it is written, in the order of the rows."""

import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from fastmetrics._threads.workers import at_most
from fastmetrics.io import reader
from fastmetrics.io.reader import read_columns


def write_jsonl(data, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in data.to_pylist()))


WRITERS = {"csv": pa.csv.write_csv, "parquet": pq.write_table, "jsonl": write_jsonl}


def test_integers_in_one_csv_and_fractions_in_another(tmp_path):
    (tmp_path / "a.csv").write_text("y,s\n0,1\n1,2\n")
    (tmp_path / "b.csv").write_text("y,s\n0,1.5\n")
    columns = read_columns([tmp_path / "a.csv", tmp_path / "b.csv"], "y", ["s"])
    assert columns.scores["s"].tolist() == [1.0, 2.0, 1.5]
    assert columns.labels.tolist() == [0, 1, 0]


def test_a_csv_whose_later_rows_are_no_integers(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("y,s\n" + "0,1\n1,2\n" * 15_000 + "1,0.5\n")
    columns = read_columns([path], "y", ["s"])
    assert columns.scores["s"][-1] == 0.5
    assert columns.labels.dtype.kind == "i"
    path.write_text("y,s\n" + "0,1\n1,2\n" * 15_000 + "0.5,1\n")
    assert read_columns([path], "y", ["s"]).labels[-1] == 0.5


@pytest.mark.parametrize(
    "scores",
    [
        np.array([2**53, 2**53 + 1, -(2**63), 2**63 - 1]),
        np.array([2**64 - 1, 2**64 - 2, 5, 2**63], dtype=np.uint64),
    ],
    ids=["int64", "uint64"],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_integers_beyond_float64_are_exact(tmp_path, suffix, scores):
    data = pa.table({"y": np.array([0, 1, 0, 1], dtype=np.int8), "s": scores})
    WRITERS[suffix](data, tmp_path / f"x.{suffix}")
    columns = read_columns([tmp_path / f"x.{suffix}"], "y", ["s"])
    assert columns.scores["s"].dtype == scores.dtype
    assert columns.scores["s"].tolist() == scores.tolist()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "float32"])
def test_parquet_columns_keep_their_dtype(tmp_path, dtype):
    data = pa.table({"y": [True, False, True], "s": np.array([3, 1, 2], dtype=dtype)})
    pq.write_table(data, tmp_path / "x.parquet")
    columns = read_columns([tmp_path / "x.parquet"], "y", ["s"])
    assert columns.scores["s"].dtype == dtype
    assert columns.labels.dtype == np.int8
    assert columns.labels.tolist() == [1, 0, 1]
    assert columns.scores["s"].flags.c_contiguous


def test_more_threads_than_processors_are_none(tmp_path, monkeypatch):
    asked = []
    pq.write_table(pa.table({"label": [0, 1], "a": [0.5, 0.25]}), tmp_path / "x.parquet")
    make = reader.Session
    monkeypatch.setattr(
        reader, "Session", lambda paths, n, _: asked.append(n) or make(paths, n, None)
    )
    with at_most(1_000_000):
        read_columns([tmp_path / "x.parquet"], "label", ["a"])
    assert asked == [os.cpu_count()]


def test_rows_keep_their_order_in_many_batches(tmp_path):
    n = 300_000
    data = pa.table({"y": np.arange(n) % 2, "s": np.arange(n, dtype=np.float64)})
    pq.write_table(data, tmp_path / "x.parquet", row_group_size=50_000)
    columns = read_columns([tmp_path / "x.parquet"], "y", ["s"])
    assert np.array_equal(columns.scores["s"], np.arange(n))
    assert columns.n_rows == n


def test_progress_grows_to_the_end(tmp_path):
    n = 400_000
    data = pa.table({"y": np.arange(n) % 2, "s": np.arange(n, dtype=np.float64)})
    for name in ("a.parquet", "b.parquet"):
        pq.write_table(data, tmp_path / name)
    seen = []
    read_columns([tmp_path / "*.parquet"], "y", ["s"], progress=lambda *at: seen.append(at))
    shares, rows = zip(*seen, strict=True)
    assert list(shares) == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1
    assert rows[-1] == 2 * n


def test_more_text_groups_than_there_may_be_classes(tmp_path):
    n = 300_000
    words = [f"u{(7919 * i) % 50_000}" for i in range(n)]
    table = pa.table({"y": np.arange(n) % 2, "s": np.arange(n) * 1.0, "g": words})
    pq.write_table(table, tmp_path / "x.parquet")
    columns = read_columns([tmp_path / "x.parquet"], "y", ["s"], coded=["g"])
    assert np.array_equal(columns.codes["g"], np.unique(words, return_inverse=True)[1])
    assert columns.scores.keys() == {"s"}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_such_labels_are_text_and_other_columns_do_not_matter(tmp_path):
    text = "label,score_1,note\n0x1,0.75,a_b\n0,1e3,0x10\n0x1,0.5,1_0\n0,.25,\n"
    read = read_columns([written(tmp_path, "a.csv", text)], "label", ["score_1"])
    assert read.labels.to_numpy().tolist() == ["0x1", "0", "0x1", "0"]
    assert read.scores["score_1"].tolist() == [0.75, 1e3, 0.5, 0.25]


ODD = ["1_000", "0x10", "0X1F", "-0b11", "1._5", "1e1_0", " 2E+1_0"]
ODD_IN_JSON = ["1_0", "1e1_0", "0x10", "x", " 7 "]


@pytest.mark.parametrize(
    ("suffix", "odd"), [*(("csv", odd) for odd in ODD), *(("jsonl", odd) for odd in ODD_IN_JSON)]
)
def test_a_row_with_a_number_that_only_a_program_writes_is_left_out(tmp_path, suffix, odd):
    rows = [(1, 0.75), (0, odd), (1, 0.5), (0, 0.25)]
    if suffix == "csv":
        text = "label,score\n" + "".join(f"{y},{s}\n" for y, s in rows)
    else:
        text = "".join(json.dumps({"label": y, "score": s}) + "\n" for y, s in rows)
    path = written(tmp_path, f"a.{suffix}", text)
    read = read_columns([path], "label", ["score"], on_bad_row="skip")
    assert (read.n_rows, read.n_skipped) == (3, 1)
    assert read.scores["score"].tolist() == [0.75, 0.5, 0.25]
