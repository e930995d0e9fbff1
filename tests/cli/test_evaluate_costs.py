"""`fastmetrics evaluate --cost-fn --cost-fp`: prices by number and by column, in every format."""

import csv
import io
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_evaluate import output_of, run

import fastmetrics as fm
from fastmetrics import evaluate

RNG = np.random.default_rng(3)
N = 300
FRAUD = (RNG.random(N) < 0.2).astype(np.int8)
AMOUNT = np.round(RNG.lognormal(4, 1, N), 2)
P = np.round(1 / (1 + np.exp(1 - 2 * FRAUD - RNG.normal(size=N))), 3)
COLUMNS = {
    "fraud": FRAUD,
    "p": P,
    "q": RNG.random(N),
    "amount": AMOUNT,
    "review": AMOUNT / 20,
    "user": np.arange(N) // 3,
}


@pytest.fixture
def options(tmp_path):
    pq.write_table(pa.table(COLUMNS), tmp_path / "x.parquet")
    return [tmp_path / "x.parquet", "--label", "fraud", "--score", "p", "--score", "q"]


def test_costs_are_those_of_the_library(options, capsys):
    prices = ["--cost-fn", "amount", "--cost-fp", "5", "--prevalence", "0.1"]
    found = json.loads(output_of(capsys, *options, *prices, "--format", "json"))
    costs = {"cost_fn": AMOUNT, "cost_fp": 5, "prevalence": 0.1}
    for name, model in zip("pq", found["models"], strict=True):
        expected = fm.costs.threshold_cost_interval(FRAUD, COLUMNS[name], **costs)
        said = json.dumps(expected.to_dict())  # what JSON has no number for is null
        assert model["costs"] == json.loads(said, parse_constant=lambda _: None)
    plain = evaluate(FRAUD, {"p": P, "q": COLUMNS["q"]})
    assert "costs" not in plain[0].to_dict()
    models = [{k: v for k, v in model.items() if k != "costs"} for model in found["models"]]
    assert models == [model.to_dict() for model in plain]


def test_guarantees_are_those_of_the_library(options, capsys):
    asked = ["--guarantee", "recall=0.8", "--guarantee", "precision=0.1"]
    found = json.loads(output_of(capsys, *options, *asked, "--format", "json"))
    expected = fm.guaranteed_threshold(FRAUD, P, recall=0.8)
    first, second = found["models"][0]["guarantees"]
    assert (first["threshold"], first["tp"]) == (expected.threshold, expected.tp)
    assert second["metric"] == "precision"
    assert f"p: {expected.verdict}." in " ".join(output_of(capsys, *options, *asked).split())


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["recall"], "--guarantee 'recall' is no promise with a number, as in recall=0.95"),
        (["recall=x"], "--guarantee 'recall=x' is no promise with a number"),
        (["recall=.9", "recall=.8"], "--guarantee names 'recall' more than once"),
        (["sharpness=.9"], "--guarantee must be one of"),
        (["recall=.9", "--groups", "user"], "--guarantee is of rows that are independent"),
    ],
)
def test_promises_without_meaning_are_refused(options, capsys, asked, message):
    given = [
        part
        for each in asked
        for part in (["--guarantee", each] if "=" in each or len(asked) == 1 else [each])
    ]
    assert run(*options, *given) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_one_column_may_be_asked_for_twice(options, capsys):
    both = ["--cost-fn", "amount", "--cost-fp", "amount"]
    found = json.loads(output_of(capsys, *options, *both, "--format", "json"))
    expected = fm.costs.threshold_cost_interval(FRAUD, P, cost_fn=AMOUNT, cost_fp=AMOUNT)
    assert found["models"][0]["costs"]["threshold"] == expected.threshold
    assert len(found["models"]) == 2


@pytest.mark.parametrize("more", [[], ["--bootstrap", "49", "--seed", "1"]])
def test_every_format_shows_them(options, capsys, more):
    prices = ["--cost-fn", "amount", "--cost-fp", "review"]
    expected = fm.costs.threshold_cost_interval(FRAUD, P, cost_fn=AMOUNT, cost_fp=COLUMNS["review"])
    values = [expected.threshold, expected.left_out_cost, *expected.confidence_interval]
    values += [expected.cost_at_half, expected.cost_all_positive]
    for form in ("table", "markdown"):
        out = output_of(capsys, *options, *prices, *more, "--format", form)
        shown = np.array(re.findall(r"\d+\.\d+", out), float)
        assert all(np.isclose(shown, value, rtol=1e-3).any() for value in values), (form, out)
        assert "Left out: each" in " ".join(out.split())
    rows = list(
        csv.DictReader(io.StringIO(output_of(capsys, *options, *prices, *more, "--format", "csv")))
    )
    own = [row for row in rows if row["model"] == "p"]
    assert expected.threshold in [float(r["estimate"]) for r in own if r["metric"] == "threshold"]
    (cost,) = (row for row in own if row["metric"] == "left_out_cost")
    assert float(cost["high"]) == expected.confidence_interval.high


def test_groups_have_no_interval_of_costs(options, capsys):
    prices = ["--cost-fn", "amount", "--cost-fp", "5", "--bootstrap", "49", "--groups", "user"]
    found = json.loads(output_of(capsys, *options, *prices, "--format", "json"))
    costs = found["models"][0]["costs"]
    assert costs["confidence_interval"] == {"low": None, "high": None}
    assert costs["cost"] > 0
    out = " ".join(output_of(capsys, *options, *prices).split())
    assert "Costs have no interval where rows come in groups" in out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--cost-fn", "amount"], "costs are of both mistakes: pass --cost-fp too"),
        (["--prevalence", "0.1"], "--prevalence is of costs: pass --cost-fn and --cost-fp with it"),
        (["--cost-fn", "amount", "--cost-fp", "-2"], "--cost-fp must lie in [0, inf): got -2"),
        (["--cost-fn", "1e200", "--cost-fp", "2"], "--cost-fn must be below 3.3e+150: got 1e+200"),
        (["--cost-fn", "price", "--cost-fp", "2"], "no column 'price'; the columns are"),
        (["--cost-fn", "1", "--cost-fp", "1", "--prevalence", "1"], "must lie between 0 and 1"),
    ],
)
def test_faults(options, capsys, given, message):
    assert run(*options, *given) == 2
    assert message in capsys.readouterr().err


def test_a_negative_price_names_its_column(tmp_path, capsys):
    pq.write_table(pa.table(COLUMNS | {"amount": -AMOUNT}), tmp_path / "x.parquet")
    options = [tmp_path / "x.parquet", "--label", "fraud", "--score", "p"]
    assert run(*options, "--cost-fn", "amount", "--cost-fp", "1") == 2
    assert "column 'amount' must not be negative" in capsys.readouterr().err
