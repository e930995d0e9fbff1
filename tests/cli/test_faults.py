"""Bad files, slips, odd names and conditions: what is said, and where."""

import gzip
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from commands import captured, error_of
from fastmetrics.cli import main
from fastmetrics.errors import FileError
from fastmetrics.io import read_trec

GOOD = "label,score\n1,0.7\n0,0.2\n1,0.9\n"
COLUMNS = ["--label", "label", "--score", "score"]
SKIP = [*COLUMNS, "--format", "json", "--on-bad-row", "skip"]


def fails(capsys, *arguments, columns=("label", "score")):
    """Return the message of a failing evaluation of a file."""
    label, *scores = columns
    options = ["--label", label, *(part for score in scores for part in ("--score", score))]
    return error_of(capsys, "evaluate", *arguments, *options)


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
    "too many fields": (b"label,score\n1,0.7\n0,0.2,5\n", "row 2 (line 3): 3 fields where the h"),
    "too few fields": (b"label,score\n1,0.7\n0\n1,1\n", "row 2 (line 3): 1 fields where the hea"),
    "unclosed quote": (b'label,score\n1,"0.7\n0,0.2\n', "row 1 (line 2): a quote is opened and n"),
    "null score": (b"label,score\n1,0.7\n0,\n", "column 'score' contains 1 null: row 2"),
    "null label": (b"label,score\n,0.7\n0,1\n,2\n", "'label' contains 2 nulls: the first in row 1"),
    "nan": (b"label,score\n1,0.7\n0,nan\n", "column 'score' contains 1 nan: row 2"),
    "infinity": (b"label,score\n1,0.7\n0,-inf\n", "'score' contains 1 infinite value: row 2"),
    "nul byte": (b"label,score\n1,0.7\n0,\x000.5\n", "row 2 (line 3): column 'score': "),
    "Latin-1": ("label,score,x\n1,0.7,é\n".encode("latin-1"), "not UTF-8 text"),
}


