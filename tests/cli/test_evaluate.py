"""`fastmetrics evaluate`: formats, columns, labels, outputs, costs, queries and labels of a row."""

import csv
import gzip
import io
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import roc_auc_score

import fastmetrics as fm
from fastmetrics import evaluate
from fastmetrics.cli import main


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


def run(*arguments):
    return main(["evaluate", *map(str, arguments)])


def output_of(capsys, *arguments):
    assert run(*arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_figures(name, tmp_path, capsys):
    data = table()
    WRITERS[name](data, tmp_path / name)
    out = output_of(
        capsys, tmp_path / name, "--label", "label", "--score", "a", "--score", "b",
        "--format", "json",
    )  # fmt: skip
    expected = evaluate(
        data["label"].to_numpy(), {"a": data["a"].to_numpy(), "b": data["b"].to_numpy()}
    )
    found = json.loads(out)
    assert found.pop("schema_version") == 1
    assert found.pop("n_rows") == 200
    assert found.pop("n_skipped") == 0
    # A float32 score written as text is another number, so thresholds differ in the last bits.
    threshold = found["models"][1].pop("threshold")
    expected_dict = expected.to_dict()
    assert threshold == pytest.approx(expected_dict["models"][1].pop("threshold"), rel=1e-6)
    assert found == expected_dict


def test_several_files_and_globs_are_one_data_set(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = table()
    for i in range(4):
        pq.write_table(data.slice(50 * i, 50), tmp_path / f"part-{i}.parquet")
    pq.write_table(data, tmp_path / "all.parquet")
    options = ["--label", "label", "--score", "a", "--format", "csv"]
    whole = output_of(capsys, "all.parquet", *options)
    assert output_of(capsys, "part-*.parquet", *options) == whole
    names = [f"part-{i}.parquet" for i in range(4)]
    assert output_of(capsys, *names, *options) == whole
    assert output_of(capsys, "part-0.parquet", "part-[1-3].parquet", *options) == whole


def test_files_of_different_formats_together(tmp_path, capsys):
    data = table()
    pq.write_table(data.slice(0, 100), tmp_path / "x.parquet")
    pa.csv.write_csv(data.slice(100), tmp_path / "y.csv")
    files = [tmp_path / "x.parquet", tmp_path / "y.csv"]
    out = output_of(capsys, *files, "--label", "label", "--score", "a", "--format", "json")
    expected = roc_auc_score(data["label"], data["a"])
    assert json.loads(out)["models"][0]["roc_auc"] == pytest.approx(expected, rel=1e-14)


def test_decimals(tmp_path, capsys):
    data = pa.table({"y": [0, 1], "s": pa.array([1.0, 2.0]).cast(pa.decimal128(15, 2))})
    pq.write_table(data, tmp_path / "x.parquet")
    assert run(tmp_path / "x.parquet", "--label", "y", "--score", "s", "--format", "json") == 0
    model = json.loads(capsys.readouterr().out)["models"][0]
    assert (model["roc_auc"], model["threshold"]) == (1.0, 2.0)
    data = pa.table({"y": [1, 0], "s": pa.array([1.0, 2.0]).cast(pa.decimal128(30, 2))})
    pq.write_table(data, tmp_path / "x.parquet")
    assert run(tmp_path / "x.parquet", "--label", "y", "--score", "s") == 2
    assert "float64 would round it" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.jsonl"])
def test_text_labels(tmp_path, capsys, name):
    data = table()
    WRITERS[name](data, tmp_path / name)
    options = [tmp_path / name, "--label", "text", "--score", "a", "--format", "json"]
    out = output_of(capsys, *options, "--pos-label", "sick")
    expected = roc_auc_score(data["label"], data["a"])
    assert json.loads(out)["models"][0]["roc_auc"] == pytest.approx(expected, rel=1e-14)
    out = output_of(capsys, *options, "--pos-label", "well")
    assert json.loads(out)["models"][0]["roc_auc"] == pytest.approx(1 - expected, rel=1e-14)
    assert run(*options) == 2
    assert "'sick', 'well'" in capsys.readouterr().err
    assert run(*options, "--pos-label", "Sick") == 2
    assert "--pos-label 'Sick' is none of the labels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("labels", "shown", "pair", "more"),
    [
        ("abc", "'a', 'b', 'c'", "'a', 'b'", []),
        ("012", "0, 1, 2", "0, 1", ["--memory", "100GB"]),
        ("012", "0, 1, 2", "0, 1", ["--pos-label", "0"]),
    ],
)
def test_three_classes(tmp_path, capsys, labels, shown, pair, more):
    rows = "".join(f"{label},{s}\n" for s, label in enumerate(labels))
    (tmp_path / "x.csv").write_text("my y,s\n" + rows)
    options = [tmp_path / "x.csv", "--label", "my y", "--score", "s"]
    assert run(*options, *more) == 2
    said = capsys.readouterr().err
    assert f"column 'my y' holds 3 classes ({shown})" in said
    assert said.count("`") == 0
    condition = f'"my y" IN ({pair})'
    assert f'keep two with --where "{condition}"' in said
    assert "--pos-label" in said
    assert run(*options, "--where", condition, "--pos-label", labels[1]) == 0


@pytest.mark.parametrize(
    ("positive", "negative", "where"), [("yes", "no", ["--where", "s > 0"]), ("t", "f", [])]
)
def test_text_labels_that_duckdb_takes_for_booleans(tmp_path, capsys, positive, negative, where):
    text = f"y,s\n{negative},1\n{positive},2\n{negative},3\n{positive},4\n"
    (tmp_path / "x.csv").write_text(text)
    options = [tmp_path / "x.csv", "--label", "y", "--score", "s", "--format", "json", *where]
    for chosen, auc in ((positive, 0.75), (negative, 0.25)):
        out = output_of_with_notes(capsys, *options, "--pos-label", chosen)
        assert json.loads(out)["models"][0]["roc_auc"] == auc
    assert run(*options) == 2
    assert "name the positive one with --pos-label" in capsys.readouterr().err
    assert run(tmp_path / "x.csv", "--label", "s", "--score", "y") == 2
    assert f"column 'y': {negative!r} is not a number" in capsys.readouterr().err


def test_text_label_that_looks_like_a_date(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("y,s\n2020-01-01,1\n2021-01-01,2\n")
    options = [tmp_path / "x.csv", "--label", "y", "--score", "s", "--format", "csv"]
    assert "1.0" in output_of_with_notes(capsys, *options, "--pos-label", "2021-01-01")


def output_of_with_notes(capsys, *arguments):
    assert run(*arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("labels", "pos_label", "flipped"),
    [
        ("1 2 2 1", "1", True),
        ("1.0 2.0 2.0 1.0", "2.0", False),
        ("-1 1 1 -1", None, False),
        ("true false false true", None, True),
        ("true false false true", "false", False),
        ("0 1 1 0", "0", True),
    ],
)
def test_numeric_labels(tmp_path, capsys, labels, pos_label, flipped):
    rows = zip(labels.split(), (1, 2, 3, 2.5), strict=True)
    (tmp_path / "x.csv").write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in rows))
    options = [tmp_path / "x.csv", "--label", "y", "--score", "s", "--format", "json"]
    # argparse takes a value that starts with a minus sign for an option.
    options += [] if pos_label is None else [f"--pos-label={pos_label}"]
    auc = json.loads(output_of_with_notes(capsys, *options))["models"][0]["roc_auc"]
    assert auc == (0.25 if flipped else 0.75)


