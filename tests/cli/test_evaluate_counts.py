"""`fastmetrics evaluate --counts`: what a database counted is evaluated as its rows are."""

import json

import numpy as np
import pytest

from commands import captured, error_of, output_of
from fastmetrics import ScoreTable, evaluate
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


def models_of(capsys, *arguments):
    """Return the models of an evaluation of counts."""
    out = captured(capsys, "evaluate", *arguments, "--counts", "--format", "json").out
    return json.loads(out)["models"]


@pytest.mark.parametrize("heads", [HEADS, HEADS.upper()])
def test_counts_are_evaluated_as_their_rows(capsys, tmp_path, heads):
    (model,) = models_of(capsys, counts_file(tmp_path / "c.csv", heads))
    expected = evaluate(*rows()).to_dict()["models"][0]
    assert model == {name: list(v) if isinstance(v, tuple) else v for name, v in expected.items()}


def test_files_add_up_and_conditions_hold(capsys, tmp_path):
    path = counts_file(tmp_path / "c.csv")
    y, s = rows()
    assert models_of(capsys, path, counts_file(tmp_path / "d.csv"))[0]["n_positive"] == 2 * y.sum()
    options = ("--counts", "--where", "score > 0", "--format", "csv")
    one = captured(capsys, "evaluate", path, *options).out
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
    tables = {"b": ScoreTable.from_scores(y, -s), "a": ScoreTable.from_scores(y, s)}
    command = ("evaluate", path, "--counts", "--verbose")
    expected = f"{evaluate(tables).explain()}\n"
    expected = expected.replace("`n_resamples=9999`", "--bootstrap 9999")
    assert output_of(capsys, *command) == expected
    out = output_of(capsys, *command, "--where", f"{model} = 'a'")
    assert out.partition("\n\n")[0] == str(evaluate(y, {"a": s})).partition("\n\n")[0]
    models = models_of(capsys, path, models_file(tmp_path / "n.csv", model))
    assert {each["name"]: each["n_positive"] for each in models} == dict.fromkeys("ba", 2 * y.sum())
    assert [each["name"] for each in models] == ["b", "a"]


def test_models_may_have_numbers(capsys, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("model,score,positives,negatives\n10,.1,1,5\n9,.1,5,1\n10,.6,3,1\n9,.6,1,3\n")
    models = models_of(capsys, path)
    assert [(each["name"], each["n_negative"]) for each in models] == [("9", 4), ("10", 6)]


def test_files_agree_on_whether_there_are_models(capsys, tmp_path):
    files = [models_file(tmp_path / "m.csv"), counts_file(tmp_path / "c.csv")]
    for given in (files, files[::-1], [str(tmp_path / "*.csv")]):
        message = error_of(capsys, "evaluate", *given, "--counts")
        assert "one of them has the column 'model', which the other lacks" in message


def test_faults_name_the_model(capsys, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("model,score,positives,negatives\na,.1,1,5\nb,.1,-1,2\n")
    message = error_of(capsys, "evaluate", path, "--counts")
    assert "model 'b': column 'positives' (or 'positive_weight') must not be negative" in message
    path.write_text("model,score,positives,negatives\na,.1,1,5\na,.2,1,1\nb,.1,0,0\n")
    message = captured(capsys, "evaluate", path, "--counts").err
    assert "model 'b': no rows, so what needs both classes is undefined" in message


def test_ranges_of_several_models(capsys, tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(
        "model,score_low,score_high,positives,negatives\n"
        "metric,.1,.4,1,5\nmetric,.6,.6,3,1\nb,.2,.2,2,0\nb,.1,.1,0,2000\n"
    )
    one = ScoreRanges([0.1, 0.6], [0.4, 0.6], [1, 3], [5, 1])
    command = ("evaluate", path, "--counts")
    out = output_of(capsys, *command)
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["metric", "b"]
    assert ["n−", "6", "2,000"] in lines
    assert ["AUC", "[0.6875,", "0.8958]", "[1,", "1]"] in lines
    assert out.endswith("\nThe exact values lie between the limits.\n")
    models = models_of(capsys, path)
    assert [each["name"] for each in models] == ["metric", "b"]
    assert models[0]["ks_statistic"] == one.ks_statistic().to_dict()
    table = output_of(capsys, *command, "--format", "csv").splitlines()
    assert table[:1] + table[8:9] == ["metric,model,limits_low,limits_high", "roc_auc,b,1.0,1.0"]
    assert "| n− | 6 | 2,000 |" in output_of(capsys, *command, "--format", "markdown")


def test_whole_weights_are_no_counts(capsys, tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("score,positive_weight,negative_weight,unusable\n.1,1,5,0\n.6,3,1,0\n")
    out = captured(capsys, "evaluate", path, "--counts").out
    assert "[–, –]" in out
    assert "do not tell how many rows there were: no interval" in out


@pytest.mark.parametrize(
    ("more", "options", "message"),
    [
        (["0.5,1,2,7"], "", "7 rows of the database have a label of neither class"),
        ([",1,2,0"], "", "column 'score' contains 1 null"),
        (["0.5,-1,2,0"], "", "column 'positives' (or 'positive_weight') must not be negative"),
        (["0.5,many,2,0"], "", "column 'positives' must hold numbers, not texts"),
        ([], "--label y", "--label is of rows"),
        ([], "--stratified", "--stratified is of rows"),
        ([], "--on-bad-row skip", "--on-bad-row is of rows"),
    ],
)
def test_wrong_counts_and_what_is_of_rows_are_refused(capsys, tmp_path, more, options, message):
    path = counts_file(tmp_path / "c.csv", more=more)
    assert message in error_of(capsys, "evaluate", path, "--counts", *options.split())


def test_rows_need_their_columns(capsys, tmp_path):
    message = error_of(capsys, "evaluate", counts_file(tmp_path / "c.csv"))
    assert "--label and --score missing" in message
    assert "--counts" in message


@pytest.mark.parametrize("ends", ["score", "score_low,score_high"])
def test_one_class_is_told_in_a_line(capsys, tmp_path, ends):
    path = tmp_path / "one.csv"
    path.write_text(f"{ends},positives,negatives\n{'.1' if ends == 'score' else '.1,.2'},3,0\n")
    out, err = captured(capsys, "evaluate", path, "--counts", "--format", "json")
    assert "null" in out
    lines = err.splitlines()
    assert lines
    assert all(line.startswith("fastmetrics: warning: ") for line in lines)
    assert "negative example" in err