@pytest.mark.parametrize("quotes", ["", '"'])
def test_csv_with_byte_order_mark_and_other_line_ends(tmp_path, capsys, quotes):
    text = GOOD.replace("label", f"{quotes}label{quotes}").replace("\n", "\r\n")
    (tmp_path / "x.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    options = ["--label", "label", "--score", "score", "--format", "csv"]
    assert "roc_auc,score,1.0" in captured(capsys, "evaluate", tmp_path / "x.csv", *options).out


def test_a_bad_number_far_down(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text("label,score\n" + "0,1\n1,2\n" * 30_000 + "1,abc\n0,xyz\n")
    assert "row 60001 (line 60002): column 'score': 'abc' is not a number" in fails(capsys, path)


JSON_FAULTS = {
    "text": (b'{"label":1,"score":1}\n{"label":0,"score":"x"}\n', "row 2: column 'score': '\"x\"'"),
    "missing key": (b'{"label":1,"score":1}\n{"label":0}\n', "'score' contains 1 null: row 2"),
    "nested": (b'{"label":1,"score":[1]}\n', "row 1: column 'score': '[1]' is not a number"),
    "no object": (b"", "the file is empty"),
}


@pytest.mark.parametrize("fault", [*CSV_FAULTS, *JSON_FAULTS])
def test_faults_name_file_row_and_column(fault, tmp_path, capsys):
    content, message = (CSV_FAULTS | JSON_FAULTS)[fault]
    path = tmp_path / ("data.csv" if fault in CSV_FAULTS else "data.jsonl")
    path.write_bytes(content)
    error = fails(capsys, path)
    assert error.startswith(f"{path}: ")
    assert message in error


def write_parquet(path, score=(0.7, 0.2, 0.9), dtype="float64"):
    pq.write_table(pa.table({"label": [1, 0, 1], "score": pa.array(score, type=dtype)}), path)


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
    path = tmp_path / "x.parquet"
    assert "x.parquet: column 'score' contains 1 null: row 2" in fails(capsys, path)
    write_parquet(path, score=(0.7, 0.1, float("nan")))
    assert "x.parquet: column 'score' contains 1 nan: row 3" in fails(capsys, path)


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
    message = fails(capsys, tmp_path / "x.xlsx")
    assert "unknown kind of file; the name must end in one of .csv" in message
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
    for twice, columns in (("score", ("label", "score", "score")), ("label", ("label", "label"))):
        error = fails(capsys, tmp_path / "x.csv", columns=columns)
        assert f"column '{twice}' is named 2 times" in error


ONE_OBJECT = '{"label":1,"score":1}\n'


@pytest.mark.parametrize(
    ("name", "content", "skipped"),
    [
        ("x.csv", GOOD + "0,abc\n1\n0,1,2\n,1\n1,\n0,nan\n0,inf\nx\n", 8),
        ("x.csv", "label,score\n" + "1,7\n" * 30_000 + "0,x\n" + "0,0.5\n" * 3, 1),
        ("x.jsonl", f'{ONE_OBJECT}{{"label":0,"sc\n{{"label":0}}\n{{"label":0,"score":0}}\n', 2),
        ("x.jsonl", f'{ONE_OBJECT}{{"label":0,"score":"x"}}\n{{"label":0,"score":0}}\n', 1),
    ],
)
def test_skip_counts_and_says_so(tmp_path, capsys, name, content, skipped):
    (tmp_path / name).write_text(content)
    out, err = captured(capsys, "evaluate", tmp_path / name, *SKIP)
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
    message = captured(capsys, "evaluate", *files, *SKIP).err
    assert "3 bad rows skipped, 7 evaluated" in message
    (tmp_path / "x.csv").write_text("label,score\n1,a\n0,b\n")
    message = error_of(capsys, "evaluate", tmp_path / "x.csv", *SKIP)
    assert "no row is left, 2 bad skipped" in message


@pytest.mark.pairwise
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
@pytest.mark.parametrize("before", [1, 30_000])
@pytest.mark.parametrize("more", [[], ["--where", "score > 0.1"], ["--memory", "1GB"]])
def test_a_line_that_is_too_long_is_named(tmp_path, capsys, ending, before, more):
    content = "label,score,note\n" + "1,0.7,\n" * before
    content += "1,0.5," + "z" * 2_500_000 + "\n0,0.2,\n"
    path = tmp_path / f"x.{ending}"
    path.write_bytes(gzip.compress(content.encode(), 1) if ending == "csv.gz" else content.encode())
    message = f"{path}: line {before + 2} is too long: it has more than 2"  # DuckDB's megabytes
    assert fails(capsys, path, *more).startswith(message)


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


POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def fails_slips(capsys, path: Path, *options: str) -> str:
    """Return the message of a failing call, the folder left out."""
    return fails(capsys, path, *options).replace(f"{path.parent}{os.sep}", "")


LINES = ['{"label": 1, "score": 0.5}', '{"label": 0, "score": 0.25}', '{"label": 1, "score": 0.75}']


@pytest.mark.parametrize("bad", ['{"label": 1, "score": }', '{"label": 1, "sc', "no JSON"])
@pytest.mark.parametrize("at", [0, 3])
def test_a_line_that_is_no_json_is_named_by_its_row(capsys, tmp_path, bad, at):
    lines = [*LINES[:at], bad, *LINES[at:]]
    path = written(tmp_path, "a.jsonl", "\n".join(lines) + "\n")
    assert fails_slips(capsys, path).startswith(f"a.jsonl: row {at + 1}: not JSON: ")
    path = written(tmp_path, "a.jsonl", "\n \n" + "\n".join(lines) + "\n")
    assert fails_slips(capsys, path).startswith(
        f"a.jsonl: row {at + 1} (line {at + 3}): not JSON: "
    )


WHERE = {
    "nowhere > 1": "where: there is no column 'nowhere'; the columns are 'label', 'score', 'k' (",
    "k > DATE '2020-01-01'": "where: ",
    "CAST(concat(k, 'x') AS INTEGER) > 1": "where: Could not convert string '1x' to INT32",
    "no_function(k) > 1": "where: Scalar Function with name no_function does not exist",
}


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_a_wrong_condition_is_not_blamed_on_the_file(capsys, tmp_path, where, kind):
    path = tmp_path / f"a.{kind}"
    if kind == "parquet":
        table = {"label": [1, 0, 1, 0], "score": [0.75, 0.25, 0.5, 0.5], "k": [1, 2, 3, 4]}
        pq.write_table(pa.table(table), path)
    elif kind == "csv":
        path.write_text("label,score,k\n1,0.75,1\n0,0.25,2\n1,0.5,3\n0,0.5,4\n")
    else:
        lines = [line.replace("}", ', "k": 1}') for line in LINES]
        path.write_text("\n".join(lines) + "\n")
    message = fails_slips(capsys, path, "--where", where)
    assert message.startswith(WHERE[where])
    assert message.endswith(f"(a.{kind})")
    assert "damaged" not in message
    assert "row" not in message


def test_a_bad_row_beside_a_condition_is_still_the_row(capsys, tmp_path):
    path = written(tmp_path, "a.csv", "label,score,k\n1,0.75,1\n0,x,2\n1,0.5,3\n")
    assert fails_slips(capsys, path, "--where", "k > 0").startswith(
        "a.csv: row 2 (line 3): column 's"
    )


@pytest.mark.parametrize("odd", ["1_000", "0X1F", "-0b11", " 2E+1_0"])
def test_what_only_a_program_writes_is_no_number(capsys, tmp_path, odd):
    text = f"label,score\n1,0.75\n0,{odd}\n1,0.5\n0,0.25\n"
    message = f"a.csv: row 2 (line 3): column 'score': {odd!r} is not a number"
    assert fails_slips(capsys, written(tmp_path, "a.csv", text)) == message
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert fails_slips(capsys, packed) == message.replace("a.csv", "a.csv.gz")


@POSIX
def test_ctrl_c_ends_a_heavy_condition(capsys, tmp_path):
    n = 50_000
    table = {"label": np.arange(n) % 2, "score": np.linspace(0, 1, n)}
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    # Minutes of work.
    where = "list_sum(list_transform(range(500000), lambda x: sqrt(x + score))) > 0"
    pressed = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(1.5, press).start()
    assert main(["evaluate", str(tmp_path / "a.parquet"), *COLUMNS, "--where", where]) == 130
    assert time.perf_counter() - pressed[0] < 3
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("odd", ["1e1_0", "١"])
@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("evaluate", ["--threads"], "must be an integer of at least 1: got {!r}"),
        ("evaluate", ["--prevalence"], "must lie between 0 and 1: got {!r}"),
        ("evaluate", ["--bootstrap", "9", "--threshold"], "must be a number: got {!r}"),
        ("evaluate", ["--seed"], "must be an integer of at least 0, or a key"),
        ("evaluate", ["--cost-fp", "1", "--cost-fn"], "no column {!r}; the columns are"),
        ("evaluate", ["--pos-label"], "--pos-label {!r} cannot be a label"),
        ("evaluate", ["--memory"], "--memory must be a size such as '1GB' or '500MB'"),
        ("compare-benchmarks a b", ["--margin"], "must be above 0, as 5% or 0.05: got {!r}"),
    ],
)
def test_options_take_the_numbers_that_files_may_hold(
    capsys, tmp_path, monkeypatch, command, options, message, odd
):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "a.csv", "label,score\n1,0.75\n0,0.25\n")
    given = [path.name, *COLUMNS] if command.startswith("evaluate") else []
    assert message.format(odd) in error_of(capsys, *command.split(), *given, *options, odd)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cost-fp", "1", "--cost-fn"], "--cost-fn must lie in [0, inf): got inf"),
        (["--bootstrap"], "argument --bootstrap: must be an integer"),
        (["--pos-label"], "cannot be a label"),
    ],
)
def test_a_number_beyond_the_floats_is_infinite(capsys, tmp_path, options, message):
    path = written(tmp_path, "a.csv", "label,score\n1,0.75\n0,0.25\n")
    assert message in fails_slips(capsys, path, *options, "1" + 400 * "0")
    given = [*"--bootstrap 9 --metrics accuracy --verbose --threshold".split(), "1" + 400 * "0"]
    out = captured(capsys, "evaluate", path, *COLUMNS, *given).out
    assert "positive means score ≥ inf" in out


