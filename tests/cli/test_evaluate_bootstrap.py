"""`fastmetrics evaluate --bootstrap`: intervals in every output, seeds, names, what is refused."""

import csv
import io
import json
import sys
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from bootstrap_cases import BOTH, ONE, QUICK, N, error_of, output_of, run

from fastmetrics import estimate, evaluate
from fastmetrics.cli import main


@pytest.mark.parametrize(
    ("models", "options", "given"),
    [
        (BOTH, "", {}),
        (ONE, "--method basic", {"method": "basic"}),
        (BOTH, "--confidence-level 0.8", {"confidence_level": 0.8}),
        (ONE, "--stratified", {"stratified": True}),
        (BOTH, "--groups name", {"groups": "name"}),
        (ONE, "--groups half --weight w", {"groups": "half", "sample_weight": "w"}),
        (BOTH, "--metrics f1 rank_loss --threshold 0.5", {"metrics": ["f1", "rank_loss"]}),
    ],
    ids=str,
)
def test_json_is_what_python_returns(scored, columns, capsys, options, given, models):
    given = {k: columns.get(v, v) if isinstance(v, str) else v for k, v in given.items()}
    if "metrics" in given:
        given["threshold"] = 0.5
    found = json.loads(output_of(capsys, *models, *QUICK, *options.split(), "--format", "json"))
    scores = {name: columns[name] for name in models[1::2]}
    expected = evaluate(columns["y"], scores, n_resamples=99, rng=7, **given)
    assert found.pop("schema_version") == 1
    assert found.pop("n_rows") == N
    assert found.pop("n_skipped") == 0
    assert found == expected.to_dict()
    assert ("differences" in found) is (models is BOTH)


@pytest.mark.parametrize("models", [ONE, BOTH])
def test_csv_has_the_rows_of_the_data_frame(scored, columns, capsys, models):
    text = output_of(capsys, *models, *QUICK, "--groups", "user", "--format", "csv")
    scores = {name: columns[name] for name in models[1::2]}
    expected = evaluate(columns["y"], scores, n_resamples=99, rng=7, groups=columns["user"])
    frame = expected.to_frame("pandas").fillna(np.nan)
    found = pd.read_csv(io.StringIO(text))
    pd.testing.assert_frame_equal(found, frame, check_dtype=False, rtol=1e-14)


@pytest.mark.parametrize("names", [["ks_statistic"], ["ks"], ["auc", "ap"]])
def test_csv_names_a_measure_of_the_table_once(scored, capsys, names):
    options = ("--metrics", *names, "--format", "csv")
    text = output_of(capsys, *ONE, *QUICK, *options)
    metrics = [row["metric"] for row in csv.DictReader(io.StringIO(text))]
    assert sorted(metrics) == sorted(
        "n_positive n_negative average_precision break_even_point threshold tpr_at_best_threshold "
        "fpr_at_best_threshold roc_auc ks_statistic".split()
    )


def cells(line):
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_markdown(scored, columns, capsys):
    text = output_of(capsys, *BOTH, *QUICK, "--format", "markdown")
    measures, differences, *_ = text.split("\n\n")
    method = "[95" + text.partition("\n\n[95")[2]
    rows = {cells(line)[0]: cells(line)[1:] for line in measures.splitlines()}
    model = evaluate(columns["y"], columns["a"], n_resamples=9)[0]
    assert rows[""] == ["a", "b"]
    assert rows["n+"] == [str(model.n_positive)] * 2
    assert rows["AUC ↑"][0].startswith(f"{model.roc_auc:.4f} [0.")
    assert {"TPR at it ↑", "FPR at it ↓"} < rows.keys()
    note = model.bootstrap["fpr_at_best_threshold"].note
    said = f"TPR at the best threshold, FPR at the best threshold: {note}."
    assert " ".join(text.split()).count(said) == 1
    lines = differences.splitlines()
    assert cells(lines[0]) == ["a − b", "estimate [95 % interval]", "p", "better"]
    assert len(lines) == 2 + 6
    assert method.startswith("[95 % interval]: percentile bootstrap (BCa: AUC, average")


