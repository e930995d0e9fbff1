"""Values of text files are what Python reads, and texts stay as they are spelled, in every row."""

import json
import math
import random
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastmetrics.errors import FileError
from fastmetrics.io.reader import read_columns, values_of_column

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
        *((pair, "late") for pair in SPELLED[:3]),
        *(pytest.param(pair, "late", marks=pytest.mark.exhaustive) for pair in SPELLED[3:]),
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
    columns = read(tmp_path / f"a.{kind}", rows, named=["n"])
    assert columns.named["n"].tolist() == expected


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


@pytest.mark.parametrize("text", ["nan", "-nan", "NaN", "inf", "-inf", "Infinity", "1e400"])
@pytest.mark.parametrize("late", [False, True])
def test_numbers_that_are_not_finite(tmp_path: Path, text: str, late: bool) -> None:
    n = LATE if late else 1
    rows = [("0", "0.5", "")] * n + [("1", text, "")]
    kind = "nan" if text.lower().lstrip("-")[0] == "n" else "infinite value"
    message = f"column 's' contains 1 {kind}: row {n + 1}"
    with pytest.raises(FileError, match=re.escape(message)):
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