@pytest.mark.parametrize("memory", [[], ["--memory", "100GB"]])
def test_labels_in_quotes_are_texts(capsys, tmp_path, memory):
    lines = [f'{{"label": "{y}", "score": {s}}}' for s, y in enumerate(("7", "007", "7"))]
    path = written(tmp_path, "a.jsonl", "\n".join(lines))
    options = ["--format", "json", *memory, "--pos-label"]
    for label in ("007", "'007'"):
        out = captured(capsys, "evaluate", path, *COLUMNS, *options, label).out
        assert '"n_positive": 1,' in out
    message = "--pos-label \"'7'\" is none of the labels '007', '7'"
    assert fails_slips(capsys, path, *options, "''7''") == message
    path = written(tmp_path, "a.csv", "label,score\n7,1\n1,0\n")
    message = "--pos-label \"'7'\" cannot be a label: column 'label' holds int64 numbers"
    assert fails_slips(capsys, path, *options, "'7'") == message


ODD_COLUMNS = [
    'with "quotes"',
    "with 'quotes'",
    "two words",
    " leading",
    "select",
    "from",
    "naïve_日本",
    "a.b.c",
    "x; DROP TABLE t",
    "-- x",
    "/*",
    "*",
    "[bold]x[/bold]",
    "%s {0} \\n",
    "1",
    "rowid",
    "number",
    "label ",
    "label",
    "Label",
    "😀",
    "$1",
    "?",
]


