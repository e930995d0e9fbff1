"""`fastmetrics evaluate --bootstrap`: what is refused, and what is told."""

from __future__ import annotations

import json
import re

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
    "bca with groups, two models": (
        (*BOTH, *QUICK, "--groups", "user", "--method", "bca"),
        "--method bca is not defined for differences of groups: take --method percentile",
    ),
    "bca with weights": (
        (*ONE, *QUICK, "--weight", "w", "--method", "bca"),
        "--method bca is not defined for 'roc_auc' with importance weights",
    ),
    "stratified groups": (
        (*ONE, *QUICK, "--groups", "user", "--stratified"),
        "--stratified and --groups exclude each other",
    ),
    "unknown measure": (
        (*ONE, *QUICK, "--metrics", "auroq"),
        "--metrics names 'auroq', which",
    ),
    "measure twice": (
        (*ONE, *QUICK, "--metrics", "f1", "f1"),
        "--metrics names 'f1' more than",
    ),
    "no value": ((*ONE, *QUICK, "--metrics", "cost:cost_fn"), "'cost_fn' is no parameter with its"),
    "wrong value": (
        (*ONE, *QUICK, "--metrics", "recall_at_false_positive_rate:false_positive_rate=2"),
        "metric 'recall_at_false_positive_rate:false_positive_rate=2': ",
    ),
    "needs a value": (
        (*ONE, *QUICK, "--metrics", "recall_at_false_positive_rate"),
        "needs its parameter 'false_positive_rate'",
    ),
    "no threshold": ((*ONE, *QUICK, "--metrics", "f1"), "'f1' counts decisions: pass --threshold"),
    "no probabilities": (
        (*ONE, *QUICK, "--metrics", "log_loss"),
        "column 'a' must lie in [0, 1]: from -",
    ),
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


def test_lost_classes_are_shown_and_told(scored, capsys):
    score = np.arange(20.0)
    score[18] = 5
    pq.write_table(pa.table({"y": np.repeat([0, 1], [18, 2]), "a": score}), "x.parquet")
    assert run(*ONE, "--bootstrap", 999, "--seed", 1) == 0
    out, err = capsys.readouterr()
    assert "'roc_auc' is undefined in " in err
    assert "they lost a class (--stratified keeps both); the interval is conditional on" in err
    assert "(the same: 'average_precision', 'ks_statistic', 'tpr_at_best_threshold', " in err
    notes = " ".join(out.split())
    n_failed = max(map(int, re.findall(r"undefined in (\d+) of 999 replicates", notes)))
    assert "precision equals recall at 0 only" in notes
    assert run(*ONE, "--bootstrap", 999, "--seed", 1, "--format", "json") == 0
    model = json.loads(capsys.readouterr().out)["models"][0]["bootstrap"]
    assert max(result.get("n_failed", 0) for result in model.values()) == n_failed > 50


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


def test_a_measure_that_the_data_do_not_have(scored, capsys):
    (scored / "x.csv").write_text("y,a\n1,3\n0,1\n0,2\n0,4\n1,1.5\n0,6\n0,7\n")
    options = ["--label", "y", *ONE, "--bootstrap", "99", "--seed", "1", "--stratified"]
    assert main(["evaluate", "x.csv", *options]) == 0
    out, err = capsys.readouterr()
    assert re.search("break-even point ↑ +– \\[–, –\\]", out)
    assert err.count("break-even point is not defined") == 1
