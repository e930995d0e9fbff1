"""Bad files: exit 2, one line on stderr that names file and place, nothing on stdout."""

import gzip
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastmetrics.cli import main
from fastmetrics.errors import FileError
from fastmetrics.io import read_trec

GOOD = "label,score\n1,0.7\n0,0.2\n1,0.9\n"


def fails(capsys, *arguments, columns=("label", "score")):
    """Run, expect the failure, and return what stderr says after the prefix."""
    label, *scores = columns
    options = ["--label", label, *(part for score in scores for part in ("--score", score))]
    assert main(["evaluate", *map(str, arguments), *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert err.startswith("fastmetrics: error: ")
    return err.removeprefix("fastmetrics: error: ").rstrip("\n")


CSV_FAULTS = {
    "missing column": (b"label,sc\n1,2\n", "no column 'score'; the columns are 'label', 'sc'"),
    "no header": (b"1,0.5\n0,0.25\n", "no column 'label', 'score'; the columns are '1', '0.5'"),
    "unusual delimiter": (b"label^score\n1^0.5\n", "the columns are 'label^score'"),
    "duplicate column": (b"label,score,score\n1,2,3\n", "names column 'score' more than once"),
    "empty": (b"", "the file is empty"),
    "blank": (b"\n\n\n", "the first line is blank"),
    "only a header": (b"label,score\n", "no rows"),
    "extra header": (GOOD.encode() * 2, "row 4 (line 5): column 'score': 'score' is not"),
    "word": (b"label,score\n1,0.7\n0,abc\n", "row 2 (line 3): column 'score': 'abc' is not a num"),
    "decimal comma": (b"label;score\n1;0,7\n", "row 1 (line 2): column 'score': '0,7' is not a n"),
    "NA": (b"label,score\n1,0.5\n0,NA\n", "row 2 (line 3): column 'score': 'NA' is not a number"),
    "too many fields": (
        b"label,score\n1,0.7\n0,0.2,5\n",
        "row 2 (line 3): 3 fields where the head",
    ),
    "too few fields": (
        b"label,score\n1,0.7\n0\n1,1\n",
        "row 2 (line 3): 1 fields where the header",
    ),
    "unclosed quote": (
        b'label,score\n1,"0.7\n0,0.2\n',
        "row 1 (line 2): a quote is opened and neve",
    ),
    "null score": (b"label,score\n1,0.7\n0,\n", "column 'score' contains 1 null: row 2"),
    "null label": (b"label,score\n,0.7\n0,1\n,2\n", "'label' contains 2 nulls: the first in row 1"),
    "nan": (b"label,score\n1,0.7\n0,nan\n", "column 'score' contains 1 nan: row 2"),
    "infinity": (
        b"label,score\n1,0.7\n0,-inf\n",
        "column 'score' contains 1 infinite value: row 2",
    ),
    "nul byte": (b"label,score\n1,0.7\n0,\x000.5\n", "row 2 (line 3): column 'score': "),
    "Latin-1": ("label,score,x\n1,0.7,é\n".encode("latin-1"), "not UTF-8 text"),
}


@pytest.mark.parametrize("fault", CSV_FAULTS)
def test_csv(fault, tmp_path, capsys):
    content, message = CSV_FAULTS[fault]
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    error = fails(capsys, path)
    assert error.startswith(f"{path}: ")
    assert message in error


@pytest.mark.parametrize("quotes", ["", '"'])
def test_csv_with_byte_order_mark_and_other_line_ends(tmp_path, capsys, quotes):
    text = GOOD.replace("label", f"{quotes}label{quotes}").replace("\n", "\r\n")
    (tmp_path / "x.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    options = ["--label", "label", "--score", "score", "--format", "csv"]
    assert main(["evaluate", str(tmp_path / "x.csv"), *options]) == 0
    assert "roc_auc,score,1.0" in capsys.readouterr().out


def test_a_bad_number_far_down(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text("label,score\n" + "0,1\n1,2\n" * 30_000 + "1,abc\n0,xyz\n")
    assert "row 60001 (line 60002): column 'score': 'abc' is not a number" in fails(capsys, path)


JSON_FAULTS = {
    "text": (
        '{"label":1,"score":1}\n{"label":0,"score":"x"}\n',
        "row 2: column 'score': '\"x\"' is not",
    ),
    "missing key": (
        '{"label":1,"score":1}\n{"label":0}\n',
        "column 'score' contains 1 null: row 2",
    ),
    "nested": ('{"label":1,"score":[1]}\n', "row 1: column 'score': '[1]' is not a number"),
    "empty": ("", "the file is empty"),
}


@pytest.mark.parametrize("fault", JSON_FAULTS)
def test_json_lines(fault, tmp_path, capsys):
    content, message = JSON_FAULTS[fault]
    path = tmp_path / "data.jsonl"
    path.write_text(content)
    error = fails(capsys, path)
    assert error.startswith(f"{path}: ")
    assert message in error


def write_parquet(path, score=(0.7, 0.2, 0.9), dtype="float64"):
    data = pa.table({"label": [1, 0, 1], "score": pa.array(score, type=dtype)})
    pq.write_table(data, path)


def test_truncated_parquet_after_a_good_file(tmp_path, capsys):
    write_parquet(tmp_path / "a.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    for length in (1, 4, 8, len(whole) // 2, len(whole) - 1):
        (tmp_path / "b.parquet").write_bytes(whole[:length])
        error = fails(capsys, tmp_path / "*.parquet")
        assert error.startswith(f"{tmp_path / 'b.parquet'}: damaged, or not Parquet")


def test_damage_inside_a_parquet_file(tmp_path, capsys):
    score = np.random.default_rng(0).normal(size=50_000)
    data = pa.table({"label": np.arange(50_000) % 2, "score": score})
    pq.write_table(data, tmp_path / "x.parquet", compression="zstd")
    content = bytearray((tmp_path / "x.parquet").read_bytes())
    content[40:4000] = bytes(3960)
    (tmp_path / "x.parquet").write_bytes(content)
    assert "x.parquet: damaged, or not Parquet" in fails(capsys, tmp_path / "x.parquet")


def test_schema_differs_between_parquet_files(tmp_path, capsys):
    write_parquet(tmp_path / "a.parquet")
    write_parquet(tmp_path / "b.parquet", dtype="float32")
    error = fails(capsys, tmp_path / "*.parquet")
    assert error.startswith(f"{tmp_path / 'b.parquet'}: column 'score' is FLOAT, but DOUBLE in ")
    assert error.endswith("a.parquet; all files must have the same types")


def test_column_missing_from_the_second_file(tmp_path, capsys):
    write_parquet(tmp_path / "a.parquet")
    pq.write_table(pa.table({"label": [1], "other": [2.0]}), tmp_path / "b.parquet")
    error = fails(capsys, tmp_path / "*.parquet")
    assert error.startswith(f"{tmp_path / 'b.parquet'}: no column 'score'; the columns are 'label'")


def test_nulls_and_nan_in_parquet(tmp_path, capsys):
    write_parquet(tmp_path / "x.parquet", score=(0.7, None, 0.9))
    assert "x.parquet: column 'score' contains 1 null: row 2" in fails(
        capsys, tmp_path / "x.parquet"
    )
    write_parquet(tmp_path / "x.parquet", score=(0.7, 0.1, float("nan")))
    assert "x.parquet: column 'score' contains 1 nan: row 3" in fails(
        capsys, tmp_path / "x.parquet"
    )


def test_row_of_a_null_is_that_of_the_file_also_under_a_condition(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("label,score,keep\n1,1,0\n0,2,1\n1,,1\n,,0\n")
    error = fails(capsys, tmp_path / "x.csv", "--where", "keep = 1")
    assert error.endswith("column 'score' contains 1 null: row 3")


def test_text_scores_and_odd_types_in_parquet(tmp_path, capsys):
    data = pa.table({"label": [1], "score": ["0.5"], "when": [np.datetime64("2020-01-01", "s")]})
    pq.write_table(data, tmp_path / "x.parquet")
    path = tmp_path / "x.parquet"
    assert "column 'score' is VARCHAR: scores and weights must be numbers" in fails(capsys, path)
    error = fails(capsys, path, columns=("when", "label"))
    assert "labels and groups must be numbers, booleans or text" in error


def test_names_of_files(tmp_path, capsys):
    (tmp_path / "x.xlsx").write_text("")
    assert "unknown kind of file; the name must end in one of .csv" in fails(
        capsys, tmp_path / "x.xlsx"
    )
    assert "no such file" in fails(capsys, tmp_path / "none.csv")
    assert "no file matches this pattern" in fails(capsys, tmp_path / "none*.csv")
    assert "is a directory" in fails(capsys, tmp_path)
    (tmp_path / "x.csv").write_text(GOOD)
    os.symlink(tmp_path / "x.csv", tmp_path / "y.csv")
    assert "its rows would count twice" in fails(capsys, tmp_path / "*.csv")
    os.symlink(tmp_path / "gone.csv", tmp_path / "z.csv")
    assert "a file that does not exist" in fails(capsys, tmp_path / "z.csv")
    os.mkfifo(tmp_path / "f.csv")
    assert "is not a regular file" in fails(capsys, tmp_path / "f.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_unreadable_file(tmp_path, capsys):
    (tmp_path / "x.csv").write_text(GOOD)
    (tmp_path / "x.csv").chmod(0)
    assert "x.csv" in fails(capsys, tmp_path / "x.csv")


def test_the_same_column_twice(tmp_path, capsys):
    (tmp_path / "x.csv").write_text(GOOD)
    error = fails(capsys, tmp_path / "x.csv", columns=("label", "score", "score"))
    assert "column 'score' is named 2 times" in error
    assert "'label' is named 2 times" in fails(
        capsys, tmp_path / "x.csv", columns=("label", "label")
    )


@pytest.mark.parametrize(
    ("name", "content", "skipped"),
    [
        ("x.csv", GOOD + "0,abc\n1\n0,1,2\n,1\n1,\n0,nan\n0,inf\nx\n", 8),
        ("x.csv", "label,score\n" + "1,7\n" * 30_000 + "0,x\n" + "0,0.5\n" * 3, 1),
        (
            "x.jsonl",
            '{"label":1,"score":1}\n{"label":0,"sc\n{"label":0}\n{"label":0,"score":0}\n',
            2,
        ),
        ("x.jsonl", '{"label":1,"score":1}\n{"label":0,"score":"x"}\n{"label":0,"score":0}\n', 1),
    ],
)
def test_skip_counts_and_says_so(tmp_path, capsys, name, content, skipped):
    (tmp_path / name).write_text(content)
    options = ["--label", "label", "--score", "score", "--format", "json", "--on-bad-row", "skip"]
    assert main(["evaluate", str(tmp_path / name), *options]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["n_skipped"] == skipped
    notes = [line for line in err.splitlines() if "skipped" in line]
    rows = "row" if skipped == 1 else "rows"
    n_rows = json.loads(out)["n_rows"]
    assert notes == [f"fastmetrics: note: {skipped} bad {rows} skipped, {n_rows:,} evaluated"]


def test_skip_in_several_files_and_parquet(tmp_path, capsys):
    write_parquet(tmp_path / "a.parquet", score=(0.7, None, float("nan")))
    write_parquet(tmp_path / "b.parquet")
    (tmp_path / "d.csv").write_text(GOOD + "1,z\n")
    files = [str(tmp_path / name) for name in ("a.parquet", "b.parquet", "d.csv")]
    options = ["--label", "label", "--score", "score", "--format", "csv", "--on-bad-row", "skip"]
    assert main(["evaluate", *files, *options]) == 0
    assert "3 bad rows skipped, 7 evaluated" in capsys.readouterr().err


def test_skip_everything(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("label,score\n1,a\n0,b\n")
    assert "no row is left, 2 bad skipped" in fails(
        capsys, tmp_path / "x.csv", "--on-bad-row", "skip"
    )


@pytest.mark.pairwise
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
@pytest.mark.parametrize("before", [1, 30_000])
@pytest.mark.parametrize("more", [[], ["--where", "score > 0.1"], ["--memory", "1GB"]])
def test_a_line_that_is_too_long_is_named(tmp_path, capsys, ending, before, more):
    content = "label,score,note\n" + "1,0.7,\n" * before
    content += "1,0.5," + "z" * 2_500_000 + "\n0,0.2,\n"
    path = tmp_path / f"x.{ending}"
    path.write_bytes(gzip.compress(content.encode(), 1) if ending == "csv.gz" else content.encode())
    said = f"{path}: line {before + 2} is too long: it has more than 2"  # DuckDB's megabytes
    assert fails(capsys, path, *more).startswith(said)


def test_a_line_beyond_what_is_read_at_a_time_is_named_too(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text("label,score,note\n1,0.7,\n1,0.5," + "z" * 40_000_000 + "\n0,0.2,\n")
    assert fails(capsys, path) == f"{path}: line 3 is too long: it has more than 2000000 bytes"


def test_so_are_long_lines_of_rankings_and_objects(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("q1 0 d1 1\n")
    (tmp_path / "r.run").write_text("q1 Q0 d1 1 2 r\nq1 Q0 d2 1 2 " + "r" * 2_500_000)
    with pytest.raises(FileError, match=r"r\.run: line 2 is too long: it has more than 2"):
        read_trec("q.txt", "r.run")
    (tmp_path / "x.jsonl").write_text('{"label":1,"score":1,"note":"' + "z" * 50_000_000 + '"}\n')
    assert "x.jsonl: an object has more than 16777216 bytes" in fails(capsys, tmp_path / "x.jsonl")