def evaluate(capsys, path, label, score, *options):
    options = [f"--label={label}", f"--score={score}", "--format=json", *options]
    return json.loads(captured(capsys, "evaluate", path, *options).out)["models"][0]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_odd_column_names(suffix, tmp_path, capsys):
    # DuckDB renames one of two JSON keys that differ in case only; the message shows how.
    columns = [name for name in ODD_COLUMNS if suffix != "jsonl" or name != "Label"]
    scores = {name: [0.9, 0.1, 0.3, 0.5] for name in columns}
    data = pa.table({"y": [1, 0, 1, 0], **scores})
    path = tmp_path / f"x.{suffix}"
    if suffix == "csv":
        pa.csv.write_csv(data, path)
    elif suffix == "parquet":
        pq.write_table(data, path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in data.to_pylist()))
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns if name != "Label"]
    where = " AND ".join(f"{name} < 0.95" for name in quoted)
    for some in (columns[k::4] for k in range(4)):  # pairs of all of them are many
        options = [f"--score={name}" for name in some] + ["--where", where]
        command = ["evaluate", path, "--label=y", *options, "--metrics=roc_auc"]
        models = json.loads(captured(capsys, *command, "--format=json").out)["models"]
        assert [model["name"] for model in models] == some
        assert {model["roc_auc"] for model in models} == {0.75}
        for output in ("table", "markdown", "csv") if suffix == "csv" else ():
            out = captured(capsys, *command, f"--format={output}").out
            seen = ("x; DROP TABLE t", "[bold]x[/bold]", "naïve_日本")
            assert all(name in out for name in seen if name in some)


