"""`fastmetrics evaluate`: formats, columns, labels, outputs, costs, queries and labels of a row."""

import csv
import gzip
import io
import json
import math
import re

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import roc_auc_score

import fastmetrics as fm
from commands import captured, error_of, output_of
from fastmetrics import evaluate


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    label = (rng.random(n) < 0.4).astype(np.int8)
    return pa.table(
        {
            "label": label,
            "a": np.round(rng.normal(size=n) + label, 2),
            "b": (rng.normal(size=n) + 0.5 * label).astype(np.float32),
            "weight": rng.random(n) + 0.5,
            "count": rng.integers(1, 4, n),
            "text": np.where(label == 1, "sick", "well"),
        }
    )


def write_jsonl(data, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in data.to_pylist()))


def write_gzipped(data, path):
    text = io.BytesIO()
    pa.csv.write_csv(data, text)
    path.write_bytes(gzip.compress(text.getvalue()))


def write_semicolons(data, path):
    pa.csv.write_csv(data, path, pa.csv.WriteOptions(delimiter=";"))


def write_tabs(data, path):
    pa.csv.write_csv(data, path, pa.csv.WriteOptions(delimiter="\t"))


WRITERS = {
    "x.csv": pa.csv.write_csv,
    "x.CSV": pa.csv.write_csv,
    "x.csv.gz": write_gzipped,
    "x.tsv": write_tabs,
    "x.txt": write_semicolons,
    "x.parquet": pq.write_table,
    "x.pq": pq.write_table,
    "x.jsonl": write_jsonl,
    "x.ndjson": write_jsonl,
    "x.json": lambda data, path: path.write_text(json.dumps(data.to_pylist())),
}


def parquet(tmp_path, data):
    """Write a file; return the command that evaluates it."""
    pq.write_table(data, tmp_path / "x.parquet")
    return ["evaluate", tmp_path / "x.parquet", "--label", "label", "--score", "a"]


def text(tmp_path, rows):
    (tmp_path / "x.csv").write_text(f"y,s\n{rows}")
    return ["evaluate", tmp_path / "x.csv", "--label", "y", "--score", "s"]


def auc_of(out):
    return json.loads(out)["models"][0]["roc_auc"]


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_figures(name, tmp_path, capsys):
    data = table()
    WRITERS[name](data, tmp_path / name)
    options = ["--label", "label", "--score", "a", "--score", "b", "--format", "json"]
    output = json.loads(output_of(capsys, "evaluate", tmp_path / name, *options))
    expected = evaluate(
        data["label"].to_numpy(), {"a": data["a"].to_numpy(), "b": data["b"].to_numpy()}
    )
    assert [output.pop(key) for key in ("schema_version", "n_rows", "n_skipped")] == [1, 200, 0]
    # A float32 score written as text is another number, so thresholds differ in the last bits.
    threshold = output["models"][1].pop("threshold")
    expected_dict = expected.to_dict()
    assert threshold == pytest.approx(expected_dict["models"][1].pop("threshold"), rel=1e-6)
    assert output == expected_dict


