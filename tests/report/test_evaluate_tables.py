"""`evaluate` of tables of scores: the same figures as of their rows."""

from __future__ import annotations

import numpy as np
import pytest

from evaluations import are_close, without_rows
from fastmetrics import ScoreTable, evaluate


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