def shown_p(p):
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


@pytest.mark.parametrize("width", [40, 200])
def test_the_table_fits_the_terminal_and_loses_nothing(scored, columns, capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    options = (*BOTH, "--score", "p", *QUICK)
    out = output_of(capsys, *options)
    assert max(map(len, out.splitlines())) <= width
    scores = {name: columns[name] for name in "abp"}
    expected = evaluate(columns["y"], scores, n_resamples=99, rng=7)
    shown = " ".join(out.split())
    for model in expected:
        for result in model.bootstrap.values():
            assert f"{result.estimate:.4f}" in shown
            low, high = result.confidence_interval.low, result.confidence_interval.high
            assert f"[{low:.4f}, {high:.4f}]".replace("-", "−") in shown
    for pairs in expected.comparisons.values():
        for pair in pairs:
            low, high = pair.confidence_interval.low, pair.confidence_interval.high
            assert f"[{low:.4f}, {high:.4f}]".replace("-", "−") in shown
            assert shown_p(pair.pvalue) in shown
            assert shown_p(pair.pvalue_holm) in shown
    assert expected.bootstrap.key in shown
    assert "which each resample looks" in shown


def test_the_method_is_told_and_whose_is_another(scored, capsys):
    def first_caption(*options):
        out = output_of(capsys, *BOTH, *QUICK, *options)
        return " ".join(out[out.index("[95 % interval]: ") :].split()), out

    caption = first_caption()[0]
    said = (
        "[95 % interval]: percentile bootstrap (BCa: AUC, average precision), 99 resamples of rows;"
    )
    assert caption.startswith(said)
    caption, out = first_caption("--stratified", "--method", "basic")
    assert "basic bootstrap, 99 resamples of rows of each class by themselves; --seed" in caption
    assert "Differences: basic intervals, on the same resamples" in out
    caption, out = first_caption("--groups", "user", "--metrics", "f1", "--threshold", 0)
    assert caption.startswith("[95 % interval]: percentile bootstrap (BCa: f1), 99 resamples of ")
    assert "whole groups, of which there are 80; --seed" in caption
    assert "Differences: basic intervals, on the same resamples" in out


def test_many_models_show_the_differences_of_the_auc(scored, columns, capsys):
    names = [f"model_with_a_rather_long_name_{i}" for i in range(6)]
    scores = {name: columns["b"] + i * columns["p"] for i, name in enumerate(names)}
    pq.write_table(pa.table({"y": columns["y"]} | scores), "x.parquet")
    options = [part for name in names for part in ("--score", name)]
    assert run(*options, "--bootstrap", 19, "--seed", 0) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 100
    assert "adjusted for the 15 pairs" in " ".join(out.split())
    assert "… 60 rows more: --format csv has all." in out


def test_the_same_seed_or_key_gives_the_same_bits_on_any_number_of_threads(scored, capsys):
    options = (*BOTH, "--bootstrap", 49, "--format", "json")
    first = output_of(capsys, *options, "--seed", 5)
    assert output_of(capsys, *options, "--seed", 5, "--threads", 3) == first
    key = json.loads(first)["bootstrap"]["key"]
    assert output_of(capsys, *options, "--seed", key) == first
    assert output_of(capsys, *options, "--seed", key.upper()) == first
    assert output_of(capsys, *options, "--seed", 6) != first
    assert output_of(capsys, *options) != output_of(capsys, *options)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_text_groups_are_those_of_the_numbers_whatever_the_order(scored, columns, capsys, kind):
    words = [f"user {user:04d}" for user in columns["user"]]
    order = np.random.default_rng(0).permutation(N)
    table = pa.table(
        {"y": columns["y"], "a": columns["a"], "user": columns["user"], "words": words}
    ).take(order)
    path = f"x.{kind}"
    if kind == "csv":
        pa.csv.write_csv(table, path)
    else:
        pq.write_table(table, path, row_group_size=7)
    found = []
    for groups in ("user", "words"):
        options = ["--label", "y", *ONE, *map(str, QUICK), "--groups", groups, "--format", "json"]
        assert main(["evaluate", path, *options]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]
    # Sums over the rows of a group, of which KS has its limits, are rounded in the rows' order.
    rounded = partial(json.loads, parse_float=lambda text: float(f"{float(text):.13g}"))
    whole = rounded(output_of(capsys, *ONE, *QUICK, "--groups", "user", "--format", "json"))
    assert whole["models"] == rounded(found[0])["models"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f1", "f1"),
        (
            "recall_at_false_positive_rate:false_positive_rate=0.05",
            ("recall_at_false_positive_rate", {"false_positive_rate": 0.05}),
        ),
        (
            "partial_auc:false_positive_rate_range=0,0.1",
            ("partial_auc", {"false_positive_rate_range": (0, 0.1)}),
        ),
        ("cost:cost_fn=5:cost_fp=1", ("cost", {"cost_fn": 5, "cost_fp": 1})),
        ("partial_auc:standardized=False", ("partial_auc", {"standardized": False})),
        ("cohen_kappa:weights=none", ("cohen_kappa", {"weights": None})),
    ],
)
def test_measures_as_they_are_written(scored, columns, capsys, text, expected):
    options = ("--metrics", text, "--threshold", 0.5, "--format", "json")
    found = json.loads(output_of(capsys, *ONE, *QUICK, *options))["models"][0]["bootstrap"]
    own = estimate(columns["y"], columns["a"], metrics={text: expected}, threshold=0.5)
    assert found[text]["estimate"] == pytest.approx(own[text].estimate, rel=1e-14)