def test_labels_without_an_obvious_positive(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("y,s\n1,1\n2,2\n")
    options = [tmp_path / "x.csv", "--label", "y", "--score", "s"]
    assert run(*options) == 2
    assert "--pos-label" in capsys.readouterr().err
    assert run(*options, "--pos-label", "two") == 2
    assert "--pos-label 'two' cannot be a label" in capsys.readouterr().err


@pytest.mark.parametrize("output", ["table", "json", "csv", "markdown"])
def test_one_class_is_undefined_not_an_error(tmp_path, capsys, output):
    (tmp_path / "x.csv").write_text("y,s\n1,1\n1,2\n")
    assert run(tmp_path / "x.csv", "--label", "y", "--score", "s", "--format", output) == 0
    out, err = capsys.readouterr()
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
    (tmp_path / "x.csv").write_text("y,s\n" + "".join(f"{i // 5},{i}\n" for i in range(10)))
    assert run(tmp_path / "x.csv", "--label", "y", "--score", "s") == 0
    out, err = capsys.readouterr()
    assert "1.0000" in out
    assert "[95 % interval]: Newcombe; of KS: limits of the largest of many gaps." in out
    assert err.startswith("fastmetrics: note: model 's': only 5 positive examples: below about 30")
    assert err.count("\n") == 1


def test_csv_and_markdown_output(tmp_path, capsys):
    data = table().rename_columns(["label", "a|b", "x,y", "weight", "count", "text"])
    pq.write_table(data, tmp_path / "x.parquet")
    options = [tmp_path / "x.parquet", "--label", "label", "--score", "a|b", "--score", "x,y"]
    rows = list(csv.DictReader(io.StringIO(output_of(capsys, *options, "--format", "csv"))))
    rows = [row for row in rows if row["metric"] == "roc_auc" and not row["minus_model"]]
    assert [row["model"] for row in rows] == ["a|b", "x,y"]
    expected = evaluate(data["label"].to_numpy(), data["x,y"].to_numpy())[0]
    assert float(rows[1]["estimate"]) == expected.roc_auc
    assert float(rows[1]["low"]) == expected.confidence_interval.low
    lines = output_of(capsys, *options, "--format", "markdown").splitlines()
    assert any(
        "influence of each row; of KS: limits of the largest of many" in line for line in lines
    )
    assert lines[0] == "|  | a\\|b | x,y |"


def test_confidence_level(tmp_path, capsys):
    pq.write_table(table(), tmp_path / "x.parquet")
    options = [tmp_path / "x.parquet", "--label", "label", "--score", "a"]
    assert "99.9 % interval" in output_of(capsys, *options, "--confidence-level", "0.999")
    for level in ("0", "1", "95", "nan"):
        assert run(*options, "--confidence-level", level) == 2
        assert "--confidence-level: must lie between 0 and 1" in capsys.readouterr().err


def test_many_models_and_long_names_stay_readable(tmp_path, capsys):
    data = table()
    names = [f"model_with_a_rather_long_name_{i}" for i in range(7)]
    for name in names:
        data = data.append_column(name, data["a"].combine_chunks())
    pq.write_table(data, tmp_path / "x.parquet")
    scores = [part for name in names for part in ("--score", name)]
    out = output_of(capsys, tmp_path / "x.parquet", "--label", "label", *scores)
    assert max(map(len, out.splitlines())) <= 100
    assert all(name in out for name in names)


_CLASSES = "y,a,b,c,number\n" + "".join(
    f"{'xyz'[k % 3]},0.{k % 5 + 1},0.3,0.{6 - k % 5},{k % 3}\n" for k in range(30)
)
_SCORES = ["--class-score=x=a", "--class-score=y=b", "--class-score=z=c"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*_SCORES, "--metrics=roc_auc"], "--class-score is a matrix of 3 columns: of several cl"),
        ([*_SCORES, "--metrics=nosuch"], "--metrics names 'nosuch', which is no measure"),
        ([*_SCORES, "--metrics=f1"], "`f1` is for two classes, and the matrix has 3: see f1_macro"),
        (["--score=number", "--task=labels"], "column 'y' holds text and column 'number' numbers"),
    ],
)
def test_refusals_of_several_classes_are_one_sentence(tmp_path, capsys, options, said):
    (tmp_path / "c.csv").write_text(_CLASSES)
    assert main(["evaluate", str(tmp_path / "c.csv"), "--label=y", *options]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert not out
    assert err.count("\n") == 1


def test_class_scores_have_metrics_of_probabilities_alone(tmp_path, capsys):
    (tmp_path / "c.csv").write_text(_CLASSES)
    options = ["--label=y", *_SCORES, "--metrics=log_loss", "--format=csv"]
    assert main(["evaluate", str(tmp_path / "c.csv"), *options]) == 0
    assert "log_loss" in capsys.readouterr().out


@pytest.mark.parametrize("column", ["weight", "count"])
def test_weights_are_importances_unless_they_are_said_to_be_frequencies(tmp_path, capsys, column):
    """An integer column too: it is not to turn 200 rows into 400."""
    data = table()
    pq.write_table(data, tmp_path / "x.parquet")
    options = [tmp_path / "x.parquet", "--label", "label", "--score", "a", "--weight", column]
    y, scores, weights = (data[name].to_numpy() for name in ("label", "a", column))
    found = json.loads(output_of(capsys, *options, "--format", "json"))
    (expected,) = evaluate(y, scores, sample_weight=weights)
    assert found["models"][0] | {"name": "score"} == expected.to_dict()
    assert found["weights_are"] == "importances"
    for more in ([], ["--bootstrap", "99", "--seed", "1"]):
        for output in ("table", "markdown"):
            said = output_of(capsys, *options, *more, "--format", output)
            assert "Weights are importances: each row is one row" in said


def test_frequencies_are_rows(tmp_path, capsys):
    data = table()
    pq.write_table(data, tmp_path / "x.parquet")
    options = [tmp_path / "x.parquet", "--label", "label", "--score", "a", "--weights-are"]
    options.append("frequencies")
    times = data["count"].to_numpy()
    rows = evaluate(*(np.repeat(data[name].to_numpy(), times) for name in ("label", "a")))
    out = output_of(capsys, *options, "--weight", "count", "--format", "json")
    assert json.loads(out)["models"][0] | {"name": "score"} == rows[0].to_dict()
    shown = output_of(capsys, *options, "--weight", "count")
    assert "Weights are frequencies: each row stands for so many rows." in shown
    assert run(*options, "--weight", "weight") == 2
    error = capsys.readouterr().err
    assert "column 'weight' must hold whole numbers with --weights-are frequencies" in error
    assert run(*options) == 2
    assert "--weights-are is of --weight" in capsys.readouterr().err


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
