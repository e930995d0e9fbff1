"""`evaluate` of tables of scores: the same figures as of their rows."""

from __future__ import annotations

import numpy as np
import pytest

from evaluations import are_close, without_rows
from fastmetrics import InputError, ScoreTable, evaluate


@pytest.fixture
def rows():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 300)
    return y, np.round(rng.normal(size=300) + y, 1), np.round(rng.normal(size=300), 1)


def test_tables_are_evaluated_as_their_rows(rows):
    y, a, b = rows
    tables = {"a": ScoreTable.from_scores(y, a), "b": ScoreTable.from_scores(y, b)}
    of_rows = evaluate(y, {"a": a, "b": b})
    assert evaluate(tables).comparisons is None
    assert are_close(*(without_rows(each.to_dict()) for each in (evaluate(tables), of_rows)))
    assert evaluate(tables["a"], confidence_level=0.9) == evaluate(y, a, confidence_level=0.9)


def test_fractional_weights_have_no_interval(rows):
    y, a, _ = rows
    w = np.linspace(0.5, 2, len(y))
    found = evaluate(ScoreTable.from_scores(y, a, sample_weight=w))["score"]
    expected = evaluate(y, a, sample_weight=w)["score"]
    assert found.roc_auc == expected.roc_auc
    assert np.isnan(list(found.confidence_interval)).all()
    assert np.isnan(found.standard_error)
    assert "no interval" in found.note


def test_few_rows_are_told(rows):
    table = ScoreTable.from_counts([0.1, 0.5], [2, 3], [100, 1])
    assert "only 5 positive examples" in evaluate(table)["score"].note


@pytest.mark.parametrize(
    "options",
    [
        {"scores": [0.1]},
        {"names": ["a"]},
        {"sample_weight": [1]},
        {"pos_label": 1},
        {"n_resamples": 99},
        {"metrics": "f1"},
        {"method": "bca"},
        {"stratified": True},
        {"groups": [1]},
        {"threshold": 0.5},
        {"rng": 1},
        {"cost_fn": 1, "cost_fp": 2},
    ],
)
def test_what_belongs_to_rows_is_refused(rows, options):
    table = ScoreTable.from_scores(*rows[:2])
    with pytest.raises(TypeError, match=f"comes alone.*`{next(iter(options))}`"):
        evaluate(table, **options)


def test_labels_need_scores(rows):
    with pytest.raises(TypeError, match="`scores` is missing"):
        evaluate(rows[0])
    mixed = {"a": ScoreTable.from_scores(*rows[:2]), "b": rows[0]}
    with pytest.raises(TypeError, match="`scores` is missing"):
        evaluate(mixed)


@pytest.mark.parametrize(
    ("metrics", "more"),
    [("f1", ["f1"]), (["auc", "ap", "brier"], []), ({"mine": "roc_auc"}, ["mine"])],
)
def test_metrics_stand_beside_those_of_the_table_and_none_is_there_twice(metrics, more) -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 200), rng.random(200)
    table = ["roc_auc", "average_precision", "ks_statistic", "log_loss", "brier_score"]
    found = evaluate(y, p, metrics=metrics, threshold=0.5)["score"].estimates
    assert sorted(found) == sorted(table + more)


def test_a_guarantee_of_costs_has_one_price() -> None:
    y, p = np.arange(40) % 2, np.arange(40) / 40
    options = {"guarantee": {"expected_cost": 0.5}, "cost_fp": 1.0}
    with pytest.raises(InputError, match="one price for all rows: `cost_fn` has one for each"):
        evaluate(y, p, cost_fn=np.arange(40.0), **options)
