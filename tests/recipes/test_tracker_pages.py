"""The how-to pages of trackers run as they stand, with the tracker itself."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "how-to"
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: The words that the last block of each page prints.
PRINTED = {
    "mlflow": "['fastmetrics/calibration.png', 'fastmetrics/precision_recall.png', 'fastmetrics/re",
    "wandb": "'test/roc_auc_low'",
    "lightning": "['val/roc_auc', 'val/roc_auc_df', 'val/roc_auc_high', 'val/roc_auc_low'",
}


@pytest.mark.source_tree
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    [
        "wandb",
        pytest.param("mlflow", marks=pytest.mark.integrations),
        pytest.param("lightning", marks=pytest.mark.integrations),
    ],
)
def test_the_page_runs(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in _PYTHON.findall((PAGES / f"{name}.md").read_text("utf-8")):
        exec(compile(code, name, "exec"), names)
    assert PRINTED[name] in capsys.readouterr().out
    if name == "mlflow":
        mlflow = pytest.importorskip("mlflow")
        run = mlflow.get_run(names["run"].info.run_id)  # type: ignore[attr-defined]
        assert run.data.metrics == names["metrics"]
    if name == "wandb":
        assert [*tmp_path.glob("wandb/offline-run-*/*.wandb")]
