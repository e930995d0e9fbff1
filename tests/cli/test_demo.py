"""`fastmetrics demo`: the shipped data, its table, and the pointer to the next command."""

import json
import shlex
import sys

import numpy as np
import pytest
from processes import python
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import average_precision_score, roc_auc_score

from fastmetrics._kernels._compile import NOTICE
from fastmetrics.cli import main
from fastmetrics.data import load_breast_cancer_scores, read_bytes


def test_shipped_labels_are_those_of_the_real_data_with_malignant_positive():
    labels, scores = load_breast_cancer_scores()
    assert np.array_equal(labels, 1 - load_breast_cancer().target)
    assert (len(labels), labels.sum()) == (569, 212)
    assert len(scores) == 3
    assert all(((s >= 0) & (s <= 1)).all() and s.dtype == np.float64 for s in scores.values())


def test_table_names_every_figure(capsys):
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "positive = malignant" in out
    for head in ("n+", "n−", "AUC", "95 % interval", "KS", "threshold", "TPR", "FPR"):
        assert head in out
    table = out.partition("difference")[0]
    rows = {line[:21].strip(): line[21:].split() for line in table.splitlines()}
    assert "logistic" in out
    assert rows["n+"] == ["212"] * 3
    assert rows["AUC ↑"][0] == "0.9952"
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 100


def test_figures_agree_with_scikit_learn(capsys):
    assert main(["demo", "--format", "json"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    labels, scores = load_breast_cancer_scores()
    assert [model["name"] for model in models] == list(scores)
    for model in models:
        column = scores[model["name"]]
        assert model["roc_auc"] == pytest.approx(roc_auc_score(labels, column), rel=1e-12)
        assert model["average_precision"] == pytest.approx(
            average_precision_score(labels, column), rel=1e-12
        )
        called = column >= model["threshold"]
        assert model["true_positive_rate"] == called[labels == 1].mean()
        assert model["false_positive_rate"] == called[labels == 0].mean()
        low, high = model["confidence_interval"].values()
        assert low < model["roc_auc"] < high


def test_the_commands_it_points_to_work(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(["demo"])
    first = capsys.readouterr().out
    commands = [shlex.split(line) for line in first.splitlines() if line.startswith("  fastm")]
    assert [command[1] for command in commands] == ["demo", "evaluate"]
    for command in commands:
        assert main(command[1:]) == 0
    second = capsys.readouterr().out
    aucs = [line for text in (first, second) for line in text.splitlines() if line[:3] == "AUC"]
    assert aucs[0].startswith(aucs[-1])  # the first of the three models
    assert (tmp_path / "scores.csv").read_bytes() == read_bytes()


def test_write_never_replaces_what_is_there(capsys, tmp_path):
    target = tmp_path / "it's mine.csv"
    assert main(["demo", "--write", str(target)]) == 0
    assert shlex.quote(str(target)) in capsys.readouterr().out
    assert main(["demo", "--write", str(target)]) == 0, "the same data again are no harm"
    target.write_text("precious")
    capsys.readouterr()
    assert main(["demo", "--write", str(target)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fastmetrics: error: ")
    assert "exists already" in err
    assert target.read_text() == "precious"


def test_write_into_a_folder_that_is_not_there(capsys, tmp_path):
    assert main(["demo", "--write", str(tmp_path / "no" / "x.csv")]) == 2
    assert capsys.readouterr().err.startswith("fastmetrics: error: ")


def test_needs_no_duckdb():
    code = (
        "import sys; sys.modules['duckdb'] = sys.modules['pyarrow'] = None\n"
        "from fastmetrics.cli import main\n"
        "sys.exit(main(['demo']))"
    )
    run = python("-c", code)
    assert run.returncode == 0, run.stderr
    assert run.stderr.replace(NOTICE, "") == ""
    assert "logistic" in run.stdout


@pytest.mark.parametrize("columns", [40, 200])
def test_fits_the_terminal(columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    table = out[: out.index("Next,")]
    assert max(len(line) for line in table.splitlines()) <= columns
    for figure in ("0.9952", "0.9896", "0.9849", "357"):
        assert figure in table
