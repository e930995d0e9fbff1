"""Probabilities of several classes at every entry point: by name, as one model, or refused."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fastmetrics as fm
from fastmetrics.errors import InputError, InputTypeError
from measure_names import MEASURES, REQUIRED, Measure

_CHANCES = np.random.default_rng(3).dirichlet(np.ones(3), 60)
_LETTERS = np.array(["ape", "bee", "cat"] * 20)
_METRICS_OF_CLASSES: dict[str, Callable[[Any, Any], Any]] = {
    "estimate": lambda y, p: fm.estimate(y, p, metrics="log_loss"),
    "log_loss": fm.log_loss,
    "brier_score_loss": fm.brier_score_loss,
    "d2_log_loss_score": fm.d2_log_loss_score,
    "d2_brier_score": fm.d2_brier_score,
    "hinge_loss": fm.hinge_loss,
    "top_k_accuracy_score": lambda y, p: fm.top_k_accuracy_score(y, p, k=1),
    "roc_auc_score": lambda y, p: fm.roc_auc_score(y, p, multi_class="ovr"),
    "average_precision_score": fm.average_precision_score,
    "expected_calibration_error": fm.calibration.expected_calibration_error,
    "compare": lambda y, p: fm.compare(y, {"a": _CHANCES, "b": p}, metrics="log_loss"),
    "bootstrap": lambda y, p: fm.bootstrap(y, p, metrics="roc_auc_ovr", n_resamples=9, rng=0),
    "evaluate": lambda y, p: fm.evaluate(y, {"m": p}),
    "evaluate alone": lambda y, p: fm.evaluate(y, p, task="multiclass"),
    "report": lambda y, p: fm.report(y, {"m": p}).html,
    "gate": lambda y, p: fm.gate(
        y, {"baseline": _CHANCES, "candidate": p}, margins={"log_loss": 0.1}
    ),
}


@pytest.mark.filterwarnings("ignore::fastmetrics.SmallSampleWarning")
@pytest.mark.filterwarnings("ignore::fastmetrics.DegenerateDataWarning")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pd", "pl", "pa"])
@pytest.mark.parametrize("door", _METRICS_OF_CLASSES)
def test_columns_named_as_classes_go_by_name(door: str, frame: Any) -> None:
    call = _METRICS_OF_CLASSES[door]
    shuffled = frame({name: _CHANCES[:, k] for name, k in (("cat", 2), ("ape", 0), ("bee", 1))})
    assert str(call(_LETTERS, shuffled)) == str(call(_LETTERS, _CHANCES))
    if door == "estimate":  # names of no classes are those of models
        with pytest.raises(InputTypeError, match="models by name are for `compare`"):
            call(_LETTERS, frame({"p1": _CHANCES[:, 0], "p2": _CHANCES[:, 1]}))
        return
    others = frame({f"p{k}": _CHANCES[:, k] for k in range(3)})  # none is a class: by position
    assert str(call(_LETTERS, others)) == str(call(_LETTERS, _CHANCES))
    mixed = frame({name: _CHANCES[:, k] for k, name in enumerate(("cat", "bee", "cow"))})
    with pytest.raises(InputError, match="has the columns cat, bee, cow, and the classes are ape"):
        call(_LETTERS, mixed)


_TEN = np.arange(60) % 10
_OF_TEN = np.random.default_rng(3).dirichlet(np.ones(10), 60)


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (_TEN, _OF_TEN),
        (_TEN.tolist(), _OF_TEN.tolist()),
        (_TEN, pd.DataFrame(_OF_TEN)),
        (_LETTERS, _CHANCES),
        (_LETTERS, pd.DataFrame(_CHANCES, columns=["ape", "bee", "cat"])),
    ],
)
def test_a_matrix_of_probabilities_of_the_classes_is_one_model(labels: Any, scores: Any) -> None:
    found = fm.evaluate(labels, scores)
    assert found.task == "multiclass"
    assert str(found) == str(fm.evaluate(labels, {"score": scores}))


_STRAY = np.r_[np.arange(999) % 2, 2]


@pytest.mark.parametrize(
    ("labels", "scores", "said"),
    [
        (_TEN, 7.0 * _OF_TEN, "say `task='multiclass'`; of models"),
        (_TEN, {f"m{k}": _OF_TEN[:, k] for k in range(10)}, "the 10 columns of scores sum to 1"),
        (_STRAY, np.linspace(0.1, 0.9, 1000), "2, in 1 of 1,000 rows, a slip"),
        (_STRAY, np.linspace(-3.0, 3.0, 1000), "2, in 1 of 1,000 rows, a slip"),
        (_TEN % 3, np.linspace(0.1, 0.9, 60), "a slip"),
    ],
)
def test_regression_is_not_guessed_where_labels_may_be_classes(
    labels: Any, scores: Any, said: str
) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        fm.evaluate(labels, scores)
    if isinstance(scores, dict) or scores.ndim == 1:
        assert fm.evaluate(labels, scores, task="values").task == "values"


@pytest.mark.filterwarnings("ignore::fastmetrics.UndefinedMetricWarning")
def test_rows_of_one_class_have_losses() -> None:
    (model,) = fm.evaluate([1, 1, 1], [0.9, 0.8, 0.7])
    assert model.estimates["brier_score"].estimate == pytest.approx((0.01 + 0.04 + 0.09) / 3)
    assert model.estimates["log_loss"].estimate == pytest.approx(-np.log(0.9 * 0.8 * 0.7) / 3)
    assert math.isnan(model.roc_auc)
    assert "Brier score ↓        0.0467" in str(fm.evaluate([1, 1, 1], [0.9, 0.8, 0.7]))


_OF_MATRIX = [m for m in MEASURES.values() if m.influences and m.needs not in ("times", "rankings")]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("measure", _OF_MATRIX, ids=lambda measure: measure.name)
def test_a_matrix_is_measured_or_refused_in_words(measure: Measure, n_classes: int) -> None:
    needed = {"cost_fn": 1.0, "cost_fp": 1.0, "threshold": 0.5}
    given = {key: needed[key] for key, v in measure.parameters.items() if v is REQUIRED}
    metrics = {measure.name: (measure.name, given)}
    labels = np.arange(60) % n_classes
    scores = np.random.default_rng(3).dirichlet(np.ones(n_classes), 60)
    is_of_classes = measure.classes != 2 and measure.needs in ("scores", "probabilities")
    calls = (
        lambda: fm.estimate(labels, scores, metrics=metrics),
        lambda: fm.compare(labels, {"a": scores, "b": scores[::-1]}, metrics=metrics),
        lambda: fm.evaluate(labels, {"m": scores}, metrics=metrics),
    )
    refusals = []
    for call in calls:
        try:
            call()
        except InputError as error:
            refusals.append(str(error))
    # labels are the most probable classes; some metrics of them are of two classes, or need prices
    expected = (0,) if is_of_classes else (0, 3) if measure.needs == "labels" else (3,)
    assert len(refusals) in expected
    words = re.compile(r"task='multiclass'|\[:, 1\]|two classes|needs `cost")
    assert all(map(words.search, refusals))
