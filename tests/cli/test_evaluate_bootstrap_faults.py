"""`fastmetrics evaluate --bootstrap`: what is refused, and what is told."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bootstrap_cases import BOTH, ONE, QUICK, N, error_of, run

from fastmetrics.cli import main

ERRORS = {
    "one resample": ((*ONE, "--bootstrap", 1), "--bootstrap must be at least 2: got 1"),
    "no resamples": ((*ONE, "--bootstrap", 0), "argument --bootstrap: must be an integer of at le"),
    "too many": ((*ONE, "--bootstrap", 10**9), "--bootstrap of 1,000,000,000 would keep 48 GB"),
    "method": ((*ONE, *QUICK, "--method", "t"), "argument --method: invalid choice: 't'"),
    "seed": ((*ONE, "--bootstrap", 9, "--seed", "-1"), "argument --seed: must be an integer of"),
    "key": (
        (*ONE, "--bootstrap", 9, "--seed", "12ab"),
        "or a key of 16 hexadecimal digits: got",
    ),
    "threshold": ((*ONE, *QUICK, "--threshold", "nan"), "argument --threshold: must be a number"),
    "bca of what jumps": (
        (*ONE, *QUICK, "--method", "bca"),
        "--method bca is not defined for 'break_even_point', which jumps from score to score",
    ),
    "stratified groups": (
        (*ONE, *QUICK, "--groups", "user", "--stratified"),
        "--stratified and --groups exclude each other",
    ),
    "measure twice": (
        (*ONE, *QUICK, "--metrics", "f1", "f1"),
        "--metrics names 'f1' more than",
    ),
    "no value": ((*ONE, *QUICK, "--metrics", "cost:cost_fn"), "'cost_fn' is no parameter with its"),
    "no threshold": ((*ONE, *QUICK, "--metrics", "f1"), "'f1' counts decisions: pass --threshold"),
    "no probabilities, two models": (
        (*BOTH, *QUICK, "--metrics", "log_loss"),
        "each score column must lie in [0, 1]: from -",
    ),
    "no such groups": (
        (*ONE, *QUICK, "--groups", "z"),
        "x.parquet: no column 'z'; the columns",
    ),
    "null group": (
        (*ONE, *QUICK, "--groups", "absent"),
        "x.parquet: column 'absent' contains 1",
    ),
    "groups are scores": ((*ONE, *QUICK, "--groups", "a"), "column 'a' is named 2 times"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case, scored, capsys):
    options, message = ERRORS[case]
    assert message in error_of(capsys, *options)


@pytest.mark.parametrize(
    "option",
    [
        ("--method", "bca"),
        ("--stratified",),
        ("--seed", 0),
    ],
    ids=lambda option: option[0],
)
def test_options_that_need_a_bootstrap(scored, capsys, option):
    expected = f"{option[0]} is of the bootstrap: pass --bootstrap with it"
    assert error_of(capsys, *ONE, *option) == expected


def test_wrong_options_are_told_before_the_files_are_read(scored, capsys):
    (scored / "x.parquet").unlink()
    for case in ("one resample", "stratified groups", "no threshold"):
        options, message = ERRORS[case]
        assert message in error_of(capsys, *options)


def test_the_row_of_a_null_group(scored, capsys):
    assert error_of(capsys, *ONE, *QUICK, "--groups", "absent").endswith("contains 1 null: row 7")
    (scored / "x.csv").write_text("y,a,g\n1,2,4\n0,1,\n")
    options = ["--label", "y", *ONE, "--bootstrap", "9", "--groups", "g"]
    assert main(["evaluate", "x.csv", *options]) == 2
    assert "x.csv: column 'g' contains 1 null: row 2" in capsys.readouterr().err


def test_rows_without_a_group_can_be_skipped(scored, columns, capsys):
    options = (*ONE, *QUICK, "--groups", "absent", "--on-bad-row", "skip", "--format", "json")
    assert run(*options) == 0
    out, err = capsys.readouterr()
    assert err == "fastmetrics: note: 1 bad row skipped, 239 evaluated\n"
    assert json.loads(out)["bootstrap"]["n_groups"] == 239


def test_warnings_are_one_line_a_kind(scored, columns, capsys):
    assert run(*ONE, "--score", "perfect", *QUICK) == 0
    err = capsys.readouterr().err
    lines = err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("fastmetrics: warning: bootstrap: the interval of 'roc_auc' is deg")
    assert lines[0].endswith(
        "(the same: 'average_precision', 'break_even_point', 'ks_statistic', "
        "'tpr_at_best_threshold', 'fpr_at_best_threshold')"
    )
    assert lines[1].startswith("fastmetrics: note: model 'perfect': no sound bootstrap interval of")
    assert run("--score", "perfect", *QUICK, "--metrics", "roc_auc") == 0
    assert capsys.readouterr().err.startswith("fastmetrics: warning: model 'perfect': the interval")


@pytest.mark.parametrize("output", ["table", "json", "csv", "markdown"])
def test_one_class_is_told_once_and_not_resampled(scored, columns, capsys, output):
    pq.write_table(pa.table(columns | {"y": np.ones(N, np.int8)}), "x.parquet")
    assert run(*ONE, *QUICK, "--format", output) == 0
    out, err = capsys.readouterr()
    assert err.startswith("fastmetrics: warning: model 'a': one class only")
    assert err.count("\n") == 1
    assert "resamples" not in out
    if output == "json":
        assert "bootstrap" not in json.loads(out)
