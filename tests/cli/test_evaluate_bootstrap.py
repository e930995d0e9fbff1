"""`fastmetrics evaluate --bootstrap`: intervals in every output, seeds, measures by name."""

from __future__ import annotations

import csv
import io
import json
import sys
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from bootstrap_cases import BOTH, ONE, QUICK, N, output_of, run

from fastmetrics import estimate, evaluate
from fastmetrics.cli import main


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ((), {}),
        (("--method", "percentile"), {"method": "percentile"}),
        (("--method", "bca"), {"method": "bca"}),
        (("--method", "basic", "--confidence-level", 0.8), {"method": "basic"}),
        (("--stratified",), {"stratified": True}),
        (("--groups", "user"), {"groups": "user"}),
        (("--groups", "name"), {"groups": "name"}),
        (("--groups", "half", "--weight", "w"), {"groups": "half", "sample_weight": "w"}),
        (("--metrics", "f1", "rank_loss", "--threshold", 0.5), {"metrics": ["f1", "rank_loss"]}),
    ],
    ids=str,
)
@pytest.mark.parametrize("models", [ONE, BOTH], ids=["one", "two"])
def test_json_is_what_python_returns(scored, columns, capsys, options, given, models):
    given = {k: columns.get(v, v) if isinstance(v, str) else v for k, v in given.items()}
    if "metrics" in given:
        given["threshold"] = 0.5
    level = 0.8 if "--confidence-level" in options else 0.95
    found = json.loads(output_of(capsys, *models, *QUICK, *options, "--format", "json"))
    scores = {name: columns[name] for name in models[1::2]}
    expected = evaluate(
        columns["y"], scores, n_resamples=99, rng=7, confidence_level=level, **given
    )
    assert found.pop("schema_version") == 1
    assert found.pop("n_rows") == N
    assert found.pop("n_skipped") == 0
    assert found == expected.to_dict()
    assert ("differences" in found) is (models is BOTH)


def test_csv_has_every_figure(scored, columns, capsys):
    text = output_of(capsys, *BOTH, *QUICK, "--groups", "user", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    scores = {name: columns[name] for name in "ab"}
    expected = evaluate(columns["y"], scores, n_resamples=99, rng=7, groups=columns["user"])
    by_place = {(row["model"], row["minus_model"], row["metric"]): row for row in rows}
    assert len(by_place) == len(rows) == 2 * (3 + 6) + 6
    for model in expected:
        assert by_place[model.name, "", "n_positive"]["estimate"] == str(model.n_positive)
        assert float(by_place[model.name, "", "threshold"]["estimate"]) == model.threshold
        assert by_place[model.name, "", "threshold"]["low"] == ""
        for metric, result in model.bootstrap.items():
            row = by_place[model.name, "", metric]
            interval = result.confidence_interval
            for field, value in (
                *(("estimate", result.estimate), ("low", interval.low), ("high", interval.high)),
                ("standard_error", result.standard_error),
            ):
                assert float(row[field]) == value
            found = result.details
            failed, bias = ("", "") if found is None else (str(found.n_failed), str(found.bias))
            assert (row["n_failed"], row["bias"]) == (failed, bias)
            assert (row["method"], row["n_resamples"]) == (result.method, "99")
            assert (row["key"], row["n_groups"]) == (expected.bootstrap.key, "80")
            assert (row["confidence_level"], row["pvalue"]) == ("0.95", "")
    for metric, (pair,) in expected.comparisons.items():
        row = by_place["a", "b", metric]
        assert float(row["estimate"]) == pair.difference
        assert float(row["pvalue"]) == pair.pvalue
        assert float(row["pvalue_holm"]) == pair.pvalue_holm
        assert (float(row["low"]), float(row["high"])) == (
            pair.confidence_interval.low,
            pair.confidence_interval.high,
        )


def test_csv_names_a_measure_of_the_table_once(scored, capsys):
    options = ("--metrics", "ks_statistic", "--format", "csv")
    text = output_of(capsys, *ONE, *QUICK, *options)
    metrics = [row["metric"] for row in csv.DictReader(io.StringIO(text))]
    assert sorted(metrics) == sorted(
        "n_positive n_negative average_precision break_even_point threshold true_positive_rate "
        "false_positive_rate roc_auc ks_statistic".split()
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
    lines = differences.splitlines()
    assert cells(lines[0]) == ["a − b", "estimate [95 % interval]", "p", "better"]
    assert len(lines) == 2 + 6
    assert method.startswith("[95 % interval]: BCa bootstrap (percentile: TPR at the best")


def shown_p(p):
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


@pytest.mark.parametrize("width", [40, 100, 200])
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
    assert "Each resample chooses its own" in shown


def test_the_method_is_told_and_whose_is_another(scored, capsys):
    def first_caption(*options):
        out = output_of(capsys, *BOTH, *QUICK, *options)
        return " ".join(out[out.index("[95 % interval]: ") :].split()), out

    caption = first_caption()[0]
    assert caption.startswith("[95 % interval]: BCa bootstrap (percentile: TPR at the best thresho")
    assert "FPR at the best threshold), 99 resamples of rows;" in caption
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
    assert output_of(capsys, *options, "--seed", 5, "--threads", 1) == first
    assert output_of(capsys, *options, "--seed", 5, "--threads", 3) == first
    key = json.loads(first)["bootstrap"]["key"]
    assert output_of(capsys, *options, "--seed", key) == first
    assert output_of(capsys, *options, "--seed", key.upper()) == first
    assert output_of(capsys, *options, "--seed", 6) != first
    assert output_of(capsys, *options) != output_of(capsys, *options)


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_text_groups_are_those_of_the_numbers_whatever_the_order(scored, columns, capsys, kind):
    words = [f"user {user:04d}" for user in columns["user"]]
    order = np.random.default_rng(0).permutation(N)
    table = pa.table(
        {"y": columns["y"], "a": columns["a"], "user": columns["user"], "words": words}
    ).take(order)
    path = f"x.{kind}"
    if kind == "csv":
        pa.csv.write_csv(table, path)
    elif kind == "jsonl":
        (scored / path).write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
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
        ("best_threshold:criterion=fbeta", ("best_threshold", {"criterion": "fbeta"})),
        ("partial_auc:standardized=False", ("partial_auc", {"standardized": False})),
        ("cohen_kappa:weights=none", ("cohen_kappa", {"weights": None})),
    ],
)
def test_measures_as_they_are_written(scored, columns, capsys, text, expected):
    options = ("--metrics", text, "--threshold", 0.5, "--format", "json")
    found = json.loads(output_of(capsys, *ONE, *QUICK, *options))["models"][0]["bootstrap"]
    own = estimate(columns["y"], columns["a"], metrics={text: expected}, threshold=0.5)
    assert found[text]["estimate"] == pytest.approx(own[text].estimate, rel=1e-14)
