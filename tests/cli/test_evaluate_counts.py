"""`fastmetrics evaluate --counts`: what a database counted is evaluated as its rows are."""

import json

import numpy as np
import pytest

from fastmetrics import ScoreTable, evaluate
from fastmetrics.cli import main
from fastmetrics.streams import ScoreRanges

pytest.importorskip("duckdb")

HEADS = "score,positives,negatives,unusable"


def rows(n=400):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n)
    return y, np.round(rng.normal(size=n) + y, 1)


def counts_file(path, heads=None, more=()):
    y, s = rows()
    lines = [heads or HEADS]
    for score in np.unique(s):
        counts = [int(((s == score) & (y == label)).sum()) for label in (1, 0)]
        lines.append(f"{score},{counts[0]},{counts[1]},0")
    path.write_text("\n".join([*lines, *more]) + "\n")
    return str(path)


def run(capsys, *arguments):
    status = main(["evaluate", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    "heads", ["score,positives,negatives,unusable", "SCORE,POSITIVES,NEGATIVES,UNUSABLE"]
)
def test_counts_are_evaluated_as_their_rows(capsys, tmp_path, heads):
    status, out, err = run(
        capsys, counts_file(tmp_path / "c.csv", heads), "--counts", "--format", "json"
    )
    assert (status, err) == (0, "")
    found = json.loads(out)["models"][0]
    expected = evaluate(*rows()).to_dict()["models"][0]
    assert found == {name: list(v) if isinstance(v, tuple) else v for name, v in expected.items()}


def test_files_add_up_and_conditions_hold(capsys, tmp_path):
    path = counts_file(tmp_path / "c.csv")
    _, one, _ = run(capsys, path, "--counts", "--where", "score > 0", "--format", "csv")
    y, s = rows()
    _, two, _ = run(capsys, path, counts_file(tmp_path / "d.csv"), "--counts", "--format", "json")
    assert json.loads(two)["models"][0]["n_positive"] == 2 * y.sum()
    assert f"n_positive,score,{((s > 0) & (y == 1)).sum():.1f}" in one


def models_file(path, model="model"):
    """Write the counts of two models, "a" and the same with its scores the other way round."""
    y, s = rows()
    lines = [f"{model},{HEADS}"]
    for name, scores in (("b", -s), ("a", s)):
        for score in np.unique(scores):
            counts = [int(((scores == score) & (y == label)).sum()) for label in (1, 0)]
            lines.append(f"{name},{score},{counts[0]},{counts[1]},0")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("model", ["model", "MODEL"])
def test_a_column_names_the_models(capsys, tmp_path, model):
    y, s = rows()
    path = models_file(tmp_path / "m.csv", model)
    status, out, err = run(capsys, path, "--counts")
    assert (status, err) == (0, "")
    tables = {"b": ScoreTable.from_scores(y, -s), "a": ScoreTable.from_scores(y, s)}
    assert out == f"{evaluate(tables)}\n"
    _, out, _ = run(capsys, path, "--counts", "--where", f"{model} = 'a'")
    assert out == f"{evaluate(y, {'a': s})}\n"
    again = models_file(tmp_path / "n.csv", model)
    found = json.loads(run(capsys, path, again, "--counts", "--format", "json")[1])["models"]
    assert [(each["name"], each["n_positive"]) for each in found] == [
        ("b", 2 * y.sum()),
        ("a", 2 * y.sum()),
    ]


def test_models_may_have_numbers(capsys, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("model,score,positives,negatives\n10,.1,1,5\n9,.1,5,1\n10,.6,3,1\n9,.6,1,3\n")
    found = json.loads(run(capsys, str(path), "--counts", "--format", "json")[1])["models"]
    assert [(each["name"], each["n_negative"]) for each in found] == [("9", 4), ("10", 6)]


def test_files_agree_on_whether_there_are_models(capsys, tmp_path):
    files = [models_file(tmp_path / "m.csv"), counts_file(tmp_path / "c.csv")]
    for given in (files, files[::-1], [str(tmp_path / "*.csv")]):
        status, out, err = run(capsys, *given, "--counts")
        assert (status, out) == (2, "")
        assert "one of them has the column 'model', which the other lacks" in err


def test_faults_name_the_model(capsys, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("model,score,positives,negatives\na,.1,1,5\nb,.1,-1,2\n")
    status, out, err = run(capsys, str(path), "--counts")
    assert (status, out) == (2, "")
    assert "model 'b': column 'positives' (or 'positive_weight') must not be negative" in err
    path.write_text("model,score,positives,negatives\na,.1,1,5\na,.2,1,1\nb,.1,0,0\n")
    status, out, err = run(capsys, str(path), "--counts")
    assert status == 0
    assert "model 'b': no rows, so what needs both classes is undefined" in err


def test_ranges_of_several_models(capsys, tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(
        "model,score_low,score_high,positives,negatives\n"
        "metric,.1,.4,1,5\nmetric,.6,.6,3,1\nb,.2,.2,2,0\nb,.1,.1,0,2000\n"
    )
    one = ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 3], [5, 1])
    status, out, err = run(capsys, str(path), "--counts")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["metric", "b"]
    assert ["n−", "6", "2,000"] in lines
    assert ["AUC", "[0.6875,", "0.8958]", "[1,", "1]"] in lines
    assert out.endswith("\nThe exact values lie between the limits.\n")
    found = json.loads(run(capsys, str(path), "--counts", "--format", "json")[1])["models"]
    assert [each["name"] for each in found] == ["metric", "b"]
    assert found[0]["ks_statistic"] == one.ks_statistic().to_dict()
    table = run(capsys, str(path), "--counts", "--format", "csv")[1].splitlines()
    assert table[:1] + table[8:9] == ["metric,model,limits_low,limits_high", "roc_auc,b,1.0,1.0"]
    assert "| n− | 6 | 2,000 |" in run(capsys, str(path), "--counts", "--format", "markdown")[1]


def test_whole_weights_are_no_counts(capsys, tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("score,positive_weight,negative_weight,unusable\n.1,1,5,0\n.6,3,1,0\n")
    status, out, _ = run(capsys, str(path), "--counts")
    assert status == 0
    assert "[–, –]" in out
    assert "do not tell how many rows there were: no interval" in out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["0.5,1,2,7"], "7 rows of the database have a label of neither class"),
        ([",1,2,0"], "column 'score' contains 1 null"),
        (["0.5,-1,2,0"], "column 'positives' (or 'positive_weight') must not be negative"),
        (["0.5,many,2,0"], "column 'positives' must hold numbers, not texts"),
    ],
)
def test_wrong_counts_are_refused(capsys, tmp_path, more, said):
    status, out, err = run(capsys, counts_file(tmp_path / "c.csv", more=more), "--counts")
    assert (status, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("options", [["--label", "y"], ["--stratified"], ["--on-bad-row", "skip"]])
def test_what_is_of_rows_is_refused(capsys, tmp_path, options):
    status, _, err = run(capsys, counts_file(tmp_path / "c.csv"), "--counts", *options)
    assert status == 2
    assert f"{options[0]} is of rows" in err


def test_rows_need_their_columns(capsys, tmp_path):
    status, _, err = run(capsys, counts_file(tmp_path / "c.csv"))
    assert status == 2
    assert "--label and --score missing" in err
    assert "--counts" in err


@pytest.mark.parametrize("ends", ["score", "score_low,score_high"])
def test_one_class_is_told_in_a_line(capsys, tmp_path, ends):
    path = tmp_path / "one.csv"
    path.write_text(f"{ends},positives,negatives\n{'.1' if ends == 'score' else '.1,.2'},3,0\n")
    status, out, err = run(capsys, str(path), "--counts", "--format", "json")
    assert status == 0
    assert "null" in out
    lines = err.splitlines()
    assert lines
    assert all(line.startswith("fastmetrics: warning: ") for line in lines)
    assert "negative example" in err
