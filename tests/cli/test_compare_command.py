"""``fastmetrics compare``: score columns, or logs and tables, in; the library's comparison out."""

import json
import shlex
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastmetrics as fm
from commands import captured, error_of
from fastmetrics.cli._terminal import json_text
from fastmetrics.data import load_breast_cancer_scores

N = 60
A = np.arange(N) % 4 > 0
B = np.arange(N) % 3 > 0
Y, SCORES = load_breast_cancer_scores()
PATIENT = np.array([f"p{k // 4}" for k in range(569)])
SITE, WEIGHT = np.arange(569) % 3, 1 + np.arange(569) % 5
SICK = np.where(Y, "sick", "well")
LABELS = {name: np.where(values >= 0.5, "sick", "well") for name, values in SCORES.items()}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, score in (("a", A), ("b", B)):
        lines = [
            {"doc_id": k, "doc": {"part": k // 6}, "acc": float(value)}
            for k, value in enumerate(score)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    columns = {
        "question": np.tile(np.repeat([f"q{k}" for k in range(N // 2)], 2), 2),
        "try": np.tile([1, 2], N),
        "model": np.repeat(["a", "b"], N),
        "right": np.concatenate([A, B]).astype(int),
    }
    pq.write_table(pa.table(columns), "t.parquet")
    (tmp_path / "cut.eval").write_bytes(b"PK\3\4")
    rows = {"y": Y, "patient": PATIENT, "site": SITE, "w": WEIGHT}
    pd.DataFrame(rows | SCORES).to_csv("scores.csv", index=False)
    pd.DataFrame({"y": SICK} | LABELS).to_csv("labels.csv", index=False)


def run(capsys, arguments):
    return captured(capsys, "compare", *shlex.split(arguments)).out


MODELS = "--score logistic --score neighbours --score naive_bayes"
BOOTSTRAP = {"threshold": 0.5, "method": "bootstrap", "n_resamples": 99, "rng": 1}


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ("roc_auc brier_score --groups patient", {"groups": PATIENT}),
        ("roc_auc --strata site --margin 0.02", {"strata": SITE, "margin": 0.02}),
        ("roc_auc --weight w --weights-are frequencies", {"sample_weight": WEIGHT}),
        ("roc_auc f1 --threshold 0.4 --baseline neighbours", {"threshold": 0.4}),
        ("roc_auc --alternative greater --pos-label 0", {"pos_label": 0}),
        ("f1 --threshold 0.5 --bootstrap 99 --seed 1", BOOTSTRAP),
    ],
)
def test_columns_are_compared_as_in_python(options, arguments, capsys):
    more = {"frequencies": "weights_are", "neighbours": "reference", "greater": "alternative"}
    arguments |= {name: word for word, name in more.items() if word in options}
    expected = fm.compare(Y, SCORES, metrics=options.split(" --")[0].split(), **arguments)
    given = f"scores.csv --label y {MODELS} --metrics {options}"
    fields = {"n_rows": 569, "n_skipped": 0, "verdict": expected.verdict}
    fields["metrics"] = expected.to_dict()
    assert run(capsys, f"{given} --format json") == json_text(fields)


def test_predicted_labels_and_other_formats(capsys):
    given = f"labels.csv --label y {MODELS} --metrics f1 accuracy --pos-label sick"
    expected = fm.compare(SICK, LABELS, metrics=["f1", "accuracy"], pos_label="sick")
    assert run(capsys, given).splitlines()[:-1] == f"{expected}".splitlines()[:-1]
    assert run(capsys, f"{given} --format csv") == expected.to_frame().to_csv(index=False)
    assert "| f1 | logistic | 0.9" in run(capsys, f"{given} --format markdown")


def test_logs(capsys):
    output = json.loads(run(capsys, "--log old=a.jsonl b.jsonl --groups part --format json"))
    rows = fm.read_evaluation_log({"old": "a.jsonl", "b": "b.jsonl"}, group="part")
    expected = fm.evaluate_log(**rows)
    assert output["verdict"] == expected.verdict
    assert output["models"]["old"]["acc"]["estimate"] == expected["old"]["acc"].estimate
    assert expected["b"]["acc"].n_groups == 10
    assert "old − b" in run(capsys, "--log old=a.jsonl --log b.jsonl --metrics acc")
    assert "| acc ↑ |" in run(capsys, "--log a.jsonl b.jsonl --format markdown")


def test_tables(capsys):
    given = "--log t.parquet --id question --score right --model model --repeat try"
    out = run(capsys, f"{given} --pass-at 1 2 --pass-hat 2")
    expected = fm.evaluate_log(
        np.tile(np.repeat([f"q{k}" for k in range(N // 2)], 2), 2),
        np.concatenate([A, B]),
        model=np.repeat(["a", "b"], N),
        repeat=np.tile([1, 2], N),
        name="right",
        pass_at=[1, 2],
        pass_hat=2,
    )
    assert out.strip() == str(expected).strip()
    for name in "ab":
        rows = pq.read_table("t.parquet", filters=[("model", "=", name)])
        pq.write_table(rows, f"{name}.parquet")
    one_each = f"--log a.parquet b.parquet {given[16:].replace('--model model', '')}"
    assert run(capsys, one_each) == run(capsys, given)


def test_evaluate_tells_a_log_by_what_is_in_it(capsys, tmp_path):
    def said(*arguments):
        return captured(capsys, *arguments).out

    expected = said("compare", "--log", "a.jsonl")
    assert said("evaluate", "a.jsonl") == said("evaluate", "[a].jsonl") == expected
    samples = [
        {"id": k, "epoch": 1, "scores": {"match": {"value": "CI"[k % 2]}}} for k in range(40)
    ]
    log = {"version": 2, "eval": {"model": "m"}, "samples": samples}
    (tmp_path / "i.json").write_text(json.dumps(log, indent=2))
    with zipfile.ZipFile(tmp_path / "i.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": log["eval"]}))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}.json", json.dumps(sample))
    expected = said("compare", "--log", "i.json", "--format", "json")
    assert json.loads(expected)["models"]["m"]["match"]["estimate"] == 0.5
    for name in ("i.json", "i.eval"):
        assert said("evaluate", name, "--format", "json") == expected
    groups = ["a.jsonl", "b.jsonl", "--groups", "part", "--metrics", "acc", "--baseline", "b"]
    assert said("evaluate", *groups) == said("compare", "--log", *groups)
    tries = [
        {"id": k // 2, "epoch": k % 2, "scores": {"match": {"value": "CI"[k % 3 == 0]}}}
        for k in range(60)
    ]
    (tmp_path / "tries.json").write_text(json.dumps(log | {"samples": tries}))
    chances = ["tries.json", "--pass-at", "1", "2", "--pass-hat", "2", "--format", "json"]
    expected = said("compare", "--log", *chances)
    assert json.loads(expected)["models"]["m"]["pass@2"]["estimate"] == 1.0
    assert said("evaluate", *chances) == expected
    lines = [
        {"doc_id": k, "filter": name, "acc": float(k % 3 > 0 and name == "strict")}
        for k in range(30)
        for name in ("strict", "loose")
    ]
    (tmp_path / "f.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert "0.6667" in said("evaluate", "f.jsonl", "--filter", "strict")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a.jsonl --score acc", "--score is of score columns: the files are logs of evaluations"),
        ("a.jsonl --bootstrap 9", "--bootstrap is of score columns"),
        ("a.jsonl --cost-fn 2", "--cost-fn is of"),
        ("a.jsonl --slice part", "--slice is of score columns"),
        ("a.jsonl --threshold 0", "--threshold is of score columns"),
        ("a.jsonl --memory 1GB", "--memory is of score columns"),
        ("a.jsonl --metrics f1", "no score 'f1'; it has acc"),
        ("cut.eval", "cut.eval: a damaged zip file"),
        ("a.jsonl scores.csv", "--label and --score missing"),
        ("t.parquet", "--label and --score missing"),
        ("rows.jsonl", "--label and --score missing"),
        ("rows.npz", "--label and --score missing"),
        ("missing.jsonl", "--label and --score missing"),
        ("scores.csv --label y --score logistic --filter none", "--filter is of logs"),
        ("scores.csv --label y --score logistic --pass-at 2", "--pass-at is of logs: leave it out"),
        ("scores.csv --label y --score logistic --pass-hat 2", "--pass-hat is of logs"),
    ],
)
def test_evaluate_refuses_by_name_what_logs_do_not_take(arguments, message, capsys, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"y": 1, "p": 0.5}\n{"y": 0, "p": 0.1}')
    np.savez(tmp_path / "rows.npz", y=[1, 0], p=[0.5, 0.1])
    assert message in error_of(capsys, "evaluate", *shlex.split(arguments))


COLUMNS = "scores.csv --label y --score logistic --score neighbours"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--log a.jsonl --score acc", "--score is of tables: name the column of their items"),
        ("--log t.parquet --id question", "--score missing"),
        ("--log t.parquet --id question --score right --model model", "name each --repeat"),
        ("--log a.jsonl --pass-at 2", "--pass-at is at most the fewest repeats of an item, 1"),
        ("--log a.jsonl --metrics f1", "no score 'f1'; it has acc"),
        ("--log a.jsonl --metrics acc f1", "--metrics names one score of --log: got acc, f1"),
        ("--log cut.eval", "cut.eval: a damaged zip file"),
        ("--log t.parquet --id question --score right --metrics acc", "--metrics is of logs"),
        ("scores.csv --log a.jsonl", "scores.csv: FILE is of score columns"),
        ("--log a.jsonl --seed 0", "--seed is of score columns"),
        ("a.jsonl b.jsonl", "--label, --score, --metrics missing"),
        (f"{COLUMNS} --metrics roc_auc --lower-is-better", "--lower-is-better is of logs"),
        (f"{COLUMNS} --metrics roc_acu", "did you mean 'roc_auc'? fastmetrics metrics lists"),
        (f"{COLUMNS} --metrics f1", "say from which on a score is called positive"),
        (f"{COLUMNS[:37]} --metrics roc_auc", "--score must name at least two models: got 1"),
        (f"{COLUMNS.replace('y', 'site')} --metrics roc_auc", "column 'site' holds 3 classes"),
    ],
)
def test_what_is_refused(arguments, message, capsys):
    assert message in error_of(capsys, "compare", *shlex.split(arguments))