def test_several_files_and_globs_are_one_data_set(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = table()
    for i in range(4):
        pq.write_table(data.slice(50 * i, 50), tmp_path / f"part-{i}.parquet")
    pq.write_table(data, tmp_path / "all.parquet")
    pq.write_table(data.slice(0, 100), "half.parquet")
    pa.csv.write_csv(data.slice(100), "half.csv")
    options = ["--label", "label", "--score", "a", "--format", "csv"]
    whole, *others = (
        output_of(capsys, "evaluate", *names.split(), *options)
        for names in (
            "all.parquet",
            "part-*.parquet",
            "part-0.parquet part-1.parquet part-2.parquet part-3.parquet",
            "part-0.parquet part-[1-3].parquet",
            "half.parquet half.csv",
        )
    )
    assert others == [whole] * 4


def test_decimals(tmp_path, capsys):
    scores = pa.array([1.0, 2.0])
    data = {"label": [0, 1], "a": scores.cast(pa.decimal128(15, 2))}
    command = parquet(tmp_path, pa.table(data))
    model = json.loads(captured(capsys, *command, "--format", "json").out)["models"][0]
    assert (model["roc_auc"], model["threshold"]) == (1.0, 2.0)
    parquet(tmp_path, pa.table(data | {"a": scores.cast(pa.decimal128(30, 2))}))
    assert "float64 would round it" in error_of(capsys, *command)


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.jsonl"])
def test_text_labels(tmp_path, capsys, name):
    data = table()
    WRITERS[name](data, tmp_path / name)
    command = ["evaluate", tmp_path / name, "--label", "text", "--score", "a", "--format", "json"]
    expected = roc_auc_score(data["label"], data["a"])
    for chosen, auc in (("sick", expected), ("well", 1 - expected)):
        actual = auc_of(output_of(capsys, *command, "--pos-label", chosen))
        assert actual == pytest.approx(auc, rel=1e-14)
    assert "'sick', 'well'" in error_of(capsys, *command)
    message = error_of(capsys, *command, "--pos-label", "Sick")
    assert "--pos-label 'Sick' is none of the labels" in message


@pytest.mark.parametrize(
    ("labels", "text", "pair", "more"),
    [
        ("abc", "'a', 'b', 'c'", "'a', 'b'", []),
        ("012", "0, 1, 2", "0, 1", ["--memory", "100GB"]),
        ("012", "0, 1, 2", "0, 1", ["--pos-label", "0"]),
    ],
)
def test_three_classes(tmp_path, capsys, labels, text, pair, more):
    rows = "".join(f"{label},{s}\n" for s, label in enumerate(labels))
    (tmp_path / "x.csv").write_text("my y,s\n" + rows)
    command = ["evaluate", tmp_path / "x.csv", "--label", "my y", "--score", "s"]
    message = error_of(capsys, *command, *more)
    assert f"column 'my y' holds 3 classes ({text})" in message
    assert message.count("`") == 0
    condition = f'"my y" IN ({pair})'
    assert f'keep two with --where "{condition}"' in message
    assert "--pos-label" in message
    captured(capsys, *command, "--where", condition, "--pos-label", labels[1])


@pytest.mark.parametrize(
    ("positive", "negative", "where"), [("yes", "no", ["--where", "s > 0"]), ("t", "f", [])]
)
def test_text_labels_that_duckdb_takes_for_booleans(tmp_path, capsys, positive, negative, where):
    command = text(tmp_path, f"{negative},1\n{positive},2\n{negative},3\n{positive},4\n")
    options = ["--format", "json", *where]
    for chosen, auc in ((positive, 0.75), (negative, 0.25)):
        assert auc_of(captured(capsys, *command, *options, "--pos-label", chosen).out) == auc
    assert "name the positive one with --pos-label" in error_of(capsys, *command, *options)
    message = error_of(capsys, *command[:2], "--label", "s", "--score", "y")
    assert f"column 'y': {negative!r} is not a number" in message


@pytest.mark.parametrize(
    ("labels", "pos_label", "flipped"),
    [
        ("1 2 2 1", "1", True),
        ("1.0 2.0 2.0 1.0", "2.0", False),
        ("-1 1 1 -1", None, False),
        ("true false false true", None, True),
        ("true false false true", "false", False),
        ("0 1 1 0", "0", True),
        ("2020-01-01 2021-01-01 2021-01-01 2020-01-01", "2021-01-01", False),  # texts
    ],
)
def test_labels_and_the_positive_one(tmp_path, capsys, labels, pos_label, flipped):
    rows = zip(labels.split(), (1, 2, 3, 2.5), strict=True)
    command = text(tmp_path, "".join(f"{y},{s}\n" for y, s in rows))
    # argparse takes a value that starts with a minus sign for an option.
    options = [] if pos_label is None else [f"--pos-label={pos_label}"]
    auc = auc_of(captured(capsys, *command, *options, "--format", "json").out)
    assert auc == (0.25 if flipped else 0.75)


def test_predicted_labels_have_a_positive_one_that_is_a_number(tmp_path, capsys):
    command = text(tmp_path, "1,1\n0,1\n0,0\n0,0\n1,0\n")
    out = output_of(capsys, *command, "--task=labels", "--pos-label=0", "--metrics", "precision")
    assert "0.6667" in out


@pytest.mark.parametrize("output", ["table", "json", "csv", "markdown"])
def test_one_class_is_undefined_not_an_error(tmp_path, capsys, output):
    out, err = captured(capsys, *text(tmp_path, "1,1\n1,2\n"), "--format", output)
    assert err.startswith("fastmetrics: warning: model 's': one class only: no negative example")
    assert err.count("\n") == 1
    if output == "json":
        model = json.loads(out)["models"][0]
        assert model["roc_auc"] is None
        assert model["n_positive"] == 2
    elif output == "csv":
        (row,) = (row for row in csv.DictReader(io.StringIO(out)) if row["metric"] == "roc_auc")
        assert row["estimate"] == "nan"
    else:
        assert "–" in out
        assert "nan" not in out


def test_perfect_separation_has_an_interval_and_a_note(tmp_path, capsys):
    command = text(tmp_path, "".join(f"{i // 5},{i}\n" for i in range(10)))
    out, err = captured(capsys, *command, "--verbose")
    assert "1.0000" in out
    assert "95 % intervals: Newcombe's score interval with DeLong's variance (AUC); " in out
    assert err.startswith("fastmetrics: note: model 's': only 5 positive examples: below about 30")
    assert err.count("\n") == 1


def test_csv_and_markdown_output(tmp_path, capsys):
    data = table().rename_columns(["label", "a|b", "x,y", "weight", "count", "text"])
    command = [*parquet(tmp_path, data)[:-1], "a|b", "--score", "x,y"]
    rows = list(csv.DictReader(io.StringIO(output_of(capsys, *command, "--format", "csv"))))
    rows = [row for row in rows if row["metric"] == "roc_auc" and not row["minus_model"]]
    assert [row["model"] for row in rows] == ["a|b", "x,y"]
    expected = evaluate(data["label"].to_numpy(), data["x,y"].to_numpy())[0]
    assert float(rows[1]["estimate"]) == expected.roc_auc
    assert math.isclose(float(rows[1]["low"]), expected.confidence_interval.low, rel_tol=1e-14)
    out = output_of(capsys, *command, "--format", "markdown")
    assert "a|b" in out.splitlines()[0]
    assert out.endswith("--verbose adds 2 notes.\n")
    assert "\n\n| [95 % interval] | a\\|b | x,y |\n" in out


_SCORES = ["--class-score=x=a", "--class-score=y=b", "--class-score=z=c"]


@pytest.fixture
def classes(tmp_path):
    """Write rows of three classes; return the command that evaluates them."""
    rows = (f"{'xyz'[k % 3]},0.{k % 5 + 1},0.3,0.{6 - k % 5},{k % 3}\n" for k in range(30))
    (tmp_path / "c.csv").write_text("y,a,b,c,number\n" + "".join(rows))
    return ["evaluate", tmp_path / "c.csv", "--label=y"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([*_SCORES, "--metrics=roc_auc"], "--class-score is a matrix of 3 columns: of several cl"),
        ([*_SCORES, "--metrics=nosuch"], "--metrics names 'nosuch', which is no metric"),
        ([*_SCORES, "--metrics=f1"], "`f1` is for two classes, and the matrix has 3: see f1_macro"),
        ([*_SCORES[:2]], "--class-score names x, y; column 'y' holds x, y, z: each class needs"),
        ([*_SCORES, "--score=number"], "names the scores of one model: leave --score out"),
        (["--score=number", "--task=labels"], "column 'y' holds text and column 'number' numbers"),
    ],
)
def test_refusals_of_several_classes_are_one_sentence(classes, capsys, options, message):
    assert message in error_of(capsys, *classes, *options)


