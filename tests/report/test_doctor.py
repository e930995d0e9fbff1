"""`doctor` finds what was planted, and nothing in healthy data."""

import json

import numpy as np
import pandas as pd
import pytest

import fastmetrics as fm
from commands import captured

N = 1_000


@pytest.fixture
def healthy() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    p = rng.beta(1, 1, N)
    return (rng.random(N) < p).astype(int), p


def kinds(*args, **options) -> dict[str, str]:
    diagnosis = fm.doctor(*args, **options)
    assert diagnosis.exit_status == (0 if diagnosis.is_healthy else 1)
    return {each.kind: each.severity for each in diagnosis}


def test_nothing_is_found_in_healthy_data(healthy) -> None:
    y, p = healthy
    diagnosis = fm.doctor(y, p, groups=np.arange(N) // 3, ids=np.arange(N))
    assert {each.severity for each in diagnosis} <= {"note"}
    assert diagnosis.is_healthy
    assert [each.kind for each in diagnosis] == []
    assert "nothing" in str(diagnosis)


#: What `evaluate` says too, in a word.
DOUBTS = ("constant", "labels as scores", "decisions as scores", "perfect", "backwards")
PLANTED = {
    "backwards": lambda y, p: (y, 1 - p),
    "labels as scores": lambda y, p: (y, y.astype(float)),
    "decisions as scores": lambda y, p: (y, (p > 0.5).astype(int)),
    "constant": lambda y, p: (y, np.full(N, 0.3)),
    "ties": lambda y, p: (y, np.round(p, 1)),
    "missing labels": lambda y, p: (np.where(np.arange(N) == 3, np.nan, y), p),
    "missing scores": lambda y, p: (y, np.where(np.arange(N) < 2, np.nan, p)),
    "several classes": lambda y, p: (np.arange(N) % 3, p),
    "one class": lambda y, p: (np.ones(N, int), p),
    "positive class": lambda y, p: (np.where(y, "b", "a"), p),
    "no numbers": lambda y, p: (y, ["?"] * N),
    "lengths": lambda y, p: (y, p[:-1]),
    "perfect": lambda y, p: (y, y + p / 2),
    "few positives": lambda y, p: (np.arange(N) < 20, p),
    "few negatives": lambda y, p: (np.arange(N) > 3, p),
    "repeated rows": lambda y, p: (np.tile(y[:500], 2), np.tile(p[:500], 2)),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_what_was_planted_is_found(healthy, kind: str) -> None:
    assert kind in kinds(*PLANTED[kind](*healthy))


@pytest.mark.parametrize(
    ("y", "p", "options", "kind"),
    [
        ([], [], {}, "one class"),
        (pd.array([1, 0, None] * 100, dtype="Int64"), [0.1, 0.2, 0.3] * 100, {}, "missing labels"),
        ([0, 1] * 50, [object()] * 100, {}, "no numbers"),
        ([0, 1] * 50, [0.1, 0.2] * 50, {"groups": [None] * 100}, "groups"),
        ([0, 1] * 50, [0.1, 0.2] * 50, {"groups": [1, 2]}, "lengths"),
        ([0, 1] * 50, [0.1, 0.2] * 50, {"ids": [1, 2]}, "lengths"),
        ([0, 1] * 50, pd.array([0.1, None] * 50, dtype="Float64"), {}, "missing scores"),
    ],
)
def test_nothing_about_the_data_raises(y, p, options, kind: str) -> None:
    assert kind in kinds(y, p, **options)


def test_severities(healthy) -> None:
    y, p = healthy
    assert kinds(y, 1 - p)["backwards"] == "error"
    assert kinds(np.arange(N) < 20, p)["few positives"] == "note"
    assert kinds(np.arange(N) < 4, p)["few positives"] == "warning"
    order = [each.severity for each in fm.doctor(y, {"a": 1 - p, "b": 100 * p, "c": (p > 0.5) * 1})]
    assert order == sorted(order, key=["error", "warning", "note"].index)


def test_groups_ids_and_pairs_of_models(healthy) -> None:
    y, p = healthy
    assert kinds(y, p, groups=np.arange(N) % 8)["few groups"] == "warning"
    assert kinds(y, p, ids=np.arange(N) // 2)["ids twice"] == "error"
    assert kinds(y, {"a": p, "b": p.copy()})["the same scores"] == "warning"
    twice = {"a": np.tile(p[:500], 2), "b": np.tile(p[500:], 2)}
    assert kinds(np.tile(y[:500], 2), twice)["repeated rows"] == "warning"
    grouped = kinds(np.tile(y[:500], 2), twice, groups=np.tile(np.arange(500), 2))
    assert "repeated rows" not in grouped


@pytest.mark.parametrize("options", [{}, {"n_resamples": 50, "rng": 1}, {"groups": np.arange(N)}])
@pytest.mark.filterwarnings("ignore")
def test_evaluate_says_in_a_line_what_makes_figures_mean_nothing(healthy, options) -> None:
    y, p = healthy
    assert not any("Doubtful" in note for note in fm.evaluate(y, p, **options).notes)
    assert not any("Doubtful" in note for note in fm.evaluate(y, 2 * p, **options).notes)
    for kind in DOUBTS:
        labels, scores = PLANTED[kind](y, p)
        assert kind in kinds(labels, scores)
        (note,) = [n for n in fm.evaluate(labels, scores, **options).notes if "Doubtful" in n]
        assert note == f"Doubtful scores: score ({kind}). Run `doctor` for details."
    models = {"one": p, "other": 1 - p, "none": np.zeros(N), "rare": p * (np.arange(N) == 13)}
    result = fm.evaluate(y, models, **options)
    assert (
        "Doubtful scores: other (backwards), none (constant), rare (decisions as scores)."
        in str(result.notes)
    )
    assert "Doubtful scores: " in str(result)
    assert "backwards" in kinds(y, -y - p / 2)  # an AUC of 0 has no error
    assert "score (backwards)" in str(fm.evaluate(y, -y - p / 2, **options).notes)


def test_what_chance_may_have_done_is_no_doubt() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    p = rng.random(60)
    while not 0.40 < fm.roc_auc_score(y, p) < 0.45:
        p = rng.random(60)
    assert not any("Doubtful" in note for note in fm.evaluate(y, p).notes)
    assert "backwards" not in kinds(y, p)


def test_on_the_command_line(healthy, tmp_path, monkeypatch, capsys) -> None:
    y, p = healthy
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"y": y, "p": p, "flip": 1 - p, "g": np.arange(N) // 4, "id": range(N)})
    frame.to_csv("x.csv", index=False)
    command = ("doctor", "x.csv", "--label", "y", "--groups", "g", "--id", "id")
    captured(capsys, *command, "--score", "p")
    out = captured(capsys, *command, "--score", "flip", "--format", "json", code=1).out
    assert json.loads(out)["findings"][0]["kind"] == "backwards"
    captured(capsys, *command, "--score", "nowhere", code=2)
