"""Slips at the command line: the message blames what is wrong, and says where it is."""

import gzip
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastmetrics.cli import main

COLUMNS = ["--label", "label", "--score", "score"]
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def fails(capsys, path: Path, *options: str) -> str:
    """Return what is said of a failing call, the folder left out."""
    assert main(["evaluate", str(path), *COLUMNS, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err.replace(f"{path.parent}{os.sep}", "").removeprefix("fastmetrics: error: ").rstrip()


LINES = ['{"label": 1, "score": 0.5}', '{"label": 0, "score": 0.25}', '{"label": 1, "score": 0.75}']


@pytest.mark.parametrize("bad", ['{"label": 1, "score": }', '{"label": 1, "sc', "no JSON"])
@pytest.mark.parametrize("at", [0, 3])
def test_a_line_that_is_no_json_is_named_by_its_row(capsys, tmp_path, bad, at):
    lines = [*LINES[:at], bad, *LINES[at:]]
    path = written(tmp_path, "a.jsonl", "\n".join(lines) + "\n")
    assert fails(capsys, path).startswith(f"a.jsonl: row {at + 1}: not JSON: ")
    path = written(tmp_path, "a.jsonl", "\n \n" + "\n".join(lines) + "\n")
    assert fails(capsys, path).startswith(f"a.jsonl: row {at + 1} (line {at + 3}): not JSON: ")


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
    said = fails(capsys, path, "--where", where)
    assert said.startswith(WHERE[where])
    assert said.endswith(f"(a.{kind})")
    assert "damaged" not in said
    assert "row" not in said


def test_a_bad_row_beside_a_condition_is_still_the_row(capsys, tmp_path):
    path = written(tmp_path, "a.csv", "label,score,k\n1,0.75,1\n0,x,2\n1,0.5,3\n")
    assert fails(capsys, path, "--where", "k > 0").startswith("a.csv: row 2 (line 3): column 's")


@pytest.mark.parametrize("odd", ["1_000", "0X1F", "-0b11", " 2E+1_0"])
def test_what_only_a_program_writes_is_no_number(capsys, tmp_path, odd):
    text = f"label,score\n1,0.75\n0,{odd}\n1,0.5\n0,0.25\n"
    message = f"a.csv: row 2 (line 3): column 'score': {odd!r} is not a number"
    assert fails(capsys, written(tmp_path, "a.csv", text)) == message
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert fails(capsys, packed) == message.replace("a.csv", "a.csv.gz")


@pytest.mark.parametrize("odd", ["1e1_0", "0x10", " 7 "])
def test_nor_is_such_a_text_in_json(capsys, tmp_path, odd):
    lines = [*LINES[:2], f'{{"label": 0, "score": "{odd}"}}', LINES[2]]
    path = written(tmp_path, "a.jsonl", "\n".join(lines))
    assert fails(capsys, path) == f"a.jsonl: row 3: column 'score': '\"{odd}\"' is not a number"


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
    ("command", "options", "said"),
    [
        ("evaluate", ["--threads"], "must be an integer of at least 1: got {!r}"),
        ("evaluate", ["--prevalence"], "must lie between 0 and 1: got {!r}"),
        ("evaluate", ["--bootstrap", "9", "--threshold"], "must be a number: got {!r}"),
        ("evaluate", ["--seed"], "must be an integer of at least 0, or a key"),
        ("evaluate", ["--cost-fp", "1", "--cost-fn"], "no column {!r}; the columns are"),
        ("evaluate", ["--pos-label"], "--pos-label {!r} cannot be a label"),
        ("evaluate", ["--memory"], "--memory must be a size such as '1GB' or '500MB'"),
        ("plot roc", ["-o", "a.png", "--threshold"], "must be a number or one of"),
        ("plot roc", ["-o", "a.png", "--width"], "must be a number: got {!r}"),
        ("compare-benchmarks a b", ["--margin"], "must be above 0, as 5% or 0.05: got {!r}"),
    ],
)
def test_options_take_the_numbers_that_files_may_hold(
    capsys, tmp_path, monkeypatch, command, options, said, odd
):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, "a.csv", "label,score\n1,0.75\n0,0.25\n")
    rows = [path.name, "--label", "label", "--score", "score"]
    given = rows if command.split()[0] in ("evaluate", "plot") else []
    assert main([*command.split(), *given, *options, odd]) == 2
    assert said.format(odd) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cost-fp", "1", "--cost-fn"], "--cost-fn must lie in [0, inf): got inf"),
        (["--bootstrap"], "argument --bootstrap: must be an integer"),
        (["--pos-label"], "cannot be a label"),
    ],
)
def test_a_number_beyond_the_floats_is_infinite(capsys, tmp_path, options, said):
    path = written(tmp_path, "a.csv", "label,score\n1,0.75\n0,0.25\n")
    assert said in fails(capsys, path, *options, "1" + 400 * "0")
    asked = ["--bootstrap", "9", "--metrics", "accuracy", "--threshold", "1" + 400 * "0"]
    assert main(["evaluate", str(path), *COLUMNS, *asked]) == 0
    assert "positive means score ≥ inf" in capsys.readouterr().out


@pytest.mark.parametrize("memory", [[], ["--memory", "100GB"]])
def test_labels_in_quotes_are_texts(capsys, tmp_path, memory):
    lines = [f'{{"label": "{y}", "score": {s}}}' for s, y in enumerate(("7", "007", "7"))]
    path = written(tmp_path, "a.jsonl", "\n".join(lines))
    options = ["--format", "json", *memory, "--pos-label"]
    for label in ("007", "'007'"):
        assert main(["evaluate", str(path), *COLUMNS, *options, label]) == 0
        assert '"n_positive": 1,' in capsys.readouterr().out
    said = "--pos-label \"'7'\" is none of the labels '007', '7'"
    assert fails(capsys, path, *options, "''7''") == said
    path = written(tmp_path, "a.csv", "label,score\n7,1\n1,0\n")
    said = "--pos-label \"'7'\" cannot be a label: column 'label' holds int64 numbers"
    assert fails(capsys, path, *options, "'7'") == said