def test_class_scores_have_metrics_of_probabilities_alone(classes, capsys):
    options = [*_SCORES, "--metrics=log_loss", "--format=csv"]
    assert "log_loss" in captured(capsys, *classes, *options).out


@pytest.mark.parametrize("column", ["weight", "count"])
def test_weights_are_importances_unless_they_are_said_to_be_frequencies(tmp_path, capsys, column):
    """An integer column too: it is not to turn 200 rows into 400."""
    data = table()
    command = [*parquet(tmp_path, data), "--weight", column]
    y, scores, weights = (data[name].to_numpy() for name in ("label", "a", column))
    document = json.loads(output_of(capsys, *command, "--format", "json"))
    (expected,) = evaluate(y, scores, sample_weight=weights)
    assert document["models"][0] | {"name": "score"} == expected.to_dict()
    assert document["weights_are"] == "importances"
    for more in ([], ["--bootstrap", "99", "--seed", "1"]):
        for output in ("table", "markdown"):
            text = output_of(capsys, *command, *more, "--format", output)
            assert "Weights are importances: each row counts as one" in text


def test_frequencies_are_rows(tmp_path, capsys):
    data = table()
    command = [*parquet(tmp_path, data), "--weights-are", "frequencies"]
    times = data["count"].to_numpy()
    rows = evaluate(*(np.repeat(data[name].to_numpy(), times) for name in ("label", "a")))
    out = output_of(capsys, *command, "--weight", "count", "--format", "json")
    assert json.loads(out)["models"][0] | {"name": "score"} == rows[0].to_dict()
    text = output_of(capsys, *command, "--weight", "count")
    assert "Weights are frequencies: each row counts as often as its weight." in text
    error = error_of(capsys, *command, "--weight", "weight")
    assert "column 'weight' must hold whole numbers with --weights-are frequencies" in error
    assert "--weights-are is of --weight" in error_of(capsys, *command)


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
    "loss": -AMOUNT,
    "user": np.arange(N) // 3,
}


@pytest.fixture
def command(tmp_path):
    pq.write_table(pa.table(COLUMNS), tmp_path / "x.parquet")
    return ["evaluate", tmp_path / "x.parquet", *"--label fraud --score p --score q".split()]


