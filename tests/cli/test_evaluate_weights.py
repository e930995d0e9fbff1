"""`fastmetrics evaluate --weight`: what weights are is said, and shown."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import roc_auc_score
from test_evaluate import output_of, run, table

from fastmetrics import evaluate


@pytest.mark.parametrize("column", ["weight", "count"])
def test_weights_are_importances_unless_they_are_said_to_be_frequencies(tmp_path, capsys, column):
    """An integer column too: it is not to turn 200 rows into 400."""
    data = table()
    pq.write_table(data, tmp_path / "x.parquet")
    options = [tmp_path / "x.parquet", "--label", "label", "--score", "a", "--weight", column]
    y, scores, weights = (data[name].to_numpy() for name in ("label", "a", column))
    found = json.loads(output_of(capsys, *options, "--format", "json"))
    model = found["models"][0]
    expected = roc_auc_score(y, scores, sample_weight=weights)
    assert model["roc_auc"] == pytest.approx(expected, rel=1e-12)
    importances = evaluate(y, scores, sample_weight=weights)[0].confidence_interval
    assert model["confidence_interval"] == importances.to_dict()
    assert found["weights_are"] == "importances"
    said = "Weights are importances: each row is one row"
    assert said in output_of(capsys, *options)
    assert said in output_of(capsys, *options, "--format", "markdown")
    rows = csv.DictReader(io.StringIO(output_of(capsys, *options, "--format", "csv")))
    assert next(rows)["weights_are"] == "importances"
    bootstrap = [*options, "--bootstrap", "99", "--seed", "1"]
    for output in ("table", "markdown"):
        assert said in output_of(capsys, *bootstrap, "--format", output)
    rows = csv.DictReader(io.StringIO(output_of(capsys, *bootstrap, "--format", "csv")))
    assert {row["weights_are"] for row in rows if row["low"]} == {"importances"}


def test_frequencies_are_rows(tmp_path, capsys):
    data = table()
    pq.write_table(data, tmp_path / "x.parquet")
    options = [tmp_path / "x.parquet", "--label", "label", "--score", "a", "--weights-are"]
    options.append("frequencies")
    out = output_of(capsys, *options, "--weight", "count", "--format", "json")
    times = data["count"].to_numpy()
    rows = evaluate(*(np.repeat(data[name].to_numpy(), times) for name in ("label", "a")))
    found = json.loads(out)["models"][0]
    assert found | {"name": "score"} == rows[0].to_dict()
    shown = output_of(capsys, *options, "--weight", "count")
    assert "Weights are frequencies: each row stands for so many rows." in shown
    assert run(*options, "--weight", "weight") == 2
    error = capsys.readouterr().err
    assert "column 'weight' must hold whole numbers with --weights-are frequencies" in error
    assert run(*options) == 2
    assert "--weights-are is of --weight" in capsys.readouterr().err
