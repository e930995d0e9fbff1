"""
Two runs in MLflow: is the better number a better model?
========================================================

Two models are trained on the same patients and logged as runs of MLflow: each metric with its
limits, and the page of the evaluation. The runs are then read back from the store. The table of
runs alone suggests a winner; the difference of the models, logged as a run of its own, tells
whether there is one. Without MLflow the script prints the numbers that it would have logged.
"""

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fastmetrics as fm

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=1)
models = {"logistic": LogisticRegression(max_iter=1000), "neighbours": KNeighborsClassifier(15)}
scores = {
    name: make_pipeline(StandardScaler(), model).fit(X_train, y_train).predict_proba(X_test)[:, 1]
    for name, model in models.items()
}

# %%
# Numbers by name
# ---------------
# A run per model, and one for the differences.

runs = {name: fm.evaluate(y_test, {name: score}) for name, score in scores.items()}
runs["difference"] = fm.compare(y_test, scores, metrics=["roc_auc", "average_precision"])
metrics = {name: result.to_metrics() for name, result in runs.items()}
for name, numbers in metrics.items():
    print(name, {key: round(numbers[key], 3) for key in [*numbers][:3]})

# %%
# Into the store and back
# -----------------------
# The store is a folder that is deleted at the end. MLflow prefers databases, and wants to be told.


def log_and_read(folder):
    import mlflow

    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    mlflow.set_tracking_uri(Path(folder, "runs").as_uri())
    mlflow.set_experiment("story")
    ids = {}
    for name, numbers in metrics.items():
        with mlflow.start_run(run_name=name) as run:
            mlflow.log_metrics(numbers)
            if name in scores:
                page = fm.report(y_test, {name: scores[name]}, band=None)
                mlflow.log_text(page.html, "report.html")
        ids[name] = run.info.run_id
    stored = {name: mlflow.get_run(run_id).data.metrics for name, run_id in ids.items()}
    print("MLflow returns the numbers that were logged:", stored == metrics)
    return stored


if find_spec("mlflow") is None:
    print("MLflow is not installed: pip install 'fastmetrics-eval[mlflow]'")
    stored = metrics
else:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        stored = log_and_read(folder)

# %%
# The answer
# ----------
# The limits of both runs overlap, which decides nothing: both models saw the same patients. The
# difference has an interval of its own, and zero lies well inside it.

figure, (left, right) = plt.subplots(1, 2, figsize=(7, 1.8), layout="constrained")
for name in models:
    run = stored[name]
    left.plot([run["roc_auc_low"], run["roc_auc_high"]], [name, name], marker="|", linewidth=2)
left.set(xlabel="AUC, 95 % interval", ylim=(-0.6, 1.6))
run = stored["difference"]
key = "logistic_less_neighbours.roc_auc"
right.plot([run[f"{key}_low"], run[f"{key}_high"]], [0, 0], marker="|", linewidth=2)
right.axvline(0, color="0.6", linestyle="--")
right.set(xlabel="difference of the AUCs, 95 % interval", yticks=[])
print(f"difference: {run[key]:+.4f}, p = {run[f'{key}_pvalue']:.3f}")
print(runs["difference"].verdict)
