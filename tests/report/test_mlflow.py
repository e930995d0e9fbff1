"""The evaluator of MLflow, with stores of MLflow in SQLite and in files."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmetrics as fm

mlflow = pytest.importorskip("mlflow")
pd = pytest.importorskip("pandas")

pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]

RNG = np.random.default_rng(0)
N = 150
X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"])
NOISE = RNG.normal(size=N)
TARGETS = {
    "binary": (X["a"] + NOISE > 0).to_numpy().astype(int),
    "classes": np.digitize(X["a"] + 0.5 * NOISE, [-0.7, 0.7]),
    "numbers": (X["a"] + NOISE).to_numpy(),
}


@pytest.fixture(scope="module", params=["sqlite", "files"])
def store(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp(request.param)
    uri = f"sqlite:///{folder}/runs.db" if request.param == "sqlite" else (folder / "runs").as_uri()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        before = mlflow.get_tracking_uri()
        mlflow.set_tracking_uri(uri)
        experiment = mlflow.create_experiment("tests", artifact_location=(folder / "art").as_uri())
        patch.setenv("MLFLOW_EXPERIMENT_ID", experiment)  # set_experiment would outlive the patch
        yield folder
        mlflow.set_tracking_uri(before)


def evaluated(y: Any, kind: str, model: Any = None, **options: Any) -> tuple[Any, dict[str, float]]:
    """Return the result of MLflow's evaluate, and the metrics of the run in the store."""
    data = X.assign(y=y)
    if model is None:
        data["p"] = options.pop("p")
        options["predictions"] = "p"
    with mlflow.start_run() as run:
        result = mlflow.models.evaluate(
            model, data, targets="y", model_type=kind, evaluators="fastmetrics", **options
        )
    stored = mlflow.get_run(run.info.run_id).data.metrics
    files = [
        each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id, "fastmetrics")
    ]
    assert sorted(files) == sorted(result.artifacts)
    page = result.artifacts["fastmetrics/report.html"].content
    assert "<h1>Evaluation</h1>" in page
    for name in result.artifacts:
        if name.endswith(".png"):
            assert min(result.artifacts[name].content.size) > 300
    assert stored.keys() == result.metrics.keys()
    assert all(np.isclose(stored[k], v, equal_nan=True) for k, v in result.metrics.items())
    return result, stored


def names_of(result: Any) -> set[str]:
    return {Path(name).stem for name in result.artifacts}


def test_scores_of_two_classes(store: Path) -> None:
    y = TARGETS["binary"]
    p = 1 / (1 + np.exp(-X["a"].to_numpy()))
    result, stored = evaluated(y, "classifier", p=p)
    assert stored == fm.evaluate(y, p).to_metrics()
    assert names_of(result) == {"report", "roc", "precision_recall", "calibration"}


@pytest.mark.parametrize("kind", ["binary", "classes"])
def test_probabilities_of_a_model_of_scikit_learn(store: Path, kind: str, tmp_path: Path) -> None:
    from sklearn.linear_model import LogisticRegression

    y = TARGETS[kind]
    model = LogisticRegression().fit(X, y)
    mlflow.sklearn.save_model(model, tmp_path / "model", pip_requirements=[])
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    _, stored = evaluated(y, "classifier", loaded)
    matrix = model.predict_proba(X)
    expected = fm.evaluate(y, {"model": matrix[:, 1] if kind == "binary" else matrix})
    assert stored == expected.to_metrics()


def test_the_positive_class(store: Path) -> None:
    y = np.where(TARGETS["binary"], "yes", "no")
    p = 1 / (1 + np.exp(-X["a"].to_numpy()))
    matrix = pd.DataFrame({"yes": p, "no": 1 - p})
    _, stored = evaluated(y, "classifier", lambda _: matrix, evaluator_config={"pos_label": "yes"})
    assert stored["roc_auc"] == fm.roc_auc_score(TARGETS["binary"], p)


def test_predicted_classes(store: Path) -> None:
    y = TARGETS["classes"]
    p = np.digitize(X["a"], [-0.5, 0.5])
    result, stored = evaluated(y, "classifier", p=p, evaluator_config={"task": "labels"})
    assert stored["accuracy"] == fm.accuracy_score(y, p)
    assert names_of(result) == {"report", "matrix"}


def test_numbers(store: Path) -> None:
    y = TARGETS["numbers"]
    config = {"metric_prefix": "test/", "model_name": "line"}
    result, stored = evaluated(y, "regressor", lambda rows: rows["a"], evaluator_config=config)
    expected = fm.evaluate(y, {"line": X["a"]}, task="values")
    assert stored == pytest.approx(expected.to_metrics("test/"), nan_ok=True)
    assert names_of(result) == {"report", "residuals"}
    assert ">line<" in result.artifacts["fastmetrics/report.html"].content


def test_undefined_metrics_are_logged_as_nan(store: Path) -> None:
    result, stored = evaluated(np.ones(N, int), "classifier", p=X["a"].to_numpy())
    assert math.isnan(stored["roc_auc"])
    assert names_of(result) == {"report"}


def test_thousands_of_metrics_and_slices(store: Path) -> None:
    config = {"slices": {"third": np.arange(N) % 150}, "min_n": 1}
    _, stored = evaluated(
        TARGETS["numbers"], "regressor", lambda r: r["a"], evaluator_config=config
    )
    assert len(stored) > 1_000


def test_beside_the_evaluators_of_mlflow(store: Path) -> None:
    data = X.assign(y=TARGETS["numbers"])
    with mlflow.start_run() as run:
        result = mlflow.models.evaluate(
            lambda rows: rows["a"],
            data,
            targets="y",
            model_type="regressor",
            evaluators=["regressor", "fastmetrics"],
        )
    stored = mlflow.get_run(run.info.run_id).data.metrics
    assert stored["mean_squared_error"] == pytest.approx(result.metrics["mean_squared_error"])
    assert "mean_absolute_error_low" in stored


def test_errors_name_the_argument(store: Path) -> None:
    with pytest.raises(fm.InputError, match="`confidence` is no parameter of `report`"):
        evaluated(TARGETS["numbers"], "regressor", p=NOISE, evaluator_config={"confidence": 0.9})
    frame = pd.DataFrame({"q": NOISE})
    with pytest.raises(fm.InputError, match="`predictions` names no column"):
        evaluated(TARGETS["numbers"], "regressor", lambda _: frame, predictions="p")
