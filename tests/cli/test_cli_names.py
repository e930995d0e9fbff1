"""Columns and files of any spelling; a session that sees the named files and nothing else."""

import json
import os
import sys

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from fastmetrics.cli import main

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
    arguments = [str(path), f"--label={label}", f"--score={score}", "--format", "json", *options]
    code = main(["evaluate", *arguments])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)["models"][0]


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
    options = [f"--score={name}" for name in columns] + ["--where", where]
    assert main(["evaluate", str(path), "--label=y", *options, "--format=json"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    assert [model["name"] for model in models] == columns
    assert {model["roc_auc"] for model in models} == {0.75}
    for output in ("table", "markdown", "csv") if suffix == "csv" else ():
        assert main(["evaluate", str(path), "--label=y", *options, f"--format={output}"]) == 0
        out = capsys.readouterr().out
        assert all(name in out for name in ("x; DROP TABLE t", "[bold]x[/bold]", "naïve_日本"))


@pytest.mark.parametrize("name", ODD_COLUMNS)
def test_an_odd_name_as_label(name, tmp_path, capsys):
    data = pa.table({name: [1, 0, 1, 0], "s": [0.9, 0.1, 0.3, 0.5]})
    pa.csv.write_csv(data, tmp_path / "x.csv")
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
    assert evaluate(capsys, tmp_path / name, "y", "s")["roc_auc"] == 1.0
    assert evaluate(capsys, f"./{name}", "y", "s")["n_positive"] == 1
    (tmp_path / name).write_text("y,s\n1,2\n0,x\n")
    assert main(["evaluate", f"./{name}", "--label", "y", "--score", "s"]) == 2
    shown = f"./{name}".replace("\n", " ")
    assert capsys.readouterr().err.startswith(f"fastmetrics: error: {shown}: row 2 (line 3)")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems want file names in UTF-8")
def test_a_file_name_that_is_no_text(tmp_path, capsys):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    with open(path, "w") as file:
        file.write("y,s\n1,2\n0,1\n")
    assert main(["evaluate", path, "--label", "y", "--score", "s"]) == 2
    assert "\\udcff.csv: this name cannot be read here; rename the file" in capsys.readouterr().err


def test_odd_folder_names(tmp_path, capsys):
    folder = tmp_path / "dir [x]*"
    folder.mkdir()
    (folder / "x.csv").write_text("y,s\n1,2\n0,1\n")
    assert evaluate(capsys, folder / "x.csv", "y", "s")["roc_auc"] == 1.0


def test_no_control_characters_reach_the_terminal(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("y\x1b[31m,s\n1,2\n")
    main(["evaluate", str(tmp_path / "x.csv"), "--label", "y", "--score", "s"])
    assert "\x1b" not in capsys.readouterr().err
    main(["evaluate", str(tmp_path / "\x1b[31m.csv"), "--label", "y", "--score", "s"])
    assert "\x1b" not in capsys.readouterr().err
