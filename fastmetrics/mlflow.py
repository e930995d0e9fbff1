"""The evaluator "fastmetrics" of MLflow, which finds it by an entry point."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from fastmetrics._input.rows import NamedScores
from fastmetrics._report.plots import plot_pr, plot_residuals, plot_roc
from fastmetrics._report.report import report
from fastmetrics._report.score_evaluation import may_be_probabilities
from fastmetrics._report.task_evaluation import most_probable
from fastmetrics.errors import InputError, importing
from fastmetrics.metrics.calibration.reliability_diagram import reliability_diagram
from fastmetrics.tables.confusion.confusion_matrix import ConfusionMatrix

#: Most metrics that a store of MLflow takes at once.
_BATCH: Final = 1_000


class Evaluator:
    """Evaluate a classifier or a regressor for ``mlflow.models.evaluate``.

    MLflow makes it for ``evaluators="fastmetrics"``. `evaluator_config` has the options of
    `report`, and "metric_prefix" and "model_name". Metrics and artifacts of one's own
    (`extra_metrics`, `custom_artifacts`) are for MLflow's evaluators.
    """

    @classmethod
    def can_evaluate(cls, *, model_type: str, **_: Any) -> bool:
        """Return whether the model is a classifier or a regressor."""
        return model_type in ("classifier", "regressor")

    def evaluate(
        self,
        *,
        model_type: str,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any] | None = None,
        model: Any = None,
        predictions: str | None = None,
        **_: Any,
    ) -> Any:
        """Log the metrics, the page of `report` and figures in a run.

        Returns
        -------
        mlflow.models.EvaluationResult
            Metrics by name; artifacts by path: ``fastmetrics/report.html`` and PNG files.

        Raises
        ------
        ValueError
            As `report`; if the model's output has no column `predictions`.
        """
        with importing("the evaluator needs MLflow: pip install 'fastmetrics-eval[mlflow]'"):
            import mlflow
            from matplotlib.figure import Figure
            from mlflow.entities import Metric
            from mlflow.models.evaluation import EvaluationResult, artifacts as kinds
        options = dict(evaluator_config or {})
        prefix = options.pop("metric_prefix", "")
        name = options.pop("model_name", "model")
        if model_type == "regressor":
            options.setdefault("task", "values")
        y_true = dataset.labels_data
        scores = dataset.predictions_data
        if model is not None:
            scores = _predict(model, dataset.features_data, predictions)
        if np.shape(scores)[1:] == (2,):
            scores = _positive_column(scores, y_true, options.get("pos_label"))
        page = report(y_true, {name: scores}, **options)
        numbers = page.to_metrics(prefix)
        client = mlflow.MlflowClient()
        now = time.time_ns() // 1_000_000
        metrics = [Metric(key, value, now, 0) for key, value in numbers.items()]
        for start in range(0, len(metrics), _BATCH):
            client.log_batch(run_id, metrics[start : start + _BATCH])
        path = "fastmetrics/report.html"
        client.log_text(run_id, page.html, path)
        logged: dict[str, Any] = {path: kinds.TextEvaluationArtifact(mlflow.get_artifact_uri(path))}
        model_scores = NamedScores(name, name, scores)
        for key, draw in _plots(page.evaluation, y_true, model_scores, options):
            figure = Figure(layout="constrained")
            draw(ax=figure.subplots())
            path = f"fastmetrics/{key}.png"
            client.log_figure(run_id, figure, path)
            logged[path] = kinds.ImageEvaluationArtifact(mlflow.get_artifact_uri(path))
        return EvaluationResult(numbers, logged, run_id)


def _positive_column(scores: Any, y_true: Any, pos_label: Any) -> Any:
    """Return the column of the positive class, of two: by its name, else in the order of labels."""
    is_named = hasattr(scores, "columns")
    names = list(scores.columns) if is_named else np.unique(y_true).tolist()
    positive = 1 if pos_label is None else pos_label
    if positive in names and len(names) == 2:
        return np.asarray(scores)[:, names.index(positive)]
    if is_named or pos_label is not None:
        raise InputError(
            f"the predictions have columns of {names}: `evaluator_config` must name one of them as "
            f"`pos_label`: got {pos_label!r}"
        )
    return np.asarray(scores)[:, 1]  # labels of one class, or texts, which need `pos_label` too


def _predict(model: Any, rows: Any, column: str | None) -> Any:
    """Return probabilities by class where a model of scikit-learn has them, else its output."""
    if hasattr(getattr(model, "_model_impl", None), "get_raw_model"):
        raw = model.get_raw_model()
        if hasattr(raw, "predict_proba"):
            import pandas as pd

            return pd.DataFrame(raw.predict_proba(rows), columns=list(raw.classes_))
    output = model.predict(rows)
    if column is not None and hasattr(output, "columns"):
        if column not in output.columns:
            raise InputError(f"`predictions` names no column of the model's output: got {column!r}")
        return output[column]
    return np.squeeze(output, axis=1) if np.shape(output)[1:] == (1,) else output


def _plots(
    evaluation: Any, y_true: Any, model: NamedScores, options: Mapping[str, Any]
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the name of each figure, and what draws it on axes."""
    scores = {model.name: model.values}
    read = {k: options[k] for k in ("sample_weight", "pos_label") if k in options}
    if evaluation.task == "values":
        yield "residuals", partial(plot_residuals, y_true, scores)
    elif evaluation.task == "binary" and not np.isnan(evaluation[0].roc_auc):
        yield "roc", partial(plot_roc, y_true, scores, **read)
        yield "precision_recall", partial(plot_pr, y_true, scores, **read)
        if may_be_probabilities(model):
            yield "calibration", reliability_diagram(y_true, model.values, **read).plot
    elif evaluation.task in ("labels", "multiclass"):
        labels = model.values if evaluation.task == "labels" else most_probable(y_true, model)
        weight = options.get("sample_weight")
        yield "matrix", ConfusionMatrix.from_labels(y_true, labels, sample_weight=weight).plot
