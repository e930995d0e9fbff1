"""Files are read: sessions, spelling, rows."""

import json
import math
import os
import random
import re
import signal
import struct
import threading
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from fastmetrics._threads.workers import at_most
from fastmetrics.errors import FileError
from fastmetrics.io import _session, reader
from fastmetrics.io._session import Session
from fastmetrics.io.reader import read_columns, values_of_column


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
    requests = []
    pq.write_table(pa.table({"label": [0, 1], "a": [0.5, 0.25]}), tmp_path / "x.parquet")
    make = reader.Session
    monkeypatch.setattr(
        reader, "Session", lambda paths, n, _: requests.append(n) or make(paths, n, None)
    )
    with at_most(1_000_000):
        read_columns([tmp_path / "x.parquet"], "label", ["a"])
    assert requests == [os.cpu_count()]


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


@pytest.mark.parametrize(("suffix", "where"), [("csv", "p < q"), ("jsonl", None)])
def test_too_little_memory_is_told(tmp_path, suffix, where):
    """Columns of a CSV file were compared as texts then: 1e-30 was above 0.5."""
    n = 60_000
    table = pa.table({"y": np.arange(n) % 2, "p": np.full(n, 1e-30), "q": np.full(n, 0.5)})
    path = tmp_path / f"x.{suffix}"
    WRITERS[suffix](table, path)
    with pytest.raises(FileError, match=r"x\..*: more memory is needed to read it"):
        read_columns([path], "y", ["p"], where=where, memory=10**6)
    assert read_columns([path], "y", ["p"], where=where, memory=10**9).n_rows == n


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


POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


class Deaf:
    """A connection whose query does not end where it is told to."""

    told = False

    def interrupt(self) -> None:
        self.told = True


@POSIX
def test_a_query_that_does_not_hear_is_left(monkeypatch):
    connection = Deaf()
    go_on = threading.Event()
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        _session.interruptible(connection, lambda: go_on.wait(30))
    assert time.perf_counter() - start < 3
    assert connection.told
    go_on.set()


@pytest.mark.parametrize("refusals", [0, 2, 10**6])
def test_a_database_at_work_is_closed_later_or_left(monkeypatch, refusals):
    tried = []

    class Busy:
        def close(self):
            tried.append(len(tried) < refusals)
            if tried[-1]:
                raise duckdb.Error("connection is busy with another call")

    monkeypatch.setattr(_session, "_PATIENCE", 0.3)
    start = time.perf_counter()
    _session.close(Busy())
    assert time.perf_counter() - start < 3
    time.sleep(0.6)
    assert tried[-1] == (refusals > 2)
    assert len(tried) > min(refusals, 2)


def test_a_query_gives_its_result_and_its_error():
    assert _session.interruptible(Deaf(), lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        _session.interruptible(Deaf(), lambda: 1 // 0)


@pytest.fixture
def locked(tmp_path):
    (tmp_path / "mine.csv").write_text("a\n1\n")
    (tmp_path / "other.csv").write_text("a\n2\n")
    with Session([str(tmp_path / "mine.csv")], 1) as session:
        yield session.connection


def test_the_session_reads_the_named_file(locked, tmp_path):
    assert locked.execute(f"SELECT * FROM read_csv('{tmp_path}/mine.csv')").fetchall() == [(1,)]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('{folder}/other.csv')",
        "SELECT * FROM '{folder}/other.csv'",
        "SELECT * FROM read_text('{folder}/../other.csv')",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM read_csv('{folder}/*.csv')",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "COPY (SELECT 1) TO '{folder}/mine.csv'",
        "ATTACH '{folder}/x.db'",
        "EXPORT DATABASE '{folder}/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/']",
        "SET threads = 2",
        "RESET lock_configuration",
        "PRAGMA enable_profiling",
        "CREATE PERSISTENT SECRET s (TYPE http)",
        "SELECT * FROM variable_of_the_test",
    ],
)
def test_the_session_does_nothing_else(locked, tmp_path, statement):
    variable_of_the_test = pa.table({"a": [1]})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(duckdb.Error):
        locked.execute(statement.format(folder=tmp_path)).fetchall()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert variable_of_the_test.num_rows == 1


