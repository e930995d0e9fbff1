"""Commands of one page: the demo, the list of metrics, the report, help and JSON."""

import json
import re
import shlex
import shutil

import documents
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from commands import captured, error_of, output_of
from fastmetrics import evaluate, metrics_table
from fastmetrics.cli import COMMANDS, build_parser, main
from fastmetrics.data import load_breast_cancer_scores, read_bytes
from processes import python


def test_shipped_labels_are_those_of_the_real_data_with_malignant_positive():
    labels, scores = load_breast_cancer_scores()
    assert np.array_equal(labels, 1 - load_breast_cancer().target)
    assert (len(labels), labels.sum()) == (569, 212)
    assert len(scores) == 3
    assert all(((s >= 0) & (s <= 1)).all() and s.dtype == np.float64 for s in scores.values())


def test_table_names_every_figure(capsys):
    out = output_of(capsys, "demo")
    assert "positive = malignant" in out
    for head in ("n+", "n−", "AUC", "95 % interval", "KS", "threshold", "TPR", "FPR"):
        assert head in out
    assert out.startswith("logistic is best: better than naive_bayes in AUC, Brier score")
    assert len(out.splitlines()) <= 40
    table = out.partition("metric  ")[0]
    rows = {line[:21].strip(): line[21:].split() for line in table.splitlines()}
    assert "logistic" in out
    assert rows["n+"] == ["212"] * 3
    assert rows["AUC ↑"][0] == "0.9952"
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 100


def test_figures_are_those_of_evaluate(capsys):
    models = json.loads(captured(capsys, "demo", "--format", "json").out)["models"]
    evaluation = evaluate(*load_breast_cancer_scores()).to_dict()
    assert models == json.loads(json.dumps(evaluation["models"]))