ERRORS = {
    "one resample": ((*ONE, "--bootstrap", 1), "--bootstrap must be at least 2: got 1"),
    "too many": ((*ONE, "--bootstrap", 10**9), "--bootstrap of 1,000,000,000 would keep 48 GB"),
    "method": ((*ONE, *QUICK, "--method", "t"), "argument --method: invalid choice: 't'"),
    "seed": ((*ONE, "--bootstrap", 9, "--seed", "-1"), "argument --seed: must be an integer of"),
    "key": ((*ONE, "--bootstrap", 9, "--seed", "12ab"), "or a key of 16 hexadecimal digits: got"),
    "bca of what jumps": (
        (*ONE, *QUICK, "--method", "bca"),
        "--method bca is not defined for 'break_even_point', which jumps from score to score",
    ),
    "stratified groups": (
        (*ONE, *QUICK, "--groups", "user", "--stratified"),
        "--stratified and --groups exclude each other",
    ),
    "measure twice": ((*ONE, *QUICK, "--metrics", "f1", "f1"), "--metrics names 'f1' more than"),
    "no value": ((*ONE, *QUICK, "--metrics", "cost:cost_fn"), "'cost_fn' is no parameter with its"),
    "no threshold": ((*ONE, *QUICK, "--metrics", "f1"), "'f1' counts decisions: pass --threshold"),
    "no probabilities, two models": (
        (*BOTH, *QUICK, "--metrics", "log_loss"),
        "column 'a' must lie in [0, 1]: from -",
    ),
    "groups are scores": ((*ONE, *QUICK, "--groups", "a"), "column 'a' is named 2 times"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case, scored, capsys):
    options, message = ERRORS[case]
    assert message in error_of(capsys, *options)


@pytest.mark.parametrize("option", [("--method", "bca"), ("--stratified",), ("--seed", 0)])
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


@pytest.mark.parametrize("output", ["table", "json"])
def test_one_class_is_told_once_and_not_resampled(scored, columns, capsys, output):
    pq.write_table(pa.table(columns | {"y": np.ones(N, np.int8)}), "x.parquet")
    assert run(*ONE, *QUICK, "--format", output) == 0
    out, err = capsys.readouterr()
    assert err.startswith("fastmetrics: warning: model 'a': one class only")
    assert err.count("\n") == 1
    assert "resamples" not in out
    if output == "json":
        assert "bootstrap" not in json.loads(out)