def test_a_name_that_fits_no_pattern_of_its_own_is_refused(tmp_path):
    with pytest.raises(FileError, match="rename the file"):
        Session([str(tmp_path / "a\\[1].csv")], 1)


def test_a_query_that_has_just_begun_is_ended(monkeypatch):
    begun, told = threading.Event(), threading.Event()

    class Pressed(threading.Thread):
        def start(self):
            super().start()
            begun.wait(10)
            raise KeyboardInterrupt

    class Connection:
        def interrupt(self):
            told.set()

    def work():
        begun.set()
        assert told.wait(10)

    monkeypatch.setattr(_session.threading, "Thread", Pressed)
    with pytest.raises(KeyboardInterrupt):
        _session.interruptible(Connection(), work)
    assert told.is_set()


def test_a_slow_fetch_ends_before_a_file_is_read_anew(tmp_path, monkeypatch):

    fetched = _session.ahead

    def slowly(connection, batches):
        def slow():
            for batch in batches:
                time.sleep(0.01)
                yield batch

        return fetched(connection, slow())

    monkeypatch.setattr(_session, "_PATIENCE", 0.0)
    monkeypatch.setattr(reader, "_BATCH_ROWS", 2048)
    monkeypatch.setattr(reader, "ahead", slowly)
    n = 45_000  # DuckDB guesses integers of the first 20,480 rows
    scores = ["7"] * n
    scores[30_000] = "0.5"
    path = tmp_path / "late.csv"
    path.write_text("y,s\n" + "".join(f"{i % 2},{s}\n" for i, s in enumerate(scores)))
    assert reader.read_columns([path], "y", ["s"]).scores["s"].sum() == 7 * (n - 1) + 0.5