@pytest.mark.parametrize(
    "name",
    [
        name if k % 3 else pytest.param(name, marks=pytest.mark.exhaustive)
        for k, name in enumerate(ODD_COLUMNS)
    ],
)
def test_an_odd_name_as_label(name, tmp_path, capsys):
    pa.csv.write_csv(pa.table({name: [1, 0, 1, 0], "s": [0.9, 0.1, 0.3, 0.5]}), tmp_path / "x.csv")
    assert evaluate(capsys, tmp_path / "x.csv", name, "s")["roc_auc"] == 0.75


def test_columns_that_differ_in_case_only(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("y,Score,score\n1,1,2\n0,2,1\n")
    assert evaluate(capsys, tmp_path / "x.csv", "y", "Score")["roc_auc"] == 0.0
    assert evaluate(capsys, tmp_path / "x.csv", "y", "score")["roc_auc"] == 1.0


ODD_FILES = [
    "it's.csv",
    'say "x".csv',
    "a[1].csv",
    "*.csv",
    "?.csv",
    "{a,b}.csv",
    "back\\slash.csv",
    "two words.csv",
    "日本.csv",
    "-dash.csv",
    "~home.csv",
    "%2e.csv",
    "year=2024.csv",
    "s3:x.csv",
    "semi;colon.csv",
    "new\nline.csv",
]


@pytest.mark.skipif(os.name == "nt", reason="Windows does not allow such names")
@pytest.mark.parametrize("name", ODD_FILES)
def test_odd_file_names(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # What the name would match, were it taken for a pattern.
    for other in ("a1.csv", "x.csv", "a.csv", "b.csv"):
        (tmp_path / other).write_text("y,s\n1,1\n0,2\n")
    (tmp_path / name).write_text("y,s\n1,2\n0,1\n")
    assert evaluate(capsys, f"./{name}", "y", "s")["roc_auc"] == 1.0
    (tmp_path / name).write_text("y,s\n1,2\n0,x\n")
    text = f"./{name}".replace("\n", " ")
    assert fails(capsys, f"./{name}", columns="ys").startswith(f"{text}: row 2 (line 3)")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems want file names in UTF-8")
def test_a_file_name_that_is_no_text(tmp_path, capsys):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    with open(path, "w") as file:
        file.write("y,s\n1,2\n0,1\n")
    message = fails(capsys, path, columns="ys")
    assert "\\udcff.csv: this name cannot be read here; rename the file" in message


def test_odd_folder_names(tmp_path, capsys):
    folder = tmp_path / "dir [x]*"
    folder.mkdir()
    (folder / "x.csv").write_text("y,s\n1,2\n0,1\n")
    assert evaluate(capsys, folder / "x.csv", "y", "s")["roc_auc"] == 1.0


def test_no_control_characters_reach_the_terminal(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("y\x1b[31m,s\n1,2\n")
    for name in ("x.csv", "\x1b[31m.csv"):
        assert "\x1b" not in fails(capsys, tmp_path / name, columns="ys")


ROWS = "label,score,age,country\n1,0.9,70,NO\n0,0.2,30,SE\n1,0.8,50,NO\n0,0.4,20,NO\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(ROWS)
    (tmp_path / "secret.csv").write_text("password\nhunter2\n")
    return tmp_path


def selected(capsys, where):
    """Return how many rows satisfy a condition."""
    command = ["evaluate", "data.csv", *COLUMNS, "--format", "json", "--where", where]
    return json.loads(captured(capsys, *command).out)["n_rows"]


@pytest.mark.parametrize(
    ("where", "n_rows"),
    [
        ("age >= 30", 3),
        ("country = 'NO' AND NOT (age < 30)", 2),
        ("age BETWEEN 20 AND 50", 3),
        ("age IN (20, 70)", 2),
        ("country LIKE 'N%' OR age > 100", 3),
        ("CASE WHEN country = 'SE' THEN true ELSE age > 60 END", 2),
        ("upper(country) = 'NO'", 3),
        ("age::DOUBLE / 10 > 4.5", 2),
        ("length(country) = 2", 4),
        ("list_contains([30, 50], age)", 2),
        ("coalesce(age, 0) > 0 -- a comment", 4),
        ("age > 20 /* and */ AND age < 70", 2),
        ('"age" > 20', 3),
        ("true", 4),
    ],
)
def test_expressions_select(folder, capsys, where, n_rows):
    assert selected(capsys, where) == n_rows


HOSTILE = [
    "1=1; DROP TABLE t",
    "1=1; COPY (SELECT 42) TO 'stolen.csv'",
    "1=1;",
    ";",
    "1=1) UNION SELECT (1",
    "1=1) UNION ALL SELECT password, 1 FROM read_csv('secret.csv') WHERE (1=1",
    "1=1 UNION SELECT 1",
    "1=1 FROM read_csv('secret.csv')",
    "EXISTS (SELECT * FROM read_csv('secret.csv'))",
    "EXISTS (FROM 'secret.csv')",
    "age IN (SELECT 1)",
    "age = (SELECT count(*) FROM read_text('/etc/passwd'))",
    "age = (SELECT max(age) FROM read_csv('data.csv'))",
    "(SELECT true)",
    "(VALUES (true))",
    "(TABLE x)",
    "age = ANY([20])",
    "age = ANY(SELECT 1)",
    "read_csv('secret.csv')",
    "read_text('/etc/passwd') = ''",
    "glob('/etc/*') IS NOT NULL",
    "unnest([true])",
    "query('SELECT true')",
    "1=1) OR (1=1",
    "1=1 /*",
    "/* 1=1",
    "-- nothing",
    "(1=1",
    "1=1)",
    "((age > 1)",
    "'unclosed",
    '"unclosed',
    "",
    "   ",
    "1=1 AS x",
    "1=1 x",
    "1=1, 2=2",
    "1=1 LIMIT 1",
    "1=1 ORDER BY age",
    "1=1 GROUP BY age",
    "1=1 HAVING true",
    "1=1 QUALIFY true",
    "1=1 WINDOW w AS ()",
    "1=1 WHERE 2=2",
    "DISTINCT age > 1",
    "*",
    "COLUMNS(*) > 1",
    "#1 > 0",
    "age = ?",
    "age = $1",
    "age = $x",
    "COPY data TO 'stolen.csv'",
    "ATTACH 'stolen.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA database_list",
    "SET threads = 1",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "CALL pragma_version()",
    "EXPORT DATABASE 'stolen'",
    "CREATE TABLE stolen AS SELECT 1",
    "getenv('HOME') = 'x'",
    "write_log('x') IS NULL",
    "nextval('s') > 0",
    "random() > 0.5",
    "uuid() IS NOT NULL",
    "sleep_ms(60000) IS NULL",
    "pg_sleep(60) IS NULL",
    "error('x')",
    "count(*) > 0",
    "sum(age) > 0",
    "sum(age) OVER () > 0",
    "row_number() OVER () = 1",
    "get_block_size('memory') > 0",
    "age",
    "country",
    "1",
    "'true'",
    "nope > 1",
    "secret.password = 'x'",
    "\0",
    "1=1\0",
]


@pytest.mark.parametrize("where", HOSTILE)
def test_hostile_expressions_are_refused(folder, capsys, where):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "hunter2" not in fails(capsys, "data.csv", "--where", where)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_error_lists_why(folder, capsys):
    for where, why in (
        ("age IN (SELECT 1)", "it contains a subquery"),
        ("age > 1; SELECT age", "it is 2 statements"),
        ("age", "this one is BIGINT"),
        ("nope > 1", "nope"),
        ("age > 1000", "no row satisfies the condition"),
    ):
        assert why in fails(capsys, "data.csv", "--where", where)
