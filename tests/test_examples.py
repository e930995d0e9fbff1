"""The stories of ``examples/`` run as they stand, and say what they are told for."""

import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.source_tree

STORIES = Path(__file__).parents[1] / "examples" / "stories"
#: What each story prints, whatever its figures are.
SAID = {
    "finding_three_features": ["No significant difference between three", "new patients: 0.9"],
    "frame_by_name": [
        "new is better than old in AUC",
        "new is worse in country=PL",
        "PASS: candidate is non-inferior",
    ],
    "fraud_with_costs": ["model is better than rule in AUC", "by stopping nothing", "country=PL"],
    "gate_in_a_test_suite": ["1 failed, 1 passed, 1 inconclusive", "distilled: INCONCLUSIVE"],
    "language_model": [
        "No significant difference between old and new",
        "every answer: new less old between +",
        "PASS: ",
    ],
    "model_selection": ["log loss 0.", "threshold 0.", "tuned is better than usual in cost"],
    "tracked_runs": ["No significant difference between logistic and neighbours", "MLflow "],
    "training_loop": ["epoch 3: AUC between 0.9", "exact AUC of its rows: 0.9"],
    "recommender": ["personal is better than", "liked little before"],
}


@pytest.fixture
def no_windows(monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    yield
    pyplot.close("all")


@pytest.mark.parametrize("name", sorted(SAID))
def test_stories_say_what_they_are_told_for(name, capsys, no_windows):
    if name == "training_loop" and find_spec("torchmetrics") is None:
        pytest.skip("torchmetrics is not installed")
    runpy.run_path(str(STORIES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    for words in SAID[name]:
        assert words in printed, printed


def test_every_story_is_run():
    assert {path.stem for path in STORIES.glob("*.py")} == set(SAID)
