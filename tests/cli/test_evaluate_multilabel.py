"""`fastmetrics evaluate --label-score`: rows with several labels, a pair of columns for each."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import fastmetrics as fm
from commands import captured, error_of

N = 120
LABELS = ("sea", "sky", "sand")
PAIRS = [f"--label-score={name}=p_{name}" for name in LABELS]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    shared = rng.normal(size=(N, 1))
    y = shared + rng.normal(size=(N, 3)) > [0.0, 0.5, -0.5]
    data = pd.DataFrame(y.astype(int), columns=LABELS)
    for name in LABELS:
        data[f"p_{name}"] = rng.beta(1 + data[name], 2 - data[name])
    data["user"] = [f"u{k // 3}" for k in range(N)]
    data["w"] = rng.integers(1, 4, N)
    return data


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
    assert captured(capsys, *command, "--verbose").out == f"{expected.explain()}\n"
    printed = json.loads(captured(capsys, *command, "--format", "json").out)
    assert (printed["n_rows"], printed["n_skipped"]) == (N, 0)
    assert printed["models"] == json.loads(json.dumps(expected.to_dict()["models"]))
    table = captured(capsys, *command, "--format", "csv").out
    rows = pd.read_csv(io.StringIO(table)).set_index("metric")
    for name, one in expected["score"].items():
        assert rows.loc[name, "low"] == pytest.approx(one.confidence_interval.low, rel=1e-14)
    assert "| macro AUC ↑ |" in captured(capsys, *command, "--format", "markdown").out


def test_what_rows_have_beside_labels(frame, capsys) -> None:
    options = ["--groups", "user", "--weight", "w", "--weights-are", "frequencies"]
    command = ["evaluate", "t.csv", *PAIRS, *options, "--confidence-level", "0.9"]
    command += ["--where", "w > 1", "--metrics", "brier_score", "--verbose"]
    out = captured(capsys, *command).out
    kept = frame[frame.w > 1]
    rows = {"groups": kept.user, "sample_weight": kept.w, "weights_are": "frequencies"}
    expected = evaluated(kept, **rows, confidence_level=0.9, metrics=["brier_score"])
    assert out == f"{expected.explain()}\n"


def test_scores_beyond_doubles_keep_apart(frame, capsys) -> None:
    own = {name: 2**60 + (1000 * frame[f"p_{name}"]).astype(np.int64) for name in LABELS}
    frame.assign(**{f"p_{name}": each for name, each in own.items()}).to_csv("far.csv", index=False)
    out = captured(capsys, "evaluate", "far.csv", *PAIRS, "--format", "json").out
    printed = json.loads(out)["models"]["score"]
    expected = fm.evaluate(frame[[*LABELS]], {"score": {k: v - 2**60 for k, v in own.items()}})
    for name, one in expected["score"].items():
        assert printed[name]["estimate"] == one.estimate


def test_a_page(capsys, tmp_path) -> None:
    pytest.importorskip("jinja2")
    text = captured(capsys, "report", "t.csv", *PAIRS, "-o", "page.html").out
    assert "page.html: Evaluation, 120 rows" in text
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
    assert message in error_of(capsys, "evaluate", "t.csv", *arguments)


@pytest.mark.parametrize("column", ["sky", "p_sky"])
def test_rows_without_a_label_or_a_score(column, frame, capsys) -> None:
    bad = frame.astype({column: float})
    bad.loc[4, column] = np.nan
    bad.to_csv("bad.csv", index=False)
    command = ("evaluate", "bad.csv", *PAIRS)
    assert error_of(capsys, *command) == f"bad.csv: column {column!r} contains 1 null: row 5"
    out, err = captured(capsys, *command, "--on-bad-row", "skip")
    assert out == f"{evaluated(frame.drop(index=4))}\n"
    assert "1 bad row skipped, 119 evaluated" in err