def test_an_interrupt_at_the_start_leaves_no_thread(monkeypatch):

    started = []

    class Interrupted(threading.Thread):
        def start(self):
            super().start()
            started.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(_session.threading, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        next(_session.ahead(duckdb.connect(), iter(range(100))))
    started[0].join(5)
    assert not started[0].is_alive()


#: Behind so many rows nothing was looked at when the types were guessed.
LATE = 20_480
BIG = 2**64


def read(path: Path, rows: list[tuple[str, ...]], header: str = "y,s,n", **more: Any) -> Any:
    """Return the columns of a CSV file, or of JSON lines with these values."""
    if path.suffix == ".csv":
        lines = [",".join(row) for row in [tuple(header.split(",")), *rows]]
    else:
        lines = [
            "{"
            + ",".join(
                f'"{key}": {value}' for key, value in zip(header.split(","), row, strict=True)
            )
            + "}"
            for row in rows
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_columns([path], "y", ["s"], **more)


#: Names that a reader of numbers would take for one.
SPELLED = [
    ("7", "007"),
    (str(BIG), str(BIG + 1)),
    ("yes", "no"),
    ("1", "01"),
    ("1", "+1"),
    ("0", "-0"),
    ("1.5", "01.5"),
    ("9" * 39, "9" * 38 + "8"),
    ("-1", str(2**63)),
    ("10", "1_0"),
    ("16", "0x10"),
    ("true", "1"),
]


@pytest.mark.parametrize(
    ("pair", "place"),
    [
        *((pair, "first") for pair in SPELLED),
        (SPELLED[0], "late"),
        *(pytest.param(pair, "late", marks=pytest.mark.exhaustive) for pair in SPELLED[1:]),
    ],
)
def test_names_that_differ_in_spelling_alone(
    tmp_path: Path, pair: tuple[str, str], place: str
) -> None:
    n = LATE if place == "late" else 2
    rows = [(str(i % 2), "0.5", pair[0]) for i in range(n)] + [("1", "0.5", pair[1])]
    path = tmp_path / "a.csv"
    for role in ("coded", "named"):
        columns = read(path, rows, **{role: ["n"]})
        names = columns.named["n"] if role == "named" else columns.codes["n"]
        assert names[0] != names[-1]
        assert len(np.unique(names[:-1])) == 1
    if place == "first":
        labels = read_columns([path], "n", ["s"]).labels
        assert list(map(str, values_of_column(labels).tolist())) == [pair[0], pair[0], pair[1]]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize(
    ("spelled", "expected"),
    [(["1", "2"], [1, 2]), (["1.0", "2"], [1, 2]), (["1.5", "2.5"], ["1.5", "2.5"])],
)
def test_names_that_are_numbers(tmp_path: Path, kind: str, spelled: Any, expected: Any) -> None:
    rows = [("0", "0.5", spelled[0]), ("1", "0.5", spelled[1])]
    assert read(tmp_path / f"a.{kind}", rows, named=["n"]).named["n"].tolist() == expected


def test_integers_beyond_64_bits_in_json(tmp_path: Path) -> None:
    rows = [("0", "1", str(BIG)), ("1", "1", str(BIG + 1))]
    assert read(tmp_path / "a.jsonl", rows, coded=["n"]).codes["n"].tolist() == [0, 1]


@pytest.mark.parametrize("late", [False, True])
def test_texts_beside_numbers_in_json_are_refused(tmp_path: Path, late: bool) -> None:
    rows = [("0", "1", '"7"')] * (LATE if late else 1) + [("1", "1", "7")]
    with pytest.raises(FileError, match="column 'n' holds texts and numbers"):
        read(tmp_path / "a.jsonl", rows, coded=["n"])


def test_line_separators_inside_json_texts(tmp_path: Path) -> None:
    texts = ["a\u2028b", "a\u0085b"]
    rows = [(str(i), "1", json.dumps(text, ensure_ascii=False)) for i, text in enumerate(texts)]
    assert read(tmp_path / "a.jsonl", rows, named=["n"]).named["n"].tolist() == texts


def test_decimals_are_those_of_float_to_the_bit(tmp_path: Path) -> None:
    rng = random.Random(1)
    texts = ["5e-324", "2.2250738585072011e-308", "9007199254740993.0", ".5", "1.", "-0.0", "1E5"]
    for _ in range(3_000):
        bits = struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0]
        texts += [repr(bits)] if math.isfinite(bits) else []
        texts.append(f"0.{rng.getrandbits(100)}")
        texts.append(f"{rng.getrandbits(60)}.{rng.getrandbits(30)}e{rng.randint(-320, 280)}")
    texts = [text for text in texts if math.isfinite(float(text))]
    columns = read(tmp_path / "a.csv", [(str(i % 2), text, "") for i, text in enumerate(texts)])
    assert columns.scores["s"].tobytes() == np.array(list(map(float, texts))).tobytes()


def test_keys_of_json_that_differ_in_case(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"y": 1, "Y": 0, "s": 0.5}\n{"y": 0, "Y": 1, "s": 0.2}\n')
    assert read_columns([path], "y", ["s"]).labels.tolist() == [1, 0]
    with pytest.raises(FileError, match=r"no column 'Y'; .* differ in case only, the first"):
        read_columns([path], "Y", ["s"])
    path.write_text('{"y": 1, "s": .5}\n{"y": 0, "s": .2}\n')
    with pytest.raises(FileError, match=r"no column 'y', 's'; .* is each line a JSON object"):
        read_columns([path], "y", ["s"])


@pytest.mark.parametrize(
    "scores",
    [["0.5", str(2**53 + 1)], ["-1", str(2**64 - 1)], [str(BIG + 1), "1"], ["9" * 40, "1"]],
)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_integers_that_float64_would_round_are_refused(
    tmp_path: Path, scores: Any, kind: str
) -> None:
    rows = [(str(i), score, "1") for i, score in enumerate(scores)]
    with pytest.raises(FileError, match=r"row \d.*column 's': '\d+' is an integer that float64"):
        read(tmp_path / f"a.{kind}", rows)


NOT_FINITE = ["nan", "-inf", "1e400", "-nan", "NaN", "inf", "Infinity"]


@pytest.mark.parametrize(
    ("text", "late"),
    [
        *((text, False) for text in NOT_FINITE),
        (NOT_FINITE[0], True),
        *(pytest.param(text, True, marks=pytest.mark.exhaustive) for text in NOT_FINITE[1:]),
    ],
)
def test_numbers_that_are_not_finite(tmp_path: Path, text: str, late: bool) -> None:
    n = LATE if late else 1
    rows = [("0", "0.5", "")] * n + [("1", text, "")]
    kind = "nan" if text.lower().lstrip("-")[0] == "n" else "infinite value"
    with pytest.raises(FileError, match=re.escape(f"column 's' contains 1 {kind}: row {n + 1}")):
        read(tmp_path / "a.csv", rows)
    columns = read(tmp_path / "a.csv", rows, on_bad_row="skip")
    assert (columns.n_rows, columns.n_skipped) == (n, 1)


REJECTED = {
    "a quote inside": ('yes,0.9,a\nno,0.2,a\nyes,0.6,"bro"ken" x\nno,0.7,a\n', 3),
    "fields too many": ("yes,0.9,a\nno,0.2,b,c\nyes,,c\nno,0.7\nno,0.1,f\n", 2),
}


@pytest.mark.parametrize(("rows", "n_good"), REJECTED.values(), ids=REJECTED)
@pytest.mark.parametrize("where", [None, "s < 2"])
def test_each_row_that_is_gone_is_counted(
    tmp_path: Path, rows: str, n_good: int, where: str | None
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,s,n\n" + rows)
    columns = read_columns([path], "y", ["s"], on_bad_row="skip", where=where)
    assert columns.n_rows == n_good
    assert columns.n_rows + columns.n_skipped == rows.count("\n")


def test_a_bad_row_of_two_lines_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('y,s,n\n1,0.5,a\n0,0.4,"b\nc",d\n0,0.3,e\n')
    columns = read_columns([path], "y", ["s"], on_bad_row="skip")
    assert (columns.n_rows, columns.n_skipped) == (2, 1)


@pytest.mark.parametrize("n", [6, 100_000])
@pytest.mark.parametrize("end", [None, 2])
def test_an_open_quote_that_takes_good_rows_is_refused(
    tmp_path: Path, n: int, end: int | None
) -> None:
    rows = [f"{i % 2},0.5,t" for i in range(n)]
    rows[2] = '1,0.6,"c'
    if end is not None:
        rows[2 + end] = '1,0.6,"d'
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["y,s,n", *rows, ""]))
    with pytest.raises(FileError, match=r"row 3 \(line 4\): a quote is opened that takes the rows"):
        read_columns([path], "y", ["s"], on_bad_row="skip")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"])
def test_line_breaks_in_quotes(tmp_path: Path, end: str, inside: str) -> None:
    path = tmp_path / "a.csv"
    rows = ["y,s,n", f'1,0.9,"a{inside}b"', "0,0.2,x", f'1,0.6,"c{inside}d"']
    path.write_bytes(end.join([*rows, ""]).encode())
    columns = read_columns([path], "y", ["s"], named=["n"])
    assert columns.scores["s"].tolist() == [0.9, 0.2, 0.6]
    assert columns.named["n"].tolist() == [f"a{inside}b", "x", f"c{inside}d"]


@pytest.mark.parametrize("on_bad_row", ["error", "skip"])
def test_a_condition_sees_what_is_read(tmp_path: Path, on_bad_row: Any) -> None:
    rows = [(str(i % 2), str(i), "true") for i in range(LATE)] + [("1", "1000000.5", "false")]
    where = "s > 20470 AND coalesce(s, 0) > 1 AND n"
    columns = read(tmp_path / "a.csv", rows, where=where, on_bad_row=on_bad_row)
    assert columns.scores["s"].tolist() == list(range(20_471, LATE))