def test_costs_are_those_of_the_library(command, capsys):
    prices = ["--cost-fn", "amount", "--cost-fp", "5", "--prevalence", "0.1"]
    output = json.loads(output_of(capsys, *command, *prices, "--format", "json"))
    costs = {"cost_fn": AMOUNT, "cost_fp": 5, "prevalence": 0.1}
    for name, model in zip("pq", output["models"], strict=True):
        expected = fm.costs.threshold_cost_interval(FRAUD, COLUMNS[name], **costs)
        text = json.dumps(expected.to_dict())  # what JSON has no number for is null
        assert model["costs"] == json.loads(text, parse_constant=lambda _: None)
    plain = evaluate(FRAUD, {"p": P, "q": COLUMNS["q"]})
    assert "costs" not in plain[0].to_dict()
    models = [{k: v for k, v in model.items() if k != "costs"} for model in output["models"]]
    assert models == [model.to_dict() for model in plain]
    both = ["--cost-fn", "amount", "--cost-fp", "amount"]  # one column twice
    output = json.loads(output_of(capsys, *command, *both, "--format", "json"))
    expected = fm.costs.threshold_cost_interval(FRAUD, P, cost_fn=AMOUNT, cost_fp=AMOUNT)
    assert output["models"][0]["costs"]["threshold"] == expected.threshold
    assert len(output["models"]) == 2


def test_guarantees_are_those_of_the_library(command, capsys):
    options = ["--guarantee", "recall=0.8", "--guarantee", "precision=0.1"]
    output = json.loads(output_of(capsys, *command, *options, "--format", "json"))
    expected = fm.guaranteed_threshold(FRAUD, P, recall=0.8)
    first, second = output["models"][0]["guarantees"]
    assert (first["threshold"], first["tp"]) == (expected.threshold, expected.tp)
    assert second["metric"] == "precision"
    assert f"p: {expected.verdict}." in " ".join(output_of(capsys, *command, *options).split())


@pytest.mark.parametrize("more", [[], ["--bootstrap", "49", "--seed", "1"]])
def test_every_format_shows_them(command, capsys, more):
    command += ["--cost-fn", "amount", "--cost-fp", "review", *more, "--format"]
    expected = fm.costs.threshold_cost_interval(FRAUD, P, cost_fn=AMOUNT, cost_fp=COLUMNS["review"])
    values = [expected.threshold, expected.left_out_cost, *expected.confidence_interval]
    values += [expected.cost_at_half, expected.cost_all_positive]
    for form in ("table", "markdown"):
        out = output_of(capsys, *command, form, "--verbose")
        numbers = np.array(re.findall(r"\d+\.\d+", out), float)
        assert all(np.isclose(numbers, value, rtol=1e-3).any() for value in values), (form, out)
        assert "Leave-one-out: each" in " ".join(out.split())
    rows = csv.DictReader(io.StringIO(output_of(capsys, *command, "csv")))
    own = [row for row in rows if row["model"] == "p"]
    assert expected.threshold in [
        float(r["estimate"]) for r in own if r["metric"] == "cheapest_threshold"
    ]
    (cost,) = (row for row in own if row["metric"] == "left_out_cost")
    assert float(cost["high"]) == expected.confidence_interval.high


def test_groups_have_no_interval_of_costs(command, capsys):
    command += "--cost-fn amount --cost-fp 5 --bootstrap 49 --groups user".split()
    costs = json.loads(output_of(capsys, *command, "--format", "json"))["models"][0]["costs"]
    assert costs["confidence_interval"] == {"low": None, "high": None}
    assert costs["cost"] > 0
    assert "Costs have no interval with groups" in output_of(capsys, *command, "--verbose")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("--guarantee recall", "--guarantee 'recall' is no promise with a number, as in recall=0."),
        ("--guarantee recall=x", "--guarantee 'recall=x' is no promise with a number"),
        ("--guarantee recall=.9 --guarantee recall=.8", "--guarantee names 'recall' more than onc"),
        ("--guarantee sharpness=.9", "--guarantee must be one of"),
        ("--guarantee recall=.9 --groups user", "--guarantee is of rows that are independent"),
        ("--cost-fn amount", "costs are of both mistakes: pass --cost-fp too"),
        ("--prevalence 0.1", "--prevalence is of costs: pass --cost-fn and --cost-fp with it"),
        ("--cost-fn amount --cost-fp -2", "--cost-fp must lie in [0, inf): got -2"),
        ("--cost-fn 1e200 --cost-fp 2", "--cost-fn must be below 3.3e+150: got 1e+200"),
        ("--cost-fn price --cost-fp 2", "no column 'price'; the columns are"),
        ("--cost-fn 1 --cost-fp 1 --prevalence 1", "must lie between 0 and 1"),
        ("--cost-fn loss --cost-fp 1", "column 'loss' must not be negative"),
    ],
)
def test_faults(command, capsys, given, message):
    assert message in error_of(capsys, *command, *given.split())