def test_the_commands_it_points_to_work(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = captured(capsys, "demo").out
    commands = [shlex.split(line) for line in first.splitlines() if line.startswith("  fastm")]
    assert [command[1] for command in commands] == ["demo", "evaluate"]
    second = "".join(captured(capsys, *command[1:]).out for command in commands)
    aucs = [line for text in (first, second) for line in text.splitlines() if line[:3] == "AUC"]
    assert aucs[0].startswith(aucs[-1])  # the first of the three models
    assert (tmp_path / "scores.csv").read_bytes() == read_bytes()


def test_write_never_replaces_what_is_there(capsys, tmp_path):
    target = tmp_path / "it's mine.csv"
    assert shlex.quote(str(target)) in captured(capsys, "demo", "--write", target).out
    captured(capsys, "demo", "--write", target)  # the same data again are no harm
    target.write_text("precious")
    assert "exists already" in error_of(capsys, "demo", "--write", target)
    assert target.read_text() == "precious"
    assert "No such file" in error_of(capsys, "demo", "--write", tmp_path / "no" / "x.csv")


def test_needs_no_duckdb():
    code = (
        "import sys; sys.modules['duckdb'] = sys.modules['pyarrow'] = None\n"
        "from fastmetrics.cli import main\n"
        "sys.exit(main(['demo']))"
    )
    run = python("-c", code)
    assert run.returncode == 0, run.stderr
    assert re.fullmatch("(fastmetrics is compiling its kernels, .*\n)?", run.stderr)
    assert "logistic" in run.stdout


KINDS = ("scores", "labels", "probabilities", "values", "rankings", "times")


def test_the_whole_table_is_what_python_shows(capsys):
    assert output_of(capsys, "metrics") == f"{metrics_table()}\n"


@pytest.mark.parametrize("needs", KINDS)
def test_those_of_one_kind_of_prediction(capsys, needs):
    _, _, *rows = output_of(capsys, "metrics", "--needs", needs).splitlines()
    expected = [entry.name for entry in metrics_table() if entry.needs == needs]
    names = [row.split()[0] for row in rows if not row.startswith(" ")]  # else a title goes on
    assert names == expected != []


def test_json_has_every_field_and_null_for_what_has_no_end(capsys):
    entries = json.loads(output_of(capsys, "metrics", "--format", "json"))["metrics"]
    assert len(entries) == len(metrics_table())
    r2 = next(entry for entry in entries if entry["name"] == "r2")
    expected = metrics_table()["r2"].to_dict()
    assert r2 == expected | {"low": None}
    assert expected["low"] == -float("inf")


def test_an_unknown_kind_is_refused(capsys):
    assert "--needs" in error_of(capsys, "metrics", "--needs", "rows")


#: What needs a repository with benchmarks, or a program of another project.
PARSED_ALONE = ("bench",)
N = 400


def examples():
    """Return each example of the help of each command."""
    for each in COMMANDS:
        text = (each.examples or "").replace("\\\n", " ")
        for line in text.splitlines():
            if line.startswith("  fastmetrics "):
                yield re.sub(r" {2,}\(.*\)$", "", line.strip())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    documents.make_files(folder)
    for new, old in (("a", "old"), ("b", "new")):
        (folder / old).rename(folder / new)
    shutil.copy(folder / "a" / "samples_gsm8k.jsonl", folder)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    frame = pd.DataFrame(dict.fromkeys(("y", "fraud", "clicked", "sea", "sky"), y))
    for name in "p a b model_a model_b new old p_sea p_sky".split():
        frame[name] = 1 / (1 + np.exp(rng.normal(size=N) + 1 - 2 * y))
    frame["outcome"] = np.where(y, "sick", "well")
    frame["amount"] = rng.gamma(2, 20, N)
    frame["age"] = rng.integers(10, 80, N)
    frame["country"] = rng.choice(["NO", "SE"], N)
    frame["patient"] = np.arange(N) // 4
    frame["row"] = frame["id"] = np.arange(N)
    frame["visit"] = np.arange(N) // 8
    for name in ("scores", "s", "day-1", "t", "clicks"):
        frame.to_csv(folder / f"{name}.csv", index=False)
    for name in ("scores", "s", "new", "release"):
        frame.to_parquet(folder / f"{name}.parquet")
    tries = pd.read_parquet(folder / "tries.parquet").rename(columns={"solved": "correct"})
    tries.to_csv(folder / "tries.csv", index=False)
    counts = {"score": [0.1, 0.5, 0.9], "positives": [1, 5, 9], "negatives": [9, 5, 1]}
    pd.DataFrame(counts).to_csv(folder / "counts.csv", index=False)
    table = pd.DataFrame(rng.random((8, 3)), columns=["baseline", "x", "z"])
    table.insert(0, "name", list("abcdefgh"))
    table.to_csv(folder / "accuracies.csv", index=False)
    table.to_csv(folder / "errors.csv", index=False)
    table.to_parquet(folder / "auc.parquet")
    for name in "before1 before2 after1 after2 b1 b2 a1 a2 old new".split():
        times = rng.lognormal(0, 0.02, 10)
        stats = {"rounds": 10, "mean": times.mean(), "stddev": times.std(), "data": [*times]}
        runs = {"benchmarks": [{"fullname": "io", "name": "io", "stats": stats}]}
        (folder / f"{name}.json").write_text(json.dumps(runs | {"version": "5"}))
    (folder / "gate.toml").write_text(
        'groups = "patient"\nslice = ["country"]\n'
        '[margin]\nroc_auc = 0.005\n"roc_auc:max_fpr=0.1" = 0.01\n'
    )
    return folder


@pytest.mark.usefixtures("blank")
@pytest.mark.parametrize("example", [*examples()])
@pytest.mark.filterwarnings("ignore")
def test_an_example_of_the_help_runs(folder, monkeypatch, capsys, example) -> None:
    monkeypatch.chdir(folder)
    _, command, *arguments = shlex.split(example.split(" > ")[0])
    if command in PARSED_ALONE:
        build_parser().parse_args([command, *arguments])
        return
    status = main([command, *arguments])
    assert status in ((0, 1, 3) if command in ("gate", "compare-benchmarks", "doctor") else (0,)), (
        capsys.readouterr().err
    )


SCORES = "y,a,b\n" + "".join(f"{k % 2},{k % 7 / 7},{k % 5 / 5}\n" for k in range(40))
COUNTS = "model,score,positives,negatives\nm,0.9,3,1\nm,0.4,1,4\n"
TABLE = "set,a,b,c\n" + "".join(f"s{k},{k % 3},{k % 4},{k % 5}\n" for k in range(12))
TIMES = {
    "version": "5.1.0",
    "benchmarks": [
        {
            "name": "it",
            "fullname": "f::it",
            "stats": {"rounds": 5, "mean": 1.0, "stddev": 0.08, "data": [1, 1.1, 0.9, 1.05, 0.95]},
        }
    ],
}
COMMANDS_SCHEMA = {
    "evaluate": ("evaluate", "scores.csv", "--label", "y", "--score", "a", "--score", "b"),
    "bounded": ("evaluate", "scores.csv", "--label", "y", "--score", "a", "--memory", "1GB"),
    "counts": ("evaluate", "counts.csv", "--counts"),
    "compare": tuple("compare scores.csv --label y --score a --score b --metrics roc_auc".split()),
    "logs": ("compare", "--log", "log.jsonl"),
    "doctor": ("doctor", "scores.csv", "--label", "y", "--score", "a"),
    "gate": (
        *("gate", "scores.csv", "--label", "y", "--score", "a", "--baseline", "b"),
        *("--margin", "roc_auc=0.5"),
    ),
    "rankings": ("evaluate", "table.csv", "--label", "a", "--score", "b", "--query", "set"),
    "table": ("compare-table", "table.csv", "--datasets", "set", "--higher-is-better"),
    "benchmarks": ("compare-benchmarks", "--before", "times.json", "--after", "later.json"),
    "metrics": ("metrics",),
    "demo": ("demo",),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COMMANDS_SCHEMA)
def test_the_version_comes_first(name, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"scores.csv": SCORES, "counts.csv": COUNTS, "table.csv": TABLE}
    files |= dict.fromkeys(("times.json", "later.json"), json.dumps(TIMES))
    files["log.jsonl"] = '{"doc_id": 1, "acc": 1}\n{"doc_id": 2, "acc": 0}'
    for path, content in files.items():
        (tmp_path / path).write_text(content)
    assert main([*COMMANDS_SCHEMA[name], "--format", "json"]) in (0, 1, 3)
    printed = json.loads(capsys.readouterr().out)
    assert next(iter(printed.items())) == ("schema_version", 1)


def test_no_command_is_forgotten(capsys) -> None:
    commands = re.findall(r"^    ([a-z-]+)(?: |$)", captured(capsys, "--help").out, re.MULTILINE)
    assert {"evaluate", "report", "warmup"} < set(commands)
    helps = {command: captured(capsys, command, "--help").out for command in commands}
    printing = {name for name in helps if re.search(r"--format \{[^}]*json", helps[name])}
    assert printing == {given[0] for given in COMMANDS_SCHEMA.values()}
