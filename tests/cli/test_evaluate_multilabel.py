"""`fastmetrics evaluate --label-score`: rows with several labels, a pair of columns for each."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import fastmetrics as fm
from fastmetrics.cli import main

N = 120
LABELS = ("sea", "sky", "sand")
PAIRS = [f"--label-score={name}=p_{name}" for name in LABELS]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    shared = rng.normal(size=(N, 1))
    y = shared + rng.normal(size=(N, 3)) > [0.0, 0.5, -0.5]
    found = pd.DataFrame(y.astype(int), columns=LABELS)
    for name in LABELS:
        found[f"p_{name}"] = rng.beta(1 + found[name], 2 - found[name])
    found["user"] = [f"u{k // 3}" for k in range(N)]
    found["w"] = rng.integers(1, 4, N)
    return found


@pytest.fixture(autouse=True)
def files(frame, tmp_path, monkeypatch):
    """Work in a folder with the rows in files of two kinds; labels are booleans in one of them."""
    monkeypatch.chdir(tmp_path)
    frame.to_csv("t.csv", index=False)
    frame.astype({"sky": bool}).to_parquet("t.parquet")


def evaluated(frame: pd.DataFrame, **options: object) -> fm.results.Evaluation:
    scores = frame[[f"p_{name}" for name in LABELS]].to_numpy()
    return fm.evaluate(frame[[*LABELS]], {"score": scores}, **options)


@pytest.mark.parametrize("path", ["t.csv", "t.parquet"])
def test_every_format_says_what_evaluate_says(path, frame, capsys) -> None:
    expected = evaluated(frame, threshold=0.5)
    command = ["evaluate", path, *PAIRS, "--threshold", "0.5"]
    assert main(command) == 0
    assert capsys.readouterr().out == f"{expected}\n"
    assert main([*command, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["n_rows"], printed["n_skipped"]) == (N, 0)
    assert printed["models"] == json.loads(json.dumps(expected.to_dict()["models"]))
    assert main([*command, "--format", "csv"]) == 0
    rows = pd.read_csv(io.StringIO(capsys.readouterr().out)).set_index("metric")
    for name, one in expected["score"].items():
        assert rows.loc[name, "low"] == pytest.approx(one.confidence_interval.low, rel=1e-14)
    assert main([*command, "--format", "markdown"]) == 0
    assert "| macro AUC ↑ |" in capsys.readouterr().out


def test_what_rows_have_beside_labels(frame, capsys) -> None:
    options = ["--groups", "user", "--weight", "w", "--weights-are", "frequencies"]
    command = ["evaluate", "t.csv", *PAIRS, *options, "--confidence-level", "0.9"]
    assert main([*command, "--where", "w > 1", "--metrics", "brier_score"]) == 0
    kept = frame[frame.w > 1]
    rows = {"groups": kept.user, "sample_weight": kept.w, "weights_are": "frequencies"}
    expected = evaluated(kept, **rows, confidence_level=0.9, metrics=["brier_score"])
    assert capsys.readouterr().out == f"{expected}\n"


def test_scores_beyond_doubles_keep_apart(frame, capsys) -> None:
    own = {name: 2**60 + (1000 * frame[f"p_{name}"]).astype(np.int64) for name in LABELS}
    frame.assign(**{f"p_{name}": each for name, each in own.items()}).to_csv("far.csv", index=False)
    assert main(["evaluate", "far.csv", *PAIRS, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)["models"]["score"]
    expected = fm.evaluate(frame[[*LABELS]], {"score": {k: v - 2**60 for k, v in own.items()}})
    for name, one in expected["score"].items():
        assert printed[name]["estimate"] == one.estimate


def test_a_page(capsys, tmp_path) -> None:
    pytest.importorskip("jinja2")
    assert main(["report", "t.csv", *PAIRS, "-o", "page.html"]) == 0
    assert "page.html: Evaluation, 120 rows" in capsys.readouterr().out
    assert "all labels of a row right" not in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*PAIRS, "--label", "sea"], "leave --label, --score and --class-score out"),
        ([*PAIRS, "--class-score=a=p_sea"], "leave --label, --score and --class-score out"),
        ([*PAIRS, "--label-score=sea=w"], "--label-score names 'sea' more than once"),
        (PAIRS[:1], "--label-score names one label"),
        ([*PAIRS, "--label-score=sun"], "--label-score 'sun' is no name with a column"),
        ([*PAIRS, "--label-score=sun=p"], "t.csv: no column 'sun', 'p'; the columns are 'sea'"),
        ([*PAIRS[:2], "--label-score=sand=p_sky"], "column 'p_sky' is named 2 times"),
        ([*PAIRS[:2], "--label-score=w=p_sand"], "column 'w' must hold 0 and 1: got values in {1"),
        ([*PAIRS[:2], "--label-score=user=p_sand"], "row 1 (line 2): column 'user': 'u0' is not"),
        ([*PAIRS, "--task", "values"], "--label-score is of --task multilabel: got --task values"),
        (["--task", "multilabel", "--label=sea", "--score=w"], "multilabel needs --label-score"),
        (["--task", "multiclass", "--label=sea", "--score=w"], "multiclass needs --class-score"),
        (
            ["--task", "labels", "--label=sea", "--class-score=0=w"],
            "--class-score is of --task multiclass",
        ),
        (
            ["--label=sea", "--class-score=0=w", "--class-score=0=p_sea"],
            "--class-score names '0' more than once",
        ),
        (["--label=sea", "--score=sky", "--task=labels", "--cost-fn=5"], "--cost-fn is of scores"),
        *(
            ([*PAIRS, *option.split()], f"{option.split()[0]} is of scores of two classes")
            for option in ("--slice user", "--guarantee recall=0.9", "--bootstrap 99")
        ),
        ([*PAIRS, "--memory", "1GB"], "--memory is for scores of two classes"),
        ([*PAIRS, "--counts"], "--label-score is of rows"),
        ([*PAIRS, "--metrics", "f1_macro"], "pass --threshold, from which on a score"),
    ],
)
def test_faults(arguments, message, capsys) -> None:
    assert main(["evaluate", "t.csv", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("column", ["sky", "p_sky"])
def test_rows_without_a_label_or_a_score(column, frame, capsys) -> None:
    bad = frame.astype({column: float})
    bad.loc[4, column] = np.nan
    bad.to_csv("bad.csv", index=False)
    assert main(["evaluate", "bad.csv", *PAIRS]) == 2
    assert f"bad.csv: column {column!r} contains 1 null: row 5" in capsys.readouterr().err
    assert main(["evaluate", "bad.csv", *PAIRS, "--on-bad-row", "skip"]) == 0
    out = capsys.readouterr()
    assert out.out == f"{evaluated(frame.drop(index=4))}\n"
    assert "1 bad row skipped, 119 evaluated" in out.err
